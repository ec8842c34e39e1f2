//! Random turns under random schedules of crashes, failures, late completions, stops and messages.
//!
//! `SIMULATOR_SCHEDULES` sets how many (default 100,000); `SIMULATOR_SEED` replays one.

mod books;
mod engine;
mod scenario;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use dialogue::Status;
use engine::Engine;
use scenario::Scenario;

/// Counts of what the schedules met, so that none of it is silently never tried.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    answered: u64,
    bounded: u64,
    handed: u64,
    stopped: u64,
    failed: u64,
    crashes: u64,
    unknown: u64,
    late: u64,
    steered: u64,
    nudged: u64,
    compacted: u64,
    summaries: u64,
    retried: u64,
    suspended: u64,
    again: u64,
    events: u64,
}

impl Tally {
    fn counts(&self) -> [u64; 16] {
        [
            self.answered,
            self.bounded,
            self.handed,
            self.stopped,
            self.failed,
            self.crashes,
            self.unknown,
            self.late,
            self.steered,
            self.nudged,
            self.compacted,
            self.summaries,
            self.retried,
            self.suspended,
            self.again,
            self.events,
        ]
    }

    fn add(&mut self, run: &Engine<'_>) {
        use dialogue::End;
        match &run.state.end {
            Some(End::Answered) => self.answered += 1,
            Some(End::Bounded { .. }) => self.bounded += 1,
            Some(End::Handed) => self.handed += 1,
            Some(End::Stopped) => self.stopped += 1,
            Some(End::Failed { .. }) => self.failed += 1,
            None => assert_ne!(run.state.status(), Status::Running),
        }
        self.crashes += run.books.crashes;
        self.again += run.books.again;
        self.events += run.log.len() as u64;
        for record in &run.log {
            match record.event.name() {
                "model_unknown" => self.unknown += 1,
                "steered" => self.steered += 1,
                "nudged" => self.nudged += 1,
                "compacted" => self.compacted += 1,
                "retried" => self.retried += 1,
                "suspended" => self.suspended += 1,
                _ => {}
            }
        }
        self.late += run.books.late;
        self.summaries += run.books.summaries;
    }

    fn join(self, other: Self) -> Self {
        Self {
            answered: self.answered + other.answered,
            bounded: self.bounded + other.bounded,
            handed: self.handed + other.handed,
            stopped: self.stopped + other.stopped,
            failed: self.failed + other.failed,
            crashes: self.crashes + other.crashes,
            unknown: self.unknown + other.unknown,
            late: self.late + other.late,
            steered: self.steered + other.steered,
            nudged: self.nudged + other.nudged,
            compacted: self.compacted + other.compacted,
            summaries: self.summaries + other.summaries,
            retried: self.retried + other.retried,
            suspended: self.suspended + other.suspended,
            again: self.again + other.again,
            events: self.events + other.events,
        }
    }
}

fn env(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn schedule(seed: u64, aloud: bool, tally: &mut Tally) {
    let scenario = Scenario::new(seed);
    let mut run = Engine::new(&scenario, seed);
    run.aloud = aloud;
    run.run();
    tally.add(&run);
}

/// Schedules until there are none left; each is taken by one worker.
fn work(next: &AtomicU64, count: u64) -> Tally {
    let mut tally = Tally::default();
    loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= count {
            return tally;
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| schedule(seed, false, &mut tally)));
        assert!(outcome.is_ok(), "seed {seed}: replay with SIMULATOR_SEED={seed}");
    }
}

#[test]
fn every_schedule_keeps_what_must_hold() {
    if let Some(seed) = env("SIMULATOR_SEED") {
        return schedule(seed, true, &mut Tally::default());
    }
    let count = env("SIMULATOR_SCHEDULES").unwrap_or(100_000);
    let next = AtomicU64::new(0);
    let workers = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(4));
    let tally = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(|| work(&next, count))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).fold(Tally::default(), Tally::join)
    });
    println!("{count} schedules: {tally:?}");
    if count >= 1_000 {
        let least = tally.counts().into_iter().min().unwrap();
        assert!(least > count / 100, "something is hardly ever tried: {tally:?}");
    }
}
