//! What judges found of statements beside what they cite, so that the same pair is not paid for twice.
//!
//! The key stands for everything that the judge was shown. A row belongs to the run that asked last, and goes with it.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::schema::Migration;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 6,
    sql: "CREATE TABLE judgements(
            key BLOB NOT NULL PRIMARY KEY,
            run INTEGER NOT NULL REFERENCES runs(no) ON DELETE CASCADE,
            finding TEXT NOT NULL,
            words TEXT NOT NULL,
            reason TEXT NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX judgements_by_run ON judgements(run);",
}];

/// Parameters: key, finding, words, reason, run id. A run that is gone keeps nothing.
pub(crate) const KEEP: &str = "INSERT INTO judgements(key, run, finding, words, reason) \
     SELECT ?1, no, ?2, ?3, ?4 FROM runs WHERE id = ?5 \
     ON CONFLICT(key) DO UPDATE SET run = excluded.run, finding = excluded.finding, words = excluded.words, \
     reason = excluded.reason";

/// Keys asked for at once.
pub(crate) const AT_ONCE: usize = 16;

/// Parameters: [`AT_ONCE`] keys.
pub(crate) const KNOWN: &str = "SELECT key, finding, words, reason FROM judgements \
     WHERE key IN (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/// What a judge found of one statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredJudgement {
    /// The digest of everything that the judge was shown.
    pub key: [u8; 32],
    /// The finding's word.
    pub finding: String,
    /// The words of the source that decided.
    pub words: String,
    /// Why, in a sentence.
    pub reason: String,
}

impl StoredJudgement {
    pub(crate) fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        let key: Vec<u8> = row.try_get(0)?;
        let key = key.try_into().map_err(|_| sqlx::Error::Decode("a key of another length".into()))?;
        Ok(Self { key, finding: row.try_get(1)?, words: row.try_get(2)?, reason: row.try_get(3)? })
    }
}
