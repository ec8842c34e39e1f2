//! Words without case and accents.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

/// Adds a character without its case. `ı` stays: Turkish stems need it, [`without_accents`] makes `i` of it.
pub(crate) fn fold_case(c: char, mut each: impl FnMut(char)) {
    if c.is_ascii() {
        return each(c.to_ascii_lowercase());
    }
    if c == 'ı' {
        return each(c);
    }
    // What `İ` becomes has a dot that `i` has already.
    for upper in c.to_uppercase() {
        upper.to_lowercase().filter(|&lower| lower != '\u{307}' || upper != 'İ').for_each(&mut each);
    }
}

/// A folded word without the accents of Latin, Greek and Cyrillic and the points of Hebrew and Arabic. Vowel signs of other
/// scripts stay: they are letters.
pub fn without_accents(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return Cow::Borrowed(word);
    }
    let mut bare = String::with_capacity(word.len());
    let mut before = ' ';
    for c in word.nfd() {
        let short = c == '\u{306}' && matches!(before, 'и' | 'у');
        if is_accent(c) && !short {
            continue;
        }
        before = c;
        match c {
            'ı' => bare.push('i'),
            'ø' => bare.push('o'),
            'ł' => bare.push('l'),
            'đ' | 'ð' => bare.push('d'),
            'ħ' => bare.push('h'),
            'æ' => bare.push_str("ae"),
            'œ' => bare.push_str("oe"),
            'þ' => bare.push_str("th"),
            'ß' => bare.push_str("ss"),
            c => bare.push(c),
        }
    }
    Cow::Owned(bare.nfc().collect())
}

fn is_accent(c: char) -> bool {
    matches!(
        u32::from(c),
        0x300..=0x36F
            | 0x483..=0x487
            | 0x591..=0x5C7
            | 0x610..=0x61A
            | 0x64B..=0x65F
            | 0x670
            | 0x6D6..=0x6ED
            | 0x1AB0..=0x1AFF
            | 0x1DC0..=0x1DFF
            | 0x20D0..=0x20F0
    )
}
