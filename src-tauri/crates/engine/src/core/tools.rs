//! Where tool calls go.

use std::collections::BTreeMap;
use std::pin::Pin;
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
    /// Whether the source may have carried the call out all the same: it broke off before its answer came. Such a call is
    /// made again only where the stage says that this does no harm, or the person does.
    pub unsure: bool,
}

/// Something that runs tools: sources in the program, scripts in tests.
#[async_trait]
pub trait ToolHost: Send + Sync {
    /// Makes sources ready before anything is paid, each with one more try where that may help. Gives what failed, by
    /// slug.
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

    /// Gives back what the run holds. Called when it leaves the engine.
    async fn close(&self);
}

/// Whether tools can search the web.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebSearchUse {
    /// They can.
    Ready,
    /// No search is set up.
    Missing,
    /// None can be used because the vault, in which one may be set up, is locked.
    Locked,
}

/// Makes the tool host of a run from what the run pinned.
pub trait HostFactory: Send + Sync {
    /// A host for one drive of a run.
    fn host(&self, pinned: &crate::Pinned) -> std::sync::Arc<dyn ToolHost>;

    /// Whether tools can search the web: runs that begin now count on it.
    fn web_search(&self) -> Pin<Box<dyn Future<Output = WebSearchUse> + Send + '_>> {
        Box::pin(std::future::ready(WebSearchUse::Ready))
    }

    /// Hosts of the web from which pages were wanted since then (milliseconds since 1970), and about which nobody has
    /// decided.
    fn undecided_hosts(&self, _since: i64) -> Pin<Box<dyn Future<Output = Vec<String>> + Send + '_>> {
        Box::pin(std::future::ready(Vec::new()))
    }
}
