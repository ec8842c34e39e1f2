//! Opening where the system knows no descriptors of folders: the path is resolved again and must be the same.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::walk::Sort;

/// A folder.
pub(super) struct Folder(PathBuf);

/// Opens what is below `root` for reading.
pub(super) fn open(root: &Path, inside: &Path) -> io::Result<File> {
    let path = same(root, inside)?;
    File::open(path)
}

fn same(root: &Path, inside: &Path) -> io::Result<PathBuf> {
    let whole = if inside.as_os_str().is_empty() { root.to_owned() } else { root.join(inside) };
    let path = std::fs::canonicalize(&whole)?;
    if path == whole { Ok(path) } else { Err(ErrorKind::NotADirectory.into()) }
}

/// Opens a folder below `root`; makes those that are missing when asked to.
pub(super) fn folder(root: &Path, inside: &Path, make: bool) -> io::Result<Folder> {
    if make {
        std::fs::create_dir_all(root.join(inside))?;
    }
    same(root, inside).map(Folder)
}

/// Gives a new file the permissions of the one that it replaces.
pub(super) fn keep(file: &File, like: &Metadata) -> io::Result<()> {
    file.set_permissions(like.permissions())
}

/// There are no permission bits.
pub(super) fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

/// Whether it is the same file, not written to in between.
pub(super) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    one.len() == other.len() && one.modified().ok() == other.modified().ok()
}

/// What [`same`] says of a path that leads elsewhere now.
pub(super) fn is_link(error: &io::Error) -> bool {
    error.kind() == ErrorKind::NotADirectory
}

impl Folder {
    /// A new file; an error when there is anything of that name.
    pub(super) fn create(&self, name: &OsStr) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(self.0.join(name))
    }

    /// Puts one file in another one's place.
    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        std::fs::rename(self.0.join(from), self.0.join(to))
    }

    /// What is in it, in no order.
    pub(super) fn entries(&self) -> io::Result<Vec<(OsString, Sort)>> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.0)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            let sort = match kind {
                kind if kind.is_file() => Sort::File,
                kind if kind.is_dir() => Sort::Folder,
                kind if kind.is_symlink() => Sort::Link,
                _ => Sort::Other,
            };
            found.push((entry.file_name(), sort));
        }
        Ok(found)
    }

    /// A folder in it.
    pub(super) fn folder(&self, name: &OsStr) -> io::Result<Self> {
        same(&self.0, Path::new(name)).map(Self)
    }

    /// A file in it, for reading.
    pub(super) fn file(&self, name: &OsStr) -> io::Result<File> {
        File::open(same(&self.0, Path::new(name))?)
    }

    /// How many bytes a file in it has.
    pub(super) fn size(&self, name: &OsStr) -> Option<u64> {
        Some(self.0.join(name).symlink_metadata().ok()?.len())
    }

    /// Removes a file.
    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        std::fs::remove_file(self.0.join(name))
    }

    /// Removes a folder with nothing in it.
    pub(super) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        std::fs::remove_dir(self.0.join(name))
    }

    /// Nothing to do here.
    pub(super) fn sync(&self) {}
}
