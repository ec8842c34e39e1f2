//! The order in which things happen: chains, graphs, waves, bounds.

use pipeline::{Phase, Status};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::rig::{Rig, digest, flow, model, stage, tools};

#[test]
fn stages_of_a_chain_run_one_after_another() {
    let mut rig =
        Rig::chain(vec![model("a", json!({})), model("b", json!({})), model("c", json!({}))]).start();
    for id in ["a", "b", "c"] {
        let call = format!("{id}#1.0.0");
        assert_eq!(rig.under_way(), [call.as_str()]);
        rig.good(&call);
    }
    assert_eq!(rig.status(), Status::Completed);
    assert_eq!(rig.output("c"), Some(digest("c#1")));
}

#[test]
fn independent_stages_run_in_parallel_and_the_stage_after_both_waits() {
    let mut rig = Rig::chain(vec![
        model("a", json!({})),
        model("b", json!({ "dependsOn": [] })),
        model("c", json!({ "dependsOn": ["a", "b"] })),
    ])
    .start();
    assert_eq!(rig.under_way(), ["a#1.0.0", "b#1.0.0"]);
    rig.good("b#1.0.0");
    assert_eq!(rig.under_way(), ["a#1.0.0"]);
    rig.good("a#1.0.0");
    assert_eq!(rig.under_way(), ["c#1.0.0"]);
}

#[test]
fn results_are_kept_by_item_and_not_by_arrival() {
    let mut rig = Rig::chain(vec![tools("a", 1, json!({}))]).calls("a", 0, 3).start();
    rig.good("a#1.0.2");
    rig.good("a#1.0.0");
    let half: Vec<_> = rig.state.wave_results(&"a".into(), 0).into_iter().map(Result::unwrap).collect();
    assert_eq!(half, [digest("a#1.0.0"), digest("a#1.0.2")]);
    rig.good("a#1.0.1");
    let all: Vec<_> = rig.state.wave_results(&"a".into(), 0).into_iter().map(Result::unwrap).collect();
    assert_eq!(all, [digest("a#1.0.0"), digest("a#1.0.1"), digest("a#1.0.2")]);
}

#[test]
fn waves_follow_each_other_and_the_model_comes_last() {
    let mut rig = Rig::chain(vec![stage("a", "model", 2, json!({}))]).calls("a", 0, 2).start();
    assert_eq!(rig.under_way(), ["a#1.0.0", "a#1.0.1"]);
    rig.good("a#1.0.1");
    assert_eq!(rig.under_way(), ["a#1.0.0"]);
    rig.good("a#1.0.0");
    assert_eq!(rig.under_way(), ["a#1.1.0"]);
    rig.good("a#1.1.0");
    assert_eq!(rig.under_way(), ["a#1.2.0"]);
    assert!(rig.state.calls[&crate::rig::key("a#1.2.0")].model);
}

#[test]
fn a_wave_without_calls_is_passed_over() {
    let mut rig = Rig::chain(vec![tools("a", 2, json!({}))]).calls("a", 0, 0).start();
    assert_eq!(rig.under_way(), ["a#1.1.0"]);
    rig.good("a#1.1.0");
    assert_eq!(rig.status(), Status::Completed);
}

#[test]
fn no_more_calls_of_a_stage_are_under_way_than_it_allows() {
    let mut rig =
        Rig::chain(vec![tools("a", 1, json!({ "limits": { "parallel": 2 } }))]).calls("a", 0, 4).start();
    assert_eq!(rig.under_way(), ["a#1.0.0", "a#1.0.1"]);
    rig.good("a#1.0.0");
    assert_eq!(rig.under_way(), ["a#1.0.1", "a#1.0.2"]);
}

#[test]
fn no_more_calls_of_all_stages_are_under_way_than_the_agent_allows() {
    let mut config = flow(vec![
        tools("a", 1, json!({ "dependsOn": [] })),
        tools("b", 1, json!({ "dependsOn": [] })),
        tools("c", 1, json!({ "dependsOn": [] })),
    ]);
    config["controlFlow"]["maxParallel"] = json!(2);
    let mut rig = Rig::new(config).start();
    assert_eq!(rig.under_way(), ["a#1.0.0", "b#1.0.0"]);
    rig.good("b#1.0.0");
    assert_eq!(rig.under_way(), ["a#1.0.0", "c#1.0.0"]);
}

#[test]
fn a_stage_whose_condition_is_false_is_skipped_and_does_not_pause() {
    let mut rig = Rig::chain(vec![model("a", json!({ "pause": {} })), model("b", json!({}))]);
    rig.off.insert("a".to_owned());
    let rig = rig.start();
    assert_eq!(rig.stage("a").phase, Phase::Skipped);
    assert_eq!(rig.under_way(), ["b#1.0.0"]);
    assert_eq!(rig.count("pause_requested"), 0);
}

#[test]
fn the_order_of_parallel_stages_does_not_change_what_the_run_gives() {
    let run = |order: [&str; 2]| {
        let mut rig = Rig::chain(vec![model("a", json!({})), model("b", json!({ "dependsOn": [] }))]).start();
        order.iter().for_each(|call| rig.good(call));
        (rig.status(), rig.output("a"), rig.output("b"), rig.state.cost)
    };
    assert_eq!(run(["a#1.0.0", "b#1.0.0"]), run(["b#1.0.0", "a#1.0.0"]));
}
