//! The list of workspaces, and what is wrong with files that a person edits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use domain::Problem;
use permissions::Layer;
use workspace::{
    ConfigProblem, Place, RULES, WORKSPACE_FILE, Workspace, WorkspaceConfig, parse_labels, parse_rules,
    parse_statuses, parse_views, parse_workspace_config, places, registered,
};

use super::live::Live;
use super::part::Part;
use super::{setup_of, view};
use crate::desk::aside;
use crate::local::Local;
use crate::wire::{ConfigProblemRow, WorkspaceRow};

/// The most problems that are listed.
const MOST: usize = 200;

impl Local {
    /// Every workspace in the person's order.
    pub(super) async fn workspace_list(&self) -> Result<Vec<WorkspaceRow>, Problem> {
        let counts: BTreeMap<String, u32> = self.store().sessions_by_workspace().await?.into_iter().collect();
        let (home, live, current) = (self.home.clone(), self.desk.live.clone(), self.current_workspace());
        aside(move || {
            let mut rows: Vec<(u32, WorkspaceRow)> = places(&home)
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
    pub(super) async fn workspace_row(&self, slug: &str) -> Result<WorkspaceRow, Problem> {
        let rows = self.workspace_list().await?;
        rows.into_iter().find(|row| row.id == slug).ok_or_else(|| self.unknown(slug))
    }

    /// What is wrong with files that a person edits, of all workspaces.
    pub(crate) async fn config_problems(&self) -> Result<Vec<ConfigProblemRow>, Problem> {
        let (home, live, settings) = (self.home.clone(), self.desk.live.clone(), self.desk.settings.clone());
        aside(move || {
            let mut rows = Vec::new();
            if let Some(problem) = settings.read().1 {
                rows.push(ConfigProblemRow {
                    workspace: None,
                    part: Part::Settings.word().to_owned(),
                    file: home.join("settings.json").display().to_string(),
                    line: None,
                    message: problem.message,
                    remedy: problem.action,
                    kept: true,
                });
            }
            rows.extend(of_all(&home, &live));
            rows.truncate(MOST);
            Ok(rows)
        })
        .await
    }

    /// Reads every file that can be watched once, so that what it says is known before it changes.
    pub(super) async fn look_over(&self) {
        if let Err(problem) = self.config_problems().await {
            tracing::warn!("files could not be looked over: {}", problem.message);
        }
    }
}

/// What is wrong in all workspaces.
pub(crate) fn of_all(home: &Path, live: &Live) -> Vec<ConfigProblemRow> {
    let mut rows: Vec<ConfigProblemRow> = Vec::new();
    for problem in registered(home).err().into_iter().flatten() {
        rows.push(line(None, Part::Workspace, &problem, true));
    }
    let places = places(home);
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
fn broken(home: &Path, live: &Live, place: &Place) -> Vec<ConfigProblemRow> {
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
            .current(&statuses(root), |file, text| parse_statuses(file, text).map(|listed| listed.list))
            .problems,
    );
    add(
        Part::Labels,
        true,
        &live
            .current(&labels(root), |file, text| parse_labels(file, text).map(|listed| listed.list))
            .problems,
    );
    add(
        Part::Views,
        true,
        &live.current(&views(root), |file, text| parse_views(file, text).map(|listed| listed.list)).problems,
    );
    let rules = |file: &str, text: &str| parse_rules(file, text, Layer::Workspace);
    add(Part::Permissions, true, &live.current(&root.join(RULES), rules).problems);
    for entry in files.agents() {
        live.good().saw_agent(&entry);
        add(Part::Agents, false, entry.agent.as_ref().err().map_or(&[], Vec::as_slice));
    }
    for entry in files.sources() {
        add(Part::Sources, false, entry.source.as_ref().err().map_or(&[], Vec::as_slice));
    }
    for entry in files.skills(None, None) {
        let kept = live.good().skill(&mut entry.clone()).is_some();
        add(Part::Skills, kept, entry.skill.as_ref().err().map_or(&[], Vec::as_slice));
    }
    rows
}

/// The file with a workspace's statuses.
pub(crate) fn statuses(root: &Path) -> PathBuf {
    root.join("statuses").join("config.json")
}

/// The file with a workspace's labels.
pub(crate) fn labels(root: &Path) -> PathBuf {
    root.join("labels").join("config.json")
}

/// The file with a workspace's views.
pub(crate) fn views(root: &Path) -> PathBuf {
    root.join("views.json")
}

fn part_of(home: &Path, places: &[Place], path: &Path) -> Option<(Option<String>, Part)> {
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
        part: part.word().to_owned(),
        file: problem.file.clone(),
        line: problem.line.and_then(|line| u32::try_from(line).ok()),
        message: format!("{place}expected {}, found {}", problem.expected, problem.found),
        remedy: problem.remedy.clone(),
        kept,
    }
}

/// What a workspace says of itself; nothing where it never said anything right.
pub(super) fn config_of(live: &Live, place: &Place) -> WorkspaceConfig {
    let config = live.current(&place.folder.join(WORKSPACE_FILE), parse_workspace_config).value;
    config.map(|config| (*config).clone()).unwrap_or_default()
}

fn row(place: &Place, config: &WorkspaceConfig) -> WorkspaceRow {
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
