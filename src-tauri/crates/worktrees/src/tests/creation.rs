//! Tasks begin: base, branch, copied files, set-up, checks.

use pretty_assertions::assert_eq;

use super::rig::{Rig, commit, first, folder, git, write};
use crate::{
    AttemptState, CheckCommand, Commands, SetupCommand, TaskCreate, TaskError, Verdict, Worktrees,
    WorktreesOptions,
};

fn check(name: &str, command: &str) -> CheckCommand {
    CheckCommand { name: name.to_owned(), command: command.to_owned(), timeout_seconds: 20 }
}

fn commands(setup: Option<&str>, checks: &[(&str, &str)]) -> Commands {
    Commands {
        setup: setup.map(|command| SetupCommand { command: command.to_owned(), timeout_seconds: 20 }),
        checks: checks.iter().map(|(name, command)| check(name, command)).collect(),
    }
}

#[tokio::test]
async fn a_task_pins_its_base_and_touches_nothing_of_the_person() {
    let rig = Rig::new();
    rig.write("two.txt", "mine\n");
    rig.write("untracked.txt", "mine\n");
    let base = rig.git(&["rev-parse", "HEAD"]);
    let task = rig.task("Fix the parser").await;
    assert_eq!(task.id.as_str(), "fix-the-parser");
    assert_eq!((&*task.base, &*task.base_commit, task.target.as_deref()), ("main", &*base, Some("main")));
    assert_eq!(git(&folder(&task), &["symbolic-ref", "--short", "HEAD"]), "agentnative/fix-the-parser");
    assert_eq!(std::fs::read_to_string(folder(&task).join("two.txt")).unwrap(), "two\n");
    assert_eq!(rig.git(&["status", "--porcelain"]), " M two.txt\n?? untracked.txt");
    assert_eq!(rig.worktrees.task(&task.id).unwrap(), task);
    // The same title again is another task.
    assert_eq!(rig.task("Fix the parser").await.id.as_str(), "fix-the-parser-2");
    assert_eq!(rig.worktrees.list().unwrap().tasks.len(), 2);
}

#[tokio::test]
async fn a_base_is_a_branch_a_tag_or_a_commit() {
    let rig = Rig::new();
    let old = rig.git(&["rev-parse", "HEAD"]);
    rig.git(&["tag", "v1"]);
    rig.write("two.txt", "newer\n");
    rig.commit("second");
    rig.git(&["branch", "side", "v1"]);
    for (base, target) in [("v1", "main"), (&old[..12], "main"), ("side", "side")] {
        let wanted = TaskCreate { base: Some(base.to_owned()), ..rig.wanted("From elsewhere") };
        let task = rig.worktrees.create(wanted).await.unwrap();
        assert_eq!((&task.base_commit, task.target.as_deref()), (&old, Some(target)));
    }
    for bad in ["nowhere", "--help", "two.txt"] {
        let wanted = TaskCreate { base: Some(bad.to_owned()), ..rig.wanted("x") };
        let error = rig.worktrees.create(wanted).await.unwrap_err();
        assert!(matches!(error, TaskError::NoRevision(_)), "{error}");
    }
    let wanted = TaskCreate { target: Some("nowhere".to_owned()), ..rig.wanted("x") };
    assert!(matches!(rig.worktrees.create(wanted).await, Err(TaskError::Invalid(_))));
    let wanted = TaskCreate { repository: rig.home.clone(), ..rig.wanted("x") };
    assert!(matches!(rig.worktrees.create(wanted).await, Err(TaskError::NoRepository(_))));
}

#[tokio::test]
async fn a_repository_without_a_commit_has_no_base() {
    let rig = Rig::new();
    let empty = rig.beside("empty");
    std::fs::create_dir(&empty).unwrap();
    git(&empty, &["init", "--quiet"]);
    let wanted = TaskCreate { repository: empty, ..rig.wanted("x") };
    assert!(matches!(rig.worktrees.create(wanted).await, Err(TaskError::NoRevision(_))));
    assert_eq!(rig.worktrees.list().unwrap().tasks, []);
}

#[cfg(unix)]
#[tokio::test]
async fn ignored_files_that_are_named_are_copied_and_no_others() {
    let rig = Rig::new();
    rig.write(".gitignore", ".env*\ncache/\nlink\n");
    rig.write(".worktreeinclude", ".env\n.env.*\n!.env.example\nlink\n*.txt\n/etc/passwd\n../outside\n");
    rig.commit("ignore");
    for (path, text) in
        [(".env", "A=1\n"), ("app/.env", "B=2\n"), (".env.example", "no\n"), ("cache/x", "no\n")]
    {
        rig.write(path, text);
    }
    // Untracked, named, but not ignored: part of the person's work, not of the set-up.
    rig.write("draft.txt", "no\n");
    write(&rig.beside(""), "outside", "no\n");
    std::os::unix::fs::symlink("/etc/hostname", rig.repo.join("link")).unwrap();
    let task = rig.task("Copy").await;
    let included = &task.attempts[0].included;
    let copied: Vec<&str> = included.copied.iter().map(|file| &*file.path).collect();
    assert_eq!(copied, [".env", "app/.env"]);
    assert_eq!(included.skipped.iter().map(|file| &*file.path).collect::<Vec<_>>(), ["link"]);
    assert_eq!(std::fs::read_to_string(folder(&task).join("app/.env")).unwrap(), "B=2\n");
    for absent in [".env.example", "cache", "draft.txt", "link"] {
        assert!(!folder(&task).join(absent).exists(), "{absent}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn no_file_is_copied_through_a_link_of_the_worktree() {
    let rig = Rig::new();
    // At the base `app` is a link that leads out; the person has a folder there by now.
    std::os::unix::fs::symlink(rig.beside(""), rig.repo.join("app")).unwrap();
    rig.write(".gitignore", ".env\n");
    rig.write(".worktreeinclude", ".env\n");
    let base = rig.commit("link");
    std::fs::remove_file(rig.repo.join("app")).unwrap();
    rig.write("app/.env", "secret\n");
    let wanted = TaskCreate { base: Some(base), ..rig.wanted("Copy") };
    let task = rig.worktrees.create(wanted).await.unwrap();
    assert_eq!(task.attempts[0].included.copied, []);
    assert!(!rig.beside(".env").exists());
}

#[tokio::test]
async fn commands_of_a_project_run_only_after_a_person_accepted_them() {
    let rig = Rig::new();
    let declared =
        r#"{"setup": {"command": "echo ready > ready.txt"}, "checks": [{"name": "t", "command": "true"}]}"#;
    rig.write(".agentnative/checks.json", declared);
    rig.commit("checks");
    let task = rig.task("One").await;
    assert_eq!(task.attempts[0].setup, None);
    for error in
        [rig.worktrees.set_up(&first(&task)).await.err(), rig.worktrees.check(&first(&task)).await.err()]
    {
        assert!(matches!(error, Some(TaskError::NotApproved(..))), "{error:?}");
    }
    let (commands, approved) = rig.worktrees.commands(&rig.repo, None).await.unwrap();
    assert!(!approved);
    rig.worktrees.approve(&rig.repo, &commands).await.unwrap();
    let result = rig.worktrees.set_up(&first(&task)).await.unwrap();
    assert_eq!(result.exit_code, Some(0));
    assert!(folder(&task).join("ready.txt").is_file());
    // A later task of the same commands needs no further word; one with others does.
    assert!(rig.task("Two").await.attempts[0].setup.as_ref().unwrap().passed());
    rig.write(".agentnative/checks.json", &declared.replace("ready", "other"));
    rig.commit("other checks");
    assert_eq!(rig.task("Three").await.attempts[0].setup, None);
}

#[tokio::test]
async fn a_task_is_done_only_by_exit_codes_on_the_files_as_they_are() {
    let rig = Rig::new();
    let wanted = TaskCreate {
        commands: Some(commands(
            None,
            &[("grep", "grep -q fixed two.txt"), ("tests", "echo out; echo err >&2")],
        )),
        ..rig.wanted("Fix")
    };
    let task = rig.worktrees.create(wanted).await.unwrap();
    let verdict = async || rig.worktrees.view(&task.id).await.unwrap().attempts[0].verdict;
    assert_eq!(verdict().await, Verdict::NotRun);
    let run = rig.worktrees.check(&first(&task)).await.unwrap();
    let codes: Vec<_> = run.results.iter().map(|check| (&*check.name, check.result.exit_code)).collect();
    assert_eq!(codes, [("grep", Some(1)), ("tests", Some(0))]);
    assert_eq!(run.results[1].result.output, "out\nerr\n");
    assert_eq!(verdict().await, Verdict::Failed);
    write(&folder(&task), "two.txt", "fixed\n");
    assert_eq!(verdict().await, Verdict::Stale);
    rig.worktrees.check(&first(&task)).await.unwrap();
    assert_eq!(verdict().await, Verdict::Passed);
    // To commit what was checked changes no file; to change the declaration changes no check.
    write(&folder(&task), ".agentnative/checks.json", r#"{"checks": []}"#);
    assert_eq!(verdict().await, Verdict::Stale);
    std::fs::remove_dir_all(folder(&task).join(".agentnative")).unwrap();
    commit(&folder(&task), "fix");
    assert_eq!(verdict().await, Verdict::Passed);
    write(&folder(&task), "two.txt", "fixed, later\n");
    assert_eq!(verdict().await, Verdict::Stale);
}

#[tokio::test]
async fn a_check_that_takes_too_long_is_ended_with_what_it_started() {
    let rig = Rig::new();
    let mut declared = commands(None, &[("slow", "echo begun; sleep 600 & sleep 600")]);
    declared.checks[0].timeout_seconds = 1;
    let wanted = TaskCreate { commands: Some(declared), ..rig.wanted("Slow") };
    let task = rig.worktrees.create(wanted).await.unwrap();
    let run = rig.worktrees.check(&first(&task)).await.unwrap();
    let result = &run.results[0].result;
    assert_eq!((result.exit_code, result.timed_out, &*result.output), (None, true, "begun\n"));
    assert!(result.ms < 20_000, "{} ms", result.ms);
}

#[tokio::test]
async fn attempts_begin_at_the_same_commit_and_are_listed_with_what_they_hold() {
    let rig = Rig::new();
    let wanted = TaskCreate {
        attempts: 2,
        labels: vec!["small".to_owned(), "large".to_owned()],
        commands: Some(commands(Some("echo x > made.txt"), &[("t", "test $(cat two.txt) = fixed")])),
        ..rig.wanted("Race")
    };
    let task = rig.worktrees.create(wanted).await.unwrap();
    rig.write("two.txt", "moved on\n");
    rig.commit("main moves on");
    let task = rig.worktrees.add_attempt(&task.id, "third", None, true).await.unwrap();
    let labels: Vec<_> = task.attempts.iter().map(|one| (one.number, &*one.label, &*one.branch)).collect();
    assert_eq!(
        labels,
        [
            (1, "small", "agentnative/race"),
            (2, "large", "agentnative/race.2"),
            (3, "third", "agentnative/race.3")
        ]
    );
    for attempt in &task.attempts {
        assert_eq!(git(&attempt.folder, &["rev-parse", "HEAD"]), task.base_commit);
    }
    assert!(task.attempts[1].setup.is_some() && task.attempts[2].setup.is_none());
    write(&task.attempts[1].folder, "two.txt", "fixed\n");
    for attempt in [1, 2] {
        rig.worktrees.check(&crate::AttemptId { task: task.id.clone(), attempt }).await.unwrap();
    }
    let view = rig.worktrees.view(&task.id).await.unwrap();
    let shown: Vec<_> =
        view.attempts.iter().map(|one| (one.stat.files, one.uncommitted, one.verdict)).collect();
    assert_eq!(shown, [(1, 1, Verdict::Failed), (2, 2, Verdict::Passed), (0, 0, Verdict::NotRun)]);
    // Without a number, an attempt must be meant by being the only one.
    let any = crate::AttemptId { task: task.id.clone(), attempt: 0 };
    assert!(matches!(rig.worktrees.check(&any).await, Err(TaskError::Invalid(_))));
    let removals =
        rig.worktrees.choose(&crate::AttemptId { attempt: 2, ..any.clone() }, false).await.unwrap();
    // The first has an untracked file of the set-up; the third has nothing.
    assert_eq!(
        removals.iter().map(|one| (one.attempt, one.removed)).collect::<Vec<_>>(),
        [(1, false), (3, true)]
    );
    let task = rig.worktrees.task(&task.id).unwrap();
    assert_eq!(task.chosen, Some(2));
    assert_eq!(task.attempts[0].state, AttemptState::Open);
    let removals = rig.worktrees.choose(&any, true).await.unwrap();
    assert_eq!(removals.iter().map(|one| (one.attempt, one.removed)).collect::<Vec<_>>(), [(1, true)]);
}

#[tokio::test]
async fn a_record_that_cannot_be_read_hides_no_other() {
    let rig = Rig::new();
    let task = rig.task("Good").await;
    write(&rig.home, "tasks/bad.json", "{");
    let list = rig.worktrees.list().unwrap();
    assert_eq!(list.tasks.iter().collect::<Vec<_>>(), [&task]);
    assert_eq!(list.unreadable.len(), 1);
    // A repository that is gone: the record is still shown, and says so.
    std::fs::rename(&rig.repo, rig.beside("elsewhere")).unwrap();
    let view = rig.worktrees.view(&task.id).await.unwrap();
    assert!(view.attempts[0].problem.is_some());
}

#[tokio::test]
async fn folders_may_be_made_elsewhere() {
    let rig = Rig::new();
    let folders = Some(rig.beside("trees"));
    let worktrees = Worktrees::new(&rig.home, WorktreesOptions { folders, ..WorktreesOptions::default() });
    let task = worktrees.create(rig.wanted("Elsewhere")).await.unwrap();
    assert_eq!(folder(&task), rig.beside("trees/elsewhere/1"));
}

#[tokio::test]
async fn hooks_of_the_person_do_not_run() {
    let rig = Rig::new();
    for hook in ["post-checkout", "pre-commit", "post-merge", "reference-transaction", "post-index-change"] {
        let path = rig.repo.join(".git/hooks").join(hook);
        write(
            &rig.repo,
            &format!(".git/hooks/{hook}"),
            "#!/bin/sh\ntouch \"$(git rev-parse --git-common-dir)/ran\"\n",
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
    let task = rig.task("Quiet").await;
    write(&folder(&task), "two.txt", "new\n");
    rig.worktrees.save(&first(&task), "turn").await.unwrap();
    let wanted = super::merges::wanted(&task);
    rig.worktrees.merge(&wanted).await.unwrap();
    assert!(!rig.repo.join(".git/ran").exists());
    assert_eq!(rig.read("two.txt"), "new\n");
}

#[tokio::test]
async fn everything_can_be_done_on_another_thread() {
    fn is_send<T: Send>(future: T) -> T {
        future
    }
    let rig = Rig::new();
    let (worktrees, wanted) = (rig.worktrees.clone(), rig.wanted("Elsewhere"));
    let task = tokio::spawn(async move { worktrees.create(wanted).await.unwrap() }).await.unwrap();
    let (id, worktrees) = (first(&task), &rig.worktrees);
    let scope = crate::DiffScope::Base;
    let diff = crate::DiffQuery { attempt: id.clone(), scope, paths: Vec::new(), no_hunks: false };
    is_send(worktrees.diff(&diff)).await.unwrap();
    is_send(worktrees.view(&task.id)).await.unwrap();
    is_send(worktrees.save(&id, "turn")).await.unwrap();
    is_send(worktrees.message(&id)).await.unwrap();
    let commands = is_send(worktrees.commands(&rig.repo, None)).await.unwrap().0;
    is_send(worktrees.approve(&rig.repo, &commands)).await.unwrap();
    is_send(worktrees.add_attempt(&task.id, "", None, false)).await.unwrap();
    drop(is_send(worktrees.check(&id)));
    drop(is_send(worktrees.revert(&id, scope, &[])));
    let merge = super::merges::wanted(&task);
    is_send(worktrees.merge(&merge)).await.unwrap();
    is_send(worktrees.undo(&task.id)).await.unwrap();
    is_send(worktrees.end(&id, crate::Ending::Choose)).await.unwrap();
    is_send(worktrees.end(&id, crate::Ending::Discard)).await.unwrap();
    is_send(worktrees.forget(&task.id)).await.unwrap();
}

#[tokio::test]
async fn what_a_program_that_was_ended_began_to_make_is_made_once() {
    let rig = Rig::new();
    let wanted = TaskCreate {
        commands: Some(commands(Some("echo x > made.txt"), &[])),
        no_setup: true,
        ..rig.wanted("Cut short")
    };
    let task = rig.worktrees.create(wanted).await.unwrap();
    let folder = task.attempts[0].folder.clone();
    let record = rig.home.join("tasks").join("cut-short.json");
    let cut = std::fs::read_to_string(&record)
        .unwrap()
        .replace("\"state\": \"open\"", "\"state\": \"open\", \"unfinished\": true");
    // Killed before the branch, after it, amid the checkout, and before the record was written.
    let before = |rig: &Rig| {
        rig.git(&["worktree", "remove", "--force", &folder.to_string_lossy()]);
        rig.git(&["branch", "-D", "agentnative/cut-short"]);
    };
    for kill in 0..4 {
        match kill {
            0 => before(&rig),
            1 => rig.git(&["worktree", "remove", "--force", &folder.to_string_lossy()]).truncate(0),
            2 => {
                std::fs::remove_file(folder.join("two.txt")).unwrap();
                rig.git(&["worktree", "lock", "--reason", "initializing", &folder.to_string_lossy()]);
            }
            _ => {}
        }
        std::fs::write(&record, &cut).unwrap();
        let task = rig.worktrees.finish(&first(&task)).await.unwrap();
        let attempt = &task.attempts[0];
        assert_eq!(
            (task.attempts.len(), attempt.unfinished, &attempt.folder),
            (1, false, &folder),
            "kill {kill}"
        );
        assert_eq!(std::fs::read_to_string(folder.join("two.txt")).unwrap(), "two\n", "kill {kill}");
        assert_eq!(attempt.setup.as_ref().unwrap().exit_code, Some(0), "kill {kill}");
        assert_eq!(rig.git(&["worktree", "list"]).lines().count(), 2, "kill {kill}");
    }
    let again = rig.worktrees.finish(&first(&task)).await.unwrap();
    assert_eq!(again, rig.worktrees.task(&task.id).unwrap());
    // Another attempt that was begun meanwhile is left alone, and the first is found by its number.
    let both = rig.worktrees.add_attempt(&task.id, "second", None, true).await.unwrap();
    write(&both.attempts[1].folder, "mine.txt", "work\n");
    let text = std::fs::read_to_string(&record).unwrap();
    std::fs::write(
        &record,
        text.replacen("\"state\": \"open\"", "\"state\": \"open\", \"unfinished\": true", 1),
    )
    .unwrap();
    let made = rig.worktrees.finish(&first(&task)).await.unwrap();
    assert_eq!(
        made.attempts.iter().map(|one| (one.number, one.unfinished)).collect::<Vec<_>>(),
        [(1, false), (2, false)]
    );
    assert_eq!(made.attempts[1], both.attempts[1]);
    assert!(both.attempts[1].folder.join("mine.txt").exists());
}
