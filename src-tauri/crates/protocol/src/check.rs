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
    pub citations: Vec<ParagraphStateRow>,
    /// The newest lock of the document, where it is locked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<DocumentLock>,
    /// Sentences, by number, that the lock no longer covers: their sources changed after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reopened: Vec<u32>,
}

/// That a person reviewed a document and stands by it as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentLock {
    /// Counted from 1 for each run; a lock that is taken back keeps its number.
    pub version: u32,
    /// Who reviewed it.
    pub reviewer: String,
    /// A remark of theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// SHA-256 of the document's text, in hexadecimal.
    pub sha256: String,
    /// Whether the text is another one than was locked: this version of the program writes the document differently.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub differs: bool,
    /// Sentences, by number, whose sources had changed already and that the reviewer accepted so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<u32>,
    /// When it was taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<i64>,
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
pub struct ParagraphStateRow {
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
    pub kind: ParagraphState,
    /// Whether the sentence may rest on it as before.
    pub holds: bool,
    /// What became of it, in words that follow the citation.
    pub words: String,
}

/// What became of a cited paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParagraphState {
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
