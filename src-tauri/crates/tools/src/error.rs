//! How a call fails, and what the model is told to do about it.

use crate::Media;

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
    /// Pictures and documents that came with the failure: a tool's picture of what went wrong.
    pub media: Vec<Media>,
}

impl ToolError {
    /// A failure.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), guidance: String::new(), media: Vec::new() }
    }

    /// The same, with pictures and documents.
    pub fn with_media(mut self, media: Vec<Media>) -> Self {
        self.media = media;
        self
    }

    /// The same, with what to do about it.
    pub fn with_guidance(mut self, guidance: impl Into<String>) -> Self {
        self.guidance = guidance.into();
        self
    }

    /// A call that the end of an answer cut: it is not run.
    pub fn cut_call() -> Self {
        let what = "your answer reached the limit of its length within this call; the call is incomplete and was not run";
        Self::new(Kind::TooLarge, what)
            .with_guidance("Make it again with less in it: write long content in several smaller calls.")
    }

    /// The failure as the model reads it.
    pub fn for_model(&self) -> String {
        let (kind, general) = match self.kind {
            Kind::Arguments => ("the arguments are wrong", "Correct the arguments and call it again."),
            Kind::NotFound => ("not found", "Look for what is there before you try again."),
            Kind::Refused => ("refused", "Do not try the same again; find another way or tell the person."),
            Kind::TooLarge => ("too large", "Ask for a part of it."),
            Kind::Deadline => ("it took too long", "Ask for less at once, or try once more."),
            Kind::Cancelled => ("stopped", ""),
            Kind::Unavailable => {
                ("not available here", "Go on without it, or tell the person what is missing.")
            }
            Kind::Failed => ("it failed", "Read the message; correct the cause before you try again."),
        };
        let guidance = if self.guidance.is_empty() { general } else { &self.guidance };
        let text = format!("Error ({kind}): {}\n{guidance}", self.message);
        text.trim_end().to_owned()
    }
}
