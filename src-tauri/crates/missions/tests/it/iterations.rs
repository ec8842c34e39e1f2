//! The course of a mission from request to report, and the order of integration.

use domain::mission::{AgendaKind, AgendaStatus, Closing, GraphFacts, MissionPause, Settlement};
use missions::{
    ChildEnd, Decision, Event, InvocationStatus, Outcome, PauseKind, Phase, Proposal, Role, Status, StopCause,
};
use pretty_assertions::assert_eq;

use crate::rig::{
    Rig, digest, edited, enough, facts, folded, gap, id, item, key, pauses, propose, staffed, terms,
    with_writer,
};

#[test]
fn a_mission_with_every_role_goes_from_request_to_report() {
    let mut rig = Rig::new(staffed(), [facts(0, vec![gap("g1", 7), gap("g2", 6)]), enough()]);
    rig.proposals.push_back(propose(&[("searcher", "g1")]));
    rig.run();
    assert_eq!((rig.state.status(), rig.state.outcome), (Status::Completed, Some(Outcome::Satisfied)));
    assert_eq!(
        rig.names(),
        [
            "mission_started",
            "invocation_planned",
            "invocation_requested",
            "child_run_started",
            "child_run_finished",
            "request_split",
            "invocation_planned",
            "invocation_requested",
            "child_run_started",
            "child_run_finished",
            "plan_integrated",
            "analysed",
            "criteria_checked",
            "iteration_started",
            "invocation_planned",
            "invocation_requested",
            "child_run_started",
            "child_run_finished",
            "decision_taken",
            "invocation_planned",
            "invocation_requested",
            "child_run_started",
            "child_run_finished",
            "integrated",
            "analysed",
            "criteria_checked",
            "synthesis_begun",
            "invocation_planned",
            "invocation_requested",
            "child_run_started",
            "child_run_finished",
            "draft_scored",
            "invocation_planned",
            "invocation_requested",
            "child_run_started",
            "child_run_finished",
            "integrated",
            "analysed",
            "criteria_checked",
            "report_accepted",
            "mission_completed",
        ]
    );
    assert_eq!(folded(&rig.log), rig.state);
}

#[test]
fn without_agents_for_the_roles_code_splits_plans_decides_and_writes() {
    let mut rig = Rig::new(terms(), [facts(0, vec![gap("g1", 7)]), enough()]);
    rig.run();
    assert_eq!(rig.state.outcome, Some(Outcome::Satisfied));
    assert_eq!(rig.state.drafts[0].key, None);
    let roles: Vec<Role> = rig.state.invocations.values().map(|of| of.role).collect();
    assert_eq!(roles, [Role::Research]);
}

#[test]
fn results_are_integrated_in_the_order_of_keys_whatever_order_they_come_in() {
    let mut terms = terms();
    terms.max_parallel = 3;
    let agenda = vec![gap("g1", 9), gap("g2", 8), item("x1", AgendaKind::Contradiction, 10, "checking")];
    let mut rig = Rig::new(terms, [facts(0, agenda), enough()]);
    let keys = rig.until_children();
    assert_eq!(keys, [key(1, 0), key(1, 1), key(1, 2)]);
    assert_eq!(rig.state.invocations[&key(1, 0)].role, Role::Check);
    rig.finishes(key(1, 2));
    rig.advance();
    assert_eq!(rig.count("integrated"), 0, "those before it are not there yet");
    rig.finishes(key(1, 0));
    rig.advance();
    rig.fails(key(1, 1));
    rig.advance();
    let order: Vec<_> = rig
        .log
        .iter()
        .filter_map(|record| match &record.event {
            Event::Integrated { key, .. } => Some(*key),
            _ => None,
        })
        .collect();
    assert_eq!(order, [key(1, 0), key(1, 2)], "a failed one holds nobody up");
}

#[test]
fn the_next_decision_waits_for_the_last_of_a_wave() {
    let mut rig = Rig::new(terms(), [facts(0, vec![gap("g1", 9), gap("g2", 8)])]);
    let keys = rig.until_children();
    rig.finishes(keys[0]);
    rig.advance();
    assert_eq!((rig.state.iteration, rig.count("analysed")), (1, 1));
    rig.finishes(keys[1]);
    rig.advance();
    assert_eq!((rig.state.iteration, rig.count("analysed")), (2, 2));
}

#[test]
fn an_invalid_proposal_goes_back_once_and_is_decided_by_rule_then() {
    let mut terms = staffed();
    terms.roles.split = None;
    terms.roles.plan = None;
    let mut rig = Rig::new(terms, [facts(0, vec![gap("g1", 7)]), enough()]);
    rig.proposals.extend([propose(&[("nobody", "g1")]), propose(&[("checker", "g1")])]);
    assert_eq!(rig.state.refused(), None);
    let keys = rig.until_children();
    rig.finishes(keys[0]);
    rig.until_children();
    assert_eq!(rig.state.refused(), Some("there is no agent nobody"), "the second proposal is told so");
    rig.until_iteration(1);
    assert_eq!(rig.state.refused(), None);
    assert_eq!((rig.count("decision_refused"), rig.count("decision_taken")), (2, 1));
    assert_eq!(rig.agents()["1.2"], "reader");
    rig.run();
    assert_eq!(rig.state.outcome, Some(Outcome::Satisfied));
}

#[test]
fn a_coordinator_that_fails_is_replaced_by_the_rule() {
    let mut terms = staffed();
    (terms.roles.split, terms.roles.plan) = (None, None);
    let mut rig = Rig::new(terms, [facts(0, vec![gap("g1", 7)]), enough()]);
    let keys = rig.until_children();
    assert_eq!(rig.state.invocations[&keys[0]].role, Role::Coordinate);
    rig.fails(keys[0]);
    rig.advance();
    assert_eq!(rig.agents()["1.1"], "reader");
}

#[test]
fn the_plan_waits_for_the_users_word_and_is_shown_anew_after_an_edit() {
    let mut terms = terms();
    terms.pauses = pauses(&[MissionPause::Plan]);
    let mut rig = Rig::new(terms, [facts(0, vec![gap("g1", 7)]), enough()]);
    rig.run();
    assert_eq!((rig.state.status(), rig.open_pauses()), (Status::Paused, vec![PauseKind::Plan]));
    let formatted = rig.count("pause_formatted");
    rig.push(edited(&rig, "edits"));
    rig.run();
    assert_eq!((rig.state.status(), rig.open_pauses()), (Status::Paused, vec![PauseKind::Plan]));
    assert_eq!(rig.count("pause_formatted"), formatted + 1);
    rig.replies(Decision::Proceed);
    rig.run();
    assert_eq!(rig.state.outcome, Some(Outcome::Satisfied));
}

#[test]
fn research_ends_for_each_cause() {
    let open = || vec![gap("g1", 7)];
    let changing = |count: u32| {
        (0..count).map(|n| {
            let mut item = gap("g1", 7);
            item.fingerprint = digest(&n.to_string());
            facts(1, vec![item])
        })
    };
    let met = Rig::new(terms(), [enough()]);
    let stuck = Rig::new(terms(), changing(9));
    let idle = Rig::new(terms(), [facts(3, Vec::new())]);
    let done = AgendaStatus::Done;
    let closed =
        Rig::new(terms(), [facts(3, vec![domain::mission::AgendaItem { status: done, ..gap("g1", 7) }])]);
    let mut exit = staffed();
    (exit.roles.split, exit.roles.plan) = (None, None);
    let mut exits = Rig::new(exit, [facts(3, open())]);
    exits.proposals.push_back(Proposal { exit: true, ..Proposal::default() });
    for (mut rig, cause) in [
        (met, StopCause::CriteriaMet),
        (stuck, StopCause::NoProgress),
        (idle, StopCause::NothingToDo),
        (closed, StopCause::NothingToDo),
        (exits, StopCause::Coordinator),
    ] {
        rig.run();
        assert_eq!((rig.state.cause.clone(), rig.state.status()), (Some(cause), Status::Completed));
    }
}

/// Iterations until nothing new was found twice in a row.
fn rounds(facts: Vec<GraphFacts>, before: impl Fn(&mut Rig, u32)) -> u32 {
    let mut rig = Rig::new(terms(), facts);
    loop {
        let keys = rig.until_children();
        if keys.is_empty() {
            assert_eq!(rig.state.cause, Some(StopCause::NoProgress));
            return rig.state.iteration;
        }
        before(&mut rig, keys[0].iteration);
        keys.into_iter().for_each(|key| rig.finishes(key));
    }
}

fn round_facts(number: u32, supported: u32, confidence: u32) -> GraphFacts {
    let mut item = gap("g1", 7);
    item.fingerprint = digest(&number.to_string());
    GraphFacts { confidence, ..facts(supported, vec![item]) }
}

#[test]
fn only_new_evidence_is_progress() {
    let same = (0..9).map(|n| round_facts(n, 1, 500_000)).collect();
    assert_eq!(rounds(same, |_, _| {}), 2);
    let claims = (0..9).map(|n| round_facts(n, 1 + n.min(3), 500_000)).collect();
    assert_eq!(rounds(claims, |_, _| {}), 5, "three rounds with a claim more, two without");
    let sure = (0..9).map(|n| round_facts(n, 1, 500_000 + 10_000 * n.min(1))).collect();
    assert_eq!(rounds(sure, |_, _| {}), 3, "a hundredth more confidence");
    let slow = (0..9).map(|n| round_facts(n, 1, 500_000 + 9_999 * n.min(1))).collect();
    assert_eq!(rounds(slow, |_, _| {}), 2, "less than a hundredth");
    let lost =
        [3, 1, 2, 3, 3].into_iter().enumerate().map(|(n, count)| round_facts(n as u32, count, 0)).collect();
    assert_eq!(rounds(lost, |_, _| {}), 2, "what was known before is not new");
    let evidence = |rig: &mut Rig, iteration: u32| {
        if iteration == 1 {
            rig.push(Event::GapClosed {
                gap: id("g1"),
                closing: Closing::Evidence { claims: vec![id("c1")] },
            });
        }
    };
    let same = || (0..9).map(|n| round_facts(n, 1, 0)).collect();
    assert_eq!(rounds(same(), evidence), 3, "a gap closed by evidence");
    let settled = |rig: &mut Rig, iteration: u32| {
        if iteration == 1 {
            let settlement = Settlement::Compatible { evidence: vec![id("c1")] };
            rig.push(Event::ContradictionSettled { contradiction: id("x1"), settlement });
        }
    };
    assert_eq!(rounds(same(), settled), 3, "a contradiction settled by evidence");
    let person = |rig: &mut Rig, iteration: u32| {
        if iteration == 1 {
            rig.push(Event::GapClosed {
                gap: id("g1"),
                closing: Closing::Person { reason: "no".to_owned() },
            });
        }
    };
    assert_eq!(rounds(same(), person), 2, "what the user closes is no progress of research");
}

#[test]
fn a_pause_for_no_progress_lets_the_user_go_on_or_write() {
    let mut terms = with_writer();
    terms.pauses = pauses(&[MissionPause::NoProgress]);
    let facts: Vec<_> = (0..9).map(|n| round_facts(n, 1, 0)).collect();
    let mut rig = Rig::new(terms, facts);
    rig.run();
    assert_eq!(rig.open_pauses(), [PauseKind::NoProgress]);
    rig.replies(Decision::Proceed);
    rig.run();
    assert_eq!((rig.state.iteration, rig.open_pauses()), (4, vec![PauseKind::NoProgress]));
    rig.replies(Decision::Write);
    rig.run();
    assert_eq!(
        (rig.state.cause.clone(), rig.state.outcome),
        (Some(StopCause::NoProgress), Some(Outcome::Partial))
    );
}

#[test]
fn what_an_earlier_mission_found_for_the_same_request_is_taken_over() {
    let mut rig = Rig::new(terms(), [facts(0, vec![gap("g1", 7)]), enough()]);
    while rig.state.effects().iter().all(|effect| !matches!(effect, missions::Effect::PlanInvocation { .. }))
    {
        match rig.state.decide().into_iter().next() {
            Some(event) => rig.push(event),
            None => rig.answer(rig.state.effects().remove(0)),
        }
    }
    rig.answer(rig.state.effects().remove(0));
    rig.push(Event::InvocationReused { key: key(1, 0), output: digest("found"), from: "run-before".into() });
    rig.run();
    assert_eq!(rig.count("child_run_started"), 0);
    assert_eq!((rig.state.invocations_made(), rig.count("integrated")), (0, 1));
    assert_eq!(rig.state.invocations[&key(1, 0)].status, InvocationStatus::Settled(digest("found")));
}

#[test]
fn a_pause_of_a_child_run_reaches_the_user_and_the_others_go_on() {
    let mut rig = Rig::new(terms(), [facts(0, vec![gap("g1", 9), gap("g2", 8)]), enough()]);
    let keys = rig.until_children();
    rig.leaves(keys[0], ChildEnd::Waits { form: digest("form") }, 5);
    rig.advance();
    assert_eq!(
        (rig.open_pauses(), rig.state.status()),
        (vec![PauseKind::Child { key: keys[0] }], Status::Running)
    );
    rig.finishes(keys[1]);
    rig.advance();
    assert_eq!((rig.state.status(), rig.state.phase), (Status::Paused, Phase::Research));
    rig.replies(Decision::Proceed);
    assert_eq!(rig.until_children(), [keys[0]]);
    assert_eq!(rig.state.invocations[&keys[0]].tries, 2);
    rig.run();
    assert_eq!((rig.state.outcome, rig.count("child_run_started")), (Some(Outcome::Satisfied), 2));
}
