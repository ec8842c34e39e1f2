//! From the events of a stream to an answer.

use std::collections::BTreeMap;
use std::fmt;

use domain::{Usage, without_halves};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{NAME, errors, origin};
use crate::wire::shared::{foreign, stop_reason};
use crate::wire::{Frame, Reader, Target};
use crate::{
    Fault, ModelAnswer, ModelRequest, Origin, Part, ProviderError, StopReason, StreamEvent, ToolCall,
};

/// Reads one answer.
///
/// A second `message_start` with the same id is a repetition: only its figures count. One with another id begins the
/// answer anew, and what had arrived of the first is no part of it. A block that begins at a place where one stands
/// replaces it.
pub struct Messages {
    origin: Origin,
    answer: Option<Started>,
    /// Blocks by their index. Sparse, so that a hostile index costs nothing.
    blocks: BTreeMap<u64, Block>,
    usage: Usage,
    stop: Option<String>,
    detail: Option<String>,
    /// Whether visible thinking was told already.
    thought: bool,
    /// Whether anything arrived, and whether it was this protocol's.
    seen: bool,
    known: bool,
    finished: bool,
}

struct Started {
    id: Option<String>,
    model: Option<String>,
}

/// A block as far as it has arrived.
struct Block {
    kind: Kind,
    /// Its JSON at its start.
    raw: Box<RawValue>,
    /// Text or thinking.
    text: String,
    signature: String,
    /// The input of a call, as JSON.
    input: String,
    /// Members that came later and replace those of the start.
    later: Vec<(&'static str, String)>,
    closed: bool,
}

enum Kind {
    Text,
    Thinking,
    Redacted,
    Call {
        id: String,
        name: String,
        /// The input where it came whole.
        whole: Value,
    },
    /// What servers did, and whatever comes to be: kept as it came.
    Other,
}

/// What every event may have. Each member is read only where its event is known, so that unknown events may hold
/// anything.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Option<&'a RawValue>,
    #[serde(borrow, default)]
    index: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content_block: Option<&'a RawValue>,
    #[serde(borrow, default)]
    delta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// The blocks that an answer has at its start: as a rule none.
#[derive(Default, Deserialize)]
struct Whole<'a> {
    #[serde(borrow, default)]
    content: Vec<&'a RawValue>,
}

impl Messages {
    pub fn new(request: &ModelRequest, target: Target<'_>) -> Self {
        Self {
            origin: Origin {
                provider: origin(target),
                model: request.model.clone(),
                prefix: request.prefix(request.messages.len()),
            },
            answer: None,
            blocks: BTreeMap::new(),
            usage: Usage::default(),
            stop: None,
            detail: None,
            thought: false,
            seen: false,
            known: false,
            finished: false,
        }
    }

    fn start(&mut self, raw: &RawValue) -> Result<Vec<StreamEvent>, ProviderError> {
        let message: Value = json(raw)?;
        let text = |name: &str| {
            message.get(name).and_then(Value::as_str).filter(|t| !t.is_empty()).map(str::to_owned)
        };
        let started = Started { id: text("id"), model: text("model") };
        let usage = message.get("usage");
        let mut events = Vec::new();
        match &self.answer {
            Some(first) if first.id == started.id => {
                self.count(usage);
                return Ok(events);
            }
            Some(_) => {
                self.blocks.clear();
                self.usage = Usage::default();
                (self.stop, self.detail) = (None, None);
            }
            None => events.push(StreamEvent::Started { response_id: started.id.clone() }),
        }
        self.count(usage);
        self.end_of_turn(&message);
        self.answer = Some(started);
        // An answer that goes on in the middle of a server's tool may be whole at its start.
        let whole: Whole<'_> = serde_json::from_str(raw.get()).unwrap_or_default();
        for (index, block) in (0..).zip(whole.content) {
            events.extend(self.begin(index, block)?);
            self.close(index);
        }
        Ok(events)
    }

    fn close(&mut self, index: u64) {
        if let Some(block) = self.blocks.get_mut(&index) {
            block.closed = true;
        }
    }

    /// Figures are totals so far; those that are absent or null stay.
    fn count(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage else { return };
        let number = |path: &str| usage.pointer(path).and_then(Value::as_u64);
        let set = |value: &mut u64, path: &str| *value = number(path).unwrap_or(*value);
        set(&mut self.usage.input, "/input_tokens");
        set(&mut self.usage.output, "/output_tokens");
        set(&mut self.usage.thinking, "/output_tokens_details/thinking_tokens");
        set(&mut self.usage.cache_read, "/cache_read_input_tokens");
        set(&mut self.usage.cache_write_long, "/cache_creation/ephemeral_1h_input_tokens");
        let short = number("/cache_creation/ephemeral_5m_input_tokens");
        self.usage.cache_write = match (number("/cache_creation_input_tokens"), short) {
            (Some(all), _) => all,
            (None, Some(short)) => short.saturating_add(self.usage.cache_write_long),
            (None, None) => self.usage.cache_write,
        };
    }

    fn begin(&mut self, index: u64, raw: &RawValue) -> Result<Vec<StreamEvent>, ProviderError> {
        let start: Value = json(raw)?;
        let text = |name: &str| start.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut block = Block {
            kind: Kind::Other,
            raw: raw.to_owned(),
            text: String::new(),
            signature: String::new(),
            input: String::new(),
            later: Vec::new(),
            closed: false,
        };
        let mut events = Vec::new();
        match start.get("type").and_then(Value::as_str) {
            Some("text") => {
                block.kind = Kind::Text;
                block.text = text("text");
                push(&mut events, StreamEvent::Text, &block.text);
            }
            Some("thinking") => {
                block.kind = Kind::Thinking;
                (block.text, block.signature) = (text("thinking"), text("signature"));
                think(&mut self.thought, &mut events, true, &block.text);
            }
            Some("redacted_thinking") => block.kind = Kind::Redacted,
            Some("tool_use") => {
                let (id, name) = (text("id"), text("name"));
                if id.is_empty() || name.is_empty() {
                    return Err(malformed("a call of a tool has no id or no name"));
                }
                events.push(StreamEvent::ToolCallBegun { id: id.clone(), name: name.clone() });
                let whole = start.get("input").cloned().unwrap_or_default();
                block.kind = Kind::Call { id, name, whole };
            }
            Some(_) => {}
            None => return Err(malformed("a block of the answer has no type")),
        }
        self.blocks.insert(index, block);
        Ok(events)
    }

    fn grow(&mut self, index: u64, delta: &Value) -> Result<Vec<StreamEvent>, ProviderError> {
        let Some(block) = self.blocks.get_mut(&index) else {
            return Err(malformed("a piece belongs to a block that never began"));
        };
        let text = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default();
        let mut events = Vec::new();
        match (delta.get("type").and_then(Value::as_str), &block.kind) {
            (Some("text_delta"), Kind::Text) => {
                block.text.push_str(text("text"));
                push(&mut events, StreamEvent::Text, text("text"));
            }
            (Some("thinking_delta"), Kind::Thinking) => {
                let first = block.text.is_empty();
                block.text.push_str(text("thinking"));
                think(&mut self.thought, &mut events, first, text("thinking"));
            }
            (Some("signature_delta"), Kind::Thinking) => block.signature.push_str(text("signature")),
            (Some("input_json_delta"), Kind::Call { .. } | Kind::Other) => {
                block.input.push_str(text("partial_json"))
            }
            (Some("compaction_delta"), Kind::Other) => {
                for member in ["content", "encrypted_content"] {
                    if let Some(value) = delta.get(member) {
                        block.later.push((member, value.to_string()));
                    }
                }
            }
            (Some("text_delta" | "thinking_delta" | "signature_delta" | "input_json_delta"), _) => {
                return Err(malformed("a piece does not fit the block that it belongs to"));
            }
            // Citations, and what comes to be.
            _ => {}
        }
        Ok(events)
    }

    fn end_of_turn(&mut self, delta: &Value) {
        let text = |path: &str| delta.pointer(path).and_then(Value::as_str).filter(|text| !text.is_empty());
        if let Some(stop) = text("/stop_reason") {
            self.stop = Some(stop.to_owned());
        }
        let details = [text("/stop_details/category"), text("/stop_details/explanation")];
        let details: Vec<&str> = details.into_iter().flatten().collect();
        match text("/stop_sequence") {
            Some(sequence) => self.detail = Some(sequence.to_owned()),
            None if !details.is_empty() => self.detail = Some(details.join(": ")),
            None => {}
        }
    }

    fn finish(&mut self) -> Result<Vec<StreamEvent>, ProviderError> {
        let Some(started) = self.answer.take() else {
            return Err(malformed("the answer ended before it began"));
        };
        self.finished = true;
        let (stop, word) = reason(self.stop.as_deref());
        let cut = matches!(stop, StopReason::MaxTokens | StopReason::ContextWindow);
        let mut answer = ModelAnswer::of_text("", "", self.usage, stop);
        answer.usage.cache_write_long = self.usage.cache_write_long.min(self.usage.cache_write);
        answer.model = started.model.unwrap_or_else(|| self.origin.model.clone());
        answer.response_id = started.id;
        answer.stop_detail = self.detail.take().or(word);
        let blocks = std::mem::take(&mut self.blocks);
        let last = blocks.keys().next_back().copied();
        for (index, block) in blocks {
            let whole = block.closed && !(cut && Some(index) == last);
            match &block.kind {
                Kind::Text if block.text.is_empty() => continue,
                Kind::Text => answer.text.push_str(&block.text),
                Kind::Thinking if !block.text.is_empty() => {
                    let gap = if answer.thinking.is_empty() { "" } else { "\n\n" };
                    answer.thinking.push_str(gap);
                    answer.thinking.push_str(&block.text);
                }
                Kind::Redacted => answer.redacted_thinking += 1,
                Kind::Thinking | Kind::Call { .. } | Kind::Other => {}
            }
            answer.parts.extend(block.part(&self.origin, whole));
        }
        // What was said before a refusal must not be used again.
        if stop == StopReason::Refusal || answer.parts.iter().all(|part| matches!(part, Part::Text { .. })) {
            answer.parts.clear();
        }
        Ok(vec![StreamEvent::Finished(answer)])
    }
}

impl Reader for Messages {
    fn frame(&mut self, frame: &Frame) -> Result<Vec<StreamEvent>, ProviderError> {
        let data = frame.data.trim();
        // Some gateways end every stream as OpenAI does.
        if self.finished || data.is_empty() || data == "[DONE]" {
            return Ok(Vec::new());
        }
        self.seen = true;
        let event: Event<'_> =
            serde_json::from_str(data).map_err(|_| malformed("an event of the stream is no JSON object"))?;
        let kind: Option<String> = event.kind.and_then(|kind| serde_json::from_str(kind.get()).ok());
        let kind = kind.or_else(|| frame.event.clone()).or_else(|| event.error.map(|_| "error".to_owned()));
        let index = || match event.index.map(|index| index.get().parse()) {
            Some(Ok(index)) => Ok(index),
            _ => Err(malformed("an event of the stream does not say which block it is of")),
        };
        let missing = || malformed("an event of the stream lacks what it is about");
        let before = self.known;
        self.known = true;
        match kind.as_deref() {
            Some("message_start") => self.start(event.message.ok_or_else(missing)?),
            Some("error") => Err(errors::streamed(&serde_json::from_str(data).unwrap_or_default())),
            Some("content_block_start" | "content_block_delta" | "content_block_stop" | "message_delta")
                if self.answer.is_none() =>
            {
                Err(malformed("a piece of the answer came before its start"))
            }
            Some("content_block_start") => self.begin(index()?, event.content_block.ok_or_else(missing)?),
            Some("content_block_delta") => self.grow(index()?, &json(event.delta.ok_or_else(missing)?)?),
            Some("content_block_stop") => {
                self.close(index()?);
                Ok(Vec::new())
            }
            Some("message_delta") => {
                if let Some(delta) = event.delta {
                    self.end_of_turn(&json(delta)?);
                }
                if let Some(usage) = event.usage {
                    self.count(Some(&json(usage)?));
                }
                Ok(Vec::new())
            }
            Some("message_stop") => self.finish(),
            Some("ping") => Ok(Vec::new()),
            _ => {
                self.known = before;
                Ok(Vec::new())
            }
        }
    }

    fn end(&mut self) -> Result<Vec<StreamEvent>, ProviderError> {
        if self.finished {
            return Ok(Vec::new());
        }
        if self.seen && !self.known {
            return Err(foreign(NAME));
        }
        Err(ProviderError::new(NAME, Fault::StreamCut, "the stream ended before the answer was complete"))
    }
}

impl Block {
    /// What is kept of it. `whole`: it was closed and is not where an answer was cut.
    fn part(self, origin: &Origin, whole: bool) -> Option<Part> {
        let raw = match self.kind {
            Kind::Text => return Some(Part::Text { text: self.text }),
            Kind::Call { id, name, whole: input } => {
                return Some(Part::ToolCall(called(id, name, input, self.input, whole)));
            }
            // A thought that was cut has no signature, and without one it is not taken back.
            Kind::Thinking if self.signature.is_empty() && !whole => return None,
            Kind::Thinking => {
                let string = |text: &str| Value::from(text).to_string();
                let mut members = vec![("thinking", string(&self.text))];
                if !self.signature.is_empty() {
                    members.push(("signature", string(&self.signature)));
                }
                spliced(&self.raw, &members)
            }
            Kind::Redacted => self.raw.get().to_owned(),
            Kind::Other => {
                let mut members = self.later;
                if !self.input.trim().is_empty() {
                    // Half an input can't go back, so nothing of the block does.
                    serde_json::from_str::<&RawValue>(&self.input).ok()?;
                    members.push(("input", self.input));
                }
                if members.is_empty() { self.raw.get().to_owned() } else { spliced(&self.raw, &members) }
            }
        };
        Some(Part::Opaque { origin: origin.clone(), raw })
    }
}

fn called(id: String, name: String, input: Value, written: String, whole: bool) -> ToolCall {
    let empty = written.trim().is_empty();
    let arguments = match empty {
        // Nothing means no arguments, but not where the answer was cut before them.
        true if input.as_object().is_some_and(|input| !input.is_empty()) => Some(input),
        true => whole.then(|| Value::Object(serde_json::Map::new())),
        false => serde_json::from_str::<Value>(&without_halves(&written)).ok().filter(Value::is_object),
    };
    let raw = arguments.is_none().then_some(written);
    ToolCall { id, name, arguments: arguments.unwrap_or_default(), raw, signature: None, cut: !whole }
}

/// An object with some members replaced or added; every other member byte for byte as it came.
fn spliced(raw: &RawValue, members: &[(&'static str, String)]) -> String {
    let Members(mut all) = serde_json::from_str(raw.get()).unwrap_or(Members(Vec::new()));
    for (name, value) in members {
        match all.iter_mut().find(|(known, _)| known == name) {
            Some((_, there)) => *there = value,
            None => all.push(((*name).to_owned(), value)),
        }
    }
    let all: Vec<String> =
        all.iter().map(|(name, value)| format!("{}:{value}", Value::from(name.as_str()))).collect();
    format!("{{{}}}", all.join(","))
}

/// The members of an object in their order.
struct Members<'a>(Vec<(String, &'a str)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
                    members.push((name, value.get()));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(FieldsVisitor)
    }
}

fn reason(word: Option<&str>) -> (StopReason, Option<String>) {
    let stop = match word {
        Some("end_turn") => StopReason::EndTurn,
        Some("max_tokens") => StopReason::MaxTokens,
        Some("model_context_window_exceeded") => StopReason::ContextWindow,
        Some("refusal") => StopReason::Refusal,
        Some("tool_use") => StopReason::ToolUse,
        Some("stop_sequence") => StopReason::StopSequence,
        // Gateways pass on words of other protocols.
        other => {
            let known = other.and_then(stop_reason).unwrap_or(StopReason::Other);
            return (known, other.map(str::to_owned));
        }
    };
    (stop, None)
}

/// Tells a piece of thinking. Thoughts of several blocks are paragraphs, as they are in the whole.
fn think(thought: &mut bool, events: &mut Vec<StreamEvent>, first: bool, piece: &str) {
    if !piece.is_empty() {
        let gap = if first && *thought { "\n\n" } else { "" };
        *thought = true;
        events.push(StreamEvent::Thinking(format!("{gap}{piece}")));
    }
}

fn push(events: &mut Vec<StreamEvent>, event: fn(String) -> StreamEvent, piece: &str) {
    if !piece.is_empty() {
        events.push(event(piece.to_owned()));
    }
}

fn json(raw: &RawValue) -> Result<Value, ProviderError> {
    serde_json::from_str(raw.get()).map_err(|_| malformed("an event of the stream can't be read"))
}

fn malformed(message: &str) -> ProviderError {
    ProviderError::new(NAME, Fault::Malformed, message)
}
