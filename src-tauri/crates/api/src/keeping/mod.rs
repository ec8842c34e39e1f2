//! Keeping data: backups and their return, what takes space, what grows old, whether all is sound.

mod aging;
mod backups;
mod checking;
mod cleaning;
mod copying;
mod files;
mod manifest;
mod restoring;
mod sizes;

use std::sync::{Mutex, PoisonError};

use domain::{ErrorCode, Problem};
use tokio::task::JoinHandle;

use crate::local::Local;
use crate::request::Request;
use crate::response::Response;

pub(crate) use backups::last_backup;
pub use checking::repair_closed;
pub use restoring::restore_closed;

/// What is done by itself while the program runs.
#[derive(Debug, Default)]
pub(crate) struct House(Mutex<Vec<JoinHandle<()>>>);

impl House {
    fn keep(&self, task: JoinHandle<()>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(task);
    }

    /// Ends it: what was begun of it is begun again when the program starts next.
    pub(crate) async fn end(&self) {
        let tasks = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for task in tasks {
            task.abort();
            // It was stopped, or had ended.
            let _ = task.await;
        }
    }
}

impl Local {
    /// Carries out a command of this module.
    pub(crate) async fn at_keeping(&self, request: Request) -> Result<Response, Problem> {
        match request {
            Request::BackupNow(now) => self.backup_now(now).await.map(Response::Job),
            Request::BackupList => self.backup_list().await.map(|list| Response::Backups(Box::new(list))),
            Request::BackupInspect(of) => {
                self.backup_inspect(&of.backup).await.map(|view| Response::Backup(Box::new(view)))
            }
            Request::BackupVerify(of) => self.backup_verify(of.backup).await.map(Response::Job),
            Request::BackupRestore(restore) => self.backup_restore(restore).await.map(Response::Restored),
            Request::BackupRemove(of) => self.backup_remove(&of.backup).await.map(|()| Response::Done),
            Request::DataShow => self.data_show().await.map(|sizes| Response::Data(Box::new(sizes))),
            Request::DataClean(clean) => self.data_clean(clean).await.map(Response::Cleaned),
            Request::DataCheck(check) => self.data_check(check).await.map(Response::Job),
            Request::Retention(query) => self.retention(query).await.map(Response::Retention),
            Request::SessionDuplicate(copy) => {
                self.session_duplicate(&copy.session).await.map(Response::Branched)
            }
            Request::DraftEarlier(of) => self.draft_earlier(&of.key).await.map(Response::Drafts),
            other => Err(Problem::new(ErrorCode::Internal, format!("nobody carries out {}", other.name()))),
        }
    }

    /// Begins what is done by itself: old sessions, backups that are due.
    pub(crate) fn keep_house(&self) {
        if let Err(problem) = restoring::sweep(&self.home) {
            tracing::warn!("what was unpacked of a backup is still there: {problem}");
        }
        self.desk.house.keep(self.follow_age());
        self.desk.house.keep(self.follow_backups());
    }
}

/// A failure of the file system, with its place.
fn failed(path: &std::path::Path, error: &std::io::Error) -> Problem {
    let action = match error.kind() {
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            "make it writable for this user, or choose another folder"
        }
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            "free some space and try again"
        }
        _ => "look at that place, then try again",
    };
    Problem::new(ErrorCode::Storage, format!("{}: {error}", path.display())).with_action(action)
}

/// What was stopped by the person.
fn stopped() -> Problem {
    Problem::new(ErrorCode::Cancelled, "stopped")
}

/// A number of bytes for people.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if bytes < 1_024 {
        return format!("{bytes} bytes");
    }
    let mut amount = bytes as f64 / 1_024.0;
    let mut unit = 0;
    while amount >= 1_024.0 && unit + 1 < UNITS.len() {
        amount /= 1_024.0;
        unit += 1;
    }
    format!("{amount:.1} {}", UNITS[unit])
}

/// A number of things for people.
fn count(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
