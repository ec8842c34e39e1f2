//! A run owns an event log and refers to blobs.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::codec::Unpacker;
use crate::commit::MAX_META_BYTES;
use crate::schema::Migration;

// `no` grows with creation, so it pages the list without an index of its own and without a clock.
pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: "CREATE TABLE runs(
            no INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            session INTEGER NOT NULL REFERENCES sessions(no) ON DELETE CASCADE,
            agent TEXT NOT NULL,
            status TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            title TEXT NOT NULL,
            previous_run TEXT,
            meta_codec INTEGER NOT NULL,
            meta BLOB NOT NULL
          ) STRICT;
          CREATE INDEX runs_by_session ON runs(session);
          CREATE INDEX runs_by_status ON runs(status);",
}];

// The session's row follows its newest run in the same transaction, whatever changes the run. A session moves to the top of
// the list when a run begins or its status changes, not with every line, so that runs side by side do not shuffle it. These
// come after the tables: a step may not refer to columns that a later one adds.
pub(crate) const PROJECTION: &[Migration] = &[Migration {
    version: 2,
    sql: "ALTER TABLE runs ADD COLUMN line TEXT NOT NULL DEFAULT '';
          ALTER TABLE runs ADD COLUMN words TEXT NOT NULL DEFAULT '';
          UPDATE runs SET words = lower(title);
          CREATE INDEX runs_by_agent ON runs(agent, session);
          CREATE TRIGGER runs_begun AFTER INSERT ON runs
          BEGIN
            UPDATE sessions SET runs = runs + 1, latest_run = NEW.id, latest_agent = NEW.agent,
              latest_status = NEW.status, latest_line = NEW.line, updated_at = NEW.updated_at,
              place = (SELECT max(place) + 1 FROM sessions)
            WHERE no = NEW.session;
          END;
          CREATE TRIGGER runs_went_on AFTER UPDATE OF status, line ON runs
          WHEN NEW.status <> OLD.status OR NEW.line <> OLD.line
          BEGIN
            UPDATE sessions SET latest_status = NEW.status, latest_line = NEW.line
            WHERE no = NEW.session AND latest_run = NEW.id;
            UPDATE sessions SET updated_at = NEW.updated_at, place = (SELECT max(place) + 1 FROM sessions)
            WHERE no = NEW.session AND NEW.status <> OLD.status;
          END;
          CREATE TRIGGER runs_gone AFTER DELETE ON runs
          BEGIN
            UPDATE sessions SET runs = runs - 1 WHERE no = OLD.session;
            UPDATE sessions SET latest_run = NULL, latest_agent = '', latest_status = '', latest_line = ''
            WHERE no = OLD.session AND latest_run = OLD.id;
            UPDATE sessions SET latest_run = last.id, latest_agent = last.agent, latest_status = last.status,
              latest_line = last.line
            FROM (SELECT id, agent, status, line FROM runs WHERE session = OLD.session ORDER BY no DESC LIMIT 1) AS last
            WHERE no = OLD.session AND latest_run IS NULL;
          END;",
}];

// Turns are runs of another kind; a child works for a stage of its parent and is listed with it alone.
pub(crate) const KINDS: &[Migration] = &[Migration {
    version: 4,
    sql: "ALTER TABLE runs ADD COLUMN kind TEXT NOT NULL DEFAULT 'run';
          ALTER TABLE runs ADD COLUMN parent TEXT;
          ALTER TABLE sessions ADD COLUMN latest_kind TEXT NOT NULL DEFAULT 'run';
          CREATE INDEX runs_by_parent ON runs(parent) WHERE parent IS NOT NULL;
          DROP TRIGGER runs_begun;
          CREATE TRIGGER runs_begun AFTER INSERT ON runs WHEN NEW.parent IS NULL
          BEGIN
            UPDATE sessions SET runs = runs + 1, latest_run = NEW.id, latest_agent = NEW.agent, latest_kind = NEW.kind,
              latest_status = NEW.status, latest_line = NEW.line, updated_at = NEW.updated_at,
              place = (SELECT max(place) + 1 FROM sessions)
            WHERE no = NEW.session;
          END;
          DROP TRIGGER runs_gone;
          CREATE TRIGGER runs_gone AFTER DELETE ON runs WHEN OLD.parent IS NULL
          BEGIN
            DELETE FROM runs WHERE parent = OLD.id;
            UPDATE sessions SET runs = runs - 1 WHERE no = OLD.session;
            UPDATE sessions SET latest_run = NULL, latest_agent = '', latest_status = '', latest_line = ''
            WHERE no = OLD.session AND latest_run = OLD.id;
            UPDATE sessions SET latest_run = last.id, latest_agent = last.agent, latest_status = last.status,
              latest_line = last.line, latest_kind = last.kind
            FROM (SELECT id, agent, status, line, kind FROM runs WHERE session = OLD.session AND parent IS NULL
              ORDER BY no DESC LIMIT 1) AS last
            WHERE no = OLD.session AND latest_run IS NULL;
          END;",
}];

/// What a run is found by.
pub(crate) const WORDS: &str = "iif(runs.words = '', runs.title, runs.words)";

/// Parameters: id, session id, agent, status, created_at, updated_at, title, line, words, previous run, kind, parent, codec,
/// meta.
pub(crate) const INSERT: &str = "INSERT INTO runs(id, session, agent, status, created_at, updated_at, title, line, words, \
     previous_run, kind, parent, meta_codec, meta, indexed) \
     VALUES(?, (SELECT no FROM sessions WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1);";

/// Parameters: updated_at, status, title, line, codec, meta (each of them NULL to keep it), id.
pub(crate) const UPDATE: &str = "UPDATE runs SET updated_at = coalesce(?, updated_at), \
     status = coalesce(?, status), title = coalesce(?, title), line = coalesce(?, line), \
     meta_codec = coalesce(?, meta_codec), meta = coalesce(?, meta) WHERE id = ?;";

/// Events, references and unshared blobs go with the run by cascade.
pub(crate) const DELETE: &str = "WITH RECURSIVE below(id) AS \
    (SELECT ? UNION SELECT runs.id FROM runs JOIN below ON runs.parent = below.id) \
    DELETE FROM runs WHERE id IN (SELECT id FROM below)";

/// No row: no such run. Otherwise its last sequence number, 0 when it has no event.
pub(crate) const HEAD: &str = "SELECT coalesce((SELECT max(seq_last) FROM run_events WHERE run = runs.no), 0) \
     FROM runs WHERE id = ?";

/// How many runs [`HEADS`] asks for.
pub(crate) const HEADS_AT_ONCE: usize = 16;

/// [`HEAD`] of many runs, with their ids.
pub(crate) const HEADS: &str = "SELECT id, coalesce((SELECT max(seq_last) FROM run_events WHERE run = runs.no), 0) \
     FROM runs WHERE id IN (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/// Column order of [`Run::from_row`]; filters are appended.
pub(crate) const SELECT: &str = "SELECT runs.no, runs.id, sessions.id, runs.agent, runs.status, \
     runs.created_at, runs.updated_at, runs.title, runs.previous_run, runs.meta_codec, runs.meta, runs.line, runs.kind, runs.parent \
     FROM runs JOIN sessions ON sessions.no = runs.session WHERE ";

/// What decides which turns of a session its conversation consists of, in the order of creation.
pub(crate) const LINKS: &str = "SELECT no, id, kind, previous_run FROM runs \
     WHERE session = (SELECT no FROM sessions WHERE id = ?) AND parent IS NULL ORDER BY no";

/// A run as a link of what its session holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunLink {
    /// Place in the list of runs.
    pub cursor: RunCursor,
    /// Its id.
    pub id: String,
    /// `run`, or another word of the caller.
    pub kind: String,
    /// Id of the run this one follows; it may have been deleted since.
    pub previous_run: Option<String>,
}

impl RunLink {
    pub(crate) fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        Ok(Self {
            cursor: RunCursor(row.try_get(0)?),
            id: row.try_get(1)?,
            kind: row.try_get(2)?,
            previous_run: row.try_get(3)?,
        })
    }
}

/// A stored run, without its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Id given by the caller.
    pub id: String,
    /// Id of the session it belongs to.
    pub session: String,
    /// Slug of the agent.
    pub agent: String,
    /// Status word of the caller; the store gives it no meaning.
    pub status: String,
    /// Milliseconds since 1970 as given by the caller; never used for ordering.
    pub created_at: i64,
    /// Milliseconds since 1970 as given by the caller.
    pub updated_at: i64,
    /// Title for people.
    pub title: String,
    /// Id of the run this one follows; it may have been deleted since.
    pub previous_run: Option<String>,
    /// One line on how it stands.
    pub line: String,
    /// `run`, or another word of the caller.
    pub kind: String,
    /// The run that it works for.
    pub parent: Option<String>,
    /// Opaque bytes of the caller.
    pub meta: Vec<u8>,
    /// Place in the list of runs.
    pub cursor: RunCursor,
}

/// Place of a run in the order of creation, independent of any clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunCursor(pub i64);

impl Run {
    pub(crate) fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        let meta = Unpacker::new()
            .unpack(row.try_get(9)?, row.try_get::<&[u8], _>(10)?, MAX_META_BYTES)
            .map_err(|error| sqlx::Error::Decode(error.into()))?
            .into_owned();
        Ok(Self {
            cursor: RunCursor(row.try_get(0)?),
            id: row.try_get(1)?,
            session: row.try_get(2)?,
            agent: row.try_get(3)?,
            status: row.try_get(4)?,
            created_at: row.try_get(5)?,
            updated_at: row.try_get(6)?,
            title: row.try_get(7)?,
            previous_run: row.try_get(8)?,
            line: row.try_get(11)?,
            kind: row.try_get(12)?,
            parent: row.try_get(13)?,
            meta,
        })
    }
}
