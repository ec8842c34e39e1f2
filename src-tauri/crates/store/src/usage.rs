//! What model calls used: sums, lists, and what a forecast goes by.

use std::collections::{BTreeMap, HashMap};

use domain::{NanoUsd, Usage};
use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row, Sqlite};

use crate::error::Result;
use crate::queries::{MAX_PAGE, page};
use crate::store::Store;
use crate::tables::model_calls::{self, ModelCall, ModelCallCursor, UsageTotals};

/// Most sessions of a sum.
const MAX_SESSIONS: u32 = 50;
/// Most calls that statistics look back.
const LOOK_BACK: u32 = 2_000;
const DAY_MS: i64 = 86_400_000;

/// Which calls; the default is all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelCallFilter {
    /// Only those that ended at this time, in milliseconds since 1970, or later.
    pub from_ms: Option<i64>,
    /// Only those that ended before this time.
    pub to_ms: Option<i64>,
    /// Only of this session id.
    pub session: Option<String>,
    /// Only of sessions of this workspace; those of sessions that were deleted for good are left out.
    pub workspace: Option<String>,
    /// Only of this run id.
    pub run: Option<String>,
    /// Only of this agent.
    pub agent: Option<String>,
    /// Only over this connection.
    pub connection: Option<String>,
    /// Only of this model.
    pub model: Option<String>,
}

/// Usage added up. Groups by money spent or saved, dearest first; those that cost nothing by tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UsageSums {
    /// All of it.
    pub total: UsageTotals,
    /// By day since 1970-01-01, oldest first.
    pub days: Vec<(i64, UsageTotals)>,
    /// By agent.
    pub agents: Vec<(String, UsageTotals)>,
    /// By model.
    pub models: Vec<(String, UsageTotals)>,
    /// By connection.
    pub connections: Vec<(String, UsageTotals)>,
    /// By agent and stage.
    pub stages: Vec<((String, String), UsageTotals)>,
    /// By session, the 50 dearest: its id and, where it still exists, its title.
    pub sessions: Vec<(String, Option<String>, UsageTotals)>,
}

/// Some calls, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCallPage {
    /// The calls.
    pub calls: Vec<ModelCall>,
    /// Where the next page begins; `None` after the last.
    pub next: Option<ModelCallCursor>,
}

/// What a stage used in earlier runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StageStatistics {
    /// The stage's id.
    pub stage: String,
    /// Runs that asked a model in it.
    pub runs: u32,
    /// Requests that were answered, by run.
    pub calls_per_run: f64,
    /// Tokens of one answered request, each kind on average.
    pub mean: Usage,
    /// Input tokens of one answered request, cached ones included.
    pub input: Distribution,
    /// Output tokens of one answered request.
    pub output: Distribution,
}

/// How a number is spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Distribution {
    /// Half are at most this.
    pub median: u64,
    /// Nine of ten are at most this.
    pub most_of_all: u64,
    /// The largest.
    pub largest: u64,
}

impl Distribution {
    fn of(mut numbers: Vec<u64>) -> Self {
        numbers.sort_unstable();
        // Nearest rank: a number that really occurred.
        let rank = |percent: usize| {
            let at = (numbers.len() * percent).div_ceil(100).saturating_sub(1);
            numbers.get(at).copied().unwrap_or_default()
        };
        Self { median: rank(50), most_of_all: rank(90), largest: rank(100) }
    }
}

struct Kind {
    agent: String,
    stage: String,
    connection: String,
    model: String,
}

impl Store {
    /// Adds up what calls used. Days are cut at midnight, `utc_offset_minutes` east of UTC.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn usage_sums(&self, filter: &ModelCallFilter, utc_offset_minutes: i32) -> Result<UsageSums> {
        let (mut sums, sessions) =
            tokio::try_join!(self.sums_by_kind(filter, utc_offset_minutes), self.sums_by_session(filter))?;
        sums.sessions = sessions;
        Ok(sums)
    }

    async fn sums_by_kind(&self, filter: &ModelCallFilter, utc_offset_minutes: i32) -> Result<UsageSums> {
        let mut db = self.reader().await?;
        let rows = sqlx::query("SELECT no, agent, stage, connection, model FROM model_call_kinds")
            .fetch_all(&mut *db)
            .await
            .map_err(|error| self.failed(&error))?;
        let kind = |row: &SqliteRow| -> sqlx::Result<(i64, Kind)> {
            let [agent, stage, connection, model] =
                [row.try_get(1)?, row.try_get(2)?, row.try_get(3)?, row.try_get(4)?];
            Ok((row.try_get(0)?, Kind { agent, stage, connection, model }))
        };
        let kinds: sqlx::Result<HashMap<i64, Kind>> = rows.iter().map(kind).collect();
        let kinds = kinds.map_err(|error| self.unreadable(&error))?;

        // Rounded down also before 1970 and west of Greenwich, which division is not.
        let offset = i64::from(utc_offset_minutes) * 60_000;
        let mut query = QueryBuilder::<Sqlite>::new("SELECT (at + ");
        query.push_bind(offset).push(" - (((at + ").push_bind(offset);
        query.push(format!(
            ") % {DAY_MS}) + {DAY_MS}) % {DAY_MS}) / {DAY_MS} AS day, kind, {}",
            model_calls::SUMS
        ));
        query.push("FROM model_calls c WHERE ");
        push_filter(&mut query, filter);
        query.push(" GROUP BY day, kind");
        let rows = query.build().fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        drop(db);

        let mut total = UsageTotals::default();
        let mut days = BTreeMap::<i64, UsageTotals>::new();
        let mut by_kind = HashMap::<i64, UsageTotals>::new();
        for row in &rows {
            let read = || -> sqlx::Result<_> {
                Ok((row.try_get(0)?, row.try_get(1)?, UsageTotals::from_row(row, 2)?))
            };
            let (day, kind, sum): (i64, i64, _) = read().map_err(|error| self.unreadable(&error))?;
            total.add(&sum);
            days.entry(day).or_default().add(&sum);
            by_kind.entry(kind).or_default().add(&sum);
        }
        let known = || by_kind.iter().filter_map(|(no, sum)| Some((kinds.get(no)?, sum)));
        Ok(UsageSums {
            total,
            days: days.into_iter().collect(),
            agents: grouped(known().map(|(kind, sum)| (kind.agent.clone(), sum))),
            models: grouped(known().map(|(kind, sum)| (kind.model.clone(), sum))),
            connections: grouped(known().map(|(kind, sum)| (kind.connection.clone(), sum))),
            stages: grouped(known().map(|(kind, sum)| ((kind.agent.clone(), kind.stage.clone()), sum))),
            sessions: Vec::new(),
        })
    }

    /// The run that a run works for in the end, or itself, and what is billed by use of all that works for it, by connection.
    pub async fn tree_costs(&self, run: &str) -> Result<(String, BTreeMap<String, NanoUsd>)> {
        let sql = "WITH RECURSIVE above(id, parent) AS (SELECT id, parent FROM runs WHERE id = ? UNION \
             SELECT runs.id, runs.parent FROM runs JOIN above ON runs.id = above.parent), \
             below(id) AS (SELECT id FROM above WHERE parent IS NULL UNION SELECT runs.id FROM runs JOIN below ON parent = below.id) \
             SELECT (SELECT id FROM above WHERE parent IS NULL), k.connection, sum(iif(c.flags & 1, 0, c.cost)) \
             FROM below LEFT JOIN model_calls c ON c.run = below.id LEFT JOIN model_call_kinds k ON k.no = c.kind GROUP BY 2";
        let mut db = self.reader().await?;
        let rows =
            sqlx::query(sql).bind(run).fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let (mut root, mut costs) = (run.to_owned(), BTreeMap::new());
        for row in &rows {
            let read = || Ok((row.try_get(0)?, row.try_get(1)?, row.try_get::<Option<i64>, _>(2)?));
            let (of, over, cost): (_, Option<String>, _) = read().map_err(|error| self.unreadable(&error))?;
            root = of;
            costs.extend(over.map(|over| (over, NanoUsd(cost.unwrap_or(0).cast_unsigned()))));
        }
        Ok((root, costs))
    }

    async fn sums_by_session(
        &self,
        filter: &ModelCallFilter,
    ) -> Result<Vec<(String, Option<String>, UsageTotals)>> {
        let mut query = QueryBuilder::<Sqlite>::new("SELECT sums.*, sessions.title FROM (SELECT session, ");
        query.push(model_calls::SUMS).push("FROM model_calls c WHERE ");
        push_filter(&mut query, filter);
        query.push(" GROUP BY session ORDER BY sum(cost) DESC, sum(input + output + cache_read + cache_write) DESC, ");
        query.push("session LIMIT ").push_bind(i64::from(MAX_SESSIONS));
        query.push(") AS sums LEFT JOIN sessions ON sessions.id = sums.session");
        let mut db = self.reader().await?;
        let rows = query.build().fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let read = |row: &SqliteRow| -> sqlx::Result<_> {
            Ok((row.try_get(0)?, row.try_get(12)?, UsageTotals::from_row(row, 1)?))
        };
        let rows: sqlx::Result<Vec<(String, Option<String>, UsageTotals)>> = rows.iter().map(read).collect();
        let mut rows = rows.map_err(|error| self.unreadable(&error))?;
        // A join promises no order.
        rows.sort_by(|one, other| order(&one.0, &one.2, &other.0, &other.2));
        Ok(rows)
    }

    /// Up to `limit` calls (at most [`MAX_PAGE`]) before `before`, newest first.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn list_model_calls(
        &self,
        filter: &ModelCallFilter,
        before: Option<ModelCallCursor>,
        limit: u32,
    ) -> Result<ModelCallPage> {
        let limit = limit.clamp(1, MAX_PAGE);
        self.newest_calls(filter, before, limit).await
    }

    async fn newest_calls(
        &self,
        filter: &ModelCallFilter,
        before: Option<ModelCallCursor>,
        limit: u32,
    ) -> Result<ModelCallPage> {
        let mut query = QueryBuilder::<Sqlite>::new(model_calls::SELECT);
        query.push("c.no < ").push_bind(before.map_or(i64::MAX, |cursor| cursor.0)).push(" AND ");
        push_filter(&mut query, filter);
        query.push(" ORDER BY c.no DESC LIMIT ").push_bind(i64::from(limit) + 1);
        let mut db = self.reader().await?;
        let rows = query.build().fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let (calls, more) = page(&rows, limit, ModelCall::from_row, |error| self.unreadable(error))?;
        let next = more.then(|| calls.last().map(|call: &ModelCall| call.cursor)).flatten();
        Ok(ModelCallPage { calls, next })
    }

    /// What each stage used in the newest `runs` runs that pass `filter`, and how many runs these are. A run that still
    /// exists counts only when its status word is `status`: one that broke off says little of a whole one. Looks
    /// back over at most 2,000 calls.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn stage_statistics(
        &self,
        filter: &ModelCallFilter,
        status: &str,
        runs: u32,
    ) -> Result<(u32, Vec<StageStatistics>)> {
        let found = self.newest_calls(filter, None, LOOK_BACK).await?;
        let mut ids: Vec<&str> = Vec::new();
        for call in &found.calls {
            if !ids.contains(&call.run.as_str()) {
                ids.push(&call.run);
            }
        }
        if found.next.is_some() && ids.len() > 1 {
            // The oldest run may begin before what was looked at.
            ids.pop();
        }
        let mut query = QueryBuilder::<Sqlite>::new("SELECT id FROM runs WHERE status <> ");
        query.push_bind(status.to_owned()).push(" AND id IN (");
        let mut list = query.separated(", ");
        for id in &ids {
            list.push_bind((*id).to_owned());
        }
        query.push(")");
        let mut db = self.reader().await?;
        let rows = query.build().fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        drop(db);
        let broken: sqlx::Result<Vec<String>> = rows.iter().map(|row| row.try_get(0)).collect();
        let broken = broken.map_err(|error| self.unreadable(&error))?;
        ids.retain(|id| !broken.iter().any(|other| other == id));
        ids.truncate(runs as usize);

        let mut stages = BTreeMap::<&str, Vec<&ModelCall>>::new();
        for call in found.calls.iter().filter(|call| !call.call.failed && ids.contains(&call.run.as_str())) {
            stages.entry(&call.call.stage).or_default().push(call);
        }
        let statistics = stages.into_iter().map(|(stage, calls)| statistics(stage, &calls)).collect();
        Ok((u32::try_from(ids.len()).unwrap_or(u32::MAX), statistics))
    }
}

fn statistics(stage: &str, calls: &[&ModelCall]) -> StageStatistics {
    let mut runs: Vec<&str> = calls.iter().map(|call| call.run.as_str()).collect();
    runs.sort_unstable();
    runs.dedup();
    let number = calls.len().max(1) as u64;
    let mut sum = Usage::default();
    calls.iter().for_each(|call| sum += call.call.usage);
    let mean = Usage {
        input: sum.input / number,
        output: sum.output / number,
        thinking: sum.thinking / number,
        cache_read: sum.cache_read / number,
        cache_write: sum.cache_write / number,
        cache_write_long: sum.cache_write_long / number,
    };
    let input = |usage: Usage| usage.total().saturating_sub(usage.output);
    StageStatistics {
        stage: stage.to_owned(),
        runs: u32::try_from(runs.len()).unwrap_or(u32::MAX),
        calls_per_run: calls.len() as f64 / runs.len().max(1) as f64,
        mean,
        input: Distribution::of(calls.iter().map(|call| input(call.call.usage)).collect()),
        output: Distribution::of(calls.iter().map(|call| call.call.usage.output).collect()),
    }
}

/// Sums by key, dearest first.
fn grouped<'s, K: Ord + Clone>(sums: impl Iterator<Item = (K, &'s UsageTotals)>) -> Vec<(K, UsageTotals)> {
    let mut groups = BTreeMap::<K, UsageTotals>::new();
    for (key, sum) in sums {
        groups.entry(key).or_default().add(sum);
    }
    let mut groups: Vec<(K, UsageTotals)> = groups.into_iter().collect();
    groups.sort_by(|one, other| order(&one.0, &one.1, &other.0, &other.1));
    groups
}

fn order<K: Ord>(key: &K, sum: &UsageTotals, other_key: &K, other: &UsageTotals) -> std::cmp::Ordering {
    let dear = |sum: &UsageTotals| (sum.cost + sum.equivalent, sum.usage.total());
    dear(other).cmp(&dear(sum)).then_with(|| key.cmp(other_key))
}

/// Conditions on `model_calls AS c`; at least one.
fn push_filter(query: &mut QueryBuilder<Sqlite>, filter: &ModelCallFilter) {
    query.push("TRUE");
    if let Some(from) = filter.from_ms {
        query.push(" AND c.at >= ").push_bind(from);
    }
    if let Some(to) = filter.to_ms {
        query.push(" AND c.at < ").push_bind(to);
    }
    if let Some(session) = &filter.session {
        query.push(" AND c.session = ").push_bind(session.clone());
    }
    if let Some(workspace) = &filter.workspace {
        query.push(" AND c.session IN (SELECT id FROM sessions WHERE workspace = ");
        query.push_bind(workspace.clone()).push(")");
    }
    if let Some(run) = &filter.run {
        query.push(" AND c.run = ").push_bind(run.clone());
    }
    let kinds = [("agent", &filter.agent), ("connection", &filter.connection), ("model", &filter.model)];
    if kinds.iter().any(|(_, asked)| asked.is_some()) {
        query.push(" AND c.kind IN (SELECT no FROM model_call_kinds WHERE TRUE");
        for (column, asked) in kinds {
            if let Some(asked) = asked {
                query.push(format!(" AND {column} = ")).push_bind(asked.clone());
            }
        }
        query.push(")");
    }
}
