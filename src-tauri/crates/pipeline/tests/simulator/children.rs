//! Child runs: small worlds outside, whose own logs stay whatever becomes of the run that they work for.

use domain::{Budget, ErrorCode, NanoUsd, Problem, Reserve, RunId, Usage};
use pipeline::{CallKey, CallStatus, ChildEnd, ChildKind, ConversationFill, Effect, Event, PauseKind};

use crate::engine::{Engine, Flight};
use crate::scenario::{Rng, digest, hash, number};

/// A child run as its own log has it.
#[derive(Debug, Clone)]
pub struct ChildWorld {
    /// Calls that it makes, and those that it has made.
    steps: u64,
    done: u64,
    used: Reserve,
    /// The most that one of its calls can cost.
    unit: Reserve,
    /// Before which call it asks the person, and fails for the first time.
    pause: Option<u64>,
    failure: Option<u64>,
    /// The attempt of its parent's stage in which it failed: it goes on in a later one.
    failed: Option<u32>,
    seed: u64,
}

impl ChildWorld {
    fn new(request: u64, unit: Reserve) -> Self {
        let mut rng = Rng(hash(&[request, 21]));
        let steps = 1 + rng.below(4);
        let mut at = |percent| rng.chance(percent).then(|| rng.below(steps));
        let (pause, failure) = (at(25), at(12));
        Self { steps, done: 0, used: Reserve::default(), unit, pause, failure, failed: None, seed: request }
    }

    /// Makes one call. What it cost; nothing where there is no room for it in what is left of its share.
    fn step(&mut self, share: Budget, since: Reserve) -> Option<Reserve> {
        let spent = Reserve {
            cost: NanoUsd(self.used.cost.0 - since.cost.0),
            tokens: self.used.tokens - since.tokens,
        };
        if !share.allows(spent + self.unit) {
            return None;
        }
        let mut rng = Rng(hash(&[self.seed, 22, self.done]));
        let cost = Reserve {
            cost: NanoUsd(rng.below(self.unit.cost.0 + 1)),
            tokens: rng.below(self.unit.tokens + 1),
        };
        self.done += 1;
        self.used = self.used + cost;
        Some(cost)
    }
}

fn usage(used: Reserve) -> Usage {
    Usage { input: used.tokens, ..Usage::default() }
}

impl Engine<'_> {
    /// Names the child runs that are about to begin or to go on, as the log must have it before they do.
    pub fn name_children(&mut self) {
        for effect in self.state.effects() {
            let Effect::Call { key, .. } = effect else { continue };
            let call = &self.state.calls[&key];
            if !call.is_child || call.child.is_some() {
                continue;
            }
            let before = key.attempt.checked_sub(1).map(|attempt| CallKey { attempt, ..key.clone() });
            let before = before.and_then(|key| self.state.calls.get(&key)).filter(|before| {
                before.planned.request == call.planned.request
                    && matches!(before.status, CallStatus::Failed(_))
            });
            let again = call.children.last().or_else(|| before?.children.last()).cloned();
            let child = again.unwrap_or_else(|| RunId(format!("run of {key}")));
            self.append(Event::ChildRunStarted { key, child });
        }
    }

    /// A child run leaves off.
    pub fn child_lands(&mut self, flight: &Flight) {
        let call = self.state.calls[&flight.key].clone();
        let child = call.child.clone().unwrap();
        let answered = self.state.pauses.iter().any(|pause| {
            let key = || flight.key.clone();
            let kinds = [PauseKind::Child { key: key() }, PauseKind::Dialogue { key: key() }];
            pause.decision.is_some() && kinds.contains(&pause.kind)
        });
        let request = number(&call.planned.request);
        let mut world = self.world_of(&child, &call);
        let (since, share) = (world.used, self.share(&call));
        let stopping = self.state.is_cancelling();
        let interrupted = stopping || self.state.is_suspended() && self.rng.chance(50);
        let end = loop {
            if interrupted {
                break match stopping {
                    true => ChildEnd::Failed { problem: Problem::new(ErrorCode::Cancelled, "cancelled") },
                    false => ChildEnd::Interrupted,
                };
            }
            if world.failed.is_some_and(|attempt| attempt < flight.key.attempt) {
                (world.failure, world.failed) = (None, None);
            }
            if world.failure == Some(world.done) {
                world.failed = Some(flight.key.attempt);
                break ChildEnd::Failed { problem: Problem::new(ErrorCode::Provider, "broken") };
            }
            if world.pause == Some(world.done) {
                if !answered {
                    self.books.waits += 1;
                    let node = self.state.graph.node(&flight.key.stage).unwrap();
                    break match node.child {
                        Some(ChildKind::Turn) => ChildEnd::Asks { said: digest(8) },
                        Some(ChildKind::Run) | None => ChildEnd::Waits { form: digest(8) },
                    };
                }
                world.pause = None;
            }
            if world.done == world.steps {
                break ChildEnd::Gated { output: digest(hash(&[request, 5])) };
            }
            match world.step(share, since) {
                Some(cost) => self.books.paid(cost.cost, usage(cost)),
                None => {
                    self.books.shares += 1;
                    break ChildEnd::Short { needed: world.unit, out_of_time: false };
                }
            }
        };
        let used = world.used;
        self.children.insert(child.clone(), world);
        self.left(flight, child, end, used);
    }

    /// The program dies while a child is at work: it has come some way.
    pub fn child_dies(&mut self, flight: &Flight) {
        let call = self.state.calls[&flight.key].clone();
        let Some(child) = call.child.clone() else { return };
        let mut world = self.world_of(&child, &call);
        let (since, share) = (world.used, self.share(&call));
        while world.done < world.steps
            && world.pause != Some(world.done)
            && world.failure != Some(world.done)
            && self.rng.chance(60)
        {
            let Some(cost) = world.step(share, since) else { break };
            self.books.paid(cost.cost, usage(cost));
        }
        self.children.insert(child, world);
    }

    /// What a call that was under way when the program died is told of in the next one.
    pub fn lost(&mut self, key: CallKey, r#try: u32) {
        let call = &self.state.calls[&key];
        match call.child.clone().and_then(|child| Some((self.children.get(&child)?.used, child))) {
            Some((used, child)) => {
                self.books.interrupted += 1;
                let event = finished(key, r#try, child, ChildEnd::Interrupted, used);
                self.append(event);
            }
            None => {
                let has_draft = call.draft.is_some();
                let continues = has_draft && self.rng.chance(70);
                self.books.from_drafts += u64::from(continues);
                self.append(Event::OutcomeUnknown { key, r#try, continues });
            }
        }
    }

    fn left(&mut self, flight: &Flight, child: RunId, end: ChildEnd, used: Reserve) {
        self.books.children += 1;
        self.append(finished(flight.key.clone(), flight.r#try, child, end, used));
    }

    fn world_of(&self, child: &RunId, call: &pipeline::Call) -> ChildWorld {
        let known = self.children.get(child).cloned();
        known.unwrap_or_else(|| ChildWorld::new(number(&call.planned.request), call.planned.least))
    }

    /// What a call's child may use now, where there is a limit.
    fn share(&self, call: &pipeline::Call) -> Budget {
        Budget {
            cost: self.state.budget.cost.map(|_| call.held().cost),
            tokens: self.state.budget.tokens.map(|_| call.held().tokens),
            active_ms: None,
        }
    }
}

fn finished(key: CallKey, r#try: u32, child: RunId, end: ChildEnd, used: Reserve) -> Event {
    Event::ChildRunFinished {
        key,
        r#try,
        child,
        end,
        usage: usage(used),
        cost: used.cost,
        equivalent: NanoUsd(0),
        doubtful: Reserve::default(),
        ms: 1,
        fill: ConversationFill::default(),
    }
}
