//! Statements with a seeded falsehood and a true quote beside them: what becomes of each kind, without a judge and with one
//! that errs. `cargo test -p citations --test it seeded -- --nocapture` prints the table.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use citations::{Cited, Sentence, check_answer};
use domain::{Finding, SentenceVerdict};
use knowledge::{Base, IngestOptions, ingest};

use crate::dice::Dice;
use crate::world::World;

/// How many of each kind are tried in a base.
const EACH: usize = 40;

/// A true sentence of a paragraph turned into a false one; `None` where it has nothing of that kind.
type Seed = fn(&str, &mut Dice) -> Option<String>;

const KINDS: [(&str, Seed); 8] = [
    ("number", |text, _| {
        replaced(
            text,
            &[("two", "four"), ("three", "nine"), ("5", "8"), ("12", "18"), ("30", "90"), ("10", "40")],
        )
    }),
    ("unit", |text, _| {
        replaced(text, &[("days", "months"), ("months", "years"), ("years", "months"), ("hours", "days")])
    }),
    ("ordinal", |text, _| replaced(text, &[("second", "fifth"), ("third", "sixth"), ("fourth", "second")])),
    ("modal", |text, _| {
        replaced(text, &[("must", "may"), ("shall", "may"), ("should", "may"), ("may", "must")])
    }),
    ("negation", |text, _| {
        replaced(text, &[("is", "is not"), ("are", "are not"), ("not", ""), ("never", "always")])
    }),
    ("quantifier", |text, _| {
        replaced(
            text,
            &[
                ("some", "all"),
                ("usually", "always"),
                ("often", "always"),
                ("rarely", ""),
                ("only", ""),
                ("all", "some"),
            ],
        )
    }),
    ("wrong standard", |text, _| Some(format!("ISA 999 requires that {}", lowered(text)))),
    ("over-reach", |text, _| {
        Some(format!("{}, in every case and without exception", text.trim_end_matches('.')))
    }),
];

/// The primer, and each of the measuring corpora where AGENTNATIVE_CORPORA names their folder.
fn bases() -> Vec<(String, World, Base)> {
    let primer =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../sources/isa-knowledge-base/corpora/primer");
    let folder = std::env::var_os("AGENTNATIVE_CORPORA").map(PathBuf::from);
    let files = folder.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    let files =
        files.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let mut sources: Vec<PathBuf> = files.collect();
    sources.sort();
    sources.insert(0, primer);
    sources
        .into_iter()
        .filter(|source| source.exists())
        .map(|source| {
            let world = World::new();
            let options = IngestOptions { sources: vec![source.clone()], ..world.options(&source) };
            ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
            let base = Base::open(world.home.path(), "primer").unwrap();
            let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            (name, world, base)
        })
        .collect()
}

fn lowered(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// The first of the words that stands in the text, replaced once.
fn replaced(text: &str, pairs: &[(&str, &str)]) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    for (old, new) in pairs {
        let Some(at) = words.iter().position(|word| word == old) else { continue };
        let mut words = words.clone();
        words[at] = new;
        words.retain(|word| !word.is_empty());
        return Some(words.join(" "));
    }
    None
}

/// Sentences of a base with the paragraph that each stands in.
fn sentences(base: &Base) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for paragraph in base.paragraphs().iter().filter(|one| !one.withdrawn && one.part_of.is_none()) {
        for sentence in paragraph.text.split_inclusive(". ") {
            let sentence = sentence.trim();
            let words = sentence.split_whitespace().count();
            if (8..=40).contains(&words) && sentence.ends_with('.') && !sentence.contains('\n') {
                all.push((paragraph.id.clone(), sentence.to_owned()));
            }
        }
    }
    all
}

#[test]
fn no_seeded_falsehood_is_shown_as_more_than_unverified_without_a_judge() {
    for (name, _world, base) in bases() {
        let mut table: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
        let all = sentences(&base);
        let mut dice = Dice(7);
        for (kind, seed) in KINDS {
            let mut tried = 0;
            let start = dice.below(all.len());
            for (id, sentence) in all.iter().cycle().skip(start).take(all.len()) {
                if tried == EACH {
                    break;
                }
                let Some(false_one) = seed(sentence, &mut dice).filter(|one| one != sentence) else {
                    continue;
                };
                tried += 1;
                let statement = Sentence {
                    text: format!("{false_one} ({id})"),
                    claim: false_one.clone(),
                    citations: vec![Cited {
                        source_ref: id.clone(),
                        quote: sentence.clone(),
                        paragraph_id: Some(id.clone()),
                    }],
                    elsewhere: false,
                };
                let mut record = check_answer(&[&base], &[statement], &[]).unwrap().records.remove(0);
                let row = table.entry(kind).or_default();
                row.0 += 1;
                assert!(
                    !matches!(record.verdict, SentenceVerdict::Verified | SentenceVerdict::JudgedSupported),
                    "{name}, {kind}: {false_one:?} is {:?}, {}",
                    record.verdict,
                    record.reason
                );
                if record.verdict != SentenceVerdict::Unverified || !record.conflicts.is_empty() {
                    row.1 += 1;
                }
                // A judge that is wrong about this very statement.
                record.take_judgement("wrong", Finding::Entailed, "it says so");
                if record.verdict == SentenceVerdict::JudgedSupported {
                    row.2 += 1;
                }
            }
        }
        println!("{name}: {} sentences", all.len());
        for (kind, (tried, flagged, cleared)) in &table {
            println!(
                "  {kind:15} {tried:3} tried, {flagged:3} flagged by code; shown as supported by a judge that errs at 5 % {:.1} %, at 10 % {:.1} %",
                5.0 * *cleared as f64 / *tried as f64,
                10.0 * *cleared as f64 / *tried as f64
            );
        }
    }
}

#[test]
fn true_sentences_in_their_own_words_are_not_flagged() {
    for (name, _world, base) in bases() {
        let (mut tried, mut flagged, mut verified) = (0, Vec::new(), 0);
        for (id, sentence) in sentences(&base).into_iter().take(2_000) {
            let statement = Sentence {
                text: format!("{sentence} ({id})"),
                claim: sentence.clone(),
                citations: vec![Cited {
                    source_ref: id.clone(),
                    quote: sentence.clone(),
                    paragraph_id: Some(id),
                }],
                elsewhere: false,
            };
            let record = check_answer(&[&base], &[statement], &[]).unwrap().records.remove(0);
            tried += 1;
            verified += usize::from(record.verdict == SentenceVerdict::Verified);
            if !record.conflicts.is_empty() || record.verdict == SentenceVerdict::Mismatch {
                flagged.push((sentence, record.reason));
            }
        }
        println!(
            "{name}: {tried} tried, {verified} verified, {} flagged {:?}",
            flagged.len(),
            flagged.iter().take(3).collect::<Vec<_>>()
        );
        assert!(
            flagged.len() * 100 <= 2 * tried,
            "{name}: {} of {tried} flagged, such as {:?}",
            flagged.len(),
            flagged.first()
        );
    }
}
