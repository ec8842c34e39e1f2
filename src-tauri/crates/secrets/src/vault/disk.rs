//! Files: private, never through links, replaced as a whole.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::error::VaultError;

/// How long a lock is waited for. Its holder may be deriving a key or asking a person for the keychain.
const TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Random bytes of the system.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], VaultError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| VaultError::Invalid("the system gives no random numbers"))?;
    Ok(bytes)
}

/// What tells one writing of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    size: u64,
    modified: Option<SystemTime>,
    id: u64,
}

impl Stamp {
    fn of(metadata: &fs::Metadata) -> Self {
        #[cfg(unix)]
        let id = std::os::unix::fs::MetadataExt::ino(metadata);
        #[cfg(not(unix))]
        let id = 0;
        Self { size: metadata.len(), modified: metadata.modified().ok(), id }
    }
}

/// The stamp of a file; `None` where there is none.
pub(super) fn stamp(path: &Path) -> Result<Option<Stamp>, VaultError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(Stamp::of(&metadata))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(VaultError::io("reading", path, &error)),
    }
}

/// A plain file's bytes, at most `cap`; `None` where there is none.
pub(super) fn read(path: &Path, cap: u64) -> Result<Option<(Vec<u8>, Stamp)>, VaultError> {
    let mut options = OpenOptions::new();
    options.read(true);
    // Without the second flag, opening a pipe would wait for its writer.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        no_follow() | rustix::fs::OFlags::NONBLOCK.bits() as i32,
    );
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(_) if is_link(path) => return Err(link(path)),
        Err(error) => return Err(VaultError::io("reading", path, &error)),
    };
    #[cfg(not(unix))]
    if is_link(path) {
        return Err(link(path));
    }
    let io = |error| VaultError::io("reading", path, &error);
    let metadata = file.metadata().map_err(io)?;
    if !metadata.is_file() {
        return Err(VaultError::NotPrivate { path: path.to_owned(), what: "it is not a plain file".into() });
    }
    if metadata.len() > cap {
        return Err(VaultError::TooBig { what: "the file", size: metadata.len(), cap });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default() + 1);
    file.take(cap + 1).read_to_end(&mut bytes).map_err(io)?;
    Ok(Some((bytes, Stamp::of(&metadata))))
}

/// Refuses a file that other users can read.
pub(super) fn check_private(path: &Path) -> Result<(), VaultError> {
    #[cfg(unix)]
    {
        let metadata = fs::symlink_metadata(path).map_err(|error| VaultError::io("reading", path, &error))?;
        let mode = std::os::unix::fs::MetadataExt::mode(&metadata) & 0o777;
        if mode & 0o077 != 0 {
            return Err(VaultError::NotPrivate {
                path: path.to_owned(),
                what: format!(
                    "other users can use it (mode {mode:o}): set its mode to 600, and change the vault's keys"
                ),
            });
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

#[cfg(unix)]
fn no_follow() -> i32 {
    rustix::fs::OFlags::NOFOLLOW.bits() as i32
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

fn link(path: &Path) -> VaultError {
    VaultError::NotPrivate {
        path: path.to_owned(),
        what: "it is a symbolic link; put the file itself there".into(),
    }
}

/// Puts `bytes` in the place of a file: whoever looks, and whenever the machine stops, finds the old or the new one.
/// Callers hold the lock, so that there is one of these at a time.
pub(super) fn replace(path: &Path, bytes: &[u8], step: fn(&'static str)) -> Result<Stamp, VaultError> {
    if is_link(path) {
        return Err(link(path));
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    // What a writer left that was stopped.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(VaultError::io("removing", &new, &error));
        }
        _ => {}
    }
    step("begin");
    let written = write_new(&new, bytes, step).and_then(|stamp| {
        fs::rename(&new, path)?;
        Ok(stamp)
    });
    let stamp = match written {
        Ok(stamp) => stamp,
        Err(error) => {
            let _ = fs::remove_file(&new);
            return Err(VaultError::io("writing", path, &error));
        }
    };
    step("renamed");
    sync_folder(path)?;
    step("synced");
    Ok(stamp)
}

fn write_new(path: &Path, bytes: &[u8], step: fn(&'static str)) -> std::io::Result<Stamp> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    step("created");
    let (first, rest) = bytes.split_at(bytes.len() / 2);
    file.write_all(first)?;
    step("half written");
    file.write_all(rest)?;
    step("written");
    file.sync_all()?;
    step("file synced");
    Ok(Stamp::of(&file.metadata()?))
}

/// Removes a file and makes that last.
pub(super) fn remove(path: &Path) -> Result<(), VaultError> {
    match fs::remove_file(path) {
        Ok(()) => sync_folder(path),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(VaultError::io("removing", path, &error)),
    }
}

fn sync_folder(path: &Path) -> Result<(), VaultError> {
    let Some(folder) = path.parent() else { return Ok(()) };
    support::sync_folder(folder).map_err(|error| VaultError::io("syncing", folder, &error))
}

/// A file whose lock excludes other threads and processes.
pub(crate) struct LockFile {
    path: PathBuf,
}

/// A held lock; dropped, it is released.
pub(crate) struct VaultLock {
    _file: File,
}

impl LockFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Waits for the lock.
    pub(crate) fn wait(&self) -> Result<VaultLock, VaultError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, no_follow());
        }
        let file = match options.open(&self.path) {
            Ok(file) => file,
            Err(_) if is_link(&self.path) => return Err(link(&self.path)),
            Err(error) => return Err(VaultError::io("opening the lock", &self.path, &error)),
        };
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(VaultLock { _file: file }),
                Err(TryLockError::WouldBlock) if begun.elapsed() < TIMEOUT => {
                    std::thread::sleep(POLL_INTERVAL)
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(VaultError::Busy { seconds: TIMEOUT.as_secs() });
                }
                Err(TryLockError::Error(error)) => {
                    return Err(VaultError::io("locking", &self.path, &error));
                }
            }
        }
    }
}
