//! Which check needs which, and which checks a change runs again.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::checks::CheckName;

/// A check that needs another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    /// The check.
    pub check: CheckName,
    /// The check that it needs.
    pub needs: CheckName,
}

/// A change of a document after which checks are run again.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Text of the document.
    ContentChanged,
    /// Citations were corrected.
    CitationsRemediated,
    /// A conflict of facts was settled.
    FactConflictResolved,
    /// A table of exposures was updated.
    RiskTableUpdated,
    /// Questions or their answers were written again, and no other part.
    QuestionsRemediated,
}

impl Change {
    /// Every change.
    pub const ALL: [Self; 5] = [
        Self::ContentChanged,
        Self::CitationsRemediated,
        Self::FactConflictResolved,
        Self::RiskTableUpdated,
        Self::QuestionsRemediated,
    ];
}

/// What a change runs again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatrixRow {
    /// The change.
    pub change: Change,
    /// The checks; those that need them follow by themselves.
    pub reruns: Vec<CheckName>,
}

/// The chain of the checks as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ChainRubric {
    /// Which check needs which.
    pub dependencies: Vec<Dependency>,
    /// What each change runs again; at most one row a change.
    pub matrix: Vec<MatrixRow>,
}

impl Default for ChainRubric {
    fn default() -> Self {
        use CheckName::{
            AggregateRiskTables, AnalyzeXrefs, CheckQuestions, ExtractCitations, ExtractFactRegistry,
            PreQaValidate, ScanCitationTags,
        };
        let row = |change, reruns: &[CheckName]| MatrixRow { change, reruns: reruns.to_vec() };
        Self {
            dependencies: vec![Dependency { check: ScanCitationTags, needs: ExtractCitations }],
            matrix: vec![
                row(
                    Change::ContentChanged,
                    &[ExtractCitations, ScanCitationTags, ExtractFactRegistry, AggregateRiskTables],
                ),
                row(Change::CitationsRemediated, &[ExtractCitations, ScanCitationTags]),
                row(Change::FactConflictResolved, &[ExtractFactRegistry]),
                row(Change::RiskTableUpdated, &[AggregateRiskTables]),
                row(
                    Change::QuestionsRemediated,
                    &[PreQaValidate, AnalyzeXrefs, ExtractCitations, ScanCitationTags, CheckQuestions],
                ),
            ],
        }
    }
}

/// Why a chain is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainError {
    /// A check needs itself, directly or through others.
    #[error("{0} needs itself: remove a dependency")]
    Circle(CheckName),
    /// Two rows of one change.
    #[error("the matrix has two rows for {0:?}: join them")]
    Duplicate(Change),
}

impl ChainRubric {
    /// Tests the data of the chain.
    ///
    /// # Errors
    /// A check needs itself, or a change has two rows.
    pub fn validate(&self) -> Result<(), ChainError> {
        for check in CheckName::ALL {
            if self.needs(*check).contains(check) {
                return Err(ChainError::Circle(*check));
            }
        }
        for (at, row) in self.matrix.iter().enumerate() {
            if self.matrix[..at].iter().any(|other| other.change == row.change) {
                return Err(ChainError::Duplicate(row.change));
            }
        }
        Ok(())
    }

    /// Every check that a check needs, directly or through others.
    pub fn needs(&self, check: CheckName) -> BTreeSet<CheckName> {
        self.closure([check], |dependency| (dependency.check, dependency.needs))
    }

    /// Every check that needs a check, directly or through others.
    pub fn dependents(&self, check: CheckName) -> BTreeSet<CheckName> {
        self.closure([check], |dependency| (dependency.needs, dependency.check))
    }

    fn closure(
        &self,
        from: impl IntoIterator<Item = CheckName>,
        edge: impl Fn(&Dependency) -> (CheckName, CheckName),
    ) -> BTreeSet<CheckName> {
        let mut open: Vec<CheckName> = from.into_iter().collect();
        let mut found = BTreeSet::new();
        while let Some(check) = open.pop() {
            let edges = self.dependencies.iter().map(&edge);
            let next = edges.filter(|(from, _)| *from == check).map(|(_, to)| to);
            open.extend(next.filter(|to| found.insert(*to)));
        }
        found
    }

    /// The checks that a change runs again, each after those that it needs.
    pub fn reruns(&self, change: Change) -> Vec<CheckName> {
        let rows = self.matrix.iter().filter(|row| row.change == change);
        let named: BTreeSet<CheckName> = rows.flat_map(|row| row.reruns.iter().copied()).collect();
        let mut left: BTreeSet<CheckName> =
            named.iter().flat_map(|check| self.dependents(*check)).chain(named.iter().copied()).collect();
        let mut order = Vec::with_capacity(left.len());
        // A circle ends the order with what is left, so that a broken chain loses no check.
        while let Some(next) =
            left.iter().find(|check| self.needs(**check).is_disjoint(&left)).or_else(|| left.first()).copied()
        {
            left.remove(&next);
            order.push(next);
        }
        order
    }
}
