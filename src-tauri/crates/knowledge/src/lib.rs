//! The embedded knowledge base: generations, ingest, BM25, hops, citation checks.
//!
//! A base is a folder of immutable generations below `<home>/knowledge/<base>/`. [`ingest()`] writes a new
//! generation and makes it current by one atomic rename; [`Base::open`] reads the current one, from any
//! number of processes at once. Everything a reader needs is plain data: the crate knows no protocol.
//!
//! Architecture invariant: no clock and no randomness in any result; the same inputs give the same
//! paragraphs, digests, orders and scores. Text of a base is data: nothing in it is ever interpreted.

mod base;
mod context;
mod error;
mod generation;
mod graph;
mod ids;
mod index;
pub mod ingest;
mod outline;
mod paragraph;
mod search;
pub mod verify;

pub use base::{Base, Stats};
pub use context::ContextParagraph;
pub use error::KnowledgeError;
pub use generation::{
    BaseSummary, Counts, FORMAT_VERSION, Manifest, SourceFile, current_generation, list_bases, remove_base,
};
pub use graph::{HopHit, Neighbour};
pub use ids::Resolved;
pub use ingest::{IngestOptions, IngestReport, ingest};
pub use outline::{DocumentSummary, Heading};
pub use paragraph::{Paragraph, Reference, Tier};
pub use search::{Hit, MOST_HITS, Query, Via, found_in, terms};
pub use verify::{
    BatchRow, BatchVerdict, CutNegation, Verification, locate, verify, verify_batch, verify_with,
};
