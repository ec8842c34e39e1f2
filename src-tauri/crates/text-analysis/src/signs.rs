//! How much a text says where words cannot be counted.

use crate::script::is_paired;

/// Signs that say as much as a word.
const SIGNS_A_WORD: usize = 2;

/// How many words a text has, where words have no blanks between them by its signs.
pub fn worth_in_words(text: &str) -> usize {
    text.split_whitespace().map(|word| (counted_signs(word) / SIGNS_A_WORD).max(1)).sum()
}

/// How many signs of scripts that are indexed by pairs a text has; marks on them do not count.
pub fn counted_signs(text: &str) -> usize {
    if text.is_ascii() {
        return 0;
    }
    text.chars().filter(|&c| is_paired(c) && c.is_alphabetic() && !crate::is_mark(c)).count()
}
