//! A source's `config.json`.

mod api;
pub(crate) mod check;
mod kinds;
mod local;
mod mcp;
mod reach;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use api::{ApiAuth, ApiServer, TestEndpoint};
pub use check::{looks_secret, names_secret};
pub use local::LocalFolder;
pub use mcp::{McpAuth, McpServer, Transport};
pub use reach::secret_names;

use crate::agent::Origin;
use crate::folder::Folder;
use crate::json::{self, Quote};
use crate::problem::{ConfigProblem, MAX_PROBLEMS};
use crate::schemas;

/// The whole of a source's `config.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SourceConfig {
    /// Names the JSON Schema of this file, so that editors complete and check it.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The source's folder name.
    pub slug: String,
    /// The name a person sees.
    pub name: String,
    /// One sentence on what it gives.
    pub description: String,
    /// How it is reached.
    #[serde(rename = "type")]
    pub kind: SourceType,
    /// An emoji or a letter to know it by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// How its server is started or reached; needed for type `mcp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp: Option<McpServer>,
    /// How its HTTP interface is asked; needed for type `api`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api: Option<ApiServer>,
    /// Which folder it is; needed for type `local`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<LocalFolder>,
    /// The tools that the model of a conversation is offered, by their names at the source; empty: all. Stages of agents
    /// call the others by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<String>,
    /// Whether what it says about its own tools (that they only read, for example) is believed.
    #[serde(default)]
    pub trusted: bool,
    /// The slug of the workspace that it was read from; empty for the default one and for what is shipped.
    #[serde(skip)]
    pub owner: String,
}

impl SourceConfig {
    /// What its secrets, approvals and checks are kept under: its slug, or `<workspace>.<slug>`. A slug has no dot.
    pub fn key(&self) -> String {
        source_key(&self.owner, &self.slug)
    }
}

/// What a source's secrets, approvals and checks are kept under; `owner` as in [`SourceConfig::owner`].
pub fn source_key(owner: &str, slug: &str) -> String {
    if owner.is_empty() { slug.to_owned() } else { format!("{owner}.{slug}") }
}

/// How a source is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceType {
    /// An MCP server.
    Mcp,
    /// An HTTP interface.
    Api,
    /// A folder of this machine, which is read only.
    Local,
}

impl SourceType {
    /// The word in the file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Api => "api",
            Self::Local => "local",
        }
    }
}

/// A source in a list: usable, or with what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceEntry {
    /// Its folder's name.
    pub slug: String,
    /// Where it is from.
    pub origin: Origin,
    /// Whether it stands in for a shipped one of the same slug.
    pub overrides_shipped: bool,
    /// The source, or all that is wrong with it.
    pub source: Result<SourceConfig, Vec<ConfigProblem>>,
}

/// Forms for new sources as they are shipped: a JSON list.
pub fn source_presets() -> Option<&'static str> {
    crate::shipped::file("sources/presets.json").and_then(|bytes| std::str::from_utf8(bytes).ok())
}

/// Loads a source from its folder.
pub(crate) fn load(folder: &Folder, slug: &str) -> Result<SourceConfig, Vec<ConfigProblem>> {
    let file = folder.label("config.json");
    let text = folder.text("config.json").map_err(|fault| vec![fault.problem(&file, "")])?;
    read(&file, slug, &text)
}

/// Reads a source from the text of its `config.json`; `file` names it in problems.
pub fn read(file: &str, slug: &str, text: &str) -> Result<SourceConfig, Vec<ConfigProblem>> {
    let clipped = |problems: Vec<ConfigProblem>| problems.into_iter().map(ConfigProblem::clipped).collect();
    let (_, config) =
        json::read::<SourceConfig>(file, text, &schemas::SOURCE, Quote::Kinds).map_err(clipped)?;
    let mut problems = check::check(file, slug, &config);
    problems.truncate(MAX_PROBLEMS);
    for problem in &mut problems {
        problem.line = json::line_of(text, &problem.pointer);
    }
    if problems.is_empty() { Ok(config) } else { Err(clipped(problems)) }
}
