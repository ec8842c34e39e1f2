use domain::Usage;
use llm::http::frames::{Decoder, decode};
use llm::wire::gemini::Gemini;
use llm::wire::{Codec as _, Frame, Framing, Refusal};
use llm::{
    Detail, Fault, ModelAnswer, Part, Prices, ProviderError, StopReason, StreamEvent, ThinkingStyle, ToolCall,
};
use pretty_assertions::assert_eq;
use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};
use serde_json::{Value, json};

use super::{body, question, reader, with_target};
use crate::wire_support::{Run, every_prefix, every_split, fixture, fixture_frames, recorded, run};

const FIXTURES: [&str; 8] = [
    "gemini/text.sse",
    "gemini/thinking-tools.sse",
    "gemini/signed-text.sse",
    "gemini/pieces.sse",
    "gemini/blocked.sse",
    "gemini/overloaded.sse",
    "gemini/part-one.sse",
    "gemini/part-two.sse",
];

fn read(name: &str) -> Run {
    run(reader(&question("gemini-3.8-flash")), &fixture_frames(name))
}

fn frame(value: Value) -> Frame {
    Frame { event: None, data: value.to_string() }
}

fn read_chunks(chunks: &[Value]) -> Run {
    let frames: Vec<Frame> = chunks.iter().cloned().map(frame).collect();
    run(reader(&question("gemini-3.8-flash")), &frames)
}

fn call(id: &str, arguments: Value, signature: Option<&str>) -> Part {
    Part::ToolCall(ToolCall {
        id: id.into(),
        name: "get_weather".into(),
        arguments,
        raw: None,
        signature: signature.map(str::to_owned),
        cut: false,
    })
}

#[test]
fn text_is_read_with_the_providers_own_figures() {
    let read = read("gemini/text.sse");
    assert_eq!(
        read.events,
        [
            StreamEvent::Started { response_id: Some("r1".into()) },
            StreamEvent::Text("Il fait ".into()),
            StreamEvent::Text("12 °C à Lyon.".into()),
            StreamEvent::Finished(ModelAnswer {
                response_id: Some("r1".into()),
                ..ModelAnswer::of_text(
                    "Il fait 12 °C à Lyon.",
                    "gemini-3.8-flash",
                    Usage { input: 11, output: 9, cache_read: 30, ..Usage::default() },
                    StopReason::EndTurn,
                )
            }),
        ]
    );
}

#[test]
fn thinking_calls_and_signatures_are_read() {
    let read = read("gemini/thinking-tools.sse");
    let answer = read.answer();
    assert_eq!(answer.thinking, "Two cities. I ask for both.");
    assert_eq!((answer.text.as_str(), answer.stop), ("Let me look.", StopReason::ToolUse));
    let request = question("gemini-3.8-flash");
    let Some(Part::Opaque { origin, raw }) = answer.parts.last() else { panic!() };
    assert_eq!(
        answer.parts[..3],
        [
            Part::Text { text: "Let me look.".into() },
            call("k1", json!({ "city": "Lyon" }), Some("CqQB+/==")),
            call("k2", json!({ "city": "Nice" }), None),
        ]
    );
    assert_eq!(raw, "{\"text\":\"\",\"thoughtSignature\":\"EpEg\"}");
    assert_eq!(origin.provider, "gemini@generativelanguage.googleapis.com");
    assert_eq!((origin.model.as_str(), origin.prefix), ("gemini-3.8-flash", request.prefix(1)));
    // Thinking is output; what tools read on the provider's side is input.
    assert_eq!(answer.usage, Usage { input: 45, output: 30, thinking: 12, ..Usage::default() });
    let begun: Vec<&StreamEvent> =
        read.events.iter().filter(|event| matches!(event, StreamEvent::ToolCallBegun { .. })).collect();
    assert_eq!(begun.len(), 2);
    assert_eq!(read.thinking(), answer.thinking);
}

#[test]
fn arguments_that_arrive_in_pieces_are_put_together() {
    let read = read("gemini/pieces.sse");
    let calls: Vec<(&str, &Value)> =
        read.answer().tool_calls().map(|call| (call.name.as_str(), &call.arguments)).collect();
    assert_eq!(
        calls,
        [
            ("now", &json!({})),
            ("cook", &json!({ "dish": "Lasagna", "steps": [{ "minutes": 25, "hot": true }] })),
            ("serve", &json!({ "guests": 4 })),
        ]
    );
    for call in read.answer().tool_calls() {
        assert!(
            call.id.len() <= 64 && call.id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'),
            "{}",
            call.id
        );
    }
    assert_eq!(read.answer().usage, Usage { input: 31, output: 69, thinking: 9, ..Usage::default() });
}

#[test]
fn calls_that_are_only_begun_are_cut_or_no_calls() {
    let candidate = |part: Value, reason: Option<&str>| json!({ "candidates": [{ "content": { "parts": [part] }, "finishReason": reason }] });
    let begun = candidate(json!({ "functionCall": { "name": "cook", "willContinue": true } }), None);
    let piece = json!({ "jsonPath": "$.dish", "stringValue": "Las", "willContinue": true });
    let piece = candidate(json!({ "functionCall": { "partialArgs": [piece], "willContinue": true } }), None);
    let cut =
        read_chunks(&[begun.clone(), piece.clone(), candidate(json!({ "text": "" }), Some("MAX_TOKENS"))]);
    let calls: Vec<_> = cut.answer().tool_calls().map(|call| (call.name.as_str(), call.cut)).collect();
    assert_eq!((cut.answer().stop, calls), (StopReason::MaxTokens, vec![("cook", true)]));
    let stopped = read_chunks(&[begun, piece, candidate(json!({ "text": "" }), Some("STOP"))]);
    assert_eq!(stopped.error().fault, Fault::Malformed);
    let nameless = read_chunks(&[candidate(json!({ "functionCall": { "args": {} } }), Some("STOP"))]);
    assert_eq!(nameless.error().fault, Fault::Malformed);
    let no_object =
        read_chunks(&[candidate(json!({ "functionCall": { "name": "f", "args": [1] } }), Some("STOP"))]);
    let call = no_object.answer().tool_calls().next().unwrap().clone();
    assert_eq!((call.arguments, call.raw.as_deref()), (Value::Null, Some("[1]")));
}

#[test]
fn every_reason_to_end_means_something() {
    let end = |reason: &str, message: Option<&str>| {
        let candidate = json!({
            "content": { "parts": [{ "text": "Half" }] }, "finishReason": reason, "finishMessage": message
        });
        let usage = json!({ "promptTokenCount": 5, "candidatesTokenCount": 7 });
        read_chunks(&[json!({ "candidates": [candidate], "usageMetadata": usage })])
    };
    for (reason, stop, detail) in [
        ("STOP", StopReason::EndTurn, None),
        ("MAX_TOKENS", StopReason::MaxTokens, None),
        ("SAFETY", StopReason::Refusal, Some("SAFETY")),
        ("RECITATION", StopReason::Refusal, Some("RECITATION")),
        ("LANGUAGE", StopReason::Refusal, Some("LANGUAGE")),
        ("BLOCKLIST", StopReason::Refusal, Some("BLOCKLIST")),
        ("PROHIBITED_CONTENT", StopReason::Refusal, Some("PROHIBITED_CONTENT")),
        ("SPII", StopReason::Refusal, Some("SPII")),
        ("IMAGE_SAFETY", StopReason::Refusal, Some("IMAGE_SAFETY")),
        ("OTHER", StopReason::Other, Some("OTHER")),
        ("NO_IMAGE", StopReason::Other, Some("NO_IMAGE")),
        ("TOO_MANY_TOOL_CALLS", StopReason::Other, Some("TOO_MANY_TOOL_CALLS")),
        ("SOMETHING_NEW", StopReason::Other, Some("SOMETHING_NEW")),
        ("CONTINUATION", StopReason::MaxTokens, Some("the answer could not be continued")),
    ] {
        let run = end(reason, None);
        let answer = run.answer();
        assert_eq!((answer.stop, answer.stop_detail.as_deref()), (stop, detail), "{reason}");
        assert_eq!((answer.text.as_str(), answer.usage.output), ("Half", 7), "{reason}");
    }
    assert_eq!(end("SPII", Some("a number")).answer().stop_detail.as_deref(), Some("SPII: a number"));
    for reason in ["MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL"] {
        let run = end(reason, Some("print(1"));
        assert_eq!((run.error().fault, run.error().streamed_tokens), (Fault::Malformed, 7), "{reason}");
        assert!(run.error().message.contains("print(1"));
    }
    assert_eq!(end("MISSING_THOUGHT_SIGNATURE", None).error().fault, Fault::BadRequest);
}

#[test]
fn a_blocked_prompt_is_a_refusal_that_cost_its_input() {
    let read = read("gemini/blocked.sse");
    let answer = read.answer();
    assert_eq!(answer.stop, StopReason::Refusal);
    assert_eq!(answer.stop_detail.as_deref(), Some("the prompt was blocked: PROHIBITED_CONTENT"));
    assert_eq!(answer.usage, Usage { input: 12, ..Usage::default() });
}

#[test]
fn an_answer_that_goes_on_in_another_call_is_one_answer() {
    let request = question("gemini-4-argon");
    let mut reader = reader(&request);
    let mut events = Vec::new();
    for frame in fixture_frames("gemini/part-one.sse") {
        events.extend(reader.frame(&frame).unwrap());
    }
    assert_eq!(reader.continuation(), None);
    assert_eq!(reader.end().unwrap(), []);
    let token = reader.continuation().unwrap();
    assert_eq!(token, "tok/1==");
    let call = with_target(&super::model("gemini-4-argon"), |target| {
        Gemini.encode_continued(&request, target, &token)
    });
    let mut expected = body(&request);
    expected["continuationToken"] = "tok/1==".into();
    assert_eq!(serde_json::from_str::<Value>(&call.unwrap().body.unwrap()).unwrap(), expected);
    for frame in fixture_frames("gemini/part-two.sse") {
        events.extend(reader.frame(&frame).unwrap());
    }
    assert_eq!(reader.continuation(), None);
    events.extend(reader.end().unwrap());
    let run = Run { events, error: None };
    let answer = run.answer();
    assert_eq!((answer.text.as_str(), answer.stop), ("Chapter one. Chapter two.", StopReason::EndTurn));
    assert_eq!(run.text(), answer.text);
    assert_eq!(
        answer.usage,
        Usage { input: 120, output: 65_590, thinking: 10, cache_read: 100, ..Usage::default() }
    );
    assert_eq!(run.events.iter().filter(|event| matches!(event, StreamEvent::Started { .. })).count(), 1);
}

#[test]
fn an_answer_that_goes_on_and_on_comes_to_an_end() {
    let mut reader = reader(&question("gemini-4-argon"));
    let chunk = frame(json!({ "candidates": [{
        "content": { "parts": [{ "text": "x" }] }, "finishReason": "CONTINUATION", "continuationToken": "t"
    }] }));
    for round in 0.. {
        assert!(round < 1_000);
        reader.frame(&chunk).unwrap();
        let events = reader.end().unwrap();
        if let [StreamEvent::Finished(answer)] = &events[..] {
            assert_eq!(answer.stop, StopReason::MaxTokens);
            break;
        }
        assert!(reader.continuation().is_some());
    }
    assert_eq!(reader.continuation(), None);
}

#[test]
fn a_continued_answer_that_is_cut_is_cut() {
    let mut reader = reader(&question("gemini-4-argon"));
    for frame in fixture_frames("gemini/part-one.sse") {
        reader.frame(&frame).unwrap();
    }
    reader.end().unwrap();
    let cut = reader.end().unwrap_err();
    assert_eq!((cut.fault, cut.streamed_tokens), (Fault::StreamCut, 65_546));
}

#[test]
fn errors_within_a_stream_mean_what_they_mean_elsewhere() {
    let run = read("gemini/overloaded.sse");
    assert_eq!(run.error().fault, Fault::Overloaded { retry_after_ms: Some(2_500) });
    assert_eq!(run.error().streamed_tokens, 2);
    for broken in
        ["{", "hello", "[]", "7", "{\"candidates\":{}}", "{\"candidates\":[{\"content\":{\"parts\":[7]}}]}"]
    {
        let run = run_of(broken);
        assert_eq!(run.error().fault, Fault::Malformed, "{broken}");
    }
    for empty in ["{}", "{\"candidates\":[{}]}", "[DONE]"] {
        assert_eq!(run_of(empty).error().fault, Fault::StreamCut, "{empty}");
    }
    let foreign = run_of("{\"new\":{\"field\":1}}");
    assert_eq!(foreign.error().detail, Some(Detail::WrongProtocol));
}

fn run_of(data: &str) -> Run {
    run(reader(&question("gemini-3.8-flash")), &[Frame { event: None, data: data.into() }])
}

#[test]
fn other_candidates_and_unknown_parts_change_nothing() {
    let run = read_chunks(&[json!({
        "candidates": [
            { "index": 0, "content": { "parts": [
                { "text": "A" }, { "executableCode": { "language": "PYTHON", "code": "1" } }, { "text": "B" }
            ], "role": "model" }, "finishReason": "STOP", "groundingMetadata": { "x": [1] }, "avgLogprobs": -0.1 },
            { "index": 1, "content": { "parts": [{ "text": "other" }] }, "finishReason": "SAFETY" }
        ]
    })]);
    let answer = run.answer();
    assert_eq!((answer.text.as_str(), answer.stop), ("AB", StopReason::EndTurn));
    assert_eq!(answer.parts.len(), 3);
}

#[test]
fn every_cut_of_every_fixture_is_an_error_or_one_whole_answer() {
    for name in FIXTURES {
        let continued = name.ends_with("part-one.sse");
        let frames = fixture_frames(name);
        // The one that goes on ends with a way to go on and is tested above.
        every_prefix(
            || reader(&question("gemini-3.8-flash")),
            &frames[..frames.len() - usize::from(continued)],
        );
    }
}

#[test]
fn bytes_split_anywhere_give_the_same_frames_and_events() {
    for name in FIXTURES {
        let bytes = fixture(name).into_bytes();
        every_split(&bytes, |pieces| {
            let (mut decoder, mut frames) = (Decoder::new(Framing::Sse), Vec::new());
            for piece in pieces {
                decoder.push(piece, &mut frames).unwrap();
            }
            decoder.finish(&mut frames).unwrap();
            frames
        });
        let frames = decode(Framing::Sse, &bytes).unwrap();
        assert_eq!(frames, fixture_frames(name));
    }
}

#[test]
fn recorded_streams_are_read_with_the_providers_own_figures() {
    for recording in recorded("vercel-ai/google__") {
        let request = question("gemini-3.8-flash");
        let run = run(reader(&request), &recording.frames);
        let answer = run.answer();
        let figure = |name: &str| {
            let chunks = recording.frames.iter().rev();
            let mut figures = chunks.filter_map(|frame| {
                serde_json::from_str::<Value>(&frame.data).unwrap()["usageMetadata"].get(name)?.as_u64()
            });
            figures.next().unwrap_or_default()
        };
        let total = answer.usage.input + answer.usage.cache_read + answer.usage.output;
        assert_eq!(total, figure("totalTokenCount"), "{}", recording.name);
        assert_eq!(answer.usage.input, figure("promptTokenCount"), "{}", recording.name);
        assert_eq!(answer.usage.thinking, figure("thoughtsTokenCount"), "{}", recording.name);
        assert_eq!(run.text(), answer.text);
        let calls = answer.tool_calls().count();
        assert_eq!(answer.stop, if calls > 0 { StopReason::ToolUse } else { StopReason::EndTurn });
        for call in answer.tool_calls() {
            assert!(call.arguments.is_object(), "{}", recording.name);
        }
        // Every signature of the recording is kept as it came.
        let kept = serde_json::to_string(&answer.parts).unwrap();
        for frame in &recording.frames {
            let chunk: Value = serde_json::from_str(&frame.data).unwrap();
            for part in chunk["candidates"][0]["content"]["parts"].as_array().into_iter().flatten() {
                if let Some(signature) = part["thoughtSignature"].as_str() {
                    assert!(kept.contains(signature), "{}", recording.name);
                }
            }
        }
        every_prefix(|| reader(&request), &recording.frames);
    }
}

#[test]
fn a_recorded_call_in_pieces_has_its_nested_arguments() {
    for recording in recorded("vercel-ai/google__google-vertex-stream-tool-call-arguments-nested") {
        let run = run(reader(&question("gemini-3.8-flash")), &recording.frames);
        let call = run.answer().tool_calls().next().unwrap();
        let recipe = &call.arguments["recipe"];
        assert_eq!(recipe["ingredients"][1], json!({ "amount": "1 lb", "name": "Ground beef" }));
        assert_eq!(recipe["steps"].as_array().unwrap().len(), 10);
        assert_eq!(recipe["steps"][9], "Let stand for 15 minutes before serving.");
    }
}

fn refused(status: u16, body: &str) -> ProviderError {
    Gemini.refusal(Refusal { status, headers: &HeaderMap::new(), body })
}

fn error(status: u16, word: &str, message: &str, details: Value) -> ProviderError {
    let error =
        json!({ "error": { "code": status, "message": message, "status": word, "details": details } });
    refused(status, &error.to_string())
}

#[test]
fn refusals_are_told_apart() {
    let quota = |id: &str, wait: &str| {
        json!([
            { "@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{ "quotaId": id, "quotaValue": "20" }] },
            { "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": wait }
        ])
    };
    let reason =
        |word: &str| json!([{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": word }]);
    let none = || json!([]);
    let exhausted = "You exceeded your current quota";
    for (got, fault) in [
        (
            error(
                400,
                "INVALID_ARGUMENT",
                "API key not valid. Please pass a valid API key.",
                reason("API_KEY_INVALID"),
            ),
            Fault::Auth,
        ),
        (error(400, "INVALID_ARGUMENT", "API key expired. Please renew the API key.", none()), Fault::Auth),
        (error(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers", none()), Fault::Auth),
        (error(401, "UNAUTHENTICATED", "no", none()), Fault::Auth),
        (error(403, "PERMISSION_DENIED", "no", none()), Fault::Permission),
        (error(400, "INVALID_ARGUMENT", "bad", none()), Fault::BadRequest),
        (
            error(
                400,
                "INVALID_ARGUMENT",
                "The input token count (1300000) exceeds the maximum number of tokens allowed (1048576).",
                none(),
            ),
            Fault::ContextTooLong,
        ),
        (
            error(400, "FAILED_PRECONDITION", "User location is not supported for the API use.", none()),
            Fault::Permission,
        ),
        (error(400, "FAILED_PRECONDITION", "Please enable billing on your project.", none()), Fault::Quota),
        (
            error(
                429,
                "RESOURCE_EXHAUSTED",
                exhausted,
                quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "34.4s"),
            ),
            Fault::RateLimit { retry_after_ms: Some(34_400) },
        ),
        (
            error(
                429,
                "RESOURCE_EXHAUSTED",
                exhausted,
                quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "9s"),
            ),
            Fault::Quota,
        ),
        (error(429, "RESOURCE_EXHAUSTED", exhausted, none()), Fault::RateLimit { retry_after_ms: None }),
        (error(503, "UNAVAILABLE", "overloaded", none()), Fault::Overloaded { retry_after_ms: None }),
        (error(500, "INTERNAL", "oops", none()), Fault::Overloaded { retry_after_ms: None }),
        (error(504, "DEADLINE_EXCEEDED", "late", none()), Fault::Timeout),
        (refused(413, ""), Fault::ContextTooLong),
        (refused(502, "<html><h1>Bad Gateway</h1></html>"), Fault::Overloaded { retry_after_ms: None }),
        (refused(429, ""), Fault::RateLimit { retry_after_ms: None }),
        (refused(418, "[]"), Fault::BadRequest),
    ] {
        assert_eq!((got.fault, got.provider.as_str()), (fault, "gemini"), "{}", got.message);
        assert!(!got.message.is_empty());
    }
    let unknown = error(404, "NOT_FOUND", "models/gemini-9 is not found for API version v1beta", none());
    assert_eq!((unknown.fault, unknown.detail), (Fault::BadRequest, Some(Detail::ModelUnknown)));
    let elsewhere = refused(404, "404 page not found");
    assert_eq!((elsewhere.fault, elsewhere.detail), (Fault::BadRequest, Some(Detail::WrongProtocol)));
    let capped =
        error(429, "RESOURCE_EXHAUSTED", "Your project has exceeded its monthly spending cap.", none());
    assert_eq!((capped.fault, capped.detail), (Fault::Quota, Some(Detail::SpendLimit)));
    let listed =
        refused(400, "[{\"error\":{\"code\":400,\"message\":\"bad\",\"status\":\"INVALID_ARGUMENT\"}}]");
    assert_eq!((listed.fault, listed.message.as_str()), (Fault::BadRequest, "bad"));
}

#[test]
fn a_wait_in_the_headers_counts_where_the_body_has_none() {
    let mut headers = HeaderMap::new();
    headers.insert(RETRY_AFTER, HeaderValue::from_static("7"));
    let refused = |body: &str| Gemini.refusal(Refusal { status: 429, headers: &headers, body });
    assert_eq!(refused("").fault, Fault::RateLimit { retry_after_ms: Some(7_000) });
    let body = json!({ "error": { "code": 429, "status": "RESOURCE_EXHAUSTED", "details": [{ "retryDelay": "2s" }] } });
    assert_eq!(refused(&body.to_string()).fault, Fault::RateLimit { retry_after_ms: Some(2_000) });
}

#[test]
fn a_message_that_quotes_the_key_is_told_without_it() {
    let key = format!("AIza{}", "Sy0_-x".repeat(6));
    let message = format!("Permission denied: Consumer 'api_key:{key}' has been suspended.");
    let told = error(403, "PERMISSION_DENIED", &message, json!([]));
    assert_eq!(told.message, "Permission denied: Consumer 'api_key:(key)' has been suspended.");
}

#[test]
fn the_list_gives_limits_over_the_table_and_goes_on_page_by_page() {
    let list = Gemini.list().unwrap();
    assert_eq!(
        (list.path.as_str(), list.query.clone()),
        ("v1beta/models", vec![("pageSize", "1000".to_owned())])
    );
    let page = json!({
        "models": [
            { "name": "models/gemini-3.8-flash", "inputTokenLimit": 500000, "outputTokenLimit": 9000, "thinking": true,
              "supportedGenerationMethods": ["generateContent", "countTokens"] },
            { "name": "models/gemini-2.5-pro-preview-06-05", "supportedGenerationMethods": ["generateContent"] },
            { "name": "models/gemini-5-neon", "inputTokenLimit": 7, "outputTokenLimit": 3, "thinking": true },
            { "name": "models/gemini-2.5-flash-image", "supportedGenerationMethods": ["generateContent"] },
            { "name": "models/gemini-embedding-2", "supportedGenerationMethods": ["embedContent"] },
            { "name": "models/gemma-4", "thinking": false },
            { "displayName": "nameless" }, 7
        ],
        "nextPageToken": "p2"
    });
    let models = Gemini.listed(&page);
    let ids: Vec<&str> = models.iter().map(|model| model.id.as_str()).collect();
    let expected = [
        "gemini-3.8-flash",
        "gemini-2.5-pro-preview-06-05",
        "gemini-5-neon",
        "gemini-2.5-flash-image",
        "gemma-4",
    ];
    assert_eq!(ids, expected);
    assert_eq!((models[0].context_window, models[0].max_output), (500_000, 9_000));
    let table = Prices::embedded();
    assert_eq!(models[0].price, table.model("gemini-3.8-flash").unwrap().price);
    assert_eq!(models[1].long, table.model("gemini-2.5-pro").unwrap().long);
    assert_eq!(models[1].abilities.thinking, ThinkingStyle::TokenBudget);
    // Not in the table: what its generation does, at the dearest price, which is a guess.
    assert_eq!((models[2].abilities.thinking, models[2].priced), (ThinkingStyle::Level, false));
    assert!(models[2].price.output >= 10.0);
    assert!(!models[3].priced && !models[4].thinking && !models[4].structured);
    let next = Gemini.list_after(&page).unwrap();
    assert_eq!(next.query, [("pageSize", "1000".to_owned()), ("pageToken", "p2".to_owned())]);
    assert_eq!(Gemini.list_after(&json!({ "models": [], "nextPageToken": "" })), None);
    assert_eq!(Gemini.list_after(&json!({})), None);
    assert_eq!(Gemini.listed(&json!({ "models": "x" })), []);
}

#[test]
fn the_table_knows_every_model_and_what_long_input_costs() {
    let table = Prices::embedded();
    let gemini = table.models.iter().filter(|model| model.provider == "gemini");
    for model in gemini {
        assert_eq!((model.context_window, model.max_output), (1_048_576, 65_536), "{}", model.id);
        let style = if model.id.starts_with("gemini-2.5") {
            ThinkingStyle::TokenBudget
        } else {
            ThinkingStyle::Level
        };
        assert_eq!(model.abilities.thinking, style, "{}", model.id);
        assert!(model.thinking && model.structured && model.abilities.images && model.abilities.documents);
    }
    let cost =
        |id: &str, input: u64| table.model(id).unwrap().cost(&Usage { input, ..Usage::default() }).usd();
    assert_eq!(cost("gemini-3.1-pro-preview", 200_000), 0.4);
    assert_eq!(cost("gemini-3.1-pro-preview", 300_000), 1.2);
    assert_eq!(cost("gemini-2.5-pro", 400_000), 1.0);
    assert_eq!(cost("gemini-2.5-flash-lite", 1_000_000), 0.1);
}
