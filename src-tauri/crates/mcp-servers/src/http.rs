//! A server over HTTP on this machine (MCP "Streamable HTTP").
//!
//! A page in a browser can reach every port of this machine, and a name can be made to point at it. So a request
//! must name this machine as its `Host`, carry no `Origin` of a page from elsewhere, and know the token.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::{KnowledgeServer, KnowledgeServerOptions};

/// Most bytes of one request.
const REQUEST_BYTES: usize = 4 << 20;
/// Requests answered at the same time; more are refused at once.
const AT_ONCE: usize = 32;

/// Whether something is kept between the requests of an older client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sessions {
    /// Nothing: each request is answered from itself.
    None,
    /// A session for each client, without a bound on their number: for servers that ask back, in tests.
    Kept,
}

/// A server that listens on this machine and is about to serve.
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    router: Router,
}

impl HttpServer {
    /// Listens for the knowledge base on a port of this machine, any free one for 0. Requests must carry
    /// `Authorization: Bearer <token>`.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn bind(options: KnowledgeServerOptions, port: u16, token: String) -> std::io::Result<Self> {
        Self::start_with(KnowledgeServer::new(options), port, token, Sessions::None).await
    }

    /// Listens for any server in the same way.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn start_with<S: ServerHandler + Clone>(
        server: S,
        port: u16,
        token: String,
        sessions: Sessions,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", address.port()));
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(sessions == Sessions::Kept)
            .with_allowed_origins(names.clone().map(|name| format!("http://{name}")))
            .with_allowed_hosts(names)
            .with_max_request_body_bytes(REQUEST_BYTES);
        let service = StreamableHttpService::new(
            move || Ok(server.clone()),
            LocalSessionManager::default().into(),
            config,
        );
        let guard = Guard { token, places: Arc::new(Semaphore::new(AT_ONCE)) };
        let router = Router::new()
            .route_service("/mcp", service)
            .layer(middleware::from_fn_with_state(guard, guarded));
        Ok(Self { listener, address, router })
    }

    /// The same with something before it.
    pub fn behind(self, change: impl FnOnce(Router) -> Router) -> Self {
        Self { router: change(self.router), ..self }
    }

    /// Where it listens: `http://127.0.0.1:<port>/mcp`.
    pub fn address(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Serves until `stop` is done.
    ///
    /// # Errors
    /// When the listener fails.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()> {
        axum::serve(self.listener, self.router).with_graceful_shutdown(stop).await
    }
}

#[derive(Clone)]
struct Guard {
    token: String,
    places: Arc<Semaphore>,
}

async fn guarded(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let given = given.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    if !same(given.as_bytes(), guard.token.as_bytes()) {
        let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
        return (StatusCode::UNAUTHORIZED, challenge, "the token is missing or wrong").into_response();
    }
    match guard.places.try_acquire() {
        Ok(_place) => next.run(request).await,
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "too many requests at once").into_response(),
    }
}

/// Compares in a time that depends on the lengths alone.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}
