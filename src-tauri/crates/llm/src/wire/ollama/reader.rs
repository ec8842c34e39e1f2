//! Ollama's answers.

use domain::connection::ProviderKind;
use domain::{Usage, without_halves};
use serde::Deserialize;
use serde_json::{Value, json};

use super::errors;
use crate::wire::shared::{made_id, stop_reason};
use crate::wire::{Frame, Reader};
use crate::{Fault, ModelAnswer, Origin, Part, ProviderError, StopReason, StreamEvent, ToolCall};

/// How near to the context's end a prompt is one that was cut: templates cut at whole messages or leave a few tokens.
const NEAR: u64 = 8;

#[derive(Deserialize)]
struct Line {
    model: Option<String>,
    message: Option<StreamMessage>,
    #[serde(default)]
    done: bool,
    done_reason: Option<String>,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
    error: Option<Value>,
    status: Option<u16>,
}

#[derive(Deserialize)]
struct StreamMessage {
    content: Option<String>,
    #[serde(alias = "reasoning_content")]
    thinking: Option<String>,
    tool_calls: Option<Vec<Call>>,
}

#[derive(Deserialize)]
struct Call {
    id: Option<String>,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    arguments: Option<Value>,
}

/// Reads one answer.
pub(super) struct Answer {
    origin: Origin,
    num_ctx: u64,
    num_predict: u64,
    started: bool,
    model: Option<String>,
    text: String,
    thinking: String,
    parts: Vec<Part>,
    calls: usize,
}

impl Answer {
    pub(super) fn new(origin: Origin, num_ctx: u64, num_predict: u64) -> Self {
        Self {
            origin,
            num_ctx,
            num_predict,
            started: false,
            model: None,
            text: String::new(),
            thinking: String::new(),
            parts: Vec::new(),
            calls: 0,
        }
    }

    fn call(&mut self, call: Call, events: &mut Vec<StreamEvent>) {
        let name = call.function.name;
        let id = call.id.filter(|id| !id.is_empty()).unwrap_or_else(|| made_id(&self.origin, self.calls));
        self.calls += 1;
        let (arguments, raw) = arguments(call.function.arguments);
        events.push(StreamEvent::ToolCallBegun { id: id.clone(), name: name.clone() });
        self.parts.push(Part::ToolCall(ToolCall { id, name, arguments, raw, signature: None, cut: false }));
    }

    fn finish(&mut self, line: &Line) -> ModelAnswer {
        // A prompt that the server still had is not counted at all. It is told as it came: nothing was read anew, and
        // how much was kept is not known.
        let usage = Usage {
            input: line.prompt_eval_count.unwrap_or_default(),
            output: line.eval_count.unwrap_or_default(),
            ..Usage::default()
        };
        let full = self.num_ctx.saturating_sub(NEAR);
        let reason = line.done_reason.as_deref().unwrap_or("stop");
        let (stop, mut detail) = match reason {
            // Also after calls.
            "stop" if self.calls > 0 => (StopReason::ToolUse, None),
            "stop" => (StopReason::EndTurn, None),
            "length" if self.num_predict > 0 && usage.output >= self.num_predict => {
                (StopReason::MaxTokens, None)
            }
            "length" if usage.input.saturating_add(usage.output) >= full => (StopReason::ContextWindow, None),
            "length" => (StopReason::MaxTokens, None),
            "load" => (StopReason::Other, Some("the server only loaded the model".to_owned())),
            "unload" => (StopReason::Other, Some("the server only unloaded the model".to_owned())),
            _ if self.calls > 0 => (StopReason::ToolUse, Some(reason.to_owned())),
            other => (stop_reason(other).unwrap_or(StopReason::Other), Some(other.to_owned())),
        };
        if usage.input >= full {
            detail = Some(match detail {
                Some(detail) => format!("{detail}; the input was cut by the server"),
                None => "the input was cut by the server".to_owned(),
            });
        }
        let mut parts = std::mem::take(&mut self.parts);
        // Thinking goes back while tools are called, where a model goes on with it.
        if self.calls > 0 && !self.thinking.is_empty() {
            let raw = json!({ "thinking": self.thinking }).to_string();
            parts.insert(0, Part::Opaque { origin: self.origin.clone(), raw });
        }
        if matches!(parts[..], [] | [Part::Text { .. }]) {
            parts.clear();
        }
        ModelAnswer {
            text: std::mem::take(&mut self.text),
            usage,
            stop,
            model: self.model.take().unwrap_or_else(|| self.origin.model.clone()),
            response_id: None,
            redacted_thinking: 0,
            thinking: std::mem::take(&mut self.thinking),
            parts,
            request_id: None,
            reported_cost: None,
            stop_detail: detail,
            left_out: Vec::new(),
        }
    }
}

/// Arguments are an object; some servers write it as a text.
fn arguments(arguments: Option<Value>) -> (Value, Option<String>) {
    let empty = || Value::Object(serde_json::Map::new());
    match arguments {
        None | Some(Value::Null) => (empty(), None),
        Some(Value::Object(object)) => (Value::Object(object), None),
        Some(Value::String(text)) if text.trim().is_empty() => (empty(), None),
        Some(Value::String(text)) => match serde_json::from_str(&without_halves(&text)) {
            Ok(Value::Object(object)) => (Value::Object(object), None),
            Ok(_) | Err(_) => (Value::Null, Some(text)),
        },
        Some(other) => (Value::Null, Some(other.to_string())),
    }
}

impl Reader for Answer {
    fn frame(&mut self, frame: &Frame) -> Result<Vec<StreamEvent>, ProviderError> {
        if frame.data.trim().is_empty() {
            return Ok(Vec::new());
        }
        let mut line: Line = serde_json::from_str(&frame.data).map_err(|error| {
            let words = format!("what arrived can't be read: {error}");
            ProviderError::new(ProviderKind::Ollama.as_str(), Fault::Malformed, words)
        })?;
        if let Some(error) = &line.error {
            return Err(errors::to_provider_error(error, line.status.unwrap_or(500)));
        }
        let mut events = Vec::new();
        if !self.started {
            self.started = true;
            events.push(StreamEvent::Started { response_id: None });
        }
        self.model = self.model.take().or(line.model.take());
        if let Some(said) = line.message.take() {
            if let Some(thinking) = said.thinking.filter(|thinking| !thinking.is_empty()) {
                self.thinking.push_str(&thinking);
                events.push(StreamEvent::Thinking(thinking));
            }
            if let Some(text) = said.content.filter(|text| !text.is_empty()) {
                self.text.push_str(&text);
                match self.parts.last_mut() {
                    Some(Part::Text { text: before }) => before.push_str(&text),
                    _ => self.parts.push(Part::Text { text: text.clone() }),
                }
                events.push(StreamEvent::Text(text));
            }
            for call in said.tool_calls.unwrap_or_default() {
                self.call(call, &mut events);
            }
        }
        if line.done {
            events.push(StreamEvent::Finished(self.finish(&line)));
        }
        Ok(events)
    }

    fn end(&mut self) -> Result<Vec<StreamEvent>, ProviderError> {
        let words = "the stream ended before the answer was complete";
        Err(ProviderError::new(ProviderKind::Ollama.as_str(), Fault::StreamCut, words))
    }
}
