use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::agent::{self, Agent, AgentEntry, Origin};
use crate::entries::{DEFAULT_WORKSPACE, root_of};
use crate::folder::{Folder, folders};
use crate::mission;
use crate::problem::{ConfigProblem, WorkspaceError};
use crate::shipped;
use crate::source::{self, SourceConfig, SourceEntry};

/// The files a person edits, over the ones that are shipped. Reads nothing until it is asked, and reads anew each time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    slug: String,
    root: PathBuf,
}

impl Workspace {
    /// The default workspace of a data directory; neither needs to exist.
    pub fn open(home: &Path) -> Self {
        Self::named(home, DEFAULT_WORKSPACE)
    }

    /// A workspace of a data directory by its slug; one that is not there has the shipped files alone.
    pub fn named(home: &Path, slug: &str) -> Self {
        Self { slug: slug.to_owned(), root: root_of(home, slug) }
    }

    /// Its slug.
    pub fn slug(&self) -> &str {
        &self.slug
    }

    /// The folder that relative paths in source configurations refer to.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Every agent, sorted by slug; a broken one with its problems.
    pub fn agents(&self) -> Vec<AgentEntry> {
        let known = self.source_slugs();
        self.slugs("agents").into_iter().map(|slug| self.agent_entry(slug, &known)).collect()
    }

    /// One agent.
    pub fn agent(&self, slug: &str) -> Result<Agent, WorkspaceError> {
        self.known_agent(slug)?;
        self.agent_entry(slug.to_owned(), &self.source_slugs())
            .agent
            .map_err(|problems| WorkspaceError::Broken { what: "agent", slug: slug.to_owned(), problems })
    }

    /// That there is an agent of this slug, broken or not.
    pub(crate) fn known_agent(&self, slug: &str) -> Result<(), WorkspaceError> {
        let known = self.slugs("agents");
        if known.contains(slug) {
            return Ok(());
        }
        let nearest = domain::nearest(slug, known.iter().map(String::as_str));
        let nearest = nearest.into_iter().map(str::to_owned).collect();
        let known = known.into_iter().collect();
        Err(WorkspaceError::UnknownAgent { slug: slug.to_owned(), nearest, known })
    }

    /// Checks an agent's folder anywhere on disk, as if it were one of this workspace.
    pub fn check_agent(&self, folder: &Path) -> Result<Agent, Vec<ConfigProblem>> {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let slug = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let files = Folder::Disk(folder.clone());
        let prompts = files.join("prompts");
        let sources = self.source_slugs();
        let agent = agent::load(&files, &prompts, &slug, Origin::Own(folder), &sources)?;
        self.with_children(Arc::new(agent), &files, &sources).map(Arc::unwrap_or_clone)
    }

    /// The agent, where what it says of the agents that it runs holds.
    fn with_children(
        &self,
        agent: Arc<Agent>,
        folder: &Folder,
        sources: &BTreeSet<String>,
    ) -> Result<Arc<Agent>, Vec<ConfigProblem>> {
        if !agent.config.control_flow.stages.iter().any(|stage| stage.agent.is_some()) {
            return Ok(agent);
        }
        let mut known = self.slugs("agents");
        known.insert(agent.config.slug.0.clone());
        // Each is read once, however often it is asked for.
        let found = RefCell::new(BTreeMap::from([(agent.config.slug.0.clone(), Some(agent.clone()))]));
        let find = |slug: &str| {
            let mut found = found.borrow_mut();
            let load = || self.loaded(slug, sources).1.ok();
            found.entry(slug.to_owned()).or_insert_with(load).clone()
        };
        let problems = agent::children::check(&agent, folder, &known, &find);
        if problems.is_empty() { Ok(agent) } else { Err(problems) }
    }

    /// Every source, sorted by slug; a broken one with its problems.
    pub fn sources(&self) -> Vec<SourceEntry> {
        self.source_slugs().into_iter().map(|slug| self.source_entry(slug)).collect()
    }

    /// One source.
    pub fn source(&self, slug: &str) -> Result<SourceConfig, WorkspaceError> {
        let known = self.source_slugs();
        if !known.contains(slug) {
            let nearest = domain::nearest(slug, known.iter().map(String::as_str));
            let nearest = nearest.into_iter().map(str::to_owned).collect();
            let known = known.into_iter().collect();
            return Err(WorkspaceError::UnknownSource { slug: slug.to_owned(), nearest, known });
        }
        self.source_entry(slug.to_owned()).source.map_err(|problems| WorkspaceError::Broken {
            what: "source",
            slug: slug.to_owned(),
            problems,
        })
    }

    /// A source's guide for models and people, where it has a readable one.
    pub fn source_guide(&self, slug: &str) -> Option<String> {
        if !self.source_slugs().contains(slug) {
            return None;
        }
        self.place("sources", slug).0.text("guide.md").ok()
    }

    pub(crate) fn source_slugs(&self) -> BTreeSet<String> {
        self.slugs("sources")
    }

    fn slugs(&self, what: &str) -> BTreeSet<String> {
        let mut slugs: BTreeSet<String> = shipped_slugs(what).into_iter().collect();
        let own = self.root.join(what);
        // A folder with a profile of missions and nothing else is no agent.
        let is_profile = |slug: &String| {
            let folder = own.join(slug);
            folder.join(mission::FILE).is_file()
                && !folder.join("config.json").exists()
                && !folder.join("AGENT.md").exists()
        };
        slugs.extend(folders(&own).into_iter().filter(|slug| !is_profile(slug)));
        slugs
    }

    /// Where an agent or a source is read from: the person's own folder where there is one.
    pub(crate) fn place(&self, what: &str, slug: &str) -> (Folder, Origin) {
        let own = self.root.join(what).join(slug);
        if own.is_dir() {
            (Folder::Disk(own.clone()), Origin::Own(own))
        } else {
            (Folder::Shipped(format!("{what}/{slug}")), Origin::Shipped)
        }
    }

    fn agent_entry(&self, slug: String, sources: &BTreeSet<String>) -> AgentEntry {
        let ((folder, origin), agent) = self.loaded(&slug, sources);
        let overrides_shipped = origin != Origin::Shipped && shipped_slugs("agents").contains(&slug);
        let agent = agent.and_then(|agent| self.with_children(agent, &folder, sources));
        AgentEntry { slug, origin, overrides_shipped, agent: agent.map(Arc::unwrap_or_clone) }
    }

    /// An agent by its own files, and where they are. A shipped one, which never changes, is read and checked once: its sources are
    /// shipped as well, and so always known.
    fn loaded(&self, slug: &str, sources: &BTreeSet<String>) -> ((Folder, Origin), LoadedAgent) {
        static SHIPPED: Mutex<BTreeMap<String, LoadedAgent>> = Mutex::new(BTreeMap::new());
        let (folder, origin) = self.place("agents", slug);
        let load =
            || agent::load(&folder, &prompts_of(&folder, slug), slug, origin.clone(), sources).map(Arc::new);
        let agent = match &folder {
            Folder::Shipped(_) => SHIPPED.lock().entry(slug.to_owned()).or_insert_with(load).clone(),
            Folder::Disk(_) => load(),
        };
        ((folder, origin), agent)
    }

    fn source_entry(&self, slug: String) -> SourceEntry {
        let (folder, origin) = self.place("sources", &slug);
        let overrides_shipped = origin != Origin::Shipped && shipped_slugs("sources").contains(&slug);
        let own = origin != Origin::Shipped && self.slug != DEFAULT_WORKSPACE;
        let source = source::load(&folder, &slug).map(|mut source| {
            source.owner = if own { self.slug.clone() } else { String::new() };
            source
        });
        SourceEntry { slug, origin, overrides_shipped, source }
    }
}

/// An agent, or all that is wrong with its own files.
type LoadedAgent = Result<Arc<Agent>, Vec<ConfigProblem>>;

/// Where an agent's prompts are.
fn prompts_of(folder: &Folder, slug: &str) -> Folder {
    match folder {
        Folder::Shipped(_) => Folder::Shipped(format!("prompts/{slug}")),
        Folder::Disk(_) => folder.join("prompts"),
    }
}

/// Shipped folders that hold a `config.json`.
fn shipped_slugs(what: &str) -> Vec<String> {
    shipped::folders(what)
        .into_iter()
        .filter(|slug| shipped::file(&format!("{what}/{slug}/config.json")).is_some())
        .collect()
}
