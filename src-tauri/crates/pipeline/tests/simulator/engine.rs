//! An engine in miniature: it drives the machine as the real one does, on a virtual clock, with a log in memory whose
//! writes can be torn, and dies whenever the schedule says so.

use std::collections::BTreeMap;

use domain::{AgentSlug, Digest, DraftPlace, ErrorCode, NanoUsd, Problem, RunId, SessionId, Usage};
use pipeline::{
    Answer, BaseRun, CallKey, CallStatus, Effect, Event, Phase, Receipt, Record, ReusedCall, SkippedBy,
    State, Status,
};

use crate::books::Books;
use crate::children::ChildWorld;
use crate::scenario::{Fate, Rng, Scenario, digest, hash, number, place};

/// Steps after which a run counts as stuck.
const MAX_STEPS: u32 = 4_000;

/// A call that the engine has started.
#[derive(Debug, Clone)]
pub struct Flight {
    pub key: CallKey,
    pub r#try: u32,
    pub model: bool,
    pub fate: Fate,
    pub output: u64,
    /// What it costs in all.
    pub usage: Usage,
    pub cost: NanoUsd,
}

/// What calls of a base run gave, by what they asked.
pub type BaseCalls = BTreeMap<u64, Vec<(Digest, ReusedCall)>>;

/// What may go wrong in a schedule.
#[derive(Debug, Clone, Copy, Default)]
pub struct Trouble {
    pub crashes: u32,
    pub cancels: bool,
    pub suspends: bool,
}

pub struct Engine<'a> {
    pub scenario: &'a Scenario,
    pub rng: Rng,
    pub trouble: Trouble,
    pub state: State,
    /// The durable log.
    pub log: Vec<Record>,
    /// The fold of the durable log.
    pub durable: State,
    /// Appended, not yet durable.
    pub batch: Vec<Record>,
    pub flights: Vec<Flight>,
    /// Given up here, still going on outside.
    pub late: Vec<Flight>,
    pub timers: Vec<CallKey>,
    /// Child runs by id.
    pub children: BTreeMap<RunId, ChildWorld>,
    pub books: Books,
    pub retries: u32,
    pub raises: u32,
    /// What calls of the base run gave, by what they asked, where the run repeats one.
    pub base: Option<BaseCalls>,
    /// Whether to print what happens, for a replay.
    pub aloud: bool,
    now: u64,
}

impl<'a> Engine<'a> {
    pub fn new(scenario: &'a Scenario, schedule: u64, trouble: Trouble) -> Self {
        Self {
            scenario,
            rng: Rng(schedule),
            trouble,
            state: State::new(scenario.graph.clone()),
            log: Vec::new(),
            durable: State::new(scenario.graph.clone()),
            batch: Vec::new(),
            flights: Vec::new(),
            late: Vec::new(),
            timers: Vec::new(),
            children: BTreeMap::new(),
            books: Books::default(),
            retries: 0,
            raises: 0,
            base: None,
            aloud: false,
            now: 0,
        }
    }

    pub fn run(&mut self) {
        self.start();
        for _ in 0..MAX_STEPS {
            self.settle();
            if self.crashed() {
                continue;
            }
            self.name_children();
            if self.must_commit() && (!self.commit() || self.crashed()) {
                continue;
            }
            self.begin_effects();
            if self.state.status() == Status::Failed && self.retries < 2 && self.rng.chance(80) {
                self.retries += 1;
                let (stage, _) = self.state.failure.clone().unwrap();
                self.append(Event::RunRetried { stage });
                continue;
            }
            if matches!(self.state.status(), Status::Completed | Status::Failed | Status::Cancelled) {
                self.finish();
                return;
            }
            self.something_happens();
        }
        panic!("still not at an end after {MAX_STEPS} steps");
    }

    pub fn append(&mut self, event: Event) {
        self.now += 1;
        let active_ms = if self.scenario.budget.active_ms.is_some() { self.rng.below(12) } else { 0 };
        let record = Record { seq: self.state.seq + 1, at: self.now, v: 1, active_ms, event };
        if self.aloud {
            eprintln!("{:>4} {:?}", record.seq, record.event);
        }
        self.books.before(self.scenario, &self.state, &record.event);
        if let Err(error) = self.state.apply(&record) {
            panic!("refused: {error} ({:?})", record.event);
        }
        self.batch.push(record);
    }

    fn start(&mut self) {
        self.append(Event::RunStarted {
            session: SessionId::from("s"),
            agent: AgentSlug::from("a"),
            request: String::new(),
            depth: None,
            pinned: digest(0),
            previous: None::<RunId>,
            budget: self.scenario.budget,
            essential: self.scenario.essential,
            retry_ambiguous: self.scenario.retry_ambiguous,
            forecast: None,
            inputs: None,
            parent: None,
            base: self.base.as_ref().map(|_| BaseRun {
                run: RunId::from("base"),
                cache_key: String::new(),
                from: None,
                edits: BTreeMap::new(),
            }),
        });
    }

    /// The machine's own decisions and everything that needs nothing outside, until nothing is left to do.
    fn settle(&mut self) {
        loop {
            let events = self.state.decide();
            if !events.is_empty() {
                events.into_iter().for_each(|event| self.append(event));
                continue;
            }
            let effects = self.state.effects();
            let mut local = effects.into_iter().filter(Effect::is_local).peekable();
            if local.peek().is_none() {
                return;
            }
            for effect in local {
                let event = self.local(effect);
                let reused = self.reused(&event);
                self.append(event);
                self.books.reused += reused.len() as u64;
                reused.into_iter().for_each(|event| self.append(event));
            }
        }
    }

    /// The calls of a wave that take over what the base run has.
    fn reused(&self, planned: &Event) -> Vec<Event> {
        let (Some(base), Event::StagePlanned { stage, attempt, wave, calls, .. }) = (&self.base, planned)
        else {
            return Vec::new();
        };
        let found = calls.iter().enumerate().filter_map(|(item, call)| {
            let key = CallKey { stage: stage.clone(), attempt: *attempt, wave: *wave, item: item as u32 };
            let same = base.get(&number(&call.request))?;
            let (output, from) = same.iter().find(|(_, from)| from.key == key).or(same.last())?.clone();
            Some(Event::CallReused { key, output, from })
        });
        found.collect()
    }

    /// What a run that repeats this one can take over; some of it, as if something had changed.
    pub fn reusable(&self, seed: u64) -> BaseCalls {
        let mut table = BaseCalls::new();
        for record in &self.log {
            let Event::StagePlanned { stage, attempt, wave, calls, .. } = &record.event else { continue };
            for (item, call) in calls.iter().enumerate() {
                let key = CallKey { stage: stage.clone(), attempt: *attempt, wave: *wave, item: item as u32 };
                let CallStatus::Done(output) = self.state.calls[&key].status else { continue };
                let from =
                    ReusedCall { run: RunId::from("base"), key, usage: Usage::default(), cost: NanoUsd(0) };
                let request = number(&call.request);
                if Rng(hash(&[seed, request])).chance(70) {
                    table.entry(request).or_default().push((output, from));
                }
            }
        }
        table
    }

    fn local(&mut self, effect: Effect) -> Event {
        match effect {
            Effect::Open { stage, skip: true, .. } => Event::StageSkipped {
                output: Some(digest(hash(&[place(&stage) as u64]))),
                stage,
                by: SkippedBy::Person,
                why: String::new(),
            },
            Effect::Open { stage, .. } if self.scenario.shapes[place(&stage)].gated => {
                Event::StageSkipped { stage, by: SkippedBy::Config, why: String::new(), output: None }
            }
            Effect::Open { stage, .. } if self.lacks_room(&stage) => {
                Event::ContextHandoffRequested { stage, fill: 0.9, used: 90, window: 100, needed: 20 }
            }
            Effect::HandOff { stage } => Event::ContextHandoffApproved { stage, handoff: digest(10) },
            Effect::Open { stage, attempt, iteration, conversation, .. } => {
                Event::StageStarted { stage, attempt, iteration, conversation }
            }
            Effect::Plan { stage, attempt, wave } => self.plan(stage, attempt, wave),
            Effect::Prepare { key } => {
                let call = &self.state.calls[&key];
                let planned = self.planned(&key);
                // What goes on from a draft comes to the same answer.
                let request = match call.invalid.len() {
                    0 => planned,
                    invalid => digest(hash(&[number(&planned), invalid as u64])),
                };
                Event::CallPrepared { reserve: call.planned.reserve, key, request }
            }
            Effect::Finish { stage, attempt } => self.complete(stage, attempt),
            Effect::FormatPause { pause } => {
                Event::PauseFormatted { pause, shape: String::new(), length: 1, form: digest(9) }
            }
            Effect::Call { .. } | Effect::Timer { .. } => unreachable!("not local"),
        }
    }

    /// What a call was planned to send.
    fn planned(&self, of: &CallKey) -> Digest {
        let records = self.log.iter().chain(&self.batch).rev();
        let mut planned = records.filter_map(|record| match &record.event {
            Event::StagePlanned { stage, attempt, wave, calls, .. }
                if *stage == of.stage && (*attempt, *wave) == (of.attempt, of.wave) =>
            {
                Some(calls[of.item as usize].request)
            }
            _ => None,
        });
        planned.next().unwrap()
    }

    /// A piece of an answer is noted, where a model is writing one.
    fn drafts(&mut self) -> bool {
        let writing = |flight: &&Flight| flight.model && !self.state.calls[&flight.key].is_child;
        let Some(flight) = self.flights.iter().find(writing) else { return false };
        let (key, r#try) = (flight.key.clone(), flight.r#try);
        let (words, place) = (self.rng.below(1_000) as u32, Some(DraftPlace::Answer));
        self.append(Event::ModelCallDrafted { key, r#try, words, draft: digest(7), place });
        true
    }

    /// Starts calls and timers that the log wants and that are not under way.
    fn begin_effects(&mut self) {
        if self.state.status() != Status::Running && self.state.in_flight().next().is_none() {
            return;
        }
        for effect in self.state.effects() {
            match effect {
                Effect::Call { key, r#try, model } => {
                    if self.flights.iter().any(|flight| flight.key == key && flight.r#try == r#try) {
                        continue;
                    }
                    let flight = self.flight(key, r#try, model);
                    self.books.call_begins(&flight, &self.state, &self.durable);
                    self.flights.push(flight);
                }
                Effect::Timer { key, .. } if !self.timers.contains(&key) => self.timers.push(key),
                _ => {}
            }
        }
    }

    fn flight(&self, key: CallKey, r#try: u32, model: bool) -> Flight {
        let call = &self.state.calls[&key];
        let before = u64::from(call.failures) + call.invalid.len() as u64;
        let output = hash(&[number(&call.planned.request), 5]);
        let reserve = call.planned.reserve;
        let mut rng = Rng(hash(&[output, u64::from(r#try)]));
        let most = if self.scenario.honest { 1 } else { 3 };
        Flight {
            fate: self.scenario.fate(&key, before, model),
            cost: NanoUsd(if model { rng.below(reserve.cost.0 * most + 1) } else { 0 }),
            usage: Usage {
                input: if model { rng.below(reserve.tokens * most + 1) } else { 0 },
                ..Usage::default()
            },
            output,
            key,
            r#try,
            model,
        }
    }

    /// One of the things that can happen next, in any order.
    fn something_happens(&mut self) {
        if self.rng.below(24) == 0 {
            self.books.try_nonsense(&mut self.rng, &self.state, &self.log);
        }
        if self.trouble.cancels && self.rng.below(24) == 0 {
            return self.append(Event::CancelRequested);
        }
        if self.rng.below(8) == 0 && self.drafts() {
            return;
        }
        if self.state.is_suspended() {
            if self.flights.is_empty() || self.rng.chance(20) {
                return self.append(Event::Continued);
            }
        } else if self.trouble.suspends && self.rng.below(12) == 0 {
            return self.append(Event::Suspended);
        }
        let pauses = if self.state.is_cancelling() { 0 } else { self.state.open_pauses().count() };
        let (flights, timers, late) = (self.flights.len(), self.timers.len(), self.late.len());
        let all = flights + timers + late + pauses;
        assert!(all > 0, "nothing can happen any more");
        let which = self.rng.below(all as u64) as usize;
        if which < flights {
            let flight = self.flights.swap_remove(which);
            self.lands(flight);
        } else if which < flights + timers {
            let key = self.timers.swap_remove(which - flights);
            self.append(Event::TimerFired { key });
        } else if which < flights + timers + late {
            let flight = self.late.swap_remove(which - flights - timers);
            let rest = less(&flight);
            self.books.paid(rest.1, rest.0);
            self.books.late += 1;
            let event = self.good(&flight, rest);
            self.append(event);
        } else {
            self.person_answers(which - flights - timers - late);
        }
    }

    /// A try ends.
    fn lands(&mut self, flight: Flight) {
        if self.state.calls[&flight.key].is_child {
            return self.child_lands(&flight);
        }
        let problem = |code| Problem::new(code, "no").retryable();
        let whole = (flight.usage, flight.cost);
        let held = &self.state.calls[&flight.key];
        if !flight.model && !held.permitted && self.scenario.asks(&flight.key) {
            // Decided on before it is made: nothing of it happens.
            let (key, r#try, asks) = (flight.key, flight.r#try, digest(5));
            return self.append(Event::CallNeedsPermission { key, r#try, asks });
        }
        let event = match flight.fate {
            Fate::Good => self.good(&flight, whole),
            Fate::Invalid => self.completed(
                &flight,
                Answer::Invalid { text: digest(flight.output), errors: vec!["wrong".to_owned()] },
                whole,
            ),
            Fate::Fails(retry_in) => self.failed(&flight, problem(ErrorCode::Provider), retry_in, whole),
            Fate::Late => {
                let event = self.failed(&flight, problem(ErrorCode::Deadline), Some(5), known(&flight));
                self.books.paid(known(&flight).1, known(&flight).0);
                self.late.push(flight);
                return self.append(event);
            }
        };
        self.books.paid(flight.cost, flight.usage);
        self.append(event);
    }

    fn good(&self, flight: &Flight, paid: (Usage, NanoUsd)) -> Event {
        if flight.model {
            return self.completed(
                flight,
                Answer::Valid { output: digest(flight.output), left_out: Vec::new() },
                paid,
            );
        }
        let (key, output) = (flight.key.clone(), digest(flight.output));
        Event::ToolCallCompleted { key, r#try: flight.r#try, output, ms: 1 }
    }

    fn completed(&self, flight: &Flight, answer: Answer, (usage, cost): (Usage, NanoUsd)) -> Event {
        Event::ModelCallCompleted {
            key: flight.key.clone(),
            r#try: flight.r#try,
            answer,
            usage,
            cost,
            stop: String::new(),
            model: String::new(),
            response_id: None,
            truncated: false,
            ms: 1,
            receipt: Default::default(),
        }
    }

    fn failed(
        &self,
        flight: &Flight,
        problem: Problem,
        retry_in: Option<u64>,
        paid: (Usage, NanoUsd),
    ) -> Event {
        let (key, r#try) = (flight.key.clone(), flight.r#try);
        if flight.model {
            let (usage, cost) = paid;
            let continues = retry_in.is_some() && self.state.calls[&key].draft.is_some();
            let receipt = Receipt { continues, ..Receipt::default() };
            Event::ModelCallFailed { key, r#try, problem, retry_in, usage, cost, receipt }
        } else {
            Event::ToolCallFailed { key, r#try, problem, retry_in }
        }
    }

    /// Whether what was appended must be durable before going on: before anything paid or with side effects starts,
    /// after anything paid ended, with the end of a stage, and before waiting for the person or stopping.
    fn must_commit(&self) -> bool {
        let costly = |key: &CallKey| {
            self.state.calls.get(key).is_some_and(|call| call.model || !call.planned.repeatable)
        };
        !self.batch.is_empty()
            && (self.state.status() != Status::Running
                || self.batch.iter().any(|record| match &record.event {
                    Event::ModelCallRequested { .. }
                    | Event::ModelCallCompleted { .. }
                    | Event::ModelCallFailed { .. }
                    | Event::ChildRunFinished { .. }
                    | Event::StageCompleted { .. }
                    | Event::StageFailed { .. }
                    | Event::Resumed { .. }
                    | Event::CancelRequested
                    | Event::Suspended
                    | Event::OutcomeUnknown { .. } => true,
                    Event::ToolCallRequested { key, .. }
                    | Event::ToolCallCompleted { key, .. }
                    | Event::ToolCallFailed { key, .. } => costly(key),
                    _ => false,
                }))
    }

    /// Whether the process lived through it.
    fn commit(&mut self) -> bool {
        let torn = self.trouble.crashes > 0 && self.rng.below(12) == 0;
        let kept = if torn { self.rng.below(self.batch.len() as u64 + 1) as usize } else { self.batch.len() };
        for record in self.batch.drain(..).take(kept) {
            self.durable.apply(&record).unwrap();
            self.books.committed(&record);
            self.log.push(record);
        }
        if torn {
            self.crash();
        } else {
            self.books.commits += 1;
            assert_eq!(self.durable, self.state, "the log does not fold to the lived state");
            self.books.check(self.scenario, &self.state);
        }
        !torn
    }

    fn crashed(&mut self) -> bool {
        let now = self.trouble.crashes > 0 && self.rng.below(16) == 0;
        if now {
            self.crash();
        }
        now
    }

    /// The process dies and a new one takes up the log. What was under way outside may have happened or not.
    fn crash(&mut self) {
        self.trouble.crashes -= 1;
        self.books.crashes += 1;
        self.batch.clear();
        self.timers.clear();
        for flight in std::mem::take(&mut self.flights) {
            if self.state.calls.get(&flight.key).is_some_and(|call| call.is_child) {
                self.child_dies(&flight);
            } else if self.rng.chance(50) {
                self.books.paid(flight.cost, flight.usage);
            }
        }
        for flight in std::mem::take(&mut self.late) {
            let rest = less(&flight);
            self.books.paid(rest.1, rest.0);
        }
        self.state = State::new(self.scenario.graph.clone());
        for record in &self.log {
            self.state.apply(record).unwrap();
        }
        assert_eq!(self.durable, self.state, "the log does not fold to the same state twice");
        self.retries = self.log.iter().filter(|r| matches!(r.event, Event::RunRetried { .. })).count() as u32;
        if self.log.is_empty() {
            return self.start();
        }
        let lost: Vec<(CallKey, u32)> =
            self.state.in_flight().map(|(key, call)| (key.clone(), call.tries)).collect();
        for (key, r#try) in lost {
            self.lost(key, r#try);
        }
    }

    fn finish(&mut self) {
        assert!(self.batch.is_empty() && self.state.in_flight().next().is_none());
        self.books.check(self.scenario, &self.state);
        self.books.add_up(&self.log, &self.state);
    }

    /// What the run gave: every stage's end and output.
    pub fn has_failed_calls(&self) -> bool {
        self.state.calls.values().any(|call| matches!(call.status, CallStatus::Failed(_)))
    }

    pub fn document(&self) -> u64 {
        let ends = self.state.stages.iter().map(|stage| {
            hash(&[u64::from(stage.phase == Phase::Skipped), stage.output.as_ref().map_or(0, number)])
        });
        ends.fold(0, |sum, end| hash(&[sum, end]))
    }
}

/// What is known of a try's cost when it is given up.
pub fn known(flight: &Flight) -> (Usage, NanoUsd) {
    (Usage { input: flight.usage.input / 3, ..Usage::default() }, NanoUsd(flight.cost.0 / 3))
}

/// What comes after that.
pub fn less(flight: &Flight) -> (Usage, NanoUsd) {
    let (usage, cost) = known(flight);
    (Usage { input: flight.usage.input - usage.input, ..usage }, NanoUsd(flight.cost.0 - cost.0))
}
