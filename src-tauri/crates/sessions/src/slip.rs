//! Slips of the fingers in words of texts: which words of an index may be meant by one that hardly a text has.

use std::collections::BTreeSet;

use store::{Term, Word};

use crate::excerpt::folded;

/// Shorter words are not corrected, and longer ones are not words.
const LETTERS: std::ops::RangeInclusive<usize> = 4..=40;
/// Words up to this length are corrected by one letter, longer ones by two.
const MAX_SHORT: usize = 5;
/// Letters that may stand at the beginning in place of another one.
const LATIN: std::ops::RangeInclusive<char> = 'a'..='z';
/// Of other scripts, letters within this distance of those of the word, in code points.
const NEIGHBOURS: u32 = 32;

/// A word that may be a slip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slip {
    /// As it was typed.
    pub typed: String,
    letters: Vec<char>,
    folded: String,
}

impl Slip {
    /// `None` for phrases, alternatives, unwanted words, numbers, and words that are too short.
    pub fn new(word: &Word) -> Option<Self> {
        let [typed] = word.any.as_slice() else { return None };
        let folded = folded(typed);
        let letters: Vec<char> = folded.chars().collect();
        let is_word = LETTERS.contains(&letters.len()) && letters.iter().all(|c| c.is_alphabetic());
        let is_word = is_word && !letters.iter().copied().any(text_analysis::is_paired);
        (is_word && !word.negated).then(|| Self { typed: typed.clone(), letters, folded })
    }

    /// How many letters may differ.
    fn far(&self) -> usize {
        if self.letters.len() <= MAX_SHORT { 1 } else { 2 }
    }

    /// How many letters a word that is meant may have: the fewest and the most.
    pub fn lengths(&self) -> (usize, usize) {
        (self.letters.len() - self.far(), self.letters.len() + self.far())
    }

    /// Beginnings that a word has that is meant, unless two of its first three letters are wrong. None is the beginning of another,
    /// so that an index is read in few short pieces.
    pub fn beginnings(&self) -> Vec<String> {
        shortest(once_wrong(&self.letters))
    }

    /// Beginnings where two slips are among the first letters, one of them a letter too many or two in the wrong order; none that
    /// [`beginnings`](Self::beginnings) covers. Empty for words that are corrected by one letter.
    pub fn further_beginnings(&self) -> Vec<String> {
        if self.far() < 2 {
            return Vec::new();
        }
        let tried: BTreeSet<String> = self.beginnings().into_iter().collect();
        // Beginnings have two letters or three.
        let is_tried = |one: &String| {
            let two = one.char_indices().nth(2).map_or(one.as_str(), |(at, _)| &one[..at]);
            tried.contains(one) || tried.contains(two)
        };
        let mut all = BTreeSet::new();
        for at in 0..=3 {
            let mut fewer = self.letters.clone();
            fewer.remove(at);
            all.extend(once_wrong(&fewer));
            let mut swapped = self.letters.clone();
            swapped.swap(at, at + 1);
            all.extend(once_wrong(&swapped));
        }
        all.retain(|one| !is_tried(one));
        shortest(all)
    }

    /// Those of the words that may be meant, the nearest first, of equally near ones that which most texts have. The word itself is
    /// none of them.
    pub fn nearest(&self, terms: Vec<Term>) -> Vec<Term> {
        let distance = |term: &Term| strsim::osa_distance(&self.folded, &term.text);
        let near = terms.into_iter().map(|term| (distance(&term), term));
        let mut near: Vec<(usize, Term)> =
            near.filter(|(distance, _)| (1..=self.far()).contains(distance)).collect();
        near.sort_by(|(near, one), (far, other)| {
            near.cmp(far).then(other.texts.cmp(&one.texts)).then(one.text.cmp(&other.text))
        });
        near.into_iter().map(|(_, term)| term).collect()
    }

    /// The line with another word in place of this one; where it is part of a filter it stays.
    pub fn replaced(&self, line: &str, by: &str) -> String {
        let is_whole = |at: usize| {
            let before = line[..at].chars().next_back();
            let after = line[at + self.typed.len()..].chars().next();
            !before.is_some_and(|c| c.is_alphanumeric() || c == ':')
                && !after.is_some_and(|c| c.is_alphanumeric() || c == ':')
        };
        match line.match_indices(&self.typed).find(|(at, _)| is_whole(*at)) {
            Some((at, _)) => format!("{}{by}{}", &line[..at], &line[at + self.typed.len()..]),
            None => line.to_owned(),
        }
    }
}

/// The beginnings of words that these letters may stand for, with one slip.
fn once_wrong(letters: &[char]) -> BTreeSet<String> {
    let [a, b, c, d] = [0, 1, 2, 3].map(|at| letters[at]);
    let mut others: BTreeSet<char> = LATIN.collect();
    for letter in [a, b, c].into_iter().filter(|letter| !letter.is_ascii()) {
        let near = u32::from(letter).saturating_sub(NEIGHBOURS)..=u32::from(letter) + NEIGHBOURS;
        others.extend(near.filter_map(char::from_u32).filter(|c| c.is_alphabetic() && !c.is_uppercase()));
    }
    let mut all: BTreeSet<String> = BTreeSet::from([
        // The third letter or a later one is wrong.
        String::from_iter([a, b]),
        // One too many, two in the wrong order.
        String::from_iter([b, c, d]),
        String::from_iter([a, c, d]),
        String::from_iter([b, a, c]),
        String::from_iter([a, c, b]),
    ]);
    for other in others {
        all.insert(String::from_iter([other, b, c]));
        all.insert(String::from_iter([a, other, c]));
        all.insert(String::from_iter([other, a, b]));
        all.insert(String::from_iter([a, other, b]));
    }
    all
}

/// Those that begin with no other one.
fn shortest(all: BTreeSet<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for beginning in all {
        // In order, so that a beginning stands right before those that begin with it.
        if !out.last().is_some_and(|last| beginning.starts_with(last.as_str())) {
            out.push(beginning);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slip(text: &str) -> Option<Slip> {
        Slip::new(&Word { any: vec![text.to_owned()], prefix: false, negated: false })
    }

    fn term(text: &str, texts: u32) -> Term {
        Term { text: text.to_owned(), texts }
    }

    /// Each word that one slip makes of another one: a letter too many, one too few, a wrong one, two in the wrong order.
    fn slips(word: &str, letters: &[char]) -> BTreeSet<String> {
        let word: Vec<char> = word.chars().collect();
        let mut all = BTreeSet::new();
        for at in 0..=word.len() {
            let (before, after) = word.split_at(at);
            let put = |between: &[char], after: &[char]| String::from_iter([before, between, after].concat());
            for letter in letters {
                all.insert(put(&[*letter], after));
                if let [_, rest @ ..] = after {
                    all.insert(put(&[*letter], rest));
                }
            }
            if let [first, rest @ ..] = after {
                all.insert(put(&[], rest));
                if let [second, rest @ ..] = rest {
                    all.insert(put(&[*second, *first], rest));
                }
            }
        }
        all.remove(&String::from_iter(&word));
        all
    }

    #[test]
    fn every_slip_of_one_letter_finds_the_word_among_those_with_its_beginnings() {
        let latin: Vec<char> = ('a'..='z').collect();
        let cyrillic: Vec<char> = ('а'..='я').collect();
        let mut tried = 0;
        for (word, letters) in [
            ("lease", &latin),
            ("materiality", &latin),
            ("inventory", &latin),
            ("aaaaab", &latin),
            ("goodwill", &latin),
            ("проверка", &cyrillic),
        ] {
            for typed in slips(word, letters) {
                let Some(slip) = slip(&typed) else {
                    assert!(typed.chars().count() < *LETTERS.start(), "{typed}");
                    continue;
                };
                let beginnings = slip.beginnings();
                assert!(beginnings.iter().any(|one| word.starts_with(one)), "{typed}: {beginnings:?}");
                let (least, most) = slip.lengths();
                assert!((least..=most).contains(&word.chars().count()), "{typed}");
                assert_eq!(slip.nearest(vec![term(word, 1)]), [term(word, 1)], "{typed}");
                tried += 1;
            }
        }
        assert!(tried > 2_000, "{tried}");
    }

    #[test]
    fn no_beginning_is_that_of_another_and_they_are_few() {
        for typed in ["materialty", "aaaa", "abab", "проверка", "ßßßß"] {
            let beginnings = slip(typed).expect("is a word").beginnings();
            assert!(beginnings.len() < 1_000, "{}", beginnings.len());
            for (at, one) in beginnings.iter().enumerate() {
                let again = beginnings.iter().skip(at + 1).find(|other| other.starts_with(one.as_str()));
                assert_eq!(again, None, "{one}");
            }
        }
    }

    #[test]
    fn two_slips_among_the_first_letters_find_the_word_in_few_further_pieces() {
        let mut tried = 0;
        for word in ["materiality", "inventory"] {
            // One letter too many or two in the wrong order, and any other slip.
            let letters: Vec<char> = word.chars().collect();
            let simple = (0..3).flat_map(|at| {
                let mut swapped = letters.clone();
                swapped.swap(at, at + 1);
                let mut more = letters.clone();
                more.insert(at, 'x');
                [swapped, more]
            });
            for typed in simple.flat_map(|once| slips(&String::from_iter(once), &['e', 'q'])) {
                let slip = slip(&typed).expect("is a word");
                if slip.nearest(vec![term(word, 1)]).is_empty() {
                    continue;
                }
                let further = slip.further_beginnings();
                assert!(further.len() < 1_000, "{typed}");
                let all = [slip.beginnings(), further].concat();
                assert!(all.iter().any(|one| word.starts_with(one.as_str())), "{typed}");
                tried += 1;
            }
        }
        assert!(tried > 300, "{tried}");
        assert_eq!(slip("lease").expect("is a word").further_beginnings(), Vec::<String>::new());
    }

    #[test]
    fn the_nearest_word_comes_first_then_the_one_that_more_texts_have() {
        let slip = slip("materialty").expect("is a word");
        let terms = vec![
            term("materials", 900),
            term("materiality", 3),
            term("materially", 8),
            term("materialty", 1),
            term("mineral", 5),
        ];
        let near: Vec<String> = slip.nearest(terms).into_iter().map(|term| term.text).collect();
        assert_eq!(near, ["materially", "materiality", "materials"]);
    }

    #[test]
    fn numbers_phrases_and_short_words_are_no_slips() {
        for text in ["", "ab", "abc", "2024", "ab12cd", "going concern", "a-b-c-d", "x\u{0}yzw", "付款期限"]
        {
            assert_eq!(slip(text), None, "{text}");
        }
        assert!(slip(&"x".repeat(41)).is_none());
        let word = |any: &[&str], negated| Word {
            any: any.iter().map(|text| (*text).to_owned()).collect(),
            prefix: false,
            negated,
        };
        assert_eq!(Slip::new(&word(&["lease"], true)), None);
        assert_eq!(Slip::new(&word(&["lease", "leases"], false)), None);
    }

    #[test]
    fn the_word_is_replaced_where_it_stands_alone() {
        let slip = slip("Leasse").expect("is a word");
        assert_eq!(slip.replaced("label:Leasse Leasses Leasse x", "lease"), "label:Leasse Leasses lease x");
        assert_eq!(slip.replaced("-Leasse", "lease"), "-lease");
        assert_eq!(slip.replaced("other", "lease"), "other");
    }
}
