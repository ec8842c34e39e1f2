//! External effects: model calls, tool calls, timers. Each runs as a task of its own and ends with one [`Outcome`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::{ErrorCode, Problem, Usage};
use llm::{ModelAnswer, ModelRequest, Provider, ProviderError, StreamEvent};
use pipeline::CallKey;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::tools::{ToolFailure, ToolHost};

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
    Timer,
}

/// A model call's failure, and what it may have used.
pub(crate) struct ModelFailure {
    pub(crate) problem: Problem,
    pub(crate) retry: llm::Retry,
    pub(crate) usage: Usage,
    pub(crate) stopped: bool,
}

/// Streams a model call to its end. Text goes to `on_text` as it arrives (the flag marks thinking).
pub(crate) async fn model(
    provider: Arc<dyn Provider>,
    request: ModelRequest,
    deadline: Duration,
    cancel: CancellationToken,
    mut on_text: impl FnMut(&str, bool) + Send,
) -> Result<ModelAnswer, ModelFailure> {
    let sent = request.clone();
    let name = provider.name().to_owned();
    let limits = llm::Limits::default();
    // Counted only when the call is given up.
    let mut streamed = String::new();
    let work = async {
        let stream = provider.stream(request);
        llm::collect(&name, stream, limits, |event| match event {
            StreamEvent::Text(text) => {
                streamed.push_str(text);
                on_text(text, false);
            }
            StreamEvent::Thinking(text) => {
                streamed.push_str(text);
                on_text(text, true);
            }
            StreamEvent::Started { .. } | StreamEvent::ToolCallBegun { .. } | StreamEvent::Finished(_) => {}
        })
        .await
    };
    let ended: Result<Result<ModelAnswer, ProviderError>, &str> = tokio::select! {
        biased;
        () = cancel.cancelled() => Err("stopped"),
        () = tokio::time::sleep(deadline) => Err("deadline"),
        answer = work => Ok(answer),
    };
    let used = |output| Usage { input: sent.estimated_input(), output, ..Usage::default() };
    match ended {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => {
            // What never reached the model costs nothing; a cut answer was at least read and partly written.
            let usage =
                if error.streamed_tokens > 0 { used(error.streamed_tokens) } else { Usage::default() };
            Err(ModelFailure { problem: error.problem(), retry: error.retry(), usage, stopped: false })
        }
        Err("stopped") => Err(ModelFailure {
            problem: Problem::new(ErrorCode::Cancelled, "the model call was stopped"),
            retry: llm::Retry::Never,
            usage: used(context::estimate(&streamed)),
            stopped: true,
        }),
        Err(_) => Err(ModelFailure {
            problem: Problem::new(
                ErrorCode::Deadline,
                format!("the model call took longer than {} s", deadline.as_secs()),
            )
            .with_action("retry, or raise the stage's deadlineSeconds")
            .retryable(),
            retry: llm::Retry::After(None),
            usage: used(context::estimate(&streamed)),
            stopped: false,
        }),
    }
}

/// Calls a tool, bounded by the stage's deadline whatever the source does.
pub(crate) async fn tool(
    host: Arc<dyn ToolHost>,
    source: String,
    tool: String,
    args: Value,
    deadline: Duration,
    cancel: CancellationToken,
) -> Result<Value, ToolFailure> {
    let call = host.call(&source, &tool, args, deadline, cancel.clone());
    let failure = |problem, retryable| Err(ToolFailure { problem, retryable });
    tokio::select! {
        biased;
        () = cancel.cancelled() => failure(Problem::new(ErrorCode::Cancelled, "the tool call was stopped"), false),
        result = call => result,
        () = tokio::time::sleep(deadline + Duration::from_secs(1)) => failure(
            Problem::new(ErrorCode::Deadline, format!("{source}/{tool} did not answer within {} s", deadline.as_secs())),
            false,
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
