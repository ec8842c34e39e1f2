//! Copying, comparing and measuring files.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use domain::{Digest, ErrorCode, Problem};
use sha2::{Digest as _, Sha256};

use crate::manifest::{Entry, place};
use crate::{failed, stopped};

/// Bytes that are read at once.
const PIECE: usize = 256 << 10;
/// The deepest folder that is followed.
const MAX_DEPTH: usize = 40;

/// A file that only this user may read, made anew.
pub fn private(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// A folder that only this user may enter, with those above it.
pub fn private_folder(path: &Path) -> Result<(), Problem> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| failed(path, &error))
}

/// Makes the names in a folder durable.
pub fn sync(folder: &Path) -> Result<(), Problem> {
    support::sync_folder(folder).map_err(|error| failed(folder, &error))
}

/// Regular files below a folder, relative to it with slashes; links, sockets and pipes are left out, and counted.
pub fn below(folder: &Path) -> Result<(Vec<String>, u64), Problem> {
    let (mut found, mut left_out) = (Vec::new(), 0);
    let mut folders = vec![(String::new(), 0)];
    while let Some((at, depth)) = folders.pop() {
        let path = if at.is_empty() { folder.to_owned() } else { folder.join(&at) };
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            // It went while we looked.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(failed(&path, &error)),
        };
        for entry in entries {
            let entry = entry.map_err(|error| failed(&path, &error))?;
            let name = entry.file_name().into_string();
            let kind = entry.file_type();
            match (name, kind) {
                (Ok(name), Ok(kind)) if kind.is_dir() && depth < MAX_DEPTH => {
                    folders.push((join(&at, &name), depth + 1))
                }
                (Ok(name), Ok(kind)) if kind.is_file() => found.push(join(&at, &name)),
                _ => left_out += 1,
            }
        }
    }
    found.sort_unstable();
    Ok((found, left_out))
}

fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}/{name}") }
}

/// Copies a file and gives its size and digest. `None`: it is gone.
pub fn copy(from: &Path, to: &Path) -> Result<Option<(u64, Digest)>, Problem> {
    let mut source = match File::open(from) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(from, &error)),
    };
    let mut target = private(to).map_err(|error| failed(to, &error))?;
    let (mut hash, mut bytes, mut piece) = (Sha256::new(), 0, vec![0; PIECE]);
    loop {
        let read = source.read(&mut piece).map_err(|error| failed(from, &error))?;
        if read == 0 {
            break;
        }
        hash.update(&piece[..read]);
        target.write_all(&piece[..read]).map_err(|error| failed(to, &error))?;
        bytes += read as u64;
    }
    target.sync_all().map_err(|error| failed(to, &error))?;
    Ok(Some((bytes, Digest(hash.finalize().into()))))
}

/// The size and digest of a file.
pub fn digest(path: &Path) -> Result<(u64, Digest), Problem> {
    let mut file = File::open(path).map_err(|error| failed(path, &error))?;
    let (mut hash, mut bytes, mut piece) = (Sha256::new(), 0, vec![0; PIECE]);
    loop {
        let read = file.read(&mut piece).map_err(|error| failed(path, &error))?;
        if read == 0 {
            return Ok((bytes, Digest(hash.finalize().into())));
        }
        hash.update(&piece[..read]);
        bytes += read as u64;
    }
}

/// When a file was changed last, in nanoseconds since 1970, and its size.
fn stamp(path: &Path) -> (i128, u64) {
    let Ok(meta) = fs::symlink_metadata(path) else { return (0, 0) };
    let since = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    (since.map_or(0, |since| since.as_nanos().cast_signed()), meta.len())
}

/// The files of a backup made before, to link what has not changed since.
#[derive(Default)]
pub struct PreviousBackup {
    folder: PathBuf,
    entries: HashMap<String, Entry>,
}

impl PreviousBackup {
    pub fn new(folder: &Path, entries: Vec<Entry>) -> Self {
        let entries = entries.into_iter().map(|entry| (entry.path.clone(), entry)).collect();
        Self { folder: folder.to_owned(), entries }
    }

    /// The entry of a file whose size and time of change are as they were then.
    fn unchanged(&self, path: &str, (modified, bytes): (i128, u64)) -> Option<&Entry> {
        let entry = self.entries.get(path)?;
        (modified != 0 && entry.modified == modified && entry.bytes == bytes).then_some(entry)
    }
}

/// What was copied.
#[derive(Default)]
pub struct CopiedFiles {
    pub entries: Vec<Entry>,
    /// Bytes that were linked.
    pub shared: u64,
    pub warnings: Vec<String>,
}

/// Copies files below `home` into a backup, or links them to those of the one before.
pub fn take(
    home: &Path,
    paths: &[String],
    to: &Path,
    before: &PreviousBackup,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<CopiedFiles, Problem> {
    let mut taken = CopiedFiles::default();
    let mut folder_made = PathBuf::new();
    for (number, path) in paths.iter().enumerate() {
        if !go_on(number as u64) {
            return Err(stopped());
        }
        let (from, target) = (home.join(path), to.join(path));
        if let Some(folder) = target.parent().filter(|folder| **folder != folder_made) {
            private_folder(folder)?;
            folder.clone_into(&mut folder_made);
        }
        let now = stamp(&from);
        if let Some(entry) = before.unchanged(path, now)
            && fs::hard_link(place(&before.folder, entry), &target).is_ok()
        {
            taken.shared += entry.bytes;
            taken.entries.push(entry.clone());
            continue;
        }
        // What can't be read can't be kept; the rest can.
        if let Err(error) = File::open(&from)
            && error.kind() != ErrorKind::NotFound
        {
            taken.warnings.push(format!("left out: {}: {error}", from.display()));
            continue;
        }
        if let Some((bytes, sha256)) = copy(&from, &target)? {
            // A file that changed while it was read has no time that could be relied on.
            let modified = if stamp(&from) == now { now.0 } else { 0 };
            taken.entries.push(Entry { path: path.clone(), bytes, sha256, modified });
        }
    }
    Ok(taken)
}

/// Copies files of a backup to `to` and compares their digests.
pub fn unpack(
    folder: &Path,
    entries: &[&Entry],
    to: &Path,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<(), Problem> {
    let mut folder_made = PathBuf::new();
    for (number, entry) in entries.iter().enumerate() {
        if !go_on(number as u64) {
            return Err(stopped());
        }
        let target = place(to, entry);
        if let Some(parent) = target.parent().filter(|parent| **parent != folder_made) {
            private_folder(parent)?;
            parent.clone_into(&mut folder_made);
        }
        let from = place(folder, entry);
        let copied = copy(&from, &target)?;
        if copied != Some((entry.bytes, entry.sha256)) {
            return Err(damaged(&from));
        }
    }
    Ok(())
}

/// A file of a backup that is not what it was.
pub fn damaged(path: &Path) -> Problem {
    Problem::new(ErrorCode::Corrupt, format!("{} is not as it was when the backup was made", path.display()))
        .with_action("choose another backup; nothing was changed")
}

/// Copies everything below a folder. Gives how many files.
pub fn copy_folder(from: &Path, to: &Path) -> Result<u64, Problem> {
    let (paths, _) = below(from)?;
    for path in &paths {
        let target = to.join(path);
        if let Some(parent) = target.parent() {
            private_folder(parent)?;
        }
        copy(&from.join(path), &target)?;
    }
    Ok(paths.len() as u64)
}

/// Bytes and files below a folder, or of a file. What has several names counts once.
pub fn measure(path: &Path) -> (u64, u64) {
    let Ok(meta) = fs::symlink_metadata(path) else { return (0, 0) };
    if !meta.is_dir() {
        return (meta.len(), 1);
    }
    let (mut bytes, mut files, mut seen) = (0, 0, HashSet::new());
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(about) if about.is_dir() => folders.push(entry.path()),
                Ok(about) => {
                    files += 1;
                    if shared_name(&about).is_none_or(|name| seen.insert(name)) {
                        bytes += about.len();
                    }
                }
                Err(_) => {}
            }
        }
    }
    (bytes, files)
}

/// What tells a file that has several names.
#[cfg(unix)]
fn shared_name(about: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    (about.nlink() > 1).then(|| (about.dev(), about.ino()))
}

#[cfg(not(unix))]
fn shared_name(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// When a file or folder was changed last, in milliseconds since 1970.
pub fn changed_ms(path: &Path) -> i64 {
    i64::try_from(stamp(path).0 / 1_000_000).unwrap_or(i64::MAX)
}

/// Removes a file or a folder with all that is in it; one that is not there is no failure.
pub fn remove(path: &Path) -> Result<(), Problem> {
    let removed = match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(path, &error)),
        _ => Ok(()),
    }
}
