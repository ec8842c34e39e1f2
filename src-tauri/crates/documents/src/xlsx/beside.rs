//! What is said of a sheet's cells beside them: merged cells, rows that name columns, comments.

use std::collections::{BTreeMap, BTreeSet};

use super::strings::RichText;
use super::{FORMAT, address};
use crate::archive::Archive;
use crate::docx::{Relations, part, resolved};
use crate::omissions::Omission;
use crate::xml::{Node, Xml};
use crate::{Limits, ReadError};

/// Most merged cells of a sheet that are filled.
const MAX_MERGED: usize = 100_000;
/// The beginning of a comment that only says that a newer program shows it.
const THREADED: &str = "[Threaded comment]";

/// Cells that are merged: from the first to the last column and row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Merged {
    pub(super) columns: (usize, usize),
    pub(super) rows: (u32, u32),
}

/// What is said beside the cells of a sheet.
#[derive(Debug, Default)]
pub(super) struct Beside {
    /// By the first row.
    pub(super) merged: Vec<Merged>,
    /// Rows that name columns.
    pub(super) heads: BTreeSet<u32>,
    /// Comments by row: where, by whom, what.
    pub(super) comments: BTreeMap<u32, Vec<String>>,
    /// The words in boxes above the cells.
    pub(super) boxes: Vec<String>,
    /// What else lies above the cells, and is not read.
    pub(super) unread: Vec<Omission>,
}

impl Beside {
    pub(super) fn read(
        archive: &mut Archive<'_>,
        sheet: &str,
        near: &Relations,
        limits: &Limits,
    ) -> Result<Self, ReadError> {
        let mut found = Self::default();
        // What is said of the cells stands behind them.
        let tail = &sheet[sheet.rfind("sheetData").unwrap_or(0)..];
        for (name, element) in elements(tail) {
            match name {
                "mergeCell" if found.merged.len() < MAX_MERGED => {
                    found.merged.extend(
                        attribute(element, "ref")
                            .and_then(area)
                            .map(|(columns, rows)| Merged { columns, rows }),
                    );
                }
                "autoFilter" => {
                    found.heads.extend(attribute(element, "ref").and_then(area).map(|(_, rows)| rows.0))
                }
                "tablePart" => {
                    let path = attribute(element, "id").and_then(|id| near.address(id));
                    let text =
                        path.map(|path| part(archive, &resolved(&near.folder, path))).transpose()?.flatten();
                    found.heads.extend(text.as_deref().and_then(table_head));
                }
                "drawing" | "picture" | "oleObject" | "control" => {
                    let path = attribute(element, "id").and_then(|id| near.address(id));
                    let path = path.filter(|_| name == "drawing");
                    let text =
                        path.map(|path| part(archive, &resolved(&near.folder, path))).transpose()?.flatten();
                    match text {
                        Some(text) => found.take_drawing(&text, limits)?,
                        None => found.unread.push(Omission::Embedded),
                    }
                }
                _ => {}
            }
        }
        let head = &sheet[..sheet.find("sheetData").unwrap_or(0)];
        let pane = elements(head).find(|(name, element)| *name == "pane" && element.contains("frozen"));
        if found.heads.is_empty() {
            let rows = pane.and_then(|(_, element)| attribute(element, "ySplit")?.parse::<u32>().ok());
            found.heads.extend(rows.filter(|rows| *rows > 0));
        }
        found.merged.sort_by_key(|merged| merged.rows);
        if let Some(text) = near.of_type("/comments").map(|path| part(archive, &path)).transpose()?.flatten()
        {
            found.comments = comments(&text, limits)?;
        }
        Ok(found)
    }

    /// Takes the boxes, pictures and charts above the cells.
    fn take_drawing(&mut self, text: &str, limits: &Limits) -> Result<(), ReadError> {
        let mut xml = Xml::new(text, FORMAT, limits);
        let mut words = String::new();
        loop {
            match xml.next()? {
                Node::Open(element) => match element.name() {
                    "twoCellAnchor" | "oneCellAnchor" | "absoluteAnchor" | "sp" => {
                        self.boxes.push(std::mem::take(&mut words));
                    }
                    "p" => words.push('\n'),
                    "t" => words.push_str(&xml.text()?),
                    "pic" => self.unread.push(Omission::Picture),
                    "chart" | "relIds" => self.unread.push(Omission::Embedded),
                    _ => {}
                },
                Node::Close | Node::Text(_) => {}
                Node::End => break,
            }
        }
        self.boxes.push(words);
        self.boxes.retain(|words| !words.trim().is_empty());
        Ok(())
    }
}

/// The row of a table's names.
fn table_head(text: &str) -> Option<u32> {
    let (_, table) = elements(text).find(|(name, _)| *name == "table")?;
    let none = attribute(table, "headerRowCount") == Some("0");
    attribute(table, "ref").and_then(area).map(|(_, rows)| rows.0).filter(|_| !none)
}

/// `A1:C7`, or one cell.
fn area(text: &str) -> Option<((usize, usize), (u32, u32))> {
    let (first, last) = text.split_once(':').unwrap_or((text, text));
    let ((left, top), (right, bottom)) = (address(first)?, address(last)?);
    (left <= right && top <= bottom).then_some(((left, right), (top, bottom)))
}

/// The beginnings of elements in a stretch of XML: name without prefix, and all of it.
fn elements(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split('<').skip(1).filter_map(|rest| {
        let element = rest.split('>').next()?;
        let name = element.split([' ', '/', '\n', '\r', '\t']).next()?;
        Some((name.rsplit(':').next().unwrap_or(name), element))
    })
}

fn attribute<'t>(element: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = element;
    while let Some((before, after)) = rest.split_once('=') {
        let key = before.trim_end().rsplit([' ', ':', '\n', '\t']).next().unwrap_or_default();
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, next) = after[1..].split_once(quote)?;
        if key == name {
            return Some(value);
        }
        rest = next;
    }
    None
}

fn comments(text: &str, limits: &Limits) -> Result<BTreeMap<u32, Vec<String>>, ReadError> {
    let mut xml = Xml::new(text, FORMAT, limits);
    let mut authors: Vec<String> = Vec::new();
    let mut all: Vec<(String, usize, RichText)> = Vec::new();
    loop {
        match xml.next()? {
            Node::Open(element) => match element.name() {
                "author" => authors.push(xml.text()?),
                "comment" => {
                    let author = element.attr("authorId").and_then(|author| author.parse().ok());
                    let cell = element.attr("ref").unwrap_or_default();
                    all.push((cell, author.unwrap_or(usize::MAX), RichText::default()));
                }
                _ => {
                    if let Some((_, _, text)) = all.last_mut() {
                        text.take(&element, &mut xml)?;
                    }
                }
            },
            Node::Close | Node::Text(_) => {}
            Node::End => break,
        }
    }
    let mut found: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (cell, author, text) in all {
        let text = text.text.trim();
        let text = match text.strip_prefix(THREADED).and_then(|rest| rest.split_once("Comment:")) {
            Some((_, text)) => text.trim(),
            None => text,
        };
        let author = authors.get(author).map_or("", |author| author.trim());
        // Programs write the author's name into the text as well.
        let text = text.strip_prefix(author).and_then(|rest| rest.strip_prefix(':')).unwrap_or(text).trim();
        let place = match author {
            "" => cell.clone(),
            id if id.starts_with("tc={") => cell.clone(),
            name => format!("{name}, {cell}"),
        };
        if !text.is_empty() {
            let row = address(&cell).map_or(0, |(_, row)| row);
            found.entry(row).or_default().push(format!("Comment ({place}): {text}"));
        }
    }
    Ok(found)
}
