//! Tables: one line a row, cells in their columns.

use super::controls::control;
use super::paragraph::Paragraph;
use super::{Body, Sink};
use crate::docx::Relations;
use crate::marks::tracked;
use crate::rows::{is_figure, said_again};
use crate::xml::{Node, Xml};
use crate::{Block, BlockKind, BlockPosition, ReadError, TableFacts};

/// Most columns that one cell may span.
const MAX_SPAN: usize = 63;

/// A row being read.
#[derive(Default)]
struct Row {
    cells: Vec<Cell>,
    /// It names the columns: it is said again on each page.
    is_head: bool,
    is_deleted: bool,
}

/// A cell being read.
struct Cell {
    span: usize,
    /// It goes on with the cell above.
    continues: bool,
    blocks: Vec<Block>,
}

impl Cell {
    fn empty(span: usize) -> Self {
        Self { span, continues: false, blocks: Vec::new() }
    }
}

impl Body<'_, '_> {
    /// A table as one block; one that only frames text, as that text.
    pub(super) fn table(&mut self, xml: &mut Xml<'_>, near: &Relations) -> Result<Vec<Block>, ReadError> {
        let page = self.page;
        let mut rows: Vec<Row> = Vec::new();
        self.rows(xml, near, &mut rows)?;
        if rows.iter().all(|row| row.cells.iter().map(|cell| cell.span).sum::<usize>() <= 1) {
            return Ok(rows.into_iter().flat_map(|row| row.cells).flat_map(|cell| cell.blocks).collect());
        }
        let mut links = Vec::new();
        let mut anchors = Vec::new();
        let mut lines = Vec::new();
        // What the cell above says in each column.
        let mut above: Vec<String> = Vec::new();
        let mut facts = TableFacts::default();
        for row in rows {
            let mut cells: Vec<String> = Vec::new();
            let is_title = row.cells.len() == 1;
            for cell in row.cells {
                let mut words = Vec::new();
                for block in cell.blocks {
                    links.extend(block.links);
                    anchors.extend(block.anchor);
                    words.push(block.text.replace(" | ", " ").replace('\n', " "));
                }
                let column = cells.len();
                above.resize(above.len().max(column + cell.span), String::new());
                if !cell.continues {
                    above[column] = words.join(" ");
                }
                let text = &above[column];
                let again = said_again(text);
                cells.push(if cell.continues { again.to_owned() } else { text.clone() });
                let across = if is_title { "" } else { again };
                facts.is_shared |= is_figure(text) && (cell.continues || cell.span > 1 && !is_title);
                cells.resize(column + cell.span, across.to_owned());
            }
            while cells.last().is_some_and(String::is_empty) {
                cells.pop();
            }
            if !cells.is_empty() {
                facts.head += usize::from(row.is_head && facts.head == lines.len());
                lines.push(cells.join(" | "));
            }
        }
        let mut anchors = anchors.into_iter();
        let anchor = anchors.next();
        if let Some(first) = &anchor {
            self.aliases.extend(anchors.map(|name| (name, first.clone())));
        }
        let text = lines.join("\n");
        let place = BlockPosition { page, line: None };
        let block = Block { anchor, links, table: facts, ..Block::new(BlockKind::Table, text, place) };
        Ok(if block.text.is_empty() { Vec::new() } else { vec![block] })
    }

    fn rows(&mut self, xml: &mut Xml<'_>, near: &Relations, rows: &mut Vec<Row>) -> Result<(), ReadError> {
        loop {
            match xml.next()? {
                Node::Open(element) => match element.name() {
                    "tr" => {
                        let mut row = Row::default();
                        self.cells(xml, near, &mut row)?;
                        if row.is_deleted {
                            for block in row.cells.iter_mut().flat_map(|cell| &mut cell.blocks) {
                                block.text = tracked(&block.text);
                            }
                        }
                        rows.push(row);
                    }
                    "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" => self.rows(xml, near, rows)?,
                    "bookmarkStart" => {
                        self.bookmark(&element);
                        xml.skip()?;
                    }
                    _ => self.pass_over(xml)?,
                },
                Node::Text(_) => {}
                Node::Close | Node::End => return Ok(()),
            }
        }
    }

    /// The cells of a row, and what is said of it.
    fn cells(&mut self, xml: &mut Xml<'_>, near: &Relations, row: &mut Row) -> Result<(), ReadError> {
        let first = row.cells.len();
        // A prompt of a content control is no text.
        let mut prompt = None;
        loop {
            match xml.next()? {
                Node::Open(element) => match element.name() {
                    "tc" => row.cells.push(self.cell(xml, near)?),
                    "trPr" => loop {
                        match xml.next()? {
                            Node::Open(element) => {
                                match element.name() {
                                    "del" => row.is_deleted = true,
                                    "tblHeader" => row.is_head = element.is_on(),
                                    "gridBefore" => {
                                        let before = element.attr("val").and_then(|span| span.parse().ok());
                                        let span = before.unwrap_or(0).min(MAX_SPAN);
                                        row.cells.extend((0..span).map(|_| Cell::empty(1)));
                                    }
                                    _ => {}
                                }
                                xml.skip()?;
                            }
                            Node::Text(_) => {}
                            Node::Close | Node::End => break,
                        }
                    },
                    "sdtPr" => prompt = control(xml)?,
                    "sdt" | "sdtContent" | "customXml" => {
                        self.cells(xml, near, row)?;
                        if let Some(told) = prompt.take() {
                            self.omit(told);
                            row.cells[first..].iter_mut().for_each(|cell| cell.blocks.clear());
                        }
                    }
                    "bookmarkStart" => {
                        self.bookmark(&element);
                        xml.skip()?;
                    }
                    _ => self.pass_over(xml)?,
                },
                Node::Text(_) => {}
                Node::Close | Node::End => return Ok(()),
            }
        }
    }

    fn cell(&mut self, xml: &mut Xml<'_>, near: &Relations) -> Result<Cell, ReadError> {
        let mut cell = Cell::empty(1);
        // The properties come first; what follows is read as in the body.
        loop {
            match xml.next()? {
                Node::Open(element) if element.name() == "tcPr" => loop {
                    match xml.next()? {
                        Node::Open(element) => {
                            match element.name() {
                                "gridSpan" => {
                                    let value = element.attr("val").and_then(|span| span.parse().ok());
                                    cell.span = value.unwrap_or(1).clamp(1, MAX_SPAN);
                                }
                                "vMerge" => {
                                    cell.continues = element.attr("val").as_deref() != Some("restart");
                                }
                                _ => {}
                            }
                            xml.skip()?;
                        }
                        Node::Text(_) => {}
                        Node::Close | Node::End => break,
                    }
                },
                Node::Open(element) => match element.name() {
                    "p" => cell.blocks.extend(self.paragraph(xml, near)?),
                    "tbl" => cell.blocks.extend(self.table(xml, near)?),
                    "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" => {
                        self.blocks(xml, near, &mut Sink::Blocks(&mut cell.blocks))?;
                    }
                    "bookmarkStart" => {
                        self.bookmark(&element);
                        xml.skip()?;
                    }
                    "oMath" | "oMathPara" => {
                        let mut paragraph = Paragraph::default();
                        self.formula(xml, &mut paragraph)?;
                        cell.blocks.extend(self.finished(paragraph));
                    }
                    _ => self.pass_over(xml)?,
                },
                Node::Text(_) => {}
                Node::Close | Node::End => break,
            }
        }
        if cell.continues {
            cell.blocks.clear();
        }
        Ok(cell)
    }
}
