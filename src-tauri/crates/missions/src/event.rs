//! What happened in a mission. The log of these is the only truth; state is its fold.

use std::collections::BTreeMap;

use domain::mission::{Closing, DraftFacts, EarlierItems, GraphFacts, ItemId, MissionRoles, Settlement};
use domain::{AgentSlug, Digest, NanoUsd, PauseId, Problem, Reserve, RunId, SessionId, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::choice::{Action, Refusal};
use crate::criteria::Criterion;
use crate::limits::{Dimension, Limits};
use crate::terms::Terms;

/// The version that this program writes into every record. Since 2 a plan can be edited, a mission
/// repeated, and hosts are asked about.
pub const EVENT_VERSION: u32 = 2;

/// An event with its place in the log.
pub type Record = domain::Record<Event>;

impl std::ops::Add for Additions {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            entities: self.entities + more.entities,
            claims: self.claims + more.claims,
            citations: self.citations + more.citations,
            gaps: self.gaps + more.gaps,
            contradictions: self.contradictions + more.contradictions,
            leads: self.leads + more.leads,
        }
    }
}

fn is_not(flag: &bool) -> bool {
    !flag
}

fn is_no_count(number: &u32) -> bool {
    *number == 0
}

fn is_nothing(money: &NanoUsd) -> bool {
    money.0 == 0
}

fn is_own(earlier: &EarlierItems) -> bool {
    *earlier == EarlierItems::default()
}

fn is_free(reserve: &Reserve) -> bool {
    *reserve == Reserve::default()
}

/// Which invocation: a place in an iteration, never a time of arrival, so that results are integrated in one order.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct InvocationKey {
    /// The iteration; 0: before the first.
    pub iteration: u32,
    /// The place in it, from 0.
    pub slot: u32,
}

impl std::fmt::Display for InvocationKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.iteration, self.slot)
    }
}

/// What an agent is invoked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// To split the request into objective and output specification.
    Split,
    /// To plan.
    Plan,
    /// To propose what is done next.
    Coordinate,
    /// To find something out.
    Research,
    /// To settle a contradiction.
    Check,
    /// To write the report.
    Synthesise,
    /// To review it.
    Review,
}

impl Role {
    /// Whether what it finds goes into the graph, in the order of keys.
    pub fn is_research(self) -> bool {
        matches!(self, Self::Research | Self::Check)
    }

    /// The agent of the role; researchers are chosen by what is to be done.
    pub fn named_in(self, roles: &MissionRoles) -> Option<&AgentSlug> {
        match self {
            Self::Split => roles.split.as_ref(),
            Self::Plan => roles.plan.as_ref(),
            Self::Coordinate => roles.coordinate.as_ref(),
            Self::Synthesise => roles.synthesise.as_ref(),
            Self::Review => roles.review.as_ref(),
            Self::Research | Self::Check => None,
        }
    }
}

/// How a child run left off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "end")]
pub enum ChildEnd {
    /// With a result.
    Finished {
        /// The value, as a blob.
        output: Digest,
    },
    /// It stands at a pause of its own: the user answers it through the mission.
    Waits {
        /// The pause's form, as a blob.
        form: Digest,
    },
    /// It was interrupted, by the end of the program, the user or the end of the mission's time: it goes on where it was.
    Interrupted,
    /// It used up what it was given and can go on with more.
    Short {
        /// What its next call needs.
        needed: Reserve,
    },
    /// It failed; going on with it later repeats nothing.
    Failed {
        /// Why.
        problem: Problem,
    },
}

/// Why an invocation does not take place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DropCause {
    /// What is left is kept for the report, or nothing is left.
    Budget,
    /// The time is over.
    Time,
    /// The user has enough.
    Person,
}

/// Who split the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SplitAuthor {
    /// An agent.
    Agent,
    /// Code, by regular expressions.
    Code,
    /// The user, who gave both parts.
    Person,
}

/// Who decided what is done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DecisionAuthor {
    /// The coordinator's proposal stands.
    Coordinator {
        /// The invocation that proposed it.
        key: InvocationKey,
    },
    /// The rule.
    Rule,
}

/// Why research ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "why")]
pub enum StopCause {
    /// Every criterion is met.
    CriteriaMet,
    /// A limit.
    Limit {
        /// Which.
        dimension: Dimension,
    },
    /// The user has enough.
    Person,
    /// Nothing new was found for as many iterations as allowed.
    NoProgress,
    /// Nothing on the agenda can be given to an agent.
    NothingToDo,
    /// The coordinator proposed to end.
    Coordinator,
}

/// What a pause waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum PauseKind {
    /// The user's word on the plan.
    Plan,
    /// The user's answer to a pause of a child run.
    Child {
        /// The invocation that it carries out.
        key: InvocationKey,
    },
    /// A higher limit, or the report.
    Limit {
        /// The limit that is reached.
        dimension: Dimension,
    },
    /// Whether to go on although nothing new was found.
    NoProgress,
    /// A decision about hosts whose pages were left out.
    Hosts {
        /// The hosts.
        hosts: Vec<String>,
    },
}

/// What the user's answer to a pause does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "do")]
pub enum Decision {
    /// Goes on: with the plan, with the child run, with research.
    Proceed,
    /// Goes on, and what was researched while pages were left out is researched again.
    Again,
    /// Goes on with higher limits.
    Raise {
        /// The new ones.
        limits: Limits,
    },
    /// Ends research; the report is written.
    Write,
    /// Ends the mission.
    Cancel,
}

/// How many things of each kind an integration added to the graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Additions {
    /// Entities and relations.
    #[serde(skip_serializing_if = "is_no_count")]
    pub entities: u32,
    /// Claims.
    #[serde(skip_serializing_if = "is_no_count")]
    pub claims: u32,
    /// Citations.
    #[serde(skip_serializing_if = "is_no_count")]
    pub citations: u32,
    /// Gaps.
    #[serde(skip_serializing_if = "is_no_count")]
    pub gaps: u32,
    /// Contradictions.
    #[serde(skip_serializing_if = "is_no_count")]
    pub contradictions: u32,
    /// Leads.
    #[serde(skip_serializing_if = "is_no_count")]
    pub leads: u32,
}

/// The graph that a mission works on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GraphStart {
    /// Its id.
    pub id: String,
    /// The version that it has now.
    pub version: u64,
    /// What it holds, as a blob, where another mission worked on it before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Digest>,
    /// What is left of the other mission: it comes after the own questions, and counts for no criterion.
    #[serde(default, skip_serializing_if = "is_own")]
    pub earlier: EarlierItems,
}

/// How a mission was completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every criterion is met.
    Satisfied,
    /// The report tells what is known; it lists the criteria that are not met.
    Partial,
}

/// The id of an artifact: unique within its mission.
pub type ArtifactId = String;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "event")]
#[allow(missing_docs)] // fields are documented where they aren't plain
pub enum Event {
    /// The mission began.
    MissionStarted {
        session: SessionId,
        /// The folder of its profile.
        profile: AgentSlug,
        request: String,
        /// What it was given besides the request, as a blob.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        inputs: Option<Digest>,
        /// Everything that it pins: profile, agents, prompts, sources, models; as one blob.
        pinned: Digest,
        /// The mission that it follows on the same graph.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        previous: Option<RunId>,
        /// The mission whose results are taken over where an agent is given the same.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<RunId>,
        /// The day on which ages of sources are counted, `YYYY-MM-DD`.
        as_of: String,
        graph: GraphStart,
        terms: Box<Terms>,
        /// Whether default answers are taken at pauses, and child runs issue calls that a crash left unknown again without
        /// asking.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unattended: bool,
    },
    /// The request in its parts. Researchers see the objective alone.
    RequestSplit {
        objective: Digest,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output_specification: Option<Digest>,
        original: Digest,
        by: SplitAuthor,
    },
    /// The plan's questions are on the agenda.
    PlanIntegrated {
        /// The invocation that planned; absent: the objective is the only question.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<InvocationKey>,
        from: u64,
        to: u64,
        changes: Digest,
        /// Questions of the mission before that it asks as well.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        asked: Vec<ItemId>,
    },
    /// The user changed what the plan asks.
    PlanEdited {
        /// The edits, as a blob.
        edits: Digest,
        from: u64,
        to: u64,
        changes: Digest,
    },
    /// What another mission on the same graph found was taken in.
    GraphJoined {
        /// The other mission.
        mission: RunId,
        from: u64,
        to: u64,
        changes: Digest,
        #[serde(default)]
        counts: Additions,
    },
    /// Another iteration began.
    IterationStarted {
        number: u32,
    },
    /// An agent is to be invoked, with this.
    InvocationPlanned {
        key: InvocationKey,
        role: Role,
        agent: AgentSlug,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<ItemId>,
        /// The hash of what it is given.
        request: Digest,
        /// The most that its run may use in its whole life.
        reserve: Reserve,
        /// What it needs to begin.
        least: Reserve,
    },
    /// It is about to be invoked, or to go on. Durable before it is.
    InvocationRequested {
        key: InvocationKey,
        r#try: u32,
        /// What is set aside for it.
        reserve: Reserve,
    },
    /// It does not take place.
    InvocationDropped {
        key: InvocationKey,
        why: DropCause,
    },
    /// What an earlier mission's invocation gave for the same request stands; nothing is paid.
    InvocationReused {
        key: InvocationKey,
        output: Digest,
        from: RunId,
    },
    /// A child run is about to carry it out. Durable before it does.
    ChildRunStarted {
        key: InvocationKey,
        child: RunId,
    },
    /// It left off. What it used is told in sums over its whole life, so that going on with it counts nothing twice.
    ChildRunFinished {
        key: InvocationKey,
        r#try: u32,
        child: RunId,
        #[serde(flatten)]
        end: ChildEnd,
        usage: Usage,
        cost: NanoUsd,
        /// What it would have cost by use, where a flat rate pays.
        #[serde(default, skip_serializing_if = "is_nothing")]
        equivalent: NanoUsd,
        /// The most that its interrupted calls may have cost besides.
        #[serde(default, skip_serializing_if = "is_free")]
        doubtful: Reserve,
        ms: u64,
    },
    /// It was under way when the program died, and what its child run used is not known, or that run has its result. It goes
    /// on from its own log with what is set aside.
    OutcomeUnknown {
        key: InvocationKey,
        r#try: u32,
        /// Whether its run left no log: it is invoked anew, and nothing of it is taken over.
        #[serde(default, skip_serializing_if = "is_not")]
        anew: bool,
    },
    /// The coordinator's proposal can't be carried out.
    DecisionRefused {
        iteration: u32,
        key: InvocationKey,
        why: Refusal,
        /// For the coordinator: what exactly, and what could be done.
        detail: String,
        /// The proposal, as a blob.
        decision: Digest,
    },
    /// What is done in this iteration.
    DecisionTaken {
        iteration: u32,
        by: DecisionAuthor,
        #[serde(flatten)]
        action: Action,
        /// The version of the graph that was looked at.
        saw: u64,
        /// The coordinator's reasons and the alternatives that it saw, as a blob.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasons: Option<Digest>,
    },
    /// What an invocation found is in the graph.
    Integrated {
        key: InvocationKey,
        from: u64,
        to: u64,
        changes: Digest,
        #[serde(default)]
        counts: Additions,
        /// Findings that were left out because they break the contract.
        #[serde(default, skip_serializing_if = "is_no_count")]
        refused: u32,
        /// Changes that another mission on the same graph made necessary.
        #[serde(default, skip_serializing_if = "is_no_count")]
        conflicts: u32,
    },
    /// Pages of these hosts were left out in an iteration: nobody has decided about the hosts.
    HostsLeftOut {
        iteration: u32,
        hosts: Vec<String>,
    },
    /// A gap was closed, with what closes it.
    GapClosed {
        gap: ItemId,
        closing: Closing,
    },
    /// A contradiction was settled, with what settles it.
    ContradictionSettled {
        contradiction: ItemId,
        settlement: Settlement,
    },
    /// The graph was analysed, after what the user said of it was taken in.
    Analysed {
        from: u64,
        to: u64,
        changes: Digest,
        facts: Box<GraphFacts>,
    },
    /// How far each criterion is met.
    CriteriaChecked {
        iteration: u32,
        results: BTreeMap<String, Criterion>,
        /// Iterations without progress in a row.
        idle_rounds: u32,
    },
    /// So much of a limit is used.
    BudgetWarned {
        dimension: Dimension,
        percent: u32,
    },
    /// A limit allows no further iteration, or nothing more in this one.
    BudgetReached {
        dimension: Dimension,
    },
    /// By the user.
    LimitsRaised {
        limits: Limits,
    },
    /// The user told the coordinator something; the text is a blob.
    Steered {
        text: Digest,
    },
    /// The user stands by a claim.
    ClaimPinned {
        claim: ItemId,
    },
    /// The user rejects a claim; the reason is a blob.
    ClaimRejected {
        claim: ItemId,
        why: Digest,
    },
    /// The user has enough: the report is written from what is known.
    WriteRequested,
    PauseRequested {
        pause: PauseId,
        #[serde(flatten)]
        kind: PauseKind,
    },
    PauseFormatted {
        pause: PauseId,
        /// The form: message, choices; as a blob.
        form: Digest,
    },
    Resumed {
        pause: PauseId,
        #[serde(flatten)]
        decision: Decision,
        /// The whole reply, as a blob, where it goes on to an agent's run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reply: Option<Digest>,
    },
    /// A file came into being.
    ArtifactRegistered {
        id: ArtifactId,
        sha256: Digest,
        /// What it is: `findings`, `report`, `bibliography` …
        kind: String,
        name: String,
        /// The invocation that made it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<InvocationKey>,
        /// What it was made of.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        inputs: Vec<Digest>,
    },
    /// Research ended; the report is written.
    SynthesisBegun {
        #[serde(flatten)]
        cause: StopCause,
    },
    /// A report is there, with its quality.
    DraftScored {
        /// The invocation that wrote it; absent: code, from the graph.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<InvocationKey>,
        report: Digest,
        /// 0 to 100 points in millionths of the whole: the quality of what is known, as far as it tells it.
        quality: u32,
        /// Sections and files that it lacks.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        missing: Vec<String>,
        /// What it tells; the most complete draft stands. Absent in logs of earlier programs: quality decides then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        facts: Option<DraftFacts>,
        /// Statements that said something else than their claims; the claims' own words stand in their place.
        #[serde(default, skip_serializing_if = "is_no_count")]
        restated: u32,
        /// Supported claims that the agent was not shown, for length.
        #[serde(default, skip_serializing_if = "is_no_count")]
        left_out: u32,
    },
    /// The best report stands.
    ReportAccepted {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<InvocationKey>,
        report: Digest,
        quality: u32,
        /// Criteria that are not met, and what the report lacks.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unmet: Vec<String>,
    },
    CancelRequested,
    /// Nothing new starts until it is continued: the program ends, or the user wants to look first.
    Suspended,
    Continued,
    /// A local effect failed; the mission fails once nothing is under way.
    StepFailed {
        problem: Problem,
    },
    MissionCompleted {
        outcome: Outcome,
    },
    MissionFailed {
        problem: Problem,
    },
    /// A failed mission goes on where it was.
    MissionRetried,
    MissionCancelled,
}

impl Event {
    /// The word under which it is written.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::MissionStarted { .. } => "mission_started",
            Self::RequestSplit { .. } => "request_split",
            Self::PlanIntegrated { .. } => "plan_integrated",
            Self::PlanEdited { .. } => "plan_edited",
            Self::GraphJoined { .. } => "graph_joined",
            Self::IterationStarted { .. } => "iteration_started",
            Self::InvocationPlanned { .. } => "invocation_planned",
            Self::InvocationRequested { .. } => "invocation_requested",
            Self::InvocationDropped { .. } => "invocation_dropped",
            Self::InvocationReused { .. } => "invocation_reused",
            Self::ChildRunStarted { .. } => "child_run_started",
            Self::ChildRunFinished { .. } => "child_run_finished",
            Self::OutcomeUnknown { .. } => "outcome_unknown",
            Self::DecisionRefused { .. } => "decision_refused",
            Self::DecisionTaken { .. } => "decision_taken",
            Self::Integrated { .. } => "integrated",
            Self::HostsLeftOut { .. } => "hosts_left_out",
            Self::GapClosed { .. } => "gap_closed",
            Self::ContradictionSettled { .. } => "contradiction_settled",
            Self::Analysed { .. } => "analysed",
            Self::CriteriaChecked { .. } => "criteria_checked",
            Self::BudgetWarned { .. } => "budget_warned",
            Self::BudgetReached { .. } => "budget_reached",
            Self::LimitsRaised { .. } => "limits_raised",
            Self::Steered { .. } => "steered",
            Self::ClaimPinned { .. } => "claim_pinned",
            Self::ClaimRejected { .. } => "claim_rejected",
            Self::WriteRequested => "write_requested",
            Self::PauseRequested { .. } => "pause_requested",
            Self::PauseFormatted { .. } => "pause_formatted",
            Self::Resumed { .. } => "resumed",
            Self::ArtifactRegistered { .. } => "artifact_registered",
            Self::SynthesisBegun { .. } => "synthesis_begun",
            Self::DraftScored { .. } => "draft_scored",
            Self::ReportAccepted { .. } => "report_accepted",
            Self::CancelRequested => "cancel_requested",
            Self::Suspended => "suspended",
            Self::Continued => "continued",
            Self::StepFailed { .. } => "step_failed",
            Self::MissionCompleted { .. } => "mission_completed",
            Self::MissionFailed { .. } => "mission_failed",
            Self::MissionRetried => "mission_retried",
            Self::MissionCancelled => "mission_cancelled",
        }
    }
}
