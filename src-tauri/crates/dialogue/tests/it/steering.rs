//! Messages of the person while a turn goes on.

use dialogue::{Bounds, End, Entry, Event, Purpose, Stop, ToolEnd};
use pretty_assertions::assert_eq;

use crate::rig::{Rig, bounded, digest, failed, same, with_answer, write};

fn steering(text: &str) -> Entry {
    Entry::Steering { message: digest(text) }
}

#[test]
fn a_message_is_read_before_the_next_step() {
    let mut turn = Rig::new();
    turn.calls(&[write("a")]);
    turn.steers("use the other file");
    turn.runs(&["a"]);
    assert_eq!(turn.state.entries[1..], [steering("use the other file")]);
    assert_eq!(turn.wanted(), (2, 1, Purpose::Step));
}

#[test]
fn a_message_that_comes_while_the_model_answers_stands_after_that_answer_and_keeps_the_turn_going() {
    let mut turn = Rig::new();
    let call = turn.request();
    turn.steers("and in French");
    assert_eq!(turn.state.entries, []);
    let event = turn.answered(call, "hello", &[], Stop::Ended);
    turn.push(event);
    assert_eq!(turn.state.entries[1..], [steering("and in French")]);
    assert_eq!((turn.state.end.clone(), turn.wanted()), (None, (2, 1, Purpose::Step)));
    turn.says("bonjour");
    assert_eq!(turn.end(), (Some(End::Answered), with_answer("bonjour")));
}

#[test]
fn a_message_keeps_a_turn_going_whose_answer_came_with_calls() {
    let mut turn = Rig::new();
    turn.answers("done", &[write("a")], Stop::Ended);
    turn.steers("not quite");
    turn.runs(&["a"]);
    assert_eq!(turn.wanted(), (2, 1, Purpose::Step));
}

#[test]
fn a_message_that_comes_between_two_attempts_is_read_by_the_second() {
    let mut turn = Rig::new();
    let call = turn.request();
    turn.steers("also this");
    turn.push(failed(call, Some(5), false));
    assert_eq!(turn.state.entries, [steering("also this")]);
    let mut turn = Rig::new();
    turn.request();
    turn.steers("also this");
    turn.crash();
    assert_eq!(turn.state.entries, [steering("also this")]);
}

#[test]
fn a_message_does_not_lift_a_bound() {
    let mut turn = Rig::within(Bounds { iterations: 1, ..Bounds::default() });
    let call = turn.request();
    turn.steers("and in French");
    let event = turn.answered(call, "hello", &[], Stop::Ended);
    turn.push(event);
    assert_eq!((turn.why(), turn.wanted().2), (Some("iterations"), Purpose::Final));
    turn.says("bonjour");
    assert_eq!(turn.end(), (Some(bounded("iterations")), with_answer("bonjour")));
}

#[test]
fn in_the_response_phase_and_after_the_end_messages_wait_for_the_next_turn() {
    let mut turn = Rig::within(Bounds { iterations: 1, ..Bounds::default() });
    assert!(turn.state.takes_steering());
    turn.step("a");
    assert!(!turn.state.takes_steering());
    let event = Event::Steered { message: digest("late") };
    assert_eq!(turn.refuses(event.clone()), "the turn takes no messages any more");
    turn.says("done");
    assert!(!turn.state.takes_steering());
    assert_eq!(turn.refuses(event), "the turn has ended");
}

#[test]
fn a_turn_that_is_being_stopped_takes_no_messages() {
    let mut turn = Rig::new();
    turn.request();
    turn.push(Event::StopRequested);
    assert!(!turn.state.takes_steering());
}

#[test]
fn a_message_begins_the_row_of_repeated_calls_anew() {
    let mut turn = Rig::new();
    for call in ["a", "b"] {
        turn.calls(&[same(call, "x")]);
        turn.runs(&[call]);
    }
    turn.steers("do it once more");
    turn.calls(&[same("c", "x")]);
    turn.runs(&["c"]);
    assert_eq!(turn.wanted(), (4, 1, Purpose::Step));
}

#[test]
fn messages_keep_their_order() {
    let mut turn = Rig::new();
    let call = turn.request();
    turn.steers("one");
    turn.steers("two");
    let event = turn.answered(call, "", &[write("a")], Stop::WantsTools);
    turn.push(event);
    turn.steers("three");
    turn.ends("a", ToolEnd::Failed);
    assert_eq!(turn.state.entries[1..], [steering("one"), steering("two"), steering("three")]);
}
