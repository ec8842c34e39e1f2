//! What a process does that takes a mission over from one that died.

use missions::{ChildEnd, Event, InvocationStatus, Outcome};
use pretty_assertions::assert_eq;

use crate::rig::{Rig, budget, enough, facts, folded, gap, reserve, within};

fn rig(limit: u64) -> Rig {
    Rig::new(within(budget(limit)), [facts(0, vec![gap("g1", 7), gap("g2", 6)]), enough()])
}

#[test]
fn a_child_run_goes_on_where_it_was_and_is_never_begun_twice() {
    let mut rig = rig(1_000);
    let keys = rig.until_children();
    let child = rig.begin(keys[0]);
    rig.crash();
    assert_eq!(rig.count("outcome_unknown"), 2);
    assert_eq!(rig.until_children(), keys);
    let invocation = &rig.state.invocations[&keys[0]];
    assert_eq!((invocation.child.clone(), invocation.tries), (Some(child.clone()), 2));
    let again = Event::ChildRunStarted { key: keys[0], child: "another".into() };
    assert_eq!(rig.try_push(again).unwrap_err(), "it does not wait for a child run");
    let same = Event::ChildRunStarted { key: keys[1], child };
    assert_eq!(rig.try_push(same).unwrap_err(), "that run carries out an invocation already");
    rig.run();
    assert_eq!((rig.state.outcome, rig.state.invocations_made()), (Some(Outcome::Satisfied), 3));
}

#[test]
fn what_was_set_aside_stays_so_until_the_child_run_tells_what_it_used() {
    let mut rig = rig(160);
    let keys = rig.until_children();
    let before = rig.state.committed();
    rig.crash();
    assert_eq!((rig.state.committed(), before), (reserve(60), reserve(60)));
    rig.leaves_nothing_to_others();
    rig.advance();
    assert_eq!(rig.state.invocations[&keys[0]].held, reserve(30));
    rig.leaves(keys[0], ChildEnd::Finished { output: crate::rig::digest("o") }, 30);
    rig.finishes(keys[1]);
    rig.run();
    assert_eq!(rig.state.cost.0, 40);
}

impl Rig {
    fn leaves_nothing_to_others(&self) {
        assert!(self.state.invocations.values().all(|invocation| invocation.is_unknown));
    }
}

#[test]
fn enough_or_no_time_left_does_not_drop_what_may_be_finished() {
    let mut rig = rig(1_000);
    let keys = rig.until_children();
    rig.begin(keys[0]);
    rig.crash();
    rig.push(Event::WriteRequested);
    assert_eq!(rig.until_children(), keys, "nobody knows what they found");
    rig.run();
    assert_eq!(rig.count("integrated"), 2);
}

#[test]
fn a_result_of_the_process_that_died_is_refused() {
    let mut rig = rig(1_000);
    let keys = rig.until_children();
    let child = rig.begin(keys[0]);
    let late = rig.left(keys[0], child, ChildEnd::Interrupted, 5);
    rig.crash();
    assert_eq!(rig.try_push(late.clone()).unwrap_err(), "that try is not awaited");
    rig.until_children();
    assert_eq!(rig.try_push(late).unwrap_err(), "that try is not awaited");
}

#[test]
fn what_is_used_is_counted_once_however_often_a_child_run_leaves_off() {
    let mut rig = rig(1_000);
    let keys = rig.until_children();
    for used in [5, 9, 9, 20] {
        rig.leaves(keys[0], ChildEnd::Interrupted, used);
        rig.until_children();
    }
    assert_eq!((rig.state.cost.0, rig.state.usage.input), (20, 20));
    assert_eq!(rig.state.invocations[&keys[0]].held, reserve(30), "it used 20 of its 50");
}

#[test]
fn a_crash_after_any_event_leads_to_the_same_report() {
    let mut calm = rig(1_000);
    calm.run();
    for after in 1..calm.log.len() {
        let mut rig = rig(1_000);
        rig.log = calm.log[..after].to_vec();
        rig.state = folded(&rig.log);
        rig.facts = calm.facts.clone();
        if rig.count("analysed") == 0 {
            rig.facts.push_front(facts(0, vec![gap("g1", 7), gap("g2", 6)]));
        }
        rig.crash();
        rig.run();
        assert_eq!(rig.state.outcome, calm.state.outcome, "after {after}");
        assert_eq!(rig.state.drafts, calm.state.drafts);
        let settled = |rig: &Rig| -> Vec<InvocationStatus> {
            rig.state.invocations.values().map(|invocation| invocation.status.clone()).collect()
        };
        assert_eq!(settled(&rig), settled(&calm));
    }
}
