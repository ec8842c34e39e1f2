//! A paragraph on its way into a base.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::paragraph::Paragraph;

/// A paragraph as its file gave it, before the ids and links of the whole base are settled.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Draft {
    /// Line of the source, from 1; 0 where the format has no lines.
    pub(crate) line: usize,
    /// Whether references are still to be found in the text.
    pub(crate) scan_references: bool,
    /// What the headings and the number above it said, for references such as "this Article".
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) scope: BTreeMap<String, String>,
    /// Names under which links reach it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) anchors: Vec<String>,
    /// Where its links lead: `#anchor`, `file#anchor`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) links: Vec<String>,
    /// The paragraph.
    pub(crate) paragraph: Paragraph,
}
