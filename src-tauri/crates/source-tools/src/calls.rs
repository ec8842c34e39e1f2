//! Trials, approvals and single calls: what a person does with a source by hand.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ::sources::rest::{LogLine, RestRequest};
use ::sources::{Source, SourceError, UnusableTool};
use domain::{ErrorCode, Problem};
use futures_util::future::BoxFuture;
use protocol::SourceStatus;
use serde_json::Value;
use store::SourceCheck;
use support::{blocking, now_ms};
use tokio_util::sync::CancellationToken;
use tools::{Run, ToolError};
use workspace::{SourceConfig, SourceType};

use super::approval::{Approval, ListedTool};
use super::mcp::problem_of;
use super::{Entry, Inner, SourceTools, folder_of, mcp_sign_in, not_approved, rest_tool, secrets};

/// The longest trial start, whatever the source's configuration allows.
const MAX_TRIAL: Duration = Duration::from_secs(60);
/// The longest call by hand.
const MAX_CALL: Duration = Duration::from_secs(120);

/// Ends a task that nobody waits for any more.
struct Stop(tokio::task::AbortHandle);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What a trial found.
pub struct TrialOutcome {
    pub server: String,
    pub tools: Vec<ListedTool>,
    /// Tools that can't be used.
    pub left_out: Arc<[UnusableTool]>,
    pub log: String,
}

impl TrialOutcome {
    /// Of something that writes no log and lists only what can be used.
    pub fn new(server: String, tools: Vec<ListedTool>) -> Self {
        Self { server, tools, left_out: Arc::default(), log: String::new() }
    }
}

/// A trial that failed, with the last words of what was tried.
pub struct Failed {
    /// What went wrong.
    pub problem: Problem,
    /// What the source wrote to standard error.
    pub log: String,
}

/// What a call gave: its text, or why there is none.
pub type CallOutput = Result<String, ToolError>;

/// What is known of a source now, for a list.
#[derive(Default)]
pub struct State {
    /// Ready, starting, failed or idle.
    pub status: SourceStatus,
    /// Why it can't be used now.
    pub problem: Option<Problem>,
    /// What the source wrote to standard error.
    pub log: String,
    /// The tools that it listed last.
    pub listed: Option<Vec<ListedTool>>,
    /// Tools that can't be offered, with reasons.
    pub left_out: Arc<[UnusableTool]>,
    /// Tools that changed since they were approved.
    pub changed: Vec<String>,
    /// The newest requests of a REST source.
    pub requests: Vec<LogLine>,
}

impl SourceTools {
    /// Starts a server apart from the others and lists its tools, asks an interface once, or looks at a folder. Notes how
    /// it went.
    pub async fn try_out(&self, entry: &Entry) -> Result<TrialOutcome, Failed> {
        let begun = Instant::now();
        let tried = self.inner.try_out(entry).await;
        let slug = &entry.config.slug;
        let problem = tried.as_ref().err().map(|failed| failed.problem.clone());
        self.inner.note(slug, begun, problem.as_ref()).await;
        self.inner.with(slug, |known| {
            known.problem = problem;
            match &tried {
                Ok(trial) => {
                    known.log = trial.log.clone();
                    known.listed = Some(trial.tools.clone());
                    known.left_out = trial.left_out.clone();
                    let changed = trial
                        .tools
                        .iter()
                        .filter(|tool| entry.approval.of_tool(&tool.name, &tool.fingerprint) == "changed");
                    known.changed = changed.map(|tool| tool.name.clone()).collect();
                }
                Err(failed) => known.log.clone_from(&failed.log),
            }
        });
        tried
    }

    /// Approves a source and its tools as they are now. It is started for that.
    pub async fn approve(&self, entry: &Entry, believe: bool) -> Result<(), Failed> {
        let config = &entry.config;
        let failed = |problem: Problem| Failed { problem, log: String::new() };
        // The whole is approved first: only then may it be started.
        entry.approval.keep(&self.inner.store, config, believe, None).await.map_err(failed)?;
        let approval =
            Approval::read(&self.inner.store, config, !entry.approval.shipped).await.map_err(failed)?;
        let entry = Entry { config: config.clone(), approval };
        let trial = self.try_out(&entry).await?;
        entry.approval.keep(&self.inner.store, config, believe, Some(&trial.tools)).await.map_err(failed)?;
        self.inner.with(&config.slug, |known| known.changed.clear());
        Ok(())
    }

    /// Keeps that a person approved what a source reaches; its tools follow when it is tried.
    pub async fn approve_whole(&self, config: &SourceConfig) -> Result<(), Problem> {
        let approval = Approval::read(&self.inner.store, config, true).await?;
        let tools = match config.kind {
            SourceType::Api => match self.inner.interface(config).await? {
                Some(interface) => Some(rest_tool::listed(&interface.operations)),
                None => Some(Vec::new()),
            },
            SourceType::Local => Some(Vec::new()),
            SourceType::Mcp => None,
        };
        approval.keep(&self.inner.store, config, approval.believes(), tools.as_deref()).await
    }

    /// Calls a tool as the person.
    pub async fn call(&self, entry: &Entry, tool: &str, arguments: Value) -> Result<CallOutput, Problem> {
        if !entry.approval.is_given() {
            return Err(not_approved("it has not been approved as it is now"));
        }
        let cancel = CancellationToken::new();
        let _guard = cancel.clone().drop_guard();
        let slug = &entry.config.slug;
        let arguments = self.inner.arguments(entry, tool, arguments).await;
        let called = async {
            if entry.config.kind == SourceType::Mcp {
                let outcome = self.inner.call_mcp(entry, tool, arguments, cancel.clone()).await?;
                return Ok(tools::shown_text(outcome));
            }
            let (offered, ..) =
                self.offered(slug).await.map_err(|problem| super::mcp::unavailable(&problem))?;
            let found = offered.into_iter().find(|offered| offered.info().tool == tool);
            let Some(found) = found else {
                return Err(ToolError::new(tools::Kind::NotFound, format!("it has no tool {tool}")));
            };
            let at = self.inner.call_context(slug);
            found.plan(&arguments, &at).await?;
            let run = Run { cancel: cancel.clone(), confined: domain::Walls::Open, report: Arc::new(|_| {}) };
            found.run(&arguments, &at, run).await.map(|outcome| outcome.text)
        };
        match tokio::time::timeout(MAX_CALL, called).await {
            Ok(called) => Ok(called),
            Err(_) => Ok(Err(ToolError::new(tools::Kind::Deadline, "it gave no answer within 120 s"))),
        }
    }

    /// Begins a sign-in at the service of a source: the address to open, and its end to wait for.
    pub async fn sign_in(
        &self,
        entry: &Entry,
    ) -> Result<(String, BoxFuture<'static, Result<String, Problem>>), Problem> {
        let config = entry.config.clone();
        if !config.signs_in() {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                format!("source {} has no sign-in", config.slug),
            )
            .with_action("give it its secrets instead"));
        }
        if !entry.approval.is_given() {
            return Err(not_approved("it has not been approved as it is now"));
        }
        let inner = self.inner.clone();
        if config.kind == SourceType::Mcp {
            return inner.sign_in_at_server(config).await;
        }
        let service = config.api.as_ref().and_then(|api| api.oauth.clone());
        let Some(service) = service else {
            return Err(Problem::new(ErrorCode::InvalidConfig, "it names no service to sign in at"));
        };
        let (vault, asked) = (inner.vault.clone(), config.clone());
        let client_secret = blocking(move || secrets::client_secret(&vault, &asked)).await?;
        let begun = ::secrets::SignIn::begin(&service, client_secret, ::secrets::Http::new()?).await?;
        let url = begun.url().to_owned();
        let ended = async move {
            let token = begun.finish(mcp_sign_in::SIGN_IN_TIMEOUT).await?;
            let words = format!("signed in for {}", config.name);
            let (vault, kept) = (inner.vault.clone(), config.clone());
            blocking(move || {
                let entry = (secrets::oauth_name(&kept.key()), ::secrets::Entry::Token(token));
                vault.put_all(&[entry, secrets::bind(&kept)]).map_err(Problem::from)
            })
            .await?;
            inner.with(&config.slug, |known| known.problem = None);
            Ok(words)
        };
        Ok((url, Box::pin(ended)))
    }

    /// What is known of a source now.
    pub fn state(&self, slug: &str) -> State {
        let known = self.inner.known.lock();
        let Some(known) = known.get(slug) else { return State::default() };
        let ready = known.running.iter().any(|source| source.state() == ::sources::SourceState::Ready);
        let status = match (known.starting > 0, ready, &known.problem) {
            (true, ..) => SourceStatus::Starting,
            (false, _, Some(_)) => SourceStatus::Failed,
            (false, true, None) => SourceStatus::Ready,
            (false, false, None) => SourceStatus::Idle,
        };
        let log = known.running.last().map(Source::log).filter(|log| !log.is_empty());
        State {
            status,
            problem: known.problem.clone(),
            log: log.unwrap_or_else(|| known.log.clone()),
            listed: known.listed.clone(),
            left_out: known.left_out.clone(),
            changed: known.changed.iter().cloned().collect(),
            requests: known.rest.as_ref().map(|(_, rest)| rest.log()).unwrap_or_default(),
        }
    }

    /// A source whether it is on or off, with what was approved of it.
    pub async fn approval(&self, config: &SourceConfig, own: bool) -> Result<Approval, Problem> {
        Approval::read(&self.inner.store, config, own).await
    }
}

impl Inner {
    async fn sign_in_at_server(
        self: Arc<Self>,
        config: SourceConfig,
    ) -> Result<(String, BoxFuture<'static, Result<String, Problem>>), Problem> {
        let mut started = self.prepared(&config, &[]).await?;
        let (browser, opened) = mcp_sign_in::Browser::new();
        if let Some(oauth) = started.http.as_mut().and_then(|server| server.oauth.as_mut()) {
            oauth.authorizer = Some(Arc::new(browser));
        }
        let mut ended = tokio::spawn(async move { ::sources::sign_in(&started).await });
        let told = move |ended: Result<Result<(), SourceError>, tokio::task::JoinError>| match ended {
            Ok(Ok(())) => {
                self.with(&config.slug, |known| known.problem = None);
                Ok(format!("signed in for {}", config.name))
            }
            Ok(Err(error)) => Err(problem_of(&error)),
            Err(_) => Err(Problem::new(ErrorCode::Internal, "the sign-in ended early")),
        };
        tokio::select! {
            url = opened => match url {
                Ok(url) => {
                    let stop = ended.abort_handle();
                    let ended = async move {
                        let _stop = Stop(stop);
                        told(ended.await)
                    };
                    Ok((url, Box::pin(ended)))
                }
                Err(_) => told(ended.await).map(|words| (String::new(), Box::pin(std::future::ready(Ok(words))) as _)),
            },
            // It needs nobody: its tokens are good, or it failed before a page was known.
            early = &mut ended => {
                told(early).map(|words| (String::new(), Box::pin(std::future::ready(Ok(words))) as _))
            }
        }
    }

    async fn try_out(&self, entry: &Entry) -> Result<TrialOutcome, Failed> {
        let config = &entry.config;
        let failed = |problem: Problem| Failed { problem, log: String::new() };
        if !entry.approval.is_given() {
            return Err(failed(not_approved("it has not been approved as it is now")));
        }
        match config.kind {
            SourceType::Mcp => self.try_server(config).await,
            SourceType::Api => self.try_interface(config).await,
            SourceType::Local => {
                let folder = folder_of(config).map_err(failed)?;
                std::fs::read_dir(&folder).map_err(|error| {
                    let words = format!("{} can't be read: {error}", folder.display());
                    failed(Problem::new(ErrorCode::Source, words).with_action("check its permissions"))
                })?;
                Ok(TrialOutcome::new(folder.display().to_string(), Vec::new()))
            }
        }
    }

    async fn try_server(&self, config: &SourceConfig) -> Result<TrialOutcome, Failed> {
        let mut started =
            self.prepared(config, &[]).await.map_err(|problem| Failed { problem, log: String::new() })?;
        started.start_timeout = started.start_timeout.min(MAX_TRIAL);
        let running = Source::start(started, Some(self.program.clone()), None).await;
        let told = |error: SourceError| Failed { problem: problem_of(&error), log: error.stderr_tail };
        let running = running.map_err(told)?;
        let trial = TrialOutcome {
            server: running.server().unwrap_or_default(),
            tools: running.tools().values().map(ListedTool::of).collect(),
            left_out: running.left_out(),
            log: running.log(),
        };
        running.close().await;
        Ok(trial)
    }

    async fn try_interface(&self, config: &SourceConfig) -> Result<TrialOutcome, Failed> {
        let failed = |problem: Problem| Failed { problem, log: String::new() };
        let interface = self.interface(config).await.map_err(failed)?;
        let rest = self.rest(config).await.map_err(failed)?;
        let test = config.api.as_ref().and_then(|api| api.test_endpoint.clone());
        let mut server = config.api.as_ref().map(|api| api.base_url.clone()).unwrap_or_default();
        if let Some(test) = test {
            let request = RestRequest::new(test.method, test.path);
            let answer = rest.send(&request, &CancellationToken::new()).await;
            let answer = answer.map_err(|error| failed(rest_tool::problem_of(&error)))?;
            server = format!("{server} (status {} in {} ms)", answer.status, answer.ms);
        }
        let operations = interface.map(|interface| interface.operations).unwrap_or_default();
        Ok(TrialOutcome::new(server, rest_tool::listed(&operations)))
    }

    /// Notes how a check went.
    pub async fn note(&self, slug: &str, begun: Instant, problem: Option<&Problem>) {
        let check = SourceCheck {
            at: now_ms(),
            ok: problem.is_none(),
            ms: i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX),
            detail: problem.map(|problem| problem.message.clone()).unwrap_or_default(),
        };
        if let Err(error) = self.store.note_source_check(&self.key(slug), &check).await {
            tracing::warn!("a check of source {slug} was not noted: {error}");
        }
    }
}
