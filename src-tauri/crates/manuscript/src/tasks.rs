//! Tasks of remediation: their waves, how grave they are, and whether their success criteria hold.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, Location, Rule};
use crate::findings::Severity;
use crate::score::Condition;

/// Tasks of one assessment.
pub const MAX_TASKS: usize = 200;

/// A task with what shows that it is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// The wave in which it is carried out, the lowest first.
    pub wave: u32,
    /// What it is called.
    #[serde(default)]
    pub title: String,
    /// The ids of the dimensions that it settles.
    #[serde(default)]
    pub dimensions: Vec<String>,
    /// How grave the issues are that it settles; the gravest counts.
    #[serde(default)]
    pub severities: Vec<Severity>,
    /// What has to hold once it is done.
    pub criteria: Vec<Criterion>,
}

/// What has to hold once a task is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    /// In words.
    pub says: String,
    /// As a condition on a measure.
    pub when: Condition,
}

/// A criterion that was tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CriterionResult {
    /// In words.
    pub says: String,
    /// Whether it holds.
    pub is_met: bool,
    /// The measure's value.
    pub measured: i64,
}

/// A task whose criteria were tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TaskResult {
    /// The task.
    pub id: String,
    /// Its wave.
    pub wave: u32,
    /// What it is called.
    pub title: String,
    /// Its dimensions.
    pub dimensions: Vec<String>,
    /// The gravest issue that it settles.
    pub severity: Option<Severity>,
    /// Whether every criterion holds.
    pub is_done: bool,
    /// The criteria in order.
    pub criteria: Vec<CriterionResult>,
}

/// The tasks of an assessment, in the order in which they are carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskResults {
    /// By wave; within a wave the gravest first.
    pub rows: Vec<TaskResult>,
    /// The ids of each wave.
    pub waves: BTreeMap<u32, Vec<String>>,
    /// A fault for each criterion that does not hold.
    pub faults: Vec<Fault>,
}

/// Why tasks cannot be tested.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskError {
    /// A criterion names a measure that the input does not give.
    #[error("the measure {0:?} is missing")]
    NoMeasure(String),
    /// A task without a criterion is never done.
    #[error("the task {0:?} has no criterion: say what has to hold once it is done")]
    NoCriterion(String),
    /// Two tasks with one id.
    #[error("the task {0:?} stands twice")]
    Duplicate(String),
}

/// Tests the criteria of tasks.
///
/// # Errors
/// A task stands twice or has no criterion, or a measure is missing.
pub fn results(tasks: &[Task], measures: &BTreeMap<String, i64>) -> Result<TaskResults, TaskError> {
    let mut ids = BTreeSet::new();
    let mut rows = Vec::with_capacity(tasks.len());
    for task in tasks {
        if !ids.insert(&task.id) {
            return Err(TaskError::Duplicate(task.id.clone()));
        }
        if task.criteria.is_empty() {
            return Err(TaskError::NoCriterion(task.id.clone()));
        }
        let criteria = task.criteria.iter().map(|criterion| {
            let measure = &criterion.when.measure;
            let measured = *measures.get(measure).ok_or_else(|| TaskError::NoMeasure(measure.clone()))?;
            let is_met = criterion.when.allows(measured);
            Ok(CriterionResult { says: criterion.says.clone(), is_met, measured })
        });
        let criteria = criteria.collect::<Result<Vec<_>, TaskError>>()?;
        rows.push(TaskResult {
            id: task.id.clone(),
            wave: task.wave,
            title: task.title.clone(),
            dimensions: task.dimensions.clone(),
            severity: task.severities.iter().max().copied(),
            is_done: criteria.iter().all(|criterion| criterion.is_met),
            criteria,
        });
    }
    rows.sort_by(|one, other| {
        one.wave.cmp(&other.wave).then(other.severity.cmp(&one.severity)).then(one.id.cmp(&other.id))
    });
    let mut waves: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let mut faults = Vec::new();
    for row in &rows {
        waves.entry(row.wave).or_default().push(row.id.clone());
        for criterion in row.criteria.iter().filter(|criterion| !criterion.is_met) {
            let found = format!("{} (measured: {})", criterion.says, criterion.measured);
            faults.push(Fault::new(Location::at(&row.id), Rule::CriterionUnmet, found));
        }
    }
    Ok(TaskResults { rows, waves, faults })
}
