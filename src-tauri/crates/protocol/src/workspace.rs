//! Workspaces, and what is wrong with files that a person edits.

use domain::agent::Effort;
use domain::{Mode, SessionSetup};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A workspace.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceRow {
    /// Its slug.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The folder with its files.
    pub folder: String,
    /// Whether the folder is one that the person chose, outside the data directory.
    pub elsewhere: bool,
    /// Whether the folder is there now.
    pub there: bool,
    /// Whether it is the person's current one.
    pub current: bool,
    /// Its sessions, archived ones included, deleted ones left out.
    pub sessions: u32,
    /// What a new session in it begins with, as its file says.
    pub defaults: WorkspaceDefaultsView,
    /// What a new session in it is set to by that.
    pub setup: SessionSetup,
    /// How many of its files are broken.
    pub problems: u32,
}

/// What a new session in a workspace begins with; what is absent is as everywhere.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct WorkspaceDefaultsView {
    /// The connection's slug.
    pub connection: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// How much may be done unasked.
    pub mode: Option<Mode>,
    /// Slugs of the sources that are on.
    pub sources: Option<Vec<String>>,
    /// The folder to work in: absolute, or below the person's own with `~/`.
    pub folder: Option<String>,
    /// How hard to think.
    pub effort: Option<Effort>,
}

/// A new workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct WorkspaceCreate {
    /// Its name.
    pub name: String,
    /// Its slug; without it one made of the name.
    pub slug: Option<String>,
    /// What a new session in it begins with.
    pub defaults: Option<WorkspaceDefaultsView>,
}

/// New values for a workspace; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct WorkspaceUpdate {
    /// Its slug.
    pub workspace: String,
    /// Its name.
    pub name: Option<String>,
    /// Its place in lists, from 0.
    pub place: Option<u32>,
    /// What a new session in it begins with, as a whole.
    pub defaults: Option<WorkspaceDefaultsView>,
}

/// A workspace that is to go.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct WorkspaceRemove {
    /// Its slug.
    pub workspace: String,
    /// The workspace that its sessions and knowledge bases move to; without it one with sessions is not removed, and its bases
    /// wait in the trash with its files.
    pub move_to: Option<String>,
}

/// A workspace that was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceRemoved {
    /// What brings it back, what was moved left out.
    pub trash: String,
    /// How many sessions were moved.
    pub moved: u32,
    /// How many knowledge bases went with them, or wait in the trash with its files where it had no sessions.
    #[serde(default)]
    pub bases: u32,
}

/// A removed workspace that is to come back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkspaceRestore {
    /// As removing it said.
    pub trash: String,
}

/// A folder of the person's that is to be a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct WorkspaceFolder {
    /// The folder, by its whole path.
    pub folder: String,
    /// Its name; without it the one in its `config.json`, else the folder's.
    pub name: Option<String>,
}

/// Sessions that move to another workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionMove {
    /// The sessions.
    pub sessions: Vec<String>,
    /// Where to.
    pub workspace: String,
}

/// A file that is broken: what it last said when it was right is in use.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigProblemRow {
    /// The workspace's slug; absent for files of the whole program.
    pub workspace: Option<String>,
    /// What the file is part of: `settings`, `workspace`, `permissions`, `statuses`, `labels`, `views`, `automations`, `themes`,
    /// `agents`, `sources` or `skills`.
    pub part: String,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: Option<u32>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: Option<String>,
    /// Whether an earlier version of it is in use.
    pub kept: bool,
}
