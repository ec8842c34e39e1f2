//! Measures what the program promises about speed and size.
//!
//! Results are counts and ratios within one run: times are set against raw SQLite commits of the same bytes on the same
//! disk, made between the rounds they are compared with. The calibration lines say how fast the machine was meanwhile.
//! A goal that is missed does not fail the program; only a bench that can't run does.

mod chat_turns;
mod decisions;
mod disk;
mod extraction;
mod figure;
mod file_search;
mod folds;
mod inbox;
mod knowledge_base;
mod large;
mod long_documents;
mod mcp_calls;
mod missions;
mod process;
mod provider_streams;
mod replays;
mod resumption;
mod rig;
mod staged;
mod vault;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use tempfile::TempDir;

use crate::figure::Figure;

/// What a bench gives, or why it can't run.
type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Groups of benches, in the order in which they run.
const GROUPS: [&str; 17] = [
    "calibration",
    "stages",
    "research",
    "resume",
    "fold",
    "replay",
    "turns",
    "knowledge",
    "extraction",
    "llm",
    "mcp",
    "secrets",
    "search",
    "sessions",
    "permissions",
    "documents",
    "missions",
];

/// Measures the program's goals for speed and size.
#[derive(Debug, Parser)]
#[command(name = "bench")]
struct Arguments {
    /// One JSON object a line instead of a table.
    #[arg(long)]
    json: bool,
    /// Only benches whose name contains this.
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// The program; default: `agentnative` beside this one.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Where temporary files go: the disk that is measured. Default: the system's temporary folder.
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// How many sessions the group `sessions` makes, of 20 messages each.
    #[arg(long, value_name = "NUMBER", default_value_t = 50_000)]
    sessions: usize,
    /// Only opens the large base below a data directory, searches it and prints figures: a process of its own, so
    /// that its memory can be told.
    #[arg(long, value_name = "HOME", hide = true)]
    open_large: Option<PathBuf>,
    /// Only serves streamed answers on loopback until its standard input ends.
    #[arg(long, hide = true)]
    serve_streams: bool,
    /// Only serves a tool that gives back what it is given, over standard input and output.
    #[arg(long, hide = true)]
    serve_echo: bool,
    /// A script that decodes server-sent events with another decoder, for node.
    #[arg(long, value_name = "FILE", hide = true)]
    sse_baseline: Option<PathBuf>,
}

/// What every bench gets.
struct Bench {
    folder: PathBuf,
    sessions: usize,
    program: PathBuf,
    corpora: Option<PathBuf>,
    sse_baseline: Option<PathBuf>,
}

impl Bench {
    /// A new empty folder that is removed when dropped.
    fn scratch(&self) -> Outcome<TempDir> {
        Ok(TempDir::new_in(&self.folder)?)
    }
}

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let part = match &arguments.open_large {
        Some(home) => Some(large::opened(home)),
        None if arguments.serve_echo => Some(mcp_calls::serve()),
        None => arguments.serve_streams.then(provider_streams::serve),
    };
    if let Some(done) = part {
        return match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("bench: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let bench = match prepare(&arguments) {
        Ok(bench) => bench,
        Err(error) => {
            eprintln!("bench: {error}");
            return ExitCode::FAILURE;
        }
    };
    if !arguments.json {
        println!("{}", Figure::heading());
    }
    let mut failed = false;
    for group in GROUPS {
        match measure(&bench, group, arguments.only.as_deref()).await {
            Ok(figures) => {
                let only = arguments.only.as_deref();
                for figure in
                    figures.iter().filter(|figure| only.is_none_or(|only| figure.bench.contains(only)))
                {
                    println!("{}", if arguments.json { figure.json() } else { figure.row() });
                }
            }
            Err(error) => {
                eprintln!("bench {group}: {error}");
                failed = true;
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn prepare(arguments: &Arguments) -> Outcome<Bench> {
    let program = match &arguments.program {
        Some(program) => program.clone(),
        None => {
            std::env::current_exe()?.with_file_name(format!("agentnative{}", std::env::consts::EXE_SUFFIX))
        }
    };
    if !program.is_file() {
        return Err(format!(
            "there is no program {}: build it with `cargo build --release -p cli`",
            program.display()
        )
        .into());
    }
    Ok(Bench {
        folder: arguments.folder.clone().unwrap_or_else(std::env::temp_dir),
        sessions: arguments.sessions.max(100),
        program,
        corpora: std::env::var_os("AGENTNATIVE_CORPORA").map(PathBuf::from),
        sse_baseline: arguments.sse_baseline.clone(),
    })
}

async fn measure(bench: &Bench, group: &str, only: Option<&str>) -> Outcome<Vec<Figure>> {
    // Every name begins with its group's; a group that can't contain the name is not run.
    let wanted = only.is_none_or(|only| {
        only.starts_with(group) || group.contains(only) || !only.contains('.') && !GROUPS.contains(&only)
    });
    if !wanted {
        return Ok(Vec::new());
    }
    match group {
        "calibration" => disk::calibration(bench).await,
        "stages" => staged::measure(bench).await,
        "research" => process::research(bench).await,
        "resume" => {
            let mut figures = resumption::measure(bench).await?;
            figures.extend(process::measure(bench)?);
            Ok(figures)
        }
        "fold" => folds::measure(bench).await,
        "replay" => replays::measure(bench).await,
        "turns" => chat_turns::measure(bench).await,
        "knowledge" => {
            let mut figures = knowledge_base::measure(bench)?;
            figures.extend(large::measure(bench)?);
            Ok(figures)
        }
        "mcp" => mcp_calls::measure(bench).await,
        "secrets" => vault::measure(bench),
        "documents" => long_documents::measure(bench),
        "missions" => missions::measure(bench).await,
        "permissions" => decisions::measure(bench),
        "sessions" => inbox::measure(bench).await,
        "search" => file_search::measure(bench).await,
        "extraction" => extraction::measure(),
        _ => provider_streams::measure(bench).await,
    }
}
