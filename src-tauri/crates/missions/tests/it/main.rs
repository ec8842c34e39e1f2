//! The machine of missions, read as a specification.

#![allow(clippy::unwrap_used)] // the lint's exception covers test functions, not what they call

mod choice;
mod forecast;
mod golden;
mod iterations;
mod limits;
mod recovery;
mod refusals;
mod report;
mod rig;
mod simulator;
mod steering;
mod terms;
