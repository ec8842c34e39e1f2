//! Texts put in the place of others, with the line ends and the spelling that a file has there.

use std::collections::HashMap;
use std::ops::Range;

use crate::charset::LineEnds;
use crate::lookalike::fold;

/// Pairs of words that are compared to find what two texts have in common; longer texts keep their beginnings and ends.
const MAX_COMPARED_PAIRS: usize = 4_000_000;

/// The number of the line in which a byte stands, from 1.
pub fn line_of(text: &str, at: usize) -> usize {
    text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1
}

/// Where `old` stands. Line ends are the same whether they are LF or CR LF.
pub fn occurrences(text: &str, old: &str) -> Vec<Range<usize>> {
    if !text.contains('\r') {
        let old = if old.contains('\r') { old.replace("\r\n", "\n") } else { old.to_owned() };
        return text.match_indices(&old).map(|(at, found)| at..at + found.len()).collect();
    }
    // Matched without the CR of each line end, and mapped back.
    let mut plain = String::with_capacity(text.len());
    let mut dropped: Vec<usize> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("\r\n") {
        plain.push_str(&rest[..at]);
        dropped.push(plain.len());
        plain.push('\n');
        rest = &rest[at + 2..];
    }
    plain.push_str(rest);
    let old = old.replace("\r\n", "\n");
    // As many CRs as were dropped before a place stand before it in the text, too.
    let start = |at: usize| at + dropped.partition_point(|cr| *cr < at);
    plain.match_indices(&old).map(|(at, found)| start(at)..start(at + found.len())).collect()
}

/// The text with `new` in these places, its line ends as they are around them.
pub fn replaced(text: &str, found: &[Range<usize>], new: impl Fn(&str) -> String) -> String {
    let whole = LineEnds::of(text);
    let mut out = String::with_capacity(text.len());
    let mut after = 0;
    for range in found {
        out.push_str(&text[after..range.start]);
        let here = &text[range.clone()];
        let new = new(here);
        let ends = if here.contains('\n') { LineEnds::of(here) } else { whole };
        if ends == LineEnds::CrLf {
            out.push_str(&ends.apply(&new));
        } else if text.contains('\r') {
            out.push_str(&new);
        } else {
            out.push_str(&new.replace("\r\n", "\n"));
        }
        after = range.end;
    }
    out.push_str(&text[after..]);
    out
}

/// `new` with what it has in common with `old` spelled as `here` spells it: `here` is what stands in the file where `old`
/// was looked for, and looks like it.
pub fn in_spelling_of(here: &str, old: &str, new: &str) -> String {
    let (ours, theirs) = (words(old), words(new));
    let spelled = spellings(here, &ours);
    let (start, end) = common_ends(&ours, &theirs);
    let middle = (&ours[start..ours.len() - end], &theirs[start..theirs.len() - end]);
    let mut kept: HashMap<usize, usize> = HashMap::new();
    kept.extend((0..start).map(|at| (at, at)));
    kept.extend((0..end).map(|at| (theirs.len() - 1 - at, ours.len() - 1 - at)));
    if middle.0.len() * middle.1.len() <= MAX_COMPARED_PAIRS {
        kept.extend(common(middle.0, middle.1).into_iter().map(|(our, their)| (their + start, our + start)));
    }
    let word = |(at, word): (usize, &&str)| kept.get(&at).map_or(*word, |ours| spelled[*ours]).to_owned();
    theirs.iter().enumerate().map(word).collect()
}

/// Words, and each character between them.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut begun = 0;
    for (at, c) in text.char_indices() {
        if c.is_alphanumeric() {
            continue;
        }
        if begun < at {
            words.push(&text[begun..at]);
        }
        words.push(&text[at..at + c.len_utf8()]);
        begun = at + c.len_utf8();
    }
    if begun < text.len() {
        words.push(&text[begun..]);
    }
    words
}

/// For each word of `old` the part of `here` that looks like it: both fold to the same text. A sign that looks like several
/// words, as `…` like three dots, stands for the first of them.
fn spellings<'a>(here: &'a str, words: &[&str]) -> Vec<&'a str> {
    let mut rest = here;
    let mut spelled = Vec::with_capacity(words.len());
    let mut surplus = 0;
    for (at, word) in words.iter().enumerate() {
        let length = fold(word).len();
        let (end, folded) = match length.saturating_sub(surplus) {
            _ if at + 1 == words.len() => (rest.len(), length),
            0 => (0, 0),
            wanted => beginning_of_length(rest, wanted),
        };
        surplus = (surplus + folded).saturating_sub(length);
        spelled.push(&rest[..end]);
        rest = &rest[end..];
    }
    spelled
}

/// The shortest beginning of a text that folds to at least so many bytes, with signs after it that fold to none; and to how
/// many it folds.
fn beginning_of_length(text: &str, length: usize) -> (usize, usize) {
    let mut folded = 0;
    for (at, c) in text.char_indices() {
        let line_end = text[at..].starts_with("\r\n");
        let own = if line_end { 0 } else { fold(c.encode_utf8(&mut [0; 4])).len() };
        if folded >= length && (own > 0 || line_end) {
            return (at, folded);
        }
        folded += own;
    }
    (text.len(), folded)
}

/// How many words two texts have in common at their beginnings and ends.
fn common_ends(one: &[&str], other: &[&str]) -> (usize, usize) {
    let start = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let left = one.len().min(other.len()) - start;
    let end =
        one.iter().rev().zip(other.iter().rev()).take(left).take_while(|(one, other)| one == other).count();
    (start, end)
}

/// The longest common subsequence, as pairs of places.
fn common(one: &[&str], other: &[&str]) -> Vec<(usize, usize)> {
    let wide = other.len() + 1;
    let mut lengths = vec![0_u32; (one.len() + 1) * wide];
    for at in (0..one.len()).rev() {
        for beside in (0..other.len()).rev() {
            lengths[at * wide + beside] = if one[at] == other[beside] {
                lengths[(at + 1) * wide + beside + 1] + 1
            } else {
                lengths[(at + 1) * wide + beside].max(lengths[at * wide + beside + 1])
            };
        }
    }
    let (mut at, mut beside) = (0, 0);
    let mut pairs = Vec::new();
    while at < one.len() && beside < other.len() {
        if one[at] == other[beside] {
            pairs.push((at, beside));
            (at, beside) = (at + 1, beside + 1);
        } else if lengths[(at + 1) * wide + beside] >= lengths[at * wide + beside + 1] {
            at += 1;
        } else {
            beside += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn edited(text: &str, old: &str, new: &str) -> String {
        replaced(text, &occurrences(text, old), |_| new.to_owned())
    }

    #[test]
    fn line_ends_stay_as_they_are_around_a_change() {
        assert_eq!(edited("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz"), "x\r\ny\r\nz\r\nc\r\n");
        assert_eq!(edited("a\nb\nc\n", "a\r\nb", "x\r\ny"), "x\ny\nc\n");
        assert_eq!(edited("a\r\nb\nc\nd\ne\n", "b\nc", "x\ny"), "a\r\nx\ny\nd\ne\n");
        assert_eq!(edited("a\r\nb\nc\nd\ne\n", "a\nb", "x\ny"), "x\r\ny\nc\nd\ne\n");
    }

    #[test]
    fn a_match_may_begin_or_end_at_a_line_end() {
        assert_eq!(edited("a\r\nb\r\n", "\nb\n", "\nc\n"), "a\r\nc\r\n");
        assert_eq!(edited("a\r\nb\r\n", "b\n", ""), "a\r\n");
    }

    #[test]
    fn a_lone_carriage_return_is_text() {
        assert_eq!(edited("a\rb\r\nc", "a\rb", "x"), "x\r\nc");
    }

    #[test]
    fn what_is_kept_stays_as_the_file_spells_it() {
        let table = [
            ("list in\u{a0}current", "list in current", "list in next", "list in\u{a0}next"),
            ("in\u{a0}a\u{a0}b c", "in a b c", "in a x b d", "in\u{a0}a\u{a0}x b d"),
            ("Cafe\u{301} old", "Café old", "Café new", "Cafe\u{301} new"),
            ("\u{201c}yes\u{201d}\r\nno", "\"yes\"\nno", "\"yes\"\nnever", "\u{201c}yes\u{201d}\r\nnever"),
            ("a\u{200b}b c", "ab c", "ab d", "a\u{200b}b d"),
            ("x\u{2026} y", "x... y", "x... z", "x\u{2026} z"),
            ("in\u{a0}here", "in here", "gone", "gone"),
        ];
        for (here, old, new, expected) in table {
            assert_eq!(in_spelling_of(here, old, new), expected, "{here:?} {old:?} {new:?}");
        }
    }
}
