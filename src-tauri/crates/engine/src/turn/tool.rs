//! Tools as a turn offers them.

use std::collections::HashMap;
use std::sync::Arc;

use jsonschema::Validator;
use llm::ToolCall;
use serde_json::Value;
use tools::{Tool, ToolInfo};

use super::host::Kit;

/// The most faults of a call's arguments that are told.
const FAULTS: usize = 5;

/// A tool with its schema compiled.
pub(super) struct Offered {
    pub(super) tool: Arc<dyn Tool>,
    /// Absent where the schema itself can't be read: the tool then judges its arguments itself.
    validator: Option<Validator>,
}

impl Offered {
    /// All of a kit's tools by their names for the model.
    pub(super) fn all(kit: &Kit) -> HashMap<String, Arc<Self>> {
        let offered = kit.tools.iter().map(|tool| {
            let validator = jsonschema::validator_for(&tool.info().parameters).ok();
            (tool.info().name.clone(), Arc::new(Self { tool: tool.clone(), validator }))
        });
        offered.collect()
    }

    pub(super) fn info(&self) -> &ToolInfo {
        self.tool.info()
    }

    /// What is wrong with a call's arguments.
    pub(super) fn faults(&self, call: &ToolCall) -> Option<String> {
        let arguments = match (&call.arguments, &call.raw) {
            (Value::Object(_), _) => call.arguments.clone(),
            (Value::Null, None) => Value::Object(serde_json::Map::new()),
            (_, Some(raw)) => {
                let shown: String = raw.chars().take(300).collect();
                return Some(format!("the arguments are no JSON object: {shown}"));
            }
            (other, None) => return Some(format!("the arguments are no object but {}", kind(other))),
        };
        let validator = self.validator.as_ref()?;
        let faults: Vec<String> = validator
            .iter_errors(&arguments)
            .take(FAULTS)
            .map(|fault| match fault.instance_path().to_string() {
                at if at.is_empty() => fault.to_string(),
                at => format!("{at}: {fault}"),
            })
            .collect();
        (!faults.is_empty()).then(|| faults.join("; "))
    }

    /// Whether it may run beside others.
    pub(super) fn only_reads(&self) -> bool {
        let info = self.info();
        info.trusted && info.hints.read_only == Some(true)
    }

    /// Whether running it twice does no harm.
    pub(super) fn repeatable(&self) -> bool {
        let info = self.info();
        info.trusted && (info.hints.read_only == Some(true) || info.hints.idempotent == Some(true))
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
