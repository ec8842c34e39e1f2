//! Messages, turns and runs: what begins them, what they are shown as, and [`Chat`], the host that the engine's turns need.
//!
//! [`Chat`] puts a turn's tools and instructions together, has calls decided on at the gate, and learns when a turn has left
//! the engine, so that the next message in the queue begins. [`Conversations`] carries the commands out.

mod agent;
mod asker;
mod attachments;
mod conversation;
mod documents;
mod export;
mod folders;
mod globs;
mod help_tool;
mod host;
mod messages;
mod missions;
mod palette;
mod prompt;
mod prompt_view;
mod queue;
mod runs;
mod session;
mod session_tools;
mod skill_edit;
mod skill_tool;
mod skills;
mod surroundings;
mod task_runs;
mod task_tools;
mod titles;
mod undo;
mod unfinished;

use std::sync::Arc;

use connections::Connections;
use environment::Environment;
use gate::Permissions;
use library::Library;
use sessions::Sessions;
use source_tools::Sources;

pub use export::decisions;
pub use host::Chat;
pub use queue::follow;
pub use skill_edit::skill_try;
pub use skills::{help_list, help_show};

/// The commands on messages, turns and runs.
#[derive(Clone)]
pub struct Conversations {
    env: Environment,
    chat: Arc<Chat>,
    permissions: Permissions,
    connections: Connections,
    library: Library,
    sessions: Sessions,
    sources: Sources,
}

/// What conversations are made of in a workspace.
pub struct Parts {
    /// What every service works with.
    pub env: Environment,
    /// The engine's host.
    pub chat: Arc<Chat>,
    /// Rules, grants and automations.
    pub permissions: Permissions,
    /// Connections.
    pub connections: Connections,
    /// Knowledge bases.
    pub library: Library,
    /// The session list.
    pub sessions: Sessions,
    /// Sources.
    pub sources: Sources,
}

impl Conversations {
    /// Of an environment's workspace.
    pub fn new(parts: Parts) -> Self {
        let Parts { env, chat, permissions, connections, library, sessions, sources } = parts;
        Self { env, chat, permissions, connections, library, sessions, sources }
    }

    /// The same in another workspace.
    pub(crate) fn in_workspace(&self, workspace: &str) -> Self {
        self.within(self.env.in_workspace(workspace))
    }

    /// The same in another environment.
    pub fn within(&self, env: Environment) -> Self {
        Self {
            chat: self.chat.clone(),
            permissions: self.permissions.within(env.clone()),
            connections: self.connections.within(env.clone()),
            library: self.library.within(env.clone()),
            sessions: self.sessions.within(env.clone()),
            sources: self.sources.within(env.clone()),
            env,
        }
    }

    /// Gives this again for as long as the engine is kept by somebody else.
    pub fn downgrade(&self) -> impl Fn() -> Option<Self> + Send + Sync + 'static + use<> {
        let (env, chat) = (self.env.downgrade(), Arc::downgrade(&self.chat));
        let (permissions, sessions) = (self.permissions.downgrade(), self.sessions.downgrade());
        let (registry, library) = (self.connections.registry().clone(), self.library.state().clone());
        let sources = self.sources.downgrade();
        move || {
            let env = env()?;
            Some(Self {
                chat: chat.upgrade()?,
                permissions: permissions()?,
                connections: Connections::new(env.clone(), registry.clone()),
                library: Library::new(env.clone(), library.clone()),
                sessions: sessions()?,
                sources: sources()?,
                env,
            })
        }
    }
}
