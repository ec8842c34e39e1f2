//! A turn as the fold of its events.

use std::collections::BTreeMap;

use domain::{Digest, Mode, NanoUsd, Problem, Question, Reserve, Ruling, Show, Usage};

use crate::event::{Asked, Bounds, End, Purpose, Record, ToolEnd, Verdict};

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

/// What the conversation holds, in order: what the model is shown after the message that began the turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// An answer of the model; its calls follow by id.
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
    },
}

/// How a call of a tool stands.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// What the model asked for.
    pub asked: Asked,
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
    /// What is set aside for it.
    pub reserve: Reserve,
    /// Estimated tokens of what was sent.
    pub tokens: u64,
    /// Whether it is under way.
    pub open: bool,
    /// Whether it waits before its next attempt; milliseconds.
    pub waits: Option<u64>,
    /// Why its last attempt failed.
    pub problem: Option<Problem>,
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
    /// Whether the person wants it to end.
    pub stopping: bool,
    /// Whether the program ended while it went on.
    pub suspended: bool,
}

/// An event that can't happen in the state that it met.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {seq} ({event}) can't happen here: {why}")]
pub struct IllegalEvent {
    /// Its number.
    pub seq: u64,
    /// Its name.
    pub event: String,
    /// Why.
    pub why: String,
}

/// What only the engine can do. Levels, not edges: listed as long as it is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Assemble a request and call the model: `ModelRequested`, then `ModelAnswered` or `ModelFailed`. Before, when the
    /// request does not fit, `CompactionNeeded`. The engine may answer a `Final` that is not affordable with
    /// `TurnEnded` and an answer in its own words.
    CallModel {
        /// Which call.
        call: u32,
        /// Which attempt.
        r#try: u32,
        /// What for.
        purpose: Purpose,
    },
    /// Wait, then `Waited`.
    Wait {
        /// The call that waits.
        call: u32,
        /// Milliseconds.
        ms: u64,
    },
    /// Resolve its arguments and decide on permission: `ToolJudged`, or `ToolEnded` when it can't even be planned.
    Judge {
        /// The call.
        call: String,
    },
    /// Run it: `ToolStarted` (durable unless repeatable), then `ToolEnded` or `QuestionAsked`.
    Run {
        /// The call.
        call: String,
        /// Whether confined.
        confined: bool,
    },
    /// End it without running: `ToolEnded` with what the model is told.
    Refuse {
        /// The call.
        call: String,
        /// How it ends.
        end: ToolEnd,
        /// Why, for the model; the engine adds guidance.
        why: String,
    },
    /// Turn the person's answer into the call's result: `ToolEnded`.
    TakeAnswer {
        /// The call.
        call: String,
    },
    /// Tell the model something: `Nudged` with a text in the engine's words.
    Nudge {
        /// `repeats` or `empty`.
        why: String,
    },
    /// End the turn with a summary written by code: `TurnEnded`.
    Summarise {
        /// How it ends.
        end: End,
    },
}

impl State {
    /// Takes an event in.
    ///
    /// # Errors
    /// When it can't happen now; the state is as before.
    pub fn apply(&mut self, record: &Record) -> Result<(), IllegalEvent> {
        let _ = record;
        Ok(())
    }

    /// Events that the machine wants itself.
    pub fn decide(&self) -> Vec<crate::Event> {
        Vec::new()
    }

    /// What the engine has to do.
    pub fn effects(&self) -> Vec<Effect> {
        Vec::new()
    }

    /// How it stands.
    pub fn status(&self) -> Status {
        Status::Empty
    }
}
