//! What a document holds, counted before anything is written: numbers of footnotes, places, headings, limits.

use std::collections::{BTreeMap, BTreeSet};

use crate::xml::within_limit;
use crate::{
    Block, Cell, Change, DocxError, HeadingLevel, MAX_BLOCKS, MAX_DEPTH, MAX_NOTES, MAX_NUMBERED_LISTS,
    MAX_TABLE_COLUMNS, Run, RunContent, WordDocument,
};

/// What a document holds.
#[derive(Debug, Default)]
pub(crate) struct Census {
    /// Indices of footnotes in the order of their first marks.
    pub order: Vec<usize>,
    /// The number of each footnote that is marked, from 1.
    pub numbers: BTreeMap<usize, usize>,
    /// Footnotes that are named again after their first mark.
    pub repeated: BTreeSet<usize>,
    /// The number of each place.
    pub places: BTreeMap<String, usize>,
    /// Headings of the text, in order; those that a revision took out without their words.
    pub headings: Vec<(HeadingLevel, String)>,
    /// Whether there is a table of contents.
    pub has_contents: bool,
    blocks: usize,
    numbered_lists: usize,
    is_deleted: bool,
    bytes: usize,
    notes: usize,
}

/// Where blocks stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Text,
    Notes,
}

impl Census {
    /// Counts.
    ///
    /// # Errors
    /// A limit that is exceeded, or a mark that names no footnote.
    pub(crate) fn take(document: &WordDocument) -> Result<Self, DocxError> {
        let mut census = Self { notes: document.notes.len(), ..Self::default() };
        if census.notes > MAX_NOTES {
            return Err(DocxError::TooManyNotes);
        }
        for runs in &document.subtitle {
            census.runs(runs, Part::Text)?;
        }
        census.walk(&document.blocks, 0, Part::Text)?;
        // What no mark leads to is not written, so it is not looked at either.
        for index in census.order.clone() {
            if let Some(note) = document.notes.get(index) {
                census.walk(&note.blocks, 0, Part::Notes)?;
            }
        }
        Ok(census)
    }

    fn walk(&mut self, blocks: &[Block], depth: usize, part: Part) -> Result<(), DocxError> {
        if depth > MAX_DEPTH {
            return Err(DocxError::TooDeep);
        }
        self.count(blocks.len())?;
        for block in blocks {
            match block {
                Block::Heading { level, runs, place } => {
                    if part == Part::Text {
                        let words = if self.is_deleted { String::new() } else { plain(runs) };
                        self.headings.push((*level, words));
                        self.place(place.as_deref());
                    }
                    self.runs(runs, part)?;
                }
                Block::Paragraph(paragraph) => {
                    if part == Part::Text {
                        self.place(paragraph.place.as_deref());
                    }
                    self.runs(&paragraph.runs, part)?;
                }
                Block::List(list) => {
                    if list.start.is_some() {
                        self.numbered_lists += 1;
                        if self.numbered_lists > MAX_NUMBERED_LISTS {
                            return Err(DocxError::TooManyNumberedLists);
                        }
                    }
                    for item in &list.items {
                        self.walk(item, depth + 1, part)?;
                    }
                    self.count(list.items.len())?;
                }
                Block::Quote(inner) => self.walk(inner, depth + 1, part)?,
                Block::Table(table) => {
                    self.count(table.rows.len())?;
                    for row in std::iter::once(&table.header).chain(&table.rows) {
                        self.row(row, part)?;
                    }
                }
                Block::Changed(change, inner) => {
                    let outer = std::mem::replace(&mut self.is_deleted, *change == Change::Deleted);
                    self.walk(inner, depth + 1, part)?;
                    self.is_deleted = outer;
                }
                Block::Code(text) => self.text(text.len())?,
                Block::Contents(contents) => {
                    self.has_contents |= part == Part::Text;
                    self.text(contents.heading.len())?;
                }
                Block::Rule | Block::PageBreak => {}
            }
        }
        Ok(())
    }

    fn row(&mut self, row: &[Cell], part: Part) -> Result<(), DocxError> {
        if row.len() > MAX_TABLE_COLUMNS {
            return Err(DocxError::TooManyColumns { columns: row.len() });
        }
        for cell in row {
            if part == Part::Text {
                self.place(cell.place.as_deref());
            }
            self.runs(&cell.runs, part)?;
        }
        Ok(())
    }

    fn runs(&mut self, runs: &[Run], part: Part) -> Result<(), DocxError> {
        for run in runs {
            match &run.content {
                RunContent::Text(text) => self.text(text.len())?,
                RunContent::Break => {}
                RunContent::NoteMark(index) | RunContent::NoteNumber(index) => {
                    let (index, notes) = (*index, self.notes);
                    if index >= notes {
                        return Err(DocxError::NoSuchNote { index, notes });
                    }
                    let marks = matches!(run.content, RunContent::NoteMark(_)) && part == Part::Text;
                    if marks && !self.numbers.contains_key(&index) {
                        self.order.push(index);
                        self.numbers.insert(index, self.order.len());
                    } else {
                        self.repeated.insert(index);
                    }
                }
            }
        }
        Ok(())
    }

    fn place(&mut self, place: Option<&str>) {
        if let Some(place) = place {
            let next = self.places.len() + 1;
            self.places.entry(place.to_owned()).or_insert(next);
        }
    }

    fn count(&mut self, blocks: usize) -> Result<(), DocxError> {
        self.blocks += blocks;
        if self.blocks > MAX_BLOCKS { Err(DocxError::TooManyBlocks) } else { Ok(()) }
    }

    fn text(&mut self, bytes: usize) -> Result<(), DocxError> {
        self.bytes += bytes;
        within_limit(self.bytes)
    }
}

/// Indices of footnotes in the order of their first marks, which is that of their numbers.
///
/// # Errors
/// A limit that is exceeded, or a mark that names no footnote.
pub fn note_order(document: &WordDocument) -> Result<Vec<usize>, DocxError> {
    Census::take(document).map(|census| census.order)
}

/// The words of a line, without marks of footnotes.
pub fn plain(runs: &[Run]) -> String {
    let mut out = String::new();
    for run in runs {
        match &run.content {
            RunContent::Text(text) => out.push_str(text),
            RunContent::Break => out.push(' '),
            RunContent::NoteMark(_) | RunContent::NoteNumber(_) => {}
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}
