//! OpenAI Responses: what is sent and what is read.

use domain::Usage;
use domain::agent::Effort;
use llm::wire::Frame;
use llm::{Detail, Fault, Message, Part, Role, StopReason, StreamEvent, ToolCall, ToolChoice};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::openai::{Place, tools};
use crate::wire_support::{answers, every_prefix, fixture_frames, recorded, run};

const FIXTURES: [&str; 6] = [
    "responses-tools.sse",
    "responses-phases.sse",
    "responses-cut.sse",
    "responses-refusal.sse",
    "responses-quota.sse",
    "responses-failed.sse",
];

fn sol() -> Place {
    Place::responses("gpt-6.1-sol")
}

fn said(parts: Vec<Part>) -> Message {
    Message { role: Role::Assistant, content: String::new(), parts, cache: false }
}

fn gave(call: &str, content: &str, is_error: bool) -> Part {
    Part::ToolResult { call: call.into(), name: "get_weather".into(), content: content.into(), is_error }
}

#[test]
fn a_question_is_sent_whole() {
    let place = sol();
    let mut request = place.question();
    request.system = "Be brief.".into();
    request.cache_system = true;
    request.thinking = true;
    request.effort = Some(Effort::Max);
    request.cache_key = Some("session-1".into());
    request.schema = Some(json!({ "type": "object", "properties": { "sky": { "type": "string" } } }));
    request.tools = tools();
    let call = place.codec.encode(&request, place.target()).unwrap();
    assert_eq!((call.path.as_str(), &call.query, &call.headers), ("responses", &vec![], &vec![]));
    assert_eq!(
        serde_json::from_str::<Value>(&call.body.unwrap()).unwrap(),
        json!({
            "model": "gpt-6.1-sol",
            "instructions": "Be brief.",
            "input": [
                { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "Weather in Lyon?" }] },
            ],
            "tools": [
                {
                    "type": "function", "name": "get_weather", "description": "About get_weather.", "strict": true,
                    "parameters": {
                        "type": "object", "properties": { "city": { "type": "string" } },
                        "required": ["city"], "additionalProperties": false,
                    },
                },
                {
                    "type": "function", "name": "find", "description": "About find.", "strict": false,
                    "parameters": { "type": "object", "properties": { "limit": { "type": "integer" } } },
                },
                {
                    "type": "function", "name": "now", "description": "About now.", "strict": false,
                    "parameters": { "type": "object", "properties": {} },
                },
            ],
            "parallel_tool_calls": true,
            "text": { "format": {
                "type": "json_schema", "name": "answer", "strict": true,
                "schema": {
                    "type": "object", "properties": { "sky": { "type": ["string", "null"] } },
                    "required": ["sky"], "additionalProperties": false,
                },
            } },
            "reasoning": { "effort": "max", "summary": "auto" },
            "include": ["reasoning.encrypted_content"],
            "max_output_tokens": 4096,
            "prompt_cache_key": "session-1",
            "store": false,
            "stream": true,
        })
    );
}

#[test]
fn what_is_not_asked_for_is_absent() {
    let place = sol().with(|model| model.abilities.thinking = llm::ThinkingStyle::None);
    let mut request = place.question();
    request.tool_choice = ToolChoice::None;
    request.max_output_tokens = 1;
    assert_eq!(
        place.body(&request),
        json!({
            "model": "gpt-6.1-sol",
            "input": [
                { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "Weather in Lyon?" }] },
            ],
            "max_output_tokens": 16,
            "store": false,
            "stream": true,
        })
    );
}

#[test]
fn an_answer_in_the_background_is_stored_and_asked_for_by_its_id() {
    let place = sol().in_background();
    let body = place.body(&place.question());
    assert_eq!(
        (&body["background"], &body["store"], &body["stream"]),
        (&json!(true), &json!(true), &json!(true))
    );
    let kept = place.codec.kept(place.target(), "resp_0a-B").unwrap().unwrap();
    assert_eq!((kept.read.path.as_str(), &kept.read.body), ("responses/resp_0a-B", &None));
    assert!(kept.read.query.contains(&("stream", "true".to_owned())), "{:?}", kept.read.query);
    assert_eq!(kept.cancel.path, "responses/resp_0a-B/cancel");
    assert!(kept.cancel.body.is_some(), "it is sent");
    for id in ["", "../models", "a/b", "a?b", "a b", &"x".repeat(201)] {
        let error = place.codec.kept(place.target(), id).unwrap().unwrap_err();
        assert_eq!(error.detail, Some(Detail::NotKept), "{id}");
    }
    let azure = place.at("https://my.openai.azure.com/openai/?api-version=preview");
    let kept = azure.codec.kept(azure.target(), "resp_1").unwrap().unwrap();
    for call in [kept.read, kept.cancel] {
        assert!(call.query.contains(&("api-version", "preview".to_owned())), "{call:?}");
    }
    let others = Place::chat("https://api.openai.com/v1/", "gpt-5-mini");
    assert!(others.codec.kept(others.target(), "resp_1").is_none());
}

#[test]
fn a_response_that_is_still_being_made_is_no_answer() {
    let place = sol();
    let frames = |status: &str| {
        let body = json!({ "id": "resp_1", "status": status, "output": [] }).to_string();
        place.codec.unstreamed(&body).unwrap()
    };
    for status in ["queued", "in_progress"] {
        assert!(place.codec.is_under_way(&frames(status)[0]), "{status}");
    }
    for status in ["completed", "incomplete", "failed", "cancelled"] {
        assert!(!place.codec.is_under_way(&frames(status)[0]), "{status}");
    }
}

#[test]
fn efforts_are_those_that_the_model_knows() {
    let reasoning = |model: &str, thinking: bool, effort: Option<Effort>| {
        let place = Place::responses(model);
        let mut request = place.question();
        (request.thinking, request.effort) = (thinking, effort);
        place.body(&request)["reasoning"].clone()
    };
    let thinks = |word: &str| json!({ "effort": word, "summary": "auto" });
    assert_eq!(reasoning("gpt-6.1-sol", true, None), thinks("medium"));
    assert_eq!(reasoning("gpt-6.1-sol", true, Some(Effort::Low)), thinks("low"));
    assert_eq!(reasoning("gpt-5.5", true, Some(Effort::Max)), thinks("xhigh"));
    assert_eq!(reasoning("gpt-5.1", true, Some(Effort::Max)), thinks("high"));
    // Off where the model can do without, else as little as it can.
    assert_eq!(reasoning("gpt-6.1-terra", false, Some(Effort::High)), json!({ "effort": "none" }));
    assert_eq!(reasoning("gpt-6.1-sol", false, Some(Effort::High)), json!({ "effort": "low" }));
    let silent = Place::responses("gpt-6.1-terra");
    assert_eq!(silent.body(&silent.question()).get("include"), None);
    let unknown = Place::responses("house-model").with(|model| {
        model.thinking = true;
        model.abilities.thinking = llm::ThinkingStyle::Effort;
    });
    let mut request = unknown.question();
    assert_eq!(unknown.body(&request).get("reasoning"), None);
    request.thinking = true;
    assert_eq!(unknown.body(&request)["reasoning"], json!({ "summary": "auto" }));
}

#[test]
fn schemas_that_can_not_be_strict_go_loosely_or_in_words() {
    let place = sol();
    let mut request = place.question();
    let open = json!({ "type": "object", "additionalProperties": { "type": "number" } });
    request.schema = Some(open.clone());
    let format = json!({ "type": "json_schema", "name": "answer", "schema": open, "strict": false });
    assert_eq!(place.body(&request)["text"], json!({ "format": format }));
    for (place, schema) in [
        (sol(), json!({ "type": "array", "items": { "type": "string" } })),
        (sol().with(|model| model.structured = false), json!({ "type": "object", "properties": {} })),
    ] {
        request.system = "Be brief.".into();
        request.schema = Some(schema.clone());
        let body = place.body(&request);
        let words = body["instructions"].as_str().unwrap();
        assert!(words.starts_with("Be brief.\n\n") && words.contains(&schema.to_string()), "{words}");
        assert_eq!(body.get("text"), None);
    }
}

#[test]
fn pictures_documents_and_results_stand_in_their_places() {
    let place = sol();
    let mut request = place.question();
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
        said(vec![
            Part::Text { text: "I call.".into() },
            Part::ToolCall(ToolCall {
                id: "call_a".into(),
                name: "get_weather".into(),
                arguments: json!({ "city": "Lyon" }),
                raw: None,
                signature: None,
                cut: false,
            }),
            Part::ToolCall(ToolCall {
                id: "call_b".into(),
                name: "get_weather".into(),
                arguments: Value::Null,
                raw: Some("{city".into()),
                signature: None,
                cut: false,
            }),
        ]),
        Message {
            parts: vec![gave("call_a", "12 C", false), gave("call_b", "no", true)],
            ..Message::user("And?")
        },
    ];
    request.tools = tools();
    request.tool_choice = ToolChoice::Required;
    let body = place.body(&request);
    assert_eq!(body["tool_choice"], "required");
    assert_eq!(
        body["input"],
        json!([
            { "type": "message", "role": "user", "content": [
                { "type": "input_text", "text": "Look." },
                { "type": "input_image", "image_url": "data:image/png;base64,aW1n", "detail": "auto" },
                { "type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,cGRm" },
            ] },
            { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "I call." }] },
            { "type": "function_call", "call_id": "call_a", "name": "get_weather", "arguments": "{\"city\":\"Lyon\"}" },
            { "type": "function_call", "call_id": "call_b", "name": "get_weather", "arguments": "{city" },
            { "type": "function_call_output", "call_id": "call_a", "output": "12 C" },
            { "type": "function_call_output", "call_id": "call_b", "output": "The call failed: no" },
            { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "And?" }] },
        ])
    );
}

#[test]
fn what_a_model_can_not_take_is_refused_in_words() {
    let mut request = sol().question();
    request.messages[0].parts = vec![Part::Image { media_type: "image/png".into(), data: String::new() }];
    assert!(sol().with(|m| m.abilities.images = false).refused(&request).contains("does not read images"));
    request.messages[0].parts = vec![Part::Document {
        media_type: "application/pdf".into(),
        name: "a.pdf".into(),
        data: String::new(),
    }];
    assert!(sol().with(|m| m.abilities.documents = false).refused(&request).contains("a.pdf"));
    request.messages = Vec::new();
    sol().refused(&request);
    let mut request = sol().question();
    request.tools = tools();
    assert!(sol().with(|m| m.abilities.tools = false).refused(&request).contains("can't call tools"));
    request.tool_choice = ToolChoice::Required;
    assert!(sol().with(|m| m.abilities.forced_tools = false).refused(&request).contains("can't be made"));
    request.tool_choice = ToolChoice::None;
    assert_eq!(sol().body(&request)["tool_choice"], "none");
}

#[test]
fn reasoning_goes_back_byte_for_byte_while_nothing_before_it_changed() {
    let place = sol();
    let mut request = place.question();
    request.thinking = true;
    let answer = run(place.reader(&request), &fixture_frames("openai/responses-tools.sse")).answer().clone();
    let raw = r#"{ "id":"rs_1", "type":"reasoning","summary":[{"type":"summary_text","text":"Two cities."},{"type":"summary_text","text":"Two \u0063alls."}],"encrypted_content":"gAAAAB\/x1==", "weight":1.50}"#;
    assert!(matches!(&answer.parts[0], Part::Opaque { raw: kept, .. } if kept == raw));
    request.messages.push(said(answer.parts.clone()));
    request.messages.push(Message {
        parts: vec![gave("call_a", "12 C", false), gave("call_b", "18 C", false)],
        ..Message::user("")
    });
    assert!(place.raw_body(&request).contains(raw));
    let kinds: Vec<Value> =
        place.body(&request)["input"].as_array().unwrap().iter().map(|item| item["type"].clone()).collect();
    let (call, output) = ("function_call", "function_call_output");
    assert_eq!(kinds, ["message", "reasoning", "message", call, call, output, output]);

    let gone = |place: &Place, request: &llm::ModelRequest| !place.raw_body(request).contains("rs_1");
    let mut other = request.clone();
    other.messages[0].content.push('!');
    assert!(gone(&place, &other));
    let mut other = request.clone();
    other.system = "New.".into();
    assert!(gone(&place, &other));
    let mut other = request.clone();
    other.model = "gpt-6-sol".into();
    assert!(gone(&place, &other));
    assert!(gone(&sol().at("https://gateway.example/v1/"), &request));

    // Nothing follows it: the provider would refuse it.
    let mut cut = request.clone();
    cut.messages[1].parts.truncate(1);
    assert!(gone(&place, &cut));
}

#[test]
fn text_thinking_and_parallel_calls_are_read() {
    let place = sol();
    let run = place.read("responses-tools.sse");
    let answer = run.answer();
    assert_eq!(run.events[0], StreamEvent::Started { response_id: Some("resp_1".into()) });
    assert_eq!((run.text().as_str(), answer.text.as_str()), ("I look it up: ☀", "I look it up: ☀"));
    assert_eq!(answer.thinking, "Two cities.\n\nTwo calls.");
    assert_eq!(run.thinking(), answer.thinking);
    let begun = |event: &&StreamEvent| matches!(event, StreamEvent::ToolCallBegun { .. });
    assert_eq!(run.events.iter().filter(begun).count(), 2);
    let calls: Vec<_> =
        answer.tool_calls().map(|call| (call.id.as_str(), call.arguments.to_string())).collect();
    assert_eq!(
        calls,
        [("call_a", r#"{"city":"Lyon"}"#.to_owned()), ("call_b", r#"{"city":"Nice"}"#.to_owned())]
    );
    assert_eq!((answer.parts.len(), answer.stop, answer.redacted_thinking), (4, StopReason::ToolUse, 0));
    assert_eq!(
        (answer.model.as_str(), answer.response_id.as_deref()),
        ("gpt-6.1-sol-2026-10-01", Some("resp_1"))
    );
    assert_eq!(
        answer.usage,
        Usage {
            input: 505,
            output: 57,
            thinking: 32,
            cache_read: 1_024,
            cache_write: 512,
            cache_write_long: 0
        }
    );
    assert_eq!(answer.stop_detail, None);
}

#[test]
fn phases_of_an_answer_go_back_with_it() {
    let place = sol();
    let mut request = place.question();
    let run = run(place.reader(&request), &fixture_frames("openai/responses-phases.sse"));
    let answer = run.answer();
    assert_eq!(
        (run.text().as_str(), answer.text.as_str(), answer.stop),
        ("Looking.\n\nSunny.", "Looking.\n\nSunny.", StopReason::EndTurn)
    );
    assert_eq!(answer.parts.len(), 4);
    request.messages.push(said(answer.parts.clone()));
    request.messages.push(Message::user("Thanks."));
    let input = place.body(&request)["input"].clone();
    assert_eq!((&input[1]["phase"], &input[2]["phase"]), (&json!("commentary"), &json!("final_answer")));
    assert_eq!(input.as_array().unwrap().len(), 4);
    request.system = "Changed.".into();
    let input = place.body(&request)["input"].clone();
    assert_eq!(input[2]["content"], json!([{ "type": "output_text", "text": "\n\nSunny." }]));
    assert_eq!((input.as_array().unwrap().len(), input[2].get("phase")), (4, None));
}

#[test]
fn an_answer_that_was_cut_says_so_of_its_half_call() {
    let run = sol().read("responses-cut.sse");
    let answer = run.answer();
    assert_eq!((answer.text.as_str(), answer.stop), ("Half of", StopReason::MaxTokens));
    let calls: Vec<_> = answer.tool_calls().map(|call| (call.name.as_str(), call.cut)).collect();
    assert_eq!(calls, [("get_weather", true)]);
}

#[test]
fn refusals_and_failures_are_told() {
    let run = sol().read("responses-refusal.sse");
    let answer = run.answer();
    assert_eq!((answer.stop, answer.text.as_str()), (StopReason::Refusal, ""));
    assert_eq!(answer.stop_detail.as_deref(), Some("I can't help."));
    let quota = sol().read("responses-quota.sse");
    assert_eq!((quota.error().fault, quota.error().detail), (Fault::Quota, Some(Detail::SpendLimit)));
    assert_eq!(
        sol().read("responses-failed.sse").error().fault,
        Fault::RateLimit { retry_after_ms: Some(1_200) }
    );

    let read = |values: &[Value]| sol().read_values(&sol().question(), values);
    let nested = json!({ "type": "error", "error": { "code": "server_error", "message": "x" } });
    assert_eq!(read(&[nested]).error().fault, Fault::Overloaded { retry_after_ms: None });
    let silent = json!({ "type": "response.failed", "response": { "error": null } });
    assert_eq!(read(&[silent]).error().fault, Fault::StreamCut);
    let filtered = json!({ "type": "response.incomplete", "response": { "status": "incomplete", "incomplete_details": { "reason": "content_filter" } } });
    let run = read(&[filtered]);
    assert_eq!(run.answer().stop, StopReason::Refusal);
    assert!(run.answer().stop_detail.as_ref().unwrap().starts_with("content_filter; usage is estimated"));
    assert_eq!(read(&[]).error().fault, Fault::StreamCut);
    for odd in [json!(null), json!(7), json!([]), json!({})] {
        assert_eq!(read(&[odd]).error().fault, Fault::StreamCut);
    }
    assert_eq!(read(&[json!({ "type": 3 })]).error().detail, Some(Detail::WrongProtocol));
}

#[test]
fn a_response_that_comes_only_at_its_end_is_read_from_there() {
    let item = json!({ "type": "function_call", "call_id": "", "name": "now", "arguments": "" });
    let message = json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "Hi." }] });
    let done = json!({ "type": "response.completed", "response": {
        "id": "r", "model": "m", "status": "completed", "output": [message, item],
        "usage": { "input_tokens": 3, "output_tokens": 2 },
    } });
    let run = sol().read_values(&sol().question(), &[done]);
    let answer = run.answer();
    assert_eq!((run.text().as_str(), answer.text.as_str(), answer.stop), ("Hi.", "Hi.", StopReason::ToolUse));
    let call = answer.tool_calls().next().unwrap();
    assert_eq!((call.arguments.clone(), call.id.starts_with("made_")), (json!({}), true));
}

#[test]
fn nulls_of_strict_mode_do_not_reach_the_agent() {
    let place = sol();
    let mut request = place.question();
    request.schema = Some(
        json!({ "type": "object", "properties": { "sky": { "type": "string" }, "wind": { "type": "string" } } }),
    );
    let text = r#"{"sky":"blue","wind":null}"#;
    let item = json!({ "type": "message", "content": [{ "type": "output_text", "text": text }] });
    let run = place.read_values(
        &request,
        &[
            json!({ "type": "response.output_text.delta", "output_index": 0, "delta": text }),
            json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
            json!({ "type": "response.completed", "response": { "status": "completed" } }),
        ],
    );
    assert_eq!(run.answer().text, r#"{"sky":"blue"}"#);
}

#[test]
fn tokens_are_counted_where_the_host_can() {
    let place = sol();
    let mut request = place.question();
    request.thinking = true;
    request.system = "Be brief.".into();
    let call = place.codec.count(&request, place.target()).unwrap().unwrap();
    assert_eq!(call.path, "responses/input_tokens");
    assert_eq!(
        serde_json::from_str::<Value>(&call.body.unwrap()).unwrap(),
        json!({
            "model": "gpt-6.1-sol",
            "instructions": "Be brief.",
            "input": [
                { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "Weather in Lyon?" }] },
            ],
            "reasoning": { "effort": "medium", "summary": "auto" },
        })
    );
    assert_eq!(
        place.codec.counted(&json!({ "object": "response.input_tokens", "input_tokens": 11 })),
        Some(11)
    );
    assert_eq!(place.codec.counted(&json!({})), None);
    let elsewhere = sol().at("http://127.0.0.1:1234/v1/");
    assert!(elsewhere.codec.count(&request, elsewhere.target()).is_none());
}

#[test]
fn an_answer_cut_anywhere_is_never_half_an_answer() {
    let place = sol();
    let request = place.question();
    for name in FIXTURES {
        every_prefix(|| place.reader(&request), &fixture_frames(&format!("openai/{name}")));
    }
}

fn ends(frame: &Frame) -> bool {
    let kind =
        serde_json::from_str::<Value>(&frame.data).map(|event| event["type"].clone()).unwrap_or_default();
    ["response.completed", "response.incomplete", "response.failed"].iter().any(|end| kind == *end)
}

#[test]
fn recorded_answers_are_read_with_the_providers_own_figures() {
    let place = sol();
    let request = place.question();
    let mut streams = recorded("vercel-ai/openai_src_responses__");
    streams.extend(recorded("vercel-ai/open-responses_src_responses__"));
    streams
        .extend(recorded("vercel-ai/azure__").into_iter().filter(|stream| !stream.name.contains("deepseek")));
    let (mut read, mut failed) = (0, 0);
    for stream in streams {
        for frames in answers(&stream.frames, ends) {
            let name = &stream.name;
            let run = run(place.reader(&request), &frames);
            let events: Vec<Value> =
                frames.iter().map(|frame| serde_json::from_str(&frame.data).unwrap_or_default()).collect();
            if name.contains("openai-error") {
                assert_eq!((run.error().fault, run.error().detail), (Fault::Quota, Some(Detail::SpendLimit)));
                failed += 1;
                continue;
            }
            if events.iter().any(Value::is_null) {
                assert_eq!(run.error().fault, Fault::Malformed, "{name}");
                failed += 1;
                continue;
            }
            let answer = run.answer();
            let usage = &events.last().unwrap()["response"]["usage"];
            let figure = |path: &str| usage.pointer(path).and_then(Value::as_u64).unwrap_or_default();
            let (cached, written) = (
                figure("/input_tokens_details/cached_tokens"),
                figure("/input_tokens_details/cache_write_tokens"),
            );
            assert_eq!(
                answer.usage,
                Usage {
                    input: figure("/input_tokens") - cached - written,
                    output: figure("/output_tokens"),
                    thinking: figure("/output_tokens_details/reasoning_tokens"),
                    cache_read: cached,
                    cache_write: written,
                    cache_write_long: 0,
                },
                "{name}"
            );
            assert_eq!(answer.usage.total(), figure("/total_tokens"), "{name}");
            // Some recordings leave pieces out: what an item holds when it is done is the whole.
            let texts = events
                .iter()
                .filter(|event| {
                    event["type"] == "response.output_item.done" && event["item"]["type"] == "message"
                })
                .map(|event| event["item"]["content"].as_array().unwrap())
                .map(|parts| parts.iter().map(|part| part["text"].as_str().unwrap()).collect::<String>());
            assert_eq!(answer.text, texts.collect::<Vec<_>>().join("\n\n"), "{name}");
            // In one of them the pieces are not those of the whole.
            assert!(answer.text == run.text() || name.contains("shell-container"), "{name}");
            let calls = events
                .iter()
                .filter(|event| {
                    event["type"] == "response.output_item.done" && event["item"]["type"] == "function_call"
                })
                .map(|event| {
                    (event["item"]["call_id"].as_str().unwrap(), event["item"]["arguments"].as_str().unwrap())
                });
            let calls: Vec<_> =
                calls.map(|(id, text)| (id.to_owned(), serde_json::from_str(text).unwrap())).collect();
            let got: Vec<_> =
                answer.tool_calls().map(|call| (call.id.clone(), call.arguments.clone())).collect();
            assert_eq!(got, calls, "{name}");
            assert_eq!(answer.stop == StopReason::ToolUse, !calls.is_empty(), "{name}");
            let whole: String = frames.iter().map(|frame| frame.data.as_str()).collect();
            for part in &answer.parts {
                if let Part::Opaque { raw, .. } = part {
                    assert!(whole.contains(raw.as_str()), "{name}");
                }
            }
            read += 1;
        }
    }
    println!("{read} recorded answers read, {failed} recorded failures told");
}

#[test]
fn recorded_answers_cut_anywhere_are_never_half_answers() {
    let place = sol();
    let request = place.question();
    for stream in recorded("vercel-ai/openai_src_responses__") {
        for frames in answers(&stream.frames, ends) {
            // The longest repeat the same few events hundreds of times.
            if frames.len() <= 400 {
                every_prefix(|| place.reader(&request), &frames);
            }
        }
    }
}
