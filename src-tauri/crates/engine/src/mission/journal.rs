//! Events of a mission on their way into the log: applied to the state at once, made durable together.

use std::sync::Arc;
use std::time::Instant;

use domain::{ErrorCode, Problem, RunId, RunStatus};
use missions::{EVENT_VERSION, Event, Record, State, Status};
use store::{Batch, Commit, Durability, NewRun, Store};

use crate::core::blobs::Blobs;
use crate::core::ids::now_ms;
use crate::core::listing::Listing;
use crate::core::problem::{internal, store as store_problem};

/// A mission's state and the part of its log that is not stored yet.
pub(super) struct MissionJournal {
    pub(super) run: RunId,
    pub(super) state: State,
    store: Store,
    pub(super) blobs: Blobs,
    pending: Vec<Record>,
    committed: u64,
    listing: Listing,
    mark: Instant,
    /// Whether a commit failed. Its payloads are gone: what is pending can't be stored any more.
    failed: bool,
}

impl MissionJournal {
    pub(super) fn new(
        run: RunId,
        state: State,
        store: Store,
        create: Option<NewRun>,
        status: RunStatus,
        line: String,
    ) -> Self {
        let committed = state.seq;
        Self {
            run,
            state,
            blobs: Blobs::new(Arc::new(store.clone())),
            store,
            pending: Vec::new(),
            committed,
            listing: Listing::new(create, status, line),
            mark: Instant::now(),
            failed: false,
        }
    }

    /// Applies an event; it is durable after the next [`Self::commit`].
    pub(super) fn push(&mut self, event: Event) -> Result<(), Problem> {
        let now = Instant::now();
        let active_ms = now.duration_since(self.mark).as_millis() as u64;
        let record = Record { seq: self.state.seq + 1, at: now_ms(), v: EVENT_VERSION, active_ms, event };
        self.state.apply(&record).map_err(internal)?;
        self.mark = now;
        self.pending.push(record);
        Ok(())
    }

    pub(super) fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    pub(super) fn committed(&self) -> u64 {
        self.committed
    }

    /// Stores what is pending, durably.
    pub(super) async fn commit(&mut self, line: String) -> Result<(), Problem> {
        if self.pending.is_empty() {
            return Ok(());
        }
        if self.failed {
            let what = format!("a commit of mission {} failed before", self.run);
            return Err(Problem::new(ErrorCode::Storage, what));
        }
        let status = self.state.status();
        let calls = matches!(status, Status::Paused | Status::Completed | Status::Failed);
        let change = self.listing.change(status.into(), line, calls, None);
        let commit = Commit {
            run: self.run.0.clone(),
            expect_seq: self.committed,
            seq_last: self.state.seq,
            at_ms: self.pending.last().map_or(0, |record| record.at) as i64,
            events: serde_json::to_vec(&self.pending).map_err(internal)?,
            blobs: self.blobs.take_fresh(),
            refs: Vec::new(),
            model_calls: Vec::new(),
            passages: Vec::new(),
            change,
            durability: Durability::Full,
        };
        self.store.commit(commit).await.map_err(|error| {
            self.failed = true;
            store_problem(error)
        })?;
        self.committed = self.state.seq;
        self.pending.clear();
        Ok(())
    }
}

/// The records of stored commits, in order.
pub(super) fn decode(batches: &[Batch]) -> Result<Vec<Record>, Problem> {
    let mut records = Vec::new();
    for batch in batches {
        let mut some: Vec<Record> = serde_json::from_slice(&batch.bytes).map_err(|error| {
            Problem::new(ErrorCode::Corrupt, format!("a stored batch of a mission can't be read: {error}"))
        })?;
        records.append(&mut some);
    }
    Ok(records)
}
