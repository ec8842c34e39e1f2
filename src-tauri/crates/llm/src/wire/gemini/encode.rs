//! Requests as Gemini takes them.

use domain::agent::Effort;
use domain::connection::ProviderKind;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::VERSION;
use super::schema::adapted;
use crate::wire::Target;
use crate::wire::shared::{goes_back, is_made, with_schema};
use crate::{Detail, Fault, ModelRequest, Part, ProviderError, Role, ThinkingStyle, ToolCall, ToolChoice};

/// The smallest budget of thinking that every model with budgets takes.
const LEAST_BUDGET: u64 = 512;
/// The budget of a model that can't stop thinking, where it should.
const MINIMAL_BUDGET: u64 = 128;

/// A request's body.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Body {
    /// Only where tokens are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
    contents: Vec<Content>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) continuation_token: Option<String>,
}

#[derive(Debug, Serialize)]
struct Content {
    role: &'static str,
    parts: Vec<Box<RawValue>>,
}

/// A part on its way out.
enum Piece {
    Text(String),
    Raw(Box<RawValue>),
    /// What a call gave: the call's id and the part.
    Result(String, Box<RawValue>),
}

/// What one side says, and the calls in it, whose results come next.
struct Turn<'a> {
    role: Role,
    pieces: Vec<Piece>,
    calls: Vec<&'a str>,
}

fn bad(message: impl Into<String>) -> ProviderError {
    ProviderError::new(ProviderKind::Gemini.as_str(), Fault::BadRequest, message)
}

fn raw(value: &Value) -> Result<Box<RawValue>, ProviderError> {
    serde_json::value::to_raw_value(value).map_err(|error| bad(format!("a part can't be written: {error}")))
}

/// Below the base address: where a model is asked to do something.
pub(super) fn path(model: &str, what: &str) -> Result<String, ProviderError> {
    let model = model.strip_prefix("models/").unwrap_or(model);
    let fine = |segment: &str| {
        !segment.is_empty()
            && !segment.starts_with('.')
            && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let (folder, name) = model.split_once('/').unwrap_or(("models", model));
    if !fine(folder) || !fine(name) {
        let words = format!("{model:?} is no name of a model: letters, digits, dashes and dots make one");
        return Err(bad(words).with_detail(Detail::ModelUnknown));
    }
    Ok(format!("{VERSION}/{folder}/{name}:{what}"))
}

/// The body for a request.
pub(super) fn body(request: &ModelRequest, target: Target<'_>) -> Result<Body, ProviderError> {
    let abilities = &target.model.abilities;
    if !request.tools.is_empty() {
        if !abilities.tools {
            return Err(bad(format!(
                "{} calls no tools; choose another model or none of the tools",
                request.model
            )));
        }
        if request.tool_choice == ToolChoice::Required && !abilities.forced_tools {
            return Err(bad(format!(
                "{} can't be made to call a tool; leave the choice to it",
                request.model
            )));
        }
    }
    let contents = contents(request, target)?;
    if contents.is_empty() {
        return Err(bad("there is nothing to ask: the request holds no message"));
    }
    let tools = (!request.tools.is_empty()).then(|| {
        let declared: Vec<Value> = request
            .tools
            .iter()
            .map(|tool| {
                json!({
                    "name": tool.name,
                    "description": tool.description,
                    "parametersJsonSchema": adapted(&tool.parameters),
                })
            })
            .collect();
        json!([{ "functionDeclarations": declared }])
    });
    let mode = match request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some("NONE"),
        ToolChoice::Required => Some("ANY"),
    };
    let tool_config =
        mode.filter(|_| tools.is_some()).map(|mode| json!({ "functionCallingConfig": { "mode": mode } }));
    // Models before the third generation refuse JSON as the answer's type while they may call tools.
    let may_call = tools.is_some() && request.tool_choice != ToolChoice::None;
    let native = target.model.structured && !(may_call && abilities.thinking != ThinkingStyle::Level);
    let system = match &request.schema {
        Some(schema) if !native => with_schema(&request.system, schema),
        Some(_) | None => request.system.clone(),
    };
    let mut config = serde_json::Map::new();
    if request.max_output_tokens > 0 {
        config.insert("maxOutputTokens".to_owned(), request.max_output_tokens.into());
    }
    if let Some(schema) = request.schema.as_ref().filter(|_| native) {
        config.insert("responseMimeType".to_owned(), "application/json".into());
        config.insert("responseJsonSchema".to_owned(), adapted(schema));
    }
    if let Some(thinking) = thinking(request, target) {
        config.insert("thinkingConfig".to_owned(), thinking);
    }
    Ok(Body {
        model: None,
        contents,
        system_instruction: (!system.is_empty()).then(|| json!({ "parts": [{ "text": system }] })),
        tools,
        tool_config,
        generation_config: (!config.is_empty()).then(|| config.into()),
        continuation_token: None,
    })
}

/// How the model is asked to think. One that can't stop is asked for the least, where nobody wants it to think.
fn thinking(request: &ModelRequest, target: Target<'_>) -> Option<Value> {
    let abilities = &target.model.abilities;
    match (abilities.thinking, request.thinking) {
        (ThinkingStyle::Level, true) => Some(match request.effort {
            Some(effort) => {
                json!({ "includeThoughts": true, "thinkingLevel": level(effort, &abilities.efforts) })
            }
            None => json!({ "includeThoughts": true }),
        }),
        (ThinkingStyle::Level, false) => {
            Some(json!({ "thinkingLevel": if abilities.thinking_off { "MINIMAL" } else { "LOW" } }))
        }
        (ThinkingStyle::TokenBudget, true) => {
            let budget = match request.effort {
                // The model decides.
                None => return Some(json!({ "includeThoughts": true, "thinkingBudget": -1 })),
                Some(Effort::Low) => 2_048,
                Some(Effort::Medium) => 8_192,
                Some(Effort::High) => 16_384,
                Some(Effort::Max) => 24_576,
            };
            // Thinking counts as output: half of it stays for the answer.
            let most = if request.max_output_tokens == 0 { budget } else { request.max_output_tokens / 2 };
            let budget = budget.min(most).max(LEAST_BUDGET);
            Some(json!({ "includeThoughts": true, "thinkingBudget": budget }))
        }
        (ThinkingStyle::TokenBudget, false) => {
            Some(json!({ "thinkingBudget": if abilities.thinking_off { 0 } else { MINIMAL_BUDGET } }))
        }
        _ => None,
    }
}

/// The level for an effort: the nearest that the model knows, lower rather than higher.
fn level(effort: Effort, known: &[Effort]) -> &'static str {
    const RISING: [Effort; 4] = [Effort::Low, Effort::Medium, Effort::High, Effort::Max];
    let at = RISING.iter().position(|one| *one == effort).unwrap_or_default();
    let lower = RISING[..=at].iter().rev().find(|one| known.contains(one));
    let higher = RISING[at..].iter().find(|one| known.contains(one));
    match lower.or(higher).copied().unwrap_or(effort) {
        Effort::Low => "LOW",
        Effort::Medium => "MEDIUM",
        Effort::High | Effort::Max => "HIGH",
    }
}

fn contents(request: &ModelRequest, target: Target<'_>) -> Result<Vec<Content>, ProviderError> {
    let mut turns: Vec<Turn<'_>> = Vec::new();
    for (index, message) in request.messages.iter().enumerate() {
        let (mut pieces, mut calls) = (Vec::new(), Vec::new());
        if !message.content.is_empty() {
            pieces.push(Piece::Text(message.content.clone()));
        }
        for part in &message.parts {
            match part {
                Part::Text { text } if text.is_empty() => {}
                Part::Opaque { origin, raw } => {
                    if goes_back(origin, ProviderKind::Gemini, request, target, index) {
                        signed(&mut pieces, raw);
                    }
                }
                part => pieces.push(piece(part, request, target)?),
            }
            if let Part::ToolCall(call) = part {
                calls.push(call.id.as_str());
            }
        }
        match turns.last_mut() {
            _ if pieces.is_empty() => {}
            Some(turn) if turn.role == message.role => {
                turn.pieces.extend(pieces);
                turn.calls.extend(calls);
            }
            Some(_) | None => turns.push(Turn { role: message.role, pieces, calls }),
        }
    }
    let mut called = Vec::new();
    let mut contents = Vec::new();
    for turn in turns {
        let parts = parts(turn.pieces, &called)?;
        contents.push(Content { role: if turn.role == Role::User { "user" } else { "model" }, parts });
        called = turn.calls;
    }
    Ok(contents)
}

/// The parts of one side: first what the tools gave, in the order in which they were called.
fn parts(pieces: Vec<Piece>, calls: &[&str]) -> Result<Vec<Box<RawValue>>, ProviderError> {
    let (mut results, mut others) = (Vec::new(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::Text(text) => others.push(raw(&json!({ "text": text }))?),
            Piece::Raw(part) => others.push(part),
            Piece::Result(call, part) => {
                let place = calls.iter().position(|id| *id == call).unwrap_or(usize::MAX);
                results.push((place, part));
            }
        }
    }
    results.sort_by_key(|(place, _)| *place);
    Ok(results.into_iter().map(|(_, part)| part).chain(others).collect())
}

fn piece(part: &Part, request: &ModelRequest, target: Target<'_>) -> Result<Piece, ProviderError> {
    let abilities = &target.model.abilities;
    let inline = |media_type: &str, data: &str| {
        raw(&json!({ "inlineData": { "mimeType": media_type, "data": data } }))
    };
    Ok(match part {
        Part::Image { media_type, data } => {
            if !abilities.images {
                return Err(bad(format!(
                    "{} does not read images; leave them out or choose another model",
                    request.model
                )));
            }
            Piece::Raw(inline(media_type, data)?)
        }
        Part::Document { media_type, data, name } => {
            if !abilities.documents {
                let words = format!(
                    "{} does not read documents ({name}); add its text or choose another model",
                    request.model
                );
                return Err(bad(words));
            }
            Piece::Raw(inline(media_type, data)?)
        }
        Part::ToolCall(call) => Piece::Raw(call_part(call)?),
        Part::ToolResult { call, name, content, is_error } => {
            let mut response =
                json!({ "name": name, "response": { if *is_error { "error" } else { "output" }: content } });
            if !is_made(call) {
                response["id"] = call.as_str().into();
            }
            Piece::Result(call.clone(), raw(&json!({ "functionResponse": response }))?)
        }
        Part::Text { text } => Piece::Text(text.clone()),
        Part::Opaque { .. } => return Err(bad("a part of the provider's own stands where none can")),
    })
}

/// A call that the model made, with the signature that it came with.
fn call_part(call: &ToolCall) -> Result<Box<RawValue>, ProviderError> {
    let arguments = match (&call.arguments, &call.raw) {
        (Value::Object(_), _) => call.arguments.clone(),
        (_, Some(raw)) => json!({ "raw": raw }),
        (_, None) => json!({}),
    };
    let mut function = json!({ "name": call.name, "args": arguments });
    if !is_made(&call.id) {
        function["id"] = call.id.as_str().into();
    }
    let mut part = json!({ "functionCall": function });
    if let Some(signature) = &call.signature {
        part["thoughtSignature"] = signature.as_str().into();
    }
    raw(&part)
}

/// Adds a part of the provider's own as it came. Its text stands before it as text for others: there it goes.
fn signed(pieces: &mut Vec<Piece>, as_it_came: &str) {
    #[derive(serde::Deserialize)]
    struct Words {
        text: Option<String>,
        thought: Option<bool>,
    }
    let Ok(part) = RawValue::from_string(as_it_came.to_owned()) else {
        return;
    };
    let words = serde_json::from_str::<Words>(as_it_came).ok().filter(|words| words.thought != Some(true));
    let text = words.and_then(|words| words.text).filter(|text| !text.is_empty());
    if let (Some(text), Some(Piece::Text(before))) = (text, pieces.last_mut())
        && let Some(rest) = before.strip_suffix(&text)
    {
        *before = rest.to_owned();
        if before.is_empty() {
            pieces.pop();
        }
    }
    pieces.push(Piece::Raw(part));
}
