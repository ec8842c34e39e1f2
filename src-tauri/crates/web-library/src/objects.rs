//! Files by the SHA-256 of their bytes, `objects/aa/<sha256>`. Any number of processes may write the same one.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use domain::Digest;
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use crate::error::Refusal;
use crate::files;

/// Below the objects: files that are being written.
const INCOMING: &str = ".incoming";

/// The store.
#[derive(Debug, Clone)]
pub struct Objects {
    root: PathBuf,
}

/// An object that is being written. Dropped before its end it leaves nothing.
#[derive(Debug)]
pub struct ObjectDraft {
    file: NamedTempFile,
    hasher: Sha256,
    bytes: u64,
}

/// An object that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredObject {
    /// The digest of its bytes, and its name.
    pub digest: Digest,
    /// Its length.
    pub bytes: u64,
}

impl Write for ObjectDraft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Objects {
    /// The store in a folder, which need not be there.
    pub fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Where an object stands.
    pub fn path(&self, digest: &Digest) -> PathBuf {
        let name = digest.to_string();
        self.root.join(&name[..2]).join(name)
    }

    /// Where files are that are being written.
    pub(crate) fn incoming(&self) -> PathBuf {
        self.root.join(INCOMING)
    }

    /// Where what belongs to an object stands.
    pub(crate) fn beside(&self, digest: &Digest, ending: &str) -> PathBuf {
        let path = self.path(digest);
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(ending);
        path.with_file_name(name)
    }

    /// Whether an object is there.
    pub fn has(&self, digest: &Digest) -> bool {
        self.path(digest).is_file()
    }

    /// Begins an object.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn draft(&self) -> Result<ObjectDraft, Refusal> {
        let file = files::unfinished(&self.incoming())?;
        Ok(ObjectDraft { file, hasher: Sha256::new(), bytes: 0 })
    }

    /// Puts a finished object in its place, on the disk; one that is there already stays.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn keep(&self, draft: ObjectDraft) -> Result<StoredObject, Refusal> {
        let ObjectDraft { file, hasher, bytes } = draft;
        let stored = StoredObject { digest: Digest(hasher.finalize().into()), bytes };
        let path = self.path(&stored.digest);
        // Other bytes are what a damaged disk leaves: they are written again.
        if self.check(&stored.digest).is_ok() {
            return Ok(stored);
        }
        if let Some(folder) = path.parent() {
            files::create(folder)?;
        }
        files::finish(file, &path)?;
        Ok(stored)
    }

    /// Whether the bytes of an object are those that its name says.
    ///
    /// # Errors
    /// [`Refusal::Absent`], [`Refusal::Damaged`], or when the file system refuses.
    pub fn check(&self, digest: &Digest) -> Result<(), Refusal> {
        let path = self.path(digest);
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Refusal::Absent),
            Err(error) => return Err(Refusal::disk(&path)(error)),
        };
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = file.read(&mut buffer).map_err(Refusal::disk(&path))?;
            if read == 0 {
                break;
            }
            hasher.update(&buffer[..read]);
        }
        if Digest(hasher.finalize().into()) == *digest { Ok(()) } else { Err(Refusal::Damaged { path }) }
    }

    /// The digests of all objects, in order.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn list(&self) -> Result<Vec<Digest>, Refusal> {
        let mut found = Vec::new();
        for folder in files::named(&self.root, "")?.into_iter().filter(|path| path.is_dir()) {
            for path in files::named(&folder, "")? {
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                found.extend(name.parse::<Digest>().ok());
            }
        }
        Ok(found)
    }

    /// Removes an object with what belongs to it; says how many bytes that freed.
    pub(crate) fn remove(&self, digest: &Digest) -> Result<u64, Refusal> {
        let path = self.path(digest);
        let mut freed = 0;
        let name = digest.to_string();
        for file in files::named(path.parent().unwrap_or(Path::new("")), "")? {
            let is_its =
                file.file_name().and_then(|file| file.to_str()).is_some_and(|file| file.starts_with(&name));
            if is_its {
                freed += fs::metadata(&file).map_or(0, |data| data.len());
                files::remove(&file)?;
            }
        }
        Ok(freed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use std::time::{Duration, SystemTime};
    use tempfile::TempDir;

    fn put(objects: &Objects, bytes: &[u8]) -> StoredObject {
        let mut draft = objects.draft().unwrap();
        draft.write_all(bytes).unwrap();
        objects.keep(draft).unwrap()
    }

    fn incoming(folder: &TempDir) -> usize {
        fs::read_dir(folder.path().join(INCOMING)).map_or(0, Iterator::count)
    }

    #[test]
    fn the_same_bytes_are_kept_once_under_their_digest() {
        let folder = TempDir::new().unwrap();
        let objects = Objects::new(folder.path().to_owned());
        let stored = put(&objects, b"words");
        assert_eq!(stored, StoredObject { digest: Digest::of(b"words"), bytes: 5 });
        assert_eq!(put(&objects, b"words"), stored);
        assert_eq!(objects.list().unwrap(), [stored.digest]);
        assert_eq!(fs::read(objects.path(&stored.digest)).unwrap(), b"words");
        let name = stored.digest.to_string();
        assert!(objects.path(&stored.digest).ends_with(format!("{}/{name}", &name[..2])));
        assert!(objects.check(&stored.digest).is_ok());
        assert_eq!(incoming(&folder), 0);
    }

    #[test]
    fn a_crash_before_the_rename_leaves_no_object_and_its_rest_is_cleaned_up() {
        let folder = TempDir::new().unwrap();
        let objects = Objects::new(folder.path().to_owned());
        let mut draft = objects.draft().unwrap();
        draft.write_all(b"half").unwrap();
        // What a killed process leaves: nothing is dropped.
        draft.file.into_temp_path().keep().unwrap();
        assert_eq!(objects.list().unwrap(), []);
        assert_eq!(incoming(&folder), 1);
        let hour = Duration::from_secs(3_600);
        let now = SystemTime::now();
        assert_eq!(files::remove_unfinished(folder.path(), hour, now).unwrap(), 0);
        assert_eq!(files::remove_unfinished(folder.path(), hour, now + hour * 2).unwrap(), 1);
        assert_eq!(incoming(&folder), 0);
        let draft = objects.draft().unwrap();
        drop(draft);
        assert_eq!(incoming(&folder), 0);
    }

    #[test]
    fn any_number_of_writers_of_one_object_at_once_leave_it_whole() {
        let folder = TempDir::new().unwrap();
        let bytes: Vec<u8> = (0..1 << 20).map(|index| (index % 251) as u8).collect();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let objects = Objects::new(folder.path().to_owned());
                    for _ in 0..5 {
                        let stored = put(&objects, &bytes);
                        objects.check(&stored.digest).unwrap();
                    }
                });
            }
        });
        let objects = Objects::new(folder.path().to_owned());
        assert_eq!(objects.list().unwrap(), [Digest::of(&bytes)]);
        assert_eq!(incoming(&folder), 0);
    }

    #[test]
    fn a_changed_object_is_noticed_and_mended_by_the_next_fetch() {
        let folder = TempDir::new().unwrap();
        let objects = Objects::new(folder.path().to_owned());
        let stored = put(&objects, b"words");
        for other in [&b"other words"[..], b"Words"] {
            fs::write(objects.path(&stored.digest), other).unwrap();
            assert_eq!(objects.check(&stored.digest).unwrap_err().code(), "damaged");
            put(&objects, b"words");
            assert!(objects.check(&stored.digest).is_ok());
        }
        assert_eq!(objects.check(&Digest::of(b"none")).unwrap_err().code(), "absent");
    }
}
