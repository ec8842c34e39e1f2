//! Events that can't happen, and what is left of them: nothing.

use dialogue::{Bounds, End, Event, Origin, Purpose, Record, State, Stop, ToolEnd, Verdict};
use domain::{Mode, NanoUsd, SessionId};
use pretty_assertions::assert_eq;

use crate::rig::{Rig, allow, bounded, digest, ended, failed, question, read, reserve, with_answer, write};

fn begun() -> Event {
    Event::TurnStarted {
        session: SessionId::from("session"),
        agent: None,
        origin: Origin::Person,
        message: digest("question"),
        previous: None,
        pinned: digest("pinned"),
        mode: Mode::Safe,
        bounds: Bounds::default(),
    }
}

fn record(seq: u64, v: u32, event: Event) -> Record {
    Record { seq, at: 0, v, active_ms: 7, event }
}

#[test]
fn numbers_without_gaps_and_versions_up_to_this_programs_are_taken() {
    let mut state = State::default();
    for (seq, v) in [(0, 1), (2, 1), (u64::MAX, 1), (1, 2), (1, u32::MAX)] {
        assert!(state.apply(&record(seq, v, begun())).is_err());
        assert_eq!(state, State::default());
    }
    state.apply(&record(1, 1, begun())).unwrap();
    assert_eq!((state.seq, state.active_ms), (1, 7));
    let illegal = state.apply(&record(1, 1, Event::Suspended)).unwrap_err();
    assert_eq!(illegal.to_string(), "event 1 (suspended) can't happen here: it is not the next in the log");
}

#[test]
fn nothing_happens_before_the_beginning_and_nothing_begins_twice() {
    let mut state = State::default();
    for event in
        [Event::StopRequested, Event::Retried, failed(1, None, false), ended("a", ToolEnd::Ok, false)]
    {
        assert!(state.apply(&record(1, 1, event)).is_err());
    }
    assert_eq!((state.status(), state.effects(), state.decide()), (dialogue::Status::Empty, vec![], vec![]));
    assert_eq!(Rig::new().refuses(begun()), "the turn has begun already");
}

#[test]
fn nothing_happens_after_the_end() {
    let mut turn = Rig::new();
    turn.says("hello");
    for event in [
        Event::StopRequested,
        Event::Suspended,
        Event::Continued,
        Event::ModeChanged { mode: Mode::Safe },
        Event::Repinned { pinned: digest("p") },
        Event::Waited { call: 1 },
        Event::Steered { message: digest("m") },
        Event::Responding { why: "answered".to_owned() },
        Event::TurnEnded { end: End::Answered, answer: with_answer("again") },
        Event::ToolStarted { call: "a".to_owned() },
    ] {
        assert_eq!(turn.refuses(event), "the turn has ended");
    }
    assert_eq!(turn.refuses(Event::Retried), "the turn has neither failed nor been stopped");
}

#[test]
fn the_model_is_called_only_as_it_is_wanted() {
    let mut turn = Rig::new();
    let not_now = "the model is not to be called now";
    let request = |call, r#try, purpose| Event::ModelRequested {
        call,
        r#try,
        purpose,
        tools: false,
        request: digest("r"),
        reserve: reserve(1),
        tokens: 1,
    };
    for (call, r#try, purpose) in [
        (0, 1, Purpose::Step),
        (2, 1, Purpose::Step),
        (1, 0, Purpose::Step),
        (1, 2, Purpose::Step),
        (1, 1, Purpose::Final),
        (1, 1, Purpose::Compact),
    ] {
        assert_eq!(turn.refuses(request(call, r#try, purpose)), not_now);
    }
    turn.push(request(1, 1, Purpose::Step));
    assert_eq!(turn.refuses(request(1, 1, Purpose::Step)), not_now);
    assert_eq!(turn.refuses(request(2, 1, Purpose::Step)), not_now);
    let answer = turn.answered(1, "", &[write("a")], Stop::WantsTools);
    turn.push(answer);
    assert_eq!(turn.refuses(request(2, 1, Purpose::Step)), not_now, "a call of a tool has not ended");
    let mut turn = Rig::new();
    turn.push(Event::Suspended);
    assert_eq!(turn.refuses(request(1, 1, Purpose::Step)), not_now);
    let mut turn = Rig::new();
    turn.request();
    turn.push(Event::StopRequested);
    assert_eq!(turn.refuses(request(1, 2, Purpose::Step)), not_now);
}

#[test]
fn only_a_call_that_is_under_way_answers_fails_or_gets_lost_and_only_once() {
    let mut turn = Rig::new();
    let answer = turn.answered(1, "hello", &[], Stop::Ended);
    assert_eq!(turn.refuses(answer.clone()), "there is no such call");
    assert_eq!(turn.refuses(Event::ModelUnknown { call: 1 }), "the call is not under way");
    turn.step("a");
    for event in [answer, failed(1, None, false), Event::ModelUnknown { call: 1 }] {
        assert_eq!(turn.refuses(event), "the call is not under way");
    }
    assert_eq!(turn.refuses(Event::Waited { call: 1 }), "the call does not wait");
    assert_eq!(turn.refuses(Event::Waited { call: 9 }), "there is no such call");
}

#[test]
fn ids_of_calls_are_unique_in_the_turn() {
    let why = "two calls of tools have the same id";
    let mut turn = Rig::new();
    turn.step("a");
    let call = turn.request();
    let event = turn.answered(call, "", &[read("a")], Stop::WantsTools);
    assert_eq!(turn.refuses(event), why);
    let event = turn.answered(call, "", &[read("b"), read("b")], Stop::WantsTools);
    assert_eq!(turn.refuses(event), why);
    assert_eq!(turn.state.cost, NanoUsd(10), "a refused answer is not paid");
}

#[test]
fn calls_of_tools_go_from_judged_to_started_to_ended_and_no_other_way() {
    let mut turn = Rig::new();
    turn.calls(&[write("a")]);
    let id = || "a".to_owned();
    let asked = || Event::QuestionAsked { call: id(), question: question() };
    let answered = || Event::QuestionAnswered { call: id(), answer: "yes".to_owned() };
    let decided = || Event::ToolJudged { call: id(), ruling: allow(), preview: None, intent: String::new() };
    let verdict = || Event::ToolAnswered { call: id(), verdict: Verdict::Denied { reason: String::new() } };
    assert_eq!(turn.refuses(Event::ToolStarted { call: id() }), "it is not to run now");
    assert_eq!(turn.refuses(asked()), "it does not run");
    assert_eq!(turn.refuses(answered()), "nobody is asked any more");
    assert_eq!(turn.refuses(verdict()), "nobody is asked for permission any more");
    assert_eq!(turn.refuses(ended("a", ToolEnd::Ok, false)), "it has not run");
    assert_eq!(turn.refuses(ended("a", ToolEnd::Unknown, false)), "it has not run");
    turn.push(decided());
    assert_eq!(turn.refuses(decided()), "it is decided already");
    assert_eq!(turn.refuses(verdict()), "nobody is asked for permission any more");
    turn.starts("a");
    assert_eq!(turn.refuses(decided()), "it is decided already");
    assert_eq!(turn.refuses(ended("a", ToolEnd::Failed, true)), "a call that failed can't end the turn");
    turn.push(asked());
    assert_eq!(turn.refuses(asked()), "it does not run");
    turn.push(answered());
    assert_eq!(turn.refuses(answered()), "nobody is asked any more");
    turn.ends("a", ToolEnd::Ok);
    for event in [decided(), asked(), answered(), verdict(), ended("a", ToolEnd::Ok, false)] {
        assert_eq!(turn.refuses(event), "the call has ended");
    }
    assert_eq!(turn.refuses(ended("b", ToolEnd::Ok, false)), "there is no such call");
}

#[test]
fn a_turn_ends_only_when_nothing_is_under_way_and_as_stopped_only_when_stopped() {
    let mut turn = Rig::new();
    let end = |end, answer| Event::TurnEnded { end, answer };
    let stopped_only = "the turn ends as stopped when the person stops it, and only then";
    assert_eq!(turn.refuses(end(End::Stopped, None)), stopped_only);
    assert_eq!(turn.refuses(end(End::Answered, None)), "there is no answer");
    turn.calls(&[write("a")]);
    assert_eq!(turn.refuses(end(bounded("cost"), None)), "something is still under way");
    turn.push(Event::StopRequested);
    assert_eq!(turn.refuses(end(bounded("cost"), None)), "something is still under way");
    turn.append(ended("a", ToolEnd::Stopped, false)).unwrap();
    assert_eq!(turn.refuses(end(bounded("cost"), None)), stopped_only);
    turn.push(end(End::Stopped, None));
}

#[test]
fn the_phase_changes_once_and_the_model_is_told_only_what_is_due() {
    let mut turn = Rig::within(Bounds { iterations: 1, ..Bounds::default() });
    let nudged = || Event::Nudged { text: digest("n") };
    assert_eq!(turn.refuses(nudged()), "there is nothing to tell the model");
    turn.step("a");
    let responding = Event::Responding { why: "cost".to_owned() };
    assert_eq!(turn.refuses(responding), "the turn answers already, or is not at that point");
    turn.push(nudged());
    turn.request();
    assert_eq!(turn.refuses(nudged()), "there is nothing to tell the model");
}

#[test]
fn amounts_at_the_edge_of_what_can_be_counted_overflow_nothing() {
    let mut turn = Rig::new();
    turn.reserve = u64::MAX;
    turn.cost = u64::MAX;
    turn.active_ms = u64::MAX;
    turn.step("a");
    turn.request();
    turn.crash();
    turn.says("hello");
    assert_eq!((turn.state.cost.0, turn.state.active_ms), (u64::MAX, u64::MAX));
    assert_eq!(turn.state.committed(), reserve(u64::MAX));
}
