//! Stages that a turn of a conversation carries out: its orders, and what comes of them.

use std::sync::Arc;

use dialogue::Bounds;
use domain::{Budget, ErrorCode, Problem, RunId};
use llm::ModelRequest;
use pipeline::{CallKey, CallStatus, ChildEnd, Effect, Event, PauseKind};
use serde_json::Value;

use super::Driver;
use crate::core::ids;
use crate::run::call::{CallResult, Outcome, elapsed};
use crate::run::evaluate::stage_of;
use crate::turn::{StageTask, StageTurnCause, StageTurnOutcome, StageTurnRequest};

impl Driver {
    /// Names the turns that are about to begin, so that they are found again whatever happens.
    pub(super) fn name_children(&mut self, external: &[Effect]) -> Result<(), Problem> {
        for effect in external {
            let Effect::Call { key, .. } = effect else { continue };
            let Some(call) = self.journal.state.calls.get(key) else { continue };
            if call.is_child && call.child.is_none() {
                let child = self.failed_before(key).unwrap_or_else(ids::run_id);
                self.journal.push(Event::ChildRunStarted { key: key.clone(), child })?;
            }
        }
        Ok(())
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
        self.tasks.spawn(async move {
            let started = std::time::Instant::now();
            let left = match engine {
                Some(engine) => engine.child(order).await,
                None => StageTurnOutcome::failed(Problem::new(
                    ErrorCode::Internal,
                    "nobody drives the turns of this run's stages",
                )),
            };
            Outcome { key, r#try, ms: elapsed(started), result: CallResult::Child(Box::new(left)) }
        });
        Ok(())
    }

    fn order(&self, key: &CallKey, request: ModelRequest) -> Result<StageTurnRequest, Problem> {
        let state = &self.journal.state;
        let corrupt = || Problem::new(ErrorCode::Corrupt, format!("call {key} has no turn"));
        let call = state.calls.get(key).ok_or_else(corrupt)?;
        let child = call.child.clone().ok_or_else(corrupt)?;
        let session = state.start.as_ref().map(|start| start.session.clone()).ok_or_else(corrupt)?;
        let place = call.children.iter().position(|other| *other == child).unwrap_or(0);
        let previous = place.checked_sub(1).and_then(|place| call.children.get(place)).cloned();
        let said = state.pauses.iter().rev().find_map(|pause| match &pause.kind {
            PauseKind::Dialogue { key: of } if of == key => pause.decision.as_ref()?.text.clone(),
            _ => None,
        });
        let message = said.filter(|_| previous.is_some()).unwrap_or_else(|| self.opening(&request));
        let stage = stage_of(&self.pinned, &key.stage)?;
        let sources = self.pinned.config.sources.iter().map(|source| source.slug.clone());
        let of_stage = |slug: &String| {
            stage.tools.iter().any(|tool| tool.split_once('/').is_some_and(|(source, _)| source == slug))
        };
        let brief = StageTask {
            title: stage.title.clone(),
            connection: self.pinned.connection.clone(),
            model: request.model.clone(),
            effort: request.effort,
            system: request.system,
            sources: sources.filter(of_stage).collect(),
            tools: stage.tools.clone(),
            schema: self.pinned.schemas.get(&key.stage).cloned(),
        };
        let limits = &stage.limits;
        let time = self.journal.state.budget.active_ms.map(|limit| limit.saturating_sub(state.active_ms));
        let whole = limits.deadline_seconds.max(1).saturating_mul(1_000);
        let held = call.held();
        let bounds = Bounds {
            iterations: limits.max_calls.max(1),
            tool_calls: limits.max_calls.max(1),
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
            stop: self.stop.clone(),
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
        left: StageTurnOutcome,
    ) -> Result<(), Problem> {
        let child = self.journal.state.calls.get(&key).and_then(|call| call.child.clone());
        let Some(child) = child else {
            return Err(Problem::new(
                ErrorCode::Internal,
                format!("call {key} has no turn that could have left off"),
            ));
        };
        let cancelling = self.journal.state.is_cancelling();
        let end = match left.end {
            StageTurnCause::Gated(data) => ChildEnd::Gated { output: self.keep(data)? },
            StageTurnCause::Asks(_) | StageTurnCause::Suspended if cancelling => {
                ChildEnd::Failed { problem: Problem::new(ErrorCode::Cancelled, "the run was cancelled") }
            }
            StageTurnCause::Asks(said) => ChildEnd::Asks { said: self.keep(Value::String(said))? },
            StageTurnCause::Failed(problem) => ChildEnd::Failed { problem },
            StageTurnCause::Suspended => {
                // Somebody stopped the turn alone: the run stands still with it.
                if !self.journal.state.is_suspended() {
                    self.journal.push(Event::Suspended)?;
                }
                return self.journal.push(Event::OutcomeUnknown { key, r#try });
            }
        };
        // Waiting for the person inside of the turn is no work of the run.
        let worked =
            left.active_ms.saturating_sub(self.worked.insert(child.clone(), left.active_ms).unwrap_or(0));
        if self.tasks.is_empty() {
            self.journal.worked_for(worked);
        }
        self.journal.push(Event::ChildRunFinished {
            key,
            r#try,
            child,
            end,
            usage: left.usage,
            cost: left.cost,
            equivalent: left.equivalent,
            doubtful: left.doubtful,
            ms: worked,
        })
    }

    /// Turns that are under way, where the run leaves without having heard of their end.
    pub(super) async fn release_children(&mut self) {
        let Some(engine) = &self.engine else { return };
        for (_, call) in self.journal.state.in_flight() {
            if let Some(child) = &call.child {
                let _ = engine.suspend_turn(child).await;
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
                if let Err(problem) = engine.steer(&child, message).await {
                    tracing::debug!(run = %child, "the turn did not take a message: {problem}");
                }
            });
        }
    }
}
