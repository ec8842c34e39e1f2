//! A sheet of facts as somebody accepted it: how each fact stands, and the register of its figures.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::facts::{FactValue, is_same};
use crate::numbers::{Binding, MAX_ROWS, NumberRow, Rounding};
use crate::quantity::figure;
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

/// How texts name a fact. One that is not listed is named by its own name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactKeys {
    /// The name of the fact, without the document that it is of; compared without case.
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
#[schemars(rename = "FactStanding")]
pub enum FactState {
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
    pub class: FactState,
    /// The sources of this value.
    pub sources: BTreeSet<String>,
    /// Where it stands: each source, with each of its pages that is known.
    pub places: Vec<String>,
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
///
/// Each figure of a value is a row: an amount, a share, a count, a day. A fact of one document, `Fee (lease)`, and one that
/// `keys` does not list and a single document gives, is looked for only where that document is cited.
pub fn read(facts: &[SheetFact], keys: &[FactKeys], given_by: &str) -> Sheet {
    let mut sheet = Sheet { facts: Vec::new(), numbers: Vec::new(), left_out: 0 };
    let mut ids = BTreeSet::new();
    for fact in facts {
        let Some(value) = written(&fact.value) else { continue };
        let accepted = accepted(fact, value, given_by);
        if accepted.class != FactState::Contradicted {
            sheet.numbers.extend(rows(fact, &accepted, keys, &mut ids));
        }
        sheet.facts.push(accepted);
    }
    // What holds for the whole comes first, so that it is never what is left out.
    sheet.numbers.sort_by_key(|row| row.binding == Binding::Beside);
    sheet.left_out = sheet.numbers.len().saturating_sub(MAX_ROWS);
    sheet.numbers.truncate(MAX_ROWS);
    sheet
}

/// Values of one fact that stand beside each other, as in the cells of a table.
const SEPARATOR: &str = " | ";

fn rows(
    fact: &SheetFact,
    accepted: &AcceptedFact,
    keys: &[FactKeys],
    ids: &mut BTreeSet<String>,
) -> Vec<NumberRow> {
    let named: BTreeSet<&String> =
        fact.values.iter().flat_map(|one| &one.sources).chain(&fact.sources).collect();
    let of_document = fact.fact.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    let of_document =
        of_document.filter(|(_, document)| named.iter().any(|source| source.as_str() == *document));
    let (name, document) = of_document.unzip();
    let name = name.unwrap_or(&fact.fact);
    let listed = keys.iter().find(|known| fold(&known.fact) == fold(name));
    let keys = match listed {
        Some(listed) => listed.keys.clone(),
        None => name.split(SEPARATOR).next().into_iter().map(|name| name.trim().to_owned()).collect(),
    };
    let only = || (listed.is_none() && named.len() == 1).then(|| named.first().map(|name| name.as_str()));
    let within = document.or_else(|| only().flatten());
    let binding = match (listed, document) {
        (Some(_), None) => Binding::Near,
        (Some(_) | None, _) => Binding::Beside,
    };
    let chosen = fact.values.iter().find(|one| is_same(&one.value, &accepted.value));
    let source = accepted.sources.first().cloned().unwrap_or_default();
    let page = chosen.and_then(|chosen| chosen.pages.get(&source)?.first().copied());
    let figures =
        accepted.value.split(SEPARATOR).enumerate().filter_map(|(at, text)| Some((at, figure(text)?)));
    let row = |(at, found): (usize, crate::quantity::Quantity)| {
        // A bare number counts what the sources count.
        let of_source =
            || fact.values.iter().find_map(|one| figure(one.value.split(SEPARATOR).nth(at)?)?.unit);
        let unit = found.unit.or_else(of_source).map(str::to_owned);
        NumberRow {
            id: free(&fact.fact, ids),
            keys: keys.clone(),
            value: found.value,
            unit: unit.or_else(|| listed.map(|listed| listed.unit.clone())).unwrap_or_default(),
            period: chosen.and_then(|chosen| chosen.period.clone()),
            source: source.clone(),
            page,
            rounding: Rounding::Stated,
            within: within.map(str::to_owned),
            binding,
        }
    };
    figures.map(row).collect()
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
    let values = fact.values.as_slice();
    let all: Vec<&str> = values.iter().map(|one| one.value.as_str()).collect();
    let chosen = values.iter().find(|one| is_same(&one.value, &value));
    let (class, of) = match (values, chosen) {
        ([_, _, ..], None) if fold(&all.join(" vs ")) == fold(&value) => (FactState::Contradicted, values),
        ([_, _, ..], Some(chosen)) => (FactState::Settled, std::slice::from_ref(chosen)),
        (_, Some(only)) if only.sources.len() > 1 => (FactState::Corroborated, values),
        (_, Some(_)) => (FactState::SingleSourced, values),
        (_, None) => (FactState::Given, [].as_slice()),
    };
    let mut sources: BTreeSet<String> = of.iter().flat_map(|one| one.sources.iter().cloned()).collect();
    let mut places: Vec<String> = of.iter().flat_map(FactValue::places).collect();
    if class == FactState::Given {
        let is_added = values.is_empty() && !fact.sources.is_empty();
        sources = if is_added { fact.sources.clone() } else { BTreeSet::from([given_by.to_owned()]) };
        places = sources.iter().cloned().collect();
    }
    AcceptedFact { category: fact.category.clone(), fact: fact.fact.clone(), value, class, sources, places }
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
