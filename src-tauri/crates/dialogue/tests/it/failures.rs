//! Calls to the model that fail, and going on after a failed turn.

use dialogue::{Bounds, Effect, End, Event, Purpose, Status, Stop, ToolEnd};
use pretty_assertions::assert_eq;

use crate::rig::{Rig, bounded, failed, problem, with_answer, write};

fn failure() -> Option<End> {
    Some(End::Failed { problem: problem() })
}

#[test]
fn a_failure_that_may_pass_is_tried_again_after_a_pause() {
    let mut turn = Rig::new();
    turn.fails(Some(700));
    assert_eq!(turn.effects(), [Effect::Wait { call: 1, ms: 700 }]);
    turn.crash();
    assert_eq!(turn.effects(), [Effect::Wait { call: 1, ms: 700 }]);
    turn.push(Event::Waited { call: 1 });
    assert_eq!(turn.wanted(), (1, 2, Purpose::Step));
    turn.says("hello");
    assert_eq!(turn.end(), (Some(End::Answered), with_answer("hello")));
    assert_eq!((turn.state.model_calls[&1].tries, turn.state.iterations), (2, 1));
}

#[test]
fn a_call_is_tried_so_many_times_and_then_the_turn_fails_with_what_it_has() {
    let mut turn = Rig::within(Bounds { tries: 2, ..Bounds::default() });
    turn.answers("I look first", &[write("a")], Stop::WantsTools);
    turn.runs(&["a"]);
    turn.fails(Some(1));
    turn.push(Event::Waited { call: 2 });
    turn.fails(Some(1));
    assert_eq!((turn.status(), turn.end()), (Status::Failed, (failure(), with_answer("I look first"))));
    assert_eq!(turn.effects(), []);
}

#[test]
fn a_failure_that_does_not_pass_ends_the_turn_at_once() {
    let mut turn = Rig::new();
    turn.fails(None);
    assert_eq!(turn.end(), (failure(), None));
}

#[test]
fn a_failed_turn_goes_on_where_it_was() {
    let mut turn = Rig::new();
    turn.step("a");
    turn.fails(None);
    turn.push(Event::Retried);
    assert_eq!((turn.status(), turn.wanted()), (Status::Running, (3, 1, Purpose::Step)));
    assert_eq!(turn.state.tools["a"].end, Some(ToolEnd::Ok));
    turn.says("done");
    assert_eq!(turn.end(), (Some(End::Answered), with_answer("done")));
}

#[test]
fn a_retried_turn_stays_within_its_bounds_and_in_its_phase() {
    let mut turn = Rig::within(Bounds { iterations: 1, ..Bounds::default() });
    turn.step("a");
    turn.fails(None);
    assert_eq!(turn.status(), Status::Failed);
    turn.push(Event::Retried);
    assert_eq!(turn.wanted(), (3, 1, Purpose::Final));
    turn.says("done");
    assert_eq!(turn.end(), (Some(bounded("iterations")), with_answer("done")));
}

#[test]
fn a_call_whose_outcome_is_unknown_is_asked_again_and_its_reserve_stays_in_doubt() {
    let mut turn = Rig::new();
    turn.request();
    turn.crash();
    assert_eq!(turn.wanted(), (1, 2, Purpose::Step));
    assert_eq!(turn.state.doubtful.tokens, 100);
    turn.says("hello");
    assert_eq!((turn.state.doubtful.tokens, turn.state.usage.input), (100, 10));
}

#[test]
fn an_attempt_that_was_given_up_may_tell_its_cost_later_once_and_nothing_else() {
    let mut turn = Rig::new();
    turn.request();
    turn.crash();
    let late = turn.answered(1, "too late", &[write("a")], Stop::Ended);
    turn.push(late.clone());
    assert_eq!((turn.state.doubtful.tokens, turn.state.cost.0), (0, 10));
    assert_eq!((turn.wanted(), turn.state.entries.len()), ((1, 2, Purpose::Step), 0));
    assert_eq!(turn.refuses(late), "the call is not under way");
}

#[test]
fn the_engine_may_fail_a_turn_whenever_nothing_is_under_way() {
    let mut turn = Rig::new();
    let event = Event::TurnEnded { end: failure().unwrap(), answer: None };
    turn.request();
    assert_eq!(turn.refuses(event.clone()), "something is still under way");
    turn.push(failed(1, Some(1), false));
    turn.push(event);
    assert_eq!(turn.status(), Status::Failed);
    turn.push(Event::Retried);
    assert_eq!(turn.effects(), [Effect::Wait { call: 1, ms: 1 }]);
}

/// The program ended while the provider goes on with call 1.
fn left_going(id: &str) -> Event {
    match failed(1, Some(0), false) {
        Event::ModelFailed { call, problem, retry_ms, too_long, shown, .. } => Event::ModelFailed {
            call,
            problem,
            retry_ms,
            too_long,
            shown,
            usage: domain::Usage::default(),
            cost: domain::NanoUsd(0),
            response_id: Some(id.to_owned()),
        },
        other => other,
    }
}

#[test]
fn an_answer_that_the_provider_goes_on_with_is_fetched_by_the_next_try_and_is_no_failure() {
    let mut turn = Rig::within(Bounds { tries: 1, ..Bounds::default() });
    turn.request();
    turn.push(Event::ModelAccepted { call: 1, response_id: "resp_1".to_owned() });
    turn.push(left_going("resp_1"));
    assert_eq!(turn.wanted(), (1, 2, Purpose::Step));
    assert_eq!(turn.state.model_calls[&1].response_id.as_deref(), Some("resp_1"));
    assert_eq!(turn.state.doubtful, domain::Reserve::default());
    turn.says("hello");
    assert_eq!(turn.end(), (Some(End::Answered), with_answer("hello")));
    assert_eq!(turn.state.model_calls[&1].response_id, None);
}
