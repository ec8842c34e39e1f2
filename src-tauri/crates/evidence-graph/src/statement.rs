//! A sentence as its words, with what may turn its meaning round: numbers, dates, modals, negations.
//!
//! Two sentences are compared only where they speak of the same named things. What they differ in is a candidate for a
//! reader: shared words tell that two sentences are about the same, not that one denies the other.

mod asked;
mod grounds;
mod opposites;

use std::collections::BTreeSet;

use crate::item::ConflictKind;
use crate::keys::{normal, stem};
use crate::quantity::{Bound, Comparison, Date, Quantity, Unit, currency, month, scale};

pub use asked::ValueQuestion;
pub use grounds::Grounds;

/// Content words of each side that are compared around a difference.
const MAX_NEAR_WORDS: usize = 3;
/// The share of the shorter sentence's content words that both have, for a negation: in thousandths.
const MIN_NEGATION_OVERLAP: usize = 700;
/// The same for another name at one place.
const MIN_NAME_OVERLAP: usize = 600;

/// Stems of what has one place.
const SINGLE_PLACES: [&str; 7] = ["born", "capit", "die", "headquart", "locat", "offic", "situat"];
/// Stems of what one does, or a few together, when it is said in the passive voice.
const SINGLE_ACTS: [&str; 8] = ["compos", "design", "direct", "found", "invent", "paint", "sign", "written"];

/// A sentence that can be compared.
#[derive(Debug, Clone, Default)]
pub struct Statement {
    words: Vec<Word>,
    content: BTreeSet<String>,
    names: Vec<String>,
    /// Whether what is named second acts on what is named first.
    passive: bool,
}

#[derive(Debug, Clone)]
struct Word {
    /// The stem, where it carries a topic.
    stem: Option<String>,
    role: Role,
    /// Whether it is written with a capital letter.
    is_capital: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum Role {
    Plain,
    /// Written with a capital letter inside the sentence, or the number of a text or a part.
    Name,
    Number(Quantity),
    Date(Date),
    Modal(Force),
    Negation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Force {
    Obligation,
    Recommendation,
    Permission,
}

impl Force {
    fn name(self) -> &'static str {
        match self {
            Self::Obligation => "must",
            Self::Recommendation => "should",
            Self::Permission => "may",
        }
    }
}

/// What two sentences differ in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// In what.
    pub kind: ConflictKind,
    /// The first side of it.
    pub first: String,
    /// The second side of it.
    pub second: String,
}

/// A piece of a text.
struct Token<'t> {
    raw: &'t str,
    lower: String,
    /// Whether a hyphen stands directly before it.
    joined: bool,
    /// Whether a sentence begins with it.
    initial: bool,
}

impl Statement {
    /// Reads a sentence.
    pub fn of(text: &str) -> Self {
        let text = normal(text);
        let tokens = tokens(&text);
        let lower: Vec<&str> = tokens.iter().map(|token| token.lower.as_str()).collect();
        let mut words = Vec::with_capacity(tokens.len());
        // `free`: the first token that belongs to no number or date before. What `dollars` says of one amount, it says
        // not of the next.
        let (mut at, mut free) = (0, 0);
        while at < tokens.len() {
            let (role, taken) = role(&tokens, &lower, at, free);
            if let Role::Number(_) = &role {
                let count = before(&lower, at, free).1;
                words.truncate(words.len().saturating_sub(count));
            }
            let plain = matches!(role, Role::Plain | Role::Name);
            let place = plain && lower[at].starts_with(|c: char| c.is_ascii_digit());
            let stem = match role {
                Role::Name if place && at > 0 => Some(format!("{}{}", lower[at - 1], lower[at])),
                Role::Plain | Role::Name => stem(lower[at]),
                Role::Number(_) | Role::Date(_) | Role::Modal(_) | Role::Negation => None,
            };
            words.push(Word { stem, role, is_capital: tokens[at].raw.starts_with(char::is_uppercase) });
            at += taken;
            if taken > 1 {
                free = at;
            }
        }
        let content = words.iter().filter_map(|word| word.stem.clone()).collect();
        let is_named = |at: &usize| {
            // A capital letter at the beginning may be one of a name.
            words[*at].role == Role::Name
                || (*at == 0
                    && tokens[0].raw.starts_with(char::is_uppercase)
                    && !words[0].stem.as_deref().is_some_and(opposites::is_opposite))
        };
        let names = (0..words.len()).filter(is_named).filter_map(|at| words[at].stem.clone());
        // `see 2.9` says where more stands, not what this is about.
        let names = names.filter(|stem| !stem.strip_prefix("see").is_some_and(numeric_token)).collect();
        let is_be = |word: &&&str| matches!(**word, "was" | "were" | "is" | "are" | "been" | "being" | "be");
        let passive = lower.iter().find(is_be).is_some() && lower.contains(&"by");
        Self { words, content, names, passive }
    }

    /// The stems that carry its topic.
    pub fn content(&self) -> &BTreeSet<String> {
        &self.content
    }

    /// The sentence as claims are compared: its stems in order, and its numbers with units, dates, modals, negations.
    pub fn key(&self) -> String {
        let mut parts: Vec<String> = self.content.iter().cloned().collect();
        let mut signs: Vec<String> = self.words.iter().filter_map(|word| sign(&word.role)).collect();
        signs.sort();
        parts.append(&mut signs);
        parts.join(" ")
    }

    /// Whether both name the same things in opposite order: `A acquired B` and `B acquired A` have one key.
    pub fn is_reversed(&self, other: &Self) -> bool {
        let order = |one: &Self, of: &Self| {
            let mut names: Vec<String> = Vec::new();
            for word in one.words.iter().filter_map(|word| word.stem.as_ref()) {
                if !names.contains(word) && (one.names.contains(word) || of.names.contains(word)) {
                    names.push(word.clone());
                }
            }
            if one.passive {
                names.reverse();
            }
            names
        };
        let (mine, theirs) = (order(self, other), order(other, self));
        let voice = self.passive != other.passive;
        // Without a change of voice every order but the own one is another statement; with one, only the opposite is.
        if voice { mine.iter().rev().eq(theirs.iter()) && mine.len() > 1 } else { mine != theirs }
    }

    /// Content words that both have, and those of the shorter one.
    pub fn overlap(&self, other: &Self) -> (usize, usize) {
        let shared = self.content.intersection(&other.content).count();
        (shared, self.content.len().min(other.content.len()))
    }

    /// What both sentences say differently of the same thing; the surest kind first. `same` are stems that name the
    /// same entity in both, however they are written.
    pub fn difference(&self, other: &Self, same: &BTreeSet<String>) -> Option<Difference> {
        if self.is_apart(other, same) {
            return self.name(other, same);
        }
        let dated = self.dates_differ(other);
        // What fell at another time than it rose did both.
        let turned = self.opposite(other);
        let is_series = dated && turned.is_some();
        let number = || if dated { None } else { self.number(other) };
        number()
            .or_else(|| if is_series { None } else { self.date(other) })
            .or_else(|| self.modal(other))
            .or_else(|| self.negation(other))
            .or(turned.filter(|_| !dated))
            .or_else(|| self.name(other, same))
    }

    /// Whether each names something that the other does not: they are about different things.
    fn is_apart(&self, other: &Self, same: &BTreeSet<String>) -> bool {
        let own = |one: &Self, of: &Self| {
            one.names.iter().any(|name| !of.content.contains(name) && !same.contains(name))
        };
        own(self, other) && own(other, self)
    }

    fn numbers(&self) -> impl Iterator<Item = (usize, &Quantity)> {
        self.words.iter().enumerate().filter_map(|(at, word)| match &word.role {
            Role::Number(quantity) => Some((at, quantity)),
            Role::Plain | Role::Name | Role::Date(_) | Role::Modal(_) | Role::Negation => None,
        })
    }

    fn dates(&self) -> impl Iterator<Item = (usize, &Date)> {
        self.words.iter().enumerate().filter_map(|(at, word)| match &word.role {
            Role::Date(date) => Some((at, date)),
            Role::Plain | Role::Name | Role::Number(_) | Role::Modal(_) | Role::Negation => None,
        })
    }

    /// Numbers of different times don't contradict each other.
    fn dates_differ(&self, other: &Self) -> bool {
        let mut mine = self.dates().peekable();
        mine.peek().is_some()
            && other.dates().next().is_some()
            && mine.all(|(_, date)| other.dates().all(|(_, stated)| date.differs(stated)))
    }

    fn number(&self, other: &Self) -> Option<Difference> {
        let stated = |one: &Self, number: &Quantity| {
            one.numbers()
                .any(|(_, other)| other.unit == number.unit && other.compare(number) == Comparison::Agree)
        };
        for (at, mine) in self.numbers() {
            for (there, theirs) in other.numbers() {
                let near = self.near(at, other, there);
                let found = |kind| Some(Difference { kind, first: mine.shown(), second: theirs.shown() });
                if near >= 2 && mine.is_same_number(theirs) && mine.unit.excludes(&theirs.unit) {
                    return found(ConflictKind::Unit);
                }
                let counted = matches!(mine.unit, Unit::Noun(_));
                if mine.unit != theirs.unit || near < if counted { 1 } else { 2 } {
                    continue;
                }
                match mine.compare(theirs) {
                    Comparison::Opposed => return found(ConflictKind::Bound),
                    Comparison::Differ if !stated(other, mine) && !stated(self, theirs) => {
                        return found(ConflictKind::Number);
                    }
                    Comparison::Differ | Comparison::Agree => {}
                }
            }
        }
        None
    }

    fn date(&self, other: &Self) -> Option<Difference> {
        let mut numbers = self.numbers();
        let known = |number: &Quantity| other.numbers().any(|(_, stated)| stated.is_same_number(number));
        // Other numbers at another time: that is a series.
        if !numbers.all(|(_, number)| known(number)) {
            return None;
        }
        for (at, mine) in self.dates() {
            for (there, theirs) in other.dates() {
                let said = other.dates().any(|(_, date)| !date.differs(mine))
                    || self.dates().any(|(_, date)| !date.differs(theirs));
                if mine.differs(theirs) && !said && self.near(at, other, there) >= 2 {
                    let kind = ConflictKind::Date;
                    return Some(Difference { kind, first: mine.shown(), second: theirs.shown() });
                }
            }
        }
        None
    }

    fn modal(&self, other: &Self) -> Option<Difference> {
        let modals = |one: &Self| {
            let words = one.words.iter().enumerate();
            let force = words.filter_map(|(at, word)| match word.role {
                Role::Modal(force) => Some((at, force)),
                Role::Plain | Role::Name | Role::Number(_) | Role::Date(_) | Role::Negation => None,
            });
            force.collect::<Vec<_>>()
        };
        for (at, mine) in modals(self) {
            for (there, theirs) in modals(other) {
                let verb =
                    self.after(at).first().is_some_and(|verb| other.after(there).first() == Some(verb));
                let negated = [self.is_negated(at), other.is_negated(there)];
                // `may not` and `must not` forbid alike; one negation alone is a difference of its own.
                if mine != theirs && verb && negated == [false, false] && self.near(at, other, there) >= 2 {
                    let (first, second) = (mine.name().to_owned(), theirs.name().to_owned());
                    return Some(Difference { kind: ConflictKind::Modal, first, second });
                }
            }
        }
        None
    }

    fn negation(&self, other: &Self) -> Option<Difference> {
        let negated = |one: &Self| one.words.iter().any(|word| word.role == Role::Negation);
        let (shared, shorter) = self.overlap(other);
        let (mine, theirs) = (negated(self), negated(other));
        if mine == theirs || shorter < 2 || shared * 1_000 < shorter * MIN_NEGATION_OVERLAP {
            return None;
        }
        let (negated, plain) = if mine { (self, other) } else { (other, self) };
        let turned = negated
            .words
            .iter()
            .enumerate()
            .filter(|(_, word)| word.role == Role::Negation)
            .find_map(|(at, _)| negated.after(at).first().or(negated.before(at).first()).copied())?;
        if !plain.content.contains(turned) {
            return None;
        }
        let side = |is_negated: bool| if is_negated { format!("not {turned}") } else { turned.to_owned() };
        Some(Difference { kind: ConflictKind::Negation, first: side(mine), second: side(theirs) })
    }

    /// The same sentence with one other name in it, which is not the first that it names, where only one can be right:
    /// one is born in one place, but makes many things.
    fn name(&self, other: &Self, same: &BTreeSet<String>) -> Option<Difference> {
        let (shared, shorter) = self.overlap(other);
        let signs = |one: &Self| -> BTreeSet<String> {
            one.words.iter().filter_map(|word| sign(&word.role)).collect()
        };
        if shared < 3 || shared * 1_000 < shorter * MIN_NAME_OVERLAP || signs(self) != signs(other) {
            return None;
        }
        let is_single = |one: &Self| {
            let has = |stems: &[&str]| stems.iter().any(|stem| one.content.contains(*stem));
            has(&SINGLE_PLACES) || (one.passive && has(&SINGLE_ACTS))
        };
        if !(is_single(self) && is_single(other)) {
            return None;
        }
        let (from, to) = (self.only_names(other, same)?, other.only_names(self, same)?);
        let before = self.before(from.0).first().copied() == other.before(to.0).first().copied();
        let after = self.after(from.1).first().copied() == other.after(to.1).first().copied();
        let subject = |one: &Self, at: usize| one.before(at).is_empty();
        if !(before && after) || subject(self, from.0) || subject(other, to.0) {
            return None;
        }
        let shown = |one: &Self, (from, to): (usize, usize)| {
            let stems = one.words[from..=to].iter().filter_map(|word| word.stem.as_deref());
            stems.collect::<Vec<_>>().join(" ")
        };
        Some(Difference { kind: ConflictKind::Name, first: shown(self, from), second: shown(other, to) })
    }

    /// The first and last word of what only this sentence has, where that is one run of names.
    fn only_names(&self, other: &Self, same: &BTreeSet<String>) -> Option<(usize, usize)> {
        let is_own = |word: &Word| {
            word.stem.as_ref().is_some_and(|stem| !other.content.contains(stem) && !same.contains(stem))
        };
        let own: Vec<usize> = (0..self.words.len()).filter(|&at| is_own(&self.words[at])).collect();
        let (first, last) = (*own.first()?, *own.last()?);
        // `Article 6` and `Article 7` are two things, and not two values of one.
        let is_place =
            |word: &Word| word.stem.as_ref().is_some_and(|stem| stem.ends_with(|c: char| c.is_ascii_digit()));
        let are_names = own.iter().all(|&at| self.words[at].role == Role::Name && !is_place(&self.words[at]));
        (are_names && last - first <= MAX_NEAR_WORDS).then_some((first, last))
    }

    /// Content words around two places that both have.
    fn near(&self, at: usize, other: &Self, there: usize) -> usize {
        let shared =
            |mine: Vec<&str>, theirs: Vec<&str>| mine.iter().filter(|word| theirs.contains(word)).count();
        shared(self.before(at), other.before(there)) + shared(self.after(at), other.after(there))
    }

    /// The content words before a place, the nearest first.
    fn before(&self, at: usize) -> Vec<&str> {
        self.words[..at].iter().rev().filter_map(|word| word.stem.as_deref()).take(MAX_NEAR_WORDS).collect()
    }

    /// The content words after a place, the nearest first.
    fn after(&self, at: usize) -> Vec<&str> {
        self.words[at + 1..].iter().filter_map(|word| word.stem.as_deref()).take(MAX_NEAR_WORDS).collect()
    }

    fn is_negated(&self, at: usize) -> bool {
        self.words[at + 1..].iter().take(2).any(|word| word.role == Role::Negation)
    }
}

/// What a word adds to the key of a sentence besides its stem.
fn sign(role: &Role) -> Option<String> {
    match role {
        Role::Plain | Role::Name => None,
        Role::Number(quantity) => Some(format!("={}", quantity.shown())),
        Role::Date(date) => Some(format!("@{}", date.shown())),
        Role::Modal(force) => Some(format!("!{}", force.name())),
        Role::Negation => Some("!not".to_owned()),
    }
}

/// Words and numbers; a point or comma between digits belongs to the number. Marks of money and `%` are tokens.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found: Vec<Token<'_>> = Vec::new();
    let mut chars = text.char_indices().peekable();
    let (mut start, mut before, mut joined, mut initial) = (None, ' ', false, true);
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |&(_, next)| next);
        let inside = c.is_alphanumeric()
            || (matches!(c, '\'' | '’') && before.is_alphabetic() && next.is_alphabetic())
            || (matches!(c, '.' | ',') && before.is_ascii_digit() && next.is_ascii_digit());
        let end = at + c.len_utf8();
        if inside && start.is_none() {
            start = Some(at);
        }
        if let Some(from) = start
            && inside
            && !continues(next, c, chars.clone().nth(1).map_or(' ', |(_, c)| c))
        {
            let raw = &text[from..end];
            found.push(Token { raw, lower: raw.to_lowercase().replace('’', "'"), joined, initial });
            (start, initial, joined) = (None, false, false);
        } else if !inside {
            joined = c == '-' && before.is_alphanumeric();
            initial |= matches!(c, '.' | '!' | '?' | ':' | '"' | '“');
            if matches!(c, '$' | '€' | '£' | '¥' | '%') {
                found.push(Token {
                    raw: &text[at..end],
                    lower: c.to_string(),
                    joined: false,
                    initial: false,
                });
            }
        }
        before = c;
    }
    found
}

/// Whether a word goes on after `last` with `next`, which stands before `third`.
fn continues(next: char, last: char, third: char) -> bool {
    next.is_alphanumeric()
        || (matches!(next, '\'' | '’') && last.is_alphabetic() && third.is_alphabetic())
        || (matches!(next, '.' | ',') && last.is_ascii_digit() && third.is_ascii_digit())
}

/// What the token at a place is, and how many tokens say it. Tokens before `free` belong to others.
fn role(tokens: &[Token<'_>], lower: &[&str], at: usize, free: usize) -> (Role, usize) {
    let word = lower[at];
    if let Some((date, taken)) = date(tokens, lower, at) {
        return (Role::Date(date), taken);
    }
    if is_place(tokens, lower, at) {
        return (Role::Name, 1);
    }
    if let Some((quantity, taken)) = number(lower, at, free) {
        return (Role::Number(quantity), taken);
    }
    let next = lower.get(at + 1).copied();
    let obliged = matches!(word, "required" | "obliged") && next == Some("to");
    let allowed = matches!(word, "permitted" | "allowed") && next == Some("to");
    let role = match word {
        "shall" | "must" => Role::Modal(Force::Obligation),
        "should" => Role::Modal(Force::Recommendation),
        "may" | "might" | "can" | "could" => Role::Modal(Force::Permission),
        _ if obliged => Role::Modal(Force::Obligation),
        _ if allowed => Role::Modal(Force::Permission),
        "not" | "no" | "never" | "cannot" | "without" | "neither" | "nor" => Role::Negation,
        _ if word.ends_with("n't") => Role::Negation,
        _ if tokens[at].raw.starts_with(char::is_uppercase) && !tokens[at].initial => Role::Name,
        _ => Role::Plain,
    };
    (role, 1)
}

/// Whether a number names a text or a part of one: `Article 6`, `AC-2`.
fn is_place(tokens: &[Token<'_>], lower: &[&str], at: usize) -> bool {
    const WORDS: [&str; 17] = [
        "annex",
        "appendix",
        "art",
        "article",
        "chapter",
        "clause",
        "isa",
        "no",
        "paragraph",
        "part",
        "point",
        "regulation",
        "section",
        "see",
        "title",
        "version",
        "volume",
    ];
    let numeric = lower[at].starts_with(|c: char| c.is_ascii_digit());
    numeric
        && at > 0
        && (tokens[at].joined && !numeric_token(lower[at - 1]) || WORDS.contains(&lower[at - 1]))
}

fn numeric_token(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// The bound and the currency that the words directly before a number say, and how many words say them. Words before
/// `free` belong to others.
fn before(lower: &[&str], at: usize, free: usize) -> ((Option<Bound>, Option<&'static str>), usize) {
    let money = at.checked_sub(1).filter(|one| *one >= free).and_then(|one| currency(lower[one]));
    let end = if money.is_some() { at - 1 } else { at };
    let bound = Bound::parse(&lower[end.saturating_sub(3).max(free)..end]);
    ((bound.map(|(bound, _)| bound), money), at - end + bound.map_or(0, |(_, count)| count))
}

fn number(lower: &[&str], at: usize, free: usize) -> Option<(Quantity, usize)> {
    let ((bound, money), _) = before(lower, at, free);
    let (mut quantity, mut taken) = match Quantity::parse(lower[at]) {
        Some(quantity) => (quantity, 1),
        None => {
            // `$5m`, `€3bn`
            let end = lower[at].find(|c: char| c.is_alphabetic())?;
            let power = scale(&lower[at][end..]).filter(|_| money.is_some())?;
            (Quantity::parse(&lower[at][..end])?.scaled(power), 1)
        }
    };
    let next = |taken: usize| lower.get(at + taken).copied().unwrap_or_default();
    if let Some(power) = scale(next(taken)).filter(|_| next(taken).len() > 1) {
        quantity = quantity.scaled(power);
        taken += 1;
    }
    quantity.bound = bound;
    let unit = Unit::of_word(next(taken));
    let cent = next(taken) == "per" && next(taken + 1) == "cent";
    if let Some(money) = money {
        quantity.unit = Unit::Money(money);
    } else if cent {
        (quantity.unit, taken) = (Unit::Share, taken + 2);
    } else if let Some(unit) = unit {
        (quantity.unit, taken) = (unit, taken + 1);
    } else if let Some(stem) = stem(next(taken)).filter(|stem| stem.chars().all(char::is_alphabetic)) {
        // The word itself stays a word of the sentence.
        quantity.unit = Unit::Noun(stem);
    }
    Some((quantity, taken))
}

fn date(tokens: &[Token<'_>], lower: &[&str], at: usize) -> Option<(Date, usize)> {
    let number = |at: usize, most: u16| {
        let word =
            lower.get(at).filter(|word| word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_digit()))?;
        word.parse::<u16>().ok().filter(|value| (1..=most).contains(value))
    };
    let day = |at: usize| number(at, 31).and_then(|day| u8::try_from(day).ok());
    let year = |at: usize| number(at, 2_100).filter(|year| *year >= 1_000);
    let named = |at: usize| lower.get(at).and_then(|word| month(word)).filter(|_| tokens[at].raw.len() > 2);
    let full = |year, month, day, taken| Some((Date { year, month, day }, taken));
    if let (Some(month), Some(first)) = (named(at + 1), day(at))
        // `12 may vote` is a permission.
        && (lower[at + 1] != "may" || tokens[at + 1].raw == "May" || year(at + 2).is_some())
    {
        let year = year(at + 2);
        return full(year, Some(month), Some(first), if year.is_some() { 3 } else { 2 });
    }
    if let Some(month) = named(at).filter(|_| tokens[at].raw.starts_with(char::is_uppercase)) {
        return match (day(at + 1), year(at + 1), year(at + 2)) {
            (Some(day), _, Some(year)) => full(Some(year), Some(month), Some(day), 3),
            (Some(day), _, None) => full(None, Some(month), Some(day), 2),
            (None, Some(year), _) => full(Some(year), Some(month), None, 2),
            (None, None, _) => None,
        };
    }
    let year = year(at)?;
    let joined = |at: usize| tokens.get(at).is_some_and(|token| token.joined);
    if joined(at + 1)
        && joined(at + 2)
        && let (Some(month), Some(day)) = (number(at + 1, 12), day(at + 2))
    {
        return full(Some(year), u8::try_from(month).ok(), Some(day), 3);
    }
    const BEFORE: [&str; 18] = [
        "in", "since", "until", "from", "of", "before", "after", "during", "year", "by", "early", "late",
        "circa", "fiscal", "for", "between", "and", "to",
    ];
    let preceded = at > 0 && BEFORE.contains(&lower[at - 1]);
    let next = lower.get(at + 1).copied().unwrap_or_default();
    let last = stem(next).is_none();
    let range = tokens[at].joined || joined(at + 1);
    // `the 2010 census`, but `1755 students`.
    let single = year >= 1_900 && next.chars().all(char::is_alphabetic) && !is_plural(next);
    ((preceded || last || range || single) && year >= 1_500)
        .then_some((Date { year: Some(year), month: None, day: None }, 1))
}

fn is_plural(word: &str) -> bool {
    let ends = |ending: &str| word.ends_with(ending);
    matches!(word, "people" | "men" | "women" | "children")
        || (ends("s") && !ends("ss") && !ends("us") && !ends("is"))
}
