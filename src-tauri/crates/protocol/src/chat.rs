//! Conversations: turns, what waits in them, and what they are set to.

use domain::{Attachment, GrantScope, MentionKind, Mode, RunId, SessionSetup, UserMessage, WhenBusy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A message to send.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct TurnSend {
    /// The session; without it a new one.
    pub session: Option<String>,
    /// The message.
    pub message: UserMessage,
    /// The turn that it replaces: that one and all after it leave the conversation, and stay stored.
    pub replaces: Option<RunId>,
    /// The connection; without it the session's, else the default one.
    pub connection: Option<String>,
    /// The model; without it the session's, else the connection's.
    pub model: Option<String>,
    /// What a new session is set to, or changes of it.
    pub setup: SetupPatch,
    /// What happens when a turn is under way; without it as the session is set.
    pub when_busy: Option<WhenBusy>,
    /// The depth of the run that it begins, where it names an agent with stages.
    pub depth: Option<String>,
    /// The knowledge base of that run.
    pub corpus: Option<String>,
    /// The most it may cost in US dollars.
    pub budget_usd: Option<f64>,
    /// The most tokens it may use.
    pub budget_tokens: Option<u64>,
    /// The most minutes it may work.
    pub budget_minutes: Option<f64>,
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sent {
    /// Its session.
    pub session: String,
    /// The turn that it began.
    pub turn: Option<RunId>,
    /// The staged run that it began, because it names an agent with stages.
    pub run: Option<RunId>,
    /// Its place in the queue, where it waits.
    pub queued: Option<String>,
    /// The turn under way that it was given to.
    pub steered: Option<RunId>,
    /// What else happened: sources that a mention enabled.
    pub notes: Vec<String>,
}

/// Changes of what a session is set to; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SetupPatch {
    /// The mode.
    pub mode: Option<Mode>,
    /// Folders, absolute; the first is where commands run.
    pub folders: Option<Vec<String>>,
    /// Sources.
    pub sources: Option<Vec<String>>,
    /// The agent; empty for none.
    pub agent: Option<String>,
    /// How hard to think; null: as the model has it.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<domain::agent::Effort>")]
    pub effort: Option<Option<domain::agent::Effort>>,
    /// What happens to messages that are sent while a turn is under way.
    pub when_busy: Option<WhenBusy>,
    /// Whether it has no tools at all and is told nothing but its messages.
    pub bare: Option<bool>,
}

/// A value that is there, null included; absent ones take the default.
fn given<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(from).map(Some)
}

/// A message that waits for the turn before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueuedMessage {
    /// Its id.
    pub id: String,
    /// The message.
    pub message: UserMessage,
    /// When it was sent, in milliseconds since 1970.
    pub at: i64,
}

/// What a session has besides its runs and turns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ChatState {
    /// What it is set to.
    pub setup: SessionSetup,
    /// Messages that wait, the next one first.
    pub queue: Vec<QueuedMessage>,
    /// Commands that go on in the background.
    pub shells: Vec<ShellRow>,
}

/// What the person says to a request for permission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "verdict")]
pub enum ApprovalVerdict {
    /// It may run.
    Allow {
        /// Which of the offers, from 0.
        offer: u32,
    },
    /// It may not.
    Deny {
        /// What the agent is told.
        #[serde(default)]
        reason: String,
    },
}

/// What the person says to a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum PlanVerdict {
    /// Carry it out, in this mode.
    Accept {
        /// The mode: `ask` or `allow-all`.
        mode: Mode,
        /// Whether what was said before is first put into fewer words.
        #[serde(default)]
        compact: bool,
    },
    /// Change it.
    Refine {
        /// How.
        text: String,
    },
}

/// A command that goes on in the background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShellRow {
    /// Its id.
    pub id: String,
    /// Its session.
    pub session: String,
    /// The command.
    pub command: String,
    /// When it began, in milliseconds since 1970.
    pub started_at: i64,
    /// Its exit code, when it has ended.
    pub exit: Option<i32>,
    /// Whether it goes on.
    pub running: bool,
}

/// A background command's output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShellOutput {
    /// The command.
    pub shell: ShellRow,
    /// The last 100,000 bytes of its output.
    pub text: String,
    /// Bytes of output in all.
    pub bytes: u64,
}

/// What completes a mention.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// What it is.
    pub kind: MentionKind,
    /// A slug, a label's id or a path relative to the first folder.
    pub name: String,
    /// What a person reads.
    pub title: String,
    /// One line on it.
    pub detail: String,
}

/// A path that is typed for a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FolderSeen {
    /// The folder, with links followed; absent where it can't be worked in.
    pub folder: Option<String>,
    /// Why it can't; absent where it can.
    pub problem: Option<String>,
    /// Folders whose paths begin with what was typed; at most 12.
    pub below: Vec<String>,
}

/// A file to attach: of a path, or its bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AttachmentAdd {
    /// The session; absent: a new one is begun with the message.
    pub session: Option<String>,
    /// Its name.
    pub name: String,
    /// Its path on this machine.
    pub path: Option<String>,
    /// Its bytes in base64; at most 20 MiB of bytes.
    pub data: Option<String>,
    /// Whether it goes with a question that a run answers: then it has to be text or a document that can be read.
    pub read: bool,
}

/// An attachment's content for a preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentView {
    /// It.
    pub attachment: Attachment,
    /// Its bytes in base64.
    pub data: String,
}

/// A skill in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillRow {
    /// Its folder's name: what `/name` calls it.
    pub slug: String,
    /// Its name.
    pub name: String,
    /// When it is of use.
    pub description: String,
    /// `shipped`, `workspace`, `user` or `project`.
    pub origin: String,
    /// Files that it is for.
    pub globs: Vec<String>,
    /// Sources that it needs.
    pub required_sources: Vec<String>,
    /// What is wrong with it.
    pub problems: Vec<super::FileProblem>,
}

/// A skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillView {
    /// The skill.
    pub skill: SkillRow,
    /// Its instructions, Markdown.
    pub text: String,
    /// Its SKILL.md as it stands.
    pub source: String,
    /// Its folder.
    pub folder: String,
    /// Files beside its instructions.
    pub files: Vec<String>,
}

/// What a page of help is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HelpPage {
    /// Its file's name without ending.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// Markdown; empty in a list.
    pub text: String,
}

/// What a model would be sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptView {
    /// The system prompt.
    pub system: String,
    /// Its tools: names and descriptions.
    pub tools: Vec<super::ToolRow>,
    /// Estimated tokens of both.
    pub tokens: u64,
}

/// What the person granted, in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrantRow {
    /// Its id.
    pub id: String,
    /// How long it holds.
    pub scope: GrantScope,
    /// The session that it was given in.
    pub session: String,
    /// That session's title.
    pub session_title: String,
    /// The source's slug; empty for what is built in.
    pub source: String,
    /// The tool.
    pub tool: String,
    /// What it covers, in words.
    pub words: String,
    /// When it was given, in milliseconds since 1970.
    pub created_at: i64,
    /// When it ends by itself.
    pub expires_at: Option<i64>,
}

/// What the stages of an agent call of a source that has to be allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StageAccess {
    /// The source's slug.
    pub source: String,
    /// Its name.
    pub name: String,
    /// The tools, by their names at the source.
    pub tools: Vec<String>,
    /// Whether the person allowed them.
    pub granted: bool,
}

/// Rules of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleLayer {
    /// `app`, `workspace`, `source` or `session`.
    pub layer: String,
    /// The source's slug, of a source's file.
    pub source: String,
    /// The file; empty for what comes with the program.
    pub file: String,
    /// Its rules.
    pub rules: Vec<RuleRow>,
    /// What is wrong with it. Its last good rules hold meanwhile.
    pub problems: Vec<super::FileProblem>,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleRow {
    /// `allow`, `ask` or `deny`.
    pub effect: String,
    /// What it matches, in words.
    pub matches: String,
    /// Why it is there.
    pub reason: String,
}

/// Permissions as they stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionState {
    /// Rules by layer, the widest first.
    pub layers: Vec<RuleLayer>,
    /// What the person granted, newest first.
    pub grants: Vec<GrantRow>,
    /// Whether commands can be confined on this machine, and how or why not.
    pub confinement: String,
    /// Whether they can.
    pub can_confine: bool,
}

/// A decision that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRow {
    /// Continues a list.
    pub cursor: i64,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The session.
    pub session: String,
    /// The turn or run.
    pub run: String,
    /// The source's slug; empty for what is built in.
    pub source: String,
    /// The tool.
    pub tool: String,
    /// The mode.
    pub mode: Mode,
    /// `allowed`, `asked`, `granted`, `denied` or `refused`.
    pub decision: String,
    /// By what.
    pub by: String,
    /// What it was about: a command, a path, an address.
    pub subject: String,
}
