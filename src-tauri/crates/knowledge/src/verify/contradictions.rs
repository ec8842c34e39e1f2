//! Where a claim and a paragraph may say opposite things. Candidates for a reader or a judge, never verdicts:
//! overlap of words can tell that a paragraph is about the claim, not that it denies it.

use std::collections::BTreeSet;

use super::claims::numbers_in;
use super::fold::Folded;
use super::quote::is_negation;
use crate::base::Base;
use crate::error::KnowledgeError;
use crate::graph::quantised;
use crate::index::stems;

/// What two sentences differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConflictKind {
    /// Both give numbers, none of them the same.
    Number,
    /// One obliges where the other permits or recommends.
    Modal,
    /// One negates and the other does not.
    Negation,
}

/// A pair of sentences to look at.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Which claim, counted from 0.
    pub claim: usize,
    /// The paragraph.
    pub paragraph_id: String,
    /// The paragraph's sentence.
    pub sentence: String,
    /// What they differ in.
    pub kind: ConflictKind,
    /// The claim's side of the difference.
    pub claimed: String,
    /// The paragraph's side of the difference.
    pub stated: String,
    /// Share of the claim's content words that the sentence has, quantised to 1e-6.
    pub overlap: f64,
}

/// Least share of shared content words for two sentences to be about the same thing.
const OVERLAP: f64 = 0.5;
const MOST_CANDIDATES: usize = 200;
const MOST_SENTENCES: usize = 2_000;

/// Compares every claim with every sentence of the paragraphs; the most alike first.
pub fn check_contradictions<S: AsRef<str>>(
    base: &Base,
    claims: &[S],
    ids: &[S],
) -> Result<Vec<Candidate>, KnowledgeError> {
    let mut sentences = Vec::new();
    for id in ids {
        let paragraph = base.paragraph(id.as_ref())?;
        for sentence in split_sentences(&paragraph.text) {
            if sentences.len() < MOST_SENTENCES {
                sentences.push((paragraph.id.as_str(), sentence, Statement::of(sentence)));
            }
        }
    }
    let mut found = Vec::new();
    for (number, claim) in claims.iter().enumerate() {
        let claimed = Statement::of(crate::search::clipped(claim.as_ref(), 4_000));
        if claimed.words.len() < 3 {
            continue;
        }
        for (id, sentence, stated) in &sentences {
            let shared = claimed.words.intersection(&stated.words).count();
            let overlap = shared as f64 / claimed.words.len() as f64;
            if overlap < OVERLAP {
                continue;
            }
            for (kind, ours, theirs) in claimed.conflicts(stated) {
                found.push(Candidate {
                    claim: number,
                    paragraph_id: (*id).to_owned(),
                    sentence: (*sentence).to_owned(),
                    kind,
                    claimed: ours,
                    stated: theirs,
                    overlap: quantised(overlap),
                });
            }
        }
    }
    found.sort_by(|a, b| {
        b.overlap
            .total_cmp(&a.overlap)
            .then_with(|| (a.claim, &a.paragraph_id, a.kind).cmp(&(b.claim, &b.paragraph_id, b.kind)))
    });
    found.truncate(MOST_CANDIDATES);
    Ok(found)
}

struct Statement {
    words: BTreeSet<String>,
    numbers: BTreeSet<String>,
    force: Option<(&'static str, String)>,
    negated: Option<String>,
}

impl Statement {
    fn of(text: &str) -> Self {
        let folded = Folded::of(text).text.to_lowercase();
        let plain: Vec<&str> = folded
            .split(|c: char| !(c.is_alphanumeric() || c == '\''))
            .filter(|word| !word.is_empty())
            .collect();
        let force = plain.iter().find_map(|word| force_of(word).map(|force| (force, (*word).to_owned())));
        let negations: Vec<&&str> = plain.iter().filter(|word| is_negation(word)).collect();
        // Two negations in a sentence are not told apart; an odd count is what can turn it round.
        let negated = (negations.len() % 2 == 1).then(|| (*negations[0]).to_owned());
        let words =
            stems(&folded).into_iter().map(|stem| stem.stem).filter(|s| s.contains(char::is_alphabetic));
        Self { words: words.collect(), numbers: numbers_in(&folded), force, negated }
    }

    fn conflicts(&self, other: &Self) -> Vec<(ConflictKind, String, String)> {
        let mut found = Vec::new();
        if !self.numbers.is_empty() && !other.numbers.is_empty() && self.numbers.is_disjoint(&other.numbers) {
            let list = |numbers: &BTreeSet<String>| numbers.iter().cloned().collect::<Vec<_>>().join(", ");
            found.push((ConflictKind::Number, list(&self.numbers), list(&other.numbers)));
        }
        if let (Some((ours, word)), Some((theirs, other_word))) = (&self.force, &other.force)
            && ours != theirs
        {
            found.push((ConflictKind::Modal, word.clone(), other_word.clone()));
        }
        if self.negated.is_some() != other.negated.is_some() {
            let side = |word: &Option<String>| word.clone().unwrap_or_else(|| "no negation".into());
            found.push((ConflictKind::Negation, side(&self.negated), side(&other.negated)));
        }
        found
    }
}

fn force_of(word: &str) -> Option<&'static str> {
    match word {
        "shall" | "must" | "required" | "requires" => Some("obligation"),
        "should" | "recommended" => Some("recommendation"),
        "may" | "might" | "can" | "could" | "permitted" | "optional" => Some("permission"),
        _ => None,
    }
}

fn split_sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['.', ';', '!', '?', '\n'])
        .map(str::trim)
        .filter(|sentence| super::quote::count_words(sentence) >= 3)
}
