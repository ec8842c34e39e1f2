//! A turn as the fold of its events.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    Digest, LimitReached, Mode, NanoUsd, Problem, Question, Reserve, Ruling, RunStatus, Show, Usage,
};

use crate::asks::Ask;
use crate::event::{Bounds, End, Origin, Purpose, RequestedCall, Stop, ToolEnd, Verdict};

/// Whether tools are offered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ExecutionPhase {
    /// They are.
    #[default]
    Execution,
    /// They are not: the model answers.
    Response,
}

/// How a turn stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Status {
    /// Nothing happened yet.
    #[default]
    Empty,
    /// Something is under way.
    Running,
    /// It waits for the person: for permission or an answer.
    Waiting,
    /// The program ended; it goes on when asked.
    Suspended,
    /// It ended with an answer, or handed something over.
    Completed,
    /// The person ended it.
    Stopped,
    /// It failed and can go on.
    Failed,
}

impl From<Status> for RunStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Empty | Status::Running => Self::Running,
            Status::Waiting => Self::Waiting,
            Status::Suspended => Self::Suspended,
            Status::Completed => Self::Completed,
            Status::Stopped => Self::Stopped,
            Status::Failed => Self::Failed,
        }
    }
}

/// What the conversation holds, in order: what the model is shown after the message that began the turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// An answer of the model; its calls follow by id. One without text and calls is no message: it is left out of
    /// what the model is shown.
    Answer {
        /// Which call to the model.
        call: u32,
        /// As it came, a blob.
        answer: Digest,
        /// Its text, a blob.
        text: Option<Digest>,
        /// The calls that it made, in order.
        tools: Vec<String>,
    },
    /// A message of the person's side that came in between.
    Steering {
        /// A blob of [`domain::UserMessage`].
        message: Digest,
    },
    /// The beginning of an answer that the person stopped; what comes next goes on from there.
    Partial {
        /// The call to the model.
        call: u32,
        /// Its text, with what was stopped before it: a blob.
        text: Digest,
    },
    /// Something that the program told the model, on the person's side.
    Nudge {
        /// A blob.
        text: Digest,
    },
    /// Everything before stands in this text.
    Compacted {
        /// A blob.
        summary: Digest,
        /// Whether a model wrote it.
        by_model: bool,
        /// Tokens before.
        before: u64,
        /// Tokens after.
        after: u64,
        /// The state of the run, which stands beside the text: a blob.
        checkpoint: Option<Digest>,
    },
}

/// How a call of a tool stands.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// What the model asked for.
    pub asked: RequestedCall,
    /// Why it is not run whatever is decided on it, for the model: it is unknown, beyond a bound, or asked again and
    /// again.
    pub barred: Option<String>,
    /// What was decided.
    pub ruling: Option<Ruling>,
    /// What the person is shown when they are asked.
    pub preview: Option<Digest>,
    /// What it does, in one line.
    pub intent: String,
    /// What the person said.
    pub verdict: Option<Verdict>,
    /// Whether it was started.
    pub started: bool,
    /// Questions that it asked a model itself.
    pub asks: Vec<Ask>,
    /// What it asks the person.
    pub question: Option<Question>,
    /// What the person answered.
    pub answer: Option<String>,
    /// How it ended.
    pub end: Option<ToolEnd>,
    /// What the model reads.
    pub result: Option<Digest>,
    /// One line for the person.
    pub summary: String,
    /// What the person may see besides.
    pub show: Vec<Show>,
    /// When it was started, in milliseconds since 1970; for display.
    pub started_at: Option<u64>,
    /// Milliseconds that it ran.
    pub ms: u64,
}

/// A call to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCall {
    /// What for.
    pub purpose: Purpose,
    /// Attempts so far.
    pub tries: u32,
    /// Attempts that failed in a way that may pass.
    pub failed: u32,
    /// What is set aside for it.
    pub reserve: Reserve,
    /// Estimated tokens of what was sent.
    pub tokens: u64,
    /// The hash of what was sent.
    pub request: Digest,
    /// The response that the provider goes on with, where it was taken so: the answer is fetched by this id.
    pub response_id: Option<String>,
    /// Whether it is under way.
    pub open: bool,
    /// Whether it is over: answered, or given up.
    pub done: bool,
    /// Whether it waits before its next attempt; milliseconds.
    pub waits: Option<u64>,
    /// Why its last attempt failed.
    pub problem: Option<Problem>,
    /// Attempts that were given up before they told what they cost, by what was set aside for doubt.
    pub(crate) unsettled: Vec<Reserve>,
}

/// How the turn began.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// As in [`crate::Event::TurnStarted`].
    pub session: domain::SessionId,
    #[allow(missing_docs)]
    pub agent: Option<domain::AgentSlug>,
    #[allow(missing_docs)]
    pub origin: crate::event::Origin,
    #[allow(missing_docs)]
    pub message: Digest,
    #[allow(missing_docs)]
    pub previous: Option<domain::RunId>,
    #[allow(missing_docs)]
    pub bounds: Bounds,
    /// When, in milliseconds since 1970; for display.
    pub at: u64,
}

/// A turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    /// The last event's number.
    pub seq: u64,
    /// How it began.
    pub start: Option<Start>,
    /// What it depends on now.
    pub pinned: Option<Digest>,
    /// The mode now.
    pub mode: Mode,
    /// Whether tools are offered.
    pub phase: ExecutionPhase,
    /// Answers of the model so far, final and compacting ones not counted.
    pub iterations: u32,
    /// Tools that it called so far.
    pub tool_calls_made: u32,
    /// What the conversation holds.
    pub entries: Vec<Entry>,
    /// Calls of tools by id.
    pub tools: BTreeMap<String, ToolCall>,
    /// Calls to the model by number.
    pub model_calls: BTreeMap<u32, ModelCall>,
    /// The last text that came along with calls of tools: the answer when nothing better comes.
    pub fallback: Option<Digest>,
    /// Tokens.
    pub usage: Usage,
    /// Money.
    pub cost: NanoUsd,
    /// What flat rates paid for.
    pub equivalent: NanoUsd,
    /// The most that calls with an unknown outcome may have cost besides.
    pub doubtful: Reserve,
    /// Active milliseconds.
    pub active_ms: u64,
    /// Estimated tokens of the last request.
    pub context: u64,
    /// How it ended.
    pub end: Option<End>,
    /// The answer's text.
    pub answer: Option<Digest>,
    /// What the person is told of the model's answers besides.
    pub notes: Vec<String>,
    /// Whether the person wants it to end.
    pub stopping: bool,
    /// Whether the program ended while it went on, or a limit on money stopped the stage that it works for.
    pub suspended: bool,
    /// The limit on money that forbade its last call.
    pub limit: Option<LimitReached>,
    /// Where it stands between its events.
    pub(crate) loop_state: LoopState,
}

/// The model's last answer, as long as nothing came after it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LastAnswer {
    pub(crate) purpose: Purpose,
    pub(crate) text: Option<Digest>,
    pub(crate) stop: Stop,
    pub(crate) tools: bool,
}

/// Where putting what was said into fewer words stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Compaction {
    /// Not wanted.
    #[default]
    None,
    /// By a model.
    Wanted,
    /// By code: a model can't.
    ByCode,
    /// The model's words are there.
    Answered(u32),
}

/// Whether the model calls the same again and again.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Repeats {
    /// The last call, and how many times in a row it was asked for.
    pub(crate) row: Option<(Digest, u32)>,
    /// The call that the model has to be told of.
    pub(crate) due: Option<Digest>,
    /// Calls that it was told of.
    pub(crate) told: BTreeSet<Digest>,
    /// Whether it went on all the same.
    pub(crate) over: bool,
}

/// What the machine keeps between events besides what others read.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct LoopState {
    /// Calls of tools of the last answer, in order.
    pub(crate) batch: Vec<String>,
    pub(crate) last: Option<LastAnswer>,
    /// Empty answers in a row.
    pub(crate) empties: u32,
    pub(crate) repeats: Repeats,
    pub(crate) compaction: Compaction,
    /// Compactions since the model last answered.
    pub(crate) compactions: u32,
    /// Messages that wait for the answer to a request that was made without them.
    pub(crate) steering: Vec<Digest>,
    /// What there was not enough of for another step: `cost` or `tokens`.
    pub(crate) lacking: Option<&'static str>,
    /// Whether there was not even enough for the final call.
    pub(crate) spent: bool,
    /// What trying again did not mend.
    pub(crate) failure: Option<Problem>,
    /// The result of the call that ended the turn.
    pub(crate) handed: Option<Digest>,
    /// Why the phase changed.
    pub(crate) why: String,
}

/// What a process that takes a turn over from one that died has to tell of first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LostWork {
    /// The call to the model that was under way: `ModelUnknown`.
    pub model: Option<u32>,
    /// Calls of tools that were under way and are not run again: `ToolEnded` with [`ToolEnd::Unknown`].
    pub tools: Vec<String>,
}

impl ToolCall {
    /// Whether it runs, or ran when the program ended.
    pub fn is_running(&self) -> bool {
        self.started && self.end.is_none() && self.question.is_none()
    }

    /// Whether it waits for the person's permission.
    pub fn is_asking(&self) -> bool {
        self.end.is_none()
            && self.barred.is_none()
            && self.verdict.is_none()
            && matches!(self.ruling, Some(Ruling::Ask { .. }))
    }

    /// Whether it waits for the person's answer to its question.
    pub fn is_questioning(&self) -> bool {
        self.end.is_none() && self.question.is_some() && self.answer.is_none()
    }
}

impl State {
    /// How it stands. It waits as soon as the person is asked, even when other calls go on.
    pub fn status(&self) -> Status {
        match &self.end {
            Some(End::Answered | End::Bounded { .. } | End::Handed) => return Status::Completed,
            Some(End::Stopped) => return Status::Stopped,
            Some(End::Failed { .. }) => return Status::Failed,
            None if self.start.is_none() => return Status::Empty,
            None if self.stopping => return Status::Running,
            None => {}
        }
        if self.suspended && !self.is_under_way() {
            return Status::Suspended;
        }
        let waits = |call: &ToolCall| call.is_asking() || call.is_questioning();
        if self.loop_state.handed.is_none() && self.batch().any(|(_, call)| waits(call)) {
            Status::Waiting
        } else {
            Status::Running
        }
    }

    /// Whether a message of the person would be read in this turn; else it has to become the next one.
    pub fn takes_steering(&self) -> bool {
        let talks = |start: &Start| !matches!(start.origin, Origin::Compaction | Origin::Plan(_));
        self.start.as_ref().is_some_and(talks)
            && self.end.is_none()
            && !self.stopping
            && self.phase == ExecutionPhase::Execution
            && self.loop_state.handed.is_none()
            && self.loop_state.failure.is_none()
    }

    /// The beginning of an answer that the person stopped, as long as nothing came after it.
    pub fn partial(&self) -> Option<Digest> {
        match self.entries.last() {
            Some(Entry::Partial { text, .. }) => Some(*text),
            _ => None,
        }
    }

    /// Whether a call to the model or of a tool is under way.
    pub fn is_under_way(&self) -> bool {
        self.open_model().is_some() || self.batch().any(|(_, call)| call.is_running())
    }

    /// What was under way in a process that died.
    pub fn lost(&self) -> LostWork {
        let gone = |call: &ToolCall| call.is_running() && (!call.asked.repeatable || self.stopping);
        LostWork {
            model: self.open_model(),
            tools: self.batch().filter(|(_, call)| gone(call)).map(|(id, _)| id.to_owned()).collect(),
        }
    }

    /// The most that the call to the model may have cost that was under way in a process that died, where its answer
    /// can't be fetched from its provider: to go on is to pay for it again.
    pub fn lost_reserve(&self) -> Reserve {
        let lost = self.open_model().and_then(|call| self.model_calls.get(&call));
        lost.filter(|call| call.response_id.is_none()).map(|call| call.reserve).unwrap_or_default()
    }

    /// What is spent, may have been spent, and is set aside for what is under way.
    pub fn committed(&self) -> Reserve {
        let open = self.open_model().and_then(|call| self.model_calls.get(&call));
        Reserve { cost: self.cost, tokens: self.usage.total() }
            + self.doubtful
            + open.map(|call| call.reserve).unwrap_or_default()
            + self.set_aside_for_asks()
    }

    /// Money that is set aside for what is under way, the final call's share included.
    pub fn set_aside(&self) -> NanoUsd {
        let open = self.open_model().and_then(|call| self.model_calls.get(&call));
        let kept = open.filter(|call| call.purpose != Purpose::Final);
        let shares = [open, kept].into_iter().flatten().map(|call| call.reserve.cost);
        shares.sum::<NanoUsd>() + self.set_aside_for_asks().cost
    }

    /// Whether a call to the model may be made that could cost so much. Besides any but the final one, as much again is
    /// kept for that one. A request that is not afforded may be, with a smaller bound on its output.
    pub fn affords(&self, purpose: Purpose, reserve: Reserve) -> bool {
        self.lacks(purpose, reserve).is_none()
    }

    /// What there is not enough of: `cost` or `tokens`.
    pub(crate) fn lacks(&self, purpose: Purpose, reserve: Reserve) -> Option<&'static str> {
        let kept = match purpose {
            Purpose::Step | Purpose::Compact => reserve,
            Purpose::Final => Reserve::default(),
        };
        let needed = self.committed() + reserve + kept;
        let budget = self.bounds().budget;
        if budget.cost.is_some_and(|limit| needed.cost > limit) {
            Some("cost")
        } else if budget.tokens.is_some_and(|limit| needed.tokens > limit) {
            Some("tokens")
        } else {
            None
        }
    }

    pub(crate) fn bounds(&self) -> Bounds {
        self.start.as_ref().map(|start| start.bounds).unwrap_or_default()
    }

    /// The call to the model that is under way; there is at most one.
    pub(crate) fn open_model(&self) -> Option<u32> {
        self.model_calls.last_key_value().filter(|(_, call)| call.open).map(|(number, _)| *number)
    }

    /// Calls of tools of the last answer, in order.
    pub(crate) fn batch(&self) -> impl Iterator<Item = (&str, &ToolCall)> {
        self.loop_state.batch.iter().filter_map(|id| Some((id.as_str(), self.tools.get(id)?)))
    }

    /// Whether nothing of the last answer or of a call to the model is left to end.
    pub(crate) fn is_settled(&self) -> bool {
        self.open_model().is_none() && self.batch().all(|(_, call)| call.end.is_some())
    }
}
