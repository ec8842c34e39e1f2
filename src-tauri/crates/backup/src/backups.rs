//! Making backups, listing them, and making them when they are due.
//!
//! A backup is a folder: a checked copy of the database, the files that belong to it, and digests of all. It is made under
//! a name that begins with a dot and renamed when it is whole, so what is listed is complete.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::{ErrorCode, Problem};
use environment::Step;
use parking_lot::Mutex;
use protocol::{
    BackupEvery, BackupKind, BackupList, BackupNow, BackupRow, BackupSettings, JobKind, JobState, JobStatus,
    Tag,
};
use store::Archive;
use support::{blocking, now_ms};
use tokio::task::JoinHandle;

use crate::files::{self, CopiedFiles, PreviousBackup};
use crate::manifest::{self, Counts, DATABASE, Entry};
use crate::{Maintenance, count, failed, size};

/// Folders and files of the data directory that go into a backup besides the database.
pub const FOLDERS: [&str; 4] = ["sessions", "workspaces", "rules", "themes"];
pub const FILES: [&str; 3] = ["settings.json", "connections.json", VAULT];
/// The folder of knowledge bases, which goes into backups that ask for it.
pub const BASES: &str = "knowledge";
/// The vault, encrypted as it is.
pub const VAULT: &str = "credentials.enc";
/// What was there before a backup was restored.
pub const REPLACED: &str = "replaced-";
/// A backup that is being made.
const PART: &str = ".part-";
/// How often it is looked whether a backup is due.
const POLL_INTERVAL: Duration = Duration::from_secs(15 * 60);
const FIRST_GLANCE: Duration = Duration::from_secs(60);
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// A time further ahead than this was written by a clock that has been put back since.
const PUT_BACK_MS: i64 = 5 * 60 * 1_000;
/// The most backups that are listed.
const MAX_BACKUPS: usize = 1_000;

impl Maintenance {
    /// Begins to make a backup.
    pub async fn backup_now(&self, now: BackupNow) -> Result<JobState, Problem> {
        self.begin_backup(BackupKind::Manual, now.folder, now.bases).await
    }

    async fn begin_backup(
        &self,
        kind: BackupKind,
        folder: Option<String>,
        bases: Option<bool>,
    ) -> Result<JobState, Problem> {
        let settings = self.backup_settings().await?;
        let bases = bases.unwrap_or(settings.bases);
        let folder = match folder {
            Some(folder) if !Path::new(&folder).is_absolute() => {
                return Err(Problem::new(ErrorCode::InvalidInput, format!("{folder:?} is no absolute path"))
                    .with_action("name the folder from the root on"));
            }
            Some(folder) => PathBuf::from(folder),
            None => snapshots(&self.env.home, &settings),
        };
        if FOLDERS.iter().chain([&BASES]).any(|own| folder.starts_with(self.env.home.join(own))) {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                format!("{} is part of what is backed up", folder.display()),
            )
            .with_action("choose a folder outside of the data"));
        }
        let step = self.env.begin_job(JobKind::Backup, "backup".to_owned())?;
        let state = step.state();
        let local = self.clone();
        tokio::spawn(async move {
            let shared = Arc::new(Mutex::new(Some(step)));
            let ended = local.make_backup(kind, &folder, bases, &shared).await;
            let step = shared.lock().take();
            let Some(step) = step else { return };
            match ended {
                Ok((row, mut warnings)) => {
                    if kind == BackupKind::Scheduled
                        && let Err(problem) = prune(&folder, settings.keep).await
                    {
                        warnings.push(format!("old backups are still there: {problem}"));
                    }
                    let text =
                        format!("{} with {}, {}", row.name, count(row.sessions, "session"), size(row.bytes));
                    step.end(Ok(text), warnings, &[Tag::Backups]);
                }
                Err(problem) => step.end(Err(problem), Vec::new(), &[]),
            }
        });
        Ok(state)
    }

    async fn make_backup(
        &self,
        kind: BackupKind,
        folder: &Path,
        bases: bool,
        step: &Arc<Mutex<Option<Step>>>,
    ) -> Result<(BackupRow, Vec<String>), Problem> {
        let at = now_ms();
        let below = folder.to_owned();
        let (part, name, before) = blocking(move || begin(&below, at)).await?;
        let made = self.fill(kind, at, &part, bases, before, step).await;
        let (below, whole) = (folder.to_owned(), folder.join(&name));
        blocking(move || match made {
            Ok(warnings) => {
                files::sync(&part)?;
                std::fs::rename(&part, &whole).map_err(|error| failed(&whole, &error))?;
                files::sync(&below)?;
                Ok((manifest::row(&whole, manifest::about(&whole)), warnings))
            }
            Err(problem) => {
                // What is left of it is removed when the next one is made, where it can't be now.
                let _ = files::remove(&part);
                Err(problem)
            }
        })
        .await
    }

    /// Fills the folder of a new backup. Gives warnings.
    async fn fill(
        &self,
        kind: BackupKind,
        at: i64,
        part: &Path,
        bases: bool,
        before: PreviousBackup,
        step: &Arc<Mutex<Option<Step>>>,
    ) -> Result<Vec<String>, Problem> {
        let told = Arc::clone(step);
        let watch = move |done, total| go_on(&told, "Copying the database", done, total);
        let copied = self.env.store().copy_to(&part.join(DATABASE), Box::new(watch)).await?;
        let counts = copied.ok_or_else(crate::stopped)?;
        let (home, part, told) = (self.env.home.clone(), part.to_owned(), Arc::clone(step));
        let jobs = self.env.jobs.clone();
        blocking(move || {
            let (mut paths, mut left_out) = (Vec::new(), 0);
            for folder in FOLDERS {
                let (found, left) = files::below(&home.join(folder))?;
                paths.extend(found.into_iter().map(|path| format!("{folder}/{path}")));
                left_out += left;
            }
            let changes = bases.then(|| being_changed(&jobs.all()));
            if bases {
                paths.extend(base_files(&home)?);
            }
            paths
                .extend(FILES.iter().filter(|name| home.join(name).is_file()).map(|name| (*name).to_owned()));
            let total = paths.len() as u64;
            let mut watch = |done| go_on(&told, "Copying files", done, total);
            let CopiedFiles { entries, shared, mut warnings } =
                files::take(&home, &paths, &part, &before, &mut watch)?;
            if let Some(before) = changes {
                let mut changed = before;
                changed.extend(being_changed(&jobs.all()));
                changed.dedup();
                warnings.extend(changed.iter().map(|base| {
                    format!(
                        "the knowledge base {base} changed meanwhile and may be incomplete; back up again"
                    )
                }));
            }
            let (bytes, sha256) = files::digest(&part.join(DATABASE))?;
            let mut all = vec![Entry { path: DATABASE.to_owned(), bytes, sha256, modified: 0 }];
            all.extend(entries);
            if left_out > 0 {
                warnings.push(format!("left out: {left_out} links and other things that are no files"));
            }
            let counts = Counts { schema: counts.schema, sessions: counts.sessions, runs: counts.runs };
            manifest::write(&part, kind, at, &counts, &all, shared)?;
            Ok(warnings)
        })
        .await
    }

    /// All backups, newest first.
    pub async fn backup_list(&self) -> Result<BackupList, Problem> {
        let settings = self.backup_settings().await?;
        let folder = snapshots(&self.env.home, &settings);
        let due = self.env.store().data_dir().due_replacement().map(|due| due.note);
        let (home, below) = (self.env.home.clone(), folder.clone());
        let mut backups = blocking(move || Ok(list(&home, &below))).await?;
        for row in backups.iter_mut().filter(|row| row.kind == BackupKind::Replaced) {
            complete(row).await;
        }
        let now = now_ms();
        let newest = backups.iter().find(|row| row.kind != BackupKind::Replaced && row.problem.is_none());
        let newest = newest.filter(|row| !is_ahead(row, now));
        let next = span(settings.every).map(|span| newest.map_or(now, |row| row.at + span));
        Ok(BackupList { folder: folder.display().to_string(), backups, due, next })
    }

    /// A backup by its name in the list or its folder; the newest for an empty name.
    pub async fn backup(&self, named: &str) -> Result<BackupRow, Problem> {
        if Path::new(named).is_absolute() {
            let folder = PathBuf::from(named);
            let row = blocking(move || Ok(manifest::row(&folder, manifest::about(&folder)))).await?;
            return usable(row);
        }
        let list = self.backup_list().await?;
        let found = match named {
            "" => {
                list.backups.into_iter().find(|row| row.kind != BackupKind::Replaced && row.problem.is_none())
            }
            name => list.backups.into_iter().find(|row| row.name == name),
        };
        let missing = || {
            let what = if named.is_empty() {
                "there is no backup yet".to_owned()
            } else {
                format!("there is no backup {named:?}")
            };
            Problem::new(ErrorCode::NotFound, what)
                .with_action("`agentnative backup list` shows them; `agentnative backup now` makes one")
        };
        usable(found.ok_or_else(missing)?)
    }

    /// Removes a backup. Others that share files with it keep theirs.
    pub async fn backup_remove(&self, named: &str) -> Result<(), Problem> {
        if named.is_empty() || Path::new(named).is_absolute() {
            return Err(Problem::new(ErrorCode::InvalidInput, "a backup is removed by its name in the list"));
        }
        let list = self.backup_list().await?;
        let found = list.backups.into_iter().find(|row| row.name == named);
        let row = found
            .ok_or_else(|| Problem::new(ErrorCode::NotFound, format!("there is no backup {named:?}")))?;
        blocking(move || remove(Path::new(&row.path))).await
    }

    /// When backups are made, where they go and how many are kept.
    pub async fn backup_settings(&self) -> Result<BackupSettings, Problem> {
        Ok(self.env.settings_show().await?.backup)
    }

    /// Makes a backup whenever one is due, as long as the program runs.
    pub fn follow_backups(&self) -> JoinHandle<()> {
        let again = self.downgrade();
        tokio::spawn(async move {
            // Not at once: the window comes first.
            tokio::time::sleep(FIRST_GLANCE).await;
            while let Some(local) = again() {
                local.back_up_if_due().await;
                drop(local);
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        })
    }

    async fn back_up_if_due(&self) {
        let due = match self.backup_list().await {
            Ok(list) => list.next.is_some_and(|next| next <= now_ms()),
            Err(_) => false,
        };
        if !due {
            return;
        }
        if let Err(problem) = self.begin_backup(BackupKind::Scheduled, None, None).await {
            tracing::warn!("the backup that is due can't be made: {problem}");
        }
    }
}

/// Files of knowledge bases, below the data directory. Names with a dot are of work under way.
fn base_files(home: &Path) -> Result<Vec<String>, Problem> {
    let (found, _) = files::below(&home.join(BASES))?;
    let whole = |path: &&String| !path.split('/').any(|name| name.starts_with('.'));
    Ok(found.iter().filter(whole).map(|path| format!("{BASES}/{path}")).collect())
}

/// Knowledge bases that a job changes.
fn being_changed(jobs: &[JobState]) -> Vec<String> {
    let changing = |job: &&JobState| {
        job.status == JobStatus::Running && matches!(job.kind, JobKind::Ingest | JobKind::Download)
    };
    jobs.iter().filter(changing).map(|job| job.subject.clone()).collect()
}

/// Tells how far it is. False: it is to stop.
pub fn go_on(step: &Mutex<Option<Step>>, text: &str, done: u64, total: u64) -> bool {
    let mut step = step.lock();
    match step.as_mut() {
        Some(step) => {
            step.progress(text, done, total);
            !step.cancel.load(Ordering::Relaxed)
        }
        None => false,
    }
}

/// Where backups are.
pub fn snapshots(home: &Path, settings: &BackupSettings) -> PathBuf {
    match settings.folder.as_str() {
        "" => home.join("backups").join("snapshots"),
        folder => PathBuf::from(folder),
    }
}

const fn span(every: BackupEvery) -> Option<i64> {
    match every {
        BackupEvery::Off => None,
        BackupEvery::Daily => Some(DAY_MS),
        BackupEvery::Weekly => Some(7 * DAY_MS),
    }
}

/// `YYYY-MM-DDThh-mm-ssZ`: a name that sorts by time and is a file's name everywhere.
pub fn stamp(at: i64) -> String {
    let (day, seconds) = (at.div_euclid(DAY_MS), at.rem_euclid(DAY_MS) / 1_000);
    let (year, month, day) = engine::date(day);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}-{minute:02}-{second:02}Z")
}

/// Makes the folder of a new backup. Gives it, the name it is to have, and the backup before.
fn begin(folder: &Path, at: i64) -> Result<(PathBuf, String, PreviousBackup), Problem> {
    files::private_folder(folder)?;
    for entry in std::fs::read_dir(folder).map_err(|error| failed(folder, &error))?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(PART) {
            files::remove(&entry.path())?;
        }
    }
    let stamp = stamp(at);
    let names = (1..).map(|number| if number == 1 { stamp.clone() } else { format!("{stamp}-{number}") });
    let name = names.into_iter().find(|name| !folder.join(name).exists()).unwrap_or_default();
    let part = folder.join(format!("{PART}{name}"));
    files::private_folder(&part)?;
    let newest = rows_below(folder).into_iter().max_by_key(|row| row.at);
    let before = newest.and_then(|row| {
        let folder = PathBuf::from(row.path);
        let entries = manifest::entries(&folder, &manifest::about(&folder).ok()?).ok()?;
        Some(PreviousBackup::new(&folder, entries))
    });
    Ok((part, name, before.unwrap_or_default()))
}

/// Backups below a folder, in no order.
fn rows_below(folder: &Path) -> Vec<BackupRow> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let shown = |entry: &std::fs::DirEntry| !entry.file_name().to_string_lossy().starts_with('.');
    let folders = entries.filter(shown).map(|entry| entry.path()).filter(|path| path.is_dir());
    folders.map(|folder| manifest::row(&folder, manifest::about(&folder))).collect()
}

pub fn list(home: &Path, folder: &Path) -> Vec<BackupRow> {
    let mut rows = rows_below(folder);
    let aside = home.join("backups");
    for entry in std::fs::read_dir(&aside).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(REPLACED) && entry.path().join(DATABASE).is_file() {
            let (bytes, count) = files::measure(&entry.path());
            rows.push(BackupRow {
                kind: BackupKind::Replaced,
                at: files::changed_ms(&entry.path()),
                files: count,
                bytes,
                problem: None,
                ..manifest::row(&entry.path(), Err(crate::stopped()))
            });
        }
    }
    sort(&mut rows);
    rows.truncate(MAX_BACKUPS);
    rows
}

/// The newest first. Those of a clock that was ahead come last: all others may have been made after them.
fn sort(rows: &mut [BackupRow]) {
    let now = now_ms();
    rows.sort_by(|a, b| {
        let by_time = b.at.cmp(&a.at).then_with(|| b.name.cmp(&a.name));
        is_ahead(a, now).cmp(&is_ahead(b, now)).then(by_time)
    });
}

const fn is_ahead(row: &BackupRow, now: i64) -> bool {
    row.at > now.saturating_add(PUT_BACK_MS)
}

/// A backup of a data directory that is not open: by its name, its folder, or the newest below the usual place.
pub fn of_closed(home: &Path, named: &str) -> Result<BackupRow, Problem> {
    if Path::new(named).is_absolute() {
        let folder = Path::new(named);
        return usable(manifest::row(folder, manifest::about(folder)));
    }
    let rows = list(home, &snapshots(home, &BackupSettings::default()));
    let found = rows.into_iter().find(|row| match named {
        "" => row.kind != BackupKind::Replaced && row.problem.is_none(),
        name => row.name == name,
    });
    let missing = || {
        Problem::new(ErrorCode::NotFound, "there is no such backup in the usual place")
            .with_action("name the backup's folder from the root on")
    };
    usable(found.ok_or_else(missing)?)
}

/// What its database says of what was put aside.
async fn complete(row: &mut BackupRow) {
    let counts = async {
        let archive = Archive::open(&Path::new(&row.path).join(DATABASE)).await?;
        let counts = archive.counts().await;
        archive.close().await;
        counts
    };
    match counts.await {
        Ok(counts) => (row.schema, row.sessions, row.runs) = (counts.schema, counts.sessions, counts.runs),
        Err(error) => row.problem = Some(error.into()),
    }
}

fn usable(row: BackupRow) -> Result<BackupRow, Problem> {
    match row.problem {
        Some(problem) => Err(problem),
        None => Ok(row),
    }
}

/// Removes what was made by itself, but the newest.
async fn prune(folder: &Path, keep: u32) -> Result<(), Problem> {
    let folder = folder.to_owned();
    blocking(move || {
        let mut rows = rows_below(&folder);
        rows.retain(|row| row.kind == BackupKind::Scheduled && row.problem.is_none());
        sort(&mut rows);
        rows.iter().skip(keep.max(1) as usize).try_for_each(|row| remove(Path::new(&row.path)))
    })
    .await
}

/// Takes a backup out of the list, then removes it: a part of one is never listed.
fn remove(folder: &Path) -> Result<(), Problem> {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let hidden = folder.with_file_name(format!("{PART}{name}"));
    std::fs::rename(folder, &hidden).map_err(|error| failed(folder, &error))?;
    files::remove(&hidden)
}

/// When the newest backup below a data directory was made, in milliseconds since 1970.
pub fn last_backup(home: &Path, settings: &BackupSettings) -> Option<i64> {
    let now = now_ms();
    rows_below(&snapshots(home, settings))
        .into_iter()
        .filter(|row| row.problem.is_none() && !is_ahead(row, now))
        .map(|row| row.at)
        .max()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A backup that is nothing but its description.
    fn made(folder: &Path, name: &str, at: i64) {
        let counts = Counts { schema: 1, sessions: 0, runs: 0 };
        let folder = folder.join(name);
        std::fs::create_dir(&folder).unwrap();
        manifest::write(&folder, BackupKind::Scheduled, at, &counts, &[], 0).unwrap();
    }

    #[tokio::test]
    async fn a_backup_of_a_clock_that_was_ahead_is_no_newer_than_others() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("backups/snapshots");
        std::fs::create_dir_all(&folder).unwrap();
        let now = now_ms();
        let names = || list(home.path(), &folder).into_iter().map(|row| row.name).collect::<Vec<_>>();
        made(&folder, "ahead", now + 400 * DAY_MS);
        assert_eq!(last_backup(home.path(), &BackupSettings::default()), None);
        made(&folder, "old", now - 2 * DAY_MS);
        made(&folder, "new", now - DAY_MS);
        assert_eq!(names(), ["new", "old", "ahead"]);
        assert_eq!(last_backup(home.path(), &BackupSettings::default()), Some(now - DAY_MS));
        // One that is just made stays.
        made(&folder, "newest", now + 1_000);
        prune(&folder, 2).await.unwrap();
        assert_eq!(names(), ["newest", "new"]);
    }
}
