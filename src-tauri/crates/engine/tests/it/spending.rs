//! What calls use and cost: rows, flat rates, models without a price, budgets, what was received.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use domain::{ErrorCode, NanoUsd, RunId};
use engine::{Engine, Exit, FormKind, Parts, PausePolicy, StartRun, UiKind};
use llm::{
    Answer, AnswerStream, Fault, ModelInfo, ModelRequest, Price, Provider, ProviderError, ScriptedProvider,
    StopReason,
};
use pipeline::{Event, Receipt};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use store::{ModelCall, ModelCallFilter};

use crate::agents::{agent, model, render};
use crate::models::{brain, stage};
use crate::tools::{Act, Hosts, Tools};
use crate::world::{World, ask, say};

fn two() -> Value {
    json!([model("first", json!({})), model("second", json!({})), render("second")])
}

fn info(change: impl FnOnce(&mut ModelInfo)) -> ModelInfo {
    let mut info = ModelInfo::free("scripted", "scripted", 200_000, 64_000);
    info.price = Price { input: 1.0, output: 10.0, ..Price::default() };
    change(&mut info);
    info
}

/// The rows of all calls, oldest first.
async fn rows(world: &World) -> Vec<ModelCall> {
    let page = world.store.list_model_calls(&ModelCallFilter::default(), None, 100).await.unwrap();
    page.calls.into_iter().rev().collect()
}

async fn receipts(world: &World, run: &RunId) -> Vec<Receipt> {
    let log = world.log(run).await;
    let ended = log.into_iter().filter_map(|record| match record.event {
        Event::ModelCallCompleted { receipt, .. } | Event::ModelCallFailed { receipt, .. } => Some(receipt),
        _ => None,
    });
    ended.collect()
}

fn over(world: &World, provider: Option<Arc<dyn Provider>>) -> Engine {
    let named = provider.map(|provider| ("scripted".to_owned(), provider));
    Engine::new(Parts {
        store: world.store.clone(),
        home: world.home().to_owned(),
        templates: Arc::default(),
        providers: Arc::new(named.into_iter().collect::<BTreeMap<_, _>>()),
        hosts: Arc::new(Hosts(world.tools.clone())),
        recheck: None,
        chat: None,
        version: "test".to_owned(),
    })
}

#[tokio::test]
async fn every_request_that_ended_is_a_row_that_agrees_with_the_runs_sums() {
    let busy = Answer::fail(Fault::Overloaded { retry_after_ms: Some(5) }, "busy");
    let provider =
        brain(vec![("first", busy), ("second", Answer::text("{no json"))]).with_model(info(|_| {}));
    let mut world = World::new(provider, Tools::none()).await;
    let (run, told) = world.run(agent(two(), json!({})), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed);
    let rows = rows(&world).await;
    let seen: Vec<_> =
        rows.iter().map(|row| (row.call.call.as_str(), row.call.r#try, row.call.failed)).collect();
    assert_eq!(
        seen,
        [
            ("first#1.0.0", 1, true),
            ("first#1.0.0", 2, false),
            ("second#1.0.0", 1, false),
            ("second#1.0.0", 2, false)
        ]
    );
    let state = world.state(&run).await;
    assert_eq!(rows.iter().map(|row| row.call.cost).sum::<NanoUsd>(), state.cost);
    assert_eq!(rows.iter().map(|row| row.call.usage.total()).sum::<u64>(), state.usage.total());
    let row = &rows[1];
    assert_eq!(
        (row.run.as_str(), row.agent.as_str(), row.call.stage.as_str()),
        (run.0.as_str(), "small", "first")
    );
    assert_eq!((row.call.connection.as_str(), row.call.provider.as_str()), ("scripted", "scripted"));
    assert_eq!(row.session, state.start.unwrap().session.0);
    assert!(row.call.cost > NanoUsd(0) && !row.call.equivalent && !row.call.unpriced);
}

#[tokio::test]
async fn a_flat_rate_counts_in_no_budget_of_money_but_in_that_of_tokens() {
    let flat = || brain(vec![]).with_model(info(|info| info.abilities.flat_rate = true));
    let mut world = World::new(flat(), Tools::none()).await;
    let (run, told) =
        world.run(agent(two(), json!({})), StartRun { budget_usd: Some(0.000_001), ..ask("q") }).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let state = world.state(&run).await;
    assert_eq!(state.cost, NanoUsd(0));
    assert!(state.equivalent > NanoUsd(0));
    assert_eq!(state.stages.iter().map(|stage| stage.equivalent).sum::<NanoUsd>(), state.equivalent);
    let rows = rows(&world).await;
    assert!(rows.iter().all(|row| row.call.equivalent));
    assert_eq!(rows.iter().map(|row| row.call.cost).sum::<NanoUsd>(), state.equivalent);
    let meter = told.kinds.iter().rev().find_map(|kind| match kind {
        UiKind::Meter { cost, equivalent, .. } => Some((*cost, *equivalent)),
        _ => None,
    });
    assert_eq!(meter, Some((NanoUsd(0), state.equivalent)));

    let mut world = World::new(flat(), Tools::none()).await;
    let (_, told) =
        world.run(agent(two(), json!({})), StartRun { budget_tokens: Some(500), ..ask("q") }).await;
    assert_eq!((told.exit, told.form().kind), (Exit::Paused, FormKind::Budget));
}

#[tokio::test]
async fn a_model_without_a_known_price_is_said_once_and_not_in_the_document() {
    let mut info = ModelInfo::free("scripted", "scripted", 200_000, 64_000);
    info.priced = false;
    let mut world = World::new(brain(vec![]).with_model(info), Tools::none()).await;
    let (run, told) = world.run(agent(two(), json!({})), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed);
    let state = world.state(&run).await;
    let warnings: Vec<usize> = state.stages.iter().map(|stage| stage.warnings.len()).collect();
    assert_eq!(warnings, [1, 0, 0]);
    assert!(
        state.stages[0].warnings[0]
            .starts_with("no price is known for scripted-1; the meter shows tokens only")
    );
    assert!(!world.markdown(&run).await.contains("no price"));
    assert!(rows(&world).await.iter().all(|row| row.call.unpriced));
}

#[tokio::test]
async fn a_budget_of_minutes_stops_the_run_until_it_is_raised() {
    let slow = Answer::json(&json!({ "text": "slow" })).delay(Duration::from_millis(60));
    let minutes = json!({ "orchestrator": {
        "contextWindow": 200_000, "maxOutputTokens": 1_000, "minOutputBudget": 200, "budgetMinutes": 0.001,
    } });
    let mut world = World::new(brain(vec![("first", slow)]), Tools::none()).await;
    let (run, told) = world.run(agent(two(), minutes), ask("q")).await;
    assert_eq!((told.exit, told.form().kind), (Exit::Paused, FormKind::Budget));
    assert_eq!(world.requests().len(), 1);
    let mut world = world.reopened().await;
    let told = world.go(&run, say("30 min")).await;
    assert_eq!((told.exit, world.requests().len()), (Exit::Completed, 2), "{:?}", told.problem);
}

#[tokio::test]
async fn what_was_received_is_kept_whether_it_could_be_used_or_not() {
    let thought = Answer::json(&json!({ "text": "yes" })).thinking("Let me see.");
    let provider = brain(vec![("first", thought), ("second", Answer::refuse("I would rather not."))]);
    let mut world = World::new(provider, Tools::none()).await;
    let (run, told) = world.run(agent(two(), json!({})), ask("q")).await;
    assert_eq!(told.exit, Exit::Failed);
    assert_eq!(world.requests().len(), 2, "a refusal is not asked for again");
    let problem = told.problem.unwrap();
    assert_eq!(problem.code, ErrorCode::InvalidAnswer);
    assert!(problem.message.contains("the model declined to answer"), "{problem}");
    let receipts = receipts(&world, &run).await;
    let first = world.blob(receipts[0].received.unwrap()).await;
    assert_eq!((&first["text"], &first["stop"]), (&json!("{\"text\":\"yes\"}"), &json!("end_turn")));
    let second = world.blob(receipts[1].received.unwrap()).await;
    assert_eq!((&second["text"], &second["stop"]), (&json!("I would rather not."), &json!("refusal")));
    let failed: Vec<bool> = rows(&world).await.iter().map(|row| row.call.failed).collect();
    assert_eq!(failed, [false, true]);
}

#[tokio::test]
async fn answers_that_no_correction_can_mend_fail_at_once_in_words() {
    for (stop, text, code, words) in [
        (StopReason::ToolUse, "{\"text\": \"x\"}", ErrorCode::InvalidAnswer, "called a tool"),
        (
            StopReason::ContextWindow,
            "{\"text\": \"cu",
            ErrorCode::ContextTooLong,
            "fill the model's context window",
        ),
    ] {
        let answer = Answer { stop, ..Answer::text(text) };
        let mut world = World::new(brain(vec![("first", answer)]), Tools::none()).await;
        let (_, told) = world.run(agent(two(), json!({})), ask("q")).await;
        let problem = told.problem.unwrap();
        assert_eq!((told.exit, problem.code, world.requests().len()), (Exit::Failed, code, 1));
        assert!(problem.message.contains(words) && problem.action.is_some(), "{problem}");
    }
    let whole = Answer { stop: StopReason::ContextWindow, ..Answer::json(&json!({ "text": "whole" })) };
    let mut world = World::new(brain(vec![("first", whole)]), Tools::none()).await;
    let (run, told) = world.run(agent(two(), json!({})), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed);
    assert!(world.state(&run).await.stages[0].warnings[0].contains("likely cut short"));
}

#[tokio::test]
async fn a_repair_sends_the_same_beginning_again_and_what_is_new_after_it() {
    let check = json!({ "id": "check", "name": "check", "title": "Check", "kind": "verify",
        "steps": [{ "tool": "kb/check", "collect": "checked" }],
        "pass": { "when": "scores.whole >= 0.9", "scores": { "whole": "collected.checked.score" },
            "unsupported": "['a claim']", "feedback": "mend.md" } });
    let stages = json!([model("answer", json!({})), check, render("answer")]);
    let unit = json!({ "/repairUnits": [{ "stages": ["answer", "check"], "maxIterations": 1 }] });
    let provider = brain(vec![]).with_model(info(|info| info.abilities.cache_min = 1));
    let mut world = World::new(provider, Tools::new(|_| Act::Give(json!({ "score": 0.5 })))).await;
    let (run, told) = world.run(agent(stages, unit), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let requests = world.requests();
    let [first, second] = requests.as_slice() else { panic!("{} requests", requests.len()) };
    assert_eq!((first.messages.len(), second.messages.len()), (1, 2));
    assert!(first.messages[0].cache && !second.messages[1].cache);
    assert_eq!(first.messages[0], second.messages[0]);
    assert!(second.messages[1].content.starts_with("<REPAIR_FEEDBACK>\nMend this: a claim"));
    assert_eq!(first.cache_key, Some(world.state(&run).await.start.unwrap().session.0));
    assert_eq!(first.prefix(0), second.prefix(0));
}

#[tokio::test]
async fn a_connection_that_is_gone_is_said_and_nothing_is_taken_for_paid() {
    let mut world = World::new(brain(vec![("second", Answer::hang())]), Tools::none()).await;
    let run = world.start(agent(two(), json!({})), ask("q")).await;
    world
        .until(&run, |kind| matches!(kind, UiKind::Progress { stage, .. } if stage.as_str() == "second"))
        .await;
    world.engine.suspend(&run).await.unwrap();
    world.done(&run).await;
    let before = rows(&world).await.len();

    let without = over(&world, None);
    without.resume(&run, PausePolicy::default()).await.unwrap();
    let (exit, problem) = without.wait(&run).await.unwrap();
    let problem = problem.unwrap();
    assert_eq!((exit, problem.code), (Exit::Failed, ErrorCode::NotFound));
    assert!(problem.message.contains("\"scripted\" is not there any more"), "{problem}");
    assert!(problem.action.unwrap().contains("add a connection named \"scripted\""));
    assert_eq!(rows(&world).await.len(), before, "nothing was sent");

    let mut world = world.reopened().await;
    assert_eq!(world.resume(&run, PausePolicy::default()).await.exit, Exit::Completed);
    assert_eq!(world.state(&run).await.maybe_paid_twice, 0);
}

type Counted<'a> = Pin<Box<dyn Future<Output = Result<Option<u64>, ProviderError>> + Send + 'a>>;

/// A model that can count.
struct Counting(ScriptedProvider, u64);

impl Provider for Counting {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn model(&self, name: &str) -> ModelInfo {
        self.0.model(name)
    }

    fn stream(&self, request: ModelRequest) -> AnswerStream {
        self.0.stream(request)
    }

    fn count(&self, _: &ModelRequest) -> Counted<'_> {
        Box::pin(std::future::ready(Ok(Some(self.1))))
    }
}

#[tokio::test]
async fn near_the_window_the_provider_is_asked_how_long_a_request_is() {
    let small = json!({ "orchestrator": { "contextWindow": 4_000, "maxOutputTokens": 1_000, "minOutputBudget": 200 } });
    let mut question = String::new();
    while context::with_margin(context::estimate(&question)) < 3_450 {
        question.push_str("word ");
    }
    for (counted, sent) in [(3_500, Some(500)), (3_950, None), (10, None)] {
        let world = World::new(brain(vec![]), Tools::none()).await;
        let engine = over(&world, Some(Arc::new(Counting(world.provider.clone(), counted))));
        let start = StartRun { connection: Some("scripted".to_owned()), ..ask(&question) };
        let stages = json!([model("first", json!({})), render("first")]);
        let run = engine.start(agent(stages, small.clone()), Vec::new(), None, start).await.unwrap();
        let (exit, problem) = engine.wait(&run).await.unwrap();
        let limits: Vec<u64> = world.requests().iter().map(|request| request.max_output_tokens).collect();
        match (counted, sent) {
            (10, _) => assert!(
                exit == Exit::Completed && limits[0] < 1_000,
                "an estimate from above stays: {limits:?}"
            ),
            (_, Some(most)) => assert_eq!((exit, limits[0].min(most)), (Exit::Completed, limits[0])),
            (_, None) => {
                assert_eq!((exit, limits.len()), (Exit::Failed, 0));
                assert_eq!(problem.unwrap().code, ErrorCode::ContextTooLong);
            }
        }
    }
}

#[tokio::test]
async fn an_agents_model_goes_with_the_agents_own_connection_only() {
    let orchestrator = json!({ "orchestrator": { "connection": "elsewhere", "model": "theirs-9" } });
    let stages = json!([model("first", json!({ "model": "theirs-mini" })), render("first")]);
    let world = World::new(brain(vec![]), Tools::none()).await;
    for (asked, models) in [("scripted", "scripted"), ("elsewhere", "theirs-mini")] {
        let provider: Arc<dyn Provider> = Arc::new(world.provider.clone());
        let engine = Engine::new(Parts {
            store: world.store.clone(),
            home: world.home().to_owned(),
            templates: Arc::default(),
            providers: Arc::new(BTreeMap::from([(asked.to_owned(), provider)])),
            hosts: Arc::new(Hosts(world.tools.clone())),
            recheck: None,
            chat: None,
            version: "test".to_owned(),
        });
        let start = StartRun { connection: Some(asked.to_owned()), ..ask("q") };
        let run =
            engine.start(agent(stages.clone(), orchestrator.clone()), Vec::new(), None, start).await.unwrap();
        engine.wait(&run).await.unwrap();
        let request = world.requests().pop().unwrap();
        assert_eq!((stage(&request), request.model.as_str()), ("first".to_owned(), models));
    }
}
