//! Schedules and automations: what happens by itself, and what is kept from happening.
//!
//! [`Automations`] knows those of every workspace and which of them the person enabled. Two paths lead to them: before
//! something happens [`crate::Gate::veto`] asks those that may veto; after it, what happened is heard by a task that
//! fires the others (crate `scheduler`), as does the clock. Both tasks live as long as a window or a server is open.
//!
//! Architecture invariant: nothing of an automation is carried out but what the person enabled, as they saw it: the digest
//! is kept in the database, never in the file.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use automation::{AutomationFile, Event, FileError, Occurrence, Rate};
use config::{ConfigStore, Current, LastValid};
use domain::Problem;
use parking_lot::Mutex;
use store::Store;
use support::blocking;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use workspace::{ConfigProblem, Workspace};

use crate::clock::Clock;

/// Happenings that may wait; beyond them they are lost, and said to be.
const WAITING: usize = 1_024;
/// Turns and runs that automations began and that are remembered.
const REMEMBERED: usize = 1_000;

/// Digests of enabled automations, by id.
pub type Digests = BTreeMap<String, String>;

/// Something that happened in a workspace.
#[derive(Debug, Clone)]
pub struct WorkspaceEvent {
    /// The workspace's slug.
    pub workspace: String,
    /// What happened.
    pub happened: Occurrence,
}

/// What is known of automations in this process.
pub struct Automations {
    /// The database.
    pub store: Store,
    /// The data directory.
    pub home: std::path::PathBuf,
    /// Files that a person edits.
    pub config: ConfigStore,
    /// The time by which automations go.
    pub clock: Clock,
    /// By workspace.
    pub rate: Mutex<HashMap<String, Rate>>,
    /// By workspace; read again when one is enabled or no longer.
    pub enabled: Mutex<HashMap<String, Arc<Digests>>>,
    /// Where happenings wait for the listener.
    pub events: mpsc::Sender<WorkspaceEvent>,
    /// The other end, until the listener takes it.
    pub hearing: Mutex<Option<mpsc::Receiver<WorkspaceEvent>>>,
    /// Whether somebody hears.
    pub awake: AtomicBool,
    /// Wakes the scheduler.
    pub nudge: Notify,
    /// The listener and the scheduler.
    pub tasks: Mutex<Vec<JoinHandle<()>>>,
    /// How many automations led to a turn or run, the oldest first.
    pub depths: Mutex<VecDeque<(String, u8)>>,
    /// Sessions in which an automation is about to begin something: it may have ended before its id is known.
    pub beginning: Mutex<HashMap<String, u8>>,
    /// What became of calls that were asked about: they are asked about several times.
    pub asked: Mutex<VecDeque<(String, Option<String>)>>,
    /// Requests of the queue that are being tried.
    pub trying: Mutex<HashSet<i64>>,
}

/// A workspace's automations as they are now.
#[derive(Clone)]
pub struct LoadedAutomations {
    /// The automations as they were last valid.
    pub file: Arc<AutomationFile>,
    /// Those that the person enabled, as they were then.
    pub enabled: Arc<Digests>,
}

impl Automations {
    /// For a data directory.
    pub fn new(home: &std::path::Path, store: Store, config: &ConfigStore) -> Self {
        let (events, hearing) = mpsc::channel(WAITING);
        Self {
            store,
            home: home.to_owned(),
            config: config.clone(),
            clock: Clock::default(),
            rate: Mutex::default(),
            enabled: Mutex::default(),
            events,
            hearing: Mutex::new(Some(hearing)),
            awake: AtomicBool::new(false),
            nudge: Notify::new(),
            tasks: Mutex::default(),
            depths: Mutex::default(),
            beginning: Mutex::default(),
            asked: Mutex::default(),
            trying: Mutex::default(),
        }
    }

    /// Files that a person edits.
    pub fn config(&self) -> &ConfigStore {
        &self.config
    }

    /// Agents and skills as they were last valid.
    pub fn good(&self) -> LastValid {
        self.config.good().clone()
    }

    /// What fired lately in a workspace.
    pub fn rate(&self, workspace: &str) -> Rate {
        self.rate.lock().get(workspace).cloned().unwrap_or_default()
    }

    /// Whether schedules are looked at.
    pub fn is_awake(&self) -> bool {
        self.awake.load(Ordering::Relaxed)
    }

    /// Ends what hears and what looks at the clock.
    pub fn end(&self) {
        self.awake.store(false, Ordering::Relaxed);
        for task in self.tasks.lock().drain(..) {
            task.abort();
        }
    }

    /// The automations of a workspace; none where the file never was right.
    pub async fn known(&self, workspace: &str) -> Result<LoadedAutomations, Problem> {
        let current = self.current(workspace).await?;
        let file = current.value.unwrap_or_else(|| Arc::new(AutomationFile::empty("UTC")));
        Ok(LoadedAutomations { file, enabled: self.enabled(workspace).await? })
    }

    /// Whether any automation waits for one of these events.
    pub async fn waits_for(&self, workspace: &str, events: &[Event]) -> bool {
        match self.known(workspace).await {
            Ok(known) => {
                !known.enabled.is_empty()
                    && known
                        .file
                        .entries()
                        .iter()
                        .any(|entry| entry.event.is_some_and(|event| events.contains(&event)))
            }
            Err(_) => false,
        }
    }

    /// The workspace's file as it was last valid, with what is wrong with it now.
    pub async fn current(&self, workspace: &str) -> Result<Current<AutomationFile>, Problem> {
        let (config, path) = (self.config.clone(), self.path(workspace));
        blocking(move || Ok(config.current(&path, parse))).await
    }

    /// Digests of the enabled ones.
    pub async fn enabled(&self, workspace: &str) -> Result<Arc<Digests>, Problem> {
        if let Some(known) = self.enabled.lock().get(workspace) {
            return Ok(known.clone());
        }
        let rows = self.store.enabled_automations(workspace).await?;
        let read: Arc<BTreeMap<_, _>> = Arc::new(rows.into_iter().map(|row| (row.id, row.digest)).collect());
        self.enabled.lock().insert(workspace.to_owned(), read.clone());
        Ok(read)
    }

    /// What is enabled has changed, or a file has.
    pub fn look_again(&self) {
        self.enabled.lock().clear();
        self.nudge.notify_one();
    }

    /// Tells of something that happened.
    pub fn on_event(&self, workspace: &str, happened: Occurrence) {
        if !self.is_awake() {
            return;
        }
        let event = happened.event;
        if self.events.try_send(WorkspaceEvent { workspace: workspace.to_owned(), happened }).is_err() {
            tracing::warn!(?event, "too much happens at once: automations miss some of it");
        }
    }

    /// An automation is about to begin something in a session.
    pub fn begins(&self, session: &str, depth: u8) {
        self.beginning.lock().insert(session.to_owned(), depth);
    }

    /// It has begun a turn or run, or has not.
    pub fn began(&self, session: &str, run: Option<&str>, depth: u8) {
        if let Some(run) = run {
            self.led_to(run, depth);
        }
        self.beginning.lock().remove(session);
    }

    /// Remembers how many automations led to a turn or run.
    pub fn led_to(&self, run: &str, depth: u8) {
        let mut depths = self.depths.lock();
        depths.push_back((run.to_owned(), depth));
        if depths.len() > REMEMBERED {
            depths.pop_front();
        }
    }

    /// How many automations led to what happens in a turn or run of a session.
    pub async fn depth(&self, session: Option<&str>, run: Option<&str>) -> u8 {
        if let Some(run) = run
            && let Some((_, depth)) = self.depths.lock().iter().rev().find(|(known, _)| known == run)
        {
            return *depth;
        }
        let Some(session) = session else { return 0 };
        if let Some(depth) = self.beginning.lock().get(session) {
            return *depth;
        }
        match self.store.automation_of(session).await {
            Ok(Some((_, depth))) => depth,
            Ok(None) | Err(_) => 0,
        }
    }
}

/// Its name in a workspace's folder.
const FILE: &str = "automations.json";

impl Automations {
    /// Where the automations of a workspace are.
    pub fn path(&self, workspace: &str) -> PathBuf {
        Workspace::named(&self.home, workspace).root().join(FILE)
    }
}

/// Reads the text of such a file; `file` is its name in problems.
pub fn parse(file: &str, text: &str) -> Result<AutomationFile, Vec<ConfigProblem>> {
    AutomationFile::parse(text, &zone()).map_err(|error| {
        vec![ConfigProblem {
            file: file.to_owned(),
            pointer: String::new(),
            line: if let FileError::Json { line, .. } = &error { Some(*line) } else { None },
            expected: "automations by event".to_owned(),
            found: error.to_string(),
            remedy: Some("correct the file; until then the automations that it last had hold".to_owned()),
        }]
    })
}

/// The system's time zone, by its name.
pub fn zone() -> String {
    let system = jiff::tz::TimeZone::system();
    system.iana_name().filter(|name| automation::is_zone(name)).unwrap_or("UTC").to_owned()
}
