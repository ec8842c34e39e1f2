//! Words of documents in an answer's text. What looks like a mark of the answer's own in them, a label or a reference, is the
//! document's.

use std::ops::Range;

/// Closing marks that are tried for a quotation: its words may have quotations of their own.
const MAX_CLOSINGS: usize = 8;

/// Words that documents have, as citations list them.
#[derive(Debug, Default)]
pub(crate) struct QuotedWords {
    /// Each as it is, without blanks.
    tight: Vec<String>,
    /// Each as it is compared: its letters and digits.
    plain: Vec<String>,
}

impl QuotedWords {
    pub(crate) fn new<'q>(quotes: impl Iterator<Item = &'q str>) -> Self {
        let mut words = Self::default();
        for quote in quotes.filter(|quote| quote.contains(char::is_alphanumeric)) {
            words.tight.push(quote.split_whitespace().collect());
            words.plain.push(plain(quote));
        }
        words
    }

    /// Whether a document has this mark.
    pub(crate) fn hold(&self, mark: &str) -> bool {
        let mark: String = mark.split_whitespace().collect();
        self.tight.iter().any(|quote| quote.contains(&mark))
    }

    /// The quotations of a text that are a document's words, without the marks around them.
    pub(crate) fn places(&self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        if self.plain.is_empty() {
            return found;
        }
        for (at, open) in text.char_indices() {
            if found.last().is_some_and(|last| at < last.end) {
                continue;
            }
            let closings: &[char] = match open {
                '"' => &['"'],
                '\u{201C}' => &['\u{201D}'],
                '\u{201E}' => &['\u{201C}', '\u{201D}'],
                '\u{AB}' => &['\u{BB}'],
                _ => continue,
            };
            let from = at + open.len_utf8();
            let ends =
                text[from..].match_indices(closings).take(MAX_CLOSINGS).map(|(length, _)| from + length);
            let longest = ends.filter(|end| self.has(&text[from..*end])).last();
            found.extend(longest.map(|end| from..end));
        }
        found
    }

    fn has(&self, words: &str) -> bool {
        let words = plain(words);
        !words.is_empty() && self.plain.iter().any(|quote| quote.contains(&words))
    }
}

fn plain(words: &str) -> String {
    words.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::QuotedWords;

    #[test]
    fn quotations_of_documents_are_found_and_others_are_not() {
        let words = QuotedWords::new(["The part [P1] (Art. 6) says \u{201c}so\u{201d} to all."].into_iter());
        let text = "It reads \u{201c}the part [P1] (Art. 6) says \u{201c}so\u{201d} to all\u{201d} and \u{201c}not (Art. 7)\u{201d}.";
        let found: Vec<&str> = words.places(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["the part [P1] (Art. 6) says \u{201c}so\u{201d} to all"]);
        assert!(words.hold("[P1]") && !words.hold("[P2]"));
        assert!(QuotedWords::default().places(text).is_empty());
    }
}
