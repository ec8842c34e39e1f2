//! The machine's file system, as decisions on commands ask about it.

use std::path::{Path, PathBuf};

use permissions::{Disk, PathEntry, PlainRepository, TooMany};

/// Files and folders that are looked at below one folder.
const LOOKED_AT: usize = 100_000;
/// Links that lead to each other.
const MAX_LINKS: u32 = 40;

/// This machine's file system. Looking blocks.
#[derive(Debug, Clone, Copy)]
pub struct LocalDisk;

impl Disk for LocalDisk {
    fn find(&self, path: &str) -> Option<PathEntry> {
        let path = Path::new(path);
        let found = path.canonicalize().or_else(|error| dangling(path, MAX_LINKS).ok_or(error)).ok()?;
        Some(PathEntry { folder: found.is_dir(), path: found.to_str()?.to_owned() })
    }

    fn plain_repository(&self, folder: &str) -> Option<PlainRepository> {
        crate::repository::plain(Path::new(folder))
    }

    fn first_below(
        &self,
        folder: &str,
        depth: usize,
        wanted: &dyn Fn(&str, &str) -> bool,
    ) -> Result<Option<(String, String)>, TooMany> {
        let mut left = LOOKED_AT;
        let mut folders = vec![(Path::new(folder).to_owned(), depth)];
        while let Some((folder, depth)) = folders.pop() {
            // What can't be listed by us can't be by the command, which is the same person.
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                left = left.checked_sub(1).ok_or(TooMany)?;
                let Ok(kind) = entry.file_type() else { continue };
                let path = entry.path();
                let real = if kind.is_symlink() { path.canonicalize().ok() } else { None };
                let real = real.as_deref().unwrap_or(&path).display().to_string();
                let path_text = path.display().to_string();
                if wanted(&path_text, &real) {
                    return Ok(Some((path_text, real)));
                }
                if kind.is_dir() && depth > 1 {
                    folders.push((path, depth - 1));
                }
            }
        }
        Ok(None)
    }
}

/// Where a link leads that leads to nothing: a file that is made there.
fn dangling(path: &Path, links: u32) -> Option<PathBuf> {
    let target = std::fs::read_link(path).ok()?;
    let target = path.parent()?.join(target);
    if target.symlink_metadata().is_ok() {
        return dangling(&target, links.checked_sub(1)?);
    }
    Some(target.parent()?.canonicalize().ok()?.join(target.file_name()?))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_to_what_they_name_but_not_walked_through() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("in/deep")).unwrap();
        std::fs::create_dir_all(root.join("out")).unwrap();
        std::fs::write(root.join("out/key"), "x").unwrap();
        std::os::unix::fs::symlink(root.join("out"), root.join("in/deep/link")).unwrap();
        let text = |name: &str| root.join(name).display().to_string();
        let found = LocalDisk.find(&text("in/deep/link/../key"));
        assert_eq!(found, None, "the step back is taken from where the link leads");
        let found = LocalDisk.find(&text("in/deep/link/key")).unwrap();
        assert_eq!(found, PathEntry { path: text("out/key"), folder: false });
        let below =
            |name: &str| LocalDisk.first_below(&text("in"), 9, &|_, real| real.ends_with(name)).unwrap();
        assert_eq!(below("/out"), Some((text("in/deep/link"), text("out"))));
        assert_eq!(below("/key"), None);
    }
}
