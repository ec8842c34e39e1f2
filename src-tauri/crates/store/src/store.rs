//! The handle everybody else holds.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use sqlx::SqlitePool;
use sqlx::sqlite::SqlitePoolOptions;
use tokio::sync::{Semaphore, mpsc, oneshot};

use crate::commit::{Bulk, Commit, check, payload_bytes, prepare};
use crate::data_dir::DataDir;
use crate::error::{Result, StoreError};
use crate::open::{open_writer, options};
use crate::schema::Schema;
use crate::writer::{Counters, QueuedCommit, WriteCommand, Writer};

/// Orders that may wait for the writer; the next caller waits before its order is queued.
const QUEUE: usize = 256;
/// KiB of payload that may wait for the writer.
const QUEUE_KIB: u32 = 192 << 10;
/// Read connections; opened when they are first needed.
const READERS: u32 = 3;
/// Page cache of each, as `PRAGMA cache_size` takes it: 16 MiB, the rows of some tens of thousands of sessions.
const READER_CACHE: &str = "-16384";
/// How long a read waits for a connection before it is [`StoreError::Overloaded`].
const READER_WAIT: Duration = Duration::from_secs(30);
/// From this size on compressing is moved off the caller's async thread.
const INLINE_BYTES: u64 = 512 << 10;

/// An open database. Clones share it; [`Store::close`] ends it for all of them.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) dir: DataDir,
    pub(crate) readers: SqlitePool,
    orders: mpsc::Sender<WriteCommand>,
    memory: Arc<Semaphore>,
    counters: Arc<Counters>,
}

/// What was written since the store was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoreStats {
    /// Commits that were stored.
    pub commits: u64,
    /// Transactions they took.
    pub transactions: u64,
    /// Transactions that waited for an fsync.
    pub full_transactions: u64,
    /// Bytes bound to their statements, after compression.
    pub bytes: u64,
}

impl Store {
    /// Opens the database of `dir`, created or migrated if need be. `stamp` goes into the name of the copy
    /// that is made before a migration. Must be called within a tokio runtime, which then runs the writer.
    ///
    /// # Errors
    /// [`StoreError::Foreign`], [`StoreError::Newer`], [`StoreError::Corrupt`] and [`StoreError::Busy`] leave
    /// the file as it is.
    pub async fn open(dir: &DataDir, stamp: &str) -> Result<Self> {
        Self::open_at(dir, stamp, &Schema::CURRENT).await
    }

    pub(crate) async fn open_at(dir: &DataDir, stamp: &str, schema: &Schema) -> Result<Self> {
        let claim = dir.claim()?;
        let db = open_writer(dir, stamp, schema).await?;
        claim.mark_open()?;
        let counters = Arc::new(Counters::default());
        let (orders, queue) = mpsc::channel(QUEUE);
        tokio::spawn(Writer::new(dir.clone(), claim, db, Arc::clone(&counters)).run(queue));
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .acquire_timeout(READER_WAIT)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            .connect_lazy_with(
                options(dir).read_only(true).row_buffer_size(256).pragma("cache_size", READER_CACHE),
            );
        let memory = Arc::new(Semaphore::new(QUEUE_KIB as usize));
        Ok(Self { inner: Arc::new(Inner { dir: dir.clone(), readers, orders, memory, counters }) })
    }

    /// Stores a commit, all or nothing, and answers when its [`crate::Durability`] is reached.
    ///
    /// Once it is queued it is carried out even if this future is dropped. It is queued at the first
    /// poll unless the queue is full, the payload is larger than half a MiB, it names payloads that it does not bring, or
    /// it brings so many that some are stored ahead.
    ///
    /// # Errors
    /// [`StoreError::Conflict`], [`StoreError::RunExists`], [`StoreError::UnknownRun`],
    /// [`StoreError::UnknownBlob`], [`StoreError::TooLarge`], [`StoreError::Invalid`] and
    /// [`StoreError::DiskFull`] concern this commit only. After [`StoreError::WriterStopped`] nothing can be
    /// written until the store is opened again.
    pub async fn commit(&self, mut commit: Commit) -> Result<()> {
        while let Some(ahead) = commit.take_ahead() {
            self.commit_one(ahead).await?;
        }
        self.commit_one(commit).await
    }

    async fn commit_one(&self, mut commit: Commit) -> Result<()> {
        check(&commit)?;
        let known = self.resolve_references(&mut commit).await?;
        let prepared = if payload_bytes(&commit) <= INLINE_BYTES {
            prepare(commit, &known)?
        } else {
            let prepared = tokio::task::spawn_blocking(move || prepare(commit, &known)).await;
            prepared.map_err(|_| StoreError::Closed)??
        };
        let kib = u32::try_from(prepared.bytes >> 10).unwrap_or(u32::MAX).clamp(1, QUEUE_KIB);
        let memory =
            Arc::clone(&self.inner.memory).acquire_many_owned(kib).await.map_err(|_| StoreError::Closed)?;
        let memory = Arc::new(memory);
        self.order(|answer| WriteCommand::Commit(Box::new(QueuedCommit { commit: prepared, answer, memory })))
            .await
    }

    /// Stores commits, each all or nothing, in one transaction where none of them fails. Answers each, in order.
    ///
    /// # Errors
    /// [`StoreError::Closed`].
    pub async fn commit_bulk(&self, bulk: Bulk) -> Result<Vec<Result<()>>> {
        let kib = u32::try_from(bulk.bytes() >> 10).unwrap_or(u32::MAX).clamp(1, QUEUE_KIB);
        let memory = Arc::clone(&self.inner.memory).acquire_many_owned(kib).await;
        let memory = Arc::new(memory.map_err(|_| StoreError::Closed)?);
        let (waiting, answers): (Vec<QueuedCommit>, Vec<_>) = bulk
            .commits
            .into_iter()
            .map(|commit| {
                let (answer, answered) = oneshot::channel();
                (QueuedCommit { commit, answer, memory: Arc::clone(&memory) }, answered)
            })
            .unzip();
        drop(memory);
        self.inner.orders.send(WriteCommand::Bulk(waiting)).await.map_err(|_| StoreError::Closed)?;
        let mut ended = Vec::with_capacity(answers.len());
        for answered in answers {
            ended.push(answered.await.map_err(|_| StoreError::Closed)?);
        }
        Ok(ended)
    }

    /// Deletes a run with its events, and the blobs no other run refers to. False: there was none.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn delete_run(&self, id: &str) -> Result<bool> {
        let id = id.to_owned();
        self.order(|answer| WriteCommand::DeleteRun { id, answer }).await
    }

    /// Deletes a session with all of its runs. False: there was none.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn delete_session(&self, id: &str) -> Result<bool> {
        let id = id.to_owned();
        self.order(|answer| WriteCommand::DeleteSession { id, answer }).await
    }

    /// Copies the write-ahead log into the main file and cuts it to nothing. False: a reader was in the way.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn checkpoint(&self) -> Result<bool> {
        self.order(|answer| WriteCommand::Checkpoint { answer }).await
    }

    /// Gives up to `pages` free pages (4 KiB each) at the end of the file back to the file system.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn incremental_vacuum(&self, pages: u32) -> Result<()> {
        self.order(|answer| WriteCommand::Vacuum { pages, answer }).await
    }

    /// What was written since the store was opened.
    #[must_use]
    pub fn stats(&self) -> StoreStats {
        let counters = &self.inner.counters;
        StoreStats {
            commits: counters.commits.load(Ordering::Relaxed),
            transactions: counters.transactions.load(Ordering::Relaxed),
            full_transactions: counters.full_transactions.load(Ordering::Relaxed),
            bytes: counters.bytes.load(Ordering::Relaxed),
        }
    }

    /// The directory this store is in.
    #[must_use]
    pub fn data_dir(&self) -> &DataDir {
        &self.inner.dir
    }

    /// Carries out what is queued, closes the database and notes a clean end. Later calls on any clone get
    /// [`StoreError::Closed`]. A store that is merely dropped closes by itself, a little later.
    ///
    /// # Errors
    /// [`StoreError::Io`] when the files could not be closed in order; what was answered is stored all the same.
    pub async fn close(&self) -> Result<()> {
        // Readers first: the last connection to close is the one that empties the log.
        self.inner.readers.close().await;
        self.order(|answer| WriteCommand::Close { answer }).await
    }

    pub(crate) async fn order<T>(
        &self,
        order: impl FnOnce(oneshot::Sender<Result<T>>) -> WriteCommand,
    ) -> Result<T> {
        let (answer, answered) = oneshot::channel();
        self.inner.orders.send(order(answer)).await.map_err(|_| StoreError::Closed)?;
        answered.await.map_err(|_| StoreError::Closed)?
    }
}
