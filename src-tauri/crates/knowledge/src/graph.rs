//! Cross-references as a graph, walked in both directions.
//!
//! Spreading is additive (a paragraph that several good hits point at gathers from all of them): measured on
//! related-control links it gains where taking the best single path gains nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::ids::{IdIndex, Resolved};
use crate::index::bytes::{Reader, Strings, put_size, put_u32s};
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

/// One end of a link, seen from the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) to: u32,
    pub(crate) kind: u16,
    /// Paragraphs that the reference leads to, at most [`SECTION_FAN`].
    fan: u8,
    pub(crate) outgoing: bool,
}

/// How a paragraph is reached from another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NeighbourLink {
    pub(crate) depth: usize,
    /// Product of the weights of the links on the way.
    pub(crate) weight: f64,
    /// The last of them, and where it leads from.
    pub(crate) edge: Edge,
    pub(crate) from: usize,
}

/// The links of a base in both directions.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// Where the edges of each paragraph end.
    ends: Vec<u32>,
    edges: Vec<Edge>,
    kinds: Strings,
    pub(crate) resolved: u64,
    pub(crate) dangling: u64,
}

/// The kind of a part's link to its whole.
pub(crate) const PART_OF: &str = "part-of";
/// The kind of a link that was found in a text.
const MENTIONS: &str = "mentions";
/// A reference to a whole section leads to at most this many of its paragraphs.
const SECTION_FAN: usize = 12;
/// What is kept of a score over one hop.
const DECAY: f64 = 0.5;

impl Graph {
    pub(crate) fn build(paragraphs: &[Paragraph], ids: &IdIndex) -> Self {
        let mut graph = Self::default();
        let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); paragraphs.len()];
        let mut kinds = HashMap::new();
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
                let kind = *kinds.entry(reference.kind.as_str()).or_insert_with(|| {
                    graph.kinds.push(&reference.kind);
                    next
                });
                let fan = targets.len() as u8;
                for to in targets.into_iter().filter(|&to| to != from) {
                    edges[from].push(Edge { to: to as u32, kind, fan, outgoing: true });
                    edges[to].push(Edge { to: from as u32, kind, fan, outgoing: false });
                }
            }
        }
        for of_one in edges {
            graph.edges.extend(of_one);
            graph.ends.push(graph.edges.len() as u32);
        }
        graph
    }

    pub(crate) fn edges(&self, of: usize) -> &[Edge] {
        let Some(&end) = self.ends.get(of) else { return &[] };
        let start = of.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.edges.get(start as usize..end as usize).unwrap_or(&[])
    }

    pub(crate) fn kind(&self, edge: Edge) -> &str {
        self.kinds.get(usize::from(edge.kind))
    }

    /// What a link passes on: less when it stands for many, less when it says little that is new.
    pub(crate) fn weight(&self, edge: Edge) -> f64 {
        kind_weight(self.kind(edge)) / f64::from(edge.fan.max(1)).sqrt()
    }

    /// Whether the source itself declares the link, more than that a text mentions a place.
    pub(crate) fn is_declared(&self, edge: Edge) -> bool {
        !matches!(self.kind(edge), MENTIONS | PART_OF | "assesses" | "discusses")
    }

    /// Paragraphs that declare a link to this one as it does to them.
    pub(crate) fn mutual(&self, of: usize) -> BTreeSet<usize> {
        let ends = |outgoing: bool| {
            let edges = self.edges(of).iter().filter(move |edge| edge.outgoing == outgoing);
            edges.filter(|edge| self.is_declared(**edge)).map(|edge| edge.to as usize)
        };
        let into: BTreeSet<usize> = ends(false).collect();
        ends(true).filter(|to| into.contains(to)).collect()
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        put_size(out, self.resolved as usize);
        put_size(out, self.dangling as usize);
        self.kinds.put(out);
        put_u32s(out, &self.ends);
        let mut packed = Vec::with_capacity(self.edges.len() * 2);
        for edge in &self.edges {
            let outgoing = u32::from(edge.outgoing);
            packed.extend([edge.to, u32::from(edge.kind) << 16 | u32::from(edge.fan) << 8 | outgoing]);
        }
        put_u32s(out, &packed);
    }

    /// As it was stored; `paragraphs` is how many the base has.
    pub(crate) fn read(from: &mut Reader<'_>, paragraphs: usize) -> Option<Self> {
        let (resolved, dangling) = (from.u64()?, from.u64()?);
        let (kinds, ends, packed) = (Strings::read(from)?, from.u32s()?, from.u32s()?);
        let edges: Vec<Edge> = packed
            .as_chunks::<2>()
            .0
            .iter()
            .map(|&[to, rest]| Edge {
                to,
                kind: (rest >> 16) as u16,
                fan: (rest >> 8) as u8,
                outgoing: rest & 1 == 1,
            })
            .collect();
        let fits = ends.len() == paragraphs
            && ends.is_sorted()
            && ends.last().map_or(0, |&end| end as usize) == edges.len()
            && edges.len() * 2 == packed.len()
            && edges.iter().all(|edge| (edge.to as usize) < paragraphs);
        fits.then_some(Self { ends, edges, kinds, resolved, dangling })
    }

    /// Everything within `depth` hops of `start`, each by its best way, a pair of paragraphs joined by one link.
    pub(crate) fn near(&self, start: usize, depth: usize) -> BTreeMap<usize, NeighbourLink> {
        let mut reached: BTreeMap<usize, NeighbourLink> = BTreeMap::new();
        let mut front = vec![(start, 1.0)];
        for depth in 1..=depth {
            let mut next: BTreeMap<usize, NeighbourLink> = BTreeMap::new();
            for (from, weight) in front {
                for &edge in self.edges(from) {
                    let (to, weight) = (edge.to as usize, weight * self.weight(edge));
                    let new = to != start && !reached.contains_key(&to);
                    if new && next.get(&to).is_none_or(|best| best.weight < weight) {
                        next.insert(to, NeighbourLink { depth, weight, edge, from });
                    }
                }
            }
            front = next.iter().map(|(&to, near)| (to, near.weight)).collect();
            reached.extend(next);
        }
        reached
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
                    let gain = score * DECAY * self.weight(edge);
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
fn kind_weight(kind: &str) -> f64 {
    match kind {
        PART_OF | "assesses" | "discusses" => 0.5,
        _ => 1.0,
    }
}

/// Scores are compared and recorded at this grain, so that the last bits of a sum decide nothing.
pub fn quantised(score: f64) -> f64 {
    (score * 1e6).round() / 1e6
}
