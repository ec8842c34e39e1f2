//! Sources shared by everyone who needs the same one, and ended together.

use std::collections::HashMap;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OnceCell, RwLock, mpsc};
use tokio_util::sync::CancellationToken;

use crate::config::SourceConfig;
use crate::error::{SourceError, SourceErrorKind};
use crate::event::{SourceEvent, SourceState};
use crate::source::Source;

/// How long a source that nobody holds is kept for the next one to ask.
const DEFAULT_IDLE: Duration = Duration::from_secs(60);

/// Running sources by the hash of their configuration. Cheap to clone; all clones are the same pool.
#[derive(Debug, Clone)]
pub struct Pool {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    guard: Option<PathBuf>,
    events: Option<mpsc::Sender<SourceEvent>>,
    idle: Duration,
    entries: Mutex<Entries>,
    /// Cancelled by the shutdown, and with it every start that is under way.
    closing: CancellationToken,
    /// Held for reading by every start.
    starting: RwLock<()>,
}

#[derive(Debug, Default)]
struct Entries {
    by_hash: HashMap<String, Entry>,
    /// Numbers the moments at which entries became idle, so that a later use is told from the one that was waited for.
    moments: u64,
}

#[derive(Debug)]
struct Entry {
    cell: Arc<OnceCell<Source>>,
    holders: usize,
    idle_since: u64,
}

/// A source in use. Dereferences to [`Source`]; the pool may end the source some time after the last lease is gone.
#[derive(Debug)]
pub struct Lease {
    source: Source,
    _hold: PoolLease,
}

impl Deref for Lease {
    type Target = Source;

    fn deref(&self) -> &Source {
        &self.source
    }
}

impl Pool {
    /// An empty pool; see [`Source::start`] for the arguments.
    pub fn new(guard: Option<PathBuf>, events: Option<mpsc::Sender<SourceEvent>>) -> Self {
        Self::with_idle(guard, events, DEFAULT_IDLE)
    }

    /// An empty pool that ends sources after they were unused for `idle`.
    pub fn with_idle(
        guard: Option<PathBuf>,
        events: Option<mpsc::Sender<SourceEvent>>,
        idle: Duration,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                guard,
                events,
                idle,
                entries: Mutex::default(),
                closing: CancellationToken::new(),
                starting: RwLock::new(()),
            }),
        }
    }

    /// The running source for this configuration, started if there is none. Callers that come while it starts wait for
    /// the same start; a source found failed is restarted once.
    ///
    /// # Errors
    /// Why it did not start. The next caller tries again.
    pub async fn get(&self, config: SourceConfig) -> Result<Lease, SourceError> {
        let hash = config.hash();
        loop {
            let Some(hold) = self.hold(&hash) else {
                let kind = SourceErrorKind::NotRunning { state: SourceState::Stopped.name() };
                return Err(SourceError::new(&config.slug, kind));
            };
            let source = self.started(&hold, &config).await?;
            source.revive().await?;
            if source.state() != SourceState::Stopped {
                return Ok(Lease { source, _hold: hold });
            }
            // Someone closed it through a lease: it cannot come back, a fresh one takes its place.
            self.shared.entries.lock().remove(&hold);
        }
    }

    async fn started(&self, hold: &PoolLease, config: &SourceConfig) -> Result<Source, SourceError> {
        let _starting = self.shared.starting.read().await;
        let start = || {
            Source::start_until(
                config.clone(),
                self.shared.guard.clone(),
                self.shared.events.clone(),
                self.shared.closing.child_token(),
            )
        };
        let source = hold.cell.get_or_try_init(start).await?.clone();
        if self.shared.closing.is_cancelled() {
            // The shutdown came between the start's end and here, and may have missed it.
            source.close().await;
            return Err(SourceError::new(&config.slug, SourceErrorKind::Cancelled));
        }
        Ok(source)
    }

    /// How many sources are running or starting.
    pub fn len(&self) -> usize {
        self.shared.entries.lock().by_hash.len()
    }

    /// Whether no source is running or starting.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Ends all sources, held or not, side by side; returns when none of their processes is left. Nothing can be
    /// started afterwards.
    pub async fn shutdown(&self) {
        let entries: Vec<Entry> = {
            let mut entries = self.shared.entries.lock();
            self.shared.closing.cancel();
            entries.by_hash.drain().map(|(_, entry)| entry).collect()
        };
        let closing: Vec<_> = entries
            .into_iter()
            .filter_map(|entry| entry.cell.get().cloned())
            .map(|source| tokio::spawn(async move { source.close().await }))
            .collect();
        for task in closing {
            let _ = task.await;
        }
        // Starts that were under way have been cancelled; this waits until they have cleaned up.
        let _starts = self.shared.starting.write().await;
    }

    fn hold(&self, hash: &str) -> Option<PoolLease> {
        let mut entries = self.shared.entries.lock();
        if self.shared.closing.is_cancelled() {
            return None;
        }
        let entry = entries.by_hash.entry(hash.to_owned()).or_insert_with(|| Entry {
            cell: Arc::new(OnceCell::new()),
            holders: 0,
            idle_since: 0,
        });
        entry.holders += 1;
        let cell = Arc::clone(&entry.cell);
        Some(PoolLease { shared: Arc::clone(&self.shared), hash: hash.to_owned(), cell })
    }
}

impl Shared {}

impl Entries {
    /// The entry that this hold counts in, unless another has taken its place.
    fn entry(&mut self, hold: &PoolLease) -> Option<&mut Entry> {
        self.by_hash.get_mut(&hold.hash).filter(|entry| Arc::ptr_eq(&entry.cell, &hold.cell))
    }

    fn remove(&mut self, hold: &PoolLease) {
        if self.entry(hold).is_some() {
            self.by_hash.remove(&hold.hash);
        }
    }
}

/// One count of an entry.
#[derive(Debug)]
struct PoolLease {
    shared: Arc<Shared>,
    hash: String,
    cell: Arc<OnceCell<Source>>,
}

impl Drop for PoolLease {
    fn drop(&mut self) {
        let mut entries = self.shared.entries.lock();
        entries.moments += 1;
        let moment = entries.moments;
        let Some(entry) = entries.entry(self) else {
            return;
        };
        entry.holders = entry.holders.saturating_sub(1);
        if entry.holders > 0 {
            return;
        }
        entry.idle_since = moment;
        if entry.cell.get().is_none() {
            entries.by_hash.remove(&self.hash);
            return;
        }
        drop(entries);
        // Without a runtime the program is ending, and the guard sees to it.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let shared = Arc::downgrade(&self.shared);
        let hash = std::mem::take(&mut self.hash);
        let idle = self.shared.idle;
        runtime.spawn(async move {
            tokio::time::sleep(idle).await;
            let Some(shared) = shared.upgrade() else {
                return;
            };
            let unused = {
                let mut entries = shared.entries.lock();
                let still_idle = entries
                    .by_hash
                    .get(&hash)
                    .is_some_and(|entry| entry.holders == 0 && entry.idle_since == moment);
                still_idle.then(|| entries.by_hash.remove(&hash)).flatten()
            };
            if let Some(source) = unused.and_then(|entry| entry.cell.get().cloned()) {
                source.close().await;
            }
        });
    }
}
