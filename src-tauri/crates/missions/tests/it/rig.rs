//! A mission that is driven step by step: local effects are answered by what the rig was told, child runs by the test.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use domain::mission::{
    AgendaItem, AgendaKind, AgendaStatus, DraftFacts, EarlierItems, GraphCounts, GraphFacts, ItemId,
    MissionPause, MissionRoles,
};
use domain::{AgentSlug, Budget, Digest, ErrorCode, NanoUsd, Problem, Reserve, RunId, SessionId, Usage};
use missions::{
    Additions, Assignment, ChildEnd, Criteria, Decision, DecisionAuthor, EVENT_VERSION, Effect, Essential,
    Event, GraphStart, InvocationKey, Limits, PauseKind, Proposal, Record, RegisteredAgent, Registry,
    SplitAuthor, State, Terms, capability,
};

pub fn digest(text: &str) -> Digest {
    Digest::of(text)
}

pub fn reserve(amount: u64) -> Reserve {
    Reserve { cost: NanoUsd(amount), tokens: amount }
}

pub fn key(iteration: u32, slot: u32) -> InvocationKey {
    InvocationKey { iteration, slot }
}

pub fn id(text: &str) -> ItemId {
    ItemId(text.to_owned())
}

pub fn problem(text: &str) -> Problem {
    Problem::new(ErrorCode::Provider, text).retryable()
}

pub fn agent(slug: &str, capabilities: &[&str]) -> RegisteredAgent {
    RegisteredAgent {
        slug: AgentSlug::from(slug),
        capabilities: capabilities.iter().map(|name| (*name).to_owned()).collect(),
        least: reserve(10),
        allowed: true,
        preferred_for: BTreeSet::new(),
        reads: None,
    }
}

pub fn item(name: &str, kind: AgendaKind, priority: u8, capability: &str) -> AgendaItem {
    AgendaItem {
        id: id(name),
        kind,
        priority,
        capability: capability.to_owned(),
        fingerprint: digest(name),
        depends_on: Vec::new(),
        status: AgendaStatus::Pending,
    }
}

pub fn gap(name: &str, priority: u8) -> AgendaItem {
    item(name, AgendaKind::Gap, priority, "reading")
}

/// So many supported claims from so many sources, half of the topics covered.
pub fn facts(supported_claims: u32, agenda: Vec<AgendaItem>) -> GraphFacts {
    let counts = GraphCounts { supported_claims, sources: supported_claims, ..GraphCounts::default() };
    GraphFacts { counts, coverage: 500_000, agenda, ..GraphFacts::default() }
}

/// Everything covered.
pub fn enough() -> GraphFacts {
    GraphFacts { coverage: 900_000, ..facts(9, vec![gap("g1", 7)]) }
}

pub fn assign(agent: &str, task: &str) -> Assignment {
    Assignment { agent: AgentSlug::from(agent), task: id(task) }
}

pub fn propose(assignments: &[(&str, &str)]) -> Proposal {
    let assignments = assignments.iter().map(|(agent, task)| assign(agent, task)).collect();
    Proposal { assignments, exit: false }
}

/// Two readers and no fixed roles: done when 80 % are covered.
pub fn terms() -> Terms {
    Terms {
        criteria: Criteria { coverage: Some(800_000), ..Criteria::default() },
        registry: Registry {
            agents: vec![
                agent("reader", &["reading"]),
                agent("searcher", &["reading", "searching"]),
                agent("checker", &["checking"]),
            ],
        },
        max_parallel: 2,
        no_progress_rounds: 2,
        review_rounds: 1,
        ..Terms::default()
    }
}

/// The same with an agent for each fixed role.
pub fn staffed() -> Terms {
    let mut terms = terms();
    let fixed = [
        ("splitter", capability::SPLIT),
        ("planner", capability::PLAN),
        ("coordinator", capability::COORDINATE),
        ("writer", capability::SYNTHESISE),
        ("reviewer", capability::REVIEW),
    ];
    terms.registry.agents.extend(fixed.map(|(slug, capability)| agent(slug, &[capability])));
    let named = |slug: &str| Some(AgentSlug::from(slug));
    terms.roles = MissionRoles {
        split: named("splitter"),
        plan: named("planner"),
        coordinate: named("coordinator"),
        synthesise: named("writer"),
        review: named("reviewer"),
    };
    terms
}

/// The same with a writer alone.
pub fn with_writer() -> Terms {
    let roles = MissionRoles { synthesise: Some(AgentSlug::from("writer")), ..MissionRoles::default() };
    Terms { roles, ..staffed() }
}

pub fn within(limits: Limits) -> Terms {
    let essential = Essential { reserve: reserve(100), active_ms: 100 };
    Terms { limits, essential, ..with_writer() }
}

pub fn budget(amount: u64) -> Limits {
    let budget = Budget { cost: Some(NanoUsd(amount)), tokens: Some(amount), active_ms: None };
    Limits { budget, ..Limits::default() }
}

/// The user changes the plan.
pub fn edited(rig: &Rig, edits: &str) -> Event {
    let (from, to) = (rig.state.graph, rig.state.graph + 1);
    Event::PlanEdited { edits: digest(edits), from, to, changes: digest(&format!("changes {edits}")) }
}

pub struct Rig {
    pub state: State,
    pub log: Vec<Record>,
    pub active_ms: u64,
    /// What analyses find, one after the other; the last one again and again.
    pub facts: VecDeque<GraphFacts>,
    /// What the coordinator proposes; without one, something that can't be read.
    pub proposals: VecDeque<Proposal>,
    /// The quality of drafts, 50 points without one.
    pub qualities: VecDeque<u32>,
    /// What drafts tell, where they are measured by it.
    pub told: VecDeque<DraftFacts>,
    /// Gaps that an integration adds.
    pub raises: u32,
    /// The most that an invocation may use.
    pub reserve: Reserve,
    /// What drafts lack.
    pub missing: Vec<String>,
}

impl Rig {
    pub fn new(terms: Terms, facts: impl IntoIterator<Item = GraphFacts>) -> Self {
        let mut rig = Self {
            state: State::default(),
            log: Vec::new(),
            active_ms: 0,
            facts: facts.into_iter().collect(),
            proposals: VecDeque::new(),
            qualities: VecDeque::new(),
            told: VecDeque::new(),
            raises: 0,
            reserve: reserve(50),
            missing: Vec::new(),
        };
        rig.push(Event::MissionStarted {
            session: SessionId::from("session"),
            profile: AgentSlug::from("survey"),
            request: "What is known?".to_owned(),
            inputs: None,
            pinned: digest("pinned"),
            previous: None,
            base: None,
            as_of: "2026-11-26".to_owned(),
            graph: GraphStart {
                id: "graph".to_owned(),
                version: 0,
                snapshot: None,
                earlier: EarlierItems::default(),
            },
            terms: Box::new(terms),
            unattended: false,
        });
        rig
    }

    pub fn push(&mut self, event: Event) {
        if let Err(why) = self.try_push(event) {
            panic!("{why}");
        }
    }

    /// An event that may be refused; then it leaves no trace.
    pub fn try_push(&mut self, event: Event) -> Result<(), String> {
        let record = Record {
            seq: self.state.seq + 1,
            at: self.state.seq,
            v: EVENT_VERSION,
            active_ms: self.active_ms,
            event,
        };
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(
            serde_json::from_str::<Record>(&text).unwrap(),
            record,
            "it does not survive its form: {text}"
        );
        let before = self.state.clone();
        match self.state.apply(&record) {
            Ok(()) => self.log.push(record),
            Err(error) => {
                assert_eq!(self.state, before, "a refused event left a trace");
                return Err(error.why);
            }
        }
        Ok(())
    }

    /// Decisions and local effects until there are none.
    pub fn advance(&mut self) {
        for _ in 0..1_000 {
            if let Some(event) = self.state.decide().into_iter().next() {
                self.push(event);
                continue;
            }
            match self.state.effects().into_iter().find(Effect::is_local) {
                Some(effect) => self.answer(effect),
                None => return,
            }
        }
        panic!("it goes on for ever");
    }

    pub fn answer(&mut self, effect: Effect) {
        let version = self.state.graph;
        let event = match effect {
            Effect::Split { key } => Event::RequestSplit {
                objective: digest("objective"),
                output_specification: None,
                original: digest("original"),
                by: if key.is_some() { SplitAuthor::Agent } else { SplitAuthor::Code },
            },
            Effect::Plan { key } => Event::PlanIntegrated {
                key,
                from: version,
                to: version + 1,
                changes: digest("plan"),
                asked: Vec::new(),
            },
            Effect::PlanInvocation { key, role, agent, task } => {
                let least = self.state.registry().get(&agent).map(|agent| agent.least).unwrap_or_default();
                let request = digest(&format!("request {key}"));
                Event::InvocationPlanned { key, role, agent, task, request, reserve: self.reserve, least }
            }
            Effect::CheckProposal { key } => self.check_proposal(key),
            Effect::Integrate { key } => Event::Integrated {
                key,
                from: version,
                to: version + 1,
                changes: digest(&format!("changes {key}")),
                counts: Additions { claims: 1, gaps: self.raises, ..Additions::default() },
                refused: 0,
                conflicts: 0,
            },
            Effect::Analyse => {
                let next = self.facts.front().cloned().unwrap_or_default();
                if self.facts.len() > 1 {
                    self.facts.pop_front();
                }
                let (to, changes) = (version + 1, digest("analysis"));
                let facts = Box::new(GraphFacts { version: to, ..next });
                Event::Analysed { from: version, to, changes, facts }
            }
            Effect::Score { key } => self.draft(Some(key)),
            Effect::WriteReport => self.draft(None),
            Effect::FormatPause { pause } => Event::PauseFormatted { pause, form: digest("form") },
            Effect::Invoke { .. } => panic!("the test answers what is external"),
        };
        self.push(event);
    }

    fn check_proposal(&mut self, key: InvocationKey) -> Event {
        let iteration = self.state.iteration;
        let proposal = self.proposals.pop_front().unwrap_or_default();
        match self.state.check_proposal(&proposal) {
            Ok(action) => Event::DecisionTaken {
                iteration,
                by: DecisionAuthor::Coordinator { key },
                action,
                saw: self.state.graph,
                reasons: Some(digest("reasons")),
            },
            Err(refused) => Event::DecisionRefused {
                iteration,
                key,
                why: refused.why,
                detail: refused.detail,
                decision: digest("proposal"),
            },
        }
    }

    fn draft(&mut self, key: Option<InvocationKey>) -> Event {
        let quality = self.qualities.pop_front().unwrap_or(500_000);
        let report = digest(&format!("report {}", self.state.drafts.len()));
        let facts = self.told.pop_front();
        let missing = self.missing.clone();
        Event::DraftScored { key, report, quality, missing, facts, restated: 0, left_out: 0 }
    }

    /// Child runs that are under way.
    pub fn under_way(&self) -> Vec<InvocationKey> {
        self.state.in_flight().map(|(key, _)| key).collect()
    }

    /// Names the child run of an invocation.
    pub fn begin(&mut self, key: InvocationKey) -> RunId {
        if let Some(child) = self.state.invocations[&key].child.clone() {
            return child;
        }
        let child = RunId(format!("run-{key}"));
        self.push(Event::ChildRunStarted { key, child: child.clone() });
        child
    }

    /// A child run leaves off, having used so much in its whole life.
    pub fn leaves(&mut self, key: InvocationKey, end: ChildEnd, used: u64) {
        let child = self.begin(key);
        let event = self.left(key, child, end, used);
        self.push(event);
    }

    pub fn left(&self, key: InvocationKey, child: RunId, end: ChildEnd, used: u64) -> Event {
        Event::ChildRunFinished {
            key,
            r#try: self.state.invocations[&key].tries,
            child,
            end,
            usage: Usage { input: used, ..Usage::default() },
            cost: NanoUsd(used),
            equivalent: NanoUsd::default(),
            doubtful: Reserve::default(),
            ms: 1,
        }
    }

    pub fn finishes(&mut self, key: InvocationKey) {
        self.leaves(key, ChildEnd::Finished { output: digest(&format!("output {key}")) }, 5);
    }

    pub fn fails(&mut self, key: InvocationKey) {
        self.leaves(key, ChildEnd::Failed { problem: problem("it broke") }, 5);
    }

    /// Goes on until child runs are under way, or the user is waited for, or the end.
    pub fn until_children(&mut self) -> Vec<InvocationKey> {
        self.advance();
        self.under_way()
    }

    /// Lets every child run succeed until so many iterations have begun and agents are at work, or the end.
    pub fn until_iteration(&mut self, number: u32) -> Vec<InvocationKey> {
        loop {
            let keys = self.until_children();
            let is_there = self.state.iteration >= number
                && keys.iter().any(|key| self.state.invocations[key].role.is_research());
            if is_there || keys.is_empty() {
                return keys;
            }
            keys.into_iter().for_each(|key| self.finishes(key));
        }
    }

    /// Lets every child run succeed, the last first, until nothing goes on without the user.
    pub fn run(&mut self) {
        for _ in 0..1_000 {
            let keys = self.until_children();
            if keys.is_empty() {
                return;
            }
            keys.into_iter().rev().for_each(|key| self.finishes(key));
        }
        panic!("it goes on for ever");
    }

    pub fn replies(&mut self, decision: Decision) {
        let pause = self.state.open_pauses().next().unwrap().id.clone();
        self.push(Event::Resumed { pause, decision, reply: None });
    }

    pub fn open_pauses(&self) -> Vec<PauseKind> {
        self.state.open_pauses().map(|pause| pause.kind.clone()).collect()
    }

    /// A process goes on from the log after the one before died.
    pub fn crash(&mut self) {
        self.state = folded(&self.log);
        let lost: Vec<_> = self.state.in_flight().map(|(key, of)| (key, of.tries)).collect();
        for (key, r#try) in lost {
            self.push(Event::OutcomeUnknown { key, r#try, anew: false });
        }
    }

    pub fn names(&self) -> Vec<&'static str> {
        self.log.iter().map(|record| record.event.name()).collect()
    }

    pub fn count(&self, name: &str) -> usize {
        self.log.iter().filter(|record| record.event.name() == name).count()
    }

    /// Agents by key.
    pub fn agents(&self) -> BTreeMap<String, String> {
        let of = |(key, of): (&InvocationKey, &missions::Invocation)| (key.to_string(), of.agent.0.clone());
        self.state.invocations.iter().map(of).collect()
    }
}

pub fn folded(log: &[Record]) -> State {
    let mut state = State::default();
    for record in log {
        state.apply(record).unwrap();
    }
    state
}

pub fn pauses(of: &[MissionPause]) -> BTreeSet<MissionPause> {
    of.iter().copied().collect()
}
