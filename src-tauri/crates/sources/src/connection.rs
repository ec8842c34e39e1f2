//! One living server: started, greeted, its tools listed, its calls answered.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use process_guard::{Environment, ExitReport, Launch, Pipes, ProcessTree};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam, ClientRequest,
    ListToolsRequest, PaginatedRequestParams, ProtocolVersion, RequestId, ServerResult,
};
use rmcp::service::{PeerRequestOptions, RunningService, ServiceError};
use rmcp::transport::Transport;
use rmcp::{ClientLifecycleMode, ClientServiceExt, Peer, RoleClient};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::config::{CallLimits, Era, SourceConfig};
use crate::elicit::Asker;
use crate::error::{SourceError, SourceErrorKind};
use crate::http::{Endpoint, HttpServer, HttpTransport, mirrored};
use crate::outcome::{CallEnd, ToolOutcome, read_result};
use crate::program::Located;
use crate::schema::misfit;
use crate::stderr::StderrTail;
use crate::text::excerpt;
use crate::tools::{Catalogue, Listing, ToolTable, UnusableTool};
use crate::transport::StdioTransport;
use crate::wire::Wire;

/// How long an error waits for the exit status and the last words of a server that has just ended.
const LAST_WORDS: Duration = Duration::from_millis(800);
/// How long what is left of its standard error may then take to be read.
const LAST_LINES: Duration = Duration::from_millis(100);
/// How long telling a server that a call was cancelled may take.
const CANCEL_NOTICE: Duration = Duration::from_secs(1);

/// How long comparing a result with its schema may take.
const CHECKING: Duration = Duration::from_secs(5);
/// Times that a call may be asked back.
const MAX_ROUNDS: usize = 10;

type Service = RunningService<RoleClient, Asker>;

/// A server that is ready, with everything that belongs to it.
#[derive(Debug)]
pub(crate) struct Connection {
    slug: String,
    peer: Peer<RoleClient>,
    /// Keeps the SDK's loop alive.
    _service: Service,
    pub(crate) wire: Arc<Wire>,
    /// Its processes; none when it is reached over HTTP.
    pub(crate) tree: Option<ProcessTree>,
    endpoint: Option<Arc<Endpoint>>,
    asker: Asker,
    stderr: StderrTail,
    pub(crate) tools: ToolTable,
    pub(crate) left_out: Arc<[UnusableTool]>,
    pub(crate) era: Era,
}

/// How and until when a server is to be started.
#[derive(Debug, Clone)]
pub(crate) struct ServerStart<'a> {
    pub(crate) config: &'a SourceConfig,
    pub(crate) server: Server<'a>,
    pub(crate) guard: Option<&'a Path>,
    pub(crate) era: Era,
    pub(crate) deadline: tokio::time::Instant,
    /// Ends the start early.
    pub(crate) cancel: CancellationToken,
}

/// Where a server is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Server<'a> {
    /// A program to be started.
    Program(&'a Located),
    /// An address to be asked.
    Address(&'a HttpServer),
}

/// A server that was started but is not ready yet.
struct StartedServer {
    wire: Arc<Wire>,
    asker: Asker,
    tree: Option<ProcessTree>,
    endpoint: Option<Arc<Endpoint>>,
    stderr: StderrTail,
}

impl StartedServer {
    /// The handshake and the list of tools; `None` as the failure means that the server ended.
    async fn become_ready(
        &self,
        opening: &ServerStart<'_>,
        transport: impl Transport<RoleClient> + 'static,
    ) -> Result<(Service, Listing), Option<SourceErrorKind>> {
        let greeted = AtomicBool::new(false);
        let ready = async {
            let era = match (&self.endpoint, opening.era) {
                (Some(endpoint), Era::Auto) => endpoint.probe().await.map_err(Some)?,
                (_, era) => era,
            };
            let service = greet(transport, era, self.asker.clone()).await?;
            greeted.store(true, Ordering::Relaxed);
            let listing =
                list_tools(opening.config, service.peer(), &self.wire, self.endpoint.as_deref()).await?;
            Ok((service, listing))
        };
        // Somebody who signs in meanwhile takes the time that it takes.
        let late = async {
            let mut deadline = opening.deadline;
            loop {
                tokio::time::sleep_until(deadline).await;
                if !self.wire.waits_for_person() {
                    return;
                }
                deadline = tokio::time::Instant::now() + opening.config.start_timeout;
            }
        };
        tokio::select! {
            biased;
            () = opening.cancel.cancelled() => Err(Some(SourceErrorKind::Cancelled)),
            ready = ready => ready,
            () = late => {
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

    /// The connection, or why there is none.
    async fn finish(
        self,
        opening: &ServerStart<'_>,
        transport: impl Transport<RoleClient> + 'static,
    ) -> Result<Connection, (SourceError, FirstOutput)> {
        let config = opening.config;
        let failure = match self.become_ready(opening, transport).await {
            Ok((service, Listing { tools, left_out })) => {
                let peer = service.peer().clone();
                return Ok(Connection {
                    slug: config.slug.clone(),
                    era: spoken_era(&peer),
                    peer,
                    _service: service,
                    wire: self.wire,
                    tree: self.tree,
                    endpoint: self.endpoint,
                    asker: self.asker,
                    stderr: self.stderr,
                    tools,
                    left_out,
                });
            }
            Err(failure) => failure,
        };
        let heard = match (self.wire.answered_probe_late(), self.wire.has_answered()) {
            (true, true) => FirstOutput::Late,
            (false, true) => FirstOutput::Something,
            (_, false) => FirstOutput::Nothing,
        };
        let mut error = self.explain(&config.slug, failure).await;
        if opening.guard.is_some() {
            error.kind = name_guard_failure(error.kind, &error.stderr_tail);
        }
        Err((error, heard))
    }

    /// Ends the tree and explains a failure with what is known by then.
    async fn explain(&self, slug: &str, kind: Option<SourceErrorKind>) -> SourceError {
        explain(slug, kind, &self.wire, self.tree.as_ref(), &self.stderr).await
    }
}

async fn explain(
    slug: &str,
    kind: Option<SourceErrorKind>,
    wire: &Wire,
    tree: Option<&ProcessTree>,
    stderr: &StderrTail,
) -> SourceError {
    wire.close();
    let exit = match tree {
        Some(tree) => {
            tree.stop_now();
            tree.wait_ended(LAST_WORDS).await
        }
        None => None,
    };
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
    pub(crate) async fn open(mut opening: ServerStart<'_>) -> Result<Self, SourceError> {
        match Self::open_once(&opening).await {
            // Some old servers end at the first message that they don't know: ask a fresh one the old way.
            Err((error, FirstOutput::Nothing))
                if opening.era == Era::Auto
                    && matches!(error.kind, SourceErrorKind::Died { .. })
                    && tokio::time::Instant::now() < opening.deadline =>
            {
                opening.era = Era::Legacy;
                let second = Self::open_once(&opening).await;
                second.map_err(|(error, _)| error)
            }
            // A busy machine starts a new server too late for the probe, and some new servers then refuse the old greeting.
            Err((error, FirstOutput::Late))
                if opening.era == Era::Auto
                    && matches!(
                        error.kind,
                        SourceErrorKind::Protocol { .. } | SourceErrorKind::Died { .. }
                    )
                    && tokio::time::Instant::now() < opening.deadline =>
            {
                opening.era = Era::Modern;
                let second = Self::open_once(&opening).await;
                second.map_err(|_| error)
            }
            other => other.map_err(|(error, _)| error),
        }
    }

    async fn open_once(opening: &ServerStart<'_>) -> Result<Self, (SourceError, FirstOutput)> {
        match opening.server {
            Server::Program(located) => Self::launch(opening, located).await,
            Server::Address(server) => Self::reach(opening, server).await,
        }
    }

    async fn reach(
        opening: &ServerStart<'_>,
        server: &HttpServer,
    ) -> Result<Self, (SourceError, FirstOutput)> {
        let config = opening.config;
        let wire = Wire::new(config);
        let endpoint = Endpoint::new(config, server, &wire)
            .map_err(|kind| (SourceError::new(&config.slug, kind), FirstOutput::Something))?;
        let transport = HttpTransport::new(Arc::clone(&wire), Arc::clone(&endpoint));
        let asker = asker(config, &wire);
        let stderr = StderrTail::new(std::iter::empty());
        let started = StartedServer { wire, asker, tree: None, endpoint: Some(endpoint), stderr };
        started.finish(opening, transport).await
    }

    async fn launch(
        opening: &ServerStart<'_>,
        located: &Located,
    ) -> Result<Self, (SourceError, FirstOutput)> {
        let config = opening.config;
        let launch = Launch {
            program: &located.program,
            directory: &located.directory,
            arguments: &config.args,
            environment: Environment {
                set: Some(&config.env),
                inherit: &config.inherit_env,
                search_path: config.search_path.as_deref(),
            },
            guard: opening.guard,
            stop_timeout: config.stop_timeout,
            kill_grace: config.kill_grace,
        };
        let (tree, pipes) = ProcessTree::spawn(&launch).map_err(|error| {
            let kind = SourceErrorKind::SpawnFailed { reason: error.to_string() };
            (SourceError::new(&config.slug, kind), FirstOutput::Something)
        })?;
        let Pipes { input, output, errors } = pipes;
        let stderr = StderrTail::new(config.env.iter());
        tokio::spawn(stderr.clone().drain(errors));
        let wire = Wire::new(config);
        if opening.era != Era::Auto {
            wire.wait_for_probe();
        }
        let transport = StdioTransport::new(Arc::clone(&wire), output, input);
        let asker = asker(config, &wire);
        let started = StartedServer { wire, asker, tree: Some(tree), endpoint: None, stderr };
        started.finish(opening, transport).await
    }

    /// Calls a tool that exists, with arguments that are an object.
    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: Option<serde_json::Map<String, Value>>,
        limits: &CallLimits,
        started: Instant,
    ) -> Result<ToolOutcome, SourceError> {
        let mut total = tokio::time::Instant::from_std(started) + limits.total;
        let mut params = CallToolRequestParams::new(tool.to_owned());
        params.arguments = arguments;
        let mut bytes = 0;
        for _ in 0..MAX_ROUNDS {
            let (result, size) = self.ask(tool, params.clone(), limits, &mut total).await?;
            bytes += size;
            match read_result(tool, result).map_err(|kind| self.error(kind))? {
                CallEnd::Complete { value, content } => {
                    return Ok(ToolOutcome { value, content, bytes, duration: started.elapsed() });
                }
                CallEnd::Structured { value, content, text } => {
                    let value = self.fitting(tool, value, text).await?;
                    return Ok(ToolOutcome { value, content, bytes, duration: started.elapsed() });
                }
                CallEnd::InputRequired { requests, state } => {
                    let asked = tokio::time::Instant::now();
                    let answers = tokio::select! {
                        biased;
                        () = limits.cancel.cancelled() => return Err(self.error(SourceErrorKind::Cancelled)),
                        answers = self.answer_all(tool, requests) => answers?,
                    };
                    // A person took that time, not the server.
                    total += asked.elapsed();
                    params.input_responses = serde_json::from_value(Value::Object(answers)).ok();
                    params.request_state = state;
                }
            }
        }
        Err(self.error(SourceErrorKind::Protocol {
            detail: format!("tool `{tool}` asks back without end (stopped after {MAX_ROUNDS} rounds)"),
        }))
    }

    /// A structured result that fits the schema that the tool promised.
    async fn fitting(&self, tool: &str, value: Value, text: String) -> Result<Value, SourceError> {
        let Some(schema) = self.tools.get(tool).and_then(|tool| tool.output_schema.clone()) else {
            return Ok(value);
        };
        let checking = tokio::task::spawn_blocking(move || (misfit(&schema, &value), value));
        let protocol = |detail: String| self.error(SourceErrorKind::Protocol { detail });
        match tokio::time::timeout(CHECKING, checking).await {
            Ok(Ok((None, value))) => Ok(value),
            Ok(Ok((Some((place, reason)), _))) => {
                let tool = tool.to_owned();
                Err(self.error(SourceErrorKind::Output { tool, place, reason, text }))
            }
            Ok(Err(_)) | Err(_) => Err(protocol(format!(
                "the result of tool `{tool}` could not be compared with its schema within {} s",
                CHECKING.as_secs()
            ))),
        }
    }

    /// Answers what a tool wants to know before it goes on (MCP 2026-07-28, "Multi round-trip requests").
    async fn answer_all(
        &self,
        tool: &str,
        requests: serde_json::Map<String, Value>,
    ) -> Result<serde_json::Map<String, Value>, SourceError> {
        let mut answers = serde_json::Map::new();
        for (key, request) in requests {
            let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
            if method != "elicitation/create" {
                let detail =
                    format!("tool `{tool}` wants `{}`, which is not offered to servers", excerpt(method, 60));
                return Err(self.error(SourceErrorKind::Protocol { detail }));
            }
            let params = request.get("params").unwrap_or(&Value::Null);
            answers.insert(key, self.asker.answer(params).await);
        }
        Ok(answers)
    }

    /// One request of a call; returns the plain result with its size on the wire. `total` moves while a person is asked.
    async fn ask(
        &self,
        tool: &str,
        params: CallToolRequestParams,
        limits: &CallLimits,
        total: &mut tokio::time::Instant,
    ) -> Result<(Value, usize), SourceError> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sending = self.peer.send_request_with_option(request, PeerRequestOptions::no_options());
        let handle = tokio::select! {
            biased;
            () = limits.cancel.cancelled() => return Err(self.error(SourceErrorKind::Cancelled)),
            sent = tokio::time::timeout_at(*total, sending) => match sent {
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
                () = tokio::time::sleep_until(idle.min(*total)) => {
                    if self.wire.waits_for_person() {
                        idle = tokio::time::Instant::now() + limits.idle;
                        *total = (*total).max(idle);
                        continue;
                    }
                    let passed = if *total <= idle { limits.total } else { limits.idle };
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
        Ok((result, note.bytes))
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
        explain(&self.slug, None, &self.wire, self.tree.as_ref(), &self.stderr).await
    }

    /// Closes the server's input and waits for the end of its tree.
    pub(crate) async fn close(&self, limit: Duration) -> Option<ExitReport> {
        self.wire.close();
        if let Some(endpoint) = &self.endpoint {
            endpoint.bye().await;
        }
        let tree = self.tree.as_ref()?;
        tree.stop_gently();
        tree.wait_ended(limit).await
    }
}

/// Whether a server that failed to start had said anything at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstOutput {
    Nothing,
    Something,
    /// Something, but not before it was taken for an old one.
    Late,
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

/// Our side of the conversation.
fn asker(config: &SourceConfig, wire: &Arc<Wire>) -> Asker {
    Asker { source: config.slug.clone(), elicitor: config.elicitor.clone(), wire: Arc::clone(wire) }
}

async fn greet(
    transport: impl Transport<RoleClient> + 'static,
    era: Era,
    asker: Asker,
) -> Result<Service, Option<SourceErrorKind>> {
    let modern = vec![ProtocolVersion::V_2026_07_28];
    let mode = match era {
        Era::Auto => ClientLifecycleMode::Auto {
            preferred_versions: modern,
            legacy_version: Some(ProtocolVersion::V_2025_11_25),
        },
        Era::Modern => ClientLifecycleMode::Discover { preferred_versions: modern },
        Era::Legacy => ClientLifecycleMode::Initialize,
    };
    asker.serve_with_lifecycle(transport, mode).await.map_err(|error| match error {
        rmcp::service::ClientInitializeError::ConnectionClosed(_)
        | rmcp::service::ClientInitializeError::TransportError { .. } => None,
        rmcp::service::ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
            Some(SourceErrorKind::Protocol { detail: excerpt(&fallback.to_string(), 1_000) })
        }
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
    endpoint: Option<&Endpoint>,
) -> Result<Listing, Option<SourceErrorKind>> {
    let mut catalogue = Catalogue::new(config);
    // Header fields for arguments exist only over HTTP and in the newer generation.
    let endpoint = endpoint.filter(|endpoint| endpoint.is_modern());
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
            if let Some(endpoint) = endpoint {
                catalogue.retain(|tool| match mirrored(&tool.input_schema) {
                    Ok(arguments) => {
                        endpoint.mirror(tool.name.clone(), arguments);
                        Ok(())
                    }
                    Err(reason) => Err(reason),
                });
            }
            return Ok(catalogue.finish());
        }
    }
}

/// A guard that could not start the command says so and ends with a code of its own.
fn name_guard_failure(kind: SourceErrorKind, stderr: &str) -> SourceErrorKind {
    let codes =
        [process_guard::EXIT_GUARD_FAILED, process_guard::EXIT_NOT_STARTED, process_guard::EXIT_NOT_FOUND];
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
