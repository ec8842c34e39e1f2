//! Coding tasks, each in git worktrees of its own beside the repository of the person.
//!
//! A [`Task`] pins a base commit and has one or more [`Attempt`]s: a folder, a branch, save points, comments and results
//! of checks. [`Worktrees`] is the handle:
//!
//! 1. [`Worktrees::commands`] reads what the project declares in `.agentnative/checks.json`; a person accepts it with
//!    [`Worktrees::approve`] before anything of it is run.
//! 2. [`Worktrees::create`] adds the worktrees, copies the files that `.worktreeinclude` names and runs the set-up.
//! 3. While an agent works in [`Attempt::folder`]: [`Worktrees::save`] after each turn, [`Worktrees::diff`],
//!    [`Worktrees::check`], [`Worktrees::comment`] and [`Worktrees::message`], [`Worktrees::revert`].
//! 4. The end: [`Worktrees::merge`], [`Worktrees::keep`], [`Worktrees::discard`], [`Worktrees::choose`], and
//!    [`Worktrees::undo`].
//!
//! Architecture invariants: whether a task is done is computed from recorded exit codes alone ([`Verdict`]). A worktree
//! is removed only if its content is proven to be elsewhere, or was saved on a ref before. The index, the branches and
//! the uncommitted files of the person are changed by [`Worktrees::merge`] and its undo alone. Git asks nothing, opens
//! no pager and runs no hook. Commands of the project are those of the base commit, as a person accepted them: an agent
//! that edits them changes nothing.

mod attempts;
mod checks;
mod command;
mod comment;
mod diff;
mod error;
mod git;
mod include;
mod merge;
mod named_programs;
mod proof;
mod record;
mod removal;
mod savepoint;
mod status;
mod store;
mod view;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::watch;

pub use checks::{CHECKS_FILE, CheckCommand, CheckResult, CheckRun, CommandResult, Commands, SetupCommand};
pub use comment::{Anchor, Comment, CommentAdd, CommentPlace, CommentState, PlacedComment, Placement, Side};
pub use diff::{Change, Diff, DiffLine, DiffQuery, DiffScope, FileDiff, FileKind, Hunk, LineKind};
pub use error::TaskError;
pub use include::{CopiedFile, INCLUDE_FILE, IncludeResult, SkippedFile};
pub use merge::{MergeOptions, MergeOutcome, MergeStyle};
pub use proof::Proof;
pub use record::{
    Attempt, AttemptId, AttemptState, KeptRef, MergeRecord, Savepoint, Task, TaskCreate, TaskId, TaskRun,
    UndoEntry,
};
pub use removal::{Ending, Removal, UndoOutcome};
pub use store::{TaskList, UnreadableTask};
pub use view::{AttemptView, DiffStat, TaskView, Verdict};

use command::Runner;
use store::Records;

/// The tasks of one data directory. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Worktrees {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    records: Records,
    runner: Runner,
    /// Where folders of tasks are created.
    folders: PathBuf,
}

/// How the tasks of a data directory are opened.
#[derive(Debug, Clone, Default)]
pub struct WorktreesOptions {
    /// A program that begins with `process_guard::intercept`: commands of projects run below it, and end with it.
    pub guard: Option<PathBuf>,
    /// The `PATH` of git and of commands of projects, as soon as it is known; until then it is this process' own.
    pub search_path: Option<watch::Receiver<Option<OsString>>>,
    /// Where folders of tasks are created; `None` is `worktrees` in the data directory.
    pub folders: Option<PathBuf>,
}

impl Worktrees {
    /// The tasks in the data directory `home`: records are in its folder `tasks`.
    pub fn new(home: &Path, options: WorktreesOptions) -> Self {
        let folders = options.folders.unwrap_or_else(|| home.join("worktrees"));
        let runner = Runner { guard: options.guard, search_path: options.search_path };
        Self { inner: Arc::new(Inner { records: Records::new(home.join("tasks")), runner, folders }) }
    }

    /// All tasks, newest first.
    pub fn list(&self) -> Result<TaskList, TaskError> {
        self.inner.records.list()
    }

    /// A task's record.
    pub fn task(&self, id: &TaskId) -> Result<Task, TaskError> {
        self.inner.records.load(id)
    }
}
