//! Tables whose rows have numbers of their own: each row is a paragraph that can be cited by its number.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use documents::Block;
use regex::Regex;

use super::{Open, Reading};

/// Rows with a number, of all rows, from which on a table is one of numbered rows: of so many hundredths.
const NUMBERED: usize = 50;
/// Words that a row says at least, beside its number.
const WORDS: usize = 3;

/// `6.2.1`, `V6.2.1`, `AC-2`, `AC-2(1)`: a number of several parts, or one behind letters.
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:[A-Z]{0,5}[0-9]{1,4}(?:\.[0-9]{1,4})+|[A-Z]{1,5}-[0-9]{1,4}(?:[.-][0-9]{1,4})*(?:\([0-9]{1,3}\))?)$",
    )
    .ok()
});

/// A row: its number, and what it says.
struct Row<'t> {
    number: &'t str,
    says: String,
}

impl Reading<'_> {
    /// Takes a table whose rows are numbered. Lines without a number of their own are taken as any other table.
    pub(super) fn numbered_rows(&mut self, block: &Block, text: &str) -> bool {
        let rows: Vec<(&str, Option<Row<'_>>)> = text.lines().map(|line| (line, row(line))).collect();
        let mut numbers: Vec<&str> =
            rows.iter().filter_map(|(_, row)| row.as_ref()).map(|row| row.number).collect();
        let found = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        if found < 2 || numbers.len() < found || found * 100 < rows.len() * NUMBERED {
            return false;
        }
        let mut other: Vec<&str> = Vec::new();
        for (line, row) in rows {
            let Some(row) = row else {
                other.push(line);
                continue;
            };
            self.other_rows(block, &mut other);
            let empty = BTreeMap::new();
            let section = row.number.rsplit_once('.').map_or("", |(head, _)| head).to_owned();
            let section = Some(section).filter(|section| !section.is_empty());
            let draft = self.push(block, row.number.to_owned(), "", &row.says, section, &empty);
            let kind = self.drafts[draft].paragraph.kind.clone();
            // What follows the table is no part of its last row.
            self.open = Some(Open {
                draft: Some(draft),
                id: row.number.to_owned(),
                kind,
                numbered: false,
                variables: empty,
                levels: Vec::new(),
            });
        }
        self.other_rows(block, &mut other);
        self.open = None;
        true
    }

    fn other_rows(&mut self, block: &Block, lines: &mut Vec<&str>) {
        if !lines.is_empty() {
            // The names of columns belong to no row.
            self.open = None;
            self.unnumbered(block, &std::mem::take(lines).join("\n"));
        }
    }
}

fn row(line: &str) -> Option<Row<'_>> {
    let (first, rest) = line.split_once(" | ")?;
    let first = first.trim().trim_end_matches('.');
    let number = NUMBER.as_ref().filter(|number| number.is_match(first)).map(|_| first)?;
    let cells: Vec<&str> = rest.split(" | ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    let words =
        |cell: &&str| cell.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
    let says = cells.iter().map(words).max().is_some_and(|most| most >= WORDS);
    says.then(|| Row { number, says: cells.join(" | ") })
}
