//! The folder that Craft Agent keeps (`~/.craft-agent`), and the fork's agents in it.
//!
//! [`survey`] looks at the folder and reads no session; what it finds is a list of files to write and of sessions to read.
//! [`read_session`] reads one. Nothing of a configuration is believed: the workspace's own loader checks what becomes of it.

mod agent;
mod counterpart;
mod organisation;
mod research;
mod session;
mod settings;
mod source;
mod stages;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::limits::{Limits, ReadError, read_plain};
use crate::lines::decoded;
use crate::names::{check_name, is_id};
use crate::report::Report;

pub use research::ResearchDocument;
pub use session::{Folder, Read, SESSION_PATH, is_session, last_activity, read_session};

/// The most workspaces elsewhere that a folder may name.
const MAX_NAMED: usize = 200;

/// What a folder holds.
#[derive(Debug, Default)]
pub struct Survey {
    /// Its workspaces.
    pub workspaces: Vec<CraftWorkspace>,
    /// Files for all workspaces: themes.
    pub themes: Vec<NewFile>,
    /// Whether it holds stored credentials, which only its own program's machine can open.
    pub credentials: Option<PathBuf>,
    /// What can't be taken over, so far.
    pub report: Report,
}

/// A workspace.
#[derive(Debug, Default)]
pub struct CraftWorkspace {
    /// Its folder's name.
    pub slug: String,
    /// Its name.
    pub name: String,
    /// Folders of its sessions, by name.
    pub sessions: Vec<PathBuf>,
    /// Files to write into a workspace of ours.
    pub files: Vec<NewFile>,
    /// Secrets that stood in plain text. Nothing is done with them until the person says so.
    pub secrets: Vec<PlainSecret>,
    /// By agent: slugs of sources that its stages call of the program's own, whatever sources of the folder are called.
    pub borrowed: BTreeMap<String, Vec<String>>,
}

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// What kind of thing it belongs to: `source`, `skill`, …
    pub kind: &'static str,
    /// The thing's name.
    pub what: String,
    /// Below the workspace's folder, with `/`.
    pub path: String,
    /// What it holds.
    pub content: Content,
    /// Where it comes from, for the report.
    pub place: String,
}

/// What a new file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// These bytes.
    Bytes(Vec<u8>),
    /// What this file holds.
    Copy(PathBuf),
}

/// A secret that stood in plain text.
#[derive(Clone, PartialEq, Eq)]
pub struct PlainSecret {
    /// The source's slug.
    pub source: String,
    /// The variable or header.
    pub name: String,
    /// The name that it gets in the vault.
    pub vault: String,
    /// The value. It is never printed.
    pub value: String,
}

impl std::fmt::Debug for PlainSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PlainSecret({}, …)", self.vault)
    }
}

/// Whether a folder looks like Craft Agent's, or like one of its workspaces: with sessions, or, as others share one, with agents or
/// sources alone.
pub fn is_craft(root: &Path) -> bool {
    let holds = |folder: &str, file: &str| {
        let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().filter_map(Result::ok);
        entries.take(MAX_NAMED).any(|entry| entry.path().join(file).is_file())
    };
    root.join("workspaces").is_dir()
        || root.join("sessions").is_dir() && root.join("config.json").is_file()
        || holds("agents", "AGENT.md")
        || holds("sources", "config.json")
}

/// Looks at a folder: that of the program, or of one workspace.
pub fn survey(root: &Path, limits: &Limits) -> Survey {
    let mut out = Survey::default();
    let mut look = BoundedReader::new(limits);
    let mut places: Vec<PathBuf> = Vec::new();
    if root.join("workspaces").is_dir() {
        places.extend(look.folders(&root.join("workspaces")));
        // Workspaces may lie anywhere; the program's own list names them.
        for named in named_workspaces(root, &mut look) {
            let known = |place: &PathBuf| place.canonicalize().ok() == named.canonicalize().ok();
            if named.is_dir() && !places.iter().any(known) {
                places.push(named);
            }
        }
        for file in look.files(&root.join("themes"), "json") {
            out.themes.extend(look.theme(&file));
        }
        out.themes.extend(look.own_theme(&root.join("theme.json")));
        let credentials = root.join("credentials.enc");
        out.credentials = credentials.is_file().then_some(credentials);
    } else {
        places.push(root.to_owned());
    }
    for place in places {
        let slug = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        out.workspaces.push(look.workspace(&place, slug));
    }
    out.report = look.report;
    out
}

/// Folders that the program's `config.json` names.
fn named_workspaces(root: &Path, look: &mut BoundedReader<'_>) -> Vec<PathBuf> {
    let Some(config) = look.json(&root.join("config.json"), "workspace", "config.json") else {
        return Vec::new();
    };
    let named = config["workspaces"].as_array().into_iter().flatten();
    let home = root.parent().unwrap_or(root);
    named
        .filter_map(|workspace| workspace["rootPath"].as_str())
        .filter(|path| !path.contains('\0'))
        .map(|path| match path.strip_prefix("~/") {
            Some(rest) => home.join(rest),
            None => PathBuf::from(path),
        })
        .filter(|path| path.is_absolute())
        .take(MAX_NAMED)
        .collect()
}

/// Reads files within bounds.
pub(crate) struct BoundedReader<'a> {
    pub(crate) limits: &'a Limits,
    files: usize,
    /// Bytes of configuration files so far.
    configs: u64,
    pub(crate) report: Report,
}

impl<'a> BoundedReader<'a> {
    pub(crate) fn new(limits: &'a Limits) -> Self {
        Self { limits, files: 0, configs: 0, report: Report::default() }
    }
}

impl BoundedReader<'_> {
    fn workspace(&mut self, root: &Path, slug: String) -> CraftWorkspace {
        let mut out = CraftWorkspace { name: slug.clone(), slug, ..CraftWorkspace::default() };
        if let Some(config) = self.json(&root.join("config.json"), "workspace", "config.json")
            && let Some(name) = config["name"].as_str()
        {
            name.chars().take(80).collect::<String>().clone_into(&mut out.name);
        }
        for folder in self.folders(&root.join("sessions")) {
            if out.sessions.len() >= self.limits.sessions {
                let why = format!("at most {} sessions are read at once", self.limits.sessions);
                self.report.leave_out("session", "", why, &folder.display().to_string());
                break;
            }
            if folder.join("session.jsonl").is_file() {
                out.sessions.push(folder);
            }
        }
        self.organising(root, &mut out);
        out.files.extend(self.workspace_theme(&root.join("theme.json")));
        for folder in self.folders(&root.join("sources")) {
            self.source(&folder, &mut out);
        }
        for folder in self.folders(&root.join("skills")) {
            self.skill(&folder, &mut out);
        }
        for folder in self.folders(&root.join("agents")) {
            if folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with('_')) {
                let (name, place) = (folder.file_name().unwrap_or_default(), folder.display().to_string());
                let why =
                    "it holds templates, no agent; copy one to a folder of its own name and import again";
                self.report.leave_out("agent", &name.to_string_lossy(), why, &place);
                continue;
            }
            self.agent(&folder, &mut out);
        }
        out
    }

    fn skill(&mut self, folder: &Path, out: &mut CraftWorkspace) {
        let Some(slug) = self.slug(folder, "skill") else { return };
        if !folder.join("SKILL.md").is_file() {
            self.report.leave_out("skill", &slug, "it has no SKILL.md", &folder.display().to_string());
            return;
        }
        self.tree(folder, "skill", &slug, &format!("skills/{slug}"), &mut out.files);
    }

    /// A folder's name where it is one that ours may have.
    pub(crate) fn slug(&mut self, folder: &Path, kind: &str) -> Option<String> {
        let name = folder.file_name()?.to_string_lossy().into_owned();
        let plain =
            is_id(&name) && !name.contains('_') && !name.bytes().any(|byte| byte.is_ascii_uppercase());
        if plain {
            return Some(name);
        }
        let why = "its folder's name is not made of lower-case letters, digits and hyphens; rename it and import again";
        self.report.leave_out(kind, &name, why, &folder.display().to_string());
        None
    }

    /// Every plain file below a folder, to be copied to `below`.
    pub(crate) fn tree(
        &mut self,
        folder: &Path,
        kind: &'static str,
        what: &str,
        below: &str,
        out: &mut Vec<NewFile>,
    ) {
        for (path, name) in self.walk(folder) {
            out.push(NewFile {
                kind,
                what: what.to_owned(),
                path: format!("{below}/{name}"),
                place: path.display().to_string(),
                content: Content::Copy(path),
            });
        }
    }

    /// Plain files below a folder with their names relative to it. Links and odd names are left out and told of.
    pub(crate) fn walk(&mut self, folder: &Path) -> Vec<(PathBuf, String)> {
        let (mut out, mut open) = (Vec::new(), vec![(folder.to_owned(), String::new())]);
        while let Some((folder, before)) = open.pop() {
            for (path, name, kind) in self.entries(&folder) {
                let name = if before.is_empty() { name } else { format!("{before}/{name}") };
                if self.files >= self.limits.entries {
                    let why = format!("at most {} files are taken over", self.limits.entries);
                    self.report.leave_out("file", &name, why, &path.display().to_string());
                    return out;
                }
                if let Err(fault) = check_name(&name) {
                    self.report.leave_out("file", &name, fault.to_string(), &path.display().to_string());
                } else if kind.is_dir() {
                    // Folders count, too: there may be no end of empty ones.
                    self.files += 1;
                    open.push((path, name));
                } else if kind.is_file() {
                    self.files += 1;
                    out.push((path, name));
                } else {
                    let why = "it is a link or no file; links are not followed";
                    self.report.leave_out("file", &name, why, &path.display().to_string());
                }
            }
        }
        out.sort();
        out
    }

    fn entries(&self, folder: &Path) -> Vec<(PathBuf, String, std::fs::FileType)> {
        // The folder itself must not be a link either.
        if !std::fs::symlink_metadata(folder).is_ok_and(|seen| seen.is_dir()) {
            return Vec::new();
        }
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let mut out: Vec<_> = entries
            .filter_map(Result::ok)
            .take(self.limits.entries)
            .filter_map(|entry| {
                let kind = entry.file_type().ok()?;
                Some((entry.path(), entry.file_name().to_string_lossy().into_owned(), kind))
            })
            .collect();
        out.sort_by(|a, b| a.0.cmp(&b.0));
        out
    }

    /// Folders in a folder, sorted; links are told of.
    pub(crate) fn folders(&mut self, folder: &Path) -> Vec<PathBuf> {
        let mut out = Vec::new();
        for (path, name, kind) in self.entries(folder) {
            if kind.is_dir() && !name.starts_with('.') {
                out.push(path);
            } else if kind.is_symlink() {
                let why = "it is a link; links are not followed";
                self.report.leave_out("folder", &name, why, &path.display().to_string());
            }
        }
        out
    }

    fn files(&mut self, folder: &Path, extension: &str) -> Vec<PathBuf> {
        let all = self.entries(folder).into_iter();
        all.filter(|(path, _, kind)| kind.is_file() && path.extension().is_some_and(|end| end == extension))
            .map(|(path, _, _)| path)
            .collect()
    }

    /// The text of a configuration file; `None` where there is none or it can't be read, which is told.
    pub(crate) fn text(&mut self, path: &Path, kind: &str, what: &str) -> Option<String> {
        let bytes = match read_plain(path, self.limits.config_bytes) {
            Ok(bytes) => bytes,
            Err(ReadError::Io { error, .. }) if error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) => {
                self.report.leave_out(kind, what, error.to_string(), &path.display().to_string());
                return None;
            }
        };
        self.configs += bytes.len() as u64;
        if self.configs > self.limits.configs_bytes {
            let why =
                format!("of all configuration files at most {} bytes are read", self.limits.configs_bytes);
            self.report.leave_out(kind, what, why, &path.display().to_string());
            return None;
        }
        let (text, repaired) = decoded(bytes);
        if repaired {
            let why = "it was not UTF-8 and was read as what it seems to be";
            self.report.change(kind, what, why, &path.display().to_string());
        }
        Some(text)
    }

    /// A configuration file as JSON.
    pub(crate) fn json(&mut self, path: &Path, kind: &str, what: &str) -> Option<Value> {
        let text = self.text(path, kind, what)?;
        match serde_json::from_str(&text) {
            Ok(value) => Some(value),
            Err(error) => {
                let why = format!("it is not JSON: {error}");
                self.report.leave_out(kind, what, why, &path.display().to_string());
                None
            }
        }
    }
}

/// Fields of an object that are not among the known ones.
pub(crate) fn unknown(value: &Value, known: &[&str]) -> Vec<String> {
    let known: BTreeSet<&str> = known.iter().copied().collect();
    let map = value.as_object().into_iter().flatten();
    map.filter(|(name, _)| !known.contains(name.as_str())).map(|(name, _)| name.clone()).collect()
}

/// The built-in tools that do what a tool of theirs does; none where it has no counterpart.
pub(crate) fn built_in_tools(theirs: &str) -> &'static [&'static str] {
    match theirs.to_ascii_lowercase().as_str() {
        "bash" | "shell" => &["shell"],
        "write" => &["write"],
        "edit" | "multiedit" => &["edit", "patch"],
        "patch" => &["patch"],
        "read" => &["read"],
        "grep" | "search" => &["search"],
        "glob" | "ls" | "list" => &["list"],
        "webfetch" | "fetch" => &["fetch"],
        _ => &[],
    }
}

/// A value as a file's text.
pub fn pretty(value: &Value) -> Vec<u8> {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text.into_bytes()
}
