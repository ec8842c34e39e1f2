//! A sheet of facts as somebody accepted it: how each fact stands, and the register of its figures.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::facts::{FactValue, is_same};
use crate::numbers::{MAX_ROWS, NumberRow, Rounding};
use crate::quantity::quantity;
use crate::text::fold;

/// Facts of a sheet.
pub const MAX_FACTS: usize = 20_000;

/// A fact of a sheet, as it was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SheetFact {
    /// The category.
    #[serde(default)]
    pub category: String,
    /// The name.
    pub fact: String,
    /// The accepted value: a text or a number. Of a fact whose sources contradict each other, and that nobody settled, all
    /// values with "vs" between them.
    #[serde(default)]
    pub value: Value,
    /// The documents that are named for it; they count where `values` is empty.
    #[serde(default)]
    pub sources: BTreeSet<String>,
    /// What the sources give; empty: the fact was added to the sheet.
    #[serde(default)]
    pub values: Vec<FactValue>,
}

/// How texts name a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactKeys {
    /// The name of the fact; compared without case.
    pub fact: String,
    /// Phrases that name it in a text.
    pub keys: Vec<String>,
    /// What is counted, for a value without a unit.
    #[serde(default)]
    pub unit: String,
}

/// How an accepted fact stands.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FactStanding {
    /// At least two sources give this value.
    Corroborated,
    /// One source gives it.
    SingleSourced,
    /// Sources give different values, and none of them was chosen.
    Contradicted,
    /// Sources give different values, and this one of them was chosen.
    Settled,
    /// No source gives this value.
    Given,
}

/// A fact with its standing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AcceptedFact {
    /// The category.
    pub category: String,
    /// The name.
    pub fact: String,
    /// The accepted value.
    pub value: String,
    /// How it stands.
    pub class: FactStanding,
    /// The sources of this value.
    pub sources: BTreeSet<String>,
}

/// What a sheet amounts to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    /// Its facts in order. One without a value is left out.
    pub facts: Vec<AcceptedFact>,
    /// The register of its figures.
    pub numbers: Vec<NumberRow>,
    /// Figures beyond [`MAX_ROWS`].
    pub left_out: usize,
}

/// Reads a sheet. A figure that no document gives has `given_by` as its source.
pub fn read(facts: &[SheetFact], keys: &[FactKeys], given_by: &str) -> Sheet {
    let mut sheet = Sheet { facts: Vec::new(), numbers: Vec::new(), left_out: 0 };
    let mut ids = BTreeSet::new();
    for fact in facts {
        let Some(value) = written(&fact.value) else { continue };
        let accepted = accepted(fact, value, given_by);
        let named = keys.iter().find(|known| fold(&known.fact) == fold(&fact.fact));
        if let Some((named, found)) = named.zip(quantity(&accepted.value)) {
            // A bare number counts what the sources count.
            let of_source = || fact.values.iter().find_map(|one| quantity(&one.value)?.unit);
            let unit = found.unit.or_else(of_source);
            sheet.numbers.push(NumberRow {
                id: free(&fact.fact, &mut ids),
                keys: named.keys.clone(),
                value: found.value,
                unit: unit.map_or_else(|| named.unit.clone(), str::to_owned),
                period: None,
                source: accepted.sources.first().cloned().unwrap_or_default(),
                page: None,
                rounding: Rounding::Stated,
            });
        }
        sheet.facts.push(accepted);
    }
    sheet.left_out = sheet.numbers.len().saturating_sub(MAX_ROWS);
    sheet.numbers.truncate(MAX_ROWS);
    sheet
}

fn written(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    (!text.is_empty()).then_some(text)
}

fn accepted(fact: &SheetFact, value: String, given_by: &str) -> AcceptedFact {
    let all: Vec<&str> = fact.values.iter().map(|one| one.value.as_str()).collect();
    let chosen = fact.values.iter().find(|one| is_same(&one.value, &value));
    let (class, sources) = match (fact.values.as_slice(), chosen) {
        ([_, _, ..], None) if fold(&all.join(" vs ")) == fold(&value) => {
            let sources = fact.values.iter().flat_map(|one| one.sources.iter().cloned()).collect();
            (FactStanding::Contradicted, sources)
        }
        ([_, _, ..], Some(chosen)) => (FactStanding::Settled, chosen.sources.clone()),
        (_, Some(only)) if only.sources.len() > 1 => (FactStanding::Corroborated, only.sources.clone()),
        (_, Some(only)) => (FactStanding::SingleSourced, only.sources.clone()),
        ([], None) if !fact.sources.is_empty() => (FactStanding::Given, fact.sources.clone()),
        (_, None) => (FactStanding::Given, BTreeSet::from([given_by.to_owned()])),
    };
    AcceptedFact { category: fact.category.clone(), fact: fact.fact.clone(), value, class, sources }
}

/// An id that no row has yet: the name in lower case, with a hyphen for everything that is no letter and no digit.
fn free(name: &str, ids: &mut BTreeSet<String>) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.map(fold).collect::<Vec<_>>().join("-");
    let mut id = slug.clone();
    let mut number = 2;
    while !ids.insert(id.clone()) {
        id = format!("{slug}-{number}");
        number += 1;
    }
    id
}
