//! A paragraph on its way into a base.

use crate::paragraph::Paragraph;

/// A paragraph as its file gave it, with the line it came from.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    /// Line of the source, from 1.
    pub(crate) line: usize,
    /// Whether references are still to be found in the text.
    pub(crate) scan_references: bool,
    /// The paragraph.
    pub(crate) paragraph: Paragraph,
}
