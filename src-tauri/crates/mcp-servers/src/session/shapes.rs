//! What the tools take and give.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which sessions are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionFilterParams {
    /// `inbox` (the default), `running`, `needs_you`, `done`, `flagged`, `archived` or `trash`.
    pub view: Option<String>,
    /// Only with this text in the title or in a question.
    pub text: Option<String>,
    /// The most sessions, at most 100; 20 without it.
    pub limit: Option<u32>,
    /// Continues a list: the `next` of the page before.
    pub before: Option<i64>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SessionParams {
    /// The session; without it the one that this server was started for.
    pub(super) session: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TitleParams {
    /// The session; without it the one that this server was started for.
    #[serde(default)]
    pub(super) session: Option<String>,
    /// The new title: a few words, on one line.
    pub(super) title: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FlagParams {
    /// The session; without it the one that this server was started for.
    #[serde(default)]
    pub(super) session: Option<String>,
    /// Whether it is flagged.
    pub(super) flagged: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceParams {
    /// The source: its folder's name.
    pub(super) source: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SkillParams {
    /// The skill: its folder's name.
    pub(super) skill: String,
}

/// What is to be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConfigKind {
    /// An agent's folder.
    Agent,
    /// A source's `config.json`.
    Source,
    /// A `permissions.json`: the person's own, or a source's.
    Permissions,
    /// `connections.json`.
    Connections,
}

/// A configuration: the one that is kept, or a text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfigParams {
    /// `agent`, `source`, `permissions` or `connections`.
    pub kind: ConfigKind,
    /// The agent or source that it is of: its folder's name. Permissions without it are the person's own.
    #[serde(default)]
    pub name: Option<String>,
    /// The text of the file, to check it before it is written. Without it the file that is kept is checked.
    #[serde(default)]
    pub text: Option<String>,
}

/// Some sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionList {
    /// The sessions, the one changed last first.
    pub sessions: Vec<SessionLine>,
    /// Where the next page begins, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionLine {
    /// Its id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// The last thing that happened in it, in milliseconds since 1970.
    pub updated_at: i64,
    /// How many runs and turns it has.
    pub runs: u32,
    /// How the newest one stands; empty where there is none.
    pub status: String,
    /// Flagged by the person.
    pub flagged: bool,
    /// Archived.
    pub archived: bool,
    /// Deleted, and not yet gone for good.
    pub deleted: bool,
}

/// A session with what it is set to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionInfo {
    /// As in a list.
    #[serde(flatten)]
    pub line: SessionLine,
    /// When it began, in milliseconds since 1970.
    pub created_at: i64,
    /// The permission mode: `safe` (nothing changes), `ask` or `allow-all`.
    pub mode: String,
    /// Working folders, the first one is where commands run.
    pub folders: Vec<String>,
    /// Sources whose tools are offered.
    pub sources: Vec<String>,
    /// The connection to a model provider; empty for the default one.
    pub connection: String,
    /// The model; empty for the connection's default.
    pub model: String,
    /// Messages that wait to be sent.
    pub waiting_messages: u32,
}

/// What goes on in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionProgress {
    /// The session.
    pub session: String,
    /// Its newest runs and turns, oldest first.
    pub work: Vec<Work>,
}

/// A run of an agent's stages, or a turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Work {
    /// Its id.
    pub run: String,
    /// `run` or `turn`.
    pub kind: String,
    /// The agent; empty for none.
    pub agent: String,
    /// What was asked, its first 500 characters.
    pub request: String,
    /// `running`, `waiting`, `paused`, `suspended`, `interrupted`, `completed`, `stopped`, `failed` or `cancelled`.
    pub status: String,
    /// What it does or waits for, in words; empty when it is over.
    pub doing: String,
    /// Why it failed; empty where it did not.
    pub problem: String,
}

/// How a trial of a source went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceTrial {
    /// Whether it started, or answered.
    pub ok: bool,
    /// Milliseconds that it took.
    pub ms: u64,
    /// What it says it is.
    pub server: String,
    /// Names of its tools.
    pub tools: Vec<String>,
    /// Why it could not be used, with what can be done; empty where it could.
    pub problem: String,
}

/// What a source needs to sign in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SecretState {
    /// The secret's name, never the secret.
    pub name: String,
    /// Whether the person has given it.
    pub present: bool,
}

/// A thing that is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fault {
    /// The file.
    pub file: String,
    /// The line, from 1, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The JSON pointer to the value; empty for the whole file.
    pub pointer: String,
    /// What is wrong, what was expected, and what to do.
    pub message: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ConfigCheckResult {
    /// Whether nothing is wrong.
    pub(super) valid: bool,
    /// All that is wrong.
    pub(super) problems: Vec<Fault>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Credentials {
    /// What the source needs.
    pub(super) secrets: Vec<SecretState>,
    /// Names of those that the person has not given yet.
    pub(super) missing: Vec<String>,
    /// What to tell the person.
    pub(super) say: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SessionChange {
    /// The session that was changed.
    pub(super) session: String,
}

/// A plan for the person.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanParams {
    /// The session; without it the one that this server was started for.
    #[serde(default)]
    pub session: Option<String>,
    /// What the plan is for, in a few words on one line.
    pub title: String,
    /// The plan, in Markdown.
    pub text: String,
}

/// A plan that waits for the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlanKept {
    /// Its session.
    pub session: String,
    /// The turn that shows it; `agent_state` says what became of it.
    pub turn: String,
    /// Its file.
    pub path: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DiagramParams {
    /// The diagram, as it stands between the fences.
    pub(super) text: String,
}

/// What checking a diagram found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DiagramChecked {
    /// Whether anything looked at it.
    pub(super) checked: bool,
    /// Whether it can be drawn, where something looked at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) valid: Option<bool>,
    /// What is wrong, or why nobody looked.
    pub(super) say: String,
}

const NO_WINDOW: &str = "unavailable: diagrams are drawn by the program's window, and no window answers here; the \
     person sees in the session whether it can be drawn";

impl DiagramChecked {
    /// What a window found: whether one checked it, and why it can't be drawn.
    pub fn new(checked: bool, problem: Option<String>) -> Self {
        match (checked, problem) {
            (false, _) => Self { checked: false, valid: None, say: NO_WINDOW.to_owned() },
            (true, None) => Self { checked: true, valid: Some(true), say: "it can be drawn".to_owned() },
            (true, Some(problem)) => Self { checked: true, valid: Some(false), say: problem },
        }
    }
}

/// A question to a model.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The question with all that is needed to answer it.
    pub prompt: String,
    /// The person's connection; without it the default one.
    #[serde(default)]
    pub connection: Option<String>,
    /// The model; without it the connection's default.
    #[serde(default)]
    pub model: Option<String>,
    /// The most that it may cost in US dollars; never more than is left.
    #[serde(default)]
    pub budget_usd: Option<f64>,
}

/// A model's answer.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ModelText {
    /// The answer.
    pub text: String,
    /// The connection that was asked.
    pub connection: String,
    /// The model that was asked.
    pub model: String,
    /// Tokens that it used.
    pub tokens: u64,
    /// What it cost in US dollars.
    pub cost_usd: f64,
    /// What is left for further questions to this server.
    pub left_usd: f64,
    /// The session in which the person finds it.
    pub session: String,
}
