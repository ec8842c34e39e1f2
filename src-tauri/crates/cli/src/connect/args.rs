//! The arguments of `connect`, `models`, `usage` and `secrets`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use money::LimitArgs;

use crate::terminal::JSON;

/// `connect`.
#[derive(Debug, Subcommand)]
pub enum ConnectCommand {
    /// Add a connection to a model provider, and test it. The first one that works becomes the default.
    Add(Box<AddArgs>),
    /// Change a setting of a connection.
    Edit {
        /// The slug of the connection.
        slug: String,
        /// Calls that are under way at once, over all runs and conversations; `default` for what its kind of server usually
        /// takes.
        #[arg(long, value_name = "N")]
        max_parallel_calls: String,
    },
    /// List connections.
    List {
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Show a connection with its models.
    Show {
        /// The slug of the connection.
        slug: String,
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Test a connection with one short question. It costs a few tokens.
    Test {
        /// The slug of the connection.
        slug: String,
        /// The model to ask.
        #[arg(long)]
        model: Option<String>,
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Store a new key: read from standard input, or asked for.
    Key {
        /// The slug of the connection.
        slug: String,
    },
    /// Sign in at the connection's OAuth service, in the browser.
    Login {
        /// The slug of the connection.
        slug: String,
    },
    /// Make a connection the one that new questions use.
    Default {
        /// The slug of the connection; `offline` for the engine that needs no model.
        slug: String,
        /// Only for questions to this agent.
        #[arg(long)]
        agent: Option<String>,
    },
    /// Say which workspaces have a connection: this one alone, unless others are named.
    Share {
        /// The slug of the connection.
        slug: String,
        /// Another workspace that has it, by its slug; can be given several times.
        #[arg(long, value_name = "WORKSPACE")]
        with: Vec<String>,
        /// Every workspace has it, as without `add --private`.
        #[arg(long, conflicts_with = "with")]
        all: bool,
    },
    /// Remove a connection and its secrets.
    Remove {
        /// The slug of the connection.
        slug: String,
    },
    /// List what `--preset` knows.
    Presets {
        #[arg(long, help = JSON)]
        json: bool,
    },
}

/// `connect add`.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// The slug of the new connection, its name in commands: lower-case letters, digits and dashes.
    pub slug: String,
    /// The protocol it speaks.
    #[arg(long, value_enum, required_unless_present = "preset")]
    pub provider: Option<Protocol>,
    /// A known provider or host to begin with: `agentnative connect presets` lists them.
    #[arg(long)]
    pub preset: Option<String>,
    /// The provider's base address; default: its own.
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// The environment variable that holds the key. Without it the key is read from standard input, or asked for, and
    /// kept in the vault.
    #[arg(long, value_name = "NAME")]
    pub key_env: Option<String>,
    /// Send the key as a bearer token, as gateways want it.
    #[arg(long)]
    pub bearer: bool,
    /// Use no key: for local servers.
    #[arg(long, conflicts_with_all = ["key_env", "bearer"])]
    pub no_key: bool,
    /// The model to use when none is named.
    #[arg(long)]
    pub model: Option<String>,
    /// The model that judges whether sources support statements; without it a small one of the provider.
    #[arg(long)]
    pub judge_model: Option<String>,
    /// The name of the connection for people.
    #[arg(long)]
    pub name: Option<String>,
    /// A further header of every request, such as `X-Title: Research`, not for secrets; can be given several times.
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub headers: Vec<String>,
    /// Covered by a subscription: costs are shown as an equivalent and count toward no budget in dollars.
    #[arg(long)]
    pub flat_rate: bool,
    /// OpenAI only: answers are made in the background, so that one that a crash interrupted is fetched by its id
    /// instead of being paid twice. The provider then stores requests and answers: not for zero data retention.
    #[arg(long)]
    pub background: bool,
    /// Calls that are under way at once, over all runs and conversations; default: 8, for a local server 2, for a local
    /// Ollama 1.
    #[arg(long, value_name = "N")]
    pub max_parallel_calls: Option<u32>,
    /// Certificates (PEM) to trust besides the system's.
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// A proxy's address, or `none`; default: the environment's.
    #[arg(long, value_name = "URL")]
    pub proxy: Option<String>,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// For this workspace alone: in others the connection does not exist until you share it.
    #[arg(long)]
    pub private: bool,
    /// Replace a connection of this name.
    #[arg(long)]
    pub replace: bool,
    /// Do not test it.
    #[arg(long)]
    pub no_test: bool,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// Protocols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Protocol {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Responses.
    Openai,
    /// OpenAI Chat Completions and every host that speaks it.
    OpenaiChat,
    /// Google Gemini.
    Gemini,
    /// Ollama.
    Ollama,
}

/// `models`.
#[derive(Debug, Args)]
pub struct ModelsArgs {
    /// Only of this connection.
    pub connection: Option<String>,
    /// Ask the provider now instead of showing the stored list.
    #[arg(long, requires = "connection")]
    pub refresh: bool,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// `usage`.
#[derive(Debug, Args)]
pub struct UsageArgs {
    /// The last days, today included; 0 for all.
    #[arg(long, default_value_t = 30)]
    pub days: u32,
    /// What usage is added up by.
    #[arg(long, value_enum, default_value_t = UsageGrouping::Model)]
    pub by: UsageGrouping,
    /// Only of this session.
    #[arg(long)]
    pub session: Option<String>,
    /// Only of this run.
    #[arg(long)]
    pub run: Option<String>,
    /// Only of this agent.
    #[arg(long)]
    pub agent: Option<String>,
    /// Only over this connection.
    #[arg(long)]
    pub connection: Option<String>,
    /// Only of this model.
    #[arg(long)]
    pub model: Option<String>,
    /// Forecast accuracy: of the newest 1,000 forecasts, the share within range, and used relative to likely.
    #[arg(long, conflicts_with_all = ["csv", "by", "session", "run", "connection", "model", "days"])]
    pub forecasts: bool,
    /// Show the limits on money and what is used of them. With --per-run, --per-day or --per-month change them, with
    /// --connection those of one connection.
    #[arg(long, conflicts_with_all = ["csv", "by", "session", "run", "agent", "model", "days", "forecasts"])]
    pub limits: bool,
    #[command(flatten)]
    pub amounts: LimitArgs,
    /// Write one request a row as CSV and print the file's path.
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// What usage is added up by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum UsageGrouping {
    /// Day.
    Day,
    /// Agent.
    Agent,
    /// Model.
    Model,
    /// Connection.
    Connection,
    /// Session.
    Session,
    /// Stage.
    Stage,
}

/// `secrets`.
#[derive(Debug, Subcommand)]
pub enum SecretsCommand {
    /// Show the vault's protection and the names of its secrets.
    Show {
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Store a secret, read from standard input or asked for.
    Put {
        /// The name of the secret.
        name: String,
    },
    /// Remove a secret.
    Remove {
        /// The name of the secret.
        name: String,
    },
    /// Change how the vault is protected; the same protection again makes a new key.
    Protect {
        /// The new protection.
        #[arg(value_enum)]
        by: Protection,
    },
    /// Take credentials from a `credentials.enc` of Craft Agent. The file is only read.
    Import {
        /// The file.
        file: PathBuf,
    },
}

/// Protections of the vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Protection {
    /// The desktop's keychain.
    Keychain,
    /// A passphrase: read from standard input or asked for twice.
    Passphrase,
    /// A key in a file that only this user may read: weaker.
    KeyFile,
}
