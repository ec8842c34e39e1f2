//! Sessions for another machine, exactly as they are stored: a zip archive with a manifest.
//!
//! The manifest lists every entry with its size and its SHA-256. Logs and payloads stand in it as they are in the database,
//! so that the fold of an imported log is the fold of the original. Nothing is unpacked to disk by name: whoever reads asks
//! for entries one by one, and a name that could lead anywhere refuses the whole bundle.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Read, Seek, Write};

use domain::Digest;
use serde::{Deserialize, Serialize};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::limits::Limits;
use crate::names::{check_name, is_id};

/// What a manifest says that the archive is.
pub const BUNDLE_FORMAT: &str = "agentnative-bundle";
/// The version of the form that this program writes.
pub const BUNDLE_VERSION: u32 = 1;
/// The manifest's name. It is the last entry that is written and the first that is read.
const MANIFEST: &str = "manifest.json";
/// From this size on an entry that unfolds to very much more than it takes is refused.
const SMALL: u64 = 1 << 20;

/// What is in a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// [`BUNDLE_FORMAT`].
    pub format: String,
    /// The form's version.
    pub version: u32,
    /// The version of the database that the logs come from.
    pub schema: u32,
    /// The version of the program that wrote it.
    pub program: String,
    /// When it was written, in milliseconds since 1970.
    pub created_at: i64,
    /// Ids of its sessions.
    pub sessions: Vec<String>,
    /// Every other entry.
    pub entries: Vec<Entry>,
}

/// An entry as the manifest lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: u64,
    /// Their SHA-256.
    pub sha256: Digest,
}

/// A session in a bundle: `sessions/<id>/session.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionFile {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// When it began, in milliseconds since 1970.
    pub created_at: i64,
    /// Whether the person flagged it.
    pub flagged: bool,
    /// Whether it was put away.
    pub archived: bool,
    /// The id of its status; empty for the default.
    pub status: String,
    /// Its labels, each `id` or `id::value`.
    pub labels: Vec<String>,
    /// The slug of its connection.
    pub connection: String,
    /// Its model.
    pub model: String,
    /// What it is set to, as it is stored.
    pub setup: String,
    /// How many messages it has; 0 where that is not told.
    pub messages: u64,
    /// Its runs and turns, the oldest first.
    pub runs: Vec<String>,
}

/// A run or turn in a bundle: `sessions/<id>/runs/<run>.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunFile {
    /// Its id.
    pub id: String,
    /// `run`, `turn` or another kind.
    pub kind: String,
    /// Slug of its agent.
    pub agent: String,
    /// Its status word.
    pub status: String,
    /// Its title.
    pub title: String,
    /// One line on how it stands.
    pub line: String,
    /// The run that it follows.
    pub previous: Option<String>,
    /// The run that it works for.
    pub parent: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub created_at: i64,
    /// When it changed last, in milliseconds since 1970.
    pub updated_at: i64,
    /// What its owner keeps with it: text, or hexadecimal digits where it is none.
    pub meta: String,
    /// Whether `meta` is hexadecimal digits.
    pub meta_is_hex: bool,
    /// Its log.
    pub log: Vec<StoredBatch>,
    /// The payloads that it refers to: entries `blobs/<digest>`.
    pub blobs: Vec<Digest>,
}

/// The events of one commit, as they are stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredBatch {
    /// The number of the first.
    pub first: u64,
    /// The number of the last.
    pub last: u64,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Their text.
    pub events: String,
}

/// Why a bundle is refused.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// It is no archive, or not one of ours.
    #[error("this is not a bundle of this program: {0}")]
    NotOne(String),
    /// It was written by a newer program.
    #[error("the bundle's {what} has version {found}; this program reads up to {known}")]
    Newer {
        /// `form` or `database`.
        what: &'static str,
        /// Its version.
        found: u32,
        /// The newest that is read.
        known: u32,
    },
    /// It is larger than what is read.
    #[error("the bundle is larger than what is read: {0}")]
    TooLarge(String),
    /// An entry that no bundle of ours has.
    #[error("the bundle was refused because of its entry {name:?}: {why}")]
    Entry {
        /// Its name.
        name: String,
        /// Why.
        why: String,
    },
    /// The system refused.
    #[error("the bundle can't be read or written: {0}")]
    Io(#[from] io::Error),
}

/// Writes a bundle.
pub struct BundleWriter<W: Write + Seek> {
    zip: ZipWriter<W>,
    entries: Vec<Entry>,
    written: HashSet<String>,
}

impl<W: Write + Seek> BundleWriter<W> {
    /// Into a file that is empty.
    pub fn new(out: W) -> Self {
        Self { zip: ZipWriter::new(out), entries: Vec::new(), written: HashSet::new() }
    }

    /// Adds an entry; one that is there already, in whatever case, is left as it is. Whether it was added.
    ///
    /// # Errors
    /// A name or a size that a reader would refuse, and those of writing.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> Result<bool, BundleError> {
        check_name(name).map_err(|fault| refused(name, fault.to_string()))?;
        if bytes.len() as u64 > Limits::default().largest_entry() {
            return Err(refused(name, "it is too large".to_owned()));
        }
        if !self.written.insert(name.to_lowercase()) {
            return Ok(false);
        }
        self.put(name, bytes)?;
        self.entries.push(Entry {
            name: name.to_owned(),
            bytes: bytes.len() as u64,
            sha256: Digest::of(bytes),
        });
        Ok(true)
    }

    /// Adds a value as JSON.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn add_json(&mut self, name: &str, value: &impl Serialize) -> Result<bool, BundleError> {
        let bytes = serde_json::to_vec(value).map_err(|error| io::Error::other(error.to_string()))?;
        self.add(name, &bytes)
    }

    /// Ends it with its manifest; the entries of `manifest` are those that were added.
    ///
    /// # Errors
    /// Those of writing.
    pub fn finish(mut self, manifest: Manifest) -> Result<W, BundleError> {
        let manifest = Manifest { entries: std::mem::take(&mut self.entries), ..manifest };
        let bytes = serde_json::to_vec(&manifest).map_err(|error| io::Error::other(error.to_string()))?;
        self.put(MANIFEST, &bytes)?;
        self.zip.finish().map_err(zip_failed)
    }

    fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), BundleError> {
        // Pictures and archives do not shrink; what shrinks like a bomb would be refused as one.
        let shrinks = bytes.len() < 64
            || !bytes.starts_with(b"\x89PNG") && !bytes.starts_with(b"PK\x03\x04") && !is_monotonous(bytes);
        let method = if shrinks { CompressionMethod::Deflated } else { CompressionMethod::Stored };
        // The date is none, so that the same sessions give the same bytes.
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(zip::DateTime::default())
            .unix_permissions(0o600);
        self.zip.start_file(name, options).map_err(zip_failed)?;
        self.zip.write_all(bytes)?;
        Ok(())
    }
}

/// A bundle that is read.
pub struct Bundle<R: Read + Seek> {
    zip: ZipArchive<R>,
    manifest: Manifest,
    places: HashMap<String, (usize, Entry)>,
    limits: Limits,
}

impl<R: Read + Seek> Bundle<R> {
    /// Opens a bundle, with every entry's name, kind and size checked. `schema` is the newest version of the database that
    /// is understood.
    ///
    /// # Errors
    /// When it is none, is newer, or anything in it is not as a bundle's.
    pub fn open(source: R, schema: u32, limits: Limits) -> Result<Self, BundleError> {
        let mut zip = ZipArchive::new(source).map_err(|error| BundleError::NotOne(error.to_string()))?;
        if zip.len() > limits.entries {
            let what = format!("it has {} entries, at most {} are read", zip.len(), limits.entries);
            return Err(BundleError::TooLarge(what));
        }
        let mut indexes: HashMap<String, usize> = HashMap::with_capacity(zip.len());
        let (mut folded, mut total) = (HashSet::with_capacity(zip.len()), 0u64);
        for index in 0..zip.len() {
            let entry = zip.by_index_raw(index).map_err(|error| BundleError::NotOne(error.to_string()))?;
            let name = name_of(&entry)?;
            let why = |why: &str| Err(refused(&name, why.to_owned()));
            if entry.is_symlink() || entry.is_dir() || !entry.unix_mode().is_none_or(is_plain) {
                return why("it is no plain file");
            }
            if entry.encrypted() {
                return why("it is encrypted");
            }
            if let Err(fault) = check_name(&name) {
                return why(&fault.to_string());
            }
            if !folded.insert(name.to_lowercase()) {
                return why("there are two of that name");
            }
            if entry.size() > limits.largest_entry() {
                return why("it is too large");
            }
            if entry.size() > SMALL && entry.size() / entry.compressed_size().max(1) > limits.ratio {
                return why("it unfolds to far more than it takes");
            }
            total = total.saturating_add(entry.size());
            if total > limits.total_bytes {
                let what = format!("it unfolds to more than {} bytes", limits.total_bytes);
                return Err(BundleError::TooLarge(what));
            }
            drop(entry);
            indexes.insert(name, index);
        }
        let index =
            indexes.remove(MANIFEST).ok_or_else(|| BundleError::NotOne("it has no manifest".to_owned()))?;
        let bytes = unfold(&mut zip, index, limits.largest_entry())?;
        let manifest = read_manifest(&bytes, schema)?;
        let mut places = HashMap::with_capacity(manifest.entries.len());
        for entry in &manifest.entries {
            let Some(index) = indexes.remove(&entry.name) else {
                return Err(refused(&entry.name, "the manifest names it, and it is not there".to_owned()));
            };
            places.insert(entry.name.clone(), (index, entry.clone()));
        }
        if let Some(name) = indexes.into_keys().next() {
            return Err(refused(&name, "the manifest does not name it".to_owned()));
        }
        if let Some(id) = manifest.sessions.iter().find(|id| !is_id(id)) {
            return Err(refused(id, "it can't be the id of a session".to_owned()));
        }
        Ok(Self { zip, manifest, places, limits })
    }

    /// What is in it.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Names of the entries that begin so, with their sizes.
    pub fn names(&self, start: &str) -> BTreeMap<String, u64> {
        let of = self.manifest.entries.iter().filter(|entry| entry.name.starts_with(start));
        of.map(|entry| (entry.name.clone(), entry.bytes)).collect()
    }

    /// Whether there is an entry of that name.
    pub fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// An entry's bytes, compared with their digest.
    ///
    /// # Errors
    /// When there is none, or it is not what the manifest says.
    pub fn read(&mut self, name: &str) -> Result<Vec<u8>, BundleError> {
        let Some((index, entry)) = self.places.get(name).cloned() else {
            return Err(refused(name, "it is not there".to_owned()));
        };
        let bytes = unfold(&mut self.zip, index, entry.bytes.min(self.limits.largest_entry()))?;
        if bytes.len() as u64 != entry.bytes || Digest::of(&bytes) != entry.sha256 {
            return Err(refused(name, "its bytes are not those that the manifest names".to_owned()));
        }
        Ok(bytes)
    }

    /// An entry's JSON.
    ///
    /// # Errors
    /// As [`Self::read`]; when it says something else.
    pub fn read_json<T: serde::de::DeserializeOwned>(&mut self, name: &str) -> Result<T, BundleError> {
        let bytes = self.read(name)?;
        serde_json::from_slice(&bytes).map_err(|error| refused(name, error.to_string()))
    }
}

fn name_of<R: Read>(entry: &zip::read::ZipFile<'_, R>) -> Result<String, BundleError> {
    entry.name().map(std::borrow::Cow::into_owned).map_err(zip_failed)
}

/// Whether bytes are so many and so alike that they could shrink beyond the ratio that readers allow. Deflate gets there
/// only where almost every run of 258 bytes repeats what stands before it.
fn is_monotonous(bytes: &[u8]) -> bool {
    if bytes.len() as u64 <= SMALL {
        return false;
    }
    let (mut seen, mut runs, mut new) = (HashSet::new(), 0usize, 0usize);
    for run in bytes.chunks_exact(8).step_by(16) {
        runs += 1;
        new += usize::from(seen.insert(run));
    }
    new < runs / 100
}

/// A plain file's mode: no type at all, or that of a file.
fn is_plain(mode: u32) -> bool {
    matches!(mode & 0o170_000, 0 | 0o100_000)
}

fn read_manifest(bytes: &[u8], schema: u32) -> Result<Manifest, BundleError> {
    #[derive(Deserialize)]
    struct Versions {
        #[serde(default)]
        format: String,
        #[serde(default)]
        version: u32,
        #[serde(default)]
        schema: u32,
    }
    let not_one =
        |error: serde_json::Error| BundleError::NotOne(format!("its manifest is not understood: {error}"));
    let versions: Versions = serde_json::from_slice(bytes).map_err(not_one)?;
    if versions.format != BUNDLE_FORMAT {
        return Err(BundleError::NotOne("its manifest names another format".to_owned()));
    }
    // Read before the rest: a newer manifest may look different.
    for (what, found, known) in
        [("form", versions.version, BUNDLE_VERSION), ("database", versions.schema, schema)]
    {
        if found > known {
            return Err(BundleError::Newer { what, found, known });
        }
    }
    serde_json::from_slice(bytes).map_err(not_one)
}

/// An entry's bytes, never more than the limit, whatever its head says.
fn unfold<R: Read + Seek>(zip: &mut ZipArchive<R>, index: usize, limit: u64) -> Result<Vec<u8>, BundleError> {
    let entry = zip.by_index(index).map_err(zip_failed)?;
    let name = name_of(&entry)?;
    let mut bytes = Vec::with_capacity(entry.size().min(limit).min(8 << 20) as usize);
    entry.take(limit + 1).read_to_end(&mut bytes).map_err(|error| refused(&name, error.to_string()))?;
    if bytes.len() as u64 > limit {
        return Err(refused(&name, "it unfolds to more than it says".to_owned()));
    }
    Ok(bytes)
}

fn refused(name: &str, why: String) -> BundleError {
    BundleError::Entry { name: name.chars().take(120).collect(), why }
}

fn zip_failed(error: zip::result::ZipError) -> BundleError {
    match error {
        zip::result::ZipError::Io(error) => BundleError::Io(error),
        other => BundleError::NotOne(other.to_string()),
    }
}
