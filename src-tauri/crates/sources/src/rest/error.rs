//! Why a request did not succeed.

use std::time::Duration;

use net_guard::AddressError;

/// A failed request. No credential stands in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("source {slug}: {kind}")]
pub struct RestError {
    /// The source's name.
    pub slug: String,
    /// What happened.
    pub kind: RestErrorKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RestErrorKind {
    /// The request is none that may be sent; nothing was.
    #[error("{0}")]
    Invalid(String),
    /// Its address is not reached.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// It answered with a status that is no success.
    #[error("{method} {path} gave status {status}{}{}", after(.retry_after), detail(.message))]
    Status {
        /// The method.
        method: &'static str,
        /// The path.
        path: String,
        /// The status.
        status: u16,
        /// When it wants to be asked again, in its own words.
        retry_after: Option<String>,
        /// The beginning of what it said.
        message: String,
    },
    /// It sends on to where it is not followed.
    #[error("it redirects to {to}, which is not followed: {why}")]
    Redirect {
        /// Host, or the path on its own host.
        to: String,
        /// Why.
        why: &'static str,
    },
    /// The answer, or the request's body, is too large.
    #[error("{what} is larger than {limit} bytes")]
    TooLarge {
        /// What.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// It took too long.
    #[error("it gave no whole answer within {} s", .0.as_secs())]
    Deadline(Duration),
    /// It was stopped.
    #[error("it was stopped")]
    Cancelled,
    /// There was no connection: nothing was sent.
    #[error("{0}")]
    Unreachable(String),
    /// The connection broke.
    #[error("{0}")]
    Network(String),
    /// There is nothing to present.
    #[error("{0}")]
    Credential(String),
}

fn after(retry: &Option<String>) -> String {
    retry.as_ref().map(|retry| format!(" (it asks to wait: {retry})")).unwrap_or_default()
}

fn detail(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

impl RestError {
    /// Whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        match &self.kind {
            RestErrorKind::Status { status, .. } => matches!(status, 408 | 425 | 429 | 500..=599),
            RestErrorKind::Deadline(_) | RestErrorKind::Unreachable(_) | RestErrorKind::Network(_) => true,
            RestErrorKind::Address(error) => matches!(error, AddressError::Unknown(_)),
            RestErrorKind::Invalid(_)
            | RestErrorKind::Redirect { .. }
            | RestErrorKind::TooLarge { .. }
            | RestErrorKind::Cancelled
            | RestErrorKind::Credential(_) => false,
        }
    }
}
