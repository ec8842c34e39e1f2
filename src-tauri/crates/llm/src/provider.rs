//! The one trait that every provider implements.

use std::sync::Arc;

use domain::{NanoUsd, Usage};
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Lane, ModelInfo, ModelRequest, Part, ProviderError, ToolCall};

/// The stream of one answer. Dropping it cancels the call.
pub type AnswerStream = BoxStream<'static, Result<StreamEvent, ProviderError>>;

/// Something that answers requests.
pub trait Provider: Send + Sync {
    /// Its name: `offline`, `anthropic`, …
    fn name(&self) -> &str;

    /// The model that is asked when nobody names one.
    fn default_model(&self) -> String {
        self.name().to_owned()
    }

    /// The model that judges statements of a run with `model`; `None`: that model itself.
    fn judge_model(&self, _model: &str) -> Option<ModelInfo> {
        None
    }

    /// What is known of one of its models; for an unknown name, what is safe to assume.
    fn model(&self, name: &str) -> ModelInfo;

    /// Starts a call. Nothing is sent before the stream is polled. A stream without `Finished` is incomplete,
    /// whatever arrived; after an error or `Finished` it yields nothing more.
    fn stream(&self, request: ModelRequest) -> AnswerStream;

    /// The lane that its calls share with all others of the connection. Whoever calls enters it before [`Self::stream`]
    /// or [`Self::attach`], and leaves it when the answer has ended; `None` where nothing bounds the calls.
    fn lane(&self) -> Option<Arc<Lane>> {
        None
    }

    /// Whether the provider goes on with an answer that nobody reads, and gives it again under its response id.
    fn keeps_answers(&self) -> bool {
        false
    }

    /// Whether an answer that broke off is worth going on with: not where it costs nothing and comes out the same each time.
    fn continues_drafts(&self) -> bool {
        true
    }

    /// Streams the answer to a request that was taken earlier, from its beginning, whether it is made by now or not.
    /// Nothing new is asked, so nothing is paid for again. Fails with [`crate::Detail::NotKept`] where the provider does
    /// not have it (any more); `None` where it keeps none.
    fn attach(&self, _request: ModelRequest, _response_id: &str) -> Option<AnswerStream> {
        None
    }

    /// Ends an answer that the provider goes on with. Nothing happens where it keeps none.
    fn cancel(&self, _response_id: &str) -> BoxFuture<'_, Result<(), ProviderError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// The models that the provider lists now, each with what it and the table say. A provider without a list gives
    /// what the table knows.
    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ProviderError>> {
        Box::pin(std::future::ready(Ok(vec![self.model(self.name())])))
    }

    /// Input tokens of a request as the provider counts them; `None` where it has no way to ask.
    fn count(&self, _request: &ModelRequest) -> BoxFuture<'_, Result<Option<u64>, ProviderError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// What goes over the wire for a request, for a person to read: method, address, headers without secrets, body.
    /// `None` where nothing leaves the machine.
    fn shown(&self, _request: &ModelRequest) -> Option<Result<Value, ProviderError>> {
        None
    }
}

/// What a stream yields.
#[expect(clippy::large_enum_variant, reason = "a stream has one finished answer")]
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
    /// The model began to write a call of a tool.
    ToolCallBegun {
        /// The call's id.
        id: String,
        /// The tool.
        name: String,
    },
    /// The whole answer; authoritative over the pieces.
    Finished(ModelAnswer),
}

/// The most characters of a provider's reason that a person is told.
const MAX_DETAIL_CHARS: usize = 400;

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
    /// The visible thinking.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thinking: String,
    /// The whole answer in order, for the next request of the conversation; empty where it is only `text`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// The id under which the provider's support finds the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// What the provider says it cost, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_cost: Option<NanoUsd>,
    /// Why it ended, in the provider's words, where `stop` does not say it all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_detail: Option<String>,
    /// What of the request the provider did not take, and was left out for this answer: a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

impl ModelAnswer {
    /// An answer that is only text.
    pub fn of_text(
        text: impl Into<String>,
        model: impl Into<String>,
        usage: Usage,
        stop: StopReason,
    ) -> Self {
        Self {
            text: text.into(),
            usage,
            stop,
            model: model.into(),
            response_id: None,
            redacted_thinking: 0,
            thinking: String::new(),
            parts: Vec::new(),
            request_id: None,
            reported_cost: None,
            stop_detail: None,
            left_out: Vec::new(),
        }
    }

    /// What a person is told of the answer besides its text: what was left out of the request, what was cut, and why it
    /// ended where it is not complete. A sentence each.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.left_out.clone();
        let detail = self.stop_detail.as_deref().map(str::trim).filter(|detail| !detail.is_empty());
        match (self.stop, detail) {
            (StopReason::Refusal | StopReason::Other, Some(detail)) => {
                let words: String = detail.chars().take(MAX_DETAIL_CHARS).collect();
                notes.push(format!("The provider gave as the reason for the end of the answer: {words}"));
            }
            (StopReason::MaxTokens | StopReason::ContextWindow, _) => {
                if self.text.trim().is_empty() && self.tool_calls().next().is_none() {
                    notes.push(
                        "An answer reached its limit of length before a word of it was written.".to_owned(),
                    );
                }
                let cut = self.tool_calls().filter(|call| call.cut && call.raw.is_some());
                notes.extend(cut.map(|call| {
                    format!(
                        "The answer was cut at its limit of length within a call of {}, which was not run.",
                        call.name
                    )
                }));
            }
            (
                StopReason::Refusal
                | StopReason::Other
                | StopReason::EndTurn
                | StopReason::ToolUse
                | StopReason::StopSequence,
                _,
            ) => {}
        }
        notes
    }

    /// The calls it asks for, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) => Some(call),
            _ => None,
        })
    }
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
