//! Limits on money: what is set, what is left, and which one is reached. Only money that is billed by use counts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ErrorCode, NanoUsd, Problem};

/// The share of a limit, in percent, at which a word is said.
pub const WARN_PERCENT: u64 = 80;
/// The largest limit, in US dollars.
pub const MAX_LIMIT_USD: f64 = 1_000_000.0;
/// The most raises that are remembered; older ones are of runs and days that are over.
const MAX_RAISES: usize = 100;
/// What a limit of nothing is raised to where no amount is named, in US dollars.
const LEAST_RAISE_USD: f64 = 1.0;

/// What a limit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitSpan {
    /// A run, turn or mission, with everything that works for it.
    Run,
    /// A calendar day of the user's time zone.
    Day,
    /// A calendar month of the user's time zone.
    Month,
}

impl LimitSpan {
    /// All of them, the shortest first.
    pub const ALL: [Self; 3] = [Self::Run, Self::Day, Self::Month];

    /// The stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Day => "day",
            Self::Month => "month",
        }
    }

    /// The span as it is under way, in words.
    const fn in_words(self) -> &'static str {
        match self {
            Self::Run => "this run",
            Self::Day => "today",
            Self::Month => "this month",
        }
    }
}

/// Limits in US dollars; absent: no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SpendLimits {
    /// For a run, turn or mission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<f64>,
    /// For a day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<f64>,
    /// For a month.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub month: Option<f64>,
}

impl SpendLimits {
    /// What holds until the user says otherwise.
    pub const DEFAULT: Self = Self { run: Some(5.0), day: Some(20.0), month: Some(100.0) };

    /// The limit of a span.
    pub const fn get(&self, span: LimitSpan) -> Option<f64> {
        match span {
            LimitSpan::Run => self.run,
            LimitSpan::Day => self.day,
            LimitSpan::Month => self.month,
        }
    }

    /// Where the limit of a span stands.
    pub const fn get_mut(&mut self, span: LimitSpan) -> &mut Option<f64> {
        match span {
            LimitSpan::Run => &mut self.run,
            LimitSpan::Day => &mut self.day,
            LimitSpan::Month => &mut self.month,
        }
    }
}

/// A limit that was raised for one run, day or month.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RaisedLimit {
    /// What it is for.
    pub span: LimitSpan,
    /// The run's id, the day (`2026-11-28`) or the month (`2026-11`).
    pub of: String,
    /// The connection whose limit it is; absent: that of all connections together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<String>,
    /// The limit that holds instead, in US dollars.
    pub usd: f64,
}

/// All limits on money, as the user set them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LimitSettings {
    /// For all connections together.
    pub all: SpendLimits,
    /// Beside those, for single connections, by slug.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub connections: BTreeMap<String, SpendLimits>,
    /// Limits that were raised for one run, day or month, the newest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub raised: Vec<RaisedLimit>,
    /// Whether the user was asked, or set them.
    pub asked: bool,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self { all: SpendLimits::DEFAULT, connections: BTreeMap::new(), raised: Vec::new(), asked: false }
    }
}

/// What was spent in one span, and what calls under way may still cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spending {
    /// Money that is booked.
    pub spent: NanoUsd,
    /// Money that is set aside for others' calls.
    pub held: NanoUsd,
}

/// What was spent in one span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpanSpending {
    /// The span.
    pub span: LimitSpan,
    /// The run's id, the day or the month.
    pub of: String,
    /// Over all connections.
    pub all: Spending,
    /// Over the connection that is asked about.
    pub connection: Spending,
}

/// A limit, with what is used of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LimitReached {
    /// What the limit is for.
    pub span: LimitSpan,
    /// The run's id, the day or the month.
    pub of: String,
    /// The connection whose limit it is; absent: that of all connections together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<String>,
    /// The limit.
    pub limit: NanoUsd,
    /// Money spent.
    pub spent: NanoUsd,
    /// Money set aside for other calls under way.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub held: NanoUsd,
}

fn is_nothing(amount: &NanoUsd) -> bool {
    amount.0 == 0
}

impl LimitReached {
    /// The limit's name: `the limit of $20.00 for today`.
    pub fn name(&self) -> String {
        let over = self.connection.as_ref().map(|slug| format!(" over {slug}")).unwrap_or_default();
        format!("the limit of {} for {}{over}", self.limit, self.span.in_words())
    }

    /// How much of it is used, in words.
    pub fn usage(&self) -> String {
        match self.held.0 {
            0 => format!("{} spent", self.spent),
            _ => format!("{} spent, {} set aside for calls under way", self.spent, self.held),
        }
    }

    /// The word that is said at [`WARN_PERCENT`].
    pub fn warning(&self) -> String {
        let percent = u128::from(self.spent.0) * 100 / u128::from(self.limit.0.max(1));
        format!("{percent} % of {} is used: {}.", self.name(), self.usage())
    }

    /// What raises it where nobody is asked.
    fn remedy(&self) -> String {
        let flag = format!("--per-{}", self.span.as_str());
        let over = self.connection.as_ref().map(|slug| format!(" --connection {slug}")).unwrap_or_default();
        format!(
            "raise the limit in Settings > Limits or with `agentnative usage --limits {flag} <dollars>{over}`"
        )
    }

    /// What to do about it, where nobody is asked.
    pub fn advice(&self) -> String {
        format!("It reached {} ({}). To go on, {}.", self.name(), self.usage(), self.remedy())
    }

    /// The problem of a call that it forbids.
    pub fn problem(&self) -> Problem {
        Problem::new(ErrorCode::Budget, format!("{} is reached: {}", self.name(), self.usage()))
            .with_action(self.remedy())
    }

    /// Whether [`WARN_PERCENT`] of it are spent.
    pub fn is_nearly_reached(&self) -> bool {
        u128::from(self.spent.0) * 100 >= u128::from(self.limit.0) * u128::from(WARN_PERCENT)
    }

    /// What the pause of a run at it says.
    pub fn pause(&self, title: &str, so_far: &str) -> String {
        format!(
            "**Limit reached** - {title}\n\nThe next call could exceed {}: {}. {so_far}",
            self.name(),
            self.usage()
        )
    }

    /// The choice that raises it.
    pub fn choice(&self) -> String {
        format!("Raise the limit for {}", self.span.in_words())
    }

    /// What that choice does.
    pub fn next(&self) -> String {
        format!(
            "Goes on with the higher amount that you name, else with {}; afterwards {} holds again.",
            NanoUsd::from_usd(self.raised(None)),
            self.limit
        )
    }

    /// The limit in place of it: the amount that was named, else twice as much.
    pub fn raised(&self, usd: Option<f64>) -> f64 {
        usd.unwrap_or((self.limit.usd() * 2.0).max(LEAST_RAISE_USD)).min(MAX_LIMIT_USD)
    }
}

impl LimitSettings {
    /// Why they can't be meant: the first limit that is no amount.
    pub fn fault(&self) -> Option<f64> {
        let fits = |usd: &f64| usd.is_finite() && (0.0..=MAX_LIMIT_USD).contains(usd);
        let limits = std::iter::once(&self.all).chain(self.connections.values());
        let set = limits.flat_map(|limits| LimitSpan::ALL.into_iter().filter_map(|span| limits.get(span)));
        set.chain(self.raised.iter().map(|raised| raised.usd)).find(|usd| !fits(usd))
    }

    /// The limit that holds in one span, raises included; of a connection, its own.
    pub fn limit(&self, span: LimitSpan, of: &str, connection: Option<&str>) -> Option<NanoUsd> {
        let limits = match connection {
            Some(slug) => self.connections.get(slug)?,
            None => &self.all,
        };
        let set = limits.get(span)?;
        let is_of = |raised: &&RaisedLimit| {
            raised.span == span && raised.of == of && raised.connection.as_deref() == connection
        };
        let raised = self.raised.iter().filter(is_of).map(|raised| raised.usd);
        Some(NanoUsd::from_usd(raised.fold(set, f64::max)))
    }

    /// Raises a limit for the run, day or month in which it was reached. A lower one changes nothing.
    pub fn raise(&mut self, raised: RaisedLimit) {
        self.raised.push(raised);
        let over = self.raised.len().saturating_sub(MAX_RAISES);
        self.raised.drain(..over);
    }

    /// The limits that hold for calls over a connection, with what is used of each.
    pub fn uses(&self, connection: &str, spans: &[SpanSpending]) -> Vec<LimitReached> {
        let mut used = Vec::new();
        for one in spans {
            for (of, spending) in [(Some(connection), one.connection), (None, one.all)] {
                if let Some(limit) = self.limit(one.span, &one.of, of) {
                    used.push(LimitReached {
                        span: one.span,
                        of: one.of.clone(),
                        connection: of.map(str::to_owned),
                        limit,
                        spent: spending.spent,
                        held: spending.held,
                    });
                }
            }
        }
        used
    }

    /// The first limit that forbids setting so much aside over a connection. Nothing is always allowed.
    pub fn reached(&self, connection: &str, spans: &[SpanSpending], wanted: NanoUsd) -> Option<LimitReached> {
        let used = self.uses(connection, spans).into_iter();
        used.filter(|_| wanted.0 > 0).find(|one| one.spent + one.held + wanted > one.limit)
    }

    /// The least that is left over a connection, with the limit that leaves it. `None` where no limit holds.
    pub fn left(&self, connection: &str, spans: &[SpanSpending]) -> Option<(NanoUsd, LimitReached)> {
        let used = self.uses(connection, spans).into_iter();
        used.map(|one| (NanoUsd(one.limit.0.saturating_sub((one.spent + one.held).0)), one))
            .min_by_key(|(left, _)| left.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usd(usd: f64) -> NanoUsd {
        NanoUsd::from_usd(usd)
    }

    fn day(all: (f64, f64), connection: (f64, f64)) -> [SpanSpending; 1] {
        let spending = |(spent, held)| Spending { spent: usd(spent), held: usd(held) };
        let (all, connection) = (spending(all), spending(connection));
        [SpanSpending { span: LimitSpan::Day, of: "2026-11-28".to_owned(), all, connection }]
    }

    #[test]
    fn what_is_set_aside_elsewhere_counts_as_spent() {
        let limits = LimitSettings::default();
        assert_eq!(limits.reached("one", &day((19.0, 0.5), (0.0, 0.0)), usd(0.5)), None);
        let reached = limits.reached("one", &day((19.0, 0.5), (0.0, 0.0)), usd(0.51)).unwrap();
        assert_eq!((reached.limit, reached.connection.as_deref()), (usd(20.0), None));
        assert_eq!(reached.usage(), "$19.00 spent, $0.50 set aside for calls under way");
    }

    #[test]
    fn a_call_that_costs_nothing_is_never_forbidden() {
        let limits = LimitSettings::default();
        assert_eq!(limits.reached("one", &day((99.0, 0.0), (99.0, 0.0)), NanoUsd(0)), None);
    }

    #[test]
    fn a_connection_has_limits_beside_those_of_all() {
        let mut limits = LimitSettings::default();
        limits.connections.insert("one".to_owned(), SpendLimits { day: Some(2.0), ..SpendLimits::default() });
        let spent = day((10.0, 0.0), (1.9, 0.0));
        assert_eq!(limits.reached("two", &spent, usd(1.0)), None);
        let reached = limits.reached("one", &spent, usd(1.0)).unwrap();
        assert_eq!(reached.name(), "the limit of $2.00 for today over one");
        assert!(reached.advice().contains("--per-day <dollars> --connection one`"), "{}", reached.advice());
        assert_eq!(reached.problem().action.as_deref(), Some(reached.remedy().as_str()));
        assert_eq!(limits.left("one", &spent).map(|(left, _)| left), Some(usd(0.1)));
        assert_eq!(limits.left("two", &spent).map(|(left, _)| left), Some(usd(10.0)));
    }

    #[test]
    fn a_raise_holds_for_its_day_alone_and_lowers_nothing() {
        let mut limits = LimitSettings::default();
        let raise =
            |of: &str, usd| RaisedLimit { span: LimitSpan::Day, of: of.to_owned(), connection: None, usd };
        limits.raise(raise("2026-11-28", 40.0));
        limits.raise(raise("2026-11-28", 30.0));
        limits.raise(raise("2026-11-29", 1.0));
        assert_eq!(limits.limit(LimitSpan::Day, "2026-11-28", None), Some(usd(40.0)));
        assert_eq!(limits.limit(LimitSpan::Day, "2026-11-29", None), Some(usd(20.0)));
        assert_eq!(limits.limit(LimitSpan::Month, "2026-11-28", None), Some(usd(100.0)));
        (0..200).for_each(|day| limits.raise(raise(&day.to_string(), 50.0)));
        assert_eq!(limits.raised.len(), 100);
    }

    #[test]
    fn no_limit_is_none_and_a_limit_of_nothing_is_one() {
        let mut limits = LimitSettings { all: SpendLimits::default(), ..LimitSettings::default() };
        assert_eq!(limits.reached("one", &day((1e6, 0.0), (0.0, 0.0)), usd(1e6)), None);
        assert_eq!(limits.left("one", &day((1e6, 0.0), (0.0, 0.0))), None);
        limits.all.day = Some(0.0);
        let reached = limits.reached("one", &day((0.0, 0.0), (0.0, 0.0)), NanoUsd(1)).unwrap();
        assert_eq!(reached.raised(None), 1.0);
        assert_eq!(reached.raised(Some(7.5)), 7.5);
    }

    #[test]
    fn a_word_is_said_at_four_fifths_of_what_is_spent() {
        let limits = LimitSettings::default();
        assert!(!limits.uses("one", &day((15.99, 9.0), (0.0, 0.0)))[0].is_nearly_reached());
        let near = limits.uses("one", &day((16.0, 0.0), (0.0, 0.0)));
        assert!(near[0].is_nearly_reached());
        assert_eq!(near[0].warning(), "80 % of the limit of $20.00 for today is used: $16.00 spent.");
    }

    #[test]
    fn whatever_two_runs_ask_for_together_they_stay_within_the_limit() {
        // A fixed sequence of numbers: each run sets aside, pays at most that, and gives back.
        let mut seed = 7_u64;
        let mut next = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let limits = LimitSettings::default();
        let mut spent = 0;
        let mut held = [0_u64; 3];
        for _ in 0..20_000 {
            let run = next(3) as usize;
            if held[run] > 0 {
                spent += next(held[run] + 1);
                held[run] = 0;
                continue;
            }
            let wanted = next(2_000_000_000) + 1;
            let others: u64 = held.iter().sum();
            let spending = Spending { spent: NanoUsd(spent), held: NanoUsd(others) };
            let spans = [SpanSpending {
                span: LimitSpan::Day,
                of: String::new(),
                all: spending,
                connection: spending,
            }];
            if limits.reached("one", &spans, NanoUsd(wanted)).is_none() {
                held[run] = wanted;
            }
            assert!(spent + held.iter().sum::<u64>() <= usd(20.0).0);
        }
        assert!(spent > usd(19.0).0, "nearly all of it can be used: {spent}");
    }

    #[test]
    fn amounts_that_are_none_are_faults() {
        let with = |run| LimitSettings {
            all: SpendLimits { run, ..SpendLimits::default() },
            ..LimitSettings::default()
        };
        assert_eq!(with(Some(0.0)).fault(), None);
        assert_eq!(with(None).fault(), None);
        assert_eq!(with(Some(-1.0)).fault(), Some(-1.0));
        assert!(with(Some(f64::NAN)).fault().is_some());
        assert_eq!(with(Some(2e6)).fault(), Some(2e6));
    }
}
