//! The form in which words of others are set: quotations within quotations, headings in capitals.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::HeadingCase;

/// Markdown with [`nested_quotes`] in its lines and its headings as `case` shows them; code stays.
pub fn typeset(markdown: &str, case: &HeadingCase) -> String {
    // The mark of the code that is open, and how often it stands.
    let mut code: Option<(char, usize)> = None;
    let lines = markdown.split('\n').map(|line| {
        let words = line.trim_start();
        let fence = words.chars().next().filter(|c| matches!(c, '`' | '~'));
        let fence = fence.map(|mark| (mark, words.chars().take_while(|c| *c == mark).count()));
        match (code, fence.filter(|(_, length)| *length >= 3)) {
            (None, None) => return nested_quotes(&case.line(line)).into_owned(),
            (None, begun) => code = begun,
            (Some((open, least)), Some((mark, length))) if mark == open && length >= least => code = None,
            (Some(_), _) => {}
        }
        line.to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A line in which a quotation within another one has single marks: `“‘Hall’ means the building”`. Where its marks do not pair, since an excerpt ends within a quotation, only one that begins with a mark gets a single one.
pub fn nested_quotes(line: &str) -> Cow<'_, str> {
    let mut marks: BTreeMap<usize, char> = BTreeMap::new();
    let mut open: Vec<usize> = Vec::new();
    let mut outer = Vec::new();
    for (at, c) in line.char_indices() {
        match c {
            '\u{201c}' => open.push(at),
            '\u{201d}' => {
                let Some(start) = open.pop() else { continue };
                match open.len() {
                    0 => outer.push((start + c.len_utf8(), at)),
                    depth if depth % 2 == 1 => marks.extend([(start, '\u{2018}'), (at, '\u{2019}')]),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    if open.is_empty() {
        outer.into_iter().for_each(|(from, to)| marks.extend(straight(line, from, to)));
    } else {
        marks = line
            .match_indices("\u{201c}\u{201c}")
            .map(|(at, _)| (at + '\u{201c}'.len_utf8(), '\u{2018}'))
            .collect();
    }
    if marks.is_empty() {
        return Cow::Borrowed(line);
    }
    Cow::Owned(line.char_indices().map(|(at, c)| marks.get(&at).copied().unwrap_or(c)).collect())
}

/// The marks for straight ones within a quotation, where they pair.
fn straight(line: &str, from: usize, to: usize) -> Vec<(usize, char)> {
    let words = &line[from..to];
    // Marks of code and of the titles of links mean something else.
    if words.contains('`') || words.contains("](") {
        return Vec::new();
    }
    let found: Vec<usize> = words.match_indices('"').map(|(at, _)| at).collect();
    let before = |at: usize| words[..at].chars().next_back();
    let is_mark = |(number, at): (usize, &usize)| match number % 2 {
        0 => {
            !before(*at).is_some_and(char::is_alphanumeric)
                && words[at + 1..].chars().next().is_some_and(|c| !c.is_whitespace())
        }
        _ => before(*at).is_some_and(|c| !c.is_whitespace()),
    };
    if found.len().is_multiple_of(2) && found.iter().enumerate().all(is_mark) {
        let mark = |number: usize| if number.is_multiple_of(2) { '\u{2018}' } else { '\u{2019}' };
        return found.iter().enumerate().map(|(number, at)| (from + at, mark(number))).collect();
    }
    match found.as_slice() {
        [0] => vec![(from, '\u{2018}')],
        // After a digit it means inches.
        [only] if only + 1 == words.len() && !before(*only).is_some_and(|c| c.is_ascii_digit()) => {
            vec![(from + only, '\u{2019}')]
        }
        _ => Vec::new(),
    }
}
