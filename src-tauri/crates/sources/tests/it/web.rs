//! Servers over HTTP that do as a test says, and remember what they were asked.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode};
use futures_util::stream;
use parking_lot::Mutex;
use serde_json::{Value, json};
use sources::SourceConfig;

/// What a server was asked.
#[derive(Debug, Clone)]
pub struct Seen {
    pub verb: String,
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub text: String,
    pub body: Value,
}

impl Seen {
    pub fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(String::as_str).unwrap_or_default()
    }

    fn id(&self) -> Value {
        self.body["id"].clone()
    }
}

/// What it answers.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// Whether the body never ends: its bytes are sent over and over, or nothing when there are none.
    pub endless: bool,
}

impl Reply {
    pub fn text(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), body: body.into(), endless: false }
    }

    pub fn json(status: u16, body: &Value) -> Self {
        Self::text(status, body.to_string()).with("content-type", "application/json")
    }

    pub fn stream(body: impl Into<Vec<u8>>) -> Self {
        Self::text(200, body).with("content-type", "text/event-stream")
    }

    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub fn without_end(mut self) -> Self {
        self.endless = true;
        self
    }
}

/// A result for a request.
pub fn result(seen: &Seen, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": seen.id(), "result": result})
}

type Script = dyn Fn(&Seen, &Web) -> Reply + Send + Sync;

/// A server on this machine; it ends with the test's runtime.
#[derive(Clone)]
pub struct Web {
    pub origin: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    script: Arc<Script>,
}

impl Web {
    pub async fn serve(script: impl Fn(&Seen, &Web) -> Reply + Send + Sync + 'static) -> Self {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let web = Self { origin, seen: Arc::default(), script: Arc::new(script) };
        let router = axum::Router::new().fallback(answer).with_state(web.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        web
    }

    pub fn config(&self) -> SourceConfig {
        SourceConfig::http("remote", format!("{}/mcp", self.origin))
    }

    /// All that it was asked so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().clone()
    }

    /// How often it was asked this.
    pub fn count(&self, method: &str) -> usize {
        self.seen().iter().filter(|seen| seen.method() == method).count()
    }

    pub fn count_at(&self, path: &str) -> usize {
        self.seen().iter().filter(|seen| seen.path.starts_with(path)).count()
    }
}

async fn answer(State(web): State<Web>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let bytes = axum::body::to_bytes(body, 16 << 20).await.unwrap_or_default();
    let headers = parts
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    let seen = Seen {
        verb: parts.method.to_string(),
        path: parts.uri.to_string(),
        headers,
        text: String::from_utf8_lossy(&bytes).into_owned(),
        body: serde_json::from_slice(&bytes).unwrap_or_default(),
    };
    web.seen.lock().push(seen.clone());
    let reply = (web.script)(&seen, &web);
    let mut response = Response::builder().status(StatusCode::from_u16(reply.status).unwrap());
    for (name, value) in reply.headers {
        response = response.header(name, value);
    }
    let body = match reply.endless {
        true if reply.body.is_empty() => Body::from_stream(stream::pending::<Result<Bytes, Infallible>>()),
        true => Body::from_stream(stream::repeat(Ok::<_, Infallible>(Bytes::from(reply.body)))),
        false => Body::from(reply.body),
    };
    response.body(body).unwrap()
}

/// A well-behaved server of the newer generation.
pub fn modern(seen: &Seen) -> Reply {
    let list =
        json!({"resultType": "complete", "tools": [tool("echo")], "ttlMs": 0, "cacheScope": "private"});
    match seen.method() {
        "server/discover" => Reply::json(
            200,
            &result(
                seen,
                json!({"resultType": "complete",
            "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
            "ttlMs": 0, "cacheScope": "private"}),
            ),
        ),
        "tools/list" => Reply::json(200, &result(seen, list)),
        "tools/call" => Reply::json(200, &result(seen, echoed(seen))),
        _ => Reply::json(
            404,
            &json!({"jsonrpc": "2.0", "id": seen.id(),
            "error": {"code": -32601, "message": "no such method"}}),
        ),
    }
}

/// A well-behaved server of the older generation, with the session that it opens.
pub fn legacy(seen: &Seen, session: &str) -> Reply {
    match (seen.verb.as_str(), seen.method()) {
        ("GET", _) => Reply::text(405, ""),
        ("DELETE", _) => Reply::text(204, ""),
        (_, "initialize") => Reply::json(
            200,
            &result(
                seen,
                json!({"protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}}, "serverInfo": {"name": "old", "version": "1"}}),
            ),
        )
        .with("mcp-session-id", session),
        (_, method) if method.starts_with("notifications/") => Reply::text(202, ""),
        (_, "tools/list") => Reply::stream(event(&result(seen, json!({"tools": [tool("echo")]})))),
        (_, "tools/call") => Reply::stream(event(&result(seen, echoed(seen)))),
        _ => Reply::json(
            400,
            &json!({"jsonrpc": "2.0", "id": null,
            "error": {"code": -32600, "message": "what is that?"}}),
        ),
    }
}

pub fn event(message: &Value) -> String {
    format!("event: message\ndata: {message}\n\n")
}

pub fn tool(name: &str) -> Value {
    json!({"name": name, "description": "Gives back what it is given.", "inputSchema": {"type": "object"}})
}

pub fn echoed(seen: &Seen) -> Value {
    let given = &seen.body["params"]["arguments"];
    json!({"resultType": "complete", "structuredContent": given, "content": [{"type": "text", "text": given.to_string()}]})
}
