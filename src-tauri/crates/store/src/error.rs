//! Everything that can go wrong in the store, as one closed list.

use std::io;
use std::path::{Path, PathBuf};

use crate::data_dir::free_bytes;
use crate::hash::BlobHash;

/// With less space than this a disk counts as full: a few pages and the index of the log need as much.
const NEARLY_FULL: u64 = 256 << 10;

/// Result of every fallible function of this crate.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// What went wrong, where, and what to do about it.
///
/// The type is `Clone` because one failed transaction answers every commit that was grouped into it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Another process (or another store of this process) holds the data directory.
    #[error("{} is in use by {}; close that program or choose another data directory", path.display(), holder(*pid))]
    Busy {
        /// The data directory.
        path: PathBuf,
        /// Process id from the lock file; `None` when it could not be read.
        pid: Option<u32>,
    },
    /// The data directory or a file in it cannot be written.
    #[error("{} is not writable ({detail}); make it writable for this user or choose another data directory", path.display())]
    NotWritable {
        /// The path that refused the write.
        path: PathBuf,
        /// The operating system's words.
        detail: String,
    },
    /// The data directory's path cannot be used at all.
    #[error("{} cannot be a data directory: {detail}", path.display())]
    BadPath {
        /// The path as given.
        path: PathBuf,
        /// Why not.
        detail: String,
    },
    /// The file is no database of this program; it was left as it is.
    #[error("{} is not a database of this program ({detail}); move it away or choose another data directory", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What was found instead.
        detail: String,
    },
    /// The database was written by a newer release; it was left as it is.
    #[error("the database has schema {found}, this release knows up to {supported}; use a newer release")]
    Newer {
        /// Schema version of the file.
        found: u32,
        /// Newest version this build can read.
        supported: u32,
    },
    /// The database is damaged. Nothing was deleted.
    #[error("the database {} is damaged ({detail}); keep the file and restore a copy from {}", path.display(), backups.display())]
    Corrupt {
        /// The database file.
        path: PathBuf,
        /// What the check or SQLite reported.
        detail: String,
        /// Folder with the copies made before migrations.
        backups: PathBuf,
    },
    /// Someone else has appended to the run since the caller read it.
    #[error("run {run} is at event {found}, the commit expected {expected}; reload the run")]
    Conflict {
        /// Run id.
        run: String,
        /// Last sequence number the commit assumed.
        expected: u64,
        /// Last sequence number of the log.
        found: u64,
    },
    /// No run has this id.
    #[error("there is no run {run}")]
    UnknownRun {
        /// Run id.
        run: String,
    },
    /// No session has this id.
    #[error("there is no session {session}")]
    UnknownSession {
        /// Session id.
        session: String,
    },
    /// A commit tried to create a run whose id is taken.
    #[error("run {run} exists already")]
    RunExists {
        /// Run id.
        run: String,
    },
    /// No blob has this hash.
    #[error("there is no blob {hash}")]
    UnknownBlob {
        /// The hash asked for.
        hash: BlobHash,
    },
    /// A stored blob does not match its hash any more.
    #[error("blob {hash} is damaged ({detail}); restore a backup")]
    BlobDamaged {
        /// The hash asked for.
        hash: BlobHash,
        /// What differs.
        detail: String,
    },
    /// A payload exceeds its cap; nothing was written.
    #[error("{what} has {size} bytes, at most {cap} are allowed; split it")]
    TooLarge {
        /// Which payload.
        what: &'static str,
        /// Its size in bytes.
        size: u64,
        /// The cap in bytes.
        cap: u64,
    },
    /// A request contradicts itself; nothing was written.
    #[error("bad request to the store: {detail}")]
    Invalid {
        /// What is wrong with it.
        detail: String,
    },
    /// No space left. The commit was rolled back; the store goes on when there is space again.
    #[error("the disk is full; the change was not stored, free some space and try again")]
    DiskFull,
    /// An I/O error outside the writer, for example while reading or opening.
    #[error("{operation} failed: {detail}")]
    Io {
        /// What was being done.
        operation: &'static str,
        /// The error's words.
        detail: String,
    },
    /// The writer met an I/O error and has stopped: every later write gets this same error until the
    /// store is opened again. The commit that met it may or may not be found in the log then.
    #[error("writing has stopped after an I/O error ({detail}); restart to read what was stored")]
    WriterStopped {
        /// The first error.
        detail: String,
    },
    /// A foreign program holds a lock on the database file for too long.
    #[error("another program holds a lock on the database ({detail}); close it and try again")]
    Locked {
        /// SQLite's words.
        detail: String,
    },
    /// No reader became free in time.
    #[error("too many reads at once; try again")]
    Overloaded,
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
    /// SQLite refused a statement: a defect of this crate.
    #[error("{operation} was refused by the database: {detail}")]
    Refused {
        /// What was being done.
        operation: &'static str,
        /// SQLite's words.
        detail: String,
    },
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

/// Turns a file system error into the typed error for `path`.
pub(crate) fn from_io(operation: &'static str, path: &Path, error: &io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            StoreError::NotWritable { path: path.to_owned(), detail: error.to_string() }
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull,
        io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename | io::ErrorKind::AlreadyExists => {
            StoreError::BadPath { path: path.to_owned(), detail: error.to_string() }
        }
        _ => StoreError::Io { operation, detail: format!("{}: {error}", path.display()) },
    }
}

/// The reason of an I/O error. SQLite does not pass a full disk on from every place: growing the index of the log reports
/// a code of its own.
fn cause(database: &Path, detail: String) -> String {
    let folder = database.parent().unwrap_or(database);
    match free_bytes(folder) {
        Some(free) if free < NEARLY_FULL => {
            format!("the disk with {} is full; free some space and try again ({detail})", folder.display())
        }
        _ => detail,
    }
}

/// Turns an sqlx error into the typed error, by SQLite's primary result code
/// (<https://www.sqlite.org/rescode.html>).
pub(crate) fn from_sqlx(
    operation: &'static str,
    database: &Path,
    backups: &Path,
    error: &sqlx::Error,
) -> StoreError {
    let detail = error.to_string();
    match error {
        sqlx::Error::Database(refused) => {
            let code = refused.code().and_then(|code| code.parse::<u32>().ok()).unwrap_or(1);
            match code & 0xff {
                5 | 6 => StoreError::Locked { detail },
                8 => StoreError::NotWritable { path: database.to_owned(), detail },
                10 | 14 => StoreError::Io { operation, detail: cause(database, detail) },
                11 | 26 => {
                    StoreError::Corrupt { path: database.to_owned(), detail, backups: backups.to_owned() }
                }
                13 => StoreError::DiskFull,
                _ => StoreError::Refused { operation, detail },
            }
        }
        sqlx::Error::Io(_) => StoreError::Io { operation, detail },
        sqlx::Error::PoolTimedOut => StoreError::Overloaded,
        sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed => StoreError::Closed,
        _ => StoreError::Refused { operation, detail },
    }
}
