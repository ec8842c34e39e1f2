//! Questions as vectors, made by the models that made the vectors of the bases.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use domain::{ErrorCode, Problem};
use embeddings::{Embedder, Purpose};
use knowledge::Base;
use parking_lot::Mutex;
use tokio::runtime::Handle;

use super::recipe::{Recipe, embedder};

/// The models in use. Each is opened once, by the first question to a base that has its vectors.
pub struct Meanings {
    home: PathBuf,
    handle: Handle,
    open: Mutex<HashMap<String, Arc<dyn Embedder>>>,
}

impl Meanings {
    /// For the bases of a data directory; `handle` is for models of services.
    pub fn new(home: &Path, handle: Handle) -> Self {
        Self { home: home.to_owned(), handle, open: Mutex::default() }
    }

    /// A question as a vector for this base; none where the base has no vectors. Blocking.
    ///
    /// # Errors
    /// When its model is gone, changed or out of reach: the base can then be searched by words.
    pub fn vector(&self, base: &Base, question: &str) -> Result<Option<Vec<f32>>, Problem> {
        let Some(stored) = &base.manifest().vectors else { return Ok(None) };
        let embedder = self.embedder(&base.manifest().base, &stored.model)?;
        let failed = |error: embeddings::EmbedError| {
            Problem::new(
                ErrorCode::Provider,
                format!("the question could not be compared by meaning: {error}"),
            )
        };
        Ok(embedder.embed(&[question], Purpose::Query).map_err(failed)?.pop())
    }

    fn embedder(&self, base: &str, id: &str) -> Result<Arc<dyn Embedder>, Problem> {
        let mut open = self.open.lock();
        if let Some(known) = open.get(id) {
            return Ok(Arc::clone(known));
        }
        let reference = Recipe::read(&self.home, base).and_then(|recipe| recipe.model);
        let embedder = embedder(&self.home, reference.as_deref().unwrap_or(&reference_of(id)), &self.handle)?;
        let now = &embedder.model().id;
        if now != id {
            let what = format!("the vectors of {base} were made by {id}, the model is now {now}");
            return Err(Problem::new(ErrorCode::Conflict, what).with_action("ingest the base again"));
        }
        open.insert(id.to_owned(), Arc::clone(&embedder));
        Ok(embedder)
    }
}

/// How a model is asked for that is recorded by this id: an installed one is recorded with its digest.
fn reference_of(id: &str) -> String {
    match id.strip_prefix("local:").and_then(|rest| rest.rsplit_once(':')) {
        Some((name, _)) => format!("local:{name}"),
        None => id.to_owned(),
    }
}
