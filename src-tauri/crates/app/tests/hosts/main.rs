//! Hosts: who holds a data directory, who works through whom, and what goes on by itself.
// The helpers of the tests are tests too, which the lint does not see.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use app::{ApiEvent, Batches, Host, Options, Request, Response, RunRef, RunState, StartRun, Tag, UiKind};
use domain::{ErrorCode, RunId, RunStatus};
use llm::{Answer, Provider, ScriptedProvider};
use protocol::{Settings, SettingsPatch};
use serde_json::json;
use tempfile::TempDir;

/// No wait of a test is longer.
const PATIENCE: Duration = Duration::from_secs(30);

/// An agent that needs no source: one answer, and a document.
fn small_agent(home: &Path) {
    let folder = home.join("workspaces/default/agents/small");
    std::fs::create_dir_all(folder.join("prompts")).unwrap();
    let config = json!({
        "slug": "small",
        "name": "Small",
        "description": "For tests.",
        "depthModes": { "standard": {} },
        "controlFlow": {
            "stages": [
                {
                    "id": "think", "name": "think", "title": "Think", "kind": "model", "prompt": "think.md",
                    "context": [{ "section": "REQUEST", "value": "request" }],
                    "outputSchema": {
                        "type": "object", "required": ["text"],
                        "properties": { "text": { "type": "string", "minLength": 1 } }
                    }
                },
                {
                    "id": "output", "name": "output", "title": "Output", "kind": "render",
                    "document": { "answer": "{'synthesis': outputs.think.text}" }
                }
            ]
        }
    });
    std::fs::write(folder.join("config.json"), config.to_string()).unwrap();
    std::fs::write(folder.join("prompts/think.md"), "Answer the request.\n").unwrap();
    let page = "---\nname: Small\ndescription: For tests.\nsources: []\ntools: []\n---\nFor tests.\n";
    std::fs::write(folder.join("AGENT.md"), page).unwrap();
}

/// A host whose model answers like this.
async fn host(home: &Path, answer: impl Fn() -> Answer + Send + Sync + 'static) -> Host {
    small_agent(home);
    let model: Arc<dyn Provider> = Arc::new(ScriptedProvider::answering(move |_| answer()));
    let options = Options {
        home: home.to_owned(),
        program: std::env::current_exe().unwrap(),
        providers: BTreeMap::from([("scripted".to_owned(), model)]),
        hosts: None,
    };
    Host::open(options).await.unwrap()
}

fn text() -> Answer {
    Answer::text(r#"{"text": "Tested."}"#)
}

async fn start(host: &Host) -> RunId {
    let start = StartRun {
        agent: "small".to_owned(),
        request: "What is tested?".to_owned(),
        connection: Some("scripted".to_owned()),
        model: Some("scripted-1".to_owned()),
        ..StartRun::default()
    };
    match host.call(Request::RunStart(Box::new(start))).await.unwrap() {
        Response::Run(run) => run,
        other => panic!("{other:?}"),
    }
}

async fn state(host: &Host, run: &RunId) -> RunState {
    let request = Request::RunShow { run: RunRef::Id(run.0.clone()), events_after: None, outputs: false };
    match host.call(request).await.unwrap() {
        Response::RunState(state) => *state,
        other => panic!("{other:?}"),
    }
}

async fn zoom(host: &Host, zoom: f64) {
    let patch = SettingsPatch { zoom: Some(zoom), ..SettingsPatch::default() };
    host.call(Request::SettingsUpdate(patch)).await.unwrap();
}

async fn settings(host: &Host) -> Settings {
    match host.call(Request::SettingsShow).await.unwrap() {
        Response::Settings(settings) => settings,
        other => panic!("{other:?}"),
    }
}

/// Listens until an event is the one.
async fn until(events: &mut Batches, is: impl Fn(&ApiEvent) -> bool) {
    let heard = async {
        while let Some(batch) = events.next().await {
            if batch.iter().any(&is) {
                return;
            }
        }
        panic!("nothing more is told");
    };
    tokio::time::timeout(PATIENCE, heard).await.expect("the event in time");
}

/// Listens until the model has been asked.
async fn until_asked(events: &mut Batches, run: &RunId) {
    let asked = |event: &ApiEvent| match event {
        ApiEvent::Run(told) if told.run == *run => match &told.kind {
            UiKind::Event { record } => matches!(record.event, pipeline::Event::ModelCallRequested { .. }),
            _ => false,
        },
        _ => false,
    };
    until(events, asked).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_works_through_the_first_and_takes_over_from_it() {
    let folder = TempDir::new().unwrap();
    let first = host(folder.path(), text).await;
    let second = host(folder.path(), text).await;
    assert!(!first.is_remote());
    assert!(second.is_remote());

    let mut told = second.events();
    zoom(&first, 1.1).await;
    until(&mut told, |event| matches!(event, ApiEvent::Changed(tags) if tags.contains(&Tag::Settings))).await;
    assert_eq!(settings(&second).await.zoom, 1.1);
    let run = start(&second).await;
    until(&mut told, |event| {
        matches!(event, ApiEvent::Run(told) if told.run == run && matches!(told.kind, UiKind::Done { .. }))
    })
    .await;

    // A call that comes while nobody has the engine waits for the one that takes over.
    let (closed, answered) = tokio::join!(first.close(), settings(&second));
    closed.unwrap();
    assert_eq!(answered.zoom, 1.1);
    until(&mut told, |event| *event == ApiEvent::Lagged).await;
    zoom(&second, 1.3).await;
    assert!(!second.is_remote());
    assert_eq!(state(&second, &run).await.status, RunStatus::Completed);
    until(&mut told, |event| matches!(event, ApiEvent::Changed(_))).await;

    let refused = first.call(Request::SettingsShow).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Busy);
    assert_eq!(first.events().next().await, None);
    second.close().await.unwrap();
    while told.next().await.is_some() {}
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_suspends_a_run_so_that_it_waits_for_the_person() {
    let folder = TempDir::new().unwrap();
    let first = host(folder.path(), Answer::hang).await;
    let mut told = first.events();
    let run = start(&first).await;
    until_asked(&mut told, &run).await;
    first.close().await.unwrap();

    let second = host(folder.path(), text).await;
    assert_eq!(state(&second, &run).await.status, RunStatus::Suspended);
    let mut told = second.events();
    let resume = Request::RunResume { run: RunRef::Id(run.0.clone()), attend: app::PausePolicy::default() };
    second.call(resume).await.unwrap();
    until(&mut told, |event| {
        matches!(event, ApiEvent::Run(told) if told.run == run && matches!(told.kind, UiKind::Done { .. }))
    })
    .await;
    second.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_whose_process_died_goes_on_and_asks_about_the_call_that_may_have_been_paid() {
    let folder = TempDir::new().unwrap();
    let (alive, dead) = (folder.path().join("alive"), folder.path().join("dead"));
    let first = host(&alive, Answer::hang).await;
    let mut told = first.events();
    let run = start(&first).await;
    until_asked(&mut told, &run).await;
    // What a process that was killed now would leave behind.
    std::fs::create_dir(&dead).unwrap();
    for entry in std::fs::read_dir(&alive).unwrap().flatten() {
        if entry.file_type().unwrap().is_file() && entry.file_name() != "instance.json" {
            std::fs::copy(entry.path(), dead.join(entry.file_name())).unwrap();
        }
    }
    let second = host(&dead, text).await;
    let mut told = second.events();
    if state(&second, &run).await.pauses.is_empty() {
        until(&mut told, |event| {
            matches!(event, ApiEvent::Run(told) if told.run == run && matches!(told.kind, UiKind::Pause { .. }))
        })
        .await;
    }
    let there = state(&second, &run).await;
    assert_eq!((there.status, there.pauses.len()), (RunStatus::Paused, 1), "{there:?}");
    second.close().await.unwrap();
    first.close().await.unwrap();
}
