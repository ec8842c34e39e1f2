//! Commands that go on in the background: which there are, what they said, and their end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domain::Walls;
use parking_lot::{Mutex, RwLock};
use support::now_ms;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::copies::Copies;
use super::limits::BACKGROUND;
use super::process::{RunningCommand, Setup};
use crate::{CallContext, Kind, ToolError};

/// Bytes of output that a person is shown.
const SHOWN: usize = 100_000;
/// Commands that may go on at once in a session.
const RUNNING_PER_SESSION: usize = 16;
/// How long a command waits for the search path.
const PATH_PATIENCE: Duration = Duration::from_secs(6);
/// Ended commands that a session remembers.
const ENDED_PER_SESSION: usize = 32;

/// The background commands of all sessions. Cheap to clone; all clones are one.
#[derive(Debug, Clone)]
pub struct Shells {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    setup: RwLock<Setup>,
    copies: Copies,
    table: Mutex<Table>,
    changes: watch::Sender<u64>,
    /// Whether the search path is known, or nobody looks for it.
    knows_path: watch::Sender<bool>,
}

#[derive(Debug)]
struct Table {
    /// Tells this run of the program from others: ids that a conversation remembers must not name a new command.
    prefix: String,
    next: u64,
    closed: bool,
    shells: BTreeMap<u64, Shell>,
}

#[derive(Debug)]
struct Shell {
    state: ShellState,
    running: Arc<RunningCommand>,
}

/// A background command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellState {
    /// Its id.
    pub id: String,
    /// Its session.
    pub session: String,
    /// The command.
    pub command: String,
    /// When it began, in milliseconds since 1970.
    pub started_at: i64,
    /// Its exit code when it has ended and gave one; 128 + n for a signal.
    pub exit: Option<i32>,
    /// Whether it goes on.
    pub running: bool,
}

impl Shells {
    /// None yet.
    pub fn new(setup: Setup) -> Self {
        let table = Table {
            prefix: format!("sh{:x}", now_ms() & 0xff_ffff),
            next: 1,
            closed: false,
            shells: BTreeMap::new(),
        };
        let inner = Inner {
            copies: Copies::new(&setup.data),
            setup: RwLock::new(setup),
            table: Mutex::new(table),
            changes: watch::channel(0).0,
            knows_path: watch::channel(true).0,
        };
        Self { inner: Arc::new(inner) }
    }

    /// Takes the search path over when it becomes known; commands wait for it, a few seconds at most. Must be called
    /// within a tokio runtime.
    pub fn await_search_path(&self, mut told: watch::Receiver<Option<std::ffi::OsString>>) {
        self.inner.knows_path.send_replace(false);
        // Nothing is kept open for a shell that does not answer.
        let inner = Arc::downgrade(&self.inner);
        tokio::spawn(async move {
            let path = told.wait_for(Option::is_some).await.ok().and_then(|path| path.clone());
            let Some(inner) = inner.upgrade() else { return };
            match path {
                Some(path) => Self { inner }.set_search_path(path),
                None => drop(inner.knows_path.send_replace(true)),
            }
        });
    }

    /// Sets the `PATH` of commands that are started from now on.
    pub fn set_search_path(&self, path: std::ffi::OsString) {
        self.inner.setup.write().search_path = Some(path);
        self.inner.knows_path.send_replace(true);
    }

    /// Returns when the search path is known, or is not worth waiting for any more.
    pub(super) async fn knows_search_path(&self) {
        let mut known = self.inner.knows_path.subscribe();
        let known = known.wait_for(|known| *known);
        // A late one counts for the commands after it.
        let _ = tokio::time::timeout(PATH_PATIENCE, known).await;
    }

    /// Changes whenever a background command begins, ends or is forgotten.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }

    /// The background commands of a session, or of all, in the order in which they began.
    pub fn list(&self, session: Option<&str>) -> Vec<ShellState> {
        let table = self.inner.table.lock();
        let wanted = |state: &&ShellState| session.is_none_or(|session| session == state.session);
        table.shells.values().map(|shell| &shell.state).filter(wanted).cloned().collect()
    }

    /// A background command, the last 100,000 bytes of its output, and how many there were.
    pub fn show(&self, id: &str) -> Option<(ShellState, String, u64)> {
        let (state, running) = self.find(id)?;
        let (text, bytes) = running.output.last(SHOWN);
        Some((state, text, bytes))
    }

    /// Ends a background command with everything that it began, and returns when nobody of it is left. False when there
    /// is none of that id.
    pub async fn kill(&self, id: &str) -> bool {
        let Some((_, running)) = self.find(id) else { return false };
        running.stop();
        self.wait_for_end(id).await;
        true
    }

    /// Ends what goes on in a session, and forgets it: the session is removed.
    pub async fn end_session(&self, session: &str) {
        self.end(|state| state.session == session).await;
    }

    /// Ends everything and starts nothing more: the program ends.
    pub async fn close(&self) {
        self.inner.table.lock().closed = true;
        self.end(|_| true).await;
    }

    /// Starts a command, whose output is read from now on.
    pub(super) fn start(
        &self,
        command: &str,
        at: &CallContext,
        confined: Walls,
        cancel: &CancellationToken,
    ) -> Result<RunningCommand, ToolError> {
        let directory = super::directory(at)?;
        std::fs::create_dir_all(&directory)
            .and_then(|()| directory.canonicalize())
            .map_err(|error| {
                ToolError::new(
                    Kind::NotFound,
                    format!("commands can't run in {}: {error}", directory.display()),
                )
            })
            .and_then(|directory| {
                let setup = self.inner.setup.read().clone();
                setup.start(command, &directory, at, confined, &self.inner.copies, cancel)
            })
    }

    /// Starts a command that goes on in the background; gives its state.
    pub(super) fn begin(
        &self,
        command: &str,
        at: &CallContext,
        confined: Walls,
        cancel: &CancellationToken,
    ) -> Result<ShellState, ToolError> {
        let (state, number) = {
            let mut table = self.inner.table.lock();
            let mine = |shell: &&Shell| shell.state.session == at.session;
            if table.closed {
                return Err(ToolError::new(Kind::Cancelled, "the program ends"));
            }
            let going = table.shells.values().filter(mine).filter(|shell| shell.state.running).count();
            if going >= RUNNING_PER_SESSION {
                return Err(ToolError::new(
                    Kind::Refused,
                    format!("{going} commands go on in the background of this session already"),
                )
                .with_guidance("End one with shell_kill first."));
            }
            let running = Arc::new(self.start(command, at, confined, cancel)?);
            let number = table.next;
            table.next += 1;
            let state = ShellState {
                id: format!("{}-{number}", table.prefix),
                session: at.session.clone(),
                command: command.to_owned(),
                started_at: now_ms(),
                exit: None,
                running: true,
            };
            table.shells.insert(number, Shell { state: state.clone(), running });
            let ended: Vec<u64> = table
                .shells
                .iter()
                .filter(|(_, shell)| shell.state.session == at.session && !shell.state.running)
                .map(|(number, _)| *number)
                .collect();
            for old in ended.iter().rev().skip(ENDED_PER_SESSION) {
                table.shells.remove(old);
            }
            (state, number)
        };
        let shells = self.clone();
        tokio::spawn(async move { shells.watch(number).await });
        self.changed();
        Ok(state)
    }

    /// Notes the end of a command when it comes.
    async fn watch(&self, number: u64) {
        let Some(running) =
            self.inner.table.lock().shells.get(&number).map(|shell| Arc::clone(&shell.running))
        else {
            return;
        };
        let exit = tokio::select! {
            exit = running.ended() => exit,
            () = running.output.too_much.cancelled() => {
                running.stop();
                running.ended().await
            }
            () = tokio::time::sleep(BACKGROUND) => {
                running.stop();
                let exit = running.ended().await;
                let hours = BACKGROUND.as_secs() / 3600;
                running.output.note(&format!("The command was ended: it ran for more than {hours} hours."));
                exit
            }
        };
        if let Some(shell) = self.inner.table.lock().shells.get_mut(&number) {
            shell.state.running = false;
            shell.state.exit = exit;
        }
        self.changed();
    }

    /// Waits until a command is noted as ended, or forgotten.
    pub(super) async fn wait_for_end(&self, id: &str) {
        let mut changes = self.changes();
        loop {
            changes.mark_unchanged();
            if !self.find(id).is_some_and(|(state, _)| state.running) || changes.changed().await.is_err() {
                return;
            }
        }
    }

    pub(super) fn find(&self, id: &str) -> Option<(ShellState, Arc<RunningCommand>)> {
        let table = self.inner.table.lock();
        let shell = table.shells.values().find(|shell| shell.state.id == id)?;
        Some((shell.state.clone(), Arc::clone(&shell.running)))
    }

    async fn end(&self, which: impl Fn(&ShellState) -> bool) {
        let ending: Vec<(u64, Arc<RunningCommand>)> = self
            .inner
            .table
            .lock()
            .shells
            .iter()
            .filter(|(_, shell)| which(&shell.state))
            .map(|(number, shell)| (*number, Arc::clone(&shell.running)))
            .collect();
        for (_, running) in &ending {
            running.stop();
        }
        for (number, running) in ending {
            running.ended().await;
            self.inner.table.lock().shells.remove(&number);
        }
        self.changed();
    }

    fn changed(&self) {
        self.inner.changes.send_modify(|count| *count += 1);
    }
}
