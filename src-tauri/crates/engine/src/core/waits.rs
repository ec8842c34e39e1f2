//! How long a call to a model waits before it is made again, and what is said where that is too long.

use std::time::{Duration, Instant};

use domain::Problem;
use jiff::{SignedDuration, Zoned};
use llm::{MAX_HOLD, Retry};

/// When a call waited for a place in its connection's lane, where it did.
pub(crate) type Waited = Option<(Instant, Instant)>;

/// Where a stopwatch that stood at `mark` stands when the wait is not counted.
pub(crate) fn without_wait(mark: Instant, waited: Waited) -> Instant {
    waited.map_or(mark, |(from, to)| mark + to.saturating_duration_since(from.max(mark)))
}

/// A failure with the wait that its provider names, where that can be sat out. A longer one is told, and the call is not
/// made again by itself.
pub(crate) fn bounded(problem: Problem, retry: Retry) -> (Problem, Retry) {
    match retry {
        Retry::After(Some(wait)) if wait > MAX_HOLD => (put_off(problem, &Zoned::now(), wait), Retry::Never),
        Retry::After(_) | Retry::Never => (problem, retry),
    }
}

fn put_off(mut problem: Problem, now: &Zoned, wait: Duration) -> Problem {
    let stop = if problem.message.ends_with(['.', '!', '?']) { "" } else { "." };
    let asked = match until(now, wait) {
        Some(until) => format!("until {until} ({})", span(wait)),
        None => "for longer than a year".to_owned(),
    };
    problem.message.push_str(&format!("{stop} The provider asks to wait {asked}."));
    problem.with_action("Retry then, or choose another connection.").retryable()
}

/// The end of a wait on this machine's clock, with its date where that is another day; `None` where it lies too far off.
fn until(now: &Zoned, wait: Duration) -> Option<String> {
    let wait = SignedDuration::try_from(wait).ok().filter(|wait| wait.as_hours() < 366 * 24)?;
    let until = now.checked_add(wait).ok()?;
    let form = if until.date() == now.date() { "%H:%M" } else { "%Y-%m-%d %H:%M" };
    Some(until.strftime(form).to_string())
}

fn span(wait: Duration) -> String {
    match wait.as_secs() {
        seconds @ ..5_400 => format!("in {} min", seconds.div_ceil(60)),
        seconds @ ..172_800 => format!("in {} h", seconds.div_ceil(3_600)),
        seconds => format!("in {} days", seconds.div_ceil(86_400)),
    }
}

#[cfg(test)]
mod tests {
    use domain::ErrorCode;
    use pretty_assertions::assert_eq;

    use super::*;

    fn wait_text(wait: Duration) -> String {
        let now: Zoned = "2026-11-22T11:05:00[UTC]".parse().unwrap();
        put_off(Problem::new(ErrorCode::Provider, "slow down"), &now, wait).message
    }

    #[test]
    fn a_long_wait_is_told_by_the_clock_and_in_words() {
        let hours = |hours: u64| wait_text(Duration::from_secs(hours * 3_600));
        assert_eq!(hours(3), "slow down. The provider asks to wait until 14:05 (in 3 h).");
        assert_eq!(hours(24), "slow down. The provider asks to wait until 2026-11-23 11:05 (in 24 h).");
        assert_eq!(hours(24 * 9), "slow down. The provider asks to wait until 2026-12-01 11:05 (in 9 days).");
        assert_eq!(
            wait_text(Duration::from_millis(120_001)),
            "slow down. The provider asks to wait until 11:07 (in 2 min)."
        );
        let for_ever = "slow down. The provider asks to wait for longer than a year.";
        for wait in [Duration::from_secs(40_000_000), Duration::from_millis(u64::MAX), Duration::MAX] {
            assert_eq!(wait_text(wait), for_ever);
        }
    }

    #[test]
    fn two_minutes_are_sat_out_and_more_is_not() {
        let problem = || Problem::new(ErrorCode::Provider, "slow down").retryable();
        for retry in [Retry::Never, Retry::After(None), Retry::After(Some(MAX_HOLD))] {
            assert_eq!(bounded(problem(), retry), (problem(), retry));
        }
        let (told, retry) = bounded(problem(), Retry::After(Some(MAX_HOLD + Duration::from_millis(1))));
        assert_eq!((told.retryable, retry), (true, Retry::Never));
        assert_eq!(told.action.as_deref(), Some("Retry then, or choose another connection."));
    }
}
