//! Marks that a reader sets around words while it makes a text, and that [`Output::push`](crate::output::Output::push)
//! takes out again: noncharacters of Unicode, which no reader takes over from a file (see [`is_mark`]).

use crate::Deletion;

/// What stands between these two is shown struck out.
pub(crate) const STRUCK: [char; 2] = ['\u{fdd0}', '\u{fdd1}'];

/// Here a text goes on on another page, which the block's breaks name in order.
pub(crate) const PAGE: char = '\u{fdd2}';

/// Whether `c` is one of the noncharacters from which marks are taken; in a file it means nothing and is left out.
pub(crate) fn is_mark(c: char) -> bool {
    matches!(c, '\u{fdd0}'..='\u{fdef}')
}

/// `text` between the marks of struck words; as it is where there is nothing to strike.
pub(crate) fn struck(text: &str) -> String {
    if text.trim().is_empty() { text.to_owned() } else { format!("{}{text}{}", STRUCK[0], STRUCK[1]) }
}

/// A text without its marks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Unmarked {
    pub(crate) text: String,
    /// What was struck out of it.
    pub(crate) struck: Vec<Deletion>,
    /// Before which bytes it goes on on another page.
    pub(crate) pages: Vec<usize>,
}

/// Takes struck words out of a text whose white space is normal already. Neighbouring stretches are one.
pub(crate) fn unmarked(text: &str) -> Unmarked {
    let mut out = Unmarked::default();
    let mut deleted: Option<String> = None;
    for c in text.chars() {
        match (&mut deleted, c) {
            (None, c) if c == STRUCK[0] => deleted = Some(String::new()),
            (Some(words), c) if c == STRUCK[1] => {
                out.strike(words);
                deleted = None;
            }
            (_, PAGE) => out.pages.push(out.text.len()),
            _ if is_mark(c) => {}
            (Some(words), c) => words.push(c),
            // Of the spaces around what was struck one is left.
            (None, ' ') if out.text.is_empty() || out.text.ends_with([' ', '\n']) => {}
            (None, c) => out.text.push(c),
        }
    }
    if let Some(words) = &deleted {
        out.strike(words);
    }
    out.text.truncate(out.text.trim_end().len());
    let end = out.text.len();
    out.pages.iter_mut().for_each(|at| *at = end.min(*at));
    out
}

impl Unmarked {
    fn strike(&mut self, words: &str) {
        let (at, words) = (self.text.len(), words.trim());
        match self.struck.last_mut() {
            Some(last) if last.at == at => last.text.push_str(&format!(" {words}")),
            _ if words.is_empty() => {}
            _ => self.struck.push(Deletion { at, text: words.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn struck_words_are_taken_out_with_one_of_the_spaces_around_them() {
        let [begin, end] = STRUCK;
        let text = format!("It shall {begin}not{end} tell. {begin}80 EUR {end}{begin}net{end} 70 EUR");
        let found = unmarked(&text);
        assert_eq!(found.text, "It shall tell. 70 EUR");
        let words: Vec<_> = found.struck.iter().map(|one| (one.at, one.text.as_str())).collect();
        assert_eq!(words, [(9, "not"), (15, "80 EUR net")]);
    }

    #[test]
    fn words_struck_within_a_word_leave_no_space() {
        assert_eq!(unmarked(&format!("un{}lawful", struck("un"))).text, "unlawful");
        assert_eq!(unmarked(&struck("all of it")).text, "");
        assert_eq!(struck("  "), "  ");
    }
}
