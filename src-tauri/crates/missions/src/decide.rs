//! What the machine wants to happen next, read off the state alone.

use domain::mission::{ItemId, MissionPause};
use domain::{AgentSlug, PauseId};

use crate::choice::Action;
use crate::event::{DecisionAuthor, DropCause, Event, InvocationKey, PauseKind, Role, StopCause};
use crate::limits::Dimension;
use crate::state::{Invocation, InvocationStatus, IterationState, Phase, State};

/// Proposals of a coordinator that are refused before it is decided by rule.
pub(crate) const MAX_REFUSALS: u32 = 2;
/// Millionths that the mean confidence has to rise by to count as progress.
const MIN_CONFIDENCE_GAIN: u32 = 10_000;

/// Something that only the engine can do. Effects are levels, not edges: as long as one is wanted it is listed, so that
/// after a crash the same effects come out of the same log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Take the request apart, by the result of an invocation or by code: answer with `request_split`.
    Split {
        /// The invocation; `None`: by code.
        key: Option<InvocationKey>,
    },
    /// Put the questions of a plan on the agenda, or the objective alone: answer with `plan_integrated`.
    Plan {
        /// The invocation; `None`: by code.
        key: Option<InvocationKey>,
    },
    /// Make what an agent is given: answer with `invocation_planned`. `invocation_reused` may follow right after it where
    /// an earlier mission's result for the same request stands.
    PlanInvocation {
        /// The invocation.
        key: InvocationKey,
        /// What for.
        role: Role,
        /// The agent.
        agent: AgentSlug,
        /// The item of the agenda.
        task: Option<ItemId>,
    },
    /// Hold the coordinator's proposal against the rules ([`State::check_new_proposal`]): answer with `decision_taken` or
    /// `decision_refused`.
    CheckProposal {
        /// The invocation that proposed it.
        key: InvocationKey,
    },
    /// Put what an invocation found into the graph: answer with `integrated`; what that closes or settles goes before it.
    Integrate {
        /// The invocation.
        key: InvocationKey,
    },
    /// Take in what the user said of the graph, and analyse it: answer with `analysed`; what that closes or settles goes
    /// before it.
    Analyse,
    /// Hold a report against its claims and score it: answer with `draft_scored`.
    Score {
        /// The invocation that wrote it.
        key: InvocationKey,
    },
    /// Write a report from the graph without a model: answer with `draft_scored` without a key.
    WriteReport,
    /// Make a pause's message: answer with `pause_formatted`.
    FormatPause {
        /// The pause.
        pause: PauseId,
    },
    /// Carry out an invocation whose intent is in the log: name its child run with `child_run_started` where it has none,
    /// commit, start it or go on with it, and answer with `child_run_finished`.
    Invoke {
        /// The invocation.
        key: InvocationKey,
        /// Which try.
        r#try: u32,
    },
}

impl Effect {
    /// Whether it touches nothing outside the process and needs no commit before it.
    pub fn is_local(&self) -> bool {
        !matches!(self, Self::Invoke { .. })
    }
}

/// What is next at a point where one thing follows another.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Next {
    Event(Box<Event>),
    Effect(Effect),
    /// Something is waited for.
    Nothing,
}

impl Next {
    pub(crate) fn event(event: Event) -> Self {
        Self::Event(Box::new(event))
    }
}

impl State {
    /// Events that the machine itself decides on now. The engine appends them and asks again, until none is left.
    pub fn decide(&self) -> Vec<Event> {
        if self.start.is_none() || self.has_ended() {
            return Vec::new();
        }
        if self.cancelling {
            return if self.is_under_way() { Vec::new() } else { vec![Event::MissionCancelled] };
        }
        if let Some(problem) = &self.failure {
            let failed = Event::MissionFailed { problem: problem.clone() };
            return if self.is_under_way() { Vec::new() } else { vec![failed] };
        }
        let warned = |(dimension, percent)| Event::BudgetWarned { dimension, percent };
        let mut events: Vec<Event> = self.due_warnings().into_iter().map(warned).collect();
        if self.suspended || !events.is_empty() {
            return events;
        }
        events.extend(self.decide_invocations());
        if events.is_empty()
            && let Next::Event(event) = self.next()
        {
            events.push(*event);
        }
        events
    }

    /// What the engine has to do now.
    pub fn effects(&self) -> Vec<Effect> {
        if self.start.is_none() || self.has_ended() {
            return Vec::new();
        }
        let under_way = self.in_flight().map(|(key, of)| Effect::Invoke { key, r#try: of.tries });
        let mut effects: Vec<Effect> = under_way.collect();
        if self.cancelling || self.failure.is_some() {
            return effects;
        }
        let unformed = self.open_pauses().filter(|pause| pause.form.is_none());
        effects.extend(unformed.map(|pause| Effect::FormatPause { pause: pause.id.clone() }));
        if self.suspended {
            return effects;
        }
        let assigned = |(key, of): (&InvocationKey, &Invocation)| {
            (of.status == InvocationStatus::Assigned).then(|| Effect::PlanInvocation {
                key: *key,
                role: of.role,
                agent: of.agent.clone(),
                task: of.task.clone(),
            })
        };
        effects.extend(self.invocations.iter().filter_map(assigned));
        if let Next::Effect(effect) = self.next() {
            effects.push(effect);
        }
        effects
    }

    /// Whether it goes on without the user.
    pub(crate) fn moves_on(&self) -> bool {
        let moves = |effect: &Effect| !matches!(effect, Effect::FormatPause { .. });
        !self.decide().is_empty() || self.effects().iter().any(moves)
    }

    pub(crate) fn has_open_invocations(&self) -> bool {
        self.invocations.values().any(Invocation::is_open)
    }

    /// Begins, drops or asks about invocations that wait. One at a time: each changes what the next may use.
    fn decide_invocations(&self) -> Option<Event> {
        let waiting = || self.invocations.iter().filter(|(_, invocation)| invocation.is_open());
        for (key, invocation) in waiting() {
            if let Some(why) = self.drop_cause(invocation) {
                return Some(Event::InvocationDropped { key: *key, why });
            }
            let kind = PauseKind::Child { key: *key };
            let is_asked = || self.open_pauses().any(|pause| pause.kind == kind);
            if invocation.status == InvocationStatus::Asking && !is_asked() {
                return Some(self.pause_event(kind));
            }
        }
        let parallel = self.terms().map_or(1, |terms| terms.max_parallel) as usize;
        if self.in_flight().count() >= parallel {
            return None;
        }
        let mut too_dear = None;
        for (key, of) in waiting().filter(|(_, of)| of.status == InvocationStatus::Planned) {
            let reserve = if of.is_unknown { Some(of.held) } else { self.afforded(of) };
            match reserve {
                Some(reserve) => {
                    return Some(Event::InvocationRequested { key: *key, r#try: of.tries + 1, reserve });
                }
                None => too_dear = too_dear.or(Some(*key)),
            }
        }
        // Only when nothing is under way: what is may leave enough for it.
        let key = too_dear.filter(|_| !self.is_under_way())?;
        Some(Event::InvocationDropped { key, why: DropCause::Budget })
    }

    fn pause_event(&self, kind: PauseKind) -> Event {
        Event::PauseRequested { pause: PauseId(format!("p{}", self.pauses.len() + 1)), kind }
    }

    /// Waits for the user.
    fn pause(&self, kind: PauseKind) -> Next {
        if self.open_pauses().any(|pause| pause.kind == kind) {
            Next::Nothing
        } else {
            Next::event(self.pause_event(kind))
        }
    }

    pub(crate) fn next(&self) -> Next {
        match self.phase {
            Phase::Split => self.next_of(Role::Split, |key| Effect::Split { key }),
            Phase::Plan => self.next_of(Role::Plan, |key| Effect::Plan { key }),
            Phase::Research => self.next_research(),
            Phase::Synthesis => self.next_report(),
        }
    }

    /// What comes of a role that is asked once: its agent, then what it gave, or code.
    fn next_of(&self, role: Role, take_in: fn(Option<InvocationKey>) -> Effect) -> Next {
        let Some((key, invocation)) = self.last_of(role) else {
            return Next::Effect(self.role_effect(role).unwrap_or_else(|| take_in(None)));
        };
        match invocation.status {
            InvocationStatus::Finished(_) => Next::Effect(take_in(Some(key))),
            InvocationStatus::Settled(_) | InvocationStatus::Failed(_) | InvocationStatus::Dropped(_) => {
                Next::Effect(take_in(None))
            }
            InvocationStatus::Assigned
            | InvocationStatus::Planned
            | InvocationStatus::Requested
            | InvocationStatus::Asking => Next::Nothing,
        }
    }

    /// The invocation of a role's agent, where it has one that may be invoked.
    pub(crate) fn role_effect(&self, role: Role) -> Option<Effect> {
        let agent = role.named_in(&self.terms()?.roles)?;
        let may = self.has_use_for(role) && self.may_invoke(role, agent);
        may.then(|| Effect::PlanInvocation { key: self.next_key(), role, agent: agent.clone(), task: None })
    }

    /// Whether a role's agent is what the mission is at; limits are another matter.
    pub(crate) fn has_use_for(&self, role: Role) -> bool {
        match role {
            Role::Split => self.phase == Phase::Split && !self.writing && self.last_of(role).is_none(),
            Role::Plan => self.phase == Phase::Plan && !self.writing && self.last_of(role).is_none(),
            Role::Coordinate => self.current.as_ref().is_some_and(|current| {
                !self.writing && !current.is_decided && current.refusals == self.proposals()
            }),
            Role::Synthesise => {
                self.phase == Phase::Synthesis && self.report.wants_draft && !self.report.by_code
            }
            Role::Review => self.phase == Phase::Synthesis && self.wants_review(),
            Role::Research | Role::Check => false,
        }
    }

    /// How often the coordinator was invoked in this iteration.
    fn proposals(&self) -> u32 {
        let at = |slot| InvocationKey { iteration: self.iteration, slot };
        let of = self.invocations.range(at(0)..=at(u32::MAX));
        of.filter(|(_, invocation)| invocation.role == Role::Coordinate).count() as u32
    }

    fn next_research(&self) -> Next {
        if let Some(key) = self.next_to_integrate() {
            return Next::Effect(Effect::Integrate { key });
        }
        if self.has_open_invocations() {
            return Next::Nothing;
        }
        if self.plan_waits && !self.writing {
            return self.pause(PauseKind::Plan);
        }
        if let Some(next) = self.next_analysis() {
            return next;
        }
        if let Some(kind) = self.hosts_pause() {
            return self.pause(kind);
        }
        if let Some(cause) = self.stop_cause() {
            return self.stop(cause);
        }
        match &self.current {
            None => Next::event(Event::IterationStarted { number: self.iteration + 1 }),
            Some(current) => self.next_decision(current),
        }
    }

    /// The pause about hosts that is open, or has to be: where pages of them could still be read.
    fn hosts_pause(&self) -> Option<PauseKind> {
        let is_of_hosts = |kind: &&PauseKind| matches!(kind, PauseKind::Hosts { .. });
        if let Some(open) = self.open_pauses().map(|pause| &pause.kind).find(is_of_hosts) {
            return Some(open.clone());
        }
        let asks = self.terms().is_some_and(|terms| terms.pauses.contains(&MissionPause::Hosts));
        let may_research = matches!(self.stop_cause(), None | Some(StopCause::NoProgress));
        let was_asked = |host: &String| {
            let mut kinds = self.pauses.iter().map(|pause| &pause.kind);
            kinds.any(|kind| matches!(kind, PauseKind::Hosts { hosts } if hosts.contains(host)))
        };
        let hosts: Vec<String> = self.hosts.keys().filter(|host| !was_asked(host)).cloned().collect();
        (asks && may_research && !hosts.is_empty()).then_some(PauseKind::Hosts { hosts })
    }

    /// Brings facts and criteria up to date.
    pub(crate) fn next_analysis(&self) -> Option<Next> {
        if self.is_stale {
            Some(Next::Effect(Effect::Analyse))
        } else if self.is_checked {
            None
        } else {
            let results = self.terms().map(|terms| terms.criteria.check(&self.facts)).unwrap_or_default();
            let (iteration, idle_rounds) = (self.iteration, self.idle_rounds_now());
            Some(Next::event(Event::CriteriaChecked { iteration, results, idle_rounds }))
        }
    }

    /// Iterations without progress in a row. Progress is evidence: a claim more that is supported, a gap or contradiction
    /// less by evidence, or more confidence. What was called or fetched is none.
    fn idle_rounds_now(&self) -> u32 {
        let (facts, peak) = (&self.facts, self.peak);
        let has_gained = facts.counts.supported_claims > peak.supported_claims
            || self.settled_by_evidence() > peak.settled
            || facts.confidence >= peak.confidence.saturating_add(MIN_CONFIDENCE_GAIN);
        match &self.current {
            Some(current) if current.is_decided && has_gained => 0,
            Some(current) if current.is_decided => self.idle_rounds + 1,
            Some(_) | None => self.idle_rounds,
        }
    }

    fn stop_cause(&self) -> Option<StopCause> {
        if self.writing {
            return Some(StopCause::Person);
        }
        if let Some(chosen) = &self.chosen_stop {
            return Some(chosen.clone());
        }
        if self.current.as_ref().is_some_and(|current| current.exits) {
            return Some(StopCause::Coordinator);
        }
        if self.has_met_criteria() {
            return Some(StopCause::CriteriaMet);
        }
        if let Some(dimension) = self.exhausted() {
            return Some(StopCause::Limit { dimension });
        }
        let most = self.terms().map_or(1, |terms| terms.no_progress_rounds);
        (self.idle_rounds >= most).then_some(StopCause::NoProgress)
    }

    /// Ends research, after the user was asked where the profile says so.
    fn stop(&self, cause: StopCause) -> Next {
        let asks = |pause| self.terms().is_some_and(|terms| terms.pauses.contains(&pause));
        if self.chosen_stop.is_none() {
            match &cause {
                StopCause::Limit { dimension } => {
                    let dimension: Dimension = dimension.clone();
                    if !self.reached.contains(&dimension) {
                        return Next::event(Event::BudgetReached { dimension });
                    }
                    if asks(MissionPause::Limit) {
                        return self.pause(PauseKind::Limit { dimension });
                    }
                }
                StopCause::NoProgress if asks(MissionPause::NoProgress) => {
                    return self.pause(PauseKind::NoProgress);
                }
                StopCause::NoProgress
                | StopCause::CriteriaMet
                | StopCause::Person
                | StopCause::NothingToDo
                | StopCause::Coordinator => {}
            }
        }
        Next::event(Event::SynthesisBegun { cause })
    }

    /// Asks the coordinator, once more after a refusal, and decides by rule after that.
    fn next_decision(&self, current: &IterationState) -> Next {
        let choice = self.choose();
        if choice.is_empty() {
            return self.stop(StopCause::NothingToDo);
        }
        if self.proposals() > current.refusals
            && let Some((key, coordinator)) = self.last_of(Role::Coordinate)
            && matches!(coordinator.status, InvocationStatus::Finished(_))
        {
            return Next::Effect(Effect::CheckProposal { key });
        }
        // A proposal that leaves no invocation to carry it out is not worth its price.
        if current.refusals < MAX_REFUSALS
            && self.invocations_left_for_research() > 1
            && let Some(effect) = self.role_effect(Role::Coordinate)
        {
            return Next::Effect(effect);
        }
        Next::event(Event::DecisionTaken {
            iteration: self.iteration,
            by: DecisionAuthor::Rule,
            action: Action::Invoke { assignments: choice },
            saw: self.graph,
            reasons: None,
        })
    }
}
