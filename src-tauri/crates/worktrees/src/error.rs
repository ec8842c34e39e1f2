//! What can go wrong with a task, with its place and remedy.

use std::path::PathBuf;

use domain::{ErrorCode, Problem};

/// Why something about a task was not done. Nothing was changed, unless the message says so.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// Git could not be started.
    #[error("git could not be started: {0}")]
    NoGit(std::io::Error),
    /// The folder belongs to no repository.
    #[error("{} is not in a git repository", .0.display())]
    NoRepository(PathBuf),
    /// A repository without a commit has nothing to start from.
    #[error("the repository has no commit that {0:?} names")]
    NoRevision(String),
    /// Git said no.
    #[error("git {command} failed: {message}")]
    Git {
        /// The subcommand.
        command: String,
        /// What it said.
        message: String,
    },
    /// Git took too long and was ended.
    #[error("git {command} was ended after {seconds} seconds")]
    TimedOut {
        /// The subcommand.
        command: String,
        /// Its limit.
        seconds: u64,
    },
    /// Git said more than is read.
    #[error("git {command} gave more than {limit} bytes")]
    TooMuchOutput {
        /// The subcommand.
        command: String,
        /// The limit, in bytes.
        limit: usize,
    },
    /// No such task.
    #[error("there is no task {0}")]
    NoTask(String),
    /// No such attempt.
    #[error("task {task} has no attempt {attempt}")]
    NoAttempt {
        /// The task.
        task: String,
        /// The attempt's number.
        attempt: u32,
    },
    /// The attempt's folder is gone.
    #[error("the folder {} is gone", .0.display())]
    NoFolder(PathBuf),
    /// What was given is malformed.
    #[error("{0}")]
    Invalid(String),
    /// Something in the request does not exist.
    #[error("{0}")]
    Missing(String),
    /// The declaration of checks can't be read.
    #[error("{place}: {message}")]
    Declaration {
        /// The file, with its commit where it is of one.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// The project's commands were not accepted by a person.
    #[error("the commands of {0} have not been accepted: {1}")]
    NotApproved(String, String),
    /// The checks have not passed on what is to be merged.
    #[error("attempt {attempt} is not merged: {verdict}")]
    NotChecked {
        /// The attempt.
        attempt: u32,
        /// What the checks say.
        verdict: crate::Verdict,
    },
    /// The attempt has ended.
    #[error("attempt {attempt} of task {task} has ended: it was {state}")]
    Ended {
        /// The task.
        task: String,
        /// The attempt.
        attempt: u32,
        /// How it ended.
        state: &'static str,
    },
    /// Merging both would conflict; nothing was touched.
    #[error("merging into {target} conflicts in {}", files.join(", "))]
    Conflicts {
        /// The branch.
        target: String,
        /// The files, each below the repository.
        files: Vec<String>,
    },
    /// Uncommitted files of the target's checkout are in the way; nothing was touched.
    #[error("uncommitted files in {} are in the way: {}", folder.display(), files.join(", "))]
    InTheWay {
        /// The checkout.
        folder: PathBuf,
        /// The files, each below it.
        files: Vec<String>,
    },
    /// A branch moved between reading and writing it.
    #[error("the branch {0} has moved in the meantime")]
    Moved(String),
    /// Removing the worktree could lose something.
    #[error("{} is not removed: {}", folder.display(), reasons.join("; "))]
    WouldLose {
        /// The worktree.
        folder: PathBuf,
        /// What would be lost, or what is in the way.
        reasons: Vec<String>,
        /// Whether saving it on a ref first, as with `force`, is possible.
        can_force: bool,
    },
    /// Files pass through programs that only the repository's own configuration names; each filter with one of its files.
    #[error(
        "files pass through programs that only the configuration in the repository (.git/config) names: {}",
        .0.iter().map(|(name, file)| format!("filter {name} ({file})")).collect::<Vec<_>>().join(", ")
    )]
    Filtered(Vec<(String, String)>),
    /// There is nothing to undo, or it can't be undone any more.
    #[error("nothing can be undone: {0}")]
    NoUndo(String),
    /// A record can't be read.
    #[error("the record {} can't be read: {message}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A file can't be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
}

impl TaskError {
    /// The same of a file's error.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |error| Self::File { path, error }
    }
}

impl From<TaskError> for Problem {
    fn from(error: TaskError) -> Self {
        use TaskError as E;
        let problem = |code| Problem::new(code, error.to_string());
        match &error {
            E::NoGit(_) => problem(ErrorCode::InvalidConfig).with_action("Install git, or put it on the PATH."),
            E::NoRepository(_) => problem(ErrorCode::InvalidInput)
                .with_action("Name a folder of a git repository; `git init` makes one."),
            E::NoRevision(_) => problem(ErrorCode::InvalidInput)
                .with_action("Name a branch, a tag or a commit; a new repository needs a first commit."),
            E::Git { .. } => problem(ErrorCode::Storage),
            E::TimedOut { .. } => problem(ErrorCode::Deadline).retryable(),
            E::TooMuchOutput { .. } => problem(ErrorCode::Storage),
            E::NoTask(_) | E::NoAttempt { .. } => problem(ErrorCode::NotFound)
                .with_action("`agentnative task list` lists tasks, `agentnative task show` a task's attempts."),
            E::NoFolder(_) => problem(ErrorCode::NotFound)
                .with_action("`agentnative task undo` restores a removed worktree; `task discard` closes its record."),
            E::Missing(_) => problem(ErrorCode::NotFound),
            E::Invalid(_) => problem(ErrorCode::InvalidInput),
            E::Declaration { .. } | E::Record { .. } => problem(ErrorCode::InvalidConfig),
            E::NotApproved(..) => problem(ErrorCode::Permission)
                .with_action("Read the commands; `agentnative task approve` accepts them for this repository."),
            E::NotChecked { .. } => problem(ErrorCode::Conflict)
                .with_action("Run `agentnative task check`; `--unchecked` merges without."),
            E::Ended { .. } => {
                problem(ErrorCode::Conflict).with_action("`agentnative task undo` brings it back.")
            }
            E::Conflicts { .. } => problem(ErrorCode::Conflict)
                .with_action("Merge the target into the task's branch, resolve the conflicts there, and merge again."),
            E::InTheWay { .. } => problem(ErrorCode::Conflict)
                .with_action("Commit, stash or move these files, and merge again. Nothing was changed."),
            E::Moved(_) => problem(ErrorCode::Conflict).retryable(),
            E::WouldLose { can_force: true, .. } => problem(ErrorCode::Conflict).with_action(
                "Merge or keep it; or discard it with --force: what it holds is saved first, and `task undo` restores it.",
            ),
            E::WouldLose { .. } => problem(ErrorCode::Conflict),
            E::Filtered(used) => problem(ErrorCode::Permission).with_action(
                match used.iter().any(|(name, _)| name == "lfs") {
                    true => "Git LFS is set up in this repository alone: `git lfs install` sets it up for you, and the task can be created then.",
                    false => "Set the filter in your own configuration (`git config --global`) if you trust its program, and create the task again.",
                },
            ),
            E::NoUndo(_) => problem(ErrorCode::Conflict),
            E::File { .. } => problem(ErrorCode::Storage),
        }
    }
}
