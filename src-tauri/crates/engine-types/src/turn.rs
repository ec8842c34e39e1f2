//! A turn as surfaces see it.

use domain::{Mode, NanoUsd, Offer, Preview, Problem, Question, RunId, SessionId, Show, Usage, UserMessage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A turn: what was asked, every step, and the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnView {
    /// What changes as a whole.
    pub head: TurnHead,
    /// What the person wrote.
    pub message: UserMessage,
    /// Its steps, in order.
    pub steps: Vec<TurnStep>,
}

/// Everything of a turn but its steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnHead {
    /// Its id.
    pub run: RunId,
    /// Its session.
    pub session: SessionId,
    /// The turn or run that it follows in its conversation.
    pub previous: Option<RunId>,
    /// The stage that it works for; its run shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<StageRef>,
    /// The last committed event's number.
    pub seq: u64,
    /// When it began, in milliseconds since 1970.
    pub started_at: u64,
    /// How it stands.
    pub status: TurnStatus,
    /// Whether it completed with an answer that is none: its provider broke it off, or ended it for an unknown reason.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
    /// What it waits for or does, in words, while it is not over: `Asking the model`, `Waiting for your permission`.
    pub doing: String,
    /// Since when, in milliseconds since 1970.
    pub since: u64,
    /// The agent that is talked to; empty for none.
    pub agent: String,
    /// The mode now.
    pub mode: Mode,
    /// The connection.
    pub connection: String,
    /// The model.
    pub model: String,
    /// The answer, Markdown; with the bound that ended it said in `note`.
    pub answer: Option<String>,
    /// What is to be known besides: a bound that ended it, sources that did not work.
    pub notes: Vec<String>,
    /// A plan that waits for the person.
    pub plan: Option<PlanView>,
    /// Why it failed.
    pub problem: Option<Problem>,
    /// Tokens.
    pub usage: Usage,
    /// Money.
    pub cost: NanoUsd,
    /// What flat rates paid for.
    pub equivalent: NanoUsd,
    /// The most that interrupted calls may have cost besides.
    pub doubtful: NanoUsd,
    /// Active milliseconds.
    pub active_ms: u64,
    /// Estimated tokens of the last request.
    pub context: u64,
    /// The model's window.
    pub window: u64,
    /// Calls of tools.
    pub tool_calls: u32,
}

/// A stage of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StageRef {
    /// The run.
    pub run: RunId,
    /// The stage's id.
    pub stage: String,
}

/// How a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// Under way.
    Running,
    /// For permission or an answer of the person.
    Waiting,
    /// The program ended while it was under way, and nobody drives it.
    Interrupted,
    /// With an answer, or something handed over.
    Completed,
    /// By the person.
    Stopped,
    /// It can be tried again.
    Failed,
}

/// A plan that the agent handed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanView {
    /// Its title.
    pub title: String,
    /// Markdown.
    pub text: String,
    /// Its file.
    pub path: String,
    /// What the person did with it.
    pub state: PlanState,
}

domain::words! {
    /// What the person did with a plan.
    pub enum PlanState {
        /// Nothing yet.
        Waiting = "waiting",
        /// The next turn carries it out.
        Accepted = "accepted",
        /// The next turn changes it.
        Refined = "refined",
    }
}

/// A step of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnStep {
    /// Unique within the turn and stable.
    pub id: String,
    /// The step that it belongs below; steps of a child turn below the call that began it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// What.
    #[serde(flatten)]
    pub kind: StepKind,
    /// How it stands.
    pub status: StepStatus,
    /// When it began, in milliseconds since 1970.
    pub at: u64,
    /// Milliseconds that it took.
    pub ms: u64,
}

/// What a step is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
#[expect(clippy::large_enum_variant, reason = "most steps are calls of tools")]
pub enum StepKind {
    /// The model thinks or writes; while it does its text comes as deltas with the step's id, and a turn that is read
    /// holds what came so far.
    Model {
        /// What it thought, cut at 20,000 bytes.
        thinking: String,
        /// What it wrote along with calls of tools or before it failed, Markdown. The answer's text is in the head alone.
        text: String,
    },
    /// A call of a tool.
    Tool {
        /// The tool's name as the model knows it.
        tool: String,
        /// What a person reads.
        title: String,
        /// The source's slug; empty for what is built in.
        source: String,
        /// What the call does, in one line.
        intent: String,
        /// What came of it, in one line.
        summary: String,
        /// The person is asked for permission.
        #[serde(skip_serializing_if = "Option::is_none")]
        approval: Option<Box<Approval>>,
        /// The person is asked something.
        #[serde(skip_serializing_if = "Option::is_none")]
        question: Option<Question>,
        /// What they answered.
        #[serde(skip_serializing_if = "Option::is_none")]
        answer: Option<String>,
        /// By what it was allowed or denied.
        #[serde(skip_serializing_if = "Option::is_none")]
        ruled: Option<String>,
        /// What of its name and arguments was read otherwise than the model wrote it, in words.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        adapted: Vec<String>,
        /// What may be seen besides its result.
        show: Vec<Show>,
    },
    /// The person wrote while it went on.
    Steering {
        /// What.
        message: UserMessage,
    },
    /// What was said before was put into fewer words.
    Compaction {
        /// The words.
        summary: String,
        /// Estimated tokens before.
        before: u64,
        /// And after.
        after: u64,
        /// Whether a model wrote them, or code.
        by_model: bool,
    },
    /// Something that the program did or told: a nudge, a change of mode, a retry.
    Notice {
        /// What.
        text: String,
    },
}

/// How a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// It will run.
    Queued,
    /// It waits for the person.
    Asking,
    /// Under way.
    Running,
    /// Done.
    Ok,
    /// It failed.
    Failed,
    /// It was not allowed.
    Denied,
    /// It was stopped.
    Stopped,
    /// Nobody knows what came of it.
    Unknown,
}

/// A request for permission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    /// Why it is asked.
    pub why: String,
    /// What would happen.
    pub preview: Preview,
    /// Its arguments.
    pub arguments: Value,
    /// What may be granted, the narrowest first.
    pub offers: Vec<Offer>,
}

/// Everything of a step that a list of steps leaves out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepDetail {
    /// Its id.
    pub id: String,
    /// The call's arguments.
    pub arguments: Value,
    /// What the model reads of its result, cut at 200,000 bytes.
    pub result: String,
    /// Bytes of the whole result.
    pub bytes: u64,
    /// Texts of changed files and data of media, by digest; images and documents in base64.
    pub blobs: std::collections::BTreeMap<String, String>,
}

/// Something that a surface may show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnUi {
    /// The turn.
    pub run: RunId,
    /// Its session.
    pub session: SessionId,
    /// The last committed event's number.
    pub seq: u64,
    /// What.
    pub kind: TurnUiKind,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What a surface is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
pub enum TurnUiKind {
    /// Events were committed: the head as it is now, and the steps that changed or are new (by id). The first one of a
    /// turn has its message.
    Changed {
        /// The head.
        head: Box<TurnHead>,
        /// Steps.
        steps: Vec<TurnStep>,
        /// What the person wrote, with the first one.
        message: Option<UserMessage>,
        /// With the first one of an edited message: turns of the session that were replaced and are no longer shown.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        replaced: Vec<RunId>,
    },
    /// Text arrived from the model.
    Delta {
        /// The step.
        step: String,
        /// The text.
        text: String,
        /// Whether it is thinking.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        thinking: bool,
        /// Where it stands in all that the step wrote (or thought) so far, in UTF-16 units: a view that was read
        /// meanwhile may hold it already.
        #[serde(default, skip_serializing_if = "is_zero")]
        at: u64,
    },
    /// A call told of something.
    Output {
        /// The step.
        step: String,
        /// A piece of its output.
        text: String,
    },
}
