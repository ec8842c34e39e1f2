//! Files that are there as a whole or not at all.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::NamedTempFile;

use crate::error::Refusal;

/// The beginning of the name of a file that is being written.
const UNFINISHED: &str = ".writing-";

/// A file to write beside where it will stand.
pub(crate) fn unfinished(folder: &Path) -> Result<NamedTempFile, Refusal> {
    create(folder)?;
    tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder).map_err(Refusal::disk(folder))
}

/// Makes a folder and those above it.
pub(crate) fn create(folder: &Path) -> Result<(), Refusal> {
    fs::create_dir_all(folder).map_err(Refusal::disk(folder))
}

/// Puts a finished file in its place, on the disk, whatever stood there.
pub(crate) fn finish(file: NamedTempFile, path: &Path) -> Result<(), Refusal> {
    file.as_file().sync_all().map_err(Refusal::disk(path))?;
    file.persist(path).map_err(|error| Refusal::disk(path)(error.error))?;
    sync_folders(path)
}

/// Waits until a name is on the disk.
fn sync_folders(path: &Path) -> Result<(), Refusal> {
    path.ancestors()
        .skip(1)
        .take(2)
        .try_for_each(|folder| support::sync_folder(folder).map_err(Refusal::disk(folder)))
}

/// Replaces a file by a value.
pub(crate) fn replace_json(path: &Path, value: &impl Serialize) -> Result<(), Refusal> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = unfinished(folder)?;
    let mut text = serde_json::to_vec_pretty(value)
        .map_err(|error| Refusal::disk(path)(std::io::Error::other(error)))?;
    text.push(b'\n');
    file.write_all(&text).map_err(Refusal::disk(path))?;
    finish(file, path)
}

/// A value of a file; none where there is no file.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path, max_bytes: u64) -> Result<Option<T>, Refusal> {
    let size = match fs::metadata(path) {
        Ok(data) => data.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Refusal::disk(path)(error)),
    };
    let damaged = || Refusal::Damaged { path: path.to_owned() };
    if size > max_bytes {
        return Err(damaged());
    }
    let file = File::open(path).map_err(Refusal::disk(path))?;
    serde_json::from_reader(std::io::BufReader::new(file)).map(Some).map_err(|_| damaged())
}

/// The files of a folder whose names end so, in order; none where there is no folder.
pub(crate) fn named(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, Refusal> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Refusal::disk(folder)(error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(Refusal::disk(folder))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.ends_with(ending) && !name.starts_with(UNFINISHED) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Removes a file that may be gone already.
pub(crate) fn remove(path: &Path) -> Result<(), Refusal> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Refusal::disk(path)(error)),
        _ => Ok(()),
    }
}

/// Removes what was never finished in a folder and all below it, and has not been written to for `age`; says how many files
/// those were.
pub(crate) fn remove_unfinished(folder: &Path, age: Duration, now: SystemTime) -> Result<usize, Refusal> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(Refusal::disk(folder)(error)),
    };
    let mut count = 0;
    for entry in entries {
        let entry = entry.map_err(Refusal::disk(folder))?;
        // Of the entry itself: a link is not followed. One that is gone by now was finished.
        let Ok(data) = entry.metadata() else { continue };
        if data.is_dir() {
            count += remove_unfinished(&entry.path(), age, now)?;
            continue;
        }
        let is_unfinished = entry.file_name().to_str().is_some_and(|name| name.starts_with(UNFINISHED));
        let is_old = data.modified().is_ok_and(|at| now.duration_since(at).is_ok_and(|since| since >= age));
        if is_unfinished && is_old {
            remove(&entry.path())?;
            count += 1;
        }
    }
    Ok(count)
}

/// Runs what reads or writes files on a thread of its own.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Refusal::NoAnswer { what: error.to_string() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn what_was_never_finished_is_removed_from_every_folder_once_it_is_old() {
        let root = tempfile::TempDir::new().unwrap();
        let path = root.path().join("pages/record.json");
        replace_json(&path, &1).unwrap();
        for folder in [root.path().to_owned(), root.path().join("pages"), root.path().join("objects/aa")] {
            // What a killed process leaves: nothing is dropped.
            unfinished(&folder).unwrap().into_temp_path().keep().unwrap();
        }
        let hour = Duration::from_secs(3_600);
        let now = SystemTime::now();
        assert_eq!(remove_unfinished(root.path(), hour, now).unwrap(), 0);
        assert_eq!(remove_unfinished(root.path(), hour, now + hour * 2).unwrap(), 3);
        assert_eq!(remove_unfinished(root.path(), hour, now + hour * 2).unwrap(), 0);
        assert_eq!(read_json::<u8>(&path, 100).unwrap(), Some(1));
        assert_eq!(remove_unfinished(&root.path().join("none"), hour, now).unwrap(), 0);
    }
}
