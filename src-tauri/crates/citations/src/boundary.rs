//! Where words begin and end in a paragraph's own text. `can` is not in `cannot`, `5` is not in `1.5`,
//! `compliance` is not in `non-compliance`. Scripts without blanks between words have a boundary at every sign, but for marks.

use text_analysis::{is_mark, is_spaceless};

fn hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}' | '\u{ad}')
}

fn apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

/// Whether `mark` between `a` and `b` makes one word or number of them.
fn joins(a: char, mark: char, b: char) -> bool {
    if hyphen(mark) || matches!(mark, '/' | '_') {
        return a.is_alphanumeric() && b.is_alphanumeric();
    }
    if apostrophe(mark) {
        return a.is_alphabetic() && b.is_alphabetic();
    }
    matches!(mark, '.' | ',' | ':') && a.is_numeric() && b.is_numeric()
}

/// Whether a match that starts at byte `at` starts at a whole word.
pub(crate) fn starts_word(text: &str, at: usize) -> bool {
    let next = text[at..].chars().next();
    let mut before = text[..at].chars().rev();
    let Some(mark) = before.next() else { return true };
    if next.is_some_and(is_mark) {
        return false;
    }
    let Some(first) = next.filter(|c| c.is_alphanumeric()) else { return true };
    if is_spaceless(first) || is_spaceless(mark) {
        return true;
    }
    if mark.is_alphanumeric() || mark == '_' {
        return false;
    }
    let further = before.next();
    if further.is_some_and(|further| joins(further, mark, first)) {
        return false;
    }
    if matches!(mark, '-' | '\u{2212}' | '+')
        && first.is_numeric()
        && !further.is_some_and(char::is_alphanumeric)
    {
        return false;
    }
    // The second half of a word broken at a line end.
    let broken = text[..at].trim_end();
    let line_break = text[broken.len()..at].contains('\n') && first.is_lowercase();
    let mut end = broken.chars().rev();
    !(line_break && end.next().is_some_and(hyphen) && end.next().is_some_and(char::is_alphabetic))
}

/// Whether a match that ends at byte `at` ends at a whole word.
pub(crate) fn ends_word(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let mut after = text[at..].chars();
    let Some(mark) = after.next() else { return true };
    if is_mark(mark) {
        return false;
    }
    let Some(last) = before.filter(|c| c.is_alphanumeric()) else { return true };
    if is_spaceless(last) || is_spaceless(mark) {
        return true;
    }
    if mark.is_alphanumeric() || mark == '_' || (mark == '%' && last.is_numeric()) {
        return false;
    }
    let rest = after.as_str();
    if rest.chars().next().is_some_and(|further| joins(last, mark, further)) {
        return false;
    }
    let next = rest.trim_start();
    let line_break = rest[..rest.len() - next.len()].contains('\n');
    !(hyphen(mark) && line_break && last.is_alphabetic() && next.starts_with(char::is_lowercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str, part: &str) -> bool {
        let at = text.rfind(part).unwrap();
        starts_word(text, at) && ends_word(text, at + part.len())
    }

    #[test]
    fn parts_of_words_and_numbers_are_not_whole() {
        assert!(!whole("they cannot", "can"));
        assert!(!whole("they can't go", "can"));
        assert!(!whole("about 1.5 of", "5"));
        assert!(!whole("about 15 of", "5"));
        assert!(!whole("about 5% of", "5"));
        assert!(!whole("of 1,500 of", "1"));
        assert!(!whole("non-compliance is", "compliance"));
        assert!(!whole("a loss of -5 is", "5"));
        assert!(!whole("mate-\nriality is", "riality"));
        assert!(!whole("mate-\nriality is", "mate"));
    }

    #[test]
    fn signs_without_blanks_are_words_and_their_marks_are_not() {
        assert!(whole("承租人应支付租金", "支付"));
        assert!(whole("第15条", "15"));
        assert!(!whole("第15条", "5"));
        assert!(!whole("ที่ดิน", "ที"), "a mark belongs to its letter");
        assert!(!whole("계약서를", "계약"), "Korean words have blanks");
    }

    #[test]
    fn whole_words_are_whole_beside_punctuation() {
        assert!(whole("see (note) there", "note"));
        assert!(whole("risk—that is", "that is"));
        assert!(whole("it is 5.", "5"));
        assert!(whole("the auditors’ work", "auditors"));
    }
}
