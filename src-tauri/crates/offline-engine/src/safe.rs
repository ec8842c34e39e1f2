//! What may be copied into an answer. The texts of paragraphs and pages come from strangers.

/// Whether a passage can stand in Markdown as [`quoted`] writes it: it forms no heading, code, emphasis, HTML, entity or line
/// of the answer's own. Its labels and references stay: in a quotation they are the document's.
pub(crate) fn copies_as_text(passage: &str) -> bool {
    let plain = !passage.chars().any(|c| {
        matches!(c, '<' | '>' | '`' | '*' | '\\' | '|' | '~' | '\u{2028}' | '\u{2029}') || c.is_control()
    });
    let bytes = passage.as_bytes();
    let linked = ["://", "www.", "WEB_REF", "PRIOR_REF", "mailto:"].iter().any(|mark| passage.contains(mark));
    let entity = passage.match_indices('&').any(|(at, _)| {
        let name = passage[at + 1..].trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '#');
        name.len() < passage.len() - at - 1 && name.starts_with(';')
    });
    let emphasis = passage.match_indices('_').any(|(at, _)| {
        let inside = at > 0
            && bytes[at - 1].is_ascii_alphanumeric()
            && bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        !inside
    });
    plain && !linked && !entity && !emphasis
}

/// A passage as Markdown shows it word for word: brackets side by side and before a parenthesis are no link.
pub(crate) fn quoted(passage: &str) -> String {
    passage.replace("](", "]\\(").replace("![", "!\\[").replace("][", "]\\[")
}

/// A text on one line with everything that Markdown or a marker could read taken out, cut at a word.
pub(crate) fn plain(text: &str, most: usize) -> String {
    let text = text.replace("WEB_REF", "").replace("PRIOR_REF", "").replace("://", " ");
    let kept: String = text
        .chars()
        .map(|c| {
            if c.is_control()
                || matches!(c, '<' | '>' | '`' | '*' | '_' | '\\' | '|' | '~' | '[' | ']' | '#' | '&' | '"')
            {
                ' '
            } else {
                c
            }
        })
        .collect();
    let mut out = String::new();
    for word in kept.split_whitespace() {
        if out.len() + word.len() + 1 > most {
            if out.is_empty() {
                out.push_str(&word[..word.floor_char_boundary(most)]);
            }
            out.push('…');
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}
