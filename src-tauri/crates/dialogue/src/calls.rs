//! Calls of tools: in which order they are judged and run, and what ends them without running.

use domain::{NOBODY, Ruling, Walls};

use crate::decide::Effect;
use crate::event::{ToolEnd, Verdict};
use crate::state::{State, ToolCall};

pub(crate) const UNKNOWN: &str = "there is no such tool here, or its arguments do not satisfy its schema";
pub(crate) const BEYOND: &str = "no calls of tools are left in this turn";
pub(crate) const REPEATED: &str = "the same call was made again and again";
pub(crate) const WITHDRAWN: &str = "the answer that asked for it was broken off by a refusal";
const OUT_OF_TIME: &str = "the time for this turn is used up";
const STOPPED: &str = "the person stopped the turn";
const HANDED: &str = "another call of the same answer ended the turn";

/// What is to become of a call that has not ended.
enum CallState {
    Undecided,
    /// The person is asked.
    Waits,
    Denied(String),
    Allowed {
        confined: Walls,
    },
    /// The person answered its question.
    Answered,
}

impl ToolCall {
    fn call_state(&self) -> CallState {
        if self.question.is_some() {
            return if self.answer.is_some() { CallState::Answered } else { CallState::Waits };
        }
        match (&self.ruling, &self.verdict) {
            (None, _) => CallState::Undecided,
            (Some(Ruling::Allow { confined, .. }), _) => CallState::Allowed { confined: *confined },
            (Some(Ruling::Deny { why, .. }), _) => CallState::Denied(why.clone()),
            (Some(Ruling::Ask { .. }), None) => CallState::Waits,
            (Some(Ruling::Ask { .. }), Some(Verdict::Allowed { confined, .. })) => {
                CallState::Allowed { confined: *confined }
            }
            (Some(Ruling::Ask { .. }), Some(Verdict::Denied { reason })) if reason.is_empty() => {
                CallState::Denied("the person refused it".to_owned())
            }
            (Some(Ruling::Ask { .. }), Some(Verdict::Denied { reason })) if reason == NOBODY => {
                CallState::Denied(
                    "it needs the person's permission, and nobody was there to give it".to_owned(),
                )
            }
            (Some(Ruling::Ask { .. }), Some(Verdict::Denied { reason })) => {
                CallState::Denied(format!("the person refused it: {reason}"))
            }
        }
    }
}

impl State {
    /// Work on the calls of the last answer.
    pub(crate) fn tool_effects(&self) -> Vec<Effect> {
        let running = self.batch().filter(|(_, call)| call.is_running());
        let mut effects: Vec<Effect> = running.map(|(id, call)| run(id, call)).collect();
        if self.stopping || self.loop_state.handed.is_some() {
            let why = if self.stopping { STOPPED } else { HANDED };
            effects.extend(self.idle().map(|(id, call)| {
                if !self.stopping && matches!(call.call_state(), CallState::Answered) {
                    Effect::TakeAnswer { call: id.to_owned() }
                } else {
                    refuse(id, ToolEnd::Stopped, why.to_owned())
                }
            }));
            return effects;
        }
        if self.suspended {
            return effects;
        }
        let barred = self.idle().filter_map(|(id, call)| Some((id, call.barred.clone()?)));
        effects.extend(barred.map(|(id, why)| refuse(id, ToolEnd::Failed, why)));
        let mut free = self.free_places(effects.iter().filter(|e| matches!(e, Effect::Run { .. })).count());
        for (id, call) in self.front().filter(|(_, call)| !call.is_running()) {
            match call.call_state() {
                CallState::Waits => {}
                CallState::Undecided => effects.push(Effect::Authorize { call: id.to_owned() }),
                CallState::Denied(why) => effects.push(refuse(id, ToolEnd::Denied, why)),
                CallState::Answered => effects.push(Effect::TakeAnswer { call: id.to_owned() }),
                CallState::Allowed { .. } if self.is_out_of_time() => {
                    effects.push(refuse(id, ToolEnd::Failed, OUT_OF_TIME.to_owned()));
                }
                CallState::Allowed { .. } if free > 0 => {
                    free -= 1;
                    effects.push(run(id, call));
                }
                CallState::Allowed { .. } => {}
            }
        }
        effects
    }

    /// Whether a call may begin now. Time is left out: it must not run out between wanting a call and telling of it.
    pub(crate) fn may_start(&self, id: &str) -> bool {
        let running = self.batch().filter(|(_, call)| call.is_running()).count();
        !self.stopping
            && !self.suspended
            && self.front().any(|(front, call)| {
                let again = call.is_running() && call.asked.repeatable;
                let first =
                    !call.started && self.loop_state.handed.is_none() && self.free_places(running) > 0;
                front == id && (again || first) && matches!(call.call_state(), CallState::Allowed { .. })
            })
    }

    fn free_places(&self, running: usize) -> usize {
        (self.bounds().parallel.max(1) as usize).saturating_sub(running)
    }

    /// Calls that have not ended and do not run.
    fn idle(&self) -> impl Iterator<Item = (&str, &ToolCall)> {
        self.batch().filter(|(_, call)| call.end.is_none() && !call.is_running())
    }

    /// Calls whose turn it is: the first that has not ended, with its neighbours when all of them may run beside
    /// others. What the model listed later is not even looked at before, since it may rest on what these do.
    fn front(&self) -> impl Iterator<Item = (&str, &ToolCall)> {
        let mut open =
            self.batch().filter(|(_, call)| call.end.is_none() && call.barred.is_none()).peekable();
        let beside = open.peek().is_some_and(|(_, call)| call.asked.parallel);
        open.enumerate()
            .take_while(move |(at, (_, call))| *at == 0 || beside && call.asked.parallel)
            .map(|(_, at)| at)
    }
}

fn run(id: &str, call: &ToolCall) -> Effect {
    let confined = match call.call_state() {
        CallState::Allowed { confined } => confined,
        CallState::Undecided | CallState::Waits | CallState::Answered | CallState::Denied(_) => Walls::Open,
    };
    Effect::Run { call: id.to_owned(), confined }
}

fn refuse(id: &str, end: ToolEnd, why: String) -> Effect {
    Effect::Refuse { call: id.to_owned(), end, why }
}
