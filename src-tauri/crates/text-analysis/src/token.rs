//! The words of a text, whatever its script.

use unicode_normalization::UnicodeNormalization as _;

use crate::fold::{fold_case, without_accents};
use crate::script::{digit, is_ignored, is_inside, is_mark, is_paired};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A run of letters and digits.
    Word,
    /// Two signs side by side.
    Pair,
    /// The only sign of a run.
    Sign,
    /// The last sign of a run of several, which begins no pair.
    Last,
}

/// A piece of a text that an index compares, and where it stands, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'t> {
    /// As written where that is ASCII; otherwise in NFKC, without case, with accents.
    pub text: &'t str,
    /// Where it begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// What it is.
    pub kind: Kind,
}

/// Stands between words that normalisation takes apart.
const GAP: char = '\0';

/// Adds a word in lower case to a list, without an apostrophe and what follows it; where words have no blanks between them,
/// pairs of signs.
pub fn add_lower(word: &str, list: &mut Vec<String>) {
    let word = word.split(['\'', '\u{2019}']).next().unwrap_or_default();
    if word.is_ascii() {
        list.extend((!word.is_empty()).then(|| word.to_ascii_lowercase()));
    } else {
        each_token(word, |token| {
            list.extend((token.kind != Kind::Last).then(|| token.text.to_lowercase()));
        });
    }
}

/// Calls `each` with the tokens of a text in order.
pub fn each_token(text: &str, mut each: impl FnMut(Token<'_>)) {
    let mut scratch = Scratch::default();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let from = at;
        // Most words are ASCII: these are read by bytes.
        while bytes.get(at).is_some_and(u8::is_ascii_alphanumeric) {
            at += 1;
        }
        if bytes.get(at).is_none_or(u8::is_ascii) {
            if at > from {
                each(Token { text: &text[from..at], from, to: at, kind: Kind::Word });
            }
            at += 1;
            continue;
        }
        let rest = &text[at..];
        at += rest.find(|c: char| !is_inside(c)).unwrap_or(rest.len());
        if text[from..at].is_ascii() {
            if at > from {
                each(Token { text: &text[from..at], from, to: at, kind: Kind::Word });
            }
        } else {
            scratch.read(text, from, at);
            scratch.tell(&mut each);
        }
        at += text[at..].chars().next().map_or(1, char::len_utf8);
    }
}

/// A text as an index keeps it whose words are separated by blanks: its tokens without case and accents.
pub fn joined(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    each_token(text, |token| add(&mut out, token));
    out
}

/// A text as it is looked for in an index of [`joined`] texts: its tokens in order, each as the index has it. What the text ends
/// with may go on, and of a single sign only that is known.
pub fn sought(text: &str) -> (Vec<String>, bool) {
    let mut tokens: Vec<(String, Kind)> = Vec::new();
    each_token(text, |token| {
        let mut own = String::new();
        add(&mut own, token);
        tokens.push((own, token.kind));
    });
    if tokens.last().is_some_and(|(_, kind)| *kind == Kind::Last) {
        tokens.pop();
    }
    let begins = tokens.last().is_some_and(|(_, kind)| *kind == Kind::Sign);
    (tokens.into_iter().map(|(text, _)| text).collect(), begins)
}

fn add(out: &mut String, token: Token<'_>) {
    if !out.is_empty() {
        out.push(' ');
    }
    if token.text.is_ascii() {
        out.extend(token.text.chars().map(|c| c.to_ascii_lowercase()));
    } else {
        out.push_str(&without_accents(token.text));
    }
}

/// A piece of a text that is not all ASCII, in the form that is compared, with the places it came from.
#[derive(Default)]
struct Scratch {
    signs: Vec<(char, usize, usize)>,
    text: String,
}

impl Scratch {
    fn read(&mut self, text: &str, from: usize, to: usize) {
        self.signs.clear();
        let mut rest = text[from..to].char_indices().peekable();
        while let Some((at, first)) = rest.next() {
            let mut end = at + first.len_utf8();
            while let Some(&(next, c)) = rest.peek().filter(|(_, c)| goes_on(*c)) {
                end = next + c.len_utf8();
                rest.next();
            }
            let cluster = &text[from + at..from + end];
            // A raised digit, a fraction or an encircled number does not run into the digits before it.
            let plain =
                first.is_ascii() || matches!(first, '\u{ff10}'..='\u{ff19}' | '\u{1d7ce}'..='\u{1d7ff}');
            let numbers = self.signs.last().is_some_and(|(last, ..)| last.is_ascii_digit());
            if !plain && numbers && cluster.nfkc().next().is_some_and(|c| c.is_ascii_digit()) {
                self.signs.push((GAP, 0, 0));
            }
            for c in cluster.nfkc().filter(|&c| !is_ignored(c)) {
                if c.is_alphanumeric() || is_mark(c) {
                    fold_case(digit(c).unwrap_or(c), |c| self.signs.push((c, from + at, from + end)));
                } else {
                    self.signs.push((GAP, 0, 0));
                }
            }
        }
    }

    fn tell(&mut self, each: &mut impl FnMut(Token<'_>)) {
        let Self { signs, text } = self;
        let mut rest = signs.as_slice();
        while let Some(&(first, ..)) = rest.first() {
            let paired = is_paired(first);
            let same = |c: char| c != GAP && (is_paired(c) == paired || is_mark(c));
            let length = rest.iter().take_while(|(c, ..)| same(*c)).count();
            let (run, others) = rest.split_at(length.max(1));
            rest = others;
            let mut token = |run: &[(char, usize, usize)], kind| {
                text.clear();
                text.extend(run.iter().map(|(c, ..)| c));
                if let (Some((_, from, _)), Some((.., to))) = (run.first(), run.last()) {
                    each(Token { text, from: *from, to: *to, kind });
                }
            };
            match run {
                [(GAP, ..)] => {}
                run if !paired => {
                    if run.iter().any(|(c, ..)| c.is_alphanumeric()) {
                        token(run, Kind::Word);
                    }
                }
                [_] => token(run, Kind::Sign),
                run => {
                    run.windows(2).for_each(|pair| token(pair, Kind::Pair));
                    token(&run[run.len() - 1..], Kind::Last);
                }
            }
        }
    }
}

/// Whether a character is composed with the one before it: a mark, a voiced mark of half width, a vowel or final of Hangul.
pub fn goes_on(c: char) -> bool {
    is_mark(c) || matches!(c, '\u{ff9e}' | '\u{ff9f}' | '\u{1160}'..='\u{11ff}')
}
