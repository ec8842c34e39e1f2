//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use domain::RunStatus;

use crate::capsule::CapsuleCommand;
use crate::chat::{ChatArgs, ModeArg, PermissionsCommand, PromptArgs, UndoArgs};
use crate::connect::{ConnectCommand, ModelsArgs, SecretsCommand, UsageArgs};
use crate::kb::{KbCommand, McpCommand};
use crate::maintenance::{BackupCommand, DataArgs};
use crate::manuscript::ManuscriptCommand;
use crate::mission::MissionCommand;
use crate::replay::ReplayArgs;
use crate::schedule::ScheduleCommand;
use crate::sessions::{SearchArgs, SessionsCommand};
use crate::skills::SkillCommand;
use crate::source::SourceCommand;
use crate::task::TaskCommand;
use crate::terminal::JSON;
use crate::tokens::TokensArgs;
use crate::transfer::{ExportArgs, ImportArgs, ShareCommand};
use crate::web::WebCommand;
use crate::workspaces::WorkspaceCommand;

/// Research with cited and checked answers, on your machine.
#[derive(Debug, Parser)]
#[command(name = "agentnative", version, max_term_width = 110)]
#[command(
    after_help = "Exit codes: 0 done, 1 failed, or finished although a check does not pass, 2 wrong usage or input, 3 paused and \
waiting for an answer, 4 nothing to resume, 5 cancelled, 6 the data directory is busy, not writable, newer than this program, or damaged.\n\n\
Data lives in $AGENTNATIVE_HOME, or the platform's data folder. Without a command an interactive run starts."
)]
pub struct Cli {
    /// The workspace to work in, by its slug; without it your current one.
    #[arg(long, global = true, value_name = "SLUG", display_order = 900)]
    pub workspace: Option<String>,
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Ask an agent a question.
    Run(RunArgs),
    /// Start or continue a conversation with a model that works with tools, under the permissions you give.
    Chat(ChatArgs),
    /// Undo or redo a turn's changes of files.
    Undo(UndoArgs),
    /// Print what a model would be sent: in a conversation, or for a stage of an agent.
    Prompt(PromptArgs),
    /// Rules, grants and the audit of what tools may do.
    #[command(subcommand)]
    Permissions(PermissionsCommand),
    /// Sources: add, list, show, store secrets, sign in, test, approve, switch on and off, call, remove.
    #[command(subcommand)]
    Source(SourceCommand),
    /// Resume a run or a turn that was interrupted, waits for an answer, or failed.
    Resume(ResumeArgs),
    /// Repeat a run with its agent, sources and knowledge base as they are now. Calls with unchanged requests reuse their
    /// results, and pauses get the earlier replies.
    Rerun(RerunArgs),
    /// Cancel a run or a turn; it can't be resumed.
    Cancel {
        /// The id of the run or the turn, the first characters of it, or its session, which names its newest.
        run: String,
    },
    /// List runs, newest first.
    Runs(RunsArgs),
    /// Show a run or a turn of a conversation: stages or steps, pauses, answer, cost.
    Show(ShowArgs),
    /// Compare two runs: what they pinned, stages, statements, sources, words. Exits with 0 where nothing differs but time
    /// and cost, with 1 where something does, with 2 on an error.
    Diff(DiffArgs),
    /// Check whether an answer still rests on what its sources say now. Exits with 1 when a statement no longer holds.
    Check(CheckArgs),
    /// Missions: open-ended research on an objective by several agents, until measurable criteria hold, a limit is reached, or
    /// you have enough; then a report in which every statement names its source.
    #[command(subcommand)]
    Mission(MissionCommand),
    /// Lock the document of a run: a reviewer stands by its text. `check` then names the statements that a changed source
    /// reopened, and Word and PDF files show the lock.
    Lock(LockArgs),
    /// Compute every local step of a stored run or turn once more, and compare it with the log: exit code 0 when all is
    /// identical, 1 when something differs, 2 when it can't be read.
    Replay(ReplayArgs),
    /// Show what a run's model requests were made of: tokens by section and stage, cached or not, beside the provider's figures.
    Tokens(TokensArgs),
    /// Checks of long documents (parts, footnotes, references, registers, totals, scores), and such a document for Word.
    #[command(subcommand)]
    Manuscript(ManuscriptCommand),
    /// Capsules: write a run with its evidence into one file, and check such a file anywhere.
    #[command(subcommand)]
    Capsule(CapsuleCommand),
    /// Write sessions to files: JSONL, Markdown, one HTML page each, or a bundle for another machine. Without --format a run's
    /// own files are written again, and the document's path is printed.
    Export(ExportArgs),
    /// Import sessions: a bundle, an exported session, or Craft Agent's folder.
    Import(ImportArgs),
    /// Share pages of sessions, which others can read while `serve --share` runs.
    #[command(subcommand)]
    Share(ShareCommand),
    /// Sessions: list, label, archive, delete.
    #[command(subcommand)]
    Sessions(SessionsCommand),
    /// Search everything that was said, in titles, messages, tool output and documents.
    Search(SearchArgs),
    /// Knowledge bases: ingest, search, look up, verify quotes.
    #[command(subcommand)]
    Kb(KbCommand),
    /// What was fetched from the web: list, show, refresh, clean; which hosts may be fetched.
    #[command(subcommand)]
    Web(WebCommand),
    /// Serve MCP over standard input and output.
    #[command(subcommand)]
    Mcp(McpCommand),
    /// Connections to model providers: add, list, test, remove.
    #[command(subcommand)]
    Connect(ConnectCommand),
    /// The models of your connections, with windows and prices.
    Models(ModelsArgs),
    /// Show usage and cost.
    Usage(UsageArgs),
    /// The vault of keys and tokens.
    #[command(subcommand)]
    Secrets(SecretsCommand),
    /// Automations: list, add, enable, fire, history.
    #[command(subcommand)]
    Schedule(ScheduleCommand),
    /// Coding tasks in git worktrees: create, diff, check, comment, merge, keep, discard, undo.
    #[command(subcommand)]
    Task(TaskCommand),
    /// Agents: list, show, check, make, copy, edit.
    #[command(subcommand)]
    Agent(AgentCommand),
    /// Skills: list, show, make, edit, save, check, try, remove.
    #[command(subcommand)]
    Skill(SkillCommand),
    /// Serve the window and the API to a browser on this machine, until Ctrl-C.
    Serve(ServeArgs),
    /// Print the JSON Schema of a kind of file or of the event stream; check state files of runs.
    Schema {
        /// The kind of schema; `check` holds state files against the schema of the agent that wrote them.
        of: SchemaOf,
        /// State files, for `check`.
        #[arg(required_if_eq("of", "check"))]
        files: Vec<PathBuf>,
    },
    /// Backups: make, list, inspect, check, restore.
    #[command(subcommand)]
    Backup(BackupCommand),
    /// Disk usage; clean up, check and repair stored data.
    Data(DataArgs),
    /// Workspaces: list, create, switch, remove.
    #[command(subcommand)]
    Workspace(WorkspaceCommand),
    /// Check the installation and the data directory.
    Doctor,
}

/// How pauses are answered.
#[derive(Debug, Clone, Default, Args)]
pub struct PauseReplies {
    /// Take the default choice at every pause.
    #[arg(long, short = 'y')]
    pub yes: bool,
    /// A JSON file with replies to the pauses, in order: [{"choice": …, "text": …, "answers": {…}, "edit": {…}, "lists": {…}, "depth": …, "connection": …}].
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,
    /// Print events as JSON, one a line.
    #[arg(long)]
    pub json: bool,
}

/// What answers.
#[derive(Debug, Default, Args)]
pub struct ModelArgs {
    /// The model connection; `offline` needs neither key nor network.
    #[arg(long)]
    pub connection: Option<String>,
    /// The model.
    #[arg(long)]
    pub model: Option<String>,
}

/// The most that something may use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Args)]
pub struct BudgetArgs {
    /// The most it may cost in US dollars.
    #[arg(long, value_name = "USD")]
    pub budget_usd: Option<f64>,
    /// The most tokens it may use.
    #[arg(long, value_name = "TOKENS")]
    pub budget_tokens: Option<u64>,
    /// The most minutes it may work; waiting for you does not count.
    #[arg(long, value_name = "MINUTES")]
    pub budget_minutes: Option<f64>,
}

/// `run`.
#[derive(Debug, Default, Args)]
pub struct RunArgs {
    /// The agent's slug; or the question, with --agent. With --input the question may be left out.
    pub agent_or_question: Vec<String>,
    #[command(flatten)]
    pub input: InputArgs,
    /// The agent's slug.
    #[arg(long, value_name = "SLUG")]
    pub agent: Option<String>,
    /// The depth: one of the agent's; `agent show` lists them.
    #[arg(long)]
    pub depth: Option<String>,
    /// The knowledge base, or the path of a folder that becomes one, such as `./papers`. Default: the agent's own, else your newest.
    #[arg(long, value_name = "NAME")]
    pub corpus: Option<String>,
    /// The session to run in; default: a new one.
    #[arg(long)]
    pub session: Option<String>,
    /// What the stages may do without asking; default: the session's mode, `ask` for a new one.
    #[arg(long, value_enum)]
    pub mode: Option<ModeArg>,
    /// The finished run that this question follows up (`last` for the newest).
    #[arg(long, value_name = "RUN")]
    pub follow_up: Option<String>,
    /// Pause at the plan of a follow-up. Without it a follow-up goes on by itself where nothing has to be decided, unless the
    /// settings have it pause.
    #[arg(long)]
    pub pause_at_plan: bool,
    #[command(flatten)]
    pub over: ModelArgs,
    /// A text or document (PDF, DOCX, XLSX, HTML, CSV) that goes with the question. May be given several times.
    #[arg(long, value_name = "FILE")]
    pub attach: Vec<PathBuf>,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// A run whose results are reused for calls with unchanged requests.
    #[arg(long, value_name = "RUN")]
    pub base: Option<String>,
    /// A folder with the files of an earlier run, for when its log is lost: finished parts are taken over where they are whole.
    #[arg(long, value_name = "FOLDER")]
    pub adopt: Option<PathBuf>,
    #[command(flatten)]
    pub repetition: RepetitionArgs,
    #[command(flatten)]
    pub attendance: PauseReplies,
}

/// What a run is given besides its question.
#[derive(Debug, Default, Args)]
pub struct InputArgs {
    /// A file with what the agent takes besides the question: a JSON object (`-` for standard input). `agent show` prints what
    /// it takes.
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,
}

/// What a run that repeats another does differently.
#[derive(Debug, Default, Args)]
pub struct RepetitionArgs {
    /// A stage that runs again with all that depends on it, whether anything changed or not.
    #[arg(long, value_name = "STAGE")]
    pub from: Option<String>,
    /// A JSON file that replaces a stage's output; can be given several times.
    #[arg(long = "edit", value_name = "STAGE=FILE")]
    pub edits: Vec<String>,
}

/// `rerun`.
#[derive(Debug, Args)]
pub struct RerunArgs {
    /// The id of a run, the first characters of it, or `last`.
    pub run: String,
    #[command(flatten)]
    pub repetition: RepetitionArgs,
    #[command(flatten)]
    pub input: InputArgs,
    /// Another depth: one of the agent's; `agent show` lists them.
    #[arg(long)]
    pub depth: Option<String>,
    /// Another model connection.
    #[arg(long)]
    pub connection: Option<String>,
    /// Another model.
    #[arg(long)]
    pub model: Option<String>,
    #[command(flatten)]
    pub attendance: PauseReplies,
}

/// `resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// The id of a run or a turn, the first characters of it, or its session, which names its newest.
    pub run: Option<String>,
    /// The newest run that can be resumed.
    #[arg(long, conflicts_with = "run")]
    pub last: bool,
    /// Another model connection to go on with, for a run that waits after a stage.
    #[arg(long)]
    pub connection: Option<String>,
    #[command(flatten)]
    pub attendance: PauseReplies,
}

/// `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The port on 127.0.0.1; 0 for any that is free. Default: the one of the last time, so that open tabs come back.
    #[arg(long)]
    pub port: Option<u16>,
    /// The folder with the window's files; default: those that were installed or built.
    #[arg(long, value_name = "DIR")]
    pub ui: Option<PathBuf>,
    /// Print the address as one line of JSON: {"url", "token", "port"}.
    #[arg(long)]
    pub json: bool,
    /// Serve shared pages for others to read, and nothing else. The data directory need not be free.
    #[arg(long, conflicts_with = "ui")]
    pub share: bool,
    /// With --share: the address to listen on; without it this machine alone. Put a proxy that encrypts before any other.
    #[arg(long, value_name = "ADDRESS", requires = "share")]
    pub listen: Option<std::net::IpAddr>,
    /// With --share: a name under which it is reached from elsewhere, such as `notes.example.org`; can be given several times.
    #[arg(long = "name", value_name = "HOST", requires = "share")]
    pub names: Vec<String>,
}

/// `runs`.
#[derive(Debug, Args)]
pub struct RunsArgs {
    /// The most runs.
    #[arg(long, default_value_t = 20)]
    pub limit: u32,
    /// Only of this agent.
    #[arg(long)]
    pub agent: Option<String>,
    /// Only with this status.
    #[arg(long)]
    pub status: Option<RunStatus>,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// `show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The id of a run or a turn, the first characters of it, or its session, which names its newest; default: the newest run.
    pub run: Option<String>,
    /// Print its events as JSON, one a line.
    #[arg(long)]
    pub events: bool,
    /// Print the outputs of its stages as JSON.
    #[arg(long)]
    pub outputs: bool,
    /// Print its checkpoints with what made them, what is being written, and the tables of its outputs, such as scores and tasks.
    #[arg(long, conflicts_with_all = ["events", "outputs"])]
    pub checkpoints: bool,
    /// Print its document.
    #[arg(long)]
    pub document: bool,
    /// Print the citations of its document, each with its file and page.
    #[arg(long)]
    pub citations: bool,
    /// Print one of its citations: the paragraph with the quote marked, its file and its page.
    #[arg(long, value_name = "NUMBER", conflicts_with = "citations")]
    pub citation: Option<u32>,
    /// Write the page of the PDF that the citation leads to, with the passage marked, as a PNG file.
    #[arg(long, value_name = "FILE", requires = "citation")]
    pub picture: Option<PathBuf>,
    /// Another page for --picture.
    #[arg(long, requires = "picture")]
    pub page: Option<u32>,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The run: its id, the first characters of it, or its session, which names its newest; default: the newest run.
    pub run: Option<String>,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// `lock`.
#[derive(Debug, Args)]
pub struct LockArgs {
    /// The run: its id, the first characters of it, or its session, which names its newest; default: the newest run.
    pub run: Option<String>,
    /// Who reviewed the document.
    #[arg(long, value_name = "NAME", required_unless_present = "remove")]
    pub reviewer: Option<String>,
    /// A remark that stays with the lock.
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
    /// Take the newest lock back.
    #[arg(long, conflicts_with_all = ["reviewer", "note"])]
    pub remove: bool,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// `diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The first run: its id, the first characters of it, or its session, which names its newest.
    pub left: String,
    /// The second run.
    pub right: String,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// `agent`.
#[derive(Debug, Subcommand)]
pub enum AgentCommand {
    /// List agents; broken ones with their errors.
    List {
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Show an agent's stages and settings.
    Show {
        /// The slug of the agent.
        slug: String,
    },
    /// Check an agent by slug, or a folder.
    Check {
        /// Slug or folder.
        agent: String,
    },
    /// Make an agent of your own: instructions to edit, or a copy of another agent.
    New {
        /// The new agent's name; its folder name follows from it.
        name: String,
        /// The agent to copy; without it the new one answers in conversations and has no stages.
        #[arg(long, value_name = "AGENT")]
        template: Option<String>,
    },
    /// Copy an agent, so that you can edit it.
    Copy {
        /// The agent to copy.
        agent: String,
        /// The copy's name; its folder name follows from it.
        name: String,
    },
    /// Edit a file of your agent in $VISUAL or $EDITOR, and check the agent afterwards.
    Edit {
        /// The agent.
        agent: String,
        /// The file in its folder: AGENT.md, config.json, prompts/<name>, schemas/<name>.
        #[arg(default_value = "AGENT.md")]
        file: String,
    },
}

/// Kinds of schemas.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum SchemaOf {
    /// An agent's config.json.
    Agent,
    /// A source's config.json.
    Source,
    /// One line of `--json`.
    Event,
    /// The file of `--answers`.
    Answers,
    /// A run's log record.
    Record,
    /// State files, which are checked.
    Check,
}
