//! `agentnative`: the terminal's surface over the api.

mod agents;
mod args;
mod capsule;
mod chat;
mod check;
mod citations;
mod connect;
mod diff;
mod home;
mod interrupts;
mod kb;
mod maintenance;
mod manuscript;
mod mission;
mod outcome;
mod prompt;
mod replay;
mod run;
mod schedule;
mod server;
mod sessions;
mod show;
mod skills;
mod source;
mod task;
mod terminal;
mod tokens;
mod transfer;
mod web;
mod workspaces;

use std::path::Path;
use std::process::ExitCode;

use app::AnyClient;
use clap::Parser;
use domain::Problem;

use crate::args::{Cli, Command, SchemaOf};
use crate::capsule::CapsuleCommand;
use crate::outcome::Outcome;

/// The stack of each thread that runs futures, in bytes.
const STACK_BYTES: usize = 16 << 20;
/// What shells report of a program that a closed pipe ended: 128 and SIGPIPE's number.
const BROKEN_PIPE: i32 = 141;
/// Numbers of the errors with which systems refuse to write to a pipe that nobody reads: EPIPE; on Windows
/// `ERROR_BROKEN_PIPE`, `ERROR_NO_DATA` and `ERROR_PIPE_NOT_CONNECTED`.
const CLOSED_PIPE: &[&str] =
    if cfg!(windows) { &["(os error 109)", "(os error 232)", "(os error 233)"] } else { &["(os error 32)"] };

fn main() -> ExitCode {
    // Children are started through this program as their guard: that must come before any thread exists.
    if let Some(code) = process_guard::intercept() {
        return code;
    }
    process_guard::keep_others_out();
    // Documents are read through this program in a process of their own.
    if let Some(code) = documents::worker::child_main(std::env::args_os().skip(1)) {
        return code;
    }
    end_with_the_reader();
    let cli = Cli::parse();
    let filter = tracing_subscriber::EnvFilter::try_from_env("AGENTNATIVE_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("off"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    // Futures of the api are deep where nothing is optimised; what is not used of a stack costs nothing.
    let runtime = match builder.worker_threads(2).thread_stack_size(STACK_BYTES).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("agentnative: no runtime: {error}");
            return ExitCode::FAILURE;
        }
    };
    let outcome = on_large_stack(|| runtime.block_on(dispatch(cli)));
    // A thread that still waits for the terminal must not keep the program.
    runtime.shutdown_background();
    match outcome {
        Ok(outcome) => outcome.into(),
        Err(problem) => {
            eprintln!("agentnative: {}", terminal::printable(&problem.to_string()));
            outcome::of_problem(&problem).into()
        }
    }
}

/// Runs work on a thread with a large stack: the main thread has 1 or 2 MB on Windows, 8 MB elsewhere.
fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => {
                eprintln!("agentnative: no thread: {error}");
                std::process::exit(1)
            }
        }
    })
}

/// Whoever reads the output may have enough of it, as `head` does: that is an end, not a fault.
fn end_with_the_reader() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let words = panic.payload().downcast_ref::<String>().map_or("", String::as_str);
        if words.starts_with("failed printing to std") && CLOSED_PIPE.iter().any(|end| words.ends_with(end)) {
            std::process::exit(BROKEN_PIPE);
        }
        before(panic);
    }));
}

/// Carries out what is a matter of the core alone.
async fn on<C>(
    home: &Path,
    command: C,
    work: impl AsyncFnOnce(&AnyClient, C) -> Result<Outcome, Problem>,
) -> Result<Outcome, Problem> {
    run::with_client(home, async |client| work(client, command).await).await
}

async fn dispatch(cli: Cli) -> Result<Outcome, Problem> {
    // Checked on any machine: whoever has the file needs nothing else.
    if let Some(Command::Capsule(CapsuleCommand::Verify { file, json })) = &cli.command {
        return capsule::verify(file, *json).await;
    }
    let home = home::directory()?;
    home::choose(cli.workspace);
    match cli.command {
        None => run::interactive(&home).await,
        Some(Command::Run(args)) => run::run(&home, args).await,
        Some(Command::Chat(args)) => chat::chat(&home, args).await,
        Some(Command::Undo(args)) => on(&home, args, chat::undo).await,
        Some(Command::Prompt(args)) => on(&home, args, chat::prompt).await,
        Some(Command::Permissions(command)) => on(&home, command, chat::permissions).await,
        Some(Command::Source(command)) => on(&home, command, source::source).await,
        Some(Command::Rerun(args)) => run::rerun(&home, args).await,
        Some(Command::Resume(args)) => run::resume(&home, args).await,
        Some(Command::Cancel { run }) => on(&home, run, run::cancel).await,
        Some(Command::Runs(args)) => on(&home, args, show::runs).await,
        Some(Command::Show(args)) => on(&home, args, show::show).await,
        Some(Command::Check(args)) => on(&home, args, check::check).await,
        Some(Command::Mission(command)) => on(&home, command, mission::mission).await,
        Some(Command::Lock(args)) => on(&home, args, check::lock).await,
        Some(Command::Diff(args)) => diff::diff(&home, args).await,
        Some(Command::Replay(args)) => on(&home, args, replay::replay).await,
        Some(Command::Tokens(args)) => on(&home, args, tokens::tokens).await,
        Some(Command::Manuscript(command)) => manuscript::manuscript(&command),
        Some(Command::Capsule(CapsuleCommand::Make(args))) => capsule::make(&home, args).await,
        Some(Command::Capsule(CapsuleCommand::Verify { file, json })) => capsule::verify(&file, json).await,
        Some(Command::Export(args)) => transfer::export(&home, args).await,
        Some(Command::Import(args)) => transfer::import(&home, args).await,
        Some(Command::Share(command)) => on(&home, command, transfer::share).await,
        Some(Command::Sessions(command)) => on(&home, command, sessions::sessions).await,
        Some(Command::Search(args)) => on(&home, args, sessions::search).await,
        Some(Command::Kb(command)) => kb::kb(&home, command).await,
        Some(Command::Web(command)) => web::web(&home, command).await,
        Some(Command::Mcp(command)) => kb::mcp(&home, command).await,
        Some(Command::Connect(command)) => connect::connect(&home, command).await,
        Some(Command::Models(args)) => connect::models(&home, args).await,
        Some(Command::Usage(args)) => connect::usage(&home, args).await,
        Some(Command::Secrets(command)) => connect::secrets(&home, command).await,
        Some(Command::Schedule(command)) => on(&home, command, schedule::schedule).await,
        Some(Command::Task(command)) => on(&home, command, task::task).await,
        Some(Command::Agent(command)) => agents::agent(&home, command).await,
        Some(Command::Skill(command)) => on(&home, command, skills::skill).await,
        Some(Command::Serve(args)) => server::serve(&home, args).await,
        Some(Command::Schema { of: SchemaOf::Check, files }) => agents::check_states(&home, &files),
        Some(Command::Schema { of, .. }) => agents::schema(of),
        Some(Command::Backup(command)) => maintenance::backup(&home, command).await,
        Some(Command::Data(args)) => maintenance::data(&home, args).await,
        Some(Command::Workspace(command)) => on(&home, command, workspaces::workspace).await,
        Some(Command::Doctor) => agents::doctor(&home).await,
    }
}
