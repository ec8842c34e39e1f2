//! Lines of bounded length, whatever encoding they come in.

use std::io::{self, BufRead};

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Its text, without its end.
    Text {
        /// The text.
        text: String,
        /// Whether bytes that are not UTF-8 were read as Windows-1252.
        repaired: bool,
    },
    /// It is longer than allowed and was passed over: its bytes.
    TooLong(u64),
}

/// Reads lines; none of them takes more memory than the limit.
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    limit: usize,
    number: u64,
    kept: u64,
    wide: Option<Utf16>,
}

/// UTF-16, which some editors of Windows write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Utf16 {
    Little,
    Big,
}

impl<R: BufRead> Lines<R> {
    /// Lines of at most `limit` bytes.
    pub fn new(reader: R, limit: usize) -> Self {
        Self { reader, limit, number: 0, kept: 0, wide: None }
    }

    /// The number of the last line, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The bytes of all lines so far that were not too long.
    pub fn kept(&self) -> u64 {
        self.kept
    }

    /// The next line.
    ///
    /// # Errors
    /// Only those of reading.
    pub fn next_line(&mut self) -> io::Result<Option<Line>> {
        if self.number == 0 {
            self.skip_mark()?;
        }
        let (mut bytes, mut length, mut ended) = (Vec::new(), 0u64, false);
        while !ended {
            let piece = match self.reader.fill_buf() {
                Ok(piece) => piece,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if piece.is_empty() {
                break;
            }
            let taken = match piece.iter().position(|byte| *byte == b'\n') {
                Some(at) => {
                    ended = true;
                    at + 1
                }
                None => piece.len(),
            };
            length += taken as u64;
            if bytes.len() + taken <= self.limit {
                bytes.extend_from_slice(&piece[..taken]);
            } else {
                // Nothing of a line that is too long is kept: its length is all that is told of it.
                bytes = Vec::new();
            }
            self.reader.consume(taken);
            // In UTF-16 the byte may be half of another character.
            if ended && self.wide.is_some() && length <= self.limit as u64 && !self.ends_wide(&mut bytes)? {
                length = bytes.len() as u64;
                ended = false;
            }
        }
        if length == 0 {
            return Ok(None);
        }
        self.number += 1;
        if length > self.limit as u64 {
            return Ok(Some(Line::TooLong(length)));
        }
        self.kept += length;
        Ok(Some(self.text(bytes)))
    }

    fn skip_mark(&mut self) -> io::Result<()> {
        let piece = self.reader.fill_buf()?;
        let (skip, wide) = match piece {
            [0xEF, 0xBB, 0xBF, ..] => (3, None),
            [0xFF, 0xFE, ..] => (2, Some(Utf16::Little)),
            [0xFE, 0xFF, ..] => (2, Some(Utf16::Big)),
            _ => (0, None),
        };
        self.wide = wide;
        self.reader.consume(skip);
        Ok(())
    }

    /// Whether the line really ends; reads the other half of its end.
    fn ends_wide(&mut self, bytes: &mut Vec<u8>) -> io::Result<bool> {
        match self.wide {
            Some(Utf16::Little) if !bytes.len().is_multiple_of(2) => {
                if let Some(next) = self.reader.fill_buf()?.first().copied() {
                    self.reader.consume(1);
                    bytes.push(next);
                    return Ok(next == 0);
                }
                Ok(true)
            }
            Some(Utf16::Big) => {
                Ok(bytes.len().is_multiple_of(2) && bytes.len() >= 2 && bytes[bytes.len() - 2] == 0)
            }
            Some(Utf16::Little) | None => Ok(self.wide.is_none()),
        }
    }

    fn text(&self, bytes: Vec<u8>) -> Line {
        let (mut text, repaired) = match self.wide {
            Some(wide) => {
                let unit = |pair: &[u8]| match (wide, pair) {
                    (Utf16::Little, [a, b]) => u16::from_le_bytes([*a, *b]),
                    (Utf16::Big, [a, b]) => u16::from_be_bytes([*a, *b]),
                    (_, _) => 0xFFFD,
                };
                let units: Vec<u16> = bytes.chunks(2).map(unit).collect();
                (String::from_utf16_lossy(&units), true)
            }
            None => decoded(bytes),
        };
        text.truncate(text.trim_end_matches(['\n', '\r']).len());
        Line::Text { text, repaired }
    }
}

/// Bytes as text without a mark before it. The second value: whether they were not UTF-8.
pub fn decoded(bytes: Vec<u8>) -> (String, bool) {
    let decoded = charset::decode(&bytes, None);
    let repaired = decoded.doubt.is_some() || decoded.identified.charset != charset::Charset::UTF_8;
    (decoded.text.into_owned(), repaired)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8], limit: usize) -> Vec<Line> {
        // A small buffer, so that lines are split over several pieces.
        let mut lines = Lines::new(io::BufReader::with_capacity(7, bytes), limit);
        std::iter::from_fn(|| lines.next_line().unwrap()).collect()
    }

    fn text(text: &str, repaired: bool) -> Line {
        Line::Text { text: text.to_owned(), repaired }
    }

    #[test]
    fn lines_come_in_any_encoding_and_with_any_end() {
        assert_eq!(
            all(b"\xEF\xBB\xBFa\r\nb\n\nc", 10),
            [text("a", false), text("b", false), text("", false), text("c", false)]
        );
        assert_eq!(all(b"na\xEFve\n", 10), [text("naïve", true)]);
        let wide = |big: bool| -> Vec<u8> {
            "\u{FEFF}zwölf\nĊ 中\n"
                .encode_utf16()
                .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
                .collect()
        };
        for big in [false, true] {
            assert_eq!(all(&wide(big), 100), [text("zwölf", true), text("Ċ 中", true)], "big: {big}");
        }
        assert_eq!(all(b"", 10), []);
    }

    #[test]
    fn a_whole_file_comes_in_any_encoding() {
        assert_eq!(decoded(b"\xEF\xBB\xBF{}".to_vec()), ("{}".to_owned(), false));
        assert_eq!(decoded(b"\xFF\xFE{\0}\0".to_vec()), ("{}".to_owned(), true));
        assert_eq!(decoded(b"\xFE\xFF\0{\0}".to_vec()), ("{}".to_owned(), true));
        assert_eq!(decoded(b"gr\xFCn".to_vec()), ("grün".to_owned(), true));
        assert_eq!(decoded(Vec::new()), (String::new(), false));
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_the_next_one_read() {
        let mut bytes = vec![b'x'; 1_000];
        bytes.extend(b"\nok\n");
        assert_eq!(all(&bytes, 100), [Line::TooLong(1_001), text("ok", false)]);
    }
}
