//! The decision.

use domain::{Claim, Grant, Mode, Ruling};

/// What a decision depends on besides the call.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The session's mode.
    pub mode: Mode,
    /// The session.
    pub session: &'a str,
    /// Folders that may be worked in, absolute and resolved.
    pub folders: &'a [String],
    /// What the person granted, revoked and expired ones left out.
    pub grants: &'a [Grant],
    /// Whether commands can be confined on this machine.
    pub can_confine: bool,
    /// Milliseconds since 1970.
    pub now: i64,
}

/// The rules of all layers, ready to be asked.
#[derive(Debug, Clone, Default)]
pub struct Policy {}

impl Policy {
    /// Decides on a call.
    pub fn decide(&self, claim: &Claim, context: &Context<'_>) -> Ruling {
        let _ = (claim, context);
        Ruling::Deny { why: "no rules are loaded".to_owned(), instead: None }
    }
}
