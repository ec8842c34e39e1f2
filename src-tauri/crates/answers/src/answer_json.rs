//! The document as the versioned value that follow-ups and other programs read.

use serde_json::{Value, json};

use crate::Document;

/// The version of the answer file's format.
pub const ANSWER_VERSION: u64 = 1;
/// The version of the sentence records in it.
pub const RECORDS_VERSION: u64 = 1;

/// The answer file's value. What changes from run to run (date, cost, ids, durations, model) stands in `provenance` only.
pub fn to_answer_json(document: &Document, provenance: Value) -> Value {
    let mut citations = Vec::new();
    for citation in &document.citations {
        let row = |claim: &str, quote: &str, verdict: Value, reason: &str| {
            json!({
                "number": citation.number,
                "anchor": citation.anchor(),
                "source_ref": citation.source_ref,
                "paragraph_id": citation.paragraph_id,
                "claim": claim,
                "quote": quote,
                "verdict": verdict,
                "reason": reason,
                "in_body": citation.in_body,
            })
        };
        for check in &citation.checks {
            citations.push(row(&check.claim, &check.quote, json!(check.verdict), &check.reason));
        }
        if citation.checks.is_empty() {
            citations.push(row("", "", json!("unverified"), &citation.reason));
        }
    }
    let queries: Vec<Value> = document
        .queries
        .iter()
        .map(|query| json!({ "text": query.text, "role": query.role, "standards": query.standards }))
        .collect();
    json!({
        "version": ANSWER_VERSION,
        "title": document.title,
        "original_query": document.question,
        "followup_number": document.followup_number,
        "depth_mode": document.depth,
        "notice": document.notice,
        "answer": document.synthesis,
        "citations": citations,
        "sub_queries": queries,
        "web_references": document.web_references,
        "prior_sections": document.prior_sections,
        "verification": document.verification,
        "limits": document.limits,
        "uncited_sentences": document.uncited_sentences,
        "sentences": { "version": RECORDS_VERSION, "records": document.records },
        "headline": document.headline,
        "statements": document.statements,
        "out_of_scope": document.out_of_scope,
        "provenance": provenance,
    })
}
