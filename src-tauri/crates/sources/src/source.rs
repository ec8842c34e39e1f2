//! A source: one configured server with its state, its tools, its calls and its restarts.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::config::{CallLimits, Era, SourceConfig};
use crate::connection::{Connection, Server, ServerStart};
use crate::error::{SourceError, SourceErrorKind};
use crate::event::{EventSink, SourceEvent, SourceState};
use crate::outcome::ToolOutcome;
use crate::program::locate;
use crate::tools::{ToolTable, UnusableTool};

/// Restarts allowed within [`RESTART_WINDOW`].
const MAX_RESTARTS: usize = 5;
const RESTART_WINDOW: Duration = Duration::from_secs(600);
/// The pause before the second restart within the window; doubled for each further one.
const FIRST_BACKOFF: Duration = Duration::from_millis(200);
/// Configurations whose protocol generation is remembered.
const REMEMBERED_ERAS: usize = 1_024;
/// Names shown when a tool is not known.
const SHOWN_TOOLS: usize = 20;

/// The generation that each configuration was found to speak, for the life of this process.
static ERAS: LazyLock<Mutex<HashMap<String, Era>>> = LazyLock::new(Mutex::default);

/// A running MCP server. Cheap to clone; when the last clone is gone its process tree is ended in the background.
#[derive(Debug, Clone)]
pub struct Source {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: SourceConfig,
    hash: String,
    guard: Option<PathBuf>,
    events: EventSink,
    /// Ends a start that is under way.
    cancel: CancellationToken,
    slots: Semaphore,
    state: watch::Sender<SourceState>,
    live: Mutex<Option<Arc<Connection>>>,
    /// Held while the source is being restarted, with the times of the restarts.
    restarts: tokio::sync::Mutex<VecDeque<Instant>>,
}

impl Source {
    /// Starts the server and returns when its tools are known.
    ///
    /// `guard` is a program that runs [`process_guard::intercept`] first in its `main` (the program itself, see
    /// [`std::env::current_exe`]); without one the server is started directly and dies with us only if it minds its
    /// input. Events of its whole life go to `events`. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// After `start_timeout` at the latest, with the stderr tail; nothing of the server is left running then, or is
    /// being killed.
    pub async fn start(
        config: SourceConfig,
        guard: Option<PathBuf>,
        events: Option<mpsc::Sender<SourceEvent>>,
    ) -> Result<Self, SourceError> {
        Self::start_until(config, guard, events, CancellationToken::new()).await
    }

    /// Starts the server unless `cancel` comes first.
    pub(crate) async fn start_until(
        config: SourceConfig,
        guard: Option<PathBuf>,
        events: Option<mpsc::Sender<SourceEvent>>,
        cancel: CancellationToken,
    ) -> Result<Self, SourceError> {
        let inner = Arc::new(Inner {
            cancel,
            hash: config.hash(),
            slots: Semaphore::new(config.max_concurrent_calls.max(1)),
            config,
            guard,
            events: EventSink(events),
            state: watch::Sender::new(SourceState::Starting),
            live: Mutex::new(None),
            restarts: tokio::sync::Mutex::default(),
        });
        inner.open().await?;
        Ok(Self { inner })
    }

    /// The source's name.
    pub fn slug(&self) -> &str {
        &self.inner.config.slug
    }

    /// The configuration it was started with.
    pub fn config(&self) -> &SourceConfig {
        &self.inner.config
    }

    /// The hash of its configuration.
    pub fn config_hash(&self) -> &str {
        &self.inner.hash
    }

    /// The state it is in now.
    pub fn state(&self) -> SourceState {
        *self.inner.state.borrow()
    }

    /// Waits until its state changes and returns the new one.
    pub async fn state_change(&self) -> SourceState {
        let mut state = self.inner.state.subscribe();
        // The sender lives in `self`.
        let _ = state.changed().await;
        *state.borrow()
    }

    /// Its tools by name; empty before it was ready and after it was closed.
    pub fn tools(&self) -> ToolTable {
        self.inner.connection().map(|connection| Arc::clone(&connection.tools)).unwrap_or_default()
    }

    /// Tools that its server lists and that can't be used.
    pub fn left_out(&self) -> Arc<[UnusableTool]> {
        self.inner.connection().map(|connection| Arc::clone(&connection.left_out)).unwrap_or_default()
    }

    /// The name and version that its server gives itself, cleaned.
    pub fn server(&self) -> Option<String> {
        self.inner.connection().and_then(|connection| connection.server())
    }

    /// The end of what its server wrote to standard error, at most 8 KiB, safe to show.
    pub fn log(&self) -> String {
        self.inner.connection().map(|connection| connection.last_words()).unwrap_or_default()
    }

    /// The protocol generation that its server was found to speak.
    pub fn era(&self) -> Option<Era> {
        self.inner.connection().map(|connection| connection.era)
    }

    /// Calls a tool. Dropping the future, or cancelling its token, tells the server that nobody waits any more.
    ///
    /// # Errors
    /// Within the deadlines of `limits`, with the stderr tail. A tool's own error is [`SourceErrorKind::Tool`].
    pub async fn call(
        &self,
        tool: &str,
        arguments: Value,
        limits: CallLimits,
    ) -> Result<ToolOutcome, SourceError> {
        let started = Instant::now();
        let inner = &self.inner;
        let connection = inner
            .connection()
            .ok_or_else(|| inner.error(SourceErrorKind::NotRunning { state: self.state().name() }))?;
        if !connection.tools.contains_key(tool) {
            return Err(inner.error(unknown_tool(tool, &connection.tools)));
        }
        let arguments = match arguments {
            Value::Object(arguments) => Some(arguments),
            Value::Null => None,
            other => {
                return Err(inner.error(SourceErrorKind::InvalidArguments {
                    tool: tool.to_owned(),
                    found: json_type(&other),
                }));
            }
        };
        let size = serde_json::to_vec(&arguments).map_or(usize::MAX, |bytes| bytes.len());
        if size > inner.config.max_argument_bytes {
            return Err(inner.error(SourceErrorKind::TooLarge {
                what: format!("the arguments of tool `{tool}`"),
                limit: inner.config.max_argument_bytes,
            }));
        }
        let slot = tokio::select! {
            biased;
            () = limits.cancel.cancelled() => return Err(inner.error(SourceErrorKind::Cancelled)),
            slot = tokio::time::timeout(limits.total, inner.slots.acquire()) => slot,
        };
        let Ok(Ok(_slot)) = slot else {
            return Err(inner.error(SourceErrorKind::Deadline {
                tool: tool.to_owned(),
                limit: limits.total,
                note: "; all its slots were taken".into(),
            }));
        };
        connection.call(tool, arguments, &limits, started).await
    }

    /// Ends the server and starts a fresh one: at once the first time, after a growing pause the next, at most five
    /// times in ten minutes.
    ///
    /// # Errors
    /// [`SourceErrorKind::RestartLimit`], or why it did not start.
    pub async fn restart(&self) -> Result<(), SourceError> {
        let restarts = self.inner.restarts.lock().await;
        self.restart_locked(restarts).await
    }

    /// Restarts the source unless someone else has just done so.
    pub(crate) async fn revive(&self) -> Result<(), SourceError> {
        let restarts = self.inner.restarts.lock().await;
        match self.state() {
            SourceState::Failed => self.restart_locked(restarts).await,
            SourceState::Starting | SourceState::Ready | SourceState::Stopped => Ok(()),
        }
    }

    async fn restart_locked(
        &self,
        mut restarts: tokio::sync::MutexGuard<'_, VecDeque<Instant>>,
    ) -> Result<(), SourceError> {
        let inner = &self.inner;
        if inner.cancel.is_cancelled() {
            return Err(inner.error(SourceErrorKind::NotRunning { state: SourceState::Stopped.name() }));
        }
        let now = Instant::now();
        while restarts.front().is_some_and(|at| now.duration_since(*at) > RESTART_WINDOW) {
            restarts.pop_front();
        }
        if restarts.len() >= MAX_RESTARTS {
            return Err(inner
                .error(SourceErrorKind::RestartLimit { restarts: restarts.len(), window: RESTART_WINDOW }));
        }
        if let Some(earlier) = restarts.len().checked_sub(1) {
            let exponent = u32::try_from(earlier).unwrap_or(u32::MAX);
            let pause = FIRST_BACKOFF * 2_u32.saturating_pow(exponent);
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = inner.cancel.cancelled() => {
                    return Err(inner.error(SourceErrorKind::Cancelled));
                }
            }
        }
        restarts.push_back(Instant::now());
        inner.end_connection().await;
        inner.open().await
    }

    /// Closes the server's input, waits for its end, and kills what does not end. Returns when nothing of it is left.
    /// The source cannot be restarted afterwards.
    pub async fn close(&self) {
        self.inner.cancel.cancel();
        // A restart under way ends first, so that it cannot bring the server back.
        let _restarts = self.inner.restarts.lock().await;
        self.inner.enter(SourceState::Stopped, None);
        self.inner.end_connection().await;
    }
}

impl Inner {
    fn error(&self, kind: SourceErrorKind) -> SourceError {
        match self.connection() {
            Some(connection) => connection.error(kind),
            None => SourceError::new(&self.config.slug, kind),
        }
    }

    fn connection(&self) -> Option<Arc<Connection>> {
        self.live.lock().clone()
    }

    fn take_connection(&self) -> Option<Arc<Connection>> {
        self.live.lock().take()
    }

    fn enter(&self, state: SourceState, error: Option<SourceError>) {
        let tools = match state {
            SourceState::Ready => self.connection().map_or(0, |live| live.tools.len()),
            SourceState::Starting | SourceState::Failed | SourceState::Stopped => 0,
        };
        if self.state.send_replace(state) == state && error.is_none() && state != SourceState::Starting {
            return;
        }
        self.events.send(SourceEvent {
            slug: self.config.slug.clone(),
            config_hash: self.hash.clone(),
            state,
            error,
            tools,
        });
    }

    async fn open(self: &Arc<Self>) -> Result<(), SourceError> {
        self.enter(SourceState::Starting, None);
        let deadline = tokio::time::Instant::now() + self.config.start_timeout;
        let known = self.known_era();
        let opened = match self.connect(known, deadline).await {
            // What is remembered may be true of another version of the server.
            Err(SourceError { kind: SourceErrorKind::Protocol { .. }, .. })
                if self.config.era == Era::Auto && known != Era::Auto =>
            {
                self.connect(Era::Auto, deadline).await
            }
            opened => opened,
        };
        match opened {
            Ok(connection) => {
                self.remember_era(connection.era);
                let connection = Arc::new(connection);
                tokio::spawn(watch_end(Arc::downgrade(self), Arc::downgrade(&connection)));
                *self.live.lock() = Some(connection);
                self.enter(SourceState::Ready, None);
                Ok(())
            }
            Err(error) => {
                // It may have been replaced by another version of itself: ask anew next time.
                self.forget_era();
                self.enter(SourceState::Failed, Some(error.clone()));
                Err(error)
            }
        }
    }

    async fn connect(&self, era: Era, deadline: tokio::time::Instant) -> Result<Connection, SourceError> {
        let opening = |server| ServerStart {
            config: &self.config,
            server,
            guard: self.guard.as_deref().filter(|_| self.config.http.is_none()),
            era,
            deadline,
            cancel: self.cancel.clone(),
        };
        match &self.config.http {
            Some(server) => Connection::open(opening(Server::Address(server))).await,
            None => match locate(&self.config) {
                Ok(located) => Connection::open(opening(Server::Program(&located))).await,
                Err(kind) => Err(self.error(kind)),
            },
        }
    }

    async fn end_connection(&self) {
        if let Some(connection) = self.take_connection() {
            let limit = self.config.stop_timeout + self.config.kill_grace + Duration::from_secs(10);
            connection.close(limit).await;
        }
    }

    fn known_era(&self) -> Era {
        match self.config.era {
            Era::Auto => {
                let eras = ERAS.lock();
                eras.get(&self.hash).copied().unwrap_or(Era::Auto)
            }
            fixed @ (Era::Modern | Era::Legacy) => fixed,
        }
    }

    fn remember_era(&self, era: Era) {
        let mut eras = ERAS.lock();
        if eras.len() >= REMEMBERED_ERAS {
            eras.clear();
        }
        eras.insert(self.hash.clone(), era);
    }

    fn forget_era(&self) {
        ERAS.lock().remove(&self.hash);
    }
}

/// Notices that a server ended between calls, or was cut off, and ends what is left of its tree.
async fn watch_end(source: Weak<Inner>, connection: Weak<Connection>) {
    let Some((ended, exit)) = connection
        .upgrade()
        .map(|live| (live.wire.ended.clone(), live.tree.as_ref().map(|tree| tree.ended())))
    else {
        return;
    };
    let exited = async {
        match exit {
            Some(mut exit) => drop(exit.wait_for(Option::is_some).await),
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = ended.cancelled() => {}
        () = exited => {}
    }
    let (Some(source), Some(connection)) = (source.upgrade(), connection.upgrade()) else {
        return;
    };
    let is_current = source.connection().is_some_and(|live| Arc::ptr_eq(&live, &connection));
    // Closing and restarting take the connection away first: then its end is no failure.
    if is_current {
        let error = connection.ended().await;
        source.enter(SourceState::Failed, Some(error));
    }
}

fn unknown_tool(tool: &str, tools: &ToolTable) -> SourceErrorKind {
    let mut known: Vec<&str> = tools.keys().map(String::as_str).take(SHOWN_TOOLS).collect();
    if tools.len() > SHOWN_TOOLS {
        known.push("…");
    }
    SourceErrorKind::UnknownTool { tool: tool.to_owned(), known: known.join(", ") }
}

fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
