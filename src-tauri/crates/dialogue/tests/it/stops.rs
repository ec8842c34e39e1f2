//! Stopping, the end of the program, crashes, and going on afterwards.

use dialogue::{Effect, End, Event, Purpose, Status, Stop, ToolEnd};
use pretty_assertions::assert_eq;

use crate::rig::{Rig, allow, ask, ended, failed, question, read, refuse, run, with_answer, write};

const STOPPED: &str = "the person stopped the turn";

fn stopped(call: &str) -> Effect {
    refuse(call, ToolEnd::Stopped, STOPPED)
}

#[test]
fn stopping_before_anything_was_asked_ends_the_turn_at_once() {
    let mut turn = Rig::new();
    turn.push(Event::StopRequested);
    assert_eq!((turn.status(), turn.end()), (Status::Stopped, (Some(End::Stopped), None)));
}

#[test]
fn stopping_a_call_to_the_model_waits_for_its_end_alone() {
    let mut turn = Rig::new();
    let call = turn.request();
    turn.push(Event::StopRequested);
    assert_eq!(turn.effects(), [Effect::CallModel { call: 1, r#try: 1, purpose: Purpose::Step }]);
    turn.push(failed(call, Some(1), false));
    assert_eq!((turn.status(), turn.state.cost.0), (Status::Stopped, 3));
}

#[test]
fn an_answer_that_comes_in_after_all_is_kept_and_its_calls_do_not_run() {
    let mut turn = Rig::new();
    let call = turn.request();
    turn.push(Event::StopRequested);
    let event = turn.answered(call, "I look first", &[write("a")], Stop::WantsTools);
    turn.push(event);
    assert_eq!(turn.effects(), [stopped("a")]);
    turn.ends("a", ToolEnd::Stopped);
    assert_eq!(turn.end(), (Some(End::Stopped), with_answer("I look first")));
}

#[test]
fn stopping_ends_running_calls_and_refuses_waiting_ones() {
    let mut turn = Rig::new();
    turn.answers("I look first", &[read("a"), read("b"), read("c"), write("d")], Stop::WantsTools);
    turn.decides("a", allow());
    turn.decides("b", ask());
    turn.decides("c", allow());
    turn.starts("a");
    turn.starts("c");
    turn.push(Event::QuestionAsked { call: "c".to_owned(), question: question() });
    turn.push(Event::StopRequested);
    assert_eq!(turn.effects(), [run("a"), stopped("b"), stopped("c"), stopped("d")]);
    assert_eq!(turn.status(), Status::Running);
    assert_eq!(turn.refuses(Event::ToolStarted { call: "b".to_owned() }), "it is not to run now");
    for call in ["d", "c", "b"] {
        turn.ends(call, ToolEnd::Stopped);
    }
    assert_eq!(turn.effects(), [run("a")]);
    turn.ends("a", ToolEnd::Stopped);
    assert_eq!(turn.end(), (Some(End::Stopped), with_answer("I look first")));
}

#[test]
fn stopping_while_waiting_before_another_attempt_needs_no_wait() {
    let mut turn = Rig::new();
    turn.fails(Some(60_000));
    turn.push(Event::StopRequested);
    assert_eq!(turn.status(), Status::Stopped);
}

#[test]
fn stopping_twice_is_stopping_once() {
    let mut turn = Rig::new();
    turn.request();
    turn.push(Event::StopRequested);
    turn.push(Event::StopRequested);
    turn.push(failed(1, None, false));
    assert_eq!(turn.status(), Status::Stopped);
}

#[test]
fn a_call_that_ended_the_turn_when_it_was_stopped_stays_ended() {
    let mut turn = Rig::new();
    turn.calls(&[write("a")]);
    turn.decides("a", allow());
    turn.starts("a");
    turn.push(Event::StopRequested);
    turn.push(ended("a", ToolEnd::Ok, true));
    assert_eq!(turn.status(), Status::Stopped);
    turn.push(Event::Retried);
    assert_eq!(turn.end(), (Some(End::Handed), with_answer("result a")));
}

#[test]
fn a_stopped_turn_goes_on_and_the_model_is_told_what_was_stopped() {
    let mut turn = Rig::new();
    turn.calls(&[write("a"), write("b")]);
    turn.decides("a", allow());
    turn.starts("a");
    turn.push(Event::StopRequested);
    turn.ends("a", ToolEnd::Stopped);
    turn.ends("b", ToolEnd::Stopped);
    assert_eq!(turn.status(), Status::Stopped);
    turn.push(Event::Retried);
    assert_eq!((turn.status(), turn.wanted()), (Status::Running, (2, 1, Purpose::Step)));
    assert!(!turn.state.stopping);
}

#[test]
fn what_a_stopped_call_cost_can_be_told_after_the_end() {
    let mut turn = Rig::new();
    let call = turn.request();
    turn.push(Event::StopRequested);
    turn.push(failed(call, None, false));
    let late = turn.answered(call, "too late", &[], Stop::Ended);
    turn.push(late.clone());
    assert_eq!((turn.status(), turn.state.cost.0), (Status::Stopped, 13));
    assert_eq!(turn.refuses(late), "the call is not under way");
}

#[test]
fn a_crash_while_stopping_ends_what_was_under_way_and_starts_nothing() {
    let mut turn = Rig::new();
    turn.calls(&[read("a"), read("b")]);
    turn.decides("a", allow());
    turn.starts("a");
    turn.push(Event::StopRequested);
    turn.crash();
    assert_eq!(turn.state.tools["a"].end, Some(ToolEnd::Unknown));
    assert_eq!(turn.effects(), [stopped("b")]);
    let mut turn = Rig::new();
    turn.request();
    turn.push(Event::StopRequested);
    turn.crash();
    assert_eq!(turn.status(), Status::Stopped);
}

#[test]
fn after_a_crash_calls_that_had_ended_are_not_repeated_and_only_repeatable_ones_run_again() {
    let mut turn = Rig::new();
    turn.calls(&[read("a"), read("b")]);
    for call in ["a", "b"] {
        turn.decides(call, allow());
        turn.starts(call);
    }
    turn.ends("a", ToolEnd::Ok);
    turn.crash();
    assert_eq!(turn.effects(), [run("b")]);
    turn.starts("b");
    turn.ends("b", ToolEnd::Ok);
    turn.calls(&[write("c")]);
    turn.decides("c", allow());
    turn.starts("c");
    assert_eq!(turn.refuses(Event::ToolStarted { call: "c".to_owned() }), "it is not to run now");
    turn.crash();
    assert_eq!(turn.state.tools["c"].end, Some(ToolEnd::Unknown));
    assert_eq!(turn.wanted(), (3, 1, Purpose::Step));
}

#[test]
fn a_repeatable_call_that_a_crash_broke_off_is_done_before_another_one_hands_over() {
    let mut turn = Rig::new();
    turn.calls(&[read("a"), read("b")]);
    for call in ["a", "b"] {
        turn.decides(call, allow());
        turn.starts(call);
    }
    turn.crash();
    turn.starts("a");
    turn.push(ended("a", ToolEnd::Ok, true));
    assert_eq!(turn.effects(), [run("b")]);
    turn.starts("b");
    turn.ends("b", ToolEnd::Ok);
    assert_eq!(turn.end(), (Some(End::Handed), with_answer("result a")));
}

#[test]
fn the_end_of_the_program_begins_nothing_and_the_turn_goes_on_afterwards() {
    let mut turn = Rig::new();
    turn.step("a");
    turn.push(Event::Suspended);
    assert_eq!((turn.status(), turn.effects()), (Status::Suspended, vec![]));
    turn.crash();
    assert_eq!(turn.status(), Status::Suspended);
    turn.push(Event::Continued);
    assert_eq!((turn.status(), turn.wanted()), (Status::Running, (2, 1, Purpose::Step)));
}

#[test]
fn a_call_to_the_model_that_the_end_of_the_program_broke_off_is_asked_again_and_has_not_failed() {
    let mut turn = Rig::within(dialogue::Bounds { tries: 1, ..Default::default() });
    let call = turn.request();
    turn.push(Event::Suspended);
    assert_eq!(turn.status(), Status::Running);
    turn.push(failed(call, None, false));
    assert_eq!(turn.status(), Status::Suspended);
    turn.push(Event::Continued);
    assert_eq!(turn.wanted(), (1, 2, Purpose::Step));
}

#[test]
fn an_answer_that_comes_in_at_the_end_of_the_program_waits_for_its_next_start() {
    let mut turn = Rig::new();
    let call = turn.request();
    turn.push(Event::Suspended);
    let event = turn.answered(call, "", &[write("a")], Stop::WantsTools);
    turn.push(event);
    assert_eq!((turn.status(), turn.effects()), (Status::Suspended, vec![]));
    turn.push(Event::Continued);
    turn.runs(&["a"]);
    turn.says("done");
    assert_eq!(turn.end(), (Some(End::Answered), with_answer("done")));
}

#[test]
fn a_turn_that_waits_for_the_person_can_be_suspended_and_still_waits_afterwards() {
    let mut turn = Rig::new();
    turn.calls(&[write("a")]);
    turn.decides("a", ask());
    turn.push(Event::Suspended);
    assert_eq!(turn.status(), Status::Suspended);
    turn.push(Event::Continued);
    assert_eq!(turn.status(), Status::Waiting);
}

#[test]
fn a_suspended_turn_can_be_stopped() {
    let mut turn = Rig::new();
    turn.step("a");
    turn.push(Event::Suspended);
    turn.push(Event::StopRequested);
    assert_eq!(turn.status(), Status::Stopped);
    turn.push(Event::Retried);
    assert_eq!(turn.wanted(), (2, 1, Purpose::Step));
}
