//! Requests as Ollama takes them.

use domain::agent::Effort;
use domain::connection::ProviderKind;
use serde_json::{Map, Value, json};

use super::schema::adapted;
use crate::wire::Target;
use crate::wire::shared::{goes_back, is_made, with_schema};
use crate::{
    Detail, Fault, Message, ModelRequest, Part, ProviderError, Role, ThinkingStyle, ToolCall, ToolChoice,
};

/// The smallest context that is asked for.
const LEAST_CONTEXT: u64 = 8_192;
/// What an image is counted as.
const IMAGE_TOKENS: u64 = 1_536;

fn bad(message: impl Into<String>) -> ProviderError {
    ProviderError::new(ProviderKind::Ollama.as_str(), Fault::BadRequest, message)
}

/// The body for a request.
pub(super) fn body(request: &ModelRequest, target: Target<'_>) -> Result<Value, ProviderError> {
    let abilities = &target.model.abilities;
    if target.base.path().trim_end_matches('/').ends_with("/v1") {
        let words = "the connection's address ends with /v1, where Ollama speaks as OpenAI does; give it without, or \
                     connect it as openai-chat";
        return Err(bad(words).with_detail(Detail::Settings));
    }
    if !request.tools.is_empty() {
        if !abilities.tools {
            return Err(bad(format!(
                "{} calls no tools; choose another model or none of the tools",
                request.model
            )));
        }
        if request.tool_choice == ToolChoice::Required {
            return Err(bad("Ollama can't make a model call a tool; leave the choice to it"));
        }
    }
    // There is no other way to say that none may be called now.
    let may_call = !request.tools.is_empty() && request.tool_choice != ToolChoice::None;
    // A grammar for the answer would leave no way to call a tool.
    let native = target.model.structured && !may_call;
    let system = match &request.schema {
        Some(schema) if !native => with_schema(&request.system, schema),
        Some(_) | None => request.system.clone(),
    };

    let mut messages = Vec::new();
    if !system.is_empty() {
        messages.push(json!({ "role": "system", "content": system }));
    }
    for (index, message) in request.messages.iter().enumerate() {
        match message.role {
            Role::User => user(message, request, target, &mut messages)?,
            Role::Assistant => assistant(index, message, request, target, &mut messages),
        }
    }

    let mut body = Map::new();
    body.insert("model".to_owned(), request.model.as_str().into());
    body.insert("messages".to_owned(), messages.into());
    body.insert("stream".to_owned(), true.into());
    // What does not fit is an error and never left out without a word. Older servers know neither and cut.
    body.insert("truncate".to_owned(), false.into());
    body.insert("shift".to_owned(), false.into());
    if may_call {
        let tools = request.tools.iter().map(|tool| {
            let (name, description, parameters) = (&tool.name, &tool.description, &tool.parameters);
            let function = json!({ "name": name, "description": description, "parameters": parameters });
            json!({ "type": "function", "function": function })
        });
        body.insert("tools".to_owned(), tools.collect());
    }
    if let Some(schema) = request.schema.as_ref().filter(|_| native) {
        body.insert("format".to_owned(), adapted(schema));
    }
    if let Some(think) = think(request, target) {
        body.insert("think".to_owned(), think);
    }
    let mut options = Map::new();
    options.insert("num_ctx".to_owned(), num_ctx(request, target).into());
    if request.max_output_tokens > 0 {
        options.insert("num_predict".to_owned(), request.max_output_tokens.into());
    }
    body.insert("options".to_owned(), options.into());
    Ok(body.into())
}

/// Whether to think. The gpt-oss models take an effort only, and never none.
fn think(request: &ModelRequest, target: Target<'_>) -> Option<Value> {
    let abilities = &target.model.abilities;
    if abilities.thinking == ThinkingStyle::None {
        return None;
    }
    let by_effort = abilities.thinking == ThinkingStyle::Effort || request.model.contains("gpt-oss");
    match (by_effort, request.thinking) {
        (true, true) => Some(match request.effort {
            Some(Effort::Low) => "low".into(),
            Some(Effort::Medium) | None => "medium".into(),
            Some(Effort::High | Effort::Max) => "high".into(),
        }),
        (true, false) => Some("low".into()),
        (false, true) => Some(true.into()),
        (false, false) => abilities.thinking_off.then(|| false.into()),
    }
}

/// The context to ask for: memory is taken for all of it, and another size loads the model anew, so that it is the
/// smallest power of two that holds input and output, within the model's window.
pub(super) fn num_ctx(request: &ModelRequest, target: Target<'_>) -> u64 {
    let needed = estimated(request).saturating_add(request.max_output_tokens);
    let wanted = needed.max(LEAST_CONTEXT).checked_next_power_of_two().unwrap_or(u64::MAX);
    match target.model.context_window {
        0 => wanted,
        window => wanted.min(window),
    }
}

/// Input tokens, estimated from above: everything that goes over the wire as text, and the images.
fn estimated(request: &ModelRequest) -> u64 {
    let part = |part: &Part| match part {
        Part::Text { text } => context::estimate(text),
        Part::Image { .. } => IMAGE_TOKENS,
        Part::Document { .. } => 0,
        Part::ToolCall(call) => {
            context::estimate(&call.name) + context::estimate(&call.arguments.to_string()) + 16
        }
        Part::ToolResult { name, content, .. } => context::estimate(name) + context::estimate(content) + 16,
        Part::Opaque { raw, .. } => context::estimate(raw),
    };
    let message = |message: &Message| {
        context::estimate(&message.content) + 8 + message.parts.iter().map(part).fold(0, u64::saturating_add)
    };
    let tools = request.tools.iter().map(|tool| {
        let schema = context::estimate(&tool.parameters.to_string());
        context::estimate(&tool.name) + context::estimate(&tool.description) + schema + 16
    });
    let schema = request.schema.iter().map(|schema| context::estimate(&schema.to_string()) + 64);
    let all = request.messages.iter().map(message).chain(tools).chain(schema);
    all.fold(context::estimate(&request.system).saturating_add(64), u64::saturating_add)
}

/// What the person's side says: a message for each result of a tool, then the rest as one.
fn user(
    message: &Message,
    request: &ModelRequest,
    target: Target<'_>,
    out: &mut Vec<Value>,
) -> Result<(), ProviderError> {
    let mut texts: Vec<&str> = Vec::new();
    let mut images: Vec<&str> = Vec::new();
    if !message.content.is_empty() {
        texts.push(&message.content);
    }
    for part in &message.parts {
        match part {
            Part::Text { text } => texts.push(text),
            Part::Image { data, .. } if target.model.abilities.images => images.push(data),
            Part::Image { .. } => {
                let words =
                    format!("{} does not read images; leave them out or choose another model", request.model);
                return Err(bad(words));
            }
            Part::Document { name, .. } => {
                return Err(bad(format!("Ollama takes no documents ({name}); add the document's text")));
            }
            Part::ToolResult { call, name, content, is_error } => {
                let content = if *is_error { format!("Error: {content}") } else { content.clone() };
                let mut result = json!({ "role": "tool", "tool_name": name, "content": content });
                if !is_made(call) {
                    result["tool_call_id"] = call.as_str().into();
                }
                out.push(result);
            }
            Part::ToolCall(_) | Part::Opaque { .. } => {}
        }
    }
    if !texts.is_empty() || !images.is_empty() {
        let mut said = json!({ "role": "user", "content": texts.join("\n\n") });
        if !images.is_empty() {
            said["images"] = images.into();
        }
        out.push(said);
    }
    Ok(())
}

/// What the model said.
fn assistant(
    index: usize,
    message: &Message,
    request: &ModelRequest,
    target: Target<'_>,
    out: &mut Vec<Value>,
) {
    let mut content = message.content.clone();
    let mut thinking = String::new();
    let mut calls = Vec::new();
    for part in &message.parts {
        match part {
            Part::Text { text } => content.push_str(text),
            Part::ToolCall(call) => calls.push(call_of(call, calls.len())),
            Part::Opaque { origin, raw }
                if goes_back(origin, ProviderKind::Ollama, request, target, index) =>
            {
                let block: Option<Value> = serde_json::from_str(raw).ok();
                thinking.push_str(
                    block.as_ref().and_then(|block| block.get("thinking")?.as_str()).unwrap_or_default(),
                );
            }
            Part::Opaque { .. } | Part::Image { .. } | Part::Document { .. } | Part::ToolResult { .. } => {}
        }
    }
    if content.is_empty() && calls.is_empty() {
        return;
    }
    let mut said = json!({ "role": "assistant", "content": content });
    if !thinking.is_empty() {
        said["thinking"] = thinking.into();
    }
    if !calls.is_empty() {
        said["tool_calls"] = calls.into();
    }
    out.push(said);
}

fn call_of(call: &ToolCall, index: usize) -> Value {
    let arguments = match (&call.arguments, &call.raw) {
        (Value::Object(_), _) => call.arguments.clone(),
        (_, Some(raw)) => json!({ "raw": raw }),
        (_, None) => json!({}),
    };
    let mut said = json!({ "function": { "index": index, "name": call.name, "arguments": arguments } });
    if !is_made(&call.id) {
        said["id"] = call.id.as_str().into();
    }
    said
}
