//! A session as a conversation: what it is set to, what the person writes, what they are shown of a call.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Mode;
use crate::agent::Effort;

/// What a session is set to. Its own: nothing of it reaches another session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionSetup {
    /// How much its agent may do unasked.
    pub mode: Mode,
    /// Folders that its tools may work in, absolute; the first is where commands run. Empty: none.
    pub folders: Vec<String>,
    /// Slugs of the sources whose tools it has.
    pub sources: Vec<String>,
    /// The agent that it talks to; empty for none.
    pub agent: String,
    /// How hard to think.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// What happens to a message that is sent while a turn is under way.
    pub when_busy: WhenBusy,
    /// Whether it has no tools at all and is told nothing but its messages.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bare: bool,
    /// The slug of its workspace; empty: the default one. Kept with the session, not with what it is set to.
    #[serde(skip)]
    pub workspace: String,
}

/// What happens to a message that is sent while a turn is under way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhenBusy {
    /// It waits and becomes the next turn.
    #[default]
    Queue,
    /// The model reads it before its next step.
    Steer,
}

/// What the person wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct UserMessage {
    /// The text as it was typed, mentions included: `@slug`, `@path`, `/skill`, `#label`.
    pub text: String,
    /// What it mentions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<Mention>,
    /// Files that go with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
}

/// What a mention names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // named by the words themselves
pub enum MentionKind {
    Agent,
    Source,
    Skill,
    File,
    Folder,
    Label,
}

/// Something that a message names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Mention {
    /// What it is.
    pub kind: MentionKind,
    /// A slug, a label's id or a path.
    pub name: String,
    /// What a person reads.
    pub title: String,
    /// Its place in the text, in UTF-16 units: the first and the one after the last.
    pub range: (u32, u32),
}

/// A file that goes with a message, kept in the session's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    /// Its file's name in the session's `attachments`.
    pub id: String,
    /// The name that it had.
    pub name: String,
    /// `image/png`, `application/pdf`, `text/plain`, …
    pub media_type: String,
    /// Bytes.
    pub bytes: u64,
    /// Told to the person: that it was cut or made smaller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Its pages, where it was read as a document that has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
}

/// A question of the agent to the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// The question.
    pub text: String,
    /// Answers to choose from; any text may be given besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<QuestionOption>,
    /// Whether several may be chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub several: bool,
}

/// An answer to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionOption {
    /// The answer.
    pub label: String,
    /// What it means.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// One of the things that an agent set out to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// What.
    pub text: String,
    /// `pending`, `doing` or `done`.
    pub status: TaskStatus,
}

/// How a task stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // named by the words themselves
pub enum TaskStatus {
    #[default]
    Pending,
    Doing,
    Done,
}

/// Something that a tool made for the person to see beside its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "show")]
pub enum Show {
    /// A file's change, with its texts as blobs.
    Change {
        /// The file, absolute.
        path: String,
        /// Before; absent: it did not exist.
        before: Option<crate::Digest>,
        /// After; absent: it is gone.
        after: Option<crate::Digest>,
        /// Lines added.
        added: u32,
        /// Lines removed.
        removed: u32,
    },
    /// The list of tasks as it is now.
    Tasks {
        /// All of them, in order.
        tasks: Vec<Task>,
    },
    /// A plan for the person to accept.
    Plan {
        /// Its title.
        title: String,
        /// Markdown.
        text: String,
        /// Its file, absolute.
        path: String,
    },
    /// An image or document.
    Media {
        /// `image/png`, …
        media_type: String,
        /// Its bytes as a blob.
        data: crate::Digest,
        /// A name.
        name: String,
    },
    /// A command that goes on in the background.
    Background {
        /// Its id.
        shell: String,
    },
    /// Anything else, as JSON.
    Value {
        /// The value.
        value: Value,
    },
}
