//! Drives one run: decisions and local effects until there are none, one durable commit, then external effects.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use context::Templates;
use domain::{ErrorCode, PauseId, Problem, RunId, StageId};
use jsonschema::Validator;
use pipeline::{Answer, CallKey, Effect, Event, PauseKind, Phase, Record, SkippedBy, State, Status};
use serde_json::Value;
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::answer::Answered;
use crate::call::{self, CallResult, Outcome};
use crate::engine::Parts;
use crate::evaluate::{Evaluation, Gate, Payload, stage_of};
use crate::journal::Journal;
use crate::pinned::Pinned;
use crate::reply::Reply;
use crate::scope::RunScope;
use crate::tools::ToolHost;
use crate::ui::{Exit, UiEvent, UiKind};
use crate::values::Values;

/// How long calls under way may still take when the person stops the program.
const SUSPEND_GRACE: Duration = Duration::from_millis(1_500);
/// Results of free calls wait this long at most before they are stored.
const LAZY_COMMIT: Duration = Duration::from_millis(750);

/// What a surface asks of a run.
pub(crate) enum Command {
    Answer { pause: Option<PauseId>, reply: Reply, done: oneshot::Sender<Result<Answered, Problem>> },
    Guide { text: String, done: oneshot::Sender<Result<(), Problem>> },
    Cancel { done: oneshot::Sender<Result<(), Problem>> },
    Suspend { done: oneshot::Sender<Result<(), Problem>> },
    Retry { done: oneshot::Sender<Result<(), Problem>> },
}

/// The answer to a command, waiting for what it caused to be durable.
type Due = Box<dyn FnOnce(Result<(), Problem>) + Send>;

/// One run while the engine has it.
pub(crate) struct Driver {
    pub(crate) journal: Journal,
    pub(crate) pinned: Arc<Pinned>,
    pub(crate) parts: Arc<Parts>,
    pub(crate) values: Values,
    pub(crate) scope: RunScope,
    pub(crate) templates: Arc<Templates>,
    pub(crate) ui: broadcast::Sender<UiEvent>,
    payloads: BTreeMap<CallKey, Payload>,
    validators: BTreeMap<StageId, Option<Arc<Validator>>>,
    tasks: JoinSet<Outcome>,
    started: BTreeSet<(CallKey, u32)>,
    timers: BTreeSet<CallKey>,
    /// Ends what is under way.
    stop: CancellationToken,
    stop_at: Option<Instant>,
    /// Answers to commands, due when what they caused is durable.
    replies: Vec<Due>,
    shown: BTreeSet<PauseId>,
    fresh: bool,
    tools: Arc<dyn ToolHost>,
    attendance: Attendance,
}

/// How pauses are answered without the person.
#[derive(Debug, Clone, Default)]
pub(crate) struct Attendance {
    /// Replies given beforehand, in order.
    pub(crate) replies: VecDeque<Reply>,
    /// Whether the default choice is taken when there are none left.
    pub(crate) unattended: bool,
}

impl Driver {
    pub(crate) fn new(journal: Journal, pinned: Arc<Pinned>, parts: Arc<Parts>, ui: broadcast::Sender<UiEvent>, attendance: Attendance, fresh: bool) -> Self {
        Self {
            tools: parts.hosts.host(&pinned),
            attendance,
            journal,
            pinned,
            templates: parts.templates.clone(),
            parts,
            values: Values::default(),
            scope: RunScope::default(),
            ui,
            payloads: BTreeMap::new(),
            validators: BTreeMap::new(),
            tasks: JoinSet::new(),
            started: BTreeSet::new(),
            timers: BTreeSet::new(),
            stop: CancellationToken::new(),
            stop_at: None,
            replies: Vec::new(),
            shown: BTreeSet::new(),
            fresh,
        }
    }

    /// Until the run is finished, failed, cancelled, or waits for the person. The event is the last to be told of it.
    pub(crate) async fn drive(mut self, first: Option<Command>, mut commands: mpsc::Receiver<Command>) -> (Exit, Option<Problem>, UiEvent) {
        let ended = self.run(first, &mut commands).await;
        self.stop.cancel();
        self.tasks.shutdown().await;
        // Nothing of the run may outlive it, however it ended.
        self.tools.close().await;
        commands.close();
        let (exit, problem) = match ended {
            Ok((exit, problem)) => (exit, problem),
            Err(problem) => {
                // What was paid or decided before the error stays, where it can still be stored.
                let _ = self.commit().await;
                for reply in self.replies.drain(..) {
                    reply(Err(problem.clone()));
                }
                (Exit::Failed, Some(problem))
            }
        };
        if let Err(export) = crate::exports::write(&mut self).await {
            tracing::warn!(run = %self.journal.run, "export failed: {export}");
            let _ = self.ui.send(self.event(UiKind::Progress { stage: StageId::from(""), text: export.message, done: 0, total: 0 }));
        }
        let done = self.event(UiKind::Done { exit, problem: problem.clone() });
        (exit, problem, done)
    }

    async fn run(&mut self, first: Option<Command>, commands: &mut mpsc::Receiver<Command>) -> Result<(Exit, Option<Problem>), Problem> {
        self.recover()?;
        if let Some(command) = first {
            self.values.load_for(&self.journal.state, &self.parts.store).await?;
            self.command(command);
        }
        let status = self.journal.state.status();
        if self.fresh || (status == Status::Running && self.journal.state.calls.is_empty()) {
            self.prepare_sources().await?;
        }
        loop {
            self.advance().await?;
            if self.answer_for_the_person().await? {
                continue;
            }
            let external: Vec<Effect> =
                self.journal.state.effects().into_iter().filter(|effect| !effect.is_local() && !self.is_started(effect)).collect();
            let status = self.journal.state.status();
            if self.must_commit(&external, status) {
                self.commit().await?;
            }
            for effect in external {
                self.start(effect).await?;
            }
            if let Some(exit) = exit_of(status)
                && self.tasks.is_empty()
            {
                self.show_pauses().await?;
                let problem = self.journal.state.failure.as_ref().map(|(_, problem)| problem.clone());
                return Ok((exit, problem.filter(|_| exit == Exit::Failed)));
            }
            self.wait(commands).await?;
        }
    }

    /// Calls that were under way when the program ended have an unknown outcome.
    fn recover(&mut self) -> Result<(), Problem> {
        let unknown: Vec<(CallKey, u32)> = self.journal.state.in_flight().map(|(key, call)| (key.clone(), call.tries)).collect();
        for (key, r#try) in unknown {
            self.journal.push(Event::OutcomeUnknown { key, r#try })?;
        }
        if self.journal.state.is_suspended() && self.journal.state.status() != Status::Cancelled {
            self.journal.push(Event::Continued)?;
        }
        Ok(())
    }

    /// Required sources must work before anything is paid; failing optional ones are named.
    async fn prepare_sources(&mut self) -> Result<(), Problem> {
        let uses = &self.pinned.config.sources;
        let slugs: Vec<String> = uses.iter().map(|source| source.slug.clone()).collect();
        if slugs.is_empty() {
            return Ok(());
        }
        let failed = self.tools.prepare(&slugs).await;
        for source in uses.clone() {
            let Some(problem) = failed.get(&source.slug) else { continue };
            if source.required {
                return self.fail_before_the_first_call(problem);
            }
            let stage = self.pinned.config.control_flow.stages[0].id.clone();
            let text = format!("source {} is not available: {}", source.slug, problem.message);
            let _ = self.ui.send(self.event(UiKind::Progress { stage, text, done: 0, total: 0 }));
        }
        Ok(())
    }

    /// Fails the first stage that can't do without what is missing.
    fn fail_before_the_first_call(&mut self, problem: &Problem) -> Result<(), Problem> {
        let stages = &self.pinned.config.control_flow.stages;
        let opens = self.journal.state.effects().into_iter().find_map(|effect| match effect {
            Effect::Open { stage, attempt, .. } => stages.iter().any(|s| s.id == stage && !s.skippable).then_some((stage, attempt)),
            _ => None,
        });
        let Some((stage, attempt)) = opens else { return Err(problem.clone()) };
        self.journal.push(Event::StageFailed { stage, attempt, problem: problem.clone() })
    }

    /// Answers an open pause as told beforehand. Whether it did.
    async fn answer_for_the_person(&mut self) -> Result<bool, Problem> {
        if self.journal.state.is_cancelling() || self.journal.state.is_suspended() {
            return Ok(false);
        }
        let pause = self.journal.state.open_pauses().next().map(|pause| (pause.id.clone(), pause.kind.clone()));
        let Some((pause, kind)) = pause else { return Ok(false) };
        let reply = match self.attendance.replies.pop_front() {
            Some(reply) => reply,
            // Only the person can decide to spend more than they allowed.
            None if self.attendance.unattended && kind != PauseKind::Budget => Reply::default(),
            None => return Ok(false),
        };
        // What a choice is offered for may depend on outputs that an earlier process made.
        self.values.load_for(&self.journal.state, &self.parts.store).await?;
        let answered = self.answer(Some(pause), &Reply { unattended: true, ..reply })?;
        Ok(matches!(answered, Answered::Accepted { .. }))
    }

    /// Decisions and local effects until there are none.
    async fn advance(&mut self) -> Result<(), Problem> {
        loop {
            let decided = self.journal.state.decide();
            if !decided.is_empty() {
                for event in decided {
                    self.journal.push(event)?;
                }
                continue;
            }
            let Some(effect) = self.journal.state.effects().into_iter().find(Effect::is_local) else { return Ok(()) };
            self.values.load_for(&self.journal.state, &self.parts.store).await?;
            self.local(effect).await?;
        }
    }

    async fn local(&mut self, effect: Effect) -> Result<(), Problem> {
        match effect {
            Effect::Open { stage, attempt, iteration, skip } => {
                let gate = self.evaluate(|evaluation| {
                    let config = stage_of(evaluation.pinned, &stage)?;
                    evaluation.gate(config, skip)
                });
                match gate {
                    Ok(Gate::Open) => self.journal.push(Event::StageStarted { stage, attempt, iteration }),
                    Ok(Gate::Skip { why, output }) => {
                        let output = output.map(|output| self.keep(output)).transpose()?;
                        let by = if skip { SkippedBy::Person } else { SkippedBy::Config };
                        self.journal.push(Event::StageSkipped { stage, by, why, output })
                    }
                    Err(problem) => {
                        self.journal.push(Event::StageStarted { stage: stage.clone(), attempt, iteration })?;
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
                    Ok(calls) => {
                        for (item, (_, payload)) in calls.iter().enumerate() {
                            let key = CallKey { stage: stage.clone(), attempt, wave, item: item as u32 };
                            self.payloads.insert(key, payload.clone());
                        }
                        let calls = calls.into_iter().map(|(planned, _)| planned).collect();
                        self.journal.push(Event::StagePlanned { stage, attempt, wave, calls })
                    }
                    Err(problem) => self.journal.push(Event::StageFailed { stage, attempt, problem }),
                }
            }
            Effect::Prepare { key } => {
                let mut texts = Vec::new();
                let invalid = self.journal.state.calls.get(&key).map(|call| call.invalid.clone()).unwrap_or_default();
                for (text, _) in invalid {
                    match self.values.get(text) {
                        Some(value) => texts.push(value.as_str().unwrap_or_default().to_owned()),
                        None => {
                            let value = crate::values::read(&self.parts.store, text).await?;
                            texts.push(value.as_str().unwrap_or_default().to_owned());
                        }
                    }
                }
                let prepared = self.evaluate(|evaluation| {
                    let request = evaluation.corrected(&key, &texts)?;
                    let reserve = evaluation.reserve(&request);
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
                match finished {
                    Ok(finished) => {
                        let output = self.keep(finished.output)?;
                        self.journal.push(Event::StageCompleted {
                            stage,
                            attempt,
                            output,
                            summary: finished.summary,
                            passed: finished.passed,
                            scores: finished.scores,
                            warnings: finished.warnings,
                        })
                    }
                    Err(problem) => self.journal.push(Event::StageFailed { stage, attempt, problem }),
                }
            }
            Effect::FormatPause { pause } => {
                let Some(open) = self.journal.state.pause(&pause).cloned() else { return Ok(()) };
                let (form, shape) = self.evaluate(|evaluation| crate::form::form(evaluation, &open))?;
                let length = form.markdown.len() as u64;
                let value = serde_json::to_value(&form).map_err(crate::problem::internal)?;
                let form = self.keep(value)?;
                self.journal.push(Event::PauseFormatted { pause, shape, length, form })
            }
            Effect::Call { .. } | Effect::Timer { .. } => Ok(()),
        }
    }

    pub(crate) fn evaluate<T>(&mut self, work: impl FnOnce(&mut Evaluation<'_>) -> Result<T, Problem>) -> Result<T, Problem> {
        work(&mut Evaluation {
            pinned: &self.pinned,
            state: &self.journal.state,
            values: &self.values,
            templates: &self.templates,
            scope: &mut self.scope,
        })
    }

    /// Keeps a value as a blob.
    pub(crate) fn keep(&mut self, value: Value) -> Result<domain::Digest, Problem> {
        let (digest, bytes) = self.values.put(value);
        self.journal.blob(digest, bytes)?;
        Ok(digest)
    }

    fn is_started(&self, effect: &Effect) -> bool {
        match effect {
            Effect::Call { key, r#try, .. } => self.started.contains(&(key.clone(), *r#try)),
            Effect::Timer { key, .. } => self.timers.contains(key),
            _ => true,
        }
    }

    /// Whether what is pending has to be durable now: before anything that costs or changes the world, after anything
    /// that was paid or decided, and before the run waits. Results of free calls may ride along with a later commit.
    fn must_commit(&self, external: &[Effect], status: Status) -> bool {
        let pending = self.journal.pending();
        if pending.is_empty() {
            return false;
        }
        let costly = |effect: &Effect| match effect {
            Effect::Call { key, .. } => self.journal.state.calls.get(key).is_none_or(|call| !call.planned.repeatable),
            _ => false,
        };
        status != Status::Running
            || external.iter().any(costly)
            || pending.iter().any(|record| !is_free(&record.event))
            || (self.tasks.is_empty() && self.journal.since_commit() > LAZY_COMMIT)
    }

    async fn commit(&mut self) -> Result<(), Problem> {
        let records = self.journal.commit().await?;
        for reply in self.replies.drain(..) {
            reply(Ok(()));
        }
        for record in records {
            let _ = self.ui.send(self.event(UiKind::Event { record: Box::new(record) }));
        }
        let state = &self.journal.state;
        let meter = UiKind::Meter {
            usage: state.usage,
            cost: state.cost,
            doubtful: state.doubtful.cost,
            active_ms: state.active_ms,
        };
        let _ = self.ui.send(self.event(meter));
        self.show_pauses().await
    }

    /// Tells surfaces of open pauses that they were not told of.
    async fn show_pauses(&mut self) -> Result<(), Problem> {
        let state = &self.journal.state;
        let forms: Vec<(PauseId, domain::Digest)> =
            state.open_pauses().filter_map(|pause| Some((pause.id.clone(), pause.form?))).collect();
        for (pause, digest) in forms {
            if !self.shown.insert(pause) {
                continue;
            }
            let form = match self.values.get(digest) {
                Some(value) => (**value).clone(),
                None => crate::values::read(&self.parts.store, digest).await?,
            };
            if let Ok(form) = serde_json::from_value(form) {
                let _ = self.ui.send(self.event(UiKind::Pause { form: Box::new(form) }));
            }
        }
        Ok(())
    }

    fn event(&self, kind: UiKind) -> UiEvent {
        UiEvent { run: self.journal.run.clone(), seq: self.journal.committed(), kind }
    }

    /// Starts an external effect.
    async fn start(&mut self, effect: Effect) -> Result<(), Problem> {
        match effect {
            Effect::Timer { key, ms } => {
                self.timers.insert(key.clone());
                let stop = self.stop.clone();
                self.tasks.spawn(async move {
                    tokio::select! {
                        () = stop.cancelled() => {}
                        () = tokio::time::sleep(Duration::from_millis(ms)) => {}
                    }
                    Outcome { key, r#try: 0, ms, result: CallResult::Timer }
                });
            }
            Effect::Call { key, r#try, model: _ } => {
                self.started.insert((key.clone(), r#try));
                let payload = self.payload(&key).await?;
                let config = stage_of(&self.pinned, &key.stage)?;
                let deadline = Duration::from_secs(config.limits.deadline_seconds.max(1));
                self.progress(&key);
                let (stop, started) = (self.stop.clone(), Instant::now());
                match payload {
                    Payload::Tool { source, tool, args } => {
                        let host = self.tools.clone();
                        self.tasks.spawn(async move {
                            let result = call::tool(host, source, tool, args, deadline, stop).await;
                            Outcome { key, r#try, ms: call::elapsed(started), result: CallResult::Tool(result) }
                        });
                    }
                    Payload::Model(request) => {
                        let provider = self.parts.provider(&self.pinned.connection)?;
                        let (ui, run, seq) = (self.ui.clone(), self.journal.run.clone(), self.journal.committed());
                        let (stage, item) = (key.stage.clone(), key.item);
                        self.tasks.spawn(async move {
                            let mut batch = Deltas::new(ui, run, seq, stage, item);
                            let answer = call::model(provider, *request, deadline, stop, |text, thinking| batch.add(text, thinking)).await;
                            batch.flush();
                            Outcome { key, r#try, ms: call::elapsed(started), result: CallResult::Model(answer) }
                        });
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What a call sends: as planned in this process, else computed again from the log and checked against its hash.
    async fn payload(&mut self, key: &CallKey) -> Result<Payload, Problem> {
        let planned = self.journal.state.calls.get(key).map(|call| (call.planned.request, call.invalid.clone()));
        let Some((hash, invalid)) = planned else {
            return Err(Problem::new(ErrorCode::Internal, format!("call {key} was not planned")));
        };
        if !self.payloads.contains_key(key) {
            self.values.load_for(&self.journal.state, &self.parts.store).await?;
            let mut texts = Vec::new();
            for (text, _) in &invalid {
                let value = crate::values::read(&self.parts.store, *text).await?;
                texts.push(value.as_str().unwrap_or_default().to_owned());
            }
            let payload = self.evaluate(|evaluation| {
                if !texts.is_empty() {
                    return Ok(Some(Payload::Model(Box::new(evaluation.corrected(key, &texts)?))));
                }
                let stage = stage_of(evaluation.pinned, &key.stage)?;
                Ok(evaluation.wave(stage, key.wave)?.into_iter().nth(key.item as usize).map(|(_, payload)| payload))
            })?;
            let payload = match payload.filter(|payload| payload.digest() == hash) {
                Some(payload) => Some(payload),
                None => self.as_planned(key, &texts).await?,
            };
            if let Some(payload) = payload {
                self.payloads.insert(key.clone(), payload);
            }
        }
        self.payloads.get(key).cloned().filter(|payload| payload.digest() == hash).ok_or_else(|| {
            Problem::new(ErrorCode::Corrupt, format!("call {key} can't be made again as it was planned"))
                .with_action("start a new run; this one was planned by a version that prepared calls differently")
        })
    }

    fn progress(&self, key: &CallKey) {
        let state = &self.journal.state;
        let Some(call) = state.calls.get(key) else { return };
        let open = state.stage(&key.stage).map_or(0, |stage| stage.open_calls);
        let at = |item| CallKey { item, ..key.clone() };
        let total = state.calls.range(at(0)..=at(u32::MAX)).count() as u32;
        let kind = UiKind::Progress {
            stage: key.stage.clone(),
            text: call.planned.title.clone(),
            done: total.saturating_sub(open),
            total,
        };
        let _ = self.ui.send(self.event(kind));
    }

    /// Waits for something to happen, and takes in everything else that has happened by then.
    async fn wait(&mut self, commands: &mut mpsc::Receiver<Command>) -> Result<(), Problem> {
        if self.tasks.is_empty() && !self.journal.state.is_suspended() && self.journal.state.status() == Status::Running {
            let problem = Problem::new(ErrorCode::Internal, "the run can't go on: nothing is under way and nothing is decided");
            return Err(problem);
        }
        let grace = self.stop_at.map(|at| at.saturating_duration_since(Instant::now()));
        tokio::select! {
            Some(outcome) = self.tasks.join_next() => self.outcome(outcome)?,
            Some(command) = commands.recv() => {
                self.values.load_for(&self.journal.state, &self.parts.store).await?;
                self.command(command);
            }
            () = tokio::time::sleep(grace.unwrap_or(Duration::from_secs(3600))), if grace.is_some() => {
                self.stop.cancel();
                self.stop_at = None;
            }
        }
        while let Some(outcome) = self.tasks.try_join_next() {
            self.outcome(outcome)?;
        }
        Ok(())
    }

    fn outcome(&mut self, outcome: Result<Outcome, tokio::task::JoinError>) -> Result<(), Problem> {
        let Outcome { key, r#try, ms, result } = outcome.map_err(crate::problem::internal)?;
        let failures = self.journal.state.calls.get(&key).map_or(0, |call| call.failures);
        match result {
            CallResult::Timer => {
                self.timers.remove(&key);
                if self.stop.is_cancelled() {
                    return Ok(());
                }
                self.journal.push(Event::TimerFired { key })
            }
            CallResult::Tool(Ok(value)) => {
                let output = self.keep(value)?;
                self.journal.push(Event::ToolCallCompleted { key, r#try, output, ms })
            }
            // Stopped by the person's stop, not by a fault of its own: it is issued again when the run is continued.
            CallResult::Tool(Err(failure)) if failure.problem.code == ErrorCode::Cancelled && self.journal.state.is_suspended() => {
                self.journal.push(Event::OutcomeUnknown { key, r#try })
            }
            CallResult::Tool(Err(failure)) => {
                let retry_in = self.retry_in(&key, failure.retryable.then_some(llm::Retry::After(None)), failures);
                self.tell_waiting(&key, retry_in, &failure.problem);
                self.journal.push(Event::ToolCallFailed { key, r#try, problem: failure.problem, retry_in })
            }
            CallResult::Model(Ok(answer)) => {
                let max = match self.payloads.get(&key) {
                    Some(Payload::Model(request)) => request.max_output_tokens,
                    _ => u64::MAX,
                };
                let truncated = answer.stop == llm::StopReason::MaxTokens || llm::likely_truncated(&answer.usage, max);
                let cost = self.pinned.model_info.cost(&answer.usage);
                let verdict = self.judge(&key.stage, &answer)?;
                self.journal.push(Event::ModelCallCompleted {
                    key,
                    r#try,
                    answer: verdict,
                    usage: answer.usage,
                    cost,
                    stop: word(&answer.stop),
                    model: answer.model,
                    response_id: answer.response_id,
                    truncated,
                    ms,
                })
            }
            CallResult::Model(Err(failure)) => {
                let retry = match failure.stopped {
                    true if self.journal.state.is_suspended() => Some(llm::Retry::After(Some(Duration::ZERO))),
                    true => None,
                    false => Some(failure.retry),
                };
                let retry_in = self.retry_in(&key, retry, failures);
                self.tell_waiting(&key, retry_in, &failure.problem);
                let cost = self.pinned.model_info.cost(&failure.usage);
                self.journal.push(Event::ModelCallFailed { key, r#try, problem: failure.problem, retry_in, usage: failure.usage, cost })
            }
        }
    }

    fn retry_in(&self, key: &CallKey, retry: Option<llm::Retry>, failures: u32) -> Option<u64> {
        match retry? {
            llm::Retry::Never => None,
            llm::Retry::After(named) => Some(call::backoff(key, failures, named)),
        }
    }

    fn tell_waiting(&self, key: &CallKey, retry_in: Option<u64>, problem: &Problem) {
        if let Some(ms) = retry_in {
            let kind = UiKind::Waiting { stage: key.stage.clone(), ms, problem: problem.clone() };
            let _ = self.ui.send(self.event(kind));
        }
    }

    /// Whether an answer satisfies its stage's schema. The value is kept; of an invalid answer, the raw text.
    fn judge(&mut self, stage: &StageId, answer: &llm::ModelAnswer) -> Result<Answer, Problem> {
        if answer.stop == llm::StopReason::Refusal {
            let text = self.keep(Value::String(answer.text.clone()))?;
            return Ok(Answer::Invalid { text, errors: vec!["the model declined to answer".to_owned()] });
        }
        let Some(validator) = self.validator(stage)? else {
            let output = self.keep(Value::String(answer.text.clone()))?;
            return Ok(Answer::Valid { output });
        };
        match llm::extract(&answer.text, Some(&validator)) {
            Ok(extraction) => Ok(Answer::Valid { output: self.keep(extraction.value)? }),
            Err(error) => {
                let mut errors = match error {
                    llm::ExtractError::Invalid { faults, .. } => faults.iter().map(ToString::to_string).collect(),
                    other => vec![other.to_string()],
                };
                if answer.stop == llm::StopReason::MaxTokens {
                    errors.push("the answer was cut at the output limit".to_owned());
                }
                let text = self.keep(Value::String(answer.text.clone()))?;
                Ok(Answer::Invalid { text, errors })
            }
        }
    }

    fn validator(&mut self, stage: &StageId) -> Result<Option<Arc<Validator>>, Problem> {
        if let Some(known) = self.validators.get(stage) {
            return Ok(known.clone());
        }
        let validator = match self.pinned.schemas.get(stage) {
            Some(schema) => {
                let compiled = jsonschema::validator_for(schema).map_err(|error| {
                    Problem::new(ErrorCode::InvalidConfig, format!("stage {stage}: bad output schema: {error}"))
                })?;
                Some(Arc::new(compiled))
            }
            None => None,
        };
        self.validators.insert(stage.clone(), validator.clone());
        Ok(validator)
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Answer { pause, reply, done } => match self.answer(pause, &reply) {
                Ok(answered @ Answered::StillOpen { .. }) => {
                    let _ = done.send(Ok(answered));
                }
                Ok(answered) => self.replies.push(Box::new(move |stored| {
                    let _ = done.send(stored.map(|()| answered));
                })),
                Err(problem) => {
                    let _ = done.send(Err(problem));
                }
            },
            Command::Guide { text, done } => self.acknowledge(Event::GuidanceQueued { text }, done),
            Command::Cancel { done } => {
                if !self.journal.state.is_cancelling() {
                    self.acknowledge(Event::CancelRequested, done);
                } else {
                    let _ = done.send(Ok(()));
                }
                self.stop.cancel();
            }
            Command::Suspend { done } => {
                self.acknowledge(Event::Suspended, done);
                self.stop_at = Some(Instant::now() + SUSPEND_GRACE);
            }
            Command::Retry { done } => match self.journal.state.failure.clone() {
                Some((stage, _)) => self.acknowledge(Event::RunRetried { stage }, done),
                None => {
                    let _ = done.send(Err(Problem::new(ErrorCode::Conflict, "the run has not failed; there is nothing to retry")));
                }
            },
        }
        self.journal.forget_idle_time();
    }

    fn acknowledge(&mut self, event: Event, done: oneshot::Sender<Result<(), Problem>>) {
        match self.journal.push(event) {
            Ok(()) => self.replies.push(Box::new(move |stored| {
                let _ = done.send(stored);
            })),
            Err(problem) => {
                let _ = done.send(Err(problem));
            }
        }
    }

    pub(crate) fn state(&self) -> &State {
        &self.journal.state
    }

    pub(crate) fn run_id(&self) -> &RunId {
        &self.journal.run
    }

    /// The render stage that has run, where the agent has one.
    pub(crate) fn rendered(&self) -> Option<StageId> {
        let stages = self.pinned.config.control_flow.stages.iter();
        let mut rendered = stages.filter(|stage| stage.kind == domain::agent::StageKind::Render);
        rendered.rfind(|stage| self.state().stage(&stage.id).is_some_and(|state| state.phase == Phase::Completed)).map(|s| s.id.clone())
    }
}

fn exit_of(status: Status) -> Option<Exit> {
    match status {
        Status::Completed => Some(Exit::Completed),
        Status::Paused | Status::Suspended => Some(Exit::Paused),
        Status::Failed => Some(Exit::Failed),
        Status::Cancelled => Some(Exit::Cancelled),
        Status::Empty | Status::Running => None,
    }
}

/// Events whose loss costs nothing: after a crash they come out of the same state again.
fn is_free(event: &Event) -> bool {
    matches!(
        event,
        Event::StageStarted { .. }
            | Event::StagePlanned { .. }
            | Event::StageCompleted { .. }
            | Event::StageSkipped { by: SkippedBy::Config | SkippedBy::Person, .. }
            | Event::CallPrepared { .. }
            | Event::ToolCallRequested { .. }
            | Event::ToolCallCompleted { .. }
            | Event::ToolCallFailed { .. }
            | Event::TimerSet { .. }
            | Event::TimerFired { .. }
            | Event::RepairStarted { .. }
            | Event::RepairEnded { .. }
    )
}

fn word(stop: &llm::StopReason) -> String {
    serde_json::to_value(stop).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Batches streamed text: at most twenty messages a second.
struct Deltas {
    ui: broadcast::Sender<UiEvent>,
    run: RunId,
    seq: u64,
    stage: StageId,
    item: u32,
    text: String,
    thinking: bool,
    sent: Instant,
}

impl Deltas {
    fn new(ui: broadcast::Sender<UiEvent>, run: RunId, seq: u64, stage: StageId, item: u32) -> Self {
        Self { ui, run, seq, stage, item, text: String::new(), thinking: false, sent: Instant::now() }
    }

    fn add(&mut self, text: &str, thinking: bool) {
        if thinking != self.thinking {
            self.flush();
            self.thinking = thinking;
        }
        self.text.push_str(text);
        if self.sent.elapsed() >= Duration::from_millis(50) {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.text.is_empty() {
            return;
        }
        let kind = UiKind::Delta {
            stage: self.stage.clone(),
            item: self.item,
            text: std::mem::take(&mut self.text),
            thinking: self.thinking,
        };
        let _ = self.ui.send(UiEvent { run: self.run.clone(), seq: self.seq, kind });
        self.sent = Instant::now();
    }
}

/// Decodes one stored batch.
pub(crate) fn decode(bytes: &[u8]) -> Result<Vec<Record>, Problem> {
    serde_json::from_slice(bytes).map_err(|error| Problem::new(ErrorCode::Corrupt, format!("a stored batch of events can't be read: {error}")))
}
