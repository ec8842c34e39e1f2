//! Events on their way into the log: applied to the state at once, made durable together.

use std::time::Instant;

use domain::{Digest, Problem, RunId, RunStatus};
use pipeline::{Event, Record, State, Status};
use store::{Blob, Commit, NewModelCall, NewRun, Passage, Store};

use crate::core::commits::{Commits, ListedRow};
use crate::core::ids::now_ms;
use crate::core::problem::{internal, store as store_problem};
use crate::core::waits::{Waited, without_wait};

/// A run's state and the part of its log that is not stored yet.
pub(crate) struct Journal {
    pub(crate) run: RunId,
    pub(crate) state: State,
    pending: Vec<Record>,
    blobs: Vec<Blob>,
    model_calls: Vec<NewModelCall>,
    passages: Vec<Passage>,
    stored: std::collections::BTreeSet<Digest>,
    commits: Commits,
    /// What the list of runs keeps besides, from the next commit on.
    meta: Option<Vec<u8>>,
    mark: Instant,
    last_commit: Instant,
}

impl Journal {
    /// For a run whose log, up to the state's `seq`, is stored; `create` for a new one.
    pub(crate) fn new(
        run: RunId,
        state: State,
        store: Store,
        create: Option<NewRun>,
        status: RunStatus,
        line: String,
    ) -> Self {
        let now = Instant::now();
        Self {
            commits: Commits::new(store, state.seq, create, status, line),
            run,
            state,
            pending: Vec::new(),
            blobs: Vec::new(),
            model_calls: Vec::new(),
            passages: Vec::new(),
            stored: std::collections::BTreeSet::new(),
            meta: None,
            mark: now,
            last_commit: now,
        }
    }

    /// Applies an event; it is durable after the next [`Self::commit`].
    pub(crate) fn push(&mut self, event: Event) -> Result<(), Problem> {
        let now = Instant::now();
        let active_ms = now.duration_since(self.mark).as_millis() as u64;
        let v = event.version();
        let record = Record { seq: self.state.seq + 1, at: now_ms(), v, active_ms, event };
        self.state.apply(&record).map_err(internal)?;
        self.mark = now;
        self.pending.push(record);
        Ok(())
    }

    /// Keeps a payload for the next commit.
    pub(crate) fn blob(&mut self, digest: Digest, bytes: Vec<u8>) -> Result<(), Problem> {
        if self.stored.insert(digest) {
            self.blobs.push(Blob::new(bytes).map_err(store_problem)?);
        }
        Ok(())
    }

    /// Tells of a request that ended; stored with the events of the next commit.
    pub(crate) fn spent(&mut self, call: NewModelCall) {
        self.model_calls.push(call);
    }

    /// Tells of a text that can be found again; stored with the events of the next commit.
    pub(crate) fn said(&mut self, passage: Option<Passage>) {
        self.passages.extend(passage);
    }

    /// Tells what the list of runs keeps besides; stored with the next commit.
    pub(crate) fn keeps(&mut self, meta: Vec<u8>) {
        self.meta = Some(meta);
    }

    /// Time in which a call waited for a place in its connection's lane is not active time.
    pub(crate) fn waited(&mut self, waited: Waited) {
        self.mark = without_wait(self.mark, waited);
    }

    /// Time that passed without work, such as waiting for the person, is not active time.
    pub(crate) fn forget_idle_time(&mut self) {
        self.mark = Instant::now();
    }

    /// Of the time that passed, only so much was work.
    pub(crate) fn worked_for(&mut self, ms: u64) {
        let since = Instant::now().checked_sub(std::time::Duration::from_millis(ms));
        self.mark = since.map_or(self.mark, |since| self.mark.max(since));
    }

    /// Events that a crash would lose now.
    pub(crate) fn pending(&self) -> &[Record] {
        &self.pending
    }

    /// The last stored event's number.
    pub(crate) fn committed(&self) -> u64 {
        self.commits.last()
    }

    /// Since the last commit.
    pub(crate) fn since_commit(&self) -> std::time::Duration {
        self.last_commit.elapsed()
    }

    /// Stores what is pending, durably, and gives it back for the surfaces. In the same transaction the lists of runs and
    /// sessions learn the status and the line.
    pub(crate) async fn commit(&mut self, status: Status, line: String) -> Result<Vec<Record>, Problem> {
        if self.pending.is_empty() {
            return Ok(Vec::new());
        }
        let calls = matches!(status, Status::Paused | Status::Completed | Status::Failed);
        let row = ListedRow { status: status.into(), line, calls, meta: self.meta.take() };
        let commit = Commit {
            seq_last: self.state.seq,
            at_ms: self.pending.last().map_or(0, |record| record.at) as i64,
            events: crate::core::log::encode_log(&self.pending)?,
            blobs: std::mem::take(&mut self.blobs),
            model_calls: std::mem::take(&mut self.model_calls),
            passages: std::mem::take(&mut self.passages),
            ..Commit::default()
        };
        self.commits.add(&self.run, row, commit).await?;
        self.last_commit = Instant::now();
        Ok(std::mem::take(&mut self.pending))
    }
}
