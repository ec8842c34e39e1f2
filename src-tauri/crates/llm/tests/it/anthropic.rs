//! Anthropic Messages: answers.

use std::collections::BTreeMap;

use domain::Usage;
use domain::connection::{Connection, ProviderKind};
use llm::wire::anthropic::Anthropic;
use llm::wire::{Codec as _, Frame, Framing, Reader, Target};
use llm::{
    Detail, Fault, Message, ModelInfo, ModelRequest, Part, Prices, Role, StopReason, StreamEvent, ToolCall,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use url::Url;

use crate::wire_support::{
    Run, answers, every_prefix, every_split, fixture, fixture_frames, recorded, run, sse,
};

/// A connection to the provider's own address and one of its models.
pub struct Place {
    connection: Connection,
    base: Url,
    pub model: ModelInfo,
}

impl Place {
    pub fn new(model: &str) -> Self {
        Self {
            connection: Connection::new("claude", ProviderKind::Anthropic),
            base: Url::parse("https://api.anthropic.com/").unwrap(),
            model: Prices::embedded().model(model).unwrap().clone(),
        }
    }

    pub fn elsewhere(mut self, base: &str) -> Self {
        self.base = Url::parse(base).unwrap();
        self
    }

    pub fn target(&self) -> Target<'_> {
        Target { connection: &self.connection, base: &self.base, model: &self.model }
    }

    pub fn reader(&self, request: &ModelRequest) -> Box<dyn Reader> {
        Anthropic.reader(request, self.target())
    }

    /// The body of a call, as JSON.
    pub fn body(&self, request: &ModelRequest) -> Value {
        serde_json::from_str(&self.raw_body(request)).unwrap()
    }

    pub fn raw_body(&self, request: &ModelRequest) -> String {
        Anthropic.encode(request, self.target()).unwrap().body.unwrap()
    }

    /// The words with which a request is refused before it is sent.
    pub fn refused(&self, request: &ModelRequest) -> String {
        let error = Anthropic.encode(request, self.target()).unwrap_err();
        assert_eq!((error.fault, error.provider.as_str()), (Fault::BadRequest, "anthropic"));
        error.message
    }
}

/// A question to a model.
pub fn question(model: &str) -> ModelRequest {
    ModelRequest {
        model: model.to_owned(),
        messages: vec![Message::user("Weather in Lyon?")],
        max_output_tokens: 4_096,
        ..ModelRequest::default()
    }
}

fn read(name: &str, model: &str) -> Run {
    run(Place::new(model).reader(&question(model)), &fixture_frames(&format!("anthropic/{name}")))
}

fn read_frames(lines: &[Value]) -> Run {
    let frames: Vec<Frame> = lines.iter().map(|line| Frame { event: None, data: line.to_string() }).collect();
    run(Place::new("claude-opus-5-5").reader(&question("claude-opus-5-5")), &frames)
}

fn opaque(part: &Part) -> &str {
    match part {
        Part::Opaque { raw, .. } => raw,
        other => panic!("{other:?} is not opaque"),
    }
}

#[test]
fn text_arrives_in_pieces_and_whole_with_the_last_figures() {
    let run = read("text.sse", "claude-sonnet-5-5");
    assert_eq!(run.events[0], StreamEvent::Started { response_id: Some("msg_text".to_owned()) });
    assert_eq!(run.text(), "Grüße 🌍, it works.");
    let answer = run.answer();
    assert_eq!(answer.text, run.text());
    assert_eq!(answer.parts, []);
    assert_eq!((answer.stop, answer.stop_detail.as_deref()), (StopReason::EndTurn, None));
    assert_eq!(answer.model, "claude-sonnet-5-5");
    assert_eq!(answer.response_id.as_deref(), Some("msg_text"));
    let usage = Usage {
        input: 41,
        output: 33,
        thinking: 0,
        cache_read: 2_048,
        cache_write: 300,
        cache_write_long: 100,
    };
    assert_eq!(answer.usage, usage);
}

#[test]
fn thinking_keeps_its_signatures_and_calls_their_arguments() {
    let run = read("thinking-tools.sse", "claude-sonnet-5-5");
    let answer = run.answer();
    assert_eq!(run.thinking(), answer.thinking);
    assert_eq!(answer.thinking, "Two cities, \"two\" calls.\n\n\nCall.");
    assert_eq!((answer.redacted_thinking, answer.stop), (1, StopReason::ToolUse));
    assert_eq!((answer.usage.output, answer.usage.thinking), (157, 90));
    assert_eq!(answer.text, "I look.");
    assert_eq!(answer.parts.len(), 7);
    assert_eq!(
        opaque(&answer.parts[0]),
        r#"{"type":"thinking","thinking":"Two cities, \"two\" calls.\n","signature":"EqQB+/CkYI==","estimated_tokens":1e3}"#
    );
    assert_eq!(opaque(&answer.parts[1]), r#"{ "data" : "c2VjcmV0\u002b", "type":"redacted_thinking" }"#);
    assert_eq!(opaque(&answer.parts[2]), r#"{"type":"thinking","thinking":"Call.","signature":"c2ln"}"#);
    let Part::Opaque { origin, .. } = &answer.parts[0] else { unreachable!() };
    let asked = question("claude-sonnet-5-5");
    assert_eq!(origin.provider, "anthropic@api.anthropic.com");
    assert_eq!((origin.model.as_str(), origin.prefix), ("claude-sonnet-5-5", asked.prefix(1)));
    let call = |id: &str, name: &str, arguments: Value, raw: Option<&str>| {
        let (id, name, raw) = (id.to_owned(), name.to_owned(), raw.map(str::to_owned));
        ToolCall { id, name, arguments, raw, signature: None, cut: false }
    };
    let calls: Vec<ToolCall> = answer.tool_calls().cloned().collect();
    assert_eq!(
        calls,
        [
            call("toolu_01A", "get_weather", json!({ "city": "Lyon", "days": 1.0 }), None),
            call("toolu_01B", "now", json!({}), None),
            call("toolu_01C", "broken", Value::Null, Some("{\"a\": [1,")),
        ]
    );
    let begun = StreamEvent::ToolCallBegun { id: "toolu_01B".to_owned(), name: "now".to_owned() };
    assert!(run.events.contains(&begun));
}

#[test]
fn the_work_of_server_tools_is_kept_as_it_came_and_a_pause_is_told() {
    let run = read("server-tools.sse", "claude-opus-5-5");
    let answer = run.answer();
    assert_eq!((answer.stop, answer.stop_detail.as_deref()), (StopReason::Other, Some("pause_turn")));
    assert_eq!((answer.text.as_str(), answer.usage.input), ("Rain.", 900));
    assert_eq!(
        opaque(&answer.parts[0]),
        r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query": "rain in Nice"}}"#
    );
    assert!(opaque(&answer.parts[1]).contains(r#""encrypted_content":"RW5j","page_age":null}"#));
    assert_eq!(answer.parts[2], Part::Text { text: "Rain.".to_owned() });
    assert_eq!(
        opaque(&answer.parts[3]),
        r#"{"type":"compaction","content":"Shorter.","encrypted_content":"U2hvcnQ="}"#
    );
    assert_eq!(opaque(&answer.parts[4]), r#"{"type":"novel_block","x":[1.50, 2]}"#);
}

#[test]
fn a_refusal_names_its_category_and_leaves_nothing_to_use_again() {
    let run = read("refusal.sse", "claude-fable-5-1");
    let answer = run.answer();
    assert_eq!(answer.stop, StopReason::Refusal);
    assert_eq!(answer.stop_detail.as_deref(), Some("bio: Not this."));
    assert_eq!(answer.parts, []);
    assert_eq!(answer.usage.output, 5);
}

#[test]
fn a_call_that_was_cut_before_its_arguments_is_no_call_without_arguments() {
    let run = read("cut.sse", "claude-haiku-4-5");
    let calls: Vec<_> =
        run.answer().tool_calls().map(|call| (call.name.as_str(), call.arguments.clone())).collect();
    assert_eq!(calls, [("done", json!({})), ("delete", Value::Null)]);
    assert_eq!(run.answer().stop, StopReason::MaxTokens);
}

#[test]
fn thinking_that_was_cut_is_shown_but_not_sent_back() {
    let run = read("cut-thought.sse", "claude-opus-5-5");
    let answer = run.answer();
    assert_eq!((answer.thinking.as_str(), answer.stop), ("Where was", StopReason::ContextWindow));
    assert_eq!(answer.parts, []);
}

#[test]
fn a_repeated_start_changes_nothing_and_another_one_begins_anew() {
    let run = read("start-again.sse", "claude-opus-5-5");
    let started = run.events.iter().filter(|event| matches!(event, StreamEvent::Started { .. })).count();
    let answer = run.answer();
    assert_eq!((started, answer.response_id.as_deref()), (1, Some("msg_two")));
    assert_eq!((answer.model.as_str(), answer.thinking.as_str()), ("claude-opus-4-8", ""));
    assert_eq!(answer.usage, Usage { input: 20, output: 65, ..Usage::default() });
    let calls: Vec<_> = answer.tool_calls().map(|call| (call.id.as_str(), call.arguments.clone())).collect();
    assert_eq!(calls, [("toolu_kept", json!({ "at": 1 }))]);
}

#[test]
fn an_error_within_a_stream_is_the_error_it_would_be_before_it() {
    let error = read("overloaded.sse", "claude-opus-5-5").error().clone();
    assert_eq!(error.fault, Fault::Overloaded { retry_after_ms: None });
    assert_eq!(error.message, "Overloaded (request req_011)");
    for (kind, fault) in [
        ("rate_limit_error", Fault::RateLimit { retry_after_ms: None }),
        ("api_error", Fault::Overloaded { retry_after_ms: None }),
        ("timeout_error", Fault::Timeout),
        ("authentication_error", Fault::Auth),
        ("invalid_request_error", Fault::BadRequest),
        ("never_heard_of", Fault::Overloaded { retry_after_ms: None }),
    ] {
        let run = read_frames(&[json!({ "type": "error", "error": { "type": kind, "message": "m" } })]);
        assert_eq!(run.error().fault, fault, "{kind}");
    }
    assert_eq!(read_frames(&[json!({ "error": { "message": "odd" } })]).error().message, "odd");
}

#[test]
fn what_breaks_the_grammar_is_malformed() {
    let start = json!({ "type": "message_start", "message": { "id": "m", "usage": {} } });
    let block = |index: Value, kind: &str| {
        json!({ "type": "content_block_start", "index": index,
        "content_block": { "type": kind } })
    };
    let delta =
        |index: u64, delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    for broken in [
        vec![json!([1])],
        vec![json!("text")],
        vec![json!({ "type": "message_stop" })],
        vec![json!({ "type": "content_block_stop", "index": 0 })],
        vec![json!({ "type": "message_start" })],
        vec![start.clone(), json!({ "type": "content_block_start", "index": 0 })],
        vec![start.clone(), json!({ "type": "content_block_start", "index": 0, "content_block": 3 })],
        vec![start.clone(), block(json!(-1), "text")],
        vec![start.clone(), block(json!("0"), "text")],
        vec![start.clone(), block(json!(0), "tool_use")],
        vec![start.clone(), delta(7, json!({ "type": "text_delta", "text": "lost" }))],
        vec![start.clone(), block(json!(0), "text"), delta(0, json!({ "type": "input_json_delta" }))],
    ] {
        assert_eq!(read_frames(&broken).error().fault, Fault::Malformed, "{broken:?}");
    }
    let place = Place::new("claude-opus-5-5");
    let page = Frame { event: None, data: "<html>502</html>".to_owned() };
    assert_eq!(run(place.reader(&question("m")), &[page]).error().fault, Fault::Malformed);
    let deep = Frame { event: None, data: format!("{}1{}", "[".repeat(9_000), "]".repeat(9_000)) };
    assert_eq!(run(place.reader(&question("m")), &[deep]).error().fault, Fault::Malformed);
}

#[test]
fn odd_but_complete_answers_are_read() {
    let start = json!({ "type": "message_start", "message": { "usage": null } });
    let far = json!({ "type": "content_block_start", "index": u64::MAX, "content_block": { "type": "text", "text": "x" } });
    let stop = json!({ "type": "message_stop" });
    let run = read_frames(&[start.clone(), far, stop.clone()]);
    assert_eq!((run.answer().text.as_str(), run.answer().stop), ("x", StopReason::Other));
    assert_eq!((run.answer().model.as_str(), run.answer().response_id.as_deref()), ("claude-opus-5-5", None));
    let sequence = json!({ "type": "message_delta", "delta": { "stop_reason": "stop_sequence", "stop_sequence": "END" } });
    let run = read_frames(&[start, sequence, stop]);
    assert_eq!(run.answer().stop, StopReason::StopSequence);
    assert_eq!(run.answer().stop_detail.as_deref(), Some("END"));
}

#[test]
fn an_answer_may_be_whole_at_its_start() {
    let block = json!({ "type": "tool_use", "id": "toolu_1", "name": "roll", "input": { "die": 6 } });
    let message =
        json!({ "id": "m", "content": [block], "stop_reason": "tool_use", "usage": { "output_tokens": 0 } });
    let run = read_frames(&[
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "message_stop" }),
    ]);
    let calls: Vec<_> = run.answer().tool_calls().map(|call| call.arguments.clone()).collect();
    assert_eq!((calls, run.answer().stop), (vec![json!({ "die": 6 })], StopReason::ToolUse));
}

#[test]
fn another_protocol_is_told_from_a_stream_that_was_cut() {
    let run = read_frames(&[json!({ "object": "chat.completion.chunk", "choices": [] })]);
    assert_eq!((run.error().fault, run.error().detail), (Fault::Malformed, Some(Detail::WrongProtocol)));
    assert_eq!(read_frames(&[]).error().fault, Fault::StreamCut);
    assert_eq!(read_frames(&[json!({ "type": "ping" })]).error().fault, Fault::StreamCut);
}

const FIXTURES: [&str; 8] = [
    "text.sse",
    "thinking-tools.sse",
    "server-tools.sse",
    "refusal.sse",
    "cut.sse",
    "cut-thought.sse",
    "overloaded.sse",
    "start-again.sse",
];

#[test]
fn an_answer_cut_anywhere_is_never_half_an_answer() {
    let place = Place::new("claude-opus-5-5");
    for name in FIXTURES {
        every_prefix(|| place.reader(&question("m")), &fixture_frames(&format!("anthropic/{name}")));
    }
}

#[test]
fn where_the_bytes_are_split_changes_nothing() {
    let decode = |pieces: &[&[u8]]| {
        let mut decoder = llm::http::frames::Decoder::new(Framing::Sse);
        let mut frames = Vec::new();
        for piece in pieces {
            decoder.push(piece, &mut frames).unwrap();
        }
        decoder.finish(&mut frames).unwrap();
        frames
    };
    for name in FIXTURES {
        let text = fixture(&format!("anthropic/{name}"));
        assert_eq!(decode(&[text.as_bytes()]), sse(&text));
        every_split(text.as_bytes(), decode);
        every_split(text.replace('\n', "\r\n").as_bytes(), decode);
    }
}

/// What a recorded stream says, read in the plainest way.
#[derive(Default)]
struct Plain {
    text: String,
    thinking: BTreeMap<u64, String>,
    calls: BTreeMap<u64, (String, String)>,
    usage: BTreeMap<String, u64>,
    stop: String,
}

fn plainly(frames: &[Frame]) -> Plain {
    let mut plain = Plain::default();
    let mut id = Value::Null;
    for event in frames.iter().map(|frame| serde_json::from_str::<Value>(&frame.data).unwrap()) {
        let index = event["index"].as_u64().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if event["type"] == "message_start" && event["message"]["id"] != id {
            plain = Plain::default();
            id = event["message"]["id"].clone();
        }
        let at_start = event["message"]["content"].as_array().into_iter().flatten();
        for (index, block) in (0..).zip(at_start).chain([(index, &event["content_block"])]) {
            if block["type"] == "tool_use" {
                let whole = block["input"].as_object().is_some_and(|input| !input.is_empty());
                let input = if whole { block["input"].to_string() } else { String::new() };
                plain.calls.insert(index, (text(&block["name"]), input));
            }
        }
        plain.text.push_str(&text(&event["content_block"]["text"]));
        plain.text.push_str(&text(&event["delta"]["text"]));
        if event["delta"]["thinking"].is_string() {
            plain.thinking.entry(index).or_default().push_str(&text(&event["delta"]["thinking"]));
        }
        if let Some((_, input)) = plain.calls.get_mut(&index) {
            input.push_str(&text(&event["delta"]["partial_json"]));
        }
        for usage in [&event["message"]["usage"], &event["usage"]] {
            for (name, value) in usage.as_object().into_iter().flatten() {
                if let Some(number) = value.as_u64() {
                    plain.usage.insert(name.clone(), number);
                }
            }
        }
        for stop in [&event["message"]["stop_reason"], &event["delta"]["stop_reason"]] {
            if stop.is_string() {
                plain.stop = text(stop);
            }
        }
    }
    plain
}

#[test]
fn recorded_streams_give_what_they_say() {
    let mut read = 0;
    for recording in recorded("anthropic-sdk-").into_iter().chain(recorded("vercel-ai/anthropic__")) {
        for frames in answers(&recording.frames, |frame| frame.data.contains("\"message_stop\"")) {
            let name = &recording.name;
            let place = Place::new("claude-opus-5-5");
            let request = question("claude-opus-5-5");
            let run = run(place.reader(&request), &frames);
            let (answer, plain) = (run.answer(), plainly(&frames));
            assert_eq!(answer.text, plain.text, "{name}");
            assert_eq!(
                answer.thinking,
                plain.thinking.into_values().collect::<Vec<_>>().join("\n\n"),
                "{name}"
            );
            let figure = |name: &str| plain.usage.get(name).copied().unwrap_or_default();
            assert_eq!(answer.usage.input, figure("input_tokens"), "{name}");
            assert_eq!(answer.usage.output, figure("output_tokens"), "{name}");
            assert_eq!(answer.usage.cache_read, figure("cache_read_input_tokens"), "{name}");
            assert_eq!(answer.usage.cache_write, figure("cache_creation_input_tokens"), "{name}");
            let calls: Vec<_> = answer.tool_calls().collect();
            assert_eq!(calls.len(), plain.calls.len(), "{name}");
            for (call, (tool, input)) in calls.iter().zip(plain.calls.values()) {
                assert_eq!(&call.name, tool, "{name}");
                match serde_json::from_str::<Value>(if input.is_empty() { "{}" } else { input }) {
                    Ok(arguments) => assert_eq!(call.arguments, arguments, "{name}"),
                    Err(_) => assert_eq!(call.raw.as_ref(), Some(input), "{name}"),
                }
            }
            let stop = serde_json::to_value(answer.stop).unwrap();
            assert_eq!(stop, plain.stop, "{name}");
            every_prefix(|| place.reader(&request), &frames);
            goes_back(&place, &request, answer);
            read += 1;
        }
    }
    println!("{read} recorded answers");
}

/// The answer, sent back with the next request, holds every block of the provider's own unchanged.
fn goes_back(place: &Place, asked: &ModelRequest, answer: &llm::ModelAnswer) {
    if answer.parts.is_empty() {
        return;
    }
    let mut next = asked.clone();
    let mut results = Message::user("Go on.");
    for call in answer.tool_calls() {
        results.parts.push(Part::ToolResult {
            call: call.id.clone(),
            name: call.name.clone(),
            content: "ok".to_owned(),
            is_error: false,
        });
    }
    let said =
        Message { role: Role::Assistant, content: String::new(), parts: answer.parts.clone(), cache: false };
    next.messages.extend([said, results]);
    let body = place.raw_body(&next);
    for part in &answer.parts {
        if let Part::Opaque { raw, .. } = part {
            assert!(body.contains(raw.as_str()));
        }
    }
    next.system = "Another one.".to_owned();
    let body = place.raw_body(&next);
    assert!(
        !answer
            .parts
            .iter()
            .any(|part| matches!(part, Part::Opaque { raw, .. } if body.contains(raw.as_str())))
    );
}

mod any {
    use super::*;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn frames_that_are_lost_doubled_or_moved_give_one_answer_or_one_error(
            name in proptest::sample::select(FIXTURES.to_vec()),
            changes in proptest::collection::vec((0..3u8, any::<proptest::sample::Index>(), any::<proptest::sample::Index>()), 1..6),
        ) {
            let mut frames = fixture_frames(&format!("anthropic/{name}"));
            for (change, at, to) in changes {
                if frames.is_empty() {
                    break;
                }
                let (at, to) = (at.index(frames.len()), to.index(frames.len()));
                match change {
                    0 => drop(frames.remove(at)),
                    1 => frames.insert(to, frames[at].clone()),
                    _ => frames.swap(at, to),
                }
            }
            let run = run(Place::new("claude-opus-5-5").reader(&question("m")), &frames);
            let finished = run.events.iter().filter(|event| matches!(event, StreamEvent::Finished(_))).count();
            assert_eq!(finished, usize::from(run.error.is_none()));
        }

        #[test]
        fn a_byte_that_is_wrong_gives_one_answer_or_one_error(
            name in proptest::sample::select(FIXTURES.to_vec()),
            at in any::<proptest::sample::Index>(),
            place in any::<proptest::sample::Index>(),
            byte in 0x20..0x7fu8,
        ) {
            let mut frames = fixture_frames(&format!("anthropic/{name}"));
            let at = at.index(frames.len());
            let mut data = std::mem::take(&mut frames[at].data).into_bytes();
            let place = place.index(data.len());
            data[place] = byte;
            frames[at].data = String::from_utf8_lossy(&data).into_owned();
            let run = run(Place::new("claude-opus-5-5").reader(&question("m")), &frames);
            let finished = run.events.iter().filter(|event| matches!(event, StreamEvent::Finished(_))).count();
            assert_eq!(finished, usize::from(run.error.is_none()));
        }
    }
}
