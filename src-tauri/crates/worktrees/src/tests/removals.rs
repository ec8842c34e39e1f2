//! A worktree goes when nothing is lost, stays when something could be, and comes back with undo.

use pretty_assertions::assert_eq;

use super::rig::{Rig, commit, first, folder, git, try_git, write};
use crate::{AttemptState, Proof, Removal, Task, TaskError};

/// Tries to discard the attempt without force.
async fn discard(rig: &Rig, task: &Task) -> Result<Removal, TaskError> {
    rig.worktrees.discard(&first(task), false).await
}

/// Discards what is safe to go, and sees that nothing is left of it and that undo brings it back.
async fn goes(rig: &Rig, task: &Task) -> Proof {
    let head = git(&folder(task), &["rev-parse", "HEAD"]);
    let removal = discard(rig, task).await.unwrap();
    assert!(removal.removed && !folder(task).exists());
    assert_eq!(rig.git(&["branch", "--list", "agentnative/*"]), "");
    assert_eq!(rig.git(&["worktree", "list", "--porcelain"]).matches("worktree ").count(), 1);
    rig.worktrees.undo(&task.id).await.unwrap();
    assert_eq!(git(&folder(task), &["rev-parse", "HEAD"]), head);
    discard(rig, task).await.unwrap();
    removal.proof.unwrap()
}

/// Sees that the attempt is not removed, for this reason, and that nothing has changed.
async fn stays(rig: &Rig, task: &Task, reason: &str) {
    let before = try_git(&folder(task), &["status", "--porcelain", "--branch"]);
    match discard(rig, task).await {
        Err(TaskError::WouldLose { reasons, .. }) => {
            assert!(reasons.iter().any(|one| one.contains(reason)), "{reasons:?} hold no {reason:?}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(try_git(&folder(task), &["status", "--porcelain", "--branch"]), before);
    assert_eq!(rig.worktrees.task(&task.id).unwrap().attempts[0].state, AttemptState::Open);
}

/// Sees that with force it goes, and that undo brings everything back as it was.
async fn goes_with_force(rig: &Rig, task: &Task) {
    let state = |place: &std::path::Path| {
        let commits = ["rev-parse", "HEAD", "agentnative/case"];
        (
            try_git(place, &commits),
            git(place, &["status", "--porcelain", "--branch"]),
            git(place, &["diff", "HEAD"]),
        )
    };
    let before = state(&folder(task));
    let removal = rig.worktrees.discard(&first(task), true).await.unwrap();
    assert_eq!((removal.removed, removal.proof), (true, None));
    assert!(!folder(task).exists());
    assert_eq!(rig.git(&["branch", "--list", "agentnative/case"]), "");
    let outcome = rig.worktrees.undo(&task.id).await.unwrap();
    assert_eq!(outcome.folder, Some(folder(task)));
    assert_eq!(state(&folder(task)), before);
}

/// A task whose attempt has two commits.
async fn worked(rig: &Rig) -> Task {
    let task = rig.task("Case").await;
    write(&folder(&task), "one.txt", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n");
    commit(&folder(&task), "half");
    write(&folder(&task), "new.txt", "new\n");
    commit(&folder(&task), "whole");
    task
}

#[tokio::test]
async fn without_work_it_goes() {
    let rig = Rig::new();
    let task = rig.task("Case").await;
    assert_eq!(goes(&rig, &task).await, Proof::NoCommits);
    assert!(matches!(discard(&rig, &task).await, Err(TaskError::Ended { .. })));
}

#[tokio::test]
async fn unmerged_work_stays() {
    let rig = Rig::new();
    let task = worked(&rig).await;
    stays(&rig, &task, "main does not have all of its changes").await;
    goes_with_force(&rig, &task).await;
}

#[tokio::test]
async fn merged_work_goes() {
    let rig = Rig::new();
    let task = worked(&rig).await;
    rig.git(&["merge", "--quiet", "--no-ff", "--no-edit", "agentnative/case"]);
    assert_eq!(goes(&rig, &task).await, Proof::Reachable { reference: "refs/heads/main".to_owned() });
}

#[tokio::test]
async fn squashed_work_goes_although_main_moved_on() {
    let rig = Rig::new();
    let task = worked(&rig).await;
    rig.git(&["merge", "--quiet", "--squash", "agentnative/case"]);
    rig.commit("squashed");
    rig.write("two.txt", "moved on\n");
    rig.commit("next");
    assert_eq!(goes(&rig, &task).await, Proof::Contained { reference: "refs/heads/main".to_owned() });
}

#[tokio::test]
async fn squashed_work_goes_although_its_lines_changed_again() {
    let rig = Rig::new();
    let task = worked(&rig).await;
    rig.git(&["merge", "--quiet", "--squash", "agentnative/case"]);
    let squashed = rig.commit("squashed");
    rig.write("one.txt", "1\n2\n3\n4\nFIVE\n6\n7\n8\n9\n");
    rig.commit("again");
    let reference = "refs/heads/main".to_owned();
    assert_eq!(goes(&rig, &task).await, Proof::InHistory { reference, commit: squashed });
}

#[tokio::test]
async fn rebased_and_picked_work_goes() {
    let rig = Rig::new();
    let task = worked(&rig).await;
    rig.write("two.txt", "moved on\n");
    rig.commit("next");
    rig.git(&["cherry-pick", "agentnative/case~1", "agentnative/case"]);
    assert_eq!(goes(&rig, &task).await, Proof::Contained { reference: "refs/heads/main".to_owned() });
}

#[tokio::test]
async fn half_of_the_work_in_main_is_not_enough() {
    let rig = Rig::new();
    let task = worked(&rig).await;
    rig.git(&["cherry-pick", "agentnative/case~1"]);
    stays(&rig, &task, "main does not have all of its changes").await;
}

#[tokio::test]
async fn merged_and_reverted_work_goes_only_where_its_commits_are() {
    let rig = Rig::new();
    let task = worked(&rig).await;
    rig.git(&["merge", "--quiet", "--no-ff", "--no-edit", "agentnative/case"]);
    rig.git(&["revert", "--no-edit", "-m", "1", "HEAD"]);
    // A real merge keeps every commit in main's history, whatever was reverted since.
    assert_eq!(goes(&rig, &task).await, Proof::Reachable { reference: "refs/heads/main".to_owned() });
    let rig = Rig::new();
    let task = worked(&rig).await;
    rig.git(&["merge", "--quiet", "--squash", "agentnative/case"]);
    rig.commit("squashed");
    rig.git(&["revert", "--no-edit", "HEAD"]);
    stays(&rig, &task, "main does not have all of its changes").await;
    goes_with_force(&rig, &task).await;
}

#[tokio::test]
async fn work_that_was_pushed_or_merged_by_others_goes() {
    let rig = Rig::new();
    let remote = rig.beside("remote.git");
    rig.git(&["init", "--quiet", "--bare", &remote.display().to_string()]);
    rig.git(&["remote", "add", "origin", &remote.display().to_string()]);
    rig.git(&["push", "--quiet", "-u", "origin", "main"]);
    let task = worked(&rig).await;
    git(&folder(&task), &["push", "--quiet", "origin", "HEAD:refs/heads/review"]);
    assert_eq!(
        goes(&rig, &task).await,
        Proof::Reachable { reference: "refs/remotes/origin/review".to_owned() }
    );
    // Squashed on the server: main here knows nothing of it, what it follows does.
    let task = rig.task("Other").await;
    write(&folder(&task), "other.txt", "other\n");
    commit(&folder(&task), "other");
    let clone = rig.beside("clone");
    rig.git(&[
        "clone",
        "--quiet",
        "--branch",
        "main",
        &remote.display().to_string(),
        &clone.display().to_string(),
    ]);
    git(&clone, &["config", "user.name", "Ada"]);
    git(&clone, &["config", "user.email", "ada@example.com"]);
    write(&clone, "other.txt", "other\n");
    commit(&clone, "squashed there");
    git(&clone, &["push", "--quiet", "origin", "HEAD:main"]);
    stays(&rig, &task, "main does not have all of its changes").await;
    rig.git(&["fetch", "--quiet"]);
    assert_eq!(
        goes(&rig, &task).await,
        Proof::Contained { reference: "refs/remotes/origin/main".to_owned() }
    );
}

#[tokio::test]
async fn uncommitted_and_untracked_files_stay() {
    let rig = Rig::new();
    let task = rig.task("Case").await;
    write(&folder(&task), "two.txt", "dirty\n");
    stays(&rig, &task, "uncommitted changes in two.txt").await;
    goes_with_force(&rig, &task).await;
    git(&folder(&task), &["checkout", "two.txt"]);
    write(&folder(&task), "notes/new.txt", "untracked\n");
    stays(&rig, &task, "untracked files: notes/new.txt").await;
    goes_with_force(&rig, &task).await;
    // Staged and then taken from the disk: the index alone holds it.
    git(&folder(&task), &["add", "--all"]);
    stays(&rig, &task, "uncommitted changes in notes/new.txt").await;
}

#[tokio::test]
async fn ignored_files_keep_nothing_back_unless_they_were_copied_and_changed() {
    let rig = Rig::new();
    rig.write(".gitignore", "target/\n.env\n");
    rig.write(".worktreeinclude", ".env\n");
    rig.commit("ignore");
    rig.write(".env", "A=1\n");
    let task = rig.task("Case").await;
    write(&folder(&task), "target/out", "built\n");
    write(&folder(&task), ".env", "A=2\n");
    stays(&rig, &task, ".env, which git ignores, was copied and then changed").await;
    // It is in no commit, so that force can't save it either.
    assert!(rig.worktrees.discard(&first(&task), true).await.is_err());
    write(&folder(&task), ".env", "A=1\n");
    assert_eq!(goes(&rig, &task).await, Proof::NoCommits);
}

#[tokio::test]
async fn a_folder_that_was_deleted_by_hand_leaves_its_commits() {
    let rig = Rig::new();
    let task = worked(&rig).await;
    let tip = rig.git(&["rev-parse", "agentnative/case"]);
    std::fs::remove_dir_all(folder(&task)).unwrap();
    let view = rig.worktrees.view(&task.id).await.unwrap();
    assert_eq!((view.attempts[0].folder_there, view.attempts[0].stat.files), (false, 2));
    assert!(discard(&rig, &task).await.is_err(), "the branch has work that is nowhere else");
    rig.worktrees.discard(&first(&task), true).await.unwrap();
    assert_eq!(rig.git(&["worktree", "list", "--porcelain"]).matches("worktree ").count(), 1);
    rig.worktrees.undo(&task.id).await.unwrap();
    assert_eq!(git(&folder(&task), &["rev-parse", "HEAD"]), tip);
    // Also when git forgot the worktree, and when nothing was on it.
    let task = rig.task("Other").await;
    std::fs::remove_dir_all(folder(&task)).unwrap();
    rig.git(&["worktree", "prune"]);
    let removal = discard(&rig, &task).await.unwrap();
    assert_eq!(removal.proof, Some(Proof::NoCommits));
    rig.worktrees.undo(&task.id).await.unwrap();
    assert!(folder(&task).join("two.txt").is_file());
}

#[tokio::test]
async fn a_folder_that_was_made_anew_by_hand_is_left_alone() {
    let rig = Rig::new();
    let task = rig.task("Case").await;
    std::fs::remove_dir_all(folder(&task)).unwrap();
    write(&folder(&task), "precious.txt", "mine\n");
    for force in [false, true] {
        assert!(rig.worktrees.discard(&first(&task), force).await.is_err());
    }
    assert!(folder(&task).join("precious.txt").is_file());
}

#[tokio::test]
async fn a_base_that_moved_away_changes_nothing_about_what_is_safe() {
    let rig = Rig::new();
    rig.write("two.txt", "second\n");
    rig.commit("second");
    let task = rig.task("Case").await;
    // main is set back behind the base: nothing of the task's own is lost all the same.
    rig.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    assert_eq!(goes(&rig, &task).await, Proof::NoCommits);
    let task = worked(&rig).await;
    rig.git(&["checkout", "--quiet", "--orphan", "fresh"]);
    rig.commit("another history");
    rig.git(&["branch", "--quiet", "-M", "main"]);
    stays(&rig, &task, "main does not have").await;
    goes_with_force(&rig, &task).await;
    rig.git(&["checkout", "--quiet", "-b", "other"]);
    rig.git(&["branch", "-D", "main"]);
    stays(&rig, &task, "its commits are in no other branch").await;
}

#[tokio::test]
async fn submodules_stay_while_they_hold_something() {
    let rig = Rig::new();
    let library = rig.beside("library");
    std::fs::create_dir(&library).unwrap();
    git(&library, &["init", "--quiet"]);
    git(&library, &["config", "user.name", "Ada"]);
    git(&library, &["config", "user.email", "ada@example.com"]);
    write(&library, "lib.txt", "lib\n");
    commit(&library, "lib");
    rig.git(&["submodule", "--quiet", "add", &library.display().to_string(), "lib"]);
    rig.commit("submodule");
    let task = rig.task("Case").await;
    git(&folder(&task), &["submodule", "--quiet", "update", "--init"]);
    let inner = folder(&task).join("lib");
    write(&inner, "draft.txt", "draft\n");
    stays(&rig, &task, "the submodule lib has uncommitted changes").await;
    git(&inner, &["config", "user.name", "Eva"]);
    git(&inner, &["config", "user.email", "eva@example.com"]);
    commit(&inner, "only here");
    stays(&rig, &task, "the submodule lib has commits that were not pushed").await;
    // They can't be saved in this repository.
    assert!(rig.worktrees.discard(&first(&task), true).await.is_err());
    git(&inner, &["push", "--quiet", "origin", "HEAD:refs/heads/topic"]);
    git(&inner, &["checkout", "--quiet", "HEAD~1"]);
    assert_eq!(goes(&rig, &task).await, Proof::NoCommits);
}

#[tokio::test]
async fn a_repository_inside_stays() {
    let rig = Rig::new();
    let task = rig.task("Case").await;
    let inner = folder(&task).join("inner");
    std::fs::create_dir(&inner).unwrap();
    git(&inner, &["init", "--quiet"]);
    write(&inner, "x", "x");
    stays(&rig, &task, "other repositories lie in it: inner").await;
    assert!(rig.worktrees.discard(&first(&task), true).await.is_err());
    assert!(inner.join("x").is_file());
}

#[tokio::test]
async fn without_an_identity_everything_is_saved_all_the_same() {
    let rig = Rig::new();
    let task = rig.task("Case").await;
    rig.git(&["config", "user.name", ""]);
    rig.git(&["config", "user.email", ""]);
    rig.git(&["config", "user.useConfigOnly", "true"]);
    write(&folder(&task), "two.txt", "dirty\n");
    rig.worktrees.save(&first(&task), "turn").await.unwrap();
    goes_with_force(&rig, &task).await;
    rig.worktrees.merge(&super::merges::wanted(&task)).await.unwrap();
    assert_eq!(rig.git(&["log", "-1", "--format=%an"]), "AgentNative");
}

#[tokio::test]
async fn a_locked_worktree_stays_until_it_is_unlocked() {
    let rig = Rig::new();
    let task = rig.task("Case").await;
    let place = folder(&task).display().to_string();
    rig.git(&["worktree", "lock", "--reason", "on a stick", &place]);
    stays(&rig, &task, "it is locked (on a stick)").await;
    assert!(rig.worktrees.discard(&first(&task), true).await.is_err());
    rig.git(&["worktree", "unlock", &place]);
    assert_eq!(goes(&rig, &task).await, Proof::NoCommits);
}

#[tokio::test]
async fn commits_on_no_branch_stay() {
    let rig = Rig::new();
    let task = rig.task("Case").await;
    git(&folder(&task), &["checkout", "--quiet", "--detach"]);
    write(&folder(&task), "new.txt", "new\n");
    commit(&folder(&task), "on no branch");
    stays(&rig, &task, "main does not have all of its changes").await;
    goes_with_force(&rig, &task).await;
    rig.git(&["merge", "--quiet", &git(&folder(&task), &["rev-parse", "HEAD"])]);
    discard(&rig, &task).await.unwrap();
}

#[tokio::test]
async fn commits_on_another_branch_stay_with_that_branch() {
    let rig = Rig::new();
    let task = rig.task("Case").await;
    git(&folder(&task), &["checkout", "--quiet", "-b", "topic"]);
    write(&folder(&task), "new.txt", "new\n");
    let tip = commit(&folder(&task), "on another branch");
    discard(&rig, &task).await.unwrap();
    assert_eq!(rig.git(&["rev-parse", "topic"]), tip);
    rig.worktrees.undo(&task.id).await.unwrap();
    assert_eq!(git(&folder(&task), &["symbolic-ref", "--short", "HEAD"]), "topic");
}

#[tokio::test]
async fn an_unfinished_rebase_stays_and_is_saved_with_force() {
    let rig = Rig::new();
    let task = worked(&rig).await;
    rig.write("one.txt", "1\n2\n3\n4\nFIVE\n6\n7\n8\n9\n");
    rig.commit("conflict");
    assert!(!try_git(&folder(&task), &["rebase", "main"]).0);
    stays(&rig, &task, "a rebase is not finished in it").await;
    let tip = rig.git(&["rev-parse", "agentnative/case"]);
    rig.worktrees.discard(&first(&task), true).await.unwrap();
    rig.worktrees.undo(&task.id).await.unwrap();
    assert_eq!(rig.git(&["rev-parse", "agentnative/case"]), tip);
    assert!(std::fs::read_to_string(folder(&task).join("one.txt")).unwrap().contains("<<<<<<<"));
}

#[tokio::test]
async fn a_branch_that_the_person_has_checked_out_stays() {
    let rig = Rig::new();
    let task = worked(&rig).await;
    git(&folder(&task), &["checkout", "--quiet", "--detach", "main"]);
    rig.git(&["checkout", "--quiet", "agentnative/case"]);
    let removal = discard(&rig, &task).await.unwrap();
    assert!(removal.removed);
    assert_eq!(rig.git(&["symbolic-ref", "--short", "HEAD"]), "agentnative/case");
    assert_eq!(rig.read("new.txt"), "new\n");
}

#[tokio::test]
async fn what_is_kept_has_its_branch_and_loses_only_a_clean_folder() {
    let rig = Rig::new();
    let task = worked(&rig).await;
    write(&folder(&task), "two.txt", "dirty\n");
    assert!(matches!(rig.worktrees.keep(&first(&task), true).await, Err(TaskError::WouldLose { .. })));
    commit(&folder(&task), "all");
    let tip = rig.git(&["rev-parse", "agentnative/case"]);
    assert!(rig.worktrees.keep(&first(&task), true).await.unwrap().removed);
    assert!(!folder(&task).exists());
    assert_eq!(rig.git(&["rev-parse", "agentnative/case"]), tip);
    rig.worktrees.undo(&task.id).await.unwrap();
    assert!(folder(&task).is_dir());
    let removal = rig.worktrees.keep(&first(&task), false).await.unwrap();
    assert!(!removal.removed && folder(&task).is_dir());
    assert_eq!(rig.worktrees.task(&task.id).unwrap().attempts[0].state, AttemptState::Kept);
}

#[tokio::test]
async fn a_task_is_forgotten_with_all_that_it_left() {
    let rig = Rig::new();
    let task = worked(&rig).await;
    rig.worktrees.save(&first(&task), "turn").await.unwrap();
    assert!(matches!(rig.worktrees.forget(&task.id).await, Err(TaskError::WouldLose { .. })));
    rig.worktrees.discard(&first(&task), true).await.unwrap();
    assert!(!rig.git(&["for-each-ref", "refs/agentnative"]).is_empty());
    rig.worktrees.forget(&task.id).await.unwrap();
    assert_eq!(rig.git(&["for-each-ref", "refs/agentnative"]), "");
    assert!(matches!(rig.worktrees.task(&task.id), Err(TaskError::NoTask(_))));
}
