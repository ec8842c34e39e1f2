//! Calls that fail in every way, and some that don't.

use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sources::{CallLimits, Source, SourceErrorKind, SourceState};
use tokio_util::sync::CancellationToken;

use crate::rig::{SLACK, assert_gone, assert_works, call, call_error, good, guard, hostile, peak_rise};

#[tokio::test]
async fn a_server_that_dies_in_a_call_is_quoted_at_once_and_can_be_restarted() {
    let (config, marker) = hostile("dies in a call");
    let source = Source::start(config, guard(), None).await.unwrap();
    let begun = Instant::now();
    let error = call(&source, Duration::from_secs(30)).await.unwrap_err();
    assert!(begun.elapsed() < SLACK, "took {:?}", begun.elapsed());
    assert_eq!(error.code(), "source_died");
    assert!(error.to_string().contains("exit code 139"), "{error}");
    assert!(error.stderr_tail.contains("segmentation fault"));
    while source.state() != SourceState::Failed {
        source.state_change().await;
    }
    source.restart().await.unwrap();
    assert_eq!(source.state(), SourceState::Ready);
    source.close().await;
    assert_gone(&marker, Duration::from_millis(100)).await;
}

#[tokio::test]
async fn restarts_are_counted() {
    let (config, _) = hostile("good");
    let source = Source::start(config, None, None).await.unwrap();
    for _ in 0..5 {
        source.restart().await.unwrap();
    }
    let error = source.restart().await.unwrap_err();
    assert_eq!(error.code(), "source_restart_limit");
    assert_works(&source).await;
    source.close().await;
}

#[tokio::test]
async fn garbage_is_not_an_answer_but_is_mentioned() {
    let error = call_error("garbage", |_| {}).await;
    assert_eq!(error.code(), "source_deadline");
    assert!(error.to_string().contains("100 lines on its output were no messages"), "{error}");
    assert!(!error.to_string().contains('\u{1b}'));
}

#[tokio::test]
async fn half_a_character_or_a_byte_that_is_no_text_costs_one_character() {
    let (config, _) = hostile("half a character");
    let source = Source::start(config, guard(), None).await.unwrap();
    let value = call(&source, Duration::from_secs(5)).await.unwrap();
    assert_eq!(value, json!("half \u{FFFD} and \u{FFFD} byte"));
    source.close().await;
}

#[tokio::test]
async fn an_answer_to_a_request_that_nobody_made_ends_the_call_that_waits() {
    for mode in ["wrong ids", "unknown id"] {
        let begun = Instant::now();
        let error = call_error(mode, |_| {}).await;
        assert_eq!(error.code(), "source_protocol", "{mode}: {error}");
        assert!(error.to_string().contains("a request 999999 that nobody made"), "{mode}: {error}");
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}

#[tokio::test]
async fn of_several_calls_that_wait_none_is_ended_by_an_answer_to_an_unknown_request() {
    let (config, _) = hostile("unknown id");
    let source = Source::start(config, guard(), None).await.unwrap();
    let both =
        tokio::join!(call(&source, Duration::from_millis(500)), call(&source, Duration::from_millis(500)),);
    let codes = [both.0.unwrap_err(), both.1.unwrap_err()].map(|error| error.code());
    assert!(codes.contains(&"source_deadline"), "{codes:?}");
    source.close().await;
}

#[tokio::test]
async fn a_message_in_a_form_that_the_protocol_has_not_ends_its_call_at_once() {
    let cases = [
        ("byte order mark", "begins with a byte order mark"),
        ("byte order mark in the line", "begins with a byte order mark"),
        ("batch", "a batch, which its generation of the protocol has not"),
        ("two ids", "duplicate field `id`"),
    ];
    for (mode, expected) in cases {
        let error = call_error(mode, |_| {}).await;
        assert_eq!(error.code(), "source_protocol", "{mode}: {error}");
        assert!(error.to_string().contains(expected), "{mode}: {error}");
    }
}

#[tokio::test]
async fn a_stream_may_begin_with_a_byte_order_mark() {
    let (config, _) = hostile("begins with a byte order mark");
    let source = Source::start(config, guard(), None).await.unwrap();
    assert_works(&source).await;
    source.close().await;
}

#[tokio::test]
async fn a_server_of_the_generation_that_has_batches_may_send_them() {
    let (config, _) = hostile("batch of its time");
    let source = Source::start(config, guard(), None).await.unwrap();
    for _ in 0..3 {
        assert_works(&source).await;
    }
    source.close().await;
}

#[tokio::test]
async fn the_first_of_many_answers_counts() {
    let (config, _) = hostile("duplicates");
    let source = Source::start(config, guard(), None).await.unwrap();
    for _ in 0..5 {
        assert_works(&source).await;
    }
    source.close().await;
}

#[tokio::test]
async fn useless_answers_break_the_protocol_at_once() {
    for mode in ["wrong shapes", "no result", "deep", "asks back"] {
        let error = call_error(mode, |_| {}).await;
        assert_eq!(error.code(), "source_protocol", "{mode}: {error}");
    }
}

#[tokio::test]
async fn a_result_is_compared_with_the_schema_that_its_tool_promised() {
    let (config, _) = hostile("promises an output");
    let source = Source::start(config, guard(), None).await.unwrap();
    assert_works(&source).await;
    source.close().await;

    let error = call_error("breaks its promise", |_| {}).await;
    assert_eq!(error.code(), "tool_invalid_output", "{error}");
    let SourceErrorKind::Output { tool, place, text, .. } = &error.kind else { panic!("{error}") };
    assert_eq!((tool.as_str(), place.as_str(), text.as_str()), ("echo", "/n", "one row"));
    assert!(error.kind.to_string().ends_with("it said:\none row"), "{error}");
}

#[tokio::test]
async fn log_lines_in_json_are_not_mistaken_for_answers() {
    let (config, _) = hostile("logs json");
    let source = Source::start(config, guard(), None).await.unwrap();
    for _ in 0..3 {
        assert_works(&source).await;
    }
    source.close().await;
}

#[tokio::test]
async fn late_answers_to_abandoned_calls_are_forgiven() {
    let (mut config, _) = hostile("answers late");
    // Two late answers would be too much if they counted.
    config.max_noise_bytes = 3_000;
    let source = Source::start(config, guard(), None).await.unwrap();
    for _ in 0..4 {
        let error = call(&source, Duration::from_millis(50)).await.unwrap_err();
        assert_eq!(error.code(), "source_deadline");
    }
    // The server works in order: when it answers this one, it has answered the others.
    let error = call(&source, Duration::from_secs(20)).await.unwrap_err();
    assert_eq!(error.code(), "tool_failed", "{error}");
    source.close().await;
}

#[tokio::test]
async fn an_answer_that_is_too_large_costs_only_its_call() {
    let (config, _) = hostile("large");
    let source = Source::start(config, guard(), None).await.unwrap();
    let (error, rise) = peak_rise(call(&source, Duration::from_secs(10))).await;
    let error = error.unwrap_err();
    assert_eq!(error.kind, SourceErrorKind::TooLarge { what: "its answer".into(), limit: 8 << 20 });
    assert!(rise < 64 << 20, "memory rose by {rise}");
    assert_eq!(source.state(), SourceState::Ready);
    let again = call(&source, Duration::from_secs(10)).await.unwrap_err();
    assert_eq!(again.kind, error.kind);
    source.close().await;
}

#[tokio::test]
async fn a_line_of_a_hundred_megabytes_is_refused_within_bounds() {
    let (error, rise) = peak_rise(call_error("huge line", |_| {})).await;
    assert_eq!(error.code(), "source_too_large", "{error}");
    assert!(rise < 64 << 20, "memory rose by {rise}");
}

#[tokio::test]
async fn a_flood_of_notifications_is_cut_off_within_bounds() {
    for mode in ["notification flood", "request flood"] {
        let (error, rise) = peak_rise(call_error(mode, |_| {})).await;
        assert_eq!(error.code(), "source_flood", "{error}");
        assert!(rise < 64 << 20, "memory rose by {rise}");
    }
}

#[tokio::test]
async fn a_flood_of_complaints_holds_nobody_up() {
    let (config, marker) = hostile("stderr flood");
    let ((), rise) = peak_rise(async {
        let source = Source::start(config, guard(), None).await.unwrap();
        assert_works(&source).await;
        let error = source.call("nothing", Value::Null, CallLimits::within(SLACK)).await.unwrap_err();
        assert_eq!(error.code(), "tool_unknown");
        source.close().await;
    })
    .await;
    assert!(rise < 64 << 20, "memory rose by {rise}");
    assert_gone(&marker, Duration::from_millis(100)).await;
}

#[tokio::test]
async fn complaints_without_line_ends_are_cut_to_a_tail() {
    let (config, _) = hostile("stderr without newline");
    let source = Source::start(config, guard(), None).await.unwrap();
    assert_works(&source).await;
    let limits = CallLimits::within(SLACK);
    let error = source.call("nothing", Value::Null, limits).await.unwrap_err();
    source.close().await;
    assert!(error.stderr_tail.contains("no end no end"));
    assert!(error.stderr_tail.len() <= 8 << 10);
}

#[tokio::test]
async fn a_call_without_answer_ends_at_its_deadline() {
    let error = call_error("never answers", |_| {}).await;
    assert_eq!(error.code(), "source_deadline");
}

#[tokio::test]
async fn progress_keeps_a_call_alive_but_not_for_ever() {
    let error = call_error("progress for ever", |_| {}).await;
    assert_eq!(error.code(), "source_deadline");

    let (config, _) = hostile("progress then answer");
    let source = Source::start(config, guard(), None).await.unwrap();
    let limits = CallLimits {
        idle: Duration::from_millis(600),
        total: Duration::from_secs(20),
        cancel: CancellationToken::new(),
    };
    let outcome = source.call("echo", json!({"n": 1}), limits).await.unwrap();
    assert!(outcome.duration > Duration::from_millis(900));
    source.close().await;
}

#[tokio::test]
async fn progress_that_does_not_grow_is_none() {
    let (config, _) = hostile("progress that stands still");
    let source = Source::start(config, guard(), None).await.unwrap();
    let limits = CallLimits {
        idle: Duration::from_millis(400),
        total: Duration::from_secs(20),
        cancel: CancellationToken::new(),
    };
    let begun = Instant::now();
    let error = source.call("echo", json!({}), limits).await.unwrap_err();
    assert_eq!(error.code(), "source_deadline");
    assert!(begun.elapsed() < Duration::from_millis(400) + SLACK);
    source.close().await;
}

#[tokio::test]
async fn errors_of_tool_and_server_are_told_apart() {
    let (config, _) = hostile("tool error");
    let source = Source::start(config, guard(), None).await.unwrap();
    let error = call(&source, Duration::from_secs(10)).await.unwrap_err();
    assert_eq!(
        error.kind,
        SourceErrorKind::Tool { tool: "echo".into(), message: "row 7 is missing".into(), files: Vec::new() }
    );
    assert_eq!(source.state(), SourceState::Ready);
    source.close().await;

    let (config, _) = hostile("refuses");
    let source = Source::start(config, guard(), None).await.unwrap();
    let error = call(&source, Duration::from_secs(10)).await.unwrap_err();
    assert_eq!(error.code(), "tool_refused");
    source.close().await;
}

#[tokio::test]
async fn a_cancelled_call_returns_at_once_and_the_server_is_told() {
    let (config, _) = hostile("never answers");
    let source = Source::start(config, guard(), None).await.unwrap();
    let cancel = CancellationToken::new();
    let limits = CallLimits::within(Duration::from_secs(60)).cancelled_by(cancel.clone());
    let folder = tempfile::tempdir().unwrap();
    let sign = folder.path().join("called");
    let waiting = source.call("echo", json!({"sign": sign}), limits);
    let cancelling = async {
        let begun = Instant::now();
        while !sign.exists() {
            assert!(begun.elapsed() < Duration::from_secs(20), "the call does not arrive");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        cancel.cancel();
        Instant::now()
    };
    let (result, at) = tokio::join!(waiting, cancelling);
    assert_eq!(result.unwrap_err().kind, SourceErrorKind::Cancelled);
    assert!(at.elapsed() < Duration::from_millis(200));
    // The server repeats on its standard error what it was told; a later failure shows it.
    let begun = Instant::now();
    loop {
        let error = call(&source, Duration::from_millis(50)).await.unwrap_err();
        if error.stderr_tail.contains("cancelled ") {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(5), "{error}");
    }
    source.close().await;
}

#[tokio::test]
async fn a_server_that_reads_nothing_does_not_hold_a_call_beyond_its_deadline() {
    let (config, marker) = hostile("progress for ever");
    let source = Source::start(config, guard(), None).await.unwrap();
    let big = json!({"text": "x".repeat(1 << 20)});
    let calls: Vec<_> = (0..8)
        .map(|_| {
            let (source, big) = (source.clone(), big.clone());
            tokio::spawn(async move {
                let limits = CallLimits::within(Duration::from_millis(500));
                let begun = Instant::now();
                let error = source.call("echo", big, limits).await.unwrap_err();
                (error.code(), begun.elapsed())
            })
        })
        .collect();
    for call in calls {
        let (code, took) = call.await.unwrap();
        assert_eq!(code, "source_deadline");
        assert!(took < Duration::from_millis(500) + SLACK, "took {took:?}");
    }
    source.close().await;
    assert_gone(&marker, Duration::from_millis(100)).await;
}

#[tokio::test]
async fn wrong_questions_are_answered_here() {
    let source = good().await;
    let ask = |tool: &'static str, arguments: Value| {
        let source = source.clone();
        async move { source.call(tool, arguments, CallLimits::within(SLACK)).await.unwrap_err() }
    };
    assert!(ask("ecko", json!({})).await.to_string().contains("it has: echo"));
    assert_eq!(ask("echo", json!([1])).await.code(), "tool_invalid_arguments");
    let huge = json!({"text": "x".repeat(5 << 20)});
    assert_eq!(ask("echo", huge).await.code(), "source_too_large");
    source.close().await;
    assert_eq!(ask("echo", json!({})).await.code(), "source_not_running");
}

#[tokio::test]
async fn a_server_sees_only_what_it_was_given() {
    let (mut config, _) = hostile("environment");
    config.env.insert("GIVEN".into(), "to the server".into());
    config.inherit_env = vec!["CARGO_MANIFEST_DIR".into()];
    let source = Source::start(config, guard(), None).await.unwrap();
    let seen = call(&source, Duration::from_secs(10)).await.unwrap();
    source.close().await;
    let seen: Vec<(String, String)> = serde_json::from_value(seen).unwrap();
    let names: std::collections::BTreeSet<&str> = seen.iter().map(|(name, _)| name.as_str()).collect();
    let allowed = [
        "AGENTNATIVE_TREE",
        "CARGO_MANIFEST_DIR",
        "GIVEN",
        "HOME",
        "LANG",
        "LOGNAME",
        "MARKER",
        "PATH",
        "SHELL",
        "TERM",
        "TMPDIR",
        "USER",
    ];
    assert!(names.contains("GIVEN") && names.contains("CARGO_MANIFEST_DIR"));
    // Cargo gives this process many variables that are on no list: they are the canaries.
    assert!(std::env::var("CARGO_PKG_NAME").is_ok());
    assert!(names.iter().all(|name| allowed.contains(name)), "{names:?}");
}
