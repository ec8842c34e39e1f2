//! What happens by itself: [`Scheduler`] listens to what turns, runs and commands do and to the clock, and carries out what
//! the automations of a workspace say: prompts, runs, commands and webhooks. What may veto is asked at the gate.
//!
//! Architecture invariant: nothing of an automation is carried out but what the person enabled, as they saw it: the digest
//! is kept in the database, never in the file.

mod executor;
mod files;
mod listener;
mod rows;
mod ticker;
mod webhook;

use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use connections::ConnectionRegistry;
use domain::{ErrorCode, Problem};
use environment::Environment;
use gate::Permissions;
use protocol::{Request, Response};

pub use listener::PreviousSessions;

/// The answer to a command.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<Response, Problem>> + Send + 'a>>;

type ActionFuture = dyn Fn(String, Request) -> Answer<'static> + Send + Sync;

/// Carries commands out, as any surface has them carried out. Who does so is known later than who asks.
#[derive(Clone, Default)]
pub struct CommandRunner(Arc<OnceLock<Box<ActionFuture>>>);

impl CommandRunner {
    /// Says who carries commands out, by workspace.
    pub fn set(&self, carry: impl Fn(String, Request) -> Answer<'static> + Send + Sync + 'static) {
        let _ = self.0.set(Box::new(carry));
    }

    /// Carries a command out in a workspace.
    pub(crate) fn call(&self, workspace: &str, request: Request) -> Answer<'static> {
        match self.0.get() {
            Some(carry) => carry(workspace.to_owned(), request),
            None => Box::pin(async {
                Err(Problem::new(ErrorCode::Internal, "commands can't be carried out yet"))
            }),
        }
    }
}

/// Automations of a workspace: the commands on them, and what carries them out.
#[derive(Clone)]
pub struct Scheduler {
    env: Environment,
    permissions: Permissions,
    registry: Arc<ConnectionRegistry>,
    call: CommandRunner,
}

impl Scheduler {
    /// Of an environment's workspace.
    pub fn new(
        env: Environment,
        permissions: Permissions,
        registry: Arc<ConnectionRegistry>,
        call: CommandRunner,
    ) -> Self {
        Self { env, permissions, registry, call }
    }

    /// The same in another environment.
    pub fn within(&self, env: Environment) -> Self {
        Self::new(env.clone(), self.permissions.within(env), self.registry.clone(), self.call.clone())
    }

    /// Gives this again for as long as the engine is kept by somebody else.
    pub fn downgrade(&self) -> impl Fn() -> Option<Self> + Send + Sync + 'static + use<> {
        let (env, permissions) = (self.env.downgrade(), self.permissions.downgrade());
        // Whoever carries commands out may keep this.
        let (registry, call) = (self.registry.clone(), Arc::downgrade(&self.call.0));
        move || {
            Some(Self {
                env: env()?,
                permissions: permissions()?,
                registry: registry.clone(),
                call: CommandRunner(call.upgrade()?),
            })
        }
    }

    /// The same in another workspace.
    pub(crate) fn in_workspace(&self, workspace: &str) -> Self {
        self.within(self.env.in_workspace(workspace))
    }

    /// Listens to what happens and looks at the clock, as long as a window or a server is open. A second call changes
    /// nothing.
    pub fn begin(&self) {
        let automations = self.permissions.gate().automations();
        let Some(events) = automations.hearing.lock().take() else { return };
        automations.awake.store(true, Ordering::Relaxed);
        let tasks = [
            tokio::spawn(listener::run_listener(self.clone(), events)),
            tokio::spawn(listener::follow(self.clone())),
            tokio::spawn(ticker::run_scheduler(self.clone())),
        ];
        automations.tasks.lock().extend(tasks);
    }
}
