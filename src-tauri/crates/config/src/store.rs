//! Files that a person edits, as they last were right.
//!
//! Whoever needs such a file asks [`ConfigStore::current`]: one look at the file's identity, and the version that was parsed
//! before where it is the same. Nothing depends on the watch over the folders: it only tells surfaces sooner. Of a broken
//! file the last good version holds, after a restart too, and what is wrong with it is listed until it is right.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use domain::{Digest, ErrorCode, Problem};
use parking_lot::Mutex;
use support::{Readers, replace_file};
use tokio::sync::broadcast;
use workspace::{ConfigProblem, file_text, folders_in_use, last_valid_file};

use crate::last_valid::LastValid;
use crate::part::Part;

/// A file that was changed so lately may change again without looking changed.
const FRESHNESS: Duration = Duration::from_secs(2);
/// Programs that save a file may take it away before they put the new one in its place.
pub const REPLACEMENT_TIME: Duration = Duration::from_millis(400);
/// How often a change is made anew because somebody else changed the file meanwhile.
const MAX_ATTEMPTS: usize = 20;
/// How many broken versions of a file are kept beside it.
const MAX_BROKEN: usize = 100;
/// Changes that a slow listener may lag behind.
const QUEUE: usize = 256;

/// A change of a file that a person edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The workspace's slug; none for files of the whole data directory.
    pub workspace: Option<String>,
    /// What the file is part of.
    pub part: Part,
    /// The file, or the folder of what changed as a whole.
    pub path: PathBuf,
}

/// A file as it is in use.
#[derive(Debug, Clone)]
pub struct Current<T> {
    /// What it last said when it was right; none where there is no file, or never was a right one.
    pub value: Option<Arc<T>>,
    /// What is wrong with it now: then `value` is an earlier version.
    pub problems: Vec<ConfigProblem>,
    /// Of the text on disk now; none where there is no file.
    pub digest: Option<Digest>,
}

/// The files in use of a data directory. Cheap to clone.
#[derive(Clone)]
pub struct ConfigStore {
    inner: Arc<Inner>,
}

struct Inner {
    home: PathBuf,
    kept: Mutex<BTreeMap<Key, CachedFile>>,
    /// Own changes are made one at a time.
    writing: Mutex<()>,
    changes: broadcast::Sender<FileChange>,
    good: LastValid,
}

/// A file, and what it is read as.
type Key = (PathBuf, TypeId);
type Value = Arc<dyn Any + Send + Sync>;
type Parse = Arc<dyn Fn(&str, &str) -> Result<Value, Vec<ConfigProblem>> + Send + Sync>;

/// A file as it was when it was last looked at.
#[derive(Clone)]
struct CachedFile {
    parse: Parse,
    stamp: Option<Stamp>,
    digest: Option<Digest>,
    value: Option<Value>,
    problems: Vec<ConfigProblem>,
    gone: Option<Instant>,
}

/// A file's identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    length: u64,
    changed: Option<SystemTime>,
    file: u64,
}

impl Stamp {
    /// Of what is there now; none where nothing is.
    pub fn read(path: &Path) -> Option<Self> {
        let about = std::fs::metadata(path).ok()?;
        #[cfg(unix)]
        let file = std::os::unix::fs::MetadataExt::ino(&about);
        #[cfg(not(unix))]
        let file = 0;
        Some(Self { length: about.len(), changed: about.modified().ok(), file })
    }

    /// Whether a later change can't look the same.
    pub fn is_settled(&self) -> bool {
        self.changed.and_then(|changed| changed.elapsed().ok()).is_some_and(|age| age > FRESHNESS)
    }
}

impl ConfigStore {
    /// Over a data directory; reads nothing yet.
    pub fn new(home: &Path) -> Self {
        let (changes, _) = broadcast::channel(QUEUE);
        let inner = Inner {
            home: home.to_owned(),
            kept: Mutex::default(),
            writing: Mutex::default(),
            changes,
            good: LastValid::new(home),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Agents and skills as they last were right.
    pub fn good(&self) -> &LastValid {
        &self.inner.good
    }

    /// The data directory.
    pub fn home(&self) -> &Path {
        &self.inner.home
    }

    /// A text that was kept for the next start under the place that it is about.
    pub fn kept_text(&self, place: &Path) -> Option<String> {
        last_valid_text(&self.inner.home, place)
    }

    /// Keeps a text for the next start under the place that it is about.
    pub fn keep_text(&self, place: &Path, text: &str) {
        keep_copy(&self.inner.home, place, text);
    }

    /// Tells of changes on disk from now on, also of this program's own.
    pub fn changes(&self) -> broadcast::Receiver<FileChange> {
        self.inner.changes.subscribe()
    }

    /// Tells of a change.
    pub fn tell(&self, change: FileChange) {
        // Nobody listening is no failure.
        let _ = self.inner.changes.send(change);
    }

    /// A file as it is in use. `parse` gets the file's name for problems, and its text. Waits for the disk.
    pub fn current<T: Send + Sync + 'static>(
        &self,
        path: &Path,
        parse: impl Fn(&str, &str) -> Result<T, Vec<ConfigProblem>> + Send + Sync + 'static,
    ) -> Current<T> {
        let key = (path.to_owned(), TypeId::of::<T>());
        let known = self.inner.kept.lock().get(&key).cloned();
        let known = known.unwrap_or_else(|| CachedFile {
            parse: Arc::new(move |file, text| parse(file, text).map(|value| Arc::new(value) as Value)),
            stamp: None,
            digest: None,
            value: None,
            problems: Vec::new(),
            gone: None,
        });
        let now = self.look(&key, known);
        let value = now.value.and_then(|value| value.downcast::<T>().ok());
        Current { value, problems: now.problems, digest: now.digest }
    }

    /// Writes a file that was read before: `seen` is the digest of the text that the change was made on, nothing where
    /// there was no file. Waits for the disk.
    ///
    /// # Errors
    /// `Conflict`: somebody changed the file meanwhile, and it was left as it is. `InvalidConfig`: it is broken, and a
    /// change would throw away what the person wrote. `Storage`: it could not be written.
    pub fn save(&self, path: &Path, seen: Option<Digest>, text: &str) -> Result<(), Problem> {
        let _one = self.inner.writing.lock();
        for (key, known) in self.kept_of(path) {
            let now = self.look(&key, known);
            if let Some(problem) = now.problems.first() {
                return Err(Problem::new(ErrorCode::InvalidConfig, format!("{problem}")).with_action(
                    "correct the file first: a change made here would throw away what is in it",
                ));
            }
        }
        let there = match self.digest(path) {
            Ok(there) => there,
            Err(problems) => {
                let words = problems.first().map(ToString::to_string).unwrap_or_default();
                return Err(
                    Problem::new(ErrorCode::InvalidConfig, words).with_action("correct the file first")
                );
            }
        };
        if there != seen {
            return Err(Problem::new(
                ErrorCode::Conflict,
                format!("{} was changed outside meanwhile", path.display()),
            )
            .with_action("look at it as it is now, and change it again"));
        }
        self.write(path, &writable(path)?, text)
    }

    /// Changes a file that the program writes in the course of other work, such as the settings: `change` gets what is in
    /// use and gives the new text, again where somebody changed the file meanwhile. A broken file is kept beside the new
    /// one, as `<name>.broken.json`, and what is in use is its last valid version. Waits for the disk.
    ///
    /// # Errors
    /// What `change` says. `Conflict`: the file is changed all the time. `Storage`: it could not be written. Then it is
    /// as it was.
    pub fn update<T: Send + Sync + 'static>(
        &self,
        path: &Path,
        parse: fn(&str, &str) -> Result<T, Vec<ConfigProblem>>,
        change: impl Fn(Option<&T>) -> Result<String, Problem>,
    ) -> Result<(), Problem> {
        let _one = self.inner.writing.lock();
        for _ in 0..MAX_ATTEMPTS {
            let before = self.digest(path);
            let now = self.current(path, parse);
            let text = change(now.value.as_deref())?;
            if self.digest(path) != before {
                continue;
            }
            let place = writable(path)?;
            if !now.problems.is_empty() {
                set_aside(&place).map_err(|error| failure(path, &error))?;
            }
            return self.write(path, &place, &text);
        }
        Err(Problem::new(ErrorCode::Conflict, format!("{} is being changed by others", path.display()))
            .with_action("try again"))
    }

    fn write(&self, path: &Path, place: &Path, text: &str) -> Result<(), Problem> {
        replace_file(place, text.as_bytes(), Readers::Person).map_err(|error| failure(path, &error))?;
        for (key, known) in self.kept_of(path) {
            self.look(&key, known);
        }
        Ok(())
    }

    /// Of the text on disk now; none where there is no file.
    fn digest(&self, path: &Path) -> Result<Option<Digest>, Vec<ConfigProblem>> {
        Ok(text_of(&self.inner.home, path)?.map(|(_, text)| Digest::of(text.as_bytes())))
    }

    /// Looks again at every file that was ever asked for and lies below one of these paths.
    pub fn look_again(&self, changed: &[PathBuf]) {
        let concerned: Vec<(Key, CachedFile)> = self
            .inner
            .kept
            .lock()
            .iter()
            .filter(|((path, _), _)| changed.iter().any(|changed| path.starts_with(changed)))
            .map(|(key, kept)| (key.clone(), kept.clone()))
            .collect();
        for (key, kept) in concerned {
            self.look(&key, kept);
        }
    }

    /// What is wrong with the files that were ever asked for, as they are now.
    pub fn problems(&self) -> Vec<(PathBuf, Vec<ConfigProblem>)> {
        let kept: Vec<(Key, CachedFile)> =
            self.inner.kept.lock().iter().map(|(key, kept)| (key.clone(), kept.clone())).collect();
        kept.into_iter()
            .map(|(key, kept)| (key.0.clone(), self.look(&key, kept).problems))
            .filter(|(_, problems)| !problems.is_empty())
            .collect()
    }

    fn kept_of(&self, path: &Path) -> Vec<(Key, CachedFile)> {
        let kept = self.inner.kept.lock();
        let of = kept.iter().filter(|((known, _), _)| known == path);
        of.map(|(key, kept)| (key.clone(), kept.clone())).collect()
    }

    fn look(&self, key: &Key, mut kept: CachedFile) -> CachedFile {
        let path = key.0.as_path();
        let stamp = Stamp::read(path);
        if stamp.is_some() && stamp == kept.stamp {
            return kept;
        }
        match text_of(&self.inner.home, path) {
            Ok(Some((file, text))) => self.take(path, &mut kept, &file, &text),
            Ok(None) if self.is_away(path) => self.hold(
                path,
                &mut kept,
                vec![ConfigProblem {
                    file: path.display().to_string(),
                    pointer: String::new(),
                    line: None,
                    expected: "the workspace's folder".to_owned(),
                    found: "no folder there".to_owned(),
                    remedy: Some("connect the disk that it is on, or remove the workspace".to_owned()),
                }],
            ),
            Ok(None) => {
                let gone = *kept.gone.get_or_insert_with(Instant::now);
                if kept.value.is_none() || gone.elapsed() >= REPLACEMENT_TIME {
                    (kept.value, kept.digest) = (None, None);
                    kept.problems.clear();
                    forget_copy(&self.inner.home, path);
                }
            }
            Err(problems) => self.hold(path, &mut kept, problems),
        }
        // What was read may be younger than the stamp; then it is read once more.
        kept.stamp = stamp.filter(|stamp| stamp.is_settled() && Stamp::read(path).as_ref() == Some(stamp));
        self.inner.kept.lock().insert(key.clone(), kept.clone());
        kept
    }

    /// Takes over a text, where it is right.
    fn take(&self, path: &Path, kept: &mut CachedFile, file: &str, text: &str) {
        kept.gone = None;
        let digest = Digest::of(text.as_bytes());
        if kept.digest == Some(digest) {
            return;
        }
        match (kept.parse)(file, text) {
            Ok(value) => {
                kept.value = Some(value);
                kept.problems.clear();
                keep_copy(&self.inner.home, path, text);
            }
            Err(problems) => self.hold(path, kept, problems),
        }
        kept.digest = Some(digest);
    }

    /// Keeps the last good version, the one from before the start where there is none in memory.
    fn hold(&self, path: &Path, kept: &mut CachedFile, problems: Vec<ConfigProblem>) {
        kept.gone = None;
        kept.digest = None;
        kept.problems = problems;
        if kept.value.is_none()
            && let Some(text) = last_valid_text(&self.inner.home, path)
        {
            kept.value = (kept.parse)(&path.display().to_string(), &text).ok();
        }
    }

    /// Whether a file lies in a workspace elsewhere whose whole folder is away.
    fn is_away(&self, path: &Path) -> bool {
        if path.starts_with(&self.inner.home) {
            return false;
        }
        let folders = folders_in_use(&self.inner.home);
        folders.values().any(|folder| path.starts_with(folder) && !folder.exists())
    }
}

/// A file's name in problems and its text; none where there is no file. At the top of the data directory it may be a link
/// to anywhere: programs that keep the settings of all programs in one place make such links.
pub(crate) fn text_of(home: &Path, path: &Path) -> Result<Option<(String, String)>, Vec<ConfigProblem>> {
    let link = path.parent() == Some(home) && path.is_symlink();
    match path.canonicalize().ok().filter(|_| link) {
        Some(target) => file_text(&target),
        None => file_text(path),
    }
}

/// Where the last valid version of a file is kept for the next start, and where earlier versions of the program kept it.
fn copies(home: &Path, path: &Path) -> Vec<PathBuf> {
    let mut copies = vec![last_valid_file(home, path)];
    if path.parent() == Some(home) {
        copies.push(path.with_extension("last.json"));
    }
    copies
}

/// Where the copies lie.
pub(crate) fn copies_folder(home: &Path) -> PathBuf {
    last_valid_file(home, home).parent().unwrap_or(home).to_owned()
}

/// What was kept of a file's last valid version.
pub(crate) fn last_valid_text(home: &Path, path: &Path) -> Option<String> {
    copies(home, path).iter().find_map(|copy| std::fs::read_to_string(copy).ok())
}

/// Keeps a valid version of a file for the next start.
pub(crate) fn keep_copy(home: &Path, path: &Path, text: &str) {
    let copies = copies(home, path);
    let Some((copy, earlier)) = copies.split_first() else { return };
    let written = if std::fs::read(copy).is_ok_and(|kept| kept == text.as_bytes()) {
        Ok(())
    } else {
        copy.parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| replace_file(copy, text.as_bytes(), Readers::Person))
    };
    match written {
        Ok(()) => earlier.iter().for_each(|earlier| drop(std::fs::remove_file(earlier))),
        Err(error) => tracing::warn!("the copy of {} can't be written: {error}", path.display()),
    }
}

/// That a file which [`ConfigStore::update`] changes is broken, where it is; and what becomes of it.
pub fn broken_file(problems: &[ConfigProblem]) -> Option<Problem> {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let action = "correct the file; until then its last valid version is used, and the next change keeps this one beside it";
    (!lines.is_empty()).then(|| Problem::new(ErrorCode::InvalidConfig, lines.join("\n")).with_action(action))
}

/// Forgets what was kept of a file.
pub(crate) fn forget_copy(home: &Path, path: &Path) {
    for copy in copies(home, path) {
        let _ = std::fs::remove_file(copy);
    }
}

/// Where a file is written: behind a link, so that the link stays.
fn writable(path: &Path) -> Result<PathBuf, Problem> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| failure(path, &error))?;
    }
    Ok(path.canonicalize().unwrap_or_else(|_| path.to_owned()))
}

/// Keeps a broken file under another name, which nothing has so far. It also stays where it is until it is replaced.
fn set_aside(place: &Path) -> std::io::Result<()> {
    for number in 1..=MAX_BROKEN {
        let ending = if number == 1 { "broken.json".to_owned() } else { format!("broken-{number}.json") };
        let aside = place.with_extension(ending);
        if aside.symlink_metadata().is_ok() {
            // Kept by an earlier attempt, which could not write the new one.
            if Stamp::read(&aside) == Stamp::read(place) {
                return Ok(());
            }
            continue;
        }
        return match std::fs::hard_link(place, &aside) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
            // A folder in the file's place, or a disk without links.
            Err(_) => std::fs::rename(place, &aside),
        };
    }
    Err(std::io::Error::other(format!("{MAX_BROKEN} broken versions of it are kept already")))
}

fn failure(path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(ErrorCode::Storage, format!("{}: {error}", path.display()))
        .with_action("nothing was changed; free some space or correct the permissions, and try again")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;
    use workspace::parse_labels;

    use super::*;

    const ONE: &str = r#"{"version": 1, "labels": [{"id": "bug", "name": "Bug"}]}"#;
    const TWO: &str =
        r#"{"version": 1, "labels": [{"id": "bug", "name": "Bug"}, {"id": "art", "name": "Art"}]}"#;
    const BROKEN: &str = "{\n  \"version\": 1,\n  \"labels\": [{\"id\": \"bug\",, }]\n}\n";

    struct Bench {
        home: TempDir,
        live: ConfigStore,
    }

    impl Bench {
        fn new() -> Self {
            let home = TempDir::new().unwrap();
            fs::create_dir_all(home.path().join("labels")).unwrap();
            let live = ConfigStore::new(home.path());
            Self { home, live }
        }

        fn file(&self) -> PathBuf {
            self.home.path().join("labels/config.json")
        }

        fn now(&self) -> Current<usize> {
            self.live.current(&self.file(), |file, text| {
                parse_labels(file, text).map(|listed| listed.list.all().len())
            })
        }

        fn count(&self) -> Option<usize> {
            self.now().value.map(|count| *count)
        }

        /// As an editor saves that writes beside the file and renames.
        fn swap(&self, text: &str) {
            let beside = self.home.path().join("labels/.config.json.swp");
            fs::write(&beside, text).unwrap();
            fs::rename(beside, self.file()).unwrap();
        }
    }

    #[test]
    fn a_file_is_read_as_it_is_however_it_was_written() {
        let bench = Bench::new();
        assert_eq!((bench.count(), bench.now().digest), (None, None));
        fs::write(bench.file(), ONE).unwrap();
        assert_eq!(bench.count(), Some(1));
        bench.swap(TWO);
        assert_eq!(bench.count(), Some(2));
        // The same length and the same time, within one tick of the clock.
        let time = fs::metadata(bench.file()).unwrap().modified().unwrap();
        let other = TWO.replace("bug", "bog");
        fs::write(
            bench.file(),
            other
                .replace("{\"id\": \"art\", \"name\": \"Art\"}", "                           ")
                .replace(", ]", "  ]")
                .replace(",                ", "                 "),
        )
        .unwrap();
        fs::File::options().write(true).open(bench.file()).unwrap().set_modified(time).unwrap();
        assert_eq!(bench.count(), Some(1));
    }

    #[test]
    fn of_a_broken_file_the_last_good_version_holds_and_its_line_is_named() {
        let bench = Bench::new();
        fs::write(bench.file(), TWO).unwrap();
        assert_eq!(bench.count(), Some(2));
        fs::write(bench.file(), BROKEN).unwrap();
        let now = bench.now();
        assert_eq!((now.value.map(|count| *count), now.problems.len()), (Some(2), 1));
        assert_eq!(now.problems[0].line, Some(3));
        assert_eq!(bench.live.problems()[0].0, bench.file());
        bench.swap(ONE);
        assert_eq!((bench.count(), bench.live.problems().len()), (Some(1), 0));
    }

    #[test]
    fn the_last_good_version_outlives_the_program() {
        let bench = Bench::new();
        fs::write(bench.file(), TWO).unwrap();
        assert_eq!(bench.count(), Some(2));
        fs::write(bench.file(), BROKEN).unwrap();
        let again = Bench { live: ConfigStore::new(bench.home.path()), ..bench };
        let now = again.now();
        assert_eq!((now.value.map(|count| *count), now.problems[0].line), (Some(2), Some(3)));
    }

    #[test]
    fn files_that_are_no_text_no_file_or_too_large_are_problems() {
        let bench = Bench::new();
        fs::write(bench.file(), ONE).unwrap();
        assert_eq!(bench.count(), Some(1));
        for bytes in
            [b"\xff\xfe{\0}\0".to_vec(), b"{\"version\": \xc3\x28}".to_vec(), vec![b' '; 2 << 20], Vec::new()]
        {
            fs::write(bench.file(), bytes).unwrap();
            let now = bench.now();
            assert_eq!((now.value.map(|count| *count), now.problems.len()), (Some(1), 1));
        }
        fs::remove_file(bench.file()).unwrap();
        fs::create_dir(bench.file()).unwrap();
        assert_eq!((bench.count(), bench.now().problems.len()), (Some(1), 1));
    }

    #[test]
    fn a_file_that_is_gone_for_good_says_nothing_any_more() {
        let bench = Bench::new();
        fs::write(bench.file(), ONE).unwrap();
        assert_eq!(bench.count(), Some(1));
        fs::remove_file(bench.file()).unwrap();
        // A program that saves may be between taking it away and putting it back.
        assert_eq!(bench.count(), Some(1));
        let gone = Instant::now();
        while bench.count().is_some() {
            assert!(gone.elapsed() < Duration::from_secs(20), "it is still there");
            std::thread::yield_now();
        }
        assert_eq!(bench.live.problems().len(), 0);
    }

    #[test]
    fn a_change_made_on_an_earlier_version_is_refused() {
        let bench = Bench::new();
        assert_eq!(bench.live.save(&bench.file(), None, ONE), Ok(()));
        let seen = bench.now().digest;
        bench.swap(TWO);
        let refused = bench.live.save(&bench.file(), seen, ONE).unwrap_err();
        assert_eq!(refused.code, ErrorCode::Conflict);
        assert_eq!(fs::read_to_string(bench.file()).unwrap(), TWO);
        assert_eq!(bench.live.save(&bench.file(), None, ONE).unwrap_err().code, ErrorCode::Conflict);
        let seen = bench.now().digest;
        assert_eq!(bench.live.save(&bench.file(), seen, ONE), Ok(()));
        assert_eq!(bench.count(), Some(1));
    }

    #[test]
    fn a_change_never_throws_away_a_broken_file() {
        let bench = Bench::new();
        fs::write(bench.file(), ONE).unwrap();
        assert_eq!(bench.count(), Some(1));
        fs::write(bench.file(), BROKEN).unwrap();
        let seen = bench.now().digest;
        let refused = bench.live.save(&bench.file(), seen, TWO).unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidConfig);
        assert!(refused.message.contains(":3"), "{}", refused.message);
        assert_eq!(fs::read_to_string(bench.file()).unwrap(), BROKEN);
    }

    #[test]
    fn a_change_is_made_anew_where_the_file_is_another_by_then() {
        let bench = Bench::new();
        fs::write(bench.file(), ONE).unwrap();
        let labels = |file: &str, text: &str| parse_labels(file, text).map(|listed| listed.list.all().len());
        let calls = std::cell::Cell::new(0);
        let add = |now: Option<&usize>| {
            calls.set(calls.get() + 1);
            if calls.get() == 1 {
                bench.swap(TWO);
            }
            Ok(ONE.replace("Bug", &format!("One of {}", now.unwrap_or(&0))))
        };
        bench.live.update(&bench.file(), labels, add).unwrap();
        assert_eq!(calls.get(), 2);
        assert!(fs::read_to_string(bench.file()).unwrap().contains("One of 2"));
        // Nothing is written of a change that is refused.
        let refused = |_: Option<&usize>| Err(Problem::new(ErrorCode::InvalidInput, "no"));
        assert_eq!(
            bench.live.update(&bench.file(), labels, refused).unwrap_err().code,
            ErrorCode::InvalidInput
        );
        assert!(fs::read_to_string(bench.file()).unwrap().contains("One of 2"));
    }

    #[test]
    fn of_many_changes_at_once_none_is_lost_in_silence() {
        let bench = Bench::new();
        fs::write(bench.file(), ONE).unwrap();
        let done: Vec<bool> = std::thread::scope(|scope| {
            let write = |number: usize| {
                let bench = &bench;
                scope.spawn(move || {
                    let seen = bench.now().digest;
                    let text = ONE.replace("Bug", &format!("Bug {number}"));
                    bench.live.save(&bench.file(), seen, &text).is_ok()
                })
            };
            let all: Vec<_> = (0..8).map(write).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(done.contains(&true));
        assert_eq!((bench.count(), bench.live.problems().len()), (Some(1), 0));
    }
}
