//! Bytes of files as text and back: charsets, byte order marks, bytes that belong to none, line ends.

use std::borrow::Cow;
use std::collections::BTreeSet;

use charset::{Charset as Known, Evidence, Identified, identify};
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How much of a file decides whether it is text, in bytes.
const HEAD_BYTES: usize = 8_192;
/// A byte that is no UTF-8 stands in a decoded text as this character plus the byte, at the end of the last private area.
/// A file that really has such a character gets each of its bytes treated so, and therefore keeps it as well.
const FOREIGN: u32 = 0x0010_f700;

/// How a file writes its characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// UTF-8 throughout.
    Utf8,
    /// With a byte order mark.
    Utf8Marked,
    /// UTF-8 with bytes in it that are none.
    Utf8Stray,
    /// The same with a byte order mark.
    Utf8MarkedStray,
    /// Little-endian, with its mark.
    Utf16Le,
    /// Big-endian, with its mark.
    Utf16Be,
    /// Little-endian, without a mark.
    Utf16LeBare,
    /// Big-endian, without a mark.
    Utf16BeBare,
    /// Another one, which the file names itself.
    Named(&'static Encoding),
    /// Another one by the frequency of its letters.
    Guessed(&'static Encoding),
    /// A guess: no UTF-8, and its other bytes stand where Western languages have accents.
    Windows1252,
    /// Not known. Shown as if it were Windows-1252, which names every byte; nothing beyond ASCII is written into it.
    Unknown,
}

/// A file's text and how it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Without a byte order mark; line ends as they are, stray bytes as characters of their own ([`visible`]).
    pub text: String,
    /// How it was written.
    pub charset: Charset,
}

impl Text {
    /// What a reader should know of its charset, as words without a full stop.
    pub fn note(&self) -> Option<String> {
        Some(match self.charset {
            Charset::Utf8 | Charset::Utf8Marked => return None,
            Charset::Utf16Le | Charset::Utf16LeBare => "the file is UTF-16 (little-endian)".to_owned(),
            Charset::Utf16Be | Charset::Utf16BeBare => "the file is UTF-16 (big-endian)".to_owned(),
            Charset::Named(encoding) => {
                format!("the file is not UTF-8 but {}, as it says itself; an edit keeps that", encoding.name())
            }
            Charset::Guessed(encoding) => format!(
                "the file is not UTF-8; it is read as {}, which is a guess. An edit keeps its bytes and can add ASCII, and \
                 what stands in it already, alone",
                encoding.name()
            ),
            Charset::Windows1252 => {
                "the file is not UTF-8; it is read as Windows-1252, which is a guess".to_owned()
            }
            Charset::Unknown => "the file is not UTF-8 and its charset is not known; it is shown as if it were \
                                 Windows-1252, so what is not ASCII may be wrong. An edit keeps those bytes and can add \
                                 ASCII alone"
                .to_owned(),
            Charset::Utf8Stray | Charset::Utf8MarkedStray => {
                let count = self.text.chars().filter(|c| foreign_byte(*c).is_some()).count();
                let first = self.text.char_indices().find_map(|(at, c)| Some((at, foreign_byte(c)?)));
                let (line, byte) = first.map_or((1, 0), |(at, byte)| {
                    (self.text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1, byte)
                });
                let bytes = if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") };
                format!(
                    "the file is UTF-8 but for {bytes} that no UTF-8 has, shown as \u{fffd}, the first (0x{byte:02X}) in \
                     line {line}; an edit keeps them"
                )
            }
        })
    }
}

/// The byte that a character of a decoded text stands for.
fn foreign_byte(c: char) -> Option<u8> {
    let byte = u32::from(c).checked_sub(FOREIGN).and_then(|byte| u8::try_from(byte).ok());
    byte.filter(|byte| *byte >= 0x80)
}

/// Whether a text has characters that stand for stray bytes.
pub fn has_foreign(text: &str) -> bool {
    // The first byte of such a character tells the few texts apart that may have one.
    text.as_bytes().contains(&0xf4) && text.chars().any(|c| foreign_byte(c).is_some())
}

/// How many bytes a part of a decoded text has in a file of UTF-8, stray ones included.
pub fn file_bytes(text: &str) -> usize {
    let strays =
        if has_foreign(text) { text.chars().filter(|c| foreign_byte(*c).is_some()).count() } else { 0 };
    // Each has a character of four bytes.
    text.len() - 3 * strays
}

/// A decoded text as it is shown: a replacement character for each stray byte.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !has_foreign(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if foreign_byte(c).is_some() { '\u{fffd}' } else { c }).collect())
}

/// How the bytes that a file begins with say that it is to be read; `None`: it is no text.
pub fn charset_of(head: &[u8]) -> Option<Charset> {
    // The head may end within a character.
    let whole = match std::str::from_utf8(head) {
        Err(error) if error.error_len().is_none() => &head[..error.valid_up_to()],
        Ok(_) | Err(_) => head,
    };
    let Identified { charset, mark, evidence, .. } = identify(whole, None);
    let is_utf8 = || std::str::from_utf8(&whole[mark..]).is_ok();
    let encoding = match (charset, mark) {
        (Known::Encoding(encoding), 0) if encoding == UTF_16LE => return Some(Charset::Utf16LeBare),
        (Known::Encoding(encoding), 0) if encoding == UTF_16BE => return Some(Charset::Utf16BeBare),
        (Known::Encoding(encoding), 2) if encoding == UTF_16LE => return Some(Charset::Utf16Le),
        (Known::Encoding(_), 2) => return Some(Charset::Utf16Be),
        (Known::Encoding(_), 3) => return Some(Charset::Utf8Marked),
        (Known::Utf32Le | Known::Utf32Be, _) => return None,
        (Known::Encoding(encoding), _) => encoding,
    };
    if head[..head.len().min(HEAD_BYTES)].contains(&0) {
        return None;
    }
    if charset == Known::UTF_8 && is_utf8() {
        return Some(Charset::Utf8);
    }
    let odd = head.iter().filter(|byte| matches!(byte, 1..=8 | 0x0e..=0x1a | 0x1c..=0x1f)).count();
    if odd * 20 > head.len() {
        return None;
    }
    Some(match evidence {
        _ if charset == Known::UTF_8 => Charset::Utf8Stray,
        Evidence::Declaration => Charset::Named(encoding),
        Evidence::Mark | Evidence::Form | Evidence::Guess if encoding != WINDOWS_1252 => {
            Charset::Guessed(encoding)
        }
        _ if is_western(head) => Charset::Windows1252,
        _ => Charset::Unknown,
    })
}

/// Whether what is not ASCII stands where Western languages have it: single accented letters, two in a row within a word,
/// typographic signs. Scripts that write words in such bytes, and charsets of two bytes a character, look otherwise.
fn is_western(bytes: &[u8]) -> bool {
    const LETTERS: [u8; 7] = [0x8a, 0x8c, 0x8e, 0x9a, 0x9c, 0x9e, 0x9f];
    const SIGNS: [u8; 26] = [
        0x80, 0x84, 0x85, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0xa0, 0xa1, 0xa3, 0xa7, 0xa9, 0xab, 0xae,
        0xb0, 0xb2, 0xb3, 0xb4, 0xb5, 0xb7, 0xb9, 0xbb, 0xbf,
    ];
    let letter =
        |byte: u8| LETTERS.contains(&byte) || matches!(byte, 0xc0..=0xd6 | 0xd8..=0xf6 | 0xf8..=0xfe);
    let (mut right, mut wrong) = (0_usize, 0_usize);
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii() {
            at += 1;
            continue;
        }
        let end = bytes[at..].iter().position(u8::is_ascii).map_or(bytes.len(), |length| at + length);
        let run = &bytes[at..end];
        let letters = run.iter().filter(|byte| letter(**byte)).count();
        let signs = run.iter().filter(|byte| SIGNS.contains(byte)).count();
        let beside = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
        let in_word =
            beside(at.checked_sub(1).and_then(|before| bytes.get(before))) || beside(bytes.get(end));
        if letters + signs == run.len() && (letters < 2 || letters == 2 && in_word) {
            right += 1;
        } else {
            wrong += 1;
        }
        at = end;
    }
    wrong * 20 <= right
}

/// Decodes a whole file. `None`: it is no text.
pub fn decode(bytes: &[u8]) -> Option<Text> {
    let mut charset = charset_of(bytes)?;
    let unmarked = if charset == Charset::Utf8Marked { &bytes[3..] } else { bytes };
    let text = match charset {
        Charset::Utf8 | Charset::Utf8Marked => match (std::str::from_utf8(unmarked), charset) {
            (Ok(text), _) => text.to_owned(),
            (Err(_), marked) => {
                charset = if marked == Charset::Utf8 { Charset::Utf8Stray } else { Charset::Utf8MarkedStray };
                with_strays(unmarked)
            }
        },
        Charset::Utf8Stray | Charset::Utf8MarkedStray => with_strays(unmarked),
        Charset::Utf16Le => units(&bytes[2..], u16::from_le_bytes),
        Charset::Utf16Be => units(&bytes[2..], u16::from_be_bytes),
        Charset::Utf16LeBare => units(bytes, u16::from_le_bytes),
        Charset::Utf16BeBare => units(bytes, u16::from_be_bytes),
        Charset::Named(encoding) | Charset::Guessed(encoding) => {
            let text = encoding.decode_without_bom_handling(bytes).0.into_owned();
            // What would not come back as it was is shown byte by byte.
            if encode(&text, charset).as_deref() == Some(bytes) {
                text
            } else {
                charset = Charset::Unknown;
                by_byte(bytes)
            }
        }
        Charset::Windows1252 | Charset::Unknown => by_byte(unmarked),
    };
    Some(Text { text, charset })
}

/// Every byte a character of Windows-1252.
fn by_byte(bytes: &[u8]) -> String {
    WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned()
}

/// UTF-8 with a character of its own for each byte that is none.
fn with_strays(bytes: &[u8]) -> String {
    let foreign = |byte: u8| char::from_u32(FOREIGN + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER);
    let mut text = String::with_capacity(bytes.len());
    for part in bytes.utf8_chunks() {
        for c in part.valid().chars() {
            match foreign_byte(c) {
                None => text.push(c),
                Some(_) => text.extend(c.encode_utf8(&mut [0; 4]).bytes().map(foreign)),
            }
        }
        text.extend(part.invalid().iter().copied().map(foreign));
    }
    text
}

fn units(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// The bytes of a text in the charset; `None` when it can't say a character of it.
pub fn encode(text: &str, charset: Charset) -> Option<Vec<u8>> {
    let wide = |mark: &[u8], bytes: fn(u16) -> [u8; 2]| {
        Some(mark.iter().copied().chain(text.encode_utf16().flat_map(bytes)).collect())
    };
    let known = |encoding: &'static Encoding| {
        let (bytes, _, lost) = encoding.encode(text);
        (!lost).then(|| bytes.into_owned())
    };
    let mark = b"\xef\xbb\xbf".as_slice();
    match charset {
        Charset::Utf8 => Some(text.as_bytes().to_vec()),
        Charset::Utf8Marked => Some([mark, text.as_bytes()].concat()),
        Charset::Utf8Stray => Some(stray_bytes(text)),
        Charset::Utf8MarkedStray => Some([mark, &stray_bytes(text)].concat()),
        Charset::Utf16Le => wide(&[0xff, 0xfe], u16::to_le_bytes),
        Charset::Utf16Be => wide(&[0xfe, 0xff], u16::to_be_bytes),
        Charset::Utf16LeBare => wide(&[], u16::to_le_bytes),
        Charset::Utf16BeBare => wide(&[], u16::to_be_bytes),
        Charset::Windows1252 | Charset::Unknown => known(WINDOWS_1252),
        Charset::Named(encoding) | Charset::Guessed(encoding) => known(encoding),
    }
}

fn stray_bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match foreign_byte(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

impl Charset {
    /// The first character of a changed text that must not be written into a file of this charset: one that it lacks, one
    /// that would stand for bytes nobody knows, or one beyond ASCII that a file of an unknown charset did not have there.
    pub fn first_unwritable(self, before: &str, after: &str) -> Option<char> {
        match self {
            Self::Utf8
            | Self::Utf8Marked
            | Self::Utf16Le
            | Self::Utf16Be
            | Self::Utf16LeBare
            | Self::Utf16BeBare => None,
            Self::Utf8Stray | Self::Utf8MarkedStray => {
                let mut left = before.chars().filter(|c| foreign_byte(*c).is_some());
                after.chars().filter(|c| foreign_byte(*c).is_some()).find(|c| !left.any(|known| known == *c))
            }
            Self::Windows1252 | Self::Named(_) => {
                after.chars().find(|c| !c.is_ascii() && encode(&c.to_string(), self).is_none())
            }
            Self::Guessed(_) => {
                let known: BTreeSet<char> = before.chars().collect();
                after.chars().find(|c| !c.is_ascii() && !known.contains(c))
            }
            Self::Unknown => {
                let mut left = before.chars().filter(|c| !c.is_ascii());
                after.chars().filter(|c| !c.is_ascii()).find(|c| !left.any(|known| known == *c))
            }
        }
    }
}

/// How the lines of a text end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    /// A line feed alone.
    Lf,
    /// A carriage return before it.
    CrLf,
}

impl LineEnds {
    /// What most of its lines do; a text of one line: `Lf`.
    pub fn of(text: &str) -> Self {
        let all = text.bytes().filter(|byte| *byte == b'\n').count();
        let carriage = text.matches("\r\n").count();
        if carriage * 2 > all { Self::CrLf } else { Self::Lf }
    }

    /// A text with these line ends alone.
    pub fn apply(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Lf => Cow::Borrowed(text),
            Self::CrLf => Cow::Owned(text.replace("\r\n", "\n").replace('\n', "\r\n")),
        }
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{GBK, SHIFT_JIS, WINDOWS_1251};

    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn bytes_come_back_as_they_were() {
        let latin = b"caf\xe9 na\xefve \x93quoted\x94 5 \x80\n".as_slice();
        let table: &[(&[u8], Charset)] = &[
            ("Größe: 5\n".as_bytes(), Charset::Utf8),
            (b"# \xc3\x9cbersicht\nGr\xc3\xb6\xc3\x9fe: 5\nstray: \xff\n", Charset::Utf8Stray),
            // A character of its own area, and one that the end of the file cuts.
            (b"\xf4\x8f\x9e\x80 \xc3\xa9\xc3\xa9\xc3\xa9 \xff", Charset::Utf8Stray),
            ("ééé\u{10f7ff}é\u{10f780}".as_bytes(), Charset::Utf8),
            (b"\xef\xbb\xbf\xc3\xa9 \xfe\n", Charset::Utf8MarkedStray),
            (latin, Charset::Windows1252),
            (b"Gr\xfc\xdfe, \xe0 bient\xf4t\n", Charset::Windows1252),
            // GBK, Shift_JIS, Big5, EUC-KR, windows-1251, KOI8-R: guessed, or shown byte by byte.
            (b"name = \xd6\xd0\xce\xc4\n", Charset::Guessed(GBK)),
            (b"title: \x93\xfa\x96\x7b \x83\x41\n", Charset::Guessed(SHIFT_JIS)),
            (b"\xcf\xf0\xe8\xe2\xe5\xf2 \xe2 \xec\xe8\xf0\n", Charset::Guessed(WINDOWS_1251)),
            (b"<?xml encoding='gbk'?>\xd6\xd0\n", Charset::Named(GBK)),
            (b"a\0\xe9\0b\0c\0\n\0", Charset::Utf16LeBare),
            (b"\0a\0\xe9\0b\0c\0\n", Charset::Utf16BeBare),
            (b"\xff\xfea\0\xe9\0\n\0", Charset::Utf16Le),
        ];
        for (bytes, charset) in table {
            let text = decode(bytes).unwrap();
            assert_eq!(text.charset, *charset, "{bytes:?}");
            assert_eq!(encode(&text.text, text.charset).as_deref(), Some(*bytes), "{bytes:?}");
        }
    }

    #[test]
    fn a_stray_byte_is_shown_and_told_with_its_line() {
        let text = decode(b"# \xc3\x9cbersicht\nGr\xc3\xb6\xc3\x9fe\nstray: \xff\n").unwrap();
        assert_eq!(visible(&text.text), "# Übersicht\nGröße\nstray: \u{fffd}\n");
        let note = text.note().unwrap();
        assert!(note.contains("but for 1 byte") && note.contains("(0xFF) in line 3"), "{note}");
        assert_eq!(visible("plain \u{10f700}"), "plain \u{10f700}");
    }

    #[test]
    fn nothing_is_written_into_bytes_that_nobody_knows() {
        let unknown = decode(b"name = \xd6\xd0\xce\xc4\nvalue = 1\n").unwrap();
        let before = &unknown.text;
        let refused = |after: &str| unknown.charset.first_unwritable(before, after);
        assert_eq!(refused(&before.replace('1', "2")), None);
        assert_eq!(refused(&before.replace('1', "é")), Some('é'));
        assert_eq!(refused("value = 1\n"), None);
        assert_eq!(Charset::Unknown.first_unwritable("x = \u{81}ÿ", "x = \u{81}ÿÿ"), Some('ÿ'));
        assert_eq!(Charset::Unknown.first_unwritable("x = \u{81}ÿ", "y = \u{81}ÿ"), None);
        let named = decode(b"<?xml encoding='gbk'?>\xd6\xd0\n").unwrap();
        assert_eq!(named.charset.first_unwritable(&named.text, "价"), None);
        assert_eq!(named.charset.first_unwritable(&named.text, "😀"), Some('😀'));
        let latin = decode(b"caf\xe9\n").unwrap();
        assert_eq!(latin.charset.first_unwritable(&latin.text, "naïve café\n"), None);
        assert_eq!(latin.charset.first_unwritable(&latin.text, "价\n"), Some('价'));
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_text_is_written_back_as_it_was(bytes: Vec<u8>) {
            if let Some(text) = decode(&bytes)
                && !matches!(text.charset, Charset::Utf16Le | Charset::Utf16Be | Charset::Utf16LeBare | Charset::Utf16BeBare)
            {
                proptest::prop_assert_eq!(encode(&text.text, text.charset), Some(bytes));
            }
        }
    }
}
