//! Tables: one line a row, cells in their columns.

use super::{Body, Sink, has};
use crate::docx::Relations;
use crate::xml::{Node, Xml};
use crate::{Block, BlockKind, BlockPosition, ReadError};

/// Most columns that one cell may span.
const MAX_SPAN: usize = 63;

impl Body<'_, '_> {
    /// A table as one block; one that only frames text, as that text.
    pub(super) fn table(&mut self, xml: &mut Xml<'_>, near: &Relations) -> Result<Vec<Block>, ReadError> {
        let page = self.page;
        let mut rows: Vec<Vec<Vec<Block>>> = Vec::new();
        self.rows(xml, near, &mut rows)?;
        if rows.iter().all(|row| row.len() <= 1) {
            return Ok(rows.into_iter().flatten().flatten().collect());
        }
        let mut links = Vec::new();
        let mut anchors = Vec::new();
        let mut lines = Vec::new();
        for row in rows {
            let mut cells: Vec<String> = Vec::new();
            for cell in row {
                let mut words = Vec::new();
                for block in cell {
                    links.extend(block.links);
                    anchors.extend(block.anchor);
                    words.push(block.text.replace(" | ", " ").replace('\n', " "));
                }
                cells.push(words.join(" "));
            }
            while cells.last().is_some_and(String::is_empty) {
                cells.pop();
            }
            if !cells.is_empty() {
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
        let block = Block { anchor, links, ..Block::new(BlockKind::Table, text, place) };
        Ok(if block.text.is_empty() { Vec::new() } else { vec![block] })
    }

    fn rows(
        &mut self,
        xml: &mut Xml<'_>,
        near: &Relations,
        rows: &mut Vec<Vec<Vec<Block>>>,
    ) -> Result<(), ReadError> {
        loop {
            match xml.next()? {
                Node::Open(element) => match element.name() {
                    "tr" => {
                        let mut row = Vec::new();
                        if self.cells(xml, near, &mut row)? {
                            self.left.deleted += 1;
                        } else {
                            rows.push(row);
                        }
                    }
                    "sdt" | "sdtContent" | "customXml" => self.rows(xml, near, rows)?,
                    _ => xml.skip()?,
                },
                Node::Text(_) => {}
                Node::Close | Node::End => return Ok(()),
            }
        }
    }

    /// The cells of a row; whether the row was deleted.
    fn cells(
        &mut self,
        xml: &mut Xml<'_>,
        near: &Relations,
        row: &mut Vec<Vec<Block>>,
    ) -> Result<bool, ReadError> {
        let mut deleted = false;
        loop {
            match xml.next()? {
                Node::Open(element) => match element.name() {
                    "tc" => {
                        let (span, blocks) = self.cell(xml, near)?;
                        row.push(blocks);
                        // What follows stays in its column.
                        row.extend((1..span).map(|_| Vec::new()));
                    }
                    "trPr" => deleted |= has(xml, "del")?,
                    "sdt" | "sdtContent" | "customXml" => deleted |= self.cells(xml, near, row)?,
                    _ => xml.skip()?,
                },
                Node::Text(_) => {}
                Node::Close | Node::End => return Ok(deleted),
            }
        }
    }

    fn cell(&mut self, xml: &mut Xml<'_>, near: &Relations) -> Result<(usize, Vec<Block>), ReadError> {
        let mut span = 1;
        let mut continues = false;
        let mut blocks = Vec::new();
        // The properties come first; what follows is read as in the body.
        loop {
            match xml.next()? {
                Node::Open(element) if element.name() == "tcPr" => loop {
                    match xml.next()? {
                        Node::Open(element) => {
                            match element.name() {
                                "gridSpan" => {
                                    let value = element.attr("val").and_then(|span| span.parse().ok());
                                    span = value.unwrap_or(1).clamp(1, MAX_SPAN);
                                }
                                "vMerge" => continues = element.attr("val").as_deref() != Some("restart"),
                                _ => {}
                            }
                            xml.skip()?;
                        }
                        Node::Text(_) => {}
                        Node::Close | Node::End => break,
                    }
                },
                Node::Open(element) => match element.name() {
                    "p" => blocks.extend(self.paragraph(xml, near)?),
                    "tbl" => blocks.extend(self.table(xml, near)?),
                    "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" => {
                        self.blocks(xml, near, &mut Sink::Blocks(&mut blocks))?;
                    }
                    "bookmarkStart" => {
                        self.bookmark(&element);
                        xml.skip()?;
                    }
                    _ => xml.skip()?,
                },
                Node::Text(_) => {}
                Node::Close | Node::End => break,
            }
        }
        if continues {
            blocks.clear();
        }
        Ok((span, blocks))
    }
}
