//! What follows from a state: events that the machine itself decides on, and work that only the engine can do.

use domain::{ErrorCode, Problem, Walls};

use crate::event::{End, Event, Origin, Purpose, Stop, ToolEnd};
use crate::state::{Compaction, ExecutionPhase, LastAnswer, State};

/// What only the engine can do. Levels, not edges: listed as long as it is wanted. A call to the model or of a tool
/// that is under way stays listed until it has ended, even when the turn is being stopped or the program ends: then it
/// is to be ended, not begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Assemble a request and call the model: `ModelRequested`, then `ModelAnswered` or `ModelFailed`. Before, when the
    /// request does not fit the window, `CompactionNeeded`; when [`State::affords`] denies it, `TooDear`.
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
    /// Turn the model's answer into the text that stands for what was said before: `Compacted`.
    TakeSummary {
        /// The call to the model.
        call: u32,
    },
    /// Put what was said before into fewer words without a model: `Compacted`.
    CompactByCode,
    /// Resolve its arguments and decide on permission: `ToolJudged`, or `ToolEnded` when it can't even be planned.
    Authorize {
        /// The call.
        call: String,
    },
    /// Run it: `ToolStarted` (durable unless repeatable), then `ToolEnded` or `QuestionAsked`.
    Run {
        /// The call.
        call: String,
        /// What stands around it.
        confined: Walls,
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

/// The one thing that comes next when nothing is under way.
enum Next {
    /// Nothing: the turn has ended or not begun, or the program ends.
    Nothing,
    Event(Event),
    Effect(Effect),
}

impl Next {
    fn ended(end: End, answer: Option<domain::Digest>) -> Self {
        Self::Event(Event::TurnEnded { end, answer })
    }

    fn responding(why: &str) -> Self {
        Self::Event(Event::Responding { why: why.to_owned() })
    }
}

impl State {
    /// Events that the machine itself decides on now. The engine appends them and asks again, until none is left.
    pub fn decide(&self) -> Vec<Event> {
        match self.next() {
            Next::Event(event) => vec![event],
            Next::Effect(_) | Next::Nothing => Vec::new(),
        }
    }

    /// What the engine has to do now.
    pub fn effects(&self) -> Vec<Effect> {
        if self.start.is_none() || self.end.is_some() {
            return Vec::new();
        }
        if let Some((call, of)) = self.model_calls.last_key_value().filter(|(_, of)| of.open) {
            return vec![Effect::CallModel { call: *call, r#try: of.tries, purpose: of.purpose }];
        }
        if !self.is_settled() {
            return self.tool_effects();
        }
        match self.next() {
            Next::Effect(effect) => vec![effect],
            Next::Event(_) | Next::Nothing => Vec::new(),
        }
    }

    fn next(&self) -> Next {
        let Some(start) = self.start.as_ref().filter(|_| self.end.is_none() && self.is_settled()) else {
            return Next::Nothing;
        };
        let loop_state = &self.loop_state;
        if self.stopping {
            let text = self.partial().or_else(|| loop_state.last.as_ref().and_then(|last| last.text));
            return Next::ended(End::Stopped, text.or(self.fallback));
        }
        if self.suspended {
            return Next::Nothing;
        }
        if let Some(problem) = &loop_state.failure {
            return Next::ended(End::Failed { problem: problem.clone() }, self.fallback);
        }
        if loop_state.handed.is_some() {
            return Next::ended(End::Handed, loop_state.handed);
        }
        match loop_state.compaction {
            Compaction::Answered(call) => return Next::Effect(Effect::TakeSummary { call }),
            Compaction::Wanted => return self.call(Purpose::Compact),
            Compaction::ByCode => return Next::Effect(Effect::CompactByCode),
            Compaction::None if matches!(start.origin, Origin::Compaction | Origin::Plan(_)) => {
                return Next::ended(End::Handed, None);
            }
            Compaction::None => {}
        }
        match self.phase {
            ExecutionPhase::Execution => self.go_on(),
            ExecutionPhase::Response => self.respond(),
        }
    }

    fn go_on(&self) -> Next {
        let outcome = self.outcome();
        if let Some((end, answer)) = outcome {
            return if self.tool_calls_made == 0 {
                Next::ended(end, answer)
            } else {
                Next::responding(match &end {
                    End::Bounded { bound } => bound,
                    End::Answered | End::Handed | End::Stopped | End::Failed { .. } => "answered",
                })
            };
        }
        if self.loop_state.repeats.over {
            return Next::responding("repeats");
        }
        if self.is_mute() && self.loop_state.empties > 1 {
            return Next::responding("empty");
        }
        if let Some(bound) = self.bound() {
            return Next::responding(bound);
        }
        match self.due_nudge() {
            Some(why) => Next::Effect(Effect::Nudge { why: why.to_owned() }),
            None => self.call(Purpose::Step),
        }
    }

    fn respond(&self) -> Next {
        if let Some((end, answer)) = self.outcome() {
            return Next::ended(end, answer);
        }
        let end = match self.loop_state.why.as_str() {
            "answered" | "empty" => End::Answered,
            bound => End::Bounded { bound: bound.to_owned() },
        };
        let last = self.loop_state.last.as_ref().filter(|last| last.purpose == Purpose::Final);
        if last.is_none() && !self.loop_state.spent {
            return self.call(Purpose::Final);
        }
        // The last answer itself may be none.
        let end = match (end, last.and_then(|last| last.stop.bound())) {
            (End::Answered, Some(bound)) => End::Bounded { bound: bound.to_owned() },
            (end, _) => end,
        };
        match last.and_then(|last| last.text).or(self.fallback) {
            Some(answer) => Next::ended(end, Some(answer)),
            None => {
                Next::Effect(Effect::Summarise { end: End::Bounded { bound: self.loop_state.why.clone() } })
            }
        }
    }

    /// How the last answer of a step ends the turn, if it does. Its tools have run by then.
    pub(crate) fn outcome(&self) -> Option<(End, Option<domain::Digest>)> {
        let last = self.loop_state.last.as_ref().filter(|last| last.purpose == Purpose::Step)?;
        let LastAnswer { text, stop, tools, .. } = last;
        let bound = |bound: &str| Some((End::Bounded { bound: bound.to_owned() }, *text));
        match (text, stop, tools) {
            (None, _, false) if self.loop_state.empties > 1 && self.fallback.is_some() => {
                Some((End::Answered, self.fallback))
            }
            (Some(_), Stop::Cut, false) => bound("length"),
            (Some(_), Stop::Withheld, _) | (Some(_), Stop::Unexplained, false) => {
                stop.bound().and_then(bound)
            }
            (Some(_), Stop::Refused, _)
            | (Some(_), Stop::Ended | Stop::WantsTools | Stop::Unclear, false)
            | (Some(_), Stop::Ended, true) => Some((End::Answered, *text)),
            (Some(_), Stop::WantsTools | Stop::Unclear | Stop::Cut | Stop::Unexplained, true)
            | (None, _, _) => None,
        }
    }

    /// Whether the last answer held neither text nor calls.
    fn is_mute(&self) -> bool {
        self.loop_state.last.as_ref().is_some_and(|last| last.text.is_none() && !last.tools)
    }

    /// What the model has to be told before its next step.
    fn due_nudge(&self) -> Option<&'static str> {
        if self.loop_state.repeats.due.is_some() {
            Some("repeats")
        } else if self.is_mute() {
            Some("empty")
        } else {
            None
        }
    }

    /// The bound that forbids another step.
    fn bound(&self) -> Option<&'static str> {
        let bounds = self.bounds();
        if self.iterations >= bounds.iterations {
            Some("iterations")
        } else if self.tool_calls_made >= bounds.tool_calls {
            Some("tool calls")
        } else if self.is_out_of_time() {
            Some("time")
        } else {
            self.loop_state.lacking
        }
    }

    pub(crate) fn is_out_of_time(&self) -> bool {
        self.bounds().budget.active_ms.is_some_and(|limit| self.active_ms >= limit)
    }

    fn call(&self, purpose: Purpose) -> Next {
        let (call, r#try) = self.next_call(purpose);
        let waits = self.model_calls.get(&call).and_then(|call| call.waits);
        Next::Effect(match waits {
            Some(ms) => Effect::Wait { call, ms },
            None => Effect::CallModel { call, r#try, purpose },
        })
    }

    /// The number and attempt of the next call to the model.
    pub(crate) fn next_call(&self, purpose: Purpose) -> (u32, u32) {
        match self.model_calls.last_key_value() {
            Some((number, call)) if !call.done && call.purpose == purpose => (*number, call.tries + 1),
            Some((number, _)) => (number + 1, 1),
            None => (1, 1),
        }
    }

    /// Whether a call to the model for this is what the conversation is at; bounds and budget are another matter.
    pub(crate) fn is_due(&self, purpose: Purpose) -> bool {
        if self.stopping || self.suspended || !self.is_settled() {
            return false;
        }
        let loop_state = &self.loop_state;
        match (purpose, self.phase) {
            (Purpose::Compact, _) => loop_state.compaction == Compaction::Wanted,
            (Purpose::Step, ExecutionPhase::Execution) => self.goes_on() && self.due_nudge().is_none(),
            (Purpose::Final, ExecutionPhase::Response) => {
                self.goes_on() && loop_state.last.as_ref().is_none_or(|last| last.purpose != Purpose::Final)
            }
            (Purpose::Step, ExecutionPhase::Response) | (Purpose::Final, ExecutionPhase::Execution) => false,
        }
    }

    /// Whether the model has to be told something before its next step.
    pub(crate) fn wants_nudge(&self) -> bool {
        self.is_settled()
            && !self.stopping
            && self.phase == ExecutionPhase::Execution
            && self.goes_on()
            && self.due_nudge().is_some()
    }

    /// Whether nothing stands between the last answer and another call to the model.
    fn goes_on(&self) -> bool {
        self.loop_state.compaction == Compaction::None
            && self.loop_state.failure.is_none()
            && self.loop_state.handed.is_none()
            && self.outcome().is_none()
    }
}

pub(crate) fn refused() -> Problem {
    Problem::new(ErrorCode::Provider, "the model refused to answer")
        .with_action("Put it in other words, or choose another model.")
}

pub(crate) fn too_long() -> Problem {
    Problem::new(
        ErrorCode::ContextTooLong,
        "the conversation does not fit the model's window, even in fewer words",
    )
    .with_action("Choose a model with a larger window, or go on in a new session.")
}
