//! Reads what Responses streams.

use std::collections::BTreeMap;

use domain::Usage;
use domain::connection::ProviderKind;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::{answer, errors, schema};
use crate::wire::shared::{cut_call, foreign, made_id, origin, stop_reason};
use crate::wire::{Frame, Reader, Target};
use crate::{Detail, Fault, ModelAnswer, ModelRequest, Origin, Part, ProviderError, StopReason, StreamEvent};

const PROVIDER: &str = ProviderKind::Openai.as_str();
/// What stands between two messages of one answer, and between two parts of its thinking.
const GAP: &str = "\n\n";

/// One output item. Keyed by its place: some proxies give it another id in every event.
#[derive(Debug, Default)]
struct Item {
    kind: String,
    /// As it came, once it is done.
    raw: Option<String>,
    /// Text of a message, or arguments of a call.
    text: String,
    refusal: String,
    thinking: String,
    call: String,
    name: String,
    begun: bool,
    /// Whether a message says in which phase of the answer it stands, which has to go back with it.
    phased: bool,
    /// Whether a reasoning item holds what only the provider reads.
    encrypted: bool,
    done: bool,
}

/// An answer's stream.
pub(in crate::wire::openai) struct Stream {
    origin: Origin,
    schema: Option<Value>,
    request_tokens: u64,
    model: String,
    started: bool,
    /// Whether anything arrived, and whether it was this protocol's.
    seen: bool,
    known: bool,
    response_id: Option<String>,
    items: BTreeMap<u64, Item>,
    /// Which message's text came last: messages are paragraphs.
    spoke: Option<u64>,
    /// All visible thinking, in the order in which it came.
    thinking: String,
    /// Which part of which item's thinking came last: parts are paragraphs.
    thought: Option<(u64, u64)>,
}

/// The raw item of an event.
#[derive(Deserialize)]
struct WithItem<'a> {
    #[serde(borrow)]
    item: &'a RawValue,
}

/// The raw items of the whole response.
#[derive(Deserialize)]
struct WithResponse<'a> {
    #[serde(borrow)]
    response: WithOutput<'a>,
}

#[derive(Deserialize)]
struct WithOutput<'a> {
    #[serde(borrow, default)]
    output: Vec<&'a RawValue>,
}

impl Stream {
    pub(in crate::wire::openai) fn new(request: &ModelRequest, target: Target<'_>) -> Self {
        Self {
            origin: origin(ProviderKind::Openai, request, target),
            schema: request.schema.clone(),
            request_tokens: request.estimated_input(),
            model: request.model.clone(),
            started: false,
            seen: false,
            known: false,
            response_id: None,
            items: BTreeMap::new(),
            spoke: None,
            thinking: String::new(),
            thought: None,
        }
    }

    fn start(&mut self, response: &Value, events: &mut Vec<StreamEvent>) {
        if let Some(model) = response["model"].as_str().filter(|model| !model.is_empty()) {
            model.clone_into(&mut self.model);
        }
        if let Some(id) = response["id"].as_str().filter(|id| !id.is_empty()) {
            self.response_id.get_or_insert_with(|| id.to_owned());
        }
        if !std::mem::replace(&mut self.started, true) {
            events.push(StreamEvent::Started { response_id: self.response_id.clone() });
        }
    }

    fn say(&mut self, at: u64, text: &str, events: &mut Vec<StreamEvent>) {
        if !text.is_empty() {
            let gap = self.spoke.replace(at).is_some_and(|before| before != at);
            events.push(StreamEvent::Text(if gap { format!("{GAP}{text}") } else { text.to_owned() }));
        }
    }

    fn think(&mut self, at: u64, part: u64, text: &str, events: &mut Vec<StreamEvent>) {
        if text.is_empty() {
            return;
        }
        let before = self.thought.replace((at, part));
        let gap = before.is_some_and(|before| before != (at, part));
        let piece = if gap { format!("{GAP}{text}") } else { text.to_owned() };
        self.thinking.push_str(&piece);
        self.items.entry(at).or_default().thinking.push_str(text);
        events.push(StreamEvent::Thinking(piece));
    }

    /// Takes an item as it stands; `done` when nothing of it comes any more.
    fn item(&mut self, at: u64, value: &Value, raw: Option<&str>, events: &mut Vec<StreamEvent>) {
        let done = raw.is_some();
        let item = self.items.entry(at).or_default();
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        item.kind = text("type");
        item.done |= done;
        if let Some(raw) = raw {
            item.raw = Some(raw.to_owned());
        }
        match item.kind.as_str() {
            "function_call" => {
                item.name = text("name");
                let id = text("call_id");
                if !id.is_empty() {
                    item.call = id;
                } else if item.call.is_empty() {
                    item.call = made_id(&self.origin, usize::try_from(at).unwrap_or_default());
                }
                let arguments = text("arguments");
                if item.text.is_empty() || (done && !arguments.is_empty()) {
                    item.text = arguments;
                }
                if !item.name.is_empty() && !std::mem::replace(&mut item.begun, true) {
                    events
                        .push(StreamEvent::ToolCallBegun { id: item.call.clone(), name: item.name.clone() });
                }
            }
            "message" => {
                item.phased = value["phase"].is_string();
                let mut whole = String::new();
                let mut refusal = String::new();
                for part in value["content"].as_array().into_iter().flatten() {
                    whole.push_str(part["text"].as_str().unwrap_or_default());
                    refusal.push_str(part["refusal"].as_str().unwrap_or_default());
                }
                if done {
                    let rest = whole.strip_prefix(item.text.as_str()).unwrap_or_default().to_owned();
                    if !whole.is_empty() {
                        item.text = whole;
                    }
                    if !refusal.is_empty() {
                        item.refusal = refusal;
                    }
                    self.say(at, &rest, events);
                }
            }
            "reasoning" => {
                item.encrypted = value["encrypted_content"].as_str().is_some_and(|text| !text.is_empty());
                if done && item.thinking.is_empty() {
                    for list in ["summary", "content"] {
                        for (part, text) in value[list].as_array().into_iter().flatten().enumerate() {
                            self.think(at, part as u64, text["text"].as_str().unwrap_or_default(), events);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// Items that came in no event of their own but stand in the finished response.
    fn missing(&mut self, data: &str, events: &mut Vec<StreamEvent>) -> Result<(), ProviderError> {
        if self.items.values().any(|item| item.done) {
            return Ok(());
        }
        let Ok(all) = serde_json::from_str::<WithResponse<'_>>(data) else { return Ok(()) };
        for (at, raw) in (0..).zip(all.response.output) {
            let value = parsed(raw.get())?;
            self.item(at, &value, Some(raw.get()), events);
        }
        Ok(())
    }

    fn finish(&mut self, response: &Value) -> ModelAnswer {
        let reason = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
        let cut = response["status"] == "incomplete" || reason.is_some();
        let mut parts = Vec::new();
        let mut details = Vec::new();
        let (mut text, mut refusal) = (String::new(), String::new());
        let mut redacted = 0;
        let mut calls = 0;
        for item in std::mem::take(&mut self.items).into_values() {
            let opaque = |raw: &Option<String>| {
                raw.as_ref().map(|raw| Part::Opaque { origin: self.origin.clone(), raw: raw.clone() })
            };
            match item.kind.as_str() {
                "function_call" => {
                    // The arguments of a call that was cut may end anywhere; it is never made.
                    if cut && !answer::whole(&item.text) {
                        parts.push(Part::ToolCall(cut_call(item.call, item.name, item.text)));
                        continue;
                    }
                    calls += 1;
                    parts.push(Part::ToolCall(answer::call(item.call, item.name, &item.text)));
                }
                "reasoning" => {
                    // Without what is encrypted the provider knows nothing of it: it keeps none.
                    if item.encrypted {
                        redacted += u32::from(item.thinking.is_empty());
                        parts.extend(opaque(&item.raw));
                    }
                }
                "message" | "" => {
                    refusal.push_str(&item.refusal);
                    if item.text.is_empty() {
                        continue;
                    }
                    if item.phased {
                        parts.extend(opaque(&item.raw));
                    }
                    let undone =
                        self.schema.as_ref().and_then(|schema| schema::undo_nulls_in(schema, &item.text));
                    let gap = if text.is_empty() { "" } else { GAP };
                    let piece = format!("{gap}{}", undone.unwrap_or(item.text));
                    text.push_str(&piece);
                    parts.push(Part::Text { text: piece });
                }
                // Tools of the provider and what compacts a conversation: nobody here asks for them, but they go back.
                _ => parts.extend(opaque(&item.raw)),
            }
        }
        if matches!(parts.as_slice(), [] | [Part::Text { .. }]) {
            parts.clear();
        }
        let stop = match reason.map(stop_reason) {
            Some(Some(stop @ (StopReason::MaxTokens | StopReason::ContextWindow | StopReason::Refusal))) => {
                stop
            }
            Some(_) => StopReason::Other,
            None if cut => StopReason::Other,
            None if calls > 0 => StopReason::ToolUse,
            None if !refusal.is_empty() => StopReason::Refusal,
            None => StopReason::EndTurn,
        };
        match reason {
            Some(reason) if stop != StopReason::MaxTokens => details.insert(0, reason.to_owned()),
            _ if !refusal.is_empty() => details.insert(0, refusal),
            _ => {}
        }
        let usage = answer::usage(&response["usage"]).unwrap_or_else(|| {
            details.push(answer::ESTIMATED.to_owned());
            answer::estimated(self.request_tokens, &written(&text, &parts), &self.thinking)
        });
        self.answer(text, parts, stop, usage, redacted, details, answer::cost(&response["usage"]))
    }

    #[allow(clippy::too_many_arguments)]
    fn answer(
        &mut self,
        text: String,
        parts: Vec<Part>,
        stop: StopReason,
        usage: Usage,
        redacted_thinking: u32,
        details: Vec<String>,
        reported_cost: Option<domain::NanoUsd>,
    ) -> ModelAnswer {
        ModelAnswer {
            response_id: self.response_id.take(),
            redacted_thinking,
            thinking: std::mem::take(&mut self.thinking),
            parts,
            reported_cost,
            stop_detail: answer::joined(details),
            ..ModelAnswer::of_text(text, self.model.clone(), usage, stop)
        }
    }
}

/// Text and calls as the model wrote them.
fn written(text: &str, parts: &[Part]) -> String {
    let mut all = text.to_owned();
    for part in parts {
        if let Part::ToolCall(call) = part {
            all.push_str(&call.name);
            all.push_str(&call.arguments.to_string());
        }
    }
    all
}

fn parsed(data: &str) -> Result<Value, ProviderError> {
    serde_json::from_str(data).map_err(|error| {
        ProviderError::new(PROVIDER, Fault::Malformed, format!("an event of the answer is no JSON: {error}"))
    })
}

impl Reader for Stream {
    fn frame(&mut self, frame: &Frame) -> Result<Vec<StreamEvent>, ProviderError> {
        let data = frame.data.trim();
        if data.is_empty() || data == "[DONE]" {
            return Ok(Vec::new());
        }
        let event = parsed(data)?;
        let mut events = Vec::new();
        let kind = event["type"].as_str().or(frame.event.as_deref()).unwrap_or_default();
        let at = event["output_index"].as_u64().unwrap_or_default();
        let delta = event["delta"].as_str().unwrap_or_default();
        let number = |name: &str| event[name].as_u64().unwrap_or_default();
        if kind == "error" || (kind.is_empty() && event.get("error").is_some_and(|error| !error.is_null())) {
            return Err(errors::in_stream(PROVIDER, &event));
        }
        self.seen |= event.as_object().is_some_and(|event| !event.is_empty());
        if kind.starts_with("response.") {
            self.known = true;
            self.start(&event["response"], &mut events);
        }
        match kind {
            "response.output_item.added" => self.item(at, &event["item"], None, &mut events),
            "response.output_item.done" => {
                let raw = serde_json::from_str::<WithItem<'_>>(data).map(|with| with.item.get());
                self.item(at, &event["item"], Some(raw.unwrap_or("null")), &mut events);
            }
            "response.output_text.delta" => {
                self.items.entry(at).or_default().text.push_str(delta);
                self.say(at, delta, &mut events);
            }
            "response.refusal.delta" => self.items.entry(at).or_default().refusal.push_str(delta),
            "response.function_call_arguments.delta" => {
                self.items.entry(at).or_default().text.push_str(delta);
            }
            "response.function_call_arguments.done" => {
                if let Some(whole) = event["arguments"].as_str() {
                    self.items.entry(at).or_default().text = whole.to_owned();
                }
            }
            "response.reasoning_summary_text.delta" => {
                self.think(at, number("summary_index"), delta, &mut events)
            }
            "response.reasoning_text.delta" => self.think(at, number("content_index"), delta, &mut events),
            "response.completed" | "response.incomplete" => {
                self.missing(data, &mut events)?;
                let answer = self.finish(&event["response"]);
                events.push(StreamEvent::Finished(answer));
            }
            "response.failed" | "response.cancelled" => {
                let error = &event["response"]["error"];
                if error.is_null() {
                    let message = format!("the provider ended the answer: {kind}");
                    return Err(
                        ProviderError::new(PROVIDER, Fault::StreamCut, message).with_detail(Detail::NotKept)
                    );
                }
                return Err(errors::in_stream(PROVIDER, error));
            }
            _ => {}
        }
        Ok(events)
    }

    fn end(&mut self) -> Result<Vec<StreamEvent>, ProviderError> {
        if self.seen && !self.known {
            return Err(foreign(PROVIDER));
        }
        Err(ProviderError::new(PROVIDER, Fault::StreamCut, "the stream ended before the answer was complete"))
    }
}
