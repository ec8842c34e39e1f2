//! What happened in a chat turn. The log of these is the only truth; state is its fold.

use domain::{
    AgentSlug, Budget, Digest, GrantScope, LimitReached, Mode, NanoUsd, Problem, Question, Reserve, Ruling,
    RunId, SessionId, Show, Usage, Walls,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version that this program writes into every record.
pub const EVENT_VERSION: u32 = 1;

/// An event with its place in the log.
pub type Record = domain::Record<Event>;

/// The most that a turn may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Bounds {
    /// Answers of the model, the final one not counted.
    pub iterations: u32,
    /// Calls of tools.
    pub tool_calls: u32,
    /// The same call this many times in a row earns a nudge; once more ends the turn's execution.
    pub repeats: u32,
    /// Tools that run at the same time.
    pub parallel: u32,
    /// Attempts of a call to the model that failed in a way that may pass.
    pub tries: u32,
    /// Money, tokens and time.
    pub budget: Budget,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            iterations: 100,
            tool_calls: 500,
            repeats: 3,
            parallel: 8,
            tries: 4,
            budget: Budget::default(),
        }
    }
}

/// Where the turn comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Origin {
    /// A message of the person.
    Person,
    /// A stage of a run; the turn ends when a tool gates it.
    Stage {
        /// The run.
        run: RunId,
        /// The stage.
        stage: String,
    },
    /// The person wants what was said before in fewer words, and nothing else.
    Compaction,
    /// A program beside the conversation handed a plan in: it waits for the person, and no model is asked.
    Plan(Box<PlanSubmission>),
}

/// A plan that was handed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanSubmission {
    /// What it is for.
    pub title: String,
    /// The plan, Markdown.
    pub text: String,
    /// Its file.
    pub path: String,
}

/// What a call to the model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To go on, with tools.
    Step,
    /// The last one, without tools: the best answer so far.
    Final,
    /// To put what was said into fewer words.
    Compact,
}

/// Whether the provider says that the model is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It has ended its turn.
    Ended,
    /// It waits for tools.
    WantsTools,
    /// Its reasons do not tell the two apart.
    Unclear,
    /// It was cut at the limit of its output.
    Cut,
    /// It refused. Read from logs of earlier versions, which took a refusal with text for an answer.
    Refused,
    /// It declined, or a filter of its provider broke it off: what was said before is no whole answer.
    Withheld,
    /// For a reason that nobody here knows: what was said is not taken for a whole answer.
    Unexplained,
}

impl Stop {
    /// The bound that an answer with text ends at, where this is an end that is none.
    pub(crate) const fn bound(self) -> Option<&'static str> {
        match self {
            Self::Withheld => Some("withheld"),
            Self::Unexplained => Some("unexplained"),
            Self::Ended | Self::WantsTools | Self::Unclear | Self::Cut | Self::Refused => None,
        }
    }

    /// Whether a log may have this for an answer that now ends as `now`: earlier versions told fewer ends apart.
    pub fn is_recorded_for(self, now: Self) -> bool {
        self == now
            || matches!((self, now), (Self::Refused, Self::Withheld) | (Self::Unclear, Self::Unexplained))
    }

    /// Whether the model, or a filter, declined.
    pub(crate) const fn is_refusal(self) -> bool {
        match self {
            Self::Refused | Self::Withheld => true,
            Self::Ended | Self::WantsTools | Self::Unclear | Self::Cut | Self::Unexplained => false,
        }
    }
}

/// A call of a tool that the model asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestedCall {
    /// Unique within the turn: made by the engine, since providers repeat theirs.
    pub call: String,
    /// The tool's name as the model knows it.
    pub tool: String,
    /// The digest of the name and the arguments as canonical JSON: what makes two calls the same.
    pub same: Digest,
    /// Whether such a tool was offered and its arguments are an object that satisfies its schema.
    pub known: bool,
    /// Whether it may run beside others: it only reads, says a source that is trusted or the tool itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parallel: bool,
    /// Whether running it twice does no harm.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeatable: bool,
    /// What of its name and arguments was read otherwise than the model wrote it, in words: how often that happens tells
    /// how well the model fits its tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adapted: Vec<String>,
}

/// How a call of a tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolEnd {
    /// With a result.
    Ok,
    /// With an error, which the model is told with what to do about it.
    Failed,
    /// It did not run: refused by a rule or by the person.
    Denied,
    /// It was stopped.
    Stopped,
    /// Nobody knows: the program ended while it ran.
    Unknown,
}

/// What the person said to a request for permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    /// It runs.
    Allowed {
        /// How long that holds.
        scope: GrantScope,
        /// The grant's id.
        grant: String,
        /// What stands around it while it runs.
        #[serde(default, skip_serializing_if = "Walls::is_open")]
        #[schemars(with = "bool")]
        confined: Walls,
    },
    /// It does not.
    Denied {
        /// What the model is told besides; may be empty.
        #[serde(default)]
        reason: String,
    },
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "end")]
pub enum End {
    /// With the model's answer.
    Answered,
    /// A bound was reached; the answer is the best so far.
    Bounded {
        /// Which, in words.
        bound: String,
    },
    /// A tool ended it: a plan waits for the person, a stage has its output.
    Handed,
    /// By the person.
    Stopped,
    /// Something failed that trying again did not mend; it can be resumed.
    Failed {
        /// What.
        problem: Problem,
    },
}

impl End {
    /// Whether the answer is none: what was said before a refusal, or before an end that nobody can explain.
    pub fn is_none(&self) -> bool {
        let ends = [Stop::Withheld, Stop::Unexplained].map(Stop::bound);
        matches!(self, Self::Bounded { bound } if ends.contains(&Some(bound.as_str())))
    }
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum Event {
    /// The turn began.
    TurnStarted {
        /// Its session.
        session: SessionId,
        /// The agent that is talked to, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentSlug>,
        /// Where it comes from.
        origin: Origin,
        /// What the person wrote ([`domain::UserMessage`]), as a blob.
        message: Digest,
        /// The turn or run that it follows in its conversation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        previous: Option<RunId>,
        /// What it depends on (connection, model, instructions, tools), as a blob.
        pinned: Digest,
        /// The mode when it began.
        mode: Mode,
        /// The most that it may do.
        bounds: Bounds,
    },
    /// Tools came or went, or the model was changed: what it depends on from now on.
    Repinned {
        /// As a blob.
        pinned: Digest,
    },
    /// The mode changed while it went on.
    ModeChanged {
        /// The new one.
        mode: Mode,
    },
    /// The next request would not fit; what was said before has to be put into fewer words first.
    CompactionNeeded {
        /// Estimated tokens of the request.
        tokens: u64,
        /// The window.
        window: u64,
    },
    /// A call to the model is about to be made. Durable before it is.
    ModelRequested {
        /// Which call of the turn, from 1.
        call: u32,
        /// Which attempt of it, from 1.
        r#try: u32,
        /// What for.
        purpose: Purpose,
        /// Whether tools are offered.
        tools: bool,
        /// The hash of what is sent.
        request: Digest,
        /// The most that it can cost.
        reserve: Reserve,
        /// Estimated tokens of what is sent.
        tokens: u64,
    },
    /// The next call to the model could cost more than is left, the last one's share set aside: it is not made.
    TooDear {
        /// Which call.
        call: u32,
        /// What for.
        purpose: Purpose,
        /// The most that it could cost.
        reserve: Reserve,
    },
    /// A limit on money that the user set forbade a call that was requested: it was not made.
    ModelWithheld {
        /// Which call.
        call: u32,
        /// The limit.
        limit: LimitReached,
    },
    /// It answered.
    ModelAnswered {
        /// Which call.
        call: u32,
        /// The whole answer as it came, as a blob.
        answer: Digest,
        /// Its text as a blob, where it has any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<Digest>,
        /// Why it ended.
        stop: Stop,
        /// The tools that it calls, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tools: Vec<RequestedCall>,
        /// Tokens.
        usage: Usage,
        /// Money.
        cost: NanoUsd,
        /// What it would have cost by use, where a flat rate pays.
        #[serde(default)]
        equivalent: NanoUsd,
        /// The id under which the provider's support finds it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
        /// What the person is told of it: why it was broken off, what was cut, what was left out of the request.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        notes: Vec<String>,
    },
    /// It failed.
    ModelFailed {
        /// Which call.
        call: u32,
        /// Why.
        problem: Problem,
        /// Milliseconds to wait before trying again; absent: it is not tried again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_ms: Option<u64>,
        /// Whether it failed because the request did not fit the window.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        too_long: bool,
        /// The text that a person had read of it by then, as a blob; only where it is not tried again. Where the person
        /// stopped it, the text of the answer so far.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shown: Option<Digest>,
        /// Tokens that were used all the same.
        usage: Usage,
        /// Money that was spent all the same.
        cost: NanoUsd,
        /// The response that the provider goes on with: the next try fetches that answer and asks nothing new.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        response_id: Option<String>,
    },
    /// The provider took the call and goes on with it, whether anybody reads or not. Durable, so that the answer can be
    /// fetched by the response's id after a crash.
    ModelAccepted {
        /// Which call.
        call: u32,
        /// The id of the response.
        response_id: String,
    },
    /// The program ended while it was under way: it may have cost up to its reservation.
    ModelUnknown {
        /// Which call.
        call: u32,
    },
    /// The pause before another attempt is over.
    Waited {
        /// Which call.
        call: u32,
    },
    /// What was said before now stands in fewer words.
    Compacted {
        /// The text that stands for it, as a blob.
        summary: Digest,
        /// Whether a model wrote it, or code.
        by_model: bool,
        /// Estimated tokens before.
        before: u64,
        /// And after.
        after: u64,
        /// The state of the run whose stage the turn belongs to, as it was recorded then: a blob.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        checkpoint: Option<Digest>,
    },
    /// The model was told that it repeats itself, or is out of bounds, as a message of the person's side.
    Nudged {
        /// What it was told, as a blob.
        text: Digest,
    },
    /// Permission was decided on.
    ToolJudged {
        /// The call.
        call: String,
        /// How.
        ruling: Ruling,
        /// What the person is shown ([`domain::Preview`]), as a blob, when they are asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        preview: Option<Digest>,
        /// What the call does, in one line.
        intent: String,
    },
    /// The person answered a request for permission.
    ToolAnswered {
        /// The call.
        call: String,
        /// How.
        verdict: Verdict,
    },
    /// It is about to run. Durable before it does, unless running it twice does no harm.
    ToolStarted {
        /// The call.
        call: String,
    },
    /// It is about to ask a model a question of its own. Durable before it does.
    ToolModelRequested {
        /// The call.
        call: String,
        /// What is asked: the same question of the same call has the same one.
        question: Digest,
        /// The most that it can cost.
        reserve: Reserve,
    },
    /// That question was answered, or failed.
    ToolModelEnded {
        /// The call.
        call: String,
        /// The answer's text as a blob, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<Digest>,
        /// Tokens.
        usage: Usage,
        /// Money.
        cost: NanoUsd,
        /// What it would have cost by use, where a flat rate pays.
        #[serde(default)]
        equivalent: NanoUsd,
    },
    /// It waits for the person's answer to a question.
    QuestionAsked {
        /// The call.
        call: String,
        /// The question.
        question: Question,
    },
    /// The person answered; the answer is the call's result.
    QuestionAnswered {
        /// The call.
        call: String,
        /// The answer.
        answer: String,
    },
    /// It ended.
    ToolEnded {
        /// The call.
        call: String,
        /// How.
        end: ToolEnd,
        /// What the model reads, as a blob.
        result: Digest,
        /// One line for the person.
        summary: String,
        /// What the person may see besides.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        show: Vec<Show>,
        /// Milliseconds that it ran.
        ms: u64,
        /// Whether it ends the turn: the result is then the turn's output.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        ends: bool,
    },
    /// A message of the person came in while the turn went on; the model reads it before its next step.
    Steered {
        /// The message ([`domain::UserMessage`]), as a blob.
        message: Digest,
    },
    /// The phase changed: from here on no tool is offered.
    Responding {
        /// Why: `answered`, `repeats`, or a bound.
        why: String,
    },
    /// The person wants it to end.
    StopRequested,
    /// The program ends; the turn goes on at its next start.
    Suspended,
    /// It goes on.
    Continued,
    /// It ended.
    TurnEnded {
        /// How.
        #[serde(flatten)]
        end: End,
        /// The answer's text as a blob, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<Digest>,
    },
    /// A failed or stopped turn goes on where it was.
    Retried,
}

impl Event {
    /// The word under which it is written.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::TurnStarted { .. } => "turn_started",
            Self::Repinned { .. } => "repinned",
            Self::ModeChanged { .. } => "mode_changed",
            Self::CompactionNeeded { .. } => "compaction_needed",
            Self::ModelRequested { .. } => "model_requested",
            Self::TooDear { .. } => "too_dear",
            Self::ModelWithheld { .. } => "model_withheld",
            Self::ModelAnswered { .. } => "model_answered",
            Self::ModelFailed { .. } => "model_failed",
            Self::ModelAccepted { .. } => "model_accepted",
            Self::ModelUnknown { .. } => "model_unknown",
            Self::Waited { .. } => "waited",
            Self::Compacted { .. } => "compacted",
            Self::Nudged { .. } => "nudged",
            Self::ToolJudged { .. } => "tool_judged",
            Self::ToolAnswered { .. } => "tool_answered",
            Self::ToolStarted { .. } => "tool_started",
            Self::ToolModelRequested { .. } => "tool_model_requested",
            Self::ToolModelEnded { .. } => "tool_model_ended",
            Self::QuestionAsked { .. } => "question_asked",
            Self::QuestionAnswered { .. } => "question_answered",
            Self::ToolEnded { .. } => "tool_ended",
            Self::Steered { .. } => "steered",
            Self::Responding { .. } => "responding",
            Self::StopRequested => "stop_requested",
            Self::Suspended => "suspended",
            Self::Continued => "continued",
            Self::TurnEnded { .. } => "turn_ended",
            Self::Retried => "retried",
        }
    }
}

impl Event {
    /// The payloads that it refers to.
    pub fn payloads(&self) -> Vec<Digest> {
        match self {
            Event::TurnStarted { message, pinned, .. } => vec![*message, *pinned],
            Event::Repinned { pinned } => vec![*pinned],
            Event::ModelAnswered { answer, text, .. } => std::iter::once(*answer).chain(*text).collect(),
            Event::ModelFailed { shown, .. } => shown.iter().copied().collect(),
            Event::Compacted { summary, checkpoint, .. } => {
                std::iter::once(*summary).chain(*checkpoint).collect()
            }
            Event::Nudged { text } => vec![*text],
            Event::ToolJudged { preview, .. } => preview.iter().copied().collect(),
            Event::ToolEnded { result, show, .. } => {
                let mut all = vec![*result];
                for show in show {
                    match show {
                        Show::Change { before, after, .. } => all.extend(before.iter().chain(after)),
                        Show::Media { data, .. } => all.push(*data),
                        Show::Tasks { .. }
                        | Show::Plan { .. }
                        | Show::Background { .. }
                        | Show::Value { .. } => {}
                    }
                }
                all
            }
            Event::Steered { message } => vec![*message],
            Event::ToolModelEnded { answer, .. } => answer.iter().copied().collect(),
            Event::TurnEnded { answer, .. } => answer.iter().copied().collect(),
            Event::ModeChanged { .. }
            | Event::CompactionNeeded { .. }
            | Event::ModelRequested { .. }
            | Event::ModelWithheld { .. }
            | Event::TooDear { .. }
            | Event::ModelAccepted { .. }
            | Event::ModelUnknown { .. }
            | Event::Waited { .. }
            | Event::ToolAnswered { .. }
            | Event::ToolStarted { .. }
            | Event::ToolModelRequested { .. }
            | Event::QuestionAsked { .. }
            | Event::QuestionAnswered { .. }
            | Event::Responding { .. }
            | Event::StopRequested
            | Event::Suspended
            | Event::Continued
            | Event::Retried => Vec::new(),
        }
    }
}
