//! What a crash leaves of a turn, and what becomes of it.

use dialogue::{Event, ToolEnd};
use domain::{Mode, RunId};
use engine::turn::{StepStatus, TurnStatus};
use llm::{Answer, ModelRequest, ScriptedProvider};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::turn_world::{World, fold, results};

/// Two reads and a write at once, then another write, then the answer: by what the request shows.
fn script() -> ScriptedProvider {
    ScriptedProvider::answering(|request: &ModelRequest| match results(request).len() {
        0 => Answer::text("I begin.")
            .call("read", json!({"path": "a.txt"}))
            .call("read", json!({"path": "a.txt"}))
            .call("append", json!({"path": "one.txt"})),
        1..=3 => Answer::text("").call("append", json!({"path": "two.txt"})),
        _ => Answer::text("All done."),
    })
}

#[tokio::test]
async fn a_turn_killed_after_any_commit_ends_the_same_and_repeats_nothing() {
    let whole = World::new(script()).await;
    std::fs::write(whole.home().join("a.txt"), "alpha").unwrap();
    let (_, view) = whole.turn("Work").await;
    assert_eq!(view.head.answer.as_deref(), Some("All done."));
    let run = view.head.run.clone();
    let commits = whole.store.load_events(&run.0).await.unwrap().len();
    assert!(commits > 5, "{commits}");
    for count in 1..=commits {
        let world = whole.crashed_after(&run, count, script()).await;
        let before = world.log(&run).await;
        let state = fold(&before);
        let view = world.engine.turn_view(&run).await.unwrap();
        if count < commits {
            assert_eq!(view.head.status, TurnStatus::Interrupted, "after {count}");
            world.engine.resume_turn(&run).await.unwrap();
            world.ended(&run).await;
        }
        let view = world.engine.turn_view(&run).await.unwrap();
        assert_eq!(view.head.status, TurnStatus::Completed, "after {count}: {:?}", view.head.problem);
        assert_eq!(view.head.answer.as_deref(), Some("All done."), "after {count}");
        let after = world.log(&run).await;
        assert_eq!(after[..before.len()], before, "after {count}");
        // What had ended or begun does not run again; what had not runs once.
        for (file, place) in [("one.txt", 3), ("two.txt", 4)] {
            let known = state.tools.iter().find(|(id, _)| id.ends_with(&format!("-{place}")));
            let begun = known.is_some_and(|(_, call)| call.started);
            assert_eq!(world.written(file), usize::from(!begun), "{file} after {count}");
            let unknown = after.iter().any(|record| {
                matches!(&record.event, Event::ToolEnded { call, end: ToolEnd::Unknown, .. } if call.ends_with(&format!("-{place}")))
            });
            let lost = known.is_some_and(|(_, call)| call.is_running());
            assert_eq!(unknown, lost, "{file} after {count}");
        }
    }
}

/// A turn that asks about its first call, the id of that, and how many commits it has made.
async fn asking() -> (World, RunId, String, usize) {
    let mut world = World::new(script()).await;
    std::fs::write(world.home().join("a.txt"), "alpha").unwrap();
    world.mode(Mode::Ask);
    let (_, run) = world.begin("Work").await;
    let asked = world.step(&run, StepStatus::Asking).await.id;
    let commits = world.store.load_events(&run.0).await.unwrap().len();
    (world, run, asked, commits)
}

#[tokio::test]
async fn a_crash_while_the_person_is_asked_asks_again_and_runs_once() {
    let (whole, run, asked, commits) = asking().await;
    for count in 1..=commits {
        let mut world = whole.crashed_after(&run, count, script()).await;
        world.engine.resume_turn(&run).await.unwrap();
        let step = match world.state(&run).await.tools.iter().find(|(_, call)| call.is_asking()) {
            Some((id, _)) => id.clone(),
            None => world.step(&run, StepStatus::Asking).await.id,
        };
        assert_eq!(step, asked, "after {count}");
        world.mode(Mode::AllowAll);
        world.engine.permit(&run, &step, engine::turn::PermissionReply::Allow(0)).await.unwrap();
        let view = world.ended(&run).await;
        assert_eq!(
            (view.head.answer.as_deref(), world.written("one.txt")),
            (Some("All done."), 1),
            "after {count}"
        );
    }
}

#[tokio::test]
async fn what_would_do_something_else_after_a_crash_is_not_allowed_by_what_was_shown() {
    let (whole, run, asked, commits) = asking().await;
    let world = whole.crashed_after(&run, commits, script()).await;
    std::fs::write(world.home().join("leads-to"), "elsewhere.txt").unwrap();
    world.engine.resume_turn(&run).await.unwrap();
    let allow = engine::turn::PermissionReply::Allow(0);
    let problem = world.engine.permit(&run, &asked, allow).await.unwrap_err();
    assert_eq!(problem.code, domain::ErrorCode::Conflict, "{}", problem.message);
    assert!(world.host.grants.lock().unwrap().is_empty() && world.written("one.txt") == 0);
}

#[tokio::test]
async fn a_stop_of_what_nobody_drives_ends_it_without_running_anything() {
    let whole = World::new(script()).await;
    std::fs::write(whole.home().join("a.txt"), "alpha").unwrap();
    let (_, view) = whole.turn("Work").await;
    let commits = whole.store.load_events(&view.head.run.0).await.unwrap().len();
    for count in 1..commits {
        let world = whole.crashed_after(&view.head.run, count, ScriptedProvider::queue([])).await;
        world.engine.stop_turn(&view.head.run).await.unwrap();
        let stopped = world.engine.turn_view(&view.head.run).await.unwrap();
        assert_eq!(stopped.head.status, TurnStatus::Stopped, "after {count}");
        assert_eq!((world.written("one.txt"), world.written("two.txt")), (0, 0), "after {count}");
    }
}
