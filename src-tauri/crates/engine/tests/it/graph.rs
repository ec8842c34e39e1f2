//! Parallel branches and instances: what arrives first never shows.

use std::time::Duration;

use engine::{Exit, PausePolicy, UiKind};
use llm::{Answer, ScriptedProvider};
use pipeline::{Event, Status};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::agents::{agent, model, render, shows};
use crate::models::stage;
use crate::tools::Tools;
use crate::world::{World, ask, choose, say, section, unattended};

fn each() -> workspace::Agent {
    let context = json!({ "forEach": "['a', 'b', 'c', 'd']", "context": [shows("REQUEST", "request"), shows("ITEM", "item")] });
    let joined = json!({ "context": [shows("REQUEST", "request"), shows("PARTS", "outputs.each")] });
    agent(json!([model("each", context), model("join", joined), render("join")]), json!({}))
}

/// Answers with what it was shown, after a wait that depends on the item.
fn echo(wait: impl Fn(&str) -> u64 + Send + 'static) -> ScriptedProvider {
    ScriptedProvider::answering(move |request| {
        let item = section(request, "ITEM").unwrap_or_default();
        let parts = section(request, "PARTS").unwrap_or_default();
        let answer = Answer::json(&json!({ "text": format!("{}: {item}{parts}", stage(request)) }));
        match wait(&item) {
            0 => answer,
            ms => answer.delay(Duration::from_millis(ms)),
        }
    })
}

#[tokio::test]
async fn instances_that_arrive_in_another_order_give_the_same_bytes() {
    let rank = |item: &str| u64::from(item.bytes().next().unwrap_or(b'a') - b'a');
    let mut documents = Vec::new();
    for provider in
        [echo(move |item| 10 + 15 * rank(item)), echo(move |item| 60 - 15 * rank(item)), echo(|_| 0)]
    {
        let mut world = World::new(provider, Tools::none()).await;
        let (run, told) = world.run(each(), ask("q")).await;
        assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
        let texts: Vec<Value> = world
            .output(&run, "each")
            .await
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["text"].clone())
            .collect();
        assert_eq!(texts, ["each: a", "each: b", "each: c", "each: d"]);
        documents.push(world.document(&run).await);
    }
    assert!(documents.iter().all(|document| document == &documents[0]));
}

#[tokio::test]
async fn no_more_calls_are_under_way_than_the_agent_allows() {
    let mut agent = each();
    agent.config.control_flow.max_parallel = 2;
    let mut world = World::new(echo(|_| 15), Tools::none()).await;
    let (run, _) = world.run(agent, ask("q")).await;
    let mut under_way = 0i32;
    for record in world.log(&run).await {
        match record.event {
            Event::ModelCallRequested { .. } => under_way += 1,
            Event::ModelCallCompleted { .. } => under_way -= 1,
            _ => {}
        }
        assert!(under_way <= 2);
    }
}

/// start, then left (pauses) and right side by side, then join.
fn branches() -> workspace::Agent {
    let stages = json!([
        model("start", json!({})),
        model("left", json!({ "dependsOn": ["start"], "pause": {} })),
        model("right", json!({ "dependsOn": ["start"] })),
        model(
            "join",
            json!({ "dependsOn": ["left", "right"],
            "context": [shows("REQUEST", "request"), shows("LEFT", "outputs.left"), shows("RIGHT", "outputs.right"), shows("USER_ANSWERS", "user_answers")] })
        ),
        render("join"),
    ]);
    agent(stages, json!({ "/pauseAfterStages": ["left"] }))
}

fn slow(name: &'static str, ms: u64) -> ScriptedProvider {
    ScriptedProvider::answering(move |request| {
        let answer = Answer::json(&json!({ "text": stage(request) }));
        if stage(request) == name { answer.delay(Duration::from_millis(ms)) } else { answer }
    })
}

#[tokio::test]
async fn one_branch_goes_on_while_the_other_waits_for_the_person() {
    let mut documents = Vec::new();
    for (name, ms) in [("right", 60), ("left", 60)] {
        let mut world = World::new(slow(name, ms), Tools::none()).await;
        let (run, told) = world.run(branches(), ask("q")).await;
        assert_eq!(told.exit, Exit::Paused);
        assert_eq!(
            world.output(&run, "right").await,
            json!({ "text": "right" }),
            "the other branch ended meanwhile"
        );
        assert_eq!(world.requests().len(), 3);
        assert_eq!(world.go(&run, choose("proceed")).await.exit, Exit::Completed);
        documents.push(world.document(&run).await);
    }
    assert!(documents[0] == documents[1]);
}

#[tokio::test]
async fn a_pause_is_answered_while_the_other_branch_works() {
    let mut world = World::new(slow("right", 150), Tools::none()).await;
    let run = world.start(branches(), ask("q")).await;
    world.until(&run, |kind| matches!(kind, UiKind::Pause { .. })).await;
    assert_eq!(world.state(&run).await.status(), Status::Running);
    world.answer(&run, say("for small entities")).await.unwrap();
    assert_eq!(world.done(&run).await.exit, Exit::Completed);
    let join = world.requests().pop().unwrap();
    assert!(section(&join, "USER_ANSWERS").unwrap().contains("for small entities"));
    assert!(section(&join, "RIGHT").unwrap().contains("right"));
}

#[tokio::test]
async fn an_answer_given_while_the_other_branch_worked_does_not_spoil_its_recovery() {
    let provider = ScriptedProvider::answering(|request| match stage(request).as_str() {
        "right" => Answer::hang(),
        name => Answer::json(&json!({ "text": name })),
    });
    let mut world = World::new(provider, Tools::none()).await;
    let run = world.start(branches(), ask("q")).await;
    world.until(&run, |kind| matches!(kind, UiKind::Pause { .. })).await;
    world.answer(&run, say("for small entities")).await.unwrap();
    let right = world.requests().into_iter().find(|request| stage(request) == "right").unwrap();
    let count = world.batches(&run).await;
    let mut crashed = world.crashed_after(&run, count, slow("none", 0), Tools::none()).await;
    let told = crashed.resume(&run, unattended()).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(crashed.requests()[0].digest(), right.digest());
    world.engine.cancel(&run).await.unwrap();
}

#[tokio::test]
async fn a_branch_that_fails_lets_the_other_one_end_and_only_it_is_tried_again() {
    let mut once = true;
    let provider = ScriptedProvider::answering(move |request| match stage(request).as_str() {
        "left" if std::mem::take(&mut once) => Answer::fail(llm::Fault::BadRequest, "no such model"),
        name => Answer::json(&json!({ "text": name })).delay(Duration::from_millis(20)),
    });
    let mut world = World::new(provider, Tools::none()).await;
    let (run, told) = world.run(branches(), ask("q")).await;
    assert_eq!(told.exit, Exit::Failed);
    let told = world.resume(&run, PausePolicy::default()).await;
    assert_eq!(told.exit, Exit::Paused, "{:?}", told.problem);
    assert_eq!(world.go(&run, choose("proceed")).await.exit, Exit::Completed);
    let names: Vec<String> = world.requests().iter().map(stage).collect();
    assert_eq!(names.iter().filter(|name| *name == "right").count(), 1, "{names:?}");
}
