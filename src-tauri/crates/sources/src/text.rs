//! Text of others made safe to show: invisible characters out, control characters out, lengths bounded.

/// Whether a character is taken out. The selector of pictures belongs to the emoji before it.
fn is_hidden(character: char) -> bool {
    domain::is_invisible(character) && character != '\u{FE0F}'
}

/// The text without invisible, bidirectional and control characters; line feeds and tabs stay.
pub fn strip_invisible(text: &str) -> String {
    text.chars()
        .filter(|character| matches!(character, '\n' | '\t') || !character.is_control())
        .filter(|character| !is_hidden(*character))
        .collect()
}

/// At most `limit` characters of the cleaned text, with an ellipsis where it was cut.
pub(crate) fn excerpt(text: &str, limit: usize) -> String {
    // Cleaning only shortens, so a bounded prefix is enough of a possibly huge text.
    let clean = strip_invisible(&text.chars().take(limit * 4 + 1).collect::<String>());
    let mut shown: String = clean.chars().take(limit).collect();
    if shown.len() < clean.len() || clean.len() < text.len() && shown.chars().count() == limit {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn hidden_instructions_lose_their_cover() {
        assert_eq!(
            strip_invisible("Adds\u{200B} two\u{202E} numbers\u{E0041}\u{E0042}\u{7}.\n\tDone"),
            "Adds two numbers.\n\tDone"
        );
        assert_eq!(strip_invisible("Prüfung — 審査 ✅"), "Prüfung — 審査 ✅");
    }

    #[test]
    fn an_excerpt_says_that_it_was_cut() {
        assert_eq!(excerpt("abcdef", 3), "abc…");
        assert_eq!(excerpt("abc", 3), "abc");
        assert_eq!(excerpt(&"x".repeat(1 << 20), 2), "xx…");
    }
}
