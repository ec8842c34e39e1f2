//! The record of a task: what is remembered about it between two commands.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::checks::{CheckRun, CommandResult, Commands};
use crate::comment::Comment;
use crate::error::TaskError;
use crate::include::IncludeResult;
use crate::merge::MergeStyle;

/// The most attempts of a task.
pub const MAX_ATTEMPTS: u32 = 16;
/// The longest id, in bytes.
const MAX_ID_BYTES: usize = 60;

/// A task's id: small letters, digits and hyphens. It names the record, the folder, the branches and the refs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct TaskId(String);

impl TaskId {
    /// The id in a text.
    ///
    /// # Errors
    /// When the text holds anything but small letters, digits and hyphens, or is too long.
    pub fn new(text: &str) -> Result<Self, TaskError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if text.is_empty()
            || text.len() > MAX_ID_BYTES
            || text.starts_with('-')
            || text.ends_with('-')
            || !text.bytes().all(plain)
        {
            return Err(TaskError::Invalid(format!(
                "{text:?} is not the id of a task: small letters, digits and hyphens, at most {MAX_ID_BYTES}"
            )));
        }
        Ok(Self(text.to_owned()))
    }

    /// An id made of a title.
    pub(crate) fn of_title(title: &str) -> Self {
        let mut id = String::new();
        for character in title.chars().flat_map(char::to_lowercase) {
            match character {
                'a'..='z' | '0'..='9' => id.push(character),
                _ if !id.is_empty() && !id.ends_with('-') => id.push('-'),
                _ => {}
            }
            if id.len() >= MAX_ID_BYTES - 20 {
                break;
            }
        }
        let id = id.trim_matches('-');
        Self(if id.is_empty() { "task".to_owned() } else { id.to_owned() })
    }

    /// The same with a number behind it.
    pub(crate) fn numbered(&self, number: u32) -> Self {
        Self(format!("{}-{number}", self.0))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for TaskId {
    type Error = TaskError;

    fn try_from(text: String) -> Result<Self, TaskError> {
        Self::new(&text)
    }
}

impl From<TaskId> for String {
    fn from(id: TaskId) -> Self {
        id.0
    }
}

impl std::fmt::Display for TaskId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// An attempt of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptId {
    /// The task.
    pub task: TaskId,
    /// The attempt's number, from 1. 0 is the chosen one, or the only one that is open.
    #[serde(default)]
    pub attempt: u32,
}

/// What a new task is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskCreate {
    /// What it is about, in a line. Its id is made of it.
    pub title: String,
    /// A folder of the person's repository.
    pub repository: PathBuf,
    /// The branch, tag or commit to start from; `None` is what the repository has checked out.
    #[serde(default)]
    pub base: Option<String>,
    /// The branch to merge into; `None` is the base where it is a branch, else the branch that is checked out.
    #[serde(default)]
    pub target: Option<String>,
    /// How many attempts are begun at once; 0 for one.
    #[serde(default)]
    pub attempts: u32,
    /// What each attempt is for, in a word (a connection, a model), in their order.
    #[serde(default)]
    pub labels: Vec<String>,
    /// Set-up and checks that the person gives; they are accepted by being given. `None` is what the project declares.
    #[serde(default)]
    pub commands: Option<Commands>,
    /// Whether the set-up is left for later.
    #[serde(default)]
    pub no_setup: bool,
    /// The slug of the workspace that it is of; without one the default one's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// What is to be true when it is done.
    #[serde(default)]
    pub description: String,
    /// The run that begins it. No client says so.
    #[serde(skip)]
    pub origin: Option<TaskRun>,
}

/// A run that works on an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskRun {
    /// Its session.
    pub session: String,
    /// The run.
    pub run: String,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CodingTask")]
pub struct Task {
    /// Its id.
    pub id: TaskId,
    /// What it is about.
    pub title: String,
    /// The slug of the workspace that it is of; records of earlier versions name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// What is to be true when it is done.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The person's checkout that it was begun in, or the bare repository.
    pub repository: PathBuf,
    /// The folder that all worktrees of the repository share.
    pub common: PathBuf,
    /// The base as it was named.
    pub base: String,
    /// The commit that the base was at the start. It never changes.
    pub base_commit: String,
    /// The branch that the task is to be merged into; `None` when it began on no branch.
    pub target: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub created: i64,
    /// Set-up and checks as they were at the base.
    #[serde(default)]
    pub commands: Commands,
    /// The run that began it, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<TaskRun>,
    /// The attempts.
    pub attempts: Vec<Attempt>,
    /// The attempt that was chosen.
    #[serde(default)]
    pub chosen: Option<u32>,
    /// What can be undone, the last one first to go.
    #[serde(default)]
    pub undo: Vec<UndoEntry>,
}

/// One attempt at a task: a worktree with a branch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Attempt {
    /// Its number, from 1.
    pub number: u32,
    /// What it is for, in a word.
    #[serde(default)]
    pub label: String,
    /// Its branch.
    pub branch: String,
    /// Its folder.
    pub folder: PathBuf,
    /// Whether it goes on, or how it ended.
    pub state: AttemptState,
    /// Whether its worktree is still being made; where nobody does that any more, [`crate::Worktrees::finish`] does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
    /// The runs that have worked on it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<TaskRun>,
    /// Files of the person's checkout that were copied.
    #[serde(default)]
    pub included: IncludeResult,
    /// The set-up, if it was run.
    #[serde(default)]
    pub setup: Option<CommandResult>,
    /// Save points, oldest first.
    #[serde(default)]
    pub savepoints: Vec<Savepoint>,
    /// Runs of the checks, oldest first.
    #[serde(default)]
    pub checks: Vec<CheckRun>,
    /// Comments on its changes.
    #[serde(default)]
    pub comments: Vec<Comment>,
    /// What it held when its worktree was removed.
    #[serde(default)]
    pub kept: Option<KeptRef>,
    /// Where it was merged.
    #[serde(default)]
    pub merged: Option<MergeRecord>,
}

/// Whether an attempt goes on, or how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttemptState {
    /// It goes on.
    Open,
    /// It was merged into the target.
    Merged,
    /// The person keeps its branch.
    Kept,
    /// It was discarded.
    Discarded,
}

impl AttemptState {
    /// As a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Merged => "merged",
            Self::Kept => "kept",
            Self::Discarded => "discarded",
        }
    }
}

/// The whole content of a worktree at one time, except ignored files, as a commit on a ref of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Savepoint {
    /// Its number in the attempt, from 1.
    pub number: u32,
    /// The ref that holds it.
    pub reference: String,
    /// Its commit; the parent is what was checked out.
    pub commit: String,
    /// Its tree.
    pub tree: String,
    /// What it is for.
    pub label: String,
    /// When it was made, in milliseconds since 1970.
    pub at: i64,
}

/// What an attempt held when its worktree was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeptRef {
    /// The ref that holds it.
    pub reference: String,
    /// The commit that was checked out.
    pub head: String,
    /// The branch that was checked out; `None` for none.
    pub branch: Option<String>,
    /// The tip of the attempt's own branch, where it had one.
    pub tip: Option<String>,
    /// The commit with what was not committed, where something was not.
    pub uncommitted: Option<String>,
}

/// Where an attempt was merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MergeRecord {
    /// The branch.
    pub target: String,
    /// The commit that was merged.
    pub tip: String,
    /// The target before.
    pub before: String,
    /// The target after.
    pub commit: String,
    /// How.
    pub style: MergeStyle,
}

/// Something that can be undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum UndoEntry {
    /// Files were put back.
    Reverted {
        /// The attempt.
        attempt: u32,
        /// The save point made before.
        savepoint: u32,
        /// The files.
        paths: Vec<String>,
    },
    /// An attempt ended.
    Ended {
        /// The attempt.
        attempt: u32,
        /// How.
        state: AttemptState,
        /// Whether its worktree was removed.
        removed: bool,
    },
}

impl Attempt {
    /// Whether a run of this session has worked on it.
    pub fn is_of(&self, session: &str) -> bool {
        self.runs.iter().any(|run| run.session == session)
    }
}

impl Task {
    /// The attempt with this number; 0 is the chosen one, the only open one, or the only one.
    pub fn attempt(&self, number: u32) -> Result<&Attempt, TaskError> {
        let index = self.index(number)?;
        Ok(&self.attempts[index])
    }

    pub(crate) fn attempt_mut(&mut self, number: u32) -> Result<&mut Attempt, TaskError> {
        let index = self.index(number)?;
        Ok(&mut self.attempts[index])
    }

    fn index(&self, number: u32) -> Result<usize, TaskError> {
        let missing = |attempt| TaskError::NoAttempt { task: self.id.to_string(), attempt };
        let position = |number: u32| self.attempts.iter().position(|attempt| attempt.number == number);
        if number > 0 {
            return position(number).ok_or_else(|| missing(number));
        }
        if let Some(index) = self.chosen.and_then(position) {
            return Ok(index);
        }
        let open = |attempt: &Attempt| attempt.state == AttemptState::Open;
        let mut candidates = self.attempts.iter().enumerate().filter(|(_, attempt)| open(attempt));
        match (candidates.next(), candidates.next()) {
            (Some((index, _)), None) => Ok(index),
            (None, _) if !self.attempts.is_empty() => Ok(self.attempts.len() - 1),
            (None, _) => Err(missing(0)),
            (Some(_), Some(_)) => Err(TaskError::Invalid(format!(
                "task {} has several open attempts: name one by its number, from 1 to {}",
                self.id,
                self.attempts.len()
            ))),
        }
    }

    /// The ref of this task below which everything lies that its attempts leave.
    pub(crate) fn reference(&self, rest: &str) -> String {
        format!("refs/agentnative/{}/{rest}", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_made_of_a_title_and_names_no_other_folder() {
        assert_eq!(TaskId::of_title("Fix the Parser: don't panic!").as_str(), "fix-the-parser-don-t-panic");
        assert_eq!(TaskId::of_title("Übergröße").as_str(), "bergr-e");
        assert_eq!(TaskId::of_title("…").as_str(), "task");
        assert!(TaskId::of_title(&"long ".repeat(50)).numbered(1_000).as_str().len() <= MAX_ID_BYTES);
        for bad in ["", "..", "a/b", "-x", "x-", "A", "a.lock", &"x".repeat(61)] {
            assert!(TaskId::new(bad).is_err(), "{bad:?}");
        }
    }
}
