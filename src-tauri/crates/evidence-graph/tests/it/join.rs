//! Two graphs that began as one: what the other one found is taken in once, and a user's decisions stay where they were made.

use domain::mission::FoundRelation;
use evidence_graph::{Change, ClaimStatus, Graph, findings_of, integrate};
use pretty_assertions::assert_eq;

use crate::rig::{about, ask, claim, found, said, take, user};

/// Takes in what another graph holds; says how many changes that made.
fn join(graph: &mut Graph, other: &Graph) -> usize {
    let mut made = 0;
    for (findings, context) in findings_of(graph, other, "mission other") {
        let intake = integrate(graph, &findings, &context);
        assert!(intake.refused.is_empty(), "{:?}", intake.refused);
        made += intake.changes.changes.len();
        graph.apply(&intake.changes).unwrap();
    }
    made
}

#[test]
fn what_another_graph_found_is_taken_in_once_with_its_checks() {
    let mut one = Graph::default();
    ask(&mut one, "Who owns Acme?", None);
    take(&mut one, "i1", &found(vec![claim("Acme employs 50 people.", &["a.org"])]));
    let mut two = one.clone();
    take(&mut one, "i2", &found(vec![claim("Bolt makes brakes.", &["b.org"])]));
    let mut findings = found(vec![
        about(&["Acme", "Cora"], claim("Cora owns Acme.", &["c.org", "d.org"])),
        claim("Acme employs 50 people.", &["e.org"]),
    ]);
    findings.relationships_discovered = vec![FoundRelation {
        from: "Cora".into(),
        to: "Acme".into(),
        kind: "owns".into(),
        note: String::new(),
        citations: Vec::new(),
    }];
    take(&mut two, "i3", &findings);

    assert!(join(&mut one, &two) > 0);
    assert_eq!(one.claims().len(), 3);
    assert_eq!(said(&one, "Cora owns Acme.").status, ClaimStatus::Supported);
    assert_eq!(said(&one, "Cora owns Acme.").citations.len(), 2);
    assert_eq!(said(&one, "Acme employs 50 people.").citations.len(), 2);
    assert_eq!((one.relations().len(), one.entities().len()), (1, 2));
    assert_eq!(join(&mut one, &two), 0, "it is known now");
    assert!(join(&mut two, &one) > 0);
    let claims = |graph: &Graph| {
        let mut texts: Vec<String> = graph.claims().map(|claim| claim.text.clone()).collect();
        texts.sort();
        texts
    };
    assert_eq!(claims(&one), claims(&two));
    assert_eq!((join(&mut one, &two), join(&mut two, &one)), (0, 0));
}

#[test]
fn what_a_user_rejected_in_one_graph_stays_rejected_there_and_stands_in_the_other() {
    let mut one = Graph::default();
    take(&mut one, "i1", &found(vec![claim("Acme employs 50 people.", &["a.org"])]));
    let mut two = one.clone();
    let id = said(&one, "Acme employs 50 people.").id.clone();
    user(&mut one, vec![Change::ClaimRejected { claim: id, reason: "wrong".into() }]).unwrap();
    take(&mut two, "i2", &found(vec![claim("Acme employs 50 people.", &["b.org"])]));
    join(&mut one, &two);
    assert_eq!(said(&one, "Acme employs 50 people.").status, ClaimStatus::Rejected);
    assert_eq!(join(&mut two, &one), 0);
    assert_eq!(said(&two, "Acme employs 50 people.").status, ClaimStatus::Supported);
    assert!(findings_of(&Graph::default(), &Graph::default(), "x").is_empty());
}
