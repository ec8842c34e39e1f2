//! The machine of missions: open-ended research by agents over a graph of claims, until the criteria hold, a limit is
//! reached or the user has enough.
//!
//! [`State::apply`] folds a [`Record`] of the log; [`State::decide`] names the events that the machine itself wants next;
//! [`State::effects`] names what the engine has to do. All three are pure. The machine knows ids, numbers and digests,
//! never a text: what it knows of the graph is [`domain::mission::GraphFacts`].
//!
//! A mission's only paid effect is to invoke an agent, which is a child run with a log of its own. What a model proposes
//! is held against the rules by [`State::check_proposal`]; where it proposes nothing that may be done, [`State::choose`] decides by rule.
//!
//! Architecture invariant: no IO, no clock, no randomness, no async; no agent's or tool's name.

// A new variant has to be thought of wherever one of our enums is matched.
#![warn(clippy::wildcard_enum_match_arm, clippy::match_wildcard_for_single_variants)]

mod agenda;
mod choice;
mod criteria;
mod decide;
mod event;
mod fold;
mod forecast;
mod invocations;
mod limits;
mod machine;
mod payloads;
mod registry;
mod report;
mod state;
mod terms;

pub use choice::{Action, Assignment, Proposal, Refusal, RefusedProposal};
pub use criteria::{Criteria, Criterion, measure};
pub use decide::Effect;
pub use event::{
    Additions, ArtifactId, ChildEnd, Decision, DecisionAuthor, DropCause, EVENT_VERSION, Event, GraphStart,
    InvocationKey, Outcome, PauseKind, Record, Role, SplitAuthor, StopCause,
};
pub use fold::IllegalEvent;
pub use forecast::{ForecastBounds, InvocationForecast, KnownUse};
pub use limits::{Dimension, Essential, Limits};
pub use registry::{RegisteredAgent, Registry, folder_of, name_for_base};
pub use state::{
    Artifact, ChildUsage, Draft, Invocation, InvocationStatus, Pause, Phase, Start, State, Status,
};
pub use terms::{Terms, capability};
