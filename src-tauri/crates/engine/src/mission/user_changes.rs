//! What the user said of a mission's graph while agents work: the next analysis takes it in, and it is shown at once.

use domain::Digest;
use domain::mission::{Closing, ItemId, Settlement};
use evidence_graph::{Change, Graph};
use missions::State;

use super::local::changes_of;

/// Whom changes that the user makes are by.
pub(super) const USER: &str = "user";

/// Claims that the user rejects and that the graph still has, each with where the reason is kept.
pub(super) fn rejections(state: &State, graph: &Graph) -> Vec<(ItemId, Digest)> {
    let rejected = state.rejected_claims.iter();
    let still = rejected.filter(|(claim, _)| graph.claim(claim).is_some_and(|row| row.rejected.is_none()));
    still.map(|(claim, why)| (claim.clone(), *why)).collect()
}

/// What the user said that is not in the graph, as changes; `rejected` are those of [`rejections`] with their reasons.
pub(super) fn changes(state: &State, graph: &Graph, rejected: Vec<(ItemId, String)>) -> Vec<Change> {
    let mut changes = Vec::new();
    for (claim, reason) in rejected {
        if graph.claim(&claim).is_some_and(|row| row.pinned) {
            changes.push(Change::ClaimUnpinned { claim: claim.clone() });
        }
        changes.push(Change::ClaimRejected { claim, reason });
    }
    for claim in &state.pinned_claims {
        if graph.claim(claim).is_some_and(|row| !row.pinned && row.status.is_live()) {
            changes.push(Change::ClaimPinned { claim: claim.clone() });
        }
    }
    let by_user = state.closings.iter().filter(|(_, closing)| matches!(closing, Closing::Person { .. }));
    for (gap, closing) in by_user {
        if graph.gaps().any(|one| one.id == *gap && one.is_open()) {
            changes.push(Change::GapClosed { gap: gap.clone(), closing: closing.clone() });
        }
    }
    let by_user = state.settlements.iter().filter(|(_, how)| matches!(how, Settlement::Person { .. }));
    for (contradiction, settlement) in by_user {
        let change = Change::ContradictionSettled {
            contradiction: contradiction.clone(),
            settlement: settlement.clone(),
        };
        // What was said may have ended it already, or keep the claim that would give way.
        let all = [changes.clone(), vec![change.clone()]].concat();
        if graph.clone().apply(&changes_of(graph, USER, all)).is_ok() {
            changes.push(change);
        }
    }
    changes
}
