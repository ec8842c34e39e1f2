//! What an agent's run gave, as findings: the findings themselves, or the checked statements of an answer.

use std::collections::{BTreeMap, BTreeSet};

use domain::mission::{ClaimKind, Findings, FoundCitation, FoundClaim, FoundGap, FoundSource, SourceKind};
use domain::{ErrorCode, Problem, Proof, SentenceRecord, SentenceVerdict};
use engine_types::Corpus;
use evidence_graph::{Check, Context};
use serde::Deserialize;
use serde_json::Value;

/// The most letters of a question that a gap of an answer may have.
const MAX_GAP_CHARS: usize = 400;

/// The confidence from which on an answer is taken for one. Below it, what a model states may be true, but does not answer the
/// question; without a model the passages nearest to the question are quoted, which mostly say something else.
const MIN_CONFIDENCE: f64 = 0.4;

/// The output of a researcher's run.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ResearchOutput {
    /// Findings as the contract has them.
    findings: Option<Findings>,
    /// What checking found about each statement of an answer, in place of findings.
    records: Vec<SentenceRecord>,
    /// The paragraphs that they cite, with their pages.
    paragraphs: Vec<CitedParagraph>,
    /// What the answer names as open.
    gaps: Vec<String>,
    /// Whether a tool found every quote of the findings in the bytes that were read.
    quotes_found: bool,
    /// How sure an answer is to be one, from 0 to 1.
    confidence: Option<f64>,
    /// Whether it was put together without a model.
    offline: bool,
}

#[derive(Debug, Deserialize)]
struct CitedParagraph {
    id: String,
    #[serde(default)]
    page: Option<u32>,
}

/// Findings of an invocation with what is known of their citations.
pub(super) struct Found {
    pub(super) findings: Findings,
    pub(super) context: Context,
}

/// Hosts whose pages a run left out, because nobody has decided about them.
pub(super) fn hosts_left_out(output: &Value) -> Vec<String> {
    let hosts = output.get("needs_approval").and_then(Value::as_array).into_iter().flatten();
    hosts.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Reads what a researcher's run gave. `question` is what it was asked; `is_code`: whether its last stage is code, which alone
/// can say that quotes were found.
pub(super) fn read(
    output: Value,
    by: String,
    question: &str,
    corpus: Option<&Corpus>,
    is_code: bool,
) -> Result<Found, Problem> {
    let wrong = |error: serde_json::Error| {
        Problem::new(
            ErrorCode::InvalidAnswer,
            format!("what the agent found does not fit the contract: {error}"),
        )
        .with_action("correct the agent's last stage: `findings`, or `records` of a checked answer")
    };
    let output: ResearchOutput = serde_json::from_value(output).map_err(wrong)?;
    let mut context = Context { by, ..Context::default() };
    match output.findings {
        Some(mut findings) => {
            for claim in &mut findings.claims {
                claim.answers.get_or_insert_with(|| question.to_owned());
            }
            if output.quotes_found && is_code {
                context.checks = of_quotes(&findings);
            }
            Ok(Found { findings, context })
        }
        None => {
            let answers = output.confidence.is_none_or(|sure| sure >= MIN_CONFIDENCE);
            if output.offline && !answers {
                return Ok(Found { findings: Findings::default(), context });
            }
            Ok(of_records(output, context, answers.then_some(question), corpus))
        }
    }
}

/// Each statement with a source is a claim; its citations are checked already, by code.
fn of_records(
    output: ResearchOutput,
    mut context: Context,
    question: Option<&str>,
    corpus: Option<&Corpus>,
) -> Found {
    let pages: BTreeMap<&str, u32> =
        output.paragraphs.iter().filter_map(|one| Some((one.id.as_str(), one.page?))).collect();
    let mut findings = Findings::default();
    let mut sources = BTreeSet::new();
    for record in &output.records {
        if record.verdict == SentenceVerdict::Uncited {
            continue;
        }
        let place = findings.claims.len();
        let mut citations = Vec::new();
        for citation in &record.citations {
            let Some(document) = &citation.document else { continue };
            let address = format!("kb:{}/{}", citation.base, document.name);
            if sources.insert(address.clone()) {
                context.generations.insert(address.clone(), citation.generation.clone());
                findings.sources.push(FoundSource {
                    id: address.clone(),
                    title: document.name.clone(),
                    address: address.clone(),
                    kind: kind_of(corpus),
                    object: Some(document.sha256),
                    published: None,
                    retrieved: None,
                });
            }
            context.checks.insert(
                format!("/claims/{place}/citations/{}", citations.len()),
                Check {
                    verdict: record.verdict,
                    proof: record.proof,
                    paragraph: citation.paragraph_id.clone(),
                },
            );
            let paragraph = citation.paragraph_id.clone();
            citations.push(FoundCitation {
                source: address,
                quote: citation.quote.clone(),
                page: citation.page.or_else(|| paragraph.as_deref().and_then(|id| pages.get(id).copied())),
                paragraph,
            });
        }
        let entities = record.entities.iter().filter(|entity| {
            entity.found_in.is_some() && matches!(entity.kind.as_str(), "defined_term" | "standard")
        });
        findings.claims.push(FoundClaim {
            text: record.claim.clone(),
            kind: ClaimKind::Fact,
            confidence: None,
            dated: false,
            entities: entities.map(|entity| entity.text.clone()).collect(),
            citations,
            answers: question.map(str::to_owned),
        });
    }
    let gaps = output.gaps.into_iter().filter(|gap| gap.chars().count() <= MAX_GAP_CHARS);
    findings.gaps_identified = gaps
        .map(|question| FoundGap { question, critical: false, capability: None, entities: Vec::new() })
        .collect();
    Found { findings, context }
}

/// What quotes that stand in their source carry: a claim in their very words is proved; one whose numbers and names they hold may
/// follow from them, which a reader decides.
fn of_quotes(findings: &Findings) -> BTreeMap<String, Check> {
    let mut checks = BTreeMap::new();
    for (place, claim) in findings.claims.iter().enumerate() {
        let words = evidence_graph::text_key(&claim.text);
        for (at, citation) in claim.citations.iter().enumerate() {
            let quote = evidence_graph::text_key(&citation.quote);
            let (verdict, proof) = if !words.is_empty() && quote.contains(&words) {
                (SentenceVerdict::Verified, Proof::Quoted)
            } else if !quote.is_empty() && named(&claim.text).all(|name| quote.contains(&name)) {
                (SentenceVerdict::Unverified, Proof::NamedThings)
            } else {
                (SentenceVerdict::Unverified, Proof::None)
            };
            let check = Check { verdict, proof, paragraph: citation.paragraph.clone() };
            checks.insert(format!("/claims/{place}/citations/{at}"), check);
        }
    }
    checks
}

/// Numbers and capitalised words of a claim, as they are compared; the first word begins a sentence.
fn named(text: &str) -> impl Iterator<Item = String> {
    let is_named = |(at, word): &(usize, &str)| {
        word.chars().any(|c| c.is_ascii_digit())
            || (*at > 0 && word.chars().next().is_some_and(char::is_uppercase))
    };
    let words = text.split_whitespace().enumerate().filter(is_named);
    words.map(|(_, word)| evidence_graph::text_key(word)).filter(|key| !key.is_empty())
}

/// What a document of a base is worth.
fn kind_of(corpus: Option<&Corpus>) -> SourceKind {
    match corpus.map(|corpus| corpus.tier.as_str()) {
        Some("standard") => SourceKind::Standard,
        Some("guide") => SourceKind::Official,
        Some("document") => SourceKind::Primary,
        Some("primer") => SourceKind::Trade,
        Some(_) | None => SourceKind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_quote_proves_its_own_words_and_carries_what_it_names() {
        let claim = |text: &str| json!({ "text": text, "citations": [{ "source": "1", "quote": "The fee of Acme is 40 euros in 2025." }] });
        let findings = json!({ "claims": [
            claim("The fee of Acme is 40 euros in 2025"), claim("Customers of Acme pay 40 euros"), claim("It costs 50 euros"),
        ] });
        let output = json!({ "findings": findings, "quotes_found": true });
        let verdicts = |is_code| {
            let found = read(output.clone(), "a".to_owned(), "What is the fee?", None, is_code).unwrap();
            found.context.checks.values().map(|check| (check.verdict, check.proof)).collect::<Vec<_>>()
        };
        assert_eq!(
            verdicts(true),
            [
                (SentenceVerdict::Verified, Proof::Quoted),
                (SentenceVerdict::Unverified, Proof::NamedThings),
                (SentenceVerdict::Unverified, Proof::None),
            ]
        );
        assert!(verdicts(false).is_empty(), "a model's word on its quotes is none");
    }

    #[test]
    fn an_answer_that_is_not_sure_answers_nothing_and_offline_it_states_nothing() {
        let answered = |confidence: Value, offline: bool| {
            let record = json!({
                "n": 1, "sentence": "The fee is 40 euros.", "claim": "The fee is 40 euros.", "verdict": "verified",
                "proof": "quoted", "method": "quoted", "reason": "",
            });
            let output = json!({ "records": [record], "confidence": confidence, "offline": offline });
            let found = read(output, "a".to_owned(), "What is the fee?", None, true).unwrap();
            found.findings.claims.iter().map(|claim| claim.answers.is_some()).collect::<Vec<_>>()
        };
        assert_eq!([answered(json!(0.39), true), answered(json!(0.4), true)], [vec![], vec![true]]);
        assert_eq!([answered(json!(0.39), false), answered(Value::Null, false)], [vec![false], vec![true]]);
    }
}
