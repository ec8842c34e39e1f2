//! What external effects gave, as events.

use std::sync::Arc;
use std::time::Duration;

use domain::{ErrorCode, Problem, StageId};
use jsonschema::Validator;
use pipeline::{Answer, CallKey, Event};
use serde_json::Value;

use super::Driver;
use crate::call::{self, CallResult, Outcome};
use crate::evaluate::Payload;
use crate::ui::UiKind;

impl Driver {
    pub(super) fn outcome(
        &mut self,
        outcome: Result<Outcome, tokio::task::JoinError>,
    ) -> Result<(), Problem> {
        let Outcome { key, r#try, ms, result } = outcome.map_err(crate::problem::internal)?;
        let failures = self.journal.state.calls.get(&key).map_or(0, |call| call.failures);
        match result {
            CallResult::Timer => {
                self.timers.remove(&key);
                if self.stop.is_cancelled() {
                    return Ok(());
                }
                self.journal.push(Event::TimerFired { key })
            }
            CallResult::Tool(Ok(value)) => {
                let output = self.keep(value)?;
                self.journal.push(Event::ToolCallCompleted { key, r#try, output, ms })
            }
            // Stopped by the person's stop, not by a fault of its own: it is issued again when the run is continued.
            CallResult::Tool(Err(failure))
                if failure.problem.code == ErrorCode::Cancelled && self.journal.state.is_suspended() =>
            {
                self.journal.push(Event::OutcomeUnknown { key, r#try })
            }
            CallResult::Tool(Err(failure)) => {
                let retry_in =
                    self.retry_in(&key, failure.retryable.then_some(llm::Retry::After(None)), failures);
                self.tell_waiting(&key, retry_in, &failure.problem);
                self.journal.push(Event::ToolCallFailed { key, r#try, problem: failure.problem, retry_in })
            }
            CallResult::Model(Ok(answer)) => {
                let max = match self.payloads.get(&key) {
                    Some(Payload::Model(request)) => request.max_output_tokens,
                    _ => u64::MAX,
                };
                let truncated =
                    answer.stop == llm::StopReason::MaxTokens || llm::likely_truncated(&answer.usage, max);
                let cost = self.pinned.model_info.cost(&answer.usage);
                let verdict = self.judge(&key.stage, &answer)?;
                self.journal.push(Event::ModelCallCompleted {
                    key,
                    r#try,
                    answer: verdict,
                    usage: answer.usage,
                    cost,
                    stop: word(&answer.stop),
                    model: answer.model,
                    response_id: answer.response_id,
                    truncated,
                    ms,
                })
            }
            CallResult::Model(Err(failure)) => {
                let retry = match failure.stopped {
                    true if self.journal.state.is_suspended() => {
                        Some(llm::Retry::After(Some(Duration::ZERO)))
                    }
                    true => None,
                    false => Some(failure.retry),
                };
                let retry_in = self.retry_in(&key, retry, failures);
                self.tell_waiting(&key, retry_in, &failure.problem);
                let cost = self.pinned.model_info.cost(&failure.usage);
                self.journal.push(Event::ModelCallFailed {
                    key,
                    r#try,
                    problem: failure.problem,
                    retry_in,
                    usage: failure.usage,
                    cost,
                })
            }
        }
    }

    pub(super) fn retry_in(&self, key: &CallKey, retry: Option<llm::Retry>, failures: u32) -> Option<u64> {
        match retry? {
            llm::Retry::Never => None,
            llm::Retry::After(named) => Some(call::backoff(key, failures, named)),
        }
    }

    pub(super) fn tell_waiting(&self, key: &CallKey, retry_in: Option<u64>, problem: &Problem) {
        if let Some(ms) = retry_in {
            let kind = UiKind::Waiting { stage: key.stage.clone(), ms, problem: problem.clone() };
            let _ = self.ui.send(self.event(kind));
        }
    }

    /// Whether an answer satisfies its stage's schema. The value is kept; of an invalid answer, the raw text.
    pub(super) fn judge(&mut self, stage: &StageId, answer: &llm::ModelAnswer) -> Result<Answer, Problem> {
        if answer.stop == llm::StopReason::Refusal {
            let text = self.keep(Value::String(answer.text.clone()))?;
            return Ok(Answer::Invalid { text, errors: vec!["the model declined to answer".to_owned()] });
        }
        let Some(validator) = self.validator(stage)? else {
            let output = self.keep(Value::String(answer.text.clone()))?;
            return Ok(Answer::Valid { output });
        };
        match llm::extract(&answer.text, Some(&validator)) {
            Ok(extraction) => Ok(Answer::Valid { output: self.keep(extraction.value)? }),
            Err(error) => {
                let mut errors = match error {
                    llm::ExtractError::Invalid { faults, .. } => {
                        faults.iter().map(ToString::to_string).collect()
                    }
                    other => vec![other.to_string()],
                };
                if answer.stop == llm::StopReason::MaxTokens {
                    errors.push("the answer was cut at the output limit".to_owned());
                }
                let text = self.keep(Value::String(answer.text.clone()))?;
                Ok(Answer::Invalid { text, errors })
            }
        }
    }

    pub(super) fn validator(&mut self, stage: &StageId) -> Result<Option<Arc<Validator>>, Problem> {
        if let Some(known) = self.validators.get(stage) {
            return Ok(known.clone());
        }
        let validator = match self.pinned.schemas.get(stage) {
            Some(schema) => {
                let compiled = jsonschema::validator_for(schema).map_err(|error| {
                    Problem::new(
                        ErrorCode::InvalidConfig,
                        format!("stage {stage}: bad output schema: {error}"),
                    )
                })?;
                Some(Arc::new(compiled))
            }
            None => None,
        };
        self.validators.insert(stage.clone(), validator.clone());
        Ok(validator)
    }
}

fn word(stop: &llm::StopReason) -> String {
    serde_json::to_value(stop).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
