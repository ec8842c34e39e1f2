//! A file of rules, as a person writes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The whole of a `permissions.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleFile {
    /// Names the JSON Schema of this file, so that editors complete and check it.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The form of this file: 1.
    pub version: u32,
    /// The rules, in any order: deny goes before ask, and ask before allow.
    pub rules: Vec<Rule>,
}

/// What happens to a call that a rule matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// It runs, as far as the session's mode allows it at all.
    Allow,
    /// The person is asked, in the Auto mode too. An allow rule of a later layer goes before it.
    Ask,
    /// It does not run. No rule, grant or mode overrides this.
    Deny,
}

impl Effect {
    /// The word in a file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// It is read.
    Read,
    /// It is created, changed or deleted.
    Write,
}

/// One rule. At most one of `command`, `path`, `host` and `request` says what it is about; with none of them it is
/// about every call of the tools that it names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// What happens.
    pub effect: Effect,
    /// Slugs of sources that it is about, as a pattern with `*`. Without it an allow rule is about tools that are built
    /// in, any other rule about all tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Names of tools, as a pattern with `*`; without it all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Words of a simple command, from its first to its last: `git status *`. In a word, `*` is any text; as a word of
    /// its own it is one word, at the end any words or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// A file's path: absolute, below the home folder (`~/…`), or relative to a folder of the session. `*` and `?` stay
    /// within a name, `**` goes over folders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// For a path: whether it is about reading or about writing alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// A host: `docs.rs`, `*.example.org`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// A request to a source of type `api`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestPattern>,
    /// Why it is there. It is shown where the rule decides.
    pub reason: String,
    /// For deny: what the agent may do instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// Examples that it must match: commands, paths, hosts, requests like `GET /issues`, or names of tools. A rule
    /// whose examples fail is not taken.
    #[serde(rename = "match", default, skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<String>,
    /// Examples that it must not match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_match: Vec<String>,
}

/// Requests to a source of type `api`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestPattern {
    /// `GET`, `POST`, … or `*`.
    pub method: String,
    /// The path below the source's base address, as a pattern: `/issues/*`.
    pub path: String,
}

impl Rule {
    /// What it matches, in words.
    pub fn words(&self) -> String {
        let mut words = match (&self.command, &self.path, &self.host, &self.request) {
            (Some(command), _, _, _) => format!("commands like `{command}`"),
            (_, Some(path), _, _) => match self.access {
                Some(Access::Read) => format!("reading files like `{path}`"),
                Some(Access::Write) => format!("changing files like `{path}`"),
                None => format!("files like `{path}`"),
            },
            (_, _, Some(host), _) => format!("pages of `{host}`"),
            (_, _, _, Some(request)) => format!("requests like `{} {}`", request.method, request.path),
            (None, None, None, None) => "every call".to_owned(),
        };
        if let Some(tool) = &self.tool {
            words.push_str(&format!(" of the tool `{tool}`"));
        }
        if let Some(source) = &self.source {
            words.push_str(&format!(" of the source `{source}`"));
        }
        words
    }
}
