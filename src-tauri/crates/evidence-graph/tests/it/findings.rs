//! Findings become changes: the same thing once, in any order, nothing lost.

use std::collections::{BTreeMap, BTreeSet};

use domain::mission::{
    Findings, FoundCitation, FoundContradiction, FoundEntity, FoundRelation, FoundSource, SourceKind,
};
use domain::{Digest, Proof, SentenceVerdict};
use evidence_graph::{Change, Check, ClaimStatus, Context, Graph, integrate, to_json};
use pretty_assertions::assert_eq;

use crate::rig::{
    Dice, about, answering, any_context, any_findings, ask, checked, claim, found, gap, id, lead, said,
    source, take, user,
};

fn places(intake: &evidence_graph::Intake) -> Vec<&str> {
    intake.refused.iter().map(|one| one.place.as_str()).collect()
}

#[test]
fn nothing_found_changes_nothing() {
    let mut graph = Graph::default();
    let intake = take(&mut graph, "i1", &Findings::default());
    assert_eq!(intake.changes.changes, []);
    assert_eq!(graph.version(), 0);
}

#[test]
fn equal_statements_are_one_claim_with_the_citations_of_both() {
    let mut graph = Graph::default();
    take(&mut graph, "i1", &found(vec![claim("The fee is $5 million.", &["a.org"])]));
    let second =
        take(&mut graph, "i2", &found(vec![claim("The fee is 5,000,000 dollars", &["a.org", "b.org"])]));
    assert_eq!((graph.claims().len(), second.counts.claims, second.counts.corroborated), (1, 0, 1));
    let one = graph.claims().next().unwrap();
    assert_eq!(one.text, "The fee is $5 million.");
    assert_eq!(one.wordings, ["The fee is 5,000,000 dollars"]);
    assert_eq!(one.citations.len(), 3);
    assert_eq!(graph.sources().len(), 2);
}

#[test]
fn two_lists_of_one_invocation_are_appended() {
    let mut graph = Graph::default();
    take(
        &mut graph,
        "i1",
        &found(vec![claim("Acme makes brakes.", &["a.org"]), claim("Bolt makes nuts.", &["a.org"])]),
    );
    take(&mut graph, "i1", &found(vec![claim("Core makes axles.", &["b.org"])]));
    assert_eq!(graph.claims().len(), 3);
}

#[test]
fn opposite_statements_and_swapped_names_stay_two_claims() {
    let mut graph = Graph::default();
    let claims =
        ["Records may be kept.", "Records may not be kept.", "Acme bought Bolt.", "Bolt bought Acme."];
    take(&mut graph, "i1", &found(claims.map(|text| claim(text, &["a.org"])).to_vec()));
    assert_eq!(graph.claims().len(), 4);
}

#[test]
fn a_claim_without_a_citation_is_kept_as_unsupported_and_refuted_citations_count_nothing() {
    let mut graph = Graph::default();
    let findings = found(vec![claim("Acme makes brakes.", &[]), claim("Bolt makes nuts.", &["a.org"])]);
    for verdict in [SentenceVerdict::Mismatch, SentenceVerdict::Missing, SentenceVerdict::Withdrawn] {
        let mut graph = Graph::default();
        graph.apply(&integrate(&graph, &findings, &checked("i1", &findings, verdict)).changes).unwrap();
        assert_eq!(graph.counts().unsupported_claims, 2);
    }
    graph.apply(&integrate(&graph, &findings, &Context::default()).changes).unwrap();
    assert_eq!(graph.counts().unsupported_claims, 2, "what was not checked supports nothing");
}

#[test]
fn better_supported_words_become_the_text() {
    let mut graph = Graph::default();
    take(&mut graph, "i1", &found(vec![claim("The fee: $5 million", &[])]));
    take(&mut graph, "i2", &found(vec![claim("The fee is $5 million.", &["a.org"])]));
    let one = graph.claims().next().unwrap();
    assert_eq!(
        (one.text.as_str(), one.wordings.as_slice()),
        ("The fee is $5 million.", &["The fee: $5 million".to_owned()][..])
    );
    assert_eq!(one.status, ClaimStatus::Supported);
}

#[test]
fn a_verdict_that_was_reached_stays_and_one_that_was_not_is_completed() {
    let mut graph = Graph::default();
    let findings = found(vec![claim("Acme makes brakes.", &["a.org"])]);
    graph.apply(&integrate(&graph, &findings, &Context::default()).changes).unwrap();
    for verdict in [SentenceVerdict::JudgedSupported, SentenceVerdict::Mismatch] {
        let changes = integrate(&graph, &findings, &checked("i2", &findings, verdict)).changes;
        graph.apply(&changes).unwrap();
    }
    let citation = graph.citations().next().unwrap();
    assert_eq!((graph.citations().len(), citation.verdict), (1, SentenceVerdict::JudgedSupported));
    assert_eq!(citation.paragraph.as_deref(), Some("p0"));
}

#[test]
fn entities_are_found_by_their_aliases() {
    let mut graph = Graph::default();
    let entity = |name: &str, aliases: &[&str]| FoundEntity {
        name: name.into(),
        kind: "organisation".into(),
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        description: String::new(),
    };
    let discovered = vec![entity("Acme Brake Company", &["ABC"]), entity("ACME BRAKE COMPANY", &["Acme"])];
    let findings = Findings { entities_discovered: discovered, ..Findings::default() };
    take(&mut graph, "i1", &findings);
    let findings = Findings {
        entities_discovered: vec![entity("Alpha Beta Corp", &["ABC"])],
        claims: vec![about(&["acme"], claim("It makes brakes.", &[]))],
        ..Findings::default()
    };
    take(&mut graph, "i2", &findings);
    let names: Vec<&str> = graph.entities().map(|entity| entity.name.as_str()).collect();
    assert_eq!(names, ["ACME BRAKE COMPANY", "Alpha Beta Corp"], "a shared abbreviation joins nothing");
    assert_eq!(graph.claims().next().unwrap().entities, [id("e1")]);
    assert_eq!(graph.entity_named("abc").unwrap().id, id("e1"));
}

#[test]
fn sources_are_one_by_their_bytes_and_then_by_their_address() {
    let page = |address: &str, object: Option<&str>| FoundSource {
        id: address.into(),
        address: address.into(),
        object: object.map(Digest::of),
        ..source("x.org")
    };
    let mut graph = Graph::default();
    let mut add = |list: Vec<FoundSource>| {
        take(&mut graph, "i1", &Findings { sources: list, ..Findings::default() });
        graph.sources().len()
    };
    assert_eq!(add(vec![page("https://a.org/x", None), page("http://www.a.org/x/#top", None)]), 1);
    assert_eq!(add(vec![page("https://a.org/x", Some("one"))]), 1);
    assert_eq!(add(vec![page("https://b.org/copy", Some("one"))]), 1);
    assert_eq!(add(vec![page("https://a.org/x", Some("two"))]), 2, "the page has changed");
}

#[test]
fn pages_of_one_domain_have_one_origin_and_published_works_their_own() {
    let mut findings = Findings {
        sources: vec![source("a.org"), source("b.org"), source("www.a.org")],
        ..Findings::default()
    };
    findings.sources[2].address = "https://www.a.org/other".into();
    findings.sources.push(FoundSource { kind: SourceKind::PeerReviewed, ..source("journals.a.org") });
    let mut graph = Graph::default();
    graph.apply(&integrate(&graph, &findings, &Context::default()).changes).unwrap();
    let origins: BTreeSet<&str> = graph.sources().map(|source| source.origin.as_str()).collect();
    assert_eq!(origins.into_iter().collect::<Vec<_>>(), ["a.org", "b.org", "journals.a.org/page"]);
}

#[test]
fn what_cannot_be_stored_is_named_with_its_place() {
    let mut findings = found(vec![
        claim("  …  ", &[]),
        answering("t9", claim("Acme makes brakes.", &["a.org"])),
        claim(&"word ".repeat(2_000), &[]),
    ]);
    findings.claims[1].citations.push(FoundCitation {
        source: "nowhere".into(),
        quote: "q".into(),
        paragraph: None,
        page: None,
    });
    findings.sources[0].published = Some("2025-02-30".into());
    findings.sources.push(source("a.org"));
    findings.contradictions.push(FoundContradiction {
        first: "c1".into(),
        second: "c1".into(),
        about: String::new(),
    });
    findings.contradictions.push(FoundContradiction {
        first: "c1".into(),
        second: "c7".into(),
        about: String::new(),
    });
    findings.relationships_discovered.push(FoundRelation {
        from: "Acme".into(),
        to: " ".into(),
        kind: "owns".into(),
        note: String::new(),
        citations: Vec::new(),
    });
    let mut graph = Graph::default();
    let intake = take(&mut graph, "i1", &findings);
    assert_eq!(
        places(&intake),
        [
            "/claims/0/text",
            "/claims/1/answers",
            "/claims/1/citations/1/source",
            "/claims/2/text",
            "/contradictions/0",
            "/contradictions/1",
            "/relationships_discovered/0/to",
            "/sources/0/published",
            "/sources/1/id",
        ]
    );
    assert_eq!((graph.claims().len(), graph.citations().len()), (1, 1));
}

#[test]
fn lists_beyond_their_limit_are_cut_and_named() {
    let claims = (0..2_001).map(|at| claim(&format!("Number {at} is a house."), &[])).collect();
    let mut graph = Graph::default();
    assert_eq!(places(&take(&mut graph, "i1", &found(claims))), ["/claims/2000"]);
    assert_eq!(graph.claims().len(), 2_000);
}

#[test]
fn gaps_and_leads_are_kept_once_and_a_second_voice_is_counted() {
    let mut graph = Graph::default();
    let question = ask(&mut graph, "Who owns Acme?", None);
    let gaps_identified = vec![gap("Who owns Acme?"), gap("who owns ACME"), gap("Who owns Bolt?")];
    let suggested_follow_ups = vec![lead("Read the register", 50, 10), lead("read the register!", 90, 10)];
    let findings = Findings { gaps_identified, suggested_follow_ups, ..Findings::default() };
    take(&mut graph, "i1", &findings);
    take(&mut graph, "i2", &findings);
    assert_eq!((graph.gaps().len(), graph.leads().len()), (2, 1));
    let first = graph.gaps().next().unwrap();
    assert_eq!(
        (first.of.as_ref(), first.raised_by.as_slice()),
        (Some(&question), &["i1".to_owned(), "i2".to_owned()][..])
    );
}

#[test]
fn pairs_that_an_agent_states_are_recorded_as_contradictions() {
    let mut graph = Graph::default();
    let claims = vec![claim("Acme is rich.", &["a.org"]), claim("Acme is poor.", &["b.org"])];
    let stated = FoundContradiction {
        first: "Acme is rich.".into(),
        second: "Acme is poor.".into(),
        about: "rich / poor".into(),
    };
    let intake = take(&mut graph, "i1", &Findings { contradictions: vec![stated], ..found(claims) });
    assert_eq!(intake.counts.contradictions, 1);
    assert_eq!(said(&graph, "Acme is poor.").status, ClaimStatus::Disputed);
}

#[test]
fn what_no_longer_stands_contradicts_nothing() {
    let mut graph = Graph::default();
    take(
        &mut graph,
        "i1",
        &found(vec![claim("Acme is rich.", &["a.org"]), claim("Acme is poor.", &["b.org"])]),
    );
    let gone = said(&graph, "Acme is rich.").id.clone();
    user(&mut graph, vec![Change::ClaimRejected { claim: gone.clone(), reason: "outdated".into() }]).unwrap();
    let stated =
        FoundContradiction { first: gone.0.clone(), second: "Acme is poor.".into(), about: "wealth".into() };
    let findings = Findings { contradictions: vec![stated], ..Findings::default() };
    let intake = integrate(&graph, &findings, &Context::default());
    assert_eq!((intake.counts.contradictions, places(&intake)), (0, vec!["/contradictions/0"]));
    assert_eq!(intake.refused[0].reason, format!("{} no longer stands", gone.0));
}

#[test]
fn integrating_twice_changes_nothing_the_second_time() {
    for seed in 0..120 {
        let mut dice = Dice(seed);
        let mut graph = Graph::default();
        ask(&mut graph, "Who owns Acme?", None);
        for number in 0..3 {
            let findings = any_findings(&mut dice);
            let context = any_context(&mut dice, &format!("i{number}"), &findings);
            graph.apply(&integrate(&graph, &findings, &context).changes).unwrap();
            let again = integrate(&graph, &findings, &context);
            assert_eq!(again.changes.changes, [], "seed {seed}");
        }
    }
}

#[test]
fn on_a_newer_version_the_same_findings_give_the_same_claims() {
    let claims = |graph: &Graph| -> BTreeSet<(String, usize)> {
        graph.claims().map(|claim| (claim.key.clone(), claim.citations.len())).collect()
    };
    for seed in 0..80 {
        let mut dice = Dice(seed);
        let (first, second) = (any_findings(&mut dice), any_findings(&mut dice));
        let contexts = (any_context(&mut dice, "i1", &first), any_context(&mut dice, "i2", &second));
        let start = Graph::default();
        let stale = integrate(&start, &second, &contexts.1).changes;
        let mut graph = start.clone();
        graph.apply(&integrate(&graph, &first, &contexts.0).changes).unwrap();
        if graph.version() > 0 && !stale.changes.is_empty() {
            assert!(graph.apply(&stale).is_err(), "seed {seed}");
        }
        graph.apply(&integrate(&graph, &second, &contexts.1).changes).unwrap();
        let mut other = start;
        other.apply(&integrate(&other, &second, &contexts.1).changes).unwrap();
        other.apply(&integrate(&other, &first, &contexts.0).changes).unwrap();
        assert_eq!(claims(&graph), claims(&other), "seed {seed}");
    }
}

#[test]
fn the_order_of_a_list_does_not_matter() {
    for seed in 0..80 {
        let mut dice = Dice(seed);
        let findings = any_findings(&mut dice);
        let mut shuffled = findings.clone();
        dice.shuffle(&mut shuffled.claims);
        dice.shuffle(&mut shuffled.sources);
        dice.shuffle(&mut shuffled.entities_discovered);
        dice.shuffle(&mut shuffled.gaps_identified);
        let graph = |findings: &Findings| {
            let mut graph = Graph::default();
            graph.apply(&integrate(&graph, findings, &Context::default()).changes).unwrap();
            to_json(&graph)
        };
        assert_eq!(graph(&findings), graph(&shuffled), "seed {seed}");
    }
}

#[test]
fn a_check_that_found_everything_named_supports_a_claim() {
    let findings = found(vec![claim("Acme makes brakes.", &["a.org"])]);
    let check = Check { verdict: SentenceVerdict::Unverified, proof: Proof::NamedThings, paragraph: None };
    let checks = BTreeMap::from([("/claims/0/citations/0".to_owned(), check)]);
    let mut graph = Graph::default();
    graph.apply(&integrate(&graph, &findings, &Context { checks, ..Context::default() }).changes).unwrap();
    assert_eq!(graph.counts().supported_claims, 1);
}
