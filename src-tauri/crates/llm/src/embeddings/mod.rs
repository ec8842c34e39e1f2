//! Embedders: those of services over HTTP, and the local ones by the same reference.

mod http;
mod wire;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use embeddings::{EmbedError, Embedder, LocalEncoder, ModelRef, local_folder};
use tokio::runtime::Handle;

pub use http::{HttpEmbedder, RetryPolicy};

/// A key; it is never printed.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Keeps a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Finds a key by the name of its variable: `OPENAI_API_KEY`, `VOYAGE_API_KEY`, `GEMINI_API_KEY`, or
/// `AGENTNATIVE_EMBEDDINGS_KEY` for a service at an address that the reference names.
pub type Keys<'a> = &'a dyn Fn(&str) -> Option<Secret>;

/// The keys of the environment.
pub fn environment(name: &str) -> Option<Secret> {
    std::env::var(name).ok().filter(|key| !key.trim().is_empty()).map(Secret)
}

/// The embedder that a reference names; installed models are looked for below `home`.
///
/// Blocking, and never called on an async runtime's worker thread: a local model is read, a service asked for one
/// vector (its length is part of the model).
pub fn open(
    reference: &ModelRef,
    home: &Path,
    keys: Keys<'_>,
    handle: &Handle,
) -> Result<Arc<dyn Embedder>, EmbedError> {
    Ok(match reference {
        ModelRef::Folder(folder) => Arc::new(LocalEncoder::open(folder)?),
        ModelRef::Local(name) => Arc::new(LocalEncoder::open(&local_folder(home, name))?),
        ModelRef::Remote { service, model, address } => Arc::new(HttpEmbedder::open(
            *service,
            model,
            address.as_deref(),
            keys,
            handle,
            RetryPolicy::default(),
            Arc::default(),
        )?),
    })
}
