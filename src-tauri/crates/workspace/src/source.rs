//! A source's `config.json`.

pub(crate) mod check;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent::Origin;
use crate::folder::Folder;
use crate::json::{self, Quote};
use crate::problem::{ConfigProblem, MOST};
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
    /// How its server is started; needed for type `mcp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp: Option<McpServer>,
    /// Whether what it says about its own tools (that they only read, for example) is believed.
    #[serde(default)]
    pub trusted: bool,
}

/// How a source is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceType {
    /// An MCP server.
    Mcp,
    /// An HTTP interface; this version can't use it yet.
    Api,
    /// A local folder; this version can't use it yet.
    Local,
}

/// How an MCP server is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct McpServer {
    /// How it is spoken to.
    #[serde(default)]
    pub transport: Transport,
    /// A program's name, a path, or `@self`: this program itself.
    pub command: String,
    /// Arguments, as templates that may use `{{ corpus }}` and `{{ generation }}`; there is no shell.
    #[serde(default)]
    pub args: Vec<String>,
    /// Working directory; relative to the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Environment variables to set. A secret is written as `${secret:NAME}`, never in plain.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Names of this program's environment variables to pass on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inherit_env: Vec<String>,
    /// The most seconds from its start to its list of tools.
    #[serde(default = "start_timeout")]
    pub start_timeout_seconds: u64,
    /// The longest silence within a call, in seconds.
    #[serde(default = "call_idle")]
    pub call_idle_seconds: u64,
    /// The longest call, in seconds.
    #[serde(default = "call_total")]
    pub call_total_seconds: u64,
    /// Calls under way at once.
    #[serde(default = "concurrent_calls")]
    pub max_concurrent_calls: u32,
}

fn start_timeout() -> u64 {
    30
}

fn call_idle() -> u64 {
    60
}

fn call_total() -> u64 {
    600
}

fn concurrent_calls() -> u32 {
    8
}

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// Over its standard input and output.
    #[default]
    Stdio,
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

/// Loads a source from its folder.
pub(crate) fn load(folder: &Folder, slug: &str) -> Result<SourceConfig, Vec<ConfigProblem>> {
    let file = folder.label("config.json");
    let text = folder.text("config.json").map_err(|fault| vec![fault.problem(&file, "")])?;
    let clipped = |problems: Vec<ConfigProblem>| problems.into_iter().map(ConfigProblem::clipped).collect();
    let (_, config) =
        json::read::<SourceConfig>(&file, &text, &schemas::SOURCE, Quote::Kinds).map_err(clipped)?;
    let mut problems = check::check(&file, slug, &config);
    problems.truncate(MOST);
    for problem in &mut problems {
        problem.line = json::line_of(&text, &problem.pointer);
    }
    if problems.is_empty() { Ok(config) } else { Err(clipped(problems)) }
}
