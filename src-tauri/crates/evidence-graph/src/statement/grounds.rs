//! What a sentence may say that rests on claims: nothing that none of them says.
//!
//! A sentence says more than its claims where it has a number, a date, a name, a modal verb or a negation that none of them
//! has. It turns a claim round where both are about the same and differ, or where every claim negates and the sentence does
//! not. Words that are not named things are not compared: two sentences may say the same in different words.

use std::collections::BTreeSet;

use super::{Force, Role, Statement};
use crate::analysis::contradictions::compared;
use crate::item::ConflictKind;
use crate::quantity::{Date, Quantity, Unit};

/// What a sentence may rest on.
#[derive(Debug, Clone, Default)]
pub struct Grounds {
    claims: Vec<Ground>,
    /// What sources, dates of sources and named things are called.
    beside: Vec<Statement>,
    /// Stems of names that may be used.
    names: BTreeSet<String>,
}

/// A claim.
#[derive(Debug, Clone)]
struct Ground {
    text: Statement,
    /// Other words for it, and the quotes that support it.
    others: Vec<Statement>,
    /// Stems of the names of what it is about.
    same: BTreeSet<String>,
}

impl Grounds {
    /// A claim in its words, in other words and in those of the quotes that support it, with the names of what it is about.
    pub fn claim<'t>(
        &mut self,
        text: &str,
        others: impl IntoIterator<Item = &'t str>,
        about: impl IntoIterator<Item = &'t str>,
    ) {
        let same: BTreeSet<String> =
            about.into_iter().flat_map(|name| Statement::of(name).content.clone()).collect();
        self.names.extend(same.iter().cloned());
        self.claims.push(Ground {
            text: Statement::of(text),
            others: others.into_iter().map(Statement::of).collect(),
            same,
        });
    }

    /// The title, the place or the day of a source: a sentence may name it.
    pub fn source(&mut self, text: &str) {
        self.beside.push(Statement::of(text));
    }

    /// A question that a claim answers: what it names may be named.
    pub fn question(&mut self, text: &str) {
        self.names.extend(Statement::of(text).content.iter().cloned());
    }

    /// In what a text says more than the claims. `known` are stems of names: one of them at the beginning of a sentence is a
    /// name, too.
    pub fn more(&self, text: &str, known: &BTreeSet<String>) -> Option<ConflictKind> {
        let sentence = Statement::of(text);
        sentence.words.iter().find_map(|word| {
            let stem = word.stem.as_deref().unwrap_or_default();
            match &word.role {
                Role::Number(number) => (!self.has_number(number)).then_some(ConflictKind::Number),
                Role::Date(date) => (!self.has_date(date)).then_some(ConflictKind::Date),
                Role::Modal(force) => (!self.has_modal(*force)).then_some(ConflictKind::Modal),
                Role::Negation => (!self.stated().any(Statement::negates)).then_some(ConflictKind::Negation),
                Role::Name => (!self.has_word(stem)).then_some(ConflictKind::Name),
                Role::Plain if self.has_word(stem) => None,
                // `10k`, `2nd`: no number that could be compared, and no word either.
                Role::Plain if stem.starts_with(|c: char| c.is_ascii_digit()) => Some(ConflictKind::Number),
                Role::Plain => (word.is_capital && known.contains(stem)).then_some(ConflictKind::Name),
            }
        })
    }

    /// In what a text says otherwise than a claim.
    pub fn other(&self, text: &str) -> Option<ConflictKind> {
        let sentence = Statement::of(text);
        for ground in &self.claims {
            let differs =
                |other: &Statement| compared(&sentence, other, !ground.same.is_empty(), &ground.same);
            // Where the words of a source bear it out, they say less than the claim, or say it more exactly.
            let bears_out = |other: &Statement| sentence.is_alike(other) && differs(other).is_none();
            if let Some(difference) = differs(&ground.text)
                && !ground.others.iter().any(bears_out)
            {
                return Some(difference.kind);
            }
        }
        let all_negate = !self.claims.is_empty() && self.claims.iter().all(|ground| ground.text.negates());
        (all_negate && !sentence.negates()).then_some(ConflictKind::Negation)
    }

    /// Whether a text is surer than the claims: all of them say what may or should be, and it says what is.
    pub fn surer(&self, text: &str) -> Option<ConflictKind> {
        let weaker = |ground: &Ground| {
            let mut forces = ground.text.forces().peekable();
            forces.peek().is_some() && forces.all(|force| force != Force::Obligation)
        };
        let all_weaker = !self.claims.is_empty() && self.claims.iter().all(weaker);
        (all_weaker && Statement::of(text).forces().next().is_none()).then_some(ConflictKind::Modal)
    }

    /// The words of the claims and of what supports them.
    fn stated(&self) -> impl Iterator<Item = &Statement> {
        self.claims.iter().flat_map(|ground| std::iter::once(&ground.text).chain(&ground.others))
    }

    fn has_number(&self, number: &Quantity) -> bool {
        let same = |other: &Quantity| {
            number.is_told_by(other) && number.bound == other.bound && !number.unit.excludes(&other.unit)
        };
        let mut all = self.stated().chain(&self.beside);
        // What is a year in one sentence may be a number in another.
        let is_bare = matches!(number.unit, Unit::Bare | Unit::Noun(_)) && number.bound.is_none();
        let year = |date: &Date| {
            let year = date.year.and_then(|year| Quantity::parse(&year.to_string()));
            year.is_some_and(|year| year.is_same_number(number))
        };
        all.any(|text| {
            text.numbers().any(|(_, other)| same(other))
                || (is_bare && text.dates().any(|(_, date)| year(date)))
        })
    }

    fn has_date(&self, date: &Date) -> bool {
        let year = date.year.filter(|_| date.month.is_none() && date.day.is_none());
        let year = year.and_then(|year| Quantity::parse(&year.to_string()));
        let is_number = |number: &Quantity| year.as_ref().is_some_and(|year| year.is_same_number(number));
        let mut all = self.stated().chain(&self.beside);
        all.any(|text| {
            text.dates().any(|(_, other)| other.states(date))
                || text.numbers().any(|(_, other)| is_number(other))
        })
    }

    fn has_modal(&self, force: Force) -> bool {
        self.stated().any(|text| text.forces().any(|other| other == force))
    }

    /// Whether a word may be used; one that carries no topic always.
    fn has_word(&self, stem: &str) -> bool {
        stem.is_empty()
            || self.names.contains(stem)
            || self.stated().chain(&self.beside).any(|text| text.content.contains(stem))
            || self.has_place(stem)
    }

    /// Whether a part of a text, `isa320.10`, is the place of a source.
    fn has_place(&self, stem: &str) -> bool {
        let digits = stem.find(|c: char| c.is_ascii_digit()).filter(|at| *at > 0);
        let Some(number) = digits.and_then(|at| Quantity::parse(&stem[at..])) else { return false };
        self.beside.iter().any(|text| text.numbers().any(|(_, place)| place.is_same_number(&number)))
    }
}

impl Statement {
    fn negates(&self) -> bool {
        self.words.iter().any(|word| word.role == Role::Negation)
    }

    fn forces(&self) -> impl Iterator<Item = Force> {
        self.words.iter().filter_map(|word| match word.role {
            Role::Modal(force) => Some(force),
            Role::Plain | Role::Name | Role::Number(_) | Role::Date(_) | Role::Negation => None,
        })
    }

    /// Stems of what is written with a capital letter inside a sentence.
    pub(crate) fn inner_names(&self) -> impl Iterator<Item = String> {
        let names = self.words.iter().filter(|word| word.role == Role::Name);
        names.filter_map(|word| word.stem.clone())
    }

    /// Whether both are about the same, as far as their words tell.
    fn is_alike(&self, other: &Self) -> bool {
        let (shared, shorter) = self.overlap(other);
        shared >= 2 && shared * 1_000 >= shorter * super::MIN_NEGATION_OVERLAP
    }
}
