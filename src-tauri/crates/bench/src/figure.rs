//! One measured figure.

use std::time::Duration;

use serde::Serialize;

/// A figure, what it is compared with, and whether it reaches its goal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// Its name: group, then what.
    pub bench: String,
    /// What was measured.
    pub value: f64,
    /// The value's unit.
    pub unit: &'static str,
    /// What it is compared with, in the same unit.
    pub baseline: Option<f64>,
    /// Value over baseline.
    pub ratio: Option<f64>,
    /// The goal in words; none for what only informs.
    pub goal: Option<String>,
    /// Whether the goal is reached.
    pub holds: Option<bool>,
}

impl Figure {
    /// A figure without a goal.
    pub fn plain(bench: &str, value: f64, unit: &'static str) -> Self {
        Self {
            bench: bench.to_owned(),
            value: rounded(value),
            unit,
            baseline: None,
            ratio: None,
            goal: None,
            holds: None,
        }
    }

    /// With what it is compared with.
    pub fn beside(mut self, baseline: f64) -> Self {
        self.baseline = Some(rounded(baseline));
        self.ratio = (baseline != 0.0).then(|| rounded(self.value / baseline));
        self
    }

    /// Its value is to be at most this.
    pub fn at_most(mut self, goal: f64) -> Self {
        self.holds = Some(self.value <= goal);
        self.goal = Some(format!("<= {goal} {}", self.unit));
        self
    }

    /// Its value is to be at least this.
    pub fn at_least(mut self, goal: f64) -> Self {
        self.holds = Some(self.value >= goal);
        self.goal = Some(format!(">= {goal} {}", self.unit));
        self
    }

    /// Its ratio is to be at most this.
    pub fn ratio_at_most(mut self, goal: f64) -> Self {
        self.holds = Some(self.ratio.is_some_and(|ratio| ratio <= goal));
        self.goal = Some(format!("ratio <= {goal}"));
        self
    }

    /// One line of JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The table's head.
    pub fn heading() -> String {
        format!(
            "{:<38} {:>13} {:<13} {:>12} {:>8}  {:<22} holds",
            "bench", "value", "unit", "baseline", "ratio", "goal"
        )
    }

    /// One row of the table.
    pub fn row(&self) -> String {
        let shown = |number: Option<f64>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
        format!(
            "{:<38} {:>13} {:<13} {:>12} {:>8}  {:<22} {}",
            self.bench,
            self.value,
            self.unit,
            shown(self.baseline),
            shown(self.ratio),
            self.goal.as_deref().unwrap_or("-"),
            match self.holds {
                Some(true) => "yes",
                Some(false) => "NO",
                None => "-",
            }
        )
    }
}

/// Three decimals are more than any of these figures is good for.
fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

/// A duration in milliseconds.
pub fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

/// The median; zero of nothing.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
