//! `check`: whether an answer still rests on what its sources say now.

use std::path::Path;

use domain::Problem;
use protocol::{Client, RunCheck, RunRef};

use crate::args::CheckArgs;
use crate::outcome::Outcome;
use crate::run::{close, open};
use crate::terminal::{json_line, printable};

/// Looks up what a run's document cites. Ends with [`Outcome::Failed`] when a sentence no longer holds.
pub async fn check(home: &Path, args: CheckArgs) -> Result<Outcome, Problem> {
    let (surface, instance) = open(home).await?;
    let answer = surface.run_check(args.run.map_or(RunRef::Last, RunRef::Id)).await;
    close(surface, instance).await?;
    let found = answer?;
    if args.json {
        println!("{}", json_line(&found));
    } else {
        print(&found);
    }
    Ok(if found.stale == 0 { Outcome::Done } else { Outcome::Failed })
}

fn print(found: &RunCheck) {
    for one in &found.citations {
        println!("{} {}: {}", if one.holds { " " } else { "!" }, one.n, printable(&one.sentence));
        println!(
            "    {} {} ({} {} -> {})",
            printable(&one.citation),
            printable(&one.words),
            printable(&one.base),
            one.cited,
            if one.current.is_empty() { "none" } else { &one.current }
        );
    }
    match (found.sentences, found.stale) {
        (0, _) => println!("The run kept no records of its sentences; nothing can be checked."),
        (_, 0) => println!("All {} sentences rest on what their sources say now.", found.sentences),
        (all, 1) => println!("1 of {all} sentences no longer rests on what its sources say."),
        (all, stale) => println!("{stale} of {all} sentences no longer rest on what their sources say."),
    }
}
