//! The detector of contradictions over pairs written for it, scored by kind.

use std::collections::BTreeSet;

use domain::SentenceVerdict;
use evidence_graph::analysis::contradictions;
use evidence_graph::{Change, ConflictKind, Graph, Statement, ValueQuestion, integrate};
use pretty_assertions::assert_eq;

use crate::rig::{about, answering, ask, checked, claim, found, take};

/// Pairs that contradict each other.
const CONTRADICTING: [(&str, &str, ConflictKind); 28] = [
    ("Acme employs 50 people.", "Acme employs about 60 people.", ConflictKind::Number),
    (
        "The plant produced 1,200 tonnes of steel in 2024.",
        "In 2024 the plant produced 1,500 tonnes of steel.",
        ConflictKind::Number,
    ),
    (
        "Acme reported a revenue of $5.2 million for 2023.",
        "For 2023 Acme reported revenue of $6.1 million.",
        ConflictKind::Number,
    ),
    ("The market grew by 12 % a year.", "The market grew by 7 percent a year.", ConflictKind::Number),
    ("The trial had 340 participants.", "The trial had 430 participants.", ConflictKind::Number),
    (
        "The bridge has a length of 3 kilometres.",
        "The bridge has a length of 5 kilometres.",
        ConflictKind::Number,
    ),
    ("Backups are kept for at least 90 days.", "Backups are kept for 30 days.", ConflictKind::Number),
    ("Backups are kept for 12 months.", "Backups are kept for 12 weeks.", ConflictKind::Unit),
    ("The contract is worth $5 million.", "The contract is worth €5 million.", ConflictKind::Unit),
    ("The session expires after 30 minutes.", "The session expires after 30 hours.", ConflictKind::Unit),
    ("Passwords have at least 12 characters.", "Passwords have at most 12 characters.", ConflictKind::Bound),
    ("The pressure is more than 3 bar.", "The pressure is less than 3 bar.", ConflictKind::Bound),
    (
        "The town hall of Brno was opened in 1856.",
        "The town hall of Brno was opened in 1900.",
        ConflictKind::Date,
    ),
    (
        "Marcus Dods (1786-1838) was a minister.",
        "Marcus Dods (1850-1838) was a minister.",
        ConflictKind::Date,
    ),
    ("The treaty was signed on 3 May 1990.", "The treaty was signed on 4 May 1990.", ConflictKind::Date),
    (
        "The regulation applies from 2 August 2026.",
        "The regulation applies from 2 August 2027.",
        ConflictKind::Date,
    ),
    (
        "The auditor must report fraud to the board.",
        "The auditor may report fraud to the board.",
        ConflictKind::Modal,
    ),
    ("Logs should be reviewed weekly.", "Logs must be reviewed weekly.", ConflictKind::Modal),
    ("Providers are required to keep records.", "Providers can keep records.", ConflictKind::Modal),
    ("The drug reduces blood pressure.", "The drug does not reduce blood pressure.", ConflictKind::Negation),
    ("Acme owns the patent.", "Acme never owned the patent.", ConflictKind::Negation),
    ("Members may vote by mail.", "Members may not vote by mail.", ConflictKind::Negation),
    (
        "Exports of steel increased in the second quarter.",
        "Exports of steel decreased in the second quarter.",
        ConflictKind::Negation,
    ),
    (
        "The committee approved the merger plan.",
        "The merger plan was rejected by the committee.",
        ConflictKind::Negation,
    ),
    (
        "Most suppliers of Acme passed the audit.",
        "Few suppliers of Acme passed the audit.",
        ConflictKind::Negation,
    ),
    (
        "The chief engineer Ada Byron was born in London.",
        "The chief engineer Ada Byron was born in Paris.",
        ConflictKind::Name,
    ),
    (
        "Acme moved its head office to Oslo in 2019.",
        "Acme moved its head office to Bergen in 2019.",
        ConflictKind::Name,
    ),
    (
        "The film was directed by Jane Roe for Ember.",
        "The film was directed by John Doe for Ember.",
        ConflictKind::Name,
    ),
];

/// Pairs that don't.
const COMPATIBLE: [(&str, &str); 31] = [
    ("Acme employs 50 people.", "Bolt employs 60 people."),
    ("Acme employs 50 people in Oslo.", "Acme employs 60 people in Bergen."),
    ("Acme reported a revenue of $5 million for 2023.", "Acme reported a revenue of $6 million for 2024."),
    ("Acme reported a revenue of $5 million.", "Acme paid a fine of $3 million."),
    ("Acme reported a revenue of $12.4 million.", "Acme reported a revenue of $12,412,000."),
    ("The market grew by 12 % in Norway.", "The market grew by 7 % in Sweden."),
    ("The trial had 340 participants.", "The trial lasted 24 weeks."),
    ("Backups are kept for at least 90 days.", "Backups are kept for 120 days."),
    ("The town hall was opened in May 1856.", "The town hall was opened in 1856."),
    ("The town hall was opened in 1856.", "The station was opened in 1900."),
    ("The treaty was signed in 1990.", "The treaty was ended in 2001."),
    ("The cathedral of Kalamazoo was built in 1856.", "The cathedral of Tucson was built in 1900."),
    ("The auditor must report fraud.", "The auditor may resign."),
    ("Article 6 requires 12 records.", "Article 7 requires 15 records."),
    ("The auditor must not report fraud.", "The auditor may not report fraud."),
    ("Acme owns the patent.", "Bolt does not own the patent."),
    ("The drug reduces blood pressure.", "The device does not raise blood sugar."),
    ("Ada Byron was born in London.", "Grace Hopper was born in Paris."),
    ("Acme supplies Bolt with brakes.", "Core supplies Bolt with nuts."),
    (
        "The partner is responsible for the direction and review of component auditors (see 2.9).",
        "Where component auditors are used, the partner plans their direction and review early (see 14.3).",
    ),
    ("Exports increased while imports decreased.", "Imports decreased while exports increased."),
    ("The drug lowers blood pressure.", "The drug does not raise blood pressure."),
    ("The revenue of Acme increased in 2023.", "The revenue of Acme decreased in 2024."),
    ("The fund supports public hospitals in Oslo.", "The fund supports private schools in Oslo."),
    ("Acme has 3 plants and 50 people.", "Acme has 50 people and 3 plants."),
    ("No more than 5 people may enter.", "At most 5 people may enter."),
    ("The 2010 census counted 428 people.", "The 2000 census counted 390 people."),
    ("The fund holds shares of Acme.", "The fund holds shares of Bolt."),
    ("The fee is five dollars.", "The fee is $5."),
    ("Version 2 has 14 modules.", "Version 3 has 17 modules."),
    ("In 2020 the fund held 40 companies.", "In 2022 the fund held 55 companies."),
];

fn found_kind(first: &str, second: &str, entities: &[&[&str]; 2]) -> Option<ConflictKind> {
    let claims =
        vec![about(entities[0], claim(first, &["a.org"])), about(entities[1], claim(second, &["b.org"]))];
    let findings = found(claims);
    let mut graph = Graph::default();
    let context = checked("i1", &findings, SentenceVerdict::Verified);
    graph.apply(&integrate(&graph, &findings, &context).changes).unwrap();
    contradictions::changes(&graph).into_iter().find_map(|change| match change {
        Change::ContradictionFound { contradiction } => Some(contradiction.kind),
        _ => None,
    })
}

#[test]
fn contradictions_are_found_and_compatible_pairs_are_left_alone() {
    let none: [&[&str]; 2] = [&[], &[]];
    let (mut hits, mut kinds, mut false_alarms) = (0, 0, 0);
    for (first, second, kind) in CONTRADICTING {
        let found = found_kind(first, second, &none);
        hits += usize::from(found.is_some());
        kinds += usize::from(found == Some(kind));
        if found != Some(kind) {
            println!("{found:?}, not {kind:?}: {first} / {second}");
        }
    }
    for (first, second) in COMPATIBLE {
        if let Some(found) = found_kind(first, second, &none) {
            false_alarms += 1;
            println!("false {found:?}: {first} / {second}");
        }
    }
    let (all, free) = (CONTRADICTING.len(), COMPATIBLE.len());
    println!(
        "{hits} of {all} found, {kinds} with their kind; {false_alarms} of {free} false alarms; always: balanced accuracy 0.500"
    );
    assert!(hits * 100 >= all * 95 && kinds * 100 >= all * 90 && false_alarms == 0);
}

#[test]
fn claims_about_different_entities_are_no_pair() {
    let (first, second) = ("The company employs 50 people.", "The company employs 60 people.");
    assert_eq!(found_kind(first, second, &[&["Acme"], &["Acme", "Bolt"]]), Some(ConflictKind::Number));
    assert_eq!(found_kind(first, second, &[&["Acme"], &["Bolt"]]), None);
}

#[test]
fn claims_that_answer_one_question_with_other_values_are_a_pair() {
    // What one names and the other does not would keep them apart.
    let texts = [
        ("Acme was founded by Ada Roe in 1952.", "a.org"),
        ("Acme was established in Brno in 1961.", "b.org"),
    ];
    for (question, kind) in
        [("When was Acme founded?", Some(ConflictKind::Date)), ("What is known of Acme?", None)]
    {
        let mut graph = Graph::default();
        ask(&mut graph, question, None);
        let claims = texts.map(|(text, host)| answering(question, claim(text, &[host])));
        take(&mut graph, "i1", &found(claims.to_vec()));
        assert!(graph.claims().all(|claim| claim.answers.len() == 1));
        let found = contradictions::changes(&graph).into_iter().find_map(|change| match change {
            Change::ContradictionFound { contradiction } => Some(contradiction.kind),
            _ => None,
        });
        assert_eq!(found, kind, "{question}");
    }
}

/// What two answers to a question differ in.
fn answered(question: &str, first: &str, second: &str) -> Option<ConflictKind> {
    let question = ValueQuestion::parse(question)?;
    let read = |text: &str| vec![Statement::of(text)];
    question.difference(&read(first), &read(second), &BTreeSet::new()).map(|difference| difference.kind)
}

#[test]
fn two_answers_to_one_question_differ_in_what_it_asks_for() {
    let opened = "When was the town hall of Brno opened?";
    let (early, late) =
        ("The town hall of Brno was opened in 1856 by Ada Roe.", "Jane Doe opened Brno's town hall in 1900.");
    assert_eq!(answered(opened, early, late), Some(ConflictKind::Date));
    assert_eq!(answered(opened, early, "In 1856 the town hall of Brno was opened to all."), None);
    let built = "When was the mill of Ostrava built?";
    let (one, other) =
        ("The mill of Ostrava was constructed in 1802.", "Ostrava had its mill completed in 1899.");
    assert_eq!(answered(built, one, other), Some(ConflictKind::Date));
    let many = "How many people does Acme employ?";
    assert_eq!(
        answered(many, "Acme employs 50 people.", "The people whom Acme employs are 60."),
        Some(ConflictKind::Number)
    );
    let who = "Who directed the film Ember?";
    let (jane, john) = ("The film Ember was directed by Jane Roe.", "John Doe directed the film Ember.");
    assert_eq!(answered(who, jane, &format!("Yes: {john}")), Some(ConflictKind::Name));
    assert_eq!(answered(who, jane, "The film Ember, which Jane Roe directed, was shown in Oslo."), None);
}

#[test]
fn another_thing_another_matter_or_a_question_with_many_answers_is_no_difference() {
    let opened = "When was the town hall of Brno opened?";
    let brno = "The town hall of Brno was opened in 1856.";
    assert_eq!(answered(opened, brno, "The town hall of Ostrava was opened in 1900."), None);
    assert_eq!(answered(opened, brno, "The library of Brno was founded in 1900."), None);
    let many = "How many people does Acme employ?";
    let oslo = "Acme employs 50 people in Oslo.";
    assert_eq!(answered(many, oslo, "Acme employs 60 people in Bergen."), None);
    assert_eq!(answered(many, "In 2020 Acme employed 50 people.", "In 2024 Acme employed 60 people."), None);
    for many in
        ["Which companies supply Acme?", "What are the risks of Acme?", "Who are the suppliers of Acme?"]
    {
        assert!(ValueQuestion::parse(many).is_none(), "{many}");
    }
}

#[test]
fn long_sentences_that_read_the_same_but_for_a_value_differ_in_it() {
    let genre = "What sport does the club of Vestri play?";
    let says = |sport: &str| {
        format!(
            "In its second season the old club from the northern harbour town joined the national {sport} league with few players."
        )
    };
    assert_eq!(answered(genre, &says("Football"), &says("Basketball")), Some(ConflictKind::Name));
    assert_eq!(answered(genre, &says("Football"), &says("Football")), None);
    assert_eq!(answered("Which clubs joined?", &says("Football"), &says("Basketball")), None);
    assert_eq!(answered(genre, "The club plays Football.", "The club plays Basketball."), None);
}
