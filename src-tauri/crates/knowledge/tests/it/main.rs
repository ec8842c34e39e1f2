//! The knowledge base from outside: ingest, lookup, search, links.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod citation_state;
mod corpora;
mod crashing;
mod dice;
mod eval;
mod gathering;
mod identity;
mod incremental;
mod ingesting;
mod naming;
mod oscal;
mod page_places;
#[allow(dead_code)]
#[path = "../../../documents/tests/it/paper.rs"]
mod paper;
mod preview;
mod rules;
mod scripts;
mod searching;
mod storage;
mod tables;
mod typeset;
mod vectors;
mod world;

pub(crate) use world::{CORPUS, World};
