//! Limits as options of a command.

use clap::Args;
use domain::{LimitSpan, SpendLimits};

/// Limits in dollars.
#[derive(Debug, Clone, Default, Args)]
pub struct LimitArgs {
    /// The limit for a run, turn or mission in US dollars, or "none".
    #[arg(long, value_name = "USD", value_parser = limit)]
    pub per_run: Option<LimitChange>,
    /// The limit for a day in US dollars, or "none".
    #[arg(long, value_name = "USD", value_parser = limit)]
    pub per_day: Option<LimitChange>,
    /// The limit for a month in US dollars, or "none".
    #[arg(long, value_name = "USD", value_parser = limit)]
    pub per_month: Option<LimitChange>,
}

/// What a limit is to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LimitChange {
    /// No limit.
    None,
    /// So many US dollars.
    Usd(f64),
}

fn limit(text: &str) -> Result<LimitChange, clap::Error> {
    let amount = domain::amount(text).filter(|usd| *usd <= domain::MAX_LIMIT_USD).map(LimitChange::Usd);
    let none = text.eq_ignore_ascii_case("none").then_some(LimitChange::None);
    amount.or(none).ok_or_else(|| {
        let what =
            format!("{text:?} is no limit: give US dollars from 0 to {}, or \"none\"", domain::MAX_LIMIT_USD);
        clap::Error::raw(clap::error::ErrorKind::ValueValidation, what)
    })
}

impl LimitArgs {
    /// Whether any is given.
    pub fn is_empty(&self) -> bool {
        self.per_run.is_none() && self.per_day.is_none() && self.per_month.is_none()
    }

    /// Changes the limits that are given.
    pub fn apply(&self, limits: &mut SpendLimits) {
        let given = [
            (LimitSpan::Run, self.per_run),
            (LimitSpan::Day, self.per_day),
            (LimitSpan::Month, self.per_month),
        ];
        for (span, change) in given {
            match change {
                Some(LimitChange::None) => *limits.get_mut(span) = None,
                Some(LimitChange::Usd(usd)) => *limits.get_mut(span) = Some(usd),
                None => {}
            }
        }
    }
}
