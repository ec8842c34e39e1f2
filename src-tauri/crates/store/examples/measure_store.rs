//! Prints what the store costs: commit latency beside bare SQLite, growth, the time to open and load, and to add up usage.
//!
//! `cargo run --release -p store --example measure_store [folder]`; the folder says which disk is measured.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use store::{
    Blob, BlobHash, Commit, DataDir, Durability, ModelCallFilter, NewModelCall, NewRun, NewSession,
    RunChange, Store,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

#[tokio::main]
async fn main() -> Outcome<()> {
    let base = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = tempfile::TempDir::new_in(base)?;
    latency(folder.path()).await?;
    six_stages(folder.path()).await?;
    growth(folder.path()).await?;
    let loading = folder.path().join("load");
    for per_batch in [10, 100, 1000] {
        load(&loading.join(per_batch.to_string()), per_batch).await?;
    }
    resume(&folder.path().join("resume")).await?;
    grouped(&folder.path().join("grouped")).await?;
    usage(&folder.path().join("usage")).await
}

/// Bytes that do not compress, different for each `seed`.
fn noise(seed: u64, len: usize) -> Vec<u8> {
    let words =
        (0..).flat_map(|n: u64| *BlobHash::of(&[seed.to_le_bytes(), n.to_le_bytes()].concat()).as_bytes());
    words.take(len).collect()
}

fn event(seq: u64) -> String {
    format!(
        "{{\"v\":1,\"seq\":{seq},\"type\":\"model_call_completed\",\"stage\":\"synthesize\",\"request\":\"{}\",\
         \"usage\":{{\"in\":{},\"out\":{}}}}}\n",
        BlobHash::of(&seq.to_le_bytes()),
        seq * 37 % 9999,
        seq * 91 % 5555
    )
}

fn events(first: u64, last: u64) -> Vec<u8> {
    (first..=last).map(event).collect::<String>().into_bytes()
}

fn begin(run: &str) -> Commit {
    let new = NewRun {
        session: NewSession {
            id: "session-of-the-measurement".to_owned(),
            title: "Measure".to_owned(),
            ..NewSession::default()
        },
        agent: "an-agent".to_owned(),
        status: "running".to_owned(),
        title: "How is revenue recognised over time?".to_owned(),
        ..NewRun::default()
    };
    Commit {
        run: run.to_owned(),
        seq_last: 3,
        at_ms: 1_780_000_000_000,
        events: events(1, 3),
        change: RunChange::Create(new),
        ..Commit::default()
    }
}

fn append(run: &str, from: u64, count: u64) -> Commit {
    Commit {
        run: run.to_owned(),
        expect_seq: from,
        seq_last: from + count,
        at_ms: 1_780_000_000_000,
        events: events(from + 1, from + count),
        ..Commit::default()
    }
}

async fn open(path: &Path) -> Outcome<(DataDir, Store)> {
    let dir = DataDir::open(path)?;
    let store = Store::open(&dir, "measure").await?;
    Ok((dir, store))
}

async fn bare(path: &Path, synchronous: &'static str) -> Outcome<SqliteConnection> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .pragma("journal_mode", "WAL")
        .pragma("synchronous", synchronous)
        .disable_statement_logging();
    let mut db = options.connect().await?;
    sqlx::raw_sql("CREATE TABLE IF NOT EXISTS log(no INTEGER PRIMARY KEY, bytes BLOB)")
        .execute(&mut db)
        .await?;
    Ok(db)
}

fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort();
    times[(times.len() - 1) * percent / 100]
}

/// Alternates bare inserts and commits, so that both meet the same disk.
async fn latency(folder: &Path) -> Outcome<()> {
    for (durability, synchronous) in [(Durability::Full, "FULL"), (Durability::Normal, "NORMAL")] {
        let mut db = bare(&folder.join(format!("bare-{synchronous}.db")), synchronous).await?;
        let (_dir, store) = open(&folder.join(format!("latency-{synchronous}"))).await?;
        store.commit(Commit { durability, ..begin("r") }).await?;
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for n in 0..500 {
            let commit = Commit { durability, ..append("r", 3 + n * 4, 4) };
            let bytes = commit.events.clone();
            let start = Instant::now();
            sqlx::query("INSERT INTO log(bytes) VALUES(?)").bind(bytes).execute(&mut db).await?;
            theirs.push(start.elapsed());
            let start = Instant::now();
            store.commit(commit).await?;
            ours.push(start.elapsed());
        }
        let (raw50, our50) = (percentile(&mut theirs, 50), percentile(&mut ours, 50));
        println!(
            "commit {synchronous}: bare p50 {raw50:?} p95 {:?}, store p50 {our50:?} p95 {:?}, ratio {:.2}",
            percentile(&mut theirs, 95),
            percentile(&mut ours, 95),
            our50.as_secs_f64() / raw50.as_secs_f64()
        );
        store.close().await?;
        db.close().await?;
    }
    Ok(())
}

/// Six commits of 50 KB that does not compress, beside six bare inserts of the same bytes.
async fn six_stages(folder: &Path) -> Outcome<()> {
    let mut db = bare(&folder.join("bare-stages.db"), "FULL").await?;
    let (_dir, store) = open(&folder.join("stages")).await?;
    let (mut theirs, mut ours, mut hashing) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..30 {
        let run = format!("r{round}");
        store.commit(begin(&run)).await?;
        let payloads: Vec<Vec<u8>> = (0..6).map(|n| noise(round * 6 + n, 50_000)).collect();
        let start = Instant::now();
        for payload in payloads.clone() {
            sqlx::query("INSERT INTO log(bytes) VALUES(?)").bind(payload).execute(&mut db).await?;
        }
        theirs.push(start.elapsed());
        let start = Instant::now();
        for (n, payload) in (0..).zip(payloads) {
            let hash = Instant::now();
            let blobs = vec![Blob::new(payload)?];
            hashing.push(hash.elapsed());
            store.commit(Commit { blobs, ..append(&run, 3 + n * 4, 4) }).await?;
        }
        ours.push(start.elapsed());
    }
    let (raw50, our50) = (percentile(&mut theirs, 50), percentile(&mut ours, 50));
    let ratio = our50.as_secs_f64() / raw50.as_secs_f64();
    println!("six 50 KB commits: bare p50 {raw50:?}, store p50 {our50:?}, ratio {ratio:.2}");
    println!("hashing 50 KB: p50 {:?}", percentile(&mut hashing, 50));
    store.close().await?;
    db.close().await?;
    Ok(())
}

async fn growth(folder: &Path) -> Outcome<()> {
    let (_dir, store) = open(&folder.join("growth")).await?;
    store.checkpoint().await?;
    let mut before = store.sizes().await?.database;
    println!("fresh schema: {before} bytes");
    for round in 0..3_u64 {
        let run = format!("01JA{round:022}");
        let fsyncs = store.stats().full_transactions;
        store.commit(begin(&run)).await?;
        for n in 0..6 {
            let blobs = vec![Blob::new(noise(1_000 * (round + 1) + n, 50_000))?];
            let count = if n == 5 { 7 } else { 4 };
            store.commit(Commit { blobs, ..append(&run, 3 + n * 4, count) }).await?;
        }
        store.checkpoint().await?;
        let after = store.sizes().await?.database;
        println!(
            "growth of run {round}: {} bytes = {:.3} x 300,000 in {} durable transactions",
            after - before,
            (after - before) as f64 / 300_000.0,
            store.stats().full_transactions - fsyncs
        );
        before = after;
    }
    store.close().await?;
    Ok(())
}

async fn load(path: &Path, per_batch: u64) -> Outcome<()> {
    let (dir, store) = open(path).await?;
    store.commit(begin("r")).await?;
    let mut seq = 3;
    while seq < 100_000 {
        let commit = append("r", seq, per_batch);
        seq = commit.seq_last;
        store.commit(Commit { durability: Durability::Normal, ..commit }).await?;
    }
    store.close().await?;
    drop((dir, store));
    let mut times = Vec::new();
    let (mut batches, mut bytes) = (0, 0);
    let (_dir, store) = open(path).await?;
    for _ in 0..9 {
        let start = Instant::now();
        let loaded = store.load_events("r").await?;
        times.push(start.elapsed());
        batches = loaded.len();
        bytes = loaded.iter().map(|batch| batch.bytes.len()).sum();
    }
    let p50 = percentile(&mut times, 50);
    println!("100,000 events, {per_batch} a batch: {batches} rows, {bytes} bytes, loaded in p50 {p50:?}");
    store.close().await?;
    Ok(())
}

/// Open, load the events of a run of 30 events and make the next commit; after a clean end and after a kill
/// (its files: a database with a log beside it).
async fn resume(path: &Path) -> Outcome<()> {
    let (dir, store) = open(path).await?;
    for n in 0..5 {
        let run = format!("r{n}");
        store.commit(begin(&run)).await?;
        for stage in 0..6 {
            let blobs = vec![Blob::new(noise(100 * n + stage, 50_000))?];
            store.commit(Commit { blobs, ..append(&run, 3 + stage * 4, 4) }).await?;
        }
    }
    let killed = path.with_extension("killed");
    std::fs::create_dir(&killed)?;
    for name in ["agentnative.db", "agentnative.db-wal", "lock"] {
        std::fs::copy(path.join(name), killed.join(name))?;
    }
    store.close().await?;
    drop((dir, store));
    for (name, source) in [("clean end", path), ("kill", &killed)] {
        let (mut opening, mut loading, mut committing) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..21 {
            let copy = source.with_extension(format!("copy-{round}"));
            std::fs::create_dir(&copy)?;
            for entry in std::fs::read_dir(source)? {
                let entry = entry?;
                let target = copy.join(entry.file_name());
                std::fs::copy(entry.path(), &target)?;
                // Otherwise the first fsync of the store would pay for this copy.
                std::fs::File::open(target)?.sync_all()?;
            }
            let start = Instant::now();
            let (_dir, store) = open(&copy).await?;
            opening.push(start.elapsed());
            let start = Instant::now();
            let batches = store.load_events("r4").await?;
            loading.push(start.elapsed());
            let last = batches.last().map_or(0, |batch| batch.seq_last);
            let start = Instant::now();
            store.commit(append("r4", last, 4)).await?;
            committing.push(start.elapsed());
            store.close().await?;
            std::fs::remove_dir_all(&copy)?;
        }
        println!(
            "resume after a {name}: open p50 {:?}, load p50 {:?}, first commit p50 {:?}",
            percentile(&mut opening, 50),
            percentile(&mut loading, 50),
            percentile(&mut committing, 50)
        );
    }
    Ok(())
}

async fn grouped(path: &Path) -> Outcome<()> {
    let (_dir, store) = open(path).await?;
    for n in 0..100 {
        store.commit(begin(&format!("r{n}"))).await?;
    }
    let before = store.stats();
    let start = Instant::now();
    let mut tasks = Vec::new();
    for n in 0..100 {
        let store = store.clone();
        tasks.push(tokio::spawn(async move { store.commit(append(&format!("r{n}"), 3, 4)).await }));
    }
    for task in tasks {
        task.await??;
    }
    let after = store.stats();
    let transactions = after.transactions - before.transactions;
    println!("100 concurrent commits: {:?} in {transactions} transactions", start.elapsed());
    store.close().await?;
    Ok(())
}

/// Adds up 100,000 calls, one every five minutes, of 50 sessions.
async fn usage(path: &Path) -> Outcome<()> {
    const EVERY_MS: i64 = 300_000;
    let (_dir, store) = open(path).await?;
    for n in 0..100_i64 {
        let calls = (0..1_000_i64).map(|c| NewModelCall {
            at_ms: (n * 1_000 + c) * EVERY_MS,
            stage: ["plan", "calibrate", "write"][(c % 3) as usize].to_owned(),
            call: "plan#1.0.0".to_owned(),
            r#try: 1,
            connection: "work".to_owned(),
            provider: "anthropic".to_owned(),
            model: format!("model-{}", c % 4),
            usage: domain::Usage { input: c.cast_unsigned(), output: 10, ..domain::Usage::default() },
            cost: domain::NanoUsd(1_000),
            ms: 1_500,
            request_id: Some(format!("req_{n}_{c}")),
            ..NewModelCall::default()
        });
        let mut commit = begin(&format!("r{n}"));
        if let RunChange::Create(new) = &mut commit.change {
            new.session.id = format!("20260102-session-{}", n / 2);
        }
        store
            .commit(Commit { model_calls: calls.collect(), durability: Durability::Normal, ..commit })
            .await?;
    }
    for (name, filter) in [
        ("all", ModelCallFilter::default()),
        (
            "a month",
            ModelCallFilter {
                from_ms: Some(100_000 * EVERY_MS - 30 * 86_400_000),
                ..ModelCallFilter::default()
            },
        ),
        (
            "a session",
            ModelCallFilter { session: Some("20260102-session-7".to_owned()), ..ModelCallFilter::default() },
        ),
    ] {
        let start = Instant::now();
        let sums = store.usage_sums(&filter, 60).await?;
        let summed = start.elapsed();
        let start = Instant::now();
        store.list_model_calls(&filter, None, 200).await?;
        println!(
            "usage: {} calls ({name}) of 100,000 summed in {summed:?}, 200 listed in {:?}",
            sums.total.calls,
            start.elapsed()
        );
    }
    Ok(store.close().await?)
}
