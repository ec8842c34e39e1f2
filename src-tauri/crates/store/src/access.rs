//! Who may enter a data directory: its owner alone. One that holds other things, too, belongs to somebody's other purposes
//! and keeps its mode; then what this program puts there is closed, each by itself.

use std::path::Path;

use crate::data_dir::create_private;
use crate::error::Result;

/// Folders that this program makes in a data directory.
const FOLDERS: [&str; 15] = [
    "attachments",
    "backups",
    "cache",
    "downloads",
    "exports",
    "incoming",
    "knowledge",
    "logs",
    "models",
    "rules",
    "sessions",
    "shares",
    "themes",
    "trash",
    "workspaces",
];
/// How names of its files, and of folders that it makes for a while, begin.
#[cfg(unix)]
const FILES: [&str; 9] = [
    ".probe-",
    "agentnative.db",
    "connections.",
    "credentials.",
    "instance.",
    "lock",
    "settings.",
    "unpacked-",
    "window.json",
];

/// Whether others than its owner may enter a folder.
#[must_use]
pub fn others_may_enter(path: &Path) -> bool {
    #[cfg(unix)]
    return unix::mode(path).is_some_and(|mode| mode & unix::OTHERS != 0);
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Closes a data directory to others, or, where it is not this program's alone, what this program has or will have in it.
pub(crate) fn close(path: &Path) -> Result<()> {
    if !others_may_enter(path) {
        return Ok(());
    }
    #[cfg(unix)]
    if is_ours_alone(path) && unix::close(path) {
        return Ok(());
    }
    for name in FOLDERS {
        create_private(&path.join(name))?;
    }
    #[cfg(unix)]
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| is_ours(name)) else { continue };
        // A link leads to something that is nobody's data directory.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() || kind.is_file() => unix::close(&path.join(name)),
            Ok(_) | Err(_) => false,
        };
    }
    Ok(())
}

#[cfg(unix)]
fn is_ours(name: &str) -> bool {
    FOLDERS.contains(&name) || FILES.iter().any(|file| name.starts_with(file))
}

/// Whether nothing else is in a folder. What can't be read may be anything.
#[cfg(unix)]
fn is_ours_alone(path: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(path) else { return false };
    let ours = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.is_ok_and(|entry| entry.file_name().to_str().is_some_and(is_ours))
    };
    // A folder that everybody may write to, as one for temporary files, has a purpose of its own even while it is empty.
    unix::mode(path).is_some_and(|mode| mode & unix::STICKY == 0) && entries.into_iter().all(ours)
}

#[cfg(unix)]
mod unix {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::path::Path;

    /// Bits of everybody but the owner.
    pub(super) const OTHERS: u32 = 0o077;
    pub(super) const STICKY: u32 = 0o1000;

    pub(super) fn mode(path: &Path) -> Option<u32> {
        std::fs::metadata(path).ok().map(|about| about.permissions().mode())
    }

    /// Takes the rights of others from what is this user's. Whether they have none now.
    pub(super) fn close(path: &Path) -> bool {
        let Ok(about) = std::fs::metadata(path) else { return false };
        if about.mode() & OTHERS == 0 {
            return true;
        }
        let own = about.uid() == rustix::process::geteuid().as_raw();
        let alone = Permissions::from_mode(about.mode() & 0o700);
        own && set_permissions(path, alone).is_ok()
    }
}
