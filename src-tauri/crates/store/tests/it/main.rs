//! The store as its callers see it: on real files, with real processes that are really killed.

// The lint's exception for tests covers test functions only, not what they share.
#![allow(clippy::expect_used)]

mod blobs;
mod chat;
mod child;
#[cfg(unix)]
mod crash;
mod judgements;
#[cfg(unix)]
mod killed;
mod leaves;
mod log;
mod maintenance;
mod opening;
mod packs;
mod released;
mod searching;
mod sessions;
mod usage;

use store::{Blob, Commit, DataDir, Durability, NewRun, NewSession, RunChange, Store};
use tempfile::TempDir;

/// A store in a directory that goes with it.
struct Home {
    store: Store,
    dir: DataDir,
    // Last, so that the files outlive the handles.
    folder: TempDir,
}

impl Home {
    async fn new() -> Self {
        let folder = TempDir::new().expect("a temporary directory");
        let (dir, store) = open(folder.path()).await;
        Self { store, dir, folder }
    }

    /// Closes the store and opens it again.
    async fn reopened(self) -> Self {
        let Self { store, dir, folder } = self;
        store.close().await.expect("closes");
        drop((store, dir));
        let (dir, store) = open(folder.path()).await;
        Self { store, dir, folder }
    }
}

async fn open(path: &std::path::Path) -> (DataDir, Store) {
    let dir = locked(path).await;
    let store = Store::open(&dir, "test").await.expect("the store opens");
    (dir, store)
}

/// A child that another test starts has a copy of the lock for the moment before it becomes another program.
async fn locked(path: &std::path::Path) -> DataDir {
    for _ in 0..200 {
        match DataDir::open(path) {
            Err(store::StoreError::Busy { .. }) => {
                tokio::time::sleep(std::time::Duration::from_millis(10)).await
            }
            dir => return dir.expect("the directory can be locked"),
        }
    }
    panic!("the directory stays locked");
}

fn new_run(session: &str) -> RunChange {
    RunChange::Create(NewRun {
        session: NewSession {
            id: session.to_owned(),
            title: "A session".to_owned(),
            ..NewSession::default()
        },
        agent: "an-agent".to_owned(),
        status: "running".to_owned(),
        title: "A run".to_owned(),
        meta: b"meta".to_vec(),
        ..NewRun::default()
    })
}

/// The first commit of a run: one event.
fn begin(run: &str, session: &str) -> Commit {
    Commit {
        run: run.to_owned(),
        seq_last: 1,
        at_ms: 1_000,
        events: event(1),
        change: new_run(session),
        ..Commit::default()
    }
}

/// A commit of one event behind `expect_seq`.
fn append(run: &str, expect_seq: u64) -> Commit {
    Commit {
        run: run.to_owned(),
        expect_seq,
        seq_last: expect_seq + 1,
        at_ms: 1_000,
        events: event(expect_seq + 1),
        durability: Durability::Full,
        ..Commit::default()
    }
}

/// What the tests store as event `seq`.
fn event(seq: u64) -> Vec<u8> {
    format!("{{\"seq\":{seq},\"type\":\"something_happened\"}}\n").into_bytes()
}

/// Bytes that no compressor shrinks, the same for the same seed.
fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.wrapping_mul(0x2545_f491_4f6c_dd1d).to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

fn noise_blob(seed: u64, len: usize) -> Blob {
    Blob::new(noise(seed, len)).expect("below the cap")
}
