//! What orders sessions besides their own row: labels, and the sources of their setup.

use crate::schema::Migration;

// What a person set as JSON is projected into columns and rows by triggers, so that conditions over many sessions read
// narrow rows. A setup that is no JSON projects to nothing.
pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 5,
    sql: "CREATE TABLE session_labels(
            session INTEGER NOT NULL REFERENCES sessions(no) ON DELETE CASCADE,
            entry TEXT NOT NULL,
            id TEXT NOT NULL,
            PRIMARY KEY(session, entry)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX session_labels_by_id ON session_labels(id, session);
          CREATE TABLE session_sources(
            session INTEGER NOT NULL REFERENCES sessions(no) ON DELETE CASCADE,
            slug TEXT NOT NULL,
            PRIMARY KEY(session, slug)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX session_sources_by_slug ON session_sources(slug, session);
          CREATE TRIGGER sessions_set_up AFTER UPDATE OF setup ON sessions WHEN json_valid(NEW.setup)
          BEGIN
            UPDATE sessions SET mode = coalesce(json_extract(NEW.setup, '$.mode'), '') WHERE no = NEW.no;
            DELETE FROM session_sources WHERE session = NEW.no;
            INSERT OR IGNORE INTO session_sources(session, slug)
              SELECT NEW.no, value FROM json_each(NEW.setup, '$.sources') WHERE type = 'text';
          END;
          UPDATE sessions SET setup = setup WHERE setup <> '';",
}];

/// Parameters: session id, entry, label id.
pub(crate) const ADD: &str = "INSERT INTO session_labels(session, entry, id) \
     SELECT no, ?, ? FROM sessions WHERE id = ? ON CONFLICT DO NOTHING;";

/// Parameters: session id, label id.
pub(crate) const REMOVE_ID: &str =
    "DELETE FROM session_labels WHERE session = (SELECT no FROM sessions WHERE id = ?) AND id = ?;";

/// Parameters: session id, entry.
pub(crate) const REMOVE_ENTRY: &str =
    "DELETE FROM session_labels WHERE session = (SELECT no FROM sessions WHERE id = ?) AND entry = ?;";

/// Parameters: workspace, label id. Everywhere in the workspace.
pub(crate) const REMOVE_EVERYWHERE: &str = "DELETE FROM session_labels WHERE id = ?2 \
     AND session IN (SELECT no FROM sessions WHERE workspace = ?1)";

/// Parameters: the new id, the workspace, the old id.
pub(crate) const REPLACE_EVERYWHERE: &str = "INSERT INTO session_labels(session, entry, id) \
     SELECT DISTINCT l.session, ?1, ?1 FROM session_labels l JOIN sessions s ON s.no = l.session \
     WHERE l.id = ?3 AND s.workspace = ?2 \
     AND NOT EXISTS (SELECT 1 FROM session_labels o WHERE o.session = l.session AND o.id = ?1) ON CONFLICT DO NOTHING";
