//! Locks of documents: who reviewed which version. They stand in a file of the session's folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use domain::{ErrorCode, Problem, RunId};
use protocol::{DocumentLock, RunCheck, RunRef};
use serde::{Deserialize, Serialize};
use store::BlobHash;
use support::{Readers, blocking, now_ms, replace_file, unknown_session};

use crate::Conversations;

/// The file in the session's folder.
const FILE: &str = "locks.json";
/// The longest name of a reviewer and the longest remark, in characters.
const MAX_REVIEWER: usize = 120;
const MAX_NOTE: usize = 2_000;

/// The locks of a session's documents, by run, the oldest first.
#[derive(Debug, Default, Serialize, Deserialize)]
struct LockFile {
    #[serde(default)]
    runs: BTreeMap<String, Vec<DocumentLock>>,
}

impl Conversations {
    /// Locks the document of a finished run.
    pub async fn run_lock(
        &self,
        run: &RunRef,
        reviewer: &str,
        note: Option<String>,
    ) -> Result<RunCheck, Problem> {
        let reviewer = line(reviewer, "the reviewer's name", MAX_REVIEWER)?.ok_or_else(|| {
            Problem::new(ErrorCode::InvalidInput, "a lock needs the name of who reviewed it")
        })?;
        let note = note.map(|note| line(&note, "the remark", MAX_NOTE)).transpose()?.flatten();
        let run = self.find_for(run, "a document of its own").await?;
        let check = self.checked(run.clone()).await?;
        if let Some(lock) = check.lock.filter(|lock| check.reopened.is_empty() && !lock.differs) {
            let what = format!("version {} is locked by {} already", lock.version, lock.reviewer);
            return Err(Problem::new(ErrorCode::Conflict, what).with_action("unlock it first"));
        }
        let sha256 = self.digest(&run).await?;
        let stale = check.citations.iter().filter(|one| !one.holds);
        let accepted = stale.map(|one| one.n).collect::<std::collections::BTreeSet<u32>>();
        let path = self.lock_file(&run).await?;
        let key = run.0.clone();
        blocking(move || {
            let mut file = read(&path)?;
            let locks = file.runs.entry(key).or_default();
            let version = locks.last().map_or(0, |lock| lock.version) + 1;
            let accepted = accepted.into_iter().collect();
            let at = now_ms();
            locks.push(DocumentLock {
                version,
                reviewer,
                note,
                at,
                sha256,
                differs: false,
                accepted,
                removed: None,
            });
            write(&path, &file)
        })
        .await?;
        self.checked(run).await
    }

    /// Takes the newest lock of a document back.
    pub async fn run_unlock(&self, run: &RunRef) -> Result<RunCheck, Problem> {
        let run = self.find_for(run, "a document of its own").await?;
        let path = self.lock_file(&run).await?;
        let key = run.0.clone();
        blocking(move || {
            let mut file = read(&path)?;
            let lock = file.runs.get_mut(&key).and_then(|locks| locks.last_mut());
            let Some(lock) = lock.filter(|lock| lock.removed.is_none()) else {
                return Err(Problem::new(ErrorCode::NotFound, "the document is not locked"));
            };
            lock.removed = Some(now_ms());
            write(&path, &file)
        })
        .await?;
        self.checked(run).await
    }

    /// The newest lock of a document, unless it was taken back.
    pub(crate) async fn lock_of(&self, run: &RunId) -> Result<Option<DocumentLock>, Problem> {
        let path = self.lock_file(run).await?;
        let key = run.0.clone();
        let newest =
            blocking(move || Ok(read(&path)?.runs.remove(&key).and_then(|mut locks| locks.pop()))).await?;
        let Some(mut lock) = newest.filter(|lock| lock.removed.is_none()) else { return Ok(None) };
        lock.differs = self.digest(run).await? != lock.sha256;
        Ok(Some(lock))
    }

    /// SHA-256 of the text of a run's document.
    async fn digest(&self, run: &RunId) -> Result<String, Problem> {
        let engine = &self.env.engine;
        let text = match engine.main_text(engine.load(run).await?).await? {
            Some(text) => text,
            None => {
                let written = engine.document(engine.load(run).await?).await?;
                written.map(|written| written.markdown).ok_or_else(|| {
                    Problem::new(ErrorCode::NotFound, format!("run {run} has no document yet"))
                })?
            }
        };
        Ok(BlobHash::of(text.as_bytes()).to_string())
    }

    async fn lock_file(&self, run: &RunId) -> Result<PathBuf, Problem> {
        let session = self.env.store().get_run(&run.0).await?.session;
        let folder = self.env.session_folder(&session).ok_or_else(|| unknown_session(&session))?;
        Ok(folder.join(FILE))
    }
}

/// Words on one line, `None` where there are none.
fn line(text: &str, what: &str, most: usize) -> Result<Option<String>, Problem> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() > most {
        let what = format!("{what} has more than {most} characters");
        return Err(Problem::new(ErrorCode::InvalidInput, what).with_action("write it shorter"));
    }
    if text.chars().any(char::is_control) {
        return Err(Problem::new(ErrorCode::InvalidInput, format!("{what} has control characters")));
    }
    Ok(Some(text).filter(|text| !text.is_empty()))
}

fn read(path: &Path) -> Result<LockFile, Problem> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(LockFile::default()),
        Err(error) => return Err(storage(path, &error)),
    };
    serde_json::from_slice(&text).map_err(|error| {
        Problem::new(ErrorCode::InvalidConfig, format!("{}: {error}", path.display())).with_action(
            "restore the file from a backup, or remove it: then no document of the session is locked",
        )
    })
}

fn write(path: &Path, file: &LockFile) -> Result<(), Problem> {
    let text = serde_json::to_vec_pretty(file)
        .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| storage(path, &error))?;
    }
    replace_file(path, &text, Readers::Person).map_err(|error| storage(path, &error))
}

fn storage(path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(ErrorCode::Storage, format!("{}: {error}", path.display()))
        .with_action("free space or correct the permissions, then try again")
}
