//! Reading inputs, with the place of what is refused.

use serde_json::Value;

use super::{Input, refused};
use crate::fault::Fault;

/// Reads an input.
pub(super) fn read<I: Input>(input: &Value) -> Result<I, Fault> {
    let problem = match I::deserialize(input) {
        Ok(read) => return Ok(read),
        Err(problem) => problem,
    };
    // Only text has lines: the line of the problem in the written form leads to its place in the value.
    let written = serde_json::to_string_pretty(input).unwrap_or_default();
    let Err(in_text) = serde_json::from_str::<I>(&written) else { return Err(refused("", problem)) };
    let mut line = 1;
    let place = path(input, String::new(), in_text.line(), &mut line).unwrap_or_default();
    Err(refused(&place, problem))
}

/// The path of the value that begins or ends at a line of the written form.
fn path(value: &Value, here: String, wanted: usize, line: &mut usize) -> Option<String> {
    if *line == wanted {
        return Some(here);
    }
    let members: Vec<(String, &Value)> = match value {
        Value::Array(items) => {
            items.iter().enumerate().map(|(at, item)| (format!("{here}[{at}]"), item)).collect()
        }
        Value::Object(fields) => {
            let dot = if here.is_empty() { "" } else { "." };
            fields.iter().map(|(name, field)| (format!("{here}{dot}{name}"), field)).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
    };
    if members.is_empty() {
        return None;
    }
    for (name, member) in members {
        *line += 1;
        if let Some(found) = path(member, name, wanted, line) {
            return Some(found);
        }
    }
    *line += 1;
    (*line == wanted).then_some(here)
}
