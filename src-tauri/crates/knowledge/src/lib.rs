//! The embedded knowledge base: generations, ingest, BM25, hops.
//!
//! A base is a folder of immutable generations below `<home>/knowledge/<base>/`. [`ingest()`] writes a new
//! generation and makes it current by one atomic rename; [`Base::open`] reads the current one, from any
//! number of processes at once. Everything a reader needs is plain data: the crate knows no protocol.
//!
//! Architecture invariant: no clock and no randomness in any result; the same inputs give the same
//! paragraphs, digests, orders and scores. Text of a base is data: nothing in it is ever interpreted.

mod base;
mod citation_state;
mod contents;
mod context;
mod definitions;
mod document_names;
mod error;
pub mod eval;
mod file_label;
mod fold;
mod gather;
mod generation;
mod graph;
mod ids;
mod index;
pub mod ingest;
mod lsi;
mod neighbourhood;
mod outline;
mod paragraph;
mod paragraphs;
mod period;
mod pinpoint;
pub mod rules;
mod search;
mod titles;
mod transfer;
mod vectors;
mod word_index;

pub use base::{Base, Stats};
pub use citation_state::{CitationCheck, CitationState, citation_checks};
pub use context::ContextParagraph;
pub use definitions::Definitions;
pub use error::KnowledgeError;
pub use file_label::{original_name, pages_in_words};
pub use fold::{Folded, MAYBE_HYPHEN};
pub use gather::{Gather, Gathered, GatheredHit, SubQuery};
pub use generation::{
    BaseSummary, Counts, FORMAT_VERSION, Manifest, SourceFile, StoredVectors, base_folder, base_ids,
    current_generation, generation_manifest, generation_reports, list_bases, remove_base,
    remove_session_bases, replace_file,
};
pub use graph::{HopHit, Neighbour, quantised};
pub use ids::{Resolved, tight};
pub use index::{Stem, stems};
pub use ingest::{IngestOptions, IngestReport, ingest};
pub use neighbourhood::{Link, MAX_NODES, Neighbourhood, Node};
pub use outline::{DocumentSummary, Heading};
pub use paragraph::{Paragraph, Reference, Tier};
pub use paragraphs::Paragraphs;
pub use search::{
    Filter, Hit, HitOrigin, MAX_HITS, MAX_OFFSET, Mode, Query, ScoreParts, Step, TermShare, found_in,
    search_many, terms,
};
pub use transfer::import;
pub use word_index::WordIndex;
