//! Graphs that cannot be run are refused with the place of the fault.

use pipeline::GraphError;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::rig::{flow, graph, model, verify};

fn refused(stages: Vec<Value>, units: Value) -> GraphError {
    let mut config = flow(stages);
    config["controlFlow"]["repairUnits"] = units;
    graph(config).unwrap_err()
}

#[test]
fn an_agent_without_stages_is_refused() {
    assert_eq!(refused(vec![], json!([])), GraphError::Empty);
}

#[test]
fn an_id_used_twice_is_refused() {
    let error = refused(vec![model("a", json!({})), model("a", json!({}))], json!([]));
    assert_eq!(error, GraphError::Duplicate("a".into()));
}

#[test]
fn a_reference_to_an_unknown_stage_names_its_place() {
    let error = refused(vec![model("a", json!({ "dependsOn": ["b"] }))], json!([]));
    assert_eq!(error, GraphError::Unknown { place: "/stages/0/dependsOn/0".to_owned(), stage: "b".into() });
    let mut config = flow(vec![model("a", json!({}))]);
    config["controlFlow"]["pauseAfterStages"] = json!(["a", "z"]);
    let error = graph(config).unwrap_err();
    assert_eq!(error, GraphError::Unknown { place: "/pauseAfterStages/1".to_owned(), stage: "z".into() });
}

#[test]
fn a_circle_is_named_in_full() {
    let stages = vec![
        model("a", json!({ "dependsOn": [] })),
        model("b", json!({ "dependsOn": ["c"] })),
        model("c", json!({ "dependsOn": ["a", "b"] })),
    ];
    let error = refused(stages, json!([]));
    assert_eq!(error.to_string(), "stages wait for each other in a circle: b -> c -> b");
}

#[test]
fn a_repair_unit_must_end_with_a_verify_stage() {
    let error = refused(
        vec![verify("v"), model("a", json!({}))],
        json!([{ "stages": ["v", "a"], "maxIterations": 1 }]),
    );
    assert_eq!(error, GraphError::NotVerified(0));
}

#[test]
fn a_repair_unit_must_judge_all_its_stages() {
    let stages = vec![model("a", json!({})), model("b", json!({ "dependsOn": [] })), verify("v")];
    let error = refused(stages, json!([{ "stages": ["a", "b", "v"], "maxIterations": 1 }]));
    assert_eq!(error, GraphError::NotJudged { unit: 0, stage: "a".into() });
}

#[test]
fn a_stage_belongs_to_one_repair_unit() {
    let units =
        json!([{ "stages": ["a", "v"], "maxIterations": 1 }, { "stages": ["a", "w"], "maxIterations": 1 }]);
    let error = refused(vec![model("a", json!({})), verify("v"), verify("w")], units);
    assert_eq!(error, GraphError::Overlap { unit: 1, stage: "a".into() });
}

#[test]
fn a_stage_between_those_of_a_repair_unit_must_be_in_it() {
    let stages = vec![model("a", json!({})), model("b", json!({})), verify("v")];
    let error = refused(stages, json!([{ "stages": ["a", "v"], "maxIterations": 1 }]));
    assert_eq!(error, GraphError::Between { unit: 0, stage: "b".into() });
}

#[test]
fn repair_units_that_wait_for_each_other_are_refused() {
    let stages = vec![
        model("a", json!({})),
        model("b", json!({ "dependsOn": ["a"] })),
        model("c", json!({ "dependsOn": [] })),
        stage_verify("v", &["a", "c"]),
        stage_verify("w", &["b", "c"]),
    ];
    let units = json!([{ "stages": ["a", "v"], "maxIterations": 1 }, { "stages": ["b", "c", "w"], "maxIterations": 1 }]);
    assert!(matches!(refused(stages, units), GraphError::Cycle(_)));
}

fn stage_verify(id: &str, on: &[&str]) -> Value {
    let mut stage = verify(id);
    stage["dependsOn"] = json!(on);
    stage
}
