//! Files as text and back: encodings, byte order marks, line ends.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;

/// How much of a file decides whether it is text.
const HEAD: usize = 8_192;

/// How a file writes its characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charset {
    Utf8,
    /// With a byte order mark.
    Utf8Marked,
    Utf16Le,
    Utf16Be,
    /// What is neither, taken for the most common of the old ones.
    Windows1252,
}

impl Charset {
    /// Its name, where a reader should know.
    pub(crate) fn note(self) -> Option<&'static str> {
        match self {
            Self::Utf8 | Self::Utf8Marked => None,
            Self::Utf16Le => Some("the file is UTF-16 (little-endian)"),
            Self::Utf16Be => Some("the file is UTF-16 (big-endian)"),
            Self::Windows1252 => Some("the file is not UTF-8; it is read as Windows-1252"),
        }
    }
}

/// How the bytes that a file begins with say that it is to be read; `None`: it is no text.
pub(crate) fn charset_of(head: &[u8]) -> Option<Charset> {
    match head {
        [0xef, 0xbb, 0xbf, ..] => Some(Charset::Utf8Marked),
        [0xff, 0xfe, rest @ ..] if !rest.starts_with(&[0, 0]) => Some(Charset::Utf16Le),
        [0xfe, 0xff, ..] => Some(Charset::Utf16Be),
        _ if head[..head.len().min(HEAD)].contains(&0) => None,
        _ => match std::str::from_utf8(head) {
            Ok(_) => Some(Charset::Utf8),
            // The head may end within a character.
            Err(error) if error.error_len().is_none() => Some(Charset::Utf8),
            Err(_) => {
                let odd =
                    head.iter().filter(|byte| matches!(byte, 1..=8 | 0x0e..=0x1a | 0x1c..=0x1f)).count();
                (odd * 20 <= head.len()).then_some(Charset::Windows1252)
            }
        },
    }
}

/// A file's text and how it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    /// Without a byte order mark; line ends as they are.
    pub(crate) text: String,
    pub(crate) charset: Charset,
}

/// Decodes a whole file. `None`: it is no text.
pub(crate) fn decode(bytes: &[u8]) -> Option<Text> {
    let charset = match charset_of(bytes)? {
        Charset::Utf8 if std::str::from_utf8(bytes).is_err() => Charset::Windows1252,
        charset => charset,
    };
    let text = match charset {
        Charset::Utf8 => std::str::from_utf8(bytes).ok()?.to_owned(),
        Charset::Utf8Marked => String::from_utf8_lossy(&bytes[3..]).into_owned(),
        Charset::Utf16Le => units(&bytes[2..], u16::from_le_bytes),
        Charset::Utf16Be => units(&bytes[2..], u16::from_be_bytes),
        Charset::Windows1252 => WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
    };
    Some(Text { text, charset })
}

fn units(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// The bytes of a text in the charset; `None` when it can't say a character of it.
pub(crate) fn encode(text: &str, charset: Charset) -> Option<Vec<u8>> {
    let wide = |mark: [u8; 2], bytes: fn(u16) -> [u8; 2]| {
        Some(mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect())
    };
    match charset {
        Charset::Utf8 => Some(text.as_bytes().to_vec()),
        Charset::Utf8Marked => Some([b"\xef\xbb\xbf", text.as_bytes()].concat()),
        Charset::Utf16Le => wide([0xff, 0xfe], u16::to_le_bytes),
        Charset::Utf16Be => wide([0xfe, 0xff], u16::to_be_bytes),
        Charset::Windows1252 => {
            let (bytes, _, lost) = WINDOWS_1252.encode(text);
            (!lost).then(|| bytes.into_owned())
        }
    }
}

/// How the lines of a text end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnds {
    Lf,
    CrLf,
}

impl LineEnds {
    /// What most of its lines do; a text of one line: `Lf`.
    pub(crate) fn of(text: &str) -> Self {
        let all = memchr_count(text);
        let carriage = text.matches("\r\n").count();
        if carriage * 2 > all { Self::CrLf } else { Self::Lf }
    }

    /// A text with these line ends alone.
    pub(crate) fn apply(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Lf => Cow::Borrowed(text),
            Self::CrLf => Cow::Owned(text.replace("\r\n", "\n").replace('\n', "\r\n")),
        }
    }
}

fn memchr_count(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// At most `most` bytes of a text, at a character's edge.
pub(crate) fn capped(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// A number of bytes for people.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// `1 line`, `2 lines`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = match noun {
        "match" => "matches",
        "entry" => "entries",
        _ => "",
    };
    match (number, plural) {
        (1, _) => format!("1 {noun}"),
        (_, "") => format!("{number} {noun}s"),
        _ => format!("{number} {plural}"),
    }
}
