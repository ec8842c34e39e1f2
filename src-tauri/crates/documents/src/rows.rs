//! Rows of spreadsheets and of tables as text: a paragraph for each row, which names the columns, so that a row says what it
//! means wherever it is quoted.

use std::collections::BTreeSet;

use tables::{Head, Sums, column_name};

use crate::output::{Output, clean};
use crate::{Block, BlockKind, BlockPosition, ReadError};

/// Rows below a gap that may still be the head of what follows.
const HEAD_ROWS: usize = 4;

/// Most bytes of titles that are said beside each row.
const TITLE_BYTES: usize = 300;

/// Rows on their way into a document.
#[derive(Default)]
pub(crate) struct Rows {
    head: Option<Head>,
    /// Rows from the top that are compared to find the names of the columns.
    waiting: Vec<Row>,
    /// Lines of which the file says that they name the columns.
    proven: BTreeSet<u32>,
    /// The head of the table above a gap.
    above: Option<Head>,
    /// The titles of the table.
    titles: String,
    /// Whether there was a gap below the rows that wait.
    was_gap: bool,
    sums: Sums,
    last: u32,
}

/// A row of cells.
pub(crate) struct Row {
    pub(crate) line: u32,
    pub(crate) cells: Vec<String>,
    /// What is said about it below it.
    pub(crate) remarks: Vec<String>,
    /// Whether it can't be added up: a part of its cells belongs to other rows as well.
    pub(crate) is_shared: bool,
}

impl Row {
    pub(crate) fn new(line: u32, cells: Vec<String>) -> Self {
        Self { line, cells, remarks: Vec::new(), is_shared: false }
    }
}

impl Rows {
    /// `proven`: the lines of which the file says that they name the columns.
    pub(crate) fn new(proven: BTreeSet<u32>) -> Self {
        Self { proven, ..Self::default() }
    }

    /// Takes the next row; empty ones are gaps.
    pub(crate) fn row(&mut self, output: &mut Output<'_>, row: Row) -> Result<(), ReadError> {
        if row.cells.iter().all(|cell| cell.trim().is_empty()) && row.remarks.is_empty() {
            return self.gap(output);
        }
        if self.head.is_some() && self.proven.contains(&row.line) {
            self.end(output)?;
        }
        // What follows a gap and is no wider than what stands above it is another table; else what stands above are titles.
        let filled = |row: &Row| row.cells.iter().filter(|cell| !cell.trim().is_empty()).count();
        let above = self.waiting.iter().map(filled).max().unwrap_or(0);
        if std::mem::take(&mut self.was_gap) && self.waiting.len() >= HEAD_ROWS && filled(&row) <= above {
            self.end(output)?;
        }
        match &self.head {
            Some(_) => self.give(output, &row),
            None => {
                self.waiting.push(row);
                if self.waiting.len() >= Head::LOOKED_AT { self.settle(output) } else { Ok(()) }
            }
        }
    }

    /// An empty row: what follows may be another table.
    pub(crate) fn gap(&mut self, output: &mut Output<'_>) -> Result<(), ReadError> {
        self.was_gap = self.head.is_none();
        if self.was_gap { Ok(()) } else { self.end(output) }
    }

    /// The end of a table.
    pub(crate) fn end(&mut self, output: &mut Output<'_>) -> Result<(), ReadError> {
        if self.head.is_none() {
            self.settle(output)?;
        }
        let sums = std::mem::take(&mut self.sums);
        let names = self.head.as_ref().map(|head| head.names.as_slice()).unwrap_or_default();
        let place = BlockPosition { page: None, line: Some(self.last) };
        note_misfits(output, place, &sums, names);
        self.above = self.head.take().or(self.above.take());
        Ok(())
    }

    fn settle(&mut self, output: &mut Output<'_>) -> Result<(), ReadError> {
        let mut waiting = std::mem::take(&mut self.waiting);
        let cells: Vec<Vec<String>> = waiting.iter_mut().map(|row| std::mem::take(&mut row.cells)).collect();
        let proven = waiting.iter().position(|row| self.proven.contains(&row.line)).map(|at| at..at + 1);
        let found = Head::find(&cells, proven);
        let width = |rows: &[Vec<String>]| rows.iter().map(Vec::len).max().unwrap_or(0);
        // Rows below a gap belong to the table above it, unless they have names of their own.
        let goes_on =
            self.above.take().filter(|above| !found.is_certain && width(&cells) <= above.names.len().max(1));
        let head = goes_on.map_or(found, |above| Head { rows: 0..0, ..above });
        for (row, cells) in waiting.iter_mut().zip(cells) {
            row.cells = cells;
        }
        self.titles.clear();
        let only_names = head.rows.end == waiting.len();
        let rows = head.rows.clone();
        self.head = Some(head);
        for (at, row) in waiting.into_iter().enumerate() {
            if at < rows.start || only_names {
                self.title(output, &row)?;
            } else if at >= rows.end {
                self.give(output, &row)?;
            } else {
                self.remarks(output, &row)?;
            }
        }
        Ok(())
    }

    fn give(&mut self, output: &mut Output<'_>, row: &Row) -> Result<(), ReadError> {
        if let Some(head) = &self.head {
            let sentence = head.sentence(&row.cells);
            push(output, &sentence, &self.titles, row.line)?;
        }
        if row.is_shared {
            self.sums.spoil();
        }
        self.sums.add(&row.cells);
        self.last = row.line;
        self.remarks(output, row)
    }

    /// A row above the names: what it says as it stands, a text that spans several cells once.
    fn title(&mut self, output: &mut Output<'_>, row: &Row) -> Result<(), ReadError> {
        let mut cells: Vec<&str> =
            row.cells.iter().map(|cell| cell.trim()).filter(|cell| !cell.is_empty()).collect();
        cells.dedup();
        let title = cells.join("; ");
        if self.titles.len() + title.len() <= TITLE_BYTES {
            if !self.titles.is_empty() {
                self.titles.push_str(" · ");
            }
            self.titles.push_str(&title);
        }
        push(output, &title, "", row.line)?;
        self.remarks(output, row)
    }

    fn remarks(&mut self, output: &mut Output<'_>, row: &Row) -> Result<(), ReadError> {
        row.remarks.iter().try_for_each(|remark| push(output, remark, "", row.line))
    }
}

fn push(output: &mut Output<'_>, text: &str, context: &str, line: u32) -> Result<(), ReadError> {
    let (text, invisible) = clean(text);
    output.removed(invisible);
    let block = Block::new(BlockKind::Paragraph, text, BlockPosition { page: None, line: Some(line) });
    output.push(Block { context: clean(context).0, ..block })
}

/// Notes the sums of a table that its rows do not give.
pub(crate) fn note_misfits(output: &mut Output<'_>, place: BlockPosition, sums: &Sums, names: &[String]) {
    for misfit in sums.misfits() {
        let column = names.get(misfit.column).filter(|name| !name.is_empty());
        let column = column.cloned().unwrap_or_else(|| format!("column {}", column_name(misfit.column)));
        let (name, stated, added) = (&misfit.name, &misfit.stated, &misfit.added);
        output
            .note(place, format!("{column:?}: the row {name:?} states {stated}, its rows add up to {added}"));
    }
}

/// Notes the sums of a table that is written as lines.
pub(crate) fn check_sums(output: &mut Output<'_>, block: &Block) {
    if !block.text.to_lowercase().lines().last().is_some_and(tables::is_sum) {
        return;
    }
    let rows: Vec<Vec<String>> = block.text.lines().map(tables::cells).collect();
    let head = Head::find(&rows, None);
    // A table that stands on several pages begins on none but the first.
    if block.place.page.is_some() && !head.is_certain {
        return;
    }
    let mut sums = Sums::default();
    rows[head.rows.end..].iter().for_each(|row| sums.add(row));
    note_misfits(output, block.place, &sums, &head.names);
}
