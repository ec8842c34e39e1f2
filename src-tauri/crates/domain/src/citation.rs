//! Citations and what checking them found. Knowledge bases produce these, documents show them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What checking one citation found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The paragraph exists, is in force, and holds the quote.
    Verified,
    /// No such paragraph.
    Missing,
    /// The paragraph exists but is no longer in force.
    Withdrawn,
    /// The paragraph exists, but the quote is not in it as written.
    QuoteMismatch,
    /// It could not be decided (no quote, or too short to mean anything).
    Unverified,
}

/// One checked citation. Offsets are byte offsets into `text`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckedCitation {
    /// The citation as the answer wrote it.
    pub source_ref: String,
    /// The words that the answer says are in that paragraph.
    #[serde(default)]
    pub quote: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Why, in a sentence.
    #[serde(default)]
    pub reason: String,
    /// The paragraph's own id, where it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paragraph_id: Option<String>,
    /// The paragraph's text, where it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Where the quote starts in `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<usize>,
    /// Where the quote ends in `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<usize>,
}
