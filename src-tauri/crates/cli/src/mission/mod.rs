//! `mission`: open-ended research from the terminal.

mod args;
mod calls;
mod forecast;
mod graph;
mod profiles;

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use app::mission::MissionView;
use app::{Answered, AnyClient, Exit, PausePolicy, Reply, UiEvent, UiKind};
use domain::mission::{ClaimRejection, ItemId, PlanEdit, percent};
use domain::{ErrorCode, Problem, RunId, RunStatus};
use evidence_graph::NewestClaim;
use missions::measure;
use protocol::{Client, ExportFormat, MissionLimits, MissionStart, MissionSteer, Response};
use support::{copy_fresh, now_ms};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

pub use args::MissionCommand;
use args::{
    AlongArgs, BeginArgs, ExtendArgs, LimitArgs, MissionRef, RepeatArgs, ShownArgs, StartArgs, SteerArgs,
};

use crate::interrupts::Interrupts;
use crate::outcome::{Outcome, of_exit};
use crate::terminal::{json_line, print_either, print_json, printable};

/// Without an event for so long, the log is asked.
const POLL_AFTER: Duration = Duration::from_secs(5);

/// `mission`.
pub async fn mission(client: &AnyClient, command: MissionCommand) -> Result<Outcome, Problem> {
    match command {
        MissionCommand::Start(args) => start(client, args).await,
        MissionCommand::Extend(args) => extend(client, args).await,
        MissionCommand::List { json } => list(client, json).await,
        MissionCommand::Show { mission, json } => {
            let view = shown(client, mission).await?;
            print_either(json, &view, print);
            Ok(Outcome::Done)
        }
        MissionCommand::Follow(args) => {
            let events = client.subscribe();
            let view = shown(client, args.mission).await?;
            if view.status == RunStatus::Interrupted {
                let what = format!("nothing drives mission {}: its process ended", view.mission);
                return Err(Problem::new(ErrorCode::Conflict, what)
                    .with_action(format!("`agentnative mission resume {}` goes on with it", view.mission)));
            }
            follow(client, view.mission, events, args.shown).await
        }
        MissionCommand::Rerun(args) => rerun(client, args).await,
        MissionCommand::Steer(args) => steer(client, args).await,
        MissionCommand::Resume(args) => resume(client, args).await,
        MissionCommand::Report { mission, format, output, form, without } => {
            let view = shown(client, mission).await?;
            let of = match form {
                None if without.is_empty() => view.mission,
                form => another_report(client, view.mission, form.unwrap_or_default(), without).await?,
            };
            report(client, of, format, output).await
        }
        MissionCommand::Graph(args) => graph::graph(client, args).await,
        MissionCommand::Journal { mission, json } => journal(client, mission, json).await,
        MissionCommand::Profiles { profile, json } => profiles::profiles(client, profile, json).await,
        MissionCommand::Check { profile } => profiles::check(client, &profile).await,
    }
}

async fn shown(client: &AnyClient, mission: Option<String>) -> Result<MissionView, Problem> {
    client.mission_show(mission.unwrap_or_default()).await.map(|view| *view)
}

impl From<LimitArgs> for MissionLimits {
    fn from(args: LimitArgs) -> Self {
        Self {
            usd: args.budget.budget_usd,
            tokens: args.budget.budget_tokens,
            minutes: args.budget.budget_minutes,
            invocations: args.max_invocations,
            iterations: args.max_iterations,
        }
    }
}

async fn start(client: &AnyClient, args: StartArgs) -> Result<Outcome, Problem> {
    let events = client.subscribe();
    let AlongArgs { limits, yes, shown } = args.along;
    let start = MissionStart {
        profile: args.profile,
        request: args.objective,
        mode: args.mode,
        corpora: args.corpus,
        connection: args.over.connection,
        model: args.over.model,
        limits: limits.into(),
        unattended: yes,
        ..MissionStart::default()
    };
    if args.dry_run {
        return forecast::dry_run(client, start, shown.json).await;
    }
    let mission = client.mission_start(Box::new(start)).await?;
    if args.detach {
        println!("{mission}");
        return Ok(Outcome::Done);
    }
    follow(client, mission, events, shown).await
}

async fn extend(client: &AnyClient, args: ExtendArgs) -> Result<Outcome, Problem> {
    let previous = shown(client, Some(args.mission)).await?.mission;
    let start = MissionStart { request: args.objective, previous: Some(previous), ..MissionStart::default() };
    begin(client, args.begin, start).await
}

async fn rerun(client: &AnyClient, args: RepeatArgs) -> Result<Outcome, Problem> {
    let base = shown(client, Some(args.mission)).await?.mission;
    begin(client, args.begin, MissionStart { base: Some(base), ..MissionStart::default() }).await
}

/// Starts a mission that builds on another one, and shows it.
async fn begin(client: &AnyClient, args: BeginArgs, start: MissionStart) -> Result<Outcome, Problem> {
    let events = client.subscribe();
    let AlongArgs { limits, yes, shown } = args.along;
    let start = MissionStart { profile: args.profile, limits: limits.into(), unattended: yes, ..start };
    let mission = client.mission_start(Box::new(start)).await?;
    follow(client, mission, events, shown).await
}

/// Has another report written from what a mission knows, without some claims.
async fn another_report(
    client: &AnyClient,
    previous: RunId,
    form: String,
    without: Vec<String>,
) -> Result<RunId, Problem> {
    let events = client.subscribe();
    let rejected = without
        .chunks_exact(2)
        .map(|pair| ClaimRejection { claim: ItemId(pair[0].clone()), why: pair[1].clone() });
    let start = MissionStart {
        request: form,
        previous: Some(previous),
        report_only: true,
        without: rejected.collect(),
        unattended: true,
        ..MissionStart::default()
    };
    let mission = client.mission_start(Box::new(start)).await?;
    let mut progress = Progress::new(ShownArgs { verbose: false, quiet: false, json: false });
    let (_, problem) = watch(client, &mission, events, &mut progress).await?;
    problem.map_or(Ok(mission), Err)
}

async fn resume(client: &AnyClient, args: MissionRef) -> Result<Outcome, Problem> {
    let events = client.subscribe();
    let view = shown(client, args.mission).await?;
    if let Some(pause) = view.pauses.first().filter(|_| !args.yes) {
        // Who resumes a mission that waits has read what it asks: the default choice is taken.
        let steer = match pause.choices.first().map(String::as_str) {
            Some("write") => MissionSteer::Write,
            Some("again") => MissionSteer::Again,
            _ => MissionSteer::Proceed,
        };
        client.mission_steer(view.mission.clone(), steer, false).await?;
    } else {
        client.mission_resume(view.mission.clone(), args.yes).await?;
    }
    follow(client, view.mission, events, args.shown).await
}

async fn steer(client: &AnyClient, args: SteerArgs) -> Result<Outcome, Problem> {
    match (args.raise, args.limits == LimitArgs::default()) {
        (true, true) => {
            let options =
                "--budget-usd, --budget-tokens, --budget-minutes, --max-invocations or --max-iterations";
            return Err(Problem::new(ErrorCode::InvalidInput, "--raise names no limit")
                .with_action(format!("name one with {options}")));
        }
        (false, false) => {
            return Err(Problem::new(ErrorCode::InvalidInput, "a limit is changed with --raise alone")
                .with_action("steer once with --raise and the limit, once without both"));
        }
        (true, false) | (false, true) => {}
    }
    let view = shown(client, Some(args.mission)).await?;
    // What a steered mission does next is its own; where this process drives it, it goes along.
    let shown = ShownArgs { verbose: false, quiet: true, json: args.json };
    let events = client.subscribe();
    if let Some(choice) = args.answer {
        answer(client, &view, choice).await?;
        return follow(client, view.mission, events, shown).await;
    }
    let pair = |words: Vec<String>| -> (ItemId, String) {
        let mut words = words.into_iter();
        (ItemId(words.next().unwrap_or_default()), words.next().unwrap_or_default())
    };
    let steer = if let Some(text) = args.guide {
        MissionSteer::Guide { text }
    } else if let Some(claim) = args.pin {
        MissionSteer::Pin { claim: ItemId(claim) }
    } else if let Some(words) = args.reject {
        let (claim, why) = pair(words);
        MissionSteer::Reject { claim, why }
    } else if let Some(words) = args.close {
        let (gap, why) = pair(words);
        MissionSteer::CloseGap { gap, why }
    } else if let Some(words) = args.settle {
        let mut words = words.into_iter();
        let mut next = || words.next().unwrap_or_default();
        let (contradiction, claim, why) = (ItemId(next()), next(), next());
        let claim = (claim != "both").then_some(ItemId(claim));
        MissionSteer::Settle { contradiction, claim, why }
    } else if let Some(edits) = plan_edits(args.ask, args.reword, args.drop) {
        MissionSteer::Plan { edits }
    } else if args.raise {
        MissionSteer::Raise { limits: args.limits.into() }
    } else if args.write {
        MissionSteer::Write
    } else if args.proceed {
        MissionSteer::Proceed
    } else if args.again {
        MissionSteer::Again
    } else if args.pause {
        MissionSteer::Suspend
    } else {
        MissionSteer::Cancel
    };
    client.mission_steer(view.mission.clone(), steer, args.yes).await?;
    follow(client, view.mission, events, shown).await
}

/// Answers the pause of an agent's run.
async fn answer(client: &AnyClient, view: &MissionView, choice: String) -> Result<(), Problem> {
    let Some(run) = view.pauses.iter().find_map(|pause| pause.run.clone()) else {
        let what = format!("no agent of mission {} asks anything", view.mission);
        return Err(Problem::new(ErrorCode::Conflict, what));
    };
    let reply = Reply { choice: Some(choice), ..Reply::default() };
    match client.run_answer(run, None, Box::new(reply), PausePolicy::default()).await? {
        Answered::Accepted { .. } => Ok(()),
        Answered::StillOpen { message, .. } => Err(Problem::new(ErrorCode::InvalidInput, message)),
    }
}

/// Edits of the plan in the order of the options; nothing where none was given.
fn plan_edits(ask: Vec<String>, reword: Vec<String>, drop: Vec<String>) -> Option<Vec<PlanEdit>> {
    let mut edits: Vec<PlanEdit> =
        ask.into_iter().map(|text| PlanEdit::Add { text, required: true }).collect();
    edits.extend(
        reword
            .chunks_exact(2)
            .map(|pair| PlanEdit::Reword { question: ItemId(pair[0].clone()), text: pair[1].clone() }),
    );
    edits.extend(drop.into_iter().map(|question| PlanEdit::Drop { question: ItemId(question) }));
    (!edits.is_empty()).then_some(edits)
}

/// Shows a mission until it leaves the engine.
async fn follow(
    client: &AnyClient,
    mission: RunId,
    events: broadcast::Receiver<UiEvent>,
    shown: ShownArgs,
) -> Result<Outcome, Problem> {
    let mut progress = Progress::new(shown);
    let (exit, problem) = watch(client, &mission, events, &mut progress).await?;
    let view = client.mission_show(mission.0.clone()).await?;
    if shown.json {
        println!(
            "{}",
            json_line(&serde_json::json!({
                "mission": mission, "kind": "end", "exit": exit, "outcome": view.outcome, "report": view.report,
                "unmet": view.unmet, "ended": view.ended, "open": view.open, "objective": view.objective,
                "outputSpecification": view.output_specification,
                "problem": problem,
            }))
        );
        return Ok(of_exit(exit));
    }
    match exit {
        Exit::Completed => {
            if !view.unmet.is_empty() {
                let why = view.ended.as_deref().map(|why| format!(" ({why})")).unwrap_or_default();
                eprintln!("Partial report{why}. Not met: {}", printable(&view.unmet.join(", ")));
                view.open.iter().for_each(|open| eprintln!("  open: {}", printable(open)));
                next_step(&view).iter().for_each(|next| eprintln!("Next: {next}"));
            }
            if let Some(report) = &view.report {
                println!("{}", printable(report));
            }
        }
        Exit::Paused => {
            for pause in &view.pauses {
                eprintln!("\n{}\n\n{}", printable(&pause.title), printable(&pause.markdown));
            }
            eprintln!("The mission waits. `agentnative mission resume {mission}` goes on.");
        }
        Exit::Failed => {
            let problem = problem.or(view.problem).map(|problem| problem.to_string()).unwrap_or_default();
            eprintln!("The mission failed: {}", printable(&problem));
            eprintln!("`agentnative mission resume {mission}` tries again.");
        }
        Exit::Cancelled => eprintln!("Cancelled."),
    }
    Ok(of_exit(exit))
}

/// Goes along with a mission until it leaves the engine.
async fn watch(
    client: &AnyClient,
    mission: &RunId,
    mut events: broadcast::Receiver<UiEvent>,
    progress: &mut Progress,
) -> Result<(Exit, Option<Problem>), Problem> {
    let (mut interrupts, mut calls) = (Interrupts::listen()?, calls::Calls::default());
    let mut pressed = 0;
    let ended = loop {
        tokio::select! {
            biased;
            () = interrupts.next() => {
                pressed += 1;
                let steer = if pressed == 1 { MissionSteer::Suspend } else { MissionSteer::Cancel };
                let what = if pressed == 1 {
                    "stopping; the mission can be resumed. Ctrl-C again cancels it for good."
                } else {
                    "cancelling"
                };
                progress.note(what);
                client.mission_steer(mission.clone(), steer, false).await?;
            }
            event = events.recv() => match event {
                Ok(event) if event.run == *mission => {
                    if let UiKind::Done { exit, problem } = event.kind {
                        break (exit, problem);
                    }
                    if let UiKind::Progress { text, .. } = event.kind {
                        progress.step(mission, &text);
                        progress.claims(client, mission).await?;
                    }
                }
                Ok(event) if progress.verbose && !progress.json => {
                    if let Some(text) = calls.describe(client, mission, &event).await {
                        progress.step(mission, &text);
                    }
                }
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => {
                    let what = "the connection to the instance that runs the mission was lost";
                    return Err(Problem::new(ErrorCode::Busy, what));
                }
            },
            () = tokio::time::sleep(POLL_AFTER) => {
                // Events may be lost, states may not.
                let view = client.mission_show(mission.0.clone()).await?;
                if let Some(exit) = Response::exit_of(view.status) {
                    break (exit, view.problem);
                }
            }
        }
    };
    progress.claims(client, mission).await?;
    progress.end();
    Ok(ended)
}

/// What is shown of a mission while it goes on.
struct Progress {
    json: bool,
    verbose: bool,
    /// Dots in the line that is open.
    dots: u32,
    last: String,
    /// The newest claim that was shown.
    newest: Option<ItemId>,
}

impl Progress {
    fn new(shown: ShownArgs) -> Self {
        let by_default = std::io::stderr().is_terminal() || std::env::var_os("AGENTNATIVE_VERBOSE").is_some();
        Self {
            json: shown.json,
            verbose: shown.verbose || (!shown.quiet && by_default),
            dots: 0,
            last: String::new(),
            newest: None,
        }
    }

    /// Shows the claims that were found since it looked last; those of a mission before are no news.
    async fn claims(&mut self, client: &AnyClient, mission: &RunId) -> Result<(), Problem> {
        if self.json || !self.verbose {
            return Ok(());
        }
        let view = client.mission_show(mission.0.clone()).await?;
        let lines = NewestClaim::lines_after(&view.newest_claims, self.newest.as_ref());
        lines.iter().filter(|_| view.iteration > 0).for_each(|line| eprintln!("  {}", printable(line)));
        self.newest = view.newest_claims.first().map(|claim| claim.claim.clone());
        Ok(())
    }

    fn step(&mut self, mission: &RunId, text: &str) {
        if self.json {
            let line = serde_json::json!({ "mission": mission, "kind": "progress", "text": text });
            println!("{}", json_line(&line));
        } else if self.verbose {
            if text != self.last {
                eprintln!("{}", printable(text));
                text.clone_into(&mut self.last);
            }
        } else {
            eprint!(".");
            let _ = std::io::stderr().flush();
            self.dots += 1;
        }
    }

    fn note(&mut self, text: &str) {
        self.end();
        eprintln!("{text}");
    }

    /// Ends the line of dots: a sentence begins on its own.
    fn end(&mut self) {
        if self.dots > 0 {
            eprintln!();
            self.dots = 0;
        }
    }
}

async fn list(client: &AnyClient, json: bool) -> Result<Outcome, Problem> {
    let missions = client.mission_list().await?;
    if json {
        return print_json(&serde_json::json!({ "missions": missions }));
    }
    if missions.is_empty() {
        println!("No missions yet. `agentnative mission start general-research \"…\"` starts one.");
    }
    for row in missions {
        println!("{}  {:<10} {}", row.mission, row.status, printable(&row.title));
        println!("    {}", printable(&row.line));
    }
    Ok(Outcome::Done)
}

fn print(view: &MissionView) {
    let partial = if view.unmet.is_empty() { "" } else { ", partial" };
    println!("{}  {}{partial}  {}", view.mission, view.status, printable(&view.profile_name));
    println!("objective: {}", printable(&view.objective));
    if !view.output_specification.is_empty() {
        println!("report: {}", printable(&view.output_specification.replace('\n', "; ")));
    }
    println!("iteration {}, {}", view.iteration, view.phase);
    for (name, criterion) in &view.criteria {
        let mark = if criterion.met { "✓" } else { " " };
        let (value, target) = (measure(name, criterion.value), measure(name, criterion.target));
        println!("  {mark} {}: {value} of {target}", printable(name));
    }
    let counts = view.facts.counts;
    println!(
        "known: {} supported claims, {} unsupported, {} disputed, {} rejected; {} sources; {} open gaps, {} contradictions; coverage {} %, confidence {} %",
        counts.supported_claims,
        counts.unsupported_claims,
        counts.disputed_claims,
        counts.rejected_claims,
        counts.sources,
        counts.open_gaps,
        counts.open_contradictions,
        percent(view.facts.coverage),
        percent(view.facts.confidence)
    );
    for of in view.limits_at(now_ms()) {
        if let Some(limit) = of.limit {
            println!("  {}: {} of {}", of.dimension, of.amount(of.used), of.amount(limit));
        }
    }
    for one in &view.invocations {
        let task = one.task.as_deref().map(|task| format!(": {}", printable(task))).unwrap_or_default();
        println!("  {} {:<8} {}{task}", one.key, one.status, printable(&one.name));
        if let Some(problem) = &one.problem {
            println!("      {}", printable(&problem.message));
        }
    }
    match view.no_model {
        true => println!("spent: nothing, there is no model"),
        false => println!("spent: {}, {} tokens", view.cost, view.usage.total()),
    }
    view.left_out.iter().for_each(|why| println!("without {}", printable(why)));
    view.pauses.iter().for_each(|pause| println!("waits: {}", printable(&pause.title)));
    if !view.unmet.is_empty() {
        println!("not met: {}", printable(&view.unmet.join(", ")));
    }
    if let Some(why) = &view.ended {
        println!("research ended: {}", printable(why));
    }
    view.open.iter().for_each(|open| println!("open: {}", printable(open)));
    if let Some(report) = &view.report {
        println!("report: {}", printable(report));
    }
    if let Some(problem) = &view.problem {
        println!("failed: {}", printable(&problem.to_string()));
    }
    if let Some(next) = next_step(view) {
        println!("next: {next}");
    }
}

/// What can be done with a mission as it stands.
fn next_step(view: &MissionView) -> Option<String> {
    let id = &view.mission;
    match view.status {
        RunStatus::Completed if !view.open.is_empty() => {
            Some(format!("`agentnative mission extend {id} \"<question>\"` goes on with what is known"))
        }
        RunStatus::Paused => Some(format!(
            "`agentnative mission resume {id}` goes on, `agentnative mission steer {id} --write` has the report written"
        )),
        RunStatus::Failed | RunStatus::Interrupted | RunStatus::Suspended => {
            Some(format!("`agentnative mission resume {id}` goes on"))
        }
        RunStatus::Completed | RunStatus::Running | RunStatus::Waiting => None,
        RunStatus::Planned | RunStatus::Stopped | RunStatus::Cancelled => None,
    }
}

async fn report(
    client: &AnyClient,
    mission: RunId,
    format: Option<String>,
    output: Option<PathBuf>,
) -> Result<Outcome, Problem> {
    if format.is_none() && output.is_none() {
        let Some(text) = client.mission_report(mission.clone()).await? else {
            return Err(Problem::new(ErrorCode::NotFound, "the mission has no report yet")
                .with_action(format!("`agentnative mission steer {mission} --write` has it written now")));
        };
        text.lines().for_each(|line| println!("{}", printable(line)));
        return Ok(Outcome::Done);
    }
    let format = graph::named("--format", format.as_deref().unwrap_or("markdown"))?;
    exported(client, mission, format, output).await
}

/// Writes the report or the graph of a mission to a file.
async fn exported(
    client: &AnyClient,
    mission: RunId,
    format: ExportFormat,
    output: Option<PathBuf>,
) -> Result<Outcome, Problem> {
    let exported = client.mission_export(mission, format).await?;
    let path = match output {
        Some(path) => {
            copy_fresh(Path::new(&exported.path), &path)?;
            path.display().to_string()
        }
        None => exported.path,
    };
    println!("{}", printable(&path));
    Ok(Outcome::Done)
}

async fn journal(client: &AnyClient, mission: Option<String>, json: bool) -> Result<Outcome, Problem> {
    let view = shown(client, mission).await?;
    for line in client.mission_journal(view.mission).await? {
        if json {
            println!("{}", json_line(&line));
            continue;
        }
        println!("{:>4}  {}", line.seq, printable(&line.text));
        if let Some(why) = &line.why {
            println!("      {}", printable(why));
        }
        for alternative in &line.alternatives {
            println!("      instead of: {}", printable(alternative));
        }
    }
    Ok(Outcome::Done)
}
