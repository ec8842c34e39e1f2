//! A session as any program could read it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A session with everything that was said in it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    /// What it is.
    pub header: Header,
    /// What was said, the oldest first.
    pub messages: Vec<Message>,
}

/// What a session is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Header {
    /// Its id where it comes from.
    pub id: String,
    /// Its title.
    pub title: String,
    /// When it began, in milliseconds since 1970.
    pub created_at: i64,
    /// When something last happened in it, in milliseconds since 1970.
    pub updated_at: i64,
    /// The id of its status; empty for the default.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// Its labels, each `id` or `id::value`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Whether the person flagged it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub flagged: bool,
    /// Whether it holds something that the person has not read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unread: bool,
    /// Whether it was put away.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
    /// How much its agent may do unasked: `safe`, `ask` or `allow-all`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mode: String,
    /// The slug of its connection.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub connection: String,
    /// Its model.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// The agent that it talks to.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// Folders that its tools may work in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<String>,
    /// Slugs of its sources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
}

/// Who or what says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // named by the words themselves
pub enum Role {
    User,
    Assistant,
    Tool,
    Error,
    Status,
    System,
    Info,
    Warning,
    Plan,
    Auth,
}

impl Role {
    /// What a person reads.
    pub const fn title(self) -> &'static str {
        match self {
            Self::User => "You",
            Self::Assistant => "Assistant",
            Self::Tool => "Tool",
            Self::Error => "Error",
            Self::Status => "Status",
            Self::System => "System",
            Self::Info => "Note",
            Self::Warning => "Warning",
            Self::Plan => "Plan",
            Self::Auth => "Sign-in",
        }
    }
}

/// Something that was said or done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Unique within the session.
    pub id: String,
    /// Who says it.
    pub role: Role,
    /// When, in milliseconds since 1970.
    #[serde(default)]
    pub at: i64,
    /// Its text, Markdown.
    #[serde(default)]
    pub text: String,
    /// The turn or run that it belongs to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub turn: String,
    /// Whether it is said on the way, before the turn's answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub intermediate: bool,
    /// The call of a tool, with role `tool`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolUse>,
    /// Files that go with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// The answer document as data, where it is one; `text` is its Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<Value>,
}

impl Message {
    /// A message that is only text.
    pub fn new(role: Role, id: impl Into<String>, at: i64, text: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            role,
            at,
            text: text.into(),
            turn: String::new(),
            intermediate: false,
            tool: None,
            attachments: Vec::new(),
            document: None,
        }
    }
}

/// A call of a tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolUse {
    /// Its id; unique within the session.
    pub id: String,
    /// The tool's name as the model knows it.
    pub name: String,
    /// What a person reads of the tool.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What the call was for, in one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub intent: String,
    /// Its arguments.
    pub input: Value,
    /// What it gave.
    pub output: String,
    /// How it ended.
    pub status: ToolStatus,
    /// Milliseconds that it ran.
    #[serde(skip_serializing_if = "is_zero")]
    pub ms: u64,
    /// The call that it was made within.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Pictures and other files that it gave.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<Attachment>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// How a call of a tool stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // named by the words themselves
pub enum ToolStatus {
    Pending,
    Executing,
    #[default]
    Completed,
    Error,
    Denied,
    Stopped,
    Backgrounded,
}

impl ToolStatus {
    /// The word for a person.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "not run",
            Self::Executing => "outcome unknown",
            Self::Completed => "done",
            Self::Error => "failed",
            Self::Denied => "not allowed",
            Self::Stopped => "stopped",
            Self::Backgrounded => "in the background",
        }
    }
}

/// A file that goes with a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Attachment {
    /// The name that it had.
    pub name: String,
    /// Its file's name in the session's `attachments`; empty when it is not there.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// `image/png`, …
    pub media_type: String,
    /// Bytes.
    pub bytes: u64,
}
