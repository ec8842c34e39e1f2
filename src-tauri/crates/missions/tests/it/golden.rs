//! The form of the log: what was written once must be read for ever.

use std::collections::BTreeSet;

use domain::NanoUsd;
use domain::mission::{Closing, MissionPause, Settlement};
use missions::{
    ChildEnd, Decision, Dimension, Effect, Event, InvocationStatus, Limits, Outcome, Record, State, Status,
    StopCause,
};
use pretty_assertions::assert_eq;

use crate::rig::{
    Rig, budget, digest, edited, facts, folded, gap, id, key, pauses, problem, propose, reserve, staffed,
    within,
};

const GOLDEN: &str = include_str!("../golden/v2.jsonl");
const GOLDEN_V1: &str = include_str!("../golden/v1.jsonl");

/// One mission with nearly every event.
fn lived() -> Rig {
    let limits = Limits {
        invocations: Some(20),
        iterations: Some(2),
        per_agent: [("reader".into(), 4)].into(),
        ..budget(600)
    };
    let mut terms = within(limits);
    terms.roles = staffed().roles;
    terms.pauses = pauses(&[MissionPause::Plan, MissionPause::Limit]);
    let changed = |name: &str| {
        let mut item = gap("g1", 8);
        item.fingerprint = digest(name);
        item
    };
    let mut rig = Rig::new(
        terms,
        [
            facts(0, vec![changed("a"), gap("g2", 6)]),
            facts(1, vec![changed("b"), gap("g2", 6)]),
            facts(2, vec![changed("c"), gap("g2", 6)]),
        ],
    );
    rig.active_ms = 2;
    rig.until_children();
    rig.begin(key(0, 0));
    rig.crash();
    rig.until_children();
    rig.finishes(key(0, 0));
    rig.until_children();
    rig.finishes(key(0, 1));
    rig.run();
    rig.push(edited(&rig, "edits"));
    rig.run();
    rig.replies(Decision::Proceed);
    rig.until_children();
    rig.finishes(key(1, 0));
    rig.proposals.extend([propose(&[("nobody", "g1")]), propose(&[("reader", "g1"), ("searcher", "g2")])]);
    rig.until_children();
    rig.finishes(key(1, 1));
    let keys = rig.until_children();
    rig.leaves(keys[0], ChildEnd::Waits { form: digest("form") }, 5);
    rig.leaves(keys[1], ChildEnd::Short { needed: reserve(20) }, 30);
    rig.advance();
    let pause = rig.state.open_pauses().next().unwrap().id.clone();
    rig.push(Event::Resumed { pause, decision: Decision::Proceed, reply: Some(digest("answer")) });
    rig.push(Event::HostsLeftOut { iteration: 1, hosts: vec!["a.example".to_owned()] });
    rig.until_children();
    rig.push(Event::Suspended);
    rig.leaves(keys[0], ChildEnd::Interrupted, 9);
    rig.push(Event::Continued);
    rig.until_children();
    rig.finishes(keys[0]);
    rig.fails(keys[1]);
    rig.push(Event::GapClosed { gap: id("g3"), closing: Closing::Evidence { claims: vec![id("c1")] } });
    let settlement = Settlement::Preferred { claim: id("c1"), evidence: vec![id("q1")] };
    rig.push(Event::ContradictionSettled { contradiction: id("x1"), settlement });
    rig.push(Event::Steered { text: digest("look at the annex") });
    rig.push(Event::ClaimPinned { claim: id("c1") });
    rig.push(Event::ClaimRejected { claim: id("c2"), why: digest("outdated") });
    rig.until_children();
    rig.fails(key(2, 0));
    for _ in 0..100 {
        if let Some(event) = rig.state.decide().into_iter().next() {
            rig.push(event);
        } else if let Some(effect) = rig.state.effects().into_iter().find(Effect::is_local) {
            let is_plan = matches!(effect, Effect::PlanInvocation { .. });
            rig.answer(effect);
            if is_plan {
                break;
            }
        }
    }
    rig.push(Event::InvocationReused { key: key(2, 1), output: digest("found"), from: "run-before".into() });
    rig.run();
    rig.replies(Decision::Raise { limits: Limits { iterations: Some(3), ..rig.state.limits.clone() } });
    let keys = rig.until_children();
    rig.push(Event::LimitsRaised { limits: Limits { iterations: Some(9), ..rig.state.limits.clone() } });
    rig.push(Event::WriteRequested);
    rig.leaves(keys[0], ChildEnd::Interrupted, 3);
    rig.until_children();
    rig.push(Event::StepFailed { problem: problem("the disk is full") });
    let keys = rig.under_way();
    rig.leaves(keys[0], ChildEnd::Interrupted, 3);
    rig.advance();
    rig.push(Event::MissionRetried);
    rig.run();
    rig.push(Event::ArtifactRegistered {
        id: "report".to_owned(),
        sha256: digest("bytes"),
        kind: "report".to_owned(),
        name: "report.md".to_owned(),
        by: rig.state.drafts[0].key,
        inputs: vec![digest("report 0")],
    });
    rig
}

/// What is dropped and cancelled.
fn cancelled() -> Rig {
    let mut terms = within(budget(160));
    terms.limits.iterations = Some(1);
    let mut rig = Rig::new(terms, [facts(0, vec![gap("g1", 7), gap("g2", 6)])]);
    let keys = rig.until_children();
    rig.leaves(keys[0], ChildEnd::Waits { form: digest("form") }, 5);
    rig.advance();
    rig.push(Event::WriteRequested);
    rig.advance();
    rig.push(Event::CancelRequested);
    rig.finishes(keys[1]);
    rig.advance();
    rig
}

/// The logs of a file, one after the other.
fn logs(text: &str) -> Vec<Vec<Record>> {
    let mut logs: Vec<Vec<Record>> = Vec::new();
    for line in text.lines() {
        let record: Record = serde_json::from_str(line).unwrap();
        if record.seq == 1 {
            logs.push(Vec::new());
        }
        logs.last_mut().unwrap().push(record);
    }
    logs
}

#[test]
fn the_golden_logs_still_fold_to_the_same_missions() {
    for text in [GOLDEN_V1, GOLDEN] {
        folds_to_the_same(text);
    }
}

fn folds_to_the_same(text: &str) {
    let states: Vec<State> = logs(text).iter().map(|log| folded(log)).collect();
    let [whole, cancelled] = states.as_slice() else { panic!("two missions") };
    assert_eq!((whole.status(), whole.outcome), (Status::Completed, Some(Outcome::Partial)));
    assert_eq!((whole.cause.clone(), whole.iteration), (Some(StopCause::Person), 3));
    assert_eq!((whole.cost, whole.usage.input, whole.active_ms), (NanoUsd(77), 77, 2 * (whole.seq - 1)));
    assert_eq!(whole.accepted, Some((0, vec!["coverage".to_owned()])));
    assert_eq!((whole.closings.len(), whole.settlements.len(), whole.artifacts.len()), (1, 1, 1));
    assert_eq!((whole.pinned_claims.len(), whole.rejected_claims.len(), whole.guidance.len()), (1, 1, 1));
    assert_eq!(whole.invocations[&key(2, 1)].reused, Some("run-before".into()));
    assert_eq!((whole.pauses.len(), whole.reached.contains(&Dimension::Iterations)), (3, false));
    assert_eq!(cancelled.status(), Status::Cancelled);
    assert!(matches!(cancelled.invocations[&key(1, 0)].status, InvocationStatus::Dropped(_)));
}

/// `UPDATE_GOLDEN=1` writes the log of a new version; logs of released versions stay as they are.
#[test]
fn this_version_still_writes_the_golden_log() {
    let records = [lived().log, cancelled().log].concat();
    let lines: Vec<String> = records.iter().map(|record| serde_json::to_string(record).unwrap()).collect();
    let written = lines.join("\n") + "\n";
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = format!("{}/tests/golden/v{}.jsonl", env!("CARGO_MANIFEST_DIR"), missions::EVENT_VERSION);
        return std::fs::write(path, &written).unwrap();
    }
    assert!(
        written == GOLDEN,
        "the log of the golden missions differs: raise EVENT_VERSION and keep reading the old one"
    );
}

#[test]
fn the_golden_log_holds_every_kind_of_event() {
    let records = logs(GOLDEN).concat();
    let names: BTreeSet<_> = records.iter().map(|record| record.event.name()).collect();
    assert_eq!(names.len(), 42, "{names:?}");
    for line in GOLDEN.lines() {
        let record: Record = serde_json::from_str(line).unwrap();
        assert!(line.contains(&format!("\"event\":\"{}\"", record.event.name())), "{line}");
    }
}

#[test]
fn malformed_records_are_errors_and_nothing_else() {
    let whole = GOLDEN.lines().next().unwrap();
    for end in 0..whole.len() {
        assert!(serde_json::from_str::<Record>(&whole[..end]).is_err());
    }
    for text in [
        "{}",
        "null",
        r#"{"seq":1,"at":1,"v":1}"#,
        r#"{"seq":1,"at":1,"v":1,"event":"no_such"}"#,
        r#"{"seq":-1,"at":1,"v":1,"event":"suspended"}"#,
        r#"{"seq":1,"at":1,"v":1,"event":"synthesis_begun","why":"no_such"}"#,
        r#"{"seq":1,"at":1,"v":1,"event":"steered","text":"xyz"}"#,
    ] {
        assert!(serde_json::from_str::<Record>(text).is_err(), "{text}");
    }
}
