//! Lines of a stream of unknown good will: never more than a limit is held, and a longer line is skipped, not kept.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// A skipped line may be this many times as long as the limit before the stream is given up.
const SKIP_FACTOR: usize = 8;
/// A buffer that one large line has grown is given back to the allocator above this size.
const KEEP_CAPACITY: usize = 1 << 20;

/// What a read found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LineEvent {
    /// A whole line is in [`Lines::line`].
    Line,
    /// A line passed the limit: its beginning is in [`Lines::line`], the rest will be skipped.
    TooLong,
    /// The skipped line has no end.
    Endless,
    /// End-of-file, or the stream broke.
    End,
}

/// A line reader whose `next` may be dropped at any moment without losing bytes.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    limit: usize,
    /// Set while the rest of a line that was too long is being skipped: bytes of it so far.
    skipped: Option<usize>,
    /// The line was handed out and is to be forgotten at the next read.
    handed_out: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(stream: R, limit: usize) -> Self {
        Self {
            reader: BufReader::with_capacity(64 << 10, stream),
            line: Vec::new(),
            limit,
            skipped: None,
            handed_out: false,
        }
    }

    /// The last line without its end, or the beginning of one that was too long.
    pub(crate) fn line(&self) -> &[u8] {
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    pub(crate) async fn next(&mut self) -> LineEvent {
        if self.handed_out {
            self.handed_out = false;
            self.line.clear();
            if self.line.capacity() > KEEP_CAPACITY {
                self.line = Vec::new();
            }
        }
        loop {
            let Ok(available) = self.reader.fill_buf().await else {
                return LineEvent::End;
            };
            if available.is_empty() {
                return LineEvent::End;
            }
            // From here to `consume` nothing awaits, so a dropped read loses nothing.
            let end = available.iter().position(|byte| *byte == b'\n');
            let count = end.map_or(available.len(), |index| index + 1);
            if let Some(skipped) = self.skipped {
                let skipped = skipped + count;
                self.reader.consume(count);
                if end.is_some() {
                    self.skipped = None;
                } else if skipped > self.limit.saturating_mul(SKIP_FACTOR) {
                    return LineEvent::Endless;
                } else {
                    self.skipped = Some(skipped);
                }
                continue;
            }
            let room = self.limit - self.line.len();
            if count > room {
                self.line.extend_from_slice(&available[..room]);
                self.reader.consume(count);
                self.skipped = end.is_none().then_some(self.limit + count);
                self.handed_out = true;
                return LineEvent::TooLong;
            }
            self.line.extend_from_slice(&available[..count]);
            self.reader.consume(count);
            if end.is_some() {
                self.handed_out = true;
                return LineEvent::Line;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    async fn read_all(text: &[u8], limit: usize) -> Vec<(LineEvent, String)> {
        let mut lines = Lines::new(text, limit);
        let mut found = Vec::new();
        loop {
            let event = lines.next().await;
            if event == LineEvent::End {
                return found;
            }
            let endless = event == LineEvent::Endless;
            found.push((event, String::from_utf8_lossy(lines.line()).into_owned()));
            if endless {
                return found;
            }
        }
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_costs_only_itself() {
        let text = [b"one\r\n", "x".repeat(40).as_bytes(), b"\ntwo\nthree"].concat();
        assert_eq!(
            read_all(&text, 10).await,
            [
                (LineEvent::Line, "one".to_owned()),
                (LineEvent::TooLong, "x".repeat(10)),
                (LineEvent::Line, "two".to_owned()),
            ]
        );
    }

    #[tokio::test]
    async fn a_line_without_end_is_given_up() {
        let text = "x".repeat(1 << 20);
        let found = read_all(text.as_bytes(), 1_000).await;
        assert_eq!(found.last().map(|(event, _)| event), Some(&LineEvent::Endless));
    }
}
