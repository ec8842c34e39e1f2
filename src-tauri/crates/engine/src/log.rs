//! How records stand in the database: one JSON list a commit, each record a list of its own, since a record's names would
//! take more room and time than its values. Surfaces and exports see [`Record`]'s own form.

use domain::{ErrorCode, Problem};
use pipeline::{Event, Record};

/// The records of one commit, encoded.
pub fn encode_log(records: &[Record]) -> Result<Vec<u8>, Problem> {
    let rows: Vec<(u64, u64, u32, u64, &Event)> = records
        .iter()
        .map(|record| (record.seq, record.at, record.v, record.active_ms, &record.event))
        .collect();
    serde_json::to_vec(&rows).map_err(crate::problem::internal)
}

/// The records of one stored commit.
pub fn decode_log(bytes: &[u8]) -> Result<Vec<Record>, Problem> {
    let rows: Vec<(u64, u64, u32, u64, Event)> = serde_json::from_slice(bytes).map_err(|error| {
        Problem::new(ErrorCode::Corrupt, format!("a stored batch of events can't be read: {error}"))
    })?;
    Ok(rows
        .into_iter()
        .map(|(seq, at, v, active_ms, event)| Record { seq, at, v, active_ms, event })
        .collect())
}
