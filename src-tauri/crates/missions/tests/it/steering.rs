//! What the user can say at any moment.

use domain::mission::{Closing, MissionPause};
use missions::{
    ChildEnd, Decision, DropCause, Effect, Event, InvocationStatus, Limits, Outcome, PauseKind, Status,
    StopCause,
};
use pretty_assertions::assert_eq;

use crate::rig::{
    Rig, digest, edited, enough, facts, gap, id, key, pauses, propose, staffed, terms, with_writer,
};

fn two() -> Rig {
    Rig::new(with_writer(), [facts(0, vec![gap("g1", 7), gap("g2", 6)]), facts(1, vec![gap("g1", 7)])])
}

#[test]
fn enough_write_it_now_integrates_what_is_there_and_begins_nothing_new() {
    let mut rig = two();
    let keys = rig.until_children();
    rig.push(Event::WriteRequested);
    rig.finishes(keys[1]);
    rig.leaves(keys[0], ChildEnd::Interrupted, 3);
    rig.run();
    assert_eq!(rig.state.invocations[&keys[0]].status, InvocationStatus::Dropped(DropCause::Person));
    assert_eq!((rig.count("integrated"), rig.state.iteration), (1, 1));
    assert_eq!(
        (rig.state.cause.clone(), rig.state.outcome),
        (Some(StopCause::Person), Some(Outcome::Partial))
    );
}

#[test]
fn enough_is_enough_in_every_phase() {
    let mut whole = staffed();
    whole.pauses = pauses(&[MissionPause::Plan, MissionPause::NoProgress]);
    for after in 1..200 {
        let mut rig = Rig::new(whole.clone(), [facts(1, vec![gap("g1", 7)])]);
        rig.proposals.push_back(propose(&[("reader", "g1")]));
        while rig.log.len() < after && !rig.state.has_ended() {
            step(&mut rig);
        }
        if rig.state.has_ended() {
            return;
        }
        let (iteration, reviews) =
            (rig.state.iteration, rig.agents().values().filter(|a| *a == "reviewer").count());
        rig.push(Event::WriteRequested);
        assert!(rig.state.open_pauses().all(|pause| matches!(pause.kind, PauseKind::Child { .. })));
        rig.run();
        assert_eq!(
            (rig.state.status(), rig.state.iteration),
            (Status::Completed, iteration),
            "after {after}"
        );
        assert_eq!(rig.agents().values().filter(|a| *a == "reviewer").count(), reviews);
    }
    panic!("the mission is longer than that");
}

/// One event, whatever is next.
fn step(rig: &mut Rig) {
    if let Some(event) = rig.state.decide().into_iter().next() {
        return rig.push(event);
    }
    match rig.state.effects().into_iter().next() {
        Some(Effect::Invoke { key, .. }) if rig.state.invocations[&key].child.is_none() => {
            rig.begin(key);
        }
        Some(Effect::Invoke { key, .. }) => rig.finishes(key),
        Some(effect) => rig.answer(effect),
        None => rig.replies(Decision::Proceed),
    }
}

#[test]
fn writing_withdraws_the_question_of_a_child_run() {
    let mut rig = two();
    let keys = rig.until_children();
    rig.leaves(keys[0], ChildEnd::Waits { form: digest("form") }, 3);
    rig.advance();
    rig.push(Event::WriteRequested);
    rig.finishes(keys[1]);
    rig.run();
    assert_eq!((rig.state.status(), rig.open_pauses()), (Status::Completed, Vec::new()));
}

#[test]
fn guidance_is_kept_for_the_coordinator_and_gives_research_another_chance() {
    let mut terms = with_writer();
    terms.no_progress_rounds = 1;
    terms.pauses = pauses(&[MissionPause::NoProgress]);
    let mut rig = Rig::new(terms, [facts(1, vec![gap("g1", 7)])]);
    rig.run();
    assert_eq!(rig.open_pauses(), [PauseKind::NoProgress]);
    rig.push(Event::Steered { text: digest("look at the annex") });
    assert_eq!((rig.state.guidance.clone(), rig.state.idle_rounds), (vec![digest("look at the annex")], 0));
    assert_eq!(rig.open_pauses(), [], "it goes on without an answer to the pause");
    rig.run();
    assert_eq!(rig.state.iteration, 2);
}

#[test]
fn hosts_are_asked_about_once_and_what_lacked_their_pages_is_researched_again() {
    let mut terms = with_writer();
    terms.pauses = pauses(&[MissionPause::Hosts]);
    let mut rig = Rig::new(terms, [facts(0, vec![gap("g1", 7)]), facts(1, vec![gap("g1", 7)])]);
    let left_out = |iteration| Event::HostsLeftOut { iteration, hosts: vec!["a.example".to_owned()] };
    let [first] = rig.until_children()[..] else { panic!("one agent is at work") };
    rig.finishes(first);
    assert!(rig.try_push(left_out(9)).is_err(), "of another iteration");
    rig.push(left_out(1));
    rig.run();
    let kind = PauseKind::Hosts { hosts: vec!["a.example".to_owned()] };
    assert_eq!((rig.state.status(), rig.open_pauses()), (Status::Paused, vec![kind]));
    rig.replies(Decision::Again);
    let [second] = rig.until_children()[..] else { panic!("one agent is at work") };
    assert_eq!(second.iteration, 2);
    let task = |key| rig.state.invocations[&key].task.clone();
    assert_eq!(task(second), task(first), "the same question, although nothing of it has changed");
    rig.finishes(second);
    rig.push(left_out(2));
    rig.run();
    assert_eq!((rig.count("pause_requested"), rig.state.status()), (1, Status::Completed));
}

#[test]
fn hosts_are_not_asked_about_once_nothing_more_is_to_be_read() {
    let mut terms = with_writer();
    terms.pauses = pauses(&[MissionPause::Hosts]);
    let mut rig = Rig::new(terms, [facts(0, vec![gap("g1", 7)]), enough()]);
    let keys = rig.until_children();
    rig.push(Event::HostsLeftOut { iteration: 1, hosts: vec!["a.example".to_owned()] });
    keys.into_iter().for_each(|key| rig.finishes(key));
    rig.run();
    assert_eq!((rig.count("pause_requested"), rig.state.cause.clone()), (0, Some(StopCause::CriteriaMet)));
}

#[test]
fn hosts_hold_up_only_a_mission_that_asks_about_them() {
    let mut rig = two();
    let keys = rig.until_children();
    rig.push(Event::HostsLeftOut { iteration: 1, hosts: vec!["a.example".to_owned()] });
    keys.into_iter().for_each(|key| rig.finishes(key));
    rig.run();
    assert_eq!((rig.count("pause_requested"), rig.state.status()), (0, Status::Completed));
}

#[test]
fn an_edited_plan_gives_research_another_chance_until_it_has_ended() {
    let mut terms = with_writer();
    terms.no_progress_rounds = 1;
    terms.pauses = pauses(&[MissionPause::NoProgress]);
    let mut rig = Rig::new(terms, [facts(1, vec![gap("g1", 7)])]);
    let why = rig.try_push(edited(&rig, "too early")).unwrap_err();
    assert_eq!(why, "there is no plan yet, or research has ended");
    rig.run();
    assert_eq!(rig.open_pauses(), [PauseKind::NoProgress]);
    rig.push(edited(&rig, "another question"));
    assert_eq!((rig.state.idle_rounds, rig.open_pauses()), (0, Vec::new()));
    assert!(rig.state.effects().contains(&Effect::Analyse));
    rig.push(Event::WriteRequested);
    let why = rig.try_push(edited(&rig, "too late")).unwrap_err();
    assert_eq!(why, "there is no plan yet, or research has ended");
}

#[test]
fn a_pinned_or_rejected_claim_is_taken_in_by_the_next_analysis() {
    let mut rig = two();
    let keys = rig.until_children();
    rig.push(Event::ClaimPinned { claim: id("c1") });
    rig.push(Event::ClaimRejected { claim: id("c2"), why: digest("outdated") });
    rig.push(Event::ClaimRejected { claim: id("c1"), why: digest("after all") });
    assert_eq!(rig.state.pinned_claims.len(), 0);
    assert_eq!(rig.state.rejected_claims.len(), 2);
    assert!(!rig.state.effects().contains(&Effect::Analyse), "agents are at work");
    rig.fails(keys[0]);
    rig.fails(keys[1]);
    assert!(rig.state.effects().contains(&Effect::Analyse), "although nothing was integrated");
}

#[test]
fn what_the_user_closes_is_analysed_at_once_where_nothing_is_under_way() {
    let mut terms = terms();
    terms.pauses = pauses(&[MissionPause::NoProgress]);
    terms.no_progress_rounds = 1;
    let mut rig = Rig::new(terms, [facts(1, vec![gap("g1", 7)]), facts(1, vec![gap("g1", 7)]), enough()]);
    rig.run();
    assert_eq!(rig.state.status(), Status::Paused);
    rig.push(Event::GapClosed { gap: id("g1"), closing: Closing::Person { reason: "known".to_owned() } });
    rig.run();
    assert_eq!(
        (rig.state.cause.clone(), rig.state.outcome),
        (Some(StopCause::CriteriaMet), Some(Outcome::Satisfied))
    );
    assert_eq!(rig.open_pauses(), []);
}

#[test]
fn a_suspended_mission_begins_nothing_and_goes_on_where_it_was() {
    let mut rig = two();
    let keys = rig.until_children();
    rig.push(Event::Suspended);
    rig.leaves(keys[0], ChildEnd::Interrupted, 3);
    rig.finishes(keys[1]);
    rig.advance();
    assert_eq!((rig.state.status(), rig.under_way()), (Status::Suspended, Vec::new()));
    rig.push(Event::Continued);
    assert_eq!(rig.until_children(), [keys[0]]);
    assert_eq!(rig.state.invocations[&keys[0]].tries, 2);
    rig.run();
    assert_eq!(rig.state.status(), Status::Completed);
}

#[test]
fn a_cancelled_mission_waits_for_what_is_under_way_and_ends() {
    let mut rig = two();
    let keys = rig.until_children();
    rig.push(Event::CancelRequested);
    rig.leaves(keys[0], ChildEnd::Interrupted, 3);
    rig.advance();
    assert_eq!((rig.state.status(), rig.under_way()), (Status::Running, vec![keys[1]]));
    rig.finishes(keys[1]);
    rig.advance();
    assert_eq!(rig.state.status(), Status::Cancelled);
    assert_eq!(rig.state.cost.0, 8, "what was used is booked");
}

#[test]
fn a_pause_can_end_the_mission_or_its_research() {
    for (decision, status) in [(Decision::Cancel, Status::Cancelled), (Decision::Write, Status::Completed)] {
        let mut terms = with_writer();
        terms.pauses = pauses(&[MissionPause::Plan]);
        let mut rig = Rig::new(terms, [facts(0, vec![gap("g1", 7)])]);
        rig.run();
        rig.replies(decision);
        rig.run();
        assert_eq!((rig.state.status(), rig.state.iteration), (status, 0));
    }
}

#[test]
fn limits_are_raised_at_any_moment_and_never_lowered() {
    let mut rig = two();
    rig.push(Event::LimitsRaised { limits: Limits::default() });
    let lower = Limits { iterations: Some(9), ..Limits::default() };
    let why = rig.try_push(Event::LimitsRaised { limits: lower }).unwrap_err();
    assert_eq!(why, "a limit would be lower than before");
    assert_eq!(rig.until_children(), [key(1, 0), key(1, 1)]);
}
