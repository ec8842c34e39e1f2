//! The tools that the suite calls.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientResult, CreateMessageRequest, ElicitRequest, ErrorCode,
    ListToolsResult, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ServerRequest,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use crate::content::{PIXEL, SILENCE};
use crate::{Examined, cached, typed};

/// Between two notifications of one call.
const STEP: Duration = Duration::from_millis(30);

/// Tools without arguments.
const PLAIN: [&str; 24] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_error_handling",
    "test_tool_with_progress",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_reconnection",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_missing_capability",
    "test_logging_tool",
    "test_streaming_elicitation",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_capabilities",
];

/// All tools.
pub fn list() -> Result<ListToolsResult, ErrorData> {
    let tool = |name: &str, schema: Value| json!({"name": name, "description": "Called by the suite.", "inputSchema": schema});
    let one =
        |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
    let mut tools: Vec<Value> =
        PLAIN.iter().map(|name| tool(name, json!({"type": "object", "properties": {}}))).collect();
    tools.push(tool("test_sampling", one("prompt")));
    tools.push(tool("test_elicitation", one("message")));
    let mut mirrored = one("value");
    mirrored["properties"]["value"]["x-mcp-header"] = json!("Value");
    tools.push(tool("test_custom_header", mirrored));
    tools.push(tool("json_schema_2020_12_tool", schema_2020_12()));
    cached(json!({"tools": tools}))
}

/// A schema with the words that arrived with JSON Schema 2020-12.
fn schema_2020_12() -> Value {
    json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
        "$defs": {"address": {"$anchor": "address", "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
        "allOf": [{"anyOf": [{"required": ["name"]}, {"required": ["address"]}]}],
        "if": {"required": ["address"]},
        "then": {"properties": {"address": {"required": ["street"]}}},
        "else": {"required": ["name"]},
        "additionalProperties": false})
}

fn text(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

fn result(content: Value) -> Result<CallToolResult, ErrorData> {
    typed(json!({"resultType": "complete", "content": content}))
}

fn said(words: &str) -> Result<CallToolResult, ErrorData> {
    result(json!([text(words)]))
}

/// Calls a tool.
pub async fn call(
    server: &Examined,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let argument = |name: &str| {
        let arguments = request.arguments.as_ref();
        arguments.and_then(|arguments| arguments.get(name)?.as_str()).unwrap_or_default().to_owned()
    };
    let picture = json!({"type": "image", "data": PIXEL, "mimeType": "image/png"});
    let resource = |uri: &str, mime: &str, text: &str| json!({"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": text}});
    match request.name.as_ref() {
        "test_simple_text" => said("This is a simple text response for testing."),
        "test_image_content" => result(json!([picture])),
        "test_audio_content" => result(json!([{"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}])),
        "test_embedded_resource" => {
            result(json!([resource("test://embedded-resource", "text/plain", "An embedded resource.")]))
        }
        "test_multiple_content_types" => {
            let data = resource("test://mixed-content-resource", "application/json", "{\"test\":\"data\"}");
            result(json!([text("Several kinds of content:"), picture, data]))
        }
        "test_error_handling" => typed(json!({"resultType": "complete", "isError": true,
                "content": [text("This tool always fails, for testing.")]})),
        "test_tool_with_logging" => {
            for step in ["started", "at work", "finished"] {
                log(context, LoggingLevel::Info, step).await;
                tokio::time::sleep(STEP).await;
            }
            said("It was logged.")
        }
        "test_logging_tool" => {
            if let Some(level) = context.meta.log_level() {
                log(context, level, "asked for").await;
            }
            said("It was logged where that was asked for.")
        }
        "test_tool_with_progress" => {
            for progress in [0.0, 50.0, 100.0] {
                if let Some(token) = context.meta.get_progress_token() {
                    let param = ProgressNotificationParam::new(token, progress).with_total(100.0);
                    let _ = context.peer.notify_progress(param).await;
                }
                tokio::time::sleep(STEP).await;
            }
            said("Done.")
        }
        "test_reconnection" => said("Done."),
        "test_custom_header" => match argument("value") {
            value if value.is_empty() => Err(ErrorData::invalid_params("the value is missing", None)),
            value => said(&value),
        },
        "json_schema_2020_12_tool" => said(&format!("Hello, {}!", argument("name"))),
        "test_missing_capability" => {
            if context.client_capabilities().unwrap_or_default().sampling.is_some() {
                return said("The capability is there.");
            }
            let data = json!({"requiredCapabilities": {"sampling": {}}});
            let code = ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY;
            Err(ErrorData::new(code, "the client can't sample", Some(data)))
        }
        "test_trigger_tool_change" => {
            for sink in server.sinks() {
                let _ = sink.notify_tool_list_changed().await;
            }
            said("Told.")
        }
        "test_trigger_prompt_change" => {
            for sink in server.sinks() {
                let _ = sink.notify_prompt_list_changed().await;
            }
            said("Told.")
        }
        "test_sampling" => sample(context, &argument("prompt")).await,
        "test_elicitation" => elicit(context, &argument("message"), contact()).await,
        "test_elicitation_sep1034_defaults" => {
            elicit(context, "All of it has a proposal.", proposals()).await
        }
        "test_elicitation_sep1330_enums" => elicit(context, "Please choose.", choices()).await,
        _ => Err(ErrorData::invalid_params("there is no such tool", None)),
    }
}

async fn log(context: &RequestContext<RoleServer>, level: LoggingLevel, words: &str) {
    let param = LoggingMessageNotificationParam::new(level, json!(words)).with_logger("examined");
    let _ = context.peer.notify_logging_message(param).await;
}

async fn sample(context: &RequestContext<RoleServer>, prompt: &str) -> Result<CallToolResult, ErrorData> {
    let params = json!({"maxTokens": 100,
        "messages": [{"role": "user", "content": {"type": "text", "text": prompt}}]});
    let request = CreateMessageRequest::new(typed(params)?);
    match context.peer.send_request(ServerRequest::CreateMessageRequest(request)).await {
        Ok(ClientResult::CreateMessageResult(answer)) => {
            let answer = serde_json::to_value(*answer).unwrap_or_default();
            let words = answer.pointer("/content/text").or_else(|| answer.pointer("/content/0/text"));
            said(&format!("LLM response: {}", words.and_then(Value::as_str).unwrap_or_default()))
        }
        Ok(_) => Err(ErrorData::internal_error("the client answered something else", None)),
        Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
    }
}

async fn elicit(
    context: &RequestContext<RoleServer>,
    message: &str,
    properties: Value,
) -> Result<CallToolResult, ErrorData> {
    let schema = json!({"type": "object", "properties": properties, "required": []});
    let params = json!({"mode": "form", "message": message, "requestedSchema": schema});
    let request = ElicitRequest::new(typed(params)?);
    match context.peer.send_request(ServerRequest::ElicitRequest(request)).await {
        Ok(ClientResult::ElicitResult(answer)) => {
            let answer = serde_json::to_value(answer).unwrap_or_default();
            let action = answer["action"].as_str().unwrap_or_default();
            said(&format!("User response: action={action}, content={}", answer["content"]))
        }
        Ok(_) => Err(ErrorData::internal_error("the client answered something else", None)),
        Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
    }
}

fn contact() -> Value {
    json!({"username": {"type": "string", "description": "Your name."},
        "email": {"type": "string", "description": "Your address."}})
}

/// A field of each kind with the proposal that the suite looks for.
fn proposals() -> Value {
    json!({"name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true}})
}

/// A choice of each kind.
fn choices() -> Value {
    let titled = |key: &str| json!({"const": key, "title": format!("The {key}")});
    json!({"untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": [titled("value1"), titled("value2"), titled("value3")]},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {"type": "array", "items": {"anyOf": [titled("value1"), titled("value2"), titled("value3")]}}})
}
