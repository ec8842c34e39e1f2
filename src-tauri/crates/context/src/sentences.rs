//! Sentences of a text that others wrote: where each begins and ends.

use std::ops::Range;

use domain::{KeyForm, ends_sentence, sentence_tail};

/// Words after which a full stop ends no sentence, in requests of earlier versions: their numbers of sentences are in the
/// logs of their runs.
const EARLIER_ABBREVIATIONS: [&str; 24] = [
    "e.g", "i.e", "etc", "cf", "vs", "viz", "art", "arts", "para", "paras", "no", "nos", "sec", "fig", "mr",
    "mrs", "ms", "dr", "st", "inc", "ltd", "co", "approx", "pp",
];
/// A shorter piece is part of the next one: a number, a letter, a label.
const LEAST_WORDS: usize = 3;

/// The sentences of a text, in order, without the white space around them. Together they hold every word. Decimals,
/// abbreviations and full stops inside brackets end none; a line break ends one where an item or another paragraph
/// begins. What is shorter than three words goes with what follows it on the same line, or with what is before it.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    sentences_for(text, KeyForm::Marked)
}

/// The same as they are numbered for keys of a form.
pub(crate) fn sentences_for(text: &str, form: KeyForm) -> Vec<Range<usize>> {
    let ends = |start: usize, at: usize, mark: char| match form {
        KeyForm::Bare => ended_earlier(text, start, at, mark),
        KeyForm::Marked => ends_sentence(&text[start..at], mark, &text[at + 1..]),
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut start, mut depth) = (0, 0_u32);
    let mut skip_to = 0;
    for (at, c) in text.char_indices() {
        if at < skip_to {
            continue;
        }
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '.' | '!' | '?' if depth == 0 && ends(start, at, c) => {
                let rest = &text[at + 1..];
                let closing = match form {
                    KeyForm::Bare => rest.len() - rest.trim_start_matches(CLOSING).len(),
                    KeyForm::Marked => sentence_tail(rest),
                };
                skip_to = at + 1 + closing;
                found.push(start..skip_to);
                start = skip_to;
            }
            ';' | ':' if depth == 0 && begins_item(&text[at + 1..]) => {
                found.push(start..at + 1);
                start = at + 1;
            }
            '\n' if breaks(&text[at + 1..]) => {
                found.push(start..at);
                start = at + 1;
                depth = 0;
            }
            _ => {}
        }
    }
    found.push(start..text.len());
    let trimmed = found.into_iter().filter_map(|range| {
        let piece = &text[range.clone()];
        let from = range.start + (piece.len() - piece.trim_start().len());
        let to = range.end - (piece.len() - piece.trim_end().len());
        (from < to).then_some(from..to)
    });
    joined(text, trimmed)
}

const CLOSING: [char; 6] = ['"', '\'', '”', '’', ')', ']'];

/// Pieces that are too short to stand alone go with a neighbour.
fn joined(text: &str, pieces: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let words = |range: &Range<usize>| {
        text[range.clone()].split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
    };
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut short: Option<Range<usize>> = None;
    for piece in pieces {
        let piece = match short.take() {
            Some(before) if !text[before.end..piece.start].contains('\n') => before.start..piece.end,
            Some(before) => {
                push_short(&mut out, before);
                piece
            }
            None => piece,
        };
        if words(&piece) < LEAST_WORDS { short = Some(piece) } else { out.push(piece) }
    }
    if let Some(last) = short {
        push_short(&mut out, last);
    }
    out
}

fn push_short(out: &mut Vec<Range<usize>>, short: Range<usize>) {
    match out.last_mut() {
        Some(before) => before.end = short.end,
        None => out.push(short),
    }
}

fn ended_earlier(text: &str, start: usize, at: usize, mark: char) -> bool {
    let after = text[at + 1..].trim_start_matches(CLOSING);
    let Some(next) = after.chars().next() else { return true };
    if !next.is_whitespace() {
        return false;
    }
    if mark != '.' {
        return true;
    }
    let word = text[start..at].rsplit([' ', '(', '\n']).next().unwrap_or_default().to_lowercase();
    let initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    !initial
        && !EARLIER_ABBREVIATIONS.contains(&word.as_str())
        && !after.trim_start().starts_with(char::is_lowercase)
}

/// Whether an item of an enumeration within a line begins: ` (b) `, ` (iv) `, ` and (2) `.
fn begins_item(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix(' ') else { return false };
    let rest = ["and ", "or "].iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest);
    let Some((mark, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) else {
        return false;
    };
    (1..=4).contains(&mark.len())
        && mark.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && after.starts_with(' ')
}

/// Whether a line begins something of its own.
fn breaks(rest: &str) -> bool {
    let line = rest.trim_start_matches([' ', '\t']);
    line.starts_with(['\n', '-', '*', '•', '(', '–', '—', '|'])
        || line.starts_with(char::is_uppercase)
        || line.starts_with(|c: char| c.is_ascii_digit())
        || is_lettered(line)
}

/// `a.`, `b)`, `iv.`: the mark of an item.
fn is_lettered(line: &str) -> bool {
    let mark = line.split_whitespace().next().unwrap_or_default();
    let letters = mark.trim_end_matches(['.', ')']);
    (1..=4).contains(&letters.len())
        && letters.len() < mark.len()
        && letters.bytes().all(|byte| byte.is_ascii_lowercase())
        && (letters.len() == 1 || letters.bytes().all(|byte| b"ivxlc".contains(&byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn sentences_of(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn sentences_end_where_a_reader_ends_them() {
        assert_eq!(
            sentences_of(
                "It was EUR 8.0 million; the rest, e.g. stock, was less (see 9.8. And 9.9). Then came Art. 6 of it! \"Is it so?\" Nobody knew it"
            ),
            [
                "It was EUR 8.0 million; the rest, e.g. stock, was less (see 9.8. And 9.9).",
                "Then came Art. 6 of it!",
                "\"Is it so?\"",
                "Nobody knew it"
            ]
        );
    }

    #[test]
    fn what_is_numbered_for_earlier_runs_stays_as_it_was() {
        let text = "They pay Acme Corp. The rest goes to Beta. Nobody ever asks.";
        assert_eq!(sentences_of(text), ["They pay Acme Corp. The rest goes to Beta.", "Nobody ever asks."]);
        assert_eq!(sentences_for(text, KeyForm::Bare).len(), 2 + 1);
    }

    #[test]
    fn items_are_sentences_and_wrapped_lines_are_not() {
        assert_eq!(
            sentences_of(
                "The team:\na. Defines the types of accounts;\nb. Assigns account\nmanagers; and\n(c) Reviews them.\n\n4."
            ),
            [
                "The team:",
                "a. Defines the types of accounts;",
                "b. Assigns account\nmanagers; and",
                "(c) Reviews them.\n\n4."
            ]
        );
    }

    #[test]
    fn items_within_a_line_are_sentences_of_their_own() {
        assert_eq!(
            sentences_of(
                "These practices are prohibited: (a) the first of them; (b) the second one, unless it is needed; and (c) the last; others (see (d)) are not."
            ),
            [
                "These practices are prohibited:",
                "(a) the first of them;",
                "(b) the second one, unless it is needed;",
                "and (c) the last; others (see (d)) are not."
            ]
        );
    }

    #[test]
    fn short_pieces_go_with_their_neighbours_and_nothing_is_lost() {
        assert_eq!(
            sentences_of("4.12. Keep the working papers. Yes. They are kept long."),
            ["4.12. Keep the working papers.", "Yes. They are kept long."]
        );
        assert_eq!(sentences_of(""), Vec::<&str>::new());
        assert_eq!(sentences_of("Alone."), ["Alone."]);
        assert_eq!(sentences_of("  \n "), Vec::<&str>::new());
    }
}
