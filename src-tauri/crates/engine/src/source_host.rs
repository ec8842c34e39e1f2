//! Tools of the agent's sources: MCP servers as children of this process.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use context::{Scope, Templates};
use domain::{ErrorCode, Problem};
use serde_json::{Value, json};
use sources::{CallLimits, Lease, Pool, SourceConfig, SourceError, SourceErrorKind};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::pinned::{Corpus, Pinned};
use crate::tools::{HostFactory, ToolFailure, ToolHost};

/// The command that stands for this program itself.
const SELF: &str = "@self";

/// Starts sources as children of this process.
#[derive(Debug, Clone)]
pub struct SourceHosts {
    /// The data directory, told to our own servers.
    pub home: PathBuf,
    /// This program: it runs as guard of every child and as our own servers.
    pub program: PathBuf,
}

impl HostFactory for SourceHosts {
    fn host(&self, pinned: &Pinned) -> Arc<dyn ToolHost> {
        let configs = pinned
            .sources
            .values()
            .map(|source| (source.slug.clone(), self.config(pinned.corpus.as_ref(), source)))
            .collect();
        Arc::new(SourceHost {
            pool: Pool::new(Some(self.program.clone()), None),
            configs,
            leases: Mutex::new(BTreeMap::new()),
        })
    }
}

impl SourceHosts {
    /// How a source is started for a knowledge base.
    pub fn config(
        &self,
        corpus: Option<&Corpus>,
        source: &workspace::SourceConfig,
    ) -> Result<SourceConfig, Problem> {
        let unusable =
            |why: String| Problem::new(ErrorCode::InvalidConfig, format!("source {}: {why}", source.slug));
        let Some(mcp) = &source.mcp else {
            return Err(unusable(
                "only sources of type mcp can be used by agents in this version".to_owned(),
            ));
        };
        let mut scope = Scope::new();
        scope.set("corpus", &json!(corpus.map(|corpus| &corpus.base)));
        scope.set("generation", &json!(corpus.map(|corpus| &corpus.generation)));
        let templates = Templates::new();
        let args: Result<Vec<String>, _> = mcp.args.iter().map(|arg| templates.render(arg, &scope)).collect();
        let own = mcp.command == SELF;
        let command = if own { self.program.to_string_lossy().into_owned() } else { mcp.command.clone() };
        let mut config = SourceConfig::new(source.slug.clone(), command)
            .with_args(args.map_err(|error| unusable(error.to_string()))?);
        config.cwd = mcp.cwd.clone().map(PathBuf::from);
        config.workspace = self.home.clone();
        config.env = mcp.env.clone();
        config.inherit_env = mcp.inherit_env.clone();
        if own {
            config.era = sources::Era::Modern;
            config.env.insert("AGENTNATIVE_HOME".to_owned(), self.home.to_string_lossy().into_owned());
        }
        config.start_timeout = Duration::from_secs(mcp.start_timeout_seconds);
        config.call_idle = Duration::from_secs(mcp.call_idle_seconds);
        config.call_total = Duration::from_secs(mcp.call_total_seconds);
        config.max_concurrent_calls = mcp.max_concurrent_calls as usize;
        config.trusted = source.trusted;
        Ok(config)
    }
}

/// The sources of one run.
struct SourceHost {
    pool: Pool,
    configs: BTreeMap<String, Result<SourceConfig, Problem>>,
    leases: Mutex<BTreeMap<String, Arc<Lease>>>,
}

impl SourceHost {
    async fn lease(&self, slug: &str) -> Result<Arc<Lease>, ToolFailure> {
        let mut leases = self.leases.lock().await;
        if let Some(lease) = leases.get(slug) {
            return Ok(lease.clone());
        }
        let config = match self.configs.get(slug) {
            Some(Ok(config)) => config.clone(),
            Some(Err(problem)) => return Err(ToolFailure { problem: problem.clone(), retryable: false }),
            None => {
                let message = format!("the agent's configuration does not list source {slug}");
                return Err(ToolFailure {
                    problem: Problem::new(ErrorCode::InvalidConfig, message),
                    retryable: false,
                });
            }
        };
        let lease = Arc::new(self.pool.get(config).await.map_err(|error| failure(&error))?);
        leases.insert(slug.to_owned(), lease.clone());
        Ok(lease)
    }
}

#[async_trait]
impl ToolHost for SourceHost {
    async fn prepare(&self, slugs: &[String]) -> BTreeMap<String, Problem> {
        let mut failed = BTreeMap::new();
        for slug in slugs {
            let mut outcome = self.lease(slug).await;
            if outcome.as_ref().is_err_and(|failure| failure.retryable) {
                outcome = self.lease(slug).await;
            }
            if let Err(failure) = outcome {
                failed.insert(slug.clone(), failure.problem);
            }
        }
        failed
    }

    async fn call(
        &self,
        source: &str,
        tool: &str,
        args: Value,
        deadline: Duration,
        cancel: CancellationToken,
    ) -> Result<Value, ToolFailure> {
        let lease = self.lease(source).await?;
        let own = lease.config().call_limits();
        let limits = CallLimits { idle: own.idle.min(deadline), total: own.total.min(deadline), cancel };
        match lease.call(tool, args, limits).await {
            Ok(outcome) => Ok(outcome.value),
            Err(error) => {
                if matches!(error.kind, SourceErrorKind::Died { .. }) {
                    // A dead server is started anew for the next attempt.
                    self.leases.lock().await.remove(source);
                }
                Err(failure(&error))
            }
        }
    }

    async fn close(&self) {
        self.leases.lock().await.clear();
        self.pool.shutdown().await;
    }
}

fn failure(error: &SourceError) -> ToolFailure {
    let code = match error.kind {
        SourceErrorKind::Cancelled => ErrorCode::Cancelled,
        SourceErrorKind::Deadline { .. } | SourceErrorKind::StartTimeout { .. } => ErrorCode::Deadline,
        _ => ErrorCode::Source,
    };
    let mut problem = Problem::new(code, error.to_string())
        .with_action("check the source's command and its last words above, then retry the run");
    problem.retryable = error.is_retryable();
    // A call that used up its deadline is not made again unasked: the stage would outlive its own deadline.
    let retryable = problem.retryable && code != ErrorCode::Deadline;
    ToolFailure { retryable, problem }
}
