//! The command and event table that every surface shares.
//!
//! [`Request`] and [`Response`] are the table; [`Local`] carries commands out in this process, [`Remote`] in the instance
//! that holds the data directory; [`Surface`] is whichever it is, [`Host`] whichever it is at the moment. Events are
//! [`ApiEvent`]s; types for the wire are in [`wire`].
//!
//! Architecture invariant: no logic beyond a few lines a command; nothing here renders.

mod automation;
pub mod bases;
mod batches;
mod chat;
pub mod check;
mod connections;
pub mod corpus;
mod desk;
mod documents;
mod drafts;
mod exporting;
mod finding;
mod frame;
pub mod home;
mod host;
mod instance;
mod keeping;
mod local;
mod naming;
mod organise;
mod paragraphs;
mod purging;
mod recheck;
mod request;
mod response;
mod runs;
mod sessions;
mod stream;
mod table;
mod token;
pub mod transfer;
mod turns;
mod typescript;
pub mod wire;
mod workspaces;

pub use batches::Batches;
pub use engine::turn;
pub use engine::{Answered, Attend, Exit, Form, FormChoice, Reply, StartRun, UiEvent, UiKind};
pub use frame::{Asked, Frame, Hidden};
pub use host::Host;
pub use instance::{Instance, Remote};
pub use keeping::{repair_closed, restore_closed};
pub use local::{Local, Options};
pub use recheck::recheck_answer;
pub use request::Request;
pub use response::Response;
pub use table::{COMMANDS, Command, Scope};
pub use token::Token;
pub use typescript::typescript;
pub use wire::{ApiEvent, DocumentText, RunPage, RunRef, RunRow, RunState, StageRow, Tag};

use domain::{ErrorCode, Problem};
use tokio::sync::broadcast;

/// How long the process that holds the data directory may neither answer nor leave.
const TAKE_OVER: std::time::Duration = std::time::Duration::from_secs(10);

/// The api, wherever the engine is.
#[derive(Clone)]
pub enum Surface {
    /// In this process.
    Local(Local),
    /// In the process that holds the data directory.
    Remote(Remote),
}

impl Surface {
    /// Opens the data directory, or connects to the instance that holds it. The second value keeps this process
    /// reachable for others while it lives.
    pub async fn open(options: Options) -> Result<(Self, Option<Instance>), Problem> {
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
    pub fn of(&self, workspace: Option<String>) -> Self {
        match self {
            Self::Local(local) => Self::Local(local.of(workspace.as_deref().unwrap_or_default())),
            Self::Remote(remote) => Self::Remote(remote.of(workspace)),
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
