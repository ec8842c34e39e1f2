//! Questions that tools ask a model themselves.

use dialogue::{AskState, Event, Purpose, Stop, ToolEnd};
use domain::{NanoUsd, Usage};
use pretty_assertions::assert_eq;

use crate::rig::{Rig, allow, digest, ended, read, reserve};

fn asks(call: &str, question: &str, most: u64) -> Event {
    Event::ToolModelRequested { call: call.to_owned(), question: digest(question), reserve: reserve(most) }
}

fn told(call: &str, answer: Option<&str>, cost: u64) -> Event {
    Event::ToolModelEnded {
        call: call.to_owned(),
        answer: answer.map(digest),
        usage: Usage { input: cost, ..Usage::default() },
        cost: NanoUsd(cost),
        equivalent: NanoUsd(0),
    }
}

/// A turn with a budget in which the calls run; ten are spent.
fn running(budget: u64, calls: &[&str]) -> Rig {
    let mut turn = Rig::budget(budget);
    let tools: Vec<_> = calls.iter().map(|call| read(call)).collect();
    turn.answers("", &tools, Stop::WantsTools);
    for call in calls {
        turn.decides(call, allow());
    }
    for call in calls {
        turn.starts(call);
    }
    turn
}

#[test]
fn a_question_is_set_aside_then_paid_from_the_turns_budget() {
    let mut turn = running(1_000, &["a", "b"]);
    turn.push(asks("a", "q", 200));
    turn.push(asks("b", "q", 100));
    assert_eq!(turn.state.committed(), reserve(310));
    turn.push(told("a", Some("yes"), 50));
    assert_eq!((turn.state.committed(), turn.state.cost), (reserve(160), NanoUsd(60)));
    assert_eq!(turn.state.answer_to("a", digest("q")), Some(digest("yes")));
    assert_eq!(turn.state.answer_to("b", digest("q")), None);
}

#[test]
fn no_question_takes_what_is_kept_for_the_final_answer() {
    let mut turn = running(500, &["a", "b"]);
    assert_eq!(turn.refuses(asks("a", "q", 246)), "it could cost more than is left");
    turn.push(asks("a", "q", 200));
    // What one has set aside is not there for the other.
    assert_eq!(turn.refuses(asks("b", "q", 146)), "it could cost more than is left");
    turn.push(asks("b", "q", 145));
    assert!(!turn.state.affords(Purpose::Final, reserve(146)));
}

#[test]
fn a_question_that_a_crash_broke_off_may_have_cost_its_reserve_and_is_asked_again() {
    let mut turn = running(1_000, &["a"]);
    turn.push(asks("a", "q", 200));
    turn.crash();
    turn.starts("a");
    turn.push(asks("a", "q", 200));
    assert_eq!((turn.state.doubtful, turn.state.committed()), (reserve(200), reserve(410)));
    turn.push(told("a", Some("yes"), 20));
    turn.ends("a", ToolEnd::Ok);
    assert_eq!((turn.state.doubtful, turn.state.committed()), (reserve(200), reserve(230)));
}

#[test]
fn a_question_that_is_open_when_its_call_ends_is_settled_by_a_late_word() {
    let mut turn = running(1_000, &["a"]);
    turn.push(asks("a", "q", 200));
    turn.push(Event::StopRequested);
    turn.push(ended("a", ToolEnd::Stopped, false));
    assert_eq!(turn.state.doubtful, reserve(200));
    assert_eq!(turn.state.tools["a"].asks[0].standing, AskState::Unknown);
    turn.push(told("a", None, 30));
    assert_eq!((turn.state.doubtful, turn.state.cost), (reserve(0), NanoUsd(40)));
    assert_eq!(turn.refuses(told("a", None, 30)), "no model is asked by this call");
}

#[test]
fn only_a_call_that_runs_asks() {
    let mut turn = Rig::budget(1_000);
    turn.calls(&[read("a")]);
    assert_eq!(turn.refuses(asks("a", "q", 1)), "the call does not run");
    assert_eq!(turn.refuses(asks("z", "q", 1)), "the call does not run");
    assert_eq!(turn.refuses(told("a", None, 1)), "no model is asked by this call");
    turn.runs(&["a"]);
    assert_eq!(turn.refuses(asks("a", "q", 1)), "the call does not run");
}
