//! What surfaces are told without asking.

use domain::Problem;
use engine_types::UiEvent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Cached data that a change makes stale. A surface that shows it reads it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tag {
    /// Lists and counts of sessions.
    Sessions,
    /// Lists and states of runs.
    Runs,
    /// Drafts.
    Drafts,
    /// Agents.
    Agents,
    /// Sources.
    Sources,
    /// Knowledge bases.
    Bases,
    /// Settings.
    Settings,
    /// Connections, their models and the vault.
    Connections,
    /// What was used.
    Usage,
    /// Jobs.
    Jobs,
    /// Rules, grants and the audit.
    Permissions,
    /// Skills and pages of help.
    Skills,
    /// Backups.
    Backups,
    /// Workspaces.
    Workspaces,
    /// What is wrong with files that a person edits.
    Problems,
    /// Statuses, labels and views.
    Organisation,
    /// Themes.
    Themes,
    /// Automations and what they did.
    Automations,
    /// Coding tasks.
    Tasks,
    /// The library of the web.
    Web,
}

/// Something that a surface may show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "event", content = "value")]
pub enum ApiEvent {
    /// Something happened in a run.
    Run(Box<UiEvent>),
    /// Something happened in a turn.
    Turn(Box<engine_types::TurnUi>),
    /// Cached data is stale.
    Changed(Vec<Tag>),
    /// A job went on.
    Job(JobState),
    /// A page is asked to check a diagram, and answers with `diagram_answer`.
    Diagram(DiagramCheck),
    /// A limit on money is nearly reached, in words.
    Limit(String),
    /// Events were lost because the surface was too slow; it reads what it shows again.
    Lagged,
}

/// A diagram to check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiagramCheck {
    /// Of this check.
    pub id: String,
    /// The diagram's source.
    pub text: String,
}

/// What checking a diagram found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiagramVerdict {
    /// Whether a page checked it; only pages can.
    pub checked: bool,
    /// Why it can't be drawn, where it can't.
    pub problem: Option<String>,
}

/// Long work outside of runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobState {
    /// Its id.
    pub job: String,
    /// What it is.
    pub kind: JobKind,
    /// The slug of the workspace that it is of.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub workspace: String,
    /// What it works on: a base's name.
    pub subject: String,
    /// How it stands.
    pub status: JobStatus,
    /// What it is doing, in words.
    pub text: String,
    /// Steps done.
    pub done: u64,
    /// Steps in all; 0 when not known.
    pub total: u64,
    /// What could not be read, and why.
    pub warnings: Vec<String>,
    /// Why it failed.
    pub problem: Option<Problem>,
    /// When it began, in milliseconds since 1970.
    pub started_at: i64,
}

/// What a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Files are being made into a knowledge base.
    Ingest,
    /// Files are being looked at before they are made into a knowledge base.
    Preview,
    /// A text or a model is being downloaded, and made into a knowledge base where it is a text.
    Download,
    /// A backup is being made.
    Backup,
    /// A backup is being prepared to be restored.
    Restore,
    /// Stored data, or a backup, is being checked or repaired.
    Check,
    /// Sessions are being brought over.
    Import,
}

/// How a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // named by the words themselves
pub enum JobStatus {
    Running,
    Done,
    Cancelled,
    Failed,
}
