//! Attempts are merged: nothing of the person is touched that is in the way, and everything else comes together.

use pretty_assertions::assert_eq;

use super::rig::{Rig, commit, first, folder, git, try_git, write};
use crate::{
    AttemptState, CheckCommand, Commands, MergeOptions, MergeStyle, Proof, Task, TaskCreate, TaskError,
    Verdict,
};

pub(super) fn wanted(task: &Task) -> MergeOptions {
    MergeOptions {
        attempt: first(task),
        style: MergeStyle::Merge,
        message: None,
        target: None,
        unchecked: false,
        keep_folder: false,
    }
}

/// A task whose attempt changes line 5, and has an untracked file.
async fn worked(rig: &Rig) -> Task {
    let task = rig.task("Case").await;
    write(&folder(&task), "one.txt", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n");
    commit(&folder(&task), "half");
    write(&folder(&task), "new.txt", "new\n");
    task
}

#[tokio::test]
async fn a_merge_brings_committed_and_uncommitted_work_and_keeps_the_persons_files() {
    let rig = Rig::new();
    let task = worked(&rig).await;
    rig.write("one.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\nten\n");
    rig.commit("main moves on");
    rig.write("two.txt", "mine, staged\n");
    rig.git(&["add", "two.txt"]);
    rig.write("two.txt", "mine\n");
    rig.write("untracked.txt", "mine\n");
    let outcome = rig.worktrees.merge(&wanted(&task)).await.unwrap();
    assert_eq!((&*outcome.target, outcome.nothing_to_merge), ("main", false));
    assert_eq!(outcome.checkout.as_deref(), Some(&*rig.repo));
    assert_eq!(rig.read("one.txt"), "1\n2\n3\n4\nfive\n6\n7\n8\n9\nten\n");
    assert_eq!(rig.read("new.txt"), "new\n");
    assert_eq!(rig.git(&["status", "--porcelain"]), "MM two.txt\n?? untracked.txt");
    assert_eq!(rig.read("two.txt"), "mine\n");
    assert_eq!(rig.git(&["log", "-1", "--format=%s %an", "--merges"]), "Case Eva");
    // Worktree and branch are gone, as the commits are in main.
    assert!(outcome.removal.removed && !folder(&task).exists());
    assert_eq!(outcome.removal.proof, Some(Proof::Reachable { reference: "refs/heads/main".to_owned() }));
    assert_eq!(rig.git(&["branch", "--format=%(refname:short)"]), "main");
    assert!(matches!(rig.worktrees.merge(&wanted(&task)).await, Err(TaskError::Ended { .. })));
}

#[tokio::test]
async fn a_squash_is_one_commit_with_its_message() {
    let rig = Rig::new();
    let task = worked(&rig).await;
    let before = rig.git(&["rev-parse", "HEAD"]);
    let wanted = MergeOptions {
        style: MergeStyle::Squash,
        message: Some("Say five\n\nBecause.".into()),
        ..wanted(&task)
    };
    let outcome = rig.worktrees.merge(&wanted).await.unwrap();
    assert_eq!(rig.git(&["rev-parse", "HEAD~1"]), before);
    assert_eq!(rig.git(&["log", "-1", "--format=%B"]), "Say five\n\nBecause.");
    assert_eq!(outcome.removal.proof, Some(Proof::Contained { reference: "refs/heads/main".to_owned() }));
}

#[tokio::test]
async fn uncommitted_files_in_the_way_are_named_and_nothing_is_touched() {
    let rig = Rig::new();
    rig.write(".gitignore", "ignored.txt\n");
    rig.commit("ignore");
    let task = worked(&rig).await;
    write(&folder(&task), "ignored.txt", "tracked here\n");
    git(&folder(&task), &["add", "--force", "ignored.txt"]);
    rig.write("one.txt", "mine\n");
    rig.write("new.txt/inner.txt", "mine\n");
    rig.write("ignored.txt", "mine\n");
    let before = (rig.git(&["rev-parse", "main"]), rig.git(&["status", "--porcelain"]));
    match rig.worktrees.merge(&wanted(&task)).await {
        Err(TaskError::InTheWay { folder, files }) => {
            assert_eq!(folder, rig.repo);
            assert_eq!(files, ["ignored.txt", "new.txt/inner.txt", "one.txt"]);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!((rig.git(&["rev-parse", "main"]), rig.git(&["status", "--porcelain"])), before);
    assert_eq!((rig.read("one.txt"), rig.read("ignored.txt")), ("mine\n".into(), "mine\n".into()));
    rig.git(&["checkout", "--quiet", "one.txt"]);
    std::fs::remove_dir_all(rig.repo.join("new.txt")).unwrap();
    std::fs::remove_file(rig.repo.join("ignored.txt")).unwrap();
    rig.worktrees.merge(&wanted(&task)).await.unwrap();
    assert_eq!(rig.git(&["status", "--porcelain"]), "");
}

#[tokio::test]
async fn conflicts_are_named_before_anything_is_touched() {
    let rig = Rig::new();
    let task = worked(&rig).await;
    rig.write("one.txt", "1\n2\n3\n4\nFIVE\n6\n7\n8\n9\n");
    let main = rig.commit("conflict");
    match rig.worktrees.merge(&wanted(&task)).await {
        Err(TaskError::Conflicts { target, files }) => {
            assert_eq!((&*target, files), ("main", vec!["one.txt".into()]))
        }
        other => panic!("{other:?}"),
    }
    assert_eq!((rig.git(&["rev-parse", "main"]), rig.git(&["status", "--porcelain"])), (main, String::new()));
    // Resolved in the worktree, as the remedy says.
    assert!(!try_git(&folder(&task), &["merge", "main"]).0);
    assert!(matches!(rig.worktrees.merge(&wanted(&task)).await, Err(TaskError::Invalid(_))));
    write(&folder(&task), "one.txt", "1\n2\n3\n4\nV\n6\n7\n8\n9\n");
    commit(&folder(&task), "resolved");
    rig.worktrees.merge(&wanted(&task)).await.unwrap();
    assert_eq!(rig.read("one.txt"), "1\n2\n3\n4\nV\n6\n7\n8\n9\n");
}

#[tokio::test]
async fn a_target_that_nobody_has_checked_out_moves_alone() {
    let rig = Rig::new();
    rig.git(&["branch", "release"]);
    let task = worked(&rig).await;
    rig.write("one.txt", "mine\n");
    let style = MergeStyle::Squash;
    let wanted = MergeOptions { target: Some("release".into()), style, ..wanted(&task) };
    let outcome = rig.worktrees.merge(&wanted).await.unwrap();
    assert_eq!(outcome.checkout, None);
    assert_eq!(rig.git(&["show", "release:new.txt"]), "new");
    assert_eq!(rig.read("one.txt"), "mine\n");
    // Its work is in release, not in main: it went all the same.
    assert!(outcome.removal.removed);
    rig.worktrees.undo(&task.id).await.unwrap();
    assert_eq!(rig.git(&["rev-parse", "release"]), rig.git(&["rev-parse", "main"]));
    let missing = MergeOptions { target: Some("nowhere".into()), ..wanted };
    assert!(matches!(rig.worktrees.merge(&missing).await, Err(TaskError::Missing(_))));
}

#[tokio::test]
async fn undo_takes_a_merge_back_while_the_target_has_not_moved() {
    for style in [MergeStyle::Merge, MergeStyle::Squash] {
        let rig = Rig::new();
        let task = worked(&rig).await;
        let before = rig.git(&["rev-parse", "main"]);
        rig.write("two.txt", "mine\n");
        rig.worktrees.merge(&MergeOptions { style, ..wanted(&task) }).await.unwrap();
        rig.worktrees.undo(&task.id).await.unwrap();
        assert_eq!(rig.git(&["rev-parse", "main"]), before);
        assert_eq!((rig.read("two.txt"), rig.repo.join("new.txt").exists()), ("mine\n".into(), false));
        assert!(folder(&task).join("new.txt").is_file());
        assert_eq!(rig.worktrees.task(&task.id).unwrap().attempts[0].state, AttemptState::Open);
        // Merged again, and main moves on: then only a revert helps.
        rig.git(&["checkout", "--quiet", "two.txt"]);
        rig.worktrees.merge(&MergeOptions { style, ..wanted(&task) }).await.unwrap();
        rig.write("two.txt", "next\n");
        let next = rig.commit("next");
        let error = rig.worktrees.undo(&task.id).await.unwrap_err().to_string();
        assert!(error.contains("git revert"), "{error}");
        assert_eq!(rig.git(&["rev-parse", "main"]), next);
    }
}

#[tokio::test]
async fn nothing_is_merged_that_its_checks_have_not_passed() {
    let rig = Rig::new();
    let check =
        CheckCommand { name: "t".into(), command: "grep -q five one.txt".into(), timeout_seconds: 20 };
    let commands = Commands { setup: None, checks: vec![check] };
    let task =
        rig.worktrees.create(TaskCreate { commands: Some(commands), ..rig.wanted("Checked") }).await.unwrap();
    let refused = async |verdict: Verdict| match rig.worktrees.merge(&wanted(&task)).await {
        Err(TaskError::NotChecked { verdict: found, .. }) => assert_eq!(found, verdict),
        other => panic!("{other:?}"),
    };
    refused(Verdict::NotRun).await;
    rig.worktrees.check(&first(&task)).await.unwrap();
    refused(Verdict::Failed).await;
    write(&folder(&task), "one.txt", "five\n");
    refused(Verdict::Stale).await;
    rig.worktrees.check(&first(&task)).await.unwrap();
    let outcome = rig.worktrees.merge(&wanted(&task)).await.unwrap();
    assert_eq!((outcome.verdict, outcome.tested), (Verdict::Passed, true));
    // Taken back and merged without: after main moved on, what was merged is not what was tested.
    rig.worktrees.undo(&task.id).await.unwrap();
    rig.write("two.txt", "moved on\n");
    rig.commit("next");
    let outcome = rig.worktrees.merge(&MergeOptions { unchecked: true, ..wanted(&task) }).await.unwrap();
    assert_eq!((outcome.verdict, outcome.tested), (Verdict::Passed, false));
}

#[tokio::test]
async fn a_merge_stays_done_where_the_worktree_can_not_go() {
    let rig = Rig::new();
    let task = worked(&rig).await;
    rig.git(&["worktree", "lock", &folder(&task).display().to_string()]);
    let outcome = rig.worktrees.merge(&wanted(&task)).await.unwrap();
    assert!(!outcome.removal.removed && outcome.removal.reasons[0].contains("locked"));
    assert_eq!(rig.read("new.txt"), "new\n");
    rig.git(&["worktree", "unlock", &folder(&task).display().to_string()]);
    assert!(rig.worktrees.discard(&first(&task), false).await.unwrap().removed);
    assert_eq!(rig.worktrees.task(&task.id).unwrap().attempts[0].state, AttemptState::Merged);
    // It is one end still: undo takes back both.
    let outcome = rig.worktrees.undo(&task.id).await.unwrap();
    assert_eq!(outcome.folder, Some(folder(&task)));
    assert!(!rig.repo.join("new.txt").exists());
}

#[tokio::test]
async fn an_attempt_without_changes_has_nothing_to_merge() {
    let rig = Rig::new();
    let task = rig.task("Case").await;
    let before = rig.git(&["rev-parse", "main"]);
    let outcome = rig.worktrees.merge(&wanted(&task)).await.unwrap();
    assert!(outcome.nothing_to_merge && outcome.removal.removed);
    assert_eq!(rig.git(&["rev-parse", "main"]), before);
    rig.worktrees.undo(&task.id).await.unwrap();
    assert_eq!(rig.git(&["rev-parse", "main"]), before);
}

#[tokio::test]
async fn a_bare_repository_is_worked_with_as_any_other() {
    let rig = Rig::new();
    let bare = rig.beside("bare.git");
    rig.git(&["clone", "--quiet", "--bare", &rig.repo.display().to_string(), &bare.display().to_string()]);
    git(&bare, &["config", "user.name", "Eva"]);
    git(&bare, &["config", "user.email", "eva@example.com"]);
    let wanted_task = TaskCreate { repository: bare.clone(), ..rig.wanted("Bare") };
    let task = rig.worktrees.create(wanted_task).await.unwrap();
    write(&folder(&task), "new.txt", "new\n");
    assert!(rig.worktrees.merge(&wanted(&task)).await.unwrap().removal.removed);
    assert_eq!(git(&bare, &["show", "main:new.txt"]), "new");
}

#[tokio::test]
async fn programs_that_only_the_repository_names_are_not_started() {
    let rig = Rig::new();
    let ran = rig.beside("ran");
    let evil = format!("sh -c 'touch {}; cat'", ran.display());
    let settings = ["clean", "smudge", "process"].map(|name| format!("filter.evil.{name}"));
    let filtered = |path: &std::path::Path| {
        for setting in &settings {
            git(path, &["config", setting, &evil]);
        }
        git(path, &["config", "merge.evil.driver", &format!("touch {}; exit 0", ran.display())]);
    };
    // Set when the task is there already: nobody would be asked any more.
    let task = worked(&rig).await;
    rig.write(".gitattributes", "*.txt filter=evil merge=evil\n");
    rig.write("one.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\nten\n");
    rig.commit("main moves on");
    write(&folder(&task), ".gitattributes", "*.txt filter=evil merge=evil\n");
    filtered(&rig.repo);
    let attempt = first(&task);
    rig.worktrees.save(&attempt, "here").await.unwrap();
    rig.changed(&task, crate::DiffScope::Base).await;
    rig.worktrees.merge(&wanted(&task)).await.unwrap();
    assert_eq!(rig.read("one.txt"), "1\n2\n3\n4\nfive\n6\n7\n8\n9\nten\n");
    rig.worktrees.undo(&task.id).await.unwrap();
    assert!(!ran.exists(), "a program of .git/config ran");
    // A new task is refused, because other files would come out than in the repository.
    match rig.worktrees.create(rig.wanted("Again")).await {
        Err(TaskError::Filtered(used)) => assert_eq!((used.len(), &*used[0].0), (1, "evil")),
        other => panic!("{other:?}"),
    }
    assert!(!ran.exists());
    // Filters that no file uses are in nobody's way.
    rig.write(".gitattributes", "\n");
    git(&rig.repo, &["config", "--remove-section", "filter.evil"]);
    rig.commit("without filters");
    filtered(&rig.repo);
    rig.task("Then").await;
    assert!(!ran.exists());
}
