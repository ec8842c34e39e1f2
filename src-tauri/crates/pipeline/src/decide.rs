//! What the machine wants to happen next, read off the state alone.

use domain::{Budget, NanoUsd, PauseId, Reserve, StageId};

use crate::event::{CallKey, Event, PauseKind, RepairEnd, SkippedBy};
use crate::graph::{ChildKind, Node};
use crate::state::{Call, CallStatus, ChildUsage, Pause, Phase, StageState, State};

/// Something that only the engine can do. Effects are levels, not edges: as long as one is wanted it is listed,
/// so that after a crash the same effects come out of the same log.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Evaluate a stage's gate: answer with `stage_started` or `stage_skipped`.
    Open {
        /// The stage.
        stage: StageId,
        /// The attempt that starts.
        attempt: u32,
        /// Which repair it belongs to.
        iteration: u32,
        /// Whether the person chose to skip it.
        skip: bool,
        /// The conversation that it goes on in or begins; 0: one of its own. Where it goes on in one, it is answered with
        /// `context_handoff_requested` instead if too little room is left.
        conversation: u32,
    },
    /// Evaluate a wave's calls: answer with `stage_planned`.
    Plan {
        /// The stage.
        stage: StageId,
        /// Its attempt.
        attempt: u32,
        /// The wave.
        wave: u32,
    },
    /// Prepare a model call again, with the validator's errors or with the draft that it goes on from: answer with
    /// `call_prepared`.
    Prepare {
        /// The call.
        key: CallKey,
    },
    /// Compute a stage's output: answer with `stage_completed` or `stage_failed`.
    Finish {
        /// The stage.
        stage: StageId,
        /// Its attempt.
        attempt: u32,
    },
    /// Make the handoff document of a stage's conversation, of what it was asked for: answer with
    /// `context_handoff_approved`.
    HandOff {
        /// The stage.
        stage: StageId,
    },
    /// Make a pause's message: answer with `pause_formatted`.
    FormatPause {
        /// The pause.
        pause: PauseId,
    },
    /// Carry out a call whose intent is in the log. May be started only once that is durable.
    Call {
        /// The call.
        key: CallKey,
        /// Which try.
        r#try: u32,
        /// Whether it goes to a model.
        model: bool,
    },
    /// Wait, then answer with `timer_fired`.
    Timer {
        /// The call that waits.
        key: CallKey,
        /// Milliseconds.
        ms: u64,
    },
}

impl Effect {
    /// Whether it touches nothing outside the process and needs no commit before it.
    pub fn is_local(&self) -> bool {
        !matches!(self, Effect::Call { .. } | Effect::Timer { .. })
    }

    /// Whether it brings the run on without the person.
    fn moves_on(&self) -> bool {
        !matches!(self, Effect::FormatPause { .. })
    }
}

impl State {
    /// Events that the machine itself decides on now. The engine appends them and asks again, until none is left.
    pub fn decide(&self) -> Vec<Event> {
        if self.start.is_none() || self.finished.is_some() {
            return Vec::new();
        }
        if self.cancelling {
            return if self.in_flight.is_empty() { vec![Event::RunCancelled] } else { Vec::new() };
        }
        let mut events = self.decide_failures();
        if !events.is_empty() {
            return events;
        }
        events.extend(self.decide_timers());
        if self.suspended || self.failing() {
            return events;
        }
        events.extend(self.decide_repairs());
        events.extend(self.decide_pauses());
        if events.is_empty() {
            events.extend(self.decide_requests());
        }
        if events.is_empty() && self.all_done() {
            events.push(Event::RunCompleted);
        }
        events
    }

    /// What the engine has to do now.
    pub fn effects(&self) -> Vec<Effect> {
        let mut effects: Vec<Effect> = Vec::new();
        if self.start.is_none() || self.finished.is_some() {
            return effects;
        }
        for key in &self.in_flight {
            if let Some(call) = self.calls.get(key) {
                effects.push(Effect::Call { key: key.clone(), r#try: call.tries, model: call.model });
            }
        }
        if self.cancelling {
            return effects;
        }
        for pause in self.open_pauses().filter(|pause| pause.form.is_none()) {
            effects.push(Effect::FormatPause { pause: pause.id.clone() });
        }
        if self.suspended || self.failing() {
            return effects;
        }
        for (_, _, key, call) in self.wanted() {
            match call.status {
                CallStatus::Waiting(ms, true) => effects.push(Effect::Timer { key: key.clone(), ms }),
                CallStatus::Unprepared => effects.push(Effect::Prepare { key: key.clone() }),
                CallStatus::Planned
                | CallStatus::Requested
                | CallStatus::Waiting(_, false)
                | CallStatus::Unknown
                | CallStatus::Asking
                | CallStatus::Unpermitted
                | CallStatus::Done(_)
                | CallStatus::Failed(_) => {}
            }
        }
        for (index, (node, stage)) in self.nodes().enumerate() {
            match stage.phase {
                Phase::Pending if self.asks_for_handoff(stage) => {}
                Phase::Pending if self.may_open(index) => {
                    effects.push(Effect::Open {
                        stage: node.id.clone(),
                        attempt: stage.attempt + 1,
                        iteration: stage.iteration,
                        skip: stage.skip_requested,
                        conversation: self.next_conversation(index).0,
                    });
                }
                Phase::Running if stage.open_calls == 0 && stage.failure.is_none() => {
                    let (id, attempt) = (node.id.clone(), stage.attempt);
                    let waves = node.waves() + u32::from(stage.hands_over());
                    effects.push(if stage.wants_handoff(node) {
                        Effect::HandOff { stage: id }
                    } else if stage.waves < waves {
                        Effect::Plan { stage: id, attempt, wave: stage.waves }
                    } else {
                        Effect::Finish { stage: id, attempt }
                    });
                }
                Phase::Pending | Phase::Running | Phase::Completed | Phase::Skipped | Phase::Failed => {}
            }
        }
        effects
    }

    /// Whether a stage has failed and the run only waits for what is still under way.
    fn failing(&self) -> bool {
        self.stages.iter().any(|stage| stage.phase == Phase::Failed)
    }

    /// Calls of the waves that stages are in, in the order of the stages; those of a failing stage are given up.
    fn wanted(&self) -> impl Iterator<Item = (&Node, &StageState, &CallKey, &Call)> {
        self.nodes()
            .filter(|(_, stage)| {
                stage.phase == Phase::Running && stage.open_calls > 0 && stage.failure.is_none()
            })
            .flat_map(|(node, stage)| {
                let at = |item| CallKey {
                    stage: node.id.clone(),
                    attempt: stage.attempt,
                    wave: stage.waves - 1,
                    item,
                };
                self.calls.range(at(0)..=at(u32::MAX)).map(move |(key, call)| (node, stage, key, call))
            })
    }

    /// Ends stages with a failed call, and the run once nothing of it is under way.
    fn decide_failures(&self) -> Vec<Event> {
        for (node, stage) in self.nodes().filter(|(_, stage)| stage.phase == Phase::Running) {
            let Some((_, problem)) = &stage.failure else { continue };
            if self.in_flight.iter().any(|key| key.stage == node.id && key.attempt == stage.attempt) {
                continue;
            }
            return vec![if let Some(unit) = self.repairing(&node.id) {
                self.end_repair(unit, RepairEnd::Failed)
            } else if node.skippable {
                Event::StageSkipped {
                    stage: node.id.clone(),
                    by: SkippedBy::Failure,
                    why: problem.message.clone(),
                    output: None,
                }
            } else {
                Event::StageFailed {
                    stage: node.id.clone(),
                    attempt: stage.attempt,
                    problem: problem.clone(),
                }
            }];
        }
        if !self.in_flight.is_empty() {
            return Vec::new();
        }
        let failed = self.nodes().find(|(_, stage)| stage.phase == Phase::Failed);
        let problem = failed.and_then(|(node, stage)| Some((node, stage.failure.as_ref()?)));
        problem
            .map(|(node, (_, problem))| Event::RunFailed { stage: node.id.clone(), problem: problem.clone() })
            .into_iter()
            .collect()
    }

    fn decide_timers(&self) -> Vec<Event> {
        self.wanted()
            .filter_map(|(_, _, key, call)| {
                let CallStatus::Waiting(ms, false) = call.status else { return None };
                Some(Event::TimerSet { key: key.clone(), ms })
            })
            .collect()
    }

    fn decide_pauses(&self) -> Vec<Event> {
        let mut events = Vec::new();
        let mut number = self.pauses.len();
        let mut pause = |stage: &StageId, kind: PauseKind| {
            number += 1;
            events.push(Event::PauseRequested {
                pause: PauseId(format!("p{number}")),
                stage: stage.clone(),
                kind,
            });
        };
        for (node, stage) in self.nodes() {
            if self.wants_pause(node, stage) {
                pause(&node.id, PauseKind::Stage);
            }
        }
        for (stage, unit) in self.gates_to_pause_at() {
            pause(stage, PauseKind::Gate { unit });
        }
        for stage in self.handoffs_to_ask_for() {
            pause(stage, PauseKind::Handoff);
        }
        for (_, _, key, _) in self.wanted().filter(|(_, _, _, call)| call.status == CallStatus::Unknown) {
            let asks =
                |open: &Pause| matches!(&open.kind, PauseKind::Ambiguous { key: other } if other == key);
            if !self.open_pauses().any(asks) {
                pause(&key.stage, PauseKind::Ambiguous { key: key.clone() });
            }
        }
        for (stage, attempt, wave) in self.waves_to_permit() {
            let kind = PauseKind::Permission { wave };
            let asks = |open: &Pause| &open.stage == stage && open.attempt == attempt && open.kind == kind;
            if !self.open_pauses().any(asks) {
                pause(stage, kind);
            }
        }
        for (node, _, key, _) in self.wanted().filter(|(_, _, _, call)| call.status == CallStatus::Asking) {
            let kind = match node.child {
                Some(ChildKind::Run) => PauseKind::Child { key: key.clone() },
                Some(ChildKind::Turn) | None => PauseKind::Dialogue { key: key.clone() },
            };
            if !self.open_pauses().any(|open| open.kind == kind) {
                pause(&key.stage, kind);
            }
        }
        events
    }

    /// Waves with calls that wait for the person's permission: the stage, its attempt, the wave.
    fn waves_to_permit(&self) -> impl Iterator<Item = (&StageId, u32, u32)> {
        self.nodes().filter_map(|(node, stage)| {
            let waits = stage.phase == Phase::Running && stage.open_calls > 0 && stage.failure.is_none();
            let wave = stage.waves.checked_sub(1).filter(|_| waits)?;
            self.asks_permission(&node.id, stage.attempt, wave).then_some((&node.id, stage.attempt, wave))
        })
    }

    /// The next call to issue, if bounds and budget allow one. One at a time: each changes what the next may use.
    fn decide_requests(&self) -> Option<Event> {
        if self.in_flight.len() >= self.graph.max_parallel as usize {
            return None;
        }
        let mut too_dear = None;
        for (node, stage, key, call) in
            self.wanted().filter(|(_, _, _, call)| call.status == CallStatus::Planned)
        {
            let busy = self.in_flight.iter().filter(|other| other.stage == key.stage).count();
            if busy >= node.parallel as usize {
                continue;
            }
            let (key, r#try, request) = (key.clone(), call.tries + 1, call.planned.request);
            if !call.model {
                return Some(Event::ToolCallRequested { key, r#try, request });
            }
            if let Some(reserve) = self.afforded(node, stage, call) {
                return Some(Event::ModelCallRequested { key, r#try, request, reserve });
            }
            too_dear = too_dear.or(Some((node, stage, call)));
        }
        // Only when nothing else can go on: what is under way, or planned next, may leave enough for it.
        let (node, stage, call) = too_dear?;
        let idle = self.in_flight.is_empty() && !self.effects().iter().any(Effect::moves_on);
        idle.then(|| self.over_budget(node, stage, call)).flatten()
    }

    /// What is set aside for a call, where it fits with what other essential stages still need left over. A child run
    /// takes what is left, if it is enough to begin with.
    fn afforded(&self, node: &Node, stage: &StageState, call: &Call) -> Option<Reserve> {
        if self.withheld.is_some() {
            return None;
        }
        let floor = self
            .nodes()
            .filter(|(other, stage)| other.essential && other.id != node.id && self.still_needs(other, stage))
            .filter_map(|_| self.start.as_ref().map(|start| start.essential))
            .fold(Reserve::default(), |sum, essential| sum + essential);
        let taken = self.committed() + floor;
        // A run that goes on has used a part of what it may use in its whole life.
        let used = call.children.last().filter(|_| node.child == Some(ChildKind::Run));
        let used = used.and_then(|child| self.used.get(child)).map(ChildUsage::amount);
        let whole = call.planned.reserve.less(used.unwrap_or_default());
        if self.budget.active_ms.is_some_and(|limit| self.active_ms >= limit) {
            return None;
        }
        // Runs of a wave share what is left; the first would take all of it else.
        let shares = match node.child {
            Some(ChildKind::Run) => self.waiting_beside(node, stage),
            Some(ChildKind::Turn) | None => 1,
        };
        if shares == 1 && self.budget.allows(taken + whole) {
            return Some(whole);
        }
        let least = call.planned.least;
        if !call.is_child || !self.budget.allows(taken + least) {
            return None;
        }
        let share = |limit: Option<u64>, taken: u64, least: u64| {
            limit.map_or(u64::MAX, |limit| (limit.saturating_sub(taken) / shares).max(least))
        };
        let cost = share(self.budget.cost.map(|limit| limit.0), taken.cost.0, least.cost.0);
        Some(Reserve {
            cost: NanoUsd(whole.cost.0.min(cost)),
            tokens: whole.tokens.min(share(self.budget.tokens, taken.tokens, least.tokens)),
        })
    }

    /// How many calls of a stage's wave have neither ended nor anything set aside: they share what is left. At least one.
    fn waiting_beside(&self, node: &Node, stage: &StageState) -> u64 {
        let at = |item| CallKey {
            stage: node.id.clone(),
            attempt: stage.attempt,
            wave: stage.waves.saturating_sub(1),
            item,
        };
        let waiting = self.calls.range(at(0)..=at(u32::MAX)).filter(|(_, call)| {
            !matches!(call.status, CallStatus::Requested | CallStatus::Done(_) | CallStatus::Failed(_))
        });
        (waiting.count() as u64).max(1)
    }

    /// Whether an essential stage has neither its answer nor a call under way that has set aside what it needs.
    fn still_needs(&self, node: &Node, stage: &StageState) -> bool {
        let waits = stage.history.is_empty() && matches!(stage.phase, Phase::Pending | Phase::Running);
        let at = |wave, item| CallKey { stage: node.id.clone(), attempt: stage.attempt, wave, item };
        waits
            && !self
                .calls
                .range(at(node.tool_waves + u32::from(stage.hands_over()), 0)..=at(u32::MAX, u32::MAX))
                .any(|(_, call)| matches!(call.status, CallStatus::Requested | CallStatus::Done(_)))
    }

    fn over_budget(&self, node: &Node, stage: &StageState, call: &Call) -> Option<Event> {
        // A limit of the user's is for the user to raise: nothing is left out for it.
        let withheld = self.withheld.is_some();
        if let Some(unit) = self.repairing(&node.id).filter(|_| !withheld) {
            return Some(self.end_repair(unit, RepairEnd::Budget));
        }
        if node.skippable && stage.iteration == 0 && !withheld {
            return Some(Event::StageSkipped {
                stage: node.id.clone(),
                by: SkippedBy::Budget,
                why: "what is left of the budget is kept for the answer".to_owned(),
                output: None,
            });
        }
        if self.open_pauses().any(|pause| pause.kind == PauseKind::Budget) {
            return None;
        }
        let told = self.exceeded_at == Some((node.id.clone(), stage.attempt, self.budget));
        Some(if told || withheld {
            Event::PauseRequested {
                pause: PauseId(format!("p{}", self.pauses.len() + 1)),
                stage: node.id.clone(),
                kind: PauseKind::Budget,
            }
        } else {
            let spent = self.committed();
            Event::BudgetExceeded {
                stage: node.id.clone(),
                needed: if call.is_child { call.planned.least } else { call.planned.reserve },
                left: Budget {
                    cost: self.budget.cost.map(|limit| NanoUsd(limit.0.saturating_sub(spent.cost.0))),
                    tokens: self.budget.tokens.map(|limit| limit.saturating_sub(spent.tokens)),
                    active_ms: self.budget.active_ms.map(|limit| limit.saturating_sub(self.active_ms)),
                },
            }
        })
    }

    pub(crate) fn all_done(&self) -> bool {
        self.nodes().all(|(node, stage)| stage.phase.has_ended() && self.released(&node.id, None))
            && self.open_pauses().next().is_none()
            && self.in_flight.is_empty()
    }
}
