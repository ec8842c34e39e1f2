//! How a mission stands in its log and in the lists.

use domain::{ErrorCode, Problem, RunStatus};
use missions::{Record, State, Status};
use store::Batch;

use crate::core::journal::Logged;
use crate::core::problem::internal;

/// A mission's state and the part of its log that is not stored yet.
pub(super) type MissionJournal = crate::core::journal::Journal<State>;

impl Logged for State {
    type View = ();

    fn encode(records: &[Record]) -> Result<Vec<u8>, Problem> {
        serde_json::to_vec(records).map_err(internal)
    }

    fn listed(&self) -> (RunStatus, bool) {
        let status = self.status();
        (status.into(), matches!(status, Status::Paused | Status::Completed | Status::Failed))
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
