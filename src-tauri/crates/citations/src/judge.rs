//! A reader's judgement as one more method, named in each record that it decides. Judges are somebody else's: a model
//! behind any connection, a person, a test.

use domain::{Finding, SentenceRecord, SentenceVerdict};
use knowledge::Base;

/// Reads a sentence beside the paragraphs it cites.
pub trait Judge {
    /// Its name in records, as `judge:<name>`.
    fn name(&self) -> &str;

    /// Whether the paragraphs say what the sentence says, and why, in a sentence.
    fn judge(&mut self, sentence: &str, paragraphs: &[String]) -> (Finding, String);
}

/// Asks a judge about every sentence that was left to a reader; gives how many it decided.
pub fn judge_records(bases: &[&Base], records: &mut [SentenceRecord], judge: &mut dyn Judge) -> usize {
    let mut decided = 0;
    for record in records.iter_mut().filter(|one| one.verdict == SentenceVerdict::Unverified) {
        let paragraphs: Vec<String> = record
            .citations
            .iter()
            .filter_map(|citation| {
                let base = bases.iter().find(|base| {
                    base.manifest().base == citation.base && base.manifest().generation == citation.generation
                })?;
                Some(base.paragraph(citation.paragraph_id.as_deref()?).ok()?.text.clone())
            })
            .collect();
        if paragraphs.is_empty() {
            continue;
        }
        let (finding, reason) = judge.judge(&record.claim, &paragraphs);
        decided += usize::from(record.take_judgement(judge.name(), finding, &reason));
    }
    decided
}
