//! Looking into a backup, checking it, and bringing it back: as a whole, or single sessions.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use domain::{ErrorCode, Problem};
use parking_lot::Mutex;
use protocol::{
    BackupDifference, BackupKind, BackupRestore, BackupRow, BackupSession, BackupView, JobKind, JobState,
    Restored, Scope,
};
use store::{Archive, ArchivedSession, DataDir, Replacement, Store};
use support::{blocking, is_session_id, now_ms};

use crate::backups::{self, BASES, FILES, FOLDERS, REPLACED, VAULT, go_on, stamp};
use crate::copy::CopyRequest;
use crate::manifest::{self, DATABASE, Entry};
use crate::restored_runs::RESTORED;
use crate::{Maintenance, count, failed, files};

/// Sessions of a backup that are looked at, and shown of those that differ.
const MAX_SESSIONS: u32 = 200_000;
const SHOWN: usize = 500;
/// Sessions that are brought back one by one at once.
const AT_ONCE: usize = 100;
/// Where a backup's database is opened to take sessions out of it.
const UNPACKED: &str = "unpacked-";

impl Maintenance {
    /// What restoring a backup would change.
    pub async fn backup_inspect(&self, named: &str) -> Result<BackupView, Problem> {
        let row = self.backup(named).await?;
        let folder = PathBuf::from(&row.path);
        let archive = Archive::open(&folder.join(DATABASE)).await?;
        let then = archive.sessions(MAX_SESSIONS).await;
        archive.close().await;
        let now = self.env.store().session_stamps().await?;
        let (mut view, home) = (compared(row, then?, now), self.env.home.clone());
        blocking(move || {
            let there = names(&folder, true);
            view.vault = there.iter().any(|name| name == VAULT);
            view.replaces =
                there.into_iter().filter(|name| name != VAULT && home.join(name).exists()).collect();
            Ok(view)
        })
        .await
    }

    /// Compares every file of a backup with its digest and checks its database, as a job.
    pub async fn backup_verify(&self, named: String) -> Result<JobState, Problem> {
        let row = self.backup(&named).await?;
        let step = self.env.begin_job(JobKind::Check, format!("backup {}", row.name))?;
        let state = step.state();
        tokio::spawn(async move {
            let step = Arc::new(Mutex::new(Some(step)));
            let ended = verify(row, &step).await;
            let step = step.lock().take();
            if let Some(step) = step {
                match ended {
                    Ok((text, findings)) => step.end(Ok(text), findings, &[]),
                    Err(problem) => step.end(Err(problem), Vec::new(), &[]),
                }
            }
        });
        Ok(state)
    }

    /// Brings a backup back, as a whole or single sessions.
    pub async fn backup_restore(&self, restore: BackupRestore) -> Result<Restored, Problem> {
        if restore.give_up {
            let dir = self.env.store().data_dir().clone();
            let was = blocking(move || dir.give_up_replacement().map_err(Problem::from)).await?;
            let text = if was { "Everything stays as it is." } else { "Nothing was due." };
            return Ok(Restored { text: text.to_owned(), ..Restored::default() });
        }
        let row = self.backup(&restore.backup).await?;
        if restore.sessions.is_empty() {
            self.restore_all(row, restore.vault).await
        } else {
            self.restore_sessions(&row, &restore.sessions).await
        }
    }

    /// Prepares everything; it takes its place when the data directory is opened next.
    async fn restore_all(&self, row: BackupRow, vault: bool) -> Result<Restored, Problem> {
        let dir = self.env.store().data_dir().clone();
        let folder = PathBuf::from(&row.path);
        let archive = Archive::open(&folder.join(DATABASE)).await?;
        let sound = archive.check(|_| true).await;
        archive.close().await;
        sound?;
        let step = self.env.begin_job(JobKind::Restore, "restore".to_owned())?;
        let step = Arc::new(Mutex::new(Some(step)));
        let told = Arc::clone(&step);
        let prepared = blocking(move || {
            prepare(&dir, &row, &folder, vault, &mut |done, total| {
                go_on(&told, "Preparing the backup", done, total)
            })
        })
        .await;
        let step = step.lock().take();
        if let Some(step) = step {
            let ended = prepared.as_ref().map(|restored| restored.text.clone()).map_err(Clone::clone);
            step.end(ended, Vec::new(), &[]);
        }
        prepared
    }

    /// Brings single sessions back beside what is there.
    async fn restore_sessions(&self, row: &BackupRow, sessions: &[String]) -> Result<Restored, Problem> {
        if sessions.len() > AT_ONCE {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                format!("at most {AT_ONCE} sessions are brought back at once"),
            )
            .with_action("restore the whole backup, or fewer at a time"));
        }
        if let Some(bad) = sessions.iter().find(|session| !is_session_id(session)) {
            return Err(Problem::new(ErrorCode::NotFound, format!("the backup has no session {bad:?}")));
        }
        let _turn = self.env.locks.lock(Scope::Sessions).await;
        let unpacked = self.env.home.join(format!("{UNPACKED}{}", std::process::id()));
        let (folder, to) = (PathBuf::from(&row.path), unpacked.clone());
        blocking(move || {
            files::remove(&to)?;
            files::private_folder(&to)?;
            files::copy(&folder.join(DATABASE), &to.join(DATABASE)).map(drop)
        })
        .await?;
        let done = self.take_out(&unpacked, Path::new(&row.path), sessions).await;
        blocking(move || files::remove(&unpacked)).await?;
        done
    }

    async fn take_out(
        &self,
        unpacked: &Path,
        folder: &Path,
        sessions: &[String],
    ) -> Result<Restored, Problem> {
        let dir = DataDir::open(unpacked)?;
        // An older copy is brought up to date first; the backup itself stays as it is.
        let from = Store::open(&dir, "unpacked").await?;
        let mut made = Vec::new();
        let mut failure = None;
        for session in sessions {
            let taken = self.env.store().get_session(session).await?.is_some();
            let new = if taken { self.free_name(session).await? } else { session.clone() };
            let copying = CopyRequest {
                from: &from,
                files: folder.join("sessions").join(session),
                session,
                new: &new,
                renamed: taken,
            };
            match self.copy_session(copying).await {
                Ok(()) => made.push(new),
                Err(problem) => {
                    failure = Some(problem);
                    break;
                }
            }
        }
        from.close().await?;
        match failure {
            Some(problem) if made.is_empty() => Err(problem),
            Some(problem) => Ok(Restored {
                text: format!(
                    "{} of {} are back; then: {problem}",
                    made.len(),
                    count(sessions.len() as u64, "session")
                ),
                sessions: made,
                at_next_start: false,
            }),
            None => Ok(Restored {
                text: match made.len() {
                    1 => "1 session is back".to_owned(),
                    many => format!("{many} sessions are back"),
                },
                sessions: made,
                at_next_start: false,
            }),
        }
    }

    /// A free id for a session of a backup whose own is taken.
    async fn free_name(&self, session: &str) -> Result<String, Problem> {
        let stem: String = session.chars().take(80).collect();
        let mut name = format!("{stem}-restored");
        let mut number = 2;
        while self.env.store().get_session(&name).await?.is_some()
            || self.env.home.join("sessions").join(&name).exists()
        {
            name = format!("{stem}-restored-{number}");
            number += 1;
        }
        Ok(name)
    }
}

/// Names of the data directory that a backup has.
fn names(folder: &Path, vault: bool) -> Vec<String> {
    let mut names = vec![DATABASE.to_owned()];
    let there = |name: &&&str| folder.join(name).exists() && (vault || **name != VAULT);
    names.extend(FOLDERS.iter().chain([&BASES]).chain(&FILES).filter(there).map(|name| (*name).to_owned()));
    names
}

fn prepare(
    dir: &DataDir,
    row: &BackupRow,
    folder: &Path,
    vault: bool,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Restored, Problem> {
    let staging = dir.prepare()?;
    let filled = fill(row, folder, &staging, vault, watch);
    if let Err(problem) = filled {
        dir.give_up_replacement()?;
        return Err(problem);
    }
    // Sessions come back as a whole: without the folder, those of now would stay beside another database.
    files::private_folder(&staging.join("sessions"))?;
    let mark = staging.join(RESTORED);
    std::fs::write(&mark, &row.name).map_err(|error| failed(&mark, &error))?;
    let mut names: Vec<String> = names(&staging, vault);
    names.push(RESTORED.to_owned());
    for name in names.iter().map(|name| staging.join(name)).filter(|path| path.is_dir()) {
        files::sync(&name)?;
    }
    let aside = free_aside(dir.path());
    let note = format!("the backup {}; what is there now goes to {aside}", row.name);
    dir.replace_when_opened(&Replacement { names, aside: aside.clone(), note })?;
    Ok(Restored {
        sessions: Vec::new(),
        at_next_start: true,
        text: format!(
            "The backup of {} takes effect when the program starts next; what is there until then is kept in {aside}.",
            row.name
        ),
    })
}

fn fill(
    row: &BackupRow,
    folder: &Path,
    staging: &Path,
    vault: bool,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<(), Problem> {
    if row.kind == BackupKind::Replaced {
        for name in names(folder, vault) {
            let (from, to) = (folder.join(&name), staging.join(&name));
            if from.is_dir() {
                files::private_folder(&to)?;
                files::copy_folder(&from, &to)?;
            } else {
                files::copy(&from, &to)?;
            }
        }
        return Ok(());
    }
    let entries = manifest::entries(folder, &manifest::about(folder)?)?;
    let wanted = |entry: &&Entry| {
        let top = entry.path.split('/').next().unwrap_or_default();
        let known = top == DATABASE || top == BASES || FOLDERS.contains(&top) || FILES.contains(&top);
        known && (vault || top != VAULT)
    };
    let wanted: Vec<&Entry> = entries.iter().filter(wanted).collect();
    let total = wanted.len() as u64;
    files::unpack(folder, &wanted, staging, &mut |done| watch(done, total))
}

/// Brings a backup back where the database can't be opened any more: at once, as nobody has it. Gives what was done, in words.
///
/// # Errors
/// When the data directory is in use, or the backup is not sound.
pub async fn restore_closed(home: &Path, named: &str, vault: bool) -> Result<String, Problem> {
    let row = backups::of_closed(home, named)?;
    let folder = PathBuf::from(&row.path);
    let archive = Archive::open(&folder.join(DATABASE)).await?;
    let sound = archive.check(|_| true).await;
    archive.close().await;
    sound?;
    let dir = DataDir::open(home)?;
    prepare(&dir, &row, &folder, vault, &mut |_, _| true)?;
    drop(dir);
    // What is due takes its place.
    DataDir::open(home)?;
    Ok(format!(
        "The backup of {} is back; the database that could not be opened is kept in backups.",
        row.name
    ))
}

/// A place for what is replaced that nothing has.
fn free_aside(home: &Path) -> String {
    let stamp = stamp(now_ms());
    let mut name = format!("backups/{REPLACED}{stamp}");
    let mut number = 2;
    while home.join(&name).exists() {
        name = format!("backups/{REPLACED}{stamp}-{number}");
        number += 1;
    }
    name
}

async fn verify(
    row: BackupRow,
    step: &Arc<Mutex<Option<environment::Step>>>,
) -> Result<(String, Vec<String>), Problem> {
    let folder = PathBuf::from(&row.path);
    let mut findings = Vec::new();
    match Archive::open(&folder.join(DATABASE)).await {
        Ok(archive) => {
            let told = Arc::clone(step);
            let total = row.bytes.max(1);
            let checked = archive
                .check(move |done| go_on(&told, "Checking the database", done.min(total), total))
                .await;
            archive.close().await;
            if let Err(error) = checked {
                findings.push(format!("the database: {error}"));
            }
        }
        Err(error) => findings.push(format!("the database: {error}")),
    }
    if row.kind == BackupKind::Replaced {
        let text = if findings.is_empty() { "The database is sound" } else { "The database is damaged" };
        return Ok((text.to_owned(), findings));
    }
    let told = Arc::clone(step);
    blocking(move || {
        let entries = manifest::entries(&folder, &manifest::about(&folder)?)?;
        let total = entries.len() as u64;
        for (number, entry) in entries.iter().enumerate() {
            if !go_on(&told, "Comparing files", number as u64, total) {
                return Err(crate::stopped());
            }
            let place = manifest::place(&folder, entry);
            match files::digest(&place) {
                Ok(found) if found == (entry.bytes, entry.sha256) => {}
                Ok(_) => findings.push(format!("{} was changed", entry.path)),
                Err(problem) => findings.push(problem.message),
            }
        }
        let text = match findings.len() {
            0 => format!("Sound: {} as they were", count(total, "file")),
            number => format!("{} of {} are damaged", number, count(total, "file")),
        };
        Ok((text, findings))
    })
    .await
}

fn compared(row: BackupRow, then: Vec<ArchivedSession>, now: Vec<ArchivedSession>) -> BackupView {
    let mut present: HashMap<String, ArchivedSession> =
        now.into_iter().map(|session| (session.id.clone(), session)).collect();
    let mut view = BackupView {
        row,
        differing: Vec::new(),
        same: 0,
        newer: 0,
        gone: 0,
        added: 0,
        replaces: Vec::new(),
        vault: false,
    };
    for session in then {
        let at_present = present.remove(&session.id);
        let (difference, runs_now) = match &at_present {
            None => (BackupDifference::Gone, 0),
            Some(present) if (present.updated_at, present.runs) == (session.updated_at, session.runs) => {
                view.same += 1;
                continue;
            }
            Some(present) => (BackupDifference::Newer, present.runs),
        };
        view.differing.push(shown(session, difference, runs_now));
    }
    for session in present.into_values() {
        let runs = session.runs;
        view.differing.push(BackupSession { runs: 0, ..shown(session, BackupDifference::Added, runs) });
    }
    let number = |of: BackupDifference| {
        view.differing.iter().filter(|session| session.difference == of).count() as u64
    };
    (view.gone, view.newer, view.added) =
        (number(BackupDifference::Gone), number(BackupDifference::Newer), number(BackupDifference::Added));
    let order = |session: &BackupSession| {
        let place = match session.difference {
            BackupDifference::Gone => 0,
            BackupDifference::Newer => 1,
            BackupDifference::Added | BackupDifference::Same => 2,
        };
        (place, std::cmp::Reverse(session.updated_at))
    };
    view.differing.sort_by_key(order);
    view.differing.truncate(SHOWN);
    view
}

fn shown(session: ArchivedSession, difference: BackupDifference, runs_now: u32) -> BackupSession {
    BackupSession {
        session: session.id,
        title: session.title,
        difference,
        updated_at: session.updated_at,
        runs: session.runs,
        runs_now,
    }
}

/// Removes what was left when sessions were taken out of a backup and the program was killed.
pub fn sweep(home: &Path) -> Result<(), Problem> {
    for entry in std::fs::read_dir(home).map_err(|error| failed(home, &error))?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNPACKED) {
            files::remove(&entry.path())?;
        }
    }
    Ok(())
}
