//! The cells of a sheet.

use std::collections::BTreeMap;

use tables::numbers::plain;

use super::beside::{Beside, Merged};
use super::strings::RichText;
use super::styles::Style;
use super::{Book, COLUMNS, FORMAT, address};
use crate::marks::struck;
use crate::omissions::Omission;
use crate::output::{Output, clean};
use crate::rows::{Row, Rows, said_again};
use crate::xml::{Element, Node, Xml};
use crate::{Block, BlockKind, BlockPosition, ReadError};

/// A sheet being read.
struct Sheet<'b> {
    book: &'b Book,
    /// Formulas that others share, with the cell they stand in.
    shared: BTreeMap<String, (String, String)>,
    /// Merged cells that are still to come, the next one last.
    coming: Vec<Merged>,
    /// Merged cells of which rows are still to come, with their text.
    open: Vec<(Merged, String)>,
    /// Columns that are not shown.
    hidden: Vec<(usize, usize)>,
}

/// A cell as it is read.
struct Cell {
    text: String,
    /// Whether it is a formula of which no value is stored.
    unvalued: bool,
    /// Whether it holds something that its format does not show.
    concealed: bool,
}

impl Book {
    pub(super) fn sheet(&self, text: &str, beside: Beside, output: &mut Output<'_>) -> Result<(), ReadError> {
        let Beside { mut merged, heads, mut comments, boxes, unread } = beside;
        unread.into_iter().for_each(|kind| output.omit(kind, 1, BlockPosition::default()));
        merged.reverse();
        let mut sheet = Sheet {
            book: self,
            shared: BTreeMap::new(),
            coming: merged,
            open: Vec::new(),
            hidden: Vec::new(),
        };
        let mut rows = Rows::new(heads);
        let mut xml = Xml::new(text, FORMAT, output.limits());
        let (mut cells, mut line, mut next): (Vec<String>, u32, usize) = (Vec::new(), 0, 0);
        let mut row_is_hidden = false;
        let is_on = |value: Option<String>| matches!(value.as_deref(), Some("1" | "true"));
        loop {
            match xml.next()? {
                Node::Open(element) if element.name() == "row" => {
                    let before = line;
                    line = element.attr("r").and_then(|row| row.parse().ok()).unwrap_or(line + 1);
                    if line > before + 1 {
                        rows.gap(output)?;
                    }
                    next = 0;
                    row_is_hidden = is_on(element.attr("hidden"));
                }
                Node::Open(element) if element.name() == "c" => {
                    // Without an address it stands behind the one before, which may be empty.
                    let at = element.attr("r").and_then(|at| address(&at)).map_or(next, |(column, _)| column);
                    next = at.saturating_add(1);
                    let cell = sheet.cell(&mut xml, &element)?;
                    let place = BlockPosition { page: None, line: Some(line) };
                    if row_is_hidden {
                        cells.resize(cells.len().max(usize::from(!cell.text.is_empty())), String::new());
                        continue;
                    }
                    output.omit(Omission::Concealed, usize::from(cell.concealed), place);
                    if at < COLUMNS && !cell.text.trim().is_empty() {
                        if sheet.is_hidden(at) {
                            output.omit(Omission::HiddenCell, 1, place);
                            continue;
                        }
                        output.omit(Omission::UnstoredFormula, usize::from(cell.unvalued), place);
                        cells.resize(cells.len().max(at + 1), String::new());
                        cells[at] = cell.text;
                    }
                }
                Node::Open(element) if element.name() == "col" => {
                    let number =
                        |name| element.attr(name).and_then(|one| one.parse::<usize>().ok()).unwrap_or(0);
                    if is_on(element.attr("hidden")) && number("min") > 0 {
                        sheet.hidden.push((number("min") - 1, number("max").saturating_sub(1)));
                    }
                }
                // What stands in a row is taken with the row's end; an element that is passed over has its own.
                Node::Open(element) if matches!(element.name(), "worksheet" | "sheetData" | "cols") => {}
                Node::Open(_) => xml.skip()?,
                Node::Close if line > 0 && next != usize::MAX => {
                    // A row has ended.
                    next = usize::MAX;
                    let place = BlockPosition { page: None, line: Some(line) };
                    let mut row = Row::new(line, std::mem::take(&mut cells));
                    if row_is_hidden {
                        output.omit(Omission::HiddenRow, usize::from(!row.cells.is_empty()), place);
                        sheet.fill(&mut Row::new(line, Vec::new()));
                        continue;
                    }
                    sheet.fill(&mut row);
                    row.remarks = comments.remove(&line).unwrap_or_default();
                    rows.row(output, row)?;
                }
                Node::Close | Node::Text(_) => {}
                Node::End => break,
            }
        }
        // Comments on rows without a cell.
        for (line, remarks) in comments {
            rows.row(output, Row { remarks, ..Row::new(line, Vec::new()) })?;
        }
        rows.end(output)?;
        boxes.iter().try_for_each(|words| {
            let (words, invisible) = clean(words);
            output.removed(invisible);
            output.push(Block::new(BlockKind::Paragraph, words, BlockPosition::default()))
        })
    }
}

impl Sheet<'_> {
    fn is_hidden(&self, column: usize) -> bool {
        self.hidden.iter().any(|(first, last)| (*first..=*last).contains(&column))
    }

    /// Says what stands in merged cells in each of them.
    fn fill(&mut self, row: &mut Row) {
        let line = row.line;
        self.open.retain(|(merged, _)| merged.rows.1 >= line);
        while let Some(merged) = self.coming.pop_if(|merged| merged.rows.0 <= line) {
            if merged.rows.1 < line || merged.columns.1 >= COLUMNS {
                continue;
            }
            let text = row.cells.get(merged.columns.0).cloned().unwrap_or_default();
            if !said_again(&text).is_empty() && merged.rows.0 == line {
                self.open.push((merged, text));
            }
        }
        for (merged, text) in &self.open {
            let (first, last) = merged.columns;
            if row.cells.len() <= last {
                row.cells.resize(last + 1, String::new());
            }
            for column in first..=last {
                let is_hidden = self.hidden.iter().any(|(first, last)| (*first..=*last).contains(&column));
                if row.cells[column].is_empty() && !is_hidden {
                    row.cells[column].clone_from(text);
                    row.is_shared |= tables::number(text).is_some();
                }
            }
        }
        while row.cells.last().is_some_and(String::is_empty) {
            row.cells.pop();
        }
    }

    /// The cell that was just opened.
    fn cell(&mut self, xml: &mut Xml<'_>, element: &Element<'_>) -> Result<Cell, ReadError> {
        let kind = element.attr("t").unwrap_or_default();
        let style = element
            .attr("s")
            .and_then(|style| style.parse().ok())
            .and_then(|style| self.book.styles.get(style));
        let (mut value, mut inline, mut inside) = (String::new(), RichText::default(), 1_usize);
        let mut formula = None;
        while inside > 0 {
            match xml.next()? {
                Node::Open(element) if element.name() == "v" => value = xml.text()?,
                Node::Open(inner) if inner.name() == "f" => {
                    let shared = inner.attr("si").filter(|_| inner.attr("t").as_deref() == Some("shared"));
                    let text = xml.text()?;
                    formula = Some(self.formula(&element.attr("r").unwrap_or_default(), text, shared));
                }
                Node::Open(element) => {
                    if !inline.take(&element, xml)? {
                        inside += 1;
                    }
                }
                Node::Close => inside -= 1,
                Node::Text(_) => {}
                Node::End => break,
            }
        }
        let empty = Cell { text: String::new(), unvalued: false, concealed: false };
        // An empty text is a value; an empty number is none.
        if let Some(formula) = formula.filter(|_| value.trim().is_empty() && kind != "str") {
            return Ok(Cell { text: formula, unvalued: true, ..empty });
        }
        let text = match kind.as_str() {
            "s" => {
                self.book.strings.get(value.trim().parse().unwrap_or(usize::MAX)).cloned().unwrap_or_default()
            }
            "inlineStr" => inline.text,
            "b" if value.trim() == "1" => "TRUE".to_owned(),
            "b" => "FALSE".to_owned(),
            "str" | "e" | "d" => value,
            _ => {
                let text = self.number(&value, style);
                let concealed = text.is_empty() && !value.trim().is_empty();
                return Ok(Cell { text: looked(text, style), concealed, ..empty });
            }
        };
        let text = match style.and_then(|style| style.format.as_ref()) {
            Some(format) if matches!(kind.as_str(), "s" | "str" | "inlineStr") => format.show_text(&text),
            _ => text,
        };
        Ok(Cell { text: looked(text, style), ..empty })
    }

    /// A formula as it is given where no value is stored.
    fn formula(&mut self, cell: &str, text: String, shared: Option<String>) -> String {
        let Some(group) = shared else { return format!("={text}") };
        if text.is_empty() {
            return match self.shared.get(&group) {
                Some((first, text)) => format!("={text} (as in {first})"),
                None => "=(a formula of other cells)".to_owned(),
            };
        }
        self.shared.insert(group, (cell.to_owned(), text.clone()));
        format!("={text}")
    }

    fn number(&self, text: &str, style: Option<&Style>) -> String {
        let Ok(number) = text.trim().parse::<f64>() else { return text.to_owned() };
        match style.and_then(|style| style.format.as_ref()) {
            None => plain(number),
            Some(format) => format.show(number, self.book.from_1904).whole(),
        }
    }
}

/// A cell's text by its look.
fn looked(text: String, style: Option<&Style>) -> String {
    if style.is_some_and(|style| style.is_struck) { struck(&text) } else { text }
}
