//! The two phases: execution with tools, response without.

use dialogue::{Effect, End, Entry, Event, ExecutionPhase, Purpose, Status, Stop, ToolEnd};
use pretty_assertions::assert_eq;

use crate::rig::{Rig, bounded, deny, digest, read, refuse, unknown, with_answer, write};

#[test]
fn text_alone_without_a_tool_ever_called_is_the_answer() {
    let mut turn = Rig::new();
    turn.says("hello");
    assert_eq!(turn.end(), (Some(End::Answered), with_answer("hello")));
    assert_eq!(turn.state.phase, ExecutionPhase::Execution);
    assert_eq!(turn.names(), ["model_requested", "model_answered", "turn_ended"]);
    assert_eq!(turn.status(), Status::Completed);
    assert_eq!(turn.effects(), []);
}

#[test]
fn text_alone_after_calls_of_tools_is_the_answer_in_the_response_phase() {
    let mut turn = Rig::new();
    turn.step("a");
    assert_eq!(turn.wanted(), (2, 1, Purpose::Step));
    turn.says("did it");
    assert_eq!(turn.end(), (Some(End::Answered), with_answer("did it")));
    assert_eq!((turn.state.phase, turn.why()), (ExecutionPhase::Response, Some("answered")));
    assert_eq!((turn.state.tool_calls_made, turn.state.iterations), (1, 2));
    assert_eq!(turn.names()[turn.names().len() - 3..], ["model_answered", "responding", "turn_ended"]);
}

#[test]
fn text_with_calls_is_the_answer_when_the_provider_says_that_the_turn_has_ended_and_the_calls_run_first() {
    let mut turn = Rig::new();
    turn.answers("done", &[write("a")], Stop::Ended);
    assert_eq!(turn.status(), Status::Running);
    turn.runs(&["a"]);
    assert_eq!(turn.end(), (Some(End::Answered), with_answer("done")));
    assert_eq!(turn.state.phase, ExecutionPhase::Response);
    let names = turn.names();
    let at = |name| names.iter().position(|other| *other == name).unwrap();
    assert!(at("tool_ended") < at("responding"));
}

#[test]
fn text_with_calls_is_kept_as_the_fallback_when_the_provider_waits_for_tools_or_does_not_say() {
    for stop in [Stop::WantsTools, Stop::Unclear, Stop::Cut] {
        let mut turn = Rig::new();
        turn.answers("I look first", &[write("a")], stop);
        turn.runs(&["a"]);
        assert_eq!(turn.wanted(), (2, 1, Purpose::Step), "{stop:?}");
        assert_eq!(turn.state.fallback, with_answer("I look first"));
        turn.says("found it");
        assert_eq!(turn.end(), (Some(End::Answered), with_answer("found it")));
    }
}

#[test]
fn no_tools_are_offered_in_the_response_phase() {
    let mut turn = Rig::within(dialogue::Bounds { iterations: 1, ..Default::default() });
    turn.step("a");
    assert_eq!((turn.state.phase, turn.wanted().2), (ExecutionPhase::Response, Purpose::Final));
    let Event::ModelRequested { call, r#try, purpose, request, reserve, tokens, .. } = turn.requested()
    else {
        unreachable!()
    };
    let offering = Event::ModelRequested { call, r#try, purpose, tools: true, request, reserve, tokens };
    assert_eq!(turn.refuses(offering), "no tools are offered any more");
}

#[test]
fn a_call_that_the_model_makes_in_the_response_phase_all_the_same_is_refused_and_its_text_is_the_answer() {
    let mut turn = Rig::within(dialogue::Bounds { iterations: 1, ..Default::default() });
    turn.step("a");
    turn.answers("so far", &[write("b")], Stop::WantsTools);
    let why = "there is no such tool here, or its arguments do not satisfy its schema";
    assert_eq!(turn.effects(), [refuse("b", ToolEnd::Failed, why)]);
    turn.ends("b", ToolEnd::Failed);
    assert_eq!(turn.end(), (Some(bounded("iterations")), with_answer("so far")));
}

#[test]
fn an_empty_answer_is_nudged_once_and_then_the_fallback_is_the_answer() {
    let mut turn = Rig::new();
    turn.answers("I look first", &[write("a")], Stop::WantsTools);
    turn.runs(&["a"]);
    turn.says("");
    assert_eq!(turn.effects(), [Effect::Nudge { why: "empty".to_owned() }]);
    turn.nudges();
    turn.says("");
    assert_eq!(turn.end(), (Some(End::Answered), with_answer("I look first")));
    assert_eq!(turn.state.phase, ExecutionPhase::Response);
}

#[test]
fn without_a_fallback_a_second_empty_answer_leads_to_the_final_call_and_then_to_a_summary() {
    let mut turn = Rig::new();
    turn.says("");
    turn.nudges();
    turn.says("");
    assert_eq!((turn.why(), turn.wanted().2), (Some("empty"), Purpose::Final));
    turn.says("");
    assert_eq!(turn.effects(), [Effect::Summarise { end: bounded("empty") }]);
    turn.push(Event::TurnEnded { end: bounded("empty"), answer: with_answer("by code") });
    assert_eq!(turn.end(), (Some(bounded("empty")), with_answer("by code")));
}

#[test]
fn the_final_call_after_empty_answers_gives_a_plain_answer() {
    let mut turn = Rig::new();
    turn.says("");
    turn.nudges();
    turn.says("");
    turn.says("after all");
    assert_eq!(turn.end(), (Some(End::Answered), with_answer("after all")));
}

#[test]
fn an_empty_answer_after_one_with_content_is_nudged_anew() {
    let mut turn = Rig::new();
    turn.says("");
    turn.nudges();
    turn.step("a");
    turn.says("");
    assert_eq!(turn.effects(), [Effect::Nudge { why: "empty".to_owned() }]);
}

#[test]
fn an_answer_that_was_cut_stands_and_says_so() {
    let mut turn = Rig::new();
    turn.answers("a long", &[], Stop::Cut);
    assert_eq!(turn.end(), (Some(bounded("length")), with_answer("a long")));
    let mut turn = Rig::new();
    turn.step("a");
    turn.answers("a long", &[], Stop::Cut);
    assert_eq!(turn.end(), (Some(bounded("length")), with_answer("a long")));
    assert_eq!(turn.state.phase, ExecutionPhase::Response);
}

#[test]
fn a_cut_answer_without_text_counts_as_empty() {
    let mut turn = Rig::new();
    turn.answers("", &[], Stop::Cut);
    assert_eq!(turn.effects(), [Effect::Nudge { why: "empty".to_owned() }]);
}

#[test]
fn calls_whose_arguments_were_cut_are_refused_and_the_others_run() {
    let mut turn = Rig::new();
    turn.answers("", &[read("a"), unknown("b")], Stop::Cut);
    let why = "there is no such tool here, or its arguments do not satisfy its schema";
    assert!(turn.effects().contains(&refuse("b", ToolEnd::Failed, why)));
    turn.ends("b", ToolEnd::Failed);
    turn.runs(&["a"]);
    assert_eq!(turn.wanted(), (2, 1, Purpose::Step));
}

#[test]
fn a_refusal_with_text_is_the_answer_and_without_it_the_turn_fails() {
    let mut turn = Rig::new();
    turn.answers("I can't help with that", &[], Stop::Refused);
    assert_eq!(turn.end(), (Some(End::Answered), with_answer("I can't help with that")));
    let mut turn = Rig::new();
    turn.answers("", &[], Stop::Refused);
    assert_eq!(turn.status(), Status::Failed);
    turn.push(Event::Retried);
    assert_eq!(turn.wanted(), (2, 1, Purpose::Step));
}

#[test]
fn an_end_that_is_none_is_never_an_answer() {
    for (stop, bound) in [(Stop::Withheld, "withheld"), (Stop::Unexplained, "unexplained")] {
        let mut turn = Rig::new();
        turn.answers("The dose is 50 mg, but never", &[], stop);
        assert_eq!(turn.end(), (Some(bounded(bound)), with_answer("The dose is 50 mg, but never")));
        let mut turn = Rig::new();
        turn.step("a");
        turn.answers("The dose is", &[], stop);
        assert_eq!(turn.end(), (Some(bounded(bound)), with_answer("The dose is")));
    }
    let mut turn = Rig::new();
    turn.answers("", &[], Stop::Withheld);
    assert_eq!(turn.status(), Status::Failed);
    let mut turn = Rig::new();
    turn.answers("", &[read("a")], Stop::Unexplained);
    turn.runs(&["a"]);
    assert_eq!(turn.wanted(), (2, 1, Purpose::Step));
}

#[test]
fn a_last_answer_that_a_filter_broke_off_is_none_either() {
    let mut turn = Rig::new();
    turn.says("");
    turn.nudges();
    turn.says("");
    turn.answers("The dose is", &[], Stop::Withheld);
    assert_eq!(turn.end(), (Some(bounded("withheld")), with_answer("The dose is")));
}

#[test]
fn what_the_person_is_told_of_answers_is_kept_once() {
    let mut turn = Rig::new();
    for _ in 0..2 {
        let call = turn.request();
        let Event::ModelAnswered { call, answer, text, tools, usage, cost, equivalent, .. } =
            turn.answered(call, "", &[read(&format!("a{call}"))], Stop::Cut)
        else {
            unreachable!()
        };
        let (stop, request_id, notes) = (Stop::Cut, None, vec!["cut".to_owned()]);
        turn.push(Event::ModelAnswered {
            call,
            answer,
            text,
            stop,
            tools,
            usage,
            cost,
            equivalent,
            request_id,
            notes,
        });
        turn.runs(&[&format!("a{call}")]);
    }
    assert_eq!(turn.state.notes, ["cut"]);
}

#[test]
fn calls_of_an_answer_that_was_refused_midway_do_not_run() {
    let mut turn = Rig::new();
    turn.answers("", &[write("a")], Stop::Refused);
    let why = "the answer that asked for it was broken off by a refusal";
    assert_eq!(turn.effects(), [refuse("a", ToolEnd::Failed, why)]);
    turn.ends("a", ToolEnd::Failed);
    assert_eq!(turn.status(), Status::Failed);
}

#[test]
fn the_conversation_holds_answers_with_their_calls_in_order() {
    let mut turn = Rig::new();
    turn.answers("first", &[read("a"), write("b")], Stop::WantsTools);
    turn.runs(&["a"]);
    turn.decides("b", deny());
    turn.ends("b", ToolEnd::Denied);
    turn.says("then");
    let entry = |call: u32, text: &str, tools: &[&str]| Entry::Answer {
        call,
        answer: digest(&format!("answer {call}")),
        text: with_answer(text),
        tools: tools.iter().map(|id| (*id).to_owned()).collect(),
    };
    assert_eq!(turn.state.entries, [entry(1, "first", &["a", "b"]), entry(2, "then", &[])]);
    let ends: Vec<_> = turn.state.tools.values().map(|call| call.end).collect();
    assert_eq!(ends, [Some(ToolEnd::Ok), Some(ToolEnd::Denied)]);
}

#[test]
fn the_machine_names_no_tool_and_looks_into_no_result() {
    let sources = [
        include_str!("../../src/calls.rs"),
        include_str!("../../src/decide.rs"),
        include_str!("../../src/fold.rs"),
        include_str!("../../src/state.rs"),
    ];
    for source in sources {
        assert!(!source.contains(".tool ") && !source.contains(".tool."), "a tool's name is looked at");
    }
}
