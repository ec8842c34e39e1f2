//! Automations: what a file of automations says, when a schedule is due, and which automations an event fires.
//!
//! Bird's-eye view: [`AutomationFile`] reads `automations.json`: every entry, broken ones with what is wrong with them.
//! [`Schedule`] is a cron pattern in a time zone. Something that happens is an [`Occurrence`]; [`plan`] holds it against the
//! entries and says of each whether it fires, and if not, why. [`Variables`] are what its actions may name.
//!
//! Architecture invariant: depends on `domain` alone; no IO, no clock, no async. What time it is is given. Nothing here is
//! carried out. Whatever a person wrote is evaluated in bounded time and memory.

// A new variant has to be thought of wherever one of our enums is matched.
#![warn(clippy::wildcard_enum_match_arm, clippy::match_wildcard_for_single_variants)]

mod action;
mod condition;
mod cron;
mod entry;
mod event;
mod fields;
mod file;
mod plan;
mod rate;
mod variables;

pub use action::{Action, ActionPhase, Auth, BodyFormat};
pub use condition::{Condition, MAX_CONDITION_DEPTH, MAX_CONDITIONS, StateTest};
pub use cron::{MissedPolicy, MissedTimes, Schedule, ScheduleError, is_zone, local_minute, zones};
pub use entry::{Entry, Fault, Matcher};
pub use event::Event;
pub use file::{AutomationFile, FileError, MAX_ENTRIES};
pub use plan::{Decision, MAX_CHAIN_DEPTH, Occurrence, SkipReason, State, Verdict, Veto, plan};
pub use rate::Rate;
pub use variables::{Variables, expand};
