//! The detector over documents that others labelled: right, wrong, noise. The texts are not part of the project.

use std::collections::BTreeSet;
use std::path::PathBuf;

use evidence_graph::Statement;
use evidence_graph::analysis::contradictions::compared;
use serde_json::Value;

use crate::rig::Dice;

/// What two documents are to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Pair {
    RightAgainstWrong,
    SameAnswer,
    /// Of entities with one name.
    TwoRight,
    TwoWrong,
    Noise,
}

fn sentences(text: &str) -> Vec<Statement> {
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '\n');
    let parts = text.split_inclusive(ends).scan(String::new(), |open, part| {
        open.push_str(part);
        // An initial or an abbreviation ends no sentence.
        let whole = open.trim_end_matches(ends).rsplit(' ').next().is_some_and(|word| word.len() > 3);
        Some(whole.then(|| std::mem::take(open)))
    });
    parts.flatten().map(|sentence| Statement::of(&sentence)).filter(|one| one.content().len() >= 3).collect()
}

fn contradict(first: &[Statement], second: &[Statement]) -> bool {
    let none = BTreeSet::new();
    first.iter().any(|mine| second.iter().any(|theirs| compared(mine, theirs, false, &none).is_some()))
}

fn pair(first: &Value, second: &Value) -> Pair {
    let label = |document: &Value| document["label"].as_str().unwrap().to_owned();
    let same =
        first["answer"].as_str().map(str::to_lowercase) == second["answer"].as_str().map(str::to_lowercase);
    match (label(first).as_str(), label(second).as_str()) {
        ("noise", _) | (_, "noise") => Pair::Noise,
        _ if same => Pair::SameAnswer,
        ("correct", "correct") => Pair::TwoRight,
        ("misinformation", "misinformation") => Pair::TwoWrong,
        _ => Pair::RightAgainstWrong,
    }
}

/// Half the share of pairs found plus half the share of others left alone, in thousandths.
fn balanced(
    pairs: &[(Pair, bool)],
    is_positive: impl Fn(Pair) -> bool,
    counts: impl Fn(Pair) -> bool,
) -> usize {
    let rate = |positive: bool| {
        let of: Vec<bool> = pairs
            .iter()
            .filter(|(pair, _)| counts(*pair) && is_positive(*pair) == positive)
            .map(|(_, said)| *said == positive)
            .collect();
        of.iter().filter(|right| **right).count() * 1_000 / of.len().max(1)
    };
    (rate(true) + rate(false)) / 2
}

#[test]
fn documents_that_contradict_each_other_are_told_from_those_that_agree() {
    let file = std::env::var_os("AGENTNATIVE_DATA")
        .map(|folder| PathBuf::from(folder).join("contradictions/ramdocs.jsonl"));
    let Some(text) = file.and_then(|file| std::fs::read_to_string(file).ok()) else {
        println!("skipped: no AGENTNATIVE_DATA folder with contradictions/ramdocs.jsonl");
        return;
    };
    let mut pairs = Vec::new();
    for line in text.lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        let documents = entry["documents"].as_array().unwrap();
        let texts: Vec<Vec<Statement>> =
            documents.iter().map(|one| sentences(one["text"].as_str().unwrap())).collect();
        for second in 0..documents.len() {
            for first in 0..second {
                pairs.push((
                    pair(&documents[first], &documents[second]),
                    contradict(&texts[first], &texts[second]),
                ));
            }
        }
    }
    for kind in [Pair::RightAgainstWrong, Pair::SameAnswer, Pair::TwoRight, Pair::TwoWrong, Pair::Noise] {
        let of: Vec<bool> = pairs.iter().filter(|(pair, _)| *pair == kind).map(|(_, said)| *said).collect();
        println!("{kind:?}: {} of {} pairs found", of.iter().filter(|said| **said).count(), of.len());
    }
    // The control says yes as often, of pairs that are drawn.
    let mut dice = Dice(7);
    let mut said: Vec<bool> = pairs.iter().map(|(_, said)| *said).collect();
    dice.shuffle(&mut said);
    let control: Vec<(Pair, bool)> = pairs.iter().zip(said).map(|((pair, _), said)| (*pair, said)).collect();
    let wrong = |pair: Pair| pair == Pair::RightAgainstWrong;
    let differ = |pair: Pair| matches!(pair, Pair::RightAgainstWrong | Pair::TwoRight | Pair::TwoWrong);
    let answers = |pair: Pair| matches!(pair, Pair::RightAgainstWrong | Pair::SameAnswer);
    for (name, list) in [("detector", &pairs), ("control", &control)] {
        println!(
            "{name}: balanced accuracy, right against wrong: .{:03} against the same answer, .{:03} against all others; different answers .{:03}; always .500",
            balanced(list, wrong, answers),
            balanced(list, wrong, |_| true),
            balanced(list, differ, |_| true),
        );
    }
    assert!(balanced(&pairs, wrong, |_| true) > balanced(&control, wrong, |_| true) + 20);
}
