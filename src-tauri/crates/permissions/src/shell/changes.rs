//! Which files a command would change, as far as its words tell, and whether that is all that it can change.

use super::flags::is_number;
use super::reach::{Extent, NamedPath};
use super::{Command, Word, git, plain_name};

/// What a command would change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChangedPaths {
    /// What its words name.
    pub places: Vec<NamedPath>,
    /// Whether it is known to change nothing else, whatever the folders hold.
    pub complete: bool,
    /// Whether what it changes is lost: it deletes or overwrites.
    pub deletes: bool,
}

/// Commands all of whose words are files that they change: the letters of options without a value, of those with one,
/// and how many words are something else.
const PLAIN: &[(&str, &str, &str, usize)] = &[
    ("mkdir", "pv", "m", 0),
    ("touch", "acmfh", "rtd", 0),
    ("rm", "rRfvidI", "", 0),
    ("rmdir", "v", "", 0),
    ("unlink", "", "", 0),
    ("mv", "vfniuT", "S", 0),
    ("tee", "ai", "", 0),
    ("truncate", "co", "s", 0),
    ("chmod", "vcfR", "", 1),
];

/// Commands all of whose words may be files that they change; what else they do is not known.
const ALL: &[&str] = &[
    "chgrp",
    "chown",
    "dd",
    "fallocate",
    "mkfifo",
    "mknod",
    "patch",
    "setfacl",
    "shred",
    "srm",
    "wipe",
    "git",
    "hg",
    "svn",
];

/// Commands that edit their files in place with an option that has an `i`.
const IN_PLACE: &[&str] = &["sed", "perl", "ruby"];

/// Commands that change what their last word names, or the value of `-t`.
const LAST: &[&str] = &["cp", "install", "ln", "rsync", "scp"];

/// Commands that unpack below the folder that an option names, with these options.
const UNPACK: &[(&str, &[&str])] =
    &[("tar", &["-C", "--directory"]), ("unzip", &["-d"]), ("bsdtar", &["-C"]), ("7z", &["-o"])];

/// Commands that delete or overwrite.
const DELETE: &[&str] = &["rm", "rmdir", "unlink", "shred", "srm", "wipe", "dd", "truncate", "mkfs"];

/// What a command changes of which it is not known that it only reads.
pub(crate) fn changes(command: &Command) -> ChangedPaths {
    let name = plain_name(command.name());
    let arguments = command.arguments();
    let deletes = DELETE.contains(&name);
    if let Some((_, bare, valued, other)) = PLAIN.iter().find(|(known, ..)| *known == name) {
        return ChangedPaths { deletes, ..plain(arguments, bare, valued, *other) };
    }
    if let Some((_, options)) = UNPACK.iter().find(|(known, _)| *known == name) {
        return ChangedPaths { places: values(arguments, options), ..ChangedPaths::default() };
    }
    let places = match name {
        "cp" if !arguments.iter().any(|word| word.text.starts_with('-')) => return copy(arguments),
        name if LAST.contains(&name) => {
            let named = values(arguments, &["-t", "--target-directory"]);
            if named.is_empty() { arguments.last().into_iter().flat_map(spelled).collect() } else { named }
        }
        // What stands before its first option is where it starts.
        "find"
            if arguments
                .iter()
                .any(|word| matches!(word.text.as_str(), "-delete" | "-exec" | "-execdir")) =>
        {
            arguments.iter().take_while(|word| !word.text.starts_with('-')).flat_map(spelled).collect()
        }
        "git" if git::check_git(arguments).is_ok() => Vec::new(),
        name if IN_PLACE.contains(&name) => {
            let edits = |word: &&Word| word.text.starts_with('-') && word.text.contains('i');
            let edited = if arguments.iter().any(|word| edits(&word)) { arguments } else { &[] };
            edited.iter().flat_map(spelled).collect()
        }
        name if ALL.contains(&name) || name.starts_with("mkfs") => {
            arguments.iter().flat_map(spelled).collect()
        }
        _ => Vec::new(),
    };
    ChangedPaths { places, complete: false, deletes: deletes || name.starts_with("mkfs") }
}

/// What a word names, also behind an option's letter or a `=`.
fn spelled(word: &Word) -> Vec<NamedPath> {
    // Of a word that only the shell knows the text is a part.
    super::spellings(&word.text)
        .filter(|text| !text.starts_with('-') && !word.dynamic)
        .map(|text| NamedPath { word: text.to_owned(), extent: extent(word) })
        .collect()
}

fn extent(word: &Word) -> Extent {
    if word.glob { Extent::Pattern } else { Extent::Exact }
}

/// The values of options, apart or attached.
fn values(arguments: &[Word], options: &[&str]) -> Vec<NamedPath> {
    let mut found = Vec::new();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if options.contains(&text) {
            found.extend(rest.next().map(|word| NamedPath { word: word.text.clone(), extent: extent(word) }));
        } else if let Some(value) = options.iter().find_map(|option| text.strip_prefix(option)) {
            let value = value.strip_prefix('=').unwrap_or(value);
            found.push(NamedPath { word: value.to_owned(), extent: extent(word) });
        }
    }
    found
}

fn plain(arguments: &[Word], bare: &str, valued: &str, other: usize) -> ChangedPaths {
    let mut found = ChangedPaths { complete: true, ..ChangedPaths::default() };
    let mut files: Vec<&Word> = Vec::new();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if word.text == "--" {
            continue;
        }
        found.complete &= !word.dynamic && !word.text.contains('{');
        let Some(letters) = word.text.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            files.push(word);
            continue;
        };
        let value = letters.len() == 1 && letters.chars().all(|letter| valued.contains(letter));
        if value {
            rest.next();
        }
        found.complete &= value
            || letters.chars().all(|letter| bare.contains(letter))
            || matches!(letters, "-parents" | "-recursive" | "-force" | "-verbose" | "-append")
            || is_number(letters);
    }
    found.complete &= files.len() > other;
    found.places = files
        .into_iter()
        .skip(other)
        .filter(|word| !word.dynamic)
        .map(|word| NamedPath { word: word.text.clone(), extent: extent(word) })
        .collect();
    found
}

/// A copy without options: the last word, and in it, where it is a folder, what the others are called.
fn copy(arguments: &[Word]) -> ChangedPaths {
    let Some((target, sources)) = arguments.split_last() else { return ChangedPaths::default() };
    let mut places = vec![NamedPath { word: target.text.clone(), extent: extent(target) }];
    let mut complete = !sources.is_empty() && !arguments.iter().any(|word| word.dynamic || word.glob);
    for source in sources {
        complete &= !source.text.contains('{');
        let name = source.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        places.push(NamedPath { word: format!("{}/{name}", target.text), extent: Extent::Exact });
    }
    ChangedPaths { places, complete, deletes: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_changes_is_told_by_its_words() {
        for (line, expected, complete) in [
            ("rm -rf ~", &["~"][..], true),
            ("rm -rf -- a b", &["a", "b"], true),
            ("rm --no-preserve-root -rf /", &["/"], false),
            ("mkdir -p /opt/x", &["/opt/x"], true),
            ("mkdir -m 700 x", &["x"], true),
            ("touch -d yesterday x", &["x"], true),
            ("chmod -R 700 x", &["x"], true),
            ("mv a ../b", &["a", "../b"], true),
            ("cp /etc/hosts .", &[".", "./hosts"], true),
            ("cp -r a ../b", &["../b"], false),
            ("cp -t ../b a", &["../b"], false),
            ("ln -s /etc x", &["x"], false),
            ("tee -a log", &["log"], true),
            ("tar xf a.tar -C /opt", &["/opt"], false),
            ("find ~ -delete", &["~"], false),
            ("git -C ../b checkout x", &["../b", "checkout", "x"], false),
            ("git status", &[], false),
            (
                "dd if=/dev/zero of=/home/eva/x",
                &["if=/dev/zero", "/dev/zero", "of=/home/eva/x", "/home/eva/x"],
                false,
            ),
            ("npm install", &[], false),
            ("rm $X", &[], false),
        ] {
            let line_read = crate::shell::read(line);
            let found = changes(&line_read.commands[0]);
            let words: Vec<&str> = found.places.iter().map(|place| place.word.as_str()).collect();
            assert_eq!((words.as_slice(), found.complete), (expected, complete), "{line}");
        }
    }
}
