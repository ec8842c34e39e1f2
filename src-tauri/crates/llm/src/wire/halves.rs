//! Halves of surrogate pairs. Gateways that cut text by UTF-16 units end one piece with `\ud83d` and begin the next one
//! with `\udc4b`, which is no text to a JSON reader. Each half is read as a character of a private plane until the other
//! one has come; what stays alone becomes U+FFFD.

use std::borrow::Cow;

use crate::wire::{Frame, Reader};
use crate::{ProviderError, StreamEvent};

/// The first of 2,048 private characters that stand for the halves.
const MARKS: u32 = 0x10_F000;
const HIGH: std::ops::RangeInclusive<u16> = 0xD800..=0xDBFF;
const LOW: std::ops::RangeInclusive<u16> = 0xDC00..=0xDFFF;

/// JSON without escapes of half a character: they are U+FFFD.
pub(super) fn mended(json: &str) -> Cow<'_, str> {
    replaced(json, |_| char::REPLACEMENT_CHARACTER)
}

/// Puts another character where a half stands alone. Pairs stay as they are.
fn replaced(json: &str, with: impl Fn(u16) -> char) -> Cow<'_, str> {
    if !json.contains("\\ud") && !json.contains("\\uD") {
        return Cow::Borrowed(json);
    }
    let bytes = json.as_bytes();
    let (mut out, mut kept, mut at) = (String::new(), 0, 0);
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        let here = at + found;
        let Some(unit) = unit(bytes, here) else {
            at = here + 2;
            continue;
        };
        at = here + 6;
        if HIGH.contains(&unit) && self::unit(bytes, at).is_some_and(|next| LOW.contains(&next)) {
            at += 6;
        } else if HIGH.contains(&unit) || LOW.contains(&unit) {
            out.push_str(&json[kept..here]);
            out.push(with(unit));
            kept = at;
        }
    }
    if kept == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(&json[kept..]);
    Cow::Owned(out)
}

/// The unit of an escape that begins here.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u16::from_str_radix(digits, 16).ok()
}

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
        let events = match replaced(&frame.data, mark) {
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
    fn only_halves_that_stand_alone_are_replaced() {
        for stays in [
            r#"{"a":"\ud83d\udc4b"}"#,
            r#"{"a":"\\ud83d"}"#,
            r#"{"a":"\u00e9 \uD7FF \uE000"}"#,
            r#"{"a":"\ud8"#,
            r#"\ud8é!"#,
            "\\",
        ] {
            assert!(matches!(mended(stays), Cow::Borrowed(same) if same == stays), "{stays}");
        }
        for (cut, mended) in [
            (r#"{"a":"x\ud83d"}"#, "{\"a\":\"x\u{FFFD}\"}"),
            (r#"{"a":"\uDC4By"}"#, "{\"a\":\"\u{FFFD}y\"}"),
            (r#"\\\ud83d\ud83d\udc4b"#, "\\\\\u{FFFD}\\ud83d\\udc4b"),
            (r#"\udc4b\ud83d"#, "\u{FFFD}\u{FFFD}"),
        ] {
            assert_eq!(super::mended(cut), mended, "{cut}");
        }
    }

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
