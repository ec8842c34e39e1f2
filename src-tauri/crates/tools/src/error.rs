//! How a call fails, and what the model is told to do about it.

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The arguments do not satisfy the schema, or contradict what is there (a text to replace that is not found).
    Arguments,
    /// What was named does not exist.
    NotFound,
    /// It leads out of the folders, to an address that is not reached, or is otherwise not done.
    Refused,
    /// Too large to read or to give back.
    TooLarge,
    /// It took too long.
    Deadline,
    /// It was stopped.
    Cancelled,
    /// Something that it needs is missing here: a program, confinement, a source.
    Unavailable,
    /// It ran and failed.
    Failed,
}

/// A failed call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// What kind.
    pub kind: Kind,
    /// What happened, with the place.
    pub message: String,
    /// What to do about it, for the model; may be empty.
    pub guidance: String,
}

impl ToolError {
    /// A failure.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), guidance: String::new() }
    }

    /// The same, with what to do about it.
    pub fn with_guidance(mut self, guidance: impl Into<String>) -> Self {
        self.guidance = guidance.into();
        self
    }
}
