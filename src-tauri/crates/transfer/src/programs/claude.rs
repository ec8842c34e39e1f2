//! A conversation of Claude's web site.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::builder::{Builder, items, text_of, time_of};
use super::export::Assets;
use super::{Conversation, Unread};
use crate::report::Report;
use crate::transcript::{Attachment, Role, ToolStatus};

/// Reads a conversation.
pub(super) fn conversation(
    value: &Value,
    place: String,
    assets: &mut Assets,
) -> Result<Conversation, Unread> {
    let mut builder = Builder::new(place, Report::default());
    let header = &mut builder.header;
    text_of(value, "name").clone_into(&mut header.title);
    header.created_at = time_of(value.get("created_at"));
    header.updated_at = time_of(value.get("updated_at"));
    header.flagged = value.get("is_starred").and_then(Value::as_bool).unwrap_or_default();
    header.model = text_of(value, "model").chars().take(100).collect();
    let key = text_of(value, "uuid").to_owned();
    let mut reading = Reading { builder, assets, number: 0 };
    for message in branch(value) {
        reading.message(message);
    }
    reading.builder.finish(key)
}

/// The messages of the branch that was last current; all of them where none names the one that it follows.
fn branch(value: &Value) -> Vec<&Value> {
    let all = items(value, "chat_messages");
    let parent = |message: &Value| text_of(message, "parent_message_uuid").to_owned();
    let by_id: HashMap<&str, &Value> =
        all.iter().map(|message| (text_of(message, "uuid"), message)).collect();
    if !all.iter().any(|message| by_id.contains_key(parent(message).as_str())) {
        return all.iter().collect();
    }
    let leaf = by_id.get(text_of(value, "current_leaf_message_uuid")).copied().or_else(|| all.last());
    let (mut next, mut seen, mut messages) = (leaf, HashSet::new(), Vec::new());
    while let Some(message) = next.filter(|message| seen.insert(text_of(message, "uuid"))) {
        messages.push(message);
        next = by_id.get(parent(message).as_str()).copied();
    }
    messages.reverse();
    messages
}

struct Reading<'a> {
    builder: Builder,
    assets: &'a mut Assets,
    /// Calls so far, for those without an id.
    number: usize,
}

impl Reading<'_> {
    fn message(&mut self, message: &Value) {
        let (id, at) = (text_of(message, "uuid"), time_of(message.get("created_at")));
        let content = items(message, "content");
        match text_of(message, "sender") {
            "human" | "user" => {
                let mut text: Vec<&str> = content
                    .iter()
                    .filter(|part| text_of(part, "type") == "text")
                    .map(|part| text_of(part, "text"))
                    .filter(|text| !text.trim().is_empty())
                    .collect();
                if text.is_empty() {
                    text.push(text_of(message, "text"));
                }
                let mut text = text.join("\n\n");
                let files = self.files(message, &mut text);
                self.builder.text(Role::User, id, at, &text, files);
            }
            "assistant" => {
                let known = content
                    .iter()
                    .any(|part| ["text", "tool_use", "tool_result"].contains(&text_of(part, "type")));
                if !known {
                    self.builder.text(Role::Assistant, id, at, text_of(message, "text"), Vec::new());
                }
                for (index, part) in content.iter().enumerate() {
                    let id = format!("{id}/{index}");
                    let at = [time_of(part.get("start_timestamp")), at].into_iter().find(|at| *at > 0);
                    self.part(&id, at.unwrap_or_default(), part);
                }
            }
            _ => {}
        }
    }

    fn part(&mut self, id: &str, at: i64, part: &Value) {
        match text_of(part, "type") {
            "text" => self.builder.text(Role::Assistant, id, at, text_of(part, "text"), Vec::new()),
            "tool_use" => {
                self.number += 1;
                let call = match text_of(part, "id") {
                    "" => format!("call-{}", self.number),
                    call => call.to_owned(),
                };
                let input = part.get("input").cloned().unwrap_or_default();
                self.builder.call(id, at, &call, text_of(part, "name"), input);
            }
            "tool_result" => {
                let named = text_of(part, "tool_use_id");
                let call = if self.builder.is_open(named) && !named.is_empty() {
                    named.to_owned()
                } else {
                    String::new()
                };
                let (text, media) = result_of(&mut self.builder, part.get("content"));
                let failed = part.get("is_error").and_then(Value::as_bool).unwrap_or_default();
                let status = if failed { ToolStatus::Error } else { ToolStatus::Completed };
                self.builder.result(&call, &text, status, 0, media);
            }
            // What it thought is not said to anybody.
            _ => {}
        }
    }

    /// What the person gave with a message.
    fn files(&mut self, message: &Value, text: &mut String) -> Vec<Attachment> {
        let mut files = Vec::new();
        for file in items(message, "attachments") {
            let name = [text_of(file, "file_name"), "pasted.txt"].into_iter().find(|name| !name.is_empty());
            let mut name = name.unwrap_or_default().to_owned();
            match text_of(file, "extracted_content") {
                "" => add_line(text, &self.builder.missing(&name)),
                content => {
                    // Of another kind of file only its text is there.
                    let plain = [".txt", ".md", ".csv", ".json", ".html", ".xml", ".py", ".js", ".ts", ".rs"];
                    if !plain.iter().any(|end| name.to_ascii_lowercase().ends_with(end)) {
                        name.push_str(".txt");
                    }
                    files.extend(self.builder.file(&name, "text/plain", content.as_bytes().to_vec()));
                }
            }
        }
        for file in items(message, "files").iter().chain(items(message, "files_v2")) {
            let name = text_of(file, "file_name");
            let id = [text_of(file, "file_uuid"), text_of(file, "uuid"), name];
            match id.into_iter().filter(|id| !id.is_empty()).find_map(|id| self.assets.find(id)) {
                Some((found, bytes)) => {
                    let name = if name.is_empty() { found.as_str() } else { name };
                    files.extend(self.builder.file(name, text_of(file, "file_kind"), bytes));
                }
                None => add_line(text, &self.builder.missing(name)),
            }
        }
        files
    }
}

fn add_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(line);
}

/// The text and the pictures of a result: a text, or a list of parts.
pub(super) fn result_of(builder: &mut Builder, content: Option<&Value>) -> (String, Vec<Attachment>) {
    let (mut texts, mut media) = (Vec::new(), Vec::new());
    match content {
        Some(Value::String(text)) => texts.push(text.clone()),
        Some(Value::Array(parts)) => {
            for part in parts {
                match text_of(part, "type") {
                    "image" | "document" => media.extend(source_of(builder, part)),
                    _ => {
                        let text = [text_of(part, "text"), text_of(part, "title"), text_of(part, "url")];
                        let text: Vec<&str> = text.into_iter().filter(|text| !text.is_empty()).collect();
                        if !text.is_empty() {
                            texts.push(text.join(" "));
                        }
                    }
                }
            }
        }
        Some(Value::Null) | None => {}
        Some(other) => texts.push(other.to_string()),
    }
    (texts.join("\n"), media)
}

/// The file of a block with a `source` in base64.
pub(super) fn source_of(builder: &mut Builder, part: &Value) -> Option<Attachment> {
    let source = part.get("source")?;
    let data = text_of(source, "data");
    if data.is_empty() {
        return None;
    }
    builder.encoded(text_of(part, "title"), text_of(source, "media_type"), data)
}
