//! What a stage did without is in the log, at the stage and in the document.

use engine::Exit;
use llm::{Answer, Fault, ScriptedProvider};
use pipeline::{Cut, Event};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::agents::{agent, merged, model, render, shows, tools};
use crate::models::stage;
use crate::tools::{Act, Tools};
use crate::world::{World, ask, section};

fn says_its_name() -> ScriptedProvider {
    ScriptedProvider::answering(|request| Answer::json(&json!({ "text": stage(request) })))
}

async fn cuts(world: &World, run: &domain::RunId) -> Vec<(String, u32, Cut)> {
    let records = world.log(run).await.into_iter();
    records
        .filter_map(|record| match record.event {
            Event::StagePlanned { stage, wave, cut, .. } => Some((stage.0, wave, cut)),
            _ => None,
        })
        .filter(|(.., cut)| !cut.is_empty())
        .collect()
}

#[tokio::test]
async fn a_context_that_was_shortened_is_said_in_the_log_at_the_stage_and_in_the_document() {
    let narrow =
        json!({ "orchestrator": { "contextWindow": 1_000, "maxOutputTokens": 300, "minOutputBudget": 200 } });
    let hints = "every hint is worth reading to its end ".repeat(200);
    let write = model(
        "write",
        json!({ "context": [shows("REQUEST", "request"), shows("HINTS", &format!("'{hints}'"))] }),
    );
    let mut world = World::new(says_its_name(), Tools::none()).await;
    let (run, told) = world.run(agent(json!([write, render("write")]), narrow), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);

    let sent = section(&world.requests()[0], "HINTS").unwrap();
    assert!(sent.contains("[cut: "), "the model is told as well: {sent}");
    let logged = cuts(&world, &run).await;
    let [(name, 0, cut)] = logged.as_slice() else { panic!("one wave was cut: {logged:?}") };
    assert_eq!(name, "write");
    let words = &cut.contexts[0].left_out;
    assert!(words.len() == 1 && words[0].starts_with("HINTS cut to "), "{words:?}");
    let warning = format!("the context did not fit into the model's window and was shortened: {}", words[0]);
    assert_eq!(world.state(&run).await.stages[0].warnings.join("|"), warning);
    let markdown = world.markdown(&run).await;
    assert!(markdown.contains(&format!("WRITE: {warning}")), "{markdown}");
}

#[tokio::test]
async fn items_beyond_the_limit_are_counted_and_said() {
    let limits = json!({ "limits": { "maxCalls": 2 } });
    let steps = json!([{ "tool": "kb/find", "forEach": "['a', 'b', 'c', 'd', 'e']", "collect": "found" }]);
    let output = json!({ "output": { "planned": "{{ telemetry.found.planned }}", "attempted": "{{ telemetry.found.attempted }}" } });
    let each = merged(json!({ "forEach": "[1, 2, 3]", "context": [shows("ITEM", "item")] }), limits.clone());
    let stages = json!([
        tools("find", steps, merged(limits, output)),
        model("each", each),
        model("write", json!({})),
        render("write"),
    ]);
    let found = Tools::new(|_| Act::Give(json!(["x"])));
    let mut world = World::new(says_its_name(), found.clone()).await;
    let (run, told) = world.run(agent(stages, json!({})), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);

    let of = |items| Cut { items, ..Cut::default() };
    let logged = cuts(&world, &run).await;
    assert_eq!(logged, [("find".to_owned(), 0, of(3)), ("each".to_owned(), 0, of(1))]);
    assert_eq!(found.count("find"), 2);
    assert_eq!(world.output(&run, "find").await, json!({ "planned": 5, "attempted": 2 }));
    let state = world.state(&run).await;
    assert_eq!(
        state.stages[0].warnings,
        ["find: 3 items were left out: the stage makes at most 2 calls (limits.maxCalls)"]
    );
    assert_eq!(
        state.stages[1].warnings,
        ["1 item was left out: the stage makes at most 2 calls (limits.maxCalls)"]
    );
    let markdown = world.markdown(&run).await;
    assert!(markdown.contains("FIND: find: 3 items were left out"), "{markdown}");
    assert!(markdown.contains("EACH: 1 item was left out"), "{markdown}");
}

#[tokio::test]
async fn optional_calls_that_failed_are_said_with_their_number() {
    let steps =
        json!([{ "tool": "kb/web", "forEach": "['a', 'b', 'c']", "collect": "web", "optional": true }]);
    let stages = json!([tools("find", steps, json!({})), model("write", json!({})), render("write")]);
    let sometimes = Tools::new(|asked| match asked.args.get("q") {
        Some(_) => Act::Give(json!([])),
        None => Act::fail("the web is down"),
    });
    let mut world = World::new(says_its_name(), sometimes).await;
    let (run, told) = world.run(agent(stages, json!({})), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(world.state(&run).await.stages[0].warnings, ["web: the web is down (3 of 3 calls)"]);
    let markdown = world.markdown(&run).await;
    assert!(markdown.contains("FIND: web: the web is down (3 of 3 calls)"), "{markdown}");
}

#[tokio::test]
async fn a_judge_that_failed_is_named_with_its_reason() {
    let check = json!({
        "id": "check", "name": "check", "title": "CHECK", "kind": "verify", "prompt": "check.md",
        "steps": [{ "tool": "kb/check", "collect": "checked" }],
        "context": [shows("REQUEST", "request")],
        "outputSchema": { "type": "object" },
        "pass": { "when": "true" },
    });
    let stages = json!([model("write", json!({})), check, render("write")]);
    let provider = ScriptedProvider::answering(|request| match stage(request).as_str() {
        "check" => Answer::fail(Fault::BadRequest, "no such model"),
        name => Answer::json(&json!({ "text": name })),
    });
    let mut world = World::new(provider, Tools::new(|_| Act::Give(Value::Null))).await;
    let (run, told) = world.run(agent(stages, json!({})), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let warnings = &world.state(&run).await.stages[1].warnings;
    assert!(
        warnings.len() == 1
            && warnings[0].starts_with("1 call to the model failed, and the stage went on without: ")
            && warnings[0].contains("no such model"),
        "{warnings:?}"
    );
}

/// What an attempt did without is no word about the next one.
#[tokio::test]
async fn what_an_earlier_attempt_did_without_is_forgotten() {
    let limits = json!({ "limits": { "maxCalls": 2 }, "forEach": "['a', 'b', 'c'] if not feedback else ['a']",
        "context": [shows("ITEM", "item")], "pause": { "choices": [{ "id": "amend", "label": "Again", "action": "amend" }] } });
    let stages = json!([model("each", limits), model("write", json!({})), render("write")]);
    let mut world = World::new(says_its_name(), Tools::none()).await;
    let (run, told) = world.run(agent(stages, json!({ "/pauseAfterStages": ["each"] })), ask("q")).await;
    assert_eq!(told.exit, Exit::Paused, "{:?}", told.problem);
    assert_eq!(world.state(&run).await.stages[0].warnings.len(), 1);
    let again = engine::Reply {
        choice: Some("amend".to_owned()),
        text: Some("one will do".to_owned()),
        ..Default::default()
    };
    assert_eq!(world.go(&run, again).await.exit, Exit::Paused);
    let state = world.state(&run).await;
    assert!(state.stages[0].warnings.is_empty() && state.stages[0].cuts.is_empty(), "{:?}", state.stages[0]);
}
