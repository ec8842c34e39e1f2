//! Generations on disk: `<home>/knowledge/<base>/g000001/{manifest.json, paragraphs.jsonl, index.bin,
//! vectors.bin}` and the `CURRENT` file that names the one in use.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::KnowledgeError;
use crate::ingest::{FileReport, stored_reports};
use crate::paragraph::Tier;

/// The newest layout this program writes and reads.
pub const FORMAT_VERSION: u32 = 2;

pub(crate) const MANIFEST: &str = "manifest.json";
pub(crate) const PARAGRAPHS: &str = "paragraphs.jsonl";
pub(crate) const INDEX: &str = "index.bin";
pub(crate) const VECTORS: &str = "vectors.bin";
/// What became of each file, for people.
pub(crate) const REPORT: &str = "report.json";
const CURRENT: &str = "CURRENT";
const LOCK: &str = "ingest.lock";
const TEMPORARY: &str = ".ingest-";
const REMOVED: &str = ".removed-";

/// A file that went into a generation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Its path below the folder that was ingested, or its name.
    pub name: String,
    /// Length in bytes as stored.
    pub bytes: u64,
    /// SHA-256 of the bytes as stored.
    pub sha256: domain::Digest,
    /// Paragraphs taken from it, parts included.
    pub paragraphs: u64,
    /// Its format: `pdf`, `markdown`, `jsonl` …
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub format: String,
    /// The rule set that its paragraphs were found by; empty where the file itself names them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rules: String,
    /// That set's version: the beginning of its SHA-256.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rules_version: String,
    /// Which edition it says that it is: `Revised 2019`, `Version 2.1`; and that the base holds a newer one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub edition: String,
    /// The date that it gives itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub date: String,
}

/// How much a generation holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Paragraphs that a search can return.
    pub paragraphs: u64,
    /// Parts of paragraphs with an id of their own.
    pub parts: u64,
    /// Paragraphs no longer in force.
    pub withdrawn: u64,
    /// Cross-references, those that lead outside the base included.
    pub references: u64,
    /// Cross-references that name nothing in the base.
    pub dangling: u64,
}

/// What a generation's vectors are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredVectors {
    /// The stable name of the model that made them; a question's vector must come from the same.
    pub model: String,
    /// Length of each vector.
    pub dimensions: usize,
    /// SHA-256 of `vectors.bin`.
    pub digest: domain::Digest,
}

/// What `manifest.json` says about a generation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Layout version; see [`FORMAT_VERSION`].
    pub format: u32,
    /// The base's name.
    pub base: String,
    /// The generation's name.
    pub generation: String,
    /// Title shown to people.
    pub title: String,
    /// Weight of its text.
    pub tier: Tier,
    /// How a paragraph is cited, with `{id}` in it: `(Primer {id})`.
    pub citation: String,
    /// When it was ingested, milliseconds since 1970, as the caller said.
    pub created_at_ms: i64,
    /// SHA-256 of `paragraphs.jsonl`: the same inputs give the same digest.
    pub digest: domain::Digest,
    /// SHA-256 of `index.bin`, which is derived from the paragraphs; none in a generation of format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<domain::Digest>,
    /// The vectors beside it, where a model made any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors: Option<StoredVectors>,
    /// How much it holds.
    pub counts: Counts,
    /// What it was made from.
    pub sources: Vec<SourceFile>,
    /// The languages of the paragraphs, the commonest first, after ISO 639-1; empty in generations of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Words that may precede an id in a citation, as the rule sets say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Digest of what was asked for and of the readers and rules that did it: with the same recipe and the same
    /// files another ingest would give the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<domain::Digest>,
    /// The session whose attached documents it holds: such a base is its session's alone, and no list of bases names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// A base as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaseSummary {
    /// The base's name.
    pub name: String,
    /// The current generation's manifest.
    pub manifest: Manifest,
}

pub(crate) fn bases_dir(home: &Path) -> PathBuf {
    home.join("knowledge")
}

/// The folder of a base, whether it is there or not.
///
/// # Errors
/// `BadName` for what no base can be called.
pub fn base_folder(home: &Path, base: &str) -> Result<PathBuf, KnowledgeError> {
    Ok(bases_dir(home).join(checked_name(base)?))
}

pub(crate) fn checked_name(name: &str) -> Result<&str, KnowledgeError> {
    let ok = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || b"-_.".contains(&c);
    let first = name.bytes().next().is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    if first && name.len() <= 64 && name.bytes().all(ok) {
        Ok(name)
    } else {
        Err(KnowledgeError::BadName { name: name.chars().take(80).collect() })
    }
}

/// The bases below `home` that can be opened, by name. Folders without a readable current generation are
/// left out; opening one of them by name says why. So are those of a session's attached documents.
pub fn list_bases(home: &Path) -> Result<Vec<BaseSummary>, KnowledgeError> {
    Ok(readable(home).filter(|base| base.manifest.session.is_none()).collect())
}

/// Removes the bases of a session's attached documents.
pub fn remove_session_bases(home: &Path, session: &str) -> Result<(), KnowledgeError> {
    let of_session = |base: &BaseSummary| base.manifest.session.as_deref() == Some(session);
    readable(home).filter(of_session).try_for_each(|base| remove_base(home, &base.name))
}

fn readable(home: &Path) -> impl Iterator<Item = BaseSummary> {
    base_ids(home).into_iter().filter_map(|name| {
        let (_, manifest) = current(home, &name).ok()?;
        Some(BaseSummary { name, manifest })
    })
}

/// The lock of a base's writer.
struct WriteLock(File);

impl WriteLock {
    fn take(folder: &Path, base: &str) -> Result<Self, KnowledgeError> {
        let path = folder.join(LOCK);
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(KnowledgeError::io(&path))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self(lock)),
            Err(fs::TryLockError::WouldBlock) => Err(KnowledgeError::Busy { base: base.to_owned() }),
            Err(fs::TryLockError::Error(error)) => Err(KnowledgeError::io(&path)(error)),
        }
    }
}

impl Drop for WriteLock {
    /// Closing the file is not enough: a child process that is being started shares it until it begins its own program.
    fn drop(&mut self) {
        // Where that fails, closing it is what is left.
        let _ = self.0.unlock();
    }
}

/// Removes a base with all its generations. It is gone at once for whoever opens it; what is open stays readable.
pub fn remove_base(home: &Path, name: &str) -> Result<(), KnowledgeError> {
    current_generation(home, name)?;
    let folder = bases_dir(home).join(name);
    let lock = WriteLock::take(&folder, name)?;
    // Under a name that is no base's: a removal that is cut short leaves no half of one.
    let mut gone = bases_dir(home).join(format!("{REMOVED}{name}"));
    for turn in 1.. {
        if !gone.exists() {
            break;
        }
        gone.set_file_name(format!("{REMOVED}{name}-{turn}"));
    }
    fs::rename(&folder, &gone).map_err(KnowledgeError::io(&folder))?;
    drop(lock);
    for entry in fs::read_dir(bases_dir(home)).map_err(KnowledgeError::io(&folder))?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(REMOVED) {
            // What can't be deleted now is no base any more; the next removal deletes it.
            let _ = remove(&entry.path());
        }
    }
    Ok(())
}

/// The ids of all bases with a current generation, those of attached documents among them: the names of their folders, in their
/// order.
pub fn base_ids(home: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(bases_dir(home)) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| checked_name(name).is_ok() && bases_dir(home).join(name).join(CURRENT).is_file())
        .collect();
    names.sort_unstable();
    names
}

/// The name of a base's current generation. It costs one small read, so a long-lived reader can ask often.
pub fn current_generation(home: &Path, base: &str) -> Result<String, KnowledgeError> {
    let folder = bases_dir(home).join(checked_name(base)?);
    match fs::read_to_string(folder.join(CURRENT)) {
        Ok(text) => Ok(text.trim().to_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            // Whose the others are, and who asks, is not known here.
            Err(KnowledgeError::UnknownBase { name: base.to_owned(), existing: Vec::new() })
        }
        Err(error) => Err(KnowledgeError::io(&folder.join(CURRENT))(error)),
    }
}

pub(crate) fn current(home: &Path, base: &str) -> Result<(PathBuf, Manifest), KnowledgeError> {
    pinned(home, base, &current_generation(home, base)?)
}

/// The manifest of one generation, without its paragraphs.
///
/// # Errors
/// When there is no such generation, or its manifest can't be read.
pub fn generation_manifest(home: &Path, base: &str, generation: &str) -> Result<Manifest, KnowledgeError> {
    pinned(home, base, generation).map(|(_, manifest)| manifest)
}

/// How the files of one generation were read; empty where it was made before that was kept.
///
/// # Errors
/// When there is no such generation.
pub fn generation_reports(
    home: &Path,
    base: &str,
    generation: &str,
) -> Result<Vec<FileReport>, KnowledgeError> {
    pinned(home, base, generation).map(|(folder, _)| stored_reports(&folder).unwrap_or_default())
}

pub(crate) fn pinned(
    home: &Path,
    base: &str,
    generation: &str,
) -> Result<(PathBuf, Manifest), KnowledgeError> {
    let unknown =
        || KnowledgeError::UnknownGeneration { base: base.to_owned(), generation: generation.to_owned() };
    if number(generation).is_none() {
        return Err(unknown());
    }
    let folder = bases_dir(home).join(checked_name(base)?).join(generation);
    match manifest_at(base, &folder.join(MANIFEST)) {
        Err(KnowledgeError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            Err(unknown())
        }
        read => read.map(|manifest| (folder, manifest)),
    }
}

/// The manifest in a file, of a base called `base`.
pub(crate) fn manifest_at(base: &str, path: &Path) -> Result<Manifest, KnowledgeError> {
    let text = fs::read_to_string(path).map_err(KnowledgeError::io(path))?;
    let damaged =
        |what: String| KnowledgeError::Damaged { base: base.to_owned(), path: path.to_owned(), what };
    // The version is read on its own first: the rest of a newer manifest may have any shape.
    #[derive(Deserialize)]
    struct Version {
        format: u32,
    }
    let Version { format } = serde_json::from_str(&text).map_err(|e| damaged(e.to_string()))?;
    if format > FORMAT_VERSION {
        return Err(KnowledgeError::NewerFormat {
            base: base.to_owned(),
            found: format,
            supported: FORMAT_VERSION,
        });
    }
    serde_json::from_str(&text).map_err(|e| damaged(e.to_string()))
}

fn number(generation: &str) -> Option<u64> {
    generation.strip_prefix('g').filter(|digits| digits.len() >= 6)?.parse().ok()
}

/// A generation being written. Dropping it without [`Draft::publish`] removes what was written.
pub(crate) struct Draft {
    base: String,
    folder: PathBuf,
    temporary: PathBuf,
    pub(crate) generation: String,
    published: bool,
    /// Held for its lock: one writer a base.
    _lock: WriteLock,
}

impl Draft {
    /// Takes the base's write lock and clears what an interrupted ingest left behind.
    pub(crate) fn begin(home: &Path, base: &str) -> Result<Self, KnowledgeError> {
        let folder = bases_dir(home).join(checked_name(base)?);
        fs::create_dir_all(&folder).map_err(KnowledgeError::io(&folder))?;
        let lock = WriteLock::take(&folder, base)?;
        let in_use = fs::read_to_string(folder.join(CURRENT)).ok().and_then(|text| number(text.trim()));
        let mut highest = in_use.unwrap_or(0);
        for entry in fs::read_dir(&folder).map_err(KnowledgeError::io(&folder))?.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            // Complete but never made current: no reader can have opened it.
            let orphan = number(&name).is_some_and(|n| in_use.is_none_or(|current| n > current));
            if name.starts_with(TEMPORARY) || orphan {
                remove(&entry.path())?;
            } else {
                highest = highest.max(number(&name).unwrap_or(0));
            }
        }
        let generation = format!("g{:06}", highest + 1);
        let temporary = folder.join(format!("{TEMPORARY}{generation}"));
        fs::create_dir(&temporary).map_err(KnowledgeError::io(&temporary))?;
        Ok(Self { base: base.to_owned(), folder, temporary, generation, published: false, _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.temporary
    }

    /// The base's folder.
    pub(crate) fn base_folder(&self) -> &Path {
        &self.folder
    }

    /// Makes everything durable, then current. After this returns the base is the new generation; if the
    /// machine dies before, it is the old one.
    pub(crate) fn publish(mut self, manifest: &Manifest) -> Result<(), KnowledgeError> {
        debug_assert_eq!(manifest.base, self.base);
        let path = self.temporary.join(MANIFEST);
        let mut text = serde_json::to_vec_pretty(manifest)?;
        text.push(b'\n');
        fs::write(&path, text).map_err(KnowledgeError::io(&path))?;
        sync_tree(&self.temporary)?;
        let target = self.folder.join(&self.generation);
        fs::rename(&self.temporary, &target).map_err(KnowledgeError::io(&target))?;
        self.published = true;
        sync_names(&self.folder)?;
        replace_file(&self.folder.join(CURRENT), format!("{}\n", self.generation).as_bytes())
    }
}

/// Writes a file of a base's folder as a whole or not at all.
///
/// # Errors
/// Those of the disk.
pub fn replace_file(path: &Path, text: &[u8]) -> Result<(), KnowledgeError> {
    // Under a name of its own beside it: two runs may write the same file at the same time.
    support::replace_file(path, text, support::Readers::Default).map_err(KnowledgeError::io(path))
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.published {
            // A failure here is repaired by the next ingest, which clears leftovers.
            let _ = fs::remove_dir_all(&self.temporary);
        }
    }
}

fn remove(path: &Path) -> Result<(), KnowledgeError> {
    let kind = fs::symlink_metadata(path).map_err(KnowledgeError::io(path))?;
    if kind.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
        .map_err(KnowledgeError::io(path))
}

fn sync_tree(folder: &Path) -> Result<(), KnowledgeError> {
    for entry in fs::read_dir(folder).map_err(KnowledgeError::io(folder))? {
        let path = entry.map_err(KnowledgeError::io(folder))?.path();
        if path.is_dir() {
            sync_tree(&path)?;
        } else {
            support::sync_file(&path).map_err(KnowledgeError::io(&path))?;
        }
    }
    sync_names(folder)
}

fn sync_names(folder: &Path) -> Result<(), KnowledgeError> {
    support::sync_folder(folder).map_err(KnowledgeError::io(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_given_back_although_a_child_that_starts_still_shares_it() {
        let folder = tempfile::tempdir().unwrap();
        let lock = WriteLock::take(folder.path(), "base").unwrap();
        let shared = lock.0.try_clone().unwrap();
        assert!(matches!(WriteLock::take(folder.path(), "base"), Err(KnowledgeError::Busy { .. })));
        drop(lock);
        assert!(WriteLock::take(folder.path(), "base").is_ok());
        drop(shared);
    }
}
