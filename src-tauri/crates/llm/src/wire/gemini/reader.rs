//! Gemini's answers.

use domain::Usage;
use domain::connection::ProviderKind;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::errors;
use super::partial::{Arguments, Piece};
use crate::wire::shared::{cut_call, foreign, made_id, stop_reason};
use crate::wire::{Frame, Reader};
use crate::{Fault, ModelAnswer, Origin, Part, ProviderError, StopReason, StreamEvent, ToolCall};

/// How often one answer is continued: far beyond the longest one that any model gives.
const MAX_ROUNDS: u32 = 64;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk<'a> {
    #[serde(borrow)]
    candidates: Option<Vec<Candidate<'a>>>,
    prompt_feedback: Option<Feedback>,
    usage_metadata: Option<Counts>,
    model_version: Option<String>,
    response_id: Option<String>,
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    #[serde(borrow)]
    content: Option<Content<'a>>,
    finish_reason: Option<String>,
    finish_message: Option<String>,
    index: Option<u64>,
    continuation_token: Option<String>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    parts: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
    block_reason_message: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AnyPart {
    text: Option<String>,
    thought: Option<bool>,
    thought_signature: Option<String>,
    function_call: Option<Function>,
    inline_data: Option<Inline>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Inline {
    mime_type: String,
    data: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Function {
    id: Option<String>,
    name: Option<String>,
    args: Option<Value>,
    partial_args: Option<Vec<Piece>>,
    will_continue: Option<bool>,
}

/// The provider's figures, cumulative: each is the last that came.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Counts {
    prompt_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
    tool_use_prompt_token_count: Option<u64>,
}

impl Counts {
    fn update(&mut self, later: Self) {
        self.prompt_token_count = later.prompt_token_count.or(self.prompt_token_count);
        self.cached_content_token_count =
            later.cached_content_token_count.or(self.cached_content_token_count);
        self.candidates_token_count = later.candidates_token_count.or(self.candidates_token_count);
        self.thoughts_token_count = later.thoughts_token_count.or(self.thoughts_token_count);
        self.tool_use_prompt_token_count =
            later.tool_use_prompt_token_count.or(self.tool_use_prompt_token_count);
    }

    /// The prompt's figure includes what was cached; the output's leaves thinking out.
    fn usage(&self) -> Usage {
        let cached = self.cached_content_token_count.unwrap_or_default();
        let prompt = self.prompt_token_count.unwrap_or_default();
        let tools = self.tool_use_prompt_token_count.unwrap_or_default();
        let thinking = self.thoughts_token_count.unwrap_or_default();
        Usage {
            input: prompt.saturating_add(tools).saturating_sub(cached),
            output: self.candidates_token_count.unwrap_or_default().saturating_add(thinking),
            thinking,
            cache_read: cached,
            ..Usage::default()
        }
    }
}

/// A call whose arguments are still arriving.
struct Open {
    id: String,
    name: String,
    signature: Option<String>,
    arguments: Arguments,
}

/// How the provider says that it has ended.
struct Ending {
    reason: String,
    message: Option<String>,
    continuation: Option<String>,
}

/// Reads one answer.
pub(super) struct Answer {
    origin: Origin,
    started: bool,
    /// Whether anything arrived, and whether it was this protocol's.
    seen: bool,
    known: bool,
    response_id: Option<String>,
    model: Option<String>,
    text: String,
    thinking: String,
    parts: Vec<Part>,
    calls: usize,
    open: Option<Open>,
    counts: Counts,
    /// What the calls before this one cost, where the answer was continued.
    before: Usage,
    rounds: u32,
    ending: Option<Ending>,
    blocked: Option<String>,
    token: Option<String>,
}

impl Answer {
    pub(super) fn new(origin: Origin) -> Self {
        Self {
            origin,
            started: false,
            seen: false,
            known: false,
            response_id: None,
            model: None,
            text: String::new(),
            thinking: String::new(),
            parts: Vec::new(),
            calls: 0,
            open: None,
            counts: Counts::default(),
            before: Usage::default(),
            rounds: 0,
            ending: None,
            blocked: None,
            token: None,
        }
    }

    fn usage(&self) -> Usage {
        let mut usage = self.before;
        usage += self.counts.usage();
        usage
    }

    fn failed(&self, fault: Fault, message: impl Into<String>) -> ProviderError {
        self.paid(ProviderError::new(ProviderKind::Gemini.as_str(), fault, message))
    }

    /// The failure with what the provider counted before it.
    fn paid(&self, mut error: ProviderError) -> ProviderError {
        let usage = self.usage();
        error.streamed_tokens = error.streamed_tokens.max(usage.output);
        if usage != Usage::default() {
            error.usage = Some(Box::new(usage));
        }
        error
    }

    fn part(&mut self, raw: &RawValue, events: &mut Vec<StreamEvent>) -> Result<(), ProviderError> {
        let part: AnyPart = serde_json::from_str(raw.get())
            .map_err(|error| self.failed(Fault::Malformed, format!("a part can't be read: {error}")))?;
        if let Some(function) = part.function_call {
            return self.function(function, part.thought_signature, events);
        }
        let thought = part.thought == Some(true);
        // A picture among the thoughts is a draft.
        let picture = part.inline_data.filter(|inline| inline.mime_type.starts_with("image/"));
        let is_picture = picture.is_some();
        if let Some(Inline { mime_type, data }) = picture.filter(|_| !thought) {
            self.parts.push(Part::Image { media_type: mime_type, data });
        }
        let is_text = part.text.is_some();
        let text = part.text.unwrap_or_default();
        if thought && !text.is_empty() {
            self.thinking.push_str(&text);
            events.push(StreamEvent::Thinking(text));
        } else if !text.is_empty() {
            self.text.push_str(&text);
            match self.parts.last_mut() {
                Some(Part::Text { text: before }) => before.push_str(&text),
                _ => self.parts.push(Part::Text { text: text.clone() }),
            }
            events.push(StreamEvent::Text(text));
        }
        // Signed text stands twice: as text for whoever reads the answer, and as it came for this provider.
        if part.thought_signature.is_some() || (!is_text && !thought && !is_picture) {
            self.parts.push(Part::Opaque { origin: self.origin.clone(), raw: raw.get().to_owned() });
        }
        Ok(())
    }

    fn function(
        &mut self,
        function: Function,
        signature: Option<String>,
        events: &mut Vec<StreamEvent>,
    ) -> Result<(), ProviderError> {
        let goes_on = function.will_continue == Some(true);
        if let Some(name) = function.name.filter(|name| !name.is_empty()) {
            self.close()?;
            let id =
                function.id.filter(|id| !id.is_empty()).unwrap_or_else(|| made_id(&self.origin, self.calls));
            self.calls += 1;
            events.push(StreamEvent::ToolCallBegun { id: id.clone(), name: name.clone() });
            self.open = Some(Open { id, name, signature, arguments: Arguments::default() });
        } else if let Some(open) = &mut self.open {
            open.signature = open.signature.take().or(signature);
        } else if function.args.is_some() || function.partial_args.is_some() || goes_on {
            return Err(self.failed(Fault::Malformed, "a call of a tool has no name"));
        }
        for piece in function.partial_args.unwrap_or_default() {
            if let Some(open) = &mut self.open
                && open.arguments.add(piece).is_err()
            {
                return Err(self.failed(Fault::Malformed, "an argument of a call stands where none can"));
            }
        }
        if let Some(arguments) = function.args {
            if let Some(open) = self.open.take() {
                self.finished_call(open.id, open.name, open.signature, arguments);
            }
        } else if !goes_on {
            self.close()?;
        }
        Ok(())
    }

    /// Ends the call that was still arriving.
    fn close(&mut self) -> Result<(), ProviderError> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        if open.arguments.is_open() {
            return Err(
                self.failed(Fault::Malformed, format!("the call of {} ends within an argument", open.name))
            );
        }
        self.finished_call(open.id, open.name, open.signature, open.arguments.into_value());
        Ok(())
    }

    fn finished_call(&mut self, id: String, name: String, signature: Option<String>, arguments: Value) {
        let (arguments, raw) = match arguments {
            Value::Null => (Value::Object(serde_json::Map::new()), None),
            Value::Object(_) => (arguments, None),
            other => (Value::Null, Some(other.to_string())),
        };
        self.parts.push(Part::ToolCall(ToolCall { id, name, arguments, raw, signature, cut: false }));
    }

    fn finish(&mut self, stop: StopReason, detail: Option<String>) -> Vec<StreamEvent> {
        let usage = self.usage();
        let mut parts = std::mem::take(&mut self.parts);
        if matches!(parts[..], [] | [Part::Text { .. }]) {
            parts.clear();
        }
        vec![StreamEvent::Finished(ModelAnswer {
            text: std::mem::take(&mut self.text),
            usage,
            stop,
            model: self.model.take().unwrap_or_else(|| self.origin.model.clone()),
            response_id: self.response_id.take(),
            redacted_thinking: 0,
            thinking: std::mem::take(&mut self.thinking),
            parts,
            request_id: None,
            reported_cost: None,
            stop_detail: detail,
            left_out: Vec::new(),
        })]
    }

    /// The answer, or the failure that the provider's reason to end means.
    fn ended(&mut self, ending: Ending) -> Result<Vec<StreamEvent>, ProviderError> {
        let Ending { reason, message, continuation } = ending;
        let detail = match message.filter(|message| !message.is_empty()) {
            Some(message) => format!("{reason}: {message}"),
            None => reason.clone(),
        };
        match reason.as_str() {
            "CONTINUATION" if continuation.is_some() && self.rounds < MAX_ROUNDS => {}
            "STOP" => self.close()?,
            // Whatever else ended the answer also ended the call that was being written.
            _ => {
                if let Some(Open { id, name, arguments, .. }) = self.open.take() {
                    let written = arguments.into_value().to_string();
                    self.parts.push(Part::ToolCall(cut_call(id, name, written)));
                }
            }
        }
        let has_calls = self.parts.iter().any(|part| matches!(part, Part::ToolCall(_)));
        match reason.as_str() {
            "STOP" if has_calls => Ok(self.finish(StopReason::ToolUse, None)),
            "STOP" => Ok(self.finish(StopReason::EndTurn, None)),
            "MAX_TOKENS" => Ok(self.finish(StopReason::MaxTokens, None)),
            "CONTINUATION" => {
                match continuation.filter(|_| self.rounds < MAX_ROUNDS) {
                    Some(token) => {
                        self.rounds += 1;
                        self.before = self.usage();
                        self.counts = Counts::default();
                        self.token = Some(token);
                        Ok(Vec::new())
                    }
                    None => Ok(self
                        .finish(StopReason::MaxTokens, Some("the answer could not be continued".to_owned()))),
                }
            }
            // Nothing of what the model wrote can be used; it may do better when it is asked again.
            "MALFORMED_FUNCTION_CALL" | "MALFORMED_RESPONSE" | "UNEXPECTED_TOOL_CALL" => {
                Err(self.failed(Fault::Malformed, format!("the model wrote what can't be read ({detail})")))
            }
            "MISSING_THOUGHT_SIGNATURE" => Err(self.failed(Fault::BadRequest, detail)),
            other => match stop_reason(other) {
                Some(stop @ (StopReason::Refusal | StopReason::MaxTokens | StopReason::ContextWindow)) => {
                    Ok(self.finish(stop, Some(detail)))
                }
                _ if has_calls => Ok(self.finish(StopReason::ToolUse, Some(detail))),
                _ => Ok(self.finish(StopReason::Other, Some(detail))),
            },
        }
    }
}

impl Reader for Answer {
    fn frame(&mut self, frame: &Frame) -> Result<Vec<StreamEvent>, ProviderError> {
        // Some gateways end the stream as OpenAI does.
        if matches!(frame.data.trim(), "" | "[DONE]") {
            return Ok(Vec::new());
        }
        let chunk: Chunk<'_> = serde_json::from_str(&frame.data)
            .map_err(|error| self.failed(Fault::Malformed, format!("what arrived can't be read: {error}")))?;
        if let Some(error) = &chunk.error {
            return Err(self.paid(errors::to_provider_error(error, None)));
        }
        self.seen |= frame.data.trim() != "{}";
        self.known |=
            chunk.candidates.is_some() || chunk.prompt_feedback.is_some() || chunk.usage_metadata.is_some();
        // A continued answer's frames are here: the token that it went on with is spent.
        self.token = None;
        self.response_id = self.response_id.take().or(chunk.response_id);
        self.model = self.model.take().or(chunk.model_version);
        let mut events = Vec::new();
        if !self.started {
            self.started = true;
            events.push(StreamEvent::Started { response_id: self.response_id.clone() });
        }
        if let Some(counts) = chunk.usage_metadata {
            self.counts.update(counts);
        }
        if let Some(feedback) = chunk.prompt_feedback
            && let Some(reason) = feedback.block_reason
        {
            let message =
                feedback.block_reason_message.map(|message| format!(" ({message})")).unwrap_or_default();
            self.blocked = Some(format!("the prompt was blocked: {reason}{message}"));
        }
        for candidate in chunk.candidates.unwrap_or_default() {
            if candidate.index.unwrap_or_default() != 0 {
                continue;
            }
            for part in candidate.content.and_then(|content| content.parts).unwrap_or_default() {
                self.part(part, &mut events)?;
            }
            if let Some(reason) = candidate.finish_reason {
                self.ending = Some(Ending {
                    reason,
                    message: candidate.finish_message,
                    continuation: candidate.continuation_token.filter(|token| !token.is_empty()),
                });
            }
        }
        Ok(events)
    }

    fn end(&mut self) -> Result<Vec<StreamEvent>, ProviderError> {
        match (self.ending.take(), self.blocked.take()) {
            (Some(ending), _) => self.ended(ending),
            (None, Some(blocked)) => Ok(self.finish(StopReason::Refusal, Some(blocked))),
            (None, None) if self.seen && !self.known => Err(foreign(ProviderKind::Gemini.as_str())),
            (None, None) => {
                Err(self.failed(Fault::StreamCut, "the stream ended before the answer was complete"))
            }
        }
    }

    fn is_complete(&self) -> bool {
        self.ending.is_some()
    }

    fn continuation(&self) -> Option<String> {
        self.token.clone()
    }
}
