//! Crashes: whatever was committed is enough to go on, and nothing that ended is done again.

use std::time::Duration;

use engine::{Answered, Exit, FormKind, PausePolicy, UiKind};
use llm::{Answer, ScriptedProvider};
use pipeline::Event;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::agents::{agent, model, render, tools};
use crate::isa::{QUESTION, Say, isa, wrong_synthesis};
use crate::models::{brain, stage};
use crate::tools::{Act, Tools};
use crate::world::{World, ask, ask_unattended, choose, section, unattended};

/// An answer that needs a repair.
fn say() -> Say {
    Say::default().syntheses(vec![wrong_synthesis()])
}

#[tokio::test]
async fn a_run_resumed_after_any_commit_gives_the_same_bytes_and_repeats_no_call_that_ended() {
    let mut world = World::new(say().provider(), say().tools()).await;
    let (run, told) = world.run(isa(), ask_unattended(QUESTION)).await;
    assert_eq!(told.exit, Exit::Completed);
    let document = world.document(&run).await;
    let log = world.log(&run).await;
    let batches = world.store.load_events(&run.0).await.unwrap();
    let (models, calls) = (world.requests().len(), world.tools.asked().len());
    assert!(models == 5 && batches.len() > 5, "{models} calls, {} commits", batches.len());
    for count in 1..batches.len() {
        let last = batches[count - 1].seq_last;
        let ended = |name: &str| log.iter().filter(|r| r.seq <= last && r.event.name() == name).count();
        let (models_ended, tools_ended) = (ended("model_call_completed"), ended("tool_call_completed"));
        let mut crashed = world.crashed_after(&run, count, say().provider(), say().tools()).await;
        let told = crashed.resume(&run, unattended()).await;
        assert_eq!(told.exit, Exit::Completed, "after commit {count}: {:?}", told.problem);
        assert!(crashed.document(&run).await == document, "other bytes after commit {count}");
        assert_eq!(crashed.requests().len(), models - models_ended, "model calls after commit {count}");
        assert_eq!(crashed.tools.asked().len(), calls - tools_ended, "tool calls after commit {count}");
        let doubtful = ended("model_call_requested") - models_ended;
        assert_eq!(crashed.state(&run).await.maybe_paid_twice as usize, doubtful, "after commit {count}");
    }
}

fn two() -> workspace::Agent {
    agent(json!([model("first", json!({})), model("second", json!({})), render("second")]), json!({}))
}

#[tokio::test]
async fn a_model_call_under_way_is_issued_again_only_when_the_person_says_so_and_is_counted() {
    let mut world = World::new(brain(vec![("second", Answer::hang())]), Tools::none()).await;
    let run = world.start(two(), ask("q")).await;
    world
        .until(&run, |kind| matches!(kind, UiKind::Progress { stage, .. } if stage.as_str() == "second"))
        .await;
    let count = world.batches(&run).await;
    let mut crashed = world.crashed_after(&run, count, brain(vec![]), Tools::none()).await;
    let told = crashed.resume(&run, PausePolicy::default()).await;
    assert_eq!((told.exit, told.form().kind), (Exit::Paused, FormKind::Ambiguous));
    for unsure in
        ["why?", "no", "is it paid twice then?", "better not", "call 2 was paid", "don't issue it again"]
    {
        let answered = crashed.answer(&run, crate::world::say(unsure)).await.unwrap();
        assert!(matches!(answered, Answered::StillOpen { .. }), "{unsure}: {answered:?}");
        assert_eq!(crashed.done(&run).await.exit, Exit::Paused);
    }
    assert_eq!(crashed.requests().len(), 0, "nothing is paid before the person has said so");
    assert!(told.form().markdown.contains("may cost it a second time"), "{}", told.form().markdown);
    let told = crashed.go(&run, choose("retry")).await;
    assert_eq!(told.exit, Exit::Completed);
    assert_eq!(crashed.requests().len(), 1);
    let state = crashed.state(&run).await;
    assert_eq!(state.maybe_paid_twice, 1);
    assert!(state.doubtful.tokens > 0);

    let mut crashed = world.crashed_after(&run, count, brain(vec![]), Tools::none()).await;
    let told = crashed.resume(&run, unattended()).await;
    assert_eq!((told.exit, crashed.requests().len()), (Exit::Completed, 1), "with --yes at once");
    assert_eq!(crashed.state(&run).await.maybe_paid_twice, 1);
    world.engine.cancel(&run).await.unwrap();
}

#[tokio::test]
async fn guidance_given_after_a_call_was_planned_does_not_stop_it_from_being_made_again() {
    let mut world = World::new(brain(vec![("first", Answer::hang())]), Tools::none()).await;
    let run = world.start(two(), ask("q")).await;
    world
        .until(&run, |kind| matches!(kind, UiKind::Progress { stage, .. } if stage.as_str() == "first"))
        .await;
    world.engine.guide(&run, "said while it ran".into()).await.unwrap();
    let before = world.requests()[0].digest();
    let count = world.batches(&run).await;
    let mut crashed = world.crashed_after(&run, count, brain(vec![]), Tools::none()).await;
    let told = crashed.resume(&run, unattended()).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let requests = crashed.requests();
    assert_eq!(requests[0].digest(), before, "the same call as was planned");
    assert!(section(&requests[1], "GUIDANCE").unwrap().contains("said while it ran"));
    world.engine.cancel(&run).await.unwrap();
}

#[tokio::test]
async fn a_tool_that_only_reads_is_called_again_and_one_that_changes_something_only_after_asking() {
    for (idempotent, exit) in [(true, Exit::Completed), (false, Exit::Paused)] {
        let steps = json!([{ "tool": "kb/write", "collect": "done", "idempotent": idempotent }]);
        let stages = json!([model("first", json!({})), tools("write", steps, json!({})), render("first")]);
        let mut world = World::new(brain(vec![]), Tools::new(|_| Act::Hang)).await;
        let run = world.start(agent(stages, json!({})), ask("q")).await;
        world
            .until(&run, |kind| matches!(kind, UiKind::Progress { stage, .. } if stage.as_str() == "write"))
            .await;
        let count = world.batches(&run).await;
        let works = Tools::new(|_| Act::Give(json!({ "ok": true })));
        let mut crashed = world.crashed_after(&run, count, brain(vec![]), works).await;
        let told = crashed.resume(&run, PausePolicy::default()).await;
        assert_eq!(told.exit, exit, "idempotent {idempotent}");
        if exit == Exit::Paused {
            assert_eq!((told.form().kind, crashed.tools.asked().len()), (FormKind::Ambiguous, 0));
            assert_eq!(crashed.go(&run, choose("retry")).await.exit, Exit::Completed);
        }
        assert_eq!(crashed.tools.asked().len(), 1);
        assert_eq!(crashed.state(&run).await.maybe_paid_twice, 0, "tools are not paid");
        world.engine.cancel(&run).await.unwrap();
    }
}

#[tokio::test]
async fn an_interrupted_correction_is_made_again_with_the_same_words() {
    let bad = Answer::text("{\"text\": 7}");
    let mut world = World::new(brain(vec![("first", bad), ("first", Answer::hang())]), Tools::none()).await;
    let run = world.start(two(), ask("q")).await;
    let mut seen = 0;
    world
        .until(&run, |kind| {
            seen += usize::from(matches!(kind, UiKind::Progress { stage, .. } if stage.as_str() == "first"));
            seen == 2
        })
        .await;
    while world.requests().len() < 2 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let count = world.batches(&run).await;
    let mut crashed = world.crashed_after(&run, count, brain(vec![]), Tools::none()).await;
    assert_eq!(crashed.resume(&run, unattended()).await.exit, Exit::Completed);
    assert_eq!(crashed.requests()[0].messages, world.requests()[1].messages);
    assert_eq!(stage(&crashed.requests()[0]), "first");
    world.engine.cancel(&run).await.unwrap();
}

#[tokio::test]
async fn an_agent_that_was_edited_since_does_not_change_a_run_in_flight() {
    let mut world = World::new(brain(vec![]), Tools::none()).await;
    let paused = json!({ "/pauseAfterStages": ["first"] });
    let stages =
        json!([model("first", json!({ "pause": {} })), model("second", json!({})), render("second")]);
    let (run, _) = world.run(agent(stages, paused), ask("q")).await;
    let mut world = world
        .reopened_with(ScriptedProvider::answering(|request| {
            Answer::json(&json!({ "text": request.system }))
        }))
        .await;
    assert_eq!(world.go(&run, choose("proceed")).await.exit, Exit::Completed);
    assert_eq!(world.output(&run, "second").await, json!({ "text": "You are stage second." }));
    let log = world.log(&run).await;
    assert_eq!(log.iter().filter(|record| matches!(record.event, Event::RunStarted { .. })).count(), 1);
}
