//! External effects: model calls, tool calls, timers. Each runs as a task of its own and ends with one [`Outcome`].

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use domain::{ErrorCode, Problem, Usage};
use llm::{Fault, LaneSlot, LaneWait, ModelAnswer, ModelRequest, Provider, ProviderError, StreamEvent};
use pipeline::CallKey;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::core::tools::{ToolFailure, ToolHost};
use crate::core::waits::{self, Waited};
use crate::run::built_in::PermissionRequest;
use crate::turn::{ChatHost, StageCall};

/// How an external effect ended.
pub(crate) struct Outcome {
    pub(crate) key: CallKey,
    pub(crate) r#try: u32,
    pub(crate) ms: u64,
    pub(crate) waited: Waited,
    pub(crate) result: CallResult,
}

/// What an external effect gave.
pub(crate) enum CallResult {
    Model(Result<ModelAnswer, ModelFailure>),
    Tool(Result<Value, ToolFailure>),
    /// It was not made.
    NeedsPermission(Box<PermissionRequest>),
    Child(Box<crate::turn::StageTurnOutcome>),
    Timer,
}

/// A model call's failure, and what it may have used.
pub(crate) struct ModelFailure {
    pub(crate) problem: Problem,
    pub(crate) retry: llm::Retry,
    pub(crate) usage: Usage,
    pub(crate) stopped: bool,
    /// Whether anything was sent: else nobody has to be told of a request.
    pub(crate) sent: bool,
    /// The answer's text as far as it had arrived, without thinking.
    pub(crate) shown: String,
    /// The response that the provider goes on with: its answer can be fetched instead of being paid twice.
    pub(crate) kept: Option<String>,
    /// Whether a response that was to be fetched is not there: nobody knows what became of the earlier try.
    pub(crate) gone: bool,
}

impl ModelFailure {
    /// A call that was not made at all.
    pub(crate) fn unsent(problem: Problem) -> Self {
        let (usage, shown) = (Usage::default(), String::new());
        let (kept, gone) = (None, false);
        Self { problem, retry: llm::Retry::Never, usage, stopped: false, sent: false, shown, kept, gone }
    }

    /// A response that was to be fetched, of a connection that keeps none any more.
    fn not_kept(provider: &str) -> Self {
        let what = format!("{provider} keeps no answers any more");
        Self { gone: true, ..Self::unsent(Problem::new(ErrorCode::Provider, what)) }
    }
}

/// A call of a model as it is made.
pub(crate) struct ModelCall {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) request: ModelRequest,
    pub(crate) room: TokenAllowance,
    pub(crate) deadline: Duration,
    /// The response that an earlier try left the provider with: it is fetched, and nothing new is asked.
    pub(crate) kept: Option<String>,
}

/// The tokens that a call may take up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenAllowance {
    /// Input and output together.
    pub(crate) window: u64,
    /// The least for the answer.
    pub(crate) least: u64,
}

/// How long a provider may take to end an answer.
const END_PATIENCE: Duration = Duration::from_secs(3);
/// How long a provider may take to count a request's tokens; then the estimate has to do.
const COUNT_PATIENCE: Duration = Duration::from_secs(5);

/// The request with as much room for its answer as there really is. Where the estimate comes near the window the
/// provider is asked; an estimate from above would refuse what fits, and one from below would cut the answer.
async fn fitted(
    provider: &dyn Provider,
    mut request: ModelRequest,
    room: TokenAllowance,
) -> Result<ModelRequest, Problem> {
    let estimate = context::with_margin(request.estimated_input());
    if estimate.saturating_mul(100) < room.window.saturating_mul(85) {
        return Ok(request);
    }
    let counted = tokio::time::timeout(COUNT_PATIENCE, provider.count(&request)).await;
    let Ok(Ok(Some(input))) = counted else { return Ok(request) };
    let left = room.window.saturating_sub(input);
    if left < room.least.min(request.max_output_tokens) {
        return Err(Problem::new(
            ErrorCode::ContextTooLong,
            format!(
                "the request has {input} tokens as {} counts them; of the {} that fit, too few are left for an answer",
                provider.name(),
                room.window
            ),
        )
        .with_action(llm::Fault::ContextTooLong.action()));
    }
    request.max_output_tokens = request.max_output_tokens.min(left);
    Ok(request)
}

impl Outcome {
    /// Of something that waited in no lane.
    pub(crate) fn new(key: CallKey, r#try: u32, ms: u64, result: CallResult) -> Self {
        Self { key, r#try, ms, waited: None, result }
    }
}

/// What a call may begin with.
pub(crate) struct Entry {
    /// The place in the lane; none where nothing bounds the calls, or where the call was stopped meanwhile.
    place: Option<LaneSlot>,
    pub(crate) waited: Waited,
}

/// Waits for a place in the lane of a call's connection, however long: a call's deadline begins after it. `on_wait` is
/// told why it waits.
pub(crate) async fn enter(
    call: &ModelCall,
    cancel: &CancellationToken,
    mut on_wait: impl FnMut(LaneWait) + Send,
) -> Entry {
    let Some(lane) = call.provider.lane() else { return Entry { place: None, waited: None } };
    let (began, mut waits) = (Instant::now(), false);
    let entered = lane.enter(|wait| {
        waits = true;
        on_wait(wait);
    });
    let place = tokio::select! {
        biased;
        () = cancel.cancelled() => None,
        place = entered => Some(place),
    };
    Entry { place, waited: waits.then(|| (began, Instant::now())) }
}

/// Streams a model call to its end. Text goes to `on_text` as it arrives (the flag marks thinking); the id of a response
/// that the provider goes on with by itself goes to `on_kept`.
pub(crate) async fn model(
    call: ModelCall,
    entry: Entry,
    cancel: CancellationToken,
    mut on_kept: impl FnMut(&str) + Send,
    mut on_text: impl FnMut(&str, bool) + Send,
) -> Result<ModelAnswer, ModelFailure> {
    let ModelCall { provider, request, room, deadline, kept } = call;
    // Kept to the end of the answer.
    let Entry { place: _place, waited: _ } = entry;
    let lane = provider.lane();
    let input = request.estimated_input();
    let begun = AtomicBool::new(false);
    let taken = AtomicBool::new(false);
    let name = provider.name().to_owned();
    let limits = llm::Limits::default();
    let (attached, keeps) = (kept.is_some(), provider.keeps_answers());
    let kept = parking_lot::Mutex::new(kept);
    // Counted only when the call is given up.
    let (mut streamed, mut shown) = (String::new(), String::new());
    let work = async {
        let earlier = kept.lock().clone();
        let stream = match earlier {
            Some(id) => provider.attach(request, &id).ok_or_else(|| ModelFailure::not_kept(&name))?,
            None => {
                let request = fitted(&*provider, request, room).await.map_err(ModelFailure::unsent)?;
                begun.store(true, Ordering::Relaxed);
                provider.stream(request)
            }
        };
        let answer = llm::collect(&name, stream, limits, |event| match event {
            StreamEvent::Text(text) => {
                streamed.push_str(text);
                shown.push_str(text);
                on_text(text, false);
            }
            StreamEvent::Thinking(text) => {
                streamed.push_str(text);
                on_text(text, true);
            }
            StreamEvent::Started { response_id } => {
                taken.store(true, Ordering::Relaxed);
                if let Some(id) = response_id.as_deref().filter(|_| keeps && !attached) {
                    *kept.lock() = Some(id.to_owned());
                    on_kept(id);
                }
            }
            StreamEvent::ToolCallBegun { .. } | StreamEvent::Finished(_) => {}
        });
        let answer = answer.await;
        match (&lane, &answer) {
            (Some(lane), Ok(_)) => lane.answered(),
            (Some(lane), Err(error)) => lane.failed(error),
            (None, _) => {}
        }
        answer.map_err(|error| {
            let taken = taken.load(Ordering::Relaxed);
            let gone = attached && error.detail == Some(llm::Detail::NotKept);
            if !is_left_going(&error, taken) {
                *kept.lock() = None;
            }
            ModelFailure { gone, ..failed(&error, taken.then_some(input)) }
        })
    };
    let ended: Result<Result<ModelAnswer, ModelFailure>, &str> = tokio::select! {
        biased;
        () = cancel.cancelled() => Err("stopped"),
        () = tokio::time::sleep(deadline) => Err("deadline"),
        answer = work => Ok(answer),
    };
    let sent = begun.load(Ordering::Relaxed) || attached;
    let output = context::estimate(&streamed);
    let usage = if sent { Usage { input, output, ..Usage::default() } } else { Usage::default() };
    let kept = kept.into_inner();
    let (problem, retry, stopped) = match ended {
        Ok(answered) => return answered.map_err(|failure| ModelFailure { shown, kept, ..failure }),
        Err("stopped") => {
            (Problem::new(ErrorCode::Cancelled, "the model call was stopped"), llm::Retry::Never, true)
        }
        Err(_) => {
            let problem = Problem::new(
                ErrorCode::Deadline,
                format!("the model call took longer than {} s", deadline.as_secs()),
            )
            .with_action("retry, or raise the stage's deadlineSeconds")
            .retryable();
            (problem, llm::Retry::After(None), false)
        }
    };
    Err(ModelFailure { problem, retry, usage, stopped, sent, shown, kept, gone: false })
}

/// As [`model`], of a call that no log tells of: nothing goes on of it.
pub(crate) async fn once(call: ModelCall, cancel: CancellationToken) -> Result<ModelAnswer, ModelFailure> {
    let provider = Arc::clone(&call.provider);
    let entry = enter(&call, &cancel, |_| {}).await;
    let result = model(call, entry, cancel, |_| {}, |_, _| {}).await;
    if let Some(id) = result.as_ref().err().and_then(|failure| failure.kept.clone()) {
        end_kept(provider, id).await;
    }
    result
}

/// Whether the provider goes on with an answer that it keeps after this failure: the way to it broke, or was not found.
fn is_left_going(error: &ProviderError, taken: bool) -> bool {
    let broke = matches!(error.fault, Fault::Network | Fault::Timeout | Fault::StreamCut);
    let refused =
        !taken && matches!(error.fault, Fault::Auth | Fault::RateLimit { .. } | Fault::Overloaded { .. });
    (broke || refused) && error.detail != Some(llm::Detail::NotKept)
}

/// Ends an answer that the provider would go on with, and that nobody wants any more.
pub(crate) async fn end_kept(provider: Arc<dyn Provider>, response_id: String) {
    let ended = tokio::time::timeout(END_PATIENCE, provider.cancel(&response_id)).await;
    if !matches!(ended, Ok(Ok(()))) {
        tracing::warn!("response {response_id} could not be ended at {}", provider.name());
    }
}

/// What the provider never took costs nothing; what it took costs what it says, else it was at least read, and the answer
/// partly written.
fn failed(error: &ProviderError, read: Option<u64>) -> ModelFailure {
    let estimate = read.map(|input| Usage { input, output: error.streamed_tokens, ..Usage::default() });
    let usage = error.usage.as_deref().copied().or(estimate);
    let (problem, retry) = waits::bounded(error.problem(), error.retry());
    ModelFailure {
        problem,
        retry,
        usage: usage.unwrap_or_default(),
        stopped: false,
        sent: true,
        shown: String::new(),
        kept: None,
        gone: false,
    }
}

/// Calls a tool if the program around the engine allows it, and tells that program how it went.
pub(crate) async fn tool(
    chat: Option<Arc<dyn ChatHost>>,
    host: Arc<dyn ToolHost>,
    call: StageCall,
    deadline: Duration,
    cancel: CancellationToken,
) -> Result<Value, ToolFailure> {
    let Some(chat) = chat else { return bounded(&*host, &call, deadline, cancel).await };
    let allowed = tokio::select! {
        biased;
        () = cancel.cancelled() => Err(Problem::new(ErrorCode::Cancelled, "the tool call was stopped")),
        allowed = chat.before_call(&call) => allowed,
    };
    if let Err(problem) = allowed {
        return Err(ToolFailure { problem, retryable: false, unsure: false });
    }
    let started = Instant::now();
    let result = bounded(&*host, &call, deadline, cancel).await;
    chat.after_call(&call, elapsed(started), result.as_ref().err().map(|failure| &failure.problem)).await;
    result
}

/// Calls a tool, bounded by the stage's deadline whatever the source does.
async fn bounded(
    host: &dyn ToolHost,
    call: &StageCall,
    deadline: Duration,
    cancel: CancellationToken,
) -> Result<Value, ToolFailure> {
    let StageCall { source, tool, arguments, .. } = call;
    let call = host.call(source, tool, arguments.clone(), deadline, cancel.clone());
    let broken_off = |problem| Err(ToolFailure { problem, retryable: false, unsure: true });
    tokio::select! {
        biased;
        () = cancel.cancelled() => broken_off(Problem::new(ErrorCode::Cancelled, "the tool call was stopped")),
        result = call => result,
        () = tokio::time::sleep(deadline + Duration::from_secs(1)) => broken_off(
            Problem::new(ErrorCode::Deadline, format!("{source}/{tool} did not answer within {} s", deadline.as_secs())),
        ),
    }
}

/// Milliseconds before the next attempt: doubling from a second to a minute with a quarter of jitter, unless the other
/// side named a time.
pub(crate) fn backoff(of: impl Display, number: u32, doublings: u32, named: Option<Duration>) -> u64 {
    if let Some(named) = named {
        return named.as_millis() as u64;
    }
    let base = 1_000u64.saturating_mul(1 << doublings.min(6)).min(60_000);
    let spread = domain::Digest::of(format!("{of}/{number}")).0[0];
    base + base / 4 * u64::from(spread) / 255
}

/// A stopwatch's milliseconds.
pub(crate) fn elapsed(since: Instant) -> u64 {
    since.elapsed().as_millis() as u64
}
