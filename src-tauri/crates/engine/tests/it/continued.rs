//! Stages that share a conversation: what each sends, what it may call, and how a full conversation hands over.

use domain::{RunId, Usage};
use engine::{Exit, PausePolicy, Reply};
use llm::{Answer, Message, ModelRequest, ScriptedProvider};
use pipeline::{Event, Handoff, Status};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::agents::{agent, merged, render, shows};
use crate::stage_turn::{ask, begun, children, copy_commits, gate, left, log};
use crate::turn_world::{World, results, texts};

fn talk(name: &str, more: Value) -> Value {
    let stage = json!({
        "id": name, "name": name, "title": name.to_uppercase(), "kind": "dialogue", "prompt": format!("{name}.md"),
        "tools": ["read"], "context": [shows("REQUEST", "request")],
        "outputSchema": {
            "type": "object", "required": ["text"], "additionalProperties": false,
            "properties": { "text": { "type": "string", "minLength": 1 } },
        },
    });
    merged(stage, more)
}

/// Plans, then builds what was planned: the second stage reads the plan, and may write.
fn two(more: Value) -> workspace::Agent {
    let plan = json!({ "context": [shows("REQUEST", "request"), shows("PLAN", "outputs.plan.text")] });
    let build = merged(merged(talk("build", json!({ "tools": ["append"] })), plan), more);
    shared(json!([talk("plan", json!({ "pause": { "editable": true } })), build, render("build")]))
}

fn shared(stages: Value) -> workspace::Agent {
    let orchestrator = json!({
        "contextWindow": 200_000, "maxOutputTokens": 1_000, "minOutputBudget": 200,
        "conversation": "continue", "system": "shared.md",
    });
    agent(stages, json!({ "orchestrator": orchestrator }))
}

fn done(text: &str) -> Answer {
    gate(json!({ "complete": true, "data": { "text": text } }))
}

/// Whatever is asked last, in words.
fn last(request: &ModelRequest) -> String {
    texts(request).pop().unwrap_or_default()
}

/// The plan after a look, then the building: first with a tool that it may not call.
fn script() -> ScriptedProvider {
    ScriptedProvider::answering(|request: &ModelRequest| {
        let (asked, results) = (last(request), results(request).len());
        match (asked.contains("You are stage build."), results) {
            (false, 0) => Answer::text("I look.").call("read", json!({ "path": "a.txt" })),
            (false, _) => done("Use bricks."),
            (true, 2) => Answer::text("").call("read", json!({ "path": "a.txt" })),
            (true, 3) => Answer::text("").call("append", json!({ "path": "one.txt" })),
            (true, _) => done("Built."),
        }
    })
}

/// Messages without their marks for the cache.
fn plain(messages: &[Message]) -> Vec<Message> {
    messages.iter().map(|message| Message { cache: false, ..message.clone() }).collect()
}

/// The text of a request's last message of the person's side.
fn message(request: &ModelRequest) -> String {
    let message = request.messages.last().unwrap();
    let parts = message.parts.iter().filter_map(|part| match part {
        llm::Part::Text { text } => Some(text.clone()),
        _ => None,
    });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { message.content.clone() } else { parts.concat() }
}

async fn replays(world: &World, run: &RunId) {
    let replay = world.engine.replay(run).await.unwrap();
    assert!(replay.identical, "{:#?}", replay.differences);
    let scratch = tempfile::tempdir().unwrap();
    let again = world.engine.redrive(run, scratch.path()).await.unwrap();
    assert!(again.identical, "{:#?}", again.differences);
    for child in children(world, run).await {
        let replay = world.engine.replay(&child).await.unwrap();
        assert!(replay.identical, "{:#?}", replay.differences);
    }
}

async fn answers(world: &World, run: &RunId, reply: Reply) -> Exit {
    world.engine.answer(run, None, reply, PausePolicy::default()).await.unwrap();
    left(&world.engine, run).await
}

fn choice(choice: &str) -> Reply {
    Reply { choice: Some(choice.to_owned()), ..Reply::default() }
}

#[tokio::test]
async fn the_second_stage_sends_what_the_first_said_to_the_letter_and_adds_its_own_message() {
    let world = World::new(script()).await;
    let run = begun(&world, two(json!({})), ask()).await;
    assert_eq!(left(&world.engine, &run).await, Exit::Paused);
    assert_eq!(answers(&world, &run, choice("proceed")).await, Exit::Completed);
    let requests = world.provider.requests();
    let (first, second) = (&requests[0], &requests[2]);
    assert_eq!(first.system, second.system);
    assert!(first.system.ends_with("You work in stages."), "{}", first.system);
    assert_eq!(first.tools, second.tools);
    let names: Vec<&str> = first.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["read", "append", "stage_gate"]);
    let (whole, begins) = (plain(&second.messages), plain(&requests[1].messages));
    assert!(whole.starts_with(&begins), "{whole:#?}");
    assert!(begins.starts_with(&plain(&first.messages)));
    let told = message(second);
    assert!(told.starts_with("# Next stage: BUILD\n\n"), "{told}");
    assert!(told.contains("You are stage build.") && told.contains("\"minLength\""), "{told}");
    assert!(told.contains("It stands above in this conversation: the result of the stage PLAN."), "{told}");
    assert!(!told.contains("Use bricks."), "{told}");
    let begin = message(first);
    assert!(begin.starts_with("# Stage: PLAN\n\nYou are stage plan."), "{begin}");
    assert!(begin.contains("Look at it"), "{begin}");
    // The plan stands once in the conversation, in the call that closed the stage.
    assert!(texts(second).iter().all(|text| !text.contains("Use bricks.")));
    let started = log(&world, &run).await.into_iter().filter_map(|record| match record.event {
        Event::StageStarted { conversation, .. } => Some(conversation),
        _ => None,
    });
    assert_eq!(started.collect::<Vec<_>>(), [1, 1, 0]);
    replays(&world, &run).await;
}

#[tokio::test]
async fn a_tool_that_the_present_stage_does_not_list_is_refused_with_those_that_it_may_call() {
    let world = World::new(script()).await;
    let run = begun(&world, two(json!({})), ask()).await;
    left(&world.engine, &run).await;
    answers(&world, &run, choice("proceed")).await;
    let requests = world.provider.requests();
    let refused = results(&requests[3]).pop().unwrap();
    assert!(refused.1, "{}", refused.0);
    assert!(refused.0.contains("the present stage may not call read"), "{}", refused.0);
    assert!(refused.0.contains("you may call: append, stage_gate"), "{}", refused.0);
    assert_eq!(world.written("one.txt"), 1);
}

#[tokio::test]
async fn an_output_that_the_person_edited_is_shown_although_the_conversation_has_another() {
    let world = World::new(script()).await;
    let run = begun(&world, two(json!({})), ask()).await;
    left(&world.engine, &run).await;
    let reply = Reply { edit: Some(json!({ "text": "Use wood." })), ..choice("proceed") };
    assert_eq!(answers(&world, &run, reply).await, Exit::Completed);
    let told = message(&world.provider.requests()[2]);
    assert!(told.contains("<PLAN>\nUse wood.\n</PLAN>"), "{told}");
    replays(&world, &run).await;
}

#[tokio::test]
async fn a_stage_that_is_amended_begins_a_fresh_conversation_with_everything() {
    let world = World::new(ScriptedProvider::answering(|request: &ModelRequest| {
        done(if last(request).contains("stage build") { "Built." } else { "Use bricks." })
    }))
    .await;
    let run = begun(&world, two(json!({ "pause": {} })), ask()).await;
    left(&world.engine, &run).await;
    answers(&world, &run, choice("proceed")).await;
    let amend = Reply { text: Some("Smaller.".to_owned()), ..choice("amend") };
    assert_eq!(answers(&world, &run, amend).await, Exit::Paused);
    let requests = world.provider.requests();
    let again = requests.last().unwrap();
    assert_eq!((requests.len(), again.messages.len()), (3, 1));
    let told = message(again);
    assert!(told.starts_with("# Stage: BUILD\n") && told.contains("<PLAN>\nUse bricks.\n</PLAN>"), "{told}");
    let loaded = world.engine.load(&run).await.unwrap();
    assert_eq!(loaded.state.stages[1].conversation(), 2);
    answers(&world, &run, choice("proceed")).await;
    replays(&world, &run).await;
}

#[tokio::test]
async fn a_run_that_ended_between_its_stages_goes_on_in_the_same_conversation() {
    let world = World::new(script()).await;
    let run = begun(&world, two(json!({})), ask()).await;
    assert_eq!(left(&world.engine, &run).await, Exit::Paused);
    let before = plain(&world.provider.requests()[1].messages);
    let world = world.reopened(script()).await;
    assert_eq!(answers(&world, &run, choice("proceed")).await, Exit::Completed);
    let requests = world.provider.requests();
    assert!(plain(&requests[0].messages).starts_with(&before));
    replays(&world, &run).await;
}

/// A document with all its headings and enough words.
fn handed_over() -> String {
    let headings = [
        "## Pipeline State",
        "- **Completed stages:** the plan",
        "- **Next stage:** build",
        "- **User feedback received:** none",
        "## Codebase Knowledge Map",
        "- **Project structure:** one folder",
        "- **Key files explored:** a.txt",
        "- **Architecture patterns:** none",
        "- **Dependencies:** none",
        "## Working State",
        "- **What was accomplished:** the plan",
        "- **What comes next:** bricks",
        "- **Files modified:** none",
        "- **Open questions:** none",
        "- **Gotchas:** mind the rain",
    ];
    let words = "The bricks lie behind the shed and have to be carried one by one. ".repeat(170);
    format!("{}\n\n{words}", headings.join("\n"))
}

/// Fills the conversation with the plan; `document` is what it hands over at the so many-th question.
fn cramped(document: fn(usize) -> Answer) -> ScriptedProvider {
    ScriptedProvider::answering(move |request: &ModelRequest| {
        let asked = last(request);
        let full = Usage { input: 165_000, output: 1_000, ..Usage::default() };
        if asked.contains("# Hand over") {
            let told = results(request).iter().filter(|(_, failed)| *failed).count();
            document(told).usage(Usage { input: 166_000, output: 1_000, ..Usage::default() })
        } else if asked.contains("stage build") {
            done("Built.")
        } else {
            done("Use bricks.").usage(full)
        }
    })
}

async fn full(document: fn(usize) -> Answer) -> (World, RunId) {
    let world = World::new(cramped(document)).await;
    let mut agent = two(json!({ "contextBudget": 60_000 }));
    agent.config.control_flow.stages[0].pause = None;
    let run = begun(&world, agent, ask()).await;
    assert_eq!(left(&world.engine, &run).await, Exit::Paused);
    (world, run)
}

fn good(_: usize) -> Answer {
    gate(json!({ "complete": true, "data": { "handoff": handed_over() } }))
}

#[tokio::test]
async fn a_full_conversation_is_told_of_with_its_figures_and_hands_over_what_it_knows() {
    let (world, run) = full(good).await;
    let loaded = world.engine.load(&run).await.unwrap();
    let form = loaded.state.open_pauses().next().and_then(|pause| pause.form).unwrap();
    let form: Value =
        serde_json::from_slice(&world.store.get_blob(store::BlobHash::from_bytes(form.0)).await.unwrap())
            .unwrap();
    let text = form["markdown"].as_str().unwrap();
    assert!(
        text.contains(
            "Context is at 83 %. The next stage (BUILD) needs about 72,000 tokens, 34,000 are left. Hand over to a fresh \
             conversation?"
        ),
        "{text}"
    );
    assert_eq!(form["kind"], "handoff");
    assert_eq!(answers(&world, &run, choice("hand_over")).await, Exit::Completed);
    let requests = world.provider.requests();
    let [plan, ask, build] = requests.as_slice() else { panic!("{} requests", requests.len()) };
    assert!(plain(&ask.messages).starts_with(&plain(&plan.messages)));
    assert_eq!((&ask.system, &ask.tools), (&plan.system, &plan.tools));
    assert_eq!((build.messages.len(), &build.system, &build.tools), (1, &plan.system, &plan.tools));
    let told = message(build);
    assert!(told.starts_with("# Context from the previous session\n"), "{told}");
    assert!(told.contains("mind the rain") && told.contains("<PLAN>\nUse bricks.\n</PLAN>"), "{told}");
    let log = log(&world, &run).await;
    let requested = log.iter().find_map(|record| match &record.event {
        Event::ContextHandoffRequested { used, window, .. } => Some((*used, *window)),
        _ => None,
    });
    assert_eq!(requested, Some((166_000, 200_000)));
    let loaded = world.engine.load(&run).await.unwrap();
    assert_eq!(loaded.state.stages[1].conversation(), 2);
    let spent: u64 = world.calls().await.iter().map(|call| call.usage.total()).sum();
    assert_eq!(loaded.state.usage.total(), spent);
    replays(&world, &run).await;
}

#[tokio::test]
async fn a_document_without_its_headings_is_asked_for_once_more() {
    let (world, run) = full(|told| match told {
        0 => gate(json!({ "complete": true, "data": { "handoff": "Bricks." } })),
        _ => good(0),
    })
    .await;
    assert_eq!(answers(&world, &run, Reply::default()).await, Exit::Completed);
    let requests = world.provider.requests();
    assert_eq!(requests.len(), 4);
    let told = results(&requests[2]).pop().unwrap().0;
    assert!(told.contains("these headings are missing: Pipeline State"), "{told}");
    assert!(message(&requests[3]).contains("mind the rain"));
    replays(&world, &run).await;
}

#[tokio::test]
async fn where_the_conversation_gives_no_document_code_makes_one_of_the_outputs() {
    for document in [
        (|_| gate(json!({ "complete": true, "data": { "handoff": "Bricks." } }))) as fn(usize) -> Answer,
        |_| Answer::text("I would rather not."),
        |_| Answer::fail(llm::Fault::Auth, "gone"),
    ] {
        let (world, run) = full(document).await;
        assert_eq!(answers(&world, &run, choice("hand_over")).await, Exit::Completed);
        let loaded = world.engine.load(&run).await.unwrap();
        assert!(matches!(loaded.state.stages[1].handoff(), Handoff::Done(_)));
        let told = message(world.provider.requests().last().unwrap());
        assert!(told.contains("## Working State") && told.contains("Use bricks."), "{told}");
        replays(&world, &run).await;
    }
}

#[tokio::test]
async fn without_anybody_there_a_full_conversation_hands_over() {
    let world = World::new(cramped(good)).await;
    let mut agent = two(json!({ "contextBudget": 60_000 }));
    agent.config.control_flow.stages[0].pause = None;
    let attend = PausePolicy { unattended: true, ..PausePolicy::default() };
    let start = engine::StartRun { attend, ..ask() };
    let run = begun(&world, agent, start).await;
    assert_eq!(left(&world.engine, &run).await, Exit::Completed);
    assert!(message(world.provider.requests().last().unwrap()).contains("mind the rain"));
}

#[tokio::test]
async fn a_full_conversation_goes_on_at_the_persons_word_and_words_decide_nothing() {
    let (world, run) = full(good).await;
    let asks = Reply { text: Some("What would be lost?".to_owned()), ..Reply::default() };
    assert_eq!(answers(&world, &run, asks).await, Exit::Paused);
    assert_eq!(answers(&world, &run, choice("go_on")).await, Exit::Completed);
    let requests = world.provider.requests();
    assert_eq!(requests.len(), 2);
    assert!(plain(&requests[1].messages).starts_with(&plain(&requests[0].messages)));
    let loaded = world.engine.load(&run).await.unwrap();
    assert_eq!((loaded.state.stages[1].conversation(), loaded.state.status()), (1, Status::Completed));
    replays(&world, &run).await;
}

#[tokio::test]
async fn a_handoff_that_is_broken_off_at_any_time_repeats_nothing_finished() {
    let (whole, run) = full(good).await;
    answers(&whole, &run, choice("hand_over")).await;
    let commits = whole.store.load_events(&run.0).await.unwrap().len();
    for count in 2..commits {
        let world = World::new(cramped(good)).await;
        std::fs::write(world.home().join("a.txt"), "alpha").unwrap();
        copy_commits(&whole, &world, &run, None, count).await;
        // Turns whose ids are in the run's log have ended in theirs.
        let named = children(&world, &run).await;
        for child in &named {
            copy_commits(&whole, &world, child, Some(&run), usize::MAX).await;
        }
        world.engine.resume(&run, PausePolicy::default()).await.unwrap();
        if left(&world.engine, &run).await == Exit::Paused {
            answers(&world, &run, choice("hand_over")).await;
        }
        let loaded = world.engine.load(&run).await.unwrap();
        assert_eq!(loaded.state.status(), Status::Completed, "after {count}");
        assert_eq!(world.provider.requests().len(), 3 - named.len(), "after {count}");
    }
}

#[tokio::test]
async fn a_stage_with_a_conversation_of_its_own_begins_as_the_shared_one_does_and_may_call_its_own_tools_alone()
 {
    let script = ScriptedProvider::answering(|request: &ModelRequest| {
        match (last(request).contains("You are stage review."), results(request).len()) {
            (false, _) => done("Use bricks."),
            (true, 0) => Answer::text("").call("append", json!({ "path": "one.txt" })),
            (true, _) => done("Sound."),
        }
    });
    let review =
        talk("review", json!({ "conversation": "fresh", "context": [shows("PLAN", "outputs.plan.text")] }));
    let stages = json!([talk("plan", json!({ "tools": ["append"] })), review, render("review")]);
    let world = World::new(script).await;
    let run = begun(&world, shared(stages), ask()).await;
    assert_eq!(left(&world.engine, &run).await, Exit::Completed);
    let requests = world.provider.requests();
    let [plan, review, refused] = requests.as_slice() else { panic!("{} requests", requests.len()) };
    assert_eq!((&plan.system, &plan.tools), (&review.system, &review.tools));
    assert_eq!(review.messages.len(), 1);
    let told = message(review);
    assert!(told.starts_with("# Stage: REVIEW\n\nYou are stage review."), "{told}");
    assert!(told.contains("<PLAN>\nUse bricks.\n</PLAN>"), "{told}");
    let (said, failed) = results(refused).pop().unwrap();
    assert!(failed && said.contains("you may call: read, stage_gate"), "{said}");
    assert_eq!(world.written("one.txt"), 0);
    replays(&world, &run).await;
}
