//! Texts to vectors: the trait, and an encoder that runs here.

mod local;
mod reference;

use thiserror::Error;

pub use local::LocalEncoder;
pub use reference::{ModelRef, ModelRefError, Service, local_folder, local_models};

/// What a text is embedded for; some models want to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A question.
    Query,
    /// A paragraph that questions look for.
    Passage,
}

/// A model as it is recorded with the vectors it made.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Model {
    /// What tells it from others, stable over time: `local:all-MiniLM-L6-v2:<digest>`, `ollama:nomic-embed-text`.
    pub id: String,
    /// Length of its vectors.
    pub dimensions: usize,
}

/// Something that turns texts into vectors of length 1 (L2).
pub trait Embedder: Send + Sync {
    /// Which model it is.
    fn model(&self) -> &Model;
    /// One vector for each text, in order. Blocking; never called on an async runtime's worker thread.
    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Why texts could not be embedded.
#[derive(Debug, Error)]
pub enum EmbedError {
    /// The model's files are missing, damaged or of a kind that is not supported.
    #[error("{path}: {what}")]
    Files {
        /// The file or folder.
        path: String,
        /// What was found and expected.
        what: String,
    },
    /// The service refused or could not be reached.
    #[error("{service}: {what}")]
    Service {
        /// Its name.
        service: String,
        /// What it said, without secrets.
        what: String,
        /// Whether trying again may help.
        retryable: bool,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}
