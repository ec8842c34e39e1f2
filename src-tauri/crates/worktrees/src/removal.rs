//! Worktrees are removed only without a loss, and restored.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::TaskError;
use crate::git::{Git, fields};
use crate::include::{copy_included, digest};
use crate::proof::{Evidence, Proof, proof_of};
use crate::record::{Attempt, AttemptId, AttemptState, KeptRef, Savepoint, Task, TaskId, UndoEntry};
use crate::savepoint::{commit_of, saved_tree};
use crate::status::{Status, has_submodules, operation, submodule_losses};
use crate::{DiffScope, Worktrees, include};

/// The most file names in one reason.
const MAX_NAMES: usize = 5;
/// The most that can be undone of a task.
const MAX_UNDO: usize = 50;

/// What became of an attempt's worktree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Removal {
    /// The attempt.
    pub attempt: u32,
    /// The folder.
    pub folder: PathBuf,
    /// Whether it was removed.
    pub removed: bool,
    /// Why nothing is lost without its branch; `None` when it was saved on a ref first, or stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// Why it was not removed.
    #[serde(default)]
    pub reasons: Vec<String>,
}

/// How an attempt ends without a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Its branch and its folder stay.
    Keep,
    /// Its branch stays; its folder goes if everything is committed.
    KeepBranch,
    /// Both go, if what they hold is proven to be elsewhere.
    Discard,
    /// Both go, after what they hold was saved for undoing.
    DiscardSaved,
    /// The other attempts go, as with `discard`.
    Choose,
    /// The other attempts go, as with `discard_saved`.
    ChooseSaved,
}

/// What was undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UndoOutcome {
    /// What was taken back.
    pub entry: UndoEntry,
    /// The attempt's folder, where it was restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
}

/// When a worktree may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RemovalRule {
    /// When what it holds is proven to be elsewhere.
    Proven,
    /// When everything is committed: its branch stays.
    KeepBranch,
    /// When what it holds could be saved on a ref.
    Saved,
}

/// A worktree as git lists it.
#[derive(Debug, Default)]
struct Listed {
    head: Option<String>,
    branch: Option<String>,
    locked: Option<String>,
}

/// What speaks against a removal.
#[derive(Debug, Default)]
struct Obstacles {
    reasons: Vec<String>,
    /// Whether something of it can't be saved on a ref.
    hard: bool,
}

impl Obstacles {
    fn soft(&mut self, reason: String) {
        self.reasons.push(reason);
    }

    fn hard(&mut self, reason: String) {
        self.reasons.push(reason);
        self.hard = true;
    }
}

impl Worktrees {
    /// Ends an attempt without a merge, or chooses it; gives what became of worktrees.
    pub async fn end(&self, id: &AttemptId, ending: Ending) -> Result<Vec<Removal>, TaskError> {
        Ok(match ending {
            Ending::Keep => vec![self.keep(id, false).await?],
            Ending::KeepBranch => vec![self.keep(id, true).await?],
            Ending::Discard => vec![self.discard(id, false).await?],
            Ending::DiscardSaved => vec![self.discard(id, true).await?],
            Ending::Choose => self.choose(id, false).await?,
            Ending::ChooseSaved => self.choose(id, true).await?,
        })
    }

    /// Ends an attempt and keeps its branch. Its folder stays, too, unless `remove_folder` asks for its removal, which
    /// is refused while anything in it is not committed.
    pub async fn keep(&self, id: &AttemptId, remove_folder: bool) -> Result<Removal, TaskError> {
        let mut locked = self.inner.records.lock(&id.task).await?;
        let attempt = open_attempt(&locked.task, id.attempt)?;
        let (number, folder) = (attempt.number, attempt.folder.clone());
        let removal = match remove_folder {
            true => self.remove(&mut locked.task, number, RemovalRule::KeepBranch).await?,
            false => Removal { attempt: number, folder, removed: false, proof: None, reasons: Vec::new() },
        };
        end(&mut locked.task, number, AttemptState::Kept, removal.removed)?;
        locked.save()?;
        Ok(removal)
    }

    /// Ends an attempt and removes its worktree and branch: when all that it holds is proven to be elsewhere, or, with
    /// `force`, after it was saved on a ref. [`Worktrees::undo`] restores it in both cases.
    pub async fn discard(&self, id: &AttemptId, force: bool) -> Result<Removal, TaskError> {
        let mut locked = self.inner.records.lock(&id.task).await?;
        let attempt = locked.task.attempt(id.attempt)?;
        let number = attempt.number;
        // What was merged or kept may have its folder still.
        if attempt.state == AttemptState::Discarded {
            open_attempt(&locked.task, number)?;
        }
        let rule = if force { RemovalRule::Saved } else { RemovalRule::Proven };
        let removal = self.remove(&mut locked.task, number, rule).await?;
        let is_merged = locked.task.attempt(number)?.state == AttemptState::Merged;
        let state = if is_merged { AttemptState::Merged } else { AttemptState::Discarded };
        end(&mut locked.task, number, state, removal.removed)?;
        locked.save()?;
        Ok(removal)
    }

    /// Chooses an attempt. The others are discarded as [`Worktrees::discard`] does it; one that may not go stays open,
    /// with the reasons.
    pub async fn choose(&self, id: &AttemptId, force: bool) -> Result<Vec<Removal>, TaskError> {
        let mut locked = self.inner.records.lock(&id.task).await?;
        let chosen = open_attempt(&locked.task, id.attempt)?.number;
        locked.task.chosen = Some(chosen);
        locked.save()?;
        let others: Vec<Attempt> = locked
            .task
            .attempts
            .iter()
            .filter(|attempt| attempt.number != chosen && attempt.state == AttemptState::Open)
            .cloned()
            .collect();
        let rule = if force { RemovalRule::Saved } else { RemovalRule::Proven };
        let mut removals = Vec::new();
        for Attempt { number, folder, .. } in others {
            match self.remove(&mut locked.task, number, rule).await {
                Ok(removal) => {
                    end(&mut locked.task, number, AttemptState::Discarded, removal.removed)?;
                    locked.save()?;
                    removals.push(removal);
                }
                Err(TaskError::WouldLose { reasons, .. }) => {
                    removals.push(Removal { attempt: number, folder, removed: false, proof: None, reasons });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(removals)
    }

    /// Puts files of an attempt back to what they were in `scope`. Their present content is in the save point that is
    /// given, and [`Worktrees::undo`] brings it back.
    pub async fn revert(
        &self,
        id: &AttemptId,
        scope: DiffScope,
        paths: &[String],
    ) -> Result<Savepoint, TaskError> {
        if paths.is_empty() {
            return Err(TaskError::Invalid("name the files to put back".to_owned()));
        }
        let mut locked = self.inner.records.lock(&id.task).await?;
        let attempt = open_attempt(&locked.task, id.attempt)?.clone();
        let git = self.git_in(&attempt)?;
        let head = git.text(&["rev-parse", "--verify", "HEAD"]).await?;
        let from = self.scope_start(&locked.task, &attempt, scope, &git, &head).await?;
        let changed = self.diff_of(&locked.task, &attempt, scope, &[], false).await?;
        // The earlier name of a renamed file comes back with it.
        let mut all = Vec::new();
        for path in paths {
            let Some(file) = changed.files.iter().find(|file| file.path == *path) else {
                return Err(TaskError::Missing(format!("{path} was not changed")));
            };
            all.extend(file.old_path.iter().chain([&file.path]).cloned());
        }
        let savepoint = self.save_in(&mut locked.task, attempt.number, "before files were put back").await?;
        locked.save()?;
        restore_paths(&git, &from, &all).await?;
        let entry = UndoEntry::Reverted { attempt: attempt.number, savepoint: savepoint.number, paths: all };
        remember(&mut locked.task, entry);
        locked.save()?;
        Ok(savepoint)
    }

    /// Takes back the last end of an attempt, or the last files that were put back.
    pub async fn undo(&self, id: &TaskId) -> Result<UndoOutcome, TaskError> {
        let mut locked = self.inner.records.lock(id).await?;
        let Some(entry) = locked.task.undo.last().cloned() else {
            return Err(TaskError::NoUndo(format!("nothing of task {id} was ended or put back")));
        };
        let mut outcome = UndoOutcome { entry: entry.clone(), folder: None };
        match &entry {
            UndoEntry::Reverted { attempt, savepoint, paths } => {
                let found = locked.task.attempt(*attempt)?.clone();
                let git = self.git_in(&found)?;
                let saved = found.savepoints.iter().find(|saved| saved.number == *savepoint);
                let saved = saved.ok_or_else(|| TaskError::NoUndo("its save point is gone".to_owned()))?;
                // What was written since is not lost either.
                self.save_in(&mut locked.task, *attempt, "before files were brought back").await?;
                locked.save()?;
                restore_paths(&git, &saved.commit, paths).await?;
            }
            UndoEntry::Ended { attempt, state, removed } => {
                if *state == AttemptState::Merged {
                    self.unmerge(&mut locked.task, *attempt).await?;
                    locked.save()?;
                }
                if *removed {
                    outcome.folder = Some(self.restore(&mut locked.task, *attempt).await?);
                }
                locked.task.attempt_mut(*attempt)?.state = AttemptState::Open;
                if locked.task.chosen.is_some_and(|chosen| chosen != *attempt) {
                    locked.task.chosen = None;
                }
            }
        }
        locked.task.undo.pop();
        locked.save()?;
        Ok(outcome)
    }

    /// Deletes the record of a task whose worktrees are gone, with its save points and what was kept for undoing.
    pub async fn forget(&self, id: &TaskId) -> Result<(), TaskError> {
        let locked = self.inner.records.lock(id).await?;
        if let Some(attempt) = locked.task.attempts.iter().find(|attempt| attempt.folder.exists()) {
            let reasons = vec!["its worktree is still there: discard it first".to_owned()];
            return Err(TaskError::WouldLose { folder: attempt.folder.clone(), reasons, can_force: false });
        }
        if locked.task.common.is_dir() {
            let git = self.git_of(&locked.task)?;
            let below = format!("refs/agentnative/{id}");
            let names = git.text(&["for-each-ref", "--format=delete %(refname)", &below]).await?;
            git.bytes_of(&["update-ref", "--stdin"], format!("{names}\n").as_bytes()).await?;
        }
        self.inner.records.delete(locked)
    }

    /// Removes an attempt's worktree under a rule, after what it holds was put on a ref.
    pub(crate) async fn remove(
        &self,
        task: &mut Task,
        number: u32,
        rule: RemovalRule,
    ) -> Result<Removal, TaskError> {
        let attempt = task.attempt(number)?.clone();
        let git = self.git_of(task)?;
        let listed = listed(&git, &attempt.folder).await?;
        let there = attempt.folder.exists();
        let own = format!("refs/heads/{}", attempt.branch);
        let tip = git.commit(&own).await?;
        let mut obstacles = Obstacles::default();
        let mut clean = true;
        let head = match (&listed, there) {
            (None, true) => {
                obstacles
                    .hard("the folder is no worktree of the repository any more: remove it yourself".into());
                None
            }
            (Some(_), true) if !attempt.folder.join(".git").is_file() => {
                obstacles.hard("the folder is no worktree any more: remove it yourself".into());
                None
            }
            (Some(listed), _) => {
                if let Some(reason) = &listed.locked {
                    let because = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
                    obstacles.hard(format!("it is locked{because}: `git worktree unlock` frees it"));
                }
                if there {
                    clean = self.look_inside(&attempt, &mut obstacles).await?;
                }
                listed.head.clone()
            }
            (None, false) => None,
        };
        // A branch that stays holds its commits. What is checked out is on it, on another one, or on none.
        let on_branch = listed.as_ref().and_then(|listed| listed.branch.clone());
        let own_stays =
            rule == RemovalRule::KeepBranch || checked_out_elsewhere(&git, &own, &attempt.folder).await?;
        let mut tips: Vec<String> = tip.iter().filter(|_| !own_stays).cloned().collect();
        tips.extend(head.iter().filter(|_| on_branch.is_none()).cloned());
        tips.dedup();
        let mut proof = None;
        for tip in &tips {
            match proof_of(&git, task, &attempt, tip).await? {
                Evidence::Proven(found) => proof = proof.or(Some(found)),
                Evidence::Missing(reason) => obstacles.soft(reason),
            }
        }
        if obstacles.hard || (!obstacles.reasons.is_empty() && rule != RemovalRule::Saved) {
            return Err(TaskError::WouldLose {
                folder: attempt.folder,
                reasons: obstacles.reasons,
                can_force: !obstacles.hard,
            });
        }
        let kept = match head.or_else(|| tip.clone()) {
            Some(head) => {
                let kept =
                    self.keep_on_ref(task, &attempt, &git, head, on_branch, tip.clone(), clean).await?;
                task.attempt_mut(number)?.kept = Some(kept.clone());
                Some(kept)
            }
            None => None,
        };
        if listed.is_some() {
            let folder = attempt.folder.to_string_lossy().into_owned();
            let submodules = there && has_submodules(&self.git(&attempt.folder)).await?;
            // Without being forced, git looks once more whether anything is not committed.
            match clean && !submodules {
                true => git.text(&["worktree", "remove", &folder]).await?,
                false => git.text(&["worktree", "remove", "--force", &folder]).await?,
            };
        }
        if let (Some(tip), false) = (&tip, own_stays) {
            git.text(&["update-ref", "-d", &own, tip]).await?;
        }
        if let Some(parent) = attempt.folder.parent() {
            // Fails while another attempt lies there, as it should.
            let _ = std::fs::remove_dir(parent);
        }
        let proof = proof.filter(|_| obstacles.reasons.is_empty() && kept.is_some());
        Ok(Removal { attempt: number, folder: attempt.folder, removed: true, proof, reasons: Vec::new() })
    }

    /// What in the worktree speaks against its removal; gives whether everything is committed.
    async fn look_inside(&self, attempt: &Attempt, obstacles: &mut Obstacles) -> Result<bool, TaskError> {
        let git = self.git_in(attempt)?;
        if let Some(operation) = operation(&git).await? {
            obstacles.soft(format!("a {operation} is not finished in it"));
        }
        let status = Status::read(&git).await?;
        if !status.changed.is_empty() {
            obstacles.soft(format!("uncommitted changes in {}", names(&status.changed)));
        }
        if !status.untracked.is_empty() {
            obstacles.soft(format!("untracked files: {}", names(&status.untracked)));
        }
        if !status.nested.is_empty() {
            let named = names(&status.nested);
            obstacles.hard(format!("other repositories lie in it: {named}; move or delete them"));
        }
        for loss in submodule_losses(&git).await? {
            obstacles.hard(format!("the submodule {} {}", loss.path, loss.reason));
        }
        for file in &attempt.included.copied {
            let path = attempt.folder.join(&file.path);
            if path.is_file() && digest(&path).ok().as_ref() != Some(&file.sha256) {
                let path = &file.path;
                obstacles.hard(format!(
                    "{path}, which git ignores, was copied and then changed: save or delete it"
                ));
            }
        }
        Ok(status.is_clean())
    }

    /// Puts what an attempt holds on a ref.
    #[allow(clippy::too_many_arguments)]
    async fn keep_on_ref(
        &self,
        task: &Task,
        attempt: &Attempt,
        git: &Git<'_>,
        head: String,
        branch: Option<String>,
        tip: Option<String>,
        clean: bool,
    ) -> Result<KeptRef, TaskError> {
        let number = attempt.number;
        let uncommitted = match clean {
            true => None,
            false => {
                let inside = self.git_in(attempt)?;
                let tree = saved_tree(&inside).await?;
                Some(
                    commit_of(&inside, &tree, &head, "What was not committed when the worktree was removed")
                        .await?,
                )
            }
        };
        let reference = task.reference(&format!("{number}/kept"));
        git.text(&["update-ref", &reference, uncommitted.as_ref().unwrap_or(&head)]).await?;
        if let Some(tip) = tip.as_ref().filter(|tip| **tip != head) {
            git.text(&["update-ref", &task.reference(&format!("{number}/kept-branch")), tip]).await?;
        }
        Ok(KeptRef { reference, head, branch, tip, uncommitted })
    }

    /// Brings a removed worktree back as it was, except for ignored files.
    async fn restore(&self, task: &mut Task, number: u32) -> Result<PathBuf, TaskError> {
        let attempt = task.attempt(number)?.clone();
        let Some(kept) = attempt.kept.clone() else {
            return Err(TaskError::NoUndo("nothing was kept of it".to_owned()));
        };
        let (folder, git) = (&attempt.folder, self.git_of(task)?);
        if folder.exists() {
            return Err(TaskError::NoUndo(format!("{} is there already", folder.display())));
        }
        let own = format!("refs/heads/{}", attempt.branch);
        if let (Some(tip), None) = (&kept.tip, git.commit(&own).await?) {
            git.text(&["update-ref", &own, tip, ""]).await?;
        }
        if let Some(parent) = folder.parent() {
            std::fs::create_dir_all(parent).map_err(TaskError::file(parent))?;
        }
        let place = folder.to_string_lossy().into_owned();
        let branch = kept.branch.as_deref().filter(|name| !name.is_empty());
        let short = branch.and_then(|name| name.strip_prefix("refs/heads/"));
        let same = match branch {
            Some(name) => git.commit(name).await?.as_ref() == Some(&kept.head),
            None => false,
        };
        let mut arguments = vec!["worktree", "add", "--quiet"];
        match short.filter(|_| same) {
            Some(short) => arguments.extend([&*place, short]),
            None => arguments.extend(["--detach", &*place, &*kept.head]),
        }
        if git.run(&arguments, &[]).await?.code != Some(0) {
            // The branch is checked out elsewhere by now.
            git.text(&["worktree", "add", "--quiet", "--detach", &place, &kept.head]).await?;
        }
        let inside = self.git(folder);
        if let Some(uncommitted) = &kept.uncommitted {
            inside.text(&["read-tree", "-m", "-u", "HEAD", uncommitted]).await?;
            inside.text(&["read-tree", "HEAD"]).await?;
        }
        if task.repository.is_dir() && task.repository != task.common {
            let included = copy_included(&self.git(&task.repository), folder).await?;
            task.attempt_mut(number)?.included = included;
        }
        Ok(attempt.folder)
    }
}

/// Puts paths back to what they are in a commit, on the disk and in the index.
async fn restore_paths(git: &Git<'_>, from: &str, paths: &[String]) -> Result<(), TaskError> {
    for path in paths {
        let Some(place) = include::inside(git.folder(), path) else {
            return Err(TaskError::Invalid(format!("{path:?} is not a path below the repository")));
        };
        let listed = git.bytes(&["ls-tree", "-z", "--full-tree", from, "--", path]).await?;
        if !listed.is_empty() {
            git.text(&["restore", "--source", from, "--staged", "--worktree", "--", path]).await?;
            continue;
        }
        git.text(&["rm", "--cached", "--quiet", "--ignore-unmatch", "--", path]).await?;
        if std::fs::symlink_metadata(&place).is_ok_and(|found| !found.is_dir()) {
            std::fs::remove_file(&place).map_err(TaskError::file(&place))?;
        }
    }
    Ok(())
}

/// Notes that an attempt has ended.
pub(crate) fn end(task: &mut Task, number: u32, state: AttemptState, removed: bool) -> Result<(), TaskError> {
    let attempt = task.attempt_mut(number)?;
    let before = std::mem::replace(&mut attempt.state, state);
    // What was merged or kept before, with its folder, is one end with the removal.
    let last = task.undo.last_mut();
    match last {
        Some(UndoEntry::Ended { attempt, state: ended, removed: gone })
            if *attempt == number && *ended == before && !*gone =>
        {
            (*ended, *gone) = (state, removed);
        }
        _ => remember(task, UndoEntry::Ended { attempt: number, state, removed }),
    }
    Ok(())
}

fn remember(task: &mut Task, entry: UndoEntry) {
    task.undo.push(entry);
    let over = task.undo.len().saturating_sub(MAX_UNDO);
    task.undo.drain(..over);
}

/// The attempt, unless it has ended.
pub(crate) fn open_attempt(task: &Task, number: u32) -> Result<&Attempt, TaskError> {
    let attempt = task.attempt(number)?;
    match attempt.state {
        AttemptState::Open => Ok(attempt),
        state @ (AttemptState::Merged | AttemptState::Kept | AttemptState::Discarded) => {
            Err(TaskError::Ended { task: task.id.to_string(), attempt: attempt.number, state: state.name() })
        }
    }
}

/// Removes a worktree in which nobody has worked yet.
pub(crate) async fn remove_worktree(
    git: &Git<'_>,
    folder: &Path,
    branch: &str,
    base: &str,
) -> Result<(), TaskError> {
    git.text(&["worktree", "remove", "--force", &folder.to_string_lossy()]).await?;
    git.text(&["update-ref", "-d", &format!("refs/heads/{branch}"), base]).await?;
    Ok(())
}

/// Removes what there is of a worktree whose making was cut short, and its branch, which holds nothing of its own.
pub(crate) async fn clear_worktree(
    git: &Git<'_>,
    folder: &Path,
    branch: &str,
    base: &str,
) -> Result<(), TaskError> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(TaskError::file(folder))?;
    }
    if listed(git, folder).await?.is_some_and(|listed| listed.locked.is_some()) {
        git.text(&["worktree", "unlock", &folder.to_string_lossy()]).await?;
    }
    git.text(&["worktree", "prune"]).await?;
    let reference = format!("refs/heads/{branch}");
    if git.ask(&["show-ref", "--verify", "--quiet", "--", &reference]).await?.is_some() {
        git.text(&["update-ref", "-d", &reference, base]).await?;
    }
    Ok(())
}

/// What git knows of a worktree.
async fn listed(git: &Git<'_>, folder: &Path) -> Result<Option<Listed>, TaskError> {
    let all = worktrees(git).await?;
    Ok(all.into_iter().find(|(path, _)| path == folder).map(|(_, listed)| listed))
}

async fn worktrees(git: &Git<'_>) -> Result<Vec<(PathBuf, Listed)>, TaskError> {
    let bytes = git.bytes(&["worktree", "list", "--porcelain", "-z"]).await?;
    let mut all: Vec<(PathBuf, Listed)> = Vec::new();
    for field in fields(&bytes) {
        let (word, rest) = field.split_once(' ').unwrap_or((&field, ""));
        if word == "worktree" {
            all.push((PathBuf::from(rest), Listed::default()));
            continue;
        }
        let Some((_, listed)) = all.last_mut() else { continue };
        match word {
            "HEAD" => listed.head = Some(rest.to_owned()),
            "branch" => listed.branch = Some(rest.to_owned()),
            "locked" => listed.locked = Some(rest.to_owned()),
            _ => {}
        }
    }
    Ok(all)
}

/// The checkout that a branch is checked out in.
pub(crate) async fn checkout_of(git: &Git<'_>, reference: &str) -> Result<Option<PathBuf>, TaskError> {
    let all = worktrees(git).await?;
    let found = all.into_iter().find(|(_, listed)| listed.branch.as_deref() == Some(reference));
    Ok(found.map(|(path, _)| path).filter(|path| path.is_dir()))
}

async fn checked_out_elsewhere(git: &Git<'_>, reference: &str, than: &Path) -> Result<bool, TaskError> {
    let all = worktrees(git).await?;
    Ok(all.iter().any(|(path, listed)| path != than && listed.branch.as_deref() == Some(reference)))
}

/// A few of the names.
fn names(all: &[String]) -> String {
    let shown = all.iter().take(MAX_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(MAX_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
