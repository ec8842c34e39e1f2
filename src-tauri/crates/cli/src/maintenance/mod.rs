//! Backups and what takes space, from the terminal.

mod args;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use app::AnyClient;
use domain::{ErrorCode, Problem};
use protocol::{
    BackupDifference, BackupKind, BackupNow, BackupRef, BackupRestore, BackupRow, BackupView, CleanKind,
    Client, DataCheck, DataClean, DataSizes, JobState, JobStatus,
};

pub use args::{BackupCommand, DataArgs};

use crate::outcome::Outcome;
use crate::prompt::agreed;
use crate::run::{close, open, with_client};
use crate::terminal::{json_line, print_json, printable};
use args::{Clean, RestoreArgs};

/// How often a job is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Sessions that differ and are shown.
const SHOWN: usize = 40;

/// `backup`.
pub async fn backup(home: &Path, command: BackupCommand) -> Result<Outcome, Problem> {
    let (client, instance) = match (open(home).await, &command) {
        (Ok(opened), _) => opened,
        // What can't be opened is replaced all the same.
        (Err(problem), BackupCommand::Restore(args)) if problem.code == ErrorCode::Corrupt && args.yes => {
            println!("{}", printable(&app::restore_closed(home, &args.backup, args.vault).await?));
            return Ok(Outcome::Done);
        }
        (Err(problem), _) => return Err(problem),
    };
    let outcome = match command {
        BackupCommand::Now { folder, with_bases, json } => now(&client, folder, with_bases, json).await,
        BackupCommand::List { json } => list(&client, json).await,
        BackupCommand::Inspect { backup, json } => inspect(&client, backup, json).await,
        BackupCommand::Verify { backup } => verify(&client, backup).await,
        BackupCommand::Remove { backup } => remove(&client, backup).await,
        BackupCommand::Restore(args) => {
            let restored = restore(&client, args).await;
            let here = !client.is_remote();
            close(client, instance).await?;
            let (outcome, due) = restored?;
            if due && here {
                // What is due takes its place when the data directory is opened.
                with_client(home, async |_| Ok(())).await?;
                println!("restored");
            } else if due {
                println!(
                    "the program that is running has to be closed first: it takes effect at the next start"
                );
            }
            return Ok(outcome);
        }
    };
    close(client, instance).await?;
    outcome
}

/// `data`.
pub async fn data(home: &Path, args: DataArgs) -> Result<Outcome, Problem> {
    let opened = open(home).await;
    let (client, instance) = match opened {
        Ok(opened) => opened,
        // What can't be opened is repaired all the same.
        Err(problem) if args.repair && problem.code == ErrorCode::Corrupt => {
            let (text, findings) = app::repair_closed(home).await?;
            findings.iter().for_each(|finding| println!("{}", printable(finding)));
            println!("{}", printable(&text));
            return Ok(Outcome::Done);
        }
        Err(problem) if problem.code == ErrorCode::Corrupt => {
            return Err(Problem { action: Some("`agentnative data --repair` makes a database of what can be read; `agentnative backup restore --yes` brings the last backup back".to_owned()), ..problem });
        }
        Err(problem) => return Err(problem),
    };
    let outcome = if args.repair || args.check || args.full {
        check(&client, &args).await
    } else if args.clean.is_empty() {
        show(&client, args.json).await
    } else {
        clean(&client, &args).await
    };
    let here = !client.is_remote();
    close(client, instance).await?;
    let outcome = outcome?;
    if args.repair && here && outcome == Outcome::Done {
        with_client(home, async |_| Ok(())).await?;
    }
    Ok(outcome)
}

/// Waits for a job, told in a line on a terminal; Ctrl-C stops it.
pub async fn wait(client: &AnyClient, job: JobState) -> Result<JobState, Problem> {
    let terminal = std::io::stderr().is_terminal();
    let mut stopping = false;
    let mut interrupted = std::pin::pin!(tokio::signal::ctrl_c());
    loop {
        let jobs = client.job_list().await?;
        let gone = || Problem::new(ErrorCode::Internal, "the job is not listed any more");
        let now = jobs.into_iter().find(|each| each.job == job.job).ok_or_else(gone)?;
        if terminal {
            let share = (now.done * 100)
                .checked_div(now.total)
                .map(|share| format!(" {share} %"))
                .unwrap_or_default();
            eprint!("\r\x1b[K{}{share}", printable(&now.text));
        }
        if now.status != JobStatus::Running {
            if terminal {
                eprint!("\r\x1b[K");
            }
            return match (now.status, now.problem.clone()) {
                (JobStatus::Failed, Some(problem)) => Err(problem),
                (JobStatus::Cancelled, _) => {
                    Err(Problem::new(ErrorCode::Cancelled, "stopped; everything is as it was"))
                }
                _ => Ok(now),
            };
        }
        tokio::select! {
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            _ = &mut interrupted, if !stopping => {
                stopping = true;
                client.job_cancel(job.job.clone()).await?;
            }
        }
    }
}

async fn now(
    client: &AnyClient,
    folder: Option<PathBuf>,
    with_bases: bool,
    json: bool,
) -> Result<Outcome, Problem> {
    let folder = folder.map(|folder| std::path::absolute(&folder).unwrap_or(folder).display().to_string());
    let job = client.backup_now(BackupNow { folder, bases: with_bases.then_some(true) }).await?;
    let done = wait(client, job).await?;
    for warning in &done.warnings {
        eprintln!("{}", printable(warning));
    }
    if json {
        println!("{}", json_line(&done));
    } else {
        println!("{}", printable(&done.text));
    }
    let included = with_bases || client.settings_show().await?.backup.bases;
    let bases = if included { Vec::new() } else { client.base_list().await? };
    let names: Vec<&str> = bases.iter().filter(|base| !base.shipped).map(|base| base.name.as_str()).collect();
    if !names.is_empty() {
        eprintln!(
            "knowledge bases are not in it: {}; `agentnative backup now --with-bases` takes them along",
            printable(&names.join(", "))
        );
    }
    Ok(Outcome::Done)
}

async fn list(client: &AnyClient, json: bool) -> Result<Outcome, Problem> {
    let list = client.backup_list().await?;
    if json {
        return print_json(&list);
    }
    for row in &list.backups {
        println!("{}", line(row));
        if let Some(problem) = &row.problem {
            println!("    {}", printable(&problem.to_string()));
        }
    }
    if let Some(due) = &list.due {
        println!("due at the next start: {}", printable(due));
    }
    if list.backups.is_empty() {
        eprintln!(
            "there is no backup yet; `agentnative backup now` makes one below {}",
            printable(&list.folder)
        );
    }
    Ok(Outcome::Done)
}

fn line(row: &BackupRow) -> String {
    let kind = match row.kind {
        BackupKind::Manual => "by hand",
        BackupKind::Scheduled => "by itself",
        BackupKind::Replaced => "replaced",
    };
    let sessions = if row.sessions == 1 { "session " } else { "sessions" };
    format!("{:<32} {kind:<9} {:>7} {sessions} {:>10}", printable(&row.name), row.sessions, size(row.bytes))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_048_576 => format!("{} KB", bytes.div_ceil(1_024)),
        1_048_576..1_073_741_824 => format!("{:.1} MB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.1} GB", bytes as f64 / 1_073_741_824.0),
    }
}

async fn inspect(client: &AnyClient, backup: String, json: bool) -> Result<Outcome, Problem> {
    let view = client.backup_inspect(BackupRef { backup }).await?;
    if json {
        println!("{}", json_line(&view));
    } else {
        print_view(&view);
    }
    Ok(Outcome::Done)
}

fn print_view(view: &BackupView) {
    println!("{}", line(&view.row));
    println!(
        "{} in both and unchanged, {} went on since, {} only in the backup, {} only here",
        view.same, view.newer, view.gone, view.added
    );
    for session in view.differing.iter().take(SHOWN) {
        let how = match session.difference {
            BackupDifference::Same => "same",
            BackupDifference::Newer => "went on",
            BackupDifference::Gone => "gone here",
            BackupDifference::Added => "only here",
        };
        println!("  {how:<10} {:<32} {}", printable(&session.session), printable(&session.title));
    }
    println!("replaces {}", printable(&view.replaces.join(", ")));
}

async fn verify(client: &AnyClient, backup: String) -> Result<Outcome, Problem> {
    let job = client.backup_verify(BackupRef { backup }).await?;
    let done = wait(client, job).await?;
    done.warnings.iter().for_each(|finding| println!("{}", printable(finding)));
    println!("{}", printable(&done.text));
    Ok(if done.warnings.is_empty() { Outcome::Done } else { Outcome::Failed })
}

async fn remove(client: &AnyClient, backup: String) -> Result<Outcome, Problem> {
    client.backup_remove(BackupRef { backup: backup.clone() }).await?;
    eprintln!("removed {}", printable(&backup));
    Ok(Outcome::Done)
}

/// Gives whether something is due at the next start.
async fn restore(client: &AnyClient, args: RestoreArgs) -> Result<(Outcome, bool), Problem> {
    let RestoreArgs { backup, session, vault, give_up, yes } = args;
    let whole = session.is_empty() && !give_up;
    if whole && !yes {
        print_view(&client.backup_inspect(BackupRef { backup: backup.clone() }).await?);
        if !agreed("Restore the backup? The present data is moved aside and kept.").await? {
            return Ok((Outcome::Cancelled, false));
        }
    }
    let request = BackupRestore { backup, sessions: session, vault, give_up };
    let restored = client.backup_restore(request).await?;
    println!("{}", printable(&restored.text));
    restored.sessions.iter().for_each(|session| println!("{}", printable(session)));
    Ok((Outcome::Done, restored.at_next_start))
}

async fn show(client: &AnyClient, json: bool) -> Result<Outcome, Problem> {
    let sizes = client.data_show().await?;
    if json {
        return print_json(&sizes);
    }
    print_sizes(&sizes);
    Ok(Outcome::Done)
}

fn print_sizes(sizes: &DataSizes) {
    println!("{:>10}  in all", size(sizes.total));
    for (title, parts) in [("Database", &sizes.database), ("Files", &sizes.files)] {
        println!("\n{title}");
        for part in parts.iter().filter(|part| part.bytes > 0) {
            let clean = part.clean.map(|kind| format!("  --clean {}", word(kind))).unwrap_or_default();
            println!("{:>10}  {}{clean}", size(part.bytes), part.name);
        }
    }
    if !sizes.largest.is_empty() {
        println!("\nLargest sessions");
    }
    for session in &sizes.largest {
        println!(
            "{:>10}  {:<32} {}",
            size(session.stored + session.files),
            printable(&session.session),
            printable(&session.title)
        );
    }
    for orphan in &sizes.orphans {
        println!("{:>10}  {} has no session", size(orphan.bytes), printable(&orphan.name));
    }
}

const KINDS: [(Clean, CleanKind, &str); 9] = [
    (Clean::Free, CleanKind::Free, "free"),
    (Clean::Trash, CleanKind::Trash, "trash"),
    (Clean::Undo, CleanKind::Undo, "undo"),
    (Clean::Orphans, CleanKind::Orphans, "orphans"),
    (Clean::Attachments, CleanKind::Attachments, "attachments"),
    (Clean::Exports, CleanKind::Exports, "exports"),
    (Clean::Cache, CleanKind::Cache, "cache"),
    (Clean::Copies, CleanKind::Copies, "copies"),
    (Clean::Rewrite, CleanKind::Rewrite, "rewrite"),
];

fn word(kind: CleanKind) -> &'static str {
    KINDS.iter().find(|(_, known, _)| *known == kind).map_or("", |(.., word)| word)
}

async fn clean(client: &AnyClient, args: &DataArgs) -> Result<Outcome, Problem> {
    let kind = |clean: &Clean| KINDS.iter().find(|(known, ..)| known == clean).map(|(_, kind, _)| *kind);
    let what = args.clean.iter().filter_map(kind).collect();
    let request = DataClean { what, preview: args.preview, names: Vec::new() };
    let done = client.data_clean(request).await?;
    if args.json {
        return print_json(&done);
    }
    for row in done {
        let verb = if args.preview { "would free" } else { "freed" };
        println!(
            "{:<12} {verb} {:>10} of {}  {}",
            word(row.what),
            size(row.bytes),
            row.count,
            printable(&row.note)
        );
    }
    Ok(Outcome::Done)
}

async fn check(client: &AnyClient, args: &DataArgs) -> Result<Outcome, Problem> {
    let request = DataCheck { full: args.full, repair: args.repair };
    let job = client.data_check(request).await?;
    let done = wait(client, job).await?;
    if args.json {
        println!("{}", json_line(&done));
    } else {
        done.warnings.iter().for_each(|finding| println!("{}", printable(finding)));
        println!("{}", printable(&done.text));
    }
    Ok(if done.warnings.is_empty() || args.repair { Outcome::Done } else { Outcome::Failed })
}
