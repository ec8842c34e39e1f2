//! Runs that repeat another: what did not change is taken over, what depends on a change is done again.

use std::collections::BTreeMap;

use domain::{ErrorCode, RunId};
use engine::{Exit, RepeatedRun, StartRun};
use pipeline::{CallStatus, Event};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::compare::{echo, finding, run, searching};
use crate::world::{World, ask, choose};

async fn first(world: &mut World, edit: Option<Value>) -> RunId {
    run(world, searching(), ask("q"), edit).await
}

fn repeating(run: &RunId, from: Option<&str>, edits: &[(&str, Value)]) -> StartRun {
    let edits = edits.iter().map(|(stage, value)| ((*stage).to_owned(), value.clone()));
    let base = RepeatedRun {
        run: run.clone(),
        from: from.map(str::to_owned),
        edits: edits.collect::<BTreeMap<_, _>>(),
    };
    StartRun { base: Some(base), connection: Some("scripted".to_owned()), ..ask("q") }
}

/// The stages whose calls were made, and how many calls were taken over.
async fn made(world: &World, run: &RunId) -> (Vec<String>, usize) {
    let loaded = world.engine.load(run).await.unwrap();
    let calls = &loaded.state.calls;
    assert!(calls.values().all(|call| matches!(call.status, CallStatus::Done(_))));
    let made = calls.iter().filter(|(_, call)| call.tries > 0).map(|(key, _)| key.stage.to_string());
    (made.collect(), calls.values().filter(|call| call.reused.is_some()).count())
}

async fn document(world: &World, run: &RunId) -> String {
    let loaded = world.engine.load(run).await.unwrap();
    world.engine.document(loaded).await.unwrap().unwrap().markdown
}

#[tokio::test]
async fn a_run_in_which_nothing_changed_makes_no_call_and_gives_the_same_document() {
    let mut world = World::new(echo(), finding()).await;
    let base = first(&mut world, None).await;
    let asked = world.provider.requests().len();
    let (again, told) = world.run(searching(), repeating(&base, None, &[])).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(made(&world, &again).await, (Vec::new(), 4));
    assert_eq!(world.provider.requests().len(), asked);
    assert_eq!(document(&world, &again).await, document(&world, &base).await);
    let loaded = world.engine.load(&again).await.unwrap();
    assert_eq!(loaded.state.cost.0, 0);
    let decision = loaded.state.pauses[0].decision.clone().unwrap();
    assert_eq!((decision.choice.as_str(), decision.unattended), ("go", true));
    assert_eq!(decision.because, Some(format!("answered as in run {base}")));
}

#[tokio::test]
async fn what_was_edited_or_said_at_a_pause_holds_in_the_repetition() {
    let mut world = World::new(echo(), finding()).await;
    let base = first(&mut world, Some(json!({ "text": "another query" }))).await;
    let (again, told) = world.run(searching(), repeating(&base, None, &[])).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(made(&world, &again).await, (Vec::new(), 4));
    assert_eq!(document(&world, &again).await, document(&world, &base).await);
}

#[tokio::test]
async fn an_edit_beforehand_runs_what_depends_on_it_and_nothing_else() {
    let mut world = World::new(echo(), finding()).await;
    let base = first(&mut world, None).await;
    let edit = json!({ "text": "another query" });
    let (again, told) = world.run(searching(), repeating(&base, None, &[("plan", edit)])).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(made(&world, &again).await, (vec!["find".to_owned(), "write".to_owned()], 2));
    assert!(document(&world, &again).await.contains("hit for another query"));
    // A repetition of the repetition keeps the edit, and knows who paid in the end.
    let (third, told) = world.run(searching(), repeating(&again, None, &[])).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(made(&world, &third).await, (Vec::new(), 4));
    assert_eq!(document(&world, &third).await, document(&world, &again).await);
    let loaded = world.engine.load(&third).await.unwrap();
    let of = |stage: &str| {
        let call = loaded.state.calls.iter().find(|(key, _)| key.stage.as_str() == stage).unwrap().1;
        call.reused.clone().unwrap().run
    };
    assert_eq!((of("plan"), of("write")), (base, again));
}

#[tokio::test]
async fn from_a_stage_on_everything_runs_again_even_where_nothing_changed() {
    let mut world = World::new(echo(), finding()).await;
    let base = first(&mut world, None).await;
    let (again, told) = world.run(searching(), repeating(&base, Some("find"), &[])).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(made(&world, &again).await, (vec!["find".to_owned(), "write".to_owned()], 2));
    // From the stage with the pause on, the person is asked anew.
    let (anew, told) = world.run(searching(), repeating(&base, Some("plan"), &[])).await;
    assert_eq!(told.exit, Exit::Paused);
    let told = world.go(&anew, choose("go")).await;
    assert_eq!(told.exit, Exit::Completed);
    assert_eq!(made(&world, &anew).await.1, 0);
}

#[tokio::test]
async fn a_changed_prompt_runs_its_stage_and_stops_where_the_output_is_the_same() {
    let mut world = World::new(echo(), finding()).await;
    let base = first(&mut world, None).await;
    let mut sharper = searching();
    let prompt = sharper.config.control_flow.stages[2].prompt.clone().unwrap();
    // The prompt of the aside says more; its answer stays what it was.
    sharper.prompts.entry(prompt).and_modify(|text| text.push_str("\nBe brief."));
    let (again, told) = world.run(sharper, repeating(&base, None, &[])).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let (made, reused) = made(&world, &again).await;
    assert!(made.contains(&"aside".to_owned()) && !made.contains(&"find".to_owned()), "{made:?}");
    assert_eq!(made.len() + reused, 4);
    assert_eq!(document(&world, &again).await, document(&world, &base).await);
}

#[tokio::test]
async fn what_a_repetition_can_t_begin_with_is_said_before_it_begins() {
    let mut world = World::new(echo(), finding()).await;
    let base = first(&mut world, None).await;
    let refused = |start: StartRun| world.engine.start(searching(), Vec::new(), None, start);
    let stage = refused(repeating(&base, Some("nowhere"), &[])).await.unwrap_err();
    assert_eq!(stage.code, ErrorCode::InvalidInput);
    assert!(stage.message.contains("plan, find, aside, write"), "{}", stage.message);
    let edit = refused(repeating(&base, None, &[("plan", json!({ "text": 7 }))])).await.unwrap_err();
    assert!(edit.message.contains("/text"), "{}", edit.message);
    let run = refused(repeating(&RunId::from("gone"), None, &[])).await.unwrap_err();
    assert_eq!(run.code, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_repetition_goes_on_without_its_base_run_where_that_is_deleted() {
    let mut world = World::new(echo(), finding()).await;
    let base = first(&mut world, None).await;
    let session = world.engine.load(&base).await.unwrap().row.session;
    let (again, told) = world.run(searching(), repeating(&base, Some("plan"), &[])).await;
    assert_eq!(told.exit, Exit::Paused);
    world.store.delete_session(&session).await.unwrap();
    let told = world.go(&again, choose("go")).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let records = world.engine.load(&again).await.unwrap().records;
    assert!(!records.iter().any(|record| matches!(record.event, Event::CallReused { .. })));
}
