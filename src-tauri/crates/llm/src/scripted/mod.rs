//! A provider that does what a test or a bench tells it to.

mod answer;
mod script;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::Usage;
use futures_util::StreamExt as _;
use futures_util::stream;
use parking_lot::Mutex;

pub use answer::{Answer, Ending, incompressible};
use script::Script;
pub use script::ScriptError;

use crate::provider::AnswerStream;
use crate::{
    Fault, Lane, ModelAnswer, ModelInfo, ModelRequest, Part, Provider, ProviderError, StreamEvent, ToolCall,
};

/// Answers from a script and remembers what it was asked.
#[derive(Clone)]
pub struct ScriptedProvider {
    model: ModelInfo,
    judge: Option<ModelInfo>,
    lane: Option<Arc<Lane>>,
    script: Arc<Mutex<Script>>,
    asked: Arc<Mutex<Vec<ModelRequest>>>,
    open: Arc<AtomicUsize>,
}

impl std::fmt::Debug for ScriptedProvider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScriptedProvider").field("model", &self.model.id).finish_non_exhaustive()
    }
}

impl ScriptedProvider {
    /// Answers in this order; a call too many fails as a bad request.
    pub fn queue(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self::with(Script::queue(answers))
    }

    /// Answers with what a function makes of each request.
    pub fn answering(function: impl FnMut(&ModelRequest) -> Answer + Send + 'static) -> Self {
        Self::with(Script::Function(Box::new(function)))
    }

    /// Reads a script from JSON:
    ///
    /// ```json
    /// { "model": "scripted", "contextWindow": 200000, "maxOutput": 64000, "price": {"input": 2, "output": 10},
    ///   "answers": [
    ///     { "match": "plan", "text": "{}", "chunks": 3, "delayMs": 5, "usage": {"input": 10, "output": 2} },
    ///     { "match": ["write", "repair"], "times": 1, "error": "rate_limit", "retryAfterMs": 10, "after": 2 },
    ///     { "json": {"any": "value"} },
    ///     { "text": "{\"text\": \"%BYTES%\"}", "repeatBytes": 50000, "seed": 7 },
    ///     { "text": "I look.", "calls": [{"name": "read", "arguments": {"path": "a.txt"}}] },
    ///     { "text": "half", "stop": "max_tokens" }, { "text": "half", "cutAfter": 1 }, { "hang": true } ],
    ///   "default": { "json": {} } }
    /// ```
    ///
    /// The first entry that applies answers: every text in `match` occurs in the system prompt or a message, and it has
    /// answered fewer than `times` times (default: any number with `match`, once without). `%BYTES%` becomes that many
    /// bytes of incompressible text made from the seed.
    pub fn from_json(value: &serde_json::Value) -> Result<Self, ScriptError> {
        let (model, script) = Script::from_json(value)?;
        Ok(Self { model, ..Self::with(script) })
    }

    fn with(script: Script) -> Self {
        Self {
            model: ModelInfo::free("scripted", "scripted", 200_000, 64_000),
            script: Arc::new(Mutex::new(script)),
            judge: None,
            lane: None,
            asked: Arc::default(),
            open: Arc::default(),
        }
    }

    /// The same provider with other facts about its model: window, caps, prices.
    pub fn with_model(mut self, model: ModelInfo) -> Self {
        self.model = model;
        self
    }

    /// With another model as its judge.
    pub fn with_judge(mut self, judge: ModelInfo) -> Self {
        self.judge = Some(judge);
        self
    }

    /// With a lane that its calls enter.
    pub fn in_lane(mut self, lane: Arc<Lane>) -> Self {
        self.lane = Some(lane);
        self
    }

    /// The requests it got, in order.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.asked.lock().clone()
    }

    /// Streams that were started and have neither ended nor been dropped.
    pub fn open_streams(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }
}

impl Provider for ScriptedProvider {
    fn name(&self) -> &str {
        "scripted"
    }

    fn model(&self, name: &str) -> ModelInfo {
        ModelInfo { id: name.to_owned(), ..self.model.clone() }
    }

    fn judge_model(&self, _model: &str) -> Option<ModelInfo> {
        self.judge.clone()
    }

    fn lane(&self) -> Option<Arc<Lane>> {
        self.lane.clone()
    }

    fn stream(&self, request: ModelRequest) -> AnswerStream {
        let this = self.clone();
        let started = stream::once(async move {
            this.asked.lock().push(request.clone());
            let answer = this.script.lock().answer(&request);
            play(answer, request, OpenStream::new(&this.open))
        });
        started.flatten().boxed()
    }
}

/// Counts a stream as open until it is dropped.
struct OpenStream(Arc<AtomicUsize>);

impl OpenStream {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count.clone())
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The events of one answer, with their delays.
fn play(answer: Answer, request: ModelRequest, open: OpenStream) -> AnswerStream {
    let text = answer.full_text();
    let pieces = answer.pieces(&text);
    let usage = answer.usage.unwrap_or_else(|| Usage {
        input: request.estimated_input(),
        output: context::estimate(&text),
        ..Usage::default()
    });
    let mut events: Vec<Result<StreamEvent, ProviderError>> = Vec::with_capacity(pieces.len() + 3);
    events.push(Ok(StreamEvent::Started { response_id: answer.response_id.clone() }));
    if let Some(thinking) = &answer.thinking {
        events.push(Ok(StreamEvent::Thinking(thinking.clone())));
    }
    let shown = answer.ending.pieces_shown().unwrap_or(usize::MAX);
    events.extend(pieces.into_iter().take(shown).map(|piece| Ok(StreamEvent::Text(piece))));
    let mut hang = false;
    match answer.ending {
        Ending::Finish => events.push(Ok(StreamEvent::Finished(ModelAnswer {
            response_id: answer.response_id,
            thinking: answer.thinking.unwrap_or_default(),
            parts: parts(&text, answer.pictures, answer.calls),
            ..ModelAnswer::of_text(text, request.model, usage, answer.stop)
        }))),
        Ending::Cut { .. } => {}
        Ending::Fail { error, after } => {
            if after == 0 {
                events.clear();
            }
            events.push(Err(error));
        }
        Ending::Hang { .. } => hang = true,
    }
    let delay = answer.delay;
    let paced = stream::iter(events).then(move |event| async move {
        if delay > Duration::ZERO {
            tokio::time::sleep(delay).await;
        }
        event
    });
    let end = stream::once(async move {
        if hang {
            std::future::pending::<()>().await;
        }
    })
    .filter_map(|()| async { None });
    // The guard lives as long as the stream does.
    paced
        .chain(end)
        .map(move |event| {
            let _ = &open;
            event
        })
        .boxed()
}

/// The whole answer in order; empty where it is only text.
fn parts(text: &str, pictures: Vec<(String, String)>, calls: Vec<ToolCall>) -> Vec<Part> {
    let only_text = calls.is_empty() && pictures.is_empty();
    let said = (!only_text && !text.is_empty()).then(|| Part::Text { text: text.to_owned() });
    let pictures = pictures.into_iter().map(|(media_type, data)| Part::Image { media_type, data });
    said.into_iter().chain(pictures).chain(calls.into_iter().map(Part::ToolCall)).collect()
}

pub(crate) fn exhausted() -> ProviderError {
    ProviderError::new("scripted", Fault::BadRequest, "the script has no answer for this call")
}
