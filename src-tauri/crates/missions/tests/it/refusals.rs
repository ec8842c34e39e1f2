//! Events that can't happen: each is refused with its reason and leaves no trace.

use domain::mission::{Closing, Settlement};
use domain::{NanoUsd, Reserve, Usage};
use missions::{
    Action, Additions, ChildEnd, Decision, DecisionAuthor, DropCause, Event, InvocationKey, Outcome,
    PauseKind, Refusal, Role, SplitAuthor, StopCause,
};
use pretty_assertions::assert_eq;

use crate::rig::{Rig, assign, digest, enough, facts, gap, id, key, problem, reserve, staffed, with_writer};

fn at_work() -> Rig {
    let mut rig = Rig::new(with_writer(), [facts(0, vec![gap("g1", 7), gap("g2", 6)]), enough()]);
    rig.until_children();
    rig
}

fn ended() -> Rig {
    let mut rig = at_work();
    rig.run();
    rig
}

fn started(rig: &Rig) -> Event {
    rig.log[0].event.clone()
}

fn requested(key: InvocationKey, r#try: u32) -> Event {
    Event::InvocationRequested { key, r#try, reserve: reserve(1) }
}

fn planned(key: InvocationKey, role: Role, agent: &str) -> Event {
    Event::InvocationPlanned {
        key,
        role,
        agent: agent.into(),
        task: None,
        request: digest("request"),
        reserve: Reserve::default(),
        least: Reserve::default(),
    }
}

fn left(key: InvocationKey, r#try: u32, child: &str) -> Event {
    Event::ChildRunFinished {
        key,
        r#try,
        child: child.into(),
        end: ChildEnd::Interrupted,
        usage: Usage::default(),
        cost: NanoUsd(0),
        equivalent: NanoUsd(0),
        doubtful: Reserve::default(),
        ms: 0,
    }
}

fn integrated(key: InvocationKey, from: u64) -> Event {
    let counts = Additions::default();
    Event::Integrated { key, from, to: from + 1, changes: digest("c"), counts, refused: 0, conflicts: 0 }
}

fn taken(assignments: Vec<missions::Assignment>) -> Event {
    let by = DecisionAuthor::Rule;
    Event::DecisionTaken { iteration: 1, by, action: Action::Invoke { assignments }, saw: 0, reasons: None }
}

fn refused(iteration: u32) -> Event {
    let (why, detail) = (Refusal::Malformed, String::new());
    Event::DecisionRefused { iteration, key: key(1, 0), why, detail, decision: digest("d") }
}

fn draft(key: Option<InvocationKey>) -> Event {
    Event::DraftScored {
        key,
        report: digest("r"),
        quality: 1,
        missing: Vec::new(),
        facts: None,
        restated: 0,
        left_out: 0,
    }
}

fn asked(pause: &str, kind: PauseKind) -> Event {
    Event::PauseRequested { pause: pause.into(), kind }
}

#[test]
fn events_that_can_not_happen_are_refused() {
    let mut empty = Rig::new(with_writer(), []);
    empty.state = missions::State::default();
    assert_eq!(empty.try_push(Event::Suspended).unwrap_err(), "the mission has not begun");
    let closing = Closing::Evidence { claims: Vec::new() };
    let itself = Closing::Superseded { other: id("g1") };
    let settlement = Settlement::Compatible { evidence: Vec::new() };
    let split = Event::RequestSplit {
        objective: digest("o"),
        output_specification: None,
        original: digest("o"),
        by: SplitAuthor::Code,
    };
    let plan = Event::PlanIntegrated { key: None, from: 9, to: 10, changes: digest("p"), asked: Vec::new() };
    let checked = Event::CriteriaChecked { iteration: 1, results: [].into(), idle_rounds: 0 };
    let analysed =
        |from: u64, to: u64| Event::Analysed { from, to, changes: digest("a"), facts: Box::default() };
    let accepted = Event::ReportAccepted { key: None, report: digest("r"), quality: 1, unmet: Vec::new() };
    let resumed = Event::Resumed { pause: "p1".into(), decision: Decision::Proceed, reply: None };
    let dropped = |key| Event::InvocationDropped { key, why: DropCause::Person };
    let reused = Event::InvocationReused { key: key(1, 0), output: digest("o"), from: "r".into() };
    for (event, why) in [
        (started(&at_work()), "the mission has begun already"),
        (split, "the request is split already, or an agent is about to"),
        (plan, "there is a plan already, or an agent is about to make one"),
        (Event::IterationStarted { number: 2 }, "no iteration is to begin now"),
        (planned(key(1, 0), Role::Research, "reader"), "it is not what was decided on"),
        (
            planned(key(1, 2), Role::Synthesise, "reader"),
            "it is neither decided on nor an invocation of a fixed role",
        ),
        (
            planned(key(1, 3), Role::Synthesise, "writer"),
            "it is neither decided on nor an invocation of a fixed role",
        ),
        (planned(key(1, 2), Role::Synthesise, "writer"), "the mission is not at that point"),
        (requested(key(1, 0), 1), "as many agents as may be are at work"),
        (dropped(key(1, 0)), "it is under way or over"),
        (dropped(key(7, 0)), "there is no such invocation"),
        (reused, "it was begun already, or is not planned"),
        (left(key(1, 0), 1, "run"), "that child run does not carry it out"),
        (Event::OutcomeUnknown { key: key(1, 0), r#try: 2, anew: false }, "it was not under way"),
        (refused(1), "nothing is to be decided now"),
        (taken(vec![assign("reader", "g1")]), "nothing is to be decided now"),
        (integrated(key(1, 0), 9), "it is not its turn"),
        (integrated(key(1, 0), 0), "the graph was newer already"),
        (analysed(0, 1), "the graph was newer already"),
        (analysed(9, 10), "its facts are those of another version"),
        (checked, "there is nothing new to check, or an invocation is open"),
        (Event::GapClosed { gap: id("g1"), closing }, "no claim closes it"),
        (Event::GapClosed { gap: id("g1"), closing: itself }, "a gap can't replace itself"),
        (Event::ContradictionSettled { contradiction: id("x1"), settlement }, "nothing settles it"),
        (asked("p1", PauseKind::Child { key: key(1, 0) }), "its child run asks nothing"),
        (resumed, "that pause is not open"),
        (Event::PauseFormatted { pause: "p1".into(), form: digest("f") }, "that pause is not open"),
        (Event::SynthesisBegun { cause: StopCause::Person }, "research is under way, or over"),
        (draft(None), "no report is being written"),
        (accepted, "there is no report"),
        (
            Event::MissionCompleted { outcome: Outcome::Satisfied },
            "no report stands, or the outcome is another",
        ),
        (Event::MissionFailed { problem: problem("x") }, "nothing failed, or something is under way"),
        (Event::MissionRetried, "the mission has not failed"),
        (Event::MissionCancelled, "nobody cancels it, or something is under way"),
    ] {
        let name = event.name();
        assert_eq!(at_work().try_push(event).unwrap_err(), why, "{name}");
    }
}

#[test]
fn nothing_happens_after_the_end_but_files() {
    let mut rig = ended();
    assert_eq!(rig.try_push(Event::WriteRequested).unwrap_err(), "the mission has ended");
    assert_eq!(rig.try_push(Event::MissionRetried).unwrap_err(), "the mission has not failed");
    let file = || Event::ArtifactRegistered {
        id: "report.html".to_owned(),
        sha256: digest("bytes"),
        kind: "report".to_owned(),
        name: "report.html".to_owned(),
        by: None,
        inputs: vec![digest("report 0")],
    };
    rig.push(file());
    assert_eq!(rig.try_push(file()).unwrap_err(), "an artifact with that id is registered");
    assert_eq!(rig.state.artifacts["report.html"].kind, "report");
}

#[test]
fn nothing_is_closed_or_settled_twice() {
    let mut rig = at_work();
    let close = || Event::GapClosed { gap: id("g1"), closing: Closing::Evidence { claims: vec![id("c1")] } };
    rig.push(close());
    assert_eq!(rig.try_push(close()).unwrap_err(), "the gap is closed already");
    let settlement = Settlement::Preferred { claim: id("c1"), evidence: vec![id("q1")] };
    let settle = || Event::ContradictionSettled { contradiction: id("x1"), settlement: settlement.clone() };
    rig.push(settle());
    assert_eq!(rig.try_push(settle()).unwrap_err(), "the contradiction is settled already");
}

#[test]
fn a_gap_whose_evidence_fell_is_closed_anew_by_other_evidence_or_by_the_user() {
    let mut rig = at_work();
    let evidence = |claim| Closing::Evidence { claims: vec![id(claim)] };
    let close = |closing| Event::GapClosed { gap: id("g1"), closing };
    rig.push(close(evidence("c1")));
    rig.push(close(evidence("c2")));
    let person = || Closing::Person { reason: "known".to_owned() };
    rig.push(close(person()));
    for later in [evidence("c3"), person()] {
        assert_eq!(rig.try_push(close(later)).unwrap_err(), "the gap is closed already");
    }
}

#[test]
fn more_than_is_left_is_never_set_aside() {
    let terms = crate::rig::within(crate::rig::budget(160));
    let mut rig = Rig::new(terms, [facts(0, vec![gap("g1", 7), gap("g2", 6)])]);
    let keys = rig.until_children();
    rig.leaves(keys[0], ChildEnd::Interrupted, 20);
    let event = |reserve| Event::InvocationRequested { key: keys[0], r#try: 2, reserve };
    assert_eq!(rig.try_push(event(reserve(31))).unwrap_err(), "it would get more than was planned");
    assert_eq!(rig.try_push(event(reserve(11))).unwrap_err(), "it could cost more than is left");
    let late = Event::InvocationRequested { key: keys[0], r#try: 3, reserve: reserve(1) };
    assert_eq!(rig.try_push(late).unwrap_err(), "it is not waiting to be begun");
    rig.push(Event::Suspended);
    assert_eq!(rig.try_push(event(reserve(10))).unwrap_err(), "nothing new is begun now");
    rig.push(Event::Continued);
    rig.push(event(reserve(10)));
}

#[test]
fn what_is_set_aside_for_an_unknown_outcome_can_not_be_changed() {
    let mut rig = at_work();
    rig.crash();
    let event = Event::InvocationRequested { key: key(1, 0), r#try: 2, reserve: reserve(51) };
    assert_eq!(rig.try_push(event).unwrap_err(), "what is set aside for it is not what was");
}

#[test]
fn a_decision_that_breaks_a_rule_is_refused_whoever_took_it() {
    let mut terms = staffed();
    (terms.roles.split, terms.roles.plan) = (None, None);
    let mut rig = Rig::new(terms, [facts(0, vec![gap("g1", 7)])]);
    let keys = rig.until_children();
    rig.finishes(keys[0]);
    assert_eq!(rig.try_push(taken(vec![assign("nobody", "g1")])).unwrap_err(), "it breaks a rule");
    let exit = Event::DecisionTaken {
        iteration: 1,
        by: DecisionAuthor::Rule,
        action: Action::Exit,
        saw: 0,
        reasons: None,
    };
    assert_eq!(rig.try_push(exit).unwrap_err(), "no rule ends research so");
    let nobody = Event::DecisionTaken {
        iteration: 1,
        by: DecisionAuthor::Coordinator { key: key(1, 7) },
        action: Action::Exit,
        saw: 0,
        reasons: None,
    };
    assert_eq!(rig.try_push(nobody).unwrap_err(), "there is no such invocation");
    assert_eq!(rig.try_push(refused(2)).unwrap_err(), "nothing is to be decided now");
}

#[test]
fn a_pause_is_answered_once_and_by_what_it_is_about() {
    let mut terms = with_writer();
    terms.limits.iterations = Some(0);
    terms.pauses = [domain::mission::MissionPause::Limit].into();
    let mut rig = Rig::new(terms, [facts(0, vec![gap("g1", 7)])]);
    rig.run();
    let answer = |decision| Event::Resumed { pause: "p1".into(), decision, reply: None };
    let why = rig.try_push(answer(Decision::Proceed)).unwrap_err();
    assert_eq!(why, "raise the limit, or let the report be written");
    let kind = rig.open_pauses().remove(0);
    assert_eq!(rig.try_push(asked("p1", kind.clone())).unwrap_err(), "there is such a pause already");
    assert_eq!(rig.try_push(asked("p2", kind)).unwrap_err(), "the user is asked already");
    rig.push(answer(Decision::Write));
    assert_eq!(rig.try_push(answer(Decision::Write)).unwrap_err(), "that pause is not open");
    rig.push(asked("p3", PauseKind::NoProgress));
    let raise = Decision::Raise { limits: missions::Limits::default() };
    let why = rig.try_push(Event::Resumed { pause: "p3".into(), decision: raise, reply: None }).unwrap_err();
    assert_eq!(why, "it is not about a limit");
}

#[test]
fn a_record_out_of_order_or_of_a_newer_program_is_refused() {
    let rig = at_work();
    let mut record = rig.log[1].clone();
    let mut state = rig.state.clone();
    assert_eq!(state.apply(&record).unwrap_err().why, "it is not the next in the log");
    (record.seq, record.v) = (state.seq + 1, missions::EVENT_VERSION + 1);
    let error = state.apply(&record).unwrap_err();
    assert_eq!(error.why, "it was written by a newer program");
    assert_eq!(
        error.to_string(),
        format!("event {} (request_split) can't happen here: {}", record.seq, error.why)
    );
    assert_eq!(state, rig.state);
}

#[test]
fn code_writes_no_report_beside_another() {
    let mut rig = Rig::new(with_writer(), [enough()]);
    let keys = rig.until_children();
    assert_eq!(
        rig.try_push(draft(None)).err(),
        Some("code writes a report only where there is no other".to_owned())
    );
    rig.finishes(keys[0]);
    assert_eq!(rig.try_push(draft(Some(key(5, 5)))).unwrap_err(), "there is no such invocation");
}
