//! A file's bytes, unpacked when they are gzip, within the limits.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::read::MultiGzDecoder;

use crate::{Limits, ReadError};

pub(crate) const GZIP: [u8; 2] = [0x1f, 0x8b];

const STEP: usize = 1 << 18;

/// The bytes of the file at `path`; a gzip file's are unpacked.
pub(crate) fn read(path: &Path, limits: &Limits, cancel: &AtomicBool) -> Result<Vec<u8>, ReadError> {
    let file = File::open(path).map_err(|error| ReadError::Io(error.to_string()))?;
    let bytes = read_within(file, limits.file_bytes, "bytes", cancel)?;
    if !bytes.starts_with(&GZIP) {
        return Ok(bytes);
    }
    read_within(MultiGzDecoder::new(bytes.as_slice()), limits.unfolded_bytes, "unpacked bytes", cancel)
        .map_err(|error| match error {
            ReadError::Io(what) => ReadError::Malformed { format: "gzip", what },
            other => other,
        })
}

/// Everything that `source` gives, or an error as soon as it is more than `limit`.
pub(crate) fn read_within(
    mut source: impl Read,
    limit: u64,
    what: &'static str,
    cancel: &AtomicBool,
) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let mut step = vec![0_u8; STEP];
    loop {
        if cancel.load(Ordering::Relaxed) {
            return Err(ReadError::Cancelled);
        }
        match source.read(&mut step) {
            Ok(0) => return Ok(bytes),
            Ok(read) => bytes.extend_from_slice(&step[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(ReadError::Io(error.to_string())),
        }
        if bytes.len() as u64 > limit {
            return Err(ReadError::TooLarge { limit, what });
        }
    }
}

/// What the first bytes of a gzip file unfold to, as far as `head` reaches.
pub(crate) fn unpack_head(head: &[u8], most: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut source = MultiGzDecoder::new(head).take(most as u64);
    // `head` ends in the middle of the stream: what came before the error counts.
    let _ = source.read_to_end(&mut out);
    out
}
