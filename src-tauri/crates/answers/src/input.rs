//! What a document is built from.

use domain::{EarlierAnswer, agent::Output};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::PriorSection;

/// Everything a document is built from. Values that models and tools wrote are read leniently: what is absent is left out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DocumentInput {
    /// The document's title, already filled in.
    pub title: String,
    /// The question as the person asked it.
    pub question: String,
    /// A notice about the texts used, shown under the title.
    pub notice: Option<String>,
    /// `{ synthesis, citations[{source_ref, claim, quote}], confidence, gaps, out_of_scope }`, or the synthesis alone.
    pub answer: Value,
    /// Whether it is a report whose statements name no sources.
    pub cites_nothing: bool,
    /// The query plan, wrapped in `query_plan` or not.
    pub plan: Option<Value>,
    /// The verify stage's output: `{ citations, scores, thresholds, unsupported, needsRepair, source_texts, … }`.
    pub verification: Option<Value>,
    /// What a judge found: `{ judge, judgements: [{ n, finding, reason }] }`, `n` being a sentence record's.
    pub judgements: Option<Value>,
    /// Retrieved paragraphs `[{id, ref, text}]`: where a cited paragraph's text is taken from when verification has none.
    pub paragraphs: Option<Value>,
    /// Web pages in the order of their labels.
    pub web_references: Vec<WebReference>,
    /// Sections of the earlier answer in the order of their labels.
    pub prior_sections: Vec<PriorSection>,
    /// That answer; runs of earlier versions do not name it.
    pub earlier: Option<EarlierAnswer>,
    /// Sentences of the earlier answer whose sources have changed since, one line each.
    pub changed: Vec<String>,
    /// 0 for a first question, 1 for its first follow-up, and so on.
    pub followup_number: u32,
    /// Sentences on what didn't go as planned: repairs exhausted, sources unavailable.
    pub warnings: Vec<String>,
    /// Stages that did not run.
    pub skipped: Vec<Skipped>,
    /// The agent's output settings.
    pub output: Output,
    /// The depth the run had; empty when there was none.
    pub depth: String,
    /// Which version reads the answer, as its run has it: from 2 on headings in capitals become titles, and quotations within quotations
    /// have single marks.
    pub reading: u32,
    /// Example citations of the texts used (such as `ISA 315.12`): what else looks like them is taken for a citation.
    pub citation_forms: Vec<String>,
}

/// A web page the run read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WebReference {
    /// Its title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// What it contributes, in a sentence.
    #[serde(alias = "snippet", alias = "relevance_note")]
    pub insight: String,
}

/// A stage that did not run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The stage's title.
    pub title: String,
    /// Why.
    pub why: String,
}
