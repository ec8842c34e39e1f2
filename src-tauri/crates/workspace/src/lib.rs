//! Files a person edits, and the ones shipped: agents, prompts, sources, connections; loading and precise validation.
//!
//! Bird's-eye view: a [`Workspace`] names two places, the files embedded in the program and the person's folder
//! `<home>/workspaces/<slug>`, or one elsewhere that they chose; the person's wins over a shipped one of the same slug. Loading reads every file within
//! bounds, checks it and gives either the thing or all of its [`ConfigProblem`]s: a broken agent is an entry with its
//! problems, never a reason not to start.
//!
//! Architecture invariant: keeps no run state, writes nothing, starts nothing, and knows no agent, stage or tool by
//! name.

mod agent;
mod connections;
mod entries;
mod folder;
mod json;
mod labels;
mod mission;
mod open;
mod permissions;
mod problem;
mod schemas;
mod shipped;
mod skill;
mod source;
mod state_file;
mod statuses;
mod theme;
mod validate;
mod views;

pub use agent::{Agent, AgentEntry, AgentFile, FrontMatter, Origin};
pub use connections::{
    ConnectionEntry, ConnectionList, ConnectionsFile, check_connection, connection_slug_fault,
    connections_text, parse_connections, read_connections,
};
pub use entries::{
    DEFAULT_WORKSPACE, MAX_WORKSPACES, Thinking, WORKSPACE_FILE, WorkspaceConfig, WorkspaceDefaults,
    WorkspaceEntry, folders_in_use, is_workspace_slug, last_valid_file, parse_registered,
    parse_workspace_config, registered, registered_file, registered_text, workspace_config_text,
    workspace_entries, workspace_slug,
};
pub use json::{line_of, parse_as};
pub use labels::{labels_text, parse_labels};
pub use mission::ProfileEntry;
pub use open::Workspace;
pub use permissions::{RULES, RuleEntry, parse_rules, session_rules};
pub use problem::{ConfigProblem, WorkspaceError};
pub use schemas::{
    agent_schema, connections_schema, labels_schema, mission_schema, permissions_schema, source_schema,
    statuses_schema, theme_schema, views_schema,
};
pub use shipped::{
    ShippedCorpus, ShippedKind, all_shipped_corpora, shipped_corpora, shipped_slugs, shipped_text,
};
pub use skill::{FilePatterns, Skill, SkillEntry, SkillOrigin, chat_prompt, help_pages, parse_skill};
pub use source::{
    ApiAuth, ApiServer, LocalFolder, McpAuth, McpServer, SourceConfig, SourceEntry, SourceType, TestEndpoint,
    Transport, looks_secret, names_secret, read as read_source, secret_names, source_key, source_presets,
};
pub use state_file::{StateFileError, check_state_file};
pub use statuses::{CheckedList, file_text, parse_statuses, statuses_text};
pub use theme::{
    BUILT_IN_THEMES, ImportedTheme, Theme, ThemeColours, ThemeEntry, ThemeNote, check_theme, import_theme,
    is_theme_id, parse_theme, read_themes, theme_ids, theme_text,
};
pub use validate::ConfigKind;
pub use views::{ViewsFile, parse_views, view_problems, views_text};
