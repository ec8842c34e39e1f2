//! `undo`: what a turn did to files, taken back or done again.

use app::AnyClient;
use domain::{ErrorCode, Problem, RunId};
use protocol::{ChangedFile, Client, FileChangeKind, FileUndoState, TurnChanges, TurnUndo};

use super::args::UndoArgs;
use super::newest;
use crate::outcome::Outcome;
use crate::show::named;
use crate::terminal::{json_line, printable};

/// Turns of a session that are looked through for changes, the newest ones.
const LOOKED_AT: usize = 10;

/// `undo`.
pub async fn undo(client: &AnyClient, args: UndoArgs) -> Result<Outcome, Problem> {
    let run = match args.turn.as_str() {
        "last" => last(client, args.session.as_deref(), args.redo).await?,
        id => named(client, Some(id)).await?.run,
    };
    let changes = if args.dry_run {
        changes(client, &run).await?
    } else {
        let undo = TurnUndo { run, paths: args.paths, redo: args.redo, force: args.force };
        client.turn_undo(undo).await?
    };
    match args.json {
        true => println!("{}", json_line(&changes)),
        false => show(&changes),
    }
    // Of all files of a turn those that have nothing to be done to them are none that failed.
    let left = |file: &ChangedFile| {
        file.done == Some(false) && file.standing != FileUndoState::Nothing && file.undone == args.redo
    };
    Ok(if changes.files.iter().any(left) { Outcome::Failed } else { Outcome::Done })
}

async fn changes(client: &AnyClient, run: &RunId) -> Result<TurnChanges, Problem> {
    client.turn_changes(run.clone(), None).await
}

/// The newest turn of a session that can be undone; of those that were undone, the oldest one.
async fn last(client: &AnyClient, session: Option<&str>, redo: bool) -> Result<RunId, Problem> {
    let session = match session {
        Some(session) if session != "last" => session.to_owned(),
        Some(_) | None => newest(client).await?,
    };
    let state = client.session_show(session.clone(), None, 0).await?;
    let mut runs: Vec<RunId> = state.turns.into_iter().map(|turn| turn.head.run).collect();
    // What a turn did to files stays when an edited message replaces it. Ids sort by the time when turns began.
    runs.extend(state.replaced);
    runs.sort();
    let mut runs = runs.split_off(runs.len().saturating_sub(LOOKED_AT));
    if !redo {
        runs.reverse();
    }
    for run in runs {
        let can = |file: &ChangedFile| {
            file.undone == redo && matches!(file.standing, FileUndoState::Ready | FileUndoState::ChangedSince)
        };
        if changes(client, &run).await?.files.iter().any(can) {
            return Ok(run);
        }
    }
    let what = if redo { "done again" } else { "undone" };
    Err(Problem::new(
        ErrorCode::NotFound,
        format!("session {session} has no change of a file that could be {what}"),
    ))
}

fn show(changes: &TurnChanges) {
    let acted = changes.files.iter().any(|file| file.done.is_some());
    for file in changes.files.iter().filter(|file| !acted || file.done.is_some()) {
        let note = if file.note.is_empty() { String::new() } else { format!(": {}", printable(&file.note)) };
        println!("{:<12} {}{note}", word(file), printable(&file.shown));
    }
    for note in &changes.notes {
        eprintln!("note: {}", printable(note));
    }
    eprintln!("({})", changes.run);
}

fn word(file: &ChangedFile) -> &'static str {
    match (file.done, file.undone, file.did) {
        (Some(false), ..) => "left",
        (Some(true), true, FileChangeKind::Created) => "removed",
        (Some(true), true, FileChangeKind::Changed | FileChangeKind::Removed) => "put back",
        (Some(true), false, _) => "done again",
        (None, true, _) => "undone",
        (None, false, FileChangeKind::Created) => "created",
        (None, false, FileChangeKind::Changed) => "changed",
        (None, false, FileChangeKind::Removed) => "removed",
    }
}
