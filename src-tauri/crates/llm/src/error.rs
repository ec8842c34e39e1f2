//! The closed list of ways a call can fail.

use std::time::Duration;

use domain::{ErrorCode, Problem, Usage};
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
    /// What exactly, where it is known and the kind does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
    /// What happened; holds no secret and at most 2,000 bytes.
    pub message: String,
    /// Output tokens that had arrived, estimated: they may have been paid.
    #[serde(default)]
    pub streamed_tokens: u64,
    /// What the provider says that it used all the same, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Box<Usage>>,
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

/// Finer kinds of failure: what a test of a connection tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    /// The host's name has no address.
    Dns,
    /// Nothing listens at the address.
    Refused,
    /// The address can't be reached: no route, no network.
    Unreachable,
    /// The connection was closed while it was in use.
    Reset,
    /// The proxy could not be reached, or refused to connect.
    Proxy,
    /// The certificate is not trusted, or not for this host.
    Tls,
    /// The certificate has expired or is not valid yet: here or there a clock may be wrong.
    Clock,
    /// The address leads elsewhere; redirects are not followed.
    Redirect,
    /// What answers does not speak this protocol.
    WrongProtocol,
    /// The connection itself can't be meant: an address, a header, a file of certificates.
    Settings,
    /// The provider does not know the model.
    ModelUnknown,
    /// A limit of spending is reached: waiting does not help.
    SpendLimit,
    /// The provider does not have an answer that it was to keep, or has ended it.
    NotKept,
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
        Self { provider: provider.into(), fault, detail: None, message, streamed_tokens: 0, usage: None }
    }

    /// The same failure, told more finely.
    pub fn with_detail(mut self, detail: Detail) -> Self {
        self.detail = Some(detail);
        self
    }

    /// Whether the same request may be sent again.
    pub fn retry(&self) -> Retry {
        match self.detail {
            // These fail the same way until a person changes something.
            Some(
                Detail::Clock
                | Detail::ModelUnknown
                | Detail::Redirect
                | Detail::Settings
                | Detail::SpendLimit
                | Detail::Tls
                | Detail::WrongProtocol,
            ) => Retry::Never,
            _ => self.fault.retry(),
        }
    }

    /// What the person can do.
    pub fn action(&self) -> &'static str {
        match self.detail {
            None => self.fault.action(),
            Some(Detail::Dns) => "Check the connection's address and that this machine is online.",
            Some(Detail::Refused) => "Start the server, or check the connection's address and port.",
            Some(Detail::Unreachable | Detail::Reset) => {
                "Check the network, a VPN or a firewall, then retry."
            }
            Some(Detail::Proxy) => "Check the connection's proxy, or HTTPS_PROXY and NO_PROXY.",
            Some(Detail::Tls) => {
                "Check the address; where a company inspects traffic, name its certificates in caFile."
            }
            Some(Detail::Clock) => {
                "Check this machine's date and time; if they are right, the host's certificate is not."
            }
            Some(Detail::Redirect) => "Give the connection the address that answers itself.",
            Some(Detail::WrongProtocol) => "Check the connection's address and provider.",
            Some(Detail::Settings) => "Correct the connection's settings.",
            Some(Detail::ModelUnknown) => "Choose a model that this connection lists.",
            Some(Detail::NotKept) => "Retry; the answer is asked for anew.",
            Some(Detail::SpendLimit) => "Raise the limit at the provider, or choose another connection.",
        }
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
    fn what_is_told_more_finely_decides_about_retries_and_actions() {
        let plain = ProviderError::new("p", Fault::RateLimit { retry_after_ms: None }, "slow down");
        assert!(serde_json::to_value(&plain).unwrap().get("detail").is_none());
        let spent = plain.with_detail(Detail::SpendLimit);
        let json = serde_json::to_value(&spent).unwrap();
        assert_eq!(json["detail"], "spend_limit");
        assert_eq!(serde_json::from_value::<ProviderError>(json).unwrap(), spent);
        assert_eq!(spent.retry(), Retry::Never);
        assert_ne!(spent.action(), spent.fault.action());
    }

    #[test]
    fn a_long_message_is_cut_at_a_character() {
        assert_eq!(ProviderError::new("p", Fault::Malformed, "é".repeat(5_000)).message.len(), 2_000);
    }
}
