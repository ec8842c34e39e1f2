//! What was brought over from elsewhere: which session of ours stands for which of theirs.
//!
//! A row is written before anything of its session, so that an import that was cut short goes on in the same session.

use crate::rows::Insert;
use crate::schema::Migration;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 5,
    sql: "CREATE TABLE imports(
            source BLOB NOT NULL PRIMARY KEY CHECK(length(source) = 32),
            session TEXT NOT NULL,
            done INTEGER NOT NULL,
            at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;",
}];

/// Parameters: source, session, done, at.
pub(crate) const NOTE: Insert = Insert {
    head: "INSERT INTO imports(source, session, done, at) VALUES",
    row: "(?, ?, ?, ?)",
    tail: " ON CONFLICT(source) DO UPDATE SET session = excluded.session, done = excluded.done, at = excluded.at;",
};

/// Parameter: source.
pub(crate) const ONE: &str = "SELECT session, done FROM imports WHERE source = ?";

/// The sources that are asked for, and `)`, are appended.
pub(crate) const MANY: &str = "SELECT source, session, done FROM imports WHERE source IN (";
