//! Answers that broke off and go on from the draft that was kept of them.

use std::sync::{Arc, Mutex};

use engine::{Exit, FormKind, PausePolicy, UiKind};
use llm::{Answer, Fault, ModelRequest, Role, ScriptedProvider};
use pipeline::CallKey;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::agents::{agent, model, render};
use crate::models::{brain, stage};
use crate::tools::Tools;
use crate::world::{World, ask, choose, unattended};

fn words(count: usize) -> String {
    (0..count).map(|at| format!("word{at}")).collect::<Vec<_>>().join(" ")
}

/// The answer in JSON, in pieces of about ten words.
fn pieces() -> Answer {
    Answer::json(&json!({ "text": words(400) })).chunks(40)
}

/// A stage whose words are kept every hundred.
fn writing() -> workspace::Agent {
    let limits = json!({ "draftWords": 100, "limits": { "attempts": 2 } });
    agent(json!([model("first", limits), render("first")]), json!({}))
}

fn key() -> CallKey {
    CallKey { stage: "first".into(), attempt: 1, wave: 0, item: 0 }
}

/// Words of the draft that a request goes on from; none where it asks for the whole.
fn continued(request: &ModelRequest) -> Option<usize> {
    let [.., draft, asks] = request.messages.as_slice() else { return None };
    assert_eq!((draft.role, asks.role), (Role::Assistant, Role::User));
    assert!(asks.content.contains("of its field `text`"), "{}", asks.content);
    assert!(words(400).starts_with(&draft.content), "{}", draft.content);
    Some(draft.content.split(' ').count())
}

/// The rest of the answer with the last three words of the draft once more; the whole where that is asked for.
fn rest(request: &ModelRequest) -> Answer {
    let all = words(400);
    let said: Vec<&str> = all.split(' ').skip(continued(request).unwrap_or(3) - 3).collect();
    Answer::json(&json!({ "text": said.join(" ") }))
}

async fn drafted(world: &mut World, run: &domain::RunId) {
    let is = |kind: &UiKind| matches!(kind, UiKind::Event { record } if record.event.name() == "model_call_drafted");
    world.until(run, is).await;
}

/// A run that was killed in the middle of its answer, over another model.
async fn killed(provider: ScriptedProvider) -> (World, domain::RunId) {
    let mut world = World::new(brain(vec![("first", pieces().hang_after(25))]), Tools::none()).await;
    let run = world.start(writing(), ask("q")).await;
    drafted(&mut world, &run).await;
    let crashed = world.crashed_after(&run, world.batches(&run).await, provider, Tools::none()).await;
    world.engine.cancel(&run).await.unwrap();
    (crashed, run)
}

#[tokio::test]
async fn an_answer_goes_on_from_its_draft_after_a_crash_and_is_one() {
    let (mut world, run) = killed(ScriptedProvider::answering(rest)).await;
    let told = world.resume(&run, PausePolicy::default()).await;
    assert_eq!((told.exit, told.form().kind), (Exit::Paused, FormKind::Ambiguous));
    let kept = world.state(&run).await.calls[&key()].continues.as_ref().unwrap().words;
    assert!(kept >= 100, "{kept}");
    assert!(told.form().markdown.contains(&format!("first {kept} words")), "{}", told.form().markdown);
    let told = world.go(&run, choose("retry")).await;
    assert_eq!(told.exit, Exit::Completed);
    let progress = |kind: &UiKind| matches!(kind, UiKind::Progress { text, .. } if text.ends_with(&format!("continued from a draft of {kept} words")));
    assert!(told.kinds.iter().any(progress), "{:?}", told.kinds);
    assert_eq!(world.output(&run, "first").await, json!({ "text": words(400) }));
    let requests = world.requests();
    let asked: Vec<usize> = requests.iter().filter_map(continued).collect();
    assert!(requests.len() == 1 && asked[0] + 1 >= kept as usize, "{asked:?} of {kept}");
}

#[tokio::test]
async fn a_second_crash_keeps_the_longer_draft() {
    let going_on = ScriptedProvider::answering(|request| rest(request).chunks(30).hang_after(28));
    let (mut world, run) = killed(going_on).await;
    world.engine.resume(&run, unattended()).await.unwrap();
    drafted(&mut world, &run).await;
    let count = world.batches(&run).await;
    let mut again = world.crashed_after(&run, count, ScriptedProvider::answering(rest), Tools::none()).await;
    world.engine.cancel(&run).await.unwrap();
    assert_eq!(again.resume(&run, unattended()).await.exit, Exit::Completed);
    assert_eq!(again.output(&run, "first").await, json!({ "text": words(400) }));
    let (first, second) =
        (continued(&world.requests()[0]).unwrap(), continued(&again.requests()[0]).unwrap());
    assert!(first + 100 <= second + 1, "{first}, {second}");
}

#[tokio::test]
async fn a_continuation_that_is_no_answer_or_is_refused_leads_to_one_call_for_the_whole() {
    for bad in [Answer::text("no json"), Answer::fail(Fault::BadRequest, "no"), Answer::refuse("no")] {
        let mut bad = Some(bad);
        let provider =
            ScriptedProvider::answering(move |request| bad.take().unwrap_or_else(|| rest(request)));
        let (mut world, run) = killed(provider).await;
        assert_eq!(world.resume(&run, unattended()).await.exit, Exit::Completed);
        let asked: Vec<bool> = world.requests().iter().map(|one| continued(one).is_some()).collect();
        assert_eq!(asked, [true, false]);
        assert_eq!(world.output(&run, "first").await, json!({ "text": words(400) }));
    }
}

#[tokio::test]
async fn an_answer_that_the_provider_broke_off_goes_on_in_the_next_try() {
    let slow = Fault::RateLimit { retry_after_ms: Some(5) };
    let mut first = Some(pieces().fail_after(25, slow, "later"));
    let asked: Arc<Mutex<Vec<Option<usize>>>> = Arc::default();
    let seen = asked.clone();
    let provider = ScriptedProvider::answering(move |request| {
        if stage(request) != "first" {
            return Answer::json(&json!({}));
        }
        seen.lock().unwrap().push(continued(request));
        first.take().unwrap_or_else(|| rest(request))
    });
    let mut world = World::new(provider, Tools::none()).await;
    let (run, told) = world.run(writing(), ask("q")).await;
    assert_eq!(told.exit, Exit::Completed);
    let asked = asked.lock().unwrap().clone();
    assert!(asked.len() == 2 && asked[0].is_none() && asked[1].is_some_and(|kept| kept >= 99), "{asked:?}");
    assert_eq!(world.output(&run, "first").await, json!({ "text": words(400) }));
}

#[tokio::test]
async fn a_text_that_was_complete_already_is_asked_for_anew() {
    // It comes in one piece with its end, and the answer's own end never comes.
    let whole = Answer::json(&json!({ "text": words(400) })).hang_after(1);
    let mut world = World::new(brain(vec![("first", whole)]), Tools::none()).await;
    let run = world.start(writing(), ask("q")).await;
    drafted(&mut world, &run).await;
    let count = world.batches(&run).await;
    let mut crashed =
        world.crashed_after(&run, count, ScriptedProvider::answering(rest), Tools::none()).await;
    world.engine.cancel(&run).await.unwrap();
    assert_eq!(crashed.resume(&run, unattended()).await.exit, Exit::Completed);
    assert_eq!(crashed.requests().iter().map(continued).collect::<Vec<_>>(), [None]);
}
