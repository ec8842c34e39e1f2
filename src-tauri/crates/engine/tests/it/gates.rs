//! Repair units with an outcome: what the person sees at a gate, what an answer does, what a rule of progress ends.

use std::collections::VecDeque;

use domain::ErrorCode;
use engine::{Answered, Exit, FormKind, PausePolicy, Reply};
use llm::{Answer, ScriptedProvider};
use pipeline::{Event, RepairEnd};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::agents::{agent, model, render};
use crate::tools::{Act, Tools};
use crate::world::{World, ask, choose, section};

/// An agent with the gate "Review", whose checks give these scores, and how often it answered.
async fn gate(more: Value, scores: &[f64]) -> (World, workspace::Agent) {
    let check = json!({ "id": "check", "name": "check", "title": "Check", "kind": "verify",
        "steps": [{ "tool": "kb/check", "collect": "checked" }],
        "pass": { "when": "scores.whole >= 0.9", "scores": { "whole": "collected.checked.score" } } });
    let stages = json!([model("write", json!({})), check, render("write")]);
    let mut unit = json!({ "name": "Review", "stages": ["write", "check"], "maxIterations": 1 });
    unit.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let mut drafts = 0;
    let provider = ScriptedProvider::answering(move |_| {
        drafts += 1;
        Answer::json(&json!({ "text": format!("Draft {drafts}.") }))
    });
    let mut scores: VecDeque<f64> = scores.iter().copied().collect();
    let tools = Tools::new(move |_| Act::Give(json!({ "score": scores.pop_front().unwrap() })));
    (World::new(provider, tools).await, agent(stages, json!({ "/repairUnits": [unit] })))
}

#[tokio::test]
async fn a_gate_shows_its_attempts_and_one_more_mends_the_best_with_the_persons_words() {
    let (mut world, agent) = gate(json!({ "onExhausted": "pause" }), &[0.6, 0.5, 0.7]).await;
    let (run, told) = world.run(agent, ask("q")).await;
    assert_eq!(told.exit, Exit::Paused);
    let form = told.form().clone();
    assert_eq!((form.kind, form.stage.as_str()), (FormKind::Gate, "check"));
    for part in ["Review", "First attempt: whole 60 % (the best; it stands now)", "Repair 1: whole 50 %"] {
        assert!(form.markdown.contains(part), "{}", form.markdown);
    }
    let choices: Vec<&str> = form.choices.iter().map(|choice| choice.id.as_str()).collect();
    assert_eq!(choices, ["certify", "again", "cancel"]);
    let unclear =
        world.answer(&run, Reply { text: Some("hm, why?".into()), ..Reply::default() }).await.unwrap();
    assert!(matches!(unclear, Answered::StillOpen { message, .. } if message.contains("One more attempt")));
    world.done(&run).await;
    crate::world::refused(world.answer(&run, choose("proceed")).await, ErrorCode::InvalidInput);
    world.done(&run).await;
    let again = Reply { text: Some("mind groups".into()), ..choose("again") };
    let told = world.go(&run, again).await;
    assert_eq!(told.exit, Exit::Paused);
    let shown = world.requests().last().and_then(|request| section(request, "AMEND_FEEDBACK"));
    assert!(shown.unwrap().contains("mind groups"));
    assert!(told.form().markdown.contains("Repair 2: whole 70 % (the best; it stands now)"));
    let mut world = world.reopened().await;
    assert_eq!(world.go(&run, choose("certify")).await.exit, Exit::Completed);
    let markdown = world.markdown(&run).await;
    assert!(markdown.contains("Draft 3.") && markdown.contains("certified with limitations"), "{markdown}");
}

#[tokio::test]
async fn a_check_puts_out_what_its_templates_say_beside_its_verdict() {
    let (mut world, mut agent) = gate(json!({}), &[0.95]).await;
    let output = json!({ "told": "{{ collected.checked.score }} of {{ scores.whole }}" });
    agent.config.control_flow.stages[1].output = output.as_object().cloned();
    let (run, told) = world.run(agent, ask("q")).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let output = world.output(&run, "check").await;
    assert_eq!((&output["told"], &output["needsRepair"]), (&json!("0.95 of 0.95"), &json!(false)));
    assert_eq!(output.get("checked"), None);
}

#[tokio::test]
async fn a_run_that_nobody_attends_accepts_what_stands() {
    let (mut world, agent) = gate(json!({ "onExhausted": "pause" }), &[0.6, 0.5]).await;
    let run = world.start(agent, ask("q")).await;
    assert_eq!(world.done(&run).await.exit, Exit::Paused);
    let attend = PausePolicy { unattended: true, ..PausePolicy::default() };
    assert_eq!(world.resume(&run, attend).await.exit, Exit::Completed);
    let markdown = world.markdown(&run).await;
    assert!(markdown.contains("Draft 1.") && markdown.contains("certified with limitations"), "{markdown}");
}

#[tokio::test]
async fn a_gate_that_fails_names_itself_and_a_retry_makes_one_more_attempt() {
    let (mut world, agent) = gate(json!({ "onExhausted": "fail" }), &[0.6, 0.5, 0.95]).await;
    let (run, told) = world.run(agent, ask("q")).await;
    let problem = told.problem.unwrap();
    assert_eq!(told.exit, Exit::Failed);
    assert!(
        problem.message.contains(
            "gate Review did not pass in 2 attempts (first attempt: whole 60 %; repair 1: whole 50 %)"
        ),
        "{problem}"
    );
    assert_eq!(world.resume(&run, PausePolicy::default()).await.exit, Exit::Completed);
    assert!(world.markdown(&run).await.contains("Draft 3."));
}

#[tokio::test]
async fn a_gate_that_certifies_says_so_in_the_documents_limits() {
    let (mut world, agent) = gate(json!({ "onExhausted": "certify" }), &[0.6, 0.5]).await;
    let (run, told) = world.run(agent, ask("q")).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let markdown = world.markdown(&run).await;
    for part in ["Draft 1.", "Check: certified with limitations", "Review: The check still found something"] {
        assert!(markdown.contains(part), "{markdown}");
    }
}

#[tokio::test]
async fn a_repair_without_enough_progress_is_the_last() {
    let rule = "scores.last.whole >= scores.before.whole + 0.1";
    let (mut world, agent) = gate(json!({ "maxIterations": 5, "progress": rule }), &[0.3, 0.5, 0.55]).await;
    let (run, told) = world.run(agent, ask("q")).await;
    assert_eq!(told.exit, Exit::Completed, "{:?}", told.problem);
    let log = world.log(&run).await;
    let progress: Vec<Option<bool>> = log
        .iter()
        .filter_map(|record| match &record.event {
            Event::StageCompleted { stage, progress, .. } if stage.as_str() == "check" => Some(*progress),
            _ => None,
        })
        .collect();
    assert_eq!(progress, [None, Some(true), Some(false)]);
    let ended = log.iter().find_map(|record| match &record.event {
        Event::RepairEnded { reason, chosen, .. } => Some((*reason, *chosen)),
        _ => None,
    });
    assert_eq!(ended, Some((RepairEnd::NoGain, 2)));
}
