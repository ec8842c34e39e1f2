//! What happened in a run. The log of these is the only truth; state is its fold.

use std::collections::BTreeMap;

use domain::{
    AgentSlug, Budget, Digest, DraftPlace, LimitReached, NanoUsd, PauseId, Problem, Reserve, RunForecast,
    RunId, SessionId, StageId, Usage,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conversation::ConversationFill;

/// The newest version of an event that this program reads; [`Event::version`] is what it writes.
pub const EVENT_VERSION: u32 = 2;

/// An event with its place in the log.
pub type Record = domain::Record<Event>;

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A call's place: stage, attempt of the stage, wave, item. Results are keyed by it, never by arrival.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct CallKey {
    /// The stage.
    pub stage: StageId,
    /// Which attempt of the stage, from 1.
    pub attempt: u32,
    /// Which wave: tool steps from 0, then the model's.
    pub wave: u32,
    /// Which item of the wave, from 0.
    pub item: u32,
}

impl std::fmt::Display for CallKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}#{}.{}.{}", self.stage, self.attempt, self.wave, self.item)
    }
}

/// A call that a wave consists of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedCall {
    /// Hash of what will be sent.
    pub request: Digest,
    /// The most it can cost; zero for tools.
    #[serde(default, skip_serializing_if = "is_free")]
    pub reserve: Reserve,
    /// What a child run can begin with: it does with what is left, where that is less than `reserve`. Zero for others.
    #[serde(default, skip_serializing_if = "is_free")]
    pub least: Reserve,
    /// Whether issuing it twice does no harm and costs nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeatable: bool,
    /// Whether its failure is a warning.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// What it does, for a person.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The name of its item, where the stage names them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
}

fn is_free(reserve: &Reserve) -> bool {
    *reserve == Reserve::default()
}

/// What a wave did without: nothing, in most.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Cut {
    /// Items beyond the stage's `maxCalls`: no call was planned for them.
    #[serde(skip_serializing_if = "is_none_u32")]
    pub items: u32,
    /// Optional calls for which the budget left no room.
    #[serde(skip_serializing_if = "is_none_u32")]
    pub unaffordable: u32,
    /// Calls whose context did not fit, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contexts: Vec<CutContext>,
}

/// A context that did not fit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CutContext {
    /// Which call of the wave, from 0.
    pub item: u32,
    /// What was left out or cut, in words.
    pub left_out: Vec<String>,
}

impl Cut {
    /// Whether the wave did without nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Calls that were wanted and not planned.
    pub fn unplanned(&self) -> u32 {
        self.items.saturating_add(self.unaffordable)
    }
}

/// What a model call gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Answer {
    /// It satisfies the stage's schema.
    Valid {
        /// The value, as a blob.
        output: Digest,
        /// Names of fields that the schema does not know; the value is without them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        left_out: Vec<String>,
    },
    /// It does not; the raw text is kept.
    Invalid {
        /// The raw text, as a blob.
        text: Digest,
        /// What the validator found.
        errors: Vec<String>,
    },
}

/// How a child run ended, for the stage that it works for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "ended")]
pub enum ChildEnd {
    /// It gave what the stage is there for.
    Gated {
        /// The value, as a blob.
        output: Digest,
    },
    /// It said something and waits for the person's answer.
    Asks {
        /// What it said, as a blob.
        said: Digest,
    },
    /// It stands at a pause of its own: the person answers it through the run that it works for.
    Waits {
        /// The pause's form, as a blob.
        form: Digest,
    },
    /// It was interrupted, by the end of the program or by the person: it goes on where it was.
    Interrupted,
    /// It used up what it was given and can go on with more.
    Short {
        /// What its next call needs.
        needed: Reserve,
        /// Whether it is the time that is used up.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        out_of_time: bool,
    },
    /// It failed; going on with it later repeats nothing.
    Failed {
        /// Why.
        problem: Problem,
    },
}

/// The call of another run that a run carries out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ParentCall {
    /// That run.
    pub run: RunId,
    /// The call.
    pub key: CallKey,
}

/// The run that another one repeats: what did not change is taken from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BaseRun {
    /// That run.
    pub run: RunId,
    /// The cache key of its requests: where nothing changed, this run asks the same.
    pub cache_key: String,
    /// A stage that runs again with all that depends on it, whether anything changed or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<StageId>,
    /// What stands in place of stages' outputs, as blobs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub edits: BTreeMap<StageId, Digest>,
}

/// A call of an earlier run whose result was taken over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReusedCall {
    /// The run that made it.
    pub run: RunId,
    /// The call there.
    pub key: CallKey,
    /// The tokens that it used there.
    #[serde(default)]
    pub usage: Usage,
    /// What it cost there.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub cost: NanoUsd,
}

/// What else is kept of a call to a model that has ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Receipt {
    /// The answer as the provider gave it, as a blob; of a failed call, what had come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received: Option<Digest>,
    /// The id under which the provider's support finds the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// What it would have cost by use, where a flat rate pays. It counts in no budget.
    #[serde(skip_serializing_if = "is_nothing")]
    pub equivalent: NanoUsd,
    /// Of a failed call that the provider goes on with: the id of its response. The next try fetches that answer and asks
    /// nothing new, and what it costs is booked then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
    /// Of a failed call: whether the next try goes on from the draft that was kept of its answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub continues: bool,
}

impl Receipt {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

fn is_nothing(money: &NanoUsd) -> bool {
    money.0 == 0
}

/// Why a stage did not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkippedBy {
    /// Its `when` was false.
    Config,
    /// The person chose so at a pause.
    Person,
    /// It failed and is skippable.
    Failure,
    /// The budget did not allow it and it is skippable.
    Budget,
}

/// What a pause waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum PauseKind {
    /// The person's word on a stage's output.
    Stage,
    /// Whether a call that a crash interrupted may be issued again.
    Ambiguous {
        /// The call.
        key: CallKey,
    },
    /// A higher budget.
    Budget,
    /// The person's answer to what a child run said.
    Dialogue {
        /// The call that the child carries out.
        key: CallKey,
    },
    /// The person's answer to a pause of a child run of another agent.
    Child {
        /// The call that the child carries out.
        key: CallKey,
    },
    /// The person's word on the best attempt of a repair unit whose check does not pass.
    Gate {
        /// The unit's index.
        unit: u32,
    },
    /// The person's permission for tool calls of a stage, all that one wave asks for together.
    Permission {
        /// The wave.
        wave: u32,
    },
    /// Whether a stage begins a fresh conversation, because the one that it would go on in has too little room left.
    Handoff,
}

/// The person's answer to a pause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// The choice's id.
    pub choice: String,
    /// What it does.
    pub action: Action,
    /// Free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Answers by question.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: BTreeMap<String, String>,
    /// Whether the program answered for the person, as told beforehand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unattended: bool,
    /// Whether the stage's output was edited with it: then the edit stands, and what was said guides later stages alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
    /// Why the program answered, where an automation did not let the run wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// Whether the run took it by itself because it is a follow-up: that goes on past a pause which only confirms a plan.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub follow_up: bool,
    /// When it was taken (ISO 8601). It is part of the answer: a run that is driven again has the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

impl Decision {
    /// Whether answers make the stage run once more, where its configuration says so.
    pub(crate) fn replans(&self) -> bool {
        self.has_content() && !self.edited
    }

    /// Whether it carries content that later stages should see.
    pub fn has_content(&self) -> bool {
        self.text.as_deref().is_some_and(|text| !text.trim().is_empty())
            || self.answers.values().any(|answer| !answer.trim().is_empty())
    }
}

/// What an answer does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "do")]
pub enum Action {
    /// Goes on.
    Proceed,
    /// Goes on without a stage.
    Skip {
        /// The stage.
        stage: StageId,
    },
    /// Runs the paused stage again with the text as feedback.
    Amend,
    /// Issues the interrupted call again.
    Retry,
    /// Goes on with a higher budget.
    Raise {
        /// The new budget.
        budget: Budget,
    },
    /// Allows a repair unit one more attempt.
    Again,
    /// Accepts the best attempt of a repair unit, certified with limitations.
    Certify,
    /// Allows the tool calls that a wave asked permission for.
    Permit,
    /// Refuses them: they fail.
    Refuse,
    /// Begins a fresh conversation with what the old one hands over.
    HandOver,
    /// Goes on in the conversation, little room or not.
    GoOn,
    /// Ends the run.
    Cancel,
}

/// Why a repair unit ended without passing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RepairEnd {
    /// As many repairs as allowed.
    Exhausted,
    /// No budget for another.
    Budget,
    /// A repair itself failed.
    Failed,
    /// A repair made nothing better: another would cost the same for nothing.
    NoGain,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "type")]
#[allow(missing_docs)] // the variants' names are the spec's; fields are documented where they aren't plain
pub enum Event {
    RunStarted {
        session: SessionId,
        agent: AgentSlug,
        request: String,
        /// The depth that the person chose.
        depth: Option<String>,
        /// Everything the run pins: configuration, prompts, schemas, prices, corpus, as one blob.
        pinned: Digest,
        previous: Option<RunId>,
        budget: Budget,
        /// What stays reserved for each essential stage that has not run.
        essential: Reserve,
        /// Whether calls that a crash left unknown are issued again without asking.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        retry_ambiguous: bool,
        /// What it was expected to use.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        forecast: Option<RunForecast>,
        /// What it was given besides the question, as a blob.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        inputs: Option<Digest>,
        /// The call that it carries out, where it is a child run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<ParentCall>,
        /// The run that it repeats.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<BaseRun>,
    },
    FollowupContextLoaded {
        number: u32,
        context: Option<Digest>,
        warning: Option<String>,
    },
    StageStarted {
        stage: StageId,
        attempt: u32,
        /// 0, or which repair.
        #[serde(default, skip_serializing_if = "is_none_u32")]
        iteration: u32,
        /// The number of the conversation that it goes on in or begins; 0: one of its own, which no other stage goes on in.
        #[serde(default, skip_serializing_if = "is_none_u32")]
        conversation: u32,
    },
    StagePlanned {
        stage: StageId,
        attempt: u32,
        wave: u32,
        calls: Vec<PlannedCall>,
        #[serde(default, skip_serializing_if = "Cut::is_empty")]
        cut: Cut,
    },
    /// A call asks what a call of the base run asked: its result is taken over, and nothing is asked or paid.
    CallReused {
        key: CallKey,
        output: Digest,
        from: ReusedCall,
    },
    CallPrepared {
        key: CallKey,
        request: Digest,
        reserve: Reserve,
    },
    ModelCallRequested {
        key: CallKey,
        r#try: u32,
        request: Digest,
        reserve: Reserve,
    },
    /// The provider took the call and goes on with it, whether anybody reads or not. Durable, so that the answer can be
    /// fetched by the response's id after a crash.
    ModelCallAccepted {
        key: CallKey,
        r#try: u32,
        response_id: String,
    },
    /// So much of the answer has been streamed. Durable, so that the words stay known where the program ends before the answer.
    ModelCallDrafted {
        key: CallKey,
        r#try: u32,
        words: u32,
        /// The text, as a blob.
        draft: Digest,
        /// Where it stands in the answer; absent where no answer can go on from it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<DraftPlace>,
    },
    ModelCallCompleted {
        key: CallKey,
        r#try: u32,
        answer: Answer,
        usage: Usage,
        cost: NanoUsd,
        stop: String,
        model: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        response_id: Option<String>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        truncated: bool,
        ms: u64,
        #[serde(default, skip_serializing_if = "Receipt::is_empty")]
        receipt: Receipt,
    },
    ModelCallFailed {
        key: CallKey,
        r#try: u32,
        problem: Problem,
        /// Milliseconds to wait before the next attempt; `None`: no further attempt can help.
        retry_in: Option<u64>,
        usage: Usage,
        cost: NanoUsd,
        #[serde(default, skip_serializing_if = "Receipt::is_empty")]
        receipt: Receipt,
    },
    ToolCallRequested {
        key: CallKey,
        r#try: u32,
        request: Digest,
    },
    ToolCallCompleted {
        key: CallKey,
        r#try: u32,
        output: Digest,
        ms: u64,
    },
    ToolCallFailed {
        key: CallKey,
        r#try: u32,
        problem: Problem,
        retry_in: Option<u64>,
    },
    /// A tool call needs the person's permission: it was not made, and waits for it.
    CallNeedsPermission {
        key: CallKey,
        r#try: u32,
        /// What it would do and why it is asked about, as a blob.
        asks: Digest,
    },
    TimerSet {
        key: CallKey,
        ms: u64,
    },
    TimerFired {
        key: CallKey,
    },
    /// A call that was under way when the program died.
    OutcomeUnknown {
        key: CallKey,
        r#try: u32,
        /// Whether the next try goes on from the draft that was kept of its answer.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        continues: bool,
    },
    StageCompleted {
        stage: StageId,
        attempt: u32,
        output: Digest,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        summary: String,
        /// A verify stage's verdict.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        passed: Option<bool>,
        /// Scores by axis in millionths.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        scores: BTreeMap<String, i64>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<String>,
        /// Of a repair's check that does not pass: whether it made enough progress, where its unit has a rule for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        progress: Option<bool>,
    },
    StageFailed {
        stage: StageId,
        attempt: u32,
        problem: Problem,
    },
    StageSkipped {
        stage: StageId,
        by: SkippedBy,
        why: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<Digest>,
    },
    PauseRequested {
        pause: PauseId,
        stage: StageId,
        #[serde(flatten)]
        kind: PauseKind,
    },
    PauseFormatted {
        pause: PauseId,
        shape: String,
        length: u64,
        /// The form: message, choices, questions; as a blob.
        form: Digest,
    },
    Resumed {
        pause: PauseId,
        decision: Decision,
        /// The whole reply, as a blob, where it goes on to a child run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reply: Option<Digest>,
    },
    /// The run that a child run works for gave it another share of its budget.
    BudgetSet {
        budget: Budget,
    },
    Edited {
        stage: StageId,
        output: Digest,
        /// A depth that the edit chose.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        depth: Option<String>,
    },
    Amended {
        stage: StageId,
        feedback: String,
    },
    GuidanceQueued {
        text: String,
    },
    /// The person moved the run to another connection or model at a pause.
    Repinned {
        /// Everything that the run pins from now on.
        pinned: Digest,
        /// What stays reserved for each essential stage that has not run, at the new prices.
        essential: Reserve,
    },
    RepairStarted {
        unit: u32,
        iteration: u32,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        scores: BTreeMap<String, i64>,
    },
    RepairEnded {
        unit: u32,
        reason: RepairEnd,
        /// The iteration whose outputs stand.
        chosen: u32,
    },
    BudgetExceeded {
        stage: StageId,
        needed: Reserve,
        left: Budget,
    },
    /// A limit on money that the user set forbade a call that was requested, or stopped the turn that carries it out.
    ModelCallWithheld {
        key: CallKey,
        r#try: u32,
        limit: LimitReached,
    },
    CancelRequested,
    /// The person stopped the program while it worked; nothing new starts until it is continued.
    Suspended,
    Continued,
    /// The conversation that a stage would go on in has too little room left for it.
    ContextHandoffRequested {
        stage: StageId,
        /// The share of the window that is used, from 0 to 1.
        fill: f64,
        /// Tokens that the conversation holds.
        #[serde(default, skip_serializing_if = "is_zero")]
        used: u64,
        /// Tokens that fit into the model's window.
        #[serde(default, skip_serializing_if = "is_zero")]
        window: u64,
        /// Tokens that the stage is taken to need.
        #[serde(default, skip_serializing_if = "is_zero")]
        needed: u64,
    },
    /// What the old conversation handed over is there: the new one begins with it.
    ContextHandoffApproved {
        stage: StageId,
        /// The handoff document, as a blob.
        handoff: Digest,
    },
    /// A child run is about to carry out a call that was requested. Durable before it does.
    ChildRunStarted {
        key: CallKey,
        child: RunId,
    },
    /// It left off. What it used is told in sums over its whole life, so that going on with it counts nothing twice.
    ChildRunFinished {
        key: CallKey,
        r#try: u32,
        child: RunId,
        end: ChildEnd,
        usage: Usage,
        cost: NanoUsd,
        #[serde(default, skip_serializing_if = "is_nothing")]
        equivalent: NanoUsd,
        /// The most that its interrupted calls may have cost besides.
        #[serde(default, skip_serializing_if = "is_free")]
        doubtful: Reserve,
        ms: u64,
        /// Of a turn of a conversation that stages share: what it left the conversation with.
        #[serde(default, skip_serializing_if = "ConversationFill::is_empty")]
        fill: ConversationFill,
    },
    RunCompleted,
    RunFailed {
        stage: StageId,
        problem: Problem,
    },
    RunRetried {
        stage: StageId,
    },
    RunCancelled,
}

fn is_none_u32(number: &u32) -> bool {
    *number == 0
}
