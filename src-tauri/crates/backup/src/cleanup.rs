//! Giving space back. Each kind says first what it would free; nothing goes that the person did not name.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use domain::Problem;
use protocol::{CleanKind, Cleaned, DataClean, Scope};
use support::{blocking, is_session_id, now_ms};

use crate::{Maintenance, backups, files};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// What undoes changes of files is kept for this long.
const UNDO_MS: i64 = 30 * DAY_MS;
/// An attachment waits this long for its message.
const ATTACHMENT_MS: i64 = 7 * DAY_MS;
/// Free pages that are given back at a time; others write in between.
const PAGES: u32 = 512;
const PAGE: u64 = 4_096;

impl Maintenance {
    /// Gives space back, or says what could be.
    pub async fn data_clean(&self, clean: DataClean) -> Result<Vec<Cleaned>, Problem> {
        let _turn = self.env.locks.lock(Scope::Sessions).await;
        let mut kinds = clean.what.clone();
        // What makes free pages comes before what gives them back.
        kinds.sort_unstable_by_key(|kind| match kind {
            CleanKind::Trash => 0,
            CleanKind::Free => 2,
            CleanKind::Rewrite => 3,
            _ => 1,
        });
        kinds.dedup();
        let mut done = Vec::new();
        for kind in kinds {
            done.push(match kind {
                CleanKind::Free => self.clean_free(clean.preview).await?,
                CleanKind::Trash => self.clean_trash(clean.preview).await?,
                CleanKind::Rewrite => self.rewrite(clean.preview).await?,
                of_files => self.clean_files(of_files, &clean).await?,
            });
        }
        Ok(done)
    }

    async fn clean_free(&self, preview: bool) -> Result<Cleaned, Problem> {
        let before = self.env.store().sizes().await?;
        if !preview {
            self.give_back(before.free).await?;
            self.env.store().checkpoint().await?;
        }
        let bytes =
            if preview { before.free + before.log } else { freed(&before, &self.env.store().sizes().await?) };
        Ok(Cleaned { what: CleanKind::Free, count: before.free / PAGE, bytes, note: String::new() })
    }

    /// Gives free pages back a few at a time, so that nobody waits for long.
    async fn give_back(&self, bytes: u64) -> Result<(), Problem> {
        let steps = bytes / PAGE / u64::from(PAGES) + 1;
        for _ in 0..steps {
            self.env.store().incremental_vacuum(PAGES).await?;
        }
        Ok(())
    }

    async fn clean_trash(&self, preview: bool) -> Result<Cleaned, Problem> {
        let mut cleaned = Cleaned { what: CleanKind::Trash, count: 0, bytes: 0, note: String::new() };
        if preview {
            let ids: HashSet<String> =
                self.env.store().trashed_before(i64::MAX, store::MAX_PAGE).await?.into_iter().collect();
            let stored = self.env.store().largest_sessions(u32::MAX).await?;
            cleaned.bytes =
                stored.iter().filter(|session| ids.contains(&session.id)).map(|session| session.bytes).sum();
            cleaned.count = ids.len() as u64;
            let home = self.env.home.clone();
            cleaned.bytes += blocking(move || {
                let folders =
                    ids.iter().filter(|id| is_session_id(id)).map(|id| home.join("sessions").join(id));
                Ok(folders.map(|folder| files::measure(&folder).0).sum::<u64>())
            })
            .await?;
            return Ok(cleaned);
        }
        let home = self.env.home.clone();
        let measured = || {
            let home = home.clone();
            blocking(move || Ok(files::measure(&home.join("sessions")).0))
        };
        let (before, of_files) = (self.env.store().sizes().await?, measured().await?);
        let outcome = self.sessions.purge_before(i64::MAX).await?;
        cleaned.count = u64::from(outcome.gone);
        if let Err(problem) = outcome.checked() {
            cleaned.note = problem.message;
        }
        self.give_back(self.env.store().sizes().await?.free).await?;
        self.env.store().checkpoint().await?;
        cleaned.bytes =
            freed(&before, &self.env.store().sizes().await?) + of_files.saturating_sub(measured().await?);
        Ok(cleaned)
    }

    /// Writes the database anew, so that nothing of what was deleted is anywhere in it.
    async fn rewrite(&self, preview: bool) -> Result<Cleaned, Problem> {
        let before = self.env.store().sizes().await?;
        let mut cleaned = Cleaned {
            what: CleanKind::Rewrite,
            count: 1,
            bytes: before.free + before.log,
            note: String::new(),
        };
        if preview {
            cleaned.note = format!("needs {} of free space for a while", crate::size(before.database));
            return Ok(cleaned);
        }
        self.env.store().rewrite().await?;
        cleaned.bytes = freed(&before, &self.env.store().sizes().await?);
        cleaned.note = "backups still have what they had when they were made".to_owned();
        Ok(cleaned)
    }

    async fn clean_files(&self, kind: CleanKind, clean: &DataClean) -> Result<Cleaned, Problem> {
        let mut running = HashMap::new();
        for run in self.sessions.live_runs() {
            running.insert(run.clone(), self.env.store().get_run(&run).await?.session);
        }
        let sessions: HashSet<String> =
            self.env.store().session_stamps().await?.into_iter().map(|session| session.id).collect();
        let (home, preview, names) = (self.env.home.clone(), clean.preview, clean.names.clone());
        blocking(move || {
            let busy: HashSet<&String> = running.values().collect();
            let found = match kind {
                CleanKind::Undo => old_undo(&home, &busy),
                CleanKind::Orphans => orphans(&home, &sessions, &names),
                CleanKind::Attachments => older(&home.join("attachments"), now_ms() - ATTACHMENT_MS),
                CleanKind::Exports => older(&home.join("exports"), i64::MAX),
                CleanKind::Cache => cached(&home),
                CleanKind::Copies => copies(&home.join("backups")),
                CleanKind::Free | CleanKind::Trash | CleanKind::Rewrite => Vec::new(),
            };
            let mut cleaned = Cleaned { what: kind, count: 0, bytes: 0, note: String::new() };
            for path in found {
                let bytes = files::measure(&path).0;
                if !preview && let Err(problem) = files::remove(&path) {
                    cleaned.note = problem.to_string();
                    continue;
                }
                cleaned.count += 1;
                cleaned.bytes += bytes;
            }
            Ok(cleaned)
        })
        .await
    }
}

fn freed(before: &store::Sizes, after: &store::Sizes) -> u64 {
    (before.database + before.log).saturating_sub(after.database + after.log)
}

fn children(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn older(folder: &Path, before: i64) -> Vec<PathBuf> {
    children(folder).into_iter().filter(|path| files::changed_ms(path) < before).collect()
}

/// What can be fetched again, as [`crate::sizes`] measures it: neither the last valid versions of edited files, which may be
/// all that is left of them, nor what commands work on.
fn cached(home: &Path) -> Vec<PathBuf> {
    ["cache/models", "cache/sources"].into_iter().flat_map(|folder| children(&home.join(folder))).collect()
}

/// What undoes changes of files, turn by turn, of sessions in which nothing is under way.
fn old_undo(home: &Path, busy: &HashSet<&String>) -> Vec<PathBuf> {
    let idle = |session: &PathBuf| {
        session.file_name().is_none_or(|name| !busy.contains(&name.to_string_lossy().into_owned()))
    };
    let sessions = children(&home.join("sessions")).into_iter().filter(idle);
    sessions.flat_map(|session| older(&session.join("undo"), now_ms() - UNDO_MS)).collect()
}

fn orphans(home: &Path, sessions: &HashSet<String>, names: &[String]) -> Vec<PathBuf> {
    let orphan = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        !sessions.contains(&name) && (names.is_empty() || names.contains(&name))
    };
    children(&home.join("sessions")).into_iter().filter(orphan).collect()
}

/// Copies made before older versions were brought up to date: plain databases, all but the newest.
fn copies(folder: &Path) -> Vec<PathBuf> {
    let mut copies: Vec<PathBuf> = children(folder)
        .into_iter()
        .filter(|path| path.is_file() && path.extension().is_some_and(|extension| extension == "db"))
        .collect();
    copies.sort_by_key(|path| std::cmp::Reverse(files::changed_ms(path)));
    // What a restore put aside is a backup, and is removed as one.
    copies.retain(|path| {
        !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(backups::REPLACED))
    });
    copies.into_iter().skip(1).collect()
}
