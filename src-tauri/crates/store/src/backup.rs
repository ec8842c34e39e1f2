//! Copies of the database that are whole, and looking into one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row};

use crate::data_dir::private_file;
use crate::error::{Result, StoreError, from_io, from_sqlx};
use crate::open::options;
use crate::replacement;
use crate::schema::APPLICATION_ID;
use crate::store::Store;

/// Steps of SQLite's machine between two looks at how far a copy is: some milliseconds.
const STEPS: i32 = 200_000;

/// Is told how many of how many bytes are done; false stops the work.
pub type Watch = Box<dyn FnMut(u64, u64) -> bool + Send>;

/// What a copy holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CopyContents {
    /// Bytes of the file.
    pub bytes: u64,
    /// Its schema.
    pub schema: u32,
    /// Sessions in it.
    pub sessions: u64,
    /// Runs in it.
    pub runs: u64,
}

impl Store {
    /// Copies the database as it is now to `target`, which must not be there. Others read and write meanwhile. The copy is
    /// made under another name, checked whole, synced and then renamed: a file of that name is a sound one.
    ///
    /// `Ok(None)`: `watch` stopped it, and nothing is left.
    ///
    /// # Errors
    /// Those of reading, of writing to the target's folder, and [`StoreError::Corrupt`] when the copy, and so the
    /// database, is not sound.
    pub async fn copy_to(&self, target: &Path, watch: Watch) -> Result<Option<CopyContents>> {
        let dir = &self.inner.dir;
        if target.exists() {
            return Err(StoreError::BadPath {
                path: target.to_owned(),
                detail: "it is there already".to_owned(),
            });
        }
        let part = target.with_extension("part");
        let _ = fs::remove_file(&part);
        // SQLite fills an empty file that is there, and leaves its permissions.
        private_file(&part).map_err(|error| from_io("making a copy of the database", &part, &error))?;
        let outcome = self.copy_and_check(&part, watch).await;
        if !matches!(outcome, Ok(Some(_))) {
            let _ = fs::remove_file(&part);
            return outcome;
        }
        support::sync_file(&part)
            .map_err(|error| from_io("syncing a copy of the database", &part, &error))?;
        fs::rename(&part, target)
            .map_err(|error| from_io("naming a copy of the database", target, &error))?;
        replacement::sync(target.parent().unwrap_or(dir.path()))?;
        outcome
    }

    async fn copy_and_check(&self, part: &Path, watch: Watch) -> Result<Option<CopyContents>> {
        let dir = &self.inner.dir;
        let Some(path) = part.to_str() else {
            return Err(StoreError::BadPath {
                path: part.to_owned(),
                detail: "its name is not valid UTF-8".to_owned(),
            });
        };
        let watch = Arc::new(Mutex::new(WatchedBackup { watch, stopped: false }));
        let failed = |error: sqlx::Error| dir.failure("copying the database", &error);
        let mut db = options(dir).read_only(true).connect().await.map_err(failed)?;
        let size = fs::metadata(dir.database()).map_or(0, |meta| meta.len()).max(1);
        let (told, growing) = (Arc::clone(&watch), part.to_owned());
        handle(&mut db, move || {
            let done = fs::metadata(&growing).map_or(0, |meta| meta.len()).min(size);
            WatchedBackup::tell(&told, done, size * 2)
        })
        .await
        .map_err(failed)?;
        let copied = sqlx::query("VACUUM INTO ?").bind(path).execute(&mut db).await;
        let closed = db.close().await;
        if WatchedBackup::stopped(&watch) {
            return Ok(None);
        }
        copied.map_err(failed)?;
        closed.map_err(failed)?;
        let told = Arc::clone(&watch);
        let checked = Archive::open_checked(part, move |done| {
            WatchedBackup::tell(&told, size + done.min(size), size * 2)
        })
        .await;
        if WatchedBackup::stopped(&watch) {
            return Ok(None);
        }
        let archive = checked?;
        let copied = archive.counts().await;
        archive.close().await;
        copied.map(Some)
    }
}

struct WatchedBackup {
    watch: Watch,
    stopped: bool,
}

impl WatchedBackup {
    fn tell(shared: &Mutex<Self>, done: u64, total: u64) -> bool {
        let mut watching = shared.lock();
        if !watching.stopped && !(watching.watch)(done, total) {
            watching.stopped = true;
        }
        !watching.stopped
    }

    fn stopped(shared: &Mutex<Self>) -> bool {
        shared.lock().stopped
    }
}

async fn handle(db: &mut SqliteConnection, go_on: impl FnMut() -> bool + Send + 'static) -> sqlx::Result<()> {
    db.lock_handle().await?.set_progress_handler(STEPS, go_on);
    Ok(())
}

/// A copy of a database, opened to look into it. Nothing is written to it.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    db: tokio::sync::Mutex<SqliteConnection>,
    schema: u32,
}

/// A session as a copy has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedSession {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Milliseconds since 1970.
    pub updated_at: i64,
    /// How many runs it has.
    pub runs: u32,
}

impl Archive {
    /// Opens a copy. It may be of any release up to this one.
    ///
    /// # Errors
    /// [`StoreError::Foreign`], [`StoreError::Newer`], [`StoreError::Corrupt`] and those of reading.
    pub async fn open(path: &Path) -> Result<Self> {
        let failed = |error: sqlx::Error| failure(path, "opening a copy of the database", &error);
        // What a database that was put aside has in its log belongs to it: that is merged by opening it in the usual way.
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let alone = fs::metadata(&log).is_err();
        let mut db = SqliteConnectOptions::new()
            .filename(path)
            .read_only(alone)
            .immutable(alone)
            .disable_statement_logging()
            .connect()
            .await
            .map_err(failed)?;
        let (application, schema): (i64, i64) = sqlx::query_as(
            "SELECT (SELECT * FROM pragma_application_id), (SELECT * FROM pragma_user_version)",
        )
        .fetch_one(&mut db)
        .await
        .map_err(failed)?;
        if application != i64::from(APPLICATION_ID) {
            return Err(StoreError::Foreign {
                path: path.to_owned(),
                detail: format!("its application id is {application:#010x}"),
            });
        }
        let schema = u32::try_from(schema).unwrap_or(u32::MAX);
        if schema > crate::SCHEMA_VERSION {
            return Err(StoreError::Newer { found: schema, supported: crate::SCHEMA_VERSION });
        }
        Ok(Self { path: path.to_owned(), db: tokio::sync::Mutex::new(db), schema })
    }

    /// Opens a copy and reads every page, index and foreign key of it. `watch` is told how many bytes may have been read.
    async fn open_checked(path: &Path, watch: impl FnMut(u64) -> bool + Send + 'static) -> Result<Self> {
        let archive = Self::open(path).await?;
        archive.check(watch).await?;
        Ok(archive)
    }

    /// Reads every page, index and foreign key. `watch` is told how much may be done, in bytes; false stops it.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] with the first finding.
    pub async fn check(&self, mut watch: impl FnMut(u64) -> bool + Send + 'static) -> Result<()> {
        let failed = |error: sqlx::Error| failure(&self.path, "checking a copy of the database", &error);
        let corrupt = |detail: String| StoreError::Corrupt {
            path: self.path.clone(),
            detail,
            backups: self.path.parent().unwrap_or(&self.path).to_owned(),
        };
        let mut db = self.db.lock().await;
        let mut looks = 0_u64;
        handle(&mut db, move || {
            looks += 1;
            watch(looks << 20)
        })
        .await
        .map_err(failed)?;
        let verdict: String =
            sqlx::query_scalar("PRAGMA integrity_check(1)").fetch_one(&mut *db).await.map_err(failed)?;
        if verdict != "ok" {
            return Err(corrupt(verdict));
        }
        let orphan: Option<SqliteRow> =
            sqlx::query("PRAGMA foreign_key_check").fetch_optional(&mut *db).await.map_err(failed)?;
        db.lock_handle().await.map_err(failed)?.remove_progress_handler();
        match orphan {
            None => Ok(()),
            Some(row) => Err(corrupt(format!(
                "a row of {} refers to something that is gone",
                row.try_get::<String, _>(0).unwrap_or_default()
            ))),
        }
    }

    /// What it holds.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn counts(&self) -> Result<CopyContents> {
        let mut db = self.db.lock().await;
        let (sessions, runs): (i64, i64) =
            sqlx::query_as("SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM runs)")
                .fetch_one(&mut *db)
                .await
                .map_err(|error| failure(&self.path, "reading a copy of the database", &error))?;
        Ok(CopyContents {
            bytes: fs::metadata(&self.path).map_or(0, |meta| meta.len()),
            schema: self.schema,
            sessions: sessions.cast_unsigned(),
            runs: runs.cast_unsigned(),
        })
    }

    /// Its sessions, the one changed last first; at most `limit`.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn sessions(&self, limit: u32) -> Result<Vec<ArchivedSession>> {
        // What the first release had, and what the second one brought.
        let changed = if self.schema >= 2 { "updated_at" } else { "created_at" };
        let sql = format!(
            "SELECT id, title, {changed}, (SELECT count(*) FROM runs WHERE session = sessions.no) FROM sessions \
             ORDER BY {changed} DESC, no DESC LIMIT {limit}"
        );
        let mut db = self.db.lock().await;
        // Safe: a column's name of two, and a number.
        let rows: Vec<(String, String, i64, i64)> = sqlx::query_as(AssertSqlSafe(sql))
            .fetch_all(&mut *db)
            .await
            .map_err(|error| failure(&self.path, "reading a copy of the database", &error))?;
        let session = |(id, title, updated_at, runs): (String, String, i64, i64)| ArchivedSession {
            id,
            title,
            updated_at,
            runs: u32::try_from(runs).unwrap_or(u32::MAX),
        };
        Ok(rows.into_iter().map(session).collect())
    }

    /// Closes it.
    pub async fn close(self) {
        // It was only read: nothing can be lost.
        let _ = self.db.into_inner().close().await;
    }
}

fn failure(path: &Path, operation: &'static str, error: &sqlx::Error) -> StoreError {
    from_sqlx(operation, path, path.parent().unwrap_or(path), error)
}
