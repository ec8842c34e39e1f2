//! Calls of the model: the request, what it may cost, and what came of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dialogue::{Event, Origin, Purpose, RequestedCall, State, Stop};
use domain::{Digest, ErrorCode, Problem, Reserve, RunId, SessionId};
use llm::{ModelAnswer, ModelRequest, StopReason};
use serde_json::json;
use store::NewModelCall;
use tokio::task::AbortHandle;

use super::drive::{Driver, Outcome};
use super::history::{Item, PastTurn, elidable, messages};
use super::pinned::Pinned;
use super::stream::TextBatches;
use super::{compact, pictures, text};
use crate::core::waits::Waited;
use crate::run::call::{self, ModelCall, ModelFailure, TokenAllowance};

/// Above this share of the window what was said before is put into fewer words.
const FULL_PERCENT: u64 = 80;
/// How long a provider may take to count a request's tokens; then the estimate has to do.
const COUNT_PATIENCE: Duration = Duration::from_secs(5);
/// The longest that an answer may take.
const DEADLINE: Duration = Duration::from_secs(1_800);
/// Output tokens that a step is worth asking with; less is for the final answer.
const STEP_OUTPUT: u64 = 2_000;
/// Output tokens that a final answer is worth asking with.
const FINAL_OUTPUT: u64 = 500;

/// A call that is about to be made.
pub(super) struct Call {
    pub(super) call: u32,
    r#try: u32,
    purpose: Purpose,
    request: ModelRequest,
    /// The response that an earlier try left the provider with: it is fetched, and nothing new is asked.
    kept: Option<String>,
}

/// A call that ended.
pub(super) struct EndedCall {
    call: u32,
    r#try: u32,
    purpose: Purpose,
    ms: u64,
    waited: Waited,
    result: Result<ModelAnswer, ModelFailure>,
}

impl Driver {
    /// Puts a request together. `None` when something else was told to the machine instead.
    pub(super) async fn prepare_model(
        &mut self,
        call: u32,
        r#try: u32,
        purpose: Purpose,
    ) -> Result<Option<Call>, Problem> {
        let (past, own) = self.items().await?;
        let items: Vec<&Item> = past.iter().flat_map(|past| &past.items).chain(&own).collect();
        if purpose == Purpose::Compact {
            return self.prepare_compaction(call, r#try, &items).await;
        }
        let window = self.pinned.model_info.context_window;
        let most = window.saturating_mul(FULL_PERCENT) / 100;
        let mut request = self.request(&items, purpose, false);
        let mut tokens = request.estimated_input();
        if self.measured(tokens) > most {
            keep_elided(&items).await;
            request = self.request(&items, purpose, true);
            tokens = request.estimated_input();
        }
        if self.measured(tokens) > most && compactable(&items) {
            let counted = counted(self.connected().ok(), &request).await;
            let counted = counted.unwrap_or_else(|| self.measured(tokens));
            if counted > most {
                self.journal.push(Event::CompactionNeeded { tokens: counted, window })?;
                return Ok(None);
            }
            tokens = counted;
        }
        let Some(output) = self.affordable(call, tokens, window, purpose)? else { return Ok(None) };
        request.max_output_tokens = output;
        self.requested(call, r#try, purpose, request, tokens).map(Some)
    }

    /// The request that puts what was said before into fewer words. Where it can't be paid for, code does it.
    async fn prepare_compaction(
        &mut self,
        call: u32,
        r#try: u32,
        items: &[&Item],
    ) -> Result<Option<Call>, Problem> {
        let window = self.pinned.model_info.context_window;
        keep_elided(items).await;
        let focus = self.focus().await?;
        let request = compact::request(&self.pinned, &self.scope.session, items, &focus);
        let tokens = request.estimated_input();
        let Some(output) = self.affordable(call, tokens, window, Purpose::Compact)? else { return Ok(None) };
        let request = ModelRequest { max_output_tokens: output.min(compact::OUTPUT), ..request };
        self.requested(call, r#try, Purpose::Compact, request, tokens).map(Some)
    }

    fn requested(
        &mut self,
        call: u32,
        r#try: u32,
        purpose: Purpose,
        request: ModelRequest,
        tokens: u64,
    ) -> Result<Call, Problem> {
        // Where something else is asked by now, the earlier answer is none to it.
        let before = self.journal.state.model_calls.get(&call);
        let kept = before.and_then(|before| Some((before.request, before.response_id.clone()?)));
        let kept = match kept {
            Some((asked, id)) if asked == request.digest() => Some(id),
            Some((_, id)) => {
                self.end_kept(id);
                None
            }
            None => None,
        };
        self.journal.push(Event::ModelRequested {
            call,
            r#try,
            purpose,
            tools: !request.tools.is_empty(),
            request: request.digest(),
            reserve: self.pinned.reserve(tokens, request.max_output_tokens),
            tokens,
        })?;
        Ok(Call { call, r#try, purpose, request, kept })
    }

    fn request(&self, items: &[&Item], purpose: Purpose, elide: bool) -> ModelRequest {
        request(&self.pinned, &self.scope.session, items, purpose, elide)
    }

    /// An estimate put right by what the provider counted last: it lies above, and by how much depends on the text.
    fn measured(&self, tokens: u64) -> u64 {
        tokens.saturating_mul(self.scale) / 100
    }

    /// What the person wants a summary to dwell on, where they asked for one.
    async fn focus(&mut self) -> Result<String, Problem> {
        let start = self.journal.state.start.as_ref().filter(|start| start.origin == Origin::Compaction);
        let Some(message) = start.map(|start| start.message) else { return Ok(String::new()) };
        let message: domain::UserMessage = self.journal.blobs.json(message).await?;
        Ok(message.text)
    }

    /// The most output tokens that a call may have by the window and the budget. `None` when the machine was told that
    /// even the least is too dear.
    fn affordable(
        &mut self,
        call: u32,
        input: u64,
        window: u64,
        purpose: Purpose,
    ) -> Result<Option<u64>, Problem> {
        match affordable(&self.pinned, &self.journal.state, input, window, purpose) {
            Ok(output) => Ok(Some(output)),
            Err(reserve) => {
                self.journal.push(Event::TooDear { call, purpose, reserve })?;
                Ok(None)
            }
        }
    }

    pub(super) fn start_model(&mut self, call: Call) -> AbortHandle {
        let Call { call, r#try, purpose, request, kept } = call;
        let provider = self.connected();
        let window = self.pinned.model_info.context_window;
        let room = TokenAllowance { window, least: FINAL_OUTPUT };
        let stop = self.work.stop.child_token();
        let taken = self.work.news.0.clone();
        let (own, run) = (self.own.clone(), self.journal.run.clone());
        let pieces = (purpose != Purpose::Compact).then(|| {
            let (run, session) = (self.journal.run.clone(), self.scope.session.clone());
            let streamed = self.streamed.clone();
            TextBatches::new(
                self.ui.clone(),
                streamed,
                run,
                session,
                self.journal.committed(),
                format!("m{call}"),
            )
        });
        self.work.tasks.spawn(async move {
            let (mut started, mut waited) = (Instant::now(), None);
            let result = match provider {
                Err(problem) => Err(ModelFailure::unsent(problem)),
                Ok(provider) => {
                    let told = |text: &str, thinking| {
                        if let Some(pieces) = &pieces {
                            pieces.add_text(text, thinking);
                        }
                    };
                    let asked = ModelCall { provider, request, room, deadline: DEADLINE, kept };
                    // The queue holds more than one turn can have under way.
                    let accepted = |id: &str| drop(taken.try_send((call, id.to_owned())));
                    let entry = call::enter(&asked, &stop, |_| {}).await;
                    (started, waited) = (Instant::now(), entry.waited);
                    let work = call::model(asked, entry, stop, accepted, told);
                    let result = match &pieces {
                        Some(pieces) => pieces.during(work).await,
                        None => work.await,
                    };
                    match result {
                        Ok(answer) => Ok(pictures::taken_out(answer, &own, &run, call).await),
                        Err(failure) => Err(failure),
                    }
                }
            };
            Outcome::Model(EndedCall { call, r#try, purpose, ms: call::elapsed(started), waited, result })
        })
    }

    /// The turn's connection as it is now. It may have been removed since the turn began.
    pub(super) fn connected(&self) -> Result<Arc<dyn llm::Provider>, Problem> {
        let slug = &self.pinned.connection;
        self.parts.provider(slug).map_err(|problem| {
            if problem.code != ErrorCode::NotFound {
                return problem;
            }
            Problem::new(
                ErrorCode::NotFound,
                format!("the connection {slug:?} is not there any more: {}", problem.message),
            )
            .with_action("add it again and retry, or choose another connection for the session")
        })
    }

    pub(super) async fn model_ended(&mut self, ended: EndedCall) -> Result<(), Problem> {
        let EndedCall { call, r#try, purpose, ms, waited, result } = ended;
        self.journal.waited(waited);
        match result {
            Ok(answer) => self.model_answered(call, r#try, purpose, ms, answer).await,
            Err(failure) => self.model_failed(call, r#try, purpose, ms, failure).await,
        }
    }

    async fn model_answered(
        &mut self,
        call: u32,
        r#try: u32,
        purpose: Purpose,
        ms: u64,
        answer: ModelAnswer,
    ) -> Result<(), Problem> {
        let bill = self.pinned.call_cost(&answer.usage, answer.reported_cost);
        self.record_call(NewModelCall {
            call: format!("m{call}"),
            r#try,
            stage: stage(purpose).to_owned(),
            usage: answer.usage,
            ms,
            request_id: answer.request_id.clone(),
            cost: bill.cost + bill.equivalent,
            equivalent: bill.flat,
            unpriced: bill.unpriced,
            ..NewModelCall::default()
        });
        let digest = self.journal.blobs.put_json(&answer)?;
        let text = match answer.text.trim() {
            "" => None,
            text => Some(self.put_with_partial(text).await?),
        };
        let tools = if purpose == Purpose::Step { self.asked(&answer) } else { Vec::new() };
        self.measure(call, &answer);
        let stop = stop_of(answer.stop);
        let request_id = answer.request_id.clone();
        let usage = answer.usage;
        self.answers.insert(digest, Arc::new(answer));
        self.journal.push(Event::ModelAnswered {
            call,
            answer: digest,
            text,
            stop,
            tools,
            usage,
            cost: bill.cost,
            equivalent: bill.equivalent,
            request_id,
        })
    }

    /// Puts estimates of tokens right by what the provider counted.
    pub(super) fn measure(&mut self, call: u32, answer: &ModelAnswer) {
        let read = answer.usage.input + answer.usage.cache_read + answer.usage.cache_write;
        if let Some(estimated) = self.journal.state.model_calls.get(&call).map(|call| call.tokens)
            && read > 0
        {
            // A twentieth on top: the next request has other text.
            self.scale = (read.saturating_mul(105) / estimated.max(1)).clamp(50, 150);
        }
    }

    /// Stores a text of the model, after the beginning that the person stopped where there is one.
    async fn put_with_partial(&mut self, text: &str) -> Result<Digest, Problem> {
        let whole = match self.journal.state.partial() {
            Some(partial) => text::continued(&self.journal.blobs.text(partial).await?, text),
            None => text.to_owned(),
        };
        self.journal.blobs.put(whole.into_bytes())
    }

    /// The calls that an answer asks for, each with an id of its own.
    fn asked(&self, answer: &ModelAnswer) -> Vec<RequestedCall> {
        let first = self.journal.state.tools.len() + 1;
        answer
            .tool_calls()
            .enumerate()
            .map(|(at, asked)| {
                let meant = self.pinned.meant(&asked.name).unwrap_or(&asked.name);
                let offered = self.kit.get(meant);
                let read = offered.map(|offered| offered.read(asked)).filter(|read| read.faults.is_none());
                let known = read.is_some();
                let renamed =
                    (known && meant != asked.name).then(|| format!("{} read as {meant}", asked.name));
                let adapted = read.map(|read| read.adapted).unwrap_or_default();
                let adapted: Vec<String> = renamed.into_iter().chain(adapted).collect();
                if !adapted.is_empty() {
                    let (model, count) = (&self.pinned.model, adapted.len());
                    tracing::info!(
                        model,
                        tool = meant,
                        count,
                        "a call was not as its schema has it, and read as it is meant"
                    );
                }
                RequestedCall {
                    call: call_id(&self.journal.run, first + at),
                    tool: meant.to_owned(),
                    same: sameness(asked),
                    known,
                    adapted,
                    parallel: offered.is_some_and(|offered| offered.only_reads()),
                    repeatable: offered.is_some_and(|offered| offered.repeatable()),
                }
            })
            .collect()
    }

    async fn model_failed(
        &mut self,
        call: u32,
        r#try: u32,
        purpose: Purpose,
        ms: u64,
        failure: ModelFailure,
    ) -> Result<(), Problem> {
        let ModelFailure { problem, retry, usage, stopped, sent, shown, kept, gone } = failure;
        // What it was to fetch is not there: nobody knows what became of the earlier try.
        if gone {
            return self.journal.push(Event::ModelUnknown { call });
        }
        let tries = self.journal.state.start.as_ref().map_or(1, |start| start.bounds.tries);
        let fetched = match stopped {
            true => self.leaving && !self.journal.state.stopping,
            false => r#try < tries && matches!(retry, llm::Retry::After(_)),
        };
        let response_id = kept.as_ref().filter(|_| fetched).cloned();
        if let (None, Some(id)) = (&response_id, kept) {
            self.end_kept(id);
        }
        // What the provider goes on with is booked when it is fetched.
        let usage = if response_id.is_some() { domain::Usage::default() } else { usage };
        let bill = self.pinned.call_cost(&usage, None);
        if sent && response_id.is_none() {
            self.record_call(NewModelCall {
                call: format!("m{call}"),
                r#try,
                stage: stage(purpose).to_owned(),
                usage,
                ms,
                failed: true,
                cost: bill.cost + bill.equivalent,
                equivalent: bill.flat,
                unpriced: bill.unpriced,
                ..NewModelCall::default()
            });
        }
        let start = self.journal.state.start.as_ref();
        // In a conversation the person has read the beginning: whether another answer is paid for is theirs to say. A
        // stage says by its own setting how often it asks.
        let of_stage = start.is_some_and(|start| matches!(start.origin, Origin::Stage { .. }));
        let was_read = !of_stage
            && purpose != Purpose::Compact
            && !shown.trim().is_empty()
            // The same answer comes again.
            && response_id.is_none();
        let retry_ms = match (stopped, retry) {
            (true, _) => (self.leaving && !self.journal.state.stopping).then_some(0),
            (false, _) if was_read => None,
            (false, llm::Retry::After(named)) if r#try < tries => Some(self.backoff(call, r#try, named)),
            (false, llm::Retry::After(_) | llm::Retry::Never) => None,
        };
        let too_long = problem.code == ErrorCode::ContextTooLong && purpose != Purpose::Compact && {
            let (past, own) = self.items().await?;
            compactable(&past.iter().flat_map(|past| &past.items).chain(&own).collect::<Vec<_>>())
        };
        let too_long = too_long && !was_read;
        let stopping = self.journal.state.stopping;
        let shown = match was_read && (stopping || !stopped) {
            true if stopping => Some(self.put_with_partial(&shown).await?),
            true => Some(self.journal.blobs.put(shown.into_bytes())?),
            false => None,
        };
        let cost = bill.cost;
        let failed =
            Event::ModelFailed { call, problem, retry_ms, too_long, shown, usage, cost, response_id };
        self.journal.push(failed)
    }

    /// A call that was under way when the program ended, and that the provider goes on with: the next try fetches it.
    pub(super) fn left_going(&mut self, call: u32, id: String) -> Result<(), Problem> {
        let stopping = self.journal.state.stopping;
        if stopping {
            self.end_kept(id.clone());
        }
        let problem = Problem::new(
            ErrorCode::Cancelled,
            "the program ended while the provider worked on the answer; it is fetched by its id",
        );
        self.journal.push(Event::ModelFailed {
            call,
            problem,
            retry_ms: (!stopping).then_some(0),
            too_long: false,
            shown: None,
            usage: domain::Usage::default(),
            cost: domain::NanoUsd::default(),
            response_id: (!stopping).then_some(id),
        })
    }

    /// Ends an answer at the provider that nobody wants any more.
    fn end_kept(&mut self, response_id: String) {
        if self.work.recorded.is_none()
            && let Ok(provider) = self.connected()
        {
            self.work.endings.spawn(call::end_kept(provider, response_id));
        }
    }

    fn backoff(&self, call: u32, r#try: u32, named: Option<Duration>) -> u64 {
        if let Some(named) = named {
            return named.as_millis() as u64;
        }
        let base = 1_000u64.saturating_mul(1 << r#try.saturating_sub(1).min(6)).min(60_000);
        let spread = Digest::of(format!("{}/{call}/{try}", self.journal.run, r#try = r#try)).0[0];
        base + base / 4 * u64::from(spread) / 255
    }

    pub(super) fn record_call(&mut self, row: NewModelCall) {
        let pinned = self.pinned.clone();
        self.journal.spent(NewModelCall {
            at_ms: crate::core::ids::now_ms() as i64,
            connection: pinned.connection.clone(),
            provider: pinned.model_info.provider.clone(),
            model: pinned.model.clone(),
            ..row
        });
    }

    /// The model's summary stands for what was said before.
    pub(super) async fn take_summary(&mut self, call: u32) -> Result<(), Problem> {
        match self.journal.view.steps.text_of(call) {
            Some(text) => {
                let summary = self.journal.blobs.text(text).await?;
                self.compacted(summary, true).await
            }
            None => self.compact_by_code().await,
        }
    }

    /// Code puts what was said before into fewer words.
    pub(super) async fn compact_by_code(&mut self) -> Result<(), Problem> {
        let (past, own) = self.items().await?;
        let items: Vec<&Item> =
            past.iter().flat_map(|past: &Arc<PastTurn>| &past.items).chain(&own).collect();
        let summary = compact::by_code(&items, &self.journal.state);
        self.compacted(summary, false).await
    }

    async fn compacted(&mut self, summary: String, by_model: bool) -> Result<(), Problem> {
        let (past, own) = self.items().await?;
        let items: Vec<&Item> = past.iter().flat_map(|past| &past.items).chain(&own).collect();
        let before = self.request(&items, Purpose::Step, false).estimated_input();
        let anew = Item::Summary(summary.clone());
        let checkpoint = self.chat.checkpoint(&self.scope).await?;
        let state = checkpoint.as_deref().map(Item::checkpoint);
        let message = own.iter().find(|item| matches!(item, Item::Message { .. }));
        let items: Vec<&Item> = std::iter::once(&anew).chain(&state).chain(message).collect();
        let after = self.request(&items, Purpose::Step, false).estimated_input();
        let summary = self.journal.blobs.put(summary.into_bytes())?;
        let checkpoint = match checkpoint {
            Some(text) => Some(self.journal.blobs.put(text.into_bytes())?),
            None => None,
        };
        self.journal.push(Event::Compacted { summary, by_model, before, after, checkpoint })
    }
}

/// A request for a step or for the last answer.
pub(super) fn request(
    pinned: &Pinned,
    session: &SessionId,
    items: &[&Item],
    purpose: Purpose,
    elide: bool,
) -> ModelRequest {
    let mut messages = messages(items.iter().copied(), &pinned.model_info.abilities, elide);
    let step = purpose == Purpose::Step;
    if !step {
        messages.push(llm::Message::user(text::BEST_SO_FAR));
    }
    ModelRequest {
        model: pinned.model.clone(),
        system: pinned.system.clone(),
        cache_system: true,
        messages,
        schema: None,
        max_output_tokens: pinned.max_output(),
        effort: pinned.effort,
        thinking: pinned.model_info.thinking,
        // Absent in the final call: an empty list or a choice of none still makes some models call.
        tools: if step { pinned.tools.iter().map(|tool| tool.spec.clone()).collect() } else { Vec::new() },
        cache_key: Some(session.0.clone()),
        ..ModelRequest::default()
    }
}

/// The most output tokens that a call may have by the window and the budget; what it would cost at least where even that
/// is too dear.
pub(super) fn affordable(
    pinned: &Pinned,
    state: &State,
    input: u64,
    window: u64,
    purpose: Purpose,
) -> Result<u64, Reserve> {
    let least = if purpose == Purpose::Final { FINAL_OUTPUT } else { STEP_OUTPUT };
    let room = window.saturating_sub(input).max(1_024);
    let mut output = pinned.max_output().min(room);
    loop {
        let reserve = pinned.reserve(input, output);
        if state.affords(purpose, reserve) {
            return Ok(output);
        }
        if output <= least {
            return Err(reserve);
        }
        output = (output / 2).max(least);
    }
}

/// The id of a call that a model asks for, the `number`th of its turn: providers repeat theirs.
pub(super) fn call_id(run: &RunId, number: usize) -> String {
    let run = &run.0;
    format!("{}-{number}", &run[run.floor_char_boundary(run.len().saturating_sub(8))..])
}

/// What makes two calls the same.
pub(super) fn sameness(asked: &llm::ToolCall) -> Digest {
    Digest::of_json(&json!([asked.name, asked.arguments, asked.raw]))
}

/// Results that a request leaves out stay readable.
async fn keep_elided(items: &[&Item]) {
    for (path, result) in elidable(items.iter().copied()) {
        super::calls::keep_whole(&path, &result).await;
    }
}

/// Input tokens as the provider counts them, where it does in time.
async fn counted(provider: Option<Arc<dyn llm::Provider>>, request: &ModelRequest) -> Option<u64> {
    let counted = tokio::time::timeout(COUNT_PATIENCE, provider?.count(request)).await;
    counted.ok()?.ok()?
}

/// Whether there is something that fewer words could stand for.
fn compactable(items: &[&Item]) -> bool {
    items.iter().any(|item| matches!(item, Item::Answer { .. } | Item::Said(_)))
}

fn stage(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Step | Purpose::Final => "chat",
        Purpose::Compact => "compaction",
    }
}

/// What a provider's reason says about tools. Those that say the same either way are read as waiting for tools where there
/// are any: the loop goes on in both cases.
pub(super) fn stop_of(stop: StopReason) -> Stop {
    match stop {
        StopReason::EndTurn | StopReason::StopSequence => Stop::Ended,
        StopReason::ToolUse => Stop::WantsTools,
        StopReason::MaxTokens | StopReason::ContextWindow => Stop::Cut,
        StopReason::Refusal => Stop::Refused,
        StopReason::Other => Stop::Unclear,
    }
}
