//! Tasks and attempts begin: base pinned, worktree added, files copied, set-up run.

use std::fs::File;
use std::path::{Path, PathBuf};

use support::now_ms;

use crate::checks::declared;
use crate::error::TaskError;
use crate::git::{Git, failed};
use crate::include::copy_included;
use crate::record::{Attempt, AttemptId, AttemptState, MAX_ATTEMPTS, Task, TaskCreate, TaskId, TaskRun};
use crate::store::LockedTask;
use crate::{Worktrees, removal};

/// The most names tried for a task whose title was used before.
const MAX_NAMES: u32 = 1_000;
/// The longest title, in bytes.
const MAX_TITLE_BYTES: usize = 300;
/// The longest label of an attempt, in bytes.
const MAX_LABEL_BYTES: usize = 100;
/// What every branch of a task begins with.
const BRANCHES: &str = "agentnative";

/// Where a repository lies.
#[derive(Debug)]
pub(crate) struct RepositoryFolders {
    /// The checkout's top folder, or the bare repository.
    pub(crate) top: PathBuf,
    /// The folder that all worktrees share.
    pub(crate) common: PathBuf,
}

impl Worktrees {
    /// Git in any folder.
    pub(crate) fn git(&self, folder: &Path) -> Git<'_> {
        Git::new(&self.inner.runner, folder)
    }

    /// Git in the repository of a task, wherever its worktrees are.
    pub(crate) fn git_of(&self, task: &Task) -> Result<Git<'_>, TaskError> {
        if !task.common.is_dir() {
            return Err(TaskError::NoFolder(task.common.clone()));
        }
        Ok(self.git(&task.common))
    }

    /// Git in the worktree of an attempt.
    pub(crate) fn git_in(&self, attempt: &Attempt) -> Result<Git<'_>, TaskError> {
        // A folder that was made anew by hand may lie in somebody else's repository.
        if !attempt.folder.join(".git").is_file() {
            return Err(TaskError::NoFolder(attempt.folder.clone()));
        }
        Ok(self.git(&attempt.folder))
    }

    /// The repository that a folder belongs to.
    pub(crate) async fn place(&self, folder: &Path) -> Result<RepositoryFolders, TaskError> {
        let folder = folder.canonicalize().map_err(TaskError::file(folder))?;
        let git = self.git(&folder);
        let arguments = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
        let found = git.run(&arguments, &[]).await?;
        if found.code != Some(0) {
            let said = String::from_utf8_lossy(&found.errors);
            // Anything else, such as a repository of somebody else, is said in git's own words.
            return Err(match said.contains("not a git repository") {
                true => TaskError::NoRepository(folder),
                false => failed(&arguments, &found),
            });
        }
        let common = PathBuf::from(String::from_utf8_lossy(&found.output).trim_end_matches('\n'));
        let top = git.ask(&["rev-parse", "--path-format=absolute", "--show-toplevel"]).await?;
        Ok(RepositoryFolders { top: top.map_or_else(|| common.clone(), PathBuf::from), common })
    }

    /// Begins a task: pins the base, and makes its attempts' worktrees ready. The set-up is run where the person has
    /// accepted the project's commands; otherwise its result stays open, and [`Worktrees::set_up`] runs it later.
    pub async fn create(&self, wanted: TaskCreate) -> Result<Task, TaskError> {
        let title = wanted.title.trim();
        if title.is_empty() || title.len() > MAX_TITLE_BYTES {
            return Err(TaskError::Invalid(format!("a title has 1 to {MAX_TITLE_BYTES} bytes")));
        }
        let count = wanted.attempts.max(1);
        if count > MAX_ATTEMPTS {
            return Err(TaskError::Invalid(format!("{count} attempts; at most {MAX_ATTEMPTS}")));
        }
        let place = self.place(&wanted.repository).await?;
        let git = self.git(&place.top);
        git.named_programs().await?.refuse_used(&git).await?;
        let current = git.ask(&["symbolic-ref", "--quiet", "--short", "HEAD"]).await?;
        let base = wanted.base.clone().or_else(|| current.clone()).unwrap_or_else(|| "HEAD".to_owned());
        let commit = git.commit(&base).await?.ok_or_else(|| TaskError::NoRevision(base.clone()))?;
        let target = target(&git, wanted.target.as_deref(), &base, current).await?;
        let commands = match wanted.commands {
            Some(commands) => {
                commands.validate("the commands given")?;
                self.inner.records.approve(&place.common, &commands.digest()).await?;
                commands
            }
            None => declared(&git, &commit).await?,
        };
        let (id, lock) = self.new_id(&git, &TaskId::of_title(title)).await?;
        let task = Task {
            id,
            title: title.to_owned(),
            workspace: wanted.workspace.clone(),
            description: wanted.description.trim().to_owned(),
            repository: place.top,
            common: place.common,
            base,
            base_commit: commit,
            target,
            created: now_ms(),
            commands,
            origin: wanted.origin,
            attempts: Vec::new(),
            chosen: None,
            undo: Vec::new(),
        };
        let mut locked = self.inner.records.begin(task, lock);
        // Written first: whatever is made from now on has a record that names it.
        locked.save()?;
        for index in 0..count as usize {
            let label = wanted.labels.get(index).map_or("", String::as_str);
            let run = locked.task.origin.clone();
            if let Err(error) = self.begin_attempt(&mut locked, label, run).await {
                if locked.task.attempts.is_empty() {
                    self.inner.records.delete(locked)?;
                }
                return Err(error);
            }
        }
        let (id, attempts) = (locked.task.id.clone(), locked.task.attempts.clone());
        drop(locked);
        self.prepare(&id, &attempts, wanted.no_setup).await
    }

    /// An id that no record, folder or branch has, made of `wanted`, with the lock of its record.
    async fn new_id(&self, git: &Git<'_>, wanted: &TaskId) -> Result<(TaskId, File), TaskError> {
        for number in 1..=MAX_NAMES {
            let id = if number == 1 { wanted.clone() } else { wanted.numbered(number) };
            if self.inner.folders.join(id.as_str()).exists() || branch_exists(git, id.as_str()).await? {
                continue;
            }
            if let Some(lock) = self.inner.records.claim(&id).await? {
                return Ok((id, lock));
            }
        }
        Err(TaskError::Invalid(format!("there are {MAX_NAMES} tasks named {wanted}: give it another title")))
    }

    /// Begins another attempt at a task, from the same base, for a run where one works on it.
    pub async fn add_attempt(
        &self,
        id: &TaskId,
        label: &str,
        run: Option<TaskRun>,
        no_setup: bool,
    ) -> Result<Task, TaskError> {
        let mut locked = self.inner.records.lock(id).await?;
        let attempt = self.begin_attempt(&mut locked, label, run).await?;
        drop(locked);
        self.prepare(id, &[attempt], no_setup).await
    }

    /// Runs the set-up in new attempts, if it is wanted, declared and accepted.
    async fn prepare(&self, id: &TaskId, attempts: &[Attempt], no_setup: bool) -> Result<Task, TaskError> {
        let task = self.task(id)?;
        if no_setup || task.commands.setup.is_none() || !self.approved(&task.common, &task.commands)? {
            return Ok(task);
        }
        for attempt in attempts {
            self.set_up(&AttemptId { task: id.clone(), attempt: attempt.number }).await?;
        }
        self.task(id)
    }

    async fn begin_attempt(
        &self,
        locked: &mut LockedTask,
        label: &str,
        run: Option<TaskRun>,
    ) -> Result<Attempt, TaskError> {
        let task = &locked.task;
        let number = task.attempts.last().map_or(0, |last| last.number) + 1;
        if number > MAX_ATTEMPTS {
            return Err(TaskError::Invalid(format!("a task has at most {MAX_ATTEMPTS} attempts")));
        }
        let folder = self.inner.folders.join(task.id.as_str()).join(number.to_string());
        let branch = match number {
            1 => format!("{BRANCHES}/{}", task.id),
            _ => format!("{BRANCHES}/{}.{number}", task.id),
        };
        if let Some(parent) = folder.parent() {
            std::fs::create_dir_all(parent).map_err(TaskError::file(parent))?;
        }
        // Both parts are given as they will be found again, whatever links lead there.
        let parent = folder.parent().unwrap_or(&folder);
        let folder = parent.canonicalize().map_err(TaskError::file(parent))?.join(number.to_string());
        // Recorded first: whatever ends this here, the record names what was made.
        locked.task.attempts.push(Attempt {
            number,
            label: support::clipped(label.trim(), MAX_LABEL_BYTES),
            branch,
            folder,
            state: AttemptState::Open,
            unfinished: true,
            runs: run.into_iter().collect(),
            included: Default::default(),
            setup: None,
            savepoints: Vec::new(),
            checks: Vec::new(),
            comments: Vec::new(),
            kept: None,
            merged: None,
        });
        locked.save()?;
        self.make_worktree(locked, number).await
    }

    /// Makes the worktree of an attempt that is recorded as unfinished. If it can't be made, its record goes again.
    async fn make_worktree(&self, locked: &mut LockedTask, number: u32) -> Result<Attempt, TaskError> {
        let attempt = locked.task.attempt(number)?;
        let (branch, folder, base) = (&attempt.branch, &attempt.folder, &locked.task.base_commit);
        let git = self.git_of(&locked.task)?;
        let place = folder.to_string_lossy();
        let add = ["worktree", "add", "--quiet", "--no-track", "-b", branch.as_str(), &*place, base.as_str()];
        let made = match git.text(&add).await {
            Ok(_) if locked.task.repository == locked.task.common => Ok(Default::default()),
            Ok(_) => match copy_included(&self.git(&locked.task.repository), folder).await {
                Ok(included) => Ok(included),
                Err(error) => {
                    // Nobody has worked in it yet.
                    removal::remove_worktree(&git, folder, branch, base).await?;
                    Err(error)
                }
            },
            Err(error) => Err(error),
        };
        match made {
            Ok(included) => {
                let attempt = locked.task.attempt_mut(number)?;
                (attempt.included, attempt.unfinished) = (included, false);
                let attempt = attempt.clone();
                locked.save()?;
                Ok(attempt)
            }
            Err(error) => {
                locked.task.attempts.retain(|attempt| attempt.number != number);
                locked.save()?;
                Err(error)
            }
        }
    }

    /// Makes the rest of what a program began to make of an attempt before it was ended: the worktree, and the set-up in it.
    pub async fn finish(&self, id: &AttemptId) -> Result<Task, TaskError> {
        let mut locked = self.inner.records.lock(&id.task).await?;
        let mut attempt = locked.task.attempt(id.attempt)?.clone();
        if attempt.unfinished {
            let git = self.git_of(&locked.task)?;
            let base = &locked.task.base_commit;
            removal::clear_worktree(&git, &attempt.folder, &attempt.branch, base).await?;
            attempt = self.make_worktree(&mut locked, attempt.number).await?;
        }
        drop(locked);
        if attempt.setup.is_some() {
            return self.task(&id.task);
        }
        self.prepare(&id.task, &[attempt], false).await
    }
}

async fn branch_exists(git: &Git<'_>, id: &str) -> Result<bool, TaskError> {
    let pattern = format!("refs/heads/{BRANCHES}/{id}");
    let own = format!("refs/agentnative/{id}");
    let found = git.text(&["for-each-ref", "--count=1", "--format=%(refname)", &pattern, &own]).await?;
    Ok(!found.is_empty())
}

/// The branch that a task is to be merged into.
async fn target(
    git: &Git<'_>,
    wanted: Option<&str>,
    base: &str,
    current: Option<String>,
) -> Result<Option<String>, TaskError> {
    if let Some(name) = wanted {
        return match is_branch(git, name).await? {
            true => Ok(Some(name.to_owned())),
            false => Err(TaskError::Invalid(format!("the repository has no branch {name:?} to merge into"))),
        };
    }
    if is_branch(git, base).await? { Ok(Some(base.to_owned())) } else { Ok(current) }
}

async fn is_branch(git: &Git<'_>, name: &str) -> Result<bool, TaskError> {
    let reference = format!("refs/heads/{name}");
    Ok(git.ask(&["show-ref", "--verify", "--quiet", "--", &reference]).await?.is_some())
}
