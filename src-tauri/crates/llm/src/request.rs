//! What a model is asked.

use domain::Digest;
use domain::agent::Effort;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One request to a model. Its canonical JSON is what its hash is taken over.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelRequest {
    /// The model's id at its provider.
    pub model: String,
    /// The system prompt.
    pub system: String,
    /// Whether the system prompt is a stable prefix that is worth caching at the provider.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cache_system: bool,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// A JSON Schema that the answer must satisfy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// The most output tokens, thinking included.
    pub max_output_tokens: u64,
    /// How hard to think.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// Whether to think at all, where the model can.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub thinking: bool,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text.
    pub content: String,
    /// Whether everything up to the end of this message is a stable prefix that is worth caching.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cache: bool,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Role {
    User,
    Assistant,
}

impl Message {
    /// A message of the person's side.
    pub fn user(content: impl Into<String>) -> Self {
        Self { role: Role::User, content: content.into(), cache: false }
    }

    /// An earlier answer of the model.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self { role: Role::Assistant, content: content.into(), cache: false }
    }
}

impl ModelRequest {
    /// The request hash: the digest of its canonical JSON.
    pub fn digest(&self) -> Digest {
        // Only strings, numbers and JSON inside: it always serialises, and `Null` would still be a stable answer.
        Digest::of_json(&serde_json::to_value(self).unwrap_or_default())
    }

    /// Input tokens, estimated from above: system prompt, messages and schema.
    pub fn estimated_input(&self) -> u64 {
        let schema = self.schema.as_ref().map_or(0, |schema| context::estimate(&schema.to_string()));
        let messages: u64 = self.messages.iter().map(|message| context::estimate(&message.content) + 8).sum();
        context::estimate(&self.system) + messages + schema + 16
    }

    /// Everything the model reads, in order, for those that look for something in it.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.system.as_str())
            .chain(self.messages.iter().map(|message| message.content.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_hash_depends_on_what_is_asked_and_on_nothing_else() {
        let request = ModelRequest {
            model: "m".into(),
            messages: vec![Message::user("q")],
            schema: Some(serde_json::json!({"b": 1, "a": 2})),
            ..ModelRequest::default()
        };
        let mut same = request.clone();
        same.schema = Some(serde_json::json!({"a": 2, "b": 1}));
        assert_eq!(request.digest(), same.digest());
        same.messages[0].content.push('?');
        assert_ne!(request.digest(), same.digest());
    }
}
