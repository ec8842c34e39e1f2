BEGIN IMMEDIATE;
ALTER TABLE sessions ADD COLUMN connection TEXT NOT NULL DEFAULT '';
          ALTER TABLE sessions ADD COLUMN model TEXT NOT NULL DEFAULT '';
CREATE TABLE model_call_kinds(
            no INTEGER PRIMARY KEY,
            agent TEXT NOT NULL,
            stage TEXT NOT NULL,
            connection TEXT NOT NULL,
            provider TEXT NOT NULL,
            model TEXT NOT NULL,
            UNIQUE(agent, stage, connection, provider, model)
          ) STRICT;
          CREATE TABLE model_calls(
            no INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            kind INTEGER NOT NULL REFERENCES model_call_kinds(no),
            flags INTEGER NOT NULL,
            input INTEGER NOT NULL,
            output INTEGER NOT NULL,
            thinking INTEGER NOT NULL,
            cache_read INTEGER NOT NULL,
            cache_write INTEGER NOT NULL,
            cache_write_long INTEGER NOT NULL,
            cost INTEGER NOT NULL,
            ms INTEGER NOT NULL,
            session TEXT NOT NULL,
            run TEXT NOT NULL,
            call TEXT NOT NULL,
            try INTEGER NOT NULL,
            request_id TEXT
          ) STRICT;
          CREATE INDEX model_calls_by_time ON model_calls(at);
          CREATE INDEX model_calls_by_session ON model_calls(session);
          CREATE INDEX model_calls_by_run ON model_calls(run);
PRAGMA user_version = 3;
COMMIT;