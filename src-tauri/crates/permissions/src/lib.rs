//! Decides what an agent may do: mode, rules, grants, and shell commands as syntax trees.
//!
//! One decision, [`Policy::decide`], for every call of every tool. Deny wins over everything; what is not understood
//! counts as writing. Rules are a [`RuleFile`] in each of four layers, compiled to a [`RuleSet`]; the examples that
//! stand beside a rule are tried when it is compiled.
//!
//! Architecture invariant: no IO, no clock, no async. Callers resolve paths, answer where words of a command lead
//! ([`Disk`]) and say what time it is.

// A new variant has to be thought of wherever one of our enums is matched.
#![warn(clippy::wildcard_enum_match_arm, clippy::match_wildcard_for_single_variants)]

mod auto;
mod commands;
mod disk;
mod known_folders;
mod offers;
mod operations;
mod overlap;
mod pattern;
mod policy;
mod reached;
mod rules;
mod ruleset;
mod secrets;
mod shell;
mod system;

pub use disk::{Disk, PathEntry, PlainRepository, TooMany, UnknownDisk};
pub use known_folders::KnownFolders;
pub use policy::{Context, Policy};
pub use rules::{Access, Effect, RequestPattern, Rule, RuleFile};
pub use ruleset::{Fault, Layer, RuleSet};
pub use secrets::{SECRET_FILES, SECRET_FOLDERS};
pub use system::{SYSTEM_FILES, SYSTEM_FOLDERS, SYSTEM_HIDDEN};
