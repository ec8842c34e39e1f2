//! Staged runs as surfaces see them.

use std::collections::BTreeMap;

use domain::agent::{OnExhausted, StageKind};
use domain::{Attachment, Budget, NanoUsd, Problem, RunForecast, RunId, RunStatus, StageId, Usage, words};
use engine_types::Form;
use pipeline::{Decision, Phase, Record, RepairEnd};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Names a run: its id, or the newest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunRef {
    /// By id, by the first characters of it after `run-`, or `last` for the newest run.
    Id(String),
    /// The newest run.
    Last,
    /// The newest run that can be resumed.
    LastOpen,
}

/// What an id names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunFound {
    /// The whole id.
    pub run: RunId,
    /// Its session.
    pub session: String,
    /// What it is.
    pub kind: RunKind,
}

words! {
    /// What a link of a session is.
    pub enum RunKind {
        /// A staged run.
        Run = "run",
        /// A turn of a conversation.
        Turn = "turn",
        /// A mission.
        Mission = "mission",
    }
}

words! {
    /// Where a stage stands.
    pub enum StagePhase {
        /// It waits for others.
        Pending = "pending",
        /// It is under way.
        Running = "running",
        /// It waits for a reply to a pause.
        Paused = "paused",
        /// It has an output.
        Completed = "completed",
        /// It was left out.
        Skipped = "skipped",
        /// It failed and can be tried again.
        Failed = "failed",
    }
}

impl From<Phase> for StagePhase {
    fn from(phase: Phase) -> Self {
        match phase {
            Phase::Pending => Self::Pending,
            Phase::Running => Self::Running,
            Phase::Completed => Self::Completed,
            Phase::Skipped => Self::Skipped,
            Phase::Failed => Self::Failed,
        }
    }
}

words! {
    /// How a call of a stage stands.
    pub enum CallState {
        /// It has not begun.
        Planned = "planned",
        /// It is under way.
        Running = "running",
        /// It waits for an answer or for permission.
        Waiting = "waiting",
        /// The run that carries it out waits for a reply.
        Paused = "paused",
        /// Nobody knows how it ended.
        Unknown = "unknown",
        /// It has a result.
        Completed = "completed",
        /// It ended without one.
        Failed = "failed",
    }
}

/// Events of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnEvents {
    /// Records of the log, in order.
    pub events: Vec<Value>,
    /// The last committed event's number.
    pub seq: u64,
}

/// Some runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunPage {
    /// The runs, newest first.
    pub runs: Vec<RunRow>,
    /// Where the next page begins.
    pub next: Option<i64>,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunRow {
    /// Its id.
    pub run: RunId,
    /// Its session.
    pub session: String,
    /// Its agent.
    pub agent: String,
    /// How its log says that it stands.
    pub status: RunStatus,
    /// The question's first line.
    pub title: String,
    /// Milliseconds since 1970.
    pub created_at: i64,
    /// Milliseconds since 1970.
    pub updated_at: i64,
}

/// What a run took over from the run that it repeats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReuseRow {
    /// The run that it repeats.
    pub base: RunId,
    /// Calls whose result was taken over.
    pub calls_reused: u32,
    /// Calls that were made.
    pub calls_made: u32,
    /// What the calls taken over had cost.
    pub cost_saved: NanoUsd,
    /// The tokens that they had used, input and output together.
    pub tokens_saved: u64,
    /// Names of the stages whose output was edited beforehand.
    pub edited: Vec<String>,
}

/// A run's state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunState {
    /// Its id.
    pub run: RunId,
    /// Its session.
    pub session: String,
    /// Its agent.
    pub agent: String,
    /// The agent's name for people.
    pub agent_name: String,
    /// The question.
    pub request: String,
    /// What it was given besides, where its agent takes inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Value>,
    /// How it stands; interrupted where its log says that it runs, and nobody drives it.
    pub status: RunStatus,
    /// The last event's number.
    pub seq: u64,
    /// Milliseconds since 1970.
    pub created_at: i64,
    /// Milliseconds since 1970.
    pub updated_at: i64,
    /// The depth it runs with.
    pub depth: Option<String>,
    /// The depths that its agent knows.
    pub depths: Vec<String>,
    /// The knowledge base it reads, with its generation.
    pub corpus: Option<String>,
    /// The documents that went with the question or one before it, and are asked as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attached: Vec<Attachment>,
    /// The connection.
    pub connection: String,
    /// The model.
    pub model: String,
    /// The run that it follows up.
    pub previous: Option<RunId>,
    /// The run that it works for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<RunId>,
    /// What it took over from the run that it repeats, where it repeats one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reuse: Option<ReuseRow>,
    /// Whether the agent takes follow-up questions.
    pub follow_up: bool,
    /// Its stages, in order.
    pub stages: Vec<StageRow>,
    /// Open pauses.
    pub pauses: Vec<Form>,
    /// Pauses that were answered, in order.
    pub answered: Vec<AnsweredPause>,
    /// Text queued for the next pause or stage.
    pub guidance: Vec<String>,
    /// The document, where it has been written.
    pub document: Option<DocumentCard>,
    /// Tokens used.
    pub usage: Usage,
    /// Money used.
    pub cost: NanoUsd,
    /// What a flat rate paid for, as it would have cost by use. It counts in no budget.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub equivalent: NanoUsd,
    /// Whether no price of its model is known: then `cost` says nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unpriced: bool,
    /// Whether only the offline engine answered: its usage counts texts that no model was given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_model: bool,
    /// What it was expected to use when it began; absent for runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forecast: Option<RunForecast>,
    /// What it may use.
    pub budget: Budget,
    /// The most that interrupted calls may have cost besides.
    pub doubtful: NanoUsd,
    /// How many calls may have been paid twice.
    pub maybe_paid_twice: u32,
    /// Active milliseconds.
    pub active_ms: u64,
    /// Why it failed.
    pub problem: Option<Problem>,
    /// Events, where asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Record>,
    /// Outputs by stage name, where asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Value>,
}

/// A stage's state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StageRow {
    /// Its id.
    pub id: StageId,
    /// Its name in the agent's configuration.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The part of the work that it belongs to, where its agent has such parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// What it does.
    pub kind: StageKind,
    /// Stages that it waits for.
    pub depends_on: Vec<StageId>,
    /// Where it stands.
    pub phase: StagePhase,
    /// Attempts begun.
    pub attempt: u32,
    /// Which repair; 0 for none.
    pub iteration: u32,
    /// The most repairs of the unit it belongs to; 0 for none.
    pub max_iterations: u32,
    /// When it began, in milliseconds since 1970.
    pub started_at: Option<i64>,
    /// When it ended, in milliseconds since 1970.
    pub ended_at: Option<i64>,
    /// Active milliseconds, all attempts together.
    pub active_ms: u64,
    /// Calls finished and planned of the wave under way.
    pub done: u32,
    /// Calls planned of the wave under way.
    pub total: u32,
    /// One line on its output, or why it was skipped.
    pub summary: String,
    /// Scores by axis, 0 to 1.
    pub scores: BTreeMap<String, f64>,
    /// Tokens used.
    pub usage: Usage,
    /// Money used.
    pub cost: NanoUsd,
    /// Warnings.
    pub warnings: Vec<String>,
    /// The runs of other agents that carry out its calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<ChildRow>,
    /// Of the last stage of a repair unit: what was tried, once it was checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateRow>,
}

impl RunState {
    /// Stages whose check does not pass and which the program accepted all the same, by itself or as it was told beforehand.
    pub fn unmet(&self) -> impl Iterator<Item = &StageRow> {
        let by_program = |stage: &StageRow| {
            let mut answers = self.answered.iter().filter(|answered| answered.form.stage == stage.id);
            answers.any(|answered| answered.decision.unattended)
        };
        let certified = |stage: &StageRow| {
            let gate = stage.gate.as_ref();
            gate.is_some_and(|gate| gate.certified && gate.on_exhausted == OnExhausted::Pause)
        };
        self.stages.iter().filter(move |stage| certified(stage) && by_program(stage))
    }
}

/// What a repair unit tried, and how its repairs ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GateRow {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Its attempts, in order.
    pub attempts: Vec<GateAttempt>,
    /// Why its repairs ended without passing; absent while they go on, and where the check passes.
    pub ended: Option<RepairEnd>,
    /// What happens when they end so.
    pub on_exhausted: OnExhausted,
    /// Whether what stands was accepted although the check does not pass.
    pub certified: bool,
}

/// One attempt of a repair unit, as its check found it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GateAttempt {
    /// Which repair; 0 for the first attempt.
    pub iteration: u32,
    /// Whether the check passed.
    pub passed: bool,
    /// Scores by axis, 0 to 1.
    pub scores: BTreeMap<String, f64>,
    /// Whether it is the one that stands.
    pub stands: bool,
}

/// A pause with what was decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnsweredPause {
    /// What was shown and asked.
    pub form: Form,
    /// What was decided.
    pub decision: Decision,
    /// The label of the choice.
    pub label: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Whether the stage's output was edited.
    pub edited: bool,
}

/// A document in a list of messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentCard {
    /// Its title.
    pub title: String,
    /// Verified citations.
    pub verified: u32,
    /// All citations.
    pub total: u32,
    /// Statements without support, and sentences without a source.
    pub unsupported: u32,
    /// Warnings.
    pub warnings: Vec<String>,
    /// What is known of its statements; absent where the run kept no records.
    #[serde(default)]
    pub headline: Option<Headline>,
}

/// What is known of a document's statements, in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Headline {
    /// How far it may be relied on.
    pub level: HeadlineLevel,
    /// In words.
    pub text: String,
}

/// How far a document may be relied on, by the worst that is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeadlineLevel {
    /// Every statement is quoted or judged supported, and nothing that was asked is open.
    Good,
    /// Something is left to the reader.
    Open,
    /// Something does not hold, or may not.
    Doubt,
}

/// Everything about one stage of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StageDetail {
    /// The stage.
    pub stage: StageRow,
    /// What its model call was shown, section by section, where it has one.
    pub sections: Vec<SectionRow>,
    /// Its calls, in order of their keys.
    pub calls: Vec<CallRow>,
    /// Its output.
    pub output: Option<Value>,
    /// Its events.
    pub events: Vec<Record>,
}

/// A run of another agent that carries out a call of a stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChildRow {
    /// Its id; absent while it has not begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// Its agent's name, and its item's where the stage names them.
    pub title: String,
    /// How the call stands.
    pub status: CallState,
}

/// A section of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SectionRow {
    /// `system`, or the section's name.
    pub name: String,
    /// Its text; at most 200,000 characters.
    pub text: String,
    /// Estimated tokens.
    pub tokens: u64,
}

/// A call of a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallRow {
    /// `stage#attempt.wave.item`.
    pub key: String,
    /// What it does, for a person.
    pub title: String,
    /// Whether it asks a model.
    pub model: bool,
    /// How it stands.
    pub status: CallState,
    /// Attempts.
    pub tries: u32,
    /// Milliseconds of the attempt that succeeded.
    pub ms: u64,
    /// Tokens used.
    pub usage: Usage,
    /// Money used.
    pub cost: NanoUsd,
    /// What was sent.
    pub request: Option<Value>,
    /// What came back.
    pub output: Option<Value>,
    /// Why it failed.
    pub problem: Option<Problem>,
    /// What a flat rate paid for, as it would have cost by use.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub equivalent: NanoUsd,
    /// What went over the wire: method, address, headers without secrets, body. Absent where nothing left the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire: Option<Value>,
    /// The answer as the provider gave it: text, thinking, parts, usage, ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<Value>,
    /// The id under which the provider's support finds the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The model that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    /// Why the answer ended: `end_turn`, `max_tokens`, `refusal`, ….
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// Words of the draft that its answer goes on from, after it broke off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continued_from: Option<u32>,
}

fn is_nothing(money: &NanoUsd) -> bool {
    money.0 == 0
}
