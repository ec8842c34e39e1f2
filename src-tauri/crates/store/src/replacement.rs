//! Replacing files of a data directory all at once, whatever interrupts it.
//!
//! What is to come in is prepared in `incoming/` while the database is in use. A mark, written last, makes it due; then
//! whoever opens the directory next carries it out before anything else reads a file. Each name is one rename out and
//! one in, and what was done is seen in what is left in `incoming/`, so an end in between is gone on with.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Component, Path, PathBuf};

use crate::data_dir::{DataDir, create_private, private_file};
use crate::error::{Result, StoreError, from_io};

const STAGING: &str = "incoming";
const MARKER_FILE: &str = "replace";
/// The largest mark that is read, in bytes.
const MAX_MARK_BYTES: u64 = 64 << 10;
/// What SQLite keeps beside a database of this name.
const COMPANIONS: [&str; 2] = ["-wal", "-shm"];

/// What takes the place of what when the data directory is opened next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// Names below the data directory, in order.
    pub names: Vec<String>,
    /// Where that which is replaced goes, below the data directory.
    pub aside: String,
    /// What it is, in words for the person.
    pub note: String,
}

impl Replacement {
    fn text(&self) -> String {
        let mut text = format!("aside={}\nnote={}\n", self.aside, self.note.replace(['\n', '\r'], " "));
        for name in &self.names {
            text.push_str("name=");
            text.push_str(name);
            text.push('\n');
        }
        text.push_str("end\n");
        text
    }

    fn read(text: &str) -> Option<Self> {
        let mut replacement = Self { names: Vec::new(), aside: String::new(), note: String::new() };
        for line in text.strip_suffix("end\n")?.lines() {
            match line.split_once('=')? {
                ("aside", aside) => aside.clone_into(&mut replacement.aside),
                ("note", note) => note.clone_into(&mut replacement.note),
                ("name", name) => replacement.names.push(name.to_owned()),
                _ => return None,
            }
        }
        let below = replacement.names.iter().chain([&replacement.aside]).all(|name| is_below(name));
        (below && !replacement.names.is_empty()).then_some(replacement)
    }
}

/// Whether a name leads to a place below the directory that it is used in.
fn is_below(name: &str) -> bool {
    let mut parts = Path::new(name).components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

impl DataDir {
    /// Where replacements are prepared, under the names that they are to have. Emptied by [`Self::prepare`].
    #[must_use]
    pub fn incoming(&self) -> PathBuf {
        self.path().join(STAGING)
    }

    /// Begins to prepare a replacement; one that was due is given up.
    ///
    /// # Errors
    /// When the folder can't be emptied or made.
    pub fn prepare(&self) -> Result<PathBuf> {
        self.give_up_replacement()?;
        let staging = self.incoming();
        create_private(&staging)?;
        Ok(staging)
    }

    /// Makes what was prepared take its place when the directory is opened next. What it holds must be synced.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] when a name was not prepared or leads elsewhere; those of writing.
    pub fn replace_when_opened(&self, replacement: &Replacement) -> Result<()> {
        let staging = self.incoming();
        let text = replacement.text();
        if Replacement::read(&text).as_ref().map(|read| &read.names) != Some(&replacement.names) {
            return Err(StoreError::Invalid { detail: "a replacement names a place elsewhere".to_owned() });
        }
        for name in &replacement.names {
            if !staging.join(name).exists() {
                return Err(StoreError::Invalid { detail: format!("{name} was not prepared") });
            }
        }
        let (fresh, mark) = (staging.join("replace.part"), staging.join(MARKER_FILE));
        let failed = |error: std::io::Error| from_io("preparing a replacement", &mark, &error);
        let mut file = private_file(&fresh).map_err(failed)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
        sync(&staging)?;
        fs::rename(&fresh, &mark).map_err(failed)?;
        sync(&staging)
    }

    /// What is due when the directory is opened next.
    #[must_use]
    pub fn due_replacement(&self) -> Option<Replacement> {
        due(self.path())
    }

    /// Forgets what is due, with what was prepared. False: nothing was.
    ///
    /// # Errors
    /// When it can't be removed.
    pub fn give_up_replacement(&self) -> Result<bool> {
        let staging = self.incoming();
        let was_due = match fs::remove_file(staging.join(MARKER_FILE)) {
            Ok(()) => true,
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(from_io("giving up a replacement", &staging, &error)),
        };
        match fs::remove_dir_all(&staging) {
            Ok(()) => Ok(was_due),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(was_due),
            Err(error) => Err(from_io("giving up a replacement", &staging, &error)),
        }
    }
}

fn due(home: &Path) -> Option<Replacement> {
    let mark = home.join(STAGING).join(MARKER_FILE);
    if fs::metadata(&mark).ok()?.len() > MAX_MARK_BYTES {
        return None;
    }
    Replacement::read(&fs::read_to_string(mark).ok()?)
}

/// Carries out what is due in a locked directory; removes what was prepared and never became due.
pub(crate) fn finish(home: &Path) -> Result<()> {
    let staging = home.join(STAGING);
    if !staging.exists() {
        return Ok(());
    }
    let Some(replacement) = due(home) else {
        // Copies of what stands elsewhere: nothing is lost with them, and nothing depends on their removal.
        let _ = fs::remove_dir_all(&staging);
        return Ok(());
    };
    let aside = home.join(&replacement.aside);
    create_private(&aside)?;
    for name in &replacement.names {
        let (coming, place, old) = (staging.join(name), home.join(name), aside.join(name));
        if fs::symlink_metadata(&coming).is_err() {
            continue;
        }
        for companion in COMPANIONS {
            let of = |path: &Path| {
                let mut beside = path.as_os_str().to_owned();
                beside.push(companion);
                PathBuf::from(beside)
            };
            move_if_there(&of(&place), &of(&old))?;
        }
        move_if_there(&place, &old)?;
        sync(&aside)?;
        fs::rename(&coming, &place).map_err(|error| from_io("replacing", &place, &error))?;
        sync(home)?;
    }
    let mark = staging.join(MARKER_FILE);
    fs::remove_file(&mark).map_err(|error| from_io("ending a replacement", &mark, &error))?;
    sync(&staging)?;
    let _ = fs::remove_dir_all(&staging);
    Ok(())
}

fn move_if_there(from: &Path, to: &Path) -> Result<()> {
    match fs::symlink_metadata(from) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        _ => {}
    }
    // A rename would replace it without a word.
    if fs::symlink_metadata(to).is_ok() {
        return Err(StoreError::BadPath {
            path: to.to_owned(),
            detail: "something stands where replaced files are to go; move it away and start again"
                .to_owned(),
        });
    }
    fs::rename(from, to).map_err(|error| from_io("putting aside", from, &error))
}

/// Makes the names in a folder durable.
pub(crate) fn sync(folder: &Path) -> Result<()> {
    support::sync_folder(folder).map_err(|error| from_io("syncing a directory", folder, &error))
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use tempfile::TempDir;

    use super::*;

    fn replacement() -> Replacement {
        Replacement {
            names: vec!["agentnative.db".to_owned(), "sessions".to_owned(), "new.txt".to_owned()],
            aside: "backups/replaced-1".to_owned(),
            note: "a test".to_owned(),
        }
    }

    fn filled(home: &Path) {
        fs::create_dir_all(home.join("sessions/old")).expect("makes");
        for (name, text) in [("agentnative.db", "old"), ("agentnative.db-wal", "log"), ("kept.txt", "kept")] {
            fs::write(home.join(name), text).expect("writes");
        }
    }

    fn staged(staging: &Path) {
        fs::create_dir_all(staging.join("sessions/new")).expect("makes");
        fs::write(staging.join("agentnative.db"), "new").expect("writes");
        fs::write(staging.join("new.txt"), "new").expect("writes");
    }

    fn check_new(home: &Path) {
        let read = |name: &str| fs::read_to_string(home.join(name)).unwrap_or_default();
        assert_eq!(
            (read("agentnative.db"), read("new.txt"), read("kept.txt")),
            ("new".into(), "new".into(), "kept".into())
        );
        assert!(home.join("sessions/new").is_dir() && !home.join("sessions/old").exists());
        assert!(!home.join("agentnative.db-wal").exists() && !home.join(STAGING).exists());
        let aside = home.join("backups/replaced-1");
        assert_eq!(fs::read_to_string(aside.join("agentnative.db-wal")).expect("reads"), "log");
        assert_eq!(fs::read_to_string(aside.join("agentnative.db")).expect("reads"), "old");
        assert!(aside.join("sessions/old").is_dir());
    }

    #[test]
    fn what_is_due_takes_its_place_when_the_directory_is_opened() {
        let home = TempDir::new().expect("a directory");
        filled(home.path());
        let dir = DataDir::open(home.path()).expect("locks");
        staged(&dir.prepare().expect("prepares"));
        dir.replace_when_opened(&replacement()).expect("is due");
        assert_eq!(dir.due_replacement(), Some(replacement()));
        assert_eq!(fs::read_to_string(dir.database()).expect("reads"), "old");
        drop(dir);
        let dir = DataDir::open(home.path()).expect("locks");
        assert_eq!(dir.due_replacement(), None);
        check_new(home.path());
    }

    #[test]
    fn what_was_given_up_or_never_became_due_changes_nothing() {
        let home = TempDir::new().expect("a directory");
        filled(home.path());
        let dir = DataDir::open(home.path()).expect("locks");
        staged(&dir.prepare().expect("prepares"));
        dir.replace_when_opened(&replacement()).expect("is due");
        assert!(dir.give_up_replacement().expect("gives up"));
        assert!(!dir.give_up_replacement().expect("nothing there"));
        staged(&dir.prepare().expect("prepares"));
        drop(dir);
        let dir = DataDir::open(home.path()).expect("locks");
        assert_eq!(fs::read_to_string(dir.database()).expect("reads"), "old");
        assert!(!dir.incoming().exists() && dir.path().join("sessions/old").is_dir());
    }

    #[test]
    fn a_replacement_stays_below_the_directory_and_names_what_was_prepared() {
        let home = TempDir::new().expect("a directory");
        let dir = DataDir::open(home.path()).expect("locks");
        let staging = dir.prepare().expect("prepares");
        staged(&staging);
        for bad in ["../x", "/etc/passwd", "", "a\nname=../b", "absent"] {
            let replacement = Replacement { names: vec![bad.to_owned()], ..replacement() };
            assert!(dir.replace_when_opened(&replacement).is_err(), "{bad:?}");
        }
        fs::write(staging.join(MARKER_FILE), "aside=../..\nname=new.txt\nend\n").expect("writes");
        assert_eq!(dir.due_replacement(), None);
    }

    #[test]
    fn a_place_for_what_is_replaced_that_is_taken_stops_it_and_it_goes_on_when_that_is_free() {
        let home = TempDir::new().expect("a directory");
        filled(home.path());
        let dir = DataDir::open(home.path()).expect("locks");
        staged(&dir.prepare().expect("prepares"));
        dir.replace_when_opened(&replacement()).expect("is due");
        drop(dir);
        let taken = home.path().join("backups/replaced-1/sessions");
        fs::create_dir_all(&taken).expect("makes");
        assert!(matches!(DataDir::open(home.path()), Err(StoreError::BadPath { .. })));
        fs::remove_dir(&taken).expect("removes");
        DataDir::open(home.path()).expect("goes on");
        check_new(home.path());
    }
}
