//! Model calls: invalid answers, refusals, cuts, limits, budgets, contexts.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use domain::{ErrorCode, NanoUsd};
use engine::{Exit, FormKind, PausePolicy, StartRun, UiKind};
use llm::{Answer, Fault, ModelInfo, Price, Role, ScriptedProvider};
use pipeline::{Event, SkippedBy, Status};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::agents::{agent, model, render, shows, tools};
use crate::tools::{Act, Tools};
use crate::world::{World, ask, say, section};

/// Answers in order within each stage; then `{"text": "<stage>"}`.
pub fn brain(mut scripts: Vec<(&'static str, Answer)>) -> ScriptedProvider {
    ScriptedProvider::answering(move |request| {
        let stage = stage(request);
        let at = scripts.iter().position(|(name, _)| *name == stage);
        at.map_or_else(|| Answer::json(&json!({ "text": stage })), |at| scripts.remove(at).1)
    })
}

pub fn stage(request: &llm::ModelRequest) -> String {
    request.system.trim_start_matches("You are stage ").trim_end_matches('.').to_owned()
}

fn two() -> Value {
    json!([model("first", json!({})), model("second", json!({})), render("second")])
}

fn count(world: &World, name: &str) -> usize {
    world.requests().iter().filter(|request| stage(request) == name).count()
}

#[tokio::test]
async fn an_invalid_answer_is_asked_for_once_more_with_what_was_wrong_then_fails_and_is_retried_from_there() {
    let bad = |text: &str| ("second", Answer::text(text));
    let provider = brain(vec![bad("{\"text\": 7}"), bad("{no json at all")]);
    let mut world = World::new(provider, Tools::none()).await;
    let (run, told) = world.run(agent(two(), json!({})), ask("q")).await;
    assert_eq!(told.exit, Exit::Failed);
    assert_eq!(told.problem.as_ref().unwrap().code, ErrorCode::InvalidAnswer);
    let second = world.requests().into_iter().filter(|request| stage(request) == "second").nth(1).unwrap();
    assert_eq!(second.messages.len(), 3);
    assert_eq!(
        (second.messages[1].role, second.messages[1].content.as_str()),
        (Role::Assistant, "{\"text\": 7}")
    );
    assert!(second.messages[2].content.contains("/text"), "{}", second.messages[2].content);
    let log = world.log(&run).await;
    let mut raw = Vec::new();
    for record in &log {
        if let Event::ModelCallCompleted { answer: pipeline::Answer::Invalid { text, .. }, .. } =
            &record.event
        {
            raw.push(world.blob(*text).await);
        }
    }
    assert_eq!(raw, [json!("{\"text\": 7}"), json!("{no json at all")]);
    assert!(log.iter().any(|record| record.event.name() == "stage_failed"));
    let mut world = world.reopened().await;
    let told = world.resume(&run, PausePolicy::default()).await;
    assert_eq!(told.exit, Exit::Completed);
    assert_eq!((count(&world, "first"), count(&world, "second")), (1, 3), "only the failing stage again");
}

#[tokio::test]
async fn prose_is_the_one_text_that_a_schema_asks_for() {
    let prose = "The auditor sends the requests.\n\nReplies come back.";
    let mut world = World::new(brain(vec![("second", Answer::text(prose))]), Tools::none()).await;
    let (run, told) = world.run(agent(two(), json!({})), ask("q")).await;
    assert_eq!((told.exit, count(&world, "second")), (Exit::Completed, 1), "{:?}", told.problem);
    assert_eq!(world.output(&run, "second").await, json!({ "text": prose }));
}

#[tokio::test]
async fn a_refusal_is_not_taken_for_an_answer() {
    let provider = brain(vec![
        ("first", Answer::refuse("{\"text\": \"I'd rather not\"}")),
        ("first", Answer::refuse("no")),
    ]);
    let mut world = World::new(provider, Tools::none()).await;
    let (run, told) = world.run(agent(two(), json!({})), ask("q")).await;
    assert_eq!(told.exit, Exit::Failed);
    assert!(told.problem.unwrap().message.contains("declined"));
    assert_eq!(world.output(&run, "first").await, Value::Null);
}

#[tokio::test]
async fn a_cut_stream_is_tried_again_and_its_half_is_never_used() {
    let half = Answer::text("{\"text\": \"half an answer\"} and more").chunks(4).cut_after(3);
    let mut world = World::new(brain(vec![("first", half)]), Tools::none()).await;
    let (run, told) = world.run(agent(two(), json!({})), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed);
    assert_eq!(world.output(&run, "first").await, json!({ "text": "first" }));
    assert_eq!(count(&world, "first"), 2);
}

#[tokio::test]
async fn a_rate_limit_waits_as_long_as_it_names_and_says_so() {
    let limited = Answer::fail(Fault::RateLimit { retry_after_ms: Some(120) }, "slow down");
    let mut world = World::new(brain(vec![("first", limited)]), Tools::none()).await;
    let began = Instant::now();
    let (run, told) = world.run(agent(two(), json!({})), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed);
    assert!(began.elapsed() >= Duration::from_millis(120));
    let waiting = told.kinds.iter().find_map(|kind| match kind {
        UiKind::Waiting { ms, problem, .. } => Some((*ms, problem.message.clone())),
        _ => None,
    });
    assert_eq!(waiting, Some((120, "scripted: slow down".to_owned())));
    let names = world.names(&run).await;
    assert!(names.contains(&"timer_set") && names.contains(&"timer_fired"));
}

#[tokio::test]
async fn a_wait_of_hours_that_the_provider_names_ends_the_run_until_it_is_retried() {
    let limited = Answer::fail(Fault::Overloaded { retry_after_ms: Some(86_400_000) }, "busy");
    let mut world = World::new(brain(vec![("first", limited)]), Tools::none()).await;
    let (run, told) = world.run(agent(two(), json!({})), ask("q")).await;
    assert_eq!((told.exit, count(&world, "first")), (Exit::Failed, 1));
    let problem = told.problem.unwrap();
    assert!(problem.retryable && problem.message.contains("wait until "), "{problem}");
    assert!(problem.message.contains("(in 24 h)"), "{problem}");
    assert!(!world.names(&run).await.contains(&"timer_set"));
    let mut world = world.reopened().await;
    assert_eq!(world.resume(&run, PausePolicy::default()).await.exit, Exit::Completed);
}

#[tokio::test]
async fn a_wrong_key_is_not_tried_again() {
    let mut world =
        World::new(brain(vec![("first", Answer::fail(Fault::Auth, "bad key"))]), Tools::none()).await;
    let (_, told) = world.run(agent(two(), json!({})), ask("q")).await;
    assert_eq!((told.exit, count(&world, "first")), (Exit::Failed, 1));
    let problem = told.problem.unwrap();
    assert_eq!(problem.action.as_deref(), Some("Check the connection's key or sign in again."));
}

#[tokio::test]
async fn attempts_are_bounded() {
    let busy = || ("first", Answer::fail(Fault::Overloaded { retry_after_ms: Some(5) }, "busy"));
    let provider = brain((0..9).map(|_| busy()).collect());
    let mut world = World::new(provider, Tools::none()).await;
    let (_, told) = world.run(agent(two(), json!({})), ask("q")).await;
    assert_eq!((told.exit, count(&world, "first")), (Exit::Failed, 3));
    assert!(told.problem.unwrap().retryable);
}

#[tokio::test]
async fn an_answer_cut_at_the_output_limit_is_marked_and_the_model_is_told() {
    let cut = Answer::text("{\"text\": \"unfin").truncated();
    let mut world = World::new(brain(vec![("first", cut)]), Tools::none()).await;
    let (run, told) = world.run(agent(two(), json!({})), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed);
    let truncated: Vec<bool> = world
        .log(&run)
        .await
        .iter()
        .filter_map(|record| match &record.event {
            Event::ModelCallCompleted { truncated, .. } => Some(*truncated),
            _ => None,
        })
        .collect();
    assert_eq!(truncated, [true, false, false]);
    let again = &world.requests()[1];
    assert!(again.messages.last().unwrap().content.contains("cut at the output limit"));
}

#[tokio::test]
async fn a_model_is_given_no_tools_and_the_schema_of_its_stage() {
    let mut world = World::new(brain(vec![]), Tools::none()).await;
    world.run(agent(two(), json!({})), ask("q")).await;
    for request in world.requests() {
        let sent = serde_json::to_value(&request).unwrap();
        assert!(sent.get("tools").is_none());
        assert_eq!(request.schema.unwrap()["required"], json!(["text"]));
        assert!(request.max_output_tokens <= 1_000);
    }
}

fn priced(provider: ScriptedProvider) -> ScriptedProvider {
    let mut info = ModelInfo::free("scripted", "scripted", 200_000, 64_000);
    info.price = Price { input: 1.0, output: 10.0, ..Price::default() };
    provider.with_model(info)
}

#[tokio::test]
async fn a_budget_is_checked_before_each_call_and_the_run_goes_on_when_it_is_raised() {
    // Two calls may take up to 1,000 output tokens each: about 0.0102 dollars; the first really takes far less.
    let usage = domain::Usage { input: 100, output: 900, ..Default::default() };
    let answers = ["first", "second"].map(|name| (name, Answer::json(&json!({ "text": name })).usage(usage)));
    let by_money = StartRun { budget_usd: Some(0.015), ..ask("q") };
    let by_tokens = StartRun { budget_tokens: Some(1_700), ..ask("q") };
    for (start, raise) in [(by_money, "$1"), (by_tokens, "100,000 tokens")] {
        let mut world = World::new(priced(brain(answers.to_vec())), Tools::none()).await;
        let (run, told) = world.run(agent(two(), json!({})), start).await;
        assert_eq!((told.exit, told.form().kind), (Exit::Paused, FormKind::Budget));
        assert_eq!((count(&world, "first"), count(&world, "second")), (1, 0), "checked before the call");
        assert!(world.names(&run).await.contains(&"budget_exceeded"));
        let lower = world.answer(&run, say(if raise == "$1" { "$0.001" } else { "10 tokens" })).await;
        assert!(lower.is_err(), "a budget can only be raised");
        world.done(&run).await;
        let mut world = world.reopened().await;
        let told = world.go(&run, say(raise)).await;
        assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
        assert_eq!((count(&world, "first"), count(&world, "second")), (1, 1));
        assert!(world.state(&run).await.cost > NanoUsd(0));
    }
}

#[tokio::test]
async fn skippable_stages_give_way_so_that_the_answer_stays_affordable() {
    let stages = json!([
        model("nice", json!({ "skippable": true })),
        model("answer", json!({ "essential": true })),
        render("answer"),
    ]);
    // Enough for the answer (500 tokens of context set aside and 1,000 of output) and nothing before it.
    let mut world = World::new(brain(vec![]), Tools::none()).await;
    let (run, told) =
        world.run(agent(stages, json!({})), StartRun { budget_tokens: Some(2_000), ..ask("q") }).await;
    assert_eq!(told.exit, Exit::Completed);
    assert_eq!((count(&world, "nice"), count(&world, "answer")), (0, 1));
    let skipped = world.log(&run).await.into_iter().any(
        |record| matches!(record.event, Event::StageSkipped { by: SkippedBy::Budget, ref stage, .. } if stage.as_str() == "nice"),
    );
    assert!(skipped);
    assert!(world.markdown(&run).await.contains("kept for the answer"));
    assert!(world.state(&run).await.usage.total() <= 2_000);
}

#[tokio::test]
async fn a_context_is_cut_by_relevance_and_what_still_does_not_fit_is_an_error_with_a_remedy() {
    let paragraphs: Vec<Value> = (0..40)
        .map(|at| json!({ "id": format!("p{at}"), "ref": format!("(P {at})"), "text": "word ".repeat(200), "score": f64::from(at) }))
        .collect();
    let found = json!({ "hits": paragraphs });
    let gather =
        tools("gather", json!([{ "tool": "kb/search", "pick": "hits", "collect": "paragraphs" }]), json!({}));
    let shown = json!({ "context": [shows("REQUEST", "request"),
        { "section": "FOUND", "value": "outputs.gather.paragraphs", "form": "paragraphs" }] });
    let stages = json!([gather, model("answer", shown), render("answer")]);
    let small =
        json!({ "orchestrator": { "contextWindow": 4_000, "maxOutputTokens": 500, "minOutputBudget": 200 } });
    let found_too = found.clone();
    let mut world = World::new(brain(vec![]), Tools::new(move |_| Act::Give(found_too.clone()))).await;
    let (_, told) = world.run(agent(stages.clone(), small.clone()), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let request = &world.requests()[0];
    assert!(request.estimated_input() + request.max_output_tokens <= 4_000);
    let sections = context::parse_sections(&request.messages[0].content);
    let kept: Vec<&str> = sections[1].paragraphs.iter().map(|paragraph| paragraph.id.as_str()).collect();
    assert!(!kept.is_empty() && kept.len() < 40);
    assert_eq!(kept[0], "p39", "the best stay: {kept:?}");

    let mut world = World::new(brain(vec![]), Tools::new(move |_| Act::Give(found.clone()))).await;
    let (_, told) = world.run(agent(stages, small), ask(&"long question ".repeat(3_000))).await;
    let problem = told.problem.unwrap();
    assert_eq!((told.exit, problem.code), (Exit::Failed, ErrorCode::ContextTooLong));
    assert!(problem.action.unwrap().contains("larger context window"));
    assert_eq!(world.requests().len(), 0, "nothing was paid");
}

#[tokio::test]
async fn cancelling_stops_a_model_call_that_hangs_and_closes_its_stream() {
    let mut world = World::new(brain(vec![("second", Answer::hang())]), Tools::none()).await;
    let run = world.start(agent(two(), json!({})), ask("q")).await;
    world
        .until(&run, |kind| matches!(kind, UiKind::Progress { stage, .. } if stage.as_str() == "second"))
        .await;
    world.engine.cancel(&run).await.unwrap();
    let told = world.done(&run).await;
    assert_eq!((told.exit, told.dones()), (Exit::Cancelled, 1));
    assert_eq!(world.provider.open_streams(), 0);
    assert_eq!(world.state(&run).await.status(), Status::Cancelled);
    assert!(world.engine.resume(&run, PausePolicy::default()).await.is_err());
}

#[tokio::test]
async fn stopping_the_program_during_a_call_keeps_the_run_and_it_goes_on_later() {
    let mut world = World::new(brain(vec![("second", Answer::hang())]), Tools::none()).await;
    let run = world.start(agent(two(), json!({})), ask("q")).await;
    world
        .until(&run, |kind| matches!(kind, UiKind::Progress { stage, .. } if stage.as_str() == "second"))
        .await;
    world.engine.suspend(&run).await.unwrap();
    assert_eq!(world.done(&run).await.exit, Exit::Paused);
    assert_eq!((world.provider.open_streams(), world.state(&run).await.status()), (0, Status::Suspended));
    let mut world = world.reopened().await;
    assert_eq!(world.resume(&run, PausePolicy::default()).await.exit, Exit::Completed);
    assert_eq!((count(&world, "first"), count(&world, "second")), (1, 2));
}

#[tokio::test]
async fn guidance_given_while_a_call_runs_reaches_the_stages_after_it() {
    let slow = Answer::json(&json!({ "text": "slow" })).delay(Duration::from_millis(150));
    let mut world = World::new(brain(vec![("first", slow)]), Tools::none()).await;
    let run = world.start(agent(two(), json!({})), ask("q")).await;
    world
        .until(&run, |kind| matches!(kind, UiKind::Progress { stage, .. } if stage.as_str() == "first"))
        .await;
    world.engine.guide(&run, "mind the small entities".into()).await.unwrap();
    assert_eq!(world.done(&run).await.exit, Exit::Completed);
    let shown: VecDeque<Option<String>> =
        world.requests().iter().map(|request| section(request, "GUIDANCE")).collect();
    assert_eq!(shown[0], None);
    assert!(shown[1].as_deref().unwrap().contains("mind the small entities"));
}

#[tokio::test]
async fn a_repair_that_the_budget_does_not_allow_leaves_the_first_attempt_with_a_warning() {
    let check = json!({ "id": "check", "name": "check", "title": "Check", "kind": "verify",
        "steps": [{ "tool": "kb/check", "collect": "checked" }],
        "pass": { "when": "scores.whole >= 0.9", "scores": { "whole": "collected.checked.score" } } });
    let stages = json!([model("answer", json!({ "essential": true })), check, render("answer")]);
    let usage = domain::Usage { input: 100, output: 900, ..Default::default() };
    let provider =
        brain(vec![("answer", Answer::json(&json!({ "text": "the first attempt" })).usage(usage))]);
    let mut world = World::new(provider, Tools::new(|_| Act::Give(json!({ "score": 0.5 })))).await;
    let unit = json!({ "/repairUnits": [{ "stages": ["answer", "check"], "maxIterations": 2 }] });
    let (run, told) =
        world.run(agent(stages, unit), StartRun { budget_tokens: Some(1_900), ..ask("q") }).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(count(&world, "answer"), 1);
    let markdown = world.markdown(&run).await;
    assert!(
        markdown.contains("the first attempt") && markdown.contains("no room for another repair"),
        "{markdown}"
    );
}

#[tokio::test]
async fn a_model_call_that_hangs_ends_at_its_deadline_and_its_possible_cost_is_kept_in_mind() {
    let hang = || ("first", Answer::text("{\"text\": \"many words\"}").chunks(2).hang_after(1));
    let limits = json!({ "limits": { "deadlineSeconds": 1, "attempts": 1 } });
    let mut world = World::new(brain(vec![hang()]), Tools::none()).await;
    let (run, told) =
        world.run(agent(json!([model("first", limits), render("first")]), json!({})), ask("q")).await;
    let problem = told.problem.unwrap();
    assert_eq!((told.exit, problem.code, problem.retryable), (Exit::Failed, ErrorCode::Deadline, true));
    assert_eq!(world.provider.open_streams(), 0);
    let state = world.state(&run).await;
    assert!(state.usage.input > 0 && state.usage.output > 0 && state.doubtful.tokens > 0);
}

#[tokio::test]
async fn what_a_cancelled_call_had_streamed_is_counted() {
    let hang = Answer::text("word ".repeat(300)).chunks(3).hang_after(2);
    let mut world = World::new(brain(vec![("first", hang)]), Tools::none()).await;
    let run = world.start(agent(two(), json!({})), ask("q")).await;
    while world.requests().is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    world.engine.cancel(&run).await.unwrap();
    assert_eq!(world.done(&run).await.exit, Exit::Cancelled);
    let usage = world.state(&run).await.usage;
    assert!(usage.input > 0 && usage.output >= 100, "{usage:?}");
}
