//! Why something can't be done.

/// Why something can't be done, in words for a person or a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Reason(pub String);

impl From<String> for Reason {
    fn from(words: String) -> Self {
        Self(words)
    }
}

impl From<&str> for Reason {
    fn from(words: &str) -> Self {
        Self(words.to_owned())
    }
}
