//! External effects: model calls, tool calls, timers. Each runs as a task of its own and ends with one [`Outcome`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use domain::{ErrorCode, Problem, Usage};
use llm::{ModelAnswer, ModelRequest, Provider, ProviderError, StreamEvent};
use pipeline::CallKey;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::core::tools::{ToolFailure, ToolHost};
use crate::core::waits;
use crate::turn::{ChatHost, StageCall};

/// How an external effect ended.
pub(crate) struct Outcome {
    pub(crate) key: CallKey,
    pub(crate) r#try: u32,
    pub(crate) ms: u64,
    pub(crate) result: CallResult,
}

/// What an external effect gave.
pub(crate) enum CallResult {
    Model(Result<ModelAnswer, ModelFailure>),
    Tool(Result<Value, ToolFailure>),
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
}

impl ModelFailure {
    /// A call that was not made at all.
    pub(crate) fn unsent(problem: Problem) -> Self {
        let (usage, shown) = (Usage::default(), String::new());
        Self { problem, retry: llm::Retry::Never, usage, stopped: false, sent: false, shown }
    }
}

/// The tokens that a call may take up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenAllowance {
    /// Input and output together.
    pub(crate) window: u64,
    /// The least for the answer.
    pub(crate) least: u64,
}

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

/// Streams a model call to its end. Text goes to `on_text` as it arrives (the flag marks thinking).
pub(crate) async fn model(
    provider: Arc<dyn Provider>,
    request: ModelRequest,
    room: TokenAllowance,
    deadline: Duration,
    cancel: CancellationToken,
    mut on_text: impl FnMut(&str, bool) + Send,
) -> Result<ModelAnswer, ModelFailure> {
    let input = request.estimated_input();
    let begun = AtomicBool::new(false);
    let taken = AtomicBool::new(false);
    let name = provider.name().to_owned();
    let limits = llm::Limits::default();
    // Counted only when the call is given up.
    let (mut streamed, mut shown) = (String::new(), String::new());
    let work = async {
        let request = fitted(&*provider, request, room).await.map_err(ModelFailure::unsent)?;
        begun.store(true, Ordering::Relaxed);
        let stream = provider.stream(request);
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
            StreamEvent::Started { .. } => taken.store(true, Ordering::Relaxed),
            StreamEvent::ToolCallBegun { .. } | StreamEvent::Finished(_) => {}
        });
        answer.await.map_err(|error| failed(&error, taken.load(Ordering::Relaxed).then_some(input)))
    };
    let ended: Result<Result<ModelAnswer, ModelFailure>, &str> = tokio::select! {
        biased;
        () = cancel.cancelled() => Err("stopped"),
        () = tokio::time::sleep(deadline) => Err("deadline"),
        answer = work => Ok(answer),
    };
    let sent = begun.load(Ordering::Relaxed);
    let output = context::estimate(&streamed);
    let usage = if sent { Usage { input, output, ..Usage::default() } } else { Usage::default() };
    match ended {
        Ok(answered) => answered.map_err(|failure| ModelFailure { shown, ..failure }),
        Err("stopped") => Err(ModelFailure {
            problem: Problem::new(ErrorCode::Cancelled, "the model call was stopped"),
            retry: llm::Retry::Never,
            usage,
            stopped: true,
            sent,
            shown,
        }),
        Err(_) => Err(ModelFailure {
            problem: Problem::new(
                ErrorCode::Deadline,
                format!("the model call took longer than {} s", deadline.as_secs()),
            )
            .with_action("retry, or raise the stage's deadlineSeconds")
            .retryable(),
            retry: llm::Retry::After(None),
            usage,
            stopped: false,
            sent,
            shown,
        }),
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
pub(crate) fn backoff(key: &CallKey, failures: u32, named: Option<Duration>) -> u64 {
    if let Some(named) = named {
        return named.as_millis() as u64;
    }
    let base = 1_000u64.saturating_mul(1 << failures.min(6)).min(60_000);
    let spread = domain::Digest::of(format!("{key}/{failures}")).0[0];
    base + base / 4 * u64::from(spread) / 255
}

/// A stopwatch's milliseconds.
pub(crate) fn elapsed(since: Instant) -> u64 {
    since.elapsed().as_millis() as u64
}
