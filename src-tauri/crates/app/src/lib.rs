//! The program without a surface: [`Local`] puts the services together in this process and carries commands out, [`Remote`]
//! has them carried out by the instance that holds the data directory; [`AnyClient`] is whichever it is, [`Host`] whichever it is
//! at the moment. The commands and their types are in the crate `protocol`.
//!
//! Architecture invariant: nothing here renders or knows a transport, and no service is in here.

mod batches;
pub mod check;
mod dispatch;
mod host;
mod info;
mod instance;
mod local;
#[cfg(test)]
mod queue_tests;
#[cfg(test)]
mod schedule_tests;

pub use backup::{repair_closed, restore_closed};
pub use batches::Batches;
pub use config::home;
pub use engine::mission;
pub use engine::{
    Answered, Exit, Form, FormChoice, FormKind, PausePolicy, RepeatedRun, Replay, Reply, StartRun, UiEvent,
    UiKind, turn,
};
pub use host::Host;
pub use import_export::verify_capsule;
pub use instance::{Instance, Remote};
pub use library::{bases, corpus, recheck_answer, removable};
pub use local::{Local, Options};
pub use protocol::{
    ApiEvent, ClientCommand, Hidden, Request, Response, RunFound, RunKind, RunRef, RunState, Scope, Tag,
};
pub use sessions::shares;
pub use support::Token;

use domain::{ErrorCode, Problem};
use tokio::sync::broadcast;

/// How long the process that holds the data directory may neither answer nor leave.
const TAKE_OVER: std::time::Duration = std::time::Duration::from_secs(10);

/// The api, wherever the engine is.
#[derive(Clone)]
#[expect(clippy::large_enum_variant, reason = "a process holds few of them")]
pub enum AnyClient {
    /// In this process.
    Local(Local),
    /// In the process that holds the data directory.
    Remote(Remote),
}

impl AnyClient {
    /// Opens the data directory, or connects to the instance that holds it. The second value keeps this process
    /// reachable for others while it lives.
    pub fn open(options: Options) -> protocol::PendingAnswer<'static, (Self, Option<Instance>)> {
        Box::pin(Self::open_inner(options))
    }

    async fn open_inner(options: Options) -> Result<(Self, Option<Instance>), Problem> {
        let home = options.home.clone();
        let end = tokio::time::Instant::now() + TAKE_OVER;
        loop {
            match Local::open(options.clone()).await {
                Ok(local) => {
                    let instance = Instance::listen(local.clone()).await?;
                    return Ok((Self::Local(local), Some(instance)));
                }
                Err(busy) if busy.code == ErrorCode::Busy => {}
                Err(problem) => return Err(problem),
            }
            match Remote::connect(&home).await {
                Ok(remote) => return Ok((Self::Remote(remote), None)),
                Err(problem) if tokio::time::Instant::now() >= end => return Err(problem),
                // It may be between taking the directory and announcing itself, or about to leave.
                Err(_) => tokio::time::sleep(std::time::Duration::from_millis(25)).await,
            }
        }
    }

    /// Carries out a command.
    pub async fn call(&self, request: Request) -> Result<Response, Problem> {
        match self {
            Self::Local(local) => local.call(request).await,
            Self::Remote(remote) => remote.call(request).await,
        }
    }

    /// The same for commands on another workspace; without one on the person's current one.
    pub fn in_workspace(&self, workspace: Option<String>) -> Self {
        match self {
            Self::Local(local) => Self::Local(local.in_workspace(workspace.as_deref().unwrap_or_default())),
            Self::Remote(remote) => Self::Remote(remote.in_workspace(workspace)),
        }
    }

    /// Whether another process has the engine.
    pub fn is_remote(&self) -> bool {
        matches!(self, Self::Remote(_))
    }

    /// Tells of everything from now on.
    pub fn events(&self) -> broadcast::Receiver<ApiEvent> {
        match self {
            Self::Local(local) => local.events(),
            Self::Remote(remote) => remote.events(),
        }
    }

    /// Tells of everything in runs from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<UiEvent> {
        match self {
            Self::Local(local) => local.subscribe(),
            Self::Remote(remote) => remote.subscribe(),
        }
    }
}

impl protocol::Client for AnyClient {
    async fn call(&self, request: Request) -> Result<Response, Problem> {
        Self::call(self, request).await
    }
}
