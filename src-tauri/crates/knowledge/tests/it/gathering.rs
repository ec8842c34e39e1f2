//! Gathering for research: a question, its queries and the places they name.

use std::fmt::Write as _;

use knowledge::{Base, Gather, Gathered, KnowledgeError, Query, SubQuery};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::dice::Dice;
use crate::{CORPUS, World};

fn sub(text: &str, targets: &[&str]) -> SubQuery {
    SubQuery { text: text.into(), targets: targets.iter().map(|&one| one.to_owned()).collect() }
}

fn asked(question: &str, queries: Vec<SubQuery>) -> Gather {
    Gather {
        question: question.into(),
        queries,
        limit: 24,
        top_k: 8,
        hop_depth: 1,
        hop_limit: 6,
        place_chars: 0,
    }
}

fn gathered(base: &Base, asked: &Gather) -> Gathered {
    base.gather(asked, &|_| None, &mut |_, _| Ok(())).unwrap()
}

fn ids(found: &Gathered) -> Vec<&str> {
    found.hits.iter().map(|one| one.hit.id.as_str()).collect()
}

/// Controls with guidance and with lists of what is examined, as catalogues have them.
fn controls() -> String {
    let words = ["gate", "lamp", "rope", "ledger", "crane", "berth", "mast", "toll", "stores", "pilot"];
    let mut dice = Dice(11);
    let mut rows = String::new();
    let mut row = |value: serde_json::Value| writeln!(rows, "{value}").unwrap();
    for family in ["HB", "QY", "TW"] {
        for number in 1..=12 {
            let mut some = || words[dice.below(words.len())];
            let id = format!("{family}-{number}");
            let (a, b, c, d) = (some(), some(), some(), some());
            let related = format!("{family}-{}", 1 + (number + 3) % 12);
            row(
                json!({ "id": id, "title": format!("Care of the {a}"), "kind": "control", "doc": "Harbour rules", "family": format!("{family} Rules of {family}"),
                        "text": format!("The keeper inspects the {a} and the {b} of {family} place {number} and writes down what is wrong with the {c}."),
                        "refs": [{ "to": related, "kind": "related" }] }),
            );
            row(
                json!({ "id": format!("{id}#D"), "title": format!("Care of the {a}"), "kind": "guidance", "tags": ["Guide 7"],
                        "text": format!("A {b} that is kept dry lasts; the {d} beside it is often forgotten in {family} place {number}."),
                        "refs": [{ "to": id, "kind": "discusses" }] }),
            );
            row(json!({ "id": format!("{id}#M"), "title": format!("Care of the {a}"), "kind": "assessment",
                        "text": format!("Examine: {a} records; {b} records; {c} records; {d} records. Interview: keeper of the {a}; keeper of the {b}. Test: care of the {a} {number} {family}."),
                        "refs": [{ "to": id, "kind": "assesses" }] }));
        }
    }
    rows
}

fn is_boilerplate(id: &str) -> bool {
    id.ends_with("#M")
}

#[test]
fn the_question_its_queries_and_named_places_all_have_their_paragraphs() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    let base = world.base();
    let queries = vec![
        sub("range of an estimate", &["ISA 540", "2.2"]),
        sub("journal entries, talking about fraud", &["(Primer 3.1)", "7.7", "Group work"]),
    ];
    let found = gathered(&base, &asked("How is materiality chosen?", queries));
    let ids = ids(&found);
    for wanted in ["2.1", "4.1", "2.2", "3.1", "3.2", "5.1"] {
        assert!(ids.contains(&wanted), "{wanted} of {ids:?}");
    }
    assert_eq!(found.missing, ["7.7"]);
    assert_eq!(
        found.searched,
        [
            "How is materiality chosen?",
            "range of an estimate",
            "journal entries, talking about fraud",
            "journal entries",
            "talking about fraud"
        ]
    );
    let named = found.hits.iter().find(|one| one.hit.id == "2.2").unwrap();
    assert!(named.wanted_by.contains(&"2.2".to_owned()), "{:?}", named.wanted_by);
}

#[test]
fn targets_are_ids_headings_families_tags_and_points() {
    let world = World::with(&[("controls.jsonl", &controls()), ("corpus.jsonl", CORPUS)]);
    let base = world.base();
    let first = |target: &str| -> Option<String> {
        let found = gathered(&base, &Gather { hop_depth: 0, ..asked("", vec![sub("", &[target])]) });
        found.hits.first().map(|one| one.hit.id.clone())
    };
    assert_eq!(first("HB-9").as_deref(), Some("HB-9"));
    assert_eq!(first("HB-09 Care of something").as_deref(), Some("HB-9"));
    assert_eq!(first("Control HB-9").as_deref(), Some("HB-9"));
    assert_eq!(first("HB-9(b)").as_deref(), Some("HB-9"));
    assert!(first("QY").is_some_and(|id| id.starts_with("QY-1")));
    assert!(first("Guide 7").is_some_and(|id| id.ends_with("#D")));
    assert!(first("Harbour rules").is_some());
    assert!(first("Rules of TW").is_some_and(|id| id.starts_with("TW-")));
    assert_eq!(first("5.2").as_deref(), Some("5.1"), "what is withdrawn went there");
    assert_eq!(first("HB-99"), None);
    assert_eq!(first("of the"), None);
    let both = gathered(&base, &asked("", vec![sub("", &["HB-2, TW-3 and QY-99"])]));
    assert!(ids(&both).contains(&"HB-2") && ids(&both).contains(&"TW-3"));
    assert_eq!(both.missing, ["QY-99"]);
}

#[test]
fn every_first_hit_and_every_named_place_has_a_seat() {
    let world = World::with(&[("controls.jsonl", &controls())]);
    let base = world.base();
    let words = [
        "gate",
        "lamp",
        "rope records",
        "ledger",
        "examine crane",
        "keeper of the berth",
        "mast",
        "dry stores",
    ];
    let mut dice = Dice(5);
    for round in 0..200 {
        let queries: Vec<SubQuery> = (0..1 + dice.below(6))
            .map(|_| {
                let mut some = || words[dice.below(words.len())];
                let text = format!("{} {}, {}", some(), some(), some());
                let targets = (0..dice.below(3)).map(|_| {
                    let family = ["HB", "QY", "TW", "ZZ"][dice.below(4)];
                    format!("{family}-{}", 1 + dice.below(14))
                });
                SubQuery { text, targets: targets.collect() }
            })
            .collect();
        let asked = Gather { limit: 40, hop_depth: round % 3, ..asked(words[round % words.len()], queries) };
        let found = gathered(&base, &asked);
        assert_eq!(found, gathered(&base, &asked), "the same twice");
        let ids = ids(&found);
        assert!(ids.len() <= asked.limit && found.left_out.is_empty(), "{:?}", found.left_out);
        let distinct: std::collections::BTreeSet<&&str> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len());
        let texts = asked.queries.iter().map(|query| &query.text).chain([&asked.question]);
        for text in texts {
            let query = Query { text: text.clone(), limit: 8, hops: 1, ..Query::default() };
            let first = &base.search(&query).unwrap()[0].id;
            assert!(ids.contains(&first.as_str()), "{first} is first for {text:?}");
        }
        for target in asked.queries.iter().flat_map(|query| &query.targets) {
            let exists = base.paragraph(target).is_ok();
            assert_eq!(ids.contains(&target.as_str()), exists, "{target}");
            assert_eq!(found.missing.contains(target), !exists, "{target}");
        }
        assert!(found.hits.is_sorted_by(|a, b| a.hit.score > b.hit.score));
        assert!((found.hits[0].hit.score - 1.0).abs() < 1e-9);
        let lower = ids.iter().position(|id| is_boilerplate(id)).unwrap_or(ids.len());
        assert!(ids[lower..].iter().all(|id| is_boilerplate(id)), "{ids:?}");
    }
}

#[test]
fn where_there_are_more_seats_than_room_it_says_who_stands() {
    let world = World::with(&[("controls.jsonl", &controls())]);
    let queries = vec![sub("gate", &["HB-1", "HB-2", "HB-3"]), sub("lamp", &["QY-1", "QY-2", "QY-3"])];
    let found = gathered(&world.base(), &Gather { limit: 5, ..asked("rope", queries) });
    assert_eq!(found.hits.len(), 5);
    assert!(!found.left_out.is_empty());
}

#[test]
fn a_caller_can_stop_between_searches() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    let mut stop = |done, _| if done == 1 { Err(KnowledgeError::Cancelled) } else { Ok(()) };
    let asked = asked("estimates", vec![sub("fraud", &[])]);
    let stopped = world.base().gather(&asked, &|_| None, &mut stop);
    assert!(matches!(stopped, Err(KnowledgeError::Cancelled)));
}

#[test]
fn what_only_leads_into_items_comes_with_them() {
    let row = |id: &str, text: &str| json!({ "id": id, "title": "Election", "text": text }).to_string();
    let rows = [
        row("501(c)", "The keeper may choose a survey of one crane if the following conditions are met:"),
        row("501(c)(1)", "The keeper works in a single harbour; and"),
        row("501(c)(2)", "No statute asks for more."),
        row("501(d)", "Ropes are stored dry."),
        row("501(e)", "Lamps are trimmed each evening by whoever has the watch."),
    ];
    let world = World::with(&[("harbour.jsonl", &rows.join("\n"))]);
    let base = world.base();
    let asked = Gather {
        limit: 4,
        top_k: 1,
        hop_depth: 0,
        ..self::asked("May the keeper choose a survey of one crane?", Vec::new())
    };
    assert_eq!(ids(&gathered(&base, &asked)), ["501(c)", "501(c)(1)", "501(c)(2)"]);
    // What does not lead into anything stands for itself.
    let asked =
        Gather { limit: 4, top_k: 1, hop_depth: 0, ..self::asked("Are ropes stored dry?", Vec::new()) };
    assert_eq!(ids(&gathered(&base, &asked)), ["501(d)"]);
}

/// A chapter of twelve paragraphs beside one of thirty.
fn chapters() -> String {
    let mut rows = String::new();
    for (chapter, count) in [("Keeping of ropes", 12), ("Lamps", 30)] {
        for number in 1..=count {
            let id = format!("{}{number}", &chapter[..1]);
            let text = format!(
                "Point {number} of {chapter} says what the keeper of berth {} does on day {number}.",
                number * 7
            );
            writeln!(rows, "{}", json!({ "id": id, "title": "", "path": [chapter], "text": text })).unwrap();
        }
    }
    rows
}

#[test]
fn a_named_heading_is_whole_as_far_as_the_room_for_it_reaches() {
    let world = World::with(&[("chapters.jsonl", &chapters())]);
    let base = world.base();
    let asked = |places: &[&str], place_chars| Gather {
        limit: 6,
        hop_depth: 0,
        place_chars,
        ..self::asked("What is done on day 9?", vec![sub("day 3", places)])
    };
    let of = |found: &Gathered, first: &str| ids(found).iter().filter(|id| id.starts_with(first)).count();
    let plain = gathered(&base, &asked(&["Keeping of ropes"], 0));
    assert_eq!(plain.hits.len(), 6);
    let whole = gathered(&base, &asked(&["Keeping of ropes"], 20_000));
    assert_eq!(of(&whole, "K"), 12, "{:?}", ids(&whole));
    assert!(whole.left_out.is_empty() && whole.hits.is_sorted_by(|a, b| a.hit.score > b.hit.score));
    let within = whole.hits.iter().filter(|one| one.place.is_none());
    assert_eq!(
        within.map(|one| one.hit.id.as_str()).collect::<std::collections::BTreeSet<_>>(),
        ids(&plain).into_iter().collect()
    );
    assert!(
        whole.hits.iter().filter_map(|one| one.place.as_deref()).all(|place| place == "Keeping of ropes")
    );
    // Where the room is too small for both, each has a part, and it is said.
    let cut = gathered(&base, &asked(&["Keeping of ropes", "Lamps"], 1_200));
    let more: usize = cut.hits.iter().filter(|one| one.place.is_some()).count();
    assert!((10..18).contains(&more) && of(&cut, "L") > 4 && of(&cut, "K") > 4, "{:?}", ids(&cut));
    assert!(cut.left_out.contains(&"Lamps".to_owned()), "{:?}", cut.left_out);
}
