//! What a turn did to files: shown, taken back, and done again.

use std::path::PathBuf;

use domain::{ErrorCode, Problem, RunId, SessionId, Show};
use engine::turn::{KIND, StepKind};
use protocol::{ChangedFile, FileChangeKind, FileTexts, FileUndoState, Scope, TurnChanges, TurnUndo};
use store::DecisionRow;
use support::{blocking, clipped, now_ms};
use tools::undo::{
    self, FileAction, FileState, RestoredFile, State, Texts, UndoDirection, UndoScope, UndoState,
};
use tools::{Kind, ToolError};

use crate::Conversations;

/// Commands that are named.
const NAMED: usize = 3;
/// Longest command that is named, in bytes.
const MAX_COMMAND_BYTES: usize = 80;

impl Conversations {
    /// What a turn did to files; with a path that file alone, with its texts.
    pub async fn turn_changes(&self, run: &RunId, path: Option<String>) -> Result<TurnChanges, Problem> {
        let (of, _) = self.files_of(run).await?;
        let Some(path) = path else { return self.changes(run, of, Vec::new()).await };
        let (looked, path) = (of.clone(), path);
        let (state, texts, path) = blocking(move || {
            let texts = undo::texts(&looked, &path).map_err(problem)?;
            Ok((undo::look(&looked).map_err(problem)?, texts, path))
        })
        .await?;
        let file = state.files.into_iter().find(|file| file.path == path || file.shown == path);
        let files = file.map(|file| ChangedFile { texts: Some(wired(texts)), ..row(file) }).into_iter();
        Ok(TurnChanges { run: run.clone(), files: files.collect(), notes: Vec::new() })
    }

    /// Takes back what a turn did to files, or does it again; each file that was put back is noted in the audit.
    pub async fn turn_undo(&self, asked: TurnUndo) -> Result<TurnChanges, Problem> {
        let TurnUndo { run, paths, redo, force } = asked;
        let (of, session) = self.files_of(&run).await?;
        let _turn = self.env.locks.lock(Scope::Session(session.clone())).await;
        if self.env.engine.is_live(&run) || self.env.engine.live_turn(&SessionId(session.clone())).is_some() {
            return Err(Problem::new(
                ErrorCode::Busy,
                "a turn is under way in this session; nothing was undone",
            )
            .with_action("stop it, or wait until it has ended"));
        }
        let (way, word) = if redo { (UndoDirection::Redo, "redo") } else { (UndoDirection::Undo, "undo") };
        let put = of.clone();
        let done = blocking(move || undo::put_back(&put, way, &paths, force).map_err(problem)).await?;
        let mode = self.setup_of(&session).await?.mode;
        for each in done.iter().filter(|each| each.done) {
            let decided = DecisionRow {
                at: now_ms(),
                session: session.clone(),
                run: run.0.clone(),
                tool: word.to_owned(),
                mode: mode.as_str().to_owned(),
                decision: "allowed".to_owned(),
                by: "the person".to_owned(),
                subject: each.path.clone(),
                ..DecisionRow::default()
            };
            self.env.store().note_decision(&decided).await?;
        }
        self.changes(&run, of, done).await
    }

    /// Where a turn's files are, and its session.
    async fn files_of(&self, run: &RunId) -> Result<(UndoScope, String), Problem> {
        let session = self.env.store().get_run(&run.0).await?.session;
        let own = self.env.session_folder(&session).ok_or_else(|| support::unknown_session(&session))?;
        let folders = self.setup_of(&session).await?.folders.into_iter().map(PathBuf::from).collect();
        Ok((UndoScope { own, folders, turn: run.0.clone() }, session))
    }

    async fn changes(
        &self,
        run: &RunId,
        of: UndoScope,
        done: Vec<RestoredFile>,
    ) -> Result<TurnChanges, Problem> {
        let state = blocking(move || undo::look(&of).map_err(problem)).await?;
        let notes = notes(&state);
        let mut files: Vec<ChangedFile> = state.files.into_iter().map(row).collect();
        for RestoredFile { path, done, note } in done {
            if let Some(file) = files.iter_mut().find(|file| file.path == path) {
                file.done = Some(done);
                if !note.is_empty() {
                    file.note = note;
                }
            }
        }
        let known = |files: &[ChangedFile], path: &str| files.iter().any(|file| file.path == path);
        for (path, did) in self.recorded_changes(run).await? {
            if !known(&files, &path) {
                files.push(lost(path, did));
            }
        }
        Ok(TurnChanges { run: run.clone(), files, notes })
    }

    /// Files that a turn's steps tell of. Of a copied turn nothing is kept: it was carried out in another session.
    async fn recorded_changes(&self, run: &RunId) -> Result<Vec<(String, FileChangeKind)>, Problem> {
        if self.env.store().get_run(&run.0).await?.kind != KIND {
            return Ok(Vec::new());
        }
        let mut told = Vec::new();
        for step in self.env.engine.turn_view(run).await?.steps {
            let StepKind::Tool { show, .. } = step.kind else { continue };
            for show in show {
                let Show::Change { path, before, after, .. } = show else { continue };
                told.push(match (before, after) {
                    (None, _) => (path, FileChangeKind::Created),
                    (Some(_), None) => (path, FileChangeKind::Removed),
                    (Some(_), Some(_)) => (path, FileChangeKind::Changed),
                });
            }
        }
        Ok(told)
    }
}

fn notes(state: &State) -> Vec<String> {
    let mut notes = Vec::new();
    if !state.commands.is_empty() {
        let named = state.commands.iter().take(NAMED);
        let mut named: Vec<String> =
            named.map(|command| format!("`{}`", clipped(command, MAX_COMMAND_BYTES))).collect();
        let more = state.commands.len().saturating_sub(NAMED);
        if more > 0 {
            named.push(format!("{more} more"));
        }
        notes.push(format!(
            "Commands ran, too. What they changed is not known, and is not undone: {}.",
            named.join(", ")
        ));
    }
    if state.unreadable > 0 {
        notes.push(
            "Some of what was kept can't be read. Files of which that was are missing here.".to_owned(),
        );
    }
    notes
}

fn row(file: FileState) -> ChangedFile {
    ChangedFile {
        path: file.path,
        shown: file.shown,
        did: match file.did {
            FileAction::Created => FileChangeKind::Created,
            FileAction::Changed => FileChangeKind::Changed,
            FileAction::Removed => FileChangeKind::Removed,
        },
        undone: file.undone,
        standing: match file.standing {
            UndoState::Ready => FileUndoState::Ready,
            UndoState::ChangedSince => FileUndoState::ChangedSince,
            UndoState::NotKept => FileUndoState::NotKept,
            UndoState::Nothing => FileUndoState::Nothing,
            UndoState::Refused => FileUndoState::Refused,
        },
        by: file.by.map(RunId),
        note: file.note,
        texts: None,
        done: None,
    }
}

fn lost(path: String, did: FileChangeKind) -> ChangedFile {
    ChangedFile {
        shown: path.clone(),
        path,
        did,
        undone: false,
        standing: FileUndoState::NotKept,
        by: None,
        note: "what it held is not kept in this session".to_owned(),
        texts: None,
        done: None,
    }
}

fn wired(texts: Texts) -> FileTexts {
    FileTexts { now: texts.now, back: texts.back, binary: texts.binary }
}

fn problem(error: ToolError) -> Problem {
    let code = match error.kind {
        Kind::NotFound => ErrorCode::NotFound,
        Kind::Arguments => ErrorCode::InvalidInput,
        Kind::Refused | Kind::TooLarge => ErrorCode::Conflict,
        Kind::Failed | Kind::Deadline | Kind::Cancelled | Kind::Unavailable => ErrorCode::Storage,
    };
    let problem = Problem::new(code, error.message);
    if error.guidance.is_empty() { problem } else { problem.with_action(error.guidance) }
}
