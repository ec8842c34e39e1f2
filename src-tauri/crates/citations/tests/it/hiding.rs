//! Quotes whose words all stand in the text, cut so that a negation or an exception is gone: none is verified.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use citations::{Verdict, verify};
use knowledge::{Base, IngestOptions, Tier, ingest};

use crate::dice::Dice;
use crate::falsified::{is_decisive, is_negation, is_one_of};
use crate::world::World;

/// What a cut hides, and last the honest one.
const CUTS: [&str; 5] = [
    "ellipsis over negation",
    "ellipsis over exception",
    "behind negation",
    "before negation",
    "honest ellipsis",
];
const HONEST: usize = 4;
const WANTED: usize = 300;

const WHO: [&str; 8] =
    ["keeper", "clerk", "harbour master", "pilot", "crew", "owner", "surveyor", "night watch"];
const WHAT: [&str; 8] =
    ["gate", "cargo list", "lamp", "berth book", "rope", "crane", "toll box", "signal mast"];
const DOES: [&str; 8] = ["open", "move", "sell", "sign for", "inspect", "lend", "paint", "hand over"];
const WHEN: [&str; 6] = [
    "after the evening bell of the harbour",
    "during the weeks of the spring tide",
    "while another ship lies at the quay",
    "before the yearly count of stores begins",
    "in the hours between midnight and dawn",
    "on days when the wind turns north",
];
const NEGATED: [&str; 7] = [
    "must not",
    "shall never",
    "cannot",
    "may neither lend nor",
    "should not",
    "mustn’t",
    "may without leave",
];
const EXCEPTED: [&str; 5] = [
    "unless the council has agreed to it",
    "except where a storm is near",
    "other than a boat in distress",
    "only if two witnesses are there",
    "save where the charter says more",
];

/// Paragraphs of made-up harbour rules.
fn harbour(paragraphs: usize) -> String {
    let mut dice = Dice(7);
    let mut rows = String::new();
    for number in 1..=paragraphs {
        let mut text = String::new();
        for _ in 0..5 {
            let mut one = |list: &[&'static str]| list[dice.below(list.len())];
            let (who, what, does, when) = (one(&WHO), one(&WHAT), one(&DOES), one(&WHEN));
            let (negated, excepted) = (one(&NEGATED), one(&EXCEPTED));
            let (other, further) = (one(&WHO), one(&WHAT));
            let _ = match one(&["a", "b", "c", "d"]) {
                "a" => write!(
                    text,
                    "The {who} who keeps the {further} {negated} {does} the {what} of the {other} {when}. "
                ),
                "b" => write!(
                    text,
                    "The {who} may {does} the {what} {when}, {excepted}, and tells the {other} about the {further}. "
                ),
                "c" => write!(
                    text,
                    "Each {other} writes into the book what became of the {what}, {when}, and who held the {further} then. "
                ),
                _ => write!(
                    text,
                    "No {who} is asked to {does} the {what}, and nobody else {negated} {does} it {when}. "
                ),
            };
        }
        let _ = writeln!(
            rows,
            "{}",
            serde_json::json!({ "id": format!("9.{number}"), "title": "Harbour", "text": text.trim_end() })
        );
    }
    rows
}

fn ends_sentence(word: &str) -> bool {
    word.trim_end_matches(['"', '”', ')', '\'', '’']).ends_with(['.', '!', '?', ':', ';'])
}

/// Whether a word is a negation or begins an exception.
fn excepts(words: &[&str], at: usize) -> bool {
    let next = |wanted: &str| words.get(at + 1).is_some_and(|next| is_one_of(next, &[wanted]));
    is_one_of(words[at], &["unless", "except", "only"]) || (is_one_of(words[at], &["other"]) && next("than"))
}

/// A quote of one sentence's words, cut as `kind` says around the word at `at`.
fn cut(words: &[&str], at: usize, kind: usize, dice: &mut Dice) -> Option<String> {
    let joined = |from: usize, to: usize| words[from..to].join(" ");
    let plain = |from: usize, to: usize| {
        let real = words[from..to].iter().filter(|word| word.contains(char::is_alphanumeric));
        real.count() >= 3 && !words[from..to].iter().any(|word| ends_sentence(word))
    };
    let (left, right) = (1 + dice.below(3), 2 + dice.below(4));
    match kind {
        2 => {
            let bare = words[at].ends_with(char::is_alphabetic);
            (bare && at + 7 <= words.len() && plain(at + 1, at + 7)).then(|| joined(at + 1, at + 7))
        }
        3 => {
            let from = at.checked_sub(6)?;
            let bare = words[at - 1].ends_with(char::is_alphanumeric)
                && words[at].starts_with(char::is_alphabetic)
                // `No. 5` is a number.
                && words[at].ends_with(|c: char| c.is_alphabetic() || c == ',');
            (bare && plain(from, at)).then(|| joined(from, at))
        }
        _ => {
            let (start, gap) = (at.checked_sub(left + 5)?, at.checked_sub(left)?);
            let (after, end) = (at + 1 + right, at + 6 + right);
            let whole = end <= words.len() && !words[start..end - 1].iter().any(|word| ends_sentence(word));
            let placed = whole && plain(start, gap) && plain(after, end - 1);
            let mark = ["...", "…", "[...]", "[…]", "(...)"][dice.below(5)];
            placed.then(|| format!("{} {mark} {}", joined(start, gap), joined(after, end)))
        }
    }
}

/// Up to [`WANTED`] cuts of each kind: how many there were, and those that were judged wrongly.
fn judged(base: &Base, kind: usize) -> (usize, Vec<String>) {
    let mut dice = Dice(20_261_123);
    let paragraphs: Vec<_> =
        base.paragraphs().iter().filter(|one| !one.withdrawn && one.part_of.is_none()).collect();
    let words: Vec<Vec<&str>> = paragraphs.iter().map(|one| one.text.split_whitespace().collect()).collect();
    let fits = |words: &[&str], at: usize| match kind {
        1 => excepts(words, at),
        HONEST => true,
        _ => is_negation(words[at]),
    };
    let places: Vec<(usize, usize)> = words
        .iter()
        .enumerate()
        .flat_map(|(one, words)| (0..words.len()).filter(move |&at| fits(words, at)).map(move |at| (one, at)))
        .collect();
    let (mut tried, mut wrong) = (0, Vec::new());
    for _ in 0..20_000 {
        let (one, at) = places[dice.below(places.len())];
        let (paragraph, words) = (paragraphs[one], &words[one]);
        let Some(quote) = cut(words, at, kind, &mut dice) else { continue };
        if kind == HONEST {
            // Nothing around it is decisive or a number, so whatever was cut is honest.
            let near = &words[at.saturating_sub(10)..(at + 13).min(words.len())];
            if is_decisive(near) || near.iter().any(|word| word.contains(char::is_numeric)) {
                continue;
            }
        } else {
            // The same words may stand elsewhere in the paragraph without what is hidden here.
            let (all, ends) = (words.join(" "), quote.split_whitespace().collect::<Vec<_>>());
            let twice = |part: &[&str]| all.matches(&part.join(" ")).count() > 1;
            if twice(&ends[..3]) || twice(&ends[ends.len() - 3..]) {
                continue;
            }
        }
        let found = verify(base, &base.citation(&paragraph.id), &quote);
        tried += 1;
        if (found.verdict == Verdict::Verified) != (kind == HONEST) {
            wrong.push(format!("{}: {quote:?}: {}", paragraph.id, found.reason));
        }
        if tried == WANTED {
            break;
        }
    }
    (tried, wrong)
}

fn none_is_verified(name: &str, base: &Base, fewest: usize) {
    for (kind, cut) in CUTS.iter().enumerate() {
        let (tried, wrong) = judged(base, kind);
        println!("{name:<18} {cut:<24} {tried:>4} tried, {:>3} wrong", wrong.len());
        wrong.iter().take(5).for_each(|one| println!("    {one}"));
        assert!(tried >= fewest, "{name}: only {tried} of {cut}");
        let most = if kind == HONEST { tried / 300 } else { 0 };
        assert!(wrong.len() <= most, "{name}: {} of {tried}: {cut}: {:?}", wrong.len(), wrong.first());
    }
}

fn base_of(world: &World, sources: Vec<PathBuf>) -> Base {
    let options = IngestOptions { sources, tier: Tier::Standard, ..world.options(Path::new("")) };
    ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    Base::open(world.home.path(), "primer").unwrap()
}

#[test]
fn no_cut_that_hides_a_negation_or_an_exception_is_verified() {
    let world = World::with(&[("harbour.jsonl", &harbour(400))]);
    none_is_verified("generated", &world.base(), WANTED);
}

#[test]
fn the_same_holds_over_the_measuring_corpora() {
    let folder = std::env::var_os("AGENTNATIVE_CORPORA").map(PathBuf::from);
    let Some(folder) = folder.filter(|folder| folder.is_dir()) else {
        return println!("skipped: no corpora folder");
    };
    let files = fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    files.sort();
    none_is_verified("measuring corpora", &base_of(&World::new(), files), 100);
}
