//! Stored runs and turns computed again. Every run and turn that a test of this crate sees end is computed again besides:
//! see `World::done` and `World::ended`.

use std::sync::Arc;

use domain::{Digest, ErrorCode, RunId};
use engine::{Difference, Replay, UiKind};
use llm::{Answer, ScriptedProvider};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use store::{Blob, BlobHash, Commit, Durability, NewRun, NewSession, RunChange};

use crate::agents::{agent, model, render};
use crate::isa::{Say, isa, question, synthesis, wrong_synthesis};
use crate::models::brain;
use crate::tools::Tools;
use crate::turn_world;
use crate::world::{World, ask, refused, unattended};

/// A run of a shipped agent with a pause, a repair and a document.
async fn finished() -> (World, RunId) {
    let say = Say::default().syntheses(vec![wrong_synthesis(), synthesis()]);
    let mut world = World::new(say.provider(), say.tools()).await;
    let start = engine::StartRun { attend: unattended(), ..question() };
    let (run, told) = world.run(isa(), start).await;
    assert_eq!(told.exit, engine::Exit::Completed, "{:?}", told.problem);
    (world, run)
}

/// The same data directory, with a run's log changed: a second store that holds it.
async fn altered(world: &World, run: &RunId, mut change: impl FnMut(&str, &mut Value)) -> World {
    let other = World::new(ScriptedProvider::queue([]), crate::tools::Tools::none()).await;
    let row = world.store.get_run(&run.0).await.unwrap();
    let mut blobs: Vec<Blob> = Vec::new();
    for (hash, _) in world.store.run_blobs(&run.0).await.unwrap() {
        blobs.push(Blob::new(world.store.get_blob(hash).await.unwrap()).unwrap());
    }
    for batch in world.store.load_events(&run.0).await.unwrap() {
        let mut rows: Value = serde_json::from_slice(&batch.bytes).unwrap();
        for row in rows.as_array_mut().unwrap() {
            let event = &mut row[4];
            let name = event["type"].as_str().unwrap().to_owned();
            change(&name, event);
        }
        let create = NewRun {
            session: NewSession { id: row.session.clone(), ..NewSession::default() },
            agent: row.agent.clone(),
            status: row.status.clone(),
            ..NewRun::default()
        };
        let commit = Commit {
            run: run.0.clone(),
            expect_seq: batch.seq_first - 1,
            seq_last: batch.seq_last,
            at_ms: batch.at_ms,
            events: serde_json::to_vec(&rows).unwrap(),
            blobs: std::mem::take(&mut blobs),
            change: if batch.seq_first == 1 { RunChange::Create(create) } else { RunChange::Keep },
            durability: Durability::Normal,
            ..Commit::default()
        };
        other.store.commit(commit).await.unwrap();
    }
    other
}

fn places(replay: &Replay) -> Vec<(&str, &str)> {
    replay.differences.iter().map(|each| (each.place.as_str(), each.what.as_str())).collect()
}

#[tokio::test]
async fn a_finished_run_comes_out_as_it_is_stored_and_nothing_is_asked_or_written() {
    let (world, run) = finished().await;
    let (requests, calls, batches) =
        (world.requests().len(), world.tools.asked().len(), world.batches(&run).await);
    let replay = world.engine.replay(&run).await.unwrap();
    assert!(replay.identical, "{:#?}", replay.differences);
    assert_eq!(replay.events, world.log(&run).await.len() as u64);
    assert_eq!((replay.documents, replay.gaps.len(), replay.more), (1, 0, 0));
    assert!(replay.recomputed > replay.events / 2, "{replay:?}");
    assert_eq!(
        (world.requests().len(), world.tools.asked().len(), world.batches(&run).await),
        (requests, calls, batches)
    );
    let unknown = world.engine.replay(&RunId("run-unknown".to_owned())).await;
    refused(unknown, ErrorCode::NotFound);
}

#[tokio::test]
async fn each_kind_of_step_that_was_changed_in_the_log_is_found_and_named() {
    let (world, run) = finished().await;
    let other = Digest::of("something else").to_string();
    // What is changed; where that shows first.
    type Alter = Box<dyn Fn(&mut Value, &str) -> bool>;
    type Change = (&'static str, Alter, &'static str);
    let digest = |field: &'static str| -> Alter {
        Box::new(move |event, other| {
            event[field] = json!(other);
            true
        })
    };
    let changes: Vec<Change> = vec![
        ("pause_formatted", digest("form"), "form"),
        (
            "pause_formatted",
            Box::new(|event, _| {
                event["shape"] = json!("another");
                true
            }),
            "shape",
        ),
        (
            "stage_completed",
            Box::new(|event, _| {
                event["summary"] = json!("better than it was");
                true
            }),
            "summary",
        ),
        (
            "stage_completed",
            Box::new(|event, _| {
                let verdict = event.get("passed").and_then(Value::as_bool);
                event["scores"]["quotes"] = json!(999_999);
                verdict.is_some()
            }),
            "scores",
        ),
        (
            "stage_planned",
            Box::new(|event, _| {
                event["calls"][0]["title"] = json!("Something else");
                true
            }),
            "plan",
        ),
        (
            "model_call_completed",
            Box::new(|event, _| {
                event["cost"] = json!(7);
                true
            }),
            "cost",
        ),
        (
            "model_call_completed",
            Box::new(|event, _| {
                event["model"] = json!("another model");
                true
            }),
            "model",
        ),
        (
            "repair_started",
            Box::new(|event, _| {
                event["scores"] = json!({});
                true
            }),
            "decision",
        ),
    ];
    for (kind, change, what) in changes {
        let mut done = false;
        let changed = altered(&world, &run, |name, event| {
            if name == kind && !done {
                done = change(event, &other);
            }
        })
        .await;
        assert!(done, "nothing of the log is {kind}");
        let replay = changed.engine.replay(&run).await.unwrap();
        assert!(!replay.identical);
        assert_eq!(replay.differences[0].what, what, "{kind}: {:#?}", replay.differences);
        assert_eq!(replay.differences[0].run, run);
    }
    // What is not changed is identical in a copy, too.
    let copy = altered(&world, &run, |_, _| {}).await;
    assert!(copy.engine.replay(&run).await.unwrap().identical);
}

#[tokio::test]
async fn a_request_that_is_another_than_planned_is_named_with_its_call() {
    let (world, run) = finished().await;
    let other = Digest::of("another request").to_string();
    let mut changed: Option<String> = None;
    let copy = altered(&world, &run, |name, event| {
        if name == "stage_planned" && changed.is_none() {
            changed = Some(event["calls"][0]["request"].as_str().unwrap().to_owned());
        }
        let text = event.to_string();
        if let Some(was) = &changed {
            *event = serde_json::from_str(&text.replace(was, &other)).unwrap();
        }
    })
    .await;
    let replay = copy.engine.replay(&run).await.unwrap();
    let stage = isa().config.control_flow.stages[0].id.to_string();
    assert_eq!(places(&replay), [(format!("{stage} / call {stage}#1.0.0").as_str(), "request")]);
    let [Difference { recorded, recomputed, .. }] = replay.differences.as_slice() else { unreachable!() };
    assert_eq!((recorded, Some(recomputed)), (&other, changed.as_ref()));
}

#[tokio::test]
async fn a_payload_that_is_gone_is_a_difference_or_an_error_and_never_a_call() {
    let (world, run) = finished().await;
    let other = Digest::of("nobody has it").to_string();
    let mut done = false;
    let copy = altered(&world, &run, |name, event| {
        if name == "model_call_completed" && !done {
            event["receipt"]["received"] = json!(other);
            done = true;
        }
    })
    .await;
    let replay = copy.engine.replay(&run).await.unwrap();
    assert_eq!(replay.differences[0].what, "answer", "{:#?}", replay.differences);
    assert!(world.store.get_blob(BlobHash::from_bytes(Digest::of("nobody has it").0)).await.is_err());
}

#[tokio::test]
async fn a_turn_comes_out_as_it_is_stored() {
    let world = turn_world::World::new(ScriptedProvider::queue([
        Answer::text("I look.").call("read", json!({"path": "a.txt"})),
        Answer::text("It says alpha."),
        Answer::text("You asked for a.txt."),
    ]))
    .await;
    let (session, first) = world.turn("What is in a.txt?").await;
    let second = world.turn_in(&session, "What did I ask?").await;
    for run in [first.head.run, second.head.run] {
        let replay = world.engine.replay(&run).await.unwrap();
        assert!(replay.identical, "{:#?}", replay.differences);
        assert_eq!((replay.events, replay.gaps.len()), (world.log(&run).await.len() as u64, 0));
        assert!(replay.recomputed >= 3, "{replay:?}");
    }
}

#[tokio::test]
async fn a_turn_whose_log_was_changed_differs() {
    let world = Arc::new(
        turn_world::World::new(ScriptedProvider::queue([
            Answer::text("I look.").call("read", json!({"path": "a.txt"})),
            Answer::text("It says alpha."),
        ]))
        .await,
    );
    let (_, view) = world.turn("What is in a.txt?").await;
    let run = view.head.run;
    let row = world.store.get_run(&run.0).await.unwrap();
    for (kind, field, value, what) in [
        ("model_requested", "request", json!(Digest::of("x")), "request"),
        ("model_answered", "cost", json!(5), "cost"),
        ("model_answered", "stop", json!("cut"), "end"),
    ] {
        let copy = turn_world::World::new(ScriptedProvider::queue([])).await;
        let mut done = false;
        for batch in world.store.load_events(&run.0).await.unwrap() {
            let mut rows: Value = serde_json::from_slice(&batch.bytes).unwrap();
            for row in rows.as_array_mut().unwrap() {
                // The first answer asks for a tool; what ends the turn is the second.
                if row[4]["event"] == kind && row[4]["call"] == 1 {
                    row[4][field] = value.clone();
                    done = true;
                }
            }
            let create = NewRun {
                session: NewSession { id: row.session.clone(), ..NewSession::default() },
                kind: engine::turn::KIND.to_owned(),
                ..NewRun::default()
            };
            let commit = Commit {
                run: run.0.clone(),
                expect_seq: batch.seq_first - 1,
                seq_last: batch.seq_last,
                at_ms: batch.at_ms,
                events: serde_json::to_vec(&rows).unwrap(),
                blobs: world.blobs_of(&batch.bytes).await,
                change: if batch.seq_first == 1 { RunChange::Create(create) } else { RunChange::Keep },
                durability: Durability::Normal,
                ..Commit::default()
            };
            copy.store.commit(commit).await.unwrap();
        }
        assert!(done, "{kind}");
        let replay = copy.engine.replay(&run).await.unwrap();
        assert_eq!(replay.differences.first().map(|each| each.what.as_str()), Some(what), "{kind} {field}");
    }
}

/// Two stages that ask a model.
fn two_stages() -> workspace::Agent {
    let tries = json!({ "limits": { "attempts": 3 } });
    agent(json!([model("first", json!({})), model("second", tries), render("second")]), json!({}))
}

/// A run is driven again from its log alone, and comes to the same events.
async fn driven_again(world: &World, run: &RunId) {
    let scratch = tempfile::TempDir::new().unwrap();
    let again = world.engine.redrive(run, scratch.path()).await.unwrap();
    assert!(again.identical, "{:#?}", again.differences);
    assert_eq!(again.recomputed, world.log(run).await.len() as u64);
}

#[tokio::test]
async fn a_run_that_was_cancelled_is_driven_to_the_point_where_it_was() {
    let mut world = World::new(brain(vec![("second", Answer::hang())]), Tools::none()).await;
    let run = world.start(two_stages(), ask("q")).await;
    world
        .until(&run, |kind| matches!(kind, UiKind::Progress { stage, .. } if stage.as_str() == "second"))
        .await;
    world.engine.cancel(&run).await.unwrap();
    assert_eq!(world.done(&run).await.exit, engine::Exit::Cancelled);
    driven_again(&world, &run).await;
}

#[tokio::test]
async fn a_run_that_crashed_and_was_guided_and_stopped_is_driven_again_with_all_of_it() {
    let mut world = World::new(brain(vec![("second", Answer::hang())]), Tools::none()).await;
    let run = world.start(two_stages(), ask("q")).await;
    world
        .until(&run, |kind| matches!(kind, UiKind::Progress { stage, .. } if stage.as_str() == "second"))
        .await;
    world.engine.guide(&run, "said while it ran".into()).await.unwrap();
    let count = world.batches(&run).await;
    let mut crashed = world.crashed_after(&run, count, brain(vec![]), Tools::none()).await;
    assert_eq!(crashed.resume(&run, unattended()).await.exit, engine::Exit::Completed);
    let names = crashed.names(&run).await;
    assert!(names.contains(&"outcome_unknown") && names.contains(&"guidance_queued"), "{names:?}");
    driven_again(&crashed, &run).await;
    world.engine.suspend(&run).await.unwrap();
    world.done(&run).await;
    driven_again(&world, &run).await;
}

#[tokio::test]
async fn a_run_that_failed_and_was_retried_is_driven_again_with_every_try() {
    let failing = brain(vec![
        ("second", Answer::fail(llm::Fault::BadRequest, "no")),
        ("second", Answer::fail(llm::Fault::Network, "cut")),
    ]);
    let mut world = World::new(failing, Tools::none()).await;
    let (run, told) = world.run(two_stages(), ask("q")).await;
    assert_eq!(told.exit, engine::Exit::Failed);
    driven_again(&world, &run).await;
    assert_eq!(world.resume(&run, unattended()).await.exit, engine::Exit::Completed);
    let names = world.names(&run).await;
    assert!(names.contains(&"run_retried"), "{names:?}");
    driven_again(&world, &run).await;
}

#[tokio::test]
async fn a_turn_with_tools_is_driven_again_from_its_log_alone() {
    let script = || {
        ScriptedProvider::answering(|request| match turn_world::results(request).len() {
            0 => Answer::text("I look.").call("read", json!({"path": "a.txt"})),
            _ => Answer::text("Done."),
        })
    };
    let world = turn_world::World::new(script()).await;
    std::fs::write(world.home().join("a.txt"), "alpha").unwrap();
    let (_, view) = world.turn("Work").await;
    let run = view.head.run.clone();
    let scratch = tempfile::TempDir::new().unwrap();
    let again = world.engine.redrive(&run, scratch.path()).await.unwrap();
    assert!(again.identical, "{:#?}", again.differences);
    assert!(again.recomputed > 5, "{again:?}");
}
