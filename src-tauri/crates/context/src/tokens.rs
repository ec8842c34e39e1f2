//! How many tokens a text is, without the model's own tokenizer.
//!
//! The rule reads the text once and charges by kind of character. It is meant to lie above every byte-pair
//! tokenizer in use on ordinary text (prose, code, tables), by roughly a third on English:
//!
//! | text | charge |
//! |---|---|
//! | a run of ASCII letters | 1 for each begun 4 letters; a new run begins where a capital follows a small letter |
//! | a run of three or more capitals | 1 for each begun 2 letters |
//! | an ASCII digit | 1 each (some tokenizers never join digits) |
//! | one space between words | nothing (it joins the next word) |
//! | further spaces and tabs | 1 for each begun 4 of the run |
//! | a line break | 1 |
//! | other ASCII | 1 each |
//! | accented Latin, Greek, Cyrillic and the like (U+0080 to U+07FF) | 1 each |
//! | everything else: CJK, emoji, symbols | 2 each in the CJK and Hangul blocks, else its UTF-8 length |
//!
//! A byte-pair tokenizer never makes more tokens than the text has UTF-8 bytes, so the last line cannot be too low.

use crate::ContextError;

/// Tokens of a text, estimated from above (see the module's rule).
pub fn estimate(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut total = 0u64;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {
                at = end_of_word(bytes, at);
                let letters = (at - start) as u64;
                let shouted = letters >= 3 && bytes[start..at].iter().all(u8::is_ascii_uppercase);
                total += letters.div_ceil(if shouted { 2 } else { 4 });
            }
            b' ' | b'\t' => {
                while matches!(bytes.get(at), Some(b' ' | b'\t')) {
                    at += 1;
                }
                let run = (at - start) as u64;
                total += if run == 1 && byte == b' ' { 0 } else { run.div_ceil(4) };
            }
            0x00..=0x7f => {
                total += 1;
                at += 1;
            }
            0x80..=0xdf => {
                total += 1;
                at += 2;
            }
            0xe0..=0xef => {
                let wide = matches!(
                    text.get(at..at + 3).and_then(|c| c.chars().next()),
                    Some('\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
                );
                total += if wide { 2 } else { 3 };
                at += 3;
            }
            0xf0..=0xff => {
                total += 4;
                at += 4;
            }
        }
    }
    total
}

/// Where the run of letters that starts at `at` ends.
fn end_of_word(bytes: &[u8], mut at: usize) -> usize {
    let mut small = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'a'..=b'z' => small = true,
            b'A'..=b'Z' if !small => {}
            _ => break,
        }
        at += 1;
    }
    at
}

/// An estimate with 10 % on top, for what a provider adds around a request.
pub fn with_margin(tokens: u64) -> u64 {
    tokens.saturating_add(tokens.div_ceil(10))
}

/// The output tokens to ask for: the least of what is wanted, every cap, and what the window leaves beside the input.
///
/// Fails with [`ContextError::TooLong`] when the window leaves less than `min` (or than what is wanted, if that is less).
pub fn output_budget(
    desired: u64,
    caps: &[u64],
    window: u64,
    input: u64,
    min: u64,
) -> Result<u64, ContextError> {
    let wanted = caps.iter().copied().fold(desired, u64::min);
    let left = window.saturating_sub(input);
    let floor = min.min(wanted).max(1);
    if left < floor {
        return Err(ContextError::TooLong { needed: input.saturating_add(floor), available: window });
    }
    Ok(wanted.min(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_is_what_its_table_says() {
        for (text, tokens) in [
            ("", 0),
            ("word", 1),
            ("auditor", 2),
            ("the risk", 2),
            ("camelCaseName", 4),
            ("ISA", 2),
            ("2024", 4),
            ("a\nb", 3),
            ("        x", 3),
            ("été", 3),
            ("会計", 4),
            ("🙂", 4),
            ("…", 3),
        ] {
            assert_eq!(estimate(text), tokens, "{text:?}");
        }
    }

    #[test]
    fn joining_texts_never_costs_more_than_their_sum_and_a_joint() {
        let (a, b) = ("The auditor obtains sufficient", " appropriate audit evidence (ISA 500.6).\n");
        assert!(estimate(&format!("{a}{b}")) <= estimate(a) + estimate(b) + 1);
    }

    #[test]
    fn the_output_budget_is_the_least_of_all_limits() {
        assert_eq!(output_budget(24_576, &[64_000, 16_000], 200_000, 50_000, 4_096), Ok(16_000));
        assert_eq!(output_budget(24_576, &[64_000], 60_000, 50_000, 4_096), Ok(10_000));
        assert_eq!(output_budget(2_000, &[], 52_000, 50_000, 4_096), Ok(2_000));
        assert_eq!(
            output_budget(24_576, &[64_000], 52_000, 50_000, 4_096),
            Err(ContextError::TooLong { needed: 54_096, available: 52_000 })
        );
        assert!(output_budget(0, &[], 10, u64::MAX, 0).is_err());
    }

    #[test]
    fn the_margin_is_a_tenth_rounded_up_and_never_overflows() {
        assert_eq!(with_margin(101), 112);
        assert_eq!(with_margin(u64::MAX), u64::MAX);
    }
}
