//! What is made of a model's answer: a value that fits its stage's schema, something to correct, or nothing. Nothing but
//! the state, what the run pins and the answer counts, so that it comes out the same whenever the log is read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::{ErrorCode, Problem, StageId};
use jsonschema::Validator;
use llm::{Fault, ModelAnswer, StopReason};
use pipeline::CallKey;
use serde_json::Value;

use crate::run::evaluate::{Evaluation, stage_of};

/// Faults of an output that are told.
const FAULTS: usize = 3;
/// Characters of an answer that are told.
const MAX_QUOTED_CHARS: usize = 400;
/// The most names of fields left out that are kept.
const MAX_NAMED: usize = 20;

/// What an answer is.
pub(crate) enum Verdict {
    /// It satisfies the stage's schema.
    Valid { value: Value, left_out: Vec<String> },
    /// It does not; the model may correct it.
    Invalid { text: String, errors: Vec<String> },
    /// No correction by the model could help.
    Declined(Problem),
}

/// Compiled schemas, by stage and whether it mends an attempt before it.
#[derive(Default)]
pub(crate) struct Validators(BTreeMap<(StageId, bool), Option<Arc<Validator>>>);

impl Validators {
    /// That of a stage as it stands; `None` where it has no schema.
    fn for_stage(
        &mut self,
        evaluation: &Evaluation<'_>,
        stage: &StageId,
    ) -> Result<Option<Arc<Validator>>, Problem> {
        let Some(config) = evaluation.pinned.stage(stage) else { return Ok(None) };
        let of = (stage.clone(), evaluation.is_repair(config));
        if let Some(known) = self.0.get(&of) {
            return Ok(known.clone());
        }
        let validator = match evaluation.schema(config) {
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
        self.0.insert(of, validator.clone());
        Ok(validator)
    }
}

impl Evaluation<'_> {
    /// What an answer to a call's request is.
    pub(crate) fn verdict_of(
        &self,
        validators: &mut Validators,
        key: &CallKey,
        answer: &ModelAnswer,
    ) -> Result<Verdict, Problem> {
        let whole = self.whole(key, answer)?;
        let (stage, answer) = (&key.stage, &*whole);
        if let Some(problem) = self.declined(answer) {
            return Ok(Verdict::Declined(problem));
        }
        let Some(validator) = validators.for_stage(self, stage)? else {
            if answer.stop == StopReason::Other && self.pinned.reading > 2 {
                let why = answer.stop_detail.as_deref().unwrap_or("it names none");
                let what = format!("the provider ended the answer for a reason that is not known ({why})");
                let problem = Problem::new(ErrorCode::InvalidAnswer, what);
                return Ok(Verdict::Declined(problem.with_action("retry the run, or choose another model")));
            }
            return Ok(Verdict::Valid { value: Value::String(answer.text.clone()), left_out: Vec::new() });
        };
        let error = match llm::extract(&answer.text, Some(&validator)) {
            Ok(extraction) => {
                return Ok(Verdict::Valid { value: extraction.value, left_out: Vec::new() });
            }
            Err(_) if answer.stop == StopReason::ContextWindow => {
                let what = "the answer was cut: the request and what there is of the answer fill the model's context window";
                return Ok(Verdict::Declined(self.failure(Fault::ContextTooLong, what)));
            }
            Err(error) => error,
        };
        if let llm::ExtractError::Invalid { value, .. } = &error
            && let Some((value, left_out)) = self.fitting(stage, &validator, value)?
        {
            return Ok(Verdict::Valid { value, left_out });
        }
        if answer.stop != StopReason::MaxTokens
            && let Some((value, left_out)) = self.reshaped(stage, &validator, &answer.text)?
        {
            return Ok(Verdict::Valid { value, left_out });
        }
        if self.pinned.reading > 2
            && answer.stop != StopReason::MaxTokens
            && matches!(error, llm::ExtractError::NoJson { .. })
            && let Some(schema) = self.schema(stage_of(self.pinned, stage)?)
            && let Some(value) = llm::extract::prose(&answer.text, schema)
            && validator.is_valid(&value)
        {
            return Ok(Verdict::Valid { value, left_out: Vec::new() });
        }
        let mut errors = match error {
            llm::ExtractError::Invalid { faults, .. } => faults.iter().map(ToString::to_string).collect(),
            // What it says instead is often why: many a refusal comes as an answer.
            llm::ExtractError::NoJson { .. }
                if self.pinned.reading > 2 && !answer.text.contains(['{', '[']) =>
            {
                let words = first_words(&answer.text);
                vec![format!(
                    "the answer is prose and holds no complete JSON object or array; it says: \u{201c}{words}\u{201d}"
                )]
            }
            other @ llm::ExtractError::NoJson { .. } if self.pinned.reading > 0 => {
                vec![format!("{other}; it says: \u{201c}{}\u{201d}", first_words(&answer.text))]
            }
            other @ (llm::ExtractError::Empty | llm::ExtractError::NoJson { .. }) => vec![other.to_string()],
        };
        if answer.stop == StopReason::MaxTokens {
            // What the rest of it lacks says nothing: it is not the answer.
            errors = vec![
                "the answer was cut at the output limit before it was complete: give a shorter one"
                    .to_owned(),
            ];
        }
        Ok(Verdict::Invalid { text: answer.text.clone(), errors })
    }

    /// What an output that does not fit its stage's schema is told as.
    pub(crate) fn unfit(
        &self,
        validators: &mut Validators,
        stage: &StageId,
        output: &Value,
    ) -> Result<Option<Problem>, Problem> {
        let Some(validator) = validators.for_stage(self, stage)? else { return Ok(None) };
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

    /// The value without fields that its schema does not know, and their names, where nothing else is wrong with it:
    /// another paid request would bring the same answer.
    fn fitting(
        &self,
        stage: &StageId,
        validator: &Validator,
        value: &Value,
    ) -> Result<Option<(Value, Vec<String>)>, Problem> {
        let Some(schema) = self.schema(stage_of(self.pinned, stage)?) else { return Ok(None) };
        let mut left_out = BTreeSet::new();
        let fitting = without_extras(value, schema, &mut left_out);
        let names = left_out.into_iter().take(MAX_NAMED).map(|name| name.chars().take(80).collect());
        Ok(validator.is_valid(&fitting).then(|| (fitting, names.collect())))
    }

    /// The value where it only has another shape than its schema, and the names of what its schema does not know.
    fn reshaped(
        &self,
        stage: &StageId,
        validator: &Validator,
        text: &str,
    ) -> Result<Option<(Value, Vec<String>)>, Problem> {
        if self.pinned.reading == 0 {
            return Ok(None);
        }
        let Some(schema) = self.schema(stage_of(self.pinned, stage)?) else { return Ok(None) };
        match llm::extract::outermost(text) {
            Some(value) => self.fitting(stage, validator, &llm::extract::reshape(&value, schema)),
            None => Ok(None),
        }
    }

    /// Why an answer is none, whatever its text says.
    fn declined(&self, answer: &ModelAnswer) -> Option<Problem> {
        match answer.stop {
            StopReason::Refusal => {
                // In its own words where it gives some.
                let words = first_words(&answer.text);
                let detail = answer.stop_detail.clone().filter(|detail| !detail.is_empty());
                let why = match (detail, words.is_empty()) {
                    (Some(detail), true) => format!(": {detail}"),
                    (Some(detail), false) => format!(" ({detail}): \u{201c}{words}\u{201d}"),
                    (None, false) => format!(": \u{201c}{words}\u{201d}"),
                    (None, true) => String::new(),
                };
                let what = format!("the model declined to answer{why}");
                let code = refusal_code(self.pinned.reading);
                Some(Problem { code, ..self.failure(Fault::Refused, &what) })
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
            StopReason::EndTurn
            | StopReason::MaxTokens
            | StopReason::ContextWindow
            | StopReason::StopSequence
            | StopReason::Other => None,
        }
    }

    fn failure(&self, fault: Fault, what: &str) -> Problem {
        llm::ProviderError::new(&self.pinned.model_info.provider, fault, what).problem()
    }
}

/// What a refusal is by the way in which a run reads answers. Another connection is not needed for it: the model answered, and
/// gave no answer. Runs of earlier versions have it in their logs as a failure of the provider.
const fn refusal_code(reading: u32) -> ErrorCode {
    if reading == 0 { ErrorCode::Provider } else { ErrorCode::InvalidAnswer }
}

/// The beginning of an answer, in one line.
fn first_words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_QUOTED_CHARS).collect()
}

/// Whether an answer reached its output limit, as far as that can be told.
pub(crate) fn is_truncated(answer: &ModelAnswer, max_output: u64) -> bool {
    let cut = matches!(answer.stop, StopReason::MaxTokens | StopReason::ContextWindow);
    cut || llm::likely_truncated(&answer.usage, max_output)
}

/// Why an answer ended, as the log says it.
pub(crate) fn word(stop: StopReason) -> String {
    serde_json::to_value(stop).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

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

/// What of a value does not satisfy a schema; nothing where it does, or where the schema can't be read.
pub(crate) fn schema_faults(schema: &Value, value: &Value) -> Option<String> {
    let faults = llm::extract::faults(&jsonschema::validator_for(schema).ok()?, value);
    let shown = |fault: &llm::extract::SchemaFault| match fault.path.as_str() {
        "" => fault.message.clone(),
        path => format!("{path}: {}", fault.message),
    };
    let list: Vec<String> = faults.iter().map(shown).collect();
    (!list.is_empty()).then(|| list.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_in_an_earlier_log_stays_a_failure_of_the_provider() {
        let recorded = llm::ProviderError::new("test", Fault::Refused, "no").problem();
        assert_eq!(refusal_code(0), recorded.code);
        assert_eq!(refusal_code(1), ErrorCode::InvalidAnswer);
    }

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
}
