//! The one task that writes.
//!
//! It takes every commit that is waiting into one transaction, so that all of them share one fsync.
//! Nothing else writes to the database, which is why the last sequence number of a run can be kept here
//! and compared without a query.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sqlx::sqlite::{SqliteArguments, SqliteConnection};
use sqlx::{AssertSqlSafe, Row};
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

use crate::commit::{Durability, PreparedCommit, Script, Statement};
use crate::data_dir::{DataDir, DataDirLock};
use crate::error::{Result, StoreError};
use crate::integrity;
use crate::open;
use crate::rows::{Rows, append, fill};
use crate::tables::{blobs, passages, runs, sessions};

/// Most commits, and about the most bytes, of one transaction.
const GROUP_COMMITS: usize = 256;
const GROUP_BYTES: u64 = 8 << 20;
/// Log growth after which its content is copied into the main file, while nobody waits for it.
const CHECKPOINT_BYTES: u64 = 4 << 20;
/// Log size from which the file is cut back, waiting for readers if need be.
const TRUNCATE_BYTES: u64 = 32 << 20;
/// Rough cost of a commit in the log besides its payload: the pages of the small tables.
const COMMIT_OVERHEAD: u64 = 32 << 10;
/// Scripts of at most so many statements stay prepared: longer ones hardly come again.
const KEPT_STATEMENTS: usize = 8;
/// Most scripts that are carried out at once, a power of two.
const JOINED_SCRIPTS: usize = 16;
/// Runs whose last sequence number is remembered.
const KNOWN_HEADS: usize = 4096;

type Answer<T> = oneshot::Sender<Result<T>>;

/// Something to write.
pub(crate) enum WriteCommand {
    Commit(Box<QueuedCommit>),
    /// Commits for one transaction.
    Bulk(Vec<QueuedCommit>),
    DeleteRun {
        id: String,
        answer: Answer<bool>,
    },
    DeleteSession {
        id: String,
        answer: Answer<bool>,
    },
    /// Changes outside of runs' logs, all of them or none. Answer: how many rows changed.
    Edit {
        statements: Vec<Statement>,
        durability: Durability,
        answer: Answer<u64>,
    },
    /// Answer: whether the whole log could be copied (no reader was in the way).
    Checkpoint {
        answer: Answer<bool>,
    },
    Vacuum {
        pages: u32,
        answer: Answer<()>,
    },
    /// Answer: what is wrong, where that was asked.
    Tidy {
        what: MaintenanceWork,
        answer: Answer<Vec<String>>,
    },
    Close {
        answer: Answer<()>,
    },
}

/// Work on the whole database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MaintenanceWork {
    /// Whether the index of words is whole.
    CheckWords,
    /// The database is written anew.
    Rewrite,
}

/// A commit in the queue.
pub(crate) struct QueuedCommit {
    pub(crate) commit: PreparedCommit,
    pub(crate) answer: Answer<()>,
    /// Its share of the memory that queued commits may take.
    pub(crate) memory: Arc<OwnedSemaphorePermit>,
}

/// What the writer has done since it was opened.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) commits: AtomicU64,
    pub(crate) transactions: AtomicU64,
    pub(crate) full_transactions: AtomicU64,
    pub(crate) bytes: AtomicU64,
}

pub(crate) struct Writer {
    pub(crate) dir: DataDir,
    pub(crate) claim: DataDirLock,
    pub(crate) db: SqliteConnection,
    pub(crate) counters: Arc<Counters>,
    heads: HashMap<String, u64>,
    /// What `PRAGMA synchronous` is set to.
    durability: Durability,
    since_checkpoint: u64,
    /// The error that ended writing. An fsync is never tried again: after a failed one the kernel may
    /// report success without having written (<https://wiki.postgresql.org/wiki/Fsync_Errors>).
    stopped: Option<StoreError>,
}

impl Writer {
    pub(crate) fn new(
        dir: DataDir,
        claim: DataDirLock,
        db: SqliteConnection,
        counters: Arc<Counters>,
    ) -> Self {
        Self {
            dir,
            claim,
            db,
            counters,
            heads: HashMap::new(),
            durability: Durability::Full,
            since_checkpoint: 0,
            stopped: None,
        }
    }

    /// Works until it is told to close or every handle is gone; then closes the database in order.
    pub(crate) async fn run(mut self, mut orders: mpsc::Receiver<WriteCommand>) {
        let mut next = orders.recv().await;
        let mut closing = None;
        while let Some(order) = next.take() {
            match order {
                WriteCommand::Commit(first) => {
                    let (group, other) = gather(*first, &mut orders);
                    next = other;
                    self.commit_group(group).await;
                }
                WriteCommand::Bulk(group) => self.commit_group(group).await,
                WriteCommand::DeleteRun { id, answer } => {
                    // Nobody waiting any more is no failure, here and below.
                    let _ = answer.send(self.delete(runs::DELETE, &id).await);
                }
                WriteCommand::DeleteSession { id, answer } => {
                    let _ = answer.send(self.delete(sessions::DELETE, &id).await);
                }
                WriteCommand::Edit { statements, durability, answer } => {
                    let _ = answer.send(self.edit(statements, durability).await);
                }
                WriteCommand::Checkpoint { answer } => {
                    let _ = answer.send(self.checkpoint("PRAGMA wal_checkpoint(TRUNCATE)").await);
                }
                WriteCommand::Vacuum { pages, answer } => {
                    let _ = answer.send(self.vacuum(pages).await);
                }
                WriteCommand::Tidy { what, answer } => {
                    let _ = answer.send(self.tidy(what).await);
                }
                WriteCommand::Close { answer } => {
                    closing = Some(answer);
                    break;
                }
            }
            self.checkpoint_if_due().await;
            if next.is_none() {
                next = orders.recv().await;
            }
        }
        // Senders that come now, and orders still queued, learn that the store is closed.
        drop(orders);
        let Self { dir, claim, db, stopped, .. } = self;
        let mut end = open::close(&dir, db).await;
        if end.is_ok() && stopped.is_none() {
            end = claim.mark_closed();
        }
        // Before the answer: whoever gets it may open the directory again.
        drop((claim, dir));
        if let Some(answer) = closing {
            let _ = answer.send(end);
        }
    }

    async fn commit_group(&mut self, group: Vec<QueuedCommit>) {
        let mut accepted = Vec::with_capacity(group.len());
        // Not in between: the group's own numbers are not in the database yet.
        if self.heads.len() >= KNOWN_HEADS {
            self.heads.clear();
        }
        let known = match self.known_heads(&group).await {
            Ok(known) => known,
            Err(error) => return group.into_iter().for_each(|waiting| answer(waiting, Err(error.clone()))),
        };
        for waiting in group {
            match self.admit(&waiting.commit, &known).await {
                Ok(()) => accepted.push(waiting),
                Err(error) => answer(waiting, Err(error)),
            }
        }
        if accepted.is_empty() {
            return;
        }
        match self.transact(&accepted).await {
            Ok(()) => accepted.into_iter().for_each(|waiting| answer(waiting, Ok(()))),
            Err(error) if self.stopped.is_some() || accepted.len() == 1 => {
                accepted.into_iter().for_each(|waiting| answer(waiting, Err(error.clone())));
            }
            // One of them cannot be stored: each gets a transaction of its own, so that only that one fails.
            Err(_) => {
                for waiting in accepted {
                    let mut outcome = self.admit(&waiting.commit, &HashMap::new()).await;
                    if outcome.is_ok() {
                        outcome = self.transact(std::slice::from_ref(&waiting)).await;
                    }
                    answer(waiting, outcome);
                }
            }
        }
    }

    /// Checks a commit against the log and the commits admitted before it.
    async fn admit(&mut self, commit: &PreparedCommit, known: &HashMap<String, Option<u64>>) -> Result<()> {
        if let Some(error) = &self.stopped {
            return Err(error.clone());
        }
        let head = match (self.heads.get(&commit.run), known.get(&commit.run)) {
            (Some(head), _) => Some(*head),
            (None, Some(head)) => *head,
            (None, None) => self.head(&commit.run).await?,
        };
        match head {
            Some(_) if commit.creates => return Err(StoreError::RunExists { run: commit.run.clone() }),
            None if !commit.creates => return Err(StoreError::UnknownRun { run: commit.run.clone() }),
            Some(found) if found != commit.expect_seq => {
                return Err(StoreError::Conflict {
                    run: commit.run.clone(),
                    expected: commit.expect_seq,
                    found,
                });
            }
            Some(_) | None => {}
        }
        for hash in &commit.rows.refs {
            let found = sqlx::query(blobs::EXISTS)
                .bind(hash.as_bytes().as_slice())
                .fetch_optional(&mut self.db)
                .await
                .map_err(|error| self.dir.failure("looking for a blob", &error))?;
            if found.is_none() {
                return Err(StoreError::UnknownBlob { hash: *hash });
            }
        }
        self.heads.insert(commit.run.clone(), commit.seq_last);
        Ok(())
    }

    async fn head(&mut self, run: &str) -> Result<Option<u64>> {
        let row = sqlx::query(runs::HEAD)
            .bind(run.to_owned())
            .fetch_optional(&mut self.db)
            .await
            .map_err(|error| self.dir.failure("looking for a run", &error))?;
        row.map(|row| row.try_get::<i64, _>(0).map(i64::cast_unsigned))
            .transpose()
            .map_err(|error| self.dir.failure("looking for a run", &error))
    }

    /// The heads of many runs: asking for each takes longer than storing it.
    async fn known_heads(&mut self, group: &[QueuedCommit]) -> Result<HashMap<String, Option<u64>>> {
        let asked = group.iter().map(|waiting| waiting.commit.run.as_str());
        let asked: Vec<&str> = asked.filter(|run| !self.heads.contains_key(*run)).collect();
        if self.stopped.is_some() || asked.len() < runs::HEADS_AT_ONCE {
            return Ok(HashMap::new());
        }
        let mut known = HashMap::with_capacity(asked.len());
        for some in asked.chunks(runs::HEADS_AT_ONCE) {
            known.extend(some.iter().map(|run| ((*run).to_owned(), None)));
            // One text for any number: the last run is asked for again.
            let padded = some.iter().chain(some.last().into_iter().cycle()).take(runs::HEADS_AT_ONCE);
            let query = padded.fold(sqlx::query_as(runs::HEADS), |query, run| query.bind((*run).to_owned()));
            let found: Vec<(String, i64)> = query
                .fetch_all(&mut self.db)
                .await
                .map_err(|error| self.dir.failure("looking for runs", &error))?;
            known.extend(found.into_iter().map(|(run, head)| (run, Some(head.cast_unsigned()))));
        }
        Ok(known)
    }

    /// All of `group` in one transaction.
    async fn transact(&mut self, group: &[QueuedCommit]) -> Result<()> {
        let needed = group.iter().map(|waiting| waiting.commit.durability).max().unwrap_or_default();
        if let Err(error) = self.try_transact(group, needed).await {
            // Fails when SQLite has rolled back by itself; either way no transaction is open afterwards.
            let _ = sqlx::raw_sql("ROLLBACK").execute(&mut self.db).await;
            self.heads.clear();
            return Err(self.write_error("a commit", &error));
        }
        let bytes: u64 = group.iter().map(|waiting| waiting.commit.bytes).sum();
        self.since_checkpoint += bytes + COMMIT_OVERHEAD;
        self.counters.commits.fetch_add(group.len() as u64, Ordering::Relaxed);
        self.counters.transactions.fetch_add(1, Ordering::Relaxed);
        self.counters.full_transactions.fetch_add(u64::from(needed == Durability::Full), Ordering::Relaxed);
        self.counters.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    async fn set_durability(&mut self, needed: Durability) -> sqlx::Result<()> {
        if needed != self.durability {
            let pragma = match needed {
                Durability::Full => "PRAGMA synchronous = FULL",
                Durability::Normal => "PRAGMA synchronous = NORMAL",
            };
            sqlx::raw_sql(pragma).execute(&mut self.db).await?;
            self.durability = needed;
        }
        Ok(())
    }

    async fn try_transact(&mut self, group: &[QueuedCommit], needed: Durability) -> sqlx::Result<()> {
        self.set_durability(needed).await?;
        let unbound = |error: StoreError| sqlx::Error::Encode(error.into());
        if let [QueuedCommit { commit, .. }] = group {
            // One message to SQLite's thread: most commits come alone.
            let titles = if commit.creates { passages::INDEX_TITLES } else { "" };
            let mut sql = format!("BEGIN IMMEDIATE;{}{titles}", commit.script.sql);
            let mut values = commit.script.arguments().map_err(unbound)?;
            let rows = append(&mut sql, &mut values, &commit.run, &commit.rows).map_err(unbound)?;
            sql.push_str("COMMIT;");
            let recurs = commit.script.statements + rows <= KEPT_STATEMENTS;
            return self.execute(sql, values, recurs).await.map(drop);
        }
        sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut self.db).await?;
        // Scripts of the same statements go together: a message to SQLite's thread costs more than most statements.
        let scripts = group.iter().map(|QueuedCommit { commit, .. }| &commit.script);
        let scripts: Vec<&Script> = scripts.filter(|script| script.statements > 0).collect();
        for alike in scripts.chunk_by(|one, other| one.sql == other.sql) {
            let mut rest = alike;
            while let [first, ..] = rest {
                let (these, others) = rest.split_at(JOINED_SCRIPTS.min(1 << rest.len().ilog2()));
                rest = others;
                let mut values = SqliteArguments::default();
                these.iter().try_for_each(|script| script.bind(&mut values)).map_err(unbound)?;
                let recurs = first.statements <= KEPT_STATEMENTS;
                self.execute(first.sql.repeat(these.len()), values, recurs).await?;
            }
        }
        if group.iter().any(|waiting| waiting.commit.creates) {
            self.execute(passages::INDEX_TITLES.to_owned(), SqliteArguments::default(), true).await?;
        }
        let rows: Vec<(&str, &Rows)> =
            group.iter().map(|QueuedCommit { commit, .. }| (commit.run.as_str(), &commit.rows)).collect();
        for Statement { sql, values, .. } in fill(&rows).map_err(unbound)? {
            self.execute(sql.into_owned(), values, true).await?;
        }
        sqlx::raw_sql("COMMIT").execute(&mut self.db).await?;
        Ok(())
    }

    /// How many rows changed.
    async fn execute(&mut self, sql: String, values: SqliteArguments, recurs: bool) -> sqlx::Result<u64> {
        // Safe: the text consists of this crate's constants, every value is bound.
        let query = sqlx::query_with(AssertSqlSafe(sql), values).persistent(recurs);
        query.execute(&mut self.db).await.map(|done| done.rows_affected())
    }

    /// All of `statements` in one transaction.
    async fn edit(&mut self, statements: Vec<Statement>, durability: Durability) -> Result<u64> {
        if let Some(error) = &self.stopped {
            return Err(error.clone());
        }
        // It may delete runs, with a session.
        self.heads.clear();
        let missing = match self.try_edit(statements, durability).await {
            Ok(Ok(rows)) => {
                self.since_checkpoint += COMMIT_OVERHEAD;
                return Ok(rows);
            }
            Ok(Err(missing)) => missing,
            Err(error) => {
                let _ = sqlx::raw_sql("ROLLBACK").execute(&mut self.db).await;
                return Err(self.write_error("a change", &error));
            }
        };
        let rolled_back = sqlx::raw_sql("ROLLBACK").execute(&mut self.db).await;
        rolled_back.map_err(|error| self.write_error("a change", &error))?;
        Err(missing)
    }

    async fn try_edit(
        &mut self,
        statements: Vec<Statement>,
        durability: Durability,
    ) -> sqlx::Result<Result<u64>> {
        self.set_durability(durability).await?;
        sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut self.db).await?;
        let mut rows = 0;
        for Statement { sql, values, sessions } in statements {
            let changed = self.execute(sql.into_owned(), values, true).await?;
            if changed < sessions.len() as u64 {
                let session = self.missing(sessions).await?;
                return Ok(Err(StoreError::UnknownSession { session }));
            }
            rows += changed;
        }
        sqlx::raw_sql("COMMIT").execute(&mut self.db).await?;
        Ok(Ok(rows))
    }

    /// The first of some sessions that is not there.
    async fn missing(&mut self, sessions: Vec<String>) -> sqlx::Result<String> {
        for session in &sessions {
            let found = sqlx::query(sessions::EXISTS).bind(session.clone()).fetch_optional(&mut self.db);
            if found.await?.is_none() {
                return Ok(session.clone());
            }
        }
        Ok(sessions.into_iter().next().unwrap_or_default())
    }

    async fn delete(&mut self, sql: &'static str, id: &str) -> Result<bool> {
        if let Some(error) = &self.stopped {
            return Err(error.clone());
        }
        self.heads.clear();
        let full = self.set_durability(Durability::Full).await;
        full.map_err(|error| self.write_error("deleting", &error))?;
        match sqlx::query(sql).bind(id.to_owned()).execute(&mut self.db).await {
            Ok(done) => {
                self.since_checkpoint += COMMIT_OVERHEAD;
                Ok(done.rows_affected() > 0)
            }
            Err(error) => Err(self.write_error("deleting", &error)),
        }
    }

    async fn vacuum(&mut self, pages: u32) -> Result<()> {
        if let Some(error) = &self.stopped {
            return Err(error.clone());
        }
        let sql = format!("PRAGMA incremental_vacuum({pages})");
        let outcome = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut self.db).await;
        self.since_checkpoint += COMMIT_OVERHEAD;
        outcome.map(|_| ()).map_err(|error| self.write_error("returning free pages", &error))
    }

    async fn tidy(&mut self, what: MaintenanceWork) -> Result<Vec<String>> {
        if let Some(error) = &self.stopped {
            return Err(error.clone());
        }
        let outcome = match what {
            MaintenanceWork::CheckWords => integrity::check_words(&mut self.db).await,
            MaintenanceWork::Rewrite => {
                let words = integrity::optimize_words(&mut self.db).await;
                match words {
                    Ok(()) => sqlx::raw_sql("VACUUM").execute(&mut self.db).await.map(|_| Vec::new()),
                    Err(error) => Err(error),
                }
            }
        };
        let outcome = outcome.map_err(|error| self.write_error("writing the database anew", &error))?;
        if what == MaintenanceWork::Rewrite {
            self.checkpoint("PRAGMA wal_checkpoint(TRUNCATE)").await?;
        }
        Ok(outcome)
    }

    async fn checkpoint(&mut self, sql: &'static str) -> Result<bool> {
        if let Some(error) = &self.stopped {
            return Err(error.clone());
        }
        let outcome = sqlx::query(sql).fetch_one(&mut self.db).await;
        match outcome.and_then(|row| row.try_get::<i64, _>(0)) {
            Ok(busy) => {
                self.since_checkpoint = 0;
                Ok(busy == 0)
            }
            Err(error) => Err(self.write_error("a checkpoint", &error)),
        }
    }

    async fn checkpoint_if_due(&mut self) {
        if self.since_checkpoint < CHECKPOINT_BYTES || self.stopped.is_some() {
            return;
        }
        let log = fs::metadata(self.dir.write_ahead_log()).map_or(0, |meta| meta.len());
        let sql = if log >= TRUNCATE_BYTES {
            "PRAGMA wal_checkpoint(TRUNCATE)"
        } else {
            "PRAGMA wal_checkpoint(PASSIVE)"
        };
        // The commits are safe in the log whatever happens here. A full disk is met again later; an I/O
        // error has stopped the writer by now.
        self.since_checkpoint = 0;
        let _ = self.checkpoint(sql).await;
    }

    /// The typed error for a failed write; after it the writer goes on only if nothing may be half done.
    fn write_error(&mut self, operation: &'static str, error: &sqlx::Error) -> StoreError {
        let failure = self.dir.failure(operation, error);
        match failure {
            StoreError::DiskFull | StoreError::Locked { .. } | StoreError::Refused { .. } => failure,
            other => {
                let stopped = StoreError::WriterStopped { detail: other.to_string() };
                self.stopped = Some(stopped.clone());
                stopped
            }
        }
    }
}

/// The commits that wait right behind `first`, and the first order after them that is none.
fn gather(
    first: QueuedCommit,
    orders: &mut mpsc::Receiver<WriteCommand>,
) -> (Vec<QueuedCommit>, Option<WriteCommand>) {
    let mut bytes = first.commit.bytes;
    let mut group = vec![first];
    while group.len() < GROUP_COMMITS && bytes < GROUP_BYTES {
        match orders.try_recv() {
            Ok(WriteCommand::Commit(waiting)) => {
                bytes += waiting.commit.bytes;
                group.push(*waiting);
            }
            Ok(other) => return (group, Some(other)),
            Err(_) => break,
        }
    }
    (group, None)
}

fn answer(waiting: QueuedCommit, outcome: Result<()>) {
    let QueuedCommit { commit, answer, memory } = waiting;
    drop(commit);
    drop(memory);
    let _ = answer.send(outcome);
}
