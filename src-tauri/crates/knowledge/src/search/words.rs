//! BM25 over the fields of paragraphs, in one base or as if several were one.
//!
//! A term that the query repeats counts as often as it is repeated: on long questions that is worth real quality.

use std::collections::{BTreeMap, HashMap};

use super::expansion::Found;
use super::query::TermShare;
use super::weights::{B, FIELD, K1};
use crate::base::Base;
use crate::graph::quantised;
use crate::index::{FIELDS, QueryWord, TEXT};

use super::MAX_TERMS;

/// The terms of a query, weighed over all the bases that are searched.
pub(super) struct Terms<'q> {
    terms: Vec<Term<'q>>,
    bases: Vec<&'q Base>,
    /// Average length of each field.
    average: [f64; FIELDS],
}

struct Term<'q> {
    written: &'q str,
    count: f64,
    /// What the term weighs in each field: its rarity there, the field's weight, how often it is asked for.
    weights: [f64; FIELDS],
    /// Its paragraphs in each base.
    found: Vec<Found>,
}

impl<'q> Terms<'q> {
    /// `compounds`: whether a word is looked for in compounds, too.
    pub(super) fn new(text: &'q str, words: &'q [QueryWord], bases: &[&'q Base], compounds: bool) -> Self {
        let mut asked: BTreeMap<&[String], (&QueryWord, f64)> = BTreeMap::new();
        for word in words.iter().take(MAX_TERMS) {
            asked.entry(&word.forms).or_insert((word, 0.0)).1 += 1.0;
        }
        let searched: f64 = bases.iter().map(|base| f64::from(base.index().searched)).sum();
        let average = std::array::from_fn(|field| {
            let total: f64 = bases.iter().map(|base| base.index().totals[field] as f64).sum();
            (total / searched.max(1.0)).max(1e-9)
        });
        let weigh = |(word, count): (&'q QueryWord, f64)| {
            let found = |base: &&Base| {
                let compounds = compounds && base.languages().iter().any(|one| one.has_compounds());
                Found::find(base.index(), word, compounds)
            };
            let found: Vec<Found> = bases.iter().map(found).collect();
            let mut holding = [0.0; FIELDS];
            for (base, found) in bases.iter().zip(&found) {
                for (sum, more) in holding.iter_mut().zip(found.holding(base.index())) {
                    *sum += f64::from(more);
                }
            }
            let weights = std::array::from_fn(|field| {
                let rarity = (1.0 + (searched - holding[field] + 0.5) / (holding[field] + 0.5)).ln();
                rarity * (K1 + 1.0) * FIELD[field] * count
            });
            Term { written: &text[word.from..word.to], count, weights, found }
        };
        Self { terms: asked.into_values().map(weigh).collect(), bases: bases.to_vec(), average }
    }

    /// The terms that a base knows, by their numbers there, and how often the query has each.
    pub(super) fn question(&self, base: &Base) -> Vec<(usize, f32)> {
        let counted = |term: &Term<'_>| {
            let count = term.count;
            let terms = term.terms_of(self.place(base)).into_iter().flat_map(Found::terms);
            terms.map(|(number, share)| (number, (count * share) as f32)).collect::<Vec<_>>()
        };
        self.terms.iter().flat_map(counted).collect()
    }

    /// Where a base is among those that are searched.
    fn place(&self, base: &Base) -> usize {
        self.bases.iter().position(|one| std::ptr::eq(*one, base)).unwrap_or(usize::MAX)
    }

    /// The score of every paragraph of one of the bases, by position.
    pub(super) fn scores(&self, base: &Base) -> Vec<f64> {
        let mut scores = vec![0.0; base.columns().len()];
        for term in &self.terms {
            self.each(base, term, usize::MAX, |position, share| {
                if let Some(score) = scores.get_mut(position) {
                    *score += share;
                }
            });
        }
        scores
    }

    /// The stems asked for as a base has them, with the numbers that [`Terms::text_score`] knows them by. Compounds are none.
    pub(super) fn stems<'b>(&self, base: &'b Base) -> HashMap<&'b str, usize> {
        let (place, mut stems) = (self.place(base), HashMap::new());
        for (number, term) in self.terms.iter().enumerate() {
            for own in term.terms_of(place).into_iter().flat_map(Found::own) {
                stems.entry(base.index().terms().get(*own)).or_insert(number);
            }
        }
        stems
    }

    /// The score of a text of so many stems by itself, given how often it has each term.
    pub(super) fn text_score(&self, counts: &BTreeMap<usize, u32>, length: f64) -> f64 {
        let length = K1 * (1.0 - B + B * length / self.average[TEXT]);
        let share = |(&term, &count): (&usize, &u32)| {
            let count = f64::from(count);
            self.terms.get(term).map_or(0.0, |term| term.weights[TEXT] * count / (count + length))
        };
        counts.iter().map(share).sum()
    }

    /// What each term brought to some paragraphs of a base, given in ascending order.
    pub(super) fn shares(&self, base: &Base, positions: &[usize]) -> Vec<Vec<TermShare>> {
        let mut shares: Vec<Vec<TermShare>> = vec![Vec::new(); positions.len()];
        let end = positions.last().map_or(0, |&last| last + 1);
        for term in &self.terms {
            let mut next = 0;
            self.each(base, term, end, |position, share| {
                while positions.get(next).is_some_and(|&wanted| wanted < position) {
                    next += 1;
                }
                if positions.get(next) == Some(&position) {
                    shares[next].push(TermShare { term: term.written.to_owned(), share: quantised(share) });
                }
            });
        }
        for of_one in &mut shares {
            of_one.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| a.term.cmp(&b.term)));
        }
        shares
    }

    /// What a term brings to each paragraph before the position `end`.
    fn each(&self, base: &Base, term: &Term<'_>, end: usize, mut found: impl FnMut(usize, f64)) {
        let index = base.index();
        let mut add = |position: usize, counts: [f64; FIELDS]| {
            let lengths = index.lengths(position);
            let mut share = 0.0;
            for (field, length) in lengths.into_iter().enumerate() {
                let count = counts[field];
                if count > 0.0 {
                    let length = f64::from(length) / self.average[field];
                    share += term.weights[field] * count / (count + K1 * (1.0 - B + B * length));
                }
            }
            found(position, share);
        };
        match term.terms_of(self.place(base)) {
            None => {}
            Some(Found::One(number)) => {
                let before = index.postings(*number).take_while(|posting| (posting.position as usize) < end);
                before.for_each(|one| add(one.position as usize, one.counts.map(f64::from)));
            }
            Some(Found::Several(merged)) => {
                let before = merged.postings.iter().take_while(|(position, _)| (*position as usize) < end);
                before.for_each(|(position, counts)| add(*position as usize, *counts));
            }
        }
    }
}

impl Term<'_> {
    fn terms_of(&self, place: usize) -> Option<&Found> {
        self.found.get(place)
    }
}
