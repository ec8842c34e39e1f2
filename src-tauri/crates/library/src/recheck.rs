//! Checking sentence records again before an answer leaves the program, against the generations they name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use citations::{Fault, FaultKind, recheck};
use domain::{ErrorCode, Problem, SentenceRecord};
use engine::Recheck;
use knowledge::Base;
use serde_json::Value;

use crate::citation_state::{cited_now, reader_notes};

/// Faults that a message names; it counts the others.
const NAMED: usize = 5;

/// The knowledge bases of a data directory.
pub struct Bases(pub PathBuf);

#[async_trait]
impl Recheck for Bases {
    async fn recheck(&self, records: &[SentenceRecord]) -> Result<(), Problem> {
        if records.iter().all(|record| record.citations.is_empty()) {
            return Ok(());
        }
        let (home, records) = (self.0.clone(), records.to_vec());
        tokio::task::spawn_blocking(move || blocked(records.len(), &faults(&home, &records)))
            .await
            .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?
    }

    async fn changed(&self, records: &[SentenceRecord]) -> Vec<String> {
        let (home, records) = (self.0.clone(), records.to_vec());
        let found = tokio::task::spawn_blocking(move || reader_notes(&cited_now(&home, &records))).await;
        found.unwrap_or_default()
    }
}

/// Checks the records of an `answer.json` again: they hold, and they are the records of its sentences.
pub fn recheck_answer(home: &Path, answer: &Value) -> Result<usize, Problem> {
    let unreadable = |why: String| {
        Problem::new(ErrorCode::InvalidInput, format!("the answer's statement records can't be read: {why}"))
            .with_action("write the file again with `agentnative export`")
    };
    let held = answer.get("sentences").ok_or_else(|| unreadable("it has none".to_owned()))?;
    let version = held.get("version").and_then(Value::as_u64);
    if version != Some(answers::RECORDS_VERSION) {
        return Err(unreadable(format!("version {version:?} is not {}", answers::RECORDS_VERSION)));
    }
    let records: Vec<SentenceRecord> =
        serde_json::from_value(held.get("records").cloned().unwrap_or_default())
            .map_err(|error| unreadable(error.to_string()))?;
    let mut found = faults(home, &records);
    let listed: Vec<answers::ListedCitation> = records
        .iter()
        .flat_map(|record| &record.citations)
        .map(|one| answers::ListedCitation { source_ref: one.source_ref.clone(), ..Default::default() })
        .collect();
    let text = answer.get("answer").and_then(Value::as_str).unwrap_or_default();
    let sentences = answers::cited_sentences(text, &listed, &[]);
    let other = |n: usize, sentence: &str, found: &str| Fault {
        kind: FaultKind::Verdict,
        n,
        sentence: sentence.to_owned(),
        source_ref: String::new(),
        place: String::new(),
        found: found.to_owned(),
    };
    for record in &records {
        let own = |one: &answers::CitedSentence| one.text == record.sentence && one.claim == record.claim;
        if !sentences.iter().any(own) {
            found.push(other(record.n, &record.sentence, "the answer has no such statement"));
        }
    }
    for one in sentences.iter().filter(|one| !records.iter().any(|record| record.sentence == one.text)) {
        found.push(other(0, &one.text, "the answer has this statement, and no record is kept of it"));
    }
    blocked(records.len(), &found).map(|()| records.len())
}

fn faults(home: &Path, records: &[SentenceRecord]) -> Vec<Fault> {
    recheck(records, |base, generation| Base::open_generation(home, base, generation).map(Arc::new))
}

/// What stops the export, where something does.
fn blocked(records: usize, faults: &[Fault]) -> Result<(), Problem> {
    let Some(first) = faults.first() else { return Ok(()) };
    let named: Vec<String> = faults.iter().take(NAMED).map(|fault| format!("- {fault}")).collect();
    let more = match faults.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("\n- and {more} more"),
    };
    let remedy = match first.kind {
        FaultKind::Generation => {
            "restore the knowledge base's generation from a copy, or ingest the same sources and run the question again"
        }
        FaultKind::Paragraph | FaultKind::Document | FaultKind::Text => {
            "the sources are not those the answer was checked against: restore them, or run the question again"
        }
        FaultKind::Range | FaultKind::Verdict => {
            "the records are not those of the run: run the question again"
        }
    };
    let message = format!(
        "not exported: of {records} statement records {} did not hold when they were checked again\n{}{more}",
        faults.len(),
        named.join("\n")
    );
    Err(Problem::new(ErrorCode::Corrupt, message)
        .with_action(format!("{remedy}; or export unchecked (`--unchecked`), and the file will say so")))
}
