//! The command line of `task`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::args::{ModelArgs, PauseReplies};
use crate::chat::ModeArg;
use crate::terminal::JSON;

/// `task`.
#[derive(Debug, Subcommand)]
pub enum TaskCommand {
    /// List tasks, newest first.
    List {
        /// Print the result as JSON, one entry a line.
        #[arg(long)]
        json: bool,
    },
    /// Show a task: its attempts with their folders, changes, checks and comments.
    Show {
        /// The id of the task.
        task: String,
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Begin a task in a worktree of its own, and print its id. `.worktreeinclude` names ignored files to copy;
    /// `.agentnative/checks.json` declares the set-up and the checks.
    Create(CreateArgs),
    /// Accept a project's set-up and checks in their present form.
    Approve {
        /// A folder of the repository; default: this one.
        #[arg(long, value_name = "FOLDER")]
        repository: Option<PathBuf>,
        /// The branch, tag or commit; default: what is checked out.
        #[arg(long)]
        base: Option<String>,
        /// Do not ask; for scripts that know what they accept.
        #[arg(long)]
        yes: bool,
    },
    /// Begin another attempt at a task, from the same base.
    Attempt {
        /// The task.
        task: String,
        /// What it is for, in a word.
        #[arg(long, default_value = "")]
        label: String,
        /// Leave the set-up for later.
        #[arg(long)]
        no_setup: bool,
    },
    /// Have the agent `code-task` work on a task: at another attempt, or on with one, with the open comments on it.
    Run(TaskRunArgs),
    /// Print an attempt's folder.
    Worktree(AttemptArgs),
    /// Run the set-up in an attempt's worktree. Exits with 1 when it fails.
    Setup(AttemptArgs),
    /// Show the changes of an attempt.
    Diff {
        #[command(flatten)]
        attempt: AttemptArgs,
        /// Only these files or folders.
        paths: Vec<String>,
        /// Since when: `base`, `uncommitted`, `last` (the last save point), or a save point's number.
        #[arg(long, default_value = "base")]
        since: String,
        /// Only names and numbers.
        #[arg(long)]
        stat: bool,
    },
    /// Run the checks in an attempt's worktree. Exits with 1 when one fails.
    Check(AttemptArgs),
    /// Save what lies in an attempt's worktree; `diff --since last` begins there.
    Save {
        #[command(flatten)]
        attempt: AttemptArgs,
        /// What it is for.
        #[arg(long, default_value = "")]
        label: String,
    },
    /// Put files of an attempt back; `task undo` restores them.
    Revert {
        #[command(flatten)]
        attempt: AttemptArgs,
        /// The files.
        #[arg(required = true)]
        paths: Vec<String>,
        /// The state to go back to: `base`, `uncommitted` (the commit), `last`, or a save point's number.
        #[arg(long, default_value = "base")]
        since: String,
    },
    /// Comment on a line of an attempt's changes.
    Comment {
        #[command(flatten)]
        attempt: AttemptArgs,
        /// The line, as `<file>:<number>`.
        line: String,
        /// What is said about it.
        text: String,
        /// The line is one of the base, which the attempt removed.
        #[arg(long)]
        old: bool,
    },
    /// Show an attempt's comments at the present place of their lines, or mark some.
    Comments {
        #[command(flatten)]
        attempt: AttemptArgs,
        /// Print the open ones as one message.
        #[arg(long)]
        message: bool,
        /// Mark these as sent.
        #[arg(long, value_name = "NUMBER", num_args = 1..)]
        sent: Vec<u32>,
        /// Mark these as settled.
        #[arg(long, value_name = "NUMBER", num_args = 1..)]
        resolved: Vec<u32>,
        /// Mark these as open again.
        #[arg(long, value_name = "NUMBER", num_args = 1..)]
        open: Vec<u32>,
    },
    /// Choose an attempt; the others are discarded.
    Choose(EndArgs),
    /// Merge an attempt into its target. Conflicts and files in the way are named before anything is touched.
    Merge {
        #[command(flatten)]
        attempt: AttemptArgs,
        /// One commit with all changes.
        #[arg(long)]
        squash: bool,
        /// The commit's message; default: the task's title.
        #[arg(long, short = 'm')]
        message: Option<String>,
        /// The branch to merge into; default: the task's.
        #[arg(long, value_name = "BRANCH")]
        into: Option<String>,
        /// Merge although the checks have not passed.
        #[arg(long)]
        unchecked: bool,
        /// Leave the worktree.
        #[arg(long)]
        keep_folder: bool,
    },
    /// End an attempt and keep its branch.
    Keep {
        #[command(flatten)]
        attempt: AttemptArgs,
        /// Remove the folder, if everything in it is committed.
        #[arg(long)]
        remove_folder: bool,
    },
    /// Remove an attempt's worktree and branch if all their content is proven to exist elsewhere.
    Discard(EndArgs),
    /// Take back the last merge, keep, discard or revert of a task.
    Undo {
        /// The task.
        task: String,
    },
    /// Delete the record of a task whose worktrees are gone, with all that was kept for undoing.
    Forget {
        /// The task.
        task: String,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
}

/// `task create`.
#[derive(Debug, Args)]
pub struct CreateArgs {
    /// What it is about, in a line.
    pub title: String,
    /// What must be true when it is done; an agent that works on it reads this.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub description: String,
    /// A folder of the repository; default: this one.
    #[arg(long, value_name = "FOLDER")]
    pub repository: Option<PathBuf>,
    /// The branch, tag or commit to start from; default: what is checked out.
    #[arg(long)]
    pub base: Option<String>,
    /// The branch to merge into; default: the base where it is a branch, else what is checked out.
    #[arg(long, value_name = "BRANCH")]
    pub target: Option<String>,
    /// How many attempts to begin.
    #[arg(long, default_value_t = 1)]
    pub attempts: u32,
    /// What an attempt is for, in a word, in the order of the attempts; can be given several times.
    #[arg(long = "label", value_name = "LABEL")]
    pub labels: Vec<String>,
    /// Leave the set-up for later.
    #[arg(long)]
    pub no_setup: bool,
    /// Accept the project's set-up and checks without being asked.
    #[arg(long)]
    pub yes: bool,
    /// Print the task as JSON.
    #[arg(long)]
    pub json: bool,
}

/// An attempt at a task.
#[derive(Debug, Args)]
pub struct AttemptArgs {
    /// The task.
    pub task: String,
    /// The attempt's number; default: the chosen one, or the only one that is open.
    #[arg(long, short = 'a', default_value_t = 0, hide_default_value = true)]
    pub attempt: u32,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// `task run`.
#[derive(Debug, Args)]
pub struct TaskRunArgs {
    /// The task.
    pub task: String,
    /// The attempt to go on with; default: another one.
    #[arg(long, short = 'a', default_value_t = 0, hide_default_value = true)]
    pub attempt: u32,
    #[command(flatten)]
    pub over: ModelArgs,
    /// The depth: L1, L2 or L3.
    #[arg(long)]
    pub depth: Option<String>,
    /// What the stages may do without asking; default: the session's mode, `ask` for a new one.
    #[arg(long, value_enum)]
    pub mode: Option<ModeArg>,
    #[command(flatten)]
    pub attendance: PauseReplies,
}

/// `task choose` and `task discard`.
#[derive(Debug, Args)]
pub struct EndArgs {
    #[command(flatten)]
    pub attempt: AttemptArgs,
    /// Also remove changes that exist nowhere else; `task undo` restores them.
    #[arg(long)]
    pub force: bool,
}
