//! Halves of surrogate pairs. Gateways that cut text by UTF-16 units end one piece with `\ud83d` and begin the next one
//! with `\udc4b`, which is no text to a JSON reader. Each half is read as a character of a private plane until the other
//! one has come; what stays alone becomes U+FFFD.

use std::borrow::Cow;

use domain::{HIGH_HALVES as HIGH, LOW_HALVES as LOW, replace_halves};

use crate::wire::{Frame, Reader};
use crate::{ProviderError, StreamEvent};

/// The first of 2,048 private characters that stand for the halves.
const MARKS: u32 = 0x10_F000;
fn mark(half: u16) -> char {
    char::from_u32(MARKS + u32::from(half - HIGH.start())).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn half(mark: char) -> Option<u16> {
    let half = u32::from(mark).checked_sub(MARKS)? + u32::from(*HIGH.start());
    u16::try_from(half).ok().filter(|half| half <= LOW.end())
}

/// A text with its halves put together; `None` where it has none.
fn whole(text: &str) -> Option<String> {
    if !text.contains(|letter| half(letter).is_some()) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let Some(first) = half(letter) else {
            out.push(letter);
            continue;
        };
        let second = letters.peek().and_then(|next| half(*next)).filter(|next| LOW.contains(next));
        let pair = second
            .filter(|_| HIGH.contains(&first))
            .and_then(|second| char::decode_utf16([first, second]).next().and_then(Result::ok));
        if pair.is_some() {
            letters.next();
        }
        out.push(pair.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    Some(out)
}

/// A reader whose answer may be cut within its characters.
pub struct JoinedReader {
    inner: Box<dyn Reader>,
    /// Whether any half came: without one nothing is looked at.
    seen: bool,
    text: PendingHalves,
    thinking: PendingHalves,
}

/// What the pieces of one kind of text ended with.
#[derive(Default)]
struct PendingHalves(Option<char>);

impl PendingHalves {
    /// A piece after what waits. A half at its end waits for the next one.
    fn joined(&mut self, piece: String) -> Option<String> {
        let mut piece = match self.0.take() {
            Some(before) => format!("{before}{piece}"),
            None => piece,
        };
        if let Some(last) = piece.chars().next_back()
            && half(last).is_some_and(|half| HIGH.contains(&half))
        {
            piece.pop();
            self.0 = Some(last);
        }
        let piece = whole(&piece).unwrap_or(piece);
        (!piece.is_empty()).then_some(piece)
    }

    /// A half whose other one never came.
    fn rest(&mut self) -> Option<String> {
        self.0.take().map(|_| char::REPLACEMENT_CHARACTER.to_string())
    }
}

impl JoinedReader {
    /// Joins what a reader of a protocol gives.
    pub fn new(inner: Box<dyn Reader>) -> Self {
        Self { inner, seen: false, text: PendingHalves::default(), thinking: PendingHalves::default() }
    }

    fn join(&mut self, events: Vec<StreamEvent>) -> Vec<StreamEvent> {
        if !self.seen {
            return events;
        }
        let mut joined = Vec::with_capacity(events.len());
        for event in events {
            match event {
                StreamEvent::Text(piece) => joined.extend(self.text.joined(piece).map(StreamEvent::Text)),
                StreamEvent::Thinking(piece) => {
                    joined.extend(self.thinking.joined(piece).map(StreamEvent::Thinking));
                }
                StreamEvent::Finished(mut answer) => {
                    joined.extend(self.thinking.rest().map(StreamEvent::Thinking));
                    joined.extend(self.text.rest().map(StreamEvent::Text));
                    answer.rewrite(&whole);
                    joined.push(StreamEvent::Finished(answer));
                }
                mut event @ (StreamEvent::Started { .. } | StreamEvent::ToolCallBegun { .. }) => {
                    event.rewrite(&whole);
                    joined.push(event);
                }
            }
        }
        joined
    }
}

impl Reader for JoinedReader {
    fn frame(&mut self, frame: &Frame) -> Result<Vec<StreamEvent>, ProviderError> {
        let events = match replace_halves(&frame.data, mark) {
            Cow::Borrowed(_) => self.inner.frame(frame),
            Cow::Owned(data) => {
                self.seen = true;
                self.inner.frame(&Frame { event: frame.event.clone(), data })
            }
        };
        Ok(self.join(events?))
    }

    fn end(&mut self) -> Result<Vec<StreamEvent>, ProviderError> {
        let events = self.inner.end()?;
        Ok(self.join(events))
    }

    fn is_complete(&self) -> bool {
        self.inner.is_complete()
    }

    fn continuation(&self) -> Option<String> {
        self.inner.continuation()
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn marks_stand_for_every_half_and_nothing_else() {
        for half in 0xD800..=0xDFFF {
            assert_eq!(super::half(mark(half)), Some(half));
        }
        for other in ['a', '\u{FFFD}', '\u{10EFFF}', '\u{10F800}', '\u{10FFFF}'] {
            assert_eq!(super::half(other), None);
        }
    }
}
