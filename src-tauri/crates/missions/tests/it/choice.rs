//! What is done next: proposals held against the rules, and the choice by rule.

use domain::mission::{AgendaItem, AgendaKind, AgendaStatus, GraphFacts};
use missions::{Action, Limits, Proposal, Refusal, RegisteredAgent, Terms};
use pretty_assertions::assert_eq;

use crate::rig::{
    Rig, agent, assign, budget, digest, enough, facts, gap, id, item, key, propose, terms, within,
};

fn done(name: &str) -> AgendaItem {
    AgendaItem { status: AgendaStatus::Done, ..gap(name, 9) }
}

fn after(name: &str, before: &str) -> AgendaItem {
    AgendaItem { depends_on: vec![id(before)], ..gap(name, 5) }
}

fn agenda() -> GraphFacts {
    let mut twin = gap("g3", 6);
    twin.fingerprint = digest("g1");
    facts(0, vec![gap("g1", 7), gap("g2", 6), twin, done("g4"), after("g5", "g1"), after("g6", "g4")])
}

/// A mission that is about to decide for the first time.
fn at_decision(mut terms: Terms, facts: GraphFacts) -> Rig {
    let mut reserved = agent("reserved", &["reading"]);
    reserved.allowed = false;
    terms.registry.agents.push(reserved);
    terms.registry.agents.push(agent("coordinator", &[]));
    terms.roles.coordinate = Some("coordinator".into());
    let mut rig = Rig::new(terms, [facts]);
    rig.until_children();
    rig
}

#[test]
fn what_a_mission_before_left_open_is_taken_only_where_nothing_else_can_be_done() {
    let rig = at_decision(terms(), facts(0, vec![gap("g1", 0), gap("g2", 1), gap("g3", 0)]));
    assert_eq!(rig.state.choose(), [assign("reader", "g2")]);
    let rig = at_decision(terms(), facts(0, vec![gap("g1", 0), gap("g3", 0)]));
    assert_eq!(rig.state.choose(), [assign("reader", "g1"), assign("searcher", "g3")]);
}

#[test]
fn each_rule_refuses_what_breaks_it() {
    let capped = || Limits { per_agent: [("reader".into(), 0)].into(), ..Limits::default() };
    let few = || Limits { invocations: Some(2), ..Limits::default() };
    let cases = [
        (terms(), propose(&[]), Refusal::Malformed),
        (terms(), propose(&[("reader", "g1"), ("searcher", "g2"), ("reader", "g6")]), Refusal::TooMany),
        (within(few()), propose(&[("reader", "g1")]), Refusal::TooMany),
        (terms(), propose(&[("nobody", "g1")]), Refusal::UnknownAgent),
        (terms(), propose(&[("reserved", "g1")]), Refusal::NotAllowed),
        (terms(), propose(&[("reader", "g9")]), Refusal::UnknownTask),
        (terms(), propose(&[("reader", "g4")]), Refusal::UnknownTask),
        (terms(), propose(&[("reader", "g5")]), Refusal::UnknownTask),
        (terms(), propose(&[("checker", "g1")]), Refusal::CapabilityMismatch),
        (within(capped()), propose(&[("reader", "g1")]), Refusal::OverCap),
        (terms(), propose(&[("reader", "g1"), ("searcher", "g3")]), Refusal::Repeat),
        (within(budget(119)), propose(&[("reader", "g1"), ("searcher", "g2")]), Refusal::NoBudget),
    ];
    for (terms, proposal, why) in cases {
        let rig = at_decision(terms, agenda());
        assert_eq!(rig.state.check_proposal(&proposal).unwrap_err().why, why, "{proposal:?}");
    }
}

#[test]
fn what_breaks_no_rule_is_done() {
    let rig = at_decision(terms(), agenda());
    let proposal = propose(&[("searcher", "g2"), ("reader", "g6")]);
    let assignments = proposal.assignments.clone();
    assert_eq!(rig.state.check_proposal(&proposal), Ok(Action::Invoke { assignments }));
    let exit = Proposal { exit: true, ..Proposal::default() };
    assert_eq!(rig.state.check_proposal(&exit), Ok(Action::Exit));
    assert_eq!(
        rig.state.check_new_proposal(&exit).unwrap_err().why,
        Refusal::Malformed,
        "nothing was looked into"
    );
}

#[test]
fn the_same_agent_gets_an_item_again_only_when_something_about_it_changed() {
    let mut changed = gap("g1", 7);
    let mut rig = Rig::new(terms(), [facts(1, vec![changed.clone()]), facts(2, vec![changed.clone()])]);
    changed.fingerprint = digest("another version");
    rig.facts.push_back(facts(3, vec![changed]));
    let keys = rig.until_children();
    rig.finishes(keys[0]);
    assert_eq!(rig.until_children(), [key(2, 0)]);
    assert_eq!(rig.agents()["2.0"], "searcher", "the reader had it");
    assert_eq!(rig.state.check_proposal(&propose(&[("reader", "g1")])).unwrap_err().why, Refusal::Repeat);
    rig.finishes(key(2, 0));
    rig.until_children();
    assert_eq!(rig.agents()["3.0"], "reader", "it is another question now");
}

#[test]
fn the_rule_takes_the_most_urgent_items_and_the_least_used_agents() {
    let items = vec![
        gap("g1", 5),
        item("x1", AgendaKind::Contradiction, 10, "checking"),
        gap("g2", 7),
        after("g3", "g2"),
        item("l1", AgendaKind::Lead, 9, "singing"),
    ];
    let mut four = terms();
    four.max_parallel = 4;
    let rig = at_decision(four, facts(0, items.clone()));
    let chosen = [assign("checker", "x1"), assign("reader", "g2"), assign("searcher", "g1")];
    assert_eq!(rig.state.choose(), chosen, "g3 waits for g2, and nobody sings");
    let two = at_decision(terms(), facts(0, items.clone()));
    assert_eq!(two.state.choose(), chosen[..2]);
    let mut preferring = terms();
    preferring.registry.agents[1].preferred_for.insert("reading".to_owned());
    preferring.max_parallel = 4;
    let rig = at_decision(preferring, facts(0, items));
    let preferred = [assign("checker", "x1"), assign("searcher", "g2"), assign("searcher", "g1")];
    assert_eq!(rig.state.choose(), preferred);
}

#[test]
fn what_the_rule_chooses_breaks_no_rule() {
    let limits = Limits { per_agent: [("reader".into(), 1)].into(), ..budget(165) };
    let mut terms = within(limits);
    terms.max_parallel = 9;
    let rig = at_decision(terms, agenda());
    let assignments = rig.state.choose();
    assert_eq!(assignments, [assign("reader", "g1")], "100 are kept, and the coordinator holds 50");
    rig.state.check_proposal(&Proposal { assignments, exit: false }).unwrap();
}

#[test]
fn nothing_to_choose_ends_research() {
    let mut rig = Rig::new(terms(), [facts(1, vec![item("l1", AgendaKind::Lead, 9, "singing")]), enough()]);
    rig.run();
    assert_eq!(rig.state.cause, Some(missions::StopCause::NothingToDo));
    assert_eq!((rig.state.iteration, rig.state.invocations.len()), (1, 0));
}

/// Readers of two knowledge bases, and a searcher that is preferred.
fn with_bases() -> Terms {
    let mut terms = terms();
    for (slug, base) in [("reader", "handbook"), ("reader@minutes", "minutes")] {
        let reader = RegisteredAgent { reads: Some(base.to_owned()), ..agent(slug, &["reading"]) };
        terms.registry.agents.retain(|one| one.slug != reader.slug);
        terms.registry.agents.push(reader);
    }
    terms.registry.agents[0].preferred_for.insert("reading".to_owned());
    assert_eq!(terms.registry.agents[0].slug.as_str(), "searcher");
    terms.max_parallel = 3;
    terms
}

#[test]
fn every_knowledge_base_of_the_user_is_asked_about_an_item_before_another_agent_works_on_it() {
    let items = || facts(1, vec![gap("g1", 7), gap("g2", 6)]);
    let rig = at_decision(with_bases(), items());
    let chosen = [assign("reader", "g1"), assign("reader@minutes", "g1"), assign("reader", "g2")];
    assert_eq!(rig.state.choose(), chosen);
    rig.state.check_proposal(&Proposal { assignments: chosen.to_vec(), exit: false }).unwrap();
    let early = rig.state.check_proposal(&propose(&[("searcher", "g1")])).unwrap_err();
    assert_eq!(early.why, Refusal::BaseFirst);
    assert!(early.detail.contains("asked first, by reader"), "{}", early.detail);
    // One agent twice on the same base, or another one beside it, is a repetition.
    for twice in [[("reader", "g1"), ("reader", "g1")], [("reader", "g1"), ("searcher", "g1")]] {
        assert!(rig.state.check_proposal(&propose(&twice)).is_err(), "{twice:?}");
    }

    // What is left of a base is asked next, then the others have their turn.
    let mut rig = Rig::new(with_bases(), [items(), items(), items()]);
    for key in rig.until_children() {
        rig.finishes(key);
    }
    for key in rig.until_children() {
        rig.finishes(key);
    }
    rig.until_children();
    let given: Vec<(u32, String)> =
        rig.state.invocations.iter().map(|(key, one)| (key.iteration, one.agent.0.clone())).collect();
    let of = |iteration| {
        let mut agents: Vec<&str> = given
            .iter()
            .filter(|(number, _)| *number == iteration)
            .map(|(_, agent)| agent.as_str())
            .collect();
        agents.sort_unstable();
        agents
    };
    assert_eq!(of(1), ["reader", "reader", "reader@minutes"]);
    assert_eq!(of(2), ["reader@minutes", "searcher"]);
}

#[test]
fn a_cap_counts_an_agent_over_all_bases_that_it_reads() {
    let mut terms = with_bases();
    terms.limits.per_agent = [("reader".into(), 1)].into();
    let rig = at_decision(terms, facts(1, vec![gap("g1", 7)]));
    assert_eq!(rig.state.choose(), [assign("reader", "g1")]);
    // Of two items a base is asked about one, and another agent works on the other: what the rule chooses breaks no rule.
    let mut terms = with_bases();
    terms.limits.per_agent = [("reader".into(), 1)].into();
    terms.registry.agents.retain(|agent| agent.slug.as_str() != "reader@minutes");
    let rig_of_two = at_decision(terms, facts(1, vec![gap("g1", 7), gap("g2", 6)]));
    let chosen = rig_of_two.state.choose();
    assert_eq!(chosen, [assign("reader", "g1"), assign("searcher", "g2")]);
    rig_of_two.state.check_proposal(&Proposal { assignments: chosen, exit: false }).unwrap();
    let both = propose(&[("reader", "g1"), ("reader@minutes", "g1")]);
    assert_eq!(rig.state.check_proposal(&both).unwrap_err().why, Refusal::OverCap);
}
