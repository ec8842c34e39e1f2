//! The tools of a source as tools like any others.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::{CallEffect, Digest, Hints, Preview};
use serde_json::Value;
use sources::{ContentPart, ToolOutcome, content_text, strip_invisible};

use crate::files::stopped;
use crate::text::{capped, count};
use crate::{CallContext, Kind, Media, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};

/// The longest name that every provider takes.
const MAX_NAME: usize = 64;
/// The longest description that a model is given, in characters.
const MAX_DESCRIPTION_CHARS: usize = 8_000;

/// Calls the tools of a source; it is started when the first of them is called.
#[async_trait]
pub trait Caller: Send + Sync {
    /// Calls a tool by its name at the source.
    ///
    /// # Errors
    /// When the source does not start or answer, or the tool fails.
    async fn call(
        &self,
        tool: &str,
        arguments: &Value,
        at: &CallContext,
        run: &Run,
    ) -> Result<ToolOutcome, ToolError>;
}

/// The tools of a source. `trusted`: what they say of their effects is believed.
pub fn of_source(
    slug: &str,
    tools: &[sources::Tool],
    trusted: bool,
    deadline: Duration,
    caller: &Arc<dyn Caller>,
) -> Vec<Arc<dyn Tool>> {
    let mut names = BTreeSet::new();
    let mut taken: Vec<Arc<dyn Tool>> = Vec::new();
    for tool in tools {
        let info = info(slug, tool, trusted, deadline);
        // Two names that come out the same after all: the second one is not offered rather than taken for the first.
        if names.insert(info.name.clone()) {
            taken.push(Arc::new(SourceTool { info, caller: Arc::clone(caller) }));
        }
    }
    taken
}

/// A tool's name for models: `<slug>__<tool>`, within `^[a-zA-Z0-9_-]{1,64}$`. A name that had to be changed for that
/// ends in a digest of the whole, so that no two become one.
pub fn name_of(slug: &str, tool: &str) -> String {
    let whole = format!("{slug}__{tool}");
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let ambiguous = slug.contains("__") || slug.ends_with('_') || tool.starts_with('_') || slug.is_empty();
    if whole.len() <= MAX_NAME && whole.chars().all(plain) && !ambiguous {
        return whole;
    }
    // Where the slug ends is part of what is hashed.
    let digest = Digest::of(format!("{}:{whole}", slug.len())).to_string();
    let short: String = whole.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    format!("{}_{}", &short[..short.len().min(MAX_NAME - 9)], &digest[..8])
}

fn info(slug: &str, tool: &sources::Tool, trusted: bool, deadline: Duration) -> ToolInfo {
    let clean = |text: &str, most: usize| strip_invisible(text).trim().chars().take(most).collect::<String>();
    let title = tool.title.as_deref().map(|title| clean(title, 200)).filter(|title| !title.is_empty());
    ToolInfo {
        name: name_of(slug, &tool.name),
        source: slug.to_owned(),
        tool: tool.name.clone(),
        title: title.unwrap_or_else(|| clean(&tool.name, 200)),
        description: clean(&tool.description, MAX_DESCRIPTION_CHARS),
        parameters: cleaned(object(&tool.input_schema), 0),
        hints: Hints {
            read_only: tool.hints.read_only,
            destructive: tool.hints.destructive,
            idempotent: tool.hints.idempotent,
            open_world: tool.hints.open_world,
        },
        trusted,
        deadline,
    }
}

/// A schema of arguments as providers want it: of an object, with properties.
fn object(schema: &Value) -> Value {
    let mut schema = match schema {
        Value::Object(fields) => fields.clone(),
        _ => serde_json::Map::new(),
    };
    schema.insert("type".to_owned(), "object".into());
    if !schema.get("properties").is_some_and(Value::is_object) {
        schema.insert("properties".to_owned(), Value::Object(serde_json::Map::new()));
    }
    Value::Object(schema)
}

/// A schema without the invisible characters in its words; names and values that count are left as they are.
fn cleaned(value: Value, depth: usize) -> Value {
    match value {
        // Deeper than anybody writes a schema.
        other if depth > 64 => other,
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(key, value)| {
                    let words = matches!(key.as_str(), "description" | "title" | "$comment");
                    let value = match value {
                        Value::String(text) if words => Value::String(strip_invisible(&text)),
                        other => cleaned(other, depth + 1),
                    };
                    (key, value)
                })
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.into_iter().map(|item| cleaned(item, depth + 1)).collect()),
        other => other,
    }
}

struct SourceTool {
    info: ToolInfo,
    caller: Arc<dyn Caller>,
}

/// A call in one line: the tool and its short arguments.
fn intent(title: &str, arguments: &Value) -> String {
    let short = |value: &Value| match value {
        Value::String(text) => Some(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(yes) => Some(yes.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    let fields = arguments.as_object().into_iter().flatten();
    let parts: Vec<String> = fields
        .filter_map(|(key, value)| Some(format!("{key} {}", capped(&short(value)?, 60))))
        .take(3)
        .collect();
    let line = if parts.is_empty() { title.to_owned() } else { format!("{title}: {}", parts.join(", ")) };
    capped(&strip_invisible(&line), 160).to_owned()
}

#[async_trait]
impl Tool for SourceTool {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, arguments: &Value, _: &CallContext) -> Result<PlannedOperation, ToolError> {
        if !arguments.is_object() && !arguments.is_null() {
            return Err(ToolError::new(Kind::Arguments, "the arguments are not an object")
                .with_guidance("Call it again with arguments as its schema has them."));
        }
        Ok(PlannedOperation {
            effect: CallEffect::Tool,
            intent: intent(&self.info.title, arguments),
            preview: Preview::None,
        })
    }

    async fn run(&self, arguments: &Value, at: &CallContext, run: Run) -> Result<Outcome, ToolError> {
        let empty = Value::Object(serde_json::Map::new());
        let arguments = if arguments.is_null() { &empty } else { arguments };
        let answered = tokio::select! {
            answered = self.caller.call(&self.info.tool, arguments, at, &run) => answered?,
            () = run.cancel.cancelled() => return Err(stopped()),
            () = tokio::time::sleep(self.info.deadline) => {
                let seconds = self.info.deadline.as_secs();
                return Err(ToolError::new(
                    Kind::Deadline,
                    format!("{} did not answer within {seconds} seconds", self.info.source),
                ));
            }
        };
        Ok(outcome(answered.value, answered.content))
    }
}

/// A result as a model reads it: text as text, data as JSON, pictures and documents apart.
fn outcome(value: Value, content: Option<Vec<ContentPart>>) -> Outcome {
    if let Some(parts) = content {
        return of_parts(&parts);
    }
    match value {
        Value::String(text) => {
            let summary = count(text.lines().count(), "line");
            Outcome::text(text, summary)
        }
        Value::Null => Outcome::text("(It gave nothing.)", "nothing"),
        value => {
            let summary = match &value {
                Value::Array(items) => count(items.len(), "item"),
                Value::Object(fields) => count(fields.len(), "field"),
                other => capped(&other.to_string(), 60).to_owned(),
            };
            Outcome::text(value.to_string(), summary)
        }
    }
}

fn of_parts(parts: &[ContentPart]) -> Outcome {
    let (text, media) = (content_text(parts), media_of(parts));
    let text = if text.is_empty() { "(It gave nothing.)".to_owned() } else { text };
    let summary =
        if media.is_empty() { count(text.lines().count(), "line") } else { count(media.len(), "file") };
    Outcome { media, ..Outcome::text(text, summary) }
}

/// The files among the parts of a result.
pub fn media_of(parts: &[ContentPart]) -> Vec<Media> {
    let file = |part: &ContentPart| match part {
        ContentPart::File { name, media_type, data } => {
            Some(Media { media_type: media_type.clone(), name: name.clone(), data: data.clone() })
        }
        ContentPart::Text(_) | ContentPart::Unkept(_) => None,
    };
    parts.iter().filter_map(file).collect()
}

/// All of a result as a person reads it: JSON in lines, files by their names and sizes.
pub fn shown_text(outcome: ToolOutcome) -> String {
    match (outcome.content, outcome.value) {
        (Some(parts), _) => of_parts(&parts).text,
        (None, Value::String(text)) => text,
        (None, value) => serde_json::to_string_pretty(&value).unwrap_or_default(),
    }
}
