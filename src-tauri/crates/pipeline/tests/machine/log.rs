//! The form of the log: what was written once must be read for ever.

use std::collections::BTreeMap;

use domain::{Budget, Digest, DraftPlace, ErrorCode, NanoUsd, Problem, Reserve, Usage};
use pipeline::{
    Action, Answer, ChildEnd, ConversationFill, Cut, CutContext, Decision, Event, Handoff, PauseKind,
    PlannedCall, Receipt, Record, RepairEnd, SkippedBy, State, Status,
};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::conversations;
use crate::rig::{Rig, digest, dollars, flow, graph, key, model, reserve, resumed, stage, verify};

const GOLDEN: &str = include_str!("../golden/v1.jsonl");
const GOLDEN_CONTINUED: &str = include_str!("../golden/v2-continued.jsonl");
const GOLDEN_GATE: &str = include_str!("../golden/v2-gate.jsonl");

fn agent() -> serde_json::Value {
    let choices = json!([{ "id": "skip", "label": "Skip", "action": "skip", "skips": "web" }]);
    let mut config = flow(vec![
        model("plan", json!({ "pause": { "choices": choices, "replanOnAnswers": true } })),
        model("web", json!({})),
        stage("find", "tools", 2, json!({ "limits": { "parallel": 2 } })),
        model("write", json!({ "essential": true })),
        verify("check"),
        stage("out", "render", 0, json!({})),
    ]);
    config["controlFlow"]["repairUnits"] = json!([{ "stages": ["write", "check"], "maxIterations": 1 }]);
    config
}

/// One run with most types of events.
fn lived() -> Rig {
    let mut rig = Rig::new(agent())
        .calls("find", 0, 2)
        .verdicts("check", &[(false, 600_000), (false, 500_000)])
        .budget(dollars(400), reserve(100))
        .start();
    rig.push(Event::FollowupContextLoaded { number: 1, context: Some(digest("before")), warning: None });
    rig.bad("plan#1.0.0");
    rig.good("plan#1.0.0");
    rig.push(Event::GuidanceQueued { text: "mind groups".to_owned() });
    rig.apply(Event::Amended { stage: "plan".into(), feedback: "shorter".to_owned() }).unwrap();
    rig.says("p1", Action::Amend, "shorter");
    rig.crash();
    rig.answer("p2", Action::Retry);
    rig.good("plan#2.0.0");
    rig.push(Event::Edited {
        stage: "plan".into(),
        output: digest("edited"),
        depth: Some("deep".to_owned()),
    });
    rig.answer("p3", Action::Skip { stage: "web".into() });
    rig.push(Event::Suspended);
    rig.push(Event::Continued);
    rig.fails("find#1.0.1", Some(40));
    rig.push(Event::TimerFired { key: key("find#1.0.1") });
    rig.good("find#1.0.0");
    rig.good("find#1.0.1");
    rig.fails("find#1.1.0", None);
    rig.push(Event::RunRetried { stage: "find".into() });
    for call in ["find#2.0.0", "find#2.0.1", "find#2.1.0"] {
        rig.good(call);
    }
    rig.costing("write#1.0.0", 90);
    rig.good("check#1.0.0");
    rig.costing("write#2.0.0", 60);
    rig.good("check#2.0.0");
    rig
}

#[test]
fn the_golden_log_of_version_1_still_folds_to_the_same_run() {
    let mut state = State::new(graph(agent()).unwrap().into());
    for line in GOLDEN.lines() {
        state.apply(&serde_json::from_str::<Record>(line).unwrap()).unwrap();
    }
    let stages: Vec<_> = state.stages.iter().map(|s| (s.phase, s.attempt, s.iteration, s.cost.0)).collect();
    use pipeline::Phase::{Completed, Skipped};
    assert_eq!(state.status(), Status::Completed);
    assert_eq!(
        stages,
        [
            (Completed, 2, 0, 30),
            (Skipped, 0, 0, 0),
            (Completed, 2, 0, 0),
            (Completed, 2, 1, 150),
            (Completed, 2, 1, 0),
            (Completed, 1, 0, 0),
        ]
    );
    assert_eq!((state.cost, state.usage.input, state.doubtful), (NanoUsd(180), 180, reserve(100)));
    assert_eq!((state.maybe_paid_twice, state.active_ms, state.pauses.len()), (1, 0, 3));
    assert_eq!(state.repairs[&0].chosen, 0);
    assert_eq!(state.stages[0].output, Some(digest("edited")));
    assert_eq!(state.stages[3].output, Some(digest("write#1")));
}

/// A unit that pauses at its gate, with a rule of progress.
fn gated() -> serde_json::Value {
    let mut config =
        flow(vec![model("write", json!({})), verify("check"), stage("out", "render", 0, json!({}))]);
    let unit =
        json!({ "name": "review", "stages": ["write", "check"], "maxIterations": 2, "progress": "true" });
    config["controlFlow"]["repairUnits"] = json!([unit]);
    config["controlFlow"]["repairUnits"][0]["onExhausted"] = json!("pause");
    config
}

/// One run that stops at its gate twice: one attempt more, then accepted as it stands.
fn lived_at_a_gate() -> Rig {
    let verdicts = [(false, 600_000), (false, 500_000), (false, 550_000)];
    let mut rig = Rig::new(gated()).verdicts("check", &verdicts);
    rig.progress = [false, false].into();
    let mut rig = rig.start();
    for number in 1..=2 {
        rig.good(&format!("write#{number}.0.0"));
        rig.good(&format!("check#{number}.0.0"));
    }
    rig.apply(Event::Amended { stage: "check".into(), feedback: "mind groups".to_owned() }).unwrap();
    rig.says("p1", Action::Again, "mind groups");
    rig.good("write#3.0.0");
    rig.good("check#3.0.0");
    rig.answer("p2", Action::Certify);
    rig
}

#[test]
fn the_golden_log_of_a_gate_still_folds_to_the_same_run() {
    let mut state = State::new(graph(gated()).unwrap().into());
    for line in GOLDEN_GATE.lines() {
        state.apply(&serde_json::from_str::<Record>(line).unwrap()).unwrap();
    }
    assert_eq!((state.status(), state.pauses.len(), state.stages[0].attempt), (Status::Completed, 2, 3));
    let outcome = &state.repairs[&0];
    assert_eq!((outcome.reason, outcome.chosen, outcome.certified), (RepairEnd::NoGain, 0, true));
    assert_eq!(state.stages[0].output, Some(digest("write#1")));
    assert_eq!(state.stages[1].warnings, ["certified with limitations"]);
}

#[test]
fn this_version_still_writes_the_golden_log_of_a_gate() {
    golden(&lived_at_a_gate(), GOLDEN_GATE, "v2-gate");
}

#[test]
fn the_golden_log_of_a_continued_conversation_still_folds_to_the_same_run() {
    let mut state = State::new(graph(conversations::agent()).unwrap().into());
    for line in GOLDEN_CONTINUED.lines() {
        state.apply(&serde_json::from_str::<Record>(line).unwrap()).unwrap();
    }
    assert_eq!((state.status(), state.pauses.len()), (Status::Completed, 2));
    let numbers: Vec<u32> = state.stages.iter().map(|stage| stage.conversation()).collect();
    assert_eq!(numbers, [1, 1, 2, 2]);
    assert_eq!(state.stages[2].handoff(), Handoff::Done(digest("handoff")));
}

#[test]
fn this_version_still_writes_the_golden_log_of_a_continued_conversation() {
    golden(&conversations::lived(), GOLDEN_CONTINUED, "v2-continued");
}

/// `UPDATE_GOLDEN=1` writes the log of a new version; logs of released versions stay as they are.
#[test]
fn this_version_still_writes_the_golden_log() {
    golden(&lived(), GOLDEN, "v1");
}

fn golden(lived: &Rig, golden: &str, name: &str) {
    let lines: Vec<String> = lived.log.iter().map(|record| serde_json::to_string(record).unwrap()).collect();
    let written = lines.join("\n") + "\n";
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = format!("{}/tests/golden/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
        std::fs::write(path, &written).unwrap();
        return;
    }
    assert!(
        written == golden,
        "the log of the golden run differs: raise EVENT_VERSION and keep reading the old one"
    );
}

#[test]
fn every_event_survives_its_written_form() {
    let call = key("7#1.2.3");
    let problem = Problem::new(ErrorCode::Deadline, "too long").with_action("wait").retryable();
    let usage =
        Usage { input: 1, output: 2, thinking: 3, cache_read: 4, cache_write: 5, cache_write_long: 6 };
    let scores: BTreeMap<String, i64> = [("citation".to_owned(), -999_999)].into();
    let budget = Budget { cost: Some(NanoUsd(u64::MAX)), tokens: Some(1), active_ms: Some(2) };
    let left = |end| Event::ChildRunFinished {
        key: key("7#1.0.0"),
        r#try: 1,
        child: "run-1".into(),
        end,
        usage,
        cost: NanoUsd(1),
        equivalent: NanoUsd(2),
        doubtful: reserve(3),
        ms: 4,
        fill: ConversationFill { tokens: 6, summarised: true },
    };
    let planned = PlannedCall {
        request: digest("r"),
        reserve: reserve(9),
        least: Reserve::default(),
        repeatable: true,
        optional: true,
        title: "Søk \u{2028}".to_owned(),
        name: String::new(),
    };
    let cut = Cut {
        items: 3,
        unaffordable: 1,
        contexts: vec![CutContext { item: 1, left_out: vec!["HINTS cut".to_owned()] }],
    };
    let decision = Decision {
        choice: "raise".to_owned(),
        action: Action::Raise { budget },
        text: Some("why".to_owned()),
        answers: [("1".to_owned(), "yes".to_owned())].into(),
        unattended: true,
        edited: true,
        because: None,
        follow_up: false,
        at: None,
    };
    let receipt = Receipt {
        received: Some(digest("received")),
        request_id: Some("req_1".to_owned()),
        equivalent: NanoUsd(7),
        response_id: Some("resp_1".to_owned()),
        continues: true,
    };
    let completed = |answer| Event::ModelCallCompleted {
        key: call.clone(),
        r#try: 2,
        answer,
        usage,
        cost: NanoUsd(3),
        stop: "max_tokens".to_owned(),
        model: "m".to_owned(),
        response_id: Some("r".to_owned()),
        truncated: true,
        ms: 12,
        receipt: receipt.clone(),
    };
    let pause = |kind| Event::PauseRequested { pause: "p1".into(), stage: "7".into(), kind };
    let by = [SkippedBy::Config, SkippedBy::Person, SkippedBy::Failure, SkippedBy::Budget];
    let mut events = vec![
        Rig::new(agent()).budget(budget, reserve(8)).permits_retry().start().log[0].event.clone(),
        Event::FollowupContextLoaded { number: 2, context: None, warning: Some("gone".to_owned()) },
        Event::StageStarted { stage: "7".into(), attempt: 1, iteration: 2, conversation: 3 },
        Event::StagePlanned { stage: "7".into(), attempt: 1, wave: 0, calls: vec![planned], cut },
        Event::CallPrepared { key: call.clone(), request: digest("r"), reserve: reserve(1) },
        Event::ModelCallRequested {
            key: call.clone(),
            r#try: 1,
            request: digest("r"),
            reserve: Reserve::default(),
        },
        Event::ModelCallAccepted { key: call.clone(), r#try: 1, response_id: "resp_1".to_owned() },
        Event::ModelCallDrafted { key: call.clone(), r#try: 1, words: 250, draft: digest("d"), place: None },
        Event::ModelCallDrafted {
            key: call.clone(),
            r#try: 1,
            words: 250,
            draft: digest("d"),
            place: Some(DraftPlace::Field { name: "text".to_owned() }),
        },
        completed(Answer::Valid { output: digest("o"), left_out: Vec::new() }),
        completed(Answer::Invalid { text: digest("t"), errors: vec!["e".to_owned()] }),
        Event::ModelCallFailed {
            key: call.clone(),
            r#try: 1,
            problem: problem.clone(),
            retry_in: Some(0),
            usage,
            cost: NanoUsd(1),
            receipt: receipt.clone(),
        },
        Event::ToolCallRequested { key: call.clone(), r#try: 1, request: digest("r") },
        Event::ToolCallCompleted { key: call.clone(), r#try: 1, output: digest("o"), ms: 0 },
        Event::ToolCallFailed { key: call.clone(), r#try: 1, problem: problem.clone(), retry_in: None },
        Event::TimerSet { key: call.clone(), ms: 5 },
        Event::TimerFired { key: call.clone() },
        Event::OutcomeUnknown { key: call.clone(), r#try: 1, continues: false },
        Event::OutcomeUnknown { key: call.clone(), r#try: 1, continues: true },
        Event::StageCompleted {
            stage: "7".into(),
            attempt: 1,
            output: digest("o"),
            summary: "s".to_owned(),
            passed: Some(false),
            scores: scores.clone(),
            warnings: vec!["w".to_owned()],
            progress: Some(false),
        },
        Event::StageFailed { stage: "7".into(), attempt: 1, problem: problem.clone() },
        pause(PauseKind::Stage),
        pause(PauseKind::Ambiguous { key: call }),
        pause(PauseKind::Budget),
        pause(PauseKind::Gate { unit: 1 }),
        resumed("p1", Action::Again, None),
        resumed("p1", Action::Certify, None),
        pause(PauseKind::Dialogue { key: key("7#1.0.0") }),
        Event::PauseFormatted { pause: "p1".into(), shape: "plan".to_owned(), length: 3, form: digest("f") },
        Event::Resumed { pause: "p1".into(), decision, reply: None },
        resumed("p1", Action::Skip { stage: "7".into() }, None),
        resumed("p1", Action::Proceed, None),
        resumed("p1", Action::Amend, None),
        resumed("p1", Action::Retry, None),
        resumed("p1", Action::Cancel, None),
        Event::Edited { stage: "7".into(), output: digest("o"), depth: Some("deep".to_owned()) },
        Event::Amended { stage: "7".into(), feedback: "f".to_owned() },
        Event::GuidanceQueued { text: "g".to_owned() },
        Event::Repinned { pinned: digest("pinned"), essential: reserve(2) },
        Event::RepairStarted { unit: 0, iteration: 1, scores },
        Event::RepairEnded { unit: 0, reason: RepairEnd::Budget, chosen: 1 },
        Event::BudgetExceeded { stage: "7".into(), needed: reserve(1), left: budget },
        Event::CancelRequested,
        Event::Suspended,
        Event::Continued,
        pause(PauseKind::Handoff),
        resumed("p1", Action::HandOver, None),
        resumed("p1", Action::GoOn, None),
        Event::ContextHandoffRequested {
            stage: "7".into(),
            fill: 0.1 + 0.2,
            used: 800,
            window: 1_000,
            needed: 300,
        },
        Event::ContextHandoffApproved { stage: "7".into(), handoff: Digest([255; 32]) },
        Event::ChildRunStarted { key: key("7#1.0.0"), child: "run-1".into() },
        left(ChildEnd::Gated { output: digest("o") }),
        left(ChildEnd::Asks { said: digest("s") }),
        left(ChildEnd::Failed { problem: problem.clone() }),
        Event::RunCompleted,
        Event::RunFailed { stage: "7".into(), problem },
        Event::RunRetried { stage: "7".into() },
        Event::RunCancelled,
    ];
    events.extend(by.map(|by| Event::StageSkipped {
        stage: "7".into(),
        by,
        why: "off".to_owned(),
        output: Some(digest("o")),
    }));
    for (index, event) in events.into_iter().enumerate() {
        let name = event.name();
        let record = Record { seq: index as u64 + 1, at: u64::MAX, v: 1, active_ms: index as u64 % 2, event };
        let text = serde_json::to_string(&record).unwrap();
        assert!(text.contains(&format!("\"type\":\"{name}\"")), "{text}");
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record, "{text}");
    }
}
