//! What a model gives a tool: names that other programs use for the same thing are taken, and what does not fit is told
//! with what would.

use std::fmt::Write as _;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use llm::ToolCall;
use serde_json::{Map, Value};

use super::pinned::Pinned;

/// The most faults of a call's arguments that are told.
const MAX_FAULTS: usize = 5;
/// The most arguments of a tool that are listed.
const MAX_LISTED: usize = 40;

/// Names that other programs' tools have for exactly what a tool here means by the second one. No name is here that
/// may mean another unit or another form.
const ALIASES: [(&str, &str); 13] = [
    ("file_path", "path"),
    ("filepath", "path"),
    ("absolute_path", "path"),
    ("old_string", "old"),
    ("old_str", "old"),
    ("old_text", "old"),
    ("new_string", "new"),
    ("new_str", "new"),
    ("new_text", "new"),
    ("replace_all", "all"),
    ("contents", "content"),
    ("cmd", "command"),
    ("run_in_background", "background"),
];

/// A call's arguments as an object, under the names that its tool has for them.
pub(super) fn arguments(call: Option<ToolCall>, pinned: &Pinned) -> Value {
    match call {
        Some(ToolCall { name, arguments: arguments @ Value::Object(_), .. }) => match pinned.tool(&name) {
            Some(tool) => canonical(&tool.spec.parameters, &tool.source, arguments),
            None => arguments,
        },
        _ => Value::Object(Map::new()),
    }
}

/// Arguments under the names of the schema. Only tools that are built in take other names: what a source means by its
/// own is not known.
pub(super) fn canonical(parameters: &Value, source: &str, mut arguments: Value) -> Value {
    if source.is_empty() {
        rename(parameters, &mut arguments);
    }
    arguments
}

fn rename(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(given) => {
            let Some(properties) = schema["properties"].as_object() else { return };
            for (alias, name) in ALIASES {
                let fits = properties.contains_key(name) && !properties.contains_key(alias);
                if fits
                    && !given.contains_key(name)
                    && let Some(value) = given.remove(alias)
                {
                    given.insert(name.to_owned(), value);
                }
            }
            for (name, value) in given {
                if let Some(schema) = properties.get(name) {
                    rename(schema, value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(&schema["items"], item)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What is wrong with a call's arguments, and which ones there are.
pub(super) fn faults(
    validator: Option<&Validator>,
    parameters: &Value,
    source: &str,
    call: &ToolCall,
) -> Option<String> {
    let arguments = match (&call.arguments, &call.raw) {
        (Value::Object(_), _) => canonical(parameters, source, call.arguments.clone()),
        (Value::Null, None) => Value::Object(Map::new()),
        (_, Some(raw)) => {
            let shown: String = raw.chars().take(300).collect();
            return Some(format!("the arguments are no JSON object: {shown}"));
        }
        (other, None) => return Some(format!("the arguments are no object but {}", kind(other))),
    };
    let mut told: Vec<String> = Vec::new();
    let mut about: Option<&Value> = None;
    for fault in validator?.iter_errors(&arguments).take(MAX_FAULTS) {
        let (words, names) = in_words(&fault, parameters);
        told.push(words);
        about = about.or(names);
    }
    if told.is_empty() {
        return None;
    }
    let mut words = told.join("; ");
    if let Some(list) = about.map(list).filter(|list| !list.is_empty()) {
        let _ = write!(words, ". {list}");
    }
    Some(words)
}

/// A fault in words, and the schema of the object whose names it is about.
fn in_words<'a>(fault: &ValidationError<'_>, parameters: &'a Value) -> (String, Option<&'a Value>) {
    let path = fault.instance_path().to_string();
    let at = if path.is_empty() { String::new() } else { format!("{path}: ") };
    let schema = schema_at(parameters, &path);
    let properties = schema.and_then(|schema| schema["properties"].as_object());
    match (fault.kind(), properties) {
        (ValidationErrorKind::AdditionalProperties { unexpected }, Some(properties)) => {
            let unknown: Vec<String> = unexpected
                .iter()
                .map(|name| {
                    let name = name.chars().take(80).collect::<String>();
                    match meant(&name, properties) {
                        Some(meant) => format!("there is no argument `{name}`, but `{meant}`"),
                        None => format!("there is no argument `{name}`"),
                    }
                })
                .collect();
            (format!("{at}{}", unknown.join("; ")), schema)
        }
        (ValidationErrorKind::Required { property }, Some(_)) => {
            (format!("{at}`{}` is missing", property.as_str().unwrap_or_default()), schema)
        }
        _ => (format!("{at}{fault}"), None),
    }
}

/// The name that was probably meant.
fn meant<'a>(name: &str, properties: &'a Map<String, Value>) -> Option<&'a str> {
    let other =
        ALIASES.iter().find(|(alias, name_here)| *alias == name && properties.contains_key(*name_here));
    if let Some((_, name)) = other {
        return properties.get_key_value(*name).map(|(name, _)| name.as_str());
    }
    tools::closest(name, properties.keys().map(String::as_str), 1).first().copied()
}

/// The schema of what stands at a place of the arguments.
fn schema_at<'a>(parameters: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('/').filter(|part| !part.is_empty()).try_fold(parameters, |schema, part| {
        match schema["properties"].get(part) {
            Some(schema) => Some(schema),
            None => part.parse::<usize>().ok().and_then(|_| schema.get("items")),
        }
    })
}

/// The arguments that there are: name, type, whether each is required.
fn list(schema: &Value) -> String {
    let Some(properties) = schema["properties"].as_object() else { return String::new() };
    if properties.is_empty() {
        return "It takes no arguments.".to_owned();
    }
    let required = |name: &str| {
        schema["required"].as_array().is_some_and(|names| names.iter().any(|other| other == name))
    };
    let mut names: Vec<(bool, String)> = properties
        .iter()
        .map(|(name, schema)| {
            let needed = required(name);
            let word = if needed { ", required" } else { "" };
            (!needed, format!("{name} ({}{word})", type_of(schema)))
        })
        .collect();
    // What is required first; the rest as the schema has it.
    names.sort_by_key(|(optional, _)| *optional);
    let more = names.len().saturating_sub(MAX_LISTED);
    let names: Vec<String> = names.into_iter().take(MAX_LISTED).map(|(_, words)| words).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("The arguments are: {}{more}.", names.join(", "))
}

fn type_of(schema: &Value) -> String {
    match &schema["type"] {
        Value::String(one) => one.clone(),
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ if schema["enum"].is_array() => "one of its words".to_owned(),
        _ => match schema["anyOf"].as_array() {
            Some(several) => several.iter().map(type_of).collect::<Vec<_>>().join(" or "),
            None => "any value".to_owned(),
        },
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

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    fn edit() -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "old": {"type": "string"},
                "new": {"type": "string"},
                "all": {"type": "boolean"},
                "edits": {"type": "array", "items": {
                    "type": "object",
                    "properties": {"old": {"type": "string"}, "new": {"type": "string"}},
                    "required": ["old", "new"],
                    "additionalProperties": false,
                }},
            },
            "required": ["path"],
            "additionalProperties": false,
        })
    }

    fn first_fault(parameters: &Value, source: &str, arguments: Value) -> Option<String> {
        let validator = jsonschema::validator_for(parameters).unwrap();
        let call =
            ToolCall { id: "c".into(), name: "t".into(), arguments, raw: None, signature: None, cut: false };
        faults(Some(&validator), parameters, source, &call)
    }

    #[test]
    fn other_names_for_the_same_are_taken_by_tools_that_are_built_in() {
        let given = json!({"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}]});
        assert_eq!(first_fault(&edit(), "", given.clone()), None);
        let expected = json!({"path": "a", "edits": [{"old": "x", "new": "y"}]});
        assert_eq!(canonical(&edit(), "", given.clone()), expected);
        assert_eq!(canonical(&edit(), "foreign", given.clone()), given);
        assert!(first_fault(&edit(), "foreign", given).is_some());
    }

    #[test]
    fn two_names_for_one_argument_are_not_guessed_about() {
        let given = json!({"path": "a", "file_path": "b"});
        assert_eq!(canonical(&edit(), "", given.clone()), given);
        let told = first_fault(&edit(), "", given).unwrap();
        assert!(told.starts_with("there is no argument `file_path`, but `path`."), "{told}");
    }

    #[test]
    fn an_unknown_argument_is_told_with_those_that_there_are() {
        let shell = json!({
            "type": "object",
            "properties": {
                "background": {"type": "boolean"},
                "command": {"type": "string"},
                "timeout_seconds": {"type": "integer"},
            },
            "required": ["command"],
            "additionalProperties": false,
        });
        // Another program counts milliseconds: what is meant is said, and not done.
        assert_eq!(
            first_fault(&shell, "", json!({"command": "x", "timeout": 5000})).unwrap(),
            "there is no argument `timeout`, but `timeout_seconds`. The arguments are: command (string, required), \
             background (boolean), timeout_seconds (integer)."
        );
        assert_eq!(
            first_fault(&shell, "", json!({})).unwrap(),
            "`command` is missing. The arguments are: command (string, required), background (boolean), \
             timeout_seconds (integer)."
        );
    }

    #[test]
    fn a_fault_inside_of_a_list_names_its_place_and_what_stands_there() {
        let given = json!({"path": "a", "edits": [{"old": "x", "new": "y", "every": true}]});
        assert_eq!(
            first_fault(&edit(), "", given).unwrap(),
            "/edits/0: there is no argument `every`. The arguments are: old (string, required), new (string, required)."
        );
        let wrong = first_fault(&edit(), "", json!({"path": 3})).unwrap();
        assert!(wrong.starts_with("/path: 3 is not of type"), "{wrong}");
    }
}
