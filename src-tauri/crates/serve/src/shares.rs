//! Shared pages for others to read, and nothing else.
//!
//! A listener of its own: it opens no database, knows no command and no token but those of shares, and reads two files of
//! a share's folder. What is unknown, expired or broken gets the same answer. A page is sent a piece at a time, so that many
//! readers of large ones need no more memory than those of small ones.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Read as _};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use app::shares;
use axum::body::Body;
use axum::http::header::{
    ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName,
    HeaderValue, REFERRER_POLICY, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{Method, Request, Response, StatusCode};
use domain::{ErrorCode, Problem};
use hyper::body::{Bytes, Frame, Incoming, SizeHint};
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet, spawn_blocking};

use crate::connection_limit::{ConnectionLimit, ConnectionSlot};
use crate::write_timeout::WriteTimeout;

/// Where a proxy names its caller.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// How long the head of a request may take, its most lines and its most bytes.
const HEAD_TIME: Duration = Duration::from_secs(5);
const HEAD_LINES: usize = 64;
const HEAD_BYTES: usize = 16 << 10;
/// Requests that an address may make at once, and how many come back each second. What is not found costs more.
const BURST: f64 = 60.0;
const EACH_SECOND: f64 = 4.0;
const MISS: f64 = 6.0;
/// Addresses that are remembered.
const REMEMBERED: usize = 10_000;
/// Bytes of a page that are read at once.
const PIECE: u64 = 64 << 10;
/// What the server's own address says: which pages there are, only their links tell.
const ABOUT: &str = "This server shows single pages that were shared. Open the whole link that you were given: pages are \
                     listed nowhere.";
/// How long requests under way may take when the server closes.
const LAST_MOMENTS: Duration = Duration::from_secs(3);

/// How the server of shares is started.
#[derive(Debug, Clone)]
pub struct ShareOptions {
    /// The data directory.
    pub home: PathBuf,
    /// Where it listens; port 0 for any that is free.
    pub address: SocketAddr,
    /// Names under which it is reached from elsewhere, with their ports where these are not the usual ones.
    pub names: Vec<String>,
}

/// A server of shares that listens.
pub struct ShareServer {
    port: u16,
    closing: watch::Sender<bool>,
    listening: JoinHandle<()>,
}

struct Gate {
    home: PathBuf,
    names: Vec<String>,
    policy: HeaderValue,
    callers: Mutex<HashMap<IpAddr, (f64, Instant)>>,
}

impl ShareServer {
    /// Begins to listen.
    ///
    /// # Errors
    /// Where the address can't be listened on.
    pub async fn start(options: ShareOptions) -> Result<Self, Problem> {
        let ShareOptions { home, address, names } = options;
        let failed = |error: std::io::Error| {
            Problem::new(ErrorCode::InvalidInput, format!("{address} can't be listened on: {error}"))
                .with_action("choose another port, or 0 for any that is free")
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let mut known: Vec<String> =
            ["127.0.0.1", "localhost"].iter().map(|name| format!("{name}:{port}")).collect();
        known.extend(names.into_iter().map(|name| name.to_ascii_lowercase()));
        let policy = HeaderValue::from_str(&format!("{}; frame-ancestors 'none'", transfer::page_policy()))
            .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
        let gate = Arc::new(Gate { home, names: known, policy, callers: Mutex::default() });
        let (closing, closed) = watch::channel(false);
        let listening = tokio::spawn(listen(listener, gate, closed));
        Ok(Self { port, closing, listening })
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends connections.
    pub async fn close(self) {
        let _ = self.closing.send(true);
        let _ = self.listening.await;
    }
}

async fn listen(listener: TcpListener, gate: Arc<Gate>, mut closing: watch::Receiver<bool>) {
    let mut connections = JoinSet::new();
    let room = ConnectionLimit::default();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, peer)) = accepted else {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                };
                let Some(guest) = room.enter() else { continue };
                connections.spawn(serve(stream, peer.ip(), gate.clone(), guest, closing.clone()));
            }
            Some(_) = connections.join_next() => {}
            () = crate::closed(&mut closing) => break,
        }
    }
    drop(listener);
    let ended = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(LAST_MOMENTS, ended).await;
    connections.shutdown().await;
}

async fn serve(
    stream: TcpStream,
    peer: IpAddr,
    gate: Arc<Gate>,
    guest: ConnectionSlot,
    mut closing: watch::Receiver<bool>,
) {
    let guest = Arc::new(guest);
    let asking = guest.clone();
    let answering = service_fn(move |request: Request<Incoming>| {
        let (gate, slot) = (gate.clone(), asking.request());
        async move { Ok::<_, Infallible>(gate.answer(peer, request).await.map(|body| slot.until_sent(body))) }
    });
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_headers(HEAD_LINES)
        .max_buf_size(HEAD_BYTES);
    let connection = http.serve_connection(TokioIo::new(WriteTimeout::new(stream)), answering);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = crate::closed(&mut closing) => {
            connection.as_mut().graceful_shutdown();
            connection.as_mut().await
        }
        () = guest.sent_away() => return,
    };
    if let Err(error) = ended {
        tracing::debug!("a reader's connection ended: {error}");
    }
}

impl Gate {
    async fn answer(&self, peer: IpAddr, request: Request<Incoming>) -> Response<Body> {
        let mut response = self.route(caller(peer, &request), &request).await;
        let headers = response.headers_mut();
        headers.insert(CONTENT_SECURITY_POLICY, self.policy.clone());
        for (name, value) in [
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (REFERRER_POLICY, "no-referrer"),
            (CACHE_CONTROL, "no-store"),
            (HeaderName::from_static("x-robots-tag"), "noindex, nofollow"),
            (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
            (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        response
    }

    async fn route(&self, peer: IpAddr, request: &Request<Incoming>) -> Response<Body> {
        if !self.takes(peer, 1.0) {
            let mut response = page(StatusCode::TOO_MANY_REQUESTS, "Too many requests. Wait a moment.");
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("15"));
            return response;
        }
        if !self.is_ours(request) {
            return page(StatusCode::MISDIRECTED_REQUEST, "This server has another name.");
        }
        let path = request.uri().path();
        let id = path.strip_prefix("/s/").unwrap_or_default();
        let found = match *request.method() {
            Method::GET | Method::HEAD if matches!(path, "/" | "/s" | "/s/") => {
                return page(StatusCode::OK, ABOUT);
            }
            Method::GET | Method::HEAD => self.read(id.to_owned()).await,
            Method::DELETE => return self.revoke(peer, id, request).await,
            _ => {
                let mut response = page(StatusCode::METHOD_NOT_ALLOWED, "Pages are only read here.");
                response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD, DELETE"));
                return response;
            }
        };
        match found {
            Some((file, bytes)) => html(StatusCode::OK, Body::new(Page::new(file, bytes))),
            None => self.missing(peer),
        }
    }

    /// The same for what never was, what has expired and what is broken.
    fn missing(&self, peer: IpAddr) -> Response<Body> {
        // Guessing is made slow.
        let _ = self.takes(peer, MISS);
        page(StatusCode::NOT_FOUND, "There is no page here, or not any more.")
    }

    async fn read(&self, id: String) -> Option<(File, u64)> {
        let home = self.home.clone();
        let open = move || shares::open_share(&home, &id, shares::now());
        spawn_blocking(open).await.ok().flatten()
    }

    /// The owner ends a share with its token.
    async fn revoke(&self, peer: IpAddr, id: &str, request: &Request<Incoming>) -> Response<Body> {
        let given =
            request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let token = given.strip_prefix("Bearer ").unwrap_or_default().trim().to_owned();
        let (home, id) = (self.home.clone(), id.to_owned());
        let end = move || shares::end_share(&home, &id, &token);
        match spawn_blocking(end).await {
            Ok(true) => page(StatusCode::OK, "The page is no longer shared."),
            Ok(false) | Err(_) => self.missing(peer),
        }
    }

    /// Whether a request names this server: a name that somebody rebound to its address is not its own.
    fn is_ours(&self, request: &Request<Incoming>) -> bool {
        let mut hosts = request.headers().get_all(HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().unwrap_or_default().to_ascii_lowercase(),
            _ => return false,
        };
        let named =
            request.uri().authority().is_none_or(|authority| authority.as_str().eq_ignore_ascii_case(&host));
        named && self.names.contains(&host)
    }

    /// Whether an address may still ask.
    fn takes(&self, peer: IpAddr, cost: f64) -> bool {
        let mut callers = self.callers.lock();
        let now = Instant::now();
        if callers.len() >= REMEMBERED {
            // Who has been quiet has all of it again, and need not be remembered.
            callers.retain(|_, (left, at)| *left + at.elapsed().as_secs_f64() * EACH_SECOND < BURST);
            if callers.len() >= REMEMBERED {
                callers.clear();
            }
        }
        let (left, at) = callers.entry(peer).or_insert((BURST, now));
        *left = (*left + now.duration_since(*at).as_secs_f64() * EACH_SECOND).min(BURST);
        *at = now;
        if *left < cost.min(1.0) {
            return false;
        }
        *left -= cost;
        true
    }
}

/// Who asks. A proxy on this machine names its own caller last; anybody else is taken for who they are. Of an IPv6 address
/// only the network counts: one machine has all the others of it.
fn caller(peer: IpAddr, request: &Request<Incoming>) -> IpAddr {
    let named = request.headers().get_all(FORWARDED_FOR).iter().next_back();
    let named = named.and_then(|value| value.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
    match named.filter(|_| peer.to_canonical().is_loopback()).unwrap_or(peer).to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        plain @ IpAddr::V4(_) => plain,
    }
}

/// A page that is read as its reader takes it.
struct Page {
    left: u64,
    reading: Option<JoinHandle<io::Result<Piece>>>,
    file: Option<File>,
}

/// What was read of a page, and the file to go on with.
struct Piece {
    file: File,
    bytes: Vec<u8>,
}

impl Page {
    fn new(file: File, bytes: u64) -> Self {
        Self { left: bytes, reading: None, file: Some(file) }
    }
}

fn piece(file: File, most: u64) -> io::Result<Piece> {
    let mut bytes = Vec::with_capacity(most as usize);
    (&file).take(most).read_to_end(&mut bytes)?;
    // Less than was promised is an error, or half a page would pass for a whole one.
    if bytes.len() as u64 == most {
        Ok(Piece { file, bytes })
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

impl hyper::body::Body for Page {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        let most = self.left.min(PIECE);
        if let Some(file) = self.file.take() {
            self.reading = Some(spawn_blocking(move || piece(file, most)));
        }
        let Some(reading) = &mut self.reading else { return Poll::Ready(None) };
        let ended =
            ready!(Pin::new(reading).poll(context)).unwrap_or_else(|error| Err(io::Error::other(error)));
        self.reading = None;
        Poll::Ready(Some(ended.map(|Piece { file, bytes }| {
            self.left -= bytes.len() as u64;
            self.file = Some(file);
            Frame::data(Bytes::from(bytes))
        })))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

fn html(status: StatusCode, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response
}

fn page(status: StatusCode, words: &str) -> Response<Body> {
    let text = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{words}</title></head><body><p>{words}</p></body></html>\n"
    );
    html(status, Body::from(text))
}
