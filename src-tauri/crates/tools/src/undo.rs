//! Taking back what a turn did to files, and taking that back.
//!
//! Before a tool changes a file, what it held is kept in the session's own folder, `undo/<turn>/`, and goes with the
//! session. Whether a file can be put back is read off what it holds now: the person's own work since then is never
//! overwritten unless they say so, and then it is kept, too.
//!
//! Architecture invariant: paths are confined as those of the tools are; what is no longer in the session's folders, or
//! goes over a link now, is left alone.

pub(crate) mod records;

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use domain::Digest;
use records::{Act, MAX_KEPT_FILE_BYTES, MAX_TURN_BYTES, PendingChange, Record, StoredChange, alone};

use crate::files::change::MAX_FILE_BYTES;
use crate::files::{failed, load};
use crate::safe_path::{PathPurpose, Roots, SafePath, StagedFile, quoted};
use crate::text::{self, capped, size};
use crate::{CallContext, Kind, ToolError};

/// The most of a text that is given for a person to compare, in bytes.
const MAX_SHOWN_BYTES: usize = 1 << 20;
/// Longest command that is noted, in bytes.
const MAX_COMMAND_BYTES: usize = 500;

/// Whose changes.
#[derive(Debug, Clone)]
pub struct UndoScope {
    /// The session's own folder.
    pub own: PathBuf,
    /// Folders that may be worked in, absolute, as the session is set now.
    pub folders: Vec<PathBuf>,
    /// The turn.
    pub turn: String,
}

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoDirection {
    /// To what was there before the turn.
    Undo,
    /// To what was there before that was undone.
    Redo,
}

/// What a turn did to a file, all in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAction {
    /// It was not there before.
    Created,
    /// It was there and is.
    Changed,
    /// It was there before.
    Removed,
}

/// Whether a file can be put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoState {
    /// It can.
    Ready,
    /// Something else changed it since: only when the person says so.
    ChangedSince,
    /// What it held was not kept.
    NotKept,
    /// It holds what it would be put back to.
    Nothing,
    /// It can't be reached: no longer in the folders, a link in its place, too large.
    Refused,
}

/// A file that a turn changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState {
    /// The file, absolute.
    pub path: String,
    /// As people read it: relative to the first folder where it is in that.
    pub shown: String,
    /// What the turn did.
    pub did: FileAction,
    /// Whether that was undone: the way is then [`Way::Redo`].
    pub undone: bool,
    /// Whether it can be put back, this way or that.
    pub standing: UndoState,
    /// The turn of the same session whose change stands in the way.
    pub by: Option<String>,
    /// Why it can't, in words; may be empty.
    pub note: String,
}

/// The texts of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts {
    /// What it holds now; `None`: nothing is there, or it is no text.
    pub now: Option<String>,
    /// What it would be put back to.
    pub back: Option<String>,
    /// Whether either is no text, and left out.
    pub binary: bool,
}

/// What is known of a turn's changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    /// Files, in the order in which they were first changed.
    pub files: Vec<FileState>,
    /// Commands that were not confined, in order: what they changed is not known.
    pub commands: Vec<String>,
    /// Records that can't be read.
    pub unreadable: u32,
}

/// What came of putting one file back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredFile {
    /// The file, absolute.
    pub path: String,
    /// Whether it was put back.
    pub done: bool,
    /// Why not, or what else is to be known; may be empty.
    pub note: String,
}

/// A file with all that was done to it, and what it holds now.
struct File {
    state: FileState,
    place: Option<SafePath>,
    now: Option<CurrentFile>,
    /// What it would be put back to; `None`: it would be gone.
    target: Option<records::Content>,
}

struct CurrentFile {
    bytes: Vec<u8>,
    digest: Digest,
    like: Metadata,
}

/// Notes that a command ran that was not confined.
///
/// # Errors
/// When it can't be written.
pub(crate) fn note_command(at: &CallContext, command: &str) -> Result<(), ToolError> {
    let line = command.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let command = capped(line, MAX_COMMAND_BYTES).to_owned();
    alone().keep(&at.own, &at.run, Act::Command { command }, &[]).map(drop)
}

/// What is known of a turn's changes. Blocking.
///
/// # Errors
/// When what was kept can't be read.
pub fn look(of: &UndoScope) -> Result<State, ToolError> {
    let (records, unreadable) = records::records(&of.own, &of.turn)?;
    let roots = Roots::of_folders(&of.folders, &of.own);
    let files = histories(&records).iter().map(|history| inspected(of, &roots, history).state).collect();
    let commands = records.into_iter().filter_map(|record| match record.act {
        Act::Command { command } => Some(command),
        Act::Call { .. } | Act::Undo | Act::Redo => None,
    });
    Ok(State { files, commands: commands.collect(), unreadable })
}

/// The texts of one file of a turn, each cut at 1 MiB. Blocking.
///
/// # Errors
/// When the turn did not change it, or what was kept can't be read.
pub fn texts(of: &UndoScope, path: &str) -> Result<Texts, ToolError> {
    let (records, _) = records::records(&of.own, &of.turn)?;
    let roots = Roots::of_folders(&of.folders, &of.own);
    let histories = histories(&records);
    let file = inspected(of, &roots, named(&roots, &histories, path)?);
    let back = match &file.target {
        Some(target) if file.state.standing != UndoState::NotKept => {
            Some(records::content(&of.own, &of.turn, target.digest, MAX_FILE_BYTES)?)
        }
        Some(_) | None => None,
    };
    let mut binary = false;
    let mut read = |bytes: Option<&[u8]>| {
        let decoded = text::decode(bytes?);
        binary |= decoded.is_none();
        Some(capped(&text::visible(&decoded?.text), MAX_SHOWN_BYTES).to_owned())
    };
    let now = read(file.now.as_ref().map(|now| now.bytes.as_slice()));
    let back = read(back.as_deref());
    Ok(Texts { now, back, binary })
}

/// Puts files back: those that are named, or all. Each on its own: one that can't be is left as it is and told. What
/// something else changed since is only put back with `force`. Blocking.
///
/// # Errors
/// When the turn did not change one that is named, or what was kept can't be read.
pub fn put_back(
    of: &UndoScope,
    way: UndoDirection,
    paths: &[String],
    force: bool,
) -> Result<Vec<RestoredFile>, ToolError> {
    let mut alone = alone();
    let (records, _) = records::records(&of.own, &of.turn)?;
    let roots = Roots::of_folders(&of.folders, &of.own);
    let histories = histories(&records);
    let chosen: Vec<&History> = if paths.is_empty() {
        histories.iter().collect()
    } else {
        paths.iter().map(|path| named(&roots, &histories, path)).collect::<Result<_, _>>()?
    };
    let mut done = Vec::new();
    let mut gone = Vec::new();
    for history in chosen {
        let file = inspected(of, &roots, history);
        let path = history.path.to_owned();
        match restored(of, &mut alone, way, force, &file) {
            Ok(()) => {
                if file.target.is_none() {
                    gone.push(PathBuf::from(&path));
                }
                done.push(RestoredFile { path, done: true, note: String::new() });
            }
            Err(error) => done.push(RestoredFile { path, done: false, note: error.message }),
        }
    }
    if way == UndoDirection::Undo {
        remove_folders(&roots, &records, &gone);
    }
    Ok(done)
}

/// What was done to a file, in order.
struct History<'a> {
    path: &'a str,
    changes: Vec<(&'a Record, &'a StoredChange)>,
}

fn histories(records: &[Record]) -> Vec<History<'_>> {
    let mut histories: Vec<History> = Vec::new();
    for record in records {
        for change in &record.changes {
            match histories.iter_mut().find(|history| history.path == change.path) {
                Some(history) => history.changes.push((record, change)),
                None => histories.push(History { path: &change.path, changes: vec![(record, change)] }),
            }
        }
    }
    histories
}

/// The file that a path means: as it was kept, or as people read it.
fn named<'a, 'b>(
    roots: &Roots,
    histories: &'a [History<'b>],
    path: &str,
) -> Result<&'a History<'b>, ToolError> {
    let whole = roots.place(path, PathPurpose::Reading).map(|place| place.text()).unwrap_or_default();
    histories
        .iter()
        .find(|history| history.path == path || history.path == whole)
        .ok_or_else(|| ToolError::new(Kind::NotFound, format!("the turn changed no file {}", quoted(path))))
}

/// How a file stands.
fn inspected(of: &UndoScope, roots: &Roots, history: &History) -> File {
    let changes = history.changes.as_slice();
    let first = changes.first().map(|(_, change)| *change);
    let last_call = changes.iter().rev().find(|(record, _)| matches!(record.act, Act::Call { .. }));
    let did = match (first.map(|first| &first.before), last_call.map(|(_, change)| change.after)) {
        (Some(None), _) => FileAction::Created,
        (Some(Some(_)), Some(None)) => FileAction::Removed,
        (Some(Some(_)), _) | (None, _) => FileAction::Changed,
    };
    let mut state = FileState {
        path: history.path.to_owned(),
        shown: history.path.to_owned(),
        did,
        undone: false,
        standing: UndoState::Refused,
        by: None,
        note: String::new(),
    };
    let reached = reached(roots, history.path);
    let (place, now) = match reached {
        Ok((place, now)) => {
            state.shown = roots.shown(&place);
            (Some(place), now)
        }
        Err(error) => {
            state.note = error.message;
            (None, None)
        }
    };
    let digest = now.as_ref().map(|now| now.digest);
    let mut lived = changes;
    // What was begun and is not seen in the file was not done: it failed, or the program ended before it.
    while let [before @ .., (_, last)] = lived {
        if place.is_none() || last.after == digest || digest_of(last) != digest {
            break;
        }
        lived = before;
    }
    let last = lived.last().copied();
    state.undone = last.is_some_and(|(record, _)| record.act == Act::Undo);
    let source = if state.undone { last.map(|(_, change)| change) } else { first };
    let target = source.and_then(|change| change.before.clone());
    if place.is_some() {
        let kept = source.is_some_and(|change| change.kept);
        let as_left = last.is_none_or(|(_, change)| change.after == digest);
        (state.standing, state.by, state.note) = if target.as_ref().map(|content| content.digest) == digest {
            (UndoState::Nothing, None, String::new())
        } else if !kept {
            let (largest, most) = (size(MAX_KEPT_FILE_BYTES), size(MAX_TURN_BYTES));
            let note = format!(
                "what it held was not kept: a file of more than {largest} is not, nor more than {most} for one turn"
            );
            (UndoState::NotKept, None, note)
        } else if !as_left {
            let (by, note) = changed_by(of, last.map_or(0, |(record, _)| record.at), history.path, digest);
            (UndoState::ChangedSince, by, note.to_owned())
        } else if is_broken(lived) {
            let note = "something else changed it between two calls of the turn, too: you, a command or another program";
            (UndoState::ChangedSince, None, note.to_owned())
        } else {
            (UndoState::Ready, None, String::new())
        };
    }
    File { state, place, now, target }
}

/// What a file held before a change.
fn digest_of(change: &StoredChange) -> Option<Digest> {
    change.before.as_ref().map(|content| content.digest)
}

/// The place of a file that was changed, and what it holds now.
fn reached(roots: &Roots, path: &str) -> Result<(SafePath, Option<CurrentFile>), ToolError> {
    let place = roots.place(path, PathPurpose::Writing)?;
    if place.path() != Path::new(path) {
        return Err(ToolError::new(
            Kind::Refused,
            "a link stands in its way now, which leads elsewhere; it is left alone",
        ));
    }
    if !place.exists {
        return Ok((place, None));
    }
    let (bytes, like) = load(&place, &roots.shown(&place), MAX_FILE_BYTES, None)?;
    if like.permissions().readonly() {
        return Err(ToolError::new(Kind::Refused, "it is write-protected now; it is left alone"));
    }
    let digest = Digest::of(&bytes);
    Ok((place, Some(CurrentFile { bytes, digest, like })))
}

/// Whether a call found something else than what the one before it left, since the person last undid or redid it.
fn is_broken(changes: &[(&Record, &StoredChange)]) -> bool {
    let begin = changes.iter().rposition(|(record, _)| matches!(record.act, Act::Undo | Act::Redo));
    changes[begin.unwrap_or(0)..].windows(2).any(|pair| {
        let [(_, one), (_, next)] = pair else { return false };
        // One that failed left what was there.
        let found = digest_of(next);
        found != one.after && found != digest_of(one)
    })
}

/// Who made a file what it is: a turn of the session, where one did.
fn changed_by(of: &UndoScope, since: u64, path: &str, now: Option<Digest>) -> (Option<String>, &'static str) {
    let mut later = None;
    for turn in records::others(&of.own, &of.turn) {
        let Ok((records, _)) = records::records(&of.own, &turn) else { continue };
        let mut changes =
            records.iter().flat_map(|record| record.changes.iter().map(move |change| (record, change)));
        let Some((record, change)) = changes.rfind(|(_, change)| change.path == path) else {
            continue;
        };
        match (&record.act, change.after == now) {
            (Act::Undo, true) => {
                return (Some(turn), "it is as another turn found it, which was undone since");
            }
            (_, true) => {
                return (Some(turn), "another turn of this session changed it since: undo that one first");
            }
            (Act::Undo, false) => {}
            (_, false) if record.at >= since => later = Some(turn),
            (_, false) => {}
        }
    }
    match later {
        Some(turn) => {
            (Some(turn), "another turn of this session changed it since, and something else did after that")
        }
        None => (None, "something else changed it since: you, a command or another program"),
    }
}

/// Puts one file back; what it holds is kept first.
fn restored(
    of: &UndoScope,
    alone: &mut records::ChangeLock,
    way: UndoDirection,
    force: bool,
    file: &File,
) -> Result<(), ToolError> {
    let refuse = |what: &str| Err(ToolError::new(Kind::Refused, what));
    let Some(place) = &file.place else { return refuse(&file.state.note) };
    match file.state.standing {
        UndoState::Nothing => return refuse("it holds what it would be put back to"),
        UndoState::NotKept | UndoState::Refused => return refuse(&file.state.note),
        UndoState::Ready | UndoState::ChangedSince => {}
    }
    let act = match (way, file.state.undone) {
        (UndoDirection::Undo, true) => return refuse("it was undone already"),
        (UndoDirection::Redo, false) => return refuse("it was not undone"),
        (UndoDirection::Undo, false) => Act::Undo,
        (UndoDirection::Redo, true) => Act::Redo,
    };
    if file.state.standing == UndoState::ChangedSince && !force {
        return refuse(&file.state.note);
    }
    let bytes = match &file.target {
        Some(target) => Some(records::content(&of.own, &of.turn, target.digest, MAX_FILE_BYTES)?),
        None => None,
    };
    let like = file.now.as_ref().map(|now| &now.like);
    let coming = PendingChange {
        place,
        before: file.now.as_ref().map(|now| (now.bytes.as_slice(), Some(&now.like))),
        after: file.target.as_ref().map(|target| target.digest),
    };
    let written = alone.keep(&of.own, &of.turn, act, &[coming])?;
    let put = || -> Result<(), ToolError> {
        let wrong = |error| failed("write", &file.state.shown, &error);
        let staged = match (&bytes, &file.target) {
            (Some(bytes), Some(target)) => Some(place.stage_as(bytes, like, target.mode).map_err(wrong)?),
            _ => None,
        };
        if !place.is_still(like).map_err(wrong)? {
            return Err(ToolError::new(Kind::Failed, "it was changed just now; nothing was done to it"));
        }
        staged.map_or_else(|| place.remove(), StagedFile::commit).map_err(wrong)
    };
    let put = put();
    if put.is_err() {
        written.forget();
    }
    put
}

/// Removes folders that the turn made and that nothing is in any more, above files that are gone now.
fn remove_folders(roots: &Roots, records: &[Record], gone: &[PathBuf]) {
    let made = records.iter().flat_map(|record| &record.changes).flat_map(|change| &change.made);
    let mut made: Vec<&str> =
        made.map(String::as_str).filter(|folder| gone.iter().any(|path| path.starts_with(folder))).collect();
    // The innermost first.
    made.sort_unstable_by_key(|folder| std::cmp::Reverse(folder.len()));
    made.dedup();
    for folder in made {
        if let Ok(place) = roots.place(folder, PathPurpose::Writing)
            && place.exists
            && place.path() == Path::new(folder)
        {
            // What is not empty stays, and is not removed by the system.
            let _ = place.remove_folder();
        }
    }
}
