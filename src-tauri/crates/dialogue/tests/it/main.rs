//! What the machine does, one behaviour a test, and random turns under random schedules.

#![allow(clippy::unwrap_used)] // the lint's exception covers test functions, not what they call

mod asks;
mod calls;
mod compaction;
mod conversation;
mod failures;
mod golden;
mod guards;
mod phases;
mod refusals;
mod rig;
mod simulator;
mod steering;
mod stops;
