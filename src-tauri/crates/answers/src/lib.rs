//! The answer document and pause messages: citations, labels, tables, Markdown, HTML and Word.
//!
//! Pure functions of their input: no files, no clock, no model. Whatever comes from a model, a tool or a page is data:
//! it can neither open HTML nor pass for a section that code writes.

mod absence;
mod answer_json;
mod blocks;
mod body;
mod build;
mod citation_index;
mod close_quotes;
mod compare;
mod csv;
mod document;
mod footnotes;
mod html;
mod input;
mod json;
mod keys;
mod labels;
mod markdown;
mod markers;
mod parts;
mod pause;
mod prior;
mod quoted_words;
mod quotes;
mod refs;
mod revision;
mod sanitise;
mod sentences;
mod statement_repair;
mod statements;
mod support;
mod text;
mod topic;
mod verification;
mod word;

pub use answer_json::{ANSWER_VERSION, RECORDS_VERSION, to_answer_json};
pub use body::{Section, SourceEntry};
pub use build::build;
pub use citation_index::{Check, Citation};
pub use compare::{
    DocumentComparison, MatchKind, SourceMatch, StatementMatch, StatementSide, WordRow, WordSpan, compare,
};
pub use csv::{STATEMENT_COLUMNS, statement_rows, to_csv};
pub use document::{Axis, Document, Limits, Query, SentenceCount, VerdictCount, VerificationSummary};
pub use docx::{Exhibit, Exhibits, HeadingCase, exhibit_label};
pub use footnotes::{BodyNote, FootnotedBody, to_footnoted};
pub use html::{DocumentPreface, to_html, to_html_of_all, to_html_of_pages};
pub use input::{DocumentInput, Skipped, WebReference};
pub use json::lookup;
pub use keys::{Keyed, ResolvedAnswer, resolve_keys};
pub use markdown::to_markdown;
pub use markers::{PriorMark, WebMark, WebMatch, replace_markers};
pub use parts::join_parts;
pub use pause::{
    CostLine, MeterReading, PauseChoice, PauseInput, PauseMessage, PausePart, Shape, StatusLine,
    format_pause, recover_json,
};
pub use prior::{FollowUpContext, FollowUpError, PriorQuery, PriorSection, parse_sections};
pub use revision::revised;
pub use sanitise::sanitise;
pub use sentences::{CitedSentence, ListedCitation, SentenceCitation, cited_sentences};
pub use statement_repair::replace_statements;
pub use statements::{Headline, Level, State, Statement};
pub use support::{SupportOutcome, conclude};
pub use text::html as escape_html;
pub use topic::{leans, names_subject, standalone};
pub use word::{to_word, to_word_of_all};
