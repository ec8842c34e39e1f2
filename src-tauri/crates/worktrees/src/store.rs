//! The records of tasks as files.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use support::{Readers, replace_file};

use crate::error::TaskError;
use crate::record::{Task, TaskId};

/// The largest record that is read, in bytes.
const MAX_RECORD_BYTES: u64 = 16 << 20;
/// What people accepted, beside the records.
const APPROVALS: &str = ".approvals.json";

/// All tasks of a data directory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskList {
    /// The tasks, newest first.
    pub tasks: Vec<Task>,
    /// Records that can't be read.
    pub unreadable: Vec<UnreadableTask>,
}

/// A record that can't be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnreadableTask {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub message: String,
}

/// The folder of the records.
#[derive(Debug)]
pub(crate) struct Records {
    folder: PathBuf,
}

/// A record that nobody else changes.
#[derive(Debug)]
pub(crate) struct LockedTask {
    pub(crate) task: Task,
    path: PathBuf,
    _lock: File,
}

impl LockedTask {
    /// Writes the record.
    pub(crate) fn save(&self) -> Result<(), TaskError> {
        let mut bytes = serde_json::to_vec_pretty(&self.task).map_err(|error| record(&self.path, &error))?;
        bytes.push(b'\n');
        replace_file(&self.path, &bytes, Readers::Person).map_err(TaskError::file(&self.path))
    }
}

impl Records {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// All records; files that are no record are named beside them.
    pub(crate) fn list(&self) -> Result<TaskList, TaskError> {
        let mut list = TaskList::default();
        let entries = match std::fs::read_dir(&self.folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(list),
            entries => entries.map_err(TaskError::file(&self.folder))?,
        };
        for entry in entries {
            let path = entry.map_err(TaskError::file(&self.folder))?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let Some(id) = name.strip_suffix(".json").filter(|_| name != APPROVALS) else { continue };
            match TaskId::new(id).and_then(|id| self.load(&id)) {
                Ok(task) => list.tasks.push(task),
                Err(error) => list.unreadable.push(UnreadableTask { path, message: error.to_string() }),
            }
        }
        list.tasks.sort_by(|one, other| (other.created, &other.id).cmp(&(one.created, &one.id)));
        list.unreadable.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(list)
    }

    pub(crate) fn load(&self, id: &TaskId) -> Result<Task, TaskError> {
        let path = self.path(id);
        match std::fs::metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(TaskError::NoTask(id.to_string()));
            }
            Err(error) => return Err(TaskError::File { path, error }),
            Ok(found) if found.len() > MAX_RECORD_BYTES => {
                let message = format!("it is longer than {MAX_RECORD_BYTES} bytes");
                return Err(TaskError::Record { path, message });
            }
            Ok(_) => {}
        }
        let bytes = std::fs::read(&path).map_err(TaskError::file(&path))?;
        let mut task: Task = serde_json::from_slice(&bytes).map_err(|error| record(&path, &error))?;
        // Records of earlier versions name the run of the task alone.
        if let (Some(run), Some(first)) = (&task.origin, task.attempts.first_mut())
            && first.runs.is_empty()
        {
            first.runs.push(run.clone());
        }
        Ok(task)
    }

    /// A record with its lock, for as long as the result lives.
    pub(crate) async fn lock(&self, id: &TaskId) -> Result<LockedTask, TaskError> {
        self.load(id)?;
        let lock = self.lock_file(id).await?;
        Ok(LockedTask { task: self.load(id)?, path: self.path(id), _lock: lock })
    }

    /// The lock of a new record with this id, unless there is one already.
    pub(crate) async fn claim(&self, id: &TaskId) -> Result<Option<File>, TaskError> {
        std::fs::create_dir_all(&self.folder).map_err(TaskError::file(&self.folder))?;
        if self.path(id).exists() {
            return Ok(None);
        }
        let lock = self.lock_file(id).await?;
        Ok((!self.path(id).exists()).then_some(lock))
    }

    /// A new record, not yet written.
    pub(crate) fn begin(&self, task: Task, lock: File) -> LockedTask {
        LockedTask { path: self.path(&task.id), task, _lock: lock }
    }

    /// Deletes a record.
    pub(crate) fn delete(&self, locked: LockedTask) -> Result<(), TaskError> {
        std::fs::remove_file(&locked.path).map_err(TaskError::file(&locked.path))?;
        let _ = std::fs::remove_file(locked.path.with_extension("lock"));
        Ok(())
    }

    /// Digests of commands that were accepted, by repository.
    pub(crate) fn approvals(&self) -> Result<std::collections::BTreeMap<PathBuf, Vec<String>>, TaskError> {
        let path = self.folder.join(APPROVALS);
        match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Default::default()),
            Err(error) => Err(TaskError::File { path, error }),
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| record(&path, &error)),
        }
    }

    /// Remembers that commands were accepted.
    pub(crate) async fn approve(&self, repository: &Path, digest: &str) -> Result<(), TaskError> {
        std::fs::create_dir_all(&self.folder).map_err(TaskError::file(&self.folder))?;
        let _lock = lock_at(self.folder.join(".approvals.lock")).await?;
        let mut all = self.approvals()?;
        let digests = all.entry(repository.to_owned()).or_default();
        if digests.iter().any(|known| known == digest) {
            return Ok(());
        }
        digests.push(digest.to_owned());
        let path = self.folder.join(APPROVALS);
        let bytes = serde_json::to_vec_pretty(&all).map_err(|error| record(&path, &error))?;
        replace_file(&path, &bytes, Readers::Person).map_err(TaskError::file(&path))
    }

    async fn lock_file(&self, id: &TaskId) -> Result<File, TaskError> {
        lock_at(self.folder.join(format!("{id}.lock"))).await
    }

    fn path(&self, id: &TaskId) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }
}

async fn lock_at(path: PathBuf) -> Result<File, TaskError> {
    let open = {
        let path = path.clone();
        move || {
            let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
            file.lock()?;
            Ok(file)
        }
    };
    let opened =
        tokio::task::spawn_blocking(open).await.unwrap_or_else(|error| Err(std::io::Error::other(error)));
    opened.map_err(TaskError::file(path))
}

fn record(path: &Path, error: &serde_json::Error) -> TaskError {
    TaskError::Record { path: path.to_owned(), message: error.to_string() }
}
