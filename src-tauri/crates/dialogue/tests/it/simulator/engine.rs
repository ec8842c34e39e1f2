//! An engine in miniature: it drives the machine as the real one does, on a virtual clock, with a log in memory whose
//! writes can be torn, and dies whenever the schedule says so.

use dialogue::{Effect, End, Event, Purpose, Record, RequestedCall, State, Status, Stop, ToolEnd, Verdict};
use domain::{ErrorCode, GrantScope, Mode, NanoUsd, Problem, Question, Ruling, RunId, SessionId, Usage};

use super::books::Books;
use super::scenario::{Rng, Scenario, digest};

/// Steps after which a turn counts as stuck.
const MAX_STEPS: u32 = 3_000;

/// A call to the model that is under way outside.
#[derive(Debug, Clone)]
struct Flight {
    call: u32,
    purpose: Purpose,
    usage: Usage,
    cost: NanoUsd,
}

pub struct Engine<'a> {
    pub scenario: &'a Scenario,
    pub state: State,
    /// The durable log.
    pub log: Vec<Record>,
    pub books: Books,
    /// Whether to print what happens, for a replay.
    pub aloud: bool,
    rng: Rng,
    /// The fold of the durable log.
    durable: State,
    /// Appended, not yet durable.
    batch: Vec<Record>,
    flight: Option<Flight>,
    /// Given up here, still going on outside.
    late: Vec<Flight>,
    running: Vec<RequestedCall>,
    /// A call to the model that waits, and until when.
    timer: Option<(u32, u64)>,
    crashes: u64,
    retries: u32,
    ids: u64,
    now: u64,
}

impl<'a> Engine<'a> {
    pub fn new(scenario: &'a Scenario, seed: u64) -> Self {
        Self {
            scenario,
            state: State::default(),
            log: Vec::new(),
            books: Books::default(),
            aloud: false,
            rng: Rng(seed ^ 0x5851_f42d_4c95_7f2d),
            durable: State::default(),
            batch: Vec::new(),
            flight: None,
            late: Vec::new(),
            running: Vec::new(),
            timer: None,
            crashes: scenario.crashes,
            retries: 0,
            ids: 0,
            now: 0,
        }
    }

    pub fn run(&mut self) {
        self.start();
        for _ in 0..MAX_STEPS {
            while let Some(event) = self.state.decide().into_iter().next() {
                self.append(event);
            }
            if self.crashes > 0 && self.rng.chance(4) {
                self.crash();
                continue;
            }
            if self.rng.chance(30) && !self.commit() {
                continue;
            }
            if matches!(self.state.status(), Status::Completed | Status::Stopped | Status::Failed) {
                if !self.commit() || self.comes_late() {
                    continue;
                }
                let ended_badly = self.state.status() != Status::Completed;
                if ended_badly && self.retries < 2 && self.rng.chance(60) {
                    self.retries += 1;
                    self.append(Event::Retried);
                    continue;
                }
                return self.finish();
            }
            self.something_happens();
        }
        panic!("still not at an end after {MAX_STEPS} steps");
    }

    fn start(&mut self) {
        self.append(Event::TurnStarted {
            session: SessionId::from("s"),
            agent: None,
            origin: self.scenario.origin.clone(),
            message: digest(0),
            previous: None::<RunId>,
            pinned: digest(1),
            mode: Mode::Ask,
            bounds: self.scenario.bounds,
        });
    }

    fn append(&mut self, event: Event) {
        self.now += 1;
        let timed = self.scenario.bounds.budget.active_ms.is_some();
        let active_ms = if timed { self.rng.below(8) } else { 0 };
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

    /// One of the things that can happen next, in any order.
    fn something_happens(&mut self) {
        if self.rng.chance(2) {
            self.books.try_nonsense(&mut self.rng, &self.state, &self.log);
        }
        let effects = self.state.effects();
        self.books.check_effects(&self.state, &effects);
        if self.scenario.stops && !self.state.stopping && self.rng.chance(3) {
            return self.append(Event::StopRequested);
        }
        if self.state.suspended && !self.state.is_under_way() {
            let event = if self.rng.chance(90) { Event::Continued } else { Event::StopRequested };
            return self.append(event);
        }
        if self.scenario.suspends && !self.state.suspended && self.rng.chance(3) {
            return self.append(Event::Suspended);
        }
        if self.scenario.steers && self.state.takes_steering() && self.rng.chance(5) {
            return self.append(Event::Steered { message: digest(self.now) });
        }
        if self.rng.chance(1) {
            return self.append(Event::ModeChanged { mode: Mode::AllowAll });
        }
        if self.rng.chance(40) && self.comes_late() {
            return;
        }
        if self.rng.chance(40) && self.person_answers() {
            return;
        }
        if self.rng.chance(40) && self.something_ends() {
            return;
        }
        let wanted: Vec<Effect> = effects.into_iter().filter(|effect| !self.is_begun(effect)).collect();
        if !wanted.is_empty() {
            let which = self.rng.below(wanted.len() as u64) as usize;
            return self.begin(wanted.into_iter().nth(which).unwrap());
        }
        let moved = self.something_ends() || self.person_answers();
        assert!(moved, "nothing can happen any more");
    }

    fn is_begun(&self, effect: &Effect) -> bool {
        match effect {
            Effect::CallModel { call, .. } => self.flight.as_ref().is_some_and(|flight| flight.call == *call),
            Effect::Wait { call, .. } => self.timer.is_some_and(|(waits, _)| waits == *call),
            Effect::Run { call, .. } => self.running.iter().any(|asked| &asked.call == call),
            _ => false,
        }
    }

    fn begin(&mut self, effect: Effect) {
        match effect {
            Effect::CallModel { call, r#try, purpose } => self.call_model(call, r#try, purpose),
            Effect::Wait { call, ms } => self.timer = Some((call, self.now + ms)),
            Effect::TakeSummary { .. } => self.compacted(true),
            Effect::CompactByCode => self.compacted(false),
            Effect::Authorize { call } => self.authorize(call),
            Effect::Run { call, .. } => self.run_tool(call),
            Effect::Refuse { call, end, .. } => self.tool_ends(call, end, false),
            Effect::TakeAnswer { call } => self.tool_ends(call, ToolEnd::Ok, false),
            Effect::Nudge { .. } => self.append(Event::Nudged { text: digest(2) }),
            Effect::Summarise { end } => {
                self.books.summaries += 1;
                self.append(Event::TurnEnded { end, answer: Some(digest(3)) });
            }
        }
    }

    fn call_model(&mut self, call: u32, r#try: u32, purpose: Purpose) {
        if purpose != Purpose::Compact && self.rng.chance(self.scenario.long / 2) {
            return self.append(Event::CompactionNeeded { tokens: 9, window: 8 });
        }
        let reserve = self.scenario.reserve(&mut self.rng);
        if !self.state.affords(purpose, reserve) {
            return self.append(Event::TooDear { call, purpose, reserve });
        }
        let tools = purpose == Purpose::Step && self.rng.chance(95);
        self.append(Event::ModelRequested {
            call,
            r#try,
            purpose,
            tools,
            request: digest(self.now),
            reserve,
            tokens: reserve.tokens,
        });
        if !self.commit() {
            return;
        }
        self.books.calls(&self.durable, call);
        self.flight = Some(Flight {
            call,
            purpose,
            usage: Usage { input: self.rng.below(reserve.tokens + 1), ..Usage::default() },
            cost: NanoUsd(self.rng.below(reserve.cost.0 + 1)),
        });
    }

    fn compacted(&mut self, by_model: bool) {
        self.append(Event::Compacted { summary: digest(4), by_model, before: 9, after: 1, checkpoint: None });
    }

    fn authorize(&mut self, call: String) {
        if self.rng.chance(self.scenario.failing / 4) {
            return self.tool_ends(call, ToolEnd::Failed, false);
        }
        let ruling = if self.rng.chance(self.scenario.asking) {
            Ruling::Ask { why: String::new(), offers: Vec::new() }
        } else if self.rng.chance(10) {
            Ruling::Deny { why: String::new(), instead: None }
        } else {
            Ruling::Allow { by: "".into(), confined: walls(self.rng.chance(10)) }
        };
        self.append(Event::ToolJudged { call, ruling, preview: None, intent: String::new() });
    }

    fn run_tool(&mut self, call: String) {
        let asked = self.state.tools[&call].asked.clone();
        if self.state.stopping || self.state.suspended {
            // Nobody runs it here any more: it was under way when the process before this one died.
            return self.tool_ends(call, ToolEnd::Stopped, false);
        }
        self.append(Event::ToolStarted { call });
        if !asked.repeatable && !self.commit() {
            return;
        }
        self.books.begins(&asked, &self.durable);
        self.running.push(asked);
    }

    fn tool_ends(&mut self, call: String, end: ToolEnd, ends: bool) {
        self.append(Event::ToolEnded {
            call,
            end,
            result: digest(self.now),
            summary: String::new(),
            show: Vec::new(),
            ms: 1,
            ends,
        });
    }

    /// Something that is under way outside ends. Whether anything was.
    fn something_ends(&mut self) -> bool {
        let ending = self.state.stopping || self.state.suspended;
        if let Some(flight) = self.flight.take() {
            self.model_ends(flight);
        } else if !self.running.is_empty() {
            let which = self.rng.below(self.running.len() as u64) as usize;
            let call = self.running.swap_remove(which).call;
            let end = match self.rng.below(100) {
                percent if percent < self.scenario.failing => ToolEnd::Failed,
                _ if ending && self.rng.chance(80) => ToolEnd::Stopped,
                _ => ToolEnd::Ok,
            };
            if end == ToolEnd::Ok && self.rng.chance(8) {
                let question = Question { text: String::new(), options: Vec::new(), several: false };
                self.append(Event::QuestionAsked { call, question });
            } else {
                let ends = end == ToolEnd::Ok && self.rng.chance(2);
                self.tool_ends(call, end, ends);
            }
        } else if let Some((call, due)) = self.timer.take() {
            self.now = self.now.max(due);
            if self.state.model_calls[&call].waits.is_some() {
                self.append(Event::Waited { call });
            }
        } else {
            return false;
        }
        true
    }

    fn model_ends(&mut self, flight: Flight) {
        let ending = self.state.stopping || self.state.suspended;
        let failed = |flight: &Flight, retry_ms, too_long| Event::ModelFailed {
            call: flight.call,
            problem: Problem::new(ErrorCode::Provider, "no"),
            retry_ms,
            too_long,
            shown: None,
            usage: flight.usage,
            cost: flight.cost,
            response_id: None,
        };
        // What a call that was broken off costs is told at once or, where no budget counts on it, later.
        if ending && self.rng.chance(80) {
            let event = if self.scenario.bounds.budget == domain::Budget::default() && self.rng.chance(80) {
                let none = Flight { usage: Usage::default(), cost: NanoUsd(0), ..flight.clone() };
                self.late.push(flight);
                failed(&none, None, false)
            } else {
                self.books.paid(flight.cost, flight.usage);
                failed(&flight, None, false)
            };
            return self.append(event);
        }
        self.books.paid(flight.cost, flight.usage);
        let event = if self.rng.chance(self.scenario.failing) {
            let retry_ms = self.rng.chance(80).then(|| self.rng.below(1_000));
            failed(&flight, retry_ms, false)
        } else if self.rng.chance(self.scenario.long / 4) {
            failed(&flight, None, true)
        } else {
            self.answer(&flight)
        };
        self.append(event);
    }

    fn answer(&mut self, flight: &Flight) -> Event {
        let mut text = self.rng.chance(50);
        let mut tools = Vec::new();
        if flight.purpose != Purpose::Step {
            text = !self.rng.chance(self.scenario.empty);
            tools = if self.rng.chance(3) { self.asks() } else { tools };
        } else if self.rng.chance(self.scenario.empty) {
            text = false;
        } else if self.rng.chance(self.scenario.busy) {
            tools = self.asks();
        } else {
            text = true;
        }
        let stop = match self.rng.below(20) {
            0 => Stop::Cut,
            1 => [Stop::Refused, Stop::Withheld][self.rng.below(2) as usize],
            2..=4 => Stop::Unclear,
            5 => Stop::Unexplained,
            6..=7 => Stop::Ended,
            _ if tools.is_empty() => Stop::Ended,
            _ => Stop::WantsTools,
        };
        Event::ModelAnswered {
            call: flight.call,
            answer: digest(self.now),
            text: text.then(|| digest(self.now + 1)),
            stop,
            tools,
            usage: flight.usage,
            cost: flight.cost,
            equivalent: NanoUsd(0),
            request_id: None,
            notes: Vec::new(),
        }
    }

    fn asks(&mut self) -> Vec<RequestedCall> {
        let count = 1 + self.rng.below(4).min(self.rng.below(4));
        (0..count)
            .map(|_| {
                self.ids += 1;
                let parallel = self.rng.chance(60);
                RequestedCall {
                    adapted: Vec::new(),
                    call: format!("{}.{}", self.books.crashes, self.ids),
                    tool: String::new(),
                    same: digest(self.rng.below(self.scenario.vocabulary)),
                    known: self.rng.chance(93),
                    parallel,
                    repeatable: parallel && self.rng.chance(80) || self.rng.chance(10),
                }
            })
            .collect()
    }

    /// The person says a word where they are asked. Whether they were.
    fn person_answers(&mut self) -> bool {
        if self.state.status() != Status::Waiting {
            return false;
        }
        let open: Vec<(String, bool)> = self
            .state
            .tools
            .iter()
            .filter(|(_, call)| call.is_asking() || call.is_questioning())
            .map(|(id, call)| (id.clone(), call.is_asking()))
            .collect();
        let (call, asking) = open[self.rng.below(open.len() as u64) as usize].clone();
        let event = if !asking {
            Event::QuestionAnswered { call, answer: String::new() }
        } else if self.rng.chance(75) {
            let confined = walls(self.rng.chance(20));
            let verdict = Verdict::Allowed { scope: GrantScope::Once, grant: String::new(), confined };
            Event::ToolAnswered { call, verdict }
        } else {
            Event::ToolAnswered { call, verdict: Verdict::Denied { reason: String::new() } }
        };
        self.append(event);
        true
    }

    /// A call that was given up tells what it cost. Whether there was one; not while it is made again, since nobody could
    /// tell its attempts apart.
    fn comes_late(&mut self) -> bool {
        let flight = match self.late.pop() {
            Some(flight) if !self.state.model_calls[&flight.call].open => flight,
            Some(flight) => {
                self.late.push(flight);
                return false;
            }
            None => return false,
        };
        self.books.paid(flight.cost, flight.usage);
        self.books.late += 1;
        let event = self.answer(&flight);
        let before = (self.state.entries.len(), self.state.iterations, self.state.phase);
        self.append(event);
        assert_eq!(before, (self.state.entries.len(), self.state.iterations, self.state.phase));
        true
    }

    /// Whether the process lived through it.
    fn commit(&mut self) -> bool {
        let torn = self.crashes > 0 && self.rng.chance(6);
        let kept = if torn { self.rng.below(self.batch.len() as u64 + 1) as usize } else { self.batch.len() };
        for record in self.batch.drain(..).take(kept) {
            self.durable.apply(&record).unwrap();
            self.books.committed(self.scenario, &self.durable, &record);
            self.log.push(record);
        }
        if torn {
            self.crash();
        } else {
            assert_eq!(self.durable, self.state, "the log does not fold to the lived state");
            self.books.check(self.scenario, &self.state);
        }
        !torn
    }

    /// The process dies and a new one takes up the log. What was under way outside may have happened or not.
    fn crash(&mut self) {
        self.crashes -= 1;
        self.batch.clear();
        self.running.clear();
        self.timer = None;
        self.late.clear();
        if let Some(flight) = self.flight.take()
            && self.rng.chance(50)
        {
            self.books.paid(flight.cost, flight.usage);
        }
        self.state = State::default();
        for record in &self.log {
            self.state.apply(record).unwrap();
        }
        assert_eq!(self.durable, self.state, "the log does not fold to the same state twice");
        self.books.restart(&self.state);
        self.retries = self.log.iter().filter(|r| matches!(r.event, Event::Retried)).count() as u32;
        if self.log.is_empty() {
            return self.start();
        }
        let lost = self.state.lost();
        if let Some(call) = lost.model {
            self.append(Event::ModelUnknown { call });
        }
        for call in lost.tools {
            self.tool_ends(call, ToolEnd::Unknown, false);
        }
        if self.state.suspended && self.state.end.is_none() {
            self.append(Event::Continued);
        }
    }

    fn finish(&mut self) {
        assert!(self.batch.is_empty() && !self.state.is_under_way());
        assert_eq!((self.state.effects(), self.state.decide()), (vec![], vec![]));
        let finals = self.log.iter().filter(|record| match &record.event {
            Event::TurnEnded { end, .. } => !matches!(end, End::Stopped | End::Failed { .. }),
            _ => false,
        });
        assert!(finals.count() <= 1, "two final answers");
        self.books.check(self.scenario, &self.state);
        self.books.add_up(&self.log, &self.state);
        let mut folded = State::default();
        for record in &self.log {
            folded.apply(record).unwrap();
        }
        assert_eq!(folded, self.state, "the log does not fold to what was lived");
    }
}

fn walls(confined: bool) -> domain::Walls {
    if confined { domain::Walls::Confined } else { domain::Walls::Open }
}
