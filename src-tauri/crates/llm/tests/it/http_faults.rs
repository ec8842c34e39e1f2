//! Answers that fail, stall, break off or are not meant for a program, from a real server on loopback.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use llm::http::{connect, connect_with};
use llm::{Detail, Fault, Retry, StreamEvent};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::http_rig::{
    Act, KEY, LINES, Renewing, SSE, Server, answer, connection, done, events, key, open, request, send,
    stream_head, text, word, words,
};

#[tokio::test]
async fn an_answer_streams_and_names_its_request() {
    let server = Server::start(vec![vec![
        stream_head(),
        send("data: {\"started\": \"r1\"}\n\n: note\n\ndata:\n\n"),
        word("Good "),
        word("day"),
        done(),
        send("data: [DONE]\n\n"),
    ]])
    .await;
    let (events, error) = events(&*open(connection(&server.url()))).await;
    assert_eq!(error, None);
    assert_eq!(events[0], StreamEvent::Started { response_id: Some("r1".to_owned()) });
    assert_eq!(events[1..3], [StreamEvent::Text("Good ".to_owned()), StreamEvent::Text("day".to_owned())]);
    let StreamEvent::Finished(answer) = &events[3] else { panic!("{events:?}") };
    assert_eq!((answer.text.as_str(), answer.request_id.as_deref()), ("Good day", Some("req_7")));
    let seen = &server.seen()[0];
    assert_eq!(seen.line, "POST /v1/say?alt=sse HTTP/1.1");
    assert_eq!(seen.body, "{\"model\":\"m\",\"system\":\"Say it.\"}");
    let headers: Vec<&str> = seen.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        headers,
        ["accept", "content-type", "x-version", "authorization", "user-agent", "host", "content-length"]
    );
    assert_eq!(seen.header("authorization"), Some(&*format!("Bearer {KEY}")));
    assert_eq!(seen.header("accept"), Some("text/event-stream"));
    assert!(seen.header("user-agent").unwrap().starts_with("agentnative/"));
}

#[tokio::test]
async fn nothing_is_sent_before_the_stream_is_polled() {
    let server = Server::start(vec![words(&["a"]), words(&["b"])]).await;
    let stream = open(connection(&server.url())).stream(request());
    // A later call from beginning to end: the first one would have come before it.
    assert_eq!(text(&*open(connection(&server.url()))).await.unwrap(), "a");
    assert_eq!(server.seen().len(), 1);
    assert_eq!(stream.count().await, 2);
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn lines_of_json_stream_too() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n\r\n";
    let body = "{\"text\": \"a\"}\r\n{\"text\": \"b\"}\n{\"done\": true}";
    let server = Server::start(vec![vec![send(head), send(body)]]).await;
    let provider = connect_with(&LINES, connection(&server.url()), key()).unwrap();
    assert_eq!(text(&*provider).await.unwrap(), "ab");
    assert_eq!(server.seen()[0].header("accept"), Some("application/x-ndjson"));
}

#[tokio::test]
async fn one_byte_at_a_time_is_the_same_answer() {
    let body: Vec<u8> = words(&["d\u{e9}j\u{e0} ", "\u{1f642}"])
        .into_iter()
        .flat_map(|act| match act {
            Act::Send(bytes) => bytes,
            _ => Vec::new(),
        })
        .collect();
    let bytes = body.iter().flat_map(|byte| [send(vec![*byte]), Act::Pause(Duration::ZERO)]).collect();
    let server = Server::start(vec![bytes]).await;
    assert_eq!(text(&*open(connection(&server.url()))).await.unwrap(), "d\u{e9}j\u{e0} \u{1f642}");
}

#[tokio::test]
async fn a_connection_is_used_again_for_the_next_call() {
    let whole = || {
        let body = "data: {\"text\": \"a\"}\n\ndata: {\"done\": true}\n\ndata: [DONE]\n\n";
        answer("200 OK", "content-type: text/event-stream\r\n", body)
    };
    const CALLS: usize = 20;
    let server = Server::start((0..CALLS).map(|_| whole()).collect()).await;
    let provider = open(connection(&server.url()));
    // The rest of an answer is read behind its back: its connection may be free only for the call after the next.
    for _ in 0..CALLS {
        assert_eq!(text(&*provider).await.unwrap(), "a");
    }
    let connections: BTreeSet<_> = server.seen().iter().map(|seen| seen.connection).collect();
    assert!(connections.len() <= 3, "{connections:?} for {CALLS} calls");
}

#[tokio::test]
async fn a_refused_credential_is_renewed_once_and_the_call_made_again() {
    let refused = || answer("401 Unauthorized", "", "{}");
    let server = Server::start(vec![refused(), words(&["a"]), refused(), refused()]).await;
    let credential = Arc::new(Renewing {
        secrets: Mutex::new(["first-secret", "second-secret", "third-secret"].into()),
        renewals: Mutex::new(0),
    });
    let provider = connect_with(&SSE, connection(&server.url()), credential.clone()).unwrap();
    assert_eq!(text(&*provider).await.unwrap(), "a");
    assert_eq!(text(&*provider).await.unwrap_err().fault, Fault::Auth);
    assert_eq!(*credential.renewals.lock().unwrap(), 2);
    let secrets: Vec<_> =
        server.seen().iter().map(|seen| seen.header("authorization").unwrap().to_owned()).collect();
    assert_eq!(secrets, ["first", "second", "second", "third"].map(|which| format!("Bearer {which}-secret")));
}

#[tokio::test]
async fn a_refused_key_that_has_no_other_is_told_without_the_key() {
    let body = json!({"error": {"message": format!("Incorrect key: {KEY}")}}).to_string();
    let server = Server::start(vec![answer("401 Unauthorized", "request-id: req_9\r\n", &body)]).await;
    let error = text(&*open(connection(&server.url()))).await.unwrap_err();
    assert_eq!((error.fault, error.provider.as_str(), error.retry()), (Fault::Auth, "mine", Retry::Never));
    assert!(error.message.contains("(secret)") && error.message.ends_with("(request id req_9)"), "{error}");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_key_that_a_long_refusal_repeats_at_its_cut_leaves_no_part_of_itself() {
    for before in 1_960..2_000 {
        let body = json!({"error": {"message": format!("{} {KEY}", "x".repeat(before))}}).to_string();
        let server = Server::start(vec![answer("401 Unauthorized", "", &body)]).await;
        let error = text(&*open(connection(&server.url()))).await.unwrap_err();
        assert!(!error.message.contains(&KEY[..4]), "{before}: {error}");
    }
}

#[tokio::test]
async fn refusals_say_when_to_come_back() {
    let server = Server::start(vec![
        answer("429 Too Many Requests", "retry-after: 7\r\n", "{}"),
        answer("429 Too Many Requests", "retry-after-ms: 250\r\nretry-after: 7\r\n", "{}"),
        answer("429 Too Many Requests", "", "{}"),
        answer("529 Overloaded", "retry-after: 1\r\n", "{}"),
        answer("503 Service Unavailable", "content-type: text/html\r\n", "<html>gateway</html>"),
    ])
    .await;
    let provider = open(connection(&server.url()));
    let mut faults = Vec::new();
    for _ in 0..5 {
        faults.push(text(&*provider).await.unwrap_err());
    }
    let after = |retry_after_ms| Fault::RateLimit { retry_after_ms };
    assert_eq!(
        faults.iter().map(|error| error.fault).collect::<Vec<_>>(),
        [
            after(Some(7_000)),
            after(Some(250)),
            after(None),
            Fault::Overloaded { retry_after_ms: Some(1_000) },
            Fault::Overloaded { retry_after_ms: None },
        ]
    );
    assert_eq!(faults[4].message, "status 503: ");
}

#[tokio::test]
async fn an_error_within_a_stream_ends_it_after_what_came_before() {
    let server = Server::start(vec![vec![
        stream_head(),
        word("a"),
        send("data: {\"error\": \"overloaded\"}\n\n"),
        word("never"),
        done(),
    ]])
    .await;
    let (events, error) = events(&*open(connection(&server.url()))).await;
    assert_eq!(events, [StreamEvent::Text("a".to_owned())]);
    let error = error.unwrap();
    assert_eq!(error.fault, Fault::Overloaded { retry_after_ms: None });
    assert_eq!(error.message, "overloaded (request id req_7)");
}

#[tokio::test]
async fn a_stream_that_is_cut_is_told_as_cut() {
    let chunked = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let long = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9999\r\n\r\n";
    let piece = "data: {\"text\": \"a\"}\n\n";
    let server = Server::start(vec![
        vec![stream_head(), word("a")],
        vec![stream_head(), word("a"), send("data: {\"done\": true}")],
        vec![send(chunked), send(format!("{:x}\r\n{piece}\r\n", piece.len()))],
        vec![send(long), send(piece)],
        vec![stream_head()],
    ])
    .await;
    let provider = open(connection(&server.url()));
    for round in 0..5 {
        let (events, error) = events(&*provider).await;
        assert_eq!(events.len(), usize::from(round < 4), "{round}");
        assert_eq!(error.unwrap().fault, Fault::StreamCut, "{round}");
    }
}

#[tokio::test]
async fn silence_ends_a_call_before_and_within_an_answer() {
    let mut server = Server::start(vec![vec![Act::Hang], vec![stream_head(), word("a"), Act::Hang]]).await;
    let mut connection = connection(&server.url());
    connection.silence_seconds = Some(1);
    let provider = open(connection);
    for heard in 0..2 {
        let (events, error) = events(&*provider).await;
        assert_eq!(events.len(), heard);
        assert_eq!(error.unwrap().fault, Fault::Timeout);
        server.gone().await;
    }
}

#[tokio::test]
async fn signs_of_life_keep_a_silent_answer_alive() {
    let mut acts = vec![stream_head()];
    for _ in 0..5 {
        acts.extend([Act::Pause(Duration::from_millis(400)), send(": still there\n\n")]);
    }
    acts.extend([word("a"), done()]);
    let server = Server::start(vec![acts]).await;
    let mut connection = connection(&server.url());
    connection.silence_seconds = Some(1);
    assert_eq!(text(&*open(connection)).await.unwrap(), "a");
}

#[tokio::test]
async fn dropping_a_stream_closes_its_connection() {
    let mut server = Server::start(vec![vec![stream_head(), word("a"), Act::Hang]]).await;
    let provider = open(connection(&server.url()));
    let mut stream = provider.stream(request());
    assert_eq!(stream.next().await, Some(Ok(StreamEvent::Text("a".to_owned()))));
    drop(stream);
    server.gone().await;
}

#[tokio::test]
async fn a_single_event_of_ten_megabytes_arrives_and_one_above_the_bound_ends_the_call() {
    let event = |length: usize| vec![stream_head(), word(&"x".repeat(length)), done()];
    let server = Server::start(vec![event(10_000_000), event(17_000_000)]).await;
    let provider = open(connection(&server.url()));
    assert_eq!(text(&*provider).await.unwrap().len(), 10_000_000);
    assert_eq!(text(&*provider).await.unwrap_err().fault, Fault::OverCap);
}

#[tokio::test]
async fn hostile_bytes_are_typed_failures() {
    let server = Server::start(vec![
        vec![stream_head(), word("a"), send(&b"data: {\"text\": \"\xFF\"}\n\n"[..]), done()],
        vec![stream_head(), word("a"), send("data: {\"text\"\n\n"), done()],
        vec![stream_head(), send("data: {\"text\": \"a\", \"text\": \"b\"}\n\n"), done()],
        vec![stream_head(), send("data: {\"text\": \"\\ud83d\"}\n\n"), done()],
    ])
    .await;
    let provider = open(connection(&server.url()));
    for whole in [None, None, Some("b"), Some("\u{FFFD}")] {
        match text(&*provider).await {
            Ok(text) => assert_eq!(Some(text.as_str()), whole),
            Err(error) => assert_eq!((whole, error.fault), (None, Fault::Malformed), "{error}"),
        }
    }
}

#[tokio::test]
async fn what_does_not_speak_the_protocol_is_told_as_that() {
    let of = |kind: &str, body: &str| answer("200 OK", &format!("content-type: {kind}\r\n"), body);
    let server = Server::start(vec![
        of("text/html; charset=utf-8", "<html>Sign in</html>"),
        of("application/xml", "<a/>"),
        of("application/json", "{\"hello\": 1}"),
        answer("200 OK", "content-type: text/event-stream\r\ncontent-encoding: gzip\r\n", "x"),
        answer("404 Not Found", "content-type: text/html\r\n", "<html>nothing here</html>"),
        vec![send("SSH-2.0-server\r\n\r\n")],
    ])
    .await;
    let provider = open(connection(&server.url()));
    for round in 0..6 {
        let error = text(&*provider).await.unwrap_err();
        assert_eq!(
            (error.fault, error.detail),
            (Fault::Malformed, Some(Detail::WrongProtocol)),
            "{round}: {error}"
        );
        assert_eq!(error.retry(), Retry::Never);
        assert!(!error.message.contains('<'), "{error}");
    }
}

#[tokio::test]
async fn a_gateway_that_refuses_with_a_status_of_success_is_read_as_refusing() {
    let body = json!({"error": {"message": "no credit"}}).to_string();
    let server = Server::start(vec![answer("200 OK", "content-type: application/json\r\n", &body)]).await;
    let error = text(&*open(connection(&server.url()))).await.unwrap_err();
    assert_eq!(error.message, format!("status 200: {body}"));
}

#[tokio::test]
async fn an_endless_body_of_an_error_is_read_in_part() {
    let head = "HTTP/1.1 400 Bad Request\r\n\r\n";
    let server = Server::start(vec![vec![send(head), send(vec![b'x'; 5_000_000]), Act::Hang]]).await;
    let error = text(&*open(connection(&server.url()))).await.unwrap_err();
    assert_eq!((error.fault, error.message.len()), (Fault::BadRequest, 2_000));
}

#[tokio::test]
async fn a_request_without_a_model_is_refused_before_it_is_sent() {
    let server = Server::start(vec![]).await;
    let provider = open(connection(&server.url()));
    let mut request = request();
    request.model.clear();
    let error = provider.stream(request).next().await.unwrap().unwrap_err();
    assert_eq!(error.detail, Some(Detail::ModelUnknown));
    assert_eq!(server.seen().len(), 0);
}

#[tokio::test]
async fn models_come_from_every_page_of_the_list_and_from_the_connection() {
    let json = "content-type: application/json\r\n";
    let server = Server::start(vec![
        answer("200 OK", json, "{\"models\": [\"a\", \"b\"], \"after\": \"b\"}"),
        answer("200 OK", json, "{\"models\": [\"b\", \"c\"]}"),
        answer("200 OK", "content-type: text/html\r\n", "<html/>"),
        answer("200 OK", json, "{\"tokens\": 42}"),
    ])
    .await;
    let mut connection = connection(&server.url());
    connection.flat_rate = true;
    connection.models = vec![
        domain::connection::ModelOverride { id: "b".into(), max_output: Some(7), ..Default::default() },
        domain::connection::ModelOverride { id: "own".into(), ..Default::default() },
    ];
    let provider = open(connection);
    let models = provider.models().await.unwrap();
    let told: Vec<_> = models.iter().map(|model| (model.id.as_str(), model.max_output)).collect();
    assert_eq!(told, [("a", 50), ("b", 7), ("c", 50), ("own", 4_096)]);
    assert!(models.iter().all(|model| model.abilities.flat_rate));
    assert_eq!(provider.model("c").context_window, 500);
    assert_eq!(server.seen()[1].line, "GET /v1/models?after=b HTTP/1.1");
    assert_eq!(provider.models().await.unwrap_err().detail, Some(Detail::WrongProtocol));
    assert_eq!(provider.count(&request()).await.unwrap(), Some(42));
}

#[tokio::test]
async fn what_is_shown_is_what_is_sent_without_the_secret() {
    let server = Server::start(vec![words(&["a"])]).await;
    let mut connection = connection(&server.url());
    connection.headers.insert("X-Team".to_owned(), "blue".to_owned());
    let provider = open(connection);
    let shown = provider.shown(&request()).unwrap().unwrap();
    assert_eq!(
        shown,
        json!({
            "method": "POST",
            "url": format!("{}/v1/say?alt=sse", server.url()),
            "headers": {
                "accept": "text/event-stream",
                "authorization": "Bearer (secret)",
                "content-type": "application/json",
                "x-team": "blue",
                "x-version": "3",
            },
            "body": {"model": "m", "system": "Say it."},
        })
    );
    text(&*provider).await.unwrap();
    let seen = &server.seen()[0];
    for (name, value) in shown["headers"].as_object().unwrap() {
        let sent = seen.header(name).unwrap().replace(KEY, "(secret)");
        assert_eq!(value.as_str(), Some(sent.as_str()));
    }
}

#[tokio::test]
async fn chat_completions_stream_and_fail_over_a_real_socket() {
    let chunk = |delta: serde_json::Value, finish: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        send(format!("data: {}\n\n", json!({"id": "c1", "model": "m", "choices": [choice]})))
    };
    let busy = json!({"error": {"message": "slow down", "type": "requests", "code": "rate_limit_exceeded"}})
        .to_string();
    let begun =
        || vec![stream_head(), send(": OPENROUTER PROCESSING\n\n"), chunk(json!({"content": "Good "}), None)];
    let mut whole = begun();
    whole.extend([
        chunk(json!({"content": "day"}), None),
        chunk(json!({}), Some("stop")),
        send("data: [DONE]\n\n"),
    ]);
    let refusal = "x-request-id: req_8\r\nretry-after: 2\r\ncontent-type: application/json\r\n";
    let server = Server::start(vec![whole, begun(), answer("429 Too Many Requests", refusal, &busy)]).await;
    let provider = connect(connection(&format!("{}/v1", server.url())), key()).unwrap();
    assert_eq!(text(&*provider).await.unwrap(), "Good day");
    assert_eq!(text(&*provider).await.unwrap_err().fault, Fault::StreamCut);
    let error = text(&*provider).await.unwrap_err();
    assert_eq!(error.fault, Fault::RateLimit { retry_after_ms: Some(2_000) });
    assert!(error.message.contains("slow down") && error.message.contains("req_8"), "{error}");
    let seen = &server.seen()[0];
    assert_eq!(seen.line, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(seen.header("authorization"), Some(&*format!("Bearer {KEY}")));
}
