//! The text of one block while its inline elements are passed.

use crate::Link;
use crate::linear::raised;
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

    /// What was pushed behind `start` is shown struck out.
    pub(crate) fn strike(&mut self, start: usize) {
        let Some(text) = self.text.get(start..) else { return };
        let written = struck(text);
        self.text.truncate(start);
        self.text.push_str(&written);
    }

    /// A line break that the author wants.
    pub(crate) fn break_line(&mut self) {
        if !(self.text.is_empty() || self.text.ends_with('\n')) {
            self.text.push('\n');
        }
        self.space = false;
    }

    /// Digits behind `start` stand raised: `10` and `6` must not become `106`.
    pub(crate) fn raise(&mut self, start: usize) {
        let Some(text) = self.text.get(start..) else { return };
        let word = text.trim_start();
        if !word.is_empty() && word.len() <= 8 && word.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
            let written = raised(word);
            self.text.truncate(start);
            self.text.push_str(&written);
        }
    }

    /// What was collected; the run begins again.
    pub(crate) fn take(&mut self) -> Run {
        let mut run = std::mem::take(self);
        run.text.truncate(run.text.trim_end().len());
        run
    }
}
