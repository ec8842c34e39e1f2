//! Tools that do what a test tells them to, and count what was asked of them.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::{ErrorCode, Problem};
use engine::{HostFactory, Pinned, ToolFailure, ToolHost, WebSearchUse};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// What a tool does.
pub enum Act {
    Give(Value),
    Fail(Problem, bool),
    /// Breaks off: it may have been carried out all the same.
    BreakOff,
    Hang,
}

impl Act {
    pub fn fail(message: &str) -> Self {
        Self::Fail(Problem::new(ErrorCode::Source, message), false)
    }
}

/// A call that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    pub source: String,
    pub tool: String,
    pub args: Value,
}

type Handler = Box<dyn FnMut(&Asked) -> Act + Send>;

/// Tools of every source, and what was asked of them.
pub struct Tools {
    handler: Mutex<Handler>,
    asked: Mutex<Vec<Asked>>,
    broken: Mutex<BTreeMap<String, Problem>>,
    closed: AtomicUsize,
    under_way: AtomicUsize,
    /// Whether there is no web search.
    pub no_web: AtomicBool,
    /// Whether the vault is locked in which a web search may be set up.
    pub locked: AtomicBool,
}

impl Tools {
    pub fn new(handler: impl FnMut(&Asked) -> Act + Send + 'static) -> Arc<Self> {
        Arc::new(Self {
            handler: Mutex::new(Box::new(handler)),
            asked: Mutex::default(),
            broken: Mutex::default(),
            closed: AtomicUsize::new(0),
            under_way: AtomicUsize::new(0),
            no_web: AtomicBool::new(false),
            locked: AtomicBool::new(false),
        })
    }

    /// Tools that no stage calls.
    pub fn none() -> Arc<Self> {
        Self::new(|asked| Act::fail(&format!("no tool {} here", asked.tool)))
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub fn count(&self, tool: &str) -> usize {
        self.asked().iter().filter(|asked| asked.tool == tool).count()
    }

    pub fn closed(&self) -> usize {
        self.closed.load(Ordering::SeqCst)
    }

    pub fn under_way(&self) -> usize {
        self.under_way.load(Ordering::SeqCst)
    }

    pub fn break_source(&self, slug: &str, message: &str) {
        self.broken.lock().unwrap().insert(slug.to_owned(), Problem::new(ErrorCode::Source, message));
    }

    pub fn mend_source(&self, slug: &str) {
        self.broken.lock().unwrap().remove(slug);
    }
}

/// Gives every run a host over the same tools.
pub struct Hosts(pub Arc<Tools>);

impl HostFactory for Hosts {
    fn host(&self, _: &Pinned) -> Arc<dyn ToolHost> {
        Arc::new(Host(self.0.clone()))
    }

    fn web_search(&self) -> Pin<Box<dyn Future<Output = WebSearchUse> + Send + '_>> {
        let missing = self.0.no_web.load(Ordering::SeqCst);
        Box::pin(std::future::ready(match (missing, self.0.locked.load(Ordering::SeqCst)) {
            (_, true) => WebSearchUse::Locked,
            (true, false) => WebSearchUse::Missing,
            (false, false) => WebSearchUse::Ready,
        }))
    }
}

struct Host(Arc<Tools>);

struct UnderWay(Arc<Tools>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait::async_trait]
impl ToolHost for Host {
    async fn prepare(&self, slugs: &[String]) -> BTreeMap<String, Problem> {
        let broken = self.0.broken.lock().unwrap();
        slugs.iter().filter_map(|slug| Some((slug.clone(), broken.get(slug)?.clone()))).collect()
    }

    async fn call(
        &self,
        source: &str,
        tool: &str,
        args: Value,
        _: Duration,
        _: CancellationToken,
    ) -> Result<Value, ToolFailure> {
        let asked = Asked { source: source.to_owned(), tool: tool.to_owned(), args };
        self.0.under_way.fetch_add(1, Ordering::SeqCst);
        let _under_way = UnderWay(self.0.clone());
        let act = {
            let mut handler = self.0.handler.lock().unwrap();
            self.0.asked.lock().unwrap().push(asked.clone());
            handler(&asked)
        };
        match act {
            Act::Give(value) => Ok(value),
            Act::Fail(problem, retryable) => Err(ToolFailure { problem, retryable, unsure: false }),
            Act::BreakOff => {
                let problem = Problem::new(ErrorCode::Source, "the connection broke off");
                Err(ToolFailure { problem, retryable: true, unsure: true })
            }
            Act::Hang => std::future::pending().await,
        }
    }

    async fn close(&self) {
        self.0.closed.fetch_add(1, Ordering::SeqCst);
    }
}
