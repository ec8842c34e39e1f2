//! Events that can't be true are refused and leave no trace (`Rig::apply` compares the whole state).

use domain::{Budget, ErrorCode, NanoUsd, Problem, Usage};
use pipeline::{Answer, Cut, Event, IllegalEvent, PauseKind, PlannedCall, Record, RepairEnd, SkippedBy};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::rig::{Rig, answer, digest, flow, key, model, reserve, resumed, verify};

fn running() -> Rig {
    let mut config = flow(vec![model("a", json!({ "pause": {} })), model("s", json!({})), verify("v")]);
    config["controlFlow"]["repairUnits"] = json!([{ "stages": ["s", "v"], "maxIterations": 1 }]);
    Rig::new(config).start()
}

#[test]
fn a_gap_in_the_log_is_refused() {
    let mut rig = running();
    let before = rig.state.clone();
    for found in [0, rig.state.seq, rig.state.seq + 2] {
        let record = Record { seq: found, at: 0, v: 1, active_ms: 7, event: Event::Suspended };
        assert_eq!(rig.state.apply(&record), Err(IllegalEvent::Gap { last: before.seq, found }));
    }
    assert_eq!(rig.state, before);
}

#[test]
fn an_event_of_a_newer_program_is_refused() {
    let mut rig = running();
    let before = rig.state.clone();
    let record = Record { seq: before.seq + 1, at: 0, v: 3, active_ms: 7, event: Event::Suspended };
    let error = rig.state.apply(&record).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("event {} has version 3; this program reads up to 2", before.seq + 1)
    );
    assert_eq!(rig.state, before);
}

#[test]
fn nothing_can_happen_before_the_run_starts_or_after_it_ends() {
    let mut rig = Rig::chain(vec![model("a", json!({}))]);
    assert!(rig.refused(Event::CancelRequested).contains("has not started"));
    let mut rig = rig.start();
    rig.good("a#1.0.0");
    assert!(rig.refused(Event::CancelRequested).contains("has ended"));
    assert!(rig.refused(Event::RunRetried { stage: "a".into() }).contains("has ended"));
}

#[test]
fn impossible_events_are_refused_and_leave_no_trace() {
    let mut rig = running();
    let call = PlannedCall {
        request: digest("x"),
        reserve: reserve(1),
        least: domain::Reserve::default(),
        repeatable: false,
        optional: false,
        title: String::new(),
        name: String::new(),
    };
    let problem = || Problem::new(ErrorCode::Provider, "no");
    let valid = || Answer::Valid { output: digest("x"), left_out: Vec::new() };
    let completed = |stage: &str, attempt| Event::StageCompleted {
        stage: stage.into(),
        attempt,
        output: digest("x"),
        summary: String::new(),
        passed: None,
        scores: Default::default(),
        warnings: Vec::new(),
        progress: None,
    };
    let failed = |call: &str, r#try| Event::ModelCallFailed {
        key: key(call),
        r#try,
        problem: problem(),
        retry_in: None,
        usage: Usage { input: 5, ..Usage::default() },
        cost: NanoUsd(5),
        receipt: Default::default(),
    };
    let requested = |r#try, amount| Event::ModelCallRequested {
        key: key("a#1.0.0"),
        r#try,
        request: digest("a.0"),
        reserve: reserve(amount),
    };
    let start = rig.log[0].event.clone();
    let wave = |stage: &str, attempt, wave| Event::StagePlanned {
        stage: stage.into(),
        attempt,
        wave,
        calls: vec![call.clone()],
        cut: Cut::default(),
    };
    let pause = |stage: &str, kind| Event::PauseRequested { pause: "p1".into(), stage: stage.into(), kind };
    let skipped = |stage: &str| Event::StageSkipped {
        stage: stage.into(),
        by: SkippedBy::Config,
        why: String::new(),
        output: None,
    };
    let tool = |r#try| Event::ToolCallCompleted { key: key("a#1.0.0"), r#try, output: digest("x"), ms: 1 };
    let ended = |unit| Event::RepairEnded { unit, reason: RepairEnd::Failed, chosen: 0 };
    let budget = Budget::default();
    let wrong = vec![
        start,
        Event::StageStarted { stage: "a".into(), attempt: 1, iteration: 0, conversation: 0 },
        Event::StageStarted { stage: "s".into(), attempt: 1, iteration: 0, conversation: 0 },
        Event::StageStarted { stage: "nobody".into(), attempt: 1, iteration: 0, conversation: 0 },
        wave("a", 1, 0),
        wave("a", 1, 1),
        wave("s", 1, 0),
        wave("nobody", 1, 0),
        Event::CallPrepared { key: key("a#1.0.0"), request: digest("x"), reserve: reserve(1) },
        requested(1, 100),
        requested(2, 100),
        answer("a#1.0.0", 0, valid(), 5),
        answer("a#1.0.0", 2, valid(), 5),
        answer("a#1.0.7", 1, valid(), 5),
        answer("a#2.0.0", 1, valid(), 5),
        tool(1),
        failed("a#1.0.0", 2),
        failed("s#1.0.0", 1),
        Event::ToolCallFailed { key: key("a#1.0.0"), r#try: 1, problem: problem(), retry_in: None },
        Event::TimerSet { key: key("a#1.0.0"), ms: 1 },
        Event::TimerFired { key: key("a#1.0.0") },
        Event::OutcomeUnknown { key: key("a#1.0.0"), r#try: 2, continues: false },
        completed("a", 1),
        completed("s", 0),
        Event::StageFailed { stage: "a".into(), attempt: 2, problem: problem() },
        Event::StageFailed { stage: "s".into(), attempt: 1, problem: problem() },
        skipped("s"),
        skipped("nobody"),
        pause("a", PauseKind::Stage),
        pause("a", PauseKind::Ambiguous { key: key("a#1.0.0") }),
        pause("s", PauseKind::Budget),
        pause("nobody", PauseKind::Stage),
        resumed("p1", pipeline::Action::Proceed, None),
        Event::PauseFormatted { pause: "p1".into(), shape: String::new(), length: 0, form: digest("x") },
        Event::Edited { stage: "a".into(), output: digest("x"), depth: Some("deep".to_owned()) },
        Event::Amended { stage: "nobody".into(), feedback: String::new() },
        Event::RepairStarted { unit: 0, iteration: 1, scores: Default::default() },
        Event::RepairStarted { unit: 1, iteration: 1, scores: Default::default() },
        ended(1),
        Event::BudgetExceeded { stage: "nobody".into(), needed: reserve(1), left: budget },
        Event::RunCompleted,
        Event::RunFailed { stage: "a".into(), problem: problem() },
        Event::RunRetried { stage: "a".into() },
        Event::RunCancelled,
    ];
    for event in wrong {
        let text = format!("{event:?}");
        assert!(rig.apply(event).is_err(), "accepted: {text}");
    }
    rig.good("a#1.0.0");
    assert_eq!(rig.pauses(), ["p1 a"]);
}

#[test]
fn a_retry_of_a_stage_that_has_not_failed_is_refused() {
    let mut rig = Rig::chain(vec![model("a", json!({})), model("b", json!({}))]).start();
    rig.fails("a#1.0.0", None);
    for stage in ["b", "nobody"] {
        rig.refused(Event::RunRetried { stage: stage.into() });
    }
    assert_eq!(rig.status(), pipeline::Status::Failed);
}

#[test]
fn a_call_that_differs_from_its_plan_is_refused() {
    let mut rig = Rig::chain(vec![model("a", json!({}))]).start();
    rig.fails("a#1.0.0", Some(9));
    rig.apply(Event::TimerFired { key: key("a#1.0.0") }).unwrap();
    let other = |request: &str, amount| Event::ModelCallRequested {
        key: key("a#1.0.0"),
        r#try: 2,
        request: digest(request),
        reserve: reserve(amount),
    };
    assert!(rig.refused(other("a.0", 99)).contains("differs"));
    assert!(rig.refused(other("x", 100)).contains("differs"));
    assert!(rig.apply(other("a.0", 100)).is_ok());
}
