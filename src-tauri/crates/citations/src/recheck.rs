//! Checking records again before an answer leaves the program: is what they say still so, at the very generation that
//! they name? Nothing is looked up anew: a record holds or it does not.

use std::collections::BTreeMap;
use std::fmt;

use domain::{CitationRecord, Digest, Proof, SentenceRecord, SentenceVerdict, Verdict};
use knowledge::{Base, KnowledgeError};

use super::cited;
use super::records::{document_of, is_exactly};
use super::whole::stands_whole;

/// What is wrong with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// The base or its generation is not there or can't be read.
    Generation,
    /// The paragraph is not in the generation.
    Paragraph,
    /// The document that the paragraph was taken from is another one.
    Document,
    /// The paragraph's text is another one.
    Text,
    /// The quote does not stand at the recorded place.
    Range,
    /// The record says more than comparing finds.
    Verdict,
}

/// A record that does not hold any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What kind of fault.
    pub kind: FaultKind,
    /// The sentence's number.
    pub n: usize,
    /// The sentence.
    pub sentence: String,
    /// The citation, where the fault is with one.
    pub source_ref: String,
    /// The base and generation that the record names; empty where the fault is with no citation.
    pub place: String,
    /// What was found, in a sentence.
    pub found: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentence: String = self.sentence.chars().take(120).collect();
        let more = if self.sentence.chars().count() > 120 { "…" } else { "" };
        write!(f, "statement {} (\"{sentence}{more}\")", self.n)?;
        if !self.source_ref.is_empty() {
            write!(f, ", {} in {}", self.source_ref, self.place)?;
        }
        write!(f, ": {}", self.found)
    }
}

/// Checks every record against the generation it names, which `open` gives. Gives the faults in the records' order.
pub fn recheck<B: AsRef<Base>>(
    records: &[SentenceRecord],
    mut open: impl FnMut(&str, &str) -> Result<B, KnowledgeError>,
) -> Vec<Fault> {
    let mut bases: BTreeMap<(&str, &str), Result<B, KnowledgeError>> = BTreeMap::new();
    for one in records.iter().flat_map(|record| &record.citations) {
        bases.entry((&one.base, &one.generation)).or_insert_with(|| open(&one.base, &one.generation));
    }
    let mut faults = Vec::new();
    for record in records {
        let fault = |kind, one: Option<&CitationRecord>, found: String| Fault {
            kind,
            n: record.n,
            sentence: record.sentence.clone(),
            source_ref: one.map(|one| one.source_ref.clone()).unwrap_or_default(),
            place: one.map(|one| format!("{} {}", one.base, one.generation)).unwrap_or_default(),
            found,
        };
        let before = faults.len();
        for one in &record.citations {
            match bases.get(&(one.base.as_str(), one.generation.as_str())) {
                Some(Ok(base)) => {
                    let found = citation(base.as_ref(), one);
                    faults.extend(found.map(|(kind, found)| fault(kind, Some(one), found)));
                }
                Some(Err(error)) => faults.push(fault(FaultKind::Generation, Some(one), error.to_string())),
                None => {}
            }
        }
        if faults.len() == before && !is_borne_out(record, &bases) {
            let found = "the record calls it verified, but it does not stand word for word in what it cites";
            faults.push(fault(FaultKind::Verdict, None, found.to_owned()));
        }
    }
    faults
}

/// What is wrong with one citation's record.
fn citation(base: &Base, one: &CitationRecord) -> Option<(FaultKind, String)> {
    let Some(id) = &one.paragraph_id else {
        let claims = one.verdict != Verdict::Missing || cited(base, &one.source_ref).is_ok();
        return claims.then(|| (FaultKind::Verdict, "the record names no paragraph".to_owned()));
    };
    let Ok(paragraph) = base.paragraph(id) else {
        return Some((FaultKind::Paragraph, format!("there is no paragraph {id} any more")));
    };
    let names = cited(base, &one.source_ref)
        .is_ok_and(|places| places.iter().any(|&at| base.paragraphs()[at].id == *id));
    if !names {
        return Some((
            FaultKind::Paragraph,
            format!("the citation does not name the recorded paragraph {id}"),
        ));
    }
    let document = base.position(&paragraph.id).and_then(|at| document_of(base, at));
    if document != one.document {
        let name = one.document.as_ref().map_or("no document", |document| document.name.as_str());
        return Some((
            FaultKind::Document,
            format!("paragraph {id} was recorded from {name}, which is another document now"),
        ));
    }
    if one.paragraph_sha256 != Some(Digest::of(&paragraph.text)) {
        return Some((
            FaultKind::Text,
            format!("the text of paragraph {id} is not the one that was checked"),
        ));
    }
    let withdrawn = (one.verdict == Verdict::Withdrawn) != paragraph.withdrawn;
    if withdrawn && one.verdict != Verdict::Missing {
        return Some((
            FaultKind::Verdict,
            format!("whether paragraph {id} is in force was recorded otherwise"),
        ));
    }
    if one.verdict != Verdict::Verified {
        return None;
    }
    (!stands_at(&paragraph.text, one.range, &one.quote)).then(|| {
        (FaultKind::Range, format!("the quote does not stand at the recorded place of paragraph {id}"))
    })
}

/// Whether a quote stands word for word at its recorded place in a paragraph's text.
pub fn stands_at(text: &str, range: Option<(usize, usize)>, quote: &str) -> bool {
    range.and_then(|(from, to)| slice(text, from, to)).is_some_and(|stretch| is_exactly(stretch, quote))
}

/// Characters of a text, counted from 0.
fn slice(text: &str, from: usize, to: usize) -> Option<&str> {
    let byte = |count: usize| text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(count);
    text.get(byte(from)?..byte(to)?)
}

/// Whether a record that claims proof is proved by what its citations name.
fn is_borne_out<B: AsRef<Base>>(
    record: &SentenceRecord,
    bases: &BTreeMap<(&str, &str), Result<B, KnowledgeError>>,
) -> bool {
    if record.verdict != SentenceVerdict::Verified && record.proof != Proof::Quoted {
        return true;
    }
    let refs: Vec<String> = record.citations.iter().map(|one| one.source_ref.clone()).collect();
    let sound =
        record.citations.iter().all(|one| matches!(one.verdict, Verdict::Verified | Verdict::Unverified))
            && record.entities.iter().all(|one| one.found_in.is_some())
            && record.relations.iter().all(|one| one.exists)
            && record.conflicts.is_empty();
    if record.verdict == SentenceVerdict::Verified && !sound {
        return false;
    }
    record.citations.iter().any(|one| {
        let Some(Ok(base)) = bases.get(&(one.base.as_str(), one.generation.as_str())) else { return false };
        let base = base.as_ref();
        cited(base, &one.source_ref).is_ok_and(|places| {
            places.iter().any(|&at| stands_whole(&base.paragraphs()[at], &record.claim, &refs))
        })
    })
}
