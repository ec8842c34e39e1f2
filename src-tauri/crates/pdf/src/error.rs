//! Why no file was made.

/// Why no file was made.
#[derive(Debug, thiserror::Error)]
pub enum PdfError {
    /// The document is too large, or a mark names no footnote.
    #[error(transparent)]
    Document(#[from] docx::DocxError),
    /// A font could not be embedded, or the file would break a rule of PDF.
    #[error("the PDF could not be put together: {0}")]
    Writing(String),
}
