//! Conversations that stages share: which one a stage goes on in, and how one hands over to a fresh one.

use pipeline::{Action, CallStatus, ChildEnd, ConversationFill, Event, Handoff, Phase, Status};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::children::{begins, failed, leaves};
use crate::rig::{Rig, digest, flow, key, stage, tools, verify};

fn shared(stages: Vec<Value>) -> Value {
    let mut config = flow(stages);
    config["orchestrator"] = json!({ "conversation": "continue", "system": "shared.md" });
    config
}

fn talk(id: &str, more: Value) -> Value {
    stage(id, "dialogue", 0, more)
}

/// Four stages in one conversation, of which the second pauses.
pub fn agent() -> Value {
    shared(vec![
        talk("a", json!({})),
        talk("b", json!({ "pause": {} })),
        talk("c", json!({})),
        talk("d", json!({})),
    ])
}

/// The turn of a stage gives its output.
fn talks(rig: &mut Rig, call: &str) {
    let child = format!("turn {call}");
    begins(rig, call, &child);
    let end = ChildEnd::Gated { output: digest(call) };
    let mut event = leaves(rig, call, &child, end, 30);
    if let Event::ChildRunFinished { fill, .. } = &mut event {
        fill.tokens = 30;
    }
    rig.push(event);
}

fn before(rig: &Rig, call: &str) -> Option<String> {
    rig.state.goes_on_from(&key(call)).map(ToString::to_string)
}

fn numbers(rig: &Rig) -> Vec<u32> {
    rig.state.stages.iter().map(|stage| stage.conversation()).collect()
}

/// A run that hands over before its third stage.
pub fn lived() -> Rig {
    let mut rig = Rig::new(agent());
    rig.cramped.insert("c".to_owned());
    let mut rig = rig.start();
    talks(&mut rig, "a#1.0.0");
    talks(&mut rig, "b#1.0.0");
    rig.answer("p1", Action::Proceed);
    rig.answer("p2", Action::HandOver);
    talks(&mut rig, "c#1.0.0");
    talks(&mut rig, "c#1.1.0");
    talks(&mut rig, "d#1.0.0");
    rig
}

#[test]
fn a_stage_goes_on_in_the_conversation_of_the_last_one_before_it() {
    let mut rig = Rig::new(shared(vec![
        talk("a", json!({})),
        tools("t", 1, json!({})),
        talk("r", json!({ "conversation": "fresh" })),
        talk("b", json!({})),
    ]))
    .start();
    assert_eq!(before(&rig, "a#1.0.0"), None);
    talks(&mut rig, "a#1.0.0");
    rig.good("t#1.0.0");
    assert_eq!(before(&rig, "r#1.0.0"), None);
    talks(&mut rig, "r#1.0.0");
    assert_eq!(before(&rig, "b#1.0.0").as_deref(), Some("a#1.0.0"));
    talks(&mut rig, "b#1.0.0");
    assert_eq!((numbers(&rig), rig.status()), (vec![1, 0, 0, 1], Status::Completed));
}

#[test]
fn an_attempt_that_the_person_wanted_begins_another_conversation_and_later_stages_go_on_there() {
    let mut rig = Rig::new(agent()).start();
    talks(&mut rig, "a#1.0.0");
    talks(&mut rig, "b#1.0.0");
    rig.apply(Event::Amended { stage: "b".into(), feedback: "shorter".to_owned() }).unwrap();
    rig.says("p1", Action::Amend, "shorter");
    assert_eq!((before(&rig, "b#2.0.0"), rig.stage("b").conversation()), (None, 2));
    talks(&mut rig, "b#2.0.0");
    rig.answer("p2", Action::Proceed);
    assert_eq!((before(&rig, "c#1.0.0").as_deref(), rig.stage("c").conversation()), (Some("b#2.0.0"), 2));
    let said: Vec<String> = rig.state.said_in(&key("b#2.0.0")).iter().map(ToString::to_string).collect();
    assert_eq!(said, ["b#2.0.0"]);
}

#[test]
fn a_stage_that_is_tried_again_begins_another_conversation() {
    let mut rig = Rig::new(agent()).start();
    talks(&mut rig, "a#1.0.0");
    begins(&mut rig, "b#1.0.0", "turn");
    let event = leaves(&rig, "b#1.0.0", "turn", failed(domain::ErrorCode::Provider), 5);
    rig.push(event);
    assert_eq!(rig.status(), Status::Failed);
    rig.push(Event::RunRetried { stage: "b".into() });
    assert_eq!((before(&rig, "b#2.0.0"), rig.stage("b").conversation()), (None, 2));
}

#[test]
fn after_repairs_a_stage_goes_on_from_the_attempt_that_stands() {
    let mut config =
        shared(vec![talk("a", json!({})), talk("b", json!({})), verify("check"), talk("c", json!({}))]);
    config["controlFlow"]["repairUnits"] = json!([{ "stages": ["b", "check"], "maxIterations": 1 }]);
    let mut rig = Rig::new(config).verdicts("check", &[(false, 600_000), (false, 500_000)]).start();
    talks(&mut rig, "a#1.0.0");
    talks(&mut rig, "b#1.0.0");
    rig.good("check#1.0.0");
    assert_eq!((before(&rig, "b#2.0.0"), rig.stage("b").conversation()), (None, 2));
    talks(&mut rig, "b#2.0.0");
    rig.good("check#2.0.0");
    assert_eq!(rig.state.repairs[&0].chosen, 0);
    assert_eq!((before(&rig, "c#1.0.0").as_deref(), rig.stage("c").conversation()), (Some("b#1.0.0"), 1));
}

#[test]
fn a_stage_that_did_not_run_is_no_part_of_the_conversation() {
    let mut rig = Rig::new(agent());
    rig.off.extend(["a".to_owned(), "c".to_owned()]);
    let mut rig = rig.start();
    assert_eq!((before(&rig, "b#1.0.0"), rig.stage("b").conversation()), (None, 1));
    talks(&mut rig, "b#1.0.0");
    rig.answer("p1", Action::Proceed);
    assert_eq!(before(&rig, "d#1.0.0").as_deref(), Some("b#1.0.0"));
}

#[test]
fn what_stands_before_a_summary_is_said_no_more() {
    let mut rig = Rig::new(agent()).start();
    talks(&mut rig, "a#1.0.0");
    begins(&mut rig, "b#1.0.0", "turn");
    let mut event = leaves(&rig, "b#1.0.0", "turn", ChildEnd::Gated { output: digest("b") }, 5);
    if let Event::ChildRunFinished { fill, .. } = &mut event {
        *fill = ConversationFill { tokens: 5, summarised: true };
    }
    rig.push(event);
    assert_eq!(rig.state.said_in(&key("b#1.0.0")), [key("b#1.0.0")]);
    assert_eq!(rig.state.said_in(&key("a#1.0.0")), [key("a#1.0.0")]);
}

#[test]
fn a_conversation_without_room_hands_over_and_the_stage_begins_a_fresh_one() {
    let mut rig = Rig::new(agent());
    rig.cramped.insert("b".to_owned());
    let mut rig = rig.start();
    talks(&mut rig, "a#1.0.0");
    assert_eq!((rig.status(), rig.pauses()), (Status::Paused, vec!["p1 b".to_owned()]));
    rig.answer("p1", Action::HandOver);
    // The old conversation is asked first; the stage itself goes on from nothing.
    assert_eq!((rig.under_way(), rig.stage("b").conversation()), (vec!["b#1.0.0".to_owned()], 2));
    assert_eq!(before(&rig, "b#1.0.0").as_deref(), Some("a#1.0.0"));
    rig.crash();
    talks(&mut rig, "b#1.0.0");
    assert_eq!(rig.stage("b").handoff(), Handoff::Done(digest("handoff")));
    assert_eq!((rig.under_way(), before(&rig, "b#1.1.0")), (vec!["b#1.1.0".to_owned()], None));
    talks(&mut rig, "b#1.1.0");
    rig.answer("p2", Action::Proceed);
    assert_eq!((before(&rig, "c#1.0.0").as_deref(), rig.stage("c").conversation()), (Some("b#1.1.0"), 2));
    assert_eq!(rig.state.said_in(&key("b#1.1.0")), [key("b#1.1.0")]);
    assert_eq!(rig.count("context_handoff_approved"), 1);
}

#[test]
fn a_stage_may_go_on_in_a_full_conversation_and_is_asked_about_once() {
    let mut rig = Rig::new(agent());
    rig.cramped.insert("b".to_owned());
    let mut rig = rig.start();
    talks(&mut rig, "a#1.0.0");
    rig.answer("p1", Action::GoOn);
    assert_eq!((before(&rig, "b#1.0.0").as_deref(), rig.stage("b").conversation()), (Some("a#1.0.0"), 1));
    talks(&mut rig, "b#1.0.0");
    assert_eq!((rig.stage("b").phase, rig.count("context_handoff_requested")), (Phase::Completed, 1));
    assert_eq!(rig.count("context_handoff_approved"), 0);
}

#[test]
fn a_run_can_be_cancelled_instead_of_handing_over() {
    let mut rig = Rig::new(agent());
    rig.cramped.insert("b".to_owned());
    let mut rig = rig.start();
    talks(&mut rig, "a#1.0.0");
    rig.answer("p1", Action::Cancel);
    assert_eq!(rig.status(), Status::Cancelled);
}

#[test]
fn what_does_not_belong_to_a_conversation_is_refused() {
    let requested = |stage: &str| Event::ContextHandoffRequested {
        stage: stage.into(),
        fill: 0.9,
        used: 900,
        window: 1_000,
        needed: 200,
    };
    let approved = |stage: &str| Event::ContextHandoffApproved { stage: stage.into(), handoff: digest("h") };
    let mut rig = Rig::new(agent());
    rig.cramped.insert("b".to_owned());
    let mut rig = rig.start();
    assert!(rig.refused(requested("a")).contains("not about to go on"));
    assert!(rig.refused(requested("b")).contains("not about to go on"));
    assert!(rig.refused(approved("a")).contains("asked to hand over"));
    talks(&mut rig, "a#1.0.0");
    assert!(rig.refused(requested("b")).contains("not about to go on"));
    let starts =
        |conversation| Event::StageStarted { stage: "b".into(), attempt: 1, iteration: 0, conversation };
    assert!(rig.refused(starts(2)).contains("another conversation"));
    assert!(rig.refused(crate::rig::resumed("p1", Action::Certify, None)).contains("does not fit"));
    rig.answer("p1", Action::HandOver);
    assert!(rig.refused(approved("b")).contains("asked to hand over"));
    assert_eq!(rig.state.calls[&key("b#1.0.0")].status, CallStatus::Requested);
}
