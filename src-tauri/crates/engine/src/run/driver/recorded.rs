//! A run driven over what is recorded of it: calls are answered from its log, pauses as they were answered then. What is
//! not recorded is an error, never a call.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use domain::{Digest, ErrorCode, Problem, RunId};
use llm::ModelAnswer;
use pipeline::{CallKey, ChildEnd, Event, PauseKind, Record};
use serde_json::Value;

use super::Driver;
use crate::core::payloads::Payloads;
use crate::core::tools::ToolFailure;
use crate::run::call::{CallResult, ModelFailure, Outcome};
use crate::run::pinned::Pinned;
use crate::run::values::read;
use crate::turn::{StageTurnCause, StageTurnOutcome};

/// What to do with a run that can't be driven again.
const INSTEAD: &str = "recompute the run from its log instead: `agentnative replay <run>`";

/// What came from outside in a run.
#[derive(Default)]
pub(crate) struct Recording {
    /// How calls ended, by what was sent and which try it was.
    outcomes: BTreeMap<(Digest, u32), Vec<(CallKey, CallResult)>>,
    /// The turns that carried calls out.
    children: BTreeMap<CallKey, VecDeque<RunId>>,
    /// What was answered to pauses, in order by stage and kind.
    answers: BTreeMap<String, VecDeque<Vec<Input>>>,
    /// Whether a stage failed of no call: then something outside may have forbidden it, and it goes on here.
    forbidden: bool,
}

/// An event of the person, and the payloads that it brought.
struct Input {
    event: Event,
    values: Vec<Value>,
}

/// Pauses of different branches come in any order: their numbers say nothing.
fn pause_key(stage: &domain::StageId, kind: &PauseKind) -> String {
    format!("{stage}/{}", serde_json::to_string(kind).unwrap_or_default())
}

impl Recording {
    /// From a log and its payloads.
    ///
    /// # Errors
    /// `Conflict` for a run that was interrupted, cancelled, tried again or guided while it worked: at which moment is not
    /// part of what is recorded.
    pub(crate) async fn of(records: &[Record], payloads: &dyn Payloads) -> Result<Self, Problem> {
        let mut recording = Self::default();
        let mut sent: BTreeMap<(CallKey, u32), Digest> = BTreeMap::new();
        let mut pauses = BTreeMap::new();
        let mut inputs: Vec<Input> = Vec::new();
        let mut failed = BTreeSet::new();
        for record in records {
            match &record.event {
                Event::ModelCallRequested { key, r#try, request, .. }
                | Event::ToolCallRequested { key, r#try, request } => {
                    sent.insert((key.clone(), *r#try), *request);
                }
                Event::ModelCallCompleted { key, r#try, receipt, .. } => {
                    let Some(received) = receipt.received else { return Err(not_kept(key)) };
                    let answer = Ok(answer_of(payloads, received).await?);
                    recording.ended(&sent, key, *r#try, CallResult::Model(answer));
                }
                Event::ModelCallFailed { key, r#try, problem, retry_in, usage, receipt, .. } => {
                    failed.insert((&key.stage, key.attempt));
                    let result = match receipt.received {
                        Some(received) => Ok(answer_of(payloads, received).await?),
                        None => Err(ModelFailure {
                            problem: problem.clone(),
                            retry: retry_in.map_or(llm::Retry::Never, |ms| {
                                llm::Retry::After(Some(Duration::from_millis(ms)))
                            }),
                            usage: *usage,
                            stopped: false,
                            sent: usage.total() > 0,
                            shown: String::new(),
                        }),
                    };
                    recording.ended(&sent, key, *r#try, CallResult::Model(result));
                }
                Event::ToolCallCompleted { key, r#try, output, .. } => {
                    let value = Ok(read(payloads, *output).await?);
                    recording.ended(&sent, key, *r#try, CallResult::Tool(value));
                }
                Event::ToolCallFailed { key, r#try, problem, retry_in } => {
                    failed.insert((&key.stage, key.attempt));
                    let (problem, retryable) = (problem.clone(), retry_in.is_some());
                    let failure = ToolFailure { problem, retryable, unsure: false };
                    recording.ended(&sent, key, *r#try, CallResult::Tool(Err(failure)));
                }
                Event::ChildRunStarted { key, child } => {
                    recording.children.entry(key.clone()).or_default().push_back(child.clone());
                }
                Event::ChildRunFinished { end: ChildEnd::Interrupted, .. } => {
                    return Err(interrupted(&record.event));
                }
                Event::ChildRunFinished {
                    key, r#try, end, usage, cost, equivalent, doubtful, ms, ..
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
                    };
                    recording.ended(&sent, key, *r#try, CallResult::Child(Box::new(left)));
                }
                Event::PauseRequested { pause, stage, kind } => {
                    pauses.insert(pause.clone(), pause_key(stage, kind));
                }
                Event::Edited { output, .. } => {
                    let values = vec![read(payloads, *output).await?];
                    inputs.push(Input { event: record.event.clone(), values });
                }
                Event::Repinned { pinned, .. } => {
                    let values = vec![read(payloads, *pinned).await?];
                    inputs.push(Input { event: record.event.clone(), values });
                }
                Event::Amended { .. } => {
                    inputs.push(Input { event: record.event.clone(), values: Vec::new() });
                }
                Event::Resumed { pause, reply, .. } => {
                    let values = match reply {
                        Some(reply) => vec![read(payloads, *reply).await?],
                        None => Vec::new(),
                    };
                    inputs.push(Input { event: record.event.clone(), values });
                    if let Some(key) = pauses.get(pause) {
                        let answers = recording.answers.entry(key.clone()).or_default();
                        answers.push_back(std::mem::take(&mut inputs));
                    }
                }
                Event::StageFailed { stage, attempt, .. } => {
                    recording.forbidden |= !failed.contains(&(stage, *attempt));
                }
                Event::BudgetExceeded { left, .. } if left.active_ms == Some(0) => {
                    let what = "the run reached its limit of minutes, and how fast it worked is not recorded: it can't be driven again from its log";
                    return Err(Problem::new(ErrorCode::Conflict, what).with_action(INSTEAD));
                }
                Event::OutcomeUnknown { .. }
                | Event::Suspended
                | Event::Continued
                | Event::BudgetSet { .. }
                | Event::RunRetried { .. }
                | Event::CancelRequested
                | Event::RunCancelled
                | Event::GuidanceQueued { .. } => return Err(interrupted(&record.event)),
                _ => {}
            }
        }
        Ok(recording)
    }

    fn ended(
        &mut self,
        sent: &BTreeMap<(CallKey, u32), Digest>,
        key: &CallKey,
        r#try: u32,
        result: CallResult,
    ) {
        if let Some(request) = sent.get(&(key.clone(), r#try)) {
            self.outcomes.entry((*request, r#try)).or_default().push((key.clone(), result));
        }
    }

    /// How a call ended that sent this; of several calls that sent the same, its own.
    fn take(&mut self, key: &CallKey, r#try: u32, request: Digest) -> Option<CallResult> {
        let ended = self.outcomes.get_mut(&(request, r#try))?;
        let own = ended.iter().position(|(of, _)| of == key).unwrap_or(0);
        (own < ended.len()).then(|| ended.remove(own).1)
    }
}

async fn answer_of(payloads: &dyn Payloads, digest: Digest) -> Result<ModelAnswer, Problem> {
    let value = read(payloads, digest).await?;
    serde_json::from_value(value).map_err(|error| {
        Problem::new(ErrorCode::Corrupt, format!("answer {} can't be read: {error}", digest.short()))
    })
}

fn not_kept(key: &CallKey) -> Problem {
    let what = format!("call {key} was answered in a version that did not keep answers as they came");
    Problem::new(ErrorCode::Conflict, what).with_action(INSTEAD)
}

fn interrupted(event: &Event) -> Problem {
    let what = format!(
        "the run was interrupted, stopped, retried or guided while it worked ({}): it can't be driven again from its log",
        event.name()
    );
    Problem::new(ErrorCode::Conflict, what).with_action(INSTEAD)
}

impl Driver {
    /// Drives over what is recorded instead of asking anybody.
    pub(crate) fn over(&mut self, recording: Recording) {
        self.recording = Some(Box::new(recording));
    }

    /// Ends a call as it is recorded. Gives the request back where the run is driven over no recording.
    pub(super) fn recorded(&mut self, key: &CallKey, r#try: u32, request: Digest) -> Result<bool, Problem> {
        let Some(recording) = &mut self.recording else { return Ok(false) };
        let Some(result) = recording.take(key, r#try, request) else {
            let what = format!(
                "nothing is recorded of call {key}, try {try}, with the request {}",
                request.short(),
                r#try = r#try
            );
            let code = if recording.forbidden { ErrorCode::Conflict } else { ErrorCode::Corrupt };
            return Err(Problem::new(code, what));
        };
        let key = key.clone();
        self.tasks.spawn(async move { Outcome { key, r#try, ms: 0, result } });
        Ok(true)
    }

    /// The turn that carried a call out.
    pub(super) fn recorded_child(&mut self, key: &CallKey) -> Option<RunId> {
        self.recording.as_mut()?.children.get_mut(key)?.pop_front()
    }

    /// Answers a pause as it was answered then. Whether one was.
    pub(super) fn answer_as_recorded(&mut self) -> Result<bool, Problem> {
        let open: Vec<_> = self
            .journal
            .state
            .open_pauses()
            .map(|pause| (pause.id.clone(), pause_key(&pause.stage, &pause.kind)))
            .collect();
        for (pause, key) in open {
            let Some(recording) = &mut self.recording else { return Ok(false) };
            let Some(inputs) = recording.answers.get_mut(&key).and_then(VecDeque::pop_front) else {
                continue;
            };
            for Input { event, values } in inputs {
                for value in &values {
                    self.keep(value.clone())?;
                }
                let event = match event {
                    Event::Resumed { decision, reply, .. } => {
                        Event::Resumed { pause: pause.clone(), decision, reply }
                    }
                    other => other,
                };
                if let (Event::Repinned { .. }, Some(value)) = (&event, values.into_iter().next()) {
                    let pinned: Pinned =
                        serde_json::from_value(value).map_err(crate::core::problem::internal)?;
                    self.pinned = Arc::new(pinned);
                }
                self.journal.push(event)?;
            }
            return Ok(true);
        }
        Ok(false)
    }
}
