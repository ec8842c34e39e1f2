//! Stages whose calls are runs of other agents.

use domain::{ErrorCode, RunId};
use engine::{Answered, Exit, FormKind, PausePolicy, ResolvedAgent, StartRun, UiKind};
use llm::{ModelInfo, ScriptedProvider};
use pipeline::{CallStatus, Status};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use store::RunFilter;
use workspace::Agent;

use crate::agents::{agent, merged, model, shows};
use crate::models::{brain, stage};
use crate::tools::Tools;
use crate::world::{World, ask, choose, refused, say, section};

/// A stage that runs an agent.
fn runs(name: &str, of: &str, more: Value) -> Value {
    merged(
        json!({ "id": name, "name": name, "title": name.to_uppercase(), "kind": "agent", "agent": of }),
        more,
    )
}

/// One run for each of three items, named by them.
fn three(more: Value) -> Value {
    let each = json!({
        "forEach": "['alpha', 'beta', 'gamma']", "itemKey": "item", "inputs": { "topic": "{{ item }}" },
    });
    runs("work", "part", merged(each, more))
}

/// An agent of two stages that shows its model what it was given.
fn part(more: Value) -> Agent {
    let context = json!([shows("REQUEST", "request"), shows("TOPIC", "inputs.topic")]);
    let draft = model("draft", merged(json!({ "context": context }), more));
    let mut agent =
        agent(json!([draft, model("polish", json!({}))]), json!({ "slug": "part", "name": "Part" }));
    agent.input_schema = Some(json!({
        "type": "object", "properties": { "topic": { "type": "string", "minLength": 1 } }, "required": ["topic"],
    }));
    agent
}

fn parent(stages: Value) -> Agent {
    agent(stages, json!({ "slug": "whole", "name": "Whole" }))
}

fn asked(children: Vec<Agent>) -> StartRun {
    let resolved = |agent| ResolvedAgent { agent, sources: Vec::new(), corpus: None };
    StartRun { children: children.into_iter().map(resolved).collect(), ..ask("What is it?") }
}

async fn children(world: &World, run: &RunId) -> Vec<RunId> {
    world.state(run).await.calls.values().flat_map(|call| call.children.clone()).collect()
}

fn calls_of(world: &World, name: &str) -> usize {
    world.requests().iter().filter(|request| stage(request) == name).count()
}

fn joined() -> Value {
    let shown = json!({ "context": [shows("PARTS", "outputs.work")] });
    model("join", shown)
}

#[tokio::test]
async fn each_item_is_a_run_of_its_own_and_their_results_are_read_by_name() {
    let mut world = World::new(brain(vec![]), Tools::none()).await;
    let (run, told) =
        world.run(parent(json!([three(json!({})), joined()])), asked(vec![part(json!({}))])).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let text = |stage: &str| json!({ "text": stage });
    assert_eq!(
        world.output(&run, "work").await,
        json!({ "alpha": text("polish"), "beta": text("polish"), "gamma": text("polish") })
    );
    let topics: Vec<String> =
        world.requests().iter().filter_map(|request| section(request, "TOPIC")).collect();
    let mut topics: Vec<&str> = topics.iter().map(|topic| topic.trim()).collect();
    topics.sort_unstable();
    assert_eq!(topics, ["alpha", "beta", "gamma"]);
    let children = children(&world, &run).await;
    assert_eq!(
        (children.len(), calls_of(&world, "draft"), calls_of(&world, "polish"), calls_of(&world, "join")),
        (3, 3, 3, 1)
    );
    let parent = world.state(&run).await;
    let mut sum = parent.stage(&"join".into()).unwrap().usage.total();
    for child in &children {
        let state = world.state(child).await;
        assert_eq!(state.status(), Status::Completed);
        assert_eq!(state.start.as_ref().unwrap().parent.as_ref().unwrap().run, run);
        assert_eq!(state.start.unwrap().session, parent.start.clone().unwrap().session);
        sum += state.usage.total();
        let replay = world.engine.replay(child).await.unwrap();
        assert!(replay.identical, "{:#?}", replay.differences);
        let scratch = tempfile::TempDir::new().unwrap();
        assert!(world.engine.redrive(child, scratch.path()).await.unwrap().identical);
    }
    assert!(parent.usage.total() > 0);
    assert_eq!(parent.usage.total(), sum, "a parent pays for its children");
    // Children are found below their parent alone, and leave the session's own files to it.
    let listed = world.store.list_runs(&RunFilter::default(), None, 50).await.unwrap();
    assert_eq!(listed.runs.len(), 1);
    let below = RunFilter { parent: Some(run.0.clone()), ..RunFilter::default() };
    assert_eq!(world.store.list_runs(&below, None, 50).await.unwrap().runs.len(), 3);
    let folder = world.session_folder(&run).await;
    let state: Value =
        serde_json::from_slice(&std::fs::read(folder.join("data/pipeline-state.json")).unwrap()).unwrap();
    assert_eq!(state["run"], json!(run.0));
    assert!(folder.join("runs").join(&children[0].0).join("data/pipeline-state.json").exists());
}

#[tokio::test]
async fn without_names_the_results_are_a_list_and_an_optional_item_that_fails_is_a_warning() {
    let provider = ScriptedProvider::answering(|request| {
        let fails = section(request, "TOPIC").is_some_and(|topic| topic.contains("beta"));
        if fails { llm::Answer::text("{no") } else { llm::Answer::json(&json!({ "text": stage(request) })) }
    });
    let mut world = World::new(provider, Tools::none()).await;
    let mut work = three(json!({ "itemOptional": true, "result": "draft" }));
    work.as_object_mut().unwrap().remove("itemKey");
    let (run, told) = world.run(parent(json!([work, joined()])), asked(vec![part(json!({}))])).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(world.output(&run, "work").await, json!([{ "text": "draft" }, { "text": "draft" }]));
    let warnings = world.state(&run).await.stages[0].warnings.clone();
    assert!(warnings.iter().any(|warning| warning.starts_with("1 child run failed")), "{warnings:?}");
    let mut world = World::new(
        brain(vec![("draft", llm::Answer::text("{no")), ("draft", llm::Answer::text("{no"))]),
        Tools::none(),
    )
    .await;
    let one = runs("work", "part", json!({ "inputs": { "topic": "x" } }));
    let (run, told) = world.run(parent(json!([one, joined()])), asked(vec![part(json!({}))])).await;
    let problem = told.problem.unwrap();
    assert!(problem.message.starts_with("Part, DRAFT: "), "{problem}");
    // Retried, the child goes on where it failed.
    let told = world.resume(&run, PausePolicy::default()).await;
    assert_eq!((told.exit, children(&world, &run).await.len()), (Exit::Completed, 2));
    let both = children(&world, &run).await;
    assert_eq!(both[0], both[1], "the same run in both attempts");
}

#[tokio::test]
async fn a_child_s_pause_comes_up_to_the_person_and_its_answer_goes_down() {
    let pause = json!({ "pause": { "editable": true } });
    let mut world = World::new(brain(vec![]), Tools::none()).await;
    let (run, told) = world.run(parent(json!([three(json!({})), joined()])), asked(vec![part(pause)])).await;
    assert_eq!(told.exit, Exit::Paused);
    assert_eq!(world.state(&run).await.open_pauses().count(), 3);
    let form = told.form().clone();
    assert_eq!((form.kind, form.editable), (FormKind::Stage, true));
    assert!(form.title.starts_with("Part: "), "{}", form.title);
    // What the child would refuse is refused at once.
    let edit = engine::Reply { edit: Some(json!({ "text": 7 })), ..choose("proceed") };
    refused(world.answer(&run, edit).await, ErrorCode::InvalidInput);
    assert!(matches!(world.answer(&run, say("why?")).await.unwrap(), Answered::StillOpen { .. }));
    let good = engine::Reply { edit: Some(json!({ "text": "mine" })), ..choose("proceed") };
    let first = world.go(&run, good).await;
    assert_eq!(first.exit, Exit::Paused);
    // By the child's own name it is the same pause.
    let waiting = world.state(&run).await;
    let child =
        waiting.calls.values().find(|call| call.status == CallStatus::Asking).unwrap().children[0].clone();
    let answered =
        world.engine.answer(&child, None, choose("proceed"), PausePolicy::default()).await.unwrap();
    assert!(matches!(answered, Answered::Accepted { .. }));
    assert_eq!(world.done(&run).await.exit, Exit::Paused);
    assert_eq!(world.go(&run, choose("proceed")).await.exit, Exit::Completed);
    assert_eq!((calls_of(&world, "draft"), calls_of(&world, "polish")), (3, 3));
    let edited = children(&world, &run).await;
    let mut outputs = Vec::new();
    for child in &edited {
        outputs.push(world.output(child, "draft").await["text"].clone());
    }
    assert_eq!(outputs.iter().filter(|output| **output == "mine").count(), 1);
}

#[tokio::test]
async fn nobody_there_answers_a_child_s_pause_and_cancelling_at_it_ends_the_run() {
    let pause = || json!({ "pause": {} });
    let stages = || parent(json!([three(json!({})), joined()]));
    let mut world = World::new(brain(vec![]), Tools::none()).await;
    let start = StartRun { attend: crate::world::unattended(), ..asked(vec![part(pause())]) };
    let (_, told) = world.run(stages(), start).await;
    assert_eq!(told.exit, Exit::Completed);
    let mut world = World::new(brain(vec![]), Tools::none()).await;
    let (run, _) = world.run(stages(), asked(vec![part(pause())])).await;
    assert_eq!(world.go(&run, choose("cancel")).await.exit, Exit::Cancelled);
}

#[tokio::test]
async fn a_budget_holds_for_the_whole_tree_and_a_raise_lets_the_children_go_on() {
    let mut info = ModelInfo::free("scripted", "scripted", 20_000, 4_000);
    info.priced = true;
    let provider = || brain(vec![]).with_model(info.clone());
    let stages = || parent(json!([three(json!({})), joined()]));
    let mut world = World::new(provider(), Tools::none()).await;
    let (_, free) = world.run(stages(), asked(vec![part(json!({}))])).await;
    assert_eq!(free.exit, Exit::Completed);
    for limit in [1_500u64, 3_000, 5_000] {
        let mut world = World::new(provider(), Tools::none()).await;
        let start = StartRun { budget_tokens: Some(limit), ..asked(vec![part(json!({}))]) };
        let (run, told) = world.run(stages(), start).await;
        let state = world.state(&run).await;
        assert!(state.committed().tokens <= limit, "{} of {limit}", state.committed().tokens);
        if told.exit == Exit::Completed {
            continue;
        }
        assert_eq!((told.exit, told.form().kind), (Exit::Paused, FormKind::Budget), "{:?}", told.problem);
        let told =
            world.go(&run, engine::Reply { text: Some("100000 tokens".to_owned()), ..choose("raise") }).await;
        assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
        assert_eq!(
            (calls_of(&world, "draft"), calls_of(&world, "polish")),
            (3, 3),
            "nothing was asked twice"
        );
    }
}

#[tokio::test]
async fn what_a_child_may_not_be_given_or_be_fails_before_anything_is_paid() {
    for (more, message) in [
        (json!({ "inputs": { "topic": "" } }), "do not fit agent part"),
        (json!({ "itemKey": "'same'", "inputs": { "topic": "x" } }), "\"same\" is used twice"),
        (json!({ "agent": "{{ item }}", "agents": ["part"] }), "agent \"alpha\" is not one of part"),
    ] {
        let mut world = World::new(brain(vec![]), Tools::none()).await;
        let stages = json!([three(more), joined()]);
        let (_, told) = world.run(parent(stages), asked(vec![part(json!({}))])).await;
        let problem = told.problem.unwrap();
        assert!(problem.message.contains(message), "{problem}");
        assert_eq!(world.requests().len(), 0);
    }
}

#[tokio::test]
async fn a_stopped_tree_stops_whole_and_goes_on_without_asking_anything_twice() {
    let provider = ScriptedProvider::answering(|request| {
        let answer = llm::Answer::json(&json!({ "text": stage(request) }));
        if stage(request) == "polish" { answer.hang_after(0) } else { answer }
    });
    let mut world = World::new(provider, Tools::none()).await;
    let run = world.start(parent(json!([three(json!({})), joined()])), asked(vec![part(json!({}))])).await;
    while calls_of(&world, "polish") < 3 {
        tokio::task::yield_now().await;
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    world.engine.suspend(&run).await.unwrap();
    assert_eq!(world.done(&run).await.exit, Exit::Paused);
    assert_eq!(world.engine.live(), Vec::<RunId>::new());
    let before = children(&world, &run).await;
    let mut world = world.reopened_with(brain(vec![])).await;
    let told = world.resume(&run, crate::world::unattended()).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(children(&world, &run).await, before, "the same children");
    assert_eq!((calls_of(&world, "draft"), calls_of(&world, "polish")), (0, 3));
}

#[tokio::test]
async fn a_cancelled_parent_cancels_its_children() {
    let provider = ScriptedProvider::answering(|request| {
        llm::Answer::json(&json!({ "text": stage(request) })).hang_after(0)
    });
    let mut world = World::new(provider, Tools::none()).await;
    let run = world.start(parent(json!([three(json!({})), joined()])), asked(vec![part(json!({}))])).await;
    while calls_of(&world, "draft") < 3 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    world.engine.cancel(&run).await.unwrap();
    assert_eq!(world.done(&run).await.exit, Exit::Cancelled);
    for child in children(&world, &run).await {
        assert_eq!(world.state(&child).await.status(), Status::Cancelled);
    }
}

#[tokio::test]
async fn a_tree_may_be_four_runs_deep_and_a_grandchild_s_pause_reaches_the_person() {
    let leaf =
        agent(json!([model("leaf", json!({ "pause": {} }))]), json!({ "slug": "leaf", "name": "Leaf" }));
    let middle = |slug: &str, below: &str| {
        agent(json!([runs("down", below, json!({}))]), json!({ "slug": slug, "name": slug }))
    };
    let mut world = World::new(brain(vec![]), Tools::none()).await;
    let start = asked(vec![middle("two", "three"), middle("three", "leaf"), leaf]);
    let (run, told) = world.run(parent(json!([runs("down", "two", json!({}))])), start).await;
    assert_eq!(told.exit, Exit::Paused);
    assert_eq!(told.form().kind, FormKind::Stage);
    let told = world.go(&run, choose("proceed")).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    assert_eq!(world.output(&run, "down").await, json!({ "text": "leaf" }));
    assert_eq!(world.engine.run_tree(&run).await.unwrap().len(), 4);
}

#[tokio::test]
async fn files_of_child_runs_that_are_gone_or_changed_are_written_again_and_an_edit_is_kept_beside_its_file()
{
    let pause = json!({ "choices": [{ "id": "go", "label": "Go", "action": "proceed" }] });
    let stages = json!([three(json!({})), model("join", json!({ "pause": pause }))]);
    let whole = agent(stages, json!({ "slug": "whole", "name": "Whole", "/pauseAfterStages": ["join"] }));
    let mut writer = part(json!({}));
    let files = json!([{ "path": "parts/{{ inputs.topic }}.md", "value": "outputs.polish.text" }]);
    writer.config.files = serde_json::from_value(files).unwrap();
    let mut world = World::new(brain(vec![]), Tools::none()).await;
    let (run, told) = world.run(whole, asked(vec![writer])).await;
    assert_eq!(told.exit, Exit::Paused, "{:?}", told.problem);
    let folder = world.session_folder(&run).await.join("parts");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(read("alpha.md"), "polish");

    std::fs::remove_file(folder.join("alpha.md")).unwrap();
    std::fs::write(folder.join("beta.md"), "by hand").unwrap();
    let mut world = world.reopened().await;
    let told = world.go(&run, choose("go")).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let said = |words: &str| {
        told.kinds.iter().any(|kind| matches!(kind, UiKind::Progress { text, .. } if text.contains(words)))
    };
    for words in [
        "Written again from the run's log: ",
        "parts/alpha.md is missing",
        "parts/beta.md was changed",
        "What stood there is kept as parts/beta.md.changed",
    ] {
        assert!(said(words), "{words}: {:?}", told.kinds);
    }
    assert_eq!([read("alpha.md"), read("beta.md"), read("gamma.md")], ["polish", "polish", "polish"]);
    assert_eq!(read("beta.md.changed"), "by hand");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 4, "nothing else was copied");

    // Written again on request, too.
    std::fs::remove_file(folder.join("gamma.md")).unwrap();
    let loaded = world.engine.load(&run).await.unwrap();
    world.engine.export(loaded, engine::ExportCheck::Rechecked).await.unwrap();
    assert_eq!(read("gamma.md"), "polish");
}
