//! Streams of events (WHATWG HTML, "Server-sent events"), read within bounds.

use std::time::Duration;

const MAX_PAUSE: Duration = Duration::from_secs(30);
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// An event of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    /// Data of an event, its lines joined.
    Data(Vec<u8>),
    /// An event without data: it only carries an id or keeps the connection alive.
    Empty,
    /// An event that grew beyond the limit; its beginning.
    TooLarge(Vec<u8>),
}

/// Reads a stream in pieces of any size.
#[derive(Debug)]
pub(super) struct Decoder {
    limit: usize,
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    too_large: bool,
    /// Whether the last byte was a carriage return, so that a line feed belongs to it.
    after_return: bool,
    first_line: bool,
    fresh_id: Option<String>,
    /// The id of the last event that was complete.
    pub(super) last_id: Option<String>,
    /// How long the server wants us to wait before the next connection.
    pub(super) retry: Option<Duration>,
}

impl Decoder {
    /// A reader of a stream whose events have at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            data: Vec::new(),
            has_data: false,
            too_large: false,
            after_return: false,
            first_line: true,
            fresh_id: None,
            last_id: None,
            retry: None,
        }
    }

    /// Begins another stream that continues this one: what was incomplete is forgotten.
    pub(super) fn restart(&mut self) {
        let (last_id, retry) = (self.last_id.take(), self.retry);
        *self = Self { last_id, retry, ..Self::new(self.limit) };
    }

    /// How long to wait before the next connection.
    pub(super) fn pause(&self) -> Duration {
        self.retry.unwrap_or(FIRST_PAUSE).min(MAX_PAUSE)
    }

    /// Reads a piece; returns the events that it completed.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        for byte in bytes {
            match byte {
                b'\n' if self.after_return => self.after_return = false,
                b'\n' | b'\r' => {
                    self.after_return = *byte == b'\r';
                    events.extend(self.end_line());
                }
                _ => {
                    self.after_return = false;
                    if self.line.len() < self.limit {
                        self.line.push(*byte);
                    } else {
                        self.too_large = true;
                    }
                }
            }
        }
        events
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let line = match line.strip_prefix("\u{feff}".as_bytes()) {
            Some(rest) if self.first_line => rest,
            Some(_) | None => &line[..],
        };
        self.first_line = false;
        if line.is_empty() {
            return self.end_event();
        }
        let (name, value) = match line.iter().position(|byte| *byte == b':') {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                let room = self.limit.saturating_sub(self.data.len());
                self.too_large |= value.len() > room;
                self.data.extend_from_slice(&value[..value.len().min(room)]);
            }
            b"id" if !value.contains(&0) => {
                self.fresh_id = std::str::from_utf8(value).ok().map(str::to_owned);
            }
            b"retry" => {
                let text = std::str::from_utf8(value)
                    .ok()
                    .filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
                self.retry =
                    text.and_then(|text| text.parse().ok()).map(Duration::from_millis).or(self.retry);
            }
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<Event> {
        if let Some(id) = self.fresh_id.take() {
            self.last_id = Some(id);
        }
        let data = std::mem::take(&mut self.data);
        let (has_data, too_large) = (self.has_data, self.too_large);
        self.has_data = false;
        self.too_large = false;
        match (too_large, has_data && !data.is_empty()) {
            (true, _) => Some(Event::TooLarge(data)),
            (false, true) => Some(Event::Data(data)),
            (false, false) => Some(Event::Empty),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn data(text: &str) -> Event {
        Event::Data(text.as_bytes().to_vec())
    }

    #[test]
    fn however_a_stream_is_split_the_events_are_the_same() {
        let stream = "\u{feff}: hello\r\nid: 1\r\ndata: {\"a\":\rdata:\"ü\"}\r\n\r\nevent: x\ndata\n\nretry: 250\nid: 2\n\ndata: b\n\n";
        let bytes = stream.as_bytes();
        let mut whole = Decoder::new(1 << 20);
        let expected = whole.push(bytes);
        assert_eq!(expected, [data("{\"a\":\n\"ü\"}"), Event::Empty, Event::Empty, data("b")]);
        assert_eq!((whole.last_id.as_deref(), whole.retry), (Some("2"), Some(Duration::from_millis(250))));
        for size in 1..bytes.len() {
            let mut decoder = Decoder::new(1 << 20);
            let events: Vec<Event> = bytes.chunks(size).flat_map(|piece| decoder.push(piece)).collect();
            assert_eq!(events, expected, "pieces of {size}");
        }
    }

    #[test]
    fn an_event_that_is_too_large_is_told_and_the_next_one_is_read() {
        let mut decoder = Decoder::new(16);
        let mut stream = format!("data: {}\n", "x".repeat(1_000));
        stream += "\ndata: a\ndata: 1234567890123456\n\ndata: small\n\n";
        let events = decoder.push(stream.as_bytes());
        assert!(matches!(&events[0], Event::TooLarge(start) if start.len() <= 16));
        assert!(matches!(&events[1], Event::TooLarge(_)));
        assert_eq!(events[2], data("small"));
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
