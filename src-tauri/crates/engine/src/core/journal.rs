//! Events on their way into the log, whatever machine they are of: applied to the state at once, made durable together.

use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::{ErrorCode, Machine, NanoUsd, Problem, Record, RunId, RunStatus};
use serde::Serialize;
use store::{Commit, NewModelCall, NewRun, Passage, Store};

use crate::core::blobs::Blobs;
use crate::core::commits::{Commits, ListedRow};
use crate::core::ids::now_ms;
use crate::core::log::encode_log;
use crate::core::problem::internal;
use crate::core::waits::{Waited, without_wait};

/// A machine whose events have a form in the store and whose state has a row in the lists.
pub(crate) trait Logged: Machine<Event: Serialize> {
    /// What is folded beside the state.
    type View: Default;

    /// The records of one commit, encoded.
    fn encode(records: &[Record<Self::Event>]) -> Result<Vec<u8>, Problem> {
        encode_log(records)
    }

    /// The status in the lists, and whether it calls the person.
    fn listed(&self) -> (RunStatus, bool);

    /// Whether the time that passes now counts as work.
    fn works(&self) -> bool {
        true
    }

    /// Takes a record in beside the state. Gives its text where that can be found again.
    fn view(_view: &mut Self::View, _record: &Record<Self::Event>, _blobs: &Blobs) -> Option<Passage> {
        None
    }

    /// Money that is set aside for its own calls of models under way.
    fn set_aside(&self) -> NanoUsd {
        NanoUsd::default()
    }
}

/// Folds a stored record; `log` names the log where it can't be read.
pub(crate) fn fold<M: Machine>(
    state: &mut M,
    record: &Record<M::Event>,
    log: impl Display,
) -> Result<(), Problem> {
    state.apply(record).map_err(|error| {
        let code = if record.v > M::NEWEST { ErrorCode::NewerData } else { ErrorCode::Corrupt };
        Problem::new(code, format!("the log of {log} can't be read: {error}"))
    })
}

/// A state and the part of its log that is not stored yet.
pub(crate) struct Journal<M: Logged> {
    pub(crate) run: RunId,
    pub(crate) state: M,
    pub(crate) view: M::View,
    pub(crate) blobs: Blobs,
    pending: Vec<Record<M::Event>>,
    model_calls: Vec<NewModelCall>,
    passages: Vec<Passage>,
    commits: Commits,
    /// What the list of runs keeps besides, from the next commit on.
    meta: Option<Vec<u8>>,
    /// Money that is noted as under way.
    pub(crate) noted: NanoUsd,
    mark: Instant,
    last_commit: Instant,
}

impl<M: Logged> Journal<M> {
    /// For a log that begins.
    pub(crate) fn new(run: RunId, state: M, store: Store, create: NewRun) -> Self {
        let commits =
            Commits::new(store.clone(), state.seq(), Some(create), RunStatus::Running, String::new());
        Self::over(run, state, store, commits)
    }

    /// For a log that is stored up to the state's last record.
    pub(crate) fn resume(run: RunId, state: M, store: Store, row: &store::Run) -> Self {
        let (status, line) = (RunStatus::stored(&row.status), row.line.clone());
        let commits = Commits::new(store.clone(), state.seq(), None, status, line);
        Self::over(run, state, store, commits)
    }

    fn over(run: RunId, state: M, store: Store, commits: Commits) -> Self {
        let now = Instant::now();
        Self {
            run,
            state,
            view: M::View::default(),
            blobs: Blobs::new(Arc::new(store)),
            pending: Vec::new(),
            model_calls: Vec::new(),
            passages: Vec::new(),
            commits,
            meta: None,
            noted: NanoUsd::default(),
            mark: now,
            last_commit: now,
        }
    }

    /// Applies an event; it is durable after the next [`Self::commit`].
    pub(crate) fn push(&mut self, event: M::Event) -> Result<(), Problem> {
        let now = Instant::now();
        let active_ms = if self.state.works() { now.duration_since(self.mark).as_millis() as u64 } else { 0 };
        let (seq, v) = (self.state.seq() + 1, M::version(&event));
        let record = Record { seq, at: now_ms(), v, active_ms, event };
        self.state.apply(&record).map_err(internal)?;
        self.passages.extend(M::view(&mut self.view, &record, &self.blobs));
        self.mark = now;
        self.pending.push(record);
        Ok(())
    }

    /// Tells of a request that ended; stored with the events of the next commit.
    pub(crate) fn spent(&mut self, call: NewModelCall) {
        self.model_calls.push(call);
    }

    /// Money that calls of models under way can cost, or cost and is not stored yet.
    pub(crate) fn under_way(&self) -> NanoUsd {
        let unbooked = self.model_calls.iter().filter(|call| !call.equivalent);
        self.state.set_aside() + unbooked.map(|call| call.cost).sum::<NanoUsd>()
    }

    /// Tells of a text that can be found again; stored with the events of the next commit.
    pub(crate) fn add_passage(&mut self, passage: Option<Passage>) {
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
        let since = Instant::now().checked_sub(Duration::from_millis(ms));
        self.mark = since.map_or(self.mark, |since| self.mark.max(since));
    }

    /// Events that a crash would lose now.
    pub(crate) fn pending(&self) -> &[Record<M::Event>] {
        &self.pending
    }

    /// The last stored event's number.
    pub(crate) fn committed(&self) -> u64 {
        self.commits.last()
    }

    /// Since the last commit.
    pub(crate) fn since_commit(&self) -> Duration {
        self.last_commit.elapsed()
    }

    /// Stores what is pending, durably, and gives it back for the surfaces. In the same transaction the lists of runs and
    /// sessions learn the status and the line.
    pub(crate) async fn commit(&mut self, line: String) -> Result<Vec<Record<M::Event>>, Problem> {
        let Some(last) = self.pending.last() else { return Ok(Vec::new()) };
        let (status, calls) = self.state.listed();
        let row = ListedRow { status, line, calls, meta: self.meta.take() };
        let commit = Commit {
            seq_last: self.state.seq(),
            at_ms: last.at as i64,
            events: M::encode(&self.pending)?,
            blobs: self.blobs.take_fresh(),
            model_calls: std::mem::take(&mut self.model_calls),
            passages: std::mem::take(&mut self.passages),
            ..Commit::default()
        };
        self.commits.add(&self.run, row, commit).await?;
        self.last_commit = Instant::now();
        Ok(std::mem::take(&mut self.pending))
    }
}
