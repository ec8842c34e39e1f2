//! The running instance: a second process on the same data directory goes through it, over loopback.
//!
//! The instance's port and token are in `<home>/instance.json`, readable by the person alone. A connection that does not
//! begin with the token is closed without an answer.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use domain::{ErrorCode, Problem, RunId};
use engine::UiEvent;
use environment::QUEUE;
use protocol::{ApiEvent, Frame, PendingAnswer, Request, Response};
use serde::{Deserialize, Serialize};
use support::Token;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream, tcp::OwnedWriteHalf};
use tokio::sync::{Mutex, broadcast, mpsc, oneshot, watch};

use crate::local::Local;

/// The longest line that either side reads, in bytes.
const MAX_LINE: u64 = 64 << 20;
/// How long a client waits for a connection.
const CONNECT: Duration = Duration::from_secs(3);
/// How long an instance that is done stays for clients who are connected and let nothing run.
const TIMEOUT: Duration = Duration::from_secs(3);

#[derive(Serialize, Deserialize)]
struct InstanceFile {
    port: u16,
    token: String,
    pid: u32,
}

fn card_path(home: &Path) -> PathBuf {
    home.join("instance.json")
}

/// Listens for other processes until dropped.
pub struct Instance {
    path: PathBuf,
    task: tokio::task::JoinHandle<()>,
    clients: Arc<AtomicUsize>,
    /// Dropped with the instance: then connections end.
    _open: watch::Sender<()>,
}

/// Counts a connection for as long as it is served.
struct Client(Arc<AtomicUsize>);

impl Client {
    fn new(clients: &Arc<AtomicUsize>) -> Self {
        clients.fetch_add(1, Ordering::SeqCst);
        Self(clients.clone())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.task.abort();
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Instance {
    /// Begins to listen.
    pub async fn listen(local: Local) -> Result<Self, Problem> {
        let failed = |error: std::io::Error| {
            Problem::new(ErrorCode::Storage, format!("the instance can't be announced: {error}"))
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(failed)?;
        let card = InstanceFile {
            port: listener.local_addr().map_err(failed)?.port(),
            token: Token::fresh()?.as_str().to_owned(),
            pid: std::process::id(),
        };
        let path = card_path(&local.env.home);
        let bytes = serde_json::to_vec(&card).unwrap_or_default();
        support::replace_file(&path, &bytes, support::Readers::Person).map_err(failed)?;
        let clients = Arc::new(AtomicUsize::new(0));
        let counted = clients.clone();
        let (open, ended) = watch::channel(());
        let task = tokio::spawn(async move {
            let card = Arc::new(card);
            while let Ok((stream, _)) = listener.accept().await {
                let (local, card, client) = (local.clone(), card.clone(), Client::new(&counted));
                let mut ended = ended.clone();
                tokio::spawn(async move {
                    tokio::select! {
                        () = serve(stream, local, card, client) => {}
                        _ = ended.changed() => {}
                    }
                });
            }
        });
        Ok(Self { path, task, clients, _open: open })
    }

    /// Ends listening once nobody works through this instance: no run is under way, and who is connected has left, or
    /// lets nothing run for a while. `waiting` is told of the runs that are waited for.
    pub async fn finish(mut self, local: &Local, mut waiting: impl FnMut(&RunId)) {
        self.wait_until_idle(local, &mut waiting).await;
        self.task.abort();
        let _ = (&mut self.task).await;
        let _ = std::fs::remove_file(&self.path);
        // Who slipped in before is served, too.
        self.wait_until_idle(local, &mut waiting).await;
    }

    async fn wait_until_idle(&self, local: &Local, waiting: &mut impl FnMut(&RunId)) {
        let mut idle = tokio::time::Instant::now();
        loop {
            for run in local.env.engine.live() {
                waiting(&run);
                let _ = local.env.engine.wait(&run).await;
                idle = tokio::time::Instant::now();
            }
            if self.clients.load(Ordering::SeqCst) == 0 || idle.elapsed() >= TIMEOUT {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

async fn serve(stream: TcpStream, local: Local, card: Arc<InstanceFile>, client: Client) {
    let _ = stream.set_nodelay(true);
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read);
    let first = tokio::time::timeout(Duration::from_secs(5), next(&mut lines)).await;
    match first {
        Ok(Some(Frame::Hello { token })) if Token::from(card.token.as_str()).is(&token) => {}
        _ => return,
    }
    if write_frame(&mut write, &Frame::Welcome).await.is_err() {
        return;
    }
    let (send, mut frames) = mpsc::channel::<Frame>(256);
    let mut events = local.events();
    let teller = send.clone();
    let telling = Task(tokio::spawn(async move {
        loop {
            let frame = match events.recv().await {
                Ok(event) => Frame::Event(event),
                Err(broadcast::error::RecvError::Lagged(_)) => Frame::Event(ApiEvent::Lagged),
                Err(broadcast::error::RecvError::Closed) => return,
            };
            if teller.send(frame).await.is_err() {
                return;
            }
        }
    }));
    let mut writing = Task(tokio::spawn(async move {
        while let Some(frame) = frames.recv().await {
            if write_frame(&mut write, &frame).await.is_err() {
                return;
            }
        }
    }));
    while let Some(frame) = next(&mut lines).await {
        let Frame::Request { id, request, workspace } = frame else { break };
        let (local, send) = (local.clone(), send.clone());
        tokio::spawn(async move {
            let result = local.call_in(workspace, request).await;
            let _ = send.send(Frame::Response { id, result }).await;
        });
    }
    drop((telling, send));
    let _ = (&mut writing.0).await;
    drop(client);
}

/// Work of a connection, which ends with it.
struct Task(tokio::task::JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn next<R: tokio::io::AsyncBufRead + Unpin>(lines: &mut R) -> Option<Frame> {
    let mut line = Vec::new();
    let read = (&mut *lines).take(MAX_LINE).read_until(b'\n', &mut line).await.ok()?;
    if read == 0 || line.last() != Some(&b'\n') {
        return None;
    }
    Frame::read(&line)
}

async fn write_frame(write: &mut OwnedWriteHalf, frame: &Frame) -> std::io::Result<()> {
    write.write_all(&frame.to_line()?).await
}

/// The api of an instance in another process.
#[derive(Clone)]
pub struct Remote {
    inner: Arc<RemoteInner>,
    /// The workspace of commands that name none.
    workspace: Option<String>,
}

struct RemoteInner {
    write: Mutex<OwnedWriteHalf>,
    /// Nothing once the instance has gone away.
    open: parking_lot::Mutex<Option<Open>>,
    next: AtomicU64,
}

/// What waits for frames of the instance.
struct Open {
    calls: HashMap<u64, oneshot::Sender<Result<Response, Problem>>>,
    events: broadcast::Sender<ApiEvent>,
    /// Events of runs alone.
    runs: broadcast::Sender<UiEvent>,
}

impl protocol::Client for Remote {
    async fn call(&self, request: Request) -> Result<Response, Problem> {
        Self::call(self, request).await
    }
}

impl Remote {
    /// Connects to the instance that holds a data directory, where there is one.
    pub async fn connect(home: &Path) -> Result<Self, Problem> {
        let unreachable = |why: String| {
            Problem::new(
                ErrorCode::Busy,
                format!(
                    "the data directory {} is in use, and its instance does not answer: {why}",
                    home.display()
                ),
            )
            .with_action("close the other program, or set AGENTNATIVE_HOME to another directory")
        };
        let card = std::fs::read(card_path(home)).map_err(|error| unreachable(error.to_string()))?;
        let card: InstanceFile =
            serde_json::from_slice(&card).map_err(|error| unreachable(error.to_string()))?;
        let connect = TcpStream::connect((Ipv4Addr::LOCALHOST, card.port));
        let stream =
            tokio::time::timeout(CONNECT, connect).await.map_err(|_| unreachable("time-out".to_owned()))?;
        let stream = stream.map_err(|error| unreachable(error.to_string()))?;
        let _ = stream.set_nodelay(true);
        let (read, mut write) = stream.into_split();
        write_frame(&mut write, &Frame::Hello { token: card.token })
            .await
            .map_err(|error| unreachable(error.to_string()))?;
        let mut lines = BufReader::new(read);
        // A connection that was made while the instance was ending is never served.
        match tokio::time::timeout(CONNECT, next(&mut lines)).await {
            Ok(Some(Frame::Welcome)) => {}
            _ => return Err(unreachable("it is ending".to_owned())),
        }
        let (events, _) = broadcast::channel(QUEUE);
        let (runs, _) = broadcast::channel(QUEUE);
        let inner = Arc::new(RemoteInner {
            write: Mutex::new(write),
            open: parking_lot::Mutex::new(Some(Open { calls: HashMap::new(), events, runs })),
            next: AtomicU64::new(1),
        });
        let reader = Arc::downgrade(&inner);
        tokio::spawn(async move {
            while let Some(frame) = next(&mut lines).await {
                let Some(inner) = reader.upgrade() else { return };
                match frame {
                    Frame::Response { id, result } => {
                        let waiting = inner.open.lock().as_mut().and_then(|open| open.calls.remove(&id));
                        if let Some(waiting) = waiting {
                            let _ = waiting.send(result);
                        }
                    }
                    Frame::Event(event) => {
                        if let Some(open) = inner.open.lock().as_ref() {
                            if let ApiEvent::Run(event) = &event
                                && open.runs.receiver_count() > 0
                            {
                                let _ = open.runs.send((**event).clone());
                            }
                            let _ = open.events.send(event);
                        }
                    }
                    Frame::Hello { .. } | Frame::Welcome | Frame::Request { .. } => {}
                }
            }
            // Whoever waits for an answer or for events learns it at once; later calls are refused.
            if let Some(inner) = reader.upgrade() {
                inner.open.lock().take();
            }
        });
        Ok(Self { inner, workspace: None })
    }

    /// The same for commands on another workspace.
    pub(crate) fn in_workspace(&self, workspace: Option<String>) -> Self {
        Self { inner: self.inner.clone(), workspace }
    }

    /// Tells of everything from now on.
    pub fn events(&self) -> broadcast::Receiver<ApiEvent> {
        // Without a sender the receiver tells that the instance has gone away.
        self.inner
            .open
            .lock()
            .as_ref()
            .map_or_else(|| broadcast::channel(1).1, |open| open.events.subscribe())
    }

    /// Tells of everything in runs from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<UiEvent> {
        self.inner.open.lock().as_ref().map_or_else(|| broadcast::channel(1).1, |open| open.runs.subscribe())
    }

    /// Whether it is the same connection.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Carries out a command there.
    pub async fn call(&self, request: Request) -> Result<Response, Problem> {
        self.call_in(self.workspace.clone(), request).await
    }

    /// Carries out a command there, for a workspace.
    pub fn call_in(&self, workspace: Option<String>, request: Request) -> PendingAnswer<'_, Response> {
        Box::pin(self.call_inner(workspace, request))
    }

    async fn call_inner(&self, workspace: Option<String>, request: Request) -> Result<Response, Problem> {
        let lost = || {
            Problem::new(ErrorCode::Busy, "the instance that holds the data directory is gone").retryable()
        };
        let id = self.inner.next.fetch_add(1, Ordering::Relaxed);
        let (done, answer) = oneshot::channel();
        self.inner.open.lock().as_mut().ok_or_else(lost)?.calls.insert(id, done);
        let frame = Frame::Request { id, request, workspace };
        write_frame(&mut *self.inner.write.lock().await, &frame).await.map_err(|_| lost())?;
        answer.await.map_err(|_| lost())?
    }
}

impl RemoteInner {}
