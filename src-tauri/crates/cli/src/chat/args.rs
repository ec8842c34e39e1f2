//! The command line of conversations.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use domain::Mode;

use crate::args::{BudgetArgs, ModelArgs};
use crate::terminal::JSON;

/// What the agent may do without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
    /// Explore: reading alone; nothing changes, and nothing leaves the machine.
    Safe,
    /// Ask to edit: changes wait for your permission.
    Ask,
    /// Auto: commands change nothing but the session's folders; what reaches outside, protected paths, tools of untrusted
    /// sources that say they may delete, and what a rule has asked for is asked about; deny rules apply.
    AllowAll,
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Safe => Self::Safe,
            ModeArg::Ask => Self::Ask,
            ModeArg::AllowAll => Self::AllowAll,
        }
    }
}

/// `chat`.
#[derive(Debug, Args)]
pub struct ChatArgs {
    /// The message; `-` reads it from standard input. Without one, a conversation starts in the terminal.
    pub message: Vec<String>,
    /// What the agent may do without asking; default: the session's mode, `ask` for a new one.
    #[arg(long)]
    pub mode: Option<ModeArg>,
    /// The session; `last` for the newest. Default: a new one.
    #[arg(long)]
    pub session: Option<String>,
    #[command(flatten)]
    pub over: ModelArgs,
    /// A folder that tools may work in; the first is where commands run; can be given several times.
    #[arg(long, value_name = "DIR")]
    pub folder: Vec<PathBuf>,
    /// A source whose tools are offered; can be given several times.
    #[arg(long, value_name = "SLUG")]
    pub source: Vec<String>,
    /// The agent that answers.
    #[arg(long, value_name = "SLUG")]
    pub agent: Option<String>,
    /// The depth of the run that a message begins with `@agent`.
    #[arg(long)]
    pub depth: Option<String>,
    /// The knowledge base of that run, or the path of a folder that becomes one.
    #[arg(long, value_name = "NAME")]
    pub corpus: Option<String>,
    /// A file that goes with the message; can be given several times.
    #[arg(long, value_name = "FILE")]
    pub attach: Vec<PathBuf>,
    /// Allow calls of this tool once whenever permission is asked for; can be given several times.
    #[arg(long, value_name = "TOOL")]
    pub allow: Vec<String>,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Print what happens as JSON, one event a line; the last line is the whole turn.
    #[arg(long)]
    pub json: bool,
}

/// `prompt`.
#[derive(Debug, Args)]
pub struct PromptArgs {
    /// The agent; without one a plain conversation.
    pub agent: Option<String>,
    /// A stage of the agent: its id or name.
    #[arg(long, requires = "agent")]
    pub stage: Option<String>,
    /// The session whose settings count.
    #[arg(long)]
    pub session: Option<String>,
    /// Print the result as JSON, with the tools' schemas.
    #[arg(long)]
    pub json: bool,
}

/// `undo`.
#[derive(Debug, Args)]
pub struct UndoArgs {
    /// The turn; `last` for the newest one of the session that can be undone.
    #[arg(default_value = "last")]
    pub turn: String,
    /// The files of the turn; default: all that it changed.
    pub paths: Vec<String>,
    /// The session of `last`; default: the newest.
    #[arg(long)]
    pub session: Option<String>,
    /// Do again what was undone.
    #[arg(long)]
    pub redo: bool,
    /// Also put back files that were changed since; their present content is kept, and `--redo` restores it.
    #[arg(long)]
    pub force: bool,
    /// Only show what the turn changed and what can be undone.
    #[arg(long)]
    pub dry_run: bool,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// `permissions`.
#[derive(Debug, Subcommand)]
pub enum PermissionsCommand {
    /// Rules of all layers, and what you granted.
    List {
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Allow what the stages of an agent call of your sources, in this workspace, until you take it back.
    Allow {
        /// The agent's slug.
        agent: String,
        /// Show what would be allowed; change nothing.
        #[arg(long)]
        dry_run: bool,
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Take back grants, with effect at once.
    Revoke {
        /// Ids of grants.
        #[arg(required_unless_present = "all")]
        ids: Vec<String>,
        /// All of them.
        #[arg(long)]
        all: bool,
    },
    /// Decisions on calls, newest first.
    Audit {
        /// The most rows.
        #[arg(long, default_value_t = 50)]
        limit: u32,
        #[arg(long, help = JSON)]
        json: bool,
    },
}
