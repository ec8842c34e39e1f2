//! Variables that actions may name: `CRAFT_…`, and the same as `AN_…`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::cron::local_minute;
use crate::plan::Occurrence;

/// The most of a variable, in bytes.
const MAX_VARIABLE_BYTES: usize = 16_384;
/// The most of a text with its variables put in, in bytes.
const MAX_TEXT_BYTES: usize = 200_000;
/// What variables begin with.
const PREFIXES: [&str; 2] = ["AN_", "CRAFT_"];

/// The variables of something that happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables {
    /// By their names without what they begin with.
    values: BTreeMap<&'static str, String>,
}

impl Variables {
    /// Of something that happened, with times in a zone.
    pub fn new(happened: &Occurrence, zone: &str) -> Self {
        let mut values = BTreeMap::new();
        let fact = |name: &str| happened.facts.get(name).map(text).unwrap_or_default();
        let was = |name: &str| happened.before.get(name).map(text).unwrap_or_default();
        values.insert("EVENT", happened.event.name().to_owned());
        values.insert("SESSION_ID", happened.session.clone().unwrap_or_default());
        for (name, of) in [
            ("SESSION_NAME", "sessionName"),
            ("WORKSPACE_ID", "workspaceId"),
            ("LABEL", "label"),
            ("IS_FLAGGED", "isFlagged"),
            ("NEW_MODE", "permissionMode"),
            ("NEW_STATE", "sessionStatus"),
            ("TOOL", "tool"),
            ("TOOL_INPUT", "toolInput"),
            ("MESSAGE", "message"),
            ("ANSWER", "answer"),
            ("RUN_ID", "run"),
            ("AGENT", "agent"),
            ("STAGE", "stage"),
            ("CHOICE", "choice"),
            ("STATUS", "status"),
            ("PROBLEM", "problem"),
        ] {
            values.insert(name, fact(of));
        }
        values.insert("OLD_MODE", was("permissionMode"));
        values.insert("OLD_STATE", was("sessionStatus"));
        let (date, minute) =
            local_minute(happened.at, zone).map(|(date, _, minute)| (date, minute)).unwrap_or_default();
        values.insert("LOCAL_TIME", format!("{:02}:{:02}", minute / 60, minute % 60));
        values.insert("LOCAL_DATE", date);
        values.insert("EVENT_DATA", serde_json::to_string(&happened.facts).unwrap_or_default());
        for value in values.values_mut() {
            value.truncate(value.floor_char_boundary(MAX_VARIABLE_BYTES));
        }
        Self { values }
    }

    /// A variable by its whole name.
    pub fn get(&self, name: &str) -> Option<&str> {
        let bare = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix))?;
        self.values.get(bare).map(String::as_str)
    }

    /// All of them by their whole names, for the environment of a command.
    pub fn all(&self) -> impl Iterator<Item = (String, &str)> {
        self.values.iter().flat_map(|(name, value)| {
            PREFIXES.iter().map(move |prefix| (format!("{prefix}{name}"), value.as_str()))
        })
    }
}

/// Puts values in the place of `${NAME}`, and of `$NAME` where the name begins as variables do. What `value` does not know
/// stays as it is and is listed. A value is never read again for names in it.
pub fn expand(source: &str, mut value: impl FnMut(&str) -> Option<String>) -> (String, Vec<String>) {
    let (mut out, mut unknown) = (String::with_capacity(source.len()), Vec::new());
    let mut rest = source;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let (name, length) = match after.strip_prefix('{') {
            Some(inner) => match inner.find('}').filter(|end| *end <= 200) {
                Some(end) => (&inner[..end], end + 2),
                None => ("", 0),
            },
            None => {
                let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
                let named = PREFIXES.iter().any(|prefix| after[..end].starts_with(prefix));
                if named { (&after[..end], end) } else { ("", 0) }
            }
        };
        let found = if name.is_empty() { None } else { value(name) };
        match found {
            Some(found) => out.push_str(&found),
            None => {
                if !name.is_empty() {
                    unknown.push(name.to_owned());
                }
                out.push('$');
                out.push_str(&after[..length]);
            }
        }
        rest = &after[length..];
        if out.len() > MAX_TEXT_BYTES {
            out.truncate(out.floor_char_boundary(MAX_TEXT_BYTES));
            return (out, unknown);
        }
    }
    out.push_str(rest);
    (out, unknown)
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}
