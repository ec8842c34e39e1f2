//! Two runs beside each other: which stages differ, and because of what.

use domain::RunId;
use engine::{Exit, Reply, StartRun};
use engine_types::StageComparison;
use llm::{Answer, ScriptedProvider};
use pretty_assertions::assert_eq;
use run_comparison::Comparison;
use serde_json::{Value, json};

use crate::agents::{agent, merged, model, render, shows, tools};
use crate::models::stage;
use crate::tools::{Act, Tools};
use crate::world::{World, ask, choose, section};

/// A plan that may be edited; what is found by it; a text on that; and a stage that only reads the question.
pub fn searching() -> workspace::Agent {
    let pause = json!({ "choices": [{ "id": "go", "label": "Go", "action": "proceed" }], "editable": true });
    let steps = json!([{ "tool": "kb/find", "idempotent": true, "forEach": "outputs.plan.text", "args": { "q": "{{ item }}" }, "collect": "found" }]);
    let stages = json!([
        model("plan", json!({ "pause": pause })),
        tools("find", steps, json!({})),
        model("aside", json!({ "dependsOn": ["plan"], "context": [shows("REQUEST", "request")] })),
        model(
            "write",
            json!({ "dependsOn": ["find", "aside"], "context": [
            shows("REQUEST", "request"), shows("FOUND", "outputs.find.found"), shows("ASIDE", "outputs.aside"),
        ] })
        ),
        render("write"),
    ]);
    agent(stages, json!({ "/pauseAfterStages": ["plan"] }))
}

/// Answers with what it was shown; its plan is the question.
pub fn echo() -> ScriptedProvider {
    ScriptedProvider::answering(|request| {
        let shown = section(request, "FOUND").or_else(|| section(request, "REQUEST")).unwrap_or_default();
        Answer::json(&json!({ "text": format!("{}: {shown}", stage(request)) }))
    })
}

pub fn finding() -> std::sync::Arc<Tools> {
    Tools::new(|asked| {
        Act::Give(json!([format!("hit for {}", asked.args["q"].as_str().unwrap_or("nothing"))]))
    })
}

pub async fn run(world: &mut World, agent: workspace::Agent, start: StartRun, edit: Option<Value>) -> RunId {
    let (run, told) = world.run(agent, start).await;
    assert_eq!(told.exit, Exit::Paused, "{:?}", told.problem);
    let told = world.go(&run, Reply { edit, ..choose("go") }).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    run
}

fn differing(found: &Comparison) -> Vec<&StageComparison> {
    found.stages.iter().filter(|stage| !stage.same).collect()
}

#[tokio::test]
async fn a_run_compared_with_itself_and_with_the_same_question_asked_again_differs_in_nothing() {
    let mut world = World::new(echo(), finding()).await;
    let first = run(&mut world, searching(), ask("q"), None).await;
    let again = run(&mut world, searching(), ask("q"), None).await;
    for other in [&first, &again] {
        let found = run_comparison::compare(&world.engine, &first, other).await.unwrap();
        assert!(found.is_same(), "{found:?}");
        assert!(found.pins.is_empty() && found.stages.len() == 5 && differing(&found).is_empty());
    }
}

#[tokio::test]
async fn an_edited_query_names_exactly_the_stages_that_depend_on_it() {
    let mut world = World::new(echo(), finding()).await;
    let first = run(&mut world, searching(), ask("q"), None).await;
    let other = run(&mut world, searching(), ask("q"), Some(json!({ "text": "another query" }))).await;
    let found = run_comparison::compare(&world.engine, &first, &other).await.unwrap();
    assert!(!found.is_same() && found.pins.is_empty());
    let told: Vec<(&str, bool, bool, Vec<&str>)> = differing(&found)
        .into_iter()
        .map(|stage| {
            let because = stage.because.iter().map(String::as_str).collect();
            (stage.name.as_str(), stage.same_requests, stage.same_output, because)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("plan", true, false, vec!["its output was edited in the second"]),
            ("find", false, false, vec!["the output of PLAN"]),
            ("write", false, false, vec!["the output of FIND"]),
            ("output", true, false, vec!["the output of WRITE"]),
        ]
    );
    let write = &differing(&found)[2];
    assert_eq!(write.parts, ["FOUND"]);
    assert_eq!(differing(&found)[1].parts, ["arguments"]);
}

#[tokio::test]
async fn another_model_another_depth_and_another_prompt_are_named() {
    let mut world = World::new(echo(), finding()).await;
    let first = run(&mut world, searching(), ask("q"), None).await;
    let deep = StartRun { depth: Some("quick".to_owned()), ..ask("q") };
    let mut other = searching();
    other.prompts.insert("write.md".to_owned(), "You are stage write. Be brief.".to_owned());
    let other = run(&mut world, other, deep, None).await;
    let found = run_comparison::compare(&world.engine, &first, &other).await.unwrap();
    let pins: Vec<(&str, &str, &str)> =
        found.pins.iter().map(|pin| (pin.what.as_str(), pin.left.as_str(), pin.right.as_str())).collect();
    assert_eq!(pins, [("depth", "standard", "quick"), ("prompt write.md", "", "")]);
    let write = found.stages.iter().find(|stage| stage.name == "write").unwrap();
    assert!(write.because.contains(&"its prompt".to_owned()), "{write:?}");
    assert!(write.parts.contains(&"system".to_owned()), "{write:?}");
}

#[tokio::test]
async fn a_model_and_a_tool_that_answer_the_same_otherwise_are_named_as_such() {
    let mut turn = 0;
    let provider = ScriptedProvider::answering(move |request| {
        let name = stage(request);
        turn += usize::from(name == "aside");
        let text = if name == "aside" { format!("aside {turn}") } else { "same".to_owned() };
        Answer::json(&json!({ "text": text }))
    });
    let mut calls = 0;
    let changing = Tools::new(move |_| {
        calls += 1;
        Act::Give(json!([format!("hit {calls}")]))
    });
    let mut world = World::new(provider, changing).await;
    let first = run(&mut world, searching(), ask("q"), None).await;
    let other = run(&mut world, searching(), ask("q"), None).await;
    let found = run_comparison::compare(&world.engine, &first, &other).await.unwrap();
    let because = |name: &str| found.stages.iter().find(|stage| stage.name == name).unwrap().because.clone();
    assert_eq!(because("aside"), ["the model answered the same request otherwise"]);
    assert_eq!(because("find"), ["a call with the same arguments gave something else"]);
    assert_eq!(because("write"), ["the output of FIND", "the output of ASIDE"]);
    assert!(because("plan").is_empty() && because("output").is_empty());
    assert!(found.stages.iter().find(|stage| stage.name == "write").unwrap().same_output);
}

#[tokio::test]
async fn a_stage_of_one_agent_alone_and_one_that_was_skipped_are_differences() {
    let plain = || agent(json!([model("write", json!({})), render("write")]), json!({}));
    let with = |when: &str| {
        let extra = merged(model("extra", json!({})), json!({ "when": when }));
        agent(json!([extra, model("write", json!({})), render("write")]), json!({}))
    };
    let mut world = World::new(echo(), Tools::none()).await;
    let mut runs = Vec::new();
    for agent in [plain(), with("true"), with("false")] {
        let (run, told) = world.run(agent, ask("q")).await;
        assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
        runs.push(run);
    }
    let found = run_comparison::compare(&world.engine, &runs[0], &runs[1]).await.unwrap();
    let extra = found.stages.iter().find(|stage| stage.name == "extra").unwrap();
    assert_eq!((extra.left.as_str(), extra.right.as_str(), extra.same), ("", "completed", false));
    let found = run_comparison::compare(&world.engine, &runs[1], &runs[2]).await.unwrap();
    let extra = found.stages.iter().find(|stage| stage.name == "extra").unwrap();
    assert_eq!((extra.left.as_str(), extra.right.as_str()), ("completed", "skipped"));
    assert!(extra.because.contains(&"its configuration".to_owned()), "{extra:?}");
}
