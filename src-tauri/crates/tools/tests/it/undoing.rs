//! What a turn did to files is taken back, and that is taken back.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use pretty_assertions::assert_eq;
use serde_json::json;
use tools::undo::{self, FileAction, FileState, RestoredFile, UndoDirection, UndoScope, UndoState};
use tools::{CallContext, Kind, Outcome};

use crate::rig::{CANARY, Rig, everything, run};

impl Rig {
    fn scope(&self, turn: &str) -> UndoScope {
        UndoScope { own: self.own(), folders: vec![self.folder()], turn: turn.to_owned() }
    }

    /// A call in a turn.
    async fn did(&self, turn: &str, tool: &str, arguments: serde_json::Value) -> Outcome {
        let at = CallContext { run: turn.to_owned(), ..self.at() };
        self.tool(tool).plan(&arguments, &at).await.unwrap();
        self.tool(tool).run(&arguments, &at, run()).await.unwrap()
    }

    /// A file written whole, on what it holds: what somebody else wrote since it was seen would not be overwritten.
    async fn wrote(&self, turn: &str, path: &str, content: &str) {
        let _ = self.tool("read").run(&json!({"path": path}), &self.at(), run()).await;
        self.did(turn, "write", json!({"path": path, "content": content})).await;
    }

    fn state(&self, turn: &str, path: &str) -> FileState {
        let state = undo::look(&self.scope(turn)).unwrap();
        state.files.into_iter().find(|file| file.shown == path || file.path == path).unwrap()
    }

    fn undo(&self, turn: &str) -> Vec<RestoredFile> {
        undo::put_back(&self.scope(turn), UndoDirection::Undo, &[], false).unwrap()
    }

    fn redo(&self, turn: &str) -> Vec<RestoredFile> {
        undo::put_back(&self.scope(turn), UndoDirection::Redo, &[], false).unwrap()
    }

    fn force(&self, turn: &str, way: UndoDirection, path: &str) -> RestoredFile {
        undo::put_back(&self.scope(turn), way, &[path.to_owned()], true).unwrap().remove(0)
    }

    fn is_there(&self, path: &str) -> bool {
        self.folder().join(path).symlink_metadata().is_ok()
    }

    fn kept(&self, turn: &str) -> Vec<PathBuf> {
        everything(&self.own().join("undo").join(turn)).into_keys().collect()
    }
}

fn all(done: &[RestoredFile]) -> bool {
    !done.is_empty() && done.iter().all(|each| each.done)
}

#[tokio::test]
async fn what_was_changed_created_and_removed_comes_back_byte_for_byte() {
    let rig = Rig::new();
    let script = rig.put("run.sh", "#!/bin/sh\r\necho \u{e9}\r\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o750)).unwrap();
    rig.put("latin.txt", b"caf\xe9\n");
    rig.put("gone.txt", "one\ntwo\n");
    fs::set_permissions(rig.folder().join("gone.txt"), fs::Permissions::from_mode(0o640)).unwrap();
    let before = contents(&rig);
    rig.did("t1", "edit", json!({"path": "run.sh", "old": "echo", "new": "printf"})).await;
    rig.did("t1", "edit", json!({"path": "run.sh", "old": "printf", "new": "true"})).await;
    rig.wrote("t1", "latin.txt", "tea\n").await;
    rig.wrote("t1", "new/deep/größe 😀.txt", "new\n").await;
    rig.wrote("t1", "new/other.txt", "new\n").await;
    let patch = "--- a/gone.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n";
    rig.did("t1", "patch", json!({"patch": patch})).await;
    let after = contents(&rig);
    let state = undo::look(&rig.scope("t1")).unwrap();
    let told: Vec<_> =
        state.files.iter().map(|file| (file.shown.as_str(), file.did, file.standing)).collect();
    assert_eq!(
        told,
        [
            ("run.sh", FileAction::Changed, UndoState::Ready),
            ("latin.txt", FileAction::Changed, UndoState::Ready),
            ("new/deep/größe 😀.txt", FileAction::Created, UndoState::Ready),
            ("new/other.txt", FileAction::Created, UndoState::Ready),
            ("gone.txt", FileAction::Removed, UndoState::Ready),
        ]
    );
    assert!(all(&rig.undo("t1")));
    assert_eq!(contents(&rig), before);
    assert!(!rig.is_there("new"), "folders that the turn made go with their files");
    assert!(rig.state("t1", "run.sh").undone);

    assert!(all(&rig.redo("t1")));
    assert_eq!(contents(&rig), after);
    assert!(all(&rig.undo("t1")));
    assert_eq!(contents(&rig), before);
}

fn contents(rig: &Rig) -> Vec<(PathBuf, u32, Vec<u8>)> {
    let all = everything(&rig.folder()).into_iter();
    all.map(|(path, (mode, _, _, bytes))| (path, mode, bytes)).collect()
}

#[tokio::test]
async fn one_file_of_several_is_put_back_alone() {
    let rig = Rig::new();
    rig.put("a.txt", "a\n");
    rig.put("b.txt", "b\n");
    rig.wrote("t1", "a.txt", "A\n").await;
    rig.wrote("t1", "b.txt", "B\n").await;
    let done = undo::put_back(&rig.scope("t1"), UndoDirection::Undo, &["b.txt".to_owned()], false).unwrap();
    assert!(all(&done) && done.len() == 1);
    assert_eq!((rig.text("a.txt"), rig.text("b.txt")), ("A\n".into(), "b\n".into()));
    let error =
        undo::put_back(&rig.scope("t1"), UndoDirection::Undo, &["c.txt".to_owned()], false).unwrap_err();
    assert_eq!(error.kind, Kind::NotFound);
    // What was undone already stays, and the rest follows.
    let done = rig.undo("t1");
    assert_eq!(done.iter().map(|each| each.done).collect::<Vec<_>>(), [true, false]);
    assert!(done[1].note.contains("undone already"), "{done:?}");
}

#[tokio::test]
async fn work_of_the_person_is_not_overwritten_unless_they_say_so_and_comes_back_then() {
    let rig = Rig::new();
    rig.put("a.txt", "mine\n");
    rig.wrote("t1", "a.txt", "theirs\n").await;
    rig.wrote("t1", "new.txt", "made\n").await;
    rig.put("a.txt", "theirs, corrected\n");
    rig.put("new.txt", "made, corrected\n");
    for path in ["a.txt", "new.txt"] {
        let state = rig.state("t1", path);
        assert_eq!((state.standing, state.by), (UndoState::ChangedSince, None));
    }
    let texts = undo::texts(&rig.scope("t1"), "a.txt").unwrap();
    assert_eq!((texts.now.as_deref(), texts.back.as_deref()), (Some("theirs, corrected\n"), Some("mine\n")));
    let done = rig.undo("t1");
    assert!(done.iter().all(|each| !each.done && each.note.contains("something else")), "{done:?}");
    assert_eq!(rig.text("a.txt"), "theirs, corrected\n");

    assert!(rig.force("t1", UndoDirection::Undo, "a.txt").done);
    assert!(rig.force("t1", UndoDirection::Undo, "new.txt").done);
    assert_eq!(rig.text("a.txt"), "mine\n");
    assert!(!rig.is_there("new.txt"));
    assert!(all(&rig.redo("t1")));
    assert_eq!(rig.text("a.txt"), "theirs, corrected\n");
    assert_eq!(rig.text("new.txt"), "made, corrected\n");
}

#[tokio::test]
async fn of_two_turns_on_one_file_the_later_one_comes_first() {
    let rig = Rig::new();
    rig.put("a.txt", "A");
    rig.wrote("t1", "a.txt", "B").await;
    rig.wrote("t2", "a.txt", "C").await;
    let state = rig.state("t1", "a.txt");
    assert_eq!((state.standing, state.by.as_deref()), (UndoState::ChangedSince, Some("t2")));
    let done = rig.undo("t1");
    assert!(!done[0].done && done[0].note.contains("undo that one first"), "{done:?}");
    assert!(all(&rig.undo("t2")) && all(&rig.undo("t1")));
    assert_eq!(rig.text("a.txt"), "A");
    // And back again, in the order in which they were done.
    let state = rig.state("t2", "a.txt");
    assert_eq!(
        (state.undone, state.standing, state.by.as_deref()),
        (true, UndoState::ChangedSince, Some("t1"))
    );
    assert!(all(&rig.redo("t1")) && all(&rig.redo("t2")));
    assert_eq!(rig.text("a.txt"), "C");
}

#[tokio::test]
async fn a_change_between_two_calls_of_a_turn_is_not_lost_unsaid() {
    let rig = Rig::new();
    rig.put("a.txt", "A");
    rig.wrote("t1", "a.txt", "B").await;
    rig.put("a.txt", "B by hand");
    rig.wrote("t1", "a.txt", "C").await;
    assert_eq!(rig.state("t1", "a.txt").standing, UndoState::ChangedSince);
    assert!(!rig.undo("t1")[0].done);
    assert!(rig.force("t1", UndoDirection::Undo, "a.txt").done);
    assert_eq!(rig.text("a.txt"), "A");
}

#[tokio::test]
async fn a_turn_that_went_on_after_it_was_undone_is_undone_as_a_whole() {
    let rig = Rig::new();
    rig.put("a.txt", "A");
    rig.wrote("t1", "a.txt", "B").await;
    assert!(all(&rig.undo("t1")));
    rig.wrote("t1", "a.txt", "D").await;
    let state = rig.state("t1", "a.txt");
    assert_eq!((state.undone, state.standing), (false, UndoState::Ready));
    assert!(all(&rig.undo("t1")));
    assert_eq!(rig.text("a.txt"), "A");
}

#[tokio::test]
async fn what_was_kept_and_never_written_changes_nothing() {
    let rig = Rig::new();
    let path = rig.put("a.txt", "A");
    rig.wrote("t1", "a.txt", "B").await;
    // As a program leaves it that ended between keeping and writing.
    fs::write(&path, "A").unwrap();
    let state = rig.state("t1", "a.txt");
    assert_eq!((state.standing, state.undone), (UndoState::Nothing, false));
    assert!(!rig.undo("t1")[0].done);
    assert_eq!(rig.text("a.txt"), "A");
    // The call is made again, in the same turn.
    rig.wrote("t1", "a.txt", "B").await;
    assert!(all(&rig.undo("t1")));
    assert_eq!(rig.text("a.txt"), "A");
    // An undoing that was broken off is still to be done.
    fs::write(&path, "B").unwrap();
    let state = rig.state("t1", "a.txt");
    assert_eq!((state.standing, state.undone), (UndoState::Ready, false));
}

#[tokio::test]
async fn a_failed_call_leaves_nothing_to_undo() {
    let rig = Rig::new();
    rig.put("a.txt", "A\n");
    rig.put("closed/b.txt", "B\n");
    let closed = rig.folder().join("closed");
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-A\n+X\n--- a/closed/b.txt\n+++ b/closed/b.txt\n@@ -1 +1 @@\n-B\n+X\n";
    let at = CallContext { run: "t1".into(), ..rig.at() };
    let arguments = json!({"patch": patch});
    rig.tool("patch").plan(&arguments, &at).await.unwrap();
    fs::remove_file(closed.join("b.txt")).unwrap();
    assert!(rig.tool("patch").run(&arguments, &at, run()).await.is_err());
    assert_eq!(undo::look(&rig.scope("t1")).unwrap().files, []);
    assert_eq!(rig.text("a.txt"), "A\n");
}

#[tokio::test]
async fn a_link_that_took_a_files_or_folders_place_is_left_alone() {
    let rig = Rig::new();
    rig.put("dir/secret.txt", "A");
    rig.put("b.txt", "A");
    rig.wrote("t1", "dir/secret.txt", "B").await;
    rig.wrote("t1", "b.txt", "B").await;
    rig.wrote("t1", "made/new.txt", "B").await;
    fs::rename(rig.folder().join("dir"), rig.folder().join("old")).unwrap();
    symlink(rig.outside(), rig.folder().join("dir")).unwrap();
    fs::remove_file(rig.folder().join("b.txt")).unwrap();
    rig.put("target.txt", "B");
    symlink("target.txt", rig.folder().join("b.txt")).unwrap();
    fs::remove_dir_all(rig.folder().join("made")).unwrap();
    fs::write(rig.outside().join("new.txt"), "B").unwrap();
    symlink(rig.outside(), rig.folder().join("made")).unwrap();
    let outside = everything(&rig.outside());
    for path in ["dir/secret.txt", "b.txt", "made/new.txt"] {
        let path = rig.folder().join(path).display().to_string();
        assert_eq!(rig.state("t1", &path).standing, UndoState::Refused, "{path}");
        let done = rig.force("t1", UndoDirection::Undo, &path);
        assert!(!done.done && done.note.contains("link"), "{done:?}");
    }
    assert_eq!(everything(&rig.outside()), outside);
    assert_eq!(rig.text("target.txt"), "B");
    assert_eq!(fs::read_to_string(rig.outside().join("secret.txt")).unwrap(), CANARY);
}

#[tokio::test]
async fn a_record_that_names_a_file_outside_reaches_nothing() {
    let rig = Rig::new();
    rig.put("a.txt", "A");
    rig.wrote("t1", "a.txt", "B").await;
    let record = rig.kept("t1").into_iter().find(|path| path.extension().is_some()).unwrap();
    let text = fs::read_to_string(&record).unwrap();
    let inside = rig.folder().join("a.txt").display().to_string();
    let outside = rig.outside().join("secret.txt").display().to_string();
    fs::write(&record, text.replace(&inside, &outside)).unwrap();
    assert_eq!(rig.state("t1", &outside).standing, UndoState::Refused);
    assert!(!rig.force("t1", UndoDirection::Undo, &outside).done);
    assert_eq!(fs::read_to_string(&outside).unwrap(), CANARY);
    fs::write(&record, "{").unwrap();
    assert_eq!(undo::look(&rig.scope("t1")).unwrap().unreadable, 1);
}

#[tokio::test]
async fn what_was_kept_and_is_not_whole_is_not_put_back() {
    let rig = Rig::new();
    rig.put("a.txt", "A");
    rig.wrote("t1", "a.txt", "B").await;
    let content = rig.kept("t1").into_iter().find(|path| path.extension().is_none()).unwrap();
    fs::write(&content, "X").unwrap();
    let done = rig.force("t1", UndoDirection::Undo, "a.txt");
    assert!(!done.done, "{done:?}");
    assert_eq!(rig.text("a.txt"), "B");
    assert_eq!(content.metadata().unwrap().permissions().mode() & 0o077, 0);
}

#[tokio::test]
async fn a_file_that_is_too_large_to_be_kept_is_changed_and_told() {
    let rig = Rig::new();
    rig.put("large.txt", "x".repeat(8_000_001));
    rig.wrote("t1", "large.txt", "small\n").await;
    let state = rig.state("t1", "large.txt");
    assert_eq!(state.standing, UndoState::NotKept);
    assert!(state.note.contains("8 MB") || state.note.contains("8.0 MB"), "{}", state.note);
    assert!(!rig.force("t1", UndoDirection::Undo, "large.txt").done);
    assert_eq!(rig.text("large.txt"), "small\n");
    assert_eq!(undo::texts(&rig.scope("t1"), "large.txt").unwrap().back, None);
}

#[tokio::test]
async fn of_one_turn_only_so_much_is_kept() {
    let rig = Rig::new();
    for number in 0..9 {
        let path = format!("{number}.txt");
        rig.put(&path, number.to_string().repeat(8_000_000));
        rig.wrote("t1", &path, "small\n").await;
    }
    let state = undo::look(&rig.scope("t1")).unwrap();
    let kept = state.files.iter().filter(|file| file.standing == UndoState::Ready).count();
    assert_eq!((kept, state.files[8].standing), (8, UndoState::NotKept));
}

#[tokio::test]
async fn two_sessions_on_one_file_lose_nothing_of_each_other() {
    let rig = Rig::new();
    rig.put("a.txt", "A");
    let other = rig.root().join("other");
    fs::create_dir_all(other.join("data")).unwrap();
    rig.wrote("t1", "a.txt", "B").await;
    let at = CallContext { run: "t9".into(), session: "other".into(), own: other.clone(), ..rig.at() };
    let arguments = json!({"path": "a.txt", "content": "C"});
    rig.tool("write").plan(&arguments, &at).await.unwrap();
    rig.tool("write").run(&arguments, &at, run()).await.unwrap();
    let state = rig.state("t1", "a.txt");
    assert_eq!((state.standing, state.by), (UndoState::ChangedSince, None));
    assert!(!rig.undo("t1")[0].done);
    let of = UndoScope { own: other, folders: vec![rig.folder()], turn: "t9".into() };
    assert!(all(&undo::put_back(&of, UndoDirection::Undo, &[], false).unwrap()));
    assert!(all(&rig.undo("t1")));
    assert_eq!(rig.text("a.txt"), "A");
}

#[tokio::test]
async fn many_writers_at_once_leave_a_chain_that_leads_back() {
    let rig = std::sync::Arc::new(Rig::new());
    rig.put("a.txt", "begin");
    let mut tasks = Vec::new();
    for number in 0..8 {
        let rig = rig.clone();
        tasks.push(tokio::spawn(async move {
            let mut written = 0;
            for round in 0..10 {
                let at = CallContext { run: "t1".into(), ..rig.at() };
                let arguments = json!({"path": "a.txt", "content": format!("{number} {round}")});
                rig.tool("write").plan(&arguments, &at).await.unwrap();
                written += usize::from(rig.tool("write").run(&arguments, &at, run()).await.is_ok());
            }
            written
        }));
    }
    let mut written = 0;
    for task in tasks {
        written += task.await.unwrap();
    }
    assert!(written >= 10, "{written}");
    assert_eq!(
        rig.state("t1", "a.txt").standing,
        UndoState::Ready,
        "no change replaced one that it had not seen"
    );
    assert!(all(&rig.undo("t1")));
    assert_eq!(rig.text("a.txt"), "begin");
}

#[tokio::test]
async fn a_folder_that_the_session_no_longer_has_is_not_reached() {
    let rig = Rig::new();
    rig.put("a.txt", "A");
    rig.wrote("t1", "a.txt", "B").await;
    let of = UndoScope { folders: Vec::new(), ..rig.scope("t1") };
    let state = undo::look(&of).unwrap();
    assert_eq!(state.files[0].standing, UndoState::Refused);
    assert!(!undo::put_back(&of, UndoDirection::Undo, &[], true).unwrap()[0].done);
    assert_eq!(rig.text("a.txt"), "B");
}

#[tokio::test]
async fn a_folder_of_the_turn_with_something_else_in_it_stays() {
    let rig = Rig::new();
    rig.wrote("t1", "made/a.txt", "A").await;
    rig.wrote("t1", "made/b.txt", "B").await;
    rig.put("made/mine.txt", "mine");
    assert!(all(&rig.undo("t1")));
    assert_eq!(rig.text("made/mine.txt"), "mine");
    assert!(!rig.is_there("made/a.txt"));
}

#[tokio::test]
async fn a_protected_file_a_folder_in_its_place_and_a_turn_of_no_such_name_are_told() {
    let rig = Rig::new();
    let path = rig.put("a.txt", "A");
    rig.put("b.txt", "A");
    rig.wrote("t1", "a.txt", "B").await;
    rig.wrote("t1", "b.txt", "B").await;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    fs::remove_file(rig.folder().join("b.txt")).unwrap();
    fs::create_dir(rig.folder().join("b.txt")).unwrap();
    for done in [rig.force("t1", UndoDirection::Undo, "a.txt"), rig.force("t1", UndoDirection::Undo, "b.txt")]
    {
        assert!(!done.done && !done.note.is_empty(), "{done:?}");
    }
    assert_eq!(undo::look(&rig.scope("../t1")).unwrap(), undo::State::default());
    assert_eq!(undo::look(&rig.scope("nothing")).unwrap(), undo::State::default());
}
