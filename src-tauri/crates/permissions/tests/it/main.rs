//! Decisions on calls, with the rules that are shipped.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod commands;
mod corpora;
mod decisions;
mod grants;
mod layers;
mod support;
mod tools;
