//! Tables as text (CSV, TSV).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use crate::output::Output;
use crate::rows::{Row, Rows};
use crate::{BlockPosition, Document, Limits, ReadError};

/// What may stand between cells, the likeliest first.
const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];
/// Records, and bytes of them at most, by which the delimiter is found.
const SAMPLE_RECORDS: usize = 100;
const SAMPLE_BYTES: usize = 64 << 10;

/// Reads a file of rows.
pub(crate) fn read(bytes: &[u8], limits: &Limits, cancel: &AtomicBool) -> Result<Document, ReadError> {
    let mut output = Output::new(limits, cancel);
    // Some programs end lines as old machines did.
    let whole = match output.text(bytes, "CSV")? {
        text if text.contains('\n') => text,
        text => Cow::Owned(text.replace('\r', "\n")),
    };
    let (text, delimiter) = delimited(&whole);
    let line = 1 + u32::from(text.len() < whole.len());
    let mut records = Records { rest: text, delimiter, line, unclosed: None };
    let mut rows = Rows::new(BTreeSet::new());
    for (line, cells) in &mut records {
        rows.row(&mut output, Row::new(line, cells))?;
    }
    rows.end(&mut output)?;
    if records.unclosed.is_some() {
        let what = "a quotation mark is not closed: everything behind it was read as one cell";
        output.note(BlockPosition { page: None, line: records.unclosed }, what);
    }
    Ok(output.finish())
}

/// The text behind a first line `sep=;`, as some programs write it, and what stands between cells: that sign, or the one that
/// parts the most of the first records into the same number of cells.
fn delimited(text: &str) -> (&str, char) {
    if let Some(named) = text.strip_prefix("sep=") {
        let (line, rest) = named.split_once('\n').unwrap_or((named, ""));
        if let Some(sign) = line.trim_end_matches('\r').chars().next() {
            return (rest, sign);
        }
    }
    let sample = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
    let fit = |delimiter| {
        let records = Records { rest: sample, delimiter, line: 1, unclosed: None };
        let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
        for (_, cells) in records.take(SAMPLE_RECORDS) {
            *widths.entry(cells.len()).or_default() += 1;
        }
        widths.into_iter().filter(|(width, _)| *width > 1).map(|(width, times)| (times, width)).max()
    };
    let best = DELIMITERS.into_iter().rev().max_by_key(|delimiter| fit(*delimiter));
    (text, best.unwrap_or(','))
}

/// Rows with the line on which each begins. A cell in quotes may hold delimiters and line breaks; a quote in it is doubled.
struct Records<'a> {
    rest: &'a str,
    delimiter: char,
    line: u32,
    /// The line of a row with a cell whose quotes are not closed.
    unclosed: Option<u32>,
}

impl Iterator for Records<'_> {
    type Item = (u32, Vec<String>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let begin = self.line;
        let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
        let mut chars = self.rest.char_indices().peekable();
        let mut end = self.rest.len();
        while let Some((at, c)) = chars.next() {
            self.line = self.line.saturating_add(u32::from(c == '\n'));
            match c {
                '"' if quoted && chars.peek().is_some_and(|(_, next)| *next == '"') => {
                    chars.next();
                    cell.push('"');
                }
                '"' if quoted => quoted = false,
                '"' if cell.is_empty() => quoted = true,
                '\n' if !quoted => {
                    end = at + 1;
                    break;
                }
                c if c == self.delimiter && !quoted => cells.push(std::mem::take(&mut cell)),
                c => cell.push(c),
            }
        }
        if quoted {
            self.unclosed = Some(begin);
        }
        if cell.ends_with('\r') {
            cell.pop();
        }
        cells.push(cell);
        self.rest = &self.rest[end..];
        Some((begin, cells))
    }
}
