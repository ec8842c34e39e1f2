//! Rule files as they are in use: of a broken one the last valid version, after a restart as well.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::ConfigStore;
use parking_lot::Mutex;
use permissions::{KnownFolders, Layer, Policy, RuleSet};
use workspace::{
    ConfigProblem, DEFAULT_WORKSPACE, RULES, Workspace, parse_registered, parse_rules, registered_file,
};

/// Rule files of a data directory.
pub struct RuleFiles {
    home: PathBuf,
    places: KnownFolders,
    live: ConfigStore,
    shipped: Result<Arc<RuleSet>, Vec<ConfigProblem>>,
    /// Sessions outside of the default workspace, with their workspace's slug.
    workspaces: Mutex<BTreeMap<String, String>>,
    /// Sessions whose rules were read, for those that list them.
    sessions: Mutex<BTreeSet<String>>,
}

/// The rules of a file, for those that show them.
#[derive(Clone)]
pub struct RulesShown {
    /// The layer that the file belongs to.
    pub layer: Layer,
    /// Its path.
    pub file: String,
    /// The last valid version.
    pub rules: Option<Arc<RuleSet>>,
    /// What is wrong with the file now.
    pub problems: Vec<ConfigProblem>,
}

impl RuleFiles {
    pub fn new(home: &Path, live: ConfigStore) -> Self {
        let person = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE")).map(PathBuf::from);
        Self {
            places: KnownFolders {
                data: resolved_text(home),
                home: person.as_deref().map(resolved_text).unwrap_or_default(),
                workspaces: Vec::new(),
            },
            home: home.to_owned(),
            live,
            shipped: Workspace::open(home).shipped_rules().rules.map(Arc::new),
            workspaces: Mutex::default(),
            sessions: Mutex::default(),
        }
    }

    /// Learns which workspace's rules hold in a session.
    pub fn belongs(&self, session: &str, workspace: &str) {
        let mut workspaces = self.workspaces.lock();
        if workspace.is_empty() || workspace == DEFAULT_WORKSPACE {
            workspaces.remove(session);
        } else {
            workspaces.insert(session.to_owned(), workspace.to_owned());
        }
    }

    /// The rules for files, in a session whose workspace is known.
    pub fn of_session(&self, session: &str) -> Policy {
        let slug = self.workspaces.lock().get(session).cloned();
        self.policy(slug.as_deref().unwrap_or(DEFAULT_WORKSPACE), session, "")
    }

    /// The rules for a session's calls of a source's tools; an empty source stands for what is built in.
    pub fn policy(&self, workspace: &str, session: &str, source: &str) -> Policy {
        let slug = if workspace.is_empty() { DEFAULT_WORKSPACE } else { workspace };
        let root = Workspace::named(&self.home, slug).root().to_owned();
        let registered = self.live.current(&registered_file(&self.home), parse_registered);
        let elsewhere = registered.value.unwrap_or_default();
        let workspaces = elsewhere.values().map(|folder| resolved_text(folder)).collect();
        let mut policy = Policy::new(KnownFolders { workspaces, ..self.places.clone() });
        if slug != DEFAULT_WORKSPACE && !registered.problems.is_empty() && !root.is_dir() {
            // Where its rules are nobody knows.
            policy = policy.unsure(&registered_file(&self.home).display().to_string());
        }
        match &self.shipped {
            Ok(rules) => policy = policy.with(rules.clone()),
            Err(_) => policy = policy.unsure("the rules that come with the program"),
        }
        let mut read = vec![self.read(root.join(RULES), Layer::Workspace)];
        if is_plain_name(source) {
            read.push(self.of_source(&root, source));
        }
        if is_plain_name(session) {
            self.sessions.lock().insert(session.to_owned());
            read.push(self.read_session(session));
        }
        for shown in read {
            match shown.rules {
                Some(rules) => policy = policy.with(rules),
                None if !shown.problems.is_empty() => policy = policy.unsure(&shown.file),
                None => {}
            }
        }
        policy
    }

    /// Every rule file of a workspace and of sessions that were asked for, the widest layer first.
    pub fn shown(&self, slug: &str) -> Vec<RulesShown> {
        let workspace = Workspace::named(&self.home, slug);
        let mut shown = vec![self.read(workspace.root().join(RULES), Layer::Workspace)];
        for entry in workspace.all_source_rules() {
            if let Layer::Source(source) = &entry.layer {
                shown.push(self.of_source(workspace.root(), source));
            }
        }
        let sessions = self.sessions.lock().clone();
        shown.extend(sessions.iter().map(|session| self.read_session(session)));
        shown.retain(|one| one.rules.is_some() || !one.problems.is_empty());
        shown.sort_by(|one, other| (&one.layer, &one.file).cmp(&(&other.layer, &other.file)));
        let shipped = RulesShown {
            layer: Layer::App,
            file: String::new(),
            rules: self.shipped.as_ref().ok().cloned(),
            problems: self.shipped.as_ref().err().cloned().unwrap_or_default(),
        };
        shown.insert(0, shipped);
        shown
    }

    fn of_source(&self, root: &Path, source: &str) -> RulesShown {
        self.read(root.join("sources").join(source).join(RULES), Layer::Source(source.to_owned()))
    }

    fn read_session(&self, session: &str) -> RulesShown {
        self.read(self.home.join("sessions").join(session).join(RULES), Layer::Session)
    }

    fn read(&self, path: PathBuf, layer: Layer) -> RulesShown {
        let own = layer.clone();
        let current = self.live.current(&path, move |file, text| parse_rules(file, text, own.clone()));
        RulesShown {
            layer,
            file: path.display().to_string(),
            rules: current.value,
            problems: current.problems,
        }
    }
}

pub fn resolved_text(path: &Path) -> String {
    path.canonicalize().unwrap_or_else(|_| path.to_owned()).display().to_string()
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0'])
}
