//! How often true sentences give a candidate, and how often a sentence that was turned round does.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use knowledge::verify::{ConflictKind, check_contradictions};
use knowledge::{Base, Query, ingest};

use crate::World;

const PARAGRAPHS: usize = 24;

fn primer(world: &World) -> Option<Base> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../sources/isa-knowledge-base/corpora/primer");
    if !folder.is_dir() {
        return None;
    }
    ingest(&world.options(&folder), &mut |_| {}, &AtomicBool::new(false)).unwrap();
    Some(Base::open(world.home.path(), "primer").unwrap())
}

/// The primer's sentences: a full stop, a blank and a capital letter part them.
fn sentences(base: &Base) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for paragraph in base.paragraphs() {
        let mut start = 0;
        for (at, _) in paragraph.text.match_indices(". ") {
            if paragraph.text[at + 2..].starts_with(char::is_uppercase) {
                found.push((paragraph.id.clone(), paragraph.text[start..=at].to_owned()));
                start = at + 2;
            }
        }
        found.push((paragraph.id.clone(), paragraph.text[start..].to_owned()));
    }
    found
}

/// The best paragraphs for a sentence, its own among them.
fn best(base: &Base, id: &str, sentence: &str) -> Vec<String> {
    let query = Query { text: sentence.to_owned(), limit: PARAGRAPHS, ..Query::default() };
    let mut ids: Vec<String> = base.search(&query).unwrap().into_iter().map(|hit| hit.id).collect();
    if !ids.iter().any(|one| one == id) {
        ids.push(id.to_owned());
    }
    ids
}

fn turned(sentence: &str) -> Vec<(ConflictKind, String)> {
    let words: Vec<&str> = sentence.split(' ').collect();
    let changed = |at: usize, word: String| {
        let mut words: Vec<String> = words.iter().map(|&one| one.to_owned()).collect();
        words[at] = word;
        words.retain(|word| !word.is_empty());
        words.join(" ")
    };
    let mut found = Vec::new();
    let number = |at: &usize| {
        words[*at].len() > 1
            && words[*at].bytes().all(|byte| byte.is_ascii_digit())
            && (*at == 0 || !matches!(words[*at - 1], "ISA" | "ISQM" | "(see" | "IFRS" | "IAS"))
    };
    if let Some(at) = (0..words.len()).find(number) {
        found.push((ConflictKind::Number, changed(at, format!("{}7", words[at]))));
    }
    let modals = [("must", "may"), ("shall", "may"), ("should", "must"), ("may", "must"), ("can", "should")];
    let modal = (0..words.len())
        .find_map(|at| modals.iter().find(|pair| pair.0 == words[at]).map(|pair| (at, pair.1)));
    if let Some((at, other)) = modal {
        found.push((ConflictKind::Modal, changed(at, other.to_owned())));
    }
    let negation = (0..words.len()).find(|&at| words[at] == "not" || words[at] == "never");
    let verb = (0..words.len()).find(|&at| {
        matches!(
            words[at],
            "is" | "are" | "must" | "should" | "may" | "can" | "has" | "have" | "will" | "does"
        )
    });
    match (negation, verb) {
        (Some(at), _) => found.push((ConflictKind::Negation, changed(at, String::new()))),
        (None, Some(at)) => found.push((ConflictKind::Negation, changed(at, format!("{} not", words[at])))),
        (None, None) => {}
    }
    found
}

#[test]
fn sentences_of_the_primer_give_few_candidates_and_turned_ones_are_found() {
    let world = World::new();
    let Some(base) = primer(&world) else {
        println!("skipped: the primer is not here");
        return;
    };
    let sentences = sentences(&base);
    let mut noisy = Vec::new();
    let (mut seeded, mut found) = ([0_usize; 3], [0_usize; 3]);
    for (id, sentence) in &sentences {
        let ids = best(&base, id, sentence);
        let candidates = check_contradictions(&base, std::slice::from_ref(sentence), &ids).unwrap();
        if let Some(one) = candidates.first() {
            noisy.push(format!(
                "{id} {sentence:?}\n   {:?} {} / {}: {} {:?}",
                one.kind, one.claimed, one.stated, one.paragraph_id, one.sentence
            ));
        }
        for (kind, claim) in turned(sentence) {
            let candidates = check_contradictions(&base, &[claim], &ids).unwrap();
            let place = kind as usize;
            seeded[place] += 1;
            found[place] +=
                usize::from(candidates.iter().any(|one| one.paragraph_id == *id && one.kind == kind));
        }
    }
    println!("{} of {} true sentences give a candidate", noisy.len(), sentences.len());
    for one in &noisy {
        println!("  {one}");
    }
    let names = ["number", "modal", "negation"];
    for place in 0..3 {
        println!("{}: {} of {} turned sentences found", names[place], found[place], seeded[place]);
    }
    assert!(noisy.len() * 100 < sentences.len(), "{} of {}", noisy.len(), sentences.len());
    for place in 0..3 {
        assert!(
            found[place] * 100 >= seeded[place] * 80,
            "{}: {} of {}",
            names[place],
            found[place],
            seeded[place]
        );
    }
}
