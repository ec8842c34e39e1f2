//! What a JSON Schema wanted, in words.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use super::{Quote, child};
use crate::problem::{ConfigProblem, MAX_PROBLEMS};
use crate::schemas::CompiledSchema;

/// Everything that a value's schema objects to, sorted by place.
pub(crate) fn check(file: &str, value: &Value, schema: &CompiledSchema, quote: Quote) -> Vec<ConfigProblem> {
    let mut found = SchemaProblems { file, root: value, schema: &schema.schema, quote, problems: Vec::new() };
    for error in schema.validator.iter().flat_map(|validator| validator.iter_errors(value)).take(MAX_PROBLEMS)
    {
        found.add(&error);
    }
    found.problems.sort();
    found.problems.dedup();
    found.problems
}

struct SchemaProblems<'a> {
    file: &'a str,
    root: &'a Value,
    schema: &'a Value,
    quote: Quote,
    problems: Vec<ConfigProblem>,
}

impl SchemaProblems<'_> {
    fn add(&mut self, error: &ValidationError<'_>) {
        let at = error.instance_path().as_str().to_owned();
        let instance = self.root.pointer(&at).unwrap_or(&Value::Null);
        // The schema that the failing keyword belongs to.
        let keyword = error.schema_path().as_str();
        let holder = keyword.rsplit_once('/').and_then(|(holder, _)| self.schema.pointer(holder));
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                let known: Vec<&str> = holder
                    .and_then(|schema| schema["properties"].as_object())
                    .map(|fields| fields.keys().map(String::as_str).collect())
                    .unwrap_or_default();
                for name in unexpected.iter().take(MAX_PROBLEMS) {
                    self.problems.push(
                        ConfigProblem::new(
                            self.file,
                            child(&at, name),
                            format!("one of the fields {}", known.join(", ")),
                            format!("the unknown field `{}`", short(name)),
                        )
                        .meaning(name, known.iter().copied()),
                    );
                }
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let what = holder
                    .and_then(|schema| schema["properties"].get(name))
                    .map(|schema| format!(" ({})", self.expectation(schema, 0)))
                    .unwrap_or_default();
                self.problems.push(ConfigProblem::new(
                    self.file,
                    at,
                    format!("the field `{name}`{what}"),
                    "no such field",
                ));
            }
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                // A branch that got further than the value's type is the one that was meant.
                let meant = context.iter().find(|branch| {
                    !branch.is_empty()
                        && branch.iter().all(|error| {
                            error.instance_path().as_str() != at
                                || !matches!(
                                    error.kind(),
                                    ValidationErrorKind::Type { .. }
                                        | ValidationErrorKind::Constant { .. }
                                        | ValidationErrorKind::Enum { .. }
                                )
                        })
                });
                match meant {
                    Some(branch) => branch.iter().for_each(|error| self.add(error)),
                    None => {
                        let expected = holder.map(|schema| self.expectation(schema, 0));
                        let options = holder.map(|schema| self.options(schema, 0)).unwrap_or_default();
                        self.plain(at, expected, instance, &options);
                    }
                }
            }
            ValidationErrorKind::PropertyNames { error } => self.add(error),
            _ => {
                let expected = match error.kind() {
                    ValidationErrorKind::Type { .. }
                    | ValidationErrorKind::Enum { .. }
                    | ValidationErrorKind::Constant { .. } => {
                        holder.map(|schema| self.expectation(schema, 0))
                    }
                    ValidationErrorKind::Minimum { limit } => Some(format!("at least {limit}")),
                    ValidationErrorKind::Maximum { limit } => Some(format!("at most {limit}")),
                    _ => Some(format!("something else: {}", error.masked())),
                };
                let options = holder.map(|schema| self.options(schema, 0)).unwrap_or_default();
                self.plain(at, expected, instance, &options);
            }
        }
    }

    fn plain(&mut self, at: String, expected: Option<String>, instance: &Value, options: &[String]) {
        let found = match self.quote {
            Quote::Values => describe(instance),
            Quote::Kinds => kind_of(instance).to_owned(),
        };
        let mut problem =
            ConfigProblem::new(self.file, at, expected.unwrap_or_else(|| "another value".to_owned()), found);
        if let Some(text) = instance.as_str() {
            problem = problem.meaning(text, options.iter().map(String::as_str));
        }
        self.problems.push(problem);
    }

    fn follow<'s>(&'s self, schema: &'s Value) -> &'s Value {
        schema["$ref"]
            .as_str()
            .and_then(|target| target.strip_prefix('#'))
            .and_then(|pointer| self.schema.pointer(pointer))
            .unwrap_or(schema)
    }

    /// What a schema allows, in words.
    fn expectation(&self, schema: &Value, depth: u32) -> String {
        let schema = self.follow(schema);
        let options = self.options(schema, 0);
        if !options.is_empty() {
            return one_of(options.iter().map(|option| format!("`{option}`")));
        }
        let branches = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array());
        if let (Some(branches), true) = (branches, depth < 4) {
            return one_of(branches.iter().map(|branch| self.expectation(branch, depth + 1)));
        }
        let names = |name: &Value| name.as_str().map(words);
        match &schema["type"] {
            Value::Array(kinds) => one_of(kinds.iter().filter_map(names).map(str::to_owned)),
            kind => names(kind).unwrap_or("another value").to_owned(),
        }
    }

    /// The texts a schema allows, when it lists them.
    fn options(&self, schema: &Value, depth: u32) -> Vec<String> {
        let schema = self.follow(schema);
        if let Some(only) = schema["const"].as_str() {
            return vec![only.to_owned()];
        }
        if let Some(options) = schema["enum"].as_array() {
            return options.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        }
        let branches = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array());
        match branches {
            Some(branches) if depth < 4 => {
                branches.iter().flat_map(|branch| self.options(branch, depth + 1)).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn one_of(parts: impl Iterator<Item = String>) -> String {
    let mut parts: Vec<String> = parts.filter(|part| part != "null").collect();
    parts.dedup();
    match parts.pop() {
        Some(last) if parts.is_empty() => last,
        Some(last) => format!("{} or {last}", parts.join(", ")),
        None => "null".to_owned(),
    }
}

fn words(kind: &str) -> &'static str {
    match kind {
        "string" => "a text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "an object",
        "null" => "null",
        _ => "another value",
    }
}

/// A value's type in words.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A value in few words: itself, when it is small.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => format!("the text `{}`", short(text)),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// At most 80 characters of a text, on one line.
fn short(text: &str) -> String {
    let mut out: String = text.chars().take(80).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if out.len() < text.len() {
        out.push('…');
    }
    out
}
