//! Follow-ups go on by themselves past pauses that only confirm a plan.

use std::sync::atomic::Ordering;

use domain::RunId;
use engine::{Exit, PausePolicy, StartRun};
use pipeline::{Decision, Event};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::isa::{QUESTION, Say, isa, question};
use crate::world::{World, ask, ask_unattended, choose};

/// What is said with a plan that asks nothing.
fn clear() -> Say {
    let mut say = Say::default();
    say.plan["clarification_questions"] = json!([]);
    say
}

async fn world(say: &Say) -> World {
    World::new(say.provider(), say.tools()).await
}

fn after(previous: &RunId) -> StartRun {
    StartRun { previous: Some(previous.clone()), ..ask("And what about electronic replies?") }
}

async fn decisions(world: &World, run: &RunId) -> Vec<Decision> {
    let log = world.log(run).await;
    let decisions = log.into_iter().filter_map(|record| match record.event {
        Event::Resumed { decision, .. } => Some(decision),
        _ => None,
    });
    decisions.collect()
}

/// What was chosen, and whether because of a follow-up.
async fn chosen(world: &World, run: &RunId) -> Vec<(String, bool)> {
    decisions(world, run).await.into_iter().map(|one| (one.choice, one.follow_up)).collect()
}

fn by_itself(choices: &[&str]) -> Vec<(String, bool)> {
    choices.iter().map(|choice| ((*choice).to_owned(), true)).collect()
}

#[tokio::test]
async fn a_follow_up_goes_on_as_the_run_before_it_did_and_says_why() {
    let mut world = world(&clear()).await;
    let (first, told) = world.run(isa(), question()).await;
    assert_eq!(told.exit, Exit::Paused, "a first question waits for its plan");
    assert_eq!(world.go(&first, choose("skip_web")).await.exit, Exit::Completed);
    assert_eq!(chosen(&world, &first).await, [("skip_web".to_owned(), false)]);

    let (second, told) = world.run(isa(), after(&first)).await;
    assert_eq!((told.exit, told.forms().len()), (Exit::Completed, 0), "{:?}", told.problem);
    assert_eq!(chosen(&world, &second).await, by_itself(&["skip_web"]));
    assert!(decisions(&world, &second).await[0].unattended);
    assert_eq!(world.tools.count("isa_web_search"), 0, "the web was left out before, and is again");

    let (third, told) = world.run(isa(), after(&second)).await;
    assert_eq!(told.exit, Exit::Completed);
    assert_eq!(chosen(&world, &third).await, by_itself(&["skip_web"]));
}

#[tokio::test]
async fn where_the_run_before_it_was_not_asked_a_follow_up_takes_the_default() {
    let mut world = world(&clear()).await;
    let quick = StartRun { depth: Some("quick".to_owned()), ..ask_unattended(QUESTION) };
    let (first, _) = world.run(isa(), quick).await;
    let (second, told) = world.run(isa(), after(&first)).await;
    assert_eq!(told.exit, Exit::Completed);
    assert_eq!(chosen(&world, &second).await, by_itself(&["search", "proceed"]));
}

#[tokio::test]
async fn a_follow_up_waits_where_something_is_asked_and_goes_on_after_the_answer() {
    let mut world = world(&Say::default()).await;
    let (first, _) = world.run(isa(), ask_unattended(QUESTION)).await;
    let (second, told) = world.run(isa(), after(&first)).await;
    assert_eq!((told.exit, told.form().questions.len()), (Exit::Paused, 1));
    let mut world = world.reopened().await;
    assert_eq!(world.go(&second, choose("search")).await.exit, Exit::Completed);
    assert_eq!(
        chosen(&world, &second).await,
        [("search".to_owned(), false), ("proceed".to_owned(), true)],
        "the plan after the search asks nothing"
    );
}

#[tokio::test]
async fn a_follow_up_waits_where_what_comes_first_can_t_be_done() {
    let say = clear();
    let mut world = world(&say).await;
    let quick = StartRun { depth: Some("quick".to_owned()), ..ask_unattended(QUESTION) };
    let (first, _) = world.run(isa(), quick).await;
    world.tools.no_web.store(true, Ordering::SeqCst);
    let (second, told) = world.run(isa(), after(&first)).await;
    assert_eq!(told.exit, Exit::Paused);
    assert_eq!(world.go(&second, choose("skip_web")).await.exit, Exit::Completed);
    let (third, told) = world.run(isa(), after(&second)).await;
    assert_eq!(told.exit, Exit::Completed, "it was decided for the run before it");
    assert_eq!(chosen(&world, &third).await, by_itself(&["skip_web"]));
}

#[tokio::test]
async fn a_follow_up_waits_where_pauses_are_wanted_however_it_is_resumed() {
    let mut world = world(&clear()).await;
    let (first, _) = world.run(isa(), ask_unattended(QUESTION)).await;
    let start = StartRun { pause_at_plan: Some(true), ..after(&first) };
    let (second, told) = world.run(isa(), start).await;
    assert_eq!(told.exit, Exit::Paused);
    let mut world = world.reopened().await;
    assert_eq!(world.resume(&second, PausePolicy::default()).await.exit, Exit::Paused);
    assert_eq!(world.go(&second, choose("search")).await.exit, Exit::Paused, "and at the next one");
    assert_eq!(chosen(&world, &second).await, [("search".to_owned(), false)]);
}

#[tokio::test]
async fn a_follow_up_waits_where_the_agent_says_that_only_the_person_can_answer() {
    let mut agent = isa();
    agent.config.control_flow.stages[1].pause.as_mut().unwrap().needs_person = true;
    let mut world = world(&clear()).await;
    let (first, _) = world.run(agent.clone(), ask_unattended(QUESTION)).await;
    let (second, told) = world.run(agent, after(&first)).await;
    assert_eq!(told.exit, Exit::Paused);
    assert_eq!(chosen(&world, &second).await, by_itself(&["search"]), "the first one only confirms the plan");
}

#[tokio::test]
async fn a_follow_up_waits_where_another_base_is_asked() {
    let mut world = world(&clear()).await;
    let (first, _) = world.run(isa(), ask_unattended(QUESTION)).await;
    let corpus = engine::Corpus { base: "another".to_owned(), ..crate::world::corpus() };
    let start = StartRun {
        connection: Some("scripted".to_owned()),
        model: Some("scripted-1".to_owned()),
        ..after(&first)
    };
    let run = world.engine.start(isa(), Vec::new(), Some(corpus), start).await.unwrap();
    assert_eq!(world.done(&run).await.exit, Exit::Paused);
}

#[tokio::test]
async fn the_document_of_a_follow_up_names_the_answer_before_it() {
    let mut world = world(&clear()).await;
    let (first, _) = world.run(isa(), ask_unattended(QUESTION)).await;
    let (second, _) = world.run(isa(), after(&first)).await;
    let (markdown, html) = world.document(&second).await;
    let named = format!("- Earlier answer: [{QUESTION}](agentnative://run/{first}) (ISA Deep Research, ");
    assert!(markdown.contains(&named), "{markdown}");
    assert!(html.contains(&format!("<a href=\"agentnative://run/{first}\">{QUESTION}</a>")), "{html}");
    assert!(!world.markdown(&first).await.contains("Earlier answer"));
}
