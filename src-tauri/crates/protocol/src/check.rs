//! Whether the sentences of an answer still rest on what their sources say now.

use domain::RunId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of the paragraphs that a document cites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunCheck {
    /// The run.
    pub run: RunId,
    /// Sentences of which the run kept records.
    pub sentences: u32,
    /// Sentences that no longer hold as they were checked: a paragraph that they cite has other words, is withdrawn, or is
    /// not there.
    pub stale: u32,
    /// Citations whose paragraph is not what and where it was, in the order of the text.
    pub citations: Vec<StandingRow>,
}

/// What comparing the newest answers of all sessions with the knowledge bases gave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnswersCheck {
    /// Answers that were compared: those that cite a base which has another generation than when it was compared last.
    pub compared: u32,
    /// Sessions whose newest answer rests on text that was changed or withdrawn.
    pub stale: u32,
}

/// A citation of a sentence with what became of its paragraph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StandingRow {
    /// The sentence's number.
    pub n: u32,
    /// The sentence.
    pub sentence: String,
    /// The citation as the answer wrote it.
    pub citation: String,
    /// The paragraph.
    pub paragraph: String,
    /// The knowledge base.
    pub base: String,
    /// The generation that was cited.
    pub cited: String,
    /// The generation that stands now; empty where there is no such base any more.
    pub current: String,
    /// What became of it.
    pub kind: StandingKind,
    /// Whether the sentence may rest on it as before.
    pub holds: bool,
    /// What became of it, in words that follow the citation.
    pub words: String,
}

/// What became of a cited paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StandingKind {
    /// It stands there unchanged.
    Same,
    /// Its text stands under another id.
    Moved,
    /// It has other words.
    Changed,
    /// It is no longer in force.
    Withdrawn,
    /// It is not there any more.
    Missing,
    /// The base is not there any more, or can't be read.
    NoBase,
}
