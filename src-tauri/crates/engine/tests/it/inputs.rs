//! Runs that a person starts with inputs: what their expressions read, what is refused before anything is stored.

use domain::ErrorCode;
use engine::{Exit, RepeatedRun, StartRun};
use llm::ScriptedProvider;
use pipeline::CallStatus;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use store::RunFilter;
use workspace::Agent;

use crate::agents::{agent, model, shows};
use crate::models::brain;
use crate::tools::Tools;
use crate::world::{World, ask, section};

/// An agent that shows its model what it was given.
fn ticket() -> Agent {
    let context = json!([shows("REQUEST", "request"), shows("PRIORITY", "inputs.priority")]);
    let first = model("draft", json!({ "context": context }));
    let mut agent =
        agent(json!([first, model("polish", json!({}))]), json!({ "slug": "ticket", "name": "Ticket" }));
    agent.input_schema = Some(json!({
        "type": "object",
        "properties": {
            "title": { "type": "string" },
            "priority": { "enum": ["low", "high"] },
            "checks": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["title", "priority"],
    }));
    agent
}

fn given(request: &str, inputs: Value) -> StartRun {
    StartRun { inputs: Some(inputs), ..ask(request) }
}

fn seen(world: &World, name: &str) -> Option<String> {
    world.requests().iter().find_map(|request| section(request, name)).map(|text| text.trim().to_owned())
}

async fn runs(world: &World) -> usize {
    world.store.list_runs(&RunFilter::default(), None, 50).await.unwrap().runs.len()
}

async fn refusal(agent: Agent, start: StartRun) -> (String, String) {
    let world = World::new(brain(vec![]), Tools::none()).await;
    let problem = world.try_start(agent, start).await.unwrap_err();
    assert_eq!(problem.code, ErrorCode::InvalidInput, "{problem}");
    assert_eq!(runs(&world).await, 0, "something was stored");
    (problem.message, problem.action.unwrap_or_default())
}

#[tokio::test]
async fn expressions_read_what_the_person_gave_and_the_run_is_called_after_its_title() {
    let mut world = World::new(brain(vec![]), Tools::none()).await;
    let inputs = json!({ "title": " Mend the door ", "priority": "high" });
    let (run, told) = world.run(ticket(), given("", inputs.clone())).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(seen(&world, "PRIORITY").as_deref(), Some("high"));
    assert_eq!(seen(&world, "REQUEST").as_deref(), Some("Mend the door"));
    let start = world.state(&run).await.start.unwrap();
    assert_eq!(start.request, "Mend the door");
    assert_eq!(world.blob(start.inputs.unwrap()).await, inputs);
    // Another program reads them as they were stored.
    let again = world.reopened().await;
    assert_eq!(again.engine.load(&run).await.unwrap().row.title, "Mend the door");
}

#[tokio::test]
async fn a_question_stands_beside_inputs_and_an_agent_names_a_run_that_has_no_title() {
    let mut world = World::new(brain(vec![]), Tools::none()).await;
    let inputs = json!({ "title": "Door", "priority": "low" });
    let (run, _) = world.run(ticket(), given("Which door?", inputs)).await;
    assert_eq!(world.state(&run).await.start.unwrap().request, "Which door?");
    let mut untitled = ticket();
    untitled.input_schema = Some(json!({ "type": "object" }));
    let (run, _) = world.run(untitled, given("", json!({ "priority": "low" }))).await;
    assert_eq!(world.state(&run).await.start.unwrap().request, "Ticket");
}

#[tokio::test]
async fn inputs_that_do_not_fit_are_refused_with_their_places_before_anything_is_stored() {
    let inputs = json!({ "title": "Door", "priority": "urgent", "checks": ["fmt", 3] });
    let (message, action) = refusal(ticket(), given("", inputs)).await;
    assert!(message.starts_with("the inputs do not fit agent ticket: "), "{message}");
    assert!(message.contains("/priority: ") && message.contains("/checks/1: "), "{message}");
    assert!(action.contains("agentnative agent show ticket"), "{action}");
    let (message, _) = refusal(ticket(), given("q", json!(["Door"]))).await;
    assert_eq!(message, "the inputs are not a JSON object");
    let huge = json!({ "title": "x".repeat(1 << 20), "priority": "low" });
    let (message, _) = refusal(ticket(), given("q", huge)).await;
    assert!(message.contains("at most 1048576 are taken"), "{message}");
}

#[tokio::test]
async fn an_agent_that_needs_inputs_names_them_and_one_without_a_schema_takes_none() {
    let (message, action) = refusal(ticket(), ask("Which door?")).await;
    assert_eq!(message, "agent ticket needs inputs: title, priority");
    assert!(action.contains("--input <file>"), "{action}");
    let mut plain = ticket();
    plain.input_schema = None;
    let (message, _) = refusal(plain, given("q", json!({}))).await;
    assert_eq!(message, "agent ticket takes no inputs: it has no `inputSchema`");
    let mut free = ticket();
    free.input_schema = Some(json!({ "type": "object" }));
    let (message, _) = refusal(free, ask("")).await;
    assert_eq!(message, "the question is empty");
}

#[tokio::test]
async fn a_repetition_with_other_inputs_asks_again_what_reads_them_and_takes_over_the_rest() {
    let provider = ScriptedProvider::answering(|request| {
        llm::Answer::json(&json!({ "text": format!("about {}", crate::models::stage(request)) }))
    });
    let mut world = World::new(provider, Tools::none()).await;
    let inputs = |priority: &str| json!({ "title": "Door", "priority": priority });
    let (base, _) = world.run(ticket(), given("", inputs("low"))).await;
    let repeated = |priority: &str| StartRun {
        base: Some(RepeatedRun { run: base.clone(), from: None, edits: Default::default() }),
        ..given("", inputs(priority))
    };
    let made = |state: pipeline::State| -> Vec<String> {
        assert!(state.calls.values().all(|call| matches!(call.status, CallStatus::Done(_))));
        let made = state.calls.iter().filter(|(_, call)| call.tries > 0);
        made.map(|(key, _)| key.stage.to_string()).collect()
    };
    let (same, told) = world.run(ticket(), repeated("low")).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(made(world.state(&same).await), Vec::<String>::new());
    let (other, _) = world.run(ticket(), repeated("high")).await;
    assert_eq!(made(world.state(&other).await), ["draft"]);
    let comparison = run_comparison::compare(&world.engine, &base, &other).await.unwrap();
    let pins: Vec<&str> = comparison.pins.iter().map(|pin| pin.what.as_str()).collect();
    assert_eq!(pins, ["inputs"]);
    let draft = comparison.stages.iter().find(|stage| stage.name == "draft").unwrap();
    assert_eq!(draft.because, ["the inputs"]);
}
