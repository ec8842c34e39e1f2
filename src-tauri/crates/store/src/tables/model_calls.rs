//! Requests to models that ended, one row each: what they used and what it cost.
//!
//! Rows outlive their run and session: what was spent stays spent. They keep ids, never a title.

use domain::{NanoUsd, Usage};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::schema::Migration;

/// No sum of what one column may hold reaches the end of SQLite's integers, which would fail the sum.
const MAX_TOKENS: u64 = 1_000_000_000_000;
const MAX_COST_NANO_USD: u64 = 100_000_000_000_000;
const LATEST_MS: i64 = 1 << 53;

// What a call is summed by stands once in `model_call_kinds`, so that sums read narrow rows and group by a number.
// `flags`: 1 a flat rate pays, 2 no price is known, 4 it failed.
pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 3,
    sql: "CREATE TABLE model_call_kinds(
            no INTEGER PRIMARY KEY,
            agent TEXT NOT NULL,
            stage TEXT NOT NULL,
            connection TEXT NOT NULL,
            provider TEXT NOT NULL,
            model TEXT NOT NULL,
            UNIQUE(agent, stage, connection, provider, model)
          ) STRICT;
          CREATE TABLE model_calls(
            no INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            kind INTEGER NOT NULL REFERENCES model_call_kinds(no),
            flags INTEGER NOT NULL,
            input INTEGER NOT NULL,
            output INTEGER NOT NULL,
            thinking INTEGER NOT NULL,
            cache_read INTEGER NOT NULL,
            cache_write INTEGER NOT NULL,
            cache_write_long INTEGER NOT NULL,
            cost INTEGER NOT NULL,
            ms INTEGER NOT NULL,
            session TEXT NOT NULL,
            run TEXT NOT NULL,
            call TEXT NOT NULL,
            try INTEGER NOT NULL,
            request_id TEXT
          ) STRICT;
          CREATE INDEX model_calls_by_time ON model_calls(at);
          CREATE INDEX model_calls_by_session ON model_calls(session);
          CREATE INDEX model_calls_by_run ON model_calls(run);",
}];

/// Parameters: run id, stage, connection, provider, model.
pub(crate) const INSERT_KIND: &str = "INSERT INTO model_call_kinds(agent, stage, connection, provider, model) \
     VALUES((SELECT agent FROM runs WHERE id = ?), ?, ?, ?, ?) ON CONFLICT DO NOTHING;";

/// Parameters: time, run id, stage, connection, provider, model, flags, input, output, thinking, cache read, cache
/// write, the long part of it, cost, milliseconds, run id, run id, call, try, request id.
pub(crate) const INSERT: &str = "INSERT INTO model_calls(at, kind, flags, input, output, thinking, cache_read, \
     cache_write, cache_write_long, cost, ms, session, run, call, try, request_id) \
     VALUES(?, (SELECT no FROM model_call_kinds WHERE agent = (SELECT agent FROM runs WHERE id = ?) AND stage = ? \
     AND connection = ? AND provider = ? AND model = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, \
     (SELECT sessions.id FROM runs JOIN sessions ON sessions.no = runs.session WHERE runs.id = ?), ?, ?, ?, ?);";

/// Column order of [`ModelCall::from_row`]; filters are appended.
pub(crate) const SELECT: &str = "SELECT c.no, c.at, c.flags, c.input, c.output, c.thinking, c.cache_read, c.cache_write, \
     c.cache_write_long, c.cost, c.ms, c.session, c.run, c.call, c.try, c.request_id, \
     k.agent, k.stage, k.connection, k.provider, k.model \
     FROM model_calls c JOIN model_call_kinds k ON k.no = c.kind WHERE ";

/// Column order of [`UsageTotals::from_row`], from some column on.
pub(crate) const SUMS: &str = "count(*), sum((flags & 4) > 0), sum((flags & 2) > 0), sum(input), sum(output), sum(thinking), \
     sum(cache_read), sum(cache_write), sum(cache_write_long), sum(iif(flags & 1, 0, cost)), sum(iif(flags & 1, cost, 0)) ";

/// A request that ended, as the engine tells of it. The session and the agent are those of the commit's run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewModelCall {
    /// When it ended, in milliseconds since 1970.
    pub at_ms: i64,
    /// The stage's id.
    pub stage: String,
    /// The call's key.
    pub call: String,
    /// Which attempt of it, from 1.
    pub r#try: u32,
    /// The connection's slug.
    pub connection: String,
    /// The provider's name.
    pub provider: String,
    /// The model that answered, or was asked.
    pub model: String,
    /// Tokens.
    pub usage: Usage,
    /// What it cost, or would have cost.
    pub cost: NanoUsd,
    /// Whether the cost is only an equivalent: a flat rate pays.
    pub equivalent: bool,
    /// Whether no price of the model is known.
    pub unpriced: bool,
    /// Whether it failed.
    pub failed: bool,
    /// Milliseconds it took.
    pub ms: u64,
    /// The id under which the provider's support finds it.
    pub request_id: Option<String>,
}

impl NewModelCall {
    /// As the column holds it.
    pub(crate) fn flags(&self) -> i64 {
        i64::from(self.equivalent) | i64::from(self.unpriced) << 1 | i64::from(self.failed) << 2
    }

    /// The time as the column holds it.
    pub(crate) fn time(&self) -> i64 {
        self.at_ms.clamp(-LATEST_MS, LATEST_MS)
    }

    /// Token counts in the columns' order.
    pub(crate) fn tokens(&self) -> [i64; 6] {
        let Usage { input, output, thinking, cache_read, cache_write, cache_write_long } = self.usage;
        [input, output, thinking, cache_read, cache_write, cache_write_long]
            .map(|tokens| tokens.min(MAX_TOKENS).cast_signed())
    }

    /// The cost as the column holds it.
    pub(crate) fn nano(&self) -> i64 {
        self.cost.0.min(MAX_COST_NANO_USD).cast_signed()
    }
}

/// A request that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCall {
    /// Place in the list of calls.
    pub cursor: ModelCallCursor,
    /// Id of its session, which may be gone.
    pub session: String,
    /// Id of its run, which may be gone.
    pub run: String,
    /// Slug of the agent.
    pub agent: String,
    /// What the engine told of it.
    pub call: NewModelCall,
}

/// Place of a call in the order of their ends, independent of any clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelCallCursor(pub i64);

fn count(row: &SqliteRow, at: usize) -> sqlx::Result<u64> {
    Ok(row.try_get::<Option<i64>, _>(at)?.unwrap_or_default().cast_unsigned())
}

/// Six token counts from column `at` on.
fn usage(row: &SqliteRow, at: usize) -> sqlx::Result<Usage> {
    Ok(Usage {
        input: count(row, at)?,
        output: count(row, at + 1)?,
        thinking: count(row, at + 2)?,
        cache_read: count(row, at + 3)?,
        cache_write: count(row, at + 4)?,
        cache_write_long: count(row, at + 5)?,
    })
}

impl ModelCall {
    pub(crate) fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        let flags: i64 = row.try_get(2)?;
        Ok(Self {
            cursor: ModelCallCursor(row.try_get(0)?),
            session: row.try_get(11)?,
            run: row.try_get(12)?,
            agent: row.try_get(16)?,
            call: NewModelCall {
                at_ms: row.try_get(1)?,
                stage: row.try_get(17)?,
                call: row.try_get(13)?,
                r#try: u32::try_from(row.try_get::<i64, _>(14)?).unwrap_or_default(),
                connection: row.try_get(18)?,
                provider: row.try_get(19)?,
                model: row.try_get(20)?,
                usage: usage(row, 3)?,
                cost: NanoUsd(count(row, 9)?),
                equivalent: flags & 1 != 0,
                unpriced: flags & 2 != 0,
                failed: flags & 4 != 0,
                ms: count(row, 10)?,
                request_id: row.try_get(15)?,
            },
        })
    }
}

/// Usage added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UsageTotals {
    /// Requests that were answered.
    pub calls: u64,
    /// Requests that failed.
    pub failed: u64,
    /// Requests whose model has no known price.
    pub unpriced: u64,
    /// Tokens.
    pub usage: Usage,
    /// Money that is billed by use.
    pub cost: NanoUsd,
    /// What flat rates would have cost by use.
    pub equivalent: NanoUsd,
}

impl UsageTotals {
    pub(crate) fn from_row(row: &SqliteRow, at: usize) -> sqlx::Result<Self> {
        let failed = count(row, at + 1)?;
        Ok(Self {
            calls: count(row, at)?.saturating_sub(failed),
            failed,
            unpriced: count(row, at + 2)?,
            usage: usage(row, at + 3)?,
            cost: NanoUsd(count(row, at + 9)?),
            equivalent: NanoUsd(count(row, at + 10)?),
        })
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.failed += other.failed;
        self.unpriced += other.unpriced;
        self.usage += other.usage;
        self.cost += other.cost;
        self.equivalent += other.equivalent;
    }
}
