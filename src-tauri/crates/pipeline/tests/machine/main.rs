//! What the machine does, one behaviour a test.

mod budget;
mod calls;
mod graphs;
mod log;
mod order;
mod pauses;
mod refusals;
mod repair;
mod rig;
