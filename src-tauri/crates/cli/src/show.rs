//! Looking at runs.

use std::io::IsTerminal as _;
use std::path::Path;

use app::AnyClient;
use domain::{ErrorCode, Problem, RunId};
use money::foreseen;
use protocol::{
    CheckpointResume, Client, GateAttempt, RunFound, RunKind, RunProgress, RunRef, RunState, StageRow,
    TableCell,
};
use serde_json::Value;

use crate::args::{RunsArgs, ShowArgs};
use crate::chat;
use crate::citations;
use crate::outcome::Outcome;
use crate::run::with_client;
use crate::terminal::{
    json_line, plain, print_either, print_json, printable, printable_json, reused, tokens,
};

/// `runs`.
pub async fn runs(client: &AnyClient, args: RunsArgs) -> Result<Outcome, Problem> {
    let page = client.run_list(args.limit, args.agent, args.status, None, false).await?;
    if args.json {
        return print_json(&page);
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

/// What an id names; without one the newest run.
pub async fn named(client: &AnyClient, id: Option<&str>) -> Result<RunFound, Problem> {
    let run = id.map_or(RunRef::Last, |id| RunRef::Id(id.to_owned()));
    client.run_find(run).await
}

/// `show`.
pub async fn show(client: &AnyClient, args: ShowArgs) -> Result<Outcome, Problem> {
    let found = named(client, args.run.as_deref()).await?;
    match found.kind {
        RunKind::Turn => show_turn(client, &found, &args).await?,
        RunKind::Run | RunKind::Mission => show_run(client, RunRef::Id(found.run.0), &args).await?,
    }
    Ok(Outcome::Done)
}

async fn show_turn(client: &AnyClient, found: &RunFound, args: &ShowArgs) -> Result<(), Problem> {
    let RunFound { run, session, .. } = found;
    let document = args.document || args.citations || args.citation.is_some();
    if document || args.outputs {
        let what = if document { "no document of its own" } else { "no stages" };
        let message = format!("{run} is a turn of the conversation {session} and has {what}");
        return Err(Problem::new(ErrorCode::InvalidInput, message)
            .with_action(format!("`agentnative show {run}` prints its steps and its answer")));
    }
    if args.events {
        return turn_events(client, run).await;
    }
    let view = client.turn_show(run.clone()).await?;
    print_either(args.json, &view, chat::print_turn);
    Ok(())
}

async fn turn_events(client: &AnyClient, run: &RunId) -> Result<(), Problem> {
    let mut after = 0;
    loop {
        let page = client.turn_events(run.clone(), after).await?;
        for event in &page.events {
            println!("{}", json_line(event));
        }
        let last = page.events.last().and_then(|event| event.get("seq")).and_then(|seq| seq.as_u64());
        match last {
            Some(last) if last < page.seq => after = last,
            Some(_) | None => return Ok(()),
        }
    }
}

async fn show_run(client: &AnyClient, run: RunRef, args: &ShowArgs) -> Result<(), Problem> {
    if args.citations || args.citation.is_some() {
        return citations::show(client, run, args).await;
    }
    if args.document {
        let Some(document) = client.run_document(run).await? else {
            return Err(Problem::new(ErrorCode::NotFound, "the run has no document yet"));
        };
        // Whoever keeps it in a file gets it as it is.
        if std::io::stdout().is_terminal() {
            print!("{}", printable(&document.markdown));
        } else {
            print!("{}", document.markdown);
        }
        return Ok(());
    }
    if args.checkpoints {
        let progress = client.run_progress(run).await?;
        print_either(args.json, &progress, print_progress);
        return Ok(());
    }
    let mut after = 0;
    loop {
        let state = client.run_show(run.clone(), args.events.then_some(after), args.outputs).await?;
        if args.events {
            for record in &state.events {
                println!("{}", json_line(record));
            }
            match state.events.last() {
                Some(last) if last.seq < state.seq => after = last.seq,
                _ => return Ok(()),
            }
            continue;
        }
        if args.outputs {
            println!("{}", printable_json(&serde_json::to_string_pretty(&state.outputs).unwrap_or_default()));
        } else {
            print_either(args.json, &state, print_state);
        }
        return Ok(());
    }
}

fn print_state(state: &RunState) {
    println!("{}  {}  {}", state.run, state.agent, state.status);
    println!("session {}", state.session);
    if let Some(parent) = &state.parent {
        println!("part of {parent}");
    }
    println!("{}\n", printable(&state.request));
    if let Some(inputs) = &state.inputs {
        println!("{}\n", printable_json(&serde_json::to_string_pretty(inputs).unwrap_or_default()));
    }
    for stage in &state.stages {
        let repair =
            if stage.iteration > 0 { format!(" (repair {})", stage.iteration) } else { String::new() };
        println!(
            "  {:<10} {:<14} {:>15}  {}{repair}",
            stage.phase,
            printable(&stage.title),
            tokens(state.no_model, &stage.usage),
            printable(&stage.summary)
        );
        for warning in &stage.warnings {
            println!("             warning: {}", printable(warning));
        }
        if let Some(gate) = stage.gate.as_ref().filter(|_| is_told(stage)) {
            let name = gate.name.as_deref().unwrap_or("check");
            let (tried, most) = (gate.attempts.len(), stage.max_iterations + 1);
            println!("             {}: attempt {tried} of {most}", printable(name));
        }
        for attempt in stage.gate.iter().flat_map(|gate| &gate.attempts).filter(|_| is_told(stage)) {
            println!("             {}", printable(&attempt_line(attempt)));
        }
        for child in &stage.children {
            let run = child.run.as_ref().map_or("", |run| run.0.as_str());
            println!("             {:<10} {}  {run}", child.status, printable(&child.title));
        }
    }
    for pause in state.answered.iter().filter(|pause| pause.decision.follow_up) {
        let (of, label) = (printable(&pause.form.title), printable(&pause.label));
        println!("  pause      {of}: {label}, taken by itself because this is a follow-up");
    }
    println!(
        "\n{}, {} in {:.1} s",
        state.cost,
        tokens(state.no_model, &state.usage),
        state.active_ms as f64 / 1000.0
    );
    for line in foreseen(state).into_iter().chain(reused(state)) {
        println!("{line}");
    }
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

/// A run's checkpoints, the oldest first, and the tables of its outputs.
fn print_progress(progress: &RunProgress) {
    if let Some(file) = &progress.state_file {
        println!("state in {}", printable(file));
    }
    let began = progress.checkpoints.first().map_or(0, |first| first.at);
    for checkpoint in &progress.checkpoints {
        let place = [&checkpoint.title, &checkpoint.item].into_iter().flatten().cloned();
        let words = checkpoint.words.map(|words| format!("{words} words"));
        let place: Vec<String> = place.chain(words).collect();
        let from = match &checkpoint.resume {
            Some(CheckpointResume::Run) => format!("  agentnative resume {}", progress.run),
            Some(CheckpointResume::Stage { stage }) => {
                format!("  agentnative rerun {} --from {stage}", progress.run)
            }
            None => String::new(),
        };
        println!(
            "{:>6}  {:>9.1} s  {:<14}  {}  {}{}",
            checkpoint.seq,
            (checkpoint.at - began) as f64 / 1000.0,
            checkpoint.trigger.as_str(),
            checkpoint.digest.short(),
            printable(&place.join(": ")),
            printable(&from)
        );
    }
    for draft in &progress.drafts {
        println!("\nDraft: {}, {} words", printable(&draft.title), draft.words);
        for line in draft.text.lines() {
            println!("  {}", printable(line));
        }
    }
    for table in &progress.tables {
        println!("\n{}", printable(&table.title));
        println!("  {}", printable(&table.columns.join("  ")));
        for row in &table.rows {
            let cells: Vec<String> = row.iter().map(cell).collect();
            println!("  {}", printable(&cells.join("  ")));
        }
    }
}

/// A cell of a table in a line.
fn cell(cell: &TableCell) -> String {
    let text = match &cell.value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.replace('\n', " "),
        Value::Array(items) => {
            let texts =
                items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned));
            texts.collect::<Vec<_>>().join(", ")
        }
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => cell.value.to_string(),
    };
    cell.max.map_or_else(|| text.clone(), |max| format!("{text} of {max}"))
}

/// Whether a unit's attempts say more than the stage's own line: it was repaired, or its repairs ended.
fn is_told(stage: &StageRow) -> bool {
    stage.gate.as_ref().is_some_and(|gate| gate.attempts.len() > 1 || gate.ended.is_some())
}

/// An attempt of a repair unit with its scores.
fn attempt_line(attempt: &GateAttempt) -> String {
    let name = match attempt.iteration {
        0 => "first attempt".to_owned(),
        number => format!("repair {number}"),
    };
    let scores: Vec<String> =
        attempt.scores.iter().map(|(axis, score)| format!("{axis} {:.0} %", score * 100.0)).collect();
    let verdict = if attempt.passed { "passed" } else { "not passed" };
    let stands = if attempt.stands { ", stands" } else { "" };
    format!("{name:<14} {verdict}{stands}  {}", scores.join(", ")).trim_end().to_owned()
}

/// `export`.
pub async fn export(home: &Path, run: &str, unchecked: bool) -> Result<Outcome, Problem> {
    let run = RunRef::Id(run.to_owned());
    match with_client(home, async |client| client.run_export(run, unchecked).await).await? {
        Some(path) => println!("{}", printable(&path)),
        None => eprintln!("The run has no document; its state was written."),
    }
    Ok(Outcome::Done)
}
