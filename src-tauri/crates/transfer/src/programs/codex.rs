//! A session of Codex: lines with what was said and done, in order.

use std::collections::HashMap;
use std::io::{self, BufReader};
use std::path::Path;

use serde_json::{Map, Value, json};

use super::builder::{Builder, arguments_of, items, text_of, time_of};
use super::folder::field;
use super::{Conversation, Unread, base_name, place_of};
use crate::jsonl::{LineOf, next_object, too_much};
use crate::limits::{Limits, open_plain};
use crate::lines::Lines;
use crate::report::Report;
use crate::transcript::{Attachment, Role, ToolStatus};

/// Beginnings of messages that the program writes in the person's name.
const NOT_WRITTEN: [&str; 14] = [
    "<user_instructions>",
    "<environment_context>",
    "<INSTRUCTIONS>",
    "<permissions",
    "<turn_aborted>",
    "<skill>",
    "<skills_instructions>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<collaboration_mode>",
    "<model_switch>",
    "<personality",
    "# AGENTS.md instructions for ",
    "Warning: The maximum number of unified exec processes",
];
/// Kinds of lines and of what stands in them.
const LINES: [&str; 5] = ["session_meta", "response_item", "event_msg", "turn_context", "compacted"];
const ITEMS: [&str; 5] =
    ["message", "reasoning", "function_call", "function_call_output", "local_shell_call"];

/// Whether a file below the folder is a session.
pub(super) fn is_session_file(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or_default();
    last.starts_with("rollout-") && last.ends_with(".jsonl")
}

/// Whether a line is one of such a session, of the first form too, in which items stand there as they are.
pub(super) fn is_line(line: &Map<String, Value>) -> bool {
    let kind = field(line, "type");
    line.contains_key("payload") && LINES.contains(&kind)
        || line.contains_key("instructions") && line.contains_key("id") && line.contains_key("timestamp")
        || ITEMS.contains(&kind)
            && (line.contains_key("content") || line.contains_key("call_id"))
            && !line.contains_key("uuid")
}

/// Reads a session; `names` are those that the program keeps beside its sessions, by id.
///
/// # Errors
/// Those of reading.
pub(super) fn conversation(
    path: &Path,
    names: &HashMap<String, String>,
    limits: &Limits,
) -> io::Result<Result<Conversation, Unread>> {
    let place = place_of(path);
    let (mut id, mut within) = (String::new(), false);
    let mut report = Report::default();
    // A first look for what was taken back: what follows it counts.
    let kept = lines_kept(path, limits)?;
    let (file, _) = open_plain(path).map_err(|error| io::Error::other(error.to_string()))?;
    let mut lines = Lines::new(BufReader::with_capacity(1 << 16, file), limits.line_bytes);
    let mut reading =
        Reading { builder: Builder::new(place.clone(), Report::default()), name: String::new() };
    let mut number = 0;
    while let LineOf::Object(at, line) = next_object(&mut lines, &place, &mut report)? {
        if at > kept.lines {
            break;
        }
        if let Some(why) = too_much(number, &lines, limits) {
            report.leave_out("message", "", why, &format!("{place}:{at}"));
            break;
        }
        number += 1;
        if kept.taken_back.iter().any(|(from, until)| (*from..*until).contains(&at)) {
            continue;
        }
        let time = time_of(line.get("timestamp"));
        let Some(payload) = line.get("payload") else {
            // The first form: the items stand there as they are.
            if line.contains_key("instructions") && id.is_empty() {
                field(&line, "id").clone_into(&mut id);
                reading.begun(field(&line, "cwd"), time);
            }
            reading.item(at, time, &Value::Object(line));
            continue;
        };
        match field(&line, "type") {
            // A session that began as a copy of another one has its line, too.
            "session_meta" if id.is_empty() => {
                text_of(payload, "id").clone_into(&mut id);
                within = payload.get("source").is_some_and(|source| source.get("subagent").is_some());
                reading.begun(text_of(payload, "cwd"), time_of(payload.get("timestamp")));
            }
            "response_item" => reading.item(at, time, payload),
            "event_msg" if text_of(payload, "type") == "thread_name_updated" => {
                text_of(payload, "thread_name").clone_into(&mut reading.name);
            }
            "turn_context" if !text_of(payload, "model").is_empty() => {
                reading.builder.header.model = text_of(payload, "model").chars().take(100).collect();
            }
            _ => {}
        }
    }
    if within {
        return Ok(Err(Unread::Empty));
    }
    let Reading { mut builder, name } = reading;
    builder.report.take(report);
    builder.header.title = names.get(&id).cloned().unwrap_or(name);
    let key = if id.is_empty() { base_name(path) } else { id };
    Ok(builder.finish(key))
}

/// What of a session counts.
struct LinesKept {
    /// How many lines there were.
    lines: u64,
    /// Lines that the person took back: from one, up to another.
    taken_back: Vec<(u64, u64)>,
}

fn lines_kept(path: &Path, limits: &Limits) -> io::Result<LinesKept> {
    let (file, _) = open_plain(path).map_err(|error| io::Error::other(error.to_string()))?;
    let mut lines = Lines::new(BufReader::with_capacity(1 << 16, file), limits.line_bytes);
    let mut out = LinesKept { lines: 0, taken_back: Vec::new() };
    // Where the turns that count begin.
    let mut turns: Vec<u64> = Vec::new();
    while let LineOf::Object(number, line) = next_object(&mut lines, "", &mut Report::default())? {
        out.lines = number;
        let Some(payload) = line.get("payload") else { continue };
        match (field(&line, "type"), text_of(payload, "type")) {
            ("response_item", "message")
                if text_of(payload, "role") == "user"
                    && items(payload, "content").iter().any(|part| is_written(text_of(part, "text"))) =>
            {
                turns.push(number);
            }
            ("event_msg", "thread_rolled_back") => {
                let number_of = payload.get("num_turns").and_then(Value::as_u64).unwrap_or_default();
                let keep = turns.len().saturating_sub(usize::try_from(number_of).unwrap_or(usize::MAX));
                if let Some(from) = turns.get(keep) {
                    out.taken_back.push((*from, number));
                }
                turns.truncate(keep);
            }
            _ => {}
        }
    }
    Ok(out)
}

/// Whether a person wrote a text.
fn is_written(text: &str) -> bool {
    let text = text.trim_start();
    !text.is_empty() && !NOT_WRITTEN.iter().any(|begin| text.starts_with(begin))
}

struct Reading {
    builder: Builder,
    /// The name that the session itself says.
    name: String,
}

impl Reading {
    fn begun(&mut self, folder: &str, at: i64) {
        let header = &mut self.builder.header;
        header.created_at = at;
        if folder.starts_with('/') {
            header.folders = vec![folder.to_owned()];
        }
    }

    fn item(&mut self, line: u64, at: i64, item: &Value) {
        let id = format!("line-{line}");
        let call = text_of(item, "call_id");
        match text_of(item, "type") {
            "message" => self.message(&id, at, item),
            "function_call" => {
                let input = match arguments_of(text_of(item, "arguments")) {
                    Value::String(text) if text.is_empty() => Value::Null,
                    input => input,
                };
                self.builder.call(&id, at, call, text_of(item, "name"), input);
            }
            "custom_tool_call" | "tool_search_call" => {
                let input = arguments_of(text_of(item, "input"));
                self.builder.call(&id, at, call, text_of(item, "name"), input);
            }
            "local_shell_call" => {
                let command = item.get("action").cloned().unwrap_or_default();
                let call = if call.is_empty() { text_of(item, "id") } else { call };
                self.builder.call(&id, at, call, "shell", command);
            }
            "web_search_call" => {
                let action = item.get("action").cloned().unwrap_or_default();
                let call = format!("search-{line}");
                self.builder.call(&id, at, &call, "web_search", action);
                self.builder.result(&call, "", ToolStatus::Completed, 0, Vec::new());
            }
            "function_call_output" | "custom_tool_call_output"
                if !call.is_empty() && self.builder.is_open(call) =>
            {
                let Output { text, failed, ms, media } = self.output(item.get("output"));
                let status = if failed { ToolStatus::Error } else { ToolStatus::Completed };
                self.builder.result(call, &text, status, ms, media);
            }
            _ => {}
        }
    }

    fn message(&mut self, id: &str, at: i64, item: &Value) {
        let role = match text_of(item, "role") {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => return,
        };
        let (mut texts, mut files) = (Vec::new(), Vec::new());
        for part in items(item, "content") {
            match text_of(part, "type") {
                "input_image" => files.extend(self.builder.encoded("", "", text_of(part, "image_url"))),
                _ => {
                    let text = text_of(part, "text").trim();
                    // Marks around a picture say nothing beside it.
                    let mark = text.starts_with("<image") || text == "</image>";
                    if !mark && (role == Role::Assistant || is_written(text)) {
                        texts.push(text);
                    }
                }
            }
        }
        self.builder.text(role, id, at, &texts.join("\n\n"), files);
    }

    /// What a tool gave, in whichever form.
    fn output(&mut self, output: Option<&Value>) -> Output {
        let mut out = Output::default();
        match output {
            Some(Value::String(text)) => match serde_json::from_str::<Value>(text) {
                Ok(value) if value.get("output").is_some_and(Value::is_string) => {
                    text_of(&value, "output").clone_into(&mut out.text);
                    let about = value.get("metadata").cloned().unwrap_or(json!({}));
                    out.failed = about.get("exit_code").and_then(Value::as_i64).is_some_and(|code| code != 0);
                    let seconds = about.get("duration_seconds").and_then(Value::as_f64).unwrap_or_default();
                    out.ms = (seconds.max(0.0) * 1_000.0) as u64;
                }
                Ok(_) | Err(_) => {
                    text.clone_into(&mut out.text);
                    let code = text.split_once("Process exited with code ").map(|(_, rest)| rest);
                    let code = code.and_then(|rest| rest.split_whitespace().next()?.parse::<i64>().ok());
                    out.failed = code.is_some_and(|code| code != 0);
                }
            },
            Some(Value::Array(parts)) => {
                let mut texts = Vec::new();
                for part in parts {
                    match text_of(part, "image_url") {
                        "" => texts.push(text_of(part, "text").to_owned()),
                        image => out.media.extend(self.builder.encoded("", "", image)),
                    }
                }
                out.text = texts.join("\n");
            }
            Some(value @ Value::Object(_)) => {
                out = self.output(value.get("content").or_else(|| value.get("output")));
                out.failed = value.get("success").and_then(Value::as_bool) == Some(false);
            }
            Some(Value::Null) | None => {}
            Some(other) => out.text = other.to_string(),
        }
        out
    }
}

#[derive(Default)]
struct Output {
    text: String,
    failed: bool,
    ms: u64,
    media: Vec<Attachment>,
}
