//! `check`: whether an answer still rests on what its sources say now.

use app::AnyClient;
use domain::Problem;
use protocol::{Client, DocumentLock, RunCheck, RunRef};

use crate::args::{CheckArgs, LockArgs};
use crate::outcome::Outcome;
use crate::terminal::{json_line, printable};

/// Looks up what a run's document cites. Ends with [`Outcome::Failed`] when a statement no longer holds.
pub async fn check(client: &AnyClient, args: CheckArgs) -> Result<Outcome, Problem> {
    let found = client.run_check(args.run.map_or(RunRef::Last, RunRef::Id)).await?;
    if args.json {
        println!("{}", json_line(&found));
    } else {
        print(&found);
    }
    Ok(if found.stale == 0 { Outcome::Done } else { Outcome::Failed })
}

/// Locks a run's document, or takes the lock back.
pub async fn lock(client: &AnyClient, args: LockArgs) -> Result<Outcome, Problem> {
    let run = args.run.map_or(RunRef::Last, RunRef::Id);
    let found = match args.reviewer {
        Some(reviewer) => client.run_lock(run, reviewer, args.note).await?,
        None => client.run_unlock(run).await?,
    };
    match &found.lock {
        _ if args.json => println!("{}", json_line(&found)),
        Some(lock) => print_lock(lock),
        None => println!("unlocked"),
    }
    Ok(Outcome::Done)
}

fn print_lock(lock: &DocumentLock) {
    println!("locked: version {} by {}, sha256 {}", lock.version, printable(&lock.reviewer), lock.sha256);
    if let Some(note) = &lock.note {
        println!("    {}", printable(note));
    }
    if !lock.accepted.is_empty() {
        println!("    accepted although their sources had changed: {}", numbers(&lock.accepted));
    }
    if lock.differs {
        println!("    the document's text has changed since it was locked: review it and lock it again");
    }
}

fn numbers(all: &[u32]) -> String {
    all.iter().map(|n| format!("statement {n}")).collect::<Vec<_>>().join(", ")
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
    if let Some(lock) = &found.lock {
        print_lock(lock);
        if !found.reopened.is_empty() {
            println!(
                "    reopened, because their sources changed after the lock: {}",
                numbers(&found.reopened)
            );
        }
    }
    match (found.sentences, found.stale) {
        (0, _) => println!("The run kept no records of its statements; nothing can be checked."),
        (_, 0) => println!("All {} statements rest on what their sources say now.", found.sentences),
        (all, 1) => println!("1 of {all} statements no longer rests on what its sources say."),
        (all, stale) => println!("{stale} of {all} statements no longer rest on what their sources say."),
    }
}
