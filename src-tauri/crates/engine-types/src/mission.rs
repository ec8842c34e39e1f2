//! A mission as surfaces show it.

use std::collections::BTreeMap;

use domain::mission::GraphFacts;
use domain::{Digest, NanoUsd, PauseId, Problem, RunId, RunStatus, SessionId, Usage};
use evidence_graph::NewestClaim;
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
    /// Changes with everything that is known, and with what you say of it.
    pub graph_version: u64,
    /// What was found last, the newest first.
    pub newest_claims: Vec<NewestClaim>,
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
    /// Active milliseconds, as far as the log knows.
    pub active_ms: u64,
    /// From when on it is at work without the log knowing of it yet, in milliseconds since 1970; absent while it rests.
    pub working_since: Option<i64>,
}

impl MissionView {
    /// Active milliseconds by now: those of the log, and those since. No more than its limit.
    pub fn active_ms_at(&self, now_ms: i64) -> u64 {
        let since =
            self.working_since.map_or(0, |since| u64::try_from(now_ms.saturating_sub(since)).unwrap_or(0));
        let limit = self.limits.iter().find(|one| one.dimension == "minutes").and_then(|one| one.limit);
        let most = limit.map_or(u64::MAX, |limit| limit.max(self.active_ms));
        self.active_ms.saturating_add(since).min(most)
    }

    /// How much of each limit is used by now.
    pub fn limits_at(&self, now_ms: i64) -> Vec<LimitUse> {
        let active_ms = self.active_ms_at(now_ms);
        let by_now = |of: &LimitUse| match of.dimension.as_str() {
            "minutes" => LimitUse { used: active_ms, ..of.clone() },
            _ => of.clone(),
        };
        self.limits.iter().map(by_now).collect()
    }
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

impl LimitUse {
    /// A value of the dimension in its unit: dollars, minutes, or a count.
    pub fn amount(&self, value: u64) -> String {
        match self.dimension.as_str() {
            "money" => NanoUsd(value).to_string(),
            "minutes" => format!("{:.1}", value as f64 / 60_000.0),
            _ => value.to_string(),
        }
    }
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
