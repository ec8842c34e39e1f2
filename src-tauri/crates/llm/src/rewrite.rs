//! The texts of an answer, put anew where something of them must not stay.

use serde_json::{Map, Value};

use crate::{ModelAnswer, Part, StreamEvent};

/// What stands instead of a text; `None` where it stays.
pub(crate) type Rewritten<'a> = &'a dyn Fn(&str) -> Option<String>;

impl ModelAnswer {
    /// Goes through every text of it. Data in base64 stays as it is.
    pub(crate) fn rewrite(&mut self, anew: Rewritten<'_>) {
        for text in [&mut self.text, &mut self.model, &mut self.thinking] {
            put(text, anew);
        }
        for text in [&mut self.response_id, &mut self.request_id, &mut self.stop_detail] {
            maybe(text, anew);
        }
        for text in &mut self.left_out {
            put(text, anew);
        }
        for part in &mut self.parts {
            match part {
                Part::Text { text } => put(text, anew),
                Part::Opaque { raw, .. } => put(raw, anew),
                Part::ToolCall(call) => {
                    put(&mut call.id, anew);
                    put(&mut call.name, anew);
                    value(&mut call.arguments, anew);
                    maybe(&mut call.raw, anew);
                    maybe(&mut call.signature, anew);
                }
                Part::ToolResult { call, name, content, .. } => {
                    for text in [call, name, content] {
                        put(text, anew);
                    }
                }
                Part::Image { media_type, .. } => put(media_type, anew),
                Part::Document { media_type, name, .. } => {
                    put(media_type, anew);
                    put(name, anew);
                }
            }
        }
    }
}

impl StreamEvent {
    /// Goes through every text of it.
    pub(crate) fn rewrite(&mut self, anew: Rewritten<'_>) {
        match self {
            Self::Started { response_id } => maybe(response_id, anew),
            Self::Text(text) | Self::Thinking(text) => put(text, anew),
            Self::ToolCallBegun { id, name } => {
                put(id, anew);
                put(name, anew);
            }
            Self::Finished(answer) => answer.rewrite(anew),
        }
    }
}

fn put(text: &mut String, anew: Rewritten<'_>) {
    if let Some(other) = anew(text) {
        *text = other;
    }
}

fn maybe(text: &mut Option<String>, anew: Rewritten<'_>) {
    if let Some(text) = text {
        put(text, anew);
    }
}

fn value(of: &mut Value, anew: Rewritten<'_>) {
    match of {
        Value::String(text) => put(text, anew),
        Value::Array(items) => items.iter_mut().for_each(|item| value(item, anew)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| value(member, anew));
            if members.keys().any(|name| anew(name).is_some()) {
                let all = std::mem::take(members);
                let named = |(name, member): (String, Value)| (anew(&name).unwrap_or(name), member);
                *members = all.into_iter().map(named).collect::<Map<_, _>>();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
