//! Answer documents and the paragraphs they cite.

use domain::{RunId, SentenceRecord, SentenceVerdict, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::run::Headline;

/// A document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentText {
    /// Markdown. Citations are links to `#cite-<number>`, where the number is that of [`CitationRow`].
    pub markdown: String,
    /// Self-contained HTML.
    pub html: String,
    /// Its title.
    pub title: String,
    /// Cited paragraphs by number.
    pub citations: Vec<CitationRow>,
    /// Verified citations.
    pub verified: u32,
    /// All citations.
    pub total: u32,
    /// Sentences that checking found unsupported or that have no source.
    pub unsupported: Vec<SentenceProblem>,
    /// What is known about each sentence, in order; empty where the run kept no records.
    #[serde(default)]
    pub sentences: Vec<SentenceRecord>,
    /// Sentences by verdict, only those that occur.
    #[serde(default)]
    pub sentence_counts: Vec<SentenceCount>,
    /// The four axes of verification with their counts.
    #[serde(default)]
    pub axes: Vec<AxisRow>,
    /// The statements of the answer, each with its state; empty where the run kept no records.
    #[serde(default)]
    pub statements: Vec<StatementRow>,
    /// What is known of them in one line.
    #[serde(default)]
    pub headline: Option<Headline>,
    /// What the run put together itself, where its agent names such a file: that is its document then, and the text above is the
    /// record of its statements.
    #[serde(default)]
    pub main: Option<MainDocument>,
    /// Where the Markdown file is.
    pub path: Option<String>,
}

/// A statement of a document. In the Markdown a link to `#statement-<n>` stands behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatementRow {
    /// Its number, which is its record's.
    pub n: u32,
    /// Its words, without citations.
    pub text: String,
    /// Its state.
    pub state: StatementState,
    /// The state in words.
    pub word: String,
    /// Why, in a sentence.
    pub reason: String,
    /// Sentences of the sources that may say otherwise.
    pub against: Vec<domain::ConflictRecord>,
}

/// What is known about a statement, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatementState {
    /// It stands word for word in what it cites.
    Quoted,
    /// A judge read it beside what it cites and found it said there.
    Supported,
    /// A judge found a part of it there.
    Partly,
    /// Nobody has compared its meaning.
    Unverified,
    /// It names no source.
    NoSource,
    /// A sentence of the sources may say otherwise.
    Doubtful,
    /// What it cites does not say it, does not exist or is withdrawn.
    Refused,
}

/// How many sentences got a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentenceCount {
    /// The verdict.
    pub verdict: SentenceVerdict,
    /// How many.
    pub count: u32,
}

/// One axis of verification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AxisRow {
    /// `citation`, `entity`, `relation` or `contradiction`.
    pub axis: String,
    /// Checks that held, where they were counted.
    pub held: Option<u32>,
    /// Checks made, where they were counted.
    pub checked: Option<u32>,
    /// 0 to 1.
    pub score: f64,
    /// The least score, where one is set.
    pub threshold: Option<f64>,
}

/// A cited paragraph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CitationRow {
    /// Its number in the document, from 1.
    pub number: u32,
    /// What the text calls it: `ISA 320.10`, or its file and the place in it (`retention.pdf, page 3`).
    pub label: String,
    /// The paragraph's id in the knowledge base; empty when it is unknown.
    pub paragraph: String,
    /// What the document quotes from it.
    pub quotes: Vec<String>,
    /// What it was cited for.
    pub claims: Vec<String>,
    /// The weakest verdict on it.
    pub verdict: Verdict,
    /// Why, in words.
    pub reason: String,
    /// Its text as it was cited.
    pub text: String,
}

/// A document that a run put together itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MainDocument {
    /// Its title.
    pub title: String,
    /// Markdown. Marks of footnotes are links to `#note-<number>`.
    pub markdown: String,
    /// Its footnotes in order.
    pub footnotes: Vec<NoteRow>,
}

/// A footnote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoteRow {
    /// Its number, from 1.
    pub number: u32,
    /// Markdown; a mention of another footnote is a link as in the text.
    pub text: String,
    /// The number of the citation that it names: that of [`CitationRow`].
    pub citation: Option<u32>,
}

/// A sentence with a problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentenceProblem {
    /// The sentence.
    pub text: String,
    /// What is wrong with it.
    pub problem: String,
}

/// A range of a text in UTF-16 code units, as browsers count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextRange {
    /// First.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// Words that a file shows struck out: no part of the text, neither searched nor quoted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StruckWords {
    /// Before which UTF-16 code unit of the text they stand.
    pub at: u32,
    /// The words.
    pub text: String,
}

/// A paragraph with its surroundings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ParagraphView {
    /// The base.
    pub base: String,
    /// The base's title.
    pub base_title: String,
    /// `standard`, `guide`, `document`, `web` or `primer`.
    pub tier: String,
    /// Its id.
    pub id: String,
    /// As it is cited.
    pub citation: String,
    /// Its document's title.
    pub document: String,
    /// The file it was taken from, below the folder that was ingested; empty when it is not known.
    #[serde(default)]
    pub file: String,
    /// The file's path, while a file lies there with the same bytes.
    #[serde(default)]
    pub path: Option<String>,
    /// Its page in that file, where the format has pages.
    #[serde(default)]
    pub page: Option<u32>,
    /// What is wrong with the file: changed, missing, or of an unknown place.
    #[serde(default)]
    pub file_note: Option<String>,
    /// Whether its page can be shown as a picture.
    #[serde(default)]
    pub drawable: bool,
    /// Headings above it, outermost first.
    pub headings: Vec<String>,
    /// What its text needs to be understood alone, such as the title and the names of columns of a table; no part of it.
    #[serde(default)]
    pub context: String,
    /// Its text.
    pub text: String,
    /// Words that its file shows struck out of the text.
    #[serde(default)]
    pub struck: Vec<StruckWords>,
    /// Where the quotes asked for stand in it; those that do not stand there are absent.
    pub highlights: Vec<TextRange>,
    /// The paragraphs before it, nearest last.
    pub before: Vec<NeighbourText>,
    /// The paragraphs after it, nearest first.
    pub after: Vec<NeighbourText>,
    /// Paragraphs that it refers to or that refer to it.
    pub linked: Vec<NeighbourText>,
}

/// A paragraph near another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NeighbourText {
    /// Its id.
    pub id: String,
    /// As it is cited.
    pub citation: String,
    /// Its text; for linked ones the beginning.
    pub text: String,
}

/// What a session or a run is exported as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// The documents and decisions as Markdown.
    Markdown,
    /// One self-contained HTML file.
    Html,
    /// A document of Word, with citations as footnotes.
    Docx,
    /// PDF pages, with citations as footnotes.
    Pdf,
    /// The statements of a run's document with their states, sources and quotes, as a table for spreadsheets.
    Csv,
    /// A workbook: the statements of a run's document, and a sheet for each table that its agent declares.
    Xlsx,
    /// Every event, a line of JSON each.
    Jsonl,
}

/// An export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Exported {
    /// A name for the file.
    pub name: String,
    /// Where it was written, below the data directory.
    pub path: String,
    /// Its text, where it is one and has at most 4 MiB.
    pub text: Option<String>,
    /// Its bytes in base64, where it is no text and has at most 4 MiB.
    pub data: Option<String>,
}

/// A page to show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PagePictureQuery {
    /// The paragraph's base; with `run` that run's.
    pub base: Option<String>,
    /// Reads the base and generation that this run read.
    pub run: Option<RunId>,
    /// The paragraph's id, or a reference such as `ISA 320.10`.
    pub id: String,
    /// Quotes to mark; where none is found, the paragraph is marked.
    #[serde(default)]
    pub quotes: Vec<String>,
    /// The page, from 1; without one the page on which the quotes, or the paragraph, begin.
    #[serde(default)]
    pub page: Option<u32>,
    /// The picture's width in pixels, at most 2,400.
    pub width: u32,
}

/// A page of a file as a picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PagePicture {
    /// The file, below the folder that was ingested.
    pub file: String,
    /// Its path.
    pub path: String,
    /// The page, from 1.
    pub page: u32,
    /// How many pages the file has.
    pub pages: u32,
    /// The picture's width in pixels.
    pub width: u32,
    /// The picture's height in pixels.
    pub height: u32,
    /// Where passages are marked.
    pub marks: Vec<PageMark>,
    /// The picture as PNG, in base64, with the marks.
    pub png: String,
}

/// A mark, in shares of the page's width and height from its upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PageMark {
    /// Its left edge.
    pub x: f32,
    /// Its upper edge.
    pub y: f32,
    /// Its width.
    pub width: f32,
    /// Its height.
    pub height: f32,
}
