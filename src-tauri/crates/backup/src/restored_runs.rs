//! Runs of a backup that was brought back as a whole: what was under way when it was made waits for the person, since what it
//! did afterwards was paid for and is not known here.

use std::io::ErrorKind;
use std::path::Path;

use domain::{Problem, RunStatus};
use sessions::suspension;
use store::{Commit, Run, RunChange, RunFilter, RunUpdate};

use crate::{Maintenance, failed};

/// Stands in the data directory between a restore and the suspension of its runs.
pub(crate) const RESTORED: &str = "restored";
/// Runs that are read at once.
const AT_ONCE: u32 = 100;

impl Maintenance {
    /// Suspends what is under way in a database that has just been restored; nothing in any other.
    pub async fn suspend_restored(&self) {
        if let Err(problem) = self.suspend_running().await {
            tracing::warn!("runs of the restored backup are not suspended: {}", problem.message);
        }
    }

    async fn suspend_running(&self) -> Result<(), Problem> {
        let mark = self.env.home.join(RESTORED);
        if !mark.exists() {
            return Ok(());
        }
        let mut running = self.running(None).await?;
        while !running.is_empty() {
            while let Some(run) = running.pop() {
                let children = self.running(Some(run.id.clone())).await?;
                if children.is_empty() {
                    self.suspend(run).await?;
                } else {
                    running.push(run);
                    running.extend(children);
                }
            }
            running = self.running(None).await?;
        }
        forget(&mark)
    }

    /// Some of what is under way for a run, or for none.
    async fn running(&self, parent: Option<String>) -> Result<Vec<Run>, Problem> {
        let statuses = vec![RunStatus::Running.to_string()];
        let filter = RunFilter { statuses, parent, ..RunFilter::default() };
        Ok(self.env.store().list_runs(&filter, None, AT_ONCE).await?.runs)
    }

    async fn suspend(&self, run: Run) -> Result<(), Problem> {
        let last = self.env.store().last_seq(&run.id).await?;
        let update = RunUpdate { status: Some(RunStatus::Suspended.to_string()), ..RunUpdate::default() };
        let commit = Commit {
            run: run.id,
            expect_seq: last,
            seq_last: last + 1,
            at_ms: run.updated_at,
            events: suspension(&run.kind, last + 1, run.updated_at)?,
            change: RunChange::Update(update),
            ..Commit::default()
        };
        Ok(self.env.store().commit(commit).await?)
    }
}

fn forget(mark: &Path) -> Result<(), Problem> {
    match std::fs::remove_file(mark) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(mark, &error)),
        _ => Ok(()),
    }
}
