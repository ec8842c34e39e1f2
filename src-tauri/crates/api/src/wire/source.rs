//! Sources: where tools come from.

use domain::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::agent::FileProblem;

/// A source in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceRow {
    /// Its folder name.
    pub slug: String,
    /// Its name.
    pub name: String,
    /// One line on it.
    pub description: String,
    /// `mcp`, `api` or `local`.
    pub kind: String,
    /// Agents that use it.
    pub used_by: Vec<String>,
    /// Whether the shipped one is used.
    pub shipped: bool,
    /// What is wrong with it.
    pub problems: Vec<FileProblem>,
}

/// A source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceView {
    /// The source.
    pub source: SourceRow,
    /// How to use it, Markdown.
    pub guide: String,
    /// Its configuration with secrets left out.
    pub config: Value,
    /// The folder where the person's own version would stand or stands.
    pub folder: String,
}

/// What a trial start of a source gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceTest {
    /// Whether it started and listed its tools.
    pub ok: bool,
    /// Milliseconds until its tools were listed.
    pub ms: u64,
    /// The server's name and version.
    pub server: String,
    /// Its tools.
    pub tools: Vec<ToolRow>,
    /// Why it could not be used.
    pub problem: Option<Problem>,
    /// The last lines that it wrote to standard error.
    pub log: String,
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolRow {
    /// Its name.
    pub name: String,
    /// What it does, as its server says.
    pub description: String,
    /// Whether its server says that it changes nothing.
    pub read_only: bool,
    /// The schema of its arguments.
    pub input: Value,
}
