//! What a person typed and did not send. A draft goes with its session.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::schema::Migration;

/// Longest draft, in bytes.
pub const MAX_DRAFT_BYTES: usize = 200_000;

/// Earlier drafts of one place that are kept.
pub(crate) const EARLIER: i64 = 5;

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 2,
        sql: "CREATE TABLE drafts(
            key TEXT NOT NULL PRIMARY KEY,
            session INTEGER REFERENCES sessions(no) ON DELETE CASCADE,
            text TEXT NOT NULL,
            updated_at INTEGER NOT NULL
          ) STRICT;
          CREATE INDEX drafts_by_session ON drafts(session) WHERE session IS NOT NULL;",
    },
    Migration {
        version: 5,
        sql: "CREATE TABLE earlier_drafts(
            no INTEGER PRIMARY KEY,
            key TEXT NOT NULL,
            session INTEGER REFERENCES sessions(no) ON DELETE CASCADE,
            text TEXT NOT NULL,
            at INTEGER NOT NULL
          ) STRICT;
          CREATE INDEX earlier_drafts_by_key ON earlier_drafts(key, no);
          CREATE INDEX earlier_drafts_by_session ON earlier_drafts(session) WHERE session IS NOT NULL;",
    },
];

// Typing keeps at least one half of what stood there. Where neither half is left another text took its place: that of a
// second window, or one pasted over it.
/// Parameters: key, new text. Keeps what another text takes the place of.
pub(crate) const KEEP: &str = "INSERT INTO earlier_drafts(key, session, text, at) \
     SELECT key, session, text, updated_at FROM drafts WHERE key = ?1 AND length(text) >= 20 \
     AND substr(text, 1, length(text) / 2) <> substr(?2, 1, length(text) / 2) \
     AND substr(text, -(length(text) / 2)) <> substr(?2, -(length(text) / 2))";

/// Parameters: key, most rows. Of several that go on from each other the last is left, and only so many.
pub(crate) const THIN: &str = "DELETE FROM earlier_drafts WHERE key = ?1 AND (no NOT IN \
     (SELECT no FROM earlier_drafts WHERE key = ?1 ORDER BY no DESC LIMIT ?2) OR EXISTS (SELECT 1 FROM earlier_drafts later \
     WHERE later.key = ?1 AND later.no > earlier_drafts.no \
     AND substr(later.text, 1, length(earlier_drafts.text) / 2) = substr(earlier_drafts.text, 1, length(earlier_drafts.text) / 2)))";

/// Parameter: key. Newest first.
pub(crate) const EARLIER_OF: &str = "SELECT key, text, at FROM earlier_drafts WHERE key = ? ORDER BY no DESC";

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
