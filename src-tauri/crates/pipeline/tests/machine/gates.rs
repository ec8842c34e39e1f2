//! Repair units that say what happens when their check still does not pass.

use pipeline::{Action, CheckpointCause, Event, Moment, Phase, RepairEnd, Status};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::rig::{Rig, digest, flow, model, resumed, verify};

fn gate(more: Value, verdicts: &[(bool, i64)]) -> Rig {
    let mut unit = json!({ "name": "review", "stages": ["s", "v"], "maxIterations": 1 });
    unit.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let mut config = flow(vec![model("s", json!({})), verify("v"), model("out", json!({}))]);
    config["controlFlow"]["repairUnits"] = json!([unit]);
    Rig::new(config).verdicts("v", verdicts).start()
}

fn attempts(rig: &mut Rig, numbers: std::ops::RangeInclusive<u32>) {
    for number in numbers {
        rig.good(&format!("s#{number}.0.0"));
        rig.good(&format!("v#{number}.0.0"));
    }
}

#[test]
fn a_gate_that_pauses_lets_nothing_on_until_it_is_answered() {
    let mut rig = gate(json!({ "onExhausted": "pause" }), &[(false, 3), (false, 1)]);
    attempts(&mut rig, 1..=2);
    assert_eq!((rig.status(), rig.pauses()), (Status::Paused, vec!["p1 v".to_owned()]));
    assert_eq!(rig.output("s"), Some(digest("s#1")), "the best attempt stands while the run waits");
    rig.answer("p1", Action::Certify);
    assert_eq!(rig.under_way(), ["out#1.0.0"]);
    assert!(rig.state.repairs[&0].certified);
    assert_eq!(rig.stage("v").warnings, ["certified with limitations"]);
    rig.good("out#1.0.0");
    assert_eq!(rig.status(), Status::Completed);
}

#[test]
fn again_allows_one_attempt_more_and_mends_what_stood() {
    let mut rig = gate(json!({ "onExhausted": "pause" }), &[(false, 3), (false, 1), (false, 2), (true, 9)]);
    attempts(&mut rig, 1..=2);
    rig.answer("p1", Action::Again);
    assert_eq!(rig.under_way(), ["s#3.0.0"]);
    assert_eq!((rig.stage("s").iteration, rig.state.most_repairs(0)), (2, 2));
    assert_eq!(rig.stage("s").mended().map(|attempt| attempt.attempt), Some(1));
    attempts(&mut rig, 3..=3);
    assert_eq!((rig.status(), rig.pauses()), (Status::Paused, vec!["p2 v".to_owned()]));
    rig.answer("p2", Action::Again);
    attempts(&mut rig, 4..=4);
    assert_eq!(rig.under_way(), ["out#1.0.0"]);
    assert_eq!((rig.count("repair_started"), rig.output("s")), (3, Some(digest("s#4"))));
    assert_eq!(rig.state.repairs.get(&0), None);
}

#[test]
fn a_gate_is_answered_with_its_own_answers_and_once() {
    let mut rig = gate(json!({ "onExhausted": "pause" }), &[(false, 3), (false, 1)]);
    attempts(&mut rig, 1..=2);
    for action in [Action::Proceed, Action::Amend, Action::Retry] {
        assert!(rig.refused(resumed("p1", action, None)).contains("does not fit what the pause asks"));
    }
    rig.answer("p1", Action::Certify);
    assert!(rig.refused(resumed("p1", Action::Again, None)).contains("answered already"));
}

#[test]
fn a_gate_can_end_the_run() {
    let mut rig = gate(json!({ "onExhausted": "pause" }), &[(false, 3), (false, 1)]);
    attempts(&mut rig, 1..=2);
    rig.answer("p1", Action::Cancel);
    assert_eq!(rig.status(), Status::Cancelled);
}

#[test]
fn a_gate_that_fails_says_what_was_tried_and_a_retry_makes_one_more_attempt() {
    let verdicts = [(false, 300_000), (false, 100_000), (false, 200_000), (true, 900_000)];
    let mut rig = gate(json!({ "onExhausted": "fail" }), &verdicts);
    attempts(&mut rig, 1..=2);
    assert_eq!((rig.status(), rig.stage("v").phase), (Status::Failed, Phase::Failed));
    let problem = rig.state.failure.clone().unwrap().1;
    assert_eq!(
        problem.message,
        "gate review did not pass in 2 attempts (first attempt: axis 30 %; repair 1: axis 10 %)"
    );
    assert!(problem.action.unwrap().contains("retry the run"));
    rig.push(Event::RunRetried { stage: "v".into() });
    assert_eq!(rig.under_way(), ["s#3.0.0"]);
    attempts(&mut rig, 3..=3);
    assert_eq!((rig.status(), rig.count("stage_failed")), (Status::Failed, 2));
    rig.push(Event::RunRetried { stage: "v".into() });
    attempts(&mut rig, 4..=4);
    rig.good("out#1.0.0");
    assert_eq!(rig.status(), Status::Completed);
}

#[test]
fn a_gate_fails_even_where_its_stage_may_be_skipped() {
    let mut check = verify("v");
    check["skippable"] = json!(true);
    let mut config = flow(vec![model("s", json!({})), check, model("out", json!({}))]);
    config["controlFlow"]["repairUnits"] =
        json!([{ "stages": ["s", "v"], "maxIterations": 1, "onExhausted": "fail" }]);
    let mut rig = Rig::new(config).verdicts("v", &[(false, 3), (false, 1)]).start();
    attempts(&mut rig, 1..=2);
    assert_eq!(rig.status(), Status::Failed);
    assert!(rig.state.failure.clone().unwrap().1.message.starts_with("gate of stage v did not pass"));
}

#[test]
fn a_gate_that_certifies_goes_on_with_the_best_attempt_and_says_so() {
    let mut rig = gate(json!({ "onExhausted": "certify" }), &[(false, 3), (false, 1)]);
    attempts(&mut rig, 1..=2);
    assert_eq!((rig.under_way(), rig.output("s")), (vec!["out#1.0.0".to_owned()], Some(digest("s#1"))));
    assert_eq!(rig.stage("v").warnings, ["certified with limitations"]);
    assert_eq!((rig.state.repairs[&0].reason, rig.state.repairs[&0].certified), (RepairEnd::Exhausted, true));
}

#[test]
fn a_gate_that_passes_needs_nobody() {
    for how in ["best", "pause", "fail", "certify"] {
        let mut rig = gate(json!({ "onExhausted": how }), &[(false, 3), (true, 5)]);
        attempts(&mut rig, 1..=2);
        assert_eq!(rig.under_way(), ["out#1.0.0"], "{how}");
        assert!(rig.stage("v").warnings.is_empty());
    }
}

#[test]
fn a_repair_without_progress_is_the_last_but_not_for_the_person() {
    let unit = json!({ "onExhausted": "pause", "maxIterations": 5, "progress": "false" });
    let mut rig = gate(unit, &[(false, 1), (false, 2), (false, 3)]);
    rig.progress = [false, true].into();
    attempts(&mut rig, 1..=2);
    assert_eq!((rig.state.repairs[&0].reason, rig.pauses()), (RepairEnd::NoGain, vec!["p1 v".to_owned()]));
    rig.answer("p1", Action::Again);
    assert_eq!((rig.under_way(), rig.state.most_repairs(0)), (vec!["s#3.0.0".to_owned()], 2));
    attempts(&mut rig, 3..=3);
    assert_eq!(rig.state.repairs[&0].reason, RepairEnd::Exhausted);
    assert_eq!(rig.pauses(), ["p2 v"]);
}

#[test]
fn a_repair_that_breaks_off_leads_to_the_gate_as_well() {
    let mut rig = gate(json!({ "onExhausted": "pause" }), &[(false, 3), (true, 5)]);
    attempts(&mut rig, 1..=1);
    rig.fails("s#2.0.0", None);
    assert_eq!((rig.state.repairs[&0].reason, rig.pauses()), (RepairEnd::Failed, vec!["p1 v".to_owned()]));
    rig.answer("p1", Action::Again);
    rig.good("s#3.0.0");
    rig.good("v#2.0.0");
    assert_eq!(rig.under_way(), ["out#1.0.0"]);
}

#[test]
fn a_crash_at_a_gate_loses_nothing() {
    let mut rig = gate(json!({ "onExhausted": "pause" }), &[(false, 3), (false, 1), (false, 2)]);
    attempts(&mut rig, 1..=2);
    rig.crash();
    assert_eq!(rig.pauses(), ["p1 v"]);
    rig.answer("p1", Action::Again);
    rig.crash(); // the call of the new attempt was under way: the person is asked about it, not about the gate
    assert_eq!(rig.pauses(), ["p2 s"]);
}

#[test]
fn what_an_older_program_can_t_read_of_a_gate_says_so_by_its_version() {
    let mut rig = gate(json!({ "onExhausted": "pause", "progress": "true" }), &[(false, 3), (false, 1)]);
    rig.progress = [true].into();
    attempts(&mut rig, 1..=2);
    rig.answer("p1", Action::Certify);
    let newer: Vec<&str> = rig
        .log
        .iter()
        .filter(|record| record.event.version() == 2)
        .map(|record| record.event.name())
        .collect();
    assert_eq!(newer, ["stage_completed", "pause_requested", "resumed"]);
}

#[test]
fn the_moments_of_a_log_tell_what_was_done_what_was_decided_and_each_cycle_of_repairs() {
    let mut rig = gate(json!({ "onExhausted": "pause" }), &[(false, 3), (false, 1)]);
    attempts(&mut rig, 1..=2);
    rig.answer("p1", Action::Certify);
    rig.good("out#1.0.0");
    let moments: Vec<Moment> =
        rig.log.iter().filter_map(|record| Moment::from_event(&record.event)).collect();
    let of = |trigger: CheckpointCause| moments.iter().filter(move |moment| moment.trigger == trigger);
    let stages = |trigger: CheckpointCause| {
        of(trigger).filter_map(|moment| Some(moment.stage.clone()?.0)).collect::<Vec<_>>()
    };
    assert_eq!(stages(CheckpointCause::StageComplete), ["s", "s", "out"]);
    assert_eq!(stages(CheckpointCause::CheckFailed), ["v", "v"]);
    assert_eq!(stages(CheckpointCause::Paused), ["v"]);
    assert_eq!(of(CheckpointCause::RepairStarted).map(|moment| moment.unit).collect::<Vec<_>>(), [Some(0)]);
    assert_eq!(of(CheckpointCause::Decided).count(), 1);
    let calls = of(CheckpointCause::ItemComplete).filter_map(|moment| moment.call.clone());
    assert_eq!(calls.filter(|call| call.stage.0 == "s").count(), 2);
    let ends = [moments.first(), moments.last()].map(|moment| moment.unwrap().trigger.as_str());
    assert_eq!(ends, ["run_started", "run_complete"]);
}
