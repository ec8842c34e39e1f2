//! Words and signs of an expression.

use crate::mistake::{Mistake, Span, short};

/// One word or sign.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    Number(f64),
    /// In double quotes.
    Text(String),
    /// A bare name, with its dots.
    Name(String),
    /// A name in single quotes: dots in it part nothing.
    Quoted(String),
    Word(Word),
    /// One of `( ) , ? : + - * / % ^ == != ~= < <= > >=`.
    Sign(&'static str),
}

/// A word with a meaning of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    And,
    Or,
    Not,
    In,
    Of,
    If,
    Then,
    Else,
    Mod,
}

impl Word {
    pub const ALL: [(&'static str, Self); 9] = [
        ("and", Self::And),
        ("or", Self::Or),
        ("not", Self::Not),
        ("in", Self::In),
        ("of", Self::Of),
        ("if", Self::If),
        ("then", Self::Then),
        ("else", Self::Else),
        ("mod", Self::Mod),
    ];

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(word, _)| *word == name).map(|(_, word)| word)
    }
}

/// Longer ones before those that begin them.
const SIGNS: [&str; 18] =
    ["==", "!=", "~=", "<=", ">=", "(", ")", ",", "?", ":", "+", "-", "*", "/", "%", "^", "<", ">"];

/// What people write who know another language, and what it is called here.
const FOREIGN: [(&str, &str); 7] = [
    ("&&", "write `and`"),
    ("||", "write `or`"),
    ("<>", "write `!=`"),
    ("=~", "write `~=`"),
    ("=", "write `==`"),
    ("!", "write `not`"),
    (".", "a number begins with a digit, a name with a letter"),
];

/// The tokens of a text up to its end or its first mistake.
pub(crate) fn tokens(text: &str) -> (Vec<(Token, Span)>, Option<Mistake>) {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        match token(&text[at..], first) {
            Ok((token, length)) => {
                out.push((token, Span::new(at, at + length)));
                at += length;
            }
            Err((length, message, hint)) => {
                let mistake = Mistake::new(Span::new(at, at + length), message);
                return (out, Some(if hint.is_empty() { mistake } else { mistake.hint(hint) }));
            }
        }
    }
    (out, None)
}

/// The length of what is wrong, what is wrong, and a hint or nothing.
type Wrong = (usize, String, &'static str);

fn token(rest: &str, first: char) -> Result<(Token, usize), Wrong> {
    match first {
        '"' => quoted(rest, '"').map(|(text, length)| (Token::Text(text), length)),
        '\'' => quoted(rest, '\'').map(|(name, length)| (Token::Quoted(name), length)),
        '0'..='9' => number(rest),
        c if starts_name(c) => {
            let length = rest.find(|c: char| !in_name(c)).unwrap_or(rest.len());
            let name = &rest[..length];
            Ok((Word::from_name(name).map_or_else(|| Token::Name(name.to_owned()), Token::Word), length))
        }
        _ => {
            if let Some((sign, hint)) = FOREIGN.into_iter().find(|(sign, _)| rest.starts_with(sign))
                && !SIGNS.iter().any(|known| rest.starts_with(known) && known.len() >= sign.len())
            {
                return Err((sign.len(), format!("`{sign}` is no sign of this language"), hint));
            }
            match SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
                Some(sign) => Ok((Token::Sign(sign), sign.len())),
                None if matches!(first, '“' | '”' | '„' | '‘' | '’') => Err((
                    first.len_utf8(),
                    format!("`{first}` is a typographic quotation mark"),
                    "use straight ones: \"text\"",
                )),
                None => Err((
                    first.len_utf8(),
                    format!("`{}` is no sign of this language", short(&first.to_string())),
                    "",
                )),
            }
        }
    }
}

pub(crate) fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '$'
}

pub(crate) fn in_name(c: char) -> bool {
    starts_name(c) || c.is_ascii_digit() || c == '.'
}

fn number(rest: &str) -> Result<(Token, usize), Wrong> {
    let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let text = &rest[..length];
    let dots = text.bytes().filter(|byte| *byte == b'.').count();
    if dots > 1 || text.ends_with('.') {
        return Err((length, format!("`{}` is no number", short(text)), "write one like 12 or 1.5"));
    }
    if rest[length..].starts_with(in_name) {
        let end = rest.find(|c: char| !in_name(c)).unwrap_or(rest.len());
        return Err((end, format!("`{}` is neither a number nor a name", short(&rest[..end])), ""));
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok((Token::Number(number), length)),
        _ => Err((length, "a number that is too large".to_owned(), "")),
    }
}

fn quoted(rest: &str, quote: char) -> Result<(String, usize), Wrong> {
    let mut out = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return Ok((out, at + 1));
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some((_, escaped)) if escaped == quote || escaped == '\\' => out.push(escaped),
            Some((_, escaped)) => {
                let hint = "in quotes a backslash is written twice: \"\\\\d\"";
                return Err((at + 1 + escaped.len_utf8(), format!("`\\{escaped}` means nothing here"), hint));
            }
            None => break,
        }
    }
    let what = if quote == '"' { "a text that does not end" } else { "a name that does not end" };
    Err((rest.len(), what.to_owned(), "close it with the mark it began with"))
}
