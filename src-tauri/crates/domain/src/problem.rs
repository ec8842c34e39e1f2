//! The closed list of error codes that leave the program, and their wire form.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every kind of failure that a surface (terminal, window, other program) can be told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The request itself is malformed or contradicts itself.
    InvalidInput,
    /// The thing that was named does not exist.
    NotFound,
    /// It was already done or answered; nothing was changed.
    Conflict,
    /// A configuration file is wrong.
    InvalidConfig,
    /// The data directory is in use by another process.
    Busy,
    /// The data was written by a newer version of the program.
    NewerData,
    /// The disk is full, read-only or failing.
    Storage,
    /// Stored data is damaged.
    Corrupt,
    /// A source (MCP server, folder, service) failed.
    Source,
    /// A model provider failed.
    Provider,
    /// A model's answer did not satisfy its schema.
    InvalidAnswer,
    /// The input does not fit the model's context window.
    ContextTooLong,
    /// A budget would be exceeded.
    Budget,
    /// A deadline passed.
    Deadline,
    /// It is not allowed, or a person has to allow it first.
    Permission,
    /// It was cancelled.
    Cancelled,
    /// A defect of this program.
    Internal,
}

/// A failure as it is shown and sent: what happened, whether trying again may help, what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// From the closed list.
    pub code: ErrorCode,
    /// What happened, with the place, in words for a person.
    pub message: String,
    /// Whether the same request may succeed later, unchanged.
    pub retryable: bool,
    /// What the person can do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
}

impl Problem {
    /// A failure that trying again will not mend.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retryable: false, action: None }
    }

    /// The same, with what the person can do.
    pub fn with_action(mut self, action: impl Into<String>) -> Self {
        self.action = Some(action.into());
        self
    }

    /// The same, marked as worth trying again.
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        if let Some(action) = &self.action {
            write!(f, "\n  {action}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}
