//! Where tool calls go.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use domain::Problem;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// A tool call's failure.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolFailure {
    /// What happened, with the source's name and its last words.
    pub problem: Problem,
    /// Whether the same call may succeed later.
    pub retryable: bool,
}

/// Something that runs tools: sources in the program, scripts in tests.
#[async_trait]
pub trait ToolHost: Send + Sync {
    /// Makes sources ready before anything is paid. Gives what failed, by slug.
    async fn prepare(&self, slugs: &[String]) -> BTreeMap<String, Problem>;

    /// Calls a tool.
    async fn call(
        &self,
        source: &str,
        tool: &str,
        args: Value,
        deadline: Duration,
        cancel: CancellationToken,
    ) -> Result<Value, ToolFailure>;

    /// Ends every child process. Called when a run leaves the engine.
    async fn close(&self);
}

/// Makes the tool host of a run from what the run pinned.
pub trait HostFactory: Send + Sync {
    /// A host for one drive of a run.
    fn host(&self, pinned: &crate::Pinned) -> std::sync::Arc<dyn ToolHost>;
}
