//! Sources of type `mcp`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How an MCP server is started or reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct McpServer {
    /// How it is spoken to.
    #[serde(default)]
    pub transport: Transport,
    /// For `stdio`: a program's name, a path, or `@self`: this program itself. A path is relative to the workspace; a name
    /// is looked up in the search path.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// Arguments, as templates that may use `{{ corpus }}`, `{{ generation }}` and `{{ attached }}`; there is no shell.
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
    /// For `http`: the server's address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// For `http`: headers of every request. A secret is written as `${secret:NAME}`, never in plain.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// For `http`: what requests present. `bearer` is the secret `bearer`.
    #[serde(default, skip_serializing_if = "McpAuth::is_none")]
    pub auth_type: McpAuth,
    /// For `oauth`: the client id that the server's operator gave; without it the program registers itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// For `oauth`: what is asked for, where the server does not say it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
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
    /// Over HTTP, at its address.
    Http,
}

/// What requests to a server present.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum McpAuth {
    /// Nothing beside the headers.
    #[default]
    None,
    /// `Authorization: Bearer`, with the secret `bearer`.
    Bearer,
    /// A token of the OAuth service that the server names; the person signs in.
    Oauth,
}

impl McpAuth {
    fn is_none(&self) -> bool {
        *self == Self::None
    }
}
