//! Which characters make words, and which scripts have no blanks between them.

use domain::is_invisible;

/// Whether a character is a mark that belongs to the letter before it.
pub fn is_mark(c: char) -> bool {
    c >= '\u{300}' && unicode_normalization::char::is_combining_mark(c)
}

/// Whether a character says nothing: what is invisible, the stretching sign of Arabic, the circle around a digit.
pub(crate) fn is_ignored(c: char) -> bool {
    c >= '\u{ad}' && (is_invisible(c) || matches!(c, '\u{640}' | '\u{20dd}'..='\u{20e4}'))
}

/// Whether a character can stand in a word.
pub(crate) fn is_inside(c: char) -> bool {
    // Signs that stand for several letters or digits, such as `㎏` and `㈱`.
    c.is_alphanumeric() || is_mark(c) || is_ignored(c) || matches!(c, '\u{3200}'..='\u{33ff}')
}

/// Whether a script has no blanks between its words: Han, kana, Thai, Lao, Khmer, Myanmar and others.
pub fn is_spaceless(c: char) -> bool {
    matches!(
        u32::from(c),
        0x0E00..=0x0EFF
            | 0x1000..=0x109F
            | 0x1780..=0x17FF
            | 0x1950..=0x19DF
            | 0x19E0..=0x19FF
            | 0x1A20..=0x1AAF
            | 0x1B00..=0x1B7F
            | 0x2E80..=0x2FDF
            | 0x3005..=0x3007
            | 0x3021..=0x3029
            | 0x3038..=0x303B
            | 0x3041..=0x3129
            | 0x31A0..=0x31BF
            | 0x31F0..=0x31FF
            | 0x3400..=0x4DBF
            | 0x4E00..=0x9FFF
            | 0xA000..=0xA48C
            | 0xA980..=0xA9DF
            | 0xA9E0..=0xA9FF
            | 0xAA60..=0xAADF
            | 0xF900..=0xFAFF
            | 0xFF66..=0xFF9F
            | 0x16FE0..=0x18DFF
            | 0x1AFF0..=0x1B2FF
            | 0x20000..=0x3FFFF
    )
}

/// Whether a sign ends a sentence wherever it stands, in scripts that have their own.
pub fn is_full_stop(c: char) -> bool {
    matches!(c, '。' | '｡' | '！' | '？' | '।' | '۔' | '؟' | '။' | '។')
}

/// Whether a script is indexed by pairs of signs: those without blanks, and Hangul, whose particles are written on to the
/// words.
pub fn is_paired(c: char) -> bool {
    is_spaceless(c) || is_hangul(c)
}

pub(crate) fn is_hangul(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x11FF | 0x3130..=0x318F | 0xA960..=0xA97F | 0xAC00..=0xD7FF)
}

pub(crate) fn is_kana(c: char) -> bool {
    matches!(u32::from(c), 0x3041..=0x30FF | 0x31F0..=0x31FF | 0xFF66..=0xFF9F)
}

/// The digit that a sign of any script stands for: `٣` is 3.
pub(crate) fn digit(c: char) -> Option<char> {
    /// The zeros of scripts with digits of their own.
    const ZEROS: [u32; 20] = [
        0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50,
        0xED0, 0xF20, 0x1040, 0x17E0, 0x1810, 0x1090,
    ];
    let code = u32::from(c);
    if code < ZEROS[0] {
        return None;
    }
    let value = ZEROS.iter().find_map(|zero| code.checked_sub(*zero).filter(|value| *value < 10))?;
    char::from_digit(value, 10)
}
