//! Putting what was said into fewer words.

use dialogue::{Bounds, Effect, End, Entry, Event, Origin, Purpose, Status, Stop};
use domain::ErrorCode;
use pretty_assertions::assert_eq;

use crate::rig::{Rig, bounded, digest, failed, reserve, with_answer, write};

fn compacted(by_model: bool) -> Entry {
    Entry::Compacted { summary: digest("summary"), by_model, before: 900, after: 90, checkpoint: None }
}

#[test]
fn a_request_that_would_not_fit_makes_the_model_sum_up_first() {
    let mut turn = Rig::new();
    turn.step("a");
    turn.needs_compaction();
    assert_eq!(turn.wanted(), (2, 1, Purpose::Compact));
    turn.says("summary");
    assert_eq!(turn.effects(), [Effect::TakeSummary { call: 2 }]);
    turn.crash();
    assert_eq!(turn.effects(), [Effect::TakeSummary { call: 2 }]);
    turn.compacts(true);
    assert_eq!(turn.wanted(), (3, 1, Purpose::Step));
    assert_eq!(turn.state.entries[1..], [compacted(true)]);
    assert_eq!((turn.state.iterations, turn.state.context), (1, 90));
}

#[test]
fn a_request_that_did_not_fit_does_the_same_and_is_not_tried_unchanged() {
    let mut turn = Rig::new();
    let call = turn.request();
    turn.push(failed(call, Some(5), true));
    assert_eq!(turn.wanted(), (2, 1, Purpose::Compact));
    turn.needs_compaction();
    assert_eq!(turn.wanted(), (2, 1, Purpose::Compact));
    turn.says("summary");
    turn.compacts(true);
    assert_eq!(turn.wanted(), (3, 1, Purpose::Step));
}

#[test]
fn a_summary_that_fails_is_cut_or_refused_or_is_empty_is_left_to_code() {
    let by_code = [Effect::CompactByCode];
    for (text, stop) in [("", Stop::Ended), ("half", Stop::Cut), ("no", Stop::Refused)] {
        let mut turn = Rig::new();
        turn.needs_compaction();
        turn.answers(text, &[], stop);
        assert_eq!(turn.effects(), by_code, "{stop:?}");
        turn.compacts(false);
        assert_eq!(turn.wanted(), (2, 1, Purpose::Step));
        assert_eq!(turn.state.entries, [compacted(false)]);
    }
    let mut turn = Rig::new();
    turn.needs_compaction();
    turn.fails(None);
    assert_eq!((turn.effects(), turn.status()), (by_code.to_vec(), Status::Running));
    let mut turn = Rig::new();
    turn.needs_compaction();
    let call = turn.request();
    turn.push(failed(call, Some(1), true));
    assert_eq!(
        turn.effects(),
        by_code,
        "a request for a summary that is too long can't be mended by another"
    );
}

#[test]
fn a_summary_that_failed_in_a_way_that_may_pass_is_tried_again() {
    let mut turn = Rig::within(Bounds { tries: 2, ..Bounds::default() });
    turn.needs_compaction();
    turn.fails(Some(9));
    assert_eq!(turn.effects(), [Effect::Wait { call: 1, ms: 9 }]);
    turn.push(Event::Waited { call: 1 });
    assert_eq!(turn.wanted(), (1, 2, Purpose::Compact));
    turn.fails(Some(9));
    assert_eq!(turn.effects(), [Effect::CompactByCode]);
}

#[test]
fn a_summary_by_a_model_that_is_too_dear_is_left_to_code() {
    let mut turn = Rig::budget(210);
    turn.step("a");
    turn.needs_compaction();
    turn.push(Event::TooDear { call: 2, purpose: Purpose::Compact, reserve: reserve(101) });
    assert_eq!(turn.effects(), [Effect::CompactByCode]);
    let mut turn = Rig::budget(205);
    turn.step("a");
    assert_eq!((turn.why(), turn.wanted().2), (Some("cost"), Purpose::Final));
    turn.needs_compaction();
    assert_eq!(turn.effects(), [Effect::CompactByCode], "the final call's share is not spent on a summary");
    turn.compacts(false);
    assert_eq!(turn.wanted(), (2, 1, Purpose::Final));
}

#[test]
fn after_three_compactions_without_a_step_the_turn_fails_and_can_be_retried() {
    let mut turn = Rig::new();
    for _ in 0..3 {
        turn.needs_compaction();
        turn.says("summary");
        turn.compacts(true);
    }
    turn.needs_compaction();
    let Some(End::Failed { problem }) = turn.state.end.clone() else { panic!("{:?}", turn.state.end) };
    assert_eq!(problem.code, ErrorCode::ContextTooLong);
    turn.push(Event::Retried);
    turn.needs_compaction();
    assert_eq!(turn.wanted().2, Purpose::Compact);
}

#[test]
fn a_step_in_between_begins_the_count_anew() {
    let mut turn = Rig::new();
    for number in 0..6 {
        turn.needs_compaction();
        turn.says("summary");
        turn.compacts(true);
        turn.step(&format!("call {number}"));
    }
    assert_eq!(turn.wanted().2, Purpose::Step);
}

#[test]
fn the_final_call_can_be_compacted_for_too() {
    let mut turn = Rig::within(Bounds { iterations: 1, ..Bounds::default() });
    turn.step("a");
    turn.needs_compaction();
    turn.says("summary");
    turn.compacts(true);
    turn.says("so far");
    assert_eq!(turn.end(), (Some(bounded("iterations")), with_answer("so far")));
}

#[test]
fn a_message_that_comes_meanwhile_stands_after_the_summary() {
    let mut turn = Rig::new();
    turn.step("a");
    turn.needs_compaction();
    turn.steers("and mind the tests");
    turn.says("summary");
    turn.compacts(true);
    let steering = Entry::Steering { message: digest("and mind the tests") };
    assert_eq!(turn.state.entries[1..], [compacted(true), steering]);
}

#[test]
fn the_person_can_have_a_conversation_put_into_fewer_words_and_nothing_else() {
    let mut turn = Rig::from(Origin::Compaction, Bounds::default());
    assert_eq!(turn.wanted(), (1, 1, Purpose::Compact));
    assert!(!turn.state.takes_steering());
    turn.says("summary");
    turn.compacts(true);
    assert_eq!(turn.end(), (Some(End::Handed), None));
    assert_eq!(turn.state.entries, [compacted(true)]);
}

#[test]
fn stopping_while_it_is_summed_up_leaves_the_conversation_as_it_is() {
    let mut turn = Rig::new();
    turn.calls(&[write("a")]);
    turn.runs(&["a"]);
    turn.needs_compaction();
    let call = turn.request();
    turn.push(Event::StopRequested);
    turn.push(failed(call, None, false));
    assert_eq!((turn.status(), turn.state.entries.len()), (Status::Stopped, 1));
    turn.push(Event::Retried);
    assert_eq!(turn.wanted(), (3, 1, Purpose::Compact));
}

#[test]
fn nobody_sums_up_unasked() {
    let mut turn = Rig::new();
    let event =
        Event::Compacted { summary: digest("s"), by_model: false, before: 9, after: 1, checkpoint: None };
    assert_eq!(turn.refuses(event), "nobody wants it in fewer words");
    turn.request();
    let event = Event::CompactionNeeded { tokens: 9, window: 1 };
    assert_eq!(turn.refuses(event), "no call to the model is about to be made");
}
