//! Random runs under random schedules of crashes, interleavings, failures and late completions.
//!
//! `SIMULATOR_SCHEDULES` sets how many (default 100,000); `SIMULATOR_SEED` replays one.

#![allow(clippy::unwrap_used)] // the lint's exception covers test functions, not what they call

mod books;
mod children;
mod content;
mod engine;
mod scenario;

use std::panic::{AssertUnwindSafe, catch_unwind};

use engine::{Engine, Trouble};
use pipeline::Status;
use scenario::{Scenario, hash};

/// Counts of what the schedules met, so that none of it is silently never tried.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    completed: u64,
    failed: u64,
    cancelled: u64,
    crashes: u64,
    compared: u64,
    short: u64,
    repairs: u64,
    children: u64,
    waits: u64,
    shares: u64,
    interrupted: u64,
    reused: u64,
    repeated: u64,
    /// Ends of repairs by `onExhausted`: best, pause, fail, certify.
    ended: [u64; 4],
    allowed: u64,
    accepted: u64,
    shut: u64,
    stalled: u64,
    /// Calls that asked for permission, and pauses at which it was given and refused.
    held: u64,
    permitted: u64,
    refused: u64,
    continued: u64,
    handed_over: u64,
    kept_on: u64,
    from_drafts: u64,
}

fn env(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// One schedule: the same scenario without crashes and with them.
fn schedule(seed: u64, aloud: bool, tally: &mut Tally) {
    let scenario = Scenario::new(seed);
    let calm = Trouble { crashes: 0, cancels: false, suspends: seed % 16 == 3 };
    let mut lived = Engine::new(&scenario, hash(&[seed, 11]), calm);
    lived.aloud = aloud;
    lived.run();
    let books = &lived.books;
    if !books.irregular && scenario.chain {
        let bound = 2 + books.paid_calls + books.pauses + books.tool_waves + books.late + books.held;
        assert!(books.commits <= bound, "{} commits, bound {bound}", books.commits);
    }
    let wild = Trouble { crashes: 1 + (seed % 5) as u32, cancels: seed % 8 == 1, suspends: seed % 8 == 2 };
    let mut crashed = Engine::new(&scenario, hash(&[seed, 12]), wild);
    crashed.aloud = aloud;
    crashed.run();
    // Some of them once more, over what the first one has.
    let repeated = seed.is_multiple_of(3).then(|| {
        let mut repeated = Engine::new(&scenario, hash(&[seed, 13]), wild);
        repeated.base = Some(lived.reusable(hash(&[seed, 14])));
        repeated.aloud = aloud;
        repeated.run();
        repeated
    });
    for run in [&lived, &crashed].into_iter().chain(&repeated) {
        match run.state.status() {
            Status::Completed => tally.completed += 1,
            Status::Failed => tally.failed += 1,
            _ => tally.cancelled += 1,
        }
        tally.crashes += u64::from(run.books.crashes);
        tally.short += u64::from(run.books.short);
        tally.repairs += run.state.repairs.len() as u64;
        tally.children += run.books.children;
        tally.waits += run.books.waits;
        tally.shares += run.books.shares;
        tally.interrupted += run.books.interrupted;
        tally.reused += run.books.reused;
        for (all, more) in tally.ended.iter_mut().zip(run.books.ended) {
            *all += more;
        }
        tally.allowed += run.books.allowed;
        tally.accepted += run.books.accepted;
        tally.shut += run.books.shut;
        tally.stalled += run.books.stalled;
        tally.held += run.books.held;
        tally.permitted += run.books.permitted;
        tally.refused += run.books.refused;
        tally.continued += run.books.continued;
        tally.handed_over += run.books.handed_over;
        tally.kept_on += run.books.kept_on;
        tally.from_drafts += run.books.from_drafts;
    }
    let whole = |run: &Engine<'_>| run.state.status() == Status::Completed && !run.books.short;
    if whole(&lived) && whole(&crashed) {
        tally.compared += 1;
        assert_eq!(lived.document(), crashed.document(), "the same results gave another document");
    }
    // A stage that succeeds at once by what it takes over does not have the optional calls that failed in another attempt.
    if let Some(repeated) = &repeated
        && [&lived, repeated].iter().all(|run| whole(run) && !run.has_failed_calls())
    {
        tally.repeated += 1;
        assert_eq!(lived.document(), repeated.document(), "what was taken over gave another document");
    }
}

#[test]
fn every_schedule_keeps_what_must_hold() {
    if let Some(seed) = env("SIMULATOR_SEED") {
        return schedule(seed, true, &mut Tally::default());
    }
    let count = env("SIMULATOR_SCHEDULES").unwrap_or(100_000);
    let mut tally = Tally::default();
    for seed in 0..count {
        let outcome = catch_unwind(AssertUnwindSafe(|| schedule(seed, false, &mut tally)));
        assert!(outcome.is_ok(), "seed {seed}: replay with SIMULATOR_SEED={seed}");
    }
    println!("{count} schedules: {tally:?}");
    if count >= 1_000 {
        let Tally { completed, failed, cancelled, crashes, compared, short, repairs, .. } = tally;
        let least = completed.min(failed).min(cancelled).min(crashes).min(compared).min(short).min(repairs);
        let Tally { children, waits, shares, interrupted, reused, repeated, .. } = tally;
        let least = least.min(children).min(waits).min(shares).min(interrupted).min(reused).min(repeated);
        let Tally { ended, allowed, accepted, shut, stalled, .. } = tally;
        let least = ended.into_iter().fold(least, u64::min);
        let least = least.min(allowed).min(accepted).min(shut).min(stalled);
        let least = least.min(tally.held).min(tally.permitted).min(tally.refused);
        let Tally { continued, handed_over, kept_on, .. } = tally;
        let least = least.min(continued).min(handed_over).min(kept_on).min(tally.from_drafts);
        assert!(least > count / 100, "something is hardly ever tried: {tally:?}");
    }
}

#[test]
fn six_serial_model_stages_need_at_most_eight_commits() {
    let scenario = Scenario::serial(6);
    let mut run = Engine::new(&scenario, 1, Trouble::default());
    run.run();
    assert_eq!(run.state.status(), Status::Completed);
    assert!(run.books.commits <= 8, "{} commits", run.books.commits);
}
