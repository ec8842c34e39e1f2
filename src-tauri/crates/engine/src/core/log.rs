//! How records stand in the database: one JSON list a commit, each record a list of its own, since a record's names would
//! take more room and time than its values. Surfaces and exports see [`Record`]'s own form.

use std::num::NonZero;
use std::thread;

use domain::{ErrorCode, Problem};
use pipeline::{EVENT_VERSION, Record};
use serde::Serialize;
use serde::de::DeserializeOwned;
use store::Batch;

/// Fewer batches than this are not worth a second thread.
const WORTH_THREADS: usize = 64;

/// The records of one commit, encoded.
pub fn encode_log<E: Serialize>(records: &[domain::Record<E>]) -> Result<Vec<u8>, Problem> {
    let rows: Vec<(u64, u64, u32, u64, &E)> = records
        .iter()
        .map(|record| (record.seq, record.at, record.v, record.active_ms, &record.event))
        .collect();
    serde_json::to_vec(&rows).map_err(crate::core::problem::internal)
}

/// The records of one stored commit.
pub fn decode_log(bytes: &[u8]) -> Result<Vec<Record>, Problem> {
    rows(bytes).map_err(|error| unread(bytes, &error))
}

/// The records of one commit of runs or turns.
pub(crate) fn rows<E: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<Vec<domain::Record<E>>> {
    let rows: Vec<(u64, u64, u32, u64, E)> = serde_json::from_slice(bytes)?;
    let record = |(seq, at, v, active_ms, event)| domain::Record { seq, at, v, active_ms, event };
    Ok(rows.into_iter().map(record).collect())
}

/// Why a batch can't be read: an event of a newer version has a form that is not known here.
fn unread(bytes: &[u8], error: &serde_json::Error) -> Problem {
    let versions: Vec<(u64, u64, u32, u64, serde::de::IgnoredAny)> =
        serde_json::from_slice(bytes).unwrap_or_default();
    match versions.iter().map(|row| row.2).max() {
        Some(version) if version > EVENT_VERSION => Problem::new(
            ErrorCode::NewerData,
            format!("the log has events of version {version}; this program reads up to {EVENT_VERSION}"),
        )
        .with_action("install the newest version of AgentNative"),
        _ => Problem::new(ErrorCode::Corrupt, format!("a stored batch of events can't be read: {error}")),
    }
}

/// The records of stored commits, in order; long logs are decoded on every core.
pub fn decode_batches(batches: &[Batch]) -> Result<Vec<Record>, Problem> {
    let all = |batches: &[Batch]| -> Result<Vec<Record>, Problem> {
        let mut records = Vec::new();
        for batch in batches {
            records.append(&mut decode_log(&batch.bytes)?);
        }
        Ok(records)
    };
    if batches.len() < WORTH_THREADS {
        return all(batches);
    }
    let cores = thread::available_parallelism().map_or(1, NonZero::get).min(8);
    let parts: Vec<Result<Vec<Record>, Problem>> = thread::scope(|scope| {
        let shares: Vec<_> = batches
            .chunks(batches.len().div_ceil(cores))
            .map(|share| scope.spawn(move || all(share)))
            .collect();
        let panicked = |_| Err(Problem::new(ErrorCode::Internal, "decoding the log panicked"));
        shares.into_iter().map(|share| share.join().unwrap_or_else(panicked)).collect()
    });
    let mut records = Vec::new();
    for part in parts {
        records.append(&mut part?);
    }
    Ok(records)
}
