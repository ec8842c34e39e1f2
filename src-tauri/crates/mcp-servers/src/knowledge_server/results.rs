//! What the tools give back.

use std::collections::BTreeMap;

use domain::SentenceRecord;
use schemars::JsonSchema;
use serde::Serialize;

use crate::web::WebResult;

/// A paragraph as results show it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ParagraphOut {
    /// Its id.
    pub(super) id: String,
    /// How to cite it.
    #[serde(rename = "ref")]
    pub(super) reference: String,
    /// The heading above it.
    pub(super) title: String,
    /// All headings above it, outermost first.
    pub(super) path: Vec<String>,
    /// standard, guide, document, web or primer.
    pub(super) tier: String,
    /// The document it belongs to.
    pub(super) source: String,
    /// What it is about.
    pub(super) standards: Vec<String>,
    /// The words.
    pub(super) text: String,
    /// What the words need to be understood alone, such as the names of a table's columns; no part of them.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) context: String,
    /// Only the beginning of the text is here; ask for the paragraph itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) truncated: bool,
    /// No longer in force.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) withdrawn: bool,
    /// Its page in its file, where the format has pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) page: Option<u32>,
    /// The file that it was taken from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    /// Which edition that file says that it is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) edition: String,
    /// The date that the file gives itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) date: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HitOut {
    #[serde(flatten)]
    pub(super) paragraph: ParagraphOut,
    /// Comparable within this result only.
    pub(super) score: f64,
    /// A stretch of the text around the matches.
    pub(super) snippet: String,
    /// Words of the query that occur.
    pub(super) matched: Vec<String>,
    /// How it was found: words, meaning, id or link.
    pub(super) via: String,
    /// The knowledge base that it stands in.
    pub(super) base: String,
    /// How near its meaning is to the question's, -1 to 1, where that was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) similarity: Option<f64>,
    /// What the query says of its document, where that chooses among the documents: a name, a kind, a period.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) scope: Vec<String>,
    /// Near copies that are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) duplicates: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SearchOut {
    pub(super) hits: Vec<HitOut>,
    /// Where the next page begins, when there may be one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_offset: Option<usize>,
    /// The knowledge base, the first of several.
    pub(super) base: String,
    pub(super) generation: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct GatheredOut {
    /// The paragraph; scores fall from 1 in the order of the list.
    #[serde(flatten)]
    pub(super) hit: HitOut,
    /// What asked for it: `question`, texts of queries, targets.
    #[serde(rename = "for")]
    pub(super) wanted_by: Vec<String>,
    /// The named heading or section that it completes, beyond the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct GatherOut {
    /// Best first.
    pub(super) hits: Vec<GatheredOut>,
    /// Targets that name nothing here.
    pub(super) missing_targets: Vec<String>,
    /// Queries and targets whose paragraph found no room within the limit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) left_out: Vec<String>,
    /// What was searched.
    pub(super) searched: Vec<String>,
    pub(super) base: String,
    pub(super) generation: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HopOut {
    #[serde(flatten)]
    pub(super) paragraph: ParagraphOut,
    /// Less with every hop.
    pub(super) score: f64,
    /// Hops from the start.
    pub(super) depth: usize,
    /// What the last link means.
    pub(super) kind: String,
    /// The paragraph that link comes from.
    pub(super) from: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HopsOut {
    /// The paragraph that was started from.
    pub(super) start: String,
    pub(super) hits: Vec<HopOut>,
    pub(super) base: String,
    pub(super) generation: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ContextOut {
    pub(super) paragraphs: Vec<ParagraphOut>,
    /// Ids that name nothing.
    pub(super) missing: Vec<String>,
    pub(super) base: String,
    pub(super) generation: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct NeighbourOut {
    pub(super) id: String,
    /// What the link means.
    pub(super) kind: String,
    /// The link leads out of this paragraph.
    pub(super) outgoing: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OneParagraphOut {
    pub(super) paragraph: ParagraphOut,
    /// Its links, at most 100.
    pub(super) neighbours: Vec<NeighbourOut>,
    /// Where its content went, when it is withdrawn.
    pub(super) superseded_by: Vec<String>,
    pub(super) base: String,
    pub(super) generation: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HeadingOut {
    /// The document.
    pub(super) source: String,
    /// Headings, outermost first.
    pub(super) path: Vec<String>,
    /// Paragraphs below it.
    pub(super) paragraphs: usize,
    /// How many the query found.
    pub(super) found: usize,
    pub(super) score: f64,
    /// The best of them.
    pub(super) ids: Vec<String>,
    /// Standards its paragraphs are tagged with, most frequent first, at most five.
    pub(super) standards: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OutlineOut {
    pub(super) headings: Vec<HeadingOut>,
    pub(super) base: String,
    pub(super) generation: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TagOut {
    pub(super) name: String,
    /// Paragraphs that carry it.
    pub(super) paragraphs: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StandardsOut {
    pub(super) standards: Vec<TagOut>,
    pub(super) base: String,
    pub(super) generation: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct BaseOut {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) tier: String,
    pub(super) generation: String,
    /// The citation form, with {id} in it.
    pub(super) citation: String,
    pub(super) paragraphs: u64,
    /// SHA-256 of the content.
    pub(super) digest: String,
    /// It is read where a call names none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) default: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ListOut {
    pub(super) bases: Vec<BaseOut>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct CheckedOut {
    pub(super) source_ref: String,
    pub(super) quote: String,
    /// verified, missing, withdrawn, quote_mismatch or unverified.
    #[schemars(with = "String")]
    pub(super) verdict: domain::Verdict,
    pub(super) reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) paragraph_id: Option<String>,
    /// The paragraph's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// First byte of the quote in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start: Option<usize>,
    /// Byte after the quote in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end: Option<usize>,
    /// Another paragraph that holds the quote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) also_found_in: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct UnsupportedOut {
    /// What was cited, or the sentence.
    pub(super) item: String,
    /// Why it is not supported.
    pub(super) reason: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SourceTextOut {
    pub(super) id: String,
    #[serde(rename = "ref")]
    pub(super) reference: String,
    /// How a reader finds it, where the reference says little: its file and the place in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
    pub(super) text: String,
    /// The file that it was taken from, where the base is of several or the file has pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    /// The page of that file on which its quoted words begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) page: Option<u32>,
    /// The page on which they end, where it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) to_page: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CitationsOut {
    pub(super) results: Vec<CheckedOut>,
    /// How many are verified.
    pub(super) verified: usize,
    pub(super) total: usize,
    /// verified / total; 1 without citations.
    pub(super) score: f64,
    pub(super) unsupported: Vec<UnsupportedOut>,
    /// Each cited paragraph once.
    pub(super) source_texts: Vec<SourceTextOut>,
    pub(super) base: String,
    pub(super) generation: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EntityOut {
    /// number, date, term, defined_term or standard.
    pub(super) kind: String,
    pub(super) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) found_in: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ClaimOut {
    pub(super) text: String,
    pub(super) supported: Vec<EntityOut>,
    pub(super) unsupported: Vec<EntityOut>,
    /// Citations that name nothing.
    pub(super) missing: Vec<String>,
    pub(super) score: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ClaimsOut {
    pub(super) results: Vec<ClaimOut>,
    /// Share of the named things that the cited paragraphs hold; 1 when nothing was named.
    pub(super) score: f64,
    pub(super) unsupported: Vec<UnsupportedOut>,
    pub(super) base: String,
    pub(super) generation: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RelationOut {
    pub(super) from: String,
    pub(super) to: String,
    /// A link joins them.
    pub(super) exists: bool,
    pub(super) kinds: Vec<String>,
    /// A link leads from the first to the second.
    pub(super) forward: bool,
    /// Without a link: paragraphs that link to both.
    pub(super) through: Vec<String>,
    /// Why it could not be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) problem: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RelationsOut {
    pub(super) results: Vec<RelationOut>,
    /// Share of the pairs that are linked; 1 without pairs.
    pub(super) score: f64,
    pub(super) unsupported: Vec<UnsupportedOut>,
    pub(super) base: String,
    pub(super) generation: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CandidateOut {
    /// Which claim, counted from 0.
    pub(super) claim: usize,
    pub(super) paragraph_id: String,
    pub(super) sentence: String,
    /// number, unit, date, bound, modal or negation.
    pub(super) kind: String,
    pub(super) claimed: String,
    pub(super) stated: String,
    pub(super) overlap: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ContradictionsOut {
    /// Pairs to look at, never verdicts.
    pub(super) candidates: Vec<CandidateOut>,
    /// Share of the claims without a candidate.
    pub(super) score: f64,
    /// Ids that name nothing.
    pub(super) missing: Vec<String>,
    pub(super) unsupported: Vec<UnsupportedOut>,
    pub(super) base: String,
    pub(super) generation: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AxisOut {
    /// citation, entity, relation or contradiction.
    pub(super) axis: String,
    /// Checks that held.
    pub(super) held: usize,
    /// Checks made.
    pub(super) checked: usize,
    /// The share that held; 1 when there was nothing to check.
    pub(super) score: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FaultOut {
    /// The sentence's number.
    pub(super) n: usize,
    /// The axis.
    pub(super) axis: String,
    pub(super) item: String,
    pub(super) reason: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AnswerOut {
    /// A record for each sentence, in order. What only a reader can decide is `unverified`, never `verified`.
    pub(super) records: Vec<SentenceRecord>,
    /// The four axes.
    pub(super) axes: Vec<AxisOut>,
    /// Their scores by name.
    pub(super) scores: BTreeMap<String, f64>,
    /// Sentences by verdict.
    pub(super) verdicts: BTreeMap<String, usize>,
    /// What did not hold.
    pub(super) unsupported: Vec<FaultOut>,
    /// Statements that only a reader can decide, each with what it cites.
    pub(super) pairs: Vec<PairOut>,
    /// What these statements cite, each paragraph once.
    pub(super) evidence: Vec<CitedParagraphOut>,
    pub(super) base: String,
    pub(super) generation: String,
}

/// A statement beside what it cites.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PairOut {
    /// The sentence's number.
    pub(super) n: usize,
    /// Stands for the statement and the evidence: the same pair has the same key.
    pub(super) key: String,
    /// What its row and column are called, for a cell of a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) row: Option<String>,
    /// The statement without its citations.
    pub(super) statement: String,
    /// What it cites, by the numbers of the result's `evidence`.
    pub(super) cites: Vec<usize>,
    /// The same in words: the cited sentences with their neighbours; a short paragraph whole.
    pub(super) evidence: Vec<EvidenceOut>,
}

/// A paragraph that statements cite.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CitedParagraphOut {
    /// Its number.
    pub(super) p: usize,
    /// How it is cited.
    #[serde(rename = "ref")]
    pub(super) reference: String,
    /// Its heading, from the outside in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) heading: String,
    /// All sentences of it that a statement cites, with their neighbours; a short paragraph whole.
    pub(super) text: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EvidenceOut {
    /// How it is cited.
    #[serde(rename = "ref")]
    pub(super) reference: String,
    /// Its heading, from the outside in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) heading: String,
    /// The cited sentences with their neighbours; a short paragraph whole.
    pub(super) text: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct WebOut {
    pub(super) results: Vec<WebResult>,
    /// Queries that were answered.
    pub(super) queries_executed: Vec<String>,
    pub(super) warnings: Vec<String>,
    /// Why no query was answered: no_key, key_refused, rate_limited, no_answer or not_set_up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unavailable: Option<String>,
}

/// Counts as sorted entries, most frequent first.
pub(super) fn tags(counts: BTreeMap<String, usize>) -> Vec<TagOut> {
    let mut tags: Vec<TagOut> =
        counts.into_iter().map(|(name, paragraphs)| TagOut { name, paragraphs }).collect();
    tags.sort_by(|a, b| b.paragraphs.cmp(&a.paragraphs).then_with(|| a.name.cmp(&b.name)));
    tags
}
