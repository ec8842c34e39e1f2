//! Search, links and lookup.

use knowledge::{Query, Tier, Via};
use pretty_assertions::assert_eq;

use crate::{CORPUS, World};

fn ids(base: &knowledge::Base, query: Query) -> Vec<String> {
    base.search(&query).unwrap().into_iter().map(|hit| hit.id).collect()
}

fn words(text: &str) -> Query {
    Query { text: text.into(), ..Query::default() }
}

#[test]
fn stems_find_their_words() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    assert_eq!(ids(&world.base(), words("overriding a control"))[0], "3.1");
}

#[test]
fn a_named_paragraph_comes_first_and_a_part_shows_its_whole() {
    let rows = r#"{"id":"AC-2","text":"a. Define accounts; b. Review them.","items":[{"id":"AC-2b","text":"Review them."}],"refs":[]}
{"id":"AC-2(1)","text":"Automate the management of accounts and review.","refs":[]}"#;
    let world = World::with(&[("c.jsonl", rows)]);
    let base = world.base();
    assert_eq!(ids(&base, words("what does AC-2(1) ask about accounts"))[0], "AC-2(1)");
    let hits = base.search(&words("AC-2b")).unwrap();
    assert_eq!((hits[0].id.as_str(), &hits[0].via), ("AC-2", &Via::Id));
    assert_eq!(base.paragraph("Control AC-2 (1)").unwrap().id, "AC-2(1)");
    assert_eq!(base.paragraph("ac-02(01)").unwrap().id, "AC-2(1)");
}

#[test]
fn withdrawn_paragraphs_are_found_only_when_asked_for() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    let base = world.base();
    assert!(!ids(&base, words("group work")).contains(&"5.2".to_owned()));
    assert!(ids(&base, Query { withdrawn: true, ..words("group work") }).contains(&"5.2".to_owned()));
    assert!(ids(&base, words("5.2")).contains(&"5.2".to_owned()));
}

#[test]
fn filters_and_limits_hold() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    let base = world.base();
    assert_eq!(
        ids(&base, Query { tiers: vec![Tier::Standard], ..words("materiality") }),
        Vec::<String>::new()
    );
    assert_eq!(ids(&base, Query { limit: 1, ..words("materiality") }).len(), 1);
    assert!(
        !ids(&base, Query { exclude: vec!["(Primer 2.1)".into()], ..words("materiality") })
            .contains(&"2.1".into())
    );
    for odd in ["", "   ", "the of and", "\" ( AND OR *:* ]", "\u{0}\u{1f4a5}"] {
        assert_eq!(ids(&base, words(odd)), Vec::<String>::new(), "{odd:?}");
    }
}

#[test]
fn equal_questions_get_equal_answers() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    let first = world.base().search(&Query { hops: 1, ..words("team risk meeting") }).unwrap();
    let again = World::with(&[("corpus.jsonl", CORPUS)]);
    assert_eq!(first, again.base().search(&Query { hops: 1, ..words("team risk meeting") }).unwrap());
}

#[test]
fn links_bring_in_paragraphs_without_the_words() {
    let rows = r#"{"id":"1","text":"Sampling of invoices","refs":["2"]}
{"id":"2","text":"Stratified selection","refs":[]}
{"id":"3","text":"Something else entirely","refs":[]}"#;
    let world = World::with(&[("c.jsonl", rows)]);
    let base = world.base();
    assert_eq!(ids(&base, words("sampling")), ["1"]);
    let hits = base.search(&Query { hops: 1, ..words("sampling") }).unwrap();
    assert_eq!(hits[1].via, Via::Link { from: "1".into(), kind: "refers".into() });
    assert_eq!(base.hop("2", 1, 10).unwrap()[0].id, "1");
}

#[test]
fn the_outline_counts_paragraphs_below_headings() {
    let world = World::with(&[(
        "m.md",
        "# Manual\n\n## 1.1 Scope\n\nAbout scope.\n\nMore scope.\n\n## 1.2 Words\n\nAbout words.\n",
    )]);
    let headings = world.base().outline("scope", 5).unwrap();
    assert_eq!((headings[0].paragraphs, headings[0].found), (2, 2));
}

#[test]
fn the_outline_names_the_most_frequent_tags_below_a_heading_first() {
    let row = |id: &str, tags: &str| {
        format!(
            r#"{{"id":"{id}","doc":"d","title":"Scope","text":"About scope {id}.","standards":[{tags}]}}"#
        )
    };
    let rows = [row("1", r#""B 2","A 1""#), row("2", r#""A 1","C 3","D 4""#), row("3", r#""E 5","F 6""#)];
    let world = World::with(&[("m.jsonl", &rows.join("\n"))]);
    let headings = world.base().outline("scope", 5).unwrap();
    assert_eq!(headings[0].standards, ["A 1", "B 2", "C 3", "D 4", "E 5"]);
}
