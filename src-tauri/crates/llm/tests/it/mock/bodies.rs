//! The whole bodies that go out, as the providers' references have them.

use domain::connection::ProviderKind;
use serde_json::{Value, json};

/// A schema that every provider takes as it is.
pub fn city() -> Value {
    json!({
        "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"],
        "additionalProperties": false
    })
}

/// A question with a system prompt; nobody wants thinking.
pub fn plain(kind: ProviderKind) -> Value {
    about(kind, "say hi", false)
}

/// A question with a tool, thinking at a medium effort.
pub fn tools(kind: ProviderKind) -> Value {
    let mut body = about(kind, "Weather in Lyon and Nice?", true);
    let function = json!({ "name": "get_weather", "description": "The weather now.", "parameters": city() });
    match kind {
        ProviderKind::Anthropic => {
            body["tools"] =
                json!([{ "name": "get_weather", "description": "The weather now.", "input_schema": city() }]);
        }
        ProviderKind::Openai => {
            body["tools"] = json!([{
                "type": "function", "name": "get_weather", "description": "The weather now.", "parameters": city(),
                "strict": true
            }]);
            body["parallel_tool_calls"] = true.into();
        }
        ProviderKind::OpenaiChat | ProviderKind::Ollama => {
            body["tools"] = json!([{ "type": "function", "function": function }]);
        }
        ProviderKind::Gemini => {
            body["tools"] = json!([{ "functionDeclarations": [{
                "name": "get_weather", "description": "The weather now.", "parametersJsonSchema": city()
            }] }]);
        }
        ProviderKind::Offline => {}
    }
    body
}

/// The same with two calls and what they gave. `echo` is what the provider wants back unchanged.
pub fn results(kind: ProviderKind, echo: Option<Value>) -> Value {
    let mut body = tools(kind);
    let (said, more) = match kind {
        ProviderKind::Anthropic => (
            "messages",
            json!([
                { "role": "assistant", "content": [
                    { "type": "thinking", "thinking": "Two cities.", "signature": "aimock-placeholder-signature" },
                    { "type": "text", "text": "Checking." },
                    { "type": "tool_use", "id": "call_a1", "name": "get_weather", "input": { "city": "Lyon" } },
                    { "type": "tool_use", "id": "call_a2", "name": "get_weather", "input": { "city": "Nice" } }
                ] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "call_a1", "content": "12C" },
                    { "type": "tool_result", "tool_use_id": "call_a2", "content": "station offline", "is_error": true }
                ] }
            ]),
        ),
        ProviderKind::Openai => (
            "input",
            json!([
                echo,
                { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "Checking." }] },
                { "type": "function_call", "call_id": "call_a1", "name": "get_weather",
                  "arguments": "{\"city\":\"Lyon\"}" },
                { "type": "function_call", "call_id": "call_a2", "name": "get_weather",
                  "arguments": "{\"city\":\"Nice\"}" },
                { "type": "function_call_output", "call_id": "call_a1", "output": "12C" },
                { "type": "function_call_output", "call_id": "call_a2", "output": "The call failed: station offline" }
            ]),
        ),
        ProviderKind::OpenaiChat => (
            "messages",
            json!([
                { "role": "assistant", "content": "Checking.", "tool_calls": [
                    { "id": "call_a1", "type": "function",
                      "function": { "name": "get_weather", "arguments": "{\"city\":\"Lyon\"}" } },
                    { "id": "call_a2", "type": "function",
                      "function": { "name": "get_weather", "arguments": "{\"city\":\"Nice\"}" } }
                ] },
                { "role": "tool", "tool_call_id": "call_a1", "content": "12C" },
                { "role": "tool", "tool_call_id": "call_a2", "content": "The call failed: station offline" }
            ]),
        ),
        ProviderKind::Gemini => (
            "contents",
            json!([
                { "role": "model", "parts": [
                    { "text": "Checking." },
                    { "functionCall": { "id": "call_a1", "name": "get_weather", "args": { "city": "Lyon" } } },
                    { "functionCall": { "id": "call_a2", "name": "get_weather", "args": { "city": "Nice" } } }
                ] },
                { "role": "user", "parts": [
                    { "functionResponse": { "id": "call_a1", "name": "get_weather", "response": { "output": "12C" } } },
                    { "functionResponse":
                        { "id": "call_a2", "name": "get_weather", "response": { "error": "station offline" } } }
                ] }
            ]),
        ),
        // This server gives no ids of calls: those that were made here stay here.
        ProviderKind::Ollama => (
            "messages",
            json!([
                { "role": "assistant", "content": "Checking.", "thinking": "Two cities.", "tool_calls": [
                    { "function": { "index": 0, "name": "get_weather", "arguments": { "city": "Lyon" } } },
                    { "function": { "index": 1, "name": "get_weather", "arguments": { "city": "Nice" } } }
                ] },
                { "role": "tool", "tool_name": "get_weather", "content": "12C" },
                { "role": "tool", "tool_name": "get_weather", "content": "Error: station offline" }
            ]),
        ),
        ProviderKind::Offline => return body,
    };
    if let (Some(said), Value::Array(more)) = (body[said].as_array_mut(), more) {
        said.extend(more);
    }
    body
}

/// A question whose answer satisfies a schema.
pub fn structured(kind: ProviderKind) -> Value {
    let mut body = about(kind, "Lyon as JSON", false);
    match kind {
        ProviderKind::Anthropic => {
            body["output_config"] = json!({ "format": { "type": "json_schema", "schema": city() } });
        }
        ProviderKind::Openai => {
            body["text"] = json!({ "format": { "type": "json_schema", "name": "answer", "schema": city(), "strict": true } });
        }
        ProviderKind::OpenaiChat => {
            let named = json!({ "name": "answer", "schema": city() });
            body["response_format"] = json!({ "type": "json_schema", "json_schema": named });
        }
        ProviderKind::Gemini => {
            body["generationConfig"]["responseMimeType"] = "application/json".into();
            body["generationConfig"]["responseJsonSchema"] = city();
        }
        ProviderKind::Ollama => body["format"] = city(),
        ProviderKind::Offline => {}
    }
    body
}

fn about(kind: ProviderKind, text: &str, thinking: bool) -> Value {
    let mut body = match kind {
        ProviderKind::Anthropic => json!({
            "model": "claude-sonnet-5-5", "max_tokens": 2000, "stream": true, "system": "Be brief.",
            "messages": [{ "role": "user", "content": [{ "type": "text", "text": text }] }]
        }),
        ProviderKind::Openai => json!({
            "model": "gpt-6.1-sol", "instructions": "Be brief.", "max_output_tokens": 2000, "stream": true,
            "store": false, "include": ["reasoning.encrypted_content"],
            "reasoning": if thinking { json!({ "effort": "medium", "summary": "auto" }) } else { json!({ "effort": "low" }) },
            "input": [{ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": text }] }]
        }),
        ProviderKind::OpenaiChat => json!({
            "model": "house-model", "max_tokens": 2000, "stream": true, "stream_options": { "include_usage": true },
            "messages": [{ "role": "system", "content": "Be brief." }, { "role": "user", "content": text }]
        }),
        ProviderKind::Gemini => json!({
            "systemInstruction": { "parts": [{ "text": "Be brief." }] },
            "contents": [{ "role": "user", "parts": [{ "text": text }] }],
            "generationConfig": {
                "maxOutputTokens": 2000,
                "thinkingConfig": if thinking {
                    json!({ "includeThoughts": true, "thinkingLevel": "MEDIUM" })
                } else {
                    json!({ "thinkingLevel": "MINIMAL" })
                }
            }
        }),
        ProviderKind::Ollama => json!({
            "model": "qwen3:8b", "stream": true, "truncate": false, "shift": false, "think": thinking,
            "messages": [{ "role": "system", "content": "Be brief." }, { "role": "user", "content": text }],
            "options": { "num_ctx": 8192, "num_predict": 2000 }
        }),
        ProviderKind::Offline => Value::Null,
    };
    if kind == ProviderKind::Anthropic && thinking {
        body["thinking"] = json!({ "type": "adaptive", "display": "summarized" });
        body["output_config"] = json!({ "effort": "medium" });
    }
    body
}
