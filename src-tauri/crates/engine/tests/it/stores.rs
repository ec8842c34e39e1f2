//! A store that fails under the engine.

use std::time::Duration;

use domain::ErrorCode;
use engine::{Exit, UiKind};
use llm::Answer;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::agents::{agent, model, render};
use crate::models::brain;
use crate::tools::Tools;
use crate::world::{World, ask, unattended};

fn two() -> workspace::Agent {
    agent(json!([model("first", json!({})), model("second", json!({})), render("second")]), json!({}))
}

fn slow_second() -> llm::ScriptedProvider {
    brain(vec![("second", Answer::json(&json!({ "text": "second" })).delay(Duration::from_millis(500)))])
}

#[tokio::test]
async fn a_store_that_closes_under_the_engine_is_a_clear_error_and_nothing_is_lost() {
    let mut world = World::new(slow_second(), Tools::none()).await;
    let run = world.start(two(), ask("q")).await;
    world
        .until(&run, |kind| matches!(kind, UiKind::Progress { stage, .. } if stage.as_str() == "second"))
        .await;
    world.store.close().await.unwrap();
    let told = world.done(&run).await;
    assert_eq!((told.exit, told.dones(), world.tools.closed()), (Exit::Failed, 1, 1));
    let problem = told.problem.unwrap();
    assert!(problem.message.contains("closed"), "{problem:?}");
    let mut world = world.reopened_with(brain(vec![])).await;
    assert_eq!(world.output(&run, "first").await, json!({ "text": "first" }));
    let told = world.resume(&run, unattended()).await;
    assert_eq!(told.exit, Exit::Completed);
    assert_eq!(world.requests().len(), 1, "only the call whose answer was not stored");
    assert_eq!(world.state(&run).await.maybe_paid_twice, 1);
}

#[tokio::test]
async fn two_engines_over_one_run_never_mix_their_logs() {
    let mut world = World::new(slow_second(), Tools::none()).await;
    let run = world.start(two(), ask("q")).await;
    world
        .until(&run, |kind| matches!(kind, UiKind::Progress { stage, .. } if stage.as_str() == "second"))
        .await;
    let other = world.another_engine(brain(vec![]));
    other.resume(&run, unattended()).await.unwrap();
    let (exit, problem) = other.wait(&run).await.unwrap();
    assert_eq!((exit, problem), (Exit::Completed, None));
    let told = world.done(&run).await;
    let problem = told.problem.unwrap();
    assert_eq!((told.exit, problem.code), (Exit::Failed, ErrorCode::Conflict), "{problem}");
    let names = world.names(&run).await;
    assert_eq!(names.iter().filter(|name| **name == "run_completed").count(), 1);
    assert!(world.markdown(&run).await.contains("second"));
}
