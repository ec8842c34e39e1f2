//! Waiting until files and names are on the disk, on every system.

use std::fs::OpenOptions;
use std::path::Path;

/// Waits until the content of a file is on the disk.
pub fn sync_file(path: &Path) -> std::io::Result<()> {
    // Windows flushes a file only through a handle that may write.
    OpenOptions::new().read(true).write(cfg!(windows)).open(path)?.sync_all()
}

/// Waits until the names in a folder are on the disk. Elsewhere than on Unix a folder can't be opened for that; there
/// the order of the system's own renames has to do.
pub fn sync_folder(path: &Path) -> std::io::Result<()> {
    if cfg!(unix) { std::fs::File::open(path)?.sync_all() } else { Ok(()) }
}
