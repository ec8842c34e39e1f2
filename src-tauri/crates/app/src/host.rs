//! The api as long-lived surfaces hold it: wherever the engine is now, and where it will be when that changes.

use std::sync::Arc;
use std::time::Duration;

use domain::{ErrorCode, Problem, RunId};
use engine::PausePolicy;
use environment::QUEUE;
use parking_lot::Mutex;
use protocol::{ApiEvent, Client, PendingAnswer, Request, Response, Tag};
use tokio::sync::{broadcast, watch};
use tokio::task::JoinHandle;

use crate::AnyClient;
use crate::batches::Batches;
use crate::instance::Instance;
use crate::local::{Local, Options};

/// How long a call waits for an engine while one is being opened again.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The longest pause between attempts to open one again.
const MAX_PAUSE: Duration = Duration::from_secs(2);
/// How long a run may take to be suspended when the host closes; what it had committed is kept all the same.
const SUSPEND: Duration = Duration::from_secs(10);

/// The api for windows and servers. When the process that held the data directory goes away, this one takes it over.
#[derive(Clone)]
pub struct Host {
    inner: Arc<Inner>,
    /// Of commands that name none; none: the person's current one.
    workspace: Option<String>,
}

struct Inner {
    place: watch::Sender<EngineLocation>,
    /// Nothing once the host is closed: then nothing can happen any more.
    events: Mutex<Option<broadcast::Sender<ApiEvent>>>,
    keeper: Mutex<Option<JoinHandle<()>>>,
    /// Keeps this process reachable for others.
    instance: Mutex<Option<Instance>>,
}

/// Where the engine is.
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "a process holds few of them")]
enum EngineLocation {
    Open(AnyClient),
    /// Being opened again; the reason of the last failure, where there was one.
    Opening(Option<Problem>),
    Closed,
}

impl Host {
    /// Opens the data directory, or connects to the instance that holds it. Runs that were under way when a process
    /// died go on; a model call whose outcome is unknown asks first.
    pub fn open(options: Options) -> PendingAnswer<'static, Self> {
        Box::pin(Self::open_inner(options))
    }

    async fn open_inner(options: Options) -> Result<Self, Problem> {
        let (client, instance) = AnyClient::open(options.clone()).await?;
        let (events, _) = broadcast::channel(QUEUE);
        let inner = Arc::new(Inner {
            place: watch::Sender::new(EngineLocation::Open(client.clone())),
            events: Mutex::new(Some(events.clone())),
            keeper: Mutex::default(),
            instance: Mutex::new(instance),
        });
        let told = client.events();
        let keeper = tokio::spawn(keep(Arc::downgrade(&inner), events, told, options));
        *inner.keeper.lock() = Some(keeper);
        go_on(client);
        Ok(Self { inner, workspace: None })
    }

    /// The same, where commands that name no workspace are for this one instead of the person's current one.
    pub fn in_workspace(&self, workspace: Option<String>) -> Self {
        Self { inner: self.inner.clone(), workspace }
    }

    /// Carries out a command. While the engine moves it waits; where it can't be known whether the command was carried
    /// out the problem says that it may be tried again.
    pub async fn call(&self, request: Request) -> Result<Response, Problem> {
        self.call_in(None, request).await
    }

    /// Carries out a command for a workspace; without one for this host's own, else for the person's current one.
    pub fn call_in(&self, workspace: Option<String>, request: Request) -> PendingAnswer<'_, Response> {
        Box::pin(self.call_inner(workspace, request))
    }

    async fn call_inner(&self, workspace: Option<String>, request: Request) -> Result<Response, Problem> {
        let workspace = workspace.filter(|slug| !slug.is_empty()).or_else(|| self.workspace.clone());
        let client = self.client().await?.in_workspace(workspace.clone());
        let repeatable = client.is_remote() && request.command().only_reads;
        let again = repeatable.then(|| request.clone());
        match (client.call(request).await, again) {
            (Err(lost), Some(request)) if lost.code == ErrorCode::Busy && lost.retryable => {
                self.inner.leave(&client);
                self.client().await?.in_workspace(workspace).call(request).await
            }
            (answer, _) => answer,
        }
    }

    /// Tells of everything from now on.
    pub fn events(&self) -> Batches {
        // A closed host has nothing to tell: the receiver of a dropped sender ends at once.
        let events = self.inner.events.lock().as_ref().map(broadcast::Sender::subscribe);
        Batches::new(events.unwrap_or_else(|| broadcast::channel(1).1))
    }

    /// Whether another process has the engine now.
    pub fn is_remote(&self) -> bool {
        matches!(&*self.inner.place.borrow(), EngineLocation::Open(client) if client.is_remote())
    }

    /// Stops everything so that it can be resumed, and releases the data directory. Later calls are refused.
    pub async fn close(&self) -> Result<(), Problem> {
        let before = self.inner.place.send_replace(EngineLocation::Closed);
        let keeper = self.inner.keeper.lock().take();
        if let Some(keeper) = keeper {
            keeper.abort();
            // It may just be taking the directory.
            let _ = keeper.await;
        }
        let instance = self.inner.instance.lock().take();
        let closed = match before {
            EngineLocation::Open(AnyClient::Local(local)) => {
                quiet(&local).await;
                // Who works through this process learns that it leaves, instead of finding a closed database.
                drop(instance);
                local.close().await
            }
            EngineLocation::Open(AnyClient::Remote(_))
            | EngineLocation::Opening(_)
            | EngineLocation::Closed => Ok(()),
        };
        self.inner.events.lock().take();
        closed
    }

    /// The engine, as soon as it is there.
    async fn client(&self) -> Result<AnyClient, Problem> {
        let mut place = self.inner.place.subscribe();
        let there = place.wait_for(|place| !matches!(place, EngineLocation::Opening(_)));
        match tokio::time::timeout(TIMEOUT, there).await {
            Ok(Ok(place)) => match &*place {
                EngineLocation::Open(client) => Ok(client.clone()),
                EngineLocation::Opening(_) | EngineLocation::Closed => {
                    Err(Problem::new(ErrorCode::Busy, "AgentNative is closing").with_action("start it again"))
                }
            },
            Ok(Err(_)) => Err(Problem::new(ErrorCode::Internal, "the data directory stays closed")),
            Err(_) => {
                let why = match &*self.inner.place.borrow() {
                    EngineLocation::Opening(Some(problem)) => problem.clone(),
                    EngineLocation::Open(_) | EngineLocation::Opening(None) | EngineLocation::Closed => {
                        Problem::new(
                            ErrorCode::Busy,
                            "the program that held the data directory has gone away, and it can't be opened yet",
                        )
                    }
                };
                Err(why.retryable())
            }
        }
    }
}

impl Client for Host {
    async fn call(&self, request: Request) -> Result<Response, Problem> {
        Self::call(self, request).await
    }
}

impl Inner {
    /// Learns that an engine in another process has gone away.
    fn leave(&self, gone: &AnyClient) {
        self.place.send_if_modified(|place| {
            let same = matches!((&*place, gone), (EngineLocation::Open(AnyClient::Remote(now)), AnyClient::Remote(gone)) if now.is(gone));
            if same {
                *place = EngineLocation::Opening(None);
            }
            same
        });
    }
}

/// Passes events on, and opens the engine again whenever the one in another process has gone away.
async fn keep(
    inner: std::sync::Weak<Inner>,
    events: broadcast::Sender<ApiEvent>,
    mut told: broadcast::Receiver<ApiEvent>,
    options: Options,
) {
    loop {
        loop {
            let event = match told.recv().await {
                Ok(event) => event,
                Err(broadcast::error::RecvError::Lagged(_)) => ApiEvent::Lagged,
                Err(broadcast::error::RecvError::Closed) => break,
            };
            let _ = events.send(event);
        }
        let Some(host) = inner.upgrade() else { return };
        host.place.send_if_modified(|place| {
            let open = matches!(place, EngineLocation::Open(_));
            if open {
                *place = EngineLocation::Opening(None);
            }
            open
        });
        drop(host);
        let Some(client) = reopen(&inner, &options).await else { return };
        told = client.events();
        // Whatever happened meanwhile was told to nobody.
        let _ = events.send(ApiEvent::Lagged);
        go_on(client);
    }
}

/// Tries until it succeeds; nothing when the host is closed or gone.
async fn reopen(inner: &std::sync::Weak<Inner>, options: &Options) -> Option<AnyClient> {
    let mut pause = Duration::from_millis(50);
    loop {
        let opened = AnyClient::open(options.clone()).await;
        let host = inner.upgrade()?;
        match opened {
            Ok((client, instance)) => {
                *host.instance.lock() = instance;
                let kept = host.place.send_if_modified(|place| {
                    let wanted = matches!(place, EngineLocation::Opening(_));
                    if wanted {
                        *place = EngineLocation::Open(client.clone());
                    }
                    wanted
                });
                if kept {
                    return Some(client);
                }
                drop(host.instance.lock().take());
                if let AnyClient::Local(local) = client {
                    let _ = local.close().await;
                }
                return None;
            }
            Err(problem) => {
                tracing::warn!(code = ?problem.code, "the data directory can't be opened again: {}", problem.message);
                host.place.send_if_modified(|place| match place {
                    EngineLocation::Opening(why) => {
                        *why = Some(problem);
                        true
                    }
                    EngineLocation::Open(_) | EngineLocation::Closed => false,
                });
            }
        }
        drop(host);
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(MAX_PAUSE);
    }
}

/// Lets runs go on that nobody drives although their log says that they run: their process died. Beside whatever else
/// happens, since reading their logs takes time.
fn go_on(client: AnyClient) {
    let AnyClient::Local(local) = client else { return };
    local.library.watch_bases();
    local.env.watch_files();
    local.sources.tools().search_path();
    local.scheduler.begin();
    tokio::spawn(async move {
        let unfinished = match local.conversations.unfinished().await {
            Ok(unfinished) => unfinished,
            Err(problem) => return tracing::warn!("unfinished runs can't be listed: {problem}"),
        };
        if unfinished.is_empty() {
            return;
        }
        let engine = &local.env.engine;
        for row in unfinished {
            let run = RunId(row.id);
            let resumed = match row.kind.as_str() {
                engine::turn::KIND => engine.resume_turn(&run).await,
                engine::mission::KIND => engine.resume_mission(&run, false).await,
                _ => engine.resume(&run, PausePolicy::default()).await,
            };
            if let Err(problem) = resumed {
                tracing::warn!("{run} can't go on: {}", problem.message);
            }
        }
        local.env.stream.tell(&[Tag::Sessions, Tag::Runs]);
    });
}

/// Ends jobs and suspends runs.
async fn quiet(local: &Local) {
    local.permissions.gate().automations().end();
    local.library.quiet();
    local.env.quiet().await;
    // A call that was under way may still have started one.
    for _ in 0..3 {
        suspend(local).await;
        if local.env.engine.live().is_empty() {
            break;
        }
    }
}

async fn suspend(local: &Local) {
    let suspending: Vec<_> = local
        .env
        .engine
        .live()
        .into_iter()
        .map(|run| {
            let local = local.clone();
            tokio::spawn(async move {
                let stopped = async {
                    let _ = local.env.engine.suspend(&run).await;
                    let _ = local.env.engine.wait(&run).await;
                };
                if tokio::time::timeout(SUSPEND, stopped).await.is_err() {
                    tracing::warn!("{run} was not suspended in time; it goes on from its last commit");
                }
            })
        })
        .collect();
    for one in suspending {
        let _ = one.await;
    }
}
