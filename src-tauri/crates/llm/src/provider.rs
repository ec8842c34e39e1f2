//! The one trait that every provider implements.

use domain::Usage;
use futures_util::stream::BoxStream;
use serde::{Deserialize, Serialize};

use crate::{ModelInfo, ModelRequest, ProviderError};

/// The stream of one answer. Dropping it cancels the call.
pub type AnswerStream = BoxStream<'static, Result<StreamEvent, ProviderError>>;

/// Something that answers requests.
pub trait Provider: Send + Sync {
    /// Its name: `offline`, `anthropic`, …
    fn name(&self) -> &str;

    /// What is known of one of its models; for an unknown name, what is safe to assume.
    fn model(&self, name: &str) -> ModelInfo;

    /// Starts a call. Nothing is sent before the stream is polled. A stream without `Finished` is incomplete,
    /// whatever arrived; after an error or `Finished` it yields nothing more.
    fn stream(&self, request: ModelRequest) -> AnswerStream;
}

/// What a stream yields.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamEvent {
    /// The provider has taken the call; from here on it may cost.
    Started {
        /// Where a provider gives one: the id under which the call can be found again.
        response_id: Option<String>,
    },
    /// A piece of the answer's text.
    Text(String),
    /// A piece of visible thinking.
    Thinking(String),
    /// The whole answer; authoritative over the pieces.
    Finished(ModelAnswer),
}

/// A finished answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelAnswer {
    /// The whole text.
    pub text: String,
    /// Tokens, as the provider reported them.
    pub usage: Usage,
    /// Why it ended.
    pub stop: StopReason,
    /// The model that answered.
    pub model: String,
    /// The provider's id of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
    /// Pieces of thinking that the provider hid.
    #[serde(default)]
    pub redacted_thinking: u32,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It is complete.
    EndTurn,
    /// It reached the output limit: the text is cut.
    MaxTokens,
    /// The context window is full: the text is cut.
    ContextWindow,
    /// The model declined.
    Refusal,
    /// It waits for tools.
    ToolUse,
    /// A stop text was reached.
    StopSequence,
    /// Something the provider didn't explain.
    Other,
}
