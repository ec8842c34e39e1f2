//! Schedule and hooks: what happens by itself, and what is kept from happening.
//!
//! [`Hooks`] knows the automations of every workspace and which of them the person enabled. Two paths lead to them: before
//! something happens [`crate::chat::Chat::veto`] asks those that may veto; after it, what happened is heard by a task that
//! fires the others ([`hearing`]), as does the clock ([`ticking`]). Both tasks live as long as a window or a server is open.
//!
//! Architecture invariant: nothing of an automation is carried out but what the person enabled, as they saw it: the digest
//! is kept in the database, never in the file.

mod clock;
mod command;
mod files;
mod firing;
mod gating;
mod hearing;
mod showing;
#[cfg(test)]
mod tests;
mod ticking;
mod webhook;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use automation::{AutomationFile, Event, Occurrence, Rate};
use domain::{ErrorCode, Problem};
use store::Store;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

use self::clock::Clock;
use crate::desk::aside;
use crate::local::Local;
use crate::request::Request;
use crate::response::Response;
use crate::workspaces::{Current, LastGood, Live};

/// Happenings that may wait; beyond them they are lost, and said to be.
const WAITING: usize = 1_024;
/// Turns and runs that automations began and that are remembered.
const REMEMBERED: usize = 1_000;

/// Digests of enabled automations, by id.
type Digests = BTreeMap<String, String>;

/// Something that happened in a workspace.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    workspace: String,
    happened: Occurrence,
}

/// What is known of automations in this process.
pub(crate) struct Hooks {
    store: Store,
    home: std::path::PathBuf,
    live: OnceLock<Live>,
    clock: Clock,
    /// By workspace.
    rate: Mutex<HashMap<String, Rate>>,
    /// By workspace; read again when one is enabled or no longer.
    enabled: Mutex<HashMap<String, Arc<Digests>>>,
    heard: mpsc::Sender<Heard>,
    hearing: Mutex<Option<mpsc::Receiver<Heard>>>,
    /// Whether somebody hears.
    awake: AtomicBool,
    nudge: Notify,
    tasks: Mutex<Vec<JoinHandle<()>>>,
    /// How many automations led to a turn or run, the oldest first.
    depths: Mutex<VecDeque<(String, u8)>>,
    /// Sessions in which an automation is about to begin something: it may have ended before its id is known.
    beginning: Mutex<HashMap<String, u8>>,
    /// What became of calls that were asked about: they are asked about several times.
    asked: Mutex<VecDeque<(String, Option<String>)>>,
    /// Requests of the queue that are being tried.
    trying: Mutex<HashSet<i64>>,
}

/// A workspace's automations as they are now.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) file: Arc<AutomationFile>,
    pub(crate) enabled: Arc<Digests>,
}

impl Hooks {
    /// For a data directory.
    pub(crate) fn new(home: &std::path::Path, store: Store) -> Self {
        let (heard, hearing) = mpsc::channel(WAITING);
        Self {
            store,
            home: home.to_owned(),
            live: OnceLock::new(),
            clock: Clock::default(),
            rate: Mutex::default(),
            enabled: Mutex::default(),
            heard,
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

    /// Tells of the files in use, which are there later.
    pub(crate) fn live_is(&self, live: &Live) {
        let _ = self.live.set(live.clone());
    }

    /// Agents and skills as they last were right.
    pub(crate) fn good(&self) -> LastGood {
        self.live.get().map(|live| live.good().clone()).unwrap_or_default()
    }

    /// What fired lately in a workspace.
    fn rate(&self, workspace: &str) -> Rate {
        lock(&self.rate).get(workspace).cloned().unwrap_or_default()
    }

    /// Whether schedules are looked at.
    fn is_awake(&self) -> bool {
        self.awake.load(Ordering::Relaxed)
    }

    /// Ends what hears and what looks at the clock.
    pub(crate) fn end(&self) {
        self.awake.store(false, Ordering::Relaxed);
        for task in lock(&self.tasks).drain(..) {
            task.abort();
        }
    }

    /// The automations of a workspace; none where the file never was right.
    pub(crate) async fn known(&self, workspace: &str) -> Result<Known, Problem> {
        let current = self.current(workspace).await?;
        let file = current.value.unwrap_or_else(|| Arc::new(AutomationFile::empty("UTC")));
        Ok(Known { file, enabled: self.enabled(workspace).await? })
    }

    /// Whether any automation waits for one of these events.
    async fn waits_for(&self, workspace: &str, events: &[Event]) -> bool {
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

    async fn current(&self, workspace: &str) -> Result<Current<AutomationFile>, Problem> {
        let Some(live) = self.live.get().cloned() else {
            return Ok(Current { value: None, problems: Vec::new(), digest: None });
        };
        let path = self.path(workspace);
        aside(move || Ok(live.current(&path, files::parse))).await
    }

    async fn enabled(&self, workspace: &str) -> Result<Arc<Digests>, Problem> {
        if let Some(known) = lock(&self.enabled).get(workspace) {
            return Ok(known.clone());
        }
        let rows = self.store.enabled_automations(workspace).await?;
        let read: Arc<BTreeMap<_, _>> = Arc::new(rows.into_iter().map(|row| (row.id, row.digest)).collect());
        lock(&self.enabled).insert(workspace.to_owned(), read.clone());
        Ok(read)
    }

    /// What is enabled has changed, or a file has.
    fn look_again(&self) {
        lock(&self.enabled).clear();
        self.nudge.notify_one();
    }

    /// Tells of something that happened.
    fn hear(&self, workspace: &str, happened: Occurrence) {
        if !self.is_awake() {
            return;
        }
        let event = happened.event;
        if self.heard.try_send(Heard { workspace: workspace.to_owned(), happened }).is_err() {
            tracing::warn!(?event, "too much happens at once: automations miss some of it");
        }
    }

    /// An automation is about to begin something in a session.
    fn begins(&self, session: &str, depth: u8) {
        lock(&self.beginning).insert(session.to_owned(), depth);
    }

    /// It has begun a turn or run, or has not.
    fn began(&self, session: &str, run: Option<&str>, depth: u8) {
        if let Some(run) = run {
            self.led_to(run, depth);
        }
        lock(&self.beginning).remove(session);
    }

    /// Remembers how many automations led to a turn or run.
    fn led_to(&self, run: &str, depth: u8) {
        let mut depths = lock(&self.depths);
        depths.push_back((run.to_owned(), depth));
        if depths.len() > REMEMBERED {
            depths.pop_front();
        }
    }

    /// How many automations led to what happens in a turn or run of a session.
    async fn depth(&self, session: Option<&str>, run: Option<&str>) -> u8 {
        if let Some(run) = run
            && let Some((_, depth)) = lock(&self.depths).iter().rev().find(|(known, _)| known == run)
        {
            return *depth;
        }
        let Some(session) = session else { return 0 };
        if let Some(depth) = lock(&self.beginning).get(session) {
            return *depth;
        }
        match self.store.automation_of(session).await {
            Ok(Some((_, depth))) => depth,
            Ok(None) | Err(_) => 0,
        }
    }
}

impl Local {
    /// Hears what happens and looks at the clock, as long as a window or a server is open. A second call changes nothing.
    pub(crate) fn automate(&self) {
        let hooks = self.chat.hooks();
        let Some(heard) = lock(&hooks.hearing).take() else { return };
        hooks.awake.store(true, Ordering::Relaxed);
        let tasks = [
            tokio::spawn(hearing::hear(self.clone(), heard)),
            tokio::spawn(hearing::follow(self.clone())),
            tokio::spawn(ticking::tick(self.clone())),
        ];
        lock(&hooks.tasks).extend(tasks);
    }

    /// Carries out a command of this module.
    pub(crate) async fn at_automations(&self, request: Request) -> Result<Response, Problem> {
        let view = |view| Response::Automation(Box::new(view));
        match request {
            Request::AutomationList => {
                self.automation_list().await.map(|page| Response::Automations(Box::new(page)))
            }
            Request::AutomationShow(one) => self.automation_show(&one.id).await.map(view),
            Request::AutomationSave(save) => self.automation_save(*save).await.map(view),
            Request::AutomationTry(save) => self.automation_try(*save).await.map(view),
            Request::AutomationRemove(one) => self.automation_remove(&one.id).await.map(|()| Response::Done),
            Request::AutomationEnable(enable) => self.automation_enable(enable).await.map(view),
            Request::AutomationFire(fire) => self.automation_fire(fire).await.map(Response::AutomationDid),
            Request::AutomationHistory(query) => {
                self.automation_history(query).await.map(Response::AutomationDid)
            }
            other => {
                Err(Problem::new(ErrorCode::Internal, format!("nobody carries out {}", other.command().name)))
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
