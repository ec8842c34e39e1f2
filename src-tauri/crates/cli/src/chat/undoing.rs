//! `undo`: what a turn did to files, taken back or done again.

use std::path::Path;

use api::wire::{ChangedFile, FileDeed, FileStanding, TurnChanges, TurnUndo};
use api::{Request, Response, Surface};
use domain::{ErrorCode, Problem, RunId};

use super::args::UndoArgs;
use super::{json, newest, unexpected};
use crate::outcome::Outcome;
use crate::run::{close, open};
use crate::terminal::printable;

/// `undo`.
pub async fn undo(home: &Path, args: UndoArgs) -> Result<Outcome, Problem> {
    let (surface, instance) = open(home).await?;
    let done = undo_on(&surface, args).await;
    close(surface, instance).await?;
    done
}

async fn undo_on(surface: &Surface, args: UndoArgs) -> Result<Outcome, Problem> {
    let run = match args.turn.as_str() {
        "last" => last(surface, args.session.as_deref(), args.redo).await?,
        run => RunId(run.to_owned()),
    };
    let changes = if args.dry_run {
        changes(surface, &run).await?
    } else {
        let undo = TurnUndo { run, paths: args.paths, redo: args.redo, force: args.force };
        match surface.call(Request::TurnUndo(undo)).await? {
            Response::Changes(changes) => *changes,
            _ => return Err(unexpected()),
        }
    };
    if args.json {
        println!("{}", json(&changes)?);
    } else {
        show(&changes);
    }
    // Of all files of a turn those that have nothing to be done to them are none that failed.
    let left = |file: &ChangedFile| {
        file.done == Some(false) && file.standing != FileStanding::Nothing && file.undone == args.redo
    };
    Ok(if changes.files.iter().any(left) { Outcome::Failed } else { Outcome::Done })
}

async fn changes(surface: &Surface, run: &RunId) -> Result<TurnChanges, Problem> {
    match surface.call(Request::TurnChanges { run: run.clone(), path: None }).await? {
        Response::Changes(changes) => Ok(*changes),
        _ => Err(unexpected()),
    }
}

/// The newest turn of a session that can be undone; of those that were undone, the oldest one.
async fn last(surface: &Surface, session: Option<&str>, redo: bool) -> Result<RunId, Problem> {
    let session = match session {
        Some(session) if session != "last" => session.to_owned(),
        Some(_) | None => newest(surface).await?,
    };
    let request = Request::SessionShow { session: session.clone(), before: None, limit: 0 };
    let Response::SessionState(state) = surface.call(request).await? else { return Err(unexpected()) };
    let mut runs: Vec<RunId> = state.turns.into_iter().map(|turn| turn.head.run).collect();
    if !redo {
        runs.reverse();
    }
    for run in runs {
        let can = |file: &ChangedFile| {
            file.undone == redo && matches!(file.standing, FileStanding::Ready | FileStanding::ChangedSince)
        };
        if changes(surface, &run).await?.files.iter().any(can) {
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
    for file in &changes.files {
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
        (Some(true), true, FileDeed::Created) => "removed",
        (Some(true), true, FileDeed::Changed | FileDeed::Removed) => "put back",
        (Some(true), false, _) => "done again",
        (None, true, _) => "undone",
        (None, false, FileDeed::Created) => "created",
        (None, false, FileDeed::Changed) => "changed",
        (None, false, FileDeed::Removed) => "removed",
    }
}
