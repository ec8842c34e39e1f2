//! Which workspaces there are, and what each says of itself in its `config.json`.
//!
//! A workspace is a folder `<home>/workspaces/<slug>`, or any folder of the person's that `<home>/workspaces/folders.json`
//! names. The default one is always there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use domain::agent::Effort;
use domain::{Digest, Mode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::folder::{Folder, folders};
use crate::json::{self, Quote};
use crate::open::Workspace;
use crate::problem::ConfigProblem;
use crate::schemas;
use crate::statuses::text_of;

/// The slug of the workspace that is always there.
pub const DEFAULT_WORKSPACE: &str = "default";
/// The name of a workspace's own file.
pub const WORKSPACE_FILE: &str = "config.json";
/// The file that names folders elsewhere.
const FOLDERS: &str = "folders.json";
/// The longest slug.
const MAX_SLUG_BYTES: usize = 60;
/// The longest name, in characters.
const MAX_NAME_CHARS: usize = 120;
/// The most workspaces.
pub const MAX_WORKSPACES: usize = 200;

/// A workspace's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceEntry {
    /// Its slug.
    pub slug: String,
    /// The folder with its files; it need not exist.
    pub folder: PathBuf,
    /// Whether the folder is one that the person chose, outside the data directory.
    pub elsewhere: bool,
}

/// What a workspace says of itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkspaceConfig {
    /// An id that stays when its name and folder change.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Its name; empty: its slug.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its place in lists, the least first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<u32>,
    /// What a new session in it begins with.
    pub defaults: WorkspaceDefaults,
    /// Fields that this program does not know; they are kept.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// What a new session in a workspace begins with; what is absent is as everywhere.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkspaceDefaults {
    /// The connection's slug.
    #[serde(rename = "defaultLlmConnection", skip_serializing_if = "Option::is_none")]
    pub connection: Option<String>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How much may be done unasked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<Mode>,
    /// Slugs of the sources that are on.
    #[serde(rename = "enabledSourceSlugs", skip_serializing_if = "Option::is_none")]
    pub sources: Option<Vec<String>>,
    /// The folder to work in: absolute, or below the person's own with `~/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_directory: Option<String>,
    /// How hard to think.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<Thinking>,
    /// The theme of its windows.
    #[serde(rename = "colorTheme", skip_serializing_if = "Option::is_none")]
    pub theme: Option<String>,
    /// Fields that this program does not know; they are kept.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// How hard to think, in the words of this file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // named by the words themselves
pub enum Thinking {
    Off,
    Low,
    Medium,
    High,
    Xhigh,
    Max,
}

impl Thinking {
    /// The effort that it means; none: what the model does by itself.
    pub const fn effort(self) -> Option<Effort> {
        match self {
            Self::Off => None,
            Self::Low => Some(Effort::Low),
            Self::Medium => Some(Effort::Medium),
            Self::High => Some(Effort::High),
            Self::Xhigh | Self::Max => Some(Effort::Max),
        }
    }
}

impl From<Effort> for Thinking {
    fn from(effort: Effort) -> Self {
        match effort {
            Effort::Low => Self::Low,
            Effort::Medium => Self::Medium,
            Effort::High => Self::High,
            Effort::Max => Self::Max,
        }
    }
}

impl Workspace {
    /// What the workspace says of itself; `None`: it has no such file.
    ///
    /// # Errors
    /// All that is wrong with the file.
    pub fn config(&self) -> Result<Option<WorkspaceConfig>, Vec<ConfigProblem>> {
        crate::statuses::text_in(&Folder::Disk(self.root().to_owned()), WORKSPACE_FILE)?
            .map(|(file, text)| parse_workspace_config(&file, &text))
            .transpose()
    }
}

/// Reads the text of a workspace's own file; `file` is its name in problems.
///
/// # Errors
/// All that is wrong with it.
pub fn parse_workspace_config(file: &str, text: &str) -> Result<WorkspaceConfig, Vec<ConfigProblem>> {
    let clipped =
        |problems: Vec<ConfigProblem>| problems.into_iter().map(ConfigProblem::clipped).collect::<Vec<_>>();
    let (_, config) =
        json::read::<WorkspaceConfig>(file, text, &schemas::WORKSPACE, Quote::Values).map_err(clipped)?;
    let mut wrong = Vec::new();
    let mut fault = |pointer: &str, expected: &str, found: String| {
        let mut problem = ConfigProblem::new(file, pointer, expected, found);
        problem.line = json::line_of(text, pointer);
        wrong.push(problem.clipped());
    };
    if config.name.chars().count() > MAX_NAME_CHARS || config.name.contains(char::is_control) {
        fault("/name", "one line of at most 120 characters", json::describe(&config.name.clone().into()));
    }
    if let Some(folder) = &config.defaults.working_directory
        && !(folder.is_empty()
            || Path::new(folder).is_absolute()
            || folder == "~"
            || folder.starts_with("~/"))
    {
        fault(
            "/defaults/workingDirectory",
            "an absolute path, or one that begins with `~/`",
            json::describe(&folder.clone().into()),
        );
    }
    if wrong.is_empty() { Ok(config) } else { Err(wrong) }
}

/// The text of the file, with all that the program does not know of.
pub fn workspace_config_text(config: &WorkspaceConfig) -> String {
    text_of(config)
}

/// Whether a name can be a workspace's slug: small letters, digits and hyphens, as a folder of any system can be named.
pub fn is_workspace_slug(slug: &str) -> bool {
    !slug.is_empty()
        && slug.len() <= MAX_SLUG_BYTES
        && slug.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !slug.starts_with('-')
        && !slug.ends_with('-')
}

/// A slug made of a name: `None` where nothing of it can be part of one.
pub fn workspace_slug(name: &str) -> Option<String> {
    let mut slug = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(MAX_SLUG_BYTES);
    let slug = slug.trim_matches('-').to_owned();
    is_workspace_slug(&slug).then_some(slug)
}

/// Every workspace, the default one first, then by slug. Their order in lists is their files' to say.
pub fn workspace_entries(home: &Path) -> Vec<WorkspaceEntry> {
    let base = home.join("workspaces");
    let mut found: BTreeMap<String, WorkspaceEntry> = folders(&base)
        .into_iter()
        .filter(|slug| is_workspace_slug(slug))
        .map(|slug| (slug.clone(), WorkspaceEntry { folder: base.join(&slug), slug, elsewhere: false }))
        .collect();
    for (slug, folder) in folders_in_use(home) {
        found.insert(slug.clone(), WorkspaceEntry { slug, folder, elsewhere: true });
    }
    let default = found.remove(DEFAULT_WORKSPACE).unwrap_or_else(|| WorkspaceEntry {
        slug: DEFAULT_WORKSPACE.to_owned(),
        folder: base.join(DEFAULT_WORKSPACE),
        elsewhere: false,
    });
    [default].into_iter().chain(found.into_values()).take(MAX_WORKSPACES).collect()
}

/// Where a workspace's files are, be it there or not.
pub(crate) fn root_of(home: &Path, slug: &str) -> PathBuf {
    let inside = home.join("workspaces").join(slug);
    if slug == DEFAULT_WORKSPACE {
        return inside;
    }
    folders_in_use(home).remove(slug).unwrap_or(inside)
}

/// Folders elsewhere, by slug, and the file's place for those that write it.
///
/// # Errors
/// What is wrong with the file that names them.
pub fn registered(home: &Path) -> Result<BTreeMap<String, PathBuf>, Vec<ConfigProblem>> {
    match crate::statuses::text_in(&Folder::Disk(home.join("workspaces")), FOLDERS)? {
        Some((file, text)) => parse_registered(&file, &text),
        None => Ok(BTreeMap::new()),
    }
}

/// Folders elsewhere, by slug, as the file was last valid: a slip in it leaves no workspace without its rules.
pub fn folders_in_use(home: &Path) -> BTreeMap<String, PathBuf> {
    registered(home).unwrap_or_else(|_| {
        let kept = std::fs::read_to_string(last_valid_file(home, &registered_file(home))).unwrap_or_default();
        parse_registered(FOLDERS, &kept).unwrap_or_default()
    })
}

/// Where the last valid version of a file that a person edits is kept for the next start. `config` writes it.
pub fn last_valid_file(home: &Path, path: &Path) -> PathBuf {
    let name = Digest::of(path.as_os_str().as_encoded_bytes()).to_string();
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
    home.join("cache").join("files").join(name)
}

/// Reads the text of the file that names folders elsewhere; `file` is its name in problems.
///
/// # Errors
/// All that is wrong with it.
pub fn parse_registered(file: &str, text: &str) -> Result<BTreeMap<String, PathBuf>, Vec<ConfigProblem>> {
    let mut wrong = json::repeated_names(file, text);
    let Value::Object(fields) = json::parse(file, text)? else {
        return Err(vec![ConfigProblem::new(file, "", "an object of slugs and folders", "another value")]);
    };
    let mut found = BTreeMap::new();
    for (slug, folder) in fields {
        let pointer = json::child("", &slug);
        let line = json::line_of(text, &pointer).unwrap_or_default();
        let folder = match folder {
            Value::String(folder) if Path::new(&folder).is_absolute() => PathBuf::from(folder),
            other => {
                let found = json::describe(&other);
                let problem = ConfigProblem::new(file, pointer, "a folder's absolute path", found);
                wrong.push(problem.on_line(line).clipped());
                continue;
            }
        };
        if !is_workspace_slug(&slug) || slug == DEFAULT_WORKSPACE {
            let expected = "a slug of small letters, digits and hyphens other than `default`";
            let problem = ConfigProblem::new(file, pointer, expected, format!("`{slug}`"));
            wrong.push(problem.on_line(line).clipped());
            continue;
        }
        found.insert(slug, folder);
    }
    if wrong.is_empty() { Ok(found) } else { Err(wrong) }
}

/// The file that names folders elsewhere.
pub fn registered_file(home: &Path) -> PathBuf {
    home.join("workspaces").join(FOLDERS)
}

/// Its text.
pub fn registered_text(folders: &BTreeMap<String, PathBuf>) -> String {
    text_of(folders)
}
