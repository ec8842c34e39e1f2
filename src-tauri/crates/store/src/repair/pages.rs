//! The pages of a database file as they were after its last commit: those of the write-ahead log before those of the file.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// Bytes of a page.
pub(super) const PAGE_BYTES: usize = 4_096;
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
const MAGIC: u32 = 0x377f_0682;

/// A page.
pub(super) type Page = [u8; PAGE_BYTES];

/// A database file, read without SQLite.
pub(super) struct Pages {
    file: File,
    log: Option<Log>,
    count: u32,
}

struct Log {
    file: File,
    /// Where the newest committed version of a page begins.
    frames: HashMap<u32, u64>,
}

impl Pages {
    /// Opens both files. A log that is missing or can't be read leaves the database file alone.
    pub(super) fn open(database: &Path, log: &Path) -> io::Result<Self> {
        let file = File::open(database)?;
        let own = u32::try_from(file.metadata()?.len() / PAGE_BYTES as u64).unwrap_or(u32::MAX);
        let (log, committed) = match File::open(log) {
            Ok(file) => Log::read(file)?,
            Err(error) if error.kind() == ErrorKind::NotFound => (None, 0),
            Err(error) => return Err(error),
        };
        Ok(Self { file, log, count: own.max(committed) })
    }

    /// How many pages there are.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Reads a page, numbered from 1. `None`: the file ends before it, or the disk does not give it.
    pub(super) fn page(&mut self, number: u32) -> Option<Box<Page>> {
        if number == 0 || number > self.count {
            return None;
        }
        let mut page = Box::new([0; PAGE_BYTES]);
        let logged = self.log.as_mut().and_then(|log| Some((*log.frames.get(&number)?, &mut log.file)));
        let (at, file) = match logged {
            Some((at, file)) => (at, file),
            None => (u64::from(number - 1) * PAGE_BYTES as u64, &mut self.file),
        };
        file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(page.as_mut())).ok()?;
        Some(page)
    }
}

impl Log {
    /// The committed pages of a log, and how many pages the database had after its last commit.
    fn read(mut file: File) -> io::Result<(Option<Self>, u32)> {
        let mut header = [0; LOG_HEADER];
        if !filled(&mut file, &mut header)? {
            return Ok((None, 0));
        }
        let magic = number(&header, 0);
        let mut sums = Sums { big_endian: magic & 1 == 1, first: 0, second: 0 };
        sums.add(&header[..24]);
        let sound = magic & !1 == MAGIC
            && number(&header, 8) as usize == PAGE_BYTES
            && sums.are(number(&header, 24), number(&header, 28));
        if !sound {
            return Ok((None, 0));
        }
        let (mut frames, mut pending, mut count) = (HashMap::new(), Vec::new(), 0);
        let mut at = LOG_HEADER as u64;
        let mut frame = vec![0; FRAME_HEADER + PAGE_BYTES];
        while filled(&mut file, &mut frame)? {
            sums.add(&frame[..8]);
            sums.add(&frame[FRAME_HEADER..]);
            let belongs = frame[8..16] == header[16..24]
                && sums.are(number(&frame, 16), number(&frame, 20))
                && number(&frame, 0) > 0;
            if !belongs {
                break;
            }
            pending.push((number(&frame, 0), at + FRAME_HEADER as u64));
            let pages = number(&frame, 4);
            if pages > 0 {
                frames.extend(pending.drain(..));
                count = pages;
            }
            at += frame.len() as u64;
        }
        let log = (!frames.is_empty()).then_some(Self { file, frames });
        Ok((log, count))
    }
}

/// The checksum of a log, which goes on from frame to frame.
struct Sums {
    big_endian: bool,
    first: u32,
    second: u32,
}

impl Sums {
    fn add(&mut self, bytes: &[u8]) {
        let word = |bytes: &[u8]| {
            let bytes = [bytes[0], bytes[1], bytes[2], bytes[3]];
            if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
        };
        for pair in bytes.chunks_exact(8) {
            self.first = self.first.wrapping_add(word(&pair[..4])).wrapping_add(self.second);
            self.second = self.second.wrapping_add(word(&pair[4..])).wrapping_add(self.first);
        }
    }

    fn are(&self, first: u32, second: u32) -> bool {
        (self.first, self.second) == (first, second)
    }
}

/// Four bytes as SQLite writes numbers. The caller knows that they are there.
pub(super) fn number(bytes: &[u8], at: usize) -> u32 {
    bytes.iter().skip(at).take(4).fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

/// Whether a whole buffer could be read.
fn filled(file: &mut File, buffer: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
