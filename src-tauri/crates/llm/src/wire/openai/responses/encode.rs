//! A request as Responses takes it.

use domain::connection::ProviderKind;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::chat::hosts::{Host, Kind};
use super::super::schema::{self, AdaptedSchema};
use super::super::{answer, call, version};
use crate::wire::shared::{goes_back, with_schema};
use crate::wire::{Call, CallArguments, Target};
use crate::{Detail, Fault, Message, ModelRequest, Part, ProviderError, Role, ThinkingStyle, ToolChoice};

/// The longest id of a response that is asked for.
const MAX_RESPONSE_ID: usize = 200;
/// The least output that OpenAI lets a request ask for.
const LEAST_OUTPUT: u64 = 16;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "String::is_empty")]
    instructions: String,
    input: Vec<Item>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Value>,
    #[serde(flatten)]
    answer: Option<Answer<'a>>,
}

/// What only a request for an answer has, not one for a count.
#[derive(Serialize)]
struct Answer<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    include: Vec<&'static str>,
    max_output_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<&'a str>,
    store: bool,
    stream: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    background: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Item {
    Made(Value),
    /// As it came: the provider checks what it encrypted.
    Raw(Box<RawValue>),
}

/// The streaming call.
pub(in crate::wire::openai) fn stream(
    request: &ModelRequest,
    target: Target<'_>,
) -> Result<Call, ProviderError> {
    let mut body = body(request, target)?;
    // Reasoning is not asked for by an earlier answer's id: it comes encrypted and goes back with the next request.
    let thinks = body.reasoning.as_ref().is_some_and(|reasoning| reasoning["effort"] != "none");
    body.answer = Some(Answer {
        include: if thinks { vec!["reasoning.encrypted_content"] } else { Vec::new() },
        max_output_tokens: request.max_output_tokens.max(LEAST_OUTPUT),
        prompt_cache_key: request.cache_key.as_deref(),
        // What is made in the background is kept for whoever asks for it later; nothing else is.
        store: target.connection.background,
        stream: true,
        background: target.connection.background,
    });
    call(ProviderKind::Openai, target.base, "responses", &body)
}

/// The calls for an answer that is made in the background.
pub(in crate::wire::openai) fn kept(
    target: Target<'_>,
    response_id: &str,
) -> Result<CallArguments, ProviderError> {
    // It becomes part of a path.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if response_id.is_empty() || response_id.len() > MAX_RESPONSE_ID || !response_id.bytes().all(plain) {
        let message = "the provider's id of the response is none that can be asked for";
        return Err(ProviderError::new(ProviderKind::Openai.as_str(), Fault::BadRequest, message)
            .with_detail(Detail::NotKept));
    }
    let mut query = version(target.base);
    let cancel = Call {
        path: format!("responses/{response_id}/cancel"),
        query: query.clone(),
        headers: Vec::new(),
        body: Some("{}".to_owned()),
    };
    query.push(("stream", "true".to_owned()));
    // As with the first request: what is encrypted goes back with the next one.
    query.push(("include", "reasoning.encrypted_content".to_owned()));
    let path = format!("responses/{response_id}");
    Ok(CallArguments { read: Call { path, query, headers: Vec::new(), body: None }, cancel })
}

/// The call that counts its input.
pub(in crate::wire::openai) fn count(
    request: &ModelRequest,
    target: Target<'_>,
) -> Result<Call, ProviderError> {
    call(ProviderKind::Openai, target.base, "responses/input_tokens", &body(request, target)?)
}

fn body<'a>(request: &'a ModelRequest, target: Target<'_>) -> Result<Body<'a>, ProviderError> {
    answer::check(ProviderKind::Openai, request, target.model)?;
    // Azure takes no bounds in schemas.
    let bounds = Host::of(target.base).kind != Kind::Azure;
    let mut instructions = request.system.clone();
    let mut text = None;
    if let Some(wanted) = &request.schema {
        let adapted =
            if target.model.structured { schema::adapt(wanted, bounds) } else { AdaptedSchema::Words };
        let format = |schema: Value, strict: bool| json!({ "format": { "type": "json_schema", "name": "answer", "schema": schema, "strict": strict } });
        match adapted {
            AdaptedSchema::Strict(schema) => text = Some(format(schema, true)),
            AdaptedSchema::Loose(schema) => text = Some(format(schema, false)),
            AdaptedSchema::Words => instructions = with_schema(&instructions, wanted),
        }
    }
    let tools: Vec<Value> = request
        .tools
        .iter()
        .map(|tool| {
            let (parameters, strict) = schema::parameters(&tool.parameters, bounds);
            json!({
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": parameters,
                "strict": strict,
            })
        })
        .collect();
    let thinks = request.thinking && target.model.abilities.thinking == ThinkingStyle::Effort;
    let reasoning = match (answer::effort(request, target.model), thinks) {
        (Some(effort), true) => Some(json!({ "effort": effort, "summary": "auto" })),
        (Some(effort), false) => Some(json!({ "effort": effort })),
        (None, true) => Some(json!({ "summary": "auto" })),
        (None, false) => None,
    };
    Ok(Body {
        model: &request.model,
        instructions,
        input: input(request, target),
        tool_choice: match request.tool_choice {
            _ if tools.is_empty() => None,
            ToolChoice::Auto => None,
            ToolChoice::None => Some("none"),
            ToolChoice::Required => Some("required"),
        },
        parallel_tool_calls: (!tools.is_empty()).then_some(true),
        tools,
        text,
        reasoning,
        answer: None,
    })
}

fn input(request: &ModelRequest, target: Target<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    for (at, message) in request.messages.iter().enumerate() {
        match message.role {
            Role::User => person(message, &mut items),
            Role::Assistant => model(request, target, at, message, &mut items),
        }
    }
    items
}

/// What calls gave comes first: it belongs to the calls right before it.
fn person(message: &Message, items: &mut Vec<Item>) {
    let mut content = Vec::new();
    if !message.content.is_empty() {
        content.push(json!({ "type": "input_text", "text": message.content }));
    }
    for part in &message.parts {
        match part {
            Part::Text { text } if text.is_empty() => {}
            Part::Text { text } => content.push(json!({ "type": "input_text", "text": text })),
            Part::Image { media_type, data } => content.push(json!({
                "type": "input_image",
                "image_url": format!("data:{media_type};base64,{data}"),
                "detail": "auto",
            })),
            Part::Document { media_type, name, data } => content.push(json!({
                "type": "input_file",
                "filename": name,
                "file_data": format!("data:{media_type};base64,{data}"),
            })),
            Part::ToolResult { call, content, is_error, .. } => items.push(Item::Made(json!({
                "type": "function_call_output",
                "call_id": call,
                "output": outcome(content, *is_error),
            }))),
            Part::ToolCall(_) | Part::Opaque { .. } => {}
        }
    }
    if !content.is_empty() {
        items.push(Item::Made(json!({ "type": "message", "role": "user", "content": content })));
    }
}

/// What a call gave, in words where it failed: the protocols have no field for that.
pub(in crate::wire::openai) fn outcome(content: &str, is_error: bool) -> String {
    if is_error { format!("The call failed: {content}") } else { content.to_owned() }
}

fn model(request: &ModelRequest, target: Target<'_>, at: usize, message: &Message, items: &mut Vec<Item>) {
    let said = |text: &str| {
        Item::Made(json!({
            "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": text }],
        }))
    };
    if !message.content.is_empty() {
        items.push(said(&message.content));
    }
    // Reasoning that nothing follows is refused: it is held back until something does.
    let mut held = Vec::new();
    // The text after a message that goes back whole is the same text again.
    let mut told = false;
    for part in &message.parts {
        match part {
            Part::Opaque { origin, raw } => {
                if !goes_back(origin, ProviderKind::Openai, request, target, at) {
                    continue;
                }
                let Ok(raw) = RawValue::from_string(raw.clone()) else { continue };
                let kind = serde_json::from_str::<Value>(raw.get()).ok();
                match kind.as_ref().and_then(|item| item["type"].as_str()) {
                    Some("reasoning") => held.push(Item::Raw(raw)),
                    other => {
                        told = other == Some("message");
                        items.append(&mut held);
                        items.push(Item::Raw(raw));
                    }
                }
            }
            Part::Text { text } => {
                if !std::mem::take(&mut told) && !text.is_empty() {
                    items.append(&mut held);
                    items.push(said(text));
                }
            }
            Part::ToolCall(call) => {
                items.append(&mut held);
                items.push(Item::Made(json!({
                    "type": "function_call",
                    "call_id": call.id,
                    "name": call.name,
                    "arguments": call.raw.clone().unwrap_or_else(|| call.arguments.to_string()),
                })));
            }
            Part::Image { .. } | Part::Document { .. } | Part::ToolResult { .. } => {}
        }
    }
}
