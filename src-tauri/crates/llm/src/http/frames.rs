//! Bytes to frames: server-sent events, and JSON lines. Incremental: however the bytes are split, the frames are the same.

use serde::de::IgnoredAny;
use sse::{Event, LineEnd, Lines};

use crate::Fault;
use crate::wire::{Frame, Framing};

/// The most bytes of one event, and of one line.
pub const EVENT_BYTES: usize = 16 * 1024 * 1024;

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
pub struct Decoder(Cut);

#[derive(Debug)]
enum Cut {
    Events(sse::Decoder),
    Lines(Lines),
}

impl Decoder {
    /// A decoder at the beginning of a body.
    pub fn new(framing: Framing) -> Self {
        Self(match framing {
            Framing::Sse => Cut::Events(sse::Decoder::new(EVENT_BYTES)),
            Framing::Lines => Cut::Lines(Lines::new(LineEnd::LineFeed, EVENT_BYTES)),
        })
    }

    /// Takes the next bytes and appends the frames that they complete. After an error nothing more may be pushed; the
    /// frames before it are appended.
    pub fn push(&mut self, bytes: &[u8], frames: &mut Vec<Frame>) -> Result<(), FrameError> {
        let too_long = match &mut self.0 {
            Cut::Events(decoder) => {
                for event in decoder.push(bytes) {
                    frames.extend(frame(event)?);
                }
                decoder.is_too_large()
            }
            Cut::Lines(lines) => {
                let mut read = Ok(());
                lines.push(bytes, |line, too_long| {
                    if read.is_ok() {
                        read = if too_long { Err(FrameError::TooLong) } else { json_line(line, frames) };
                    }
                });
                read?;
                lines.unfinished().1
            }
        };
        if too_long { Err(FrameError::TooLong) } else { Ok(()) }
    }

    /// The body has ended. An event without its blank line is dropped, as the standard says; a last line of JSON counts
    /// without its line end, unless it was cut.
    pub fn finish(&mut self, frames: &mut Vec<Frame>) -> Result<(), FrameError> {
        let Cut::Lines(lines) = &self.0 else { return Ok(()) };
        let (line, _) = lines.unfinished();
        match std::str::from_utf8(line) {
            Err(error) if error.error_len().is_none() => Ok(()),
            Ok(text) if serde_json::from_str::<IgnoredAny>(text).is_err_and(|error| error.is_eof()) => Ok(()),
            Ok(_) | Err(_) => json_line(line, frames),
        }
    }
}

fn frame(Event { name, data, too_large }: Event) -> Result<Option<Frame>, FrameError> {
    if too_large {
        return Err(FrameError::TooLong);
    }
    let text = |bytes| String::from_utf8(bytes).map_err(|_| FrameError::NotText);
    let event = Some(text(name)?).filter(|name| !name.is_empty());
    Ok(data.map(text).transpose()?.map(|data| Frame { event, data }))
}

fn json_line(line: &[u8], frames: &mut Vec<Frame>) -> Result<(), FrameError> {
    let line = std::str::from_utf8(line.trim_ascii()).map_err(|_| FrameError::NotText)?;
    if !line.is_empty() {
        frames.push(Frame { event: None, data: line.to_owned() });
    }
    Ok(())
}

/// The frames of a whole body.
pub fn decode(framing: Framing, body: &[u8]) -> Result<Vec<Frame>, FrameError> {
    let mut decoder = Decoder::new(framing);
    let mut frames = Vec::new();
    decoder.push(body, &mut frames)?;
    decoder.finish(&mut frames)?;
    Ok(frames)
}
