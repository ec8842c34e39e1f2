//! The detector over documents that others labelled: right, wrong, noise. The texts are not part of the project.

use std::collections::BTreeSet;
use std::path::PathBuf;

use evidence_graph::analysis::contradictions::compared;
use evidence_graph::{Statement, ValueQuestion};
use serde_json::Value;

use crate::rig::Dice;

/// What saying yes where the sentences that fit the question best differ reaches for documents that answer differently.
const BEST_SENTENCES_DIFFER: usize = 593;

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
        let whole =
            open.trim_end_matches(ends).trim_end().rsplit(' ').next().is_some_and(|word| word.len() > 3);
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
    // The rules were chosen on every second question; the others say how good they are.
    for (half, name) in ["development", "held out"].into_iter().enumerate() {
        let (mut alone, mut asked) = (Vec::new(), Vec::new());
        for line in text.lines().skip(half).step_by(2) {
            let entry: Value = serde_json::from_str(line).unwrap();
            let documents = entry["documents"].as_array().unwrap();
            let question = ValueQuestion::parse(entry["question"].as_str().unwrap());
            let texts: Vec<Vec<Statement>> =
                documents.iter().map(|one| sentences(one["text"].as_str().unwrap())).collect();
            for second in 0..documents.len() {
                for first in 0..second {
                    let (kind, mine, theirs) =
                        (pair(&documents[first], &documents[second]), &texts[first], &texts[second]);
                    let is_found = contradict(mine, theirs);
                    let differs =
                        question.as_ref().and_then(|one| one.difference(mine, theirs, &BTreeSet::new()));
                    alone.push((kind, is_found));
                    asked.push((kind, is_found || differs.is_some()));
                }
            }
        }
        println!("{name}:");
        for kind in [Pair::RightAgainstWrong, Pair::SameAnswer, Pair::TwoRight, Pair::TwoWrong, Pair::Noise] {
            let of: Vec<bool> =
                asked.iter().filter(|(pair, _)| *pair == kind).map(|(_, said)| *said).collect();
            println!("{kind:?}: {} of {} pairs found", of.iter().filter(|said| **said).count(), of.len());
        }
        let figures =
            [("statements alone", &alone), ("with the question", &asked), ("control", &control(&asked))]
                .map(|(name, list)| Figures::new(list).print(name));
        let [alone, asked, control] = figures;
        assert!(asked.different > control.different + 50 && asked.different > alone.different + 50);
        assert!(asked.different > BEST_SENTENCES_DIFFER);
        assert!(asked.wrong > control.wrong + 10 && asked.same > control.same + 20);
    }
}

/// Balanced accuracies in thousandths.
struct Figures {
    /// Right against wrong, against the same answer.
    same: usize,
    /// Right against wrong, against all other pairs.
    wrong: usize,
    /// Documents that answer differently, against all other pairs.
    different: usize,
}

impl Figures {
    fn new(pairs: &[(Pair, bool)]) -> Self {
        let wrong = |pair: Pair| pair == Pair::RightAgainstWrong;
        let differ = |pair: Pair| matches!(pair, Pair::RightAgainstWrong | Pair::TwoRight | Pair::TwoWrong);
        let answers = |pair: Pair| matches!(pair, Pair::RightAgainstWrong | Pair::SameAnswer);
        Self {
            same: balanced(pairs, wrong, answers),
            wrong: balanced(pairs, wrong, |_| true),
            different: balanced(pairs, differ, |_| true),
        }
    }

    fn print(self, name: &str) -> Self {
        let Self { same, wrong, different } = self;
        println!(
            "{name}: balanced accuracy, right against wrong: .{same:03} against the same answer, .{wrong:03} against all others; \
             different answers .{different:03}; always .500"
        );
        self
    }
}

/// Says yes as often, of pairs that are drawn.
fn control(pairs: &[(Pair, bool)]) -> Vec<(Pair, bool)> {
    let mut said: Vec<bool> = pairs.iter().map(|(_, said)| *said).collect();
    Dice(7).shuffle(&mut said);
    pairs.iter().zip(said).map(|((pair, _), said)| (*pair, said)).collect()
}
