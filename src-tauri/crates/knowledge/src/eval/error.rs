//! Why nothing could be measured.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::error::KnowledgeError;

/// Why nothing could be measured.
#[derive(Debug, Error)]
pub enum EvalError {
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder lacks a file.
    #[error("{} has no {what}", folder.display())]
    Missing {
        /// The folder.
        folder: PathBuf,
        /// The names that were looked for.
        what: &'static str,
    },
    /// A line is not of the file's form.
    #[error("{}:{line}: {what}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What was expected.
        what: String,
    },
    /// The base could not be made or searched.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// A question could not be made a vector.
    #[error(transparent)]
    Embedding(#[from] embeddings::EmbedError),
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl EvalError {
    pub(super) fn io(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        |source| Self::Io { path: path.to_owned(), source }
    }

    pub(super) fn line(path: &Path, number: usize, what: impl Into<String>) -> Self {
        Self::Line { path: path.to_owned(), line: number + 1, what: what.into() }
    }
}
