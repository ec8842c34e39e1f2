BEGIN IMMEDIATE;
CREATE TABLE judgements(
            key BLOB NOT NULL PRIMARY KEY,
            run INTEGER NOT NULL REFERENCES runs(no) ON DELETE CASCADE,
            finding TEXT NOT NULL,
            words TEXT NOT NULL,
            reason TEXT NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX judgements_by_run ON judgements(run);
PRAGMA user_version = 6;
COMMIT;