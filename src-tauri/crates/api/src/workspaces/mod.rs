//! Workspaces: each has its own agents, sources, skills, rules, statuses, labels and views; connections, the vault and
//! knowledge are common.
//!
//! A command is for one workspace: the one that its sender names, else the person's current one; a command on a session is
//! for the session's own. [`Local::here`] settles that once, and everything below asks [`Local::files`].

mod editing;
mod good;
mod keeping;
mod live;
mod part;
mod watching;

use domain::{ErrorCode, Problem, SessionSetup};
use workspace::{
    DEFAULT_WORKSPACE, Workspace, WorkspaceDefaults, parse_workspace_config, places, registered,
};

use crate::chat::SourceTools;
use crate::desk::aside;
use crate::local::Local;
use crate::request::Request;
use crate::response::Response;
use crate::wire::{TurnSend, WorkspaceDefaultsView, WorkspaceRow};

pub(crate) use good::LastGood;
pub(crate) use keeping::{labels, statuses, views};
pub(crate) use live::{Current, FileChange, Live, Stamp};
pub(crate) use part::Part;
pub(crate) use watching::FileWatch;

impl Local {
    /// The same for commands on another workspace; empty: on the person's current one.
    pub fn of(&self, workspace: &str) -> Self {
        Self { workspace: workspace.to_owned(), ..self.clone() }
    }

    /// The files of the workspace that this is for.
    pub(crate) fn files(&self) -> Workspace {
        Workspace::named(&self.home, self.slug())
    }

    /// The workspace's slug.
    pub(crate) fn slug(&self) -> &str {
        if self.workspace.is_empty() { DEFAULT_WORKSPACE } else { &self.workspace }
    }

    /// Its slug as it is kept where nothing means the default one.
    pub(crate) fn kept_slug(&self) -> String {
        if self.slug() == DEFAULT_WORKSPACE { String::new() } else { self.slug().to_owned() }
    }

    /// For the workspace that a command is for.
    pub(crate) async fn here(&self, asked: Option<String>, request: &Request) -> Result<Self, Problem> {
        if let Some(session) = session_of(request)
            && let Some(slug) = self.store().session_workspace(session).await?
        {
            return Ok(self.of(&slug));
        }
        let asked = asked.filter(|slug| !slug.is_empty()).or_else(|| {
            let own = &self.workspace;
            (!own.is_empty()).then(|| own.clone())
        });
        let slug = match asked {
            None => self.current_workspace(),
            Some(slug) if self.is_there(&slug) => slug,
            Some(slug) => return Err(self.unknown(&slug)),
        };
        Ok(self.of(&slug))
    }

    /// The person's current workspace; the default one where that is gone.
    pub(crate) fn current_workspace(&self) -> String {
        let set = self.desk.settings.read().0.workspace;
        if self.is_there(&set) { set } else { DEFAULT_WORKSPACE.to_owned() }
    }

    fn is_there(&self, slug: &str) -> bool {
        slug == DEFAULT_WORKSPACE
            || (workspace::is_workspace_slug(slug)
                && (self.home.join("workspaces").join(slug).is_dir()
                    || registered(&self.home).is_ok_and(|folders| folders.contains_key(slug))))
    }

    fn unknown(&self, slug: &str) -> Problem {
        let known: Vec<String> = places(&self.home).into_iter().map(|place| place.slug).collect();
        Problem::new(
            ErrorCode::NotFound,
            format!("there is no workspace {slug:?}; there are {}", known.join(", ")),
        )
    }

    /// Sources of the workspace.
    pub(crate) fn sources(&self) -> SourceTools {
        self.chat.sources().of(self.slug())
    }

    /// What a new session in the workspace begins with.
    pub(crate) async fn new_setup(&self) -> Result<SessionSetup, Problem> {
        let (defaults, workspace) = (self.defaults().await?, self.slug().to_owned());
        aside(move || Ok(SessionSetup { workspace, ..setup_of(&defaults) })).await
    }

    /// What the workspace's file says of new sessions.
    pub(crate) async fn defaults(&self) -> Result<WorkspaceDefaults, Problem> {
        let (live, file) = (self.desk.live.clone(), self.files().root().join(workspace::WORKSPACE_FILE));
        aside(move || {
            let config = live.current(&file, parse_workspace_config).value;
            Ok(config.map(|config| config.defaults.clone()).unwrap_or_default())
        })
        .await
    }

    /// Carries out a command of this module.
    pub(crate) async fn at_workspaces(&self, request: Request) -> Result<Response, Problem> {
        let row = |row: WorkspaceRow| Response::Workspace(Box::new(row));
        match request {
            Request::WorkspaceList => self.workspace_list().await.map(Response::Workspaces),
            Request::WorkspaceCreate(create) => self.workspace_create(create).await.map(row),
            Request::WorkspaceUpdate(update) => self.workspace_update(update).await.map(row),
            Request::WorkspaceOpenFolder(folder) => self.workspace_open_folder(folder).await.map(row),
            Request::WorkspaceRemove(remove) => {
                self.workspace_remove(remove).await.map(Response::WorkspaceRemoved)
            }
            Request::WorkspaceRestore(restore) => self.workspace_restore(&restore.trash).await.map(row),
            Request::SessionMove(to) => self.session_move(to).await.map(|()| Response::Done),
            Request::ConfigProblems => self.config_problems().await.map(Response::ConfigProblems),
            other => {
                Err(Problem::new(ErrorCode::Internal, format!("nobody carries out {}", other.command().name)))
            }
        }
    }
}

/// What a new session begins with by a workspace's defaults.
fn setup_of(defaults: &WorkspaceDefaults) -> SessionSetup {
    SessionSetup {
        mode: defaults.permission_mode.unwrap_or_default(),
        sources: defaults.sources.clone().unwrap_or_default(),
        effort: defaults.thinking_level.and_then(workspace::Thinking::effort),
        folders: defaults.working_directory.as_deref().and_then(folder_of).into_iter().collect(),
        ..SessionSetup::default()
    }
}

/// A folder as a person writes it, where it is there.
fn folder_of(text: &str) -> Option<String> {
    let path = match (text.strip_prefix('~'), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
        _ => std::path::PathBuf::from(text),
    };
    let real = path.canonicalize().ok().filter(|real| path.is_absolute() && real.is_dir())?;
    real.into_os_string().into_string().ok().filter(|real| real != "/")
}

/// The session that a command is on.
fn session_of(request: &Request) -> Option<&str> {
    match request {
        Request::RunStart(start) => start.session.as_deref(),
        Request::TurnSend(send) => {
            let TurnSend { session, .. } = &**send;
            session.as_deref()
        }
        Request::SessionShow { session, .. }
        | Request::SessionExport { session, .. }
        | Request::SessionSetup { session, .. }
        | Request::SessionCompact { session }
        | Request::QueueChange { session, .. }
        | Request::PlanSubmit { session, .. } => Some(session),
        Request::MentionComplete { session, .. }
        | Request::SkillList { session }
        | Request::SkillShow { session, .. }
        | Request::PromptShow { session, .. } => session.as_deref(),
        _ => None,
    }
}

/// Defaults as surfaces see them.
fn view(defaults: &WorkspaceDefaults) -> WorkspaceDefaultsView {
    WorkspaceDefaultsView {
        connection: defaults.connection.clone(),
        model: defaults.model.clone(),
        mode: defaults.permission_mode,
        sources: defaults.sources.clone(),
        folder: defaults.working_directory.clone(),
        effort: defaults.thinking_level.and_then(workspace::Thinking::effort),
    }
}
