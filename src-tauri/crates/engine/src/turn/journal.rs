//! A turn's events on their way into the log: applied at once, made durable together.

use std::sync::Arc;
use std::time::Instant;

use dialogue::{EVENT_VERSION, Event, Record, State, Status};
use domain::{ErrorCode, Problem, RunId, RunStatus};
use store::{Batch, Commit, NewModelCall, NewRun, Passage, Store};

use super::show::plan;
use super::steps::Steps;
use crate::core::blobs::Blobs;
use crate::core::commits::{Commits, ListedRow};
use crate::core::ids::now_ms;
use crate::core::passages::UniqueTexts;
use crate::core::problem::internal;
use crate::core::waits::{Waited, without_wait};

/// A turn's state, what surfaces see of it, and the part of its log that is not stored yet.
pub(super) struct Journal {
    pub(super) run: RunId,
    pub(super) state: State,
    pub(super) steps: Steps,
    pub(super) blobs: Blobs,
    pub(super) store: Store,
    said: UniqueTexts,
    passages: Vec<Passage>,
    pending: Vec<Record>,
    model_calls: Vec<NewModelCall>,
    commits: Commits,
    mark: Instant,
}

impl Journal {
    /// For a turn that begins.
    pub(super) fn new(run: RunId, store: Store, create: NewRun) -> Self {
        let (status, line) = (RunStatus::stored(&create.status), create.line.clone());
        let commits = Commits::new(store.clone(), 0, Some(create), status, line);
        Self::empty(run, store, commits)
    }

    fn empty(run: RunId, store: Store, commits: Commits) -> Self {
        Self {
            run,
            state: State::default(),
            steps: Steps::default(),
            blobs: Blobs::new(Arc::new(store.clone())),
            store,
            said: UniqueTexts::default(),
            passages: Vec::new(),
            pending: Vec::new(),
            model_calls: Vec::new(),
            commits,
            mark: Instant::now(),
        }
    }

    /// For a turn as it stands in the log.
    pub(super) fn of(
        run: RunId,
        store: Store,
        records: &[Record],
        row: &store::Run,
    ) -> Result<Self, Problem> {
        let mut state = State::default();
        let mut steps = Steps::default();
        for record in records {
            state.apply(record).map_err(|error| {
                let newer = record.v > EVENT_VERSION;
                let code = if newer { ErrorCode::NewerData } else { ErrorCode::Corrupt };
                Problem::new(code, format!("the log of turn {run} can't be read: {error}"))
            })?;
            steps.take(record);
        }
        steps.forget_changes();
        let mut said = UniqueTexts::default();
        said.skip(records);
        let status = RunStatus::stored(&row.status);
        let commits = Commits::new(store.clone(), state.seq, None, status, row.line.clone());
        Ok(Self { state, steps, said, ..Self::empty(run, store, commits) })
    }

    /// Applies an event; it is durable after the next [`Self::commit`].
    pub(super) fn push(&mut self, event: Event) -> Result<(), Problem> {
        let now = Instant::now();
        let active_ms = match self.state.status() {
            // The person's time is not the turn's.
            Status::Waiting | Status::Suspended => 0,
            Status::Empty | Status::Running | Status::Completed | Status::Stopped | Status::Failed => {
                now.duration_since(self.mark).as_millis() as u64
            }
        };
        let record = Record { seq: self.state.seq + 1, at: now_ms(), v: EVENT_VERSION, active_ms, event };
        self.state.apply(&record).map_err(internal)?;
        self.steps.take(&record);
        let blobs = &self.blobs;
        self.passages.extend(self.said.of(&record, |digest| blobs.at_hand(digest)));
        self.mark = now;
        self.pending.push(record);
        Ok(())
    }

    /// Tells of a request that ended; stored with the events of the next commit.
    pub(super) fn spent(&mut self, call: NewModelCall) {
        self.model_calls.push(call);
    }

    /// Time in which a call waited for a place in its connection's lane is not active time.
    pub(super) fn waited(&mut self, waited: Waited) {
        self.mark = without_wait(self.mark, waited);
    }

    /// Time that passed without work is not active time.
    pub(super) fn forget_idle_time(&mut self) {
        self.mark = Instant::now();
    }

    /// Events that a crash would lose now.
    pub(super) fn pending(&self) -> &[Record] {
        &self.pending
    }

    /// The last stored event's number.
    pub(super) fn committed(&self) -> u64 {
        self.commits.last()
    }

    /// Stores what is pending, durably. In the same transaction the lists of runs and sessions learn the status and the
    /// line.
    pub(super) async fn commit(&mut self, line: String) -> Result<(), Problem> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let calls = matches!(self.state.status(), Status::Waiting | Status::Completed | Status::Failed);
        let row = ListedRow { status: status_of(&self.state), line, calls, meta: None };
        let commit = Commit {
            seq_last: self.state.seq,
            at_ms: self.pending.last().map_or(0, |record| record.at) as i64,
            events: encode(&self.pending)?,
            blobs: self.blobs.take_fresh(),
            model_calls: std::mem::take(&mut self.model_calls),
            passages: std::mem::take(&mut self.passages),
            ..Commit::default()
        };
        self.commits.add(&self.run, row, commit).await?;
        self.pending.clear();
        Ok(())
    }
}

/// The status of a turn in the lists: one that ended with a plan waits for the person.
pub(crate) fn status_of(state: &State) -> RunStatus {
    match plan(state) {
        Some(_) => RunStatus::Planned,
        None => state.status().into(),
    }
}

/// The records of one commit: one JSON list, each record a list of its own, as those of staged runs.
///
/// # Errors
/// Only by a defect.
pub fn encode(records: &[Record]) -> Result<Vec<u8>, Problem> {
    let rows: Vec<(u64, u64, u32, u64, &Event)> = records
        .iter()
        .map(|record| (record.seq, record.at, record.v, record.active_ms, &record.event))
        .collect();
    serde_json::to_vec(&rows).map_err(internal)
}

/// The records of stored commits, in order.
///
/// # Errors
/// When they are not those of a turn.
pub fn decode_turn(batches: &[Batch]) -> Result<Vec<Record>, Problem> {
    let mut records = Vec::new();
    for batch in batches {
        let rows: Vec<(u64, u64, u32, u64, Event)> =
            serde_json::from_slice(&batch.bytes).map_err(|error| {
                Problem::new(
                    ErrorCode::Corrupt,
                    format!("a stored batch of a turn's events can't be read: {error}"),
                )
            })?;
        records.extend(rows.into_iter().map(|(seq, at, v, active_ms, event)| Record {
            seq,
            at,
            v,
            active_ms,
            event,
        }));
    }
    Ok(records)
}
