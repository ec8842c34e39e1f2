//! What is wrong with a rule file.

use thiserror::Error;

/// Why a rule set cannot be used, with the place in its file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RuleError {
    /// The file cannot be read.
    #[error("rule file {file}: {what}")]
    File {
        /// The file.
        file: String,
        /// What went wrong.
        what: String,
    },
    /// A value in it is wrong.
    #[error("rule file {file}, at {}: {what}", if .pointer.is_empty() { "the top" } else { .pointer })]
    Value {
        /// The file.
        file: String,
        /// JSON pointer of the value.
        pointer: String,
        /// What was found, and what is expected.
        what: String,
    },
    /// No set has that name.
    #[error("there is no rule set '{name}'; there are: {}", .existing.join(", "))]
    Unknown {
        /// The name asked for.
        name: String,
        /// The sets that exist.
        existing: Vec<String>,
    },
}
