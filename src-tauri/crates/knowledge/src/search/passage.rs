//! The best passage of a long paragraph: one that answers in a few of its words is not worth less for the others.

use std::collections::BTreeMap;

use super::weights::{PASSAGE_SHARE, PASSAGE_STEMS, PASSAGE_WORDS};
use super::words::Terms;
use crate::base::Base;
use crate::index::places_among;

/// Matches of one paragraph that are looked at.
const MAX_PLACES: usize = 1_000;

/// What the best passage of a paragraph, read with its title, adds to its score or takes from it; nothing where
/// the paragraph is hardly longer than a passage.
pub(super) fn gain(terms: &Terms<'_>, base: &Base, position: usize) -> f64 {
    let stems = base.index().lengths(position)[0];
    if stems <= PASSAGE_STEMS {
        return 0.0;
    }
    let (title, text) = base.paragraphs().words(position);
    let (wanted, language) = (terms.stems(base), base.index().language(position));
    let (title, title_words) = places_among(&title, language, &wanted);
    let (mut places, words) = places_among(&text, language, &wanted);
    if words <= PASSAGE_WORDS {
        return 0.0;
    }
    places.truncate(MAX_PLACES);
    let mut of_title: BTreeMap<usize, u32> = BTreeMap::new();
    title.iter().for_each(|&(stem, _)| *of_title.entry(stem).or_default() += 1);
    let with = |places: &[(usize, usize)]| {
        let mut counts = of_title.clone();
        places.iter().for_each(|&(stem, _)| *counts.entry(stem).or_default() += 1);
        counts
    };
    // Lengths are in stems, of which a passage has its share.
    let density = f64::from(stems) / (words + title_words) as f64;
    let whole = terms.text_score(&with(&places), f64::from(stems));
    let length = (PASSAGE_WORDS + title_words) as f64 * density;
    let mut best = 0.0_f64;
    for (first, &(_, start)) in places.iter().enumerate() {
        let inside = places[first..].iter().take_while(|(_, word)| *word < start + PASSAGE_WORDS).count();
        best = best.max(terms.text_score(&with(&places[first..first + inside]), length));
    }
    PASSAGE_SHARE * (best - whole)
}
