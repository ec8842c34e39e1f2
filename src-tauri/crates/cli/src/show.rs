//! Looking at runs.

use std::path::Path;

use api::{Request, Response, RunRef, RunState};
use domain::{ErrorCode, Problem};

use crate::args::{RunsArgs, ShowArgs};
use crate::outcome::Outcome;
use crate::run::{close, open};
use crate::terminal::{plain, printable};

/// `runs`.
pub async fn runs(home: &Path, args: RunsArgs) -> Result<Outcome, Problem> {
    let (surface, instance) = open(home).await?;
    let request =
        Request::RunList { limit: args.limit, agent: args.agent, status: args.status, before: None };
    let answer = surface.call(request).await;
    close(surface, instance).await?;
    let Response::Runs(page) = answer? else { return Err(unexpected()) };
    if args.json {
        println!("{}", serde_json::to_string(&page).unwrap_or_default());
        return Ok(Outcome::Done);
    }
    if page.runs.is_empty() {
        eprintln!("No runs yet. `agentnative run isa-deep-research \"<question>\"` starts one.");
    }
    for run in page.runs {
        let title: String = printable(&run.title).chars().take(60).collect();
        println!("{}  {:<10} {:<20} {title}", run.run, run.status, run.agent);
    }
    Ok(Outcome::Done)
}

/// `show`.
pub async fn show(home: &Path, args: ShowArgs) -> Result<Outcome, Problem> {
    let (surface, instance) = open(home).await?;
    let run = args.run.clone().map_or(RunRef::Last, RunRef::Id);
    let shown = async {
        if args.document {
            let Response::Document(document) = surface.call(Request::RunDocument { run }).await? else {
                return Err(unexpected());
            };
            let Some(document) = document else {
                return Err(Problem::new(ErrorCode::NotFound, "the run has no document yet"));
            };
            print!("{}", document.markdown);
            return Ok(());
        }
        let mut after = 0;
        loop {
            let request = Request::RunShow {
                run: run.clone(),
                events_after: args.events.then_some(after),
                outputs: args.outputs,
            };
            let Response::RunState(state) = surface.call(request).await? else { return Err(unexpected()) };
            if args.events {
                for record in &state.events {
                    println!("{}", serde_json::to_string(record).unwrap_or_default());
                }
                match state.events.last() {
                    Some(last) if last.seq < state.seq => after = last.seq,
                    _ => return Ok(()),
                }
            } else if args.outputs {
                println!("{}", serde_json::to_string_pretty(&state.outputs).unwrap_or_default());
                return Ok(());
            } else if args.json {
                println!("{}", serde_json::to_string(&state).unwrap_or_default());
                return Ok(());
            } else {
                print_state(&state);
                return Ok(());
            }
        }
    };
    let shown = shown.await;
    close(surface, instance).await?;
    shown.map(|()| Outcome::Done)
}

fn print_state(state: &RunState) {
    println!("{}  {}  {}", state.run, state.agent, state.status);
    println!("session {}", state.session);
    println!("{}\n", printable(&state.request));
    for stage in &state.stages {
        let repair =
            if stage.iteration > 0 { format!(" (repair {})", stage.iteration) } else { String::new() };
        println!(
            "  {:<10} {:<14} {:>8} tokens  {}{repair}",
            stage.phase,
            stage.title,
            stage.usage.total(),
            printable(&stage.summary)
        );
        for warning in &stage.warnings {
            println!("             warning: {}", printable(warning));
        }
    }
    println!(
        "\n{} and {} tokens in {:.1} s",
        state.cost,
        state.usage.total(),
        state.active_ms as f64 / 1000.0
    );
    if state.maybe_paid_twice > 0 {
        println!(
            "{} interrupted calls may have cost up to {} besides",
            state.maybe_paid_twice, state.doubtful
        );
    }
    if let Some(problem) = &state.problem {
        println!("\n{}", printable(&problem.to_string()));
    }
    for form in &state.pauses {
        println!("\n{}", plain(&form.markdown));
    }
}

/// `export`.
pub async fn export(home: &Path, run: &str, unchecked: bool) -> Result<Outcome, Problem> {
    let (surface, instance) = open(home).await?;
    let answer = surface.call(Request::RunExport { run: RunRef::Id(run.to_owned()), unchecked }).await;
    close(surface, instance).await?;
    match answer? {
        Response::Written(Some(path)) => println!("{path}"),
        Response::Written(None) => eprintln!("The run has no document; its state was written."),
        _ => return Err(unexpected()),
    }
    Ok(Outcome::Done)
}

fn unexpected() -> Problem {
    Problem::new(ErrorCode::Internal, "the engine answered something else than was asked")
}
