//! Reads: short transactions on connections that cannot write.

use std::collections::{HashMap, HashSet};
use std::fs;

use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{QueryBuilder, Row, Sqlite};

use crate::codec::Unpacker;
use crate::commit::{Commit, folded};
use crate::error::{Result, StoreError};
use crate::hash::BlobHash;
use crate::sessions::push_list;
use crate::store::Store;
use crate::tables::blobs::{self, Blob};
use crate::tables::packs::{self, Pack, PackPosition, WRONG_NAME};
use crate::tables::run_events::{self, Batch};
use crate::tables::runs::{self, Run, RunCursor, RunLink};

/// Most rows one call returns.
pub const MAX_PAGE: u32 = 1_000;

/// Which runs to list; the default is all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Only runs of this session id.
    pub session: Option<String>,
    /// Only runs of sessions of this workspace.
    pub workspace: Option<String>,
    /// Only runs of this agent.
    pub agent: Option<String>,
    /// Only runs with one of these status words; empty: any.
    pub statuses: Vec<String>,
    /// Only runs of this kind; empty: any.
    pub kind: String,
    /// Only those that work for this run; without it only those that work for none.
    pub parent: Option<String>,
}

/// Some runs, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPage {
    /// The runs.
    pub runs: Vec<Run>,
    /// Where the next page begins; `None` after the last.
    pub next: Option<RunCursor>,
}

/// Bytes on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes {
    /// The main file.
    pub database: u64,
    /// The write-ahead log.
    pub log: u64,
    /// Free pages inside the main file.
    pub free: u64,
    /// Each table with its indexes, by name.
    pub tables: Vec<TableSize>,
}

/// Bytes of one table's pages, its indexes included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSize {
    /// Name of the table.
    pub table: String,
    /// Bytes of its pages.
    pub bytes: u64,
}

/// A payload in a pack.
struct PackedPayload {
    /// Id of the run whose pack it is.
    run: String,
    place: PackPosition,
    bytes: Vec<u8>,
}

impl Store {
    /// All batches of a run, in order.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`]; [`StoreError::Corrupt`] when a batch is unreadable or missing.
    pub async fn load_events(&self, run: &str) -> Result<Vec<Batch>> {
        let mut batches = Vec::new();
        let mut db = self.reader().await?;
        loop {
            let after = batches.last().map_or(0, |batch: &Batch| batch.seq_last);
            let page = self.read_events(&mut db, run, after, MAX_PAGE).await?;
            let full = page.len() == MAX_PAGE as usize;
            batches.extend(page);
            if !full {
                break;
            }
        }
        if batches.is_empty() {
            self.known(&mut db, run).await?;
        }
        Ok(batches)
    }

    /// Up to `limit` batches (at most [`MAX_PAGE`]) that begin after event `after`, which must end a batch; 0
    /// for the beginning. Go on with the last batch's `seq_last`; an empty answer is the end.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`]; [`StoreError::Corrupt`] when a batch is unreadable or missing.
    pub async fn load_events_from(&self, run: &str, after: u64, limit: u32) -> Result<Vec<Batch>> {
        let mut db = self.reader().await?;
        let page = self.read_events(&mut db, run, after, limit).await?;
        if page.is_empty() {
            self.known(&mut db, run).await?;
        }
        Ok(page)
    }

    /// The last sequence number of a run, 0 when it has no event.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`].
    pub async fn last_seq(&self, run: &str) -> Result<u64> {
        let mut db = self.reader().await?;
        self.known(&mut db, run).await
    }

    /// The bytes of a blob, checked against their hash.
    ///
    /// # Errors
    /// [`StoreError::UnknownBlob`], [`StoreError::BlobDamaged`].
    pub async fn get_blob(&self, hash: BlobHash) -> Result<Vec<u8>> {
        let mut db = self.reader().await?;
        if let Some(held) = self.held(&mut db, hash, "").await? {
            return Ok(held.bytes);
        }
        let query = sqlx::query(blobs::ONE).bind(hash.as_bytes().as_slice());
        let row = query.fetch_optional(&mut *db).await.map_err(|error| self.failed(&error))?;
        let row = row.ok_or(StoreError::UnknownBlob { hash })?;
        blobs::checked_bytes(&row, 0, hash).map_err(|error| self.failed(&error))?
    }

    /// A run's row.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`].
    pub async fn get_run(&self, id: &str) -> Result<Run> {
        let mut query = QueryBuilder::<Sqlite>::new(runs::SELECT);
        query.push("runs.id = ").push_bind(id.to_owned());
        let mut db = self.reader().await?;
        let row = query.build().fetch_optional(&mut *db).await.map_err(|error| self.failed(&error))?;
        let row = row.ok_or_else(|| StoreError::UnknownRun { run: id.to_owned() })?;
        Run::from_row(&row).map_err(|error| self.unreadable(&error))
    }

    /// Up to `limit` runs (at most [`MAX_PAGE`]) created before `before`, newest first.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn list_runs(
        &self,
        filter: &RunFilter,
        before: Option<RunCursor>,
        limit: u32,
    ) -> Result<RunPage> {
        let limit = limit.clamp(1, MAX_PAGE);
        let mut query = QueryBuilder::<Sqlite>::new(runs::SELECT);
        query.push("runs.no < ").push_bind(before.map_or(i64::MAX, |cursor| cursor.0));
        if let Some(session) = &filter.session {
            query.push(" AND runs.session = (SELECT no FROM sessions WHERE id = ");
            query.push_bind(session.clone()).push(")");
        }
        if let Some(workspace) = &filter.workspace {
            query.push(" AND runs.session IN (SELECT no FROM sessions WHERE workspace = ");
            query.push_bind(workspace.clone()).push(")");
        }
        match &filter.parent {
            Some(parent) => query.push(" AND runs.parent = ").push_bind(parent.clone()),
            None => query.push(" AND runs.parent IS NULL"),
        };
        if !filter.kind.is_empty() {
            query.push(" AND runs.kind = ").push_bind(filter.kind.clone());
        }
        if let Some(agent) = &filter.agent {
            query.push(" AND runs.agent = ").push_bind(agent.clone());
        }
        if !filter.statuses.is_empty() {
            query.push(" AND runs.status IN (");
            push_list(&mut query, &filter.statuses);
        }
        query.push(" ORDER BY runs.no DESC LIMIT ").push_bind(i64::from(limit) + 1);
        let mut db = self.reader().await?;
        let rows = query.build().fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let (runs, more) = page(&rows, limit, Run::from_row, |error| self.unreadable(error))?;
        let next = more.then(|| runs.last().map(|run: &Run| run.cursor)).flatten();
        Ok(RunPage { runs, next })
    }

    /// All runs of a session but those that work for others, in the order of creation.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn run_links(&self, session: &str) -> Result<Vec<RunLink>> {
        let mut db = self.reader().await?;
        let query = sqlx::query(runs::LINKS).bind(session.to_owned());
        let rows = query.fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let links: sqlx::Result<Vec<RunLink>> = rows.iter().map(RunLink::from_row).collect();
        links.map_err(|error| self.unreadable(&error))
    }

    /// The newest run that passes `filter`.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn latest_run(&self, filter: &RunFilter) -> Result<Option<Run>> {
        Ok(self.list_runs(filter, None, 1).await?.runs.pop())
    }

    /// What the files and tables take on disk. Walks the whole database: for a doctor's report.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn sizes(&self) -> Result<Sizes> {
        let mut db = self.reader().await?;
        let free: i64 = sqlx::query_scalar(
            "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size",
        )
        .fetch_one(&mut *db)
        .await
        .map_err(|error| self.failed(&error))?;
        let rows: Vec<(String, i64)> = sqlx::query_as(
            "SELECT coalesce(s.tbl_name, d.name) AS named, sum(d.pgsize) FROM dbstat('main', 1) d \
             LEFT JOIN sqlite_schema s ON s.name = d.name GROUP BY named ORDER BY named",
        )
        .fetch_all(&mut *db)
        .await
        .map_err(|error| self.failed(&error))?;
        let tables = rows.into_iter().map(|(table, bytes)| TableSize { table, bytes: bytes.cast_unsigned() });
        let length = |path| fs::metadata(path).map_or(0, |meta| meta.len());
        Ok(Sizes {
            database: length(self.inner.dir.database()),
            log: length(self.inner.dir.write_ahead_log()),
            free: free.cast_unsigned(),
            tables: tables.collect(),
        })
    }

    /// Reads every page, index and foreign key. Takes about a second per gigabyte: for a doctor's report.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] with the first finding.
    pub async fn integrity_check(&self) -> Result<()> {
        let mut db = self.reader().await?;
        let verdict: String = sqlx::query_scalar("PRAGMA integrity_check(1)")
            .fetch_one(&mut *db)
            .await
            .map_err(|error| self.failed(&error))?;
        if verdict != "ok" {
            return Err(self.inner.dir.corrupt(verdict));
        }
        let orphan: Option<SqliteRow> = sqlx::query("PRAGMA foreign_key_check")
            .fetch_optional(&mut *db)
            .await
            .map_err(|error| self.failed(&error))?;
        match orphan {
            None => Ok(()),
            Some(row) => {
                let table: String = row.try_get(0).map_err(|error| self.failed(&error))?;
                Err(self.inner.dir.corrupt(format!("a row of {table} refers to a missing row")))
            }
        }
    }

    pub(crate) async fn reader(&self) -> Result<sqlx::pool::PoolConnection<Sqlite>> {
        self.inner.readers.acquire().await.map_err(|error| self.failed(&error))
    }

    async fn read_events(
        &self,
        db: &mut SqliteConnection,
        run: &str,
        after: u64,
        limit: u32,
    ) -> Result<Vec<Batch>> {
        let query = sqlx::query(run_events::AFTER).bind(run.to_owned()).bind(after.cast_signed());
        let rows = query.bind(i64::from(limit.clamp(1, MAX_PAGE))).fetch_all(db).await;
        let rows = rows.map_err(|error| self.failed(&error))?;
        let mut unpacker = Unpacker::new();
        let mut batches = Vec::with_capacity(rows.len());
        let mut last = after;
        for row in &rows {
            let batch = Batch::from_row(row, &mut unpacker).map_err(|error| self.unreadable(&error))?;
            if batch.seq_first != last + 1 || batch.seq_last < batch.seq_first {
                let found = batch.seq_first;
                return Err(self.inner.dir.corrupt(format!("run {run} has event {found} after {last}")));
            }
            last = batch.seq_last;
            batches.push(batch);
        }
        Ok(batches)
    }

    /// What a commit names without bringing it: where its run has it in a pack; what only packs of other runs have is brought
    /// along. Blobs stay as they are.
    pub(crate) async fn resolve_references(
        &self,
        commit: &mut Commit,
    ) -> Result<HashMap<BlobHash, PackPosition>> {
        let mut known = HashMap::new();
        let brought: HashSet<BlobHash> = commit.blobs.iter().map(Blob::hash).collect();
        let texts = commit.passages.iter().map(|passage| passage.blob);
        let named: HashSet<BlobHash> = commit.refs.iter().copied().chain(texts).collect();
        let mut missing = named.difference(&brought).peekable();
        if missing.peek().is_none() {
            return Ok(known);
        }
        let mut db = self.reader().await?;
        let mut packed = HashSet::new();
        for hash in missing {
            let Some(held) = self.held(&mut db, *hash, &commit.run).await? else { continue };
            packed.insert(*hash);
            if held.run == commit.run {
                known.insert(*hash, held.place);
            } else {
                commit.blobs.push(Blob::new(held.bytes)?);
            }
        }
        commit.refs.retain(|hash| !packed.contains(hash));
        Ok(known)
    }

    /// Whether there is such a blob.
    pub(crate) async fn is_blob(&self, hash: BlobHash) -> Result<bool> {
        let mut db = self.reader().await?;
        let query = sqlx::query(blobs::EXISTS).bind(hash.as_bytes().as_slice());
        query.fetch_optional(&mut *db).await.map(|row| row.is_some()).map_err(|error| self.failed(&error))
    }

    /// A payload that lies in a pack, in one of `run` if there is one.
    async fn held(
        &self,
        db: &mut SqliteConnection,
        hash: BlobHash,
        run: &str,
    ) -> Result<Option<PackedPayload>> {
        let (mut damaged, mut after) = (None, 0_i64);
        let mut own = !run.is_empty();
        loop {
            let statement = if own { packs::HOLDING_OF_RUN } else { packs::HOLDING };
            let mut query = sqlx::query(statement).bind(packs::name(&hash).to_owned()).bind(after);
            if own {
                query = query.bind(run.to_owned());
            }
            let row = query.fetch_optional(&mut *db).await.map_err(|error| self.failed(&error))?;
            let Some(row) = row else {
                if !std::mem::take(&mut own) {
                    break;
                }
                after = 0;
                continue;
            };
            after = row.try_get(0).map_err(|error| self.unreadable(&error))?;
            let pack = Pack::read(db, &row, 0).await.map_err(|error| self.failed(&error))?;
            match pack.as_ref().map(|pack| pack.find(&hash)) {
                Ok(Some((part, bytes))) => {
                    let place = PackPosition { pack: after, part: part as i64 };
                    let run = row.try_get(4).map_err(|error| self.unreadable(&error))?;
                    return Ok(Some(PackedPayload { run, place, bytes: bytes.to_owned() }));
                }
                Ok(None) => damaged = Some(WRONG_NAME.to_owned()),
                Err(error) => damaged = Some(error.to_string()),
            }
        }
        damaged.map_or(Ok(None), |detail| Err(StoreError::BlobDamaged { hash, detail }))
    }

    async fn known(&self, db: &mut SqliteConnection, run: &str) -> Result<u64> {
        let head: Option<i64> = sqlx::query_scalar(runs::HEAD)
            .bind(run.to_owned())
            .fetch_optional(db)
            .await
            .map_err(|error| self.failed(&error))?;
        head.map(i64::cast_unsigned).ok_or_else(|| StoreError::UnknownRun { run: run.to_owned() })
    }

    pub(crate) fn failed(&self, error: &sqlx::Error) -> StoreError {
        self.inner.dir.failure("reading", error)
    }

    /// A row that SQLite can read and this crate cannot: its content is damaged.
    pub(crate) fn unreadable(&self, error: &sqlx::Error) -> StoreError {
        self.inner.dir.corrupt(error.to_string())
    }
}

/// The first `limit` rows, and whether there are more.
pub(crate) fn page<T>(
    rows: &[SqliteRow],
    limit: u32,
    read: impl Fn(&SqliteRow) -> sqlx::Result<T>,
    failed: impl Fn(&sqlx::Error) -> StoreError,
) -> Result<(Vec<T>, bool)> {
    let read = rows.iter().take(limit as usize).map(read).collect::<sqlx::Result<Vec<T>>>();
    Ok((read.map_err(|error| failed(&error))?, rows.len() > limit as usize))
}

/// What LIKE takes for a text that may stand anywhere, its own signs taken literally.
pub(crate) fn pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in folded(text).chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}
