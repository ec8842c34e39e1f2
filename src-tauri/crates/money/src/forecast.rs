//! What a run is likely to cost, and what came of that.

use domain::{ForecastRange, NanoUsd, RunStatus, RunUse};
use protocol::{Forecast, RunState};

/// What a run is likely to cost, where it costs. What is likely, only runs of the same depth tell; the most is where a limit
/// stops it.
pub fn forecast_line(forecast: &Forecast) -> Option<String> {
    if forecast.most == Some(NanoUsd(0)) && !forecast.unpriced {
        return None;
    }
    let model = &forecast.model;
    let paid = if forecast.equivalent { ", as an equivalent" } else { "" };
    let stop = forecast.limit.as_ref().map(|limit| format!(" ({})", limit.name())).unwrap_or_default();
    let most = match forecast.most {
        Some(most) => format!("at most {most}{stop}"),
        None if forecast.unpriced => "no price is known".to_owned(),
        None if forecast.equivalent => "a flat rate pays".to_owned(),
        None => "no limit on money stops it".to_owned(),
    };
    let range = forecast.range;
    let like = if range.runs == 1 { "one run".to_owned() } else { format!("{} runs", range.runs) };
    Some(match (range.runs, forecast.unpriced) {
        (0, _) => format!("{model}: {most}; no earlier run of this agent at this depth"),
        (_, true) => format!("{model}: likely {} tokens (from {like} like it); {most}", range.tokens.likely),
        (_, false) => format!(
            "{model}: likely {}, {} to {} in four of five runs{paid}, {most} (from {like} like it)",
            NanoUsd(range.cost.likely),
            NanoUsd(range.cost.low),
            NanoUsd(range.cost.high),
        ),
    })
}

/// What a run that asked a model was expected to use beside what it used, once it is finished.
pub fn foreseen(state: &RunState) -> Option<String> {
    let forecast = state.forecast.filter(|_| state.status == RunStatus::Completed && !state.no_model)?;
    let used = RunUse {
        cost: NanoUsd(state.cost.0.saturating_add(state.equivalent.0)),
        tokens: state.usage.total(),
    };
    let range = match forecast.counts_money(&used) {
        true => {
            let money = |amount: u64| NanoUsd(amount).to_string();
            let ForecastRange { low, likely, high } = forecast.cost;
            [money(low), money(likely), money(high), money(used.cost.0)]
        }
        false => {
            let ForecastRange { low, likely, high } = forecast.tokens;
            [low, likely, high, used.tokens].map(|tokens| format!("{tokens} tokens"))
        }
    };
    let [low, likely, high, actual] = range;
    let from = match forecast.runs {
        // What is likely, only runs of the same depth tell.
        0 if forecast.counts_money(&used) => return Some(format!("forecast: at most {high}; used {actual}")),
        0 => return None,
        1 => "from one earlier run".to_owned(),
        runs => format!("from {runs} earlier runs"),
    };
    let within = if forecast.covers(&used) { "within it" } else { "outside of it" };
    Some(format!("forecast: likely {likely}, {low} to {high} ({from}); used {actual}, {within}"))
}
