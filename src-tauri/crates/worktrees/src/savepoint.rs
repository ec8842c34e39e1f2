//! Save points: the whole content of a worktree on a hidden ref, without touching its index or a branch.

use std::path::{Path, PathBuf};

use support::now_ms;

use crate::Worktrees;
use crate::error::TaskError;
use crate::git::Git;
use crate::record::{AttemptId, Savepoint, Task};
use crate::status::nested_repositories;

/// The longest label, in bytes.
const MAX_LABEL_BYTES: usize = 200;

/// The tree of what lies in a worktree, tracked and untracked, without ignored files. Its objects are kept in the
/// repository.
pub(crate) async fn saved_tree(git: &Git<'_>) -> Result<String, TaskError> {
    let temporary = temporary_folder()?;
    let index = copy_of_index(git, temporary.path()).await?;
    write_tree(&git.clone().with("GIT_INDEX_FILE", &index)).await
}

fn temporary_folder() -> Result<tempfile::TempDir, TaskError> {
    tempfile::tempdir().map_err(TaskError::file(std::env::temp_dir()))
}

/// A copy of the index in a folder: what git knows of unchanged files saves reading them.
async fn copy_of_index(git: &Git<'_>, folder: &Path) -> Result<PathBuf, TaskError> {
    let index = folder.join("index");
    let own = git_path(git, "index").await?;
    let copy = || {
        std::fs::copy(&own, &index)?;
        // Git reads files anew that changed about when the index was written: the copy must not look younger.
        let written = std::fs::metadata(&own)?.modified()?;
        std::fs::File::options().write(true).open(&index)?.set_modified(written)
    };
    if own.is_file() {
        copy().map_err(TaskError::file(&own))?;
    }
    Ok(index)
}

/// The same tree, for reading alone: its objects are gone afterwards, so only its name is of use. Use
/// [`WorktreeTree`] to read it.
pub(crate) async fn tree_of_worktree(git: &Git<'_>) -> Result<String, TaskError> {
    Ok(WorktreeTree::write(git).await?.tree)
}

/// The tree of what lies in a worktree, with its new objects in a temporary folder.
pub(crate) struct WorktreeTree<'a> {
    /// Its name.
    pub(crate) tree: String,
    /// Git that sees its objects.
    pub(crate) git: Git<'a>,
    _temporary: tempfile::TempDir,
}

impl<'a> WorktreeTree<'a> {
    pub(crate) async fn write(git: &Git<'a>) -> Result<Self, TaskError> {
        let temporary = temporary_folder()?;
        let objects = temporary.path().join("objects");
        std::fs::create_dir(&objects).map_err(TaskError::file(&objects))?;
        let index = copy_of_index(git, temporary.path()).await?;
        let known = git_path(git, "objects").await?;
        let git = git
            .clone()
            .with("GIT_OBJECT_DIRECTORY", &objects)
            .with("GIT_ALTERNATE_OBJECT_DIRECTORIES", known);
        let tree = write_tree(&git.clone().with("GIT_INDEX_FILE", &index)).await?;
        Ok(Self { tree, git, _temporary: temporary })
    }
}

/// A path of git's own, absolute.
pub(crate) async fn git_path(git: &Git<'_>, name: &str) -> Result<PathBuf, TaskError> {
    let path = git.text(&["rev-parse", "--path-format=absolute", "--git-path", name]).await?;
    Ok(PathBuf::from(path))
}

/// Adds everything to the index that git is told to use, and writes it as a tree.
async fn write_tree(git: &Git<'_>) -> Result<String, TaskError> {
    add_everything(git).await?;
    git.text(&["write-tree"]).await
}

/// Adds everything to the index: tracked and untracked files, without ignored ones.
pub(crate) async fn add_everything(git: &Git<'_>) -> Result<(), TaskError> {
    // A repository inside is no content of this one; without a commit, adding it would fail.
    let nested = nested_repositories(git).await?;
    let excluded: Vec<String> = nested.iter().map(|path| format!(":(top,exclude,literal){path}")).collect();
    let mut arguments = vec!["add", "--all", "--", ":(top)"];
    arguments.extend(excluded.iter().map(String::as_str));
    git.clone().with_magic().bytes(&arguments).await?;
    Ok(())
}

/// A commit of a tree on top of what is checked out, made by this program.
pub(crate) async fn commit_of(
    git: &Git<'_>,
    tree: &str,
    head: &str,
    message: &str,
) -> Result<String, TaskError> {
    git.clone().by_program().text(&["commit-tree", tree, "-p", head, "-m", message]).await
}

impl Worktrees {
    /// Saves what lies in an attempt's worktree, tracked and untracked, on `refs/agentnative/<task>/<attempt>/<n>`.
    /// Neither the index nor a branch is touched. A state that the last save point already holds is not saved again.
    pub async fn save(&self, id: &AttemptId, label: &str) -> Result<Savepoint, TaskError> {
        let mut locked = self.inner.records.lock(&id.task).await?;
        let savepoint = self.save_in(&mut locked.task, id.attempt, label).await?;
        locked.save()?;
        Ok(savepoint)
    }

    pub(crate) async fn save_in(
        &self,
        task: &mut Task,
        number: u32,
        label: &str,
    ) -> Result<Savepoint, TaskError> {
        let attempt = task.attempt(number)?;
        let (number, last) = (attempt.number, attempt.savepoints.last().cloned());
        let git = self.git_in(attempt)?;
        let head = git.text(&["rev-parse", "--verify", "HEAD"]).await?;
        let tree = saved_tree(&git).await?;
        if let Some(last) = last.as_ref().filter(|last| last.tree == tree) {
            let parent = git.text(&["rev-parse", "--verify", &format!("{}^", last.commit)]).await?;
            if parent == head {
                return Ok(last.clone());
            }
        }
        let label = support::clipped(label.trim(), MAX_LABEL_BYTES);
        let message = format!("Save point of attempt {number}: {label}");
        let commit = commit_of(&git, &tree, &head, &message).await?;
        let next = last.map_or(1, |last| last.number + 1);
        let reference = task.reference(&format!("{number}/{next}"));
        git.text(&["update-ref", &reference, &commit]).await?;
        let savepoint = Savepoint { number: next, reference, commit, tree, label, at: now_ms() };
        task.attempt_mut(number)?.savepoints.push(savepoint.clone());
        Ok(savepoint)
    }
}
