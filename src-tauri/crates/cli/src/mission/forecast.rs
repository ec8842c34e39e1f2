//! `mission start --dry-run`: what a mission would begin with, and what it is likely to cost.

use std::collections::BTreeMap;

use app::AnyClient;
use app::mission::LimitUse;
use domain::{NanoUsd, Problem};
use missions::{Criterion, ForecastBounds, measure};
use protocol::{Client, MissionForecast, MissionStart};

use crate::outcome::Outcome;
use crate::terminal::{print_json, printable};

/// Prints it; nothing is started.
pub(super) async fn dry_run(client: &AnyClient, start: MissionStart, json: bool) -> Result<Outcome, Problem> {
    let found = client.mission_forecast(Box::new(start)).await?;
    if json {
        return print_json(&found);
    }
    let outline = &found.outline;
    println!("{}  {}", outline.profile, printable(&outline.profile_name));
    println!("connection {}, model {}", printable(&outline.connection), printable(&outline.model));
    println!("agents:");
    for agent in &outline.agents {
        let base = agent.base.as_ref().map(|base| format!(", reads {base}")).unwrap_or_default();
        let can = agent.capabilities.join(", ");
        println!("  {}", printable(&format!("{} ({can}){base}", agent.agent)));
    }
    for why in &outline.left_out {
        println!("without {}", printable(why));
    }
    criteria(&outline.criteria);
    limits(&outline.limits);
    println!("forecast: {}", printable(&words(&found)));
    println!("Nothing was started.");
    Ok(Outcome::Done)
}

/// What each criterion has to reach.
pub(super) fn criteria(criteria: &BTreeMap<String, Criterion>) {
    let targets = criteria.iter().map(|(name, of)| match of.target {
        0 => format!("no {name}"),
        target => format!("{name} {}", measure(name, target)),
    });
    println!("criteria: {}", printable(&targets.collect::<Vec<_>>().join(", ")));
}

/// The limits that there are.
pub(super) fn limits(limits: &[LimitUse]) {
    let words = limits.iter().filter_map(|one| Some(format!("{} {}", one.dimension, one.amount(one.limit?))));
    println!("limits: {}", printable(&words.collect::<Vec<_>>().join(", ")));
}

/// The forecast in words; what is not known is said to be unknown.
fn words(found: &MissionForecast) -> String {
    let forecast = &found.forecast;
    let often = match (forecast.fewest, forecast.most) {
        (fewest, most) if fewest == most => format!("{most} invocations"),
        (fewest, most) => format!("{fewest} to {most} invocations"),
    };
    if found.outline.offline {
        return format!("{often}; nothing is paid, there is no model");
    }
    let paid = if found.equivalent { ", as an equivalent" } else { "" };
    let money = range(forecast.cost, paid, |cost| NanoUsd(cost).to_string());
    let mut parts = vec![often, money.unwrap_or_else(|| "the cost is unknown".to_owned())];
    parts.extend(range(forecast.tokens, " tokens", |tokens| tokens.to_string()));
    if !forecast.unknown.is_empty() {
        let names: Vec<&str> = forecast.unknown.iter().map(|agent| agent.as_str()).collect();
        parts.push(format!("no run is known of {}", names.join(", ")));
    }
    parts.join("; ")
}

/// What is known of two ends in words; `None` where neither is.
fn range(of: ForecastBounds, unit: &str, shown: impl Fn(u64) -> String) -> Option<String> {
    match (of.low, of.high) {
        (Some(low), Some(high)) if low == high => Some(format!("{}{unit}", shown(high))),
        (Some(low), Some(high)) => Some(format!("{} to {}{unit}", shown(low), shown(high))),
        (Some(low), None) => Some(format!("at least {}{unit}", shown(low))),
        (None, Some(high)) => Some(format!("at most {}{unit}", shown(high))),
        (None, None) => None,
    }
}
