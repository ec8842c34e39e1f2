//! The gate: every call of a tool goes through [`Gate::authorize`], whoever makes it: a model in a turn, a stage of a run, an
//! automation, the person by hand or through another program. Mode, deny rules and grants decide (crates `access` and
//! `permissions`), then automations may veto, and what came of it stands in the audit.
//!
//! Architecture invariant: nobody calls a tool without having asked here.

mod authorize;
mod automations;
mod clock;
mod command;
mod occurrence;
mod permissions;
mod stages;
mod veto;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use access::Decisions;
use config::ConfigStore;
use domain::{ErrorCode, Problem, SessionId, SessionSetup};
use engine::turn::TurnScope;
use environment::Environment;
use source_tools::SourceTools;
use store::Store;
use support::blocking;
use tokio::sync::OnceCell;
use tools::shell::{DenyRead, Shells};
use tools::{CallContext, confine};

pub use authorize::{Caller, refused};
pub use automations::{Automations, Digests, LoadedAutomations, WorkspaceEvent, parse, zone};
pub use clock::Clock;
pub use occurrence::{clipped, facts, short};
pub use veto::{is_no_wider, named, vetoed, what};

/// Decides on calls, for the whole program.
pub struct Gate {
    home: PathBuf,
    program: PathBuf,
    store: Store,
    sources: SourceTools,
    automations: Automations,
    /// Made when it is first needed: whether commands can be confined takes a trial, which most commands of a terminal
    /// need not wait for.
    runtime: OnceCell<ToolRuntime>,
}

/// What decides, and what runs commands.
pub struct ToolRuntime {
    /// By mode, rules and grants.
    pub decisions: Arc<Decisions>,
    /// Commands, confined where they can be.
    pub shells: Shells,
    /// Which files rules keep from being listed, searched and read.
    pub hidden: tools::Hidden,
}

/// The commands on rules, grants and the audit, in a workspace.
#[derive(Clone)]
pub struct Permissions {
    env: Environment,
    gate: Arc<Gate>,
}

impl Permissions {
    /// At the gate.
    pub fn new(env: Environment, gate: Arc<Gate>) -> Self {
        Self { env, gate }
    }

    /// The same in another environment.
    pub fn within(&self, env: Environment) -> Self {
        Self::new(env, self.gate.clone())
    }

    /// Gives this again for as long as the engine is kept by somebody else.
    pub fn downgrade(&self) -> impl Fn() -> Option<Self> + Send + Sync + 'static + use<> {
        let (env, gate) = (self.env.downgrade(), Arc::downgrade(&self.gate));
        move || Some(Self { env: env()?, gate: gate.upgrade()? })
    }

    /// The gate itself.
    pub fn gate(&self) -> &Arc<Gate> {
        &self.gate
    }
}

impl Gate {
    /// Over a data directory.
    pub fn new(
        home: &Path,
        program: &Path,
        store: Store,
        sources: SourceTools,
        config: &ConfigStore,
    ) -> Self {
        let automations = Automations::new(home, store.clone(), config);
        let (home, program) = (home.to_owned(), program.to_owned());
        Self { home, program, store, sources, automations, runtime: OnceCell::new() }
    }

    /// What decides; the first call tries whether commands can be confined here.
    pub async fn runtime(&self) -> Result<&ToolRuntime, Problem> {
        let make = || async {
            let confinement = blocking(|| Ok(confine::available())).await?;
            let config = self.automations.config().clone();
            let decisions =
                Arc::new(Decisions::new(self.store.clone(), &self.home, config, confinement.clone()));
            let barred = decisions.clone();
            let deny_read =
                DenyRead(Arc::new(move |at: &CallContext| barred.denied_paths(&at.session, &at.folders)));
            let shells = Shells::new(tools::shell::Setup {
                guard: self.program.clone(),
                data: self.home.clone(),
                search_path: None,
                deny_read: Some(deny_read),
                confinement: confinement.clone(),
            });
            shells.await_search_path(self.sources.search_path());
            let hidden: tools::Hidden = {
                let decisions = decisions.clone();
                Arc::new(move |at: &CallContext, path: &Path| {
                    decisions.is_denied(&at.session, &at.folders, path)
                })
            };
            self.sources.hide(hidden.clone());
            Ok(ToolRuntime { decisions, shells, hidden })
        };
        self.runtime.get_or_try_init(make).await
    }

    /// Commands in the background, where any were ever run.
    pub fn shells(&self) -> Option<&Shells> {
        self.runtime.get().map(|runtime| &runtime.shells)
    }

    /// The data directory.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Automations.
    pub fn automations(&self) -> &Automations {
        &self.automations
    }

    /// Tools of sources.
    pub fn sources(&self) -> &SourceTools {
        &self.sources
    }

    /// What a session is set to.
    pub async fn setup(&self, session: &SessionId) -> Result<SessionSetup, Problem> {
        let kept = self.store.session_setup(&session.0).await?.unwrap_or_default();
        let mut setup = match kept.is_empty() {
            true => SessionSetup::default(),
            false => serde_json::from_str(&kept)
                .map_err(|error| Problem::new(ErrorCode::Corrupt, error.to_string()))?,
        };
        setup.workspace = self.store.session_workspace(&session.0).await?.unwrap_or_default();
        Ok(setup)
    }

    /// Where a call is made.
    pub fn call_context(&self, scope: &TurnScope, setup: &SessionSetup, call: &str) -> CallContext {
        CallContext {
            session: scope.session.0.clone(),
            run: scope.run.0.clone(),
            call: call.to_owned(),
            mode: setup.mode,
            folders: scope.folders_or(&setup.folders).iter().map(PathBuf::from).collect(),
            own: self.home.join("sessions").join(&scope.session.0),
        }
    }

    /// Ends automations, commands and sources.
    pub async fn close(&self) {
        self.automations.end();
        if let Some(shells) = self.shells() {
            shells.close().await;
        }
        self.sources.close().await;
    }
}
