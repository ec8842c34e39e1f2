//! The closed list of ways a call can fail.

use std::time::Duration;

use domain::{ErrorCode, Problem};
use serde::{Deserialize, Serialize};

/// A failed call: what kind of failure, and what happened in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("{provider}: {message}")]
pub struct ProviderError {
    /// Who failed.
    pub provider: String,
    /// The kind.
    #[serde(flatten)]
    pub fault: Fault,
    /// What happened; holds no secret and at most 2,000 bytes.
    pub message: String,
    /// Output tokens that had arrived, estimated: they may have been paid.
    #[serde(default)]
    pub streamed_tokens: u64,
}

/// The kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Fault {
    /// The credential is missing, wrong or expired.
    Auth,
    /// The credential may not do this.
    Permission,
    /// The account has no credit left.
    Quota,
    /// Too many requests; the provider may say for how long.
    RateLimit {
        /// Milliseconds to wait.
        retry_after_ms: Option<u64>,
    },
    /// The provider has too much to do.
    Overloaded {
        /// Milliseconds to wait.
        retry_after_ms: Option<u64>,
    },
    /// The input does not fit the model.
    ContextTooLong,
    /// The provider declined to answer.
    Refused,
    /// The request is wrong.
    BadRequest,
    /// There was no connection.
    Network,
    /// Nothing arrived for too long.
    Timeout,
    /// The stream ended before the answer did.
    StreamCut,
    /// What arrived can't be understood.
    Malformed,
    /// More arrived than was allowed; the call was ended from here.
    OverCap,
}

/// Whether the same request may be sent again, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// It would fail the same way.
    Never,
    /// After this long, or after a backoff of the caller's choice.
    After(Option<Duration>),
}

impl Fault {
    /// Whether the same request may be sent again.
    pub fn retry(self) -> Retry {
        match self {
            Self::RateLimit { retry_after_ms } | Self::Overloaded { retry_after_ms } => {
                Retry::After(retry_after_ms.map(Duration::from_millis))
            }
            Self::Network | Self::Timeout | Self::StreamCut | Self::Malformed => Retry::After(None),
            Self::Auth
            | Self::Permission
            | Self::Quota
            | Self::ContextTooLong
            | Self::Refused
            | Self::BadRequest
            | Self::OverCap => Retry::Never,
        }
    }

    /// What the person can do.
    pub fn action(self) -> &'static str {
        match self {
            Self::Auth => "Check the connection's key or sign in again.",
            Self::Permission => "Use a key that may use this model, or choose another model.",
            Self::Quota => "Add credit at the provider, or choose another connection.",
            Self::RateLimit { .. } => "Wait and retry, or lower the number of parallel calls.",
            Self::Overloaded { .. } => "Wait and retry, or choose another model.",
            Self::ContextTooLong => {
                "Lower the depth, shorten the request, or choose a model with a larger window."
            }
            Self::Refused => "Reword the request, or choose another model.",
            Self::BadRequest => "Check the model's name and the agent's settings for it.",
            Self::Network => "Check the network and the connection's address, then retry.",
            Self::Timeout | Self::StreamCut => "Retry; nothing of the unfinished answer was used.",
            Self::Malformed => {
                "Retry; if it happens again, check that the address speaks this provider's protocol."
            }
            Self::OverCap => "Raise the stage's output limit, or choose another model.",
        }
    }

    fn code(self) -> ErrorCode {
        match self {
            Self::ContextTooLong => ErrorCode::ContextTooLong,
            Self::Timeout => ErrorCode::Deadline,
            Self::Auth
            | Self::Permission
            | Self::Quota
            | Self::RateLimit { .. }
            | Self::Overloaded { .. }
            | Self::Refused
            | Self::BadRequest
            | Self::Network
            | Self::StreamCut
            | Self::Malformed
            | Self::OverCap => ErrorCode::Provider,
        }
    }
}

impl ProviderError {
    /// A failure of a provider; a long message is cut.
    pub fn new(provider: impl Into<String>, fault: Fault, message: impl Into<String>) -> Self {
        let mut message = message.into();
        message.truncate(message.floor_char_boundary(2_000));
        Self { provider: provider.into(), fault, message, streamed_tokens: 0 }
    }

    /// Whether the same request may be sent again.
    pub fn retry(&self) -> Retry {
        self.fault.retry()
    }

    /// What the person can do.
    pub fn action(&self) -> &'static str {
        self.fault.action()
    }

    /// The failure as surfaces show it.
    pub fn problem(&self) -> Problem {
        let problem = Problem::new(self.fault.code(), self.to_string()).with_action(self.action());
        match self.retry() {
            Retry::Never => problem,
            Retry::After(_) => problem.retryable(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_survives_its_json_form() {
        let error = ProviderError::new("p", Fault::RateLimit { retry_after_ms: Some(1500) }, "slow down");
        let json = serde_json::to_value(&error).unwrap();
        assert_eq!(json["fault"], "rate_limit");
        assert_eq!(serde_json::from_value::<ProviderError>(json).unwrap(), error);
        assert_eq!(error.retry(), Retry::After(Some(Duration::from_millis(1500))));
    }

    #[test]
    fn a_long_message_is_cut_at_a_character() {
        assert_eq!(ProviderError::new("p", Fault::Malformed, "é".repeat(5_000)).message.len(), 2_000);
    }
}
