//! `find`: what it may look for and print. Everything else it can do writes files or runs programs.

use super::{NotReadOnly, Word};

/// Without a value.
const BARE: &[&str] = &[
    "-H",
    "-L",
    "-P",
    "!",
    "(",
    ")",
    ",",
    "-a",
    "-and",
    "-o",
    "-or",
    "-not",
    "-daystart",
    "-depth",
    "-d",
    "-empty",
    "-executable",
    "-readable",
    "-writable",
    "-false",
    "-true",
    "-follow",
    "-ignore_readdir_race",
    "-ls",
    "-mount",
    "-xdev",
    "-nogroup",
    "-nouser",
    "-noleaf",
    "-print",
    "-print0",
    "-prune",
    "-quit",
];
/// With one value.
const VALUED: &[&str] = &[
    "-amin",
    "-anewer",
    "-atime",
    "-cmin",
    "-cnewer",
    "-ctime",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-newer",
    "-newerat",
    "-newermt",
    "-newerct",
    "-newermm",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-regextype",
    "-samefile",
    "-size",
    "-type",
    "-uid",
    "-used",
    "-user",
    "-wholename",
    "-xtype",
];

/// Whether these arguments only find and print.
pub(super) fn check(arguments: &[Word]) -> Result<(), NotReadOnly> {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if word.leading || word.glob && text.starts_with('-') {
            return Err(format!("`{text}` may become an option; put it in quotes").into());
        }
        if VALUED.contains(&text) {
            match rest.next() {
                // A pattern that the shell fills in may become several words, and so an action.
                Some(value) if value.glob => {
                    return Err(
                        format!("the value of `{text}` may become several words; put it in quotes").into()
                    );
                }
                Some(_) => {}
                None => return Err(format!("`{text}` lacks its value").into()),
            }
        } else if (text.starts_with('-') || matches!(text, "(" | ")" | "!" | ",")) && !BARE.contains(&text) {
            return Err(format!("`{text}` may do more than read").into());
        }
    }
    Ok(())
}
