//! Where the words of a query stand in a paragraph.

use std::collections::{BTreeMap, BTreeSet};

use crate::index::{Stem, stems_among};
use crate::paragraph::Paragraph;

const SNIPPET_BYTES: usize = 280;

/// Which words of the query a paragraph holds, and a stretch of its text around most of them.
pub(super) fn matches(query: &str, words: &[Stem], paragraph: &Paragraph) -> (Vec<String>, String) {
    let wanted: BTreeMap<&str, &Stem> = words.iter().rev().map(|word| (word.stem.as_str(), word)).collect();
    let stems: BTreeSet<&str> = wanted.keys().copied().collect();
    let in_text = stems_among(&paragraph.text, &stems);
    let places: Vec<usize> = in_text.iter().map(|stem| stem.from).collect();
    let elsewhere = stems_among(&format!("{} {}", paragraph.title, paragraph.tags.join(" ")), &stems);
    let found: BTreeSet<&str> = in_text.iter().chain(&elsewhere).map(|stem| stem.stem.as_str()).collect();
    let mut matched: Vec<&Stem> = found.into_iter().filter_map(|stem| wanted.get(stem).copied()).collect();
    matched.sort_by_key(|stem| stem.from);
    // The window with the most matches; the first of equals.
    let mut best = (0, 0);
    for (first, &start) in places.iter().enumerate() {
        let inside = places[first..].iter().take_while(|&&at| at < start + SNIPPET_BYTES).count();
        if inside > best.1 {
            best = (start, inside);
        }
    }
    let matched = matched.iter().map(|stem| query[stem.from..stem.to].to_owned()).collect();
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
        let first = text[start..end].char_indices().find(|(_, c)| c.is_whitespace());
        start += first.map_or(0, |(at, space)| at + space.len_utf8());
    }
    if end < text.len() {
        end = start + text[start..end].rfind(char::is_whitespace).unwrap_or(end - start);
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
