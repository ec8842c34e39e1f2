//! The program itself: settings, workspaces, connections, state of health.

use std::collections::BTreeMap;

use domain::LimitSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::backup::{BackupSettings, RetentionSettings};

/// What the program is and where it keeps things.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppInfo {
    /// Its version.
    pub version: String,
    /// The data directory.
    pub home: String,
    /// The folder of log files.
    pub logs: String,
    /// The operating system and machine.
    pub platform: String,
    /// Bytes of the database.
    pub database_bytes: u64,
    /// Bytes of all knowledge bases.
    pub knowledge_bytes: u64,
    /// Sessions, deleted ones left out.
    pub sessions: u32,
    /// Runs being driven now.
    pub live_runs: u32,
    /// Milliseconds since the core was opened.
    pub up_ms: u64,
}

/// What `doctor` finds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// What was looked at.
    pub name: String,
    /// How it is.
    pub state: CheckState,
    /// What was found.
    pub message: String,
    /// What to do.
    pub action: Option<String>,
}

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    /// As it should be.
    Ok,
    /// Something is missing, and the program works without it.
    Note,
    /// Something does not work.
    Broken,
}

/// Light, dark, or as the desktop has it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // named by the words themselves
pub enum ColorMode {
    #[default]
    System,
    Light,
    Dark,
}

/// What a person sets, kept in `settings.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Light, dark, or as the desktop has it.
    pub mode: ColorMode,
    /// The theme's name.
    pub theme: String,
    /// Zoom of everything, 0.7 to 1.6.
    pub zoom: f64,
    /// Whether a native notification tells that a run paused, finished or failed.
    pub notifications: bool,
    /// Whether closing the window leaves the program in the tray.
    pub close_to_tray: bool,
    /// The agent that a new question goes to.
    pub default_agent: String,
    /// The depth of a new question; empty for the agent's.
    pub default_depth: String,
    /// The connection of a new question; empty for the agent's, else the offline engine.
    pub default_connection: String,
    /// Connections of single agents, by the agent's slug: before what the agent itself names.
    pub agent_connections: BTreeMap<String, String>,
    /// Whether Enter sends; otherwise Ctrl+Enter does.
    pub enter_sends: bool,
    /// Whether follow-ups of runs pause at their plan; otherwise they go on by themselves.
    pub pause_follow_ups: bool,
    /// Whether the model titles a conversation after its first answer.
    pub model_titles: bool,
    /// Whether the first-run page was left.
    pub welcomed: bool,
    /// Backups that are made by themselves.
    pub backup: BackupSettings,
    /// What happens to sessions as they grow old.
    pub retention: RetentionSettings,
    /// The slug of the person's current workspace.
    pub workspace: String,
    /// Limits on money.
    pub limits: LimitSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            mode: ColorMode::System,
            theme: "paper".to_owned(),
            zoom: 1.0,
            notifications: true,
            close_to_tray: false,
            default_agent: String::new(),
            default_depth: String::new(),
            default_connection: String::new(),
            agent_connections: BTreeMap::new(),
            enter_sends: true,
            pause_follow_ups: false,
            model_titles: false,
            welcomed: false,
            backup: BackupSettings::default(),
            retention: RetentionSettings::default(),
            workspace: "default".to_owned(),
            limits: LimitSettings::default(),
        }
    }
}

/// New values for some settings; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[allow(missing_docs)] // named as in [`Settings`]
pub struct SettingsPatch {
    pub mode: Option<ColorMode>,
    pub theme: Option<String>,
    pub zoom: Option<f64>,
    pub notifications: Option<bool>,
    pub close_to_tray: Option<bool>,
    pub default_agent: Option<String>,
    pub default_depth: Option<String>,
    pub default_connection: Option<String>,
    pub agent_connections: Option<BTreeMap<String, String>>,
    pub enter_sends: Option<bool>,
    pub pause_follow_ups: Option<bool>,
    pub model_titles: Option<bool>,
    pub welcomed: Option<bool>,
    pub backup: Option<BackupSettings>,
    pub retention: Option<RetentionSettings>,
    pub workspace: Option<String>,
    pub limits: Option<LimitSettings>,
}

/// What a search over everything found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    /// What it is.
    pub kind: SearchKind,
    /// A session's id, a run's id, an agent's or source's slug, or a base's name.
    pub id: String,
    /// Its title.
    pub title: String,
    /// One line of where the text was found.
    pub line: String,
}

/// What a search hit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // named by the words themselves
pub enum SearchKind {
    Session,
    Agent,
    Source,
    Base,
}
