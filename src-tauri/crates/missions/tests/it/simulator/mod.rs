//! Random missions under random schedules of crashes, late children, steering, failures and limits.
//!
//! `SIMULATOR_SCHEDULES` sets how many (default 5,000); `SIMULATOR_SEED` replays one.

mod books;
mod children;
mod engine;
mod scenario;

use std::panic::{AssertUnwindSafe, catch_unwind};

use domain::Reserve;
use engine::{Engine, Trouble};
use missions::{Dimension, Outcome, Status, StopCause};
use scenario::{Scenario, hash};

/// Counts of what the schedules met, so that none of it is silently never tried.
#[derive(Debug, Default)]
struct Tally(std::collections::BTreeMap<&'static str, u64>);

impl Tally {
    fn add(&mut self, what: &'static str, count: u64) {
        *self.0.entry(what).or_default() += count;
    }

    fn take(&mut self, run: &Engine<'_>) {
        let books = &run.books;
        for (what, count) in [
            ("crashes", books.crashes),
            ("unknown outcomes", books.unknown),
            ("refused decisions", books.refused),
            ("steering", books.steered),
            ("dropped", books.dropped),
            ("short", books.short),
            ("retried", books.retried),
            ("warned", books.warned),
            ("joined", books.joined),
        ] {
            self.add(what, count);
        }
        let state = &run.state;
        self.add("reviewed", u64::from(state.drafts.len() > 1));
        self.add("measured", u64::from(state.drafts.iter().any(|draft| draft.facts.is_some())));
        self.add("by code", u64::from(state.drafts.iter().any(|draft| draft.key.is_none())));
        self.add(
            match state.status() {
                Status::Completed if state.outcome == Some(Outcome::Satisfied) => "satisfied",
                Status::Completed => "partial",
                Status::Failed => "failed",
                Status::Cancelled => "cancelled",
                other => panic!("it ended as {other:?}"),
            },
            1,
        );
        let Some(cause) = &state.cause else { return };
        self.add(
            match cause {
                StopCause::CriteriaMet => "criteria met",
                StopCause::Person => "enough",
                StopCause::NoProgress => "no progress",
                StopCause::NothingToDo => "nothing to do",
                StopCause::Coordinator => "coordinator",
                StopCause::Limit { dimension } => match dimension {
                    Dimension::Cost => "cost",
                    Dimension::Tokens => "tokens",
                    Dimension::Time => "time",
                    Dimension::Invocations => "invocations",
                    Dimension::Iterations => "iterations",
                    Dimension::Agent(_) => "an agent's cap",
                },
            },
            1,
        );
    }
}

fn env(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// One seed: the same mission undisturbed, with crashes, and with everything.
fn schedule(seed: u64, aloud: bool, tally: &mut Tally) {
    let scenario = Scenario::new(seed);
    let crashing = Trouble { crashes: 1 + (seed % 6) as u32, ..Trouble::default() };
    let wild = Trouble {
        steers: true,
        suspends: seed % 4 == 1,
        cancels: seed % 8 == 2,
        breaks: seed % 4 == 3,
        ..crashing
    };
    let mut runs = [(11, Trouble::default()), (12, crashing), (13, wild)].map(|(salt, trouble)| {
        let mut run = Engine::new(&scenario, hash(&[seed, salt]), trouble);
        run.aloud = aloud;
        run
    });
    for run in &mut runs {
        run.run();
        tally.take(run);
    }
    let [calm, crashed, _] = &runs;
    // What an interrupted call may have cost is missing from the budget of its child run.
    let is_certain = crashed.state.doubtful == Reserve::default();
    let is_retried = [calm, crashed].iter().any(|run| run.books.retried > 0);
    if !scenario.is_bounded() && scenario.terms.pauses.is_empty() && is_certain && !is_retried {
        assert_eq!(calm.result(), crashed.result(), "the same results gave another report");
        tally.add("compared", 1);
    }
}

#[test]
fn every_schedule_keeps_what_must_hold() {
    let mut tally = Tally::default();
    if let Some(seed) = env("SIMULATOR_SEED") {
        return schedule(seed, true, &mut tally);
    }
    let count = env("SIMULATOR_SCHEDULES").unwrap_or(5_000);
    for seed in 0..count {
        let outcome = catch_unwind(AssertUnwindSafe(|| schedule(seed, false, &mut tally)));
        assert!(outcome.is_ok(), "seed {seed}: replay with SIMULATOR_SEED={seed}");
    }
    println!("{count} schedules: {:?}", tally.0);
    if count >= 1_000 {
        assert_eq!(tally.0.len(), 27, "something is never tried: {:?}", tally.0);
        let rare = tally.0.iter().find(|(_, met)| **met < count / 100);
        assert_eq!(rare, None, "something is hardly ever tried: {:?}", tally.0);
    }
}
