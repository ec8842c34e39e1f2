//! Calls: retry, failure, invalid answers, late answers, unknown outcomes, cancelling, suspending.

use domain::{DraftPlace, ErrorCode, NanoUsd, Reserve};
use pipeline::{
    Action, Answer, CallDraft, CallStatus, CheckpointCause, Event, Moment, Phase, PlannedCall, Receipt,
    SkippedBy, Status,
};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::rig::{Rig, answer, digest, flow, key, model, reserve, resumed, tools};

fn two() -> Rig {
    Rig::chain(vec![model("a", json!({ "limits": { "attempts": 2 } })), model("b", json!({}))]).start()
}

#[test]
fn a_failure_that_may_pass_is_tried_again_after_a_timer() {
    let mut rig = two();
    rig.fails("a#1.0.0", Some(250));
    assert!(rig.under_way().is_empty());
    assert_eq!(rig.timers(), [("a#1.0.0".to_owned(), 250)]);
    assert_eq!(rig.count("timer_set"), 1);
    rig.push(Event::TimerFired { key: key("a#1.0.0") });
    assert_eq!((rig.under_way(), rig.tries("a#1.0.0")), (vec!["a#1.0.0".to_owned()], 2));
    rig.good("a#1.0.0");
    assert_eq!(rig.under_way(), ["b#1.0.0"]);
}

#[test]
fn a_failure_without_a_wait_is_tried_again_at_once() {
    let mut rig = two();
    rig.fails("a#1.0.0", Some(0));
    assert_eq!(rig.tries("a#1.0.0"), 2);
    assert_eq!(rig.count("timer_set"), 0);
}

#[test]
fn exhausted_attempts_fail_the_stage_and_the_run_and_a_retry_goes_on_from_there() {
    let mut rig = Rig::chain(vec![
        model("a", json!({})),
        model("b", json!({ "limits": { "attempts": 2 } })),
        model("c", json!({})),
    ])
    .start();
    rig.good("a#1.0.0");
    rig.fails("b#1.0.0", Some(0));
    rig.fails("b#1.0.0", Some(0));
    assert_eq!(rig.status(), Status::Failed);
    let (stage, problem) = rig.state.failure.clone().unwrap();
    assert_eq!((stage.as_str(), problem.message.as_str()), ("b", "b#1.0.0 failed"));
    rig.push(Event::RunRetried { stage });
    assert_eq!(rig.under_way(), ["b#2.0.0"]);
    rig.good("b#2.0.0");
    rig.good("c#1.0.0");
    assert_eq!(rig.status(), Status::Completed);
    assert_eq!(rig.stage("a").attempt, 1);
}

#[test]
fn a_failure_that_cannot_pass_is_not_tried_again() {
    let mut rig = two();
    rig.fails("a#1.0.0", None);
    assert_eq!((rig.status(), rig.tries("a#1.0.0")), (Status::Failed, 1));
}

#[test]
fn a_failing_run_waits_for_what_is_under_way_and_starts_nothing_new() {
    let mut rig = Rig::chain(vec![
        model("a", json!({ "dependsOn": [] })),
        model("b", json!({ "dependsOn": [] })),
        model("c", json!({ "dependsOn": ["b"] })),
    ])
    .start();
    rig.fails("a#1.0.0", None);
    assert_eq!(rig.status(), Status::Running);
    rig.good("b#1.0.0");
    assert_eq!(rig.status(), Status::Failed);
    assert_eq!(rig.stage("c").phase, Phase::Pending);
}

#[test]
fn one_retry_takes_up_every_failed_stage() {
    let mut rig =
        Rig::chain(vec![model("a", json!({ "dependsOn": [] })), model("b", json!({ "dependsOn": [] }))])
            .start();
    rig.fails("b#1.0.0", None);
    rig.fails("a#1.0.0", None);
    assert_eq!(rig.status(), Status::Failed);
    rig.push(Event::RunRetried { stage: "a".into() });
    assert_eq!(rig.under_way(), ["a#2.0.0", "b#2.0.0"]);
}

#[test]
fn the_failure_of_an_optional_call_is_a_warning() {
    let mut rig = Rig::chain(vec![tools("a", 1, json!({}))]).calls("a", 0, 2);
    rig.plans.get_mut(&("a".to_owned(), 0)).unwrap()[0].optional = true;
    let mut rig = rig.start();
    rig.fails("a#1.0.0", None);
    rig.good("a#1.0.1");
    assert_eq!(rig.status(), Status::Completed);
    assert!(rig.state.wave_results(&"a".into(), 0)[0].is_err());
}

#[test]
fn the_failure_of_a_skippable_stage_skips_it() {
    let mut rig = Rig::chain(vec![model("a", json!({ "skippable": true })), model("b", json!({}))]).start();
    rig.fails("a#1.0.0", None);
    assert_eq!(rig.stage("a").skipped, Some((SkippedBy::Failure, "a#1.0.0 failed".to_owned())));
    assert_eq!(rig.under_way(), ["b#1.0.0"]);
}

#[test]
fn a_skippable_stage_that_cannot_be_finished_is_skipped_too() {
    let mut rig =
        Rig::chain(vec![tools("a", 1, json!({ "skippable": true })), model("b", json!({}))]).start();
    let event = Event::ToolCallCompleted { key: key("a#1.0.0"), r#try: 1, output: digest("x"), ms: 1 };
    rig.apply(event).unwrap();
    let problem = domain::Problem::new(ErrorCode::InvalidConfig, "bad template");
    rig.push(Event::StageFailed { stage: "a".into(), attempt: 1, problem });
    assert_eq!(rig.stage("a").skipped, Some((SkippedBy::Failure, "bad template".to_owned())));
    assert_eq!(rig.under_way(), ["b#1.0.0"]);
}

#[test]
fn the_failure_that_is_told_is_the_one_with_the_lowest_key() {
    let mut rig = Rig::chain(vec![tools("a", 1, json!({}))]).calls("a", 0, 3).start();
    rig.fails("a#1.0.2", None);
    rig.fails("a#1.0.1", None);
    rig.good("a#1.0.0");
    assert_eq!(rig.state.failure.clone().unwrap().1.message, "a#1.0.1 failed");
}

#[test]
fn a_stage_that_has_failed_starts_none_of_its_other_calls() {
    let mut rig =
        Rig::chain(vec![tools("a", 1, json!({ "limits": { "parallel": 1 } }))]).calls("a", 0, 3).start();
    rig.fails("a#1.0.0", None);
    assert_eq!(rig.status(), Status::Failed);
    assert_eq!(rig.count("tool_call_requested"), 1);
}

#[test]
fn an_invalid_answer_is_asked_for_once_more_and_then_fails_the_stage() {
    let mut rig = two();
    rig.bad("a#1.0.0");
    assert_eq!((rig.under_way(), rig.tries("a#1.0.0")), (vec!["a#1.0.0".to_owned()], 2));
    assert_eq!(rig.state.calls[&key("a#1.0.0")].planned.request, digest("again"));
    rig.bad("a#1.0.0");
    assert_eq!(rig.status(), Status::Failed);
    let problem = rig.state.failure.clone().unwrap().1;
    assert_eq!(problem.code, ErrorCode::InvalidAnswer);
    assert!(problem.message.contains("/a: missing"), "{problem}");
    assert_eq!(rig.state.calls[&key("a#1.0.0")].invalid.len(), 2);
    assert_eq!(rig.state.cost, NanoUsd(20));
}

#[test]
fn a_valid_second_answer_is_taken() {
    let mut rig = two();
    rig.bad("a#1.0.0");
    rig.good("a#1.0.0");
    assert_eq!(rig.under_way(), ["b#1.0.0"]);
}

#[test]
fn a_late_answer_costs_and_changes_nothing_else() {
    let mut rig = two();
    rig.apply(rig.fail_event("a#1.0.0", ErrorCode::Deadline, Some(0), 20)).unwrap();
    rig.settle();
    assert_eq!(rig.state.doubtful, reserve(80));
    rig.push(answer("a#1.0.0", 1, Answer::Valid { output: digest("late"), left_out: Vec::new() }, 30));
    assert_eq!(rig.under_way(), ["a#1.0.0"]);
    assert_eq!((rig.state.cost, rig.state.doubtful), (NanoUsd(50), Reserve::default()));
    rig.good("a#1.0.0");
    assert_eq!(rig.state.calls[&key("a#1.0.0")].status, CallStatus::Done(digest("a#1.0.0")));
    assert_eq!(rig.state.cost, NanoUsd(60));
}

#[test]
fn an_answer_that_comes_twice_is_counted_once() {
    let mut rig = two();
    rig.good("a#1.0.0");
    let why =
        rig.refused(answer("a#1.0.0", 1, Answer::Valid { output: digest("b"), left_out: Vec::new() }, 10));
    assert_eq!(
        why,
        "model_call_completed is impossible here: call a#1.0.0: that try has been answered already"
    );
    assert_eq!(rig.state.cost, NanoUsd(10));
}

#[test]
fn what_ends_after_a_cancel_is_counted_and_then_the_run_ends() {
    let mut rig = two();
    rig.push(Event::CancelRequested);
    assert_eq!(rig.status(), Status::Running);
    rig.costing("a#1.0.0", 70);
    assert_eq!((rig.status(), rig.state.cost), (Status::Cancelled, NanoUsd(70)));
    assert!(rig.under_way().is_empty());
}

#[test]
fn a_cancel_ends_the_run_from_wherever_it_is() {
    let waiting = {
        let mut rig = two();
        rig.fails("a#1.0.0", Some(1000));
        rig
    };
    let unknown = {
        let mut rig = two();
        rig.crash();
        rig
    };
    let suspended = {
        let mut rig = two();
        rig.push(Event::Suspended);
        rig.good("a#1.0.0");
        rig
    };
    for mut rig in [waiting, unknown, suspended] {
        rig.push(Event::CancelRequested);
        assert_eq!(rig.status(), Status::Cancelled);
    }
    let mut dead = two();
    dead.push(Event::CancelRequested);
    dead.crash();
    assert_eq!(dead.status(), Status::Cancelled);
}

#[test]
fn nothing_new_starts_after_a_cancel() {
    let mut rig = two();
    rig.apply(rig.good_event("a#1.0.0", 10)).unwrap();
    rig.apply(Event::CancelRequested).unwrap();
    assert!(rig.state.effects().is_empty());
    let why =
        rig.refused(Event::StageStarted { stage: "b".into(), attempt: 1, iteration: 0, conversation: 0 });
    assert!(why.contains("being cancelled"), "{why}");
}

#[test]
fn planned_calls_stay_where_they_are_after_a_cancel_and_while_suspended() {
    for stop in [Event::CancelRequested, Event::Suspended] {
        let limits = json!({ "limits": { "parallel": 2 } });
        let mut rig = Rig::chain(vec![model("a", limits)]).calls("a", 0, 3).start();
        rig.push(stop);
        rig.good("a#1.0.0");
        assert_eq!(rig.under_way(), ["a#1.0.1"]);
        rig.good("a#1.0.1");
        assert!(rig.under_way().is_empty());
        assert_eq!(rig.tries("a#1.0.2"), 0);
    }
}

#[test]
fn a_suspended_run_starts_nothing_new_until_it_is_continued() {
    let mut rig = two();
    rig.push(Event::Suspended);
    assert_eq!(rig.status(), Status::Running);
    rig.good("a#1.0.0");
    assert_eq!(rig.status(), Status::Suspended);
    assert!(rig.under_way().is_empty());
    rig.push(Event::Continued);
    assert_eq!(rig.under_way(), ["b#1.0.0"]);
}

#[test]
fn a_repeatable_tool_of_unknown_outcome_is_issued_again_at_once() {
    let mut rig = Rig::chain(vec![tools("a", 1, json!({}))]).start();
    rig.crash();
    assert_eq!((rig.under_way(), rig.tries("a#1.0.0")), (vec!["a#1.0.0".to_owned()], 2));
    assert_eq!(rig.state.maybe_paid_twice, 0);
}

#[test]
fn a_model_call_of_unknown_outcome_is_issued_again_after_asking() {
    let mut rig = two();
    rig.crash();
    assert_eq!((rig.status(), rig.pauses()), (Status::Paused, vec!["p1 a".to_owned()]));
    assert_eq!((rig.state.doubtful, rig.state.maybe_paid_twice), (reserve(100), 1));
    rig.answer("p1", Action::Retry);
    assert_eq!(rig.tries("a#1.0.0"), 2);
    rig.good("a#1.0.0");
    assert_eq!(rig.under_way(), ["b#1.0.0"]);
    assert_eq!(rig.state.doubtful, reserve(100));
}

#[test]
fn a_model_call_of_unknown_outcome_is_issued_again_at_once_where_the_agent_says_so() {
    let mut config = flow(vec![model("a", json!({}))]);
    config["orchestrator"] = json!({ "onAmbiguous": "retry" });
    let mut rig = Rig::new(config).start();
    rig.crash();
    assert_eq!((rig.tries("a#1.0.0"), rig.state.maybe_paid_twice), (2, 1));
}

#[test]
fn a_model_call_of_unknown_outcome_is_issued_again_at_once_where_the_person_said_so() {
    let mut rig = Rig::chain(vec![model("a", json!({}))]).permits_retry().start();
    rig.crash();
    assert_eq!((rig.tries("a#1.0.0"), rig.state.doubtful), (2, reserve(100)));
}

#[test]
fn a_tool_with_side_effects_is_never_issued_again_unasked() {
    let mut config = flow(vec![tools("a", 1, json!({}))]);
    config["orchestrator"] = json!({ "onAmbiguous": "retry" });
    let mut rig = Rig::new(config).permits_retry();
    let call = PlannedCall {
        request: digest("send"),
        reserve: Reserve::default(),
        least: Reserve::default(),
        repeatable: false,
        optional: false,
        title: String::new(),
        name: String::new(),
    };
    rig.plans.insert(("a".to_owned(), 0), vec![call]);
    let mut rig = rig.start();
    rig.crash();
    assert_eq!(rig.pauses(), ["p1 a"]);
    rig.answer("p1", Action::Retry);
    assert_eq!(rig.tries("a#1.0.0"), 2);
}

#[test]
fn an_answer_that_turns_up_after_all_ends_the_doubt_about_its_cost() {
    let mut rig = two();
    rig.crash();
    rig.push(answer("a#1.0.0", 1, Answer::Valid { output: digest("found"), left_out: Vec::new() }, 40));
    assert_eq!((rig.state.cost, rig.state.doubtful), (NanoUsd(40), Reserve::default()));
}

#[test]
fn the_words_of_an_answer_are_known_until_the_answer_is_there_also_after_a_crash() {
    let mut rig = two();
    let drafted = |r#try, words| Event::ModelCallDrafted {
        key: key("a#1.0.0"),
        r#try,
        words,
        draft: digest(&format!("{words} words")),
        place: None,
    };
    let why = rig.refused(drafted(2, 250));
    assert!(why.contains("not under way"), "{why}");
    rig.push(drafted(1, 250));
    rig.push(drafted(1, 500));
    let moment = Moment::from_event(&drafted(1, 500)).map(|moment| moment.trigger);
    assert_eq!(moment, Some(CheckpointCause::WordsWritten));
    rig.crash();
    let kept = CallDraft { words: 500, text: digest("500 words"), place: None };
    assert_eq!(rig.state.calls[&key("a#1.0.0")].draft, Some(kept));
    rig.answer("p1", Action::Retry);
    assert_eq!(rig.tries("a#1.0.0"), 2);
    rig.push(answer("a#1.0.0", 2, Answer::Valid { output: digest("found"), left_out: Vec::new() }, 40));
    assert_eq!(rig.state.calls[&key("a#1.0.0")].draft, None);
}

/// So many words of an answer have come, from which it can go on.
fn drafted(r#try: u32, words: u32) -> Event {
    let (draft, place) = (digest(&format!("{words} words")), Some(DraftPlace::Answer));
    Event::ModelCallDrafted { key: key("a#1.0.0"), r#try, words, draft, place }
}

fn lost(r#try: u32) -> Event {
    Event::OutcomeUnknown { key: key("a#1.0.0"), r#try, continues: true }
}

#[test]
fn a_call_that_goes_on_from_a_draft_is_prepared_for_it_and_keeps_the_longer_one_in_the_next_crash() {
    let mut rig = two();
    let why = rig.refused(lost(1));
    assert!(why.contains("nothing is kept"), "{why}");
    rig.push(drafted(1, 250));
    rig.push(lost(1));
    assert_eq!((rig.pauses(), rig.count("call_prepared")), (vec!["p1 a".to_owned()], 0));
    rig.answer("p1", Action::Retry);
    let words = |rig: &Rig| rig.state.calls[&key("a#1.0.0")].continues.as_ref().map(|draft| draft.words);
    assert_eq!((rig.count("call_prepared"), rig.tries("a#1.0.0"), words(&rig)), (1, 2, Some(250)));
    rig.push(drafted(2, 400));
    rig.push(lost(2));
    rig.answer("p2", Action::Retry);
    assert_eq!((rig.count("call_prepared"), rig.tries("a#1.0.0"), words(&rig)), (2, 3, Some(400)));
    // Nothing came of the third try: the fourth asks the same.
    rig.push(lost(3));
    rig.answer("p3", Action::Retry);
    assert_eq!((rig.count("call_prepared"), rig.tries("a#1.0.0"), words(&rig)), (2, 4, Some(400)));
    rig.good("a#1.0.0");
    assert_eq!((rig.under_way(), words(&rig)), (vec!["b#1.0.0".to_owned()], Some(400)));
}

#[test]
fn a_continuation_that_cannot_be_used_is_asked_for_anew_and_counts_as_no_answer_of_the_model() {
    let mut rig = two();
    rig.push(drafted(1, 250));
    rig.push(lost(1));
    rig.answer("p1", Action::Retry);
    rig.bad("a#1.0.0");
    let call = &rig.state.calls[&key("a#1.0.0")];
    assert_eq!((call.tries, call.invalid.len(), &call.continues, &call.draft), (3, 0, &None, &None));
    assert_eq!(rig.count("call_prepared"), 2);
    rig.bad("a#1.0.0");
    assert_eq!(rig.state.calls[&key("a#1.0.0")].invalid.len(), 1);
    rig.good("a#1.0.0");
    assert_eq!(rig.under_way(), ["b#1.0.0"]);
}

#[test]
fn a_failed_call_goes_on_from_its_draft_and_a_refused_continuation_is_no_failure() {
    let mut rig = two();
    rig.push(drafted(1, 250));
    let failed = |rig: &Rig, retry_in, continues| {
        let event = rig.fail_event("a#1.0.0", ErrorCode::Provider, retry_in, 0);
        let Event::ModelCallFailed { key, r#try, problem, retry_in, usage, cost, .. } = event else {
            unreachable!()
        };
        let receipt = Receipt { continues, ..Receipt::default() };
        Event::ModelCallFailed { key, r#try, problem, retry_in, usage, cost, receipt }
    };
    rig.push(failed(&rig, Some(250), true));
    assert_eq!((rig.timers().len(), rig.count("call_prepared")), (1, 0));
    rig.push(Event::TimerFired { key: key("a#1.0.0") });
    assert_eq!((rig.tries("a#1.0.0"), rig.count("call_prepared")), (2, 1));
    rig.push(failed(&rig, Some(0), false));
    let call = &rig.state.calls[&key("a#1.0.0")];
    assert_eq!((call.tries, call.failures, &call.continues), (3, 1, &None));
    assert_eq!(rig.count("call_prepared"), 2);
    rig.good("a#1.0.0");
    assert_eq!(rig.under_way(), ["b#1.0.0"]);
}

#[test]
fn an_answer_that_the_provider_goes_on_with_is_fetched_by_the_next_try_without_doubt_or_a_question() {
    let mut rig = Rig::chain(vec![model("a", json!({ "limits": { "attempts": 1 } }))]).start();
    let taken =
        |r#try| Event::ModelCallAccepted { key: key("a#1.0.0"), r#try, response_id: "resp_1".to_owned() };
    let why = rig.refused(taken(2));
    assert!(why.contains("not under way"), "{why}");
    rig.push(taken(1));
    let Event::ModelCallFailed { key, r#try, problem, retry_in, usage, .. } =
        rig.fail_event("a#1.0.0", ErrorCode::Cancelled, Some(0), 0)
    else {
        unreachable!()
    };
    let receipt = Receipt { response_id: Some("resp_1".to_owned()), ..Receipt::default() };
    rig.push(Event::ModelCallFailed {
        key: key.clone(),
        r#try,
        problem,
        retry_in,
        usage,
        cost: NanoUsd(0),
        receipt,
    });
    assert_eq!((rig.under_way(), rig.pauses()), (vec!["a#1.0.0".to_owned()], Vec::new()));
    let call = &rig.state.calls[&key];
    assert_eq!((call.tries, call.failures, call.response_id.as_deref()), (2, 0, Some("resp_1")));
    assert_eq!((rig.state.doubtful, rig.state.maybe_paid_twice), (Reserve::default(), 0));
    rig.costing("a#1.0.0", 40);
    assert_eq!((rig.status(), rig.state.cost), (Status::Completed, NanoUsd(40)));
    assert_eq!(rig.state.calls[&key].response_id, None);
}

#[test]
fn a_question_about_a_call_whose_stage_has_failed_is_closed() {
    let mut rig = Rig::chain(vec![model("a", json!({}))]).calls("a", 0, 2).start();
    let lost = Event::OutcomeUnknown { key: key("a#1.0.0"), r#try: 1, continues: false };
    rig.push(lost);
    assert_eq!(rig.pauses(), ["p1 a"]);
    rig.fails("a#1.0.1", None);
    assert_eq!((rig.status(), rig.pauses()), (Status::Failed, Vec::new()));
    rig.push(Event::RunRetried { stage: "a".into() });
    let why = rig.refused(resumed("p1", Action::Retry, None));
    assert!(why.contains("nothing left to decide"), "{why}");
    rig.good("a#2.0.0");
    rig.good("a#2.0.1");
    assert_eq!(rig.status(), Status::Completed);
}
