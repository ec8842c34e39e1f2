//! Whether what is stored is sound: pages, indexes, references, logs, payloads, the index of words.

use std::fmt;

use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, Row};

use crate::backup::Watch;
use crate::codec::Unpacker;
use crate::commit::MAX_EVENTS_BYTES;
use crate::error::{Result, StoreError};
use crate::hash::BlobHash;
use crate::store::Store;
use crate::tables::blobs::checked_bytes;
use crate::tables::packs::{Pack, WRONG_NAME};
use crate::writer::{MaintenanceWork, WriteCommand};

/// Payloads that a sample looks at.
const SAMPLE: u64 = 1_000;
/// Findings of one kind that are told.
const TOLD: i64 = 20;
/// Rows that are read at once.
const PAGE: i64 = 200;

/// How much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The structure of all, and some payloads.
    Sample,
    /// Every payload, compared with its digest.
    Full,
}

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is about: a table, a run's id, a digest.
    pub place: String,
    /// What was found.
    pub detail: String,
}

impl Finding {
    pub(crate) fn new(place: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { place: place.into(), detail: detail.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.detail)
    }
}

/// What an examination found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IntegrityReport {
    /// What is not as it should be; empty: all is sound.
    pub findings: Vec<Finding>,
    /// Runs whose logs were looked at.
    pub runs: u64,
    /// Payloads that were read.
    pub blobs: u64,
}

impl Store {
    /// Looks at everything. Others read and write meanwhile. `Ok(None)`: `watch` stopped it.
    ///
    /// # Errors
    /// Only those that leave nothing to look at: what is damaged is a finding.
    pub async fn check_integrity(&self, depth: Depth, mut watch: Watch) -> Result<Option<IntegrityReport>> {
        let mut found = IntegrityReport::default();
        {
            let mut db = self.reader().await?;
            let pragma = match depth {
                Depth::Sample => "PRAGMA quick_check(20)",
                Depth::Full => "PRAGMA integrity_check(20)",
            };
            if !watch(0, 1) {
                return Ok(None);
            }
            for verdict in self.rows_or_finding(
                sqlx::query_scalar::<_, String>(pragma).fetch_all(&mut *db).await,
                &mut found,
            )? {
                if verdict != "ok" {
                    found.findings.push(Finding::new("database", verdict));
                }
            }
            let orphans = sqlx::query("PRAGMA foreign_key_check").fetch_all(&mut *db).await;
            for row in self.rows_or_finding(orphans, &mut found)?.iter().take(TOLD as usize) {
                let table: String = row.try_get(0).unwrap_or_default();
                found.findings.push(Finding::new(table, "a row refers to something that is gone"));
            }
            self.logs(&mut db, &mut found).await?;
        }
        for problem in self.tidy(MaintenanceWork::CheckWords).await? {
            found.findings.push(Finding::new("index for searching", problem));
        }
        if !self.payloads(depth, &mut watch, &mut found).await? {
            return Ok(None);
        }
        Ok(Some(found))
    }

    async fn logs(&self, db: &mut SqliteConnection, found: &mut IntegrityReport) -> Result<()> {
        let runs = sqlx::query_scalar::<_, i64>("SELECT count(*) FROM runs").fetch_all(&mut *db).await;
        found.runs = self.rows_or_finding(runs, found)?.first().copied().unwrap_or_default().cast_unsigned();
        let gaps = sqlx::query_as::<_, (String, i64, i64)>(
            "SELECT runs.id, log.seq_first, log.wanted FROM (SELECT run, seq_first, seq_last, \
               1 + lag(seq_last, 1, 0) OVER (PARTITION BY run ORDER BY seq_first) AS wanted FROM run_events) AS log \
             JOIN runs ON runs.no = log.run WHERE log.seq_first <> log.wanted OR log.seq_last < log.seq_first LIMIT ?",
        );
        for (run, first, wanted) in self.rows_or_finding(gaps.bind(TOLD).fetch_all(&mut *db).await, found)? {
            found.findings.push(Finding::new(
                format!("run {run}"),
                format!("its log goes on with event {first} where {wanted} belongs"),
            ));
        }
        let counts = sqlx::query_scalar::<_, String>(
            "SELECT id FROM sessions WHERE runs <> (SELECT count(*) FROM runs WHERE session = sessions.no AND parent IS NULL) LIMIT ?",
        );
        for session in self.rows_or_finding(counts.bind(TOLD).fetch_all(&mut *db).await, found)? {
            found
                .findings
                .push(Finding::new(format!("session {session}"), "the number of its runs is wrong"));
        }
        let unused = sqlx::query_scalar::<_, i64>(
            "SELECT count(*) FROM blobs WHERE NOT EXISTS (SELECT 1 FROM run_blobs WHERE blob = blobs.no)",
        );
        let unused = self
            .rows_or_finding(unused.fetch_all(&mut *db).await, found)?
            .first()
            .copied()
            .unwrap_or_default();
        if unused > 0 {
            found.findings.push(Finding::new("texts", format!("{unused} belong to no run")));
        }
        Ok(())
    }

    /// Reads payloads and events. False: it was stopped.
    async fn payloads(&self, depth: Depth, watch: &mut Watch, found: &mut IntegrityReport) -> Result<bool> {
        for table in [Payloads::Blobs, Payloads::Packs] {
            if !self.table(table, depth, watch, found).await? {
                return Ok(false);
            }
        }
        if depth == Depth::Full {
            return self.batches(watch, found).await;
        }
        Ok(true)
    }

    async fn table(
        &self,
        table: Payloads,
        depth: Depth,
        watch: &mut Watch,
        found: &mut IntegrityReport,
    ) -> Result<bool> {
        let (last, total): (i64, i64) = {
            let mut db = self.reader().await?;
            // Safe: a constant of this module.
            let sql = AssertSqlSafe(format!("SELECT coalesce(max(no), 0), count(*) FROM {}", table.name()));
            let counts = sqlx::query_as(sql).fetch_all(&mut *db).await;
            self.rows_or_finding(counts, found)?.first().copied().unwrap_or_default()
        };
        let step = match depth {
            Depth::Full => 1,
            Depth::Sample => (total / SAMPLE as i64).max(1),
        };
        let mut after = 0;
        while after < last {
            if !watch(after.cast_unsigned(), last.cast_unsigned()) {
                return Ok(false);
            }
            let mut db = self.reader().await?;
            let query = sqlx::query(table.rows()).bind(after).bind(step).bind(PAGE);
            let rows = query.fetch_all(&mut *db).await;
            let findings = found.findings.len();
            let rows = self.rows_or_finding(rows, found)?;
            if rows.is_empty() {
                // Unreadable pages were told of; behind them there may be more.
                if found.findings.len() == findings {
                    break;
                }
                after += PAGE;
                continue;
            }
            for row in &rows {
                after = row.try_get(0).map_err(|error| self.unreadable(&error))?;
                let looked = table.look(&mut db, row).await;
                let (number, fault) = looked.unwrap_or_else(|error| (1, Some(error.to_string())));
                found.blobs += number;
                found.findings.extend(fault.map(|detail| Finding::new("a text", detail)));
            }
        }
        Ok(true)
    }

    async fn batches(&self, watch: &mut Watch, found: &mut IntegrityReport) -> Result<bool> {
        let mut after = 0;
        loop {
            if !watch(0, 0) {
                return Ok(false);
            }
            let mut db = self.reader().await?;
            let rows = sqlx::query("SELECT e.no, e.codec, e.events, runs.id FROM run_events e LEFT JOIN runs ON runs.no = e.run WHERE e.no > ? ORDER BY e.no LIMIT ?")
                .bind(after)
                .bind(PAGE)
                .fetch_all(&mut *db)
                .await;
            let rows = self.rows_or_finding(rows, found)?;
            if rows.is_empty() {
                return Ok(true);
            }
            let mut unpacker = Unpacker::new();
            for row in &rows {
                after = row.try_get(0).map_err(|error| self.unreadable(&error))?;
                let read = row
                    .try_get(1)
                    .and_then(|codec| Ok((codec, row.try_get::<&[u8], _>(2)?)))
                    .map_err(|error| error.to_string())
                    .and_then(|(codec, data)| {
                        unpacker
                            .unpack(codec, data, MAX_EVENTS_BYTES)
                            .map(drop)
                            .map_err(|error| error.to_string())
                    });
                if let Err(detail) = read {
                    let run: String = row.try_get(3).unwrap_or_default();
                    found.findings.push(Finding::new(
                        format!("run {run}"),
                        format!("events that can't be read: {detail}"),
                    ));
                }
            }
        }
    }

    /// Rows, or a finding where the database is damaged there.
    fn rows_or_finding<T>(&self, rows: sqlx::Result<Vec<T>>, found: &mut IntegrityReport) -> Result<Vec<T>> {
        match rows.map_err(|error| self.failed(&error)) {
            Ok(rows) => Ok(rows),
            Err(StoreError::Corrupt { detail, .. }) => {
                found.findings.push(Finding::new("database", detail));
                Ok(Vec::new())
            }
            Err(other) => Err(other),
        }
    }

    /// Writes the whole database anew and gives what is free back: nothing of what was deleted is left in it. Needs as much
    /// space again for a while, and nobody else writes meanwhile.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn rewrite(&self) -> Result<()> {
        self.tidy(MaintenanceWork::Rewrite).await.map(drop)
    }

    pub(crate) async fn tidy(&self, what: MaintenanceWork) -> Result<Vec<String>> {
        self.order(|answer| WriteCommand::Tidy { what, answer }).await
    }
}

/// A table with payloads.
#[derive(Clone, Copy)]
enum Payloads {
    Blobs,
    Packs,
}

impl Payloads {
    const fn name(self) -> &'static str {
        match self {
            Self::Blobs => "blobs",
            Self::Packs => "packs",
        }
    }

    /// Parameters: last number, only those that this divides, most rows. The number comes first.
    const fn rows(self) -> &'static str {
        match self {
            Self::Blobs => {
                "SELECT no, hash, size, codec, data FROM blobs WHERE no > ? AND no % ? = 0 ORDER BY no LIMIT ?"
            }
            Self::Packs => {
                "SELECT no, names, codec, data, (SELECT count(*) FROM packed WHERE pack = packs.no AND name IN ( \
                   WITH RECURSIVE places(at) AS (SELECT 1 UNION ALL SELECT at + 6 FROM places WHERE at + 6 < length(names)) \
                   SELECT substr(names, at, 6) FROM places)) FROM packs WHERE no > ? AND no % ? = 0 ORDER BY no LIMIT ?"
            }
        }
    }

    /// How many payloads a row has, and what is wrong with it.
    async fn look(self, db: &mut SqliteConnection, row: &SqliteRow) -> sqlx::Result<(u64, Option<String>)> {
        match self {
            Self::Blobs => {
                let Ok(hash) = <[u8; 32]>::try_from(row.try_get::<&[u8], _>(1)?) else {
                    return Ok((1, Some("its digest has a wrong length".to_owned())));
                };
                let bytes = checked_bytes(row, 2, BlobHash::from_bytes(hash))?;
                Ok((1, bytes.err().map(|error| error.to_string())))
            }
            Self::Packs => {
                let pack = match Pack::read(db, row, 0).await? {
                    Ok(pack) => pack,
                    Err(error) => return Ok((1, Some(error.to_string()))),
                };
                let number = pack.len() as u64;
                let indexed = row.try_get::<i64, _>(4)?.cast_unsigned();
                let fault = if (0..pack.len()).any(|part| pack.get(part).is_none()) {
                    Some(WRONG_NAME)
                } else {
                    (indexed != number).then_some("the index of texts lacks it")
                };
                Ok((number, fault.map(str::to_owned)))
            }
        }
    }
}

/// The tables of words, by name.
const WORDS: &str = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual' \
     AND name IN (SELECT name FROM sqlite_schema WHERE sql LIKE '%USING fts5(%')";

/// What is wrong with the index of words.
pub(crate) async fn check_words(db: &mut SqliteConnection) -> sqlx::Result<Vec<String>> {
    let tables: Vec<String> = sqlx::query_scalar(WORDS).fetch_all(&mut *db).await?;
    let mut problems = Vec::new();
    for table in tables {
        // Safe: a table's name as the schema has it.
        let sql = format!("INSERT INTO \"{table}\"(\"{table}\") VALUES('integrity-check')");
        if let Err(error) = sqlx::query(AssertSqlSafe(sql)).execute(&mut *db).await {
            problems.push(format!("{table}: {error}"));
        }
    }
    Ok(problems)
}

/// Brings each index of words into one piece, without the words of what is gone.
pub(crate) async fn optimize_words(db: &mut SqliteConnection) -> sqlx::Result<()> {
    let tables: Vec<String> = sqlx::query_scalar(WORDS).fetch_all(&mut *db).await?;
    for table in tables {
        let sql = format!("INSERT INTO \"{table}\"(\"{table}\") VALUES('optimize')");
        sqlx::query(AssertSqlSafe(sql)).execute(&mut *db).await?;
    }
    Ok(())
}
