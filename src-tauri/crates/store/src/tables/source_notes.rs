//! What was approved of sources, and how they did over time.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::schema::Migration;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 4,
    sql: "CREATE TABLE pins(
            source TEXT NOT NULL,
            tool TEXT NOT NULL,
            fingerprint TEXT NOT NULL,
            definition TEXT NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY(source, tool)
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE source_checks(
            no INTEGER PRIMARY KEY,
            source TEXT NOT NULL,
            at INTEGER NOT NULL,
            ok INTEGER NOT NULL,
            ms INTEGER NOT NULL,
            detail TEXT NOT NULL
          ) STRICT;
          CREATE INDEX source_checks_by_source ON source_checks(source, no);",
}];

/// Parameter: source.
pub(crate) const UNPIN: &str = "DELETE FROM pins WHERE source = ?";

/// Parameters: source, tool, fingerprint, definition, at.
pub(crate) const PIN: &str =
    "INSERT OR REPLACE INTO pins(source, tool, fingerprint, definition, at) VALUES(?, ?, ?, ?, ?)";

/// Parameter: source.
pub(crate) const PINS: &str =
    "SELECT tool, fingerprint, definition, at FROM pins WHERE source = ? ORDER BY tool";

/// Parameters: source, at, ok, ms, detail.
pub(crate) const CHECKED: &str =
    "INSERT INTO source_checks(source, at, ok, ms, detail) VALUES(?, ?, ?, ?, ?)";

/// Parameter: source. Keeps the last 100.
pub(crate) const FORGET: &str = "DELETE FROM source_checks WHERE no IN \
     (SELECT no FROM source_checks WHERE source = ? ORDER BY no DESC LIMIT -1 OFFSET 100)";

/// Parameter: source. Newest first.
pub(crate) const CHECKS: &str =
    "SELECT at, ok, ms, detail FROM source_checks WHERE source = ? ORDER BY no DESC LIMIT 100";

/// Parameter: source.
pub(crate) const FORGET_ALL: &str = "DELETE FROM source_checks WHERE source = ?";

/// A tool as it was approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// The tool's name at its source.
    pub tool: String,
    /// The hash of its definition.
    pub fingerprint: String,
    /// The definition, JSON.
    pub definition: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

impl Pin {
    pub(crate) fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        Ok(Self {
            tool: row.try_get(0)?,
            fingerprint: row.try_get(1)?,
            definition: row.try_get(2)?,
            at: row.try_get(3)?,
        })
    }
}

/// How a check of a source went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceCheck {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Whether it worked.
    pub ok: bool,
    /// Milliseconds.
    pub ms: i64,
    /// Why not.
    pub detail: String,
}

impl SourceCheck {
    pub(crate) fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        Ok(Self {
            at: row.try_get(0)?,
            ok: row.try_get::<i64, _>(1)? != 0,
            ms: row.try_get(2)?,
            detail: row.try_get(3)?,
        })
    }
}
