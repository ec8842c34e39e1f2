//! What a file is, by its bytes. A header decides only between kinds of text.

use documents::Format;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::error::Refusal;

/// How many of the first bytes tell.
pub const HEAD_BYTES: usize = Format::HEAD_BYTES;

/// A kind of file that is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// PDF.
    Pdf,
    /// A page.
    Html,
    /// Office Open XML text.
    Docx,
    /// EPUB.
    Epub,
    /// Markdown.
    Markdown,
    /// JSON.
    Json,
    /// XML of any sort.
    Xml,
    /// XML of the Electronic Code of Federal Regulations.
    Ecfr,
    /// Text.
    Text,
}

impl Kind {
    /// How its text is read.
    pub fn format(self) -> Format {
        match self {
            Self::Pdf => Format::Pdf,
            Self::Html => Format::Html,
            Self::Docx => Format::Docx,
            Self::Epub => Format::Epub,
            Self::Markdown => Format::Markdown,
            Self::Ecfr => Format::Ecfr,
            Self::Json | Self::Xml | Self::Text => Format::Text,
        }
    }

    /// In a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Pdf => "a PDF",
            Self::Html => "a page",
            Self::Docx => "a Word document",
            Self::Epub => "an EPUB",
            Self::Markdown => "Markdown",
            Self::Json => "JSON",
            Self::Xml | Self::Ecfr => "XML",
            Self::Text => "text",
        }
    }

    /// Whether a charset is said about it beside it.
    pub(crate) fn is_text(self) -> bool {
        match self {
            Self::Html | Self::Markdown | Self::Json | Self::Xml | Self::Text => true,
            Self::Pdf | Self::Docx | Self::Epub | Self::Ecfr => false,
        }
    }
}

/// Programs by their first bytes.
const PROGRAMS: [(&[u8], &str); 12] = [
    (b"\x7fELF", "ELF"),
    (b"MZ", "Windows"),
    (b"\xfe\xed\xfa\xce", "Mach-O"),
    (b"\xfe\xed\xfa\xcf", "Mach-O"),
    (b"\xce\xfa\xed\xfe", "Mach-O"),
    (b"\xcf\xfa\xed\xfe", "Mach-O"),
    (b"\xca\xfe\xba\xbe", "Java or Mach-O"),
    (b"\0asm", "WebAssembly"),
    (b"dex\n", "Android"),
    (b"#!", "script"),
    (b"L\0\0\0\x01\x14\x02\0", "Windows link"),
    (b"\x1bLua", "Lua"),
];
/// Archives by their first bytes.
const ARCHIVES: [(&[u8], &str); 14] = [
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"PK\x07\x08", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"MSCF", "cab"),
    (b"!<arch>\n", "ar"),
    (b"xar!", "xar"),
    (b"\xed\xab\xee\xdb", "rpm"),
];
/// Where a tar file has its mark.
const TAR_MARK: std::ops::Range<usize> = 257..262;
/// What else has no text, by its first bytes.
const OTHERS: [(&[u8], &str); 9] = [
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"RIFF", "sound, a film or a picture"),
    (b"ID3", "sound"),
    (b"OggS", "sound"),
    (b"\x1aE\xdf\xa3", "a film"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"SQLite format 3\0", "a database"),
];

/// The kind of what came, by its first bytes; `declared` is the media type of the header.
///
/// # Errors
/// For programs, archives and what has no text.
pub fn kind_of(head: &[u8], declared: &str, url: &Url) -> Result<Kind, Refusal> {
    if head.is_empty() {
        return Err(Refusal::Empty);
    }
    let begins = |list: &[(&[u8], &'static str)]| {
        list.iter().find(|(mark, _)| head.starts_with(mark)).map(|(_, what)| *what)
    };
    if let Some(what) = begins(&PROGRAMS) {
        return Err(Refusal::Executable { what });
    }
    let content = Format::detect("", head);
    if head.starts_with(b"PK\x03\x04") {
        let has = |needle: &[u8]| head.windows(needle.len()).any(|window| window == needle);
        match content {
            Some(Format::Docx) if has(b"[Content_Types].xml") => return Ok(Kind::Docx),
            Some(Format::Epub) => return Ok(Kind::Epub),
            _ => return Err(Refusal::Archive { what: "zip" }),
        }
    }
    if let Some(what) = begins(&ARCHIVES) {
        return Err(Refusal::Archive { what });
    }
    if head.get(TAR_MARK) == Some(b"ustar") {
        return Err(Refusal::Archive { what: "tar" });
    }
    let other =
        |found: &str| Refusal::Type { found: found.to_owned(), wanted: "a page, a PDF or another text" };
    if let Some(what) = begins(&OTHERS) {
        return Err(other(what));
    }
    match content {
        Some(Format::Pdf) => return Ok(Kind::Pdf),
        Some(Format::Html) => return Ok(Kind::Html),
        Some(Format::Ecfr) => return Ok(Kind::Ecfr),
        Some(Format::Docx | Format::Xlsx | Format::Epub | Format::Text | Format::Markdown | Format::Csv)
        | Some(Format::Picture)
        | None => {}
    }
    // A text in a wide encoding has a mark; anything else with a NUL is none.
    let wide = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    if !wide && head.contains(&0) {
        return Err(other("of an unknown kind"));
    }
    let path = url.path().to_ascii_lowercase();
    Ok(match declared {
        "text/html" | "application/xhtml+xml" => Kind::Html,
        "text/markdown" => Kind::Markdown,
        "application/json" => Kind::Json,
        "application/xml" | "text/xml" => Kind::Xml,
        other if other.ends_with("+json") => Kind::Json,
        other if other.ends_with("+xml") => Kind::Xml,
        _ if head.trim_ascii_start().starts_with(b"<?xml") => Kind::Xml,
        _ if path.ends_with(".md") || path.ends_with(".markdown") => Kind::Markdown,
        _ => Kind::Text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn kind(head: &[u8], declared: &str) -> Result<Kind, &'static str> {
        let url = Url::parse("https://example.org/file.pdf").unwrap();
        kind_of(head, declared, &url).map_err(|refusal| refusal.code())
    }

    #[test]
    fn bytes_tell_and_not_the_header() {
        assert_eq!(kind(b"%PDF-1.7\n", "text/html"), Ok(Kind::Pdf));
        assert_eq!(kind(b"<!DOCTYPE html><p>x", "application/pdf"), Ok(Kind::Html));
        assert_eq!(kind(b"plain words", "application/pdf"), Ok(Kind::Text));
        assert_eq!(kind(b"plain words", "text/html"), Ok(Kind::Html));
        assert_eq!(kind(b"{}", "application/ld+json"), Ok(Kind::Json));
        assert_eq!(kind(b"<?xml version='1.0'?><feed/>", "application/atom+xml"), Ok(Kind::Xml));
        assert_eq!(kind(b"# Title", "text/markdown"), Ok(Kind::Markdown));
        assert_eq!(kind(b"\xff\xfea\0b\0", "text/plain"), Ok(Kind::Text));
    }

    #[test]
    fn programs_archives_and_what_has_no_text_are_refused() {
        for head in [&b"\x7fELF\x02"[..], b"MZ\x90\0", b"#!/bin/sh\n", b"\0asm\x01", b"\xca\xfe\xba\xbe"] {
            assert_eq!(kind(head, "text/html"), Err("executable"), "{head:?}");
        }
        let mut tar = vec![b'a'; 512];
        tar[TAR_MARK].copy_from_slice(b"ustar");
        for head in
            [&b"PK\x03\x04\0\0word/"[..], b"PK\x05\x06", b"\x1f\x8b\x08", b"BZh9", b"Rar!\x1a\x07", &tar]
        {
            assert_eq!(kind(head, "text/html"), Err("archive"), "{head:?}");
        }
        for head in [&b"\x89PNG\r\n"[..], b"\xff\xd8\xff\xe0", b"words\0more", b"\xd0\xcf\x11\xe0"] {
            assert_eq!(kind(head, "text/html"), Err("wrong_type"), "{head:?}");
        }
        assert_eq!(kind(b"", "text/html"), Err("empty"));
        assert_eq!(kind(b"PK\x03\x04..[Content_Types].xml..word/document.xml", ""), Ok(Kind::Docx));
    }
}
