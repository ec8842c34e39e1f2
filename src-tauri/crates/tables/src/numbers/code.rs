//! Format codes as tokens.

use std::iter::Peekable;
use std::str::Chars;

/// A part of a format that numbers of one sort are shown by.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Section {
    pub(super) condition: Option<Condition>,
    pub(super) tokens: Vec<Token>,
    /// The language of the names of months, as Windows numbers it.
    pub(super) language: Option<u32>,
}

/// A piece of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    General,
    /// `@`.
    Text,
    Literal(String),
    /// `0`, `#` or `?`.
    Digit(char),
    Point,
    Comma,
    Percent,
    /// `E+`, `E-`.
    Exponent(char),
    /// The line of a fraction, or between days and months.
    Slash,
    Year(usize),
    Month(usize),
    Day(usize),
    Hour(usize),
    Minute(usize),
    Second(usize),
    /// Digits behind seconds.
    SecondPart(usize),
    /// `[h]`, `[mm]`, `[ss]`: all of them since midnight of the first day.
    Elapsed(char, usize),
    AmPm,
}

/// `[<100]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Condition {
    sign: Sign,
    value: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Less,
    AtMost,
    More,
    AtLeast,
    Equal,
    Other,
}

impl Condition {
    fn new(text: &str) -> Option<Self> {
        let signs = [
            ("<=", Sign::AtMost),
            (">=", Sign::AtLeast),
            ("<>", Sign::Other),
            ("<", Sign::Less),
            (">", Sign::More),
            ("=", Sign::Equal),
        ];
        let (value, sign) = signs.iter().find_map(|(mark, sign)| Some((text.strip_prefix(mark)?, *sign)))?;
        Some(Self { sign, value: value.trim().parse().ok()? })
    }

    pub(super) fn holds(self, number: f64) -> bool {
        match self.sign {
            Sign::Less => number < self.value,
            Sign::AtMost => number <= self.value,
            Sign::More => number > self.value,
            Sign::AtLeast => number >= self.value,
            Sign::Equal => number == self.value,
            Sign::Other => number != self.value,
        }
    }

    /// Whether it holds for numbers below zero alone, whose sign the format then shows itself.
    pub(super) fn is_negative(self) -> bool {
        matches!(self.sign, Sign::Less | Sign::AtMost) && self.value <= 0.0
    }
}

impl Section {
    pub(super) fn is_date(&self) -> bool {
        use Token::{AmPm, Day, Elapsed, Hour, Minute, Month, Second, Year};
        self.tokens.iter().any(|token| {
            matches!(
                token,
                Year(_) | Month(_) | Day(_) | Hour(_) | Minute(_) | Second(_) | Elapsed(..) | AmPm
            )
        })
    }

    /// The literals, with a text in the place of its value.
    pub(super) fn with(&self, value: &str) -> String {
        let mut out = String::new();
        for token in &self.tokens {
            match token {
                Token::General | Token::Text => out.push_str(value),
                Token::Literal(text) => out.push_str(text),
                Token::Percent => out.push('%'),
                Token::Slash => out.push('/'),
                Token::Point => out.push('.'),
                Token::Comma => out.push(','),
                _ => {}
            }
        }
        out.trim().to_owned()
    }

    /// By how many thousands numbers are divided: commas behind the last digit before the decimal point.
    pub(super) fn scale(&self) -> usize {
        let end = self.tokens.iter().position(|token| *token == Token::Point);
        let last = self.tokens.iter().rposition(|token| matches!(token, Token::Digit(_)));
        let before =
            |end: usize| self.tokens[..end].iter().rev().take_while(|token| **token == Token::Comma).count();
        let behind = last.map_or(0, |last| {
            self.tokens[last + 1..].iter().take_while(|token| **token == Token::Comma).count()
        });
        behind + end.filter(|end| last.is_some_and(|last| last > *end)).map_or(0, before)
    }
}

/// The sections of a code.
pub(super) fn sections(code: &str) -> Vec<Section> {
    let mut sections = vec![Section::default()];
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        let Some(section) = sections.last_mut() else { break };
        let token = match c {
            ';' => {
                sections.push(Section::default());
                continue;
            }
            '"' => Token::Literal(chars.by_ref().take_while(|c| *c != '"').collect()),
            '\\' => Token::Literal(chars.next().into_iter().collect()),
            '_' => {
                chars.next();
                Token::Literal(" ".to_owned())
            }
            '*' => {
                chars.next();
                continue;
            }
            '[' => {
                let inside: String = chars.by_ref().take_while(|c| *c != ']').collect();
                match bracket(section, &inside) {
                    Some(token) => token,
                    None => continue,
                }
            }
            '0' | '#' | '?' => Token::Digit(c),
            '.' => Token::Point,
            ',' => Token::Comma,
            '%' => Token::Percent,
            '/' => Token::Slash,
            '@' => Token::Text,
            'E' if chars.peek().is_some_and(|next| matches!(next, '+' | '-')) => {
                Token::Exponent(chars.next().unwrap_or('+'))
            }
            'y' | 'Y' | 'e' | 'E' => Token::Year(run(&mut chars, c)),
            'm' | 'M' => Token::Month(run(&mut chars, c)),
            'd' | 'D' => Token::Day(run(&mut chars, c)),
            'h' | 'H' => Token::Hour(run(&mut chars, c)),
            's' | 'S' => Token::Second(run(&mut chars, c)),
            'A' | 'a' => {
                let rest: String = chars.clone().take(4).collect();
                let upper = rest.to_ascii_uppercase();
                let length = if upper.starts_with("M/PM") {
                    4
                } else if upper.starts_with("/P") {
                    2
                } else {
                    0
                };
                chars.by_ref().take(length).for_each(drop);
                if length == 0 { Token::Literal(c.to_string()) } else { Token::AmPm }
            }
            'G' | 'g' => {
                let rest: String = chars.clone().take(6).collect();
                if rest.eq_ignore_ascii_case("eneral") {
                    chars.by_ref().take(6).for_each(drop);
                    Token::General
                } else {
                    // The name of an era.
                    continue;
                }
            }
            c => Token::Literal(c.to_string()),
        };
        section.tokens.push(token);
    }
    sections.iter_mut().for_each(settle);
    sections
}

/// How often a letter stands there.
fn run(chars: &mut Peekable<Chars<'_>>, first: char) -> usize {
    let mut length = 1;
    while chars.next_if(|next| next.eq_ignore_ascii_case(&first)).is_some() {
        length += 1;
    }
    length
}

/// What a pair of brackets says: a condition, a currency, a language, time elapsed; colours say nothing.
fn bracket(section: &mut Section, inside: &str) -> Option<Token> {
    if let Some(condition) = Condition::new(inside) {
        section.condition = Some(condition);
        return None;
    }
    if let Some(rest) = inside.strip_prefix('$') {
        let (sign, language) = rest.rsplit_once('-').unwrap_or((rest, ""));
        let language = u32::from_str_radix(language, 16).ok().map(|language| language & 0xffff);
        section.language = language.or(section.language);
        return (!sign.is_empty()).then(|| Token::Literal(sign.to_owned()));
    }
    let first = inside.chars().next()?.to_ascii_lowercase();
    let same = inside.chars().all(|c| c.to_ascii_lowercase() == first);
    (same && matches!(first, 'h' | 'm' | 's')).then_some(Token::Elapsed(first, inside.len()))
}

/// Tells minutes from months, and the digits behind seconds from those of numbers.
fn settle(section: &mut Section) {
    if !section.is_date() {
        return;
    }
    let tokens = &mut section.tokens;
    let is_part =
        |token: &Token| !matches!(token, Token::Literal(_) | Token::Slash | Token::Comma | Token::AmPm);
    for at in 0..tokens.len() {
        let Token::Month(length) = tokens[at] else { continue };
        let before = tokens[..at].iter().rev().find(|token| is_part(token));
        let behind = tokens[at + 1..].iter().find(|token| is_part(token));
        let is_minute = matches!(before, Some(Token::Hour(_) | Token::Elapsed('h', _)))
            || matches!(behind, Some(Token::Second(_) | Token::Elapsed('s', _)));
        if is_minute && length <= 2 {
            tokens[at] = Token::Minute(length);
        }
    }
    let mut settled: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens.drain(..) {
        match (&token, settled.last_mut()) {
            (Token::Digit(_), Some(Token::SecondPart(digits))) => *digits += 1,
            (Token::Digit(_), Some(Token::Point)) => {
                settled.pop();
                settled.push(Token::SecondPart(1));
            }
            (Token::Digit(digit), _) => settled.push(Token::Literal(digit.to_string())),
            _ => settled.push(token),
        }
    }
    *tokens = settled;
}
