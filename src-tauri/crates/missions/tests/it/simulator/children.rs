//! The child runs outside: each has a log of its own that outlives the mission's process.

use std::collections::BTreeMap;

use domain::{NanoUsd, Reserve, RunId, Usage};
use missions::{ChildEnd, Event, InvocationKey};

use super::scenario::{Behaviour, Rng, digest, hash};
use crate::rig::{problem, reserve};

/// A child run.
pub struct Child {
    pub key: InvocationKey,
    behaviour: Behaviour,
    spent: u64,
    doubtful: u64,
    /// What it may use in its whole life.
    cap: u64,
    has_asked: bool,
    /// Whether it has its result, told or not.
    pub is_finished: bool,
    /// The try of the mission that waits for it now.
    pub r#try: Option<u32>,
}

impl Child {
    fn room(&self) -> u64 {
        self.cap.saturating_sub(self.spent + self.doubtful)
    }

    fn spend(&mut self, amount: u64) {
        self.spent += amount.min(self.room());
    }

    /// Everything that it may have been charged for.
    pub fn used(&self) -> u64 {
        self.spent + self.doubtful
    }
}

#[derive(Default)]
pub struct Children(pub BTreeMap<RunId, Child>);

impl Children {
    /// Starts a child run or goes on with it.
    pub fn begin(
        &mut self,
        run: RunId,
        key: InvocationKey,
        r#try: u32,
        cap: u64,
        behaviour: impl FnOnce() -> Behaviour,
    ) {
        let child = self.0.entry(run).or_insert_with(|| Child {
            key,
            behaviour: behaviour(),
            spent: 0,
            doubtful: 0,
            cap: 0,
            has_asked: false,
            is_finished: false,
            r#try: None,
        });
        assert_eq!(child.key, key, "a child run works for two invocations");
        child.cap = cap;
        child.r#try = Some(r#try);
    }

    pub fn running(&self) -> Vec<RunId> {
        self.0.iter().filter(|(_, child)| child.r#try.is_some()).map(|(run, _)| run.clone()).collect()
    }

    /// One leaves off by itself, or is interrupted.
    pub fn leaves(&mut self, run: &RunId, interrupted: bool, rng: &mut Rng) -> Event {
        let child = self.0.get_mut(run).unwrap();
        let r#try = child.r#try.take().unwrap();
        let left = child.behaviour.need.saturating_sub(child.spent);
        let end = if child.is_finished {
            finished(child.key)
        } else if interrupted {
            child.spend(rng.below(left + 1));
            ChildEnd::Interrupted
        } else if child.behaviour.asks && !child.has_asked {
            child.has_asked = true;
            child.spend(left / 2);
            ChildEnd::Waits { form: digest(9) }
        } else if child.behaviour.fails {
            child.spend(left / 2);
            ChildEnd::Failed { problem: problem("it broke") }
        } else if left <= child.room() {
            child.spend(left);
            child.is_finished = true;
            finished(child.key)
        } else {
            child.spend(left);
            let left = child.behaviour.need - child.spent;
            ChildEnd::Short { needed: reserve(left.min(7)) }
        };
        Event::ChildRunFinished {
            key: child.key,
            r#try,
            child: run.clone(),
            end,
            usage: Usage { input: child.spent, ..Usage::default() },
            cost: NanoUsd(child.spent),
            equivalent: NanoUsd(0),
            doubtful: Reserve { cost: NanoUsd(child.doubtful), tokens: child.doubtful },
            ms: 1,
        }
    }

    /// Everything dies. Some had finished by then; of others nobody knows what the last call cost.
    pub fn die(&mut self, rng: &mut Rng) {
        for child in self.0.values_mut().filter(|child| child.r#try.is_some()) {
            child.r#try = None;
            let left = child.behaviour.need.saturating_sub(child.spent);
            child.spend(rng.below(left + 1));
            if rng.chance(30) {
                child.doubtful += rng.below(child.room() + 1);
            }
            let asks = child.behaviour.asks && !child.has_asked;
            if rng.chance(30) && !asks && !child.behaviour.fails && child.spent == child.behaviour.need {
                child.is_finished = true;
            }
        }
    }

    /// What was really charged.
    pub fn charged(&self) -> u64 {
        self.0.values().map(Child::used).sum()
    }
}

fn finished(key: InvocationKey) -> ChildEnd {
    ChildEnd::Finished { output: digest(hash(&[u64::from(key.iteration), u64::from(key.slot)])) }
}
