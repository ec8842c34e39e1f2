//! BM25 over the fields of paragraphs, in one base or as if several were one.
//!
//! A term that the query repeats counts as often as it is repeated: on long questions that is worth real quality.

use std::collections::BTreeMap;

use super::query::TermShare;
use super::weights::{B, FIELD, K1};
use crate::base::Base;
use crate::graph::quantised;
use crate::index::{FIELDS, Stem, TEXT};

use super::MAX_TERMS;

/// The terms of a query, weighed over all the bases that are searched.
pub(super) struct Terms<'q> {
    terms: Vec<Term<'q>>,
    /// Average length of each field.
    average: [f64; FIELDS],
}

struct Term<'q> {
    written: &'q str,
    stem: &'q str,
    count: f64,
    /// What the term weighs in each field: its rarity there, the field's weight, how often it is asked for.
    weights: [f64; FIELDS],
}

impl<'q> Terms<'q> {
    pub(super) fn new(text: &'q str, stems: &'q [Stem], bases: &[&Base]) -> Self {
        let mut asked: BTreeMap<&str, (&str, f64)> = BTreeMap::new();
        for stem in stems.iter().take(MAX_TERMS) {
            asked.entry(&stem.stem).or_insert((&text[stem.from..stem.to], 0.0)).1 += 1.0;
        }
        let searched: f64 = bases.iter().map(|base| f64::from(base.index().searched)).sum();
        let average = std::array::from_fn(|field| {
            let total: f64 = bases.iter().map(|base| base.index().totals[field] as f64).sum();
            (total / searched.max(1.0)).max(1e-9)
        });
        let weigh = |(stem, (written, count)): (&'q str, (&'q str, f64))| {
            let mut holding = [0.0; FIELDS];
            for base in bases {
                let Some(term) = base.index().term(stem) else { continue };
                for (sum, more) in holding.iter_mut().zip(base.index().holding(term)) {
                    *sum += f64::from(more);
                }
            }
            let weights = std::array::from_fn(|field| {
                let rarity = (1.0 + (searched - holding[field] + 0.5) / (holding[field] + 0.5)).ln();
                rarity * (K1 + 1.0) * FIELD[field] * count
            });
            Term { written, stem, count, weights }
        };
        Self { terms: asked.into_iter().map(weigh).collect(), average }
    }

    /// The terms that a base knows, by their numbers there, and how often the query has each.
    pub(super) fn question(&self, base: &Base) -> Vec<(usize, f32)> {
        self.terms
            .iter()
            .filter_map(|term| Some((base.index().term(term.stem)?, term.count as f32)))
            .collect()
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

    /// The stems asked for, in the order in which [`Terms::text_score`] numbers them.
    pub(super) fn stems(&self) -> Vec<&'q str> {
        self.terms.iter().map(|term| term.stem).collect()
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
        let Some(number) = index.term(term.stem) else { return };
        let before = index.postings(number).take_while(|posting| (posting.position as usize) < end);
        for posting in before {
            let position = posting.position as usize;
            let lengths = index.lengths(position);
            let mut share = 0.0;
            for (field, length) in lengths.into_iter().enumerate() {
                let count = f64::from(posting.counts[field]);
                if count > 0.0 {
                    let length = f64::from(length) / self.average[field];
                    share += term.weights[field] * count / (count + K1 * (1.0 - B + B * length));
                }
            }
            found(position, share);
        }
    }
}
