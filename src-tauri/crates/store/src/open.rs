//! From a file of unknown content to a database that can be trusted.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row};

use crate::commit::title_key;
use crate::data_dir::{DataDir, LastEnd, create_private, private_file};
use crate::error::{Result, StoreError, from_io};
use crate::schema::{APPLICATION_ID, Schema};
use crate::tables::passages;

/// After this many milliseconds a lock held by a foreign program is reported.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// A process that was killed cannot tear pages, so after it the check is only made where it costs nearly
/// nothing. After a machine went down it is made whatever it costs.
const CHEAP_CHECK_BYTES: u64 = 1 << 20;

// The application id goes into the main file before the switch to WAL, so that the header alone tells
// whose file it is; in the transaction that makes the file's first page, so that no kill leaves a file
// without it. 4096: measured, see `examples/measure_store.rs`.
pub(crate) const CREATE: &str = "PRAGMA page_size = 4096; BEGIN; PRAGMA auto_vacuum = INCREMENTAL; \
     PRAGMA application_id = 1097289332; COMMIT";

// Checkpoints are made by the writer: those SQLite makes by itself hide their I/O errors. What is deleted is overwritten.
const CONFIGURE: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; \
     PRAGMA checkpoint_fullfsync = ON; PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 8388608; \
     PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536; PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA user_version";

/// Statements that stay prepared: those of the tables with many rows are there for each number of rows.
const STATEMENTS: usize = 256;

/// Options of every connection of this crate. Statements are not logged: their values are the user's.
pub(crate) fn options(dir: &DataDir) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(dir.database())
        .busy_timeout(BUSY_TIMEOUT)
        .statement_cache_capacity(STATEMENTS)
        .thread_name(|n| format!("store-{n}"))
        .disable_statement_logging()
}

/// Opens, checks and if need be creates or migrates the database; returns the writer's connection.
pub(crate) async fn open_writer(dir: &DataDir, stamp: &str, schema: &Schema) -> Result<SqliteConnection> {
    check_stamp(stamp)?;
    let state = inspect(dir, schema)?;
    if state == State::Absent {
        let path = dir.database();
        private_file(&path).map_err(|error| from_io("creating the database", &path, &error))?;
    }
    let failed = |error: sqlx::Error| dir.failure("opening the database", &error);
    let mut db = options(dir).connect().await.map_err(failed)?;
    // Also for a file whose creation was interrupted: its first transaction may just have been rolled back.
    if state != State::Migrated {
        sqlx::raw_sql(CREATE).execute(&mut db).await.map_err(failed)?;
    }
    let rows: Vec<SqliteRow> = sqlx::raw_sql(CONFIGURE).fetch_all(&mut db).await.map_err(failed)?;
    let mode: String = first(rows.first(), dir)?;
    if mode != "wal" {
        return Err(StoreError::BadPath {
            path: dir.path().to_owned(),
            detail: "its file system cannot hold a write-ahead log; use a local disk".to_owned(),
        });
    }
    let version: u32 = first(rows.last(), dir)?;
    if version > schema.version {
        return Err(StoreError::Newer { found: version, supported: schema.version });
    }
    check_after_unclean_end(dir, &mut db).await?;
    migrate(dir, &mut db, version, stamp, schema).await?;
    Ok(db)
}

fn first<'r, T>(row: Option<&'r SqliteRow>, dir: &DataDir) -> Result<T>
where
    T: sqlx::Decode<'r, sqlx::Sqlite> + sqlx::Type<sqlx::Sqlite>,
{
    row.ok_or(sqlx::Error::RowNotFound)
        .and_then(|row| row.try_get(0))
        .map_err(|error| dir.failure("configuring the database", &error))
}

/// What a look at the main file tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// There is none, or it is empty.
    Absent,
    /// It is ours; its schema may still be on its way.
    Begun,
    /// It is ours and has a schema this build knows.
    Migrated,
}

/// Looks at the file without SQLite, so that a file which is not ours is not touched.
fn inspect(dir: &DataDir, schema: &Schema) -> Result<State> {
    let path = dir.database();
    let foreign = |detail: String| Err(StoreError::Foreign { path: path.clone(), detail });
    let read = |error: std::io::Error| from_io("reading the database's header", &path, &error);
    let mut header = Vec::with_capacity(100);
    match File::open(&path) {
        Ok(file) => {
            if !file.metadata().map_err(read)?.is_file() {
                return foreign("it is not a regular file".to_owned());
            }
            file.take(100).read_to_end(&mut header).map_err(read)?;
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(read(error)),
    }
    if header.is_empty() {
        // SQLite would throw the log away as not belonging to anything.
        if length(&dir.write_ahead_log()) > 0 {
            return Err(dir.corrupt("the file is empty or missing beside its write-ahead log"));
        }
        return Ok(State::Absent);
    }
    if header.len() < 100 || !header.starts_with(b"SQLite format 3\0") {
        return foreign("it is not an SQLite file".to_owned());
    }
    let number = |at: usize| header[at..at + 4].iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
    let (version, application) = (number(60), number(68));
    if application != APPLICATION_ID {
        return foreign(format!("its application id is {application:#010x}"));
    }
    if version > schema.version {
        return Err(StoreError::Newer { found: version, supported: schema.version });
    }
    Ok(if version == 0 { State::Begun } else { State::Migrated })
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |meta| meta.len())
}

async fn check_after_unclean_end(dir: &DataDir, db: &mut SqliteConnection) -> Result<()> {
    let log = length(&dir.write_ahead_log());
    let due = match dir.last_end() {
        // A clean end leaves no log behind: these files came here in some other way.
        LastEnd::Clean => log > 0,
        LastEnd::Killed => length(&dir.database()) + log <= CHEAP_CHECK_BYTES,
        LastEnd::Unknown => true,
    };
    if !due {
        return Ok(());
    }
    let verdict: String = sqlx::query_scalar("PRAGMA quick_check(1)")
        .fetch_one(db)
        .await
        .map_err(|error| dir.failure("checking the database", &error))?;
    if verdict == "ok" { Ok(()) } else { Err(dir.corrupt(verdict)) }
}

async fn migrate(
    dir: &DataDir,
    db: &mut SqliteConnection,
    from: u32,
    stamp: &str,
    schema: &Schema,
) -> Result<()> {
    if from == schema.version {
        return Ok(());
    }
    if from > 0 {
        back_up(dir, db, from, stamp).await?;
    }
    let failed = |error: sqlx::Error| dir.failure("migrating the database", &error);
    for version in from + 1..=schema.version {
        if let Err(error) = sqlx::raw_sql(AssertSqlSafe(schema.script(version))).execute(&mut *db).await {
            // What matters is the first error; the connection is given up and with it the transaction.
            let _ = sqlx::raw_sql("ROLLBACK").execute(&mut *db).await;
            return Err(failed(error));
        }
    }
    if (1..KEYED_TITLES).contains(&from) && schema.version >= KEYED_TITLES {
        key_titles(db).await.map_err(failed)?;
    }
    // Brings the version into the main file, where `inspect` of any release reads it.
    sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut *db).await.map_err(failed)?;
    Ok(())
}

/// The version from which on titles are analysed before they are indexed.
const KEYED_TITLES: u32 = 8;

/// Analyses the titles that were there before. Those that this does not come to are found by their words as they were before.
async fn key_titles(db: &mut SqliteConnection) -> sqlx::Result<()> {
    let titles: Vec<(i64, String)> = sqlx::query_as(passages::UNKEYED_TITLES).fetch_all(&mut *db).await?;
    let mut transaction = db.begin().await?;
    for (no, title) in titles {
        let key = title_key(&title);
        sqlx::query(passages::SET_TITLE_KEY).bind(key).bind(no).execute(&mut *transaction).await?;
    }
    transaction.commit().await
}

/// Copies the database as it is now to `backups/agentnative-v<version>-<stamp>.db`, synced.
async fn back_up(dir: &DataDir, db: &mut SqliteConnection, version: u32, stamp: &str) -> Result<()> {
    let folder = dir.backups();
    create_private(&folder)?;
    let mut target = folder.join(format!("agentnative-v{version}-{stamp}.db"));
    let mut copy = 1;
    while target.exists() {
        copy += 1;
        target = folder.join(format!("agentnative-v{version}-{stamp}-{copy}.db"));
    }
    let path = target.to_str().map(str::to_owned).unwrap_or_default();
    sqlx::query("VACUUM INTO ?")
        .bind(path)
        .execute(db)
        .await
        .map_err(|error| dir.failure("copying the database before its migration", &error))?;
    support::sync_file(&target).map_err(|error| from_io("syncing the backup", &target, &error))?;
    support::sync_folder(&folder).map_err(|error| from_io("syncing the backup folder", &folder, &error))
}

fn check_stamp(stamp: &str) -> Result<()> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if stamp.is_empty() || stamp.len() > 64 || !stamp.bytes().all(plain) {
        return Err(StoreError::Invalid {
            detail: "a stamp has 1 to 64 letters, digits, dots, dashes or underscores".to_owned(),
        });
    }
    Ok(())
}

/// Closes a connection in order; the last one of a database also empties and removes the log.
pub(crate) async fn close(dir: &DataDir, db: SqliteConnection) -> Result<()> {
    db.close().await.map_err(|error| dir.failure("closing the database", &error))
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use tempfile::TempDir;

    use super::*;
    use crate::schema::{Migration, SCHEMA_VERSION};
    use crate::tables::{blobs, drafts, model_calls, run_events, runs, sessions};
    use crate::{Commit, NewRun, NewSession, RunChange, SessionFilter, Store};

    /// What the first release wrote.
    const FIRST: Schema = Schema { version: 1, ..Schema::CURRENT };
    const SECOND: Schema = Schema { version: 2, ..Schema::CURRENT };
    const NEXT: Schema = Schema {
        version: SCHEMA_VERSION + 1,
        tables: &[
            sessions::MIGRATIONS,
            runs::MIGRATIONS,
            run_events::MIGRATIONS,
            blobs::MIGRATIONS,
            drafts::MIGRATIONS,
            runs::PROJECTION,
            model_calls::MIGRATIONS,
            &[Migration {
                version: SCHEMA_VERSION + 1,
                sql: "CREATE TABLE labels(no INTEGER PRIMARY KEY) STRICT;",
            }],
        ],
    };
    const BROKEN: Schema = Schema {
        version: SCHEMA_VERSION + 1,
        tables: &[&[
            Migration {
                version: SCHEMA_VERSION + 1,
                sql: "CREATE TABLE half(no INTEGER PRIMARY KEY) STRICT;",
            },
            Migration {
                version: SCHEMA_VERSION + 1,
                sql: "CREATE TABLE runs(no INTEGER PRIMARY KEY) STRICT;",
            },
        ]],
    };

    fn first_commit() -> Commit {
        let session = NewSession { id: "s".to_owned(), title: String::new(), ..NewSession::default() };
        let new = NewRun {
            session,
            agent: "a".to_owned(),
            status: "running".to_owned(),
            title: "t".to_owned(),
            ..NewRun::default()
        };
        Commit {
            run: "r".to_owned(),
            seq_last: 1,
            events: b"begun".to_vec(),
            change: RunChange::Create(new),
            ..Commit::default()
        }
    }

    async fn with_one_run(home: &TempDir) -> DataDir {
        let dir = DataDir::open(home.path()).expect("locks");
        let store = Store::open(&dir, "t0").await.expect("opens");
        store.commit(first_commit()).await.expect("commits");
        store.close().await.expect("closes");
        dir
    }

    async fn tables(path: &Path) -> Vec<String> {
        let options = SqliteConnectOptions::new().filename(path).read_only(true);
        let mut db = options.connect().await.expect("connects");
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
        sqlx::query_scalar(sql).fetch_all(&mut db).await.expect("lists")
    }

    #[test]
    fn the_statements_set_the_id_that_is_checked() {
        assert!(CREATE.contains(&format!("application_id = {APPLICATION_ID};")));
    }

    #[tokio::test]
    async fn an_older_database_is_copied_before_it_is_migrated() {
        let home = TempDir::new().expect("a directory");
        let dir = with_one_run(&home).await;
        let store = Store::open_at(&dir, "20260102-0304", &NEXT).await.expect("migrates");
        assert_eq!(store.load_events("r").await.expect("loads").len(), 1);
        store.close().await.expect("closes");
        assert!(tables(&dir.database()).await.contains(&"labels".to_owned()));

        let copy = dir.backups().join(format!("agentnative-v{SCHEMA_VERSION}-20260102-0304.db"));
        assert!(!tables(&copy).await.contains(&"labels".to_owned()));
        let elsewhere = TempDir::new().expect("a directory");
        fs::copy(&copy, elsewhere.path().join("agentnative.db")).expect("copies");
        let restored = DataDir::open(elsewhere.path()).expect("locks");
        let store = Store::open(&restored, "t").await.expect("the copy opens in the older release");
        assert_eq!(store.load_events("r").await.expect("loads")[0].bytes, b"begun");
    }

    #[tokio::test]
    async fn what_the_first_release_wrote_gets_its_list_of_sessions() {
        let home = TempDir::new().expect("a directory");
        let dir = DataDir::open(home.path()).expect("locks");
        let mut db = open_writer(&dir, "t0", &FIRST).await.expect("opens");
        let rows = "INSERT INTO sessions(id, created_at, title) VALUES('a', 10, 'Älteste'), ('b', 20, 'B'), ('c', 30, 'C');
             INSERT INTO runs(id, session, agent, status, created_at, updated_at, title, meta_codec, meta) VALUES
               ('a1', 1, 'x', 'completed', 11, 12, 'First Question', 0, x''),
               ('b1', 2, 'x', 'failed', 21, 22, 'q', 0, x''),
               ('a2', 1, 'y', 'paused', 40, 99, 'q', 0, x'');
             INSERT INTO run_events(run, seq_first, seq_last, at, codec, events) VALUES(1, 1, 1, 11, 0, x'31');";
        sqlx::raw_sql(rows).execute(&mut db).await.expect("writes");
        close(&dir, db).await.expect("closes");

        let store = Store::open(&dir, "t1").await.expect("migrates");
        let page = store.list_sessions(&SessionFilter::default(), None, 10).await.expect("lists");
        let rows: Vec<_> = page
            .sessions
            .iter()
            .map(|row| {
                (row.id.as_str(), row.updated_at, row.runs, row.latest.as_ref().map(|run| run.run.as_str()))
            })
            .collect();
        assert_eq!(rows, [("a", 99, 2, Some("a2")), ("c", 30, 0, None), ("b", 22, 1, Some("b1"))]);
        let latest = page.sessions[0].latest.as_ref().expect("a run");
        assert_eq!(
            (latest.agent.as_str(), latest.status.as_str(), latest.line.as_str()),
            ("y", "paused", "")
        );
        let asked = SessionFilter { text: Some("first QUESTION".to_owned()), ..SessionFilter::default() };
        assert_eq!(store.list_sessions(&asked, None, 10).await.expect("lists").sessions.len(), 1);
        assert_eq!(store.load_events("a1").await.expect("loads")[0].bytes, b"1");
        store.integrity_check().await.expect("is sound");
        let again = Commit { run: "c1".to_owned(), ..first_commit() };
        store.commit(again).await.expect("goes on");
        store.close().await.expect("closes");
        assert!(dir.backups().join("agentnative-v1-t1.db").exists());
    }

    #[tokio::test]
    async fn what_the_second_release_wrote_gets_a_place_for_usage() {
        let home = TempDir::new().expect("a directory");
        let dir = DataDir::open(home.path()).expect("locks");
        let mut db = open_writer(&dir, "t0", &SECOND).await.expect("opens");
        let rows = "INSERT INTO sessions(id, created_at, title, words, place, updated_at, flagged)
               VALUES('a', 10, 'Älteste', 'älteste', 1, 12, 1);
             INSERT INTO runs(id, session, agent, status, created_at, updated_at, title, meta_codec, meta, line, words)
               VALUES('a1', 1, 'x', 'paused', 11, 12, 'Q', 0, x'', 'one question', 'q');
             INSERT INTO run_events(run, seq_first, seq_last, at, codec, events) VALUES(1, 1, 1, 11, 0, x'31');
             INSERT INTO drafts(key, session, text, updated_at) VALUES('a', 1, 'typed', 13);";
        sqlx::raw_sql(rows).execute(&mut db).await.expect("writes");
        close(&dir, db).await.expect("closes");

        let store = Store::open(&dir, "t1").await.expect("migrates");
        let row = store.get_session("a").await.expect("reads").expect("there");
        assert_eq!((row.title.as_str(), row.flagged, row.has_draft, row.runs), ("Älteste", true, true, 1));
        assert_eq!((row.connection.as_str(), row.model.as_str()), ("", ""));
        assert_eq!(store.load_events("a1").await.expect("loads")[0].bytes, b"1");
        let call = crate::NewModelCall { stage: "plan".to_owned(), ..crate::NewModelCall::default() };
        let next = Commit {
            run: "a1".to_owned(),
            expect_seq: 1,
            seq_last: 2,
            change: RunChange::Keep,
            ..first_commit()
        };
        store.commit(Commit { model_calls: vec![call], ..next }).await.expect("goes on");
        let sums = store.usage_sums(&crate::ModelCallFilter::default(), 0).await.expect("sums");
        assert_eq!((sums.total.calls, sums.sessions[0].0.as_str()), (1, "a"));
        store.integrity_check().await.expect("is sound");
        store.close().await.expect("closes");
        assert!(dir.backups().join("agentnative-v2-t1.db").exists());
    }

    #[tokio::test]
    async fn opening_a_current_database_makes_no_copy() {
        let home = TempDir::new().expect("a directory");
        let dir = with_one_run(&home).await;
        Store::open(&dir, "t1").await.expect("opens").close().await.expect("closes");
        assert!(!dir.backups().exists());
    }

    #[tokio::test]
    async fn a_failed_migration_leaves_the_old_schema_and_every_copy() {
        let home = TempDir::new().expect("a directory");
        let dir = with_one_run(&home).await;
        for _ in 0..2 {
            let failed = Store::open_at(&dir, "same", &BROKEN).await.expect_err("runs exists already");
            assert!(matches!(failed, StoreError::Refused { .. }), "{failed}");
        }
        assert!(dir.backups().join(format!("agentnative-v{SCHEMA_VERSION}-same.db")).exists());
        assert!(dir.backups().join(format!("agentnative-v{SCHEMA_VERSION}-same-2.db")).exists());
        let store = Store::open(&dir, "t1").await.expect("opens");
        assert_eq!(store.load_events("r").await.expect("loads").len(), 1);
        assert!(!tables(&dir.database()).await.contains(&"half".to_owned()));
    }

    #[tokio::test]
    async fn a_newer_schema_is_refused_and_the_file_stays_as_it_is() {
        let home = TempDir::new().expect("a directory");
        let dir = with_one_run(&home).await;
        Store::open_at(&dir, "t1", &NEXT).await.expect("migrates").close().await.expect("closes");
        let before = fs::read(dir.database()).expect("reads");
        let refused = Store::open(&dir, "t2").await.expect_err("newer");
        assert_eq!(refused, StoreError::Newer { found: SCHEMA_VERSION + 1, supported: SCHEMA_VERSION });
        assert_eq!(fs::read(dir.database()).expect("reads"), before);
    }

    #[tokio::test]
    async fn a_stamp_that_is_no_file_name_is_refused() {
        let home = TempDir::new().expect("a directory");
        let dir = DataDir::open(home.path()).expect("locks");
        for stamp in ["", "a/b", "..\\x", "ü"] {
            let refused = Store::open(&dir, stamp).await.expect_err("refuses");
            assert!(matches!(refused, StoreError::Invalid { .. }), "{refused}");
        }
    }
}
