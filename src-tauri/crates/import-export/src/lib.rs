//! Sessions on their way out and in, pages that others may read, and capsules: runs with their evidence.

mod bundle_import;
mod bundles;
mod capsule;
mod closing_events;
mod commits;
mod export;
mod files;
mod import;
mod imported_session;
mod placement;
mod preview;
mod programs;
mod references;
mod renewal;
mod research;
mod session_names;
mod session_sink;
mod share;
mod transcript;
mod turns;

pub use capsule::verify as verify_capsule;

use std::collections::VecDeque;
use std::sync::Arc;

use connections::ConnectionRegistry;
use conversations::Conversations;
use domain::{ErrorCode, Problem};
use environment::Environment;
use parking_lot::Mutex;
use protocol::ImportDone;
use sessions::Sessions;

/// Imports whose outcome can still be asked for.
const KEPT: usize = 20;

/// How imports ended, by job.
#[derive(Debug, Default)]
pub struct Outcomes(Mutex<VecDeque<(String, ImportDone)>>);

impl Outcomes {
    fn keep(&self, job: String, done: ImportDone) {
        let mut all = self.0.lock();
        all.push_back((job, done));
        while all.len() > KEPT {
            all.pop_front();
        }
    }

    /// How one ended.
    pub fn outcome(&self, job: &str) -> Result<ImportDone, Problem> {
        let all = self.0.lock();
        let found = all.iter().find(|(known, _)| known == job).map(|(_, done)| done.clone());
        found.ok_or_else(|| {
            Problem::new(ErrorCode::NotFound, "that import has not ended, or is not known")
                .with_action("list the jobs to see how it stands")
        })
    }
}

/// Exports, shared pages and imports of a workspace.
#[derive(Clone)]
pub struct ImportExport {
    env: Environment,
    registry: Arc<ConnectionRegistry>,
    sessions: Sessions,
    conversations: Conversations,
    /// How imports ended.
    outcomes: Arc<Outcomes>,
}

impl ImportExport {
    /// Of an environment's workspace.
    pub fn new(
        env: Environment,
        registry: Arc<ConnectionRegistry>,
        sessions: Sessions,
        conversations: Conversations,
    ) -> Self {
        Self { env, registry, sessions, conversations, outcomes: Arc::default() }
    }

    /// The same in another environment.
    pub fn within(&self, env: Environment) -> Self {
        Self {
            registry: self.registry.clone(),
            sessions: self.sessions.within(env.clone()),
            conversations: self.conversations.within(env.clone()),
            outcomes: self.outcomes.clone(),
            env,
        }
    }

    /// Gives this again for as long as the engine is kept by somebody else.
    pub fn downgrade(&self) -> impl Fn() -> Option<Self> + Send + Sync + 'static + use<> {
        let (env, sessions, conversations) =
            (self.env.downgrade(), self.sessions.downgrade(), self.conversations.downgrade());
        let (registry, outcomes) = (self.registry.clone(), self.outcomes.clone());
        move || {
            Some(Self {
                env: env()?,
                registry: registry.clone(),
                sessions: sessions()?,
                conversations: conversations()?,
                outcomes: outcomes.clone(),
            })
        }
    }

    /// How an import ended.
    pub fn import_show(&self, job: &str) -> Result<ImportDone, Problem> {
        self.outcomes.outcome(job)
    }
}
