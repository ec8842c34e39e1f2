//! Recomputing stored runs.

use app::{AnyClient, Replay};
use clap::Args;
use domain::{ErrorCode, Problem, RunId};
use protocol::{Client, RunRef};
use serde::Serialize;

use crate::outcome::Outcome;
use crate::show::named;
use crate::terminal::{json_line, printable};

/// Runs that one answer lists.
const PAGE: u32 = 500;

/// `replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The id of a run or a turn, the first characters of it, or its session, which names its newest; default: the newest run.
    #[arg(conflicts_with = "all")]
    pub run: Option<String>,
    /// Every run and turn.
    #[arg(long)]
    pub all: bool,
    /// Also drive runs and turns again in a scratch folder, with recorded answers in place of models, tools and you. What depends on
    /// something that is not recorded, such as the speed of a run, is only recomputed.
    #[arg(long)]
    pub redrive: bool,
    /// Print the result as JSON: {"events", "recomputed", "documents", "identical"}.
    #[arg(long)]
    pub json: bool,
}

/// A run recomputed, and driven again where that was asked for.
#[derive(Debug, Serialize)]
struct ReplayReport {
    #[serde(flatten)]
    replay: Replay,
    #[serde(skip_serializing_if = "Option::is_none")]
    redrive: Option<Replay>,
}

/// What recomputing all runs gave.
#[derive(Debug, Default, Serialize)]
struct Sum {
    runs: u64,
    events: u64,
    recomputed: u64,
    documents: u64,
    identical: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    different: Vec<Replay>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Failed>,
    /// Runs that were driven again.
    #[serde(skip_serializing_if = "is_none")]
    redriven: u64,
    /// Steps that could not be computed again.
    #[serde(skip_serializing_if = "is_none")]
    gaps: u64,
}

/// A run that could not be recomputed.
#[derive(Debug, Serialize)]
struct Failed {
    run: RunId,
    problem: Problem,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's form
fn is_none(number: &u64) -> bool {
    *number == 0
}

/// `replay`: 0 when everything came out the same, 1 when something differs, 2 when a run can't be read.
pub async fn replay(client: &AnyClient, args: ReplayArgs) -> Result<Outcome, Problem> {
    let outcome = if args.all { all(client, &args).await } else { one(client, &args).await };
    outcome.or_else(|problem| {
        eprintln!("agentnative: {}", printable(&problem.to_string()));
        Ok(Outcome::Usage)
    })
}

async fn one(client: &AnyClient, args: &ReplayArgs) -> Result<Outcome, Problem> {
    let found = named(client, args.run.as_deref()).await?;
    let run = RunRef::Id(found.run.0);
    let replay = client.run_replay(run.clone(), false).await?;
    let redrive = if args.redrive { Some(client.run_replay(run, true).await?) } else { None };
    let identical = replay.identical && redrive.as_ref().is_none_or(|redrive| redrive.identical);
    if args.json {
        println!("{}", json_line(&ReplayReport { replay, redrive }));
    } else {
        print(&replay);
        if let Some(redrive) = redrive {
            println!("\ndriven again:");
            print(&redrive);
        }
    }
    Ok(if identical { Outcome::Done } else { Outcome::Failed })
}

async fn all(client: &AnyClient, args: &ReplayArgs) -> Result<Outcome, Problem> {
    let json = args.json;
    let mut sum = Sum { identical: true, ..Sum::default() };
    let mut before = None;
    loop {
        let page = client.run_list(PAGE, None, None, before, true).await?;
        for row in page.runs {
            sum.runs += 1;
            match client.run_replay(RunRef::Id(row.run.0.clone()), false).await {
                Ok(replay) => sum.add(replay, json),
                Err(problem) => sum.fail(row.run.clone(), problem, json),
            }
            if !args.redrive {
                continue;
            }
            match client.run_replay(RunRef::Id(row.run.0.clone()), true).await {
                Ok(replay) => {
                    sum.redriven += 1;
                    sum.differ(replay, json);
                }
                // What it did depends on something that is not recorded.
                Err(problem) if problem.code == ErrorCode::Conflict => {}
                Err(problem) => sum.fail(row.run, problem, json),
            }
        }
        match page.next {
            Some(next) => before = Some(next),
            None => break,
        }
    }
    let outcome = match (sum.errors.is_empty(), sum.identical) {
        (false, _) => Outcome::Usage,
        (true, false) => Outcome::Failed,
        (true, true) => Outcome::Done,
    };
    if json {
        println!("{}", json_line(&sum));
    } else {
        println!(
            "{} recomputed: {} events, {} steps, {} documents; {} different, {} not readable",
            counted(sum.runs, "run"),
            sum.events,
            sum.recomputed,
            sum.documents,
            sum.different.len(),
            sum.errors.len()
        );
    }
    Ok(outcome)
}

impl Sum {
    fn add(&mut self, replay: Replay, json: bool) {
        self.events += replay.events;
        self.recomputed += replay.recomputed;
        self.documents += u64::from(replay.documents);
        self.gaps += replay.gaps.len() as u64;
        self.differ(replay, json);
    }

    fn fail(&mut self, run: RunId, problem: Problem, json: bool) {
        if !json {
            println!("{run}  can't be recomputed: {}", printable(&problem.to_string()));
        }
        self.errors.push(Failed { run, problem });
    }

    fn differ(&mut self, replay: Replay, json: bool) {
        if !replay.identical {
            self.identical = false;
            if !json {
                print(&replay);
            }
            self.different.push(replay);
        }
    }
}

pub fn counted(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

fn print(replay: &Replay) {
    println!("{}  {}", replay.run, if replay.identical { "identical" } else { "different" });
    println!(
        "{}, {} recomputed, {}",
        counted(replay.events, "event"),
        counted(replay.recomputed, "step"),
        counted(u64::from(replay.documents), "document")
    );
    for difference in &replay.differences {
        println!(
            "\nevent {} of {}: {}: {}",
            difference.seq,
            difference.run,
            printable(&difference.place),
            printable(&difference.what)
        );
        println!("  recorded    {}", printable(&difference.recorded));
        println!("  recomputed  {}", printable(&difference.recomputed));
    }
    if replay.more > 0 {
        println!("\nand {} more differences", replay.more);
    }
    for gap in &replay.gaps {
        println!(
            "not recomputed: event {} of {}: {}: {}",
            gap.seq,
            gap.run,
            printable(&gap.place),
            printable(&gap.why)
        );
    }
}
