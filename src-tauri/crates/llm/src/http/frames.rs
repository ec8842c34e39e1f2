//! Bytes to frames: server-sent events as the HTML standard has them, and JSON lines. Incremental: however the bytes are
//! split, the frames are the same. Own code, because the libraries measured neither bound what one event may hold nor
//! work without an asynchronous body, and are half as fast.

use memchr::{memchr, memchr2};
use serde::de::IgnoredAny;

use crate::Fault;
use crate::wire::{Frame, Framing};

/// The most bytes of one event, and of one line.
pub const EVENT_BYTES: usize = 16 * 1024 * 1024;

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Why bytes are no frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// What should be text is not.
    #[error("the answer is not UTF-8 text")]
    NotText,
    /// One event is longer than [`EVENT_BYTES`].
    #[error("one event of the answer is longer than {} MiB", EVENT_BYTES >> 20)]
    TooLong,
}

impl FrameError {
    /// The kind of failure.
    pub fn fault(self) -> Fault {
        match self {
            Self::NotText => Fault::Malformed,
            Self::TooLong => Fault::OverCap,
        }
    }
}

/// Cuts a body into frames.
#[derive(Debug)]
pub struct Decoder {
    framing: Framing,
    /// The beginning of a line whose end has not arrived.
    line: Vec<u8>,
    /// No line has ended yet: a byte order mark may stand before it.
    first: bool,
    /// The last byte was a carriage return that ended a line: a line feed right after it belongs to it.
    returned: bool,
    event: Option<String>,
    data: Option<String>,
}

impl Decoder {
    /// A decoder at the beginning of a body.
    pub fn new(framing: Framing) -> Self {
        Self { framing, line: Vec::new(), first: true, returned: false, event: None, data: None }
    }

    /// Takes the next bytes and appends the frames that they complete. After an error nothing more may be pushed; the
    /// frames before it are appended.
    pub fn push(&mut self, bytes: &[u8], frames: &mut Vec<Frame>) -> Result<(), FrameError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if std::mem::take(&mut self.returned) && rest.first() == Some(&b'\n') {
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            let end = match self.framing {
                Framing::Sse => memchr2(b'\n', b'\r', rest),
                Framing::Lines => memchr(b'\n', rest),
            };
            let Some(end) = end else {
                if self.line.len() + rest.len() > EVENT_BYTES {
                    return Err(FrameError::TooLong);
                }
                self.line.extend_from_slice(rest);
                break;
            };
            let (piece, tail) = rest.split_at(end);
            self.returned = tail.first() == Some(&b'\r');
            rest = tail.get(1..).unwrap_or_default();
            if self.line.len() + piece.len() > EVENT_BYTES {
                return Err(FrameError::TooLong);
            }
            if self.line.is_empty() {
                self.take(piece, frames)?;
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(piece);
                self.take(&line, frames)?;
                // Kept for the next split line, unless one long event made it large.
                if line.capacity() <= 64 * 1024 {
                    line.clear();
                    self.line = line;
                }
            }
        }
        Ok(())
    }

    /// The body has ended. An event without its blank line is dropped, as the standard says; a last line of JSON counts
    /// without its line end, unless it was cut.
    pub fn finish(&mut self, frames: &mut Vec<Frame>) -> Result<(), FrameError> {
        let line = std::mem::take(&mut self.line);
        match self.framing {
            Framing::Sse => Ok(()),
            Framing::Lines => match std::str::from_utf8(&line) {
                Err(error) if error.error_len().is_none() => Ok(()),
                Ok(text) if serde_json::from_str::<IgnoredAny>(text).is_err_and(|error| error.is_eof()) => {
                    Ok(())
                }
                Ok(_) | Err(_) => self.take(&line, frames),
            },
        }
    }

    fn take(&mut self, line: &[u8], frames: &mut Vec<Frame>) -> Result<(), FrameError> {
        let line =
            if std::mem::take(&mut self.first) { line.strip_prefix(MARK).unwrap_or(line) } else { line };
        match self.framing {
            Framing::Sse => self.field(line, frames),
            Framing::Lines => {
                let line = line.trim_ascii();
                if !line.is_empty() {
                    frames.push(Frame { event: None, data: text(line)?.to_owned() });
                }
                Ok(())
            }
        }
    }

    fn field(&mut self, line: &[u8], frames: &mut Vec<Frame>) -> Result<(), FrameError> {
        if line.is_empty() {
            let event = self.event.take();
            if let Some(data) = self.data.take() {
                frames.push(Frame { event, data });
            }
            return Ok(());
        }
        if let Some(value) = value(line, b"data") {
            let value = text(value)?;
            match &mut self.data {
                None => self.data = Some(value.to_owned()),
                Some(data) => {
                    if data.len() + 1 + value.len() > EVENT_BYTES {
                        return Err(FrameError::TooLong);
                    }
                    data.push('\n');
                    data.push_str(value);
                }
            }
        } else if let Some(value) = value(line, b"event") {
            self.event = Some(text(value)?).filter(|name| !name.is_empty()).map(str::to_owned);
        }
        Ok(())
    }
}

/// The frames of a whole body.
pub fn decode(framing: Framing, body: &[u8]) -> Result<Vec<Frame>, FrameError> {
    let mut decoder = Decoder::new(framing);
    let mut frames = Vec::new();
    decoder.push(body, &mut frames)?;
    decoder.finish(&mut frames)?;
    Ok(frames)
}

/// The value of a line that has this field: what follows the colon, without the one blank after it.
fn value<'a>(line: &'a [u8], field: &[u8]) -> Option<&'a [u8]> {
    match line.strip_prefix(field)? {
        [] => Some(&[]),
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
        _ => None,
    }
}

fn text(bytes: &[u8]) -> Result<&str, FrameError> {
    std::str::from_utf8(bytes).map_err(|_| FrameError::NotText)
}
