//! Tables as text (CSV, TSV): one paragraph for each row, which names the columns, so that a row says what it means wherever it is
//! quoted.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

use crate::output::{Output, clean};
use crate::{Block, BlockKind, BlockPosition, Document, Limits, ReadError};

/// What may stand between cells, the likeliest first.
const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];

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
    let Some((line, first)) = records.next() else { return Ok(output.finish()) };
    let names = is_header(&first).then_some(first.as_slice());
    if names.is_none() {
        push(&mut output, &[], &first, line)?;
    }
    for (line, cells) in &mut records {
        push(&mut output, names.unwrap_or_default(), &cells, line)?;
    }
    if output.document.blocks.is_empty() {
        // Names of columns without a row below them are all that the file says.
        push(&mut output, &[], &first, line)?;
    }
    if records.unclosed.is_some() {
        let what = "a quotation mark is not closed: everything behind it was read as one cell";
        output.note(BlockPosition { page: None, line: records.unclosed }, what);
    }
    Ok(output.finish())
}

/// A row as a sentence: `Supplier: Acme; Country: Germany`. Empty cells are left out.
pub(crate) fn push(
    output: &mut Output<'_>,
    names: &[String],
    cells: &[String],
    line: u32,
) -> Result<(), ReadError> {
    let filled = cells.iter().enumerate().filter(|(_, cell)| !cell.trim().is_empty());
    let parts: Vec<String> = filled
        .map(|(at, cell)| match names.get(at).map(|name| name.trim()).filter(|name| !name.is_empty()) {
            Some(name) => format!("{name}: {cell}"),
            None => cell.clone(),
        })
        .collect();
    let (text, invisible) = clean(&parts.join("; "));
    output.removed(invisible);
    output.push(Block::new(BlockKind::Paragraph, text, BlockPosition { page: None, line: Some(line) }))
}

/// The text behind a first line `sep=;`, as some programs write it, and what stands between cells: that sign, or the one that the first
/// row has most often.
fn delimited(text: &str) -> (&str, char) {
    if let Some(named) = text.strip_prefix("sep=") {
        let (line, rest) = named.split_once('\n').unwrap_or((named, ""));
        if let Some(sign) = line.trim_end_matches('\r').chars().next() {
            return (rest, sign);
        }
    }
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut quoted = false;
    for c in text.chars().take_while(|c| *c != '\n') {
        quoted ^= c == '"';
        if let Some(at) = DELIMITERS.iter().position(|sign| *sign == c && !quoted) {
            counts[at] += 1;
        }
    }
    let most = (0..DELIMITERS.len()).rev().max_by_key(|&at| counts[at]).unwrap_or_default();
    (text, DELIMITERS[most])
}

/// Whether a first row names the columns: several different words, none of them a number.
pub(crate) fn is_header(cells: &[String]) -> bool {
    let names: Vec<&str> = cells.iter().map(|cell| cell.trim()).filter(|cell| !cell.is_empty()).collect();
    let distinct: std::collections::BTreeSet<&str> = names.iter().copied().collect();
    names.len() > 1
        && distinct.len() == names.len()
        && names.iter().all(|name| {
            name.chars().any(char::is_alphabetic) && !name.starts_with(|c: char| c.is_ascii_digit())
        })
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
        cells.push(cell);
        self.rest = &self.rest[end..];
        Some((begin, cells))
    }
}
