//! A conversation of ChatGPT: a tree of messages, of which one branch is current.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::builder::{Builder, arguments_of, items, text_of, time_of};
use super::export::Assets;
use super::{Conversation, Unread};
use crate::report::Report;
use crate::transcript::{Attachment, Role, ToolStatus};

/// Contents that the program writes for its model, or that only tell how it thought.
const HIDDEN: [&str; 5] =
    ["user_editable_context", "model_editable_context", "thoughts", "reasoning_recap", "app_pairing_content"];

/// Reads a conversation.
pub(super) fn conversation(
    value: &Value,
    place: String,
    assets: &mut Assets,
) -> Result<Conversation, Unread> {
    let id = [text_of(value, "conversation_id"), text_of(value, "id")].into_iter().find(|id| !id.is_empty());
    let title = text_of(value, "title").to_owned();
    let empty = Map::new();
    let mapping = value.get("mapping").and_then(Value::as_object).unwrap_or(&empty);
    let mut builder = Builder::new(place, Report::default());
    let header = &mut builder.header;
    header.title = if title == "New chat" { String::new() } else { title };
    header.created_at = time_of(value.get("create_time"));
    header.updated_at = time_of(value.get("update_time"));
    header.archived = value.get("is_archived").and_then(Value::as_bool).unwrap_or_default();
    header.flagged = value.get("is_starred").and_then(Value::as_bool).unwrap_or_default();
    header.model = text_of(value, "default_model_slug").to_owned();
    let key = match id {
        Some(id) => id.to_owned(),
        // Old exports name none: where the tree begins is as good.
        None => format!(
            "{}/{}",
            time_of(value.get("create_time")),
            mapping.keys().min().map_or("", String::as_str)
        ),
    };
    let mut reading = Reading { builder, assets };
    for message in branch(value, mapping) {
        reading.message(message);
    }
    reading.builder.finish(key)
}

/// The messages from the first one to the one that was last current.
fn branch<'a>(value: &Value, mapping: &'a Map<String, Value>) -> Vec<&'a Value> {
    let at = |id: &str| time_of(mapping.get(id).and_then(|node| node.get("message")?.get("create_time")));
    let current = text_of(value, "current_node");
    let newest = || {
        let leaves = mapping.iter().filter(|(_, node)| items(node, "children").is_empty());
        leaves.max_by_key(|(id, _)| (at(id), (*id).clone())).map(|(id, _)| id.as_str())
    };
    let mut next = if mapping.contains_key(current) { Some(current) } else { newest() };
    let (mut seen, mut messages) = (HashSet::new(), Vec::new());
    while let Some((id, node)) = next.and_then(|id| mapping.get_key_value(id)) {
        if !seen.insert(id) {
            break;
        }
        messages.extend(node.get("message").filter(|message| message.is_object()));
        next = node.get("parent").and_then(Value::as_str);
    }
    messages.reverse();
    messages
}

struct Reading<'a> {
    builder: Builder,
    assets: &'a mut Assets,
}

/// What the content of a message is.
#[derive(Default)]
struct Content {
    text: String,
    files: Vec<Attachment>,
}

impl Reading<'_> {
    fn message(&mut self, message: &Value) {
        let none = Value::Null;
        let author = message.get("author").unwrap_or(&none);
        let metadata = message.get("metadata").unwrap_or(&none);
        let content = message.get("content").unwrap_or(&none);
        let (role, kind) = (text_of(author, "role"), text_of(content, "content_type"));
        let flag = |name: &str| metadata.get(name).and_then(Value::as_bool).unwrap_or_default();
        let hidden = flag("is_visually_hidden_from_conversation") || flag("is_user_system_message");
        if role == "system" || HIDDEN.contains(&kind) || (hidden && role != "tool") {
            return;
        }
        let (id, at) = (text_of(message, "id"), time_of(message.get("create_time")));
        match role {
            "user" => {
                self.builder.close();
                let content = self.content(content, metadata);
                self.builder.text(Role::User, id, at, &content.text, content.files);
            }
            "assistant" => {
                if let Some(model) = metadata.get("model_slug").and_then(Value::as_str) {
                    self.builder.header.model = model.chars().take(100).collect();
                }
                let recipient = text_of(message, "recipient");
                if recipient.is_empty() || recipient == "all" {
                    self.builder.close();
                    let read = self.content(content, metadata);
                    let text = with_files(read);
                    let text = if kind == "code" { format!("```\n{text}\n```") } else { text };
                    self.builder.text(Role::Assistant, id, at, &text, Vec::new());
                } else {
                    let text = self.content(content, &none).text;
                    let input = match arguments_of(&text) {
                        Value::String(code) => json!({ "input": code }),
                        object => object,
                    };
                    self.builder.call(id, at, "", recipient, input);
                }
            }
            "tool" => {
                let read = self.content(content, metadata);
                if !self.builder.is_open("") {
                    let name = [text_of(author, "name"), "tool"].into_iter().find(|name| !name.is_empty());
                    self.builder.call(id, at, "", name.unwrap_or_default(), Value::Null);
                }
                let status = if kind == "system_error" { ToolStatus::Error } else { ToolStatus::Completed };
                self.builder.result("", &read.text, status, 0, read.files);
            }
            _ => {}
        }
    }

    fn content(&mut self, content: &Value, metadata: &Value) -> Content {
        let mut out = Content::default();
        let mut texts: Vec<String> = Vec::new();
        let mut taken: HashSet<String> = HashSet::new();
        for part in items(content, "parts") {
            match part {
                Value::String(text) => texts.push(plain(text)),
                Value::Object(_) => self.part(part, &mut texts, &mut taken, &mut out.files),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {}
            }
        }
        for field in ["text", "result", "content"] {
            texts.extend(content.get(field).and_then(Value::as_str).map(plain));
        }
        let from = [text_of(content, "title"), text_of(content, "url")];
        let from: Vec<&str> = from.into_iter().filter(|text| !text.is_empty()).collect();
        if !from.is_empty() {
            texts.insert(0, from.join(" "));
        }
        for file in items(metadata, "attachments") {
            let id = text_of(file, "id");
            if !taken.insert(id.to_owned()) {
                continue;
            }
            let kind = [text_of(file, "mime_type"), text_of(file, "mimeType")];
            let kind = kind.into_iter().find(|kind| !kind.is_empty()).unwrap_or_default();
            self.asset(id, text_of(file, "name"), kind, &mut texts, &mut out.files);
        }
        texts.retain(|text| !text.trim().is_empty());
        out.text = texts.join("\n\n");
        out
    }

    fn part(
        &mut self,
        part: &Value,
        texts: &mut Vec<String>,
        taken: &mut HashSet<String>,
        files: &mut Vec<Attachment>,
    ) {
        if let Some(inner) = part.get("audio_asset_pointer").filter(|inner| inner.is_object()) {
            return self.part(inner, texts, taken, files);
        }
        if let Some(pointer) = part.get("asset_pointer").and_then(Value::as_str) {
            let id = pointer.rsplit("://").next().unwrap_or_default();
            let id = id.split(['?', '#']).next().unwrap_or_default();
            let kind = text_of(part, "content_type");
            if taken.insert(id.to_owned()) {
                // The words of what was spoken stand beside its sound.
                if kind.contains("audio") {
                    return;
                }
                self.asset(id, "", "", texts, files);
            }
            return;
        }
        texts.extend(part.get("text").and_then(Value::as_str).map(plain));
    }

    fn asset(
        &mut self,
        id: &str,
        name: &str,
        media_type: &str,
        texts: &mut Vec<String>,
        files: &mut Vec<Attachment>,
    ) {
        let shown = if name.is_empty() { id } else { name };
        match self.assets.find(id) {
            Some((found, bytes)) => {
                let name = if name.is_empty() { found } else { name.to_owned() };
                files.extend(self.builder.file(&name, media_type, bytes));
            }
            None => texts.push(self.builder.missing(shown)),
        }
    }
}

/// The text of an answer with the names of files that go with it.
fn with_files(content: Content) -> String {
    let mut text = content.text;
    for file in content.files {
        text.push_str(&format!("\n\n[File: attachments/{}]", file.file));
    }
    text
}

/// A text without the marks that the program's own page replaces by links.
fn plain(text: &str) -> String {
    let marks = |c: char| ('\u{e200}'..='\u{e2ff}').contains(&c);
    if !text.contains(marks) {
        return text.to_owned();
    }
    let (mut out, mut left) = (String::with_capacity(text.len()), text);
    while let Some((before, rest)) = left.split_once('\u{e200}') {
        out.push_str(before);
        left = rest.split_once('\u{e201}').map_or("", |(_, after)| after);
    }
    out.push_str(left);
    out.replace(marks, "")
}
