//! A small engine for tests: it appends what the machine decides and leaves everything else to the test.

use dialogue::{
    Bounds, Effect, End, Event, IllegalEvent, Origin, Purpose, Record, RequestedCall, State, Status, Stop,
    ToolEnd, Verdict,
};
use domain::{
    Budget, Covers, Digest, ErrorCode, GrantScope, Mode, NanoUsd, Offer, Problem, Question, Reserve, Ruling,
    RunId, SessionId, Usage,
};
use pretty_assertions::assert_eq;

/// Money and tokens in equal number.
pub fn reserve(amount: u64) -> Reserve {
    Reserve { cost: NanoUsd(amount), tokens: amount }
}

pub fn digest(text: &str) -> Digest {
    Digest::of(text)
}

pub fn problem() -> Problem {
    Problem::new(ErrorCode::Provider, "overloaded").retryable()
}

/// A call that reads: it may run beside others, and twice.
pub fn read(call: &str) -> RequestedCall {
    RequestedCall { parallel: true, repeatable: true, ..write(call) }
}

/// A call that changes something.
pub fn write(call: &str) -> RequestedCall {
    RequestedCall {
        adapted: Vec::new(),
        call: call.to_owned(),
        tool: "tool".to_owned(),
        same: digest(call),
        known: true,
        parallel: false,
        repeatable: false,
    }
}

/// The same call under another id.
pub fn same(call: &str, same: &str) -> RequestedCall {
    RequestedCall { same: digest(same), ..read(call) }
}

pub fn unknown(call: &str) -> RequestedCall {
    RequestedCall { known: false, ..write(call) }
}

pub fn allow() -> Ruling {
    Ruling::Allow { by: "the mode".into(), confined: domain::Walls::Open }
}

pub fn ask() -> Ruling {
    let offer =
        Offer { scope: GrantScope::Once, covers: Covers::Any, words: "Every call of tool, once".to_owned() };
    Ruling::Ask { why: "it writes".to_owned(), offers: vec![offer] }
}

pub fn deny() -> Ruling {
    Ruling::Deny { why: "a rule forbids it".to_owned(), instead: None }
}

pub fn question() -> Question {
    Question { text: "Which?".to_owned(), options: Vec::new(), several: false }
}

pub fn bounded(bound: &str) -> End {
    End::Bounded { bound: bound.to_owned() }
}

pub fn run(call: &str) -> Effect {
    Effect::Run { call: call.to_owned(), confined: domain::Walls::Open }
}

pub fn authorize(call: &str) -> Effect {
    Effect::Authorize { call: call.to_owned() }
}

pub fn refuse(call: &str, end: ToolEnd, why: &str) -> Effect {
    Effect::Refuse { call: call.to_owned(), end, why: why.to_owned() }
}

pub struct Rig {
    pub state: State,
    pub log: Vec<Record>,
    /// What a call to the model sets aside and costs.
    pub reserve: u64,
    pub cost: u64,
    /// Active time of every event.
    pub active_ms: u64,
}

impl Rig {
    pub fn new() -> Self {
        Self::within(Bounds::default())
    }

    pub fn within(bounds: Bounds) -> Self {
        Self::from(Origin::Person, bounds)
    }

    pub fn budget(cost: u64) -> Self {
        let budget = Budget { cost: Some(NanoUsd(cost)), ..Budget::default() };
        Self::within(Bounds { budget, ..Bounds::default() })
    }

    pub fn from(origin: Origin, bounds: Bounds) -> Self {
        let mut rig = Self { state: State::default(), log: Vec::new(), reserve: 100, cost: 10, active_ms: 0 };
        rig.push(Event::TurnStarted {
            session: SessionId::from("session"),
            agent: None,
            origin,
            message: digest("question"),
            previous: None::<RunId>,
            pinned: digest("pinned"),
            mode: Mode::Ask,
            bounds,
        });
        rig
    }

    /// Appends an event, whatever the machine decides on then, and that a call to the model is too dear when it is.
    pub fn push(&mut self, event: Event) {
        let mut next = Some(event);
        while let Some(event) = next {
            self.append(event).unwrap();
            next = self.state.decide().into_iter().next().or_else(|| self.too_dear());
        }
    }

    fn too_dear(&self) -> Option<Event> {
        let is_open = self.state.model_calls.values().any(|call| call.open);
        match self.effects().as_slice() {
            [Effect::CallModel { call, purpose, .. }] if !is_open => {
                let (call, purpose, reserve) = (*call, *purpose, reserve(self.reserve));
                let dear = !self.state.affords(purpose, reserve);
                dear.then_some(Event::TooDear { call, purpose, reserve })
            }
            _ => None,
        }
    }

    /// Appends an event alone.
    pub fn append(&mut self, event: Event) -> Result<(), IllegalEvent> {
        let record = Record { seq: self.state.seq + 1, at: 1, v: 1, active_ms: self.active_ms, event };
        let before = self.state.clone();
        match self.state.apply(&record) {
            Ok(()) => self.log.push(record),
            Err(illegal) => {
                assert_eq!(self.state, before, "a refused event left a trace");
                return Err(illegal);
            }
        }
        Ok(())
    }

    /// Why an event can't happen now.
    pub fn refuses(&mut self, event: Event) -> String {
        self.append(event).unwrap_err().why
    }

    pub fn effects(&self) -> Vec<Effect> {
        self.state.effects()
    }

    /// What the next call to the model would be.
    pub fn wanted(&self) -> (u32, u32, Purpose) {
        match self.effects().as_slice() {
            [Effect::CallModel { call, r#try, purpose }] => (*call, *r#try, *purpose),
            other => panic!("the model is not to be called: {other:?}"),
        }
    }

    pub fn requested(&self) -> Event {
        let (call, r#try, purpose) = self.wanted();
        Event::ModelRequested {
            call,
            r#try,
            purpose,
            tools: purpose == Purpose::Step,
            request: digest("request"),
            reserve: reserve(self.reserve),
            tokens: 50,
        }
    }

    /// Calls the model; gives the call.
    pub fn request(&mut self) -> u32 {
        let call = self.wanted().0;
        self.push(self.requested());
        call
    }

    pub fn answered(&self, call: u32, text: &str, tools: &[RequestedCall], stop: Stop) -> Event {
        Event::ModelAnswered {
            call,
            answer: digest(&format!("answer {call}")),
            text: (!text.is_empty()).then(|| digest(text)),
            stop,
            tools: tools.to_vec(),
            usage: Usage { input: self.cost, ..Usage::default() },
            cost: NanoUsd(self.cost),
            equivalent: NanoUsd(1),
            request_id: None,
            notes: Vec::new(),
        }
    }

    /// The model is called and answers.
    pub fn answers(&mut self, text: &str, tools: &[RequestedCall], stop: Stop) {
        let call = self.request();
        let event = self.answered(call, text, tools, stop);
        self.push(event);
    }

    pub fn says(&mut self, text: &str) {
        self.answers(text, &[], Stop::Ended);
    }

    pub fn calls(&mut self, tools: &[RequestedCall]) {
        self.answers("", tools, Stop::WantsTools);
    }

    pub fn fails(&mut self, retry_ms: Option<u64>) {
        let call = self.request();
        self.push(failed(call, retry_ms, false));
    }

    pub fn decides(&mut self, call: &str, ruling: Ruling) {
        let (call, preview) = (call.to_owned(), Some(digest("preview")));
        self.push(Event::ToolJudged { call, ruling, preview, intent: "Do it".to_owned() });
    }

    pub fn starts(&mut self, call: &str) {
        self.push(Event::ToolStarted { call: call.to_owned() });
    }

    pub fn ends(&mut self, call: &str, end: ToolEnd) {
        self.push(ended(call, end, false));
    }

    /// Allows, starts and ends calls, one after the other.
    pub fn runs(&mut self, calls: &[&str]) {
        for call in calls {
            self.decides(call, allow());
            self.starts(call);
            self.ends(call, ToolEnd::Ok);
        }
    }

    /// The model calls one tool, which runs.
    pub fn step(&mut self, call: &str) {
        self.calls(&[write(call)]);
        self.runs(&[call]);
    }

    pub fn nudges(&mut self) {
        assert!(matches!(self.effects().as_slice(), [Effect::Nudge { .. }]), "{:?}", self.effects());
        self.push(Event::Nudged { text: digest("nudge") });
    }

    pub fn person(&mut self, call: &str, verdict: Verdict) {
        self.push(Event::ToolAnswered { call: call.to_owned(), verdict });
    }

    pub fn steers(&mut self, text: &str) {
        self.push(Event::Steered { message: digest(text) });
    }

    pub fn needs_compaction(&mut self) {
        self.push(Event::CompactionNeeded { tokens: 900, window: 1_000 });
    }

    pub fn compacts(&mut self, by_model: bool) {
        self.push(Event::Compacted {
            summary: digest("summary"),
            by_model,
            before: 900,
            after: 90,
            checkpoint: None,
        });
    }

    /// The process dies; another one takes the log up.
    pub fn crash(&mut self) {
        let mut state = State::default();
        for record in &self.log {
            state.apply(record).unwrap();
        }
        assert_eq!(state, self.state, "the log does not fold to what was lived");
        let lost = self.state.lost();
        if let Some(call) = lost.model {
            self.push(Event::ModelUnknown { call });
        }
        for call in lost.tools {
            self.push(ended(&call, ToolEnd::Unknown, false));
        }
    }

    /// How it ended, and with what.
    pub fn end(&self) -> (Option<End>, Option<Digest>) {
        (self.state.end.clone(), self.state.answer)
    }

    pub fn status(&self) -> Status {
        self.state.status()
    }

    /// The names of the events after the first, in order.
    pub fn names(&self) -> Vec<&'static str> {
        self.log.iter().skip(1).map(|record| record.event.name()).collect()
    }

    pub fn why(&self) -> Option<&str> {
        self.log.iter().find_map(|record| match &record.event {
            Event::Responding { why } => Some(why.as_str()),
            _ => None,
        })
    }
}

pub fn failed(call: u32, retry_ms: Option<u64>, too_long: bool) -> Event {
    Event::ModelFailed {
        call,
        problem: problem(),
        retry_ms,
        too_long,
        shown: None,
        usage: Usage { input: 3, ..Usage::default() },
        cost: NanoUsd(3),
        response_id: None,
    }
}

pub fn ended(call: &str, end: ToolEnd, ends: bool) -> Event {
    Event::ToolEnded {
        call: call.to_owned(),
        end,
        result: digest(&format!("result {call}")),
        summary: "done".to_owned(),
        show: Vec::new(),
        ms: 5,
        ends,
    }
}

pub fn with_answer(text: &str) -> Option<Digest> {
    Some(digest(text))
}
