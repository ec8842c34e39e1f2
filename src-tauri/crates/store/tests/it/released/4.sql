BEGIN IMMEDIATE;
ALTER TABLE sessions ADD COLUMN setup TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN kind TEXT NOT NULL DEFAULT 'run';
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
          END;
CREATE TABLE grants(
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
          CREATE INDEX audit_by_session ON audit(session);
CREATE TABLE queue(
            id TEXT NOT NULL PRIMARY KEY,
            session INTEGER NOT NULL REFERENCES sessions(no) ON DELETE CASCADE,
            place INTEGER NOT NULL,
            at INTEGER NOT NULL,
            message TEXT NOT NULL
          ) STRICT;
          CREATE INDEX queue_by_session ON queue(session, place);
CREATE TABLE pins(
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
          CREATE INDEX source_checks_by_source ON source_checks(source, no);
PRAGMA user_version = 4;
COMMIT;