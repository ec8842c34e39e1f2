//! Pauses and what the person's answers do.

use domain::StageId;
use pipeline::{Action, Event, Phase, SkippedBy, Status};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::rig::{Rig, digest, flow, model, resumed, verify};

fn paused() -> Rig {
    let choices = json!([{ "id": "skip", "label": "Skip", "action": "skip", "skips": "b" }]);
    let pause = json!({ "choices": choices, "replanOnAnswers": true });
    let mut rig = Rig::chain(vec![
        model("a", json!({ "pause": pause })),
        model("b", json!({ "pause": {} })),
        model("c", json!({})),
    ])
    .start();
    rig.good("a#1.0.0");
    rig
}

#[test]
fn a_pause_stops_the_stages_that_wait_for_it() {
    let rig = paused();
    assert_eq!(rig.status(), Status::Paused);
    assert_eq!(rig.pauses(), ["p1 a"]);
    assert!(rig.under_way().is_empty());
}

#[test]
fn a_stage_listed_in_pause_after_stages_pauses() {
    let mut config = flow(vec![model("a", json!({})), model("b", json!({}))]);
    config["controlFlow"]["pauseAfterStages"] = json!(["a"]);
    let mut rig = Rig::new(config).start();
    rig.good("a#1.0.0");
    assert_eq!(rig.pauses(), ["p1 a"]);
}

#[test]
fn other_branches_go_on_while_a_pause_is_open() {
    let mut rig = Rig::chain(vec![
        model("a", json!({ "pause": {} })),
        model("b", json!({})),
        model("c", json!({ "dependsOn": [] })),
        model("d", json!({ "dependsOn": ["c"] })),
    ])
    .start();
    rig.good("a#1.0.0");
    assert_eq!(rig.pauses(), ["p1 a"]);
    assert_eq!(rig.under_way(), ["c#1.0.0"]);
    assert_eq!(rig.status(), Status::Running);
    rig.good("c#1.0.0");
    assert_eq!(rig.under_way(), ["d#1.0.0"]);
    rig.good("d#1.0.0");
    assert_eq!(rig.status(), Status::Paused);
}

#[test]
fn proceed_goes_on() {
    let mut rig = paused();
    rig.answer("p1", Action::Proceed);
    assert_eq!(rig.under_way(), ["b#1.0.0"]);
}

#[test]
fn a_pause_is_answered_once() {
    let mut rig = paused();
    rig.answer("p1", Action::Proceed);
    let why = rig.refused(resumed("p1", Action::Cancel, None));
    assert_eq!(why, "resumed is impossible here: pause p1: it was answered already");
    assert!(!rig.state.is_cancelling());
}

#[test]
fn amend_runs_the_stage_again_and_pauses_again_however_often() {
    let mut rig = paused();
    for round in 1..=3 {
        rig.apply(Event::Amended { stage: "a".into(), feedback: format!("more {round}") }).unwrap();
        rig.says(&format!("p{round}"), Action::Amend, "more");
        let call = format!("a#{}.0.0", round + 1);
        assert_eq!(rig.under_way(), [call.as_str()]);
        rig.good(&call);
        assert_eq!(rig.pauses(), [format!("p{} a", round + 1)]);
    }
    assert_eq!(rig.stage("a").feedback, ["more 1", "more 2", "more 3"]);
}

#[test]
fn the_next_stages_pause_still_comes_after_an_amend_of_the_one_before() {
    let mut rig = paused();
    rig.answer("p1", Action::Amend);
    rig.good("a#2.0.0");
    rig.answer("p2", Action::Proceed);
    rig.good("b#1.0.0");
    assert_eq!(rig.pauses(), ["p3 b"]);
}

#[test]
fn feedback_that_a_crash_cut_from_its_answer_replaces_itself_when_given_again() {
    let mut rig = paused();
    rig.apply(Event::Amended { stage: "a".into(), feedback: "shorter".to_owned() }).unwrap();
    rig.apply(Event::Amended { stage: "a".into(), feedback: "shorter".to_owned() }).unwrap();
    rig.answer("p1", Action::Amend);
    assert_eq!(rig.stage("a").feedback, ["shorter"]);
}

#[test]
fn an_edit_changes_what_later_stages_see() {
    let mut rig = paused();
    rig.push(Event::Edited { stage: "a".into(), output: digest("mine"), depth: Some("deep".to_owned()) });
    assert_eq!(rig.status(), Status::Paused);
    rig.answer("p1", Action::Proceed);
    assert_eq!(rig.output("a"), Some(digest("mine")));
    assert_eq!(rig.state.edited_depth.as_deref(), Some("deep"));
}

#[test]
fn answers_make_no_new_plan_of_one_that_was_edited() {
    for edited in [false, true] {
        let mut rig = paused();
        rig.push(Event::Edited { stage: "a".into(), output: digest("mine"), depth: None });
        let Event::Resumed { pause, decision, reply: None } =
            resumed("p1", Action::Proceed, Some("banks only"))
        else {
            return;
        };
        rig.push(Event::Resumed { pause, decision: pipeline::Decision { edited, ..decision }, reply: None });
        assert_eq!(rig.under_way(), [if edited { "b#1.0.0" } else { "a#2.0.0" }]);
    }
}

#[test]
fn a_run_is_moved_while_it_waits_and_nothing_is_under_way() {
    let mut rig = paused();
    let moved = || Event::Repinned { pinned: digest("other"), essential: Default::default() };
    rig.push(moved());
    assert_eq!(rig.state.start.as_ref().map(|start| start.pinned), Some(digest("other")));
    rig.answer("p1", Action::Proceed);
    assert!(rig.refused(moved()).contains("only while it waits"));
}

#[test]
fn a_skip_skips_the_stage_that_it_names_and_no_other() {
    let mut rig = paused();
    rig.answer("p1", Action::Skip { stage: "b".into() });
    assert_eq!(rig.stage("b").phase, Phase::Skipped);
    assert_eq!(rig.stage("b").skipped, Some((SkippedBy::Person, "chosen".to_owned())));
    assert_eq!(rig.under_way(), ["c#1.0.0"]);
    rig.good("c#1.0.0");
    assert_eq!(rig.status(), Status::Completed);
    assert_eq!(rig.count("pause_requested"), 1);
}

#[test]
fn a_skip_that_the_pause_does_not_offer_is_refused() {
    let mut rig = paused();
    let why = rig.refused(resumed("p1", Action::Skip { stage: StageId::from("c") }, None));
    assert!(why.contains("does not offer to skip"), "{why}");
    assert_eq!(rig.pauses(), ["p1 a"]);
}

#[test]
fn a_stage_that_the_person_chose_to_skip_cannot_be_started() {
    let mut rig = paused();
    rig.apply(resumed("p1", Action::Skip { stage: "b".into() }, None)).unwrap();
    let why =
        rig.refused(Event::StageStarted { stage: "b".into(), attempt: 1, iteration: 0, conversation: 0 });
    assert!(why.contains("chose to skip"), "{why}");
}

#[test]
fn cancel_at_a_pause_ends_the_run() {
    let mut rig = paused();
    rig.answer("p1", Action::Cancel);
    assert_eq!(rig.status(), Status::Cancelled);
}

#[test]
fn answers_plan_once_more_without_pausing_again() {
    let mut rig = paused();
    rig.says("p1", Action::Proceed, "only listed companies");
    assert_eq!(rig.under_way(), ["a#2.0.0"]);
    rig.good("a#2.0.0");
    assert_eq!(rig.pauses(), Vec::<String>::new());
    assert_eq!(rig.under_way(), ["b#1.0.0"]);
}

#[test]
fn answers_plan_once_more_even_when_the_next_stage_is_skipped() {
    let mut rig = paused();
    rig.says("p1", Action::Skip { stage: "b".into() }, "only listed companies");
    assert_eq!(rig.under_way(), ["a#2.0.0"]);
    rig.good("a#2.0.0");
    assert_eq!(rig.stage("b").phase, Phase::Skipped);
    assert_eq!(rig.under_way(), ["c#1.0.0"]);
}

#[test]
fn answers_plan_once_more_only_once() {
    let mut rig = paused();
    rig.answer("p1", Action::Amend);
    rig.good("a#2.0.0");
    rig.says("p2", Action::Proceed, "only listed companies");
    rig.good("a#3.0.0");
    assert_eq!(rig.under_way(), ["b#1.0.0"]);
    rig.good("b#1.0.0");
    rig.says("p3", Action::Proceed, "b does not plan again");
    assert_eq!(rig.under_way(), ["c#1.0.0"]);
}

#[test]
fn blank_answers_are_no_answers() {
    let mut rig = paused();
    rig.says("p1", Action::Proceed, "  \n");
    assert_eq!(rig.under_way(), ["b#1.0.0"]);
}

#[test]
fn an_answer_that_does_not_fit_the_pause_is_refused() {
    let mut rig = paused();
    for action in [Action::Retry, Action::Raise { budget: Default::default() }] {
        let why = rig.refused(resumed("p1", action, None));
        assert!(why.contains("does not fit"), "{why}");
    }
}

#[test]
fn an_edit_without_an_open_pause_is_refused() {
    let mut rig = paused();
    rig.answer("p1", Action::Proceed);
    let why = rig.refused(Event::Edited { stage: "a".into(), output: digest("late"), depth: None });
    assert!(why.contains("no pause"), "{why}");
}

fn pause_in_unit() -> Rig {
    let mut config = flow(vec![model("a", json!({ "pause": {} })), verify("v"), model("c", json!({}))]);
    config["controlFlow"]["repairUnits"] = json!([{ "stages": ["a", "v"], "maxIterations": 1 }]);
    Rig::new(config)
}

#[test]
fn a_pause_in_a_repair_unit_comes_when_its_repairs_are_over() {
    let mut rig = pause_in_unit().verdicts("v", &[(false, 1), (true, 2)]).start();
    rig.good("a#1.0.0");
    assert!(rig.pauses().is_empty());
    rig.good("v#1.0.0");
    assert!(rig.pauses().is_empty());
    rig.good("a#2.0.0");
    rig.good("v#2.0.0");
    assert_eq!(rig.pauses(), ["p1 a"]);
    rig.answer("p1", Action::Proceed);
    assert_eq!(rig.under_way(), ["c#1.0.0"]);
}

#[test]
fn an_amend_in_a_repair_unit_is_verified_again_with_all_its_repairs() {
    let mut rig = pause_in_unit().verdicts("v", &[(false, 1), (false, 9), (false, 3), (false, 2)]).start();
    for call in ["a#1.0.0", "v#1.0.0", "a#2.0.0", "v#2.0.0"] {
        rig.good(call);
    }
    rig.answer("p1", Action::Amend);
    for call in ["a#3.0.0", "v#3.0.0", "a#4.0.0", "v#4.0.0"] {
        rig.good(call);
    }
    assert_eq!(rig.pauses(), ["p2 a"]);
    // The best attempt since the amendment, not the better one that the person did not want.
    assert_eq!(rig.output("a"), Some(digest("a#3")));
}

#[test]
fn an_edit_in_a_repair_unit_is_verified_again() {
    let mut rig = pause_in_unit().verdicts("v", &[(true, 1), (true, 2)]).start();
    rig.good("a#1.0.0");
    rig.good("v#1.0.0");
    rig.push(Event::Edited { stage: "a".into(), output: digest("mine"), depth: None });
    rig.answer("p1", Action::Proceed);
    assert_eq!(rig.under_way(), ["v#2.0.0"]);
    rig.good("v#2.0.0");
    assert_eq!(rig.under_way(), ["c#1.0.0"]);
    assert_eq!(rig.output("a"), Some(digest("mine")));
}

#[test]
fn guidance_is_kept_in_order() {
    let mut rig = paused();
    rig.push(Event::GuidanceQueued { text: "one".to_owned() });
    rig.push(Event::GuidanceQueued { text: "two".to_owned() });
    assert_eq!(rig.state.guidance, ["one", "two"]);
}
