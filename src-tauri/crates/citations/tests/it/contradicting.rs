//! How often true sentences give a candidate, and how often a sentence that was turned round does.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use citations::{ConflictKind, check_contradictions};
use knowledge::{Base, Query, ingest};

use crate::world::World;

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
    let months = ["January", "March", "June", "September", "December"];
    let number = |at: &usize| {
        words[*at].len() > 1
            && words.get(at + 1).is_none_or(|next| !months.contains(next))
            && words[*at].bytes().all(|byte| byte.is_ascii_digit())
            && (*at == 0 || !matches!(words[*at - 1], "ISA" | "ISQM" | "(see" | "IFRS" | "IAS"))
    };
    if let Some(at) = (0..words.len()).find(number) {
        found.push((ConflictKind::Number, changed(at, format!("{}7", words[at]))));
    }
    let unit = (1..words.len()).find_map(|at| {
        let other = match words[at] {
            "months" => "days",
            "years" => "months",
            "million" => "billion",
            "days" => "weeks",
            _ => return None,
        };
        words[at - 1].bytes().all(|byte| byte.is_ascii_digit() || byte == b'.').then_some((at, other))
    });
    if let Some((at, other)) = unit {
        found.push((ConflictKind::Unit, changed(at, other.to_owned())));
    }
    let bound = (1..words.len().saturating_sub(1)).find(|&at| {
        words[at] == "least" && words[at - 1] == "at" && words[at + 1].bytes().all(|b| b.is_ascii_digit())
    });
    if let Some(at) = bound {
        found.push((ConflictKind::Bound, changed(at, "most".to_owned())));
    }
    let date = (1..words.len())
        .find(|&at| months.contains(&words[at]) && words[at - 1].bytes().all(|b| b.is_ascii_digit()));
    if let Some(at) = date {
        found.push((ConflictKind::Date, changed(at, "October".to_owned())));
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

const KINDS: [ConflictKind; 6] = [
    ConflictKind::Number,
    ConflictKind::Unit,
    ConflictKind::Date,
    ConflictKind::Bound,
    ConflictKind::Modal,
    ConflictKind::Negation,
];

/// Sentences looked at, those of them that give a candidate though they are copies, and for each kind how many turned
/// sentences there were and how many were found.
struct Tally {
    sentences: usize,
    noisy: Vec<String>,
    seeded: [usize; KINDS.len()],
    found: [usize; KINDS.len()],
}

fn tally(base: &Base, every: usize, near: impl Fn(&Base, &str, &str) -> Vec<String>) -> Tally {
    let sentences = sentences(base);
    let mut tally =
        Tally { sentences: 0, noisy: Vec::new(), seeded: [0; KINDS.len()], found: [0; KINDS.len()] };
    for (id, sentence) in sentences.iter().step_by(every) {
        tally.sentences += 1;
        let ids = near(base, id, sentence);
        let candidates = check_contradictions(base, std::slice::from_ref(sentence), &ids).unwrap();
        if let Some(one) = candidates.first() {
            tally.noisy.push(format!(
                "{id} {sentence:?}\n   {:?} {} / {}: {} {:?}",
                one.kind, one.claimed, one.stated, one.paragraph_id, one.sentence
            ));
        }
        for (kind, claim) in turned(sentence) {
            let candidates = check_contradictions(base, &[claim], &ids).unwrap();
            let place = KINDS.iter().position(|one| *one == kind).unwrap();
            tally.seeded[place] += 1;
            tally.found[place] +=
                usize::from(candidates.iter().any(|one| one.paragraph_id == *id && one.kind == kind));
        }
    }
    tally
}

impl Tally {
    fn show(&self, name: &str) {
        println!("{name}: {} of {} true sentences give a candidate", self.noisy.len(), self.sentences);
        for one in self.noisy.iter().take(20) {
            println!("  {one}");
        }
        for (place, kind) in KINDS.iter().enumerate() {
            println!(
                "{name}: {kind:?}: {} of {} turned sentences found",
                self.found[place], self.seeded[place]
            );
        }
    }
}

#[test]
fn sentences_of_the_primer_give_few_candidates_and_turned_ones_are_found() {
    let world = World::new();
    let Some(base) = primer(&world) else {
        println!("skipped: the primer is not here");
        return;
    };
    let tally = tally(&base, 1, best);
    tally.show("primer");
    assert!(tally.noisy.len() * 100 < tally.sentences, "{} of {}", tally.noisy.len(), tally.sentences);
    for (place, kind) in KINDS.iter().enumerate() {
        let (found, seeded) = (tally.found[place], tally.seeded[place]);
        // Of a handful, one is a fifth.
        assert!(seeded < 10 || found * 100 >= seeded * 80, "{kind:?}: {found} of {seeded}");
    }
}

#[test]
fn copies_from_the_measuring_corpora_give_few_candidates_against_their_paragraph_and_what_it_refers_to() {
    let Some(folder) = std::env::var_os("AGENTNATIVE_CORPORA").map(PathBuf::from).filter(|f| f.is_dir())
    else {
        println!("skipped: no corpora folder");
        return;
    };
    for name in ["nist-800-53", "cfr-audit", "eu-ai-act"] {
        let world = World::new();
        let file = folder.join(format!("{name}.jsonl"));
        if !file.is_file() {
            println!("skipped: no {name}");
            continue;
        }
        ingest(&world.options(&file), &mut |_| {}, &AtomicBool::new(false)).unwrap();
        let base = Base::open(world.home.path(), "primer").unwrap();
        let own = tally(&base, 5, |_, id, _| vec![id.to_owned()]);
        own.show(&format!("{name}, own paragraph"));
        assert_eq!(own.noisy.len(), 0, "a copy contradicts nothing in its own paragraph");
        let linked = tally(&base, 5, |base, id, _| {
            let near = base.neighbours(id).unwrap_or_default();
            let near = near.into_iter().map(|link| link.id).take(PARAGRAPHS);
            std::iter::once(id.to_owned()).chain(near).collect()
        });
        linked.show(&format!("{name}, linked paragraphs"));
        assert!(linked.noisy.len() * 100 < linked.sentences, "{name}");
    }
}
