//! Tables: rows that a page does not cut, with the head above each part.

use std::rc::Rc;

use docx::{Cell, Change, Table, TableAlignment};

use crate::flow::{Flow, Item, Part};
use crate::style::{self, BOTTOM, CELL_X, CELL_Y, INK, LINE, Look, TOP};
use crate::tags::Kind;
use crate::text::Line;

/// Sizes of letters that are tried until the longest words fit. Where none lets them, they are broken at the last one.
const SIZES: [f32; 4] = [9.5, 8.5, 7.5, 8.5];
/// The highest row that is not cut.
const MAX_ROW: f32 = (BOTTOM - TOP) * 0.6;
/// Tables up to this height stay on one page.
const MAX_WHOLE: f32 = (BOTTOM - TOP) * 0.3;
/// What a column has beyond its words, so that none is broken by rounding.
const SLACK: f32 = 0.5;
/// How much wider than others a column of long text gets at most before lines are broken.
const MAX_COLUMN: f32 = 420.0;

/// A table's columns.
struct Columns {
    /// Left edges, and after them the right edge of the last one.
    edges: Vec<f32>,
    alignments: Vec<TableAlignment>,
    size: f32,
}

impl Columns {
    fn look(&self, column: usize, bold: bool) -> Look {
        style::cell(self.size, bold, self.alignments.get(column).copied().unwrap_or_default())
    }

    fn text_width(&self, column: usize) -> f32 {
        (self.edges[column + 1] - self.edges[column] - 2.0 * CELL_X).max(1.0)
    }

    fn count(&self) -> usize {
        self.edges.len() - 1
    }
}

impl Flow {
    pub(crate) fn table(&mut self, table: &Table) {
        let count = std::iter::once(&table.header).chain(&table.rows).map(Vec::len).max().unwrap_or(0);
        if count == 0 {
            return;
        }
        let columns = self.columns(table, count);
        let tag = self.tags.add(Kind::Table, self.parent());
        let from = self.items.len();
        let mut head = None;
        if !table.header.is_empty() {
            let items = self.row(&table.header, &columns, tag, true);
            head = items.first().map(|first| Rc::new(without_tags(first)));
            for item in items {
                self.push(item);
            }
        }
        let is_shown = |at: &usize| table.changes.get(at) != Some(&Change::Deleted);
        for (at, row) in table.rows.iter().enumerate().filter(|(at, _)| is_shown(at)) {
            for mut item in self.row(row, &columns, tag, false) {
                item.head.clone_from(&head);
                if at == 0 && head.is_none() {
                    item.before = 8.0;
                }
                self.push(item);
            }
        }
        keep_together(self.items.get_mut(from..).unwrap_or_default());
    }

    /// The widths of columns: as the words need, up to the width of the text.
    fn columns(&mut self, table: &Table, count: usize) -> Columns {
        let (left, width) = self.column();
        let room = (width - 2.0 * CELL_X * count as f32).max(count as f32);
        let mut columns = Columns { edges: Vec::new(), alignments: table.alignments.clone(), size: SIZES[0] };
        let (mut widths, mut cells) = (Vec::new(), Vec::new());
        for size in SIZES {
            columns.size = size;
            widths = vec![(0.0f32, 0.0f32); count];
            cells.clear();
            let rows =
                std::iter::once((&table.header, true)).chain(table.rows.iter().map(|row| (row, false)));
            for (row, bold) in rows {
                let mut line = Vec::with_capacity(count);
                for (column, cell) in row.iter().enumerate() {
                    let look = columns.look(column, bold);
                    let (longest, all) = self.widths(&cell.runs, &look);
                    widths[column].0 = widths[column].0.max(longest + SLACK);
                    widths[column].1 = widths[column].1.max((all + SLACK).min(MAX_COLUMN));
                    line.push(all);
                }
                cells.push(line);
            }
            if widths.iter().map(|(longest, _)| longest).sum::<f32>() <= room {
                break;
            }
        }
        let mut at = left;
        columns.edges.push(at);
        for width in best(&widths, &cells, room) {
            at += width + 2.0 * CELL_X;
            columns.edges.push(at);
        }
        columns
    }

    /// A row; one that is too high comes in several items.
    fn row(&mut self, row: &[Cell], columns: &Columns, table: usize, is_head: bool) -> Vec<Item> {
        let tag = self.tags.add(Kind::Row, table);
        let mut item = Item { height: 2.0 * CELL_Y, keeps_next: is_head, ..Item::default() };
        let mut lines: Vec<(f32, f32, Rc<Line>, usize)> = Vec::new();
        for column in 0..columns.count() {
            let cell_tag = self.tags.add(if is_head { Kind::HeadCell } else { Kind::Cell }, tag);
            let Some(cell) = row.get(column) else { continue };
            item.places.extend(cell.place.clone());
            let look = columns.look(column, is_head);
            let mut y = CELL_Y;
            for line in self.set(&cell.runs, &look, columns.text_width(column)) {
                let next = y + line.height;
                lines.push((columns.edges[column] + CELL_X, y, Rc::new(line), cell_tag));
                y = next;
            }
            item.height = item.height.max(y + CELL_Y);
        }
        let (x, width) = self.column();
        let line_below = |height: f32| {
            let (thickness, colour) = if is_head { (0.9, INK) } else { (0.5, LINE) };
            Part::Fill { x, y: height - thickness, width, height: thickness, colour }
        };
        if is_head {
            item.before = 8.0;
        }
        if item.height <= MAX_ROW {
            for (x, y, line, tag) in lines {
                item.notes.extend(&line.notes);
                item.parts.push(Part::Line { x, y, line, tag: Some(tag) });
            }
            item.parts.push(line_below(item.height));
            return vec![item];
        }
        // Lines of all cells by where they stand.
        let mut pieces: Vec<Item> = Vec::new();
        for (x, y, line, tag) in lines {
            let at = (y / MAX_ROW) as usize;
            while pieces.len() <= at {
                pieces.push(Item {
                    before: if pieces.is_empty() { item.before } else { 0.0 },
                    ..Item::default()
                });
            }
            let Some(piece) = pieces.get_mut(at) else { continue };
            let top = y - at as f32 * MAX_ROW;
            piece.height = piece.height.max(top + line.height);
            piece.notes.extend(&line.notes);
            piece.parts.push(Part::Line { x, y: top, line, tag: Some(tag) });
        }
        if let Some(first) = pieces.first_mut() {
            first.places = item.places;
        }
        if let Some(last) = pieces.last_mut() {
            last.height += CELL_Y;
            let part = line_below(last.height);
            last.parts.push(part);
        }
        pieces
    }
}

/// Keeps a short table on one page, and of a long one two rows below its head and two at its end.
fn keep_together(rows: &mut [Item]) {
    let height: f32 = rows.iter().map(|row| row.before + row.height).sum();
    let first = usize::from(rows.first().is_some_and(|row| row.keeps_next));
    let last = rows.len().saturating_sub(1);
    for (at, row) in rows.iter_mut().enumerate().take(last) {
        row.keeps_next |= height <= MAX_WHOLE || (last > first + 1 && (at == first || at + 1 == last));
    }
}

/// A repeated head, which is not read aloud again.
fn without_tags(item: &Item) -> Item {
    let parts = item.parts.iter().map(|part| match part {
        Part::Line { x, y, line, .. } => Part::Line { x: *x, y: *y, line: Rc::clone(line), tag: None },
        Part::Fill { x, y, width, height, colour } => {
            Part::Fill { x: *x, y: *y, width: *width, height: *height, colour: *colour }
        }
    });
    Item { height: item.height, parts: parts.collect(), ..Item::default() }
}

/// The width of each column: of two ways to share the room the one in which the rows have fewer lines. `cells` has the width of
/// all words of each cell, row by row.
fn best(widths: &[(f32, f32)], cells: &[Vec<f32>], room: f32) -> Vec<f32> {
    let first = shares(widths, room);
    let longest: f32 = widths.iter().map(|(longest, _)| longest).sum();
    let wish: f32 = widths.iter().map(|(longest, all)| all - longest).sum();
    if longest >= room || longest + wish <= room {
        return first;
    }
    let rest = room - longest;
    let second: Vec<f32> = widths.iter().map(|(word, all)| word + (all - word) / wish * rest).collect();
    let lines = |widths: &[f32]| -> f32 {
        let needs = |row: &Vec<f32>| {
            row.iter().zip(widths).map(|(all, width)| (all / width.max(1.0)).ceil()).fold(1.0, f32::max)
        };
        cells.iter().map(needs).sum()
    };
    if lines(&second) < lines(&first) { second } else { first }
}

/// The width of each column, of the width of its longest word and of all its words on a line.
fn shares(widths: &[(f32, f32)], room: f32) -> Vec<f32> {
    let longest: f32 = widths.iter().map(|(longest, _)| longest).sum();
    let all: f32 = widths.iter().map(|(_, all)| all).sum();
    if all <= 0.0 {
        return vec![room / widths.len() as f32; widths.len()];
    }
    if longest >= room {
        let words: Vec<f64> = widths.iter().map(|(word, _)| f64::from(word.max(longest * 0.01))).collect();
        return docx::broken_widths(&words, f64::from(room)).into_iter().map(|width| width as f32).collect();
    }
    if all <= room {
        let rest = (room - all) / widths.len() as f32;
        return widths.iter().map(|(_, all)| all + rest).collect();
    }
    // A column whose words fit on a line of a fair share keeps them there; the others share what is left.
    let mut order: Vec<usize> = (0..widths.len()).collect();
    order.sort_by(|one, other| widths[*one].1.total_cmp(&widths[*other].1));
    let mut shares: Vec<Option<f32>> = vec![None; widths.len()];
    let (mut free, mut words, mut left) = (room, longest, widths.len());
    for column in order {
        let (word, all) = widths[column];
        if all > free / left as f32 || free - all < words - word {
            break;
        }
        shares[column] = Some(all);
        (free, words, left) = (free - all, words - word, left - 1);
    }
    let wishes = widths.iter().zip(&shares).filter(|(_, share)| share.is_none());
    let wish = wishes.map(|((word, all), _)| all - word).sum::<f32>().max(0.01);
    widths
        .iter()
        .zip(&shares)
        .map(|((word, all), share)| share.unwrap_or_else(|| word + (all - word) / wish * (free - words)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_not_squeezed_so_that_short_ones_keep_to_a_line() {
        let widths = [(12.0, 12.0), (60.0, 420.0), (50.0, 86.0), (40.0, 150.0)];
        let row = vec![12.0, 1_400.0, 86.0, 150.0];
        let room = 400.0;
        let best = best(&widths, &[row.clone(), row], room);
        assert!(best[1] > shares(&widths, room)[1] + 40.0, "{best:?}");
        assert!((best.iter().sum::<f32>() - room).abs() < 0.1, "{best:?}");
        // Where the long text is short, too, words that fit on a line stay there.
        let row = vec![12.0, 150.0, 86.0, 150.0];
        assert_eq!(super::best(&widths, &[row], room), shares(&widths, room));
    }

    #[test]
    fn columns_fill_the_width() {
        for widths in [
            vec![(10.0, 20.0), (10.0, 40.0)],
            vec![(10.0, 900.0), (10.0, 20.0)],
            vec![(300.0, 300.0), (300.0, 300.0)],
            vec![(0.0, 0.0), (0.0, 0.0)],
        ] {
            let sum: f32 = shares(&widths, 400.0).iter().sum();
            assert!((sum - 400.0).abs() < 5.0, "{widths:?}: {sum}");
        }
        // Two words stay on a line beside two long texts.
        let support = shares(&[(60.0, 70.0), (30.0, 420.0), (40.0, 420.0)], 400.0);
        assert!((support[0] - 70.0).abs() < 0.1 && support[1] >= 100.0, "{support:?}");
        assert!((support.iter().sum::<f32>() - 400.0).abs() < 0.1, "{support:?}");
        let tight = shares(&[(30.0, 90.0), (300.0, 420.0), (30.0, 90.0)], 400.0);
        assert!(tight[1] >= 300.0 && tight[0] >= 30.0, "{tight:?}");
        let figures = shares(&[(300.0, 300.0), (350.0, 350.0), (60.0, 60.0)], 440.0);
        assert!((figures[2] - 60.0).abs() < 0.1, "{figures:?}: a figure is not broken");
        assert!((figures.iter().sum::<f32>() - 440.0).abs() < 0.1, "{figures:?}");
        let [long, short] = shares(&[(10.0, 900.0), (10.0, 20.0)], 400.0)[..] else { panic!("two columns") };
        assert!(long > 300.0 && short >= 10.0, "{long} {short}");
    }
}
