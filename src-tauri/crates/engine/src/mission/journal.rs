//! Events of a mission on their way into the log: applied to the state at once, made durable together.

use std::sync::Arc;
use std::time::Instant;

use domain::{ErrorCode, Problem, RunId, RunStatus};
use missions::{EVENT_VERSION, Event, Record, State, Status};
use store::{Batch, Commit, NewRun, Store};

use crate::core::blobs::Blobs;
use crate::core::commits::{Commits, ListedRow};
use crate::core::ids::now_ms;
use crate::core::problem::internal;

/// A mission's state and the part of its log that is not stored yet.
pub(super) struct MissionJournal {
    pub(super) run: RunId,
    pub(super) state: State,
    pub(super) blobs: Blobs,
    pending: Vec<Record>,
    commits: Commits,
    mark: Instant,
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
        Self {
            run,
            blobs: Blobs::new(Arc::new(store.clone())),
            pending: Vec::new(),
            commits: Commits::new(store, state.seq, create, status, line),
            mark: Instant::now(),
            state,
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
        self.commits.last()
    }

    /// Stores what is pending, durably.
    pub(super) async fn commit(&mut self, line: String) -> Result<(), Problem> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let status = self.state.status();
        let calls = matches!(status, Status::Paused | Status::Completed | Status::Failed);
        let row = ListedRow { status: status.into(), line, calls, meta: None };
        let commit = Commit {
            seq_last: self.state.seq,
            at_ms: self.pending.last().map_or(0, |record| record.at) as i64,
            events: serde_json::to_vec(&self.pending).map_err(internal)?,
            blobs: self.blobs.take_fresh(),
            ..Commit::default()
        };
        self.commits.add(&self.run, row, commit).await?;
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
