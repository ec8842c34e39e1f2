//! Servers that are reached over HTTP: both generations, sessions, streams, limits and faults.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sources::{CallLimits, Era, Pool, Source, SourceConfig, SourceError, SourceErrorKind, SourceState};
use tokio_util::sync::CancellationToken;

use crate::rig::{SLACK, call, guard, hostile, marked, peak_rise};
use crate::web::{Reply, Web, echoed, event, legacy, modern, result, tool};

async fn start(config: SourceConfig) -> Result<Source, SourceError> {
    Source::start(config, None, None).await
}

async fn echo(source: &Source, arguments: Value) -> Value {
    let limits = CallLimits::within(Duration::from_secs(20));
    source.call("echo", arguments, limits).await.unwrap().value
}

/// A server of the newer generation whose calls are answered so.
async fn calls(answer: impl Fn(&crate::web::Seen) -> Reply + Send + Sync + 'static) -> Web {
    Web::serve(move |seen, _| match seen.method() {
        "tools/call" => answer(seen),
        _ => modern(seen),
    })
    .await
}

/// The error of a call within two seconds; the source must go on.
async fn call_error(web: &Web, change: impl FnOnce(&mut SourceConfig)) -> SourceError {
    let mut config = web.config();
    change(&mut config);
    let source = start(config).await.unwrap();
    let error = call(&source, Duration::from_secs(2)).await.unwrap_err();
    source.close().await;
    error
}

#[tokio::test]
async fn the_newer_generation_is_found_out_and_every_request_stands_for_itself() {
    let web = Web::serve(|seen, _| modern(seen)).await;
    let source = start(web.config()).await.unwrap();
    assert_eq!(echo(&source, json!({"n": 1})).await, json!({"n": 1}));
    source.close().await;
    let seen = web.seen();
    for one in &seen {
        assert_eq!((one.verb.as_str(), one.header("mcp-protocol-version")), ("POST", "2026-07-28"));
        assert_eq!(one.header("mcp-method"), one.method());
        assert_eq!(one.header("mcp-session-id"), "");
        assert!(
            one.header("accept").contains("application/json")
                && one.header("accept").contains("event-stream")
        );
        assert_eq!(one.body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    }
    assert_eq!(seen.last().unwrap().header("mcp-name"), "echo");
}

#[tokio::test]
async fn the_older_generation_is_found_out_and_its_session_is_ended() {
    let web = Web::serve(|seen, _| legacy(seen, "s-1")).await;
    let source = start(web.config()).await.unwrap();
    assert_eq!(source.server().as_deref(), Some("old 1"));
    assert_eq!(echo(&source, json!({"n": 1})).await, json!({"n": 1}));
    source.close().await;
    let seen = web.seen();
    let after = seen.iter().skip_while(|seen| seen.method() != "initialize").skip(1);
    for one in after {
        assert_eq!((one.header("mcp-session-id"), one.header("mcp-protocol-version")), ("s-1", "2025-11-25"));
        assert_eq!(one.header("mcp-method"), "");
    }
    assert_eq!(seen.last().unwrap().verb, "DELETE");
}

#[tokio::test]
async fn a_server_that_is_replaced_by_one_of_the_other_generation_starts_at_once() {
    let is_old = Arc::new(AtomicBool::new(false));
    let old = Arc::clone(&is_old);
    let web = Web::serve(move |seen, _| match old.load(Ordering::SeqCst) {
        true => legacy(seen, "s-1"),
        false => modern(seen),
    })
    .await;
    for old in [false, true, false, true] {
        is_old.store(old, Ordering::SeqCst);
        let source = start(web.config()).await.unwrap();
        assert_eq!(echo(&source, json!({"n": 1})).await, json!({"n": 1}), "old: {old}");
        source.close().await;
    }
}

#[tokio::test]
async fn a_server_that_answers_everything_with_nothing_is_an_old_one() {
    let web = Web::serve(|seen, _| match seen.method() {
        "server/discover" => Reply::json(200, &result(seen, json!({}))),
        _ => legacy(seen, "s"),
    })
    .await;
    start(web.config()).await.unwrap().close().await;
    assert_eq!(web.count("initialize"), 1);
}

#[tokio::test]
async fn a_session_that_the_server_forgot_is_opened_again_once_for_all_calls() {
    let opened = AtomicUsize::new(0);
    let web = Web::serve(move |seen, _| {
        if seen.method() == "initialize" {
            let number = opened.fetch_add(1, Ordering::SeqCst) + 1;
            return legacy(seen, &format!("s-{number}"));
        }
        if seen.method() == "tools/call" && seen.header("mcp-session-id") == "s-1" {
            return Reply::text(404, "no such session");
        }
        legacy(seen, "")
    })
    .await;
    let source = start(web.config()).await.unwrap();
    let calls: Vec<_> = (0..6)
        .map(|n| {
            let source = source.clone();
            tokio::spawn(async move { echo(&source, json!({"n": n})).await })
        })
        .collect();
    for (n, call) in calls.into_iter().enumerate() {
        assert_eq!(call.await.unwrap(), json!({"n": n}));
    }
    assert_eq!((web.count("initialize"), web.count("notifications/initialized")), (2, 2));
    source.close().await;
}

#[tokio::test]
async fn a_stream_of_the_older_generation_is_resumed_where_it_broke_off() {
    let web = Web::serve(|seen, web| match (seen.verb.as_str(), seen.method()) {
        ("POST", "tools/call") => Reply::stream("retry: 10\nid: e-1\ndata:\n\n"),
        ("GET", _) if seen.header("last-event-id") == "e-1" => {
            let asked = web.seen().into_iter().find(|seen| seen.method() == "tools/call").unwrap();
            Reply::stream(format!("id: e-2\n{}", event(&result(&asked, echoed(&asked)))))
        }
        _ => legacy(seen, "s-1"),
    })
    .await;
    let source = start(web.config()).await.unwrap();
    assert_eq!(echo(&source, json!({"n": 7})).await, json!({"n": 7}));
    assert_eq!(web.count("tools/call"), 1);
    source.close().await;
}

#[tokio::test]
async fn a_stream_of_the_newer_generation_that_breaks_off_is_told_and_never_repeated() {
    let web = calls(|_| Reply::stream("id: e-1\ndata:\n\n")).await;
    let error = call_error(&web, |_| {}).await;
    assert_eq!((error.code(), error.is_retryable()), ("source_interrupted", true));
    assert!(error.to_string().contains("not known whether"), "{error}");
    assert_eq!(web.count("tools/call"), 1);
}

#[tokio::test]
async fn redirects_are_followed_within_the_server_and_nowhere_else() {
    let away = Web::serve(|seen, _| modern(seen)).await;
    let elsewhere = away.origin.clone();
    let web = Web::serve(move |seen, _| match seen.path.as_str() {
        "/mcp" => Reply::text(307, "").with("location", "/mcp/"),
        "/away" => Reply::text(308, "").with("location", format!("{elsewhere}/mcp?token=canary")),
        "/round" => Reply::text(307, "").with("location", "/round"),
        "/moved" => Reply::text(301, "").with("location", "/mcp/"),
        _ => modern(seen),
    })
    .await;
    let mut config = web.config();
    config.http.as_mut().unwrap().headers.insert("X-Key".into(), "secret-of-mine".into());
    let source = start(config.clone()).await.unwrap();
    assert_eq!(echo(&source, json!({})).await, json!({}));
    assert!(web.seen().iter().all(|seen| seen.header("x-key") == "secret-of-mine"));
    source.close().await;
    for (path, part) in
        [("away", "correct the source's address"), ("round", "without end"), ("moved", "moved")]
    {
        config.http.as_mut().unwrap().url = format!("{}/{path}", web.origin);
        let error = start(config.clone()).await.unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(!error.to_string().contains("canary") && !error.to_string().contains("secret"), "{error}");
    }
    assert_eq!(away.seen().len(), 0);
}

#[tokio::test]
async fn answers_of_any_size_and_shape_cost_no_more_than_their_call() {
    let web = calls(|_| {
        Reply::text(200, "x".repeat(1 << 20)).with("content-type", "application/json").without_end()
    })
    .await;
    let (error, rise) = peak_rise(call_error(&web, |_| {})).await;
    assert_eq!(error.code(), "source_too_large", "{error}");
    assert!(rise < 64 << 20, "memory rose by {rise}");

    let web = calls(|_| Reply::stream(format!("data: {}", "x".repeat(1 << 20))).without_end()).await;
    let (error, rise) = peak_rise(call_error(&web, |config| config.max_noise_bytes = 32 << 20)).await;
    assert!(["source_flood", "source_too_large"].contains(&error.code()), "{error}");
    assert!(rise < 64 << 20, "memory rose by {rise}");

    let flood = event(&json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x"}}));
    for noise in [": tick\n\n".repeat(1_000), flood] {
        let web = calls(move |_| Reply::stream(noise.clone()).without_end()).await;
        let error = call_error(&web, |config| config.max_noise_bytes = 1 << 20).await;
        assert_eq!(error.code(), "source_flood", "{error}");
    }

    for nonsense in [
        "",
        "hello",
        "null",
        "[]",
        "{}",
        "{\"jsonrpc\":\"2.0\"}",
        "<html>",
        "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}",
    ] {
        let web = calls(move |_| Reply::text(200, nonsense).with("content-type", "application/json")).await;
        let error = call_error(&web, |_| {}).await;
        assert_eq!(error.code(), "source_protocol", "{nonsense}: {error}");
    }
}

#[tokio::test]
async fn a_server_that_hangs_holds_nobody_beyond_the_deadline() {
    for reply in [Reply::stream("").without_end(), Reply::json(200, &json!({})).without_end()] {
        let reply = Reply { body: Vec::new(), ..reply };
        let web = calls(move |_| reply.clone()).await;
        let source = start(web.config()).await.unwrap();
        let begun = std::time::Instant::now();
        let error = call(&source, Duration::from_millis(300)).await.unwrap_err();
        assert_eq!(error.code(), "source_deadline");
        assert!(begun.elapsed() < Duration::from_millis(300) + SLACK);
        let cancel = CancellationToken::new();
        cancel.cancel();
        let limits = CallLimits::within(Duration::from_secs(20)).cancelled_by(cancel);
        let error = source.call("echo", json!({}), limits).await.unwrap_err();
        assert_eq!(error.kind, SourceErrorKind::Cancelled);
        assert_eq!(source.state(), SourceState::Ready);
        source.close().await;
    }
    let web = Web::serve(|_, _| Reply::stream("").without_end()).await;
    let mut config = web.config();
    config.era = Era::Modern;
    config.start_timeout = Duration::from_millis(300);
    let error = start(config).await.unwrap_err();
    assert_eq!(error.code(), "source_start_timeout", "{error}");
}

#[tokio::test]
async fn what_a_server_refuses_is_told_in_words() {
    for (status, body, code, part) in [
        (401, "", "source_sign_in_needed", "no sign-in"),
        (403, "", "source_http", "does not allow"),
        (404, "<html>gone</html>", "source_http", "path"),
        (429, "slow\u{7} down", "source_http", "slow down"),
        (500, "oops", "source_http", "oops"),
        (503, "", "source_http", "503"),
    ] {
        let web = calls(move |_| Reply::text(status, body)).await;
        let error = call_error(&web, |_| {}).await;
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(part), "{error}");
        assert_eq!(error.is_retryable(), status == 429 || status >= 500, "{error}");
    }
    let web = calls(|seen| {
        let error = json!({"code": -32602, "message": "no such row"});
        Reply::json(400, &json!({"jsonrpc": "2.0", "id": seen.body["id"], "error": error}))
    })
    .await;
    assert_eq!(call_error(&web, |_| {}).await.code(), "tool_refused");

    let closed = SourceConfig::http("remote", "http://127.0.0.1:9/mcp?key=canary");
    let error = start(closed).await.unwrap_err();
    assert_eq!((error.code(), error.is_retryable()), ("source_unreachable", true));
    assert!(
        error.to_string().contains("connection refused") && !error.to_string().contains("canary"),
        "{error}"
    );
    let error = start(SourceConfig::http("remote", "http://example.org/mcp")).await.unwrap_err();
    assert_eq!(error.code(), "source_invalid_address");
}

#[tokio::test]
async fn arguments_that_a_schema_wants_in_header_fields_go_there_and_impossible_tools_are_left_out() {
    let web = Web::serve(|seen, _| match seen.method() {
        "tools/list" => {
            let (mut good, mut bad) = (tool("echo"), tool("bad"));
            good["inputSchema"]["properties"] =
                json!({"region": {"type": "string", "x-mcp-header": "Region"}});
            bad["inputSchema"]["properties"] = json!({"region": {"type": "string", "x-mcp-header": "a b"}});
            Reply::json(
                200,
                &result(seen, json!({"tools": [good, bad], "ttlMs": 0, "cacheScope": "private"})),
            )
        }
        _ => modern(seen),
    })
    .await;
    let source = start(web.config()).await.unwrap();
    assert_eq!(source.tools().keys().collect::<Vec<_>>(), ["echo"]);
    echo(&source, json!({"region": "eu"})).await;
    assert_eq!(web.seen().last().unwrap().header("mcp-param-region"), "eu");
    source.close().await;
}

#[tokio::test]
async fn fifty_sources_that_nobody_uses_are_no_processes_and_stopping_ends_those_that_are_used() {
    let pool = Pool::with_idle(guard(), None, Duration::from_secs(60));
    let (first, marker) = hostile("good");
    let configs: Vec<SourceConfig> = (0..50)
        .map(|number| {
            let mut config = first.clone();
            config.slug = format!("source-{number}");
            config
        })
        .collect();
    assert!(pool.is_empty() && marked(&marker).is_empty());
    let mut held = Vec::new();
    for config in &configs[..3] {
        held.push(pool.get(config.clone()).await.unwrap());
    }
    assert_eq!(pool.len(), 3);
    assert!(!marked(&marker).is_empty());
    // One is removed by the person while the others go on.
    held[0].close().await;
    assert_eq!(call(&held[0], SLACK).await.unwrap_err().code(), "source_not_running");
    assert!(call(&held[1], Duration::from_secs(10)).await.is_ok());
    pool.shutdown().await;
    assert!(pool.is_empty() && marked(&marker).is_empty());
}
