//! Sources of type `mcp`: how they are started, what they offer, and calls of their tools.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ::secrets::{ExposeSecret, SecretString};
use ::sources::{
    CallLimits, HttpServer, Lease, Oauth, SourceConfig as StartedServer, SourceError, SourceErrorKind,
    ToolOutcome,
};
use async_trait::async_trait;
use domain::{Digest, ErrorCode, Problem};
use engine::Corpus;
use library::corpus;
use serde_json::{Value, json};
use support::blocking;
use tools::{CallContext, Kind, Run, Tool, ToolError};
use workspace::{McpAuth, SourceConfig, Transport, shipped_corpora};
use workspace_bases::WorkspaceBases;

use super::approval::ListedTool;
use super::mcp_sign_in::StoredTokens;
use super::{Entry, Inner, not_approved, secrets, stdio};

/// How long a prepared start is used again: what it reads may change.
const FRESHNESS: Duration = Duration::from_secs(60);
/// The variable that says for which workspace this program works as a server.
const WORKSPACE_VARIABLE: &str = "AGENTNATIVE_WORKSPACE";
/// The longest stderr tail that is told, in bytes.
const MAX_TAIL_BYTES: usize = 8 << 10;

/// A start without secrets, made lately.
pub struct PreparedStart {
    at: Instant,
    of: Digest,
    config: StartedServer,
}

/// Why there is no running server.
pub enum NotLeased {
    /// It was not started at all.
    Unprepared(Problem),
    /// It did not start, or does not run any more.
    Failed(Box<SourceError>),
}

/// Tools of an approved server, as they were approved. A shipped one that was never listed is started for it.
pub async fn offered(
    inner: &Arc<Inner>,
    entry: &Entry,
) -> Result<(Vec<Arc<dyn Tool>>, Option<String>), Problem> {
    let config = &entry.config;
    let mut listed = entry.approval.tools();
    if !entry.approval.listed {
        if !entry.approval.shipped {
            return Err(not_approved("its tools have not been approved yet"));
        }
        let lease = inner.lease(config).await?;
        listed = lease.tools().values().map(ListedTool::of).collect();
        entry.approval.keep(&inner.store, config, config.trusted, Some(&listed)).await?;
    }
    let changed = inner.with(&config.slug, |known| known.changed.clone());
    let note = (!changed.is_empty()).then(|| {
        let names = changed.iter().cloned().collect::<Vec<_>>().join(", ");
        format!(
            "source {}: its tools {names} have changed since they were approved and are left out",
            config.slug
        )
    });
    let tools: Vec<_> =
        listed.iter().filter(|tool| !changed.contains(&tool.name)).map(ListedTool::tool).collect();
    let seconds = config.mcp.as_ref().map_or(600, |mcp| mcp.call_total_seconds);
    let caller: Arc<dyn tools::Caller> = Arc::new(Caller { inner: inner.clone(), slug: config.slug.clone() });
    let believed = entry.approval.believes();
    Ok((tools::of_source(&config.slug, &tools, believed, Duration::from_secs(seconds), &caller), note))
}

/// Calls the tools of one server.
struct Caller {
    inner: Arc<Inner>,
    slug: String,
}

#[async_trait]
impl tools::Caller for Caller {
    async fn call(
        &self,
        tool: &str,
        arguments: &Value,
        _at: &CallContext,
        run: &Run,
    ) -> Result<ToolOutcome, ToolError> {
        let entry = self.inner.entry(&self.slug).await.map_err(|problem| unavailable(&problem))?;
        let called = self.inner.call_mcp(&entry, tool, arguments.clone(), run.cancel.clone());
        tokio::select! {
            biased;
            () = run.cancel.cancelled() => Err(ToolError::new(Kind::Cancelled, "it was stopped")),
            called = called => called,
        }
    }
}

impl Inner {
    /// Calls a tool that is as it was approved.
    pub async fn call_mcp(
        &self,
        entry: &Entry,
        tool: &str,
        arguments: Value,
        cancel: tokio_util::sync::CancellationToken,
    ) -> Result<ToolOutcome, ToolError> {
        let slug = &entry.config.slug;
        if !entry.approval.is_given() {
            return Err(unavailable(&not_approved("it is not approved as it is now")));
        }
        self.used(slug);
        let lease = self.lease(&entry.config).await.map_err(|problem| unavailable(&problem))?;
        if let Some(live) = lease.tools().get(tool)
            && !entry.approval.shipped
            && let Some(why) = entry.approval.refusal_of(tool, &live.fingerprint)
        {
            self.note_changed(entry, tool, &live.fingerprint);
            return Err(ToolError::new(Kind::Refused, format!("the tool {tool} of source {slug} {why}"))
                .with_guidance("tell the person to look at it on the Sources page; go on without it"));
        }
        let own = lease.config().call_limits();
        let limits = CallLimits { idle: own.idle, total: own.total, cancel };
        let called = lease.call(tool, arguments, limits).await;
        if let Err(error) = &called {
            self.failed(slug, error);
        }
        called.map_err(|error| failure(&error))
    }

    /// The running server of a source, started if it is not running.
    pub async fn lease(&self, config: &SourceConfig) -> Result<Lease, Problem> {
        self.leased(config, &[]).await.map_err(|failed| match failed {
            NotLeased::Unprepared(problem) => problem,
            NotLeased::Failed(error) => problem_of(&error),
        })
    }

    /// The running server of a source, started for these knowledge bases where it is for one, of which the last is the one that it
    /// is for; without a base, for any.
    pub async fn leased(&self, config: &SourceConfig, bases: &[Corpus]) -> Result<Lease, NotLeased> {
        let slug = &config.slug;
        let begun = self.ended_so_far(slug);
        let started = self.prepared(config, bases).await.map_err(NotLeased::Unprepared)?;
        self.with(slug, |known| known.starting += 1);
        let leased = self.pool.get(started).await;
        self.with(slug, |known| known.starting = known.starting.saturating_sub(1));
        match leased {
            Ok(lease) => {
                self.listed(slug, &lease);
                if self.ended_so_far(slug) == begun {
                    return Ok(lease);
                }
                // Removed or switched off while it started: nothing of it stays.
                lease.close().await;
                let problem = Problem::new(ErrorCode::Source, "it was removed or switched off meanwhile");
                Err(NotLeased::Unprepared(problem))
            }
            Err(error) => {
                self.failed(slug, &error);
                Err(NotLeased::Failed(Box::new(error)))
            }
        }
    }

    /// Notes a tool that changed since it was approved; one that never was approved has not changed.
    pub fn note_changed(&self, entry: &Entry, tool: &str, fingerprint: &str) {
        if entry.approval.of_tool(tool, fingerprint) == "changed" {
            self.with(&entry.config.slug, |known| known.changed.insert(tool.to_owned()));
        }
    }

    fn listed(&self, slug: &str, lease: &Lease) {
        let tools: Vec<ListedTool> = lease.tools().values().map(ListedTool::of).collect();
        self.with(slug, |known| {
            known.problem = None;
            known.log = lease.log();
            known.running.retain(|source| source.state() != ::sources::SourceState::Stopped);
            if !known.running.iter().any(|source| source.config_hash() == lease.config_hash()) {
                known.running.push((**lease).clone());
            }
            known.listed = Some(tools);
            known.left_out = lease.left_out();
        });
    }

    pub fn failed(&self, slug: &str, error: &SourceError) {
        self.with(slug, |known| {
            let of_call = matches!(
                error.kind,
                SourceErrorKind::Tool { .. } | SourceErrorKind::Output { .. } | SourceErrorKind::Cancelled
            );
            if !of_call {
                known.problem = Some(problem_of(error));
            }
            if !error.stderr_tail.is_empty() {
                let from = error
                    .stderr_tail
                    .ceil_char_boundary(error.stderr_tail.len().saturating_sub(MAX_TAIL_BYTES));
                known.log = error.stderr_tail[from..].to_owned();
            }
        });
    }

    /// What a server is started with: secrets filled in, the person's search path, the knowledge base that it is for.
    pub async fn prepared(&self, config: &SourceConfig, bases: &[Corpus]) -> Result<StartedServer, Problem> {
        let named: Vec<_> = bases.iter().map(|base| (&base.base, &base.generation, &base.digest)).collect();
        let of = Digest::of_json(&json!([serde_json::to_value(config).unwrap_or_default(), named]));
        let plain = config.secrets().is_empty() && !config.signs_in();
        if plain {
            let known = self.with(&config.slug, |known| {
                let fresh =
                    known.prepared.as_ref().filter(|made| made.of == of && made.at.elapsed() < FRESHNESS);
                fresh.map(|made| made.config.clone())
            });
            if let Some(known) = known {
                return Ok(known);
            }
        }
        let started = self.prepare(config, bases).await?;
        if plain {
            let made = PreparedStart { at: Instant::now(), of, config: started.clone() };
            self.with(&config.slug, |known| known.prepared = Some(made));
        }
        Ok(started)
    }

    async fn prepare(&self, config: &SourceConfig, bases: &[Corpus]) -> Result<StartedServer, Problem> {
        let Some(mcp) = config.mcp.clone() else {
            return Err(Problem::new(ErrorCode::InvalidConfig, "it is no MCP server"));
        };
        let (vault, asked) = (self.vault.clone(), config.clone());
        let held = blocking(move || secrets::resolve(&vault, &asked)).await?;
        let filled = |value: &str| secrets::filled(value, &held).expose_secret().to_owned();
        if mcp.transport == Transport::Http {
            let mut server = HttpServer::new(mcp.url.clone().unwrap_or_default());
            server.headers = mcp.headers.iter().map(|(name, value)| (name.clone(), filled(value))).collect();
            if mcp.auth_type == McpAuth::Bearer {
                let token = held.get("bearer").map(ExposeSecret::expose_secret).unwrap_or_default();
                server.headers.insert("Authorization".to_owned(), format!("Bearer {token}"));
            }
            if mcp.auth_type == McpAuth::Oauth {
                server.oauth = Some(self.oauth(config).await?);
            }
            let mut started = StartedServer::http(config.slug.clone(), server.url.clone());
            started.http = Some(server);
            started.start_timeout = Duration::from_secs(mcp.start_timeout_seconds);
            started.call_idle = Duration::from_secs(mcp.call_idle_seconds);
            started.call_total = Duration::from_secs(mcp.call_total_seconds);
            started.max_concurrent_calls = mcp.max_concurrent_calls as usize;
            return Ok(started);
        }
        let bases = match (environment::is_named_by(config), bases) {
            (true, []) => vec![self.any_base(&config.slug).await?],
            (true, bases) => {
                let (home, read) = (self.home.clone(), bases.to_vec());
                blocking(move || read.iter().try_for_each(|base| corpus::check_text(&home, base))).await?;
                bases.to_vec()
            }
            (false, _) => Vec::new(),
        };
        let mut started = stdio::started(&self.home, &self.program, &bases, config, &mcp)?;
        for value in started.env.values_mut() {
            *value = filled(value);
        }
        if stdio::is_self(config) {
            started.env.extend(self.web_search().await);
            // What it lists is this workspace's.
            started.env.insert(WORKSPACE_VARIABLE.to_owned(), self.workspace.clone());
        } else {
            started.search_path = Some(self.login.get().await);
        }
        Ok(started)
    }

    /// How a server's sign-in is kept.
    async fn oauth(&self, config: &SourceConfig) -> Result<Oauth, Problem> {
        let mcp = config.mcp.as_ref();
        let mut oauth = Oauth::new(Arc::new(StoredTokens::new(self.vault.clone(), config.clone())));
        oauth.client_id = mcp.and_then(|mcp| mcp.client_id.clone());
        oauth.scopes = mcp.map(|mcp| mcp.scopes.clone()).unwrap_or_default();
        if oauth.client_id.is_some() {
            let (vault, asked) = (self.vault.clone(), config.clone());
            let secret: Option<SecretString> =
                blocking(move || secrets::client_secret(&vault, &asked)).await?;
            oauth.client_secret = secret;
        }
        Ok(oauth)
    }

    /// A base to start a source with: one that ships with it, else the first there is.
    async fn any_base(&self, slug: &str) -> Result<engine::Corpus, Problem> {
        let (shelf, slug) = (WorkspaceBases::new(&self.home, &self.workspace), slug.to_owned());
        blocking(move || {
            let shipped = shipped_corpora(&slug).into_iter().next().map(|corpus| corpus.base);
            let base = match shipped {
                Some(base) => Some(base),
                None => shelf.names().into_iter().next(),
            };
            let Some(base) = base else {
                return Err(Problem::new(
                    ErrorCode::InvalidInput,
                    "it is started for a knowledge base, and there is none yet",
                )
                .with_action("make one from your own files first"));
            };
            corpus::resolve(&shelf, &base, &[slug])
        })
        .await
    }
}

/// Why a server did not start or answer, as it is shown.
pub fn problem_of(error: &SourceError) -> Problem {
    let code = match error.kind {
        SourceErrorKind::StartTimeout { .. } | SourceErrorKind::Deadline { .. } => ErrorCode::Deadline,
        SourceErrorKind::Cancelled => ErrorCode::Cancelled,
        _ => ErrorCode::Source,
    };
    let action = match error.kind {
        SourceErrorKind::SignInNeeded { .. } => "sign in on the Sources page",
        _ => "check the source's config.json, and what it wrote, on the Sources page",
    };
    let mut problem = Problem::new(code, error.kind.to_string()).with_action(action);
    problem.retryable = error.is_retryable();
    problem
}

pub fn unavailable(problem: &Problem) -> ToolError {
    let kind = if problem.code == ErrorCode::Cancelled { Kind::Cancelled } else { Kind::Unavailable };
    ToolError::new(kind, problem.message.clone())
        .with_guidance("go on without this source, and tell the person what is wrong with it")
}

fn failure(error: &SourceError) -> ToolError {
    let kind = match &error.kind {
        SourceErrorKind::Cancelled => Kind::Cancelled,
        SourceErrorKind::Deadline { .. } | SourceErrorKind::StartTimeout { .. } => Kind::Deadline,
        SourceErrorKind::InvalidArguments { .. } => Kind::Arguments,
        SourceErrorKind::UnknownTool { .. } => Kind::NotFound,
        SourceErrorKind::TooLarge { .. } => Kind::TooLarge,
        SourceErrorKind::Tool { .. } | SourceErrorKind::Output { .. } => Kind::Failed,
        _ => Kind::Unavailable,
    };
    let guidance = match kind {
        Kind::Failed | Kind::Arguments => "read what it said, and change the arguments",
        Kind::TooLarge => "ask for less at once",
        _ => "",
    };
    let media = match &error.kind {
        SourceErrorKind::Tool { files, .. } => tools::media_of(files),
        _ => Vec::new(),
    };
    ToolError::new(kind, error.kind.to_string()).with_guidance(guidance).with_media(media)
}
