BEGIN IMMEDIATE;
ALTER TABLE sessions ADD COLUMN workspace TEXT NOT NULL DEFAULT 'default';
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
          CREATE INDEX sessions_flagged ON sessions(workspace, shelf, place) WHERE flagged;
CREATE TABLE earlier_drafts(
            no INTEGER PRIMARY KEY,
            key TEXT NOT NULL,
            session INTEGER REFERENCES sessions(no) ON DELETE CASCADE,
            text TEXT NOT NULL,
            at INTEGER NOT NULL
          ) STRICT;
          CREATE INDEX earlier_drafts_by_key ON earlier_drafts(key, no);
          CREATE INDEX earlier_drafts_by_session ON earlier_drafts(session) WHERE session IS NOT NULL;
CREATE TABLE retention_runs(
            no INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            archived TEXT NOT NULL,
            trashed TEXT NOT NULL,
            purged INTEGER NOT NULL,
            undone_at INTEGER
          ) STRICT;
CREATE TABLE session_labels(
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
          UPDATE sessions SET setup = setup WHERE setup <> '';
CREATE TABLE packs(
            no INTEGER PRIMARY KEY,
            run INTEGER NOT NULL REFERENCES runs(no) ON DELETE CASCADE,
            names BLOB NOT NULL,
            codec INTEGER NOT NULL,
            data BLOB NOT NULL
          ) STRICT;
          CREATE INDEX packs_by_run ON packs(run);
          CREATE TABLE pack_pieces(no INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
          CREATE TABLE packed(
            name BLOB NOT NULL,
            pack INTEGER NOT NULL,
            PRIMARY KEY(name, pack)
          ) STRICT, WITHOUT ROWID;
          CREATE TRIGGER packs_gone AFTER DELETE ON packs
          BEGIN
            DELETE FROM pack_pieces WHERE no BETWEEN OLD.no * 256 AND OLD.no * 256 + 255;
            DELETE FROM packed WHERE pack = OLD.no AND name IN (
              WITH RECURSIVE places(at) AS (
                SELECT 1 UNION ALL SELECT at + 6 FROM places WHERE at + 6 < length(OLD.names))
              SELECT substr(OLD.names, at, 6) FROM places);
          END;
ALTER TABLE runs ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;
          CREATE INDEX runs_unindexed ON runs(no) WHERE indexed = 0;
          CREATE TABLE passages(
            no INTEGER PRIMARY KEY,
            run INTEGER NOT NULL REFERENCES runs(no) ON DELETE CASCADE,
            role INTEGER NOT NULL,
            at INTEGER NOT NULL,
            step TEXT NOT NULL,
            text INTEGER NOT NULL,
            part INTEGER
          ) STRICT;
          CREATE INDEX passages_by_run ON passages(run);
          CREATE VIRTUAL TABLE passage_words USING fts5(
            text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
          INSERT INTO passage_words(passage_words, rank) VALUES('hashsize', 8388608);
          CREATE VIRTUAL TABLE title_words USING fts5(
            text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
          CREATE VIRTUAL TABLE title_terms USING fts5vocab(title_words, 'row');
          INSERT INTO title_words(rowid, text) SELECT no, title FROM sessions;
          CREATE TRIGGER sessions_titled AFTER INSERT ON sessions
          BEGIN
            INSERT INTO title_words(rowid, text) VALUES(NEW.no, NEW.title);
          END;
          CREATE TRIGGER sessions_renamed AFTER UPDATE OF title ON sessions WHEN NEW.title <> OLD.title
          BEGIN
            DELETE FROM title_words WHERE rowid = OLD.no;
            INSERT INTO title_words(rowid, text) VALUES(NEW.no, NEW.title);
          END;
          CREATE TRIGGER sessions_gone AFTER DELETE ON sessions
          BEGIN
            DELETE FROM title_words WHERE rowid = OLD.no;
          END;
          CREATE TRIGGER passages_gone AFTER DELETE ON passages
          BEGIN
            DELETE FROM passage_words WHERE rowid = OLD.no;
          END;
          CREATE TRIGGER runs_unsaid BEFORE DELETE ON runs
          BEGIN
            UPDATE sessions SET messages = messages - own.number, documents = documents - own.made
            FROM (SELECT count(*) AS number, coalesce(sum(role = 3), 0) AS made FROM passages WHERE run = OLD.no) AS own
            WHERE no = OLD.session;
          END;
          CREATE TRIGGER model_calls_counted AFTER INSERT ON model_calls
          BEGIN
            UPDATE sessions SET
              input_tokens = input_tokens + NEW.input + NEW.cache_read + NEW.cache_write,
              output_tokens = output_tokens + NEW.output,
              context_tokens = NEW.input + NEW.cache_read + NEW.cache_write,
              cost = cost + iif(NEW.flags & 1, 0, NEW.cost)
            WHERE id = NEW.session;
          END;
          UPDATE sessions SET input_tokens = own.input, output_tokens = own.output, cost = own.cost
            FROM (SELECT session, sum(input + cache_read + cache_write) AS input, sum(output) AS output,
              sum(iif(flags & 1, 0, cost)) AS cost FROM model_calls GROUP BY session) AS own
            WHERE own.session = sessions.id;
CREATE TABLE automations(
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
          CREATE TABLE automation_clock(one INTEGER PRIMARY KEY CHECK(one = 1), at INTEGER NOT NULL) STRICT;
CREATE TABLE imports(
            source BLOB NOT NULL PRIMARY KEY CHECK(length(source) = 32),
            session TEXT NOT NULL,
            done INTEGER NOT NULL,
            at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
PRAGMA user_version = 5;
COMMIT;