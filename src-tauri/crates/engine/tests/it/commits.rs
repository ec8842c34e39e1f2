//! How often a run makes the disk wait.

use std::collections::BTreeSet;

use engine::{Exit, RepeatedRun, StartRun};
use pipeline::Event;
use serde_json::{Value, json};

use crate::agents::{agent, model, tools};
use crate::compare::finding;
use crate::isa::{QUESTION, Say, isa};
use crate::models::brain;
use crate::tools::Tools;
use crate::world::{World, ask, ask_unattended, choose};

#[tokio::test]
async fn six_serial_model_stages_take_at_most_eight_commits() {
    let stages: Vec<Value> = (1..=6).map(|at| model(&format!("s{at}"), json!({}))).collect();
    let mut world = World::new(brain(vec![]), Tools::none()).await;
    let (_, told) = world.run(agent(Value::Array(stages), json!({})), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed);
    let stats = world.store.stats();
    assert_eq!(world.requests().len(), 6);
    assert!(stats.commits <= 8, "{} commits", stats.commits);
}

#[tokio::test]
async fn the_shipped_agent_commits_for_paid_calls_pauses_and_tool_waves_alone() {
    for attended in [false, true] {
        let say = Say::default();
        let mut world = World::new(say.provider(), say.tools()).await;
        let start = if attended { ask(QUESTION) } else { ask_unattended(QUESTION) };
        let (run, mut told) = world.run(isa(), start).await;
        for choice in ["search", "proceed"] {
            if told.exit == Exit::Paused {
                told = world.go(&run, choose(choice)).await;
            }
        }
        assert_eq!(told.exit, Exit::Completed);
        let log = world.log(&run).await;
        let count = |name: &str| log.iter().filter(|record| record.event.name() == name).count();
        let waves: BTreeSet<(String, u32, u32)> = log
            .iter()
            .filter_map(|record| match &record.event {
                Event::ToolCallRequested { key, .. } => Some((key.stage.to_string(), key.attempt, key.wave)),
                _ => None,
            })
            .collect();
        let most = 2 + count("model_call_requested") + count("pause_requested") + waves.len();
        let commits = world.store.stats().commits as usize;
        assert!(commits <= most, "attended {attended}: {commits} commits, at most {most}");
    }
}

#[tokio::test]
async fn a_wave_of_more_calls_than_a_commit_has_payloads_is_stored_in_parts() {
    let items = format!("{:?}", (0..1_100).map(|number| format!("q{number}")).collect::<Vec<_>>());
    let steps = json!([{ "tool": "kb/find", "idempotent": true, "forEach": items, "args": { "q": "{{ item }}" }, "collect": "found" }]);
    let wide = || {
        agent(json!([tools("find", steps.clone(), json!({ "limits": { "maxCalls": 2_000 } }))]), json!({}))
    };
    let mut world = World::new(brain(vec![]), finding()).await;
    let (run, told) = world.run(wide(), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let batches = world.batches(&run).await;
    assert!(batches > 5, "what a crash loses of it is small: {batches} commits");
    assert_eq!(world.tools.count("find"), 1_100);

    // What a repetition takes over comes at once.
    let base = RepeatedRun { run: run.clone(), from: None, edits: Default::default() };
    let (again, told) = world.run(wide(), StartRun { base: Some(base), ..ask("q") }).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(world.tools.count("find"), 1_100);
    assert_eq!(world.output(&again, "find").await, world.output(&run, "find").await);
}
