//! Stages that a conversation carries out: tools, the gate, questions, crashes, and ends.

use domain::{Mode, RunId};
use engine::turn::{PermissionReply, StepStatus, TurnStatus};
use engine::{Answered, Engine, Exit, PausePolicy, Reply, StartRun};
use llm::{Answer, ModelInfo, ModelRequest, ScriptedProvider};
use pipeline::{Event, Phase, Record, Status};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use store::{Commit, Durability, NewRun, NewSession, RunChange, RunFilter};

use crate::agents::{agent, merged, render};
use crate::turn_world::{PATIENCE, World, results, texts};

fn talk(more: Value) -> workspace::Agent {
    let schema = json!({
        "type": "object", "required": ["text"], "additionalProperties": false,
        "properties": { "text": { "type": "string", "minLength": 1 } },
    });
    let stage = json!({
        "id": "talk", "name": "talk", "title": "Talk", "kind": "dialogue", "prompt": "talk.md",
        "tools": ["read", "append", "hang", "ask"], "outputSchema": schema,
        "context": [{ "section": "REQUEST", "value": "request" }],
    });
    agent(json!([merged(stage, more), render("talk")]), json!({}))
}

pub fn gate(arguments: Value) -> Answer {
    Answer::text("").call("stage_gate", arguments)
}

fn done(text: &str) -> Answer {
    gate(json!({ "complete": true, "data": { "text": text } }))
}

/// A read and a write, a result that does not fit, then one that does.
fn script() -> ScriptedProvider {
    ScriptedProvider::answering(|request: &ModelRequest| match results(request).len() {
        0 => Answer::text("I look.")
            .call("read", json!({"path": "a.txt"}))
            .call("append", json!({"path": "one.txt"})),
        1 | 2 => gate(json!({ "complete": true, "data": { "text": [7] } })),
        _ => done("Found it."),
    })
}

pub fn ask() -> StartRun {
    StartRun {
        agent: "small".to_owned(),
        request: "Look at it".to_owned(),
        connection: Some("scripted".to_owned()),
        model: Some("scripted-1".to_owned()),
        ..StartRun::default()
    }
}

pub async fn begun(world: &World, agent: workspace::Agent, start: StartRun) -> RunId {
    std::fs::write(world.home().join("a.txt"), "alpha").unwrap();
    world.engine.start(agent, Vec::new(), None, start).await.unwrap()
}

pub async fn left(engine: &Engine, run: &RunId) -> Exit {
    tokio::time::timeout(PATIENCE, engine.wait(run)).await.expect("the run goes on").unwrap().0
}

pub async fn log(world: &World, run: &RunId) -> Vec<Record> {
    let batches = world.store.load_events(&run.0).await.unwrap();
    engine::decode_batches(&batches).unwrap()
}

pub async fn children(world: &World, run: &RunId) -> Vec<RunId> {
    let log = log(world, run).await;
    let children = log.iter().filter_map(|record| match &record.event {
        Event::ChildRunStarted { child, .. } => Some(child.clone()),
        _ => None,
    });
    children.collect()
}

async fn output(world: &World, run: &RunId) -> Value {
    let loaded = world.engine.load(run).await.unwrap();
    let bytes = world
        .store
        .get_blob(store::BlobHash::from_bytes(loaded.state.stages[0].output.unwrap().0))
        .await
        .unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

async fn says(world: &World, run: &RunId, text: &str) -> Answered {
    let reply = Reply { text: Some(text.to_owned()), ..Reply::default() };
    world.engine.answer(run, None, reply, PausePolicy::default()).await.unwrap()
}

#[tokio::test]
async fn a_stage_uses_its_tools_and_ends_with_data_that_fits() {
    let world = World::new(script()).await;
    let run = begun(&world, talk(json!({})), ask()).await;
    assert_eq!(left(&world.engine, &run).await, Exit::Completed);
    assert_eq!(output(&world, &run).await, json!({ "text": "Found it." }));
    assert_eq!(world.written("one.txt"), 1);
    let requests = world.provider.requests();
    let names: Vec<&str> = requests[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["read", "append", "hang", "ask", "stage_gate"]);
    assert!(requests[0].system.contains("You are stage talk."), "{}", requests[0].system);
    assert!(texts(&requests[0])[0].contains("Look at it"));
    let (told, is_error) = results(&requests[2]).pop().unwrap();
    assert!(is_error && told.contains("/data/text"), "{told}");
    let children = children(&world, &run).await;
    assert_eq!(children.len(), 1);
    let view = world.engine.turn_view(&children[0]).await.unwrap();
    let state = world.engine.load(&run).await.unwrap().state;
    assert_eq!((state.usage, state.cost), (view.head.usage, view.head.cost));
    assert_eq!((state.stages[0].usage, view.head.status), (view.head.usage, TurnStatus::Completed));
    let rows = world.calls().await;
    assert_eq!(rows.len(), requests.len(), "each request is counted once");
    let listed = world.store.list_runs(&RunFilter::default(), None, 10).await.unwrap().runs;
    assert_eq!(listed.len(), 1, "a stage's turn is no run of its own in lists");
}

#[tokio::test]
async fn what_a_stage_says_without_closing_waits_for_the_person_and_their_words_go_on_with_it() {
    let world = World::new(ScriptedProvider::answering(|request: &ModelRequest| {
        let said = texts(request).join("\n");
        match (said.contains("the blue one"), said.contains("quite sure")) {
            (false, _) => Answer::text("Which one do you mean?"),
            (true, false) => gate(json!({ "complete": false, "reason": "Are you sure?" })),
            (true, true) => done("Blue."),
        }
    }))
    .await;
    let run = begun(&world, talk(json!({})), ask()).await;
    assert_eq!(left(&world.engine, &run).await, Exit::Paused);
    let loaded = world.engine.load(&run).await.unwrap();
    assert_eq!((loaded.state.status(), loaded.row.status.as_str()), (Status::Paused, "paused"));
    assert!(loaded.row.line.contains("Which one do you mean?"), "{}", loaded.row.line);
    assert!(matches!(says(&world, &run, "  ").await, Answered::StillOpen { .. }));
    assert_eq!(left(&world.engine, &run).await, Exit::Paused);
    assert!(matches!(says(&world, &run, "the blue one").await, Answered::Accepted { .. }));
    assert_eq!(left(&world.engine, &run).await, Exit::Paused);
    assert!(world.engine.load(&run).await.unwrap().row.line.contains("Are you sure?"));
    says(&world, &run, "quite sure").await;
    assert_eq!(left(&world.engine, &run).await, Exit::Completed);
    assert_eq!(output(&world, &run).await, json!({ "text": "Blue." }));
    assert_eq!(children(&world, &run).await.len(), 3);
    assert!(
        texts(world.provider.requests().last().unwrap()).iter().any(|text| text == "Which one do you mean?")
    );
}

#[tokio::test]
async fn a_stage_killed_after_any_commit_of_its_turn_ends_the_same_and_repeats_nothing() {
    let whole = World::new(script()).await;
    let run = begun(&whole, talk(json!({})), ask()).await;
    assert_eq!(left(&whole.engine, &run).await, Exit::Completed);
    let child = children(&whole, &run).await.remove(0);
    let commits = whole.store.load_events(&child.0).await.unwrap().len();
    assert!(commits > 3, "{commits}");
    for count in 0..=commits {
        let world = World::new(script()).await;
        std::fs::write(world.home().join("a.txt"), "alpha").unwrap();
        copy(&whole, &world, &run, None).await;
        copy(&whole, &world, &child, Some((&run, count))).await;
        let ran = match count {
            0 => None,
            _ => crate::turn_world::fold(&world.log(&child).await)
                .tools
                .into_iter()
                .find(|(_, call)| call.asked.tool == "append"),
        };
        world.engine.resume(&run, PausePolicy::default()).await.unwrap();
        assert_eq!(left(&world.engine, &run).await, Exit::Completed, "after {count}");
        assert_eq!(output(&world, &run).await, json!({ "text": "Found it." }), "after {count}");
        let begun = ran.is_some_and(|(_, call)| call.started);
        assert_eq!(world.written("one.txt"), usize::from(!begun), "after {count}");
        assert_eq!(children(&world, &run).await, std::slice::from_ref(&child), "after {count}");
        let state = world.engine.load(&run).await.unwrap().state;
        let view = world.engine.turn_view(&child).await.unwrap();
        assert_eq!(state.usage, view.head.usage, "after {count}");
    }
}

/// Copies a run as far as its first turn had begun, or a turn with so many commits.
async fn copy(from: &World, into: &World, run: &RunId, child: Option<(&RunId, usize)>) {
    let batches = from.store.load_events(&run.0).await.unwrap();
    let ended = |batch: &store::Batch| {
        child.is_none() && String::from_utf8_lossy(&batch.bytes).contains("child_run_finished")
    };
    let most = batches.iter().position(ended).unwrap_or(batches.len());
    let most = child.map_or(most, |(_, count)| count.min(most));
    copy_commits(from, into, run, child.map(|(parent, _)| parent), most).await;
}

/// Copies so many commits of a run, or of a turn that works for one.
pub async fn copy_commits(from: &World, into: &World, run: &RunId, parent: Option<&RunId>, most: usize) {
    let row = from.store.get_run(&run.0).await.unwrap();
    for batch in from.store.load_events(&run.0).await.unwrap().iter().take(most) {
        let change = if batch.seq_first == 1 {
            RunChange::Create(NewRun {
                session: NewSession { id: row.session.clone(), ..NewSession::default() },
                agent: row.agent.clone(),
                status: "running".to_owned(),
                kind: row.kind.clone(),
                parent: parent.map(|parent| parent.0.clone()),
                ..NewRun::default()
            })
        } else {
            RunChange::Keep
        };
        let commit = Commit {
            run: run.0.clone(),
            expect_seq: batch.seq_first - 1,
            seq_last: batch.seq_last,
            at_ms: batch.at_ms,
            events: batch.bytes.clone(),
            blobs: from.blobs_of(&batch.bytes).await,
            change,
            durability: Durability::Normal,
            ..Commit::default()
        };
        into.store.commit(commit).await.unwrap();
    }
}

#[tokio::test]
async fn what_needs_permission_is_asked_in_the_session_and_runs_when_it_is_given() {
    let mut world = World::new(script()).await;
    world.mode(Mode::Ask);
    let run = begun(&world, talk(json!({})), ask()).await;
    let told = world.until_any(crate::turn_world::asks).await;
    assert_eq!(world.written("one.txt"), 0);
    assert!(world.engine.is_live(&run) && !world.engine.live().contains(&told.0));
    world.engine.permit(&told.0, &told.1, PermissionReply::Allow(0)).await.unwrap();
    assert_eq!(left(&world.engine, &run).await, Exit::Completed);
    assert_eq!(world.written("one.txt"), 1);
}

#[tokio::test]
async fn without_anybody_there_what_needs_permission_is_refused_and_a_question_is_left_to_the_model_once() {
    let world = World::new(ScriptedProvider::answering(|request: &ModelRequest| {
        match (results(request).len(), texts(request).iter().any(|text| text.contains("Nobody is there"))) {
            (0, _) => Answer::text("").call("append", json!({"path": "one.txt"})),
            (_, false) => Answer::text("May I?"),
            (_, true) => done("Alone."),
        }
    }))
    .await;
    world.mode(Mode::Ask);
    let start = StartRun { attend: PausePolicy { replies: Vec::new(), unattended: true }, ..ask() };
    let run = begun(&world, talk(json!({})), start.clone()).await;
    assert_eq!(left(&world.engine, &run).await, Exit::Completed);
    assert_eq!((output(&world, &run).await, world.written("one.txt")), (json!({ "text": "Alone." }), 0));
    let stubborn =
        World::new(ScriptedProvider::answering(|_: &ModelRequest| Answer::text("Please decide."))).await;
    let run = begun(&stubborn, talk(json!({})), start).await;
    assert_eq!(left(&stubborn.engine, &run).await, Exit::Failed);
    let problem = stubborn.engine.load(&run).await.unwrap().state.failure.unwrap().1;
    assert!(problem.message.contains("nobody is there"), "{problem}");
}

#[tokio::test]
async fn cancelling_the_run_ends_its_turn_at_once_and_suspending_it_lets_both_go_on() {
    let hang = || {
        ScriptedProvider::answering(|request: &ModelRequest| match results(request).len() {
            0 => Answer::text("").call("hang", json!({})),
            _ => done("After all."),
        })
    };
    let mut world = World::new(hang()).await;
    let run = begun(&world, talk(json!({})), ask()).await;
    let (child, _) = world.until_any(crate::turn_world::runs).await;
    world.engine.cancel(&run).await.unwrap();
    assert_eq!(left(&world.engine, &run).await, Exit::Cancelled);
    assert!(!world.engine.is_live(&child));
    assert_eq!(world.engine.turn_view(&child).await.unwrap().head.status, TurnStatus::Stopped);

    let mut world = World::new(hang()).await;
    let run = begun(&world, talk(json!({})), ask()).await;
    let (child, _) = world.until_any(crate::turn_world::runs).await;
    world.engine.suspend(&run).await.unwrap();
    assert_eq!(left(&world.engine, &run).await, Exit::Paused);
    assert!(!world.engine.is_live(&child));
    world.engine.resume(&run, PausePolicy::default()).await.unwrap();
    assert_eq!(left(&world.engine, &run).await, Exit::Completed);
    assert_eq!(children(&world, &run).await, [child]);
}

#[tokio::test]
async fn a_stage_whose_model_failed_goes_on_where_it_was_when_the_run_is_retried() {
    let broken = std::sync::atomic::AtomicBool::new(true);
    let world =
        World::new(ScriptedProvider::answering(move |request: &ModelRequest| match results(request).len() {
            0 => Answer::text("").call("append", json!({"path": "one.txt"})),
            _ if broken.swap(false, std::sync::atomic::Ordering::SeqCst) => {
                Answer::fail(llm::Fault::Auth, "no key")
            }
            _ => done("At last."),
        }))
        .await;
    let run = begun(&world, talk(json!({})), ask()).await;
    assert_eq!(left(&world.engine, &run).await, Exit::Failed);
    world.engine.resume(&run, PausePolicy::default()).await.unwrap();
    assert_eq!(left(&world.engine, &run).await, Exit::Completed);
    assert_eq!((world.written("one.txt"), output(&world, &run).await), (1, json!({ "text": "At last." })));
    let children = children(&world, &run).await;
    assert_eq!((children.len(), &children[0]), (2, &children[1]));
    let state = world.engine.load(&run).await.unwrap().state;
    assert_eq!(state.usage, world.engine.turn_view(&children[0]).await.unwrap().head.usage);
}

#[tokio::test]
async fn a_stage_keeps_to_the_run_s_budget_and_a_turn_of_it_waits_when_its_own_bounds_are_reached() {
    let world = World::new(ScriptedProvider::answering(|request: &ModelRequest| match request.tools.len() {
        0 => Answer::text("So far: nothing."),
        _ if texts(request).iter().any(|text| text == "go on") => done("More."),
        _ => Answer::text("").call("read", json!({"path": format!("{}.txt", results(request).len())})),
    }))
    .await;
    let run = begun(&world, talk(json!({ "limits": { "maxCalls": 3 } })), ask()).await;
    assert_eq!(left(&world.engine, &run).await, Exit::Paused);
    let line = world.engine.load(&run).await.unwrap().row.line;
    assert!(line.contains("So far: nothing."), "{line}");
    says(&world, &run, "go on").await;
    assert_eq!(left(&world.engine, &run).await, Exit::Completed);

    let small = World::new(script()).await;
    let start = StartRun { budget_tokens: Some(50), ..ask() };
    let run = begun(&small, talk(json!({})), start).await;
    assert_eq!(left(&small.engine, &run).await, Exit::Paused);
    assert!(small.provider.requests().is_empty());
    let state = small.engine.load(&run).await.unwrap().state;
    assert_eq!((state.open_pauses().count(), state.stages[0].phase), (1, Phase::Running));
}

#[tokio::test]
async fn a_turn_of_a_stage_that_nobody_drives_wakes_its_run_when_it_is_spoken_to() {
    let mut world = World::new(script()).await;
    world.mode(Mode::Ask);
    let run = begun(&world, talk(json!({})), ask()).await;
    let (child, call) = world.until_any(crate::turn_world::asks).await;
    world.engine.suspend(&run).await.unwrap();
    left(&world.engine, &run).await;
    let world = world.reopened(script()).await;
    let view = world.engine.turn_view(&child).await.unwrap();
    assert!(view.steps.iter().any(|step| step.id == call && step.status == StepStatus::Asking), "{view:?}");
    world.engine.permit(&child, &call, PermissionReply::Allow(0)).await.unwrap();
    assert_eq!(left(&world.engine, &run).await, Exit::Completed);
    assert_eq!(world.written("one.txt"), 1);
}

#[tokio::test]
async fn once_a_stage_is_put_into_fewer_words_the_state_of_its_run_leads() {
    let provider = ScriptedProvider::answering(|request: &ModelRequest| {
        let said = texts(request);
        if said.last().is_some_and(|text| text.contains("## Next step")) {
            return Answer::text("## Goal\nTo look at it. Everything is done.");
        }
        if said.iter().any(|text| text.contains("<CHECKPOINT>")) {
            return done("By the state.");
        }
        Answer::text("I look.").call("large", json!({}))
    });
    let window = ModelInfo::free("scripted", "scripted", 30_000, 2_000);
    let world = World::new(provider.with_model(window)).await;
    let mut agent = talk(json!({ "tools": ["large"] }));
    agent.config.checkpoint = Some(domain::agent::Checkpoint {
        file: "state.json".to_owned(),
        schema: domain::agent::SchemaRef::Inline(serde_json::Map::new()),
        state: json!({ "run": "{{ run.status }}", "next": "{{ next }} </CHECKPOINT>" })
            .as_object()
            .unwrap()
            .clone(),
    });
    agent.checkpoint = Some(json!({ "type": "object" }));
    let run = begun(&world, agent, ask()).await;
    assert_eq!(left(&world.engine, &run).await, Exit::Completed);
    assert_eq!(output(&world, &run).await, json!({ "text": "By the state." }));
    let said = texts(&world.provider.requests().pop().unwrap());
    let at = |words: &str| said.iter().position(|text| text.contains(words)).unwrap();
    let state = &said[at("<CHECKPOINT>")];
    assert!(state.contains("\"run\": \"in_progress\"") && state.contains("Do nothing again"), "{state}");
    assert_eq!(state.matches("</CHECKPOINT>").count(), 1, "what it holds closes nothing: {state}");
    assert!(at("Everything is done.") <= at("<CHECKPOINT>"), "{said:?}");
    // It stands in the log of the turn, so that the turn can be computed again.
    let replay = world.engine.replay(&children(&world, &run).await[0]).await.unwrap();
    assert!(replay.identical, "{:?}", replay.differences);
}
