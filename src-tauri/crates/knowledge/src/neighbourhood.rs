//! The link graph as data: what stands around a paragraph, and every link of a base.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::base::Base;
use crate::error::KnowledgeError;

/// Most paragraphs of one neighbourhood, and most hops.
pub const MAX_NODES: usize = 500;
const MAX_HOPS: usize = 5;

/// A part of the link graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbourhood {
    /// Paragraphs, the one asked for first, then by hops and id.
    pub nodes: Vec<Node>,
    /// Links between them, by their ends and kind, each once.
    pub links: Vec<Link>,
    /// There is more within the hops asked for than may be returned.
    pub cut: bool,
}

/// A paragraph of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Its id.
    pub id: String,
    /// Heading directly above it.
    pub title: String,
    /// What it is in its document.
    pub kind: String,
    /// No longer in force.
    pub withdrawn: bool,
    /// Hops from the paragraph asked for.
    pub depth: usize,
}

/// A cross-reference between two paragraphs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Link {
    /// The paragraph that refers.
    pub from: String,
    /// The paragraph it refers to.
    pub to: String,
    /// What the link means.
    pub kind: String,
}

impl Base {
    /// The paragraphs within `depth` hops (1 to 5) of one, at most `limit` (and [`MAX_NODES`]) of them, and the
    /// links between them.
    pub fn neighbourhood(
        &self,
        id: &str,
        depth: usize,
        limit: usize,
    ) -> Result<Neighbourhood, KnowledgeError> {
        let start = self.paragraph(id)?.id.clone();
        let start = self.position(&start).unwrap_or_default();
        let limit = limit.clamp(1, MAX_NODES);
        let mut depths = BTreeMap::from([(start, 0)]);
        let mut order = vec![start];
        let (mut front, mut cut) = (vec![start], false);
        for hop in 1..=depth.clamp(1, MAX_HOPS) {
            let around = front.iter().flat_map(|&from| self.graph().edges(from)).map(|edge| edge.to as usize);
            let fresh: BTreeSet<usize> = around.filter(|to| !depths.contains_key(to)).collect();
            front = fresh.into_iter().collect();
            front.sort_by_key(|&position| self.id(position));
            cut |= front.len() > limit - order.len();
            front.truncate(limit - order.len());
            depths.extend(front.iter().map(|&position| (position, hop)));
            order.extend(&front);
        }
        let mut links: Vec<Link> = order
            .iter()
            .flat_map(|&from| self.links_of(from))
            .filter(|&(_, to, _)| depths.contains_key(&to))
            .map(|link| self.link(link))
            .collect();
        links.sort_unstable();
        links.dedup();
        let columns = self.columns();
        let node = |&position: &usize| Node {
            id: self.id(position).to_owned(),
            title: columns.title(position).to_owned(),
            kind: columns.name(columns.kind(position)).to_owned(),
            withdrawn: columns.withdrawn(position),
            depth: depths[&position],
        };
        Ok(Neighbourhood { nodes: order.iter().map(node).collect(), links, cut })
    }

    /// Every link of the base, in the order of the paragraphs that refer.
    pub fn links(&self) -> impl Iterator<Item = Link> + '_ {
        (0..self.columns().len()).flat_map(|from| self.links_of(from)).map(|link| self.link(link))
    }

    fn links_of(&self, from: usize) -> impl Iterator<Item = (usize, usize, &str)> {
        let outgoing = self.graph().edges(from).iter().filter(|edge| edge.outgoing);
        outgoing.map(move |&edge| (from, edge.to as usize, self.graph().kind(edge)))
    }

    fn link(&self, (from, to, kind): (usize, usize, &str)) -> Link {
        Link { from: self.id(from).to_owned(), to: self.id(to).to_owned(), kind: kind.to_owned() }
    }
}
