//! What became of the paragraphs that an answer cited, in the knowledge bases as they are now.

use std::path::Path;
use std::sync::Arc;

use domain::SentenceRecord;
use knowledge::{Base, CitationCheck, CitationState, citation_checks};

/// Citations in a document or context that are told; the others are counted.
const TOLD: usize = 12;

/// What became of every paragraph that records cite. Reads the bases: for a thread that may block.
pub fn cited_now(home: &Path, records: &[SentenceRecord]) -> Vec<CitationCheck> {
    citation_checks(records, |base| Base::open(home, base).ok().map(Arc::new))
}

/// What became of a citation, in words that follow the citation.
pub fn state_words(one: &CitationCheck) -> String {
    match &one.standing {
        CitationState::Same => "is unchanged".to_owned(),
        CitationState::Moved { to } => format!("stands under {to} now, with the same text"),
        CitationState::Changed { quote_stands: true } => {
            "has another text now; the words that were quoted still stand there".to_owned()
        }
        CitationState::Changed { quote_stands: false } => "has another text now".to_owned(),
        CitationState::Withdrawn => "has been withdrawn".to_owned(),
        CitationState::Missing => "is not there any more".to_owned(),
        CitationState::NoBase => format!("can't be looked up: the knowledge base {} is not there", one.base),
    }
}

/// What a reader of the earlier answer has to know, a sentence for each citation that does not stand as it did.
pub(crate) fn reader_notes(citation_checks: &[CitationCheck]) -> Vec<String> {
    let stale: Vec<&CitationCheck> = citation_checks.iter().filter(|one| !one.standing.holds()).collect();
    let mut told: Vec<String> = stale
        .iter()
        .take(TOLD)
        .map(|one| {
            let claim: String = one.claim.chars().take(200).collect();
            format!("\u{201c}{claim}\u{201d} rests on {}, which {}", one.citation, state_words(one))
        })
        .collect();
    let more = stale.len().saturating_sub(TOLD);
    if more > 0 {
        told.push(format!("and {more} more"));
    }
    told
}
