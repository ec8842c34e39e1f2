//! Tool calls that need the person's permission.

use pipeline::{Action, CallStatus, Event, Phase, Status};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::rig::{Rig, digest, key, model, resumed, tools};

fn three_calls() -> Rig {
    Rig::chain(vec![tools("t", 1, json!({})), model("out", json!({}))]).calls("t", 0, 3).start()
}

fn held(rig: &mut Rig, call: &str) {
    let event = Event::CallNeedsPermission { key: key(call), r#try: rig.tries(call), asks: digest("asks") };
    rig.push(event);
}

#[test]
fn a_wave_asks_once_for_all_its_calls_when_the_others_have_ended() {
    let mut rig = three_calls();
    held(&mut rig, "t#1.0.0");
    assert_eq!(rig.pauses(), [""; 0], "two calls may still ask");
    rig.good("t#1.0.1");
    assert_eq!(rig.status(), Status::Running);
    held(&mut rig, "t#1.0.2");
    assert_eq!((rig.status(), rig.pauses()), (Status::Paused, vec!["p1 t".to_owned()]));
    rig.answer("p1", Action::Permit);
    assert_eq!(rig.under_way(), ["t#1.0.0", "t#1.0.2"], "the call that was allowed anyway is not made again");
    assert_eq!(rig.tries("t#1.0.0"), 2);
    rig.good("t#1.0.0");
    rig.good("t#1.0.2");
    rig.good("out#1.0.0");
    assert_eq!((rig.status(), rig.count("pause_requested")), (Status::Completed, 1));
}

#[test]
fn an_allowed_call_does_not_ask_again_whatever_becomes_of_it() {
    let mut rig = Rig::chain(vec![tools("t", 1, json!({}))]).start();
    held(&mut rig, "t#1.0.0");
    rig.answer("p1", Action::Permit);
    let again = Event::CallNeedsPermission { key: key("t#1.0.0"), r#try: 2, asks: digest("asks") };
    assert!(rig.refused(again).contains("allowed it already"));
    // A crash, then a failure that may pass: the permission holds.
    rig.push(Event::OutcomeUnknown { key: key("t#1.0.0"), r#try: 2, continues: false });
    assert_eq!(rig.under_way(), ["t#1.0.0"]);
    rig.fails("t#1.0.0", Some(0));
    assert_eq!(rig.under_way(), ["t#1.0.0"]);
    assert!(rig.state.calls[&key("t#1.0.0")].permitted);
    rig.good("t#1.0.0");
    assert_eq!(rig.status(), Status::Completed);
}

#[test]
fn refused_calls_fail_and_a_retry_asks_again() {
    let mut rig = three_calls();
    rig.good("t#1.0.0");
    held(&mut rig, "t#1.0.1");
    rig.good("t#1.0.2");
    rig.answer("p1", Action::Refuse);
    assert_eq!((rig.status(), rig.stage("t").phase), (Status::Failed, Phase::Failed));
    let problem = rig.state.failure.clone().unwrap().1;
    assert_eq!(problem.code, domain::ErrorCode::Permission);
    rig.push(Event::RunRetried { stage: "t".into() });
    held(&mut rig, "t#2.0.0");
    rig.good("t#2.0.1");
    rig.good("t#2.0.2");
    assert_eq!(rig.pauses(), ["p2 t"]);
    rig.answer("p2", Action::Permit);
    rig.good("t#2.0.0");
    rig.good("out#1.0.0");
    assert_eq!(rig.status(), Status::Completed);
}

#[test]
fn an_optional_call_that_is_refused_is_a_failed_one_and_the_stage_goes_on() {
    let mut rig = Rig::chain(vec![tools("t", 1, json!({})), model("out", json!({}))]).calls("t", 0, 2);
    for call in rig.plans.get_mut(&("t".to_owned(), 0)).unwrap() {
        call.optional = true;
    }
    let mut rig = rig.start();
    held(&mut rig, "t#1.0.0");
    rig.good("t#1.0.1");
    rig.answer("p1", Action::Refuse);
    assert!(matches!(rig.state.calls[&key("t#1.0.0")].status, CallStatus::Failed(_)));
    assert_eq!(rig.under_way(), ["out#1.0.0"]);
}

#[test]
fn permission_is_answered_with_its_own_answers() {
    let mut rig = Rig::chain(vec![tools("t", 1, json!({}))]).start();
    held(&mut rig, "t#1.0.0");
    for action in [Action::Proceed, Action::Certify, Action::Retry, Action::Amend] {
        assert!(rig.refused(resumed("p1", action, None)).contains("does not fit what the pause asks"));
    }
    let of_model = Rig::chain(vec![model("m", json!({}))]).start();
    let mut of_model = of_model;
    let held = Event::CallNeedsPermission { key: key("m#1.0.0"), r#try: 1, asks: digest("asks") };
    assert!(of_model.refused(held).contains("not issued"));
    rig.answer("p1", Action::Cancel);
    assert_eq!(rig.status(), Status::Cancelled);
}

#[test]
fn a_call_whose_outcome_is_unknown_is_settled_before_its_wave_asks() {
    let mut rig = Rig::chain(vec![tools("t", 1, json!({}))]).calls("t", 0, 2);
    for call in rig.plans.get_mut(&("t".to_owned(), 0)).unwrap() {
        call.repeatable = false;
    }
    let mut rig = rig.start();
    rig.push(Event::OutcomeUnknown { key: key("t#1.0.0"), r#try: 1, continues: false });
    held(&mut rig, "t#1.0.1");
    assert_eq!(rig.count("pause_requested"), 1, "the interrupted call may ask, too");
    rig.answer("p1", Action::Retry);
    held(&mut rig, "t#1.0.0");
    assert_eq!(rig.count("pause_requested"), 2);
    rig.answer("p2", Action::Permit);
    assert_eq!(rig.under_way(), ["t#1.0.0", "t#1.0.1"]);
}
