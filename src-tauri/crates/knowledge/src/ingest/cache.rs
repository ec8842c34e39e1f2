//! What was read of a document is kept beside the generations, so that an unchanged file is not parsed again. A name
//! says all that the reading depended on; what is lost or damaged is read anew.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

use super::limits::BASE_BYTES;
use super::read::{FileRead, Readers};
use super::sources::{Kind, SourcePath};

/// Raised when the readers or the structure made of a document change.
const VERSION: u32 = 5;

/// The readings that are kept of one base.
pub(crate) struct StoredReadings {
    folder: PathBuf,
    used: BTreeSet<String>,
    /// Other bases may be made of them, too.
    shared: bool,
}

/// Everything that the reading of any document depends on, besides the file.
pub(crate) fn recipe(readers: &Readers) -> String {
    let mut parts = vec![VERSION.to_string(), env!("CARGO_PKG_VERSION").to_owned()];
    match readers.wanted {
        Some(wanted) => parts.extend([wanted.set.name.clone(), wanted.version.clone()]),
        None => parts.extend(readers.rules.all().iter().map(|set| set.version.clone())),
    }
    parts.join(" ")
}

impl StoredReadings {
    /// Those in the base's `folder`.
    pub(crate) fn below(folder: &Path) -> Self {
        Self { folder: folder.join("read"), used: BTreeSet::new(), shared: false }
    }

    /// Those of several bases.
    pub(crate) fn shared(folder: PathBuf) -> Self {
        Self { folder, used: BTreeSet::new(), shared: true }
    }

    /// The name under which a file's reading is kept. JSONL is in that form already.
    pub(crate) fn key(&self, source: &SourcePath, sha256: domain::Digest, recipe: &str) -> Option<String> {
        if source.kind == Kind::Jsonl {
            return None;
        }
        let all = format!("{sha256}\n{}\n{}\n{recipe}", source.kind.name(), source.name);
        Some(format!("{}.gz", domain::Digest(Sha256::digest(all.as_bytes()).into())))
    }

    pub(crate) fn get(&mut self, key: &str) -> Option<FileRead> {
        let read = self.load(key).ok()?;
        self.used.insert(key.to_owned());
        Some(read)
    }

    fn load(&self, key: &str) -> io::Result<FileRead> {
        let unpacked = GzDecoder::new(BufReader::new(File::open(self.folder.join(key))?));
        let mut lines = BufReader::with_capacity(1 << 18, unpacked.take(4 * BASE_BYTES));
        let mut line = Vec::new();
        lines.read_until(b'\n', &mut line)?;
        let (count, mut read): (usize, FileRead) = serde_json::from_slice(&line)?;
        loop {
            line.clear();
            if lines.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            read.drafts.push(serde_json::from_slice(&line)?);
        }
        if count == read.drafts.len() { Ok(read) } else { Err(io::Error::other("cut short")) }
    }

    /// Keeps a reading. A failure costs only that the file is read again.
    pub(crate) fn put(&mut self, key: &str, read: &FileRead) {
        let temporary = self.folder.join(format!("{key}.next"));
        let written = fs::create_dir_all(&self.folder)
            .and_then(|()| self.write(&temporary, read))
            .and_then(|()| fs::rename(&temporary, self.folder.join(key)));
        match written {
            Ok(()) => drop(self.used.insert(key.to_owned())),
            Err(_) => drop(fs::remove_file(&temporary)),
        }
    }

    fn write(&self, path: &PathBuf, read: &FileRead) -> io::Result<()> {
        let mut out = BufWriter::new(GzEncoder::new(File::create(path)?, Compression::fast()));
        serde_json::to_writer(&mut out, &(read.drafts.len(), read))?;
        for draft in &read.drafts {
            out.write_all(b"\n")?;
            serde_json::to_writer(&mut out, draft)?;
        }
        out.write_all(b"\n")?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.finish()?.flush()
    }

    /// Removes the readings that this ingest had no use for, where no other base may have.
    pub(crate) fn sweep(&self) {
        if self.shared {
            return;
        }
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if !self.used.contains(&*entry.file_name().to_string_lossy()) {
                // It is looked at again by the next ingest.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}
