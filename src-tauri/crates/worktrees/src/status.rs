//! What lies in a checkout that is not committed.

use std::path::Path;

use crate::error::TaskError;
use crate::git::{Git, fields};

/// What `git status` says of a checkout.
#[derive(Debug, Default)]
pub(crate) struct Status {
    /// Tracked files that differ from the commit, in the index or on the disk; with renames' earlier names.
    pub(crate) changed: Vec<String>,
    /// Untracked files that are not ignored.
    pub(crate) untracked: Vec<String>,
    /// Untracked folders that are repositories of their own.
    pub(crate) nested: Vec<String>,
}

impl Status {
    /// Reads it. Submodules count as changed when anything in them is.
    pub(crate) async fn read(git: &Git<'_>) -> Result<Self, TaskError> {
        let arguments = [
            "status",
            "--porcelain=v2",
            "-z",
            "--untracked-files=all",
            "--ignore-submodules=none",
            "--no-renames",
        ];
        let bytes = git.bytes(&arguments).await?;
        let mut status = Self::default();
        for entry in fields(&bytes) {
            let (kind, rest) = entry.split_at_checked(2).unwrap_or_default();
            // Before the path: 7 further fields of a changed entry, 9 of an unmerged one.
            let path =
                |skipped: usize| rest.splitn(skipped + 1, ' ').nth(skipped).unwrap_or_default().to_owned();
            match kind {
                "1 " => status.changed.push(path(7)),
                "u " => status.changed.push(path(9)),
                "? " if rest.ends_with('/') => status.nested.push(rest.trim_end_matches('/').to_owned()),
                "? " => status.untracked.push(rest.to_owned()),
                _ => {}
            }
        }
        Ok(status)
    }

    /// Whether everything is committed.
    pub(crate) fn is_clean(&self) -> bool {
        self.changed.is_empty() && self.untracked.is_empty() && self.nested.is_empty()
    }
}

/// Untracked folders that are repositories of their own.
pub(crate) async fn nested_repositories(git: &Git<'_>) -> Result<Vec<String>, TaskError> {
    let listed = git.bytes(&["ls-files", "-z", "--others", "--exclude-standard"]).await?;
    let folders = fields(&listed).filter(|path| path.ends_with('/'));
    Ok(folders.map(|path| path.trim_end_matches('/').to_owned()).collect())
}

/// The operation of git that waits in a checkout for its end, in a word.
pub(crate) async fn operation(git: &Git<'_>) -> Result<Option<&'static str>, TaskError> {
    let marks = [
        ("MERGE_HEAD", "merge"),
        ("rebase-merge", "rebase"),
        ("rebase-apply", "rebase"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
        ("BISECT_LOG", "bisect"),
    ];
    let mut arguments = vec!["rev-parse", "--path-format=absolute"];
    arguments.extend(marks.iter().flat_map(|(mark, _)| ["--git-path", mark]));
    let paths = git.text(&arguments).await?;
    let waiting = paths.lines().zip(marks).find(|(path, _)| Path::new(path).exists());
    Ok(waiting.map(|(_, (_, name))| name))
}

/// A submodule that was fetched into a checkout, and why what it holds is nowhere else.
pub(crate) struct SubmoduleLoss {
    pub(crate) path: String,
    pub(crate) reason: &'static str,
}

/// Submodules of a checkout that hold what is nowhere else; submodules of submodules, too.
pub(crate) async fn submodule_losses(git: &Git<'_>) -> Result<Vec<SubmoduleLoss>, TaskError> {
    let mut losses = Vec::new();
    let mut waiting = vec![String::new()];
    while let Some(below) = waiting.pop() {
        let place = |path: &str| git.folder().join(&below).join(path);
        let outer = git.at(git.folder().join(&below));
        for path in submodules(&outer).await? {
            if !is_fetched(&place(&path)) {
                continue;
            }
            let inner = git.at(place(&path));
            let full = Path::new(&below).join(&path).to_string_lossy().into_owned();
            if !Status::read(&inner).await?.is_clean() {
                losses.push(SubmoduleLoss { path: full.clone(), reason: "has uncommitted changes" });
            } else if !inner
                .text(&["rev-list", "--max-count=1", "HEAD", "--branches", "--not", "--remotes"])
                .await?
                .is_empty()
            {
                losses.push(SubmoduleLoss { path: full.clone(), reason: "has commits that were not pushed" });
            } else if inner.commit("refs/stash").await?.is_some() {
                losses.push(SubmoduleLoss { path: full.clone(), reason: "has a stash" });
            }
            waiting.push(full);
        }
    }
    Ok(losses)
}

/// Whether any submodule of a checkout was fetched.
pub(crate) async fn has_submodules(git: &Git<'_>) -> Result<bool, TaskError> {
    Ok(submodules(git).await?.iter().any(|path| is_fetched(&git.folder().join(path))))
}

fn is_fetched(folder: &Path) -> bool {
    folder.join(".git").exists()
}

async fn submodules(git: &Git<'_>) -> Result<Vec<String>, TaskError> {
    let listed = git.bytes(&["ls-files", "-z", "--stage"]).await?;
    let entries = fields(&listed).filter(|entry| entry.starts_with("160000 "));
    Ok(entries.filter_map(|entry| entry.split_once('\t').map(|(_, path)| path.to_owned())).collect())
}
