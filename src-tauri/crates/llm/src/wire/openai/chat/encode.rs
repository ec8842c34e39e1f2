//! A request as Chat Completions takes it, host by host.

use domain::connection::ProviderKind;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::super::responses::encode::outcome;
use super::super::schema::{self, AdaptedSchema};
use super::super::{answer, call, models};
use super::hosts::{Format, Host, Kind, Reasoning};
use crate::wire::shared::{goes_back, with_schema};
use crate::wire::{Call, Target};
use crate::{Fault, Message, ModelRequest, Part, ProviderError, Role, ThinkingStyle, ToolChoice};

const KIND: ProviderKind = ProviderKind::OpenaiChat;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<MessageContent>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
    /// What only some hosts take.
    #[serde(flatten)]
    more: Map<String, Value>,
    stream: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum MessageContent {
    Plain(Value),
    /// With fields that go back as they came.
    Echo {
        #[serde(flatten)]
        message: Map<String, Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_details: Option<Box<RawValue>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<Box<RawValue>>,
    },
}

/// The streaming call.
pub(in crate::wire::openai) fn stream(
    request: &ModelRequest,
    target: Target<'_>,
) -> Result<Call, ProviderError> {
    let host = Host::of(target.base);
    check(request, target, host)?;
    let effort = answer::effort(request, target.model);
    let mut more = Map::new();
    // Models of OpenAI that think refuse the older name, also behind a gateway that nobody knows here.
    let openai_thinker = target.model.provider == ProviderKind::Openai.as_str()
        && target.model.abilities.thinking == ThinkingStyle::Effort;
    let limit = if host.completion_limit || openai_thinker { "max_completion_tokens" } else { "max_tokens" };
    more.insert(limit.to_owned(), json!(request.max_output_tokens));
    if let Some(effort) = effort {
        match host.reasoning {
            Reasoning::Effort => more.insert("reasoning_effort".to_owned(), json!(effort)),
            // OpenRouter's own scale ends earlier.
            Reasoning::Object => {
                let effort = if effort == "max" { "xhigh" } else { effort };
                more.insert("reasoning".to_owned(), json!({ "effort": effort }))
            }
            Reasoning::None => None,
        };
    }
    let mut system = request.system.clone();
    let response_format =
        request.schema.as_ref().and_then(|wanted| format(request, target, host, wanted, &mut system));
    if host.kind == Kind::OpenRouter && response_format.is_some() {
        // Without it the request may land at a provider that ignores the format.
        more.insert("provider".to_owned(), json!({ "require_parameters": true }));
    }
    if let Some(key) = request.cache_key.as_ref().filter(|_| host.cache_key) {
        more.insert("prompt_cache_key".to_owned(), json!(key));
    }
    if matches!(host.kind, Kind::Openai | Kind::Azure) {
        more.insert("store".to_owned(), json!(false));
    }
    if host.usage {
        more.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    }

    let mut messages = Vec::new();
    if !system.is_empty() {
        let thinks = host.developer && target.model.thinking;
        messages.push(MessageContent::Plain(
            json!({ "role": if thinks { "developer" } else { "system" }, "content": system }),
        ));
    }
    for (at, message) in request.messages.iter().enumerate() {
        match message.role {
            Role::User => person(message, &mut messages),
            Role::Assistant => messages.extend(model(request, target, at, message, host)),
        }
    }
    // Where nothing says "none", a request without tools does.
    let offered = !request.tools.is_empty() && (host.tool_choice || request.tool_choice != ToolChoice::None);
    let body = Body {
        model: &request.model,
        messages,
        tools: if offered { tools(request, host) } else { Vec::new() },
        tool_choice: match request.tool_choice {
            ToolChoice::None if offered => Some("none"),
            ToolChoice::Required if offered => Some("required"),
            ToolChoice::Auto | ToolChoice::None | ToolChoice::Required => None,
        },
        response_format,
        more,
        stream: true,
    };
    call(KIND, target.base, "chat/completions", &body)
}

fn check(request: &ModelRequest, target: Target<'_>, host: Host) -> Result<(), ProviderError> {
    answer::check(KIND, request, target.model)?;
    let refuse = |message: String| Err(ProviderError::new(KIND.as_str(), Fault::BadRequest, message));
    let name = &request.model;
    let tools = !request.tools.is_empty();
    if tools && request.tool_choice == ToolChoice::Required && !host.tool_choice {
        return refuse("this host can't be told that a tool must be called".to_owned());
    }
    let files = request.messages.iter().flat_map(|message| &message.parts);
    if !host.files && files.into_iter().any(|part| matches!(part, Part::Document { .. })) {
        return refuse("this host takes no documents over Chat Completions; give their text".to_owned());
    }
    if matches!(host.kind, Kind::Openai | Kind::Azure) {
        let responses = "set the connection's provider to openai, which speaks the Responses protocol";
        if models::gpt_version(name).is_some() && name.split('-').any(|word| word == "pro") {
            return refuse(format!("{name} does not speak Chat Completions; {responses}"));
        }
        let off = answer::effort(request, target.model) == Some("none");
        if tools
            && target.model.thinking
            && !off
            && models::refuses_tools_on_chat(name, host.kind == Kind::Openai)
        {
            return refuse(format!(
                "{name} does not think and call tools over Chat Completions; {responses}"
            ));
        }
    }
    Ok(())
}

fn format(
    request: &ModelRequest,
    target: Target<'_>,
    host: Host,
    wanted: &Value,
    system: &mut String,
) -> Option<Value> {
    let json_schema = |schema: Value, strict: Option<bool>| {
        let mut inner = json!({ "name": "answer", "schema": schema });
        if let Some(strict) = strict {
            inner["strict"] = json!(strict);
        }
        Some(json!({ "type": "json_schema", "json_schema": inner }))
    };
    let mut words = || *system = with_schema(system, wanted);
    match host.format {
        _ if !target.model.structured && host.format != Format::Object => {
            words();
            None
        }
        Format::Strict => match schema::adapt(wanted, host.bounds) {
            AdaptedSchema::Strict(schema) => json_schema(schema, Some(true)),
            AdaptedSchema::Loose(schema) => json_schema(schema, Some(false)),
            AdaptedSchema::Words => {
                words();
                None
            }
        },
        Format::Schema => json_schema(wanted.clone(), None),
        Format::Object => {
            words();
            let object = wanted.get("type").and_then(Value::as_str) == Some("object");
            // With tools on offer the mode would keep the model from calling them.
            (object && request.tools.is_empty()).then(|| json!({ "type": "json_object" }))
        }
    }
}

fn tools(request: &ModelRequest, host: Host) -> Vec<Value> {
    let tool = |tool: &crate::ToolSpec| {
        let mut function = json!({ "name": tool.name, "description": tool.description });
        if host.strict {
            let (parameters, strict) = schema::parameters(&tool.parameters, host.bounds);
            function["parameters"] = parameters;
            function["strict"] = json!(strict);
        } else {
            function["parameters"] = schema::object_parameters(&tool.parameters);
        }
        json!({ "type": "function", "function": function })
    };
    request.tools.iter().map(tool).collect()
}

/// What calls gave comes first: it has to stand right after them.
fn person(message: &Message, messages: &mut Vec<MessageContent>) {
    let mut parts = Vec::new();
    let mut texts = Vec::new();
    if !message.content.is_empty() {
        texts.push(message.content.as_str());
        parts.push(json!({ "type": "text", "text": message.content }));
    }
    for part in &message.parts {
        match part {
            Part::Text { text } if text.is_empty() => {}
            Part::Text { text } => {
                texts.push(text);
                parts.push(json!({ "type": "text", "text": text }));
            }
            Part::Image { media_type, data } => parts.push(json!({
                "type": "image_url",
                "image_url": { "url": format!("data:{media_type};base64,{data}") },
            })),
            Part::Document { media_type, name, data } => parts.push(json!({
                "type": "file",
                "file": { "filename": name, "file_data": format!("data:{media_type};base64,{data}") },
            })),
            Part::ToolResult { call, content, is_error, .. } => messages.push(MessageContent::Plain(json!({
                "role": "tool", "tool_call_id": call, "content": outcome(content, *is_error),
            }))),
            Part::ToolCall(_) | Part::Opaque { .. } => {}
        }
    }
    if parts.is_empty() {
        return;
    }
    // Plain text is what every host reads.
    let content = if parts.len() == texts.len() { json!(texts.join("\n\n")) } else { Value::Array(parts) };
    messages.push(MessageContent::Plain(json!({ "role": "user", "content": content })));
}

fn model(
    request: &ModelRequest,
    target: Target<'_>,
    at: usize,
    message: &Message,
    host: Host,
) -> Option<MessageContent> {
    let mut text = message.content.clone();
    let mut calls = Vec::new();
    let (mut reasoning_details, mut reasoning_content) = (None, None);
    for part in &message.parts {
        match part {
            Part::Text { text: more } => text.push_str(more),
            Part::ToolCall(call) => {
                // Servers that put calls into templates read the arguments: broken ones would fail every later request.
                let arguments = match &call.raw {
                    Some(raw) => json!({ "raw": raw }).to_string(),
                    None => call.arguments.to_string(),
                };
                calls.push(json!({
                    "id": call.id, "type": "function", "function": { "name": call.name, "arguments": arguments },
                }));
            }
            Part::Opaque { origin, raw } if goes_back(origin, KIND, request, target, at) => {
                let raw = RawValue::from_string(raw.clone()).ok();
                match host.kind {
                    Kind::OpenRouter => reasoning_details = raw,
                    Kind::DeepSeek => reasoning_content = raw,
                    _ => {}
                }
            }
            _ => {}
        }
    }
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let mut said = Map::new();
    said.insert("role".to_owned(), json!("assistant"));
    said.insert("content".to_owned(), if text.is_empty() { Value::Null } else { json!(text) });
    if !calls.is_empty() {
        said.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    Some(MessageContent::Echo { message: said, reasoning_details, reasoning_content })
}
