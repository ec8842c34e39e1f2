//! Numbers and marks at the beginning of headings, paragraphs and list items.

/// Splits `4.9.1. Title` into number and title. A lone `4` needs its dot, so that `4 packages` is no number.
/// Appendices are `A.1 Title`. `Chapter 4: Title` is 4, `Appendix A. Title` is `Appendix A`.
pub(crate) fn heading(text: &str) -> Option<(&str, &str)> {
    named_heading(text).or_else(|| numbered_heading(text))
}

fn named_heading(text: &str) -> Option<(&str, &str)> {
    let (word, rest) = text.split_once(' ')?;
    let (number, title) = rest.split_once(' ')?;
    let bare = number.strip_suffix(['.', ':'])?;
    let short =
        (1..=6).contains(&bare.len()) && bare.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
    let title = title.trim_start();
    match word.to_ascii_lowercase().as_str() {
        _ if !short || title.is_empty() => None,
        "chapter" => Some((bare, title)),
        "appendix" | "annex" | "part" => Some((&text[..word.len() + 1 + bare.len()], title)),
        _ => None,
    }
}

fn numbered_heading(text: &str) -> Option<(&str, &str)> {
    let end = text.find(char::is_whitespace)?;
    let (number, title) = (&text[..end], text[end..].trim_start());
    let bare = number.strip_suffix('.').unwrap_or(number);
    let mut parts = bare.split('.');
    let digits = |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    let letter = |part: &str| part.len() == 1 && part.as_bytes()[0].is_ascii_uppercase();
    let first = parts.next()?;
    let dotted = bare.contains('.');
    let whole = parts.all(digits) && (digits(first) || (letter(first) && dotted));
    (whole && bare.len() <= 30 && !title.is_empty() && (dotted || number.ends_with('.')))
        .then_some((bare, title))
}

/// A paragraph that begins with its own number: `4.12 Materiality is …`. The number has a dot inside, so that
/// years and quantities are none.
pub(crate) fn paragraph(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    let number = text[..end].trim_end_matches('.');
    let whole = number.contains('.') && number.split('.').all(|part| (1..=4).contains(&part.len()));
    let rest = &text[end..];
    let words = rest.trim_start();
    let spaced = words.len() < rest.len() && words.starts_with(char::is_alphabetic);
    (whole && spaced).then_some((number, words))
}

/// What stands before the text of a list item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark<'a> {
    /// A dot or a dash.
    Bullet,
    /// A number or letter: `(a)`, `12`.
    Label(&'a str),
}

/// Splits the mark off an item's first line: `(a) text`, `2. text`, `* text`, `[1] text`.
pub(crate) fn item(line: &str) -> Option<(Mark<'_>, &str)> {
    let end = line.find(char::is_whitespace)?;
    let text = line[end..].trim_start();
    let mark = mark(&line[..end])?;
    (!text.is_empty()).then_some((mark, text))
}

/// A list mark that stands alone, such as in a table's first column.
pub(crate) fn mark(word: &str) -> Option<Mark<'_>> {
    if matches!(word, "*" | "-" | "+" | "•" | "–" | "—" | "o" | "▪" | "◦" | "·") {
        return Some(Mark::Bullet);
    }
    let short = |inner: &str, most: usize| {
        (1..=most).contains(&inner.len()) && inner.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    let digits = |inner: &str| (1..=3).contains(&inner.len()) && inner.bytes().all(|b| b.is_ascii_digit());
    let bracketed = word.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let square = word.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    if bracketed.is_some_and(|inner| short(inner, 5)) || square.is_some_and(|inner| short(inner, 3)) {
        return Some(Mark::Label(word));
    }
    let inner = word.strip_suffix(['.', ')'])?;
    let letter = inner.len() == 1 && inner.as_bytes()[0].is_ascii_lowercase();
    (digits(inner) || (letter && word.ends_with(')'))).then_some(Mark::Label(inner))
}

/// The mark of the `index`-th item (from 1) in a list of HTML's type `1`, `a`, `A`, `i` or `I`.
pub(crate) fn ordinal(index: i64, kind: &str) -> String {
    let written = match kind {
        "a" | "A" => letters(index),
        "i" | "I" => roman(index),
        _ => None,
    };
    match written {
        Some(written) if matches!(kind, "A" | "I") => written.to_ascii_uppercase(),
        Some(written) => written,
        None => index.to_string(),
    }
}

fn letters(index: i64) -> Option<String> {
    let mut left = u64::try_from(index).ok().filter(|&index| index > 0)?;
    let mut out = Vec::new();
    while left > 0 {
        left -= 1;
        out.push(b'a' + (left % 26) as u8);
        left /= 26;
    }
    out.reverse();
    String::from_utf8(out).ok()
}

fn roman(index: i64) -> Option<String> {
    const PARTS: [(i64, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    if !(1..4000).contains(&index) {
        return None;
    }
    let mut left = index;
    let mut out = String::new();
    for (value, letters) in PARTS {
        while left >= value {
            out.push_str(letters);
            left -= value;
        }
    }
    Some(out)
}
