//! What is worth following.
//!
//! Novelty is the share of a lead's content words that no single claim has. Its score is `value x novelty / effort`, the
//! effort at least 10, in millionths. Of two open leads that share 0.8 of all their content words the younger one is a
//! duplicate.

use std::collections::{BTreeMap, BTreeSet};

use domain::mission::MILLION;

use super::share;
use crate::change::Change;
use crate::graph::Graph;
use crate::item::{Lead, LeadStatus};
use crate::keys::stems_of_key;

/// The least effort that is counted: of 100.
const MIN_EFFORT: u32 = 10;
/// The share of words that makes a duplicate, in thousandths.
const MIN_SHARED: usize = 800;

/// How much of a text no claim says yet, in millionths.
pub fn novelty(graph: &Graph, lead: &Lead) -> u32 {
    let stems: BTreeSet<String> = stems_of_key(&lead.key).collect();
    let mut said: BTreeMap<u32, usize> = BTreeMap::new();
    for stem in &stems {
        let places = graph.index.claims_with.get(stem.as_str());
        for &at in places.map(|places| places.as_slice()).unwrap_or_default() {
            *said.entry(at).or_default() += 1;
        }
    }
    let live =
        said.iter().filter(|(at, _)| graph.claims.at(**at).is_some_and(|claim| claim.status.is_live()));
    let most = live.map(|(_, shared)| *shared).max().unwrap_or(0);
    MILLION - share(most, stems.len(), MILLION)
}

/// `value x novelty / effort`, in millionths: at most 10 wholes.
pub fn score(value: u8, novelty: u32, effort: u8) -> u32 {
    let effort = u64::from(u32::from(effort).max(MIN_EFFORT));
    u32::try_from((u64::from(value) * u64::from(novelty) + effort / 2) / effort).unwrap_or(u32::MAX)
}

/// Scores that are other than the stored ones, and duplicates.
pub fn changes(graph: &Graph) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut kept: Vec<(&Lead, BTreeSet<String>)> = Vec::new();
    let mut with: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for lead in graph.leads().filter(|lead| lead.status == LeadStatus::Open) {
        let stems: BTreeSet<String> = stems_of_key(&lead.key).collect();
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        for at in stems.iter().filter_map(|stem| with.get(stem)).flatten() {
            *shared.entry(*at).or_default() += 1;
        }
        let same = shared.iter().find(|(at, shared)| {
            let all = stems.len() + kept[**at].1.len() - **shared;
            **shared * 1_000 >= all * MIN_SHARED
        });
        if let Some((at, _)) = same {
            let status = LeadStatus::Duplicate { of: kept[*at].0.id.clone() };
            changes.push(Change::LeadClosed { lead: lead.id.clone(), status });
            continue;
        }
        for stem in &stems {
            with.entry(stem.clone()).or_default().push(kept.len());
        }
        kept.push((lead, stems));
        let novelty = novelty(graph, lead);
        let score = score(lead.value, novelty, lead.effort);
        if (lead.novelty, lead.score) != (novelty, score) {
            changes.push(Change::LeadRated { lead: lead.id.clone(), novelty, score });
        }
    }
    changes
}
