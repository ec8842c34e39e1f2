//! Stages that runs of other agents carry out: several at once, each with its share, their pauses, their limits.

use domain::{Budget, ErrorCode, NanoUsd, Reserve, RunId};
use pipeline::{Action, CallStatus, ChildEnd, Decision, Event, PauseKind, Phase, Status};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::children::{begins, failed, gated, leaves};
use crate::rig::{Rig, digest, dollars, key, model, reserve, resumed, stage};

const CALL: &str = "a#1.0.0";

/// A stage of so many runs, each of which may use `whole` and begins with `least`.
fn planned(count: u32, left: u64, whole: u64, least: u64) -> Rig {
    let stages = vec![
        stage("a", "agent", 0, json!({ "agent": "other", "limits": { "parallel": 8 } })),
        model("b", json!({})),
    ];
    let mut flow = crate::rig::flow(stages);
    flow["controlFlow"]["maxParallel"] = json!(8);
    let mut rig = Rig::new(flow).budget(dollars(left), Reserve::default()).calls("a", 0, count);
    for planned in rig.plans.get_mut(&("a".to_owned(), 0)).unwrap() {
        (planned.least, planned.repeatable) = (reserve(least), false);
    }
    rig.reserve = reserve(whole);
    rig
}

fn wave(count: u32, left: u64, whole: u64, least: u64) -> Rig {
    planned(count, left, whole, least).start()
}

fn held(rig: &Rig, call: &str) -> u64 {
    rig.state.calls[&key(call)].held().cost.0
}

fn waits() -> ChildEnd {
    ChildEnd::Waits { form: digest("form") }
}

fn short(needed: u64) -> ChildEnd {
    ChildEnd::Short { needed: reserve(needed), out_of_time: false }
}

fn replied(pause: &str) -> Event {
    let Event::Resumed { pause, decision, .. } = resumed(pause, Action::Proceed, None) else {
        unreachable!("`resumed` makes one")
    };
    Event::Resumed { pause, decision, reply: Some(digest("reply")) }
}

#[test]
fn runs_of_a_wave_share_what_is_left_and_the_last_takes_what_the_others_left_over() {
    let mut rig = wave(4, 400, 1_000, 10);
    assert_eq!(rig.under_way().len(), 4);
    let shares: Vec<u64> = (0..4).map(|item| held(&rig, &format!("a#1.0.{item}"))).collect();
    assert_eq!(shares, [100, 100, 100, 100]);
    assert_eq!(rig.state.committed().cost, NanoUsd(400));
    begins(&mut rig, CALL, "run-1");
    let event = leaves(&rig, CALL, "run-1", gated(), 30);
    rig.push(event);
    assert_eq!(rig.state.committed().cost, NanoUsd(330), "what it did not use is free again");
}

#[test]
fn a_share_is_never_less_than_a_run_begins_with_and_those_without_one_wait() {
    let mut rig = wave(4, 300, 1_000, 120);
    assert_eq!(rig.under_way(), ["a#1.0.0", "a#1.0.1"]);
    assert_eq!((held(&rig, CALL), held(&rig, "a#1.0.1")), (120, 120));
    for (item, child) in [(0, "run-1"), (1, "run-2")] {
        let call = format!("a#1.0.{item}");
        begins(&mut rig, &call, child);
        let event = leaves(&rig, &call, child, gated(), 20);
        rig.push(event);
    }
    assert_eq!(rig.under_way(), ["a#1.0.2", "a#1.0.3"]);
}

#[test]
fn a_run_that_waits_lets_its_parent_pause_and_goes_on_with_the_person_s_reply() {
    let mut rig = wave(2, 1_000, 100, 10);
    for (item, child) in [(0, "run-1"), (1, "run-2")] {
        begins(&mut rig, &format!("a#1.0.{item}"), child);
    }
    let event = leaves(&rig, CALL, "run-1", waits(), 10);
    rig.push(event);
    assert_eq!((rig.status(), rig.pauses()), (Status::Running, vec!["p1 a".to_owned()]));
    let event = leaves(&rig, "a#1.0.1", "run-2", gated(), 10);
    rig.push(event);
    assert_eq!(rig.status(), Status::Paused);
    assert_eq!(rig.state.pauses[0].kind, PauseKind::Child { key: key(CALL) });
    assert!(rig.refused(resumed("p1", Action::Proceed, Some("yes"))).contains("needs the reply"));
    rig.push(replied("p1"));
    assert_eq!((rig.under_way(), rig.tries(CALL)), (vec![CALL.to_owned()], 2));
    assert_eq!(rig.state.pauses[0].reply, Some(digest("reply")));
    begins(&mut rig, CALL, "run-1");
    let event = leaves(&rig, CALL, "run-1", gated(), 25);
    rig.push(event);
    assert_eq!((rig.state.cost, rig.under_way()), (NanoUsd(35), vec!["b#1.0.0".to_owned()]));
    assert_eq!(rig.state.calls[&key(CALL)].children, [RunId::from("run-1")]);
}

#[test]
fn a_run_that_used_up_its_share_gets_another_where_there_is_enough() {
    let mut rig = wave(2, 100, 1_000, 10);
    assert_eq!((held(&rig, CALL), held(&rig, "a#1.0.1")), (50, 50));
    begins(&mut rig, CALL, "run-1");
    begins(&mut rig, "a#1.0.1", "run-2");
    let event = leaves(&rig, CALL, "run-1", short(60), 40);
    rig.push(event);
    assert_eq!(rig.state.calls[&key(CALL)].status, CallStatus::Planned, "10 are left beside the other's 50");
    let event = leaves(&rig, "a#1.0.1", "run-2", gated(), 0);
    rig.push(event);
    assert_eq!((held(&rig, CALL), rig.tries(CALL)), (60, 2));
    begins(&mut rig, CALL, "run-1");
    let event = leaves(&rig, CALL, "run-1", gated(), 100);
    rig.push(event);
    assert_eq!(rig.state.cost, NanoUsd(100));
}

#[test]
fn a_run_for_which_too_little_is_left_asks_for_a_higher_budget_once_nothing_else_goes_on() {
    let mut rig = wave(1, 100, 1_000, 10);
    begins(&mut rig, CALL, "run-1");
    let event = leaves(&rig, CALL, "run-1", short(60), 90);
    rig.push(event);
    assert_eq!((rig.status(), rig.count("budget_exceeded")), (Status::Paused, 1));
    assert_eq!(rig.state.pauses[0].kind, PauseKind::Budget);
    rig.answer("p1", Action::Raise { budget: dollars(200) });
    assert_eq!(held(&rig, CALL), 110);
}

#[test]
fn a_run_that_needs_more_than_it_may_ever_have_fails() {
    let mut rig = wave(1, 10_000, 50, 10);
    begins(&mut rig, CALL, "run-1");
    let event = leaves(&rig, CALL, "run-1", short(60), 40);
    rig.push(event);
    assert_eq!(rig.status(), Status::Failed);
    let (_, problem) = rig.state.failure.clone().unwrap();
    assert_eq!(problem.code, ErrorCode::Budget);
    // One that asks for what it has, and has used nothing of it, would ask for ever.
    let mut rig = wave(1, 10_000, 50, 10);
    begins(&mut rig, CALL, "run-1");
    let event = leaves(&rig, CALL, "run-1", short(50), 0);
    rig.push(event);
    assert_eq!(rig.status(), Status::Failed);
}

#[test]
fn an_optional_item_that_fails_leaves_the_others_standing() {
    let mut rig = planned(2, 1_000, 100, 10);
    rig.plans.get_mut(&("a".to_owned(), 0)).unwrap()[0].optional = true;
    let mut rig = rig.start();
    begins(&mut rig, CALL, "run-1");
    begins(&mut rig, "a#1.0.1", "run-2");
    let event = leaves(&rig, CALL, "run-1", failed(ErrorCode::Provider), 0);
    rig.push(event);
    let event = leaves(&rig, "a#1.0.1", "run-2", gated(), 0);
    rig.push(event);
    assert_eq!((rig.stage("a").phase, rig.under_way()), (Phase::Completed, vec!["b#1.0.0".to_owned()]));
    let results: Vec<bool> =
        rig.state.wave_results(&"a".into(), 0).iter().map(|result| result.is_ok()).collect();
    assert_eq!(results, [false, true], "by item");
}

#[test]
fn only_a_child_run_is_given_another_budget_and_its_pause_for_one_is_answered_with_it() {
    let mut plain = wave(1, 100, 50, 10);
    assert!(plain.refused(Event::BudgetSet { budget: dollars(5) }).contains("works for no other run"));
    let mut rig = Rig::chain(vec![model("m", json!({}))]).budget(dollars(10), Reserve::default());
    rig.reserve = reserve(40);
    let mut rig = rig.child().start();
    assert_eq!((rig.status(), rig.pauses()), (Status::Paused, vec!["p1 m".to_owned()]));
    rig.push(Event::BudgetSet { budget: dollars(60) });
    assert_eq!((rig.under_way(), rig.pauses().len()), (vec!["m#1.0.0".to_owned()], 0));
    let decision: Option<Decision> = rig.state.pauses[0].decision.clone();
    assert!(decision.is_some_and(|decision| decision.unattended));
    assert_eq!(rig.state.budget, Budget { cost: Some(NanoUsd(60)), tokens: None, active_ms: None });
}

#[test]
fn what_an_older_program_can_t_read_says_so_by_its_version() {
    let child = |end| leaves(&wave(1, 100, 50, 10), CALL, "run-1", end, 0).version();
    assert_eq!((child(gated()), child(waits()), child(short(1))), (1, 2, 2));
    assert_eq!((replied("p1").version(), resumed("p1", Action::Proceed, None).version()), (2, 1));
    assert_eq!(Event::BudgetSet { budget: dollars(1) }.version(), 2);
}
