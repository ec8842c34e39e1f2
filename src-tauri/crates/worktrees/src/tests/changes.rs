//! Changes of an attempt: scopes, files, save points, files put back, comments.

use pretty_assertions::assert_eq;

use super::rig::{Rig, commit, first, folder, git, write};
use crate::diff::{MAX_FILE_BYTES, MAX_FILE_LINES};
use crate::{
    Change, CommentAdd, CommentState, Diff, DiffQuery, DiffScope, FileKind, LineKind, Placement, Side, Task,
    TaskError, TaskRun,
};

async fn diff(rig: &Rig, task: &Task, scope: DiffScope) -> Diff {
    let wanted = DiffQuery { attempt: first(task), scope, paths: Vec::new(), no_hunks: false };
    rig.worktrees.diff(&wanted).await.unwrap()
}

#[tokio::test]
async fn each_scope_shows_what_changed_since_its_start() {
    let rig = Rig::new();
    let task = rig.task("Scopes").await;
    let place = folder(&task);
    write(&place, "committed.txt", "1\n");
    commit(&place, "one");
    write(&place, "saved.txt", "2\n");
    rig.worktrees.save(&first(&task), "first turn").await.unwrap();
    write(&place, "new.txt", "3\n");
    let status = git(&place, &["status", "--porcelain"]);
    let task = rig.worktrees.task(&task.id).unwrap();
    assert_eq!(rig.changed(&task, DiffScope::Last).await, ["Added new.txt"]);
    assert_eq!(rig.changed(&task, DiffScope::Uncommitted).await, ["Added new.txt", "Added saved.txt"]);
    let all = ["Added committed.txt", "Added new.txt", "Added saved.txt"];
    assert_eq!(rig.changed(&task, DiffScope::Base).await, all);
    // Neither the index nor the branch knows of any of it.
    assert_eq!(git(&place, &["status", "--porcelain"]), status);
    let objects = rig.git(&["count-objects"]);
    diff(&rig, &task, DiffScope::Base).await;
    assert_eq!(rig.git(&["count-objects"]), objects, "looking leaves nothing in the repository");
}

#[tokio::test]
async fn what_others_merged_is_not_among_the_changes() {
    let rig = Rig::new();
    let task = rig.task("Base").await;
    rig.write("theirs.txt", "theirs\n");
    rig.commit("theirs");
    write(&folder(&task), "mine.txt", "mine\n");
    assert_eq!(rig.changed(&task, DiffScope::Base).await, ["Added mine.txt"]);
    commit(&folder(&task), "mine");
    assert_eq!(rig.changed(&task, DiffScope::Base).await, ["Added mine.txt"]);
    git(&folder(&task), &["merge", "--quiet", "--no-edit", "main"]);
    assert_eq!(rig.changed(&task, DiffScope::Base).await, ["Added mine.txt"]);
    // An attempt without commits that was brought up to the target has no changes.
    let other =
        rig.worktrees.create(crate::TaskCreate { base: Some("main~1".into()), ..rig.wanted("Up") }).await;
    let other = other.unwrap();
    git(&folder(&other), &["merge", "--quiet", "main"]);
    assert_eq!(rig.changed(&other, DiffScope::Base).await, Vec::<String>::new());
}

#[cfg(unix)]
#[tokio::test]
async fn files_of_every_kind_are_told_apart() {
    use std::os::unix::fs::PermissionsExt as _;
    let rig = Rig::new();
    rig.write("gone.txt", "gone\n");
    rig.write("run.sh", "echo\n");
    rig.write("old name.txt", "a\nb\nc\nd\ne\nf\ng\n");
    rig.write("becomes.txt", "text\n");
    rig.commit("more");
    let task = rig.task("Kinds").await;
    let place = folder(&task);
    std::fs::remove_file(place.join("gone.txt")).unwrap();
    std::fs::set_permissions(place.join("run.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::rename(place.join("old name.txt"), place.join("näme\t\"1\".txt")).unwrap();
    write(&place, "näme\t\"1\".txt", "a\nb\nc\nD\ne\nf\ng\n");
    std::fs::remove_file(place.join("becomes.txt")).unwrap();
    std::os::unix::fs::symlink("two.txt", place.join("becomes.txt")).unwrap();
    std::fs::write(place.join("picture.bin"), b"\0\x01\x02").unwrap();
    write(&place, "empty.txt", "");
    write(&place, "one.txt", "1\n2\n3\n4\n5\n6\n7\n8\nnine");
    let diff = diff(&rig, &task, DiffScope::Base).await;
    let shown: Vec<_> =
        diff.files.iter().map(|file| (&*file.path, file.change, file.kind, file.hunks.len())).collect();
    assert_eq!(
        shown,
        [
            ("becomes.txt", Change::TypeChanged, FileKind::Link, 2),
            ("empty.txt", Change::Added, FileKind::Text, 0),
            ("gone.txt", Change::Deleted, FileKind::Text, 1),
            ("näme\t\"1\".txt", Change::Renamed, FileKind::Text, 1),
            ("one.txt", Change::Modified, FileKind::Text, 1),
            ("picture.bin", Change::Added, FileKind::Binary, 0),
            ("run.sh", Change::Modified, FileKind::Text, 0),
        ]
    );
    let [.., one, _, run] = &diff.files[..] else { panic!() };
    assert_eq!((run.old_mode.as_deref(), run.new_mode.as_deref()), (Some("100644"), Some("100755")));
    assert_eq!(diff.files[3].old_path.as_deref(), Some("old name.txt"));
    let lines: Vec<_> =
        one.hunks[0].lines.iter().map(|line| (line.kind, &*line.text, line.no_newline)).collect();
    assert_eq!(lines[3..], [(LineKind::Removed, "9", false), (LineKind::Added, "nine", true)]);
    assert_eq!((diff.additions, diff.deletions), (3, 4));
}

#[tokio::test]
async fn large_files_are_named_without_their_lines() {
    let rig = Rig::new();
    let task = rig.task("Large").await;
    write(&folder(&task), "lines.txt", &"line\n".repeat(MAX_FILE_LINES as usize + 1));
    write(&folder(&task), "long.txt", &"x".repeat(MAX_FILE_BYTES as usize + 1));
    write(&folder(&task), "small.txt", &format!("{}\n", "ü".repeat(3_000)));
    let diff = diff(&rig, &task, DiffScope::Base).await;
    let shown: Vec<_> = diff
        .files
        .iter()
        .map(|file| (&*file.path, file.too_large, file.hunks.len(), file.additions))
        .collect();
    assert_eq!(
        shown,
        [("lines.txt", true, 0, MAX_FILE_LINES + 1), ("long.txt", true, 0, 1), ("small.txt", false, 1, 1)]
    );
    assert!(diff.files[2].hunks[0].lines[0].text.len() <= crate::diff::MAX_LINE_BYTES + 3);
    let wanted = DiffQuery {
        attempt: first(&task),
        scope: DiffScope::Base,
        paths: vec!["small.txt".to_owned()],
        no_hunks: false,
    };
    assert_eq!(rig.worktrees.diff(&wanted).await.unwrap().files.len(), 1);
    for bad in ["../x", "/etc", ""] {
        let wanted = DiffQuery { paths: vec![bad.to_owned()], ..wanted.clone() };
        assert!(matches!(rig.worktrees.diff(&wanted).await, Err(TaskError::Invalid(_))), "{bad}");
    }
}

#[tokio::test]
async fn a_save_point_holds_everything_and_is_made_once() {
    let rig = Rig::new();
    let task = rig.task("Save").await;
    let place = folder(&task);
    write(&place, "two.txt", "changed\n");
    git(&place, &["add", "two.txt"]);
    write(&place, "two.txt", "changed again\n");
    write(&place, "new/file.txt", "new\n");
    let before = git(&place, &["status", "--porcelain"]);
    let head = git(&place, &["rev-parse", "HEAD"]);
    let one = rig.worktrees.save(&first(&task), "turn").await.unwrap();
    assert_eq!(one.reference, "refs/agentnative/save/1/1");
    assert_eq!(rig.git(&["show", &format!("{}:two.txt", one.reference)]), "changed again");
    assert_eq!(rig.git(&["show", &format!("{}:new/file.txt", one.reference)]), "new");
    assert_eq!(git(&place, &["status", "--porcelain"]), before);
    assert_eq!(git(&place, &["rev-parse", "HEAD"]), head);
    assert_eq!(rig.worktrees.save(&first(&task), "again").await.unwrap(), one);
    write(&place, "two.txt", "third\n");
    assert_eq!(rig.worktrees.save(&first(&task), "turn").await.unwrap().number, 2);
    // Refs of save points are no branches: a person sees none of them.
    assert_eq!(rig.git(&["branch", "--format=%(refname:short)"]), "agentnative/save\nmain");
}

#[tokio::test]
async fn a_file_that_is_put_back_comes_again_with_undo() {
    let rig = Rig::new();
    let task = rig.task("Revert").await;
    let place = folder(&task);
    write(&place, "two.txt", "changed\n");
    write(&place, "new.txt", "new\n");
    std::fs::rename(place.join("one.txt"), place.join("uno.txt")).unwrap();
    let put_back = ["two.txt", "new.txt", "uno.txt"].map(str::to_owned);
    rig.worktrees.revert(&first(&task), DiffScope::Base, &put_back).await.unwrap();
    assert_eq!(git(&place, &["status", "--porcelain"]), "");
    assert!(place.join("one.txt").is_file() && !place.join("new.txt").exists());
    rig.worktrees.undo(&task.id).await.unwrap();
    assert_eq!(std::fs::read_to_string(place.join("two.txt")).unwrap(), "changed\n");
    assert_eq!(std::fs::read_to_string(place.join("new.txt")).unwrap(), "new\n");
    assert!(place.join("uno.txt").is_file() && !place.join("one.txt").exists());
    let unchanged = ["nothing.txt".to_owned()];
    let error = rig.worktrees.revert(&first(&task), DiffScope::Base, &unchanged).await.unwrap_err();
    assert!(matches!(error, TaskError::Missing(_)));
    assert!(matches!(rig.worktrees.undo(&task.id).await, Err(TaskError::NoUndo(_))));
}

#[tokio::test]
async fn a_repository_inside_keeps_nothing_from_being_shown() {
    let rig = Rig::new();
    let task = rig.task("Nested").await;
    let inner = folder(&task).join("inner");
    std::fs::create_dir(&inner).unwrap();
    git(&inner, &["init", "--quiet"]);
    write(&inner, "x", "x");
    write(&folder(&task), "new.txt", "new\n");
    assert_eq!(rig.changed(&task, DiffScope::Base).await, ["Added new.txt"]);
    rig.worktrees.save(&first(&task), "turn").await.unwrap();
}

#[tokio::test]
async fn comments_follow_their_lines_and_become_one_message() {
    let rig = Rig::new();
    rig.write("code.rs", "fn one() {\n    work();\n}\n\nfn two() {\n    work();\n}\n");
    rig.commit("code");
    let task = rig.task("Comments").await;
    let place = folder(&task);
    let add = |path: &str, side: Side, line: u32, text: &str| CommentAdd {
        attempt: first(&task),
        path: path.to_owned(),
        side,
        line,
        text: text.to_owned(),
    };
    write(&place, "code.rs", "fn one() {\n    work();\n}\n\nfn two() {\n    rest();\n    work();\n}\n");
    for one in [
        add("code.rs", Side::New, 7, "Why twice?"),
        add("code.rs", Side::New, 6, "Name it\nbetter."),
        add("two.txt", Side::Old, 1, "Keep this."),
    ] {
        rig.worktrees.comment(&one).await.unwrap();
    }
    for bad in [
        add("code.rs", Side::New, 99, "x"),
        add("missing.rs", Side::New, 1, "x"),
        add("../x", Side::New, 1, "x"),
        add("code.rs", Side::New, 1, "  "),
    ] {
        assert!(rig.worktrees.comment(&bad).await.is_err(), "{bad:?}");
    }
    // Lines before it, another line in place of the second, and another name.
    std::fs::remove_file(place.join("code.rs")).unwrap();
    write(
        &place,
        "main.rs",
        "// head\nfn one() {\n    work();\n}\n\nfn two() {\n    sleep();\n    work();\n}\n",
    );
    std::fs::remove_file(place.join("two.txt")).unwrap();
    let placed = rig.worktrees.comments(&first(&task)).await.unwrap();
    let shown: Vec<_> =
        placed.iter().map(|one| (one.place.placement, &*one.place.path, one.place.line)).collect();
    assert_eq!(
        shown,
        [
            (Placement::Moved, "main.rs", Some(8)),
            (Placement::Changed, "main.rs", Some(7)),
            (Placement::Same, "two.txt", Some(1))
        ]
    );
    let (message, numbers) = rig.worktrees.message(&first(&task)).await.unwrap();
    assert_eq!(
        message,
        "3 comments on your changes:\n\
         \n1. main.rs, line 8:\n   > work();\n   Why twice?\n\
         \n2. main.rs, line 7 (changed since):\n   > rest();\n   Name it\n   better.\n\
         \n3. two.txt, line 1, removed line:\n   > two\n   Keep this.\n"
    );
    rig.worktrees.set_comments(&first(&task), &numbers[..2], CommentState::Sent).await.unwrap();
    assert_eq!(rig.worktrees.message(&first(&task)).await.unwrap().1, [3]);
    // They outlive the worktree.
    rig.worktrees.discard(&first(&task), true).await.unwrap();
    let placed = rig.worktrees.comments(&first(&task)).await.unwrap();
    assert_eq!(placed[0].place.line, Some(8));
}

#[tokio::test]
async fn a_run_takes_the_open_comments_once_and_finds_them_again() {
    let rig = Rig::new();
    let task = rig.task("Rounds").await;
    write(&folder(&task), "one.txt", "1\n2\nthree\n4\n5\n6\n7\n8\n9\n");
    let comment = |line: u32, text: &str| CommentAdd {
        attempt: first(&task),
        path: "one.txt".to_owned(),
        side: Side::New,
        line,
        text: text.to_owned(),
    };
    rig.worktrees.comment(&comment(3, "A digit, please.")).await.unwrap();
    let run = |name: &str| TaskRun { session: "s".to_owned(), run: name.to_owned() };
    let (begun, message) = rig.worktrees.begin_run(&first(&task), run("a")).await.unwrap();
    assert!(message.contains("one.txt, line 3") && message.contains("A digit, please."), "{message}");
    assert_eq!(begun.attempts[0].runs, [run("a")]);
    assert!(begun.attempts[0].is_of("s") && !begun.attempts[0].is_of("other"));
    // Made after it: not for this run.
    rig.worktrees.comment(&comment(4, "And this?")).await.unwrap();
    rig.worktrees.set_comments(&first(&task), &[2], CommentState::Resolved).await.unwrap();
    let (again, same) = rig.worktrees.begin_run(&first(&task), run("a")).await.unwrap();
    assert_eq!((same, again.attempts[0].runs.len()), (message, 1));
    let (_, next) = rig.worktrees.begin_run(&first(&task), run("b")).await.unwrap();
    assert_eq!(next, "");
    // Opened again by the person, it goes to the next run.
    rig.worktrees.set_comments(&first(&task), &[1], CommentState::Open).await.unwrap();
    let (task, next) = rig.worktrees.begin_run(&first(&task), run("c")).await.unwrap();
    assert!(next.contains("A digit, please."), "{next}");
    assert_eq!(task.attempts[0].runs.len(), 3);
    rig.worktrees.discard(&first(&task), true).await.unwrap();
    let ended = rig.worktrees.begin_run(&first(&task), run("d")).await.unwrap_err();
    assert!(ended.to_string().contains("is discarded"), "{ended}");
}
