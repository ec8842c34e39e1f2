//! Search: BM25 over the fields of paragraphs, similarity of vectors, both fused, then links; near copies folded.
//!
//! One ranking serves any number of bases: rarity of words, lengths and the scales of scores are taken over all
//! of them, as if they were one base. Every score that is compared is quantised first, ties go to the higher
//! tier, then to the base given first, then to the id: equal inputs give equal results.

mod duplicates;
mod expansion;
mod filter;
mod focus;
mod passage;
mod query;
mod rank;
mod snippet;
mod weights;
mod words;

use std::collections::BTreeSet;

use text_analysis::Language;

use crate::base::Base;
use crate::error::KnowledgeError;
use crate::index::{query_words, stems, stems_among};

pub(crate) use self::filter::named_in;
pub use self::query::{
    Filter, Hit, HitOrigin, MAX_HITS, MAX_OFFSET, Mode, Query, ScoreParts, Step, TermShare,
};

const MAX_QUERY_CHARS: usize = 4_000;
const MAX_TERMS: usize = 256;

impl Base {
    /// The best paragraphs for a query, best first; ties by id, so that equal inputs give equal results.
    pub fn search(&self, query: &Query) -> Result<Vec<Hit>, KnowledgeError> {
        Ok(search_many(&[self], query)?.into_iter().map(|(_, hit)| hit).collect())
    }
}

/// The best paragraphs of several bases, each with the place of its base in `bases`. Their scores are
/// comparable: they are made as if the bases were one.
pub fn search_many(bases: &[&Base], query: &Query) -> Result<Vec<(usize, Hit)>, KnowledgeError> {
    rank::search(bases, query)
}

/// The words of a query that a search looks for, each once, as the query wrote them.
pub fn terms(query: &str) -> Vec<String> {
    let text = clipped(query, MAX_QUERY_CHARS);
    let mut seen = BTreeSet::new();
    let words = stems(text).into_iter().take(MAX_TERMS);
    words
        .filter(|word| seen.insert(word.stem.clone()))
        .map(|word| text[word.from..word.to].to_owned())
        .collect()
}

/// Where words of a query stand in a text, in bytes, in order.
pub fn found_in(query: &str, text: &str) -> Vec<std::ops::Range<usize>> {
    let language = Language::find(text).unwrap_or(Language::ENGLISH);
    let words = query_words(clipped(query, MAX_QUERY_CHARS), &[language]);
    stems_among(text, language, &words).into_iter().map(|place| place.from..place.to).collect()
}

pub(crate) fn clipped(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(at, _)| &text[..at])
}
