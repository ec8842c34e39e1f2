//! How much a text says where words cannot be counted.

use crate::script::is_paired;

/// How many signs of scripts that are indexed by pairs a text has; marks on them do not count.
pub fn counted_signs(text: &str) -> usize {
    if text.is_ascii() {
        return 0;
    }
    text.chars().filter(|&c| is_paired(c) && c.is_alphabetic() && !crate::is_mark(c)).count()
}
