//! Themes: the person's own, and what a workspace changes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workspace::Theme;

use super::agent::FileProblem;

/// The themes that are files. Those of the program are the surface's own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThemeList {
    /// The person's, sorted by id.
    pub own: Vec<ThemeRow>,
    /// What the workspace changes, where it changes something.
    pub workspace: Option<ThemeRow>,
    /// The theme that the workspace's settings name in place of the program's.
    pub workspace_base: Option<String>,
}

/// A theme that is a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThemeRow {
    /// The file's name without `.json`; empty for a workspace's.
    pub id: String,
    /// The file.
    pub file: String,
    /// The theme, as it was when it was last right; absent when it never was.
    pub theme: Option<Theme>,
    /// What is wrong with the file now.
    pub problems: Vec<FileProblem>,
    /// Of the file's text, for saving.
    pub digest: Option<String>,
}

/// Where a theme is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThemePlace {
    /// As a new one of the person's; its id is made from its name.
    #[default]
    New,
    /// As the person's one of this id.
    Own(String),
    /// As what the workspace changes.
    Workspace,
}

/// A theme to keep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ThemeSave {
    /// Where.
    pub place: ThemePlace,
    /// It.
    pub theme: Theme,
    /// The digest of the text that was changed: what was changed outside meanwhile is not written over.
    #[serde(default)]
    pub seen: Option<String>,
    /// Ids that a new one must not take: those of the surface's own themes.
    #[serde(default)]
    pub taken: Vec<String>,
}

/// A theme to remove.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ThemeRemove {
    /// Where it is kept.
    pub place: ThemePlace,
}

/// The text of a theme, of this program or another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ThemeText {
    /// JSON, at most 64 KiB.
    pub text: String,
    /// What it is called where it does not say so itself: its file's name.
    #[serde(default)]
    pub name: String,
}

/// A theme that was read and not yet kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThemeImported {
    /// It.
    pub theme: Theme,
    /// What was left out or changed.
    pub notes: Vec<ThemeRemark>,
}

/// One thing of a theme that was left out or changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThemeRemark {
    /// Where: a JSON pointer.
    pub place: String,
    /// What became of it, and why.
    pub text: String,
}
