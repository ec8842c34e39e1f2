//! The registry of facts by category: corroborated, single-sourced, contradicted, missing.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, Location, Rule};
use crate::parts::Part;
use crate::pattern::Pattern;
use crate::quantity::{Decimal, Quantity, day, quantity};
use crate::text::{fold, prose};

/// Statements of facts.
pub const MAX_STATEMENTS: usize = 50_000;

/// What facts are looked for, and how much a conflict matters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FactRubric {
    /// The categories; a statement of another is a fault. None: every category is allowed.
    pub categories: Vec<FactCategory>,
    /// Facts that some source has to give.
    pub expected: Vec<FactName>,
    /// Statements of facts in texts.
    pub patterns: Vec<FactPattern>,
}

/// A category of facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactCategory {
    /// Its name.
    pub name: String,
    /// How much a conflict in it matters.
    #[serde(default)]
    pub severity: ConflictSeverity,
    /// Numbers that differ by at most so many thousandths are a minor conflict.
    #[serde(default)]
    pub minor_permille: u32,
}

/// How much a conflict matters.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum ConflictSeverity {
    /// It changes nothing that is concluded.
    Minor,
    /// It has to be settled.
    #[default]
    Major,
}

/// A fact by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactName {
    /// Its category.
    pub category: String,
    /// Its name; compared without case.
    pub fact: String,
}

/// How a text states facts of a category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactPattern {
    /// The category.
    pub category: String,
    /// The name of the fact; none: the group `fact` of the pattern.
    #[serde(default)]
    pub fact: Option<String>,
    /// The statement, with the value in the group `value` and, where it names one, the period in the group `period`.
    pub pattern: Pattern,
}

/// What a source says of a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactStatement {
    /// The category.
    pub category: String,
    /// The name of the fact.
    pub fact: String,
    /// Its value as the source writes it.
    pub value: String,
    /// The source: a document's name. Two statements of one source corroborate nothing.
    pub source: String,
    /// The page of the source, from one.
    #[serde(default)]
    pub page: Option<u32>,
    /// The period or day that the value belongs to, as the source writes it.
    #[serde(default)]
    pub period: Option<String>,
}

/// How well a fact is supported.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FactClass {
    /// At least two sources give one value.
    Corroborated,
    /// One source gives it.
    SingleSourced,
    /// Sources give different values.
    Contradicted,
    /// It is expected, and no source gives it.
    Missing,
}

/// A value with its sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FactValue {
    /// As the first source writes it.
    pub value: String,
    /// The sources that give it.
    pub sources: BTreeSet<String>,
    /// The pages of each source that give it, where they are known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pages: BTreeMap<String, BTreeSet<u32>>,
    /// The period or day that it belongs to, where a source names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<String>,
}

impl FactValue {
    fn new(value: &str) -> Self {
        let (sources, pages) = (BTreeSet::new(), BTreeMap::new());
        Self { value: value.to_owned(), sources, pages, period: None }
    }

    fn given(&mut self, by: &FactStatement) {
        self.sources.insert(by.source.clone());
        if let Some(page) = by.page {
            self.pages.entry(by.source.clone()).or_default().insert(page);
        }
        self.period = self.period.take().or_else(|| by.period.clone());
    }

    /// Where it stands: each source, with each of its pages that is known.
    pub fn places(&self) -> Vec<String> {
        let of_source = |source: &String| match self.pages.get(source) {
            Some(pages) => pages.iter().map(|page| format!("{source} p. {page}")).collect(),
            None => vec![source.clone()],
        };
        self.sources.iter().flat_map(of_source).collect()
    }
}

/// A fact of the registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FactRow {
    /// The category.
    pub category: String,
    /// The name.
    pub fact: String,
    /// How well it is supported.
    pub class: FactClass,
    /// Its value in a line; of a contradicted one all of them, with "vs" between them.
    pub value: String,
    /// Every source that gives one.
    pub sources: BTreeSet<String>,
    /// Where its values stand: each source, with each of its pages that is known.
    pub places: Vec<String>,
    /// Its values, the best supported first.
    pub values: Vec<FactValue>,
}

/// Two or more values of one fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FactConflict {
    /// The category.
    pub category: String,
    /// The name of the fact.
    pub fact: String,
    /// The values: `1,247 vs 1,312`.
    pub conflict: String,
    /// How much it matters.
    pub severity: ConflictSeverity,
}

/// The registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactRegistry {
    /// The facts by category, then in the order of their first statement.
    pub rows: Vec<FactRow>,
    /// Facts of each class.
    pub by_class: BTreeMap<FactClass, u32>,
    /// Facts of each category.
    pub by_category: BTreeMap<String, u32>,
    /// The contradicted facts.
    pub conflicts: Vec<FactConflict>,
    /// Conflicts, missing and single-sourced facts, unknown categories.
    pub faults: Vec<Fault>,
}

/// The statements of facts in texts; each part is a source.
pub fn statements(parts: &[Part], rubric: &FactRubric) -> Vec<FactStatement> {
    let mut statements = Vec::new();
    for part in parts {
        for line in prose(&part.markdown).lines {
            for entry in &rubric.patterns {
                for found in entry.pattern.regex().captures_iter(line.text) {
                    let named = found.name("fact").map(|name| name.as_str().trim());
                    let fact = entry.fact.as_deref().or(named).filter(|fact| !fact.is_empty());
                    let value = found.name("value").map(|value| value.as_str().trim());
                    let period = found.name("period").map(|period| period.as_str().trim().to_owned());
                    if let (Some(fact), Some(value)) = (fact, value.filter(|value| !value.is_empty())) {
                        statements.push(FactStatement {
                            category: entry.category.clone(),
                            fact: fact.to_owned(),
                            value: value.to_owned(),
                            source: part.id.clone(),
                            page: part.page_at(line.number),
                            period: period.filter(|period| !period.is_empty()),
                        });
                    }
                }
            }
        }
    }
    statements
}

/// Whether two values say the same: as days, as quantities, or as words without case and punctuation.
pub fn is_same(this: &str, other: &str) -> bool {
    canonical(this) == canonical(other)
}

/// The form in which values are compared.
fn canonical(value: &str) -> String {
    if let Some((year, month, day)) = day(value) {
        return format!("day {year}-{month}-{day}");
    }
    if let Some(Quantity { value, unit, .. }) = quantity(value) {
        return format!("quantity {value} {}", unit.unwrap_or_default());
    }
    let plain = fold(&value.replace(|c: char| !(c.is_alphanumeric() || c.is_whitespace()), " "));
    format!("words {}", if plain.is_empty() { value.trim() } else { &plain })
}

fn severity(values: &[FactValue], category: Option<&FactCategory>) -> ConflictSeverity {
    let Some(category) = category else { return ConflictSeverity::Major };
    let numbers: Option<Vec<Quantity>> = values.iter().map(|value| quantity(&value.value)).collect();
    let is_close = numbers.is_some_and(|numbers| {
        let units = numbers.windows(2).all(|pair| pair[0].unit == pair[1].unit);
        let ends = numbers.iter().fold(None, |ends: Option<(Decimal, Decimal)>, number| {
            let value = number.value;
            let (least, most) = ends.unwrap_or((value, value));
            Some((if value < least { value } else { least }, if value > most { value } else { most }))
        });
        units && ends.is_some_and(|(least, most)| least.is_within(most, category.minor_permille))
    });
    if is_close { ConflictSeverity::Minor } else { category.severity }
}

/// Registers what sources say.
pub fn registry(statements: &[FactStatement], rubric: &FactRubric) -> FactRegistry {
    let order = |category: &str| {
        let at = rubric.categories.iter().position(|known| known.name == category);
        (at.unwrap_or(usize::MAX), category.to_owned())
    };
    let mut faults = Vec::new();
    let mut rows: Vec<FactRow> = Vec::new();
    let mut places: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut known: BTreeMap<(usize, String), usize> = BTreeMap::new();
    let mut unknown = BTreeSet::new();
    for statement in statements {
        let is_known = rubric.categories.iter().any(|known| known.name == statement.category);
        if !rubric.categories.is_empty() && !is_known && unknown.insert(&statement.category) {
            let place = Location::at(format!("{}/{}", statement.category, statement.fact));
            faults.push(Fault::new(place, Rule::CategoryUnknown, &statement.category));
        }
        let name = (statement.category.clone(), fold(&statement.fact));
        let at = *places.entry(name).or_insert_with(|| {
            rows.push(FactRow {
                category: statement.category.clone(),
                fact: statement.fact.clone(),
                class: FactClass::SingleSourced,
                value: String::new(),
                sources: BTreeSet::new(),
                places: Vec::new(),
                values: Vec::new(),
            });
            rows.len() - 1
        });
        let values = &mut rows[at].values;
        let place = *known.entry((at, canonical(&statement.value))).or_insert_with(|| {
            values.push(FactValue::new(&statement.value));
            values.len() - 1
        });
        values[place].given(statement);
    }
    for expected in &rubric.expected {
        places.entry((expected.category.clone(), fold(&expected.fact))).or_insert_with(|| {
            rows.push(FactRow {
                category: expected.category.clone(),
                fact: expected.fact.clone(),
                class: FactClass::Missing,
                value: String::new(),
                sources: BTreeSet::new(),
                places: Vec::new(),
                values: Vec::new(),
            });
            rows.len() - 1
        });
    }
    rows.sort_by_cached_key(|row| order(&row.category));
    let mut conflicts = Vec::new();
    let mut by_class: BTreeMap<FactClass, u32> = BTreeMap::new();
    let mut by_category: BTreeMap<String, u32> =
        rubric.categories.iter().map(|category| (category.name.clone(), 0)).collect();
    for row in &mut rows {
        let values = &mut row.values;
        values.sort_by_key(|value| std::cmp::Reverse(value.sources.len()));
        let said: Vec<&str> = values.iter().map(|value| value.value.as_str()).collect();
        row.value = said.join(" vs ");
        row.sources = values.iter().flat_map(|value| value.sources.iter().cloned()).collect();
        for place in values.iter().flat_map(FactValue::places) {
            if !row.places.contains(&place) {
                row.places.push(place);
            }
        }
        let place = Location::at(format!("{}/{}", row.category, row.fact));
        row.class = match values.as_slice() {
            [] => FactClass::Missing,
            [only] if only.sources.len() > 1 => FactClass::Corroborated,
            [_] => FactClass::SingleSourced,
            [_, _, ..] => FactClass::Contradicted,
        };
        *by_class.entry(row.class).or_default() += 1;
        *by_category.entry(row.category.clone()).or_default() += 1;
        match row.class {
            FactClass::Corroborated => {}
            FactClass::SingleSourced => {
                let source = row.values.iter().flat_map(|value| &value.sources).next();
                let found = source.cloned().unwrap_or_default();
                faults.push(Fault::new(place, Rule::FactSingleSourced, found));
            }
            FactClass::Missing => faults.push(Fault::new(place, Rule::FactMissing, "no source gives it")),
            FactClass::Contradicted => {
                let category = rubric.categories.iter().find(|known| known.name == row.category);
                let conflict = FactConflict {
                    category: row.category.clone(),
                    fact: row.fact.clone(),
                    conflict: row.value.clone(),
                    severity: severity(&row.values, category),
                };
                let rule = match conflict.severity {
                    ConflictSeverity::Major => Rule::FactConflict,
                    ConflictSeverity::Minor => Rule::FactVariance,
                };
                faults.push(Fault::new(place, rule, &conflict.conflict));
                conflicts.push(conflict);
            }
        }
    }
    FactRegistry { rows, by_class, by_category, conflicts, faults }
}
