//! Fields that draw a formula from a code (`EQ \f(1,2)`; ECMA-376 part 1, section 17.16.5.18).

use std::iter::Peekable;
use std::str::Chars;

use crate::formula::{Formula, Scripts};

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 32;

/// A formula by its code, and whether all of the code is known.
pub(super) fn formula(code: &str) -> (Formula, bool) {
    let mut reader = Reader { chars: code.chars().peekable(), known: true };
    let mut parts = Vec::new();
    while reader.chars.peek().is_some() {
        parts.extend(reader.argument(0));
        // What ends an argument is a sign like others here.
        parts.extend(reader.chars.next().map(|c| Formula::Text(c.into())));
    }
    (Formula::Row(parts), reader.known)
}

fn plain(text: String) -> Option<Formula> {
    (!text.is_empty()).then_some(Formula::Text(text))
}

struct Reader<'c> {
    chars: Peekable<Chars<'c>>,
    known: bool,
}

impl Reader<'_> {
    /// What stands before the next separator or closing bracket.
    fn argument(&mut self, depth: usize) -> Vec<Formula> {
        let mut parts = Vec::new();
        let mut text = String::new();
        while let Some(&c) = self.chars.peek() {
            if matches!(c, ',' | ';' | ')') {
                break;
            }
            self.chars.next();
            match c {
                '\\' => match self.chars.next() {
                    Some('*') => self.pass_format(),
                    Some(switch) if switch.is_ascii_alphabetic() => {
                        parts.extend(plain(std::mem::take(&mut text)));
                        parts.push(self.switch(switch.to_ascii_lowercase(), depth));
                    }
                    Some(sign) => text.push(sign),
                    None => {}
                },
                c => text.push(c),
            }
        }
        parts.extend(plain(text.trim_end().to_owned()));
        parts
    }

    /// `\* jc2`, `\* "Font:MS Mincho"`: how it looks.
    fn pass_format(&mut self) {
        while self.chars.next_if(|c| c.is_whitespace()).is_some() {}
        let quoted = self.chars.next_if_eq(&'"').is_some();
        while self
            .chars
            .next_if(|&c| if quoted { c != '"' } else { !c.is_whitespace() && c != '\\' })
            .is_some()
        {}
        if quoted {
            self.chars.next();
        }
    }

    fn switch(&mut self, name: char, depth: usize) -> Formula {
        let mut options = String::new();
        while let Some(c) = self.chars.next_if(|&c| c != '(') {
            options.push(c);
        }
        let mut arguments: Vec<Formula> = Vec::new();
        if depth < MAX_DEPTH && self.chars.next().is_some() {
            loop {
                arguments.push(Formula::Row(self.argument(depth + 1)));
                if matches!(self.chars.next(), Some(')') | None) {
                    break;
                }
            }
        }
        let mut next = arguments.into_iter();
        let mut take = || next.next().unwrap_or_default();
        let none = Formula::default;
        match name {
            'f' => Formula::Fraction(Box::new([take(), take()])),
            'r' => {
                let (first, second) = (take(), next.next());
                let [degree, radicand] = second.map_or([none(), first.clone()], |second| [first, second]);
                Formula::Root(Box::new([degree, radicand]))
            }
            's' => {
                let shifted = take();
                let (below, above) =
                    if options.contains("do") { (shifted, none()) } else { (none(), shifted) };
                Formula::Scripts(Box::new(Scripts { base: none(), below, above, before: [none(), none()] }))
            }
            'i' => {
                let sign = if options.contains("su") {
                    "∑"
                } else if options.contains("pr") {
                    "∏"
                } else {
                    "∫"
                };
                let limits = Formula::Limits(Box::new([Formula::Text(sign.into()), take(), take()]));
                Formula::Row(vec![limits, take()])
            }
            'b' => Formula::Fenced {
                open: "(".into(),
                close: ")".into(),
                separator: ",".into(),
                parts: next.collect(),
            },
            'l' => Formula::Fenced {
                open: "".into(),
                close: "".into(),
                separator: ",".into(),
                parts: next.collect(),
            },
            'a' => Formula::Matrix(next.map(|line| vec![line]).collect()),
            // Over each other: the words, and the reading aid before them.
            'o' | 'x' => Formula::Row(next.collect()),
            'd' => none(),
            _ => {
                self.known = false;
                Formula::Row(next.collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_written_in_one_line() {
        let cases = [
            (r"\f(1,2)", "1/2"),
            (r"x = \f(a+b;\r(3,c))", "x = (a+b)/(∛c)"),
            (r"10\s\up6(6)", "10⁶"),
            (r"CO\s\do4(2)", "CO₂"),
            (r"\i\su(i=1,n,x)", "∑_(i=1)^n x"),
            (r"\b(\a(a,b))", "(a; b)"),
            (r#"\* jc2 \* "Font:MS Mincho" \o(漢字)"#, "漢字"),
            (r"\(1\,5\)", "(1,5)"),
        ];
        for (code, text) in cases {
            let (formula, known) = formula(code);
            assert_eq!((formula.written().trim(), known), (text, true), "{code}");
        }
        assert!(!formula(r"\q(1)").1);
    }
}
