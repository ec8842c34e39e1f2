//! Commits of an import, which may have been stored by an earlier one.

use domain::Problem;
use store::{Bulk, Commit, StoreError};

/// About how many bytes a commit holds.
pub fn commit_bytes(commit: &Commit) -> usize {
    commit.events.len() + commit.blobs.iter().map(|blob| blob.bytes().len()).sum::<usize>()
}

/// The runs of a bulk that were there already.
pub async fn commit_bulk(store: &store::Store, bulk: Bulk) -> Result<Vec<String>, Problem> {
    let runs: Vec<String> = bulk.runs().map(str::to_owned).collect();
    let mut met = Vec::new();
    if !runs.is_empty() {
        for (run, stored) in runs.into_iter().zip(store.commit_bulk(bulk).await?) {
            met.extend(was_there(stored)?.then_some(run));
        }
    }
    Ok(met)
}

/// A commit on its own: what an earlier import stored already is passed over. The run if another log is there under its id.
pub async fn commit_one(store: &store::Store, commit: Commit) -> Result<Option<String>, Problem> {
    let run = commit.run.clone();
    if commit.expect_seq > 0 && store.last_seq(&run).await? >= commit.seq_last {
        return Ok(None);
    }
    Ok(was_there(store.commit(commit).await)?.then_some(run))
}

/// Whether a run was there already, from an earlier import.
fn was_there(ended: Result<(), StoreError>) -> Result<bool, Problem> {
    match ended {
        Ok(()) => Ok(false),
        // Another log under its id went another way from some event on.
        Err(StoreError::RunExists { .. } | StoreError::Conflict { .. }) => Ok(true),
        Err(error) => Err(error.into()),
    }
}
