//! Marks that a reader sets around words while it makes a text, and that [`Output::push`](crate::output::Output::push)
//! takes out again: noncharacters of Unicode, which no reader takes over from a file (see [`is_mark`]).

use std::borrow::Cow;

use crate::Deletion;

/// What stands between these two is shown struck out.
pub(crate) const STRUCK: [char; 2] = ['\u{fdd0}', '\u{fdd1}'];

/// Here a text goes on on another page, which the block's breaks name in order.
pub(crate) const PAGE: char = '\u{fdd2}';

/// What stands between these two is deleted, and the file keeps track of it.
const TRACKED: [char; 2] = ['\u{fdd8}', '\u{fdd9}'];

/// Whether `c` is one of the noncharacters from which marks are taken; in a file it means nothing and is left out.
pub(crate) fn is_mark(c: char) -> bool {
    matches!(c, '\u{fdd0}'..='\u{fdef}')
}

/// `text` between the marks of struck words, white space at its ends outside of them; as it is where there is nothing
/// to strike.
pub(crate) fn struck(text: &str) -> String {
    between(STRUCK, text)
}

/// `text` between the marks of a tracked deletion; all of it is deleted, what was struck before included.
pub(crate) fn tracked(text: &str) -> String {
    between(TRACKED, &bare(text))
}

fn between([begin, end]: [char; 2], text: &str) -> String {
    let word = text.trim();
    if word.is_empty() {
        return text.to_owned();
    }
    let (lead, tail) = (text.len() - text.trim_start().len(), text.trim_end().len());
    format!("{}{begin}{word}{end}{}", &text[..lead], &text[tail..])
}

/// A text with its marks only taken away.
pub(crate) fn bare(text: &str) -> Cow<'_, str> {
    if text.contains(is_mark) { text.replace(is_mark, "").into() } else { text.into() }
}

/// Whether a text has words, and all of them are struck or deleted.
pub(crate) fn is_all_struck(text: &str) -> bool {
    text.contains(is_mark) && unmarked(text).text.is_empty()
}

/// A text without its marks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Unmarked {
    pub(crate) text: String,
    /// What was struck out of it.
    pub(crate) struck: Vec<Deletion>,
    /// Before which bytes it goes on on another page.
    pub(crate) pages: Vec<usize>,
    /// How many of those are tracked deletions.
    pub(crate) tracked: usize,
}

/// Takes struck words out of a text whose white space is normal already. Neighbouring stretches are one.
pub(crate) fn unmarked(text: &str) -> Unmarked {
    let mut out = Unmarked::default();
    let mut open: Option<(char, String)> = None;
    // Whether a stretch has just ended, and whether white space followed its words.
    let (mut after, mut gap) = (false, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match &mut open {
            None if c == STRUCK[0] => open = Some((STRUCK[1], String::new())),
            None if c == TRACKED[0] => open = Some((TRACKED[1], String::new())),
            Some((end, words)) if c == *end => {
                out.strike(words, c == TRACKED[1], gap);
                gap = words.ends_with(' ');
                (open, after) = (None, true);
            }
            _ if c == PAGE => out.pages.push(out.text.len()),
            _ if is_mark(c) => {}
            Some((_, words)) => words.push(c),
            None if after && c == '\n' && out.drops_line() => (gap, after) = (true, false),
            None if after && out.drops(c, chars.peek()) => gap = true,
            None => {
                out.text.push(c);
                after &= c == ' ';
                gap = c == ' ';
            }
        }
    }
    if let Some((end, words)) = &open {
        out.strike(words, *end == TRACKED[1], gap);
    }
    out.text.truncate(out.text.trim_end().len());
    let end = out.text.len();
    out.struck.iter_mut().for_each(|one| one.at = end.min(one.at));
    out.pages.iter_mut().for_each(|at| *at = end.min(*at));
    out
}

impl Unmarked {
    /// Whether white space behind what was struck goes with it: of the spaces around it one is left, of its lines none.
    /// An empty cell of a table keeps its place.
    fn drops(&self, c: char, next: Option<&char>) -> bool {
        match c {
            ' ' if self.text.is_empty() || self.text.ends_with('\n') || self.text.ends_with("| ") => {
                next != Some(&'|')
            }
            ' ' => self.text.ends_with(' '),
            _ => false,
        }
    }

    /// Takes the last line away where nothing is left of it.
    fn drops_line(&mut self) -> bool {
        let start = self.text.rfind('\n').map_or(0, |at| at + 1);
        let empty = self.text[start..].trim().is_empty();
        if empty {
            self.text.truncate(start);
            self.struck.iter_mut().for_each(|one| one.at = one.at.min(start));
            self.pages.iter_mut().for_each(|at| *at = start.min(*at));
        }
        empty
    }

    fn strike(&mut self, words: &str, tracked: bool, gap: bool) {
        let (at, word) = (self.text.len(), words.trim());
        match self.struck.last_mut() {
            _ if word.is_empty() => {}
            Some(last) if last.at == at => {
                let space = if gap || words.starts_with(' ') { " " } else { "" };
                last.text.push_str(&format!("{space}{word}"));
            }
            _ => {
                self.struck.push(Deletion { at, text: word.to_owned() });
                self.tracked += usize::from(tracked);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn words(found: &Unmarked) -> Vec<(usize, &str)> {
        found.struck.iter().map(|one| (one.at, one.text.as_str())).collect()
    }

    #[test]
    fn struck_words_are_taken_out_with_one_of_the_spaces_around_them() {
        let [begin, end] = STRUCK;
        let text = format!("It shall {begin}not{end} tell. {begin}80 EUR {end}{begin}net{end} 70 EUR");
        let found = unmarked(&text);
        assert_eq!(found.text, "It shall tell. 70 EUR");
        assert_eq!(words(&found), [(9, "not"), (15, "80 EUR net")]);
    }

    #[test]
    fn words_struck_within_a_word_leave_no_space() {
        assert_eq!(unmarked(&format!("un{}lawful", struck("un"))).text, "unlawful");
        assert_eq!(unmarked(&format!("a{}c", struck(" b"))).text, "a c");
        let parts = format!("x {}{}", struck("un"), struck("lawful"));
        assert_eq!(words(&unmarked(&parts)), [(1, "unlawful")]);
        assert_eq!(unmarked(&struck("all of it")).text, "");
        assert_eq!(struck("  "), "  ");
    }

    #[test]
    fn lines_indents_and_cells_keep_their_places() {
        let code = format!("if x {}:\n    y\n{}\nz", struck("> 1"), struck("    w"));
        assert_eq!(unmarked(&code).text, "if x :\n    y\nz");
        let row = format!("a | {} | c\n{} | d", struck("b"), struck("e"));
        assert_eq!(unmarked(&row).text, "a |  | c\n | d");
    }

    #[test]
    fn tracked_deletions_are_told_apart() {
        let found = unmarked(&format!("a {} b {}", tracked(&struck("old")), struck("c")));
        assert_eq!((found.text.as_str(), found.tracked), ("a b", 1));
        assert_eq!(words(&found), [(2, "old"), (3, "c")]);
        assert!(is_all_struck(&tracked("x")) && !is_all_struck("x") && !is_all_struck(""));
    }

    #[test]
    fn pages_keep_their_places_in_what_is_left() {
        let [begin, end] = STRUCK;
        let pages = |text: String| unmarked(&text).pages;
        assert_eq!(pages(format!("one {PAGE}two {begin}three {PAGE}four{end} five")), [4, 8]);
        assert_eq!(pages(format!("one {begin}two {PAGE}three{end}")), [3]);
        assert_eq!(pages(format!("one {PAGE}{}", tracked("two"))), [3]);
        assert_eq!(pages(format!("one\n    {begin}two {PAGE}three{end}\nfour")), [4]);
    }
}
