//! Workspaces come, change and go.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use config::ConfigStore;
use domain::{Digest, ErrorCode, Problem};
use protocol::{
    SessionMove, WorkspaceCreate, WorkspaceDefaultsView, WorkspaceFolder, WorkspaceRemove, WorkspaceRemoved,
    WorkspaceRow, WorkspaceUpdate,
};
use support::{Readers, blocking, now_ms, replace_file};
use workspace::{
    DEFAULT_WORKSPACE, MAX_WORKSPACES, Thinking, WORKSPACE_FILE, WorkspaceConfig, WorkspaceDefaults,
    WorkspaceEntry, is_workspace_slug, parse_registered, parse_workspace_config, registered_file,
    registered_text, workspace_config_text, workspace_entries, workspace_slug,
};

use crate::{Environment, config_of};

/// Where removed workspaces wait, below the data directory.
const TRASH: &str = "trash/workspaces";
/// What says of a removed workspace where it was.
const NOTE: &str = "removed.json";
/// The most sessions that are moved at once.
const MAX_MOVED: usize = 1_000;

impl Environment {
    /// Adds a workspace.
    pub async fn workspace_create(&self, create: WorkspaceCreate) -> Result<WorkspaceRow, Problem> {
        let name = line(&create.name)?;
        let (home, live) = (self.home.clone(), self.config.clone());
        let slug = blocking(move || {
            let known = workspace_entries(&home);
            let slug = match &create.slug {
                Some(slug) => given(&known, slug)?,
                None => free(&known, &workspace_slug(&name).unwrap_or_else(|| "workspace".to_owned())),
            };
            room(&known)?;
            let folder = home.join("workspaces").join(&slug);
            std::fs::create_dir_all(&folder).map_err(|error| failed(&folder, &error))?;
            let mut config = WorkspaceConfig { id: fresh_id()?, name, ..WorkspaceConfig::default() };
            take_defaults(&mut config.defaults, create.defaults.unwrap_or_default());
            save(&live, &folder, None, &config)?;
            Ok(slug)
        })
        .await?;
        self.workspace_row(&slug).await
    }

    /// Changes a workspace's name, place and defaults.
    pub async fn workspace_update(&self, update: WorkspaceUpdate) -> Result<WorkspaceRow, Problem> {
        if !self.is_there(&update.workspace) {
            return Err(self.unknown(&update.workspace));
        }
        let name = update.name.as_deref().map(line).transpose()?;
        let (home, live, slug) = (self.home.clone(), self.config.clone(), update.workspace.clone());
        blocking(move || {
            let all = workspace_entries(&home);
            let place = all.iter().find(|place| place.slug == update.workspace);
            let folder = place.map_or_else(
                || home.join("workspaces").join(&update.workspace),
                |place| place.folder.clone(),
            );
            let change = |config: &mut WorkspaceConfig| {
                if let Some(name) = name {
                    config.name = name;
                }
                if let Some(defaults) = update.defaults {
                    take_defaults(&mut config.defaults, defaults);
                }
            };
            edit(&live, &folder, change)?;
            match update.place {
                Some(to) => order(&live, &all, &update.workspace, to as usize),
                None => Ok(()),
            }
        })
        .await?;
        self.workspace_row(&slug).await
    }

    /// Makes a folder of the person's a workspace.
    pub async fn workspace_open_folder(&self, asked: WorkspaceFolder) -> Result<WorkspaceRow, Problem> {
        let name = asked.name.as_deref().map(line).transpose()?;
        let (home, live) = (self.home.clone(), self.config.clone());
        let slug = blocking(move || {
            let path = Path::new(&asked.folder);
            let real = path.canonicalize().ok().filter(|real| path.is_absolute() && real.is_dir());
            let Some(real) = real else {
                return Err(Problem::new(
                    ErrorCode::NotFound,
                    format!("there is no folder {}", asked.folder),
                )
                .with_action("choose a folder by its whole path"));
            };
            let data = home.canonicalize().unwrap_or_else(|_| home.clone());
            if real.parent().is_none() || real.starts_with(&data) || data.starts_with(&real) {
                return Err(Problem::new(
                    ErrorCode::InvalidInput,
                    "the whole disk, the program's own data and folders around it are no workspace",
                )
                .with_action("choose another folder, or create a workspace without one"));
            }
            let known = workspace_entries(&home);
            if let Some(same) = known.iter().find(|place| place.folder == real) {
                return Ok(same.slug.clone());
            }
            room(&known)?;
            let title = match name {
                Some(name) => Some(name),
                None => Some(
                    config_of(
                        &live,
                        &WorkspaceEntry { slug: String::new(), folder: real.clone(), elsewhere: true },
                    )
                    .name,
                )
                .filter(|name| !name.is_empty()),
            };
            let base = real.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let wanted = title.as_deref().and_then(workspace_slug).or_else(|| workspace_slug(&base));
            let slug = free(&known, &wanted.unwrap_or_else(|| "workspace".to_owned()));
            edit_registered(&live, &home, |folders| {
                folders.insert(slug.clone(), real.clone());
            })?;
            if let Some(title) = title {
                edit(&live, &real, |config| config.name = title)?;
            }
            Ok(slug)
        })
        .await?;
        self.workspace_row(&slug).await
    }

    /// Removes a workspace; its files wait in the trash.
    pub async fn workspace_remove(&self, remove: WorkspaceRemove) -> Result<WorkspaceRemoved, Problem> {
        let slug = remove.workspace;
        if slug == DEFAULT_WORKSPACE {
            return Err(Problem::new(ErrorCode::InvalidInput, "the default workspace is always there"));
        }
        if !self.is_there(&slug) {
            return Err(self.unknown(&slug));
        }
        let sessions = self.store().sessions_by_workspace().await?;
        let has = sessions.iter().find(|(name, _)| *name == slug).map_or(0, |(_, count)| *count);
        let to = match &remove.move_to {
            Some(to) if *to == slug || !self.is_there(to) => return Err(self.unknown(to)),
            Some(to) => to.as_str(),
            None if has > 0 => {
                return Err(Problem::new(
                    ErrorCode::Conflict,
                    format!("workspace {slug} has {has} sessions; nothing was removed"),
                )
                .with_action("say which workspace they move to, or delete them first"));
            }
            // Deleted ones may still be restored.
            None => DEFAULT_WORKSPACE,
        };
        let own = self.store().sessions_of_workspace(&slug).await?;
        let at_work = self.sessions_at_work().await;
        if let Some(session) = own.iter().find(|session| at_work.contains(*session)) {
            return Err(is_at_work(session, "remove the workspace"));
        }
        self.store().move_all_sessions(&slug, to).await?;
        let (home, live, removed) = (self.home.clone(), self.config.clone(), slug.clone());
        match blocking(move || put_away(&home, &live, &removed)).await {
            Ok(trash) => {
                // They go with the sessions, else they wait with the workspace's files.
                let to = remove.move_to.clone().unwrap_or_else(|| trash.clone());
                let bases = self.hand_over_bases(&slug, &to).await;
                Ok(WorkspaceRemoved { trash, moved: has, bases })
            }
            Err(problem) => {
                self.store().move_sessions(&own, &slug).await?;
                Err(problem)
            }
        }
    }

    /// Brings a removed workspace back.
    pub async fn workspace_restore(&self, trash: &str) -> Result<WorkspaceRow, Problem> {
        let (home, live, trash) = (self.home.clone(), self.config.clone(), trash.to_owned());
        let name = trash.clone();
        let slug = blocking(move || bring_back(&home, &live, &name)).await?;
        self.hand_over_bases(&trash, &slug).await;
        self.workspace_row(&slug).await
    }

    /// Gives the bases of a workspace to another one, or to a name in the trash, and says how many there were.
    async fn hand_over_bases(&self, from: &str, to: &str) -> u32 {
        let (home, from, to) = (self.home.clone(), from.to_owned(), to.to_owned());
        let given = blocking(move || {
            let given = workspace_bases::hand_over(&home, &from, &to);
            given.map_err(|error| Problem::new(ErrorCode::Storage, error.to_string()))
        });
        let given = given.await.inspect_err(|problem| tracing::warn!("bases stay where they are: {problem}"));
        u32::try_from(given.unwrap_or_default().len()).unwrap_or(u32::MAX)
    }

    /// Moves sessions to another workspace.
    pub async fn session_move(&self, to: SessionMove) -> Result<(), Problem> {
        if !self.is_there(&to.workspace) {
            return Err(self.unknown(&to.workspace));
        }
        if to.sessions.len() > MAX_MOVED {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                format!("at most {MAX_MOVED} sessions are moved at once"),
            ));
        }
        let at_work = self.sessions_at_work().await;
        if let Some(session) = to.sessions.iter().find(|session| at_work.contains(*session)) {
            return Err(is_at_work(session, "move it"));
        }
        for session in &to.sessions {
            if !self.store().move_session(session, &to.workspace).await? {
                return Err(Problem::new(ErrorCode::NotFound, format!("there is no session {session}")));
            }
        }
        Ok(())
    }

    /// Sessions with a run, a turn or a mission that is being driven.
    async fn sessions_at_work(&self) -> BTreeSet<String> {
        let mut sessions = BTreeSet::new();
        for run in self.engine.live() {
            // One that is gone by now works no more.
            sessions.extend(self.store().get_run(&run.0).await.ok().map(|row| row.session));
        }
        sessions
    }
}

fn is_at_work(session: &str, what: &str) -> Problem {
    Problem::new(ErrorCode::Conflict, format!("session {session} is at work; nothing was changed"))
        .with_action(format!("wait for it, or stop it, and {what} then"))
}

fn line(name: &str) -> Result<String, Problem> {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() || name.chars().count() > 120 || name.contains(char::is_control) {
        return Err(Problem::new(ErrorCode::InvalidInput, "a workspace's name has 1 to 120 characters"));
    }
    Ok(name)
}

fn given(known: &[WorkspaceEntry], slug: &str) -> Result<String, Problem> {
    if !is_workspace_slug(slug) {
        return Err(Problem::new(
            ErrorCode::InvalidInput,
            format!("{slug:?} is no slug: it has 1 to 60 small letters, digits and hyphens"),
        ));
    }
    if known.iter().any(|place| place.slug == slug) {
        return Err(Problem::new(ErrorCode::Conflict, format!("there is a workspace {slug} already")));
    }
    Ok(slug.to_owned())
}

/// The slug, or the next free one with a number.
fn free(known: &[WorkspaceEntry], slug: &str) -> String {
    let taken = |slug: &str| known.iter().any(|place| place.slug == slug);
    let numbered = (2..).map(|number| format!("{slug}-{number}"));
    std::iter::once(slug.to_owned()).chain(numbered).find(|slug| !taken(slug)).unwrap_or_default()
}

fn room(known: &[WorkspaceEntry]) -> Result<(), Problem> {
    if known.len() < MAX_WORKSPACES {
        return Ok(());
    }
    Err(Problem::new(ErrorCode::InvalidInput, format!("there are at most {MAX_WORKSPACES} workspaces")))
}

fn failed(path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(ErrorCode::Storage, format!("{}: {error}", path.display()))
        .with_action("nothing was changed; free some space or correct the permissions, and try again")
}

fn fresh_id() -> Result<String, Problem> {
    Ok(format!("ws_{}", support::random_hex::<8>()?))
}

/// Fields that this program does not know stay.
fn take_defaults(defaults: &mut WorkspaceDefaults, view: WorkspaceDefaultsView) {
    let filled = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let WorkspaceDefaultsView { connection, model, mode, sources, folder, effort } = view;
    defaults.connection = filled(connection);
    defaults.model = filled(model);
    defaults.permission_mode = mode;
    defaults.sources = sources;
    defaults.working_directory = filled(folder);
    // A word that means the same stays as it was written.
    if defaults.thinking_level.and_then(Thinking::effort) != effort {
        defaults.thinking_level = effort.map(Thinking::from);
    }
}

fn save(
    live: &ConfigStore,
    folder: &Path,
    seen: Option<Digest>,
    config: &WorkspaceConfig,
) -> Result<(), Problem> {
    let file = folder.join(WORKSPACE_FILE);
    let text = workspace_config_text(config);
    parse_workspace_config(WORKSPACE_FILE, &text).map_err(|problems| {
        let words = problems.first().map(ToString::to_string).unwrap_or_default();
        Problem::new(ErrorCode::InvalidInput, words)
    })?;
    live.save(&file, seen, &text)
}

/// Changes a workspace's own file as it is now.
fn edit(live: &ConfigStore, folder: &Path, change: impl FnOnce(&mut WorkspaceConfig)) -> Result<(), Problem> {
    let now = live.current(&folder.join(WORKSPACE_FILE), parse_workspace_config);
    let mut config = now.value.map(|config| (*config).clone()).unwrap_or_default();
    let before = config.clone();
    if config.id.is_empty() {
        config.id = fresh_id()?;
    }
    change(&mut config);
    if config == before {
        return Ok(());
    }
    save(live, folder, now.digest, &config)
}

fn edit_registered(
    live: &ConfigStore,
    home: &Path,
    change: impl FnOnce(&mut BTreeMap<String, PathBuf>),
) -> Result<(), Problem> {
    let file = registered_file(home);
    let now = live.current(&file, parse_registered);
    let mut folders = now.value.map(|folders| (*folders).clone()).unwrap_or_default();
    change(&mut folders);
    live.save(&file, now.digest, &registered_text(&folders))
}

/// Puts one at a place among the others.
fn order(live: &ConfigStore, all: &[WorkspaceEntry], slug: &str, to: usize) -> Result<(), Problem> {
    let mut sorted: Vec<(u32, &WorkspaceEntry)> =
        all.iter().map(|place| (config_of(live, place).order.unwrap_or(u32::MAX), place)).collect();
    sorted.sort_by_key(|(order, _)| *order);
    let mut places: Vec<&WorkspaceEntry> = sorted.into_iter().map(|(_, place)| place).collect();
    let Some(from) = places.iter().position(|place| place.slug == slug) else { return Ok(()) };
    let moved = places.remove(from);
    places.insert(to.min(places.len()), moved);
    for (at, place) in places.into_iter().enumerate() {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        edit(live, &place.folder, |config| config.order = Some(at))?;
    }
    Ok(())
}

/// What is kept of a removed workspace.
#[derive(serde::Serialize, serde::Deserialize)]
struct Note {
    slug: String,
    /// The folder, where it is elsewhere: then its files stay where they are.
    folder: Option<PathBuf>,
}

/// Moves a workspace's files to the trash. A folder elsewhere is only forgotten.
fn put_away(home: &Path, live: &ConfigStore, slug: &str) -> Result<String, Problem> {
    let place = workspace_entries(home).into_iter().find(|place| place.slug == slug);
    let Some(place) = place else { return Err(Problem::new(ErrorCode::NotFound, "it is gone already")) };
    let trash = format!("{slug}-{}", now_ms());
    let folder = home.join(TRASH).join(&trash);
    std::fs::create_dir_all(&folder).map_err(|error| failed(&folder, &error))?;
    let note = Note { slug: slug.to_owned(), folder: place.elsewhere.then(|| place.folder.clone()) };
    let text = serde_json::to_vec_pretty(&note).unwrap_or_default();
    let noted =
        replace_file(&folder.join(NOTE), &text, Readers::Person).map_err(|error| failed(&folder, &error));
    let gone = noted.and_then(|()| match place.elsewhere {
        true => edit_registered(live, home, |folders| drop(folders.remove(slug))),
        false => std::fs::rename(&place.folder, folder.join("files"))
            .map_err(|error| failed(&place.folder, &error)),
    });
    if gone.is_err() {
        let _ = std::fs::remove_file(folder.join(NOTE));
        let _ = std::fs::remove_dir(&folder);
    }
    gone.map(|()| trash)
}

fn bring_back(home: &Path, live: &ConfigStore, trash: &str) -> Result<String, Problem> {
    let missing = || Problem::new(ErrorCode::NotFound, "this workspace is not in the trash any more");
    let plain = !trash.is_empty() && trash.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let folder = home.join(TRASH).join(trash);
    if !plain || !folder.is_dir() {
        return Err(missing());
    }
    let text = std::fs::read(folder.join(NOTE)).map_err(|_| missing())?;
    let note: Note = serde_json::from_slice(&text)
        .map_err(|error| Problem::new(ErrorCode::Corrupt, format!("the trash's note: {error}")))?;
    if !is_workspace_slug(&note.slug) || note.slug == DEFAULT_WORKSPACE {
        return Err(missing());
    }
    given(&workspace_entries(home), &note.slug)?;
    match note.folder {
        Some(elsewhere) => edit_registered(live, home, |folders| {
            folders.insert(note.slug.clone(), elsewhere);
        })?,
        None => {
            let back = home.join("workspaces").join(&note.slug);
            if back.exists() {
                return Err(Problem::new(
                    ErrorCode::Conflict,
                    format!("{} is there already", back.display()),
                ));
            }
            std::fs::rename(folder.join("files"), &back).map_err(|error| failed(&back, &error))?;
        }
    }
    if let Err(error) = std::fs::remove_dir_all(&folder) {
        tracing::warn!("{} can't be removed: {error}", folder.display());
    }
    Ok(note.slug)
}
