//! Exports that come from elsewhere: read as any, and held against what a graph can hold. Whoever wrote one may be mistaken
//! or lie: what it says of itself has to follow from its items.

use domain::mission::{Closing, ItemId, MILLION, Settlement};

use crate::export::{ImportError, MAX_LINE_BYTES, from_jsonl};
use crate::graph::Graph;
use crate::item::{Claim, ClaimStatus, ContradictionStatus, GapStatus};

/// The highest version and revision that are taken over: there is room to count on.
const MAX_COUNT: u64 = u32::MAX as u64 / 2;

/// Reads [`crate::to_jsonl`] of another program or another machine.
///
/// # Errors
/// As [`from_jsonl`]; also where a line is too long, a count is beyond all bounds, a claim is said to be supported without a
/// citation that supports it, or a gap or contradiction to have ended without what ends one.
pub fn import(text: &str) -> Result<Graph, ImportError> {
    if let Some(at) = text.lines().position(|line| line.len() > MAX_LINE_BYTES) {
        return Err(ImportError::Long { line: at + 1 });
    }
    let graph = from_jsonl(text)?;
    if graph.version > MAX_COUNT {
        return Err(ImportError::Unfounded {
            id: "version".to_owned(),
            why: "no graph was changed so often",
        });
    }
    graph.check()?;
    Ok(graph)
}

impl Graph {
    fn check(&self) -> Result<(), ImportError> {
        let wrong = |id: &ItemId, why: &'static str| Err(ImportError::Unfounded { id: id.0.clone(), why });
        let cited = |of: &ItemId, citations: &[ItemId]| {
            let is_own = |id: &ItemId| self.citations.get(id).is_some_and(|citation| citation.of == *of);
            citations.iter().all(is_own)
        };
        for claim in self.claims() {
            if !cited(&claim.id, &claim.citations) {
                return wrong(&claim.id, "it names a citation that is not there or not its own");
            }
            if let Some(why) = self.unfounded(claim) {
                return wrong(&claim.id, why);
            }
        }
        if let Some(entity) = self.entities().find(|entity| u64::from(entity.revision) > MAX_COUNT) {
            return wrong(&entity.id, "nothing was changed so often");
        }
        if let Some(relation) = self.relations().find(|one| !cited(&one.id, &one.citations)) {
            return wrong(&relation.id, "it names a citation that is not there or not its own");
        }
        for gap in self.gaps() {
            if gap.entities.iter().any(|id| self.entity(id).is_none()) {
                return wrong(&gap.id, "it is about an entity that is not there");
            }
            if let GapStatus::Closed { closing } = &gap.status
                && !self.ends(&gap.id, closing)
            {
                return wrong(&gap.id, "nothing that is there closes it");
            }
        }
        for contradiction in self.contradictions() {
            if contradiction.claims[0] == contradiction.claims[1] {
                return wrong(&contradiction.id, "a claim does not contradict itself");
            }
            if let ContradictionStatus::Settled { settlement } = &contradiction.status
                && !self.settles(&contradiction.claims, settlement)
            {
                return wrong(&contradiction.id, "nothing that is there settles it");
            }
        }
        match self.leads().find(|lead| lead.entities.iter().any(|id| self.entity(id).is_none())) {
            Some(lead) => wrong(&lead.id, "it is about an entity that is not there"),
            None => Ok(()),
        }
    }

    fn unfounded(&self, claim: &Claim) -> Option<&'static str> {
        let needs_support = match claim.status {
            ClaimStatus::Supported | ClaimStatus::Disputed => true,
            ClaimStatus::Unsupported | ClaimStatus::Rejected | ClaimStatus::Superseded => false,
        };
        if needs_support && !self.is_supported(claim) {
            return Some("it counts as supported, and no citation of it supports it");
        }
        if claim.confidence > MILLION {
            return Some("nothing is more than certain");
        }
        (u64::from(claim.revision) > MAX_COUNT).then_some("nothing was changed so often")
    }

    /// Whether a gap can have ended so. What ended one may be in question by now: it is there all the same.
    fn ends(&self, gap: &ItemId, closing: &Closing) -> bool {
        match closing {
            Closing::Evidence { claims } => {
                let supports = |id: &ItemId| self.claim(id).is_some_and(|claim| self.is_supported(claim));
                claims.iter().all(|id| self.claim(id).is_some()) && claims.iter().any(supports)
            }
            Closing::Person { reason } => !reason.trim().is_empty(),
            Closing::Moot { of } => self.item(of).is_some(),
            Closing::Superseded { other } => other != gap && self.gaps.get(other).is_some(),
        }
    }

    /// Whether a contradiction can have been settled so.
    fn settles(&self, sides: &[ItemId; 2], settlement: &Settlement) -> bool {
        let is_there =
            |evidence: &[ItemId]| !evidence.is_empty() && evidence.iter().all(|id| self.item(id).is_some());
        match settlement {
            Settlement::Preferred { claim, evidence } => sides.contains(claim) && is_there(evidence),
            Settlement::Compatible { evidence } => is_there(evidence),
            Settlement::Person { claim, reason } => {
                !reason.trim().is_empty() && claim.as_ref().is_none_or(|claim| sides.contains(claim))
            }
        }
    }
}
