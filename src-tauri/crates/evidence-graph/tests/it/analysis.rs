//! Each analyser against a table, and all of them together.

use domain::mission::{AgendaKind, Closing, EarlierItems, Findings, FoundGap, SourceKind};
use domain::{Digest, Proof, SentenceVerdict};
use evidence_graph::analysis::{confidence, coverage, gaps, leads, origins, priority, quality};
use evidence_graph::{
    Change, Check, ClaimStatus, Context, GapStatus, Graph, LeadStatus, Requirements, analyse, integrate,
};
use pretty_assertions::assert_eq;

use crate::rig::{
    Dice, about, answering, any_context, any_findings, ask, checked, claim, day, found, gap, id, lead, said,
    source, take, user,
};

const TODAY: &str = "2026-01-01";

fn analysed(graph: &mut Graph, needs: &Requirements) -> evidence_graph::Analysis {
    let analysis = analyse(graph, needs, day(TODAY)).unwrap();
    graph.apply(&analysis.changes).unwrap();
    assert_eq!(graph.version(), analysis.facts.version);
    analysis
}

/// The support of one claim that cites sources by kind, domain, verdict and day.
fn support(cited: &[(SourceKind, &str, SentenceVerdict, Option<&str>)]) -> (u32, u32) {
    let mut findings = Findings { claims: vec![claim("Acme makes brakes.", &[])], ..Findings::default() };
    findings.claims[0].dated = true;
    let mut context = Context::default();
    for (at, (kind, domain, verdict, published)) in cited.iter().enumerate() {
        findings.sources.push(domain::mission::FoundSource {
            id: at.to_string(),
            address: format!("https://{domain}/{at}"),
            kind: *kind,
            published: published.map(str::to_owned),
            ..source("x.org")
        });
        let mut one = claim("Acme makes brakes.", &["x"]).citations.remove(0);
        one.source = at.to_string();
        findings.claims[0].citations.push(one);
        let check = Check { verdict: *verdict, proof: Proof::None, paragraph: None };
        context.checks.insert(format!("/claims/0/citations/{at}"), check);
    }
    let mut graph = Graph::default();
    graph.apply(&integrate(&graph, &findings, &context).changes).unwrap();
    confidence::support(&graph, graph.claims().next().unwrap(), &Requirements::default(), day(TODAY))
}

#[test]
fn support_follows_its_formula() {
    use SentenceVerdict::{JudgedSupported, Mismatch, Unverified, Verified};
    use SourceKind::{Blog, Official, Standard};
    let now = Some(TODAY);
    let cases = [
        (vec![(Standard, "a.org", Verified, now)], (950_000, 1)),
        (vec![(Official, "a.org", Verified, now)], (800_000, 1)),
        (vec![(Official, "a.org", JudgedSupported, now)], (640_000, 1)),
        (vec![(Official, "a.org", Unverified, now)], (200_000, 0)),
        (vec![(Official, "a.org", Mismatch, now)], (0, 0)),
        (vec![(Official, "a.org", Verified, None)], (640_000, 1)),
        (vec![(Official, "a.org", Verified, Some("2020-01-01"))], (400_000, 1)),
        // 0.8 and 0.8 of two origins: 1 - 0.2 x 0.2; of one: 1 - 0.2 x 0.92
        (vec![(Official, "a.org", Verified, now), (Official, "b.org", Verified, now)], (960_000, 2)),
        (vec![(Official, "a.org", Verified, now), (Official, "a.org", Verified, now)], (816_000, 1)),
        (vec![(Blog, "a.org", Verified, now), (Official, "a.org", Verified, now)], (807_000, 1)),
    ];
    for (cited, expected) in cases {
        assert_eq!(support(&cited), expected, "{cited:?}");
    }
}

#[test]
fn recency_halves_with_the_half_life_and_no_further() {
    assert_eq!(confidence::recency(0, 540), 1_000_000);
    assert_eq!(confidence::recency(270, 540), 707_107);
    assert_eq!(confidence::recency(54, 540), 933_033);
    assert_eq!(confidence::recency(5_400, 540), 500_000);
    for age in 0..600 {
        assert!(confidence::recency(age + 1, 540) <= confidence::recency(age, 540));
    }
}

#[test]
fn confidence_grows_with_support_falls_with_contradictions_and_is_never_certain() {
    use SourceKind::{Blog, News, Official, Standard, Unknown};
    for seed in 0..300 {
        let mut dice = Dice(seed);
        let mut cited = Vec::new();
        let mut last = 0;
        for _ in 0..1 + dice.below(6) {
            let kind = [Standard, Official, News, Blog, Unknown][dice.below(5)];
            let verdict = [
                SentenceVerdict::Verified,
                SentenceVerdict::JudgedSupported,
                SentenceVerdict::Unverified,
                SentenceVerdict::Mismatch,
            ][dice.below(4)];
            cited.push((
                kind,
                ["a.org", "b.org", "c.org"][dice.below(3)],
                verdict,
                [None, Some("2025-06-01")][dice.below(2)],
            ));
            let (support, _) = support(&cited);
            assert!(support >= last, "seed {seed}: {cited:?}");
            last = support;
            let mut lower = confidence::confidence(support, 0);
            assert!(lower <= confidence::MAX_CONFIDENCE);
            for penalty in [100_000, 300_000, confidence::MAX_PENALTY] {
                assert!(confidence::confidence(support, penalty) <= lower);
                lower = confidence::confidence(support, penalty);
            }
        }
    }
}

#[test]
fn a_contradiction_takes_by_what_the_other_side_carries() {
    let mut graph = Graph::default();
    take(
        &mut graph,
        "i1",
        &found(vec![
            claim("Acme employs 50 people.", &["a.org"]),
            claim("Acme employs 60 people.", &["b.org"]),
        ]),
    );
    analysed(&mut graph, &Requirements::default());
    let one = said(&graph, "Acme employs 50 people.");
    assert_eq!((one.status, one.parts.support, one.parts.penalty), (ClaimStatus::Disputed, 800_000, 240_000));
    assert_eq!(one.confidence, 608_000);
}

#[test]
fn a_topic_is_covered_by_independent_supported_claims() {
    let mut graph = Graph::default();
    let question = ask(&mut graph, "What does Acme make?", Some("Products"));
    let needs = Requirements {
        required_sections: vec!["products".into(), "History".into()],
        ..Requirements::default()
    };
    let share = |graph: &Graph| coverage::coverage(graph, &needs);
    let answer = |text: &str, hosts: &[&str]| found(vec![answering(&question.0, claim(text, hosts))]);
    assert_eq!(share(&graph), 0);
    take(&mut graph, "i1", &answer("Acme makes brakes.", &["a.org"]));
    assert_eq!(share(&graph), 0);
    let unchecked = answer("Acme makes nuts.", &["b.org"]);
    graph
        .apply(&integrate(&graph, &unchecked, &checked("i2", &unchecked, SentenceVerdict::Mismatch)).changes)
        .unwrap();
    assert_eq!(share(&graph), 0, "a refuted citation covers nothing");
    take(&mut graph, "i3", &answer("Acme makes brakes.", &["www.a.org"]));
    assert_eq!(share(&graph), 0, "one domain is one voice");
    take(&mut graph, "i4", &answer("Acme makes axles.", &["c.org"]));
    assert_eq!(share(&graph), 666_667, "question and its section of three topics");
}

#[test]
fn what_a_mission_before_left_open_comes_last_and_counts_for_no_criterion() {
    let mut graph = Graph::default();
    let old = ask(&mut graph, "Who founded Acme?", None);
    let mut left = found(vec![]);
    left.gaps_identified.push(FoundGap { critical: true, ..gap("Who owns Acme?") });
    left.suggested_follow_ups.push(lead("Read the register of Acme", 90, 10));
    take(&mut graph, "i1", &left);
    let earlier = graph.earlier_items();
    assert_eq!(earlier, EarlierItems { questions: 1, gaps: 1, leads: 1 });
    let own = ask(&mut graph, "What does Acme make?", None);
    let made = claim("Acme makes brakes.", &["a.org", "b.org"]);
    take(&mut graph, "i2", &found(vec![answering(&own.0, made)]));
    let needs = Requirements { earlier, ..Requirements::default() };
    let facts = analysed(&mut graph.clone(), &needs).facts;
    assert_eq!(facts.coverage, 1_000_000);
    assert_eq!((facts.counts.open_gaps, facts.counts.open_critical_gaps), (1, 0));
    assert_eq!(facts.agenda.iter().map(|item| item.priority).collect::<Vec<_>>(), [0, 0, 0]);
    // What the plan asks again is its own.
    let again = Requirements { asked: [old.clone()].into(), ..needs };
    let facts = analysed(&mut graph, &again).facts;
    assert_eq!((facts.coverage, &facts.agenda[0].id, facts.agenda[0].priority), (500_000, &old, 8));
}

#[test]
fn a_gap_opens_where_too_little_answers_and_closes_by_what_answers_it() {
    let mut graph = Graph::default();
    let question = ask(&mut graph, "What does Acme make?", None);
    let needs = Requirements { required_sections: vec!["History".into()], ..Requirements::default() };
    let first = analysed(&mut graph, &needs).facts;
    assert_eq!(first.counts.open_gaps, 1, "the section that nothing asks for");
    assert_eq!(
        first.agenda.iter().map(|item| item.kind).collect::<Vec<_>>(),
        [AgendaKind::Question, AgendaKind::Gap],
        "what is asked comes before a section that nothing asks for"
    );
    take(&mut graph, "i1", &found(vec![answering(&question.0, claim("Acme makes brakes.", &["a.org"]))]));
    let facts = analysed(&mut graph, &needs).facts;
    assert_eq!((facts.counts.open_gaps, facts.counts.open_critical_gaps), (2, 2));
    assert!(facts.agenda.iter().all(|item| item.kind == AgendaKind::Gap), "the gap stands for its question");
    take(&mut graph, "i2", &found(vec![answering("g2", claim("Acme sells brakes.", &["b.org"]))]));
    assert_eq!(analysed(&mut graph, &needs).facts.counts.open_gaps, 1);
    let GapStatus::Closed { closing: Closing::Evidence { claims } } =
        graph.gaps().nth(1).unwrap().status.clone()
    else {
        panic!("closed by evidence")
    };
    let rejected: Vec<Change> =
        claims.into_iter().map(|claim| Change::ClaimRejected { claim, reason: "wrong".into() }).collect();
    user(&mut graph, rejected).unwrap();
    analysed(&mut graph, &needs);
    assert!(graph.gaps().nth(1).unwrap().is_open(), "its evidence is gone");
    user(
        &mut graph,
        vec![Change::QuestionDropped { question: question.clone(), reason: "off topic".into() }],
    )
    .unwrap();
    analysed(&mut graph, &needs);
    assert_eq!(
        graph.gaps().nth(1).unwrap().status,
        GapStatus::Closed { closing: Closing::Moot { of: question } }
    );
}

#[test]
fn a_claim_on_one_source_is_a_gap_until_another_one_says_it() {
    let mut graph = Graph::default();
    let question = ask(&mut graph, "What does Acme make?", None);
    let needs = Requirements { min_sources: 1, min_sources_per_claim: 2, ..Requirements::default() };
    let answer = |host: &str| found(vec![answering(&question.0, claim("Acme makes brakes.", &[host]))]);
    take(&mut graph, "i1", &answer("a.org"));
    let facts = analysed(&mut graph, &needs).facts;
    assert_eq!((facts.counts.open_gaps, facts.sources_per_claim, facts.agenda[0].priority), (1, 1, 7));
    take(&mut graph, "i2", &answer("b.org"));
    let facts = analysed(&mut graph, &needs).facts;
    assert_eq!((facts.counts.open_gaps, facts.counts.closed_gaps, facts.sources_per_claim), (0, 1, 2));
    assert_eq!(gaps::openings(&graph, &needs), []);
}

#[test]
fn leads_are_rated_by_value_novelty_and_effort_and_near_repetitions_end() {
    let mut graph = Graph::default();
    let mut findings = found(vec![claim("The annual report of Acme lists suppliers.", &["a.org"])]);
    findings.suggested_follow_ups = vec![
        lead("Ask the brake laboratory about heat tests", 80, 20),
        lead("Read the annual report of Acme on suppliers", 80, 20),
        lead("Ask the brake laboratory about all heat tests", 80, 20),
        lead("Look at the weather", 0, 0),
    ];
    take(&mut graph, "i1", &findings);
    analysed(&mut graph, &Requirements::default());
    let by = |text: &str| graph.leads().find(|lead| lead.text.starts_with(text)).unwrap().clone();
    let open: Vec<u32> =
        graph.leads().filter(|lead| lead.status == LeadStatus::Open).map(|lead| lead.novelty).collect();
    assert_eq!(open.len(), 3, "one of the two that ask the laboratory is a duplicate");
    let known = by("Read the annual");
    assert_eq!((known.novelty, known.score, priority::of_lead(&known)), (200_000, 800_000, 4));
    let fresh = by("Ask the brake laboratory about all");
    assert_eq!((fresh.novelty, fresh.score, priority::of_lead(&fresh)), (1_000_000, 4_000_000, 6));
    assert_eq!(priority::of_lead(&by("Look at")), 1);
    assert_eq!(leads::score(100, 1_000_000, 0), 10_000_000);
}

#[test]
fn the_agenda_puts_contradictions_before_gaps_and_gaps_before_leads() {
    let mut graph = Graph::default();
    ask(&mut graph, "Who owns Acme?", None);
    let mut findings = found(vec![
        claim("Acme employs 50 people.", &["a.org"]),
        claim("Acme employs 60 people.", &["b.org"]),
    ]);
    findings.gaps_identified = vec![gap("When was it founded?")];
    findings.gaps_identified[0].critical = true;
    findings.suggested_follow_ups = vec![lead("Read the register", 90, 10)];
    take(&mut graph, "i1", &findings);
    take(&mut graph, "i2", &Findings { gaps_identified: vec![gap("Where is it?")], ..Findings::default() });
    take(&mut graph, "i3", &Findings { gaps_identified: vec![gap("Where is it?")], ..Findings::default() });
    let facts = analysed(&mut graph, &Requirements::default()).facts;
    let agenda: Vec<(&str, u8)> =
        facts.agenda.iter().map(|item| (item.id.0.as_str(), item.priority)).collect();
    assert_eq!(agenda, [("x1", 10), ("g1", 9), ("t1", 8), ("g2", 8), ("l1", 6)]);
    assert_eq!(facts.agenda[0].capability, "fact_checking");
}

#[test]
fn a_fingerprint_changes_when_what_it_is_about_changes_and_only_then() {
    let mut graph = Graph::default();
    let mut findings = found(vec![about(&["Acme"], claim("Acme makes brakes.", &["a.org"]))]);
    findings.gaps_identified = vec![gap("Who owns it?")];
    findings.gaps_identified[0].entities = vec!["Acme".into()];
    take(&mut graph, "i1", &findings);
    let mut print = |by: &str, findings: &Findings| -> Digest {
        take(&mut graph, by, findings);
        analysed(&mut graph, &Requirements::default()).facts.agenda[0].fingerprint
    };
    let first = print("i1", &findings);
    assert_eq!(print("i2", &found(vec![about(&["Bolt"], claim("Bolt makes nuts.", &["a.org"]))])), first);
    assert!(print("i3", &found(vec![about(&["Acme"], claim("Acme sells brakes.", &["a.org"]))])) != first);
}

#[test]
fn quality_is_the_weighted_sum_of_its_inputs_and_nothing_without_support() {
    let inputs = quality::QualityInputs {
        coverage: 500_000,
        verified: 800_000,
        confidence: 700_000,
        contradictions: 1_000_000,
        gaps: 250_000,
        supported: 600_000,
    };
    assert_eq!(inputs.total(), 665_000);
    assert_eq!(quality::QualityInputs { supported: 0, ..inputs }.total(), 0);
    let mut graph = Graph::default();
    take(&mut graph, "i1", &found(vec![claim("Acme makes brakes.", &[])]));
    let facts = analysed(&mut graph, &Requirements::default()).facts;
    assert_eq!((facts.quality, facts.coverage, facts.confidence), (0, 0, 0));
}

#[test]
fn a_second_analysis_changes_nothing() {
    for seed in 0..80 {
        let mut dice = Dice(seed);
        let mut graph = Graph::default();
        ask(&mut graph, "Who owns Acme?", Some("Owners"));
        ask(&mut graph, "What does Borealis earn?", None);
        let needs = Requirements {
            required_sections: vec!["Owners".into(), "History".into()],
            min_sources_per_claim: 2,
            ..Requirements::default()
        };
        for number in 0..4 {
            let findings = any_findings(&mut dice);
            let context = any_context(&mut dice, &format!("i{number}"), &findings);
            graph.apply(&integrate(&graph, &findings, &context).changes).unwrap();
            let first = analysed(&mut graph, &needs);
            let second = analysed(&mut graph, &needs);
            assert_eq!(second.changes.changes, [], "seed {seed}");
            assert_eq!(second.facts, first.facts, "seed {seed}");
            // What the user rejects is evidence no more: gaps open again, close by other evidence, or are moot.
            let live: Vec<_> =
                graph.claims().filter(|claim| claim.status.is_live()).map(|claim| claim.id.clone()).collect();
            if let Some(claim) = live.get(dice.below(live.len())).cloned() {
                user(&mut graph, vec![Change::ClaimRejected { claim, reason: "wrong".into() }]).unwrap();
                analysed(&mut graph, &needs);
                assert_eq!(analysed(&mut graph, &needs).changes.changes, [], "seed {seed}");
            }
        }
    }
    assert_eq!(id("c1").0, "c1");
}

#[test]
fn a_quote_that_says_the_same_words_is_a_copy() {
    let original = "In 2024 the works in Linz made 41,200 brakes, a tenth more than the year before.";
    let cases = [
        (original, original, true),
        (original, "IN 2024 THE WORKS IN LINZ MADE 41,200 BRAKES, A TENTH MORE THAN THE YEAR BEFORE", true),
        (
            original,
            "According to the company, in 2024 the works in Linz made 41,200 brakes, a tenth more.",
            true,
        ),
        (original, "The works in Linz made about a tenth more brakes in 2024: 41,200 in all.", false),
        (original, "In 2024 the works in Graz sold 39,000 pumps, a third less than two years before.", false),
        ("Acme makes brakes.", "Acme makes brakes.", false),
        (
            "Bremsen wurden 2024 in Linz gebaut, sagt das Werk – öfter als je.",
            "Bremsen wurden 2024 in Linz gebaut, sagt das Werk, ÖFTER als je!",
            true,
        ),
        ("", original, false),
    ];
    for (one, other, expected) in cases {
        assert_eq!(origins::is_copy(one, other), expected, "{one} / {other}");
        assert_eq!(origins::is_copy(other, one), expected, "{other} / {one}");
    }
}

#[test]
fn a_text_that_others_reprint_is_one_origin_and_an_independent_one_another() {
    let original = "In 2024 the works in Linz made 41,200 brakes, a tenth more than the year before.";
    let own = "Our visit in May showed that the line in Linz puts out some 41,200 brakes a year now.";
    let mut cited = claim(
        "The works in Linz made 41,200 brakes in 2024.",
        &["works.at", "daily.at", "mirror.org", "trade.org"],
    );
    for (citation, quote) in cited.citations.iter_mut().zip([original, original, original, own]) {
        citation.quote = quote.to_owned();
    }
    let mut graph = Graph::default();
    let mut counts = Vec::new();
    for count in 1..=4 {
        let mut some = cited.clone();
        some.citations.truncate(count);
        take(&mut graph, &format!("i{count}"), &found(vec![some]));
        let claim = graph.claims().next().unwrap();
        let (support, origins) = confidence::support(&graph, claim, &Requirements::default(), day(TODAY));
        counts.push((origins, support));
    }
    assert_eq!(counts.iter().map(|(origins, _)| *origins).collect::<Vec<_>>(), [1, 1, 1, 2]);
    assert!(
        counts.windows(2).all(|pair| pair[0].1 <= pair[1].1),
        "no citation takes support away: {counts:?}"
    );
}
