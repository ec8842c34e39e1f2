//! The chat-turn machine: events, their fold, decisions and effects.
//!
//! [`State::apply`] folds a [`Record`] of the log; [`State::decide`] names the events that the machine itself wants next;
//! [`State::effects`] names what the engine has to do. All three are pure. The machine knows hashes and shapes, never
//! contents: it matches no tool's name and no result. [`Conversation`] decides which turns of a session belong together.
//!
//! Architecture invariant: no IO, no clock, no randomness, no async; no agent's or tool's name.

// A new variant has to be thought of wherever one of our enums is matched.
#![warn(clippy::wildcard_enum_match_arm, clippy::match_wildcard_for_single_variants)]

mod asks;
mod calls;
mod conversation;
mod decide;
mod event;
mod fold;
mod machine;
mod state;
mod words;

pub use asks::{Ask, AskState};
pub use conversation::{Conversation, Follows, Link, replaced};
pub use decide::Effect;
pub use event::{
    Bounds, EVENT_VERSION, End, Event, Origin, PlanSubmission, Purpose, Record, RequestedCall, Stop, ToolEnd,
    Verdict,
};
pub use fold::IllegalEvent;
pub use state::{Entry, ExecutionPhase, LostWork, ModelCall, Start, State, Status, ToolCall};
pub use words::{bound_in_words, reminder};
