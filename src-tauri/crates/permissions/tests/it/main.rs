//! Decisions on calls, with the rules that are shipped.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod auto;
mod commands;
mod corpora;
mod decisions;
mod exploring;
mod grants;
mod layers;
mod reading;
mod support;
mod tools;
