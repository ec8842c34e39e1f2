//! The six limits: warnings, reservations, the report's share, and what happens at the end of each.

use domain::mission::MissionPause;
use domain::{Budget, NanoUsd};
use missions::{
    ChildEnd, Decision, Dimension, DropCause, Event, InvocationStatus, Limits, Outcome, PauseKind, Role,
    Status, StopCause, Terms,
};
use pretty_assertions::assert_eq;

use crate::rig::{Rig, budget, digest, enough, facts, gap, key, pauses, reserve, within};

/// Analyses that find a question that is new each time, and a claim more.
fn endless() -> Vec<domain::mission::GraphFacts> {
    (0..30)
        .map(|n| {
            let mut items = vec![gap("g1", 7), gap("g2", 6)];
            items.iter_mut().for_each(|item| item.fingerprint = digest(&format!("{n} {}", item.id.0)));
            facts(n + 1, items)
        })
        .collect()
}

fn warnings(rig: &Rig) -> Vec<(Dimension, u32)> {
    let warned = |event: &Event| match event {
        Event::BudgetWarned { dimension, percent } => Some((dimension.clone(), *percent)),
        _ => None,
    };
    rig.log.iter().filter_map(|record| warned(&record.event)).collect()
}

fn cost(limit: u64) -> Limits {
    Limits { budget: Budget { cost: Some(NanoUsd(limit)), ..Budget::default() }, ..Limits::default() }
}

fn tokens(limit: u64) -> Limits {
    Limits { budget: Budget { tokens: Some(limit), ..Budget::default() }, ..Limits::default() }
}

fn time(limit: u64) -> Limits {
    Limits { budget: Budget { active_ms: Some(limit), ..Budget::default() }, ..Limits::default() }
}

#[test]
fn each_limit_ends_research_and_the_report_is_written_all_the_same() {
    let invocations = Limits { invocations: Some(6), ..Limits::default() };
    let iterations = Limits { iterations: Some(3), ..Limits::default() };
    for (limits, dimension) in [
        (cost(150), Dimension::Cost),
        (tokens(150), Dimension::Tokens),
        (time(200), Dimension::Time),
        (invocations, Dimension::Invocations),
        (iterations, Dimension::Iterations),
    ] {
        let mut rig = Rig::new(within(limits), endless());
        rig.active_ms = 2;
        rig.run();
        let cause = Some(StopCause::Limit { dimension: dimension.clone() });
        assert_eq!((rig.state.cause.clone(), rig.state.outcome), (cause, Some(Outcome::Partial)));
        assert!(rig.state.reached.contains(&dimension));
        assert_eq!(rig.state.drafts.len(), 1);
        assert_eq!(
            rig.state.drafts[0].key.map(|key| rig.state.invocations[&key].role),
            Some(Role::Synthesise)
        );
        assert!(rig.state.limits.budget.allows(rig.state.committed()));
        assert_eq!(rig.state.accepted.as_ref().unwrap().1, ["coverage"]);
    }
}

#[test]
fn an_agent_that_was_invoked_as_often_as_it_may_be_is_left_out() {
    let limits =
        Limits { per_agent: [("reader".into(), 1), ("searcher".into(), 2)].into(), ..Limits::default() };
    let mut rig = Rig::new(within(limits), endless());
    rig.run();
    assert_eq!(rig.state.cause, Some(StopCause::NothingToDo));
    let made = |slug: &str| rig.state.invocations_of(&slug.into());
    assert_eq!((made("reader"), made("searcher")), (1, 2));
}

#[test]
fn each_limit_is_warned_of_once_at_75_and_at_90_percent() {
    let mut rig = Rig::new(within(Limits { iterations: Some(20), ..Limits::default() }), endless());
    rig.run();
    assert_eq!(warnings(&rig), [(Dimension::Iterations, 75), (Dimension::Iterations, 90)]);
    let limits =
        Limits { per_agent: [("reader".into(), 4)].into(), invocations: Some(12), ..Limits::default() };
    let mut rig = Rig::new(within(limits), endless());
    rig.run();
    let agent = Dimension::Agent("reader".into());
    assert_eq!(warnings(&rig), [(agent, 75), (Dimension::Invocations, 75), (Dimension::Invocations, 90),]);
    for (limits, dimension) in
        [(cost(250), Dimension::Cost), (tokens(250), Dimension::Tokens), (time(300), Dimension::Time)]
    {
        let mut rig =
            Rig::new(Terms { essential: missions::Essential::default(), ..within(limits) }, endless());
        rig.active_ms = 1;
        rig.run();
        assert_eq!(warnings(&rig), [(dimension.clone(), 75), (dimension, 90)]);
    }
}

#[test]
fn those_of_a_wave_share_what_is_left_beside_the_reports_share() {
    let mut rig = Rig::new(within(budget(160)), endless());
    let keys = rig.until_children();
    let held: Vec<_> = keys.iter().map(|key| rig.state.invocations[key].held).collect();
    assert_eq!(held, [reserve(30), reserve(30)]);
    assert_eq!(rig.state.committed(), reserve(60));
    let mut rich = Rig::new(within(budget(1_000)), endless());
    let keys = rich.until_children();
    let held: Vec<_> = keys.iter().map(|key| rich.state.invocations[key].held).collect();
    assert_eq!(held, [reserve(50), reserve(50)], "their own budget is less");
}

#[test]
fn a_child_run_that_used_up_its_share_gets_more_or_is_dropped() {
    let short = |needed| ChildEnd::Short { needed: reserve(needed) };
    let mut rig = Rig::new(within(budget(160)), endless());
    let keys = rig.until_children();
    rig.leaves(keys[0], short(20), 30);
    rig.advance();
    assert_eq!(rig.under_way(), [keys[1]], "20 are not left until the other is done");
    rig.leaves(keys[1], ChildEnd::Finished { output: digest("o") }, 5);
    rig.advance();
    assert_eq!((rig.under_way(), rig.state.invocations[&keys[0]].held), (vec![keys[0]], reserve(20)));
    rig.leaves(keys[0], short(1), 49);
    rig.leaves_again_short(keys[0]);
}

impl Rig {
    /// It needs more than its own budget leaves.
    fn leaves_again_short(&mut self, key: missions::InvocationKey) {
        self.advance();
        assert_eq!(self.under_way(), [key]);
        self.leaves(key, ChildEnd::Short { needed: reserve(5) }, 50);
        assert!(matches!(self.state.invocations[&key].status, InvocationStatus::Failed(_)));
        self.run();
        assert_eq!(self.state.status(), Status::Completed);
    }
}

#[test]
fn one_that_goes_on_needs_no_more_than_it_says() {
    let mut rig = Rig::new(within(budget(1_000)), endless());
    let keys = rig.until_children();
    rig.leaves(keys[0], ChildEnd::Waits { form: digest("form") }, 45);
    rig.advance();
    rig.replies(Decision::Proceed);
    assert_eq!(rig.until_children(), keys, "5 of its 50 are left, and it needed 10 to begin");
    assert_eq!(rig.state.invocations[&keys[0]].held, reserve(5));
}

#[test]
fn one_that_does_nothing_with_enough_fails() {
    let mut rig = Rig::new(within(budget(1_000)), endless());
    let keys = rig.until_children();
    rig.leaves(keys[0], ChildEnd::Short { needed: reserve(10) }, 0);
    assert!(matches!(rig.state.invocations[&keys[0]].status, InvocationStatus::Failed(_)));
}

#[test]
fn what_can_not_be_paid_any_more_is_dropped_and_nothing_is_stuck() {
    let mut rig = Rig::new(within(budget(125)), endless());
    let keys = rig.until_children();
    assert_eq!(keys.len(), 2);
    rig.leaves(keys[0], ChildEnd::Short { needed: reserve(20) }, 12);
    rig.leaves(keys[1], ChildEnd::Interrupted, 10);
    rig.run();
    assert_eq!(rig.state.invocations[&keys[0]].status, InvocationStatus::Dropped(DropCause::Budget));
    assert_eq!(rig.state.outcome, Some(Outcome::Partial));
}

#[test]
fn when_the_time_is_over_what_waits_is_dropped_and_what_is_under_way_is_waited_for() {
    let mut rig = Rig::new(within(time(200)), endless());
    let keys = rig.until_children();
    rig.active_ms = 101;
    rig.leaves(keys[0], ChildEnd::Interrupted, 1);
    rig.active_ms = 0;
    rig.advance();
    assert_eq!(rig.state.invocations[&keys[0]].status, InvocationStatus::Dropped(DropCause::Time));
    rig.finishes(keys[1]);
    rig.run();
    assert_eq!(rig.count("integrated"), 1);
    assert_eq!(rig.state.cause, Some(StopCause::Limit { dimension: Dimension::Time }));
}

#[test]
fn without_enough_for_the_writer_code_writes_the_report() {
    let mut terms = within(cost(30));
    terms.essential.reserve = reserve(0);
    let mut rig = Rig::new(terms, endless());
    let keys = rig.until_children();
    for key in keys {
        rig.leaves(key, ChildEnd::Finished { output: digest("o") }, 15);
    }
    rig.run();
    assert_eq!((rig.state.outcome, rig.state.drafts[0].key), (Some(Outcome::Partial), None));
}

#[test]
fn a_pause_at_a_limit_lets_the_user_raise_it_or_have_the_report() {
    let mut terms = within(Limits { iterations: Some(1), ..Limits::default() });
    terms.pauses = pauses(&[MissionPause::Limit]);
    let mut rig = Rig::new(terms, endless());
    rig.run();
    let asked = [PauseKind::Limit { dimension: Dimension::Iterations }];
    assert_eq!((rig.state.status(), rig.open_pauses()), (Status::Paused, asked.to_vec()));
    rig.replies(Decision::Raise { limits: Limits { iterations: Some(2), ..Limits::default() } });
    rig.run();
    assert_eq!((rig.state.iteration, rig.open_pauses()), (2, asked.to_vec()));
    rig.push(Event::LimitsRaised { limits: Limits { iterations: Some(3), ..Limits::default() } });
    assert_eq!(rig.open_pauses(), [], "raised beside the pause");
    rig.run();
    rig.replies(Decision::Write);
    rig.run();
    let cause = StopCause::Limit { dimension: Dimension::Iterations };
    assert_eq!((rig.state.cause.clone(), rig.state.outcome), (Some(cause), Some(Outcome::Partial)));
}

#[test]
fn a_raised_limit_is_warned_of_again_when_it_runs_low_again() {
    let mut rig = Rig::new(within(Limits { iterations: Some(5), ..Limits::default() }), endless());
    let keys = rig.until_iteration(4);
    assert_eq!(warnings(&rig), [(Dimension::Iterations, 75)]);
    rig.push(Event::LimitsRaised { limits: Limits { iterations: Some(8), ..Limits::default() } });
    keys.into_iter().for_each(|key| rig.finishes(key));
    rig.run();
    assert_eq!(warnings(&rig), [(Dimension::Iterations, 75), (Dimension::Iterations, 75)]);
}

#[test]
fn the_last_invocation_is_kept_for_the_report() {
    let mut rig = Rig::new(within(Limits { invocations: Some(1), ..Limits::default() }), [enough()]);
    rig.run();
    assert_eq!(rig.agents(), [(key(0, 0).to_string(), "writer".to_owned())].into());
}
