//! A paragraph while its runs are read: neighbouring runs that look alike are one stretch.

use crate::docx::fields::target;
use crate::docx::looks::{Shift, Shown};
use crate::linear::{lowered_behind, raised_behind};
use crate::marks::{struck, tracked};
use crate::output::clean;
use crate::{Block, Link};

/// A paragraph being read.
#[derive(Default)]
pub(super) struct Paragraph {
    pub(super) style: Option<String>,
    pub(super) outline: Option<u8>,
    pub(super) list: Option<String>,
    pub(super) level: Option<usize>,
    pub(super) mark_deleted: bool,
    pub(super) text: String,
    pub(super) page: Option<u32>,
    pub(super) links: Vec<Link>,
    /// Where the results of open fields with a link began.
    pub(super) starts: Vec<usize>,
    /// What text boxes in it hold.
    pub(super) boxes: Vec<Block>,
    /// How characters without properties of their own are seen, once that was asked.
    pub(super) plain: Option<Shown>,
    /// How its last characters look, and where those begin.
    stretch: Stretch,
    from: usize,
}

/// What characters look like, as far as it means something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) shift: Option<Shift>,
    pub(super) struck: bool,
    pub(super) deleted: bool,
}

impl Paragraph {
    /// Adds text of this look.
    pub(super) fn push(&mut self, text: &str, stretch: Stretch) {
        if stretch != self.stretch {
            self.close();
            self.stretch = stretch;
        }
        self.text.push_str(text);
    }

    /// Ends the current stretch: it is written by its look.
    pub(super) fn close(&mut self) {
        let stretch = std::mem::take(&mut self.stretch);
        if stretch != Stretch::default() {
            let mut text = self.text.split_off(self.from);
            text = match stretch.shift {
                Some(Shift::Up) => raised_behind(&self.text, &text),
                Some(Shift::Down) => lowered_behind(&self.text, &text),
                None => text,
            };
            if stretch.struck {
                text = struck(&text);
            }
            if stretch.deleted {
                text = tracked(&text);
            }
            self.text.push_str(&text);
        }
        self.from = self.text.len();
    }

    /// How long it is with its last stretch written.
    pub(super) fn length(&mut self) -> usize {
        self.close();
        self.text.len()
    }

    /// The text behind `start` links to `address`.
    pub(super) fn link(&mut self, start: usize, address: String) {
        self.close();
        let (text, _) = clean(self.text.get(start..).unwrap_or_default());
        if !text.is_empty() && !address.is_empty() {
            self.links.push(Link { text, target: address });
        }
    }

    /// The text behind `start` is the result of a field with this code.
    pub(super) fn field(&mut self, start: usize, code: &str) {
        self.link(start, target(code).unwrap_or_default());
    }
}

/// Text with the line breaks that the source makes on purpose.
pub(super) fn lines(text: &str) -> (String, usize) {
    let mut invisible = 0;
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let (line, removed) = clean(line);
        invisible += removed;
        if !line.is_empty() {
            lines.push(line);
        }
    }
    (lines.join("\n"), invisible)
}
