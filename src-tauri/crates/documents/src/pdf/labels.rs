//! Numbers and marks at the start of a paragraph.

/// What a paragraph starts with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark<'t> {
    /// The number or letter; `None` for a bullet.
    pub label: Option<&'t str>,
    /// The text after it.
    pub rest: &'t str,
    /// Whether it can hardly be anything else: a number without a full stop may be part of the sentence.
    pub sure: bool,
}

/// A tick is none: it says that something is so.
const BULLETS: [char; 13] = ['•', '‣', '▪', '■', '●', '○', '◦', '▸', '►', '➢', '–', '—', '·'];

/// The mark that `text` starts with; `apart` says that a wide gap follows its first word.
pub(super) fn mark(text: &str, apart: bool) -> Option<Mark<'_>> {
    let (word, rest) = text.split_once(' ')?;
    let rest = rest.trim_start();
    if rest.is_empty() {
        return None;
    }
    let mut chars = word.chars();
    if let (Some(c), None) = (chars.next(), chars.next())
        && (BULLETS.contains(&c) || matches!(c, '-' | '*') || c == 'o' && apart)
    {
        return Some(Mark { label: None, rest, sure: true });
    }
    let inner = word.strip_prefix('(').and_then(|word| word.strip_suffix(')'));
    if let Some(core) = inner {
        return is_core(core).then_some(Mark { label: Some(word), rest, sure: true });
    }
    if let Some(core) = word.strip_suffix(')') {
        return is_core(core).then_some(Mark { label: Some(word), rest, sure: true });
    }
    let core = word.strip_suffix('.').unwrap_or(word);
    let stopped = core.len() < word.len();
    let dotted = core.contains('.') && core.split('.').all(is_part);
    let number = is_part(core)
        && core.len() <= 4
        && core.ends_with(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase());
    let digits = core.chars().any(|c| c.is_ascii_digit());
    let letter = core.len() == 1 && core.chars().all(|c| c.is_ascii_lowercase());
    let fits =
        dotted && digits && core.len() <= 16 || digits && number && (stopped || apart) || letter && stopped;
    fits.then_some(Mark { label: Some(core), rest, sure: stopped || apart })
}

/// `a`, `iv`, `12`, `A3`.
fn is_core(core: &str) -> bool {
    let letters = core.len() <= 2 || core.len() <= 5 && core.chars().all(|c| "ivxIVX".contains(c));
    let number = core.len() <= 4 && core.chars().any(|c| c.is_ascii_digit());
    !core.is_empty() && core.chars().all(|c| c.is_ascii_alphanumeric()) && (letters || number)
}

/// One part of a dotted number: digits, or letters and digits as in `A20` and `12A`.
fn is_part(part: &str) -> bool {
    let digits = part.trim_matches(|c: char| c.is_ascii_uppercase());
    let letters = part.len() - digits.len();
    !part.is_empty() && part.len() <= 4 && letters <= 2 && digits.chars().all(|c| c.is_ascii_digit())
}

/// How deep a heading's number says that it stands: `2.1.3` is 3.
pub(super) fn depth(label: &str) -> Option<u8> {
    let parts = label.split('.').count();
    let numeric = label.starts_with(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase());
    (numeric && label.chars().any(|c| c.is_ascii_digit())).then(|| u8::try_from(parts.min(6)).unwrap_or(6))
}

#[cfg(test)]
mod tests;
