//! Reads what Chat Completions streams, with the liberties that hosts take.

use std::collections::BTreeMap;

use domain::connection::ProviderKind;
use domain::{NanoUsd, Usage};
use serde_json::{Map, Value};

use super::super::{answer, errors, schema};
use super::hosts::{Host, Kind};
use crate::wire::shared::{cut_call, foreign, made_id, origin, stop_reason};
use crate::wire::{Frame, Reader, Target};
use crate::{Fault, ModelAnswer, ModelRequest, Origin, Part, ProviderError, StopReason, StreamEvent};

const PROVIDER: &str = ProviderKind::OpenaiChat.as_str();

/// One call as it is being written.
#[derive(Debug, Default)]
struct Writing {
    id: String,
    name: String,
    arguments: String,
    begun: bool,
}

/// An answer's stream.
pub(in crate::wire::openai) struct Stream {
    host: Kind,
    origin: Origin,
    schema: Option<Value>,
    request_tokens: u64,
    model: String,
    started: bool,
    /// Whether anything arrived, and whether it was this protocol's.
    seen: bool,
    known: bool,
    /// Whether anything of an answer came, be it empty.
    chosen: bool,
    response_id: Option<String>,
    text: String,
    refusal: String,
    thinking: String,
    /// What OpenRouter wants back, piece by piece joined.
    details: Vec<Map<String, Value>>,
    pictures: Vec<Part>,
    calls: BTreeMap<u64, Writing>,
    finish: Option<String>,
    usage: Option<Usage>,
    cost: Option<NanoUsd>,
}

impl Stream {
    pub(in crate::wire::openai) fn new(request: &ModelRequest, target: Target<'_>) -> Self {
        Self {
            host: Host::of(target.base).kind,
            origin: origin(ProviderKind::OpenaiChat, request, target),
            schema: request.schema.clone(),
            request_tokens: request.estimated_input(),
            model: request.model.clone(),
            started: false,
            seen: false,
            known: false,
            chosen: false,
            response_id: None,
            text: String::new(),
            refusal: String::new(),
            thinking: String::new(),
            details: Vec::new(),
            pictures: Vec::new(),
            calls: BTreeMap::new(),
            finish: None,
            usage: None,
            cost: None,
        }
    }

    fn say(&mut self, text: &str, events: &mut Vec<StreamEvent>) {
        if !text.is_empty() {
            self.text.push_str(text);
            events.push(StreamEvent::Text(text.to_owned()));
        }
    }

    fn think(&mut self, text: &str, events: &mut Vec<StreamEvent>) {
        if !text.is_empty() {
            self.thinking.push_str(text);
            events.push(StreamEvent::Thinking(text.to_owned()));
        }
    }

    fn delta(&mut self, delta: &Value, events: &mut Vec<StreamEvent>) {
        let thought = ["reasoning", "reasoning_content"].iter().find_map(|name| delta[*name].as_str());
        if let Some(text) = thought {
            self.think(text, events);
        }
        match &delta["content"] {
            Value::String(text) => self.say(text, events),
            // Mistral sends pieces with their kinds.
            Value::Array(pieces) => {
                for piece in pieces {
                    if let Some(text) = piece["text"].as_str() {
                        self.say(text, events);
                    }
                    self.picture(piece);
                    for text in piece["thinking"].as_array().into_iter().flatten() {
                        self.think(text["text"].as_str().unwrap_or_default(), events);
                    }
                }
            }
            _ => {}
        }
        // OpenRouter's place for them.
        for piece in delta["images"].as_array().into_iter().flatten() {
            self.picture(piece);
        }
        self.refusal.push_str(delta["refusal"].as_str().unwrap_or_default());
        for piece in delta["reasoning_details"].as_array().into_iter().flatten() {
            self.detail(piece, thought.is_none(), events);
        }
        for (place, piece) in delta["tool_calls"].as_array().into_iter().flatten().enumerate() {
            self.call(place, piece, events);
        }
        if delta["function_call"].is_object() {
            self.write(0, "", &delta["function_call"], events);
        }
    }

    /// A picture that stands in the answer itself; one that would have to be fetched is named in the text by most hosts.
    fn picture(&mut self, piece: &Value) {
        let data = piece["image_url"]["url"].as_str().and_then(|url| url.strip_prefix("data:"));
        if let Some((media_type, data)) = data.and_then(|data| data.split_once(";base64,")) {
            let part = Part::Image { media_type: media_type.to_owned(), data: data.to_owned() };
            if !self.pictures.contains(&part) {
                self.pictures.push(part);
            }
        }
    }

    fn detail(&mut self, piece: &Value, visible: bool, events: &mut Vec<StreamEvent>) {
        let Some(fields) = piece.as_object() else { return };
        if visible {
            let text = piece["text"].as_str().or_else(|| piece["summary"].as_str());
            self.think(text.unwrap_or_default(), events);
        }
        let same = |known: &&mut Map<String, Value>| {
            known.get("type") == fields.get("type") && known.get("index") == fields.get("index")
        };
        let Some(known) = self.details.iter_mut().find(same).filter(|_| fields.contains_key("index")) else {
            self.details.push(fields.clone());
            return;
        };
        for (name, value) in fields {
            match (known.get_mut(name), value) {
                (Some(Value::String(before)), Value::String(more))
                    if ["text", "summary", "data"].contains(&name.as_str()) =>
                {
                    before.push_str(more);
                }
                (_, Value::Null) => {}
                _ => {
                    known.insert(name.clone(), value.clone());
                }
            }
        }
    }

    fn call(&mut self, place: usize, piece: &Value, events: &mut Vec<StreamEvent>) {
        let id = piece["id"].as_str().unwrap_or_default();
        let index = piece["index"].as_u64().unwrap_or_else(|| {
            // Hosts without an index send whole calls, or pieces of the last one without an id.
            let last = self.calls.last_key_value().map(|(at, _)| *at);
            let new =
                !id.is_empty() || piece["function"]["name"].as_str().is_some_and(|name| !name.is_empty());
            match self.calls.iter().find(|(_, call)| !id.is_empty() && call.id == id) {
                Some((at, _)) => *at,
                None if new => last.map_or(place as u64, |last| last + 1),
                None => last.unwrap_or_default(),
            }
        });
        // Some hosts give every call the index 0 and tell them apart by their ids.
        let taken =
            self.calls.get(&index).is_some_and(|call| !id.is_empty() && !call.id.is_empty() && call.id != id);
        let index = match self.calls.iter().find(|(_, call)| taken && call.id == id) {
            Some((at, _)) => *at,
            None if taken => self.calls.last_key_value().map_or(0, |(at, _)| at + 1),
            None => index,
        };
        self.write(index, id, &piece["function"], events);
    }

    fn write(&mut self, index: u64, id: &str, function: &Value, events: &mut Vec<StreamEvent>) {
        let writing = self.calls.entry(index).or_default();
        if writing.id.is_empty() {
            id.clone_into(&mut writing.id);
        }
        if writing.name.is_empty() {
            function["name"].as_str().unwrap_or_default().clone_into(&mut writing.name);
        }
        match &function["arguments"] {
            Value::String(piece) => writing.arguments.push_str(piece),
            // Some hosts send an object where a string belongs.
            object @ Value::Object(_) => writing.arguments = object.to_string(),
            _ => {}
        }
        if !writing.begun && !writing.name.is_empty() {
            writing.begun = true;
            if writing.id.is_empty() {
                writing.id = made_id(&self.origin, usize::try_from(index).unwrap_or_default());
            }
            events.push(StreamEvent::ToolCallBegun { id: writing.id.clone(), name: writing.name.clone() });
        }
    }

    fn is_foreign(&self) -> bool {
        self.seen && !self.known
    }

    fn done(&mut self) -> Result<Vec<StreamEvent>, ProviderError> {
        let finish = self.finish.take().unwrap_or_default();
        let mut details = Vec::new();
        let reason = if finish.is_empty() { Some(StopReason::EndTurn) } else { stop_reason(&finish) };
        let cut = matches!(reason, Some(StopReason::MaxTokens | StopReason::ContextWindow));
        let mut calls = Vec::new();
        for call in std::mem::take(&mut self.calls).into_values().filter(|call| call.begun) {
            // The arguments of a call that was cut may end anywhere; it is never made.
            if cut && !answer::whole(&call.arguments) {
                calls.push(cut_call(call.id, call.name, call.arguments));
                continue;
            }
            calls.push(answer::call(call.id, call.name, &call.arguments));
        }
        let stop = match reason {
            Some(stop @ (StopReason::MaxTokens | StopReason::ContextWindow | StopReason::Refusal)) => stop,
            _ if !calls.is_empty() => StopReason::ToolUse,
            _ if !self.refusal.is_empty() => StopReason::Refusal,
            Some(StopReason::EndTurn | StopReason::StopSequence | StopReason::ToolUse) => StopReason::EndTurn,
            Some(StopReason::Other) | None => StopReason::Other,
        };
        if !self.refusal.is_empty() {
            details.insert(0, std::mem::take(&mut self.refusal));
        } else if matches!(stop, StopReason::Other | StopReason::Refusal) {
            details.insert(0, finish);
        }
        let text = std::mem::take(&mut self.text);
        let undone = self.schema.as_ref().and_then(|schema| schema::undo_nulls_in(schema, &text));
        let text = undone.unwrap_or(text);
        let usage = self.usage.take().unwrap_or_else(|| {
            details.push(answer::ESTIMATED.to_owned());
            let mut written = text.clone();
            for call in &calls {
                written.push_str(&call.name);
                written.push_str(&call.arguments.to_string());
            }
            answer::estimated(self.request_tokens, &written, &self.thinking)
        });
        let mut parts: Vec<Part> = self.echo(!calls.is_empty()).into_iter().collect();
        if !text.is_empty() {
            parts.push(Part::Text { text: text.clone() });
        }
        parts.append(&mut self.pictures);
        parts.extend(calls.into_iter().map(Part::ToolCall));
        if matches!(parts.as_slice(), [Part::Text { .. }]) {
            parts.clear();
        }
        Ok(vec![StreamEvent::Finished(ModelAnswer {
            response_id: self.response_id.take(),
            thinking: std::mem::take(&mut self.thinking),
            parts,
            reported_cost: self.cost.take(),
            stop_detail: answer::joined(details),
            ..ModelAnswer::of_text(text, self.model.clone(), usage, stop)
        })])
    }

    /// What this host wants back with the next request: OpenRouter its details, DeepSeek the thinking before calls.
    fn echo(&mut self, calls: bool) -> Option<Part> {
        let raw = match self.host {
            Kind::OpenRouter if !self.details.is_empty() => {
                serde_json::to_string(&std::mem::take(&mut self.details)).ok()?
            }
            Kind::DeepSeek if calls && !self.thinking.is_empty() => {
                serde_json::to_string(&self.thinking).ok()?
            }
            _ => return None,
        };
        Some(Part::Opaque { origin: self.origin.clone(), raw })
    }
}

impl Reader for Stream {
    fn frame(&mut self, frame: &Frame) -> Result<Vec<StreamEvent>, ProviderError> {
        let data = frame.data.trim();
        if data.is_empty() {
            return Ok(Vec::new());
        }
        if data == "[DONE]" {
            if self.is_foreign() {
                return Err(foreign(PROVIDER));
            }
            if !self.chosen {
                let message = "the host ended its answer before it said anything";
                return Err(ProviderError::new(PROVIDER, Fault::Malformed, message));
            }
            return self.done();
        }
        let chunk: Value = serde_json::from_str(data).map_err(|error| {
            ProviderError::new(
                PROVIDER,
                Fault::Malformed,
                format!("a piece of the answer is no JSON: {error}"),
            )
        })?;
        self.seen |= chunk.as_object().is_some_and(|chunk| !chunk.is_empty());
        self.known |= chunk["choices"].is_array()
            || chunk["object"].as_str().is_some_and(|object| object.starts_with("chat.completion"));
        let failed = |value: &Value| !value.is_null() && value != &Value::Bool(false);
        if frame.event.as_deref() == Some("error") || failed(&chunk["error"]) {
            return Err(errors::in_stream(PROVIDER, &chunk));
        }
        let mut events = Vec::new();
        if let Some(model) = chunk["model"].as_str().filter(|model| !model.is_empty()) {
            model.clone_into(&mut self.model);
        }
        if let Some(id) = chunk["id"].as_str().filter(|id| !id.is_empty()) {
            self.response_id.get_or_insert_with(|| id.to_owned());
        }
        let choices = chunk["choices"].as_array().map(Vec::as_slice).unwrap_or_default();
        if !self.started && (self.response_id.is_some() || !choices.is_empty()) {
            self.started = true;
            events.push(StreamEvent::Started { response_id: self.response_id.clone() });
        }
        // Groq has it in a place of its own as well.
        if let Some(usage) =
            [&chunk["usage"], &chunk["x_groq"]["usage"]].into_iter().find(|usage| usage.is_object())
        {
            self.usage = answer::usage(usage).or(self.usage.take());
            self.cost = answer::cost(usage).or(self.cost.take());
        }
        // Only one answer is asked for; further ones would be mixed into it.
        for choice in choices.iter().filter(|choice| choice["index"].as_u64().unwrap_or_default() == 0) {
            if failed(&choice["error"]) {
                return Err(errors::in_stream(PROVIDER, choice));
            }
            self.chosen = true;
            let delta = if choice["delta"].is_object() { &choice["delta"] } else { &choice["message"] };
            self.delta(delta, &mut events);
            match choice["finish_reason"].as_str() {
                None | Some("") => {}
                Some("error") => {
                    let message = "the host ended the answer with an error that it does not name";
                    return Err(ProviderError::new(PROVIDER, Fault::StreamCut, message));
                }
                Some("insufficient_system_resource") => {
                    let message = "the host ran out of capacity during the answer";
                    let fault = Fault::Overloaded { retry_after_ms: None };
                    return Err(ProviderError::new(PROVIDER, fault, message));
                }
                Some(reason) => self.finish = Some(reason.to_owned()),
            }
        }
        Ok(events)
    }

    fn end(&mut self) -> Result<Vec<StreamEvent>, ProviderError> {
        if self.finish.is_some() {
            return self.done();
        }
        if self.is_foreign() {
            return Err(foreign(PROVIDER));
        }
        Err(ProviderError::new(PROVIDER, Fault::StreamCut, "the stream ended before the answer was complete"))
    }

    fn is_complete(&self) -> bool {
        self.finish.is_some()
    }
}
