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
    /// `standard`, `guide`, `document`, `web` or `primer`.
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
    /// The model that made its vectors; none where it is searched by words alone.
    pub vectors: Option<String>,
    /// Where it was downloaded from, where it was.
    pub origin: Option<String>,
    /// Whether it is ingested again when its files change.
    pub watched: bool,
    /// Whether it is a published text, which every workspace has.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub published: bool,
    /// The file or folder that it is made of, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The slug of the workspace that shares it with this one; none for a base of its own and for published texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_by: Option<String>,
    /// The slugs of the workspaces that it is shared with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared_with: Vec<String>,
}

/// What a workspace gives another one to read, or no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BaseShare {
    /// The base's name.
    pub base: String,
    /// The slug of the other workspace.
    pub workspace: String,
    /// Whether it is shared from now on.
    pub on: bool,
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
    /// What it was made with the last time, to make it so again; none for one that ships with the program.
    pub recipe: Option<IngestRequest>,
    /// Runs that have not ended and rest on it: without it they can't go on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<String>,
    /// What the last ingest could not read, or read with loss.
    #[serde(default)]
    pub reading: BaseReading,
}

/// How the files of a base were read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaseReading {
    /// Files that were found.
    pub found: u32,
    /// Files of which nothing is in the base.
    pub unread: Vec<UnreadFile>,
    /// What is doubtful or missing in the files that were read, at most 500.
    pub notes: Vec<ReadingNote>,
    /// Notes beyond those.
    pub more: u32,
}

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnreadFile {
    /// Its path below the folder that was ingested, or its name.
    pub name: String,
    /// Why.
    pub why: String,
    /// What helps; empty where nothing is known to.
    pub remedy: String,
}

/// What a person should know about the reading of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadingNote {
    /// Its path below the folder that was ingested, or its name.
    pub file: String,
    /// The page or line, as in `page 4`; empty for the whole file.
    pub place: String,
    /// What was found.
    pub what: String,
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
    /// The format, for files.
    #[serde(default)]
    pub format: String,
    /// The rule set that was used, for files.
    #[serde(default)]
    pub rules: String,
}

/// A part of a file that a page hands over by its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadPart {
    /// What was handed over together: an id of the page's choice, letters, digits, `-`, `_` and `.`.
    pub upload: String,
    /// The file: a relative path with `/` between its parts.
    pub name: String,
    /// Where the part begins: 0 for the first, then as many bytes as are there.
    pub at: u64,
    /// Its bytes in base64.
    pub data: String,
}

/// What is there of a file that was handed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Uploaded {
    /// The folder of what was handed over together.
    pub folder: String,
    /// How many bytes of the file are there.
    pub bytes: u64,
}

/// What is to be ingested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct IngestRequest {
    /// The base's name: lower-case letters, digits and hyphens; empty for the base that was made of the same files before, else
    /// a new one that is called after them.
    pub base: String,
    /// Its title; empty for the name.
    #[serde(default)]
    pub title: String,
    /// `standard`, `guide`, `document`, `web` or `primer`; empty for `document`.
    #[serde(default)]
    pub tier: String,
    /// How paragraphs are cited, such as `({id})`; empty for the default.
    #[serde(default)]
    pub citation: String,
    /// Files and folders.
    pub paths: Vec<String>,
    /// The rule set that recognises paragraphs; empty to find it by looking.
    #[serde(default)]
    pub rules: String,
    /// The model for vectors, such as `local:all-MiniLM-L6-v2`; empty for none.
    #[serde(default)]
    pub model: String,
    /// Whether it is ingested again when the files change.
    #[serde(default)]
    pub watch: bool,
}

/// What an ingest would recognise. Nothing is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IngestPreview {
    /// Each file that was looked at.
    pub files: Vec<FilePreview>,
    /// Files beyond those, which were not looked at.
    pub more: u32,
}

/// What lies at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PathRow {
    /// The path as it was asked for.
    pub path: String,
    /// What lies there.
    pub kind: PathKind,
}

/// The kind of what lies at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PathKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// Nothing, or nothing that this user may see.
    Missing,
}

/// What was recognised in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilePreview {
    /// Its name below the folder that was given.
    pub name: String,
    /// Its format.
    pub format: String,
    /// The rule set.
    pub rules: String,
    /// How sure that is, 0 to 1.
    pub confidence: f64,
    /// Paragraphs.
    pub paragraphs: u32,
    /// Its headings in order, the first of them.
    pub headings: Vec<PreviewHeading>,
    /// Some paragraphs with the ids they would get.
    pub samples: Vec<PreviewParagraph>,
    /// Cross-references found.
    pub references: u32,
    /// Of those, how many name nothing in these files.
    pub dangling: u32,
    /// What could not be read, was lost or is doubtful.
    pub problems: Vec<String>,
    /// What was left out and nobody misses, such as a table of contents.
    pub notes: Vec<String>,
}

/// A heading that was recognised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewHeading {
    /// 1 is the outermost.
    pub level: u32,
    /// Its words.
    pub title: String,
    /// Paragraphs directly below it.
    pub paragraphs: u32,
}

/// A paragraph as it would be stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewParagraph {
    /// Its id.
    pub id: String,
    /// What it is: requirement, application, definition, recital …
    pub kind: String,
    /// The beginning of its text.
    pub text: String,
    /// What it refers to.
    pub references: Vec<String>,
    /// Its page, where the format has pages.
    pub page: Option<u32>,
}

/// What can be had for knowledge bases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KnowledgeCatalog {
    /// Openly licensed texts that can be downloaded.
    pub corpora: Vec<CatalogEntry>,
    /// Models for vectors, those on this machine included.
    pub models: Vec<CatalogEntry>,
    /// Rule sets.
    pub rules: Vec<RuleSetRow>,
    /// The formats that can be read, by ending.
    pub endings: Vec<String>,
}

/// Something that can be downloaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CatalogEntry {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Who publishes it.
    pub publisher: String,
    /// Its licence's name.
    pub license: String,
    /// Where the licence is written.
    pub license_address: String,
    /// What the licence means, in a sentence.
    pub license_summary: String,
    /// Its official addresses.
    pub addresses: Vec<String>,
    /// Megabytes to download, where known.
    pub megabytes: Option<u32>,
    /// Whether it is here already.
    pub installed: bool,
}

/// A rule set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleSetRow {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Whether the person added it.
    pub own: bool,
    /// Why it can't be used, where it can't.
    pub fault: Option<String>,
}

/// A paragraph's surroundings along cross-references.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BaseGraph {
    /// Paragraphs, the one in the middle first.
    pub nodes: Vec<GraphNode>,
    /// Links between them.
    pub edges: Vec<GraphEdge>,
    /// Whether there are more than are shown.
    pub more: bool,
}

/// A paragraph in a graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphNode {
    /// Its id.
    pub id: String,
    /// As it is cited.
    pub citation: String,
    /// The heading above it.
    pub heading: String,
    /// Hops from the middle.
    pub depth: u32,
    /// No longer in force.
    pub withdrawn: bool,
}

/// A link in a graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphEdge {
    /// Where it begins.
    pub from: String,
    /// Where it leads.
    pub to: String,
    /// What it means.
    pub kind: String,
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
    /// What the meaning was compared with: the model of the vectors, `corpus` for what was learned from the texts
    /// themselves, none for words alone.
    pub meaning: Option<String>,
    /// What the question says of documents, where that chooses among them: a name, a period, a kind. They come first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<String>,
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
    /// The base it stands in.
    pub base: String,
    /// That base's tier.
    pub tier: String,
    /// How near its meaning is to the query's, -1 to 1, where that was compared.
    pub similarity: Option<f64>,
    /// The words that brought its score, with their shares, largest first.
    pub shares: Vec<TermShare>,
    /// Paragraphs that say the same and are left out.
    pub duplicates: Vec<String>,
}

/// What a word brought to a score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TermShare {
    /// The word, as the query wrote it.
    pub term: String,
    /// Its share of the score by words, 0 to 1.
    pub share: f64,
}

/// Which paragraphs of a base to list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BaseParagraphs {
    /// Its name.
    pub base: String,
    /// Only of this document.
    pub document: Option<String>,
    /// How many are passed over.
    #[serde(default)]
    pub after: u32,
    /// The most paragraphs; at most 200, 0 for 50.
    #[serde(default)]
    pub limit: u32,
}

/// A search of one base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BaseSearch {
    /// Its name.
    pub base: String,
    /// The query.
    pub text: String,
    /// The most hits; at most 100, 0 for 20.
    #[serde(default)]
    pub limit: u32,
    /// How far references are followed, at most 2.
    #[serde(default)]
    pub hops: u32,
}

/// A search of several bases at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnowledgeSearch {
    /// The query.
    pub text: String,
    /// Their names; empty for all.
    #[serde(default)]
    pub bases: Vec<String>,
    /// How many hits are passed over.
    #[serde(default)]
    pub after: u32,
    /// The most hits; at most 100, 0 for 20.
    #[serde(default)]
    pub limit: u32,
    /// How far references are followed, at most 2.
    #[serde(default)]
    pub hops: u32,
}

/// What to download as a base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BaseAdd {
    /// A name of the catalog, or an address that begins with `https://`.
    pub name: String,
    /// The base's name; needed for an address.
    #[serde(default)]
    pub base: String,
    /// Whether the person has accepted its licence.
    pub accepted: bool,
    /// The model for vectors; empty for none.
    #[serde(default)]
    pub model: String,
}
