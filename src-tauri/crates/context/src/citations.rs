//! Citations in Markdown: `(Primer 4.12)`, `(ISA 315.12; ISA 330.5)`, `(AC-2(1))`, `(2 CFR 200.516(a)(7))`.

use std::ops::Range;

use domain::{MONTHS, is_abbreviation};

/// One occurrence of a citation in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// The citation without its outer parentheses.
    pub source_ref: String,
    /// The sentence it stands in, without citations and blockquote marks; empty for a bare entry of a list of sources.
    pub sentence: String,
    /// The bytes of the reference in the text.
    pub range: Range<usize>,
}

/// The longest text between parentheses that is looked at, in bytes.
const MAX_CITATION_BYTES: usize = 160;
/// The most citations that are returned.
const MAX_CITATIONS: usize = 10_000;
/// The most bytes of a sentence that are kept.
const MAX_SENTENCE_BYTES: usize = 1_000;

/// Every citation of a Markdown text, in order, one entry for each occurrence. Fenced code is left out.
pub fn citations(markdown: &str) -> Vec<Citation> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    let mut offset = 0;
    for line in markdown.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let trimmed = line.trim_start();
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark)) {
            match fence {
                None => fence = Some(mark),
                Some(open) if open == mark => fence = None,
                Some(_) => {}
            }
            continue;
        }
        if fence.is_none() {
            in_line(line, start, &mut found);
        }
    }
    found
}

/// Citations of one line (a paragraph of an answer is one line of Markdown; a sentence does not span lines).
fn in_line(line: &str, offset: usize, found: &mut Vec<Citation>) {
    let groups = groups(line);
    if groups.is_empty() {
        return;
    }
    let ends = sentence_ends(line, &groups);
    let mut last: Option<(Range<usize>, String)> = None;
    for group in &groups {
        let range = sentence_around(line, group, &ends);
        let sentence = match &last {
            Some((same, sentence)) if *same == range => sentence.clone(),
            _ => {
                let sentence = without(line, &range, &groups);
                last = Some((range, sentence.clone()));
                sentence
            }
        };
        for part in parts(line, group.start + 1..group.end - 1) {
            if found.len() == MAX_CITATIONS {
                return;
            }
            found.push(Citation {
                source_ref: line[part.clone()].to_owned(),
                sentence: sentence.clone(),
                range: part.start + offset..part.end + offset,
            });
        }
    }
}

/// A part of a line without the citations in it, tidied and cut at [`MAX_SENTENCE_BYTES`].
fn without(line: &str, range: &Range<usize>, groups: &[Range<usize>]) -> String {
    let mut text = String::new();
    let mut at = range.start;
    let first = groups.partition_point(|group| group.start < range.start);
    for group in groups[first..].iter().take_while(|group| group.end <= range.end) {
        text.push_str(&line[at..group.start]);
        at = group.end;
    }
    text.push_str(&line[at..range.end]);
    let mut text = tidy(&text);
    text.truncate(text.floor_char_boundary(MAX_SENTENCE_BYTES));
    text
}

/// Parenthesised groups of a line that hold nothing but citations, parentheses included.
fn groups(line: &str) -> Vec<Range<usize>> {
    let bytes = line.as_bytes();
    let mut groups = Vec::new();
    let mut at = 0;
    while let Some(open) = bytes[at..].iter().position(|byte| *byte == b'(').map(|open| at + open) {
        at = open + 1;
        // `[text](target)` is a link, not a citation.
        if open > 0 && bytes[open - 1] == b']' {
            continue;
        }
        let mut depth = 0usize;
        for (index, byte) in bytes[open..].iter().enumerate().take(MAX_CITATION_BYTES) {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let group = open..open + index + 1;
                let all = parts(line, group.start + 1..group.end - 1);
                if !all.is_empty() {
                    at = group.end;
                    groups.push(group);
                }
                break;
            }
        }
    }
    groups
}

/// The citations between `;` of a group; none at all when one of them isn't a citation.
fn parts(line: &str, inner: Range<usize>) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = inner.start;
    for piece in line[inner].split(';') {
        let lead = piece.len() - piece.trim_start().len();
        let text = piece.trim();
        if !is_reference(text) {
            return Vec::new();
        }
        ranges.push(start + lead..start + lead + text.len());
        start += piece.len() + 1;
    }
    ranges
}

/// Whether a text has the form of a citation: at most five words, each a capitalised label or a locator, the last one
/// a locator; a standard's bare number (`ISA 315`), a date or a figure is not a citation.
fn is_reference(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    let Some((last, labels)) = words.split_last() else { return false };
    if words.len() > 5 || labels.iter().any(|word| MONTHS.contains(word)) || !is_locator(last) {
        return false;
    }
    let label = |word: &&str| {
        word.starts_with(|c: char| c.is_uppercase() || c == '§') && word.chars().all(label_char)
    };
    let number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    match labels {
        // `AC-2(1)`, `AC-2#D`: the label is part of the locator.
        [] => {
            last.starts_with(|c: char| c.is_ascii_uppercase())
                && last.contains('-')
                && last.bytes().any(|b| b.is_ascii_digit())
        }
        [first, rest @ ..] => {
            let document = labels.iter().all(|word| word.bytes().all(|b| b.is_ascii_uppercase()))
                && last.len() >= 3
                && number(last);
            let figure = ["Figure", "Table", "Note", "Step", "Phase", "Level", "Version"].contains(first);
            !document
                && !figure
                && (label(first) || (number(first) && rest.iter().any(label)))
                && rest.iter().all(|word| label(word) || number(word))
        }
    }
}

fn label_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '&' | '/' | '§')
}

/// `4.12`, `A12`, `315.A12`, `6(2)(a)`, `200.516(a)(7)`, `III(5)`, `AC-2(1)`.
fn is_locator(word: &str) -> bool {
    let numeral = word.bytes().any(|byte| byte.is_ascii_digit())
        || word
            .split('(')
            .next()
            .is_some_and(|head| !head.is_empty() && head.bytes().all(|b| b"IVXLC".contains(&b)));
    numeral
        && word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '§')
        && !word.ends_with(['.', '-', '/', '%'])
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '#' | '(' | ')' | '/' | '§'))
}

/// The sentence that a citation belongs to: the one it stands in, or the one that ends right before it.
fn sentence_around(line: &str, group: &Range<usize>, ends: &[usize]) -> Range<usize> {
    let before = line[..group.start].trim_end().trim_end_matches(CLOSING);
    let limit = before.trim_end_matches(STOPS).len();
    let start = ends[..ends.partition_point(|end| *end <= limit)].last().copied().unwrap_or(0);
    let end = if limit < before.len() {
        group.end
    } else {
        ends.get(ends.partition_point(|end| *end < group.end)).copied().unwrap_or(line.len())
    };
    start..end
}

const STOPS: [char; 3] = ['.', '!', '?'];
const CLOSING: [char; 6] = ['"', '”', '’', ')', '*', '_'];

/// Byte positions after each sentence of a line; full stops inside citations and after abbreviations don't count.
fn sentence_ends(line: &str, groups: &[Range<usize>]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut chars = line.char_indices().peekable();
    while let Some((index, c)) = chars.next() {
        let next = groups.partition_point(|group| group.end <= index);
        let inside = groups.get(next).is_some_and(|group| group.contains(&index));
        if !STOPS.contains(&c)
            || inside
            || (c == '.' && is_abbreviation(&line[..index], line[index + 1..].trim_start()))
        {
            continue;
        }
        let mut end = index + c.len_utf8();
        while let Some((next, closing)) = chars.peek().copied() {
            if !CLOSING.contains(&closing) {
                break;
            }
            end = next + closing.len_utf8();
            chars.next();
        }
        // `e.g. this`: a sentence doesn't begin with a small letter.
        let next = line[end..].trim_start().chars().next();
        let apart = line[end..].starts_with(char::is_whitespace) || end == line.len();
        if apart && !(c == '.' && next.is_some_and(char::is_lowercase)) {
            ends.push(end);
        }
    }
    ends
}

/// A sentence without list, heading and blockquote marks, with single spaces, and no space before its full stop.
fn tidy(text: &str) -> String {
    let text = text.trim().trim_start_matches(['>', '#', '-', '*', ' ']);
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() && !word.starts_with(['.', ',', ';', ':', '!', '?']) {
            out.push(' ');
        }
        out.push_str(word);
    }
    if out.chars().any(char::is_alphanumeric) { out } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn pairs(text: &str) -> Vec<(String, String)> {
        citations(text).into_iter().map(|citation| (citation.source_ref, citation.sentence)).collect()
    }

    fn pair(reference: &str, sentence: &str) -> (String, String) {
        (reference.to_owned(), sentence.to_owned())
    }

    #[test]
    fn each_occurrence_is_an_entry_with_its_sentence() {
        assert_eq!(
            pairs(
                "First point. Second point at 5 % (Primer 4.12). Third, e.g. this (ISA 315.12; ISA 540.A7)!\nNo citation."
            ),
            [
                pair("Primer 4.12", "Second point at 5 %."),
                pair("ISA 315.12", "Third, e.g. this!"),
                pair("ISA 540.A7", "Third, e.g. this!"),
            ]
        );
    }

    #[test]
    fn a_citation_after_the_full_stop_belongs_to_the_sentence_before() {
        assert_eq!(
            pairs("One thing. \"Quoted words.\" (Primer 1.2) Another one. (Primer 1.3)\n"),
            [pair("Primer 1.2", "\"Quoted words.\""), pair("Primer 1.3", "Another one.")]
        );
    }

    #[test]
    fn semicolons_decimals_pointers_and_abbreviations_end_no_sentence() {
        let text = "Before. It was EUR 8.0 million; one part (see 9.8) was more, e.g. ISA teams, cf. Art. 6 of it (Primer 4.12).";
        assert_eq!(
            pairs(text),
            [pair(
                "Primer 4.12",
                "It was EUR 8.0 million; one part (see 9.8) was more, e.g. ISA teams, cf. Art. 6 of it."
            )]
        );
    }

    #[test]
    fn the_forms_of_other_corpora_are_citations_too() {
        let text =
            "a (AC-2(1)) b (2 CFR 200.516(a)(7)) c (Art. 6(2)) d (Annex III(5)) e (Recital 53) f (AC-2#D)";
        let refs: Vec<String> = citations(text).into_iter().map(|citation| citation.source_ref).collect();
        assert_eq!(
            refs,
            ["AC-2(1)", "2 CFR 200.516(a)(7)", "Art. 6(2)", "Annex III(5)", "Recital 53", "AC-2#D"]
        );
    }

    #[test]
    fn ordinary_parentheses_links_and_code_are_not_citations() {
        let text = "a (2019) b (ISA 315) c (March 2019) d (see below) e [x](Primer 4.12) f (Figure 2) g (5 %) h (i)\n\
                    ```\n(Primer 4.12)\n```\n(unclosed Primer 4.12";
        assert_eq!(pairs(text), []);
    }

    #[test]
    fn an_entry_of_a_list_of_sources_has_no_sentence() {
        assert_eq!(pairs("> **Sources**\n> (Primer 4.12)\n"), [pair("Primer 4.12", "")]);
    }

    #[test]
    fn the_range_is_the_reference_in_the_text() {
        let text = "é one (Primer 4.12; Primer 5.1).\ntwo (Primer 9.9)";
        for citation in citations(text) {
            assert_eq!(&text[citation.range.clone()], citation.source_ref);
        }
    }

    #[test]
    fn hostile_nesting_is_read_in_bounded_time() {
        assert_eq!(citations(&"(".repeat(200_000)), []);
        assert_eq!(citations(&"word (Primer 4.12) ".repeat(50_000)).len(), MAX_CITATIONS);
    }
}
