//! Search, links and lookup.

use std::sync::atomic::AtomicBool;

use knowledge::{Base, Filter, HitOrigin, Query, Tier, ingest, search_many};
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
    assert_eq!((hits[0].id.as_str(), &hits[0].via), ("AC-2", &HitOrigin::Id));
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
    assert_eq!(hits[1].via, HitOrigin::Link { from: "1".into(), kind: "refers".into() });
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

fn rows_of(texts: &[(&str, &str, &str)]) -> String {
    let row =
        |(id, more, text): &(&str, &str, &str)| format!(r#"{{"id":"{id}",{more}"text":"{text}","refs":[]}}"#);
    texts.iter().map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_filter_lets_through_what_is_one_of_each_list() {
    let rows = rows_of(&[
        ("4.1", r#""doc":"A","kind":"rule","standards":["X"],"path":["Part One"],"#, "Seals on every box"),
        (
            "4.1(2)",
            r#""doc":"A","kind":"note","standards":["X","Y"],"title":"Sealing","#,
            "Seals on every jar",
        ),
        ("4.12", r#""doc":"B","kind":"rule","standards":["Y"],"#, "Seals on every door"),
    ]);
    let world = World::with(&[("c.jsonl", &rows)]);
    let base = world.base();
    let found = |filter: Filter| {
        let mut ids = ids(&base, Query { filter, ..words("seals") });
        ids.sort();
        ids
    };
    let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert_eq!(found(Filter::default()).len(), 3);
    assert_eq!(found(Filter { docs: list(&["B"]), ..Filter::default() }), ["4.12"]);
    assert_eq!(found(Filter { kinds: list(&["rule"]), ..Filter::default() }), ["4.1", "4.12"]);
    assert_eq!(found(Filter { tags: list(&["Y", "Z"]), ..Filter::default() }), ["4.1(2)", "4.12"]);
    assert_eq!(found(Filter { under: list(&["4.1"]), ..Filter::default() }), ["4.1", "4.1(2)"]);
    assert_eq!(
        found(Filter { under: list(&["part one", "sealing"]), ..Filter::default() }),
        ["4.1", "4.1(2)"]
    );
    assert_eq!(found(Filter { docs: list(&["A"]), kinds: list(&["note"]), ..Filter::default() }), ["4.1(2)"]);
    assert_eq!(found(Filter { docs: list(&["none"]), ..Filter::default() }), Vec::<String>::new());
}

#[test]
fn pages_follow_each_other_without_a_gap() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    let base = world.base();
    let all = base.search(&Query { limit: 100, ..words("team work risk materiality auditor") }).unwrap();
    assert!(all.len() > 5, "{}", all.len());
    let pages = (0..all.len()).step_by(2).flat_map(|offset| {
        base.search(&Query { offset, limit: 2, ..words("team work risk materiality auditor") }).unwrap()
    });
    assert_eq!(pages.collect::<Vec<_>>(), all);
}

#[test]
fn a_hit_says_what_its_score_is_made_of() {
    let rows = r#"{"id":"1","text":"Sampling of invoices","refs":["2"]}
{"id":"2","text":"Stratified selection of invoices","refs":[]}
{"id":"3","text":"Something else entirely","refs":[]}"#;
    let world = World::with(&[("c.jsonl", rows)]);
    let hits = world.base().search(&Query { hops: 1, ..words("sampling an Invoice") }).unwrap();
    let why = &hits[0].why;
    let terms: Vec<&str> = why.words.iter().map(|one| one.term.as_str()).collect();
    assert_eq!((terms, why.words_rank), (vec!["sampling", "Invoice"], Some(1)));
    let sum: f64 = why.words.iter().map(|one| one.share).sum();
    assert!((sum - why.words_score).abs() < 1e-5, "{sum} {}", why.words_score);
    assert_eq!(hits[1].why.path[0].from, "1");
    let gained = hits[1].score - hits[1].why.words_score / why.words_score;
    assert!((gained - hits[1].why.path[0].gain).abs() < 1e-5, "{hits:?}");
}

#[test]
fn a_near_copy_is_named_behind_its_original_unless_it_is_what_counts() {
    let text = "The keeper shall enter every change in the register within 10 days and tell the owner of it";
    let rows = rows_of(&[
        ("1", "", text),
        ("2", "", &format!("{text}.")),
        ("3", "", &text.replace("10", "30")),
        ("4", r#""withdrawn":true,"#, &format!("{text};")),
    ]);
    let world = World::with(&[("c.jsonl", &rows)]);
    let base = world.base();
    let hits = base.search(&words("enter every change in the register")).unwrap();
    let seen: Vec<(&str, &[String])> =
        hits.iter().map(|hit| (hit.id.as_str(), hit.why.duplicates.as_slice())).collect();
    assert_eq!(seen, [("1", &["2".to_owned()][..]), ("3", &[])]);
    assert_eq!(ids(&base, Query { exclude: vec!["1".into()], ..words("register change") }), ["2", "3"]);
}

#[test]
fn several_bases_are_searched_as_if_they_were_one() {
    let rare = rows_of(&[("1", "", "A ledger of boxes"), ("2", "", "Boxes and more boxes")]);
    let common =
        rows_of(&[("1", "", "Ledger of jars"), ("2", "", "Ledger of doors"), ("3", "", "A ledger of boxes")]);
    let (first, second) = (World::with(&[("a.jsonl", &rare)]), World::with(&[("b.jsonl", &common)]));
    let mut standard = second.options(second.sources.path());
    standard.tier = Tier::Standard;
    ingest(&standard, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    let bases = [first.base(), Base::open(second.home.path(), "primer").unwrap()];
    let found = search_many(&[&bases[0], &bases[1]], &words("ledger of boxes")).unwrap();
    let seen: Vec<(usize, &str)> = found.iter().map(|(base, hit)| (*base, hit.id.as_str())).collect();
    // The same words in a standard come first, and the copy in the primer is only named.
    assert_eq!(seen[0], (1, "3"));
    assert_eq!(found[0].1.why.duplicates, ["1"]);
    assert!(seen.contains(&(0, "2")) && !seen.contains(&(0, "1")), "{seen:?}");
    let tiers = Query { tiers: vec![Tier::Primer], ..words("ledger of boxes") };
    assert!(search_many(&[&bases[0], &bases[1]], &tiers).unwrap().iter().all(|(base, _)| *base == 0));
}

#[test]
fn a_part_reached_over_a_link_is_shown_as_its_whole() {
    let rows = r#"{"id":"1","text":"Sampling of invoices","refs":["2a"]}
{"id":"2","text":"a. Strata","items":[{"id":"2a","text":"Strata"}],"refs":[]}"#;
    let world = World::with(&[("c.jsonl", rows)]);
    assert_eq!(ids(&world.base(), Query { hops: 1, ..words("sampling") }), ["1", "2"]);
}
