//! What the person granted, and which decisions were made.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::schema::Migration;

// A grant for one session goes with it. `what` is the grant as its owner writes it; the store compares none of it.
pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 4,
    sql: "CREATE TABLE grants(
            no INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            session INTEGER REFERENCES sessions(no) ON DELETE CASCADE,
            what TEXT NOT NULL,
            expires_at INTEGER,
            revoked_at INTEGER
          ) STRICT;
          CREATE INDEX grants_in_force ON grants(session) WHERE revoked_at IS NULL;
          CREATE TABLE audit(
            no INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            session TEXT NOT NULL,
            run TEXT NOT NULL,
            call TEXT NOT NULL,
            source TEXT NOT NULL,
            tool TEXT NOT NULL,
            mode TEXT NOT NULL,
            decision TEXT NOT NULL,
            by_what TEXT NOT NULL,
            subject TEXT NOT NULL
          ) STRICT;
          CREATE INDEX audit_by_session ON audit(session);",
}];

/// Parameters: id, session id or NULL, what, expires_at.
pub(crate) const INSERT_GRANT: &str = "INSERT INTO grants(id, session, what, expires_at) \
     VALUES(?, (SELECT no FROM sessions WHERE id = ?), ?, ?);";

/// Parameters: the time, id.
pub(crate) const REVOKE: &str = "UPDATE grants SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL";

/// Parameter: the time. All of them.
pub(crate) const REVOKE_ALL: &str = "UPDATE grants SET revoked_at = ? WHERE revoked_at IS NULL";

/// Parameters: the time, session id: those that hold in that session.
pub(crate) const IN_FORCE: &str = "SELECT what FROM grants WHERE revoked_at IS NULL \
     AND (expires_at IS NULL OR expires_at > ?) \
     AND (session IS NULL OR session = (SELECT no FROM sessions WHERE id = ?)) ORDER BY no";

/// Parameters: the time, most rows: those that hold anywhere, newest first.
pub(crate) const ALL_IN_FORCE: &str = "SELECT what FROM grants WHERE revoked_at IS NULL \
     AND (expires_at IS NULL OR expires_at > ?) ORDER BY no DESC LIMIT ?";

/// Parameters: as the columns, but `no`.
pub(crate) const INSERT_AUDIT: &str = "INSERT INTO audit(at, session, run, call, source, tool, mode, decision, by_what, subject) \
     VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?);";

/// Parameters: before, session or NULL twice, workspace or NULL twice, most rows.
pub(crate) const AUDIT: &str = "SELECT no, at, session, run, call, source, tool, mode, decision, by_what, subject FROM audit \
     WHERE no < ? AND (? IS NULL OR session = ?) \
     AND (? IS NULL OR session IN (SELECT id FROM sessions WHERE workspace = ?)) ORDER BY no DESC LIMIT ?";

/// A decision on a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DecisionRow {
    /// Place in the list; given by the store.
    pub cursor: i64,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The session's id.
    pub session: String,
    /// The run's id.
    pub run: String,
    /// The call.
    pub call: String,
    /// The source's slug.
    pub source: String,
    /// The tool.
    pub tool: String,
    /// The mode's word.
    pub mode: String,
    /// What was decided, a word of the caller.
    pub decision: String,
    /// By what.
    pub by: String,
    /// What it was about, cut at 2,000 bytes.
    pub subject: String,
}

impl DecisionRow {
    pub(crate) fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        Ok(Self {
            cursor: row.try_get(0)?,
            at: row.try_get(1)?,
            session: row.try_get(2)?,
            run: row.try_get(3)?,
            call: row.try_get(4)?,
            source: row.try_get(5)?,
            tool: row.try_get(6)?,
            mode: row.try_get(7)?,
            decision: row.try_get(8)?,
            by: row.try_get(9)?,
            subject: row.try_get(10)?,
        })
    }
}
