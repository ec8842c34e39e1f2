//! A task as it is now: what its worktrees hold and what its checks say.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Worktrees;
use crate::diff::DiffScope;
use crate::error::TaskError;
use crate::record::{Attempt, Task, TaskId};
use crate::savepoint::tree_of_worktree;
use crate::status::Status;

/// What the recorded exit codes say about an attempt. Nothing else makes it done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "TaskVerdict")]
pub enum Verdict {
    /// No checks are declared.
    NotDeclared,
    /// No check was run.
    NotRun,
    /// A check ended with another code than 0, or was ended for taking too long.
    Failed,
    /// Files have changed since the checks ran.
    Stale,
    /// Every check ended with 0 on the files as they are.
    Passed,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotDeclared => "no checks are declared",
            Self::NotRun => "its checks were not run",
            Self::Failed => "its checks failed",
            Self::Stale => "files have changed since its checks ran",
            Self::Passed => "its checks passed",
        })
    }
}

/// How much an attempt changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffStat {
    /// Changed files.
    pub files: u32,
    /// Lines added.
    pub additions: u32,
    /// Lines removed.
    pub deletions: u32,
}

/// A task with what its attempts hold now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskView {
    /// The record.
    pub task: Task,
    /// Whether a person has accepted the task's commands.
    pub approved: bool,
    /// Each attempt, in the record's order.
    pub attempts: Vec<AttemptView>,
}

/// An attempt as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptView {
    /// Its number.
    pub number: u32,
    /// Whether its folder is there as a worktree.
    pub folder_there: bool,
    /// Changes since the base.
    pub stat: DiffStat,
    /// Files that are not committed.
    pub uncommitted: u32,
    /// What the checks say.
    pub verdict: Verdict,
    /// What could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Worktrees {
    /// A task with what its attempts hold now. What can't be read of one attempt keeps nothing of the others back.
    pub async fn view(&self, id: &TaskId) -> Result<TaskView, TaskError> {
        let task = self.task(id)?;
        let mut attempts = Vec::new();
        for attempt in &task.attempts {
            let mut view = AttemptView {
                number: attempt.number,
                folder_there: self.git_in(attempt).is_ok(),
                stat: DiffStat::default(),
                uncommitted: 0,
                verdict: Verdict::NotRun,
                problem: None,
            };
            if let Err(error) = self.look(&task, attempt, &mut view).await {
                view.problem = Some(error.to_string());
            }
            attempts.push(view);
        }
        let approved = self.approved(&task.common, &task.commands)?;
        Ok(TaskView { task, approved, attempts })
    }

    async fn look(&self, task: &Task, attempt: &Attempt, view: &mut AttemptView) -> Result<(), TaskError> {
        view.verdict = self.verdict_of(task, attempt).await?;
        let diff = self.diff_of(task, attempt, DiffScope::Base, &[], false).await?;
        view.stat = DiffStat {
            files: diff.files.len() as u32 + diff.more_files,
            additions: diff.additions,
            deletions: diff.deletions,
        };
        if view.folder_there {
            let status = Status::read(&self.git_in(attempt)?).await?;
            view.uncommitted = (status.changed.len() + status.untracked.len()) as u32;
        }
        Ok(())
    }

    /// What the recorded exit codes say about the files of an attempt as they are, or were when its worktree was removed.
    pub(crate) async fn verdict_of(&self, task: &Task, attempt: &Attempt) -> Result<Verdict, TaskError> {
        if task.commands.checks.is_empty() {
            return Ok(Verdict::NotDeclared);
        }
        let Some(run) = attempt.checks.last() else { return Ok(Verdict::NotRun) };
        let tree = match (self.git_in(attempt), &attempt.kept) {
            (Ok(git), _) => tree_of_worktree(&git).await?,
            (Err(_), Some(kept)) => {
                self.git_of(task)?.tree(kept.uncommitted.as_ref().unwrap_or(&kept.head)).await?
            }
            (Err(error), None) => return Err(error),
        };
        Ok(if run.tree != tree {
            Verdict::Stale
        } else if run.passed() {
            Verdict::Passed
        } else {
            Verdict::Failed
        })
    }
}
