//! Repair units: synthesis, verdict, again.

use domain::{ErrorCode, NanoUsd};
use pipeline::{RepairEnd, RepairOutcome, Status};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::rig::{Rig, digest, dollars, flow, model, reserve, verify};

fn unit(verdicts: &[(bool, i64)]) -> Rig {
    let mut config = flow(vec![model("s", json!({})), verify("v"), model("out", json!({}))]);
    config["controlFlow"]["repairUnits"] = json!([{ "stages": ["s", "v"], "maxIterations": 2 }]);
    Rig::new(config).verdicts("v", verdicts)
}

fn attempt(rig: &mut Rig, number: u32) {
    rig.good(&format!("s#{number}.0.0"));
    rig.good(&format!("v#{number}.0.0"));
}

#[test]
fn a_pass_at_once_needs_no_repair() {
    let mut rig = unit(&[(true, 1)]).start();
    attempt(&mut rig, 1);
    assert_eq!(rig.under_way(), ["out#1.0.0"]);
    assert_eq!(rig.count("repair_started"), 0);
}

#[test]
fn a_failed_verdict_runs_the_unit_again() {
    let mut rig = unit(&[(false, 1), (true, 2)]).start();
    attempt(&mut rig, 1);
    assert_eq!(rig.under_way(), ["s#2.0.0"]);
    assert_eq!((rig.stage("s").iteration, rig.stage("v").iteration), (1, 1));
    attempt(&mut rig, 2);
    assert_eq!(rig.under_way(), ["out#1.0.0"]);
    assert_eq!(rig.output("s"), Some(digest("s#2")));
    assert!(rig.state.repairs.is_empty());
}

#[test]
fn repairs_stop_at_the_maximum_and_the_best_attempt_stands() {
    let mut rig = unit(&[(false, 1), (false, 3), (false, 2)]).start();
    (1..=3).for_each(|number| attempt(&mut rig, number));
    assert_eq!(rig.under_way(), ["out#1.0.0"]);
    assert_eq!((rig.output("s"), rig.output("v")), (Some(digest("s#2")), Some(digest("v#2"))));
    let outcome = RepairOutcome { iterations: 2, reason: RepairEnd::Exhausted, chosen: 1, certified: false };
    assert_eq!(rig.state.repairs.get(&0), Some(&outcome));
    rig.good("out#1.0.0");
    assert_eq!(rig.status(), Status::Completed);
}

#[test]
fn among_equal_attempts_the_earliest_stands() {
    let mut rig = unit(&[(false, 2), (false, 2), (false, 2)]).start();
    (1..=3).for_each(|number| attempt(&mut rig, number));
    assert_eq!(rig.output("s"), Some(digest("s#1")));
}

#[test]
fn a_repair_that_gains_nothing_is_the_last_where_the_unit_says_so() {
    let mut config = flow(vec![model("s", json!({})), verify("v"), model("out", json!({}))]);
    config["controlFlow"]["repairUnits"] =
        json!([{ "stages": ["s", "v"], "maxIterations": 5, "stopWithoutGain": true }]);
    let mut rig = Rig::new(config).verdicts("v", &[(false, 1), (false, 3), (false, 3), (true, 9)]).start();
    (1..=3).for_each(|number| attempt(&mut rig, number));
    assert_eq!(rig.under_way(), ["out#1.0.0"]);
    assert_eq!(rig.output("s"), Some(digest("s#2")));
    let outcome = RepairOutcome { iterations: 2, reason: RepairEnd::NoGain, chosen: 1, certified: false };
    assert_eq!(rig.state.repairs.get(&0), Some(&outcome));
}

#[test]
fn a_repair_that_fails_leaves_the_best_attempt() {
    let mut rig = unit(&[(false, 5), (false, 1)]).start();
    attempt(&mut rig, 1);
    attempt(&mut rig, 2);
    rig.fails("s#3.0.0", None);
    assert_eq!(rig.output("s"), Some(digest("s#1")));
    assert_eq!(rig.state.repairs[&0].reason, RepairEnd::Failed);
    assert_eq!(rig.under_way(), ["out#1.0.0"]);
}

#[test]
fn a_repair_that_cannot_be_finished_leaves_the_best_attempt() {
    let mut rig = unit(&[(false, 5)]).start();
    attempt(&mut rig, 1);
    let problem = domain::Problem::new(ErrorCode::InvalidConfig, "bad template");
    rig.push(pipeline::Event::StageFailed { stage: "s".into(), attempt: 2, problem });
    assert!(rig.state.repairs.is_empty()); // a call of it is still under way
    rig.good("s#2.0.0");
    assert_eq!(rig.state.repairs[&0].reason, RepairEnd::Failed);
    assert_eq!(rig.under_way(), ["out#1.0.0"]);
}

#[test]
fn a_repair_without_budget_leaves_the_best_attempt() {
    let mut rig = unit(&[(false, 5)]).budget(dollars(180), reserve(0)).start();
    rig.costing("s#1.0.0", 90);
    rig.good("v#1.0.0");
    assert_eq!(rig.state.repairs[&0].reason, RepairEnd::Budget);
    assert_eq!(rig.output("s"), Some(digest("s#1")));
    assert_eq!(rig.count("budget_exceeded"), 1); // for the stage after it, which is not a repair
}

#[test]
fn costs_of_repairs_add_up() {
    let mut rig = unit(&[(false, 1), (false, 3), (false, 2)]).start();
    (1..=3).for_each(|number| attempt(&mut rig, number));
    assert_eq!((rig.stage("s").cost, rig.stage("s").usage.input), (NanoUsd(30), 30));
    rig.good("out#1.0.0");
    assert_eq!((rig.state.cost, rig.state.usage.input), (NanoUsd(40), 40));
}

#[test]
fn a_verdict_of_a_unit_without_repairs_is_final() {
    let mut config = flow(vec![model("s", json!({})), verify("v")]);
    config["controlFlow"]["repairUnits"] = json!([{ "stages": ["s", "v"], "maxIterations": 0 }]);
    let mut rig = Rig::new(config).verdicts("v", &[(false, 1)]).start();
    attempt(&mut rig, 1);
    assert_eq!(rig.status(), Status::Completed);
    assert_eq!(rig.state.repairs[&0].reason, RepairEnd::Exhausted);
}

#[test]
fn a_stage_outside_the_unit_waits_until_the_unit_is_settled() {
    let mut config =
        flow(vec![model("s", json!({})), verify("v"), model("reader", json!({ "dependsOn": ["s"] }))]);
    config["controlFlow"]["repairUnits"] = json!([{ "stages": ["s", "v"], "maxIterations": 1 }]);
    let mut rig = Rig::new(config).verdicts("v", &[(false, 1), (true, 2)]).start();
    attempt(&mut rig, 1);
    assert_eq!(rig.under_way(), ["s#2.0.0"]);
    attempt(&mut rig, 2);
    assert_eq!(rig.under_way(), ["reader#1.0.0"]);
}

#[test]
fn a_stage_that_was_skipped_in_the_attempt_that_stands_is_skipped_again() {
    let mut config = flow(vec![model("s", json!({})), model("extra", json!({})), verify("v")]);
    config["controlFlow"]["repairUnits"] = json!([{ "stages": ["s", "extra", "v"], "maxIterations": 1 }]);
    let mut rig = Rig::new(config).verdicts("v", &[(false, 5), (false, 1)]);
    rig.off.insert("extra".to_owned());
    let mut rig = rig.start();
    rig.good("s#1.0.0");
    rig.off.clear();
    rig.good("v#1.0.0");
    for call in ["s#2.0.0", "extra#1.0.0", "v#2.0.0"] {
        rig.good(call);
    }
    assert_eq!(rig.output("extra"), None);
    assert_eq!(rig.stage("extra").phase, pipeline::Phase::Skipped);
    assert_eq!(rig.status(), Status::Completed);
}
