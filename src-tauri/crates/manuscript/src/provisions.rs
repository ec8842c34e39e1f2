//! Findings against draft provisions: which finding has one, which has none.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, Location, Rule};
use crate::findings::{Finding, Severity};
use crate::fixed::Percent;
use crate::integrity::placeholders;
use crate::pattern::{Pattern, any};
use crate::text::{Phrases, excerpt, words};

/// Which findings need a provision, and what is enough of one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProvisionRubric {
    /// Findings of these severities need a provision; all, if empty.
    pub severities: Vec<Severity>,
    /// The fewest words of a provision.
    pub min_words: u32,
    /// The types of provisions; any, if empty.
    pub kinds: Vec<String>,
    /// A provision says in one of these ways who has to do what.
    pub operative: Vec<Pattern>,
    /// What is still to be filled in a provision.
    pub placeholders: Vec<Pattern>,
}

/// Provisions of a document.
pub const MAX_PROVISIONS: usize = 2_000;

/// A draft provision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Provision {
    /// Its id.
    pub id: String,
    /// Its type, a word of the rubric's field.
    pub kind: String,
    /// Its text.
    #[serde(default)]
    pub text: String,
    /// The ids of the findings that it settles. None: those that its text names by id or key.
    #[serde(default)]
    pub findings: Vec<String>,
}

/// A finding that needs a provision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CoverageRow {
    /// The finding.
    pub finding: String,
    /// Its severity.
    pub severity: Severity,
    /// The provisions that settle it.
    pub provisions: Vec<String>,
}

/// The coverage of findings by provisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage {
    /// Each finding that needs a provision, in order.
    pub rows: Vec<CoverageRow>,
    /// Those without.
    pub missing: Vec<String>,
    /// The share of those with one.
    pub percentage: Percent,
    /// Provisions by the highest severity of their findings.
    pub by_severity: BTreeMap<Severity, u32>,
    /// Types of provisions.
    pub types: BTreeSet<String>,
    /// Findings without a provision, provisions without a finding or a text.
    pub faults: Vec<Fault>,
}

/// What is wrong with the words of a provision.
fn wording(provision: &Provision, rubric: &ProvisionRubric) -> impl Iterator<Item = Fault> {
    let place = || Location::at(&provision.id);
    let mut faults = placeholders(&provision.id, &provision.text, &rubric.placeholders);
    if !rubric.operative.is_empty() && !any(&rubric.operative, &provision.text) {
        faults.push(Fault::new(place(), Rule::ProvisionInoperative, excerpt(&provision.text)));
    }
    if !rubric.kinds.is_empty() && !rubric.kinds.contains(&provision.kind) {
        faults.push(Fault::new(place(), Rule::ProvisionKind, provision.kind.as_str()));
    }
    faults.into_iter()
}

/// Holds findings against provisions.
pub fn coverage(findings: &[Finding], provisions: &[Provision], rubric: &ProvisionRubric) -> Coverage {
    let mut faults = Vec::new();
    let known: BTreeSet<&String> = findings.iter().map(|finding| &finding.id).collect();
    let names: Vec<Vec<String>> = findings.iter().map(|finding| finding.names().collect()).collect();
    let mut settles: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut by_severity: BTreeMap<Severity, u32> = BTreeMap::new();
    for provision in provisions {
        let text = Phrases::new(&provision.text);
        let ids: BTreeSet<&String> = provision.findings.iter().collect();
        let is_settled = |(finding, names): &(&Finding, &Vec<String>)| match ids.is_empty() {
            true => names.iter().any(|name| text.has(name)),
            false => ids.contains(&finding.id),
        };
        let named: Vec<&Finding> =
            findings.iter().zip(&names).filter(is_settled).map(|(finding, _)| finding).collect();
        for unknown in ids.iter().filter(|id| !known.contains(**id)) {
            faults.push(Fault::new(Location::at(&provision.id), Rule::ProvisionUnlinked, unknown.as_str()));
        }
        if named.is_empty() && provision.findings.is_empty() {
            let found = excerpt(&provision.text);
            faults.push(Fault::new(Location::at(&provision.id), Rule::ProvisionUnlinked, found));
        }
        let count = words(&provision.text);
        let is_short = count < rubric.min_words;
        if is_short {
            let found = format!("{count} words; at least {}", rubric.min_words);
            faults.push(Fault::new(Location::at(&provision.id), Rule::ProvisionEmpty, found));
        }
        faults.extend(wording(provision, rubric).filter(|_| !is_short));
        if let Some(highest) = named.iter().map(|finding| finding.severity).max() {
            *by_severity.entry(highest).or_default() += 1;
        }
        for finding in named.iter().filter(|_| !is_short) {
            settles.entry(&finding.id).or_default().push(provision.id.clone());
        }
    }
    let needs =
        |finding: &&Finding| rubric.severities.is_empty() || rubric.severities.contains(&finding.severity);
    let rows: Vec<CoverageRow> = findings
        .iter()
        .filter(needs)
        .map(|finding| CoverageRow {
            finding: finding.id.clone(),
            severity: finding.severity,
            provisions: settles.get(finding.id.as_str()).cloned().unwrap_or_default(),
        })
        .collect();
    let missing: Vec<String> =
        rows.iter().filter(|row| row.provisions.is_empty()).map(|row| row.finding.clone()).collect();
    for id in &missing {
        let title = findings.iter().find(|finding| finding.id == *id).map_or("", |finding| &finding.title);
        let found = excerpt(if title.is_empty() { id } else { title });
        faults.push(Fault::new(Location::at(id), Rule::ProvisionMissing, found));
    }
    let covered = rows.len() - missing.len();
    Coverage {
        percentage: Percent::share(covered as u64, rows.len() as u64),
        rows,
        missing,
        by_severity,
        types: provisions.iter().map(|provision| provision.kind.clone()).collect(),
        faults,
    }
}
