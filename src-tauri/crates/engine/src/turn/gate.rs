//! `stage_gate`: how the model of a stage says that the stage has what it is there for, or that it needs the person.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::{CallEffect, Hints, Preview};
use jsonschema::Validator;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_arguments::Naming;
use tools::{CallContext, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};

use super::text::line_of;

/// The tool's name for the model.
pub(crate) const NAME: &str = "stage_gate";

/// What stands for the result of a call that closed its stage.
const CLOSED: &str = "The stage is closed. Its result stands in the call.";

/// The most faults of the data that are told.
const MAX_FAULTS: usize = 10;
/// The most bytes of the data: it is kept whole.
const MAX_DATA_BYTES: usize = 4 << 20;

/// What a call says. Written as the call's result, it is what the turn hands over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GateReport {
    /// Whether the stage is done.
    pub(super) complete: bool,
    /// What it gives.
    #[serde(default)]
    pub(super) data: Value,
    /// Why, or what the person is asked.
    #[serde(default)]
    pub(super) reason: String,
}

/// The tool.
pub(super) struct Gate {
    info: ToolInfo,
    validator: Option<Validator>,
    schema: Option<Value>,
    /// What else is wrong with the data; it is told once, and then taken as it is.
    check: Option<Check>,
    told: AtomicBool,
}

/// What is wrong with a stage's result, besides its schema.
pub(super) type Check = fn(&Value) -> Vec<String>;

impl Gate {
    /// For a stage in a conversation that stages share: it looks the same in each of them, and what the stage's output has to
    /// satisfy is said in the stage's message.
    pub(super) fn shared(schema: Option<&Value>, check: Option<Check>) -> Self {
        let mut gate = Self::new(None);
        gate.info.description.push_str(
            " What `data` has to satisfy is said where the stage begins; it is checked, and what is wrong with it is told.",
        );
        gate.validator = schema.and_then(|schema| jsonschema::validator_for(schema).ok());
        gate.schema = schema.cloned();
        gate.check = check;
        gate
    }

    /// For a stage whose output has to satisfy a schema, where it has one.
    pub(super) fn new(schema: Option<&Value>) -> Self {
        let mut data = json!({ "description": "What the stage gives. Needed with complete = true." });
        let mut parameters = json!({
            "type": "object",
            "properties": {
                "complete": {
                    "type": "boolean",
                    "description": "true: the stage is done and `data` holds its whole result. false: you need the person.",
                },
                "reason": {
                    "type": "string",
                    "description": "With complete = false: what the person is asked or told, in full. Else a word on the result.",
                },
            },
            "required": ["complete"],
            "additionalProperties": false,
        });
        let mut description = "Ends your work on this stage. Call it with complete = true and the stage's result in `data` as soon as you \
             have it; the run then goes on by itself. Call it with complete = false and a reason when only the person can \
             help you on."
            .to_owned();
        if let Some(schema) = schema {
            match portable(schema) {
                Some((shape, definitions)) => {
                    data = shape;
                    if let Some((name, definitions)) = definitions {
                        parameters[name] = definitions;
                    }
                }
                None => description.push_str(&format!(" `data` has to satisfy this JSON Schema: {schema}")),
            }
        }
        parameters["properties"]["data"] = data;
        let info = ToolInfo {
            name: NAME.to_owned(),
            source: String::new(),
            tool: NAME.to_owned(),
            title: "Close the stage".to_owned(),
            description,
            parameters,
            hints: Hints {
                read_only: Some(true),
                destructive: Some(false),
                idempotent: Some(true),
                open_world: Some(false),
            },
            trusted: true,
            deadline: Duration::from_secs(30),
        };
        Self {
            info,
            validator: schema.and_then(|schema| jsonschema::validator_for(schema).ok()),
            schema: schema.cloned(),
            check: None,
            told: AtomicBool::new(false),
        }
    }

    fn parse_report(&self, arguments: &Value) -> Result<GateReport, ToolError> {
        let wrong = |what: String| {
            ToolError::new(Kind::Arguments, what).with_guidance("Mend that and call it again.".to_owned())
        };
        let mut said = GateReport::deserialize(arguments)
            .map_err(|error| wrong(format!("the arguments do not fit: {error}")))?;
        if !said.complete {
            return Ok(said);
        }
        if let Some(schema) = self.schema.as_ref().filter(|_| !said.data.is_null()) {
            said.data = tool_arguments::read(schema, Naming::Foreign, said.data).value;
        }
        if said.data.is_null() && self.validator.is_some() {
            return Err(wrong(
                "/data: is missing; with complete = true it holds the stage's result".to_owned(),
            ));
        }
        if said.data.to_string().len() > MAX_DATA_BYTES {
            return Err(ToolError::new(Kind::TooLarge, format!("/data: larger than {MAX_DATA_BYTES} bytes")));
        }
        let faults = self.validator.iter().flat_map(|validator| validator.iter_errors(&said.data));
        let faults: Vec<String> = faults
            .take(MAX_FAULTS)
            .map(|fault| {
                let what: String = fault.to_string().chars().take(300).collect();
                format!("/data{}: {what}", fault.instance_path())
            })
            .collect();
        if faults.is_empty() {
            Ok(said)
        } else {
            Err(wrong(format!("the data does not satisfy the stage's schema: {}", faults.join("; "))))
        }
    }
}

/// What a closed stage's call gave, as a later stage of the conversation reads it: its result stands in the call already.
pub(super) fn recalled(tool: &str, result: &[u8]) -> Option<Vec<u8>> {
    if tool != NAME {
        return None;
    }
    let report: GateReport = serde_json::from_slice(result).ok()?;
    report.complete.then(|| CLOSED.as_bytes().to_vec())
}

/// A schema as it can stand below `properties/data`, with the definitions that then have to stand at the top. None where its
/// references would lead elsewhere.
fn portable(schema: &Value) -> Option<(Value, Option<(&'static str, Value)>)> {
    let text = schema.to_string();
    if ["\"$id\"", "\"$anchor\"", "\"$dynamicRef\""].iter().any(|word| text.contains(word)) {
        return None;
    }
    let mut shape = schema.as_object()?.clone();
    shape.remove("$schema");
    let name = ["$defs", "definitions"].into_iter().find(|name| shape.contains_key(*name));
    let definitions = name.and_then(|name| Some((name, shape.remove(name)?)));
    let home = name.map(|name| format!("#/{name}/"));
    let leads_home = |target: &str| home.as_ref().is_some_and(|home| target.starts_with(home.as_str()));
    references(schema).into_iter().all(leads_home).then_some((Value::Object(shape), definitions))
}

fn references(value: &Value) -> Vec<&str> {
    match value {
        Value::Object(map) => {
            let own = map.get("$ref").and_then(Value::as_str);
            own.into_iter().chain(map.values().flat_map(references)).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

#[async_trait]
impl Tool for Gate {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, arguments: &Value, _: &CallContext) -> Result<PlannedOperation, ToolError> {
        let said = self.parse_report(arguments)?;
        let faults = self.check.filter(|_| said.complete).map(|check| check(&said.data)).unwrap_or_default();
        if !faults.is_empty() && !self.told.swap(true, Ordering::Relaxed) {
            return Err(ToolError::new(Kind::Arguments, format!("/data: {}", faults.join("; ")))
                .with_guidance("Mend that and call it once more.".to_owned()));
        }
        let intent = if said.complete { "Close the stage" } else { "Ask you" };
        Ok(PlannedOperation { effect: CallEffect::Inner, intent: intent.to_owned(), preview: Preview::None })
    }

    async fn run(&self, arguments: &Value, _: &CallContext, _: Run) -> Result<Outcome, ToolError> {
        let said = self.parse_report(arguments)?;
        let summary = match (said.complete, line_of(&said.reason, 200)) {
            (true, reason) if reason.is_empty() => "done".to_owned(),
            (false, reason) if reason.is_empty() => "waits for you".to_owned(),
            (_, reason) => reason,
        };
        let text = serde_json::to_string(&said)
            .map_err(|error| ToolError::new(Kind::Failed, format!("the result can't be kept: {error}")))?;
        Ok(Outcome { ends: true, ..Outcome::text(text, summary) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(schema: Value) -> Gate {
        Gate::new(Some(&schema))
    }

    fn plan() -> Value {
        json!({"type": "object", "properties": {"steps": {"type": "array", "minItems": 1, "items": {"type": "string"}}}, "required": ["steps"]})
    }

    #[test]
    fn data_that_does_not_fit_is_told_with_its_places() {
        let error =
            gate(plan()).parse_report(&json!({"complete": true, "data": {"steps": ["a", {}]}})).unwrap_err();
        assert_eq!(error.kind, Kind::Arguments);
        assert!(error.message.contains("/data/steps/1"), "{}", error.message);
        let error = gate(plan()).parse_report(&json!({"complete": true})).unwrap_err();
        assert!(error.message.contains("/data"), "{}", error.message);
        assert!(gate(plan()).parse_report(&json!({"complete": true, "data": {"steps": ["a"]}})).is_ok());
    }

    #[test]
    fn unfinished_work_needs_no_data_and_hostile_arguments_are_refused() {
        assert!(gate(plan()).parse_report(&json!({"complete": false, "reason": "which?"})).is_ok());
        for hostile in [
            json!(null),
            json!([]),
            json!({}),
            json!({"complete": "yes"}),
            json!({"complete": true, "more": 1}),
        ] {
            assert!(gate(plan()).parse_report(&hostile).is_err(), "{hostile}");
        }
        let huge = json!({"complete": true, "data": {"steps": ["x".repeat(5 << 20)]}});
        assert_eq!(gate(plan()).parse_report(&huge).unwrap_err().kind, Kind::TooLarge);
    }

    #[test]
    fn the_schema_stands_in_the_parameters_where_its_references_still_lead_home() {
        let shape = |schema: Value| Gate::new(Some(&schema)).info.parameters["properties"]["data"].clone();
        assert_eq!(shape(plan()), plan());
        let with = json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}});
        assert_eq!(shape(with.clone()), json!({"$ref": "#/$defs/a"}));
        assert_eq!(gate(with).info.parameters["$defs"], json!({"a": {"type": "object"}}));
        let inner = gate(json!({"properties": {"a": {"$ref": "#/properties/b"}, "b": {"type": "string"}}}));
        assert!(inner.info.parameters["properties"]["data"].get("properties").is_none());
        assert!(inner.info.description.contains("#/properties/b"));
    }
}
