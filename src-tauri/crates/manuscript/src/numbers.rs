//! The register of numbers: one row a figure, and every part that states it is held against its row.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, Location, Rule};
use crate::parts::Part;
use crate::quantity::{DAY, Decimal, Quantity, day, days, quantities, shown, unit};
use crate::text::{Phrases, excerpt, find_words, fold, has_words, note_labels, prose, sentences};

/// Rows of a register.
pub const MAX_ROWS: usize = 2_000;

/// Bytes between the key of a row and a number that is read as its value.
const MAX_DISTANCE_BYTES: usize = 160;

/// A figure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NumberRow {
    /// Its id.
    pub id: String,
    /// Phrases that name it in a text; compared as whole words without case.
    pub keys: Vec<String>,
    /// Its value: an integer, or a decimal number as a string; a day as `YYYYMMDD`.
    pub value: Decimal,
    /// A currency code, `%`, `bps`, `date`, or the word for what is counted: `employees`.
    #[serde(default)]
    pub unit: String,
    /// The period or day that it belongs to, as the text writes it.
    #[serde(default)]
    pub period: Option<String>,
    /// The document that gives it.
    #[serde(default)]
    pub source: String,
    /// The page of that document, from one.
    #[serde(default)]
    pub page: Option<u32>,
    /// How a text may round it.
    #[serde(default)]
    pub rounding: Rounding,
    /// The document that it is of: it is looked for where a footnote cites this document. None: everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// Where another number has to stand to be taken for it.
    #[serde(default)]
    pub binding: Binding,
}

/// Where a number that is not a figure's value has to stand to be taken for the figure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Binding {
    /// In one sentence with a key.
    #[default]
    Near,
    /// Beside a key: at most words such as "of" and "is" stand between them; in a table, the key is what a cell of its
    /// line or its column says. A text need not state such a figure.
    Beside,
}

/// How a text may round a figure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rounding {
    /// To the last digit that it states: `$12.4 million` for 12,412,000.
    #[default]
    Stated,
    /// Not at all.
    Exact,
}

/// A figure as a part states it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NumberStatement {
    /// The row.
    pub row: String,
    /// The part.
    pub part: String,
    /// The line.
    pub line: u32,
    /// The words of the number.
    pub stated: String,
    /// Whether it is the row's value.
    pub agrees: bool,
}

/// What a document states of a register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberCheck {
    /// Each statement in order.
    pub statements: Vec<NumberStatement>,
    /// Rows that no part states.
    pub unstated: Vec<String>,
    /// Numbers that differ, rows without a source, rows that no part states.
    pub faults: Vec<Fault>,
}

/// A row with its names folded.
struct Entry<'r> {
    row: &'r NumberRow,
    keys: Vec<String>,
    period: Option<String>,
    /// The periods of other rows that share a key.
    other_periods: BTreeSet<String>,
    unit: Option<&'static str>,
    /// The words of the name of the document that it is of.
    document: Option<Vec<String>>,
}

/// What a statement is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Sentence,
    Cell,
}

/// A sentence or a cell of a table.
struct Statement {
    form: Form,
    line: u32,
    /// Folded: what names a row.
    context: String,
    /// Where the numbers begin in `context`; zero: they stand in it.
    offset: usize,
    numbers: Vec<Quantity>,
    /// Folded: what the numbers stand in.
    text: String,
    /// The footnotes whose marks stand in it; in a table: in its line.
    notes: Vec<String>,
    /// In a table: the cells that name a row, and the heading.
    names: Vec<String>,
}

/// Holds the numbers of a document against their register.
///
/// A sentence, or a cell of a table with its row and the heading of its column, states a row if it holds one of its keys,
/// no period of another row with that key, and a number with its unit; where the row is of one document, one of its
/// footnotes cites that document. A number that is the value of any row named there is right. One that is the value of none
/// is wrong for the nearest row named there whose value does not stand there.
pub fn check(parts: &[Part], rows: &[NumberRow]) -> NumberCheck {
    let entries = entries(rows);
    let mut check = NumberCheck { statements: Vec::new(), unstated: Vec::new(), faults: Vec::new() };
    let mut stated: BTreeSet<&str> = BTreeSet::new();
    for part in parts {
        let whole = Phrases::new(&part.markdown.replace("**", ""));
        let is_named = |entry: &&Entry<'_>| entry.keys.iter().any(|key| whole.has(key));
        let named: Vec<&Entry<'_>> = entries.iter().filter(is_named).collect();
        if named.is_empty() {
            continue;
        }
        let cited = cited(part, &named);
        let statements = statements_of(&part.markdown);
        let is_row =
            |a: &Statement, b: &Statement| a.form == Form::Cell && b.form == Form::Cell && a.line == b.line;
        for group in statements.chunk_by(is_row) {
            for (entry, statement, number, agrees) in judgments(group, &named, &cited) {
                stated.insert(&entry.row.id);
                let words = excerpt(&statement.text[number.range.clone()]);
                if !agrees {
                    let value = shown(entry.row.value, &entry.row.unit);
                    let place = Location::line(&part.id, statement.line);
                    let found = format!("{}: {words}; the register says {value}", entry.row.id);
                    check.faults.push(Fault::new(place, Rule::NumberMismatch, found));
                }
                check.statements.push(NumberStatement {
                    row: entry.row.id.clone(),
                    part: part.id.clone(),
                    line: statement.line,
                    stated: words,
                    agrees,
                });
            }
        }
    }
    for row in rows {
        if row.source.trim().is_empty() {
            check.faults.push(Fault::new(Location::at(&row.id), Rule::NumberUnsourced, "no source"));
        }
        if !stated.contains(row.id.as_str()) {
            check.unstated.push(row.id.clone());
            if row.binding == Binding::Near {
                check.faults.push(Fault::new(
                    Location::at(&row.id),
                    Rule::NumberUnstated,
                    "no part states it",
                ));
            }
        }
    }
    check
}

/// The rows with their names folded, and with the periods of those that share a key.
fn entries(rows: &[NumberRow]) -> Vec<Entry<'_>> {
    let mut periods: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut entries = Vec::with_capacity(rows.len());
    for row in rows {
        let keys: Vec<String> = row.keys.iter().map(|key| fold(key)).filter(|key| !key.is_empty()).collect();
        let period = row.period.as_deref().map(fold).filter(|period| !period.is_empty());
        for key in &keys {
            periods.entry(key.clone()).or_default().extend(period.clone());
        }
        let counted = fold(&row.unit);
        let code = if counted == DAY { Some(DAY) } else { unit(&counted) };
        let document = row.within.as_deref().map(|name| words_of(name).map(str::to_lowercase).collect());
        entries.push(Entry { row, keys, period, other_periods: BTreeSet::new(), unit: code, document });
    }
    for entry in &mut entries {
        let shared = entry.keys.iter().filter_map(|key| periods.get(key)).flatten();
        entry.other_periods =
            shared.filter(|period| Some(*period) != entry.period.as_ref()).cloned().collect();
    }
    entries
}

fn words_of(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The document that each footnote of a part cites, of those that rows are of: its text begins with the document's name.
fn cited<'e>(part: &Part, entries: &[&'e Entry<'e>]) -> BTreeMap<String, &'e [String]> {
    let documents: BTreeSet<&[String]> = entries
        .iter()
        .filter_map(|entry| entry.document.as_deref())
        .filter(|name| !name.is_empty())
        .collect();
    if documents.is_empty() {
        return BTreeMap::new();
    }
    let beside = part.footnotes.iter().map(|note| (note.label.as_str(), note.text.as_str()));
    let within = part.markdown.lines().filter_map(|line| line.strip_prefix("[^")?.split_once("]:"));
    let cites = |(label, text): (&str, &str)| {
        let named = documents.iter().filter(|document| begins_with(text, document));
        Some((fold(label), *named.max_by_key(|document| document.len())?))
    };
    beside.chain(within).filter_map(cites).collect()
}

/// Whether a footnote begins with the name of a document, whatever its case and punctuation, and the name ends there.
fn begins_with(note: &str, document: &[String]) -> bool {
    let mut rest = note;
    for word in document {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        if rest[..end].to_lowercase() != *word {
            return false;
        }
        rest = &rest[end..];
    }
    let mut after = rest.chars();
    match after.next() {
        Some(' ') => after.next().is_none_or(|c| !c.is_alphanumeric()),
        Some(c) => !matches!(c, '-' | '_'),
        None => true,
    }
}

impl Entry<'_> {
    /// Where a statement names this row, if no other period stands there, and it cites the row's document.
    fn place_in(&self, statement: &Statement, cited: &BTreeMap<String, &[String]>) -> Option<(usize, usize)> {
        let cites = |document| statement.notes.iter().any(|note| cited.get(note) == Some(&document));
        if self.document.as_deref().is_some_and(|document| !cites(document)) {
            return None;
        }
        let context = &statement.context;
        let found = self.keys.iter().filter_map(|key| Some((find_words(context, key)?, key.len())));
        let place = found.max_by_key(|(_, length)| *length)?;
        let is_own = self.period.as_ref().is_some_and(|period| has_words(context, period));
        let is_other = || self.other_periods.iter().any(|period| has_words(context, period));
        (is_own || !is_other()).then_some(place)
    }

    /// Whether a number counts what this row counts.
    fn has_unit(&self, number: &Quantity, text: &str) -> bool {
        match (self.unit, number.unit) {
            (Some(this), Some(other)) => this == other,
            (Some(_), None) | (None, Some(_)) => false,
            (None, None) => !is_year(number, &text[number.range.clone()]),
        }
    }

    fn is_value(&self, number: &Quantity) -> bool {
        match self.row.rounding {
            Rounding::Exact => self.row.value == number.value,
            Rounding::Stated => self.row.value.rounds_to(number.value, number.precision),
        }
    }
}

/// Words between a key and its value.
const LINKS: [&str; 10] = ["is", "are", "was", "were", "of", "at", "about", "some", "total", "totals"];

/// Words that may stand besides between a key and a number beside it; among them numbers in words: "sixty (60) days".
const FILLERS: &str = "the a an this that in on to as from by for under upon per until equals amounts accounts represents \
    contributes holds has pays payable due fixed currently approximately prior written calendar business day month year usd \
    eur gbp us dollars one two three four five six seven eight nine ten twelve fifteen eighteen twenty thirty forty fifty \
    sixty ninety hundred";

/// The most words between a key and a number beside it.
const MAX_WORDS_BESIDE: usize = 8;

/// The most words of a cell besides the key of a row that it names; marks of footnotes are such words.
const MAX_OTHER_WORDS: usize = 2;

/// Words after a number in which the word for what it counts is looked for.
const MAX_WORDS_TO_UNIT: usize = 3;

impl Entry<'_> {
    /// Whether a number that is not this row's value has to be meant as it. A number with a unit has; a bare one only
    /// if the word for what is counted follows it, or if nothing but a link stands between it and the key. A row may
    /// want every number beside its key.
    fn is_bound(&self, number: &Quantity, statement: &Statement, place: (usize, usize)) -> bool {
        if statement.form == Form::Cell {
            return self.row.binding == Binding::Near
                || statement.names.iter().any(|name| self.is_named_by(name));
        }
        let text = &statement.text;
        let after = words_of(&text[number.range.end..]);
        let is_month = |word: &str| day(&format!("1 {word} 2000")).is_some();
        if number.unit.is_none() && after.clone().next().is_some_and(is_month) {
            return false;
        }
        let counted = fold(&self.row.unit);
        let singular = |word: &str| word.trim_end_matches('s').to_owned();
        let is_counted = |word: &str| !counted.is_empty() && singular(word) == singular(&counted);
        let follows = after.take(MAX_WORDS_TO_UNIT).any(is_counted);
        let (key, length) = place;
        match self.row.binding {
            Binding::Near => {
                let between = text.get(key + length..number.range.start);
                let links = |between: &str| words_of(between).all(|word| LINKS.contains(&word));
                self.unit.is_some() || follows || between.is_some_and(links)
            }
            Binding::Beside => {
                let between = match number.range.end <= key {
                    true => text.get(number.range.end..key),
                    false => text.get(key + length..number.range.start),
                };
                let fills = |word: &str| FILLERS.split_whitespace().any(|filler| filler == word);
                let is_filler = |word: &str| LINKS.contains(&word) || fills(word) || is_counted(word);
                let beside = |between: &str| {
                    words_of(between).count() <= MAX_WORDS_BESIDE && words_of(between).all(is_filler)
                };
                (self.unit.is_some() || counted.is_empty() || follows) && between.is_some_and(beside)
            }
        }
    }
}

impl Entry<'_> {
    /// Whether a cell names this row and little else: "A and B together" names neither A nor B.
    fn is_named_by(&self, cell: &str) -> bool {
        let least =
            self.keys.iter().filter(|key| has_words(cell, key)).map(|key| words_of(key).count()).max();
        least.is_some_and(|least| words_of(cell).count() <= least + MAX_OTHER_WORDS)
    }
}

fn is_year(number: &Quantity, text: &str) -> bool {
    let years = Decimal::new(1900, 0)..=Decimal::new(2100, 0);
    text.len() == 4 && number.precision == 0 && years.contains(&number.value)
}

/// A number of a statement, the row that it states, and whether it is its value.
type Judgment<'e, 'n> = (&'e Entry<'e>, &'n Statement, &'n Quantity, bool);

/// The numbers of a sentence, or of the cells of one row of a table.
fn judgments<'e, 'n>(
    group: &'n [Statement],
    entries: &[&'e Entry<'e>],
    cited: &BTreeMap<String, &'e [String]>,
) -> Vec<Judgment<'e, 'n>> {
    let mut found: Vec<Judgment<'e, 'n>> = Vec::new();
    let mut open = Vec::new();
    for (cell, statement) in group.iter().enumerate().filter(|(_, statement)| !statement.numbers.is_empty()) {
        let place = |entry: &&'e Entry<'e>| Some((*entry, entry.place_in(statement, cited)?));
        let named: Vec<(&'e Entry<'e>, (usize, usize))> = entries.iter().filter_map(place).collect();
        for number in &statement.numbers {
            let before = found.len();
            let is_value =
                |entry: &Entry<'_>| entry.has_unit(number, &statement.text) && entry.is_value(number);
            let values = named.iter().filter(|(entry, _)| is_value(entry));
            found.extend(values.map(|(entry, _)| (*entry, statement, number, true)));
            if found.len() == before {
                open.extend(named.iter().map(|(entry, place)| (*entry, *place, cell, number)));
            }
        }
    }
    let satisfied: BTreeSet<&str> = found.iter().map(|(entry, ..)| entry.row.id.as_str()).collect();
    // Each number is wrong for the nearest row only, and each row for its nearest number only.
    let mut by_number: BTreeMap<(usize, usize), (usize, Judgment<'e, 'n>)> = BTreeMap::new();
    for (entry, place, cell, number) in open {
        let statement = &group[cell];
        let distance = distance(statement, number, place);
        let is_meant = !satisfied.contains(entry.row.id.as_str())
            && entry.has_unit(number, &statement.text)
            && entry.is_bound(number, statement, place)
            && !is_apart(number, statement, place)
            && distance <= MAX_DISTANCE_BYTES;
        // Of two keys at one distance the longer says more.
        let rank = distance * 2 * MAX_DISTANCE_BYTES + MAX_DISTANCE_BYTES.saturating_sub(place.1);
        let key = (cell, number.range.start);
        if is_meant && by_number.get(&key).is_none_or(|(other, _)| rank < *other) {
            by_number.insert(key, (rank, (entry, statement, number, false)));
        }
    }
    let mut by_row: BTreeMap<&str, (usize, Judgment<'e, 'n>)> = BTreeMap::new();
    for (rank, judgment) in by_number.into_values() {
        let row = by_row.entry(&judgment.0.row.id).or_insert((rank, judgment));
        if rank < row.0 {
            *row = (rank, judgment);
        }
    }
    found.extend(by_row.into_values().map(|(_, judgment)| judgment));
    found
}

/// Whether another number with a unit stands between a key and a number of a sentence: `a fee of $3 million, 8% of total revenue` does not
/// say what the revenue is.
fn is_apart(number: &Quantity, statement: &Statement, (place, length): (usize, usize)) -> bool {
    let between = if number.range.end <= place {
        number.range.end..place
    } else {
        (place + length).min(number.range.start)..number.range.start
    };
    let stands = |other: &&Quantity| {
        let counts = other.unit.is_some_and(|unit| unit != DAY);
        counts && between.contains(&other.range.start) && other.range != number.range
    };
    statement.form == Form::Sentence && statement.numbers.iter().any(|other| stands(&other))
}

/// Bytes between the key of a row and a number.
fn distance(statement: &Statement, number: &Quantity, (place, length): (usize, usize)) -> usize {
    let at = statement.offset + number.range.start;
    if at >= place { at.saturating_sub(place + length) } else { place - at }
}

/// The numbers and the days of a text, in order. What a day is made of is no number.
fn figures(text: &str) -> Vec<Quantity> {
    let mut found = days(text);
    let is_apart = |number: &Quantity| {
        found.iter().all(|day| number.range.end <= day.range.start || day.range.end <= number.range.start)
    };
    let numbers: Vec<Quantity> = quantities(text).into_iter().filter(is_apart).collect();
    found.extend(numbers);
    found.sort_by_key(|figure| figure.range.start);
    found
}

fn notes(text: &str) -> Vec<String> {
    note_labels(text).into_iter().map(fold).collect()
}

/// Headings of columns that number the rows.
const COUNTERS: [&str; 5] = ["#", "no", "no.", "nr", "nr."];

/// The sentences and the cells of tables of a text.
fn statements_of(markdown: &str) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut header: Vec<String> = Vec::new();
    let mut last = 0;
    for line in prose(markdown).lines {
        let text = line.text.replace("**", "");
        let trimmed = text.trim();
        let is_row = trimmed.starts_with('|') && trimmed.len() > 1;
        if !is_row {
            header.clear();
            statements.extend(sentences(trimmed).into_iter().map(|sentence| {
                let text = fold(sentence);
                Statement {
                    form: Form::Sentence,
                    line: line.number,
                    context: text.clone(),
                    offset: 0,
                    numbers: figures(&text),
                    text,
                    notes: notes(sentence),
                    names: Vec::new(),
                }
            }));
            continue;
        }
        let cells: Vec<String> = trimmed.trim_matches('|').split('|').map(fold).collect();
        if header.is_empty() || line.number != last + 1 {
            header.clone_from(&cells);
        } else if !cells.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':' | ' '))) {
            let is_number = |cell: &String| !quantities(cell).is_empty();
            let labels: Vec<&str> =
                cells.iter().filter(|cell| !is_number(cell)).map(String::as_str).collect();
            for (at, cell) in cells.iter().enumerate() {
                let heading = header.get(at).map_or("", String::as_str);
                if COUNTERS.contains(&heading) {
                    continue;
                }
                // A cell that names what it counts is a sentence of its own.
                let own = if cell.chars().any(char::is_alphabetic) { cell.as_str() } else { "" };
                let context = [&labels.join(" "), heading, own].join(" ").trim().to_owned();
                let numbers: Vec<Quantity> =
                    figures(cell).into_iter().map(|number| number.in_column(heading)).collect();
                if numbers.is_empty() {
                    continue;
                }
                statements.push(Statement {
                    form: Form::Cell,
                    line: line.number,
                    offset: context.len().saturating_sub(own.len()),
                    context,
                    numbers,
                    text: cell.clone(),
                    notes: notes(trimmed),
                    names: labels.iter().chain([&heading]).map(|name| (*name).to_owned()).collect(),
                });
            }
        }
        last = line.number;
    }
    statements
}
