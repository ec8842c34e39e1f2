//! What the rules of age did to sessions, so that it can be taken back. Ids only, never a title.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::schema::Migration;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 5,
    sql: "CREATE TABLE retention_runs(
            no INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            archived TEXT NOT NULL,
            trashed TEXT NOT NULL,
            purged INTEGER NOT NULL,
            undone_at INTEGER
          ) STRICT;",
}];

/// Parameters: at, archived, trashed, purged.
pub(crate) const INSERT: &str =
    "INSERT INTO retention_runs(at, archived, trashed, purged) VALUES(?, ?, ?, ?)";

/// Keeps the last 200.
pub(crate) const FORGET: &str = "DELETE FROM retention_runs WHERE no IN (SELECT no FROM retention_runs ORDER BY no DESC LIMIT -1 OFFSET 200)";

/// Parameter: most rows. Newest first.
pub(crate) const LIST: &str =
    "SELECT no, at, archived, trashed, purged, undone_at FROM retention_runs ORDER BY no DESC LIMIT ?";

/// Parameters: the time, number.
pub(crate) const UNDONE: &str = "UPDATE retention_runs SET undone_at = ? WHERE no = ? AND undone_at IS NULL";

/// What the rules of age did at a time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RetentionOutcome {
    /// Its number; given by the store.
    pub number: i64,
    /// Milliseconds since 1970.
    pub at: i64,
    /// Ids of sessions that were archived, as their owner writes lists.
    pub archived: String,
    /// Ids of sessions that went into the trash.
    pub trashed: String,
    /// How many went for good.
    pub purged: i64,
    /// When it was taken back.
    pub undone_at: Option<i64>,
}

impl RetentionOutcome {
    pub(crate) fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        Ok(Self {
            number: row.try_get(0)?,
            at: row.try_get(1)?,
            archived: row.try_get(2)?,
            trashed: row.try_get(3)?,
            purged: row.try_get(4)?,
            undone_at: row.try_get(5)?,
        })
    }
}
