//! Words of which one says the opposite of the other.

use std::collections::BTreeSet;

use super::{Difference, Role, Statement};
use crate::item::ConflictKind;

/// Stems of words that can't both be said of one thing at one time.
const OPPOSITES: [(&str, &str); 29] = [
    ("abov", "below"),
    ("accept", "reject"),
    ("after", "befor"),
    ("all", "few"),
    ("allow", "forbid"),
    ("allow", "prohibit"),
    ("approv", "reject"),
    ("declin", "grew"),
    ("declin", "increas"),
    ("decreas", "grew"),
    ("decreas", "increas"),
    ("effect", "ineffect"),
    ("exclud", "includ"),
    ("fall", "rise"),
    ("fell", "grew"),
    ("fell", "increas"),
    ("fell", "rose"),
    ("few", "most"),
    ("higher", "lower"),
    ("illeg", "legal"),
    ("increas", "reduc"),
    ("lost", "won"),
    ("mandatori", "option"),
    ("mandatori", "voluntari"),
    ("oppos", "support"),
    ("permit", "prohibit"),
    ("safe", "unsaf"),
    ("strengthen", "weaken"),
    ("lower", "rais"),
];

/// The share of the shorter sentence's other content words that both have, in thousandths.
const MIN_OVERLAP: usize = 800;

/// Whether a stem is one of a pair: at the beginning of a sentence it is no name.
pub(super) fn is_opposite(stem: &str) -> bool {
    OPPOSITES.iter().any(|(one, turned)| *one == stem || *turned == stem)
}

impl Statement {
    /// The same sentence with a word turned round. Where one negates it, it is not.
    pub(super) fn opposite(&self, other: &Self) -> Option<Difference> {
        let negated = |one: &Self| one.words.iter().any(|word| word.role == Role::Negation);
        let (shared, shorter) = self.overlap(other);
        // Without the two words themselves.
        let around = shorter.saturating_sub(1);
        if around < 2 || shared * 1_000 < around * MIN_OVERLAP || negated(self) != negated(other) {
            return None;
        }
        let place =
            |one: &Self, stem: &str| one.words.iter().position(|word| word.stem.as_deref() == Some(stem));
        let own = |one: &Self, of: &Self, stem: &str| place(one, stem).filter(|_| !of.content.contains(stem));
        let both = OPPOSITES.iter().flat_map(|(one, turned)| [(*one, *turned), (*turned, *one)]);
        both.filter_map(|(mine, theirs)| {
            let (at, there) = (own(self, other, mine)?, own(other, self, theirs)?);
            // In the passive voice they stand on the other side.
            let beside = |one: &Self, at| {
                [one.before(at), one.after(at)].concat().into_iter().map(str::to_owned).collect()
            };
            let (near, far): (BTreeSet<String>, BTreeSet<String>) = (beside(self, at), beside(other, there));
            let (first, second) = (mine.to_owned(), theirs.to_owned());
            let difference = Difference { kind: ConflictKind::Negation, first, second };
            (near.intersection(&far).count() >= 2).then_some(difference)
        })
        .next()
    }
}
