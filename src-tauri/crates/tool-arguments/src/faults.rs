//! What is wrong with arguments, told with what would fit.

use std::fmt::Write as _;

use file_text::closest;
use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Value};

use crate::names::ALIASES;
use crate::schema::Schema;

/// The most faults of a call's arguments that are told.
const MAX_FAULTS: usize = 5;
/// The most arguments of a tool that are listed.
const MAX_LISTED: usize = 40;
/// The most characters of arguments that can't be read.
const MAX_RAW_CHARS: usize = 300;

/// What is wrong with the arguments of a call, which were read before ([`crate::read`]), and which ones there are. `raw` is
/// what the model wrote where that is no JSON.
pub fn faults(
    validator: Option<&Validator>,
    parameters: &Value,
    arguments: &Value,
    raw: Option<&str>,
) -> Option<String> {
    match (arguments, raw) {
        (Value::Object(_), _) => argument_fault(validator?, parameters, arguments),
        (_, Some(raw)) => {
            let shown: String = raw.chars().take(MAX_RAW_CHARS).collect();
            Some(format!("the arguments are no JSON object: {shown}"))
        }
        (other, None) => Some(format!("the arguments are no object but {}", kind(other))),
    }
}

/// The same for arguments that are an object.
pub fn argument_fault(validator: &Validator, parameters: &Value, arguments: &Value) -> Option<String> {
    let mut told: Vec<String> = Vec::new();
    let mut about: Option<&Value> = None;
    for fault in validator.iter_errors(arguments).take(MAX_FAULTS) {
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
    closest(name, properties.keys().map(String::as_str), 1).first().copied()
}

/// The schema of what stands at a place of the arguments.
fn schema_at<'a>(parameters: &'a Value, path: &str) -> Option<&'a Value> {
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    let found = parts.try_fold(Schema::new(parameters), |schema, part| {
        let item = || {
            part.parse::<usize>().ok()?;
            Some(schema.at(schema.here.get("items")?))
        };
        schema.property(part).or_else(item)
    });
    found.map(|schema| schema.here)
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
