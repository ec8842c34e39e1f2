//! Tables.

use crate::body::{Surroundings, Writer};
use crate::census::plain;
use crate::xml::{is_right_to_left, put, within_limit};
use crate::{Cell, DocxError, Table, TableAlignment};

/// The width of the text between the margins, in twentieths of a point.
pub(crate) const TEXT_WIDTH: usize = 9_026;
/// What a character of a table's text takes at most on average, and what stands beside a cell's text.
const CHAR_WIDTH: usize = 115;
const CELL_MARGINS: usize = 240;
/// A text longer than this is wrapped.
const MAX_LINE_CHARS: usize = 60;
/// A word longer than this is broken.
const MAX_WORD_CHARS: usize = 24;
/// The rows of a table that stays on one page.
const MAX_WHOLE_ROWS: usize = 8;
/// A row with a longer text may go on on the next page.
const MAX_WHOLE_CHARS: usize = 1_000;

impl<'d> Writer<'d> {
    /// A table, with a small space behind it that keeps it apart from the next.
    pub(crate) fn table(&mut self, table: &'d Table, at: Surroundings) -> Result<(), DocxError> {
        let rows = std::iter::once(&table.header).chain(&table.rows);
        let columns = rows.map(Vec::len).max().unwrap_or(0);
        if columns == 0 {
            return Ok(());
        }
        let widths = widths(table, columns, TEXT_WIDTH - at.indent);
        let first_row = u8::from(!table.header.is_empty());
        put!(
            self.out,
            "<w:tbl><w:tblPr><w:tblStyle w:val=\"TableGrid\"/><w:tblW w:w=\"{}\" w:type=\"dxa\"/><w:tblInd w:w=\"{}\" w:type=\"dxa\"/>\
             <w:tblLook w:val=\"04{}0\" w:firstRow=\"{first_row}\" w:lastRow=\"0\" w:firstColumn=\"0\" w:lastColumn=\"0\" \
             w:noHBand=\"0\" w:noVBand=\"1\"/></w:tblPr><w:tblGrid>",
            widths.iter().sum::<usize>(),
            at.indent,
            2 * first_row
        );
        for width in &widths {
            put!(self.out, "<w:gridCol w:w=\"{width}\"/>");
        }
        self.out.push_str("</w:tblGrid>");
        let count = table.rows.len();
        if !table.header.is_empty() {
            self.row(&table.header, table, &widths, RowKind::Head)?;
        }
        let whole = self.change;
        for (at, row) in table.rows.iter().enumerate() {
            self.change = whole.or_else(|| table.changes.get(&at).copied());
            // A short table stays on one page; of a long one, two rows stand below its head and two at its end.
            let is_kept = at + 1 < count && (count <= MAX_WHOLE_ROWS || at == 0 || at + 2 == count);
            let kind = if is_kept { RowKind::Kept } else { RowKind::Body };
            self.row(row, table, &widths, kind)?;
        }
        self.change = whole;
        self.out.push_str(
            "</w:tbl><w:p><w:pPr><w:spacing w:before=\"0\" w:after=\"120\" w:line=\"120\" w:lineRule=\"exact\"/></w:pPr></w:p>",
        );
        Ok(())
    }

    fn row(
        &mut self,
        row: &'d [Cell],
        table: &Table,
        widths: &[usize],
        kind: RowKind,
    ) -> Result<(), DocxError> {
        let (properties, shade, style) = match kind {
            RowKind::Head => (
                "<w:cantSplit/><w:tblHeader/>",
                "<w:shd w:val=\"clear\" w:color=\"auto\" w:fill=\"EDF1F5\"/>",
                "TableHeading",
            ),
            RowKind::Body | RowKind::Kept if is_long(row) => ("", "", "TableText"),
            RowKind::Body | RowKind::Kept => ("<w:cantSplit/>", "", "TableText"),
        };
        let keep = if kind == RowKind::Kept { "<w:keepNext/>" } else { "" };
        let change = self.change.map(|change| format!("<{}/>", self.revision(change))).unwrap_or_default();
        self.out.push_str("<w:tr>");
        if !properties.is_empty() || !change.is_empty() {
            put!(self.out, "<w:trPr>{properties}{change}</w:trPr>");
        }
        for (column, width) in widths.iter().enumerate() {
            let cell = row.get(column);
            let runs = cell.map(|cell| cell.runs.as_slice()).unwrap_or_default();
            let direction = if is_right_to_left(&plain(runs)) { "<w:bidi/>" } else { "" };
            let side = match table.alignments.get(column).copied().unwrap_or_default() {
                TableAlignment::Start => "",
                TableAlignment::Center => "<w:jc w:val=\"center\"/>",
                TableAlignment::End => "<w:jc w:val=\"right\"/>",
            };
            put!(
                self.out,
                "<w:tc><w:tcPr><w:tcW w:w=\"{width}\" w:type=\"dxa\"/>{shade}</w:tcPr>\
                 <w:p><w:pPr><w:pStyle w:val=\"{style}\"/>{keep}{direction}{side}</w:pPr>"
            );
            let (open, close) = self.place(cell.and_then(|cell| cell.place.as_deref()));
            self.out.push_str(&open);
            self.runs(runs)?;
            self.out.push_str(&close);
            self.out.push_str("</w:p></w:tc>");
        }
        self.out.push_str("</w:tr>");
        within_limit(self.out.len())
    }
}

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowKind {
    Head,
    Body,
    /// Stays on a page with the next one.
    Kept,
}

fn is_long(row: &[Cell]) -> bool {
    row.iter().any(|cell| plain(&cell.runs).chars().count() > MAX_WHOLE_CHARS)
}

/// The widths that a column's text asks for.
#[derive(Debug, Clone, Copy)]
struct WidthRequest {
    /// So that no word is broken.
    least: usize,
    /// So that no text is wrapped.
    whole: usize,
}

/// Shares a width among the columns: each has room for its longest word, and what is left goes to those that have long texts.
fn widths(table: &Table, columns: usize, width: usize) -> Vec<usize> {
    let mut demands = vec![WidthRequest { least: CELL_MARGINS, whole: CELL_MARGINS }; columns];
    for row in std::iter::once(&table.header).chain(&table.rows) {
        for (demand, cell) in demands.iter_mut().zip(row) {
            let text = plain(&cell.runs);
            let word = text.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0);
            let needed = |chars: usize, most: usize| chars.min(most) * CHAR_WIDTH + CELL_MARGINS;
            demand.least = demand.least.max(needed(word, MAX_WORD_CHARS));
            demand.whole = demand.whole.max(needed(text.chars().count(), MAX_LINE_CHARS));
        }
    }
    let sum = |of: fn(&WidthRequest) -> usize| demands.iter().map(of).sum::<usize>().max(1);
    let (least, whole) = (sum(|demand| demand.least), sum(|demand| demand.whole));
    match (least > width, whole > width) {
        (true, _) => {
            let words: Vec<f64> = demands.iter().map(|demand| demand.least as f64).collect();
            broken_widths(&words, width as f64).into_iter().map(|width| width as usize).collect()
        }
        (false, false) => demands.iter().map(|demand| width * demand.whole / whole).collect(),
        (false, true) => {
            let first = shared(&demands, width, least);
            let second: Vec<usize> = demands
                .iter()
                .map(|one| one.least + (width - least) * (one.whole - one.least) / (whole - least).max(1))
                .collect();
            if lines(table, &second) < lines(table, &first) { second } else { first }
        }
    }
}

/// About how many lines the rows of a table have.
fn lines(table: &Table, widths: &[usize]) -> usize {
    let needs = |(cell, width): (&Cell, &usize)| {
        (plain(&cell.runs).chars().count() * CHAR_WIDTH).div_ceil(width.saturating_sub(CELL_MARGINS).max(1))
    };
    table.rows.iter().map(|row| row.iter().zip(widths).map(needs).max().unwrap_or(0).max(1)).sum()
}

/// The widths of columns whose words, `words` wide at the most, do not all fit: a column for which a fair share is enough, such as one
/// of figures, has room for its words; the others are as much too narrow as each other.
pub fn broken_widths(words: &[f64], width: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..words.len()).collect();
    order.sort_by(|one, other| words[*one].total_cmp(&words[*other]));
    let mut shares: Vec<Option<f64>> = vec![None; words.len()];
    let (mut free, mut left) = (width, words.len());
    for column in order {
        if words[column] > free / left as f64 {
            break;
        }
        shares[column] = Some(words[column]);
        (free, left) = (free - words[column], left - 1);
    }
    let open = words.iter().zip(&shares).filter(|(_, share)| share.is_none());
    let rest = open.map(|(word, _)| word).sum::<f64>();
    words.iter().zip(&shares).map(|(word, share)| share.unwrap_or_else(|| free * word / rest)).collect()
}

/// The widths of columns that cannot all have their texts on a line: those that fit into a fair share keep them there, the
/// others share what is left. `least` is the sum of what all need at least.
fn shared(demands: &[WidthRequest], width: usize, least: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..demands.len()).collect();
    order.sort_by_key(|column| demands[*column].whole);
    let mut shares: Vec<Option<usize>> = vec![None; demands.len()];
    let (mut free, mut words, mut left) = (width, least, demands.len());
    for column in order {
        let demand = demands[column];
        if demand.whole > free / left || free - demand.whole < words - demand.least {
            break;
        }
        shares[column] = Some(demand.whole);
        (free, words, left) = (free - demand.whole, words - demand.least, left - 1);
    }
    let open = demands.iter().zip(&shares).filter(|(_, share)| share.is_none());
    let wish = open.map(|(demand, _)| demand.whole - demand.least).sum::<usize>().max(1);
    let wanted = |demand: &WidthRequest| demand.least + (free - words) * (demand.whole - demand.least) / wish;
    demands.iter().zip(&shares).map(|(demand, share)| share.unwrap_or_else(|| wanted(demand))).collect()
}
