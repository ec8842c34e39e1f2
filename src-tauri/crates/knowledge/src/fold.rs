//! Text in the form quotes are compared in, with the way back to the bytes it came from.
//!
//! Folding removes what typesetting changes and nothing that carries meaning: NFKC, one kind of quotation
//! mark, one kind of dash without spaces around it, single spaces, no soft hyphens, no space before a comma.
//! Case, words, numbers and brackets stay. A hyphen at a line break may or may not belong to the word, so it
//! becomes [`MAYBE_HYPHEN`], which matches a hyphen or nothing.

use domain::is_invisible;
use text_analysis::goes_on;
use unicode_normalization::UnicodeNormalization as _;

/// Stands where a word was broken at a line end.
pub const MAYBE_HYPHEN: char = '\u{1}';

/// A folded text. Both vectors have one entry a byte of `text`.
#[derive(Debug, Default)]
pub struct Folded {
    /// The folded text.
    pub text: String,
    /// Whether a [`MAYBE_HYPHEN`] is in it.
    pub has_maybe_hyphen: bool,
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl Folded {
    /// The bytes of the original that a range of the folded text came from.
    pub fn original(&self, from: usize, to: usize) -> (usize, usize) {
        let start = self.starts.get(from).copied().unwrap_or(0) as usize;
        let end = to.checked_sub(1).and_then(|last| self.ends.get(last)).map_or(start, |&end| end as usize);
        (start, end.max(start))
    }

    /// Folds a text.
    pub fn of(original: &str) -> Self {
        let mut folding = FoldedWords {
            out: Self {
                text: String::with_capacity(original.len()),
                has_maybe_hyphen: false,
                starts: Vec::with_capacity(original.len()),
                ends: Vec::with_capacity(original.len()),
            },
            space: false,
            broken: false,
            soft: false,
        };
        let bytes = original.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            let next = bytes.get(at + 1).copied();
            if byte < 0x80 && next.is_none_or(|next| next < 0x80) {
                folding.take(char::from(byte), at, at + 1, next.map(char::from));
                at += 1;
                continue;
            }
            let Some(first) = original[at..].chars().next() else { break };
            let mut end = at + first.len_utf8();
            while let Some(mark) = original[end..].chars().next().filter(|&c| goes_on(c)) {
                end += mark.len_utf8();
            }
            let after = original[end..].chars().next();
            folding.take_cluster(&original[at..end], first, at, end, after);
            at = end;
        }
        folding.out
    }
}

struct FoldedWords {
    out: Folded,
    /// White space was seen since the last character.
    space: bool,
    /// The last character was a hyphen directly after a letter.
    broken: bool,
    /// The last character was a soft hyphen.
    soft: bool,
}

impl FoldedWords {
    fn take_cluster(&mut self, cluster: &str, first: char, from: usize, to: usize, next: Option<char>) {
        match first {
            '\u{ad}' => {
                self.soft = true;
                return;
            }
            '‘' | '’' | '‚' | '‛' | '‹' | '›' | '´' | '′' => {
                return self.take('\'', from, to, next);
            }
            '“' | '”' | '„' | '‟' | '«' | '»' | '″' => return self.take('"', from, to, next),
            '\u{2010}' | '\u{2011}' => return self.take('-', from, to, next),
            '\u{2012}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' => {
                self.take('-', from, to, next);
                self.broken = false;
                return;
            }
            _ => {}
        }
        let plain_digit = matches!(first, '0'..='9' | '\u{ff10}'..='\u{ff19}' | '\u{1d7ce}'..='\u{1d7ff}');
        let mut normal = cluster.nfkc().filter(|&c| !is_invisible(c)).peekable();
        // A superscript, a fraction or an encircled number must not run into the digits before it.
        if !plain_digit && normal.peek().is_some_and(char::is_ascii_digit) {
            self.take('^', from, to, None);
        }
        while let Some(c) = normal.next() {
            let following = normal.peek().copied().or(next);
            self.take(c, from, to, following);
        }
    }

    fn take(&mut self, c: char, from: usize, to: usize, next: Option<char>) {
        if c.is_whitespace() {
            // A soft hyphen at a line end joins the halves of its word.
            self.space |= !self.soft;
            return;
        }
        if c.is_control() {
            return;
        }
        self.soft = false;
        let c = if c == '"' {
            self.mark(true)
        } else if c == '\'' {
            self.mark(false)
        } else {
            c
        };
        let last = self.out.text.chars().next_back();
        if self.space {
            if self.broken && c.is_lowercase() {
                self.out.text.pop();
                self.out.text.push(MAYBE_HYPHEN);
                self.out.has_maybe_hyphen = true;
            } else if !self.drops_space(last, c, next) {
                self.put(' ', from, from);
            }
        } else if c == '-' && last == Some('-') || c == '\'' && last == Some('\'') {
            self.extend(to);
            self.broken = false;
            return;
        }
        self.broken = c == '-' && !self.space && last.is_some_and(char::is_alphabetic);
        self.space = false;
        self.put(c, from, to);
    }

    /// Quotation marks are one, except after a digit, where they may be feet and inches.
    fn mark(&self, double: bool) -> char {
        let after_digit = !self.space && self.out.text.ends_with(|c: char| c.is_ascii_digit());
        if after_digit && double { '"' } else { '\'' }
    }

    fn drops_space(&self, last: Option<char>, c: char, next: Option<char>) -> bool {
        let Some(last) = last else { return true };
        let before_point = matches!(c, ',' | ';' | ':' | '.') && !next.is_some_and(|n| n.is_ascii_digit());
        before_point || matches!(c, ')' | ']' | '-') || matches!(last, '(' | '[' | '-')
    }

    fn put(&mut self, c: char, from: usize, to: usize) {
        self.out.text.push(c);
        for _ in 0..c.len_utf8() {
            self.out.starts.push(from as u32);
            self.out.ends.push(to as u32);
        }
    }

    fn extend(&mut self, to: usize) {
        if let Some(end) = self.out.ends.last_mut() {
            *end = to as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn folded(text: &str) -> String {
        Folded::of(text).text
    }

    #[test]
    fn typesetting_disappears() {
        assert_eq!(folded("  The “entity’s”\u{a0}\n risk —  as  given ."), "The 'entity's' risk-as given.");
        assert_eq!(folded("e\u{301}tat ﬁnal"), "état final");
        assert_eq!(folded("mate\u{ad}\n  riality"), "materiality");
        assert_eq!(folded("\u{1112}\u{1161}\u{11ab}글 ｶﾞ 葛\u{e0100} a\u{200f}b"), "한글 ガ 葛 ab");
    }

    #[test]
    fn a_line_break_in_a_word_may_or_may_not_be_its_hyphen() {
        assert_eq!(folded("mate-\nriality"), "mate\u{1}riality");
        assert_eq!(folded("risk - that"), "risk-that");
    }

    #[test]
    fn numbers_keep_their_value() {
        assert_eq!(folded("10² and 1½"), "10^2 and 1^1⁄2");
        assert_eq!(folded("５ .5"), "5 .5");
        assert_eq!(folded("5″ 5'"), "5\" 5'");
    }

    #[test]
    fn offsets_lead_back_to_the_original() {
        let text = "A  “b”   cd";
        let folded = Folded::of(text);
        let at = folded.text.find("cd").unwrap();
        let (from, to) = folded.original(at, at + 2);
        assert_eq!(&text[from..to], "cd");
    }
}
