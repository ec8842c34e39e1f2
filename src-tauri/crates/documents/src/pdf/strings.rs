//! Text strings outside of pages: titles, bookmarks, replacement texts.

use hayro_font::hayro_syntax::object::{Dict, String as PdfString};

use crate::marks::is_mark;

/// Longest string that is taken, and longest one that a person wrote into a field or a comment.
const BYTES: usize = 4096;
const LONG_BYTES: usize = 1 << 20;

/// The text under `key`.
pub(super) fn text(dict: &Dict<'_>, key: &str) -> Option<String> {
    dict.get::<PdfString<'_>>(key).map(|string| decode(string.as_bytes()))
}

/// A string of one line.
pub(super) fn decode(bytes: &[u8]) -> String {
    let text = decoded(&bytes[..bytes.len().min(BYTES)]);
    text.chars().filter(|c| *c == ' ' || !c.is_control() && !is_mark(*c)).collect()
}

/// A string that may have several lines.
pub(super) fn long(bytes: &[u8]) -> String {
    let text = decoded(&bytes[..bytes.len().min(LONG_BYTES)]);
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\t', " ");
    text.chars().filter(|c| *c == '\n' || !c.is_control() && !is_mark(*c)).collect()
}

/// UTF-16 or UTF-8 where a mark says so, else the one-byte encoding, which is Latin-1 for nearly all letters.
fn decoded(bytes: &[u8]) -> String {
    let wide = |pair: fn([u8; 2]) -> u16| {
        let units = bytes[2..].as_chunks::<2>().0.iter().map(|unit| pair(*unit));
        char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).collect::<String>()
    };
    match bytes {
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => bytes.iter().map(|byte| pdf_doc(*byte)).collect(),
    }
}

fn pdf_doc(byte: u8) -> char {
    const HIGH: [char; 31] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ',
        'ﬂ', 'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž',
    ];
    match byte {
        0x80..=0x9e => HIGH[usize::from(byte - 0x80)],
        0xa0 => '€',
        _ => char::from(byte),
    }
}
