//! Text in XML.

use crate::{DocxError, MAX_BYTES};

/// What stands before every part of an office file.
pub const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
/// The names that a part of a document uses.
pub(crate) const NAMESPACES: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" \
     xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";

/// Appends formatted text.
macro_rules! put {
    ($out:expr, $($part:tt)*) => { $out.push_str(&format!($($part)*)) };
}
pub(crate) use put;

/// Whether XML 1.0 may hold a character.
fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Text for an element or an attribute; characters that XML forbids are dropped.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            c if is_allowed(c) => out.push(c),
            _ => {}
        }
    }
    out
}

/// Text on one line, for a property or a head of a page.
pub(crate) fn line(text: &str) -> String {
    escape(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The elements of a run that show text: words, tabs and new lines.
pub(crate) fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 48);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push_str("<w:br/>");
        }
        for (index, words) in line.split('\t').enumerate() {
            if index > 0 {
                out.push_str("<w:tab/>");
            }
            let words = escape(words);
            if !words.is_empty() {
                put!(out, "<w:t xml:space=\"preserve\">{words}</w:t>");
            }
        }
    }
    out
}

/// Whether the first letter of a text is written from right to left.
pub(crate) fn is_right_to_left(text: &str) -> bool {
    let right = |c: char| matches!(u32::from(c), 0x0590..=0x08FF | 0xFB1D..=0xFDFF | 0xFE70..=0xFEFC | 0x10800..=0x10FFF | 0x1E800..=0x1EFFF);
    text.chars().find(|c| c.is_alphabetic()).is_some_and(right)
}

/// Refuses what has grown too large, in bytes.
pub(crate) fn within_limit(bytes: usize) -> Result<(), DocxError> {
    if bytes > MAX_BYTES { Err(DocxError::TooLarge) } else { Ok(()) }
}
