//! What external effects gave, as events.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use domain::{Digest, ErrorCode, Problem, StageId};
use jsonschema::Validator;
use llm::{Fault, ModelAnswer, StopReason};
use pipeline::{Answer, CallKey, Event, Receipt};
use serde_json::Value;
use store::NewModelCall;

use super::Driver;
use crate::core::tools::ToolFailure;
use crate::core::ui::UiKind;
use crate::run::call::{self, CallResult, ModelFailure, Outcome};
use crate::run::evaluate::Payload;
use crate::run::pinned::CallCost;

/// Faults of an output that are told.
const FAULTS: usize = 3;
/// Characters of a refusal that are told.
const REFUSAL: usize = 400;

impl Driver {
    pub(super) fn outcome(
        &mut self,
        outcome: Result<Outcome, tokio::task::JoinError>,
    ) -> Result<(), Problem> {
        let Outcome { key, r#try, ms, result } = outcome.map_err(crate::core::problem::internal)?;
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
            // Nobody knows what it did: a call that changes something is made again only when the person says so.
            CallResult::Tool(Err(failure)) if self.must_ask(&key, &failure) => {
                let (stage, text) = (key.stage.clone(), failure.problem.message);
                let _ = self.ui.send(self.event(UiKind::Progress { stage, text, done: 0, total: 0 }));
                self.journal.push(Event::OutcomeUnknown { key, r#try })
            }
            CallResult::Tool(Err(failure)) => {
                let again = failure.retryable && !(failure.unsure && self.changes_something(&key));
                let retry_in = self.retry_in(&key, again.then_some(llm::Retry::After(None)), failures);
                self.tell_waiting(&key, retry_in, &failure.problem);
                self.journal.push(Event::ToolCallFailed { key, r#try, problem: failure.problem, retry_in })
            }
            CallResult::Child(left) => self.child_left(key, r#try, *left),
            CallResult::Model(Ok(answer)) => self.answered(key, r#try, ms, answer),
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
                let (model, info) = self.asked(&key);
                let bill = self.pinned.bill(info, &failure.usage, None);
                if failure.sent {
                    let model = model.to_owned();
                    self.spent(
                        &key,
                        NewModelCall { r#try, usage: failure.usage, failed: true, model, ms, ..booked(bill) },
                    );
                }
                let receipt = Receipt { equivalent: bill.equivalent, ..Receipt::default() };
                let ModelFailure { problem, usage, .. } = failure;
                self.journal.push(Event::ModelCallFailed {
                    key,
                    r#try,
                    problem,
                    retry_in,
                    usage,
                    cost: bill.cost,
                    receipt,
                })
            }
        }
    }

    fn changes_something(&self, key: &CallKey) -> bool {
        self.journal.state.calls.get(key).is_some_and(|call| !call.planned.repeatable)
    }

    /// Whether only the person can say how a call that broke off goes on. An optional one is a warning in any case.
    fn must_ask(&self, key: &CallKey, failure: &ToolFailure) -> bool {
        let optional = self.journal.state.calls.get(key).is_none_or(|call| call.planned.optional);
        failure.unsure && !optional && self.changes_something(key) && !self.journal.state.is_cancelling()
    }

    /// What an output that does not fit its stage's schema is told as.
    pub(super) fn unfit(&mut self, stage: &StageId, output: &Value) -> Result<Option<Problem>, Problem> {
        let Some(validator) = self.validator(stage)? else { return Ok(None) };
        let faults: Vec<String> = validator
            .iter_errors(output)
            .take(FAULTS)
            .map(|fault| {
                let at = fault.instance_path().to_string();
                let what: String = fault.to_string().chars().take(200).collect();
                if at.is_empty() { what } else { format!("{at}: {what}") }
            })
            .collect();
        Ok((!faults.is_empty()).then(|| {
            Problem::new(
                ErrorCode::InvalidAnswer,
                format!("what the stage's tools gave does not fit its schema: {}", faults.join("; ")),
            )
            .with_action(
                "check what the source answers now, and correct the stage's steps or its outputSchema",
            )
        }))
    }

    /// A request that was answered: with something to use, something to correct, or nothing.
    fn answered(&mut self, key: CallKey, r#try: u32, ms: u64, answer: ModelAnswer) -> Result<(), Problem> {
        let max = match self.payloads.get(&key) {
            Some(Payload::Model(request)) => request.max_output_tokens,
            _ => u64::MAX,
        };
        let cut = matches!(answer.stop, StopReason::MaxTokens | StopReason::ContextWindow);
        let truncated = cut || llm::likely_truncated(&answer.usage, max);
        let (asked, info) = self.asked(&key);
        let asked = asked.to_owned();
        let bill = self.pinned.bill(info, &answer.usage, answer.reported_cost);
        let verdict = self.judge(&key.stage, &answer)?;
        let model = if answer.model.is_empty() { asked.clone() } else { answer.model.clone() };
        let receipt = Receipt {
            received: Some(self.received(&answer)?),
            request_id: answer.request_id.clone(),
            equivalent: bill.equivalent,
        };
        let row = NewModelCall {
            r#try,
            model: undated(&model, &asked),
            usage: answer.usage,
            failed: verdict.is_err(),
            ms,
            request_id: answer.request_id.clone(),
            ..booked(bill)
        };
        self.spent(&key, row);
        let (usage, cost) = (answer.usage, bill.cost);
        match verdict {
            Ok(verdict) => self.journal.push(Event::ModelCallCompleted {
                key,
                r#try,
                answer: verdict,
                usage,
                cost,
                stop: word(&answer.stop),
                model,
                response_id: answer.response_id,
                truncated,
                ms,
                receipt,
            }),
            Err(problem) => self.journal.push(Event::ModelCallFailed {
                key,
                r#try,
                problem,
                retry_in: None,
                usage,
                cost,
                receipt,
            }),
        }
    }

    /// Tells the store of a request that ended.
    fn spent(&mut self, key: &CallKey, call: NewModelCall) {
        let pinned = &self.pinned;
        self.journal.spent(NewModelCall {
            at_ms: crate::core::ids::now_ms() as i64,
            stage: key.stage.to_string(),
            call: key.to_string(),
            connection: pinned.connection.clone(),
            provider: pinned.model_info.provider.clone(),
            ..call
        });
    }

    /// The model that a call asks, and what it can do and costs.
    fn asked(&self, key: &CallKey) -> (&str, &llm::ModelInfo) {
        let own = self.pinned.stage(&key.stage).map(|stage| self.pinned.asks(stage));
        own.unwrap_or((&self.pinned.model, &self.pinned.model_info))
    }

    /// Keeps an answer as the provider gave it.
    fn received(&mut self, answer: &ModelAnswer) -> Result<Digest, Problem> {
        let value = serde_json::to_value(answer).map_err(crate::core::problem::internal)?;
        let bytes = domain::canonical(&value).into_bytes();
        let digest = Digest::of(&bytes);
        self.journal.blob(digest, bytes)?;
        Ok(digest)
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

    /// Whether an answer satisfies its stage's schema. The value is kept; of an invalid answer, the raw text. An error
    /// within: no correction by the model could help.
    fn judge(&mut self, stage: &StageId, answer: &ModelAnswer) -> Result<Result<Answer, Problem>, Problem> {
        if let Some(problem) = self.declined(answer) {
            return Ok(Err(problem));
        }
        let Some(validator) = self.validator(stage)? else {
            let output = self.keep(Value::String(answer.text.clone()))?;
            return Ok(Ok(Answer::Valid { output, left_out: Vec::new() }));
        };
        match llm::extract(&answer.text, Some(&validator)) {
            Ok(extraction) => {
                Ok(Ok(Answer::Valid { output: self.keep(extraction.value)?, left_out: Vec::new() }))
            }
            Err(_) if answer.stop == StopReason::ContextWindow => {
                let what = "the answer was cut: the request and what there is of the answer fill the model's context window";
                Ok(Err(self.failure(Fault::ContextTooLong, what)))
            }
            Err(error) => {
                if let llm::ExtractError::Invalid { value, .. } = &error
                    && let Some((fitting, left_out)) = self.fitting(stage, &validator, value)?
                {
                    return Ok(Ok(Answer::Valid { output: self.keep(fitting)?, left_out }));
                }
                let mut errors = match error {
                    llm::ExtractError::Invalid { faults, .. } => {
                        faults.iter().map(ToString::to_string).collect()
                    }
                    other => vec![other.to_string()],
                };
                if answer.stop == StopReason::MaxTokens {
                    // What the rest of it lacks says nothing: it is not the answer.
                    errors = vec![
                        "the answer was cut at the output limit before it was complete: give a shorter one"
                            .to_owned(),
                    ];
                }
                let text = self.keep(Value::String(answer.text.clone()))?;
                Ok(Ok(Answer::Invalid { text, errors }))
            }
        }
    }

    /// The value without fields that its schema does not know, and their names, where nothing else is wrong with it:
    /// another paid request would bring the same answer.
    fn fitting(
        &mut self,
        stage: &StageId,
        validator: &Validator,
        value: &Value,
    ) -> Result<Option<(Value, Vec<String>)>, Problem> {
        let Some(config) = self.pinned.stage(stage).cloned() else { return Ok(None) };
        let Some(schema) = self.evaluate(|evaluation| Ok(evaluation.schema(&config).cloned()))? else {
            return Ok(None);
        };
        let mut left_out = BTreeSet::new();
        let fitting = without_extras(value, &schema, &mut left_out);
        let names = left_out.into_iter().take(NAMED).map(|name| name.chars().take(80).collect());
        Ok(validator.is_valid(&fitting).then(|| (fitting, names.collect())))
    }

    /// Why an answer is none, whatever its text says.
    fn declined(&self, answer: &ModelAnswer) -> Option<Problem> {
        match answer.stop {
            StopReason::Refusal => {
                // In its own words where it gives some.
                let words = answer.text.split_whitespace().collect::<Vec<_>>().join(" ");
                let words: String = words.chars().take(REFUSAL).collect();
                let detail = answer.stop_detail.clone().filter(|detail| !detail.is_empty());
                let why = match (detail, words.is_empty()) {
                    (Some(detail), true) => format!(": {detail}"),
                    (Some(detail), false) => format!(" ({detail}): \u{201c}{words}\u{201d}"),
                    (None, false) => format!(": \u{201c}{words}\u{201d}"),
                    (None, true) => String::new(),
                };
                Some(self.failure(Fault::Refused, &format!("the model declined to answer{why}")))
            }
            StopReason::ToolUse => {
                let names: Vec<&str> = answer.tool_calls().map(|call| call.name.as_str()).collect();
                let named = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
                let what = format!("the model called a tool{named} where it has none, instead of answering");
                Some(
                    Problem::new(ErrorCode::InvalidAnswer, what)
                        .with_action("retry the run, or choose another model"),
                )
            }
            _ => None,
        }
    }

    fn failure(&self, fault: Fault, what: &str) -> Problem {
        llm::ProviderError::new(&self.pinned.model_info.provider, fault, what).problem()
    }

    pub(super) fn validator(&mut self, stage: &StageId) -> Result<Option<Arc<Validator>>, Problem> {
        let Some(config) = self.pinned.stage(stage).cloned() else { return Ok(None) };
        let of = (stage.clone(), self.evaluate(|evaluation| Ok(evaluation.is_repair(&config)))?);
        if let Some(known) = self.validators.get(&of) {
            return Ok(known.clone());
        }
        let validator = match self.evaluate(|evaluation| Ok(evaluation.schema(&config).cloned()))? {
            Some(schema) => {
                let compiled = jsonschema::validator_for(&schema).map_err(|error| {
                    Problem::new(
                        ErrorCode::InvalidConfig,
                        format!("stage {stage}: bad output schema: {error}"),
                    )
                })?;
                Some(Arc::new(compiled))
            }
            None => None,
        };
        self.validators.insert(of, validator.clone());
        Ok(validator)
    }
}

/// The most names of fields left out that are kept.
const NAMED: usize = 20;

/// The value without fields of closed objects that their schema does not declare; their names go into `left_out`.
fn without_extras(value: &Value, schema: &Value, left_out: &mut BTreeSet<String>) -> Value {
    match value {
        Value::Object(fields) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
            let mut kept = serde_json::Map::new();
            for (name, value) in fields {
                match properties.and_then(|properties| properties.get(name)) {
                    Some(schema) => {
                        kept.insert(name.clone(), without_extras(value, schema, left_out));
                    }
                    None if closed => {
                        left_out.insert(name.clone());
                    }
                    None => {
                        kept.insert(name.clone(), value.clone());
                    }
                }
            }
            Value::Object(kept)
        }
        Value::Array(items) => match schema.get("items") {
            Some(schema) => {
                Value::Array(items.iter().map(|item| without_extras(item, schema, left_out)).collect())
            }
            None => value.clone(),
        },
        other => other.clone(),
    }
}

/// The model as it was asked for where what answered is the same with the day of its release: else one model would stand
/// under two names in every sum.
fn undated(answered: &str, asked: &str) -> String {
    let day = answered.strip_prefix(asked).and_then(|rest| rest.strip_prefix('-'));
    let digits = day.map(|day| day.bytes().filter(|byte| *byte != b'-').collect::<Vec<u8>>());
    let dated = digits.is_some_and(|digits| digits.len() == 8 && digits.iter().all(u8::is_ascii_digit));
    if dated { asked.to_owned() } else { answered.to_owned() }
}

/// The money of a row.
fn booked(bill: CallCost) -> NewModelCall {
    NewModelCall {
        cost: bill.cost + bill.equivalent,
        equivalent: bill.flat,
        unpriced: bill.unpriced,
        ..NewModelCall::default()
    }
}

fn word(stop: &llm::StopReason) -> String {
    serde_json::to_value(stop).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_a_schema_does_not_know_are_left_out() {
        let schema = serde_json::json!({
            "type": "object", "additionalProperties": false,
            "properties": {
                "a": { "type": "integer" },
                "list": { "items": { "additionalProperties": false, "properties": { "b": {} } } },
                "open": { "properties": { "c": {} } },
            },
        });
        let value =
            serde_json::json!({ "a": 1, "z": 2, "list": [{ "b": 1, "y": 2 }], "open": { "c": 1, "x": 2 } });
        let kept = serde_json::json!({ "a": 1, "list": [{ "b": 1 }], "open": { "c": 1, "x": 2 } });
        let mut left_out = BTreeSet::new();
        assert_eq!(without_extras(&value, &schema, &mut left_out), kept);
        assert_eq!(left_out.into_iter().collect::<Vec<_>>(), ["y", "z"]);
    }

    #[test]
    fn a_model_has_one_name_whatever_day_its_provider_appends() {
        for dated in ["m-5", "m-5-20261020", "m-5-2026-10-20"] {
            assert_eq!(undated(dated, "m-5"), "m-5");
        }
        for other in ["m-5-mini", "m-5-2026", "m-6", "m-5x20261020", ""] {
            assert_eq!(undated(other, "m-5"), other);
        }
    }
}
