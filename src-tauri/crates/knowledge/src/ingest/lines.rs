//! Reading a source line by line with bounds: no line is held beyond its cap, no byte is guessed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use sha2::{Digest as _, Sha256};

use super::limits::{FILE_BYTES, LINE_BYTES};

/// A line as read.
pub(crate) enum Line {
    /// Its text without line end.
    Text(String),
    /// Not UTF-8; the first bad byte, counted from 1.
    NotUtf8(usize),
    /// Longer than the cap; its length in bytes.
    TooLong(u64),
}

/// A source opened for reading: decompressed when it is gzip, hashed as stored.
pub(crate) struct Source {
    reader: Box<dyn BufRead>,
    started: bool,
    /// Decompressed bytes read so far.
    pub(crate) read: u64,
}

impl Source {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
        let gzip = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
        let reader: Box<dyn BufRead> = if gzip {
            Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(file)))
        } else {
            Box::new(file)
        };
        Ok(Self { reader, started: false, read: 0 })
    }

    /// Whether the beginning holds a NUL byte, which no text has.
    pub(crate) fn looks_binary(&mut self) -> io::Result<bool> {
        let start = self.reader.fill_buf()?;
        Ok(start[..start.len().min(8192)].contains(&0))
    }

    /// The next line; `None` at the end. An error when the file is longer than a source may be.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<Line>> {
        let mut line: Vec<u8> = Vec::new();
        let mut length = 0_u64;
        let mut any = false;
        loop {
            let chunk = self.reader.fill_buf()?;
            if chunk.is_empty() {
                break;
            }
            any = true;
            let end = chunk.iter().position(|&b| b == b'\n');
            let take = end.map_or(chunk.len(), |at| at + 1);
            let content = end.unwrap_or(chunk.len());
            length += content as u64;
            if line.len() + content <= LINE_BYTES {
                line.extend_from_slice(&chunk[..content]);
            }
            self.reader.consume(take);
            self.read += take as u64;
            if self.read > FILE_BYTES {
                return Err(io::Error::other(format!("more than {FILE_BYTES} bytes of text")));
            }
            if end.is_some() {
                break;
            }
        }
        if !any {
            return Ok(None);
        }
        if length > line.len() as u64 {
            return Ok(Some(Line::TooLong(length)));
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if !self.started {
            self.started = true;
            if line.starts_with(b"\xef\xbb\xbf") {
                line.drain(..3);
            }
        }
        Ok(Some(match String::from_utf8(line) {
            Ok(text) => Line::Text(text),
            Err(error) => Line::NotUtf8(error.utf8_error().valid_up_to() + 1),
        }))
    }
}

/// Length and SHA-256 of a file as stored.
pub(crate) fn fingerprint(path: &Path) -> io::Result<(u64, domain::Digest)> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0_u8; 1 << 16];
    let mut bytes = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((bytes, domain::Digest(hasher.finalize().into())));
        }
        hasher.update(&buffer[..read]);
        bytes += read as u64;
    }
}
