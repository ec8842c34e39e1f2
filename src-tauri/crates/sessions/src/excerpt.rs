//! What stands around words in a text.

use std::ops::Range;

use protocol::Excerpt;
use text_analysis::{each_token, lower, sought, without_accents};

/// How much of a text is shown, in characters, and how much of it before the first word.
const LENGTH: usize = 220;
const LEAD: usize = 60;
/// The longest tag and the longest target of a link that are passed over, in characters.
const MAX_MARK_CHARS: usize = 500;
/// How much of a text is looked through, in bytes.
const MAX_TEXT_BYTES: usize = 256 << 10;

/// A word, or words in a row, as the index compares them.
#[derive(Debug, Clone)]
pub struct ExcerptTerm {
    words: Vec<String>,
    prefix: bool,
}

impl ExcerptTerm {
    pub fn new(text: &str, prefix: bool) -> Self {
        let (words, begins) = sought(text);
        Self { words, prefix: prefix || begins }
    }
}

/// The piece of a text with the most of the wanted words, on one line, with the words marked.
pub fn excerpt(text: &str, wanted: &[ExcerptTerm]) -> Vec<Excerpt> {
    let text = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
    let hits = hits(text, wanted);
    // The window that begins at the hit with the most hits of different words behind it.
    let best = (0..hits.len()).max_by_key(|first| {
        let mut seen: Vec<usize> = hits[*first..]
            .iter()
            .take_while(|(range, _)| range.end - hits[*first].0.start <= LENGTH - LEAD)
            .map(|(_, which)| *which)
            .collect();
        let all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        (seen.len(), all.min(3), std::cmp::Reverse(*first))
    });
    let centre = best.map_or(0, |best| hits[best].0.start);
    let start = text[..centre].char_indices().rev().nth(LEAD).map_or(0, |(at, _)| at);
    let start = if start == 0 {
        0
    } else {
        text[start..].find(' ').map_or(start, |space| (start + space + 1).min(centre))
    };
    let end = text[start..].char_indices().nth(LENGTH).map_or(text.len(), |(at, _)| start + at);
    let mut pieces: Vec<Excerpt> = Vec::new();
    let mut push = |piece: &str, hit: bool| {
        let piece = flat(piece);
        if !piece.is_empty() {
            pieces.push(Excerpt { text: piece, hit });
        }
    };
    if start > 0 {
        push("…", false);
    }
    let mut at = start;
    for (range, _) in hits.iter().filter(|(range, _)| range.start >= start && range.end <= end) {
        if range.start < at {
            continue;
        }
        push(&text[at..range.start], false);
        push(&text[range.clone()], true);
        at = range.end;
    }
    push(&text[at..end], false);
    if end < text.len() {
        push("…", false);
    }
    pieces
}

/// Markdown without what is markup: tags, targets of links, emphasis, signs at the beginning of lines.
pub fn unmarked(text: &str) -> String {
    let text = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let ends = |text: &str, sign: char| text.chars().take(MAX_MARK_CHARS).any(|c| c == sign);
    while let Some(c) = rest.chars().next() {
        let line_begins = out.is_empty() || out.ends_with('\n');
        let after = &rest[c.len_utf8()..];
        let tag =
            c == '<' && after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') && ends(after, '>');
        let target = c == ']' && after.starts_with('(') && ends(after, ')');
        if tag || target {
            let end = if tag { '>' } else { ')' };
            rest = after.split_once(end).map_or("", |(_, rest)| rest);
            continue;
        }
        let opens = c == '['
            && after.split_once(']').is_some_and(|(_, then)| then.starts_with('(') && ends(then, ')'));
        let quote = line_begins && matches!(c, '>' | '#' | ' ');
        if !opens && !quote && !matches!(c, '*' | '`') {
            out.push(c);
        }
        rest = after;
    }
    out
}

/// Whether any of the wanted words stands in a text.
pub fn has_any(text: &str, wanted: &[ExcerptTerm]) -> bool {
    !hits(&text[..text.floor_char_boundary(MAX_TEXT_BYTES)], wanted).is_empty()
}

/// Where wanted words stand, and which of them.
fn hits(text: &str, wanted: &[ExcerptTerm]) -> Vec<(Range<usize>, usize)> {
    let (mut places, mut words) = (Vec::new(), Vec::new());
    let mut scratch = String::new();
    each_token(text, |token| {
        places.push(token.from..token.to);
        words.push(without_accents(lower(token.text, &mut scratch)).into_owned());
    });
    let mut hits = Vec::new();
    for at in 0..words.len() {
        for (which, ExcerptTerm { words: row, prefix }) in wanted.iter().enumerate() {
            let Some(there) = words.get(at..at + row.len()).filter(|there| !there.is_empty()) else {
                continue;
            };
            let last = row.len() - 1;
            let same = there.iter().zip(row).enumerate().all(|(place, (word, wanted))| {
                word == wanted || (*prefix && place == last && word.starts_with(wanted.as_str()))
            });
            if same {
                hits.push((places[at].start..places[at + last].end, which));
                break;
            }
        }
    }
    hits
}

/// A word as the index compares words: in lower case, without accents.
pub fn folded(word: &str) -> String {
    sought(word).0.join(" ")
}

/// Line breaks and runs of spaces as one space; spaces at the ends stay, since pieces stand beside each other.
fn flat(text: &str) -> String {
    let mut flat = String::with_capacity(text.len());
    for c in text.chars() {
        let c = if c.is_whitespace() || c.is_control() { ' ' } else { c };
        if c != ' ' || !flat.ends_with(' ') {
            flat.push(c);
        }
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, words: &[(&str, bool)]) -> String {
        let wanted: Vec<ExcerptTerm> =
            words.iter().map(|(text, prefix)| ExcerptTerm::new(text, *prefix)).collect();
        let mark = |piece: Excerpt| if piece.hit { format!("[{}]", piece.text) } else { piece.text };
        excerpt(text, &wanted).into_iter().map(mark).collect()
    }

    #[test]
    fn words_are_marked_whatever_their_case_and_accents() {
        assert_eq!(shown("Été 2024,\n  an été.", &[("ete", false)]), "[Été] 2024, an [été].");
        assert_eq!(shown("Materiality matters", &[("materi", true)]), "[Materiality] matters");
        assert_eq!(shown("Materiality matters", &[("materi", false)]), "Materiality matters");
        assert_eq!(shown("set the table, the set", &[("the set", false)]), "set the table, [the set]");
        assert_eq!(shown("", &[("x", false)]), "");
        assert_eq!(shown("x", &[("", false)]), "x");
        assert_eq!(shown("STRASSE straße", &[("straße", false)]), "[STRASSE] [straße]");
        assert_eq!(shown("Ku\u{308}ndigung", &[("kündigung", false)]), "[Ku\u{308}ndigung]");
    }

    #[test]
    fn pieces_of_runs_without_blanks_are_marked() {
        let text = "步2 重跑gen-itgc后50条悬空引用清零";
        assert_eq!(shown(text, &[("悬空引用", false)]), "步2 重跑gen-itgc后50条[悬空引用]清零");
        assert_eq!(shown(text, &[("itgc", false)]), "步2 重跑gen-[itgc]后50条悬空引用清零");
        assert_eq!(shown(text, &[("引用", true)]), "步2 重跑gen-itgc后50条悬空[引用]清零");
        assert_eq!(shown("กำหนดชำระเงิน", &[("ชำระ", false)]), "กำหนด[ชำระ]เงิน");
    }

    #[test]
    fn markup_is_left_out_of_markdown() {
        for (text, plain) in [
            ("> **Sources**\n>\n> <a id=\"c\"></a>**4.7**: x", "Sources\n\n4.7: x"),
            ("see [Primer 14.9](#cite-3), a < b > c and [4]", "see Primer 14.9, a < b > c and [4]"),
            ("# Title\n`code` <", "Title\ncode <"),
            ("[open](never closed", "[open](never closed"),
        ] {
            assert_eq!(unmarked(text), plain);
        }
    }

    #[test]
    fn the_densest_place_of_a_long_text_is_shown() {
        let text =
            format!("{} alpha {} alpha beta {}", "one ".repeat(300), "two ".repeat(300), "x ".repeat(300));
        let shown = shown(&text, &[("alpha", false), ("beta", false)]);
        assert!(shown.contains("[alpha] [beta]"), "{shown}");
        assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        assert!(shown.chars().count() < 300, "{shown}");
    }
}
