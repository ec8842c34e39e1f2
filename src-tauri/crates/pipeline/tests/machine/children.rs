//! Stages that child runs carry out: one call, a child for each word of the person, one output.

use domain::{ErrorCode, NanoUsd, Problem, Reserve, RunId, Usage};
use pipeline::{Action, CallStatus, ChildEnd, ConversationFill, Event, PauseKind, Phase, Status};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::rig::{Rig, answer, digest, dollars, key, model, reserve, stage};

const CALL: &str = "a#1.0.0";

fn talk() -> Rig {
    Rig::chain(vec![stage("a", "dialogue", 0, json!({})), model("b", json!({}))])
}

pub fn begins(rig: &mut Rig, call: &str, child: &str) {
    rig.push(Event::ChildRunStarted { key: key(call), child: RunId::from(child) });
}

/// A child leaves off; it has used so much in its whole life.
pub fn leaves(rig: &Rig, call: &str, child: &str, end: ChildEnd, used: u64) -> Event {
    Event::ChildRunFinished {
        key: key(call),
        r#try: rig.tries(call),
        child: RunId::from(child),
        end,
        usage: Usage { input: used, ..Usage::default() },
        cost: NanoUsd(used),
        equivalent: NanoUsd(used),
        doubtful: Reserve::default(),
        ms: 5,
        fill: ConversationFill::default(),
    }
}

pub fn gated() -> ChildEnd {
    ChildEnd::Gated { output: digest("made") }
}

fn asks() -> ChildEnd {
    ChildEnd::Asks { said: digest("said") }
}

pub fn failed(code: ErrorCode) -> ChildEnd {
    ChildEnd::Failed { problem: Problem::new(code, "broken") }
}

#[test]
fn a_stage_ends_with_what_its_child_gave_and_the_run_goes_on_by_itself() {
    let mut rig = talk().start();
    assert_eq!(rig.under_way(), [CALL]);
    begins(&mut rig, CALL, "run-1");
    let event = leaves(&rig, CALL, "run-1", gated(), 30);
    rig.push(event);
    assert_eq!(rig.under_way(), ["b#1.0.0"]);
    assert_eq!(rig.state.calls[&key(CALL)].status, CallStatus::Done(digest("made")));
    assert_eq!((rig.state.cost, rig.state.usage.input, rig.state.equivalent), (NanoUsd(30), 30, NanoUsd(30)));
    assert_eq!(rig.stage("a").cost, NanoUsd(30));
    rig.good("b#1.0.0");
    assert_eq!(rig.status(), Status::Completed);
}

#[test]
fn a_child_that_asks_pauses_the_run_until_the_person_answers_with_words() {
    let mut rig = talk().start();
    begins(&mut rig, CALL, "run-1");
    let event = leaves(&rig, CALL, "run-1", asks(), 10);
    rig.push(event);
    assert_eq!((rig.status(), rig.pauses()), (Status::Paused, vec!["p1 a".to_owned()]));
    assert_eq!(rig.state.pauses[0].kind, PauseKind::Dialogue { key: key(CALL) });
    assert_eq!(rig.state.calls[&key(CALL)].said, Some(digest("said")));
    let silent = crate::rig::resumed("p1", Action::Proceed, None);
    assert!(rig.refused(silent).contains("needs words"));
    assert!(rig.refused(crate::rig::resumed("p1", Action::Retry, Some("x"))).contains("does not fit"));
    rig.says("p1", Action::Proceed, "the blue one");
    assert_eq!((rig.under_way(), rig.tries(CALL)), (vec![CALL.to_owned()], 2));
    begins(&mut rig, CALL, "run-2");
    let event = leaves(&rig, CALL, "run-2", asks(), 7);
    rig.push(event);
    assert_eq!(rig.pauses(), ["p2 a"]);
    rig.says("p2", Action::Proceed, "yes");
    begins(&mut rig, CALL, "run-3");
    let event = leaves(&rig, CALL, "run-3", gated(), 1);
    rig.push(event);
    let children: Vec<&str> = rig.state.calls[&key(CALL)].children.iter().map(|run| run.0.as_str()).collect();
    assert_eq!(children, ["run-1", "run-2", "run-3"]);
    assert_eq!((rig.state.cost, rig.under_way()), (NanoUsd(18), vec!["b#1.0.0".to_owned()]));
}

#[test]
fn cancelling_at_its_question_ends_the_run() {
    let mut rig = talk().start();
    begins(&mut rig, CALL, "run-1");
    let event = leaves(&rig, CALL, "run-1", asks(), 10);
    rig.push(event);
    rig.answer("p1", Action::Cancel);
    assert_eq!(rig.status(), Status::Cancelled);
}

#[test]
fn a_crash_goes_on_with_the_same_child_and_doubts_nothing() {
    let mut rig = talk().start();
    begins(&mut rig, CALL, "run-1");
    rig.crash();
    let call = &rig.state.calls[&key(CALL)];
    assert_eq!((call.child.clone(), call.tries), (Some(RunId::from("run-1")), 2));
    assert_eq!((rig.state.maybe_paid_twice, rig.state.doubtful), (0, Reserve::default()));
    assert!(
        rig.refused(Event::ChildRunStarted { key: key(CALL), child: "run-2".into() })
            .contains("does not wait")
    );
    let late = Event::ChildRunFinished {
        key: key(CALL),
        r#try: 1,
        child: "run-1".into(),
        end: gated(),
        usage: Usage::default(),
        cost: NanoUsd(0),
        equivalent: NanoUsd(0),
        doubtful: Reserve::default(),
        ms: 0,
        fill: ConversationFill::default(),
    };
    assert!(rig.refused(late).contains("not awaited"));
    let event = leaves(&rig, CALL, "run-1", gated(), 20);
    rig.push(event);
    assert_eq!(rig.state.cost, NanoUsd(20));
}

#[test]
fn a_crash_before_the_child_had_a_name_issues_the_call_again_unasked() {
    let mut rig = talk().start();
    rig.crash();
    assert_eq!((rig.under_way(), rig.tries(CALL), rig.status()), (vec![CALL.to_owned()], 2, Status::Running));
    assert_eq!(rig.state.maybe_paid_twice, 0);
}

#[test]
fn a_failed_child_that_goes_on_in_the_next_attempt_is_counted_once() {
    let mut rig = talk().start();
    begins(&mut rig, CALL, "run-1");
    let event = leaves(&rig, CALL, "run-1", failed(ErrorCode::Provider), 40);
    rig.push(event);
    assert_eq!((rig.status(), rig.state.cost), (Status::Failed, NanoUsd(40)));
    rig.push(Event::RunRetried { stage: "a".into() });
    assert_eq!(rig.under_way(), ["a#2.0.0"]);
    begins(&mut rig, "a#2.0.0", "run-1");
    let event = leaves(&rig, "a#2.0.0", "run-1", gated(), 55);
    rig.push(event);
    assert_eq!(rig.state.cost, NanoUsd(55));
}

#[test]
fn the_failure_of_a_skippable_stage_s_child_skips_it() {
    let mut rig =
        Rig::chain(vec![stage("a", "dialogue", 0, json!({ "skippable": true })), model("b", json!({}))])
            .start();
    begins(&mut rig, CALL, "run-1");
    let event = leaves(&rig, CALL, "run-1", failed(ErrorCode::Provider), 0);
    rig.push(event);
    assert_eq!((rig.stage("a").phase, rig.under_way()), (Phase::Skipped, vec!["b#1.0.0".to_owned()]));
}

#[test]
fn a_cancelled_run_waits_for_its_child_to_leave_off() {
    let mut rig = talk().start();
    begins(&mut rig, CALL, "run-1");
    rig.push(Event::CancelRequested);
    assert_eq!(rig.status(), Status::Running);
    let event = leaves(&rig, CALL, "run-1", failed(ErrorCode::Cancelled), 9);
    rig.push(event);
    assert_eq!((rig.status(), rig.state.cost), (Status::Cancelled, NanoUsd(9)));
}

#[test]
fn a_child_takes_what_is_left_where_it_is_enough_to_begin_with() {
    let started = |left: u64, least: u64| {
        let mut rig = talk().budget(dollars(left), Reserve::default());
        rig.reserve = reserve(1_000);
        let mut rig = rig.calls("a", 0, 1);
        rig.plans.get_mut(&("a".to_owned(), 0)).unwrap()[0].least = reserve(least);
        rig.start()
    };
    let mut rig = started(300, 200);
    assert_eq!(rig.state.calls[&key(CALL)].held(), Reserve { cost: NanoUsd(300), tokens: 1_000 });
    assert_eq!(rig.state.committed().cost, NanoUsd(300));
    begins(&mut rig, CALL, "run-1");
    let event = leaves(&rig, CALL, "run-1", gated(), 250);
    rig.push(event);
    assert_eq!(rig.state.committed().cost, NanoUsd(250));
    let rig = started(150, 200);
    assert_eq!((rig.status(), rig.count("budget_exceeded")), (Status::Paused, 1));
    assert_eq!(rig.state.pauses[0].kind, PauseKind::Budget);
}

#[test]
fn nothing_but_its_child_carries_a_call_out() {
    let mut rig = talk().start();
    let ended = leaves(&rig, CALL, "run-1", gated(), 0);
    assert!(rig.refused(ended).contains("does not carry it out"));
    begins(&mut rig, CALL, "run-1");
    let valid = pipeline::Answer::Valid { output: digest("x"), left_out: Vec::new() };
    assert!(rig.refused(answer(CALL, 1, valid, 1)).contains("a child run carries it out"));
    let other = leaves(&rig, CALL, "run-2", gated(), 0);
    assert!(rig.refused(other).contains("does not carry it out"));
    let mut plain = Rig::chain(vec![model("a", json!({}))]).start();
    assert!(
        plain
            .refused(Event::ChildRunStarted { key: key(CALL), child: "run-1".into() })
            .contains("does not wait")
    );
}
