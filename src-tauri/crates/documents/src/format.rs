//! Which format a file has.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::picture_file::is_picture;
use crate::source::{GZIP, unpack_head};

/// A format that can be read into blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Plain text.
    Text,
    /// Markdown.
    Markdown,
    /// Rows of cells between commas, semicolons or tabs.
    Csv,
    /// HTML, the forms of EUR-Lex included.
    Html,
    /// EPUB.
    Epub,
    /// Office Open XML text.
    Docx,
    /// Office Open XML spreadsheets.
    Xlsx,
    /// PDF.
    Pdf,
    /// A picture of a page: PNG or JPEG.
    Picture,
    /// XML of the Electronic Code of Federal Regulations.
    Ecfr,
}

impl Format {
    /// How many of a file's first bytes [`of`](Self::detect) looks at.
    pub const HEAD_BYTES: usize = 4096;

    /// The format of a file with this name and these first bytes: by content where that tells, else by the name's
    /// ending, `.gz` behind it left out. `None` for what no reader takes.
    pub fn detect(name: &str, head: &[u8]) -> Option<Self> {
        let head = &head[..head.len().min(Self::HEAD_BYTES)];
        let unpacked;
        let head = if head.starts_with(&GZIP) {
            unpacked = unpack_head(head, Self::HEAD_BYTES);
            &unpacked
        } else {
            head
        };
        Self::of_content(head).or_else(|| Self::of_name(name))
    }

    /// The format that a name's ending says, `.gz` behind it left out.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match Path::new(name).extension()?.to_str()? {
            "txt" | "text" => Some(Self::Text),
            "md" | "markdown" => Some(Self::Markdown),
            "csv" | "tsv" => Some(Self::Csv),
            "html" | "htm" | "xhtml" => Some(Self::Html),
            "epub" => Some(Self::Epub),
            // The reader says what to do with a `.doc`.
            "docx" | "docm" | "doc" => Some(Self::Docx),
            // So it does of a `.xls`.
            "xlsx" | "xlsm" | "xls" => Some(Self::Xlsx),
            "pdf" => Some(Self::Pdf),
            _ => None,
        }
    }

    fn of_content(head: &[u8]) -> Option<Self> {
        let has = |needle: &[u8]| head.windows(needle.len()).any(|window| window == needle);
        if head.starts_with(b"PK\x03\x04") {
            return if has(b"mimetypeapplication/epub+zip") || has(b"META-INF/container.xml") {
                Some(Self::Epub)
            } else if has(b"word/") {
                Some(Self::Docx)
            } else if has(b"xl/workbook") || has(b"xl/worksheets") {
                Some(Self::Xlsx)
            } else {
                None
            };
        }
        if is_picture(head) {
            return Some(Self::Picture);
        }
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        // Readers of PDF take a few bytes of rubbish before it.
        if text.trim_ascii_start().starts_with(b"%PDF-") {
            return Some(Self::Pdf);
        }
        Self::of_root(&String::from_utf8_lossy(text))
    }

    /// By the first element behind declaration, comments and document type.
    fn of_root(text: &str) -> Option<Self> {
        let mut rest = text.trim_start();
        loop {
            let behind = if rest.starts_with("<!--") {
                rest.find("-->").map(|at| at + 3)
            } else if rest.starts_with("<?") {
                rest.find("?>").map(|at| at + 2)
            } else if rest.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype")) {
                let name = rest[9..].trim_start();
                if name.get(..4).is_some_and(|name| name.eq_ignore_ascii_case("html")) {
                    return Some(Self::Html);
                }
                rest.find('>').map(|at| at + 1)
            } else {
                break;
            };
            rest = rest[behind?..].trim_start();
        }
        let root = rest.strip_prefix('<')?;
        let end = root.find(|c: char| c.is_whitespace() || c == '>' || c == '/').unwrap_or(root.len());
        let name = &root[..end];
        let division = name.len() == 4 && name.starts_with("DIV") && name.as_bytes()[3].is_ascii_digit();
        let typed = || root[..root.find('>').unwrap_or(root.len())].contains("TYPE=");
        match name {
            "ECFR" | "DLPSTEXTCLASS" => Some(Self::Ecfr),
            _ if division && typed() => Some(Self::Ecfr),
            _ if name.eq_ignore_ascii_case("html") => Some(Self::Html),
            _ => None,
        }
    }
}
