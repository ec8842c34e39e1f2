//! Thousands of generated citations: every falsified one is caught, true ones pass.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use citations::{Verdict, verify};
use knowledge::{Base, IngestOptions, Tier, ingest};

use crate::dice::Dice;
use crate::world::{CORPUS, World};

const MODALS: [&str; 6] = ["shall", "must", "should", "may", "can", "will"];
const NEGATIONS: [&str; 4] = ["not", "no", "never", "cannot"];
const REVERSING: [&str; 11] =
    ["not", "no", "never", "neither", "nor", "cannot", "none", "nothing", "nobody", "nowhere", "without"];
/// Words of exceptions; the first of two where an exception has two.
const EXCEPTING: [&str; 16] = [
    "unless",
    "except",
    "excepting",
    "excluding",
    "only",
    "solely",
    "rarely",
    "seldom",
    "hardly",
    "scarcely",
    "barely",
    "other",
    "apart",
    "but",
    "exception",
    "save",
];
const STRANGERS: [&str; 6] = ["lantern", "seldom", "orchard", "quarterly", "purple", "inspect"];

pub(crate) fn is_one_of(word: &str, list: &[&str]) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    list.iter().any(|one| bare.eq_ignore_ascii_case(one))
}

fn bare_number(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_digit())
}

/// Any stretch of a paragraph's words, wherever it is cut but beside a negation.
fn stretch<'t>(words: &[&'t str], dice: &mut Dice) -> Option<Vec<&'t str>> {
    let length = 8 + dice.below(14);
    if words.len() < length {
        return None;
    }
    let start = dice.below(words.len() - length + 1);
    (!cut_beside_negation(words, start, start + length)).then(|| words[start..start + length].to_vec())
}

/// Whether the word before a stretch or the one after it may be a negation that turns it.
pub(crate) fn cut_beside_negation(words: &[&str], start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).map(|at| words[at]);
    before.is_some_and(is_negation) || words.get(end).is_some_and(|word| is_negation(word))
}

pub(crate) fn is_negation(word: &str) -> bool {
    is_one_of(word, &REVERSING) || word.contains("n't") || word.contains("n’t")
}

/// Whether a gap holds a word that no ellipsis may hide.
pub(crate) fn is_decisive(gap: &[&str]) -> bool {
    gap.iter().any(|word| is_negation(word) || is_one_of(word, &EXCEPTING))
}

/// Changes that a faithful quotation may have.
const TOLERATED: [&str; 7] = [
    "exact",
    "white space",
    "typographic marks",
    "hyphenated line break",
    "case of the first letter",
    "ellipsis around",
    "ellipsis inside",
];
/// What falsifies a citation.
const FALSE: [&str; 10] = [
    "number",
    "word swap",
    "modal",
    "negation put in",
    "negation taken out",
    "order",
    "word left out",
    "words put in",
    "no such paragraph",
    "wrong paragraph",
];

/// A faithful quotation, and which of [`TOLERATED`] it shows.
fn tolerated(words: &[&str], dice: &mut Dice) -> (usize, String) {
    let kind = dice.below(TOLERATED.len());
    let quote = changed_as(kind, words, dice);
    // Where this stretch offers no place for the change it stays as it is.
    if quote == words.join(" ") { (0, quote) } else { (kind, quote) }
}

fn changed_as(kind: usize, words: &[&str], dice: &mut Dice) -> String {
    let plain = words.join(" ");
    match kind {
        0 => plain,
        1 => words.join(" \n\t "),
        2 => plain.replace('\'', "’").replace('"', "”").replace('—', "-").replace('-', "\u{2011}"),
        3 => {
            let at = dice.below(words.len());
            let word = words[at];
            if word.len() < 6 || !word.chars().all(|c| c.is_ascii_lowercase()) {
                return format!("“{plain}.”");
            }
            let mut changed: Vec<String> = words.iter().map(|&one| one.to_owned()).collect();
            let mark = ["-\n", "\u{ad}", "\u{ad}\n"][dice.below(3)];
            changed[at] = format!("{}{mark}{}", &word[..3], &word[3..]);
            changed.join(" ")
        }
        4 => {
            let mut letters = plain.chars();
            let first = letters.next().unwrap();
            let other: String = if first.is_lowercase() {
                first.to_uppercase().collect()
            } else {
                first.to_lowercase().collect()
            };
            other + letters.as_str()
        }
        5 => format!("… {plain} …"),
        _ => {
            // At least four words go, and none of them is decisive.
            let (left, right) = (4, words.len() - 4);
            let gap = &words[left..right];
            // Signs are no words, and fewer than three words beside an ellipsis can't be placed.
            let real =
                |words: &[&str]| words.iter().filter(|word| word.contains(char::is_alphanumeric)).count();
            let short = real(&words[..left]) < 3 || real(&words[right..]) < 3;
            if short || gap.len() < 4 || is_decisive(gap) {
                return plain;
            }
            let mark = ["...", "…", "[...]", "[…]", ". . ."][dice.below(5)];
            format!("{} {mark} {}", words[..left].join(" "), words[right..].join(" "))
        }
    }
}

/// A falsified quote, or nothing when this stretch offers no such place.
fn falsified(words: &[&str], kind: usize, dice: &mut Dice) -> Option<String> {
    let mut changed: Vec<String> = words.iter().map(|&one| one.to_owned()).collect();
    let inner = 1 + dice.below(words.len() - 2);
    let places = |test: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (1..words.len() - 1).filter(|&at| test(words[at])).collect()
    };
    match kind {
        0 => {
            let numbers = places(&bare_number);
            let at = *numbers.get(dice.below(numbers.len()))?;
            changed[at] = format!("{}{}", changed[at], dice.below(10));
        }
        1 => {
            if is_one_of(words[inner], &STRANGERS) || !words[inner].contains(char::is_alphabetic) {
                return None;
            }
            changed[inner] = STRANGERS[dice.below(STRANGERS.len())].into();
        }
        2 => {
            let modals = places(&|word| is_one_of(word, &MODALS));
            let at = *modals.get(dice.below(modals.len()))?;
            let other = MODALS[dice.below(MODALS.len())];
            if is_one_of(words[at], &[other]) {
                return None;
            }
            changed[at] = other.into();
        }
        3 => changed.insert(inner, NEGATIONS[dice.below(NEGATIONS.len())].into()),
        4 => {
            let negations = places(&|word| is_one_of(word, &NEGATIONS));
            let at = *negations.get(dice.below(negations.len()))?;
            changed.remove(at);
        }
        5 => {
            if words[inner].eq_ignore_ascii_case(words[inner + 1]) {
                return None;
            }
            changed.swap(inner, inner + 1);
        }
        6 => {
            changed.remove(inner);
        }
        _ => changed.insert(inner, format!("{} {}", STRANGERS[dice.below(6)], STRANGERS[dice.below(6)])),
    }
    Some(changed.join(" "))
}

/// Stretches of every length as they stand, cut anywhere but beside a negation: checked and flagged ones.
fn plain_windows(base: &Base, rounds: usize, seed: u64) -> (usize, Vec<String>) {
    let mut dice = Dice(seed);
    let usable: Vec<(&str, Vec<&str>)> = base
        .paragraphs()
        .iter()
        .filter(|one| !one.withdrawn)
        .map(|one| (one.id.as_str(), one.text.split_whitespace().collect::<Vec<_>>()))
        .filter(|(_, words)| words.len() >= 4)
        .collect();
    let mut flagged = Vec::new();
    let mut checked = 0;
    while checked < rounds {
        let (id, words) = &usable[dice.below(usable.len())];
        let length = 4 + dice.below(words.len().min(60) - 3);
        let start = dice.below(words.len() - length + 1);
        let quote = words[start..start + length].join(" ");
        // Signs and list marks alone are no words; fewer than three words are too short to check.
        let real = words[start..start + length].iter().filter(|word| word.contains(char::is_alphanumeric));
        if real.count() < 3 || cut_beside_negation(words, start, start + length) {
            continue;
        }
        checked += 1;
        let found = verify(base, &base.citation(id), &quote);
        if found.verdict != Verdict::Verified {
            flagged.push(format!("{id}: {quote:?}: {}", found.reason));
        }
    }
    (checked, flagged)
}

/// Cases of one kind: those judged rightly, and the others.
#[derive(Default)]
struct Row {
    right: usize,
    wrong: Vec<String>,
}

impl Row {
    fn count(&mut self, right: bool, case: impl FnOnce() -> String) {
        if right { self.right += 1 } else { self.wrong.push(case()) }
    }
}

struct Tally {
    tolerated: [Row; TOLERATED.len()],
    falsified: [Row; FALSE.len()],
}

fn run(base: &Base, rounds: usize, seed: u64) -> Tally {
    let mut dice = Dice(seed);
    let mut tally = Tally { tolerated: Default::default(), falsified: Default::default() };
    let usable: Vec<&knowledge::Paragraph> = base
        .paragraphs()
        .iter()
        .filter(|one| !one.withdrawn && one.text.split_whitespace().count() >= 12)
        .collect();
    for round in 0..rounds {
        let paragraph = usable[dice.below(usable.len())];
        let words: Vec<&str> = paragraph.text.split_whitespace().collect();
        let Some(words) = stretch(&words, &mut dice) else { continue };
        let cited = base.citation(&paragraph.id);
        let (kind, quote) = tolerated(&words, &mut dice);
        let found = verify(base, &cited, &quote);
        tally.tolerated[kind]
            .count(found.verdict == Verdict::Verified, || format!("{cited}: {quote:?}: {}", found.reason));
        let kind = round % FALSE.len();
        let (cited, quote) = match kind {
            8 => (base.citation("999.77"), quote),
            9 => {
                let other = usable[dice.below(usable.len())];
                let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                let quote = words.join(" ");
                // Signs at the ends don't count.
                if folded(&other.text).contains(quote.trim_matches(|c: char| !c.is_alphanumeric())) {
                    continue;
                }
                (base.citation(&other.id), words.join(" "))
            }
            kind => match falsified(&words, kind, &mut dice) {
                // Repetitive texts may happen to hold the changed words too, and signs at the ends don't count.
                Some(quote)
                    if !paragraph
                        .text
                        .split_whitespace()
                        .collect::<Vec<_>>()
                        .join(" ")
                        .contains(quote.trim_matches(|c: char| !c.is_alphanumeric())) =>
                {
                    (cited, quote)
                }
                _ => continue,
            },
        };
        let caught = verify(base, &cited, &quote).verdict != Verdict::Verified;
        tally.falsified[kind].count(caught, || format!("{cited}: {quote:?}"));
    }
    tally
}

fn judge(name: &str, base: &Base, rounds: usize) {
    let tally = run(base, rounds, 20_260_728);
    println!("{name:<18} {:<26} {:>6} {:>6}", "kind", "right", "wrong");
    let rows = TOLERATED.iter().zip(&tally.tolerated).chain(FALSE.iter().zip(&tally.falsified));
    for (kind, row) in rows {
        println!("{name:<18} {kind:<26} {:>6} {:>6}", row.right, row.wrong.len());
        for case in row.wrong.iter().take(3) {
            println!("    {case}");
        }
    }
    let sum = |rows: &[Row]| -> (usize, usize) {
        rows.iter().fold((0, 0), |(right, wrong), row| (right + row.right, wrong + row.wrong.len()))
    };
    let ((accepted, refused), (caught, passed)) = (sum(&tally.tolerated), sum(&tally.falsified));
    let (precision, recall) =
        (accepted as f64 / (accepted + passed) as f64, accepted as f64 / (accepted + refused) as f64);
    println!(
        "{name:<18} {} cases: precision {precision:.4}, recall {recall:.4}",
        accepted + refused + caught + passed
    );
    assert!(accepted + refused + caught + passed >= 2_000, "{name}: too few cases");
    for (kind, row) in FALSE.iter().zip(&tally.falsified) {
        assert!(row.right + row.wrong.len() >= 25, "{name}: too few cases of {kind}");
    }
    assert_eq!(passed, 0, "{name}: falsified citations were accepted");
    assert!(recall >= 0.999, "{name}: recall {recall}");
    let (checked, flagged) = plain_windows(base, rounds, 20_260_729);
    println!("{name:<18} {} of {checked} random word windows flagged", flagged.len());
    for flagged in flagged.iter().take(5) {
        println!("    {flagged}");
    }
    assert!(flagged.len() * 1_000 <= checked, "{name}: {} of {checked} windows flagged", flagged.len());
}

fn base_of(world: &World, folder: &Path) -> Base {
    ingest(&world.options(folder), &mut |_| {}, &AtomicBool::new(false)).unwrap();
    Base::open(world.home.path(), "primer").unwrap()
}

#[test]
fn falsified_citations_are_caught_and_true_ones_pass() {
    let world = World::with(&[("corpus.jsonl", CORPUS)]);
    judge("own corpus", &world.base(), 6_000);
}

#[test]
fn the_same_holds_over_the_embedded_primer() {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../sources/isa-knowledge-base/corpora/primer");
    if !folder.is_dir() {
        println!("skipped: the primer is not here");
        return;
    }
    let world = World::new();
    judge("primer", &base_of(&world, &folder), 8_000);
}

#[test]
fn the_same_holds_over_the_measuring_corpora() {
    let Some(folder) = std::env::var_os("AGENTNATIVE_CORPORA").map(PathBuf::from).filter(|f| f.is_dir())
    else {
        println!("skipped: no corpora folder");
        return;
    };
    let files = fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|e| e == "jsonl")).collect();
    files.sort();
    let world = World::new();
    let options = IngestOptions { sources: files, tier: Tier::Standard, ..world.options(&folder) };
    ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    judge("measuring corpora", &Base::open(world.home.path(), "primer").unwrap(), 20_000);
}
