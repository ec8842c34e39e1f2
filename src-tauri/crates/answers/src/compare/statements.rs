//! Statements of two documents, matched.

use std::collections::BTreeMap;

use super::words::{WordSpan, spans};
use crate::{Citation, Document, State, cited_sentences, text};

/// How alike two statements must be to be the same one in other words.
const REWORDED: f64 = 0.5;
/// What a paragraph that both cite adds to their likeness.
const SHARED_SOURCE: f64 = 0.15;
/// Statements of a document that are matched by likeness; longer documents match equal ones alone.
const MAX_MATCHED_STATEMENTS: usize = 600;

/// How two statements belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchKind {
    /// The same words.
    Same,
    /// Other words for the same, as far as words tell.
    Reworded,
    /// In the first document alone.
    LeftOnly,
    /// In the second document alone.
    RightOnly,
}

/// A statement of one of the documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementSide {
    /// Its number in its document, from 1.
    pub n: usize,
    /// Its words, without citations.
    pub text: String,
    /// Its state; `None` where the run kept no records.
    pub state: Option<State>,
    /// What it cites: ids of paragraphs, or the citation as it is written.
    pub sources: Vec<String>,
    /// The same as the document shows it to a reader.
    pub names: Vec<String>,
}

/// A statement of both documents, or of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementMatch {
    /// How they belong together.
    pub kind: MatchKind,
    /// In the first document.
    pub left: Option<StatementSide>,
    /// In the second.
    pub right: Option<StatementSide>,
    /// The words of both, where they are reworded, with those marked that differ.
    pub words: Option<(Vec<WordSpan>, Vec<WordSpan>)>,
}

impl StatementMatch {
    /// Whether both say it in the same words, in the same state and from the same sources.
    pub fn is_same(&self) -> bool {
        let held = |side: &Option<StatementSide>| side.as_ref().map(|one| (one.state, one.sources.clone()));
        self.kind == MatchKind::Same && held(&self.left) == held(&self.right)
    }
}

/// The statements of a document; of one without records, its sentences.
pub(super) fn sides(document: &Document) -> Vec<StatementSide> {
    if document.statements.is_empty() {
        let sentences = cited_sentences(&document.synthesis, &[], &[]).into_iter();
        return (1..)
            .zip(sentences)
            .map(|(n, one)| {
                let sources: Vec<String> = one.citations.into_iter().map(|place| place.source_ref).collect();
                let names = named(document, &sources);
                StatementSide { n, text: text::one_line(&one.claim), state: None, sources, names }
            })
            .collect();
    }
    let records: BTreeMap<usize, _> = document.records.iter().map(|record| (record.n, record)).collect();
    let sources = |n: usize| {
        let mut sources: Vec<String> = Vec::new();
        for one in records.get(&n).iter().flat_map(|record| &record.citations) {
            let source = one.paragraph_id.clone().unwrap_or_else(|| one.source_ref.clone());
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        sources
    };
    let statements = document.statements.iter();
    statements
        .map(|one| {
            let sources = sources(one.n);
            let names = named(document, &sources);
            StatementSide { n: one.n, text: one.text.clone(), state: Some(one.state), sources, names }
        })
        .collect()
}

/// Cited paragraphs as the document names them.
fn named(document: &Document, sources: &[String]) -> Vec<String> {
    let name = |source: &String| {
        let is_it = |one: &&Citation| {
            one.paragraph_id.as_ref().map_or(one.source_ref == *source, |paragraph| paragraph == source)
        };
        let known = document.citations.iter().find(is_it);
        known.map_or_else(|| source.clone(), |one| one.name().to_owned())
    };
    sources.iter().map(name).collect()
}

/// Pairs equal statements in order, then those that are alike, the most alike first.
pub(super) fn matched(left: &[StatementSide], right: &[StatementSide]) -> Vec<StatementMatch> {
    let mut partner: Vec<Option<usize>> = vec![None; left.len()];
    let mut taken = vec![false; right.len()];
    let mut equal: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, one) in right.iter().enumerate().rev() {
        equal.entry(&one.text).or_default().push(at);
    }
    for (at, one) in left.iter().enumerate() {
        if let Some(other) = equal.get_mut(one.text.as_str()).and_then(Vec::pop) {
            partner[at] = Some(other);
            taken[other] = true;
        }
    }
    let mut alike: Vec<(f64, usize, usize)> = Vec::new();
    if left.len().max(right.len()) <= MAX_MATCHED_STATEMENTS {
        for (x, one) in left.iter().enumerate().filter(|(x, _)| partner[*x].is_none()) {
            for (y, other) in right.iter().enumerate().filter(|(y, _)| !taken[*y]) {
                let shared = one.sources.iter().any(|source| other.sources.contains(source));
                let score = likeness(&one.text, &other.text) + if shared { SHARED_SOURCE } else { 0.0 };
                if score >= REWORDED {
                    alike.push((score, x, y));
                }
            }
        }
    }
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    for (_, x, y) in alike {
        if partner[x].is_none() && !taken[y] {
            partner[x] = Some(y);
            taken[y] = true;
        }
    }
    // In the order of the first document; what the second has besides follows what it has before it.
    let mut out = Vec::new();
    let mut behind: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    let mut last = None;
    for (y, taken) in taken.iter().enumerate() {
        if *taken { last = Some(y) } else { behind.entry(last).or_default().push(y) }
    }
    let alone = |out: &mut Vec<StatementMatch>, after: Option<usize>| {
        for y in behind.get(&after).into_iter().flatten() {
            let right = Some(right[*y].clone());
            out.push(StatementMatch { kind: MatchKind::RightOnly, left: None, right, words: None });
        }
    };
    alone(&mut out, None);
    for (x, one) in left.iter().enumerate() {
        let other = partner[x].map(|y| right[y].clone());
        let (kind, words) = match &other {
            None => (MatchKind::LeftOnly, None),
            Some(other) if other.text == one.text => (MatchKind::Same, None),
            Some(other) => (MatchKind::Reworded, Some(spans(&one.text, &other.text))),
        };
        out.push(StatementMatch { kind, left: Some(one.clone()), right: other, words });
        if partner[x].is_some() {
            alone(&mut out, partner[x]);
        }
    }
    out
}

/// How many of their words two texts share, from 0 to 1.
pub(super) fn likeness(left: &str, right: &str) -> f64 {
    let count = |text: &str| {
        let mut words: BTreeMap<String, usize> = BTreeMap::new();
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            *words.entry(word.to_lowercase()).or_default() += 1;
        }
        words
    };
    let (a, b) = (count(left), count(right));
    let shared: usize = a.iter().map(|(word, count)| b.get(word).map_or(0, |other| *count.min(other))).sum();
    let all: usize = a.values().chain(b.values()).sum();
    if all == 0 { 0.0 } else { 2.0 * shared as f64 / all as f64 }
}
