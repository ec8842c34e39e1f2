//! Which paragraphs hold a word: finds where a misattributed quote really stands.

use std::borrow::Cow;
use std::collections::HashMap;

use text_analysis::{Kind, each_token, lower};

/// Word -> paragraphs that hold it, ascending.
#[derive(Debug, Default)]
pub struct WordIndex {
    postings: HashMap<Box<str>, Vec<u32>>,
}

/// Paragraphs that are compared with one quote.
const CANDIDATES: usize = 24;

impl WordIndex {
    pub(crate) fn build<'t>(texts: impl Iterator<Item = Cow<'t, str>>) -> Self {
        let mut index = Self::default();
        for (position, text) in texts.enumerate() {
            each_key(&text, |key| index.add(key, position as u32));
        }
        index
    }

    fn add(&mut self, word: &str, position: u32) {
        match self.postings.get_mut(word) {
            Some(list) => {
                if list.last() != Some(&position) {
                    list.push(position);
                }
            }
            None => {
                self.postings.insert(word.into(), vec![position]);
            }
        }
    }

    /// Paragraphs that hold all the words of a text, in document order, at most [`CANDIDATES`].
    pub fn holding(&self, words: &str) -> Vec<usize> {
        let mut lists = Vec::new();
        let mut unknown = false;
        each_key(words, |key| match self.postings.get(key) {
            Some(list) => lists.push(list.as_slice()),
            None => unknown = true,
        });
        if unknown {
            return Vec::new();
        }
        lists.sort_by_key(|list| list.len());
        let Some((rarest, others)) = lists.split_first() else { return Vec::new() };
        rarest
            .iter()
            .filter(|&position| others.iter().all(|list| list.binary_search(position).is_ok()))
            .take(CANDIDATES)
            .map(|&position| position as usize)
            .collect()
    }
}

/// The words of a text without their case, and where they have no blanks between them, its pairs of signs. A single sign may be
/// the end of a run, so it says nothing.
fn each_key(text: &str, mut each: impl FnMut(&str)) {
    let mut scratch = String::new();
    each_token(text, |token| {
        if matches!(token.kind, Kind::Word | Kind::Pair) {
            each(lower(token.text, &mut scratch));
        }
    });
}
