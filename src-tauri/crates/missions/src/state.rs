//! A mission as the fold of its events.

use std::collections::{BTreeMap, BTreeSet};

use domain::mission::{Closing, DraftFacts, GraphFacts, ItemId, Settlement};
use domain::{AgentSlug, Digest, NanoUsd, PauseId, Problem, Reserve, RunId, RunStatus, SessionId, Usage};

use crate::criteria::Criterion;
use crate::event::{
    ArtifactId, Decision, DropCause, GraphStart, InvocationKey, Outcome, PauseKind, Role, StopCause,
};
use crate::limits::{Dimension, Limits};
use crate::registry::Registry;
use crate::terms::Terms;

domain::words! {
    /// What a mission is doing.
    #[derive(Default)]
    #[schemars(rename = "MissionPhase")]
    pub enum Phase {
        /// The request is taken apart.
        #[default]
        Split = "split",
        /// The agenda gets its first questions.
        Plan = "plan",
        /// Iterations.
        Research = "research",
        /// The report is written and reviewed.
        Synthesis = "report",
    }
}

/// How a mission stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Nothing happened yet.
    Empty,
    /// Something is under way.
    Running,
    /// It waits for the user.
    Paused,
    /// Nothing new starts until it is continued.
    Suspended,
    /// The report stands.
    Completed,
    /// It failed and can go on.
    Failed,
    /// The user ended it.
    Cancelled,
}

impl From<Status> for RunStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Empty | Status::Running => Self::Running,
            Status::Paused => Self::Paused,
            Status::Suspended => Self::Suspended,
            Status::Completed => Self::Completed,
            Status::Failed => Self::Failed,
            Status::Cancelled => Self::Cancelled,
        }
    }
}

/// How an invocation stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvocationStatus {
    /// It was decided on.
    Assigned,
    /// What the agent is given is known.
    Planned,
    /// A child run carries it out.
    Requested,
    /// Its child run waits for the user.
    Asking,
    /// It has a result that was not taken in yet.
    Finished(Digest),
    /// Its result was taken in.
    Settled(Digest),
    /// It failed.
    Failed(Problem),
    /// It does not take place.
    Dropped(DropCause),
}

/// What a child run used in its whole life.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChildUsage {
    /// Tokens.
    pub usage: Usage,
    /// Money.
    pub cost: NanoUsd,
    /// What flat rates paid for.
    pub equivalent: NanoUsd,
    /// The most that interrupted calls may have cost besides.
    pub doubtful: Reserve,
}

impl ChildUsage {
    /// Money and tokens, doubtful ones included.
    pub fn amount(&self) -> Reserve {
        Reserve { cost: self.cost, tokens: self.usage.total() } + self.doubtful
    }
}

/// An invocation of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Invocation {
    /// What for.
    pub role: Role,
    /// The agent.
    pub agent: AgentSlug,
    /// The item of the agenda.
    pub task: Option<ItemId>,
    /// The item as it is compared, when it was decided on.
    pub fingerprint: Option<Digest>,
    /// The hash of what the agent is given.
    pub request: Option<Digest>,
    /// The most that it may use in its whole life.
    pub reserve: Reserve,
    /// What it needs to begin; later, what its child run said it needs to go on.
    pub least: Reserve,
    /// What is set aside for it now.
    pub held: Reserve,
    /// How it stands.
    pub status: InvocationStatus,
    /// How often it was begun or gone on with.
    pub tries: u32,
    /// The child run that carries it out: the same one however often it is gone on with.
    pub child: Option<RunId>,
    /// What that used so far.
    pub used: ChildUsage,
    /// The mission whose result was taken over.
    pub reused: Option<RunId>,
    /// Milliseconds that it ran.
    pub ms: u64,
    /// Whether nobody knows how far its child run came: it goes on with what is set aside already.
    pub is_unknown: bool,
    /// Whether it may be tried again although it failed: the mission was retried since.
    pub(crate) is_forgiven: bool,
}

impl Invocation {
    /// Whether it counts as made: one that was taken over or dropped before it was begun does not.
    pub(crate) fn counts(&self) -> bool {
        self.reused.is_none() && (self.tries > 0 || !matches!(self.status, InvocationStatus::Dropped(_)))
    }

    /// Whether it waits to be begun or gone on with, and nothing of it may be under way.
    pub(crate) fn waits(&self) -> bool {
        matches!(self.status, InvocationStatus::Assigned | InvocationStatus::Planned) && !self.is_unknown
    }

    /// Whether it is still to come to an end.
    pub fn is_open(&self) -> bool {
        match self.status {
            InvocationStatus::Assigned
            | InvocationStatus::Planned
            | InvocationStatus::Requested
            | InvocationStatus::Asking => true,
            InvocationStatus::Finished(_)
            | InvocationStatus::Settled(_)
            | InvocationStatus::Failed(_)
            | InvocationStatus::Dropped(_) => false,
        }
    }
}

/// A pause.
#[derive(Debug, Clone, PartialEq)]
pub struct Pause {
    /// Its id.
    pub id: PauseId,
    /// What it waits for.
    pub kind: PauseKind,
    /// The form, as a blob.
    pub form: Option<Digest>,
    /// The user's answer.
    pub decision: Option<Decision>,
    /// The whole reply, as a blob.
    pub reply: Option<Digest>,
    /// Whether it waits no more for another reason.
    pub withdrawn: bool,
}

/// A report that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The invocation that wrote it; `None`: code.
    pub key: Option<InvocationKey>,
    /// The report, a blob.
    pub report: Digest,
    /// 0 to 100 points in millionths of the whole.
    pub quality: u32,
    /// What it lacks.
    pub missing: Vec<String>,
    /// What it tells.
    pub facts: Option<DraftFacts>,
}

/// A file of a mission.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // as in Event::ArtifactRegistered
pub struct Artifact {
    pub sha256: Digest,
    pub kind: String,
    pub name: String,
    pub by: Option<InvocationKey>,
    pub inputs: Vec<Digest>,
}

/// How a mission began.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // as in Event::MissionStarted
pub struct Start {
    pub session: SessionId,
    pub profile: AgentSlug,
    pub request: String,
    pub inputs: Option<Digest>,
    pub pinned: Digest,
    pub previous: Option<RunId>,
    pub base: Option<RunId>,
    pub as_of: String,
    pub graph: GraphStart,
    pub terms: Terms,
    pub unattended: bool,
    /// When, in milliseconds since 1970; for display.
    pub at: u64,
}

/// The request in its parts, as blobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestParts {
    /// What researchers are after.
    pub objective: Digest,
    /// What the report is to look like.
    pub output_specification: Option<Digest>,
    /// What the user wrote.
    pub original: Digest,
}

/// The iteration that is under way.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct IterationState {
    /// Proposals that could not be carried out.
    pub(crate) refusals: u32,
    /// Which rule the last of them broke.
    pub(crate) refused: Option<String>,
    /// Whether it was decided what is done.
    pub(crate) is_decided: bool,
    /// Whether the coordinator wants research to end.
    pub(crate) exits: bool,
}

/// The most that was ever known: progress is measured against it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Peak {
    pub(crate) supported_claims: u32,
    pub(crate) confidence: u32,
    /// Gaps that evidence closed, and contradictions that it settled, by the end of the last iteration.
    pub(crate) settled: u32,
}

/// Work on the report.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ReportState {
    /// Whether another draft is wanted.
    pub(crate) wants_draft: bool,
    /// Whether code writes it, since what is left does not pay an agent, or the agent's answer was none.
    pub(crate) by_code: bool,
    /// Why the agent wrote none, where code does for that.
    pub(crate) unwritten: Option<Problem>,
    /// Whether the newest draft was not reviewed yet.
    pub(crate) wants_review: bool,
    /// Reviews so far.
    pub(crate) reviews: u32,
    /// Whether the last review raised something that research could settle.
    pub(crate) raised: bool,
}

/// A mission.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    /// The last event's number.
    pub seq: u64,
    /// How it began.
    pub start: Option<Start>,
    /// The limits now.
    pub limits: Limits,
    /// What it is doing.
    pub phase: Phase,
    /// The request in its parts.
    pub parts: Option<RequestParts>,
    /// The iteration; 0: before the first.
    pub iteration: u32,
    /// Invocations by key.
    pub invocations: BTreeMap<InvocationKey, Invocation>,
    /// Questions of the mission before that the plan asks as well.
    pub asked: BTreeSet<ItemId>,
    /// The version of the graph.
    pub graph: u64,
    /// What is known, as of the last analysis.
    pub facts: GraphFacts,
    /// How far criteria are met, as of the last check.
    pub criteria: BTreeMap<String, Criterion>,
    /// Iterations without progress in a row.
    pub idle_rounds: u32,
    /// Hosts whose pages were left out, with the iteration in which that was first seen.
    pub hosts: BTreeMap<String, u32>,
    /// Gaps that were closed, and how.
    pub closings: BTreeMap<ItemId, Closing>,
    /// Contradictions that were settled, and how.
    pub settlements: BTreeMap<ItemId, Settlement>,
    /// What the user told the coordinator, in order.
    pub guidance: Vec<Digest>,
    /// Claims that the user stands by.
    pub pinned_claims: BTreeSet<ItemId>,
    /// Claims that the user rejects, with the reason.
    pub rejected_claims: BTreeMap<ItemId, Digest>,
    /// Pauses, in order.
    pub pauses: Vec<Pause>,
    /// Files by id.
    pub artifacts: BTreeMap<ArtifactId, Artifact>,
    /// Why research ended.
    pub cause: Option<StopCause>,
    /// Reports, in order.
    pub drafts: Vec<Draft>,
    /// The report that stands: its place in `drafts`, with what is not met.
    pub accepted: Option<(usize, Vec<String>)>,
    /// How it was completed.
    pub outcome: Option<Outcome>,
    /// Why it failed.
    pub problem: Option<Problem>,
    /// Whether it was cancelled.
    pub cancelled: bool,
    /// Tokens.
    pub usage: Usage,
    /// Money.
    pub cost: NanoUsd,
    /// What flat rates paid for.
    pub equivalent: NanoUsd,
    /// The most that interrupted calls of child runs may have cost besides.
    pub doubtful: Reserve,
    /// Active milliseconds.
    pub active_ms: u64,
    /// Whether the user wants it to end.
    pub cancelling: bool,
    /// Whether the user has enough.
    pub writing: bool,
    /// Whether nothing new starts.
    pub suspended: bool,
    /// Warnings that were given.
    pub warned: BTreeSet<(Dimension, u32)>,
    /// Limits that were reached.
    pub reached: BTreeSet<Dimension>,
    /// A local effect that failed.
    pub(crate) failure: Option<Problem>,
    /// Whether the plan waits for the user's word.
    pub(crate) plan_waits: bool,
    /// Whether the graph changed since it was analysed.
    pub(crate) is_stale: bool,
    /// Whether criteria were checked since.
    pub(crate) is_checked: bool,
    /// The iteration that is under way.
    pub(crate) current: Option<IterationState>,
    pub(crate) peak: Peak,
    /// The end of research that the user chose at a pause.
    pub(crate) chosen_stop: Option<StopCause>,
    pub(crate) report: ReportState,
}

impl State {
    /// How it stands.
    pub fn status(&self) -> Status {
        if self.start.is_none() {
            Status::Empty
        } else if self.outcome.is_some() {
            Status::Completed
        } else if self.cancelled {
            Status::Cancelled
        } else if self.problem.is_some() {
            Status::Failed
        } else if self.is_under_way() || self.cancelling {
            Status::Running
        } else if self.suspended {
            Status::Suspended
        } else if self.open_pauses().next().is_some() && !self.moves_on() {
            Status::Paused
        } else {
            Status::Running
        }
    }

    /// Whether what others find on its graph is of use to it still.
    pub fn may_join(&self) -> bool {
        !self.writing && matches!(self.phase, Phase::Split | Phase::Plan | Phase::Research)
    }

    /// Whether it came to an end; only a failed one can go on.
    pub fn has_ended(&self) -> bool {
        self.outcome.is_some() || self.cancelled || self.problem.is_some()
    }

    /// Whether a child run is under way.
    pub fn is_under_way(&self) -> bool {
        self.in_flight().next().is_some()
    }

    /// Invocations that child runs carry out now. A process that takes a mission over from one that died tells of each
    /// first: `child_run_finished` as an interrupted one where its log says what it used, else `outcome_unknown`.
    pub fn in_flight(&self) -> impl Iterator<Item = (InvocationKey, &Invocation)> {
        let requested =
            |(_, invocation): &(InvocationKey, &Invocation)| invocation.status == InvocationStatus::Requested;
        self.invocations.iter().map(|(key, invocation)| (*key, invocation)).filter(requested)
    }

    /// Pauses that wait for the user.
    pub fn open_pauses(&self) -> impl Iterator<Item = &Pause> {
        self.pauses.iter().filter(|pause| pause.decision.is_none() && !pause.withdrawn)
    }

    /// The most complete report so far, each measured against what is known now; of drafts of earlier programs, that of the
    /// highest quality. A later one that is as good takes its place: it knows more.
    pub fn best_draft(&self) -> Option<(usize, &Draft)> {
        let facts = self.drafts.iter().filter_map(|draft| draft.facts);
        let known = facts.map(|facts| facts.known).max().unwrap_or_default();
        let rank = |draft: &Draft| draft.facts.map_or(draft.quality, |facts| facts.completeness(known));
        // Of equals, the last.
        self.drafts.iter().enumerate().max_by_key(|(_, draft)| rank(draft))
    }

    /// The agents.
    pub fn registry(&self) -> &Registry {
        static NONE: Registry = Registry { agents: Vec::new() };
        self.start.as_ref().map_or(&NONE, |start| &start.terms.registry)
    }

    /// Which rule the coordinator's last proposal broke, where it is asked again.
    pub fn refused(&self) -> Option<&str> {
        self.current.as_ref().filter(|current| !current.is_decided)?.refused.as_deref()
    }

    pub(crate) fn terms(&self) -> Option<&Terms> {
        self.start.as_ref().map(|start| &start.terms)
    }

    /// Whether an agent was given an item as it is now.
    pub(crate) fn was_tried(&self, agent: &AgentSlug, fingerprint: &Digest) -> bool {
        self.invocations.values().any(|invocation| {
            &invocation.agent == agent
                && invocation.fingerprint.as_ref() == Some(fingerprint)
                && !invocation.is_forgiven
                && !matches!(invocation.status, InvocationStatus::Dropped(_))
        })
    }

    /// The key of the next invocation in the iteration.
    pub(crate) fn next_key(&self) -> InvocationKey {
        let at = |slot| InvocationKey { iteration: self.iteration, slot };
        let last = self.invocations.range(at(0)..=at(u32::MAX)).next_back();
        last.map_or(at(0), |(key, _)| at(key.slot + 1))
    }

    /// The last invocation of a role, with its key.
    pub(crate) fn last_of(&self, role: Role) -> Option<(InvocationKey, &Invocation)> {
        let of_role = |(_, invocation): &(&InvocationKey, &Invocation)| invocation.role == role;
        self.invocations.iter().rev().find(of_role).map(|(key, invocation)| (*key, invocation))
    }
}
