//! A session groups the runs of one conversation. Its row holds what a list of sessions shows.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::schema::Migration;
use crate::tables::passages::Role;

// `place` grows with every change of status, so it orders the list without a clock; `shelf` is where a session is kept.
// The newest run's columns are a projection of `runs`, kept by triggers (see `runs`): a list reads one table.
pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        sql: "CREATE TABLE sessions(
            no INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            created_at INTEGER NOT NULL,
            title TEXT NOT NULL
          ) STRICT;",
    },
    Migration {
        version: 2,
        sql: "ALTER TABLE sessions ADD COLUMN words TEXT NOT NULL DEFAULT '';
          ALTER TABLE sessions ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE sessions ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE sessions ADD COLUMN flagged INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE sessions ADD COLUMN unread INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE sessions ADD COLUMN deleted_at INTEGER;
          ALTER TABLE sessions ADD COLUMN shelf INTEGER GENERATED ALWAYS AS
            (CASE WHEN deleted_at IS NOT NULL THEN 2 WHEN archived THEN 1 ELSE 0 END) VIRTUAL;
          ALTER TABLE sessions ADD COLUMN runs INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE sessions ADD COLUMN latest_run TEXT;
          ALTER TABLE sessions ADD COLUMN latest_agent TEXT NOT NULL DEFAULT '';
          ALTER TABLE sessions ADD COLUMN latest_status TEXT NOT NULL DEFAULT '';
          ALTER TABLE sessions ADD COLUMN latest_line TEXT NOT NULL DEFAULT '';
          UPDATE sessions SET words = lower(title), updated_at = created_at;
          UPDATE sessions SET runs = own.number, updated_at = own.changed
            FROM (SELECT session, count(*) AS number, max(updated_at) AS changed FROM runs GROUP BY session) AS own
            WHERE own.session = sessions.no;
          UPDATE sessions SET latest_run = runs.id, latest_agent = runs.agent, latest_status = runs.status
            FROM runs JOIN (SELECT max(no) AS newest FROM runs GROUP BY session) AS last ON runs.no = last.newest
            WHERE runs.session = sessions.no;
          UPDATE sessions SET place = ranked.place
            FROM (SELECT no, row_number() OVER (ORDER BY updated_at, no) AS place FROM sessions) AS ranked
            WHERE ranked.no = sessions.no;
          CREATE UNIQUE INDEX sessions_by_place ON sessions(place);
          CREATE INDEX sessions_by_shelf ON sessions(shelf, place);
          CREATE INDEX sessions_by_status ON sessions(shelf, latest_status, place, flagged);
          CREATE INDEX sessions_flagged ON sessions(shelf, place) WHERE flagged;",
    },
    Migration {
        version: 3,
        sql: "ALTER TABLE sessions ADD COLUMN connection TEXT NOT NULL DEFAULT '';
          ALTER TABLE sessions ADD COLUMN model TEXT NOT NULL DEFAULT '';",
    },
    Migration { version: 4, sql: "ALTER TABLE sessions ADD COLUMN setup TEXT NOT NULL DEFAULT '';" },
    Migration {
        version: 5,
        sql: "ALTER TABLE sessions ADD COLUMN workspace TEXT NOT NULL DEFAULT 'default';
          ALTER TABLE sessions ADD COLUMN status TEXT NOT NULL DEFAULT '';
          ALTER TABLE sessions ADD COLUMN mode TEXT NOT NULL DEFAULT '';
          ALTER TABLE sessions ADD COLUMN archived_at INTEGER;
          ALTER TABLE sessions ADD COLUMN preview TEXT NOT NULL DEFAULT '';
          ALTER TABLE sessions ADD COLUMN messages INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE sessions ADD COLUMN last_role INTEGER;
          ALTER TABLE sessions ADD COLUMN last_message_at INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE sessions ADD COLUMN documents INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE sessions ADD COLUMN attachments INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE sessions ADD COLUMN input_tokens INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE sessions ADD COLUMN output_tokens INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE sessions ADD COLUMN context_tokens INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE sessions ADD COLUMN cost INTEGER NOT NULL DEFAULT 0;
          UPDATE sessions SET archived_at = updated_at WHERE archived;
          DROP INDEX sessions_by_shelf;
          DROP INDEX sessions_by_status;
          DROP INDEX sessions_flagged;
          CREATE INDEX sessions_by_shelf ON sessions(workspace, shelf, place);
          CREATE INDEX sessions_by_run ON sessions(workspace, shelf, latest_status, place, flagged);
          CREATE INDEX sessions_by_status ON sessions(workspace, shelf, status, place);
          CREATE INDEX sessions_flagged ON sessions(workspace, shelf, place) WHERE flagged;",
    },
    // The title as the index of words has it; empty where that is the title itself.
    Migration { version: 8, sql: "ALTER TABLE sessions ADD COLUMN title_key TEXT NOT NULL DEFAULT '';" },
];

/// Parameters: id, created_at, updated_at, title, words, key of the title. The first commit of a session creates it.
pub(crate) const INSERT_IF_ABSENT: &str = "INSERT INTO sessions(id, created_at, updated_at, title, words, title_key, place) \
     VALUES(?, ?, ?, ?, ?, ?, (SELECT coalesce(max(place), 0) + 1 FROM sessions)) ON CONFLICT(id) DO NOTHING;";

/// Parameter: id. What was put away comes back when something new begins in it.
pub(crate) const BRING_BACK: &str = "UPDATE sessions SET archived = 0, archived_at = NULL, deleted_at = NULL \
     WHERE id = ? AND (archived OR deleted_at IS NOT NULL);";

/// Parameter: run id. Something happened that the person has not seen.
pub(crate) const MARK_UNREAD: &str =
    "UPDATE sessions SET unread = 1 WHERE no = (SELECT session FROM runs WHERE id = ?);";

/// Parameters: connection, model, id. The first run's stay until the person switches.
pub(crate) const SET_MODEL_IF_ABSENT: &str =
    "UPDATE sessions SET connection = ?, model = ? WHERE id = ? AND connection = '';";

/// Parameters, each of them NULL to keep what is there: title, words, key of the title, flagged, unread, archived (0 or 1), the time, archived
/// again, status, connection, model, deleted (0 or 1); the time; id.
pub(crate) const UPDATE: &str = "UPDATE sessions SET title = coalesce(?, title), words = coalesce(?, words), \
     title_key = coalesce(?, title_key), flagged = coalesce(?, flagged), unread = coalesce(?, unread), \
     archived_at = CASE ? WHEN 1 THEN coalesce(archived_at, ?) WHEN 0 THEN NULL ELSE archived_at END, \
     archived = coalesce(?, archived), status = coalesce(?, status), \
     connection = coalesce(?, connection), model = coalesce(?, model), \
     deleted_at = CASE ? WHEN 1 THEN coalesce(deleted_at, ?) WHEN 0 THEN NULL ELSE deleted_at END WHERE id = ?;";

/// Parameter: id.
pub(crate) const EXISTS: &str = "SELECT 1 FROM sessions WHERE id = ?";

/// Parameters: workspace, id. A session's workspace stays when something is added to it.
pub(crate) const SET_WORKSPACE_IF_NEW: &str = "UPDATE sessions SET workspace = ? WHERE id = ? AND runs = 0;";

/// Parameters: workspace, id.
pub(crate) const SET_WORKSPACE: &str = "UPDATE sessions SET workspace = ? WHERE id = ?";

/// Parameters: status, workspace, the status before.
pub(crate) const REPLACE_STATUS: &str = "UPDATE sessions SET status = ? WHERE workspace = ? AND status = ?";

/// Parameters: setup, id.
pub(crate) const SET_SETUP: &str = "UPDATE sessions SET setup = ? WHERE id = ?";

/// The same when nothing was set.
pub(crate) const SET_SETUP_IF_ABSENT: &str = "UPDATE sessions SET setup = ? WHERE id = ? AND setup = '';";

/// Parameter: id.
pub(crate) const SETUP: &str = "SELECT setup FROM sessions WHERE id = ?";

/// Runs, their events and unshared blobs go with the session by cascade.
pub(crate) const DELETE: &str = "DELETE FROM sessions WHERE id = ?";

/// The same for one that was put into the trash.
pub(crate) const DELETE_FROM_TRASH: &str = "DELETE FROM sessions WHERE id = ? AND deleted_at IS NOT NULL";

/// Parameters: deleted before, most rows.
pub(crate) const TRASH: &str =
    "SELECT id FROM sessions WHERE shelf = 2 AND deleted_at < ? ORDER BY place LIMIT ?";

/// Column order of [`Session::from_row`]; filters are appended.
pub(crate) const SELECT: &str = "SELECT s.place, s.id, s.created_at, s.title, s.updated_at, s.flagged, s.unread, \
     s.archived, s.deleted_at, s.runs, s.latest_run, s.latest_agent, s.latest_status, s.latest_line, \
     EXISTS (SELECT 1 FROM drafts WHERE drafts.session = s.no), s.connection, s.model, s.latest_kind, s.workspace, \
     s.status, s.mode, s.preview, s.messages, \
     (SELECT group_concat(entry, char(10)) FROM session_labels WHERE session_labels.session = s.no), \
     s.archived_at, s.last_role, s.last_message_at, s.documents, s.attachments, s.input_tokens, s.output_tokens, \
     s.context_tokens, s.cost, \
     (SELECT group_concat(slug, char(10)) FROM session_sources WHERE session_sources.session = s.no) FROM sessions s WHERE ";

/// How many a workspace has by shelf and the newest run's status: shelf, status, flagged ones, all. Parameter: workspace.
pub(crate) const COUNTS: &str = "SELECT shelf, latest_status, sum(flagged), count(*) FROM sessions \
     WHERE workspace = ? GROUP BY shelf, latest_status";

/// A stored session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Id given by the caller.
    pub id: String,
    /// Milliseconds since 1970 as given by the caller; never used for ordering.
    pub created_at: i64,
    /// Milliseconds since 1970: the last change of a run's status.
    pub updated_at: i64,
    /// Title for people.
    pub title: String,
    /// Flagged by the person.
    pub flagged: bool,
    /// Something happened that the person has not seen.
    pub unread: bool,
    /// Put away.
    pub archived: bool,
    /// When it was put into the trash, in milliseconds since 1970.
    pub deleted_at: Option<i64>,
    /// How many runs it has.
    pub runs: u32,
    /// Its newest run.
    pub latest: Option<LatestRun>,
    /// Whether there is a draft for it.
    pub has_draft: bool,
    /// The slug of the connection that its next run takes; empty: nothing was set.
    pub connection: String,
    /// The model that its next run takes; empty: the connection's default.
    pub model: String,
    /// Its workspace.
    pub workspace: String,
    /// Its status' id; empty for the default one.
    pub status: String,
    /// Its permission mode as its setup says; empty for the default one.
    pub mode: String,
    /// The beginning of its first message.
    pub preview: String,
    /// How many messages it has.
    pub messages: u32,
    /// Its labels: ids, or ids with values.
    pub labels: Vec<String>,
    /// When it was archived, in milliseconds since 1970.
    pub archived_at: Option<i64>,
    /// Whose its last message is.
    pub last_role: Option<Role>,
    /// When that came, in milliseconds since 1970; 0 without one.
    pub last_message_at: i64,
    /// How many documents its runs made.
    pub documents: u32,
    /// How many messages came with files.
    pub attachments: u32,
    /// Tokens sent to models, cached ones included.
    pub input_tokens: u64,
    /// Tokens that models wrote.
    pub output_tokens: u64,
    /// Tokens of the newest request.
    pub context_tokens: u64,
    /// What it cost, in billionths of a dollar; what a flat rate paid for is left out.
    pub nano_usd: u64,
    /// The slugs of the sources that its setup names.
    pub sources: Vec<String>,
    /// Place in the list of sessions.
    pub cursor: SessionCursor,
}

/// The newest run of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatestRun {
    /// Its id.
    pub run: String,
    /// Slug of its agent.
    pub agent: String,
    /// Its status word.
    pub status: String,
    /// One line on how it stands.
    pub line: String,
    /// Its kind.
    pub kind: String,
}

/// Place of a session in the order of change, independent of any clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionCursor(pub i64);

impl Session {
    pub(crate) fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        let latest: Option<String> = row.try_get(10)?;
        Ok(Self {
            cursor: SessionCursor(row.try_get(0)?),
            id: row.try_get(1)?,
            created_at: row.try_get(2)?,
            title: row.try_get(3)?,
            updated_at: row.try_get(4)?,
            flagged: row.try_get::<i64, _>(5)? != 0,
            unread: row.try_get::<i64, _>(6)? != 0,
            archived: row.try_get::<i64, _>(7)? != 0,
            deleted_at: row.try_get(8)?,
            runs: u32::try_from(row.try_get::<i64, _>(9)?).unwrap_or_default(),
            latest: match latest {
                Some(run) => Some(LatestRun {
                    run,
                    agent: row.try_get(11)?,
                    status: row.try_get(12)?,
                    line: row.try_get(13)?,
                    kind: row.try_get(17)?,
                }),
                None => None,
            },
            has_draft: row.try_get::<i64, _>(14)? != 0,
            connection: row.try_get(15)?,
            model: row.try_get(16)?,
            workspace: row.try_get(18)?,
            status: row.try_get(19)?,
            mode: row.try_get(20)?,
            preview: row.try_get(21)?,
            messages: u32::try_from(row.try_get::<i64, _>(22)?).unwrap_or_default(),
            labels: lines(row.try_get(23)?),
            archived_at: row.try_get(24)?,
            last_role: row.try_get::<Option<i64>, _>(25)?.and_then(Role::from_number),
            last_message_at: row.try_get(26)?,
            documents: u32::try_from(row.try_get::<i64, _>(27)?).unwrap_or_default(),
            attachments: u32::try_from(row.try_get::<i64, _>(28)?).unwrap_or_default(),
            input_tokens: row.try_get::<i64, _>(29)?.max(0).cast_unsigned(),
            output_tokens: row.try_get::<i64, _>(30)?.max(0).cast_unsigned(),
            context_tokens: row.try_get::<i64, _>(31)?.max(0).cast_unsigned(),
            nano_usd: row.try_get::<i64, _>(32)?.max(0).cast_unsigned(),
            sources: lines(row.try_get(33)?),
        })
    }
}

/// What was put together by line breaks.
fn lines(text: Option<String>) -> Vec<String> {
    text.map(|text| text.split('\n').map(str::to_owned).collect()).unwrap_or_default()
}
