//! Calls of tools: judging, order, the person, handing over.

use dialogue::{Bounds, Effect, End, Event, Purpose, Status, Stop, ToolEnd, Verdict};
use domain::{GrantScope, Mode, Ruling};
use pretty_assertions::assert_eq;

use crate::rig::{
    Rig, allow, ask, authorize, deny, digest, ended, question, read, refuse, run, unknown, with_answer, write,
};

fn granted() -> Verdict {
    Verdict::Allowed { scope: GrantScope::Once, grant: "g1".to_owned(), confined: domain::Walls::Confined }
}

fn handed_why() -> &'static str {
    "another call of the same answer ended the turn"
}

#[test]
fn neighbours_that_only_read_are_judged_and_run_together() {
    let mut turn = Rig::new();
    turn.calls(&[read("a"), read("b"), write("c"), read("d")]);
    assert_eq!(turn.effects(), [authorize("a"), authorize("b")]);
    turn.decides("a", allow());
    turn.decides("b", allow());
    assert_eq!(turn.effects(), [run("a"), run("b")]);
    turn.starts("b");
    turn.starts("a");
    turn.ends("a", ToolEnd::Ok);
    assert_eq!(turn.effects(), [run("b")], "nothing runs beside a call that writes");
    turn.ends("b", ToolEnd::Failed);
    assert_eq!(turn.effects(), [authorize("c")]);
    turn.runs(&["c"]);
    assert_eq!(turn.effects(), [authorize("d")]);
    turn.runs(&["d"]);
    assert_eq!(turn.wanted(), (2, 1, Purpose::Step));
}

#[test]
fn calls_that_write_run_one_at_a_time_in_their_order() {
    let mut turn = Rig::new();
    turn.calls(&[write("b"), write("a")]);
    assert_eq!(turn.effects(), [authorize("b")]);
    assert_eq!(turn.refuses(Event::ToolStarted { call: "b".to_owned() }), "it is not to run now");
    turn.decides("b", allow());
    turn.decides("a", allow());
    assert_eq!(turn.effects(), [run("b")]);
    assert_eq!(turn.refuses(Event::ToolStarted { call: "a".to_owned() }), "it is not to run now");
    turn.starts("b");
    turn.ends("b", ToolEnd::Ok);
    assert_eq!(turn.effects(), [run("a")]);
}

#[test]
fn no_more_calls_run_together_than_allowed() {
    let mut turn = Rig::within(Bounds { parallel: 2, ..Bounds::default() });
    turn.calls(&[read("a"), read("b"), read("c")]);
    for call in ["a", "b", "c"] {
        turn.decides(call, allow());
    }
    assert_eq!(turn.effects(), [run("a"), run("b")]);
    turn.starts("a");
    turn.starts("b");
    assert_eq!(turn.refuses(Event::ToolStarted { call: "c".to_owned() }), "it is not to run now");
    turn.ends("b", ToolEnd::Ok);
    assert_eq!(turn.effects(), [run("a"), run("c")]);
}

#[test]
fn a_call_that_asks_waits_for_the_person_while_its_neighbours_go_on() {
    let mut turn = Rig::new();
    turn.calls(&[read("a"), read("b")]);
    turn.decides("a", ask());
    turn.decides("b", allow());
    assert_eq!((turn.status(), turn.effects()), (Status::Waiting, vec![run("b")]));
    turn.starts("b");
    turn.ends("b", ToolEnd::Ok);
    assert_eq!((turn.status(), turn.effects()), (Status::Waiting, vec![]));
    turn.person("a", granted());
    assert_eq!(turn.effects(), [Effect::Run { call: "a".to_owned(), confined: domain::Walls::Confined }]);
    assert_eq!(turn.status(), Status::Running);
}

#[test]
fn a_pending_request_for_permission_survives_a_restart() {
    let mut turn = Rig::new();
    turn.calls(&[write("a")]);
    turn.decides("a", ask());
    turn.crash();
    assert_eq!((turn.status(), turn.effects()), (Status::Waiting, vec![]));
    turn.person("a", granted());
    turn.crash();
    assert_eq!(turn.effects(), [Effect::Run { call: "a".to_owned(), confined: domain::Walls::Confined }]);
}

#[test]
fn what_is_denied_does_not_run_and_the_model_is_told() {
    let mut turn = Rig::new();
    turn.calls(&[write("a"), write("b"), write("c")]);
    turn.decides("a", deny());
    assert_eq!(turn.effects(), [refuse("a", ToolEnd::Denied, "a rule forbids it")]);
    turn.ends("a", ToolEnd::Denied);
    let instead = Some("use the file tools".to_owned());
    turn.decides("b", Ruling::Deny { why: "no shell here".to_owned(), instead });
    assert_eq!(turn.effects(), [refuse("b", ToolEnd::Denied, "no shell here")]);
    turn.ends("b", ToolEnd::Denied);
    turn.decides("c", ask());
    turn.person("c", Verdict::Denied { reason: "not that file".to_owned() });
    assert_eq!(turn.effects(), [refuse("c", ToolEnd::Denied, "the person refused it: not that file")]);
    turn.ends("c", ToolEnd::Denied);
    assert_eq!(turn.wanted(), (2, 1, Purpose::Step));
    assert!(turn.state.tools.values().all(|call| !call.started));
}

#[test]
fn unknown_tools_and_wrong_arguments_are_refused_without_being_judged_and_hold_nothing_up() {
    let mut turn = Rig::new();
    turn.calls(&[unknown("a"), read("b")]);
    let why = "there is no such tool here, or its arguments do not satisfy its schema";
    assert_eq!(turn.effects(), [refuse("a", ToolEnd::Failed, why), authorize("b")]);
    let event =
        Event::ToolJudged { call: "a".to_owned(), ruling: allow(), preview: None, intent: String::new() };
    assert_eq!(turn.refuses(event), "it is decided already");
}

#[test]
fn a_call_that_can_not_be_planned_ends_without_having_been_judged() {
    let mut turn = Rig::new();
    turn.calls(&[write("a")]);
    turn.ends("a", ToolEnd::Failed);
    assert_eq!(turn.wanted(), (2, 1, Purpose::Step));
}

#[test]
fn a_question_waits_for_the_answer_which_then_becomes_the_result() {
    let mut turn = Rig::new();
    turn.calls(&[write("a"), write("b")]);
    turn.decides("a", allow());
    turn.starts("a");
    turn.push(Event::QuestionAsked { call: "a".to_owned(), question: question() });
    assert_eq!((turn.status(), turn.effects()), (Status::Waiting, vec![]));
    turn.crash();
    assert_eq!((turn.status(), turn.effects()), (Status::Waiting, vec![]));
    turn.push(Event::QuestionAnswered { call: "a".to_owned(), answer: "both".to_owned() });
    assert_eq!(turn.effects(), [Effect::TakeAnswer { call: "a".to_owned() }]);
    turn.crash();
    assert_eq!(turn.effects(), [Effect::TakeAnswer { call: "a".to_owned() }]);
    turn.ends("a", ToolEnd::Ok);
    assert_eq!(turn.effects(), [authorize("b")]);
}

#[test]
fn a_question_leaves_its_place_to_another_call() {
    let mut turn = Rig::within(Bounds { parallel: 1, ..Bounds::default() });
    turn.calls(&[read("a"), read("b")]);
    turn.decides("a", allow());
    turn.decides("b", allow());
    turn.starts("a");
    turn.push(Event::QuestionAsked { call: "a".to_owned(), question: question() });
    assert_eq!((turn.status(), turn.effects()), (Status::Waiting, vec![run("b")]));
}

#[test]
fn a_call_that_ends_the_turn_hands_over_its_result_once_the_others_have_ended() {
    let mut turn = Rig::new();
    turn.answers("a plan", &[read("a"), read("b"), write("c")], Stop::WantsTools);
    for call in ["a", "b"] {
        turn.decides(call, allow());
        turn.starts(call);
    }
    turn.push(ended("a", ToolEnd::Ok, true));
    assert_eq!(turn.effects(), [run("b"), refuse("c", ToolEnd::Stopped, handed_why())]);
    assert!(!turn.state.takes_steering());
    turn.ends("c", ToolEnd::Stopped);
    assert_eq!(turn.status(), Status::Running);
    turn.ends("b", ToolEnd::Ok);
    assert_eq!(turn.end(), (Some(End::Handed), with_answer("result a")));
    assert_eq!(turn.status(), Status::Completed);
}

#[test]
fn handing_over_withdraws_what_the_person_was_asked() {
    let mut turn = Rig::new();
    turn.calls(&[read("a"), read("b"), read("c")]);
    turn.decides("a", allow());
    turn.decides("b", ask());
    turn.decides("c", allow());
    turn.starts("a");
    turn.starts("c");
    turn.push(Event::QuestionAsked { call: "c".to_owned(), question: question() });
    turn.push(ended("a", ToolEnd::Ok, true));
    let stopped = |call| refuse(call, ToolEnd::Stopped, handed_why());
    assert_eq!((turn.status(), turn.effects()), (Status::Running, vec![stopped("b"), stopped("c")]));
    let late = Event::ToolAnswered { call: "b".to_owned(), verdict: granted() };
    assert_eq!(turn.refuses(late), "nobody is asked for permission any more");
}

#[test]
fn another_mode_makes_calls_that_have_not_begun_be_judged_anew_and_keeps_the_persons_word() {
    let mut turn = Rig::new();
    turn.calls(&[read("a"), read("b"), read("c"), read("d")]);
    turn.decides("a", ask());
    turn.decides("b", ask());
    turn.decides("c", allow());
    turn.decides("d", allow());
    turn.person("b", granted());
    turn.starts("d");
    turn.push(Event::ModeChanged { mode: Mode::AllowAll });
    assert_eq!(turn.state.mode, Mode::AllowAll);
    let confined = Effect::Run { call: "b".to_owned(), confined: domain::Walls::Confined };
    assert_eq!(turn.effects(), [run("d"), authorize("a"), confined, authorize("c")]);
}

#[test]
fn a_call_may_be_judged_again_while_the_person_is_still_asked() {
    let mut turn = Rig::new();
    turn.calls(&[write("a")]);
    turn.decides("a", ask());
    turn.decides("a", allow());
    assert_eq!((turn.status(), turn.effects()), (Status::Running, vec![run("a")]));
}

#[test]
fn a_change_of_tools_or_model_is_kept() {
    let mut turn = Rig::new();
    turn.push(Event::Repinned { pinned: digest("others") });
    assert_eq!(turn.state.pinned, Some(digest("others")));
    assert_eq!(turn.wanted(), (1, 1, Purpose::Step));
}

#[test]
fn five_hundred_calls_in_one_answer_run_in_their_order() {
    let mut turn = Rig::new();
    let ids: Vec<String> = (0..500).map(|number| format!("call {number}")).collect();
    let asked: Vec<_> = ids.iter().map(|id| if id.ends_with('7') { write(id) } else { read(id) }).collect();
    turn.calls(&asked);
    let mut order = Vec::new();
    while turn.state.model_calls.len() == 1 && turn.state.phase == dialogue::ExecutionPhase::Execution {
        for effect in turn.effects() {
            match effect {
                Effect::Authorize { call } => turn.decides(&call, allow()),
                Effect::Run { call, .. } => {
                    turn.append(Event::ToolStarted { call: call.clone() }).unwrap();
                    turn.push(ended(&call, ToolEnd::Ok, false));
                    order.push(call);
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(order, ids);
    assert_eq!(turn.why(), Some("tool calls"));
}
