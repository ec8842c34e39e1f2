//! A copy of the session's folders for one command: it may write there, and what it wrote is thrown away.
//!
//! Copies lie in the app's data folder, which commands don't see; a command sees its copy in the folder's own place. What
//! must not be read is not copied, no link is followed, and bytes and files are bounded.

use std::fs::{self, DirBuilder, File, FileTimes, Permissions};
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, readlinkat, statat};
use tokio_util::sync::CancellationToken;

use crate::safe_path::open_below;
use crate::{Kind, ToolError};

/// Bytes of all folders together.
const MAX_BYTES: u64 = 500 << 20;
/// Files and folders together.
const MAX_FILES: usize = 50_000;
/// What a command may take of the disk.
const MAX_WRITTEN_BYTES: u64 = 4 << 30;
/// What has to be left of the disk.
const LEFT: u64 = 256 << 20;
/// Marks folders that any program may make again (<https://bford.info/cachedir/>).
const CACHE_MARK: &str = "CACHEDIR.TAG";

/// Where copies are made.
#[derive(Debug)]
pub(super) struct Copies {
    root: PathBuf,
    swept: Once,
}

/// The copies for one command; gone when it is dropped.
#[derive(Debug)]
pub(super) struct Copy {
    root: PathBuf,
    /// Each folder, and its copy.
    pub(super) places: Vec<(PathBuf, PathBuf)>,
    /// What was free on the disk when it began.
    free: u64,
}

/// Why a copy was not made.
enum Stopped {
    TooLarge,
    Cancelled,
    System(io::Error),
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl From<rustix::io::Errno> for Stopped {
    fn from(error: rustix::io::Errno) -> Self {
        Self::System(error.into())
    }
}

impl Copies {
    /// Below an app's data folder.
    pub(super) fn new(data: &Path) -> Self {
        Self { root: data.join("cache/copies"), swept: Once::new() }
    }

    /// Copies folders, without what lies at `hidden`.
    ///
    /// # Errors
    /// When they are too large, or the disk does not take them.
    pub(super) fn make(
        &self,
        folders: &[PathBuf],
        hidden: &[PathBuf],
        cancel: &CancellationToken,
    ) -> Result<Copy, ToolError> {
        // Left by a program that was killed: one process has the data folder at a time.
        self.swept.call_once(|| remove(&self.root));
        for caches in [Caches::Copied, Caches::LeftOut] {
            match self.try_make(folders, hidden, caches, cancel) {
                Ok(copy) => return Ok(copy),
                Err(Stopped::TooLarge) => {}
                Err(Stopped::Cancelled) => {
                    return Err(ToolError::new(Kind::Cancelled, "the command was stopped"));
                }
                Err(Stopped::System(error)) => {
                    return Err(ToolError::new(
                        Kind::Failed,
                        format!("the folders could not be copied for the command: {error}"),
                    ));
                }
            }
        }
        let what = format!(
            "in Explore a command that may write runs in a copy, and the session's folders are too large for one: more than {} MB or {MAX_FILES} files",
            MAX_BYTES >> 20
        );
        Err(ToolError::new(Kind::Unavailable, what)
            .with_guidance("Put the command into a plan and submit that for the person to accept."))
    }

    fn try_make(
        &self,
        folders: &[PathBuf],
        hidden: &[PathBuf],
        caches: Caches,
        cancel: &CancellationToken,
    ) -> Result<Copy, Stopped> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root = self.root.join(format!("{}-{number}", std::process::id()));
        let mut copy = Copy { root: root.clone(), places: Vec::new(), free: 0 };
        private().recursive(true).create(&root)?;
        copy.free = free(&root)?;
        let mut work = Work { hidden, caches, cancel, bytes: MAX_BYTES, files: MAX_FILES };
        for (place, folder) in folders.iter().enumerate() {
            // What lies in another folder of the session is copied with that.
            if folders.iter().enumerate().any(|(at, other)| {
                at != place && folder.starts_with(other) && (folder != other || at < place)
            }) {
                continue;
            }
            let to = root.join(place.to_string());
            private().create(&to)?;
            work.folder(folder, &to)?;
            copy.places.push((folder.clone(), to));
        }
        Ok(copy)
    }
}

/// What becomes of folders that any program may make again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caches {
    Copied,
    LeftOut,
}

struct Work<'a> {
    hidden: &'a [PathBuf],
    caches: Caches,
    cancel: &'a CancellationToken,
    bytes: u64,
    files: usize,
}

impl Work<'_> {
    /// Copies what is in a folder, and below it.
    fn folder(&mut self, from: &Path, to: &Path) -> Result<(), Stopped> {
        let mut open = vec![PathBuf::new()];
        while let Some(inside) = open.pop() {
            // Opened from the top each time: no link on the way is followed, and few files are open at once.
            let folder = match open_below(from, &inside) {
                Ok(folder) => folder,
                Err(error) if is_skipped(&error) => continue,
                Err(error) => return Err(error.into()),
            };
            for entry in Dir::read_from(&folder)? {
                let entry = entry?;
                let name = std::ffi::OsStr::from_bytes(entry.file_name().to_bytes());
                if name == "." || name == ".." {
                    continue;
                }
                if self.cancel.is_cancelled() {
                    return Err(Stopped::Cancelled);
                }
                self.files = self.files.checked_sub(1).ok_or(Stopped::TooLarge)?;
                let inside = inside.join(name);
                let copied = self.entry(&folder, name, &from.join(&inside), &to.join(&inside));
                match copied {
                    Ok(Copied::Folder) => open.push(inside),
                    Ok(Copied::Done) => {}
                    // Gone meanwhile, or nothing that the command could read either.
                    Err(Stopped::System(error)) if is_skipped(&error) => {}
                    Err(stopped) => return Err(stopped),
                }
            }
        }
        Ok(())
    }

    fn entry(
        &mut self,
        folder: &impl AsFd,
        name: &std::ffi::OsStr,
        from: &Path,
        to: &Path,
    ) -> Result<Copied, Stopped> {
        let about = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let hidden = self.hidden.iter().any(|hidden| hidden == from);
        match FileType::from_raw_mode(about.st_mode) {
            FileType::Directory => {
                private().create(to)?;
                let cache = self.caches == Caches::LeftOut && from.join(CACHE_MARK).is_file();
                Ok(if hidden || cache { Copied::Done } else { Copied::Folder })
            }
            FileType::Symlink => {
                let target = readlinkat(folder, name, Vec::new())?;
                std::os::unix::fs::symlink(std::ffi::OsStr::from_bytes(target.as_bytes()), to)?;
                Ok(Copied::Done)
            }
            FileType::RegularFile => {
                let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
                let file = File::from(openat(folder, name, flags, Mode::empty())?);
                let about = file.metadata()?;
                if !about.is_file() {
                    return Ok(Copied::Done);
                }
                let mut new = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
                if hidden {
                    return Ok(Copied::Done);
                }
                self.bytes = self.bytes.checked_sub(about.len()).ok_or(Stopped::TooLarge)?;
                // One that grows meanwhile is copied as it was.
                io::copy(&mut file.take(about.len()), &mut new)?;
                new.set_permissions(Permissions::from_mode(about.permissions().mode() & 0o777 | 0o200))?;
                // Builds compare times.
                let modified = about.modified().unwrap_or(UNIX_EPOCH + Duration::from_secs(1));
                new.set_times(FileTimes::new().set_modified(modified))?;
                Ok(Copied::Done)
            }
            // A pipe, a socket or a device is nobody's to copy.
            _ => Ok(Copied::Done),
        }
    }
}

enum Copied {
    Folder,
    Done,
}

impl Copy {
    /// Whether the command has taken too much of the disk, or there is too little left of it.
    pub(super) fn is_too_large(&self) -> bool {
        free(&self.root).is_ok_and(|left| left < LEFT || left < self.free.saturating_sub(MAX_WRITTEN_BYTES))
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        remove(&self.root);
    }
}

fn private() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

fn free(path: &Path) -> io::Result<u64> {
    let about = rustix::fs::statvfs(path)?;
    Ok(about.f_bavail.saturating_mul(about.f_frsize))
}

fn is_skipped(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied | ErrorKind::NotADirectory)
        || crate::safe_path::is_link(error)
}

/// Removes a folder with all that is in it, also what a command took its own rights from.
fn remove(folder: &Path) {
    let removed = fs::remove_dir_all(folder);
    if removed.is_ok() || removed.is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return;
    }
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        if path.symlink_metadata().is_ok_and(|about| about.is_dir()) {
            let _ = fs::set_permissions(&path, Permissions::from_mode(0o700));
            open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
    }
    // What is left is swept when the program starts anew.
    let _ = fs::remove_dir_all(folder);
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn copied(folder: &Path, hidden: &[PathBuf]) -> (tempfile::TempDir, Copy) {
        let data = tempfile::tempdir().unwrap();
        let folders = [folder.to_owned()];
        let copy = Copies::new(data.path()).make(&folders, hidden, &CancellationToken::new()).unwrap();
        (data, copy)
    }

    #[test]
    fn a_copy_has_everything_but_what_is_hidden_and_what_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir(root.join("keys")).unwrap();
        fs::write(root.join("keys/one"), "secret").unwrap();
        fs::write(root.join(".env"), "secret").unwrap();
        fs::write(root.join("a/b/run.sh"), "echo").unwrap();
        fs::set_permissions(root.join("a/b/run.sh"), Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", root.join("link")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, root.join("pipe"), Mode::from_raw_mode(0o600)).unwrap();
        let (data, copy) = copied(&root, &[root.join("keys"), root.join(".env")]);
        let to = copy.places[0].1.clone();
        assert_eq!(copy.places[0].0, root);
        assert_eq!(fs::read_to_string(to.join("a/b/run.sh")).unwrap(), "echo");
        let of = |path: PathBuf| path.metadata().unwrap();
        assert_eq!(of(to.join("a/b/run.sh")).permissions().mode() & 0o777, 0o755);
        assert_eq!(
            of(to.join("a/b/run.sh")).modified().unwrap(),
            of(root.join("a/b/run.sh")).modified().unwrap()
        );
        assert_eq!(fs::read_link(to.join("link")).unwrap(), Path::new("/etc/passwd"));
        assert_eq!(fs::read_to_string(to.join(".env")).unwrap(), "");
        assert_eq!(fs::read_dir(to.join("keys")).unwrap().count(), 0);
        assert!(!to.join("pipe").exists());
        fs::set_permissions(to.join("a/b"), Permissions::from_mode(0o000)).unwrap();
        drop(copy);
        assert_eq!(fs::read_dir(data.path().join("cache/copies")).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_is_too_large_is_refused_and_its_caches_are_left_out_first() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let large = |name: &str| {
            let file = File::create(root.join(name)).unwrap();
            file.set_len(MAX_BYTES + 1).unwrap();
        };
        fs::write(root.join("kept"), "x").unwrap();
        fs::create_dir(root.join("target")).unwrap();
        fs::write(root.join("target").join(CACHE_MARK), "Signature: 8a477f597d28d172789f06886806bc55")
            .unwrap();
        large("target/huge");
        let (_data, copy) = copied(&root, &[]);
        assert!(copy.places[0].1.join("kept").exists());
        assert_eq!(fs::read_dir(copy.places[0].1.join("target")).unwrap().count(), 0);
        large("huge");
        let data = tempfile::tempdir().unwrap();
        let made = Copies::new(data.path()).make(&[root], &[], &CancellationToken::new());
        let refused = made.unwrap_err();
        assert!(refused.message.contains("too large") && refused.guidance.contains("plan"), "{refused:?}");
        assert_eq!(fs::read_dir(data.path().join("cache/copies")).unwrap().count(), 0);
    }
}
