//! Events over a WebSocket.

use app::{ApiEvent, UiKind};
use serde_json::json;

use crate::rig::World;

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_told_to_who_does_not_know_the_token() {
    let world = World::new().await;
    let here = format!("127.0.0.1:{}", world.port);
    for first in [
        r#"{"hello": {"token": ""}}"#.to_owned(),
        json!({ "hello": { "token": world.token, "more": 1 } }).to_string(),
        json!({ "hello": { "token": world.token.replace(|c: char| c.is_ascii_digit(), "f") } }).to_string(),
        "hello".to_owned(),
        "x".repeat(100_000),
    ] {
        let mut socket = world.socket(&here, None).await.unwrap();
        socket.say(&first).await;
        assert_eq!(socket.receive().await, None, "{}", &first[..first.len().min(80)]);
    }
    // Who says nothing is not waited for.
    let mut silent = world.socket(&here, None).await.unwrap();
    assert_eq!(silent.receive().await, None);
    assert_eq!(world.socket("evil.example", None).await.err(), Some(421));
    assert_eq!(world.get("/events", "").await.status, 426);
    world.server.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_told_from_its_start_to_its_end() {
    let world = World::new().await;
    let mut socket = world.listening().await;
    let mut second = world.listening().await;
    let run = world.call("run_start", json!({ "agent": "small", "request": "What is tested?" })).await;
    let run = run.as_str().unwrap().to_owned();
    let (mut kinds, mut lists) = (Vec::new(), 0);
    let mut done = false;
    while !done {
        for event in socket.events().await.expect("events until the run has ended") {
            match event {
                ApiEvent::Run(told) if told.run.0 == run => {
                    done |= matches!(told.kind, UiKind::Done { .. });
                    kinds.push(told.kind);
                }
                ApiEvent::Changed(tags) => lists += usize::from(tags.contains(&app::Tag::Sessions)),
                _ => {}
            }
        }
    }
    let Some(UiKind::Done { exit, problem }) = kinds.last() else { panic!("{kinds:?}") };
    assert_eq!((*exit, problem.as_ref()), (app::Exit::Completed, None));
    assert!(kinds.iter().any(|kind| matches!(kind, UiKind::Delta { .. })), "{kinds:?}");
    assert!(lists > 0, "lists of sessions were never stale");
    assert!(second.events().await.is_some());
    let state = world.call("run_show", json!({ "run": { "id": run } })).await;
    assert_eq!(state["status"], "completed");
    // When the program ends, streams end with it.
    world.server.close().await.unwrap();
    while socket.receive().await.is_some() {}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_by_one_window_is_told_to_the_other() {
    let world = World::new().await;
    let mut socket = world.listening().await;
    let settings = world.call("settings_update", json!({ "zoom": 1.2 })).await;
    assert_eq!(settings["zoom"], 1.2);
    // Tags of one moment are told together, and the watcher of files may add its own.
    let told = |events: Vec<ApiEvent>| {
        events
            .iter()
            .any(|event| matches!(event, ApiEvent::Changed(tags) if tags.contains(&app::Tag::Settings)))
    };
    while !told(socket.events().await.expect("the change is told before the stream ends")) {}
    world.server.close().await.unwrap();
}
