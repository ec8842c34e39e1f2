//! What a person typed and did not send. A draft goes with its session.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::schema::Migration;

/// Longest draft, in bytes.
pub const MAX_DRAFT_BYTES: usize = 200_000;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 2,
    sql: "CREATE TABLE drafts(
            key TEXT NOT NULL PRIMARY KEY,
            session INTEGER REFERENCES sessions(no) ON DELETE CASCADE,
            text TEXT NOT NULL,
            updated_at INTEGER NOT NULL
          ) STRICT;
          CREATE INDEX drafts_by_session ON drafts(session) WHERE session IS NOT NULL;",
}];

/// Parameters: key, session id, run id, text, updated_at. The session is the one named, or the run's.
pub(crate) const SAVE: &str = "INSERT INTO drafts(key, session, text, updated_at) VALUES(?, \
     coalesce((SELECT no FROM sessions WHERE id = ?), (SELECT session FROM runs WHERE id = ?)), ?, ?) \
     ON CONFLICT(key) DO UPDATE SET session = excluded.session, text = excluded.text, updated_at = excluded.updated_at";

pub(crate) const DELETE: &str = "DELETE FROM drafts WHERE key = ?";
pub(crate) const ONE: &str = "SELECT key, text, updated_at FROM drafts WHERE key = ?";

/// A draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Where it was typed: a session's id, a run's id with anything behind a slash, or any other word.
    pub key: String,
    /// What was typed.
    pub text: String,
    /// Milliseconds since 1970 as given by the caller.
    pub updated_at: i64,
}

impl Draft {
    pub(crate) fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        Ok(Self { key: row.try_get(0)?, text: row.try_get(1)?, updated_at: row.try_get(2)? })
    }
}
