//! One request to a server and everything that may come back.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, WWW_AUTHENTICATE};
use reqwest::{Client, Method, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::client::{self, failure};
use super::headers::{self, Mirrored};
use super::legacy::Session;
use super::{HttpServer, same_origin};
use crate::config::SourceConfig;
use crate::error::SourceErrorKind;
use crate::oauth::{Refusal, SourceToken};
use crate::text::excerpt;
use crate::wire::Wire;

pub(super) const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const STREAM: &str = "text/event-stream";
/// Redirects within the same origin that are followed.
const REDIRECTS: usize = 3;
/// Refusals of one request that are answered by another token.
const REFUSALS: usize = 3;
/// How long a message that gets no answer may take to be taken.
const CONTROL: Duration = Duration::from_secs(10);
/// Bytes of an error's body that are looked at.
const ERROR_BYTES: usize = 64 << 10;
/// Connections after which a stream that brings nothing is given up.
pub(super) const RESUMPTIONS: u32 = 5;

/// A server's address with what is known of it.
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(super) url: Url,
    client: Client,
    own: HeaderMap,
    pub(super) keeper: Option<SourceToken>,
    pub(super) wire: Arc<Wire>,
    pub(super) limit: usize,
    known: Mutex<HttpSession>,
    /// Held while a session is opened anew.
    pub(super) reopening: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct HttpSession {
    session: Option<Session>,
    /// The version that `initialize` settled on.
    version: Option<String>,
    modern: bool,
    /// The request that opened the session.
    initialize: Option<Vec<u8>>,
    tools: HashMap<String, Vec<Mirrored>>,
    open: HashMap<RequestId, CancellationToken>,
}

/// A message on its way to the server.
#[derive(Debug, Clone)]
pub(super) struct OutgoingMessage {
    pub(super) body: Vec<u8>,
    pub(super) method: String,
    params: Option<Value>,
    /// The version in its metadata: there is one in the newer generation.
    version: Option<String>,
}

impl OutgoingMessage {
    pub(super) fn from_message(message: &ClientJsonRpcMessage) -> std::io::Result<Self> {
        Ok(Self::from_value(serde_json::to_value(message)?))
    }

    pub(super) fn from_value(mut message: Value) -> Self {
        let body = message.to_string().into_bytes();
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
        let params = message.get_mut("params").map(Value::take);
        let version = params
            .as_ref()
            .and_then(|params| params.get("_meta")?.get(VERSION_KEY)?.as_str())
            .map(str::to_owned);
        Self { body, method, params, version }
    }
}

impl Endpoint {
    pub(crate) fn new(
        config: &SourceConfig,
        server: &HttpServer,
        wire: &Arc<Wire>,
    ) -> Result<Arc<Self>, SourceErrorKind> {
        let url = client::address(server)?;
        let keeper = server.oauth.as_ref().map(|oauth| SourceToken::new(oauth.clone(), url.clone()));
        Ok(Arc::new(Self {
            client: client::client(&url)?,
            own: client::own_headers(server)?,
            keeper,
            url,
            wire: Arc::clone(wire),
            limit: config.max_result_bytes,
            known: Mutex::default(),
            reopening: tokio::sync::Mutex::default(),
        }))
    }

    /// Whether the server speaks the newer generation, as far as is known.
    pub(crate) fn is_modern(&self) -> bool {
        self.known.lock().modern
    }

    /// Remembers which arguments of a tool go into header fields.
    pub(crate) fn mirror(&self, tool: String, arguments: Vec<Mirrored>) {
        self.known.lock().tools.insert(tool, arguments);
    }

    pub(super) fn session(&self) -> Option<Session> {
        self.known.lock().session.clone()
    }

    pub(super) fn enter_session(&self, session: Option<Session>) {
        self.known.lock().session = session;
    }

    pub(super) fn initialize(&self) -> Option<Vec<u8>> {
        self.known.lock().initialize.clone()
    }

    /// Ends a request that nobody waits for any more.
    pub(super) fn abandon(&self, id: &RequestId) {
        if let Some(open) = self.known.lock().open.remove(id) {
            open.cancel();
        }
    }

    /// Sends a message that gets no answer. What goes wrong shows in the requests that follow it.
    pub(super) async fn tell(self: Arc<Self>, message: OutgoingMessage) {
        let telling = async {
            let session = self.session();
            match self.send(Method::POST, &message, session.as_ref(), None).await {
                Ok(response) if !response.status().is_success() => {
                    tracing::debug!(status = response.status().as_u16(), "a notification was not taken");
                }
                Ok(_) => {}
                Err(error) => tracing::debug!(%error, "a notification was not taken"),
            }
        };
        tokio::select! {
            () = self.wire.ended.cancelled() => {}
            _ = tokio::time::timeout(CONTROL, telling) => {}
        }
    }

    /// Sends a request and delivers all that comes back.
    pub(super) async fn answer(
        self: Arc<Self>,
        id: RequestId,
        message: OutgoingMessage,
        deliver: mpsc::Sender<ServerJsonRpcMessage>,
    ) {
        let cancel = CancellationToken::new();
        {
            let mut known = self.known.lock();
            known.modern |= message.version.is_some();
            known.open.insert(id.clone(), cancel.clone());
            if message.method == "initialize" {
                known.initialize = Some(message.body.clone());
                known.modern = false;
            }
        }
        let ended = tokio::select! {
            biased;
            () = cancel.cancelled() => return,
            () = self.wire.ended.cancelled() => return,
            ended = self.exchange(&id, &message, &deliver) => ended,
        };
        self.known.lock().open.remove(&id);
        if let Err(kind) = ended
            && let Some(message) = self.wire.fail(&id, kind)
        {
            // Nobody listens once the connection has ended.
            let _ = deliver.send(message).await;
        }
    }

    async fn exchange(
        &self,
        id: &RequestId,
        message: &OutgoingMessage,
        deliver: &mpsc::Sender<ServerJsonRpcMessage>,
    ) -> Result<(), SourceErrorKind> {
        let mut reopened = false;
        let response = loop {
            let session = self.session().filter(|_| message.method != "initialize");
            let response = self.send(Method::POST, message, session.as_ref(), None).await?;
            match session {
                // The server has forgotten the session: it was restarted, or the session was idle for long.
                Some(session) if response.status() == StatusCode::NOT_FOUND && !reopened => {
                    self.reopen(&session).await?;
                    reopened = true;
                }
                _ => break response,
            }
        };
        let status = response.status();
        if !status.is_success() {
            return self.read_refusal(id, response, deliver).await;
        }
        if message.method == "initialize"
            && let Some(session) = Session::from_headers(response.headers())
        {
            self.enter_session(Some(session));
        }
        if is_stream(&response) {
            return self.read_stream(id, message, response, deliver).await;
        }
        let body = self.read_body(response, self.limit).await?;
        if body.is_empty() {
            return Err(protocol(format!(
                "it answered a request with HTTP {} and nothing else",
                status.as_u16()
            )));
        }
        if message.method == "initialize" {
            self.note_version(&body);
        }
        if let Some(answer) = self.wire.read_reply(id, &body) {
            let _ = deliver.send(answer).await;
        }
        self.unanswered(id, "its answer is no JSON-RPC message")
    }

    fn unanswered(&self, id: &RequestId, detail: &str) -> Result<(), SourceErrorKind> {
        if self.wire.is_open(id) { Err(protocol(detail.to_owned())) } else { Ok(()) }
    }

    fn note_version(&self, answer: &[u8]) {
        let version = serde_json::from_slice::<Value>(answer)
            .ok()
            .and_then(|answer| Some(answer.get("result")?.get("protocolVersion")?.as_str()?.to_owned()));
        if version.is_some() {
            self.known.lock().version = version;
        }
    }

    /// An HTTP error: with a JSON-RPC error in it, or in words.
    async fn read_refusal(
        &self,
        id: &RequestId,
        response: Response,
        deliver: &mpsc::Sender<ServerJsonRpcMessage>,
    ) -> Result<(), SourceErrorKind> {
        let status = response.status();
        let body = self.read_start(response, ERROR_BYTES).await;
        let has_error = serde_json::from_slice::<Value>(&body).is_ok_and(|body| {
            body.get("jsonrpc").is_some() && body.get("error").is_some_and(Value::is_object)
        });
        if has_error && let Some(answer) = self.wire.read_reply(id, &body) {
            let _ = deliver.send(answer).await;
            return Ok(());
        }
        Err(refusal(status, &body))
    }

    /// Reads the events of an answer, over several connections where the server keeps its events for that.
    async fn read_stream(
        &self,
        id: &RequestId,
        message: &OutgoingMessage,
        mut response: Response,
        deliver: &mpsc::Sender<ServerJsonRpcMessage>,
    ) -> Result<(), SourceErrorKind> {
        let mut decoder = sse::Decoder::new(self.limit);
        let mut fruitless = 0;
        loop {
            let mut seen = false;
            let broken = loop {
                let piece = match response.chunk().await {
                    Ok(Some(piece)) => piece,
                    Ok(None) => break "the stream ended".to_owned(),
                    Err(error) => break failure(&self.url, &error).to_string(),
                };
                let events = decoder.push(&piece);
                let empty = self.deliver(&events, message, deliver).await;
                if empty == events.len() {
                    self.wire.count_idle_bytes(piece.len());
                }
                seen |= empty < events.len();
                if !self.wire.is_open(id) {
                    return Ok(());
                }
            };
            fruitless = if seen { 0 } else { fruitless + 1 };
            let interrupted = SourceErrorKind::Interrupted { detail: broken };
            let Some(last) = decoder.last_id.clone() else {
                return Err(interrupted);
            };
            if message.version.is_some() || fruitless > RESUMPTIONS {
                return Err(interrupted);
            }
            tokio::time::sleep(super::pause(&decoder)).await;
            let next = self.send(Method::GET, message, self.session().as_ref(), Some(&last)).await;
            match next {
                Ok(next) if next.status().is_success() && is_stream(&next) => {
                    decoder.restart();
                    response = next;
                }
                Ok(_) => return Err(interrupted),
                Err(SourceErrorKind::Unreachable { .. }) => {
                    fruitless += 1;
                    if fruitless > RESUMPTIONS {
                        return Err(interrupted);
                    }
                    // An empty answer leads to the next try.
                }
                Err(other) => return Err(other),
            }
        }
    }

    /// Reads events; returns how many carried nothing.
    pub(super) async fn deliver(
        &self,
        events: &[sse::Event],
        message: &OutgoingMessage,
        deliver: &mpsc::Sender<ServerJsonRpcMessage>,
    ) -> usize {
        let mut empty = 0;
        for event in events {
            let data = event.data.as_deref().unwrap_or_default();
            let mut read = if event.too_large {
                self.wire.read_too_long(data)
            } else if data.is_empty() {
                empty += 1;
                None
            } else {
                if message.method == "initialize" {
                    self.note_version(data);
                }
                self.wire.read_line(data)
            };
            while let Some(message) = read {
                // Nobody listens once the connection has ended.
                let _ = deliver.send(message).await;
                read = self.wire.queued();
            }
        }
        empty
    }

    /// Sends once more whenever another token or another path of the same server may help. The answer may still be an
    /// HTTP error.
    pub(super) async fn send(
        &self,
        method: Method,
        message: &OutgoingMessage,
        session: Option<&Session>,
        last_event: Option<&str>,
    ) -> Result<Response, SourceErrorKind> {
        let mut url = self.url.clone();
        let (mut redirects, mut refusals) = (0, 0);
        loop {
            let token = match &self.keeper {
                Some(keeper) => keeper.token().await?,
                None => None,
            };
            let mut headers = self.headers_for(message, session, last_event);
            if let Some(token) = &token {
                headers.insert(reqwest::header::AUTHORIZATION, token.header()?);
            }
            let mut request = self.client.request(method.clone(), url.clone()).headers(headers);
            if method == Method::POST {
                request = request.header(CONTENT_TYPE, "application/json").body(message.body.clone());
            }
            let response = request.send().await.map_err(|error| failure(&url, &error))?;
            let status = response.status();
            if matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
                url = self.next_address(&url, &response)?;
                redirects += 1;
                if redirects > REDIRECTS {
                    return Err(http(status, "; it leads from one address to the next without end"));
                }
                continue;
            }
            let Some(refused) = Refusal::read(status, response.headers().get_all(WWW_AUTHENTICATE)) else {
                return Ok(response);
            };
            let Some(keeper) = &self.keeper else {
                return match status {
                    StatusCode::UNAUTHORIZED => Err(SourceErrorKind::SignInNeeded {
                        reason: "no sign-in or key is configured for it, or the key is wrong".into(),
                    }),
                    _ => Ok(response),
                };
            };
            refusals += 1;
            if refusals > REFUSALS {
                return Err(SourceErrorKind::SignIn {
                    detail: "it refuses every token that its own authorization server gives".into(),
                });
            }
            // A person may be asked, which takes as long as it takes.
            let _asking = keeper.asks_people().then(|| self.wire.ask_person());
            keeper.refused(token, &refused).await?;
        }
    }

    fn headers_for(
        &self,
        message: &OutgoingMessage,
        session: Option<&Session>,
        last_event: Option<&str>,
    ) -> HeaderMap {
        let known = self.known.lock();
        let mut headers = self.own.clone();
        let accept = if last_event.is_some() { STREAM } else { "application/json, text/event-stream" };
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        let agreed = known.version.as_ref().filter(|_| message.method != "initialize");
        if let Some(version) = message.version.as_ref().or(agreed)
            && let Ok(version) = HeaderValue::from_str(version)
        {
            headers.insert("mcp-protocol-version", version);
        }
        if message.version.is_some() {
            let tool = message.params.as_ref().and_then(|params| params.get("name")?.as_str());
            let arguments = tool.and_then(|tool| known.tools.get(tool)).map(Vec::as_slice);
            headers.extend(headers::standard(
                &message.method,
                message.params.as_ref(),
                arguments.unwrap_or_default(),
            ));
        } else if let Some(session) = session {
            headers.insert("mcp-session-id", session.value.clone());
        }
        if let Some(id) = last_event.filter(|id| !id.is_empty()).and_then(|id| HeaderValue::from_str(id).ok())
        {
            headers.insert("last-event-id", id);
        }
        headers
    }

    /// Where a redirect leads, as long as it stays on the server that the person named.
    fn next_address(&self, from: &Url, response: &Response) -> Result<Url, SourceErrorKind> {
        let status = response.status();
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let next = location.and_then(|location| from.join(location).ok());
        match next {
            Some(next) if !matches!(status.as_u16(), 307 | 308) => {
                Err(http(status, &format!("; it has moved: correct its address to {}", place(&next))))
            }
            Some(next) if same_origin(&next, &self.url) => Ok(next),
            Some(next) => Err(http(
                status,
                &format!("; it leads to {}: if that is right, correct the source's address", place(&next)),
            )),
            None => Err(http(status, "; it says that it has moved, but not where")),
        }
    }

    /// A whole body of at most `limit` bytes.
    pub(super) async fn read_body(
        &self,
        mut response: Response,
        limit: usize,
    ) -> Result<Vec<u8>, SourceErrorKind> {
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| SourceErrorKind::Interrupted {
            detail: failure(&self.url, &error).to_string(),
        })? {
            if body.len() + piece.len() > limit {
                return Err(SourceErrorKind::TooLarge { what: "its answer".into(), limit });
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    /// The beginning of a body; what can't be read is left out.
    async fn read_start(&self, mut response: Response, limit: usize) -> Vec<u8> {
        let mut body = Vec::new();
        while body.len() < limit
            && let Ok(Some(piece)) = response.chunk().await
        {
            body.extend_from_slice(&piece);
        }
        body.truncate(limit);
        body
    }
}

/// An address for messages: without its query.
fn place(url: &Url) -> String {
    excerpt(&format!("{}{}", client::spoken(url), url.path()), 200)
}

pub(super) fn is_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(STREAM)
}

pub(super) fn protocol(detail: String) -> SourceErrorKind {
    SourceErrorKind::Protocol { detail }
}

fn http(status: StatusCode, detail: &str) -> SourceErrorKind {
    SourceErrorKind::Http { status: status.as_u16(), detail: detail.to_owned() }
}

/// What an HTTP error means to the person who configured the source.
pub(super) fn refusal(status: StatusCode, body: &[u8]) -> SourceErrorKind {
    let said = excerpt(String::from_utf8_lossy(body).trim(), 200);
    let said = if said.is_empty() || said.starts_with('<') { String::new() } else { format!(": {said}") };
    let hint = match status.as_u16() {
        403 => "; it does not allow this to whoever signed in",
        404 | 405 => "; is the path of its address right?",
        429 => "; it was asked too often: wait a while",
        _ => "",
    };
    http(status, &format!("{said}{hint}"))
}
