//! Two runs beside each other.

use domain::{NanoUsd, RunId, RunStatus, Usage};
use engine_types::{PinDifference, StageComparison};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::StatementState;
use super::run::{Headline, RunRef};

/// The runs to compare.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunPair {
    /// The first.
    pub left: RunRef,
    /// The second.
    pub right: RunRef,
}

/// What two runs have in common and what they do not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunComparison {
    /// Whether nothing differs but when they ran, how long they took and what they cost.
    pub same: bool,
    /// The first run.
    pub left: ComparedRun,
    /// The second.
    pub right: ComparedRun,
    /// What they pinned, where that differs.
    pub pins: Vec<PinDifference>,
    /// Every stage of both, in order.
    pub stages: Vec<StageComparison>,
    /// The statements of their documents, matched, in the order of the text.
    pub statements: Vec<StatementPair>,
    /// The paragraphs that one of the documents or both cite.
    pub sources: Vec<SourcePair>,
    /// The documents, block by block.
    pub rows: Vec<WordRow>,
}

/// One of two runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparedRun {
    /// Its id.
    pub run: RunId,
    /// Its session.
    pub session: String,
    /// Its agent.
    pub agent: String,
    /// The question.
    pub request: String,
    /// The depth it ran with; absent where its agent has none.
    pub depth: Option<String>,
    /// The connection.
    pub connection: String,
    /// The model.
    pub model: String,
    /// The knowledge base it read, with its generation.
    pub corpus: Option<String>,
    /// How it ended.
    pub status: RunStatus,
    /// Milliseconds since 1970.
    pub created_at: i64,
    /// Money used.
    pub cost: NanoUsd,
    /// What a flat rate paid for.
    pub equivalent: NanoUsd,
    /// Tokens used.
    pub usage: Usage,
    /// Active milliseconds.
    pub active_ms: u64,
    /// The title of its document, where it has one.
    pub document: Option<String>,
    /// What is known of the document's statements.
    pub headline: Option<Headline>,
}

/// How two statements belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PairKind {
    /// The same words.
    Same,
    /// Other words for the same, as far as words tell.
    Reworded,
    /// In the first document alone.
    LeftOnly,
    /// In the second document alone.
    RightOnly,
}

/// A statement of both documents, or of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatementPair {
    /// How they belong together.
    pub kind: PairKind,
    /// Whether words, state and sources are the same.
    pub same: bool,
    /// In the first document.
    pub left: Option<ComparedStatement>,
    /// In the second.
    pub right: Option<ComparedStatement>,
    /// The words of the first, where they are reworded, with those marked that differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_words: Vec<WordSpan>,
    /// The words of the second.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub right_words: Vec<WordSpan>,
}

/// A statement of one of two documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparedStatement {
    /// Its number in its document.
    pub n: u32,
    /// Its words, without citations.
    pub text: String,
    /// Its state; absent where the run kept no records.
    pub state: Option<StatementState>,
    /// The state in words.
    pub word: String,
    /// What it cites: ids of paragraphs, or the citation as it is written.
    pub sources: Vec<String>,
    /// The same as its document shows it to a reader, such as a file and a page.
    #[serde(default)]
    pub names: Vec<String>,
}

/// A paragraph that one of two documents or both cite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourcePair {
    /// The paragraph; where there is none, the citation as it is written.
    pub id: String,
    /// The citation as first written.
    pub reference: String,
    /// What checking found in the first document; absent: it does not cite the paragraph.
    pub left: Option<String>,
    /// The same of the second.
    pub right: Option<String>,
    /// Whether both cite it and have other words of it.
    pub text_differs: bool,
    /// Whether both cite it, with the same verdict and the same words.
    pub same: bool,
}

/// A block of both documents, or of one. Where both are the same, `right` is absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WordRow {
    /// Whether both have it with the same words.
    pub same: bool,
    /// The block of the first.
    pub left: Option<Vec<WordSpan>>,
    /// The block of the second.
    pub right: Option<Vec<WordSpan>>,
}

/// Some words of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WordSpan {
    /// The words.
    pub text: String,
    /// Whether the other side does not have them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
}
