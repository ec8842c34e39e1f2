//! Steps that call tools of the program itself: decided on like a model's calls, and asked about where they have to be.

use domain::{ErrorCode, GrantScope, Mode, RunId};
use engine::{Answered, Engine, Exit, PausePolicy, Reply, StartRun};
use llm::ScriptedProvider;
use pipeline::{Event, PauseKind, Phase, Record};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::agents::{agent, merged};
use crate::turn_world::{PATIENCE, World};

/// A stage that reads a file and appends to two others.
fn steps(more: Value) -> workspace::Agent {
    let stage = json!({
        "id": "work", "name": "work", "title": "Work", "kind": "tools",
        "steps": [
            { "tool": "read", "args": { "path": "a.txt" }, "collect": "text" },
            { "tool": "append", "idempotent": false, "forEach": "['one.txt', 'two.txt']", "args": { "path": "{{ item }}" },
              "collect": "said" },
        ],
    });
    agent(json!([merged(stage, more)]), json!({}))
}

fn nothing() -> ScriptedProvider {
    ScriptedProvider::answering(|_| llm::Answer::text(""))
}

async fn world(mode: Mode) -> World {
    let world = World::new(nothing()).await;
    world.mode(mode);
    std::fs::write(world.home().join("a.txt"), "alpha").unwrap();
    world
}

async fn begun(world: &World, agent: workspace::Agent, unattended: bool) -> RunId {
    let start = StartRun {
        agent: "small".to_owned(),
        request: "Do it".to_owned(),
        connection: Some("scripted".to_owned()),
        model: Some("scripted-1".to_owned()),
        attend: PausePolicy { unattended, ..PausePolicy::default() },
        ..StartRun::default()
    };
    world.engine.start(agent, Vec::new(), None, start).await.unwrap()
}

async fn left(engine: &Engine, run: &RunId) -> Exit {
    tokio::time::timeout(PATIENCE, engine.wait(run)).await.expect("the run goes on").unwrap().0
}

async fn log(world: &World, run: &RunId) -> Vec<Record> {
    engine::decode_batches(&world.store.load_events(&run.0).await.unwrap()).unwrap()
}

async fn choose(world: &World, run: &RunId, choice: &str) -> Answered {
    let reply = Reply { choice: Some(choice.to_owned()), ..Reply::default() };
    world.engine.answer(run, None, reply, PausePolicy::default()).await.unwrap()
}

#[tokio::test]
async fn what_is_allowed_runs_and_its_results_are_collected() {
    let world = world(Mode::AllowAll).await;
    let run = begun(&world, steps(json!({})), false).await;
    assert_eq!(left(&world.engine, &run).await, Exit::Completed);
    assert_eq!((world.written("one.txt"), world.written("two.txt")), (1, 1));
    let judged: Vec<String> =
        world.host.judged.lock().unwrap().iter().map(|claim| claim.tool.clone()).collect();
    assert_eq!(judged, ["read", "append", "append"]);
}

#[tokio::test]
async fn calls_of_a_wave_ask_for_permission_together_and_run_once_when_they_have_it() {
    let world = world(Mode::Ask).await;
    let run = begun(&world, steps(json!({})), false).await;
    assert_eq!(left(&world.engine, &run).await, Exit::Paused);
    assert_eq!((world.written("one.txt"), world.written("two.txt")), (0, 0));
    let state = world.engine.load(&run).await.unwrap().state;
    let pauses: Vec<&PauseKind> = state.open_pauses().map(|pause| &pause.kind).collect();
    assert_eq!(pauses, [&PauseKind::Permission { wave: 1 }]);
    let unclear = world.engine.answer(&run, None, Reply::default(), PausePolicy::default()).await.unwrap();
    assert!(matches!(unclear, Answered::StillOpen { message, .. } if message.contains("Allow once")));
    left(&world.engine, &run).await;
    // Over a restart.
    let world = world.reopened(nothing()).await;
    choose(&world, &run, "allow").await;
    assert_eq!(left(&world.engine, &run).await, Exit::Completed);
    assert_eq!((world.written("one.txt"), world.written("two.txt")), (1, 1));
    let kinds: Vec<&str> = log(&world, &run).await.iter().map(|record| record.event.name()).collect();
    let count = |name: &str| kinds.iter().filter(|kind| **kind == name).count();
    assert_eq!(
        (count("call_needs_permission"), count("pause_requested"), count("tool_call_completed")),
        (2, 1, 3)
    );
    assert!(world.host.grants.lock().unwrap().is_empty(), "once holds for nothing else");
}

#[tokio::test]
async fn a_pause_shows_a_long_command_to_its_end() {
    let world = world(Mode::Ask).await;
    let command = format!("echo {} && rm -rf everything", "x".repeat(20_000));
    let stage = json!({
        "id": "work", "name": "work", "title": "Work", "kind": "tools",
        "steps": [{ "tool": "hang", "idempotent": false, "args": { "command": command }, "collect": "said" }],
    });
    let run = begun(&world, agent(json!([stage]), json!({})), false).await;
    assert_eq!(left(&world.engine, &run).await, Exit::Paused);
    let state = world.engine.load(&run).await.unwrap().state;
    let form = state.open_pauses().next().and_then(|pause| pause.form).unwrap();
    let form = world.store.get_blob(store::BlobHash::from_bytes(form.0)).await.unwrap();
    let form: Value = serde_json::from_slice(&form).unwrap();
    assert!(form["markdown"].as_str().unwrap().contains("x && rm -rf everything\n"), "{form}");
}

#[tokio::test]
async fn what_was_allowed_is_not_made_where_it_has_become_something_else() {
    for choice in ["allow", "allow_session"] {
        let world = world(Mode::Ask).await;
        let run = begun(&world, steps(json!({})), false).await;
        assert_eq!(left(&world.engine, &run).await, Exit::Paused);
        std::fs::write(world.home().join("leads-to"), "elsewhere.txt").unwrap();
        // Over a restart, too: what was shown is in the log.
        let world = world.reopened(nothing()).await;
        choose(&world, &run, choice).await;
        assert_eq!(left(&world.engine, &run).await, Exit::Failed, "{choice}");
        let problem = world.engine.load(&run).await.unwrap().state.failure.unwrap().1;
        assert_eq!(problem.code, ErrorCode::Permission);
        assert!(problem.message.contains("was not shown when you allowed it"), "{}", problem.message);
        assert_eq!((world.written("one.txt"), world.written("two.txt")), (0, 0));
        assert!(world.host.grants.lock().unwrap().is_empty(), "{choice}");
    }
}

#[tokio::test]
async fn what_is_allowed_in_the_session_is_granted_there() {
    let world = world(Mode::Ask).await;
    let run = begun(&world, steps(json!({})), false).await;
    left(&world.engine, &run).await;
    choose(&world, &run, "allow_session").await;
    assert_eq!(left(&world.engine, &run).await, Exit::Completed);
    let scopes: Vec<GrantScope> = world.host.grants.lock().unwrap().iter().map(|grant| grant.scope).collect();
    assert_eq!(scopes.first(), Some(&GrantScope::Session));
    let again = begun(&world, steps(json!({})), false).await;
    assert_eq!(left(&world.engine, &again).await, Exit::Completed);
    assert_eq!(world.written("one.txt"), 2);
}

#[tokio::test]
async fn refused_calls_fail_the_stage_and_so_does_a_run_that_nobody_attends() {
    let world = world(Mode::Ask).await;
    let run = begun(&world, steps(json!({})), false).await;
    left(&world.engine, &run).await;
    let mut audit = world.host.refused.subscribe();
    choose(&world, &run, "refuse").await;
    let both = audit.wait_for(|refused| *refused == 2);
    tokio::time::timeout(PATIENCE, both).await.expect("the audit has both").unwrap();
    assert_eq!(left(&world.engine, &run).await, Exit::Failed);
    let state = world.engine.load(&run).await.unwrap().state;
    assert_eq!(state.failure.unwrap().1.code, ErrorCode::Permission);
    let alone = begun(&world, steps(json!({})), true).await;
    assert_eq!(left(&world.engine, &alone).await, Exit::Failed);
    assert_eq!((world.written("one.txt"), world.written("two.txt")), (0, 0));
}

#[tokio::test]
async fn a_mode_that_changes_nothing_refuses_with_its_reason() {
    let world = world(Mode::Safe).await;
    let run = begun(&world, steps(json!({})), false).await;
    assert_eq!(left(&world.engine, &run).await, Exit::Failed);
    let state = world.engine.load(&run).await.unwrap().state;
    let problem = state.failure.unwrap().1;
    assert_eq!(problem.code, ErrorCode::Permission);
    assert!(problem.message.contains("Explore changes nothing"), "{}", problem.message);
    assert!(
        log(&world, &run)
            .await
            .iter()
            .all(|record| !matches!(record.event, Event::CallNeedsPermission { .. }))
    );
}

#[tokio::test]
async fn a_stage_works_in_the_folders_that_it_names_where_it_may() {
    let world = world(Mode::AllowAll).await;
    let inner = world.home().join("inner");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(inner.join("a.txt"), "beta").unwrap();
    let folder = inner.display().to_string();
    let run = begun(&world, steps(json!({ "folders": [folder] })), false).await;
    assert_eq!(left(&world.engine, &run).await, Exit::Completed);
    assert!(inner.join("one.txt").exists() && world.written("one.txt") == 0);
    for (folder, code) in [("/", ErrorCode::Permission), ("inner", ErrorCode::InvalidConfig)] {
        let run = begun(&world, steps(json!({ "folders": [folder] })), false).await;
        assert_eq!(left(&world.engine, &run).await, Exit::Failed, "{folder}");
        let state = world.engine.load(&run).await.unwrap().state;
        assert_eq!(state.stages[0].phase, Phase::Failed);
        assert_eq!(state.failure.unwrap().1.code, code, "{folder}");
    }
}

#[tokio::test]
async fn a_run_that_asked_for_permission_can_be_driven_again() {
    let world = world(Mode::Ask).await;
    let run = begun(&world, steps(json!({})), false).await;
    left(&world.engine, &run).await;
    choose(&world, &run, "allow").await;
    left(&world.engine, &run).await;
    let replay = world.engine.replay(&run).await.unwrap();
    assert!(replay.identical, "{:#?}", replay.differences);
    let scratch = tempfile::TempDir::new().unwrap();
    let again = world.engine.redrive(&run, scratch.path()).await.unwrap();
    assert!(again.identical, "{:#?}", again.differences);
}
