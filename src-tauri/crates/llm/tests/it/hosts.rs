//! Liberties that hosts take with every protocol, from a real server on loopback: text cut within its characters, answers
//! that come at once, streams of another protocol or that never end, keys that are repeated.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::Usage;
use domain::connection::{Auth, Connection, ProviderKind};
use futures_util::StreamExt as _;
use llm::http::{Fixed, connect};
use llm::{
    Detail, Fault, Message, ModelAnswer, ModelRequest, Part, Provider, ProviderError, Retry, StopReason,
    StreamEvent,
};
use pretty_assertions::assert_eq;
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::http_rig::{Act, KEY, Server, answer, send, stream_head};
use crate::wire_support::fixture;

const ALL: [ProviderKind; 5] = [
    ProviderKind::Anthropic,
    ProviderKind::Openai,
    ProviderKind::OpenaiChat,
    ProviderKind::Gemini,
    ProviderKind::Ollama,
];

fn open(kind: ProviderKind, server: &Server) -> Arc<dyn Provider> {
    let mut connection = Connection::new("mine", kind);
    connection.base_url = Some(server.url());
    connection.auth = Auth::Key { env: None };
    connect(connection, Arc::new(Fixed(Some(SecretString::from(KEY))))).unwrap()
}

async fn asked(provider: &dyn Provider) -> (Vec<StreamEvent>, Option<ProviderError>) {
    let model = "house-model".to_owned();
    let messages = vec![Message::user("Hello")];
    let request = ModelRequest { model, messages, max_output_tokens: 1_000, ..ModelRequest::default() };
    let (mut events, mut failure) = (Vec::new(), None);
    let mut stream = provider.stream(request);
    while let Some(event) = stream.next().await {
        match event {
            Ok(event) => events.push(event),
            Err(error) => failure = Some(error),
        }
    }
    (events, failure)
}

/// An answer, with what was shown of it while it came.
async fn answered(kind: ProviderKind, acts: Vec<Act>) -> (ModelAnswer, String, String) {
    let server = Server::start(vec![acts]).await;
    let (events, failure) = asked(&*open(kind, &server)).await;
    assert_eq!(failure, None, "{kind:?}");
    let (mut text, mut thinking) = (String::new(), String::new());
    for event in &events {
        match event {
            StreamEvent::Text(piece) => text.push_str(piece),
            StreamEvent::Thinking(piece) => thinking.push_str(piece),
            StreamEvent::Started { .. } | StreamEvent::ToolCallBegun { .. } | StreamEvent::Finished(_) => {}
        }
    }
    let Some(StreamEvent::Finished(answer)) = events.into_iter().next_back() else { panic!("{kind:?}") };
    (answer, text, thinking)
}

async fn failed(kind: ProviderKind, acts: Vec<Act>) -> (Vec<StreamEvent>, ProviderError) {
    let server = Server::start(vec![acts]).await;
    let (events, failure) = asked(&*open(kind, &server)).await;
    (events, failure.unwrap_or_else(|| panic!("{kind:?}")))
}

/// A stream in the protocol's framing. Data is JSON as it goes over the wire.
fn streamed(kind: ProviderKind, data: &[String]) -> Vec<Act> {
    let lines = kind == ProviderKind::Ollama;
    let head = match lines {
        true => send("HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n\r\n"),
        false => stream_head(),
    };
    let frame = |data: &String| send(if lines { format!("{data}\n") } else { format!("data: {data}\n\n") });
    std::iter::once(head).chain(data.iter().map(frame)).collect()
}

/// An answer that thinks, speaks and calls a tool, each in so many pieces. Pieces are the inside of JSON strings.
fn spoken(kind: ProviderKind, thinking: &[&str], text: &[&str], arguments: &[&str]) -> Vec<String> {
    let all = |form: &dyn Fn(&str) -> String, pieces: &[&str]| -> Vec<String> {
        pieces.iter().map(|piece| form(piece)).collect()
    };
    // What is put between is JSON already, with escapes that no value could hold.
    let with = |frame: Value| move |piece: &str| frame.to_string().replace("@", piece);
    let mut out = Vec::new();
    match kind {
        ProviderKind::Anthropic => {
            let delta = |at: u64, kind: &str, name: &str| {
                with(
                    json!({ "type": "content_block_delta", "index": at, "delta": { "type": kind, name: "@" } }),
                )
            };
            let begin = |at: u64, block: Value| {
                json!({ "type": "content_block_start", "index": at, "content_block": block }).to_string()
            };
            let end = |at: u64| json!({ "type": "content_block_stop", "index": at }).to_string();
            out.push(json!({ "type": "message_start", "message": { "id": "m", "model": "x", "usage": { "input_tokens": 5 } } }).to_string());
            out.push(begin(0, json!({ "type": "thinking", "thinking": "", "signature": "" })));
            out.extend(all(&delta(0, "thinking_delta", "thinking"), thinking));
            out.push(json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "signature_delta", "signature": "s" } }).to_string());
            out.push(end(0));
            out.push(begin(1, json!({ "type": "text", "text": "" })));
            out.extend(all(&delta(1, "text_delta", "text"), text));
            out.push(end(1));
            out.push(begin(2, json!({ "type": "tool_use", "id": "c", "name": "say", "input": {} })));
            out.extend(all(&delta(2, "input_json_delta", "partial_json"), arguments));
            out.push(end(2));
            out.push(json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 9 } }).to_string());
            out.push(json!({ "type": "message_stop" }).to_string());
        }
        ProviderKind::Openai => {
            let item = |at: u64, item: Value| {
                json!({ "type": "response.output_item.added", "output_index": at, "item": item }).to_string()
            };
            let delta = |at: u64, kind: &str| {
                with(json!({ "type": format!("response.{kind}.delta"), "output_index": at, "delta": "@" }))
            };
            out.push(
                json!({ "type": "response.created", "response": { "id": "r", "model": "x" } }).to_string(),
            );
            out.push(item(0, json!({ "type": "reasoning" })));
            out.extend(all(&delta(0, "reasoning_text"), thinking));
            out.push(item(1, json!({ "type": "message" })));
            out.extend(all(&delta(1, "output_text"), text));
            out.push(item(
                2,
                json!({ "type": "function_call", "call_id": "c", "name": "say", "arguments": "" }),
            ));
            out.extend(all(&delta(2, "function_call_arguments"), arguments));
            let usage = json!({ "input_tokens": 5, "output_tokens": 9 });
            out.push(json!({ "type": "response.completed", "response": { "status": "completed", "usage": usage } }).to_string());
        }
        ProviderKind::OpenaiChat => {
            let delta =
                |delta: Value| with(json!({ "id": "r", "choices": [{ "index": 0, "delta": delta }] }));
            let call = json!([{ "index": 0, "id": "c", "function": { "name": "say", "arguments": "@" } }]);
            out.extend(all(&delta(json!({ "reasoning_content": "@" })), thinking));
            out.extend(all(&delta(json!({ "content": "@" })), text));
            out.extend(all(&delta(json!({ "tool_calls": call })), arguments));
            out.push(
                json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] })
                    .to_string(),
            );
            out.push(
                json!({ "choices": [], "usage": { "prompt_tokens": 5, "completion_tokens": 9 } }).to_string(),
            );
            out.push("[DONE]".to_owned());
        }
        ProviderKind::Gemini => {
            let part =
                |part: Value| with(json!({ "candidates": [{ "index": 0, "content": { "parts": [part] } }] }));
            out.extend(all(&part(json!({ "thought": true, "text": "@" })), thinking));
            out.extend(all(&part(json!({ "text": "@" })), text));
            let whole = format!(
                "{{\"functionCall\":{{\"name\":\"say\",\"args\":{}}}}}",
                arguments.concat().replace("\\\"", "\"")
            );
            out.push(format!("{{\"candidates\":[{{\"content\":{{\"parts\":[{whole}]}},\"finishReason\":\"STOP\"}}],\"usageMetadata\":{{\"promptTokenCount\":5,\"candidatesTokenCount\":9}}}}"));
        }
        ProviderKind::Ollama => {
            let said = |message: Value| {
                with(json!({ "model": "x", "created_at": "", "message": message, "done": false }))
            };
            out.extend(all(&said(json!({ "thinking": "@" })), thinking));
            out.extend(all(&said(json!({ "content": "@" })), text));
            let whole = arguments.concat().replace("\\\"", "\"");
            out.push(format!("{{\"message\":{{\"tool_calls\":[{{\"function\":{{\"name\":\"say\",\"arguments\":{whole}}}}}]}},\"done\":false}}"));
            out.push(
                json!({ "done": true, "done_reason": "stop", "prompt_eval_count": 5, "eval_count": 9 })
                    .to_string(),
            );
        }
        ProviderKind::Offline => {}
    }
    out
}

#[tokio::test]
async fn halves_of_characters_are_joined_over_pieces_in_every_protocol() {
    for kind in ALL {
        // Hosts that send arguments whole cut nothing within them.
        let streams = !matches!(kind, ProviderKind::Gemini | ProviderKind::Ollama);
        let arguments: &[&str] = match streams {
            true => &[r#"{\"a\":\"x\ud83d"#, r#"\udc4by\uDC4B\"}"#],
            false => &[r#"{\"a\":\"x\ud83d\udc4by\uDC4B\"}"#],
        };
        let data = spoken(
            kind,
            &[r"hm \uD83D", r"\uDC4b!"],
            &[r"hi \ud83d", r"\udc4b and \ud83c\udf0d \udc4b", r" end\ud83d"],
            arguments,
        );
        let (answer, text, thinking) = answered(kind, streamed(kind, &data)).await;
        assert_eq!(
            (answer.text.as_str(), answer.stop),
            ("hi 👋 and 🌍 \u{FFFD} end\u{FFFD}", StopReason::ToolUse),
            "{kind:?}"
        );
        assert_eq!(
            (text.as_str(), thinking.as_str(), answer.thinking.as_str()),
            (answer.text.as_str(), "hm 👋!", "hm 👋!"),
            "{kind:?}"
        );
        let call = answer.tool_calls().next().unwrap();
        assert_eq!((&call.arguments, &call.raw), (&json!({ "a": "x👋y\u{FFFD}" }), &None), "{kind:?}");
        assert!(!format!("{answer:?}").contains(|letter| letter >= '\u{10F000}'), "{kind:?}");
        assert_eq!((answer.usage.input, answer.usage.output), (5, 9), "{kind:?}");
    }
}

#[tokio::test]
async fn a_key_that_an_answer_repeats_is_cut_out_of_all_of_it_however_it_is_split() {
    let (first, rest) = KEY.split_at(6);
    for kind in ALL {
        let said = format!("a {first}");
        let whole = format!("k {KEY} s");
        let arguments = format!(r#"{{\"a\":\"{KEY}\",\"{KEY}\":[\"{KEY}\"]}}"#);
        let data = spoken(kind, &[&whole, "s"], &[&said, rest, " sk", "-can", "!"], &[&arguments]);
        let mut acts = streamed(kind, &data);
        let Act::Send(head) = &mut acts[0] else { panic!() };
        let named = format!("HTTP/1.1 200 OK\r\nrequest-id: id-{KEY}\r\n");
        *head = String::from_utf8(head.clone()).unwrap().replace("HTTP/1.1 200 OK\r\n", &named).into_bytes();
        let (answer, text, thinking) = answered(kind, acts).await;
        assert_eq!((text.as_str(), thinking.as_str()), ("a (secret) sk-can!", "k (secret) ss"), "{kind:?}");
        assert_eq!((&answer.text, &answer.thinking), (&text, &thinking), "{kind:?}");
        assert_eq!(answer.request_id.as_deref(), Some("id-(secret)"), "{kind:?}");
        let call = answer.tool_calls().next().unwrap();
        assert_eq!(call.arguments, json!({ "a": "(secret)", "(secret)": ["(secret)"] }), "{kind:?}");
        assert!(!serde_json::to_string(&answer).unwrap().contains(KEY), "{kind:?}");
    }
}

#[tokio::test]
async fn an_answer_that_comes_at_once_is_understood() {
    let bodies = [
        (
            ProviderKind::Anthropic,
            json!({
                "id": "m", "type": "message", "role": "assistant", "model": "x", "stop_reason": "end_turn",
                "content": [{ "type": "text", "text": "Hello." }], "usage": { "input_tokens": 5, "output_tokens": 2 },
            }),
        ),
        (
            ProviderKind::Openai,
            json!({
                "id": "r", "object": "response", "status": "completed", "error": null, "incomplete_details": null,
                "output": [{ "type": "message", "content": [{ "type": "output_text", "text": "Hello." }] }],
                "usage": { "input_tokens": 5, "output_tokens": 2 },
            }),
        ),
        (
            ProviderKind::OpenaiChat,
            json!({
                "id": "c", "object": "chat.completion", "error": null,
                "choices": [{ "index": 0, "message": { "role": "assistant", "content": "Hello." }, "finish_reason": "stop" }],
                "usage": { "prompt_tokens": 5, "completion_tokens": 2 },
            }),
        ),
        (
            ProviderKind::Gemini,
            json!([{
                "candidates": [{ "content": { "parts": [{ "text": "Hello." }] }, "finishReason": "STOP" }],
                "usageMetadata": { "promptTokenCount": 5, "candidatesTokenCount": 2 },
            }]),
        ),
    ];
    for (kind, body) in bodies {
        let acts = answer("200 OK", "content-type: application/json\r\n", &body.to_string());
        let (answer, text, _) = answered(kind, acts).await;
        assert_eq!(
            (answer.text.as_str(), text.as_str(), answer.stop),
            ("Hello.", "Hello.", StopReason::EndTurn),
            "{kind:?}"
        );
        assert_eq!((answer.usage.input, answer.usage.output), (5, 2), "{kind:?}");
        let foreign = answer_of(json!({ "error": null, "greeting": "Hello." }));
        let (_, error) = failed(kind, foreign).await;
        assert_eq!((error.detail, error.retry()), (Some(Detail::WrongProtocol), Retry::Never), "{kind:?}");
        let (_, error) = failed(kind, answer_of(json!({ "error": { "message": "out of paper" } }))).await;
        assert!(error.message.contains("out of paper"), "{kind:?}: {}", error.message);
    }
}

fn answer_of(body: Value) -> Vec<Act> {
    answer("200 OK", "content-type: application/json\r\n", &body.to_string())
}

#[tokio::test]
async fn a_stream_of_another_protocol_is_told_at_its_first_frame() {
    for kind in ALL {
        for other in ALL.into_iter().filter(|other| *other != kind) {
            let mut acts = streamed(kind, &spoken(other, &[], &["Hello."], &["{}"])[..1]);
            acts.push(Act::Hang);
            let (events, error) = failed(kind, acts).await;
            assert_eq!(
                (error.detail, error.retry()),
                (Some(Detail::WrongProtocol), Retry::Never),
                "{kind:?} {other:?}"
            );
            assert!(error.message.contains(other.as_str()), "{kind:?}: {}", error.message);
            assert_eq!(events, [StreamEvent::Started { response_id: None }], "it may have been paid");
        }
        let (_, error) = failed(kind, streamed(kind, &["{\"greeting\":1}".to_owned()])).await;
        assert_eq!(error.retry() == Retry::Never, kind != ProviderKind::Ollama, "{kind:?}");
    }
}

#[tokio::test]
async fn a_finished_answer_whose_host_leaves_the_stream_open_is_waited_for_briefly() {
    for (kind, name) in
        [(ProviderKind::Gemini, "gemini/text.sse"), (ProviderKind::OpenaiChat, "openai/chat-plain-host.sse")]
    {
        let stream = fixture(name).replace("data: [DONE]\n\n", "");
        let began = Instant::now();
        let (answer, ..) = answered(kind, vec![stream_head(), send(stream), Act::Hang]).await;
        assert!(!answer.text.is_empty() && began.elapsed() < Duration::from_secs(10), "{kind:?}");
    }
    // Figures may come after the reason.
    let ended =
        json!({ "candidates": [{ "content": { "parts": [{ "text": "Hi." }] }, "finishReason": "STOP" }] });
    let figures = json!({ "usageMetadata": { "promptTokenCount": 5, "candidatesTokenCount": 2 } });
    let mut acts = streamed(ProviderKind::Gemini, &[ended.to_string()]);
    acts.push(Act::Pause(Duration::from_millis(300)));
    acts.push(send(format!("data: {figures}\n\n")));
    acts.push(Act::Hang);
    let (answer, ..) = answered(ProviderKind::Gemini, acts).await;
    assert_eq!((answer.text.as_str(), answer.usage.input, answer.usage.output), ("Hi.", 5, 2));
}

#[tokio::test]
async fn a_first_frame_that_can_not_be_read_may_have_been_paid_and_a_refusal_in_the_stream_not() {
    for kind in ALL {
        let (events, error) =
            failed(kind, streamed(kind, &["{\"candidates\":7,\"type\":[{".to_owned()])).await;
        assert!(matches!(error.fault, Fault::Malformed | Fault::StreamCut), "{kind:?}");
        assert_eq!(events, [StreamEvent::Started { response_id: None }], "{kind:?}");
    }
    let busy = json!({ "error": { "code": 503, "message": "busy", "status": "UNAVAILABLE" } }).to_string();
    let (events, _) = failed(ProviderKind::Gemini, streamed(ProviderKind::Gemini, &[busy])).await;
    assert_eq!(events, []);
}

#[tokio::test]
async fn gemini_says_what_an_answer_cost_that_can_not_be_used() {
    for reason in ["UNEXPECTED_TOOL_CALL", "MALFORMED_FUNCTION_CALL"] {
        let data = json!({
            "candidates": [{ "content": {}, "finishReason": reason }],
            "usageMetadata": { "promptTokenCount": 21, "candidatesTokenCount": 3, "thoughtsTokenCount": 1 },
        });
        let (_, error) =
            failed(ProviderKind::Gemini, streamed(ProviderKind::Gemini, &[data.to_string()])).await;
        let usage = Usage { input: 21, output: 4, thinking: 1, ..Usage::default() };
        assert_eq!((error.fault, error.usage.as_deref()), (Fault::Malformed, Some(&usage)), "{reason}");
    }
}

#[tokio::test]
async fn a_host_that_refuses_to_be_asked_for_the_usage_is_asked_without_it_from_then_on() {
    let whole = || {
        streamed(
            ProviderKind::OpenaiChat,
            &[json!({ "choices": [{ "index": 0, "delta": { "content": "Hi." }, "finish_reason": "stop" }] })
                .to_string()],
        )
    };
    for (status, words) in [
        ("400 Bad Request", "Unknown field: stream_options"),
        ("422 Unprocessable Entity", "Extra inputs are not permitted"),
    ] {
        let refused = answer(
            status,
            "content-type: application/json\r\n",
            &json!({ "error": { "message": words } }).to_string(),
        );
        let server = Server::start(vec![refused, whole(), whole()]).await;
        let provider = open(ProviderKind::OpenaiChat, &server);
        for _ in 0..2 {
            assert_eq!(asked(&*provider).await.1, None, "{words}");
        }
        let usage: Vec<bool> =
            server.seen().iter().map(|seen| seen.body.contains("stream_options")).collect();
        assert_eq!(usage, [true, false, false], "{words}");
    }
    // What it does not take is something else: it is told, and the next request asks for the usage again.
    let refused = || {
        answer(
            "400 Bad Request",
            "content-type: application/json\r\n",
            &json!({ "error": { "message": "unknown field" } }).to_string(),
        )
    };
    let server = Server::start(vec![refused(), refused(), whole()]).await;
    let provider = open(ProviderKind::OpenaiChat, &server);
    assert_eq!(asked(&*provider).await.1.unwrap().fault, Fault::BadRequest);
    assert_eq!(asked(&*provider).await.1, None);
    assert!(server.seen()[2].body.contains("stream_options"));
}

#[tokio::test]
async fn an_answer_may_be_a_picture() {
    let picture = Part::Image { media_type: "image/png".into(), data: "aGVsbG8=".into() };
    let inline = json!({ "inlineData": { "mimeType": "image/png", "data": "aGVsbG8=" } });
    let gemini = |parts: Value| {
        json!({
            "candidates": [{ "content": { "parts": parts }, "finishReason": "STOP" }],
            "usageMetadata": { "promptTokenCount": 5, "candidatesTokenCount": 1_290 },
        })
        .to_string()
    };
    let url = json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,aGVsbG8=" } });
    let chat = |delta: Value| {
        json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": "stop" }] }).to_string()
    };
    let draft = json!({ "thought": true, "inlineData": { "mimeType": "image/png", "data": "ZHJhZnQ=" } });
    let cases = [
        (ProviderKind::Gemini, gemini(json!([inline])), ""),
        (ProviderKind::Gemini, gemini(json!([draft, { "text": "Here." }, inline])), "Here."),
        (ProviderKind::OpenaiChat, chat(json!({ "content": "", "images": [url] })), ""),
        (ProviderKind::OpenaiChat, chat(json!({ "content": [{ "text": "Here." }, url] })), "Here."),
    ];
    for (kind, data, text) in cases {
        let (answer, shown, _) = answered(kind, streamed(kind, &[data])).await;
        assert_eq!((answer.text.as_str(), shown.as_str(), answer.stop), (text, text, StopReason::EndTurn));
        let pictures: Vec<&Part> =
            answer.parts.iter().filter(|part| !matches!(part, Part::Text { .. })).collect();
        assert_eq!(pictures, [&picture], "{kind:?} {text}");
    }
    // One that would have to be fetched is not.
    let away = chat(
        json!({ "content": "Look.", "images": [{ "image_url": { "url": "https://a.example/b.png" } }] }),
    );
    let (answer, _, _) =
        answered(ProviderKind::OpenaiChat, streamed(ProviderKind::OpenaiChat, &[away])).await;
    assert_eq!((answer.text.as_str(), answer.parts), ("Look.", vec![]));
}
