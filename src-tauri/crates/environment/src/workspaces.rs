//! The workspace that a command is for, the list of workspaces, and what is wrong with files that a person edits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use config::{ConfigStore, Part};
use domain::{ErrorCode, Problem, SessionSetup};
use permissions::Layer;
use protocol::{ConfigProblemRow, Request, WorkspaceDefaultsView, WorkspaceRow};
use support::blocking;
use workspace::{
    ConfigProblem, DEFAULT_WORKSPACE, RULES, WORKSPACE_FILE, Workspace, WorkspaceConfig, WorkspaceDefaults,
    WorkspaceEntry, folders_in_use, parse_connections, parse_labels, parse_registered, parse_rules,
    parse_statuses, parse_views, parse_workspace_config, registered, registered_file, workspace_entries,
};
use workspace_bases::WorkspaceBases;

use crate::Environment;

/// The most problems that are listed.
const MAX_PROBLEMS: usize = 200;

impl Environment {
    /// The same for commands on another workspace; empty: on the person's current one.
    pub fn in_workspace(&self, workspace: &str) -> Self {
        Self { workspace: workspace.to_owned(), ..self.clone() }
    }

    /// The files of the workspace that this is for.
    pub fn files(&self) -> Workspace {
        Workspace::named(&self.home, self.slug())
    }

    /// The knowledge bases of the workspace that this is for.
    pub fn bases(&self) -> WorkspaceBases {
        WorkspaceBases::new(&self.home, self.slug())
    }

    /// The workspace that lists are narrowed to; none while it is the only one: what belongs to no session any more is listed then,
    /// too.
    pub fn scope(&self) -> Option<String> {
        (workspace_entries(&self.home).len() > 1).then(|| self.slug().to_owned())
    }

    /// The workspace's slug.
    pub fn slug(&self) -> &str {
        if self.workspace.is_empty() { DEFAULT_WORKSPACE } else { &self.workspace }
    }

    /// Its slug as it is kept where nothing means the default one.
    pub fn stored_slug(&self) -> String {
        if self.slug() == DEFAULT_WORKSPACE { String::new() } else { self.slug().to_owned() }
    }

    /// For the workspace that a command is for.
    pub async fn for_request(&self, asked: Option<String>, request: &Request) -> Result<Self, Problem> {
        if let Some(session) = request.session()
            && let Some(slug) = self.store().session_workspace(session).await?
        {
            return Ok(self.in_workspace(&slug));
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
        Ok(self.in_workspace(&slug))
    }

    /// The person's current workspace; the default one where that is gone.
    pub fn current_workspace(&self) -> String {
        let set = self.settings.read().0.workspace;
        if self.is_there(&set) { set } else { DEFAULT_WORKSPACE.to_owned() }
    }

    /// Whether there is a workspace of this slug.
    pub fn is_there(&self, slug: &str) -> bool {
        slug == DEFAULT_WORKSPACE
            || (workspace::is_workspace_slug(slug)
                && (self.home.join("workspaces").join(slug).is_dir()
                    || folders_in_use(&self.home).contains_key(slug)))
    }

    /// The problem of a workspace that does not exist.
    pub fn unknown(&self, slug: &str) -> Problem {
        let known: Vec<String> = workspace_entries(&self.home).into_iter().map(|place| place.slug).collect();
        Problem::new(
            ErrorCode::NotFound,
            format!("there is no workspace {slug:?}; the workspaces are {}", known.join(", ")),
        )
    }

    /// What a new session in the workspace begins with.
    pub async fn new_setup(&self) -> Result<SessionSetup, Problem> {
        let (defaults, workspace) = (self.defaults().await?, self.slug().to_owned());
        blocking(move || Ok(SessionSetup { workspace, ..setup_of(&defaults) })).await
    }

    /// What the workspace's file says of new sessions.
    pub async fn defaults(&self) -> Result<WorkspaceDefaults, Problem> {
        let (live, file) = (self.config.clone(), self.files().root().join(workspace::WORKSPACE_FILE));
        blocking(move || {
            let config = live.current(&file, parse_workspace_config).value;
            Ok(config.map(|config| config.defaults.clone()).unwrap_or_default())
        })
        .await
    }

    /// Every workspace in the person's order.
    pub async fn workspace_list(&self) -> Result<Vec<WorkspaceRow>, Problem> {
        let counts: BTreeMap<String, u32> = self.store().sessions_by_workspace().await?.into_iter().collect();
        let (home, live, current) = (self.home.clone(), self.config.clone(), self.current_workspace());
        blocking(move || {
            let mut rows: Vec<(u32, WorkspaceRow)> = workspace_entries(&home)
                .into_iter()
                .map(|place| {
                    let config = config_of(&live, &place);
                    let mut row = row(&place, &config);
                    row.current = place.slug == current;
                    row.sessions = counts.get(&place.slug).copied().unwrap_or_default();
                    row.problems = u32::try_from(broken(&home, &live, &place).len()).unwrap_or(u32::MAX);
                    (config.order.unwrap_or(u32::MAX), row)
                })
                .collect();
            // A stable sort: those without a place stay by slug.
            rows.sort_by_key(|(order, _)| *order);
            Ok(rows.into_iter().map(|(_, row)| row).collect())
        })
        .await
    }

    /// One of them.
    pub async fn workspace_row(&self, slug: &str) -> Result<WorkspaceRow, Problem> {
        let rows = self.workspace_list().await?;
        rows.into_iter().find(|row| row.id == slug).ok_or_else(|| self.unknown(slug))
    }

    /// What is wrong with files that a person edits: those of the workspace and those of the whole program.
    pub async fn config_problems(&self) -> Result<Vec<ConfigProblemRow>, Problem> {
        let (home, live, settings) = (self.home.clone(), self.config.clone(), self.settings.clone());
        let own = self.slug().to_owned();
        blocking(move || {
            // Read once, so that they are among the files that are known; so are the connections.
            settings.read();
            live.current(&home.join("connections.json"), parse_connections);
            live.current(&registered_file(&home), parse_registered);
            let mut rows = config_problems_of(&home, &live);
            rows.retain(|row| row.workspace.as_ref().is_none_or(|workspace| *workspace == own));
            rows.truncate(MAX_PROBLEMS);
            Ok(rows)
        })
        .await
    }

    /// Reads every file that can be watched once, so that what it says is known before it changes.
    pub async fn look_over(&self) {
        if let Err(problem) = self.config_problems().await {
            tracing::warn!("files could not be looked over: {}", problem.message);
        }
    }
}

/// What is wrong in all workspaces.
pub fn config_problems_of(home: &Path, live: &ConfigStore) -> Vec<ConfigProblemRow> {
    let mut rows: Vec<ConfigProblemRow> = Vec::new();
    for problem in registered(home).err().into_iter().flatten() {
        rows.push(line(None, Part::Workspace, &problem, true));
    }
    let places = workspace_entries(home);
    for place in &places {
        rows.extend(broken(home, live, place));
    }
    // What others read through the same door.
    for (path, problems) in live.problems() {
        let Some((slug, part)) = part_of(home, &places, &path) else { continue };
        rows.extend(problems.iter().map(|problem| line(slug.clone(), part, problem, true)));
    }
    let mut seen = std::collections::BTreeSet::new();
    rows.retain(|row| seen.insert((row.file.clone(), row.line, row.message.clone())));
    rows
}

/// What is wrong in one workspace.
fn broken(home: &Path, live: &ConfigStore, place: &WorkspaceEntry) -> Vec<ConfigProblemRow> {
    let files = Workspace::named(home, &place.slug);
    let root = files.root();
    let mut rows = Vec::new();
    let mut add = |part: Part, kept: bool, problems: &[ConfigProblem]| {
        rows.extend(problems.iter().map(|problem| line(Some(place.slug.clone()), part, problem, kept)));
    };
    add(Part::Workspace, true, &live.current(&root.join(WORKSPACE_FILE), parse_workspace_config).problems);
    add(
        Part::Statuses,
        true,
        &live
            .current(&statuses_file(root), |file, text| parse_statuses(file, text).map(|listed| listed.list))
            .problems,
    );
    add(
        Part::Labels,
        true,
        &live
            .current(&labels_file(root), |file, text| parse_labels(file, text).map(|listed| listed.list))
            .problems,
    );
    add(
        Part::Views,
        true,
        &live
            .current(&views_file(root), |file, text| parse_views(file, text).map(|listed| listed.list))
            .problems,
    );
    let rules = |file: &str, text: &str| parse_rules(file, text, Layer::Workspace);
    add(Part::Permissions, true, &live.current(&root.join(RULES), rules).problems);
    live.good().forget_removed();
    for entry in files.agents() {
        live.good().saw_agent(&entry);
        add(Part::Agents, false, entry.agent.as_ref().err().map_or(&[], Vec::as_slice));
    }
    for entry in files.sources() {
        add(Part::Sources, false, entry.source.as_ref().err().map_or(&[], Vec::as_slice));
    }
    for entry in files.skills(None, None) {
        let kept = live.good().skill(&mut entry.clone()).is_some();
        add(Part::Skills, kept, &entry.problems());
    }
    rows
}

/// The file with a workspace's statuses.
pub fn statuses_file(root: &Path) -> PathBuf {
    root.join("statuses").join("config.json")
}

/// The file with a workspace's labels.
pub fn labels_file(root: &Path) -> PathBuf {
    root.join("labels").join("config.json")
}

/// The file with a workspace's views.
pub fn views_file(root: &Path) -> PathBuf {
    root.join("views.json")
}

fn part_of(home: &Path, places: &[WorkspaceEntry], path: &Path) -> Option<(Option<String>, Part)> {
    let below = places.iter().filter_map(|place| Some((place, path.strip_prefix(&place.folder).ok()?)));
    match below.max_by_key(|(place, _)| place.folder.as_os_str().len()) {
        Some((place, rest)) => Some((Some(place.slug.clone()), Part::of_workspace(rest)?)),
        None => Some((None, Part::of_home(path.strip_prefix(home).ok()?)?)),
    }
}

fn line(workspace: Option<String>, part: Part, problem: &ConfigProblem, kept: bool) -> ConfigProblemRow {
    let place = if problem.pointer.is_empty() { String::new() } else { format!("{}: ", problem.pointer) };
    ConfigProblemRow {
        workspace,
        part: part.as_str().to_owned(),
        file: problem.file.clone(),
        line: problem.line.and_then(|line| u32::try_from(line).ok()),
        message: format!("{place}expected {}, found {}", problem.expected, problem.found),
        remedy: problem.remedy.clone(),
        kept,
    }
}

/// What a workspace says of itself; nothing where it never said anything right.
pub fn config_of(live: &ConfigStore, place: &WorkspaceEntry) -> WorkspaceConfig {
    let config = live.current(&place.folder.join(WORKSPACE_FILE), parse_workspace_config).value;
    config.map(|config| (*config).clone()).unwrap_or_default()
}

fn row(place: &WorkspaceEntry, config: &WorkspaceConfig) -> WorkspaceRow {
    let name = match (config.name.trim(), place.slug.as_str()) {
        ("", workspace::DEFAULT_WORKSPACE) => "Default",
        ("", slug) => slug,
        (name, _) => name,
    };
    WorkspaceRow {
        id: place.slug.clone(),
        name: name.to_owned(),
        folder: place.folder.display().to_string(),
        elsewhere: place.elsewhere,
        // The default one is made with the first file in it.
        there: !place.elsewhere || place.folder.is_dir(),
        defaults: view(&config.defaults),
        setup: setup_of(&config.defaults),
        ..WorkspaceRow::default()
    }
}

/// What a new session begins with by a workspace's defaults.
pub fn setup_of(defaults: &WorkspaceDefaults) -> SessionSetup {
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

/// Defaults as surfaces see them.
pub fn view(defaults: &WorkspaceDefaults) -> WorkspaceDefaultsView {
    WorkspaceDefaultsView {
        connection: defaults.connection.clone(),
        model: defaults.model.clone(),
        mode: defaults.permission_mode,
        sources: defaults.sources.clone(),
        folder: defaults.working_directory.clone(),
        effort: defaults.thinking_level.and_then(workspace::Thinking::effort),
    }
}
