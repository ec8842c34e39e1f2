//! Limits on money: what is spent and set aside, counted against what the user set.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use config::SettingsFile;
use domain::{
    ErrorCode, LimitReached, LimitSettings, LimitSpan, NanoUsd, Problem, RaisedLimit, RunId, SpanSpending,
    Spending,
};
use environment::Stream;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use protocol::{ApiEvent, LimitReport, LimitSpending, SettingsPatch, Tag};
use store::{ModelCallFilter, Store};
use support::{blocking, now_ms};
use tokio::sync::Mutex;

use crate::Connections;

/// Limits that are kept in mind, so that a word is said of each once.
const MAX_SEEN: usize = 10_000;

/// Counts money against limits. One per data directory, since one program at a time has it.
pub struct MoneyLedger {
    settings: SettingsFile,
    counted: OnceLock<Counted>,
    state: Mutex<LedgerState>,
}

/// What is counted, and who is told of a limit that is nearly reached.
struct Counted {
    store: Store,
    stream: Stream,
}

#[derive(Default)]
struct LedgerState {
    /// What is set aside, by run.
    held: BTreeMap<String, Held>,
    /// Whether each limit was nearly reached when it was last looked at: a word is said once, when the share is passed.
    seen: BTreeMap<(LimitSpan, String, Option<String>), bool>,
}

/// What is set aside for a run.
struct Held {
    /// The run that it works for, or itself.
    root: String,
    connection: String,
    amount: NanoUsd,
}

/// A calendar day or month, as its name and its first and last millisecond (the end is left out).
#[derive(Debug, Clone, PartialEq, Eq)]
struct Period {
    name: String,
    from_ms: i64,
    to_ms: i64,
}

impl MoneyLedger {
    /// Over the settings of a data directory. Nothing is counted before [`Self::count`].
    pub(crate) fn new(settings: SettingsFile) -> Self {
        Self { settings, counted: OnceLock::new(), state: Mutex::default() }
    }

    /// Counts what a database holds from now on. Surfaces are told once of each limit that is nearly reached.
    pub fn count(&self, store: Store, stream: Stream) {
        let _ = self.counted.set(Counted { store, stream });
    }

    async fn limits(&self) -> Result<LimitSettings, Problem> {
        let settings = self.settings.clone();
        blocking(move || Ok(settings.read().0.limits)).await
    }

    /// What is spent and set aside in each span; what is set aside for the run itself is left out.
    async fn spans(
        &self,
        store: &Store,
        state: &LedgerState,
        run: &str,
        connection: &str,
    ) -> Result<(String, Vec<SpanSpending>), Problem> {
        let (day, month) = periods(now_ms(), &TimeZone::system())?;
        let (root, costs) = store.tree_costs(run).await?;
        let (today, this_month) = (costs_in(store, &day).await?, costs_in(store, &month).await?);
        let others = || state.held.iter().filter(|(of, _)| of.as_str() != run).map(|(_, held)| held);
        let span = |span, of: String, costs: &BTreeMap<String, NanoUsd>| {
            let counts = |held: &&Held| span != LimitSpan::Run || held.root == root;
            let over = |held: &&Held| held.connection == connection;
            let all = others().filter(counts);
            SpanSpending {
                span,
                of,
                all: Spending {
                    spent: costs.values().copied().sum(),
                    held: all.clone().map(|held| held.amount).sum(),
                },
                connection: Spending {
                    spent: costs.get(connection).copied().unwrap_or_default(),
                    held: all.filter(over).map(|held| held.amount).sum(),
                },
            }
        };
        let spans = vec![
            span(LimitSpan::Run, root.clone(), &costs),
            span(LimitSpan::Day, day.name, &today),
            span(LimitSpan::Month, month.name, &this_month),
        ];
        Ok((root, spans))
    }

    /// Sets money aside; where nothing may be refused it is only noted.
    async fn hold(
        &self,
        run: &RunId,
        connection: &str,
        amount: NanoUsd,
        refusal: Refusal,
    ) -> Result<Option<LimitReached>, Problem> {
        let Some(counted) = self.counted.get() else { return Ok(None) };
        // Kept from counting to setting aside: two runs never see the same money.
        let mut state = self.state.lock().await;
        let limits = self.limits().await?;
        let (root, spans) = self.spans(&counted.store, &state, &run.0, connection).await?;
        if state.seen.len() > MAX_SEEN {
            state.seen.clear();
        }
        for used in limits.uses(connection, &spans) {
            let key = (used.span, used.of.clone(), used.connection.clone());
            let before = state.seen.insert(key, used.is_nearly_reached());
            // One that is passed when it is first looked at was told of by the program that passed it.
            let told = before.unwrap_or(used.is_nearly_reached());
            if used.is_nearly_reached() && !told {
                counted.stream.send(ApiEvent::Limit(used.warning()));
            }
        }
        let reached = limits.reached(connection, &spans, amount).filter(|_| refusal == Refusal::Allowed);
        if reached.is_none() {
            match amount.0 {
                0 => drop(state.held.remove(&run.0)),
                _ => drop(
                    state
                        .held
                        .insert(run.0.clone(), Held { root, connection: connection.to_owned(), amount }),
                ),
            }
        }
        Ok(reached)
    }

    /// Raises a limit for one run, day or month, unless it is that high already.
    pub(crate) async fn raise_to(&self, raised: RaisedLimit) -> Result<(), Problem> {
        let settings = self.settings.clone();
        let _state = self.state.lock().await;
        blocking(move || {
            let mut limits = settings.read().0.limits;
            let now = limits.limit(raised.span, &raised.of, raised.connection.as_deref());
            if now.is_some_and(|now| now < NanoUsd::from_usd(raised.usd)) {
                limits.raise(raised);
                settings.update(SettingsPatch { limits: Some(limits), ..SettingsPatch::default() })?;
            }
            Ok(())
        })
        .await?;
        if let Some(counted) = self.counted.get() {
            counted.stream.tell(&[Tag::Settings, Tag::Usage]);
        }
        Ok(())
    }
}

/// Whether setting aside may be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Allowed,
    Forbidden,
}

#[async_trait]
impl engine::Ledger for MoneyLedger {
    async fn set_aside(
        &self,
        run: &RunId,
        connection: &str,
        amount: NanoUsd,
    ) -> Result<Option<LimitReached>, Problem> {
        self.hold(run, connection, amount, Refusal::Allowed).await
    }

    async fn note(&self, run: &RunId, connection: &str, amount: NanoUsd) -> Result<(), Problem> {
        self.hold(run, connection, amount, Refusal::Forbidden).await.map(drop)
    }

    async fn raise(&self, limit: &LimitReached, usd: Option<f64>) -> Result<(), Problem> {
        let LimitReached { span, of, connection, .. } = limit.clone();
        let now = self.limits().await?.limit(span, &of, connection.as_deref());
        // Somebody raised it meanwhile, and nobody names an amount.
        if usd.is_none() && now.is_none_or(|now| now > limit.limit) {
            return Ok(());
        }
        self.raise_to(RaisedLimit { span, of, connection, usd: limit.raised(usd) }).await
    }
}

/// What is billed by use in a time, by connection.
async fn costs_in(store: &Store, period: &Period) -> Result<BTreeMap<String, NanoUsd>, Problem> {
    let (from_ms, to_ms) = (Some(period.from_ms), Some(period.to_ms));
    let sums = store.usage_sums(&ModelCallFilter { from_ms, to_ms, ..ModelCallFilter::default() }, 0).await?;
    Ok(sums.connections.into_iter().map(|(slug, sum)| (slug, sum.cost)).collect())
}

/// The day and the month of a moment, as clocks of a time zone have them.
fn periods(now_ms: i64, zone: &TimeZone) -> Result<(Period, Period), Problem> {
    let failed = |error: jiff::Error| {
        Problem::new(ErrorCode::Internal, format!("the calendar has no such day: {error}"))
    };
    let now = Timestamp::from_millisecond(now_ms).map_err(failed)?.to_zoned(zone.clone());
    let period = |name: String, from: &Zoned, to: &Zoned| -> Result<Period, Problem> {
        let start =
            |day: &Zoned| day.start_of_day().map(|day| day.timestamp().as_millisecond()).map_err(failed);
        Ok(Period { name, from_ms: start(from)?, to_ms: start(to)? })
    };
    let tomorrow = now.tomorrow().map_err(failed)?;
    let first = now.first_of_month().map_err(failed)?;
    let next = now.last_of_month().and_then(|last| last.tomorrow()).map_err(failed)?;
    let day = period(now.strftime("%Y-%m-%d").to_string(), &now, &tomorrow)?;
    let month = period(now.strftime("%Y-%m").to_string(), &first, &next)?;
    Ok((day, month))
}

impl Connections {
    /// The limits on money, with what is used of each.
    pub async fn usage_limits(&self) -> Result<LimitReport, Problem> {
        let ledger = self.registry().ledger();
        let mut settings = ledger.limits().await?;
        if self.env.scope().is_some() {
            self.narrow(&mut settings);
        }
        let state = ledger.state.lock().await;
        let mut uses = Vec::new();
        let slugs = settings.connections.keys().map(|slug| Some(slug.clone()));
        for connection in std::iter::once(None).chain(slugs) {
            let slug = connection.clone().unwrap_or_default();
            let (_, spans) = ledger.spans(self.env.store(), &state, "", &slug).await?;
            for one in spans.into_iter().filter(|one| one.span != LimitSpan::Run) {
                let spending = if connection.is_some() { one.connection } else { one.all };
                uses.push(LimitSpending {
                    span: one.span,
                    limit: settings.limit(one.span, &one.of, connection.as_deref()),
                    of: one.of,
                    connection: connection.clone(),
                    spent: spending.spent,
                    held: spending.held,
                });
            }
        }
        drop(state);
        Ok(LimitReport { settings, uses })
    }

    /// Lets a run use a budget that the user named for it, where a limit for runs is lower.
    pub async fn allow_run(&self, run: &RunId, connection: &str, usd: Option<f64>) -> Result<(), Problem> {
        let Some(usd) = usd else { return Ok(()) };
        for connection in [None, Some(connection.to_owned())] {
            let raised = RaisedLimit { span: LimitSpan::Run, of: run.0.clone(), connection, usd };
            self.registry().ledger().raise_to(raised).await?;
        }
        Ok(())
    }

    /// What is left of the limits for a run over a connection, and the limit that leaves it. `None` where none holds.
    pub async fn money_left(&self, connection: &str) -> Result<Option<(NanoUsd, LimitReached)>, Problem> {
        let ledger: Arc<MoneyLedger> = self.registry().ledger();
        let limits = ledger.limits().await?;
        let state = ledger.state.lock().await;
        let (_, spans) = ledger.spans(self.env.store(), &state, "", connection).await?;
        Ok(limits.left(connection, &spans))
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn at(text: &str) -> i64 {
        text.parse::<Zoned>().unwrap().timestamp().as_millisecond()
    }

    fn hours(period: &Period) -> i64 {
        (period.to_ms - period.from_ms) / 3_600_000
    }

    #[test]
    fn days_and_months_are_those_of_the_users_clock() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let (day, month) = periods(at("2026-11-30T23:59:59+01:00[Europe/Berlin]"), &berlin).unwrap();
        assert_eq!((day.name.as_str(), month.name.as_str()), ("2026-11-30", "2026-11"));
        let (next, next_month) = periods(day.to_ms, &berlin).unwrap();
        assert_eq!((next.name.as_str(), next_month.name.as_str()), ("2026-12-01", "2026-12"));
        assert_eq!((next.from_ms, next_month.from_ms), (day.to_ms, month.to_ms));
        assert_eq!((hours(&day), hours(&month)), (24, 30 * 24));
    }

    #[test]
    fn days_on_which_clocks_change_have_their_own_length_and_leave_no_gap() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        for (moment, length) in [
            ("2026-03-29T12:00:00+02:00[Europe/Berlin]", 23),
            ("2026-10-25T12:00:00+01:00[Europe/Berlin]", 25),
        ] {
            let (day, _) = periods(at(moment), &berlin).unwrap();
            assert_eq!(hours(&day), length, "{moment}");
            assert_eq!(periods(day.from_ms - 1, &berlin).unwrap().0.to_ms, day.from_ms);
        }
        // A day that begins at one o'clock, since midnight is left out there.
        let beirut = TimeZone::get("Asia/Beirut").unwrap();
        let (day, _) = periods(at("2025-03-30T12:00:00+03:00[Asia/Beirut]"), &beirut).unwrap();
        assert_eq!(hours(&day), 23);
    }

    #[test]
    fn a_clock_that_goes_back_counts_each_call_in_one_day_alone() {
        let zone = TimeZone::UTC;
        let evening = at("2026-11-28T23:30:00+00:00[UTC]");
        let booked = evening + 3_600_000;
        // The clock is set back over midnight after a call was booked: it stays one of tomorrow.
        let (today, _) = periods(evening, &zone).unwrap();
        let (tomorrow, _) = periods(booked, &zone).unwrap();
        let within = |period: &Period| (period.from_ms..period.to_ms).contains(&booked);
        assert_eq!((within(&today), within(&tomorrow)), (false, true));
    }
}
