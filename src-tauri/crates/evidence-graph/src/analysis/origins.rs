//! Which citations of a claim are independent of each other.
//!
//! Citations of one origin (a host, a knowledge base) are not; neither is one whose quote says word for word what an
//! earlier quote of the claim says: it was copied from there, or both from a third. It counts for the origin of the
//! earlier one. Only earlier citations count, so that another citation never takes a claim's support away.

use std::collections::BTreeSet;

use crate::graph::Graph;
use crate::item::{Citation, Claim, Source};

/// Words that a quote needs before the same words tell that it is a copy: short sentences are alike by chance.
const MIN_WORDS: usize = 8;
/// Words that are compared together.
const RUN: usize = 3;
/// Of ten runs of the shorter quote, those that the other one has to have.
const OF_TEN: usize = 6;

/// The citations of a claim in order, each with its source and the origin that it counts for.
pub fn attributed<'g>(graph: &'g Graph, claim: &'g Claim) -> Vec<(&'g Citation, &'g Source, &'g str)> {
    let mut known: Vec<(&Citation, &Source, &str)> = Vec::new();
    for (citation, source) in graph.cited(&claim.citations) {
        let own = source.origin.as_str();
        let is_known = known.iter().any(|(_, _, origin)| *origin == own);
        let copied = || known.iter().find(|(other, _, _)| is_copy(&citation.quote, &other.quote));
        let origin = if is_known { own } else { copied().map_or(own, |(_, _, origin)| origin) };
        known.push((citation, source, origin));
    }
    known
}

/// The independent origins of the citations that support a claim.
pub fn origins<'g>(graph: &'g Graph, claim: &'g Claim) -> BTreeSet<&'g str> {
    let supporting = attributed(graph, claim).into_iter().filter(|(citation, _, _)| citation.supports());
    supporting.map(|(_, _, origin)| origin).collect()
}

/// Whether two quotes say the same word for word, small changes aside.
pub fn is_copy(one: &str, other: &str) -> bool {
    let (one, other) = (words(one), words(other));
    let (shorter, longer) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    if shorter.len() < MIN_WORDS {
        return false;
    }
    let runs: BTreeSet<&[String]> = longer.windows(RUN).collect();
    let same = shorter.windows(RUN).filter(|run| runs.contains(run)).count();
    same * 10 >= shorter.windows(RUN).count() * OF_TEN
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}
