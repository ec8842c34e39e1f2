//! Which rows of a table name its columns, and what a row says when it stands alone.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::kinds::{Kind, kind};

/// Rows that are compared to find the one that names the columns.
pub(crate) const COMPARED_ROWS: usize = 100;
/// Rows from the top among which it is looked for.
const CANDIDATES: usize = 12;
/// Values of a column, of all, from which on it is one of values.
const VALUES: f64 = 0.6;
/// Most rows that name columns together.
const MAX_ROWS: usize = 3;

/// How the rows of a table are to be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// The rows that name the columns; none where nothing does. Rows before it are titles.
    pub rows: Range<usize>,
    /// The columns' names; empty for a column that has none.
    pub names: Vec<String>,
    /// Whether the first of two columns names what the second says.
    pub pairs: bool,
    /// Whether there is no doubt that those rows name the columns.
    pub is_certain: bool,
}

impl Head {
    /// The most rows that [`Head::find`] looks at.
    pub const LOOKED_AT: usize = COMPARED_ROWS + CANDIDATES;

    /// Compares the first rows of a table. `proven`: the rows that name the columns, where the source says so itself.
    pub fn find(rows: &[Vec<String>], proven: Option<Range<usize>>) -> Self {
        let rows = &rows[..rows.len().min(Self::LOOKED_AT)];
        if let Some(proven) =
            proven.filter(|range| !range.is_empty() && range.end <= rows.len() && range.len() <= MAX_ROWS)
        {
            let mut range = proven;
            let kinds: Vec<Vec<Kind>> =
                rows.iter().map(|row| row.iter().map(|cell| kind(cell)).collect()).collect();
            let table = Rows { rows, kinds: &kinds };
            while range.start > table.titles()
                && range.len() < MAX_ROWS
                && table.groups(range.start - 1, range.start)
            {
                range.start -= 1;
            }
            return Self { is_certain: true, ..Self::of(rows, range) };
        }
        let kinds: Vec<Vec<Kind>> =
            rows.iter().map(|row| row.iter().map(|cell| kind(cell)).collect()).collect();
        let table = Rows { rows, kinds: &kinds };
        let none = |at| Self { rows: at..at, ..Self::default() };
        let start = table.titles();
        let mut best: Option<(usize, f64)> = None;
        for at in start..rows.len().min(CANDIDATES) {
            // What stands above the names is no wider than they are.
            if (start..at).any(|above| table.filled(above) > table.filled(at)) {
                break;
            }
            let score = table.score(at);
            // What goes on over columns tells none of them apart, below names that do.
            let is_spanned = |row: usize| (0..table.width()).any(|column| table.is_spanned(row, column));
            if is_spanned(at)
                && (start..at).any(|above| !is_spanned(above) && table.filled(above) == table.filled(at))
            {
                continue;
            }
            // Words below words are no names; only the first of them may be.
            if score < 2.0 && (start..at).any(|above| table.filled(above) == table.filled(at)) {
                continue;
            }
            if best.is_none_or(|(_, most)| score > most) {
                best = Some((at, score));
            }
        }
        let Some((at, score)) = best else { return none(start) };
        let labels = table.filled(at) as f64;
        if table.are_pairs(start) {
            return Self { pairs: true, ..none(start) };
        }
        // One name over figures, beside names of rows that need none.
        let is_one = at == start && table.kind(at, 0) == Kind::Empty && score >= 2.0;
        if table.filled(at) < 2 && !is_one || score < 1.0 && score < labels / 2.0 {
            let pairs = table.width() == 2
                && (start..rows.len()).all(|row| kinds[row].first().is_none_or(|kind| *kind == Kind::Text));
            return Self { pairs, ..none(start) };
        }
        let mut range = at..at + 1;
        while range.start > start && range.len() < MAX_ROWS && table.groups(range.start - 1, range.start) {
            range.start -= 1;
        }
        if range.len() == 1 && table.goes_on(at) {
            range.end += 1;
        }
        Self { is_certain: score >= labels, ..Self::of(rows, range) }
    }

    fn of(rows: &[Vec<String>], range: Range<usize>) -> Self {
        let width = rows[range.clone()].iter().map(Vec::len).max().unwrap_or(0);
        let mut names = vec![String::new(); width];
        for (index, row) in rows[range.clone()].iter().enumerate() {
            let mut left = "";
            for (column, name) in names.iter_mut().enumerate() {
                let own = row.get(column).map_or("", |cell| cell.trim());
                // A name of a group stands over the first of its columns.
                let below = || {
                    rows[range.clone()]
                        .iter()
                        .skip(index + 1)
                        .any(|row| row.get(column).is_some_and(|cell| !cell.trim().is_empty()))
                };
                let part = if own.is_empty() && index + 1 < range.len() && below() { left } else { own };
                left = if own.is_empty() { left } else { own };
                if !part.is_empty() && !name.split(" / ").any(|known| known == part) && *name != part {
                    if !name.is_empty() {
                        name.push(' ');
                    }
                    name.push_str(part);
                }
            }
        }
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        names.iter().for_each(|name| *times.entry(name.clone()).or_default() += 1);
        for (column, name) in names.iter_mut().enumerate() {
            *name = name.split_whitespace().collect::<Vec<_>>().join(" ");
            if !name.is_empty() && times.get(name.as_str()).is_some_and(|times| *times > 1) {
                *name = format!("{name} ({})", column_name(column));
            }
        }
        Self { rows: range, names, ..Self::default() }
    }

    /// A row as a sentence that keeps its meaning wherever it is quoted: `Supplier: Acme; Country: Germany`, by the columns'
    /// places where they have no names: `A: Acme; C: Germany`. Empty cells are left out.
    pub fn sentence(&self, cells: &[String]) -> String {
        let mut out = String::new();
        let filled: Vec<(usize, &str)> = cells
            .iter()
            .enumerate()
            .map(|(at, cell)| (at, cell.trim()))
            .filter(|(_, cell)| !cell.is_empty())
            .collect();
        if self.pairs
            && let [(0, key), (1, value)] = filled.as_slice()
        {
            return format!("{}: {value}", key.trim_end_matches([':', ' ']));
        }
        let bare = self.names.is_empty() && (self.pairs || cells.len() == 1);
        for (at, cell) in filled {
            if !out.is_empty() {
                out.push_str("; ");
            }
            match self.names.get(at).map(String::as_str) {
                Some(name) if !name.is_empty() => out.push_str(name.trim_end_matches([':', ' '])),
                // A first column without a name is the rows' names.
                Some(_) if at == 0 => {
                    out.push_str(cell);
                    continue;
                }
                _ if bare => {
                    out.push_str(cell);
                    continue;
                }
                _ => out.push_str(&column_name(at)),
            }
            out.push_str(": ");
            out.push_str(cell);
        }
        out
    }
}

/// A column's name as spreadsheets have it: `A`, `Z`, `AA`.
pub fn column_name(column: usize) -> String {
    let mut name = String::new();
    let mut rest = column + 1;
    while rest > 0 {
        name.insert(0, char::from(b'A' + ((rest - 1) % 26) as u8));
        rest = (rest - 1) / 26;
    }
    name
}

/// Rows with what their cells hold.
struct Rows<'t> {
    rows: &'t [Vec<String>],
    kinds: &'t [Vec<Kind>],
}

impl Rows<'_> {
    fn filled(&self, row: usize) -> usize {
        self.kinds[row].iter().filter(|kind| **kind != Kind::Empty).count()
    }

    fn width(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or(0)
    }

    fn cell(&self, row: usize, column: usize) -> &str {
        self.rows[row].get(column).map_or("", |cell| cell.trim())
    }

    fn kind(&self, row: usize, column: usize) -> Kind {
        self.kinds[row].get(column).copied().unwrap_or(Kind::Empty)
    }

    /// How many rows at the top are titles: those with fewer than half the cells that rows have, or with one text throughout.
    fn titles(&self) -> usize {
        let mut widths: Vec<usize> =
            (0..self.rows.len()).map(|row| self.filled(row)).filter(|filled| *filled > 0).collect();
        widths.sort_unstable();
        let usual = widths.get(widths.len() * 2 / 3).copied().unwrap_or(0);
        let is_title = |row: &usize| {
            let mut cells = self.rows[*row].iter().map(|cell| cell.trim()).filter(|cell| !cell.is_empty());
            let first = cells.next();
            let one = self.filled(*row) > 2 && cells.all(|cell| Some(cell) == first);
            self.filled(*row) * 2 < usual || one
        };
        let titles = (0..self.rows.len()).take_while(|row| is_title(row) && *row < CANDIDATES).count();
        if titles == self.rows.len() { 0 } else { titles }
    }

    /// What speaks for a row as the one that names the columns.
    fn score(&self, at: usize) -> f64 {
        let below = at + 1..self.rows.len();
        let years: Vec<i64> = self.kinds[at]
            .iter()
            .enumerate()
            .filter(|(_, kind)| **kind == Kind::Year)
            .filter_map(|(column, _)| {
                self.cell(at, column).trim_matches(|c: char| !c.is_ascii_digit()).get(..4)?.parse().ok()
            })
            .collect();
        let dates = self.kinds[at].iter().filter(|kind| **kind == Kind::Date).count();
        let even = are_even(&years);
        let mut score = 0.0;
        // One year over figures, beside other names.
        let mut year_over_figures = false;
        let mut over_values = false;
        for column in 0..self.width() {
            let label = self.kind(at, column);
            let (mut values, mut numbers, mut marks, mut all) = (0_usize, 0_usize, 0_usize, 0_usize);
            let mut figures = 0_usize;
            let mut twin = false;
            for row in below.clone() {
                let kind = self.kind(row, column);
                if kind != Kind::Empty && !self.is_spanned(row, column) {
                    all += 1;
                    values += usize::from(kind.is_value());
                    marks += usize::from(kind == Kind::YesNo);
                    figures += usize::from(kind == Kind::Number);
                    numbers += usize::from(matches!(kind, Kind::Number | Kind::Year));
                    twin |= label == Kind::Text && self.cell(row, column) == self.cell(at, column);
                }
            }
            let most = |count: usize| all > 0 && count as f64 >= VALUES * all as f64;
            // An `x` over numbers is a name.
            let label = if label == Kind::YesNo && !most(marks) { Kind::Text } else { label };
            over_values |= label == Kind::Text && !twin && most(values);
            let is_lone_year = label == Kind::Year && years.len() == 1 && most(figures);
            year_over_figures |= is_lone_year;
            score += match label {
                Kind::Year if is_lone_year => 0.0,
                Kind::Empty if column > 0 && all > 0 => -0.5,
                Kind::Empty => 0.0,
                Kind::Text if twin => -1.0,
                Kind::Text | Kind::Period if most(values) => 2.0,
                // Long texts and addresses are no names.
                Kind::Text if self.cell(at, column).chars().count() > 60 => -0.5,
                Kind::Text | Kind::Period => 0.5,
                Kind::Year if even && (most(numbers) || all == 0) => 2.0,
                Kind::Date if dates > 1 && (most(numbers) || all == 0) => 1.5,
                Kind::Year | Kind::Date => -2.0,
                // Figures over figures are a row.
                Kind::Number if most(numbers) => return f64::MIN,
                Kind::Number | Kind::YesNo => -1.5,
            };
        }
        if year_over_figures && !over_values { score - 2.0 } else { score }
    }

    /// Whether a row names groups of the columns that the next one names.
    fn groups(&self, above: usize, names: usize) -> bool {
        let is_label =
            |row: usize| self.kinds[row].iter().all(|kind| !matches!(kind, Kind::Number | Kind::YesNo));
        let gaps = (0..self.width())
            .any(|column| self.kind(names, column) == Kind::Empty && self.kind(above, column) != Kind::Empty);
        self.filled(above) > 1 && is_label(above) && (gaps || self.has_twins(above) || self.has_twins(names))
    }

    /// Whether the row below names the columns further: units, or what a row with gaps or twins leaves open.
    fn goes_on(&self, at: usize) -> bool {
        let next = at + 1;
        if next + 1 >= self.rows.len() || self.filled(next) < 2 {
            return false;
        }
        let labels = self.kinds[next].iter().all(|kind| !matches!(kind, Kind::Number | Kind::YesNo));
        let score = self.score(next);
        let gap = |column| self.kind(at, column) == Kind::Empty && self.kind(next, column) != Kind::Empty;
        let open = self.has_twins(at) || (1..self.width()).any(gap);
        let units = self.kind(next, 0) == Kind::Empty && score >= 2.0 * (self.filled(next) as f64);
        // Words below words are a row.
        let over_values = score >= self.filled(next) as f64;
        labels && (open && over_values && score >= self.score(at) || units)
    }

    /// Whether a text goes on from the column beside: it says nothing of this column alone.
    fn is_spanned(&self, row: usize, column: usize) -> bool {
        let same = |other: usize| other < self.width() && self.cell(row, other) == self.cell(row, column);
        self.kind(row, column) == Kind::Text && (same(column + 1) || column > 0 && same(column - 1))
    }

    fn has_twins(&self, row: usize) -> bool {
        let mut seen = BTreeSet::new();
        self.rows[row]
            .iter()
            .map(|cell| cell.trim())
            .filter(|cell| !cell.is_empty())
            .any(|cell| !seen.insert(cell))
    }

    /// Whether the first of two columns names what the second says: names end with a colon, or what they name is of many sorts.
    fn are_pairs(&self, start: usize) -> bool {
        let rows: Vec<usize> = (start..self.rows.len()).filter(|row| self.filled(*row) == 2).collect();
        if self.width() != 2 || rows.len() < 2 {
            return false;
        }
        let names: BTreeSet<&str> = rows.iter().map(|row| self.cell(*row, 0)).collect();
        if names.len() < rows.len() || rows.iter().any(|row| self.kind(*row, 0) != Kind::Text) {
            return false;
        }
        let colons = names.iter().filter(|name| name.ends_with(':')).count();
        let sorts: BTreeSet<Kind> = rows[1..].iter().map(|row| self.kind(*row, 1)).collect();
        colons * 2 > rows.len() || sorts.len() >= 3 && rows.len() <= 40
    }
}

/// Whether there are several years with the same step between them.
fn are_even(years: &[i64]) -> bool {
    let steps: BTreeSet<i64> = years.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // Two figures of one year, or years said again for a second group, follow each other as well.
    years.len() > 1
        && (steps.len() == 1 || steps.len() == 2 && years.len() > 3)
        && steps.iter().all(|step| step.abs() < 60)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn rows(text: &str) -> Vec<Vec<String>> {
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
    }

    fn read(text: &str) -> Vec<String> {
        let rows = rows(text);
        let head = Head::find(&rows, None);
        rows[head.rows.end..].iter().map(|row| head.sentence(row)).collect()
    }

    #[test]
    fn years_dates_and_periods_name_columns() {
        assert_eq!(
            read("Region,2019,2020,2021\nNorth,100,90,95\nSouth,1,2,3"),
            ["Region: North; 2019: 100; 2020: 90; 2021: 95", "Region: South; 2019: 1; 2020: 2; 2021: 3"]
        );
        assert_eq!(
            read("Item,2024-01-31,2024-02-29\nRevenue,10,12"),
            ["Item: Revenue; 2024-01-31: 10; 2024-02-29: 12"]
        );
        assert_eq!(read(",Q1,Q2\nRent,10,12"), ["Rent; Q1: 10; Q2: 12"]);
        assert_eq!(
            read(",2025,2024\nCash,500,650\nDebt,1900,2000"),
            ["Cash; 2025: 500; 2024: 650", "Debt; 2025: 1900; 2024: 2000"]
        );
        assert_eq!(read(",x\n1,0.5\n2,0.7")[0], "1; x: 0.5");
        assert_eq!(read(",x,y\n1,0.5,2\n2,0.7,3")[0], "1; x: 0.5; y: 2");
        assert_eq!(read("Account,2023/24,2024/25\nA,1,2")[0], "Account: A; 2023/24: 1; 2024/25: 2");
    }

    #[test]
    fn titles_stand_above_the_names() {
        let text =
            "Trial balance at 31 December 2025,,\nAccount,Debit,Credit\n1000 Cash,500,\n2000 Payables,,300\n";
        assert_eq!(read(text), ["Account: 1000 Cash; Debit: 500", "Account: 2000 Payables; Credit: 300"]);
        let text = "Trial balance,as at 31 December 2025,\nAccount,Debit,Credit\n1000 Cash,500,\n2000 Payables,,300\n";
        assert_eq!(read(text), ["Account: 1000 Cash; Debit: 500", "Account: 2000 Payables; Credit: 300"]);
        let bank = "Data Source,World Indicators,,,\n,,,,\nLast Updated,2021-05-25,,,\n,,,,\nCountry Name,Country Code,2018,2019,2020\nAtlantis,ATL,1.5,-4.2,3.9\nLemuria,LEM,1,2,3";
        assert_eq!(Head::find(&rows(bank), None).rows, 4..5);
        assert_eq!(
            read(bank)[0],
            "Country Name: Atlantis; Country Code: ATL; 2018: 1.5; 2019: -4.2; 2020: 3.9"
        );
        let spanned = "Report,Report,Report\nName,Age,Town\nAnn,30,Rome\nBo,31,Oslo";
        assert_eq!(read(spanned)[0], "Name: Ann; Age: 30; Town: Rome");
    }

    #[test]
    fn twins_and_two_rows_of_names_are_told_apart() {
        assert_eq!(
            read("Item,Budget,Actual,Budget,Actual\nRent,10,11,12,13"),
            ["Item: Rent; Budget (B): 10; Actual (C): 11; Budget (D): 12; Actual (E): 13"]
        );
        let two = "Region,Rate,,Price,\n,2024,2025,2024,2025\nNorth,19,7,20,8\nSouth,1,2,3,4";
        assert_eq!(read(two)[0], "Region: North; Rate 2024: 19; Rate 2025: 7; Price 2024: 20; Price 2025: 8");
        let merged = "Region,Rate,Rate,Price,Price\nRegion,2024,2025,2024,2025\nNorth,19,7,20,8";
        assert_eq!(
            read(merged)[0],
            "Region: North; Rate 2024: 19; Rate 2025: 7; Price 2024: 20; Price 2025: 8"
        );
        let units = "Name,Weight,Price\n,kg,EUR\nPen,1,2\nInk,3,4";
        assert_eq!(read(units)[0], "Name: Pen; Weight kg: 1; Price EUR: 2");
    }

    #[test]
    fn places_stay_where_nothing_names_columns() {
        assert_eq!(read("1,2,3\n4,,6"), ["A: 1; B: 2; C: 3", "A: 4; C: 6"]);
        assert_eq!(
            read("Cash,500,\nDebt,,300\nRent,1,"),
            ["A: Cash; B: 500", "A: Debt; C: 300", "A: Rent; B: 1"]
        );
        assert_eq!(
            read("North,2019,100\nSouth,2019,90"),
            ["A: North; B: 2019; C: 100", "A: South; B: 2019; C: 90"]
        );
        assert_eq!(read("Rent,7,1 EUR\nHeat,8,2 EUR\nGas,9,3 EUR")[0], "A: Rent; B: 7; C: 1 EUR");
        assert_eq!(read("only words\nmore"), ["only words", "more"]);
        assert_eq!(column_name(0) + &column_name(25) + &column_name(26) + &column_name(702), "AZAAAAA");
    }

    #[test]
    fn two_columns_may_be_names_and_values() {
        let form = "Supplier,Acme Paper\nFounded,1990-02-01\nEmployees,200\nListed,yes\nCountry,Germany";
        assert_eq!(read(form)[..2], ["Supplier: Acme Paper", "Founded: 1990-02-01"]);
        assert_eq!(read("Name:,Acme\nTown:,Rome\nCode:,7")[1], "Town: Rome");
        assert_eq!(read("Rent,10\nHeat,12\nRent,3"), ["Rent: 10", "Heat: 12", "Rent: 3"]);
        assert_eq!(read("Country,Population\nAtlantis,5\nLemuria,7")[0], "Country: Atlantis; Population: 5");
    }

    #[test]
    fn words_over_words_are_names_once() {
        assert_eq!(read("Name,Note\nPen,red\nInk,blue")[0], "Name: Pen; Note: red");
        assert_eq!(read("open,Anna\nopen,Bo\nclosed,Anna")[0], "open: Anna");
        assert_eq!(read("Owner,Signed\nAnna,yes\nBo,no")[0], "Owner: Anna; Signed: yes");
        assert_eq!(
            read("Name,,Town\nAnn,,Rome\nCy,,Lima"),
            ["Name: Ann; Town: Rome", "Name: Cy; Town: Lima"]
        );
        assert_eq!(read("Name,Name\nAnn,Bo\nCy,Di")[0], "Name (A): Ann; Name (B): Bo");
        let proven = rows("1,2\n3,4");
        assert_eq!(Head::find(&proven, Some(0..1)).sentence(&proven[1]), "1: 3; 2: 4");
    }
}
