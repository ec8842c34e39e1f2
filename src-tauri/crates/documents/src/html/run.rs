//! The text of one block while its inline elements are passed.

use crate::Link;
use crate::marks::{is_mark, struck};
use crate::output::is_invisible;

/// Text in the making: white space is one space, invisible characters are out.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) text: String,
    pub(crate) links: Vec<Link>,
    /// Line of its first text.
    pub(crate) line: Option<u32>,
    pub(crate) invisible: usize,
    space: bool,
}

impl Run {
    pub(crate) fn push(&mut self, text: &str, line: u32) {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let plain = rest.bytes().position(|b| !(0x21..0x7f).contains(&b)).unwrap_or(rest.len());
            if plain > 0 {
                self.word(&rest[..plain], line);
                rest = &rest[plain..];
                continue;
            }
            rest = &rest[first.len_utf8()..];
            if first.is_whitespace() {
                self.space();
            } else if is_invisible(first) || is_mark(first) {
                self.invisible += 1;
            } else {
                self.word(first.encode_utf8(&mut [0; 4]), line);
            }
        }
    }

    fn word(&mut self, word: &str, line: u32) {
        if self.space {
            self.space = false;
            self.text.push(' ');
        }
        self.line.get_or_insert(line);
        self.text.push_str(word);
    }

    /// White space, kept only between words of one line.
    pub(crate) fn space(&mut self) {
        self.space = !(self.text.is_empty() || self.text.ends_with('\n'));
    }

    /// Text that is shown struck out.
    pub(crate) fn push_struck(&mut self, text: &str, line: u32) {
        let start = self.text.len();
        self.push(text, line);
        let pushed = self.text.split_off(start);
        self.text.push_str(&struck(&pushed));
    }

    /// A line break that the author wants.
    pub(crate) fn break_line(&mut self) {
        if !(self.text.is_empty() || self.text.ends_with('\n')) {
            self.text.push('\n');
        }
        self.space = false;
    }

    /// What was pushed behind `start` stands raised or lowered: `10` and `6` must not become `106`.
    pub(crate) fn shift(&mut self, start: usize, written: fn(&str, &str) -> String) {
        if !self.text.is_char_boundary(start) {
            return;
        }
        let text = self.text.split_off(start);
        let text = written(&self.text, &text);
        self.text.push_str(&text);
    }

    /// A formula, apart from a number before it.
    pub(crate) fn push_formula(&mut self, text: &str, line: u32) {
        let number = |c: Option<char>| c.is_some_and(char::is_numeric);
        if number(self.text.chars().last()) && number(text.chars().next()) {
            self.space();
        }
        // Its marks are the reader's own.
        for part in text.split_inclusive(is_mark) {
            let plain = part.trim_end_matches(is_mark);
            self.push(plain, line);
            self.text.push_str(&part[plain.len()..]);
        }
    }

    /// Whether it holds boxes to tick and nothing else.
    pub(crate) fn is_lone_box(&self) -> bool {
        !self.text.is_empty() && self.text.chars().all(|c| matches!(c, '☐' | '☑' | ' '))
    }

    /// What was collected; the run begins again.
    pub(crate) fn take(&mut self) -> Run {
        let mut run = std::mem::take(self);
        run.text.truncate(run.text.trim_end().len());
        run
    }
}
