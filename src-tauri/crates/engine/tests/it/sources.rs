//! Tools: required and optional sources, deadlines, huge results.

use std::time::{Duration, Instant};

use domain::ErrorCode;
use engine::{Exit, FormKind, PausePolicy, UiKind};
use pipeline::Status;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::agents::{agent, model, render, shows, tools};
use crate::models::brain;
use crate::tools::{Act, Tools};
use crate::world::{World, ask};

fn searching(step: Value, limits: Value) -> Value {
    let mut whole = json!({ "tool": "kb/search", "collect": "found" });
    whole.as_object_mut().unwrap().extend(step.as_object().unwrap().clone());
    let shown = json!({ "context": [shows("REQUEST", "request"), shows("FOUND", "outputs.gather.found")] });
    json!([
        tools("gather", json!([whole]), json!({ "limits": limits })),
        model("answer", shown),
        render("answer")
    ])
}

#[tokio::test]
async fn a_required_source_that_fails_ends_the_run_before_anything_is_paid_and_it_can_be_retried() {
    let sources = json!({ "sources": [{ "slug": "kb", "required": true }] });
    let stages = json!([model("answer", json!({})), render("answer")]);
    let mut world = World::new(brain(vec![]), Tools::none()).await;
    world.tools.break_source("kb", "kb: the command was not found; last words: none");
    let (run, told) = world.run(agent(stages, sources), ask("q")).await;
    assert_eq!(told.exit, Exit::Failed);
    let problem = told.problem.unwrap();
    assert_eq!(problem.code, ErrorCode::Source, "{problem}");
    assert!(problem.message.contains("the command was not found"));
    assert_eq!(world.requests().len(), 0);
    assert_eq!(world.state(&run).await.status(), Status::Failed);
    let told = world.resume(&run, PausePolicy::default()).await;
    assert_eq!((told.exit, world.requests().len()), (Exit::Failed, 0), "still broken, still nothing paid");
    world.tools.mend_source("kb");
    let mut world = world.reopened().await;
    assert_eq!(world.resume(&run, PausePolicy::default()).await.exit, Exit::Completed);
}

#[tokio::test]
async fn an_optional_source_that_fails_is_named_and_the_run_goes_on() {
    let sources = json!({ "sources": [{ "slug": "kb", "required": false }] });
    let stages = json!([model("answer", json!({})), render("answer")]);
    let mut world = World::new(brain(vec![]), Tools::none()).await;
    world.tools.break_source("kb", "it does not start");
    let (run, told) = world.run(agent(stages, sources), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed);
    assert!(world.markdown(&run).await.contains("source kb is not available: it does not start"));
    let named = told
        .kinds
        .iter()
        .any(|kind| matches!(kind, UiKind::Progress { text, .. } if text.contains("it does not start")));
    assert!(named);
}

#[tokio::test]
async fn an_optional_tool_that_fails_is_a_warning_in_the_document_and_another_ends_the_run() {
    let broken = || Tools::new(|_| Act::fail("kb: the index is gone"));
    let mut world = World::new(brain(vec![]), broken()).await;
    let (run, told) =
        world.run(agent(searching(json!({ "optional": true }), json!({})), json!({})), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed);
    assert!(world.markdown(&run).await.contains("the index is gone"));
    let mut world = World::new(brain(vec![]), broken()).await;
    let (_, told) = world.run(agent(searching(json!({}), json!({})), json!({})), ask("q")).await;
    assert_eq!(told.exit, Exit::Failed);
    assert!(told.problem.unwrap().message.contains("the index is gone"));
    assert_eq!(world.requests().len(), 0);
}

#[tokio::test]
async fn a_call_that_broke_off_is_made_again_where_it_only_reads_and_else_when_the_person_says_so() {
    let breaking = || {
        let mut first = true;
        Tools::new(move |_| if std::mem::take(&mut first) { Act::BreakOff } else { Act::Give(json!(["x"])) })
    };
    let mut world = World::new(brain(vec![]), breaking()).await;
    let (_, told) = world.run(agent(searching(json!({}), json!({})), json!({})), ask("q")).await;
    assert_eq!((told.exit, world.tools.count("search")), (Exit::Completed, 2));

    let changes = || agent(searching(json!({ "idempotent": false }), json!({})), json!({}));
    let mut world = World::new(brain(vec![]), breaking()).await;
    let (run, told) = world.run(changes(), ask("q")).await;
    assert_eq!((told.exit, told.form().kind), (Exit::Paused, FormKind::Ambiguous));
    assert!(told.form().markdown.contains("may have been carried out"), "{}", told.form().markdown);
    let told = world.resume(&run, crate::world::unattended()).await;
    assert_eq!(
        (told.exit, world.tools.count("search")),
        (Exit::Paused, 1),
        "nor for those who are not there"
    );
    assert_eq!(world.go(&run, crate::world::choose("retry")).await.exit, Exit::Completed);
    assert_eq!(world.tools.count("search"), 2);

    let optional = agent(searching(json!({ "idempotent": false, "optional": true }), json!({})), json!({}));
    let mut world = World::new(brain(vec![]), breaking()).await;
    let (run, told) = world.run(optional, ask("q")).await;
    assert_eq!((told.exit, world.tools.count("search")), (Exit::Completed, 1));
    assert!(world.markdown(&run).await.contains("the connection broke off"));
}

#[tokio::test]
async fn what_tools_gave_must_fit_the_schema_of_their_stage() {
    let schema = json!({ "outputSchema": { "type": "object", "required": ["found"],
        "properties": { "found": { "type": "array", "items": { "type": "string" } } } } });
    for (given, exit) in [(json!(["a"]), Exit::Completed), (json!([1]), Exit::Failed)] {
        let steps = json!([{ "tool": "kb/search", "collect": "found" }]);
        let stages =
            json!([tools("gather", steps, schema.clone()), model("answer", json!({})), render("answer")]);
        let mut world = World::new(brain(vec![]), Tools::new(move |_| Act::Give(given.clone()))).await;
        let (_, told) = world.run(agent(stages, json!({})), ask("q")).await;
        assert_eq!(told.exit, exit, "{:?}", told.problem);
        let Some(problem) = told.problem else { continue };
        assert_eq!(problem.code, ErrorCode::InvalidAnswer);
        assert!(problem.message.contains("/found/0"), "{problem}");
    }
}

#[tokio::test]
async fn a_tool_that_hangs_ends_at_its_deadline() {
    let mut world = World::new(brain(vec![]), Tools::new(|_| Act::Hang)).await;
    let limits = json!({ "deadlineSeconds": 1, "attempts": 1 });
    let began = Instant::now();
    let (_, told) = world.run(agent(searching(json!({}), limits), json!({})), ask("q")).await;
    let problem = told.problem.unwrap();
    assert_eq!((told.exit, problem.code), (Exit::Failed, ErrorCode::Deadline));
    assert!(problem.message.contains("kb/search"), "{problem}");
    assert!(began.elapsed() < Duration::from_secs(6));
    assert_eq!(world.tools.under_way(), 0);
}

#[tokio::test]
async fn cancelling_and_stopping_reach_a_tool_that_hangs() {
    let mut hang = true;
    let handler = move |_: &crate::tools::Asked| {
        if std::mem::take(&mut hang) { Act::Hang } else { Act::Give(json!(["x"])) }
    };
    let mut world = World::new(brain(vec![]), Tools::new(handler)).await;
    let run = world.start(agent(searching(json!({}), json!({ "attempts": 1 })), json!({})), ask("q")).await;
    world.until(&run, |kind| matches!(kind, UiKind::Progress { .. })).await;
    world.engine.suspend(&run).await.unwrap();
    assert_eq!(world.done(&run).await.exit, Exit::Paused);
    assert_eq!((world.tools.under_way(), world.state(&run).await.status()), (0, Status::Suspended));
    assert_eq!(world.resume(&run, PausePolicy::default()).await.exit, Exit::Completed, "stopped, not failed");

    let mut world = World::new(brain(vec![]), Tools::new(|_| Act::Hang)).await;
    let run = world.start(agent(searching(json!({}), json!({})), json!({})), ask("q")).await;
    world.until(&run, |kind| matches!(kind, UiKind::Progress { .. })).await;
    world.engine.cancel(&run).await.unwrap();
    assert_eq!(world.done(&run).await.exit, Exit::Cancelled);
    assert_eq!((world.tools.under_way(), world.tools.closed()), (0, 1));
}

#[tokio::test]
async fn a_result_of_several_megabytes_is_kept_whole_and_cut_for_the_model() {
    let paragraph = |at: u32| json!({ "id": format!("p{at}"), "text": "lorem ipsum ".repeat(4_000), "score": f64::from(at) });
    let huge = json!({ "hits": (0..100).map(paragraph).collect::<Vec<_>>() });
    let shown = json!({ "context": [shows("REQUEST", "request"),
        { "section": "FOUND", "value": "outputs.gather.found", "form": "paragraphs" }] });
    let gather =
        tools("gather", json!([{ "tool": "kb/search", "pick": "hits", "collect": "found" }]), json!({}));
    let stages = json!([gather, model("answer", shown), render("answer")]);
    let mut world = World::new(brain(vec![]), Tools::new(move |_| Act::Give(huge.clone()))).await;
    let (run, told) = world.run(agent(stages, json!({})), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(world.output(&run, "gather").await["found"].as_array().unwrap().len(), 100);
    assert!(world.requests()[0].estimated_input() <= 200_000);
}
