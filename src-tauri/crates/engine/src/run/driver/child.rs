//! Stages that a turn of a conversation carries out: its orders, and what comes of them.

use std::sync::Arc;

use dialogue::Bounds;
use domain::agent::ChildBudget;
use domain::{Budget, ErrorCode, Problem, Reserve, RunId};
use llm::ModelRequest;
use pipeline::{
    CallKey, CallStatus, ChildEnd, ChildKind, ConversationFill, Effect, Event, ParentCall, PauseKind,
};
use serde_json::Value;

use super::Driver;
use crate::core::ids;
use crate::run::call::{CallResult, Outcome, elapsed};
use crate::run::child_request::ChildRequest;
use crate::run::child_run::ChildRunStart;
use crate::run::evaluate::stage_of;
use crate::run::handoff::MAX_HANDOFF_ANSWERS;
use crate::turn::{StageTask, StageTurnCause, StageTurnOutcome, StageTurnRequest};

impl Driver {
    /// Names the turns that are about to begin, so that they are found again whatever happens.
    pub(super) fn name_children(&mut self, external: &[Effect]) -> Result<(), Problem> {
        for effect in external {
            let Effect::Call { key, .. } = effect else { continue };
            let Some(call) = self.journal.state.calls.get(key) else { continue };
            if call.is_child && call.child.is_none() {
                let key = key.clone();
                let again = self.goes_on(&key);
                let child = self.recorded_child(&key).or(again).or_else(|| self.failed_before(&key));
                let child = child.unwrap_or_else(ids::run_id);
                self.journal.push(Event::ChildRunStarted { key, child })?;
            }
        }
        Ok(())
    }

    /// Whether runs of other agents carry out a call, and not turns.
    fn is_run(&self, key: &CallKey) -> bool {
        let node = self.journal.state.graph.node(&key.stage);
        node.is_some_and(|node| node.child == Some(ChildKind::Run))
    }

    /// The run that carried out a call before: a run has one log, where a turn has one for each word of the person.
    fn goes_on(&self, key: &CallKey) -> Option<RunId> {
        let call = self.journal.state.calls.get(key).filter(|_| self.is_run(key))?;
        call.children.last().cloned()
    }

    /// The turn that failed in the attempt before, where it was asked the same: it goes on, so that nothing is done twice.
    fn failed_before(&self, key: &CallKey) -> Option<RunId> {
        let calls = &self.journal.state.calls;
        let now = calls.get(key).filter(|call| call.children.is_empty())?;
        let before = calls.get(&CallKey { attempt: key.attempt.checked_sub(1)?, ..key.clone() })?;
        let same =
            before.planned.request == now.planned.request && matches!(before.status, CallStatus::Failed(_));
        before.children.last().filter(|_| same).cloned()
    }

    /// Starts the turn of a call.
    pub(super) fn start_child(
        &mut self,
        key: CallKey,
        r#try: u32,
        request: ModelRequest,
    ) -> Result<(), Problem> {
        let (engine, order) = (self.engine.clone(), self.order(&key, request)?);
        self.work.tasks.spawn(async move {
            let started = std::time::Instant::now();
            let left = match engine {
                Some(engine) => engine.child(order).await,
                None => StageTurnOutcome::failed(Problem::new(
                    ErrorCode::Internal,
                    "nobody drives the turns of this run's stages",
                )),
            };
            Outcome::new(key, r#try, elapsed(started), CallResult::Child(Box::new(left)))
        });
        Ok(())
    }

    /// Starts the run of another agent that carries a call out.
    pub(super) async fn start_run(
        &mut self,
        key: CallKey,
        r#try: u32,
        request: ChildRequest,
    ) -> Result<(), Problem> {
        let engine = self.engine.clone();
        let order = self.run_order(&key, request).await?;
        self.work.tasks.spawn(async move {
            let started = std::time::Instant::now();
            let left = match engine {
                Some(engine) => engine.child_run(order).await,
                None => StageTurnOutcome::failed(Problem::new(
                    ErrorCode::Internal,
                    "nobody drives the child runs of this run",
                )),
            };
            Outcome::new(key, r#try, elapsed(started), CallResult::Child(Box::new(left)))
        });
        Ok(())
    }

    async fn run_order(&mut self, key: &CallKey, request: ChildRequest) -> Result<ChildRunStart, Problem> {
        let state = &self.journal.state;
        let corrupt = || Problem::new(ErrorCode::Corrupt, format!("call {key} has no child run"));
        let call = state.calls.get(key).ok_or_else(corrupt)?;
        let start = state.start.as_ref().ok_or_else(corrupt)?;
        let stage = stage_of(&self.pinned, &key.stage)?;
        let pinned = self.pinned.of_child(&request.agent)?;
        let own = &pinned.config.orchestrator;
        let most = stage.child_budget.unwrap_or_default();
        let least = |own: Option<f64>, most: Option<f64>| [own, most].into_iter().flatten().reduce(f64::min);
        let most = ChildBudget {
            usd: least(own.budget_usd, most.usd),
            tokens: [own.budget_tokens, most.tokens].into_iter().flatten().min(),
            minutes: least(own.budget_minutes, most.minutes),
        };
        let (child, held) = (call.child.clone().ok_or_else(corrupt)?, call.held());
        let share = Budget {
            cost: state.budget.cost.map(|_| held.cost),
            tokens: state.budget.tokens.map(|_| held.tokens),
            active_ms: state.budget.active_ms.map(|limit| limit.saturating_sub(state.active_ms)),
        };
        let is_of = |kind: &PauseKind| matches!(kind, PauseKind::Child { key: of } if of == key);
        let reply =
            state.pauses.iter().rev().filter(|pause| is_of(&pause.kind)).find_map(|pause| pause.reply);
        let order = ChildRunStart {
            parent: ParentCall { run: self.journal.run.clone(), key: key.clone() },
            session: start.session.clone(),
            retry: self.tried_before(key, &child),
            retry_ambiguous: start.retry_ambiguous,
            child,
            pinned,
            request,
            share,
            most,
            result: stage.result.clone(),
            reply: None,
            unattended: self.attendance.unattended && self.attendance.replies.is_empty(),
            stop: self.work.stop.clone(),
            suspend: self.suspend.clone(),
        };
        let Some(reply) = reply else { return Ok(order) };
        let reply = crate::run::values::read(&self.parts.store, reply).await?;
        let reply = serde_json::from_value(reply).map_err(|error| {
            Problem::new(ErrorCode::Corrupt, format!("a reply to a child run can't be read: {error}"))
        })?;
        Ok(ChildRunStart { reply: Some(reply), ..order })
    }

    fn order(&mut self, key: &CallKey, request: ModelRequest) -> Result<StageTurnRequest, Problem> {
        let folders = self.folders(&key.stage)?;
        let state = &self.journal.state;
        let corrupt = || Problem::new(ErrorCode::Corrupt, format!("call {key} has no turn"));
        let call = state.calls.get(key).ok_or_else(corrupt)?;
        let child = call.child.clone().ok_or_else(corrupt)?;
        let session = state.start.as_ref().map(|start| start.session.clone()).ok_or_else(corrupt)?;
        let place = call.children.iter().position(|other| *other == child).unwrap_or(0);
        let own = place.checked_sub(1).and_then(|place| call.children.get(place)).cloned();
        let before = || state.calls.get(state.goes_on_from(key)?)?.children.last().cloned();
        let is_first = own.is_none();
        let previous = own.or_else(before);
        let is_of = |kind: &PauseKind| matches!(kind, PauseKind::Dialogue { key: of } if of == key);
        let mut asked = state.pauses.iter().rev().filter(|pause| is_of(&pause.kind));
        let said = asked.find_map(|pause| pause.decision.as_ref()?.text.clone());
        let message = said.filter(|_| !is_first).unwrap_or_else(|| self.opening(&request));
        let stage = stage_of(&self.pinned, &key.stage)?;
        let shared = self.pinned.shared(stage, self.hands_over(key));
        let tools = shared.as_ref().map_or_else(|| stage.tools.clone(), |_| self.pinned.shared_tools());
        let sources = self.pinned.config.sources.iter().map(|source| source.slug.clone());
        let of_stage = |slug: &String| {
            tools.iter().any(|tool| tool.split_once('/').is_some_and(|(source, _)| source == slug))
        };
        let brief = StageTask {
            title: stage.title.clone(),
            connection: self.pinned.connection.clone(),
            model: request.model.clone(),
            effort: request.effort,
            system: request.system,
            sources: sources.filter(of_stage).collect(),
            tools,
            folders,
            schema: self.pinned.schemas.get(&key.stage).filter(|_| !self.hands_over(key)).cloned(),
            shared,
        };
        let limits = &stage.limits;
        let most = if self.hands_over(key) { MAX_HANDOFF_ANSWERS } else { limits.max_calls.max(1) };
        let time = self.journal.state.budget.active_ms.map(|limit| limit.saturating_sub(state.active_ms));
        let whole = limits.deadline_seconds.max(1).saturating_mul(1_000);
        let held = call.held();
        let bounds = Bounds {
            iterations: most,
            tool_calls: most,
            parallel: limits.parallel.max(1),
            tries: limits.attempts.max(1),
            budget: Budget {
                cost: state.budget.cost.map(|_| held.cost),
                tokens: state.budget.tokens.map(|_| held.tokens),
                active_ms: Some(time.map_or(whole, |time| whole.min(time))),
            },
            ..Bounds::default()
        };
        Ok(StageTurnRequest {
            run: self.journal.run.clone(),
            stage: key.stage.0.clone(),
            session,
            retry: self.tried_before(key, &child),
            child,
            previous,
            message,
            bounds,
            brief: Arc::new(brief),
            alone: self.attendance.unattended,
            stop: self.work.stop.clone(),
            suspend: self.suspend.clone(),
        })
    }

    fn tried_before(&self, key: &CallKey, child: &RunId) -> bool {
        let before = key.attempt.checked_sub(1).map(|attempt| CallKey { attempt, ..key.clone() });
        let before = before.and_then(|key| self.journal.state.calls.get(&key));
        before.is_some_and(|call| call.children.last() == Some(child))
    }

    /// What the model is shown first: the stage's sections, else what was asked of the run.
    fn opening(&self, request: &ModelRequest) -> String {
        let texts: Vec<&str> = request.messages.iter().map(|message| message.content.as_str()).collect();
        let text = texts.join("\n\n");
        if !text.trim().is_empty() {
            return text;
        }
        self.journal.state.start.as_ref().map(|start| start.request.clone()).unwrap_or_default()
    }

    /// A turn left off.
    pub(super) fn child_left(
        &mut self,
        key: CallKey,
        r#try: u32,
        mut left: StageTurnOutcome,
    ) -> Result<(), Problem> {
        let child = self.journal.state.calls.get(&key).and_then(|call| call.child.clone());
        let Some(child) = child else {
            return Err(Problem::new(
                ErrorCode::Internal,
                format!("call {key} has no turn that could have left off"),
            ));
        };
        let cancelling = self.journal.state.is_cancelling();
        if !self.pinned.stage(&key.stage).is_some_and(|stage| self.pinned.config.continues(stage)) {
            left.fill = ConversationFill::default();
        }
        if let StageTurnCause::Asks(said) = &mut left.end
            && self.hands_over(&key)
            && !cancelling
        {
            // Nobody is asked about it: what was said is taken for the document, where it is one.
            left.end = StageTurnCause::Gated(Value::String(std::mem::take(said)));
        }
        let end = match std::mem::replace(&mut left.end, StageTurnCause::Suspended) {
            StageTurnCause::Gated(data) => ChildEnd::Gated { output: self.keep(data)? },
            StageTurnCause::Asks(_)
            | StageTurnCause::Waits(_)
            | StageTurnCause::Short { .. }
            | StageTurnCause::Suspended
                if cancelling =>
            {
                ChildEnd::Failed { problem: Problem::new(ErrorCode::Cancelled, "the run was cancelled") }
            }
            StageTurnCause::Asks(said) => ChildEnd::Asks { said: self.keep(Value::String(said))? },
            StageTurnCause::Waits(form) => ChildEnd::Waits { form: self.keep(form)? },
            StageTurnCause::Short { needed, out_of_time } => ChildEnd::Short { needed, out_of_time },
            StageTurnCause::Failed(problem) => ChildEnd::Failed { problem },
            StageTurnCause::Suspended if left.limit.is_some() => {
                self.journal.push(Event::OutcomeUnknown { key: key.clone(), r#try, continues: false })?;
                let withheld = left.limit.take().map(|limit| Event::ModelCallWithheld { key, r#try, limit });
                return withheld.map_or(Ok(()), |event| self.journal.push(event));
            }
            StageTurnCause::Suspended => {
                // Somebody stopped the turn alone: the run stands still with it.
                if !self.journal.state.is_suspended() {
                    self.journal.push(Event::Suspended)?;
                }
                let used = left.usage.total() > 0 || left.doubtful != Reserve::default();
                if !self.is_run(&key) || !used {
                    return self.journal.push(Event::OutcomeUnknown { key, r#try, continues: false });
                }
                ChildEnd::Interrupted
            }
        };
        // Waiting for the person inside of the turn is no work of the run.
        let worked =
            left.active_ms.saturating_sub(self.worked.insert(child.clone(), left.active_ms).unwrap_or(0));
        if self.work.tasks.is_empty() {
            self.journal.worked_for(worked);
        }
        left.active_ms = worked;
        self.finish_child(key, r#try, child, end, &left)
    }

    fn finish_child(
        &mut self,
        key: CallKey,
        r#try: u32,
        child: RunId,
        end: ChildEnd,
        left: &StageTurnOutcome,
    ) -> Result<(), Problem> {
        self.journal.push(Event::ChildRunFinished {
            key,
            r#try,
            child,
            end,
            usage: left.usage,
            cost: left.cost,
            equivalent: left.equivalent,
            doubtful: left.doubtful,
            ms: left.active_ms,
            fill: left.fill,
        })
    }

    /// Books what a child run had used when it was interrupted, so that no other call takes its money. Whether there is one.
    pub(super) async fn interrupted_child(&mut self, key: &CallKey, r#try: u32) -> Result<bool, Problem> {
        let child = self.journal.state.calls.get(key).and_then(|call| call.child.clone());
        let (true, Some(child), Some(engine)) = (self.is_run(key), child, &self.engine) else {
            return Ok(false);
        };
        let state = match engine.load(&child).await {
            Ok(loaded) => loaded.state,
            Err(problem) if problem.code == ErrorCode::NotFound => return Ok(false),
            Err(problem) => return Err(problem),
        };
        let left =
            StageTurnOutcome { active_ms: 0, ..StageTurnOutcome::of_run(&state, StageTurnCause::Suspended) };
        self.finish_child(key.clone(), r#try, child, ChildEnd::Interrupted, &left)?;
        Ok(true)
    }

    /// Turns that are under way, where the run leaves without having heard of their end.
    pub(super) async fn release_children(&mut self) {
        let Some(engine) = &self.engine else { return };
        for (_, call) in self.journal.state.in_flight() {
            if let Some(child) = &call.child {
                let _ = engine.suspend_child(child).await;
            }
        }
    }

    /// Gives what the person wrote to the turns that are under way.
    pub(super) fn steer_children(&self, text: &str) {
        let Some(engine) = &self.engine else { return };
        for (_, call) in self.journal.state.in_flight() {
            let Some(child) = call.child.clone() else { continue };
            let (engine, text) = (engine.clone(), text.to_owned());
            tokio::spawn(async move {
                let message = domain::UserMessage { text, ..domain::UserMessage::default() };
                let taken = match engine.is_run(&child) {
                    true => engine.guide(&child, message.text).await,
                    false => engine.steer(&child, message).await.map(|_| ()),
                };
                if let Err(problem) = taken {
                    tracing::debug!(run = %child, "the turn did not take a message: {problem}");
                }
            });
        }
    }
}
