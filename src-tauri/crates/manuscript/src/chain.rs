//! Which check needs which, which checks a change runs again, and what is known of a check that was run.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::checks::{CheckName, ExitCode};

/// A check that needs another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    /// The check.
    pub check: CheckName,
    /// The check that it needs.
    pub needs: CheckName,
    /// The exit codes of that check that are good enough.
    pub exit_codes: Vec<ExitCode>,
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
}

impl Change {
    /// Every change.
    pub const ALL: [Self; 4] =
        [Self::ContentChanged, Self::CitationsRemediated, Self::FactConflictResolved, Self::RiskTableUpdated];
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
    /// Runs of one check after which a person looks at it.
    pub review_at: u32,
}

impl Default for ChainRubric {
    fn default() -> Self {
        use CheckName::{AggregateRiskTables, ExtractCitations, ExtractFactRegistry, ScanCitationTags};
        let row = |change, reruns: &[CheckName]| MatrixRow { change, reruns: reruns.to_vec() };
        Self {
            dependencies: vec![Dependency {
                check: ScanCitationTags,
                needs: ExtractCitations,
                exit_codes: vec![ExitCode::Pass, ExitCode::Findings],
            }],
            matrix: vec![
                row(
                    Change::ContentChanged,
                    &[ExtractCitations, ScanCitationTags, ExtractFactRegistry, AggregateRiskTables],
                ),
                row(Change::CitationsRemediated, &[ExtractCitations, ScanCitationTags]),
                row(Change::FactConflictResolved, &[ExtractFactRegistry]),
                row(Change::RiskTableUpdated, &[AggregateRiskTables]),
            ],
            review_at: 3,
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

/// Where a check stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// It was never run, or what it found no longer holds.
    #[default]
    NotRun,
    /// It was begun.
    Running,
    /// It passed.
    Complete,
    /// It found something that blocks.
    Failed,
    /// Its input was refused.
    Error,
}

/// What is known of a check.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CheckTrack {
    /// Whether what it found holds.
    pub executed: bool,
    /// Where it stands.
    pub status: CheckStatus,
    /// How it ended.
    pub exit_code: Option<ExitCode>,
    /// How often it was run.
    pub iteration_count: u32,
}

/// What is known of the checks.
pub type Ledger = BTreeMap<CheckName, CheckTrack>;

/// Whether a check can be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clearance {
    /// What it found holds: use that.
    Cached,
    /// It can be run, for the first time or again.
    Run,
    /// Another has to be run first.
    RunFirst(CheckName),
    /// Another ended in a way that is not good enough.
    Halt(CheckName),
}

impl CheckTrack {
    /// The check is begun.
    pub fn begin(&mut self) {
        self.status = CheckStatus::Running;
        self.executed = false;
        self.exit_code = None;
        self.iteration_count = self.iteration_count.saturating_add(1);
    }

    /// The check has ended.
    pub fn end(&mut self, exit_code: ExitCode) {
        self.executed = true;
        self.exit_code = Some(exit_code);
        self.status = match exit_code {
            ExitCode::Pass => CheckStatus::Complete,
            ExitCode::Findings => CheckStatus::Failed,
            ExitCode::Error => CheckStatus::Error,
        };
    }

    /// What the check found no longer holds. How often it was run is kept.
    pub fn reset(&mut self) {
        *self = Self { iteration_count: self.iteration_count, ..Self::default() };
    }
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

    /// Whether a check can be run.
    pub fn clearance(&self, check: CheckName, ledger: &Ledger) -> Clearance {
        let track = |check: CheckName| ledger.get(&check).copied().unwrap_or_default();
        if track(check).executed {
            return Clearance::Cached;
        }
        for dependency in self.dependencies.iter().filter(|dependency| dependency.check == check) {
            let needed = track(dependency.needs);
            match needed.exit_code.filter(|_| needed.executed) {
                None => return Clearance::RunFirst(dependency.needs),
                Some(code) if !dependency.exit_codes.contains(&code) => {
                    return Clearance::Halt(dependency.needs);
                }
                Some(_) => {}
            }
        }
        Clearance::Run
    }

    /// Takes back what the checks found that a change runs again, and names them in order.
    pub fn invalidate(&self, change: Change, ledger: &mut Ledger) -> Vec<CheckName> {
        let reruns = self.reruns(change);
        for check in &reruns {
            ledger.entry(*check).or_default().reset();
        }
        reruns
    }

    /// Whether a person has to look at a check before it is run once more.
    pub fn is_for_review(&self, track: &CheckTrack) -> bool {
        track.iteration_count >= self.review_at
    }
}
