//! What a turn did to files is undone through the table.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use app::{Local, Options, Request};
use domain::{ErrorCode, Mode, RunId, UserMessage};
use llm::{Answer, Provider, ScriptedProvider};
use pretty_assertions::assert_eq;
use protocol::{ChangedFile, FileUndoState, SetupPatch, TurnChanges, TurnSend, TurnUndo};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::world::answer;

struct Talk {
    local: Local,
    folder: TempDir,
    script: Arc<Mutex<VecDeque<Answer>>>,
    session: String,
}

impl Talk {
    async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        let script = Arc::new(Mutex::new(VecDeque::new()));
        let next = script.clone();
        let model: Arc<dyn Provider> = Arc::new(ScriptedProvider::answering(move |_| {
            next.lock().unwrap().pop_front().unwrap_or_else(|| Answer::text("Done."))
        }));
        let options = Options {
            home: folder.path().join("home"),
            program: env!("CARGO_BIN_EXE_app-guard").into(),
            providers: BTreeMap::from([("scripted".to_owned(), model)]),
            hosts: None,
        };
        let local = Local::open(options).await.unwrap();
        Self { local, folder, script, session: String::new() }
    }

    /// A turn whose model makes one call, then answers.
    async fn turn(&mut self, tool: &str, arguments: Value) -> RunId {
        self.script.lock().unwrap().extend([Answer::text("").call(tool, arguments), Answer::text("Done.")]);
        let folder = std::fs::canonicalize(self.folder.path().join("work")).unwrap();
        let setup = SetupPatch {
            mode: Some(Mode::AllowAll),
            folders: Some(vec![folder.display().to_string()]),
            ..SetupPatch::default()
        };
        let send = TurnSend {
            session: Some(self.session.clone()).filter(|session| !session.is_empty()),
            message: UserMessage { text: "Go on.".into(), ..UserMessage::default() },
            connection: Some("scripted".into()),
            model: Some("scripted-1".into()),
            setup,
            ..TurnSend::default()
        };
        let sent = answer!(self.local.call(Request::TurnSend(Box::new(send))).await.unwrap(), Sent);
        self.session = sent.session;
        let turn = sent.turn.unwrap();
        self.local.engine().wait(&turn).await.unwrap();
        turn
    }

    async fn changes(&self, run: &RunId, path: Option<&str>) -> TurnChanges {
        let request = Request::TurnChanges { run: run.clone(), path: path.map(str::to_owned) };
        *answer!(self.local.call(request).await.unwrap(), Changes)
    }

    async fn undo(&self, run: &RunId, redo: bool, force: bool) -> TurnChanges {
        let undo = TurnUndo { run: run.clone(), paths: Vec::new(), redo, force };
        *answer!(self.local.call(Request::TurnUndo(undo)).await.unwrap(), Changes)
    }

    fn put(&self, path: &str, text: &str) {
        std::fs::write(self.folder.path().join("work").join(path), text).unwrap();
    }

    fn text(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.path().join("work").join(path)).ok()
    }
}

fn only(changes: &TurnChanges) -> &ChangedFile {
    let [file] = changes.files.as_slice() else { panic!("{changes:?}") };
    file
}

#[tokio::test]
async fn a_turns_change_is_shown_undone_redone_and_noted() {
    let mut talk = Talk::new().await;
    talk.put("a.txt", "mine\n");
    let turn = talk.turn("write", json!({"path": "a.txt", "content": "theirs\n"})).await;
    assert_eq!(talk.text("a.txt").as_deref(), Some("theirs\n"));
    let shown = talk.changes(&turn, Some("a.txt")).await;
    let texts = only(&shown).texts.clone().unwrap();
    assert_eq!((texts.now.as_deref(), texts.back.as_deref()), (Some("theirs\n"), Some("mine\n")));

    let undone = talk.undo(&turn, false, false).await;
    assert_eq!((only(&undone).done, only(&undone).undone), (Some(true), true));
    assert_eq!(talk.text("a.txt").as_deref(), Some("mine\n"));
    talk.undo(&turn, true, false).await;
    assert_eq!(talk.text("a.txt").as_deref(), Some("theirs\n"));

    let audit = Request::AuditList { before: None, limit: 10, session: Some(talk.session.clone()) };
    let rows = answer!(talk.local.call(audit).await.unwrap(), Audit);
    let noted: Vec<_> =
        rows.iter().filter(|row| row.by == "the person").map(|row| row.tool.as_str()).collect();
    assert_eq!(noted, ["redo", "undo"]);
    assert!(rows[0].subject.ends_with("a.txt"));
}

#[tokio::test]
async fn of_two_turns_the_later_one_is_named_and_force_keeps_what_it_replaces() {
    let mut talk = Talk::new().await;
    let first = talk.turn("write", json!({"path": "new.txt", "content": "one"})).await;
    let second = talk.turn("write", json!({"path": "new.txt", "content": "two"})).await;
    let refused = talk.undo(&first, false, false).await;
    let file = only(&refused);
    assert_eq!(
        (file.done, file.standing, file.by.as_ref()),
        (Some(false), FileUndoState::ChangedSince, Some(&second))
    );
    assert_eq!(talk.text("new.txt").as_deref(), Some("two"));
    talk.undo(&first, false, true).await;
    assert_eq!(talk.text("new.txt"), None);
    talk.undo(&first, true, false).await;
    assert_eq!(talk.text("new.txt").as_deref(), Some("two"));
}

#[tokio::test]
async fn of_a_command_that_was_not_confined_it_is_said_that_nobody_knows() {
    let mut talk = Talk::new().await;
    let turn = talk.turn("shell", json!({"command": "echo x > made.txt"})).await;
    assert_eq!(talk.text("made.txt").as_deref(), Some("x\n"));
    let changes = talk.changes(&turn, None).await;
    assert_eq!(changes.files, []);
    assert!(changes.notes[0].contains("not known") && changes.notes[0].contains("echo x > made.txt"));
}

#[tokio::test]
async fn of_a_copied_turn_it_is_said_that_nothing_is_kept() {
    let mut talk = Talk::new().await;
    let turn = talk.turn("write", json!({"path": "a.txt", "content": "x"})).await;
    let branch = Request::SessionBranch { run: turn };
    let copy = answer!(talk.local.call(branch).await.unwrap(), Branched);
    let show = Request::SessionShow { session: copy, before: None, limit: 0 };
    let state = answer!(talk.local.call(show).await.unwrap(), SessionState);
    let copied = &state.turns[0].head.run;
    let undone = talk.undo(copied, false, true).await;
    assert_eq!(only(&undone).standing, FileUndoState::NotKept);
    assert_eq!(talk.text("a.txt").as_deref(), Some("x"));
}

#[tokio::test]
async fn what_is_kept_goes_with_its_session_and_an_unknown_turn_or_file_is_told() {
    let mut talk = Talk::new().await;
    talk.put("a.txt", "mine");
    let turn = talk.turn("write", json!({"path": "a.txt", "content": "x"})).await;
    let undo = |run: &RunId, path: &str| {
        Request::TurnUndo(TurnUndo {
            run: run.clone(),
            paths: vec![path.to_owned()],
            redo: false,
            force: false,
        })
    };
    let problem = talk.local.call(undo(&turn, "b.txt")).await.unwrap_err();
    assert_eq!(problem.code, ErrorCode::NotFound);
    let problem = talk.local.call(undo(&RunId("run-0".into()), "a.txt")).await.unwrap_err();
    assert_eq!(problem.code, ErrorCode::NotFound);

    let kept = talk.folder.path().join("home/sessions").join(&talk.session).join("undo");
    assert!(kept.join(&turn.0).is_dir());
    let delete = protocol::SessionPatch { deleted: Some(true), ..protocol::SessionPatch::default() };
    let sessions = vec![talk.session.clone()];
    talk.local.call(Request::SessionUpdate { sessions: sessions.clone(), patch: delete }).await.unwrap();
    talk.local.call(Request::SessionPurge { sessions }).await.unwrap();
    assert!(!kept.exists());
}
