//! The verify stage's output, read leniently.

use std::collections::BTreeMap;

use domain::{CheckedCitation, Finding, SentenceRecord, Verdict};
use serde_json::Value;

use crate::{json, text};

/// What could be read of it.
#[derive(Debug, Default)]
pub(crate) struct Verification {
    pub results: Vec<CheckedCitation>,
    /// Score by axis, 0 to 1.
    pub scores: BTreeMap<String, f64>,
    pub thresholds: BTreeMap<String, f64>,
    pub unsupported: Vec<String>,
    pub contradictions: Vec<String>,
    pub source_texts: Vec<SourceText>,
    pub needs_repair: bool,
    /// What is known about each sentence; empty where the agent keeps no records.
    pub records: Vec<SentenceRecord>,
    /// Checks that held and checks made, by axis.
    pub counts: BTreeMap<String, (usize, usize)>,
}

/// A paragraph's text.
#[derive(Debug, Clone)]
pub(crate) struct SourceText {
    pub id: Option<String>,
    pub source_ref: String,
    /// How a reader finds it, where the reference says little.
    pub label: Option<String>,
    pub text: String,
    /// The file and the page that it was taken from, in words.
    pub place: Option<String>,
}

impl Verification {
    pub(crate) fn read(value: &Value) -> Self {
        let citations = value.get("citations");
        let results = citations.and_then(|part| part.get("results").or(part.is_array().then_some(part)));
        let mut scores = numbers(value.get("scores"));
        for (axis, names) in [
            ("citation", ["citations", "citation"]),
            ("entity", ["entities", "entity"]),
            ("relation", ["relations", "relation"]),
            ("contradiction", ["contradictions", "contradiction"]),
        ] {
            let score = names.iter().find_map(|name| value.get(name)?.get("score")).and_then(json::number);
            if let Some(score) = score {
                scores.entry(axis.to_owned()).or_insert(score);
            }
        }
        let texts = [
            value.get("source_texts"),
            value.get("sourceTexts"),
            citations.and_then(|part| part.get("source_texts")),
        ];
        let answer = value.get("answer");
        let counts = list(answer.and_then(|answer| answer.get("axes"))).iter().filter_map(|axis| {
            let count = |name: &str| usize::try_from(axis.get(name)?.as_u64()?).ok();
            Some((text::one_line(axis.get("axis")?.as_str()?), (count("held")?, count("checked")?)))
        });
        Self {
            records: records(answer.and_then(|answer| answer.get("records"))),
            counts: counts.collect(),
            results: list(results).iter().filter_map(checked).collect(),
            scores,
            thresholds: numbers(value.get("thresholds")),
            unsupported: described(value.get("unsupported")),
            contradictions: described(value.get("contradictions").and_then(|part| part.get("candidates"))),
            source_texts: texts
                .into_iter()
                .flat_map(|part| list(part).iter().filter_map(SourceText::read))
                .collect(),
            needs_repair: ["needsRepair", "needs_repair"]
                .iter()
                .any(|name| value.get(name) == Some(&Value::Bool(true))),
        }
    }
}

/// A record that can't be read is none.
fn records(value: Option<&Value>) -> Vec<SentenceRecord> {
    list(value).iter().filter_map(|record| serde_json::from_value(record.clone()).ok()).collect()
}

/// Takes what a judge found into the records: `{ judge, judgements: [{ n, finding, reason }] }`.
pub(crate) fn apply_judgements(records: &mut [SentenceRecord], value: &Value) {
    let Some(judge) = json::text_of(value, &["judge"]) else { return };
    for one in list(value.get("judgements")) {
        let n = one.get("n").and_then(Value::as_u64);
        let finding =
            one.get("finding").and_then(|word| serde_json::from_value::<Finding>(word.clone()).ok());
        let record = records.iter_mut().find(|record| Some(record.n as u64) == n);
        if let (Some(record), Some(finding)) = (record, finding) {
            let reason = json::text_of(one, &["reason"]).unwrap_or_default();
            record.take_judgement(&text::one_line(&judge), finding, &text::one_line(&reason));
        }
    }
}

impl SourceText {
    /// Reads `{id, ref, label, text, file, page}`, also as retrieval tools write it.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        let source_ref = json::text_of(value, &["ref", "source_ref", "citation", "id"])?;
        let text = value.get("text").or_else(|| value.get("content"))?.as_str()?;
        let id = json::text_of(value, &["id", "paragraph_id"]).map(|id| text::one_line(&id));
        let line = |name: &str| json::text_of(value, &[name]).map(|words| text::one_line(&words));
        let file = line("file");
        let page = |name: &str| value.get(name).and_then(Value::as_u64);
        let place = file.map(|file| match (page("page"), page("to_page")) {
            (Some(first), Some(last)) => format!("{file}, pp. {first}-{last}"),
            (Some(page), None) => format!("{file}, page {page}"),
            (None, _) => file,
        });
        let label = line("label").filter(|label| !label.is_empty());
        Some(Self { id, source_ref: text::one_line(&source_ref), label, text: text.to_owned(), place })
    }
}

pub(crate) fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn numbers(value: Option<&Value>) -> BTreeMap<String, f64> {
    let Some(Value::Object(map)) = value else { return BTreeMap::new() };
    map.iter().filter_map(|(axis, score)| Some((text::one_line(axis), json::number(score)?))).collect()
}

fn checked(value: &Value) -> Option<CheckedCitation> {
    if let Ok(citation) = serde_json::from_value::<CheckedCitation>(value.clone()) {
        return Some(citation);
    }
    // An unknown verdict is no verdict: nothing counts as verified that doesn't say so in the known word.
    let word = json::text_of(value, &["verdict", "status"]).unwrap_or_default();
    let verdict = serde_json::from_value(Value::String(word.to_lowercase())).unwrap_or(Verdict::Unverified);
    let offset = |name: &str| value.get(name).and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
    Some(CheckedCitation {
        source_ref: json::text_of(value, &["source_ref", "ref", "citation"])?,
        quote: json::text_of(value, &["quote"]).unwrap_or_default(),
        verdict,
        reason: json::text_of(value, &["reason"]).unwrap_or_default(),
        paragraph_id: json::text_of(value, &["paragraph_id", "id"]),
        text: json::text_of(value, &["text"]),
        start: offset("start"),
        end: offset("end"),
    })
}

/// A list of sentences, or of objects that say something of one or two statements.
fn described(value: Option<&Value>) -> Vec<String> {
    list(value)
        .iter()
        .map(|item| {
            if !item.is_object() {
                return json::plain(item);
            }
            let main = json::text_of(
                item,
                &["sentence", "claim", "text", "statement", "item", "term", "source_ref", "summary"],
            );
            let why = json::text_of(item, &["reason", "why", "kind", "detail"]);
            let other = json::text_of(item, &["source_text", "paragraph", "against", "ref", "other"]);
            let mut out = main.unwrap_or_else(|| json::plain(item));
            if let Some(other) = other {
                out.push_str(&format!(" / {other}"));
            }
            if let Some(why) = why {
                out.push_str(&format!(" ({why})"));
            }
            out
        })
        .map(|text| text::one_line(&text))
        .filter(|text| !text.is_empty())
        .collect()
}
