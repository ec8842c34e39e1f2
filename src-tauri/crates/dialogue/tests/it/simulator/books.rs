//! Books kept beside the machine, from the log and from the world outside alone: what must hold is checked against
//! them, not against the machine's own figures.

use std::collections::{BTreeMap, BTreeSet};

use dialogue::{
    Effect, End, Entry, Event, ExecutionPhase, Purpose, Record, RequestedCall, State, Status, ToolEnd,
};
use domain::{NanoUsd, Reserve, Ruling, Usage};

use super::scenario::{Rng, Scenario};

#[derive(Default)]
pub struct Books {
    pub crashes: u64,
    pub late: u64,
    pub summaries: u64,
    /// Repeatable calls that ran again after a crash.
    pub again: u64,
    /// What was really paid outside.
    paid: Reserve,
    /// Calls of the answer that is being worked on, in order.
    batch: Vec<RequestedCall>,
    ended: BTreeSet<String>,
    /// Calls that really began outside.
    begun: BTreeMap<String, u32>,
    /// Messages that the last request could show, and messages in all.
    shown: usize,
    messages: usize,
    /// Between a request of the person to stop and their going on.
    stopping: bool,
    answers: u32,
    over: bool,
    compactions: u32,
    /// Attempts of a call to the model that failed, since it was first made.
    failed: u32,
}

impl Books {
    pub fn paid(&mut self, cost: NanoUsd, usage: Usage) {
        self.paid = self.paid + Reserve { cost, tokens: usage.total() };
    }

    /// A call of a tool begins outside.
    pub fn begins(&mut self, asked: &RequestedCall, durable: &State) {
        let times = self.begun.entry(asked.call.clone()).or_default();
        *times += 1;
        self.again += u64::from(*times == 2);
        assert!(asked.repeatable || *times == 1, "{} runs twice", asked.call);
        assert!(!self.ended.contains(&asked.call), "{} runs again after its end", asked.call);
        if !asked.repeatable {
            assert!(durable.tools[&asked.call].started, "{} begins before its start is durable", asked.call);
        }
    }

    /// A call to the model begins outside.
    pub fn calls(&self, durable: &State, call: u32) {
        assert!(durable.model_calls[&call].open, "a request leaves before it is durable");
    }

    /// A new process goes on from the durable log.
    pub fn restart(&mut self, state: &State) {
        self.crashes += 1;
        self.stopping = state.stopping;
        self.answers = state.iterations;
        let last = state.entries.iter().rev().find_map(|entry| match entry {
            Entry::Answer { tools, .. } => Some(tools),
            _ => None,
        });
        self.batch = last.into_iter().flatten().map(|call| state.tools[call].asked.clone()).collect();
    }

    /// Before an event is applied.
    pub fn before(&mut self, scenario: &Scenario, state: &State, event: &Event) {
        match event {
            Event::ModelRequested { purpose, tools, reserve, .. } => {
                assert!(!self.stopping && !state.suspended, "the model is called after a stop");
                assert!(!tools || state.phase == ExecutionPhase::Execution, "tools in the response phase");
                assert!(!tools || *purpose == Purpose::Step, "tools for something else than a step");
                let most = state.committed() + *reserve;
                assert!(scenario.bounds.budget.allows(most), "a call that could exceed the budget");
                if *purpose == Purpose::Step {
                    assert!(self.answers < scenario.bounds.iterations, "a step beyond the bound");
                    let both = most + *reserve;
                    assert!(scenario.bounds.budget.allows(both), "nothing is kept for the final call");
                }
            }
            Event::ToolStarted { call } => {
                assert!(!self.stopping && !state.suspended, "a tool starts after a stop");
                assert_eq!(state.phase, ExecutionPhase::Execution, "a tool starts in the response phase");
                self.may_start(scenario, state, call);
            }
            Event::ModelAnswered { call, tools, .. } => {
                let answered = &state.model_calls[call];
                if answered.open && answered.purpose != Purpose::Compact {
                    self.batch.clone_from(tools);
                    self.answers += u32::from(answered.purpose == Purpose::Step);
                }
            }
            Event::StopRequested => self.stopping = true,
            Event::Retried => self.stopping = false,
            _ => {}
        }
    }

    /// The order of calls, from what the model asked for alone.
    fn may_start(&self, scenario: &Scenario, state: &State, id: &str) {
        let calls: Vec<_> = self.batch.iter().map(|asked| &state.tools[&asked.call]).collect();
        let at = calls.iter().position(|call| call.asked.call == id).unwrap();
        let this = calls[at];
        assert!(this.asked.known, "an unknown tool starts");
        for earlier in &calls[..at] {
            let beside = earlier.asked.parallel && this.asked.parallel;
            assert!(beside || earlier.end.is_some() || !earlier.asked.known || earlier.barred.is_some());
        }
        let running = calls.iter().filter(|call| call.is_running() && call.asked.call != id).count();
        assert!(running < scenario.bounds.parallel.max(1) as usize, "too many calls at once");
        let started = state.tools.values().filter(|call| call.started && call.asked.call != id).count();
        assert!(started < scenario.bounds.tool_calls as usize, "a call beyond the bound");
        match (&this.ruling, &this.verdict) {
            (Some(Ruling::Allow { .. }), _) => {}
            (Some(Ruling::Ask { .. }), Some(dialogue::Verdict::Allowed { .. })) => {}
            other => panic!("{id} starts although {other:?}"),
        }
    }

    /// A record became durable; the state is the fold up to it.
    pub fn committed(&mut self, scenario: &Scenario, state: &State, record: &Record) {
        assert!(
            !self.over || matches!(record.event, Event::ModelAnswered { .. } | Event::ModelFailed { .. }),
            "{} after the end",
            record.event.name()
        );
        match &record.event {
            Event::ModelRequested { r#try, .. } => {
                self.shown = state.entries.iter().filter(|e| matches!(e, Entry::Steering { .. })).count();
                self.failed = if *r#try == 1 { 0 } else { self.failed };
            }
            Event::ModelAnswered { call, .. } if state.model_calls[call].purpose != Purpose::Compact => {
                self.compactions = 0;
            }
            Event::ModelFailed { .. } if !self.stopping && !state.suspended => {
                self.failed += 1;
                assert!(self.failed <= scenario.bounds.tries, "tried too often");
            }
            Event::ToolEnded { call, .. } => {
                assert!(self.ended.insert(call.clone()), "{call} ends twice");
            }
            Event::Steered { .. } => self.messages += 1,
            Event::Compacted { .. } => {
                self.compactions += 1;
                assert!(self.compactions <= 3, "compacted again and again");
            }
            Event::Retried => self.compactions = 0,
            Event::TurnEnded { end, answer } => self.ends(state, end, answer.is_some()),
            _ => {}
        }
    }

    fn ends(&mut self, state: &State, end: &End, has_answer: bool) {
        assert_eq!(*end == End::Stopped, self.stopping, "stopped, or not stopped, against the person's will");
        for entry in &state.entries {
            if let Entry::Answer { tools, .. } = entry {
                for call in tools {
                    let call = &state.tools[call];
                    assert!(call.end.is_some() && call.result.is_some(), "a call is left without a result");
                    assert!(call.started || !matches!(call.end, Some(ToolEnd::Ok | ToolEnd::Unknown)));
                }
            }
        }
        match end {
            End::Answered => {
                assert!(has_answer);
                assert_eq!(self.shown, self.messages, "a message of the person was never read");
                self.over = true;
            }
            End::Bounded { .. } => {
                assert!(has_answer);
                assert!(state.phase == ExecutionPhase::Response || state.tool_calls_made == 0);
                self.over = true;
            }
            End::Handed => self.over = true,
            End::Stopped | End::Failed { .. } => {}
        }
    }

    /// What holds whenever the log is durable.
    pub fn check(&self, scenario: &Scenario, state: &State) {
        let open: Vec<_> = state.model_calls.values().filter(|call| call.open).collect();
        assert!(open.len() <= 1, "two calls to the model at once");
        let spent = Reserve { cost: state.cost, tokens: state.usage.total() } + state.doubtful;
        let all = open.iter().fold(spent, |sum, call| sum + call.reserve);
        assert_eq!(state.committed(), all, "what is set aside is not what is under way");
        assert!(scenario.bounds.budget.allows(all), "more than the budget is spent or set aside");
        let counted = self.paid.cost <= all.cost && self.paid.tokens <= all.tokens;
        // A late word on a cost may be lost in a crash; it is given only where no budget rests on it.
        assert!(counted || self.late > 0, "something was paid that is not counted");
        let running: Vec<_> = state.tools.values().filter(|call| call.is_running()).collect();
        assert!(running.len() <= scenario.bounds.parallel.max(1) as usize);
        assert!(running.len() <= 1 || running.iter().all(|call| call.asked.parallel));
    }

    /// What holds of the effects of every state.
    pub fn check_effects(&self, state: &State, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::CallModel { purpose, .. } => {
                    assert!(effects.len() == 1, "something goes on beside a call to the model");
                    assert!(*purpose != Purpose::Step || state.phase == ExecutionPhase::Execution);
                }
                Effect::Authorize { .. } | Effect::Run { .. } => {
                    assert_eq!(state.phase, ExecutionPhase::Execution, "tools in the response phase");
                }
                _ => {}
            }
        }
        let names: BTreeSet<_> = effects.iter().filter_map(call_of).collect();
        let calls = effects.iter().filter_map(call_of).count();
        assert_eq!(names.len(), calls, "two things are wanted of one call");
        let idle = effects.is_empty() && state.decide().is_empty();
        let rests = !matches!(state.status(), Status::Running);
        assert!(!idle || rests, "nothing is wanted and nothing is waited for");
    }

    /// At the end, money and tokens are the sums of what the log says.
    pub fn add_up(&self, log: &[Record], state: &State) {
        let (mut cost, mut tokens) = (NanoUsd(0), 0);
        for record in log {
            if let Event::ModelAnswered { usage, cost: paid, .. }
            | Event::ModelFailed { usage, cost: paid, .. } = &record.event
            {
                cost += *paid;
                tokens += usage.total();
            }
        }
        assert_eq!((state.cost, state.usage.total()), (cost, tokens), "costs do not add up");
    }

    /// An event from earlier in the log: if it is refused now, it must leave no trace.
    pub fn try_nonsense(&self, rng: &mut Rng, state: &State, log: &[Record]) {
        if log.is_empty() {
            return;
        }
        let mut record = log[rng.below(log.len() as u64) as usize].clone();
        record.seq = state.seq + u64::from(rng.chance(90));
        let mut copy = state.clone();
        if copy.apply(&record).is_err() {
            assert_eq!(&copy, state, "a refused event left a trace: {:?}", record.event);
        }
    }
}

fn call_of(effect: &Effect) -> Option<&str> {
    match effect {
        Effect::Authorize { call }
        | Effect::Run { call, .. }
        | Effect::Refuse { call, .. }
        | Effect::TakeAnswer { call } => Some(call),
        _ => None,
    }
}
