//! Commits of a run, whatever machine drives it: what its log holds, and its row in the lists of runs and sessions.

use domain::{ErrorCode, Problem, RunId, RunStatus};
use store::{Commit, Durability, NewRun, RunChange, RunUpdate, Store};

use crate::core::problem::store as store_problem;

/// What is stored of a run.
pub(crate) struct Commits {
    store: Store,
    /// The last stored event's number.
    last: u64,
    /// The row, while no commit made it.
    create: Option<NewRun>,
    status: RunStatus,
    line: String,
    /// Whether a commit failed. Its payloads are gone: what is pending can't be stored any more.
    failed: bool,
}

/// A run's row as a commit leaves it.
pub(crate) struct ListedRow {
    pub(crate) status: RunStatus,
    pub(crate) line: String,
    /// Whether the status calls the person: then the run counts as unread when it takes it on.
    pub(crate) calls: bool,
    /// What the list keeps besides, where it changed.
    pub(crate) meta: Option<Vec<u8>>,
}

impl Commits {
    /// For a run whose row stands with this status and line, or `create` for a new one.
    pub(crate) fn new(
        store: Store,
        last: u64,
        create: Option<NewRun>,
        status: RunStatus,
        line: String,
    ) -> Self {
        Self { store, last, create, status, line, failed: false }
    }

    /// The last stored event's number.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Stores events and payloads, durably. In the same transaction the lists of runs and sessions learn the row.
    pub(crate) async fn add(&mut self, run: &RunId, row: ListedRow, commit: Commit) -> Result<(), Problem> {
        if self.failed {
            return Err(Problem::new(ErrorCode::Storage, format!("a commit of {run} failed before")));
        }
        let last = commit.seq_last;
        let (run, expect_seq, change) = (run.0.clone(), self.last, self.change(row));
        let commit = Commit { run, expect_seq, change, durability: Durability::Full, ..commit };
        self.store.commit(commit).await.map_err(|error| {
            self.failed = true;
            store_problem(error)
        })?;
        self.last = last;
        Ok(())
    }

    fn change(&mut self, ListedRow { status, line, calls, meta }: ListedRow) -> RunChange {
        let new_status = (status != self.status).then(|| status.to_string());
        let new_line = (line != self.line).then(|| line.clone());
        (self.status, self.line) = (status, line.clone());
        match self.create.take() {
            Some(create) => RunChange::Create(NewRun {
                status: status.to_string(),
                line,
                unread: calls,
                meta: meta.unwrap_or(create.meta),
                ..create
            }),
            None if new_status.is_some() || new_line.is_some() || meta.is_some() => {
                RunChange::Update(RunUpdate {
                    unread: new_status.is_some() && calls,
                    status: new_status,
                    line: new_line,
                    meta,
                    ..RunUpdate::default()
                })
            }
            None => RunChange::Keep,
        }
    }
}
