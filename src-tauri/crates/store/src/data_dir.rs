//! The directory that holds the database, and the lock that makes one process its owner.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Result, StoreError, from_io, from_sqlx};

/// The time within which a child that was being started has begun its own program.
const MAX_CHILD_START: Duration = Duration::from_millis(500);
/// The time between two tries to take the lock.
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(2);

/// An open and locked data directory. Clones share the lock; the last one gone releases it.
#[derive(Debug, Clone)]
pub struct DataDir {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    lock: File,
    last_end: LastEnd,
    claimed: AtomicBool,
}

/// How the last use of the directory ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastEnd {
    /// Closed in order, or never used.
    Clean,
    /// The process ended without closing; the operating system went on, so every write it had been
    /// given is in the files.
    Killed,
    /// The machine went down, or that cannot be ruled out: writes may be torn.
    Unknown,
}

impl DataDir {
    /// Creates `path` if absent, takes the lock and checks that it is writable. Only this user may enter it; where it holds
    /// other things, too, only this user may enter what this program has there (see [`crate::others_may_enter`]). What is
    /// due takes its place (see [`crate::Replacement`]).
    ///
    /// # Errors
    /// [`StoreError::Busy`] when another process has it, [`StoreError::NotWritable`],
    /// [`StoreError::BadPath`], [`StoreError::DiskFull`] or [`StoreError::Io`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = std::path::absolute(path.as_ref())
            .map_err(|error| from_io("resolving the data directory", path.as_ref(), &error))?;
        if path.to_str().is_none() {
            return Err(StoreError::BadPath { path, detail: "its name is not valid UTF-8".to_owned() });
        }
        create_private(&path)?;
        let lock_path = path.join("lock");
        let lock =
            private_file(&lock_path).map_err(|error| from_io("opening the lock file", &lock_path, &error))?;
        if !take(&lock).map_err(|error| from_io("locking", &lock_path, &error))? {
            return Err(StoreError::Busy { path, pid: LockNote::read(&lock).pid });
        }
        probe(&path)?;
        crate::access::close(&path)?;
        crate::replacement::finish(&path)?;
        let before = LockNote::read(&lock);
        let boot = boot_id();
        let last_end = match before.open {
            false => LastEnd::Clean,
            true if !boot.is_empty() && before.boot == boot => LastEnd::Killed,
            true => LastEnd::Unknown,
        };
        let note = LockNote { pid: Some(std::process::id()), boot, open: before.open };
        note.write(&lock).map_err(|error| from_io("writing the lock file", &lock_path, &error))?;
        Ok(Self { inner: Arc::new(Inner { path, lock, last_end, claimed: AtomicBool::new(false) }) })
    }

    /// The directory itself, absolute.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// The database file.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.inner.path.join("agentnative.db")
    }

    /// Folder of the copies made before migrations.
    #[must_use]
    pub fn backups(&self) -> PathBuf {
        self.inner.path.join("backups")
    }

    pub(crate) fn write_ahead_log(&self) -> PathBuf {
        self.inner.path.join("agentnative.db-wal")
    }

    pub(crate) fn last_end(&self) -> LastEnd {
        self.inner.last_end
    }

    /// Makes the caller the one store of this directory until the claim is dropped.
    pub(crate) fn claim(&self) -> Result<DataDirLock> {
        if self.inner.claimed.swap(true, Ordering::AcqRel) {
            return Err(StoreError::Busy { path: self.inner.path.clone(), pid: Some(std::process::id()) });
        }
        Ok(DataDirLock { dir: self.clone() })
    }

    /// Whether a store of this process has it open.
    pub(crate) fn is_claimed(&self) -> bool {
        self.inner.claimed.load(Ordering::Acquire)
    }

    /// The typed error for something SQLite reported about this directory's database.
    pub(crate) fn failure(&self, operation: &'static str, error: &sqlx::Error) -> StoreError {
        from_sqlx(operation, &self.database(), &self.backups(), error)
    }

    pub(crate) fn corrupt(&self, detail: impl Into<String>) -> StoreError {
        StoreError::Corrupt { path: self.database(), detail: detail.into(), backups: self.backups() }
    }
}

/// The bytes that a user may still write to the disk with a path; `None` where the system does not say.
pub fn free_bytes(path: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let about = rustix::fs::statvfs(path).ok()?;
        Some(about.f_bavail.saturating_mul(about.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// The right to open the database of a directory.
#[derive(Debug)]
pub(crate) struct DataDirLock {
    dir: DataDir,
}

impl DataDirLock {
    /// Notes that the database is in use: an end without [`DataDirLock::mark_closed`] is an unclean one.
    pub(crate) fn mark_open(&self) -> Result<()> {
        self.mark(true)
    }

    /// Notes that the database was closed in order.
    pub(crate) fn mark_closed(&self) -> Result<()> {
        self.mark(false)
    }

    fn mark(&self, open: bool) -> Result<()> {
        let note = LockNote { pid: Some(std::process::id()), boot: boot_id(), open };
        note.write(&self.dir.inner.lock)
            .map_err(|error| from_io("writing the lock file", &self.dir.path().join("lock"), &error))
    }
}

impl Drop for DataDirLock {
    fn drop(&mut self) {
        self.dir.inner.claimed.store(false, Ordering::Release);
    }
}

/// Takes the lock; false when somebody has it. A child that this process is starting holds the lock, too, until it begins
/// its own program: where the last owner was this process, the lock may be free a moment later.
fn take(lock: &File) -> std::io::Result<bool> {
    let deadline = Instant::now() + MAX_CHILD_START;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) => {
                let own = LockNote::read(lock).pid == Some(std::process::id());
                if !own || Instant::now() >= deadline {
                    return Ok(false);
                }
                std::thread::sleep(LOCK_RETRY_INTERVAL);
            }
        }
    }
}

/// The text of the lock file. It informs; what excludes is the lock.
#[derive(Debug, Default)]
struct LockNote {
    pid: Option<u32>,
    boot: String,
    open: bool,
}

impl LockNote {
    fn read(mut file: &File) -> Self {
        let mut text = String::new();
        let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.take(4096).read_to_string(&mut text));
        let mut note = Self::default();
        if read.is_ok() {
            for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
                match key {
                    "pid" => note.pid = value.parse().ok(),
                    "boot" => value.clone_into(&mut note.boot),
                    "open" => note.open = value == "yes",
                    _ => {}
                }
            }
        }
        note
    }

    fn write(&self, mut file: &File) -> std::io::Result<()> {
        let pid = self.pid.map(|pid| pid.to_string()).unwrap_or_default();
        let open = if self.open { "yes" } else { "no" };
        let text = format!("pid={pid}\nopen={open}\nboot={}\n", self.boot);
        file.seek(SeekFrom::Start(0))?;
        file.write_all(text.as_bytes())?;
        file.set_len(text.len() as u64)
    }
}

/// Identifies the running kernel (Linux; empty elsewhere, which counts as "may have gone down").
fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").map(|id| id.trim().to_owned()).unwrap_or_default()
}

/// Creates a directory, and missing parents, for this user alone; an existing one stays as it is.
pub(crate) fn create_private(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| from_io("creating a directory", path, &error))?;
    // Without this the new name may be lost with the power although the files in it were synced.
    let Some(parent) = path.parent() else { return Ok(()) };
    support::sync_folder(parent).map_err(|error| from_io("syncing a directory", parent, &error))
}

/// Opens a file for reading and writing, created for this user alone if absent.
pub(crate) fn private_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// SQLite has to create files beside the database, so that the directory itself must take new ones.
fn probe(path: &Path) -> Result<()> {
    let file = path.join(format!(".probe-{}", std::process::id()));
    let outcome = private_file(&file).and_then(|_| fs::remove_file(&file));
    match outcome {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(from_io("checking that the data directory is writable", path, &error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}
