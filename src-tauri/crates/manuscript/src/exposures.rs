//! Amounts at risk: their sums by category, weighted by probability, adjusted for correlation. Integers in cents.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, Location, Rule};
use crate::findings::Severity;

/// Exposures of a document.
pub const MAX_EXPOSURES: usize = 10_000;

/// Cents of one exposure: nine trillion of the currency's units, so that no sum of [`MAX_EXPOSURES`] overflows.
pub const MAX_CENTS: i64 = 900_000_000_000_000;

/// Basis points of a whole.
const WHOLE: i64 = 10_000;

/// How amounts are put together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExposureRubric {
    /// The categories; another is a fault. None: every category is allowed.
    pub categories: Vec<ExposureCategory>,
    /// The rate by which a yearly amount without end is capitalised, in basis points. Perpetual exposures need it.
    pub discount_basis_points: Option<u32>,
    /// For each group of correlated exposures: the share of all but the largest that does not add to it, in basis points.
    pub overlap_basis_points: BTreeMap<String, u32>,
    /// Exposures that may end the matter by themselves, and that a document may have.
    pub max_blockers: u32,
}

/// A category of exposures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExposureCategory {
    /// Its name.
    pub name: String,
    /// The share of its adjusted amount that is to be held back, in basis points.
    #[serde(default)]
    pub holdback_basis_points: u32,
}

/// Whether an amount is due once or every year.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ExposureKind {
    /// Once.
    OneTime,
    /// Every year, without end.
    Perpetual,
}

/// An amount at risk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exposure {
    /// Its id.
    pub id: String,
    /// Its category.
    pub category: String,
    /// Whether it is due once or every year.
    #[serde(rename = "type")]
    pub kind: ExposureKind,
    /// Cents; of a perpetual exposure: cents a year.
    pub cents: i64,
    /// How probable it is, in basis points: 10,000 is certain.
    pub probability_basis_points: u32,
    /// The group of exposures that it is correlated with.
    #[serde(default)]
    pub correlation: Option<String>,
    /// How much it matters.
    #[serde(default)]
    pub severity: Option<Severity>,
    /// Whether it may end the matter by itself.
    #[serde(default)]
    pub weight: ExposureWeight,
}

/// Whether an exposure may end the matter by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExposureWeight {
    /// No.
    #[default]
    Ordinary,
    /// Yes.
    Blocking,
}

/// A sum as a table of the document states it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatedTotal {
    /// The category; none: all.
    #[serde(default)]
    pub category: Option<String>,
    /// Which sum.
    pub measure: Measure,
    /// Cents.
    pub cents: i64,
    /// The part that states it.
    #[serde(default)]
    pub part: String,
}

/// A sum of exposures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The amounts.
    Gross,
    /// The amounts times their probabilities.
    Weighted,
    /// The weighted amounts less what correlated ones have in common.
    Adjusted,
}

/// Sums in cents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Sums {
    /// Exposures.
    pub count: u32,
    /// The amounts; perpetual ones capitalised.
    pub gross: i64,
    /// The amounts times their probabilities.
    pub weighted: i64,
    /// The weighted amounts less what correlated ones have in common.
    pub adjusted: i64,
}

/// An exposure with its computed amounts, in cents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExposureRow {
    /// Its id.
    pub id: String,
    /// Its category.
    pub category: String,
    /// Whether it is due once or every year.
    #[serde(rename = "type")]
    pub kind: ExposureKind,
    /// The amount as it was given: of a perpetual one for a year.
    pub amount: i64,
    /// The amount; a perpetual one capitalised.
    pub gross: i64,
    /// Times its probability.
    pub weighted: i64,
    /// Less what it has in common with the largest of its group.
    pub adjusted: i64,
}

/// The exposures of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exposures {
    /// Each with its amounts, in order.
    pub rows: Vec<ExposureRow>,
    /// All of them.
    pub total: Sums,
    /// By category.
    pub by_category: BTreeMap<String, Sums>,
    /// By kind.
    pub by_kind: BTreeMap<ExposureKind, Sums>,
    /// What is to be held back by category, in cents, rounded up.
    pub holdbacks: BTreeMap<String, i64>,
    /// The ids of the exposures that may end the matter.
    pub blockers: Vec<String>,
    /// Sums that are stated otherwise, unknown categories, too many blockers.
    pub faults: Vec<Fault>,
}

/// Why exposures cannot be summed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExposureError {
    /// More than [`MAX_EXPOSURES`].
    #[error("{0} exposures are too many: at most {MAX_EXPOSURES}")]
    TooMany(usize),
    /// Two with one id.
    #[error("two exposures are called {0:?}")]
    Duplicate(String),
    /// A negative amount, or one above [`MAX_CENTS`].
    #[error("the amount of {0:?} is not between 0 and {MAX_CENTS} cents")]
    Amount(String),
    /// A probability above certainty, or a share above the whole.
    #[error("{0:?} has more than 10000 basis points")]
    Share(String),
    /// A perpetual exposure without a rate.
    #[error("{0:?} is perpetual: give discount_basis_points, above zero, in the rubric")]
    NoRate(String),
}

/// `amount` times `share` basis points, rounded half up; both are not negative.
fn part_of(amount: i64, share: i64) -> i64 {
    let product = (i128::from(amount) * i128::from(share) * 2 + i128::from(WHOLE)) / (i128::from(WHOLE) * 2);
    i64::try_from(product).unwrap_or(i64::MAX)
}

impl Sums {
    fn add(&mut self, row: &ExposureRow) {
        self.count += 1;
        self.gross = self.gross.saturating_add(row.gross);
        self.weighted = self.weighted.saturating_add(row.weighted);
        self.adjusted = self.adjusted.saturating_add(row.adjusted);
    }

    /// One of the sums.
    pub fn get(&self, measure: Measure) -> i64 {
        match measure {
            Measure::Gross => self.gross,
            Measure::Weighted => self.weighted,
            Measure::Adjusted => self.adjusted,
        }
    }
}

/// Sums exposures and holds stated totals against the sums.
///
/// A perpetual amount counts as the yearly amount divided by the rate. In a group of correlated exposures the largest
/// weighted amount counts whole (of equals the first), each other one less the group's overlap.
///
/// # Errors
/// Too many exposures, one id twice, an amount or a share out of range, a perpetual exposure without a rate.
pub fn aggregate(
    exposures: &[Exposure],
    stated: &[StatedTotal],
    rubric: &ExposureRubric,
) -> Result<Exposures, ExposureError> {
    if exposures.len() > MAX_EXPOSURES {
        return Err(ExposureError::TooMany(exposures.len()));
    }
    for (name, share) in &rubric.overlap_basis_points {
        if i64::from(*share) > WHOLE {
            return Err(ExposureError::Share(name.clone()));
        }
    }
    let over = rubric.categories.iter().find(|category| i64::from(category.holdback_basis_points) > WHOLE);
    if let Some(category) = over {
        return Err(ExposureError::Share(category.name.clone()));
    }
    let mut ids = BTreeSet::new();
    let mut rows = Vec::with_capacity(exposures.len());
    let mut largest: BTreeMap<&str, (i64, usize)> = BTreeMap::new();
    for (at, exposure) in exposures.iter().enumerate() {
        if !ids.insert(&exposure.id) {
            return Err(ExposureError::Duplicate(exposure.id.clone()));
        }
        if !(0..=MAX_CENTS).contains(&exposure.cents) {
            return Err(ExposureError::Amount(exposure.id.clone()));
        }
        let probability = i64::from(exposure.probability_basis_points);
        if probability > WHOLE {
            return Err(ExposureError::Share(exposure.id.clone()));
        }
        let gross = match exposure.kind {
            ExposureKind::OneTime => exposure.cents,
            ExposureKind::Perpetual => capital(exposure, rubric)?,
        };
        let weighted = part_of(gross, probability);
        if let Some(group) = &exposure.correlation {
            let first = largest.entry(group).or_insert((weighted, at));
            if weighted > first.0 {
                *first = (weighted, at);
            }
        }
        rows.push(ExposureRow {
            id: exposure.id.clone(),
            category: exposure.category.clone(),
            kind: exposure.kind,
            amount: exposure.cents,
            gross,
            weighted,
            adjusted: weighted,
        });
    }
    for (at, exposure) in exposures.iter().enumerate() {
        let Some(group) = exposure.correlation.as_deref() else { continue };
        let overlap = rubric.overlap_basis_points.get(group).copied().map_or(0, i64::from);
        if largest.get(group).is_some_and(|(_, first)| *first != at) {
            rows[at].adjusted = part_of(rows[at].weighted, WHOLE - overlap);
        }
    }
    Ok(summed(exposures, rows, stated, rubric))
}

fn capital(exposure: &Exposure, rubric: &ExposureRubric) -> Result<i64, ExposureError> {
    let rate = rubric.discount_basis_points.filter(|rate| *rate > 0);
    let rate = i128::from(rate.ok_or_else(|| ExposureError::NoRate(exposure.id.clone()))?);
    let capital = (i128::from(exposure.cents) * i128::from(WHOLE) * 2 + rate) / (rate * 2);
    let refused = || ExposureError::Amount(exposure.id.clone());
    i64::try_from(capital).ok().filter(|cents| *cents <= MAX_CENTS).ok_or_else(refused)
}

fn summed(
    exposures: &[Exposure],
    rows: Vec<ExposureRow>,
    stated: &[StatedTotal],
    rubric: &ExposureRubric,
) -> Exposures {
    let mut faults = Vec::new();
    let mut total = Sums::default();
    let mut by_category: BTreeMap<String, Sums> =
        rubric.categories.iter().map(|category| (category.name.clone(), Sums::default())).collect();
    let mut by_kind: BTreeMap<ExposureKind, Sums> = BTreeMap::new();
    for row in &rows {
        let is_known = rubric.categories.iter().any(|category| category.name == row.category);
        if !rubric.categories.is_empty() && !is_known {
            faults.push(Fault::new(Location::at(&row.id), Rule::CategoryUnknown, &row.category));
        }
        total.add(row);
        by_category.entry(row.category.clone()).or_default().add(row);
        by_kind.entry(row.kind).or_default().add(row);
    }
    for entry in stated {
        let sums = match &entry.category {
            Some(category) => by_category.get(category).copied().unwrap_or_default(),
            None => total,
        };
        let computed = sums.get(entry.measure);
        if computed != entry.cents {
            let name = entry.category.as_deref().unwrap_or("total");
            let found = format!("{name}: {} cents stated, {computed} cents computed", entry.cents);
            faults.push(Fault::new(Location::at(&entry.part), Rule::TotalMismatch, found));
        }
    }
    let holdback = |category: &ExposureCategory| {
        let adjusted = by_category.get(&category.name).map_or(0, |sums| sums.adjusted);
        let product = i128::from(adjusted) * i128::from(category.holdback_basis_points);
        let cents = (product + i128::from(WHOLE) - 1) / i128::from(WHOLE);
        (category.name.clone(), i64::try_from(cents).unwrap_or(i64::MAX))
    };
    let is_held = |category: &&ExposureCategory| category.holdback_basis_points > 0;
    let holdbacks = rubric.categories.iter().filter(is_held).map(holdback).collect();
    let is_blocker = |exposure: &&Exposure| exposure.weight == ExposureWeight::Blocking;
    let blockers: Vec<String> =
        exposures.iter().filter(is_blocker).map(|exposure| exposure.id.clone()).collect();
    if blockers.len() > rubric.max_blockers as usize {
        let blocker =
            |id: &String| Fault::new(Location::at(id), Rule::Blocker, "it may end the matter by itself");
        faults.extend(blockers.iter().map(blocker));
    }
    Exposures { rows, total, by_category, by_kind, holdbacks, blockers, faults }
}
