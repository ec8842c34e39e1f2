//! Drafts, reviews, and the report that stands.

use domain::mission::{DraftFacts, GraphCounts, GraphFacts};
use domain::{ErrorCode, Problem};
use missions::{ChildEnd, Criteria, Draft, Event, Limits, Outcome, Status, StopCause, Terms};
use pretty_assertions::assert_eq;

use crate::rig::{Rig, digest, enough, facts, gap, key, problem, staffed, with_writer, within};

/// A writer and a reviewer.
fn reviewed(rounds: u32) -> Terms {
    let mut terms = staffed();
    (terms.roles.split, terms.roles.plan, terms.roles.coordinate) = (None, None, None);
    terms.review_rounds = rounds;
    terms
}

fn open_again() -> GraphFacts {
    facts(9, vec![gap("g7", 8)])
}

fn accepted(rig: &Rig) -> Option<usize> {
    rig.state.accepted.as_ref().map(|(index, _)| *index)
}

#[test]
fn a_later_draft_replaces_a_better_one_never() {
    for (qualities, stands) in [([700_000, 600_000], 0), ([600_000, 700_000], 1), ([600_000, 600_000], 1)] {
        let mut rig = Rig::new(reviewed(1), [enough()]);
        rig.qualities.extend(qualities);
        rig.raises = 1;
        rig.run();
        assert_eq!((rig.state.drafts.len(), accepted(&rig)), (2, Some(stands)));
        let worse = rig.state.drafts[1 - stands].clone();
        let Draft { key, report, quality, .. } = worse;
        rig.state.outcome = None;
        rig.state.accepted = None;
        let late = Event::ReportAccepted { key, report, quality, unmet: Vec::new() };
        assert_eq!(rig.try_push(late).unwrap_err(), "a report stands already, or a better one was written");
    }
}

#[test]
fn of_drafts_that_are_measured_the_one_that_tells_most_of_what_is_known_now_stands() {
    let draft = |told, known| DraftFacts { told, known, sections: 1_000_000, open: 1_000_000 };
    let poorer = DraftFacts { sections: 0, ..draft(9, 9) };
    for (drafts, stands) in [
        ([draft(9, 9), draft(8, 9)], 0),
        ([draft(9, 9), draft(9, 9)], 1),
        ([draft(9, 9), poorer], 0),
        // The first told all that was known then.
        ([draft(9, 9), draft(12, 15)], 1),
    ] {
        let mut rig = Rig::new(reviewed(1), [enough()]);
        // What is known got better; the draft did not.
        rig.qualities.extend([600_000, 700_000]);
        rig.told.extend(drafts);
        rig.raises = 1;
        rig.run();
        assert_eq!((rig.state.drafts.len(), accepted(&rig)), (2, Some(stands)), "{drafts:?}");
    }
}

#[test]
fn a_review_that_raises_nothing_is_the_last() {
    let mut rig = Rig::new(reviewed(3), [enough()]);
    rig.run();
    assert_eq!((rig.state.drafts.len(), rig.state.outcome), (1, Some(Outcome::Satisfied)));
}

#[test]
fn there_are_at_most_as_many_reviews_as_allowed() {
    for rounds in [0, 1, 2] {
        let mut rig = Rig::new(reviewed(rounds), [enough()]);
        rig.raises = 1;
        rig.run();
        let reviews = rig.agents().values().filter(|agent| *agent == "reviewer").count();
        assert_eq!((reviews, rig.state.drafts.len()), (rounds as usize, rounds as usize + 1));
    }
}

#[test]
fn what_a_review_raises_is_looked_into_where_a_criterion_is_open_again() {
    let mut rig = Rig::new(reviewed(1), [enough(), open_again(), enough()]);
    rig.raises = 1;
    rig.qualities.extend([600_000, 700_000]);
    rig.run();
    assert_eq!((rig.state.iteration, accepted(&rig)), (1, Some(1)));
    assert_eq!((rig.count("synthesis_begun"), rig.state.outcome), (2, Some(Outcome::Satisfied)));
}

#[test]
fn after_a_limit_a_review_leads_to_another_draft_and_no_research() {
    let limits = Limits { iterations: Some(1), ..Limits::default() };
    let terms = Terms { limits, ..reviewed(1) };
    let mut rig = Rig::new(terms, [facts(0, vec![gap("g1", 7)]), open_again()]);
    rig.raises = 1;
    rig.run();
    assert_eq!((rig.state.iteration, rig.state.drafts.len()), (1, 2));
    assert_eq!(rig.state.outcome, Some(Outcome::Partial));
}

#[test]
fn a_mission_without_a_supported_claim_with_a_source_is_never_satisfied() {
    let counts = GraphCounts { supported_claims: 0, sources: 5, ..GraphCounts::default() };
    let unsourced = GraphCounts { supported_claims: 5, sources: 0, ..GraphCounts::default() };
    for counts in [counts, unsourced] {
        let facts =
            GraphFacts { counts, coverage: 1_000_000, confidence: 1_000_000, ..GraphFacts::default() };
        let mut rig = Rig::new(with_writer(), [facts]);
        rig.run();
        assert_eq!(
            (rig.state.cause.clone(), rig.state.outcome),
            (Some(StopCause::NothingToDo), Some(Outcome::Partial))
        );
        assert_eq!(rig.state.accepted.as_ref().unwrap().1, ["evidence"]);
    }
}

#[test]
fn without_evidence_not_even_a_report_that_lacks_nothing_satisfies() {
    let mut rig = Rig::new(with_writer(), [facts(0, Vec::new())]);
    let keys = rig.until_children();
    rig.finishes(keys[0]);
    rig.answer(rig.state.effects().remove(0));
    let Draft { key, report, quality, .. } = rig.state.drafts[0].clone();
    rig.push(Event::ReportAccepted { key, report, quality, unmet: Vec::new() });
    let why = rig.try_push(Event::MissionCompleted { outcome: Outcome::Satisfied }).unwrap_err();
    assert_eq!(why, "no report stands, or the outcome is another");
}

#[test]
fn a_partial_report_lists_what_is_not_met_and_what_it_lacks() {
    let criteria = Criteria {
        confidence: Some(900_000),
        coverage: Some(400_000),
        sources_per_claim: Some(2),
        no_open_critical_gaps: true,
        all_claims_cited: true,
        validations: vec!["prices compared".to_owned()],
        ..Criteria::default()
    };
    let mut known = facts(1, Vec::new());
    known.counts.open_critical_gaps = 1;
    let mut rig = Rig::new(Terms { criteria, ..with_writer() }, [known]);
    rig.missing = vec!["section Outlook".to_owned()];
    rig.run();
    assert_eq!(rig.state.outcome, Some(Outcome::Partial));
    let unmet = &rig.state.accepted.as_ref().unwrap().1;
    assert_eq!(
        unmet,
        &[
            "confidence",
            "critical gaps",
            "sources per claim",
            "validation prices compared",
            "section Outlook"
        ]
    );
}

#[test]
fn met_criteria_do_not_satisfy_where_the_report_lacks_a_section() {
    let mut rig = Rig::new(with_writer(), [enough()]);
    rig.missing = vec!["section Outlook".to_owned()];
    rig.run();
    assert_eq!(
        (rig.state.cause.clone(), rig.state.outcome),
        (Some(StopCause::CriteriaMet), Some(Outcome::Partial))
    );
}

#[test]
fn a_mission_fails_with_its_first_report_and_goes_on_when_retried() {
    let mut rig = Rig::new(with_writer(), [enough()]);
    let keys = rig.until_children();
    rig.fails(keys[0]);
    rig.run();
    assert_eq!((rig.state.status(), rig.state.problem.clone()), (Status::Failed, Some(problem("it broke"))));
    rig.push(Event::MissionRetried);
    rig.run();
    assert_eq!((rig.state.outcome, rig.state.drafts[0].key), (Some(Outcome::Satisfied), Some(key(0, 1))));
}

#[test]
fn a_writer_that_would_fail_the_same_way_again_leaves_the_report_to_code() {
    for code in [ErrorCode::InvalidAnswer, ErrorCode::ContextTooLong, ErrorCode::Budget] {
        let mut rig = Rig::new(with_writer(), [enough()]);
        let keys = rig.until_children();
        rig.leaves(keys[0], ChildEnd::Failed { problem: Problem::new(code, "no report") }, 1);
        rig.run();
        assert_eq!((rig.state.outcome, rig.state.problem.clone()), (Some(Outcome::Satisfied), None));
        assert_eq!((rig.agents().len(), rig.state.drafts[0].key), (1, None), "nothing is paid again");
    }
}

#[test]
fn a_mission_of_an_earlier_version_that_failed_with_its_report_is_retried() {
    let mut rig = Rig::new(with_writer(), [enough()]);
    let keys = rig.until_children();
    let problem = Problem::new(ErrorCode::InvalidAnswer, "no report");
    rig.leaves(keys[0], ChildEnd::Failed { problem: problem.clone() }, 1);
    rig.push(Event::MissionFailed { problem });
    assert_eq!(rig.state.status(), Status::Failed);
    rig.push(Event::MissionRetried);
    rig.run();
    assert_eq!((rig.state.outcome, rig.state.drafts[0].key), (Some(Outcome::Satisfied), Some(key(0, 1))));
}

#[test]
fn a_later_draft_that_fails_leaves_the_one_that_is_there() {
    let mut rig = Rig::new(reviewed(1), [enough()]);
    rig.raises = 1;
    for _ in 0..2 {
        let keys = rig.until_children();
        rig.finishes(keys[0]);
    }
    let keys = rig.until_children();
    rig.fails(keys[0]);
    rig.run();
    assert_eq!((rig.state.outcome, accepted(&rig)), (Some(Outcome::Satisfied), Some(0)));
}

#[test]
fn a_review_that_fails_leaves_the_draft() {
    let mut rig = Rig::new(reviewed(1), [enough()]);
    let keys = rig.until_children();
    rig.finishes(keys[0]);
    let keys = rig.until_children();
    rig.leaves(keys[0], ChildEnd::Failed { problem: problem("no reviewer") }, 1);
    rig.run();
    assert_eq!((rig.state.outcome, accepted(&rig)), (Some(Outcome::Satisfied), Some(0)));
}

#[test]
fn research_that_failed_is_tried_again_when_the_mission_is_retried() {
    let mut rig = Rig::new(within(Limits::default()), [facts(0, vec![gap("g1", 7)])]);
    loop {
        let keys = rig.until_children();
        if keys.is_empty() {
            break;
        }
        keys.into_iter().for_each(|key| rig.fails(key));
    }
    assert_eq!((rig.state.status(), rig.state.cause.clone()), (Status::Failed, Some(StopCause::NoProgress)));
    rig.facts = [enough()].into();
    rig.push(Event::MissionRetried);
    rig.run();
    let tried: Vec<_> = rig.agents().into_values().collect();
    assert_eq!(tried, ["reader", "searcher", "writer", "reader", "writer"]);
    assert_eq!(rig.state.outcome, Some(Outcome::Satisfied));
}

#[test]
fn a_local_effect_that_fails_ends_the_mission_once_nothing_is_under_way() {
    let mut rig = Rig::new(with_writer(), [facts(0, vec![gap("g1", 7)])]);
    let keys = rig.until_children();
    rig.push(Event::StepFailed { problem: problem("the disk is full") });
    rig.advance();
    assert_eq!(rig.state.status(), Status::Running);
    rig.finishes(keys[0]);
    rig.advance();
    assert_eq!(rig.state.status(), Status::Failed);
    rig.push(Event::MissionRetried);
    rig.facts = [enough()].into();
    rig.run();
    assert_eq!((rig.state.outcome, rig.count("integrated")), (Some(Outcome::Satisfied), 1));
    assert_eq!(digest("report 0"), rig.state.drafts[0].report);
}

#[test]
fn a_written_report_that_could_not_be_scored_is_scored_when_the_mission_is_retried() {
    let mut rig = Rig::new(with_writer(), [facts(0, Vec::new())]);
    let keys = rig.until_children();
    assert_eq!(rig.state.cause, Some(StopCause::NothingToDo));
    rig.finishes(keys[0]);
    rig.push(Event::StepFailed { problem: problem("the disk is full") });
    rig.advance();
    assert_eq!(rig.state.status(), Status::Failed);
    rig.push(Event::MissionRetried);
    rig.run();
    assert_eq!((rig.agents().len(), rig.state.drafts[0].key), (1, Some(keys[0])));
}

#[test]
fn who_has_enough_gets_a_report_although_the_writer_asks() {
    let mut rig = Rig::new(with_writer(), [enough()]);
    let keys = rig.until_children();
    rig.leaves(keys[0], ChildEnd::Waits { form: digest("question") }, 1);
    rig.run();
    assert_eq!(rig.state.status(), Status::Paused);
    rig.push(Event::WriteRequested);
    rig.run();
    assert_eq!((rig.state.status(), rig.state.drafts[0].key), (Status::Completed, None));
}

#[test]
fn a_mission_that_failed_while_it_was_suspended_goes_on_when_retried() {
    let mut rig = Rig::new(with_writer(), [facts(0, vec![gap("g1", 7)]), enough()]);
    let keys = rig.until_children();
    rig.push(Event::Suspended);
    rig.push(Event::StepFailed { problem: problem("the disk is full") });
    rig.leaves(keys[0], ChildEnd::Interrupted, 1);
    rig.advance();
    assert_eq!(rig.state.status(), Status::Failed);
    rig.push(Event::MissionRetried);
    rig.run();
    assert_eq!(rig.state.status(), Status::Completed);
}
