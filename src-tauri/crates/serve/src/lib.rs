//! The api and the window's files over loopback: for a browser, for tests, and for programs of the same person.
//!
//! Whoever knows the token may do what the person may do; the token is made anew for each start and told to nobody but
//! the person. Nothing is reachable from another machine, and nothing from a page of another origin: the `Host` header
//! must name this server (which refuses names rebound to this address), and an `Origin` must be its own.

mod auth;
mod call;
mod connection_limit;
mod events;
mod files;
mod shares;
mod write_timeout;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use app::{Host, Token};
use axum::Router;
use axum::routing::{any, post};
use domain::{ErrorCode, Problem};
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::connection_limit::{ConnectionLimit, ConnectionSlot};
use crate::write_timeout::WriteTimeout;

pub use shares::{ShareOptions, ShareServer};

/// Streams of events at once.
const STREAMS: usize = 32;
/// How long the head of a request may take to arrive.
const HEAD_TIME: Duration = Duration::from_secs(5);
/// The most header lines, and the most bytes of a head.
const HEAD_LINES: usize = 64;
const HEAD_BYTES: usize = 32 << 10;
/// How long requests under way may take when the server closes.
const LAST_MOMENTS: Duration = Duration::from_secs(3);

/// How a server is started.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where it listens: a loopback address; port 0 for any that is free.
    pub address: SocketAddr,
    /// The folder with the window's files, where there is one.
    pub ui: Option<PathBuf>,
}

impl Options {
    /// On a port of this machine alone.
    pub fn on_port(port: u16) -> Self {
        Self { address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)), ui: None }
    }
}

/// A server that listens.
pub struct Server {
    host: Host,
    token: Token,
    port: u16,
    closing: watch::Sender<bool>,
    listening: tokio::task::JoinHandle<()>,
}

/// What every request needs.
struct HttpGuard {
    host: Host,
    token: Token,
    port: u16,
    ui: Option<PathBuf>,
    streams: Arc<Semaphore>,
    closing: watch::Receiver<bool>,
}

impl Server {
    /// Begins to listen.
    ///
    /// # Errors
    /// Where the address is not of this machine alone, or is taken.
    pub async fn start(host: Host, options: Options) -> Result<Self, Problem> {
        let Options { address, ui } = options;
        if address.ip() != Ipv4Addr::LOCALHOST {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                format!("{} is reachable from other machines; only 127.0.0.1 is served", address.ip()),
            )
            .with_action("to use it from elsewhere forward the port over ssh"));
        }
        let failed = |error: std::io::Error| {
            Problem::new(
                ErrorCode::InvalidInput,
                format!("port {} can't be listened on: {error}", address.port()),
            )
            .with_action("choose another port, or 0 for any that is free")
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let token = Token::fresh()?;
        let (closing, closed) = watch::channel(false);
        let gate = Arc::new(HttpGuard {
            host: host.clone(),
            token: token.clone(),
            port,
            ui,
            streams: Arc::new(Semaphore::new(STREAMS)),
            closing: closed.clone(),
        });
        let router = Router::new()
            .route("/api", post(call::carry_out))
            .route("/events", any(events::listen))
            .fallback(files::give)
            .layer(axum::middleware::from_fn_with_state(gate.clone(), auth::pass))
            .with_state(gate);
        let listening = tokio::spawn(listen(listener, router, closed));
        Ok(Self { host, token, port, closing, listening })
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Who knows it may do everything.
    pub fn token(&self) -> &Token {
        &self.token
    }

    /// The address to open in a browser. The token is in its fragment, which browsers send to nobody.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.port, self.token.as_str())
    }

    /// Ends connections, suspends runs and releases the data directory.
    pub async fn close(self) -> Result<(), Problem> {
        let _ = self.closing.send(true);
        let _ = self.listening.await;
        self.host.close().await
    }
}

async fn listen(listener: TcpListener, router: Router, mut closing: watch::Receiver<bool>) {
    let mut connections = JoinSet::new();
    let room = ConnectionLimit::default();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else {
                    // No more file descriptors, for example: others close theirs meanwhile.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                };
                // Nobody waits for a place: what holds them all may be hostile.
                let Some(guest) = room.enter() else { continue };
                connections.spawn(serve(stream, router.clone(), guest, closing.clone()));
            }
            Some(_) = connections.join_next() => {}
            () = closed(&mut closing) => break,
        }
    }
    drop(listener);
    let ended = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(LAST_MOMENTS, ended).await;
    connections.shutdown().await;
}

/// Waits until the server closes.
async fn closed(closing: &mut watch::Receiver<bool>) {
    let _ = closing.wait_for(|closing| *closing).await;
}

async fn serve(stream: TcpStream, router: Router, guest: ConnectionSlot, mut closing: watch::Receiver<bool>) {
    let _ = stream.set_nodelay(true);
    let guest = Arc::new(guest);
    let service = TowerToHyperService::new(router);
    let asking = guest.clone();
    let service = service_fn(move |request: axum::http::Request<hyper::body::Incoming>| {
        let slot = asking.request();
        let response = service.call(request);
        async move { response.await.map(|response| response.map(|body| slot.until_sent(body))) }
    });
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_headers(HEAD_LINES)
        .max_buf_size(HEAD_BYTES);
    let connection = http.serve_connection(TokioIo::new(WriteTimeout::new(stream)), service).with_upgrades();
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = closed(&mut closing) => {
            connection.as_mut().graceful_shutdown();
            connection.as_mut().await
        }
        () = guest.sent_away() => return,
    };
    if let Err(error) = ended {
        tracing::debug!("a connection ended: {error}");
    }
}
