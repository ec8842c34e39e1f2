//! Success criteria as numbers, compared with what the graph says.

use std::collections::BTreeMap;

use domain::mission::{GraphFacts, MILLION, SuccessCriteria, percent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A value of a criterion: shares in percent, counts as they are.
pub fn measure(criterion: &str, value: u32) -> String {
    match criterion {
        "confidence" | "coverage" | "quality" => format!("{} %", percent(value)),
        _ => value.to_string(),
    }
}

/// How far a criterion is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Criterion {
    /// How it stands.
    pub value: u32,
    /// What it has to reach; of what may be left open, what it may not exceed.
    pub target: u32,
    /// Whether it does.
    pub met: bool,
}

impl Criterion {
    fn at_least(value: u32, target: u32) -> Self {
        Self { value, target, met: value >= target }
    }

    fn none(value: u32) -> Self {
        Self { value, target: 0, met: value == 0 }
    }
}

/// The criteria of a mission; those that are absent are not demanded. Shares are in millionths.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Criteria {
    /// The mean confidence of supported claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u32>,
    /// The share of required topics that are covered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<u32>,
    /// The quality of what is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<u32>,
    /// Sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<u32>,
    /// Independent sources of each supported claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources_per_claim: Option<u32>,
    /// Whether no critical gap may be open.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_open_critical_gaps: bool,
    /// Whether every claim has to be supported.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all_claims_cited: bool,
    /// Names of conditions over the graph.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub validations: Vec<String>,
}

/// The criterion that every mission has: without a claim that a source supports, nothing is known.
const EVIDENCE: &str = "evidence";

impl Criteria {
    /// Those of a profile. What it requires of the report is checked when one is there.
    pub fn of(criteria: &SuccessCriteria) -> Self {
        let share = |share: f64| (share.clamp(0.0, 1.0) * f64::from(MILLION)).round() as u32;
        Self {
            confidence: criteria.confidence.map(share),
            coverage: criteria.coverage.map(share),
            quality: criteria.quality_score.map(|points| share(points / 100.0)),
            sources: criteria.min_sources,
            sources_per_claim: criteria.min_sources_per_claim,
            no_open_critical_gaps: criteria.no_open_critical_gaps == Some(true),
            all_claims_cited: criteria.all_claims_cited == Some(true),
            validations: criteria.validations.clone(),
        }
    }

    /// How far each is met.
    pub fn check(&self, facts: &GraphFacts) -> BTreeMap<String, Criterion> {
        let counts = &facts.counts;
        let evidence = counts.supported_claims.min(counts.sources);
        let mut results = BTreeMap::from([(EVIDENCE.to_owned(), Criterion::at_least(evidence, 1))]);
        for (name, value, target) in [
            ("confidence", facts.confidence, self.confidence),
            ("coverage", facts.coverage, self.coverage),
            ("quality", facts.quality, self.quality),
            ("sources", counts.sources, self.sources),
            ("sources per claim", facts.sources_per_claim, self.sources_per_claim),
        ] {
            results.extend(target.map(|target| (name.to_owned(), Criterion::at_least(value, target))));
        }
        for (name, value, is_demanded) in [
            ("critical gaps", counts.open_critical_gaps, self.no_open_critical_gaps),
            ("unsupported claims", counts.unsupported_claims, self.all_claims_cited),
        ] {
            results.extend(is_demanded.then(|| (name.to_owned(), Criterion::none(value))));
        }
        for name in &self.validations {
            let holds = facts.validations.get(name).copied().unwrap_or(false);
            results.insert(format!("validation {name}"), Criterion::at_least(u32::from(holds), 1));
        }
        results
    }
}

/// The names of those that are not met.
pub(crate) fn unmet(results: &BTreeMap<String, Criterion>) -> impl Iterator<Item = &String> {
    results.iter().filter(|(_, criterion)| !criterion.met).map(|(name, _)| name)
}
