//! Reads files of many formats into blocks of text with their places.
//!
//! A [`Document`] is a list of [`Block`]s in reading order: headings, paragraphs, list items, tables. What a
//! block means (a requirement, an article, a recital) and how it is cited is decided by the knowledge base's rules,
//! never here.
//!
//! Architecture invariant: no clock, no network, no chance; the same bytes give the same document. Bytes are hostile:
//! every format is read within [`Limits`], and the formats with a parser that could be made to spin, crash or
//! fill the memory are read in a process of their own.

mod archive;
mod csv;
mod document;
mod docx;
mod ecfr;
mod epub;
mod error;
mod format;
mod formula;
mod html;
mod linear;
mod markdown;
mod marks;
mod numbers;
mod omissions;
mod output;
mod pdf;
mod picture;
mod picture_file;
mod recognised;
mod rows;
mod source;
mod symbols;
mod text;
pub mod worker;
mod xlsx;
mod xml;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

pub use document::{Block, BlockKind, BlockPosition, Deletion, Document, Link, Note, PageBreak, TableFacts};
pub use error::ReadError;
pub use format::Format;
pub use picture::{PageMark, PagePicture, PageRequest, draw};
pub use recognised::{Recognised, RecognisedLine};

/// Bounds on what reading one file may cost.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Limits {
    /// Most bytes of the file as stored.
    pub file_bytes: u64,
    /// Most bytes that an archive or a compressed stream may unfold to, in all.
    pub unfolded_bytes: u64,
    /// Most blocks of one document.
    pub blocks: usize,
    /// Most bytes of text of one document.
    pub text_bytes: usize,
    /// Most pages read; the rest is reported as not read.
    pub pages: usize,
    /// Deepest nesting of elements.
    pub depth: usize,
    /// The folder of the models that read pages which are pictures (see the crate `recognition`); none: such pages are only named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recogniser: Option<PathBuf>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 1 << 30,
            unfolded_bytes: 1 << 30,
            blocks: 1_000_000,
            text_bytes: 256 << 20,
            pages: 20_000,
            depth: 256,
            recogniser: None,
        }
    }
}

/// The folder, below the one of all models, that holds the models which read pages that are pictures; none if they are not there.
pub fn recogniser_in(models: &Path) -> Option<PathBuf> {
    Some(models.join(RECOGNISER)).filter(|folder| recognition::is_installed(folder))
}

/// Opens the models in a folder once, to know that they can be used.
///
/// # Errors
/// They can't.
pub fn open_recogniser(folder: &Path) -> Result<(), ReadError> {
    pdf::recogniser(folder).map(drop)
}

/// What tells the recogniser of a folder from others; empty without one.
pub fn recogniser_version(folder: Option<&Path>) -> String {
    folder.map_or_else(String::new, recognition::version)
}

/// The name of the models that read pages which are pictures.
pub const RECOGNISER: &str = "page-reader";

/// Reads the file at `path` in this process; gzip around any format is unpacked.
///
/// # Errors
/// The file as a whole could not be read. What was lost of a readable one is in the document's notes.
pub fn read(
    path: &Path,
    format: Format,
    limits: &Limits,
    cancel: &AtomicBool,
) -> Result<Document, ReadError> {
    read_bytes(&source::read(path, limits, cancel)?, format, limits, cancel)
}

/// Reads a file's bytes, which are not compressed, in this process.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(
    bytes: &[u8],
    format: Format,
    limits: &Limits,
    cancel: &AtomicBool,
) -> Result<Document, ReadError> {
    match format {
        Format::Text => text::read(bytes, limits, cancel),
        Format::Markdown => markdown::read(bytes, limits, cancel),
        Format::Csv => csv::read(bytes, limits, cancel),
        Format::Html => html::read(bytes, limits, cancel),
        Format::Epub => epub::read(bytes, limits, cancel),
        Format::Docx => docx::read(bytes, limits, cancel),
        Format::Xlsx => xlsx::read(bytes, limits, cancel),
        Format::Ecfr => ecfr::read(bytes, limits, cancel),
        Format::Pdf => pdf::read(bytes, limits, cancel),
        Format::Picture => pdf::read(&picture_file::page(bytes)?, limits, cancel),
    }
}
