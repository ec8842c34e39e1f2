//! The document while it is being read: bounds are kept and text is normalised in this one place.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use charset::{Decoded, decode};

use crate::marks::{Unmarked, is_mark, unmarked};
use crate::omissions::{Omission, Omissions};
use crate::rows::check_sums;
use crate::{Block, BlockKind, BlockPosition, Deletion, Document, Limits, Note, ReadError, TableFacts};

/// A document in the making.
pub(crate) struct Output<'a> {
    /// What was read so far. Blocks come in by [`push`](Self::push) only.
    pub(crate) document: Document,
    limits: &'a Limits,
    cancel: &'a AtomicBool,
    text_bytes: usize,
    invisible: usize,
    omissions: Omissions,
}

impl<'a> Output<'a> {
    pub(crate) fn new(limits: &'a Limits, cancel: &'a AtomicBool) -> Self {
        Self {
            document: Document::default(),
            limits,
            cancel,
            text_bytes: 0,
            invisible: 0,
            omissions: Omissions::default(),
        }
    }

    pub(crate) fn limits(&self) -> &'a Limits {
        self.limits
    }

    /// Counts characters that were removed because nobody sees them.
    pub(crate) fn removed(&mut self, invisible: usize) {
        self.invisible += invisible;
    }

    /// Counts what is not given as text; told at the end, each kind once.
    pub(crate) fn omit(&mut self, kind: Omission, count: usize, place: BlockPosition) {
        self.omissions.add(kind, count, place);
    }

    /// Takes a block whose text is clean already (see [`clean`]), and its marks out of it; an empty one is dropped.
    pub(crate) fn push(&mut self, mut block: Block) -> Result<(), ReadError> {
        self.check()?;
        if block.text.contains(is_mark) {
            self.unmark(&mut block);
        }
        if block.text.is_empty() {
            return Ok(());
        }
        self.text_bytes += block.text.len();
        if self.document.blocks.len() >= self.limits.blocks {
            return Err(ReadError::TooLarge { limit: self.limits.blocks as u64, what: "blocks" });
        }
        if self.text_bytes > self.limits.text_bytes {
            return Err(ReadError::TooLarge { limit: self.limits.text_bytes as u64, what: "bytes of text" });
        }
        if block.kind == BlockKind::Table {
            check_sums(self, &block);
        }
        self.document.blocks.push(block);
        Ok(())
    }

    fn unmark(&mut self, block: &mut Block) {
        let Unmarked { text, struck, tracked, pages } = unmarked(&block.text);
        block.breaks.iter_mut().zip(pages).for_each(|(page, at)| page.at = at);
        self.omit(Omission::Struck, struck.len() - tracked, block.place);
        self.omit(Omission::TrackedDeletion, tracked, block.place);
        block.text = text;
        for link in &mut block.links {
            link.text = unmarked(&link.text).text;
        }
        match self.document.blocks.last_mut() {
            // A block that is struck as a whole is shown behind the one before it.
            Some(last) if block.text.is_empty() => {
                let at = last.text.len();
                last.struck.extend(struck.into_iter().map(|deletion| Deletion { at, ..deletion }));
            }
            _ => block.struck.extend(struck),
        }
    }

    /// An error when the person asked to stop.
    pub(crate) fn check(&self) -> Result<(), ReadError> {
        if self.cancel.load(Ordering::Relaxed) { Err(ReadError::Cancelled) } else { Ok(()) }
    }

    pub(crate) fn note(&mut self, place: BlockPosition, what: impl Into<String>) {
        self.document.notes.push(Note { place, what: what.into(), minor: false });
    }

    /// Notes that something was left out which nobody misses.
    pub(crate) fn note_minor(&mut self, what: impl Into<String>) {
        self.document.notes.push(Note { what: what.into(), minor: true, ..Note::default() });
    }

    /// Bytes as text, with a note about what is doubtful of their charset.
    pub(crate) fn decoded<'t>(&mut self, bytes: &'t [u8]) -> Cow<'t, str> {
        let Decoded { text, doubt, .. } = decode(bytes, None);
        if let Some(doubt) = doubt {
            self.note(BlockPosition::default(), doubt);
        }
        text
    }

    /// The text of a file that is nothing but text, with a note about what had to be assumed. `format`: its name in an error.
    pub(crate) fn text<'t>(
        &mut self,
        bytes: &'t [u8],
        format: &'static str,
    ) -> Result<Cow<'t, str>, ReadError> {
        let text = self.decoded(bytes);
        if text.contains('\0') {
            return Err(ReadError::Malformed { format, what: "a NUL byte, which no text has".into() });
        }
        Ok(text)
    }

    /// The document, with a note about what was removed.
    pub(crate) fn finish(mut self) -> Document {
        self.document.notes.extend(self.omissions.notes());
        if let Some(title) = self.document.title.as_mut().filter(|title| title.contains(is_mark)) {
            *title = unmarked(title).text;
        }
        if self.invisible > 0 {
            let plural = if self.invisible == 1 { "" } else { "s" };
            let what = format!("{} invisible character{plural} removed", self.invisible);
            self.note(BlockPosition::default(), what);
        }
        self.document
    }
}

impl Block {
    /// A block without label, anchor and links.
    pub fn new(kind: BlockKind, text: String, place: BlockPosition) -> Self {
        Self {
            kind,
            text,
            label: None,
            anchor: None,
            links: Vec::new(),
            struck: Vec::new(),
            breaks: Vec::new(),
            recognised: None,
            context: String::new(),
            table: TableFacts::default(),
            place,
        }
    }
}

/// Whether a reader of the page sees nothing of `c`: what is invisible, and control characters but white space and the
/// next-line character. Such text reaches a model and never a person.
pub(crate) fn is_invisible(c: char) -> bool {
    let is_control = c.is_control() && (c == '\u{b}' || !c.is_whitespace());
    is_control || domain::is_invisible(c)
}

/// `text` on one line: runs of white space are one space, ends are trimmed, invisible characters are out.
/// Also tells how many those were.
pub(crate) fn clean(text: &str) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let mut invisible = 0;
    let mut space = false;
    for c in text.chars() {
        if c.is_whitespace() {
            space = !out.is_empty();
        } else if is_invisible(c) {
            invisible += 1;
        } else {
            if space {
                out.push(' ');
                space = false;
            }
            out.push(c);
        }
    }
    (out, invisible)
}

/// `text` with its lines and indents kept: invisible characters, line ends' spaces and empty lines around it are out.
pub(crate) fn clean_lines(text: &str) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let mut invisible = 0;
    for line in text.lines() {
        let start = out.len();
        for c in line.chars() {
            match c {
                '\t' => out.push_str("    "),
                _ if is_invisible(c) => invisible += 1,
                _ if c.is_whitespace() => out.push(' '),
                _ => out.push(c),
            }
        }
        let end = out.trim_end_matches(' ').len().max(start);
        out.truncate(end);
        if !out.is_empty() {
            out.push('\n');
        }
    }
    out.truncate(out.trim_end().len());
    (out, invisible)
}
