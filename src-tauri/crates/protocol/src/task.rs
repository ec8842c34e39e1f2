//! Coding tasks: what their commands take and give. The task itself is a noun of `worktrees`.

use std::path::PathBuf;

use domain::{RunId, RunStatus};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use worktrees::{AttemptId, Commands, CommentState, DiffScope, Ending, PlacedComment, TaskId};

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskRef {
    /// Its id.
    pub task: TaskId,
}

/// A run that works on an attempt at a task, as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskRunState {
    /// The task.
    pub task: TaskId,
    /// The attempt.
    pub attempt: u32,
    /// The run.
    pub run: RunId,
    /// Its session.
    pub session: String,
    /// How it stands.
    pub status: RunStatus,
    /// The stage that it is in, by its title; absent when it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// What it waits for the person with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
}

/// What `run_start` takes of a task, besides connection and depth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskStart {
    /// The agent that works on tasks.
    pub agent: String,
    /// Its inputs.
    pub inputs: Value,
    /// The session of the last run on the attempt, where there is one.
    #[serde(default)]
    pub session: Option<String>,
}

/// A folder of a repository, at a base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RepositoryRef {
    /// The folder, absolute.
    pub folder: PathBuf,
    /// The branch, tag or commit; without it what is checked out.
    #[serde(default)]
    pub base: Option<String>,
}

/// What a project declares for its tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeclaredCommands {
    /// Set-up and checks.
    pub commands: Commands,
    /// Whether you have accepted them.
    pub approved: bool,
}

/// Acceptance of a project's set-up and checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommandsApprove {
    /// A folder of the repository, absolute.
    pub folder: PathBuf,
    /// What is accepted, as it was shown.
    pub commands: Commands,
}

/// Another attempt at a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptAdd {
    /// The task.
    pub task: TaskId,
    /// What it is for, in a word.
    #[serde(default)]
    pub label: String,
    /// Whether the set-up is left for later.
    #[serde(default)]
    pub no_setup: bool,
}

/// A save point to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SavepointMake {
    /// The attempt.
    pub attempt: AttemptId,
    /// What it is for.
    #[serde(default)]
    pub label: String,
}

/// Files to be put back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FilesRevert {
    /// The attempt.
    pub attempt: AttemptId,
    /// To what they were then.
    #[serde(default)]
    pub scope: DiffScope,
    /// The files, below the repository.
    pub paths: Vec<String>,
}

/// Comments on an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskComments {
    /// Each with the place of its line now.
    pub comments: Vec<PlacedComment>,
    /// One message made of those that are open; empty when none is.
    pub message: String,
}

/// What is to be said of comments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommentsSet {
    /// The attempt.
    pub attempt: AttemptId,
    /// Their numbers.
    pub numbers: Vec<u32>,
    /// Whether something is still to be done about them.
    pub state: CommentState,
}

/// The end of an attempt without a merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptEnd {
    /// The attempt.
    pub attempt: AttemptId,
    /// How.
    pub ending: Ending,
}
