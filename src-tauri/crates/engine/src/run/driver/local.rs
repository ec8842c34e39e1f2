//! Local effects: evaluated here and now, answered with events.

use domain::agent::StageKind;
use domain::{PauseId, Problem, StageId};
use pipeline::{CallKey, Effect, Event, SkippedBy};
use serde_json::Value;

use super::Driver;
use crate::run::earlier::Earlier;
use crate::run::evaluate::{Evaluation, Gate, Payload, stage_of};
use crate::run::reuse::ReusableCall;
use crate::run::wave::Wave;

impl Driver {
    /// Asks the program around the engine whether a stage may begin.
    async fn may_begin(&mut self, stage: &StageId) -> Result<(), Problem> {
        let (Some(chat), Some(start)) = (&self.parts.chat, &self.journal.state.start) else { return Ok(()) };
        // Owned: the driver can't be shared while it waits.
        let (chat, session, agent) = (chat.clone(), start.session.clone(), start.agent.clone());
        let run = self.journal.run.clone();
        chat.before_stage(&session, &run, agent.as_str(), stage.as_str()).await
    }

    /// Asks the program around the engine whether the run may wait at a pause that was just reached, once for each. Why not.
    pub(super) async fn may_wait(&mut self, pause: &PauseId, stage: &StageId) -> Option<String> {
        if self.reached.take().as_ref() != Some(pause) {
            return None;
        }
        let (chat, start) = (self.parts.chat.as_ref()?, self.journal.state.start.as_ref()?);
        let (chat, session, agent) = (chat.clone(), start.session.clone(), start.agent.clone());
        let run = self.journal.run.clone();
        let allowed = chat.before_pause(&session, &run, agent.as_str(), stage.as_str()).await;
        allowed.err().map(|problem| problem.message)
    }

    pub(super) async fn perform(&mut self, effect: Effect) -> Result<(), Problem> {
        match effect {
            Effect::Open { stage, attempt, iteration, skip, conversation } => {
                let gate = self.evaluate(|evaluation| {
                    let config = stage_of(evaluation.pinned, &stage)?;
                    evaluation.gate(config, skip)
                });
                if matches!(gate, Ok(Gate::Open))
                    && let Some(asked) = self
                        .evaluate(|evaluation| evaluation.lacks_room(stage_of(evaluation.pinned, &stage)?))?
                {
                    return self.journal.push(asked);
                }
                let gate = match gate {
                    Ok(Gate::Open) => self.may_begin(&stage).await.map(|()| Gate::Open),
                    other => other,
                };
                match gate {
                    Ok(Gate::Open) => {
                        self.journal.push(Event::StageStarted { stage, attempt, iteration, conversation })
                    }
                    Ok(Gate::Skip { why, output }) => {
                        let output = output.map(|output| self.keep(output)).transpose()?;
                        let by = if skip { SkippedBy::Person } else { SkippedBy::Config };
                        self.journal.push(Event::StageSkipped { stage, by, why, output })
                    }
                    Err(problem) => {
                        self.journal.push(Event::StageStarted {
                            stage: stage.clone(),
                            attempt,
                            iteration,
                            conversation,
                        })?;
                        self.journal.push(Event::StageFailed { stage, attempt, problem })
                    }
                }
            }
            Effect::Plan { stage, attempt, wave } => {
                let planned = self.evaluate(|evaluation| {
                    let config = stage_of(evaluation.pinned, &stage)?;
                    evaluation.wave(config, wave)
                });
                match planned {
                    Ok(Wave { calls, cut }) => {
                        for (item, (_, payload)) in calls.iter().enumerate() {
                            let key = CallKey { stage: stage.clone(), attempt, wave, item: item as u32 };
                            self.payloads.insert(key, payload.clone());
                        }
                        let calls = calls.into_iter().map(|(planned, _)| planned).collect();
                        let first = CallKey { stage: stage.clone(), attempt, wave, item: 0 };
                        self.journal.push(Event::StagePlanned { stage, attempt, wave, calls, cut })?;
                        self.reuse(first).await
                    }
                    Err(problem) => self.journal.push(Event::StageFailed { stage, attempt, problem }),
                }
            }
            Effect::Prepare { key } => {
                let call = self.journal.state.calls.get(&key);
                let earlier = Earlier::read(call, &self.values, &self.parts.store).await?;
                let prepared = self.evaluate(|evaluation| {
                    let request = evaluation.prepared(&key, &earlier)?;
                    let stage = stage_of(evaluation.pinned, &key.stage)?;
                    let reserve = evaluation.reserve(stage, &request);
                    Ok((request, reserve))
                });
                match prepared {
                    Ok((request, reserve)) => {
                        let digest = request.digest();
                        self.payloads.insert(key.clone(), Payload::Model(Box::new(request)));
                        self.journal.push(Event::CallPrepared { key, request: digest, reserve })
                    }
                    Err(problem) => {
                        let (stage, attempt) = (key.stage.clone(), key.attempt);
                        self.journal.push(Event::StageFailed { stage, attempt, problem })
                    }
                }
            }
            Effect::Finish { stage, attempt } => {
                let finished = self.evaluate(|evaluation| {
                    let config = stage_of(evaluation.pinned, &stage)?;
                    evaluation.finish(config)
                });
                let finished = match finished {
                    Ok(finished) if self.is_tools(&stage) => match self.unfit(&stage, &finished.output)? {
                        Some(problem) => Err(problem),
                        None => Ok(finished),
                    },
                    other => other,
                };
                match finished {
                    Ok(mut finished) => {
                        finished.warnings.splice(0..0, std::mem::take(&mut self.unavailable));
                        self.keep_judgements(&stage, &finished.output).await;
                        let output = self.keep(finished.output)?;
                        let edited = self.edited_beforehand(&stage, output);
                        self.journal.push(Event::StageCompleted {
                            stage,
                            attempt,
                            output,
                            summary: finished.summary,
                            passed: finished.passed,
                            scores: finished.scores,
                            warnings: finished.warnings,
                            progress: finished.progress,
                        })?;
                        match edited {
                            Some(edited) => self.journal.push(edited),
                            None => Ok(()),
                        }
                    }
                    Err(problem) => self.journal.push(Event::StageFailed { stage, attempt, problem }),
                }
            }
            Effect::HandOff { stage } => {
                let document = self.evaluate(|evaluation| {
                    let config = stage_of(evaluation.pinned, &stage)?;
                    Ok(evaluation.handoff_document(config))
                })?;
                let handoff = self.keep(Value::String(document))?;
                self.journal.push(Event::ContextHandoffApproved { stage, handoff })
            }
            Effect::FormatPause { pause } => {
                let Some(open) = self.journal.state.pause(&pause).cloned() else { return Ok(()) };
                let (form, shape) = self.evaluate(|evaluation| crate::run::form::form(evaluation, &open))?;
                let length = form.markdown.len() as u64;
                let value = serde_json::to_value(&form).map_err(crate::core::problem::internal)?;
                let form = self.keep(value)?;
                self.reached = Some(pause.clone());
                self.journal.push(Event::PauseFormatted { pause, shape, length, form })
            }
            Effect::Call { .. } | Effect::Timer { .. } => Ok(()),
        }
    }

    /// Takes over what calls of the base run gave, where a wave asks the same. Given is the wave's first call.
    async fn reuse(&mut self, first: CallKey) -> Result<(), Problem> {
        let state = &self.journal.state;
        if state.start.as_ref().is_none_or(|start| start.base.is_none()) {
            return Ok(());
        }
        let last = CallKey { item: u32::MAX, ..first.clone() };
        let calls = state.calls.range(&first..=&last).map(|(key, call)| (key, &call.planned));
        let found = match &self.recording {
            Some(recording) => recording.reused(calls.map(|(key, _)| key)),
            None => self.reuse.find(&self.pinned, &first.stage, first.wave, calls),
        };
        for (key, ReusableCall { output, from }) in found {
            if self.recording.is_none() {
                // The base run may have been deleted meanwhile: then the call is made.
                let Ok(value) = crate::run::values::read(&self.parts.store, output).await else { continue };
                self.keep(value)?;
            }
            self.journal.push(Event::CallReused { key, output, from })?;
        }
        Ok(())
    }

    /// What was put in place of a stage's first output before the run began.
    fn edited_beforehand(&self, stage: &StageId, output: domain::Digest) -> Option<Event> {
        let base = self.journal.state.start.as_ref()?.base.as_ref()?;
        let edit = base.edits.get(stage).filter(|edit| **edit != output)?;
        let first = self.journal.state.stage(stage).is_some_and(|stage| stage.history.is_empty());
        first.then(|| Event::Edited { stage: stage.clone(), output: *edit, depth: None })
    }

    pub(crate) fn evaluate<T>(
        &mut self,
        work: impl FnOnce(&mut Evaluation<'_>) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        work(&mut Evaluation {
            pinned: &self.pinned,
            state: &self.journal.state,
            values: &self.values,
            templates: &self.templates,
            scope: &mut self.scope,
        })
    }

    /// Keeps what a judge found for later runs. A run does not fail for what only saves another one money.
    async fn keep_judgements(&mut self, stage: &StageId, output: &Value) {
        let Some(judge) = self.judge_setting(stage) else { return };
        let kept = self.parts.store.keep_judgements(&self.journal.run.0, &judge.to_keep(output)).await;
        if let Err(error) = kept {
            tracing::warn!(run = %self.journal.run, "judgements can't be kept: {error}");
        }
    }

    fn is_tools(&self, stage: &StageId) -> bool {
        self.pinned.stage(stage).is_some_and(|stage| stage.kind == StageKind::Tools)
    }

    /// Keeps a value as a blob.
    pub(crate) fn keep(&mut self, value: Value) -> Result<domain::Digest, Problem> {
        let (digest, bytes) = self.values.put(value);
        self.journal.blobs.add(digest, bytes)?;
        Ok(digest)
    }
}
