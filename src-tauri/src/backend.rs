//! The core behind the window: opened beside the window's first paint, waited for by whoever calls it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use app::{ClientCommand, Host, Options};
use domain::{ErrorCode, Problem};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::watch;

/// How opening went; nothing while it goes on.
type Opened = Option<Result<Host, Problem>>;

/// The core, there or on its way.
pub struct Core {
    options: Options,
    opened: watch::Sender<Opened>,
    /// Sends events to the pages, by their window's label; a page that was loaded again replaces the one before.
    feeds: Mutex<BTreeMap<String, tokio::task::AbortHandle>>,
}

impl Core {
    /// A core that is not being opened yet.
    pub fn new(home: PathBuf) -> Result<Self, Problem> {
        let options = Options { program: program()?, home, providers: BTreeMap::new(), hosts: None };
        Ok(Self { options, opened: watch::Sender::new(None), feeds: Mutex::default() })
    }

    /// The data directory.
    pub fn home(&self) -> &Path {
        &self.options.home
    }

    /// Opens the data directory. Whoever waits is told how it went.
    pub async fn open(&self) {
        let started = std::time::Instant::now();
        let opened = Host::open(self.options.clone()).await;
        match &opened {
            Ok(_) => tracing::info!(ms = started.elapsed().as_millis(), "the core is open"),
            Err(problem) => {
                tracing::error!(code = ?problem.code, "the core did not open: {}", problem.message)
            }
        }
        self.opened.send_replace(Some(opened));
    }

    /// Opens it again after it failed; does nothing otherwise.
    pub async fn reopen(&self) {
        let failed = self.opened.send_if_modified(|opened| {
            let failed = matches!(opened, Some(Err(_)));
            if failed {
                *opened = None;
            }
            failed
        });
        if failed {
            self.open().await;
        }
    }

    /// The core, as soon as it is there.
    pub async fn host(&self) -> Result<Host, Problem> {
        let mut opened = self.opened.subscribe();
        let opened = opened.wait_for(Option::is_some).await.map_err(|_| gone())?;
        opened.clone().ok_or_else(gone)?
    }

    /// The core, where it is open.
    pub fn opened(&self) -> Option<Host> {
        self.opened.borrow().as_ref().and_then(|opened| opened.as_ref().ok().cloned())
    }

    /// The core for commands on a workspace.
    pub async fn host_of(&self, workspace: &str) -> Result<Host, Problem> {
        let workspace = Some(workspace.to_owned()).filter(|slug| !slug.is_empty());
        Ok(self.host().await?.in_workspace(workspace))
    }

    /// Carries out a command as a page sends it, and gives the answer's value.
    pub async fn call_json(&self, request: Value) -> Result<Value, Problem> {
        let ClientCommand { request, workspace } = ClientCommand::from_value(request)?;
        self.host().await?.call_in(workspace, request).await?.into_value()
    }

    /// Replaces the task that sends events to a window's page; without one nothing is sent any more.
    pub fn feed_with(&self, window: &str, task: Option<&tokio::task::JoinHandle<()>>) {
        let mut feeds = self.feeds.lock();
        let before = match task {
            Some(task) => feeds.insert(window.to_owned(), task.abort_handle()),
            None => feeds.remove(window),
        };
        if let Some(before) = before {
            before.abort();
        }
    }
}

fn gone() -> Problem {
    Problem::new(ErrorCode::Internal, "the core is not being opened")
        .with_action("close AgentNative and start it again")
}

/// What children are guarded by: the command-line program where it lies beside this one, since a process that links
/// WebKit takes fifty milliseconds merely to start.
fn program() -> Result<PathBuf, Problem> {
    let own = std::env::current_exe().map_err(|error| {
        Problem::new(ErrorCode::Internal, format!("this program can't find itself: {error}"))
    })?;
    let sibling = own.with_file_name(format!("agentnative{}", std::env::consts::EXE_SUFFIX));
    Ok(if sibling.is_file() { sibling } else { own })
}
