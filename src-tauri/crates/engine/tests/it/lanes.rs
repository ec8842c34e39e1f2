//! The lane that all calls of a connection share: their number, their order, and a wait that the provider asks for.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use engine::{Exit, ResolvedAgent, StartRun, UiKind};
use llm::{Answer, Fault, Lane, ScriptedProvider};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::agents::{agent, model};
use crate::models::{brain, stage};
use crate::tools::Tools;
use crate::world::{World, ask};

const PAUSE: Duration = Duration::from_millis(15);
const WAIT: Duration = Duration::from_millis(400);

/// A stage with three child runs of two calls each.
fn whole() -> workspace::Agent {
    let runs = json!({
        "id": "work", "name": "work", "title": "WORK", "kind": "agent", "agent": "part",
        "forEach": "['alpha', 'beta', 'gamma']", "itemKey": "item",
    });
    agent(json!([runs]), json!({ "slug": "whole", "name": "Whole" }))
}

fn with_part() -> StartRun {
    let stages = json!([model("draft", json!({})), model("polish", json!({}))]);
    let part = agent(stages, json!({ "slug": "part", "name": "Part" }));
    StartRun { children: vec![ResolvedAgent { agent: part, sources: Vec::new(), corpus: None }], ..ask("q") }
}

#[tokio::test]
async fn the_child_runs_of_two_parents_share_the_limit_of_their_connection() {
    let provider: Arc<OnceLock<ScriptedProvider>> = Arc::default();
    let most = Arc::new(AtomicUsize::new(0));
    let (own, seen) = (provider.clone(), most.clone());
    let scripted = ScriptedProvider::answering(move |request| {
        let open = own.get().map_or(0, ScriptedProvider::open_streams) + 1;
        seen.fetch_max(open, Ordering::SeqCst);
        Answer::json(&json!({ "text": stage(request) })).delay(PAUSE)
    })
    .in_lane(Lane::new(2));
    assert!(provider.set(scripted.clone()).is_ok());
    let world = World::new(scripted, Tools::none()).await;
    let parents = [world.start(whole(), with_part()).await, world.start(whole(), with_part()).await];
    for parent in &parents {
        assert_eq!(world.engine.wait(parent).await.unwrap(), (Exit::Completed, None));
    }
    assert_eq!(most.load(Ordering::SeqCst), 2);
    assert_eq!(world.requests().len(), 12);
}

#[tokio::test]
async fn a_wait_that_one_run_is_asked_for_holds_the_calls_of_the_others() {
    let asked: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let times = asked.clone();
    let scripted = ScriptedProvider::answering(move |request| {
        times.lock().unwrap().push(Instant::now());
        if times.lock().unwrap().len() == 1 {
            let fault = Fault::RateLimit { retry_after_ms: Some(WAIT.as_millis() as u64) };
            return Answer::fail(fault, "slow down");
        }
        Answer::json(&json!({ "text": stage(request) }))
    })
    .in_lane(Lane::new(8));
    let mut world = World::new(scripted, Tools::none()).await;
    let one = || agent(json!([model("only", json!({}))]), json!({}));
    let refused = world.start(one(), ask("q")).await;
    world.until(&refused, |kind| matches!(kind, UiKind::Waiting { .. })).await;
    let other = world.start(one(), ask("q")).await;
    let told = world.until(&other, |kind| matches!(kind, UiKind::Waiting { .. })).await;
    let UiKind::Waiting { ms, problem, .. } = told else { unreachable!() };
    assert!(ms <= WAIT.as_millis() as u64 && problem.message.contains("another call"), "{problem:?}");
    for run in [&refused, &other] {
        assert_eq!(world.engine.wait(run).await.unwrap().0, Exit::Completed);
    }
    let asked = asked.lock().unwrap().clone();
    assert_eq!(asked.len(), 3);
    assert!(asked[1..].iter().all(|later| *later - asked[0] >= WAIT), "{asked:?}");
    // The wait of a run that no call of its own was refused to is not its active time.
    assert!(world.state(&other).await.active_ms < WAIT.as_millis() as u64);
}

#[tokio::test]
async fn a_run_that_is_cancelled_while_its_call_waits_sends_nothing_and_keeps_no_place() {
    let lane = Lane::new(1);
    let place = lane.enter(|_| {}).await;
    let mut world = World::new(brain(vec![]).in_lane(lane.clone()), Tools::none()).await;
    let one = || agent(json!([model("only", json!({}))]), json!({}));
    let waits = |kind: &UiKind| matches!(kind, UiKind::Progress { text, .. } if text.contains("waiting"));
    let cancelled = world.start(one(), ask("q")).await;
    world.until(&cancelled, waits).await;
    let patient = world.start(one(), ask("q")).await;
    world.until(&patient, waits).await;
    world.engine.cancel(&cancelled).await.unwrap();
    assert_eq!(world.engine.wait(&cancelled).await.unwrap().0, Exit::Cancelled);
    assert!(world.requests().is_empty());
    assert_eq!(world.state(&cancelled).await.usage.total(), 0);
    drop(place);
    assert_eq!(world.engine.wait(&patient).await.unwrap().0, Exit::Completed);
    assert_eq!(world.requests().len(), 1);
}
