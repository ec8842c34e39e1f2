//! Knowledge bases.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::TextRange;

/// A knowledge base in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaseRow {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// `standard`, `guide`, `web` or `primer`.
    pub tier: String,
    /// How its paragraphs are cited.
    pub citation: String,
    /// Documents.
    pub documents: u32,
    /// Paragraphs.
    pub paragraphs: u32,
    /// Cross-references between paragraphs.
    pub references: u32,
    /// The generation that is current.
    pub generation: String,
    /// When it was made, in milliseconds since 1970.
    pub created_at: i64,
    /// Whether it ships with the program.
    pub shipped: bool,
    /// Its size on disk.
    pub bytes: u64,
}

/// A knowledge base.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaseView {
    /// The base.
    pub base: BaseRow,
    /// The files it was made from.
    pub sources: Vec<BaseSource>,
    /// Its documents with their numbers of paragraphs.
    pub documents: Vec<BaseSource>,
}

/// A file or a document of a base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaseSource {
    /// Its name or title.
    pub name: String,
    /// Paragraphs.
    pub paragraphs: u32,
    /// Bytes, for files.
    pub bytes: u64,
}

/// What is to be ingested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct IngestRequest {
    /// The base's name: lower-case letters, digits and hyphens.
    pub base: String,
    /// Its title; empty for the name.
    #[serde(default)]
    pub title: String,
    /// `standard`, `guide`, `web` or `primer`; empty for `guide`.
    #[serde(default)]
    pub tier: String,
    /// How paragraphs are cited, such as `({id})`; empty for the default.
    #[serde(default)]
    pub citation: String,
    /// Files and folders.
    pub paths: Vec<String>,
}

/// Some paragraphs of a base, in its order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ParagraphPage {
    /// The paragraphs.
    pub paragraphs: Vec<ParagraphRow>,
    /// How many there are.
    pub total: u32,
    /// Where the next page begins.
    pub next: Option<u32>,
}

/// A paragraph in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ParagraphRow {
    /// Its id.
    pub id: String,
    /// As it is cited.
    pub citation: String,
    /// Its document's title.
    pub document: String,
    /// The heading above it.
    pub heading: String,
    /// Its text.
    pub text: String,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchExplained {
    /// The query's words as they were searched for.
    pub terms: Vec<String>,
    /// The hits, best first.
    pub hits: Vec<SearchRow>,
    /// Milliseconds.
    pub ms: f64,
}

/// A hit, and why it is one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchRow {
    /// The paragraph.
    pub paragraph: ParagraphRow,
    /// Its score.
    pub score: f64,
    /// Its score by words alone.
    pub words: f64,
    /// The query's words that it contains.
    pub matched: Vec<String>,
    /// The paragraphs over which it was reached by a reference, where it was.
    pub path: Vec<String>,
    /// Where matched words stand in the text.
    pub highlights: Vec<TextRange>,
}
