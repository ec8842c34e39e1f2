//! Checking an answer's sentence records again before its files are written.

use async_trait::async_trait;
use domain::{Problem, SentenceRecord};

use crate::core::document::WrittenDocument;

/// Whoever can say whether records still hold: the knowledge base in the program.
#[async_trait]
pub trait Recheck: Send + Sync {
    /// A problem that names the sentence, the paragraph and the remedy when a record does not hold.
    async fn recheck(&self, records: &[SentenceRecord]) -> Result<(), Problem>;

    /// Which of an earlier answer's sentences rest on text that is another one now, or gone: one line each, for a person and
    /// a model.
    async fn changed(&self, records: &[SentenceRecord]) -> Vec<String>;
}

/// Whether an export checks its records first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportCheck {
    /// It does; a record that does not hold stops it.
    Rechecked,
    /// The person asked for the files as they are: they say so.
    Unchecked,
}

/// What a file says that was exported without checking.
const NOTICE: &str = "Exported without checking its statements against their sources again.";

impl ExportCheck {
    /// Marks a document that is exported without checking.
    pub fn mark(self, written: &mut WrittenDocument) {
        if self == Self::Unchecked {
            let notice = written.document.notice.take().unwrap_or_default();
            written.document.notice = Some(format!("{NOTICE} {notice}").trim_end().to_owned());
            written.markdown = answers::to_markdown(&written.document);
        }
    }
}
