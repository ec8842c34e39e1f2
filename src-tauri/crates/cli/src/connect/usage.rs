//! `usage`.

use std::path::Path;

use domain::connection::OFFLINE;
use domain::{NanoUsd, Problem};
use money::{change_limits, limits_table};
use protocol::{Client, ForecastReport, LimitReport, UsageQuery, UsageSum, UsageSummary};

use super::args::{UsageArgs, UsageGrouping};
use crate::outcome::Outcome;
use crate::run::with_client;
use crate::terminal::{print_either, printable, utc_offset_minutes};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// `usage`.
pub async fn usage(home: &Path, args: UsageArgs) -> Result<Outcome, Problem> {
    let UsageArgs { days, by, session, run, agent, connection, model, forecasts, limits, amounts, csv, json } =
        args;
    if limits || !amounts.is_empty() {
        return with_client(home, async |client| {
            if !amounts.is_empty() {
                change_limits(client, &amounts, connection.as_deref()).await?;
            }
            let report = client.usage_limits().await?;
            let table = |report: &LimitReport| println!("{}", limits_table(report, connection.as_deref()));
            print_either(json, &report, table);
            Ok(Outcome::Done)
        })
        .await;
    }
    if forecasts {
        return with_client(home, async |client| {
            let report = client.usage_forecasts(agent).await?;
            print_either(json, &report, print_forecasts);
            Ok(Outcome::Done)
        })
        .await;
    }
    let offset = utc_offset_minutes();
    let from = since(days, offset);
    let query =
        UsageQuery { from, utc_offset_minutes: offset, session, run, agent, connection, model, to: None };
    with_client(home, async |client| {
        if csv {
            let file = client.usage_export(query).await?;
            println!("{}", file.path);
            return Ok(Outcome::Done);
        }
        let summary = client.usage_show(query).await?;
        print_either(json, &summary, |summary| print(summary, by));
        Ok(Outcome::Done)
    })
    .await
}

fn print_forecasts(report: &ForecastReport) {
    if report.runs == 0 {
        eprintln!("No finished run has a forecast yet: each new run gets one when it starts.");
        return;
    }
    println!("{:<36} {:>6} {:>13} {:>13} {:>13}", "", "runs", "from history", "within range", "used/likely");
    let share =
        |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", share * 100.0));
    let ratio = |ratio: Option<f64>| ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
    let line = |title: &str, runs: u32, history: u32, coverage: Option<f64>, median: Option<f64>| {
        let title: String = printable(title).chars().take(36).collect();
        println!("{title:<36} {runs:>6} {history:>13} {:>13} {:>13}", share(coverage), ratio(median));
    };
    for one in &report.agents {
        line(&one.title, one.runs, one.from_history, one.coverage, one.median_ratio);
    }
    line("in all", report.runs, report.from_history, report.coverage, report.median_ratio);
}

/// The start of the first of so many days of this machine's time zone, the present one included.
fn since(days: u32, offset_minutes: i32) -> Option<i64> {
    let now = support::now_ms();
    let begun = (now + i64::from(offset_minutes) * 60_000).rem_euclid(DAY_MS);
    (days > 0).then(|| now - begun - i64::from(days - 1) * DAY_MS)
}

fn print(summary: &UsageSummary, by: UsageGrouping) {
    let sums = match by {
        UsageGrouping::Day => &summary.days,
        UsageGrouping::Agent => &summary.agents,
        UsageGrouping::Model => &summary.models,
        UsageGrouping::Connection => &summary.connections,
        UsageGrouping::Session => &summary.sessions,
        UsageGrouping::Stage => &summary.stages,
    };
    if summary.total.calls + summary.total.failed == 0 {
        eprintln!("No model was asked in this period.");
        return;
    }
    println!(
        "{:<36} {:>7} {:>12} {:>12} {:>12} {:>12} {:>12}",
        "", "calls", "input", "cached", "output", "thinking", "cost"
    );
    for sum in sums {
        row(sum, if sum.title.is_empty() { &sum.key } else { &sum.title });
    }
    row(&summary.total, "in all");
    if summary.connections.iter().any(|sum| sum.key == OFFLINE) {
        println!("The offline engine asks no model: its calls have no tokens.");
    }
    if summary.total.equivalent > NanoUsd(0) {
        println!("Flat-rate connections would have cost {} by use.", summary.total.equivalent);
    }
    if summary.total.unpriced > 0 {
        println!(
            "{} requests went to models without a known price; they count as nothing.",
            summary.total.unpriced
        );
    }
}

fn row(sum: &UsageSum, title: &str) {
    let title: String = printable(title).chars().take(36).collect();
    println!(
        "{title:<36} {:>7} {:>12} {:>12} {:>12} {:>12} {:>12}",
        sum.calls,
        sum.usage.input + sum.usage.cache_write,
        sum.usage.cache_read,
        sum.usage.output,
        sum.usage.thinking,
        sum.cost.to_string()
    );
}
