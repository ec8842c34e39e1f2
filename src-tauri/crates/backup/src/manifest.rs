//! What a backup says of itself: `backup.json`, and `files.jsonl` with a line a file.

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use domain::{Digest, ErrorCode, Problem};
use protocol::{BackupKind, BackupRow};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::failed;

/// The form of backups.
const FORMAT: u32 = 1;
/// The database's name in a backup.
pub const DATABASE: &str = "agentnative.db";
const ABOUT: &str = "backup.json";
const FILES: &str = "files.jsonl";
/// The largest `backup.json` that is read, in bytes.
const MAX_MANIFEST_BYTES: u64 = 64 << 10;

/// `backup.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupHeader {
    format: u32,
    pub kind: BackupKind,
    /// Milliseconds since 1970.
    pub at: i64,
    /// The program's version.
    pub version: String,
    pub schema: u32,
    pub sessions: u64,
    pub runs: u64,
    pub files: u64,
    pub bytes: u64,
    /// Bytes that were linked to files of the backup before.
    pub shared: u64,
    /// The digest of `files.jsonl`.
    list: Digest,
}

/// A file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Below the backup's folder, with slashes.
    pub path: String,
    pub bytes: u64,
    pub sha256: Digest,
    /// When the original was changed last, in nanoseconds since 1970; 0 where that is not known.
    #[serde(default)]
    pub modified: i128,
}

/// Counts of the database in a backup.
pub struct Counts {
    pub schema: u32,
    pub sessions: u64,
    pub runs: u64,
}

/// Writes both files; the folder is a backup from then on.
pub fn write(
    folder: &Path,
    kind: BackupKind,
    at: i64,
    counts: &Counts,
    entries: &[Entry],
    shared: u64,
) -> Result<BackupHeader, Problem> {
    let path = folder.join(FILES);
    let written = |error: std::io::Error| failed(&path, &error);
    let mut out = BufWriter::new(crate::files::private(&path).map_err(written)?);
    let mut hash = Sha256::new();
    for entry in entries {
        let mut line = serde_json::to_vec(entry).map_err(internal)?;
        line.push(b'\n');
        hash.update(&line);
        out.write_all(&line).map_err(written)?;
    }
    out.into_inner().map_err(|error| failed(&path, error.error()))?.sync_all().map_err(written)?;
    let about = BackupHeader {
        format: FORMAT,
        kind,
        at,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        schema: counts.schema,
        sessions: counts.sessions,
        runs: counts.runs,
        files: entries.len() as u64,
        bytes: entries.iter().map(|entry| entry.bytes).sum(),
        shared,
        list: Digest(hash.finalize().into()),
    };
    let path = folder.join(ABOUT);
    let mut file = crate::files::private(&path).map_err(|error| failed(&path, &error))?;
    let bytes = serde_json::to_vec_pretty(&about).map_err(internal)?;
    file.write_all(&bytes).and_then(|()| file.sync_all()).map_err(|error| failed(&path, &error))?;
    Ok(about)
}

/// What a backup says of itself.
pub fn about(folder: &Path) -> Result<BackupHeader, Problem> {
    let path = folder.join(ABOUT);
    let wrong = |what: String| {
        Problem::new(ErrorCode::Corrupt, format!("{} can't be used: {what}", path.display()))
            .with_action("choose another backup")
    };
    let meta = std::fs::metadata(&path).map_err(|error| wrong(error.to_string()))?;
    if !meta.is_file() || meta.len() > MAX_MANIFEST_BYTES {
        return Err(wrong("it is no description of a backup".to_owned()));
    }
    let bytes = std::fs::read(&path).map_err(|error| wrong(error.to_string()))?;
    let about: BackupHeader = serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
    if about.format > FORMAT {
        return Err(Problem::new(
            ErrorCode::NewerData,
            format!("{} was made by a newer version", folder.display()),
        )
        .with_action("restore it with that version of the program"));
    }
    Ok(about)
}

/// The files of a backup. They all lead to places below it.
pub fn entries(folder: &Path, about: &BackupHeader) -> Result<Vec<Entry>, Problem> {
    let path = folder.join(FILES);
    let wrong = |what: &str| {
        Problem::new(ErrorCode::Corrupt, format!("{} can't be used: {what}", path.display()))
            .with_action("choose another backup")
    };
    let mut lines = BufReader::new(File::open(&path).map_err(|error| wrong(&error.to_string()))?);
    let (mut entries, mut hash, mut line) = (Vec::new(), Sha256::new(), Vec::new());
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line).map_err(|error| wrong(&error.to_string()))? == 0 {
            break;
        }
        hash.update(&line);
        let entry: Entry = serde_json::from_slice(&line).map_err(|error| wrong(&error.to_string()))?;
        if !is_below(&entry.path) {
            return Err(wrong("it names a place elsewhere"));
        }
        entries.push(entry);
    }
    if Digest(hash.finalize().into()) != about.list {
        return Err(wrong("it was changed, or cut short, after the backup was made"));
    }
    Ok(entries)
}

fn is_below(path: &str) -> bool {
    let part =
        |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains(['\\', '\0', ':']);
    path.split('/').all(part)
}

/// A backup's row in the list.
pub fn row(folder: &Path, about: Result<BackupHeader, Problem>) -> BackupRow {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let path = folder.display().to_string();
    match about {
        Ok(about) => BackupRow {
            name,
            path,
            kind: about.kind,
            at: about.at,
            version: about.version,
            schema: about.schema,
            sessions: about.sessions,
            runs: about.runs,
            files: about.files,
            bytes: about.bytes,
            shared: about.shared,
            problem: None,
        },
        Err(problem) => BackupRow {
            name,
            path,
            kind: BackupKind::Manual,
            at: 0,
            version: String::new(),
            schema: 0,
            sessions: 0,
            runs: 0,
            files: 0,
            bytes: 0,
            shared: 0,
            problem: Some(problem),
        },
    }
}

/// A file's place in a backup.
pub fn place(folder: &Path, entry: &Entry) -> PathBuf {
    entry.path.split('/').fold(folder.to_owned(), |path, part| path.join(part))
}

fn internal(error: serde_json::Error) -> Problem {
    Problem::new(ErrorCode::Internal, error.to_string())
}
