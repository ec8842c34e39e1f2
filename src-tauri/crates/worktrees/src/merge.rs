//! An attempt becomes part of its target branch: tried without touching anything, then done in one step.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Worktrees;
use crate::error::TaskError;
use crate::git::{Git, failed, fields};
use crate::record::{AttemptId, AttemptState, MergeRecord, Task};
use crate::removal::{Removal, RemovalRule, checkout_of, end, open_attempt};
use crate::savepoint::add_everything;
use crate::status::{Status, operation};
use crate::view::Verdict;

/// The longest message of a commit, in bytes.
const MAX_MESSAGE_BYTES: usize = 10_000;

/// What a merge leaves in the target's history.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MergeStyle {
    /// The commits of the attempt and one that joins them to the target.
    #[default]
    Merge,
    /// One commit with all changes.
    Squash,
}

/// How an attempt is to be merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MergeOptions {
    /// The attempt.
    #[serde(flatten)]
    pub attempt: AttemptId,
    /// What the target's history gets.
    #[serde(default)]
    pub style: MergeStyle,
    /// The message of the commit; `None` is the task's title.
    #[serde(default)]
    pub message: Option<String>,
    /// The branch to merge into; `None` is the task's target.
    #[serde(default)]
    pub target: Option<String>,
    /// Whether it is merged although its checks have not passed on what is merged.
    #[serde(default)]
    pub unchecked: bool,
    /// Whether the worktree stays.
    #[serde(default)]
    pub keep_folder: bool,
}

/// What a merge did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MergeOutcome {
    /// The branch.
    pub target: String,
    /// The target's new commit, or the one that it had where there was nothing to merge.
    pub commit: String,
    /// Whether the target had everything already.
    pub nothing_to_merge: bool,
    /// What the checks say of the attempt.
    pub verdict: Verdict,
    /// Whether the checks ran on exactly the files that the target has now: others may have been merged since.
    pub tested: bool,
    /// The checkout whose files were updated with the branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkout: Option<PathBuf>,
    /// What became of the attempt's worktree.
    pub removal: Removal,
}

impl Worktrees {
    /// Merges an attempt into its target. What is not committed in its worktree is committed first. Conflicts, and
    /// uncommitted files of the target's checkout that are in the way, are reported before anything is touched; other
    /// uncommitted files there stay as they are. Afterwards the worktree is removed where that loses nothing.
    pub async fn merge(&self, wanted: &MergeOptions) -> Result<MergeOutcome, TaskError> {
        let mut locked = self.inner.records.lock(&wanted.attempt.task).await?;
        let attempt = open_attempt(&locked.task, wanted.attempt.attempt)?.clone();
        let (number, git) = (attempt.number, self.git_in(&attempt)?);
        let Some(target) = wanted.target.clone().or_else(|| locked.task.target.clone()) else {
            return Err(TaskError::Invalid(
                "the task began on no branch: name the branch to merge into".into(),
            ));
        };
        let reference = format!("refs/heads/{target}");
        let Some(before) = git.commit(&reference).await? else {
            return Err(TaskError::Missing(format!("the repository has no branch {target:?}")));
        };
        if let Some(operation) = operation(&git).await? {
            let place = attempt.folder.display();
            return Err(TaskError::Invalid(format!(
                "a {operation} is not finished in {place}: finish or abort it"
            )));
        }
        let verdict = self.verdict_of(&locked.task, &attempt).await?;
        if !wanted.unchecked && !matches!(verdict, Verdict::Passed | Verdict::NotDeclared) {
            return Err(TaskError::NotChecked { attempt: number, verdict });
        }
        let message = message(wanted.message.as_deref(), &locked.task)?;
        let tip = commit_everything(&git, &message).await?;
        let mut outcome = MergeOutcome {
            target: target.clone(),
            commit: before.clone(),
            nothing_to_merge: true,
            verdict,
            tested: false,
            checkout: None,
            removal: Removal {
                attempt: number,
                folder: attempt.folder.clone(),
                removed: false,
                proof: None,
                reasons: Vec::new(),
            },
        };
        let tree = match git.is_ancestor(&tip, &before).await? {
            true => None,
            // What came there squashed before is there, too.
            false => Some(merged_tree(&git, &target, &before, &tip).await?),
        };
        let there = git.tree(&before).await?;
        if let Some(tree) = tree.filter(|tree| *tree != there || wanted.style == MergeStyle::Merge) {
            let (commit, checkout) =
                advance(self, &git, wanted.style, &target, &before, &tip, &tree, &message).await?;
            outcome.tested =
                verdict == Verdict::Passed && attempt.checks.last().is_some_and(|run| run.tree == tree);
            (outcome.commit, outcome.checkout, outcome.nothing_to_merge) = (commit, checkout, false);
        }
        locked.task.attempt_mut(number)?.merged =
            Some(MergeRecord { target, tip, before, commit: outcome.commit.clone(), style: wanted.style });
        // Recorded before the worktree goes: from here on the merge is done.
        end(&mut locked.task, number, AttemptState::Merged, false)?;
        locked.save()?;
        if !wanted.keep_folder {
            match self.remove(&mut locked.task, number, RemovalRule::Proven).await {
                Ok(removal) => {
                    end(&mut locked.task, number, AttemptState::Merged, removal.removed)?;
                    outcome.removal = removal;
                }
                Err(TaskError::WouldLose { reasons, .. }) => outcome.removal.reasons = reasons,
                Err(error) => outcome.removal.reasons = vec![error.to_string()],
            }
            locked.save()?;
        }
        Ok(outcome)
    }

    /// Puts the target back to where it was before an attempt was merged, if it has not moved since.
    pub(crate) async fn unmerge(&self, task: &mut Task, number: u32) -> Result<(), TaskError> {
        let Some(merged) = task.attempt(number)?.merged.clone() else { return Ok(()) };
        if merged.commit != merged.before {
            let git = self.git_of(task)?;
            let reference = format!("refs/heads/{}", merged.target);
            if git.commit(&reference).await?.as_ref() != Some(&merged.commit) {
                let MergeRecord { target, commit, style, .. } = &merged;
                let parent = if *style == MergeStyle::Merge { " -m 1" } else { "" };
                return Err(TaskError::NoUndo(format!(
                    "{target} has moved since; `git revert{parent} {commit}` takes the changes back"
                )));
            }
            match checkout_of(&git, &reference).await? {
                None => {
                    git.text(&["update-ref", &reference, &merged.before, &merged.commit]).await?;
                }
                Some(folder) => {
                    let there = self.git(&folder);
                    in_the_way(&there, &merged.commit, &merged.before).await?;
                    there.text(&["reset", "--keep", "--quiet", &merged.before]).await?;
                }
            }
        }
        task.attempt_mut(number)?.merged = None;
        Ok(())
    }
}

fn message(wanted: Option<&str>, task: &Task) -> Result<String, TaskError> {
    match wanted.map(str::trim) {
        Some(text) if text.is_empty() || text.len() > MAX_MESSAGE_BYTES => {
            Err(TaskError::Invalid(format!("a message has 1 to {MAX_MESSAGE_BYTES} bytes")))
        }
        Some(text) => Ok(text.to_owned()),
        None => Ok(task.title.clone()),
    }
}

/// Commits what is not committed in a worktree, and gives the commit that is checked out.
async fn commit_everything(git: &Git<'_>, message: &str) -> Result<String, TaskError> {
    let status = Status::read(git).await?;
    if !status.changed.is_empty() || !status.untracked.is_empty() {
        add_everything(git).await?;
        let staged = git.run(&["diff-index", "--cached", "--quiet", "HEAD"], &[]).await?.code;
        if staged != Some(0) {
            let git = git.clone().by_person().await?;
            git.text(&["commit", "--quiet", "--no-verify", "-m", message]).await?;
        }
    }
    git.text(&["rev-parse", "--verify", "HEAD"]).await
}

/// The tree of both together.
async fn merged_tree(git: &Git<'_>, target: &str, before: &str, tip: &str) -> Result<String, TaskError> {
    let arguments = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", before, tip];
    let merged = git.run(&arguments, &[]).await?;
    let mut parts = fields(&merged.output);
    let tree = parts.next().unwrap_or_default();
    match merged.code {
        Some(0) => Ok(tree),
        Some(1) => {
            let files = parts.filter(|file| !file.is_empty()).collect();
            Err(TaskError::Conflicts { target: target.to_owned(), files })
        }
        _ => Err(failed(&arguments, &merged)),
    }
}

/// Moves the target to a commit of the merged tree, with the files of the checkout that it is in.
#[allow(clippy::too_many_arguments)]
async fn advance(
    worktrees: &Worktrees,
    git: &Git<'_>,
    style: MergeStyle,
    target: &str,
    before: &str,
    tip: &str,
    tree: &str,
    message: &str,
) -> Result<(String, Option<PathBuf>), TaskError> {
    let reference = format!("refs/heads/{target}");
    let mut arguments = vec!["commit-tree", tree, "-p", before];
    if style == MergeStyle::Merge {
        arguments.extend(["-p", tip]);
    }
    arguments.extend(["-m", message]);
    let commit = git.clone().by_person().await?.text(&arguments).await?;
    let Some(folder) = checkout_of(git, &reference).await? else {
        let moved =
            git.run(&["update-ref", "-m", "merge of a task", &reference, &commit, before], &[]).await?;
        return match moved.code {
            Some(0) => Ok((commit, None)),
            _ => Err(TaskError::Moved(target.to_owned())),
        };
    };
    let there = worktrees.git(&folder);
    if let Some(operation) = operation(&there).await? {
        let place = folder.display();
        return Err(TaskError::Invalid(format!(
            "a {operation} is not finished in {place}: finish or abort it"
        )));
    }
    in_the_way(&there, before, &commit).await?;
    // Forward alone: it stops if the branch has moved, and keeps every uncommitted file.
    there
        .text(&["merge", "--ff-only", "--no-overwrite-ignore", "--no-autostash", "--quiet", &commit])
        .await?;
    Ok((commit, Some(folder)))
}

/// Refuses when uncommitted files of a checkout would be overwritten on the way from one commit to another.
async fn in_the_way(git: &Git<'_>, before: &str, after: &str) -> Result<(), TaskError> {
    let listed =
        git.bytes(&["diff-tree", "-r", "-z", "--no-renames", "--name-status", before, after]).await?;
    let status = Status::read(git).await?;
    let mut files = Vec::new();
    let mut parts = fields(&listed);
    while let (Some(change), Some(path)) = (parts.next(), parts.next()) {
        let touches = |other: &String| {
            let (one, other) = (Path::new(&path), Path::new(other));
            one.starts_with(other) || other.starts_with(one)
        };
        let own = status.changed.iter().chain(&status.untracked).chain(&status.nested);
        files.extend(own.filter(|other| touches(other)).cloned());
        // An ignored file in the place of a new one is in no status.
        if change == "A"
            && std::fs::symlink_metadata(git.folder().join(&path)).is_ok_and(|found| !found.is_dir())
        {
            files.push(path);
        }
    }
    files.sort();
    files.dedup();
    match files.is_empty() {
        true => Ok(()),
        false => Err(TaskError::InTheWay { folder: git.folder().to_owned(), files }),
    }
}
