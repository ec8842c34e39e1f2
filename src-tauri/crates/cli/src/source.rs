//! `source`: sources in the terminal.

mod add;

use app::AnyClient;
use clap::Subcommand;
use domain::{ErrorCode, Problem};
use protocol::{Client, OmittedTool, SourceStatus, SourceView};
use serde_json::Value;

use crate::outcome::Outcome;
use crate::prompt::agreed;
use crate::terminal::{JSON, duration, json_line, local_time, printable};

/// `source`.
#[derive(Debug, Subcommand)]
pub enum SourceCommand {
    /// List sources with their state.
    List {
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Show a source: where it leads, its secrets, its tools.
    Show {
        /// The folder name of the source.
        source: String,
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Add a source: from a form, a file, an address, or a command after `--`.
    Add(Box<add::AddArgs>),
    /// List the forms for new sources.
    Presets,
    /// Store a secret of a source: it is asked for, or read from standard input.
    Secret {
        /// The source's folder name.
        source: String,
        /// The secret; not needed where there is only one.
        name: Option<String>,
        /// Let secrets that are stored already be used for what the source reaches now.
        #[arg(long)]
        stored: bool,
    },
    /// Sign in at the service of a source, in a browser.
    SignIn {
        /// The folder name of the source.
        source: String,
    },
    /// Remove a source with its folder and its secrets.
    Remove {
        /// The folder name of the source.
        source: String,
        /// Do not ask for confirmation.
        #[arg(long)]
        yes: bool,
    },
    /// Start or reach a source once, and list its tools.
    Test {
        /// The folder name of the source.
        #[arg(required_unless_present = "all")]
        source: Option<String>,
        /// Each approved source, used or not, with a line on how it went.
        #[arg(long, conflicts_with = "source")]
        all: bool,
    },
    /// Approve a source and its tools as they are now; what changes later asks again.
    Approve {
        /// The folder name of the source.
        source: String,
        /// Accept the statements of its tools that they change nothing.
        #[arg(long)]
        believe: bool,
        /// Do not ask; for scripts that know what they approve.
        #[arg(long)]
        yes: bool,
    },
    /// Switch a source on.
    Enable {
        /// The folder name of the source.
        source: String,
    },
    /// Switch a source off and stop it at once.
    Disable {
        /// The folder name of the source.
        source: String,
    },
    /// Call a tool of a source once.
    Call {
        /// The folder name of the source.
        source: String,
        /// The tool.
        tool: String,
        /// The arguments of the tool, a JSON object.
        #[arg(default_value = "{}")]
        arguments: String,
    },
    /// Show a source's log: standard error, recent calls and checks.
    Log {
        /// The folder name of the source.
        source: String,
    },
}

/// `source`.
pub async fn source(client: &AnyClient, command: SourceCommand) -> Result<Outcome, Problem> {
    match command {
        SourceCommand::List { json } => {
            for row in client.source_list().await? {
                if json {
                    println!("{}", json_line(&row));
                } else {
                    println!("{:<24} {:<6} {:<15} {}", row.slug, row.kind, row.status, printable(&row.name));
                }
            }
        }
        SourceCommand::Show { source, json } => {
            let view = client.source_show(source).await?;
            if json {
                println!("{}", json_line(&view));
            } else {
                print(&view)?;
            }
        }
        SourceCommand::Add(args) => return add::add(client, *args).await,
        SourceCommand::Presets => return add::presets(client).await,
        SourceCommand::Secret { source, name, stored } => {
            return add::give(client, source, name, stored).await;
        }
        SourceCommand::SignIn { source } => return add::sign_in(client, source).await,
        SourceCommand::Remove { source, yes } => return add::remove(client, source, yes).await,
        SourceCommand::Test { source: Some(source), .. } => return tested(client, source).await,
        SourceCommand::Test { source: None, .. } => return all_tested(client).await,
        SourceCommand::Approve { source, believe, yes } => {
            let view = client.source_show(source.clone()).await?;
            print(&view)?;
            if !yes && !agreed("Approve it as it is?").await? {
                return Ok(Outcome::Cancelled);
            }
            client.source_trust(source.clone(), believe).await?;
            let view = client.source_show(source).await?;
            println!("\n{}: {}", view.source.slug, status_text(&view));
        }
        SourceCommand::Enable { source } => {
            client.source_enable(source, true).await?;
        }
        SourceCommand::Disable { source } => {
            client.source_enable(source, false).await?;
        }
        SourceCommand::Call { source, tool, arguments } => {
            let arguments: Value = serde_json::from_str(&arguments).map_err(|error| {
                Problem::new(ErrorCode::InvalidInput, format!("the arguments are no JSON: {error}"))
                    .with_action("give an object, such as '{\"path\": \"items\"}'")
            })?;
            let called = client.source_call(source, tool, arguments).await?;
            println!("{}", printable(&called.text));
            if let Some(problem) = called.problem.filter(|_| !called.ok) {
                return Err(problem);
            }
        }
        SourceCommand::Log { source } => {
            let log = client.source_log(source).await?;
            println!("{}", printable(&log.log));
            for check in log.checks {
                let word = if check.ok { "works" } else { "fails" };
                let (at, took) = (local_time(check.at), duration(check.ms));
                println!("{at}  {word} after {took}  {}", printable(&check.detail));
            }
        }
    }
    Ok(Outcome::Done)
}

async fn tested(client: &AnyClient, slug: String) -> Result<Outcome, Problem> {
    let trial = client.source_test(slug, None).await?;
    for tool in &trial.tools {
        println!("{}  {}", printable(&tool.name), first_line(&tool.description));
    }
    print_left_out(&trial.left_out);
    match trial.problem {
        Some(problem) if !trial.ok => {
            eprintln!("{}", printable(&trial.log));
            Err(problem)
        }
        _ => {
            let (count, took) = (trial.tools.len(), duration(trial.ms));
            println!("{} works, {count} tools in {took}", printable(&trial.server));
            Ok(Outcome::Done)
        }
    }
}

/// Tests each source that could be used as it stands; what waits for the user says for what.
async fn all_tested(client: &AnyClient) -> Result<Outcome, Problem> {
    let mut failed = false;
    for row in client.source_list().await? {
        let slug = printable(&row.slug);
        if !matches!(row.status, SourceStatus::Ready | SourceStatus::Idle | SourceStatus::Failed) {
            println!("{:<8} {slug}  {}", row.status, printable(&row.status_detail));
            continue;
        }
        let trial = client.source_test(row.slug.clone(), None).await?;
        failed |= !trial.ok;
        match trial.problem {
            Some(problem) if !trial.ok => {
                println!("{:<8} {slug}  {}", "failed", printable(&problem.to_string()))
            }
            _ => {
                println!("{:<8} {slug}  {} tools in {}", "works", trial.tools.len(), duration(trial.ms))
            }
        }
    }
    Ok(if failed { Outcome::Failed } else { Outcome::Done })
}

fn print(view: &SourceView) -> Result<(), Problem> {
    let row = &view.source;
    println!("{} ({}): {}", printable(&row.name), row.kind, status_text(view));
    for problem in &row.problems {
        println!("  broken {}", printable(&json_line(problem)));
    }
    let config = serde_json::to_string_pretty(&view.config)
        .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
    println!("{}", printable(&config));
    for secret in &view.secrets {
        println!(
            "  secret {}  {}{}",
            printable(&secret.name),
            match (secret.present, secret.unbound, secret.optional) {
                (true, false, _) => "there",
                (true, true, _) => "stored, not given for this command or address",
                (false, _, true) => "not given, optional",
                (false, _, false) => "missing",
            },
            if secret.label.is_empty() { String::new() } else { format!("  {}", printable(&secret.label)) }
        );
    }
    for tool in &view.tools {
        let mark = if tool.approval.is_empty() { "approved" } else { &tool.approval };
        println!("  {mark:<9} {}  {}", printable(&tool.name), first_line(&tool.description));
    }
    print_left_out(&view.left_out);
    Ok(())
}

/// Tools that the server lists and that can't be used.
fn print_left_out(bad: &[OmittedTool]) {
    for OmittedTool { tool, reason } in bad {
        println!("  left out  {}  {}", printable(tool), printable(reason));
    }
}

fn status_text(view: &SourceView) -> String {
    let row = &view.source;
    match row.status_detail.as_str() {
        "" => row.status.to_string(),
        detail => format!("{}, {}", row.status, printable(detail)),
    }
}

fn first_line(text: &str) -> String {
    printable(text.lines().next().unwrap_or_default())
}
