//! The files that runs wrote into a session's folder, listed with digests: what was deleted or changed since is noticed,
//! and what a person wrote into one of them is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Error, Result};
use std::path::{Path, PathBuf};

use domain::Digest;

use crate::{Readers, write_file};

/// Below the session's folder: a list of each run.
const LISTS: &str = "data/files";
/// What ends the name of a list of files that are being written.
const ANNOUNCED: &str = ".next";
/// The most copies of one file.
const MAX_COPIES: u32 = 100;

/// Digests of files by their paths in the session's folder.
pub type FileDigests = BTreeMap<String, Digest>;

/// What became of a file since it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deviation {
    /// It is gone, or can't be read.
    Missing,
    /// It has another content.
    Changed,
}

/// What differs of the files of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunDeviations {
    /// The run.
    pub run: String,
    /// Whether it has a list; without one it is not known what it wrote.
    pub listed: bool,
    /// What became of which file.
    pub files: BTreeMap<String, Deviation>,
    /// The files that another run wrote after it.
    pub others: BTreeSet<String>,
}

/// The files of a session's folder that its runs wrote.
#[derive(Debug, Clone)]
pub struct WrittenFiles {
    folder: PathBuf,
}

impl WrittenFiles {
    /// Those of the session with this folder.
    pub fn of(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Where a file stands.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// What a run has written.
    pub async fn list(&self, run: &str) -> FileDigests {
        read(&self.list_of(run, "")).await.unwrap_or_default()
    }

    /// Says what a run is about to write, so that a crash in between makes no file look changed.
    ///
    /// # Errors
    /// The list can't be written.
    pub async fn announce(&self, run: &str, digests: &FileDigests) -> Result<()> {
        let announced = self.list_of(run, ANNOUNCED);
        // Left by a crash: what was written by then is listed before its announcement is replaced.
        if let Some(before) = read(&announced).await {
            let mut list = self.list(run).await;
            for (name, digest) in before {
                if self.stands(&name, digest).await {
                    list.insert(name, digest);
                }
            }
            self.write(&self.list_of(run, ""), &list).await?;
        }
        self.write(&announced, digests).await
    }

    /// Says what a run has written.
    ///
    /// # Errors
    /// The list can't be written.
    pub async fn wrote(&self, run: &str, digests: &FileDigests) -> Result<()> {
        self.write(&self.list_of(run, ""), digests).await?;
        match tokio::fs::remove_file(self.list_of(run, ANNOUNCED)).await {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Whether a file has this content.
    pub async fn stands(&self, name: &str, digest: Digest) -> bool {
        self.digest(name).await == Some(digest)
    }

    /// Compares what runs wrote, the oldest first, with what stands on the disk. A file of several belongs to the newest.
    pub async fn deviations(&self, runs: &[String]) -> Vec<RunDeviations> {
        let mut found = Vec::new();
        let mut later: BTreeSet<String> = BTreeSet::new();
        for run in runs.iter().rev() {
            let list = read(&self.list_of(run, "")).await;
            let announced = read(&self.list_of(run, ANNOUNCED)).await.unwrap_or_default();
            let listed = list.is_some() || !announced.is_empty();
            let list = list.unwrap_or_default();
            let others = later.clone();
            let names: BTreeSet<String> = list.keys().chain(announced.keys()).cloned().collect();
            let mut files = BTreeMap::new();
            for name in names.difference(&others) {
                let written = [list.get(name), announced.get(name)];
                let deviation = match self.digest(name).await {
                    // It was announced and is not there yet.
                    None if !list.contains_key(name) => None,
                    None => Some(Deviation::Missing),
                    Some(digest) if written.contains(&Some(&digest)) => None,
                    Some(_) => Some(Deviation::Changed),
                };
                files.extend(deviation.map(|deviation| (name.clone(), deviation)));
            }
            later.extend(names);
            if !listed || !files.is_empty() {
                found.push(RunDeviations { run: run.clone(), listed, files, others });
            }
        }
        found.reverse();
        found
    }

    /// Copies a file that no run wrote as it is now, before it is replaced. Gives the name of the copy; none where nothing
    /// would be lost.
    ///
    /// # Errors
    /// The file can't be copied: it must not be replaced then.
    pub async fn keep(&self, name: &str) -> Result<Option<String>> {
        let bytes = match tokio::fs::read(self.path(name)).await {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let digest = Digest::of(&bytes);
        if self.was_written(name, digest).await? {
            return Ok(None);
        }
        for number in 1..=MAX_COPIES {
            let copy =
                if number == 1 { format!("{name}.changed") } else { format!("{name}.changed-{number}") };
            match self.digest(&copy).await {
                Some(standing) if standing == digest => return Ok(Some(copy)),
                Some(_) => {}
                None => {
                    write_file(&self.path(&copy), bytes, Readers::Default).await?;
                    return Ok(Some(copy));
                }
            }
        }
        Err(Error::other(format!("{name} was changed, and there are {MAX_COPIES} copies of it already")))
    }

    /// Whether a run wrote a file with this content, or was about to.
    async fn was_written(&self, name: &str, digest: Digest) -> Result<bool> {
        let mut entries = match tokio::fs::read_dir(self.folder.join(LISTS)).await {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        while let Some(entry) = entries.next_entry().await? {
            let list = read(&entry.path()).await.unwrap_or_default();
            if list.get(name) == Some(&digest) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn digest(&self, name: &str) -> Option<Digest> {
        tokio::fs::read(self.path(name)).await.ok().map(|bytes| Digest::of(&bytes))
    }

    fn list_of(&self, run: &str, ending: &str) -> PathBuf {
        self.folder.join(LISTS).join(format!("{run}{ending}.json"))
    }

    async fn write(&self, list: &Path, digests: &FileDigests) -> Result<()> {
        let mut bytes = serde_json::to_vec_pretty(digests)?;
        bytes.push(b'\n');
        write_file(list, bytes, Readers::Default).await
    }
}

/// A list; none where there is none that can be read.
async fn read(list: &Path) -> Option<FileDigests> {
    let bytes = tokio::fs::read(list).await.ok()?;
    serde_json::from_slice(&bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digests(files: &[(&str, &str)]) -> FileDigests {
        files.iter().map(|(name, text)| ((*name).to_owned(), Digest::of(text.as_bytes()))).collect()
    }

    fn runs(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[tokio::test]
    async fn files_that_are_gone_or_changed_are_found_with_the_newest_run_that_wrote_them() {
        let root = tempfile::tempdir().unwrap();
        let files = WrittenFiles::of(root.path().to_owned());
        for (name, text) in [("a.md", "new"), ("b.md", "changed"), ("d.md", "d")] {
            std::fs::write(files.path(name), text).unwrap();
        }
        files.wrote("r1", &digests(&[("a.md", "old"), ("c.md", "c")])).await.unwrap();
        files.wrote("r2", &digests(&[("a.md", "new"), ("b.md", "b"), ("d.md", "d")])).await.unwrap();
        let found = files.deviations(&runs(&["r1", "r2", "r3"])).await;
        let shown: Vec<_> =
            found.iter().map(|one| (one.run.as_str(), one.listed, one.files.clone())).collect();
        assert_eq!(
            shown,
            [
                ("r1", true, BTreeMap::from([("c.md".to_owned(), Deviation::Missing)])),
                ("r2", true, BTreeMap::from([("b.md".to_owned(), Deviation::Changed)])),
                ("r3", false, BTreeMap::new()),
            ]
        );
        assert!(found[0].others.contains("a.md") && !found[0].others.contains("c.md"));
    }

    #[tokio::test]
    async fn a_crash_between_the_files_and_their_list_makes_none_look_changed() {
        let root = tempfile::tempdir().unwrap();
        let files = WrittenFiles::of(root.path().to_owned());
        files.wrote("r", &digests(&[("a.md", "one"), ("b.md", "one")])).await.unwrap();
        files.announce("r", &digests(&[("a.md", "two"), ("b.md", "two"), ("c.md", "two")])).await.unwrap();
        std::fs::write(files.path("a.md"), "two").unwrap();
        std::fs::write(files.path("b.md"), "one").unwrap();
        assert!(files.deviations(&runs(&["r"])).await.is_empty());
        assert_eq!(files.keep("a.md").await.unwrap(), None);
        // The next writing is cut short before its first file.
        files.announce("r", &digests(&[("a.md", "three"), ("b.md", "three")])).await.unwrap();
        assert!(files.deviations(&runs(&["r"])).await.is_empty());
        assert_eq!(files.keep("a.md").await.unwrap(), None);
        files.wrote("r", &digests(&[("a.md", "two")])).await.unwrap();
        assert_eq!(std::fs::read_dir(root.path().join(LISTS)).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn what_a_person_wrote_is_kept_beside_the_file_once() {
        let root = tempfile::tempdir().unwrap();
        let files = WrittenFiles::of(root.path().to_owned());
        files.wrote("r", &digests(&[("a.md", "one")])).await.unwrap();
        assert_eq!(files.keep("a.md").await.unwrap(), None, "there is nothing to keep");
        std::fs::write(files.path("a.md"), "one").unwrap();
        assert_eq!(files.keep("a.md").await.unwrap(), None, "it is as it was written");
        for (text, copy) in [("mine", "a.md.changed"), ("mine", "a.md.changed"), ("more", "a.md.changed-2")] {
            std::fs::write(files.path("a.md"), text).unwrap();
            assert_eq!(files.keep("a.md").await.unwrap().as_deref(), Some(copy));
            assert_eq!(std::fs::read_to_string(files.path(copy)).unwrap(), text);
        }
    }
}
