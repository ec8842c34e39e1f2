//! Sources: where tools come from.

use domain::{Problem, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::SourceType;

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
    /// What it is.
    pub kind: SourceRowKind,
    /// An emoji or a letter to know it by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// Agents that use it.
    pub used_by: Vec<String>,
    /// Whether the shipped one is used.
    pub shipped: bool,
    /// Whether it may be used.
    pub enabled: bool,
    /// Whether it can be used.
    pub status: SourceStatus,
    /// Why, where it needs a word.
    pub status_detail: String,
    /// How many of its tools were approved as they are; 0 when they are not known yet.
    pub tools: u32,
    /// Tools that changed since they were approved.
    pub changed_tools: Vec<String>,
    /// What is wrong with it.
    pub problems: Vec<FileProblem>,
}

words! {
    /// What a listed source is.
    pub enum SourceRowKind {
        /// Its configuration can't be read.
        Unread = "",
        /// A server of the Model Context Protocol.
        Mcp = "mcp",
        /// A web API.
        Api = "api",
        /// A folder.
        Local = "local",
    }
}

impl From<SourceType> for SourceRowKind {
    fn from(kind: SourceType) -> Self {
        match kind {
            SourceType::Mcp => Self::Mcp,
            SourceType::Api => Self::Api,
            SourceType::Local => Self::Local,
        }
    }
}

words! {
    /// Whether a source can be used.
    #[derive(Default)]
    pub enum SourceStatus {
        /// Its tools can be called.
        Ready = "ready",
        /// It starts with the first call.
        #[default]
        Idle = "idle",
        /// Its server is being started.
        Starting = "starting",
        /// It did not start, or it ended.
        Failed = "failed",
        /// It lacks a secret or a sign-in.
        NeedsAuth = "needs_auth",
        /// Nobody has accepted it in its present form.
        NeedsApproval = "needs_approval",
        /// It was switched off.
        Off = "off",
        /// Its configuration has an error.
        Broken = "broken",
    }
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
    /// Its tools as they were last listed.
    pub tools: Vec<ToolRow>,
    /// Tools that its server lists and that can't be used.
    #[serde(default)]
    pub left_out: Vec<OmittedTool>,
    /// Secrets that its configuration names, and whether the vault has them.
    pub secrets: Vec<SecretUse>,
    /// What it runs or reaches, as a person approves it.
    #[serde(default)]
    pub reaches: String,
    /// The digest of all that decides it: whoever saw this view approves exactly that with it.
    #[serde(default)]
    pub reach: String,
    /// Whether that is approved as it is now.
    #[serde(default)]
    pub approved: bool,
    /// Whether a person signs in for it in a browser.
    #[serde(default)]
    pub signs_in: bool,
    /// Whether somebody is signed in for it.
    #[serde(default)]
    pub signed_in: bool,
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
    /// Tools that its server lists and that can't be used.
    #[serde(default)]
    pub left_out: Vec<OmittedTool>,
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
    /// How it stands to what was approved: empty, `new` or `changed`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub approval: String,
    /// What was approved, where it changed: its definition as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved: Option<Value>,
}

/// A tool that a server lists and nobody can use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OmittedTool {
    /// Its name as far as it has one, with invisible characters written out; else its place in the list.
    pub tool: String,
    /// What is wrong with it.
    pub reason: String,
}

/// A secret that a configuration names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretUse {
    /// Its name in the vault.
    pub name: String,
    /// Whether it is there.
    pub present: bool,
    /// What it is, in words.
    #[serde(default)]
    pub label: String,
    /// Whether the source can do without it.
    #[serde(default)]
    pub optional: bool,
    /// Whether it is there but was not given for what the source reaches now: it is not used.
    #[serde(default)]
    pub unbound: bool,
    /// When it was stored, in milliseconds since 1970.
    #[serde(default)]
    pub stored_at: Option<i64>,
}

/// What a configuration asks for that is not saved yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceNeeds {
    /// What it would run or reach; empty where the configuration is not complete.
    pub reaches: String,
    /// Secrets that it would use.
    pub secrets: Vec<SecretUse>,
    /// Whether a person would sign in for it in a browser.
    pub signs_in: bool,
    /// Why it can't be saved.
    pub problems: Vec<FileProblem>,
}

/// A source that was read from the configuration of another program.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceDraft {
    /// A `config.json` that refers to its secrets by name.
    pub config: Value,
    /// The secrets that stood in the text.
    pub secrets: std::collections::BTreeMap<String, crate::Hidden>,
    /// What of the text has no counterpart here.
    pub left_out: Vec<String>,
    /// What the person should know: that it is switched off in the other program, where a value comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Why it can't be a source here; `config` then has its slug and name alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// The web search that agents and conversations share.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebSearchState {
    /// `brave`, `searxng`, or empty where there is none.
    pub service: String,
    /// The address of the SearXNG instance, where the vault has it.
    pub address: String,
    /// Whether it is set in the environment of the program.
    pub environment: bool,
    /// When the key was stored, in milliseconds since 1970.
    pub stored_at: Option<i64>,
    /// Whether the vault is locked: what it may hold for the web search is not used.
    #[serde(default)]
    pub locked: bool,
}

/// A source to add or change.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SourceSave {
    /// Its `config.json`.
    pub config: Value,
    /// Its `guide.md`; absent: as it is.
    #[serde(default)]
    pub guide: Option<String>,
    /// Secrets to put into the vault, by the name that the configuration gives them.
    #[serde(default)]
    pub secrets: std::collections::BTreeMap<String, crate::Hidden>,
    /// An OpenAPI document that typed tools are made of; absent: as it is.
    #[serde(default)]
    pub openapi: Option<String>,
    /// Whether the person saw and approved the whole command or address that it will reach.
    pub approved: bool,
    /// Whether it is a new one: a source that has its name already is not replaced.
    #[serde(default)]
    pub is_new: bool,
}

/// A form for a new source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourcePreset {
    /// Its name.
    pub name: String,
    /// One line on it.
    pub description: String,
    /// Where credentials come from, in words; may have an address.
    pub credentials: String,
    /// A `config.json` to begin with.
    pub config: Value,
    /// A `guide.md` to begin with.
    pub guide: String,
}

/// What a single call of a tool gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceCalled {
    /// Whether it succeeded.
    pub ok: bool,
    /// What it gave, cut at 100,000 bytes.
    pub text: String,
    /// Milliseconds.
    pub ms: u64,
    /// Why it failed.
    pub problem: Option<Problem>,
}

/// What is known of a source over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceLog {
    /// The last lines that it wrote to standard error, of an `api` source its last requests.
    pub log: String,
    /// Checks, newest first; at most 100.
    pub checks: Vec<SourceCheck>,
}

/// A check of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceCheck {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Whether it worked.
    pub ok: bool,
    /// Milliseconds.
    pub ms: u64,
    /// Why not.
    pub detail: String,
}

/// What an OpenAPI document would make.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenApiPreview {
    /// The interface's title.
    pub title: String,
    /// Its base address.
    pub base_url: String,
    /// Tools.
    pub tools: Vec<ToolRow>,
    /// What could not be used, and why.
    pub warnings: Vec<String>,
    /// A `config.json` to begin with.
    pub config: Value,
}
