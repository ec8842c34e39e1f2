//! What model calls used: sums, rows, and a table for other programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use domain::connection::OFFLINE;
use domain::{ErrorCode, Problem, Usage};
use protocol::{Exported, UsageQuery, UsageRow, UsageSum, UsageSummary};
use store::{ModelCall, ModelCallFilter, NewModelCall, UsageSums, UsageTotals};
use support::blocking;
use tokio::io::AsyncWriteExt as _;
use workspace::Workspace;

use crate::Connections;

/// Rows of a list without a limit, and the most.
const DEFAULT_ROWS: u32 = 200;
/// The longest text that is given with the answer, in bytes.
const MAX_TEXT_BYTES: usize = 4 << 20;
/// Days are cut at most so far from UTC, in minutes.
const FARTHEST: i32 = 14 * 60;
const DAY_MS: i64 = 86_400_000;

/// The first row of a table.
const COLUMNS: &str = "ended_utc,session,run,agent,stage,call,try,connection,provider,model,input_tokens,output_tokens,\
thinking_tokens,cache_read_tokens,cache_write_tokens,cache_write_long_tokens,cost_usd,equivalent,unpriced,failed,ms,\
request_id";

/// Names of agents and their stages for people.
#[derive(Default)]
struct Names {
    agents: BTreeMap<String, String>,
    stages: BTreeMap<(String, String), String>,
}

impl Connections {
    /// Adds up what was used.
    pub async fn usage_show(&self, query: UsageQuery) -> Result<UsageSummary, Problem> {
        let filter = self.filter(&query)?;
        let files = self.env.files();
        let (mut sums, names) = tokio::try_join!(
            async { Ok(self.env.store().usage_sums(&filter, query.utc_offset_minutes).await?) },
            blocking(move || Ok(names(&files))),
        )?;
        if sums.connections.iter().any(|(slug, _)| slug == OFFLINE) {
            let offline = ModelCallFilter { connection: Some(OFFLINE.to_owned()), ..filter };
            let offline = self.env.store().usage_sums(&offline, query.utc_offset_minutes).await?;
            without_tokens(&mut sums, &offline);
        }
        let plain = |(key, sum): (String, UsageTotals)| row(key.clone(), key, sum);
        Ok(UsageSummary {
            total: row(String::new(), String::new(), sums.total),
            days: sums.days.into_iter().map(|(day, sum)| plain((date(day), sum))).collect(),
            agents: sums
                .agents
                .into_iter()
                .map(|(slug, sum)| row(slug.clone(), names.agents.get(&slug).cloned().unwrap_or(slug), sum))
                .collect(),
            models: sums.models.into_iter().map(plain).collect(),
            connections: sums.connections.into_iter().map(plain).collect(),
            sessions: sums
                .sessions
                .into_iter()
                .map(|(id, title, sum)| row(id.clone(), title.unwrap_or(id), sum))
                .collect(),
            stages: sums
                .stages
                .into_iter()
                .map(|(stage, sum)| {
                    let key = format!("{}/{}", stage.0, stage.1);
                    row(key.clone(), names.stages.get(&stage).cloned().unwrap_or(key), sum)
                })
                .collect(),
        })
    }

    /// What a query asks for, in the workspace alone.
    fn filter(&self, query: &UsageQuery) -> Result<ModelCallFilter, Problem> {
        Ok(ModelCallFilter { workspace: self.env.scope(), ..filter(query)? })
    }

    /// Single requests, newest first; at most 1,000.
    pub async fn usage_list(&self, query: UsageQuery, limit: u32) -> Result<Vec<UsageRow>, Problem> {
        let limit = if limit == 0 { DEFAULT_ROWS } else { limit.min(store::MAX_PAGE) };
        let page = self.env.store().list_model_calls(&self.filter(&query)?, None, limit).await?;
        Ok(page.calls.into_iter().map(listed).collect())
    }

    /// Writes usage as CSV (RFC 4180), one request a row, into the data directory's `exports`.
    pub async fn usage_export(&self, query: UsageQuery) -> Result<Exported, Problem> {
        let filter = self.filter(&query)?;
        let folder = self.env.home.join("exports");
        let failed = |error: std::io::Error| {
            Problem::new(ErrorCode::Storage, format!("{} could not be written: {error}", folder.display()))
                .with_action("free space or correct the permissions, then export again")
        };
        tokio::fs::create_dir_all(&folder).await.map_err(failed)?;
        let name = free_name(&folder);
        // A reader finds the whole table or none.
        let (path, fresh) = (folder.join(&name), folder.join(format!("{name}.new")));
        let mut file = tokio::fs::File::create(&fresh).await.map_err(failed)?;
        let (mut before, mut kept) = (None, Some(String::new()));
        let mut lines = format!("{COLUMNS}\r\n");
        loop {
            let page = self.env.store().list_model_calls(&filter, before, store::MAX_PAGE).await?;
            page.calls.iter().for_each(|call| write_line(&mut lines, call));
            file.write_all(lines.as_bytes()).await.map_err(failed)?;
            kept = kept.map(|kept| kept + &lines).filter(|kept| kept.len() <= MAX_TEXT_BYTES);
            lines.clear();
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        file.sync_all().await.map_err(failed)?;
        drop(file);
        tokio::fs::rename(&fresh, &path).await.map_err(failed)?;
        Ok(Exported { name, path: path.to_string_lossy().into_owned(), text: kept, data: None })
    }
}

/// Takes out the tokens of the offline engine: no model was given the texts that it counts.
fn without_tokens(sums: &mut UsageSums, offline: &UsageSums) {
    fn less<K: PartialEq>(all: &mut [(K, UsageTotals)], offline: &[(K, UsageTotals)]) {
        for (key, sum) in all {
            if let Some((_, none)) = offline.iter().find(|(of, _)| of == key) {
                sum.usage = sum.usage.since(&none.usage);
            }
        }
    }
    sums.total.usage = sums.total.usage.since(&offline.total.usage);
    less(&mut sums.days, &offline.days);
    less(&mut sums.agents, &offline.agents);
    less(&mut sums.models, &offline.models);
    less(&mut sums.connections, &offline.connections);
    less(&mut sums.stages, &offline.stages);
    for (id, _, sum) in &mut sums.sessions {
        if let Some((.., none)) = offline.sessions.iter().find(|(of, ..)| of == id) {
            sum.usage = sum.usage.since(&none.usage);
        }
    }
}

/// The tokens of a call: none where the offline engine made it.
fn tokens(call: &NewModelCall) -> Usage {
    if call.connection == OFFLINE { Usage::default() } else { call.usage }
}

fn filter(query: &UsageQuery) -> Result<ModelCallFilter, Problem> {
    if !(-FARTHEST..=FARTHEST).contains(&query.utc_offset_minutes) {
        return Err(Problem::new(
            ErrorCode::InvalidInput,
            format!("days can't be cut {} minutes from UTC; at most {FARTHEST}", query.utc_offset_minutes),
        ));
    }
    if let (Some(from), Some(to)) = (query.from, query.to)
        && from > to
    {
        return Err(Problem::new(ErrorCode::InvalidInput, "the time ends before it begins"));
    }
    let UsageQuery { from, to, session, run, agent, connection, model, .. } = query.clone();
    Ok(ModelCallFilter { from_ms: from, to_ms: to, session, workspace: None, run, agent, connection, model })
}

fn names(files: &Workspace) -> Names {
    let mut names = Names::default();
    for entry in files.agents() {
        let Ok(agent) = entry.agent else { continue };
        for stage in &agent.config.control_flow.stages {
            let title = format!("{}: {}", agent.config.name, stage.title);
            names.stages.insert((entry.slug.clone(), stage.id.to_string()), title);
        }
        names.agents.insert(entry.slug, agent.config.name);
    }
    names
}

fn row(key: String, title: String, sum: UsageTotals) -> UsageSum {
    let UsageTotals { calls, failed, unpriced, usage, cost, equivalent } = sum;
    UsageSum { key, title, calls, failed, usage, cost, equivalent, unpriced }
}

fn listed(row: ModelCall) -> UsageRow {
    let call = row.call;
    let usage = tokens(&call);
    UsageRow {
        at: call.at_ms,
        session: row.session,
        run: row.run,
        agent: row.agent,
        stage: call.stage,
        call: call.call,
        r#try: call.r#try,
        connection: call.connection,
        model: call.model,
        usage,
        cost: call.cost,
        equivalent: call.equivalent,
        unpriced: call.unpriced,
        failed: call.failed,
        ms: call.ms,
        request_id: call.request_id,
    }
}

/// `YYYY-MM-DD` of a day since 1970-01-01.
fn date(day: i64) -> String {
    let (year, month, day) = engine::date(day);
    format!("{year:04}-{month:02}-{day:02}")
}

/// `YYYY-MM-DDThh:mm:ss.mmmZ`.
fn moment(ms: i64) -> String {
    let (day, ms) = (ms.div_euclid(DAY_MS), ms.rem_euclid(DAY_MS));
    let (seconds, ms) = (ms / 1_000, ms % 1_000);
    format!("{}T{:02}:{:02}:{:02}.{ms:03}Z", date(day), seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

fn free_name(folder: &std::path::Path) -> String {
    let stamp: String =
        moment(support::now_ms()).chars().take(19).filter(|c| !matches!(c, '-' | ':')).collect();
    let names =
        (1..).map(|n| if n == 1 { format!("usage-{stamp}.csv") } else { format!("usage-{stamp}-{n}.csv") });
    names.into_iter().find(|name| !folder.join(name).exists()).unwrap_or_default()
}

/// One call as a line of the table. Money as decimal dollars, so that no program rounds it.
fn write_line(out: &mut String, row: &ModelCall) {
    let (call, usage) = (&row.call, tokens(&row.call));
    let dollars = format!("{}.{:09}", call.cost.0 / 1_000_000_000, call.cost.0 % 1_000_000_000);
    let texts = [&row.session, &row.run, &row.agent, &call.stage, &call.call].map(|text| cell(text));
    let _ = write!(out, "{},{},{}", moment(call.at_ms), texts.join(","), call.r#try);
    let texts = [&call.connection, &call.provider, &call.model].map(|text| cell(text));
    let _ = write!(out, ",{},{},{},{}", texts.join(","), usage.input, usage.output, usage.thinking);
    let _ = write!(out, ",{},{},{},{dollars}", usage.cache_read, usage.cache_write, usage.cache_write_long);
    let _ = write!(out, ",{},{},{},{}", call.equivalent, call.unpriced, call.failed, call.ms);
    let _ = write!(out, ",{}\r\n", cell(call.request_id.as_deref().unwrap_or_default()));
}

/// A text as RFC 4180 has it. What a spreadsheet would take for a formula gets an apostrophe before it.
fn cell(text: &str) -> String {
    let formula = text
        .starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}']);
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    if text.contains(['"', ',', '\r', '\n', '\'', ';', '\t']) || text.starts_with(' ') || text.ends_with(' ')
    {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn a_moment_is_written_in_utc_whatever_its_sign() {
        assert_eq!(moment(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(moment(1_793_494_861_007), "2026-11-01T01:01:01.007Z");
        assert_eq!(moment(-1), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn a_cell_is_quoted_where_it_must_be_and_never_a_formula() {
        assert_eq!(cell("plain-1"), "plain-1");
        assert_eq!(cell(""), "");
        assert_eq!(cell("a,\"b\"\nc"), "\"a,\"\"b\"\"\nc\"");
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\u{ff1d}1"] {
            assert!(cell(formula).starts_with("\"'"), "{formula:?}");
        }
    }
}
