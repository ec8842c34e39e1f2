//! Where a text stands that is written a little otherwise: with no-break spaces, other quotation marks, letters taken
//! apart, signs that nobody sees. What differs is named.

use std::ops::Range;

use unicode_normalization::char::{canonical_combining_class, decompose_canonical};

use crate::charset::visible;

/// Texts above this are not compared so, in bytes.
const MAX_FOLDED_BYTES: usize = 8 << 20;
/// Differences that are named.
const MAX_NAMED: usize = 4;

/// A text with what looks alike written alike, and where each byte of that comes from.
struct Folded {
    text: String,
    /// For each byte, and the end: where the character that it comes from begins.
    starts: Vec<u32>,
    /// For each byte: where that character ends.
    ends: Vec<u32>,
}

impl Folded {
    fn new(text: &str) -> Self {
        let mut folded = Self {
            text: String::with_capacity(text.len()),
            starts: Vec::with_capacity(text.len() + 1),
            ends: Vec::with_capacity(text.len()),
        };
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let end = at + c.len_utf8();
            if c == '\r' && chars.peek().is_some_and(|(_, next)| *next == '\n') {
                continue;
            }
            let before = folded.text.len();
            alike(c, &mut folded.text);
            for _ in before..folded.text.len() {
                folded.starts.push(offset(at));
                folded.ends.push(offset(end));
            }
        }
        folded.starts.push(offset(text.len()));
        folded
    }

    /// The part of the original that a part of this stands for; `None` where it would cut a character.
    fn source(&self, part: Range<usize>) -> Option<Range<usize>> {
        let cuts = |at: usize| at > 0 && at < self.ends.len() && self.starts[at] == self.starts[at - 1];
        let last = part.end.checked_sub(1)?;
        // A mark that follows belongs to the letter before it.
        let marked = self.text[part.end..].chars().next().is_some_and(|c| canonical_combining_class(c) != 0);
        if part.is_empty() || cuts(part.start) || cuts(part.end) || marked {
            return None;
        }
        Some(self.starts[part.start] as usize..*self.ends.get(last)? as usize)
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Writes a character as those that look like it are written.
fn alike(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(c);
        return;
    }
    decompose_canonical(c, |part| match part {
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => out.push(' '),
        '\u{2018}'..='\u{201b}' | '\u{2032}' => out.push('\''),
        '\u{201c}'..='\u{201f}' | '\u{2033}' => out.push('"'),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => out.push('-'),
        '\u{2026}' => out.push_str("..."),
        '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}' => {}
        // The wide forms of ASCII, as East Asian keyboards have them.
        '\u{ff01}'..='\u{ff5e}' => out.extend(char::from_u32(u32::from(part) - 0xfee0)),
        part => out.push(part),
    });
}

/// A text with what looks alike written alike: letters taken apart, spaces, quotation marks and dashes made plain, signs
/// that nobody sees left out, CR LF as LF.
pub fn fold(text: &str) -> String {
    Folded::new(&visible(text)).text
}

/// A place where a text stands, written otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookalike {
    /// Where, in bytes.
    pub range: Range<usize>,
}

/// Where something that looks like `wanted` stands in a text; places do not overlap.
pub fn lookalikes(text: &str, wanted: &str) -> Vec<Lookalike> {
    if text.len() > MAX_FOLDED_BYTES || wanted.is_empty() {
        return Vec::new();
    }
    let needle = fold(wanted);
    if needle.trim().is_empty() {
        return Vec::new();
    }
    // Stray bytes keep their places: a replacement character has one character for one.
    let folded = Folded::new(text);
    let hay: std::borrow::Cow<'_, str> = visible(&folded.text);
    if hay.len() == folded.text.len() {
        let found = hay.match_indices(&needle);
        return found
            .filter_map(|(at, _)| folded.source(at..at + needle.len()))
            .map(|range| Lookalike { range })
            .collect();
    }
    stray_lookalikes(&folded, &needle)
}

/// As [`lookalikes`], where characters of the text stand for stray bytes, which are longer than what shows them.
fn stray_lookalikes(folded: &Folded, needle: &str) -> Vec<Lookalike> {
    let hay: Vec<(usize, char)> = folded.text.char_indices().collect();
    let needle: Vec<char> = needle.chars().collect();
    let shows = |c: char| visible(c.encode_utf8(&mut [0; 4])).chars().next().unwrap_or(c);
    let mut found = Vec::new();
    let mut at = 0;
    while at + needle.len() <= hay.len() {
        let stands = needle.iter().zip(&hay[at..]).all(|(wanted, (_, here))| *wanted == shows(*here));
        let end = hay.get(at + needle.len()).map_or(folded.text.len(), |(end, _)| *end);
        match stands.then(|| folded.source(hay[at].0..end)).flatten() {
            Some(range) => {
                found.push(Lookalike { range });
                at += needle.len();
            }
            None => at += 1,
        }
    }
    found
}

/// What differs between a text and what was wanted of it, each kind once, in words: `U+00A0 (a no-break space) stands where
/// a space was written (line 3)`. `line` is the number of the text's first line. Empty when more differs than that.
pub fn differences(here: &str, wanted: &str, line: usize) -> Vec<String> {
    let (shown, wanted) = (visible(here), visible(wanted));
    let (one, other) = (Folded::new(&shown), Folded::new(&wanted));
    if one.text != other.text {
        return Vec::new();
    }
    let mut named: Vec<String> = Vec::new();
    let mut seen: Vec<(String, String)> = Vec::new();
    let (mut at, mut mine, mut theirs) = (0, 0, 0);
    // From one place where both have a whole character to the next.
    while at < one.text.len() {
        let mut end = at + 1;
        let whole = |folded: &Folded, at: usize| {
            at == folded.text.len() || folded.starts[at] != folded.starts[at - 1]
        };
        while !(whole(&one, end) && whole(&other, end)) {
            end += 1;
        }
        let (my_end, their_end) = (one.ends[end - 1] as usize, other.ends[end - 1] as usize);
        let (here, there) = (&shown[mine..my_end], &wanted[theirs..their_end]);
        if here.replace('\r', "") != there.replace('\r', "") {
            let pair = (here.to_owned(), there.to_owned());
            if !seen.contains(&pair) {
                let line = line + shown[..my_end].bytes().filter(|byte| *byte == b'\n').count();
                named.push(format!(
                    "{} stands where {} was written (line {line})",
                    names(here),
                    names(there)
                ));
                seen.push(pair);
            }
        }
        (at, mine, theirs) = (end, my_end, their_end);
    }
    let more = named.len().saturating_sub(MAX_NAMED);
    named.truncate(MAX_NAMED);
    if more > 0 {
        named.push(format!("{more} more"));
    }
    named
}

/// Characters by their numbers, and by a name where nobody could see which they are.
fn names(text: &str) -> String {
    let named: Vec<String> = text
        .chars()
        .filter(|c| *c != '\r')
        .map(|c| match name(c) {
            Some(name) if c.is_ascii() => name.to_owned(),
            Some(name) => format!("U+{:04X} ({name})", u32::from(c)),
            None if c.is_ascii() => format!("`{c}`"),
            None if canonical_combining_class(c) != 0 => format!("U+{:04X} (a combining mark)", u32::from(c)),
            None => format!("U+{:04X} (`{c}`)", u32::from(c)),
        })
        .collect();
    if named.is_empty() { "nothing".to_owned() } else { named.join(" ") }
}

fn name(c: char) -> Option<&'static str> {
    Some(match c {
        ' ' => "a space",
        '\t' => "a tab",
        '\n' => "a line end",
        '\u{a0}' => "a no-break space",
        '\u{202f}' => "a narrow no-break space",
        '\u{2000}'..='\u{200a}' | '\u{205f}' => "a space of another width",
        '\u{3000}' => "an ideographic space",
        '\u{ad}' => "a soft hyphen",
        '\u{200b}' => "a zero-width space",
        '\u{200c}' => "a zero-width non-joiner",
        '\u{200d}' => "a zero-width joiner",
        '\u{2060}' => "a word joiner",
        '\u{feff}' => "a byte order mark",
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2061}'..='\u{2069}' => {
            "a sign that can't be seen"
        }
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' => "a typographic quotation mark",
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' => "a typographic double quotation mark",
        '\u{2010}' => "a hyphen",
        '\u{2011}' => "a no-break hyphen",
        '\u{2012}'..='\u{2015}' => "a dash",
        '\u{2212}' => "a minus sign",
        '\u{fffd}' => "a byte that is no UTF-8",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn found(text: &str, wanted: &str) -> Vec<String> {
        lookalikes(text, wanted).into_iter().map(|place| text[place.range].to_owned()).collect()
    }

    #[test]
    fn what_looks_alike_is_found_as_it_is_written() {
        let table = [
            ("the task list in\u{a0}current", "list in current", "list in\u{a0}current"),
            ("10\u{202f}000 €", "10 000", "10\u{202f}000"),
            ("Cafe\u{301} Zu\u{308}rich", "Café Zürich", "Cafe\u{301} Zu\u{308}rich"),
            ("Café Zürich", "Cafe\u{301} Zu\u{308}rich", "Café Zürich"),
            ("say \u{201c}don\u{2019}t\u{201d}", "\"don't\"", "\u{201c}don\u{2019}t\u{201d}"),
            ("say \"don't\"", "\u{201c}don\u{2019}t\u{201d}", "\"don't\""),
            ("1990\u{2013}1995", "1990-1995", "1990\u{2013}1995"),
            ("and so on\u{2026}", "so on...", "so on\u{2026}"),
            ("zero\u{200b}width", "zerowidth", "zero\u{200b}width"),
            ("soft\u{ad}hyphen", "softhyphen", "soft\u{ad}hyphen"),
            ("a\r\nb\u{a0}c\r\n", "a\nb c", "a\r\nb\u{a0}c"),
            ("数量（个）", "数量(个)", "数量（个）"),
            ("한글", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}", "한글"),
        ];
        for (text, wanted, there) in table {
            assert_eq!(found(text, wanted), [there], "{wanted:?} in {text:?}");
        }
        // A letter is not taken apart, and a mark goes with its letter.
        assert_eq!(found("Café", "Cafe"), Vec::<String>::new());
        assert_eq!(found("a\u{a0}a\u{a0}a", "a a").len(), 1);
        assert_eq!(found("x y", "\u{200b}"), Vec::<String>::new());
    }

    #[test]
    fn differences_are_named_by_number_and_line() {
        let named = differences("a\nin\u{a0}current", "a\nin current", 7);
        assert_eq!(named, ["U+00A0 (a no-break space) stands where a space was written (line 8)"]);
        let named = differences("Cafe\u{301}", "Café", 1);
        assert_eq!(named, ["`e` U+0301 (a combining mark) stands where U+00E9 (`é`) was written (line 1)"]);
        let named = differences("don\u{2019}t", "don't", 1);
        assert_eq!(named, ["U+2019 (a typographic quotation mark) stands where `'` was written (line 1)"]);
        assert!(differences("a\u{200b}b", "ab", 1)[0].contains("U+200B (a zero-width space)"));
        assert_eq!(differences("same", "same", 1), Vec::<String>::new());
        assert_eq!(differences("a\r\nb", "a\nb", 1), Vec::<String>::new());
    }
}
