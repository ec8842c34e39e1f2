//! What the commands on missions take.

use clap::{Args, Subcommand, ValueEnum};

use crate::args::{BudgetArgs, ModelArgs};
use crate::terminal::JSON;

/// `mission`.
#[derive(Debug, Subcommand)]
pub enum MissionCommand {
    /// Start a mission: agents research an objective until the profile's criteria hold, a limit is reached, or you have enough.
    Start(StartArgs),
    /// Start a mission on what another one found: its claims, sources, open gaps and your decisions
    Extend(ExtendArgs),
    /// Start a mission again with agents and documents as they are now; invocations with unchanged input reuse their results
    Rerun(RepeatArgs),
    /// List missions, the newest first
    List {
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Show how far a mission is: criteria, limits, who works on what
    Show {
        /// The mission's id, the first characters of it, or its session; default: the newest
        mission: Option<String>,
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Show what a mission does until it ends or waits for you
    Follow(FollowArgs),
    /// Tell a mission something: guidance, a claim to keep or to reject, higher limits, enough
    Steer(SteerArgs),
    /// Go on with a mission that was interrupted, waits for you, or failed
    Resume(MissionRef),
    /// Print the report of a mission
    Report {
        /// The mission's id, the first characters of it, or its session; default: the newest
        mission: Option<String>,
        /// The form: a file is written, in the session's folder unless -o names one. Without it the report is printed.
        #[arg(long, value_name = "FORM", value_parser = ["markdown", "html", "docx", "pdf"])]
        format: Option<String>,
        /// The file to write.
        #[arg(long, short = 'o', value_name = "FILE")]
        output: Option<std::path::PathBuf>,
        /// Write another report first, in this form, from what is known ("a table of levels"). Nothing is researched.
        #[arg(long = "as", value_name = "TEXT")]
        form: Option<String>,
        /// Reject a claim and write another report first, which does not rest on it. The reason follows. Can be repeated.
        #[arg(long, num_args = 2, value_names = ["CLAIM", "WHY"])]
        without: Vec<String>,
    },
    /// List what a mission knows: claims, gaps, contradictions, sources, entities, questions, leads
    Graph(GraphArgs),
    /// Print the decisions of a mission in plain words
    Journal {
        /// The mission's id, the first characters of it, or its session; default: the newest
        mission: Option<String>,
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// List the profiles of missions, or show one
    Profiles {
        /// The profile's folder name; without it all are listed.
        profile: Option<String>,
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Check a profile and the agents that it names
    Check {
        /// The profile's folder name.
        profile: String,
    },
}

/// `mission start`.
#[derive(Debug, Args)]
pub struct StartArgs {
    /// The profile; `agentnative mission profiles` lists them.
    pub profile: String,
    /// What the mission should find out. What you say of the report's form ("Format: table of …", "in two pages") is kept from researchers.
    pub objective: String,
    /// A mode of the profile.
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,
    /// The knowledge base that is searched, before the web. Can be repeated: each is asked.
    #[arg(long, value_name = "BASE")]
    pub corpus: Vec<String>,
    #[command(flatten)]
    pub over: ModelArgs,
    /// Start it and return at once: it goes on where an instance of the program runs.
    #[arg(long)]
    pub detach: bool,
    /// Start nothing: print the agents as they would be pinned, criteria, limits, and what the mission is likely to cost.
    #[arg(long, conflicts_with = "detach")]
    pub dry_run: bool,
    #[command(flatten)]
    pub along: AlongArgs,
}

/// `mission extend`.
#[derive(Debug, Args)]
pub struct ExtendArgs {
    /// The mission's id, the first characters of it, or its session.
    pub mission: String,
    /// What else the mission should find out.
    pub objective: String,
    #[command(flatten)]
    pub begin: BeginArgs,
}

/// `mission rerun`.
#[derive(Debug, Args)]
pub struct RepeatArgs {
    /// The mission's id, the first characters of it, or its session.
    pub mission: String,
    #[command(flatten)]
    pub begin: BeginArgs,
}

/// How a mission begins that builds on another one.
#[derive(Debug, Args)]
pub struct BeginArgs {
    /// Another profile than that of the mission.
    #[arg(long, value_name = "PROFILE", default_value = "")]
    pub profile: String,
    #[command(flatten)]
    pub along: AlongArgs,
}

/// How a mission that begins is gone along with.
#[derive(Debug, Args)]
pub struct AlongArgs {
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Take the default choice at every pause, and write the report at a limit.
    #[arg(long, short = 'y')]
    pub yes: bool,
    #[command(flatten)]
    pub shown: ShownArgs,
}

/// Limits in place of the profile's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Args)]
pub struct LimitArgs {
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// The most invocations of agents.
    #[arg(long, value_name = "COUNT")]
    pub max_invocations: Option<u32>,
    /// The most iterations.
    #[arg(long, value_name = "COUNT")]
    pub max_iterations: Option<u32>,
}

/// How much is shown.
#[derive(Debug, Clone, Copy, Args)]
pub struct ShownArgs {
    /// One line for each step and each call of an agent, with its outcome and cost (the default in a terminal).
    #[arg(long, conflicts_with = "quiet")]
    pub verbose: bool,
    /// One dot for each step (the default where the output is no terminal).
    #[arg(long)]
    pub quiet: bool,
    /// Events as JSON, one a line.
    #[arg(long, conflicts_with_all = ["verbose", "quiet"])]
    pub json: bool,
}

/// A mission to go along with.
#[derive(Debug, Args)]
pub struct FollowArgs {
    /// The mission's id, the first characters of it, or its session; default: the newest
    pub mission: Option<String>,
    #[command(flatten)]
    pub shown: ShownArgs,
}

/// A mission to go on with.
#[derive(Debug, Args)]
pub struct MissionRef {
    /// The mission's id, the first characters of it, or its session; default: the newest
    pub mission: Option<String>,
    /// Take the default choice at every pause.
    #[arg(long, short = 'y')]
    pub yes: bool,
    #[command(flatten)]
    pub shown: ShownArgs,
}

/// `mission steer`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub struct SteerArgs {
    /// The mission's id, the first characters of it, or its session.
    pub mission: String,
    /// Words for the coordinator and for researchers that begin from now on.
    #[arg(long, value_name = "TEXT", group = "what")]
    pub guide: Option<String>,
    /// Keep a claim.
    #[arg(long, value_name = "CLAIM", group = "what")]
    pub pin: Option<String>,
    /// Reject a claim: nothing rests on it any more. The reason follows.
    #[arg(long, num_args = 2, value_names = ["CLAIM", "WHY"], group = "what")]
    pub reject: Option<Vec<String>>,
    /// Close a gap by hand. The reason follows.
    #[arg(long, num_args = 2, value_names = ["GAP", "WHY"], group = "what")]
    pub close: Option<Vec<String>>,
    /// Settle a contradiction by hand: the claim that stands, or "both". The reason follows.
    #[arg(long, num_args = 3, value_names = ["CONTRADICTION", "CLAIM", "WHY"], group = "what")]
    pub settle: Option<Vec<String>>,
    /// Have the plan ask another question; can be given several times.
    #[arg(long, value_name = "QUESTION", group = "what")]
    pub ask: Vec<String>,
    /// Have the plan ask a question in other words, which follow; can be given several times.
    #[arg(long, num_args = 2, value_names = ["QUESTION", "WORDS"], group = "what")]
    pub reword: Vec<String>,
    /// Have the plan no longer ask a question; can be given several times.
    #[arg(long, value_name = "QUESTION", group = "what")]
    pub drop: Vec<String>,
    /// Raise the limits named with --budget-usd, --budget-tokens, --budget-minutes, --max-invocations, --max-iterations.
    #[arg(long, group = "what")]
    pub raise: bool,
    /// Enough: write the report from what is known.
    #[arg(long, group = "what")]
    pub write: bool,
    /// Go on at the pause that is open.
    #[arg(long, group = "what")]
    pub proceed: bool,
    /// Go on at the pause about web hosts, and repeat the research that needed their pages.
    #[arg(long, group = "what")]
    pub again: bool,
    /// Answer the pause of an agent, with one of the choices that its message names.
    #[arg(long, value_name = "CHOICE", group = "what")]
    pub answer: Option<String>,
    /// Pause it so that it can be resumed.
    #[arg(long, group = "what")]
    pub pause: bool,
    /// End it for good.
    #[arg(long, group = "what")]
    pub cancel: bool,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Take the default choice at every pause from now on. A mission that is under way keeps what it was started with.
    #[arg(long, short = 'y')]
    pub yes: bool,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// `mission graph`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct GraphArgs {
    #[command(subcommand)]
    pub file: Option<GraphFile>,
    /// The mission's id, the first characters of it, or its session.
    #[arg(required = true)]
    pub mission: Option<String>,
    /// What is listed.
    #[arg(default_value = "claims")]
    pub kind: GraphKind,
    /// Only with this status, such as supported, unsupported, open or rejected.
    #[arg(long, value_name = "STATUS")]
    pub status: Option<String>,
    /// Only with these words.
    #[arg(long, value_name = "WORDS", default_value = "")]
    pub text: String,
    /// Only what is about this entity; can be given several times, like the next two.
    #[arg(long, value_name = "ENTITY")]
    pub about: Vec<String>,
    /// Only what rests on sources of this kind, such as standard, official or news.
    #[arg(long, value_name = "KIND")]
    pub source_kind: Vec<String>,
    /// Only what rests on sources of this origin, such as a host.
    #[arg(long, value_name = "ORIGIN")]
    pub origin: Vec<String>,
    /// In which order: as they were found, the newest first, or claims by confidence.
    #[arg(long, default_value = "found", value_parser = ["found", "newest", "confidence"])]
    pub sort: String,
    /// After this item.
    #[arg(long, value_name = "ITEM")]
    pub after: Option<String>,
    /// The most rows.
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    pub limit: u32,
    /// What one claim rests on, in place of a list.
    #[arg(long, value_name = "CLAIM", conflicts_with_all = ["status", "text", "after"])]
    pub claim: Option<String>,
    /// What one entity is connected with, in place of a list.
    #[arg(long, value_name = "ENTITY", conflicts_with_all = ["status", "text", "after", "claim"])]
    pub entity: Option<String>,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// A graph as a file.
#[derive(Debug, Subcommand)]
pub enum GraphFile {
    /// Open an exported graph (`data/graph.jsonl` of a session) as a mission that rests. Nothing is researched.
    Import {
        /// The file.
        file: std::path::PathBuf,
        /// The profile that it is opened for.
        #[arg(long, value_name = "PROFILE", default_value = "general-research")]
        profile: String,
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Write the graph to a file, in the session's folder unless -o names one; `import` opens it, on another machine as well
    Export {
        /// The mission's id, the first characters of it, or its session; default: the newest
        mission: Option<String>,
        /// The file to write.
        #[arg(long, short = 'o', value_name = "FILE")]
        output: Option<std::path::PathBuf>,
    },
}

/// The kinds of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)] // named by the words themselves
pub enum GraphKind {
    Claims,
    Gaps,
    Contradictions,
    Sources,
    Citations,
    Entities,
    Relations,
    Questions,
    Leads,
}
