//! The tools of a source as tools like any others.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::{CallEffect, Digest, Hints, Preview};
use serde_json::Value;
use sources::{ToolOutcome, strip_invisible};

use crate::files::stopped;
use crate::text::{capped, count, size};
use crate::{CallContext, Kind, Media, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};

/// The longest name that every provider takes.
const MAX_NAME: usize = 64;
/// The longest description that a model is given, in characters.
const MAX_DESCRIPTION_CHARS: usize = 8_000;
/// The largest picture or document of a result, in bytes.
const MAX_MEDIA_BYTES: usize = 10 << 20;

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
        Ok(outcome(answered.shown.unwrap_or(answered.value)))
    }
}

/// A result as a model reads it: text as text, data as JSON, pictures and documents apart.
fn outcome(value: Value) -> Outcome {
    match value {
        Value::String(text) => {
            let summary = count(text.lines().count(), "line");
            Outcome::text(text, summary)
        }
        Value::Null => Outcome::text("(It gave nothing.)", "nothing"),
        Value::Array(blocks) if !blocks.is_empty() && blocks.iter().all(is_block) => of_blocks(&blocks),
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

/// Whether it is a block of content as MCP has them.
fn is_block(block: &Value) -> bool {
    let kind = block.get("type").and_then(Value::as_str);
    matches!(kind, Some("text" | "image" | "audio" | "resource" | "resource_link"))
}

fn of_blocks(blocks: &[Value]) -> Outcome {
    let mut text = String::new();
    let mut media = Vec::new();
    let field =
        |block: &Value, name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    for (index, block) in blocks.iter().enumerate() {
        let line = match field(block, "type").as_str() {
            "text" => field(block, "text"),
            "image" | "audio" => binary(&field(block, "data"), &field(block, "mimeType"), index, &mut media),
            "resource_link" => format!("{}: {}", field(block, "name"), field(block, "uri")),
            _ => {
                let inner = block.get("resource").cloned().unwrap_or_default();
                match inner.get("blob").and_then(Value::as_str) {
                    Some(blob) => binary(blob, &field(&inner, "mimeType"), index, &mut media),
                    None => format!("{}\n{}", field(&inner, "uri"), field(&inner, "text")),
                }
            }
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line.trim_end());
    }
    let summary =
        if media.is_empty() { count(text.lines().count(), "line") } else { count(media.len(), "file") };
    Outcome { media, ..Outcome::text(text, summary) }
}

/// Takes a picture or document; gives the line that stands for it.
fn binary(data: &str, media_type: &str, index: usize, media: &mut Vec<Media>) -> String {
    let media_type = if media_type.is_empty() { "application/octet-stream" } else { media_type };
    let media_type = capped(&strip_invisible(media_type), 100).to_owned();
    if data.len() / 4 * 3 > MAX_MEDIA_BYTES {
        return format!("({media_type}, larger than {}: left out)", size(MAX_MEDIA_BYTES as u64));
    }
    match STANDARD.decode(data.trim()) {
        Ok(data) => {
            let line = format!("({media_type}, {}: shown below)", size(data.len() as u64));
            let ending = media_type.rsplit('/').next().unwrap_or("bin");
            let ending: String = ending.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
            media.push(Media { media_type, name: format!("result-{}.{ending}", index + 1), data });
            line
        }
        Err(_) => format!("({media_type} that is not well encoded: left out)"),
    }
}
