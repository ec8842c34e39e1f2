//! Text of others as a terminal may have it: what drives a terminal is replaced, what nobody would see is written out.
//!
//! Invisible characters stay where writing needs them: a joiner between the parts of an emoji or between letters of a script
//! that joins, a variation selector after a character that has variants, the tags of a flag.

use std::borrow::Cow;

/// The tags of flags of parts of a country (Unicode, RGI emoji tag sequences).
const FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];
/// The base of those flags.
const BLACK_FLAG: char = '\u{1f3f4}';
/// Ends a sequence of tags.
const END_OF_TAGS: char = '\u{e007f}';

/// Text without control characters but for line feeds and tabs, and with invisible and reordering ones written out as
/// `<U+202E>`, so that nothing from a model or a tool can drive the terminal or show something else than it says.
pub fn printable(text: &str) -> String {
    shown(text, Edges::Whole)
}

/// The same for a piece of a text that comes bit by bit: what joins it to the pieces beside it stays.
pub fn printable_piece(text: &str) -> String {
    shown(text, Edges::Piece)
}

/// Whether there is something before and after a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edges {
    Whole,
    Piece,
}

fn shown(text: &str, edges: Edges) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let before = at.checked_sub(1).and_then(|before| chars.get(before).copied());
        let flag = if c == BLACK_FLAG { flag_tags(&chars[at + 1..]) } else { 0 };
        if flag > 0 {
            out.extend(&chars[at..=at + flag]);
            at += flag;
        } else if c.is_control() && c != '\n' && c != '\t' {
            out.push('\u{fffd}');
        } else if is_invisible(c) && !is_needed(c, before, &chars[at + 1..]) && !is_seam(c, edges, at, &chars)
        {
            out.push_str(&format!("<U+{:04X}>", u32::from(c)));
        } else {
            out.push(c);
        }
        at += 1;
    }
    out
}

/// JSON as a terminal may have it: the same value, with such characters in its strings written as escapes.
pub fn printable_json(json: &str) -> Cow<'_, str> {
    let unseen = |c: char| is_invisible(c) || (c.is_control() && c != '\n');
    if !json.contains(unseen) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if !unseen(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    Cow::Owned(out)
}

/// Whether a character is shown as nothing, reorders what is around it, or ends a line for some programs only.
fn is_invisible(c: char) -> bool {
    domain::is_invisible(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Whether an invisible character does what it is for, between what stands before and after it.
fn is_needed(c: char, before: Option<char>, after: &[char]) -> bool {
    let Some(before) = before else { return false };
    let next = after.first().copied();
    match u32::from(c) {
        0x200C => joins(before) && next.is_some_and(joins),
        0x200D => {
            let of_emoji = is_emoji_part(before) && next.is_some_and(is_pictograph);
            // At the end of a word it gives a letter its joined form.
            of_emoji || joins(before)
        }
        0x180B..=0x180D | 0x180F => is_within(before, 0x1820..=0x18AA),
        0xFE0E..=0xFE0F => is_pictograph(before) || is_keycap(before, next),
        0xFE00..=0xFE02 => has_variants(before),
        0xE0100..=0xE01EF => is_ideograph(before),
        _ => false,
    }
}

/// Whether a joiner or selector stands where a piece of a text begins or ends.
fn is_seam(c: char, edges: Edges, at: usize, chars: &[char]) -> bool {
    let at_edge = at == 0 || at + 1 == chars.len();
    edges == Edges::Piece && at_edge && matches!(u32::from(c), 0x200C..=0x200D | 0xFE0E..=0xFE0F)
}

/// How many tags follow that make the flag of a part of a country; 0 for none or others.
fn flag_tags(after: &[char]) -> usize {
    let found = FLAGS.iter().find(|name| {
        let tags = name.chars().filter_map(|letter| char::from_u32(0xE0000 + u32::from(letter)));
        tags.chain([END_OF_TAGS]).eq(after.iter().copied().take(name.len() + 1))
    });
    found.map_or(0, |name| name.len() + 1)
}

fn is_within(c: char, range: std::ops::RangeInclusive<u32>) -> bool {
    range.contains(&u32::from(c))
}

/// What an emoji is made of.
fn is_pictograph(c: char) -> bool {
    matches!(
        u32::from(c),
        0x00A9 | 0x00AE | 0x203C | 0x2049 | 0x2122 | 0x2139 | 0x3030 | 0x303D | 0x3297 | 0x3299
            | 0x2190..=0x21FF
            | 0x2300..=0x23FF
            | 0x2460..=0x24FF
            | 0x25A0..=0x27BF
            | 0x2900..=0x297F
            | 0x2B00..=0x2BFF
            | 0x1F000..=0x1FAFF
    )
}

/// The same, with what may stand between a pictograph and the joiner after it.
fn is_emoji_part(c: char) -> bool {
    is_pictograph(c) || c == '\u{fe0f}'
}

/// Whether a selector makes a key of what is before it, as of `1`.
fn is_keycap(before: char, next: Option<char>) -> bool {
    matches!(before, '0'..='9' | '#' | '*') && next == Some('\u{20e3}')
}

/// Letters and marks of scripts that join: Arabic, Syriac, the scripts of India and their neighbours, Mongolian.
fn joins(c: char) -> bool {
    matches!(
        u32::from(c),
        0x0620..=0x08FF
            | 0x0900..=0x0DFF
            | 0x0F00..=0x109F
            | 0x1780..=0x17B3
            | 0x17B6..=0x17DD
            | 0x1820..=0x18AA
            | 0x1900..=0x1CFF
            | 0xA840..=0xABFF
            | 0xFB50..=0xFDFF
            | 0xFE70..=0xFEFC
            | 0x10A00..=0x11FFF
            | 0x1E900..=0x1E95F
    )
}

/// Characters for which Unicode lists variants: operators, ideographs, letters of Myanmar.
fn has_variants(c: char) -> bool {
    matches!(u32::from(c), 0x2200..=0x22FF | 0x2A00..=0x2AFF | 0x1000..=0x109F | 0xA840..=0xA87F | 0x3001..=0x3002 | 0xFF01..=0xFF1F)
        || c == '0'
        || is_ideograph(c)
}

fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c), 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x323AF)
}

/// A pause's message for a terminal: without what a screen would fold away.
pub fn plain(markdown: &str) -> String {
    let mut out = String::new();
    let mut folded = false;
    for line in markdown.lines() {
        // Code below an item says what would be done: nothing of it is a mark.
        if line.starts_with("      ") && !folded {
            out.push_str(line);
            out.push('\n');
            continue;
        }
        match line.trim() {
            "<details>" => folded = true,
            "</details>" => folded = false,
            _ if folded => {}
            "---" => {}
            _ => {
                out.push_str(&line.replace("**", ""));
                out.push('\n');
            }
        }
    }
    printable(out.trim_end()) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_would_see_is_written_out() {
        let cases = [
            ("pay\u{202e}exe.fdp", "pay<U+202E>exe.fdp"),
            ("\u{2066}a\u{2069}", "<U+2066>a<U+2069>"),
            ("a\u{200b}b\u{feff}c\u{00ad}d", "a<U+200B>b<U+FEFF>c<U+00AD>d"),
            ("pass\u{200d}word, pass\u{200c}word", "pass<U+200D>word, pass<U+200C>word"),
            ("hi\u{e0069}\u{e0067}", "hi<U+E0069><U+E0067>"),
            ("\u{1f3f4}\u{e0061}\u{e007f}", "\u{1f3f4}<U+E0061><U+E007F>"),
            ("a\u{fe0f}", "a<U+FE0F>"),
            ("\u{2764}\u{fe0f}\u{fe0f}\u{fe01}", "\u{2764}\u{fe0f}<U+FE0F><U+FE01>"),
            ("x\u{e0101}\u{e0155}", "x<U+E0101><U+E0155>"),
            ("\u{8fbb}\u{e0101}\u{e0155}", "\u{8fbb}\u{e0101}<U+E0155>"),
            ("one\u{2028}two", "one<U+2028>two"),
            ("\u{1b}[31m\r\u{9b}2J\n\t.", "\u{fffd}[31m\u{fffd}\u{fffd}2J\n\t."),
        ];
        for (text, expected) in cases {
            assert_eq!(printable(text), expected);
        }
    }

    #[test]
    fn what_writing_needs_stays() {
        for text in [
            "👩\u{200d}👩\u{200d}👧\u{200d}👦 👩🏽\u{200d}🚀 🏳\u{fe0f}\u{200d}🌈 ❤\u{fe0f}\u{200d}🔥 🧔\u{200d}♂\u{fe0f}",
            "1\u{fe0f}\u{20e3} ☎\u{fe0e} 🇩🇪",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}!",
            "e\u{301} n\u{303} Zu\u{308}rich Việt",
            "שָׁלוֹם عليكم می\u{200c}خواهم ه\u{200d} क्\u{200d}ष ශ්\u{200d}රී",
            "葛\u{e0100}飾 ᠮᠣᠩᠭᠣᠯ ∩\u{fe00}",
            "",
        ] {
            assert_eq!(printable(text), text);
        }
    }

    #[test]
    fn an_emoji_may_come_in_pieces() {
        assert_eq!(["👩\u{200d}", "🚀"].map(printable_piece).concat(), "👩\u{200d}🚀");
        assert_eq!(["👩", "\u{200d}🚀"].map(printable_piece).concat(), "👩\u{200d}🚀");
        assert_eq!(printable_piece("\u{202e}a\u{200d}b"), "<U+202E>a<U+200D>b");
    }

    #[test]
    fn json_is_escaped_and_stays_the_same_value() {
        let value = serde_json::json!({"a\u{202e}": ["\u{e0041}", "\u{9b}", "ü"]});
        let text = value.to_string();
        let shown = printable_json(&text);
        assert_eq!(shown, r#"{"a\u202e":["\udb40\udc41","\u009b","ü"]}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }

    #[test]
    fn a_pause_is_shown_without_folded_data_and_without_terminal_codes() {
        let text = "**Plan**\n\n- a\u{1b}[31m\n\n<details>\n<summary>x</summary>\n{}\n</details>\n";
        assert_eq!(plain(text), "Plan\n\n- a\u{fffd}[31m\n");
        // What stands in a command folds and hides nothing.
        let text = "- **Run**\n\n      echo **/x\n      <details>\n      rm -rf x\n      ---\n";
        assert_eq!(plain(text), "- Run\n\n      echo **/x\n      <details>\n      rm -rf x\n      ---\n");
    }
}
