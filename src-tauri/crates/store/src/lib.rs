//! SQLite persistence: migrations, one writer, reader pool, event log, content-addressed blobs.
//!
//! The crate stores bytes and knows no business rules: what an event means, which status a run may
//! take and what a blob contains is decided by its callers. What it promises:
//!
//! - one process per data directory ([`DataDir`]), one writer per database, any number of short reads;
//! - a [`Commit`] is all or nothing, and a [`Durability::Full`] commit is on disk before its answer;
//! - a commit that was queued is carried out even if nobody waits for its answer any more;
//! - an I/O error stops the writer until the store is opened again; a full disk only fails the commit;
//! - what is read back is what was written: blobs are checked against their hash, batches against
//!   their neighbours.

mod access;
mod automations;
mod backup;
mod chat;
mod codec;
mod commit;
mod data_dir;
mod error;
mod hash;
mod imports;
mod integrity;
mod judgements;
mod lists;
mod open;
mod problem;
mod queries;
mod repair;
mod replacement;
mod rows;
mod schema;
mod search;
mod sessions;
mod sizes;
mod store;
mod tables;
mod usage;
mod workspaces;
mod writer;

pub use access::others_may_enter;
pub use backup::{Archive, ArchivedSession, CopyContents, Watch};
pub use commit::{
    Bulk, Commit, Durability, MAX_EVENTS_BYTES, MAX_WORDS_BYTES, NewRun, NewSession, RunChange, RunUpdate,
};
pub use data_dir::{DataDir, free_bytes};
pub use error::{Result, StoreError};
pub use hash::BlobHash;
pub use imports::Imported;
pub use integrity::{Depth, Finding, IntegrityReport};
pub use lists::{Clause, Part};
pub use queries::{MAX_PAGE, RunFilter, RunPage, Sizes, TableSize};
pub use repair::{RepairReport, salvage};
pub use replacement::Replacement;
pub use schema::SCHEMA_VERSION;
pub use search::{Found, FoundText, Term, Word, Words};
pub use sessions::{
    DEFAULT_WORKSPACE, Folder, Latest, SessionCount, SessionFilter, SessionPage, SessionUpdate,
};
pub use sizes::{RetentionQueryResult, SessionBytes};
pub use store::{Store, StoreStats};
pub use tables::automations::{AutomationEffect, Enabled, WebhookRetry};
pub use tables::blobs::{Blob, MAX_BLOB_BYTES};
pub use tables::drafts::{Draft, MAX_DRAFT_BYTES};
pub use tables::judgements::StoredJudgement;
pub use tables::model_calls::{ModelCall, ModelCallCursor, NewModelCall, UsageTotals};
pub use tables::passages::{MAX_PASSAGE_BYTES, Passage, Role};
pub use tables::permissions::DecisionRow;
pub use tables::queue::Queued;
pub use tables::retention::RetentionOutcome;
pub use tables::run_events::Batch;
pub use tables::runs::{Run, RunCursor, RunLink};
pub use tables::sessions::{LatestRun, Session, SessionCursor};
pub use tables::source_notes::{Pin, SourceCheck};
pub use usage::{Distribution, ModelCallFilter, ModelCallPage, StageStatistics, UsageSums};
