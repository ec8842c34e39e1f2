//! Tells surfaces when a file that a person edits has changed on disk.
//!
//! What the system says of changes only makes this look: what changed is found by comparing the files' identities. So files
//! that come and go while a program saves are nothing, and folders that the system can't watch are looked at now and then.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use config::{FileChange, Part, REPLACEMENT_TIME};
use notify::event::ModifyKind;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use parking_lot::Mutex;
use protocol::Tag;
use support::blocking;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use workspace::workspace_entries;

use crate::Environment;

/// Files are often written in several steps: changes this close together are one.
const QUIET: Duration = Duration::from_millis(80);
/// So long they may go on before they are told all the same.
const MAX_DELAY: Duration = Duration::from_millis(600);
/// How often folders are looked at of which the system may tell nothing.
const LOOK: Duration = Duration::from_secs(3);
/// The most files and folders that are looked at, and how deep.
const MAX_FILES: usize = 20_000;
const MAX_DEPTH: usize = 6;

/// The watch over files that a person edits, while a window or a server is open.
#[derive(Debug, Default)]
pub struct FileWatch {
    task: Mutex<Option<JoinHandle<()>>>,
}

impl FileWatch {
    /// Ends it.
    pub fn end(&self) {
        if let Some(task) = self.task.lock().take() {
            task.abort();
        }
    }
}

impl Environment {
    /// Watches the files that a person edits. A second call changes nothing.
    pub fn watch_files(&self) {
        let mut task = self.file_watch.task.lock();
        if task.is_none() {
            // Looked at before anybody is told anything: what changes from now on is seen.
            *task = Some(tokio::spawn(watch(self.clone(), seen(&self.home))));
        }
    }
}

/// A folder that is watched.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Root {
    /// The workspace's slug; none for the data directory itself.
    workspace: Option<String>,
    folder: PathBuf,
    /// Whether the system may tell nothing of it: disks of other machines, folders that vanish.
    elsewhere: bool,
}

/// A file's identity as far as changes show in it: length, time and number.
type Print = (u64, Option<SystemTime>, u64);

/// Folders that the system may watch no longer: one of the same name may be there again.
#[derive(Default)]
struct LostFolders {
    paths: BTreeSet<PathBuf>,
    all: bool,
}

/// What was found at one look.
#[derive(Default)]
struct FolderSnapshot {
    files: BTreeMap<PathBuf, Print>,
    folders: BTreeSet<PathBuf>,
    roots: Vec<Root>,
}

async fn watch(env: Environment, mut before: FolderSnapshot) {
    let home = env.home.clone();
    let wake = Arc::new(Notify::new());
    let lost: Arc<Mutex<LostFolders>> = Arc::default();
    let (told, place, losing) = (wake.clone(), home.clone(), lost.clone());
    let made = notify::recommended_watcher(move |event: notify::Result<Event>| {
        // An error may mean that changes were lost: that is a reason to look, too.
        let concerns = match &event {
            Ok(event) => {
                let ours = event.paths.iter().any(|path| is_ours(&place, path));
                let moved =
                    matches!(event.kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)));
                if ours && moved {
                    losing.lock().paths.extend(event.paths.iter().cloned());
                }
                ours && !matches!(event.kind, EventKind::Access(_))
            }
            Err(_) => {
                losing.lock().all = true;
                true
            }
        };
        if concerns {
            told.notify_one();
        }
    });
    let mut watcher = match made {
        Ok(watcher) => Some(watcher),
        Err(error) => {
            tracing::warn!("files can't be watched, so they are looked at now and then: {error}");
            None
        }
    };
    let mut watched = BTreeSet::new();
    // Files are read once now, so that the version before the next change is known.
    env.look_over().await;
    loop {
        let lost = std::mem::take(&mut *lost.lock());
        watched.retain(|folder| !lost.all && !lost.paths.contains(folder));
        let all = arm(watcher.as_mut(), &mut watched, &before.folders);
        // What appeared before its folder was watched.
        let Ok(now) = look(&home).await else { return };
        if !publish_changes(&env, &before, &now).await && now.folders == before.folders {
            before = now;
            let by_hand = !all || before.roots.iter().any(|root| root.elsewhere);
            tokio::select! {
                () = wake.notified() => wait_for_quiet(&wake).await,
                () = tokio::time::sleep(LOOK), if by_hand => {}
            }
            let Ok(now) = look(&home).await else { return };
            publish_changes(&env, &before, &now).await;
            before = now;
        } else {
            before = now;
        }
    }
}

/// Waits until nothing was told for a moment, but not for ever.
async fn wait_for_quiet(wake: &Notify) {
    let end = Instant::now() + MAX_DELAY;
    while Instant::now() < end && tokio::time::timeout(QUIET, wake.notified()).await.is_ok() {}
}

/// Whether a path can be one of the files that are watched: the database's own writing is none of them.
fn is_ours(home: &Path, path: &Path) -> bool {
    path.strip_prefix(home).map_or(true, |rest| rest.as_os_str().is_empty() || Part::of_home(rest).is_some())
}

async fn look(home: &Path) -> Result<FolderSnapshot, domain::Problem> {
    let home = home.to_owned();
    blocking(move || Ok(seen(&home))).await
}

fn seen(home: &Path) -> FolderSnapshot {
    let mut seen = FolderSnapshot::default();
    seen.folders
        .extend([home.to_owned(), home.join("workspaces")].into_iter().filter(|folder| folder.is_dir()));
    let mut parts = |root: &Root, of: fn(&Path) -> Option<Part>| {
        for entry in std::fs::read_dir(&root.folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let ours = path.file_name().is_some_and(|name| of(Path::new(name)).is_some());
            if ours && path != home.join("workspaces") {
                walk(&path, 0, &mut seen);
            }
        }
        if root.folder.is_dir() {
            seen.folders.insert(root.folder.clone());
        }
    };
    let mut roots = vec![Root { workspace: None, folder: home.to_owned(), elsewhere: false }];
    parts(&roots[0], Part::of_home);
    for place in workspace_entries(home) {
        let root = Root { workspace: Some(place.slug), folder: place.folder, elsewhere: place.elsewhere };
        parts(&root, Part::of_workspace);
        roots.push(root);
    }
    let folders = workspace::registered_file(home);
    if let Some(print) = print(&folders) {
        seen.files.insert(folders, print);
    }
    seen.roots = roots;
    seen
}

fn walk(path: &Path, depth: usize, seen: &mut FolderSnapshot) {
    if depth > MAX_DEPTH || seen.files.len() + seen.folders.len() >= MAX_FILES {
        return;
    }
    if !path.is_dir() {
        if let Some(print) = print(path) {
            seen.files.insert(path.to_owned(), print);
        }
        return;
    }
    seen.folders.insert(path.to_owned());
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        // A link to a folder may lead into a circle.
        let link = entry.file_type().is_ok_and(|kind| kind.is_symlink()) && entry.path().is_dir();
        if !hidden && !link {
            walk(&entry.path(), depth + 1, seen);
        }
    }
}

fn print(path: &Path) -> Option<Print> {
    let about = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&about);
    #[cfg(not(unix))]
    let number = 0;
    Some((about.len(), about.modified().ok(), number))
}

/// Watches exactly these folders. Whether all of them could be.
fn arm(
    watcher: Option<&mut RecommendedWatcher>,
    watched: &mut BTreeSet<PathBuf>,
    folders: &BTreeSet<PathBuf>,
) -> bool {
    let Some(watcher) = watcher else { return false };
    for gone in watched.difference(folders).cloned().collect::<Vec<_>>() {
        // The system has forgotten a folder that is gone by itself.
        let _ = watcher.unwatch(&gone);
        watched.remove(&gone);
    }
    for folder in folders.difference(&watched.clone()) {
        match watcher.watch(folder, RecursiveMode::NonRecursive) {
            Ok(()) => drop(watched.insert(folder.clone())),
            Err(error) => tracing::warn!("{} can't be watched: {error}", folder.display()),
        }
    }
    watched.len() == folders.len()
}

/// Tells what is different. Whether anything is.
async fn publish_changes(env: &Environment, before: &FolderSnapshot, now: &FolderSnapshot) -> bool {
    let mut changed: BTreeSet<PathBuf> = now
        .files
        .iter()
        .filter(|(path, print)| before.files.get(*path) != Some(print))
        .map(|(path, _)| path.clone())
        .collect();
    changed.extend(before.files.keys().filter(|path| !now.files.contains_key(*path)).cloned());
    // A workspace that came or went, with all that is in it.
    let came_or_went = before.roots.iter().filter(|root| !now.roots.contains(root));
    changed.extend(
        came_or_went
            .chain(now.roots.iter().filter(|root| !before.roots.contains(root)))
            .map(|root| root.folder.clone()),
    );
    let folders = before.folders.symmetric_difference(&now.folders);
    changed.extend(folders.filter(|folder| part_of(now, before, folder).is_some()).cloned());
    if changed.is_empty() {
        return false;
    }
    let vanished = before.files.keys().any(|path| !now.files.contains_key(path));
    look_again(env, &changed).await;
    if vanished {
        // What is gone counts as gone a moment later: only then there is something else to show.
        tokio::time::sleep(REPLACEMENT_TIME).await;
        look_again(env, &changed).await;
    }
    let mut told = BTreeSet::new();
    let mut tags = BTreeSet::from([Tag::Problems]);
    for path in &changed {
        let Some((workspace, part)) = part_of(now, before, path) else { continue };
        tags.extend(part.tags());
        if told.insert((workspace.clone(), part)) {
            env.config.tell(FileChange { workspace, part, path: path.clone() });
        }
    }
    env.stream.tell(&tags.into_iter().collect::<Vec<_>>());
    true
}

async fn look_again(env: &Environment, changed: &BTreeSet<PathBuf>) {
    let (live, paths) = (env.config.clone(), changed.iter().cloned().collect::<Vec<_>>());
    let _ = blocking(move || {
        live.look_again(&paths);
        Ok(())
    })
    .await;
}

/// Of what a path is part.
fn part_of(now: &FolderSnapshot, before: &FolderSnapshot, path: &Path) -> Option<(Option<String>, Part)> {
    // The innermost root: workspaces lie below the data directory.
    let roots = now.roots.iter().chain(&before.roots);
    let root = roots
        .filter(|root| path.starts_with(&root.folder))
        .max_by_key(|root| root.folder.as_os_str().len())?;
    let rest = path.strip_prefix(&root.folder).ok()?;
    let part = match (&root.workspace, rest.as_os_str().is_empty()) {
        (Some(_), true) => Some(Part::Workspace),
        (Some(_), false) => Part::of_workspace(rest),
        (None, true) => None,
        (None, false) => Part::of_home(rest),
    };
    Some((root.workspace.clone(), part?))
}
