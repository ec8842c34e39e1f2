//! A session groups the runs of one conversation.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::schema::Migration;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: "CREATE TABLE sessions(
            no INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            created_at INTEGER NOT NULL,
            title TEXT NOT NULL
          ) STRICT;",
}];

/// Parameters: id, created_at, title. The first commit of a session creates it.
pub(crate) const INSERT_IF_ABSENT: &str =
    "INSERT INTO sessions(id, created_at, title) VALUES(?, ?, ?) ON CONFLICT(id) DO NOTHING;";

/// Runs, their events and unshared blobs go with the session by cascade.
pub(crate) const DELETE: &str = "DELETE FROM sessions WHERE id = ?";

pub(crate) const PAGE: &str =
    "SELECT no, id, created_at, title FROM sessions WHERE no < ? ORDER BY no DESC LIMIT ?";
pub(crate) const ONE: &str = "SELECT no, id, created_at, title FROM sessions WHERE id = ?";

/// A stored session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Id given by the caller.
    pub id: String,
    /// Milliseconds since 1970 as given by the caller; never used for ordering.
    pub created_at: i64,
    /// Title for people.
    pub title: String,
    /// Place in the list of sessions.
    pub cursor: SessionCursor,
}

/// Place of a session in the order of creation, independent of any clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionCursor(pub i64);

impl Session {
    pub(crate) fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        Ok(Self {
            cursor: SessionCursor(row.try_get(0)?),
            id: row.try_get(1)?,
            created_at: row.try_get(2)?,
            title: row.try_get(3)?,
        })
    }
}
