//! Sums that a table states, compared with its rows. Only where there is no doubt what is summed: one row named as the sum, at
//! the end, and numbers alone above it.

use crate::kinds::{Kind, kind, number};

/// What rows of sums are called.
const NAMES: [&str; 18] = [
    "total",
    "totals",
    "grand total",
    "sum",
    "summe",
    "gesamt",
    "gesamtsumme",
    "insgesamt",
    "somme",
    "total général",
    "totale",
    "suma",
    "итого",
    "合計",
    "合计",
    "总计",
    "총계",
    "total:",
];
/// Words of rows that are part of another row, or taken from one: where one stands the table is not judged.
const PARTIAL: [&str; 22] = [
    "total",
    "sum",
    "summe",
    "gesamt",
    "of which",
    "thereof",
    "davon",
    "darunter",
    "less",
    "net",
    "minus",
    "abzüglich",
    "average",
    "mean",
    "durchschnitt",
    "change",
    "difference",
    "variance",
    "saldo",
    "balance",
    "including",
    "dont",
];
/// Most rows that are added up.
const MAX_ROWS: usize = 2_000;
/// A difference of more than this share of the sum is another figure than a sum.
const MOST: f64 = 0.4;

/// A stated sum that its rows do not give.
#[derive(Debug, Clone, PartialEq)]
pub struct Misfit {
    /// The row of the sum, as it is named.
    pub name: String,
    /// The column.
    pub column: usize,
    /// The sum as it is stated.
    pub stated: String,
    /// What the rows add up to.
    pub added: String,
}

/// Rows in the making of a sum.
#[derive(Debug, Default)]
pub struct Sums {
    rows: Vec<Vec<String>>,
    over: bool,
}

impl Sums {
    /// Takes the next row below the names of columns.
    pub fn add(&mut self, cells: &[String]) {
        self.over |= self.rows.len() >= MAX_ROWS;
        if !self.over && cells.iter().any(|cell| !cell.trim().is_empty()) {
            self.rows.push(cells.to_vec());
        }
    }

    /// Says that rows can't be added up.
    pub fn spoil(&mut self) {
        self.over = true;
    }

    /// The sums that are not what the rows add up to.
    pub fn misfits(&self) -> Vec<Misfit> {
        let Some((last, rows)) = self.rows.split_last() else { return Vec::new() };
        let first = last.iter().position(|cell| !cell.trim().is_empty()).unwrap_or(0);
        let name = last.get(first).map_or("", |cell| cell.trim());
        let lower = name.to_lowercase();
        if self.over
            || rows.len() < 2
            || !NAMES.contains(&lower.as_str())
            || rows.iter().any(|row| is_partial(row))
        {
            return Vec::new();
        }
        let columns = first + 1..last.len();
        columns
            .filter_map(|column| {
                misfit(rows, last, column).map(|(stated, added)| Misfit {
                    name: name.to_owned(),
                    column,
                    stated,
                    added,
                })
            })
            .collect()
    }
}

/// Whether a line of a table, in small letters, is named as a sum.
pub fn is_sum(line: &str) -> bool {
    let first = line.split(" | ").map(str::trim).find(|cell| !cell.is_empty());
    first.is_some_and(|first| NAMES.contains(&first))
}

/// Whether a row is part of another, taken from one, or a heading within the table.
fn is_partial(row: &[String]) -> bool {
    let named = row.iter().any(|cell| {
        let lower = cell.to_lowercase();
        kind(cell) == Kind::Text
            && PARTIAL.iter().any(|word| {
                lower.split(|c: char| !c.is_alphanumeric()).any(|one| one == *word)
                    || word.contains(' ') && lower.contains(word)
            })
    });
    named || !row.iter().any(|cell| number(cell).is_some())
}

fn misfit(rows: &[Vec<String>], last: &[String], column: usize) -> Option<(String, String)> {
    let stated = last[column].trim();
    // Shares and years add up to nothing.
    if stated.contains('%')
        || kind(stated) == Kind::Year
            && stated.len() == 4
            && rows.iter().all(|row| row.get(column).is_some_and(|cell| kind(cell) == Kind::Year))
    {
        return None;
    }
    let sum = number(stated)?;
    let mut figures = Vec::with_capacity(rows.len());
    let mut places = decimals(stated);
    for row in rows {
        let cell = row.get(column).map_or("", |cell| cell.trim());
        if kind(cell) == Kind::Empty {
            continue;
        }
        if cell.contains('%') || matches!(kind(cell), Kind::Date) {
            return None;
        }
        figures.push(number(cell)?);
        places = places.max(decimals(cell));
    }
    if figures.len() < 2 || has_subtotal(&figures) {
        return None;
    }
    let added: f64 = figures.iter().sum();
    // Each figure may be rounded, and so may the sum.
    let step = 10_f64.powi(-(decimals(stated) as i32));
    let tolerance = step * (figures.len() as f64 + 1.0) * 0.5 + 1e-9 * sum.abs();
    let difference = (sum - added).abs();
    let judged = difference > tolerance && difference <= MOST * sum.abs().max(added.abs());
    judged.then(|| (stated.to_owned(), format!("{added:.places$}")))
}

fn decimals(cell: &str) -> usize {
    let digits = cell.trim_matches(|c: char| !c.is_ascii_digit());
    digits.rfind(['.', ',']).map(|at| digits.len() - at - 1).filter(|places| *places != 3).unwrap_or(0)
}

/// Whether a figure is the sum of neighbours before or behind it.
fn has_subtotal(figures: &[f64]) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= 0.005 * a.abs().max(b.abs()) + 1e-9;
    (0..figures.len()).any(|at| {
        let sums = |run: &mut dyn Iterator<Item = &f64>| {
            let (mut sum, mut count) = (0.0, 0);
            run.take(60).any(|figure| {
                sum += figure;
                count += 1;
                count > 1 && figures[at] != 0.0 && near(sum, figures[at])
            })
        };
        sums(&mut figures[..at].iter().rev()) || sums(&mut figures[at + 1..].iter())
    })
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn misfits(text: &str) -> Vec<(usize, String, String)> {
        let mut sums = Sums::default();
        text.lines().for_each(|line| sums.add(&line.split('|').map(str::to_owned).collect::<Vec<_>>()));
        sums.misfits().into_iter().map(|one| (one.column, one.stated, one.added)).collect()
    }

    #[test]
    fn a_sum_that_is_none_is_found_with_both_figures() {
        let found = |column, stated: &str, added: &str| vec![(column, stated.to_owned(), added.to_owned())];
        assert_eq!(misfits("Rent|100|5\nHeat|50|7\nTotal|160|12"), found(1, "160", "150"));
        assert_eq!(misfits("a|1.234,50\nb|100,00\nSumme|1.434,50"), found(1, "1.434,50", "1334.50"));
        assert_eq!(misfits("a|$ 1,000\nb|(200)\nTotals|$ 1,100"), found(1, "$ 1,100", "800"));
        assert_eq!(misfits("x|a|3\ny|b|4\n合計||10"), found(2, "10", "7"));
    }

    #[test]
    fn what_is_right_or_in_doubt_is_not_told() {
        for text in [
            "Rent|100\nHeat|50\nTotal|150",
            // Rounded figures.
            "a|33.3\nb|33.3\nc|33.3\nTotal|100.0",
            "a|0.4\nb|0.4\nc|0.4\nTotal|1",
            // Parts of other rows.
            "Germany|100\nBerlin|60\nMunich|40\nFrance|50\nTotal|150",
            "a|100\nof which b|60\nTotal|101",
            "Assets\na|100\nb|60\nTotal|161",
            "a|1\nb|2\nSubtotal|3\nTotal|4",
            "a|10\nb|2\nTotal a|12\nc|3\nd|4\nTotal|27",
            "Sales|100\nless discounts|-5\nTotal|96",
            // Shares, means, texts.
            "a|40%\nb|40%\nTotal|81%",
            "a|10\nb|12\nTotal|11",
            "a|1|x\nb|2|y\nTotal|3|z",
            "a|n.d.\nb|2\nTotal|3",
            "a|5\nTotal|6",
            "Total sales|5\nb|6\nc|13",
        ] {
            assert_eq!(misfits(text), [], "{text}");
        }
    }
}
