//! Files that the person's rules keep from being read, for commands that are confined: such a file is shown empty.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{CallContext, Kind, ToolError};

/// Files and folders that are looked at in the folders of a session.
const LOOKED_AT: usize = 300_000;
/// Places that can be covered.
const MAX_MASKS: usize = 2_000;
/// A name that no rule has: what keeps it from being read keeps everything in its folder.
const ANY: &str = "\u{1}";

/// What must not be read in a call.
pub struct DeniedPaths {
    /// Files and folders, absolute.
    pub places: Vec<PathBuf>,
    /// Patterns of names, as `.gitattributes` writes them: what git keeps of such files is not shown either.
    pub names: Vec<String>,
    /// Whether a path in a folder of the session must not be read.
    pub is: Box<dyn Fn(&Path) -> bool>,
}

/// Says for a call what must not be read in it.
#[derive(Clone)]
pub struct DenyRead(pub Arc<dyn Fn(&CallContext) -> DeniedPaths + Send + Sync>);

impl fmt::Debug for DenyRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Masks")
    }
}

impl DenyRead {
    /// What has to be covered: whole folders, and files. And patterns of names that git must not show.
    ///
    /// # Errors
    /// When there is too much to look at or to cover; the command must then not run.
    pub(super) fn find(&self, at: &CallContext) -> Result<(Vec<PathBuf>, Vec<String>), ToolError> {
        let DeniedPaths { places: mut found, names, is: is_denied } = (self.0)(at);
        let mut left = LOOKED_AT;
        for folder in at.folders.iter().chain([&at.own]) {
            left = walk(folder, left, &*is_denied, &mut found).ok_or_else(|| {
                too_much(format!("the session's folders hold more than {LOOKED_AT} files to look through"))
            })?;
        }
        if found.len() > MAX_MASKS {
            return Err(too_much(format!("more than {MAX_MASKS} files would have to be hidden from it")));
        }
        Ok((found, names))
    }
}

fn too_much(what: String) -> ToolError {
    ToolError::new(
        Kind::Unavailable,
        format!("the command can't be kept from files that must not be read: {what}"),
    )
    .with_guidance("Use the tools that read, list and search files, or ask the person for a smaller folder.")
}

/// Collects what is barred below a folder, and named pipes; gives how many places may still be looked at, `None` when it were too many.
fn walk(
    folder: &Path,
    most: usize,
    is_denied: &dyn Fn(&Path) -> bool,
    found: &mut Vec<PathBuf>,
) -> Option<usize> {
    let mut left = most;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        // What can't be listed by us can't be by the command, which is the same person.
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            left = left.checked_sub(1)?;
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            // What is written into a pipe is read by somebody outside, whatever the mount.
            if is_pipe(kind) {
                found.push(path);
            } else if is_denied(&path) || kind.is_dir() && is_denied(&path.join(ANY)) {
                // A link's name is barred: what it leads to is what would be read.
                found.extend(path.canonicalize());
            } else if kind.is_dir() {
                folders.push(path);
            }
        }
    }
    Some(left)
}

#[cfg(unix)]
fn is_pipe(kind: std::fs::FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&kind)
}

#[cfg(not(unix))]
fn is_pipe(_kind: std::fs::FileType) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn by_name(path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default();
        name == ".env" || path.ancestors().skip(1).any(|folder| folder.ends_with("keys"))
    }

    #[test]
    fn barred_files_are_found_at_any_depth_and_whole_folders_at_once() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b/keys/deep")).unwrap();
        for file in [".env", "a/b/.env", "a/b/keys/one", "a/b/keys/deep/two", "a/plain", "elsewhere"] {
            std::fs::write(root.join(file), "x").unwrap();
        }
        std::fs::remove_file(root.join("a/b/.env")).unwrap();
        std::os::unix::fs::symlink(root.join("elsewhere"), root.join("a/b/.env")).unwrap();
        let mut found = Vec::new();
        assert!(walk(&root, 100, &by_name, &mut found).is_some());
        found.sort();
        assert_eq!(found, [root.join(".env"), root.join("a/b/keys"), root.join("elsewhere")]);
        assert!(walk(&root, 3, &by_name, &mut Vec::new()).is_none());
    }
}
