//! Turns of a conversation, driven end to end.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::{ErrorCode, GrantScope, Mode, RunId};
use engine::turn::{
    PermissionReply, PlanState, StartTurn, StepKind, StepStatus, TurnStatus, TurnStep, TurnUiKind, TurnView,
};
use llm::{Answer, ModelInfo, Role, ScriptedProvider};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::turn_world::{DOT, World, message, results, texts};

fn reads(path: &str) -> Answer {
    Answer::text("").call("read", json!({"path": path}))
}

fn appends(path: &str) -> Answer {
    Answer::text("").call("append", json!({"path": path}))
}

#[tokio::test]
async fn two_turns_are_one_conversation() {
    let world =
        World::new(ScriptedProvider::queue([Answer::text("Hello."), Answer::text("You said hello.")])).await;
    let (session, first) = world.turn("Hi").await;
    assert_eq!((first.head.status, first.head.answer.as_deref()), (TurnStatus::Completed, Some("Hello.")));
    let second = world.turn_in(&session, "What did I say?").await;
    assert_eq!(second.head.answer.as_deref(), Some("You said hello."));
    assert_eq!(second.head.previous, Some(first.head.run.clone()));
    let requests = world.provider.requests();
    assert_eq!(texts(&requests[1]), ["Hi", "Hello.", "What did I say?"]);
    assert_eq!(requests[1].cache_key.as_deref(), Some(session.as_str()));
    assert!(requests[1].messages.iter().filter(|message| message.cache).count() == 2);
    let row = world.store.get_run(&second.head.run.0).await.unwrap();
    assert_eq!(
        (row.kind.as_str(), row.status.as_str(), row.line.as_str()),
        ("turn", "completed", "You said hello.")
    );
}

#[tokio::test]
async fn tools_run_and_their_results_go_back() {
    let world = World::new(ScriptedProvider::queue([
        Answer::text("I look.").call("read", json!({"path": "a.txt"})).call("read", json!({"path": "b.txt"})),
        Answer::text("It says alpha."),
    ]))
    .await;
    std::fs::write(world.home().join("a.txt"), "alpha").unwrap();
    let (_, view) = world.turn("What is in a.txt?").await;
    assert_eq!(view.head.answer.as_deref(), Some("It says alpha."));
    let requests = world.provider.requests();
    let given = results(&requests[1]);
    assert_eq!(given[0], ("alpha".to_owned(), false));
    assert!(given[1].1 && given[1].0.starts_with("Error (not found)"), "{:?}", given[1]);
    let status: Vec<StepStatus> = view.steps.iter().map(|step| step.status).collect();
    assert_eq!(status, [StepStatus::Ok, StepStatus::Ok, StepStatus::Failed, StepStatus::Ok]);
    assert!(matches!(&view.steps[0].kind, StepKind::Model { text, .. } if text == "I look."));
    // The two reads share a commit with the next request.
    assert_eq!(world.store.load_events(&view.head.run.0).await.unwrap().len(), 5);
}

#[tokio::test]
async fn what_does_not_fit_a_tool_is_told_to_the_model() {
    let world = World::new(ScriptedProvider::queue([
        Answer::text("")
            .call("reed", json!({"path": "a"}))
            .call("read", json!({"file": 1}))
            .call("break", json!({})),
        Answer::text("I see."),
    ]))
    .await;
    let (_, view) = world.turn("Go").await;
    assert_eq!(view.head.answer.as_deref(), Some("I see."));
    let given = results(&world.provider.requests()[1]);
    assert!(given.iter().all(|(_, failed)| *failed));
    assert!(
        given[0].0.contains("there is no tool \"reed\"") && given[0].0.contains("append"),
        "{}",
        given[0].0
    );
    assert!(given[1].0.contains("the arguments are wrong"), "{}", given[1].0);
    assert!(given[2].0.contains("a defect of the tool"), "{}", given[2].0);
}

#[tokio::test]
async fn the_person_is_asked_and_what_they_say_holds() {
    let mut world = World::new(ScriptedProvider::queue([
        appends("a.txt"),
        appends("a.txt"),
        Answer::text("Refused, then."),
    ]))
    .await;
    world.mode(Mode::Ask);
    let (_, run) = world.begin("Append").await;
    let head = world.waiting(&run).await;
    assert!(head.doing.contains("append a.txt"), "{}", head.doing);
    let row = world.store.get_run(&run.0).await.unwrap();
    assert_eq!(row.status, "waiting");
    assert!(world.store.get_session(&row.session).await.unwrap().unwrap().unread);
    let view = world.engine.turn_view(&run).await.unwrap();
    let step = view.steps.last().unwrap();
    let StepKind::Tool { approval: Some(approval), .. } = &step.kind else { panic!("{step:?}") };
    assert_eq!(approval.arguments, json!({"path": "a.txt"}));
    assert_eq!(world.written("a.txt"), 0);
    let wrong = world.engine.permit(&run, &step.id, PermissionReply::Allow(9)).await.unwrap_err();
    assert_eq!(wrong.code, ErrorCode::InvalidInput);
    world.engine.permit(&run, &step.id, PermissionReply::Allow(0)).await.unwrap();
    let again = world.engine.permit(&run, &step.id, PermissionReply::Allow(0)).await.unwrap_err();
    assert_eq!(again.code, ErrorCode::Conflict);
    let asked = world.step(&run, StepStatus::Asking).await;
    let second = if asked.id == step.id { world.step(&run, StepStatus::Asking).await } else { asked };
    world.engine.permit(&run, &second.id, PermissionReply::Deny("not twice".to_owned())).await.unwrap();
    let view = world.ended(&run).await;
    assert_eq!(view.head.answer.as_deref(), Some("Refused, then."));
    assert_eq!(world.written("a.txt"), 1);
    let given = results(world.provider.requests().last().unwrap());
    assert!(given[1].0.contains("not twice"), "{:?}", given[1]);
    assert_eq!(view.steps.iter().filter(|step| step.status == StepStatus::Denied).count(), 1);
}

#[tokio::test]
async fn a_request_for_permission_survives_a_restart() {
    let mut world = World::new(ScriptedProvider::queue([appends("a.txt")])).await;
    world.mode(Mode::Ask);
    let (session, run) = world.begin("Append").await;
    world.waiting(&run).await;
    assert_eq!(world.engine.live(), std::slice::from_ref(&run));
    world.engine.suspend(&run).await.unwrap();
    world.engine.wait(&run).await.unwrap();
    assert_eq!(world.engine.live_turn(&session), None);
    let world = world.reopened(ScriptedProvider::queue([Answer::text("Done.")])).await;
    let view = world.engine.turn_view(&run).await.unwrap();
    assert_eq!(view.head.status, TurnStatus::Waiting);
    let call = view.steps.last().unwrap().id.clone();
    world
        .engine
        .permit(&run, &call, PermissionReply::Offer(GrantScope::Session, domain::Covers::Any))
        .await
        .unwrap();
    let view = world.ended(&run).await;
    assert_eq!((view.head.answer.as_deref(), world.written("a.txt")), (Some("Done."), 1));
    assert_eq!(world.host.grants.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_grant_for_longer_covers_what_waits_besides() {
    let mut world = World::new(ScriptedProvider::queue([
        appends("a.txt").call("append", json!({"path": "b.txt"})),
        Answer::text("Both."),
    ]))
    .await;
    world.mode(Mode::Ask);
    let (_, run) = world.begin("Append").await;
    let step = world.step(&run, StepStatus::Asking).await;
    world.engine.permit(&run, &step.id, PermissionReply::Allow(1)).await.unwrap();
    let view = world.ended(&run).await;
    assert_eq!(view.head.answer.as_deref(), Some("Both."));
    assert_eq!((world.written("a.txt"), world.written("b.txt")), (1, 1));
}

#[tokio::test]
async fn explore_refuses_and_the_model_goes_on() {
    let world = World::new(ScriptedProvider::queue([appends("a.txt"), Answer::text("I may not.")])).await;
    world.mode(Mode::Safe);
    let (_, view) = world.turn("Append").await;
    assert_eq!((view.head.answer.as_deref(), world.written("a.txt")), (Some("I may not."), 0));
    assert!(results(&world.provider.requests()[1])[0].0.contains("Explore changes nothing"));
}

#[tokio::test]
async fn stopping_ends_a_tool_and_its_child() {
    let mut world = World::new(ScriptedProvider::queue([Answer::text("").call("child", json!({}))])).await;
    let (session, run) = world.begin("Sleep").await;
    world.until(&run, |kind| matches!(kind, TurnUiKind::Output { .. })).await;
    let pid = world.file("pid");
    assert!(std::path::Path::new("/proc").join(&pid).exists());
    world.engine.stop_turn(&run).await.unwrap();
    assert!(!std::path::Path::new("/proc").join(&pid).exists());
    assert_eq!(world.engine.live_turn(&session), None);
    let view = world.engine.turn_view(&run).await.unwrap();
    assert_eq!(view.head.status, TurnStatus::Stopped);
    assert_eq!(view.steps.last().unwrap().status, StepStatus::Stopped);
    world.engine.stop_turn(&run).await.unwrap();
}

#[tokio::test]
async fn stopping_ends_a_stream_and_the_next_turn_knows() {
    let mut world = World::new(ScriptedProvider::queue([
        Answer::text("one two three").chunks(3).hang_after(2),
        Answer::text("Fine."),
    ]))
    .await;
    let (session, run) = world.begin("Write").await;
    let view = stopped_while_it_writes(&mut world, &run).await;
    assert_eq!(world.provider.open_streams(), 0);
    assert_eq!(view.head.status, TurnStatus::Stopped);
    let next = world.turn_in(&session, "Go on").await;
    assert_eq!(next.head.answer.as_deref(), Some("Fine."));
    let said = texts(world.provider.requests().last().unwrap());
    assert_eq!(said[2..], ["(I stopped this turn before it was over.)", "Go on"]);
}

/// An answer of which this much comes, and then nothing more.
fn breaks_off(text: &str) -> Answer {
    Answer::text(text).chunks(1).hang_after(1)
}

async fn stopped_while_it_writes(world: &mut World, run: &RunId) -> TurnView {
    world.until(run, |kind| matches!(kind, TurnUiKind::Delta { .. })).await;
    world.engine.stop_turn(run).await.unwrap();
    world.engine.turn_view(run).await.unwrap()
}

fn shown(view: &TurnView) -> Vec<&str> {
    let of = |step: &'_ TurnStep| matches!(&step.kind, StepKind::Model { text, .. } if !text.is_empty());
    let texts = view.steps.iter().filter(|step| of(step)).map(|step| match &step.kind {
        StepKind::Model { text, .. } => text.as_str(),
        _ => "",
    });
    texts.collect()
}

#[tokio::test]
async fn what_was_streamed_before_a_stop_is_kept_and_paid_and_goes_along_with_the_next_message() {
    let mut world =
        World::new(ScriptedProvider::queue([breaks_off("First this. Then th"), Answer::text("Fine.")])).await;
    let (session, run) = world.begin("Write").await;
    let view = stopped_while_it_writes(&mut world, &run).await;
    assert_eq!(
        (view.head.status, view.head.answer.as_deref()),
        (TurnStatus::Stopped, Some("First this. Then th"))
    );
    assert!(view.head.usage.output > 0 && shown(&view).is_empty(), "{view:?}");
    world.turn_in(&session, "Shorter").await;
    let said = texts(world.provider.requests().last().unwrap());
    assert_eq!(
        said,
        ["Write", "First this. Then th", "(I stopped this turn before it was over.)", "Shorter"]
    );
}

#[tokio::test]
async fn a_stopped_answer_goes_on_where_it_was_stopped_however_often() {
    let mut world = World::new(ScriptedProvider::queue([
        breaks_off("First this. Then th"),
        breaks_off("that, and at la"),
        Answer::text("last the end."),
    ]))
    .await;
    let (session, run) = world.begin("Write").await;
    stopped_while_it_writes(&mut world, &run).await;
    world.engine.resume_turn(&run).await.unwrap();
    let view = stopped_while_it_writes(&mut world, &run).await;
    assert_eq!(view.head.answer.as_deref(), Some("First this. Then that, and at la"));
    assert!(shown(&view).is_empty(), "{view:?}");
    world.engine.resume_turn(&run).await.unwrap();
    let view = world.ended(&run).await;
    assert_eq!(view.head.status, TurnStatus::Completed);
    assert_eq!(view.head.answer.as_deref(), Some("First this. Then that, and at last the end."));
    assert!(shown(&view).is_empty(), "{view:?}");
    let requests = world.provider.requests();
    let [message, kept, go_on] = texts(requests.last().unwrap()).try_into().unwrap();
    assert_eq!((message.as_str(), kept.as_str()), ("Write", "First this. Then that, and at"));
    assert!(go_on.contains("go on exactly where it ends"), "{go_on}");
    world.turn_in(&session, "Thanks").await;
    let said = texts(world.provider.requests().last().unwrap());
    assert_eq!((said.len(), said[3].as_str()), (5, "last the end."), "nothing is said twice: {said:?}");
}

#[tokio::test]
async fn an_answer_that_begins_anew_after_a_stop_stands_alone() {
    let mut world = World::new(ScriptedProvider::queue([
        breaks_off("The auditor sends the requests, and the repl"),
        Answer::text("The auditor sends the requests, and the replies come back."),
    ]))
    .await;
    let (_, run) = world.begin("Write").await;
    stopped_while_it_writes(&mut world, &run).await;
    world.engine.resume_turn(&run).await.unwrap();
    let view = world.ended(&run).await;
    assert_eq!(
        view.head.answer.as_deref(),
        Some("The auditor sends the requests, and the replies come back.")
    );
}

#[tokio::test]
async fn a_stopped_turn_that_waits_ends_without_asking() {
    let mut world = World::new(ScriptedProvider::queue([appends("a.txt")])).await;
    world.mode(Mode::Ask);
    let (_, run) = world.begin("Append").await;
    world.waiting(&run).await;
    world.engine.stop_turn(&run).await.unwrap();
    let view = world.engine.turn_view(&run).await.unwrap();
    assert_eq!((view.head.status, world.written("a.txt")), (TurnStatus::Stopped, 0));
}

#[tokio::test]
async fn a_suspended_turn_goes_on_where_it_was() {
    let mut world = World::new(ScriptedProvider::queue([appends("a.txt"), Answer::hang()])).await;
    let (_, run) = world.begin("Append").await;
    world.step(&run, StepStatus::Ok).await;
    world.engine.suspend(&run).await.unwrap();
    world.engine.wait(&run).await.unwrap();
    assert_eq!(world.engine.turn_view(&run).await.unwrap().head.status, TurnStatus::Interrupted);
    let world = world.reopened(ScriptedProvider::queue([Answer::text("Done.")])).await;
    world.engine.resume_turn(&run).await.unwrap();
    let view = world.ended(&run).await;
    assert_eq!((view.head.answer.as_deref(), world.written("a.txt")), (Some("Done."), 1));
    assert_eq!(world.engine.resume_turn(&run).await.unwrap_err().code, ErrorCode::Conflict);
}

#[tokio::test]
async fn a_question_is_answered_by_the_person() {
    let mut world = World::new(ScriptedProvider::queue([
        Answer::text("").call("ask", json!({})),
        Answer::text("Blue it is."),
    ]))
    .await;
    let (_, run) = world.begin("Paint").await;
    let step = world.step(&run, StepStatus::Asking).await;
    assert!(
        matches!(&step.kind, StepKind::Tool { question: Some(question), .. } if question.text == "Which colour?")
    );
    world.engine.tell(&run, &step.id, "blue".to_owned()).await.unwrap();
    let view = world.ended(&run).await;
    assert_eq!(view.head.answer.as_deref(), Some("Blue it is."));
    assert_eq!(results(world.provider.requests().last().unwrap()), [("blue".to_owned(), false)]);
}

#[tokio::test]
async fn a_message_in_between_is_read_before_the_next_step() {
    let mut world =
        World::new(ScriptedProvider::queue([appends("a.txt"), Answer::text("In German: ja.")])).await;
    world.mode(Mode::Ask);
    let (session, run) = world.begin("Append").await;
    let step = world.step(&run, StepStatus::Asking).await;
    world.engine.steer(&run, message("In German, please")).await.unwrap();
    let busy = StartTurn { session: Some(session.clone()), ..world.says("Another") };
    assert_eq!(world.engine.begin_turn(busy).await.unwrap_err().code, ErrorCode::Conflict);
    world.engine.permit(&run, &step.id, PermissionReply::Allow(0)).await.unwrap();
    let view = world.ended(&run).await;
    assert!(view.steps.iter().any(
        |step| matches!(&step.kind, StepKind::Steering { message } if message.text == "In German, please")
    ));
    let request = world.provider.requests().pop().unwrap();
    assert_eq!(request.messages.last().unwrap().role, llm::Role::User);
    assert_eq!(texts(&request), ["Append", "In German, please"]);
    assert_eq!(world.engine.steer(&run, message("late")).await.unwrap_err().code, ErrorCode::Conflict);
}

#[tokio::test]
async fn a_plan_ends_the_turn_and_its_successor_tells_what_became_of_it() {
    let world = World::new(ScriptedProvider::queue([
        Answer::text("").call("plan", json!({})),
        Answer::text("Carried out."),
    ]))
    .await;
    world.mode(Mode::Safe);
    let (session, view) = world.turn("Plan it").await;
    let plan = view.head.plan.clone().unwrap();
    assert_eq!(
        (view.head.status, plan.title.as_str(), plan.state),
        (TurnStatus::Completed, "The plan", PlanState::Waiting)
    );
    world.mode(Mode::Ask);
    world.turn_in(&session, "Accepted. Carry it out.").await;
    let plan = world.engine.turn_view(&view.head.run).await.unwrap().head.plan.unwrap();
    assert_eq!(plan.state, PlanState::Accepted);
}

#[tokio::test]
async fn a_failed_call_is_tried_again_and_a_failed_turn_resumed() {
    let world = World::new(ScriptedProvider::queue([
        Answer::fail(llm::Fault::RateLimit { retry_after_ms: Some(5) }, "slow down"),
        appends("a.txt"),
        Answer::fail(llm::Fault::Auth, "no key"),
        Answer::text("Done."),
    ]))
    .await;
    let (_, view) = world.turn("Append").await;
    assert_eq!(view.head.status, TurnStatus::Failed);
    assert!(view.head.problem.unwrap().message.contains("no key"));
    world.engine.resume_turn(&view.head.run).await.unwrap();
    let view = world.ended(&view.head.run).await;
    assert_eq!((view.head.answer.as_deref(), world.written("a.txt")), (Some("Done."), 1));
    assert!(
        view.steps
            .iter()
            .any(|step| matches!(&step.kind, StepKind::Notice { text } if text.contains("Trying again")))
    );
}

#[tokio::test]
async fn a_picture_is_an_answer_and_kept_as_a_file() {
    let answers = [
        Answer::text("").picture("image/png", "aGVsbG8="),
        Answer::text("Two of them.").picture("image/svg+xml", "aGVsbG8=").picture("image/webp", "?"),
        Answer::text("It was a greeting."),
    ];
    let world = World::new(ScriptedProvider::queue(answers)).await;
    let (session, first) = world.turn("Draw").await;
    let answer = first.head.answer.unwrap();
    let id =
        answer.strip_prefix("[Picture 1: image/png, 5 bytes](#attachment-").unwrap().trim_end_matches(')');
    let kept = world.home().join("sessions").join(&session.0).join("attachments").join(id);
    assert_eq!(std::fs::read(kept).unwrap(), b"hello");
    let second = world.turn_in(&session, "Two more").await;
    assert_eq!(
        second.head.answer.unwrap(),
        "Two of them.\n\n(Picture 1 is left out: its kind, \"image/svg+xml\", is not shown here.)\n\n(Picture 2 is \
         left out: its data can't be read.)"
    );
    world.turn_in(&session, "What did it show?").await;
    // One request for each; what was drawn is named to the model.
    assert_eq!(world.provider.requests().len(), 3);
    assert_eq!(texts(&world.provider.requests()[2])[1], answer);
}

#[tokio::test]
async fn a_wait_of_hours_that_the_provider_names_ends_the_turn_until_it_is_tried_again() {
    let wait = Some(3 * 3_600_000);
    let world = World::new(ScriptedProvider::queue([
        Answer::fail(llm::Fault::RateLimit { retry_after_ms: wait }, "slow down"),
        Answer::text("Done."),
    ]))
    .await;
    let (_, view) = world.turn("Go").await;
    let problem = view.head.problem.unwrap();
    assert_eq!((view.head.status, problem.retryable), (TurnStatus::Failed, true));
    assert!(problem.message.contains("slow down. The provider asks to wait until "), "{problem}");
    assert!(problem.message.ends_with("(in 3 h)."), "{problem}");
    assert_eq!(problem.action.as_deref(), Some("Retry then, or choose another connection."));
    assert_eq!(world.provider.requests().len(), 1);
    world.engine.resume_turn(&view.head.run).await.unwrap();
    assert_eq!(world.ended(&view.head.run).await.head.answer.as_deref(), Some("Done."));
}

#[tokio::test]
async fn an_answer_that_breaks_off_after_the_person_read_of_it_is_asked_again_only_by_them() {
    let cut = Answer::text("The first half of it.").chunks(3).cut_after(2);
    let answers = [cut, Answer::text("The whole."), Answer::text("Elsewhere.")];
    let world = World::new(ScriptedProvider::queue(answers)).await;
    let (session, view) = world.turn("Tell me").await;
    let problem = view.head.problem.clone().unwrap();
    assert_eq!((view.head.status, problem.retryable, view.head.answer), (TurnStatus::Failed, true, None));
    assert_eq!(problem.action.as_deref(), Some("Retry; nothing of the unfinished answer was used."));
    assert_eq!(world.provider.requests().len(), 1);
    let told = |text: &str| StepKind::Model { thinking: String::new(), text: text.to_owned() };
    let half = (StepStatus::Failed, told("The first half"));
    assert_eq!((view.steps[0].status, view.steps[0].kind.clone()), half, "what was read stays");
    world.engine.resume_turn(&view.head.run).await.unwrap();
    let view = world.ended(&view.head.run).await;
    assert_eq!(view.head.answer.as_deref(), Some("The whole."));
    assert_eq!((view.steps[0].status, view.steps[0].kind.clone()), half);
    let again = &world.provider.requests()[1];
    assert!(again.messages.iter().all(|message| message.role == Role::User), "the half is never used");
    let branch = world.engine.branch(&view.head.run).await.unwrap();
    let copied = world.turn_in(&branch, "And?").await.head.previous.unwrap();
    assert!(world.store.delete_session(&session.0).await.unwrap());
    assert_eq!(world.engine.turn_view(&copied).await.unwrap().steps[0].kind, half.1, "and goes along");
}

#[tokio::test]
async fn an_answer_that_breaks_off_before_it_or_within_its_thinking_is_asked_again() {
    let thought = Answer::text("Unread.").thinking("Let me see").cut_after(0);
    let world =
        World::new(ScriptedProvider::queue([Answer::text("").cut_after(0), thought, Answer::text("Done.")]))
            .await;
    let (_, view) = world.turn("Tell me").await;
    assert_eq!((view.head.answer.as_deref(), world.provider.requests().len()), (Some("Done."), 3));
}

#[tokio::test]
async fn a_bound_ends_with_an_answer_and_offers_no_tools_for_it() {
    let world = World::new(ScriptedProvider::answering(|request| {
        if request.tools.is_empty() { Answer::text("The best so far.") } else { reads("a.txt") }
    }))
    .await;
    std::fs::write(world.home().join("a.txt"), "alpha").unwrap();
    let bounds = dialogue::Bounds { iterations: 2, ..dialogue::Bounds::default() };
    let start = StartTurn { bounds, ..world.says("Read") };
    let (_, run) = world.engine.begin_turn(start).await.unwrap();
    let view = world.ended(&run).await;
    assert_eq!(view.head.answer.as_deref(), Some("The best so far."));
    assert!(view.head.notes.iter().any(|note| note.contains("limit of steps")), "{:?}", view.head.notes);
    assert!(world.provider.requests().last().unwrap().tools.is_empty());
}

#[tokio::test]
async fn a_budget_that_holds_nothing_ends_in_the_programs_words() {
    let price = llm::Price { input: 1_000.0, output: 1_000.0, ..llm::Price::default() };
    let model = ModelInfo { price, ..ModelInfo::free("scripted", "scripted", 200_000, 64_000) };
    let world = World::new(ScriptedProvider::queue([Answer::text("never")]).with_model(model)).await;
    let budget = domain::Budget { cost: Some(domain::NanoUsd(1)), ..domain::Budget::default() };
    let bounds = dialogue::Bounds { budget, ..dialogue::Bounds::default() };
    let (_, run) = world.engine.begin_turn(StartTurn { bounds, ..world.says("Hi") }).await.unwrap();
    let view = world.ended(&run).await;
    assert_eq!(view.head.status, TurnStatus::Completed);
    assert!(view.head.answer.unwrap().contains("the limit of money is reached"));
    assert!(world.provider.requests().is_empty());
}

#[tokio::test]
async fn a_long_result_is_cut_and_kept_whole() {
    let world = World::new(ScriptedProvider::queue([
        Answer::text("").call("large", json!({})),
        Answer::text("Long."),
    ]))
    .await;
    let (session, view) = world.turn("Go").await;
    let given = results(&world.provider.requests()[1]).remove(0).0;
    assert!(given.len() < 31_000 && given.contains("line 0 of") && given.contains("line 4999 of"));
    let call = view.steps.iter().find(|step| matches!(step.kind, StepKind::Tool { .. })).unwrap().id.clone();
    let whole = world.home().join("sessions").join(&session.0).join("results").join(format!("{call}.txt"));
    assert!(given.contains(&whole.display().to_string()));
    assert_eq!(std::fs::read_to_string(whole).unwrap().lines().count(), 5_000);
    let detail = world.engine.turn_step(&view.head.run, &call).await.unwrap();
    assert!(detail.bytes > 100_000);
}

#[tokio::test]
async fn changes_and_pictures_are_shown() {
    let images = llm::ModelFeatures { images: true, ..llm::ModelFeatures::default() };
    let model = ModelInfo { abilities: images, ..ModelInfo::free("scripted", "scripted", 200_000, 64_000) };
    let world = World::new(
        ScriptedProvider::queue([appends("new.txt").call("picture", json!({})), Answer::text("Seen.")])
            .with_model(model),
    )
    .await;
    let (_, view) = world.turn("Go").await;
    let shows: Vec<&domain::Show> = view
        .steps
        .iter()
        .filter_map(|step| match &step.kind {
            StepKind::Tool { show, .. } => Some(show),
            _ => None,
        })
        .flatten()
        .collect();
    assert!(
        matches!(shows[0], domain::Show::Change { before: None, after: Some(_), added: 1, removed: 0, .. }),
        "{shows:?}"
    );
    assert!(matches!(shows[1], domain::Show::Media { .. }));
    let request = world.provider.requests().pop().unwrap();
    let dot = BASE64_STANDARD.encode(DOT);
    let image = request
        .messages
        .iter()
        .flat_map(|message| &message.parts)
        .any(|part| matches!(part, llm::Part::Image { data, .. } if *data == dot));
    assert!(image);
    let change = view
        .steps
        .iter()
        .find(|step| matches!(&step.kind, StepKind::Tool { tool, .. } if tool == "append"))
        .unwrap();
    let detail = world.engine.turn_step(&view.head.run, &change.id).await.unwrap();
    assert_eq!(detail.blobs.values().cloned().collect::<Vec<_>>(), ["one line\n"]);
}

#[tokio::test]
async fn a_mode_that_changes_counts_for_the_next_step() {
    let mut world = World::new(ScriptedProvider::queue([appends("a.txt"), Answer::text("Done.")])).await;
    world.mode(Mode::Ask);
    let (session, run) = world.begin("Append").await;
    world.waiting(&run).await;
    world.mode(Mode::AllowAll);
    world.engine.setup_changed(&session).await;
    let view = world.ended(&run).await;
    assert_eq!((view.head.mode, world.written("a.txt")), (Mode::AllowAll, 1));
    assert!(world.names(&run).await.contains(&"repinned"), "the instructions name the mode");
}

#[tokio::test]
async fn the_host_is_told_when_a_turn_has_left() {
    let world = World::new(ScriptedProvider::queue([Answer::text("Hello.")])).await;
    let mut left = world.host.left.subscribe();
    world.turn("Hi").await;
    tokio::time::timeout(Duration::from_secs(20), left.wait_for(|count| *count == 1)).await.unwrap().unwrap();
}

#[tokio::test]
async fn bad_beginnings_are_refused() {
    let world = World::new(ScriptedProvider::queue([])).await;
    let code = |start| async { world.engine.begin_turn(start).await.unwrap_err().code };
    assert_eq!(code(world.says("  \n")).await, ErrorCode::InvalidInput);
    assert_eq!(code(world.says(&"x".repeat(2 << 20))).await, ErrorCode::InvalidInput);
    assert_eq!(
        code(StartTurn { connection: "none".to_owned(), ..world.says("Hi") }).await,
        ErrorCode::NotFound
    );
    let nobody = domain::RunId::from("run-none");
    assert_eq!(world.engine.turn_view(&nobody).await.unwrap_err().code, ErrorCode::NotFound);
    assert_eq!(world.engine.stop_turn(&nobody).await.unwrap_err().code, ErrorCode::NotFound);
    assert_eq!(world.engine.steer(&nobody, message("x")).await.unwrap_err().code, ErrorCode::Conflict);
}

#[tokio::test]
async fn calls_that_only_read_run_beside_each_other() {
    let world = World::new(ScriptedProvider::queue([
        Answer::text("").call("meet", json!({})).call("meet", json!({})),
        Answer::text("They met."),
    ]))
    .await;
    let (_, view) = world.turn("Go").await;
    assert_eq!(view.head.answer.as_deref(), Some("They met."));
}

#[tokio::test]
async fn of_two_messages_at_once_one_begins() {
    let world =
        World::new(ScriptedProvider::queue([Answer::text("One."), Answer::hang(), Answer::hang()])).await;
    let (session, _) = world.turn("Hi").await;
    let start = |text: &str| StartTurn { session: Some(session.clone()), ..world.says(text) };
    let (one, other) =
        tokio::join!(world.engine.begin_turn(start("one")), world.engine.begin_turn(start("other")));
    let begun: Vec<_> = [&one, &other].into_iter().filter_map(|begun| begun.as_ref().ok()).collect();
    assert_eq!(begun.len(), 1);
    let refused = one.as_ref().err().or(other.as_ref().err()).unwrap();
    assert_eq!(refused.code, ErrorCode::Conflict);
    world.engine.stop_turn(&begun[0].1).await.unwrap();
}

#[tokio::test]
async fn what_a_turn_used_is_booked_and_counted() {
    let price = llm::Price { input: 1.0, output: 2.0, ..llm::Price::default() };
    let model = ModelInfo { price, ..ModelInfo::free("scripted", "scripted", 200_000, 64_000) };
    let usage = domain::Usage { input: 1_000, output: 500, ..domain::Usage::default() };
    let script = [appends("a.txt").usage(usage), Answer::text("Done.").usage(usage)];
    let world = World::new(ScriptedProvider::queue(script).with_model(model)).await;
    let (_, view) = world.turn("Append").await;
    assert_eq!((view.head.usage.input, view.head.usage.output), (2_000, 1_000));
    assert_eq!(view.head.cost, domain::NanoUsd(4_000_000));
    let sums = world.store.usage_sums(&store::ModelCallFilter::default(), 0).await.unwrap();
    assert_eq!((sums.total.calls, sums.total.cost), (2, domain::NanoUsd(4_000_000)));
}
