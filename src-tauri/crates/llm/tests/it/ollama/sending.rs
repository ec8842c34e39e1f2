use domain::agent::Effort;
use llm::wire::ollama::Ollama;
use llm::wire::{AuthScheme, Codec as _};
use llm::{Detail, Fault, Message, ModelInfo, ModelRequest, Part, Role, ThinkingStyle, ToolChoice};
use pretty_assertions::assert_eq;
use secrecy::SecretString;
use serde_json::{Value, json};

use super::{able, at, body, body_for, question, reader, weather, with_target};
use crate::wire_support::{fixture_frames, run};

#[test]
fn a_plain_question_goes_out_whole() {
    let mut request = question();
    request.system = "Be brief.".into();
    assert_eq!(
        body(&request),
        json!({
            "model": "qwen3:8b",
            "messages": [
                { "role": "system", "content": "Be brief." },
                { "role": "user", "content": "Weather in Lyon and Nice?" }
            ],
            "stream": true, "truncate": false, "shift": false, "think": false,
            "options": { "num_ctx": 8192, "num_predict": 1000 }
        })
    );
}

#[test]
fn the_context_is_the_smallest_step_that_holds_input_and_output() {
    let context = |text: &str, output: u64, window: u64| {
        let mut request = question();
        request.messages[0].content = text.into();
        request.max_output_tokens = output;
        let model = ModelInfo { context_window: window, ..able() };
        body_for(&request, &model)["options"]["num_ctx"].as_u64().unwrap()
    };
    let long = "word ".repeat(9_000);
    assert_eq!(context("hi", 100, 131_072), 8_192);
    assert_eq!(context("hi", 9_000, 131_072), 16_384);
    assert_eq!(context(&long, 9_000, 131_072), 32_768);
    // Never more than the model has, and all of it where its window is small.
    assert_eq!(context(&long, 9_000, 20_000), 20_000);
    assert_eq!(context("hi", 100, 4_096), 4_096);
    assert_eq!(context(&long, 9_000, 0), 32_768);
    assert_eq!(context("hi", u64::MAX, 131_072), 131_072);
    let mut request = question();
    let model = ModelInfo { context_window: 1 << 20, ..able() };
    let with = |request: &ModelRequest| body_for(request, &model)["options"]["num_ctx"].as_u64().unwrap();
    request.messages[0].parts = vec![Part::Text { text: long.clone() }];
    assert_eq!(with(&request), 16_384, "parts count");
    request.messages[0].parts.clear();
    request.tools = vec![weather()];
    request.tools[0].description = long;
    assert_eq!(with(&request), 16_384, "tools count");
}

#[test]
fn thinking_is_asked_for_only_where_the_model_has_it() {
    let think = |model: &ModelInfo, name: &str, thinking: bool, effort: Option<Effort>| {
        let request = ModelRequest { model: name.into(), thinking, effort, ..question() };
        body_for(&request, model).get("think").cloned()
    };
    let mut model = able();
    assert_eq!(think(&model, "qwen3:8b", true, Some(Effort::Low)), Some(true.into()));
    assert_eq!(think(&model, "qwen3:8b", false, None), Some(false.into()));
    // These take an effort and nothing else.
    assert_eq!(think(&model, "gpt-oss:20b", true, None), Some("medium".into()));
    assert_eq!(think(&model, "gpt-oss:20b", true, Some(Effort::Max)), Some("high".into()));
    assert_eq!(think(&model, "gpt-oss:20b", false, None), Some("low".into()));
    model.abilities.thinking_off = false;
    assert_eq!(think(&model, "qwen3:8b", false, None), None);
    model.abilities.thinking = ThinkingStyle::None;
    assert_eq!(think(&model, "qwen3:8b", true, None), None);
    assert_eq!(think(&model, "qwen3:8b", false, None), None);
}

#[test]
fn tools_go_out_where_the_model_calls_them_and_a_call_can_not_be_forced() {
    let mut request = question();
    request.tools = vec![weather()];
    let both = body(&request);
    assert_eq!(
        both["tools"],
        json!([{ "type": "function", "function": {
            "name": "get_weather", "description": "The weather now.",
            "parameters": { "type": "object", "properties": { "city": { "type": "string" } } }
        } }])
    );
    assert_eq!(both.get("tool_choice"), None);
    request.tool_choice = ToolChoice::None;
    assert_eq!(body(&request).get("tools"), None);
    request.tool_choice = ToolChoice::Required;
    let refused = |model: &ModelInfo, request: &ModelRequest| {
        with_target(model, |target| Ollama.encode(request, target)).unwrap_err()
    };
    let forced = refused(&ModelInfo { ..able() }, &request);
    assert!(
        forced.fault == Fault::BadRequest && forced.message.contains("can't make a model call"),
        "{forced}"
    );
    request.tool_choice = ToolChoice::Auto;
    let mut model = able();
    model.abilities.tools = false;
    let without = refused(&model, &request);
    assert!(without.message.contains("calls no tools"), "{without}");
    request.tools.clear();
    request.tool_choice = ToolChoice::Required;
    assert_eq!(body(&request).get("tools"), None);
}

#[test]
fn an_answer_by_a_schema_is_a_grammar_unless_tools_may_be_called() {
    let mut request = question();
    request.schema = Some(json!({
        "type": "object", "properties": { "a": { "type": "string", "pattern": "x" } }, "required": ["a"]
    }));
    let native = body(&request);
    assert_eq!(
        native["format"],
        json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] })
    );
    assert_eq!(native["messages"][0]["role"], "user");
    request.tools = vec![weather()];
    let in_words = body(&request);
    assert_eq!(in_words.get("format"), None);
    assert!(in_words["messages"][0]["content"].as_str().unwrap().contains("JSON Schema"));
    request.tool_choice = ToolChoice::None;
    assert!(body(&request).get("format").is_some());
}

#[test]
fn the_second_request_of_a_loop_has_the_calls_and_what_they_gave() {
    let mut request = question();
    request.tools = vec![weather()];
    request.thinking = true;
    let answer = run(reader(&request), &fixture_frames("ollama/thinking-tools.ndjson")).answer().clone();
    let results = answer.tool_calls().map(|call| Part::ToolResult {
        call: call.id.clone(),
        name: call.name.clone(),
        content: "12C".into(),
        is_error: call.name == "now",
    });
    let results =
        Message { role: Role::User, content: "And?".into(), parts: results.collect(), cache: false };
    let said = Message { role: Role::Assistant, content: String::new(), parts: answer.parts, cache: false };
    request.messages.extend([said, results]);
    let mut messages = json!([
        { "role": "user", "content": "Weather in Lyon and Nice?" },
        { "role": "assistant", "content": "Let me look.", "thinking": "Two cities.", "tool_calls": [
            { "id": "call_x1", "function": { "index": 0, "name": "get_weather", "arguments": { "city": "Lyon" } } },
            { "function": { "index": 1, "name": "get_weather", "arguments": { "city": "Nice" } } },
            { "function": { "index": 2, "name": "now", "arguments": {} } }
        ] },
        { "role": "tool", "tool_name": "get_weather", "tool_call_id": "call_x1", "content": "12C" },
        { "role": "tool", "tool_name": "get_weather", "content": "12C" },
        { "role": "tool", "tool_name": "now", "content": "Error: 12C" },
        { "role": "user", "content": "And?" }
    ]);
    assert_eq!(body(&request)["messages"], messages);
    // Another model does not get the thinking of this one.
    request.model = "llama3".into();
    messages[1].as_object_mut().unwrap().remove("thinking");
    assert_eq!(body(&request)["messages"], messages);
}

#[test]
fn pictures_go_as_plain_base64_and_documents_are_refused() {
    let mut request = question();
    request.messages[0].parts = vec![
        Part::Image { media_type: "image/png".into(), data: "iVBO".into() },
        Part::Text { text: "What is it?".into() },
    ];
    assert_eq!(
        body(&request)["messages"],
        json!([{ "role": "user", "content": "Weather in Lyon and Nice?\n\nWhat is it?", "images": ["iVBO"] }])
    );
    let mut blind = able();
    blind.abilities.images = false;
    let refused = with_target(&blind, |target| Ollama.encode(&request, target)).unwrap_err();
    assert!(refused.message.contains("does not read images"), "{refused}");
    let document =
        Part::Document { media_type: "application/pdf".into(), name: "a.pdf".into(), data: "JVBE".into() };
    request.messages[0].parts = vec![document];
    let refused = with_target(&able(), |target| Ollama.encode(&request, target)).unwrap_err();
    assert!(refused.fault == Fault::BadRequest && refused.message.contains("a.pdf"), "{refused}");
}

#[test]
fn the_address_of_the_compatible_protocol_is_refused_with_what_to_do() {
    let refused =
        at("http://127.0.0.1:11434/v1/", &able(), |target| Ollama.encode(&question(), target)).unwrap_err();
    assert_eq!((refused.fault, refused.detail), (Fault::BadRequest, Some(Detail::Settings)));
    assert!(refused.message.contains("openai-chat"), "{refused}");
}

#[test]
fn a_key_goes_as_a_bearer_token() {
    for bearing in [AuthScheme::Key, AuthScheme::Bearer, AuthScheme::Oauth] {
        let headers = Ollama.credential(&SecretString::from("k-1"), bearing).unwrap();
        let [(name, value)] = &headers[..] else { panic!() };
        assert_eq!((name.as_str(), value.to_str().unwrap()), ("authorization", "Bearer k-1"));
    }
    assert_eq!(
        Ollama.credential(&SecretString::from("k\r1"), AuthScheme::Key).unwrap_err().fault,
        Fault::Auth
    );
}

#[test]
fn an_answer_that_was_nothing_leaves_no_message() {
    let mut request = question();
    request.messages.extend([Message::assistant(""), Message::user("Go on.")]);
    let roles: Vec<Value> = body(&request)["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].clone())
        .collect();
    assert_eq!(roles, ["user", "user"]);
}
