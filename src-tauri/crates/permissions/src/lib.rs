//! Decides what an agent may do (spec chat-and-tools, section 3): mode, rules, grants, and shell commands as syntax trees.
//!
//! One decision, [`Policy::decide`], for every call of every tool. Deny wins over everything; what is not understood
//! counts as writing.
//!
//! Architecture invariant: no IO, no clock, no async. Callers resolve paths and say what time it is.

mod policy;

pub use policy::{Context, Policy};
