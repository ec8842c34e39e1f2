//! Which answers rest on text that a knowledge base no longer has. A projection: the file may be deleted, and is made anew from
//! the answers' records and the bases. Read with every list, so it is kept in memory for as long as the file is the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use support::{Readers, replace_file};

/// Its file in the data directory.
const FILE: &str = "stale-answers.json";

/// What was found when answers were last compared with the bases.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StaleAnswers {
    /// The generation of each base that they were compared with.
    pub generations: BTreeMap<String, String>,
    /// By session: its newest answer, where sentences of it no longer hold.
    pub sessions: BTreeMap<String, StaleAnswer>,
}

/// An answer of which sentences rest on text that was changed or withdrawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaleAnswer {
    /// The run.
    pub run: String,
    /// How many sentences.
    pub sentences: u32,
}

/// The file with what was found.
pub struct StaleAnswersFile {
    path: PathBuf,
    read: Mutex<(Option<SystemTime>, Arc<StaleAnswers>)>,
}

impl StaleAnswersFile {
    pub(crate) fn new(home: &Path) -> Self {
        Self { path: home.join(FILE), read: Mutex::default() }
    }

    /// What was found; nothing where nobody looked yet. Another process may have looked since.
    pub fn read(&self) -> Arc<StaleAnswers> {
        let changed = std::fs::metadata(&self.path).and_then(|data| data.modified()).ok();
        let mut read = self.read.lock();
        if read.0 != changed || changed.is_none() {
            let found = std::fs::read(&self.path).ok();
            let found = found.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
            *read = (changed, Arc::new(found));
        }
        read.1.clone()
    }

    /// Keeps what was found.
    ///
    /// # Errors
    /// Those of writing.
    pub fn write(&self, found: &StaleAnswers) -> std::io::Result<()> {
        let bytes = serde_json::to_vec_pretty(found)?;
        replace_file(&self.path, &bytes, Readers::Person)?;
        // Two writes within the clock's resolution would look the same.
        self.read.lock().0 = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn what_another_process_found_is_read_again_and_a_broken_file_is_none() {
        let home = tempfile::TempDir::new().unwrap();
        let (one, other) = (StaleAnswersFile::new(home.path()), StaleAnswersFile::new(home.path()));
        assert_eq!(*one.read(), StaleAnswers::default());
        let mut found = StaleAnswers::default();
        found.sessions.insert("s".to_owned(), StaleAnswer { run: "r".to_owned(), sentences: 2 });
        other.write(&found).unwrap();
        assert_eq!(*one.read(), found);
        assert_eq!(*other.read(), found);
        std::fs::write(home.path().join(FILE), "{").unwrap();
        assert_eq!(*StaleAnswersFile::new(home.path()).read(), StaleAnswers::default());
    }
}
