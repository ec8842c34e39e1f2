//! What is known about each statement once a judge has read those that code left open, and which are to be mended.

use std::collections::BTreeMap;

use domain::{Finding, Proof, SentenceRecord, SentenceVerdict};
use serde_json::{Map, Value, json};

use crate::{json as read, text, verification};

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct SupportOutcome {
    /// What checking found, with the findings taken in: `records`, `verdicts`, `axes`, `scores`, `unsupported` anew, and
    /// besides `judgements` (`[{ key, n, finding, words, reason }]`) and `mend` (`[{ n, statement, claim, problem, cited,
    /// paragraph_ids }]`).
    pub answer: Value,
    /// Pairs that no judge has read.
    pub unjudged: usize,
}

/// The name of the axis that counts statements.
const AXIS: &str = "support";
/// The most words of a judge that are kept.
const MAX_REASON_CHARS: usize = 300;

/// Takes findings into what checking found.
///
/// `found` is `{ records, pairs: [{ n, key, … }], … }`. `answers` are a judge's, `[{ judgements: [{ n, finding, words, reason }] }]`
/// or one of them; `before` are judgements of an earlier attempt: a pair with the same key, which stands for its content, has the
/// same finding.
pub fn conclude(found: &Value, answers: &Value, before: &Value, judge: &str) -> SupportOutcome {
    let mut answer = found.as_object().cloned().unwrap_or_default();
    let mut records: Vec<SentenceRecord> = verification::list(found.get("records"))
        .iter()
        .filter_map(|record| serde_json::from_value(record.clone()).ok())
        .collect();
    let pairs: Vec<(usize, String)> =
        verification::list(found.get("pairs")).iter().filter_map(pair).collect();
    let judgements = judgements(&pairs, answers, before);
    for one in &judgements {
        let record = records.iter_mut().find(|record| record.n == one.n);
        if let Some(record) = record {
            record.take_judgement(judge, one.finding, &one.reason_text());
        }
    }
    let unjudged = pairs.iter().filter(|(n, _)| !judgements.iter().any(|one| one.n == *n)).count();
    let mend: Vec<Value> = records.iter().filter_map(to_mend).collect();
    let held = records.len() - mend.len();
    let score = if records.is_empty() { 1.0 } else { held as f64 / records.len() as f64 };
    let mut verdicts: BTreeMap<String, usize> = BTreeMap::new();
    for record in &records {
        if let Some(word) = json!(record.verdict).as_str() {
            *verdicts.entry(word.to_owned()).or_default() += 1;
        }
    }
    let mut unsupported = verification::list(found.get("unsupported")).to_vec();
    for record in records.iter().filter(|record| is_refused(record)) {
        let item = text::cut_at_word(&text::one_line(&record.claim), 200);
        unsupported.push(json!({ "n": record.n, "axis": AXIS, "item": item, "reason": record.reason }));
    }
    let mut axes: Vec<Value> = verification::list(found.get("axes")).to_vec();
    axes.retain(|axis| axis.get("axis").and_then(Value::as_str) != Some(AXIS));
    axes.push(json!({ "axis": AXIS, "held": held, "checked": records.len(), "score": score }));
    let mut scores: Map<String, Value> =
        found.get("scores").and_then(Value::as_object).cloned().unwrap_or_default();
    scores.insert(AXIS.to_owned(), json!(score));
    let judgements: Vec<Value> = judgements.iter().map(Judgement::value).collect();
    for (name, value) in [
        ("records", json!(records)),
        ("verdicts", json!(verdicts)),
        ("axes", json!(axes)),
        ("scores", Value::Object(scores)),
        ("unsupported", json!(unsupported)),
        ("judgements", json!(judgements)),
        ("mend", json!(mend)),
    ] {
        answer.insert(name.to_owned(), value);
    }
    SupportOutcome { answer: Value::Object(answer), unjudged }
}

fn pair(value: &Value) -> Option<(usize, String)> {
    let n = usize::try_from(value.get("n")?.as_u64()?).ok()?;
    Some((n, value.get("key")?.as_str()?.to_owned()))
}

/// One finding.
struct Judgement {
    n: usize,
    key: String,
    finding: Finding,
    /// The words of the paragraph that decide.
    words: String,
    reason: String,
}

impl Judgement {
    fn read(value: &Value, n: usize, key: &str) -> Option<Self> {
        let finding = serde_json::from_value(value.get("finding")?.clone()).ok()?;
        let of = |name: &str| {
            text::cut_at_word(
                &text::one_line(&read::text_of(value, &[name]).unwrap_or_default()),
                MAX_REASON_CHARS,
            )
        };
        Some(Self { n, key: key.to_owned(), finding, words: of("words"), reason: of("reason") })
    }

    fn value(&self) -> Value {
        json!({ "n": self.n, "key": self.key, "finding": self.finding, "words": self.words, "reason": self.reason })
    }

    /// The reason as a record has it.
    fn reason_text(&self) -> String {
        let said = match self.finding {
            Finding::Entailed => "a judge read it as supported",
            Finding::Partial => "a judge read it as supported in part",
            Finding::Unsupported => "a judge read it as not supported",
            Finding::Contradicted => "a judge read it as contradicted",
            Finding::Unknown => "a judge could not decide it",
        };
        let mut out = said.to_owned();
        if !self.reason.is_empty() {
            out.push_str(&format!(": {}", self.reason));
        }
        if !self.words.is_empty() && self.finding != Finding::Entailed {
            out.push_str(&format!(" (\u{201c}{}\u{201d})", self.words));
        }
        out
    }
}

fn judgements(pairs: &[(usize, String)], answers: &Value, before: &Value) -> Vec<Judgement> {
    let answers = match answers {
        Value::Array(answers) => answers.as_slice(),
        Value::Null => &[],
        one => std::slice::from_ref(one),
    };
    let said: Vec<&Value> =
        answers.iter().flat_map(|answer| verification::list(answer.get("judgements"))).collect();
    let known = verification::list(Some(before));
    pairs
        .iter()
        .filter_map(|(n, key)| {
            let own = said.iter().find(|one| one.get("n").and_then(Value::as_u64) == Some(*n as u64));
            let same = || known.iter().find(|one| one.get("key").and_then(Value::as_str) == Some(key));
            Judgement::read(own.copied().or_else(same)?, *n, key)
        })
        .collect()
}

/// Whether a judge refused a statement.
fn is_refused(record: &SentenceRecord) -> bool {
    matches!(record.finding, Some(Finding::Unsupported | Finding::Contradicted | Finding::Partial))
}

/// A statement that does not hold, with why, for whoever mends it.
fn to_mend(record: &SentenceRecord) -> Option<Value> {
    let fails = match record.verdict {
        SentenceVerdict::Mismatch
        | SentenceVerdict::Missing
        | SentenceVerdict::Withdrawn
        | SentenceVerdict::Uncited => true,
        SentenceVerdict::Unverified => {
            let quoted = record.proof == Proof::Quoted;
            let doubted =
                !quoted && !record.conflicts.is_empty() && record.finding != Some(Finding::Entailed);
            doubted || is_refused(record)
        }
        SentenceVerdict::Verified | SentenceVerdict::JudgedSupported => false,
    };
    let cited: Vec<&str> = record.citations.iter().map(|one| one.source_ref.as_str()).collect();
    let quotes: Vec<&str> = record.citations.iter().map(|one| one.quote.as_str()).collect();
    let ids = record.citations.iter().filter_map(|one| one.paragraph_id.as_deref());
    let ids: Vec<&str> = ids.chain(record.conflicts.iter().map(|one| one.paragraph_id.as_str())).collect();
    fails.then(|| {
        json!({
            "n": record.n,
            "statement": record.sentence,
            "claim": record.claim,
            "problem": record.reason,
            "cited": cited,
            "quotes": quotes,
            "paragraph_ids": ids,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn record(n: usize, verdict: &str, conflict: bool) -> Value {
        let conflicts = if conflict {
            json!([{ "kind": "modal", "paragraph_id": "p9", "stated_in": "It may.", "claimed": "must", "stated": "may" }])
        } else {
            json!([])
        };
        json!({
            "n": n, "sentence": format!("Statement {n} (A {n})."), "claim": format!("Statement {n}."),
            "citations": [{ "source_ref": format!("A {n}"), "base": "b", "generation": "g", "paragraph_id": format!("p{n}"),
                            "quote": "", "verdict": "verified", "method": "quoted", "reason": "" }],
            "conflicts": conflicts, "verdict": verdict, "proof": "none", "method": "no-model", "reason": "because",
        })
    }

    fn found() -> Value {
        let pair = |n: usize| json!({ "n": n, "key": format!("k{n}"), "statement": "s", "evidence": [] });
        json!({
            "records": [record(1, "verified", false), record(2, "unverified", false), record(3, "unverified", true),
                        record(4, "mismatch", false), record(5, "unverified", false)],
            "pairs": [pair(2), pair(3), pair(5)],
            "axes": [{ "axis": "citation", "held": 5, "checked": 5, "score": 1.0 }],
            "scores": { "citation": 1.0 }, "verdicts": {}, "unsupported": [],
        })
    }

    fn state(answer: &Value) -> Vec<(u64, String)> {
        let records = answer["records"].as_array().unwrap().iter();
        records.map(|one| (one["n"].as_u64().unwrap(), one["verdict"].as_str().unwrap().to_owned())).collect()
    }

    fn named(answer: &Value) -> Vec<u64> {
        answer["mend"].as_array().unwrap().iter().map(|one| one["n"].as_u64().unwrap()).collect()
    }

    #[test]
    fn without_a_judge_what_was_open_stays_open() {
        let concluded = conclude(&found(), &Value::Null, &Value::Null, "");
        assert_eq!(concluded.unjudged, 3);
        let states = ["verified", "unverified", "unverified", "mismatch", "unverified"];
        assert_eq!(state(&concluded.answer).into_iter().map(|(_, state)| state).collect::<Vec<_>>(), states);
        assert_eq!(named(&concluded.answer), [3, 4]);
        assert_eq!(concluded.answer["scores"]["support"], 0.6);
        assert_eq!(conclude(&json!({}), &Value::Null, &Value::Null, "").answer["mend"], json!([]));
    }

    #[test]
    fn a_judge_s_findings_are_taken_in_and_kept_for_the_next_attempt() {
        let judged = json!([
            { "judgements": [{ "n": 2, "finding": "supported", "words": "w", "reason": "it says so" }, { "n": 4, "finding": "supported" }] },
            { "judgements": [{ "n": 3, "finding": "supported" }, { "n": 5, "finding": "not", "reason": "it says less" }, { "n": 99, "finding": "not" }] },
        ]);
        let first = conclude(&found(), &judged, &Value::Null, "m-1");
        assert_eq!(first.unjudged, 0);
        let states = ["verified", "judged_supported", "unverified", "mismatch", "mismatch"];
        assert_eq!(state(&first.answer).into_iter().map(|(_, state)| state).collect::<Vec<_>>(), states);
        assert_eq!(named(&first.answer), [4, 5]);
        assert_eq!(first.answer["records"][1]["method"], "judge:m-1");
        assert_eq!(
            first.answer["unsupported"][0]["reason"],
            "a judge read it as not supported: it says less"
        );
        // The same pairs are not judged again.
        let again = conclude(&found(), &Value::Null, &first.answer["judgements"], "m-1");
        assert_eq!((again.unjudged, state(&again.answer)), (0, state(&first.answer)));
    }

    #[test]
    fn a_finding_that_is_no_finding_decides_nothing() {
        let judged = json!({ "judgements": [{ "n": 2, "finding": "certainly" }, "x", { "n": "2", "finding": "supported" }] });
        assert_eq!(conclude(&found(), &judged, &Value::Null, "m").unjudged, 3);
    }
}
