//! Bounds: what ends a turn that the model would not end.

use dialogue::{Bounds, Effect, Event, ExecutionPhase, Purpose, Status, Stop, ToolEnd};
use domain::{Budget, LimitReached, LimitSpan, NanoUsd};
use pretty_assertions::assert_eq;

use crate::rig::{Rig, allow, bounded, digest, read, refuse, reserve, same, with_answer, write};

fn budget(budget: Budget) -> Bounds {
    Bounds { budget, ..Bounds::default() }
}

#[test]
fn every_bound_leads_to_one_final_call_without_tools_and_says_which_it_was() {
    let table = [
        ("iterations", Bounds { iterations: 2, ..Bounds::default() }),
        ("tool calls", Bounds { tool_calls: 2, ..Bounds::default() }),
        ("cost", budget(Budget { cost: Some(NanoUsd(215)), ..Budget::default() })),
        ("tokens", budget(Budget { tokens: Some(215), ..Budget::default() })),
        ("time", budget(Budget { active_ms: Some(50), ..Budget::default() })),
        ("repeats", Bounds { repeats: 1, ..Bounds::default() }),
    ];
    for (bound, bounds) in table {
        let mut turn = Rig::within(bounds);
        turn.active_ms = if bound == "time" { 5 } else { 0 };
        for call in ["a", "b"] {
            turn.calls(&[same(call, "the same")]);
            if turn.effects().iter().any(|effect| matches!(effect, Effect::Refuse { .. })) {
                turn.ends(call, ToolEnd::Failed);
            } else {
                turn.runs(&[call]);
            }
            if matches!(turn.effects().as_slice(), [Effect::Nudge { .. }]) {
                turn.nudges();
            }
        }
        assert_eq!((turn.why(), turn.wanted()), (Some(bound), (3, 1, Purpose::Final)), "{bound}");
        assert_eq!(turn.state.phase, ExecutionPhase::Response);
        turn.says("as far as I came");
        assert_eq!(turn.end(), (Some(bounded(bound)), with_answer("as far as I came")));
        assert_eq!(turn.status(), Status::Completed);
    }
}

#[test]
fn calls_beyond_the_bound_are_refused_and_those_within_it_run() {
    let mut turn = Rig::within(Bounds { tool_calls: 2, ..Bounds::default() });
    turn.calls(&[write("a"), write("b"), write("c"), write("d")]);
    let why = "no calls of tools are left in this turn";
    let beyond = |call| refuse(call, ToolEnd::Failed, why);
    assert_eq!(turn.effects()[..2], [beyond("c"), beyond("d")]);
    turn.ends("c", ToolEnd::Failed);
    turn.ends("d", ToolEnd::Failed);
    turn.runs(&["a", "b"]);
    assert_eq!((turn.why(), turn.wanted().2), (Some("tool calls"), Purpose::Final));
}

#[test]
fn calls_that_have_not_begun_when_time_is_up_are_refused() {
    let mut turn = Rig::within(budget(Budget { active_ms: Some(100), ..Budget::default() }));
    turn.calls(&[read("a"), read("b")]);
    turn.decides("a", allow());
    turn.decides("b", allow());
    turn.starts("a");
    turn.active_ms = 100;
    turn.ends("a", ToolEnd::Ok);
    assert_eq!(turn.effects(), [refuse("b", ToolEnd::Failed, "the time for this turn is used up")]);
    turn.ends("b", ToolEnd::Failed);
    assert_eq!((turn.why(), turn.wanted().2), (Some("time"), Purpose::Final));
}

#[test]
fn an_answer_that_comes_when_a_bound_is_reached_is_still_the_answer() {
    let mut turn = Rig::within(Bounds { iterations: 1, ..Bounds::default() });
    turn.says("hello");
    assert_eq!(turn.end(), (Some(dialogue::End::Answered), with_answer("hello")));
    let mut turn = Rig::within(Bounds { iterations: 1, ..Bounds::default() });
    turn.answers("done", &[write("a")], Stop::Ended);
    turn.runs(&["a"]);
    assert_eq!(turn.end(), (Some(dialogue::End::Answered), with_answer("done")));
}

#[test]
fn a_step_is_made_only_when_the_final_call_would_still_fit() {
    let mut turn = Rig::budget(209);
    turn.step("a");
    assert_eq!((turn.why(), turn.wanted()), (Some("cost"), (2, 1, Purpose::Final)));
    let mut turn = Rig::budget(210);
    turn.step("a");
    assert_eq!(turn.wanted(), (2, 1, Purpose::Step));
}

#[test]
fn a_step_that_turns_out_too_dear_gives_way_to_the_final_call() {
    let mut turn = Rig::budget(150);
    assert_eq!(turn.names(), ["too_dear", "responding"]);
    assert_eq!((turn.why(), turn.wanted()), (Some("cost"), (1, 1, Purpose::Final)));
    turn.reserve = 151;
    let request = turn.requested();
    assert_eq!(turn.refuses(request), "it could cost more than is left");
    turn.reserve = 150;
    turn.says("in short");
    assert_eq!(turn.end(), (Some(bounded("cost")), with_answer("in short")));
}

#[test]
fn a_call_may_set_aside_less_than_those_before_it() {
    let mut turn = Rig::budget(1_000);
    turn.reserve = 450;
    turn.step("a");
    turn.cost = 200;
    turn.step("b");
    assert_eq!(turn.why(), Some("cost"), "210 are spent, 900 more could be");
    let mut turn = Rig::budget(1_000);
    turn.reserve = 450;
    turn.step("a");
    (turn.cost, turn.reserve) = (200, 390);
    turn.step("b");
    assert_eq!(turn.wanted(), (3, 1, Purpose::Step));
}

#[test]
fn when_not_even_the_final_call_fits_the_turn_ends_with_a_summary_by_code() {
    let mut turn = Rig::budget(90);
    assert_eq!(turn.names(), ["too_dear", "responding", "too_dear"]);
    assert_eq!(turn.effects(), [Effect::Summarise { end: bounded("cost") }]);
    turn.crash();
    assert_eq!(turn.effects(), [Effect::Summarise { end: bounded("cost") }]);
    turn.push(Event::TurnEnded { end: bounded("cost"), answer: with_answer("by code") });
    assert_eq!(turn.status(), Status::Completed);
}

#[test]
fn a_final_call_that_turns_out_too_dear_leaves_the_fallback() {
    let mut turn = Rig::budget(215);
    turn.answers("I look first", &[write("a")], Stop::WantsTools);
    turn.cost = 105;
    turn.runs(&["a"]);
    turn.calls(&[write("b")]);
    turn.runs(&["b"]);
    assert_eq!((turn.why(), turn.state.cost), (Some("cost"), NanoUsd(115)));
    turn.push(Event::TooDear { call: 3, purpose: Purpose::Final, reserve: reserve(101) });
    assert_eq!(turn.end(), (Some(bounded("cost")), with_answer("I look first")));
}

#[test]
fn what_fits_can_not_be_called_too_dear() {
    let mut turn = Rig::budget(1_000);
    let event = Event::TooDear { call: 1, purpose: Purpose::Step, reserve: reserve(100) };
    assert_eq!(turn.refuses(event), "there is enough left for it");
}

#[test]
fn what_is_set_aside_and_what_is_doubtful_counts_as_spent() {
    let mut turn = Rig::budget(420);
    turn.request();
    assert_eq!(turn.state.committed(), reserve(100));
    turn.crash();
    assert_eq!((turn.state.committed(), turn.state.doubtful), (reserve(100), reserve(100)));
    assert_eq!(turn.wanted(), (1, 2, Purpose::Step));
    turn.request();
    turn.crash();
    assert_eq!(turn.wanted(), (1, 3, Purpose::Step), "200 are left: a step and the final call");
    turn.request();
    turn.crash();
    assert_eq!((turn.why(), turn.wanted()), (Some("cost"), (2, 1, Purpose::Final)));
    turn.request();
    turn.crash();
    assert_eq!(turn.effects(), [Effect::Summarise { end: bounded("cost") }]);
}

#[test]
fn the_same_call_in_a_row_earns_a_nudge_and_once_more_ends_execution() {
    let mut turn = Rig::new();
    for call in ["a", "b"] {
        turn.calls(&[same(call, "the same")]);
        turn.runs(&[call]);
    }
    assert_eq!(turn.wanted().2, Purpose::Step);
    turn.calls(&[same("c", "the same")]);
    turn.runs(&["c"]);
    assert_eq!(turn.effects(), [Effect::Nudge { why: "repeats".to_owned() }]);
    turn.crash();
    turn.nudges();
    turn.calls(&[same("d", "the same")]);
    let why = "the same call was made again and again";
    assert_eq!(turn.effects(), [refuse("d", ToolEnd::Failed, why)]);
    turn.ends("d", ToolEnd::Failed);
    assert_eq!((turn.why(), turn.wanted().2), (Some("repeats"), Purpose::Final));
    turn.says("I was going round in circles");
    assert_eq!(turn.end(), (Some(bounded("repeats")), with_answer("I was going round in circles")));
}

#[test]
fn repeats_within_one_answer_count() {
    let mut turn = Rig::new();
    turn.calls(&[same("a", "x"), same("b", "x"), same("c", "x"), same("d", "x")]);
    turn.runs(&["a", "b", "c", "d"]);
    turn.nudges();
    assert_eq!(turn.wanted().2, Purpose::Step);
}

#[test]
fn another_call_in_between_begins_the_row_anew() {
    let mut turn = Rig::new();
    for (number, digest) in ["x", "x", "y", "x", "x", "y"].into_iter().enumerate() {
        let call = format!("call {number}");
        turn.calls(&[same(&call, digest)]);
        turn.runs(&[&call]);
    }
    assert_eq!(turn.wanted(), (7, 1, Purpose::Step));
}

#[test]
fn a_nudged_call_that_comes_back_in_a_row_later_ends_execution_and_another_one_is_nudged_first() {
    let mut turn = Rig::within(Bounds { repeats: 2, ..Bounds::default() });
    let mut number = 0;
    let mut twice = |turn: &mut Rig, digest: &str| {
        for _ in 0..2 {
            number += 1;
            let call = format!("call {number}");
            turn.calls(&[same(&call, digest)]);
            if !matches!(turn.effects()[0], Effect::Refuse { .. }) {
                turn.decides(&call, allow());
                turn.starts(&call);
                turn.ends(&call, ToolEnd::Ok);
            } else {
                turn.ends(&call, ToolEnd::Failed);
            }
        }
    };
    twice(&mut turn, "x");
    turn.nudges();
    twice(&mut turn, "y");
    turn.nudges();
    twice(&mut turn, "x");
    assert_eq!(turn.why(), Some("repeats"));
}

#[test]
fn without_a_limit_for_repeats_nobody_counts_them() {
    let mut turn = Rig::within(Bounds { repeats: 0, ..Bounds::default() });
    for number in 0..6 {
        let call = format!("call {number}");
        turn.calls(&[same(&call, "x")]);
        turn.runs(&[&call]);
    }
    assert_eq!(turn.wanted(), (7, 1, Purpose::Step));
}

#[test]
fn money_tokens_and_flat_rates_add_up_over_all_calls() {
    let mut turn = Rig::new();
    turn.step("a");
    turn.fails(Some(10));
    turn.push(Event::Waited { call: 2 });
    turn.says("done");
    assert_eq!((turn.state.cost, turn.state.usage.input), (NanoUsd(23), 23));
    assert_eq!((turn.state.equivalent, turn.state.context), (NanoUsd(2), 50));
    assert_eq!(turn.state.committed(), reserve(23));
    assert_eq!(turn.state.start.as_ref().unwrap().message, digest("question"));
}

fn withheld(call: u32) -> Event {
    let limit = LimitReached {
        span: LimitSpan::Day,
        of: "2026-11-28".to_owned(),
        connection: None,
        limit: NanoUsd(300),
        spent: NanoUsd(250),
        held: NanoUsd(0),
    };
    Event::ModelWithheld { call, limit }
}

#[test]
fn a_limit_on_money_leads_to_the_final_call_and_where_that_is_too_dear_to_a_summary() {
    let mut turn = Rig::new();
    turn.step("a");
    let call = turn.request();
    turn.push(withheld(call));
    assert_eq!((turn.why(), turn.wanted().2), (Some("limit"), Purpose::Final));
    let call = turn.request();
    turn.push(withheld(call));
    let summary = Effect::Summarise { end: bounded("limit") };
    assert_eq!(turn.effects(), [summary]);
    assert_eq!(turn.state.limit.as_ref().map(|limit| limit.limit), Some(NanoUsd(300)));
}

#[test]
fn a_turn_of_a_stage_stands_still_at_a_limit_and_makes_the_same_call_when_it_goes_on() {
    let origin = dialogue::Origin::Stage { run: "r".into(), stage: "s".to_owned() };
    let mut turn = Rig::from(origin, Bounds::default());
    let call = turn.request();
    turn.push(withheld(call));
    assert_eq!((turn.status(), turn.effects()), (Status::Suspended, vec![]));
    turn.push(Event::Continued);
    assert_eq!(turn.wanted(), (call, 1, Purpose::Step));
    assert_eq!(turn.state.limit, None);
}
