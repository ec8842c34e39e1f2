//! A sentence as its words, with what may turn its meaning round: numbers, modals, negations, each with neighbours.

use std::collections::BTreeSet;

use knowledge::{Folded, stems};

use super::contradictions::ConflictKind;
use super::measures::{Bound, Measure, dates, measure};

/// Content words of each side that are compared around a difference.
const NEAR: usize = 3;

pub(crate) struct Statement {
    words: Vec<Word>,
    pub(crate) content: BTreeSet<String>,
}

struct Word {
    text: String,
    /// The stem, for words that carry a topic.
    stem: Option<String>,
    /// The number in comparable form, with its percent sign.
    number: Option<String>,
    /// Whether it is the number of a text or of a part of one.
    place: bool,
    /// What the number counts, where it is a measure that is known.
    unit: Option<Measure>,
    /// Whether the number is the least or the most.
    bound: Option<Bound>,
    /// The date that starts here.
    date: Option<String>,
    negation: bool,
    force: Option<Force>,
    quantity: Option<Quantity>,
}

/// Of how many something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quantity {
    All,
    Some,
    Only,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Force {
    Obligation,
    Recommendation,
    Permission,
}

type Conflict = (ConflictKind, String, String);

impl Statement {
    pub(crate) fn of(text: &str) -> Self {
        let folded = without_pointers(&Folded::of(text).text.to_lowercase());
        let stems = stems(&folded);
        let dates = dates(&folded);
        let mut words: Vec<Word> = Vec::new();
        for (from, to) in spans(&folded) {
            let text = &folded[from..to];
            let first = stems.partition_point(|stem| stem.from < from);
            let stem =
                stems.get(first).filter(|stem| stem.to <= to && stem.stem.contains(char::is_alphabetic));
            let negation = is_negation(text);
            let number = number(text).filter(|_| !names_a_party(text, &folded[to..]));
            let place = number.is_some() && names_a_place(&folded, (from, to), &words);
            let number = number.filter(|_| !place);
            let number =
                number.map(|number| if percent(&folded[to..]) { format!("{number}%") } else { number });
            let dated = dates.iter().find(|(date, _)| date.contains(&from));
            let number = number.filter(|_| dated.is_none());
            let quantity = quantity(text);
            let plain = !negation && number.is_none() && dated.is_none() && quantity.is_none();
            words.push(Word {
                text: text.to_owned(),
                stem: stem.filter(|_| plain).map(|stem| stem.stem.clone()),
                unit: number.as_ref().and_then(|number| measure(number, &folded[..from], &folded[to..])),
                bound: None,
                place,
                date: dated.filter(|(date, _)| date.start == from).map(|(_, date)| date.clone()),
                number,
                negation,
                force: force(text),
                quantity,
            });
        }
        bounds(&mut words);
        phrases(&mut words);
        let content = words.iter().filter_map(|word| word.stem.clone()).collect();
        Self { words, content }
    }

    /// What the sentences differ in at the same place; the surest kind of difference first.
    pub(crate) fn conflict(&self, other: &Self) -> Option<Conflict> {
        let stated =
            || self.other_number(other).or_else(|| self.dates(other)).or_else(|| self.same_numbers(other));
        let negated = |word: &Word| word.negation;
        let only = |word: &Word| word.quantity == Some(Quantity::Only);
        let missing = |is: &dyn Fn(&Word) -> bool, none: &str| {
            let ours = self.missing_in(other, is).map(|word| (word, none.to_owned()));
            ours.or_else(|| other.missing_in(self, is).map(|word| (none.to_owned(), word)))
        };
        stated()
            .or_else(|| self.modals(other))
            .or_else(|| {
                let (ours, theirs) = missing(&negated, "no negation")?;
                Some((ConflictKind::Negation, ours, theirs))
            })
            .or_else(|| self.quantities(other))
            .or_else(|| {
                let (ours, theirs) = missing(&only, "no \"only\"")?;
                Some((ConflictKind::Quantity, ours, theirs))
            })
    }

    /// Whether it has a word, a number or a modal, as a conflict names it.
    pub(crate) fn says(&self, value: &str) -> bool {
        self.words.iter().any(|word| word.text == value || word.number.as_deref() == Some(value))
    }

    /// All on one side, some on the other, of the same thing.
    fn quantities(&self, other: &Self) -> Option<Conflict> {
        for (at, quantity) in self.with(|word| word.quantity.as_ref()) {
            for (there, stated) in other.with(|word| word.quantity.as_ref()) {
                let opposite = matches!(
                    (quantity, stated),
                    (Quantity::All, Quantity::Some) | (Quantity::Some, Quantity::All)
                );
                let near = self.after(at).first() == other.after(there).first() && !self.after(at).is_empty();
                let before =
                    self.before(at).last() == other.before(there).last() && !self.before(at).is_empty();
                if opposite && (near || before) {
                    let words = (self.words[at].text.clone(), other.words[there].text.clone());
                    return Some((ConflictKind::Quantity, words.0, words.1));
                }
            }
        }
        None
    }

    /// Its numbers, as they are compared.
    pub(super) fn numbers(&self) -> BTreeSet<String> {
        self.words.iter().filter_map(|word| word.number.clone()).collect()
    }

    fn other_number(&self, other: &Self) -> Option<Conflict> {
        let (mine, theirs) = (self.numbers(), other.numbers());
        for (at, number) in self.with(|word| word.number.as_ref()) {
            for (there, stated) in other.with(|word| word.number.as_ref()) {
                if number.ends_with('%') != stated.ends_with('%')
                    || number.ends_with("th") != stated.ends_with("th")
                    || theirs.contains(number)
                    || mine.contains(stated)
                {
                    continue;
                }
                let before = same(&self.before(at), &other.before(there));
                let unit = self.after(at).first() == other.after(there).first();
                if (unit && before >= 1) || before >= 2 {
                    return Some((ConflictKind::Number, number.clone(), stated.clone()));
                }
            }
        }
        None
    }

    fn dates(&self, other: &Self) -> Option<Conflict> {
        let all = |one: &Self| -> BTreeSet<String> {
            one.words.iter().filter_map(|word| word.date.clone()).collect()
        };
        let (mine, theirs) = (all(self), all(other));
        for (at, date) in self.with(|word| word.date.as_ref()) {
            for (there, stated) in other.with(|word| word.date.as_ref()) {
                let known = theirs.contains(date) || mine.contains(stated);
                // A date without its year says nothing against one that has it.
                let part = date.contains(stated.as_str()) || stated.contains(date.as_str());
                let before = same(&self.before(at), &other.before(there));
                let after = same(&self.after(at), &other.after(there));
                if !known && !part && (before >= 2 || (before + after >= 2 && after >= 1)) {
                    return Some((ConflictKind::Date, date.clone(), stated.clone()));
                }
            }
        }
        None
    }

    /// The same number, of another thing or as the other bound.
    fn same_numbers(&self, other: &Self) -> Option<Conflict> {
        let value = |number: &str| number.trim_end_matches('%').to_owned();
        for (at, number) in self.with(|word| word.number.as_ref()) {
            let places = other.with(|word| word.number.as_ref());
            let alike: Vec<usize> = places
                .into_iter()
                .filter(|(there, stated)| {
                    value(number) == value(stated) && same(&self.before(at), &other.before(*there)) >= 2
                })
                .map(|(there, _)| there)
                .collect();
            let [there] = alike.as_slice() else { continue };
            let (mine, his) = (&self.words[at], &other.words[*there]);
            if let (Some(unit), Some(stated)) = (&mine.unit, &his.unit)
                && unit.says_otherwise(stated)
            {
                return Some((ConflictKind::Unit, unit.shown(&value(number)), stated.shown(&value(number))));
            }
            if let (Some(bound), Some(stated)) = (mine.bound, his.bound)
                && bound != stated
            {
                let shown = |bound: Bound| format!("{} {number}", bound.as_str());
                return Some((ConflictKind::Bound, shown(bound), shown(stated)));
            }
        }
        None
    }

    fn modals(&self, other: &Self) -> Option<Conflict> {
        for (at, force) in self.with(|word| word.force.as_ref()) {
            let mut conflict = None;
            for (there, stated) in other.with(|word| word.force.as_ref()) {
                let (ours, theirs) = (self.after(at), other.after(there));
                let verb = !ours.is_empty() && ours.first() == theirs.first();
                let (mine, his) = (self.before(at), other.before(there));
                let subject = (mine.is_empty() && his.is_empty()) || same(&mine, &his) >= 1;
                if !verb || !subject {
                    continue;
                }
                // `may not` and `must not` forbid alike.
                let forbids = self.negated_near(at) && other.negated_near(there);
                if force == stated || forbids {
                    conflict = None;
                    break;
                }
                let words = (self.words[at].text.clone(), other.words[there].text.clone());
                conflict.get_or_insert((ConflictKind::Modal, words.0, words.1));
            }
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// A word of that kind, such as a negation, whose neighbours stand in `other` without one.
    fn missing_in(&self, other: &Self, is: &dyn Fn(&Word) -> bool) -> Option<String> {
        let mut negations = (0..self.words.len()).filter(|&at| is(&self.words[at]));
        negations.find_map(|at| {
            let (before, after) = (self.before(at), self.after(at));
            let turned = *after.first()?;
            let around: Vec<&str> = before.iter().chain(after.iter().skip(1)).copied().collect();
            // The same words without a negation elsewhere in the same sentence: nothing can be said.
            let twice = self.words.iter().filter(|word| word.stem.as_deref() == Some(turned)).count() > 1;
            if twice || around.is_empty() {
                return None;
            }
            let places: Vec<usize> =
                (0..other.words.len()).filter(|&i| other.words[i].stem.as_deref() == Some(turned)).collect();
            let [there] = places.as_slice() else { return None };
            if other.words[there.saturating_sub(6)..(there + 4).min(other.words.len())].iter().any(is) {
                return None;
            }
            let mut near = other.before(*there);
            near.extend(other.after(*there));
            let close = before.last().is_none_or(|last| near.contains(last))
                && after.get(1).is_none_or(|next| near.contains(next));
            (close && same(&around, &near) >= around.len().min(2)).then(|| self.words[at].text.clone())
        })
    }

    fn with<'w, T>(&'w self, pick: impl Fn(&'w Word) -> Option<&'w T>) -> Vec<(usize, &'w T)> {
        self.words.iter().enumerate().filter_map(|(at, word)| Some((at, pick(word)?))).collect()
    }

    /// The content words before a place, in the order of the text.
    fn before(&self, at: usize) -> Vec<&str> {
        let mut near: Vec<&str> =
            self.words[..at].iter().rev().filter_map(|word| word.stem.as_deref()).take(NEAR).collect();
        near.reverse();
        near
    }

    fn after(&self, at: usize) -> Vec<&str> {
        self.words[at + 1..].iter().filter_map(|word| word.stem.as_deref()).take(NEAR).collect()
    }

    fn negated_near(&self, at: usize) -> bool {
        self.words[at + 1..].iter().take(2).any(|word| word.negation)
    }
}

/// Marks numbers that are a least or a most. The words that say so carry no topic and negate nothing.
fn bounds(words: &mut [Word]) {
    for at in 0..words.len() {
        if words[at].number.is_none() {
            continue;
        }
        let before: Vec<&str> =
            words[at.saturating_sub(3)..at].iter().map(|word| word.text.as_str()).collect();
        let Some((bound, length)) = Bound::parse(&before) else { continue };
        words[at].bound = Some(bound);
        for word in &mut words[at - length..at] {
            word.negation = false;
            word.stem = None;
        }
    }
}

/// Obligations and permissions of two words: `required to`, `allowed to`. Negated ones say something else.
fn phrases(words: &mut [Word]) {
    for at in 0..words.len().saturating_sub(1) {
        let force = match words[at].text.as_str() {
            "required" | "obliged" => Force::Obligation,
            "permitted" | "allowed" => Force::Permission,
            _ => continue,
        };
        let negated = words[at.saturating_sub(2)..at].iter().any(|word| word.negation);
        if words[at + 1].text == "to" && !negated {
            words[at].force = Some(force);
            words[at].stem = None;
        }
    }
}

fn same(a: &[&str], b: &[&str]) -> usize {
    a.iter().filter(|word| b.contains(word)).count()
}

/// Takes `(see 9.8)` and its like out: pointers say nothing about the matter.
fn without_pointers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find("(see ").or_else(|| rest.find("(primer ")) {
        out.push_str(&rest[..open]);
        match rest[open..].find(')') {
            Some(close) => rest = &rest[open + close + 1..],
            None => return out,
        }
    }
    out.push_str(rest);
    out
}

/// Bytes of each word or number; a point or comma between digits belongs to the number.
fn spans(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    let mut before = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |&(_, next)| next);
        let inside = c.is_alphanumeric()
            || (c == '\'' && before.is_alphabetic() && next.is_alphabetic())
            || (matches!(c, '.' | ',') && before.is_ascii_digit() && next.is_ascii_digit());
        match (inside, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push((from, at));
                start = None;
            }
            _ => {}
        }
        before = c;
    }
    found.extend(start.map(|from| (from, text.len())));
    found
}

/// `one` is left out: it stands for a noun more often than for a number.
fn number(word: &str) -> Option<String> {
    const WORDS: [&str; 11] =
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    if let Some(value) = WORDS.iter().position(|one| *one == word) {
        return Some((value + 2).to_string());
    }
    if let Some(value) = ordinal(word) {
        return Some(format!("{value}th"));
    }
    let digits = word.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
    (digits && word.contains(|c: char| c.is_ascii_digit())).then(|| word.replace(',', ""))
}

/// `fifth`, `5th`. `first` is left out: it orders more often than it counts.
fn ordinal(word: &str) -> Option<usize> {
    const WORDS: [&str; 11] = [
        "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
        "twelfth",
    ];
    if let Some(at) = WORDS.iter().position(|one| *one == word) {
        return Some(at + 2);
    }
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending))?;
    digits.parse().ok().filter(|value| *value > 1)
}

fn percent(after: &str) -> bool {
    let after = after.trim_start();
    after.starts_with('%') || after.starts_with("percent") || after.starts_with("per cent")
}

/// Whether the number at `from..to` names a text or a part of one: `Article 6`, `points 2 and 3`, `AC-2`, `§ 4`, `(2)`.
fn names_a_place(text: &str, (from, to): (usize, usize), before: &[Word]) -> bool {
    const WORDS: [&str; 30] = [
        "isa",
        "isqm",
        "isre",
        "isae",
        "ifrs",
        "ias",
        "art",
        "article",
        "articles",
        "section",
        "sections",
        "paragraph",
        "paragraphs",
        "point",
        "points",
        "chapter",
        "chapters",
        "primer",
        "part",
        "parts",
        "annex",
        "annexes",
        "recital",
        "recitals",
        "cfr",
        "no",
        "directive",
        "regulation",
        "appendix",
        "title",
    ];
    let mut left = text[..from].chars().rev();
    let (mark, further) = (left.next(), left.next());
    if mark == Some('-') && further.is_some_and(char::is_alphabetic)
        || mark == Some('(') && text[to..].starts_with(')')
        || text[..from].trim_end().ends_with('§')
    {
        return true;
    }
    let place = |word: &Word| word.place || WORDS.contains(&word.text.as_str());
    match before {
        [.., one] if place(one) => true,
        // A list of places goes on.
        [.., one, joined] => one.place && matches!(joined.text.as_str(), "and" | "or" | "to"),
        _ => false,
    }
}

/// `third party`, `third country`: no count.
fn names_a_party(word: &str, after: &str) -> bool {
    let next = after.trim_start().split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    word == "third" && ["party", "parties", "country", "countries", "person", "persons"].contains(&next)
}

fn is_negation(word: &str) -> bool {
    matches!(word, "not" | "no" | "never" | "cannot" | "rarely" | "seldom" | "hardly" | "scarcely" | "barely")
        || word.ends_with("n't")
}

fn quantity(word: &str) -> Option<Quantity> {
    Some(match word {
        "all" | "every" | "each" | "always" => Quantity::All,
        "some" | "sometimes" | "usually" | "normally" | "generally" | "often" | "typically"
        | "ordinarily" | "mostly" => Quantity::Some,
        "only" | "solely" | "exclusively" => Quantity::Only,
        _ => return None,
    })
}

fn force(word: &str) -> Option<Force> {
    match word {
        "shall" | "must" => Some(Force::Obligation),
        "should" => Some(Force::Recommendation),
        "may" | "might" | "can" | "could" => Some(Force::Permission),
        _ => None,
    }
}
