//! One living server: started, greeted, its tools listed, its calls answered.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam,
    ClientCapabilities, ClientConfig, ClientRequest, Implementation, ListToolsRequest,
    PaginatedRequestParams, ProtocolVersion, RequestId, ServerResult,
};
use rmcp::service::{PeerRequestOptions, RunningService, ServiceError};
use rmcp::{ClientLifecycleMode, ClientServiceExt, Peer, RoleClient};
use serde_json::Value;
use tokio::process::ChildStdout;
use tokio_util::sync::CancellationToken;

use crate::config::{CallLimits, Era, SourceConfig};
use crate::error::{SourceError, SourceErrorKind};
use crate::outcome::{ToolOutcome, read_result};
use crate::process::{ExitReport, Launch, Pipes, ProcessTree};
use crate::program::Located;
use crate::stderr::StderrTail;
use crate::text::excerpt;
use crate::tools::{Catalogue, ToolTable};
use crate::transport::StdioTransport;
use crate::wire::Wire;

/// How long an error waits for the exit status and the last words of a server that has just ended.
const LAST_WORDS: Duration = Duration::from_millis(800);
/// How long what is left of its standard error may then take to be read.
const LAST_LINES: Duration = Duration::from_millis(100);
/// How long telling a server that a call was cancelled may take.
const CANCEL_NOTICE: Duration = Duration::from_secs(1);

type Service = RunningService<RoleClient, ClientConfig>;

/// A server that is ready, with everything that belongs to it.
#[derive(Debug)]
pub(crate) struct Connection {
    slug: String,
    peer: Peer<RoleClient>,
    /// Keeps the SDK's loop alive.
    _service: Service,
    pub(crate) wire: Arc<Wire>,
    pub(crate) tree: ProcessTree,
    stderr: StderrTail,
    pub(crate) tools: ToolTable,
    pub(crate) era: Era,
}

/// How and until when a server is to be started.
#[derive(Debug, Clone)]
pub(crate) struct Opening<'a> {
    pub(crate) config: &'a SourceConfig,
    pub(crate) located: &'a Located,
    pub(crate) guard: Option<&'a Path>,
    pub(crate) era: Era,
    pub(crate) deadline: tokio::time::Instant,
    /// Ends the start early.
    pub(crate) cancel: CancellationToken,
}

/// A server that was started but is not ready yet.
struct Started {
    wire: Arc<Wire>,
    tree: ProcessTree,
    stderr: StderrTail,
}

impl Started {
    /// The handshake and the list of tools; `None` as the failure means that the server ended.
    async fn become_ready(
        &self,
        opening: &Opening<'_>,
        transport: StdioTransport<ChildStdout>,
    ) -> Result<(Service, ToolTable), Option<SourceErrorKind>> {
        let greeted = AtomicBool::new(false);
        let ready = async {
            let service = greet(transport, opening.era).await?;
            greeted.store(true, Ordering::Relaxed);
            let tools = list_tools(opening.config, service.peer(), &self.wire).await?;
            Ok((service, tools))
        };
        tokio::select! {
            biased;
            () = opening.cancel.cancelled() => Err(Some(SourceErrorKind::Cancelled)),
            ready = ready => ready,
            () = tokio::time::sleep_until(opening.deadline) => {
                let what = if greeted.load(Ordering::Relaxed) {
                    "its list of tools"
                } else {
                    "its answer to the greeting"
                };
                Err(Some(SourceErrorKind::StartTimeout {
                    limit: opening.config.start_timeout,
                    waiting_for: format!("waiting for {what}{}", self.wire.noise_note()),
                }))
            }
        }
    }

    /// Ends the tree and explains a failure with what is known by then.
    async fn explain(&self, slug: &str, kind: Option<SourceErrorKind>) -> SourceError {
        explain(slug, kind, &self.wire, &self.tree, &self.stderr).await
    }
}

async fn explain(
    slug: &str,
    kind: Option<SourceErrorKind>,
    wire: &Wire,
    tree: &ProcessTree,
    stderr: &StderrTail,
) -> SourceError {
    wire.close();
    tree.stop_now();
    let exit = tree.wait_ended(LAST_WORDS).await;
    if exit.is_some() {
        // Its last words may still be in the pipe, unless somebody else holds the other end.
        let _ = tokio::time::timeout(LAST_LINES, stderr.drained.cancelled()).await;
    }
    let kind =
        wire.fault().or(kind).unwrap_or(SourceErrorKind::Died { exit: exit.unwrap_or(ExitReport::Unknown) });
    SourceError { slug: slug.to_owned(), kind, stderr_tail: stderr.text() }
}

impl Connection {
    /// The server's name and version, as it says.
    pub(crate) fn server(&self) -> Option<String> {
        let info = self.peer.peer_info()?.server_info.clone()?;
        Some(excerpt(format!("{} {}", info.name, info.version).trim(), 200))
    }

    /// The end of its standard error.
    pub(crate) fn last_words(&self) -> String {
        self.stderr.text()
    }

    /// Starts the server and returns it ready.
    pub(crate) async fn open(mut opening: Opening<'_>) -> Result<Self, SourceError> {
        match Self::open_once(&opening).await {
            // Some old servers end at the first message that they don't know: ask a fresh one the old way.
            Err((error, Answered::Nothing))
                if opening.era == Era::Auto
                    && matches!(error.kind, SourceErrorKind::Died { .. })
                    && tokio::time::Instant::now() < opening.deadline =>
            {
                opening.era = Era::Legacy;
                let second = Self::open_once(&opening).await;
                second.map_err(|(error, _)| error)
            }
            other => other.map_err(|(error, _)| error),
        }
    }

    async fn open_once(opening: &Opening<'_>) -> Result<Self, (SourceError, Answered)> {
        let config = opening.config;
        let launch = Launch { located: opening.located, config, guard: opening.guard };
        let (tree, pipes) = ProcessTree::spawn(&launch).map_err(|error| {
            let kind = SourceErrorKind::SpawnFailed { reason: error.to_string() };
            (SourceError::new(&config.slug, kind), Answered::Something)
        })?;
        let Pipes { input, output, errors } = pipes;
        let stderr = StderrTail::new(config.env.iter());
        tokio::spawn(stderr.clone().drain(errors));
        let wire = Wire::new(config);
        let transport = StdioTransport::new(Arc::clone(&wire), output, input);
        let started = Started { wire, tree, stderr };
        let failure = match started.become_ready(opening, transport).await {
            Ok((service, tools)) => {
                let peer = service.peer().clone();
                return Ok(Self {
                    slug: config.slug.clone(),
                    era: spoken_era(&peer),
                    peer,
                    _service: service,
                    wire: started.wire,
                    tree: started.tree,
                    stderr: started.stderr,
                    tools,
                });
            }
            Err(failure) => failure,
        };
        let answered = if started.wire.has_answered() { Answered::Something } else { Answered::Nothing };
        let mut error = started.explain(&config.slug, failure).await;
        if opening.guard.is_some() {
            error.kind = name_guard_failure(error.kind, &error.stderr_tail);
        }
        Err((error, answered))
    }

    /// Calls a tool that exists, with arguments that are an object.
    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: Option<serde_json::Map<String, Value>>,
        limits: &CallLimits,
        started: Instant,
    ) -> Result<ToolOutcome, SourceError> {
        let total = tokio::time::Instant::from_std(started) + limits.total;
        let mut params = CallToolRequestParams::new(tool.to_owned());
        params.arguments = arguments;
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sending = self.peer.send_request_with_option(request, PeerRequestOptions::no_options());
        let handle = tokio::select! {
            biased;
            () = limits.cancel.cancelled() => return Err(self.error(SourceErrorKind::Cancelled)),
            sent = tokio::time::timeout_at(total, sending) => match sent {
                Err(_) => return Err(self.deadline(tool, limits.total)),
                Ok(Err(_)) => return Err(self.ended().await),
                Ok(Ok(handle)) => handle,
            },
        };
        let mut open = OpenCall {
            connection: self,
            id: handle.id.clone(),
            token: handle.progress_token.clone(),
            answered: false,
        };
        let progress = self.wire.watch_progress(&handle.progress_token);
        let mut response = handle.rx;
        let mut idle = tokio::time::Instant::now() + limits.idle;
        let response = loop {
            tokio::select! {
                biased;
                response = &mut response => break response,
                () = limits.cancel.cancelled() => {
                    return Err(self.error(SourceErrorKind::Cancelled));
                }
                () = tokio::time::sleep_until(idle.min(total)) => {
                    let passed = if total <= idle { limits.total } else { limits.idle };
                    return Err(self.deadline(tool, passed));
                }
                () = progress.notified() => idle = tokio::time::Instant::now() + limits.idle,
            }
        };
        open.answered = true;
        let note = self.wire.take_note(&open.id);
        let result = match (response, note.verdict) {
            (_, Some(verdict)) => return Err(self.error(verdict)),
            (Ok(Ok(ServerResult::CustomResult(result))), None) => result.0,
            (Ok(Ok(_)), None) => {
                return Err(self.error(SourceErrorKind::Protocol {
                    detail: format!("the answer of tool `{tool}` has a wrong shape"),
                }));
            }
            (Ok(Err(ServiceError::McpError(error))), None) => {
                return Err(self.error(SourceErrorKind::Refused {
                    tool: tool.to_owned(),
                    code: error.code.0,
                    message: excerpt(&error.message, 1_000),
                }));
            }
            (Ok(Err(_)) | Err(_), None) => return Err(self.ended().await),
        };
        let value = read_result(tool, result).map_err(|kind| self.error(kind))?;
        Ok(ToolOutcome { value, bytes: note.bytes, duration: started.elapsed() })
    }

    /// An error of this source with its server's last words so far.
    pub(crate) fn error(&self, kind: SourceErrorKind) -> SourceError {
        SourceError { slug: self.slug.clone(), kind, stderr_tail: self.stderr.text() }
    }

    fn deadline(&self, tool: &str, limit: Duration) -> SourceError {
        self.error(SourceErrorKind::Deadline { tool: tool.to_owned(), limit, note: self.wire.noise_note() })
    }

    /// Why the connection is over: what it was cut off for, or how its server ended.
    pub(crate) async fn ended(&self) -> SourceError {
        explain(&self.slug, None, &self.wire, &self.tree, &self.stderr).await
    }

    /// Closes the server's input and waits for the end of its tree.
    pub(crate) async fn close(&self, limit: Duration) -> Option<ExitReport> {
        self.wire.close();
        self.tree.stop_gently();
        self.tree.wait_ended(limit).await
    }
}

/// Whether a server that failed to start had said anything at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answered {
    Nothing,
    Something,
}

/// A call that was sent. Dropped without an answer it tells the server that nobody waits any more.
struct OpenCall<'a> {
    connection: &'a Connection,
    id: RequestId,
    token: rmcp::model::ProgressToken,
    answered: bool,
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        self.connection.wire.forget_progress(&self.token);
        if self.answered {
            return;
        }
        self.connection.wire.abandon(&self.id);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let peer = self.connection.peer.clone();
        let params =
            CancelledNotificationParam::new(Some(self.id.clone()), Some("no longer waited for".to_owned()));
        runtime.spawn(async move {
            let notice = peer.send_notification(CancelledNotification::new(params).into());
            // A server that does not read its input does not hear it; nothing waits for that.
            let _ = tokio::time::timeout(CANCEL_NOTICE, notice).await;
        });
    }
}

async fn greet(transport: StdioTransport<ChildStdout>, era: Era) -> Result<Service, Option<SourceErrorKind>> {
    let client = ClientConfig::new(
        ClientCapabilities::default(),
        Implementation::new("agentnative", env!("CARGO_PKG_VERSION")),
    )
    .with_protocol_version(ProtocolVersion::V_2025_11_25);
    let modern = vec![ProtocolVersion::V_2026_07_28];
    let mode = match era {
        Era::Auto => ClientLifecycleMode::Auto {
            preferred_versions: modern,
            legacy_version: Some(ProtocolVersion::V_2025_11_25),
        },
        Era::Modern => ClientLifecycleMode::Discover { preferred_versions: modern },
        Era::Legacy => ClientLifecycleMode::Initialize,
    };
    client.serve_with_lifecycle(transport, mode).await.map_err(|error| match error {
        rmcp::service::ClientInitializeError::ConnectionClosed(_)
        | rmcp::service::ClientInitializeError::TransportError { .. } => None,
        other => Some(SourceErrorKind::Protocol { detail: excerpt(&other.to_string(), 1_000) }),
    })
}

fn spoken_era(peer: &Peer<RoleClient>) -> Era {
    match peer.peer_info() {
        Some(info) if !info.protocol_version.has_initialize() => Era::Modern,
        Some(_) | None => Era::Legacy,
    }
}

/// Reads all pages of tools; `None` as the failure means that the connection ended.
async fn list_tools(
    config: &SourceConfig,
    peer: &Peer<RoleClient>,
    wire: &Wire,
) -> Result<ToolTable, Option<SourceErrorKind>> {
    let mut catalogue = Catalogue::new(config);
    let mut cursor = None;
    loop {
        let params = PaginatedRequestParams::default().with_cursor(cursor.take());
        let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
        let handle = peer
            .send_request_with_option(request, PeerRequestOptions::no_options())
            .await
            .map_err(|_| None)?;
        let response = handle.rx.await;
        let note = wire.take_note(&handle.id);
        let page = match (response, note.verdict) {
            (_, Some(verdict)) => return Err(Some(verdict)),
            (Ok(Ok(ServerResult::CustomResult(page))), None) => page.0,
            (Ok(Err(ServiceError::McpError(error))), None) => {
                return Err(Some(SourceErrorKind::Protocol {
                    detail: format!("it refused tools/list: {}", excerpt(&error.message, 500)),
                }));
            }
            (Ok(Ok(_)), None) => {
                return Err(Some(SourceErrorKind::Protocol {
                    detail: "the answer to tools/list has a wrong shape".into(),
                }));
            }
            (Ok(Err(_)) | Err(_), None) => return Err(None),
        };
        cursor = catalogue.add_page(page, note.bytes).map_err(Some)?;
        if cursor.is_none() {
            return Ok(catalogue.finish());
        }
    }
}

/// A guard that could not start the command says so and ends with a code of its own.
fn name_guard_failure(kind: SourceErrorKind, stderr: &str) -> SourceErrorKind {
    let codes =
        [crate::guard::EXIT_GUARD_FAILED, crate::guard::EXIT_NOT_STARTED, crate::guard::EXIT_NOT_FOUND];
    match kind {
        SourceErrorKind::Died { exit: ExitReport::Code(code) } if codes.map(i32::from).contains(&code) => {
            let said = stderr.lines().rev().find_map(|line| line.strip_prefix("guard: "));
            match said {
                Some(reason) => SourceErrorKind::SpawnFailed { reason: reason.to_owned() },
                None => kind,
            }
        }
        _ => kind,
    }
}
