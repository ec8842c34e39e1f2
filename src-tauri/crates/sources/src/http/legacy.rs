//! What only servers of the older generation need: finding out that they are, and their sessions.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Method, Response, StatusCode};
use rmcp::model::ServerJsonRpcMessage;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::exchange::{Endpoint, OutgoingMessage, RESUMPTIONS, VERSION_KEY, is_stream, protocol, refusal};
use crate::config::Era;
use crate::error::SourceErrorKind;

/// How long a server may think about whether it knows the newer generation, and about a new session.
const GREETING: Duration = Duration::from_secs(10);
/// How long saying goodbye may take.
const FAREWELL: Duration = Duration::from_secs(2);
/// How long a server may take to agree that we listen, before calls are made without waiting for that.
const LISTENING: Duration = Duration::from_millis(500);
/// Most bytes of an answer to a greeting.
const GREETING_BYTES: usize = 1 << 20;
const MODERN: &str = "2026-07-28";
/// Codes with which only a server of the newer generation answers (MCP 2026-07-28, "Error codes").
const HEADER_MISMATCH: i64 = -32_020;
const MISSING_CAPABILITY: i64 = -32_021;
const UNSUPPORTED_VERSION: i64 = -32_022;

fn has_modern(versions: Option<&Value>) -> bool {
    versions
        .and_then(Value::as_array)
        .is_some_and(|versions| versions.iter().any(|version| version == MODERN))
}

/// A session that the server keeps for us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Session {
    pub(super) value: HeaderValue,
}

impl Session {
    /// The session that an answer opens.
    pub(super) fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let mut value = headers.get("mcp-session-id")?.clone();
        value.set_sensitive(true);
        Some(Self { value })
    }
}

impl Endpoint {
    /// Asks which generation the server speaks.
    pub(crate) async fn probe(&self) -> Result<Era, SourceErrorKind> {
        let discover = json!({"jsonrpc": "2.0", "id": "probe", "method": "server/discover", "params": {"_meta": {
            VERSION_KEY: MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "agentnative", "version": env!("CARGO_PKG_VERSION")}}}});
        // Signing in may take a person's time, so only the wait for the answer's body is bounded here; the rest is by
        // the deadline of the whole start.
        let response = self.send(Method::POST, &OutgoingMessage::from_value(discover), None, None).await?;
        let status = response.status();
        if status.is_server_error() || status == StatusCode::FORBIDDEN {
            return Err(refusal(status, &[]));
        }
        let answer = tokio::time::timeout(GREETING, self.read_one(response)).await;
        let answer = match answer {
            Ok(Ok(answer)) => answer,
            // It may be something else than an MCP server: then the older greeting tells.
            Ok(Err(_)) | Err(_) => return Ok(Era::Legacy),
        };
        let code = answer.get("error").and_then(|error| error.get("code")).and_then(Value::as_i64);
        Ok(match code {
            // Some servers answer what they don't know with an empty result.
            None if has_modern(answer.pointer("/result/supportedVersions")) => Era::Modern,
            Some(HEADER_MISMATCH | MISSING_CAPABILITY) => Era::Modern,
            Some(UNSUPPORTED_VERSION) if has_modern(answer.pointer("/error/data/supported")) => Era::Modern,
            Some(_) | None => Era::Legacy,
        })
    }

    /// Signs the person in, unless the server is content with what there is.
    pub(crate) async fn sign_in(&self) -> Result<(), SourceErrorKind> {
        // A refusal leads through the sign-in.
        self.probe().await?;
        match &self.keeper {
            Some(keeper) => keeper.ensure().await,
            None => Ok(()),
        }
    }

    /// Opens a session anew, unless somebody else has just done so.
    pub(super) async fn reopen(&self, lost: &Session) -> Result<(), SourceErrorKind> {
        let _reopening = self.reopening.lock().await;
        if self.session().as_ref() != Some(lost) {
            return Ok(());
        }
        let Some(mut initialize) =
            self.initialize().and_then(|body| serde_json::from_slice::<Value>(&body).ok())
        else {
            return Err(protocol("it ended a session that was never opened".into()));
        };
        // An id of its own, so that the answer is not taken for that of another request.
        initialize["id"] = json!("again");
        self.enter_session(None);
        let opening = async {
            let response =
                self.send(Method::POST, &OutgoingMessage::from_value(initialize), None, None).await?;
            let status = response.status();
            if !status.is_success() {
                return Err(refusal(status, &[]));
            }
            let session = Session::from_headers(response.headers());
            let answer = self.read_one(response).await?;
            if answer.get("result").is_none() {
                return Err(protocol("it ended the session and refuses to open another one".into()));
            }
            let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            self.send(Method::POST, &OutgoingMessage::from_value(ready), session.as_ref(), None).await?;
            self.enter_session(session);
            Ok(())
        };
        let opened = tokio::time::timeout(GREETING, opening).await;
        let opened = opened.unwrap_or_else(|_| {
            Err(protocol("it ended the session and did not open another one in time".into()))
        });
        if opened.is_err() {
            // The next request meets the same refusal and tries again.
            self.enter_session(Some(lost.clone()));
        }
        opened
    }

    /// Listens to what the server sends of its own accord, for as long as it likes that. Returns when it takes that, or
    /// does not, or after a moment.
    pub(super) async fn begin_listening(self: &Arc<Self>, deliver: mpsc::Sender<ServerJsonRpcMessage>) {
        if self.session().is_none() || self.is_modern() {
            return;
        }
        let (told, heard) = oneshot::channel();
        let endpoint = Arc::clone(self);
        tokio::spawn(async move {
            let ended = endpoint.wire.ended.clone();
            tokio::select! {
                () = ended.cancelled() => {}
                () = endpoint.listen(deliver, told) => {}
            }
        });
        let _ = tokio::time::timeout(LISTENING, heard).await;
    }

    async fn listen(&self, deliver: mpsc::Sender<ServerJsonRpcMessage>, told: oneshot::Sender<()>) {
        let mut told = Some(told);
        let mut decoder = sse::Decoder::new(self.limit);
        let mut fruitless = 0;
        let nothing = OutgoingMessage::from_value(json!({}));
        while fruitless <= RESUMPTIONS {
            let Some(session) = self.session() else {
                return;
            };
            let last = decoder.last_id.clone().unwrap_or_default();
            let opened = self.send(Method::GET, &nothing, Some(&session), Some(&last)).await;
            let mut response = match opened {
                Ok(response) if response.status().is_success() && is_stream(&response) => response,
                // Most servers have nothing to say and refuse.
                Ok(_) | Err(_) => return,
            };
            drop(told.take());
            decoder.restart();
            let mut seen = false;
            while let Ok(Some(piece)) = response.chunk().await {
                let events = decoder.push(&piece);
                let empty = self.deliver(&events, &nothing, &deliver).await;
                if empty == events.len() {
                    self.wire.count_idle_bytes(piece.len());
                }
                seen |= empty < events.len();
            }
            fruitless = if seen { 0 } else { fruitless + 1 };
            tokio::time::sleep(super::pause(&decoder)).await;
        }
    }

    /// Tells the server that its session is not needed any more.
    pub(crate) async fn bye(&self) {
        let Some(session) = self.session() else {
            return;
        };
        let nothing = OutgoingMessage::from_value(json!({}));
        let farewell = self.send(Method::DELETE, &nothing, Some(&session), None);
        // Servers may keep their sessions; they forget them by themselves.
        let _ = tokio::time::timeout(FAREWELL, farewell).await;
    }

    /// The first answer in a body or a stream.
    async fn read_one(&self, mut response: Response) -> Result<Value, SourceErrorKind> {
        let limit = self.limit.min(GREETING_BYTES);
        let unreadable = || protocol("its answer is no JSON-RPC message".into());
        if !is_stream(&response) {
            let body = self.read_body(response, limit).await?;
            return serde_json::from_slice(&body).map_err(|_| unreadable());
        }
        let mut decoder = sse::Decoder::new(limit);
        let mut read = 0;
        while let Ok(Some(piece)) = response.chunk().await {
            read += piece.len();
            for event in decoder.push(&piece) {
                if !event.too_large
                    && let Some(data) = event.data
                    && let Ok(answer) = serde_json::from_slice::<Value>(&data)
                    && (answer.get("result").is_some() || answer.get("error").is_some())
                {
                    return Ok(answer);
                }
            }
            if read > limit {
                return Err(SourceErrorKind::TooLarge { what: "its answer".into(), limit });
            }
        }
        Err(unreadable())
    }
}
