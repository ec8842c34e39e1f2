//! Where the words of a query stand in a paragraph.

use std::collections::BTreeSet;

use text_analysis::Language;

use crate::index::{QueryWord, stems_among};
use crate::paragraph::Paragraph;

const SNIPPET_BYTES: usize = 280;

/// Which words of the query a paragraph in a language holds, and a stretch of its text around most of them.
pub(super) fn matches(
    query: &str,
    words: &[QueryWord],
    paragraph: &Paragraph,
    language: Language,
) -> (Vec<String>, String) {
    let in_text = stems_among(&paragraph.text, language, words);
    let places: Vec<usize> = in_text.iter().map(|place| place.from).collect();
    let around = format!("{} {}", paragraph.title, paragraph.tags.join(" "));
    let elsewhere = stems_among(&around, language, words);
    // The first of the words that are the same.
    let matched: BTreeSet<usize> = in_text.iter().chain(&elsewhere).map(|place| place.word).collect();
    // The window with the most matches; the first of equals.
    let mut best = (0, 0);
    for (first, &start) in places.iter().enumerate() {
        let inside = places[first..].iter().take_while(|&&at| at < start + SNIPPET_BYTES).count();
        if inside > best.1 {
            best = (start, inside);
        }
    }
    let matched = matched.iter().map(|&word| query[words[word].from..words[word].to].to_owned()).collect();
    (matched, window(&paragraph.text, best.0))
}

fn window(text: &str, at: usize) -> String {
    if text.len() <= SNIPPET_BYTES + 40 {
        return text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    let mut start =
        text.floor_char_boundary(at.saturating_sub(40).min(text.len().saturating_sub(SNIPPET_BYTES)));
    let mut end = text.floor_char_boundary((start + SNIPPET_BYTES).min(text.len()));
    if start > 0 {
        // White space may be a no-break space, which is more than one byte.
        let lead = text.floor_char_boundary(at).clamp(start, end);
        let first = text[start..lead].char_indices().find(|(_, c)| c.is_whitespace());
        start += first.map_or(0, |(at, space)| at + space.len_utf8());
    }
    if end < text.len() {
        // Text without blanks is cut between signs.
        let last = text.floor_char_boundary(end.saturating_sub(40)).max(start);
        end = text[last..end].rfind(char::is_whitespace).map_or(end, |space| last + space);
    }
    let inner = text[start..end].split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{}{inner}{}", if start > 0 { "… " } else { "" }, if end < text.len() { " …" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::window;

    #[test]
    fn a_window_may_begin_beside_a_no_break_space() {
        let text = format!("{}\u{a0}{}", "ab".repeat(80), "word ".repeat(120));
        for at in 0..400 {
            assert!(window(&text, at).len() < 400);
        }
    }
}
