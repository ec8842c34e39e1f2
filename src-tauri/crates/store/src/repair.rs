//! A fresh database of everything that can still be read of a damaged one. The damaged one is only read.
//!
//! Tables are copied by ranges of their keys; where a range can't be read it is halved until what is unreadable is
//! cornered. What the table no longer leads to is then read from its leaves. Rows whose session or run is lost get a
//! placeholder, so that they stay in sight. Indexes, projections and the index of words are made anew.

mod header;
mod leaves;
mod pages;
mod rest;

use std::fs;
use std::path::Path;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row};

use crate::backup::Watch;
use crate::data_dir::{DataDir, private_file};
use crate::error::{Result, StoreError, from_io};
use crate::integrity::Finding;
use crate::open::CREATE;
use crate::repair::header::{beside, duplicate, mend_header};
use crate::repair::rest::Unread;
use crate::schema::Schema;
use crate::tables::{packs, passages};

/// Ranges of one table that may fail. Beyond, what is left of it is looked for in the leaves.
const MAX_FAILURES: u32 = 1_000;
/// Keys that are copied at once, so that one can tell how far it is.
const PIECE: i64 = 4_096;
/// How far keys are looked for when the last one can't be read, and how many empty pieces end the search.
const EMPTY_PIECES: u32 = 64;

/// What a repair brought over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RepairReport {
    /// What could not be read, and what was done about what depended on it.
    pub findings: Vec<Finding>,
    /// Rows that were copied.
    pub rows: u64,
    /// Sessions in the fresh database.
    pub sessions: u64,
    /// Runs in it.
    pub runs: u64,
    /// Bytes of it.
    pub bytes: u64,
}

/// Copies all that can be read of a directory's database into a fresh one at `target`, checked and synced. The database may
/// be open. `Ok(None)`: `watch` stopped it.
///
/// # Errors
/// [`StoreError::Newer`]; [`StoreError::Corrupt`] when not even the list of its tables can be read; those of writing.
pub async fn salvage(dir: &DataDir, target: &Path, watch: Watch) -> Result<Option<RepairReport>> {
    let work = target.with_extension("damaged");
    let outcome = copied(dir, target, &work, watch).await;
    for path in [work.clone(), beside(&work, "-wal"), beside(&work, "-shm")] {
        let _ = fs::remove_file(path);
    }
    if !matches!(outcome, Ok(Some(_))) {
        let _ = fs::remove_file(target);
    }
    outcome
}

async fn copied(dir: &DataDir, target: &Path, work: &Path, watch: Watch) -> Result<Option<RepairReport>> {
    let failed = |error: sqlx::Error| dir.failure("repairing the database", &error);
    // A database that is open is read where it is; of any other a copy is, since opening one may change it.
    let source = if dir.is_claimed() {
        dir.database()
    } else {
        duplicate(&dir.database(), work)?;
        duplicate(&dir.write_ahead_log(), &beside(work, "-wal"))?;
        mend_header(work)?;
        work.to_owned()
    };
    private_file(target).map_err(|error| from_io("making a fresh database", target, &error))?;
    let mut db = SqliteConnectOptions::new()
        .filename(target)
        .foreign_keys(false)
        .disable_statement_logging()
        .connect()
        .await
        .map_err(failed)?;
    let mut copy = Copy {
        dir,
        db: &mut db,
        watch,
        done: RepairReport::default(),
        stopped: false,
        unread: Vec::new(),
        lost_schema: None,
    };
    let version = match copy.attach(&source).await {
        Ok(()) => copy.source_version().await?,
        // SQLite gives nothing of a file without a list of its tables. Their leaves are there all the same.
        Err(error @ StoreError::Corrupt { .. }) => {
            copy.lost_schema = Some(error);
            copy.header_version(&source)?
        }
        Err(error) => return Err(error),
    };
    copy.build(version).await?;
    copy.tables().await?;
    if !copy.stopped {
        copy.leaves(&source).await?;
    }
    if copy.stopped {
        return Ok(None);
    }
    copy.rebuild_projections(version).await?;
    copy.close(version).await?;
    let done = std::mem::take(&mut copy.done);
    db.close().await.map_err(failed)?;
    support::sync_file(target).map_err(|error| from_io("syncing a fresh database", target, &error))?;
    let bytes = fs::metadata(target).map_or(0, |meta| meta.len());
    Ok(Some(RepairReport { bytes, ..done }))
}

struct Copy<'a> {
    dir: &'a DataDir,
    db: &'a mut SqliteConnection,
    watch: Watch,
    done: RepairReport,
    stopped: bool,
    /// What has to be looked for in the leaves.
    unread: Vec<Unread>,
    /// Why the list of tables can't be read, where it can't.
    lost_schema: Option<StoreError>,
}

/// A table of the fresh database.
struct Table {
    name: String,
    /// Its columns that both databases have, quoted, with commas.
    columns: String,
    key: Key,
}

/// What the rows of a table are found by.
enum Key {
    /// The number of the row.
    Row,
    /// A column of numbers, the first of the key.
    Number(String),
    /// Columns that are no numbers.
    Words(String),
}

/// A range of keys that could not be read.
#[derive(Debug, Clone, Copy)]
struct Lost {
    from: i64,
    to: i64,
}

impl Copy<'_> {
    fn failed(&self, error: &sqlx::Error) -> StoreError {
        self.dir.failure("repairing the database", error)
    }

    /// Safe: texts of this module, with names as the schemas have them.
    async fn run(&mut self, sql: String) -> sqlx::Result<u64> {
        sqlx::query(AssertSqlSafe(sql))
            .persistent(false)
            .execute(&mut *self.db)
            .await
            .map(|done| done.rows_affected())
    }

    async fn must(&mut self, sql: String) -> Result<u64> {
        let done = self.run(sql).await;
        done.map_err(|error| self.failed(&error))
    }

    async fn attach(&mut self, source: &Path) -> Result<()> {
        let Some(path) = source.to_str() else {
            return Err(StoreError::BadPath {
                path: source.to_owned(),
                detail: "its name is not valid UTF-8".to_owned(),
            });
        };
        let mut uri = String::from("file:");
        for c in path.chars() {
            match c {
                '%' | '?' | '#' => uri.push_str(&format!("%{:02x}", u32::from(c))),
                _ => uri.push(c),
            }
        }
        uri.push_str("?mode=ro");
        // A copy has no index of its log yet, which only one who writes can make.
        let uri = if source == self.dir.database() { uri } else { uri.replace("?mode=ro", "?mode=rw") };
        let attached = sqlx::query("ATTACH ? AS damaged").bind(uri).execute(&mut *self.db).await;
        attached.map(drop).map_err(|error| self.failed(&error))
    }

    async fn source_version(&mut self) -> Result<u32> {
        let found: sqlx::Result<i64> =
            sqlx::query_scalar("PRAGMA damaged.user_version").fetch_one(&mut *self.db).await;
        let found = found.map_err(|error| self.failed(&error))?;
        let found = u32::try_from(found).unwrap_or(u32::MAX);
        let supported = Schema::CURRENT.version;
        if found > supported {
            return Err(StoreError::Newer { found, supported });
        }
        // A header that was lost does not say it any more.
        Ok(if found == 0 { supported } else { found })
    }

    /// Tables and indexes of a version, without triggers.
    async fn build(&mut self, version: u32) -> Result<()> {
        self.must("PRAGMA main.journal_mode = OFF".to_owned()).await?;
        self.must("PRAGMA main.synchronous = OFF".to_owned()).await?;
        let made = sqlx::raw_sql(CREATE).execute(&mut *self.db).await;
        made.map_err(|error| self.failed(&error))?;
        for step in 1..=version {
            let made =
                sqlx::raw_sql(AssertSqlSafe(Schema::CURRENT.script(step))).execute(&mut *self.db).await;
            made.map_err(|error| self.failed(&error))?;
        }
        for (name, _) in self.triggers().await? {
            self.must(format!("DROP TRIGGER main.\"{name}\"")).await?;
        }
        Ok(())
    }

    async fn triggers(&mut self) -> Result<Vec<(String, String)>> {
        let rows = sqlx::query_as("SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger'")
            .fetch_all(&mut *self.db)
            .await;
        rows.map_err(|error| self.failed(&error))
    }

    async fn tables(&mut self) -> Result<()> {
        // The index of words and what it was made of are made anew from the logs.
        let names: sqlx::Result<Vec<(String, i64)>> = sqlx::query_as(
            "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
             AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT IN ('passages', 'packed') ORDER BY name",
        )
        .fetch_all(&mut *self.db)
        .await;
        let names = names.map_err(|error| self.failed(&error))?;
        if self.lost_schema.is_some() {
            self.unread.extend(names.into_iter().map(|(name, _)| Unread::whole(name)));
            return Ok(());
        }
        let readable: sqlx::Result<Vec<String>> =
            sqlx::query_scalar("SELECT name FROM damaged.sqlite_schema WHERE type = 'table'")
                .fetch_all(&mut *self.db)
                .await;
        let readable = readable.map_err(|error| self.failed(&error))?;
        let total = names.len() as u64;
        for (number, (name, without_rowid)) in names.into_iter().enumerate() {
            if !(self.watch)(number as u64, total) {
                self.stopped = true;
                return Ok(());
            }
            if !readable.contains(&name) {
                self.find(&name, "the table is not there");
                continue;
            }
            let table = self.table(name, without_rowid != 0).await?;
            self.copy_table(&table, number as u64, total).await?;
            if self.stopped {
                return Ok(());
            }
        }
        Ok(())
    }

    fn find(&mut self, place: &str, detail: impl Into<String>) {
        self.done.findings.push(Finding::new(place, detail));
    }

    async fn table(&mut self, name: String, without_rowid: bool) -> Result<Table> {
        // Generated columns make themselves.
        let columns: sqlx::Result<Vec<(String, String, i64)>> = sqlx::query_as(
            "SELECT name, type, pk FROM pragma_table_xinfo(?1, 'main') WHERE hidden = 0 \
             AND name IN (SELECT name FROM pragma_table_xinfo(?1, 'damaged')) ORDER BY cid",
        )
        .bind(name.clone())
        .fetch_all(&mut *self.db)
        .await;
        let columns = columns.map_err(|error| self.failed(&error))?;
        let first = columns.iter().find(|(_, _, pk)| *pk == 1);
        let key = match first {
            Some((column, kind, _)) if without_rowid && kind == "INTEGER" => {
                Key::Number(format!("\"{column}\""))
            }
            Some((column, ..)) if without_rowid => Key::Words(format!("\"{column}\"")),
            _ => Key::Row,
        };
        let mut list: Vec<String> = columns.iter().map(|(column, ..)| format!("\"{column}\"")).collect();
        // A table without a number of its own keeps those of its rows.
        if matches!(key, Key::Row) && !columns.iter().any(|(_, kind, pk)| *pk == 1 && kind == "INTEGER") {
            list.insert(0, "rowid".to_owned());
        }
        Ok(Table { name, columns: list.join(", "), key })
    }

    async fn copy_table(&mut self, table: &Table, number: u64, total: u64) -> Result<()> {
        let (name, columns) = (&table.name, &table.columns);
        let copy = format!(
            "INSERT OR IGNORE INTO main.\"{name}\"({columns}) SELECT {columns} FROM damaged.\"{name}\""
        );
        let key = match &table.key {
            Key::Row => "rowid".to_owned(),
            Key::Number(column) => column.clone(),
            Key::Words(column) => return self.copy_ends(name, &copy, column).await,
        };
        let bound = async |db: &mut SqliteConnection, order: &str| -> sqlx::Result<Option<i64>> {
            let sql =
                format!("SELECT {key} FROM damaged.\"{name}\" NOT INDEXED ORDER BY {key} {order} LIMIT 1");
            sqlx::query_scalar(AssertSqlSafe(sql)).fetch_optional(db).await
        };
        let (first, last) = (bound(self.db, "ASC").await, bound(self.db, "DESC").await);
        if let (Ok(None), Ok(_)) | (Ok(_), Ok(None)) = (&first, &last) {
            return Ok(());
        }
        // The first key of a table is hardly ever far from one; below it are only keys that somebody set by hand.
        let (mut at, known) =
            (first.ok().flatten().unwrap_or(1).min(1), last.as_ref().ok().copied().flatten());
        let (mut lost, mut failures, mut empty) = (Vec::new(), 0, 0);
        loop {
            match known {
                Some(last) if at > last => break,
                None if empty >= EMPTY_PIECES => break,
                _ => {}
            }
            if !(self.watch)(number, total) {
                self.stopped = true;
                return Ok(());
            }
            let end = at.saturating_add(PIECE - 1).min(known.unwrap_or(i64::MAX));
            let before = self.done.rows;
            self.copy_range(&copy, &key, (at, end), &mut lost, &mut failures).await?;
            empty = if self.done.rows == before { empty + 1 } else { 0 };
            at = end + 1;
        }
        // Beyond the last row that was found, nobody knows whether there was anything.
        if known.is_none() || !lost.is_empty() {
            let keys = Some(key);
            self.unread.push(Unread {
                table: name.clone(),
                key: keys,
                lost: joined(lost),
                open: known.is_none(),
            });
        }
        Ok(())
    }

    /// Copies what can be read of a range; halves it where that fails.
    async fn copy_range(
        &mut self,
        copy: &str,
        key: &str,
        range: (i64, i64),
        lost: &mut Vec<Lost>,
        failures: &mut u32,
    ) -> Result<()> {
        let mut ranges = vec![range];
        while let Some((from, to)) = ranges.pop() {
            match self.run(format!("{copy} NOT INDEXED WHERE {key} BETWEEN {from} AND {to}")).await {
                Ok(rows) => self.done.rows += rows,
                Err(error) => {
                    match self.failed(&error) {
                        StoreError::Corrupt { .. } | StoreError::Refused { .. } => {}
                        other => return Err(other),
                    }
                    *failures += 1;
                    if from == to || *failures >= MAX_FAILURES {
                        lost.push(Lost { from, to });
                    } else {
                        let middle = from + (to - from) / 2;
                        ranges.push((middle + 1, to));
                        ranges.push((from, middle));
                    }
                }
            }
        }
        Ok(())
    }

    /// Copies a table by words: from its beginning and from its end as far as each can be read.
    async fn copy_ends(&mut self, name: &str, copy: &str, key: &str) -> Result<()> {
        for order in ["ASC", "DESC"] {
            let mut limit: u64 = u64::MAX >> 1;
            let mut whole = true;
            while limit > 0 {
                match self.run(format!("{copy} ORDER BY {key} {order} LIMIT {limit}")).await {
                    Ok(rows) => {
                        self.done.rows += rows;
                        break;
                    }
                    Err(error) => match self.failed(&error) {
                        StoreError::Corrupt { .. } | StoreError::Refused { .. } => {
                            // The first halvings are far beyond any table.
                            limit = if whole { 1 << 20 } else { limit / 2 };
                            whole = false;
                        }
                        other => return Err(other),
                    },
                }
            }
            if whole {
                return Ok(());
            }
        }
        self.unread.push(Unread::whole(name.to_owned()));
        Ok(())
    }

    /// Gives what lost its owner a placeholder, and makes projections anew.
    async fn rebuild_projections(&mut self, version: u32) -> Result<()> {
        let orphaned = "SELECT DISTINCT run FROM main.run_events WHERE run NOT IN (SELECT no FROM main.runs)";
        let runs = self.numbers(orphaned).await?;
        for no in &runs {
            self.must(format!(
                "INSERT INTO main.runs(no, id, session, agent, status, created_at, updated_at, title, meta_codec, meta) \
                 VALUES({no}, 'recovered-run-{no}', -1, '', 'failed', 0, 0, 'Recovered', 0, x'')"
            ))
            .await?;
            self.find("runs", format!("run {no} was lost and has its events again, as recovered-run-{no}"));
        }
        let mut owners = vec!["runs"];
        owners.extend((version >= 2).then_some("drafts"));
        owners.extend((version >= 4).then_some("queue"));
        for owner in owners {
            let sql = format!(
                "SELECT DISTINCT session FROM main.{owner} WHERE session IS NOT NULL AND session NOT IN (SELECT no FROM main.sessions)"
            );
            for no in self.numbers(&sql).await? {
                self.placeholder(no, version).await?;
            }
        }
        if version >= 3 {
            let sql = "INSERT INTO main.model_call_kinds(no, agent, stage, connection, provider, model) \
                 SELECT DISTINCT kind, '', 'lost-' || kind, '', '', '' FROM main.model_calls \
                 WHERE kind NOT IN (SELECT no FROM main.model_call_kinds)";
            self.must(sql.to_owned()).await?;
        }
        // What only says something about a row that is lost says nothing any more; the damaged file still has it.
        let references: sqlx::Result<Vec<(String, String, String, String)>> = sqlx::query_as(
            "SELECT list.name, keys.\"from\", keys.\"table\", keys.\"to\" FROM pragma_table_list AS list \
             JOIN pragma_foreign_key_list(list.name, 'main') AS keys WHERE list.schema = 'main' AND list.type = 'table'",
        )
        .fetch_all(&mut *self.db)
        .await;
        for (table, column, of, to) in references.map_err(|error| self.failed(&error))? {
            let sql = format!(
                "DELETE FROM main.\"{table}\" WHERE \"{column}\" IS NOT NULL AND \"{column}\" NOT IN (SELECT \"{to}\" FROM main.\"{of}\")"
            );
            let gone = self.must(sql).await?;
            if gone > 0 {
                self.find(&table, format!("{gone} rows referred to lost {of}"));
            }
        }
        self.cut_logs().await?;
        if version >= 2 {
            self.must(
                "UPDATE main.sessions SET runs = (SELECT count(*) FROM main.runs r WHERE r.session = sessions.no".to_owned()
                    + if version >= 4 { " AND r.parent IS NULL)" } else { ")" },
            )
            .await?;
            let listed = if version >= 4 { "WHERE parent IS NULL" } else { "" };
            self.must(format!(
                "UPDATE main.sessions SET latest_run = last.id, latest_agent = last.agent, latest_status = last.status, latest_line = last.line \
                 FROM (SELECT id, agent, status, line, session, max(no) FROM main.runs {listed} GROUP BY session) AS last \
                 WHERE last.session = sessions.no AND (latest_run IS NULL OR latest_run NOT IN (SELECT id FROM main.runs))"
            ))
            .await?;
        }
        if version >= 5 {
            self.must(packs::INDEX.to_owned()).await?;
            self.must(packs::DELETE_LOST_PIECES.to_owned()).await?;
            // The texts are indexed anew while the program runs.
            self.must("UPDATE main.runs SET indexed = 0".to_owned()).await?;
            self.must(
                "UPDATE main.sessions SET messages = 0, documents = 0, attachments = 0, last_role = NULL, last_message_at = 0".to_owned(),
            )
            .await?;
            self.must("DELETE FROM main.title_words".to_owned()).await?;
            let title = if version >= 8 { passages::INDEXED_TITLE } else { "title" };
            self.must(format!(
                "INSERT INTO main.title_words(rowid, text) SELECT no, {title} FROM main.sessions"
            ))
            .await?;
        }
        Ok(())
    }

    async fn placeholder(&mut self, no: i64, version: u32) -> Result<()> {
        let more = if version >= 2 { ", place" } else { "" };
        let place =
            if version >= 2 { ", (SELECT coalesce(max(place), 0) + 1 FROM main.sessions)" } else { "" };
        let (id, at) = (
            if no < 0 { "recovered".to_owned() } else { format!("recovered-{no}") },
            "SELECT coalesce(min(created_at), 0) FROM main.runs",
        );
        self.must(format!(
            "INSERT INTO main.sessions(no, id, created_at, title{more}) \
             VALUES({no}, '{id}', ({at} WHERE session = {no}), 'Recovered'{place})"
        ))
        .await?;
        self.find("sessions", format!("session {no} was lost; what belonged to it is in {id}"));
        Ok(())
    }

    /// A log ends before its first gap: what comes after can't be folded.
    async fn cut_logs(&mut self) -> Result<()> {
        let gaps: sqlx::Result<Vec<(i64, String, i64)>> = sqlx::query_as(
            "SELECT runs.no, runs.id, min(log.seq_first) FROM (SELECT run, seq_first, seq_last, \
               1 + lag(seq_last, 1, 0) OVER (PARTITION BY run ORDER BY seq_first) AS wanted FROM main.run_events) AS log \
             JOIN main.runs ON runs.no = log.run WHERE log.seq_first <> log.wanted GROUP BY log.run",
        )
        .fetch_all(&mut *self.db)
        .await;
        for (no, run, seq) in gaps.map_err(|error| self.failed(&error))? {
            let gone = self
                .must(format!("DELETE FROM main.run_events WHERE run = {no} AND seq_first >= {seq}"))
                .await?;
            self.find(
                &format!("run {run}"),
                format!("events before {seq} are lost; {gone} batches behind them were left out"),
            );
        }
        Ok(())
    }

    async fn numbers(&mut self, sql: &str) -> Result<Vec<i64>> {
        let rows = sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_all(&mut *self.db).await;
        rows.map_err(|error| self.failed(&error))
    }

    /// Makes the triggers again and checks the whole.
    async fn close(&mut self, version: u32) -> Result<()> {
        if self.lost_schema.is_none() {
            let detached = sqlx::query("DETACH damaged").execute(&mut *self.db).await;
            detached.map_err(|error| self.failed(&error))?;
        }
        for sql in triggers_of(version).await.map_err(|error| self.failed(&error))? {
            self.must(sql).await?;
        }
        let verdict: sqlx::Result<String> =
            sqlx::query_scalar("PRAGMA integrity_check(1)").fetch_one(&mut *self.db).await;
        let verdict = verdict.map_err(|error| self.failed(&error))?;
        let orphans = sqlx::query("PRAGMA foreign_key_check").fetch_all(&mut *self.db).await;
        let orphans: Vec<SqliteRow> = orphans.map_err(|error| self.failed(&error))?;
        if verdict != "ok" || !orphans.is_empty() {
            let table: String = orphans.first().and_then(|row| row.try_get(0).ok()).unwrap_or_default();
            return Err(self
                .dir
                .corrupt(format!("what could be read of it does not fit together: {verdict} {table}")));
        }
        let counts: sqlx::Result<(i64, i64)> =
            sqlx::query_as("SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM runs)")
                .fetch_one(&mut *self.db)
                .await;
        let (sessions, runs) = counts.map_err(|error| self.failed(&error))?;
        (self.done.sessions, self.done.runs) = (sessions.cast_unsigned(), runs.cast_unsigned());
        Ok(())
    }
}

/// The triggers of a version, from an empty database of it.
async fn triggers_of(version: u32) -> sqlx::Result<Vec<String>> {
    let mut db = SqliteConnectOptions::new().in_memory(true).disable_statement_logging().connect().await?;
    for step in 1..=version {
        sqlx::raw_sql(AssertSqlSafe(Schema::CURRENT.script(step))).execute(&mut db).await?;
    }
    let triggers =
        sqlx::query_scalar("SELECT sql FROM sqlite_schema WHERE type = 'trigger'").fetch_all(&mut db).await;
    db.close().await?;
    triggers
}

/// Ranges that follow each other as one.
fn joined(mut lost: Vec<Lost>) -> Vec<Lost> {
    lost.sort_by_key(|range| range.from);
    let mut joined: Vec<Lost> = Vec::new();
    for range in lost {
        match joined.last_mut() {
            Some(last) if last.to + 1 == range.from => last.to = range.to,
            _ => joined.push(range),
        }
    }
    joined
}
