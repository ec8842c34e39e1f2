//! The log: one row per commit, however many events it carries.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::codec::Unpacker;
use crate::commit::MAX_EVENTS_BYTES;
use crate::rows::Insert;
use crate::schema::Migration;

// A rowid table, not WITHOUT ROWID: rows of 1 to 4 KB then need no overflow page, and rows of all runs
// are appended at the end of the file.
pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: "CREATE TABLE run_events(
            no INTEGER PRIMARY KEY,
            run INTEGER NOT NULL REFERENCES runs(no) ON DELETE CASCADE,
            seq_first INTEGER NOT NULL,
            seq_last INTEGER NOT NULL,
            at INTEGER NOT NULL,
            codec INTEGER NOT NULL,
            events BLOB NOT NULL,
            UNIQUE(run, seq_first)
          ) STRICT;",
}];

/// Parameters: run id, seq_first, seq_last, at, codec, events.
pub(crate) const INSERT: Insert = Insert {
    head: "INSERT INTO run_events(run, seq_first, seq_last, at, codec, events) \
           SELECT runs.no, v.column2, v.column3, v.column4, v.column5, v.column6 FROM (VALUES",
    row: "(?, ?, ?, ?, ?, ?)",
    tail: ") AS v CROSS JOIN runs ON runs.id = v.column1;",
};

/// Parameters: run id, last known sequence number, most rows.
pub(crate) const AFTER: &str = "SELECT seq_first, seq_last, at, codec, events FROM run_events \
     WHERE run = (SELECT no FROM runs WHERE id = ?) AND seq_first > ? ORDER BY seq_first LIMIT ?";

/// The events of one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Sequence number of the first event; the first of a run is 1.
    pub seq_first: u64,
    /// Sequence number of the last event.
    pub seq_last: u64,
    /// Milliseconds since 1970 as given by the caller; may go backwards.
    pub at_ms: i64,
    /// The events, as the caller encoded them.
    pub bytes: Vec<u8>,
}

impl Batch {
    pub(crate) fn from_row(row: &SqliteRow, unpacker: &mut Unpacker) -> sqlx::Result<Self> {
        let bytes = unpacker
            .unpack(row.try_get(3)?, row.try_get::<&[u8], _>(4)?, MAX_EVENTS_BYTES)
            .map_err(|error| sqlx::Error::Decode(error.into()))?
            .into_owned();
        Ok(Self {
            seq_first: row.try_get::<i64, _>(0)?.cast_unsigned(),
            seq_last: row.try_get::<i64, _>(1)?.cast_unsigned(),
            at_ms: row.try_get(2)?,
            bytes,
        })
    }
}
