//! Decides what an agent may do (spec chat-and-tools, section 3): mode, rules, grants, and shell commands as syntax trees.
//!
//! One decision, [`Policy::decide`], for every call of every tool. Deny wins over everything; what is not understood
//! counts as writing. Rules are a [`RuleFile`] in each of four layers, compiled to a [`RuleSet`]; the examples that
//! stand beside a rule are tried when it is compiled.
//!
//! Architecture invariant: no IO, no clock, no async. Callers resolve paths and say what time it is.

mod commands;
mod deeds;
mod offers;
mod pattern;
mod places;
mod policy;
mod rules;
mod ruleset;
mod shell;

pub use places::Places;
pub use policy::{Context, Policy};
pub use rules::{Access, Effect, RequestPattern, Rule, RuleFile};
pub use ruleset::{Fault, Layer, RuleSet};
