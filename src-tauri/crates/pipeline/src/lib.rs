//! The staged-run machine: events, their fold, decisions and effects.
//!
//! Bird's-eye view: [`State::apply`] folds a [`Record`] of the log; [`State::decide`] names the events that the machine
//! itself wants next; [`State::effects`] names what the engine has to do. All three are pure. The machine knows hashes
//! and shapes, never contents.
//!
//! Architecture invariant: no IO, no clock, no randomness, no async; no agent's, stage's or tool's name.

// A new variant has to be thought of wherever one of our enums is matched.
#![warn(clippy::wildcard_enum_match_arm, clippy::match_wildcard_for_single_variants)]

mod calls;
mod checkpoint;
mod conversation;
mod decide;
mod draft;
mod event;
mod event_form;
mod fold;
mod gate;
mod graph;
mod machine;
mod state;
mod status;

pub use checkpoint::{CheckpointCause, Moment};
pub use conversation::{ConversationFill, Handoff};
pub use decide::Effect;
pub use draft::CallDraft;
pub use event::{
    Action, Answer, BaseRun, CallKey, ChildEnd, Cut, CutContext, Decision, EVENT_VERSION, Event, ParentCall,
    PauseKind, PlannedCall, Receipt, Record, RepairEnd, ReusedCall, SkippedBy,
};
pub use fold::IllegalEvent;
pub use graph::{ChildKind, Graph, GraphError, Node};
pub use state::{
    Attempt, Call, CallStatus, FollowUpState, Pause, Phase, RepairOutcome, StageState, Start, State,
};
pub use status::Status;
