//! Where sentences end.

use domain::{ends_sentence, sentence_tail};
use text_analysis::is_full_stop;

/// The sentences of a text with at least three words. Semicolons, decimals, abbreviations and full stops inside
/// parentheses end none; a line break ends one where a list item or another paragraph begins.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut start = 0;
    let pieces = sentence_ends(text).into_iter().chain([text.len()]).map(|end| {
        let piece = &text[start..end];
        start = end;
        piece
    });
    pieces
        .map(|one| one.trim().trim_start_matches(['"', '\'', '”', '’', ')']).trim_start())
        .filter(|one| super::quote::count_words(one) >= 3)
        .collect()
}

/// The bytes after which another sentence begins; a line break belongs to what follows it.
pub(crate) fn sentence_ends(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut start, mut depth) = (0, 0_u32);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '.' | '!' | '?' if depth == 0 && ends_sentence(&text[start..at], c, &text[at + 1..]) => {
                // The number of a note belongs to its sentence.
                let tail = sentence_tail(&text[at + 1..]);
                start = at + 1 + if text[at + 1..][..tail].contains('[') { tail } else { 0 };
                found.push(start);
            }
            c if depth == 0 && is_full_stop(c) => {
                start = at + c.len_utf8();
                found.push(start);
            }
            '\n' if breaks(&text[at + 1..]) => {
                found.push(at);
                start = at + 1;
                depth = 0;
            }
            _ => {}
        }
    }
    found
}

fn breaks(rest: &str) -> bool {
    let line = rest.trim_start_matches([' ', '\t']);
    line.starts_with(['\n', '-', '*', '•', '('])
        || line.starts_with(char::is_uppercase)
        || line.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn sentences_end_where_a_reader_ends_them() {
        let text = "It was EUR 8.0 million; the rest, e.g. stock, was less (see 9.8. And 9.9). Then came Art. 6 of it! \"Is it so?\" Nobody knew";
        assert_eq!(
            sentences(text),
            [
                "It was EUR 8.0 million; the rest, e.g. stock, was less (see 9.8. And 9.9).",
                "Then came Art. 6 of it!",
                "Is it so?"
            ]
        );
    }

    #[test]
    fn sentences_of_scripts_without_blanks_end_at_their_own_stop() {
        assert_eq!(sentences("付款期限为三十日。逾期须付利息。"), ["付款期限为三十日。", "逾期须付利息。"]);
    }

    #[test]
    fn a_line_break_inside_a_sentence_does_not_end_it() {
        assert_eq!(
            sentences("One long\nsentence here.\n- an item of three"),
            ["One long\nsentence here.", "- an item of three"]
        );
    }
}
