//! An engine in miniature: it drives the machine as the real one does, with a log in memory, and dies whenever the schedule
//! says so.

use domain::mission::{Closing, EarlierItems, ItemId, Settlement};
use domain::{AgentSlug, NanoUsd, RunId, SessionId};
use missions::{
    Additions, Decision, DecisionAuthor, EVENT_VERSION, Effect, Event, GraphStart, InvocationKey, Limits,
    PauseKind, Record, SplitAuthor, State, Status,
};

use super::books::Books;
use super::children::Children;
use super::scenario::{Rng, Scenario, digest, hash};
use crate::rig::{folded, problem, reserve};

/// Steps after which a mission counts as stuck.
const MAX_STEPS: u32 = 4_000;

/// What the world does to a mission.
#[derive(Debug, Clone, Copy, Default)]
pub struct Trouble {
    pub crashes: u32,
    pub steers: bool,
    pub suspends: bool,
    pub cancels: bool,
    pub breaks: bool,
}

pub struct Engine<'a> {
    pub scenario: &'a Scenario,
    pub state: State,
    /// The durable log.
    pub log: Vec<Record>,
    pub books: Books,
    /// Whether to print what happens, for a replay.
    pub aloud: bool,
    trouble: Trouble,
    rng: Rng,
    durable: State,
    /// Appended, not yet durable.
    batch: Vec<Record>,
    children: Children,
    names: u64,
    retries: u32,
}

impl<'a> Engine<'a> {
    pub fn new(scenario: &'a Scenario, seed: u64, trouble: Trouble) -> Self {
        Self {
            scenario,
            state: State::default(),
            log: Vec::new(),
            books: Books::default(),
            aloud: false,
            trouble,
            rng: Rng(seed),
            durable: State::default(),
            batch: Vec::new(),
            children: Children::default(),
            names: 0,
            retries: 0,
        }
    }

    pub fn run(&mut self) {
        self.append(Event::MissionStarted {
            session: SessionId::from("s"),
            profile: AgentSlug::from("p"),
            request: String::new(),
            inputs: None,
            pinned: digest(0),
            previous: None,
            base: None,
            as_of: "2026-11-26".to_owned(),
            graph: GraphStart {
                id: "g".to_owned(),
                version: 0,
                snapshot: None,
                earlier: EarlierItems::default(),
            },
            terms: Box::new(self.scenario.terms.clone()),
            unattended: false,
        });
        self.commit();
        for _ in 0..MAX_STEPS {
            while let Some(event) = self.state.decide().into_iter().next() {
                self.append(event);
            }
            if self.trouble.crashes > 0 && self.rng.chance(4) {
                self.crash();
                continue;
            }
            if self.rng.chance(30) {
                self.commit();
            }
            if self.state.has_ended() {
                self.commit();
                if self.state.status() == Status::Failed && self.retries < 2 {
                    self.retries += 1;
                    self.append(Event::MissionRetried);
                    continue;
                }
                return self.finish();
            }
            self.something_happens();
        }
        panic!("still not at an end after {MAX_STEPS} steps");
    }

    fn append(&mut self, event: Event) {
        let timed = self.state.limits.budget.active_ms.is_some();
        let active_ms = if timed { self.rng.below(6) } else { 0 };
        let record =
            Record { seq: self.state.seq + 1, at: self.state.seq, v: EVENT_VERSION, active_ms, event };
        if self.aloud {
            eprintln!("{:>4} {:?}", record.seq, record.event);
        }
        self.books.before(self.scenario, &self.state, &record.event);
        if let Err(error) = self.state.apply(&record) {
            panic!("refused: {error} ({:?})", record.event);
        }
        self.books.after(&self.state, &record.event);
        self.batch.push(record);
    }

    fn commit(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        self.books.commits += 1;
        for record in self.batch.drain(..) {
            self.durable.apply(&record).unwrap();
            self.log.push(record);
        }
        assert_eq!(self.durable, self.state, "the fold of the log is not what was lived");
        self.books.check(&self.durable, &self.children);
    }

    /// The process dies; another one goes on from what is durable.
    fn crash(&mut self) {
        self.trouble.crashes -= 1;
        self.books.crashes += 1;
        if self.aloud {
            eprintln!("     crash");
        }
        self.batch.clear();
        self.children.die(&mut self.rng);
        self.state = folded(&self.log);
        assert_eq!(self.state, self.durable);
        if self.rng.chance(30) {
            return self.crash_again();
        }
        let lost: Vec<_> = self.state.in_flight().map(|(key, of)| (key, of.tries)).collect();
        for (key, r#try) in lost {
            self.append(Event::OutcomeUnknown { key, r#try, anew: false });
        }
    }

    /// Before the next process told of anything.
    fn crash_again(&mut self) {
        let lost: Vec<_> = self.state.in_flight().map(|(key, of)| (key, of.tries)).collect();
        for (key, r#try) in lost {
            self.append(Event::OutcomeUnknown { key, r#try, anew: false });
        }
        self.commit();
    }

    fn something_happens(&mut self) {
        if self.rng.chance(2) {
            self.books.try_nonsense(&mut self.rng, &self.state, &self.log);
        }
        if self.trouble.steers && !self.state.cancelling && self.rng.chance(4) {
            return self.steer();
        }
        if self.trouble.cancels && self.rng.chance(1) {
            return self.append(Event::CancelRequested);
        }
        if self.state.suspended && !self.state.is_under_way() {
            return self.append(Event::Continued);
        }
        if self.trouble.suspends && !self.state.suspended && self.rng.chance(3) {
            return self.append(Event::Suspended);
        }
        if self.rng.chance(30) && self.user_answers() {
            return;
        }
        if self.rng.chance(30) && self.child_leaves() {
            return;
        }
        let wanted: Vec<Effect> =
            self.state.effects().into_iter().filter(|effect| !self.is_begun(effect)).collect();
        if !wanted.is_empty() {
            let which = self.rng.below(wanted.len() as u64) as usize;
            return self.perform(wanted.into_iter().nth(which).unwrap());
        }
        let moved = self.child_leaves() || self.user_answers();
        assert!(moved, "nothing can happen any more");
    }

    fn is_begun(&self, effect: &Effect) -> bool {
        match effect {
            Effect::Invoke { key, .. } => {
                self.children.0.values().any(|child| child.key == *key && child.r#try.is_some())
            }
            _ => false,
        }
    }

    /// The user says something.
    fn steer(&mut self) {
        self.books.steered += 1;
        let item = |rng: &mut Rng| ItemId(format!("g{}", rng.below(6)));
        let event = match self.rng.below(9) {
            0 => Event::Steered { text: digest(7) },
            1 => Event::ClaimPinned { claim: item(&mut self.rng) },
            2 => Event::ClaimRejected { claim: item(&mut self.rng), why: digest(8) },
            3 => Event::LimitsRaised { limits: self.raised() },
            4 if self.rng.chance(30) => Event::WriteRequested,
            5 if !self.state.closings.contains_key(&ItemId("g0".to_owned())) => Event::GapClosed {
                gap: ItemId("g0".to_owned()),
                closing: Closing::Person { reason: String::new() },
            },
            6 if self.state.phase == missions::Phase::Research && !self.state.writing => {
                let from = self.state.graph;
                Event::PlanEdited { edits: digest(9), from, to: from + 1, changes: digest(10) }
            }
            // Another mission on the graph found something in the meantime.
            7 if self.state.phase == missions::Phase::Research && !self.state.writing => {
                let from = self.state.graph;
                let counts = missions::Additions::default();
                Event::GraphJoined {
                    mission: "other".into(),
                    from,
                    to: from + 2,
                    changes: digest(11),
                    counts,
                }
            }
            _ => Event::Steered { text: digest(7) },
        };
        self.append(event);
    }

    fn raised(&self) -> Limits {
        let mut limits = self.state.limits.clone();
        limits.budget.cost = limits.budget.cost.map(|limit| limit + NanoUsd(50));
        limits.budget.tokens = limits.budget.tokens.map(|limit| limit + 50);
        limits.budget.active_ms = limits.budget.active_ms.map(|limit| limit + 50);
        limits.invocations = limits.invocations.map(|limit| limit + 2);
        limits.iterations = limits.iterations.map(|limit| limit + 1);
        limits.per_agent.values_mut().for_each(|cap| *cap += 1);
        limits
    }

    /// The user answers the first pause, if there is one with a form.
    fn user_answers(&mut self) -> bool {
        let open = self.state.open_pauses().find(|pause| pause.form.is_some());
        let Some((pause, kind)) = open.map(|pause| (pause.id.clone(), pause.kind.clone())) else {
            return false;
        };
        let decision = match (kind, self.rng.below(3)) {
            (PauseKind::Limit { .. }, 0) => Decision::Raise { limits: self.raised() },
            (PauseKind::Hosts { .. }, 0) => Decision::Again,
            (PauseKind::NoProgress, 0)
            | (PauseKind::Plan | PauseKind::Child { .. } | PauseKind::Hosts { .. }, _) => Decision::Proceed,
            (PauseKind::Limit { .. } | PauseKind::NoProgress, _) => Decision::Write,
        };
        let reply = self.rng.chance(50).then(|| digest(6));
        self.append(Event::Resumed { pause, decision, reply });
        true
    }

    /// One of the child runs leaves off, in any order.
    fn child_leaves(&mut self) -> bool {
        let running = self.children.running();
        if running.is_empty() {
            return false;
        }
        let run = &running[self.rng.below(running.len() as u64) as usize];
        let stops = self.state.suspended || self.state.cancelling || self.state.writing;
        let interrupted = stops && self.rng.chance(50);
        let event = self.children.leaves(run, interrupted, &mut self.rng);
        self.append(event);
        true
    }

    fn perform(&mut self, effect: Effect) {
        if effect.is_local() && self.trouble.breaks && self.rng.chance(2) {
            return self.append(Event::StepFailed { problem: problem("the disk is full") });
        }
        let version = self.state.graph;
        // Another mission on the same graph.
        let from = version + u64::from(self.trouble.steers && self.rng.chance(10));
        let event = match effect {
            Effect::Invoke { key, r#try } => return self.invoke(key, r#try),
            Effect::Split { key } => Event::RequestSplit {
                objective: digest(1),
                output_specification: None,
                original: digest(2),
                by: if key.is_some() { SplitAuthor::Agent } else { SplitAuthor::Code },
            },
            Effect::Plan { key } => {
                Event::PlanIntegrated { key, from, to: from + 1, changes: digest(3), asked: Vec::new() }
            }
            Effect::PlanInvocation { key, role, agent, task } => {
                let least = self.state.registry().get(&agent).map(|agent| agent.least).unwrap_or_default();
                let reserve = reserve(self.scenario.reserve);
                self.append(Event::InvocationPlanned {
                    key,
                    role,
                    agent,
                    task,
                    request: digest(4),
                    reserve,
                    least,
                });
                if !self.scenario.reuses(key) {
                    return;
                }
                Event::InvocationReused { key, output: digest(11), from: RunId::from("before") }
            }
            Effect::CheckProposal { key } => self.check_proposal(key),
            Effect::Integrate { key } => {
                let gaps = self.scenario.raised(key);
                let counts = Additions { gaps, ..Additions::default() };
                self.settle_something();
                let is_research = self.state.invocations[&key].role.is_research();
                let left_out = self.scenario.left_out(key).filter(|_| is_research);
                if let Some(host) = left_out.filter(|host| !self.state.hosts.contains_key(host)) {
                    self.append(Event::HostsLeftOut { iteration: self.state.iteration, hosts: vec![host] });
                }
                Event::Integrated {
                    key,
                    from,
                    to: from + 1,
                    changes: digest(5),
                    counts,
                    refused: 0,
                    conflicts: 0,
                }
            }
            Effect::Analyse => {
                let facts = Box::new(self.scenario.facts(from + 1, &self.integrated()));
                Event::Analysed { from, to: from + 1, changes: digest(6), facts }
            }
            Effect::Score { key } => self.draft(Some(key)),
            Effect::WriteReport => self.draft(None),
            Effect::FormatPause { pause } => Event::PauseFormatted { pause, form: digest(7) },
        };
        self.append(event);
    }

    /// Evidence settles a contradiction now and then.
    fn settle_something(&mut self) {
        let contradiction = ItemId(format!("x{}", self.state.settlements.len()));
        if self.integrated().len() % 7 == 6 {
            let settlement = Settlement::Compatible { evidence: vec![ItemId("c1".to_owned())] };
            self.append(Event::ContradictionSettled { contradiction, settlement });
        }
    }

    /// What research found, in the order in which it went into the graph.
    fn integrated(&self) -> Vec<InvocationKey> {
        let settled = self.state.invocations.iter().filter(|(_, of)| {
            of.role.is_research() && matches!(of.status, missions::InvocationStatus::Settled(_))
        });
        settled.map(|(key, _)| *key).collect()
    }

    fn check_proposal(&self, key: InvocationKey) -> Event {
        let iteration = self.state.iteration;
        let proposal = self.scenario.proposal(key, &self.state.facts);
        match self.state.check_proposal(&proposal) {
            Ok(action) => Event::DecisionTaken {
                iteration,
                by: DecisionAuthor::Coordinator { key },
                action,
                saw: self.state.graph,
                reasons: None,
            },
            Err(refused) => Event::DecisionRefused {
                iteration,
                key,
                why: refused.why,
                detail: refused.detail,
                decision: digest(8),
            },
        }
    }

    fn draft(&self, key: Option<InvocationKey>) -> Event {
        let known = self.integrated();
        let sum =
            known.iter().fold(0, |sum, key| hash(&[sum, u64::from(key.iteration), u64::from(key.slot)]));
        Event::DraftScored {
            key,
            report: digest(sum),
            quality: self.scenario.quality(key),
            missing: Vec::new(),
            facts: self.scenario.draft_facts(key, known.len() as u32),
            restated: 0,
            left_out: 0,
        }
    }

    fn invoke(&mut self, key: InvocationKey, r#try: u32) {
        let run = match self.state.invocations[&key].child.clone() {
            Some(run) => run,
            None => {
                self.names += 1;
                let child = RunId(format!("r{}", self.names));
                self.append(Event::ChildRunStarted { key, child: child.clone() });
                child
            }
        };
        self.commit();
        let invocation = &self.durable.invocations[&key];
        if invocation.status != missions::InvocationStatus::Requested {
            return;
        }
        self.books.begins(&self.durable, key, &run);
        let most = invocation.used.amount() + invocation.held;
        let cap = most.cost.0.min(most.tokens);
        self.children.begin(run, key, r#try, cap, || self.scenario.behaviour(key));
    }

    fn finish(&mut self) {
        assert_eq!(folded(&self.log), self.state, "the fold of the log is not what was lived");
        self.books.ends(self.scenario, &self.log, &self.state);
    }

    /// What came out of it.
    pub fn result(&self) -> (Vec<InvocationKey>, Vec<missions::Draft>, Option<missions::StopCause>) {
        (self.integrated(), self.state.drafts.clone(), self.state.cause.clone())
    }
}
