//! Quotes in blocks, word for word after white space is made one.

use crate::text::{Text, TextBlock};

/// The longest quote, in characters.
pub const MAX_QUOTE_CHARS: usize = 10_000;

/// Where a quote stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotePlace {
    /// The block's number.
    pub block: u32,
    /// Its page, where the format has pages.
    pub page: Option<u32>,
    /// The quote's first character in the block's text and the one after its last, counted from 0.
    pub range: (usize, usize),
}

/// Where a quote stands in a text, or in one block of it.
pub fn places(text: &Text, quote: &str, block: Option<u32>) -> Vec<QuotePlace> {
    let quote = normal(quote);
    let words: Vec<char> = quote.trim().chars().collect();
    if words.is_empty() || words.len() > MAX_QUOTE_CHARS {
        return Vec::new();
    }
    let blocks = text.blocks.iter().filter(|candidate| block.is_none_or(|number| number == candidate.number));
    blocks
        .filter_map(|block| {
            let range = range_of(block, &words)?;
            Some(QuotePlace { block: block.number, page: block.page, range })
        })
        .collect()
}

/// White space made one, and marks in their plain form.
fn normal(text: &str) -> String {
    compared(text).map(|(_, c)| c).collect()
}

/// The characters of a text as they are compared, each with its place: white space is one blank, quotation marks, apostrophes
/// and dashes are plain, and what is not seen is left out. Whoever copies a sentence types these as they can.
fn compared(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut blank = false;
    text.chars().enumerate().filter_map(move |(place, c)| {
        let c = match c {
            '\u{ad}' | '\u{200b}' | '\u{feff}' => return None,
            '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' | '\u{b4}' => '\'',
            '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{2033}' => '"',
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            c if c.is_whitespace() => ' ',
            c => c,
        };
        let again = c == ' ' && blank;
        blank = c == ' ';
        (!again).then_some((place, c))
    })
}

fn range_of(block: &TextBlock, words: &[char]) -> Option<(usize, usize)> {
    // Each character with its place in the block's own text.
    let (places, plain): (Vec<usize>, String) = compared(&block.text).unzip();
    let quote: String = words.iter().collect();
    let first = plain
        .match_indices(&quote)
        .find(|(at, found)| is_whole(&plain[..*at], found, &plain[at + found.len()..]));
    let start = plain[..first?.0].chars().count();
    let last = places.get(start + words.len() - 1)?;
    Some((*places.get(start)?, last + 1))
}

/// Words and numbers are whole: "ship" is not quoted from "shipment", nor "200" from "4,200" or "-200".
fn is_whole(before: &str, found: &str, after: &str) -> bool {
    let (first, last) = (found.chars().next(), found.chars().next_back());
    let mut left = before.chars().rev();
    let mut right = after.chars();
    let (near_left, far_left) = (left.next(), left.next());
    let (near_right, far_right) = (right.next(), right.next());
    let is = |c: Option<char>, kind: fn(char) -> bool| c.is_some_and(kind);
    let is_word = |c| is(c, char::is_alphanumeric);
    let is_digit = |c| is(c, |c| c.is_ascii_digit());
    let is_mark = |c| is(c, |c| matches!(c, '.' | ',' | '\''));
    let is_minus = |c| is(c, |c| c == '-');
    let cuts_word = (is_word(first) && is_word(near_left)) || (is_word(last) && is_word(near_right));
    let cuts_number = (is_digit(first) && is_mark(near_left) && is_digit(far_left))
        || (is_digit(last) && is_mark(near_right) && is_digit(far_right));
    let cuts_sign = is_digit(first) && is_minus(near_left) && !is_word(far_left);
    !(cuts_word || cuts_number || cuts_sign)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Kind;
    use domain::Digest;
    use pretty_assertions::assert_eq;

    fn text(blocks: &[&str]) -> Text {
        let blocks = blocks.iter().zip(1..).map(|(text, number)| TextBlock {
            number,
            page: Some(number * 10),
            heading: None,
            label: None,
            text: (*text).to_owned(),
            links: Vec::new(),
        });
        Text {
            object: Digest::of(b"x"),
            kind: Kind::Pdf,
            title: None,
            pages: None,
            blocks: blocks.collect(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_quote_is_found_whatever_its_white_space_with_page_and_range() {
        let text = text(&["Nothing here.", "The \u{fc}nit\n sold  4,200 tons, 4,200 tons in all."]);
        let place = QuotePlace { block: 2, page: Some(20), range: (4, 21) };
        assert_eq!(places(&text, " \u{fc}nit sold\u{a0}4,200 ", None), [place]);
        assert_eq!(places(&text, "\u{fc}nit sold 4,200", Some(2)), [place]);
        assert_eq!(places(&text, "\u{fc}nit sold 4,200", Some(1)), []);
        assert_eq!(places(&text, "\u{fc}nit sold 4,200", Some(9)), []);
    }

    #[test]
    fn another_word_number_letter_case_or_part_of_a_word_is_no_quote() {
        let text = text(&["The unit sold 4,200 tons.", "Second block"]);
        for quote in ["4,201 tons", "the unit", "unit old", "4,20", "ons.", "tons. Second", "", "  "] {
            assert_eq!(places(&text, quote, None), [], "{quote:?}");
        }
        assert_eq!(places(&text, &"x".repeat(MAX_QUOTE_CHARS + 1), None), []);
    }

    #[test]
    fn a_part_of_a_number_is_no_quote() {
        let text = text(&["It lost -300 or 4,200 tons, 1.5 % of 2-3, in 2024."]);
        for quote in ["300 or", "200 tons", "or 4", "5 %", "lost -300 or 4", "1"] {
            assert_eq!(places(&text, quote, None), [], "{quote:?}");
        }
        for quote in ["-300 or", "4,200 tons, 1.5", "3, in 2024", "2024"] {
            assert_eq!(places(&text, quote, None).len(), 1, "{quote:?}");
        }
    }

    #[test]
    fn marks_may_be_typed_as_a_keyboard_has_them() {
        let text = text(&["It\u{2019}s the \u{201c}best\u{201d} re\u{ad}sult \u{2013} in 2023\u{2013}24."]);
        let found = places(&text, "It's the \"best\" result - in 2023-24.", None);
        assert_eq!(found[0].range, (0, text.blocks[0].text.chars().count()));
        for quote in ["Its the \"best\"", "the best result", "in 202324"] {
            assert_eq!(places(&text, quote, None), [], "{quote:?}");
        }
    }

    #[test]
    fn a_whole_word_is_found_behind_a_part_of_another() {
        let text = text(&["shipment and ship"]);
        assert_eq!(places(&text, "ship", None)[0].range, (13, 17));
    }
}
