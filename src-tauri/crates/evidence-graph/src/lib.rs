//! What is known of a subject as a value: claims with their citations and sources, entities and their relations, the
//! questions of a plan, and the gaps, contradictions and leads that are found on the way.
//!
//! Bird's-eye view: a [`Graph`] changes only through [`Graph::apply`], a fold over [`Changes`]. [`integrate`] makes
//! changes of the findings of one invocation, [`analyse`] makes changes of what follows from the graph itself. The
//! formulas are in [`analysis`], one module each; [`page`], [`Graph::provenance`] and [`Graph::neighbourhood`] read.
//!
//! Architecture invariant: no IO, no clock, no randomness; the same changes give the same bytes. Ages are measured
//! against a day that is given. Shares are integers in millionths. Nothing is ever deleted: what is refuted, replaced or
//! out of scope stays, with its state.

// A new variant has to be thought of wherever one of our enums is matched.
#![warn(clippy::wildcard_enum_match_arm, clippy::match_wildcard_for_single_variants)]

pub mod analysis;
mod apply;
mod change;
mod day;
mod export;
mod graph;
mod import;
mod index;
mod integration;
mod item;
mod join;
mod keys;
mod newest;
mod page;
mod plan;
mod quantity;
mod report;
mod request;
mod statement;
mod surroundings;

pub use analysis::{Analysis, Requirements, analyse};
pub use change::{CHANGES_VERSION, Change, Changes, MAX_ITEMS, Refusal};
pub use day::Day;
pub use export::{ImportError, MAX_LINE_BYTES, from_json, from_jsonl, to_json, to_jsonl};
pub use graph::Graph;
pub use import::import;
pub use integration::{Check, Context, Counts, Intake, MAX_LIST_ITEMS, MAX_TEXT_BYTES, Refused, integrate};
pub use item::{
    Citation, Claim, ClaimStatus, ConfidenceParts, ConflictKind, Contradiction, ContradictionStatus, Entity,
    Gap, GapStatus, Item, ItemKind, Lead, LeadStatus, Question, Relation, Source,
};
pub use join::findings_of;
pub use keys::{address_key, origin_of, text_key};
pub use newest::NewestClaim;
pub use page::{MAX_PAGE_ITEMS, Page, PageQuery, Scope, Sorting, page};
pub use plan::plan_changes;
pub use report::{
    ReportRequest, WordedReport, completeness, many, missing_sections, nearest_section, open_questions,
    put_answer_first, remarked, remarks, report, shared_words, told_claims, wants_table, with_sources,
    worded,
};
pub use request::{questions_of, split_request};
pub use statement::{Difference, Grounds, Statement, ValueQuestion};
pub use surroundings::{CitedSource, MAX_NEIGHBOURS, Neighbourhood, Provenance};
