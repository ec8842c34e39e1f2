//! Reading a JSON file that a person wrote: syntax, repeated names, then its JSON Schema, all with places.

mod expected;
mod lines;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::problem::{ConfigProblem, MAX_PROBLEMS};
use crate::schemas::CompiledSchema;

pub(crate) use expected::{check, describe};
pub use lines::line_of;

/// Whether problems may quote what they found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quote {
    /// They may.
    Values,
    /// They name its type only: the file may hold a secret by mistake.
    Kinds,
}

/// The value of a JSON text, or what is wrong with its syntax.
pub(crate) fn parse(file: &str, text: &str) -> Result<Value, Vec<ConfigProblem>> {
    serde_json::from_str(text).map_err(|error| vec![syntax(file, text, &error)])
}

/// Object members whose name stands twice in one object: readers disagree on which of them counts.
pub(crate) fn repeated_names(file: &str, text: &str) -> Vec<ConfigProblem> {
    lines::repeated(text)
        .into_iter()
        .map(|(pointer, line)| {
            ConfigProblem::new(file, pointer, "each name once in an object", "the name a second time")
                .on_line(line)
        })
        .collect()
}

fn syntax(file: &str, text: &str, error: &serde_json::Error) -> ConfigProblem {
    let message = error.to_string();
    let reason = message.split(" at line ").next().unwrap_or(&message);
    let found = if text.trim().is_empty() {
        "an empty file".to_owned()
    } else {
        format!("an error at column {} ({reason})", error.column())
    };
    ConfigProblem::new(file, "", "JSON", found).on_line(error.line())
}

/// A value of a JSON text that satisfies its type's schema, or everything that is wrong with the text.
pub(crate) fn read<T: DeserializeOwned>(
    file: &str,
    text: &str,
    schema: &CompiledSchema,
    quote: Quote,
) -> Result<(Value, T), Vec<ConfigProblem>> {
    let value = parse(file, text)?;
    let mut problems = repeated_names(file, text);
    problems.extend(check(file, &value, schema, quote));
    problems.truncate(MAX_PROBLEMS);
    for problem in &mut problems {
        if problem.line.is_none() {
            problem.line = line_of(text, &problem.pointer);
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    // The schema is generated from the type; what is left are bounds it can't express, such as a number's size.
    typed(file, text, quote).map(|typed| (value, typed))
}

/// A JSON text and its value as a type without a schema. Of a name that stands twice the last one counts.
pub fn parse_as<T: DeserializeOwned>(file: &str, text: &str) -> Result<(Value, T), Vec<ConfigProblem>> {
    let value = parse(file, text)?;
    let made = match serde_json::from_value(value.clone()) {
        Ok(made) => made,
        Err(_) => typed(file, text, Quote::Values)?,
    };
    Ok((value, made))
}

fn typed<T: DeserializeOwned>(file: &str, text: &str, quote: Quote) -> Result<T, Vec<ConfigProblem>> {
    serde_json::from_str(text).map_err(|error| {
        let pointer = lines::deepest_on(text, error.line()).unwrap_or_default();
        let message = error.to_string();
        let reason = message.split(" at line ").next().unwrap_or(&message);
        let reason = if quote == Quote::Values { reason } else { "another value" };
        let problem =
            ConfigProblem::new(file, pointer, "a value the program can hold", reason).on_line(error.line());
        vec![problem.clipped()]
    })
}

/// The pointer of a member: `base` and one more escaped token.
pub(crate) fn child(base: &str, token: impl AsRef<str>) -> String {
    let mut pointer = base.to_owned();
    pointer.push('/');
    pointer.push_str(&token.as_ref().replace('~', "~0").replace('/', "~1"));
    pointer
}
