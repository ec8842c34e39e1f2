//! Bytes as text: by byte order mark, by the declared encoding, else UTF-8, else Windows-1252.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;

/// A file's text.
pub(crate) struct DecodedText<'a> {
    pub(crate) text: Cow<'a, str>,
    /// What had to be assumed; for a note.
    pub(crate) doubt: Option<String>,
}

/// Decodes `bytes`; `declared` is the encoding's label in the file itself.
pub(crate) fn decode<'a>(bytes: &'a [u8], declared: Option<&str>) -> DecodedText<'a> {
    let sure = |text| DecodedText { text, doubt: None };
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => return utf8(rest),
        [0xff, 0xfe, rest @ ..] => return sure(utf16(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => return sure(utf16(rest, u16::from_be_bytes)),
        _ => {}
    }
    let label = declared.unwrap_or_default().trim().to_ascii_lowercase();
    let single = matches!(
        label.as_str(),
        "windows-1252"
            | "cp1252"
            | "iso-8859-1"
            | "iso8859-1"
            | "iso_8859-1"
            | "latin1"
            | "latin-1"
            | "us-ascii"
            | "ascii"
    );
    match label.as_str() {
        // Written by editors that convert a page and leave its label: valid UTF-8 with other than ASCII is no accident.
        _ if single && (bytes.is_ascii() || std::str::from_utf8(bytes).is_err()) => sure(windows_1252(bytes)),
        _ => utf8(bytes),
    }
}

fn utf8(bytes: &[u8]) -> DecodedText<'_> {
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return DecodedText { text: Cow::Borrowed(text), doubt: None },
        Err(error) => error,
    };
    let line = bytes[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count() + 1;
    let lossy = String::from_utf8_lossy(bytes);
    let broken = lossy.chars().filter(|&c| c == '\u{fffd}').count();
    let whole = lossy.chars().filter(|&c| !c.is_ascii()).count() - broken;
    if whole > broken {
        let doubt = format!("{broken} characters are not UTF-8, the first in line {line}: read as \u{fffd}");
        DecodedText { text: Cow::Owned(lossy.into_owned()), doubt: Some(doubt) }
    } else {
        let doubt =
            format!("not UTF-8 from line {line} on: read as Windows-1252; convert it to UTF-8 to be sure");
        DecodedText { text: windows_1252(bytes), doubt: Some(doubt) }
    }
}

fn windows_1252(bytes: &[u8]) -> Cow<'_, str> {
    WINDOWS_1252.decode_without_bom_handling(bytes).0
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Cow<'_, str> {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    Cow::Owned(char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).collect())
}
