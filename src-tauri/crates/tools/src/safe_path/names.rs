//! Names on the disk that look like those that were written: composed or taken apart, with spaces that do not break.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use file_text::fold;

/// The most names of a folder that are looked at for one that looks like another.
const MAX_NAMES: usize = 20_000;

/// A path below one of the folders with the names that are there for those that only look like them; `None`: no name
/// differs. What is not there at all stays as it is written.
pub(super) fn with_spelling_of_disk(whole: &Path, roots: &[&Path]) -> Option<PathBuf> {
    let root = roots.iter().find(|root| whole.starts_with(root))?;
    let mut path = root.to_path_buf();
    let mut differs = false;
    let mut parts = whole.strip_prefix(root).ok()?.components();
    for part in parts.by_ref() {
        let Component::Normal(name) = part else { return None };
        let next = path.join(name);
        if next.symlink_metadata().is_ok() {
            path = next;
            continue;
        }
        match lookalike(&path, name.to_str()?) {
            Some(name) => {
                differs = true;
                path.push(name);
            }
            None => {
                path.push(name);
                break;
            }
        }
    }
    path.extend(parts);
    differs.then_some(path)
}

/// The only name in a folder that looks like one.
fn lookalike(folder: &Path, name: &str) -> Option<OsString> {
    let wanted = fold(name);
    let names = std::fs::read_dir(folder).ok()?.take(MAX_NAMES);
    let mut found = names
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .filter(|own| own.to_str().is_some_and(|own| own != name && fold(own) == wanted));
    match (found.next(), found.next()) {
        (Some(one), None) => Some(one),
        _ => None,
    }
}
