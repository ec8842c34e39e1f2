//! Sessions: the conversations that a person comes back to.

use domain::{RunId, RunStatus};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::run::{RunKind, RunState};

/// Which sessions a list shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionView {
    /// Neither archived nor deleted.
    #[default]
    Inbox,
    /// With a run under way.
    Running,
    /// With a run that waits for the person, failed or was interrupted.
    NeedsYou,
    /// Whose latest run is completed or cancelled.
    Done,
    /// Flagged by the person.
    Flagged,
    /// Archived.
    Archived,
    /// Deleted, and not yet gone for good.
    Trash,
}

/// What a list of sessions asks for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SessionQuery {
    /// Which ones.
    pub view: SessionView,
    /// Only with this text in their title or in a question.
    pub text: Option<String>,
    /// Only those that this view of the workspace shows.
    pub saved: Option<String>,
    /// Only with this status.
    pub status: Option<String>,
    /// Only with this label, or one below it.
    pub label: Option<String>,
    /// Only those that fit a search line: filters, and words of the title.
    pub line: Option<String>,
    /// Only those of this group.
    pub group: Option<super::organise::GroupFilter>,
    /// Only of this workspace.
    pub workspace: Option<String>,
    /// The time zone's offset from UTC in minutes, for days; east is positive.
    pub offset_minutes: i32,
    /// Only with a run of this agent.
    pub agent: Option<String>,
    /// What it is sorted by, instead of by what the view says or by the order of change.
    pub sort: Option<SessionSort>,
    /// The most rows; at most 200, 0 for 100.
    pub limit: u32,
    /// Continues a list: the `next` of the page before.
    pub before: Option<i64>,
}

/// What a list of sessions is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionSort {
    /// The one in which something happened last first.
    Changed,
    /// The newest first.
    Created,
    /// By title.
    Title,
}

/// Some sessions, the one changed last first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionPage {
    /// The sessions.
    pub sessions: Vec<SessionRow>,
    /// Where the next page begins.
    pub next: Option<i64>,
    /// What is wrong with the view's expression or the line; then nothing is listed. Places are UTF-16 units.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mistakes: Vec<organise::Mistake>,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRow {
    /// Its id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// Milliseconds since 1970.
    pub created_at: i64,
    /// Milliseconds since 1970: the last thing that happened in it.
    pub updated_at: i64,
    /// How many runs it has.
    pub runs: u32,
    /// Its newest run.
    pub latest: Option<LatestRun>,
    /// Flagged by the person.
    pub flagged: bool,
    /// Something happened that the person has not seen.
    pub unread: bool,
    /// Archived.
    pub archived: bool,
    /// Deleted, and not yet gone for good.
    pub deleted: bool,
    /// Whether something typed waits in it.
    pub has_draft: bool,
    /// The connection that its next run takes; empty for none of its own: then the agent's or the default one.
    pub connection: String,
    /// The model that its next run takes; empty for the connection's default.
    pub model: String,
    /// Whether that connection is gone: its next run takes another one.
    pub connection_gone: bool,
    /// Its workspace.
    pub workspace: String,
    /// Its status' id.
    pub status: String,
    /// Its labels: ids, or `id::value`.
    pub labels: Vec<String>,
    /// The beginning of its first message.
    pub preview: String,
    /// How many messages it has.
    pub messages: u32,
    /// Its permission mode.
    pub mode: domain::Mode,
    /// Sentences of its newest answer that rest on text which a knowledge base has changed or withdrawn since; 0 where none
    /// is known.
    #[serde(default)]
    pub stale: u32,
}

/// The newest run of a session, in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LatestRun {
    /// Its id.
    pub run: String,
    /// Its agent; empty for a turn without one.
    pub agent: String,
    /// What it is.
    pub kind: RunKind,
    /// How it stands; interrupted where its log says that it runs, and nobody drives it.
    pub status: RunStatus,
    /// One useful line, such as `Clarity 64%: 2 questions` or `42 of 42 citations verified`.
    pub line: String,
}

/// How many sessions each view has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)] // named as the views
pub struct SessionCounts {
    pub inbox: u32,
    pub running: u32,
    pub needs_you: u32,
    pub done: u32,
    pub flagged: u32,
    pub archived: u32,
    pub trash: u32,
}

/// A session with its newest runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionState {
    /// The session.
    pub session: SessionRow,
    /// Its runs, oldest first: the newest page, or the one asked for.
    pub runs: Vec<RunState>,
    /// Its turns of the same page, oldest first, with those of its runs' stages.
    pub turns: Vec<engine_types::TurnView>,
    /// Its missions of the same page, oldest first.
    #[serde(default)]
    pub missions: Vec<engine_types::MissionView>,
    /// The runs, turns and missions of the page in the order in which they are shown, oldest first.
    #[serde(default)]
    pub order: Vec<RunId>,
    /// All turns of the session that others replaced: they are stored, shown nowhere and on no page.
    #[serde(default)]
    pub replaced: Vec<RunId>,
    /// What it has besides.
    pub chat: super::ChatState,
    /// Where the page of older runs begins, where there is one.
    pub earlier: Option<i64>,
    /// The automation that began it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun_by: Option<super::SessionAutomation>,
}

/// What changes in a session; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SessionPatch {
    /// A new title; not empty.
    pub title: Option<String>,
    /// Flagged or not.
    pub flagged: Option<bool>,
    /// Unread or not.
    pub unread: Option<bool>,
    /// Archived or not.
    pub archived: Option<bool>,
    /// Deleted or restored. What is deleted goes for good a week later, or with `session_purge`.
    pub deleted: Option<bool>,
    /// Its status' id.
    pub status: Option<String>,
    /// Labels that it gets: ids, or `id::value`, in place of another value of the same label.
    pub add_labels: Vec<String>,
    /// Labels that it loses: ids, whatever their value, or `id::value`.
    pub remove_labels: Vec<String>,
    /// The connection that its next run takes; empty for none of its own. Its model is then the connection's default,
    /// unless one is given, too.
    pub connection: Option<String>,
    /// The model that its next run takes; empty for the connection's default.
    pub model: Option<String>,
}

/// Something typed and not sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    /// Where it was typed: a session's id, `new`, or `<run>/<pause>`.
    pub key: String,
    /// The text, or a form's fields as JSON.
    pub text: String,
    /// Milliseconds since 1970.
    pub updated_at: i64,
}
