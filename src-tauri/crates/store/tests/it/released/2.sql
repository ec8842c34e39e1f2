BEGIN IMMEDIATE;
ALTER TABLE sessions ADD COLUMN words TEXT NOT NULL DEFAULT '';
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
          CREATE INDEX sessions_flagged ON sessions(shelf, place) WHERE flagged;
CREATE TABLE drafts(
            key TEXT NOT NULL PRIMARY KEY,
            session INTEGER REFERENCES sessions(no) ON DELETE CASCADE,
            text TEXT NOT NULL,
            updated_at INTEGER NOT NULL
          ) STRICT;
          CREATE INDEX drafts_by_session ON drafts(session) WHERE session IS NOT NULL;
ALTER TABLE runs ADD COLUMN line TEXT NOT NULL DEFAULT '';
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
          END;
PRAGMA user_version = 2;
COMMIT;