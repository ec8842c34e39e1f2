//! Chat Completions: what is sent to which host, and what is read.

use domain::agent::Effort;
use domain::{NanoUsd, Usage};
use llm::{
    Detail, Fault, Message, ModelInfo, Part, Role, StopReason, StreamEvent, ThinkingStyle, ToolCall,
    ToolChoice,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::openai::{Place, tools};
use crate::wire_support::{every_prefix, fixture_frames, recorded, run};

const OPENAI: &str = "https://api.openai.com/v1/";
const OPENROUTER: &str = "https://openrouter.ai/api/v1/";
const DEEPSEEK: &str = "https://api.deepseek.com/";
const AZURE: &str = "https://res.openai.azure.com/openai/v1/";
const UNKNOWN: &str = "https://models.example/v1/";
const FIXTURES: [&str; 6] = [
    "chat-tools.sse",
    "chat-openrouter.sse",
    "chat-openrouter-error.sse",
    "chat-plain-host.sse",
    "chat-azure.sse",
    "chat-cut.sse",
];

fn said(parts: Vec<Part>) -> Message {
    Message { role: Role::Assistant, content: String::new(), parts, cache: false }
}

fn thinker(model: &mut ModelInfo) {
    model.thinking = true;
    model.abilities.thinking = ThinkingStyle::Effort;
    model.abilities.efforts = vec![Effort::Low, Effort::Medium, Effort::High, Effort::Max];
}

#[test]
fn openai_is_asked_with_all_that_it_takes() {
    let place = Place::chat(OPENAI, "gpt-5-mini");
    let mut request = place.question();
    request.system = "Be brief.".into();
    request.thinking = true;
    request.effort = Some(Effort::High);
    request.cache_key = Some("session-1".into());
    request.schema = Some(json!({ "type": "object", "properties": { "sky": { "type": "string" } } }));
    request.tools = tools();
    request.tools.truncate(2);
    let call = place.codec.encode(&request, place.target()).unwrap();
    assert_eq!((call.path.as_str(), &call.query), ("chat/completions", &vec![]));
    assert_eq!(
        serde_json::from_str::<Value>(&call.body.unwrap()).unwrap(),
        json!({
            "model": "gpt-5-mini",
            "messages": [
                { "role": "developer", "content": "Be brief." },
                { "role": "user", "content": "Weather in Lyon?" },
            ],
            "tools": [
                { "type": "function", "function": {
                    "name": "get_weather", "description": "About get_weather.", "strict": true,
                    "parameters": {
                        "type": "object", "properties": { "city": { "type": "string" } },
                        "required": ["city"], "additionalProperties": false,
                    },
                } },
                { "type": "function", "function": {
                    "name": "find", "description": "About find.", "strict": false,
                    "parameters": { "type": "object", "properties": { "limit": { "type": "integer" } } },
                } },
            ],
            "response_format": { "type": "json_schema", "json_schema": {
                "name": "answer", "strict": true,
                "schema": {
                    "type": "object", "properties": { "sky": { "type": ["string", "null"] } },
                    "required": ["sky"], "additionalProperties": false,
                },
            } },
            "max_completion_tokens": 4096,
            "reasoning_effort": "high",
            "prompt_cache_key": "session-1",
            "store": false,
            "stream_options": { "include_usage": true },
            "stream": true,
        })
    );
}

#[test]
fn an_unknown_host_is_asked_with_what_all_take() {
    let place = Place::chat(UNKNOWN, "house-model").with(thinker);
    let mut request = place.question();
    request.system = "Be brief.".into();
    request.thinking = true;
    request.effort = Some(Effort::High);
    request.cache_key = Some("session-1".into());
    request.tools = tools();
    request.tools.drain(..2);
    request.tool_choice = ToolChoice::None;
    assert_eq!(
        place.body(&request),
        json!({
            "model": "house-model",
            "messages": [
                { "role": "system", "content": "Be brief." },
                { "role": "user", "content": "Weather in Lyon?" },
            ],
            "tools": [
                { "type": "function", "function": {
                    "name": "now", "description": "About now.", "parameters": { "type": "object", "properties": {} },
                } },
            ],
            "tool_choice": "none",
            "max_tokens": 4096,
            "stream_options": { "include_usage": true },
            "stream": true,
        })
    );
    // Models of OpenAI refuse the older name of the limit, wherever they are reached.
    let gateway = Place::chat(UNKNOWN, "gpt-6-luna");
    let body = gateway.body(&gateway.question());
    assert_eq!((&body["max_completion_tokens"], body.get("max_tokens")), (&json!(4096), None));
}

#[test]
fn each_host_gets_its_own_fields() {
    let fields = |base: &str| {
        let place = Place::chat(base, "house-model").with(thinker).with(|model| model.structured = true);
        let mut request = place.question();
        request.thinking = true;
        request.effort = Some(Effort::Max);
        request.schema = Some(json!({ "type": "object", "properties": { "a": { "type": "string" } } }));
        request.cache_key = Some("k".into());
        let mut body = place.body(&request);
        let body = body.as_object_mut().unwrap();
        for same in ["model", "messages", "stream"] {
            body.remove(same).unwrap();
        }
        Value::Object(body.clone())
    };
    let usage = json!({ "include_usage": true });
    let plain = json!({ "type": "json_schema", "json_schema": {
        "name": "answer", "schema": { "type": "object", "properties": { "a": { "type": "string" } } },
    } });
    let strict = json!({ "type": "json_schema", "json_schema": { "name": "answer", "strict": true, "schema": {
        "type": "object", "required": ["a"], "properties": { "a": { "type": ["string", "null"] } }, "additionalProperties": false,
    } } });
    assert_eq!(
        fields(OPENROUTER),
        json!({
            "max_tokens": 4096, "reasoning": { "effort": "xhigh" }, "response_format": strict.clone(),
            "provider": { "require_parameters": true }, "stream_options": usage,
        })
    );
    assert_eq!(
        fields(AZURE),
        json!({
            "max_completion_tokens": 4096, "reasoning_effort": "max", "response_format": strict, "prompt_cache_key": "k",
            "store": false, "stream_options": usage,
        })
    );
    assert_eq!(
        fields(DEEPSEEK),
        json!({ "max_tokens": 4096, "response_format": { "type": "json_object" }, "stream_options": usage })
    );
    for local in [
        "http://127.0.0.1:8000/v1/",
        "http://localhost:1234/v1/",
        "http://[::1]:8080/v1/",
        "http://192.168.1.9:11434/v1/",
    ] {
        let wanted = json!({ "max_tokens": 4096, "response_format": plain, "stream_options": usage });
        assert_eq!(fields(local), wanted, "{local}");
    }
    for unknown in [UNKNOWN, "https://models.example:8000/v1/", "https://openrouter.ai.example/v1/"] {
        let wanted = json!({ "max_tokens": 4096, "response_format": plain, "stream_options": usage });
        assert_eq!(fields(unknown), wanted, "{unknown}");
    }
}

#[test]
fn a_schema_is_said_in_words_where_the_host_can_not_be_held_to_it() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    for (base, format) in [(UNKNOWN, None), (DEEPSEEK, Some(json!({ "type": "json_object" })))] {
        let place = Place::chat(base, "house-model");
        let mut request = place.question();
        request.schema = Some(schema.clone());
        let body = place.body(&request);
        let words = body["messages"][0]["content"].as_str().unwrap();
        assert!(words.contains("JSON") && words.contains(&schema.to_string()), "{words}");
        assert_eq!(body.get("response_format").cloned(), format);
    }
}

#[test]
fn azure_gets_the_version_that_the_address_names() {
    let base = "https://res.openai.azure.com/openai/deployments/mine/?api-version=2024-10-21";
    let place = Place::chat(base, "gpt-5-mini");
    let call = place.codec.encode(&place.question(), place.target()).unwrap();
    assert_eq!(call.query, [("api-version", "2024-10-21".to_owned())]);
}

#[test]
fn current_models_that_think_and_call_tools_are_sent_to_the_other_protocol() {
    let with_tools = |base: &str, model: &str, thinking: bool| {
        let place = Place::chat(base, model);
        let mut request = place.question();
        request.tools = tools();
        request.thinking = thinking;
        (place, request)
    };
    for (model, thinking) in
        [("gpt-6.1-sol", true), ("gpt-6.1-sol", false), ("gpt-5.4-mini", true), ("gpt-6-astra", false)]
    {
        let (place, request) = with_tools(OPENAI, model, thinking);
        assert!(place.refused(&request).contains("Responses protocol"), "{model}");
    }
    let (place, request) = with_tools(OPENAI, "gpt-6.1-terra", false);
    assert_eq!(place.body(&request)["reasoning_effort"], "none");
    for (base, model) in
        [(OPENAI, "gpt-5"), (OPENAI, "gpt-5.1"), (UNKNOWN, "gpt-6.1-sol"), (OPENROUTER, "openai/gpt-6.1-sol")]
    {
        let (place, request) = with_tools(base, model, true);
        assert_eq!(place.body(&request)["tools"].as_array().unwrap().len(), 3, "{base} {model}");
    }
    // A deployment's name says nothing of its model.
    let (place, request) = with_tools(AZURE, "our-deployment", true);
    place.with(thinker).body(&request);
    let (place, request) = with_tools(OPENAI, "gpt-next", true);
    assert!(place.with(thinker).refused(&request).contains("Responses protocol"));
    let (place, mut request) = with_tools(OPENAI, "gpt-5.2-pro", true);
    request.tools.clear();
    assert!(place.refused(&request).contains("does not speak Chat Completions"));
}

#[test]
fn conversations_with_calls_and_pictures_stand_as_the_protocol_has_them() {
    let place = Place::chat(OPENAI, "gpt-5-mini");
    let mut request = place.question();
    let call = |id: &str, raw: Option<&str>| {
        Part::ToolCall(ToolCall {
            id: id.into(),
            name: "get_weather".into(),
            arguments: if raw.is_some() { Value::Null } else { json!({ "city": "Lyon" }) },
            raw: raw.map(str::to_owned),
            signature: None,
            cut: false,
        })
    };
    let gave = |call: &str, content: &str, is_error: bool| Part::ToolResult {
        call: call.into(),
        name: "get_weather".into(),
        content: content.into(),
        is_error,
    };
    request.messages = vec![
        Message {
            parts: vec![
                Part::Image { media_type: "image/png".into(), data: "aW1n".into() },
                Part::Document {
                    media_type: "application/pdf".into(),
                    name: "a.pdf".into(),
                    data: "cGRm".into(),
                },
            ],
            ..Message::user("Look.")
        },
        said(vec![call("call_a", None), call("call_b", Some("{city"))]),
        Message {
            parts: vec![gave("call_a", "12 C", false), gave("call_b", "no", true)],
            ..Message::user("And?")
        },
        said(vec![]),
        Message { parts: vec![Part::Text { text: "two".into() }], ..Message::user("one") },
    ];
    assert_eq!(
        place.body(&request)["messages"],
        json!([
            { "role": "user", "content": [
                { "type": "text", "text": "Look." },
                { "type": "image_url", "image_url": { "url": "data:image/png;base64,aW1n" } },
                { "type": "file", "file": { "filename": "a.pdf", "file_data": "data:application/pdf;base64,cGRm" } },
            ] },
            { "role": "assistant", "content": null, "tool_calls": [
                { "id": "call_a", "type": "function", "function": { "name": "get_weather", "arguments": "{\"city\":\"Lyon\"}" } },
                { "id": "call_b", "type": "function", "function": { "name": "get_weather", "arguments": "{\"raw\":\"{city\"}" } },
            ] },
            { "role": "tool", "tool_call_id": "call_a", "content": "12 C" },
            { "role": "tool", "tool_call_id": "call_b", "content": "The call failed: no" },
            { "role": "user", "content": "And?" },
            { "role": "user", "content": "one\n\ntwo" },
        ])
    );
    let unknown = Place::chat(UNKNOWN, "house-model").with(|model| model.abilities.images = true);
    assert!(unknown.refused(&request).contains("does not read documents"));
    let able = Place::chat(UNKNOWN, "house-model").with(|model| {
        (model.abilities.images, model.abilities.documents) = (true, true);
    });
    assert!(able.refused(&request).contains("takes no documents"));
    let ollama =
        Place::chat("http://localhost:11434/v1/", "m").with(|model| model.abilities.forced_tools = true);
    let mut request = ollama.question();
    request.tools = tools();
    request.tool_choice = ToolChoice::Required;
    assert!(ollama.refused(&request).contains("can't be told"));
    request.tool_choice = ToolChoice::None;
    assert_eq!(ollama.body(&request).get("tools"), None);
}

#[test]
fn text_and_parallel_calls_are_read() {
    let run = Place::chat(OPENAI, "gpt-5-mini").read("chat-tools.sse");
    let answer = run.answer();
    assert_eq!(run.events[0], StreamEvent::Started { response_id: Some("chatcmpl-1".into()) });
    assert_eq!(
        (answer.text.as_str(), run.text().as_str(), answer.stop),
        ("I look it up.", "I look it up.", StopReason::ToolUse)
    );
    let calls: Vec<_> =
        answer.tool_calls().map(|call| (call.id.as_str(), call.arguments.to_string())).collect();
    assert_eq!(
        calls,
        [("call_a", r#"{"city":"Lyon"}"#.to_owned()), ("call_b", r#"{"city":"Nice"}"#.to_owned())]
    );
    assert_eq!(
        answer.usage,
        Usage {
            input: 31,
            output: 57,
            thinking: 32,
            cache_read: 1_000,
            cache_write: 10,
            cache_write_long: 0
        }
    );
    assert_eq!((answer.model.as_str(), &answer.stop_detail), ("gpt-5-mini-2025-08-07", &None));
}

#[test]
fn openrouters_details_are_joined_and_go_back() {
    let place = Place::chat(OPENROUTER, "maker/thinker").with(thinker);
    let mut request = place.question();
    let run = run(place.reader(&request), &fixture_frames("openai/chat-openrouter.sse"));
    let answer = run.answer();
    assert_eq!(
        (answer.text.as_str(), answer.thinking.as_str(), answer.stop),
        ("Sunny.", "Let me see.", StopReason::EndTurn)
    );
    assert_eq!(answer.reported_cost, Some(NanoUsd(123_000)));
    let details = json!([
        { "type": "reasoning.text", "text": "Let me see.", "format": "maker-v1", "index": 0, "signature": "c2ln" },
        { "type": "reasoning.encrypted", "data": "AAAA", "index": 1 },
    ]);
    request.messages.push(said(answer.parts.clone()));
    request.messages.push(Message::user("Thanks."));
    assert_eq!(
        place.body(&request)["messages"][1],
        json!({ "role": "assistant", "content": "Sunny.", "reasoning_details": details })
    );
    request.system = "Changed.".into();
    assert_eq!(place.body(&request)["messages"][2], json!({ "role": "assistant", "content": "Sunny." }));
    let failed = place.read("chat-openrouter-error.sse");
    assert_eq!(failed.error().fault, Fault::Overloaded { retry_after_ms: None });
}

#[test]
fn the_liberties_of_plain_hosts_are_survived() {
    let place = Place::chat(UNKNOWN, "house-model");
    let run = place.read("chat-plain-host.sse");
    let answer = run.answer();
    assert_eq!(
        (answer.text.as_str(), answer.thinking.as_str(), answer.stop),
        ("A call.", "Hm. Yes.", StopReason::ToolUse)
    );
    let calls: Vec<_> = answer.tool_calls().cloned().collect();
    assert_eq!(
        calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(),
        ["get_weather", "now", "odd"]
    );
    assert_eq!(
        (&calls[0].arguments, &calls[1].arguments, &calls[2].arguments),
        (&json!({ "city": "Lyon" }), &json!({}), &Value::Null)
    );
    assert_eq!(calls[2].raw.as_deref(), Some("{city:"));
    let mut ids: Vec<_> = calls.iter().map(|call| call.id.as_str()).collect();
    ids.dedup();
    assert_eq!((ids.len(), ids.iter().all(|id| id.starts_with("made_"))), (3, true));
    assert!(answer.usage.input > 0 && answer.usage.output > 0 && answer.usage.thinking > 0);
    assert_eq!(answer.stop_detail.as_deref(), Some("usage is estimated: the host reported none"));
    assert_eq!(answer.model, "house-model");
}

#[test]
fn groqs_figures_are_read_where_groq_puts_them() {
    let place = Place::chat(UNKNOWN, "m");
    let used =
        json!({ "queue_time": 0.1, "prompt_tokens": 21, "completion_tokens": 988, "total_tokens": 1009 });
    let run = place.read_values(&place.question(), &[
        json!({ "id": "r", "choices": [{ "index": 0, "delta": { "content": "Hi." } }], "x_groq": { "id": "req_1" } }),
        json!({ "id": "r", "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }], "x_groq": { "id": "req_1", "usage": used } }),
    ]);
    assert_eq!((run.answer().usage.input, run.answer().usage.output), (21, 988));
    assert_eq!(run.answer().stop_detail, None);
}

#[test]
fn deepseeks_thinking_goes_back_with_its_calls_only() {
    let place = Place::chat(DEEPSEEK, "deepseek-flash");
    let mut request = place.question();
    let answer = run(place.reader(&request), &fixture_frames("openai/chat-plain-host.sse")).answer().clone();
    request.messages.push(said(answer.parts));
    assert_eq!(place.body(&request)["messages"][1]["reasoning_content"], "Hm. Yes.");
    let text = place.read_values(&place.question(), &[
        json!({ "choices": [{ "index": 0, "delta": { "reasoning_content": "Hm.", "content": "Hi." }, "finish_reason": "stop" }] }),
    ]);
    assert_eq!(text.answer().parts, []);
}

#[test]
fn filters_limits_and_failures_are_told() {
    let place = Place::chat(UNKNOWN, "m");
    let azure = place.read("chat-azure.sse");
    assert_eq!(
        (azure.answer().stop, azure.answer().stop_detail.as_deref()),
        (StopReason::Refusal, Some("content_filter"))
    );
    assert_eq!(azure.events[0], StreamEvent::Started { response_id: Some("chatcmpl-2".into()) });
    let cut = place.read("chat-cut.sse");
    let calls: Vec<_> = cut.answer().tool_calls().map(|call| (call.name.as_str(), call.cut)).collect();
    assert_eq!((cut.answer().stop, calls), (StopReason::MaxTokens, vec![("now", true)]));

    let request = place.question();
    let read = |values: &[Value]| place.read_values(&request, values);
    let ends = |delta: Value, reason: &str| {
        read(&[json!({ "choices": [{ "delta": delta, "finish_reason": reason }] })])
    };
    let refused = ends(json!({ "refusal": "No." }), "stop");
    assert_eq!(refused.answer().stop, StopReason::Refusal);
    assert!(refused.answer().stop_detail.as_ref().unwrap().starts_with("No."));
    assert_eq!(ends(json!({}), "model_length").answer().stop, StopReason::ContextWindow);
    assert_eq!(ends(json!({}), "surprise").answer().stop, StopReason::Other);
    assert_eq!(ends(json!({}), "error").error().fault, Fault::StreamCut);
    assert_eq!(
        ends(json!({}), "insufficient_system_resource").error().fault,
        Fault::Overloaded { retry_after_ms: None }
    );
    let quota = json!({ "error": { "message": "x", "code": "insufficient_quota" } });
    assert_eq!(read(&[quota]).error().fault, Fault::Quota);
    assert_eq!(read(&[json!({ "error": "out of memory" })]).error().fault, Fault::BadRequest);
    assert_eq!(
        read(&[json!({ "error": { "message": "busy", "code": 503 } })]).error().fault,
        Fault::Overloaded { retry_after_ms: None }
    );
    for odd in
        [json!(null), json!(7), json!([]), json!({}), json!({ "choices": [7] }), json!({ "choices": [] })]
    {
        assert_eq!(read(&[odd]).error().fault, Fault::StreamCut);
    }
    assert_eq!(read(&[]).error().fault, Fault::StreamCut);
    assert_eq!(read(&[json!({ "greeting": 3 })]).error().detail, Some(Detail::WrongProtocol));
}

#[test]
fn old_and_odd_forms_of_answers_are_read() {
    let place = Place::chat(UNKNOWN, "m");
    let request = place.question();
    let read = |values: &[Value]| place.read_values(&request, values).answer().clone();
    let whole = json!({ "choices": [{ "message": { "content": "Hi." }, "finish_reason": "stop" }] });
    assert_eq!(read(&[whole]).text, "Hi.");
    let legacy = json!({ "choices": [{ "delta": { "function_call": { "name": "now", "arguments": "{}" } }, "finish_reason": "function_call" }] });
    assert_eq!(read(&[legacy]).tool_calls().count(), 1);
    let pieces = json!({ "choices": [{ "delta": { "content": [
        { "type": "thinking", "thinking": [{ "type": "text", "text": "Hm." }] }, { "type": "text", "text": "Hi." },
    ] }, "finish_reason": "stop" }] });
    assert_eq!(
        (read(std::slice::from_ref(&pieces)).text, read(&[pieces]).thinking),
        ("Hi.".to_owned(), "Hm.".to_owned())
    );
    // Two calls that share an index are two calls.
    let call = |id: &str| json!({ "choices": [{ "delta": { "tool_calls": [{ "index": 0, "id": id, "function": { "name": "now", "arguments": {} } }] } }] });
    let end = json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] });
    assert_eq!(
        read(&[call("a"), call("b"), end.clone()])
            .tool_calls()
            .map(|call| call.id.clone())
            .collect::<Vec<_>>(),
        ["a", "b"]
    );
    // A second choice is another answer.
    let second = json!({ "choices": [{ "index": 1, "delta": { "content": "no" } }, { "index": 0, "delta": { "content": "yes" } }] });
    assert_eq!(read(&[second, end]).text, "yes");
}

#[test]
fn the_end_without_a_reason_needs_the_mark_of_the_end() {
    let place = Place::chat(UNKNOWN, "m");
    let request = place.question();
    let text = llm::wire::Frame {
        event: None,
        data: json!({ "choices": [{ "delta": { "content": "Hi." } }] }).to_string(),
    };
    let done = llm::wire::Frame { event: None, data: "[DONE]".into() };
    let read = |frames: &[llm::wire::Frame]| run(place.reader(&request), frames);
    assert_eq!(read(std::slice::from_ref(&text)).error().fault, Fault::StreamCut);
    assert_eq!(read(&[text, done.clone()]).answer().stop, StopReason::EndTurn);
    assert_eq!(read(&[done]).error().fault, Fault::Malformed);
}

#[test]
fn an_answer_cut_anywhere_is_never_half_an_answer() {
    for place in [Place::chat(UNKNOWN, "m"), Place::chat(OPENROUTER, "m"), Place::chat(DEEPSEEK, "m")] {
        let request = place.question();
        for name in FIXTURES {
            every_prefix(|| place.reader(&request), &fixture_frames(&format!("openai/{name}")));
        }
    }
}

#[test]
fn recorded_answers_are_read_with_the_hosts_own_figures() {
    let place = Place::chat(UNKNOWN, "m");
    let request = place.question();
    let mut streams = recorded("openai-python/chat-");
    streams.extend(recorded("vercel-ai/openai_src_chat__"));
    streams.extend(recorded("vercel-ai/openai-compatible_src_chat__"));
    streams.extend(recorded("vercel-ai/azure__azure-deepseek"));
    for stream in &streams {
        let name = &stream.name;
        let run = run(place.reader(&request), &stream.frames);
        let answer = run.answer();
        let chunks: Vec<Value> =
            stream.frames.iter().filter_map(|frame| serde_json::from_str(&frame.data).ok()).collect();
        let first = |chunk: &&Value| chunk["choices"][0]["index"] == 0;
        let content =
            |chunk: &Value| chunk["choices"][0]["delta"]["content"].as_str().unwrap_or_default().to_owned();
        assert_eq!(answer.text, chunks.iter().filter(first).map(content).collect::<String>(), "{name}");
        assert_eq!(run.text(), answer.text, "{name}");
        let mut said = chunks.iter().flat_map(|chunk| [&chunk["x_groq"]["usage"], &chunk["usage"]]);
        match said.rfind(|usage| usage.is_object()) {
            Some(usage) => {
                let figure = |path: &str| usage.pointer(path).and_then(Value::as_u64).unwrap_or_default();
                let cached = figure("/prompt_tokens_details/cached_tokens");
                assert_eq!(
                    (answer.usage.input, answer.usage.cache_read),
                    (figure("/prompt_tokens") - cached, cached),
                    "{name}"
                );
                assert_eq!(
                    answer.usage.thinking,
                    figure("/completion_tokens_details/reasoning_tokens"),
                    "{name}"
                );
                // The total is the same also where a host counts thinking beside its output.
                assert_eq!(answer.usage.total(), figure("/total_tokens"), "{name}");
                assert!(
                    !answer.stop_detail.as_ref().is_some_and(|words| words.contains("estimated")),
                    "{name}"
                );
            }
            None => assert!(answer.stop_detail.as_ref().unwrap().contains("estimated"), "{name}"),
        }
        let writes = |chunk: &Value| chunk["choices"][0]["delta"]["tool_calls"].is_array();
        let begun =
            run.events.iter().filter(|event| matches!(event, StreamEvent::ToolCallBegun { .. })).count();
        assert_eq!(chunks.iter().any(writes), begun > 0, "{name}");
        assert_eq!(answer.tool_calls().count(), begun, "{name}");
        assert!(answer.tool_calls().all(|call| call.raw.is_none()), "{name}");
    }
    println!("{} recorded answers read", streams.len());
}

#[test]
fn recorded_answers_cut_anywhere_are_never_half_answers() {
    let place = Place::chat(UNKNOWN, "m");
    let request = place.question();
    for stream in
        recorded("openai-python/chat-").iter().chain(&recorded("vercel-ai/openai-compatible_src_chat__"))
    {
        every_prefix(|| place.reader(&request), &stream.frames);
    }
}
