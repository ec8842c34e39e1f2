//! The entries of a zip archive, read into memory one by one; nothing is ever unpacked to disk.

use std::io::Cursor;
use std::sync::atomic::AtomicBool;

use zip::ZipArchive;
use zip::result::ZipError;

use crate::source::read_within;
use crate::{Limits, ReadError};

/// Most entries of one archive.
const MAX_ENTRIES: usize = 65_536;

/// An archive whose entries may unfold to so many bytes in all.
pub(crate) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    format: &'static str,
    limit: u64,
    left: u64,
    cancel: &'a AtomicBool,
}

impl<'a> Archive<'a> {
    /// Opens an archive; `format` names it in errors.
    pub(crate) fn open(
        bytes: &'a [u8],
        format: &'static str,
        limits: &Limits,
        cancel: &'a AtomicBool,
    ) -> Result<Self, ReadError> {
        let zip =
            ZipArchive::new(Cursor::new(bytes)).map_err(|error| malformed(format, &error.to_string()))?;
        if zip.len() > MAX_ENTRIES {
            return Err(ReadError::TooLarge { limit: MAX_ENTRIES as u64, what: "entries of an archive" });
        }
        Ok(Self { zip, format, limit: limits.unfolded_bytes, left: limits.unfolded_bytes, cancel })
    }

    /// The entry of that exact name, unfolded; `None` when there is none. Names that leave the archive
    /// (`../x`, `/x`) are never entries.
    pub(crate) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, ReadError> {
        let entry = match self.zip.by_name(name) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) | ZipError::InvalidPassword) => {
                return Err(ReadError::Encrypted);
            }
            Err(error) => return Err(malformed(self.format, &format!("entry {name:?}: {error}"))),
        };
        if entry.enclosed_name().is_none() {
            return Ok(None);
        }
        let bytes =
            read_within(entry, self.left, "unpacked bytes", self.cancel).map_err(|error| match error {
                ReadError::Io(what) => malformed(self.format, &format!("entry {name:?}: {what}")),
                ReadError::TooLarge { what, .. } => ReadError::TooLarge { limit: self.limit, what },
                other => other,
            })?;
        self.left -= bytes.len() as u64;
        Ok(Some(bytes))
    }
}

fn malformed(format: &'static str, what: &str) -> ReadError {
    ReadError::Malformed { format, what: what.to_owned() }
}
