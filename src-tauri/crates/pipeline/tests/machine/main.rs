//! What the machine does, one behaviour a test.

#![allow(clippy::unwrap_used)] // the lint's exception covers test functions, not what they call

mod budget;
mod calls;
mod children;
mod conversations;
mod gates;
mod graphs;
mod log;
mod order;
mod pauses;
mod permissions;
mod refusals;
mod repair;
mod reuse;
mod rig;
mod runs;
