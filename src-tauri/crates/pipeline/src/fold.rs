//! State as the fold of events. Folding a log from nothing gives the same state as having lived it.
//!
//! Every event is checked in full before anything is changed: a refused event leaves no trace.

use domain::agent::OnExhausted;
use domain::{Budget, PauseId, StageId};

use crate::conversation::Handoff;
use crate::draft::CallDraft;
use crate::event::{Action, Decision, EVENT_VERSION, Event, PauseKind, Receipt, Record};
use crate::state::{
    Attempt, CallStatus, ChildUsage, FollowUpState, Pause, Phase, RepairOutcome, Start, State,
};
use crate::status::Status;

/// An event that can't follow what is in the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IllegalEvent {
    /// The number is not the next.
    #[error("event {found} can't follow event {last}")]
    Gap {
        /// The last number folded.
        last: u64,
        /// The number found.
        found: u64,
    },
    /// Written by a newer program.
    #[error("event {seq} has version {found}; this program reads up to {EVENT_VERSION}")]
    Newer {
        /// Its place.
        seq: u64,
        /// Its version.
        found: u32,
    },
    /// It contradicts the state.
    #[error("{event} is impossible here: {why}")]
    Impossible {
        /// The event's type.
        event: &'static str,
        /// Why.
        why: String,
    },
}

/// Why an event is impossible.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IllegalReason(pub(crate) &'static str);

const NO_STAGE: IllegalReason = IllegalReason("there is no such stage");
const NO_PAUSE: IllegalReason = IllegalReason("there is no such pause");
const NO_UNIT: IllegalReason = IllegalReason("there is no such repair unit");

impl State {
    /// Applies the next record of the log. On an error the state is what it was.
    pub fn apply(&mut self, record: &Record) -> Result<(), IllegalEvent> {
        if record.seq != self.seq + 1 {
            return Err(IllegalEvent::Gap { last: self.seq, found: record.seq });
        }
        if record.v > EVENT_VERSION {
            return Err(IllegalEvent::Newer { seq: record.seq, found: record.v });
        }
        self.apply_event(&record.event).map_err(|why| IllegalEvent::Impossible {
            event: record.event.name(),
            why: match record.event.subject() {
                Some(subject) => format!("{subject}: {}", why.0),
                None => why.0.to_owned(),
            },
        })?;
        self.seq = record.seq;
        self.active_ms = self.active_ms.saturating_add(record.active_ms);
        Ok(())
    }

    fn apply_event(&mut self, event: &Event) -> Result<(), IllegalReason> {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "what holds for all events; the match after it names each"
        )]
        match event {
            Event::RunStarted { .. } if self.start.is_some() => {
                return Err(IllegalReason("the run has started already"));
            }
            Event::RunStarted { .. } => {}
            _ if self.start.is_none() => return Err(IllegalReason("the run has not started")),
            Event::RunRetried { .. } if self.finished == Some(Status::Failed) => {}
            _ if self.finished.is_some() => return Err(IllegalReason("the run has ended")),
            Event::StageStarted { .. }
            | Event::StagePlanned { .. }
            | Event::ModelCallRequested { .. }
            | Event::ToolCallRequested { .. }
            | Event::RepairStarted { .. }
            | Event::Resumed { .. }
                if self.cancelling =>
            {
                return Err(IllegalReason("the run is being cancelled"));
            }
            _ => {}
        }
        match event {
            Event::RunStarted {
                session,
                agent,
                request,
                depth,
                pinned,
                previous,
                budget,
                essential,
                retry_ambiguous,
                forecast,
                inputs,
                parent,
                base,
            } => {
                self.budget = *budget;
                self.start = Some(Start {
                    session: session.clone(),
                    agent: agent.clone(),
                    request: request.clone(),
                    depth: depth.clone(),
                    pinned: *pinned,
                    previous: previous.clone(),
                    essential: *essential,
                    retry_ambiguous: *retry_ambiguous,
                    forecast: *forecast,
                    inputs: *inputs,
                    parent: parent.clone(),
                    base: base.clone(),
                });
            }
            Event::FollowupContextLoaded { number, context, warning } => {
                self.follow_up =
                    Some(FollowUpState { number: *number, context: *context, warning: warning.clone() });
            }
            Event::StageStarted { stage, attempt, iteration, conversation } => {
                let index = self.index(stage).ok_or(NO_STAGE)?;
                let state = &self.stages[index];
                if state.phase != Phase::Pending
                    || *attempt != state.attempt + 1
                    || *iteration != state.iteration
                {
                    return Err(IllegalReason("the stage is not waiting to start this attempt"));
                }
                if state.skip_requested {
                    return Err(IllegalReason("the person chose to skip it"));
                }
                if !self.may_open(index) {
                    return Err(IllegalReason("a stage that it depends on has not been released"));
                }
                self.begin_conversation(index, *conversation)?;
                let state = &mut self.stages[index];
                state.phase = Phase::Running;
                state.attempt = *attempt;
                state.skipped = None;
            }
            Event::StagePlanned { stage, attempt, wave, calls, cut } => {
                self.plan_wave(stage, *attempt, *wave, calls, cut)?
            }
            Event::CallReused { key, output, from } => self.reuse(key, *output, from)?,
            Event::CallPrepared { key, request, reserve } => self.prepare(key, *request, *reserve)?,
            Event::ModelCallRequested { key, r#try, request, reserve } => {
                self.request(key, *r#try, *request, Some(*reserve))?;
            }
            Event::ToolCallRequested { key, r#try, request } => self.request(key, *r#try, *request, None)?,
            Event::ModelCallAccepted { key, r#try, response_id } => {
                self.accept_call(key, *r#try, response_id)?;
            }
            Event::ModelCallDrafted { key, r#try, words, draft, place } => {
                let draft = CallDraft { words: *words, text: *draft, place: place.clone() };
                self.draft_call(key, *r#try, draft)?;
            }
            Event::ModelCallCompleted { key, r#try, answer, usage, cost, truncated, receipt, .. } => {
                self.answer_model(key, *r#try, answer, *usage, *cost)?;
                self.covered(key, receipt);
                if let Some(call) = self.calls.get_mut(key).filter(|call| call.tries == *r#try) {
                    call.truncated = *truncated;
                }
            }
            Event::ToolCallCompleted { key, r#try, output, .. } => self.answer_tool(key, *r#try, *output)?,
            Event::ModelCallFailed { key, r#try, problem, retry_in, usage, cost, receipt } => {
                self.fail_call(key, *r#try, problem, *retry_in, Some((*usage, *cost)), receipt)?;
                self.covered(key, receipt);
            }
            Event::ToolCallFailed { key, r#try, problem, retry_in } => {
                self.fail_call(key, *r#try, problem, *retry_in, None, &Receipt::default())?;
            }
            Event::CallNeedsPermission { key, r#try, asks } => self.hold(key, *r#try, *asks)?,
            Event::TimerSet { key, .. } => self.set_timer(key)?,
            Event::TimerFired { key } => self.fire_timer(key)?,
            Event::ModelCallWithheld { key, r#try, limit } => self.withhold_call(key, *r#try, limit)?,
            Event::OutcomeUnknown { key, r#try, continues } => self.lose_call(key, *r#try, *continues)?,
            Event::StageCompleted { stage, attempt, output, summary, passed, scores, warnings, progress } => {
                let index = self.index(stage).ok_or(NO_STAGE)?;
                let state = &mut self.stages[index];
                let waves = self.graph.nodes[index].waves() + u32::from(state.hands_over());
                let ended = state.open_calls == 0 && state.waves == waves && state.failure.is_none();
                if state.phase != Phase::Running || state.attempt != *attempt || !ended {
                    return Err(IllegalReason("the stage is not at the end of this attempt"));
                }
                let done = Attempt {
                    attempt: *attempt,
                    iteration: state.iteration,
                    output: *output,
                    passed: *passed,
                    scores: scores.clone(),
                    warnings: warnings.clone(),
                    summary: summary.clone(),
                    progress: *progress,
                    conversation: state.conversation,
                    goes_on: state.goes_on.clone().filter(|_| !state.hands_over()),
                };
                state.stand(&done);
                state.history.push(done);
                self.certify_again(index);
            }
            Event::StageFailed { stage, attempt, problem } => {
                let index = self.index(stage).ok_or(NO_STAGE)?;
                let state = &self.stages[index];
                let (pending, running) = (state.phase == Phase::Pending, state.phase == Phase::Running);
                // What stands of a gate that fails has ended before.
                let at_gate = state.phase.has_ended() && self.fails_at_gate(stage).is_some();
                if !((running || at_gate) && *attempt == state.attempt
                    || pending && *attempt == state.attempt + 1)
                {
                    return Err(IllegalReason("the stage is not making this attempt"));
                }
                if pending && !self.may_open(index) {
                    return Err(IllegalReason("a stage that it depends on has not been released"));
                }
                // A stage that may fail stays running with its failure; what follows from it is decided, not told.
                let tolerated =
                    !at_gate && (self.graph.nodes[index].skippable || self.repairing(stage).is_some());
                let state = &mut self.stages[index];
                state.phase = if tolerated { Phase::Running } else { Phase::Failed };
                state.attempt = *attempt;
                state.fail(problem, stage);
            }
            Event::StageSkipped { stage, by, why, output } => {
                let index = self.index(stage).ok_or(NO_STAGE)?;
                match self.stages[index].phase {
                    Phase::Running => {}
                    Phase::Pending if self.may_open(index) => {}
                    Phase::Pending => {
                        return Err(IllegalReason("a stage that it depends on has not been released"));
                    }
                    Phase::Completed | Phase::Skipped | Phase::Failed => {
                        return Err(IllegalReason("the stage has ended"));
                    }
                }
                self.stages[index].skip(*by, why, *output);
            }
            Event::PauseRequested { pause, stage, kind } => self.open_pause(pause, stage, kind)?,
            Event::PauseFormatted { pause, form, .. } => {
                self.pauses.iter_mut().find(|open| &open.id == pause).ok_or(NO_PAUSE)?.form = Some(*form);
            }
            Event::Resumed { pause, decision, reply } => self.resume(pause, decision, *reply)?,
            Event::BudgetSet { budget } => self.set_budget(*budget)?,
            Event::Repinned { pinned, essential } => {
                if self.is_calling() || self.open_pauses().next().is_none() {
                    return Err(IllegalReason(
                        "a run is moved only while it waits and nothing of it is under way",
                    ));
                }
                if let Some(start) = &mut self.start {
                    (start.pinned, start.essential) = (*pinned, *essential);
                }
            }
            Event::Edited { stage, output, depth } => self.edit(stage, *output, depth.as_deref())?,
            Event::Amended { stage, feedback } => {
                let index = self.index(stage).ok_or(NO_STAGE)?;
                for index in self.graph.unit_of(stage).map_or_else(|| vec![index], |at| self.unit_indexes(at))
                {
                    self.stages[index].amend(feedback);
                }
            }
            Event::GuidanceQueued { text } => self.guidance.push(text.clone()),
            Event::RepairStarted { unit, iteration, .. } => {
                let at = self.open_unit(*unit)?;
                if self.next_repair(at) != Some(*iteration) {
                    return Err(IllegalReason("the unit is not waiting for this repair"));
                }
                for index in self.unit_indexes(at) {
                    self.stages[index].reset();
                    self.stages[index].iteration = *iteration;
                }
            }
            Event::RepairEnded { unit, reason, chosen } => {
                let at = self.open_unit(*unit)?;
                let mut iterations = 0;
                for index in self.unit_indexes(at) {
                    let state = &mut self.stages[index];
                    iterations = iterations.max(state.iteration);
                    state.stand_iteration(*chosen);
                }
                let outcome =
                    RepairOutcome { iterations, reason: *reason, chosen: *chosen, certified: false };
                self.repairs.insert(*unit, outcome);
                if self.graph.repair_units[at].on_exhausted == OnExhausted::Certify {
                    self.certify(at);
                }
            }
            Event::BudgetExceeded { stage, .. } => {
                let attempt = self.stage(stage).ok_or(NO_STAGE)?.attempt;
                self.exceeded_at = Some((stage.clone(), attempt, self.budget));
            }
            Event::ContextHandoffRequested { stage, fill, used, window, needed } => {
                let asked = Handoff::Asked { fill: *fill, used: *used, window: *window, needed: *needed };
                self.request_handoff(stage, asked)?;
            }
            Event::ContextHandoffApproved { stage, handoff } => self.approve_handoff(stage, *handoff)?,
            Event::ChildRunStarted { key, child } => self.begin_child(key, child)?,
            Event::ChildRunFinished {
                key,
                r#try,
                child,
                end,
                usage,
                cost,
                equivalent,
                doubtful,
                fill,
                ..
            } => {
                let used =
                    ChildUsage { usage: *usage, cost: *cost, equivalent: *equivalent, doubtful: *doubtful };
                self.end_child(key, *r#try, child, end, used)?;
                if let Some(call) = self.calls.get_mut(key) {
                    call.fill = *fill;
                }
            }
            Event::CancelRequested => self.cancelling = true,
            Event::Suspended => self.suspended = true,
            Event::Continued => self.suspended = false,
            Event::RunCompleted => {
                if self.cancelling || !self.all_done() {
                    return Err(IllegalReason("not everything is done"));
                }
                self.finished = Some(Status::Completed);
            }
            Event::RunFailed { stage, problem } => {
                if self.stage(stage).ok_or(NO_STAGE)?.phase != Phase::Failed || !self.in_flight.is_empty() {
                    return Err(IllegalReason("the stage has not failed, or calls are under way"));
                }
                self.finished = Some(Status::Failed);
                self.failure = Some((stage.clone(), problem.clone()));
            }
            Event::RunCancelled => {
                if !self.cancelling || !self.in_flight.is_empty() {
                    return Err(IllegalReason("nobody asked for it, or calls are under way"));
                }
                self.finished = Some(Status::Cancelled);
            }
            Event::RunRetried { stage } => {
                if self.stage(stage).ok_or(NO_STAGE)?.phase != Phase::Failed {
                    return Err(IllegalReason("that stage has not failed"));
                }
                self.finished = None;
                self.failure = None;
                self.suspended = false;
                for index in 0..self.stages.len() {
                    if self.stages[index].phase != Phase::Failed {
                        continue;
                    }
                    match self.fails_at_gate(&self.graph.nodes[index].id) {
                        // Checking the same once more would find the same.
                        Some(at) => {
                            self.stages[index].phase = Phase::Completed;
                            self.stages[index].failure = None;
                            self.grant(at);
                        }
                        None => self.stages[index].reset(),
                    }
                }
            }
        }
        Ok(())
    }

    fn open_pause(
        &mut self,
        pause: &PauseId,
        stage: &StageId,
        kind: &PauseKind,
    ) -> Result<(), IllegalReason> {
        if self.pause(pause).is_some() {
            return Err(IllegalReason("that pause exists already"));
        }
        let index = self.index(stage).ok_or(NO_STAGE)?;
        let attempt = self.stages[index].attempt;
        let due = match kind {
            PauseKind::Stage => self.wants_pause(&self.graph.nodes[index], &self.stages[index]),
            PauseKind::Ambiguous { key } => {
                &key.stage == stage
                    && self.calls.get(key).is_some_and(|call| call.status == CallStatus::Unknown)
            }
            PauseKind::Budget => self.stages[index].phase == Phase::Running,
            PauseKind::Handoff => self.asks_for_handoff(&self.stages[index]),
            PauseKind::Gate { unit } => self.gates_to_pause_at().any(|gate| gate == (stage, *unit)),
            PauseKind::Permission { wave } => self.asks_permission(stage, attempt, *wave),
            PauseKind::Dialogue { key } | PauseKind::Child { key } => {
                &key.stage == stage
                    && self.calls.get(key).is_some_and(|call| call.status == CallStatus::Asking)
            }
        };
        if !due {
            return Err(IllegalReason("there is nothing to pause for"));
        }
        if *kind == PauseKind::Stage {
            self.stages[index].paused_attempt = attempt;
        }
        self.pauses.push(Pause {
            id: pause.clone(),
            stage: stage.clone(),
            attempt,
            kind: kind.clone(),
            form: None,
            decision: None,
            reply: None,
        });
        Ok(())
    }

    fn resume(
        &mut self,
        id: &PauseId,
        decision: &Decision,
        reply: Option<domain::Digest>,
    ) -> Result<(), IllegalReason> {
        let at = self.pauses.iter().position(|pause| &pause.id == id).ok_or(NO_PAUSE)?;
        let pause = &self.pauses[at];
        if pause.decision.is_some() {
            return Err(IllegalReason("it was answered already"));
        }
        if !self.is_open(pause) {
            return Err(IllegalReason("there is nothing left to decide"));
        }
        let (stage, kind, attempt) = (pause.stage.clone(), pause.kind.clone(), pause.attempt);
        match (&decision.action, &kind) {
            (Action::Cancel, _) => self.cancelling = true,
            (Action::Proceed, PauseKind::Stage) => self.proceed(&stage, decision.replans()),
            (Action::Skip { stage: skipped }, PauseKind::Stage) => {
                let offered = self.graph.node(&stage).is_some_and(|node| node.skips.contains(skipped));
                if !offered {
                    return Err(IllegalReason("it does not offer to skip that stage"));
                }
                let state = self.stage_mut(skipped).ok_or(NO_STAGE)?;
                if state.phase != Phase::Pending {
                    return Err(IllegalReason("the stage to skip has begun already"));
                }
                state.skip_requested = true;
                self.proceed(&stage, decision.replans());
            }
            (Action::Amend, PauseKind::Stage) => {
                self.rework(&stage);
                if let Some(state) = self.stage_mut(&stage) {
                    state.quiet = false;
                }
            }
            (Action::Retry | Action::Proceed, PauseKind::Ambiguous { key }) => {
                if let Some(call) = self.calls.get_mut(key) {
                    call.await_issue();
                }
            }
            (Action::Proceed, PauseKind::Dialogue { key }) => {
                if !decision.has_content() {
                    return Err(IllegalReason("an answer to what was said needs words"));
                }
                if let Some(call) = self.calls.get_mut(key) {
                    call.status = CallStatus::Planned;
                }
            }
            (Action::Proceed, PauseKind::Child { key }) => {
                if reply.is_none() {
                    return Err(IllegalReason("an answer to a child run's pause needs the reply"));
                }
                if let Some(call) = self.calls.get_mut(key) {
                    call.status = CallStatus::Planned;
                }
            }
            (Action::Again, PauseKind::Gate { unit }) => self.grant(*unit as usize),
            (Action::Certify, PauseKind::Gate { unit }) => self.certify(*unit as usize),
            (Action::Permit, PauseKind::Permission { wave }) => {
                self.settle_permission(&stage, attempt, *wave, true);
            }
            (Action::Refuse, PauseKind::Permission { wave }) => {
                self.settle_permission(&stage, attempt, *wave, false);
            }
            (Action::HandOver, PauseKind::Handoff) => self.settle_handoff(&stage, Handoff::HandsOver),
            (Action::GoOn, PauseKind::Handoff) => self.settle_handoff(&stage, Handoff::GoesOn),
            (Action::Raise { budget }, PauseKind::Budget) => {
                let lower = |new: Option<u64>, old: Option<u64>| {
                    new.is_some_and(|new| old.is_none_or(|old| new < old))
                };
                let old = self.budget;
                if lower(budget.cost.map(|cost| cost.0), old.cost.map(|cost| cost.0))
                    || lower(budget.tokens, old.tokens)
                    || lower(budget.active_ms, old.active_ms)
                {
                    return Err(IllegalReason("a budget can only be raised"));
                }
                self.budget = *budget;
                self.withheld = None;
            }
            (
                Action::Proceed
                | Action::Skip { .. }
                | Action::Amend
                | Action::Retry
                | Action::Again
                | Action::Certify
                | Action::Permit
                | Action::Refuse
                | Action::HandOver
                | Action::GoOn
                | Action::Raise { .. },
                PauseKind::Stage
                | PauseKind::Ambiguous { .. }
                | PauseKind::Budget
                | PauseKind::Dialogue { .. }
                | PauseKind::Child { .. }
                | PauseKind::Gate { .. }
                | PauseKind::Handoff
                | PauseKind::Permission { .. },
            ) => return Err(IllegalReason("that answer does not fit what the pause asks")),
        }
        self.pauses[at].decision = Some(decision.clone());
        self.pauses[at].reply = reply;
        Ok(())
    }

    /// Gives a child run another share: a pause for a higher budget has its answer with it.
    fn set_budget(&mut self, budget: Budget) -> Result<(), IllegalReason> {
        if self.start.as_ref().is_none_or(|start| start.parent.is_none()) {
            return Err(IllegalReason("it works for no other run"));
        }
        self.budget = budget;
        self.withheld = None;
        let answered = Decision {
            choice: "raise".to_owned(),
            action: Action::Raise { budget },
            text: None,
            answers: Default::default(),
            unattended: true,
            edited: false,
            because: None,
            follow_up: false,
            at: None,
        };
        for at in 0..self.pauses.len() {
            if self.pauses[at].kind == PauseKind::Budget && self.is_open(&self.pauses[at]) {
                self.pauses[at].decision = Some(answered.clone());
            }
        }
        Ok(())
    }

    /// Goes on after a pause; answers make the stage run once more where its config says so.
    fn proceed(&mut self, stage: &StageId, answered: bool) {
        let replans = self.graph.node(stage).is_some_and(|node| node.replans);
        let again = self.stage(stage).is_some_and(|state| answered && replans && !state.replanned);
        if again {
            self.rework(stage);
            if let Some(state) = self.stage_mut(stage) {
                state.replanned = true;
                state.quiet = true;
            }
        }
    }

    /// Runs a stage again at the person's wish: its whole repair unit where it is in one, as a new round of repairs,
    /// so that no verdict is older than what it judges.
    fn rework(&mut self, stage: &StageId) {
        let Some(at) = self.graph.unit_of(stage) else {
            if let Some(state) = self.stage_mut(stage) {
                state.reset();
            }
            return;
        };
        self.repairs.remove(&(at as u32));
        self.granted.remove(&(at as u32));
        for index in self.unit_indexes(at) {
            self.stages[index].begin_round();
        }
    }

    /// Replaces a stage's output. Stages of its repair unit that used the old one run again.
    fn edit(
        &mut self,
        stage: &StageId,
        output: domain::Digest,
        depth: Option<&str>,
    ) -> Result<(), IllegalReason> {
        let index = self.index(stage).ok_or(NO_STAGE)?;
        let paused = self.open_pauses().any(|pause| &pause.stage == stage && pause.kind == PauseKind::Stage);
        let base = self.start.as_ref().and_then(|start| start.base.as_ref());
        let beforehand = base.is_some_and(|base| base.edits.get(stage) == Some(&output));
        if self.stages[index].phase != Phase::Completed || !(paused || beforehand) {
            return Err(IllegalReason("no pause on its output is open"));
        }
        self.stages[index].edit(output);
        if let Some(depth) = depth {
            self.edited_depth = Some(depth.to_owned());
        }
        if let Some(at) = self.graph.unit_of(stage) {
            let after = self.graph.dependents(stage);
            for index in self.unit_indexes(at) {
                if after.contains(&self.graph.nodes[index].id) {
                    self.stages[index].reset();
                }
            }
        }
        Ok(())
    }

    /// A repair unit that has not ended.
    fn open_unit(&self, unit: u32) -> Result<usize, IllegalReason> {
        let at = unit as usize;
        if at >= self.graph.repair_units.len() {
            return Err(NO_UNIT);
        }
        if self.repairs.contains_key(&unit) {
            return Err(IllegalReason("its repairs have ended"));
        }
        Ok(at)
    }

    pub(crate) fn stage_mut(&mut self, id: &StageId) -> Option<&mut crate::state::StageState> {
        let index = self.index(id)?;
        self.stages.get_mut(index)
    }
}
