//! What a run was expected to use when it began, and how well that was foreseen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::NanoUsd;

/// A range that the outcome falls into four times of five.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForecastRange {
    /// One run in ten used less.
    pub low: u64,
    /// Half of the runs used less.
    pub likely: u64,
    /// One run in ten used more.
    pub high: u64,
}

impl ForecastRange {
    /// The range of what earlier runs used, by nearest rank; `None` without any.
    pub fn from_values(mut used: Vec<u64>) -> Option<Self> {
        used.sort_unstable();
        let rank = |tenths: usize| used.get((used.len() * tenths).div_ceil(10).max(1) - 1).copied();
        Some(Self { low: rank(1)?, likely: rank(5)?, high: rank(9)? })
    }

    /// Whether an outcome falls into it.
    pub fn covers(&self, used: u64) -> bool {
        (self.low..=self.high).contains(&used)
    }
}

/// What a run is expected to use, as it was known when it began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunForecast {
    /// Money, in billionths of a dollar; where a flat rate pays, what it would cost by use.
    pub cost: ForecastRange,
    /// Tokens, input and output.
    pub tokens: ForecastRange,
    /// Earlier runs of the same agent, model and depth that it comes from; 0: from the agent's limits alone.
    pub runs: u32,
    /// Whether no price of the model is known: then only the tokens count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unpriced: bool,
}

/// What a run used in the end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunUse {
    /// Money; what a flat rate paid for included, as it would have cost by use.
    pub cost: NanoUsd,
    /// Tokens, input and output.
    pub tokens: u64,
}

impl RunForecast {
    /// Whether money tells more than tokens: there is a price, and something was paid or expected.
    pub fn counts_money(&self, used: &RunUse) -> bool {
        !self.unpriced && self.cost.likely > 0 && used.cost.0 > 0
    }

    /// Whether the outcome fell into the range.
    pub fn covers(&self, used: &RunUse) -> bool {
        if self.counts_money(used) { self.cost.covers(used.cost.0) } else { self.tokens.covers(used.tokens) }
    }

    /// What was used over what was likely; `None` where nothing was expected.
    pub fn ratio(&self, used: &RunUse) -> Option<f64> {
        let (used, likely) = if self.counts_money(used) {
            (used.cost.0, self.cost.likely)
        } else {
            (used.tokens, self.tokens.likely)
        };
        (likely > 0).then(|| used as f64 / likely as f64)
    }
}

/// How well runs were foreseen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForecastScore {
    /// Finished runs that had a forecast.
    pub runs: u32,
    /// How many of them were forecast from earlier runs, not from limits.
    pub from_history: u32,
    /// The part of those from history whose outcome fell into the range, 0 to 1; absent without any.
    pub coverage: Option<f64>,
    /// The median of what was used over what was likely; absent where nothing was expected.
    pub median_ratio: Option<f64>,
}

impl ForecastScore {
    /// Of forecasts and what came of them.
    pub fn of(scored: &[(RunForecast, RunUse)]) -> Self {
        let from_history: Vec<_> = scored.iter().filter(|(forecast, _)| forecast.runs > 0).collect();
        let covered = from_history.iter().filter(|(forecast, used)| forecast.covers(used)).count();
        let mut ratios: Vec<f64> =
            scored.iter().filter_map(|(forecast, used)| forecast.ratio(used)).collect();
        ratios.sort_by(f64::total_cmp);
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let share = |part: usize, of: usize| (of > 0).then(|| (part as f64 / of as f64 * 1e4).round() / 1e4);
        Self {
            runs: count(scored.len()),
            from_history: count(from_history.len()),
            coverage: share(covered, from_history.len()),
            median_ratio: median(&ratios).map(|ratio| (ratio * 1e4).round() / 1e4),
        }
    }
}

fn median(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    if sorted.len() % 2 == 1 { Some(upper) } else { Some(f64::midpoint(*sorted.get(middle - 1)?, upper)) }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn a_range_is_the_lowest_tenth_the_middle_and_the_highest_tenth() {
        assert_eq!(ForecastRange::from_values(Vec::new()), None);
        assert_eq!(ForecastRange::from_values(vec![7]), Some(ForecastRange { low: 7, likely: 7, high: 7 }));
        assert_eq!(
            ForecastRange::from_values(vec![3, 1, 2]),
            Some(ForecastRange { low: 1, likely: 2, high: 3 })
        );
        let many = (1..=50).rev().collect();
        assert_eq!(ForecastRange::from_values(many), Some(ForecastRange { low: 5, likely: 25, high: 45 }));
    }

    fn forecast(likely: u64, runs: u32) -> RunForecast {
        let range = ForecastRange { low: likely / 2, likely, high: likely * 2 };
        RunForecast { cost: range, tokens: range, runs, unpriced: false }
    }

    fn used(amount: u64) -> RunUse {
        RunUse { cost: NanoUsd(amount), tokens: amount }
    }

    #[test]
    fn coverage_counts_forecasts_from_history_and_the_ratio_counts_all() {
        let scored =
            [(forecast(100, 3), used(150)), (forecast(100, 3), used(300)), (forecast(100, 0), used(100))];
        let score = ForecastScore::of(&scored);
        assert_eq!((score.runs, score.from_history), (3, 2));
        assert_eq!((score.coverage, score.median_ratio), (Some(0.5), Some(1.5)));
        assert_eq!(ForecastScore::of(&[]), ForecastScore::default());
    }

    #[test]
    fn without_money_tokens_are_compared() {
        let free = RunForecast { cost: ForecastRange::default(), ..forecast(100, 3) };
        let offline = RunUse { cost: NanoUsd(0), tokens: 200 };
        assert!(free.covers(&offline));
        assert_eq!(free.ratio(&offline), Some(2.0));
        let unpriced = RunForecast { unpriced: true, ..forecast(100, 3) };
        assert_eq!(unpriced.ratio(&RunUse { cost: NanoUsd(9), tokens: 100 }), Some(1.0));
    }
}
