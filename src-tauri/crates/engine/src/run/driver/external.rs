//! External effects: started once their intent is durable.

use std::time::{Duration, Instant};

use domain::{Draft, DraftPlace, DraftText, ErrorCode, Problem, RunId, StageId};
use engine_types::{UiEvent, UiKind};
use llm::LaneWait;
use pipeline::{CallKey, Effect};
use serde_json::Value;
use tokio::sync::broadcast;

use super::{Driver, News};
use crate::run::built_in::{BuiltInCall, built_in};
use crate::run::call::{self, CallResult, ModelCall, ModelFailure, Outcome, TokenAllowance};
use crate::run::earlier::{Earlier, MIN_CONTINUED_WORDS};
use crate::run::evaluate::{Payload, stage_of};
use crate::run::stored_judgements::JudgeSetting;
use crate::turn::{StageCall, TurnScope};

/// The fewest words of an answer after which it is kept again: each time it is kept as a whole.
const MIN_DRAFT_WORDS: u32 = 100;

impl Driver {
    pub(super) fn is_started(&self, effect: &Effect) -> bool {
        match effect {
            Effect::Call { key, r#try, .. } => self.started.contains(&(key.clone(), *r#try)),
            Effect::Timer { key, .. } => self.timers.contains(key),
            Effect::Open { .. }
            | Effect::Plan { .. }
            | Effect::Prepare { .. }
            | Effect::Finish { .. }
            | Effect::HandOff { .. }
            | Effect::FormatPause { .. } => true,
        }
    }

    /// Starts an external effect.
    pub(super) async fn start_external(&mut self, effect: Effect) -> Result<(), Problem> {
        match effect {
            Effect::Timer { key, ms } => {
                self.timers.insert(key.clone());
                if self.recording.is_some() {
                    return Ok(());
                }
                self.work.sleep(ms, Outcome::new(key, 0, ms, CallResult::Timer));
            }
            Effect::Call { key, r#try, model: _ } => {
                self.started.insert((key.clone(), r#try));
                let payload = self.payload(&key).await?;
                if self.recorded(&key, r#try, payload.digest())? {
                    return Ok(());
                }
                let payload = match payload {
                    Payload::Agent(request) => {
                        self.progress(&key);
                        return self.start_run(key, r#try, *request).await;
                    }
                    Payload::Dialogue(request) => {
                        self.progress(&key);
                        return self.start_child(key, r#try, *request);
                    }
                    other @ (Payload::Tool { .. } | Payload::Model(_)) => other,
                };
                let config = stage_of(&self.pinned, &key.stage)?;
                let deadline = Duration::from_secs(config.limits.deadline_seconds.max(1));
                self.progress(&key);
                let (stop, started) = (self.work.stop.clone(), Instant::now());
                match payload {
                    Payload::Tool { source, tool, args } if source.is_empty() => {
                        let call = self.built_in_call(&key, tool, args, deadline)?;
                        let chat = self.parts.chat.clone();
                        self.work.tasks.spawn(async move {
                            let result = built_in(chat, call, stop).await;
                            Outcome::new(key, r#try, call::elapsed(started), result)
                        });
                    }
                    Payload::Tool { source, tool, args } => {
                        let call = self.stage_call(&key, source, tool, args)?;
                        let (chat, host) = (self.parts.chat.clone(), self.tools.clone());
                        let (judge, store) = (self.judge_setting(&key.stage), self.parts.store.clone());
                        self.work.tasks.spawn(async move {
                            let mut result = call::tool(chat, host, call, deadline, stop).await;
                            if let (Some(judge), Ok(found)) = (judge, &mut result) {
                                *found = judge.recalled(&store, std::mem::take(found)).await;
                            }
                            Outcome::new(key, r#try, call::elapsed(started), CallResult::Tool(result))
                        });
                    }
                    Payload::Agent(_) => {}
                    Payload::Model(request) | Payload::Dialogue(request) => {
                        let provider = match self.connected() {
                            Ok(provider) => provider,
                            Err(problem) => {
                                let result = CallResult::Model(Err(ModelFailure::unsent(problem)));
                                self.work.tasks.spawn(async move { Outcome::new(key, r#try, 0, result) });
                                return Ok(());
                            }
                        };
                        let orchestrator = &self.pinned.config.orchestrator;
                        let room = TokenAllowance {
                            window: orchestrator.context_window.min(self.pinned.model_info.context_window),
                            least: orchestrator.min_output_budget,
                        };
                        let (ui, run, seq) =
                            (self.ui.clone(), self.journal.run.clone(), self.journal.committed());
                        let (stage, item) = (key.stage.clone(), key.item);
                        let kept =
                            self.journal.state.calls.get(&key).and_then(|call| call.response_id.clone());
                        let call = ModelCall { provider, request: *request, room, deadline, kept };
                        let waits = LaneWaits { ui: self.ui.clone(), progress: self.progress_of(&key) };
                        let (taken, of) = (self.work.news.0.clone(), (key.clone(), r#try));
                        let draft_words = config.draft_words.filter(|words| *words > 0);
                        let beginning = self.beginning(&key);
                        let mut draft = draft_words.map(|words| {
                            let every = words.max(MIN_DRAFT_WORDS);
                            match beginning {
                                Some(beginning) => Draft::after(every, beginning),
                                None => Draft::new(every),
                            }
                        });
                        self.work.tasks.spawn(async move {
                            let mut batch = Deltas::new(ui, run, seq, stage, item);
                            // The queue holds more than calls under way tell.
                            let tell = |news: News| {
                                let _ = taken.try_send((of.0.clone(), of.1, news));
                            };
                            let told = |id: &str| tell(News::Kept(id.to_owned()));
                            let said = |text: &str, thinking: bool| {
                                batch.add(text, thinking);
                                if let Some(text) =
                                    draft.as_mut().filter(|_| !thinking).and_then(|d| d.add(text))
                                {
                                    // The ids of calls that go on at a provider have half of the queue for themselves.
                                    if taken.capacity() > taken.max_capacity() / 2 {
                                        tell(News::Drafted(text));
                                    }
                                }
                            };
                            let entry = call::enter(&call, &stop, |wait| waits.tell(wait)).await;
                            let (waited, started) = (entry.waited, Instant::now());
                            if waited.is_some() {
                                waits.over();
                            }
                            let answer = call::model(call, entry, stop, told, said).await;
                            batch.flush();
                            Outcome {
                                key,
                                r#try,
                                ms: call::elapsed(started),
                                waited,
                                result: CallResult::Model(answer),
                            }
                        });
                    }
                }
            }
            Effect::Open { .. }
            | Effect::Plan { .. }
            | Effect::Prepare { .. }
            | Effect::Finish { .. }
            | Effect::HandOff { .. }
            | Effect::FormatPause { .. } => {}
        }
        Ok(())
    }

    /// What the judge of a stage is shown besides its pairs, where the stage has one.
    pub(super) fn judge_setting(&self, stage: &StageId) -> Option<JudgeSetting> {
        let question = self.journal.state.start.as_ref().map_or("", |start| start.request.as_str());
        JudgeSetting::new(&self.pinned, self.pinned.stage(stage)?, question)
    }

    fn built_in_call(
        &mut self,
        key: &CallKey,
        tool: String,
        arguments: Value,
        deadline: Duration,
    ) -> Result<BuiltInCall, Problem> {
        let folders = self.folders(&key.stage)?;
        let call = self.stage_call(key, String::new(), tool, arguments)?;
        let scope = TurnScope { session: call.session.clone(), run: call.run.clone(), folders };
        Ok(BuiltInCall { call, scope, id: key.to_string(), permitted: self.permitted(key), deadline })
    }

    /// The folders that a stage works in, in place of the session's.
    pub(crate) fn folders(&mut self, stage: &StageId) -> Result<Vec<String>, Problem> {
        self.evaluate(|evaluation| {
            let stage = stage_of(evaluation.pinned, stage)?;
            evaluation.folders(stage)
        })
    }

    fn stage_call(
        &self,
        key: &CallKey,
        source: String,
        tool: String,
        arguments: Value,
    ) -> Result<StageCall, Problem> {
        let start = self.journal.state.start.as_ref().ok_or_else(|| {
            Problem::new(ErrorCode::Corrupt, format!("call {key} belongs to a run that never started"))
        })?;
        Ok(StageCall {
            session: start.session.clone(),
            run: self.journal.run.clone(),
            agent: start.agent.to_string(),
            stages: domain::agent::stages_digest(
                &self.pinned.config,
                &self.pinned.prompts,
                &self.pinned.data,
            ),
            stage: key.stage.0.clone(),
            source,
            tool,
            arguments,
        })
    }

    /// The run's connection as it is now. It may have been removed since the run began.
    fn connected(&self) -> Result<std::sync::Arc<dyn llm::Provider>, Problem> {
        let slug = &self.pinned.connection;
        self.parts.provider(slug).map_err(|problem| {
            if problem.code != ErrorCode::NotFound {
                return problem;
            }
            Problem::new(
                ErrorCode::NotFound,
                format!("the run's connection {slug:?} is not there any more: {}", problem.message),
            )
            .with_action(format!(
                "add a connection named {slug:?} again and resume the run, or ask anew over another connection"
            ))
        })
    }

    /// What the answer to a call goes on from.
    fn beginning(&self, key: &CallKey) -> Option<DraftText> {
        let draft = self.journal.state.calls.get(key)?.continues.as_ref()?;
        let text = self.values.get(draft.text)?.as_str()?.to_owned();
        Some(DraftText { words: draft.words, text, place: draft.place.clone() })
    }

    /// Whether the next try of a call goes on from what was kept of its answer: from enough words, of a text that its stage asks
    /// for, at a provider that does not answer anew for nothing.
    pub(super) fn continues(&mut self, key: &CallKey) -> bool {
        let Some(draft) = self.journal.state.calls.get(key).and_then(|call| call.draft.clone()) else {
            return false;
        };
        let fits = self.evaluate(|evaluation| {
            let schema = evaluation.schema(stage_of(evaluation.pinned, &key.stage)?);
            let field =
                |name: &String| schema.and_then(|schema| schema.get("properties")?.get(name)?.get("type"));
            Ok(match &draft.place {
                Some(DraftPlace::Answer) => schema.is_none(),
                Some(DraftPlace::Field { name }) => field(name).is_some_and(|kind| kind == "string"),
                None => false,
            })
        });
        fits.unwrap_or(false)
            && draft.words >= MIN_CONTINUED_WORDS
            && self.parts.provider(&self.pinned.connection).is_ok_and(|provider| provider.continues_drafts())
    }

    /// What a call sends: as planned in this process, else computed again from the log and checked against its hash.
    pub(super) async fn payload(&mut self, key: &CallKey) -> Result<Payload, Problem> {
        let Some(hash) = self.journal.state.calls.get(key).map(|call| call.planned.request) else {
            return Err(Problem::new(ErrorCode::Internal, format!("call {key} was not planned")));
        };
        if !self.payloads.contains_key(key) {
            self.values.load_for(&self.journal.state, &self.parts.store).await?;
            let call = self.journal.state.calls.get(key);
            let earlier = Earlier::read(call, &self.values, &self.parts.store).await?;
            let payload = self.evaluate(|evaluation| evaluation.payload(key, &earlier))?;
            let payload = match payload.filter(|payload| payload.digest() == hash) {
                Some(payload) => Some(payload),
                None => self.as_planned(key, &earlier).await?.filter(|payload| payload.digest() == hash),
            };
            if let Some(payload) = payload {
                self.payloads.insert(key.clone(), payload);
            }
        }
        // What is kept here was planned in this process, or has just been checked against its hash.
        self.payloads.get(key).cloned().ok_or_else(|| {
            Problem::new(ErrorCode::Corrupt, format!("call {key} can't be made again as it was planned"))
                .with_action(
                    "start a new run; this one was planned by a version that prepared calls differently",
                )
        })
    }

    pub(super) fn progress(&self, key: &CallKey) {
        if let Some(told) = self.progress_of(key) {
            let _ = self.ui.send(told);
        }
    }

    fn progress_of(&self, key: &CallKey) -> Option<UiEvent> {
        let state = &self.journal.state;
        let call = state.calls.get(key)?;
        let open = state.stage(&key.stage).map_or(0, |stage| stage.open_calls);
        let at = |item| CallKey { item, ..key.clone() };
        let total = state.calls.range(at(0)..=at(u32::MAX)).count() as u32;
        let kind = UiKind::Progress {
            stage: key.stage.clone(),
            text: match &call.continues {
                Some(draft) => {
                    format!("{}, continued from a draft of {} words", call.planned.title, draft.words)
                }
                None => call.planned.title.clone(),
            },
            done: total.saturating_sub(open),
            total,
        };
        Some(self.event(kind))
    }
}

/// Tells why a call waits for a place in its connection's lane.
struct LaneWaits {
    ui: broadcast::Sender<UiEvent>,
    /// What is told when it begins.
    progress: Option<UiEvent>,
}

impl LaneWaits {
    fn tell(&self, wait: LaneWait) {
        let Some(UiEvent { run, seq, kind: UiKind::Progress { stage, text, done, total } }) =
            self.progress.clone()
        else {
            return;
        };
        let kind = match wait {
            LaneWait::Full { limit } => {
                let text = format!("{text} (waiting: {limit} calls of this connection are under way)");
                UiKind::Progress { stage, text, done, total }
            }
            LaneWait::Held { left } => {
                let what = "the provider asked another call of this connection to wait";
                let problem = Problem::new(ErrorCode::Provider, what).retryable();
                UiKind::Waiting { stage, ms: left.as_millis() as u64, problem }
            }
        };
        let _ = self.ui.send(UiEvent { run, seq, kind });
    }

    fn over(self) {
        if let Some(told) = self.progress {
            let _ = self.ui.send(told);
        }
    }
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
