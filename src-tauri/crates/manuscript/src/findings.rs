//! Findings of a document and how much they matter.

use serde::{Deserialize, Serialize};

use crate::text::{Phrases, fold};

/// How much a finding matters, the least first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum Severity {
    /// Worth a sentence.
    Low,
    /// To be settled in the ordinary course.
    Medium,
    /// To be settled before the matter ends.
    High,
    /// The matter may fail on it.
    Critical,
}

/// Findings of a document.
pub const MAX_FINDINGS: usize = 2_000;

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// What provisions, exposures and texts name it by.
    pub id: String,
    /// The id or number of the part in which it stands.
    pub part: String,
    /// How much it matters.
    pub severity: Severity,
    /// What it says, in a line.
    #[serde(default)]
    pub title: String,
    /// Phrases that name it in a text beside its id.
    #[serde(default)]
    pub keys: Vec<String>,
    /// Ids or numbers of the parts that it bears on.
    #[serde(default)]
    pub related: Vec<String>,
}

impl Finding {
    /// Whether a text names it, by its id or a key, as whole words without regard to case.
    pub fn is_named_in(&self, text: &str) -> bool {
        let text = Phrases::new(text);
        self.names().any(|name| text.has(&name))
    }

    /// Its id and keys, folded.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        std::iter::once(&self.id).chain(&self.keys).map(|name| fold(name))
    }
}
