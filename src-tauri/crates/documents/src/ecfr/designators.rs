//! The designators at the start of a paragraph: `(a)`, `(a)(1)`, `(iv)`, `(*1*)`.

/// Italic text begins and ends, while a paragraph is being read. Neither character occurs in text.
pub(super) const ITALIC: [char; 2] = ['\u{1}', '\u{2}'];

/// The designators that `text` begins with, without spaces between them; those of the two innermost levels, which are
/// printed in italics, between asterisks: `(A)(*1*)`. `None` when it begins otherwise.
///
/// A range, as of reserved paragraphs, is one: `(b)-(d)`.
pub(super) fn leading(text: &str) -> Option<String> {
    let mut label = String::new();
    let mut rest = text;
    while let Some((one, after)) = designator(rest) {
        label.push_str(&one);
        rest = after.trim_start();
        if let Some(to) = after.trim_start().strip_prefix(['-', '–', '—'])
            && let Some((last, _)) = designator(to.trim_start())
        {
            label.push('-');
            label.push_str(&last);
            break;
        }
    }
    (!label.is_empty()).then_some(label)
}

/// One designator and what follows it. The italics may begin before the bracket or within it.
fn designator(text: &str) -> Option<(String, &str)> {
    let bare = text.trim_start_matches(ITALIC).trim_start();
    let (inner, after) = bare.strip_prefix('(')?.split_once(')')?;
    let italic = inner.contains(ITALIC[0]) || (text.starts_with(ITALIC[0]) && after.starts_with(ITALIC[1]));
    let after = after.strip_prefix(ITALIC[1]).unwrap_or(after);
    let inner = inner.trim_matches(ITALIC).trim();
    is_designator(inner).then(|| (if italic { format!("(*{inner}*)") } else { format!("({inner})") }, after))
}

/// A number, a letter, a letter doubled or a Roman number: not a word in brackets.
fn is_designator(inner: &str) -> bool {
    let all = |test: fn(&u8) -> bool| inner.bytes().all(|b| test(&b));
    let digits = all(u8::is_ascii_digit) && (1..=3).contains(&inner.len());
    let same_case = all(u8::is_ascii_lowercase) || all(u8::is_ascii_uppercase);
    let doubled = || inner.bytes().all(|b| Some(b) == inner.bytes().next());
    let roman = || inner.bytes().all(|b| b"ivxlIVXL".contains(&b));
    let letters = same_case
        && ((1..=3).contains(&inner.len()) && doubled() || (2..=8).contains(&inner.len()) && roman());
    digits || letters
}
