//! Bases that are made again when their files change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use domain::ErrorCode;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use parking_lot::Mutex;
use support::blocking;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use workspace_bases::{Belonging, NamedBase};

use crate::bases::Recipe;
use crate::{Library, corpus};

/// Files are often written in several steps: changes this close together are one.
const QUIET: Duration = Duration::from_millis(1_500);
/// Changed paths that may wait; beyond them every watched base is looked at.
const WAITING: usize = 1_024;

/// The watch over the files of bases, while a window or a server is open.
#[derive(Debug, Default)]
pub struct BaseWatch {
    nudge: Arc<Notify>,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl BaseWatch {
    /// Which bases are watched may have changed.
    pub fn look(&self) {
        self.nudge.notify_one();
    }

    /// Ends it.
    pub fn end(&self) {
        if let Some(task) = self.task.lock().take() {
            task.abort();
        }
    }
}

impl Library {
    /// Watches the files of bases whose recipes say so. A second call changes nothing.
    pub fn watch_bases(&self) {
        let watching = &self.state.watching;
        let mut task = watching.task.lock();
        if task.is_none() {
            *task = Some(tokio::spawn(watch(self.clone(), Arc::clone(&watching.nudge))));
        }
    }
}

async fn watch(local: Library, nudge: Arc<Notify>) {
    loop {
        let home = local.env.home.clone();
        let Ok(recipes) = blocking(move || Ok(watched(&home))).await else { return };
        let (sender, mut changes) = mpsc::channel(WAITING);
        // The watcher stops when it is dropped.
        let _watcher = match watcher(&recipes, sender) {
            Ok(watcher) => watcher,
            Err(error) => {
                tracing::warn!("files of knowledge bases can't be watched: {error}");
                None
            }
        };
        let mut stale: BTreeSet<String> = BTreeSet::new();
        loop {
            tokio::select! {
                () = nudge.notified() => break,
                Some(path) = changes.recv() => {
                    stale.extend(recipes.iter().filter(|(_, recipe)| concerns(recipe, &path)).map(|(base, _)| base.clone()));
                }
                () = tokio::time::sleep(QUIET), if !stale.is_empty() => {
                    stale.retain(|base| recipes.get(base).is_some_and(|recipe| again(&local, base, recipe)));
                }
            }
        }
    }
}

/// Begins to make a base again; whether that must be tried once more.
fn again(local: &Library, base: &str, recipe: &Recipe) -> bool {
    // For its workspace: the job is shown there.
    let belonging = Belonging::read(&local.env.home, base);
    let local = local.within(local.env.in_workspace(belonging.owner()));
    let shelved = NamedBase { id: base.to_owned(), name: local.env.bases().name_of(base), belonging };
    match local.begin_ingest(&shelved, recipe.clone()) {
        Ok(_) => false,
        Err(problem) => {
            tracing::info!("{base} is not made again yet: {}", problem.message);
            problem.code == ErrorCode::Busy
        }
    }
}

fn watched(home: &Path) -> BTreeMap<String, Recipe> {
    let bases = knowledge::list_bases(home).map_err(corpus::problem).unwrap_or_default();
    bases
        .into_iter()
        .filter_map(|base| Some((base.name.clone(), Recipe::read(home, &base.name)?)))
        .filter(|(_, recipe)| recipe.watch)
        .collect()
}

fn watcher(
    recipes: &BTreeMap<String, Recipe>,
    changed: mpsc::Sender<PathBuf>,
) -> notify::Result<Option<RecommendedWatcher>> {
    if recipes.is_empty() {
        return Ok(None);
    }
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        let Ok(event) = event else { return };
        // Our own reading is no change.
        if !matches!(event.kind, EventKind::Access(_)) {
            for path in event.paths {
                let _ = changed.try_send(path);
            }
        }
    })?;
    for path in recipes.values().flat_map(|recipe| &recipe.paths) {
        let (place, mode) = match path.is_dir() {
            true => (path.as_path(), RecursiveMode::Recursive),
            // Programs that save a file put a new one in its place: the folder sees that.
            false => (path.parent().unwrap_or(path), RecursiveMode::NonRecursive),
        };
        if let Err(error) = watcher.watch(place, mode) {
            tracing::warn!("{} can't be watched: {error}", place.display());
        }
    }
    Ok(Some(watcher))
}

fn concerns(recipe: &Recipe, changed: &Path) -> bool {
    recipe.paths.iter().any(|path| changed.starts_with(path))
}
