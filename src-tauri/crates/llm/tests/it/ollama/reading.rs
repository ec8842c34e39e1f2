use domain::Usage;
use llm::http::frames::Decoder;
use llm::wire::ollama::Ollama;
use llm::wire::{Codec as _, Frame, Framing, Refusal};
use llm::{
    Detail, Fault, ModelAnswer, ModelRequest, Part, ProviderError, StopReason, StreamEvent, ThinkingStyle,
};
use pretty_assertions::assert_eq;
use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};
use serde_json::{Value, json};

use super::{question, reader};
use crate::wire_support::{Run, every_prefix, every_split, fixture, fixture_frames, run};

const FIXTURES: [&str; 3] = ["ollama/text.ndjson", "ollama/thinking-tools.ndjson", "ollama/broken.ndjson"];

fn read(name: &str) -> Run {
    run(reader(&question()), &fixture_frames(name))
}

fn read_line(line: &str) -> Run {
    run(reader(&question()), &[Frame { event: None, data: line.into() }])
}

fn done(request: &ModelRequest, fields: Value) -> ModelAnswer {
    let mut line =
        json!({ "model": "qwen3:8b", "message": { "role": "assistant", "content": "x" }, "done": true });
    line.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    run(reader(request), &[Frame { event: None, data: line.to_string() }]).answer().clone()
}

#[test]
fn text_is_read_with_the_servers_own_figures() {
    assert_eq!(
        read("ollama/text.ndjson").events,
        [
            StreamEvent::Started { response_id: None },
            StreamEvent::Text("Il fait ".into()),
            StreamEvent::Text("12 °C à Lyon.".into()),
            StreamEvent::Finished(ModelAnswer::of_text(
                "Il fait 12 °C à Lyon.",
                "qwen3:8b",
                Usage { input: 26, output: 9, ..Usage::default() },
                StopReason::EndTurn,
            )),
        ]
    );
}

#[test]
fn thinking_and_calls_are_read_and_calls_without_ids_get_one() {
    let read = read("ollama/thinking-tools.ndjson");
    let answer = read.answer();
    assert_eq!((answer.thinking.as_str(), answer.text.as_str()), ("Two cities.", "Let me look."));
    assert_eq!(answer.stop, StopReason::ToolUse);
    let calls: Vec<(&str, &Value)> =
        answer.tool_calls().map(|call| (call.name.as_str(), &call.arguments)).collect();
    assert_eq!(
        calls,
        [
            ("get_weather", &json!({ "city": "Lyon" })),
            ("get_weather", &json!({ "city": "Nice" })),
            ("now", &json!({})),
        ]
    );
    let ids: Vec<&str> = answer.tool_calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids[0], "call_x1");
    assert!(ids[1] != ids[2] && ids[1..].iter().all(|id| id.len() <= 64), "{ids:?}");
    // The next question of the conversation makes others.
    let mut later = question();
    later.messages.push(llm::Message::user("Again."));
    let again = run(reader(&later), &fixture_frames("ollama/thinking-tools.ndjson"));
    assert_ne!(again.answer().tool_calls().nth(1).unwrap().id, ids[1]);
    let Some(Part::Opaque { origin, raw }) = answer.parts.first() else { panic!() };
    assert_eq!(
        (origin.provider.as_str(), raw.as_str()),
        ("ollama@127.0.0.1", "{\"thinking\":\"Two cities.\"}")
    );
}

#[test]
fn every_reason_to_end_means_something() {
    let request = question();
    for (fields, stop, detail) in [
        (json!({ "done_reason": "stop" }), StopReason::EndTurn, None),
        (json!({}), StopReason::EndTurn, None),
        (json!({ "done_reason": "length", "eval_count": 1000 }), StopReason::MaxTokens, None),
        (
            json!({ "done_reason": "length", "prompt_eval_count": 8000, "eval_count": 190 }),
            StopReason::ContextWindow,
            None,
        ),
        (json!({ "done_reason": "load" }), StopReason::Other, Some("the server only loaded the model")),
        (json!({ "done_reason": "unload" }), StopReason::Other, Some("the server only unloaded the model")),
        (json!({ "done_reason": "new" }), StopReason::Other, Some("new")),
    ] {
        let answer = done(&request, fields.clone());
        assert_eq!((answer.stop, answer.stop_detail.as_deref()), (stop, detail), "{fields}");
    }
}

#[test]
fn an_input_that_was_cut_is_told() {
    let answer =
        done(&question(), json!({ "prompt_eval_count": 8190, "eval_count": 2, "done_reason": "stop" }));
    assert_eq!(answer.stop_detail.as_deref(), Some("the input was cut by the server"));
    let answer =
        done(&question(), json!({ "prompt_eval_count": 8000, "eval_count": 2, "done_reason": "stop" }));
    assert_eq!(answer.stop_detail, None);
}

#[test]
fn figures_that_are_missing_are_nothing() {
    let answer = done(&question(), json!({ "eval_count": 4 }));
    assert_eq!(answer.usage, Usage { output: 4, ..Usage::default() });
}

#[test]
fn what_servers_write_differently_is_read_too() {
    let line = json!({
        "message": { "content": null, "reasoning_content": "Hm.", "tool_calls": [
            { "function": { "name": "a", "arguments": "{\"x\":1}" } },
            { "function": { "name": "b", "arguments": "" } },
            { "function": { "name": "c", "arguments": "{\"x\":" } },
            { "function": { "name": "d" } }
        ] },
        "done": true, "done_reason": "stop", "new_field": {}
    });
    let run = read_line(&line.to_string());
    let answer = run.answer();
    assert_eq!(answer.thinking, "Hm.");
    let calls: Vec<(Value, Option<&str>)> =
        answer.tool_calls().map(|call| (call.arguments.clone(), call.raw.as_deref())).collect();
    assert_eq!(
        calls,
        [(json!({ "x": 1 }), None), (json!({}), None), (Value::Null, Some("{\"x\":")), (json!({}), None)]
    );
    assert_eq!(answer.model, "qwen3:8b");
}

#[test]
fn errors_within_a_stream_are_errors() {
    let broken = read("ollama/broken.ndjson");
    assert_eq!(broken.error().fault, Fault::Overloaded { retry_after_ms: None });
    assert!(broken.error().message.contains("unexpected EOF"));
    let too_long = read_line(
        &json!({ "error": "the input length exceeds the context length", "status": 400 }).to_string(),
    );
    assert_eq!(too_long.error().fault, Fault::ContextTooLong);
    let object =
        read_line(&json!({ "error": { "message": "Slow down", "type": "x" }, "status": 429 }).to_string());
    assert_eq!(object.error().fault, Fault::RateLimit { retry_after_ms: None });
    for line in ["{", "hello", "[]", "{\"done\":7}", "{\"message\":[]}", "data: {}"] {
        assert_eq!(read_line(line).error().fault, Fault::Malformed, "{line}");
    }
    assert_eq!(read_line("{}").error().fault, Fault::StreamCut);
    assert_eq!(read_line("").error().fault, Fault::StreamCut);
}

#[test]
fn every_cut_of_every_fixture_is_an_error_or_one_whole_answer() {
    for name in FIXTURES {
        every_prefix(|| reader(&question()), &fixture_frames(name));
    }
}

#[test]
fn bytes_split_anywhere_give_the_same_frames() {
    for name in FIXTURES {
        every_split(fixture(name).as_bytes(), |pieces| {
            let (mut decoder, mut frames) = (Decoder::new(Framing::Lines), Vec::new());
            for piece in pieces {
                decoder.push(piece, &mut frames).unwrap();
            }
            decoder.finish(&mut frames).unwrap();
            frames
        });
    }
}

fn refused(status: u16, body: &str) -> ProviderError {
    Ollama.refusal(Refusal { status, headers: &HeaderMap::new(), body })
}

fn error(status: u16, text: &str) -> ProviderError {
    refused(status, &json!({ "error": text }).to_string())
}

#[test]
fn refusals_are_told_apart() {
    for (got, fault) in [
        (error(400, "\"llama3\" does not support tools"), Fault::BadRequest),
        (error(400, "the input length exceeds the context length"), Fault::ContextTooLong),
        (error(401, "unauthorized"), Fault::Auth),
        (error(402, "payment required"), Fault::Quota),
        (error(403, "this model requires a subscription, upgrade for access"), Fault::Permission),
        (
            error(429, "you (x) have reached your hourly usage limit"),
            Fault::RateLimit { retry_after_ms: None },
        ),
        (error(429, "you (x) have reached your weekly usage limit"), Fault::Quota),
        (
            error(500, "model requires more system memory (5.6 GiB) than is available (3.1 GiB)"),
            Fault::BadRequest,
        ),
        (error(500, "model runner has unexpectedly stopped"), Fault::Overloaded { retry_after_ms: None }),
        (error(503, "server busy, please try again"), Fault::Overloaded { retry_after_ms: None }),
        (refused(500, "{\"error\":{\"message\":\"oops\"}}"), Fault::Overloaded { retry_after_ms: None }),
        (refused(502, "<html>Bad Gateway</html>"), Fault::Overloaded { retry_after_ms: None }),
    ] {
        assert_eq!((got.fault, got.provider.as_str()), (fault, "ollama"), "{}", got.message);
        assert!(!got.message.is_empty());
    }
    for said in ["model 'mistral:7b' not found", "model \"mistral:7b\" not found, try pulling it first"] {
        let unknown = error(404, said);
        assert_eq!((unknown.fault, unknown.detail), (Fault::BadRequest, Some(Detail::ModelUnknown)));
        assert_eq!(unknown.message, "it does not have the model mistral:7b; pull it: ollama pull mistral:7b");
    }
    let elsewhere = refused(404, "404 page not found");
    assert_eq!((elsewhere.fault, elsewhere.detail), (Fault::BadRequest, Some(Detail::WrongProtocol)));
    assert!(error(401, "unauthorized").message.contains("ollama signin"));
    let mut headers = HeaderMap::new();
    headers.insert(RETRY_AFTER, HeaderValue::from_static("3"));
    let busy = Ollama.refusal(Refusal { status: 503, headers: &headers, body: "" });
    assert_eq!(busy.fault, Fault::Overloaded { retry_after_ms: Some(3_000) });
}

#[test]
fn the_list_tells_windows_and_abilities_where_the_server_does() {
    assert_eq!(Ollama.list().unwrap().path, "api/tags");
    let models = Ollama.listed(&json!({ "models": [
        { "name": "qwen3:8b", "model": "qwen3:8b", "details": { "context_length": 40960 },
          "capabilities": ["completion", "tools", "thinking"] },
        { "name": "gpt-oss:20b", "details": { "context_length": 131072 }, "capabilities": ["completion", "tools", "thinking"] },
        { "name": "llava:7b", "capabilities": ["completion", "vision"], "details": { "context_length": 0 } },
        { "name": "nomic-embed-text", "capabilities": ["embedding"] },
        { "name": "old:1b", "details": { "family": "llama" } },
        { "size": 3 }
    ] }));
    let ids: Vec<&str> = models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, ["qwen3:8b", "gpt-oss:20b", "llava:7b", "old:1b"]);
    assert_eq!((models[0].context_window, models[0].abilities.thinking), (40_960, ThinkingStyle::Switch));
    assert_eq!(
        (models[1].abilities.thinking, models[1].abilities.thinking_off),
        (ThinkingStyle::Effort, false)
    );
    let llava = &models[2];
    assert_eq!((llava.context_window, llava.abilities.images, llava.abilities.tools), (32_768, true, false));
    assert_eq!((models[3].abilities.tools, models[3].thinking), (true, false));
    for model in &models {
        assert!(
            model.price == Default::default()
                && model.priced
                && model.structured
                && !model.abilities.documents
        );
    }
    assert_eq!(Ollama.listed(&json!({ "models": null })), []);
    assert_eq!(Ollama.listed(&json!([])), []);
}
