//! A run owns an event log and refers to blobs.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::codec::Unpacker;
use crate::commit::MAX_META_BYTES;
use crate::schema::Migration;

// `no` grows with creation, so it pages the list without an index of its own and without a clock.
pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: "CREATE TABLE runs(
            no INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            session INTEGER NOT NULL REFERENCES sessions(no) ON DELETE CASCADE,
            agent TEXT NOT NULL,
            status TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            title TEXT NOT NULL,
            previous_run TEXT,
            meta_codec INTEGER NOT NULL,
            meta BLOB NOT NULL
          ) STRICT;
          CREATE INDEX runs_by_session ON runs(session);
          CREATE INDEX runs_by_status ON runs(status);",
}];

/// Parameters: id, session id, agent, status, created_at, updated_at, title, previous run, codec, meta.
pub(crate) const INSERT: &str = "INSERT INTO runs(id, session, agent, status, created_at, updated_at, title, \
     previous_run, meta_codec, meta) \
     VALUES(?, (SELECT no FROM sessions WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?);";

/// Parameters: updated_at, status, title, codec, meta (each of them NULL to keep it), id.
pub(crate) const UPDATE: &str = "UPDATE runs SET updated_at = coalesce(?, updated_at), \
     status = coalesce(?, status), title = coalesce(?, title), \
     meta_codec = coalesce(?, meta_codec), meta = coalesce(?, meta) WHERE id = ?;";

/// Events, references and unshared blobs go with the run by cascade.
pub(crate) const DELETE: &str = "DELETE FROM runs WHERE id = ?";

/// No row: no such run. Otherwise its last sequence number, 0 when it has no event.
pub(crate) const HEAD: &str = "SELECT coalesce((SELECT max(seq_last) FROM run_events WHERE run = runs.no), 0) \
     FROM runs WHERE id = ?";

/// Column order of [`Run::from_row`]; filters are appended.
pub(crate) const SELECT: &str = "SELECT runs.no, runs.id, sessions.id, runs.agent, runs.status, \
     runs.created_at, runs.updated_at, runs.title, runs.previous_run, runs.meta_codec, runs.meta \
     FROM runs JOIN sessions ON sessions.no = runs.session WHERE ";

/// A stored run, without its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Id given by the caller.
    pub id: String,
    /// Id of the session it belongs to.
    pub session: String,
    /// Slug of the agent.
    pub agent: String,
    /// Status word of the caller; the store gives it no meaning.
    pub status: String,
    /// Milliseconds since 1970 as given by the caller; never used for ordering.
    pub created_at: i64,
    /// Milliseconds since 1970 as given by the caller.
    pub updated_at: i64,
    /// Title for people.
    pub title: String,
    /// Id of the run this one follows; it may have been deleted since.
    pub previous_run: Option<String>,
    /// Opaque bytes of the caller.
    pub meta: Vec<u8>,
    /// Place in the list of runs.
    pub cursor: RunCursor,
}

/// Place of a run in the order of creation, independent of any clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunCursor(pub i64);

impl Run {
    pub(crate) fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        let meta = Unpacker::new()
            .unpack(row.try_get(9)?, row.try_get::<&[u8], _>(10)?, MAX_META_BYTES)
            .map_err(|error| sqlx::Error::Decode(error.into()))?
            .into_owned();
        Ok(Self {
            cursor: RunCursor(row.try_get(0)?),
            id: row.try_get(1)?,
            session: row.try_get(2)?,
            agent: row.try_get(3)?,
            status: row.try_get(4)?,
            created_at: row.try_get(5)?,
            updated_at: row.try_get(6)?,
            title: row.try_get(7)?,
            previous_run: row.try_get(8)?,
            meta,
        })
    }
}
