BEGIN IMMEDIATE;
CREATE TABLE sessions(
            no INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            created_at INTEGER NOT NULL,
            title TEXT NOT NULL
          ) STRICT;
CREATE TABLE runs(
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
          CREATE INDEX runs_by_status ON runs(status);
CREATE TABLE run_events(
            no INTEGER PRIMARY KEY,
            run INTEGER NOT NULL REFERENCES runs(no) ON DELETE CASCADE,
            seq_first INTEGER NOT NULL,
            seq_last INTEGER NOT NULL,
            at INTEGER NOT NULL,
            codec INTEGER NOT NULL,
            events BLOB NOT NULL,
            UNIQUE(run, seq_first)
          ) STRICT;
CREATE TABLE blobs(
            no INTEGER PRIMARY KEY,
            hash BLOB NOT NULL UNIQUE CHECK(length(hash) = 32),
            size INTEGER NOT NULL,
            codec INTEGER NOT NULL,
            data BLOB NOT NULL
          ) STRICT;
          CREATE TABLE run_blobs(
            run INTEGER NOT NULL REFERENCES runs(no) ON DELETE CASCADE,
            blob INTEGER NOT NULL REFERENCES blobs(no),
            PRIMARY KEY(run, blob)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX run_blobs_by_blob ON run_blobs(blob);
          CREATE TRIGGER run_blobs_last_reference AFTER DELETE ON run_blobs
          WHEN NOT EXISTS (SELECT 1 FROM run_blobs WHERE blob = OLD.blob)
          BEGIN
            DELETE FROM blobs WHERE no = OLD.blob;
          END;
PRAGMA user_version = 1;
COMMIT;