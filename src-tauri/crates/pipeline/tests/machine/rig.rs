//! A small engine for tests: it settles everything that needs nothing outside and leaves calls, timers and answers to
//! the test.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use domain::agent::AgentConfig;
use domain::{
    AgentSlug, Budget, Digest, ErrorCode, NanoUsd, PauseId, Problem, Reserve, RunId, SessionId, StageId,
    Usage,
};
use pipeline::{
    Action, Answer, CallKey, Cut, Decision, Effect, Event, Graph, GraphError, Handoff, IllegalEvent,
    ParentCall, PlannedCall, Record, SkippedBy, StageState, State, Status,
};
use serde_json::{Value, json};

/// Money and tokens in equal number.
pub fn reserve(amount: u64) -> Reserve {
    Reserve { cost: NanoUsd(amount), tokens: amount }
}

pub fn dollars(amount: u64) -> Budget {
    Budget { cost: Some(NanoUsd(amount)), tokens: None, active_ms: None }
}

pub fn digest(text: &str) -> Digest {
    Digest::of(text)
}

/// A model stage with some more fields.
pub fn model(id: &str, more: Value) -> Value {
    stage(id, "model", 0, more)
}

/// A stage with so many tool waves.
pub fn stage(id: &str, kind: &str, waves: usize, more: Value) -> Value {
    let steps: Vec<Value> = (0..waves).map(|_| json!({ "tool": "source/tool" })).collect();
    let mut stage = json!({ "id": id, "name": id, "title": id, "kind": kind, "steps": steps });
    stage.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    stage
}

pub fn tools(id: &str, waves: usize, more: Value) -> Value {
    stage(id, "tools", waves, more)
}

pub fn verify(id: &str) -> Value {
    stage(id, "verify", 1, json!({}))
}

pub fn flow(stages: Vec<Value>) -> Value {
    json!({ "slug": "a", "name": "A", "description": "d", "controlFlow": { "stages": stages } })
}

pub fn graph(config: Value) -> Result<Graph, GraphError> {
    Graph::new(&serde_json::from_value::<AgentConfig>(config).unwrap())
}

pub struct Rig {
    pub state: State,
    pub log: Vec<Record>,
    pub active_ms: u64,
    /// Calls of a wave; without an entry there is one.
    pub plans: BTreeMap<(String, u32), Vec<PlannedCall>>,
    /// What a model call sets aside.
    pub reserve: Reserve,
    /// Verdicts and scores of a stage's coming attempts.
    pub verdicts: BTreeMap<String, VecDeque<(bool, i64)>>,
    /// What a rule of progress says of coming repairs.
    pub progress: VecDeque<bool>,
    /// Stages whose `when` is false.
    pub off: BTreeSet<String>,
    /// Stages for which the conversation has too little room left.
    pub cramped: BTreeSet<String>,
    start: Event,
}

impl Rig {
    pub fn new(config: Value) -> Self {
        let graph = Arc::new(graph(config).unwrap());
        Self {
            state: State::new(graph),
            log: Vec::new(),
            active_ms: 0,
            plans: BTreeMap::new(),
            reserve: reserve(100),
            verdicts: BTreeMap::new(),
            progress: VecDeque::new(),
            off: BTreeSet::new(),
            cramped: BTreeSet::new(),
            start: Event::RunStarted {
                session: SessionId::from("session"),
                agent: AgentSlug::from("a"),
                request: "why?".to_owned(),
                depth: None,
                pinned: digest("pinned"),
                previous: None::<RunId>,
                budget: Budget::default(),
                essential: Reserve::default(),
                retry_ambiguous: false,
                forecast: None,
                inputs: None,
                parent: None,
                base: None,
            },
        }
    }

    /// Stages in a chain.
    pub fn chain(stages: Vec<Value>) -> Self {
        Self::new(flow(stages))
    }

    pub fn calls(mut self, stage: &str, wave: u32, count: u32) -> Self {
        let call = |item| PlannedCall {
            request: digest(&format!("{stage}.{wave}.{item}")),
            reserve: Reserve::default(),
            least: Reserve::default(),
            repeatable: true,
            optional: false,
            title: String::new(),
            name: String::new(),
        };
        self.plans.insert((stage.to_owned(), wave), (0..count).map(call).collect());
        self
    }

    pub fn verdicts(mut self, stage: &str, verdicts: &[(bool, i64)]) -> Self {
        self.verdicts.insert(stage.to_owned(), verdicts.iter().copied().collect());
        self
    }

    pub fn budget(mut self, limit: Budget, kept: Reserve) -> Self {
        if let Event::RunStarted { budget, essential, .. } = &mut self.start {
            (*budget, *essential) = (limit, kept);
        }
        self
    }

    /// As a run that works for another.
    pub fn child(mut self) -> Self {
        if let Event::RunStarted { parent, .. } = &mut self.start {
            *parent = Some(ParentCall { run: "run-0".into(), key: key("a#1.0.0") });
        }
        self
    }

    /// Repeats another run.
    pub fn base(mut self, other: Option<pipeline::BaseRun>) -> Self {
        if let Event::RunStarted { base, .. } = &mut self.start {
            *base = other;
        }
        self
    }

    pub fn permits_retry(mut self) -> Self {
        if let Event::RunStarted { retry_ambiguous, .. } = &mut self.start {
            *retry_ambiguous = true;
        }
        self
    }

    pub fn start(mut self) -> Self {
        self.push(self.start.clone());
        self
    }

    /// Applies an event alone.
    pub fn apply(&mut self, event: Event) -> Result<(), IllegalEvent> {
        let record = Record {
            seq: self.state.seq + 1,
            at: 1,
            v: event.version(),
            active_ms: std::mem::take(&mut self.active_ms),
            event,
        };
        let before = self.state.clone();
        let outcome = self.state.apply(&record);
        match outcome {
            Ok(()) => self.log.push(record),
            Err(_) => assert_eq!(self.state, before, "a refused event left a trace"),
        }
        outcome
    }

    /// Applies an event and lets the machine go on as far as it gets.
    pub fn push(&mut self, event: Event) {
        self.apply(event).unwrap();
        self.settle();
    }

    /// The words with which an event is refused.
    pub fn refused(&mut self, event: Event) -> String {
        self.apply(event).unwrap_err().to_string()
    }

    pub fn settle(&mut self) {
        loop {
            let mut events = self.state.decide();
            if events.is_empty() {
                events = self
                    .state
                    .effects()
                    .into_iter()
                    .filter(Effect::is_local)
                    .map(|e| self.local(e))
                    .collect();
            }
            if events.is_empty() {
                break;
            }
            events.into_iter().for_each(|event| self.apply(event).unwrap());
        }
        let mut folded = State::new(self.state.graph.clone());
        self.log.iter().for_each(|record| folded.apply(record).unwrap());
        assert_eq!(folded, self.state);
    }

    fn local(&mut self, effect: Effect) -> Event {
        match effect {
            Effect::Open { stage, skip: true, .. } => {
                Event::StageSkipped { stage, by: SkippedBy::Person, why: "chosen".to_owned(), output: None }
            }
            Effect::Open { stage, .. } if self.off.contains(stage.as_str()) => {
                Event::StageSkipped { stage, by: SkippedBy::Config, why: "off".to_owned(), output: None }
            }
            Effect::Open { stage, .. } if self.lacks_room(&stage) => {
                Event::ContextHandoffRequested { stage, fill: 0.75, used: 750, window: 1_000, needed: 300 }
            }
            Effect::HandOff { stage } => Event::ContextHandoffApproved { stage, handoff: digest("handoff") },
            Effect::Open { stage, attempt, iteration, conversation, .. } => {
                Event::StageStarted { stage, attempt, iteration, conversation }
            }
            Effect::Plan { stage, attempt, wave } => {
                let model = wave >= self.state.graph.node(&stage).unwrap().tool_waves;
                let one = PlannedCall {
                    request: digest(&format!("{stage}.{wave}")),
                    reserve: Reserve::default(),
                    least: Reserve::default(),
                    repeatable: !model,
                    optional: false,
                    title: String::new(),
                    name: String::new(),
                };
                let mut calls =
                    self.plans.get(&(stage.0.clone(), wave)).cloned().unwrap_or_else(|| vec![one]);
                if model {
                    for call in &mut calls {
                        (call.reserve, call.repeatable) = (self.reserve, false);
                    }
                }
                Event::StagePlanned { stage, attempt, wave, calls, cut: Cut::default() }
            }
            Effect::Prepare { key } => {
                Event::CallPrepared { key, request: digest("again"), reserve: self.reserve }
            }
            Effect::Finish { stage, attempt } => {
                let verdict = self.verdicts.get_mut(stage.as_str()).and_then(VecDeque::pop_front);
                let repaired = verdict.is_some() && self.stage(stage.as_str()).iteration > 0;
                Event::StageCompleted {
                    output: digest(&format!("{stage}#{attempt}")),
                    stage,
                    attempt,
                    summary: String::new(),
                    passed: verdict.map(|verdict| verdict.0),
                    scores: verdict.map(|verdict| ("axis".to_owned(), verdict.1)).into_iter().collect(),
                    warnings: Vec::new(),
                    progress: if repaired { self.progress.pop_front() } else { None },
                }
            }
            Effect::FormatPause { pause } => {
                Event::PauseFormatted { pause, shape: "data".to_owned(), length: 4, form: digest("form") }
            }
            Effect::Call { .. } | Effect::Timer { .. } => unreachable!(),
        }
    }

    fn lacks_room(&self, stage: &StageId) -> bool {
        let nobody_asked = self.stage(stage.as_str()).handoff() == Handoff::None;
        nobody_asked && self.cramped.contains(stage.as_str()) && self.state.follows(stage).is_some()
    }

    /// The calls under way, in order.
    pub fn under_way(&self) -> Vec<String> {
        self.state.in_flight().map(|(key, _)| key.to_string()).collect()
    }

    pub fn timers(&self) -> Vec<(String, u64)> {
        let effects = self.state.effects().into_iter();
        effects
            .filter_map(
                |e| if let Effect::Timer { key, ms } = e { Some((key.to_string(), ms)) } else { None },
            )
            .collect()
    }

    pub fn tries(&self, call: &str) -> u32 {
        self.state.calls[&key(call)].tries
    }

    /// A call ends well; a model's costs 10.
    pub fn good(&mut self, call: &str) {
        let event = self.good_event(call, 10);
        self.push(event);
    }

    pub fn costing(&mut self, call: &str, cost: u64) {
        let event = self.good_event(call, cost);
        self.push(event);
    }

    pub fn good_event(&self, call: &str, cost: u64) -> Event {
        let (key, r#try) = (key(call), self.tries(call));
        if self.state.calls[&key].model {
            answer(call, r#try, Answer::Valid { output: digest(call), left_out: Vec::new() }, cost)
        } else {
            Event::ToolCallCompleted { key, r#try, output: digest(call), ms: 1 }
        }
    }

    pub fn bad(&mut self, call: &str) {
        let invalid = Answer::Invalid { text: digest("text"), errors: vec!["/a: missing".to_owned()] };
        let event = answer(call, self.tries(call), invalid, 10);
        self.push(event);
    }

    pub fn fails(&mut self, call: &str, retry_in: Option<u64>) {
        let event = self.fail_event(call, ErrorCode::Provider, retry_in, 0);
        self.push(event);
    }

    pub fn fail_event(&self, call: &str, code: ErrorCode, retry_in: Option<u64>, cost: u64) -> Event {
        let (key, r#try) = (key(call), self.tries(call));
        let problem = Problem::new(code, format!("{call} failed"));
        if self.state.calls[&key].model {
            let usage = Usage { input: cost, ..Usage::default() };
            Event::ModelCallFailed {
                key,
                r#try,
                problem,
                retry_in,
                usage,
                cost: NanoUsd(cost),
                receipt: Default::default(),
            }
        } else {
            Event::ToolCallFailed { key, r#try, problem, retry_in }
        }
    }

    /// The process dies and comes back.
    pub fn crash(&mut self) {
        let lost: Vec<Event> = self
            .state
            .in_flight()
            .map(|(key, call)| Event::OutcomeUnknown {
                key: key.clone(),
                r#try: call.tries,
                continues: false,
            })
            .collect();
        lost.into_iter().for_each(|event| self.apply(event).unwrap());
        self.settle();
    }

    /// Open pauses, as `stage` or `stage:kind`.
    pub fn pauses(&self) -> Vec<String> {
        self.state.open_pauses().map(|pause| format!("{} {}", pause.id, pause.stage)).collect()
    }

    pub fn answer(&mut self, pause: &str, action: Action) {
        self.push(resumed(pause, action, None));
    }

    pub fn says(&mut self, pause: &str, action: Action, text: &str) {
        self.push(resumed(pause, action, Some(text)));
    }

    pub fn stage(&self, id: &str) -> &StageState {
        self.state.stage(&StageId::from(id)).unwrap()
    }

    pub fn output(&self, id: &str) -> Option<Digest> {
        self.stage(id).output
    }

    pub fn status(&self) -> Status {
        self.state.status()
    }

    /// How often an event of that type happened.
    pub fn count(&self, name: &str) -> usize {
        self.log.iter().filter(|record| record.event.name() == name).count()
    }
}

/// `stage#attempt.wave.item`.
pub fn key(text: &str) -> CallKey {
    let (stage, rest) = text.split_once('#').unwrap();
    let numbers: Vec<u32> = rest.split('.').map(|number| number.parse().unwrap()).collect();
    CallKey { stage: StageId::from(stage), attempt: numbers[0], wave: numbers[1], item: numbers[2] }
}

pub fn answer(call: &str, r#try: u32, answer: Answer, cost: u64) -> Event {
    Event::ModelCallCompleted {
        key: key(call),
        r#try,
        answer,
        usage: Usage { input: cost, ..Usage::default() },
        cost: NanoUsd(cost),
        stop: "end_turn".to_owned(),
        model: "m".to_owned(),
        response_id: None,
        truncated: false,
        ms: 3,
        receipt: Default::default(),
    }
}

pub fn resumed(pause: &str, action: Action, text: Option<&str>) -> Event {
    let decision = Decision {
        choice: "choice".to_owned(),
        action,
        text: text.map(str::to_owned),
        answers: BTreeMap::new(),
        unattended: false,
        edited: false,
        because: None,
        follow_up: false,
        at: None,
    };
    Event::Resumed { pause: PauseId::from(pause), decision, reply: None }
}
