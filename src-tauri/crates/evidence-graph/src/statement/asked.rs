//! A question that asks for one value, and two texts that answer it with different ones.
//!
//! The sentence that answers it has all names of the question and half of its words or more; of several, the one with the most. Two
//! texts differ where those sentences have a date, a number or a name each, as asked for, and none in common, or where two
//! long sentences read the same but for what is asked for. What a question with several answers asks for (`which companies`)
//! is never one value.

use std::collections::BTreeSet;

use super::{Difference, Role, Statement, Word, sign};
use crate::item::ConflictKind;
use crate::keys::normal;

/// The share of the question's words that the sentence which answers it has, in thousandths.
const MIN_TOPIC: usize = 500;
/// Words in the same order that two sentences share which read the same but for a value.
const MIN_SAME_WORDS: usize = 8;
/// One in so many of the shorter sentence's words is shared where two read the same but for a value.
const MAX_WORDS_PER_SAME: usize = 2;
/// The most words of a value that stands in the place of another one.
const MAX_VALUE_WORDS: usize = 6;
/// The most words of a sentence that is compared word by word.
const MAX_COMPARED_WORDS: usize = 120;

/// Stems that say how something is asked for, not what about.
const ASKING: [&str; 16] = [
    "associ", "affili", "citi", "countri", "current", "date", "day", "kind", "mani", "much", "name",
    "number", "place", "state", "type", "year",
];
/// Stems that one thing is said with, each beside the one that stands for it.
const SAME_ACTS: [(&str, &str); 20] = [
    ("architect", "design"),
    ("author", "write"),
    ("base", "locat"),
    ("birth", "born"),
    ("build", "built"),
    ("complet", "built"),
    ("compos", "composer"),
    ("construct", "built"),
    ("creat", "found"),
    ("creation", "found"),
    ("death", "die"),
    ("direct", "director"),
    ("establish", "found"),
    ("form", "found"),
    ("founder", "found"),
    ("headquart", "locat"),
    ("produc", "producer"),
    ("situat", "locat"),
    ("written", "write"),
    ("wrote", "write"),
];

/// A question that asks for one value.
#[derive(Debug, Clone)]
pub struct ValueQuestion {
    value: AskedValue,
    /// The stems that it is about.
    topic: BTreeSet<String>,
    /// Those of them that are names.
    names: BTreeSet<String>,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AskedValue {
    Date,
    Number,
    Name,
    /// Some other word, which no form tells: only two sentences that read the same are compared.
    Word,
}

impl ValueQuestion {
    /// Reads a question; nothing where it asks for no single value.
    pub fn parse(text: &str) -> Option<Self> {
        let text = normal(text);
        let lower = text.to_lowercase();
        let words: Vec<&str> = lower
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .filter(|word| !word.is_empty())
            .collect();
        let value = asked(&words)?;
        let read = Statement::of(&text);
        let topic: BTreeSet<String> = read
            .content
            .iter()
            .filter(|stem| !ASKING.contains(&stem.as_str()))
            .map(|stem| same_act(stem).to_owned())
            .collect();
        let names = capitals(&read).map(same_act).filter(|name| topic.contains(*name));
        let names = names.map(str::to_owned).collect();
        (topic.len() >= 2).then_some(Self { value, topic, names })
    }

    /// What two texts answer differently. `same` are stems that name in both what the question is about.
    pub fn difference(
        &self,
        first: &[Statement],
        second: &[Statement],
        same: &BTreeSet<String>,
    ) -> Option<Difference> {
        let answers = || {
            let (mine, theirs) = (self.answer(first, same)?, self.answer(second, same)?);
            self.other_value(mine, theirs, same)
        };
        answers().or_else(|| {
            first.iter().find_map(|mine| second.iter().find_map(|theirs| self.replaced(mine, theirs)))
        })
    }

    /// The sentence that answers it.
    fn answer<'t>(&self, text: &'t [Statement], same: &BTreeSet<String>) -> Option<&'t Statement> {
        let mut best: Option<(usize, &Statement)> = None;
        for sentence in text.iter().filter(|sentence| self.has_value(sentence)) {
            let has = |stem: &String| {
                sentence.content.iter().any(|word| same_act(word) == *stem) || same.contains(stem)
            };
            let shared = self.topic.iter().filter(|stem| has(stem)).count();
            let fits = shared * 1_000 >= self.topic.len() * MIN_TOPIC && self.names.iter().all(has);
            if fits && best.is_none_or(|(most, _)| shared > most) {
                best = Some((shared, sentence));
            }
        }
        best.map(|(_, sentence)| sentence)
    }

    fn has_value(&self, sentence: &Statement) -> bool {
        match self.value {
            AskedValue::Date => sentence.dates().next().is_some(),
            AskedValue::Number => sentence.numbers().next().is_some(),
            AskedValue::Name => self.named(sentence).next().is_some(),
            AskedValue::Word => false,
        }
    }

    /// What a sentence names that the question does not.
    fn named<'s>(&'s self, sentence: &'s Statement) -> impl Iterator<Item = &'s str> {
        capitals(sentence).filter(|name| !self.topic.contains(same_act(name)))
    }

    fn other_value(
        &self,
        first: &Statement,
        second: &Statement,
        same: &BTreeSet<String>,
    ) -> Option<Difference> {
        let found = |kind, first, second| Some(Difference { kind, first, second });
        match self.value {
            AskedValue::Date if first.dates_differ(second) || other_years(first, second) => {
                let (mine, theirs) = (first.dates().next()?.1, second.dates().next()?.1);
                found(ConflictKind::Date, mine.shown(), theirs.shown())
            }
            AskedValue::Number => {
                let says =
                    |one: &Statement, number| one.numbers().any(|(_, other)| other.is_same_number(number));
                let is_known = first.numbers().any(|(_, number)| says(second, number));
                // A number is one of a place and a time.
                if is_known || first.dates_differ(second) || first.is_apart(second, same) {
                    return None;
                }
                let (mine, theirs) = (first.numbers().next()?.1, second.numbers().next()?.1);
                found(ConflictKind::Number, mine.shown(), theirs.shown())
            }
            AskedValue::Name => {
                let shares = |one: &Statement, other: &Statement| {
                    self.named(one).any(|name| other.content.contains(name))
                };
                if shares(first, second) || shares(second, first) {
                    return None;
                }
                let shown = |one| self.named(one).take(MAX_VALUE_WORDS).collect::<Vec<_>>().join(" ");
                found(ConflictKind::Name, shown(first), shown(second))
            }
            AskedValue::Date | AskedValue::Word => None,
        }
    }

    /// Another value in the place of one, in long sentences that read the same around it.
    fn replaced(&self, first: &Statement, second: &Statement) -> Option<Difference> {
        let (mine, theirs) = (marks(first), marks(second));
        if first.overlap(second).0 < MIN_SAME_WORDS / 2 || mine.len().max(theirs.len()) > MAX_COMPARED_WORDS {
            return None;
        }
        let common = common(&mine, &theirs);
        if common.len() < MIN_SAME_WORDS || common.len() * MAX_WORDS_PER_SAME < mine.len().min(theirs.len()) {
            return None;
        }
        let ends = common.iter().copied().chain([(mine.len(), theirs.len())]);
        let (mut at, mut there) = (0, 0);
        for (next, next_there) in ends {
            let (from, to) = (&mine[at..next], &theirs[there..next_there]);
            (at, there) = (next + 1, next_there + 1);
            if let Some(kind) = self.kind(from).filter(|kind| self.kind(to) == Some(*kind)) {
                let shown = |run: &[Mark<'_>]| {
                    run.iter().map(|mark| mark.text.as_str()).collect::<Vec<_>>().join(" ")
                };
                return Some(Difference { kind, first: shown(from), second: shown(to) });
            }
        }
        None
    }

    /// What a run of words is, where it is what is asked for.
    fn kind(&self, run: &[Mark<'_>]) -> Option<ConflictKind> {
        let has = |is: fn(&Word) -> bool| run.iter().any(|mark| is(mark.word));
        let is_date = has(|word| matches!(word.role, Role::Date(_)));
        let is_number = has(|word| matches!(word.role, Role::Number(_)));
        let is_name = has(|word| word.is_capital) && !is_date && !is_number;
        let is_short = !run.is_empty() && run.len() <= MAX_VALUE_WORDS;
        let kind = match self.value {
            AskedValue::Date if is_date => ConflictKind::Date,
            AskedValue::Number if is_number => ConflictKind::Number,
            AskedValue::Name | AskedValue::Word if is_name => ConflictKind::Name,
            AskedValue::Date | AskedValue::Number | AskedValue::Name | AskedValue::Word => return None,
        };
        is_short.then_some(kind)
    }
}

/// What is written with a capital letter in a sentence, but for its first word.
fn capitals(sentence: &Statement) -> impl Iterator<Item = &str> {
    let words = sentence.words.iter().skip(1).filter(|word| word.is_capital);
    words.filter_map(|word| word.stem.as_deref())
}

/// Whether both name years, and none in common.
fn other_years(first: &Statement, second: &Statement) -> bool {
    let years = |one: &Statement| one.dates().filter_map(|(_, date)| date.year).collect::<BTreeSet<u16>>();
    let (mine, theirs) = (years(first), years(second));
    !mine.is_empty() && !theirs.is_empty() && mine.is_disjoint(&theirs)
}

/// What the words of a question ask for.
fn asked(words: &[&str]) -> Option<AskedValue> {
    let first = *words.first()?;
    let pair = |first: &str, second: &str| words.windows(2).any(|two| two == [first, second]);
    let one_of = |noun: &str| pair("what", noun) || pair("which", noun);
    // `What is the (estimated) population …`: elsewhere in a question these words are what it is about.
    let the = |nouns: &[&str]| {
        matches!(words, ["what" | "which", "is" | "was", "the", rest @ ..]
            if rest.iter().take(2).any(|word| nouns.contains(word)))
    };
    let is_past = |word: &str| word.ends_with("ed") || matches!(word, "led" | "sang" | "won" | "wrote");
    if first == "when"
        || pair("since", "when")
        || one_of("year")
        || one_of("date")
        || one_of("day")
        || the(&["date", "birth"])
    {
        Some(AskedValue::Date)
    } else if pair("how", "many") || pair("how", "much") || the(&["number", "population", "elevation"]) {
        Some(AskedValue::Number)
    } else if matches!(first, "who" | "where")
        && words.get(1).is_some_and(|word| *word == "is" || *word == "was")
        || first == "who" && words.get(1).is_some_and(|word| is_past(word))
        || ["city", "country", "state"].into_iter().any(one_of)
    {
        Some(AskedValue::Name)
    } else if matches!(words, ["what", "is" | "was", "the", ..])
        || matches!(first, "what" | "which")
            && words[1..].iter().take(3).any(|word| matches!(*word, "is" | "was" | "did" | "does"))
    {
        Some(AskedValue::Word)
    } else {
        None
    }
}

/// The stem that stands for those with which the same is said.
fn same_act(stem: &str) -> &str {
    let same = SAME_ACTS.iter().find(|(word, _)| *word == stem);
    same.map_or(stem, |(_, same)| *same)
}

/// A word that carries something, as it is compared.
struct Mark<'s> {
    word: &'s Word,
    text: String,
}

fn marks(sentence: &Statement) -> Vec<Mark<'_>> {
    let texts = sentence.words.iter().map(|word| (word, word.stem.clone().or_else(|| sign(&word.role))));
    texts.filter_map(|(word, text)| Some(Mark { word, text: text? })).collect()
}

/// The places of the longest common sequence, in order.
fn common(first: &[Mark<'_>], second: &[Mark<'_>]) -> Vec<(usize, usize)> {
    let mut lengths = vec![vec![0_u16; second.len() + 1]; first.len() + 1];
    for at in (0..first.len()).rev() {
        for there in (0..second.len()).rev() {
            lengths[at][there] = if first[at].text == second[there].text {
                lengths[at + 1][there + 1] + 1
            } else {
                lengths[at + 1][there].max(lengths[at][there + 1])
            };
        }
    }
    let (mut at, mut there, mut found) = (0, 0, Vec::new());
    while at < first.len() && there < second.len() {
        if first[at].text == second[there].text {
            found.push((at, there));
            (at, there) = (at + 1, there + 1);
        } else if lengths[at + 1][there] >= lengths[at][there + 1] {
            at += 1;
        } else {
            there += 1;
        }
    }
    found
}
