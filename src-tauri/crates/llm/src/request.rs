//! What a model is asked.

use std::sync::Arc;

use domain::Digest;
use domain::agent::Effort;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What an image is counted as: the largest that providers make of one.
const IMAGE_TOKENS: u64 = 5_000;
/// Base64 bytes of a document that are counted as one token. A page of a PDF has some 20 KB and is read as 1,500 to 3,000.
const DOCUMENT_BYTES_PER_TOKEN: u64 = 6;

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
    /// Tools that the model may call. Empty: the field is absent on the wire.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// Whether it may call them.
    #[serde(skip_serializing_if = "ToolChoice::is_auto")]
    pub tool_choice: ToolChoice,
    /// What calls that share a prefix have in common: a session's id. Providers that route by it find their cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_key: Option<String>,
    /// The request that was asked, where parts of it that the provider refuses are left out of this one: what goes back
    /// to the provider is bound to that one. No part of the canonical JSON.
    #[serde(skip)]
    pub stands_for: Option<Arc<ModelRequest>>,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// `^[a-zA-Z0-9_-]{1,64}$`.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments: an object.
    pub parameters: Value,
}

/// Whether tools may be called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// As the model likes.
    #[default]
    Auto,
    /// None now; they stand in the request because the conversation has calls of them.
    None,
    /// At least one; refused before it is sent where the model does not take that.
    Required,
}

impl ToolChoice {
    fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "part")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image, in base64 without line breaks.
    Image {
        /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
        media_type: String,
        /// Base64.
        data: String,
    },
    /// A document, in base64.
    Document {
        /// `application/pdf`.
        media_type: String,
        /// Its file name.
        name: String,
        /// Base64.
        data: String,
    },
    /// A call that the model made.
    ToolCall(ToolCall),
    /// What a call gave.
    ToolResult {
        /// The call's id.
        call: String,
        /// The tool's name.
        name: String,
        /// Text, or JSON as text.
        content: String,
        /// Whether it failed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
    /// Something of the provider's own that it wants back unchanged: thinking with its signature, encrypted reasoning.
    /// Sent back only while `origin` is the same and nothing before it changed; left out otherwise.
    Opaque {
        /// Where it may go back to.
        origin: Origin,
        /// The block's JSON, byte for byte as it came (streamed strings are joined, nothing else).
        raw: String,
    },
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The provider's id of it, or one made here where it gives none.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments: an object. `Null` where they could not be read; then `raw` has them.
    pub arguments: Value,
    /// The arguments as the model wrote them, where they are no JSON object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// A signature that has to go back with this call (Gemini), byte for byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Whether the answer ended, at a limit of its length, before the call was whole: such a call is never made as it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// Which model on which connection said something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    /// The protocol's word ([`domain::connection::ProviderKind::word`]) and the host: `anthropic@api.anthropic.com`.
    pub provider: String,
    /// The model that was asked.
    pub model: String,
    /// The digest of everything that stood before it ([`ModelRequest::prefix`]).
    pub prefix: Digest,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text; before `parts`.
    pub content: String,
    /// What else it holds, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
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
        Self { role: Role::User, content: content.into(), parts: Vec::new(), cache: false }
    }

    /// An earlier answer of the model.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self { role: Role::Assistant, content: content.into(), parts: Vec::new(), cache: false }
    }
}

impl ToolSpec {
    /// Tokens of its description, estimated from above.
    pub fn estimated_tokens(&self) -> u64 {
        let parameters = context::estimate(&self.parameters.to_string());
        context::estimate(&self.name) + context::estimate(&self.description) + parameters + 16
    }
}

impl Part {
    /// From above: an image is read as at most as many tokens as its provider cuts it to, a page of a document as text
    /// and image, counted by its bytes.
    pub fn estimated_tokens(&self) -> u64 {
        match self {
            Self::Text { text } => context::estimate(text),
            Self::Image { .. } => IMAGE_TOKENS,
            Self::Document { data, .. } => (data.len() as u64 / DOCUMENT_BYTES_PER_TOKEN).max(IMAGE_TOKENS),
            Self::ToolCall(call) => {
                let raw = call.raw.as_deref().map_or(0, context::estimate);
                context::estimate(&call.name) + context::estimate(&call.arguments.to_string()) + raw + 16
            }
            Self::ToolResult { content, .. } => context::estimate(content) + 16,
            // Encrypted text is longer than what it stands for.
            Self::Opaque { raw, .. } => context::estimate(raw),
        }
    }
}

impl ModelRequest {
    /// The request hash: the digest of its canonical JSON.
    pub fn digest(&self) -> Digest {
        // Only strings, numbers and JSON inside: it always serialises, and `Null` would still be a stable answer.
        Digest::of_json(&serde_json::to_value(self).unwrap_or_default())
    }

    /// The digest of what stands before message `at`: model, system prompt, tools and earlier messages. Thinking that
    /// is bound to its prefix goes back only while this stays the same.
    pub fn prefix(&self, at: usize) -> Digest {
        if let Some(whole) = &self.stands_for {
            return whole.prefix(at);
        }
        // Marks of a cache move along with a conversation and change nothing of what is read.
        let read = |message: &Message| serde_json::json!({ "role": message.role, "content": message.content, "parts": message.parts });
        let messages = self.messages.get(..at).unwrap_or(&self.messages);
        let messages: Vec<Value> = messages.iter().map(read).collect();
        Digest::of_json(&serde_json::json!({
            "model": self.model, "system": self.system, "tools": self.tools, "messages": messages,
        }))
    }

    /// Input tokens, estimated from above: system prompt, messages with their parts, tools and schema.
    pub fn estimated_input(&self) -> u64 {
        let schema = self.schema.as_ref().map_or(0, |schema| context::estimate(&schema.to_string()));
        let parts = |message: &Message| message.parts.iter().map(Part::estimated_tokens).sum::<u64>();
        let messages: u64 = self
            .messages
            .iter()
            .map(|message| context::estimate(&message.content) + parts(message) + 8)
            .sum();
        let tools: u64 = self.tools.iter().map(ToolSpec::estimated_tokens).sum();
        context::estimate(&self.system) + messages + schema + tools + 16
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

    #[test]
    fn a_prefix_is_what_is_read_and_not_where_a_cache_ends() {
        let request = ModelRequest {
            messages: vec![Message::user("q"), Message::assistant("a")],
            ..ModelRequest::default()
        };
        let mut marked = request.clone();
        marked.messages[0].cache = true;
        assert_eq!(request.prefix(1), marked.prefix(1));
        marked.messages[1].content.push('!');
        assert_eq!(request.prefix(1), marked.prefix(1));
        assert_ne!(request.prefix(2), marked.prefix(2));
    }

    #[test]
    fn parts_and_tools_are_counted() {
        let bare = ModelRequest { messages: vec![Message::user("q")], ..ModelRequest::default() };
        let mut full = bare.clone();
        full.messages[0].parts = vec![
            Part::Text { text: "word ".repeat(100) },
            Part::Image { media_type: "image/png".into(), data: String::new() },
        ];
        full.tools = vec![ToolSpec { name: "t".into(), description: "d".into(), parameters: Value::Null }];
        assert!(full.estimated_input() > bare.estimated_input() + IMAGE_TOKENS + 100);
    }
}
