//! Cross-references as a graph, walked in both directions.
//!
//! Spreading is additive (a paragraph that several good hits point at gathers from all of them): measured on
//! related-control links it gains where taking the best single path gains nothing.

use std::collections::BTreeMap;

use crate::ids::{IdIndex, Resolved};
use crate::paragraph::Paragraph;

/// A paragraph reached along cross-references.
#[derive(Debug, Clone, PartialEq)]
pub struct HopHit {
    /// Its id.
    pub id: String,
    /// 1.0 for the start, less with every hop; quantised to 1e-6.
    pub score: f64,
    /// Hops from the start along the shortest way.
    pub depth: usize,
    /// The kind of the last link on that way.
    pub kind: String,
    /// The paragraph that link joins it to.
    pub from: String,
}

/// One cross-reference seen from a paragraph.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Neighbour {
    /// The paragraph at the other end.
    pub id: String,
    /// What the link means.
    pub kind: String,
    /// Whether the link leads out of the paragraph (or into it).
    pub outgoing: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    pub(crate) to: u32,
    pub(crate) kind: u16,
    pub(crate) outgoing: bool,
    pub(crate) weight: f32,
}

#[derive(Debug, Default)]
pub(crate) struct Graph {
    edges: Vec<Vec<Edge>>,
    kinds: Vec<String>,
    pub(crate) resolved: u64,
    pub(crate) dangling: u64,
}

/// A reference to a whole section leads to at most this many of its paragraphs.
const SECTION_FAN: usize = 12;
/// What is kept of a score over one hop.
pub(crate) const DECAY: f64 = 0.5;

impl Graph {
    pub(crate) fn build(paragraphs: &[Paragraph], ids: &IdIndex) -> Self {
        let mut graph = Self { edges: vec![Vec::new(); paragraphs.len()], ..Self::default() };
        let mut kinds = BTreeMap::new();
        for (from, paragraph) in paragraphs.iter().enumerate() {
            for reference in &paragraph.refs {
                let targets = match ids.position(&reference.to) {
                    Some(position) => vec![position],
                    None => match ids.resolve(&reference.to) {
                        Some(Resolved::Paragraph(position)) => vec![position],
                        Some(Resolved::Section(members)) => members.into_iter().take(SECTION_FAN).collect(),
                        None => Vec::new(),
                    },
                };
                if targets.is_empty() {
                    graph.dangling += 1;
                    continue;
                }
                graph.resolved += 1;
                let next = kinds.len().min(usize::from(u16::MAX)) as u16;
                let kind = *kinds.entry(reference.kind.clone()).or_insert(next);
                let weight = 1.0 / (targets.len() as f32).sqrt() * kind_weight(&reference.kind);
                for to in targets.into_iter().filter(|&to| to != from) {
                    graph.edges[from].push(Edge { to: to as u32, kind, outgoing: true, weight });
                    graph.edges[to].push(Edge { to: from as u32, kind, outgoing: false, weight });
                }
            }
        }
        graph.kinds = vec![String::new(); kinds.len()];
        for (name, number) in kinds {
            graph.kinds[usize::from(number)] = name;
        }
        graph
    }

    pub(crate) fn edges(&self, of: usize) -> &[Edge] {
        self.edges.get(of).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn kind(&self, edge: Edge) -> &str {
        self.kinds.get(usize::from(edge.kind)).map_or("", String::as_str)
    }

    /// Everything within `depth` hops of `start`: position -> (score, depth, last edge, from).
    pub(crate) fn walk(&self, start: usize, depth: usize) -> BTreeMap<usize, (f64, usize, Edge, usize)> {
        let mut reached: BTreeMap<usize, (f64, usize, Edge, usize)> = BTreeMap::new();
        let mut front: BTreeMap<usize, f64> = BTreeMap::from([(start, 1.0)]);
        for hop in 1..=depth {
            let mut next: BTreeMap<usize, (f64, Edge, usize)> = BTreeMap::new();
            for (&from, &score) in &front {
                for &edge in self.edges(from) {
                    let to = edge.to as usize;
                    if to == start || reached.contains_key(&to) {
                        continue;
                    }
                    let gain = score * DECAY * f64::from(edge.weight);
                    let entry = next.entry(to).or_insert((0.0, edge, from));
                    entry.0 = (entry.0 + gain).min(score.max(entry.0));
                }
            }
            front = next.iter().map(|(&to, &(score, _, _))| (to, score)).collect();
            reached.extend(next.into_iter().map(|(to, (score, edge, from))| (to, (score, hop, edge, from))));
        }
        reached
    }
}

/// Links that only say "is a part of" or "is about" bring less that is new than a cross-reference.
fn kind_weight(kind: &str) -> f32 {
    match kind {
        "part-of" | "assesses" | "discusses" => 0.5,
        _ => 1.0,
    }
}

/// Scores are compared and recorded at this grain, so that the last bits of a sum decide nothing.
pub(crate) fn quantised(score: f64) -> f64 {
    (score * 1e6).round() / 1e6
}
