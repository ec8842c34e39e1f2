//! A repository of a person, and the tasks beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::{AttemptId, DiffQuery, DiffScope, Task, TaskCreate, Worktrees, WorktreesOptions};

/// Everything in one temporary folder.
pub(super) struct Rig {
    _folder: TempDir,
    pub(super) repo: PathBuf,
    pub(super) home: PathBuf,
    pub(super) worktrees: Worktrees,
}

impl Rig {
    /// A repository with `main` and two files on it.
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (repo, home) = (root.join("repo"), root.join("data"));
        std::fs::create_dir(&repo).unwrap();
        let rig = Self {
            worktrees: Worktrees::new(&home, WorktreesOptions::default()),
            _folder: folder,
            repo,
            home,
        };
        rig.git(&["init", "--quiet", "--initial-branch=main"]);
        rig.git(&["config", "user.name", "Eva"]);
        rig.git(&["config", "user.email", "eva@example.com"]);
        rig.write("one.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
        rig.write("two.txt", "two\n");
        rig.commit("first");
        rig
    }

    /// A folder beside the repository.
    pub(super) fn beside(&self, name: &str) -> PathBuf {
        self.repo.with_file_name(name)
    }

    pub(super) fn git(&self, arguments: &[&str]) -> String {
        git(&self.repo, arguments)
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        write(&self.repo, path, text);
    }

    pub(super) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.repo.join(path)).unwrap()
    }

    pub(super) fn commit(&self, message: &str) -> String {
        commit(&self.repo, message)
    }

    /// A task with one attempt.
    pub(super) async fn task(&self, title: &str) -> Task {
        self.worktrees.create(self.wanted(title)).await.unwrap()
    }

    pub(super) fn wanted(&self, title: &str) -> TaskCreate {
        TaskCreate { title: title.to_owned(), repository: self.repo.clone(), ..TaskCreate::default() }
    }

    /// The files that differ, with what became of them.
    pub(super) async fn changed(&self, task: &Task, scope: DiffScope) -> Vec<String> {
        let wanted = DiffQuery { attempt: first(task), scope, paths: Vec::new(), no_hunks: true };
        let diff = self.worktrees.diff(&wanted).await.unwrap();
        diff.files.iter().map(|file| format!("{:?} {}", file.change, file.path)).collect()
    }
}

/// The first attempt.
pub(super) fn first(task: &Task) -> AttemptId {
    AttemptId { task: task.id.clone(), attempt: 1 }
}

/// The first attempt's folder.
pub(super) fn folder(task: &Task) -> PathBuf {
    task.attempts[0].folder.clone()
}

pub(super) fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Commits everything, and gives the commit.
pub(super) fn commit(folder: &Path, message: &str) -> String {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "-m", message]);
    git(folder, &["rev-parse", "HEAD"])
}

pub(super) fn git(folder: &Path, arguments: &[&str]) -> String {
    let (ok, text) = try_git(folder, arguments);
    assert!(ok, "git {arguments:?}: {text}");
    text
}

pub(super) fn try_git(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "protocol.file.allow=always"]).args(arguments);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    command.envs([("GIT_CONFIG_NOSYSTEM", "1"), ("LC_ALL", "C"), ("GIT_EDITOR", ":")]);
    let output = command.output().unwrap();
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        text.push_str(&String::from_utf8_lossy(&output.stderr));
    }
    (output.status.success(), text.trim_end().to_owned())
}
