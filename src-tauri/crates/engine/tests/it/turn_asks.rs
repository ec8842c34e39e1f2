//! Questions that a turn's tools ask its model: paid from the turn's budget, not asked twice.

use std::sync::{Arc, Weak};
use std::time::Duration;

use async_trait::async_trait;
use domain::{Budget, CallEffect, Hints, Preview, Usage};
use engine::Engine;
use engine::turn::{Question, TurnStatus};
use llm::{Answer, ModelRequest, ScriptedProvider};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tools::{CallContext, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};

use crate::turn_world::{World, results};

/// A tool that asks the model what it is given.
struct Asks {
    info: ToolInfo,
    engine: Weak<Engine>,
}

impl Asks {
    fn install(world: &World) {
        let info = ToolInfo {
            name: "second".to_owned(),
            source: String::new(),
            tool: "second".to_owned(),
            title: "Second opinion".to_owned(),
            description: "Asks once more.".to_owned(),
            parameters: json!({"type": "object"}),
            hints: Hints { read_only: Some(true), ..Hints::default() },
            trusted: true,
            deadline: Duration::from_secs(30),
        };
        let tool = Arc::new(Self { info, engine: Arc::downgrade(&world.engine) });
        world.host.tools.lock().unwrap().push(tool);
    }
}

#[async_trait]
impl Tool for Asks {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, _: &Value, _: &CallContext) -> Result<PlannedOperation, ToolError> {
        Ok(PlannedOperation { effect: CallEffect::Model, intent: "Ask".to_owned(), preview: Preview::None })
    }

    async fn run(&self, arguments: &Value, at: &CallContext, run: Run) -> Result<Outcome, ToolError> {
        let engine = self.engine.upgrade().unwrap();
        let question = Question {
            prompt: arguments["prompt"].as_str().unwrap_or_default().to_owned(),
            schema: arguments.get("schema").cloned(),
        };
        let asked = engine.ask_model(&at.run.as_str().into(), &at.call, question, &run.cancel).await;
        let text = asked.map_err(|problem| ToolError::new(Kind::Failed, problem.message))?;
        Ok(Outcome::text(text, "asked"))
    }
}

fn is_question(request: &ModelRequest) -> bool {
    request.tools.is_empty() && request.messages.len() == 1 && request.system.starts_with("Answer the")
}

/// The model asks itself and then answers; `question` is what it says to itself.
fn script(question: impl Fn(&ModelRequest) -> Answer + Send + 'static) -> ScriptedProvider {
    ScriptedProvider::answering(move |request: &ModelRequest| {
        if is_question(request) {
            return question(request);
        }
        match results(request).len() {
            0 => Answer::text("").call("second", json!({"prompt": "How many?"})),
            _ => Answer::text("All done."),
        }
    })
}

fn used(input: u64) -> Usage {
    Usage { input, output: 7, ..Usage::default() }
}

async fn world(provider: ScriptedProvider) -> World {
    let world = World::new(provider).await;
    std::fs::write(world.home().join("a.txt"), "alpha").unwrap();
    Asks::install(&world);
    world
}

fn questions(world: &World) -> usize {
    world.provider.requests().iter().filter(|request| is_question(request)).count()
}

#[tokio::test]
async fn a_tools_question_is_counted_as_the_turns_own() {
    let world = world(script(|_| Answer::text(" Four. ").usage(used(40)))).await;
    let (_, view) = world.turn("Count").await;
    assert_eq!((view.head.status, view.head.answer.as_deref()), (TurnStatus::Completed, Some("All done.")));
    let requests = world.provider.requests();
    assert_eq!(results(requests.last().unwrap()), [("Four.".to_owned(), false)]);
    assert_eq!((questions(&world), requests.len()), (1, 3));
    let names = world.names(&view.head.run).await;
    let asked = names.iter().position(|name| *name == "tool_model_requested").unwrap();
    assert_eq!(names[asked + 1], "tool_model_ended");
    // Sums of the usage page and of the turn agree.
    let rows = world.calls().await;
    assert_eq!(rows.len(), 3);
    let total: u64 = rows.iter().map(|row| row.usage.total()).sum();
    assert_eq!(total, world.state(&view.head.run).await.usage.total());
    let row = rows.iter().find(|row| row.stage == "question").unwrap();
    assert_eq!((row.usage, row.failed), (used(40), false));
}

#[tokio::test]
async fn a_question_beyond_the_budget_is_not_asked() {
    let world = world(script(|_| Answer::text("never"))).await;
    let mut start = world.says("Count");
    // Enough for a step and the final answer, not for a question besides.
    start.bounds.budget = Budget { tokens: Some(5_000), ..Budget::default() };
    let (_, run) = world.engine.begin_turn(start).await.unwrap();
    world.ended(&run).await;
    assert!(world.state(&run).await.usage.total() <= 5_000);
    let shown = world.provider.requests().last().map(results).unwrap();
    let refused = shown.iter().all(|(text, error)| *error && text.contains("budget"));
    assert!(questions(&world) == 0 && refused, "{shown:?}");
}

#[tokio::test]
async fn a_stopped_turn_ends_its_question_and_notes_what_it_may_have_cost() {
    let world = world(script(|_| Answer::text("a long answer").hang_after(1))).await;
    let (_, run) = world.begin("Count").await;
    while questions(&world) == 0 || world.provider.open_streams() == 0 {
        tokio::task::yield_now().await;
    }
    world.engine.stop_turn(&run).await.unwrap();
    assert_eq!(world.provider.open_streams(), 0);
    let view = world.engine.turn_view(&run).await.unwrap();
    assert_eq!(view.head.status, TurnStatus::Stopped);
    let rows = world.calls().await;
    assert!(rows.iter().any(|row| row.stage == "question" && row.failed), "{rows:?}");
}

#[tokio::test]
async fn an_answer_that_does_not_fit_its_schema_is_asked_for_once_more() {
    let script = ScriptedProvider::answering(|request: &ModelRequest| {
        if is_question(request) {
            let again = request.messages[0].content.contains("could not be used");
            return Answer::text(if again { "```json\n{\"n\": 4}\n```" } else { "{\"n\": \"four\"}" });
        }
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
        match results(request).len() {
            0 => Answer::text("").call("second", json!({"prompt": "How many?", "schema": schema})),
            _ => Answer::text("All done."),
        }
    });
    let world = world(script).await;
    world.turn("Count").await;
    let shown = world.provider.requests().last().map(results).unwrap();
    assert_eq!((shown, questions(&world)), (vec![("{\"n\":4}".to_owned(), false)], 2));
}

#[tokio::test]
async fn a_question_that_was_answered_before_a_crash_is_not_asked_again() {
    let whole = world(script(|_| Answer::text("Four."))).await;
    let (_, view) = whole.turn("Count").await;
    let run = view.head.run.clone();
    let commits = whole.store.load_events(&run.0).await.unwrap().len();
    for count in 1..commits {
        let world = whole.crashed_after(&run, count, script(|_| Answer::text("Four."))).await;
        Asks::install(&world);
        let names = world.names(&run).await;
        let answered = names.contains(&"tool_model_ended");
        let lost = names.contains(&"tool_model_requested") && !answered;
        world.engine.resume_turn(&run).await.unwrap();
        let view = world.ended(&run).await;
        assert_eq!(view.head.answer.as_deref(), Some("All done."), "after {count}");
        assert_eq!(questions(&world), usize::from(!answered), "after {count}");
        assert_eq!(view.head.doubtful.0 > 0 || world.state(&run).await.doubtful.tokens > 0, {
            let state = crate::turn_world::fold(&world.log(&run).await[..names.len()]);
            lost || state.lost().model.is_some()
        });
    }
}

#[tokio::test]
async fn a_failure_that_may_pass_is_tried_again_and_one_that_does_not_is_told() {
    let world = world(script(|_| Answer::fail(llm::Fault::Auth, "no key"))).await;
    world.turn("Count").await;
    let shown = world.provider.requests().last().map(results).unwrap();
    assert!(shown[0].1 && shown[0].0.contains("no key"), "{shown:?}");
    assert_eq!(questions(&world), 1);
}
