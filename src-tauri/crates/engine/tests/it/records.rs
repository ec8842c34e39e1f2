//! Sentence records: kept with the answer, checked again before its files are written, judged by a stage that is data.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{ErrorCode, Problem, SentenceRecord};
use engine::{Answered, Exit, ExportCheck, PausePolicy, Recheck, StartRun};
use llm::{Answer, ScriptedProvider};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::isa::{self, Say, isa};
use crate::world::{PATIENCE, World, ask, ask_unattended, choose, corpus, section};

/// Finds that the first record does not hold.
struct Refuses;

#[async_trait]
impl Recheck for Refuses {
    async fn recheck(&self, records: &[SentenceRecord]) -> Result<(), Problem> {
        Err(Problem::new(ErrorCode::Corrupt, format!("not exported: sentence {}", records[0].n)))
    }

    async fn changed(&self, records: &[SentenceRecord]) -> Vec<String> {
        vec![format!("sentence {} of {} rests on another text now", records[0].n, records.len())]
    }
}

/// Says that it was asked, and finds nothing until it may go on.
struct Waits {
    asked: Semaphore,
    goes_on: Semaphore,
}

#[async_trait]
impl Recheck for Waits {
    async fn recheck(&self, _: &[SentenceRecord]) -> Result<(), Problem> {
        self.asked.add_permits(1);
        drop(self.goes_on.acquire().await);
        Ok(())
    }

    async fn changed(&self, _: &[SentenceRecord]) -> Vec<String> {
        Vec::new()
    }
}

fn answer_file(folder: &std::path::Path) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join("data/answer.json")).unwrap()).unwrap()
}

#[tokio::test]
async fn an_answer_whose_records_do_not_hold_is_written_only_when_the_person_insists() {
    let say = Say::default();
    let mut world = World::new(say.provider(), say.tools()).await;
    let (run, told) = world.run(isa(), ask_unattended(isa::QUESTION)).await;
    assert_eq!(told.exit, Exit::Completed);
    let folder = world.session_folder(&run).await;
    let records = &answer_file(&folder)["sentences"]["records"];
    assert_eq!((records[0]["n"].as_u64(), records[0]["verdict"].as_str()), (Some(1), Some("unverified")));

    std::fs::remove_dir_all(&folder).unwrap();
    let engine = world.engine_with(say.provider(), Some(Arc::new(Refuses)));
    let refused = engine.export(engine.load(&run).await.unwrap(), ExportCheck::Rechecked).await.unwrap_err();
    assert_eq!(refused.message, "not exported: sentence 1");
    assert!(folder.join("data/pipeline-state.json").exists(), "what happened is no answer");
    assert!(!folder.join("data/answer.json").exists() && !folder.join("plans").exists());

    engine.export(engine.load(&run).await.unwrap(), ExportCheck::Unchecked).await.unwrap();
    let mark = "Exported without checking its statements against their sources again.";
    for file in ["plans/answer.md", "plans/answer.html", "data/answer.json"] {
        assert!(std::fs::read_to_string(folder.join(file)).unwrap().contains(mark), "{file}");
    }
}

#[tokio::test]
async fn a_model_stage_may_judge_what_was_left_to_a_reader() {
    let mut agent = isa();
    let stage = json!({
        "id": "judge", "name": "judge", "title": "Judge", "kind": "model", "prompt": "judge.md",
        "context": [{ "section": "SENTENCES", "value": "outputs.verify.answer.records|selectattr('verdict', 'eq', 'unverified')|list" }],
        "outputSchema": { "type": "object", "required": ["judgements"], "properties": { "judgements": { "type": "array" } } },
    });
    let at = agent.config.control_flow.stages.len() - 1;
    let stage: domain::agent::Stage = serde_json::from_value(stage).unwrap();
    let Some(domain::agent::SchemaRef::Inline(schema)) = stage.output_schema.clone() else { unreachable!() };
    agent.schemas.insert(stage.id.clone(), Value::Object(schema));
    agent.prompts.insert("judge.md".to_owned(), "You judge sentences.".to_owned());
    agent.config.control_flow.stages.insert(at, stage);
    let output = agent.config.control_flow.stages.last_mut().unwrap();
    output.document.as_mut().unwrap().judge = Some("judge".to_owned());

    let say = Say::default();
    let others = say.clone();
    let provider =
        ScriptedProvider::answering(move |request| match request.system.starts_with("You judge") {
            true => Answer::json(
                &json!({ "judgements": [{ "n": 1, "finding": "entailed", "reason": "It says so." }] }),
            ),
            false => Answer::json(&match isa::stage(request) {
                "analyze" => others.plan.clone(),
                "calibrate" => others.calibration.clone(),
                _ => isa::synthesis(),
            }),
        });
    let mut world = World::new(provider, say.tools()).await;
    let (run, told) = world.run(agent, ask_unattended(isa::QUESTION)).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let answer = answer_file(&world.session_folder(&run).await);
    let record = &answer["sentences"]["records"][0];
    assert_eq!(
        (record["verdict"].as_str(), record["method"].as_str()),
        (Some("judged_supported"), Some("judge:scripted-1"))
    );
    assert!(world.markdown(&run).await.contains("**1 statement: 1 judged supported.**"));
}

#[tokio::test]
async fn a_follow_up_is_told_and_tells_what_of_the_earlier_answer_s_sources_has_changed() {
    let say = Say::default();
    let mut world = World::new(say.provider(), say.tools()).await;
    let (first, told) = world.run(isa(), ask_unattended(isa::QUESTION)).await;
    assert_eq!(told.exit, Exit::Completed);
    let provider = say.provider();
    let engine = world.engine_with(provider.clone(), Some(Arc::new(Refuses)));
    let start = StartRun {
        previous: Some(first),
        connection: Some("scripted".to_owned()),
        model: Some("scripted-1".to_owned()),
        ..ask_unattended("And what about electronic replies?")
    };
    let run = engine.start(isa(), Vec::new(), Some(corpus()), start).await.unwrap();
    let (exit, problem) = engine.wait(&run).await.unwrap();
    assert_eq!(exit, Exit::Completed, "{problem:?}");

    let line = "sentence 1 of 1 rests on another text now";
    let shown = provider
        .requests()
        .iter()
        .rev()
        .find_map(|request| section(request, "PRIOR_ANSWER_CONTEXT"))
        .unwrap();
    assert!(shown.contains("Changed since the earlier answer") && shown.contains(line), "{shown}");
    let markdown = world.markdown(&run).await;
    assert!(markdown.contains(&format!("### Changed since the earlier answer\n\n- {line}")), "{markdown}");
}

#[tokio::test]
async fn a_command_to_a_run_that_is_writing_its_files_keeps_no_other_run_waiting() {
    let say = Say::default();
    let world = World::new(say.provider(), say.tools()).await;
    let waits = Arc::new(Waits { asked: Semaphore::new(0), goes_on: Semaphore::new(0) });
    let engine = world.engine_with(say.provider(), Some(waits.clone()));
    let begin = |start: StartRun| {
        let named = Some("scripted".to_owned());
        let start = StartRun { connection: named, model: Some("scripted-1".to_owned()), ..start };
        engine.start(isa(), Vec::new(), Some(corpus()), start)
    };
    let paused = begin(ask(isa::QUESTION)).await.unwrap();
    assert_eq!(engine.wait(&paused).await.unwrap().0, Exit::Paused);
    let leaving = begin(ask_unattended(isa::QUESTION)).await.unwrap();
    let asked = tokio::time::timeout(PATIENCE, waits.asked.acquire()).await;
    asked.expect("it comes to its files").unwrap().forget();

    let (other, run) = (engine.clone(), leaving.clone());
    let told = tokio::spawn(async move { other.guide(&run, "One more thing".to_owned()).await });
    // Until the command waits for the end of that run.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let answer = engine.answer(&paused, None, choose("search"), PausePolicy::default());
    let answered = tokio::time::timeout(PATIENCE, answer).await.expect("nobody else waits");
    assert!(matches!(answered, Ok(Answered::Accepted { .. })), "{answered:?}");

    waits.goes_on.add_permits(100);
    assert_eq!(told.await.unwrap().unwrap_err().code, ErrorCode::Conflict);
    engine.wait(&paused).await.unwrap();
}
