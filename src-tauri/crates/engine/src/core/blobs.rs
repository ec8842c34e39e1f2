//! Payloads of a log while it is driven: read once, kept, and handed to the next commit where they are new.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use domain::{Digest, ErrorCode, Problem, canonical};
use serde::Serialize;
use serde::de::DeserializeOwned;
use store::Blob;

use super::payloads::Payloads;
use super::problem::{internal, store as store_problem};

/// Payloads by digest, over those that are stored.
pub(crate) struct Blobs {
    payloads: Arc<dyn Payloads>,
    known: HashMap<Digest, Arc<Vec<u8>>>,
    stored: BTreeSet<Digest>,
    fresh: Vec<Blob>,
}

impl Blobs {
    pub(crate) fn new(payloads: Arc<dyn Payloads>) -> Self {
        Self { payloads, known: HashMap::new(), stored: BTreeSet::new(), fresh: Vec::new() }
    }

    /// Keeps bytes for the next commit.
    pub(crate) fn put(&mut self, bytes: Vec<u8>) -> Result<Digest, Problem> {
        let digest = Digest::of(&bytes);
        if !self.stored.contains(&digest) {
            self.add(digest, bytes.clone())?;
        }
        self.known.entry(digest).or_insert_with(|| Arc::new(bytes));
        Ok(digest)
    }

    /// Keeps bytes for the next commit that nobody reads again here.
    pub(crate) fn add(&mut self, digest: Digest, bytes: Vec<u8>) -> Result<(), Problem> {
        if self.stored.insert(digest) {
            self.fresh.push(Blob::new(bytes).map_err(store_problem)?);
        }
        Ok(())
    }

    /// Keeps a value as canonical JSON.
    pub(crate) fn put_json(&mut self, value: &impl Serialize) -> Result<Digest, Problem> {
        let value = serde_json::to_value(value).map_err(internal)?;
        self.put(canonical(&value).into_bytes())
    }

    /// Bytes that were put or stored.
    pub(crate) async fn get(&mut self, digest: Digest) -> Result<Arc<Vec<u8>>, Problem> {
        if let Some(known) = self.known.get(&digest) {
            return Ok(known.clone());
        }
        let bytes = Arc::new(self.payloads.payload(digest).await?);
        self.known.insert(digest, bytes.clone());
        Ok(bytes)
    }

    /// As text.
    pub(crate) async fn text(&mut self, digest: Digest) -> Result<String, Problem> {
        Ok(String::from_utf8_lossy(&self.get(digest).await?).into_owned())
    }

    /// As what its JSON says.
    pub(crate) async fn json<T: DeserializeOwned>(&mut self, digest: Digest) -> Result<T, Problem> {
        let bytes = self.get(digest).await?;
        serde_json::from_slice(&bytes).map_err(|error| {
            let what = format!("stored value {} can't be read: {error}", digest.short());
            Problem::new(ErrorCode::Corrupt, what)
        })
    }

    /// Bytes that are at hand without reading the store.
    pub(crate) fn at_hand(&self, digest: Digest) -> Option<Vec<u8>> {
        self.known.get(&digest).map(|bytes| bytes.as_ref().clone())
    }

    /// Those that no commit has taken yet.
    pub(crate) fn take_fresh(&mut self) -> Vec<Blob> {
        std::mem::take(&mut self.fresh)
    }
}
