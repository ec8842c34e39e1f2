//! A run that repeats another: what it may take over, and when.

use std::collections::BTreeMap;

use domain::{NanoUsd, RunId, StageId, Usage};
use pipeline::{BaseRun, CallStatus, Event, Phase, ReusedCall, Status};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::rig::{Rig, digest, key, model};

fn from(call: &str) -> ReusedCall {
    let usage = Usage { input: 40, output: 2, ..Usage::default() };
    ReusedCall { run: RunId::from("base"), key: key(call), usage, cost: NanoUsd(7) }
}

fn reused(call: &str) -> Event {
    Event::CallReused { key: key(call), output: digest("old"), from: from(call) }
}

/// Two calls of which one is under way, and a stage after them.
fn two(base: Option<BaseRun>) -> Rig {
    let stages = vec![model("a", json!({ "limits": { "parallel": 1 } })), model("b", json!({}))];
    Rig::chain(stages).calls("a", 0, 2).base(base).start()
}

fn base(edits: &[(&str, &str)]) -> Option<BaseRun> {
    Some(BaseRun {
        run: RunId::from("base"),
        cache_key: "s".to_owned(),
        from: None,
        edits: edits
            .iter()
            .map(|(stage, text)| (StageId::from(*stage), digest(text)))
            .collect::<BTreeMap<_, _>>(),
    })
}

#[test]
fn a_call_that_was_taken_over_is_done_and_costs_nothing() {
    let mut rig = two(base(&[]));
    rig.push(reused("a#1.0.1"));
    let call = &rig.state.calls[&key("a#1.0.1")];
    assert_eq!((&call.status, call.tries), (&CallStatus::Done(digest("old")), 0));
    assert_eq!(call.reused, Some(from("a#1.0.1")));
    rig.costing("a#1.0.0", 5);
    assert_eq!(rig.stage("a").phase, Phase::Completed);
    rig.costing("b#1.0.0", 5);
    assert_eq!(
        (rig.status(), rig.state.cost, rig.count("model_call_requested")),
        (Status::Completed, NanoUsd(10), 2)
    );
}

#[test]
fn only_a_run_that_repeats_another_takes_over_only_what_was_never_issued() {
    assert!(two(None).refused(reused("a#1.0.1")).contains("repeats no other"));
    let mut rig = two(base(&[]));
    assert!(rig.refused(reused("a#1.0.0")).contains("issued already"));
    rig.push(reused("a#1.0.1"));
    assert!(rig.refused(reused("a#1.0.1")).contains("issued already"));
    assert!(rig.refused(reused("b#1.0.0")).contains("not running"));
    // A call that failed and is tried again was paid for: it goes on by itself.
    let mut rig = two(base(&[]));
    rig.fails("a#1.0.0", Some(5));
    assert!(rig.refused(reused("a#1.0.0")).contains("issued already"));
}

#[test]
fn an_output_that_was_edited_beforehand_stands_without_a_pause() {
    let edited = |text: &str| Event::Edited { stage: "a".into(), output: digest(text), depth: None };
    let mut rig = two(base(&[("a", "mine")]));
    assert!(rig.refused(edited("mine")).contains("no pause"));
    rig.good("a#1.0.0");
    rig.good("a#1.0.1");
    assert!(rig.refused(edited("another")).contains("no pause"));
    rig.push(edited("mine"));
    assert_eq!(rig.output("a"), Some(digest("mine")));
}

#[test]
fn older_programs_are_told_that_they_can_t_read_it() {
    assert_eq!(reused("a#1.0.0").version(), 2);
    assert_eq!(two(base(&[])).log[0].event.version(), 2);
    assert_eq!(two(None).log[0].event.version(), 1);
}
