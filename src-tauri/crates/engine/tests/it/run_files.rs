//! The state file of a run and the files of its outputs: derived from the log, looked at when a run is gone on with.

use std::path::PathBuf;

use engine::{Exit, StartRun, UiKind};
use llm::{Answer, ScriptedProvider};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::agents::{agent, merged, model, render};
use crate::models::stage;
use crate::tools::Tools;
use crate::world::{World, ask, choose};

/// A plan that stops for the person, a part for each of its letters, a text on them.
fn parts() -> workspace::Agent {
    let pause = json!({ "choices": [{ "id": "go", "label": "Go", "action": "proceed" }] });
    let stages = json!([
        model("plan", json!({ "pause": pause })),
        model("parts", json!({ "forEach": "data.letters" })),
        merged(
            json!({ "id": "whole", "name": "whole", "title": "Whole", "kind": "tools" }),
            json!({ "output": { "text": "{{ outputs.parts|pluck('text')|join(' ') }}" } }),
        ),
        render("whole"),
    ]);
    let state = json!({
        "run": "{{ run.status }}", "next": "{{ next }}", "parts": "{{ items.parts.done|length }}",
        "plan": "{{ stages.plan.status }}", "percent": "{{ progress.percent }}", "finished": "{{ progress.finished }}",
        "healthy": "{{ environment.healthy }}", "started": "{{ run.started_at }}", "trigger": "{{ trigger }}",
    });
    let schema = json!({ "type": "object", "required": ["run"], "properties": {
        "run": { "enum": ["initialized", "in_progress", "blocked", "complete", "failed"] },
        "percent": { "type": "integer" }, "healthy": { "type": "boolean" },
    } });
    let mut agent = agent(
        stages,
        json!({
            "/pauseAfterStages": ["plan"],
            "data": { "letters": "letters.json" },
            "checkpoint": { "file": "state-{{ request }}.json", "schema": {}, "state": state },
            "files": [
                { "path": "parts/{{ item.letter }}.md", "value": "item.text", "forEach": "outputs.parts|assign('letter', 'a')|uniq" },
                { "path": "plan.json", "value": "outputs.plan" },
                { "path": "none.md", "value": "outputs.whole.nothing" },
            ],
        }),
    );
    agent.data.insert("letters".to_owned(), json!(["a", "b"]));
    agent.checkpoint = Some(schema);
    agent
}

fn words() -> ScriptedProvider {
    ScriptedProvider::answering(|request| Answer::json(&json!({ "text": format!("of {}", stage(request)) })))
}

fn folder(world: &World) -> PathBuf {
    let sessions = world.home().join("sessions");
    std::fs::read_dir(sessions).unwrap().next().unwrap().unwrap().path()
}

fn read(world: &World, name: &str) -> Option<Value> {
    let text = std::fs::read_to_string(folder(world).join(name)).ok()?;
    Some(serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

#[tokio::test]
async fn a_runs_files_say_how_it_stands_and_are_written_again_where_they_were_changed() {
    let mut world = World::new(words(), Tools::none()).await;
    let (run, told) = world.run(parts(), ask("q")).await;
    assert_eq!(told.exit, Exit::Paused, "{:?}", told.problem);
    let state = read(&world, "state-q.json").unwrap();
    assert_eq!(state["run"], "blocked");
    assert_eq!(state["plan"], "complete");
    assert_eq!(state["next"], "Answer the pause after PLAN.");
    assert_eq!(state["percent"], 25);
    assert_eq!((&state["trigger"]["event"], &state["trigger"]["stage"]), (&json!("paused"), &json!("plan")));
    assert_eq!(read(&world, "plan.json").unwrap(), json!({ "text": "of plan" }));
    assert_eq!(read(&world, "parts/a.md"), None);

    // Somebody changed one file and removed another.
    std::fs::write(folder(&world).join("plan.json"), "{}").unwrap();
    std::fs::remove_file(folder(&world).join("state-q.json")).unwrap();
    let mut world = world.reopened().await;
    let told = world.go(&run, choose("go")).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let said: Vec<&str> = told
        .kinds
        .iter()
        .filter_map(|kind| match kind {
            UiKind::Progress { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let noticed = "Written again from the run's log: plan.json was changed; state-q.json is missing";
    assert!(said.contains(&noticed), "{said:?}");
    assert!(said.iter().any(|text| text.ends_with("is kept as plan.json.changed")), "{said:?}");
    assert_eq!(read(&world, "plan.json.changed").unwrap(), json!({}));
    assert_eq!(read(&world, "plan.json").unwrap(), json!({ "text": "of plan" }));
    assert_eq!(read(&world, "parts/a.md").unwrap(), "of parts");
    let state = read(&world, "state-q.json").unwrap();
    assert_eq!((&state["run"], &state["percent"]), (&json!("complete"), &json!(100)));
    assert_eq!(state["parts"], 2);
    assert_eq!(state["healthy"], false);
    assert_eq!(
        (&state["trigger"]["event"], &state["trigger"]["item"]),
        (&json!("run_complete"), &Value::Null)
    );
    assert_eq!(state["finished"], json!(["plan", "parts", "whole", "output"]));
    assert_eq!(read(&world, "none.md"), None);
}

#[tokio::test]
async fn a_file_outside_the_sessions_folder_and_a_state_that_does_not_fit_are_not_written() {
    let mut world = World::new(words(), Tools::none()).await;
    let (_, told) = world.run(parts(), ask("../../escaped")).await;
    assert_eq!(told.exit, Exit::Paused, "{:?}", told.problem);
    let said = |told: &crate::world::RunOutcome, words: &str| {
        told.kinds.iter().any(|kind| matches!(kind, UiKind::Progress { text, .. } if text.contains(words)))
    };
    assert!(said(&told, "is no path of a file in the session's folder"), "{:?}", told.kinds);
    assert!(!world.home().join("escaped.json").exists());

    let mut strict = parts();
    strict.checkpoint = Some(json!({ "properties": { "run": { "const": "never" } } }));
    let mut world = World::new(words(), Tools::none()).await;
    let (_, told) = world.run(strict, StartRun { request: "r".to_owned(), ..ask("r") }).await;
    assert!(said(&told, "checkpoint: /run"), "{:?}", told.kinds);
    assert_eq!(read(&world, "state-r.json"), None);
}
