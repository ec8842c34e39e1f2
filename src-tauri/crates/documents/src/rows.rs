//! Rows of spreadsheets and of tables as text: a paragraph for each row, which names the columns, so that a row says what it
//! means wherever it is quoted.

use std::collections::BTreeSet;

use tables::{Head, Sums, column_name};

use crate::output::{Output, clean};
use crate::{Block, BlockKind, BlockPosition, ReadError};

/// Rows below a gap that may still be the head of what follows.
const HEAD_ROWS: usize = 4;

/// Most names without values that are told.
const MAX_UNUSED: usize = 20;

/// Most bytes of titles that are said beside each row.
const TITLE_BYTES: usize = 300;

/// Longest text of a cell that is said again in the further rows and columns that it covers.
const REPEATED_BYTES: usize = 200;

/// What a cell says in the further rows and columns that it covers.
pub(crate) fn said_again(text: &str) -> &str {
    if text.len() <= REPEATED_BYTES { text } else { "" }
}

/// Whether a text is a figure, which said again would be added up twice.
pub(crate) fn is_figure(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit()) && !text.contains(char::is_alphabetic)
}

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
    /// Columns with something below their names, and with figures there.
    used: BTreeSet<usize>,
    figures: BTreeSet<usize>,
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
            self.close(output)?;
        }
        if std::mem::take(&mut self.was_gap) && self.begins_another(&row) {
            self.close(output)?;
        }
        match &self.head {
            Some(_) => self.give(output, &row),
            None => {
                self.waiting.push(row);
                if self.waiting.len() >= Head::LOOKED_AT { self.write_waiting(output) } else { Ok(()) }
            }
        }
    }

    /// Whether a row below a gap stands outside of the table that waits: what is no wider than that, a line alone below several
    /// rows, or words below figures. What stands above wider rows are titles.
    fn begins_another(&self, row: &Row) -> bool {
        let above = self.waiting.iter().map(|row| filled(&row.cells)).max().unwrap_or(0);
        let own = filled(&row.cells);
        let is_figure = |cell: &String| tables::number(cell).is_some();
        let over_figures = own > 1
            && !row.cells.iter().any(is_figure)
            && row.cells.iter().enumerate().any(|(column, cell)| {
                let figure = |above: &Row| above.cells.get(column).is_some_and(is_figure);
                !cell.trim().is_empty() && self.waiting.iter().skip(1).any(figure)
            });
        own <= above
            && (self.waiting.len() >= HEAD_ROWS
                || self.waiting.len() >= 2 && (over_figures || own == 1 && above > 1))
    }

    /// An empty row: what follows may be another table.
    pub(crate) fn gap(&mut self, output: &mut Output<'_>) -> Result<(), ReadError> {
        self.was_gap = self.head.is_none();
        if self.was_gap { Ok(()) } else { self.close(output) }
    }

    /// The end of all tables.
    pub(crate) fn end(&mut self, output: &mut Output<'_>) -> Result<(), ReadError> {
        self.close(output)?;
        self.note_unused(output);
        Ok(())
    }

    /// Notes the names with nothing below them.
    fn note_unused(&mut self, output: &mut Output<'_>) {
        let used = std::mem::take(&mut self.used);
        self.figures.clear();
        let names = self.above.as_ref().map(|head| head.names.as_slice()).unwrap_or_default();
        let unused = names.iter().enumerate().filter(|(at, name)| !name.is_empty() && !used.contains(at));
        let unused: Vec<&str> = unused.map(|(_, name)| name.as_str()).take(MAX_UNUSED).collect();
        if !used.is_empty() && !unused.is_empty() {
            output.note_minor(format!("columns with a name and nothing below it: {}", unused.join(", ")));
        }
    }

    /// The end of a table.
    fn close(&mut self, output: &mut Output<'_>) -> Result<(), ReadError> {
        if self.head.is_none() {
            self.write_waiting(output)?;
        }
        let sums = std::mem::take(&mut self.sums);
        let names = self.head.as_ref().map(|head| head.names.as_slice()).unwrap_or_default();
        let place = BlockPosition { page: None, line: Some(self.last) };
        note_misfits(output, place, &sums, names);
        self.above = self.head.take().or_else(|| self.above.take());
        Ok(())
    }

    fn write_waiting(&mut self, output: &mut Output<'_>) -> Result<(), ReadError> {
        let mut waiting = std::mem::take(&mut self.waiting);
        let cells: Vec<Vec<String>> = waiting.iter_mut().map(|row| std::mem::take(&mut row.cells)).collect();
        let proven = waiting.iter().position(|row| self.proven.contains(&row.line)).map(|at| at..at + 1);
        let proven = proven.or_else(|| self.misfits(&cells).then_some(0..1));
        let found = Head::find(&cells, proven);
        let width = |rows: &[Vec<String>]| rows.iter().map(Vec::len).max().unwrap_or(0);
        // Rows below a gap belong to the table above it, unless they have names of their own.
        // A line alone below it is said of the table.
        let is_line = cells.iter().all(|row| filled(row) < 2);
        let goes_on = self.above.as_ref().is_some_and(|above| {
            !found.is_certain
                && width(&cells) <= above.names.len().max(1)
                && !(is_line && above.names.len() > 1)
        });
        if !goes_on && !is_line {
            self.note_unused(output);
        }
        let goes_on = self.above.take_if(|_| goes_on);
        let head = goes_on.map_or(found, |above| Head { rows: 0..0, ..above });
        for (row, cells) in waiting.iter_mut().zip(cells) {
            row.cells = cells;
        }
        if is_line && self.above.is_some() {
            // What follows may go on with the table.
            return waiting.iter().try_for_each(|row| {
                let text = row.cells.iter().map(|cell| cell.trim()).collect::<Vec<_>>().join("");
                push(output, BlockKind::Paragraph, &text, "", row.line)?;
                self.remarks(output, row)
            });
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

    /// Whether the first of several rows has words where the table above has figures: it names other columns.
    fn misfits(&self, cells: &[Vec<String>]) -> bool {
        let [first, _, ..] = cells else { return false };
        let columns: Vec<usize> =
            (0..first.len()).filter(|&column| !first[column].trim().is_empty()).collect();
        let is_figure = |column: &usize| tables::number(&first[*column]).is_some();
        self.above.is_some()
            && columns.len() > 1
            && !columns.iter().any(is_figure)
            && columns.iter().any(|column| self.figures.contains(column))
            && cells[1..].iter().all(|row| filled(row) > 1)
    }

    fn give(&mut self, output: &mut Output<'_>, row: &Row) -> Result<(), ReadError> {
        if let Some(head) = &self.head {
            let sentence = head.sentence(&row.cells);
            push(output, BlockKind::Paragraph, &sentence, &self.titles, row.line)?;
        }
        if row.is_shared {
            self.sums.spoil();
        }
        for (column, cell) in row.cells.iter().enumerate().filter(|(_, cell)| !cell.trim().is_empty()) {
            self.used.insert(column);
            if tables::number(cell).is_some() {
                self.figures.insert(column);
            }
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
        push(output, BlockKind::Paragraph, &title, "", row.line)?;
        self.remarks(output, row)
    }

    fn remarks(&mut self, output: &mut Output<'_>, row: &Row) -> Result<(), ReadError> {
        row.remarks.iter().try_for_each(|remark| push(output, BlockKind::Remark, remark, "", row.line))
    }
}

/// How many cells say something.
fn filled(cells: &[String]) -> usize {
    cells.iter().filter(|cell| !cell.trim().is_empty()).count()
}

fn push(
    output: &mut Output<'_>,
    kind: BlockKind,
    text: &str,
    context: &str,
    line: u32,
) -> Result<(), ReadError> {
    let (text, invisible) = clean(text);
    output.removed(invisible);
    let block = Block::new(kind, text, BlockPosition { page: None, line: Some(line) });
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
    if block.table.is_shared {
        return;
    }
    if !block.text.to_lowercase().lines().last().is_some_and(tables::is_sum) {
        return;
    }
    let rows: Vec<Vec<String>> = block.text.lines().map(tables::cells).collect();
    let head = Head::find(&rows, block.table.names(&rows));
    // A table that stands on several pages begins on none but the first.
    if block.place.page.is_some() && !head.is_certain {
        return;
    }
    let mut sums = Sums::default();
    rows[head.rows.end..].iter().for_each(|row| sums.add(row));
    note_misfits(output, block.place, &sums, &head.names);
}
