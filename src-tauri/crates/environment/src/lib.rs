//! What every service works with: [`Environment`] holds the data directory, its database, the engine, what surfaces are told,
//! jobs, locks, the files that a person edits, and the workspace that a command is for.
//!
//! A command is for one workspace: the one that its sender names, else the person's current one; a command on a session is
//! for the session's own. [`Environment::here`] settles that once, and everything below asks [`Environment::files`].
//!
//! Architecture invariant: no service knows another one through here.

mod agent_edit;
mod agents;
mod diagrams;
mod jobs;
mod locks;
mod picture;
mod stale_answers;
mod stream;
mod tasks;
mod themes;
mod watch;
mod workspace_edit;
mod workspaces;

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::{ConfigStore, SettingsFile};
use domain::{ErrorCode, Problem};
use engine::Engine;
use protocol::{JobKind, JobState, Settings, SettingsPatch};
use serde_json::Value;
use store::{BlobHash, Store};
use support::blocking;

pub use agents::{asks_attached, depths, documents_input, file_problems, is_named_by};
pub use diagrams::Diagrams;
pub use jobs::{Jobs, Step};
pub use locks::{ScopeGuard, ScopeLocks};
pub use picture::data_url;
pub use stale_answers::{StaleAnswer, StaleAnswers, StaleAnswersFile};
pub use stream::{QUEUE, Stream};
pub use tasks::Tasks;
pub use themes::read as read_theme;
pub use watch::FileWatch;
pub use workspaces::{config_of, config_problems_of, labels_file, setup_of, statuses_file, views_file};

/// What every service works with. Cheap to clone.
#[derive(Clone)]
pub struct Environment {
    shared: Arc<Shared>,
    /// The slug of the workspace that a command is for; empty: the person's current one.
    workspace: String,
}

/// What the environments of all workspaces share.
pub struct Shared {
    /// The engine.
    pub engine: Arc<Engine>,
    /// The data directory.
    pub home: PathBuf,
    /// This program: guard of children and our own servers.
    pub program: PathBuf,
    /// What surfaces are told without asking.
    pub stream: Stream,
    /// Diagrams that pages check.
    pub diagrams: Diagrams,
    /// What keeps commands of one scope from running at once.
    pub locks: ScopeLocks,
    /// Long work outside of runs.
    pub jobs: Jobs,
    /// What is done in the background while the program runs.
    pub tasks: Tasks,
    /// Files that a person edits.
    pub config: ConfigStore,
    /// What a person set.
    pub settings: SettingsFile,
    /// Answers that rest on text which a base no longer has.
    pub stale_answers: StaleAnswersFile,
    file_watch: FileWatch,
}

impl Deref for Environment {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

impl Environment {
    /// Around an engine over a data directory.
    pub fn new(engine: Arc<Engine>, home: &Path, program: &Path, config: ConfigStore) -> Self {
        let stream = Stream::default();
        let shared = Shared {
            engine,
            home: home.to_owned(),
            program: program.to_owned(),
            diagrams: Diagrams::new(stream.clone()),
            stream,
            locks: ScopeLocks::default(),
            jobs: Jobs::default(),
            tasks: Tasks::default(),
            settings: SettingsFile::new(&config),
            config,
            stale_answers: StaleAnswersFile::new(home),
            file_watch: FileWatch::default(),
        };
        Self { shared: Arc::new(shared), workspace: String::new() }
    }

    /// The database.
    pub fn store(&self) -> &Store {
        &self.engine.parts().store
    }

    /// A stored value.
    pub async fn value(&self, digest: domain::Digest) -> Result<Value, Problem> {
        let bytes = self.store().get_blob(BlobHash::from_bytes(digest.0)).await?;
        serde_json::from_slice(&bytes).map_err(|error| Problem::new(ErrorCode::Corrupt, error.to_string()))
    }

    /// A session's folder. Nothing for an id that could name any other place.
    pub fn session_folder(&self, session: &str) -> Option<PathBuf> {
        support::is_session_id(session).then(|| self.home.join("sessions").join(session))
    }

    /// Gives this again for as long as somebody else keeps it.
    pub fn downgrade(&self) -> impl Fn() -> Option<Self> + Send + Sync + 'static + use<> {
        let (shared, workspace) = (Arc::downgrade(&self.shared), self.workspace.clone());
        move || Some(Self { shared: shared.upgrade()?, workspace: workspace.clone() })
    }

    /// What a person set.
    pub async fn settings_show(&self) -> Result<Settings, Problem> {
        let settings = self.settings.clone();
        blocking(move || Ok(settings.read().0)).await
    }

    /// Changes it.
    pub async fn settings_update(&self, patch: SettingsPatch) -> Result<Settings, Problem> {
        let settings = self.settings.clone();
        blocking(move || settings.update(patch)).await
    }

    /// Lists a job of the workspace that this is for.
    ///
    /// # Errors
    /// `Busy` when the subject is being worked on in the workspace, or too many jobs are under way.
    pub fn begin_job(&self, kind: JobKind, subject: String) -> Result<Step, Problem> {
        self.jobs.begin(kind, self.slug(), subject, &self.stream)
    }

    /// The jobs of the workspace that this is for, newest first.
    pub fn job_list(&self) -> Vec<JobState> {
        self.jobs.list(self.slug())
    }

    /// Asks one of them to stop.
    ///
    /// # Errors
    /// `NotFound`; `Conflict` where it has ended.
    pub fn job_cancel(&self, job: &str) -> Result<(), Problem> {
        self.jobs.cancel(self.slug(), job)
    }

    /// Ends the watch over files and all jobs.
    pub async fn quiet(&self) {
        self.file_watch.end();
        self.jobs.end().await;
    }
}
