//! Permission: what a call would do, who decides on it, and what the person granted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How much a session's agent may do unasked.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Explore: it reads; nothing changes and nothing leaves the machine.
    Safe,
    /// Ask to edit: whatever changes something is asked for.
    #[default]
    Ask,
    /// Auto: nothing is asked; deny rules hold.
    AllowAll,
}

impl Mode {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Ask => "ask",
            Self::AllowAll => "allow-all",
        }
    }
}

/// What a tool says about itself (MCP tool annotations). A claim: it counts only where the source is trusted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Hints {
    /// It changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// It may delete or overwrite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// The same call twice does no more than once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// It reaches beyond this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

/// What a call would do, as far as code knows before it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "deed")]
pub enum CallEffect {
    /// Touches nothing but the conversation: a question, a list of tasks, a plan.
    Inner,
    /// Reads a file or folder.
    Read {
        /// Absolute, resolved: no links, no `..`.
        path: String,
    },
    /// Creates or changes a file.
    Write {
        /// Absolute, resolved.
        path: String,
    },
    /// Runs a command in a shell.
    Shell {
        /// The whole command.
        command: String,
        /// Where, absolute.
        cwd: String,
    },
    /// Reads a page.
    Fetch {
        /// The address.
        url: String,
    },
    /// A request to an `api` source.
    Request {
        /// `GET`, `POST`, …
        method: String,
        /// The path below the source's base address, without query.
        path: String,
    },
    /// A tool of a source, of which only its annotations tell what it does.
    Tool,
    /// Asks a model: it costs, and changes nothing.
    Model,
}

/// A call on which permission is decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccessRequest {
    /// The source's slug; empty for what is built in.
    pub source: String,
    /// The tool's name at its source.
    pub tool: String,
    /// What it would do.
    #[serde(rename = "deed")]
    pub effect: CallEffect,
    /// What it says of itself.
    pub hints: Hints,
    /// Whether that is believed.
    pub trusted: bool,
    /// Its arguments.
    pub arguments: Value,
}

/// How long a grant holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrantScope {
    /// For the one call that it was asked for.
    Once,
    /// In its session, over restarts.
    Session,
    /// In every session of the workspace.
    Workspace,
    /// Everywhere.
    Always,
}

/// What of a tool's calls a grant covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "covers", content = "value")]
pub enum Covers {
    /// Every call of the tool.
    Any,
    /// Exactly these arguments: the digest of their canonical JSON.
    Arguments(crate::Digest),
    /// Simple commands that begin with these words; every command of a line must be covered.
    Command(Vec<String>),
    /// Files at or below this absolute path.
    Path(String),
    /// Addresses of this host.
    Host(String),
    /// Requests with this method to this path.
    Request(String, String),
    /// Calls that the stages of an agent make by themselves.
    Stages {
        /// The agent's slug.
        agent: String,
        /// Tools by their names at the source.
        tools: Vec<String>,
        /// What the stages did when it was given: as `agent::stages_digest` names it. Absent in grants of earlier versions, which
        /// say by name alone whose they are and cover nothing any more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<crate::Digest>,
    },
}

/// The stages of an agent, as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentStages<'a> {
    /// The agent's slug.
    pub agent: &'a str,
    /// What they do: see [`crate::agent::stages_digest`].
    pub digest: crate::Digest,
}

/// Something that the person allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Grant {
    /// Its id.
    pub id: String,
    /// How long it holds.
    pub scope: GrantScope,
    /// The session that it was given in; it holds there alone when its scope says so.
    pub session: String,
    /// The slug of the workspace that it was given in; it holds there alone when its scope says so. `None`: it was given
    /// by a version that did not keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The source's slug; empty for what is built in.
    pub source: String,
    /// The tool's name at its source.
    pub tool: String,
    /// Which calls of it.
    pub covers: Covers,
    /// When it was given, in milliseconds since 1970.
    pub created_at: i64,
    /// When it ends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// The request that it answered: a run and its call.
    pub request: String,
    /// In words: ``Commands that begin with `git commit` ``.
    pub words: String,
}

/// The reason of a refusal that no person gave: nobody was there to be asked.
pub const NOBODY: &str = "nobody is there to allow it";

/// A scope that the person may choose when asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    /// How long.
    pub scope: GrantScope,
    /// Which calls.
    pub covers: Covers,
    /// In words, honest about both.
    pub words: String,
}

/// What stands around a command while it runs.
///
/// Written as `false`, `true` and `"copy"`: logs had a truth value before there were copies, and a program that does not
/// know copies must not take one for a command that may write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Walls {
    /// Nothing: it runs as the person would run it.
    #[default]
    Open,
    /// The system keeps it from writing and from the network.
    Confined,
    /// The same, and it may write to a copy of the session's folders that is thrown away.
    Copied,
}

impl Walls {
    /// Whether nothing stands around it.
    pub fn is_open(&self) -> bool {
        *self == Self::Open
    }
}

impl Serialize for Walls {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Open => serializer.serialize_bool(false),
            Self::Confined => serializer.serialize_bool(true),
            Self::Copied => serializer.serialize_str("copy"),
        }
    }
}

impl<'de> Deserialize<'de> for Walls {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Confined(bool),
            Word(Word),
        }
        #[derive(Deserialize)]
        enum Word {
            #[serde(rename = "copy")]
            Copy,
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::Confined(false) => Self::Open,
            Form::Confined(true) => Self::Confined,
            Form::Word(Word::Copy) => Self::Copied,
        })
    }
}

/// What allows a call: one text in logs and in the audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum AllowedBy {
    /// A grant, by its id.
    Grant(String),
    /// A rule, the mode or the user, in words.
    Reason(String),
}

/// What a grant's text begins with.
const GRANT: &str = "grant ";

impl std::fmt::Display for AllowedBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Grant(id) => write!(f, "{GRANT}{id}"),
            Self::Reason(words) => f.write_str(words),
        }
    }
}

impl From<AllowedBy> for String {
    fn from(by: AllowedBy) -> Self {
        by.to_string()
    }
}

impl From<String> for AllowedBy {
    fn from(text: String) -> Self {
        match text.strip_prefix(GRANT) {
            Some(id) => Self::Grant(id.to_owned()),
            None => Self::Reason(text),
        }
    }
}

impl From<&str> for AllowedBy {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// What was decided on a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "ruling")]
pub enum Ruling {
    /// It runs.
    Allow {
        /// What allows it.
        #[schemars(with = "String")]
        by: AllowedBy,
        /// What the system keeps it from while it runs.
        #[serde(default, skip_serializing_if = "Walls::is_open")]
        #[schemars(with = "bool")]
        confined: Walls,
    },
    /// The person decides.
    Ask {
        /// Why it is asked.
        why: String,
        /// What may be granted, the narrowest first. The first one is always for once.
        offers: Vec<Offer>,
    },
    /// It does not run.
    Deny {
        /// Why.
        why: String,
        /// What to do instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instead: Option<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::{AllowedBy, Ruling, Walls};

    #[test]
    fn what_allows_a_call_is_one_text_in_logs() {
        for (by, text) in [
            (AllowedBy::Grant("a1".to_owned()), "grant a1"),
            (AllowedBy::Reason("rule (workspace): grant it".to_owned()), "rule (workspace): grant it"),
        ] {
            let ruling = Ruling::Allow { by, confined: Walls::Open };
            let json = serde_json::json!({ "ruling": "allow", "by": text });
            assert_eq!(serde_json::to_value(&ruling).unwrap(), json);
            assert_eq!(serde_json::from_value::<Ruling>(json).unwrap(), ruling);
        }
    }
}
