//! Tables whose lines are drawn: rows and cells are where the lines are, not where the text lies.

use super::columns::{self, Line};
use super::rules::{Rule, joined};
use super::words::{self, Span, Word};

/// Lines this close meet.
const NEAR: f32 = 2.5;
/// Base lines this close are one.
const SAME_LINE: f32 = 2.0;
/// Lines that reach so far beyond the outermost ones across them hold a row or column that is open at its side.
const OPEN: f32 = 8.0;
/// Most lines of one direction and most tables of a page, most rows or columns and most cells of one table.
const MAX_LINES: usize = 2_000;
const MAX_GRIDS: usize = 200;
const MAX_SIDE: usize = 500;
const MAX_CELLS: usize = 20_000;
/// Fewest cells with text, and the least share of them; drawings form grids, too.
const MIN_FILLED: usize = 3;
const MIN_SHARE: f32 = 0.3;
/// Labels are not repeated where that would make the table's text so many times as long.
const MAX_REPEATED: usize = 3;
/// A cell of more lines is a part of the page.
const MAX_CELL_LINES: usize = 40;

/// Where the lines of a table are.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Grid {
    xs: Vec<f32>,
    ys: Vec<f32>,
    /// By row and column: the first of the cells that are merged with it.
    cells: Vec<usize>,
}

/// A table, its cells in reading order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Table {
    pub cells: Vec<Cell>,
    rows: usize,
    columns: usize,
    /// The lines of its text, cell by cell.
    pub lines: Vec<Line>,
}

/// A cell: which rows and columns it covers, and which of the table's lines are its own.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cell {
    rows: (usize, usize),
    columns: (usize, usize),
    lines: (usize, usize),
}

/// The grids that drawn lines make, and which level lines belong to none.
pub(super) fn grids(rules: &[Rule]) -> (Vec<Grid>, Vec<Rule>) {
    let level: Vec<Rule> = joined(rules.iter().filter(|rule| rule.level).copied());
    let upright: Vec<Rule> = joined(rules.iter().filter(|rule| !rule.level).copied());
    if level.len().max(upright.len()) > MAX_LINES {
        return (Vec::new(), Vec::new());
    }
    // Lines that meet are one figure.
    let mut figures = Sets::new(level.len() + upright.len());
    let mut meets = vec![false; level.len()];
    for (row, across) in level.iter().enumerate() {
        for (column, down) in upright.iter().enumerate() {
            let met = down.at >= across.from - NEAR
                && down.at <= across.to + NEAR
                && across.at >= down.from - NEAR
                && across.at <= down.to + NEAR;
            if met {
                meets[row] = true;
                figures.join(row, level.len() + column);
            }
        }
    }
    let mut members: Vec<(Vec<Rule>, Vec<Rule>)> = vec![Default::default(); level.len() + upright.len()];
    for (index, rule) in level.iter().enumerate() {
        members[figures.first(index)].0.push(*rule);
    }
    for (index, rule) in upright.iter().enumerate() {
        members[figures.first(level.len() + index)].1.push(*rule);
    }
    let grids =
        members.iter().filter_map(|(across, down)| Grid::between(across, down)).take(MAX_GRIDS).collect();
    // What a person strikes out may be one of many pieces: as they were drawn.
    let free: Vec<&Rule> =
        level.iter().zip(&meets).filter(|(_, meets)| !**meets).map(|(rule, _)| rule).collect();
    let within = |rule: &Rule| {
        free.iter().any(|free| {
            (free.at - rule.at).abs() <= NEAR && rule.from >= free.from - 0.1 && rule.to <= free.to + 0.1
        })
    };
    let loose = rules.iter().filter(|rule| rule.level && within(rule)).copied().collect();
    (grids, loose)
}

impl Grid {
    fn between(across: &[Rule], down: &[Rule]) -> Option<Self> {
        if across.len() < 2 || down.is_empty() || across.len() + down.len() < 5 {
            return None;
        }
        let ends = |rules: &[Rule]| {
            let from = rules.iter().fold(f32::MAX, |least, rule| least.min(rule.from));
            let to = rules.iter().fold(f32::MIN, |most, rule| most.max(rule.to));
            [from, to]
        };
        // A table may be open at its sides.
        let xs = places(down.iter().map(|rule| rule.at), ends(across));
        let ys = places(across.iter().map(|rule| rule.at), ends(down));
        let (rows, columns) = (ys.len().saturating_sub(1), xs.len().saturating_sub(1));
        if rows < 2 || columns < 2 || rows.max(columns) > MAX_SIDE || rows * columns > MAX_CELLS {
            return None;
        }
        let at = |row: usize, column: usize| row * columns + column;
        let middle = |edges: &[f32], index: usize| (edges[index] + edges[index + 1]) / 2.0;
        // Right of and below each cell: whether a line is drawn there.
        let (mut right, mut below) = (vec![false; rows * columns], vec![false; rows * columns]);
        for rule in down {
            let Some(column) =
                xs.iter().position(|x| (x - rule.at).abs() <= NEAR).and_then(|x| x.checked_sub(1))
            else {
                continue;
            };
            for row in 0..rows {
                let y = middle(&ys, row);
                if column < columns {
                    right[at(row, column)] |= rule.from <= y && y <= rule.to;
                }
            }
        }
        for rule in across {
            let Some(row) =
                ys.iter().position(|y| (y - rule.at).abs() <= NEAR).and_then(|y| y.checked_sub(1))
            else {
                continue;
            };
            for column in 0..columns {
                let x = middle(&xs, column);
                if row < rows {
                    below[at(row, column)] |= rule.from <= x && x <= rule.to;
                }
            }
        }
        let mut merged = Sets::new(rows * columns);
        for row in 0..rows {
            for column in 0..columns {
                if column + 1 < columns && !right[at(row, column)] {
                    merged.join(at(row, column), at(row, column + 1));
                }
                if row + 1 < rows && !below[at(row, column)] {
                    merged.join(at(row, column), at(row + 1, column));
                }
            }
        }
        let cells = (0..rows * columns).map(|cell| merged.first(cell)).collect();
        Some(Self { xs, ys, cells })
    }

    /// Rows between level lines of one length, columns between the white stripes of their text.
    fn striped(ys: Vec<f32>, xs: Vec<f32>) -> Self {
        let cells = (0..(ys.len() - 1) * (xs.len() - 1)).collect();
        Self { xs, ys, cells }
    }

    fn columns(&self) -> usize {
        self.xs.len() - 1
    }

    fn cell(&self, word: &Word) -> Option<usize> {
        let (x, y) = ((word.x0 + word.x1) / 2.0, word.y - 0.3 * word.size);
        let find = |edges: &[f32], at: f32| {
            let inside = *edges.first()? <= at && at < *edges.last()?;
            inside.then(|| edges.partition_point(|edge| *edge <= at) - 1)
        };
        Some(self.cells[find(&self.ys, y)? * self.columns() + find(&self.xs, x)?])
    }

    /// The grid on a page that is read from the right.
    pub fn mirrored(self, width: f32) -> Self {
        let columns = self.columns();
        let rows = self.ys.len() - 1;
        let mut sets = Sets::new(self.cells.len());
        for row in 0..rows {
            for column in 0..columns {
                let first = self.cells[row * columns + column];
                let (top, left) = (first / columns, first % columns);
                sets.join(row * columns + columns - 1 - column, top * columns + columns - 1 - left);
            }
        }
        let cells = (0..self.cells.len()).map(|cell| sets.first(cell)).collect();
        Self { xs: self.xs.iter().rev().map(|x| width - x).collect(), ys: self.ys, cells }
    }

    /// The table of the words within, which are taken out of `spans`; a span of no words holds its place.
    fn fill(&self, spans: &mut Vec<Span>, number: usize) -> Option<Table> {
        let columns = self.columns();
        let rows = self.ys.len() - 1;
        let mut words: Vec<Vec<Word>> = vec![Vec::new(); rows * columns];
        for word in spans.iter().flat_map(|span| &span.words) {
            if let Some(cell) = self.cell(word) {
                words[cell].push(word.clone());
            }
        }
        let mut covers = vec![((usize::MAX, 0), (usize::MAX, 0)); rows * columns];
        for (index, first) in self.cells.iter().enumerate() {
            let (row, column) = (index / columns, index % columns);
            let ((top, bottom), (left, right)) = covers[*first];
            covers[*first] = ((top.min(row), bottom.max(row + 1)), (left.min(column), right.max(column + 1)));
        }
        let mut table = Table { cells: Vec::new(), rows, columns, lines: Vec::new() };
        for (words, (rows, columns)) in words.into_iter().zip(covers) {
            if rows.0 == usize::MAX || words.is_empty() {
                continue;
            }
            let from = table.lines.len();
            table.lines.extend(columns::lines(words::spans(words)));
            table.cells.push(Cell { rows, columns, lines: (from, table.lines.len()) });
        }
        let all = self.cells.iter().enumerate().filter(|(index, first)| index == *first).count();
        let filled = table.cells.len();
        let long = table.cells.iter().any(|cell| cell.lines.1 - cell.lines.0 > MAX_CELL_LINES);
        let few = filled < MIN_FILLED || (filled as f32) < MIN_SHARE * all as f32;
        if few || long || self.has_rows_within(&table) {
            return None;
        }
        for span in spans.iter_mut() {
            span.words.retain(|word| self.cell(word).is_none());
        }
        spans.retain(|span| !span.words.is_empty() || span.table.is_some());
        let (x0, x1, y) = (self.xs[0], self.xs[columns], self.ys[0] + 1.0);
        spans.push(Span { words: Vec::new(), x0, x1, y, size: 10.0, plain: false, table: Some(number) });
        Some(table)
    }
}

impl Grid {
    /// Whether most of a table stands between two of its lines, row below row: the lines are those of its head then.
    fn has_rows_within(&self, table: &Table) -> bool {
        (0..table.rows).any(|row| {
            let cells = || table.cells.iter().filter(|cell| cell.rows == (row, row + 1));
            // By baseline: how many cells have text there, and how many of them text that is not broken there.
            let mut lines: Vec<(f32, usize, usize)> = Vec::new();
            let mut all = 0;
            for cell in cells() {
                let width = self.xs[cell.columns.1] - self.xs[cell.columns.0];
                for line in &table.lines[cell.lines.0..cell.lines.1] {
                    let whole =
                        line.x1 - line.x0 < 0.6 * width || line.text().contains(|c: char| c.is_ascii_digit());
                    all += 1;
                    match lines.iter().position(|(y, ..)| (y - line.y).abs() < NEAR) {
                        Some(at) => {
                            lines[at].1 += 1;
                            lines[at].2 += usize::from(whole);
                        }
                        None => lines.push((line.y, 1, usize::from(whole))),
                    }
                }
            }
            let columns = cells().count();
            let row = |(_, count, whole): &&(f32, usize, usize)| {
                *count >= 2 && count * 10 >= columns * 6 && whole * 2 >= *count
            };
            2 * all > table.lines.len() && lines.iter().filter(row).count() >= 3
        })
    }
}

/// Places in order, those close to each other as one, with both ends.
fn places(of: impl Iterator<Item = f32>, ends: [f32; 2]) -> Vec<f32> {
    let mut all: Vec<f32> = of.collect();
    all.sort_by(f32::total_cmp);
    all.dedup_by(|next, last| *next - *last <= NEAR);
    if all.first().is_some_and(|first| ends[0] < first - OPEN) {
        all.insert(0, ends[0]);
    }
    if all.last().is_some_and(|last| ends[1] > last + OPEN) {
        all.push(ends[1]);
    }
    all
}

/// Takes the tables out of a page's spans.
pub(super) fn tables(spans: &mut Vec<Span>, grids: &[Grid], loose: &[Rule]) -> Vec<Table> {
    let mut tables = Vec::new();
    for grid in grids {
        tables.extend(grid.fill(spans, tables.len()));
    }
    for grid in striped(spans, loose) {
        tables.extend(grid.fill(spans, tables.len()));
    }
    tables
}

/// Grids of level lines alone.
fn striped(spans: &[Span], loose: &[Rule]) -> Vec<Grid> {
    let mut level = joined(loose.iter().copied());
    level.sort_by(|a, b| a.from.total_cmp(&b.from).then(a.at.total_cmp(&b.at)));
    let mut out = Vec::new();
    let mut start = 0;
    while start < level.len() && out.len() < MAX_GRIDS {
        let first = level[start];
        let alike = |rule: &&Rule| (rule.from - first.from).abs() < NEAR && (rule.to - first.to).abs() < NEAR;
        let end = start + level[start..].iter().take_while(alike).count();
        let ys: Vec<f32> = level[start..end].iter().map(|rule| rule.at).collect();
        if (4..MAX_SIDE).contains(&ys.len()) {
            out.extend(stripes(spans, first, ys));
        }
        start = end;
    }
    out
}

/// Columns of the text between level lines, if each row is one.
fn stripes(spans: &[Span], rule: Rule, ys: Vec<f32>) -> Option<Grid> {
    let (top, bottom) = (ys[0], ys[ys.len() - 1]);
    let between = |span: &&Span| (top..bottom).contains(&(span.y - 0.3 * span.size));
    // Lines across which text runs at their ends part sections of a page.
    let ends = |span: &Span| (span.x0 < rule.from - NEAR, span.x1 > rule.to + NEAR);
    let overlaps = |span: &Span| span.x0 < rule.to && span.x1 > rule.from;
    if spans.iter().filter(between).any(|span| overlaps(span) && ends(span) != (false, false)) {
        return None;
    }
    let (inside, outside): (Vec<&Span>, Vec<&Span>) =
        spans.iter().filter(between).partition(|span| ends(span) == (false, false));
    // Lines below a column of figures are no table of their own: its rows begin or go on beside them.
    let goes_on = |span: &&&Span| outside.iter().any(|other| (other.y - span.y).abs() < SAME_LINE);
    if inside.iter().filter(goes_on).count() * 2 >= inside.len() {
        return None;
    }
    let mut areas: Vec<(f32, f32)> = inside.iter().map(|span| (span.x0, span.x1)).collect();
    areas.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut columns: Vec<(f32, f32)> = Vec::new();
    for (x0, x1) in areas {
        match columns.last_mut() {
            Some(last) if x0 < last.1 + 3.0 => last.1 = last.1.max(x1),
            _ => columns.push((x0, x1)),
        }
    }
    if columns.len() < 2 {
        return None;
    }
    // Several base lines on which several columns have text are several rows.
    for row in ys.windows(2) {
        let mut lines: Vec<(f32, usize)> = Vec::new();
        for span in inside.iter().filter(|span| span.y > row[0] && span.y <= row[1] + 0.3 * span.size) {
            match lines.iter().position(|(y, _)| (y - span.y).abs() < SAME_LINE) {
                Some(at) => lines[at].1 += 1,
                None if lines.len() < MAX_CELL_LINES => lines.push((span.y, 1)),
                None => return None,
            }
        }
        let full = lines.iter().filter(|(_, count)| *count == columns.len()).count();
        if full > 2 || full == 2 && columns.len() > 2 {
            return None;
        }
    }
    let mut xs = vec![rule.from.min(columns[0].0)];
    xs.extend(columns.windows(2).map(|pair| (pair[0].1 + pair[1].0) / 2.0));
    xs.push(rule.to.max(columns[columns.len() - 1].1) + 0.1);
    Some(Grid::striped(ys, xs))
}

impl Table {
    /// One line for each row; a merged label stands in each of its rows and columns.
    pub fn text(&self, lines: &[Line]) -> String {
        let texts: Vec<String> = self
            .cells
            .iter()
            .map(|cell| {
                let words: Vec<String> = lines[cell.lines.0..cell.lines.1].iter().map(Line::text).collect();
                words.join(" ")
            })
            .collect();
        // Rows and columns in which nothing begins are parts of a drawing, or of a cell.
        let begins = |count: usize, of: fn(&Cell) -> usize| {
            let mut places = vec![None; count];
            self.cells.iter().for_each(|cell| places[of(cell)] = Some(0));
            for (number, place) in places.iter_mut().flatten().enumerate() {
                *place = number;
            }
            places
        };
        let rows = begins(self.rows, |cell| cell.rows.0);
        let columns = begins(self.columns, |cell| cell.columns.0);
        let range = |places: &[Option<usize>], (from, to): (usize, usize)| -> Vec<usize> {
            places[from..to].iter().filter_map(|place| *place).collect()
        };
        let all: usize = texts.iter().map(String::len).sum();
        let spread = |cell: &Cell| range(&rows, cell.rows).len() * range(&columns, cell.columns).len();
        let repeated: usize =
            self.cells.iter().zip(&texts).map(|(cell, text)| text.len() * spread(cell)).sum();
        let repeats = repeated <= MAX_REPEATED * all.max(1);
        let width = columns.iter().flatten().count();
        let mut out = vec![vec![String::new(); width]; rows.iter().flatten().count()];
        let mut bars = vec![false; out.len()];
        for (cell, text) in self.cells.iter().zip(&texts) {
            let (down, across) = (range(&rows, cell.rows), range(&columns, cell.columns));
            let whole = across.len() == width && width > 1;
            let once = whole || !repeats;
            for row in down.iter().take(if once { 1 } else { down.len() }) {
                bars[*row] |= whole;
                for column in across.iter().take(if once { 1 } else { across.len() }) {
                    out[*row][*column].clone_from(text);
                }
            }
        }
        let row = |(row, bar): (Vec<String>, bool)| if bar { row.concat() } else { row.join(" | ") };
        let rows: Vec<String> = out.into_iter().zip(bars).map(row).collect();
        rows.iter().map(|row| row.trim()).collect::<Vec<_>>().join("\n")
    }
}

/// Sets that are joined.
struct Sets(Vec<usize>);

impl Sets {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// The first member of the set of `one`.
    fn first(&mut self, one: usize) -> usize {
        let mut at = one;
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        let (least, most) = (a.min(b), a.max(b));
        self.0[most] = least;
    }
}
