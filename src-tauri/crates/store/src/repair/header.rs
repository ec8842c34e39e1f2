//! Copies of damaged files, and the header of a database that lost its own.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::data_dir::private_file;
use crate::error::{Result, from_io};
use crate::schema::{APPLICATION_ID, Schema};

const PAGE_BYTES: u64 = 4_096;

/// A file beside another, with a longer name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Copies a file for this user alone; one that is not there is no failure.
pub(super) fn duplicate(from: &Path, to: &Path) -> Result<()> {
    let failed = |error: std::io::Error| from_io("copying the damaged database", from, &error);
    let mut source = match File::open(from) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    let mut target = private_file(to).map_err(failed)?;
    target.set_len(0).map_err(failed)?;
    std::io::copy(&mut source, &mut target).map(drop).map_err(failed)
}

/// Writes the header of a database of ours where it is no header any more: all of its fields but two are known.
pub(super) fn mend_header(path: &Path) -> Result<()> {
    let failed = |error: std::io::Error| from_io("reading the damaged database", path, &error);
    let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    let mut header = [0; 100];
    let read = file.read(&mut header).map_err(failed)?;
    let number = |at: usize| header[at..at + 4].iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
    let sound = read == 100
        && header.starts_with(b"SQLite format 3\0")
        && header[16..24] == [0x10, 0, 2, 2, 0, 64, 32, 32]
        && number(68) == APPLICATION_ID;
    let pages = u32::try_from(size / PAGE_BYTES).unwrap_or(u32::MAX);
    if size < PAGE_BYTES {
        return Ok(());
    }
    if sound {
        // SQLite reads nothing of a file that is shorter than its header says.
        if number(28) > pages {
            file.seek(SeekFrom::Start(28))
                .and_then(|_| file.write_all(&pages.to_be_bytes()))
                .map_err(failed)?;
        }
        return Ok(());
    }
    let mut fresh = [0; 100];
    fresh[..16].copy_from_slice(b"SQLite format 3\0");
    fresh[16..24].copy_from_slice(&[0x10, 0, 2, 2, 0, 64, 32, 32]);
    let mut put = |at: usize, number: u32| fresh[at..at + 4].copy_from_slice(&number.to_be_bytes());
    // A size that goes with the change counter, no list of free pages, a schema to be read, UTF-8, auto-vacuum by steps.
    put(24, 1);
    put(28, pages);
    put(40, 1);
    put(44, 4);
    put(52, 4);
    put(56, 1);
    put(60, Schema::CURRENT.version);
    put(64, 1);
    put(68, APPLICATION_ID);
    put(92, 1);
    put(96, 3_051_003);
    file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(&fresh)).map_err(failed)
}
