//! What a new turn needs to know, and what the person says to one.

use dialogue::{Bounds, Origin};
use domain::{Covers, GrantScope, RunId, SessionId, SessionSetup, UserMessage};

/// A turn to begin.
#[derive(Debug, Clone)]
pub struct StartTurn {
    /// The session; without it a new one, set to `setup`.
    pub session: Option<SessionId>,
    /// What a new session is set to.
    pub setup: SessionSetup,
    /// What the person wrote.
    pub message: UserMessage,
    /// What it follows; with `Some(None)` nothing: it begins its conversation anew. Without it the newest of the session.
    pub previous: Option<Option<RunId>>,
    /// The connection.
    pub connection: String,
    /// The model; without it the connection's default.
    pub model: Option<String>,
    /// The most it may do.
    pub bounds: Bounds,
    /// Where it comes from.
    pub origin: Origin,
    /// Whether it only puts what was said before into fewer words.
    pub compact: bool,
}

/// What the person says to a request for permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionReply {
    /// It may run; the offer's place in the list that was shown.
    Allow(usize),
    /// The narrowest offer of this scope and coverage; for those that do not show lists.
    Offer(GrantScope, Covers),
    /// It may not, for this reason (may be empty).
    Deny(String),
}
