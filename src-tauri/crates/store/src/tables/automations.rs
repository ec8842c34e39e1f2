//! Automations: which the person enabled, what they did, and requests that wait for another attempt.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::schema::Migration;

// Enabling is bound to the digest of what the person saw. `automation_sessions` says which sessions were begun by one.
pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 5,
    sql: "CREATE TABLE automations(
            workspace TEXT NOT NULL,
            id TEXT NOT NULL,
            digest TEXT NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY(workspace, id)
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE automation_history(
            no INTEGER PRIMARY KEY,
            workspace TEXT NOT NULL,
            automation TEXT NOT NULL,
            at INTEGER NOT NULL,
            ms INTEGER NOT NULL,
            event TEXT NOT NULL,
            outcome TEXT NOT NULL,
            detail TEXT NOT NULL,
            session TEXT,
            run TEXT
          ) STRICT;
          CREATE INDEX automation_history_by_one ON automation_history(workspace, automation, no);
          CREATE TABLE automation_sessions(
            session INTEGER PRIMARY KEY REFERENCES sessions(no) ON DELETE CASCADE,
            workspace TEXT NOT NULL,
            automation TEXT NOT NULL,
            depth INTEGER NOT NULL
          ) STRICT;
          CREATE TABLE webhook_retries(
            no INTEGER PRIMARY KEY,
            workspace TEXT NOT NULL,
            automation TEXT NOT NULL,
            digest TEXT NOT NULL,
            action INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            due INTEGER NOT NULL,
            occurrence TEXT NOT NULL
          ) STRICT;
          CREATE INDEX webhook_retries_by_due ON webhook_retries(due);
          CREATE TABLE automation_clock(one INTEGER PRIMARY KEY CHECK(one = 1), at INTEGER NOT NULL) STRICT;",
}];

/// Parameters: workspace, id, digest, at.
pub(crate) const ENABLE: &str =
    "INSERT OR REPLACE INTO automations(workspace, id, digest, at) VALUES(?, ?, ?, ?)";

/// Parameters: workspace, id.
pub(crate) const DISABLE: &str = "DELETE FROM automations WHERE workspace = ? AND id = ?";

/// Parameters: workspace, id.
pub(crate) const DROP_RETRIES: &str = "DELETE FROM webhook_retries WHERE workspace = ? AND automation = ?";

/// Parameter: workspace.
pub(crate) const ENABLED: &str = "SELECT id, digest, at FROM automations WHERE workspace = ?";

/// Parameters: workspace, automation, at, ms, event, outcome, detail, session, run.
pub(crate) const NOTE: &str = "INSERT INTO automation_history(workspace, automation, at, ms, event, outcome, detail, session, run) \
     VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)";

/// Parameters: workspace, automation. Keeps the newest 20 of one.
pub(crate) const CUT_ONE: &str = "DELETE FROM automation_history WHERE no IN \
     (SELECT no FROM automation_history WHERE workspace = ? AND automation = ? ORDER BY no DESC LIMIT -1 OFFSET 20)";

/// Keeps the newest 1,000 of all.
pub(crate) const CUT_ALL: &str = "DELETE FROM automation_history WHERE no IN \
     (SELECT no FROM automation_history ORDER BY no DESC LIMIT -1 OFFSET 1000)";

/// Parameters: workspace, automation, most.
pub(crate) const HISTORY: &str = "SELECT no, automation, at, ms, event, outcome, detail, session, run FROM automation_history \
     WHERE workspace = ?1 AND (?2 = '' OR automation = ?2) ORDER BY no DESC LIMIT ?3";

/// Parameters: workspace, automation, depth, session id.
pub(crate) const BEGUN: &str = "INSERT OR REPLACE INTO automation_sessions(session, workspace, automation, depth) \
     SELECT no, ?, ?, ? FROM sessions WHERE id = ?";

/// Parameter: session id.
pub(crate) const BEGUN_BY: &str = "SELECT a.automation, a.depth FROM automation_sessions a \
     JOIN sessions s ON s.no = a.session WHERE s.id = ?";

/// Parameters: number, workspace, automation, digest, action, attempt, due, occurrence.
pub(crate) const RETRY: &str = "INSERT INTO webhook_retries(no, workspace, automation, digest, action, attempt, due, occurrence) \
     VALUES(?, ?, ?, ?, ?, ?, ?, ?)";

/// Keeps the newest 200 requests that wait.
pub(crate) const CUT_RETRIES: &str = "DELETE FROM webhook_retries WHERE no IN \
     (SELECT no FROM webhook_retries ORDER BY no DESC LIMIT -1 OFFSET 200)";

/// Parameters: attempt, due, no.
pub(crate) const POSTPONE: &str = "UPDATE webhook_retries SET attempt = ?, due = ? WHERE no = ?";

/// Parameter: no.
pub(crate) const RETRIED: &str = "DELETE FROM webhook_retries WHERE no = ?";

/// The ones due first.
pub(crate) const RETRIES: &str = "SELECT no, workspace, automation, digest, action, attempt, due, occurrence \
     FROM webhook_retries ORDER BY due, no LIMIT 200";

/// Parameter: at.
pub(crate) const SET_CLOCK: &str = "INSERT OR REPLACE INTO automation_clock(one, at) VALUES(1, ?)";

/// When schedules were last looked at.
pub(crate) const CLOCK: &str = "SELECT at FROM automation_clock WHERE one = 1";

/// An automation that the person enabled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enabled {
    /// Its id.
    pub id: String,
    /// Of what the person saw.
    pub digest: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

impl Enabled {
    pub(crate) fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        Ok(Self { id: row.try_get(0)?, digest: row.try_get(1)?, at: row.try_get(2)? })
    }
}

/// Something that an automation did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutomationEffect {
    /// Its place in the history; given by the store.
    pub no: i64,
    /// The automation.
    pub automation: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// How long it took, in milliseconds.
    pub ms: i64,
    /// What it waited for.
    pub event: String,
    /// How it went, in a word of its owner's.
    pub outcome: String,
    /// The same in a sentence.
    pub detail: String,
    /// The session that it began or wrote to.
    pub session: Option<String>,
    /// The turn or run that it began.
    pub run: Option<String>,
}

impl AutomationEffect {
    pub(crate) fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        Ok(Self {
            no: row.try_get(0)?,
            automation: row.try_get(1)?,
            at: row.try_get(2)?,
            ms: row.try_get(3)?,
            event: row.try_get(4)?,
            outcome: row.try_get(5)?,
            detail: row.try_get(6)?,
            session: row.try_get(7)?,
            run: row.try_get(8)?,
        })
    }
}

/// A request that waits for another attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRetry {
    /// Its number, given by its owner: a later one is higher.
    pub no: i64,
    /// Its workspace.
    pub workspace: String,
    /// Its automation.
    pub automation: String,
    /// What the automation said when it fired.
    pub digest: String,
    /// Which of its actions.
    pub action: u32,
    /// How many waits for later it has had; 0 while the first attempts are made.
    pub attempt: u32,
    /// When it is tried again, in milliseconds since 1970.
    pub due: i64,
    /// What happened, as its owner writes it; holds no secret.
    pub occurrence: String,
}

impl WebhookRetry {
    pub(crate) fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        let small = |number: i64| u32::try_from(number).unwrap_or_default();
        Ok(Self {
            no: row.try_get(0)?,
            workspace: row.try_get(1)?,
            automation: row.try_get(2)?,
            digest: row.try_get(3)?,
            action: small(row.try_get(4)?),
            attempt: small(row.try_get(5)?),
            due: row.try_get(6)?,
            occurrence: row.try_get(7)?,
        })
    }
}
