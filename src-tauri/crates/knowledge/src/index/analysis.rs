//! From text to stems: runs of letters and digits, lower case, without stop words and single letters, in
//! Snowball's English stems.

use std::collections::{BTreeSet, HashMap};

use frostem::{Algorithm, Stemmer};

/// Part of the stored index's version: an index made by another analysis is built again when it is opened.
pub(crate) const ANALYSIS: u32 = 1;
/// Longer runs of letters (encoded pictures, keys) are no words.
const WORD_BYTES: usize = 64;

/// Words that carry no topic, in order. Negations and modals are kept out of the index too: what a paragraph
/// obliges someone to do is checked on its text, never by search.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does",
    "for", "from", "had", "has", "have", "how", "if", "in", "into", "is", "it", "its", "may", "must", "no",
    "not", "of", "on", "or", "shall", "should", "so", "such", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "to", "was", "were", "what", "when", "where", "which", "who",
    "why", "will", "with", "would", "you",
];

/// A stem and where its word stands in the text, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stem {
    /// The stem.
    pub stem: String,
    /// Where the word begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
}

/// The stems of a text in order, as the index sees them.
pub fn stems(text: &str) -> Vec<Stem> {
    let mut lower = String::new();
    words(text)
        .filter_map(|(from, word)| {
            stem(word, &mut lower).map(|stem| Stem { stem, from, to: from + word.len() })
        })
        .collect()
}

/// Where a text has words of these stems, in order. Only words that begin alike are stemmed: English stems keep
/// the first two letters of their words, but for the likes of `dying` and `die`.
pub(crate) fn stems_among(text: &str, wanted: &BTreeSet<&str>) -> Vec<Stem> {
    let beginnings: BTreeSet<[u8; 2]> = wanted.iter().filter_map(|stem| beginning(stem)).collect();
    let mut lower = String::new();
    words(text)
        .filter(|(_, word)| {
            beginning(word).is_none_or(|begins| begins[1] == b'y' || beginnings.contains(&begins))
        })
        .filter_map(|(from, word)| {
            let stem = stem(word, &mut lower).filter(|stem| wanted.contains(stem.as_str()))?;
            Some(Stem { stem, from, to: from + word.len() })
        })
        .collect()
}

/// Which of these stems a text has and at which of its words, in order, and how many words there are.
pub(crate) fn places_among(text: &str, wanted: &[&str]) -> (Vec<(usize, usize)>, usize) {
    let beginnings: BTreeSet<[u8; 2]> = wanted.iter().filter_map(|stem| beginning(stem)).collect();
    let (mut lower, mut places, mut count) = (String::new(), Vec::new(), 0);
    for (_, word) in words(text) {
        count += 1;
        if beginning(word).is_none_or(|begins| begins[1] == b'y' || beginnings.contains(&begins))
            && let Some(stem) = stem(word, &mut lower)
            && let Some(number) = wanted.iter().position(|one| *one == stem)
        {
            places.push((number, count - 1));
        }
    }
    (places, count)
}

fn beginning(word: &str) -> Option<[u8; 2]> {
    match *word.as_bytes() {
        [first, second, ..] if word.is_ascii() => {
            Some([first.to_ascii_lowercase(), second.to_ascii_lowercase()])
        }
        _ => None,
    }
}

/// The words of a text with their places in bytes.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let word = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let end = word.find(|c: char| !c.is_alphanumeric()).unwrap_or(word.len());
        let from = text.len() - word.len();
        rest = &word[end..];
        (end > 0).then(|| (from, &word[..end]))
    })
}

fn stem(word: &str, lower: &mut String) -> Option<String> {
    // A single letter numbers a list or stands for an apostrophe's rest; a single digit is a number.
    let letter = word.len() == 1 && !word.as_bytes()[0].is_ascii_digit();
    if letter || word.len() >= WORD_BYTES {
        return None;
    }
    lower.clear();
    if word.is_ascii() {
        lower.push_str(word);
        lower.make_ascii_lowercase();
    } else {
        lower.extend(word.chars().flat_map(char::to_lowercase));
    }
    if STOP_WORDS.binary_search(&lower.as_str()).is_ok() {
        return None;
    }
    Some(Stemmer::new(Algorithm::English).stem(lower).into_owned())
}

/// Numbers of stems in the order they are first met; each word is stemmed once.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    /// A word as written, and its stem's number unless it is a stop word.
    words: HashMap<String, Option<u32>>,
    numbers: HashMap<String, u32>,
}

impl Vocabulary {
    /// The numbers of a text's stems, in order.
    pub(crate) fn numbers(&mut self, text: &str, mut each: impl FnMut(u32)) {
        let mut lower = String::new();
        for (_, word) in words(text) {
            let number = match self.words.get(word) {
                Some(&known) => known,
                None => {
                    let number = stem(word, &mut lower).map(|stem| {
                        let next = self.numbers.len() as u32;
                        *self.numbers.entry(stem).or_insert(next)
                    });
                    self.words.insert(word.to_owned(), number);
                    number
                }
            };
            if let Some(number) = number {
                each(number);
            }
        }
    }

    /// Every stem with its number, by stem.
    pub(crate) fn sorted(self) -> Vec<(String, u32)> {
        let mut sorted: Vec<_> = self.numbers.into_iter().collect();
        sorted.sort_unstable();
        sorted
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{STOP_WORDS, stems, stems_among};

    #[test]
    fn stop_words_are_in_order() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn words_are_stemmed_where_they_stand() {
        let found: Vec<(String, usize, usize)> = stems("The Auditors’ 2nd über-controls")
            .into_iter()
            .map(|one| (one.stem, one.from, one.to))
            .collect();
        let expected = [("auditor", 4, 12), ("2nd", 16, 19), ("über", 20, 25), ("control", 26, 34)];
        assert_eq!(found, expected.map(|(stem, from, to)| (stem.to_owned(), from, to)));
    }

    #[test]
    fn words_are_found_by_stems_however_they_begin() {
        let text = "Dying plans, a plan; planning. ÜBERS and über's lie, skies: no sky. x y";
        let all = stems(text);
        for one in &all {
            let expected: Vec<_> = all.iter().filter(|other| other.stem == one.stem).cloned().collect();
            assert_eq!(stems_among(text, &BTreeSet::from([one.stem.as_str()])), expected);
        }
    }
}
