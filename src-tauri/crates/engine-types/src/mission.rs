//! A mission as surfaces show it.

use std::collections::BTreeMap;

use domain::mission::GraphFacts;
use domain::{Digest, NanoUsd, PauseId, Problem, RunId, RunStatus, SessionId, Usage};
use missions::{Criterion, InvocationStatus, Outcome, Phase, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A mission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MissionView {
    /// The mission's id.
    pub mission: RunId,
    /// Its session.
    pub session: SessionId,
    /// The mission whose graph it goes on with.
    pub previous: Option<RunId>,
    /// The mission that it repeats.
    pub base: Option<RunId>,
    /// The profile's folder.
    pub profile: String,
    /// The profile's name.
    pub profile_name: String,
    /// How it stands; interrupted where its log says that it runs, and nobody drives it.
    pub status: RunStatus,
    /// What it is doing.
    pub phase: Phase,
    /// What the user wrote.
    pub request: String,
    /// What researchers are after; empty until it is known.
    pub objective: String,
    /// What the report is to look like; empty where nothing is said of it.
    pub output_specification: String,
    /// The iteration; 0 before the first.
    pub iteration: u32,
    /// How far each criterion is met.
    pub criteria: BTreeMap<String, Criterion>,
    /// What is known.
    pub facts: GraphFacts,
    /// How much of each limit is used.
    pub limits: Vec<LimitUse>,
    /// Its invocations in order.
    pub invocations: Vec<InvocationView>,
    /// Agents of the profile that it does without, each with why.
    pub left_out: Vec<String>,
    /// What waits for the user.
    pub pauses: Vec<MissionPauseForm>,
    /// Whether every criterion was met; absent while it goes on.
    pub outcome: Option<Outcome>,
    /// Criteria that are not met and what the report lacks; empty while it goes on.
    pub unmet: Vec<String>,
    /// Why research ended, in words.
    pub ended: Option<String>,
    /// What stayed open so far: questions that nothing is supported for, and gaps.
    pub open: Vec<String>,
    /// Why it failed.
    pub problem: Option<Problem>,
    /// The report's file.
    pub report: Option<String>,
    /// The files that it made, by the names that they have.
    pub files: Vec<MissionFile>,
    /// Tokens.
    pub usage: Usage,
    /// Whether only the offline engine answers: the usage counts texts that no model was given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_model: bool,
    /// Money.
    pub cost: NanoUsd,
    /// Active milliseconds.
    pub active_ms: u64,
}

/// What a mission would begin with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MissionOutline {
    /// The profile's folder.
    pub profile: String,
    /// The profile's name.
    pub profile_name: String,
    /// The connection.
    pub connection: String,
    /// The model.
    pub model: String,
    /// Whether there is no model: rules take its place, and nothing is paid.
    pub offline: bool,
    /// The agents, each as it would be pinned.
    pub agents: Vec<OutlinedAgent>,
    /// Agents of the profile that it would do without, each with why.
    pub left_out: Vec<String>,
    /// What each criterion has to reach.
    pub criteria: BTreeMap<String, Criterion>,
    /// The limits.
    pub limits: Vec<LimitUse>,
}

/// An agent as a mission would pin it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutlinedAgent {
    /// Its folder.
    pub agent: String,
    /// Its name.
    pub name: String,
    /// What it can do.
    pub capabilities: Vec<String>,
    /// The knowledge base that it would read, at the generation that it has now.
    pub base: Option<String>,
}

/// How much of a limit is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LimitUse {
    /// In words: `money`, `tokens`, `minutes`, `invocations`, `iterations`, or an agent's folder.
    pub dimension: String,
    /// What is used: nano-dollars, tokens, milliseconds, or a count.
    pub used: u64,
    /// The limit in the same unit; absent for none.
    pub limit: Option<u64>,
}

/// An invocation of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvocationView {
    /// Its place: iteration and slot.
    pub key: String,
    /// What for.
    pub role: Role,
    /// The agent's folder.
    pub agent: String,
    /// The agent's name.
    pub name: String,
    /// The item of the agenda, in words.
    pub task: Option<String>,
    /// How it stands.
    pub status: InvocationState,
    /// Why it failed.
    pub problem: Option<Problem>,
    /// The run that carries it out.
    pub run: Option<RunId>,
    /// The mission that its result was taken over from.
    pub reused: Option<RunId>,
    /// Milliseconds that it ran.
    pub ms: u64,
    /// Tokens that it used.
    pub tokens: u64,
}

domain::words! {
    /// How an invocation stands.
    pub enum InvocationState {
        /// It was decided on.
        Waiting = "waiting",
        /// A child run carries it out.
        Running = "running",
        /// Its child run waits for you.
        Asking = "asking",
        /// It has a result.
        Done = "done",
        /// It failed.
        Failed = "failed",
        /// It does not take place.
        Dropped = "dropped",
    }
}

/// A file that a mission made, in its session's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MissionFile {
    /// `findings` or `report`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Where it is in the session's folder.
    pub path: String,
    /// SHA-256 of what was recorded.
    pub sha256: Digest,
    /// The invocation that made it.
    pub by: Option<String>,
}

/// A line of a mission's journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JournalLine {
    /// The event's number.
    pub seq: u64,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// What happened, in a sentence.
    pub text: String,
    /// Why, where that was said.
    pub why: Option<String>,
    /// What the coordinator saw besides and did not choose.
    pub alternatives: Vec<String>,
    /// The version of the graph that was looked at.
    pub saw: Option<u64>,
}

impl From<&InvocationStatus> for InvocationState {
    fn from(status: &InvocationStatus) -> Self {
        match status {
            InvocationStatus::Assigned | InvocationStatus::Planned => Self::Waiting,
            InvocationStatus::Requested => Self::Running,
            InvocationStatus::Asking => Self::Asking,
            InvocationStatus::Finished(_) | InvocationStatus::Settled(_) => Self::Done,
            InvocationStatus::Failed(_) => Self::Failed,
            InvocationStatus::Dropped(_) => Self::Dropped,
        }
    }
}

/// A pause of a mission as a surface shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MissionPauseForm {
    /// The pause.
    pub pause: PauseId,
    /// What it is about, in a line.
    pub title: String,
    /// The message, Markdown.
    pub markdown: String,
    /// What can be chosen: `proceed`, `again`, `write`, `raise`, `cancel`; the first is the default.
    pub choices: Vec<String>,
    /// Hosts that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// The run of an agent that asks: it is answered there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
}
