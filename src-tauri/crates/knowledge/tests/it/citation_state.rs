//! What became of cited paragraphs in a later generation.

use domain::{Digest, SentenceRecord};
use knowledge::{Base, CitationState, citation_checks};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::{CORPUS, World};

/// A record that cites a paragraph of the present generation, with words of it.
fn citing(base: &Base, n: usize, id: &str, quote: &str) -> SentenceRecord {
    let text = &base.paragraph(id).unwrap().text;
    serde_json::from_value(json!({
        "n": n, "sentence": format!("Sentence {n} ({id})."), "claim": format!("Sentence {n}."),
        "citations": [{
            "source_ref": format!("Primer {id}"), "base": "primer", "generation": base.manifest().generation,
            "paragraph_id": id, "paragraph_sha256": Digest::of(text), "quote": quote, "verdict": "unverified",
            "method": "lookup", "reason": "r",
        }],
        "verdict": "unverified", "proof": "none", "method": "no-model", "reason": "r",
    }))
    .unwrap()
}

fn later(world: &World, records: &[SentenceRecord]) -> Vec<(usize, CitationState)> {
    let found =
        citation_checks(records, |name| Base::open(world.home.path(), name).ok().map(std::sync::Arc::new));
    found.into_iter().map(|one| (one.n, one.standing)).collect()
}

#[test]
fn a_paragraph_is_the_same_moved_changed_withdrawn_or_missing_after_an_ingest() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    let base = world.base();
    let records = [
        citing(&base, 1, "1.1", ""),
        citing(&base, 2, "1.2", ""),
        citing(&base, 3, "2.1", "1 percent of revenue"),
        citing(&base, 4, "2.2", "between 50 and 75 percent"),
        citing(&base, 5, "3.1", ""),
        citing(&base, 6, "3.2", ""),
    ];
    assert!(later(&world, &records).iter().all(|(_, standing)| *standing == CitationState::Same));

    let changed = CORPUS
        .replace(r#"{"id":"1.2""#, r#"{"id":"9.9""#)
        .replace("5 percent of profit", "6 percent of profit")
        .replace("between 50 and 75 percent", "between 40 and 75 percent")
        .replace(r#"{"id":"3.1""#, r#"{"id":"3.1","withdrawn":true"#);
    let kept: Vec<&str> = changed.lines().filter(|line| !line.starts_with(r#"{"id":"3.2""#)).collect();
    world.write("corpus.jsonl", kept.join("\n").as_bytes());
    world.ingest();
    assert_eq!(
        later(&world, &records),
        [
            (1, CitationState::Same),
            (2, CitationState::Moved { to: "9.9".to_owned() }),
            (3, CitationState::Changed { quote_stands: true }),
            (4, CitationState::Changed { quote_stands: false }),
            (5, CitationState::Withdrawn),
            (6, CitationState::Missing),
        ]
    );
    let holding: Vec<bool> = later(&world, &records).iter().map(|(_, standing)| standing.holds()).collect();
    assert_eq!(holding, [true, true, false, false, false, false]);

    knowledge::remove_base(world.home.path(), "primer").unwrap();
    assert!(later(&world, &records).iter().all(|(_, standing)| *standing == CitationState::NoBase));
}

#[test]
fn what_became_of_a_paragraph_is_said_once_for_a_sentence_that_cites_it_several_times() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    let base = world.base();
    let mut twice = citing(&base, 1, "2.2", "between 50 and 75 percent");
    twice.citations.extend(twice.citations.clone());
    let records = [twice, citing(&base, 2, "2.2", "between 50 and 75 percent")];
    let changed = CORPUS.replace("between 50 and 75 percent", "between 40 and 75 percent");
    world.write("corpus.jsonl", changed.as_bytes());
    world.ingest();
    let gone = CitationState::Changed { quote_stands: false };
    assert_eq!(later(&world, &records), [(1, gone.clone()), (2, gone)]);
}
