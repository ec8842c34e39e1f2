//! How sure a claim is.
//!
//! Support `S = 1 - PROD (1 - q v r w)` over its citations: `q` the worth of the source's kind, `v` that of the check,
//! `r` recency, `w` independence. Penalty `P = min(0.6, 0.3 x SUM S of the other sides)` over open contradictions.
//! Confidence `= min(0.95, S) x (1 - P)`.
//!
//! Source: the formula is the mission design's; weights follow the usual order of evidence and may be replaced by a
//! profile.

use std::collections::BTreeMap;

use domain::mission::{ItemId, MILLION, SourceKind};

use super::origins::{attributed, origins};
use super::{Requirements, share, times};
use crate::change::Change;
use crate::day::Day;
use crate::graph::Graph;
use crate::item::{Claim, ConfidenceParts, Source};

/// The most that a claim can reach: nothing that was only read is certain.
pub const MAX_CONFIDENCE: u32 = 950_000;
/// The most that contradictions take.
pub const MAX_PENALTY: u32 = 600_000;
/// What one contradiction takes, where the other side is certain.
const PENALTY: u32 = 300_000;
/// What further citations of one origin count.
const FURTHER: u32 = 100_000;
/// What a dated claim's source counts at least.
const MIN_RECENCY: u32 = 500_000;
/// What a dated claim's source counts that has no date.
const UNDATED: u32 = 800_000;

/// What a source of a kind is worth, in millionths.
pub fn weight(kind: SourceKind) -> u32 {
    match kind {
        SourceKind::Standard | SourceKind::Law => 950_000,
        SourceKind::PeerReviewed => 850_000,
        SourceKind::Official | SourceKind::Primary => 800_000,
        SourceKind::Trade | SourceKind::News => 550_000,
        SourceKind::Person => 500_000,
        SourceKind::Blog => 350_000,
        SourceKind::Unknown => 300_000,
    }
}

/// `0.5 ^ (age / half life)`, at least 0.5, in millionths. Computed from square roots of integers: the same everywhere.
pub fn recency(age_days: u32, half_life_days: u32) -> u32 {
    const ONE: u64 = 1_000_000_000_000;
    if age_days >= half_life_days {
        return MIN_RECENCY;
    }
    let (mut value, mut root) = (ONE, ONE / 2);
    let mut rest = u64::from(age_days);
    // Binary digits of the exponent: each halves the weight of the one before.
    for _ in 0..32 {
        root = u64::try_from((u128::from(root) * u128::from(ONE)).isqrt()).unwrap_or(ONE);
        rest *= 2;
        if rest >= u64::from(half_life_days) {
            rest -= u64::from(half_life_days);
            value = u64::try_from(u128::from(value) * u128::from(root) / u128::from(ONE)).unwrap_or(ONE);
        }
    }
    u32::try_from((value + 500_000) / 1_000_000).unwrap_or(MILLION).max(MIN_RECENCY)
}

fn source_recency(claim: &Claim, source: &Source, needs: &Requirements, as_of: Day) -> u32 {
    if !claim.dated {
        return MILLION;
    }
    match source.published.as_ref().and_then(|day| day.parse::<Day>().ok()) {
        Some(day) => recency(as_of.since(day), needs.half_life_days),
        None => UNDATED,
    }
}

/// What the citations of a claim carry together, in millionths, and how many origins support it.
///
/// Citations of one origin are not independent: the best counts whole, each further one a tenth. See
/// [`attributed`] for what counts as one origin.
pub fn support(graph: &Graph, claim: &Claim, needs: &Requirements, as_of: Day) -> (u32, u32) {
    let mut groups: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (citation, source, origin) in attributed(graph, claim) {
        let quality =
            needs.weights.get(&source.kind).copied().unwrap_or_else(|| weight(source.kind)).min(MILLION);
        let worth = times(times(quality, citation.worth()), source_recency(claim, source, needs, as_of));
        groups.entry(origin).or_default().push(worth);
    }
    let mut doubt = u64::from(MILLION) * u64::from(MILLION);
    for values in groups.values_mut() {
        values.sort_unstable_by(|a, b| b.cmp(a));
        for (at, &value) in values.iter().enumerate() {
            let value = if at == 0 { value } else { times(value, FURTHER) };
            let left = u128::from(doubt) * u128::from(MILLION - value) / u128::from(MILLION);
            doubt = u64::try_from(left).unwrap_or(0);
        }
    }
    let doubt = u32::try_from((doubt + u64::from(MILLION / 2)) / u64::from(MILLION)).unwrap_or(MILLION);
    (MILLION.saturating_sub(doubt), u32::try_from(origins(graph, claim).len()).unwrap_or(u32::MAX))
}

/// What open contradictions take from a claim, in millionths; `supports` gives the support of a claim.
pub fn penalty(graph: &Graph, claim: &Claim, supports: impl Fn(&ItemId) -> u32) -> u32 {
    let open = graph.contradictions_of(&claim.id).filter(|one| one.is_open());
    let others = open.map(|one| one.other(&claim.id));
    let live = others.filter(|id| graph.claim(id).is_some_and(|other| other.status.is_live()));
    let sum: u32 = live.fold(0, |sum, id| sum.saturating_add(times(PENALTY, supports(id))));
    sum.min(MAX_PENALTY)
}

/// The confidence of its parts.
pub fn confidence(support: u32, penalty: u32) -> u32 {
    times(support.min(MAX_CONFIDENCE), MILLION.saturating_sub(penalty))
}

/// The mean confidence, in millionths; 0 of none.
pub fn mean<'c>(claims: impl Iterator<Item = &'c Claim>) -> u32 {
    let (mut sum, mut count) = (0_usize, 0_usize);
    for claim in claims {
        sum += claim.confidence as usize;
        count += 1;
    }
    share(sum, count * MILLION as usize, 0)
}

/// The confidences that are other than the stored ones.
pub fn changes(graph: &Graph, needs: &Requirements, as_of: Day) -> Vec<Change> {
    let supports: Vec<(u32, u32)> = graph.claims().map(|claim| support(graph, claim, needs, as_of)).collect();
    let of = |id: &ItemId| supports.get(crate::index::place(id) as usize).map_or(0, |(support, _)| *support);
    let scored = graph.claims().zip(&supports).filter_map(|(claim, (support, origins))| {
        let penalty = penalty(graph, claim, of);
        let parts = ConfidenceParts { support: *support, penalty, origins: *origins };
        let confidence = confidence(*support, penalty);
        let is_new = (claim.confidence, claim.parts) != (confidence, parts);
        is_new.then(|| Change::ClaimScored { claim: claim.id.clone(), confidence, parts })
    });
    scored.collect()
}
