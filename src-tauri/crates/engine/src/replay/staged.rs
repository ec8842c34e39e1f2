//! The log of a staged run, computed again event by event.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use context::Templates;
use domain::agent::StageKind;
use domain::{Digest, ErrorCode, NanoUsd, PauseId, Problem, RunId, StageId, Usage, canonical};
use engine_types::Replay;
use llm::ModelAnswer;
use pipeline::{
    Answer, CallKey, Effect, Event, Graph, PauseKind, PlannedCall, Receipt, Record, SkippedBy, State,
};
use serde_json::Value;

use super::ReplayedStages;
use super::report::{EventReport, Json};
use crate::core::journal::fold;
use crate::core::payloads::Payloads;
use crate::run::earlier::Earlier;
use crate::run::evaluate::{Evaluation, Gate, Payload, stage_of};
use crate::run::pinned::Pinned;
use crate::run::scope::RunScope;
use crate::run::values::Values;
use crate::run::verdict::{self, Validators, Verdict};

/// What a source that was not there when stages began is told as, up to its slug.
const UNAVAILABLE: &str = "source ";

/// A run on its way through its log.
pub(super) struct Stages<'a> {
    payloads: &'a dyn Payloads,
    templates: Arc<Templates>,
    pinned: Arc<Pinned>,
    state: State,
    values: Values,
    scope: RunScope,
    validators: Validators,
    /// What calls sent, as they were planned or prepared.
    sent: BTreeMap<CallKey, Payload>,
    /// What the machine decided on at once and is not recorded yet.
    decided: VecDeque<Event>,
    /// A stage whose gate can't be computed: its failure comes next.
    unopened: Option<(StageId, Problem)>,
    children: Vec<RunId>,
    report: Replay,
}

/// What is recorded of a model's answer.
struct RecordedAnswer<'a> {
    key: &'a CallKey,
    verdict: Result<&'a Answer, &'a Problem>,
    usage: Usage,
    cost: NanoUsd,
    receipt: &'a Receipt,
    /// Why it ended, who answered, its id and whether it was cut; only told of answers that can be used or corrected.
    words: Option<(&'a str, &'a str, Option<&'a str>, bool)>,
}

impl<'a> Stages<'a> {
    /// Before the first event.
    pub(super) async fn begin(
        payloads: &'a dyn Payloads,
        templates: Arc<Templates>,
        run: &RunId,
        records: &[Record],
    ) -> Result<Self, Problem> {
        let Some(Event::RunStarted { pinned, .. }) = records.first().map(|record| &record.event) else {
            let what = format!("the log of run {run} does not begin with its start");
            return Err(Problem::new(ErrorCode::Corrupt, what));
        };
        let pinned = crate::run::pinned::read(payloads, *pinned).await?;
        let graph = Graph::new(&pinned.config)
            .map_err(|error| Problem::new(ErrorCode::Corrupt, error.to_string()))?;
        Ok(Self {
            payloads,
            templates,
            pinned: Arc::new(pinned),
            state: State::new(Arc::new(graph)),
            values: Values::default(),
            scope: RunScope::default(),
            validators: Validators::default(),
            sent: BTreeMap::new(),
            decided: VecDeque::new(),
            unopened: None,
            children: Vec::new(),
            report: Replay::new(run.clone()),
        })
    }

    /// Through the whole log.
    pub(super) async fn replay(mut self, records: &[Record]) -> Result<ReplayedStages, Problem> {
        for record in records {
            self.compare(record).await?;
            fold(&mut self.state, record, format_args!("run {}", self.report.run))?;
            self.report.events += 1;
        }
        Ok(ReplayedStages { report: self.report, children: self.children })
    }

    /// Computes what an event records once more, in the state before it.
    async fn compare(&mut self, record: &Record) -> Result<(), Problem> {
        let seq = record.seq;
        match &record.event {
            Event::RunStarted { essential: recorded, .. } => {
                let now = self.pinned.essential();
                self.event_report(seq, "start").same("reserve", &Json(recorded), &Json(&now));
            }
            Event::Repinned { pinned, essential: recorded } => {
                let pinned = crate::run::pinned::read(self.payloads, *pinned).await?;
                let now = pinned.essential();
                self.pinned = Arc::new(pinned);
                self.event_report(seq, "pins").same("reserve", &Json(recorded), &Json(&now));
            }
            Event::StageStarted { stage, attempt, iteration, conversation } => {
                self.opened(seq, stage, *attempt, *iteration, *conversation).await?;
            }
            Event::ContextHandoffRequested { stage, .. } => {
                self.short_of_room(seq, stage, &record.event).await?;
            }
            Event::ContextHandoffApproved { stage, handoff } => {
                self.handed_over(seq, stage, *handoff).await?;
            }
            Event::StageSkipped { stage, by: by @ (SkippedBy::Config | SkippedBy::Person), why, output } => {
                self.skipped(seq, stage, *by, why, *output).await?;
            }
            Event::StagePlanned { stage, .. } => self.planned(seq, stage, &record.event).await?,
            Event::StageFailed { stage, attempt, problem } => {
                self.failed(seq, stage, *attempt, problem, &record.event).await?;
            }
            Event::CallPrepared { key, request, reserve } => {
                let earlier = self.earlier(key).await?;
                let prepared = self.evaluate(|evaluation| {
                    let request = evaluation.prepared(key, &earlier)?;
                    let reserve = evaluation.reserve(stage_of(evaluation.pinned, &key.stage)?, &request);
                    Ok((request, reserve))
                });
                let mut place = self.event_report(seq, &format!("{} / call {key}", key.stage));
                match prepared {
                    Ok((again, set_aside)) => {
                        place.same("request", request, &again.digest());
                        place.same("reserve", &Json(reserve), &Json(&set_aside));
                        self.sent.insert(key.clone(), Payload::Model(Box::new(again)));
                    }
                    Err(problem) => place.fails("request", request.to_string(), &problem),
                }
            }
            Event::ModelCallCompleted {
                key,
                answer,
                usage,
                cost,
                stop,
                model,
                response_id,
                truncated,
                receipt,
                ..
            } => {
                let words = Some((stop.as_str(), model.as_str(), response_id.as_deref(), *truncated));
                let verdict = Ok(answer);
                let (usage, cost) = (*usage, *cost);
                self.answered(seq, RecordedAnswer { key, verdict, usage, cost, receipt, words }).await?;
            }
            Event::ModelCallFailed { key, problem, usage, cost, receipt, .. }
                if receipt.received.is_some() =>
            {
                let (verdict, usage, cost) = (Err(problem), *usage, *cost);
                self.answered(seq, RecordedAnswer { key, verdict, usage, cost, receipt, words: None })
                    .await?;
            }
            Event::ToolCallCompleted { key, output, .. } | Event::CallReused { key, output, .. } => {
                self.stored(seq, &format!("{} / call {key}", key.stage), *output).await;
            }
            Event::StageCompleted { stage, attempt, .. } => {
                self.finished(seq, stage, *attempt, &record.event).await?;
            }
            Event::PauseFormatted { pause, shape, length, form } => {
                self.formatted(seq, pause, shape, *length, *form).await?;
            }
            Event::Edited { stage, output, .. } => {
                self.stored(seq, &format!("{stage} / edit"), *output).await;
            }
            Event::ChildRunStarted { child, .. } => {
                if !self.children.contains(child) {
                    self.children.push(child.clone());
                }
            }
            Event::StageSkipped { by: SkippedBy::Failure | SkippedBy::Budget, .. }
            | Event::ModelCallRequested { .. }
            | Event::ToolCallRequested { .. }
            | Event::TimerSet { .. }
            | Event::PauseRequested { .. }
            | Event::RepairStarted { .. }
            | Event::RepairEnded { .. }
            | Event::BudgetExceeded { .. }
            | Event::RunCompleted
            | Event::RunFailed { .. }
            | Event::RunCancelled => self.decision(seq, &record.event),
            // What came from outside.
            Event::FollowupContextLoaded { .. }
            | Event::ModelCallAccepted { .. }
            | Event::ModelCallDrafted { .. }
            | Event::ModelCallFailed { .. }
            | Event::ToolCallFailed { .. }
            | Event::CallNeedsPermission { .. }
            | Event::ModelCallWithheld { .. }
            | Event::TimerFired { .. }
            | Event::OutcomeUnknown { .. }
            | Event::ChildRunFinished { .. }
            | Event::Resumed { .. }
            | Event::BudgetSet { .. }
            | Event::Amended { .. }
            | Event::GuidanceQueued { .. }
            | Event::CancelRequested
            | Event::Suspended
            | Event::Continued
            | Event::RunRetried { .. } => {}
        }
        Ok(())
    }

    /// A step that is compared now.
    fn event_report(&mut self, seq: u64, place: &str) -> EventReport<'_> {
        self.report.recomputed += 1;
        EventReport { report: &mut self.report, seq, place: place.to_owned() }
    }

    fn evaluate<T>(
        &mut self,
        work: impl FnOnce(&mut Evaluation<'_>) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        work(&mut Evaluation {
            pinned: &self.pinned,
            state: &self.state,
            values: &self.values,
            templates: &self.templates,
            scope: &mut self.scope,
        })
    }

    async fn load(&mut self) -> Result<(), Problem> {
        self.values.load_for(&self.state, self.payloads).await
    }

    /// What came from outside has to be there.
    async fn stored(&mut self, seq: u64, place: &str, digest: Digest) {
        if let Err(problem) = self.payloads.payload(digest).await {
            self.event_report(seq, place).fails("payload", digest.to_string(), &problem);
        }
    }

    /// An event of the machine itself has to be what it decides on in this state.
    fn decision(&mut self, seq: u64, event: &Event) {
        if self.is_decided(event) {
            self.report.recomputed += 1;
            return;
        }
        let next = self.decided.front().map(Json);
        let next = next.map_or_else(|| "no decision".to_owned(), |event| super::Shown::shown(&event));
        self.event_report(seq, "machine").differs("decision", super::Shown::shown(&Json(event)), next);
    }

    /// The machine decides on several events at once; a crash may have cut their row.
    fn is_decided(&mut self, event: &Event) -> bool {
        if self.decided.front() != Some(event) {
            self.decided = self.state.decide().into();
        }
        let is = self.decided.front() == Some(event);
        if is {
            self.decided.pop_front();
        }
        is
    }

    /// Whether the machine wants the local effect that an event answers.
    fn wants(&mut self, seq: u64, place: &str, effect: &Effect) {
        if !self.state.effects().contains(effect) {
            let effect = format!("{effect:?}");
            self.event_report(seq, place).differs("effect", effect, "the machine does not ask for it here");
        }
    }

    async fn opened(
        &mut self,
        seq: u64,
        stage: &StageId,
        attempt: u32,
        iteration: u32,
        conversation: u32,
    ) -> Result<(), Problem> {
        self.load().await?;
        let place = format!("{stage} / gate");
        let open = Effect::Open { stage: stage.clone(), attempt, iteration, skip: false, conversation };
        self.wants(seq, &place, &open);
        let gate = self.evaluate(|evaluation| {
            let config = stage_of(evaluation.pinned, stage)?;
            evaluation.gate(config, false)
        });
        if let Some(asked) = self.room(stage)? {
            let now = super::Shown::shown(&Json(&asked));
            self.event_report(seq, &format!("{stage} / room")).differs("room", "enough", now);
        }
        let mut place = self.event_report(seq, &place);
        match gate {
            Ok(Gate::Open) => {}
            Ok(Gate::Skip { why, .. }) => place.differs("gate", "open", format!("skipped: {why}")),
            Err(problem) => self.unopened = Some((stage.clone(), problem)),
        }
        Ok(())
    }

    /// That a stage's conversation has too little room, as it comes out now.
    fn room(&mut self, stage: &StageId) -> Result<Option<Event>, Problem> {
        self.evaluate(|evaluation| evaluation.lacks_room(stage_of(evaluation.pinned, stage)?))
    }

    async fn short_of_room(&mut self, seq: u64, stage: &StageId, event: &Event) -> Result<(), Problem> {
        self.load().await?;
        let now = self.room(stage)?;
        self.event_report(seq, &format!("{stage} / room")).same(
            "room",
            &Json(&Some(event)),
            &Json(&now.as_ref()),
        );
        Ok(())
    }

    async fn handed_over(&mut self, seq: u64, stage: &StageId, handoff: Digest) -> Result<(), Problem> {
        self.load().await?;
        let place = format!("{stage} / handoff");
        self.wants(seq, &place, &Effect::HandOff { stage: stage.clone() });
        let document = self.evaluate(|evaluation| {
            let config = stage_of(evaluation.pinned, stage)?;
            Ok(Value::String(evaluation.handoff_document(config)))
        })?;
        self.event_report(seq, &place).same("document", &handoff, &digest_of(&document));
        self.values.put(document);
        Ok(())
    }

    async fn skipped(
        &mut self,
        seq: u64,
        stage: &StageId,
        by: SkippedBy,
        why: &str,
        output: Option<Digest>,
    ) -> Result<(), Problem> {
        self.load().await?;
        let skip = by == SkippedBy::Person;
        let gate = self.evaluate(|evaluation| {
            let config = stage_of(evaluation.pinned, stage)?;
            evaluation.gate(config, skip)
        });
        let mut place = self.event_report(seq, &format!("{stage} / gate"));
        match gate {
            Ok(Gate::Skip { why: again, output: value }) => {
                place.same("reason", why, &again);
                let again = value.as_ref().map(digest_of);
                place.same("output", &Json(&output), &Json(&again));
                if let Some(value) = value {
                    self.values.put(value);
                }
            }
            Ok(Gate::Open) => place.differs("gate", format!("skipped: {why}"), "open"),
            Err(problem) => place.fails("gate", format!("skipped: {why}"), &problem),
        }
        Ok(())
    }

    async fn planned(&mut self, seq: u64, stage: &StageId, event: &Event) -> Result<(), Problem> {
        let Event::StagePlanned { attempt, wave, calls, cut, .. } = event else { return Ok(()) };
        let (attempt, wave) = (*attempt, *wave);
        self.load().await?;
        self.wants(seq, stage.as_str(), &Effect::Plan { stage: stage.clone(), attempt, wave });
        let again = self.evaluate(|evaluation| {
            let config = stage_of(evaluation.pinned, stage)?;
            evaluation.wave(config, wave)
        });
        let again = match again {
            Ok(again) => {
                self.event_report(seq, &format!("{stage} / wave {wave}")).same(
                    "cut",
                    &Json(cut),
                    &Json(&again.cut),
                );
                again.calls
            }
            Err(problem) => {
                let recorded = format!("{} calls", calls.len());
                self.event_report(seq, &format!("{stage} / wave {wave}")).fails("plan", recorded, &problem);
                return Ok(());
            }
        };
        if again.len() != calls.len() {
            let place = format!("{stage} / wave {wave}");
            let (recorded, now) = (format!("{} calls", calls.len()), format!("{} calls", again.len()));
            self.event_report(seq, &place).differs("plan", recorded, now);
        }
        for (item, (recorded, (now, payload))) in calls.iter().zip(again).enumerate() {
            let key = CallKey { stage: stage.clone(), attempt, wave, item: item as u32 };
            let mut place = self.event_report(seq, &format!("{stage} / call {key}"));
            place.same("request", &recorded.request, &now.request);
            let now = PlannedCall { request: recorded.request, ..now };
            place.same("plan", &Json(recorded), &Json(&now));
            self.sent.insert(key, payload);
        }
        Ok(())
    }

    /// What earlier tries of a call left behind.
    async fn earlier(&mut self, key: &CallKey) -> Result<Earlier, Problem> {
        self.load().await?;
        Earlier::read(self.state.calls.get(key), &self.values, self.payloads).await
    }

    async fn answered(&mut self, seq: u64, recorded: RecordedAnswer<'_>) -> Result<(), Problem> {
        let RecordedAnswer { key, verdict: of, usage, cost, receipt, words } = recorded;
        let name = format!("{} / call {key}", key.stage);
        let Some(received) = receipt.received else {
            EventReport { report: &mut self.report, seq, place: name }
                .gap("the answer was recorded by a version that did not keep it as it came");
            return Ok(());
        };
        self.load().await?;
        let value = match crate::run::values::read(self.payloads, received).await {
            Ok(value) => value,
            Err(problem) => {
                self.event_report(seq, &name).fails("answer", received.to_string(), &problem);
                return Ok(());
            }
        };
        let answer: ModelAnswer = match serde_json::from_value(value) {
            Ok(answer) => answer,
            Err(error) => {
                self.event_report(seq, &name).differs(
                    "answer",
                    received.to_string(),
                    format!("no answer: {error}"),
                );
                return Ok(());
            }
        };
        let mut validators = std::mem::take(&mut self.validators);
        let verdict = self.evaluate(|evaluation| evaluation.verdict_of(&mut validators, key, &answer));
        self.validators = validators;
        let max = match self.sent.get(key) {
            Some(Payload::Model(request)) => request.max_output_tokens,
            _ => u64::MAX,
        };
        let pinned = self.pinned.clone();
        let config = pinned.stage(&key.stage);
        let (asked, info) =
            config.map_or((pinned.model.as_str(), &pinned.model_info), |stage| pinned.asks(stage));
        let bill = pinned.call_cost(info, &answer.usage, answer.reported_cost);
        let mut place = self.event_report(seq, &name);
        place.same("usage", &Json(&usage), &Json(&answer.usage));
        place.same("cost", &Json(&cost), &Json(&bill.cost));
        place.same("equivalent cost", &Json(&receipt.equivalent), &Json(&bill.equivalent));
        place.same("request id", &Json(&receipt.request_id), &Json(&answer.request_id));
        if let Some((stop, model, response_id, truncated)) = words {
            place.same("end", stop, &verdict::word(answer.stop));
            let answered_by = if answer.model.is_empty() { asked } else { answer.model.as_str() };
            place.same("model", model, answered_by);
            place.same("response id", &Json(&response_id), &Json(&answer.response_id.as_deref()));
            let cut = verdict::is_truncated(&answer, max);
            place.same("cut", &Json(&truncated), &Json(&cut));
        }
        match (of, verdict) {
            (_, Err(problem)) => place.fails("verdict", "an answer", &problem),
            (Ok(answer), Ok(Verdict::Valid { value, left_out })) => {
                let now = Answer::Valid { output: digest_of(&value), left_out };
                place.same("verdict", &Json(answer), &Json(&now));
                self.values.put(value);
            }
            (Ok(answer), Ok(Verdict::Invalid { text, errors })) => {
                let now = Answer::Invalid { text: digest_of(&Value::String(text)), errors };
                // How a validator words its faults may change with its version; what was said of them is in the log.
                let kept = match (answer, &now) {
                    (Answer::Invalid { text, errors }, Answer::Invalid { text: again, .. })
                        if text == again =>
                    {
                        !errors.is_empty()
                    }
                    _ => false,
                };
                if !kept {
                    place.same("verdict", &Json(answer), &Json(&now));
                }
            }
            (Ok(answer), Ok(Verdict::Declined(problem))) => {
                place.differs("verdict", super::Shown::shown(&Json(answer)), problem.message);
            }
            (Err(recorded), Ok(Verdict::Declined(problem))) => {
                place.same("verdict", &Json(&recorded.code), &Json(&problem.code));
            }
            (Err(recorded), Ok(Verdict::Valid { .. } | Verdict::Invalid { .. })) => {
                place.differs("verdict", recorded.message.clone(), "an answer");
            }
        }
        Ok(())
    }

    async fn finished(
        &mut self,
        seq: u64,
        stage: &StageId,
        attempt: u32,
        event: &Event,
    ) -> Result<(), Problem> {
        let Event::StageCompleted { output, summary, passed, scores, warnings, progress, .. } = event else {
            return Ok(());
        };
        self.load().await?;
        let name = format!("{stage} / output");
        self.wants(seq, &name, &Effect::Finish { stage: stage.clone(), attempt });
        let finished = self.finish(stage);
        let kind = self.pinned.stage(stage).map(|stage| stage.kind);
        let sources = self.unavailable(warnings);
        let mut place = self.event_report(seq, &name);
        match finished {
            Ok(finished) => {
                let again = digest_of(&finished.output);
                place.same("output", output, &again);
                place.same("summary", summary.as_str(), &finished.summary);
                place.same("verdict", &Json(passed), &Json(&finished.passed));
                place.same("scores", &Json(scores), &Json(&finished.scores));
                place.same("progress", &Json(progress), &Json(&finished.progress));
                let own = warnings.get(sources..).unwrap_or_default().to_vec();
                place.same("warnings", &Json(&own), &Json(&finished.warnings));
                if kind == Some(StageKind::Render) && again == *output {
                    self.report.documents += 1;
                }
                self.values.put(finished.output);
            }
            Err(problem) => place.fails("output", output.to_string(), &problem),
        }
        Ok(())
    }

    /// A stage's output as it comes out now; an output of tools that does not fit its schema is none.
    fn finish(&mut self, stage: &StageId) -> Result<crate::run::evaluate::Finished, Problem> {
        let mut validators = std::mem::take(&mut self.validators);
        let finished = self.evaluate(|evaluation| {
            let config = stage_of(evaluation.pinned, stage)?;
            let finished = evaluation.finish(config)?;
            match config.kind {
                StageKind::Tools => match evaluation.unfit(&mut validators, stage, &finished.output)? {
                    Some(problem) => Err(problem),
                    None => Ok(finished),
                },
                StageKind::Model
                | StageKind::Verify
                | StageKind::Render
                | StageKind::Dialogue
                | StageKind::Agent => Ok(finished),
            }
        });
        self.validators = validators;
        finished
    }

    /// How many warnings at the beginning tell of optional sources that were not there: only that process knew.
    fn unavailable(&self, warnings: &[String]) -> usize {
        let optional = |warning: &&String| {
            self.pinned.config.sources.iter().filter(|source| !source.required).any(|source| {
                warning.starts_with(&format!("{UNAVAILABLE}{} is not available: ", source.slug))
            })
        };
        warnings.iter().take_while(optional).count()
    }

    /// A stage fails of a call (the machine decides), of what can't be computed, of a source that was not there when the run
    /// began, of an automation that forbade it, or of a question that nobody was there to answer.
    async fn failed(
        &mut self,
        seq: u64,
        stage: &StageId,
        attempt: u32,
        problem: &Problem,
        event: &Event,
    ) -> Result<(), Problem> {
        if let Some((_, now)) = self.unopened.take_if(|(of, _)| of == stage) {
            self.event_report(seq, &format!("{stage} / gate")).same(
                "problem",
                &Json(&problem.code),
                &Json(&now.code),
            );
            return Ok(());
        }
        if self.is_decided(event) {
            self.report.recomputed += 1;
            return Ok(());
        }
        self.load().await?;
        let effects = self.state.effects();
        let of_stage = effects.into_iter().find(|effect| match effect {
            Effect::Plan { stage: of, attempt: at, .. } | Effect::Finish { stage: of, attempt: at } => {
                of == stage && *at == attempt
            }
            Effect::Prepare { key } => &key.stage == stage && key.attempt == attempt,
            Effect::Open { .. }
            | Effect::HandOff { .. }
            | Effect::FormatPause { .. }
            | Effect::Call { .. }
            | Effect::Timer { .. } => false,
        });
        let now = match of_stage {
            Some(Effect::Plan { wave, .. }) => self
                .evaluate(|evaluation| {
                    let config = stage_of(evaluation.pinned, stage)?;
                    evaluation.wave(config, wave)
                })
                .err(),
            Some(Effect::Prepare { key }) => {
                let earlier = self.earlier(&key).await?;
                self.evaluate(|evaluation| evaluation.prepared(&key, &earlier)).err()
            }
            Some(Effect::Finish { .. }) => self.finish(stage).err(),
            _ => None,
        };
        match now {
            Some(now) => {
                self.event_report(seq, stage.as_str()).same(
                    "problem",
                    &Json(&problem.code),
                    &Json(&now.code),
                );
            }
            // What forbids a stage from outside is said before anything of it was planned.
            None if self.is_from_outside(stage, attempt) => {}
            None => {
                self.event_report(seq, stage.as_str()).differs(
                    "problem",
                    problem.message.clone(),
                    "nothing fails here",
                );
            }
        }
        Ok(())
    }

    fn is_from_outside(&self, stage: &StageId, attempt: u32) -> bool {
        let untouched = !self.state.calls.keys().any(|key| &key.stage == stage && key.attempt == attempt);
        let asked = self
            .state
            .open_pauses()
            .any(|pause| &pause.stage == stage && matches!(pause.kind, PauseKind::Dialogue { .. }));
        untouched || asked
    }

    async fn formatted(
        &mut self,
        seq: u64,
        pause: &PauseId,
        shape: &str,
        length: u64,
        form: Digest,
    ) -> Result<(), Problem> {
        self.load().await?;
        let Some(open) = self.state.pause(pause).cloned() else { return Ok(()) };
        let again = self.evaluate(|evaluation| crate::run::form::form(evaluation, &open));
        let mut place = self.event_report(seq, &format!("{} / pause {pause}", open.stage));
        match again {
            Ok((made, again)) => {
                place.same("shape", shape, &again);
                place.same("length", &Json(&length), &Json(&(made.markdown.len() as u64)));
                let value = serde_json::to_value(&made).map_err(crate::core::problem::internal)?;
                place.same("form", &form, &digest_of(&value));
            }
            Err(problem) => place.fails("form", form.to_string(), &problem),
        }
        Ok(())
    }
}

/// The digest under which a value is stored.
fn digest_of(value: &Value) -> Digest {
    Digest::of(canonical(value).as_bytes())
}
