//! What everything else is set against: a fixed loop of the processor, and raw SQLite commits that wait for the disk.

use std::path::Path;
use std::time::Instant;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};

use crate::figure::{Figure, median, ms};
use crate::{Bench, Outcome};

/// Steps of the processor's loop.
const STEPS: u64 = 200_000_000;

/// A bare database: one table, write-ahead log, an fsync for each commit. No library of ours is in between.
pub struct Raw {
    db: SqliteConnection,
    seed: u64,
}

impl Raw {
    /// A new one in a folder.
    pub async fn create(folder: &Path) -> Outcome<Self> {
        let mut db = SqliteConnectOptions::new()
            .filename(folder.join("raw.db"))
            .create_if_missing(true)
            .pragma("journal_mode", "WAL")
            .pragma("synchronous", "FULL")
            .disable_statement_logging()
            .connect()
            .await?;
        sqlx::raw_sql("CREATE TABLE log(no INTEGER PRIMARY KEY, bytes BLOB)").execute(&mut db).await?;
        Ok(Self { db, seed: 1 })
    }

    /// Commits so many new bytes that do not compress. Gives the commit's milliseconds.
    pub async fn commit(&mut self, len: usize) -> Outcome<f64> {
        self.seed += 1;
        let bytes = noise(self.seed, len);
        let start = Instant::now();
        sqlx::query("INSERT INTO log(bytes) VALUES(?)").bind(bytes).execute(&mut self.db).await?;
        Ok(ms(start.elapsed()))
    }

    /// The median of so many commits of so many bytes.
    pub async fn p50(&mut self, count: usize, len: usize) -> Outcome<f64> {
        let mut times = Vec::with_capacity(count);
        for _ in 0..count {
            times.push(self.commit(len).await?);
        }
        Ok(median(times))
    }

    /// Closes it.
    pub async fn close(self) -> Outcome<()> {
        Ok(self.db.close().await?)
    }
}

/// Bytes that do not compress, different for each seed.
fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed;
    let words = std::iter::repeat_with(|| mixed(&mut state).to_le_bytes());
    words.flatten().take(len).collect()
}

/// One step of splitmix64 (Steele, Lea and Flood, 2014).
fn mixed(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// How fast the machine is at the moment.
pub async fn calibration(bench: &Bench) -> Outcome<Vec<Figure>> {
    let start = Instant::now();
    let mut state = 7;
    let sum = (0..STEPS).fold(0u64, |sum, _| sum ^ mixed(&mut state));
    std::hint::black_box(sum);
    let loops = ms(start.elapsed());
    let folder = bench.scratch()?;
    let mut raw = Raw::create(folder.path()).await?;
    let small = raw.p50(200, 1_000).await?;
    let large = raw.p50(200, 50_000).await?;
    raw.close().await?;
    Ok(vec![
        Figure::plain("calibration.cpu-loop", loops, "ms"),
        Figure::plain("calibration.raw-commit-1kB-p50", small, "ms"),
        Figure::plain("calibration.raw-commit-50kB-p50", large, "ms"),
    ])
}
