//! The score of a document: dimensions, deductions with caps, bonuses, red flags, tiers, projection.
//!
//! The code computes; every weight, cap and threshold is data. Points are integers in thousandths.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::findings::Severity;
use crate::fixed::{Percent, Points};

/// Points of a perfect document.
pub const MAX_POINTS: Points = Points::whole(100);

/// How a document is scored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ScoreRubric {
    /// The dimensions; their points together are at most 100.
    pub dimensions: Vec<Dimension>,
    /// Points that an issue of a severity takes from its dimension.
    pub issue_points: BTreeMap<Severity, Points>,
    /// The most points that the issues of one dimension take; none: all of them.
    pub max_issue_points: Option<Points>,
    /// Points for what is better than required.
    pub bonuses: Vec<Adjustment>,
    /// Points taken from the whole.
    pub red_flags: Vec<Adjustment>,
    /// The tiers, in any order.
    pub tiers: Vec<Tier>,
    /// What a document has to have to be certified at all, whatever its score.
    pub requirements: Vec<Requirement>,
    /// The least score of a certified document.
    pub certify_at: Points,
    /// Cycles of remediation after which a document is certified with its limitations.
    pub max_cycles: u32,
    /// Ids of dimensions that are not assessed. They have no points: a document is measured by the others.
    pub not_assessed: Vec<String>,
    /// The least points that are assessed for a document to be given a tier.
    pub tier_from: Points,
}

/// A dimension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dimension {
    /// Its id.
    pub id: String,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Its points, which are its weight in percent.
    pub max: Points,
    /// What takes points from it.
    #[serde(default)]
    pub rules: Vec<DeductionRule>,
}

/// What takes points from a dimension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "rule", rename_all = "snake_case", deny_unknown_fields)]
pub enum DeductionRule {
    /// Each unit of a measure takes points.
    Each {
        /// The name of the deduction.
        name: String,
        /// The measure.
        measure: String,
        /// Points for one unit.
        points: Points,
        /// The most points that this takes.
        #[serde(default)]
        cap: Option<Points>,
    },
    /// A measure outside a range takes points in proportion to its distance.
    Range {
        /// The name of the deduction.
        name: String,
        /// The measure.
        measure: String,
        /// The least value without a deduction.
        #[serde(default)]
        min: Option<i64>,
        /// The greatest value without a deduction.
        #[serde(default)]
        max: Option<i64>,
        /// The distance that takes `points`; at least 1.
        per: i64,
        /// Points for that distance.
        points: Points,
        /// The most points that this takes.
        #[serde(default)]
        cap: Option<Points>,
    },
    /// A measure decides how many points of the dimension are reached: those of the highest band whose least value it has.
    Bands {
        /// The name of the deduction.
        name: String,
        /// The measure.
        measure: String,
        /// The bands; below all of them nothing is reached.
        bands: Vec<Band>,
    },
    /// A condition takes points.
    When {
        /// The name of the deduction.
        name: String,
        /// The condition.
        when: Condition,
        /// Points.
        points: Points,
    },
}

/// A band of a measure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Band {
    /// Its least value.
    pub at_least: i64,
    /// Points of the dimension that it reaches.
    pub score: Points,
}

/// A condition on a measure; both bounds hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The measure.
    pub measure: String,
    /// It is at least this.
    #[serde(default)]
    pub at_least: Option<i64>,
    /// It is at most this.
    #[serde(default)]
    pub at_most: Option<i64>,
}

/// Points added to or taken from the whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adjustment {
    /// Its name.
    pub name: String,
    /// Points, above zero.
    pub points: Points,
    /// When it applies.
    pub when: Condition,
}

/// What a document has to have to be certified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// What is missing where it is not met, in words.
    pub missing: String,
    /// When it is met.
    pub when: Condition,
}

/// A tier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tier {
    /// Its name.
    pub name: String,
    /// Its least score.
    pub min: Points,
}

/// Something that is wrong with a document; a model may name it, and never weighs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Issue {
    /// Its id.
    pub id: String,
    /// The id of its dimension.
    pub dimension: String,
    /// How much it matters.
    pub severity: Severity,
    /// What it is.
    #[serde(default)]
    pub description: String,
}

/// A task of remediation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemediationTask {
    /// Its id.
    pub id: String,
    /// The ids of the issues that it settles.
    #[serde(default)]
    pub issues: Vec<String>,
    /// The names of the deductions that it settles.
    #[serde(default)]
    pub deductions: Vec<String>,
}

/// What a document is scored by.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Evidence {
    /// Measures by name; each that the rubric names is needed.
    pub measures: BTreeMap<String, i64>,
    /// Issues.
    pub issues: Vec<Issue>,
    /// Tasks that are planned.
    pub tasks: Vec<RemediationTask>,
    /// The cycle of remediation, from one.
    pub cycle: u32,
}

/// Why a document cannot be scored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScoreError {
    /// No dimension that is assessed, or none of these has points.
    #[error("the rubric has no dimension that is assessed")]
    NoDimensions,
    /// A dimension that is not assessed and does not exist.
    #[error("dimension {0:?} is said not to be assessed, and the rubric does not have it")]
    NotThere(String),
    /// Two dimensions with one id, or two deductions with one name in one dimension.
    #[error("the rubric has {0:?} twice")]
    Duplicate(String),
    /// More than 100 points together.
    #[error("the dimensions have {0} points together: at most 100")]
    TooManyPoints(Points),
    /// Points below zero, or a range with a step below one.
    #[error("{0:?} has points below zero, or a step below one")]
    Negative(String),
    /// A measure that the rubric names and the input does not give.
    #[error("the measure {0:?} is missing")]
    NoMeasure(String),
    /// An issue of a dimension that does not exist.
    #[error("issue {issue:?} is of dimension {dimension:?}, which the rubric does not have")]
    NoDimension {
        /// The issue.
        issue: String,
        /// The dimension.
        dimension: String,
    },
    /// A task that settles an issue that does not exist.
    #[error("task {task:?} settles {what:?}, which nothing names")]
    NoIssue {
        /// The task.
        task: String,
        /// What it settles.
        what: String,
    },
}

/// A deduction that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Deduction {
    /// Its name, or the id of its issue.
    pub name: String,
    /// What the measure gives before the cap.
    pub raw: Points,
    /// The most that it takes.
    pub cap: Option<Points>,
    /// What is taken.
    pub applied: Points,
}

/// The score of a dimension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DimensionScore {
    /// The dimension.
    pub id: String,
    /// Its points.
    pub max: Points,
    /// What was taken.
    pub deductions: Vec<Deduction>,
    /// Its points less the deductions, at least zero: its contribution to the whole. None of what is not assessed.
    pub contribution: Points,
    /// The share of its points, in percent.
    pub percent: Percent,
    /// Whether it is assessed.
    pub is_assessed: bool,
}

/// An adjustment that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AppliedAdjustment {
    /// Its name.
    pub name: String,
    /// Points; of a red flag below zero.
    pub amount: Points,
}

/// What follows from a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Outcome {
    /// The document is certified.
    Certify,
    /// It is remediated and scored again.
    Remediate,
    /// The cycles are used up: it is certified with what is wrong with it.
    CertifyWithLimitations,
}

/// The score that the planned tasks lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Projection {
    /// With the issues that tasks settle.
    pub low: Points,
    /// With the deductions that tasks settle, too.
    pub high: Points,
    /// The share of the points missing from certification that `high` makes up, in percent. No probability is known.
    pub reach: Percent,
}

/// The score of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Score {
    /// Each dimension, in order.
    pub dimensions: Vec<DimensionScore>,
    /// The points of the dimensions that are assessed.
    pub assessed: Points,
    /// The sum of the contributions.
    pub base: Points,
    /// Bonuses that apply.
    pub bonuses: Vec<AppliedAdjustment>,
    /// Red flags that apply.
    pub red_flags: Vec<AppliedAdjustment>,
    /// The sum of all, between 0 and the points assessed.
    pub total: Points,
    /// The highest tier that it reaches. None where too little is assessed.
    pub tier: Option<Tier>,
    /// What a certified document has and this one has not, in words. With any, no cycle leads to a certificate.
    pub unmet: Vec<String>,
    /// What follows.
    pub outcome: Outcome,
    /// Where the planned tasks lead.
    pub projection: Projection,
}

impl DeductionRule {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Each { name, .. }
            | Self::Range { name, .. }
            | Self::Bands { name, .. }
            | Self::When { name, .. } => name,
        }
    }

    fn is_sound(&self) -> bool {
        match self {
            Self::Each { points, cap, .. } => {
                *points >= Points::ZERO && cap.is_none_or(|cap| cap >= Points::ZERO)
            }
            Self::Range { per, points, cap, .. } => {
                *per >= 1 && *points >= Points::ZERO && cap.is_none_or(|cap| cap >= Points::ZERO)
            }
            Self::Bands { bands, .. } => bands.iter().all(|band| band.score >= Points::ZERO),
            Self::When { points, .. } => *points >= Points::ZERO,
        }
    }

    fn deduction(&self, max: Points, measures: &Measures<'_>) -> Result<Deduction, ScoreError> {
        let (raw, cap) = match self {
            Self::Each { measure, points, cap, .. } => (points.times(measures.get(measure)?.max(0)), *cap),
            Self::Range { measure, min, max, per, points, cap, .. } => {
                let value = measures.get(measure)?;
                let below = min.map_or(0, |min| min.saturating_sub(value).max(0));
                let above = max.map_or(0, |max| value.saturating_sub(max).max(0));
                let product = i128::from(below.max(above)) * i128::from(points.units());
                let units = (product * 2 + i128::from(*per)) / (i128::from(*per) * 2);
                (Points::new(i64::try_from(units).unwrap_or(i64::MAX)), *cap)
            }
            Self::Bands { measure, bands, .. } => {
                let value = measures.get(measure)?;
                let reached =
                    bands.iter().filter(|band| value >= band.at_least).max_by_key(|band| band.at_least);
                let score = reached.map_or(Points::ZERO, |band| band.score);
                (max.minus(score).max(Points::ZERO), None)
            }
            Self::When { when, points, .. } => {
                (if when.holds(measures)? { *points } else { Points::ZERO }, None)
            }
        };
        let applied = cap.map_or(raw, |cap| raw.min(cap));
        Ok(Deduction { name: self.name().to_owned(), raw, cap, applied })
    }
}

struct Measures<'m>(&'m BTreeMap<String, i64>);

impl Measures<'_> {
    fn get(&self, name: &str) -> Result<i64, ScoreError> {
        self.0.get(name).copied().ok_or_else(|| ScoreError::NoMeasure(name.to_owned()))
    }
}

impl Condition {
    /// Whether a value lies within both bounds.
    pub(crate) fn allows(&self, value: i64) -> bool {
        self.at_least.is_none_or(|least| value >= least) && self.at_most.is_none_or(|most| value <= most)
    }

    fn holds(&self, measures: &Measures<'_>) -> Result<bool, ScoreError> {
        Ok(self.allows(measures.get(&self.measure)?))
    }
}

/// Scores a document.
///
/// The contribution of a dimension is its points less its deductions. The total is the sum of the contributions and the
/// bonuses less the red flags, between 0 and the points assessed, which are 100 where every dimension is. Thresholds hold
/// for the share of the points assessed. A document with a critical issue, or without what every certified one has, is not
/// certified whatever its score.
///
/// # Errors
/// The rubric is not sound, or the input lacks what the rubric names.
pub fn score(rubric: &ScoreRubric, evidence: &Evidence) -> Result<Score, ScoreError> {
    check(rubric, evidence)?;
    let measures = Measures(&evidence.measures);
    let mut dimensions = Vec::with_capacity(rubric.dimensions.len());
    for dimension in &rubric.dimensions {
        dimensions.push(dimension_score(dimension, rubric, evidence)?);
    }
    let base: Points = dimensions.iter().map(|dimension| dimension.contribution).sum();
    let apply = |adjustments: &[Adjustment], sign: i64| {
        let mut applied = Vec::new();
        for adjustment in adjustments {
            if adjustment.when.holds(&measures)? {
                let amount = adjustment.points.times(sign);
                applied.push(AppliedAdjustment { name: adjustment.name.clone(), amount });
            }
        }
        Ok(applied)
    };
    let bonuses = apply(&rubric.bonuses, 1)?;
    let red_flags = apply(&rubric.red_flags, -1)?;
    let adjusted: Points = bonuses.iter().chain(&red_flags).map(|adjustment| adjustment.amount).sum();
    let is_left_out = |id: &String| rubric.not_assessed.contains(id);
    let all: Points = rubric.dimensions.iter().map(|dimension| dimension.max).sum();
    let left_out = rubric.dimensions.iter().filter(|dimension| is_left_out(&dimension.id));
    // Where every dimension is assessed the whole is 100, whatever the dimensions sum up to.
    let left_out: Points = left_out.map(|dimension| dimension.max).sum();
    let assessed = if left_out == Points::ZERO { MAX_POINTS } else { all.minus(left_out) };
    let bounded = |points: Points| points.clamp(Points::ZERO, assessed);
    let total = bounded(base.plus(adjusted));
    let reached = rubric.tiers.iter().filter(|tier| total >= share_of(assessed, tier.min));
    let tier = reached.max_by_key(|tier| tier.min).filter(|_| assessed >= rubric.tier_from).cloned();
    let certify_at = share_of(assessed, rubric.certify_at);
    let is_critical = evidence.issues.iter().any(|issue| issue.severity == Severity::Critical);
    let mut unmet = Vec::new();
    for requirement in &rubric.requirements {
        if !requirement.when.holds(&measures)? {
            unmet.push(requirement.missing.clone());
        }
    }
    let outcome = if total >= certify_at && !is_critical && unmet.is_empty() {
        Outcome::Certify
    } else if evidence.cycle < rubric.max_cycles || !unmet.is_empty() {
        Outcome::Remediate
    } else {
        Outcome::CertifyWithLimitations
    };
    let settled = |settles: &dyn Fn(&Deduction) -> bool| {
        let left = dimensions.iter().filter(|dimension| dimension.is_assessed).map(|dimension| {
            let taken = dimension.deductions.iter().filter(|deduction| !settles(deduction));
            let taken: Points = taken.map(|deduction| deduction.applied).sum();
            dimension.max.minus(taken).max(Points::ZERO)
        });
        bounded(left.sum::<Points>().plus(adjusted))
    };
    let by_issue = |deduction: &Deduction| {
        deduction
            .name
            .strip_prefix(ISSUE)
            .is_some_and(|id| evidence.tasks.iter().any(|task| task.issues.iter().any(|issue| issue == id)))
    };
    let by_task =
        |deduction: &Deduction| evidence.tasks.iter().any(|task| task.deductions.contains(&deduction.name));
    let (low, high) = (settled(&by_issue), settled(&|deduction| by_issue(deduction) || by_task(deduction)));
    let missing = certify_at.minus(total).max(Points::ZERO).units().unsigned_abs();
    let gained = high.minus(total).max(Points::ZERO).units().unsigned_abs().min(missing);
    let projection = Projection { low, high, reach: Percent::share(gained, missing) };
    Ok(Score { dimensions, assessed, base, bonuses, red_flags, total, tier, unmet, outcome, projection })
}

/// The same share of the points assessed as `points` are of 100, rounded up: who reaches it reaches the share.
pub fn share_of(assessed: Points, points: Points) -> Points {
    let (product, whole) =
        (i128::from(assessed.units()) * i128::from(points.units()), i128::from(MAX_POINTS.units()));
    Points::new(i64::try_from((product + whole - 1).div_euclid(whole)).unwrap_or(i64::MAX))
}

/// Before the id of an issue in the name of its deduction.
const ISSUE: &str = "issue ";

fn dimension_score(
    dimension: &Dimension,
    rubric: &ScoreRubric,
    evidence: &Evidence,
) -> Result<DimensionScore, ScoreError> {
    let measures = Measures(&evidence.measures);
    let is_assessed = !rubric.not_assessed.contains(&dimension.id);
    if !is_assessed {
        let (id, max, contribution) = (dimension.id.clone(), dimension.max, Points::ZERO);
        let percent = Percent::ZERO;
        return Ok(DimensionScore { id, max, deductions: Vec::new(), contribution, percent, is_assessed });
    }
    let mut deductions = Vec::new();
    for rule in &dimension.rules {
        let deduction = rule.deduction(dimension.max, &measures)?;
        if deduction.raw > Points::ZERO {
            deductions.push(deduction);
        }
    }
    let mut left = rubric.max_issue_points;
    for issue in evidence.issues.iter().filter(|issue| issue.dimension == dimension.id) {
        let raw = rubric.issue_points.get(&issue.severity).copied().unwrap_or_default();
        let applied = left.map_or(raw, |left| raw.min(left));
        left = left.map(|left| left.minus(applied));
        let name = format!("{ISSUE}{}", issue.id);
        deductions.push(Deduction { name, raw, cap: rubric.max_issue_points, applied });
    }
    let taken: Points = deductions.iter().map(|deduction| deduction.applied).sum();
    let contribution = dimension.max.minus(taken).max(Points::ZERO);
    let units = |points: Points| points.units().unsigned_abs();
    let percent = Percent::share(units(contribution), units(dimension.max));
    let (id, max) = (dimension.id.clone(), dimension.max);
    Ok(DimensionScore { id, max, deductions, contribution, percent, is_assessed })
}

fn check(rubric: &ScoreRubric, evidence: &Evidence) -> Result<(), ScoreError> {
    if rubric.dimensions.is_empty() {
        return Err(ScoreError::NoDimensions);
    }
    for (at, dimension) in rubric.dimensions.iter().enumerate() {
        if rubric.dimensions[..at].iter().any(|other| other.id == dimension.id) {
            return Err(ScoreError::Duplicate(dimension.id.clone()));
        }
        if dimension.max < Points::ZERO {
            return Err(ScoreError::Negative(dimension.id.clone()));
        }
        for (place, rule) in dimension.rules.iter().enumerate() {
            if !rule.is_sound() {
                return Err(ScoreError::Negative(rule.name().to_owned()));
            }
            if dimension.rules[..place].iter().any(|other| other.name() == rule.name()) {
                return Err(ScoreError::Duplicate(rule.name().to_owned()));
            }
        }
    }
    let adjustments = rubric.bonuses.iter().chain(&rubric.red_flags);
    if let Some(negative) = adjustments.into_iter().find(|adjustment| adjustment.points < Points::ZERO) {
        return Err(ScoreError::Negative(negative.name.clone()));
    }
    let points: Points = rubric.dimensions.iter().map(|dimension| dimension.max).sum();
    if points > MAX_POINTS {
        return Err(ScoreError::TooManyPoints(points));
    }
    let known = |id: &str| rubric.dimensions.iter().any(|dimension| dimension.id == id);
    if let Some(lost) = rubric.not_assessed.iter().find(|id| !known(id)) {
        return Err(ScoreError::NotThere(lost.clone()));
    }
    // Nothing of nothing would reach every threshold.
    let is_without_points =
        |dimension: &Dimension| rubric.not_assessed.contains(&dimension.id) || dimension.max == Points::ZERO;
    if !rubric.not_assessed.is_empty() && rubric.dimensions.iter().all(is_without_points) {
        return Err(ScoreError::NoDimensions);
    }
    if let Some(issue) = evidence.issues.iter().find(|issue| !known(&issue.dimension)) {
        let (issue, dimension) = (issue.id.clone(), issue.dimension.clone());
        return Err(ScoreError::NoDimension { issue, dimension });
    }
    for task in &evidence.tasks {
        let is_issue = |id: &String| evidence.issues.iter().any(|issue| issue.id == *id);
        let rules = || rubric.dimensions.iter().flat_map(|dimension| &dimension.rules);
        let is_rule = |name: &String| rules().any(|rule| rule.name() == name);
        let lost = task.issues.iter().find(|id| !is_issue(id));
        if let Some(what) = lost.or_else(|| task.deductions.iter().find(|name| !is_rule(name))) {
            return Err(ScoreError::NoIssue { task: task.id.clone(), what: what.clone() });
        }
    }
    Ok(())
}
