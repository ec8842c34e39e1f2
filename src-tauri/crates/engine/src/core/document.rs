//! A run's document.

use std::path::PathBuf;

/// A document, and where its Markdown file stands once it was exported.
#[derive(Debug, Clone)]
pub struct WrittenDocument {
    /// The Markdown as it was committed.
    pub markdown: String,
    /// The document as data.
    pub document: answers::Document,
    /// The Markdown file; the HTML file stands beside it.
    pub path: PathBuf,
}
