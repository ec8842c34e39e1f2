//! The paragraphs of an opened generation: lines of `paragraphs.jsonl` in memory, decoded when first asked for.

use std::borrow::Cow;
use std::ops::{Index, Range};
use std::sync::OnceLock;

use serde::Deserialize;

use crate::paragraph::Paragraph;

/// All paragraphs of a base in document order, parts after their wholes. It reads like a slice.
pub struct Paragraphs {
    lines: Vec<u8>,
    ends: Vec<u64>,
    decoded: Vec<OnceLock<Box<Paragraph>>>,
}

impl Paragraphs {
    /// `ends` says where each line ends; whoever opens a base has checked the lines against their checksum.
    pub(crate) fn new(lines: Vec<u8>, ends: Vec<u64>) -> Self {
        let decoded = std::iter::repeat_with(OnceLock::new).take(ends.len()).collect();
        Self { lines, ends, decoded }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The paragraph at a position.
    pub fn get(&self, position: usize) -> Option<&Paragraph> {
        let cell = self.decoded.get(position)?;
        // A line that was forged together with its checksum is an empty paragraph, not a fault.
        Some(cell.get_or_init(|| Box::new(serde_json::from_slice(self.line(position)).unwrap_or_default())))
    }

    /// All of them in order.
    pub fn iter(&self) -> Iter<'_> {
        self.between(0..self.len())
    }

    /// Those at the positions of a range, as far as there are any.
    pub fn between(&self, positions: Range<usize>) -> Iter<'_> {
        let end = positions.end.min(self.len());
        Iter { all: self, positions: positions.start.min(end)..end }
    }

    /// The text of every paragraph in order, read for the moment only: nothing stays decoded.
    pub(crate) fn texts(&self) -> impl Iterator<Item = Cow<'_, str>> {
        #[derive(Deserialize)]
        struct Text<'l> {
            #[serde(borrow, default)]
            text: Cow<'l, str>,
        }
        (0..self.len()).map(|position| match self.decoded[position].get() {
            Some(paragraph) => Cow::Borrowed(paragraph.text.as_str()),
            None => serde_json::from_slice(self.line(position))
                .map_or(Cow::Borrowed(""), |one: Text<'_>| one.text),
        })
    }

    /// The title and text at a position, read for the moment only: nothing stays decoded.
    pub(crate) fn words(&self, position: usize) -> (Cow<'_, str>, Cow<'_, str>) {
        #[derive(Deserialize)]
        struct Words<'l> {
            #[serde(borrow, default)]
            title: Cow<'l, str>,
            #[serde(borrow, default)]
            text: Cow<'l, str>,
        }
        match self.decoded.get(position).and_then(OnceLock::get) {
            Some(paragraph) => (paragraph.title.as_str().into(), paragraph.text.as_str().into()),
            None => serde_json::from_slice(self.line(position))
                .map_or_else(|_| ("".into(), "".into()), |one: Words<'_>| (one.title, one.text)),
        }
    }

    /// A paragraph read for the moment only.
    pub(crate) fn read(&self, position: usize) -> Paragraph {
        serde_json::from_slice(self.line(position)).unwrap_or_default()
    }

    fn line(&self, position: usize) -> &[u8] {
        let start = position.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.lines.get(start as usize..self.ends[position] as usize).unwrap_or(&[])
    }
}

impl Index<usize> for Paragraphs {
    type Output = Paragraph;

    fn index(&self, position: usize) -> &Paragraph {
        let count = self.len();
        match self.get(position) {
            Some(paragraph) => paragraph,
            None => panic!("paragraph {position} of {count}"),
        }
    }
}

impl<'p> IntoIterator for &'p Paragraphs {
    type Item = &'p Paragraph;
    type IntoIter = Iter<'p>;

    fn into_iter(self) -> Iter<'p> {
        self.iter()
    }
}

/// Paragraphs in order; those passed over are not decoded.
#[derive(Clone)]
pub struct Iter<'p> {
    all: &'p Paragraphs,
    positions: Range<usize>,
}

impl<'p> Iterator for Iter<'p> {
    type Item = &'p Paragraph;

    fn next(&mut self) -> Option<&'p Paragraph> {
        self.all.get(self.positions.next()?)
    }

    fn nth(&mut self, skipped: usize) -> Option<&'p Paragraph> {
        self.all.get(self.positions.nth(skipped)?)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.positions.size_hint()
    }
}

impl<'p> DoubleEndedIterator for Iter<'p> {
    fn next_back(&mut self) -> Option<&'p Paragraph> {
        self.all.get(self.positions.next_back()?)
    }
}

impl ExactSizeIterator for Iter<'_> {}
