//! Which paragraphs hold a word: finds where a misattributed quote really stands.

use std::borrow::Cow;
use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization as _;

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
            for word in text.split(|c: char| !c.is_alphanumeric() && c != '\u{ad}') {
                if !word.is_empty() {
                    index.add(&key(word), position as u32);
                }
            }
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

    /// Paragraphs that hold all the words, in document order, at most [`CANDIDATES`].
    pub fn holding<'w>(&self, words: impl Iterator<Item = &'w str>) -> Vec<usize> {
        let mut lists = Vec::new();
        for word in words {
            match self.postings.get(key(word).as_str()) {
                Some(list) => lists.push(list.as_slice()),
                None => return Vec::new(),
            }
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

fn key(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    word.chars().filter(|&c| c != '\u{ad}').nfkc().flat_map(char::to_lowercase).collect()
}
