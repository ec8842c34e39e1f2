//! Columns: spans in reading order, and lines within a column.

use super::lattice::Table;
use super::words::Span;

/// Deepest nesting of columns within columns.
const MAX_DEPTH: usize = 4;
/// Left edges tried as a column's on one page.
const EDGES: usize = 32;
/// Fewest spans of a column.
const MIN_COLUMN_SPANS: usize = 3;
/// Rows of a column that is known by its height alone.
const LONG: usize = 12;
/// Share of rows without a neighbour from which two such columns are not one table.
const APART: f32 = 0.4;

/// Spans on one baseline within a column, from left to right. More than one when wide gaps part them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub cells: Vec<Span>,
    pub x0: f32,
    pub x1: f32,
    pub y: f32,
    pub size: f32,
}

impl Line {
    fn of(mut cells: Vec<Span>) -> Self {
        cells.sort_by(|a, b| a.x0.total_cmp(&b.x0));
        let x0 = cells.iter().fold(f32::MAX, |x, cell| x.min(cell.x0));
        let x1 = cells.iter().fold(f32::MIN, |x, cell| x.max(cell.x1));
        let main = cells.iter().max_by(|a, b| (a.x1 - a.x0).total_cmp(&(b.x1 - b.x0)));
        let (y, size) = main.map_or((0.0, 1.0), |cell| (cell.y, cell.size));
        Self { cells, x0, x1, y, size }
    }

    pub fn text(&self) -> String {
        let mut out = String::new();
        for cell in &self.cells {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(&cell.text());
        }
        out
    }

    /// The share of characters for which `is` holds.
    pub fn share(&self, is: impl Fn(&super::words::Word) -> bool) -> f32 {
        let (mut all, mut those) = (0, 0);
        for word in self.cells.iter().flat_map(|cell| &cell.words) {
            all += word.text.len();
            those += if is(word) { word.text.len() } else { 0 };
        }
        those as f32 / all.max(1) as f32
    }
}

/// A part of the page that is read from top to bottom.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Region {
    pub lines: Vec<Line>,
    /// The table that it is; the lines are its cells' then.
    pub table: Option<Table>,
}

/// The parts of a page in reading order; spans without words hold the places of `tables`.
pub(super) fn regions(spans: Vec<Span>, mut tables: Vec<Table>) -> Vec<Region> {
    let mut parts = Vec::new();
    split(spans, 0, &mut parts);
    let mut out = Vec::new();
    for part in parts {
        let mut lines = Vec::new();
        for line in part.lines {
            let Some(number) = line.cells[0].table else {
                lines.push(line);
                continue;
            };
            if !lines.is_empty() {
                out.push(Region { lines: std::mem::take(&mut lines), table: None });
            }
            let mut table = std::mem::take(&mut tables[number]);
            out.push(Region { lines: std::mem::take(&mut table.lines), table: Some(table) });
        }
        if !lines.is_empty() {
            out.push(Region { lines, table: None });
        }
    }
    out
}

fn split(mut spans: Vec<Span>, depth: usize, out: &mut Vec<Region>) {
    spans.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.x0.total_cmp(&b.x0)));
    if depth < MAX_DEPTH
        && let Some(edge) = best_edge(&spans)
    {
        let mut plain = Vec::new();
        for strip in strips(&spans, edge) {
            if strip.is_columns() {
                push_region(std::mem::take(&mut plain), out);
                split(strip.left.into_iter().cloned().collect(), depth + 1, out);
                split(strip.right.into_iter().cloned().collect(), depth + 1, out);
            } else {
                plain.extend(strip.left.into_iter().cloned());
                plain.extend(strip.right.into_iter().cloned());
            }
            plain.extend(strip.below.into_iter().cloned());
        }
        push_region(plain, out);
    } else {
        push_region(spans, out);
    }
}

fn push_region(spans: Vec<Span>, out: &mut Vec<Region>) {
    if !spans.is_empty() {
        out.push(Region { lines: lines(spans), table: None });
    }
}

/// Spans that share a baseline become one line.
pub(super) fn lines(mut spans: Vec<Span>) -> Vec<Line> {
    spans.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.x0.total_cmp(&b.x0)));
    let mut lines = Vec::new();
    let mut open: Vec<Span> = Vec::new();
    for span in spans {
        let joins = open.first().is_some_and(|first| {
            let level = span.y - first.y < 0.35 * first.size.min(span.size);
            level
                && span.table.is_none()
                && first.table.is_none()
                && open.iter().all(|other| {
                    span.x0 >= other.x1 - 0.3 * span.size || span.x1 <= other.x0 + 0.3 * span.size
                })
        });
        if !joins && !open.is_empty() {
            lines.push(Line::of(std::mem::take(&mut open)));
        }
        open.push(span);
    }
    if !open.is_empty() {
        lines.push(Line::of(open));
    }
    lines
}

/// Left edge of a right-hand column: the one that puts most spans into columns, if any does.
fn best_edge(spans: &[Span]) -> Option<f32> {
    if spans.len() < 2 * MIN_COLUMN_SPANS {
        return None;
    }
    let mut edges: Vec<f32> = spans.iter().map(|span| span.x0).collect();
    edges.sort_by(f32::total_cmp);
    let mut clusters: Vec<(f32, usize)> = Vec::new();
    for edge in edges {
        match clusters.last_mut() {
            Some((first, count)) if edge - *first <= 3.0 => *count += 1,
            _ => clusters.push((edge, 1)),
        }
    }
    clusters.retain(|(_, count)| *count >= MIN_COLUMN_SPANS);
    // The leftmost edge has nothing to its left.
    let start = clusters.first()?.0;
    clusters.retain(|(edge, _)| *edge > start + 20.0);
    clusters.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.total_cmp(&b.0)));
    clusters.truncate(EDGES);
    let mut best: Option<(usize, f32)> = None;
    for (edge, _) in clusters {
        let score: usize = strips(spans, edge)
            .iter()
            .filter(|strip| strip.is_columns())
            .map(|strip| strip.left.len() + strip.right.len())
            .sum();
        // Of two edges as good as each other the left one, so that columns come off from left to right.
        let better = best.is_none_or(|(most, at)| score > most || score == most && edge < at);
        if score > 0 && better {
            best = Some((score, edge));
        }
    }
    best.map(|(_, edge)| edge)
}

/// What lies to the left and to the right of an edge, down to spans that cross it.
#[derive(Default)]
struct Strip<'s> {
    left: Vec<&'s Span>,
    right: Vec<&'s Span>,
    below: Vec<&'s Span>,
}

fn strips(spans: &[Span], edge: f32) -> Vec<Strip<'_>> {
    let mut out = vec![Strip::default()];
    for span in spans {
        let gap = 0.5 * span.size;
        let open = out.len() - 1;
        if span.x0 >= edge - 2.0 {
            reopen(&mut out, open).right.push(span);
        } else if span.x1 <= edge - gap {
            reopen(&mut out, open).left.push(span);
        } else {
            out[open].below.push(span);
        }
    }
    out
}

fn reopen<'r, 's>(strips: &'r mut Vec<Strip<'s>>, open: usize) -> &'r mut Strip<'s> {
    if strips[open].below.is_empty() {
        return &mut strips[open];
    }
    strips.push(Strip::default());
    let last = strips.len() - 1;
    &mut strips[last]
}

impl Strip<'_> {
    /// Whether both sides are running text side by side, rather than the cells of a table or marks beside a list.
    fn is_columns(&self) -> bool {
        let (Some(left), Some(right)) = (Side::measure(&self.left), Side::measure(&self.right)) else {
            return false;
        };
        let overlap = left.bottom.min(right.bottom) - left.top.max(right.top);
        let shorter = (left.bottom - left.top).min(right.bottom - right.top);
        if overlap < 0.5 * shorter || left.right >= right.left {
            return false;
        }
        // The columns of a listing are one text.
        if left.mono > 0.8 && right.mono > 0.8 {
            return false;
        }
        let prose = |side: &Side| {
            side.rows.len() >= MIN_COLUMN_SPANS
                && side.fill >= 0.55
                && side.words >= 3.0
                && side.width >= 60.0
        };
        let long = |side: &Side| side.rows.len() >= LONG && side.fill >= 0.3 && side.width >= 90.0;
        prose(&left) && prose(&right) || long(&left) && long(&right) && left.apart(&right) > APART
    }
}

/// Measures of one side of an edge.
struct Side {
    /// Baselines.
    rows: Vec<f32>,
    /// Share of characters of one width.
    mono: f32,
    /// Mean width of a row as a share of the side's.
    fill: f32,
    /// Mean words of a row.
    words: f32,
    width: f32,
    left: f32,
    right: f32,
    top: f32,
    bottom: f32,
}

impl Side {
    fn measure(spans: &[&Span]) -> Option<Self> {
        let (first, last) = (spans.first()?, spans.last()?);
        let left = spans.iter().fold(f32::MAX, |x, span| x.min(span.x0));
        let right = spans.iter().fold(f32::MIN, |x, span| x.max(span.x1));
        let mut rows: Vec<f32> = Vec::new();
        let (mut fill, mut words, mut mono) = (0.0, 0_usize, 0_usize);
        for span in spans {
            if rows.last().is_none_or(|y| span.y - y > 0.35 * span.size) {
                rows.push(span.y);
            }
            fill += span.x1 - span.x0;
            words += span.words.len();
            mono += span.words.iter().filter(|word| word.mono).count();
        }
        let width = (right - left).max(1.0);
        let count = rows.len() as f32;
        Some(Self {
            rows,
            mono: mono as f32 / words.max(1) as f32,
            fill: fill / width / count,
            words: words as f32 / count,
            width,
            left,
            right,
            top: first.y,
            bottom: last.y,
        })
    }

    /// The share of rows here that have no row beside them: cells share their baselines, columns do not.
    fn apart(&self, other: &Self) -> f32 {
        let beside = |y: &f32| {
            let at = other.rows.partition_point(|row| *row < y - 1.0);
            other.rows.get(at).is_some_and(|row| *row <= y + 1.0)
        };
        let alone = self.rows.iter().filter(|y| !beside(y)).count();
        alone as f32 / self.rows.len().max(1) as f32
    }
}
