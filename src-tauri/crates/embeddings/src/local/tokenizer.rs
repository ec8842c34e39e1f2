//! BERT's tokenizer: clean, split at spaces and punctuation, then the longest known pieces of each word from its begin.
//!
//! Special tokens are never read from a text: `[SEP]` in a document is punctuation around a word.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization as _;

/// Longest word that is looked up, in characters; longer ones are unknown.
pub(super) const WORD_CHARS: usize = 100;

/// What happens to a text before it is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Normalizer {
    pub(super) clean: bool,
    pub(super) space_cjk: bool,
    pub(super) strip_accents: bool,
    pub(super) lowercase: bool,
}

/// Numbers of the tokens that stand for no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Special {
    pub(super) unknown: u32,
    pub(super) begin: u32,
    pub(super) end: u32,
}

/// A vocabulary and how to use it.
pub(super) struct Tokenizer {
    vocabulary: HashMap<Box<str>, u32>,
    prefix: Box<str>,
    word_chars: usize,
    /// Bytes of the longest piece: longer ones need no look-up.
    longest: usize,
    special: Special,
    normalizer: Normalizer,
    classes: Classes,
}

/// Ranges of characters by their general category.
struct Classes {
    punctuation: Vec<(char, char)>,
    /// Control, format, surrogate and private use.
    other: Vec<(char, char)>,
    nonspacing: Vec<(char, char)>,
}

impl Classes {
    fn new() -> Self {
        Self {
            punctuation: ranges(r"\p{P}"),
            other: ranges(r"[\p{Cc}\p{Cf}\p{Co}]"),
            nonspacing: ranges(r"\p{Mn}"),
        }
    }
}

fn ranges(class: &str) -> Vec<(char, char)> {
    use regex_syntax::hir::{Class, HirKind};
    match regex_syntax::parse(class).map(regex_syntax::hir::Hir::into_kind) {
        Ok(HirKind::Class(Class::Unicode(class))) => {
            class.iter().map(|range| (range.start(), range.end())).collect()
        }
        // The classes are constants, tested below.
        Ok(_) | Err(_) => Vec::new(),
    }
}

fn within(ranges: &[(char, char)], c: char) -> bool {
    let at = ranges.partition_point(|(_, end)| *end < c);
    ranges.get(at).is_some_and(|(start, _)| *start <= c)
}

/// The blocks of ideographs that BERT sets apart, as its first implementation lists them.
fn is_cjk(c: char) -> bool {
    matches!(u32::from(c),
        0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x2a6df | 0x2a700..=0x2b73f
        | 0x2b740..=0x2b81f | 0x2b820..=0x2ceaf | 0x2f800..=0x2fa1f)
}

impl Tokenizer {
    pub(super) fn new(
        vocabulary: HashMap<Box<str>, u32>,
        prefix: Box<str>,
        word_chars: usize,
        special: Special,
        normalizer: Normalizer,
    ) -> Self {
        let longest = vocabulary.keys().map(|piece| piece.len()).max().unwrap_or(0);
        Self {
            vocabulary,
            prefix,
            word_chars: word_chars.min(WORD_CHARS),
            longest,
            special,
            normalizer,
            classes: Classes::new(),
        }
    }

    /// The tokens of a text between begin and end, at most `length` with these. Reads no more of the text than it needs.
    pub(super) fn encode(&self, text: &str, length: usize) -> Vec<u32> {
        let room = length.saturating_sub(1).max(1);
        let mut tokens = vec![self.special.begin];
        let mut word = String::new();
        let mut chars = 0;
        let mut each = |c: char, tokens: &mut Vec<u32>| {
            let alone = c.is_ascii_punctuation() || (!c.is_ascii() && within(&self.classes.punctuation, c));
            if alone || c.is_whitespace() {
                self.pieces(&word, chars, tokens);
                word.clear();
                chars = 0;
                if alone {
                    self.pieces(c.encode_utf8(&mut [0; 4]), 1, tokens);
                }
            } else {
                // What is beyond makes no difference: the word is unknown already.
                if chars <= self.word_chars {
                    word.push(c);
                }
                chars += 1;
            }
            tokens.len() < room
        };
        let cleaned = text.chars().filter_map(|c| self.cleaned(c)).flat_map(|c| {
            let around = (self.normalizer.space_cjk && is_cjk(c)).then_some(' ');
            [around, Some(c), around].into_iter().flatten()
        });
        if self.normalizer.strip_accents {
            cleaned
                .nfd()
                .filter(|c| c.is_ascii() || !within(&self.classes.nonspacing, *c))
                .chain([' '])
                .all(|c| self.cased(c, |c| each(c, &mut tokens)));
        } else {
            cleaned.chain([' ']).all(|c| self.cased(c, |c| each(c, &mut tokens)));
        }
        tokens.truncate(room);
        tokens.push(self.special.end);
        tokens
    }

    fn cleaned(&self, c: char) -> Option<char> {
        if !self.normalizer.clean {
            return Some(c);
        }
        match c {
            '\t' | '\n' | '\r' => Some(' '),
            '\0' | '\u{fffd}' => None,
            c if c.is_ascii() => (!c.is_ascii_control()).then_some(c),
            c if within(&self.classes.other, c) => None,
            c => Some(if c.is_whitespace() { ' ' } else { c }),
        }
    }

    /// Hands on the character, in lower case when that is wanted; whether to go on.
    fn cased(&self, c: char, mut each: impl FnMut(char) -> bool) -> bool {
        if self.normalizer.lowercase { c.to_lowercase().all(each) } else { each(c) }
    }

    /// Adds the pieces of a word; the unknown token when a part of it is no piece.
    fn pieces(&self, word: &str, chars: usize, tokens: &mut Vec<u32>) {
        if word.is_empty() {
            return;
        }
        let before = tokens.len();
        let mut rest = if chars > self.word_chars { None } else { Some(word) };
        let mut candidate = String::new();
        while let Some(text) = rest.filter(|text| !text.is_empty()) {
            candidate.clear();
            if text.len() < word.len() {
                candidate.push_str(&self.prefix);
            }
            let prefix = candidate.len();
            candidate.push_str(&text[..text.floor_char_boundary(self.longest.saturating_sub(prefix))]);
            let found = loop {
                if candidate.len() <= prefix {
                    break None;
                }
                if let Some(token) = self.vocabulary.get(candidate.as_str()) {
                    break Some(*token);
                }
                candidate.pop();
            };
            rest = found.map(|token| {
                tokens.push(token);
                &text[candidate.len() - prefix..]
            });
        }
        if rest.is_none() {
            tokens.truncate(before);
            tokens.push(self.special.unknown);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    const PIECES: &[&str] = &[
        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "cafe", "audit", "##or", "##s", "##ing", "un", "##audit", "##ed",
        "a", "##a", "##b", ",", ".", "-", "[", "]", "sep", "中", "国", "…", "¿", "+", "é", "naive", "i", "E",
        "12", "##3",
    ];

    fn tokenizer(normalizer: Normalizer) -> Tokenizer {
        let vocabulary = PIECES.iter().zip(0..).map(|(piece, number)| ((*piece).into(), number)).collect();
        let special = Special { unknown: 1, begin: 2, end: 3 };
        Tokenizer::new(vocabulary, "##".into(), 100, special, normalizer)
    }

    const UNCASED: Normalizer =
        Normalizer { clean: true, space_cjk: true, strip_accents: true, lowercase: true };

    fn pieces(tokenizer: &Tokenizer, text: &str) -> String {
        let tokens = tokenizer.encode(text, 64);
        assert_eq!((tokens.first(), tokens.last()), (Some(&2), Some(&3)));
        let inner: Vec<_> = tokens[1..tokens.len() - 1].iter().map(|token| PIECES[*token as usize]).collect();
        inner.join(" ")
    }

    #[test]
    fn texts_become_the_pieces_of_an_uncased_model() {
        let uncased = tokenizer(UNCASED);
        let long = "a".repeat(100);
        let longer = "a".repeat(101);
        for (text, expected) in [
            ("", ""),
            (" \t\r\n\u{3000}\u{a0} ", ""),
            ("Auditors AUDITING", "audit ##or ##s audit ##ing"),
            ("unaudited", "un ##audit ##ed"),
            ("Café", "cafe"),
            ("Cafe\u{301}", "cafe"),
            ("naïve", "naive"),
            ("audit\u{0}\u{fffd}\u{200b}\u{ad}\u{7}or", "audit ##or"),
            ("a\u{85}a", "a ##a"),
            ("a\u{2028}a", "a a"),
            ("中国a", "中 国 a"),
            ("audit,audit…¿-", "audit , audit … ¿ -"),
            ("audit+", "audit +"),
            ("audit€", "[UNK]"),
            ("😀 a", "[UNK] a"),
            ("zaudit a", "[UNK] a"),
            ("auditz", "[UNK]"),
            ("[SEP]", "[ sep ]"),
            ("ΐ", "[UNK]"),
            ("İ", "i"),
            ("ẞ", "[UNK]"),
            ("123", "12 ##3"),
            (&longer, "[UNK]"),
        ] {
            assert_eq!(pieces(&uncased, text), expected, "{text:?}");
        }
        assert_eq!(uncased.encode(&long, 512).len(), 102);
    }

    #[test]
    fn a_cased_model_keeps_case_and_accents() {
        let cased = tokenizer(Normalizer { lowercase: false, strip_accents: false, ..UNCASED });
        assert_eq!(pieces(&cased, "E é audit Audit"), "E é audit [UNK]");
    }

    #[test]
    fn a_long_text_is_cut_and_its_rest_not_read() {
        let uncased = tokenizer(UNCASED);
        let tokens = uncased.encode(&"a ".repeat(1_000), 16);
        assert_eq!(tokens.len(), 16);
        assert_eq!(tokens.last(), Some(&3));
        // Ended within a word of several pieces.
        assert_eq!(uncased.encode("a unaudited", 5), [2, 12, 9, 10, 3]);
    }

    proptest! {
        #[test]
        fn any_text_gives_known_tokens_within_the_length(text in any::<String>(), length in 2_usize..40) {
            let uncased = tokenizer(UNCASED);
            let tokens = uncased.encode(&text, length);
            prop_assert!(tokens.len() >= 2 && tokens.len() <= length);
            prop_assert!(tokens.iter().all(|token| (*token as usize) < PIECES.len()));
        }
    }
}
