//! Books kept beside the machine, from the log and from the world outside alone: what must hold is checked against
//! them, not against the machine's own figures.

use std::collections::{BTreeMap, BTreeSet};

use domain::{NanoUsd, Reserve, Usage};
use pipeline::{Action, Answer, CallKey, ChildEnd, Event, Record, RepairEnd, SkippedBy, State};

use crate::engine::Flight;
use crate::scenario::{Rng, Scenario, place};

/// Names a call without its strings.
type Key = (usize, u32, u32, u32);

fn key(key: &CallKey) -> Key {
    (place(&key.stage), key.attempt, key.wave, key.item)
}

#[derive(Default)]
pub struct Books {
    pub commits: u64,
    pub crashes: u32,
    /// What was really paid outside.
    paid: Reserve,
    /// The try that each call waits for, from the durable log.
    awaited: BTreeMap<Key, u32>,
    /// Calls whose result is durable.
    finished: BTreeSet<Key>,
    cancelled: bool,
    pub paid_calls: u64,
    pub tool_waves: u64,
    /// Calls that took over what the base run gave.
    pub reused: u64,
    pub pauses: u64,
    /// Times that child runs left off, waited for the person, used up their share, and were interrupted by a crash.
    pub children: u64,
    pub waits: u64,
    pub shares: u64,
    pub interrupted: u64,
    /// What child runs have used, as far as the durable log tells.
    of_children: BTreeMap<domain::RunId, (usize, NanoUsd, u64)>,
    /// Answers to tries that were given up.
    pub late: u64,
    /// Ends of repairs by what the unit says happens then, in the order of `OnExhausted`.
    pub ended: [u64; 4],
    /// Attempts that the person allowed at gates, best attempts that they accepted, and gates that failed the run.
    pub allowed: u64,
    pub accepted: u64,
    pub shut: u64,
    /// Calls that asked for permission, and pauses at which it was given and refused.
    pub held: u64,
    pub permitted: u64,
    pub refused: u64,
    /// Repairs that were the last by a rule of progress.
    pub stalled: u64,
    /// Stages that went on in the conversation of one before; conversations that handed over, and that went on although full.
    pub continued: u64,
    pub handed_over: u64,
    pub kept_on: u64,
    /// Tries that went on from a draft.
    pub from_drafts: u64,
    /// Whether a lack of budget changed the course of the run.
    pub short: bool,
    /// Whether something happened for which commits are not counted in the bound.
    pub irregular: bool,
}

impl Books {
    pub fn paid(&mut self, cost: NanoUsd, usage: Usage) {
        self.paid = self.paid + Reserve { cost, tokens: usage.total() };
    }

    /// Before an event is applied.
    pub fn before(&mut self, scenario: &Scenario, state: &State, event: &Event) {
        self.gates(state, event);
        self.conversations(state, event);
        match event {
            Event::ModelCallRequested { reserve, .. } => {
                assert!(!state.is_cancelling() && !state.is_suspended(), "a call starts after a stop");
                let most = state.committed() + *reserve;
                assert!(state.budget.allows(most), "a call starts that could exceed the budget");
                self.paid_calls += 1;
            }
            Event::ToolCallRequested { key, .. } => {
                assert!(!state.is_cancelling() && !state.is_suspended(), "a call starts after a stop");
                self.paid_calls += u64::from(!state.calls[key].planned.repeatable);
            }
            Event::StagePlanned { stage, wave, .. } => {
                self.tool_waves += u64::from(*wave < state.graph.node(stage).unwrap().tool_waves);
            }
            Event::PauseRequested { .. } => self.pauses += 1,
            Event::BudgetExceeded { stage, .. } => {
                self.short = true;
                self.keeps_essential(scenario, state, place(stage));
            }
            Event::StageSkipped { by: SkippedBy::Budget, .. }
            | Event::RepairEnded { reason: RepairEnd::Budget, .. }
            | Event::Resumed { decision: pipeline::Decision { action: Action::Raise { .. }, .. }, .. } => {
                self.short = true;
            }
            Event::TimerFired { .. }
            | Event::Suspended
            | Event::CancelRequested
            | Event::RunRetried { .. }
            | Event::ToolCallFailed { .. }
            | Event::OutcomeUnknown { .. } => self.irregular = true,
            _ => {}
        }
    }

    /// What happens to conversations that stages share.
    fn conversations(&mut self, state: &State, event: &Event) {
        match event {
            Event::StageStarted { stage, attempt, iteration, conversation } if *conversation > 0 => {
                let begun = state.stages.iter().map(|stage| stage.conversation()).max().unwrap_or(0);
                let hands_over = state.stage(stage).unwrap().hands_over();
                let is_new = *conversation == begun + 1;
                let fresh = *attempt > 1 || *iteration > 0 || hands_over;
                assert!(is_new || !fresh, "an attempt goes on where it has to begin anew");
                assert!(is_new || *conversation <= begun, "a conversation is left out");
                self.continued += u64::from(!is_new);
            }
            Event::ContextHandoffApproved { .. } => self.handed_over += 1,
            Event::Resumed { decision, .. } => self.kept_on += u64::from(decision.action == Action::GoOn),
            _ => {}
        }
    }

    /// What happens at gates.
    fn gates(&mut self, state: &State, event: &Event) {
        match event {
            Event::RepairEnded { unit, reason, .. } => {
                let unit = &state.graph.repair_units[*unit as usize];
                self.ended[unit.on_exhausted as usize] += 1;
                let last = unit.stages.last().and_then(|id| state.stage(id)).unwrap();
                let stalled = last.history.last().is_some_and(|attempt| attempt.progress == Some(false));
                self.stalled += u64::from(*reason == RepairEnd::NoGain && stalled);
            }
            Event::CallNeedsPermission { key, .. } => {
                assert!(!state.calls[key].permitted, "a call asks again for what was allowed");
                self.held += 1;
            }
            Event::RepairStarted { unit, iteration, .. } => {
                let most = state.most_repairs(*unit as usize);
                assert!(*iteration <= most, "a repair that neither the agent nor the person allowed");
            }
            Event::Resumed { decision, .. } => {
                self.allowed += u64::from(decision.action == Action::Again);
                self.accepted += u64::from(decision.action == Action::Certify);
                self.permitted += u64::from(decision.action == Action::Permit);
                self.refused += u64::from(decision.action == Action::Refuse);
            }
            Event::StageFailed { stage, .. } => {
                self.shut += u64::from(state.stage(stage).unwrap().phase == pipeline::Phase::Completed);
            }
            _ => {}
        }
    }

    /// What is kept for the one essential stage of an agent is there when it first needs it.
    fn keeps_essential(&self, scenario: &Scenario, state: &State, index: usize) {
        let essentials = state.graph.nodes.iter().filter(|node| node.essential).count();
        let (node, stage) = (&state.graph.nodes[index], &state.stages[index]);
        let first = stage.attempt == 1 && stage.iteration == 0;
        let fresh =
            state.calls.iter().filter(|(key, _)| key.stage == node.id).all(|(_, call)| call.tries == 0);
        let one = scenario.shapes[index].calls.last() == Some(&1);
        if node.essential && essentials == 1 && first && fresh && one && scenario.honest {
            let enough = scenario.budget.allows(scenario.essential);
            let timed = scenario.budget.active_ms.is_some();
            assert!(!enough || timed, "nothing is left for the essential stage");
        }
    }

    /// A call starts outside.
    pub fn call_begins(&self, flight: &Flight, state: &State, durable: &State) {
        let call = &state.calls[&flight.key];
        if flight.model || !call.planned.repeatable {
            let intent = durable.calls.get(&flight.key).is_some_and(|call| call.tries == flight.r#try);
            assert!(intent, "{} starts before its intent is durable", flight.key);
        }
        assert!(!self.finished.contains(&key(&flight.key)), "{} is done again", flight.key);
        assert!(!self.cancelled, "{} starts after the run was cancelled", flight.key);
    }

    /// A record became durable.
    pub fn committed(&mut self, record: &Record) {
        match &record.event {
            Event::ModelCallRequested { key: call, r#try, .. }
            | Event::ToolCallRequested { key: call, r#try, .. } => {
                self.awaited.insert(key(call), *r#try);
            }
            Event::ModelCallFailed { key: call, r#try, .. }
            | Event::ToolCallFailed { key: call, r#try, .. }
            | Event::CallNeedsPermission { key: call, r#try, .. }
            | Event::OutcomeUnknown { key: call, r#try, .. } => {
                self.ends(call, *r#try);
            }
            Event::CallReused { key: call, .. } => {
                self.finished.insert(key(call));
            }
            Event::ModelCallCompleted { key: call, r#try, answer, .. } => {
                let awaited = self.ends(call, *r#try);
                if awaited && matches!(answer, Answer::Valid { .. }) {
                    self.finished.insert(key(call));
                }
            }
            Event::ToolCallCompleted { key: call, r#try, .. } => {
                let awaited = self.ends(call, *r#try);
                if awaited {
                    self.finished.insert(key(call));
                }
            }
            Event::ChildRunFinished { key: call, r#try, end, child, usage, cost, .. } => {
                let awaited = self.ends(call, *r#try);
                if awaited && matches!(end, ChildEnd::Gated { .. }) {
                    self.finished.insert(key(call));
                }
                self.of_children.insert(child.clone(), (place(&call.stage), *cost, usage.total()));
            }
            Event::CancelRequested
            | Event::Resumed { decision: pipeline::Decision { action: Action::Cancel, .. }, .. } => {
                self.cancelled = true;
            }
            _ => {}
        }
    }

    fn ends(&mut self, call: &CallKey, r#try: u32) -> bool {
        let awaited = self.awaited.get(&key(call)) == Some(&r#try);
        if awaited {
            self.awaited.remove(&key(call));
        }
        awaited
    }

    /// What holds whenever the log is durable.
    pub fn check(&self, scenario: &Scenario, state: &State) {
        let under_way = state.in_flight().filter(|(_, call)| call.model).map(|(_, call)| call.held());
        let spent = Reserve { cost: state.cost, tokens: state.usage.total() } + state.doubtful;
        let all = under_way.fold(spent, |sum, reserve| sum + reserve);
        assert_eq!(state.committed(), all, "what is set aside is not what is under way");
        let (mut flying, mut stages) = (0, [0u32; 16]);
        for (key, _) in state.in_flight() {
            flying += 1;
            stages[place(&key.stage)] += 1;
        }
        assert!(flying <= state.graph.max_parallel, "too many calls at once");
        let bounds = state.graph.nodes.iter().zip(stages);
        assert!(
            bounds.into_iter().all(|(node, calls)| calls <= node.parallel),
            "too many calls of a stage at once"
        );
        if scenario.honest {
            assert!(state.budget.allows(state.committed()), "more than the budget is spent or set aside");
            assert!(state.budget.allows(self.paid), "more than the budget was really paid");
            let counted = self.paid.cost <= all.cost && self.paid.tokens <= all.tokens;
            assert!(counted, "something was paid that is not counted");
        }
    }

    /// At the end, money and tokens are the sums of what the log says.
    pub fn add_up(&self, log: &[Record], state: &State) {
        let (mut cost, mut tokens) = (NanoUsd(0), 0);
        let mut stages = vec![NanoUsd(0); state.stages.len()];
        for record in log {
            if let Event::ModelCallCompleted { key, usage, cost: paid, .. }
            | Event::ModelCallFailed { key, usage, cost: paid, .. } = &record.event
            {
                cost += *paid;
                tokens += usage.total();
                stages[place(&key.stage)] += *paid;
            }
        }
        for (stage, paid, used) in self.of_children.values() {
            cost += *paid;
            tokens += used;
            stages[*stage] += *paid;
        }
        assert_eq!((state.cost, state.usage.total()), (cost, tokens), "costs do not add up");
        assert!(state.stages.iter().map(|stage| stage.cost).eq(stages), "stages' costs do not add up");
    }

    /// An event that must be refused and must leave no trace.
    pub fn must_refuse(&self, state: &State, event: Event) {
        let record = Record { seq: state.seq + 1, at: 0, v: 1, active_ms: 1, event };
        let mut copy = state.clone();
        assert!(copy.apply(&record).is_err(), "accepted twice: {:?}", record.event);
        assert_eq!(&copy, state, "a refused event left a trace: {:?}", record.event);
    }

    /// An event from earlier in the log: if it is refused now, it must leave no trace.
    pub fn try_nonsense(&self, rng: &mut Rng, state: &State, log: &[Record]) {
        if log.is_empty() {
            return;
        }
        let mut record = log[rng.below(log.len() as u64) as usize].clone();
        let mut copy = state.clone();
        if rng.chance(80) {
            record.seq = state.seq + 1;
        }
        if copy.apply(&record).is_err() {
            assert_eq!(&copy, state, "a refused event left a trace: {:?}", record.event);
        }
    }
}
