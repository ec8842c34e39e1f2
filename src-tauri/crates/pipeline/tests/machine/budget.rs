//! Budgets by reservation.

use domain::{Budget, LimitReached, LimitSpan, NanoUsd};
use pipeline::{Action, Event, SkippedBy, Status};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::rig::{Rig, dollars, model, reserve, resumed, tools};

#[test]
fn no_call_starts_that_could_exceed_the_budget() {
    let mut rig =
        Rig::chain(vec![model("a", json!({}))]).calls("a", 0, 3).budget(dollars(250), reserve(0)).start();
    assert_eq!(rig.under_way(), ["a#1.0.0", "a#1.0.1"]);
    rig.costing("a#1.0.0", 100);
    assert_eq!(rig.under_way(), ["a#1.0.1"]);
    rig.costing("a#1.0.1", 20);
    assert_eq!(rig.under_way(), ["a#1.0.2"]);
}

#[test]
fn what_was_set_aside_is_given_back_when_a_call_ends_however_it_ends() {
    let mut rig = Rig::chain(vec![model("a", json!({}))]).start();
    assert_eq!(rig.state.committed(), reserve(100));
    rig.fails("a#1.0.0", Some(5));
    assert_eq!(rig.state.committed(), reserve(0));
    rig.push(Event::TimerFired { key: crate::rig::key("a#1.0.0") });
    assert_eq!(rig.state.committed(), reserve(100));
    rig.bad("a#1.0.0");
    assert_eq!(rig.state.committed(), reserve(110));
    rig.good("a#1.0.0");
    assert_eq!(rig.state.committed(), reserve(20));
}

#[test]
fn tokens_and_time_bound_a_run_too() {
    let tokens = Budget { tokens: Some(50), ..Budget::default() };
    let rig = Rig::chain(vec![model("a", json!({}))]).budget(tokens, reserve(0)).start();
    assert_eq!(rig.count("budget_exceeded"), 1);
    let time = Budget { active_ms: Some(1000), ..Budget::default() };
    let mut rig =
        Rig::chain(vec![model("a", json!({})), model("b", json!({}))]).budget(time, reserve(0)).start();
    rig.active_ms = 1000;
    rig.good("a#1.0.0");
    assert_eq!((rig.state.active_ms, rig.count("budget_exceeded")), (1000, 1));
}

#[test]
fn a_budget_that_is_used_up_pauses_the_run_and_a_higher_one_goes_on() {
    let mut rig = Rig::chain(vec![model("a", json!({})), model("b", json!({}))])
        .budget(dollars(150), reserve(0))
        .start();
    rig.costing("a#1.0.0", 100);
    assert_eq!((rig.status(), rig.pauses()), (Status::Paused, vec!["p1 b".to_owned()]));
    let told = rig.log.iter().find_map(|record| match &record.event {
        Event::BudgetExceeded { needed, left, .. } => Some((*needed, *left)),
        _ => None,
    });
    assert_eq!(told, Some((reserve(100), dollars(50))));
    rig.answer("p1", Action::Raise { budget: dollars(180) });
    assert_eq!(rig.pauses(), ["p2 b"]);
    rig.answer("p2", Action::Raise { budget: dollars(200) });
    assert_eq!(rig.under_way(), ["b#1.0.0"]);
}

#[test]
fn a_budget_cannot_be_lowered_at_the_pause() {
    let mut rig = Rig::chain(vec![model("a", json!({}))]).budget(dollars(50), reserve(0)).start();
    let why = rig.refused(resumed("p1", Action::Raise { budget: dollars(40) }, None));
    assert!(why.contains("only be raised"), "{why}");
    let tokens = Budget { tokens: Some(5), ..dollars(60) };
    assert!(rig.refused(resumed("p1", Action::Raise { budget: tokens }, None)).contains("only be raised"));
}

#[test]
fn what_essential_stages_need_is_kept_from_the_stages_before_them() {
    let extra = model("extra", json!({ "skippable": true }));
    let mut rig =
        Rig::chain(vec![model("a", json!({})), extra, model("answer", json!({ "essential": true }))])
            .budget(dollars(250), reserve(100))
            .start();
    rig.costing("a#1.0.0", 60);
    let why = "what is left of the budget is kept for the answer".to_owned();
    assert_eq!(rig.stage("extra").skipped, Some((SkippedBy::Budget, why)));
    assert_eq!(rig.under_way(), ["answer#1.0.0"]);
    rig.costing("answer#1.0.0", 100);
    assert_eq!((rig.status(), rig.state.cost), (Status::Completed, NanoUsd(160)));
}

#[test]
fn nothing_more_is_kept_for_an_essential_stage_whose_call_is_under_way() {
    let mut rig = Rig::chain(vec![
        model("answer", json!({ "essential": true })),
        model("aside", json!({ "dependsOn": [], "skippable": true })),
    ])
    .budget(dollars(200), reserve(100))
    .start();
    assert_eq!(rig.under_way(), ["answer#1.0.0", "aside#1.0.0"]);
    rig.costing("answer#1.0.0", 100);
    assert_eq!(rig.under_way(), ["aside#1.0.0"]);
}

#[test]
fn a_call_that_is_too_dear_does_not_hold_up_other_branches() {
    let mut rig = Rig::chain(vec![model("a", json!({})), tools("b", 2, json!({ "dependsOn": [] }))])
        .budget(dollars(50), reserve(0))
        .start();
    assert_eq!(rig.under_way(), ["b#1.0.0"]);
    rig.good("b#1.0.0");
    assert_eq!(rig.under_way(), ["b#1.1.0"]);
    rig.good("b#1.1.0");
    assert_eq!((rig.status(), rig.pauses()), (Status::Paused, vec!["p1 a".to_owned()]));
}

#[test]
fn doubtful_costs_count_as_spent() {
    let mut rig =
        Rig::chain(vec![model("a", json!({}))]).budget(dollars(150), reserve(0)).permits_retry().start();
    rig.crash();
    assert_eq!((rig.state.doubtful, rig.count("budget_exceeded")), (reserve(100), 1));
    assert!(rig.under_way().is_empty());
    rig.answer("p1", Action::Raise { budget: dollars(200) });
    assert_eq!(rig.under_way(), ["a#1.0.0"]);
}

#[test]
fn a_provider_that_charges_more_than_was_set_aside_gets_no_further_call() {
    let mut rig = Rig::chain(vec![model("a", json!({})), model("b", json!({}))])
        .budget(dollars(250), reserve(0))
        .start();
    rig.costing("a#1.0.0", 900);
    assert!(rig.under_way().is_empty());
    assert_eq!(rig.status(), Status::Paused);
}

fn limit() -> LimitReached {
    LimitReached {
        span: LimitSpan::Day,
        of: "2026-11-28".to_owned(),
        connection: None,
        limit: NanoUsd(300),
        spent: NanoUsd(250),
        held: NanoUsd(0),
    }
}

fn withheld(call: &str) -> Event {
    Event::ModelCallWithheld { key: crate::rig::key(call), r#try: 1, limit: limit() }
}

#[test]
fn a_limit_on_money_pauses_the_run_and_its_raise_issues_the_same_try_again() {
    let mut rig = Rig::chain(vec![model("a", json!({ "skippable": true })), model("b", json!({}))]).start();
    rig.push(withheld("a#1.0.0"));
    assert_eq!((rig.status(), rig.pauses()), (Status::Paused, vec!["p1 a".to_owned()]));
    assert_eq!((rig.state.withheld(), rig.state.committed()), (Some(&limit()), reserve(0)));
    assert_eq!(rig.count("budget_exceeded") + rig.count("stage_skipped"), 0, "nothing is left out for it");
    rig.answer("p1", Action::Raise { budget: Budget::default() });
    assert_eq!((rig.under_way(), rig.tries("a#1.0.0")), (vec!["a#1.0.0".to_owned()], 1));
    assert_eq!(rig.state.withheld(), None);
    rig.push(withheld("a#1.0.0"));
    assert_eq!(rig.pauses(), ["p2 a"], "a limit that still holds pauses once more");
    rig.answer("p2", Action::Raise { budget: Budget::default() });
    rig.good("a#1.0.0");
    rig.good("b#1.0.0");
    assert_eq!(rig.status(), Status::Completed);
}

#[test]
fn a_call_that_a_limit_forbids_beside_others_waits_for_their_end_before_anybody_is_asked() {
    let mut rig = Rig::chain(vec![model("a", json!({}))]).calls("a", 0, 3).start();
    rig.push(withheld("a#1.0.2"));
    assert_eq!((rig.under_way(), rig.pauses()), (vec!["a#1.0.0".to_owned(), "a#1.0.1".to_owned()], vec![]));
    rig.good("a#1.0.0");
    assert_eq!(rig.under_way(), ["a#1.0.1", "a#1.0.2"], "what the other set aside may be enough");
    rig.push(withheld("a#1.0.2"));
    rig.good("a#1.0.1");
    rig.push(withheld("a#1.0.2"));
    assert_eq!((rig.status(), rig.pauses()), (Status::Paused, vec!["p1 a".to_owned()]));
}

#[test]
fn only_a_call_under_way_is_withheld() {
    let mut rig = Rig::chain(vec![model("a", json!({})), model("b", json!({}))]).start();
    assert!(rig.refused(withheld("b#1.0.0")).contains("no such call"));
    rig.good("a#1.0.0");
    rig.refused(withheld("a#1.0.0"));
}
