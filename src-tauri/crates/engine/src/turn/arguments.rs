//! What a model gives a tool, read by the schema that it was shown: in one place, so that what is judged, shown and run is
//! the same.

use llm::ToolCall;
use serde_json::{Map, Value};
use tool_arguments::{Naming, ReadArguments};

use super::pinned::Pinned;

/// A call's arguments as an object, as its tool has them.
pub(super) fn arguments(call: Option<ToolCall>, pinned: &Pinned) -> Value {
    let Some(call) = call else { return Value::Object(Map::new()) };
    let tool = pinned.meant(&call.name).and_then(|name| pinned.tool(name));
    let read = tool.map(|tool| read_call(&tool.spec.parameters, &tool.source, &call).value);
    read.or(Some(call.arguments)).filter(Value::is_object).unwrap_or_else(|| Value::Object(Map::new()))
}

/// A call's arguments by the schema of its tool. Other programs' names are taken by what is built in: what a source means by
/// its own is not known.
pub(super) fn read_call(parameters: &Value, source: &str, call: &ToolCall) -> ReadArguments {
    let given = match (&call.arguments, &call.raw) {
        (Value::Null, Some(raw)) => Value::String(raw.clone()),
        (given, _) => given.clone(),
    };
    tool_arguments::read(parameters, naming(source), given)
}

/// Whose names the arguments of a source's tools have.
pub(crate) fn naming(source: &str) -> Naming {
    if source.is_empty() { Naming::Ours } else { Naming::Foreign }
}
