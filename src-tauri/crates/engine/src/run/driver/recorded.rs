//! A run driven over what is recorded of it. What came from outside, answers of calls as of the person, comes again in the
//! order of the log; everything else the engine does itself. So a run that was interrupted, cancelled, tried again or guided
//! comes to the same points. What is not recorded is an error, never a call.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use domain::{Digest, ErrorCode, PauseId, Problem, RunId};
use llm::ModelAnswer;
use pipeline::{CallKey, ChildEnd, Event, PauseKind, Receipt, Record};
use serde_json::Value;

use super::Driver;
use crate::core::payloads::Payloads;
use crate::run::call::{CallResult, Outcome};
use crate::run::pinned::Pinned;
use crate::run::reuse::ReusableCall;
use crate::run::values::read;
use crate::turn::{StageTurnCause, StageTurnOutcome};

/// What to do with a run that can't be driven again.
const INSTEAD: &str = "recompute the run from its log instead: `agentnative replay <run>`";

/// What came from outside in a run.
#[derive(Default)]
pub(crate) struct Recording {
    /// The hash of what each try of a call sent.
    sent: BTreeMap<(CallKey, u32), Digest>,
    /// What came from outside, in the order of the log, each with its number there.
    inputs: VecDeque<(u64, Outside)>,
    /// The turns that carried calls out.
    children: BTreeMap<CallKey, VecDeque<RunId>>,
    /// Calls that took over what a call of the base run gave.
    reused: BTreeMap<CallKey, ReusableCall>,
    /// Values that the run began with or took over.
    taken: Vec<Value>,
    /// What each pause is about.
    pauses: BTreeMap<PauseId, String>,
    /// Whether a stage failed of no call: then something outside may have forbidden it, and it goes on here.
    forbidden: bool,
}

/// Something that came from outside.
pub(crate) enum Outside {
    /// A call ended: what it gave is judged and booked anew.
    Ended { key: CallKey, r#try: u32, result: Box<CallResult> },
    /// Everything else, with the payloads that it brought.
    Event { event: Box<Event>, values: Vec<Value> },
}

/// Pauses of different branches come in any order: their numbers say nothing.
fn pause_key(stage: &domain::StageId, kind: &PauseKind) -> String {
    format!("{stage}/{}", serde_json::to_string(kind).unwrap_or_default())
}

impl Recording {
    /// From a log and its payloads.
    ///
    /// # Errors
    /// `Conflict` for a run that reached its limit of minutes: how fast it worked is not part of what is recorded.
    pub(crate) async fn read(records: &[Record], payloads: &dyn Payloads) -> Result<Self, Problem> {
        let mut recording = Self::default();
        let mut failed = BTreeSet::new();
        let base = records.first().and_then(|record| match &record.event {
            Event::RunStarted { base, .. } => base.as_ref(),
            _ => None,
        });
        for edit in base.into_iter().flat_map(|base| base.edits.values()) {
            recording.taken.push(read(payloads, *edit).await?);
        }
        for (at, record) in records.iter().enumerate() {
            let event = &record.event;
            let before = at.checked_sub(1).map(|before| &records[before].event);
            match event {
                Event::ModelCallRequested { key, r#try, request, .. }
                | Event::ToolCallRequested { key, r#try, request } => {
                    recording.sent.insert((key.clone(), *r#try), *request);
                }
                Event::ModelCallCompleted { key, r#try, receipt, .. } => {
                    let Some(received) = receipt.received else { return Err(not_kept(key)) };
                    let answer = Ok(answer_of(payloads, received).await?);
                    recording.ended(record.seq, key, *r#try, CallResult::Model(answer));
                }
                Event::ModelCallFailed {
                    key,
                    r#try,
                    receipt: Receipt { received: Some(received), .. },
                    ..
                } => {
                    failed.insert((&key.stage, key.attempt));
                    let answer = Ok(answer_of(payloads, *received).await?);
                    recording.ended(record.seq, key, *r#try, CallResult::Model(answer));
                }
                Event::ToolCallCompleted { key, r#try, output, .. } => {
                    let value = Ok(read(payloads, *output).await?);
                    recording.ended(record.seq, key, *r#try, CallResult::Tool(value));
                }
                Event::ModelCallFailed { key, .. } | Event::ToolCallFailed { key, .. } => {
                    failed.insert((&key.stage, key.attempt));
                    recording.input(record, Vec::new());
                }
                Event::ChildRunStarted { key, child } => {
                    recording.children.entry(key.clone()).or_default().push_back(child.clone());
                }
                Event::ChildRunFinished { end: ChildEnd::Interrupted, .. } => {
                    recording.input(record, Vec::new());
                }
                Event::ChildRunFinished {
                    key,
                    r#try,
                    end,
                    usage,
                    cost,
                    equivalent,
                    doubtful,
                    ms,
                    fill,
                    ..
                } => {
                    let end = match end {
                        ChildEnd::Gated { output } => StageTurnCause::Gated(read(payloads, *output).await?),
                        ChildEnd::Asks { said } => {
                            let said = read(payloads, *said).await?;
                            StageTurnCause::Asks(said.as_str().unwrap_or_default().to_owned())
                        }
                        ChildEnd::Interrupted => StageTurnCause::Suspended,
                        ChildEnd::Waits { form } => StageTurnCause::Waits(read(payloads, *form).await?),
                        ChildEnd::Short { needed, out_of_time } => {
                            StageTurnCause::Short { needed: *needed, out_of_time: *out_of_time }
                        }
                        ChildEnd::Failed { problem } => StageTurnCause::Failed(problem.clone()),
                    };
                    let left = StageTurnOutcome {
                        end,
                        usage: *usage,
                        cost: *cost,
                        equivalent: *equivalent,
                        doubtful: *doubtful,
                        active_ms: *ms,
                        fill: *fill,
                        limit: None,
                    };
                    recording.ended(record.seq, key, *r#try, CallResult::Child(Box::new(left)));
                }
                Event::CallNeedsPermission { asks, .. } => {
                    recording.input(record, vec![read(payloads, *asks).await?]);
                }
                Event::PauseRequested { pause, stage, kind } => {
                    recording.pauses.insert(pause.clone(), pause_key(stage, kind));
                }
                // Edited beforehand: the engine does so by itself, right after the stage.
                Event::Edited { .. } if matches!(before, Some(Event::StageCompleted { .. })) => {}
                Event::Edited { output, .. } => {
                    recording.input(record, vec![read(payloads, *output).await?]);
                }
                Event::CallReused { key, output, from } => {
                    recording.taken.push(read(payloads, *output).await?);
                    let call = ReusableCall { output: *output, from: from.clone() };
                    recording.reused.insert(key.clone(), call);
                }
                Event::Repinned { pinned, .. } => {
                    recording.input(record, vec![read(payloads, *pinned).await?]);
                }
                Event::Resumed { reply: Some(reply), .. } => {
                    recording.input(record, vec![read(payloads, *reply).await?]);
                }
                Event::StageFailed { stage, attempt, .. } => {
                    recording.forbidden |= !failed.contains(&(stage, *attempt));
                }
                Event::BudgetExceeded { left, .. } if left.active_ms == Some(0) => {
                    let what = "the run reached its limit of minutes, and how fast it worked is not recorded: it can't be driven again from its log";
                    return Err(Problem::new(ErrorCode::Conflict, what).with_action(INSTEAD));
                }
                Event::ModelCallDrafted { draft, .. } => {
                    recording.input(record, vec![read(payloads, *draft).await?]);
                }
                Event::ModelCallAccepted { .. }
                | Event::TimerFired { .. }
                | Event::OutcomeUnknown { .. }
                | Event::ModelCallWithheld { .. }
                | Event::Amended { .. }
                | Event::Resumed { .. }
                | Event::GuidanceQueued { .. }
                | Event::CancelRequested
                | Event::Suspended
                | Event::Continued
                | Event::BudgetSet { .. }
                | Event::RunRetried { .. } => recording.input(record, Vec::new()),
                _ => {}
            }
        }
        Ok(recording)
    }

    /// What calls took over.
    pub(super) fn reused<'c>(
        &self,
        calls: impl Iterator<Item = &'c CallKey>,
    ) -> Vec<(CallKey, ReusableCall)> {
        calls.filter_map(|key| Some((key.clone(), self.reused.get(key)?.clone()))).collect()
    }

    fn ended(&mut self, seq: u64, key: &CallKey, r#try: u32, result: CallResult) {
        let what = Outside::Ended { key: key.clone(), r#try, result: Box::new(result) };
        self.inputs.push_back((seq, what));
    }

    fn input(&mut self, record: &Record, values: Vec<Value>) {
        let what = Outside::Event { event: Box::new(record.event.clone()), values };
        self.inputs.push_back((record.seq, what));
    }
}

async fn answer_of(payloads: &dyn Payloads, digest: Digest) -> Result<ModelAnswer, Problem> {
    let value = read(payloads, digest).await?;
    serde_json::from_value(value).map_err(|error| {
        Problem::new(ErrorCode::Corrupt, format!("answer {} can't be read: {error}", digest.short()))
    })
}

/// What is said where the run goes on and nothing more is recorded.
pub(super) fn unrecorded() -> Problem {
    let what = "the run has not ended: what comes next is not recorded";
    Problem::new(ErrorCode::Conflict, what).with_action(INSTEAD)
}

fn not_kept(key: &CallKey) -> Problem {
    let what = format!("call {key} was answered in a version that did not keep answers as they came");
    Problem::new(ErrorCode::Conflict, what).with_action(INSTEAD)
}

impl Driver {
    /// Drives over what is recorded instead of asking anybody.
    pub(crate) fn over(&mut self, mut recording: Recording) -> Result<(), Problem> {
        for value in std::mem::take(&mut recording.taken) {
            self.keep(value)?;
        }
        self.work.recorded = Some(std::mem::take(&mut recording.inputs));
        self.recording = Some(Box::new(recording));
        Ok(())
    }

    /// Whether a call is answered by what is recorded, instead of being made.
    ///
    /// # Errors
    /// When what it sends is not what was sent.
    pub(super) fn recorded(&mut self, key: &CallKey, r#try: u32, request: Digest) -> Result<bool, Problem> {
        let Some(recording) = &mut self.recording else { return Ok(false) };
        if recording.sent.get(&(key.clone(), r#try)) == Some(&request) {
            return Ok(true);
        }
        let what = format!(
            "nothing is recorded of call {key}, try {try}, with the request {}",
            request.short(),
            r#try = r#try
        );
        let code = if recording.forbidden { ErrorCode::Conflict } else { ErrorCode::Corrupt };
        Err(Problem::new(code, what))
    }

    /// The turn that carried a call out.
    pub(super) fn recorded_child(&mut self, key: &CallKey) -> Option<RunId> {
        self.recording.as_mut()?.children.get_mut(key)?.pop_front()
    }

    /// Takes in what came from outside next.
    pub(super) fn take_recorded(&mut self, input: Outside) -> Result<(), Problem> {
        match input {
            Outside::Ended { key, r#try, result } => self.outcome(Outcome::new(key, r#try, 0, *result)),
            Outside::Event { event, values } => self.event_again(*event, values),
        }
    }

    fn event_again(&mut self, event: Event, values: Vec<Value>) -> Result<(), Problem> {
        for value in &values {
            self.keep(value.clone())?;
        }
        let event = match event {
            Event::Resumed { pause, decision, reply } => {
                Event::Resumed { pause: self.same_pause(&pause)?, decision, reply }
            }
            Event::Repinned { .. } => {
                if let Some(value) = values.into_iter().next() {
                    let pinned: Pinned =
                        serde_json::from_value(value).map_err(crate::core::problem::internal)?;
                    self.pinned = Arc::new(pinned);
                }
                event
            }
            Event::TimerFired { ref key } => {
                self.timers.remove(key);
                event
            }
            other => other,
        };
        self.journal.push(event)
    }

    /// The open pause that is about the same: branches that pause side by side may number theirs differently.
    fn same_pause(&self, pause: &PauseId) -> Result<PauseId, Problem> {
        let about = self.recording.as_ref().and_then(|recording| recording.pauses.get(pause));
        let mut open = self.journal.state.open_pauses();
        let same = open.find(|open| Some(&pause_key(&open.stage, &open.kind)) == about);
        same.map(|open| open.id.clone()).ok_or_else(|| {
            Problem::new(ErrorCode::Corrupt, format!("pause {pause} was answered, and is not reached"))
        })
    }
}
