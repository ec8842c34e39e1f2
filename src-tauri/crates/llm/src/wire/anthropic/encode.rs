//! From a request to the body of a call.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use domain::agent::Effort;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{bad, origin, schema};
use crate::wire::Target;
use crate::{
    Message, ModelFeatures, ModelRequest, Part, ProviderError, Role, ThinkingStyle, ToolCall, ToolChoice,
};

/// The most marks of a cache in one request.
const MAX_MARKS: usize = 4;
/// The least tokens that can be thought with.
const LEAST_BUDGET: u64 = 1_024;
/// Images that are read.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// What a body is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyPurpose {
    /// A streamed answer.
    Answer,
    /// The count of its tokens.
    Count,
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<Value>,
    messages: Vec<Turn>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<Value>,
}

#[derive(Serialize)]
struct Turn {
    role: Role,
    content: Vec<Block>,
}

enum Block {
    /// Written here. The flag: a stable prefix ends with it.
    Own(Value, bool),
    /// The provider's own, byte for byte.
    Raw(Box<RawValue>),
}

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Own(block, _) => block.serialize(serializer),
            Self::Raw(raw) => raw.serialize(serializer),
        }
    }
}

impl Block {
    fn kind(&self) -> String {
        #[derive(Deserialize)]
        struct Kind {
            #[serde(rename = "type")]
            kind: String,
        }
        match self {
            Self::Own(block, _) => block["type"].as_str().unwrap_or_default().to_owned(),
            Self::Raw(raw) => {
                serde_json::from_str(raw.get()).map_or_else(|_| String::new(), |kind: Kind| kind.kind)
            }
        }
    }

    fn is_result(&self) -> bool {
        matches!(self, Self::Own(block, _) if block["type"] == "tool_result")
    }
}

/// The body of a call for this request.
pub fn body(
    request: &ModelRequest,
    target: Target<'_>,
    purpose: BodyPurpose,
) -> Result<String, ProviderError> {
    let model = target.model;
    if request.max_output_tokens == 0 {
        return Err(bad("the request leaves no tokens for an answer"));
    }
    let max_tokens = request.max_output_tokens.min(model.max_output.max(1));
    let mut turns = turns(request, target)?;
    check(&turns)?;
    let thinking = thinking(request, target, max_tokens, &turns);
    let effort = effort(request.effort, &model.abilities, thinking.as_ref());
    let format = request.schema.as_ref().filter(|_| model.structured).and_then(schema::adapted);
    let instruction = request.schema.as_ref().filter(|_| format.is_none()).map(schema::instruction);
    let mut output = serde_json::Map::new();
    if let Some(effort) = effort {
        output.insert("effort".to_owned(), json!(effort));
    }
    if let Some(format) = format {
        output.insert("format".to_owned(), json!({ "type": "json_schema", "schema": format }));
    }
    let tools = tools(request, target)?;
    let mut marks = MAX_MARKS - usize::from(request.cache_system && !tools.is_empty());
    let system = system(request, instruction);
    marks -= usize::from(request.cache_system && !request.system.trim().is_empty());
    mark(&mut turns, marks);
    let body = Body {
        model: if request.model.is_empty() { &model.id } else { &request.model },
        max_tokens: (purpose == BodyPurpose::Answer).then_some(max_tokens),
        stream: (purpose == BodyPurpose::Answer).then_some(true),
        system,
        messages: turns,
        tool_choice: tool_choice(request, target, thinking.as_ref())?,
        tools,
        thinking,
        output_config: (!output.is_empty()).then_some(Value::Object(output)),
    };
    serde_json::to_string(&body).map_err(|error| bad(format!("the request can't be written: {error}")))
}

/// The system prompt. What asks for a schema stands behind the mark, so that stages share what is cached.
fn system(request: &ModelRequest, instruction: Option<String>) -> Option<Value> {
    let mut blocks = Vec::new();
    if !request.system.trim().is_empty() {
        let mut block = text(&request.system);
        if request.cache_system {
            block["cache_control"] = ephemeral();
        }
        blocks.push(block);
    }
    match instruction {
        None if blocks.is_empty() => None,
        None if !request.cache_system => Some(json!(request.system)),
        instruction => {
            blocks.extend(instruction.as_deref().map(text));
            Some(Value::Array(blocks))
        }
    }
}

fn tools(request: &ModelRequest, target: Target<'_>) -> Result<Vec<Value>, ProviderError> {
    if !request.tools.is_empty() && !target.model.abilities.tools {
        return Err(bad(format!("{} calls no tools", target.model.id)));
    }
    let mut names = HashSet::new();
    let mut tools = Vec::with_capacity(request.tools.len());
    for tool in &request.tools {
        let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        if !(1..=64).contains(&tool.name.len()) || !tool.name.bytes().all(fits) {
            return Err(bad(format!(
                "a tool can't be named {:?} here: letters, digits, _ and -, at most 64",
                tool.name
            )));
        }
        if !names.insert(&tool.name) {
            return Err(bad(format!("two tools are named {}", tool.name)));
        }
        let mut parameters = match &tool.parameters {
            Value::Object(parameters) => parameters.clone(),
            Value::Null => serde_json::Map::new(),
            _ => return Err(bad(format!("the parameters of {} are no JSON Schema", tool.name))),
        };
        match parameters.get("type") {
            None => {
                parameters.insert("type".to_owned(), json!("object"));
            }
            Some(kind) if kind == "object" => {}
            Some(_) => return Err(bad(format!("the parameters of {} are no object", tool.name))),
        }
        let mut spec = json!({ "name": tool.name });
        if !tool.description.is_empty() {
            spec["description"] = json!(tool.description);
        }
        spec["input_schema"] = Value::Object(parameters);
        tools.push(spec);
    }
    if let Some(last) = tools.last_mut().filter(|_| request.cache_system) {
        last["cache_control"] = ephemeral();
    }
    Ok(tools)
}

fn tool_choice(
    request: &ModelRequest,
    target: Target<'_>,
    thinking: Option<&Value>,
) -> Result<Option<Value>, ProviderError> {
    if request.tools.is_empty() {
        return match request.tool_choice {
            ToolChoice::Required => Err(bad("a call of a tool is asked for, but there is no tool")),
            ToolChoice::Auto | ToolChoice::None => Ok(None),
        };
    }
    match request.tool_choice {
        ToolChoice::Auto => Ok(None),
        ToolChoice::None => Ok(Some(json!({ "type": "none" }))),
        ToolChoice::Required if !target.model.abilities.forced_tools => {
            Err(bad(format!("{} can't be forced to call a tool; let it choose", target.model.id)))
        }
        ToolChoice::Required if thinking.is_some_and(|thinking| thinking["type"] == "enabled") => Err(bad(
            format!("{} can't be forced to call a tool while it thinks; let it choose", target.model.id),
        )),
        ToolChoice::Required => Ok(Some(json!({ "type": "any" }))),
    }
}

/// The `thinking` field; `None` where it is left to the model, or where the model can't.
fn thinking(request: &ModelRequest, target: Target<'_>, max_tokens: u64, turns: &[Turn]) -> Option<Value> {
    let model = target.model;
    if !model.thinking {
        return None;
    }
    match (model.abilities.thinking, request.thinking) {
        // Without a word on it, current models think and show nothing of it.
        (ThinkingStyle::Adaptive, true) => Some(json!({ "type": "adaptive", "display": "summarized" })),
        (ThinkingStyle::Adaptive, false) if model.abilities.thinking_off && thinks_unasked(&model.id) => {
            Some(json!({ "type": "disabled" }))
        }
        (ThinkingStyle::Budget, true) if max_tokens > LEAST_BUDGET && !in_thoughtless_loop(turns) => {
            let share = match request.effort {
                Some(Effort::Low) => max_tokens / 8,
                Some(Effort::Medium) => max_tokens / 4,
                Some(Effort::High) | None => max_tokens / 2,
                Some(Effort::Max) => max_tokens / 4 * 3,
            };
            Some(json!({ "type": "enabled", "budget_tokens": share.max(LEAST_BUDGET) }))
        }
        _ => None,
    }
}

/// Models of the fourth generation think only when they are asked to.
fn thinks_unasked(id: &str) -> bool {
    !["claude-opus-4", "claude-sonnet-4", "claude-haiku-4"].iter().any(|old| id.starts_with(old))
}

/// Whether the calls that are being answered were made without thinking that can go back. Models with a budget can't
/// begin to think in the middle of a turn.
fn in_thoughtless_loop(turns: &[Turn]) -> bool {
    match turns {
        [.., asked, answered] if answered.content.first().is_some_and(Block::is_result) => {
            !asked.content.first().is_some_and(|block| block.kind().ends_with("thinking"))
        }
        _ => false,
    }
}

/// The highest effort that the model knows and that is not above the asked one; the lowest it knows, if all are above.
fn effort(asked: Option<Effort>, abilities: &ModelFeatures, thinking: Option<&Value>) -> Option<Effort> {
    let asked = asked?;
    // Switching thinking off is refused at more than that.
    let off = thinking.is_some_and(|thinking| thinking["type"] == "disabled");
    let asked = if off { asked.min(Effort::High) } else { asked };
    let known = || abilities.efforts.iter().copied();
    known().filter(|effort| *effort <= asked).max().or_else(|| known().min())
}

fn turns(request: &ModelRequest, target: Target<'_>) -> Result<Vec<Turn>, ProviderError> {
    let here = origin(target);
    let mut ids = Ids::default();
    let mut turns: Vec<Turn> = Vec::new();
    for (at, message) in request.messages.iter().enumerate() {
        let mut content = Vec::new();
        let prefix = OnceCell::new();
        push_text(&mut content, &message.content);
        for part in &message.parts {
            match part {
                Part::Opaque { origin, raw } => {
                    let same = message.role == Role::Assistant
                        && origin.provider == here
                        && origin.model == request.model
                        && origin.prefix == *prefix.get_or_init(|| request.prefix(at));
                    if same && let Ok(raw) = RawValue::from_string(raw.clone()) {
                        content.push(Block::Raw(raw));
                    }
                }
                part => own(part, message, target, &mut ids, &mut content)?,
            }
        }
        match turns.last_mut().filter(|turn| turn.role == message.role) {
            Some(turn) => turn.content.append(&mut content),
            None if content.is_empty() => {}
            None => turns.push(Turn { role: message.role, content }),
        }
        // Thinking can't be marked; what stands before it can.
        let own = turns.last_mut().and_then(|turn| {
            turn.content.iter_mut().rev().find_map(|block| match block {
                Block::Own(_, marked) => Some(marked),
                Block::Raw(_) => None,
            })
        });
        if let Some(marked) = own.filter(|_| message.cache) {
            *marked = true;
        }
    }
    for turn in &mut turns {
        // Results first: what follows calls has to begin with them.
        turn.content.sort_by_key(|block| !block.is_result());
    }
    Ok(turns)
}

fn own(
    part: &Part,
    message: &Message,
    target: Target<'_>,
    ids: &mut Ids,
    content: &mut Vec<Block>,
) -> Result<(), ProviderError> {
    let model = target.model;
    let person = message.role == Role::User;
    let block = match part {
        Part::Text { text } => {
            push_text(content, text);
            return Ok(());
        }
        Part::Image { .. } | Part::Document { .. } if !person => {
            return Err(bad("an answer of a model can't hold images or documents here"));
        }
        Part::Image { .. } if !model.abilities.images => {
            return Err(bad(format!("{} reads no images", model.id)));
        }
        Part::Image { media_type, .. } if !IMAGES.contains(&media_type.as_str()) => {
            return Err(bad(format!(
                "images of the type {media_type} are not read; PNG, JPEG, GIF and WebP are"
            )));
        }
        Part::Image { media_type, data } => {
            json!({ "type": "image", "source": { "type": "base64", "media_type": media_type, "data": data } })
        }
        Part::Document { .. } if !model.abilities.documents => {
            return Err(bad(format!("{} reads no documents", model.id)));
        }
        Part::Document { media_type, .. } if media_type != "application/pdf" => {
            return Err(bad(format!("documents of the type {media_type} are not read; PDF is")));
        }
        Part::Document { media_type, name, data } => {
            let source = json!({ "type": "base64", "media_type": media_type, "data": data });
            let mut block = json!({ "type": "document", "source": source });
            if !name.is_empty() {
                block["title"] = json!(name);
            }
            block
        }
        Part::ToolCall(_) if person => return Err(bad("a message of the person holds a call of a tool")),
        Part::ToolCall(call) => {
            json!({ "type": "tool_use", "id": ids.of_call(&call.id), "name": call.name, "input": input(call) })
        }
        Part::ToolResult { .. } if !person => {
            return Err(bad("an answer of a model holds a result of a tool"));
        }
        Part::ToolResult { call, content, is_error, .. } => {
            let words = if *is_error && content.is_empty() { "failed without a message" } else { content };
            let mut block =
                json!({ "type": "tool_result", "tool_use_id": ids.of_result(call), "content": words });
            if *is_error {
                block["is_error"] = json!(true);
            }
            block
        }
        // Told apart by the caller.
        Part::Opaque { .. } => return Ok(()),
    };
    content.push(Block::Own(block, false));
    Ok(())
}

/// A call's arguments. They must be an object, so that what could not be read goes back as the text it was.
fn input(call: &ToolCall) -> Value {
    match (&call.arguments, &call.raw) {
        (Value::Object(_), _) => call.arguments.clone(),
        (_, Some(raw)) => json!({ "INVALID_JSON": raw }),
        (Value::Null, None) => json!({}),
        (other, None) => json!({ "INVALID_JSON": other.to_string() }),
    }
}

fn push_text(content: &mut Vec<Block>, words: &str) {
    // Text without a visible character is refused.
    if !words.trim().is_empty() {
        content.push(Block::Own(text(words), false));
    }
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn ephemeral() -> Value {
    json!({ "type": "ephemeral" })
}

/// Ids of calls as they are taken here. Calls of other providers may have other characters in theirs, or the same id
/// again in a later turn.
#[derive(Default)]
struct Ids {
    taken: HashSet<String>,
    current: HashMap<String, String>,
}

impl Ids {
    fn of_call(&mut self, id: &str) -> String {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let clean: String = id.chars().map(|c| if fits(c) { c } else { '_' }).collect();
        let clean = if clean.is_empty() { "call".to_owned() } else { clean };
        let numbered = (2..).map(|n: u64| format!("{clean}_{n}"));
        let free = std::iter::once(clean.clone())
            .chain(numbered)
            .find(|id| !self.taken.contains(id))
            .unwrap_or(clean);
        self.taken.insert(free.clone());
        self.current.insert(id.to_owned(), free.clone());
        free
    }

    fn of_result(&self, id: &str) -> String {
        self.current.get(id).cloned().unwrap_or_else(|| id.to_owned())
    }
}

/// What the provider would refuse, told in words before anything is sent.
fn check(turns: &[Turn]) -> Result<(), ProviderError> {
    let Some((first, last)) = turns.first().zip(turns.last()) else {
        return Err(bad("the request holds no message"));
    };
    if first.role == Role::Assistant {
        return Err(bad("a conversation begins with a message of the person"));
    }
    // The work of a server's tool goes on where it paused; anything else would be words put into the model's mouth.
    let paused = last.content.last().is_some_and(|block| match block {
        Block::Raw(_) => !block.kind().ends_with("thinking"),
        Block::Own(..) => false,
    });
    if last.role == Role::Assistant && !paused {
        return Err(bad("the last message must be the person's: the beginning of an answer can't be given"));
    }
    let ids = |turn: Option<&Turn>, kind: &str, member: &str| -> Vec<String> {
        let blocks = turn.into_iter().flat_map(|turn| &turn.content);
        blocks
            .filter_map(|block| match block {
                Block::Own(block, _) if block["type"] == kind => block[member].as_str().map(str::to_owned),
                Block::Own(..) | Block::Raw(_) => None,
            })
            .collect()
    };
    for at in 0..=turns.len() {
        let calls = ids(at.checked_sub(1).and_then(|before| turns.get(before)), "tool_use", "id");
        let results = ids(turns.get(at), "tool_result", "tool_use_id");
        if let Some(call) = calls.iter().find(|call| !results.contains(call)) {
            return Err(bad(format!("the message after the call {call} of a tool does not hold its result")));
        }
        if let Some(result) = results.iter().find(|result| !calls.contains(result)) {
            return Err(bad(format!(
                "the message before the result of {result} holds no such call of a tool"
            )));
        }
        if results.len() > calls.len() {
            return Err(bad("a call of a tool has more than one result"));
        }
    }
    Ok(())
}

/// Writes the marks of stable prefixes: the last ones where there are too many, because each holds what is before it.
fn mark(turns: &mut [Turn], most: usize) {
    let mut left = most;
    for block in turns.iter_mut().rev().flat_map(|turn| turn.content.iter_mut().rev()) {
        if let Block::Own(block, true) = block
            && left > 0
        {
            block["cache_control"] = ephemeral();
            left -= 1;
        }
    }
}
