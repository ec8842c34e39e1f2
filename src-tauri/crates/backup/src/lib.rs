//! Keeping data: backups and their return, what takes space, what grows old, whether all is sound.

mod backups;
mod cleanup;
mod copy;
mod files;
mod integrity;
mod manifest;
mod restore;
mod restored_runs;
mod retention;
mod sizes;

use domain::{ErrorCode, Problem};
use environment::Environment;
use sessions::Sessions;

pub use backups::last_backup;
pub use integrity::repair_closed;
pub use restore::restore_closed;

/// Backups, retention, integrity and disk usage.
#[derive(Clone)]
pub struct Maintenance {
    env: Environment,
    sessions: Sessions,
}

impl Maintenance {
    /// Of a data directory.
    pub fn new(env: Environment, sessions: Sessions) -> Self {
        Self { env, sessions }
    }

    /// The same in another environment.
    pub fn within(&self, env: Environment) -> Self {
        Self::new(env.clone(), self.sessions.within(env))
    }

    /// Gives this again for as long as the engine is kept by somebody else.
    pub fn downgrade(&self) -> impl Fn() -> Option<Self> + Send + Sync + 'static + use<> {
        let (env, sessions) = (self.env.downgrade(), self.sessions.downgrade());
        move || Some(Self { env: env()?, sessions: sessions()? })
    }
}

impl Maintenance {
    /// Begins what is done by itself: old sessions, backups that are due.
    pub fn begin(&self) {
        if let Err(problem) = restore::sweep(&self.env.home) {
            tracing::warn!("what was unpacked of a backup is still there: {problem}");
        }
        self.env.tasks.keep(self.follow_age());
        self.env.tasks.keep(self.follow_backups());
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
