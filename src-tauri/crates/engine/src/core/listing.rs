//! A run's row in the lists of runs and sessions, as its commits change it.

use domain::RunStatus;
use store::{NewRun, RunChange, RunUpdate};

/// Status and line as they are stored; the row itself while no commit made it.
pub(crate) struct Listing {
    create: Option<NewRun>,
    status: RunStatus,
    line: String,
}

impl Listing {
    /// For a run whose row stands, or `create` for a new one.
    pub(crate) fn new(create: Option<NewRun>, status: RunStatus, line: String) -> Self {
        Self { create, status, line }
    }

    /// What the next commit does to the row. `calls`: the status calls the person, so the run counts as unread when it takes
    /// it on; `meta`: what the list keeps besides, where it changed.
    pub(crate) fn change(
        &mut self,
        status: RunStatus,
        line: String,
        calls: bool,
        meta: Option<Vec<u8>>,
    ) -> RunChange {
        let new_status = (status != self.status).then(|| status.to_string());
        let new_line = (line != self.line).then(|| line.clone());
        let change = match self.create.take() {
            Some(create) => RunChange::Create(NewRun {
                status: status.to_string(),
                line: line.clone(),
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
        };
        self.status = status;
        self.line = line;
        change
    }
}
