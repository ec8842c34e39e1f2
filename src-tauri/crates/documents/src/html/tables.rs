//! Tables: of data, of layout, of points.

use super::blocks::{Walk, Within};
use super::run::Run;
use super::tags::Tag;
use super::tokens::Key;
use super::tree::{Id, Tree};
use crate::marks::unmarked;
use crate::rows::{is_figure, said_again};
use crate::{Block, BlockKind, BlockPosition, ReadError, TableFacts};

/// Most columns of a table.
const MAX_COLUMNS: usize = 1_000;

impl Walk<'_, '_, '_> {
    pub(crate) fn table(&mut self, id: Id, within: &mut Within) -> Result<(), ReadError> {
        let tree = self.tree;
        let rows = rows(tree, id);
        let presentation = matches!(tree.value(id, Key::Role), Some("presentation" | "none"));
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        if presentation || columns < 2 || rows.iter().flatten().any(|&cell| has_structure(tree, cell)) {
            return self.unwrapped(id, within);
        }
        let mut caption = String::new();
        for child in tree.children(id).filter(|&child| !is_part(tree, child)) {
            if tree.node(child).tag == Tag::Caption {
                caption = unmarked(&self.cell(child).text).text;
            }
            self.take_ids(child);
            self.block(child, &mut Within { kind: BlockKind::Paragraph, lists: within.lists, label: None })?;
        }
        let mut text = String::new();
        let mut links = Vec::new();
        let mut facts = TableFacts::default();
        let head = head_rows(tree, id, &rows);
        // What a cell above still says in a column, and for how many rows.
        let mut spanning: Vec<(usize, String)> = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            let mut cells: Vec<String> = Vec::new();
            let mut above = |cells: &mut Vec<String>, column: usize| match spanning.get_mut(column) {
                Some((left, text)) if *left > 0 => {
                    *left -= 1;
                    cells.push(text.clone());
                    true
                }
                _ => false,
            };
            let mut column = 0;
            let mut spans = Vec::new();
            for &cell in row {
                while above(&mut cells, column) {
                    column += 1;
                }
                let run = self.cell(cell);
                links.extend(run.links);
                let span = |name| {
                    tree.value(cell, name)
                        .and_then(|text| text.trim().parse::<usize>().ok())
                        .unwrap_or(1)
                        .max(1)
                };
                let rows_left = rows.len() - index - 1;
                // A span of 0 reaches to the table's end.
                let down = match tree.value(cell, Key::Rowspan).map(str::trim) {
                    Some("0") => rows_left,
                    _ => (span(Key::Rowspan) - 1).min(rows_left),
                };
                let across = span(Key::Colspan).min(MAX_COLUMNS.saturating_sub(column).max(1));
                // A title over all columns is said once.
                let is_title = row.len() == 1 && cells.is_empty();
                let again = said_again(&run.text).to_owned();
                let beside = if is_title { String::new() } else { again.clone() };
                facts.is_shared |= is_figure(&again) && (down > 0 || across > 1 && !is_title);
                if down > 0 {
                    let said = |offset| if offset == 0 { again.clone() } else { beside.clone() };
                    spans.extend((0..across).map(|offset| (column + offset, down, said(offset))));
                }
                cells.push(run.text);
                column += across;
                cells.resize(cells.len() + across - 1, beside);
                if column >= MAX_COLUMNS {
                    break;
                }
            }
            while above(&mut cells, column) {
                column += 1;
            }
            for (column, down, said) in spans {
                if spanning.len() <= column {
                    spanning.resize(column + 1, (0, String::new()));
                }
                spanning[column] = (down, said);
            }
            while cells.last().is_some_and(String::is_empty) {
                cells.pop();
            }
            if !cells.is_empty() {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(&cells.join(" | "));
                facts.head += usize::from(index < head);
            }
            if text.len() > self.output.limits().text_bytes {
                let limit = self.output.limits().text_bytes as u64;
                return Err(ReadError::TooLarge { limit, what: "bytes of text" });
            }
        }
        if text.is_empty() {
            return Ok(());
        }
        self.flush_title()?;
        let place = BlockPosition { page: None, line: Some(tree.node(id).line) };
        let mut block = Block::new(BlockKind::Table, text, place);
        block.links = links;
        block.label = within.label.take();
        block.table = facts;
        block.context = caption;
        self.put(block)
    }

    /// A table that only lays text out: its cells in order, as if they were blocks.
    fn unwrapped(&mut self, id: Id, within: &mut Within) -> Result<(), ReadError> {
        let tree = self.tree;
        for child in tree.children(id) {
            self.take_ids(child);
            if is_part(tree, child) && tree.node(child).tag != Tag::Td && tree.node(child).tag != Tag::Th {
                self.unwrapped(child, within)?;
            } else {
                self.block(child, within)?;
            }
        }
        Ok(())
    }

    /// A cell's text on one line.
    pub(crate) fn cell(&mut self, id: Id) -> Run {
        let outer = std::mem::take(&mut self.run);
        self.inline(id);
        let mut run = std::mem::replace(&mut self.run, outer).take();
        self.output.removed(std::mem::take(&mut run.invisible));
        run
    }

    fn inline(&mut self, id: Id) {
        let tree = self.tree;
        self.take_ids(id);
        for child in tree.children(id) {
            let node = tree.node(child);
            if tree.text(child).is_some() {
                self.text(child);
                continue;
            }
            if node.tag == Tag::Math {
                self.formula(child);
                continue;
            }
            let start = self.run.text.len();
            let apart = node.tag.is_block() || node.tag == Tag::Br;
            if apart {
                self.run.space();
            }
            self.inline(child);
            match node.tag {
                Tag::A => self.end_link(child, start),
                Tag::Sub | Tag::Sup => self.shift(child, start),
                _ if apart => self.run.space(),
                _ => {}
            }
        }
    }
}

/// A table's rows as their cells.
pub(crate) fn rows(tree: &Tree<'_>, table: Id) -> Vec<Vec<Id>> {
    let mut rows: Vec<Vec<Id>> = Vec::new();
    let mut loose = false;
    let mut parts: Vec<Id> = tree.children(table).collect();
    parts.reverse();
    while let Some(part) = parts.pop() {
        match tree.node(part).tag {
            Tag::Tbody | Tag::Thead | Tag::Tfoot => {
                let mut inner: Vec<Id> = tree.children(part).collect();
                inner.reverse();
                parts.extend(inner);
                loose = false;
            }
            Tag::Tr => {
                rows.push(tree.children(part).filter(|&cell| is_cell(tree, cell)).collect());
                loose = false;
            }
            Tag::Td | Tag::Th => match rows.last_mut() {
                Some(row) if loose => row.push(part),
                _ => {
                    rows.push(vec![part]);
                    loose = true;
                }
            },
            _ => {}
        }
    }
    rows
}

/// How many rows the page itself takes for the names of columns.
fn head_rows(tree: &Tree<'_>, table: Id, rows: &[Vec<Id>]) -> usize {
    let has_tag = |id, tag| tree.node(id).tag == tag;
    let parts = tree.children(table).filter(|&part| has_tag(part, Tag::Thead));
    let in_head = parts.flat_map(|part| tree.children(part)).filter(|&row| has_tag(row, Tag::Tr)).count();
    let is_named = |row: &&Vec<Id>| !row.is_empty() && row.iter().all(|&cell| has_tag(cell, Tag::Th));
    let head = in_head.max(rows.iter().take_while(is_named).count());
    if head < rows.len() { head } else { 0 }
}

fn is_cell(tree: &Tree<'_>, id: Id) -> bool {
    matches!(tree.node(id).tag, Tag::Td | Tag::Th)
}

fn is_part(tree: &Tree<'_>, id: Id) -> bool {
    matches!(tree.node(id).tag, Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Tr | Tag::Td | Tag::Th)
}

/// Whether a cell holds what no cell of data does: a table, a heading, code.
fn has_structure(tree: &Tree<'_>, id: Id) -> bool {
    tree.children(id).any(|child| {
        let tag = tree.node(child).tag;
        matches!(tag, Tag::Table | Tag::Pre | Tag::Blockquote | Tag::Dl)
            || tag.heading().is_some()
            || has_structure(tree, child)
    })
}
