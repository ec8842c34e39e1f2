//! Opening from a folder downwards without following a link.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path};

use rustix::fs::{self, AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::walk::Sort;

/// For reading: never waits, never becomes the program's terminal, is not inherited.
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);
/// A folder on the way.
const STEP: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW).union(OFlags::DIRECTORY);

/// A folder that is held open.
pub(super) struct Folder(OwnedFd);

/// Opens what is below `root` for reading.
pub(super) fn open(root: &Path, inside: &Path) -> io::Result<File> {
    let root = fs::open(root, STEP, Mode::empty())?;
    let inside = if inside.as_os_str().is_empty() { Path::new(".") } else { inside };
    #[cfg(target_os = "linux")]
    match beneath(&root, inside) {
        // The kernel is older than 5.6, or a filter of system calls is in the way.
        Err(Errno::NOSYS | Errno::PERM) => {}
        other => return Ok(File::from(other?)),
    }
    Ok(File::from(stepwise(root, inside)?))
}

#[cfg(target_os = "linux")]
fn beneath(root: &OwnedFd, inside: &Path) -> rustix::io::Result<OwnedFd> {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS).union(ResolveFlags::NO_SYMLINKS);
    let mut tries = 0;
    loop {
        match fs::openat2(root, inside, READ, Mode::empty(), resolve) {
            // A folder was moved meanwhile.
            Err(Errno::AGAIN | Errno::INTR) if tries < 16 => tries += 1,
            other => return other,
        }
    }
}

/// The same by one system call for each folder on the way.
pub(super) fn stepwise(root: OwnedFd, inside: &Path) -> rustix::io::Result<OwnedFd> {
    let mut at = root;
    let mut parts = inside.components().peekable();
    while let Some(part) = parts.next() {
        let flags = if parts.peek().is_some() { STEP } else { READ };
        match part {
            Component::CurDir => {}
            Component::Normal(name) => at = fs::openat(&at, name, flags, Mode::empty())?,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(Errno::XDEV),
        }
    }
    Ok(at)
}

/// Opens a folder below `root`; makes those that are missing when asked to.
pub(super) fn folder(root: &Path, inside: &Path, make: bool) -> io::Result<Folder> {
    let mut at = fs::open(root, STEP, Mode::empty())?;
    for part in inside.components() {
        let name = match part {
            Component::CurDir => continue,
            Component::Normal(name) => name,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(Errno::XDEV.into());
            }
        };
        at = match fs::openat(&at, name, STEP, Mode::empty()) {
            Err(Errno::NOENT) if make => {
                match fs::mkdirat(&at, name, Mode::from_raw_mode(0o777)) {
                    // A file in it is only there after a crash when the folder is.
                    Ok(()) => drop(fs::fsync(&at)),
                    Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
                fs::openat(&at, name, STEP, Mode::empty())?
            }
            other => other?,
        };
    }
    Ok(Folder(at))
}

/// Gives a new file the mode and, where this program may, the owner of the one that it replaces.
pub(super) fn keep(file: &File, like: &Metadata) -> io::Result<()> {
    let own = file.metadata()?;
    if own.uid() != like.uid() || own.gid() != like.gid() {
        let _ = std::os::unix::fs::fchown(file, Some(like.uid()), Some(like.gid()));
    }
    // Set-user and set-group bits are not handed on: the text is another one now.
    file.set_permissions(std::fs::Permissions::from_mode(like.mode() & 0o1777))
}

/// Gives a new file permission bits, without those that lend an owner's rights.
pub(super) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(std::fs::Permissions::from_mode(mode & 0o1777))
}

/// Whether it is the same file, not written to in between.
pub(super) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    let of = |it: &Metadata| (it.dev(), it.ino(), it.size(), it.mtime(), it.mtime_nsec());
    of(one) == of(other)
}

/// What `openat2(2)` and `O_NOFOLLOW` say of a link.
pub(super) fn is_link(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::LOOP | Errno::XDEV | Errno::NOTDIR | Errno::MLINK))
}

impl Folder {
    /// A new file; an error when there is anything of that name.
    pub(super) fn create(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        Ok(File::from(fs::openat(&self.0, name, flags, Mode::from_raw_mode(0o666))?))
    }

    /// Puts one file in another one's place.
    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(fs::renameat(&self.0, from, &self.0, to)?)
    }

    /// What is in it, in no order.
    pub(super) fn entries(&self) -> io::Result<Vec<(OsString, Sort)>> {
        let mut found = Vec::new();
        for entry in fs::Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                // Some file systems do not tell.
                fs::FileType::Unknown => match fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => fs::FileType::from_raw_mode(stat.st_mode),
                    Err(_) => continue,
                },
                kind => kind,
            };
            let sort = match kind {
                fs::FileType::RegularFile => Sort::File,
                fs::FileType::Directory => Sort::Folder,
                fs::FileType::Symlink => Sort::Link,
                _ => Sort::Other,
            };
            found.push((name.to_owned(), sort));
        }
        Ok(found)
    }

    /// A folder in it.
    pub(super) fn folder(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Self(fs::openat(&self.0, name, STEP, Mode::empty())?))
    }

    /// A file in it, for reading.
    pub(super) fn file(&self, name: &OsStr) -> io::Result<File> {
        Ok(File::from(fs::openat(&self.0, name, READ, Mode::empty())?))
    }

    /// How many bytes a file in it has.
    pub(super) fn size(&self, name: &OsStr) -> Option<u64> {
        let stat = fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        u64::try_from(stat.st_size).ok()
    }

    /// Removes a file or link.
    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Removes a folder with nothing in it.
    pub(super) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Makes a rename durable, where the system can.
    pub(super) fn sync(&self) {
        let _ = fs::fsync(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_openat2_links_and_ways_up_are_refused_all_the_same() {
        let top = tempfile::TempDir::new().unwrap();
        let root = top.path().join("root");
        std::fs::create_dir_all(root.join("a")).unwrap();
        std::fs::write(root.join("a/b.txt"), "inside").unwrap();
        std::fs::write(top.path().join("c.txt"), "outside").unwrap();
        std::os::unix::fs::symlink("a", root.join("folder")).unwrap();
        std::os::unix::fs::symlink("../c.txt", root.join("file")).unwrap();
        let step = |inside: &str| {
            let root = fs::open(&root, STEP, Mode::empty()).unwrap();
            stepwise(root, Path::new(inside)).map(|_| ()).map_err(io::Error::from)
        };
        assert!(step("a/b.txt").is_ok() && step(".").is_ok() && step("./a").is_ok());
        for inside in ["folder/b.txt", "file", "folder", "../c.txt", "a/../../c.txt", "/etc/passwd"] {
            assert!(is_link(&step(inside).unwrap_err()), "{inside}");
            assert!(is_link(&open(&root, Path::new(inside)).unwrap_err()), "{inside}");
        }
    }
}
