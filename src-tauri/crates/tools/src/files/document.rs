//! Documents as text: PDF, Office and EPUB files, read in a process of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use documents::worker::Reader;
use documents::{BlockKind, Document, Format, Limits, ReadError};
use tokio_util::sync::CancellationToken;

use crate::safe_path::quoted;
use crate::{CallContext, Kind, ToolError};

/// The largest document, in bytes.
pub(super) const DOCUMENT: u64 = 64 << 20;
/// Bounds on what is read of one.
const LIMITS: Limits = Limits {
    file_bytes: DOCUMENT,
    unfolded_bytes: 512 << 20,
    blocks: 200_000,
    text_bytes: 16 << 20,
    pages: 3_000,
    depth: 256,
    recogniser: None,
};

/// A document's format, where its text is asked for rather than its bytes.
pub(super) fn format(name: &str, head: &[u8]) -> Option<Format> {
    match Format::detect(name, head)? {
        format @ (Format::Pdf | Format::Docx | Format::Xlsx | Format::Epub) => Some(format),
        Format::Text | Format::Markdown | Format::Csv | Format::Html | Format::Ecfr | Format::Picture => None,
    }
}

/// A document's text with a note for the model. `None`: it has none, as scanned pages have none.
pub(super) fn read(
    reader: &Reader,
    bytes: &[u8],
    format: Format,
    shown: &str,
    at: &CallContext,
    cancel: &CancellationToken,
) -> Result<Option<(String, String)>, ToolError> {
    let copy = Copy::write(bytes, at).map_err(|error| {
        ToolError::new(Kind::Failed, format!("{} could not be copied to be read: {error}", quoted(shown)))
    })?;
    let given_up = Arc::new(AtomicBool::new(false));
    // The reading thread can't await the token.
    let watch = tokio::runtime::Handle::try_current().ok().map(|runtime| {
        let (cancel, given_up) = (cancel.clone(), given_up.clone());
        runtime.spawn(async move {
            cancel.cancelled().await;
            given_up.store(true, Ordering::Relaxed);
        })
    });
    let document = reader.read(&copy.0, format, &LIMITS, &given_up);
    if let Some(watch) = watch {
        watch.abort();
    }
    let document = match document {
        // A model that reads such files may see what is in it.
        Err(ReadError::Scanned { .. } | ReadError::Malformed { .. }) if format == Format::Pdf => {
            return Ok(None);
        }
        document => document.map_err(|error| failure(&error, shown))?,
    };
    let text = text(&document);
    if text.trim().is_empty() {
        return Ok(None);
    }
    let kind = match format {
        Format::Pdf => "PDF",
        Format::Docx => "Word",
        Format::Xlsx => "Excel",
        _ => "EPUB",
    };
    let pages = document.pages.map(|pages| format!(" of {pages} pages")).unwrap_or_default();
    let mut note = format!(
        "this is the text of a {kind} document{pages}; how it looks, and its pictures, are not in it"
    );
    if let Some(loss) = document.notes.first() {
        let more = document.notes.len() - 1;
        note.push_str(&format!("; {}", loss.what));
        if more > 0 {
            note.push_str(&format!(" (and {more} more such notes)"));
        }
    }
    Ok(Some((text, note)))
}

/// A document's blocks as Markdown, with a line where a page begins.
fn text(document: &Document) -> String {
    let mut text = String::new();
    let mut page = None;
    for block in &document.blocks {
        if block.place.page.is_some() && block.place.page != page {
            page = block.place.page;
            text.push_str(&format!("[page {}]\n", page.unwrap_or_default()));
        }
        let label = match &block.label {
            Some(label) if !block.text.starts_with(label.as_str()) => format!("{label} "),
            Some(_) | None => String::new(),
        };
        match block.kind {
            BlockKind::Heading(level) => {
                text.push_str(&format!(
                    "{} {label}{}",
                    "#".repeat(usize::from(level.clamp(1, 6))),
                    block.text
                ));
            }
            BlockKind::Item(level) => {
                let indent = "  ".repeat(usize::from(level.saturating_sub(1)).min(8));
                text.push_str(&format!("{indent}- {label}{}", block.text));
            }
            BlockKind::Quote => text.push_str(&format!("> {label}{}", block.text)),
            BlockKind::Paragraph
            | BlockKind::Table
            | BlockKind::Preformatted
            | BlockKind::Footnote
            | BlockKind::Remark
            | BlockKind::Term => text.push_str(&format!("{label}{}", block.text)),
        }
        text.push('\n');
    }
    text
}

fn failure(error: &ReadError, shown: &str) -> ToolError {
    let kind = match error {
        ReadError::Cancelled => return super::stopped(),
        ReadError::TooSlow { .. } => Kind::Deadline,
        ReadError::TooLarge { .. } => Kind::TooLarge,
        _ => Kind::Failed,
    };
    ToolError::new(kind, format!("{} could not be read: {error}", quoted(shown)))
}

/// A file's bytes where no link can be put in their place while they are read.
struct Copy(PathBuf);

impl Copy {
    fn write(bytes: &[u8], at: &CallContext) -> std::io::Result<Self> {
        let plain: String = at.call.chars().filter(char::is_ascii_alphanumeric).take(60).collect();
        let folder = at.own.join("data");
        let path = folder.join(format!(".reading-{plain}-{:x}", bytes.len()));
        fs::create_dir_all(&folder)?;
        // What a crash left behind.
        let _ = fs::remove_file(&path);
        let copy = Self(path);
        let mut file = fs::File::create_new(&copy.0)?;
        std::io::Write::write_all(&mut file, bytes)?;
        Ok(copy)
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let path: &Path = &self.0;
        let _ = fs::remove_file(path);
    }
}
