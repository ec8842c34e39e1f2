//! What of a turn is under way, and why it can't be driven again from its log.

use domain::{ErrorCode, Problem};

/// What to do with a turn that can't be driven again.
pub(super) const INSTEAD: &str = "recompute the turn from its log instead: `agentnative replay <run>`";

/// Something external that is under way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum InFlight {
    Model(u32),
    Wait(u32),
    Authorize(String),
    Run(String),
    /// Tools and instructions of a session that was set anew.
    TurnContext,
}

pub(super) fn not_driven(why: &str) -> Problem {
    Problem::new(ErrorCode::Conflict, format!("the turn can't be driven again from its log: {why}"))
        .with_action(INSTEAD)
}
