//! Bytes to lines and to server-sent events (WHATWG HTML, "Server-sent events"). Incremental: however the bytes are
//! split, the events are the same. Own code, because the libraries measured neither bound what one event may hold nor
//! work without an asynchronous body, and are half as fast.

use std::time::Duration;

use memchr::{memchr, memchr2};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
/// The largest buffer that is kept for the next line.
const MAX_KEPT_BYTES: usize = 64 * 1024;

/// What ends a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// A line feed, a carriage return, or both.
    Any,
    /// A line feed.
    LineFeed,
}

/// Cuts bytes into lines. A byte order mark before the first one is dropped.
#[derive(Debug)]
pub struct Lines {
    end: LineEnd,
    limit: usize,
    /// The beginning of a line whose end has not arrived.
    line: Vec<u8>,
    too_long: bool,
    first: bool,
    /// The last byte was a carriage return that ended a line: a line feed right after it belongs to it.
    returned: bool,
}

impl Lines {
    /// For lines of at most `limit` bytes.
    pub fn new(end: LineEnd, limit: usize) -> Self {
        Self { end, limit, line: Vec::new(), too_long: false, first: true, returned: false }
    }

    /// Hands over each line that the bytes complete, and whether it was too long and is cut.
    pub fn push(&mut self, bytes: &[u8], mut take: impl FnMut(&[u8], bool)) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if std::mem::take(&mut self.returned) && rest.first() == Some(&b'\n') {
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            let end = match self.end {
                LineEnd::Any => memchr2(b'\n', b'\r', rest),
                LineEnd::LineFeed => memchr(b'\n', rest),
            };
            let Some(end) = end else {
                self.keep(rest);
                break;
            };
            let (piece, tail) = rest.split_at(end);
            self.returned = tail.first() == Some(&b'\r');
            rest = tail.get(1..).unwrap_or_default();
            if self.line.is_empty() && piece.len() <= self.limit {
                take(self.marked(piece), false);
                continue;
            }
            self.keep(piece);
            let mut line = std::mem::take(&mut self.line);
            take(self.marked(&line), std::mem::take(&mut self.too_long));
            if line.capacity() <= MAX_KEPT_BYTES {
                line.clear();
                self.line = line;
            }
        }
    }

    /// The line that has not ended, and whether it is too long already.
    pub fn unfinished(&self) -> (&[u8], bool) {
        let line = if self.first { self.line.strip_prefix(BYTE_ORDER_MARK) } else { None };
        (line.unwrap_or(&self.line), self.too_long)
    }

    fn keep(&mut self, piece: &[u8]) {
        let room = self.limit - self.line.len();
        self.too_long |= piece.len() > room;
        self.line.extend_from_slice(piece.get(..room).unwrap_or(piece));
    }

    fn marked<'l>(&mut self, line: &'l [u8]) -> &'l [u8] {
        if std::mem::take(&mut self.first) {
            line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
        } else {
            line
        }
    }
}

/// An event of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// Its name; empty: none.
    pub name: Vec<u8>,
    /// Its data, the lines joined; `None`: it only carries an id or keeps the connection alive.
    pub data: Option<Vec<u8>>,
    /// Whether it, or a line of it, was larger than the limit and is cut.
    pub too_large: bool,
}

/// Reads a stream of events.
#[derive(Debug)]
pub struct Decoder {
    limit: usize,
    lines: Lines,
    event: Event,
    fresh_id: Option<String>,
    /// The id of the last event that was complete.
    pub last_id: Option<String>,
    /// How long the server wants to be left before the next connection.
    pub retry: Option<Duration>,
}

impl Decoder {
    /// For events of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        let lines = Lines::new(LineEnd::Any, limit);
        Self { limit, lines, event: Event::default(), fresh_id: None, last_id: None, retry: None }
    }

    /// Begins another stream that continues this one: what was incomplete is forgotten.
    pub fn restart(&mut self) {
        let (last_id, retry) = (self.last_id.take(), self.retry);
        *self = Self { last_id, retry, ..Self::new(self.limit) };
    }

    /// Takes the next bytes; returns the events that they complete. One without its blank line is none yet.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        let Self { limit, lines, event, fresh_id, last_id, retry } = self;
        lines.push(bytes, |line, too_long| {
            event.too_large |= too_long;
            if line.is_empty() {
                if let Some(id) = fresh_id.take() {
                    *last_id = Some(id);
                }
                events.push(std::mem::take(event));
            } else if let Some(value) = value(line, b"data") {
                let data = match &mut event.data {
                    Some(data) => {
                        data.push(b'\n');
                        data
                    }
                    none => none.insert(Vec::new()),
                };
                let room = limit.saturating_sub(data.len());
                event.too_large |= value.len() > room;
                data.extend_from_slice(value.get(..room).unwrap_or(value));
            } else if let Some(name) = value(line, b"event") {
                event.name = name.to_owned();
            } else if let Some(id) = value(line, b"id").filter(|id| !id.contains(&0)) {
                *fresh_id = std::str::from_utf8(id).ok().map(str::to_owned);
            } else if let Some(digits) =
                value(line, b"retry").filter(|text| text.iter().all(u8::is_ascii_digit))
            {
                let ms = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
                *retry = ms.map(Duration::from_millis).or(*retry);
            }
        });
        events
    }

    /// Whether the event that has not ended is larger than the limit already.
    pub fn is_too_large(&self) -> bool {
        self.event.too_large || self.lines.too_long
    }
}

/// The value of a line that has this field: what follows the colon, without the one blank after it.
fn value<'l>(line: &'l [u8], field: &[u8]) -> Option<&'l [u8]> {
    match line.strip_prefix(field)? {
        [] => Some(&[]),
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn data(text: &str) -> Event {
        Event { data: Some(text.as_bytes().to_vec()), ..Event::default() }
    }

    #[test]
    fn however_a_stream_is_split_the_events_are_the_same() {
        let stream = "\u{feff}: hello\r\nid: 1\r\ndata: {\"a\":\rdata:\"ü\"}\r\n\r\nevent: x\ndata\n\nretry: 250\nid: 2\n\ndata: b\n\n";
        let bytes = stream.as_bytes();
        let mut whole = Decoder::new(1 << 20);
        let expected = whole.push(bytes);
        let named = Event { name: b"x".to_vec(), ..data("") };
        assert_eq!(expected, [data("{\"a\":\n\"ü\"}"), named, Event::default(), data("b")]);
        assert_eq!((whole.last_id.as_deref(), whole.retry), (Some("2"), Some(Duration::from_millis(250))));
        for size in 1..bytes.len() {
            let mut decoder = Decoder::new(1 << 20);
            let events: Vec<Event> = bytes.chunks(size).flat_map(|piece| decoder.push(piece)).collect();
            assert_eq!(events, expected, "pieces of {size}");
        }
    }

    #[test]
    fn an_event_that_is_too_large_is_told_and_the_next_one_is_read() {
        let mut stream = format!("data: {}\n", "x".repeat(1_000));
        stream += "\ndata: a\ndata: 1234567890123456\n\ndata: 12345678\ndata: 12345678\n\ndata: small\n\n";
        for size in [1, 7, stream.len()] {
            let mut decoder = Decoder::new(16);
            let events: Vec<Event> =
                stream.as_bytes().chunks(size).flat_map(|piece| decoder.push(piece)).collect();
            assert_eq!(
                events.iter().map(|event| event.too_large).collect::<Vec<_>>(),
                [true, true, true, false]
            );
            assert!(events.iter().flat_map(|event| &event.data).all(|data| data.len() <= 17));
            assert_eq!(events[3], data("small"));
        }
        let mut decoder = Decoder::new(16);
        assert_eq!(decoder.push(&[b'x'; 17]), []);
        assert!(decoder.is_too_large());
    }

    #[test]
    fn what_is_broken_in_a_stream_is_passed_over() {
        let mut decoder = Decoder::new(100);
        let events =
            decoder.push(b"retry: soon\nid: a\0b\nfoo: bar\n\xff\xfe\ndata: ok\n\ndata: never ended");
        assert_eq!(events, [data("ok")]);
        assert_eq!((&decoder.last_id, decoder.retry), (&None, None));
        decoder.restart();
        assert_eq!(decoder.push(b"data: next\n\n"), [data("next")]);
    }
}
