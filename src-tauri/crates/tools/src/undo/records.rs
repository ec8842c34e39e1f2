//! What is kept before a file is changed: its content, and a record of what stood where and what will.
//!
//! Both are durable before the change begins. A record says what the file will hold, so whether the change was made is
//! seen in the file itself: no second record has to follow it, and a crash in between needs no repair.

use std::collections::VecDeque;
use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::Digest;
use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};

use crate::files::{failed, load};
use crate::safe_path::{PathPurpose, Roots, SafePath, StagedFile};
use crate::{Kind, ToolError};

/// The largest file that is kept for a call, in bytes.
pub(crate) const MAX_KEPT_FILE_BYTES: u64 = 8_000_000;
/// The most that is kept for the calls of a turn, in bytes.
pub(crate) const MAX_TURN_BYTES: u64 = 64_000_000;
/// The largest record that is read, in bytes.
const MAX_RECORD_BYTES: u64 = 4 << 20;
/// The form of the records.
const VERSION: u32 = 1;
/// Turns whose size is remembered.
const SIZES: usize = 64;

/// Who changed files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "act")]
pub(crate) enum Act {
    /// A call of the turn.
    Call { call: String },
    /// The person, who took the turn's changes back.
    Undo,
    /// The person, who took that back.
    Redo,
    /// A command that was not confined: what it changed is not known.
    Command { command: String },
}

/// What a file held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Content {
    pub(crate) digest: Digest,
    pub(crate) bytes: u64,
    /// Permission bits, where the system has them.
    pub(crate) mode: Option<u32>,
}

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredChange {
    /// Absolute, without links.
    pub(crate) path: String,
    /// What it held; `None`: it was not there.
    pub(crate) before: Option<Content>,
    /// What it was to hold; `None`: it was to be gone.
    pub(crate) after: Option<Digest>,
    /// Whether what it held was kept.
    pub(crate) kept: bool,
    /// Folders that were made for it, the innermost first.
    pub(crate) made: Vec<String>,
}

/// What one act did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    version: u32,
    /// When, in milliseconds since 1970.
    pub(crate) at: u64,
    #[serde(flatten)]
    pub(crate) act: Act,
    pub(crate) changes: Vec<StoredChange>,
}

/// A change that is about to be made.
pub(crate) struct PendingChange<'a> {
    pub(crate) place: &'a SafePath,
    /// What stands there; `None`: nothing.
    pub(crate) before: Option<(&'a [u8], Option<&'a Metadata>)>,
    /// The digest of what will; `None`: nothing.
    pub(crate) after: Option<Digest>,
}

/// Held while files are changed, so that what was kept is what is replaced.
#[derive(Default)]
pub(crate) struct ChangeLock {
    /// Bytes that are kept for the turns that were last written to.
    sizes: VecDeque<(String, u64)>,
    /// The time of the newest record: records are in order though the clock may not be.
    newest: u64,
}

/// Waits until no other change of files is under way in this program.
pub(crate) fn alone() -> MutexGuard<'static, ChangeLock> {
    static ALONE: Mutex<ChangeLock> = Mutex::new(ChangeLock { sizes: VecDeque::new(), newest: 0 });
    ALONE.lock()
}

/// A record that was written.
pub(crate) struct Written(SafePath);

impl Written {
    /// Nothing came of it.
    pub(crate) fn forget(self) {
        // What is left says that a change was begun, and the file that it was not made.
        let _ = self.0.remove();
    }
}

/// Whether a name can be a turn's: it is a folder's name.
pub(crate) fn is_name(turn: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (1..=100).contains(&turn.len()) && turn.chars().all(plain)
}

/// Permission bits without those that lend an owner's rights.
#[cfg(unix)]
pub(crate) fn mode_of(metadata: &Metadata) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    Some(metadata.mode() & 0o1777)
}

/// The system has none.
#[cfg(not(unix))]
pub(crate) fn mode_of(_: &Metadata) -> Option<u32> {
    None
}

impl ChangeLock {
    /// Keeps what is about to change. Durable when it returns.
    ///
    /// # Errors
    /// When it can't be written; the change must then not be made.
    pub(crate) fn keep(
        &mut self,
        own: &Path,
        turn: &str,
        act: Act,
        coming: &[PendingChange],
    ) -> Result<Written, ToolError> {
        let folder = folder_of(own, turn)?;
        let bounded = matches!(act, Act::Call { .. });
        let mut size = self.size(own, turn);
        let mut changes = Vec::new();
        for change in coming {
            let mut kept = true;
            let before = change.before.map(|(bytes, like)| Content {
                digest: Digest::of(bytes),
                bytes: bytes.len() as u64,
                mode: like.and_then(mode_of),
            });
            if let (Some(content), Some((bytes, _))) = (&before, change.before) {
                let place = folder.place(&content.digest.to_string(), PathPurpose::Writing)?;
                let fits = content.bytes <= MAX_KEPT_FILE_BYTES && size + content.bytes <= MAX_TURN_BYTES;
                kept = place.exists || fits || !bounded;
                if kept && !place.exists {
                    write(&place, bytes).map_err(|error| unkept(change.place, &error))?;
                    size += content.bytes;
                }
            }
            let path = change.place.text();
            changes.push(StoredChange {
                path,
                before,
                after: change.after,
                kept,
                made: missing(change.place),
            });
        }
        self.grew(own, turn, size);
        let at = now_ms().max(self.newest);
        self.newest = at;
        let record = Record { version: VERSION, at, act, changes };
        let text = serde_json::to_vec(&record)
            .map_err(|error| ToolError::new(Kind::Failed, format!("a record can't be written: {error}")))?;
        let place = folder.place(&name(at), PathPurpose::Writing)?;
        write(&place, &text).map_err(|error| match coming.first() {
            Some(change) => unkept(change.place, &error),
            None => failed("write", "undo", &error),
        })?;
        Ok(Written(place))
    }

    fn size(&self, own: &Path, turn: &str) -> u64 {
        let key = key(own, turn);
        if let Some((_, size)) = self.sizes.iter().find(|(known, _)| *known == key) {
            return *size;
        }
        let entries = std::fs::read_dir(own.join("undo").join(turn)).into_iter().flatten().flatten();
        let contents = entries.filter(|entry| entry.path().extension().is_none());
        contents.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
    }

    fn grew(&mut self, own: &Path, turn: &str, size: u64) {
        let key = key(own, turn);
        self.sizes.retain(|(known, _)| *known != key);
        if self.sizes.len() >= SIZES {
            self.sizes.pop_front();
        }
        self.sizes.push_back((key, size));
    }
}

fn key(own: &Path, turn: &str) -> String {
    format!("{}\n{turn}", own.display())
}

/// Names sort by time, and within a millisecond by their order.
fn name(at: u64) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{at:014}-{:012}-{}.json", NEXT.fetch_add(1, Ordering::Relaxed), std::process::id())
}

fn now_ms() -> u64 {
    u64::try_from(support::now_ms()).unwrap_or_default()
}

/// The folder of a turn, made where it is missing.
fn folder_of(own: &Path, turn: &str) -> Result<Roots, ToolError> {
    if !is_name(turn) {
        return Err(ToolError::new(Kind::Failed, "the turn's id can't be the name of a folder"));
    }
    let folder = own.join("undo").join(turn);
    std::fs::create_dir_all(&folder).map_err(|error| failed("make", "undo", &error))?;
    Ok(Roots::writable(&folder))
}

/// Nobody but the person may read what is kept: of the file itself that may be true, too.
fn write(place: &SafePath, bytes: &[u8]) -> io::Result<()> {
    place.stage_as(bytes, None, Some(0o600)).and_then(StagedFile::commit)
}

fn unkept(place: &SafePath, error: &io::Error) -> ToolError {
    let told = failed("keep", &place.text(), error);
    ToolError::new(told.kind, format!("{}; so the file was not changed", told.message))
        .with_guidance("Tell the person: what a file holds is kept before it is changed, and that failed.")
}

fn missing(place: &SafePath) -> Vec<String> {
    let whole = place.path();
    let above = whole.ancestors().skip(1);
    above
        .take_while(|folder| folder.symlink_metadata().is_err())
        .map(|folder| folder.display().to_string())
        .collect()
}

/// Records of a turn, in order, and how many can't be read.
pub(crate) fn records(own: &Path, turn: &str) -> Result<(Vec<Record>, u32), ToolError> {
    if !is_name(turn) {
        return Ok((Vec::new(), 0));
    }
    let folder = own.join("undo").join(turn);
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok((Vec::new(), 0)),
        Err(error) => return Err(failed("read", "undo", &error)),
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".json"))
        .collect();
    names.sort_unstable();
    let roots = Roots::fixed(&folder);
    let (mut records, mut unreadable) = (Vec::new(), 0);
    for name in names {
        let read = roots
            .place(&name, PathPurpose::Reading)
            .and_then(|place| load(&place, &name, MAX_RECORD_BYTES, None))
            .ok()
            .and_then(|(bytes, _)| serde_json::from_slice::<Record>(&bytes).ok())
            .filter(|record| record.version == VERSION);
        match read {
            Some(record) => records.push(record),
            None => unreadable += 1,
        }
    }
    Ok((records, unreadable))
}

/// What was kept under a digest.
pub(crate) fn content(own: &Path, turn: &str, digest: Digest, most: u64) -> Result<Vec<u8>, ToolError> {
    let folder = own.join("undo").join(turn);
    let name = digest.to_string();
    let place = Roots::fixed(&folder).place(&name, PathPurpose::Reading)?;
    let (bytes, _) = load(&place, "what was kept", most, None)?;
    if Digest::of(&bytes) != digest {
        return Err(ToolError::new(Kind::Failed, "what was kept of it was changed since"));
    }
    Ok(bytes)
}

/// Other turns of the session of which something is kept.
pub(crate) fn others(own: &Path, turn: &str) -> Vec<String> {
    let entries = std::fs::read_dir(own.join("undo")).into_iter().flatten().flatten();
    let mut turns: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name != turn && is_name(name))
        .collect();
    turns.sort_unstable();
    turns
}
