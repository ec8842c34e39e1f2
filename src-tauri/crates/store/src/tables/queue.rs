//! Messages that wait for the turn before them. They go with their session.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::schema::Migration;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 4,
    sql: "CREATE TABLE queue(
            id TEXT NOT NULL PRIMARY KEY,
            session INTEGER NOT NULL REFERENCES sessions(no) ON DELETE CASCADE,
            place INTEGER NOT NULL,
            at INTEGER NOT NULL,
            message TEXT NOT NULL
          ) STRICT;
          CREATE INDEX queue_by_session ON queue(session, place);",
}];

/// Parameters: id, session id, at, message.
pub(crate) const PUSH: &str = "INSERT INTO queue(id, session, place, at, message) \
     SELECT ?, no, (SELECT coalesce(max(place), 0) + 1 FROM queue), ?, ? FROM sessions WHERE id = ?";

/// Parameters: message, id.
pub(crate) const CHANGE: &str = "UPDATE queue SET message = ? WHERE id = ?";

/// Parameter: id.
pub(crate) const FIRST: &str =
    "UPDATE queue SET place = (SELECT coalesce(min(place), 0) - 1 FROM queue) WHERE id = ?";

/// Parameter: id.
pub(crate) const REMOVE: &str = "DELETE FROM queue WHERE id = ?";

/// Parameter: session id.
pub(crate) const LIST: &str = "SELECT queue.id, queue.at, queue.message FROM queue JOIN sessions ON sessions.no = queue.session \
     WHERE sessions.id = ? ORDER BY queue.place LIMIT 100";

/// A message that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queued {
    /// Its id.
    pub id: String,
    /// When it was sent, in milliseconds since 1970.
    pub at: i64,
    /// The message as its owner writes it.
    pub message: String,
}

impl Queued {
    pub(crate) fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        Ok(Self { id: row.try_get(0)?, at: row.try_get(1)?, message: row.try_get(2)? })
    }
}
