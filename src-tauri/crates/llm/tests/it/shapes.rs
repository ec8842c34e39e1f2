//! Shapes in which answers come, over all protocols: no end that is none passes for one, no thinking and no call that a model
//! writes as text stays in what it says, and no call that was cut is lost.

use domain::connection::ProviderKind;
use llm::wire::{Frame, JoinedReader, WrittenReader, codec};
use llm::{ModelAnswer, StopReason, StreamEvent, ToolSpec};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::openai::Place;
use crate::wire_support::{Run, fixture, run};

const KINDS: [ProviderKind; 5] = [
    ProviderKind::Anthropic,
    ProviderKind::OpenaiChat,
    ProviderKind::Openai,
    ProviderKind::Gemini,
    ProviderKind::Ollama,
];

fn shapes() -> Value {
    serde_json::from_str(&fixture("shapes.json")).unwrap()
}

fn tool() -> ToolSpec {
    let parameters = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    ToolSpec { name: "read".into(), description: "Reads.".into(), parameters }
}

fn frame(value: &Value) -> Frame {
    Frame { event: value["type"].as_str().map(str::to_owned), data: value.to_string() }
}

/// The frames of an answer: pieces of text, then a call with these arguments where there is one, then its end.
fn frames(kind: ProviderKind, pieces: &[&str], call: Option<&str>, end: &str) -> Vec<Frame> {
    let mut all: Vec<Value> = Vec::new();
    match kind {
        ProviderKind::Anthropic => {
            all.push(json!({ "type": "message_start", "message": { "id": "m", "model": "m", "usage": {} } }));
            all.push(json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }));
            all.extend(pieces.iter().map(|piece| {
                json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": piece } })
            }));
            all.push(json!({ "type": "content_block_stop", "index": 0 }));
            if let Some(call) = call {
                let start = json!({ "type": "tool_use", "id": "c", "name": "read", "input": {} });
                let delta = json!({ "type": "input_json_delta", "partial_json": call });
                all.push(json!({ "type": "content_block_start", "index": 1, "content_block": start }));
                all.push(json!({ "type": "content_block_delta", "index": 1, "delta": delta }));
                all.push(json!({ "type": "content_block_stop", "index": 1 }));
            }
            all.push(json!({ "type": "message_delta", "delta": { "stop_reason": end } }));
            all.push(json!({ "type": "message_stop" }));
        }
        ProviderKind::OpenaiChat => {
            let chunk = |delta: Value, end: Option<&str>| json!({ "id": "1", "choices": [{ "index": 0, "delta": delta, "finish_reason": end }] });
            all.extend(pieces.iter().map(|piece| chunk(json!({ "content": piece }), None)));
            if let Some(call) = call {
                let call =
                    json!({ "index": 0, "id": "c", "function": { "name": "read", "arguments": call } });
                all.push(chunk(json!({ "tool_calls": [call] }), None));
            }
            all.push(chunk(json!({}), Some(end)));
        }
        ProviderKind::Openai => {
            all.push(json!({ "type": "response.created", "response": { "id": "r", "model": "m" } }));
            all.push(json!({ "type": "response.output_item.added", "output_index": 0, "item": { "type": "message" } }));
            all.extend(pieces.iter().map(
                |piece| json!({ "type": "response.output_text.delta", "output_index": 0, "delta": piece }),
            ));
            if let Some(call) = call {
                let item =
                    json!({ "type": "function_call", "call_id": "c", "name": "read", "arguments": call });
                all.push(json!({ "type": "response.output_item.done", "output_index": 1, "item": item }));
            }
            let response = match end {
                "" => json!({ "status": "completed" }),
                reason => json!({ "status": "incomplete", "incomplete_details": { "reason": reason } }),
            };
            let kind = if end.is_empty() { "response.completed" } else { "response.incomplete" };
            all.push(json!({ "type": kind, "response": response }));
        }
        ProviderKind::Gemini => {
            let chunk = |part: Value, end: Option<&str>| json!({ "candidates": [{ "content": { "parts": [part] }, "finishReason": end }] });
            all.extend(pieces.iter().map(|piece| chunk(json!({ "text": piece }), None)));
            if let Some(call) = call {
                let function = match serde_json::from_str::<Value>(call) {
                    Ok(args) => json!({ "name": "read", "args": args }),
                    Err(_) => json!({ "name": "read", "willContinue": true }),
                };
                all.push(chunk(json!({ "functionCall": function }), None));
            }
            all.push(chunk(json!({ "text": "" }), Some(end)));
        }
        ProviderKind::Ollama => {
            let line = |message: Value, end: Option<&str>| json!({ "model": "m", "message": message, "done": end.is_some(), "done_reason": end });
            all.extend(pieces.iter().map(|piece| line(json!({ "content": piece }), None)));
            all.push(line(json!({ "content": "" }), Some(end)));
        }
        ProviderKind::Offline => unreachable!(),
    }
    all.iter().map(frame).collect()
}

/// The answer as the transport reads it from a server of one's own.
fn read(kind: ProviderKind, frames: &[Frame]) -> Run {
    let place = Place::new(codec(kind).unwrap(), "http://127.0.0.1:9/", "m");
    let mut request = place.question();
    request.tools = vec![tool()];
    let joined = Box::new(JoinedReader::new(place.reader(&request)));
    run(Box::new(WrittenReader::new(joined, kind, &request, place.target())), frames)
}

fn end_of(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::Anthropic => "end_turn",
        ProviderKind::Openai => "",
        ProviderKind::Gemini => "STOP",
        ProviderKind::OpenaiChat | ProviderKind::Ollama | ProviderKind::Offline => "stop",
    }
}

#[test]
fn every_end_is_told_as_what_it_is() {
    let shapes = shapes();
    let ends = shapes["ends"].as_array().unwrap();
    assert!(ends.len() >= 50);
    for end in ends {
        let [kind, word, wanted] = [0, 1, 2].map(|at| end[at].as_str().unwrap());
        let kind = KINDS.into_iter().find(|known| known.as_str().replace('-', "_") == kind).unwrap();
        let run = read(kind, &frames(kind, &["Half an", " answer"], None, word));
        if wanted == "error" {
            assert!(run.error.is_some(), "{end}");
            continue;
        }
        let answer = run.answer();
        let stop: StopReason = serde_json::from_value(json!(wanted)).unwrap();
        assert_eq!((answer.stop, answer.text.as_str()), (stop, "Half an answer"), "{end}");
        // What is no whole answer says why.
        if matches!(stop, StopReason::Refusal | StopReason::Other) && word != "refusal" {
            assert!(answer.notes().iter().any(|note| note.contains("reason")), "{end}: {:?}", answer.notes());
        }
    }
}

#[test]
fn thinking_and_calls_that_are_written_as_text_are_read_in_every_protocol_however_they_are_cut() {
    let shapes = shapes();
    let texts = shapes["texts"].as_array().unwrap();
    assert!(texts.len() * KINDS.len() > 100);
    for shape in texts {
        let field = |name: &str| shape[name].as_str().unwrap_or_default().to_owned();
        let (text, said, thought) = (field("text"), field("said"), field("thought"));
        for kind in KINDS {
            for length in [1, 3, 7, 10_000] {
                let letters: Vec<char> = text.chars().collect();
                let pieces: Vec<String> =
                    letters.chunks(length).map(|piece| piece.iter().collect()).collect();
                let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
                let run = read(kind, &frames(kind, &pieces, None, end_of(kind)));
                let answer = run.answer();
                let place = format!("{} {length}: {text}", kind.as_str());
                assert_eq!(
                    (answer.text.trim(), answer.thinking.trim()),
                    (said.as_str(), thought.as_str()),
                    "{place}"
                );
                let calls: Vec<String> =
                    answer.tool_calls().map(|call| format!("{} {}", call.name, call.arguments)).collect();
                let wanted =
                    if shape["call"] == true { vec!["read {\"path\":\"a\"}".to_owned()] } else { Vec::new() };
                assert_eq!(calls, wanted, "{place}");
                assert_eq!(answer.stop == StopReason::ToolUse, shape["call"] == true, "{place}");
                // What streams past is what the whole says, but for what only the whole can tell.
                if text.starts_with("secret") || text.starts_with('{') {
                    continue;
                }
                assert_eq!(run.text().trim(), said, "{place}");
            }
        }
    }
}

#[test]
fn a_call_that_the_limit_cut_is_kept_as_cut() {
    for (kind, end) in [
        (ProviderKind::Anthropic, "max_tokens"),
        (ProviderKind::OpenaiChat, "length"),
        (ProviderKind::Openai, "max_output_tokens"),
        (ProviderKind::Gemini, "MAX_TOKENS"),
    ] {
        let run = read(kind, &frames(kind, &["I read."], Some("{\"path\": \"a"), end));
        let answer = run.answer();
        let call = answer.tool_calls().next().unwrap();
        assert!(call.cut && call.raw.is_some() && call.arguments.is_null(), "{}: {call:?}", kind.as_str());
        assert_eq!(answer.stop, StopReason::MaxTokens);
        assert!(answer.notes()[0].contains("within a call of read"), "{:?}", answer.notes());
    }
    let written = "<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"a";
    for (kind, end) in [(ProviderKind::OpenaiChat, "length"), (ProviderKind::Ollama, "length")] {
        let run = read(kind, &frames(kind, &[written], None, end));
        assert!(run.answer().tool_calls().next().unwrap().cut, "{}", kind.as_str());
    }
}

#[test]
fn an_answer_without_marks_stays_as_it_came() {
    for kind in KINDS {
        let plain = frames(kind, &["Words ", "and `code`.\n\n```\n<think>\n```\n"], None, end_of(kind));
        let place = Place::new(codec(kind).unwrap(), "http://127.0.0.1:9/", "m");
        let mut request = place.question();
        request.tools = vec![tool()];
        let bare: ModelAnswer = run(place.reader(&request), &plain).answer().clone();
        let read = read(kind, &plain);
        assert_eq!(read.answer(), &bare);
        assert!(!read.events.iter().any(|event| matches!(event, StreamEvent::Thinking(_))));
    }
}
