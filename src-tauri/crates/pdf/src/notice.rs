//! What a file says of characters for which this machine has no font.

use std::collections::BTreeSet;

use docx::{Block, Paragraph, ParagraphStyle, Run, WordDocument};

/// Characters that are named; the others are counted.
const MAX_NAMED: usize = 24;

/// A package of fonts, and what it has.
const PACKAGES: [(&str, &str); 3] = [
    ("fonts-noto-cjk", "Chinese, Japanese and Korean"),
    ("fonts-noto-color-emoji", "emoji"),
    ("fonts-noto-core", "other scripts"),
];

/// The document with a notice at its end of which characters are shown as boxes, and a line at the foot of each page that leads there.
pub(crate) fn with_notice(document: &WordDocument, missing: &[char]) -> WordDocument {
    let mut document = document.clone();
    document.footer = footer(&document.footer, missing.len());
    document.blocks.push(Block::Paragraph(Paragraph {
        style: ParagraphStyle::Notice,
        runs: vec![Run::text(notice(missing))],
        place: None,
    }));
    document
}

/// The words come first: what does not fit on the line is cut.
fn footer(footer: &str, count: usize) -> String {
    let behind = if footer.is_empty() { "" } else { ". " };
    format!("{}: see the last page{behind}{footer}", counted(count))
}

fn counted(count: usize) -> String {
    let (characters, are) = if count == 1 { ("character", "is") } else { ("characters", "are") };
    format!("{count} {characters} {are} shown as boxes")
}

fn notice(missing: &[char]) -> String {
    let all: BTreeSet<char> = missing.iter().copied().collect();
    let named: Vec<String> = all.iter().take(MAX_NAMED).map(|c| format!("U+{:04X}", u32::from(*c))).collect();
    let more = match all.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let kinds: BTreeSet<usize> = all.iter().map(|c| package(*c)).collect();
    let packages: Vec<String> =
        kinds.into_iter().map(|kind| format!("{} ({})", PACKAGES[kind].0, PACKAGES[kind].1)).collect();
    format!(
        "{} because this machine has no font for them: {}{more}. The text of this file has them: they can be searched for and copied. \
         To see them, install {} and export again.",
        counted(missing.len()),
        named.join(", "),
        packages.join(", ")
    )
}

/// The package that has a character, by its place in [`PACKAGES`].
fn package(c: char) -> usize {
    match u32::from(c) {
        0x1100..=0x11FF
        | 0x2E80..=0xA4CF
        | 0xA960..=0xA97F
        | 0xAC00..=0xD7FF
        | 0xF900..=0xFAFF
        | 0xFE30..=0xFE4F
        | 0xFF00..=0xFFEF
        | 0x20000..=0x323AF => 0,
        0x2600..=0x27BF | 0x1F000..=0x1FAFF => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_told_before_a_footer_that_may_be_cut_and_named_at_the_end() {
        assert_eq!(footer("", 2), "2 characters are shown as boxes: see the last page");
        assert_eq!(footer("Draft", 1), "1 character is shown as boxes: see the last page. Draft");
        let text = notice(&['\u{80a1}', '\u{80a1}', '\u{1f44d}', '\u{e2a}']);
        assert!(text.starts_with("4 characters are shown as boxes because"), "{text}");
        assert!(text.contains(": U+0E2A, U+80A1, U+1F44D. "), "{text}");
        assert!(text.contains("fonts-noto-cjk (Chinese, Japanese and Korean), fonts-noto-color-emoji (emoji), fonts-noto-core"), "{text}");
        let many: Vec<char> = ('\u{4e00}'..'\u{4e40}').collect();
        assert!(notice(&many).contains(" and 40 more. "), "{}", notice(&many));
    }
}
