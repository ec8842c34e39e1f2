//! Walking a folder: from one open folder to the next, no link followed, what is ignored left out.
//!
//! The rules of `.gitignore`, `.ignore` and `.git/info/exclude` count from the folder downwards; those above it and the
//! person's own are outside of what may be read.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::overrides::{Override, OverrideBuilder};
use parking_lot::{Condvar, Mutex};
use tokio_util::sync::CancellationToken;

use super::{SafePath, system};
use crate::{Kind, ToolError};

/// The most that is read of a file with rules, in bytes.
const MAX_RULES_BYTES: u64 = 1 << 20;
/// Folders in folders beyond this are not entered.
const MAX_DEPTH: usize = 256;
/// Files that hold rules, the strongest last.
const RULE_FILES: [&str; 2] = [".gitignore", ".ignore"];

/// What something in a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    File,
    Folder,
    Link,
    Other,
}

/// What is walked.
#[derive(Debug, Clone)]
pub(crate) struct Walk {
    /// Names that begin with a dot, too. `.git` never.
    pub(crate) hidden: bool,
    /// What rules ignore, too.
    pub(crate) ignored: bool,
    /// How many folders deep; the folder's own entries are at 1.
    pub(crate) depth: usize,
    /// Names that are wanted.
    pub(crate) globs: Override,
}

/// Something that is there.
pub(crate) struct Entry {
    folder: Arc<system::Folder>,
    name: OsString,
    /// Below the folder that is walked.
    pub(crate) inside: PathBuf,
    pub(crate) sort: Sort,
    /// From 1.
    pub(crate) depth: usize,
}

/// Whether a walk goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkControl {
    On,
    /// Not into this folder.
    Past,
    Stop,
}

impl Entry {
    /// Opens a file for reading; a link in its place is not followed.
    pub(crate) fn open(&self) -> io::Result<File> {
        self.folder.file(&self.name)
    }

    /// Its bytes.
    pub(crate) fn size(&self) -> Option<u64> {
        self.folder.size(&self.name)
    }
}

/// Patterns of names: `*.rs`, `src/**`, `!target`. One that names what is there, such as `app/[id]/*.tsx`, means that; letters
/// are the same whether they are composed or taken apart.
///
/// # Errors
/// [`Kind::Arguments`] with what is wrong with one.
pub(crate) fn globs(root: &Path, patterns: &[String]) -> Result<Override, ToolError> {
    let mut builder = OverrideBuilder::new(root);
    let wrong = |error: ignore::Error| {
        ToolError::new(Kind::Arguments, format!("that is no pattern of names: {error}"))
            .with_guidance("Write patterns as `*.rs`, `src/**/*.ts` or `!target/**`.")
    };
    for pattern in patterns {
        for written in super::patterns::spellings(root, pattern.trim()) {
            builder.add(&written).map_err(wrong)?;
        }
    }
    builder.build().map_err(wrong)
}

/// The rules that hold in a folder, with those of the folders above it.
struct Rules {
    above: Option<Arc<Rules>>,
    own: Vec<Gitignore>,
}

impl Rules {
    fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        let mut next = Some(self);
        while let Some(rules) = next {
            for own in rules.own.iter().rev() {
                match own.matched(path, is_folder) {
                    Match::None => {}
                    Match::Ignore(_) => return true,
                    Match::Whitelist(_) => return false,
                }
            }
            next = rules.above.as_deref();
        }
        false
    }
}

struct Job {
    /// Its folder and its name there; the top has none.
    at: Option<(Arc<system::Folder>, OsString)>,
    inside: PathBuf,
    depth: usize,
    rules: Option<Arc<Rules>>,
}

struct Queue {
    jobs: Vec<Job>,
    busy: usize,
}

struct Shared<'a> {
    walk: &'a Walk,
    /// The whole path of the folder that is walked.
    root: PathBuf,
    top: &'a SafePath,
    cancel: &'a CancellationToken,
    stop: AtomicBool,
    queue: Mutex<Queue>,
    more: Condvar,
}

/// Walks below `top` in `threads` threads; each has a visitor of its own, made by `visitor`.
///
/// # Errors
/// When `top` can't be opened. Folders below it that can't be read are left out.
pub(crate) fn walk<V: FnMut(&Entry) -> WalkControl + Send>(
    top: &SafePath,
    walk: &Walk,
    threads: usize,
    cancel: &CancellationToken,
    mut visitor: impl FnMut() -> V,
) -> io::Result<()> {
    // Told at once, not by an empty result.
    system::folder(&top.root, &top.inside, false)?;
    let first = Job { at: None, inside: PathBuf::new(), depth: 0, rules: None };
    let shared = Shared {
        walk,
        root: top.path(),
        top,
        cancel,
        stop: AtomicBool::new(false),
        queue: Mutex::new(Queue { jobs: vec![first], busy: 0 }),
        more: Condvar::new(),
    };
    if threads < 2 {
        shared.work(visitor());
        return Ok(());
    }
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (shared, visit) = (&shared, visitor());
            scope.spawn(move || shared.work(visit));
        }
    });
    Ok(())
}

/// As many threads as are worth it.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, std::num::NonZero::get).clamp(2, 12)
}

impl Shared<'_> {
    fn work<V: FnMut(&Entry) -> WalkControl>(&self, mut visit: V) {
        while let Some(job) = self.next() {
            // Whatever happens in a visitor, the others must not wait for this one.
            let done = Finish(self);
            let jobs = self.folder(&job, &mut visit);
            let mut queue = self.queue.lock();
            queue.jobs.extend(jobs);
            drop(queue);
            drop(done);
        }
    }

    fn next(&self) -> Option<Job> {
        let mut queue = self.queue.lock();
        loop {
            if self.stopped() {
                return None;
            }
            if let Some(job) = queue.jobs.pop() {
                queue.busy += 1;
                return Some(job);
            }
            if queue.busy == 0 {
                return None;
            }
            self.more.wait(&mut queue);
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.cancel.is_cancelled()
    }

    fn folder(&self, job: &Job, visit: &mut impl FnMut(&Entry) -> WalkControl) -> Vec<Job> {
        let opened = match &job.at {
            None => system::folder(&self.top.root, &self.top.inside, false),
            Some((above, name)) => above.folder(name),
        };
        let Ok(folder) = opened else { return Vec::new() };
        let Ok(mut names) = folder.entries() else { return Vec::new() };
        names.sort_by(|one, other| one.0.cmp(&other.0));
        let folder = Arc::new(folder);
        let path = self.root.join(&job.inside);
        let rules =
            if self.walk.ignored { None } else { self.rules(&folder, &names, &path, job.rules.clone()) };
        let mut jobs = Vec::new();
        for (name, sort) in names {
            if self.stopped() {
                return Vec::new();
            }
            let is_folder = sort == Sort::Folder;
            if name == ".git" || !self.walk.hidden && name.as_encoded_bytes().first() == Some(&b'.') {
                continue;
            }
            let whole = path.join(&name);
            match self.walk.globs.matched(&whole, is_folder) {
                Match::Ignore(_) => continue,
                Match::Whitelist(_) => {}
                Match::None => {}
            }
            if rules.as_ref().is_some_and(|rules| rules.ignores(&whole, is_folder)) {
                continue;
            }
            let inside = job.inside.join(&name);
            let entry = Entry { folder: Arc::clone(&folder), name, inside, sort, depth: job.depth + 1 };
            match visit(&entry) {
                WalkControl::On => {}
                WalkControl::Past => continue,
                WalkControl::Stop => {
                    self.stop.store(true, Ordering::Relaxed);
                    return Vec::new();
                }
            }
            if is_folder && entry.depth < self.walk.depth.min(MAX_DEPTH) {
                jobs.push(Job {
                    at: Some((entry.folder, entry.name)),
                    inside: entry.inside,
                    depth: entry.depth,
                    rules: rules.clone(),
                });
            }
        }
        // The last is taken first.
        jobs.reverse();
        jobs
    }

    fn rules(
        &self,
        folder: &system::Folder,
        names: &[(OsString, Sort)],
        path: &Path,
        above: Option<Arc<Rules>>,
    ) -> Option<Arc<Rules>> {
        let has = |name: &str, sort: Sort| {
            names
                .binary_search_by(|(other, _)| other.as_os_str().cmp(name.as_ref()))
                .is_ok_and(|at| names[at].1 == sort)
        };
        let mut own = Vec::new();
        if has(".git", Sort::Folder) {
            let info = folder.folder(".git".as_ref()).and_then(|git| git.folder("info".as_ref()));
            own.extend(
                info.and_then(|info| info.file("exclude".as_ref())).ok().and_then(|file| rules(file, path)),
            );
        }
        for name in RULE_FILES {
            if has(name, Sort::File) {
                own.extend(folder.file(name.as_ref()).ok().and_then(|file| rules(file, path)));
            }
        }
        if own.is_empty() { above } else { Some(Arc::new(Rules { above, own })) }
    }
}

/// The rules in a file; lines that are none are passed over, as git does.
fn rules(file: File, path: &Path) -> Option<Gitignore> {
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_RULES_BYTES).read_to_end(&mut bytes).ok()?;
    let mut builder = GitignoreBuilder::new(path);
    for line in String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}

struct Finish<'a, 'b>(&'a Shared<'b>);

impl Drop for Finish<'_, '_> {
    fn drop(&mut self) {
        let mut queue = self.0.queue.lock();
        queue.busy -= 1;
        drop(queue);
        self.0.more.notify_all();
    }
}
