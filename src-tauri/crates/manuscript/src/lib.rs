//! Long documents as values: their parts, footnotes, references, registers and assembly, and the checks over them.
//!
//! Bird's-eye view: a [`parts::Part`] is a piece of a document, in Markdown. The modules extract from parts
//! ([`footnotes`], [`headings`], [`xref`], [`counter`], [`questions`], [`citations`], [`facts`], [`numbers`]), hold lists
//! against each other ([`provisions`], [`exposures`], [`sheet`]), put parts together ([`toc`], [`assemble`]), and judge
//! ([`integrity`], [`readiness`], [`score`], [`tasks`], [`diff`]). [`checks::run`] carries one check out on JSON, [`chain`] says in which order and
//! what a change runs again, and [`rubric::Rubric`] is the data of a kind of document.
//!
//! Architecture invariant: no IO, no clock, no randomness, no async; the same input gives the same bytes. No word of a
//! profession: what a heading, a citation or a tag looks like is a pattern of the rubric. Points, money and figures are
//! integers. Every input is bounded, and every pattern matches in linear time.

// A new variant has to be thought of wherever one of our enums is matched.
#![warn(clippy::wildcard_enum_match_arm, clippy::match_wildcard_for_single_variants)]

pub mod assemble;
pub mod chain;
pub mod checks;
pub mod citations;
pub mod counter;
pub mod diff;
pub mod exposures;
pub mod facts;
pub mod fault;
pub mod findings;
pub mod fixed;
pub mod footnotes;
pub mod headings;
pub mod integrity;
pub mod numbers;
pub mod parts;
pub mod pattern;
pub mod provisions;
pub mod quantity;
pub mod questions;
pub mod readiness;
pub mod rubric;
pub mod score;
pub mod sheet;
pub mod tasks;
mod text;
pub mod toc;
pub mod xref;

pub use checks::{CheckName, CheckReport, ExitCode, run};
pub use fault::{Fault, Location, Rule};
pub use parts::{Note, Part};
pub use rubric::Rubric;
pub use text::words;
