//! Bounds of what is read, and files that are what they seem.

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The most that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Entries of an archive, and files of a folder.
    pub entries: usize,
    /// Bytes of everything that an archive unfolds to.
    pub total_bytes: u64,
    /// Bytes of one entry or file.
    pub entry_bytes: u64,
    /// How many times its packed size an entry may unfold to, once it is larger than a mebibyte.
    pub ratio: u64,
    /// Bytes of one line.
    pub line_bytes: usize,
    /// Bytes of a configuration file.
    pub config_bytes: u64,
    /// Bytes of all configuration files together.
    pub configs_bytes: u64,
    /// Bytes of a session's lines that are kept.
    pub session_bytes: u64,
    /// Sessions at once.
    pub sessions: usize,
    /// Messages of one session.
    pub messages: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entries: 500_000,
            total_bytes: 32 << 30,
            entry_bytes: 64 << 20,
            ratio: 1_000,
            line_bytes: 16 << 20,
            config_bytes: 4 << 20,
            configs_bytes: 256 << 20,
            session_bytes: 512 << 20,
            sessions: 100_000,
            messages: 200_000,
        }
    }
}

impl Limits {
    /// The largest entry of a bundle: a log holds what several files would.
    pub fn largest_entry(&self) -> u64 {
        self.entry_bytes * 4
    }
}

/// Why a file can't be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is a link, a device, a pipe or a folder.
    #[error("{} is not a plain file; links are not followed", .0.display())]
    NotPlain(PathBuf),
    /// It is too large.
    #[error("{} has {size} bytes; at most {limit} are read", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its bytes.
        size: u64,
        /// The most.
        limit: u64,
    },
    /// The system refused.
    #[error("{} can't be read: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's words.
        error: std::io::Error,
    },
}

/// Opens a file that is neither a link nor anything but a file, and is the one that was looked at.
///
/// # Errors
/// When it is not, or can't be opened.
pub fn open_plain(path: &Path) -> Result<(File, Metadata), ReadError> {
    let failed = |error| ReadError::Io { path: path.to_owned(), error };
    let seen = std::fs::symlink_metadata(path).map_err(failed)?;
    if !seen.file_type().is_file() {
        return Err(ReadError::NotPlain(path.to_owned()));
    }
    let file = File::open(path).map_err(failed)?;
    let opened = file.metadata().map_err(failed)?;
    // Somebody may have put a link there between the two.
    if !same(&seen, &opened) {
        return Err(ReadError::NotPlain(path.to_owned()));
    }
    Ok((file, opened))
}

#[cfg(unix)]
fn same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    other.is_file() && one.dev() == other.dev() && one.ino() == other.ino()
}

#[cfg(not(unix))]
fn same(one: &Metadata, other: &Metadata) -> bool {
    other.is_file() && one.len() == other.len()
}

/// The bytes of a plain file.
///
/// # Errors
/// When it is none, too large, or can't be read.
pub fn read_plain(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let (file, seen) = open_plain(path)?;
    let too_large = |size| ReadError::TooLarge { path: path.to_owned(), size, limit };
    if seen.len() > limit {
        return Err(too_large(seen.len()));
    }
    let mut bytes = Vec::with_capacity(seen.len() as usize);
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| ReadError::Io { path: path.to_owned(), error })?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}
