//! The state of a run: the fold of its log, and what can be read off it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::{
    AgentSlug, Budget, Digest, LimitReached, NanoUsd, PauseId, Problem, Reserve, RunForecast, RunId,
    SessionId, StageId, Usage,
};

use crate::conversation::{ConversationFill, Handoff};
use crate::draft::CallDraft;
use crate::event::{
    BaseRun, CallKey, Cut, Decision, ParentCall, PauseKind, PlannedCall, RepairEnd, ReusedCall, SkippedBy,
};
use crate::graph::{Graph, Node};
use crate::status::Status;

/// How a run began.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // the fields of `run_started`
pub struct Start {
    pub session: SessionId,
    pub agent: AgentSlug,
    pub request: String,
    pub depth: Option<String>,
    pub pinned: Digest,
    pub previous: Option<RunId>,
    pub essential: Reserve,
    pub retry_ambiguous: bool,
    pub forecast: Option<RunForecast>,
    pub inputs: Option<Digest>,
    pub parent: Option<ParentCall>,
    pub base: Option<BaseRun>,
}

/// Where a stage stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Phase {
    Pending,
    Running,
    Completed,
    Skipped,
    Failed,
}

impl Phase {
    /// Whether it ended in a way that later stages can go on from.
    pub(crate) fn has_ended(self) -> bool {
        matches!(self, Phase::Completed | Phase::Skipped)
    }
}

/// One stage's state.
#[derive(Debug, Clone, PartialEq)]
pub struct StageState {
    /// Where it stands.
    pub phase: Phase,
    /// Attempts begun; the current one's number.
    pub attempt: u32,
    /// Which repair this is; 0 for none.
    pub iteration: u32,
    /// Waves planned in this attempt.
    pub waves: u32,
    /// What waves of this attempt did without, by wave.
    pub cuts: BTreeMap<u32, Cut>,
    /// Calls of the current wave that have not ended.
    pub open_calls: u32,
    /// The failed call with the lowest key.
    pub failure: Option<(CallKey, Problem)>,
    /// Its output; after an edit the edited one.
    pub output: Option<Digest>,
    /// One line on the output.
    pub summary: String,
    /// Why it was skipped.
    pub skipped: Option<(SkippedBy, String)>,
    /// Warnings of the attempt that stands.
    pub warnings: Vec<String>,
    /// The completed attempt that stands.
    pub(crate) stands: u32,
    /// The conversation of the current attempt.
    pub(crate) conversation: u32,
    /// The call whose turn the current attempt goes on from: in its conversation, or to have it handed over.
    pub(crate) goes_on: Option<CallKey>,
    /// What is to become of the conversation, where it has too little room left for the stage.
    pub(crate) handoff: Handoff,
    /// Every completed attempt.
    pub history: Vec<Attempt>,
    /// The person's feedback, in order.
    pub feedback: Vec<String>,
    /// Tokens used by all its attempts.
    pub usage: Usage,
    /// Money used by all its attempts.
    pub cost: NanoUsd,
    /// What a flat rate paid for in all its attempts.
    pub equivalent: NanoUsd,
    /// The attempt whose pause was requested.
    pub(crate) paused_attempt: u32,
    /// The attempt that the last feedback is about.
    pub(crate) amended_attempt: u32,
    /// Whether the coming attempt goes on without a pause.
    pub(crate) quiet: bool,
    /// Whether answers already made it run once more.
    pub(crate) replanned: bool,
    /// Whether the person chose to skip it.
    pub(crate) skip_requested: bool,
    /// The last attempt before the present round of repairs; the person's amendment begins a new round.
    pub(crate) round: u32,
    /// Skips of the present round, by repair iteration.
    pub(crate) skips: Vec<(u32, SkippedBy, String, Option<Digest>)>,
    /// The iteration that the repair which the person allowed mends; without one, that is the last.
    pub(crate) mends: Option<u32>,
}

impl State {
    /// Whether a stage has calls that have not ended.
    pub fn is_calling(&self) -> bool {
        self.stages.iter().any(|stage| stage.open_calls > 0)
    }
}

impl StageState {
    pub(crate) fn new() -> Self {
        Self {
            phase: Phase::Pending,
            attempt: 0,
            iteration: 0,
            waves: 0,
            cuts: BTreeMap::new(),
            open_calls: 0,
            failure: None,
            output: None,
            summary: String::new(),
            skipped: None,
            warnings: Vec::new(),
            stands: 0,
            conversation: 0,
            goes_on: None,
            handoff: Handoff::None,
            history: Vec::new(),
            feedback: Vec::new(),
            usage: Usage::default(),
            cost: NanoUsd::default(),
            equivalent: NanoUsd::default(),
            paused_attempt: 0,
            amended_attempt: 0,
            quiet: false,
            replanned: false,
            skip_requested: false,
            round: 0,
            skips: Vec::new(),
            mends: None,
        }
    }

    pub(crate) fn reset(&mut self) {
        self.phase = Phase::Pending;
        self.waves = 0;
        self.cuts.clear();
        self.open_calls = 0;
        self.failure = None;
        self.handoff = Handoff::None;
    }

    pub(crate) fn begin_round(&mut self) {
        self.reset();
        self.iteration = 0;
        self.round = self.attempt;
        self.skips.clear();
        self.mends = None;
    }

    pub(crate) fn fail(&mut self, problem: &Problem, stage: &StageId) {
        if self.failure.is_none() {
            let key = CallKey { stage: stage.clone(), attempt: self.attempt, wave: 0, item: 0 };
            self.failure = Some((key, problem.clone()));
        }
    }

    pub(crate) fn skip(&mut self, by: SkippedBy, why: &str, output: Option<Digest>) {
        self.phase = Phase::Skipped;
        self.failure = None;
        self.skipped = Some((by, why.to_owned()));
        self.output = output;
        self.skips.push((self.iteration, by, why.to_owned(), output));
    }

    pub(crate) fn stand(&mut self, attempt: &Attempt) {
        self.stands = attempt.attempt;
        self.phase = Phase::Completed;
        self.failure = None;
        self.skipped = None;
        self.output = Some(attempt.output);
        self.summary.clone_from(&attempt.summary);
        self.warnings.clone_from(&attempt.warnings);
    }

    /// Goes back to how a repair iteration of the present round ended.
    pub(crate) fn stand_iteration(&mut self, iteration: u32) {
        let best = self.present_attempts().rfind(|attempt| attempt.iteration == iteration).cloned();
        if let Some(best) = best {
            self.stand(&best);
        } else if let Some(at) = self.skips.iter().rposition(|skip| skip.0 == iteration) {
            let (_, by, why, output) = self.skips.remove(at);
            self.skip(by, &why, output);
        }
    }

    /// Completed attempts of the present round of repairs.
    pub fn present_attempts(&self) -> impl DoubleEndedIterator<Item = &Attempt> {
        self.history.iter().filter(|attempt| attempt.attempt > self.round)
    }

    /// The attempt that a repair mends: the last one; where the person allowed one more, the one that stood until then.
    pub fn mended(&self) -> Option<&Attempt> {
        match self.mends {
            Some(iteration) => self.present_attempts().rfind(|attempt| attempt.iteration == iteration),
            None => self.history.last(),
        }
    }

    /// Adds feedback. Given again for the same attempt (after a crash lost the answer that came with it) it replaces.
    pub(crate) fn amend(&mut self, feedback: &str) {
        if self.amended_attempt == self.attempt && !self.feedback.is_empty() {
            self.feedback.pop();
        }
        self.amended_attempt = self.attempt;
        self.feedback.push(feedback.to_owned());
    }

    /// Puts the person's version in place of the one that stands.
    pub(crate) fn edit(&mut self, output: Digest) {
        let standing = self.output.replace(output);
        if let Some(attempt) = self.history.iter_mut().rfind(|attempt| Some(attempt.output) == standing) {
            attempt.output = output;
        }
    }
}

/// A completed attempt of a stage.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// Its number.
    pub attempt: u32,
    /// Which repair it belonged to.
    pub iteration: u32,
    /// Its output.
    pub output: Digest,
    /// A verify stage's verdict.
    pub passed: Option<bool>,
    /// Scores in millionths.
    pub scores: BTreeMap<String, i64>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// One line on the output.
    pub summary: String,
    /// Of a repair's check: whether it made enough progress, where its unit has a rule for it.
    pub progress: Option<bool>,
    /// The conversation that it took part in.
    pub(crate) conversation: u32,
    /// The call whose turn it went on from, in the same conversation.
    pub(crate) goes_on: Option<CallKey>,
}

/// A call's state.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// What was planned.
    pub planned: PlannedCall,
    /// Whether it goes to a model.
    pub model: bool,
    /// Where it stands.
    pub status: CallStatus,
    /// How often it was issued.
    pub tries: u32,
    /// How often it failed in a way that may pass.
    pub failures: u32,
    /// Answers that did not satisfy the schema: raw text and what the validator found.
    pub invalid: Vec<(Digest, Vec<String>)>,
    /// Whether its last answer reached the output limit.
    pub truncated: bool,
    /// Names of fields of its answer that the schema does not know; its output is without them.
    pub left_out: Vec<String>,
    /// The call of an earlier run whose result it took over.
    pub reused: Option<ReusedCall>,
    /// What it asked permission for, where it did.
    pub asks: Option<Digest>,
    /// Whether the person allowed it.
    pub permitted: bool,
    /// Whether a child run carries it out.
    pub is_child: bool,
    /// The child run that is under way or was interrupted.
    pub child: Option<RunId>,
    /// Its child runs, in order; each goes on from the one before.
    pub children: Vec<RunId>,
    /// The response that the provider goes on with, where it was taken so: the answer is fetched by this id.
    pub response_id: Option<String>,
    /// How much of its answer had been streamed when that was last noted, until the answer is there.
    pub draft: Option<CallDraft>,
    /// What its last try goes on from, or went on from.
    pub continues: Option<CallDraft>,
    /// Whether its next try sends something else than was planned: it has to be prepared.
    pub(crate) is_stale: bool,
    /// What the last of them said to the person, or the form of the pause that it stands at.
    pub said: Option<Digest>,
    /// How full its last turn left the conversation that stages share.
    pub fill: ConversationFill,
    /// Tries that were answered, late answers included: none is counted twice.
    pub(crate) answered: Vec<u32>,
    /// What is set aside for it while it is under way.
    pub(crate) held: Reserve,
}

impl Call {
    /// The name of the item that it is made for, or its number.
    pub fn item_name(&self, key: &CallKey) -> String {
        match self.planned.name.as_str() {
            "" => (key.item + 1).to_string(),
            name => name.to_owned(),
        }
    }

    /// What is set aside for it while it is under way.
    pub fn held(&self) -> Reserve {
        self.held
    }
}

/// What a child run has used in its whole life.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ChildUsage {
    pub(crate) usage: Usage,
    pub(crate) cost: NanoUsd,
    pub(crate) equivalent: NanoUsd,
    pub(crate) doubtful: Reserve,
}

impl ChildUsage {
    /// What counts in a budget.
    pub(crate) fn amount(&self) -> Reserve {
        Reserve { cost: self.cost, tokens: self.usage.total() } + self.doubtful
    }
}

/// Where a call stands.
#[derive(Debug, Clone, PartialEq)]
pub enum CallStatus {
    /// To be issued.
    Planned,
    /// To be prepared again, showing the model what was wrong with its answer.
    Unprepared,
    /// Under way.
    Requested,
    /// To be issued after so many milliseconds; whether `timer_set` is in the log.
    Waiting(u64, bool),
    /// A crash left its outcome unknown and the person is asked.
    Unknown,
    /// Its child run said something and waits for the person's answer.
    Asking,
    /// It needs the person's permission.
    Unpermitted,
    /// It gave this.
    Done(Digest),
    /// It ended without a result.
    Failed(Problem),
}

impl CallStatus {
    /// What it gave, or why it gave nothing; `None` while it has not ended.
    pub fn result(&self) -> Option<Result<Digest, &Problem>> {
        match self {
            Self::Done(output) => Some(Ok(*output)),
            Self::Failed(problem) => Some(Err(problem)),
            Self::Planned
            | Self::Unprepared
            | Self::Requested
            | Self::Waiting(..)
            | Self::Unknown
            | Self::Asking
            | Self::Unpermitted => None,
        }
    }
}

/// A pause of the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Pause {
    /// Its id.
    pub id: PauseId,
    /// The stage it belongs to.
    pub stage: StageId,
    /// The attempt of the stage it belongs to.
    pub attempt: u32,
    /// What it waits for.
    pub kind: PauseKind,
    /// The form shown, once formatted.
    pub form: Option<Digest>,
    /// The answer, once given.
    pub decision: Option<Decision>,
    /// The whole reply, where it goes on to a child run.
    pub reply: Option<Digest>,
}

/// A follow-up's context.
#[derive(Debug, Clone, PartialEq)]
pub struct FollowUpState {
    /// 1 for the first follow-up.
    pub number: u32,
    /// The context, as a blob, unless it could not be read.
    pub context: Option<Digest>,
    /// Why it could not be read.
    pub warning: Option<String>,
}

/// How a repair unit ended without passing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepairOutcome {
    /// Repairs made.
    pub iterations: u32,
    /// Why it ended.
    pub reason: RepairEnd,
    /// The iteration that stands.
    pub chosen: u32,
    /// Whether what stands was accepted with limitations, by the agent's configuration or by the person.
    pub certified: bool,
}

/// The fold of a run's log.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// The shape of the agent.
    pub graph: Arc<Graph>,
    /// The last event's number.
    pub seq: u64,
    /// How it began.
    pub start: Option<Start>,
    /// One for each stage, in the graph's order.
    pub stages: Vec<StageState>,
    /// Every call.
    pub calls: BTreeMap<CallKey, Call>,
    /// Every pause, in order.
    pub pauses: Vec<Pause>,
    /// Text given while the run was going, in order.
    pub guidance: Vec<String>,
    /// The follow-up's context.
    pub follow_up: Option<FollowUpState>,
    /// A depth chosen by an edit.
    pub edited_depth: Option<String>,
    /// The budget, raises included.
    pub budget: Budget,
    /// Tokens used.
    pub usage: Usage,
    /// Money used.
    pub cost: NanoUsd,
    /// What a flat rate paid for; it counts in no budget.
    pub equivalent: NanoUsd,
    /// Active milliseconds.
    pub active_ms: u64,
    /// The most that calls with unknown outcome may have cost besides.
    pub doubtful: Reserve,
    /// How many calls may have been paid twice.
    pub maybe_paid_twice: u32,
    /// Conversations begun so far that stages share.
    pub(crate) conversations: u32,
    /// How repair units ended, by index.
    pub repairs: BTreeMap<u32, RepairOutcome>,
    /// The last iteration that the person allowed beyond a unit's own, by the unit's index.
    pub(crate) granted: BTreeMap<u32, u32>,
    /// The failure, while the run is failed.
    pub failure: Option<(StageId, Problem)>,
    pub(crate) reserved: Reserve,
    /// Tries whose cost is in doubt, and by how much; their sum is `doubtful`.
    pub(crate) doubts: BTreeMap<(CallKey, u32), Reserve>,
    /// Where the budget was last found too small: stage, attempt, budget.
    pub(crate) exceeded_at: Option<(StageId, u32, Budget)>,
    /// The limit on money that keeps calls of models from being made, and whether nothing was under way when it did.
    pub(crate) withheld: Option<(LimitReached, bool)>,
    pub(crate) in_flight: BTreeSet<CallKey>,
    /// What child runs have used, as far as it is booked.
    pub(crate) used: BTreeMap<RunId, ChildUsage>,
    pub(crate) cancelling: bool,
    pub(crate) suspended: bool,
    pub(crate) finished: Option<Status>,
}

impl State {
    /// Before the first event.
    pub fn new(graph: Arc<Graph>) -> Self {
        let stages = graph.nodes.iter().map(|_| StageState::new()).collect();
        Self {
            graph,
            seq: 0,
            start: None,
            stages,
            calls: BTreeMap::new(),
            pauses: Vec::new(),
            guidance: Vec::new(),
            follow_up: None,
            edited_depth: None,
            budget: Budget::default(),
            usage: Usage::default(),
            cost: NanoUsd::default(),
            equivalent: NanoUsd::default(),
            active_ms: 0,
            doubtful: Reserve::default(),
            maybe_paid_twice: 0,
            conversations: 0,
            repairs: BTreeMap::new(),
            granted: BTreeMap::new(),
            failure: None,
            reserved: Reserve::default(),
            doubts: BTreeMap::new(),
            exceeded_at: None,
            withheld: None,
            in_flight: BTreeSet::new(),
            used: BTreeMap::new(),
            cancelling: false,
            suspended: false,
            finished: None,
        }
    }

    /// What the run is doing.
    pub fn status(&self) -> Status {
        if let Some(status) = self.finished {
            return status;
        }
        if self.start.is_none() {
            return Status::Empty;
        }
        if self.suspended && self.in_flight.is_empty() {
            return Status::Suspended;
        }
        let waits = self.open_pauses().next().is_some();
        if waits && self.in_flight.is_empty() && self.decide().is_empty() && self.effects().is_empty() {
            return Status::Paused;
        }
        Status::Running
    }

    /// Whether the person asked for the end.
    pub fn is_cancelling(&self) -> bool {
        self.cancelling
    }

    /// Whether the person asked for a stop.
    pub fn is_suspended(&self) -> bool {
        self.suspended
    }

    /// Calls under way, by key: after a crash these are the ones whose outcome is unknown.
    pub fn in_flight(&self) -> impl Iterator<Item = (&CallKey, &Call)> {
        self.in_flight.iter().filter_map(|key| Some((key, self.calls.get(key)?)))
    }

    /// Pauses that wait for an answer.
    pub fn open_pauses(&self) -> impl Iterator<Item = &Pause> {
        self.pauses.iter().filter(|pause| self.is_open(pause))
    }

    /// Whether a pause has no answer and still something to decide: its stage has not moved on without it.
    pub(crate) fn is_open(&self, pause: &Pause) -> bool {
        pause.decision.is_none()
            && self.stage(&pause.stage).is_some_and(|stage| match &pause.kind {
                PauseKind::Stage => stage.phase == Phase::Completed && stage.attempt == pause.attempt,
                PauseKind::Ambiguous { key } => {
                    self.is_current(key)
                        && self.calls.get(key).is_some_and(|call| call.status == CallStatus::Unknown)
                }
                PauseKind::Budget => stage.phase == Phase::Running && stage.attempt == pause.attempt,
                PauseKind::Handoff => self.asks_for_handoff(stage),
                PauseKind::Gate { unit } => stage.attempt == pause.attempt && self.is_gate_shut(*unit),
                PauseKind::Permission { wave } => {
                    stage.phase == Phase::Running
                        && stage.attempt == pause.attempt
                        && stage.failure.is_none()
                        && self.asks_permission(&pause.stage, pause.attempt, *wave)
                }
                PauseKind::Dialogue { key } | PauseKind::Child { key } => {
                    self.is_current(key)
                        && stage.failure.is_none()
                        && self.calls.get(key).is_some_and(|call| call.status == CallStatus::Asking)
                }
            })
    }

    /// A pause by id.
    pub fn pause(&self, id: &PauseId) -> Option<&Pause> {
        self.pauses.iter().find(|pause| &pause.id == id)
    }

    /// A stage's state.
    pub fn stage(&self, id: &StageId) -> Option<&StageState> {
        self.index(id).map(|index| &self.stages[index])
    }

    /// Whether calls of a wave wait for the person's permission, and none of the others will ask for it still.
    pub(crate) fn asks_permission(&self, stage: &StageId, attempt: u32, wave: u32) -> bool {
        let mut asks = false;
        for (_, call) in self.wave_calls(stage, attempt, wave) {
            match call.status {
                CallStatus::Unpermitted => asks = true,
                CallStatus::Planned
                | CallStatus::Requested
                | CallStatus::Waiting(..)
                | CallStatus::Unknown => return false,
                CallStatus::Unprepared | CallStatus::Asking | CallStatus::Done(_) | CallStatus::Failed(_) => {
                }
            }
        }
        asks
    }

    /// The calls of a wave.
    pub fn wave_calls(
        &self,
        stage: &StageId,
        attempt: u32,
        wave: u32,
    ) -> impl Iterator<Item = (&CallKey, &Call)> {
        let at = |item| CallKey { stage: stage.clone(), attempt, wave, item };
        self.calls.range(at(0)..=at(u32::MAX))
    }

    /// Results of one wave of a stage's current attempt, by item: the output, or why there is none.
    pub fn wave_results(&self, id: &StageId, wave: u32) -> Vec<Result<Digest, &Problem>> {
        let attempt = self.stage(id).map_or(0, |stage| stage.attempt);
        let at = |item| CallKey { stage: id.clone(), attempt, wave, item };
        self.calls.range(at(0)..=at(u32::MAX)).filter_map(|(_, call)| call.status.result()).collect()
    }

    /// The whole of what is spent, possibly spent, and set aside.
    pub fn committed(&self) -> Reserve {
        Reserve { cost: self.cost, tokens: self.usage.total() } + self.doubtful + self.reserved
    }

    pub(crate) fn index(&self, id: &StageId) -> Option<usize> {
        self.graph.nodes.iter().position(|node| &node.id == id)
    }

    pub(crate) fn nodes(&self) -> impl DoubleEndedIterator<Item = (&Node, &StageState)> {
        self.graph.nodes.iter().zip(&self.stages)
    }

    /// Whether all that a stage depends on may be used.
    pub(crate) fn may_open(&self, index: usize) -> bool {
        let node = &self.graph.nodes[index];
        node.depends_on.iter().all(|id| self.released(id, Some(&node.id)))
    }

    /// Whether a stage's result may be used: ended, and neither its pause nor its repair unit is open. The unit's own
    /// stages do not wait for the unit.
    pub(crate) fn released(&self, id: &StageId, user: Option<&StageId>) -> bool {
        let Some(index) = self.index(id) else { return false };
        if !self.is_over(index) {
            return false;
        }
        let Some(at) = self.graph.unit_of(id) else { return true };
        let unit = &self.graph.repair_units[at];
        user.is_some_and(|user| unit.stages.contains(user))
            || self.unit_settled(at)
                && unit.stages.iter().filter_map(|id| self.index(id)).all(|index| self.is_over(index))
    }

    /// Whether a stage has ended and its pause, if any, is answered.
    fn is_over(&self, index: usize) -> bool {
        let (node, stage) = (&self.graph.nodes[index], &self.stages[index]);
        match stage.phase {
            Phase::Skipped => true,
            Phase::Completed => {
                let paused = |pause: &Pause| pause.stage == node.id && pause.kind == PauseKind::Stage;
                !self.wants_pause(node, stage) && !self.open_pauses().any(paused)
            }
            Phase::Pending | Phase::Running | Phase::Failed => false,
        }
    }

    /// Whether a completed stage's pause is still to be requested.
    pub(crate) fn wants_pause(&self, node: &Node, stage: &StageState) -> bool {
        node.pauses
            && stage.phase == Phase::Completed
            && !stage.quiet
            && stage.paused_attempt != stage.attempt
            && self.graph.unit_of(&node.id).is_none_or(|at| self.unit_settled(at))
    }

    pub(crate) fn unit_settled(&self, at: usize) -> bool {
        if self.repairs.contains_key(&(at as u32)) {
            return !self.is_gate_shut(at as u32);
        }
        let last = self.graph.repair_units[at].stages.last().and_then(|id| self.stage(id));
        last.is_none_or(|stage| match stage.phase {
            Phase::Skipped => true,
            Phase::Completed => stage.history.last().is_none_or(|attempt| attempt.passed != Some(false)),
            Phase::Pending | Phase::Running | Phase::Failed => false,
        })
    }
}
