//! The session list: what it holds and in which groups, statuses, labels and views, search, drafts, and the trash.
//!
//! What the files of a workspace say of statuses, labels and views is asked of the database; the language of views is in the
//! crate `organise`.

mod columns;
mod drafts;
mod edit;
mod excerpt;
mod groups;
mod index;
mod labels;
mod list;
mod lists;
mod purge;
mod search;
pub mod shares;
mod slip;
mod suspension;

use std::sync::Arc;

use connections::ConnectionRegistry;
use environment::Environment;
use gate::Permissions;
use source_tools::Sources;

pub use columns::{effective, mode_of};
pub use list::{ENDED, WAITING, of_view, row};
pub use lists::{Lists, LoadedList, rule_try};
pub use purge::PurgeOutcome;
pub use suspension::suspension;

/// The commands on the session list.
#[derive(Clone)]
pub struct Sessions {
    env: Environment,
    permissions: Permissions,
    registry: Arc<ConnectionRegistry>,
    sources: Sources,
}

impl Sessions {
    /// Of an environment's workspace.
    pub fn new(
        env: Environment,
        permissions: Permissions,
        registry: Arc<ConnectionRegistry>,
        sources: Sources,
    ) -> Self {
        Self { env, permissions, registry, sources }
    }

    /// The same in another environment.
    pub fn within(&self, env: Environment) -> Self {
        Self::new(
            env.clone(),
            self.permissions.within(env.clone()),
            self.registry.clone(),
            self.sources.within(env),
        )
    }

    /// Gives this again for as long as the engine is kept by somebody else.
    pub fn downgrade(&self) -> impl Fn() -> Option<Self> + Send + Sync + 'static + use<> {
        let (env, permissions, sources) =
            (self.env.downgrade(), self.permissions.downgrade(), self.sources.downgrade());
        let registry = self.registry.clone();
        move || {
            Some(Self {
                env: env()?,
                permissions: permissions()?,
                registry: registry.clone(),
                sources: sources()?,
            })
        }
    }
}
