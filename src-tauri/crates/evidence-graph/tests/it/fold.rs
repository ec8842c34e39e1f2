//! Changes: all or none, for one version, in any grouping; nothing ends without evidence.

use domain::SentenceVerdict;
use domain::mission::{Closing, Settlement};
use evidence_graph::{Change, Changes, ClaimStatus, Graph, LeadStatus, Refusal, analyse, integrate};
use pretty_assertions::assert_eq;

use crate::rig::{
    Dice, any_context, any_findings, ask, checked, claim, day, found, gap, id, said, take, user,
};

/// Two supported claims that contradict each other, a third one, one without support, and a gap.
fn disputed() -> Graph {
    let mut graph = Graph::default();
    let claims = vec![
        claim("Acme employs 50 people.", &["a.org"]),
        claim("Acme employs 60 people.", &["b.org"]),
        claim("Bolt makes brakes.", &["c.org"]),
        claim("Nobody knows who owns Bolt.", &[]),
    ];
    let mut findings = found(claims);
    findings.gaps_identified = vec![gap("Who owns Bolt?")];
    take(&mut graph, "i1", &findings);
    let analysis = analyse(&graph, &Default::default(), day("2026-01-01")).unwrap();
    graph.apply(&analysis.changes).unwrap();
    assert_eq!(graph.counts().disputed_claims, 2);
    graph
}

#[test]
fn any_grouping_of_changes_gives_one_graph() {
    for seed in 0..60 {
        let mut dice = Dice(seed);
        let mut graph = Graph::default();
        ask(&mut graph, "Who owns Acme?", None);
        let start = graph.clone();
        let mut all = Vec::new();
        for number in 0..4 {
            let findings = any_findings(&mut dice);
            let context = any_context(&mut dice, &format!("i{number}"), &findings);
            let changes = integrate(&graph, &findings, &context).changes;
            graph.apply(&changes).unwrap();
            all.extend(changes.changes);
            let changes = analyse(&graph, &Default::default(), day("2026-01-01")).unwrap().changes;
            graph.apply(&changes).unwrap();
            all.extend(changes.changes);
        }
        let mut other = start;
        let mut rest = all.as_slice();
        while !rest.is_empty() {
            let (group, further) = rest.split_at((1 + dice.below(9)).min(rest.len()));
            user(&mut other, group.to_vec()).unwrap();
            rest = further;
        }
        assert!(graph.has_items_of(&other), "seed {seed}");
    }
}

#[test]
fn changes_for_another_version_or_of_another_form_are_refused() {
    let mut graph = disputed();
    let changes = Changes { format: 1, from: 0, by: "user".into(), changes: Vec::new() };
    let version = graph.version();
    assert_eq!(graph.apply(&changes), Err(Refusal::Version { version, found: 0 }));
    let newer = Changes { format: 2, from: version, ..changes };
    assert_eq!(graph.apply(&newer), Err(Refusal::Format { found: 2 }));
}

#[test]
fn one_change_that_cannot_be_made_leaves_the_graph_as_it_was() {
    let mut graph = disputed();
    let before = graph.clone();
    let refused = user(
        &mut graph,
        vec![
            Change::ClaimPinned { claim: id("c1") },
            Change::LeadClosed { lead: id("l9"), status: LeadStatus::Followed },
        ],
    );
    assert_eq!(refused, Err(Refusal::Unknown("l9".into())));
    assert_eq!(graph, before);
}

#[test]
fn a_change_survives_json() {
    let mut dice = Dice(5);
    let findings = any_findings(&mut dice);
    let changes = integrate(&Graph::default(), &findings, &any_context(&mut dice, "i1", &findings)).changes;
    let json = serde_json::to_string(&changes).unwrap();
    assert_eq!(serde_json::from_str::<Changes>(&json).unwrap(), changes);
}

#[test]
fn a_gap_is_closed_by_supported_claims_or_by_the_user_and_by_nothing_else() {
    let graph = disputed();
    let unsupported = said(&graph, "Nobody knows who owns Bolt.").id.clone();
    let disputed = said(&graph, "Acme employs 50 people.").id.clone();
    let supported = said(&graph, "Bolt makes brakes.").id.clone();
    let close = |closing: Closing| {
        let mut graph = graph.clone();
        user(&mut graph, vec![Change::GapClosed { gap: id("g1"), closing }])
    };
    let evidence = |claims: &[&domain::mission::ItemId]| Closing::Evidence {
        claims: claims.iter().map(|id| (*id).clone()).collect(),
    };
    let refused = |evidence: &str| Err(Refusal::Unsupported { of: "g1".into(), evidence: evidence.into() });
    assert_eq!(close(evidence(&[])), Err(Refusal::NoEvidence("g1".into())));
    assert_eq!(close(evidence(&[&id("c99")])), Err(Refusal::Unknown("c99".into())));
    assert_eq!(close(evidence(&[&supported, &unsupported])), refused(&unsupported.0));
    assert_eq!(close(evidence(&[&disputed])), refused(&disputed.0));
    assert_eq!(close(Closing::Person { reason: " ".into() }), Err(Refusal::NoReason("g1".into())));
    assert_eq!(close(Closing::Superseded { other: id("g1") }), Err(Refusal::State("g1".into())));
    assert_eq!(close(Closing::Moot { of: supported.clone() }), Err(Refusal::NoEvidence("g1".into())));
    assert_eq!(close(evidence(&[&supported])), Ok(()));
    assert_eq!(close(Closing::Person { reason: "not needed".into() }), Ok(()));
}

#[test]
fn a_contradiction_is_settled_by_other_evidence_or_by_the_user_and_by_nothing_else() {
    let graph = disputed();
    let [stands, loses] = graph.contradictions().next().unwrap().claims.clone();
    let other = said(&graph, "Bolt makes brakes.").id.clone();
    let settle = |settlement: Settlement| {
        let mut graph = graph.clone();
        user(&mut graph, vec![Change::ContradictionSettled { contradiction: id("x1"), settlement }])
            .map(|()| graph)
    };
    let prefer = |evidence: &[domain::mission::ItemId]| {
        settle(Settlement::Preferred { claim: stands.clone(), evidence: evidence.to_vec() })
    };
    let refused = |evidence: &domain::mission::ItemId| {
        Err(Refusal::Unsupported { of: "x1".into(), evidence: evidence.0.clone() })
    };
    assert_eq!(prefer(&[]), Err(Refusal::NoEvidence("x1".into())));
    assert_eq!(prefer(std::slice::from_ref(&stands)), refused(&stands));
    let citation = |claim| graph.claim(claim).unwrap().citations[0].clone();
    assert_eq!(prefer(&[citation(&loses)]), refused(&citation(&loses)));
    assert_eq!(prefer(&[id("q99")]), Err(Refusal::Unknown("q99".into())));
    let nobody = Settlement::Preferred { claim: other.clone(), evidence: vec![other.clone()] };
    assert_eq!(settle(nobody).unwrap_err(), Refusal::Part { of: "x1".into(), claim: other.0.clone() });
    assert_eq!(
        settle(Settlement::Compatible { evidence: Vec::new() }),
        Err(Refusal::NoEvidence("x1".into()))
    );
    let settled = prefer(&[citation(&stands)]).unwrap();
    assert_eq!(settled.claim(&stands).unwrap().status, ClaimStatus::Supported);
    assert_eq!(settled.claim(&loses).unwrap().status, ClaimStatus::Superseded);
    let both = settle(Settlement::Compatible { evidence: vec![other] }).unwrap();
    assert_eq!(both.counts().supported_claims, 3);
}

#[test]
fn rejected_and_pinned_claims_stay_so() {
    let mut graph = disputed();
    let [first, second] = graph.contradictions().next().unwrap().claims.clone();
    user(&mut graph, vec![Change::ClaimPinned { claim: first.clone() }]).unwrap();
    assert_eq!(graph.claim(&first).unwrap().status, ClaimStatus::Supported);
    let reject = |claim: &domain::mission::ItemId| Change::ClaimRejected {
        claim: claim.clone(),
        reason: "wrong".into(),
    };
    assert_eq!(user(&mut graph, vec![reject(&first)]), Err(Refusal::Pinned(first.0.clone())));
    user(&mut graph, vec![reject(&second)]).unwrap();
    assert_eq!(graph.counts().open_contradictions, 0);
    let text = graph.claim(&second).unwrap().text.clone();
    let again = take(&mut graph, "i2", &found(vec![claim(&text, &["d.org", "e.org"])]));
    assert_eq!(again.counts.corroborated, 1);
    assert_eq!(graph.claim(&second).unwrap().status, ClaimStatus::Rejected);
    let analysis = analyse(&graph, &Default::default(), day("2026-01-01")).unwrap();
    graph.apply(&analysis.changes).unwrap();
    assert_eq!(graph.claim(&first).unwrap().status, ClaimStatus::Supported);
    assert!(graph.claim(&first).unwrap().pinned);
}

#[test]
fn a_claim_without_support_disputes_nothing() {
    let mut graph = Graph::default();
    take(&mut graph, "i1", &found(vec![claim("Acme employs 50 people.", &["a.org"])]));
    let mut findings = found(vec![claim("Acme employs 60 people.", &["b.org"])]);
    let text = "Acme employs 50 people.".to_owned();
    findings.contradictions = vec![domain::mission::FoundContradiction {
        first: text.clone(),
        second: "Acme employs 60 people.".into(),
        about: String::new(),
    }];
    let context = checked("i2", &findings, SentenceVerdict::Mismatch);
    let intake = integrate(&graph, &findings, &context);
    graph.apply(&intake.changes).unwrap();
    assert_eq!(intake.conflicts, [id("x1")]);
    assert_eq!(said(&graph, &text).status, ClaimStatus::Supported);
    take(&mut graph, "i3", &found(vec![claim("Acme employs 60 people.", &["c.org"])]));
    assert_eq!(said(&graph, &text).status, ClaimStatus::Disputed);
}
